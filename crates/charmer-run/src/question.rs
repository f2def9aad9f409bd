//! Questions that a step puts to the person behind a client before anything runs, and their answers.
//!
//! A step never waits. Where it has no answer yet it returns [`Outcome::needs_input`](crate::Outcome::needs_input); whoever
//! speaks with the client asks, and makes the call again from the start with the answer among its
//! [`answers`](crate::Call::answers). So every step before the process may run more than once, and the process never does.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

#[cfg(feature = "approval")]
use crate::{CallError, approval};

/// The beginning of the keys of questions that are approvals.
pub(crate) const APPROVAL_KEY: &str = "approve-";

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
    /// The time that there is for an answer; as long as whoever asks is patient, if it is not set.
    pub timeout: Option<Duration>,
    /// It is answered by allowing, and has the form of that.
    #[cfg(feature = "approval")]
    pub(crate) is_approval: bool,
}

impl Question {
    /// A question that is answered by allowing something. Its form is never empty, because there are clients that accept
    /// an empty one by themselves: a person has to say `allow`, and may give a `reason`.
    ///
    /// ```
    /// use charmer_run::Question;
    /// let question = Question::new("delete:prod", "Delete the namespace `prod`?");
    /// assert_eq!(question.schema["required"][0], "allow");
    /// ```
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        let Value::Object(schema) = json!({
            "type": "object",
            "properties": {
                "allow": {"type": "boolean", "title": "Allow this call", "description": "Yes lets it run once, as it is shown"},
                "reason": {"type": "string", "title": "Reason", "description": "Told to the assistant if it is not allowed"},
            },
            "required": ["allow"],
        }) else {
            unreachable!("the literal is an object")
        };
        Self {
            key: key.into(),
            message: message.into(),
            schema,
            timeout: None,
            #[cfg(feature = "approval")]
            is_approval: true,
        }
    }

    /// Sets the form that is filled in.
    #[must_use]
    pub fn schema(mut self, schema: Map<String, Value>) -> Self {
        self.schema = schema;
        #[cfg(feature = "approval")]
        {
            self.is_approval = false;
        }
        self
    }

    /// Sets the time that there is for an answer.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
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
pub struct Answers(Arc<Vec<(String, Answer)>>);

impl Answers {
    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The answer to a question, if there is one.
    pub fn get(&self, key: &str) -> Option<&Answer> {
        let mut answers = self.0.iter();
        let found = answers.find(|(other, _)| other == key);
        found.map(|(_, answer)| answer)
    }

    /// All of them.
    #[cfg(feature = "approval")]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Answer)> {
        let answers = self.0.iter();
        answers.map(|(key, answer)| (key.as_str(), answer))
    }

    /// Returns whether a call may go on, where accepting the form of a question is enough; `None` if it was not asked yet.
    #[cfg(feature = "approval")]
    pub(crate) fn accepted(&self, question: &Question) -> Option<Result<(), CallError>> {
        Some(match self.get(&question.key)? {
            Answer::Accepted(_) => Ok(()),
            other => approval::verdict(other),
        })
    }

    /// Notes an answer that came without what proves that its question was asked: no approval follows from it. One that
    /// does not even claim to be to a question of ours says nothing, so that the question is asked.
    pub fn insert_unproven(&mut self, key: &str) {
        if key.starts_with(APPROVAL_KEY) {
            self.insert(APPROVAL_KEY, Answer::Dismissed);
        }
    }

    /// Adds the answer to a question.
    pub fn insert(&mut self, key: impl Into<String>, answer: Answer) {
        let key = key.into();
        let answers = Arc::make_mut(&mut self.0);
        answers.retain(|(other, _)| *other != key);
        answers.push((key, answer));
    }
}

impl FromIterator<(String, Answer)> for Answers {
    fn from_iter<I: IntoIterator<Item = (String, Answer)>>(answers: I) -> Self {
        let mut all = Self::default();
        for (key, answer) in answers {
            all.insert(key, answer);
        }
        all
    }
}
