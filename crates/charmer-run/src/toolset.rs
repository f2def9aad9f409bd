//! The tools of a server, each with the path that its calls take.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, LazyLock},
};

use charmer_core::{
    call::{bind, understand},
    expose::Visibility,
    model::{CommandPath, Hints},
    tool::{Annotations, Tool, ToolName},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use crate::{
    AnswerForm, Call, CallError, CallPath, CallResult, CallService, Caller, Completer,
    DraftRequest, Excluded, Limits, Outcome, Permissions, Redactor, Results, SharedSteps, Spool,
    Standing, StandingCheck,
    excluded::{ExcludedCommands, plain_name},
    read_output,
    spelling::{DEEPEST, spellings},
};

/// The calls of a tool that `run_read` takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reading {
    /// Those whose label says that they read, without flags that write.
    #[default]
    Labelled,
    /// Any: what tries to write fails, because the call is run without the right to.
    Any,
}

/// A tool and how it is called.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServedTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The path that its calls take.
    pub service: CallService,
    /// The limits that its calls begin with.
    pub limits: Limits,
    /// An author's own code is on that path. It may block, so it runs apart from the protocol.
    pub may_block: bool,
    /// The redactor of its results.
    pub redactor: Redactor,
    /// The event from which on it is listed; always, if it is not set. It can be called before.
    pub hidden_until: Option<CancellationToken>,
    /// The program's own completion, where it may be asked.
    pub completer: Option<Completer>,
    /// The tool as a list shows it, where that is not all that is known of it.
    pub shown: Option<ShownTool>,
    /// It is found and run through other tools as long as it is not listed.
    pub found: bool,
    /// It must be in the list, or must not.
    pub visibility: Visibility,
    /// The router to the tool that a call is really for, if this one stands for others.
    pub router: Option<Router>,
    /// The calls of it that `run_read` takes.
    pub reading: Reading,
    /// Every call of it is meant to read only, however it is made.
    pub reads: bool,
    /// The folder that calls of it are to run in, as it was asked for.
    pub folder: Option<String>,
    /// The folder of its caller matters to it.
    pub in_callers_folder: bool,
    /// Calls of it only say what they would run.
    pub dry_run: bool,
    /// Calls of it are run as this draft, if as one.
    pub draft: Option<DraftRequest>,
    /// Calls of it become jobs as soon as their program runs.
    pub background: bool,
    /// Its calls run a program, or what stands in for one.
    pub runs: bool,
    /// It is about the other tools: a call waits until all of them are known.
    pub meta: bool,
    /// The form in which clients get its results.
    pub results: Results,
    /// The check whether its program is still the one that it was made from; without one it always is.
    pub standing: Option<StandingCheck>,
    /// The tool by which it was called has a schema for its results in the list. Clients check results against it.
    called_with_schema: Option<bool>,
}

/// A tool in the form of a list, made when it is first looked at: of ten thousand commands few are ever listed. Clones
/// share it.
#[derive(Clone)]
pub struct ShownTool(Arc<LazyTool>);

type LazyTool = LazyLock<Arc<Tool>, Box<dyn FnOnce() -> Arc<Tool> + Send>>;

impl ShownTool {
    /// The form that this makes.
    pub fn new(make: impl FnOnce() -> Tool + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(|| Arc::new(make())))))
    }

    /// The form itself.
    pub fn get(&self) -> &Arc<Tool> {
        &self.0
    }
}

impl From<Tool> for ShownTool {
    fn from(tool: Tool) -> Self {
        let made = Self::new(move || tool);
        LazyLock::force(&made.0);
        made
    }
}

impl fmt::Debug for ShownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShownTool(..)")
    }
}

/// The way from the input of a tool that stands for others to the tool that is meant, and its input. It is asked where
/// nobody may wait, so it does no more than look.
#[derive(Clone)]
pub struct Router(Arc<Route>);

/// The tool that is meant, and the input that is for it.
pub(crate) type Routed = (ServedTool, Map<String, Value>);
type Route = dyn Fn(&Map<String, Value>) -> Option<Routed> + Send + Sync;

impl Router {
    /// Routes by this rule.
    pub fn new(
        route: impl Fn(&Map<String, Value>) -> Option<(ServedTool, Map<String, Value>)>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self(Arc::new(route))
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Router(..)")
    }
}

