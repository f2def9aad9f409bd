//! Tools shown within a budget: a few that find, describe and run any command, and beside them the commands that are most
//! worth having as tools of their own.
//!
//! Nothing is lost by that: every command keeps its call path with all its checks, and is called through it.

#[cfg(feature = "search")]
mod commands;
#[cfg(feature = "search")]
mod describe;
#[cfg(feature = "search")]
mod indexed;
#[cfg(feature = "search")]
mod kept_search;
#[cfg(feature = "search")]
mod line;
mod promote;
#[cfg(feature = "search")]
mod run;
#[cfg(feature = "search")]
mod search;

use std::{fmt, sync::Arc};

#[cfg(feature = "jobs")]
use charmer_core::tool::estimate_tokens;
use charmer_core::{
    expose::{DEFAULT_BUDGET, Expose, ShownBecause},
    tool::{Descriptions, Tool, compact, without_common_output},
};

use crate::{Results, ServedTool, SharedSteps, ToolSet, folder::Folders};

#[cfg(feature = "search")]
use commands::Commands;

#[cfg(feature = "search")]
pub use kept_search::KeptSearch;
pub use promote::Promotions;

/// The names of the tools that stand for all commands. No other tool should have one of them.
#[cfg(feature = "search")]
pub const META_TOOLS: [&str; 4] = [search::NAME, describe::NAME, run::READ, run::WRITE];

/// The share of the commands that `run_read` takes whatever their label says, because they are run without the right to
/// write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadsAny {
    /// None of them: the label decides.
    #[default]
    None,
    /// Some of them.
    Some,
    /// All of them.
    All,
}

/// The way commands are shown.
///
/// ```
/// use charmer_core::expose::Expose;
/// use charmer_run::{Exposure, ToolSet};
///
/// let exposure = Exposure::new(Expose::Index).budget(2000);
/// let exposed = exposure.apply(ToolSet::default());
/// assert_eq!(exposed.tools.listed().count(), 0);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Exposure {
    /// The way commands become tools of their own.
    pub mode: Expose,
    /// The number of tokens that the list may take, with the instructions.
    pub budget: usize,
    /// The amount that is said in definitions; where it is not set, as much as fits in `Auto`, little in `Index`, all
    /// in `All`.
    pub descriptions: Option<Descriptions>,
    /// Commands that were described become tools of their own, and which have.
    pub promotions: Option<Promotions>,
    /// The number of tokens that are spent before the first tool.
    pub spent: usize,
    /// More commands are still being found out.
    pub growing: bool,
    /// Calls may take so long that they become jobs. It is told before the commands are known.
    pub long_calls: bool,
    /// Only commands are offered that change nothing.
    pub read_only: bool,
    /// The share of the commands that `run_read` takes whatever their label says. It is told before the commands are
    /// known.
    pub reads_any: ReadsAny,
    /// The programs that are served, where their names are known before their commands are.
    pub programs: Vec<String>,
    /// The folders that calls may be asked to run in. Where there are none, `run_read` and `run_write` do not list their
    /// argument for it.
    pub folders: Folders,
    /// The steps that all calls take, also those of the tools that stand for all commands.
    pub shared: SharedSteps,
    /// The form in which clients get results.
    pub results: Results,
    /// The tool for drafts, where calls can be some.
    pub(crate) drafts: Option<DraftOffer>,
}

/// The tool for drafts.
#[derive(Debug, Clone)]
pub(crate) struct DraftOffer {
    pub(crate) tool: ServedTool,
    /// A rule makes calls drafts, so that it is of use however they are made.
    pub(crate) ruled: bool,
}

impl fmt::Debug for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exposure")
            .field("mode", &self.mode)
            .field("budget", &self.budget)
            .field("descriptions", &self.descriptions)
            .finish_non_exhaustive()
    }
}

impl From<Expose> for Exposure {
    fn from(mode: Expose) -> Self {
        Self::new(mode)
    }
}

impl Default for Exposure {
    fn default() -> Self {
        Self::new(Expose::default())
    }
}

impl Exposure {
    /// Commands shown in this way.
    pub fn new(mode: Expose) -> Self {
        Self {
            mode,
            budget: DEFAULT_BUDGET,
            descriptions: None,
            promotions: None,
            spent: 0,
            growing: false,
            long_calls: false,
            read_only: false,
            reads_any: ReadsAny::None,
            programs: Vec::new(),
            folders: Folders::default(),
            shared: SharedSteps::default(),
            results: Results::Auto,
            drafts: None,
        }
    }

    /// Lets calls of `run_write` be drafts, which are kept here. `ruled` says that a rule makes calls drafts as well,
    /// however they are made.
    #[cfg(feature = "drafts")]
    #[must_use]
    pub fn drafts(mut self, drafts: &crate::Drafts, ruled: bool) -> Self {
        let tool = crate::drafts::tool(drafts, &self.shared);
        self.drafts = Some(DraftOffer { tool, ruled });
        self
    }

