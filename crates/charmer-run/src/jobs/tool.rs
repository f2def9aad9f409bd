//! The tool `job`: waits for jobs, reads their output, lists and cancels them.

use std::{fmt::Write as _, sync::Arc};

use charmer_core::{
    model::Hints,
    tool::{Annotations, Tool, ToolName},
};
use serde_json::{Map, Value, json};

use crate::{
    Call, CallError, CallPath, CallService, ErrorCode, Limits, Outcome, OutputQuery, Progress,
    Results, ServedTool, SharedSteps, Target, begin_blocking,
    process::Captured,
    read_output::{MAX_LENGTH, OutputSource},
};

use super::{Job, JobState, Jobs, answer};

/// The name of the tool for jobs. No other tool should have it.
pub const NAME: &str = "job";

/// The number of bytes of each end of a stream that are looked at where it is not on disk.
const LOOKED_AT: usize = 4 << 20;
/// The maximum number of lines of the end that are shown.
const MOST_LINES: u64 = 2000;

const KEYS: [&str; 6] = ["action", "id", "offset", "search", "tail", "stderr"];

/// The tool for these jobs.
pub(super) fn tool(jobs: &Jobs, shared: &SharedSteps) -> ServedTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["wait", "output", "list", "cancel"]},
            "id": {"type": "string"},
            "offset": {"type": "integer"},
            "search": {"type": "string"},
            "tail": {"type": "integer"},
        },
        "required": ["action"],
    });
    let Value::Object(schema) = schema else {
        unreachable!("the literal is an object")
    };
    let name = ToolName::exact(NAME).expect("a literal");
    // Every word of it is read with every list; the rest is said where it is needed.
    let about = "Waits for, reads, lists or cancels jobs: commands that go on.";
    let hints = Annotations::new(&Hints::reads().open_world(false));
    let mut tool = Tool::custom(name, about, schema, hints);
    tool.output_schema = Arc::new(Map::new());
    tool.title.clear();
    let redactor = jobs.0.spool.as_ref().map(|spool| spool.redactor().clone());
    let jobs = jobs.clone();
    let service = CallService::new(move |call: Call| {
        let jobs = jobs.clone();
        async move { answered(&jobs, call).await }
    });
    // What says where to go on must not push the longest reading over the limit.
    let limits = Limits::default().output_chars(MAX_LENGTH as usize + 200);
    CallPath::new(Arc::new(tool), Target::Answer(service))
        .limits(limits)
        .redactor(redactor.unwrap_or_default())
        .may_block(true)
        .serve(shared)
}

async fn answered(jobs: &Jobs, call: Call) -> Result<Outcome, CallError> {
    let input = &call.input;
    if let Some(key) = input.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let message = format!("`{}`: expected no such key", key.escape_debug());
        return Err(wrong(message));
    }
    let action = input.get("action").and_then(Value::as_str);
    let principal = &call.caller.principal;
    if action == Some("list") {
        let own = jobs.of(principal);
        own.iter().for_each(|job| job.ask());
        let mut listed = answer::list(&own);
        listed.text_alone = call.form.results == Results::Text;
        return Ok(Outcome::answered(listed));
    }
    let Some(action @ ("wait" | "output" | "cancel")) = action else {
        let message = "`action`: expected wait, output, list or cancel";
        return Err(wrong(message.into()));
    };
    let job = found(jobs, input.get("id"), principal)?;
    job.ask();
    let came = match action {
        "wait" => wait(jobs, &job, &call).await,
        "output" => output(jobs, &job, input).await,
        _ => {
            job.cancel();
            // A program may take its time, and the client has not got it.
            let _ = tokio::time::timeout(jobs.rules().wait, job.ended()).await;
            Ok(Outcome::answered(answer::cancelled(&job).await))
        }
    };
    job.ask();
    came
}

/// The job that is meant.
fn found(jobs: &Jobs, id: Option<&Value>, principal: &str) -> Result<Arc<Job>, CallError> {
    let id = match id {
        Some(Value::String(id)) => Some(id.as_str()),
        None | Some(Value::Null) => None,
        Some(_) => return Err(wrong("`id`: expected the id of a job".into())),
    };
    if let Some(found) = id.and_then(|id| jobs.find(id, principal)) {
        return Ok(found);
    }
    let own = jobs.of(principal);
    let known: Vec<&str> = own.iter().take(8).map(|job| &*job.id).collect();
    let hint = match known.is_empty() {
        true => "there are no jobs; a result stays for an hour".to_owned(),
        false => format!("there are {}", known.join(", ")),
    };
    Err(match id {
        None => wrong("`id`: expected the id of a job".into()),
        Some(id) => {
            let shown: String = id.chars().take(40).collect();
            wrong(format!("there is no job `{}`", shown.escape_debug()))
        }
    }
    .hint(hint))
}

