//! The audit log: one JSON line a call, in a file of its own.
//!
//! A line is `event` (`ended`; `begun` where calls must be on record before they start, and when one becomes a job), `time` (when the line was
//! made; RFC 3339, UTC), `id` (the call's own, the same in both), `principal`, `transport` and `client` (who made it),
//! `tool`, `command` (the path of words), `job` (the job that the call became), `dryRun` (true, where nothing was to be run), `argv` or `input`, `outcome`, `durationMs` (the whole call, with its wait for a place), `stdoutBytes` and `stderrBytes`; of a draft, or where one was shown, `draft` (its id) and `draftDigest`. The outcome is `exited`
//! (with `exitCode`), `signalled` (with `signal`), `abandoned` when whoever waited went away, or the code of an error,
//! such as `timeout`, `cancelled` or `not_permitted`, with its `message`; `needs_input` when a person was asked first;
//! `dry_run` when only the command line was wanted.
//!
//! Where a person was asked, `approval` has their `decision` (`allowed`, `denied`, `unanswered`, or `refused` for a form that
//! nobody filled in), the `way` (`client`, `terminal`; `session` and `once` for one that was given before), `by` whom, `at`
//! what time, the `reason`, and the digest of what was `shown`.
//!
//! `argv` is the command line as it was really built, after every hook has changed what it wanted: the innermost step
//! leaves it for the log right before the program starts. Where none was built, because the call was refused before,
//! `input` is what the caller sent. `begun` is always with `input`: the argv does not exist yet. A command that an author
//! wrote out has both, with the program before its argv, because not all of its arguments need be on the command line.
//!
//! Lines can be chained ([`Audit::chained`]): the last field is then `chain`.
//!
//! Secrets are redacted in all of it; long texts are shortened, and say so.

mod file;
mod line;
mod writer;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Map, Value};
use tower_service::Service;

use crate::{Call, CallError, CallService, ErrorCode, Outcome, Redactor};

use super::Around;
use file::AuditFile;
pub use file::{AuditBreak, AuditVerified, ChainDigest, verify as verify_audit};
pub(crate) use line::leave_argv;
use line::{AuditEntry, SEEN};
#[cfg(feature = "approval")]
pub(crate) use line::{leave_approval, rfc3339_millis};
use writer::{AuditWriter, ReportProblem, WriterJob};

/// Writes one JSON line a call to a file, which is made for its owner alone and appended to.
///
/// A thread of its own writes, so that a slow disk delays no call. What cannot be written, because the disk is full,
/// the path is wrong or a thousand lines wait already, is reported once and counted; the next line that can be written
/// says how many are missing before it (`lostBefore`), and calls go on. With [`fail_closed`](Self::fail_closed) a call
/// that cannot be put on record is refused instead.
///
/// The file is opened anew for every burst of lines: it can be moved away at any time, for instance by logrotate.
/// Nothing is opened before the first call.
///
/// ```
/// use charmer_run::layers::Audit;
///
/// let audit = Audit::new("/var/log/notes-calls.jsonl").fail_closed(true);
/// # let _ = audit;
/// ```
#[derive(Clone)]
pub struct Audit {
    file: AuditFile,
    redactor: Redactor,
    fail_closed: bool,
    report: ReportProblem,
    shared: Arc<AuditState>,
}

#[derive(Default)]
struct AuditState {
    writer: OnceLock<AuditWriter>,
    /// The number of calls that have no last line yet.
    open: Arc<AtomicU64>,
}

