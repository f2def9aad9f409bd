//! The folder that probes may write to: a home, an empty git repository to work in, and room for temporary files.
//!
//! It goes with its owner. Should the owner be killed, the next one removes it: each folder holds a file that its owner
//! keeps locked, so a lock that is to be had means that nobody is left.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

const PREFIX: &str = "charmer-probe-";
const LOCK: &str = "lock";

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Scratch {
    /// What probes may write to; a path without symbolic links, as programs print it.
    room: PathBuf,
    /// Before the folder, because some systems do not remove what is open.
    _lock: File,
    _folder: TempDir,
}

impl Scratch {
    /// Makes one in a folder for temporary files, and removes those there whose owners are gone.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(PREFIX).tempdir_in(parent)?;
        let root = folder.path().canonicalize()?;
        // Locked before it has its name: nobody can find it there unlocked while its owner lives.
        let lock = File::create_new(root.join("lock.new"))?;
        let _ = lock.try_lock();
        fs::rename(root.join("lock.new"), root.join(LOCK))?;
        sweep(parent, &root);

        let scratch = Self {
            room: root.join("room"),
            _lock: lock,
            _folder: folder,
        };
        let home = scratch.home();
        for inside in [".config", ".cache", ".local/share", ".local/state"] {
            fs::create_dir_all(home.join(inside))?;
        }
        fs::create_dir(scratch.temporary())?;
        make_private(&scratch.runtime())?;
        make_repository(&scratch.work())?;
        Ok(scratch)
    }

    /// All that probes may write to.
    pub(super) fn room(&self) -> &Path {
        &self.room
    }

    /// The home folder.
    pub(super) fn home(&self) -> PathBuf {
        self.room.join("home")
    }

    /// The working directory.
    pub(super) fn work(&self) -> PathBuf {
        self.room.join("work")
    }

    /// The folder for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.room.join("tmp")
    }

    /// The folder for sockets and the like.
    pub(super) fn runtime(&self) -> PathBuf {
        self.room.join("run")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A program may have left folders that not even their owner may empty. `TempDir` removes what is left.
        if fs::remove_dir_all(&self.room).is_err() {
            open_up(&self.room);
        }
    }
}

/// Gives the owner of folders back the right to empty them.
fn open_up(folder: &Path) {
    #[cfg(unix)]
    let _ = fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}

/// Removes what owners that were killed have left.
fn sweep(parent: &Path, own: &Path) {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if named && path.file_name() != own.file_name() && same_owner(&path, own) {
            let lock = File::open(path.join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                open_up(&path);
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

/// Whether both are folders, not links to some, of one user.
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
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// An empty git repository, which is no more than this.
fn make_repository(folder: &Path) -> io::Result<()> {
    let git = folder.join(".git");
    for inside in ["objects", "refs/heads"] {
        fs::create_dir_all(git.join(inside))?;
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(
        git.join("config"),
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_its_owner_whatever_was_left_in_it() {
        let parent = TempDir::new().expect("a folder");
        let scratch = Scratch::new(parent.path()).expect("a scratch");
        let stubborn = scratch.home().join("modules");
        fs::create_dir_all(stubborn.join("inside")).expect("a folder");
        #[cfg(unix)]
        fs::set_permissions(
            &stubborn,
            std::os::unix::fs::PermissionsExt::from_mode(0o500),
        )
        .expect("it is ours");
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn the_next_one_removes_what_the_killed_left_and_nothing_else() {
        let parent = TempDir::new().expect("a folder");
        let alive = Scratch::new(parent.path()).expect("a scratch");
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

        let _next = Scratch::new(parent.path()).expect("a scratch");
        assert!(!dead.exists());
        assert!(alive.home().is_dir() && alive.work().join(".git/HEAD").is_file());
        assert!(unfinished.exists() && foreign.join(LOCK).exists());
    }
}
