//! Copies: of files with all that belongs to them, and of a whole folder, where the system offers no view of one.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{
        AtFlags, CWD, FileType, Gid, Mode, SeekFrom as Sought, Timespec, Timestamps, UTIME_OMIT,
        Uid, chownat, ioctl_ficlone, lsetxattr, mknodat, seek, utimensat,
    },
    io::Errno,
};

use super::state::{FileState, Kind, PathText, at, attributes};

/// The maximum number of files in a folder of which a copy is made.
const MOST_FILES: usize = 20_000;

/// Copies files; those with several names get as many again.
#[derive(Debug, Default)]
pub(super) struct Copier {
    /// The copies of files with several names.
    named: HashMap<(u64, u64), PathBuf>,
}

impl Copier {
    /// Copies what is at a path, with all that is in it, to a path where nothing is.
    pub(super) fn copy(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let found = fs::symlink_metadata(from).map_err(|error| at(from, &error))?;
        self.copy_one(from, to, &found)
            .map_err(|error| at(from, &error))?;
        if !found.is_dir() {
            return Ok(());
        }
        let mut folders = vec![(from.to_owned(), to.to_owned())];
        let mut made = vec![(to.to_owned(), found)];
        while let Some((from, to)) = folders.pop() {
            for entry in fs::read_dir(&from).map_err(|error| at(&from, &error))? {
                let entry = entry?;
                let (from, to) = (entry.path(), to.join(entry.file_name()));
                let found = entry.metadata().map_err(|error| at(&from, &error))?;
                // What is beneath it is gone, and nothing is in its place.
                if is_whiteout(&found) {
                    continue;
                }
                self.copy_one(&from, &to, &found)
                    .map_err(|error| at(&from, &error))?;
                if found.is_dir() {
                    folders.push((from, to.clone()));
                    made.push((to, found));
                }
            }
        }
        // Last, the innermost first: a folder that nobody may write to could not be filled.
        for (folder, found) in made.iter().rev() {
            let mode = fs::Permissions::from_mode(found.mode() & 0o7777);
            fs::set_permissions(folder, mode).map_err(|error| at(folder, &error))?;
            set_time(folder, found)?;
        }
        Ok(())
    }

    fn copy_one(&mut self, from: &Path, to: &Path, found: &fs::Metadata) -> io::Result<()> {
        let state = FileState::plain(found);
        if state.kind != Kind::Folder && state.names > 1 {
            match self.named.get(&(state.device, state.number)) {
                Some(first) => return fs::hard_link(first, to),
                None => drop(
                    self.named
                        .insert((state.device, state.number), to.to_owned()),
                ),
            }
        }
        let mode = Mode::from_raw_mode(state.mode);
        match state.kind {
            Kind::Folder => fs::create_dir(to)?,
            Kind::File => copy_content(from, to, found.size())?,
            Kind::Link => symlink(fs::read_link(from)?, to)?,
            Kind::Pipe => mknodat(CWD, to, FileType::Fifo, mode, 0)?,
            Kind::Socket => mknodat(CWD, to, FileType::Socket, mode, 0)?,
            Kind::Device => {
                return Err(io::Error::other("it is a device, which nobody makes here"));
            }
        }
        // Only the superuser gives files away; to whom others belong, theirs do already.
        let owner = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
        let _ = chownat(
            CWD,
            to,
            Some(owner.0),
            Some(owner.1),
            AtFlags::SYMLINK_NOFOLLOW,
        );
        copy_attributes(from, to);
        if state.kind != Kind::Link && state.kind != Kind::Folder {
            fs::set_permissions(to, fs::Permissions::from_mode(state.mode))?;
        }
        if state.kind != Kind::Folder {
            set_time(to, found)?;
        }
        Ok(())
    }
}

pub(super) fn is_whiteout(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device() && found.rdev() == 0
}

fn set_time(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: found.mtime(),
            tv_nsec: found.mtime_nsec(),
        },
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Copies the attributes that are applied with a file. Where they cannot be had, the file is without.
fn copy_attributes(from: &Path, to: &Path) {
    for (name, value) in attributes(from) {
        let _ = lsetxattr(to, &*name, &value, rustix::fs::XattrFlags::empty());
    }
}

/// Copies content: shared with the original where the file system can, else without filling its holes.
fn copy_content(from: &Path, to: &Path, size: u64) -> io::Result<()> {
    let mut source = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32)
        .open(from)?;
    let mut copy = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)?;
    if ioctl_ficlone(&copy, &source).is_ok() {
        return Ok(());
    }
    let mut end = 0;
    while end < size {
        let data = match seek(&source, Sought::Data(end)) {
            Ok(data) => data,
            // Only a hole is left.
            Err(Errno::NXIO) => break,
            Err(_) => end,
        };
        end = seek(&source, Sought::Hole(data)).unwrap_or(size);
        copy_part(&mut source, &mut copy, data, end - data)?;
    }
    copy.set_len(size)
}

fn copy_part(source: &mut File, copy: &mut File, from: u64, length: u64) -> io::Result<()> {
    source.seek(SeekFrom::Start(from))?;
    copy.seek(SeekFrom::Start(from))?;
    io::copy(&mut source.take(length), copy)?;
    copy.flush()
}

/// Copies a folder whole, if it is not too large. Says what the copy is like.
pub(super) fn copy_folder(
    from: &Path,
    to: &Path,
    most_bytes: u64,
) -> io::Result<BTreeMap<PathText, FileState>> {
    let (mut bytes, mut files) = (0, 0);
    let mut folders = vec![from.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| at(&folder, &error))? {
            let entry = entry?;
            let found = entry.metadata()?;
            (bytes, files) = (bytes + found.blocks() * 512, files + 1);
            if bytes > most_bytes || files > MOST_FILES {
                let most = most_bytes >> 20;
                return Err(io::Error::other(format!(
                    "`{}` holds more than {most} MiB or {MOST_FILES} files, too much for a copy",
                    from.display()
                )));
            }
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    fs::remove_dir(to)?;
    Copier::default().copy(from, to)?;
    let mut states = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(to.join(&folder))? {
            let entry = entry?;
            let state = FileState::plain(&entry.metadata()?);
            let path = folder.join(entry.file_name());
            if state.kind == Kind::Folder {
                folders.push(path.clone());
            }
            states.insert(PathText(path), state);
        }
    }
    Ok(states)
}
