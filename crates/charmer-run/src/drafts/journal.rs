//! The journal of a draft that is being applied: the steps in their order, written before the first is taken. Whether a
//! step was taken shows in the folder itself, so after a crash the rest can be done, or all of it undone.

use std::{
    fs, io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{
        AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, chmodat, mkdirat, openat2,
        renameat_with, statat,
    },
    io::Errno,
};
use serde::{Deserialize, Serialize};

use super::{
    record::{DraftFolder, read_json, write_json},
    state::{FileState, Kind, PathText},
};

const JOURNAL: &str = "journal.json";

/// See the module's documentation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Journal {
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
    Create { staged: u64, number: u64 },
    /// Puts what is staged in the place of what is there, which is kept.
    Replace {
        staged: u64,
        number: u64,
        before: FileState,
    },
    /// Moves what is there away.
    Remove { aside: u64, before: FileState },
    /// Changes the mode of a folder.
    Mode { from: u32, to: u32 },
}

/// The folders of a journal, held open: nothing that is put in their place is touched.
pub(super) struct Held {
    folders: Vec<(OwnedFd, OwnedFd)>,
}

impl Journal {
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
            let DraftFolder {
                path,
                device,
                number,
            } = folder;
            let held = open(rustix::fs::CWD, &path.0, ResolveFlags::NO_SYMLINKS)?;
            let found = rustix::fs::fstat(&held)?;
            if (found.st_dev, found.st_ino) != (*device, *number) {
                let path = path.0.display();
                return Err(io::Error::other(format!(
                    "`{path}` is another folder by now"
                )));
            }
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
            let staging = folder.path.0.join(&self.staging);
            match super::apply::remove_all(&staging) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
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

    /// The folder that a path is in, and its name in there.
    fn place(&self, step: &Step) -> io::Result<(OwnedFd, PathBuf)> {
        let path = &step.path.0;
        let parent = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        Ok((beneath(&self.folders[step.folder].0, parent)?, name))
    }

    /// Takes a step, unless it was taken.
    fn take(&self, step: &Step) -> io::Result<()> {
        let staging = self.staging(step.folder);
        if let Act::Mode { to, .. } = step.act {
            return self.set_mode(step, to);
        }
        let (parent, name) = self.place(step)?;
        match &step.act {
            Act::Mode { .. } => unreachable!("it was taken above"),
            Act::Create { staged, number } => {
                if number_of(&parent, &name)? == Some(*number) {
                    return Ok(());
                }
                let new = new_name(*staged);
                rename(staging, Path::new(&new), &parent, &name)
            }
            Act::Replace {
                staged,
                number,
                before,
            } => {
                if number_of(&parent, &name)? == Some(*number) {
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
            Act::Create { staged, number } => match number_of(&parent, &name)? {
                Some(there) if there == *number => {
                    rename(&parent, &name, staging, Path::new(&new_name(*staged)))
                }
                _ => Ok(()),
            },
            Act::Replace { staged, number, .. } => {
                let (new, old) = (new_name(*staged), old_name(*staged));
                let kept = number_of(staging, Path::new(&old))?.is_some();
                let taken = number_of(&parent, &name)? == Some(*number);
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
                let found = statat(&parent, &name, AtFlags::SYMLINK_NOFOLLOW)?;
                if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
                    return Err(io::Error::other("it is no folder any more"));
                }
                Ok(chmodat(&parent, &name, mode, AtFlags::empty())?)
            }
        }
    }
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
        false => Err(io::Error::other("it was changed at this very moment")),
    }
}
