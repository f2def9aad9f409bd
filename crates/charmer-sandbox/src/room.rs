//! A folder that confined programs may write to, and that goes with its owner.
//!
//! Should the owner be killed, the next one removes it: each folder holds a file that its owner keeps locked, so a lock
//! that is to be had means that nobody is left.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

const LOCK: &str = "lock";
const ROOM: &str = "room";

/// See the module's documentation.
///
/// ```
/// use charmer_sandbox::Room;
/// let parent = tempfile::tempdir().unwrap();
/// let room = Room::new(parent.path(), "example-").unwrap();
/// std::fs::write(room.path().join("file"), "text").unwrap();
/// room.empty().unwrap();
/// assert!(!room.path().join("file").exists());
/// drop(room);
/// assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
/// ```
#[derive(Debug)]
pub struct Room {
    /// A path without symbolic links, as programs print it.
    path: PathBuf,
    /// Before the folder, because some systems do not remove what is open.
    _lock: File,
    _folder: TempDir,
}

impl Room {
    /// Makes one in a folder for temporary files, with a name that begins like this, and removes those of that name whose
    /// owners are gone.
    pub fn new(parent: &Path, prefix: &str) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(prefix).tempdir_in(parent)?;
        let root = folder.path().canonicalize()?;
        // Locked before it has its name: nobody can find it there unlocked while its owner lives.
        let lock = File::create_new(root.join("lock.new"))?;
        let _ = lock.try_lock();
        fs::rename(root.join("lock.new"), root.join(LOCK))?;
        sweep(parent, prefix, &root);
        let path = root.join(ROOM);
        make_private(&path)?;
        Ok(Self {
            path,
            _lock: lock,
            _folder: folder,
        })
    }

    /// The folder that programs may write to.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes everything in it. Nothing may run in it any more.
    pub fn empty(&self) -> io::Result<()> {
        empty(&self.path)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // `TempDir` removes what is left.
        let _ = self.empty();
    }
}

/// Removes a folder with everything in it, whatever its modes and however deep it is nested.
///
/// ```
/// let parent = tempfile::tempdir().unwrap();
/// std::fs::create_dir_all(parent.path().join("a/b/c")).unwrap();
/// charmer_sandbox::remove_folder(&parent.path().join("a")).unwrap();
/// assert!(!parent.path().join("a").exists());
/// ```
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    open_up(folder);
    empty(folder)?;
    fs::remove_dir(folder)
}

/// Removes everything in a folder, which itself stays: rights to it are bound to it and not to its name. However deep
/// programs have nested folders, nothing here is as deep: what is in a folder of this one is moved up until there is none.
fn empty(folder: &Path) -> io::Result<()> {
    let mut moved = 0_u64;
    loop {
        let mut entries = fs::read_dir(folder)?.peekable();
        if entries.peek().is_none() {
            return Ok(());
        }
        for entry in entries {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
                continue;
            }
            open_up(&entry.path());
            for inner in fs::read_dir(entry.path())? {
                let inner = inner?;
                if !inner.file_type()?.is_dir() {
                    fs::remove_file(inner.path())?;
                    continue;
                }
                open_up(&inner.path());
                if fs::remove_dir(inner.path()).is_ok() {
                    continue;
                }
                let mut free = folder.join(format!(".moved-{moved}"));
                while fs::symlink_metadata(&free).is_ok() {
                    moved += 1;
                    free = folder.join(format!(".moved-{moved}"));
                }
                fs::rename(inner.path(), free)?;
            }
            fs::remove_dir(entry.path())?;
        }
    }
}

/// Gives the owner of a folder back the right to empty it. Where that fails, emptying says why.
fn open_up(folder: &Path) {
    #[cfg(unix)]
    let _ = fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    #[cfg(not(unix))]
    let _ = folder;
}

/// Removes what owners that were killed have left.
fn sweep(parent: &Path, prefix: &str, own: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let named = entry.file_name().to_string_lossy().starts_with(prefix);
        if named && path.file_name() != own.file_name() && same_owner(&path, own) {
            let lock = File::open(path.join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                let _ = empty(&path.join(ROOM));
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

/// Returns true if both are folders, not links to some, of one user.
fn same_owner(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::symlink_metadata(one), fs::symlink_metadata(other)) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        one.is_dir() && other.is_dir() && one.uid() == other.uid()
    }
    #[cfg(not(unix))]
    {
        one.is_dir() && other.is_dir()
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)
    }
    #[cfg(not(unix))]
    fs::create_dir(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const PREFIX: &str = "room-test-";

    #[test]
    fn it_goes_with_its_owner_whatever_was_left_in_it() {
        let parent = TempDir::new().expect("a folder");
        let room = Room::new(parent.path(), PREFIX).expect("a room");
        let number = fs::metadata(room.path()).expect("it is there").ino();
        let stubborn = room.path().join("modules");
        for _ in 0..2 {
            fs::create_dir_all(stubborn.join("inside")).expect("a folder");
            #[cfg(unix)]
            fs::set_permissions(
                &stubborn,
                std::os::unix::fs::PermissionsExt::from_mode(0o500),
            )
            .expect("it is ours");
            room.empty().expect("it is ours");
            assert!(!stubborn.exists() && room.path().exists());
        }
        assert_eq!(
            fs::metadata(room.path()).expect("it is there").ino(),
            number
        );
        // Deeper than any stack: folders are made from the innermost on.
        let mut inner = room.path().join("0");
        fs::create_dir(&inner).expect("a folder");
        for depth in 1..5_000 {
            let outer = room.path().join(depth.to_string());
            fs::create_dir(&outer).expect("a folder");
            fs::rename(&inner, outer.join("x")).expect("it is ours");
            inner = outer;
        }
        drop(room);
        assert_eq!(fs::read_dir(parent.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn the_next_one_removes_what_the_killed_left_and_nothing_else() {
        let parent = TempDir::new().expect("a folder");
        let alive = Room::new(parent.path(), PREFIX).expect("a room");
        // As a killed owner leaves it: there, and locked by nobody.
        let dead = parent.path().join(format!("{PREFIX}dead"));
        fs::create_dir_all(dead.join("room/home")).expect("a folder");
        fs::write(dead.join(LOCK), "").expect("a file");
        let unfinished = parent.path().join(format!("{PREFIX}unfinished"));
        let foreign = parent.path().join("something-else");
        for folder in [&unfinished, &foreign] {
            fs::create_dir(folder).expect("a folder");
        }
        fs::write(foreign.join(LOCK), "").expect("a file");

        let _next = Room::new(parent.path(), PREFIX).expect("a room");
        assert!(!dead.exists());
        assert!(alive.path().is_dir());
        assert!(unfinished.exists() && foreign.join(LOCK).exists());
    }
}
