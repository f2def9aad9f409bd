//! Hidden paths: where they really are, and whether anything about them has changed since they were hidden.
//!
//! A mount covers the folder that was there, and a Landlock rule opens the files that were there. So a sandbox hides
//! what it should only as long as the hidden paths, and without mounts the folders above them, are as they were when it
//! was started. [`HiddenState`] is what can be compared.

use std::{
    collections::BTreeSet,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The longest time that after a change the clock of a file system may still show the same time for another one.
const TICK: Duration = Duration::from_millis(50);

/// The state of hidden paths at some time. Two that are equal mean that nothing has changed in between.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenState {
    /// The file that each path means, if any.
    paths: Vec<Option<FileId>>,
    /// The folders above them, with what changes when an entry of theirs does.
    folders: Vec<HiddenFolder>,
    /// A folder changed so shortly before that a further change would not show.
    unsettled: bool,
}

/// A folder, and what of it changes when an entry does.
#[derive(Debug, Clone, PartialEq)]
struct HiddenFolder {
    path: PathBuf,
    known: Option<(FileId, Option<SystemTime>)>,
}

impl HiddenFolder {
    fn new(path: PathBuf) -> Self {
        let known = fs::metadata(&path).ok();
        let known = known.map(|known| (file_id(&known), known.modified().ok()));
        Self { path, known }
    }

    fn modified(&self) -> Option<SystemTime> {
        self.known.and_then(|(_, modified)| modified)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    number: u64,
}

impl HiddenState {
    /// The state of hidden paths, and of those that are shown of them, now. `by_name` says that the neighbours of the
    /// hidden ones matter as well: they are opened one by one where there are no mounts.
    ///
    /// ```
    /// use charmer_sandbox::HiddenState;
    /// let folder = tempfile::tempdir().unwrap();
    /// let hidden = [folder.path().join("secret")];
    /// let before = HiddenState::of(&hidden, &[], false);
    /// assert!(before.holds(&hidden, &[]));
    /// std::fs::write(&hidden[0], "new").unwrap();
    /// assert!(!before.holds(&hidden, &[]));
    /// ```
    pub fn of(hidden: &[PathBuf], shown: &[PathBuf], by_name: bool) -> Self {
        let now = SystemTime::now();
        let folders = match by_name {
            true => folders_above(&resolved(hidden)),
            false => BTreeSet::new(),
        };
        let folders: Vec<HiddenFolder> = folders.into_iter().map(HiddenFolder::new).collect();
        let unsettled = folders.iter().any(|folder| {
            let modified = folder.modified();
            modified.is_some_and(|modified| modified + TICK > now)
        });
        Self {
            paths: identities(hidden, shown),
            folders,
            unsettled,
        }
    }

    /// Returns true if it is so still, for the same paths.
    pub fn holds(&self, hidden: &[PathBuf], shown: &[PathBuf]) -> bool {
        let unchanged = |folder: &HiddenFolder| HiddenFolder::new(folder.path.clone()) == *folder;
        !self.unsettled
            && self.paths == identities(hidden, shown)
            && self.folders.iter().all(unchanged)
    }
}

fn identities(hidden: &[PathBuf], shown: &[PathBuf]) -> Vec<Option<FileId>> {
    let paths = hidden.iter().chain(shown);
    let known = paths.map(|path| fs::metadata(path).ok());
    known.map(|known| known.as_ref().map(file_id)).collect()
}

#[cfg(unix)]
fn file_id(file: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    FileId {
        device: file.dev(),
        number: file.ino(),
    }
}

#[cfg(not(unix))]
fn file_id(_: &Metadata) -> FileId {
    FileId {
        device: 0,
        number: 0,
    }
}

/// The targets of the paths, of those that are there.
pub(crate) fn resolved(hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    let there = hidden.iter().filter_map(|path| path.canonicalize().ok());
    there.collect()
}

/// All folders that one of these paths is in, but for those that are hidden themselves.
pub(crate) fn folders_above(resolved: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let above = resolved.iter().flat_map(|path| path.ancestors().skip(1));
    let is_hidden = |folder: &Path| resolved.iter().any(|path| folder.starts_with(path));
    above
        .filter(|folder| !is_hidden(folder))
        .map(Path::to_path_buf)
        .collect()
}
