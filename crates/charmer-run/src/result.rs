//! The result of a call, in the two forms that go out: structured, and as text that says the same and ends with what must
//! be known. Which of them a client gets is decided by [`Results`].

use serde_json::{Map, Value, json};

use crate::{
    CallError, Ended, ErrorCode, Limits, Media, Outcome, Redactor, begin_blocking,
    process::Captured, read_output, shown::shown_text,
};

/// The form in which clients get answers. Where an answer is structured, assistants show their model the JSON of that and
/// nothing else: text arrives with every line break escaped, and costs 4 to 20 % more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Results {
    /// Structured where that says more: output that was read as data, what Charmer itself says, and the results of tools
    /// whose definition has a schema for them. Otherwise the text alone.
    #[default]
    Auto,
    /// Always structured, with the text beside it.
    Structured,
    /// Always the text alone; no tool lists a schema for its results.
    Text,
}

/// The form in which one call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnswerForm {
    /// The form that was chosen for all.
    pub(crate) results: Results,
    /// Clients were told of a schema for its structured form.
    pub(crate) promised: bool,
}

impl AnswerForm {
    /// The answer that an outcome makes, in this form. Where there is much to clean and to redact, that happens apart from
    /// the thread that speaks with the client.
    pub(crate) async fn answer(
        self,
        outcome: Result<Outcome, CallError>,
        limits: &Limits,
        redactor: &Redactor,
    ) -> CallResult {
        // What was made ready before has its form.
        let is_ready = |outcome: &Outcome| outcome.answer.is_some();
        let is_ready = outcome.as_ref().is_ok_and(is_ready);
        let is_long = |outcome: &Outcome| outcome.stdout.is_long() || outcome.stderr.is_long();
        let mut result = if outcome.as_ref().is_ok_and(is_long) {
            let (limits, hidden) = (limits.clone(), redactor.clone());
            let finishing = begin_blocking(move || CallResult::new(&outcome, &limits, &hidden));
            finishing.await.unwrap_or_else(|_| {
                let message = "the output could not be made readable: this is a bug";
                let error = CallError::new(ErrorCode::Internal, message);
                CallResult::from_error(&error, redactor)
            })
        } else {
            CallResult::new(&outcome, limits, redactor)
        };
        if is_ready {
            return result;
        }
        result.text_alone = match self.results {
            Results::Auto => result.text_alone && !self.promised,
            Results::Structured => false,
            Results::Text => true,
        };
        result
    }
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    /// One shape for success and failure: `exitCode`, `stdout` or `data`, `stderr`, `truncated`, `error`,
    /// `notes`, `draft`. A dry run has its own, [`DryRun::to_json`](crate::DryRun::to_json).
    pub structured: Map<String, Value>,
    /// The same for people and for clients that show only text.
    pub text: String,
    /// The call failed.
    pub is_error: bool,
    /// True where a client gets the text without the structured form; a picture or a sound stays beside it.
    pub text_alone: bool,
    /// The picture or the sound that the program printed; `stdout` and the text say what it is.
    pub media: Option<Media>,
}

impl CallResult {
    /// The answer that an outcome or an error makes.
    pub fn new(outcome: &Result<Outcome, CallError>, limits: &Limits, redactor: &Redactor) -> Self {
        match outcome {
            Ok(outcome) => Self::from_outcome(outcome, limits, redactor),
            Err(error) => Self::from_error(error, redactor),
        }
    }

    /// Adds notes for its reader.
    fn note(&mut self, notes: &[String], redactor: &Redactor) {
        if let Some((text, notes)) = redacted_notes(notes, redactor) {
            self.text.push('\n');
            self.text.push_str(&text);
            self.structured.insert("notes".into(), notes);
        }
    }

    fn from_error(error: &CallError, redactor: &Redactor) -> Self {
        let error = redacted(error, redactor);
        let mut structured = Map::new();
        structured.insert("error".into(), error_json(&error));
        Self {
            structured,
            text: error_text(&error),
            is_error: true,
            text_alone: false,
            media: None,
        }
    }

