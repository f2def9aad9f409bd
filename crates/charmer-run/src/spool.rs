//! The whole output of a run that was cut for the assistant, on disk for a while, so that it can be asked for more.
//!
//! Files live in a folder of this server alone, readable by its user alone, each up to a size and for a time; the
//! folder goes with the server. An output belongs to the principal whose call made it, and to another it does not exist.
//! Nor does it exist for anybody before a result has named it: what a step of the call path took out of an output is
//! nowhere to be found.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use charmer_core::order;
use tokio_util::sync::CancellationToken;

use crate::Redactor;

/// The way the name of every spool folder begins.
const FOLDER: &str = "charmer-spool-";

/// Removes the folder of a server that is gone; any other folder is left alone.
pub(crate) fn remove_folder(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str());
    if name.is_some_and(|name| name.starts_with(FOLDER)) {
        // It is only there if something was kept.
        let _ = fs::remove_dir_all(folder);
    }
}

/// The amount that is kept on disk, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpoolLimits {
    /// The number of bytes of one stream that are kept.
    pub file_bytes: u64,
    /// The number of files that are kept; the oldest goes first.
    pub files: usize,
    /// The time that a file is kept.
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
    inner: Arc<SpoolFolder>,
    /// The redactor for reading: a terminal's sequence may have hidden a secret from the redaction on the way here.
    redactor: Redactor,
}

#[derive(Debug)]
struct SpoolFolder {
    folder: PathBuf,
    limits: SpoolLimits,
    files: Mutex<SpoolFiles>,
    /// Cancelled when the first file was made.
    used: CancellationToken,
}

#[derive(Debug, Default)]
struct SpoolFiles {
    made: bool,
    kept: HashMap<String, SpoolEntry>,
}

/// The facts known about a file.
#[derive(Debug)]
struct SpoolEntry {
    begun: Instant,
    principal: Arc<str>,
    handed_out: bool,
    /// More is written to it, so that it does not expire.
    is_open: bool,
    /// The number of bytes of the output that are not in it.
    missing: Arc<AtomicU64>,
}

/// A part of an output, and how much there is of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpoolPart {
    /// The bytes that were asked for, as far as they were kept.
    pub bytes: Vec<u8>,
    /// The number of bytes of the output that were kept.
    pub kept: u64,
    /// The number of bytes that came after those, and were not kept.
    pub missing: u64,
}

