//! A spell's file on disk: found, told whether it changed, and read without being held up.

use std::{
    fs::{self, Metadata, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use charmer_config::reading;

/// A file that changed less than this ago may change again without looking different.
const RACY: Duration = Duration::from_millis(100);

/// The marks of a file from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    length: u64,
    modified: Option<SystemTime>,
    /// The time of its last change of any kind, by the system's own clock, where that is known.
    changed: Option<SystemTime>,
    identity: (u64, u64),
    is_file: bool,
}

impl Fingerprint {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(path)?;
        Ok(Self {
            length: meta.len(),
            modified: meta.modified().ok(),
            changed: changed(&meta),
            identity: identity(&meta),
            is_file: meta.is_file(),
        })
    }

    /// Returns true if it is a regular file.
    pub(crate) fn is_file(&self) -> bool {
        self.is_file
    }

    /// Returns true if a later change is sure to be seen in it.
    pub(crate) fn is_settled(&self) -> bool {
        // Whoever writes a file can say when it was modified, even that it will be.
        let age = self.changed.and_then(|changed| changed.elapsed().ok());
        age.is_some_and(|age| age > RACY)
    }
}

#[cfg(unix)]
fn identity(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

#[cfg(unix)]
fn changed(meta: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = Duration::from_secs(meta.ctime().try_into().ok()?);
    let rest = Duration::from_nanos(meta.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + rest)
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

#[cfg(not(unix))]
fn changed(meta: &Metadata) -> Option<SystemTime> {
    meta.modified().ok()
}

/// The absolute path of a folder or file. What ends with `..` does not say which folder holds it, so it is resolved.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match absolute.components().next_back() {
        Some(std::path::Component::ParentDir) => fs::canonicalize(&absolute).unwrap_or(absolute),
        _ => absolute,
    }
}

/// The spell files of a folder, in order.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_spell = path
            .extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml");
        if is_spell && !hidden {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file. A pipe or a device is not read.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe that nobody writes to must not hold up the server.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let file = options.open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file",
        ));
    }
    reading::text_of(io::BufReader::with_capacity(buffer(&meta), file))
}

/// The amount that is read at once: a spell as a whole, and what follows it to see its end.
fn buffer(meta: &Metadata) -> usize {
    usize::try_from(meta.len())
        .unwrap_or(usize::MAX)
        .clamp(512, 64 << 10)
        + 1
}

/// Describes the ways in which a file's or folder's permissions let others change it.
pub(crate) fn exposure(path: &Path, what: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Ok(meta) = fs::symlink_metadata(path) else {
        return found;
    };
    #[cfg_attr(
        not(unix),
        expect(unused_variables, reason = "only Unix has these rights")
    )]
    let reached = if meta.is_symlink() {
        let target = fs::read_link(path).unwrap_or_default();
        found.push(format!(
            "{what} is a symlink to `{}`: whoever can change that changes it",
            target.display()
        ));
        fs::metadata(path).ok()
    } else {
        Some(meta)
    };
    #[cfg(unix)]
    if reached.is_some_and(|meta| {
        std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o002 != 0
    }) {
        found.push(format!(
            "{what} can be written by every user of this machine (`chmod o-w` ends that)"
        ));
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_from_the_future_is_not_read_for_ever() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let later = SystemTime::now() + Duration::from_secs(3600);
        file.as_file().set_modified(later).expect("it can");
        std::thread::sleep(RACY + RACY);
        let seen = Fingerprint::of(file.path()).expect("it is there");
        assert!(seen.is_settled(), "its age is the system's to say");
    }
}
