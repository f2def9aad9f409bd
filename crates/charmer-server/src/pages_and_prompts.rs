//! Pages and prompts that are made from the tools when they are first asked for.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use charmer_core::tool::Tool;
use charmer_run::ToolSet;

#[cfg(feature = "prompts")]
use crate::prompts::{PromptOf, prompts_of};
use crate::uri;

/// The pages and prompts made from the newest tools. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct MadeFromTools {
    newest: Arc<Mutex<Option<Arc<PagesAndPrompts>>>>,
    /// The examples in help texts are prompts.
    #[cfg(feature = "prompts")]
    pub(crate) examples: bool,
}

impl MadeFromTools {
    /// Returns what is made from these tools, as they can be used at this moment.
    pub(crate) fn of(&self, set: &Arc<ToolSet>) -> Arc<PagesAndPrompts> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let usable = set.usable().count();
        match &*newest {
            Some(pages_and_prompts)
                if Arc::ptr_eq(&pages_and_prompts.set, set)
                    && pages_and_prompts.tools.len() == usable =>
            {
                Arc::clone(pages_and_prompts)
            }
            _ => {
                let tools = set.usable().map(|served| Arc::clone(&served.tool));
                let pages_and_prompts = Arc::new(PagesAndPrompts {
                    tools: tools.collect(),
                    set: Arc::clone(set),
                    #[cfg(feature = "prompts")]
                    examples: self.examples,
                    pages: OnceLock::new(),
                    #[cfg(feature = "prompts")]
                    prompts: OnceLock::new(),
                });
                *newest = Some(Arc::clone(&pages_and_prompts));
                pages_and_prompts
            }
        }
    }
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct PagesAndPrompts {
    pub(crate) set: Arc<ToolSet>,
    pub(crate) tools: Vec<Arc<Tool>>,
    #[cfg(feature = "prompts")]
    examples: bool,
    pages: OnceLock<Vec<String>>,
    #[cfg(feature = "prompts")]
    prompts: OnceLock<Prompts>,
}

#[cfg(feature = "prompts")]
#[derive(Debug)]
struct Prompts {
    all: Vec<PromptOf>,
    places: std::collections::HashMap<String, usize>,
}

impl PagesAndPrompts {
    /// The address of each tool's page, in the order of the tools.
    pub(crate) fn pages(&self) -> &[String] {
        self.pages.get_or_init(|| {
            let mut taken: HashSet<String> = HashSet::new();
            let mut free = |uri: String| taken.insert(uri.clone()).then_some(uri);
            let address = |tool: &Arc<Tool>| {
                let path = match tool.input.levels.is_empty() {
                    true => &[],
                    false => tool.path.words(),
                };
                let words = path.iter().map(String::as_str);
                let own = uri::help(std::iter::once(&*tool.help.program).chain(words));
                // Two programs may have one name; their tools do not.
                let numbered = (1_usize..).map(|count| match count {
                    1 => uri::help([tool.name.as_str()]),
                    count => uri::help([format!("{}-{count}", tool.name).as_str()]),
                });
                let mut candidates = std::iter::once(own).chain(numbered);
                let address = candidates.find_map(&mut free);
                address.expect("there are more numbers than tools")
            };
            self.tools.iter().map(address).collect()
        })
    }

    /// The tool whose page is at this address.
    pub(crate) fn page(&self, uri: &str) -> Option<&Arc<Tool>> {
        let uri = uri::canonical_help(uri)?;
        let at = self.pages().iter().position(|page| *page == uri)?;
        Some(&self.tools[at])
    }

    /// The program and the path of each command that has a page.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pages().iter().map(|page| {
            let address = page.strip_prefix(uri::HELP).unwrap_or(page);
            address.split_once('/').unwrap_or((address, ""))
        })
    }
}

#[cfg(feature = "prompts")]
impl PagesAndPrompts {
    /// The prompts, in the order of their tools.
    pub(crate) fn prompts(&self) -> &[PromptOf] {
        &self.all_prompts().all
    }

    /// Returns true if the prompts are made already.
    pub(crate) fn has_prompts(&self) -> bool {
        self.prompts.get().is_some()
    }

    /// The prompt of a name.
    pub(crate) fn prompt(&self, name: &str) -> Option<&PromptOf> {
        let prompts = self.all_prompts();
        prompts.places.get(name).map(|&at| &prompts.all[at])
    }

    fn all_prompts(&self) -> &Prompts {
        self.prompts.get_or_init(|| {
            let all = prompts_of(&self.tools, self.examples);
            let names = all.iter().enumerate();
            let places = names.map(|(at, prompt)| (prompt.name.clone(), at));
            Prompts {
                places: places.collect(),
                all,
            }
        })
    }
}