impl Audit {
    /// A log in this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            // The directory may change while the server runs.
            file: AuditFile::new(std::path::absolute(&path).unwrap_or(path)),
            redactor: Redactor::default(),
            fail_closed: false,
            report: Arc::new(|message| tracing::warn!("{message}")),
            shared: Arc::default(),
        }
    }

    /// Chains each line to the one before, by this digest: [`verify_audit`] then tells whether any was changed, removed or put
    /// in between.
    #[must_use]
    pub fn chained(mut self, digest: ChainDigest) -> Self {
        self.file.digest = Some(digest);
        self
    }

    /// Moves the file aside when it has this size, to `FILE.1`, and keeps so many of those.
    #[must_use]
    pub fn rotate(mut self, size: u64, keep: usize) -> Self {
        self.file.rotate = Some((size, keep));
        self
    }

    /// Sets what must not be seen in it.
    #[must_use]
    pub fn redact(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets whether a call is refused that cannot be put on record. Each call then waits until the line that says that
    /// it begins was handed to the operating system; it is not forced to the disk itself.
    #[must_use]
    pub fn fail_closed(mut self, yes: bool) -> Self {
        self.fail_closed = yes;
        self
    }

    /// Sets who is told that lines cannot be written, and when they can again; `tracing` by default. It is called on
    /// threads that must not be held up.
    #[must_use]
    pub fn report_to(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.report = Arc::new(report);
        self
    }

    /// The number of lines that were lost so far.
    pub fn lost(&self) -> u64 {
        self.shared.writer.get().map_or(0, AuditWriter::lost)
    }

    /// Waits until what was logged so far is written, and says whether that came to be within this time. Blocks.
    pub(crate) fn flush(&self, patience: Duration) -> bool {
        self.shared
            .writer
            .get()
            .is_none_or(|writer| writer.flush(patience))
    }

    /// Waits until the calls that are under way have ended and everything is written; for the end of a server, when
    /// all of them were cancelled. Blocks, but not for longer than this time.
    pub fn finish(&self, patience: Duration) -> bool {
        let deadline = std::time::Instant::now() + patience;
        while self.shared.open.load(Ordering::Acquire) > 0 && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.flush(deadline.saturating_duration_since(std::time::Instant::now()))
    }

    fn writer(&self) -> &AuditWriter {
        self.shared
            .writer
            .get_or_init(|| AuditWriter::start(self.file.clone(), Arc::clone(&self.report)))
    }

    fn entry(&self, call: &Call) -> AuditEntry {
        let open = Arc::clone(&self.shared.open);
        AuditEntry::new(call, self.redactor.clone(), self.writer().clone(), open)
    }

    /// Puts the beginning of a call on record, or refuses the call.
    async fn begin(&self, call: &Call, entry: &mut AuditEntry) -> Result<(), CallError> {
        let line = entry.begun();
        let recorded = async {
            // Room for both lines, so that the end of a call that began is not lost to a full queue.
            entry.reserve().await?;
            self.writer().record(line).await
        };
        let refusal = tokio::select! {
            recorded = recorded => match recorded {
                Ok(()) => return Ok(()),
                Err(reason) => {
                    entry.forget();
                    not_on_record(&reason)
                }
            },
            () = call.cancel.cancelled() => CallError::new(
                ErrorCode::Cancelled,
                "the call was cancelled before it was on record",
            ),
            () = tokio::time::sleep(call.limits.timeout) => not_on_record("the disk does not answer"),
        };
        Err(refusal)
    }
}

fn not_on_record(reason: &str) -> CallError {
    CallError::refused(format!(
        "the call cannot be put on record, and must not run without: {reason}"
    ))
    .hint("somebody has to look after the audit log of this server; nothing was started")
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit")
            .field("path", &self.file.path())
            .field("fail_closed", &self.fail_closed)
            .finish_non_exhaustive()
    }
}

impl Around for Audit {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        let mut entry = self.entry(&call);
        if self.fail_closed
            && let Err(refusal) = self.begin(&call, &mut entry).await
        {
            // Its beginning may be written yet, and then is not left without an end.
            let answer = Err(refusal);
            entry.end(&answer);
            return answer;
        }
        let (seen, live) = (entry.seen(), call.live.clone());
        let work = SEEN.scope(seen, async move { inner.call(call).await });
        tokio::pin!(work);
        let answer = tokio::select! {
            biased;
            answer = &mut work => answer,
            () = live.detached() => {
                if let Some(job) = live.job() {
                    entry.becomes(Arc::clone(job), self.fail_closed);
                }
                work.await
            }
        };
        entry.end(&answer);
        answer
    }
}

/// The fields of a line.
type LineFields = Map<String, Value>;
