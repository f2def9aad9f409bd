//! The rights that a confined process could give away, as it says itself.

use serde::{Deserialize, Serialize};

/// The rights that were given away, or why they could not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RightsReport {
    /// Writing (and reading, if that was limited): the version of Landlock that the kernel enforces.
    pub landlock: Result<u32, String>,
    /// System calls that change modes, owners, times or attributes, open sockets that are not to be had, or reach around
    /// the rest.
    pub system_calls: Result<(), String>,
    /// A view of the file system of its own: hidden paths look empty, and shared memory and terminals are its own.
    pub mounts: Result<(), String>,
    /// Process numbers of its own: nothing outside can be signalled, and nothing inside outlives it.
    pub processes: Result<(), String>,
    /// A network with nobody in it, if none was to be kept.
    pub network: Result<(), String>,
    /// The bound on the number of processes, if there was to be one.
    pub process_bound: Result<(), String>,
}

impl RightsReport {
    /// The version of Landlock from which on truncating a file counts as writing.
    pub const COVERS_TRUNCATION: u32 = 3;
    /// The version from which on processes outside cannot be signalled.
    pub const COVERS_SIGNALS: u32 = 6;

    /// The report of a sandbox in which everything was to be had, with this version of Landlock.
    ///
    /// ```
    /// use charmer_sandbox::RightsReport;
    /// assert_eq!(RightsReport::whole(6).missing(), None);
    /// assert!(RightsReport::whole(2).missing().unwrap().contains("Landlock"));
    /// ```
    pub fn whole(landlock: u32) -> Self {
        Self {
            landlock: Ok(landlock),
            system_calls: Ok(()),
            mounts: Ok(()),
            processes: Ok(()),
            network: Ok(()),
            process_bound: Ok(()),
        }
    }

    /// The version of Landlock that is enforced; zero for none.
    pub fn landlock_version(&self) -> u32 {
        *self.landlock.as_ref().unwrap_or(&0)
    }

    /// Returns true if no file outside of the folders to be kept can be written, emptied or removed.
    pub fn keeps_files(&self) -> bool {
        self.landlock_version() >= Self::COVERS_TRUNCATION
    }

    /// Returns true if nothing outside can be signalled.
    pub fn keeps_signals(&self) -> bool {
        self.processes.is_ok() || self.landlock_version() >= Self::COVERS_SIGNALS
    }

    /// The reason why the essential part is missing: keeping a program from writing, from changing metadata, from
    /// emptying files and from sockets. `None` if it is there.
    pub fn missing(&self) -> Option<String> {
        match (&self.landlock, &self.system_calls) {
            (Err(reason), _) | (_, Err(reason)) => Some(reason.clone()),
            (Ok(version), Ok(())) => (!self.keeps_files()).then(|| {
                let needed = Self::COVERS_TRUNCATION;
                format!("this kernel enforces Landlock {version}, and {needed} is needed")
            }),
        }
    }
}
