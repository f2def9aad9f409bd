//! Asks the person behind the client before a call goes on.

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use tower::{Layer, Service};

use crate::{Answer as Said, Call, CallError, CallService, Outcome, Question};

use super::Answer;

type About = dyn Fn(&Call) -> Option<Question> + Send + Sync;

/// Lets a call go on only when a person has accepted what is asked about it.
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

impl Layer<CallService> for Ask {
    type Service = AskService;

    fn layer(&self, inner: CallService) -> AskService {
        AskService {
            ask: self.clone(),
            inner,
        }
    }
}

/// A call path with [`Ask`].
#[derive(Debug, Clone)]
pub struct AskService {
    ask: Ask,
    inner: CallService,
}

impl Service<Call> for AskService {
    type Response = Outcome;
    type Error = CallError;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Answer {
        let Some(question) = (self.ask.0)(&call) else {
            return self.inner.call(call);
        };
        let refusal = match call.answers.get(&question.key) {
            Some(Said::Accepted(_)) => return self.inner.call(call),
            None => return Box::pin(std::future::ready(Ok(Outcome::needs_input(question)))),
            Some(Said::Declined) => CallError::refused("the user declined this call"),
            Some(Said::Dismissed) => CallError::refused("the user did not answer"),
        };
        let refusal = refusal.hint("nothing was run; do not try again unless the user wants it");
        Box::pin(std::future::ready(Err(refusal)))
    }
}
