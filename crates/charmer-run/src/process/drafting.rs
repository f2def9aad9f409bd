//! The way calls are run as drafts: their confinement, and the rule by which they become some.

#[cfg(target_os = "linux")]
use std::{
    ffi::OsString,
    sync::{Arc, Mutex, PoisonError},
};

#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;

use charmer_core::model::Effect;
#[cfg(target_os = "linux")]
use charmer_sandbox::Rights;
#[cfg(target_os = "linux")]
use tokio_util::sync::CancellationToken;

#[cfg(target_os = "linux")]
use crate::{CallError, Drafts, Outcome};

use super::{Confinement, Launch, Launcher};
#[cfg(target_os = "linux")]
use super::{Request, StartWay, pool::Lease};

/// See the module's documentation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Drafting {
    /// The rights of programs while they are drafted, besides changing the view of their folders.
    pub confinement: Confinement,
    /// Calls of this effect and worse are drafts, whatever their caller asked for.
    pub effect: Option<Effect>,
    /// The only places of the folders that may be changed; everywhere in them, if there are none.
    pub writable: Vec<PathBuf>,
    /// The folders that drafts are of; those of the caller, if there are none.
    pub folders: Vec<PathBuf>,
}

impl Drafting {
    /// Drafts that are confined like this; calls of this effect and worse always are some.
    pub fn new(confinement: Confinement, effect: Option<Effect>) -> Self {
        Self {
            confinement,
            effect,
            writable: Vec::new(),
            folders: Vec::new(),
        }
    }

    /// Sets the folders that drafts are of, whatever those of the caller are.
    #[must_use]
    pub fn of_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.folders = folders;
        self
    }

    /// Sets the only places that may be changed.
    #[must_use]
    pub fn writable(mut self, places: Vec<PathBuf>) -> Self {
        self.writable = places;
        self
    }

    /// The places of a folder that may be changed, by paths relative to it.
    #[cfg(target_os = "linux")]
    pub(crate) fn places_of(&self, folder: &Path) -> Vec<PathBuf> {
        let around = |place: &PathBuf| folder.starts_with(place);
        if self.writable.is_empty() || self.writable.iter().any(around) {
            return vec![PathBuf::new()];
        }
        let within = self.writable.iter();
        let within = within.filter_map(|place| place.strip_prefix(folder).ok());
        within.map(Path::to_owned).collect()
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn rights(&self) -> Rights {
        Rights::clone(&self.confinement.rights)
    }

    /// A process for one run, with these rights.
    #[cfg(target_os = "linux")]
    pub(crate) async fn lease(
        &self,
        rights: Rights,
        principal: &Arc<str>,
    ) -> Result<DraftLease, String> {
        let lease = self.confinement.pool.lease_once(rights, principal).await?;
        Ok(DraftLease {
            lease: Arc::new(Mutex::new(Some(lease))),
            variables: self.confinement.variables.clone(),
        })
    }
}

/// A process that waits for the one run that it was made for.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone)]
pub(crate) struct DraftLease {
    lease: Arc<Mutex<Option<Lease>>>,
    pub(super) variables: Vec<(OsString, OsString)>,
}

#[cfg(target_os = "linux")]
impl DraftLease {
    pub(super) fn take(&self) -> Option<Lease> {
        let mut lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner);
        lease.take()
    }
}

impl Launcher {
    /// The same launcher, whose programs can be run as drafts.
    #[must_use]
    pub fn drafting(&self, drafting: Drafting) -> Self {
        let same = self.by(self.0.reads.clone(), self.0.writes.clone());
        let launch = std::sync::Arc::into_inner(same.0).expect("nobody else has it yet");
        Self(std::sync::Arc::new(Launch {
            drafts: Some(drafting),
            ..launch
        }))
    }

    /// The way that its drafts are run, if they can be.
    pub(crate) fn drafting_way(&self) -> Option<&Drafting> {
        self.0.drafts.as_ref()
    }

    /// The store of drafts, if there are any.
    #[cfg(target_os = "linux")]
    pub(crate) fn drafts(&self) -> Option<&Drafts> {
        self.0.engine.drafts()
    }

    /// Runs a program in a process that was made for this run.
    #[cfg(target_os = "linux")]
    pub(crate) async fn run_leased(
        &self,
        request: Request,
        cancel: CancellationToken,
        lease: DraftLease,
    ) -> Result<Outcome, CallError> {
        self.run_by(&StartWay::Leased(lease), request, cancel).await
    }
}