impl ServedTool {
    /// A tool with its call path, which may block.
    pub fn new(tool: Arc<Tool>, service: CallService, limits: Limits) -> Self {
        Self {
            tool,
            service,
            limits,
            may_block: true,
            redactor: Redactor::default(),
            hidden_until: None,
            completer: None,
            shown: None,
            found: false,
            visibility: Visibility::Free,
            router: None,
            reading: Reading::Labelled,
            reads: false,
            folder: None,
            in_callers_folder: false,
            dry_run: false,
            draft: None,
            background: false,
            runs: false,
            meta: false,
            results: Results::Auto,
            standing: None,
            called_with_schema: None,
        }
    }

    /// The tool as a list shows it.
    pub fn shown(&self) -> &Arc<Tool> {
        self.shown.as_ref().map_or(&self.tool, ShownTool::get)
    }

    /// Leaves it out of the list until this has been cancelled: it is found and run through other tools.
    #[cfg(feature = "search")]
    #[must_use]
    pub(crate) fn found_by_search(mut self, hidden_until: CancellationToken) -> Self {
        self.found = true;
        self.hidden_until(hidden_until)
    }

    /// Sets whether it must be in the list, or must not.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets which of its calls `run_read` takes.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }

    /// Says whether every call of it is meant to read only.
    #[must_use]
    pub fn reads(mut self, only: bool) -> Self {
        self.reads = only;
        self
    }

    /// Says whether calls of it only say what they would run.
    #[must_use]
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Sets who knows whether its program is still the one that it was made from.
    #[must_use]
    pub fn stands_by(mut self, check: StandingCheck) -> Self {
        self.standing = Some(check);
        self
    }

    /// Tells whether its program is still the one that it was made from.
    pub fn standing(&self) -> Standing {
        self.standing
            .as_ref()
            .map_or(Standing::Current, StandingCheck::now)
    }

    /// Says that it is about the other tools.
    #[must_use]
    pub fn meta(mut self) -> Self {
        self.meta = true;
        self
    }

    /// Returns the tool that a call with this input is really for: itself, unless it stands for others. Where none is
    /// meant, it is itself too: its own call path says why.
    pub fn resolve(&self, input: Map<String, Value>) -> Resolved {
        let routed = self.router.as_ref().and_then(|router| (router.0)(&input));
        let certain = routed.is_some() || !self.meta;
        let (mut served, input) = routed.unwrap_or_else(|| (self.clone(), input));
        served.dry_run |= self.dry_run;
        served.draft = served.draft.or_else(|| self.draft.clone());
        // The client knows the tool that it called, whichever answers.
        served.results = self.results;
        served.called_with_schema = Some(self.lists_output());
        Resolved {
            served,
            input,
            certain,
        }
    }

    /// Returns true if it is in the list with a schema for its results.
    fn lists_output(&self) -> bool {
        let listed = self
            .hidden_until
            .as_ref()
            .is_none_or(CancellationToken::is_cancelled);
        listed && !self.shown().output_schema.is_empty()
    }

    /// Lets the program itself be asked for completions.
    #[must_use]
    pub fn completed_by(mut self, completer: Completer) -> Self {
        self.completer = Some(completer);
        self
    }

    /// Lists it only when this has been cancelled: until then it would cost an assistant's attention for nothing.
    #[must_use]
    pub(crate) fn hidden_until(mut self, when: CancellationToken) -> Self {
        self.hidden_until = Some(when);
        self
    }

    /// Says that nothing on its call path blocks.
    #[must_use]
    pub(crate) fn never_blocks(mut self) -> Self {
        self.may_block = false;
        self
    }

    /// Sets what must not be seen in its results.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the form in which clients get its results.
    #[must_use]
    pub fn results(mut self, results: Results) -> Self {
        self.results = results;
        self
    }

    /// Calls it, until the token is cancelled. Must run inside a tokio runtime.
    pub async fn call(&self, input: Map<String, Value>, cancel: CancellationToken) -> CallResult {
        self.call_as(Caller::default(), input, cancel).await
    }

