//! What a confined process could give away, as it says itself.

use serde::{Deserialize, Serialize};

/// The rights that were given away, or why they could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The network, if it was not to be kept.
    pub network: Result<(), String>,
    /// Writing (and reading, if that was limited): the version of Landlock that the kernel enforces.
    pub landlock: Result<u32, String>,
}

impl Report {
    /// The version of Landlock from which on truncating a file counts as writing.
    pub const COVERS_TRUNCATION: u32 = 3;
    /// The version from which on TCP can be forbidden.
    pub const COVERS_TCP: u32 = 4;
    /// The version from which on connecting to the sockets of local services can be forbidden.
    pub const COVERS_SOCKETS: u32 = 9;

    /// A report of what was tried.
    ///
    /// ```
    /// use charmer_sandbox::Report;
    /// assert!(Report::new(Ok(()), Ok(9)).keeps_files());
    /// assert!(!Report::new(Ok(()), Ok(2)).keeps_files());
    /// ```
    pub fn new(network: Result<(), String>, landlock: Result<u32, String>) -> Self {
        Self { network, landlock }
    }

    /// The version of Landlock that is enforced; zero for none.
    pub fn landlock_version(&self) -> u32 {
        *self.landlock.as_ref().unwrap_or(&0)
    }

    /// Whether no file outside of the folders to be kept can be written, emptied or removed.
    pub fn keeps_files(&self) -> bool {
        self.landlock_version() >= Self::COVERS_TRUNCATION
    }
}
