//! The journal of a draft that is being applied: the steps in their order, written before the first is taken. Whether a
//! step was taken shows in the folder itself, so after a crash the rest can be done, or all of it undone.

use std::{
    fs, io,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use charmer_sandbox::remove_folder;
use rustix::{
    fs::{
        AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, mkdirat, openat2, renameat_with, statat,
    },
    io::Errno,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    record::{DraftFolder, read_json, write_json},
    state::{FileState, Kind, PathText},
};

const JOURNAL: &str = "journal.json";

/// See the module's documentation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ApplyJournal {
    pub(super) folders: Vec<DraftFolder>,
    /// The name of the folder that everything is staged in, in each of them.
    pub(super) staging: String,
    pub(super) steps: Vec<Step>,
    /// All steps were taken; what was there before may be gone already.
    pub(super) done: bool,
}

/// One step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) folder: usize,
    pub(super) path: PathText,
    pub(super) act: Act,
}

/// The action of a step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Act {
    /// Moves what is staged to a place where nothing is.
    Create { staged: u64, new: Staged },
    /// Puts what is staged in the place of what is there, which is kept.
    Replace {
        staged: u64,
        new: Staged,
        before: FileState,
    },
    /// Moves what is there away.
    Remove { aside: u64, before: FileState },
    /// Changes the mode of a folder.
    Mode { from: u32, to: u32 },
}

/// A staged file: by its number it is known whether it is in its place, by its mark whether somebody has changed it there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Staged {
    number: u64,
    mark: String,
}

/// The folders of a journal, held open: nothing that is put in their place is touched.
pub(super) struct Held {
    folders: Vec<(OwnedFd, OwnedFd)>,
}

