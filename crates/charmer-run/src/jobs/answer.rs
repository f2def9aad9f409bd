//! Answers about jobs: that one goes on, how far it is, and which there are.

use std::sync::Arc;

use charmer_core::{output::clean, text::shorten};
use serde_json::{Map, Value, json};

use crate::{CallResult, Limits, process::Captured, shown::shown_text};

use super::{Job, JobState, NAME};

/// The maximum number of characters of each stream that are shown of a job that runs: all of it is in its result.
const SHOWN: usize = 8000;
/// The number of bytes of each end of a stream that are looked at for that, with a margin for what is not shown.
const LOOKED_AT: usize = 512 << 10;
/// The maximum number of characters of a line that tells how far a job is.
const LINE: usize = 120;

/// The answer while a job runs.
pub(super) async fn running(job: &Job) -> CallResult {
    let id = &job.id;
    let hidden = match job.live.is_hidden() {
        true => "; what it prints is shown at its end",
        false => "",
    };
    let hint = match job.state() {
        JobState::Waiting => format!(
            "it waits for a person's answer: call `{NAME}` with action wait and this id for its result{hidden}"
        ),
        _ => format!(
            "it goes on in the background: call `{NAME}` with action wait and this id for its result{hidden}"
        ),
    };
    let mut answer = so_far(job).await;
    let state = job.state().as_str();
    answer
        .structured
        .insert("hint".into(), hint.as_str().into());
    answer
        .text
        .push_str(&format!("[job {id} is {state}; {hint}]"));
    answer
}

/// The answer to whoever has cancelled a job.
pub(super) async fn cancelled(job: &Job) -> CallResult {
    let mut answer = so_far(job).await;
    let said = match job.state() {
        JobState::Running | JobState::Waiting => "is being ended".to_owned(),
        JobState::Cancelled => "was cancelled".to_owned(),
        _ => format!("had ended before: `{NAME}` with action wait gives its result"),
    };
    answer.text.push_str(&format!("[job {} {said}]", job.id));
    answer
}

/// A job with its output so far.
async fn so_far(job: &Job) -> CallResult {
    let output = job.output(LOOKED_AT).await;
    let limit = Limits {
        output_chars: job.limits.output_chars.min(SHOWN),
        ..job.limits.clone()
    };
    let more = format!("; `{NAME}` with action output shows more");
    let text =
        |captured: &Captured| shown_text(captured, limit.output_chars, &more, &job.redactor).0;
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let mut structured = Map::new();
    structured.insert("job".into(), (*job.id).into());
    structured.insert("state".into(), job.state().as_str().into());
    structured.insert("stdout".into(), stdout.as_str().into());
    let mut lines = stdout;
    if !stderr.is_empty() {
        structured.insert("stderr".into(), stderr.as_str().into());
        if !lines.is_empty() {
            end_line(&mut lines);
            lines.push_str("[standard error]\n");
        }
        lines.push_str(&stderr);
    }
    end_line(&mut lines);
    CallResult {
        structured,
        text: lines,
        is_error: false,
        text_alone: false,
        media: None,
    }
}

fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The jobs of a principal.
pub(super) fn list(jobs: &[Arc<Job>]) -> CallResult {
    let mut listed: Vec<Value> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for job in jobs {
        let state = job.state();
        let seconds = job.began.elapsed().as_secs();
        let mut entry = json!({
            "job": *job.id,
            "state": state.as_str(),
            "tool": job.tool_name(),
            "seconds": seconds,
        });
        let mut line = format!("{} {} {}", job.id, state.as_str(), job.tool_name());
        match job.end() {
            Some(end) => {
                let ended = end.at.elapsed().unwrap_or_default().as_secs();
                entry["seconds"] = seconds.saturating_sub(ended).into();
                line.push_str(&format!(", ended {ended} s ago"));
            }
            None => {
                line.push_str(&format!(", for {seconds} s"));
                let last = shorten(&clean(&job.line()), LINE);
                if !last.is_empty() {
                    line.push_str(&format!(": {last}"));
                    entry["line"] = last.into();
                }
            }
        }
        listed.push(entry);
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push("no jobs".into());
    }
    CallResult {
        structured: Map::from_iter([("jobs".to_owned(), listed.into())]),
        text: lines.join("\n"),
        is_error: false,
        text_alone: false,
        media: None,
    }
}
