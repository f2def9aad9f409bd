//! The whole output of a run that was cut for the assistant, on disk for a while, so that it can be asked for more.
//!
//! Files live in a folder of this server alone, readable by its user alone, each up to a size and for a time; the
//! folder goes with the server.

use std::{
    collections::HashMap,
    fs::{self, File},
    hash::{BuildHasher, Hasher, RandomState},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::Redactor;

/// How the name of every spool folder begins.
const FOLDER: &str = "charmer-spool-";

/// Removes the folder of a server that is gone; any other folder is left alone.
pub(crate) fn remove_folder(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str());
    if name.is_some_and(|name| name.starts_with(FOLDER)) {
        // It is only there if something was kept.
        let _ = fs::remove_dir_all(folder);
    }
}

/// How much is kept on disk, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpoolLimits {
    /// How many bytes of one stream are kept.
    pub file_bytes: u64,
    /// How many files are kept; the oldest goes first.
    pub files: usize,
    /// How long a file is kept.
    pub lifetime: Duration,
}

impl Default for SpoolLimits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            files: 32,
            lifetime: Duration::from_secs(3600),
        }
    }
}

impl SpoolLimits {
    /// Sets how many bytes of one stream are kept.
    #[must_use]
    pub fn file_bytes(mut self, bytes: u64) -> Self {
        self.file_bytes = bytes;
        self
    }

    /// Sets how many files are kept.
    #[must_use]
    pub fn files(mut self, files: usize) -> Self {
        self.files = files;
        self
    }

    /// Sets how long a file is kept.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }
}

/// See the module's documentation. Clones share the folder.
#[derive(Debug, Clone)]
pub struct Spool {
    inner: Arc<Inner>,
    /// What must not be seen even in what was redacted on its way here.
    redactor: Redactor,
}

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    limits: SpoolLimits,
    files: Mutex<Files>,
    /// Cancelled when the first file was made.
    used: CancellationToken,
}

#[derive(Debug, Default)]
struct Files {
    made: bool,
    kept: HashMap<String, Instant>,
}

impl Spool {
    /// A spool in a new folder under `parent`; the folder is made when it is first needed.
    pub fn new(parent: &Path, limits: SpoolLimits) -> Self {
        let folder = parent.join(format!("{FOLDER}{}", random_id()));
        Self {
            inner: Arc::new(Inner {
                folder,
                limits,
                files: Mutex::default(),
                used: CancellationToken::new(),
            }),
            redactor: Redactor::default(),
        }
    }

