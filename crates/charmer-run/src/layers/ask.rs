//! Asks the person behind the client before a call goes on.

use std::{fmt, sync::Arc};

use tower_service::Service;

use crate::{Call, CallError, CallService, Outcome, Question};

use super::Around;

type About = dyn Fn(&Call) -> Option<Question> + Send + Sync;

/// Lets a call go on only when a person has accepted what is asked about it.
///
/// A question without a form of its own is asked where all [approvals](crate::Approvals) are: with the command line that
/// will really run, and bound to it. That is the innermost step of every [`CallPath`](crate::CallPath), an
/// [`Execute`](crate::Execute): around anything else, such a question is not asked. One with a form is asked as it is.
///
/// ```
/// use charmer_run::{Question, layers::Ask};
///
/// let ask = Ask::when(|call| {
///     let question = || Question::new(format!("run:{:?}", call.input), format!("Run {}?", call.tool.name));
///     (!call.tool.annotations.read_only).then(question)
/// });
/// # let _ = ask;
/// ```
#[derive(Clone)]
pub struct Ask(Arc<About>);

impl Ask {
    /// Asks what this says about a call, and nothing where it says nothing. It is asked again when the call comes back
    /// with the answer, and must say the same then.
    pub fn when(about: impl Fn(&Call) -> Option<Question> + Send + Sync + 'static) -> Self {
        Self(Arc::new(about))
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask(..)")
    }
}

impl Around for Ask {
    async fn around(
        self: Arc<Self>,
        mut call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        let Some(question) = (self.0)(&call) else {
            return inner.call(call).await;
        };
        if question.is_approval {
            call.asks.push(question.message);
            return inner.call(call).await;
        }
        if call.dry_run {
            let mut outcome = inner.call(call).await?;
            if let Some(dry_run) = &mut outcome.dry_run {
                let note = format!("a person is asked first: {}", question.message);
                dry_run.notes.push(note);
            }
            return Ok(outcome);
        }
        match call.answers.accepted(&question) {
            None => Ok(Outcome::needs_input(question)),
            Some(Err(refusal)) => Err(refusal),
            Some(Ok(())) => inner.call(call).await,
        }
    }
}
