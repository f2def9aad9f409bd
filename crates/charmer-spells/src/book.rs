//! A folder of spells as it is now, with the last good version of what is not good at the moment.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use charmer_core::model::Effect;
use charmer_run::{CallError, ErrorCode, Limits, Outcome, Progress, ServedTool, into_service};
use tokio_util::sync::CancellationToken;

use crate::{
    Spell, SpellOptions, Trust,
    cast::{Cast, How, not_registered},
    file::{self, Fingerprint},
    input::Given,
    load::{Entry, Loaded, Loader},
    problem::{Problem, Severity},
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
pub struct SpellBook(pub(crate) Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) folder: PathBuf,
    /// The folder that holds it, which relative paths are relative to.
    pub(crate) base: PathBuf,
    options: RwLock<Arc<SpellOptions>>,
    state: RwLock<Arc<State>>,
    /// Counts the changes, whoever saw them first.
    changes: AtomicU64,
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// What is served, and what is not and why.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) spells: BTreeMap<String, Arc<Entry>>,
    pub(crate) withheld: BTreeMap<String, CallError>,
    pub(crate) problems: Vec<Problem>,
    /// Whether every change from now on is sure to look like one.
    settled: bool,
}

/// What is known of a file.
#[derive(Debug)]
struct Known {
    fingerprint: Fingerprint,
    settled: bool,
    loaded: Loaded,
    last_good: Option<Arc<Entry>>,
}