    /// Says what must not be seen when it is read: a terminal's sequence inside a secret may have hidden it while it
    /// streamed, and is removed only then.
    pub(crate) fn redacted_by(mut self, redactor: &Redactor) -> Self {
        self.redactor = redactor.clone();
        self
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Where it is, for whoever cleans up after a server that was killed.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Is cancelled when there is something to read for the first time.
    pub fn used(&self) -> CancellationToken {
        self.inner.used.clone()
    }

    /// The ids of what is kept, the newest first.
    pub fn ids(&self) -> Vec<String> {
        let inner = &*self.inner;
        let mut files = inner.files.lock().unwrap_or_else(PoisonError::into_inner);
        inner.forget_old(&mut files, 0);
        let mut kept: Vec<(&Instant, &String)> =
            files.kept.iter().map(|(id, begun)| (begun, id)).collect();
        kept.sort_by(|a, b| b.cmp(a));
        kept.into_iter().map(|(_, id)| id.clone()).collect()
    }

    /// Begins a file.
    pub(crate) fn create(&self) -> io::Result<SpoolFile> {
        let inner = &*self.inner;
        let mut files = inner.files.lock().unwrap_or_else(PoisonError::into_inner);
        if !files.made {
            make_private_folder(&inner.folder)?;
            files.made = true;
        }
        inner.forget_old(&mut files, 1);
        let id = random_id();
        let file = make_private_file(&inner.folder.join(&id))?;
        files.kept.insert(id.clone(), Instant::now());
        inner.used.cancel();
        Ok(SpoolFile {
            id,
            file,
            room: inner.limits.file_bytes,
            failed: false,
        })
    }

    /// Opens a file that is still kept.
    fn open(&self, id: &str) -> Option<File> {
        let mut files = self
            .inner
            .files
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.inner.forget_old(&mut files, 0);
        // Only ids that were handed out reach the file system, so no id can name another path.
        files
            .kept
            .contains_key(id)
            .then(|| File::open(self.inner.folder.join(id)).ok())
            .flatten()
    }

    /// Reads a part of a file: up to `length` bytes from `offset`, and how many it has in all.
    pub fn read(&self, id: &str, offset: u64, length: usize) -> Option<io::Result<(Vec<u8>, u64)>> {
        let mut file = self.open(id)?;
        Some((|| {
            let total = file.metadata()?.len();
            file.seek(SeekFrom::Start(offset.min(total)))?;
            let mut part = Vec::new();
            file.take(length as u64).read_to_end(&mut part)?;
            Ok((part, total))
        })())
    }

    /// A reader of a whole file.
    pub fn reader(&self, id: &str) -> Option<impl Read + use<>> {
        self.open(id)
    }
}

impl Inner {
    /// Forgets what has expired, and the oldest until so many more have room.
    fn forget_old(&self, files: &mut Files, more: usize) {
        let expired = |begun: &Instant| begun.elapsed() >= self.limits.lifetime;
        let mut gone: Vec<String> = files
            .kept
            .iter()
            .filter(|(_, begun)| expired(begun))
            .map(|(id, _)| id.clone())
            .collect();
        let excess =
            (files.kept.len() - gone.len() + more).saturating_sub(self.limits.files.max(1));
        let mut rest: Vec<(&String, &Instant)> = files
            .kept
            .iter()
            .filter(|(_, begun)| !expired(begun))
            .collect();
        rest.sort_by_key(|(_, begun)| **begun);
        gone.extend(rest.into_iter().take(excess).map(|(id, _)| id.clone()));
        for id in gone {
            files.kept.remove(&id);
            // Somebody may have cleaned up before us.
            let _ = fs::remove_file(self.folder.join(id));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self
            .files
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .made
        {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// One stream on its way to disk.
#[derive(Debug)]
pub(crate) struct SpoolFile {
    id: String,
    file: File,
    room: u64,
    failed: bool,
}

impl SpoolFile {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Writes as much as there is room for. A full disk ends the spooling, not the call.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let fitting = usize::try_from(self.room)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        if self.failed || fitting == 0 {
            return;
        }
        match self.file.write_all(&bytes[..fitting]) {
            Ok(()) => self.room -= fitting as u64,
            Err(error) => {
                tracing::warn!(%error, "the rest of an output could not be kept on disk");
                self.failed = true;
            }
        }
    }
}

/// An id that nobody can guess: what the standard library seeds its hash maps with.
fn random_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(unix)]
fn make_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new()
        .recursive(false)
        .mode(0o700)
        .create(path)
}

#[cfg(unix)]
fn make_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
fn make_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}

#[cfg(not(unix))]
fn make_private_file(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_bounded_private_and_go_with_the_spool() {
        let parent = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(
            parent.path(),
            SpoolLimits::default().file_bytes(10).files(2),
        );
        assert_eq!(fs::read_dir(parent.path()).expect("it is there").count(), 0);
        let mut ids = Vec::new();
        for _ in 0..3 {
            let mut file = spool.create().expect("room");
            file.write(b"0123456");
            file.write(b"789abc");
            ids.push(file.id().to_owned());
        }
        assert!(spool.read(&ids[0], 0, 100).is_none());
        let (part, total) = spool.read(&ids[2], 3, 4).expect("kept").expect("readable");
        assert_eq!((&part[..], total), (&b"3456"[..], 10));
        assert!(spool.read("../../etc/passwd", 0, 1).is_none());
        let folder = spool.inner.folder.clone();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                folder.metadata().expect("it is there").permissions().mode() & 0o777,
                0o700
            );
        }
        drop(spool);
        assert!(!folder.exists());
    }

    #[test]
    fn an_old_file_is_gone() {
        let parent = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(
            parent.path(),
            SpoolLimits::default().lifetime(Duration::ZERO),
        );
        let id = spool.create().expect("room").id().to_owned();
        assert!(spool.read(&id, 0, 1).is_none());
    }
}
