//! The path that every call takes, put together here and nowhere else: a program's, a clap host's, a spell's, and the
//! answers of the bridge's own.
//!
//! A call passes these steps from the first to the last, and its outcome comes back the other way:
//!
//! 1. jobs ([`SharedSteps::jobs`]): all that follows goes on when the caller is answered before, and ends in its own time; the
//!    audit log has the call's beginning then, and its end when it comes;
//! 2. the audit log, so that whatever a later step refuses is on record;
//! 3. the log of calls;
//! 4. the operator's programs that are told of errors ([`CallPath::hooks`]), whichever step they come from;
//! 5. understanding ([`understand`]): input as an assistant naturally writes it becomes the strict form, once, so that no
//!    later step can be got around by another spelling; what is on record is what was given;
//! 6. the steps of the server ([`SharedSteps::step`]);
//! 7. output as data ([`Structure`]): what it adds to the input is checked, and what later steps take out of the output
//!    is not in the data;
//! 8. the operator's programs that judge a call, and look at what came of it ([`CallPath::hooks`]): what they change in the
//!    input is checked by all that follows, and what they change in the output is what becomes data;
//! 9. checks of input ([`CallPath::check`]);
//! 10. the author's own layers ([`CallPath::layer`]), the first of them outermost;
//! 11. [`Execute`]: binding, the [`Policy`], the command line, the check of each of its elements, the [`LastCheck`], the
//!     [approval](crate::Approvals) of a person where one is needed, and the process or handler.
//!
//! A [dry run](crate::DryRun) passes them all, and stops before the process. A [draft](crate::Draft) passes them all as
//! well; its process has a view of the folders of its own, and what it changed there comes back with the outcome.

use std::{fmt, sync::Arc};

use charmer_core::{call::understand, tool::Tool};
use tower_layer::Layer;
use tower_service::Service;

#[cfg(feature = "hook-programs")]
use crate::hook_programs::{Asking, Explained, HookPrograms, Judged};
#[cfg(feature = "jobs")]
use crate::jobs::{Detach, Jobs};
#[cfg(feature = "data")]
use crate::layers::Structure;
#[cfg(feature = "approval")]
use crate::{Approvals, AskRule, AskWhen, approval::ToolApproval};
use crate::{
    BoxError, Call, CallError, CallService, ErrorCode, Execute, LastCheck, Limits, Outcome, Policy,
    Redactor, Rule, ServedTool, Target,
    layers::{Audit, GivenData, Validate, log_calls},
    process::Launcher,
    wrap,
};

/// Puts something around a call path: a layer whose type is forgotten.
pub type Step = Arc<dyn Fn(CallService) -> CallService + Send + Sync>;

/// The steps that all calls of a server take, whatever tool they are for. Clones share the log.
#[derive(Clone, Default)]
pub struct SharedSteps {
    /// The audit log, and the step that writes it.
    audit: Option<(Audit, Step)>,
    log: Option<Step>,
    steps: Vec<Step>,
    #[cfg(feature = "jobs")]
    jobs: Option<Jobs>,
    #[cfg(feature = "approval")]
    approvals: Approvals,
}

impl SharedSteps {
    /// Lets calls that take long go on as jobs.
    #[cfg(feature = "jobs")]
    #[must_use]
    pub fn jobs(mut self, jobs: Option<Jobs>) -> Self {
        self.jobs = jobs;
        self
    }

    /// The jobs, if there can be any.
    #[cfg(feature = "jobs")]
    pub fn kept_jobs(&self) -> Option<&Jobs> {
        self.jobs.as_ref()
    }

    /// Puts every call on record.
    #[must_use]
    pub fn audit(mut self, audit: Option<Audit>) -> Self {
        self.audit = audit.map(|audit| (audit.clone(), step(audit)));
        self
    }

    /// Tells how each call went.
    #[must_use]
    pub fn log(mut self, tell: impl Fn(&Call, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(step(log_calls(tell)));
        self
    }

    /// Sets who asks people about calls.
    #[cfg(feature = "approval")]
    #[must_use]
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Whoever asks people about calls, without rules: these come with what is asked about.
    #[cfg(feature = "drafts")]
    pub(crate) fn approval_of(&self, redactor: &Redactor) -> ToolApproval {
        ToolApproval {
            rules: Vec::new(),
            approvals: self.approvals.clone(),
            redactor: redactor.clone(),
        }
    }

    /// Adds a step behind those that were added before.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The audit log, if there is one.
    pub fn audit_log(&self) -> Option<&Audit> {
        self.audit.as_ref().map(|(audit, _)| audit)
    }

    /// Returns true if code that may block stands on them.
    fn may_block(&self) -> bool {
        self.log.is_some() || !self.steps.is_empty()
    }

    fn around(&self, mut service: CallService, explained: Option<Step>) -> CallService {
        for step in self.steps.iter().rev() {
            service = step(service);
        }
        service = understanding(service);
        let audit = self.audit.as_ref().map(|(_, step)| step);
        for step in explained.iter().chain(&self.log).chain(audit) {
            service = step(service);
        }
        service
    }

    /// The path behind these steps goes on as a job, where it runs something.
    #[cfg(feature = "jobs")]
    fn detaching(&self, service: CallService, redactor: &Redactor, runs: bool) -> CallService {
        match self.jobs.clone() {
            Some(jobs) => {
                let redactor = redactor.clone();
                wrap(
                    &Detach {
                        jobs,
                        redactor,
                        runs,
                    },
                    service,
                )
            }
            None => service,
        }
    }
}

impl fmt::Debug for SharedSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSteps")
            .field("audit", &self.audit_log())
            .field("log", &self.log.is_some())
            .field("steps", &self.steps.len())
            .finish()
    }
}

