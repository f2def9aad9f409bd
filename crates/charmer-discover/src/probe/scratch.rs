//! The folder that probes may write to: a home, an empty git repository to work in, and room for temporary files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use charmer_sandbox::Room;

const PREFIX: &str = "charmer-probe-";

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct Scratch(Room);

impl Scratch {
    /// Makes one in a folder for temporary files, and removes those there whose owners are gone.
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        let scratch = Self(Room::new(parent, PREFIX)?);
        let home = scratch.home();
        for inside in [".config", ".cache", ".local/share", ".local/state"] {
            fs::create_dir_all(home.join(inside))?;
        }
        fs::create_dir(scratch.temporary())?;
        make_private(&scratch.runtime())?;
        make_repository(&scratch.work())?;
        Ok(scratch)
    }

    /// Removes everything before its owner goes.
    pub(super) fn remove(&self) {
        // First what only its owner may empty, then the folder around it.
        let _ = self.0.empty();
        if let Some(folder) = self.room().parent() {
            let _ = fs::remove_dir_all(folder);
        }
    }

    /// All that probes may write to.
    pub(super) fn room(&self) -> &Path {
        self.0.path()
    }

    /// The home folder.
    pub(super) fn home(&self) -> PathBuf {
        self.room().join("home")
    }

    /// The working directory.
    pub(super) fn work(&self) -> PathBuf {
        self.room().join("work")
    }

    /// The folder for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.room().join("tmp")
    }

    /// The folder for sockets and the like.
    pub(super) fn runtime(&self) -> PathBuf {
        self.room().join("run")
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
