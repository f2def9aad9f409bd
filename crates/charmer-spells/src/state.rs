//! The state of a folder of spells: the file behind each name, the spells that are served, and the reasons for the
//! others.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_run::{CallError, ErrorCode};

use crate::{
    SpellOptions, Trust,
    book::BookState,
    confine,
    file::{self, Fingerprint},
    load::{Loaded, LoadedSpell, load_all},
    problem::{Severity, SpellProblem},
};

/// The spells that are served, and the reasons for the others.
#[derive(Debug, Default)]
pub(crate) struct ServedSpells {
    pub(crate) spells: BTreeMap<String, Arc<LoadedSpell>>,
    pub(crate) withheld: BTreeMap<String, CallError>,
    pub(crate) problems: Vec<SpellProblem>,
    /// Every change from now on is sure to look like one.
    pub(crate) settled: bool,
}

/// The facts known about a file.
#[derive(Debug)]
pub(crate) struct KnownSpells {
    fingerprint: Fingerprint,
    settled: bool,
    loaded: Loaded,
    last_good: Option<Arc<LoadedSpell>>,
}

impl KnownSpells {
    /// Returns true if the files that it names are sure to be as they were, where their content counts.
    fn files_look_unchanged(&self, locked: bool) -> bool {
        let entry = self.loaded.entry.as_ref();
        !locked || entry.is_some_and(|entry| entry.files.look_unchanged())
    }
}

impl ServedSpells {
    /// Returns true if a client or a person would notice.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        let same = self.spells.len() == other.spells.len()
            && self
                .spells
                .values()
                .zip(other.spells.values())
                .all(|(a, b)| Arc::ptr_eq(a, b));
        !same || self.problems != other.problems || self.withheld != other.withheld
    }
}

impl BookState {
    /// Looks at the folder, and reads what is new.
    pub(crate) fn look(
        &self,
        known: &mut HashMap<PathBuf, KnownSpells>,
        before: &ServedSpells,
    ) -> ServedSpells {
        let mut state = ServedSpells::default();
        for exposure in file::exposure(&self.folder, "the folder of spells") {
            state
                .problems
                .push(SpellProblem::new(&self.folder, Severity::Warning, exposure));
        }
        let files = file::list(&self.folder).unwrap_or_else(|error| {
            let message = format!("the folder of spells cannot be read: {error}");
            state
                .problems
                .push(SpellProblem::new(&self.folder, Severity::Error, message));
            // A folder that is gone holds nothing; of one that cannot be looked at right now, what was known is kept.
            if is_gone(&error) {
                return Vec::new();
            }
            let mut kept: Vec<PathBuf> = known.keys().cloned().collect();
            kept.sort();
            kept
        });
        // What is deleted is gone at once, its last good version too.
        let listed: HashSet<&PathBuf> = files.iter().collect();
        known.retain(|file, _| listed.contains(file));
        let options = self.options();
        let trust = self.trust(&options, &mut state);
        let locked = options.locked.is_some();
        let mut changed = Vec::new();
        for file in &files {
            let fingerprint = match Fingerprint::of(file) {
                Ok(fingerprint) => fingerprint,
                Err(error) => {
                    state.problems.extend(out_of_reach(file, &error, known));
                    continue;
                }
            };
            match known.get(file) {
                Some(known)
                    if known.settled
                        && known.fingerprint == fingerprint
                        && known.files_look_unchanged(locked) => {}
                _ => changed.push((file, fingerprint.is_settled(), fingerprint)),
            }
        }
        let paths: Vec<&PathBuf> = changed.iter().map(|(file, ..)| *file).collect();
        let loaded = load_all(&self.base, &options, &paths);
        for ((file, settled, fingerprint), loaded) in changed.into_iter().zip(loaded) {
            let old = known.remove(file);
            known.insert(file.clone(), remembered(fingerprint, settled, loaded, old));
        }
        state.settled = known.values().all(|known| known.settled);
        for (stem, files) in by_name(&files) {
            self.choose(&stem, &files, known, before, trust.as_ref(), &mut state);
        }
        state
    }

