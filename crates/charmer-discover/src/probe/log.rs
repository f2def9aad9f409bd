//! The command lines of probes, for benchmarks and tests that want to know what a walk asks.

use std::{
    ffi::OsString,
    sync::{Arc, Mutex, PoisonError},
};

/// Notes what a program is asked. Clones share the list.
///
/// ```
/// # #[cfg(unix)]
/// # tokio::runtime::Runtime::new().unwrap().block_on(async {
/// use charmer_discover::probe::{ProbeLog, ProbeOptions, Prober};
/// let log = ProbeLog::default();
/// let mut options = ProbeOptions::default();
/// options.log = Some(log.clone());
/// Prober::new("/bin/echo".into(), options)?.run(&["--help"]).await;
/// assert_eq!(log.taken(), [["--help"]]);
/// # Ok::<(), charmer_discover::probe::ProbeError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProbeLog(Arc<Mutex<Vec<Vec<OsString>>>>);

impl ProbeLog {
    /// The command lines in the order in which they were started; the list is empty afterwards.
    pub fn taken(&self) -> Vec<Vec<OsString>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn note(&self, argv: &[OsString]) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.push(argv.to_vec());
    }
}
