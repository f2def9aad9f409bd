//! The changes of a draft, read from what the kernel has kept of a view, or from a copy that was changed.
//!
//! In a view's upper folder a character device 0/0 means that the file beneath is gone, and a folder with the attribute
//! `user.overlay.opaque` that nothing of the one beneath is left. A file that was only opened for writing is there as well:
//! what says the same as before is no change.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs, io,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::state::{Digests, FileState, Kind, PathText, at, hex, is_absent};

/// The maximum number of files that a draft may touch. What touches more is nothing that anybody looks at.
pub(super) const MOST: usize = 250_000;

const OPAQUE: &str = "user.overlay.opaque";

/// A file that is another one after the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftChange {
    /// The number of the draft's folder that it is in.
    pub(super) folder: usize,
    /// Its path in there.
    pub(super) path: PathBuf,
    pub(super) before: Option<FileState>,
    pub(super) after: Option<FileState>,
}

impl DraftChange {
    /// Returns true if it is about a folder alone, which is told only where nothing else tells it.
    pub(super) fn is_folder(&self) -> bool {
        let folder = |state: &FileState| state.kind == Kind::Folder;
        self.before.iter().chain(&self.after).all(folder)
    }
}

/// The states from before, of everything that was touched so far.
pub(super) type Before = BTreeMap<(usize, PathText), Option<FileState>>;