    fn from_outcome(outcome: &Outcome, limits: &Limits, redactor: &Redactor) -> Self {
        if let Some(answer) = &outcome.answer {
            let mut answer = (**answer).clone();
            answer.note(&outcome.notes, redactor);
            return answer;
        }
        if let Some(dry_run) = &outcome.dry_run {
            return Self {
                structured: dry_run.to_json(redactor),
                text: dry_run.to_text(redactor),
                is_error: false,
                text_alone: false,
                media: None,
            };
        }
        let mut structured = Map::new();
        let mut parts: Vec<String> = Vec::new();
        let mut media = None;
        let mut truncated = Map::new();
        if let Ended::Exited(code) = outcome.ended {
            structured.insert("exitCode".into(), code.into());
        }
        let mut stream = |name: &str, captured: &Captured| -> Option<String> {
            let (text, cut) = shown(captured, limits, redactor);
            if cut {
                truncated.insert(name.into(), sizes(captured));
            }
            (!text.is_empty()).then_some(text)
        };
        match &outcome.data {
            // Structured content is an object; anything else stands under `items` or `value`.
            Some(data) => {
                parts.push(printed(outcome, limits, redactor).unwrap_or_else(|| data.to_string()));
                let data = match data {
                    Value::Object(_) => data.clone(),
                    Value::Array(_) => json!({ "items": data }),
                    scalar => json!({ "value": scalar }),
                };
                structured.insert("data".into(), data);
            }
            None => {
                if let Some(mut text) = stream("stdout", &outcome.stdout) {
                    match Media::of(outcome, limits, redactor) {
                        Some(Ok(shown)) => media = Some(shown),
                        Some(Err(why)) => text = format!("{text}\n[{why}]"),
                        None => {}
                    }
                    parts.push(text.clone());
                    structured.insert("stdout".into(), text.into());
                }
            }
        }
        if let Some(text) = stream("stderr", &outcome.stderr) {
            // Alone it needs no heading: the exit code says what to think of it.
            if !parts.is_empty() {
                parts.push(STDERR.into());
            }
            parts.push(text.clone());
            structured.insert("stderr".into(), text.into());
        }
        parts.extend(cut_notes(outcome, &truncated));
        if let Some(total) = outcome.items {
            let shown = structured["data"]["items"].as_array().map_or(0, Vec::len);
            let note = json!({ "shown": shown, "total": total });
            let more = more_note(&outcome.stdout);
            parts.push(format!("[{shown} of {total} items{more}]"));
            truncated.insert("items".into(), note);
            if outcome.stdout.spool.is_some() {
                truncated.insert("stdout".into(), sizes(&outcome.stdout));
            }
        }
        if !truncated.is_empty() {
            structured.insert("truncated".into(), truncated.into());
        }
        let error = failure(outcome).map(|error| redacted(&error, redactor));
        if let Some(error) = &error {
            parts.push(match (outcome.ended, &error.hint) {
                (Ended::Exited(0), _) => error_text(error),
                (Ended::Exited(code), _) if outcome.complaint.is_some() => {
                    format!("exit code {code}: {}", error_text(error))
                }
                (Ended::Exited(code), None) => format!("exit code {code}"),
                (Ended::Exited(code), Some(hint)) => format!("exit code {code} ({hint})"),
                _ => error_text(error),
            });
            structured.insert("error".into(), error_json(error));
        }
        let notes = redacted_notes(&outcome.notes, redactor);
        if let Some((text, notes)) = notes {
            parts.push(text);
            structured.insert("notes".into(), notes);
        }
        #[cfg(feature = "drafts")]
        if let Some(draft) = &outcome.draft {
            structured.insert("draft".into(), draft.to_json().into());
            parts.push(draft.to_text());
        }
        if parts.is_empty() {
            // An empty text leaves an assistant guessing whether anything was run.
            parts.push("exit code 0, no output".into());
        }
        let text = parts
            .iter()
            .map(|part| part.trim_end_matches('\n'))
            .collect::<Vec<_>>()
            .join("\n");
        // That a program failed is its own word, and its exit code says it. Other errors are Charmer's.
        let by_itself = matches!(outcome.ended, Ended::Exited(_) | Ended::Signalled(_));
        let own_error = !by_itself || (outcome.is_success() && error.is_some());
        Self {
            text_alone: outcome.data.is_none() && outcome.draft.is_none() && !own_error,
            structured,
            text,
            is_error: error.is_some(),
            media,
        }
    }
}

