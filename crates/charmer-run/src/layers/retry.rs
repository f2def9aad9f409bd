//! Another try for commands that read.
//!
//! Only a tool whose annotations say that it changes nothing is tried again; the call of any other is passed through
//! untouched, because it may have done half of its work. What may pass by itself is tried again: a non-zero exit code,
//! a signal from outside, a timeout, and "busy". What will not is answered at once: invalid arguments, a refusal, a
//! cancellation, a program that cannot be started, and one that waited for somebody to answer its question. So is a call
//! that a person has allowed by an answer of its client, which is used by the first try.
//!
//! Each try has the whole time of the call, so that a call takes at most (times + 1) timeouts and `times` waits.

use std::{sync::Arc, time::Duration};

use tower_service::Service;

use crate::{Call, CallError, CallService, Ended, ErrorCode, Outcome};

use super::Around;

/// Tries calls of tools that read again when they fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    times: u32,
    wait: Duration,
}

impl Retry {
    /// At most so many more tries, with this wait before each.
    pub fn new(times: u32, wait: Duration) -> Self {
        Self { times, wait }
    }
}

impl Around for Retry {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        // What a person has answered is good for one run.
        let is_answered = !call.answers.is_empty();
        if !call.tool.annotations.read_only || call.dry_run || is_answered {
            return inner.call(call).await;
        }
        let Retry { times, wait } = *self;
        for _ in 0..times {
            let answer = inner.call(call.clone()).await;
            if !may_pass(&answer) {
                return answer;
            }
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = call.cancel.cancelled() => return Err(CallError::new(
                    ErrorCode::Cancelled,
                    "the call was cancelled before it was tried again",
                )),
            }
        }
        inner.call(call).await
    }
}

/// Returns true if a failure may be gone the next time.
fn may_pass(answer: &Result<Outcome, CallError>) -> bool {
    match answer {
        // A program with a question will ask it again.
        Ok(outcome) if outcome.advice.is_some() => false,
        Ok(outcome) => match outcome.ended {
            Ended::Exited(code) => code != 0,
            Ended::Signalled(_) | Ended::TimedOut => true,
            Ended::Cancelled | Ended::NeedsInput | Ended::NotRun | Ended::Running => false,
        },
        Err(error) => matches!(
            error.code,
            ErrorCode::Busy | ErrorCode::Failed | ErrorCode::Timeout
        ),
    }
}