/// Waits for the end of a job, or for as long as one wait may take, and tells meanwhile how far it is.
async fn wait(jobs: &Jobs, job: &Job, call: &Call) -> Result<Outcome, CallError> {
    tokio::select! {
        biased;
        () = job.ended() => {}
        () = call.cancel.cancelled() => {
            let message = "the wait was cancelled; the job goes on";
            return Err(CallError::new(ErrorCode::Cancelled, message));
        }
        () = tokio::time::sleep(jobs.rules().wait) => {}
        () = tell(&job.progress, &call.progress) => {}
    }
    Ok(match job.end() {
        Some(end) => Outcome::answered((*end.result).clone()),
        None => Outcome {
            ended: crate::Ended::Running,
            ..Outcome::answered(answer::running(job).await)
        },
    })
}

/// Hands on what a job tells of itself; never ends by itself.
async fn tell(job: &Progress, waiting: &Progress) {
    if let Some(mut news) = job.listen() {
        let mut told = 0;
        loop {
            let (bytes, line) = {
                let now = news.borrow_and_update();
                (now.bytes, now.line.clone())
            };
            let line = (!line.is_empty()).then_some(line);
            waiting.report(bytes.saturating_sub(told), line.as_deref());
            told = bytes;
            if news.changed().await.is_err() {
                break;
            }
        }
    }
    std::future::pending().await
}

/// A part of a job's output.
async fn output(
    jobs: &Jobs,
    job: &Arc<Job>,
    input: &Map<String, Value>,
) -> Result<Outcome, CallError> {
    let number = |key: &str| match input.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(wrong(format!("`{key}`: expected a number from 0"))),
        },
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(wrong(format!("`{key}`: expected a number from 0"))),
        },
    };
    let (offset, tail) = (number("offset")?, number("tail")?);
    let search = match input.get("search") {
        None | Some(Value::Null) => None,
        Some(Value::String(pattern)) => Some(pattern.clone()),
        Some(_) => return Err(wrong("`search`: expected a regular expression".into())),
    };
    let is_stderr = match input.get("stderr") {
        None | Some(Value::Null) | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => return Err(wrong("`stderr`: expected true or false".into())),
    };
    let is_open = matches!(job.state(), JobState::Running | JobState::Waiting);
    let both = job.output(LOOKED_AT).await;
    if job.live.is_hidden() && is_open {
        let message = "its output is looked at before it is shown, at its end";
        return Err(CallError::refused(message).hint("wait for the job"));
    }
    let mut query = OutputQuery::new(&*job.id).offset(offset.unwrap_or(0));
    query.search = search;
    let (jobs, job) = (jobs.clone(), Arc::clone(job));
    // A search takes its time, and others want to know of their jobs meanwhile.
    let read = begin_blocking(move || {
        let (captured, other) = match is_stderr {
            false => (&both.stdout, &both.stderr),
            true => (&both.stderr, &both.stdout),
        };
        let mut text = match (captured.describe_binary(), tail) {
            (Some(described), _) => described,
            (None, Some(lines)) => last_lines(captured, lines),
            (None, None) => query.answer_from(&source(&jobs, &job, captured), is_open)?,
        };
        mention_other(&mut text, is_stderr, other);
        Ok(Outcome::success(text))
    });
    read.await.unwrap_or_else(|_| {
        let message = "reading the output panicked";
        Err(CallError::new(ErrorCode::Internal, message).hint("this is a bug"))
    })
}

/// The place that a stream is read from: the disk, as long as it is kept there.
fn source<'a>(jobs: &'a Jobs, job: &'a Job, captured: &'a Captured) -> OutputSource<'a> {
    let principal = &*job.principal;
    if let (Some(spooled), Some(spool)) = (&captured.spool, &jobs.0.spool) {
        let id = spooled.hand_out();
        if spool.holds(id, principal) {
            return OutputSource::Spooled {
                id,
                spool,
                principal,
            };
        }
    }
    OutputSource::Memory(captured)
}

/// Says that there is standard error, too: it is a key that no list has room for.
fn mention_other(text: &mut String, is_stderr: bool, other: &Captured) {
    if !is_stderr && other.total > 0 {
        let _ = write!(
            text,
            "\n[standard error has {} bytes: `stderr: true`]",
            other.total
        );
    }
}

/// The last lines of a stream, as far as there is room for them.
fn last_lines(captured: &Captured, lines: u64) -> String {
    let end = match captured.tail.is_empty() {
        true => &captured.head,
        false => &captured.tail,
    };
    let text = String::from_utf8_lossy(end);
    let count = usize::try_from(lines.min(MOST_LINES)).unwrap_or(0);
    let all: Vec<&str> = text.lines().collect();
    let shown = all[all.len().saturating_sub(count)..].join("\n");
    let from = shown.len().saturating_sub(MAX_LENGTH as usize);
    let shown = &shown[shown.ceil_char_boundary(from)..];
    format!("{shown}\n[the end of {} bytes]", captured.total)
}

fn wrong(message: String) -> CallError {
    CallError::new(ErrorCode::InvalidArguments, message)
}