    /// The tool for drafts where it is of use without `run_write`.
    fn ruled_drafts(&self) -> Option<ServedTool> {
        let offer = self.drafts.as_ref().filter(|_| !self.read_only)?;
        offer.ruled.then(|| offer.tool.clone())
    }

    /// Sets how many tokens the list may take.
    #[must_use]
    pub fn budget(mut self, tokens: usize) -> Self {
        self.budget = tokens;
        self
    }

    /// Sets what is spent before the first tool, as by instructions.
    #[must_use]
    pub fn spent(mut self, tokens: usize) -> Self {
        self.spent = tokens;
        self
    }

    /// Makes commands that were described tools of their own.
    #[must_use]
    pub fn promotions(mut self, promotions: Promotions) -> Self {
        self.promotions = Some(promotions);
        self
    }

    /// Says whether more commands are still being found out.
    #[must_use]
    pub fn growing(mut self, growing: bool) -> Self {
        self.growing = growing;
        self
    }

    /// Says whether calls may take so long that they become jobs.
    #[must_use]
    pub fn long_calls(mut self, yes: bool) -> Self {
        self.long_calls = yes;
        self
    }

    /// Says that only commands are offered that change nothing.
    #[must_use]
    pub fn read_only(mut self, only: bool) -> Self {
        self.read_only = only;
        self
    }

    /// Says how many of the commands `run_read` takes whatever their label says.
    #[must_use]
    pub fn reads_any(mut self, which: ReadsAny) -> Self {
        self.reads_any = which;
        self
    }

    /// Names the programs that are served.
    #[must_use]
    pub fn programs(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.programs = names.into_iter().collect();
        self
    }

    /// Sets the folders that calls may be asked to run in.
    #[must_use]
    pub fn folders(mut self, folders: Folders) -> Self {
        self.folders = folders;
        self
    }

    /// Sets the form in which clients get results.
    #[must_use]
    pub fn results(mut self, results: Results) -> Self {
        self.results = results;
        self
    }

    /// Sets the steps that all calls take.
    #[must_use]
    pub fn behind(mut self, shared: SharedSteps) -> Self {
        self.shared = shared;
        self
    }

    /// The instructions that an assistant gets before it sees the tools: what is here, as it is given, and how to find
    /// and run it. They may be said before the commands are known, so they do not say whether they all fit a list.
    ///
    /// ```
    /// # use charmer_run::Exposure;
    /// let text = Exposure::default().instructions("Runs commands of docker.");
    /// assert!(text.starts_with("Runs commands of docker. If search_commands is listed"));
    /// ```
    pub fn instructions(&self, what: &str) -> String {
        let run = |whose: &str| {
            match (self.read_only, self.reads_any) {
            (true, _) => "with run_read".to_owned(),
            (false, ReadsAny::All) => {
                "with run_read to look (nothing can be written then), with run_write to change something".to_owned()
            }
            (false, _) => format!("with run_read if {whose} effect is [read], else with run_write"),
        }
        };
        let how = match self.mode {
            Expose::All => "Each command is a tool.".to_owned(),
            Expose::Index => format!(
                "Find a command with search_commands, see its arguments with describe_commands, then run it {}.",
                run("its")
            ),
            Expose::Auto => format!(
                "If search_commands is listed, commands that are no tools of their own are found with it, their \
                 arguments shown by describe_commands, and run {}.",
                run("their")
            ),
        };
        let through = match self.mode {
            Expose::All => "",
            _ => "; if unlisted, through run_read",
        };
        format!("{what} {how} Output that was cut has an id: read_output gives more{through}.")
    }

    /// The tools as they are shown, with the one for jobs where a call of one of them can become a job.
    pub fn apply(&self, tools: ToolSet) -> Exposed {
        #[cfg(feature = "jobs")]
        if let Some(jobs) = self.shared.kept_jobs()
            && (self.growing && self.long_calls || can_become_jobs(jobs, &tools))
        {
            let job = jobs.tool(&self.shared);
            let mut rest = self.clone();
            rest.spent += estimate_tokens(&job.tool.definition().to_string()) + 1;
            let mut exposed = rest.apply_without_jobs(tools);
            let excluded = ToolSet::default().excluding_as(&exposed.tools);
            let all = exposed.tools.iter().cloned();
            exposed.job = Some(Arc::clone(&job.tool));
            exposed.tools = ToolSet::new(all.chain([job.results(self.results)]))
                .behind(self.shared.clone())
                .excluding_as(&excluded);
            return exposed;
        }
        self.apply_without_jobs(tools)
    }

