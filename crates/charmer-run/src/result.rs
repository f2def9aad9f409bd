//! What came of a call, in the two forms that go out: structured, and as text that says the same.

use charmer_core::output::cut_middle;
use serde_json::{Map, Value, json};

use crate::{CallError, Ended, ErrorCode, Limits, Outcome, process::Captured};

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CallResult {
    /// One shape for success and failure: `exitCode`, `stdout` or `data`, `stderr`, `truncated`, `error`.
    pub structured: Map<String, Value>,
    /// The same for people and for clients that show only text.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl CallResult {
    /// The answer that an outcome or an error makes.
    pub fn new(outcome: &Result<Outcome, CallError>, limits: &Limits) -> Self {
        match outcome {
            Ok(outcome) => Self::from_outcome(outcome, limits),
            Err(error) => Self::from_error(error),
        }
    }

    fn from_error(error: &CallError) -> Self {
        let mut structured = Map::new();
        structured.insert("error".into(), error_json(error));
        Self {
            structured,
            text: error_text(error),
            is_error: true,
        }
    }

    fn from_outcome(outcome: &Outcome, limits: &Limits) -> Self {
        let mut structured = Map::new();
        let mut parts: Vec<String> = Vec::new();
        let mut truncated = Map::new();
        if let Ended::Exited(code) = outcome.ended {
            structured.insert("exitCode".into(), code.into());
        }
        let mut stream = |name: &str, captured: &Captured| -> Option<String> {
            let cut = cut_middle(&captured.to_text(), limits.output_chars);
            if captured.is_cut() || cut.left_out > 0 {
                truncated.insert(name.into(), captured.total.into());
            }
            (!cut.text.is_empty()).then_some(cut.text)
        };
        match &outcome.data {
            // Structured content is an object; anything else stands under `items` or `value`.
            Some(data) => {
                let data = match data {
                    Value::Object(_) => data.clone(),
                    Value::Array(_) => json!({ "items": data }),
                    scalar => json!({ "value": scalar }),
                };
                parts.push(
                    outcome
                        .data
                        .as_ref()
                        .map(Value::to_string)
                        .unwrap_or_default(),
                );
                structured.insert("data".into(), data);
            }
            None => {
                if let Some(text) = stream("stdout", &outcome.stdout) {
                    parts.push(text.clone());
                    structured.insert("stdout".into(), text.into());
                }
            }
        }
        if let Some(text) = stream("stderr", &outcome.stderr) {
            parts.push(text.clone());
            structured.insert("stderr".into(), text.into());
        }
        if !truncated.is_empty() {
            structured.insert("truncated".into(), truncated.into());
        }
        let error = failure(outcome, limits);
        if let Some(error) = &error {
            parts.push(match outcome.ended {
                Ended::Exited(code) => format!("exit code {code}"),
                _ => error_text(error),
            });
            structured.insert("error".into(), error_json(error));
        }
        let text = parts
            .iter()
            .map(|part| part.trim_end_matches('\n'))
            .collect::<Vec<_>>()
            .join("\n");
        Self {
            structured,
            text,
            is_error: error.is_some(),
        }
    }
}

/// What an outcome that is not a success says of itself.
fn failure(outcome: &Outcome, limits: &Limits) -> Option<CallError> {
    Some(match outcome.ended {
        Ended::Exited(0) => return None,
        Ended::Exited(code) => CallError::new(
            ErrorCode::Failed,
            format!("the command ended with exit code {code}"),
        ),
        Ended::Signalled(signal) => CallError::new(
            ErrorCode::Failed,
            format!("the command was ended by signal {signal}"),
        ),
        Ended::TimedOut => CallError::new(
            ErrorCode::Timeout,
            format!("the command was ended after {:?}", limits.timeout),
        )
        .hint("ask for less, or have its timeout raised"),
        Ended::Cancelled => CallError::new(ErrorCode::Cancelled, "the call was cancelled"),
    })
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
