//! Bytes on their way to disk: whole or not at all, with the mode and the owner of what they replace.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::{change::Change, client::Scope, error::FileError};

/// The number of links from one to the next after which they are taken for a circle, as Linux counts them.
const LINKS: usize = 40;

/// The result of writing a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Written {
    /// Nothing: everything was as it should be.
    Nothing,
    /// The file did not exist and was made.
    Created,
    /// The file was changed.
    Changed,
    /// The file was deleted: nothing was left in it that is somebody's.
    Deleted,
}

/// Writes a change.
pub(crate) fn write(change: &Change) -> Result<Written, FileError> {
    let path = &change.path;
    let fail = |source| FileError::Write {
        path: path.clone(),
        source,
    };
    let meanwhile = || FileError::ChangedMeanwhile { path: path.clone() };
    if change.is_nothing() {
        return Ok(Written::Nothing);
    }
    let target = followed(path).map_err(fail)?;
    let unchanged = || -> Result<bool, FileError> {
        Ok(read(&target).map_err(fail)?.as_ref() == change.before.as_ref())
    };
    let Some(after) = &change.after else {
        let _alone = alone_in(folder_of(&target));
        if !unchanged()? {
            return Err(meanwhile());
        }
        fs::remove_file(&target).map_err(fail)?;
        sync_folder(&target);
        return Ok(Written::Deleted);
    };
    let folder = folder_of(&target);
    if change.before.is_none() {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    let old = change
        .before
        .as_ref()
        .map(|_| fs::metadata(&target))
        .transpose()
        .map_err(|_| meanwhile())?;
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(fail(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is read-only",
        )));
    }
    let new = prepare(folder, after, old.as_ref(), change.scope).map_err(fail)?;
    if old.is_none() {
        // Never over a file that has come to be meanwhile.
        new.persist_noclobber(&target)
            .map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => meanwhile(),
                _ => fail(error.error),
            })?;
        sync_folder(&target);
        return Ok(Written::Created);
    }
    let _alone = alone_in(folder);
    if !unchanged()? {
        return Err(meanwhile());
    }
    new.persist(&target).map_err(|error| fail(error.error))?;
    sync_folder(&target);
    Ok(Written::Changed)
}

/// Waits until no other writer of ours is between its last look at a file of this folder and the new file's name, so that
/// none of two that come together is lost. It holds until it is dropped; where a folder cannot be locked it is nothing.
fn alone_in(folder: &Path) -> Option<File> {
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// The bytes of a file, if it exists.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file that links lead to, whether it exists or not.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                path = folder_of(&path).join(fs::read_link(&path)?);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A file in a folder with these bytes, on disk.
fn prepare(
    folder: &Path,
    bytes: &[u8],
    old: Option<&Metadata>,
    scope: Scope,
) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".charmer-").suffix(".tmp");
    #[cfg(unix)]
    if old.is_none() && scope == Scope::Project {
        use std::os::unix::fs::PermissionsExt;
        // As any other file of a project: less what the process masks.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = scope;
    let mut new = builder.tempfile_in(folder)?;
    new.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(new.as_file(), old)?;
        // After the owner, because a change of owner drops some bits of the mode.
        new.as_file().set_permissions(old.permissions())?;
    }
    new.as_file().sync_all()?;
    Ok(new)
}

/// Gives a file the owner of another.
#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let made = new.metadata()?;
    if (made.uid(), made.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid())).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!(
                "it belongs to another user or group and could not be given back to them ({error})"
            ),
        )
    })
}

/// Owners are those of the folder.
#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Makes the new name of a file last. Not every file system can, and then the name is as lasting as any other.
fn sync_folder(file: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder_of(file)) {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = file;
}