/// A layer as a step. What it does is code of a CLI only where somebody makes one: a path that names its layers would link
/// them all.
pub fn step<L>(layer: L) -> Step
where
    L: Layer<CallService> + Send + Sync + 'static,
    L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    <L::Service as Service<Call>>::Error: Into<BoxError>,
    <L::Service as Service<Call>>::Future: Send + 'static,
{
    Arc::new(move |service| wrap(&layer, service))
}

/// The path behind this takes input in its strict form.
fn understanding(service: CallService) -> CallService {
    CallService::new(move |mut call: Call| {
        let mut service = service.clone();
        async move {
            let understood = understand(&call.tool, &call.input).map_err(CallError::from)?;
            call.input = understood.input;
            call.notes.extend(understood.notes);
            service.call(call).await
        }
    })
}

/// A tool's call path while it is put together.
///
/// ```
/// use std::sync::Arc;
/// use charmer_core::{model::{Cli, Command, Syntax}, tool::{CatalogueOptions, catalogue}};
/// use charmer_run::{CallError, CallPath, HandlerCall, Reply, SharedSteps, Target};
///
/// let cli = Cli::new(Command::new("hello"), Syntax::pflag());
/// let tool = catalogue(&cli, &CatalogueOptions::default()).tools.remove(0);
/// let says = |_: HandlerCall| -> Result<Reply, CallError> { Ok("hello".into()) };
/// let served = CallPath::new(tool, Target::Handler(Arc::new(says))).serve(&SharedSteps::default());
/// assert_eq!(served.tool.name.as_str(), "hello");
/// ```
pub struct CallPath {
    tool: Arc<Tool>,
    execute: Execute,
    layers: Vec<Step>,
    checks: Vec<Step>,
    /// Makes the step that reads output as data.
    data: Option<MakeData>,
    limits: Limits,
    redactor: Redactor,
    /// Makes the steps that ask the operator's programs.
    hooks: Option<MakeHooks>,
    #[cfg(feature = "approval")]
    asks: Vec<AskRule>,
    may_block: bool,
    /// It answers for the bridge, and runs nothing that could take long.
    is_own: bool,
}

/// The step that reads output as data, made of what must not be seen in it.
type MakeData = Box<dyn FnOnce(&Redactor) -> Step>;

/// The steps that ask about a call, and that tell of errors, made of who starts the program and what must not be seen.
type MakeHooks = Box<dyn FnOnce(Option<&Launcher>, &Redactor) -> [Step; 2]>;

impl CallPath {
    /// The path of this tool's calls to this target.
    pub fn new(tool: Arc<Tool>, target: Target) -> Self {
        Self {
            execute: Execute::new(Arc::clone(&tool), target),
            tool,
            layers: Vec::new(),
            checks: Vec::new(),
            data: None,
            limits: Limits::default(),
            redactor: Redactor::default(),
            hooks: None,
            #[cfg(feature = "approval")]
            asks: Vec::new(),
            may_block: false,
            is_own: false,
        }
    }

    /// The path of a tool that is answered by this function, which reads the input by itself.
    pub fn answering<F>(tool: Arc<Tool>, answer: F) -> Self
    where
        F: Fn(Call) -> Result<Outcome, CallError> + Clone + Send + Sync + 'static,
    {
        let service = CallService::new(move |call: Call| {
            let answer = answer.clone();
            async move {
                if call.dry_run {
                    let name = call.tool.name.clone();
                    return answer(call).and_then(|_| Err(runs_no_program(name.as_str())));
                }
                answer(call)
            }
        });
        Self::new(tool, Target::Answer(service)).may_block(true)
    }

    /// Sets how the output becomes data.
    #[cfg(feature = "data")]
    #[must_use]
    pub fn structure(mut self, structure: Structure) -> Self {
        self.data = (!structure.is_idle()).then(|| {
            let make = |redactor: &Redactor| step(structure.redactor(redactor.clone()));
            Box::new(make) as MakeData
        });
        self
    }

    /// Adds a check of the input.
    #[must_use]
    pub fn check(mut self, check: Validate) -> Self {
        self.checks.push(step(check));
        self
    }

