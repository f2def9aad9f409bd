//! The lines of the audit log.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Instant, SystemTime},
};

use charmer_core::{call::Argv, tool::Tool};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::OwnedPermit;

use crate::{Call, CallError, Caller, Ended, ErrorCode, Outcome, Redactor};

use super::{AuditWriter, LineFields, WriterJob};

/// The longest text of a line that is written whole; what follows only its size is said of.
const TEXT_LIMIT: usize = 2048;
/// The maximum number of elements of a command line that are written.
const ELEMENT_LIMIT: usize = 256;

tokio::task_local! {
    /// The slot in which the innermost step of a call leaves its command line. Local to the task, because nothing that
    /// a layer may do to a call can then take it away or forge it.
    pub(super) static SEEN: SeenArgv;
}

/// The shared place for it.
pub(super) type SeenArgv = Arc<Mutex<Sight>>;

/// The facts that were seen of a call.
#[derive(Debug, Default)]
pub(super) struct Sight {
    /// The command line of its last try.
    argv: Option<Vec<String>>,
    /// The number of tries.
    tries: u32,
    /// The command line does not say everything, so that the input is worth writing too.
    with_input: bool,
    /// A person's word on it.
    approval: Option<Value>,
}

/// Leaves what a person said to a call, in the same way.
#[cfg(feature = "approval")]
pub(crate) fn leave_approval(approval: Value) {
    let _ = SEEN.try_with(|seen| {
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.approval = Some(approval);
    });
}

/// Leaves the command line that a call ended up with, for the log's line of the call that this task is about.
pub(crate) fn leave_argv(tool: &Tool, program: Option<&Path>, argv: &Argv) {
    // On a path without the log, or moved to another task by a layer, there is nobody to tell.
    let _ = SEEN.try_with(|seen| {
        let with_input = tool.input.template.is_some();
        let program = program
            .filter(|_| with_input)
            .map(|path| path.display().to_string());
        let words = argv.to_strings().into_iter().map(str::to_owned);
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Sight {
            argv: Some(program.into_iter().chain(words).collect()),
            tries: seen.tries + 1,
            with_input,
            approval: None,
        };
    });
}

/// A call that is under way; its line is written even if nobody waits for its end.
pub(super) struct AuditEntry {
    caller: Caller,
    tool: Arc<Tool>,
    input: Map<String, Value>,
    dry_run: bool,
    began: Instant,
    seen: SeenArgv,
    /// The job that the call became.
    job: Option<Arc<str>>,
    redactor: Redactor,
    // Before the writer, which waits for the last way into its queue to close when it goes.
    room: Option<OwnedPermit<WriterJob>>,
    writer: AuditWriter,
    done: bool,
    open: Arc<AtomicU64>,
}

impl AuditEntry {
    /// `open` counts the entries that are not done.
    pub(super) fn new(
        call: &Call,
        redactor: Redactor,
        writer: AuditWriter,
        open: Arc<AtomicU64>,
    ) -> Self {
        open.fetch_add(1, Ordering::AcqRel);
        Self {
            caller: call.caller.clone(),
            tool: Arc::clone(&call.tool),
            input: call.input.clone(),
            dry_run: call.dry_run,
            began: Instant::now(),
            seen: SeenArgv::default(),
            job: None,
            redactor,
            writer,
            room: None,
            done: false,
            open,
        }
    }

    pub(super) fn seen(&self) -> SeenArgv {
        Arc::clone(&self.seen)
    }

    /// Waits until there is room for the last line.
    pub(super) async fn reserve(&mut self) -> Result<(), String> {
        self.room = Some(self.writer.reserve().await?);
        Ok(())
    }

    /// Puts on record that the call goes on as a job; with its beginning, unless that was written before.
    pub(super) fn becomes(&mut self, job: Arc<str>, begun: bool) {
        self.job = Some(job);
        if !begun {
            let line = self.begun();
            self.writer.log(line);
        }
    }

    pub(super) fn begun(&self) -> LineFields {
        let mut line = self.line("begun");
        line.insert("input".into(), self.input());
        line
    }

    /// Writes nothing more: the call was refused because nothing can be written.
    pub(super) fn forget(&mut self) {
        self.done = true;
    }