impl ApplyJournal {
    pub(super) fn read(draft: &Path) -> io::Result<Option<Self>> {
        match read_json(&draft.join(JOURNAL)) {
            Ok(journal) => Ok(Some(journal)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn is_there(draft: &Path) -> bool {
        draft.join(JOURNAL).exists()
    }

    pub(super) fn write(&self, draft: &Path) -> io::Result<()> {
        write_json(&draft.join(JOURNAL), self)
    }

    pub(super) fn remove(draft: &Path) -> io::Result<()> {
        fs::remove_file(draft.join(JOURNAL))
    }

    /// Opens the folders, and those for staging, which are made if `make` says so.
    pub(super) fn hold(&self, make: bool) -> io::Result<Held> {
        let held = self.folders.iter().map(|folder| {
            let held = folder.hold()?;
            if make {
                mkdirat(&held, &*self.staging, Mode::RWXU)?;
            }
            let staging = beneath(&held, Path::new(&self.staging))?;
            Ok((held, staging))
        });
        let folders = held.collect::<io::Result<_>>()?;
        Ok(Held { folders })
    }

    /// Takes the steps that were not taken yet.
    pub(super) fn finish(&self, held: &Held) -> io::Result<()> {
        for step in &self.steps {
            held.take(step)
                .map_err(|error| super::state::at(&step.path.0, &error))?;
        }
        Ok(())
    }

    /// Takes the steps back that were taken, the last first. Says which could not be.
    pub(super) fn undo(&self, held: &Held) -> Vec<String> {
        let undone = self.steps.iter().rev().map(|step| {
            let undone = held.take_back(step);
            undone.map_err(|error| format!("`{}`: {error}", step.path.0.display()))
        });
        undone.filter_map(Result::err).collect()
    }

    /// Removes what was staged and what was kept.
    pub(super) fn clear(&self) -> io::Result<()> {
        for folder in &self.folders {
            let held = match folder.hold() {
                Ok(held) => held,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            match remove_folder(&within(&held, &self.staging)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

impl DraftFolder {
    /// Opens it, if it is still the folder that it was.
    fn hold(&self) -> io::Result<OwnedFd> {
        let held = open(rustix::fs::CWD, &self.path.0, ResolveFlags::NO_SYMLINKS)?;
        let found = rustix::fs::fstat(&held)?;
        match (found.st_dev, found.st_ino) == (self.device, self.number) {
            true => Ok(held),
            false => Err(io::Error::other(format!(
                "`{}` is another folder by now",
                self.path.0.display()
            ))),
        }
    }
}

/// The path of something in a folder that is held, wherever the folder has been moved to.
pub(super) fn within(held: &OwnedFd, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd())).join(name)
}

fn open(folder: impl AsFd, path: &Path, resolve: ResolveFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(openat2(folder, path, flags, Mode::empty(), resolve)?)
}

/// A folder beneath one that is held, on a way without links.
pub(super) fn beneath(held: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
    let path = match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    };
    open(
        held,
        path,
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
    )
}

pub(super) fn new_name(staged: u64) -> String {
    format!("new-{staged}")
}

fn old_name(staged: u64) -> String {
    format!("old-{staged}")
}

impl Held {
    pub(super) fn staging(&self, folder: usize) -> &OwnedFd {
        &self.folders[folder].1
    }

    /// The file that is staged under a number.
    pub(super) fn staged(&self, folder: usize, staged: u64) -> io::Result<Staged> {
        let (staging, name) = (self.staging(folder), new_name(staged));
        let number = number_of(staging, Path::new(&name))?;
        Ok(Staged {
            number: number.ok_or_else(|| io::Error::other("what was staged is gone"))?,
            mark: mark_of(&within(staging, &name))?,
        })
    }

    /// The folder that a path is in, and its name in there.
    fn place(&self, step: &Step) -> io::Result<(OwnedFd, PathBuf)> {
        let path = &step.path.0;
        let parent = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        Ok((beneath(&self.folders[step.folder].0, parent)?, name))
    }

    /// Takes a step, unless it was taken. One that turns out to be wrong is taken back: what was taken is not looked at again.
    pub(super) fn take(&self, step: &Step) -> io::Result<()> {
        let taken = self.try_take(step);
        if let Err(error) = &taken
            && error.get_ref().is_some_and(|error| error.is::<Overtaken>())
        {
            self.take_back(step)?;
        }
        taken
    }

    fn try_take(&self, step: &Step) -> io::Result<()> {
        let staging = self.staging(step.folder);
        if let Act::Mode { to, .. } = step.act {
            return self.set_mode(step, to);
        }
        let (parent, name) = self.place(step)?;
        match &step.act {
            Act::Mode { .. } => unreachable!("it was taken above"),
            Act::Create { staged, new } => {
                if number_of(&parent, &name)? == Some(new.number) {
                    return Ok(());
                }
                let new = new_name(*staged);
                rename(staging, Path::new(&new), &parent, &name)
            }
            Act::Replace {
                staged,
                new,
                before,
            } => {
                if number_of(&parent, &name)? == Some(new.number) {
                    return Ok(());
                }
                let (new, old) = (new_name(*staged), old_name(*staged));
                let exchanged =
                    renameat_with(staging, &*new, &parent, &name, RenameFlags::EXCHANGE);
                let kept = match exchanged {
                    Ok(()) => new,
                    // Not every file system can exchange two files. Then there is a moment without one.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOENT) => {
                        if number_of(staging, Path::new(&old))?.is_none() {
                            rename(&parent, &name, staging, Path::new(&old))?;
                        }
                        rename(staging, Path::new(&new), &parent, &name)?;
                        old
                    }
                    Err(error) => return Err(error.into()),
                };
                unchanged(staging, &kept, before)
            }
            Act::Remove { aside, before } => {
                let old = old_name(*aside);
                if number_of(staging, Path::new(&old))?.is_some() {
                    return Ok(());
                }
                rename(&parent, &name, staging, Path::new(&old))?;
                unchanged(staging, &old, before)
            }
        }
    }

    /// Takes a step back, if it was taken.
    fn take_back(&self, step: &Step) -> io::Result<()> {
        let staging = self.staging(step.folder);
        if let Act::Mode { from, .. } = step.act {
            return self.set_mode(step, from);
        }
        let (parent, name) = match self.place(step) {
            Ok(place) => place,
            // What it is in is not there yet, or not any more.
            Err(error) if super::state::is_absent(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        match &step.act {
            Act::Mode { .. } => unreachable!("it was taken back above"),
            Act::Create { staged, new } => match number_of(&parent, &name)? {
                Some(there) if there == new.number => {
                    new.must_be_at(&parent, &name)?;
                    rename(&parent, &name, staging, Path::new(&new_name(*staged)))
                }
                _ => Ok(()),
            },
            Act::Replace { staged, new, .. } => {
                let kept = number_of(staging, Path::new(&old_name(*staged)))?.is_some();
                let taken = number_of(&parent, &name)? == Some(new.number);
                if taken {
                    new.must_be_at(&parent, &name)?;
                }
                let (new, old) = (new_name(*staged), old_name(*staged));
                match (taken, kept) {
                    (true, false) => {
                        let back = RenameFlags::EXCHANGE;
                        Ok(renameat_with(staging, &*new, &parent, &name, back)?)
                    }
                    (true, true) => {
                        rename(&parent, &name, staging, Path::new(&new))?;
                        rename(staging, Path::new(&old), &parent, &name)
                    }
                    (false, true) => rename(staging, Path::new(&old), &parent, &name),
                    (false, false) => Ok(()),
                }
            }
            Act::Remove { aside, .. } => {
                let old = old_name(*aside);
                match number_of(staging, Path::new(&old))? {
                    Some(_) => rename(staging, Path::new(&old), &parent, &name),
                    None => Ok(()),
                }
            }
        }
    }

    fn set_mode(&self, step: &Step, mode: u32) -> io::Result<()> {
        let mode = Mode::from_raw_mode(mode);
        match step.path.0.as_os_str().is_empty() {
            true => Ok(rustix::fs::fchmod(&self.folders[step.folder].0, mode)?),
            false => {
                let (parent, name) = self.place(step)?;
                // Held, because it may be one that may not be read, and no link must come in its place.
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let held = rustix::fs::openat(&parent, &name, flags, Mode::empty())?;
                let itself = format!("/proc/self/fd/{}", held.as_raw_fd());
                Ok(rustix::fs::chmod(itself, mode)?)
            }
        }
    }
}

impl Staged {
    /// Makes sure that nobody has changed it in its place: that would be lost.
    fn must_be_at(&self, folder: &OwnedFd, name: &Path) -> io::Result<()> {
        let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
        match mark_of(&path)? == self.mark {
            true => Ok(()),
            false => Err(io::Error::other(
                "it was changed after it was applied, so it is left as it is",
            )),
        }
    }
}

/// The mark of a file, or of a folder with all that is in it: whoever changes something changes it.
fn mark_of(path: &Path) -> io::Result<String> {
    let mut marks = Vec::new();
    let mut left = vec![PathBuf::new()];
    while let Some(inner) = left.pop() {
        // Without a slash at its end, which would lead through a link.
        let place = match inner.as_os_str().is_empty() {
            true => path.to_owned(),
            false => path.join(&inner),
        };
        let state = FileState::plain(&fs::symlink_metadata(&place)?);
        if state.kind == Kind::Folder {
            for entry in fs::read_dir(&place)? {
                left.push(inner.join(entry?.file_name()));
            }
        }
        let time = (state.kind != Kind::Folder).then_some(state.modified);
        marks.push((inner, state.number, state.size, time));
    }
    marks.sort();
    Ok(super::state::hex(&Sha256::digest(format!("{marks:?}"))))
}

/// Moves something to a place where nothing is.
fn rename(from: &OwnedFd, name: &Path, to: &OwnedFd, other: &Path) -> io::Result<()> {
    match renameat_with(from, name, to, other, RenameFlags::NOREPLACE) {
        // Where the file system cannot promise it, it is looked at before.
        Err(Errno::INVAL | Errno::NOSYS) if number_of(to, other)?.is_none() => {
            Ok(rustix::fs::renameat(from, name, to, other)?)
        }
        done => Ok(done?),
    }
}

/// The number of what is at a place; none, if nothing is.
pub(super) fn number_of(folder: &OwnedFd, name: &Path) -> io::Result<Option<u64>> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(found.st_ino)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Makes sure that what was moved away is what was looked at before: somebody may have been quicker.
fn unchanged(staging: &OwnedFd, kept: &str, before: &FileState) -> io::Result<()> {
    let found = statat(staging, kept, AtFlags::SYMLINK_NOFOLLOW)?;
    let same = found.st_ino == before.number
        && (before.kind == Kind::Folder
            || (found.st_size as u64 == before.size
                && (found.st_mtime, found.st_mtime_nsec as i64) == before.modified));
    match same {
        true => Ok(()),
        false => Err(io::Error::other(Overtaken)),
    }
}

/// Somebody else has changed a file since it was looked at.
#[derive(Debug, thiserror::Error)]
#[error("it was changed meanwhile")]
struct Overtaken;
