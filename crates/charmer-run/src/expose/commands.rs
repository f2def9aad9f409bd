//! The commands that a few tools stand for: found by name, however it is written, and by what they do.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, OnceLock},
};

use charmer_core::{search::Index, text::nearest};
use tokio_util::sync::CancellationToken;

use crate::{CallError, ErrorCode, ServedTool, SharedSteps};

use super::{Exposure, Promotions, describe, run, search};

/// No name is longer, in any way of writing it.
const LONGEST: usize = 200;
/// How many near names an unknown one is answered with.
const NEAR: usize = 3;

/// See the module's documentation. Clones share everything.
#[derive(Debug, Clone)]
pub(super) struct Commands(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) tools: Vec<ServedTool>,
    /// Whether more are still being found out.
    pub(super) growing: bool,
    pub(super) promotions: Option<Promotions>,
    pub(super) shared: SharedSteps,
    read_only: bool,
    programs: Vec<String>,
    /// The places of the names.
    names: HashMap<String, usize>,
    /// The same in every way that they are usually written; none where that could mean several.
    spellings: OnceLock<HashMap<String, Option<usize>>>,
    index: OnceLock<Index>,
}

impl std::ops::Deref for Commands {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Commands {
    pub(super) fn new(tools: Vec<ServedTool>, exposure: &Exposure) -> Self {
        let names = tools.iter().enumerate();
        let names = names.map(|(at, served)| (served.tool.name.to_string(), at));
        Self(Arc::new(Shared {
            names: names.collect(),
            tools,
            growing: exposure.growing,
            read_only: exposure.read_only,
            programs: exposure.programs.clone(),
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
            false => tool.listed_from(CancellationToken::new()),
        };
        let mut meta = vec![search::tool(self, &programs), describe::tool(self)];
        let reads = |served: &ServedTool| served.tool.annotations.read_only;
        meta.push(unlisted_unless(
            self.tools.iter().any(reads),
            run::read(self),
        ));
        // A flag can make a command write that otherwise reads.
        let writes = |served: &ServedTool| {
            !reads(served) || served.tool.input.flags.iter().any(|p| p.flag.writes)
        };
        if !self.read_only {
            meta.push(unlisted_unless(
                self.tools.iter().any(writes),
                run::write(self),
            ));
        }
        meta
    }
}

impl Shared {
    /// The index for searching, made when it is first needed.
    pub(super) fn index(&self) -> &Index {
        self.index
            .get_or_init(|| Index::new(self.tools.iter().map(|served| &*served.tool)))
    }

    /// The command of a name.
    pub(super) fn find(&self, name: &str) -> Option<&ServedTool> {
        let spelled = || {
            let name = Some(name).filter(|name| name.len() <= LONGEST)?;
            self.spellings().get(&plain(name)).copied().flatten()
        };
        let at = self.names.get(name).copied().or_else(spelled)?;
        Some(&self.tools[at])
    }

    fn spellings(&self) -> &HashMap<String, Option<usize>> {
        self.spellings.get_or_init(|| {
            let mut spellings: HashMap<String, Option<usize>> = HashMap::new();
            for (at, served) in self.tools.iter().enumerate() {
                let tool = &served.tool;
                let others = tool.help.paths.iter();
                let others = others.map(|path| format!("{} {path}", tool.help.program));
                let names = [tool.name.to_string(), tool.words()].into_iter();
                for name in names.chain(others) {
                    let known = spellings.entry(plain(&name)).or_insert(Some(at));
                    if *known != Some(at) {
                        *known = None;
                    }
                }
            }
            spellings
        })
    }

    /// What to do instead where there is no command of a name. It searches, which takes a moment.
    pub(super) fn unknown(&self, name: &str) -> CallError {
        let name = &name[..name.floor_char_boundary(LONGEST)];
        let shown: String = name.chars().take(80).collect();
        let error = CallError::new(
            ErrorCode::NotRegistered,
            format!("there is no command `{}`", shown.escape_debug()),
        );
        let mut near: Vec<&str> = Vec::new();
        let all = self.tools.iter().map(|served| served.tool.name.as_str());
        near.extend(nearest(&plain(name), all));
        let hits = self.index().search(name, NEAR + 1);
        near.extend(hits.iter().map(|hit| self.tools[hit.at].tool.name.as_str()));
        let mut seen = BTreeSet::new();
        near.retain(|name| seen.insert(*name));
        near.truncate(NEAR);
        error.hint(match (near.is_empty(), self.growing) {
            (false, _) => format!(
                "the nearest are `{}`; `{}` finds others",
                near.join("`, `"),
                search::NAME
            ),
            (true, true) => "not all commands are known yet, so try again in a few seconds".into(),
            (true, false) => format!("`{}` finds commands by what they do", search::NAME),
        })
    }
}

/// A name as it is compared: words may be separated by spaces, `/` or `_`.
fn plain(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || matches!(c, '/' | '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_").to_lowercase()
}