    /// The same, by this caller.
    pub async fn call_as(
        &self,
        caller: Caller,
        input: Map<String, Value>,
        cancel: CancellationToken,
    ) -> CallResult {
        let Resolved { served, input, .. } = self.resolve(input);
        let call = served.call_by(caller, input);
        let call = call.cancelled_by(cancel);
        let outcome = served.service.clone().call(call).await;
        served.finish(outcome).await
    }

    /// A call of it by this caller with this input, within its limits.
    pub fn call_by(&self, caller: Caller, input: Map<String, Value>) -> Call {
        let reads = self.reads || caller.permissions.only_read();
        Call::by(caller, Arc::clone(&self.tool), input)
            .limits(self.limits.clone())
            .reads(reads)
            .reading(self.reading)
            .folder(self.folder.clone())
            .dry_run(self.dry_run)
            .draft(self.draft.clone())
            .background(self.background)
            .in_form(self.form())
    }

    /// The answer that an outcome of one of its calls makes.
    pub async fn finish(&self, outcome: Result<Outcome, CallError>) -> CallResult {
        let form = self.form();
        form.answer(outcome, &self.limits, &self.redactor).await
    }

    /// The form in which its calls are answered.
    fn form(&self) -> AnswerForm {
        let called = self.called_with_schema;
        AnswerForm {
            results: self.results,
            promised: self.tool.structured || called.unwrap_or_else(|| self.lists_output()),
        }
    }
}

/// The tool that a call is for, once it is known which was meant.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Resolved {
    /// The tool that is called.
    pub served: ServedTool,
    /// The input that is for it.
    pub input: Map<String, Value>,
    /// It stays this one when more tools become known.
    pub certain: bool,
}

impl Resolved {
    /// Returns true if a command takes this input, as it is understood, as far as it is known. While its program is
    /// being read, its help may be known and the types of its flags not yet. A tool that comes from no command takes
    /// anything.
    pub fn fits(&self) -> bool {
        let tool = &self.served.tool;
        let takes = |input: &Map<String, Value>| {
            understand(tool, input).is_ok_and(|understood| bind(tool, &understood.input).is_ok())
        };
        tool.input.levels.is_empty() || takes(&self.input)
    }
}

/// Tools in a fixed order, found by name.
#[derive(Debug, Clone, Default)]
pub struct ToolSet {
    tools: Vec<ServedTool>,
    places: HashMap<String, usize>,
    shared: SharedSteps,
    excluded: ExcludedCommands,
}

impl ToolSet {
    /// A set of these tools; of two with one name the first stays.
    pub fn new(tools: impl IntoIterator<Item = ServedTool>) -> Self {
        let mut set = Self::default();
        for tool in tools {
            let name = tool.tool.name.as_str().to_owned();
            if let std::collections::hash_map::Entry::Vacant(place) = set.places.entry(name) {
                place.insert(set.tools.len());
                set.tools.push(tool);
            }
        }
        set
    }

    /// Adds the tool that reads cut output, unless a tool of its name is there already. It is listed as soon as there is
    /// something to read.
    #[must_use]
    pub fn with_spool(self, spool: &Spool) -> Self {
        let reader = read_output::tool(spool, &self.shared);
        Self {
            excluded: self.excluded,
            ..Self::new(self.tools.into_iter().chain([reader])).behind(self.shared)
        }
    }

    /// Names the commands that are not offered, each with the rule that keeps it out.
    #[must_use]
    pub fn excluding(mut self, excluded: impl IntoIterator<Item = Excluded>) -> Self {
        self.excluded = ExcludedCommands::new(excluded);
        self
    }

    /// Says what of the programs could not be read, a sentence each: who searches in vain is told.
    #[must_use]
    pub fn without_unread(mut self, sentences: Vec<String>) -> Self {
        self.excluded.set_unread(sentences);
        self
    }

    /// Leaves out what another set does, for the same reasons.
    #[must_use]
    pub fn excluding_as(mut self, other: &Self) -> Self {
        self.excluded = other.excluded.clone();
        self
    }

