//! The commands that a few tools stand for: found by name, however it is written, and by what they do.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, OnceLock},
};

use charmer_core::{search::Index, text::nearest};
use tokio_util::sync::CancellationToken;

use crate::{
    CallError, ErrorCode, Permissions, Reading, ServedTool, SharedSteps,
    excluded::{ExcludedCommands, plain_name},
    folder::Folders,
    spelling::spellings,
};

use super::{Exposure, Promotions, ReadsAny, describe, run, search};

/// No name is longer, in any way of writing it.
const LONGEST: usize = 200;
/// The maximum number of characters of an unknown name that are shown.
const SHOWN: usize = 40;
/// The maximum number of near names in the answer to an unknown one.
const NEAR: usize = 3;

/// See the module's documentation. Clones share everything.
#[derive(Debug, Clone)]
pub(super) struct Commands(pub(super) Arc<ServedCommands>);

#[derive(Debug)]
pub(super) struct ServedCommands {
    pub(super) tools: Vec<ServedTool>,
    /// Tools that are listed only once they are of use, such as the one for long output. Not every assistant looks at the
    /// list again: they can be run by their name from the start.
    aside: Vec<ServedTool>,
    /// More are still being found out.
    pub(super) growing: bool,
    pub(super) promotions: Option<Promotions>,
    pub(super) shared: SharedSteps,
    /// The share of them that `run_read` takes whatever their label says.
    pub(super) reads_any: ReadsAny,
    /// Some of their calls can become jobs.
    pub(super) jobs: bool,
    /// The folders that calls may be asked to run in.
    pub(super) folders: Folders,
    pub(super) read_only: bool,
    /// The tool for drafts, where calls can be some.
    pub(super) drafts: Option<ServedTool>,
    excluded: ExcludedCommands,
    programs: Vec<String>,
    /// The places of the names.
    names: HashMap<String, usize>,
    /// The same in every way that they are usually written; none where that could mean several.
    spellings: OnceLock<HashMap<String, Option<usize>>>,
    index: OnceLock<Index>,
}

impl std::ops::Deref for Commands {
    type Target = ServedCommands;

    fn deref(&self) -> &ServedCommands {
        &self.0
    }
}

impl Commands {
    pub(super) fn new(
        (tools, aside): (Vec<ServedTool>, Vec<ServedTool>),
        excluded: ExcludedCommands,
        exposure: &Exposure,
    ) -> Self {
        let names = tools.iter().enumerate();
        let names = names.map(|(at, served)| (served.tool.name.to_string(), at));
        #[cfg(feature = "jobs")]
        let jobs = exposure.shared.kept_jobs().is_some_and(|jobs| {
            let can = |served: &ServedTool| served.runs && jobs.rules().apply_to(&served.limits);
            exposure.growing && exposure.long_calls || tools.iter().any(can)
        });
        #[cfg(not(feature = "jobs"))]
        let jobs = false;
        Self(Arc::new(ServedCommands {
            names: names.collect(),
            jobs,
            tools,
            aside,
            growing: exposure.growing,
            read_only: exposure.read_only,
            drafts: exposure.drafts.as_ref().map(|offer| offer.tool.clone()),
            excluded,
            reads_any: exposure.reads_any,
            programs: exposure.programs.clone(),
            folders: exposure.folders.clone(),
            promotions: exposure.promotions.clone(),
            shared: exposure.shared.clone(),
            spellings: OnceLock::new(),
            index: OnceLock::new(),
        }))
    }

