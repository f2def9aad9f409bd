//! The engine that all runs of a server share: how many may run at once, where long output goes, what is secret, and who ends the
//! children if the server is killed.

use std::{ffi::OsString, fmt, sync::Arc};

use tokio_util::task::TaskTracker;

use crate::{CallError, Redactor, Spool};

use super::{
    gate::Gate,
    guardian::{Guardian, GuardianCommand},
};

/// The variables that programs see which run for a principal, asked for at each start.
///
/// ```
/// use charmer_run::process::PrincipalVariables;
/// let greet = PrincipalVariables::new(|name| Ok(vec![("WHO".into(), name.into())]));
/// assert_eq!(greet.of("ann").unwrap()[0].1, "ann");
/// ```
#[derive(Clone)]
pub struct PrincipalVariables(Arc<VariablesOf>);

type VariablesOf = dyn Fn(&str) -> Result<Vec<(OsString, OsString)>, CallError> + Send + Sync;

impl PrincipalVariables {
    /// Variables that this says; where it fails, nothing is started.
    pub fn new(
        of: impl Fn(&str) -> Result<Vec<(OsString, OsString)>, CallError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(of))
    }

    /// Those of a principal, by name.
    pub fn of(&self, principal: &str) -> Result<Vec<(OsString, OsString)>, CallError> {
        self.0(principal)
    }
}

impl fmt::Debug for PrincipalVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrincipalVariables(..)")
    }
}

/// The way an engine runs programs.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct EngineOptions {
    /// The maximum number of programs that run at once; four times the cores by default.
    pub concurrency: Option<usize>,
    /// The number of calls that may wait for a place; sixteen times the concurrency by default.
    pub queue: Option<usize>,
    /// The spool that keeps long output.
    pub spool: Option<Spool>,
    /// The secrets that must not be seen.
    pub redactor: Redactor,
    /// The guardian that ends the children if the server is killed.
    pub guardian: Option<GuardianCommand>,
    /// The variables that programs see beside their launcher's environment, by whom they run for.
    pub variables: Option<PrincipalVariables>,
    /// The store of drafts.
    #[cfg(feature = "drafts")]
    pub drafts: Option<crate::Drafts>,
}

/// See the module's documentation. Clones share everything.
#[derive(Debug, Clone)]
pub struct Engine(pub(super) Arc<EngineState>);

#[derive(Debug)]
pub(super) struct EngineState {
    pub(super) supervisors: TaskTracker,
    pub(super) gate: Gate,
    pub(super) spool: Option<Spool>,
    pub(super) redactor: Redactor,
    pub(super) guardian: Option<Guardian>,
    pub(super) variables: Option<PrincipalVariables>,
    #[cfg(feature = "drafts")]
    pub(super) drafts: Option<crate::Drafts>,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new(EngineOptions::default())
    }
}

impl Engine {
    /// An engine that runs programs like this.
    pub fn new(options: EngineOptions) -> Self {
        Self(Arc::new(EngineState {
            supervisors: TaskTracker::new(),
            gate: Gate::new(options.concurrency, options.queue),
            spool: options
                .spool
                .map(|spool| spool.redacted_by(&options.redactor)),
            redactor: options.redactor,
            guardian: options.guardian.map(Guardian::new),
            variables: options.variables,
            #[cfg(feature = "drafts")]
            drafts: options.drafts,
        }))
    }

    /// Waits until every child has been ended and collected. Calls must have been cancelled before.
    pub async fn finish(&self) {
        self.0.supervisors.close();
        self.0.supervisors.wait().await;
    }

    /// The secrets that must not be seen.
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// The store of drafts, if there are any.
    #[cfg(feature = "drafts")]
    pub fn drafts(&self) -> Option<&crate::Drafts> {
        self.0.drafts.as_ref()
    }

    /// The spool that keeps long output.
    pub fn spool(&self) -> Option<&Spool> {
        self.0.spool.as_ref()
    }
}
