//! Replaces what matches a pattern in what a program wrote.
//!
//! This is for what an assistant need not see. What nobody may see is a [`Redactor`](crate::Redactor)'s: that one also
//! covers logs and the disk, while a filter stands at the end of the call, and lines are not told before.

use regex_lite::Regex;
use serde_json::Value;
use tower_layer::Layer;

use crate::{BadPattern, CallService, Hooks, Outcome, process::Captured};

use super::entries::map_entries;

/// Patterns and what stands in their matches' place, in standard output, standard error, and data made of them.
///
/// A pattern is matched within what was kept of a stream; where its middle was cut, not across the gap. The full
/// output on disk is not filtered, so that it is not offered to the assistant for calls that have a filter.
///
/// ```
/// use charmer_run::{Outcome, layers::Filter};
///
/// let filter = Filter::new(r"(user|host)=\S+", "$1=...").unwrap();
/// assert_eq!(filter.apply(Outcome::success("user=ann host=web1")).stdout_text(), "user=... host=...");
/// ```
#[derive(Debug, Clone)]
pub struct Filter(Vec<(Regex, String)>);

impl Filter {
    /// Replaces every match of a regular expression. In the replacement `$1` is what the first group matched, and
    /// `$$` a dollar sign.
    pub fn new(pattern: &str, replacement: impl Into<String>) -> Result<Self, BadPattern> {
        Self(Vec::new()).and(pattern, replacement)
    }

    /// Replaces another pattern, after those before it.
    pub fn and(
        mut self,
        pattern: &str,
        replacement: impl Into<String>,
    ) -> Result<Self, BadPattern> {
        self.0
            .push((compile(pattern, pattern)?, replacement.into()));
        Ok(self)
    }

    /// The outcome with everything replaced.
    #[must_use]
    pub fn apply(&self, mut outcome: Outcome) -> Outcome {
        self.stream(&mut outcome.stdout);
        self.stream(&mut outcome.stderr);
        outcome.data = outcome.data.map(|data| self.value(data));
        outcome.advice = outcome.advice.map(|advice| self.text(&advice));
        outcome
    }

    fn stream(&self, captured: &mut Captured) {
        let left_out = captured
            .total
            .saturating_sub((captured.head.len() + captured.tail.len()) as u64);
        captured.head = self.bytes(&captured.head);
        captured.tail = self.bytes(&captured.tail);
        captured.total = left_out + (captured.head.len() + captured.tail.len()) as u64;
        captured.spool = None;
    }

    /// Filters bytes; those that are no UTF-8 stay as they are.
    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.text(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
        out
    }

    fn text(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, (pattern, replacement)| {
                pattern
                    .replace_all(&text, replacement.as_str())
                    .into_owned()
            })
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(entries) => {
                map_entries(entries, |key| self.text(key), |value| self.value(value)).into()
            }
            other => other,
        }
    }
}

impl Layer<CallService> for Filter {
    type Service = CallService;

    fn layer(&self, inner: CallService) -> CallService {
        let filter = self.clone();
        Hooks::new()
            .after(move |_, outcome| outcome.map(|outcome| filter.apply(outcome)))
            .layer(inner)
    }
}

/// Compiles an expression; a mistake in it is reported as one in the pattern that it was made from.
pub(super) fn compile(expression: &str, pattern: &str) -> Result<Regex, BadPattern> {
    Regex::new(expression).map_err(|error| BadPattern {
        pattern: pattern.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{LOCAL, Spool, SpoolLimits};

    #[test]
    fn every_form_of_the_output_is_filtered() {
        let filter = Filter::new("tok_[a-z]+", "[token]")
            .and_then(|filter| filter.and(r"\[token\]+", "<$0>"))
            .expect("patterns");
        let mut outcome = Outcome::success(b"a tok_abc \xff tok_x".to_vec());
        outcome.stderr = Captured::whole("tok_err");
        outcome.data = Some(json!({"tok_key": ["tok_value", 7, null]}));
        outcome.advice = Some("answer tok_q".into());
        let outcome = filter.apply(outcome);
        assert_eq!(outcome.stdout.head, b"a <[token]> \xff <[token]>");
        assert_eq!(outcome.stdout.total, outcome.stdout.head.len() as u64);
        assert_eq!(outcome.stderr.to_text(), "<[token]>");
        assert_eq!(
            outcome.data,
            Some(json!({"<[token]>": ["<[token]>", 7, null]}))
        );
        assert_eq!(outcome.advice.as_deref(), Some("answer <[token]>"));
    }

    #[test]
    fn a_cut_output_stays_cut_and_does_not_lead_to_the_unfiltered_file() {
        let mut outcome = Outcome::success("secret head");
        outcome.stdout.tail = b"tail secret".to_vec();
        outcome.stdout.total = 1000;
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default());
        let file = spool.create(&LOCAL.into()).expect("room");
        outcome.stdout.spool = Some(file.into_spooled());
        let outcome = Filter::new("secret ?", "").expect("pattern").apply(outcome);
        assert!(outcome.stdout.is_cut());
        assert_eq!(outcome.stdout.total, 1000 - 13);
        assert_eq!(outcome.stdout.spool, None);
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let error = Filter::new("(", "").expect_err("it is no pattern");
        assert_eq!(error.pattern, "(");
    }
}
