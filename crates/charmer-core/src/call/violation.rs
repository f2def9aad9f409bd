//! Violations: mistakes in a call, said so that an assistant can mend them.

use std::fmt;

use serde_json::Value;
use thiserror::Error;

use crate::{text::shorten, tool::estimate_tokens};

/// One thing that is wrong with one property.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The path of the value in the input: `limit`, `flags.limit`, `labels[2]`; empty for the input as a whole.
    pub path: String,
    /// The expectation that it breaks.
    pub expected: String,
    /// The value that came instead, if any did.
    pub found: Option<String>,
    /// Advice that goes beyond the expectation.
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

    /// Says that nothing came.
    #[must_use]
    pub(crate) fn nothing_found(mut self) -> Self {
        self.found = Some("nothing".into());
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
        // A caller's own key can be of any length.
        const SHOWN: usize = 64;
        match &self.path[..self.path.floor_char_boundary(SHOWN)] {
            "" => {}
            all if all.len() == self.path.len() => write!(f, "`{all}`: ")?,
            head => write!(f, "`{}…`: ", &head[..head.floor_char_boundary(SHOWN / 2)])?,
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
    const SHOWN: usize = 40;
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

/// The reason why a call is not run.
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

/// The maximum number of tokens for the list of what is wrong, so that an error has room for what to do about it.
const LISTED: usize = 80;
/// The greatest length that one of several may have, in bytes; two of them fit.
const SHORTENED: usize = 160;

fn list(violations: &[Violation]) -> String {
    let longest = match violations {
        [_] => 2 * SHORTENED,
        _ => SHORTENED,
    };
    let mut shown: Vec<String> = Vec::new();
    let mut tokens = 0;
    for violation in violations {
        let mut line = shorten(&violation.to_string(), longest);
        // Text that is no prose can cost a token a letter.
        while estimate_tokens(&line) > LISTED && line.len() > 40 {
            line = shorten(&line, line.len() * 2 / 3);
        }
        tokens += estimate_tokens(&line) + 2;
        if tokens > LISTED && !shown.is_empty() {
            break;
        }
        shown.push(line);
    }
    match (&shown[..], violations.len()) {
        ([one], 1) => format!("invalid arguments: {one}"),
        (_, all) => {
            let lines: String = shown.iter().map(|line| format!("\n- {line}")).collect();
            let more = match all - shown.len() {
                0 => String::new(),
                more => format!("\n- and {more} more"),
            };
            format!("invalid arguments, {all} problems:{lines}{more}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_is_wrong_little_is_said_of_it() {
        let one = |at: usize| {
            Violation::new(format!("argument-{at}"), "an integer of 0 or more")
                .found(&"x".repeat(500).into())
                .hint("did you mean `something-else`?")
        };
        let many = Refusal::Invalid((0..40).map(one).collect()).to_string();
        assert!(estimate_tokens(&many) <= 100, "{many}");
        assert!(
            many.contains("40 problems") && many.contains("`argument-0`"),
            "{many}"
        );
        assert!(many.contains("more"), "{many}");
        let odd = Violation::new("%^&*(".repeat(60), "\u{4e00}".repeat(300));
        let odd = Refusal::Invalid(vec![odd]).to_string();
        assert!(estimate_tokens(&odd) <= 100, "{odd}");
        let short = Refusal::Invalid(vec![one(1)]).to_string();
        assert!(
            short.ends_with("(did you mean `something-else`?)"),
            "{short}"
        );
    }
}