/// The printed text, where data says no more and no less.
fn printed(outcome: &Outcome, limits: &Limits, redactor: &Redactor) -> Option<String> {
    let whole = outcome.items.is_none() && outcome.stdout.total as usize <= limits.output_chars;
    let (text, cut) = whole.then(|| shown(&outcome.stdout, limits, redactor))?;
    (!cut && !text.is_empty()).then_some(text)
}

/// The line before standard error where there is standard output, too.
const STDERR: &str = "[standard error]";

/// Notes on the streams that are not shown whole, to be read at the end of a text that is cut in its middle.
fn cut_notes<'o>(
    outcome: &'o Outcome,
    truncated: &'o Map<String, Value>,
) -> impl Iterator<Item = String> + 'o {
    let streams = [
        ("stdout", "standard output", &outcome.stdout),
        ("stderr", "standard error", &outcome.stderr),
    ];
    let cut = streams
        .into_iter()
        .filter(|(key, ..)| truncated.contains_key(*key));
    cut.map(|(_, name, captured)| {
        let more = more_note(captured);
        format!("[{name} is cut: {} bytes in all{more}]", captured.total)
    })
}

/// The size of a stream that is not shown whole, and the place where the rest of it can be read.
fn sizes(captured: &Captured) -> Value {
    let mut sizes = json!({ "bytes": captured.total });
    if let Some(spooled) = &captured.spool {
        sizes["id"] = spooled.hand_out().into();
    }
    sizes
}

/// The part of a stream that an assistant sees, and true if that is not all of it.
fn shown(captured: &Captured, limits: &Limits, redactor: &Redactor) -> (String, bool) {
    shown_text(
        captured,
        limits.output_chars,
        &more_note(captured),
        redactor,
    )
}

/// The note on where the rest of a stream can be read, if it was kept.
fn more_note(captured: &Captured) -> String {
    captured.spool.as_ref().map_or_else(String::new, |spooled| {
        let (reader, id) = (read_output::NAME, spooled.hand_out());
        format!("; `{reader}` with the id {id} shows more")
    })
}

/// The error of an outcome that is not a success.
pub(crate) fn failure(outcome: &Outcome) -> Option<CallError> {
    if outcome.complaint.is_some() {
        return outcome.complaint.clone();
    }
    let error = match outcome.ended {
        Ended::Exited(0) | Ended::NotRun | Ended::Running => return None,
        Ended::Exited(code) => CallError::new(
            ErrorCode::Failed,
            format!("the command ended with exit code {code}"),
        ),
        Ended::Signalled(signal) => CallError::new(
            ErrorCode::Failed,
            format!("the command was ended by signal {signal}"),
        ),
        Ended::TimedOut => {
            // What it really took: a layer may have lowered the limit.
            let message = format!("the command was ended after {:.1?}", outcome.duration);
            CallError::new(ErrorCode::Timeout, message)
                .hint("ask for less, or have its timeout raised")
        }
        Ended::Cancelled => CallError::new(ErrorCode::Cancelled, "the call was cancelled"),
        Ended::NeedsInput => {
            let asked = outcome.question.as_ref();
            let asked = asked.map_or("", |question| question.message.as_str());
            CallError::refused(format!("a person has to answer first: {asked}"))
                .hint("this client has no way to ask; use one that can, and nothing was run")
        }
    };
    Some(match &outcome.advice {
        Some(advice) => error.hint(advice.clone()),
        None => error,
    })
}

/// Notes as a line and as a list, if there are any.
fn redacted_notes(notes: &[String], redactor: &Redactor) -> Option<(String, Value)> {
    let notes: Vec<String> = notes
        .iter()
        .map(|note| redactor.text(note).into_owned())
        .collect();
    (!notes.is_empty()).then(|| (format!("[{}]", notes.join("; ")), notes.into()))
}

fn redacted(error: &CallError, redactor: &Redactor) -> CallError {
    let mut error = error.clone();
    error.message = redactor.text(&error.message).into_owned();
    error.hint = error.hint.map(|hint| redactor.text(&hint).into_owned());
    error
}

fn error_json(error: &CallError) -> Value {
    let mut object = json!({"code": error.code.as_str(), "message": error.message});
    if let Some(hint) = &error.hint {
        object["hint"] = hint.as_str().into();
    }
    object
}

fn error_text(error: &CallError) -> String {
    match &error.hint {
        Some(hint) => format!("{} ({hint})", error.message),
        None => error.message.clone(),
    }
}
