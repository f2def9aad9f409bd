//! The folder that probes may write to: a home, an empty git repository to work in, and room for temporary files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use charmer_sandbox::Room;

use crate::{Surroundings, footing::plugin_folders};

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

    /// Lets a program with this home see the plugins that it has in the user's own. Whatever is not to be had is not seen.
    pub(super) fn show_plugins(&self, program: &Path, around: &Surroundings) {
        let home = self.home();
        let here = Surroundings {
            data: Some(home.join(".local/share")),
            config: Some(home.join(".config")),
            home: Some(home),
            ..Surroundings::default()
        };
        let theirs = plugin_folders(program, around).into_iter();
        for (theirs, here) in theirs.zip(plugin_folders(program, &here)) {
            if theirs == here || !theirs.is_dir() {
                continue;
            }
            #[cfg(unix)]
            if let Some(folder) = here.parent() {
                let _ = fs::create_dir_all(folder);
                let _ = std::os::unix::fs::symlink(&theirs, &here);
            }
        }
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