    /// The tools of which somebody with these permissions can make a call; the others are refused by name.
    #[must_use]
    pub fn permitted(&self, permissions: &Permissions) -> Self {
        let may_run = |served: &&ServedTool| permissions.may_run(served);
        let (permitted, withheld): (Vec<_>, Vec<_>) = self.tools.iter().partition(may_run);
        let why = permissions.why_not();
        let withheld = withheld.into_iter().map(|served| &served.tool.name);
        let withheld = withheld.map(|name| Excluded::new(name.as_str(), why));
        Self {
            excluded: self.excluded.and(withheld),
            ..Self::new(permitted.into_iter().cloned()).behind(self.shared.clone())
        }
    }

    /// None of the tools, each refused by name for this reason.
    #[must_use]
    pub fn refused(&self, why: &str) -> Self {
        let names = self.tools.iter().map(|served| &served.tool.name);
        let refused = names.map(|name| Excluded::new(name.as_str(), why));
        Self {
            excluded: self.excluded.and(refused),
            ..Self::default().behind(self.shared.clone())
        }
    }

    /// Says why there is no tool of a name, if a rule is the reason.
    pub fn refusal(&self, name: &str) -> Option<CallError> {
        self.excluded.refusal(name)
    }

    #[cfg(feature = "search")]
    pub(crate) fn excluded(&self) -> &ExcludedCommands {
        &self.excluded
    }

    /// Sets the steps that all calls take, for calls of tools that are not there.
    #[must_use]
    pub fn behind(mut self, shared: SharedSteps) -> Self {
        self.shared = shared;
        self
    }

    /// Returns the tool that a call of this name is for, if there is one.
    pub fn resolve(&self, name: &str, input: Map<String, Value>) -> Option<Resolved> {
        self.get(name).map(|served| served.resolve(input))
    }

    /// A tool that is not there, as it is refused: its call is on record like any other, and comes to this error.
    pub fn missing(&self, name: &str, error: CallError) -> ServedTool {
        let name = &name[..name.floor_char_boundary(200)];
        let name = ToolName::new("", &CommandPath::parse(name));
        let hints = Annotations::new(&Hints::default());
        let tool = Tool::custom(name, "", Map::new(), hints);
        CallPath::answering(Arc::new(tool), move |_| Err(error.clone())).serve(&self.shared)
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&ServedTool> {
        self.places.get(name).map(|&at| &self.tools[at])
    }

    /// The tool of a name, or the one tool that is called so in other words: by another path or a short name of its
    /// command, with spaces or underscores between the words.
    pub fn find(&self, name: &str) -> Option<&ServedTool> {
        self.get(name)
            .or_else(|| self.spelled(&self.spellings(), name))
    }

    /// The tool that words begin with, and the number of those that name it: `git_log`, or `git log` as people type it.
    pub fn find_typed(&self, words: &[String]) -> Option<(&ServedTool, usize)> {
        let names = self.spellings();
        let find = |name: &str| self.get(name).or_else(|| self.spelled(&names, name));
        let first = find(words.first()?);
        // Behind the name of a program its commands follow.
        if let Some(served) = first.filter(|served| !served.tool.path.is_root()) {
            return Some((served, 1));
        }
        let plain = words.iter().take_while(|word| !word.starts_with('-'));
        let longest = plain.take(DEEPEST).count();
        let whole = |length: usize| Some((find(&words[..length].join(" "))?, length));
        let typed = (2..=longest).rev().find_map(whole);
        typed.or_else(|| Some((first?, 1)))
    }

    fn spellings(&self) -> HashMap<String, Option<usize>> {
        spellings(self.tools.iter().map(|served| &*served.tool))
    }

    fn spelled(&self, names: &HashMap<String, Option<usize>>, name: &str) -> Option<&ServedTool> {
        let at = names.get(&plain_name(name)).copied().flatten()?;
        Some(&self.tools[at])
    }

    /// The tools that are listed at this moment, in order.
    pub fn listed(&self) -> impl Iterator<Item = &ServedTool> {
        let now = |when: &CancellationToken| when.is_cancelled();
        self.iter()
            .filter(move |served| served.hidden_until.as_ref().is_none_or(now))
    }

    /// The tools that can be used at this moment, in order: those that are listed, and those that are found through
    /// them.
    pub fn usable(&self) -> impl Iterator<Item = &ServedTool> {
        let now = |when: &CancellationToken| when.is_cancelled();
        self.iter()
            .filter(move |served| served.found || served.hidden_until.as_ref().is_none_or(now))
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ServedTool> {
        self.tools.iter()
    }
}