    /// Writes the last line, unless there is nothing more to write.
    pub(super) fn end(&mut self, answer: &Result<Outcome, CallError>) {
        if self.done {
            return;
        }
        let mut outcome = Map::new();
        match answer {
            Ok(ran) => {
                let how = match ran.ended {
                    Ended::Exited(code) => {
                        outcome.insert("exitCode".into(), code.into());
                        "exited"
                    }
                    Ended::Signalled(signal) => {
                        outcome.insert("signal".into(), signal.into());
                        "signalled"
                    }
                    Ended::TimedOut => ErrorCode::Timeout.as_str(),
                    Ended::Cancelled => ErrorCode::Cancelled.as_str(),
                    Ended::NeedsInput => "needs_input",
                    Ended::NotRun => "dry_run",
                    Ended::Running => "running",
                };
                outcome.shift_insert(0, "outcome".into(), how.into());
                if let Some(draft) = &ran.draft {
                    outcome.insert("draft".into(), draft.id.as_str().into());
                    outcome.insert("draftDigest".into(), draft.digest.as_str().into());
                }
                outcome.insert("stdoutBytes".into(), ran.stdout.total.into());
                outcome.insert("stderrBytes".into(), ran.stderr.total.into());
            }
            Err(error) => {
                outcome.insert("outcome".into(), error.code.as_str().into());
                outcome.insert("message".into(), self.text(&error.message).into());
            }
        }
        self.finish(outcome);
    }

    fn finish(&mut self, outcome: LineFields) {
        self.done = true;
        let mut line = self.line("ended");
        let seen = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *seen)
        };
        if seen.with_input || seen.argv.is_none() {
            line.insert("input".into(), self.input());
        }
        if let Some(argv) = &seen.argv {
            line.insert("argv".into(), self.argv(argv));
        }
        if seen.tries > 1 {
            line.insert("tries".into(), seen.tries.into());
        }
        if let Some(approval) = &seen.approval {
            line.insert("approval".into(), self.value(approval));
        }
        line.extend(outcome);
        let millis = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        line.insert("durationMs".into(), millis.into());
        match self.room.take() {
            Some(room) => drop(room.send(WriterJob::Line(line, None))),
            None => self.writer.log(line),
        }
    }

    fn line(&self, event: &str) -> LineFields {
        let time = rfc3339_millis(SystemTime::now());
        let mut line = Map::new();
        line.insert("time".into(), time.into());
        line.insert("event".into(), event.into());
        line.insert("id".into(), (*self.caller.id).into());
        line.insert("principal".into(), (*self.caller.principal).into());
        line.insert("transport".into(), self.caller.transport.as_str().into());
        if let Some(client) = &self.caller.client {
            let client = format!("{} {}", client.name, client.version);
            line.insert("client".into(), self.text(client.trim_end()).into());
        }
        line.insert("tool".into(), self.tool.name.as_str().into());
        line.insert("command".into(), json!(self.tool.path.words()));
        if let Some(job) = &self.job {
            line.insert("job".into(), (**job).into());
        }
        if self.dry_run {
            line.insert("dryRun".into(), true.into());
        }
        line
    }

    fn argv(&self, argv: &[String]) -> Value {
        let left_out = argv.len().saturating_sub(ELEMENT_LIMIT);
        let shown = argv.iter().take(ELEMENT_LIMIT).map(|text| self.text(text));
        let note = (left_out > 0).then(|| format!("[... {left_out} more]"));
        shown.chain(note).map(Value::from).collect()
    }

    fn input(&self) -> Value {
        let input: Map<String, Value> = self
            .input
            .iter()
            .map(|(key, value)| (self.text(key), self.value(value)))
            .collect();
        let input = Value::Object(input);
        let text = input.to_string();
        if text.len() <= 4 * TEXT_LIMIT {
            input
        } else {
            shortened(&text).into()
        }
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(entries) => entries
                .iter()
                .map(|(key, value)| (self.text(key), self.value(value)))
                .collect(),
            // A number can be a secret too.
            Value::Number(number) => {
                let text = number.to_string();
                if self.redactor.text(&text) == text {
                    value.clone()
                } else {
                    self.text(&text).into()
                }
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }

    /// Text without secrets, and not too long.
    fn text(&self, text: &str) -> String {
        shortened(&self.redactor.text(text))
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        if !self.done {
            self.finish(Map::from_iter([("outcome".into(), "abandoned".into())]));
        }
        self.open.fetch_sub(1, Ordering::AcqRel);
    }
}

fn shortened(text: &str) -> String {
    if text.len() <= TEXT_LIMIT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(TEXT_LIMIT);
    format!("{}[... {} more bytes]", &text[..end], text.len() - end)
}

/// A time as RFC 3339 has it, in UTC and with milliseconds.
pub(crate) fn rfc3339_millis(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Years that begin in March have their odd day at the end, and 400 of them always as many days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march_based = (5 * day + 2) / 153;
    let month = if march_based < 10 {
        march_based + 3
    } else {
        march_based - 9
    };
    let year = 400 * era + year + u64::from(month < 3);
    let day = day - (153 * march_based + 2) / 5 + 1;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod time_tests {
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_time_is_told_as_elsewhere(millis in 0_u64..4_102_444_800_000) {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
            let expected = humantime::format_rfc3339_millis(time).to_string();
            prop_assert_eq!(super::rfc3339_millis(time), expected);
        }
    }
}