    /// Chooses the file that serves a name: the one that served it before, or else the first that can.
    fn choose(
        &self,
        stem: &str,
        files: &[&PathBuf],
        known: &HashMap<PathBuf, KnownSpells>,
        before: &ServedSpells,
        trust: Option<&Result<Trust, String>>,
        state: &mut ServedSpells,
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
                    .push(SpellProblem::new(*file, Severity::Error, message));
                continue;
            }
            if !self.options().offers(stem) {
                state.withheld.insert(stem.to_owned(), not_offered(stem));
                continue;
            }
            let mut problems = of_file.loaded.problems.clone();
            let refused = match (trust, &of_file.loaded.hash) {
                (None, _) => None,
                (Some(Ok(trust)), Some(hash)) if trust.has(file, hash) => None,
                (Some(_), _) => Some(untrusted(stem)),
            };
            if let Some(error) = refused {
                problems.push(SpellProblem::new(
                    *file,
                    Severity::Error,
                    error.message.clone(),
                ));
                state.withheld.insert(stem.to_owned(), error);
            } else if let Some(entry) = of_file.loaded.entry.as_ref().or(of_file.last_good.as_ref())
            {
                if self.options().read_only
                    && let Some(hint) = confine::may_write(&entry.spell, &self.options())
                {
                    let error = CallError::refused(format!(
                        "the spell `{stem}` is not served where only reading is offered"
                    ))
                    .hint(hint);
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

    /// The record of accepted spells, if only those are served.
    fn trust(
        &self,
        options: &SpellOptions,
        state: &mut ServedSpells,
    ) -> Option<Result<Trust, String>> {
        let path = options.locked.as_ref()?;
        let trust = if path.starts_with(&self.folder) {
            Err("what was accepted must not be kept in the folder of spells itself".to_owned())
        } else {
            Trust::load(path).map_err(|error| format!("what was accepted cannot be read: {error}"))
        };
        if let Err(message) = &trust {
            state
                .problems
                .push(SpellProblem::new(path, Severity::Error, message));
        }
        Some(trust)
    }
}

/// Returns true if something is not there any more, and not only out of reach.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The problem with a file that cannot be looked at. What is gone is not known any more.
fn out_of_reach(
    file: &Path,
    error: &io::Error,
    known: &mut HashMap<PathBuf, KnownSpells>,
) -> Option<SpellProblem> {
    if is_gone(error) {
        known.remove(file);
        // Deleted since it was listed, or a symlink that leads nowhere.
        file.symlink_metadata().ok()?;
        let message = "it is a symlink that leads nowhere";
        return Some(SpellProblem::new(file, Severity::Error, message));
    }
    let message = format!("it cannot be looked at: {error}");
    let mut problem = SpellProblem::new(file, Severity::Error, message);
    problem.last_good = known.contains_key(file);
    Some(problem)
}

/// A file that has just been read, with its last good version if it is not good now.
fn remembered(
    fingerprint: Fingerprint,
    settled: bool,
    mut loaded: Loaded,
    old: Option<KnownSpells>,
) -> KnownSpells {
    let mut last_good = loaded.entry.clone();
    if let Some(old) = old {
        // The same text is the same spell: nobody has to be told.
        if old.loaded.hash == loaded.hash && loaded.hash.is_some() {
            return KnownSpells {
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
    KnownSpells {
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

fn invalid(name: &str, problems: &[SpellProblem]) -> CallError {
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

fn not_offered(name: &str) -> CallError {
    CallError::refused(format!("the spell `{name}` is not offered by this server"))
        .hint("whoever runs the server has left it out")
}

fn untrusted(name: &str) -> CallError {
    CallError::refused(format!("the spell `{name}` was not accepted as it is now"))
        .hint("a person has to look at it and accept it with `charmer spell trust`")
}
