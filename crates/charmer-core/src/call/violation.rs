//! What is wrong with a call, said so that an assistant can mend it.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

/// One thing that is wrong with one property.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Where: `limit`, `flags.limit`, `labels[2]`; empty for the input as a whole.
    pub path: String,
    /// What was expected.
    pub expected: String,
    /// What came, if anything did.
    pub found: Option<String>,
    /// What to do about it, if there is more to say.
    pub hint: Option<String>,
}

impl Violation {
    /// A violation at a path.
    pub fn new(path: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            expected: expected.into(),
            found: None,
            hint: None,
        }
    }

    /// Says what came.
    #[must_use]
    pub fn found(mut self, value: &Value) -> Self {
        self.found = Some(describe(value));
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}`: ", self.path)?;
        }
        write!(f, "expected {}", self.expected)?;
        if let Some(found) = &self.found {
            write!(f, ", found {found}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

/// A value as an error message shows it: its type, and the value if it is short.
pub(crate) fn describe(value: &Value) -> String {
    const SHOWN: usize = 60;
    let kind = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => "the boolean",
        Value::Number(_) => "the number",
        Value::String(_) => "the string",
        Value::Array(items) => return format!("an array of {}", items.len()),
        Value::Object(_) => return "an object".into(),
    };
    let text = value.to_string();
    if text.len() <= SHOWN {
        return format!("{kind} {text}");
    }
    format!(
        "{kind} {}… ({} bytes)",
        &text[..text.floor_char_boundary(SHOWN)],
        text.len()
    )
}

/// Why a call is not run.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The input does not fit the tool.
    #[error("{}", list(.0))]
    Invalid(Vec<Violation>),
    /// The command line that would be run holds an element that is not allowed.
    #[error("refused to run it: {0}")]
    Policy(String),
}

fn list(violations: &[Violation]) -> String {
    match violations {
        [one] => format!("invalid arguments: {one}"),
        many => {
            let lines: String = many
                .iter()
                .map(|violation| format!("\n- {violation}"))
                .collect();
            format!("invalid arguments, {} problems:{lines}", many.len())
        }
    }
}
