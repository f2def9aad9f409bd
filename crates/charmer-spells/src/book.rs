//! A folder of spells as it is now, with the last good version of what is not good at the moment.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use charmer_run::{CallError, Caller, Outcome, ServedTool};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::{
    Spell, SpellOptions,
    cast::{Cast, not_registered},
    file,
    input::{GivenArguments, own_input},
    load::LoadedSpell,
    problem::{Severity, SpellProblem},
    state::{KnownSpells, ServedSpells},
    tools,
};

/// A folder of spells. Clones share everything.
///
/// Nothing changes by itself: [`reload`](Self::reload) looks at the folder again, and [`watch`](crate::watch()) does so
/// whenever something happens there.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let spells = folder.path().join("spells");
/// # std::fs::create_dir(&spells).unwrap();
/// use charmer_spells::{SpellBook, SpellOptions};
/// std::fs::write(
///     spells.join("hello.yaml"),
///     "name: hello\ndescription: Says hello\ncommand: echo hello\npaths: [.]\n",
/// ).unwrap();
/// let book = SpellBook::open(&spells, SpellOptions::new(std::env::vars_os()));
/// assert_eq!(book.spells()[0].name, "hello");
/// let names: Vec<String> = book.tools().iter().map(|tool| tool.tool.name.to_string()).collect();
/// assert_eq!(names, ["hello", "cast_spell", "list_spells"]);
/// ```
#[derive(Debug, Clone)]
pub struct SpellBook(pub(crate) Arc<BookState>);

#[derive(Debug)]
pub(crate) struct BookState {
    pub(crate) folder: PathBuf,
    /// The folder that holds it, which relative paths are relative to.
    pub(crate) base: PathBuf,
    options: RwLock<Arc<SpellOptions>>,
    state: RwLock<Arc<ServedSpells>>,
    /// Counts the changes, whoever saw them first.
    changes: AtomicU64,
    known: Mutex<HashMap<PathBuf, KnownSpells>>,
}

impl SpellBook {
    /// Opens a folder, usually called `spells`. What is wrong with it is among the [`problems`](Self::problems); a folder
    /// that does not exist yet holds no spells.
    pub fn open(folder: &Path, options: SpellOptions) -> Self {
        let folder = file::absolute(folder);
        let base = folder.parent().unwrap_or(&folder).to_owned();
        let book = Self(Arc::new(BookState {
            folder,
            base,
            options: RwLock::new(Arc::new(options)),
            state: RwLock::default(),
            changes: AtomicU64::default(),
            known: Mutex::default(),
        }));
        book.reload();
        book
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// The spells that are served, in the order of their names.
    pub fn spells(&self) -> Vec<Spell> {
        self.state()
            .spells
            .values()
            .map(|entry| entry.spell.clone())
            .collect()
    }

    /// The names of all spells that there are, those too that are not served.
    pub fn names(&self) -> Vec<String> {
        let state = self.state();
        state
            .spells
            .keys()
            .chain(state.withheld.keys())
            .cloned()
            .collect()
    }

    /// The problems, in the order of the files.
    pub fn problems(&self) -> Vec<SpellProblem> {
        self.state().problems.clone()
    }

    /// A tool for each spell, then `cast_spell` and `list_spells`. Those two always go by the newest state; the others are
    /// to be replaced after a change.
    pub fn tools(&self) -> Vec<ServedTool> {
        let state = self.state();
        let options = self.options();
        let own = state.spells.values();
        let own = own.map(|entry| self.cast_of(entry).serve(&options.shared));
        let general = [tools::cast_spell(self), tools::list_spells(self)];
        let general = general
            .into_iter()
            .filter(|served| options.offers(served.tool.name.as_str()));
        own.chain(general).collect()
    }

    /// Casts a spell.
    pub async fn cast(
        &self,
        name: &str,
        given: &GivenArguments,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        let cast = self.named(name)?;
        let input = own_input(&cast.entry.spell, given.to_cast())?;
        let mut served = cast.serve(&self.options().shared);
        let call = served
            .call_by(Caller::default(), input)
            .cancelled_by(cancel);
        served.service.call(call).await
    }

    /// The spell of a name, if it is known without looking at the folder.
    pub(crate) fn known(&self, name: &str) -> Option<Cast> {
        let entry = self.state().spells.get(name).map(Arc::clone)?;
        Some(self.cast_of(&entry))
    }

    /// The spell of a name, which may have been written this very moment.
    pub(crate) fn named(&self, name: &str) -> Result<Cast, CallError> {
        let entry = match self.find(name) {
            Ok(entry) => entry,
            Err(_) if self.reload() => self.find(name)?,
            Err(error) => return Err(error),
        };
        Ok(self.cast_of(&entry))
    }

    fn cast_of(&self, entry: &Arc<LoadedSpell>) -> Cast {
        Cast {
            entry: Arc::clone(entry),
            options: self.options(),
            base: self.0.base.clone(),
            scratch: None,
        }
    }

    fn find(&self, name: &str) -> Result<Arc<LoadedSpell>, CallError> {
        let state = self.state();
        if let Some(entry) = state.spells.get(name) {
            return Ok(Arc::clone(entry));
        }
        let withheld = state.withheld.get(name).cloned();
        Err(withheld.unwrap_or_else(|| not_registered(name)))
    }

    /// The way spells are loaded and run.
    pub(crate) fn options(&self) -> Arc<SpellOptions> {
        self.0.options()
    }

    pub(crate) fn state(&self) -> Arc<ServedSpells> {
        Arc::clone(&self.0.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of changes so far.
    pub(crate) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Returns true if a change that has been made could have gone unseen, because it came too soon after another.
    pub(crate) fn is_settled(&self) -> bool {
        self.state().settled
    }

    /// Sets the names that other tools have, which may become known only after the folder was opened. A spell of such a
    /// name is not served, in no version. Says whether something is different now.
    pub fn reserve(&self, names: impl IntoIterator<Item = String>) -> bool {
        let shared = &*self.0;
        {
            let mut known = shared.known.lock().unwrap_or_else(PoisonError::into_inner);
            let before = self.options();
            let after = SpellOptions::clone(&before).reserved(names);
            if before.reserved == after.reserved {
                return false;
            }
            known.retain(|file, _| {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                let among = |names: &[String]| names.iter().any(|name| *name == stem);
                among(&before.reserved) == among(&after.reserved)
            });
            let mut options = shared
                .options
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            *options = Arc::new(after);
        }
        self.reload()
    }

    /// Looks at the folder again; files that did not change are not read again. Says whether something is different now.
    pub fn reload(&self) -> bool {
        let shared = &*self.0;
        let mut known = shared.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.state();
        let next = shared.look(&mut known, &before);
        let changed = next.differs(&before);
        if changed {
            let old: HashSet<&SpellProblem> = before.problems.iter().collect();
            for problem in next
                .problems
                .iter()
                .filter(|problem| !old.contains(problem))
            {
                match problem.severity {
                    Severity::Error => tracing::error!("{problem}"),
                    Severity::Warning => tracing::warn!("{problem}"),
                }
            }
        }
        *shared.state.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        if changed {
            shared.changes.fetch_add(1, Ordering::Release);
        }
        changed
    }
}

impl BookState {
    pub(crate) fn options(&self) -> Arc<SpellOptions> {
        Arc::clone(&self.options.read().unwrap_or_else(PoisonError::into_inner))
    }
}
