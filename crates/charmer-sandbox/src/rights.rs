//! The rights that a confined program keeps.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::word;

/// The rights that a confined program, and all that it starts, keeps of its user's. By default it reads everything and
/// writes nothing.
///
/// ```
/// use charmer_sandbox::{Network, Rights};
/// let mut rights = Rights::default();
/// rights.folders = vec!["/tmp/scratch".into()];
/// rights.network = Network::None;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rights {
    /// The files that may be read and run; all of the user's by default.
    pub readable: Readable,
    /// The folders beneath which files may be read and changed, by paths without symbolic links. One that does not exist
    /// is left out. Devices that keep nothing, such as `/dev/null`, can always be written to.
    #[serde(with = "word::list")]
    pub folders: Vec<PathBuf>,
    /// The network that is seen; that of this machine by default.
    pub network: Network,
    /// The maximum size of a file that is written, in bytes; none by default. It holds for a [`Sandbox`](crate::Sandbox)
    /// only, which also writes no core files then.
    pub file_bytes: Option<u64>,
}

/// The files that may be read and run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readable {
    /// All that the user may read.
    #[default]
    Everything,
    /// What is installed (`/usr`, `/lib`, `/etc` and their like), these files and folders, and the folders that may be changed.
    Installed(#[serde(with = "word::list")] Vec<PathBuf>),
}

/// The network that is seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// That of this machine.
    #[default]
    Unchanged,
    /// One with nobody in it, not even this machine; nor can processes outside be signalled.
    None,
}