/// Reads changes.
pub(super) struct Reader<'b> {
    folder: usize,
    lower: PathBuf,
    upper: PathBuf,
    digests: Digests,
    /// The states known from before, which go before what is there now.
    before: &'b mut Before,
    found: Vec<DraftChange>,
    touched: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(folder: usize, lower: &Path, upper: &Path, before: &'b mut Before) -> Self {
        Self {
            folder,
            lower: lower.to_owned(),
            upper: upper.to_owned(),
            digests: Digests::default(),
            before,
            found: Vec::new(),
            touched: 0,
        }
    }

    /// The changes of a view, in the order of their paths.
    pub(super) fn of_view(mut self) -> io::Result<Vec<DraftChange>> {
        // Folders that are still to be looked at, and whether there is something beneath them.
        let mut folders = vec![(PathBuf::new(), true)];
        while let Some((folder, merged)) = folders.pop() {
            let kept = self.upper.join(&folder);
            let opaque = merged && folder.as_os_str() != "" && is_opaque(&kept);
            let mut names = BTreeSet::new();
            for name in entries(&kept)? {
                let path = folder.join(&name);
                let here = self.upper.join(&path);
                let found = fs::symlink_metadata(&here).map_err(|error| at(&here, &error))?;
                let before = match merged {
                    true => self.beneath(&path)?,
                    false => None,
                };
                let is_folder = |state: &Option<FileState>| {
                    state
                        .as_ref()
                        .is_some_and(|state| state.kind == Kind::Folder)
                };
                if found.file_type().is_char_device() && found.rdev() == 0 {
                    if let Some(before) = before {
                        self.gone(path, before)?;
                    }
                    names.insert(name);
                    continue;
                }
                names.insert(name);
                let after = FileState::of(&here, &mut self.digests)?;
                let (was_folder, folder_now) = (is_folder(&before), is_folder(&after));
                if was_folder && !folder_now {
                    self.all_gone_beneath(&path)?;
                }
                if folder_now {
                    folders.push((path.clone(), was_folder));
                }
                self.change(path, before, after)?;
            }
            if opaque {
                for name in entries(&self.lower.join(&folder))? {
                    let path = folder.join(&name);
                    if !names.contains(&name)
                        && let Some(before) = self.beneath(&path)?
                    {
                        self.gone(path, before)?;
                    }
                }
            }
        }
        Ok(self.sorted())
    }

    /// The changes of a copy. `copied` is what it was like when it was made, by number, size and time.
    pub(super) fn of_copy(
        mut self,
        copied: &BTreeMap<PathText, FileState>,
    ) -> io::Result<Vec<DraftChange>> {
        let mut seen = BTreeSet::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for name in entries(&self.upper.join(&folder))? {
                let path = folder.join(&name);
                let here = self.upper.join(&path);
                let found = fs::symlink_metadata(&here).map_err(|error| at(&here, &error))?;
                let plain = FileState::plain(&found);
                if plain.kind == Kind::Folder {
                    folders.push(path.clone());
                }
                let key = PathText(path.clone());
                let was = copied.get(&key);
                let untouched = was.is_some_and(|was| {
                    let same =
                        (was.kind, was.mode, was.number) == (plain.kind, plain.mode, plain.number);
                    same && (was.kind == Kind::Folder
                        || (was.size, was.modified) == (plain.size, plain.modified))
                });
                seen.insert(key);
                if untouched {
                    continue;
                }
                let before = match was {
                    Some(_) => self.beneath(&path)?,
                    None => self.known(&path).flatten(),
                };
                let after = FileState::of(&here, &mut self.digests)?;
                self.change(path, before, after)?;
            }
        }
        for key in copied.keys().filter(|key| !seen.contains(key)) {
            if let Some(before) = self.beneath(&key.0)? {
                self.change(key.0.clone(), Some(before), None)?;
            }
        }
        Ok(self.sorted())
    }

    fn sorted(mut self) -> Vec<DraftChange> {
        self.found.sort_by(|a, b| a.path.cmp(&b.path));
        self.found
    }

    fn known(&self, path: &Path) -> Option<Option<FileState>> {
        let key = (self.folder, PathText(path.to_owned()));
        self.before.get(&key).cloned()
    }

    /// The state from before, as it was first seen.
    fn beneath(&mut self, path: &Path) -> io::Result<Option<FileState>> {
        match self.known(path) {
            Some(known) => Ok(known),
            None => FileState::of(&self.lower.join(path), &mut self.digests),
        }
    }

    fn change(
        &mut self,
        path: PathBuf,
        before: Option<FileState>,
        after: Option<FileState>,
    ) -> io::Result<()> {
        self.touched += 1;
        if self.touched > MOST {
            return Err(io::Error::other(format!(
                "more than {MOST} files are touched"
            )));
        }
        let key = (self.folder, PathText(path.clone()));
        self.before.entry(key).or_insert_with(|| before.clone());
        let same = match (&before, &after) {
            (Some(before), Some(after)) => before.says_the_same(after),
            (None, None) => true,
            _ => false,
        };
        if !same {
            let folder = self.folder;
            self.found.push(DraftChange {
                folder,
                path,
                before,
                after,
            });
        }
        Ok(())
    }

    /// Something is gone, with all that is in it.
    fn gone(&mut self, path: PathBuf, before: FileState) -> io::Result<()> {
        if before.kind == Kind::Folder {
            self.all_gone_beneath(&path)?;
        }
        self.change(path, Some(before), None)
    }

    fn all_gone_beneath(&mut self, folder: &Path) -> io::Result<()> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let there = match entries(&self.lower.join(&folder)) {
                Ok(there) => there,
                // It was there when it was first seen.
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(error),
            };
            for name in there {
                let path = folder.join(name);
                if let Some(before) = self.beneath(&path)? {
                    if before.kind == Kind::Folder {
                        folders.push(path.clone());
                    }
                    self.change(path, Some(before), None)?;
                }
            }
        }
        Ok(())
    }
}

fn entries(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    let names: io::Result<Vec<OsString>> = entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect();
    let mut names = names.map_err(|error| at(folder, &error))?;
    names.sort();
    Ok(names)
}

fn is_opaque(folder: &Path) -> bool {
    let mut value = [0; 8];
    let read = rustix::fs::lgetxattr(folder, OPAQUE, &mut value);
    read.is_ok_and(|length| value[..length] == *b"y")
}

/// The digest of changes: what somebody agreed to is what is applied, or nothing.
pub(super) fn digest<'c>(changes: impl IntoIterator<Item = &'c DraftChange>) -> String {
    let mut hasher = Sha256::new();
    for change in changes {
        let state = |state: &Option<FileState>| {
            state
                .as_ref()
                .map_or_else(|| "-".to_owned(), FileState::identity)
        };
        let DraftChange {
            folder,
            path,
            before,
            after,
        } = change;
        let line = format!("{folder} {path:?} {} > {}\n", state(before), state(after));
        hasher.update(line.as_bytes());
    }
    hex(&hasher.finalize())
}