impl SpellBook {
    /// Opens a folder, usually called `spells`. What is wrong with it is among the [`problems`](Self::problems); a folder
    /// that does not exist yet holds no spells.
    pub fn open(folder: &Path, options: SpellOptions) -> Self {
        let folder = file::absolute(folder);
        let base = folder.parent().unwrap_or(&folder).to_owned();
        let book = Self(Arc::new(Shared {
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

    /// What is wrong, in the order of the files.
    pub fn problems(&self) -> Vec<Problem> {
        self.state().problems.clone()
    }

    /// A tool for each spell, then `cast_spell` and `list_spells`. Those two always go by the newest state; the others are
    /// to be replaced after a change.
    pub fn tools(&self) -> Vec<ServedTool> {
        let state = self.state();
        let options = self.options();
        let own = state.spells.values().map(|entry| {
            let limits = options.limits.clone().timeout(entry.spell.timeout);
            let cast = into_service(self.cast_of(entry));
            ServedTool::new(Arc::clone(&entry.tool), cast, limits)
                .redactor(options.engine.redactor().clone())
        });
        own.chain([tools::cast_spell(self), tools::list_spells(self)])
            .collect()
    }

    /// Casts a spell.
    pub async fn cast(
        &self,
        name: &str,
        given: &Given,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        let how = How {
            limits: self.options().limits.clone().timeout(LONGEST),
            cancel,
            progress: Progress::default(),
        };
        self.cast_like(name, given, how).await
    }

    pub(crate) async fn cast_like(
        &self,
        name: &str,
        given: &Given,
        how: How,
    ) -> Result<Outcome, CallError> {
        let entry = match self.find(name) {
            Ok(entry) => entry,
            // It may have been written this very moment.
            Err(_) if self.reload() => self.find(name)?,
            Err(error) => return Err(error),
        };
        self.cast_of(&entry).run(given, how).await
    }

    fn cast_of(&self, entry: &Arc<Entry>) -> Cast {
        Cast {
            entry: Arc::clone(entry),
            options: self.options(),
            base: self.0.base.clone(),
        }
    }

    fn find(&self, name: &str) -> Result<Arc<Entry>, CallError> {
        let state = self.state();
        if let Some(entry) = state.spells.get(name) {
            return Ok(Arc::clone(entry));
        }
        let withheld = state.withheld.get(name).cloned();
        Err(withheld.unwrap_or_else(|| not_registered(name)))
    }

    /// How spells are loaded and run.
    pub(crate) fn options(&self) -> Arc<SpellOptions> {
        self.0.options()
    }

    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.0.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many changes there were so far.
    pub(crate) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Whether a change that has been made could have gone unseen, because it came too soon after another.
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
            for problem in next
                .problems
                .iter()
                .filter(|problem| !before.problems.contains(problem))
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

/// The longest that any spell runs.
pub(crate) const LONGEST: std::time::Duration =
    std::time::Duration::from_secs(crate::spell::MOST_SECONDS);

impl State {
    fn differs(&self, other: &Self) -> bool {
        let same = self.spells.len() == other.spells.len()
            && self
                .spells
                .values()
                .zip(other.spells.values())
                .all(|(a, b)| Arc::ptr_eq(a, b));
        !same || self.problems != other.problems || self.withheld != other.withheld
    }
}

impl Shared {
    fn options(&self) -> Arc<SpellOptions> {
        Arc::clone(&self.options.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn look(&self, known: &mut HashMap<PathBuf, Known>, before: &State) -> State {
        let mut state = State {
            settled: true,
            ..State::default()
        };
        for exposure in file::exposure(&self.folder, "the folder of spells") {
            state
                .problems
                .push(Problem::new(&self.folder, Severity::Warning, exposure));
        }
        let files = file::list(&self.folder).unwrap_or_else(|error| {
            let message = format!("the folder of spells cannot be read: {error}");
            state
                .problems
                .push(Problem::new(&self.folder, Severity::Error, message));
            Vec::new()
        });
        // What is deleted is gone at once, its last good version too.
        let listed: HashSet<&PathBuf> = files.iter().collect();
        known.retain(|file, _| listed.contains(file));
        let options = self.options();
        let trust = self.trust(&options, &mut state);
        let mut loader = Loader::new(&self.base, &options);
        for file in &files {
            let Ok(fingerprint) = Fingerprint::of(file) else {
                // Deleted since it was listed, or a symlink that leads nowhere.
                known.remove(file);
                if file.symlink_metadata().is_ok() {
                    state.problems.push(Problem::new(
                        file,
                        Severity::Error,
                        "it is a symlink that leads nowhere",
                    ));
                }
                continue;
            };
            let current = known
                .get(file)
                .is_some_and(|known| known.settled && known.fingerprint == fingerprint);
            if !current {
                let settled = fingerprint.is_settled();
                let old = known.remove(file);
                let loaded = loader.load(file);
                known.insert(file.clone(), remembered(fingerprint, settled, loaded, old));
            }
            state.settled &= known[file].settled;
        }
        for (stem, files) in by_name(&files) {
            self.choose(&stem, &files, known, before, trust.as_ref(), &mut state);
        }
        state
    }

    /// What serves a name: what served it before, or else the first file that can.
    fn choose(
        &self,
        stem: &str,
        files: &[&PathBuf],
        known: &HashMap<PathBuf, Known>,
        before: &State,
        trust: Option<&Result<Trust, String>>,
        state: &mut State,
    ) {
        let holder = before.spells.get(stem).map(|entry| &entry.file);
        let chosen = files
            .iter()
            .find(|file| Some(**file) == holder && known.contains_key(**file))
            .or_else(|| files.iter().find(|file| known.contains_key(**file)));
        for file in files {
            let Some(of_file) = known.get(*file) else {
                continue;
            };
            if Some(file) != chosen {
                let other = chosen
                    .map(|file| file.display().to_string())
                    .unwrap_or_default();
                let message = format!("it is not served, because `{other}` has the same name");
                state
                    .problems
                    .push(Problem::new(*file, Severity::Error, message));
                continue;
            }
            let mut problems = of_file.loaded.problems.clone();
            let refused = match (trust, &of_file.loaded.hash) {
                (None, _) => None,
                (Some(Ok(trust)), Some(hash)) if trust.has(file, hash) => None,
                (Some(_), _) => Some(untrusted(stem)),
            };
            if let Some(error) = refused {
                problems.push(Problem::new(*file, Severity::Error, error.message.clone()));
                state.withheld.insert(stem.to_owned(), error);
            } else if let Some(entry) = of_file.loaded.entry.as_ref().or(of_file.last_good.as_ref())
            {
                if self.options().read_only && entry.spell.effect != Effect::Read {
                    let error = CallError::refused(format!(
                        "the spell `{stem}` is not served where only reading is offered"
                    ))
                    .hint("its author can declare `effect: read` if it changes nothing");
                    state.withheld.insert(stem.to_owned(), error);
                    state.problems.extend(problems);
                    continue;
                }
                state.spells.insert(stem.to_owned(), Arc::clone(entry));
            } else {
                state
                    .withheld
                    .insert(stem.to_owned(), invalid(stem, &problems));
            }
            state.problems.extend(problems);
        }
    }

    /// What was accepted, if only that is served.
    fn trust(&self, options: &SpellOptions, state: &mut State) -> Option<Result<Trust, String>> {
        let path = options.locked.as_ref()?;
        let trust = if path.starts_with(&self.folder) {
            Err("what was accepted must not be kept in the folder of spells itself".to_owned())
        } else {
            Trust::load(path).map_err(|error| format!("what was accepted cannot be read: {error}"))
        };
        if let Err(message) = &trust {
            state
                .problems
                .push(Problem::new(path, Severity::Error, message));
        }
        Some(trust)
    }
}

/// A file that has just been read, with its last good version if it is not good now.
fn remembered(
    fingerprint: Fingerprint,
    settled: bool,
    mut loaded: Loaded,
    old: Option<Known>,
) -> Known {
    let mut last_good = loaded.entry.clone();
    if let Some(old) = old {
        // The same text is the same spell: nobody has to be told.
        if old.loaded.hash == loaded.hash && loaded.hash.is_some() {
            return Known {
                fingerprint,
                settled,
                ..old
            };
        }
        last_good = last_good.or(old.last_good);
    }
    if loaded.entry.is_none() && last_good.is_some() {
        for problem in &mut loaded.problems {
            problem.last_good = problem.severity == Severity::Error;
        }
    }
    Known {
        fingerprint,
        settled,
        loaded,
        last_good,
    }
}

/// Files by the name of their spell; of one name, `.yaml` comes before `.yml`.
fn by_name(files: &[PathBuf]) -> BTreeMap<String, Vec<&PathBuf>> {
    let mut names: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for file in files {
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        names.entry(stem).or_default().push(file);
    }
    names
}

fn invalid(name: &str, problems: &[Problem]) -> CallError {
    let first = problems
        .iter()
        .find(|problem| problem.severity == Severity::Error);
    let reason = first.map_or("it cannot be used", |problem| problem.message.as_str());
    CallError::new(
        ErrorCode::InvalidConfiguration,
        format!("the spell `{name}` is not valid: {reason}"),
    )
    .hint("its author can see more with `charmer spell check`")
}

fn untrusted(name: &str) -> CallError {
    CallError::refused(format!("the spell `{name}` was not accepted as it is now"))
        .hint("a person has to look at it and accept it with `charmer spell trust`")
}

/// The limits that `cast_spell` begins with: each spell lowers them to its own.
pub(crate) fn longest(limits: &Limits) -> Limits {
    limits.clone().timeout(LONGEST)
}