    fn apply_without_jobs(&self, tools: ToolSet) -> Exposed {
        if tools.iter().next().is_none() && !self.growing {
            return Exposed {
                tools,
                ..Exposed::default()
            };
        }
        let excluding = ToolSet::default().excluding_as(&tools);
        let mut exposed = match self.mode {
            Expose::All => self.each(tools),
            #[cfg(not(feature = "search"))]
            _ => self.each(tools),
            #[cfg(feature = "search")]
            Expose::Index => self.indexed(tools),
            // A list that is going to change would be announced again and again.
            #[cfg(feature = "search")]
            Expose::Auto if self.growing => self.indexed(tools),
            #[cfg(feature = "search")]
            Expose::Auto => self.whole(&tools).unwrap_or_else(|| self.indexed(tools)),
        };
        exposed.tools = self
            .with_results(exposed.tools)
            .behind(self.shared.clone())
            .excluding_as(&excluding);
        exposed
    }

    /// The tools with results in the form that was chosen, and with the schemas for them that belong into the list.
    fn with_results(&self, tools: ToolSet) -> ToolSet {
        let tools = tools.iter().cloned().map(|mut served| {
            // What is found by searching is listed in its compact form, if at all.
            if !served.found
                && let Some(listed) = without_output(self.results, self.mode, served.shown())
            {
                served.shown = Some(listed.into());
            }
            served.results(self.results)
        });
        ToolSet::new(tools)
    }

    /// Each command a tool of its own, and the tool for drafts where a rule makes some.
    fn each(&self, tools: ToolSet) -> Exposed {
        let mut exposed = self.all(tools, self.descriptions.unwrap_or_default());
        let all: Vec<ServedTool> = exposed.tools.iter().cloned().collect();
        exposed.tools = ToolSet::new(all.into_iter().chain(self.ruled_drafts()));
        exposed
    }

    /// Each command a tool of its own.
    fn all(&self, tools: ToolSet, descriptions: Descriptions) -> Exposed {
        let mut exposed = Exposed {
            descriptions,
            ..Exposed::default()
        };
        let mut all: Vec<ServedTool> = tools.iter().cloned().collect();
        // What is not listed yet takes nothing yet.
        for served in all
            .iter_mut()
            .filter(|served| served.hidden_until.is_none())
        {
            exposed.commands.push(Shown {
                tool: Arc::clone(&served.tool),
                place: ShownBecause::Own,
            });
            if descriptions != Descriptions::Full {
                served.shown = Some(compact(&served.tool, descriptions, false).into());
            }
        }
        exposed.tools = self.with_results(ToolSet::new(all));
        exposed
    }
}

/// Returns true if a call of one of these can become a job.
#[cfg(feature = "jobs")]
fn can_become_jobs(jobs: &crate::jobs::Jobs, tools: &ToolSet) -> bool {
    let can = |served: &ServedTool| served.runs && jobs.rules().apply_to(&served.limits);
    tools.iter().any(can)
}

/// The tool without the schema for its results, if it is not to be listed: none is where clients get text alone, and one
/// that is as every other's only where each command is a tool.
fn without_output(results: Results, mode: Expose, tool: &Tool) -> Option<Tool> {
    match (results, mode) {
        (Results::Text, _) if !tool.output_schema.is_empty() => {
            let mut listed = tool.clone();
            listed.output_schema = Arc::default();
            Some(listed)
        }
        (Results::Text, _) | (_, Expose::All) => None,
        _ => without_common_output(tool),
    }
}

/// Tools as they are shown, and why.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Exposed {
    /// All tools: those in the list, and those that are found through it.
    pub tools: ToolSet,
    /// The tools that stand for all commands; none, if every command is in the list.
    pub meta: Vec<Arc<Tool>>,
    /// The tool for jobs, where calls can become some.
    pub job: Option<Arc<Tool>>,
    /// The way each command is shown.
    pub commands: Vec<Shown>,
    /// The amount that is said in definitions.
    pub descriptions: Descriptions,
    /// The commands that are searched.
    #[cfg(feature = "search")]
    searched: Option<Commands>,
}

#[cfg(feature = "search")]
impl Exposed {
    /// Makes the index that `search_commands` asks, which takes a moment with thousands of commands. A search before that
    /// waits for it; without this the first search makes it.
    pub fn make_searchable(&self) {
        if let Some(commands) = &self.searched {
            commands.index();
        }
    }

    /// The index that `search_commands` answers from, to be kept; `None` where every command is in the list.
    pub fn kept_search(&self) -> Option<KeptSearch<'_>> {
        self.searched.as_ref().map(KeptSearch::of)
    }
}

/// The way a command is shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Shown {
    /// Its tool.
    pub tool: Arc<Tool>,
    /// The reason why it is shown there.
    pub place: ShownBecause,
}

#[cfg(all(test, feature = "search"))]
mod line_tests;
#[cfg(all(test, feature = "search"))]
mod tests;