impl Spool {
    /// A spool in a new folder under `parent`; the folder is made when it is first needed.
    pub fn new(parent: &Path, limits: SpoolLimits) -> Self {
        // Nobody else can make it, so that a name that can be guessed only costs the outputs.
        let name = random_id().unwrap_or_else(|_| std::process::id().to_string());
        let folder = parent.join(format!("{FOLDER}{name}"));
        Self {
            inner: Arc::new(SpoolFolder {
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

    /// Its folder, for whoever cleans up after a server that was killed.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// The folders of all spools under `parent`, of this server and of others.
    pub fn folders_in(parent: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        let spools =
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(FOLDER));
        spools.map(|entry| entry.path()).collect()
    }

    /// Is cancelled when there is something to read for the first time.
    pub fn used(&self) -> CancellationToken {
        self.inner.used.clone()
    }

    /// The ids of what is kept of a principal's outputs, the newest first.
    pub fn ids(&self, principal: &str) -> Vec<String> {
        let inner = &*self.inner;
        let mut files = inner.files();
        inner.forget_old(&mut files, 0);
        let own = files.kept.iter();
        let own = own.filter(|(_, entry)| entry.is_open_to(principal));
        let mut own: Vec<(Instant, &String)> = own.map(|(id, entry)| (entry.begun, id)).collect();
        order::sort_by(&mut own, |a, b| b.cmp(a));
        own.into_iter().map(|(_, id)| id.clone()).collect()
    }

    /// Begins a file that belongs to this principal.
    pub(crate) fn create(&self, principal: &Arc<str>) -> io::Result<SpoolFile> {
        let inner = &*self.inner;
        let mut files = inner.files();
        if !files.made {
            make_private_folder(&inner.folder)?;
            files.made = true;
        }
        inner.forget_old(&mut files, 1);
        let id = random_id()?;
        let file = make_private_file(&inner.folder.join(&id))?;
        let entry = SpoolEntry {
            begun: Instant::now(),
            principal: Arc::clone(principal),
            handed_out: false,
            is_open: true,
            missing: Arc::default(),
        };
        let missing = Arc::clone(&entry.missing);
        files.kept.insert(id.clone(), entry);
        inner.used.cancel();
        let spool = Arc::downgrade(&self.inner);
        Ok(SpoolFile {
            spooled: Spooled(Arc::new(OnDisk { id, spool })),
            file,
            room: inner.limits.file_bytes,
            missing,
        })
    }

    /// Opens an output that is still kept and belongs to this principal; says how much of it is missing.
    fn open(&self, id: &str, principal: &str) -> Option<(File, u64)> {
        let mut files = self.inner.files();
        self.inner.forget_old(&mut files, 0);
        // Only ids that were handed out reach the file system, so no id can name another path.
        let entry = files.kept.get(id)?;
        if !entry.is_open_to(principal) {
            return None;
        }
        let file = File::open(self.inner.folder.join(id)).ok()?;
        Some((file, entry.missing.load(Ordering::Relaxed)))
    }

    /// Returns true if an output of this principal is still kept.
    #[cfg(feature = "jobs")]
    pub(crate) fn holds(&self, id: &str, principal: &str) -> bool {
        self.open(id, principal).is_some()
    }

    /// Reads a part of an output of this principal: up to `length` bytes from `offset`.
    pub fn read(
        &self,
        id: &str,
        principal: &str,
        offset: u64,
        length: usize,
    ) -> Option<io::Result<SpoolPart>> {
        let (mut file, missing) = self.open(id, principal)?;
        Some((|| {
            let kept = file.metadata()?.len();
            file.seek(SeekFrom::Start(offset.min(kept)))?;
            let mut bytes = Vec::new();
            file.take(length as u64).read_to_end(&mut bytes)?;
            Ok(SpoolPart {
                bytes,
                kept,
                missing,
            })
        })())
    }

    /// A reader of all that was kept of an output of this principal, and how many bytes come after that.
    pub fn reader(&self, id: &str, principal: &str) -> Option<(impl Read + use<>, u64)> {
        self.open(id, principal)
    }
}

impl SpoolEntry {
    fn is_open_to(&self, principal: &str) -> bool {
        self.handed_out && &*self.principal == principal
    }
}

impl SpoolFolder {
    fn files(&self) -> MutexGuard<'_, SpoolFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what has expired, and the oldest until so many more have room.
    fn forget_old(&self, files: &mut SpoolFiles, more: usize) {
        let expired =
            |entry: &SpoolEntry| !entry.is_open && entry.begun.elapsed() >= self.limits.lifetime;
        let mut gone: Vec<String> = files
            .kept
            .iter()
            .filter(|(_, entry)| expired(entry))
            .map(|(id, _)| id.clone())
            .collect();
        let excess =
            (files.kept.len() - gone.len() + more).saturating_sub(self.limits.files.max(1));
        let mut rest: Vec<(&String, &SpoolEntry)> = files
            .kept
            .iter()
            .filter(|(_, entry)| !expired(entry))
            .collect();
        order::sort_by_key(&mut rest, |(_, entry)| (entry.is_open, entry.begun));
        gone.extend(rest.into_iter().take(excess).map(|(id, _)| id.clone()));
        for id in gone {
            files.kept.remove(&id);
            // Somebody may have cleaned up before us.
            let _ = fs::remove_file(self.folder.join(id));
        }
    }
}

impl Drop for SpoolFolder {
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

/// A long output on disk. It can be read once its id was handed out; one whose id never is goes with its last clone.
#[derive(Debug, Clone)]
pub struct Spooled(Arc<OnDisk>);

#[derive(Debug)]
struct OnDisk {
    id: String,
    spool: Weak<SpoolFolder>,
}

impl Spooled {
    /// The id by which its principal can read the output from now on.
    pub fn hand_out(&self) -> &str {
        if let Some(spool) = self.0.spool.upgrade()
            && let Some(entry) = spool.files().kept.get_mut(&self.0.id)
        {
            entry.handed_out = true;
        }
        &self.0.id
    }
}

impl PartialEq for Spooled {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Spooled {}

impl Drop for OnDisk {
    fn drop(&mut self) {
        let Some(spool) = self.spool.upgrade() else {
            return;
        };
        let mut files = spool.files();
        if files
            .kept
            .get(&self.id)
            .is_some_and(|entry| !entry.handed_out)
        {
            files.kept.remove(&self.id);
            let _ = fs::remove_file(spool.folder.join(&self.id));
        }
    }
}

/// One stream on its way to disk.
#[derive(Debug)]
pub(crate) struct SpoolFile {
    spooled: Spooled,
    file: File,
    room: u64,
    missing: Arc<AtomicU64>,
}

impl SpoolFile {
    #[cfg(test)]
    pub(crate) fn id(&self) -> &str {
        self.spooled.hand_out()
    }

    /// The output on disk, which can be read while more is written.
    pub(crate) fn spooled(&self) -> Spooled {
        self.spooled.clone()
    }

    /// The output on disk, whole. Its time begins now: what wrote it may have run for hours.
    pub(crate) fn into_spooled(self) -> Spooled {
        if let Some(spool) = self.spooled.0.spool.upgrade()
            && let Some(entry) = spool.files().kept.get_mut(&self.spooled.0.id)
        {
            entry.begun = Instant::now();
            entry.is_open = false;
        }
        self.spooled
    }

    /// Writes as much as there is room for. A full disk ends the spooling, not the call.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let fitting = usize::try_from(self.room)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        if fitting > 0 {
            match self.file.write_all(&bytes[..fitting]) {
                Ok(()) => self.room -= fitting as u64,
                Err(error) => {
                    tracing::warn!(%error, "the rest of an output could not be kept on disk");
                    self.room = 0;
                    return self.lose(bytes.len() as u64);
                }
            }
        }
        self.lose((bytes.len() - fitting) as u64);
    }

    /// Counts bytes that are not in the file.
    pub(crate) fn lose(&self, count: u64) {
        self.missing.fetch_add(count, Ordering::Relaxed);
    }
}

/// An id that nobody can guess.
fn random_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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
    use crate::LOCAL;

    use super::*;

    fn local() -> Arc<str> {
        Arc::from(LOCAL)
    }

    #[test]
    fn files_are_bounded_private_and_go_with_the_spool() {
        let parent = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(
            parent.path(),
            SpoolLimits::default().file_bytes(10).files(2),
        );
        assert_eq!(fs::read_dir(parent.path()).expect("it is there").count(), 0);
        let mut made = Vec::new();
        for _ in 0..3 {
            let mut file = spool.create(&local()).expect("room");
            file.write(b"0123456");
            file.write(b"789abc");
            made.push(file.into_spooled());
        }
        let ids: Vec<&str> = made.iter().map(Spooled::hand_out).collect();
        let read = |id: &str, offset, length| spool.read(id, LOCAL, offset, length);
        assert!(read(ids[0], 0, 100).is_none());
        let part = read(ids[2], 3, 4).expect("kept").expect("readable");
        assert_eq!(
            (&part.bytes[..], part.kept, part.missing),
            (&b"3456"[..], 10, 3)
        );
        assert!(read("../../etc/passwd", 0, 1).is_none());
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
        let old = spool.create(&local()).expect("room").into_spooled();
        assert!(spool.read(old.hand_out(), LOCAL, 0, 1).is_none());
    }

    #[test]
    fn an_output_that_no_result_names_does_not_exist() {
        let parent = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(parent.path(), SpoolLimits::default());
        let kept = spool.create(&local()).expect("room").into_spooled();
        let on_disk = || fs::read_dir(spool.folder()).expect("it is there").count();
        assert!(spool.ids(LOCAL).is_empty() && on_disk() == 1);
        assert!(spool.read(&kept.0.id, LOCAL, 0, 1).is_none());
        drop(kept);
        assert_eq!(on_disk(), 0);

        let kept = spool.create(&local()).expect("room").into_spooled();
        let id = kept.hand_out().to_owned();
        drop(kept);
        assert_eq!(spool.ids(LOCAL), [id.as_str()]);
        assert!(spool.read(&id, LOCAL, 0, 1).is_some());
    }

    #[test]
    fn an_output_does_not_exist_for_another_principal() {
        let parent = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(parent.path(), SpoolLimits::default());
        let of = |name: &str| spool.create(&Arc::from(name)).expect("room").into_spooled();
        let (anns, bobs) = (of("ann"), of("bob"));
        let (ann, bob) = (anns.hand_out(), bobs.hand_out());
        assert!(spool.read(ann, "ann", 0, 1).is_some());
        assert!(spool.read(ann, "bob", 0, 1).is_none());
        assert!(spool.reader(bob, "ann").is_none());
        assert_eq!(spool.ids("bob"), [bob]);
        assert_eq!(spool.ids(LOCAL), [""; 0]);
    }
}
