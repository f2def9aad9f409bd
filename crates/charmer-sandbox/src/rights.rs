//! The rights that a confined program keeps.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::word;

/// The rights that a confined program, and all that it starts, keeps of its user's. By default it reads everything,
/// changes nothing and has the network of this machine.
///
/// ```
/// use charmer_sandbox::{NetworkRight, Rights};
/// let mut rights = Rights::default();
/// rights.folders = vec!["/tmp/scratch".into()];
/// rights.hidden = vec!["/home/me/.ssh".into()];
/// rights.network = NetworkRight::None;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rights {
    /// The files that may be read and run; all of the user's by default.
    pub readable: Readable,
    /// Files and folders that are out of reach, whatever else may be read. One that does not exist is left out.
    #[serde(with = "word::list")]
    pub hidden: Vec<PathBuf>,
    /// Files and folders that are within reach although they are within hidden ones. [`HiddenState`](crate::HiddenState)
    /// tells whether one of them has become another.
    #[serde(with = "word::list")]
    pub shown: Vec<PathBuf>,
    /// The folders beneath which files may be read and changed, by paths without symbolic links. One that does not exist
    /// is left out. Devices that keep nothing, such as `/dev/null`, can always be written to.
    #[serde(with = "word::list")]
    pub folders: Vec<PathBuf>,
    /// Modes, owners, times and attributes may be changed. The kernel cannot tell where, so this is for programs
    /// that write: in a sandbox without it they are changed nowhere, not even beneath `folders`.
    pub metadata: bool,
    /// Where they may not, the program is told that they were changed: many give up otherwise that write a file of their
    /// own and then close it to others. For programs that are only to be asked something.
    #[serde(default)]
    pub pretends_metadata: bool,
    /// The network that may be used; all by default.
    pub network: NetworkRight,
    /// The only files that may be executed, beside the loaders of programs; all that may be read, if there are none. This
    /// limits what is started, not what the programs that are listed can do.
    #[serde(default, with = "word::list")]
    pub executable: Vec<PathBuf>,
    /// Folders of which the program has a view of its own: what it changes beneath one is kept elsewhere, and nobody else
    /// sees it. With one of them, everything outside of [`folders`](Self::folders) is mounted read-only as well, so that
    /// not even modes and times change there. They hold for a [`Sandbox`](crate::Sandbox) only, which fails to start
    /// where they cannot be had.
    #[serde(default)]
    pub overlays: Vec<Overlay>,
    /// Bounds on what a program uses up. They hold for a [`Sandbox`](crate::Sandbox) only.
    pub bounds: Bounds,
}

/// A folder of which a program has a view of its own. The kernel keeps in `upper` what is changed, as its overlay file
/// system does: a deleted file is a character device 0/0, and a folder that hides the one beneath has the attribute
/// `user.overlay.opaque`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Overlay {
    /// The folder, by a path without symbolic links. It must be among [`Rights::folders`] to be written to.
    #[serde(with = "word")]
    pub folder: PathBuf,
    /// The device and the number of that folder: another one in its place is not shown.
    pub folder_id: (u64, u64),
    /// The folder that keeps what is changed.
    #[serde(with = "word")]
    pub upper: PathBuf,
    /// An empty folder of the kernel's own, on the same file system as `upper`.
    #[serde(with = "word")]
    pub work: PathBuf,
}

/// The files that may be read and run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readable {
    /// All that the user may read.
    #[default]
    Everything,
    /// The installed files (`/usr`, `/lib`, `/etc` and their like), these files and folders, and the folders that may
    /// be changed.
    Installed(#[serde(with = "word::list")] Vec<PathBuf>),
}

/// The network that may be used. Two processes of one program can always speak to each other by pipes and pairs of
/// sockets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkRight {
    /// All of it: other machines, and the sockets of services on this one.
    #[default]
    All,
    /// Other machines and this one by address, and the lookup of names; not the sockets of local services.
    Tcp,
    /// The sockets of local services, such as a daemon's; no addresses.
    Socket,
    /// None.
    None,
}

/// Bounds on what a program uses up; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bounds {
    /// The maximum size of a file that is written, in bytes. No core files are written then.
    pub file_bytes: Option<u64>,
    /// The maximum memory of one process, in bytes, beside what it maps from files.
    pub memory_bytes: Option<u64>,
    /// The maximum number of processes and threads of all programs in the sandbox.
    pub processes: Option<u64>,
}