    /// The tools that stand for these. One for what no command does is not listed; but it can be called, because a list
    /// from before the commands were known may have shown it.
    pub(super) fn meta_tools(&self) -> Vec<ServedTool> {
        let of_programs = self
            .tools
            .iter()
            .filter(|served| !served.tool.input.levels.is_empty());
        let found: BTreeSet<&str> = of_programs
            .map(|served| &*served.tool.help.program)
            .collect();
        let programs: Vec<&str> = match self.programs.is_empty() {
            true => found.into_iter().collect(),
            false => self.programs.iter().map(String::as_str).collect(),
        };
        let unlisted_unless = |used: bool, tool: ServedTool| match used || self.growing {
            true => tool,
            false => tool.hidden_until(CancellationToken::new()),
        };
        let mut meta = vec![search::tool(self, &programs), describe::tool(self)];
        let reads = |served: &ServedTool| served.tool.can_read() || served.reading == Reading::Any;
        meta.push(unlisted_unless(
            self.tools.iter().any(reads),
            run::read(self),
        ));
        let writes = |served: &ServedTool| !served.reads && !served.tool.annotations.read_only;
        if !self.read_only {
            let any = self.tools.iter().any(writes);
            meta.push(unlisted_unless(any, run::write(self)));
            let drafts = self.drafts.clone();
            meta.extend(drafts.map(|tool| unlisted_unless(any, tool)));
        }
        meta
    }
}

impl ServedCommands {
    /// The index for searching, made when it is first needed.
    pub(super) fn index(&self) -> &Index {
        self.index
            .get_or_init(|| Index::new(self.tools.iter().map(|served| &*served.tool)))
    }

    /// The command of a name.
    pub(super) fn find(&self, name: &str) -> Option<&ServedTool> {
        let spelled = || {
            let name = Some(name).filter(|name| name.len() <= LONGEST)?;
            self.spellings().get(&plain_name(name)).copied().flatten()
        };
        let at = self.names.get(name).copied().or_else(spelled);
        let aside = || {
            let mut aside = self.aside.iter();
            aside.find(|served| served.tool.name.as_str() == name)
        };
        at.map(|at| &self.tools[at]).or_else(aside)
    }

    fn spellings(&self) -> &HashMap<String, Option<usize>> {
        self.spellings
            .get_or_init(|| spellings(self.tools.iter().map(|served| &*served.tool)))
    }

    /// Sentences about commands that could not be read.
    pub(super) fn unread(&self) -> &[String] {
        self.excluded.unread()
    }

    /// The error for a name that no command has, with what to do instead. It searches, which takes a moment.
    pub(super) fn unknown(&self, name: &str, permissions: &Permissions) -> CallError {
        let name = &name[..name.floor_char_boundary(LONGEST)];
        // The name may be the beginning of a command line.
        let words: Vec<&str> = name.split_whitespace().collect();
        let mut names = (1..words.len())
            .rev()
            .map(|length| words[..length].join(" "));
        let refusal = self.excluded.refusal(name);
        let refusal = refusal.or_else(|| names.find_map(|name| self.excluded.refusal(&name)));
        if let Some(refusal) = refusal {
            return refusal;
        }
        let shown: String = name.chars().take(SHOWN).collect();
        let error = CallError::new(
            ErrorCode::NotRegistered,
            format!("there is no command `{}`", shown.escape_debug()),
        );
        let mut near: Vec<&str> = Vec::new();
        let all = self.tools.iter();
        let all = all.filter(|served| permissions.may_run(served));
        let all = all.map(|served| served.tool.name.as_str());
        near.extend(nearest(&plain_name(name), all));
        let hits = self.index().search(name, NEAR + 1);
        let hits = hits.iter().map(|hit| &self.tools[hit.at]);
        let hits = hits.filter(|served| permissions.may_run(served));
        near.extend(hits.map(|served| served.tool.name.as_str()));
        let mut seen = BTreeSet::new();
        near.retain(|name| seen.insert(*name));
        near.truncate(NEAR);
        let hint = match (near.is_empty(), self.growing) {
            (false, true) => format!(
                "not all commands are known yet, so try again in a few seconds; the nearest so far are `{}`",
                near.join("`, `")
            ),
            (false, false) => format!(
                "the nearest are `{}`; `{}` finds others",
                near.join("`, `"),
                search::NAME
            ),
            (true, true) => "not all commands are known yet, so try again in a few seconds".into(),
            (true, false) => format!("`{}` finds commands by what they do", search::NAME),
        };
        let sentences = self.unread().iter().map(String::as_str).chain([&*hint]);
        error.hint(sentences.collect::<Vec<_>>().join("; "))
    }
}