    /// Adds a layer of the author's behind those that were added before.
    #[must_use]
    pub fn layer(mut self, layer: Step) -> Self {
        self.layers.push(layer);
        self
    }

    /// Sets the operator's programs that are asked about its calls.
    #[cfg(feature = "hook-programs")]
    #[must_use]
    pub fn hooks(mut self, hooks: HookPrograms) -> Self {
        self.hooks = (!hooks.is_empty()).then(|| {
            let make = |launcher: Option<&Launcher>, redactor: &Redactor| {
                let asking = Asking {
                    hooks,
                    launcher: launcher.cloned(),
                    redactor: redactor.clone(),
                };
                [step(Judged(asking.clone())), step(Explained(asking))]
            };
            Box::new(make) as MakeHooks
        });
        self
    }

    /// Sets which of its calls a person must allow: the first rule that matches decides.
    #[cfg(feature = "approval")]
    #[must_use]
    pub fn asks(mut self, rules: Vec<AskRule>) -> Self {
        self.asks = rules;
        self
    }

    /// Has a person asked about each of its calls, and gives the flag that answers its program's own question with the yes.
    /// Nothing is given where the program has no such flag. `said` names the rule to whoever is asked.
    #[cfg(feature = "approval")]
    #[must_use]
    pub fn confirmed_by_person(mut self, said: &str) -> Self {
        let rule = AskRule::new(AskWhen::Always, said);
        self.asks.insert(0, rule);
        let switches = self.tool.input.flags.iter().enumerate();
        let switches = switches.filter(|(_, property)| property.flag.is_switch());
        let switches: Vec<_> = switches.collect();
        let flags = switches.iter().map(|(_, property)| &*property.flag);
        if let Some(answer) = charmer_core::output::answering_flag(flags) {
            let mut all = switches.iter();
            let found = all.find(|(_, property)| property.flag.id == answer.id);
            if let Some((at, _)) = found {
                self.execute = self.execute.answering(*at);
            }
        }
        self
    }

    /// Sets who decides on a call before its command line is written.
    #[must_use]
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.execute = self.execute.decided_by(policy);
        self
    }

    /// Sets who has the last word on a command line.
    #[must_use]
    pub fn last_check(mut self, last_check: Arc<dyn LastCheck>) -> Self {
        self.execute = self.execute.judged_by(last_check);
        self
    }

    /// Sets what a dry run says of who let its calls run.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.execute = self.execute.let_in_by(rule);
        self
    }

    /// Sets how long and large its calls may become.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what must not be seen in its results.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Says whether something on it may block; it then runs apart from the protocol.
    #[must_use]
    pub fn may_block(mut self, yes: bool) -> Self {
        self.may_block = yes;
        self
    }

    /// Says that it answers for the bridge, and runs nothing that could take long.
    #[must_use]
    pub(crate) fn own(mut self) -> Self {
        self.is_own = true;
        self
    }

    /// The tool with its call path, behind the steps that all calls take.
    pub fn serve(self, shared: &SharedSteps) -> ServedTool {
        let in_callers_folder = self.execute.in_callers_folder();
        let handled = self.execute.is_handled();
        // A confined spell answers by itself; its command line is written out.
        let is_spell = self.tool.input.template.is_some();
        let runs = handled || is_spell || self.execute.launcher().is_some();
        let runs = runs && !self.is_own;
        let make_hooks = self.hooks;
        let hooks = make_hooks.map(|make| make(self.execute.launcher(), &self.redactor));
        let [judged, explained] = hooks.map_or([None, None], |steps| steps.map(Some));
        let data = match self.data {
            Some(make) => Some(make(&self.redactor)),
            None => handled.then(|| step(GivenData(self.redactor.clone()))),
        };
        // What a hook is told can be long.
        let may_block = self.may_block || judged.is_some();
        let steps = data
            .iter()
            .chain(&judged)
            .chain(&self.checks)
            .chain(&self.layers);
        let execute = self.execute;
        #[cfg(feature = "approval")]
        let execute = execute.approved_by(ToolApproval {
            rules: self.asks,
            approvals: shared.approvals.clone(),
            redactor: self.redactor.clone(),
        });
        let mut service = CallService::new(move |call| execute.clone().run(call));
        for step in steps.rev() {
            service = step(service);
        }
        let service = shared.around(service, explained);
        #[cfg(feature = "jobs")]
        let service = shared.detaching(service, &self.redactor, runs);
        let mut served = ServedTool::new(self.tool, service, self.limits).redactor(self.redactor);
        served.in_callers_folder = in_callers_folder;
        served.runs = runs;
        match may_block || shared.may_block() {
            true => served,
            false => served.never_blocks(),
        }
    }
}

/// The refusal of a dry run of what would not run anything anyway.
pub(crate) fn runs_no_program(name: &str) -> CallError {
    CallError::new(
        ErrorCode::InvalidArguments,
        format!("`{name}` runs no program, so there is no dry run of it"),
    )
    .hint("call it without")
}

impl fmt::Debug for CallPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallPath")
            .field("execute", &self.execute)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
