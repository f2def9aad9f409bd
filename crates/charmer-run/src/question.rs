//! Questions that a step puts to the person behind a client before anything runs, and their answers.
//!
//! A step never waits. Where it has no answer yet it returns [`Outcome::needs_input`](crate::Outcome::needs_input); whoever
//! speaks with the client asks, and makes the call again from the start with the answer among its
//! [`answers`](crate::Call::answers). So every step before the process may run more than once, and the process never does.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value, json};

use crate::CallError;

/// Something that a person must say before a call can go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The name that its answer is found by. It must tell apart whatever must not share an answer: a question on
    /// another command line is another question.
    pub key: String,
    /// The words that the person reads.
    pub message: String,
    /// The JSON Schema of the form that is filled in: an object of plain values.
    pub schema: Map<String, Value>,
}

impl Question {
    /// A question that is answered by accepting or declining.
    ///
    /// ```
    /// use charmer_run::Question;
    /// let question = Question::new("delete:prod", "Delete the namespace `prod`?");
    /// assert_eq!(question.schema["type"], "object");
    /// ```
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        let Value::Object(schema) = json!({"type": "object", "properties": {}}) else {
            unreachable!("the literal is an object")
        };
        Self {
            key: key.into(),
            message: message.into(),
            schema,
        }
    }

    /// Sets the form that is filled in.
    #[must_use]
    pub fn schema(mut self, schema: Map<String, Value>) -> Self {
        self.schema = schema;
        self
    }
}

/// The answer of a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Yes, with what was filled in.
    Accepted(Map<String, Value>),
    /// No.
    Declined,
    /// Nothing: the question was put away, or nobody could be asked.
    Dismissed,
}

/// The answers that a call was made with, by the keys of their questions.
#[derive(Debug, Clone, Default)]
pub struct Answers(Arc<BTreeMap<String, Answer>>);

impl Answers {
    /// The answer to a question, if there is one.
    pub fn get(&self, key: &str) -> Option<&Answer> {
        self.0.get(key)
    }

    /// Whether a call may go on, where a question is answered by accepting or declining; `None` if it was not asked yet.
    pub(crate) fn verdict(&self, question: &Question) -> Option<Result<(), CallError>> {
        let refusal = match self.get(&question.key)? {
            Answer::Accepted(_) => return Some(Ok(())),
            Answer::Declined => CallError::refused("the user declined this call"),
            Answer::Dismissed => CallError::refused("the user did not answer"),
        };
        let hint = "nothing was run; do not try again unless the user wants it";
        Some(Err(refusal.hint(hint)))
    }

    /// Adds the answer to a question.
    pub fn insert(&mut self, key: impl Into<String>, answer: Answer) {
        Arc::make_mut(&mut self.0).insert(key.into(), answer);
    }
}

impl FromIterator<(String, Answer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (String, Answer)>>(answers: I) -> Self {
        Self(Arc::new(answers.into_iter().collect()))
    }
}
