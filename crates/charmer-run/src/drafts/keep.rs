//! The places of drafts and their time: after their time, with their server and after a killed one they go.

use std::{
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::PoisonError,
};

use charmer_sandbox::remove_folder;

use crate::CallError;

use super::{
    journal::ApplyJournal,
    record::Record,
    store::{DRAFT, Drafts, DraftsState, locked},
};

/// The way the name of the file begins that a server holds.
const SERVER: &str = "server-";
/// The maximum number of drafts of a principal.
const MOST: usize = 16;

impl Drafts {
    /// The folders of all drafts.
    pub(super) fn all(&self) -> impl Iterator<Item = PathBuf> {
        let places = self.0.places.clone().into_iter();
        let entries = places.flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten());
        // Somebody else's in a folder that all can write to is not looked at.
        let own = rustix::process::getuid().as_raw();
        let drafts = entries.filter(move |entry| {
            let is_own = entry
                .metadata()
                .is_ok_and(|found| found.is_dir() && found.uid() == own);
            is_own && entry.file_name().to_string_lossy().starts_with(DRAFT)
        });
        drafts.map(|entry| entry.path())
    }

    /// The place for a draft of these folders: neither in one of them nor around one.
    pub(super) fn place(&self, folders: &[PathBuf]) -> Result<PathBuf, CallError> {
        let mut reasons = Vec::new();
        for place in &self.0.places {
            let made = DirBuilder::new().mode(0o700).recursive(true).create(place);
            let place = match made.and_then(|()| place.canonicalize()) {
                Ok(place) => place,
                Err(error) => {
                    reasons.push(format!("`{}`: {error}", place.display()));
                    continue;
                }
            };
            let overlaps =
                |folder: &&PathBuf| place.starts_with(folder) || folder.starts_with(&place);
            match folders.iter().find(overlaps) {
                None => return Ok(place),
                Some(folder) => reasons.push(format!(
                    "`{}` is within `{}`, which would be drafted",
                    place.display(),
                    folder.display()
                )),
            }
        }
        Err(CallError::refused(format!(
            "there is no place for a draft: {}",
            reasons.join("; ")
        ))
        .hint("serve a folder that is less than that, with `--folder`"))
    }

    /// Refuses a draft too many; those that change nothing go first.
    pub(super) fn make_room(&self, principal: &str) -> Result<(), CallError> {
        let own = || self.list(Some(principal));
        if own().len() < MOST {
            return Ok(());
        }
        let empty = own().into_iter().filter(|draft| draft.counts.all() == 0);
        for draft in empty {
            // Its command may have ended meanwhile, and changed something.
            let open = self.open(&draft.id, Some(principal));
            if let Ok(open) = open
                && open.record.counts().all() == 0
            {
                open.remove();
            }
        }
        match own().len() < MOST {
            true => Ok(()),
            false => Err(
                CallError::refused(format!("there are {MOST} drafts already"))
                    .hint("apply or drop one of them"),
            ),
        }
    }

    /// Removes what has had its time, and what killed servers have left.
    pub fn sweep(&self) {
        for draft in self.all() {
            // Locked only where it goes: whoever wants to work on it meanwhile would be told that somebody else does.
            if self.has_had_its_time(&draft)
                && let Ok(_lock) = locked(&draft)
                && self.has_had_its_time(&draft)
            {
                let _ = remove_folder(&draft);
            }
        }
    }

    fn has_had_its_time(&self, draft: &Path) -> bool {
        if ApplyJournal::is_there(draft) {
            return false;
        }
        let lifetime = self.0.rules.lifetime;
        match Record::read(draft) {
            Ok(record) => record.is_over() || self.is_orphaned(draft, &record),
            // It is being made, or was left so.
            Err(_) => fs::metadata(draft).is_ok_and(|found| {
                let age = found
                    .modified()
                    .map(|made| made.elapsed().unwrap_or_default());
                age.is_ok_and(|age| age >= lifetime)
            }),
        }
    }

    /// Drops the drafts of this server, which ends.
    pub fn end(&self) {
        self.0.end();
    }

    /// The drafts whose applying was interrupted.
    pub fn interrupted(&self) -> Vec<String> {
        let torn = self
            .list(None)
            .into_iter()
            .filter(|draft| draft.interrupted);
        torn.map(|draft| draft.id).collect()
    }

    fn is_orphaned(&self, draft: &Path, record: &Record) -> bool {
        let Some(server) = record
            .server
            .as_ref()
            .filter(|name| self.0.server.as_ref() != Some(name))
        else {
            return false;
        };
        let Some(place) = draft.parent() else {
            return false;
        };
        let mark = place.join(format!("{SERVER}{server}"));
        match File::open(&mark) {
            Ok(file) if file.try_lock().is_ok() => {
                let _ = fs::remove_file(mark);
                true
            }
            Ok(_) => false,
            // What cannot be looked at may well run.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Has others know that this server runs. Returns its name, if its drafts go with it.
    pub(super) fn hold(&self, place: &Path) -> io::Result<Option<String>> {
        let Some(name) = &self.0.server else {
            return Ok(None);
        };
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        if !held.contains_key(place) {
            let path = place.join(format!("{SERVER}{name}"));
            // Locked before it has its name: nobody can find it there unlocked.
            let new = path.with_extension("new");
            let file = File::create(&new)?;
            file.lock()?;
            fs::rename(new, path)?;
            held.insert(place.to_owned(), file);
        }
        Ok(Some(name.clone()))
    }
}

impl Drop for DraftsState {
    fn drop(&mut self) {
        self.end();
    }
}

impl DraftsState {
    fn end(&self) {
        let Some(name) = &self.server else { return };
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        for place in held.keys() {
            for entry in fs::read_dir(place).into_iter().flatten().flatten() {
                let draft = entry.path();
                let is_own = entry.file_name().to_string_lossy().starts_with(DRAFT)
                    && Record::read(&draft)
                        .is_ok_and(|record| record.server.as_ref() == Some(name));
                if is_own && !ApplyJournal::is_there(&draft) && locked(&draft).is_ok() {
                    let _ = remove_folder(&draft);
                }
            }
            let _ = fs::remove_file(place.join(format!("{SERVER}{name}")));
        }
    }
}
