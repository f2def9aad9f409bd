//! The audit log of a bridge. Its code is in a CLI only where the author asks for it: all else knows a function that makes
//! one.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use charmer_run::{Redactor, SharedSteps, layers::Audit};

use crate::log::{Level, Logger};

/// Opens a log that shows nothing of what must not be seen, and tells of what it cannot write.
pub(crate) type MakeAudit = Arc<dyn Fn(&Redactor, &Logger) -> AuditLog + Send + Sync>;

/// A log that is open.
#[derive(Clone)]
pub(crate) struct AuditLog {
    /// The steps of calls that are put on record.
    pub(crate) steps: SharedSteps,
    finish: Arc<dyn Fn(Duration) + Send + Sync>,
}

impl AuditLog {
    /// Waits until everything is written, for so long at most.
    pub(crate) fn finish(&self, patience: Duration) {
        (self.finish)(patience);
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AuditLog").field(&self.steps).finish()
    }
}

/// A log in this file; `fail_closed` refuses calls that cannot be put on record.
pub(crate) fn to_file(path: PathBuf, fail_closed: bool) -> MakeAudit {
    Arc::new(move |redactor, logger| {
        let logger = Arc::clone(logger);
        let audit = Audit::new(&path)
            .fail_closed(fail_closed)
            .redact(redactor.clone())
            .report_to(move |message| logger(Level::Warn, message));
        let finished = audit.clone();
        AuditLog {
            steps: SharedSteps::default().audit(Some(audit)),
            finish: Arc::new(move |patience| {
                finished.finish(patience);
            }),
        }
    })
}
