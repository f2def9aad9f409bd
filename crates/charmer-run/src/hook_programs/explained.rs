//! The step that asks hooks about a call that failed, whoever was the reason.

use std::sync::Arc;

use charmer_core::call::understand;
use tower_service::Service;

use crate::{
    Call, CallError, CallService, Ended, ErrorCode, Outcome, layers::Around, result::failure,
};

use super::{Asking, HookMoment, message::HookReply};

/// Asks the hooks for errors.
#[derive(Debug, Clone)]
pub(crate) struct Explained(pub(crate) Asking);

impl Explained {
    async fn explain(
        &self,
        mut call: Call,
        came: Result<Outcome, CallError>,
    ) -> Result<Outcome, CallError> {
        let Some(said) = error_of(&came) else {
            return came;
        };
        let mut error = said.clone();
        // As the other hooks have seen it, if it can be understood at all.
        if let Ok(understood) = understand(&call.tool, &call.input) {
            call.input = understood.input;
        }
        for level in self.0.hooks.at(HookMoment::Error) {
            let mut question = self.0.question(HookMoment::Error, &call).error(&error);
            if let Ok(outcome) = &came {
                question = question.result(outcome);
            }
            let answer = level.ask(HookMoment::Error, question, &call.cancel).await?;
            if let HookReply::Allow(changes) = answer {
                error.message = changes.message.unwrap_or(error.message);
                error.hint = changes.hint.or(error.hint);
            }
        }
        match came {
            Err(_) => Err(error),
            Ok(mut outcome) => {
                if error != said {
                    outcome.complaint = Some(error);
                }
                Ok(outcome)
            }
        }
    }
}

/// The reason why a call failed, if it did and somebody waits for its answer.
fn error_of(came: &Result<Outcome, CallError>) -> Option<CallError> {
    match came {
        Err(error) => (error.code != ErrorCode::Cancelled).then(|| error.clone()),
        Ok(outcome) => match outcome.ended {
            Ended::Cancelled | Ended::NeedsInput | Ended::NotRun | Ended::Running => None,
            Ended::Exited(_) | Ended::Signalled(_) | Ended::TimedOut => failure(outcome),
        },
    }
}

impl Around for Explained {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        if self.0.hooks.at(HookMoment::Error).is_empty() {
            return inner.call(call).await;
        }
        let seen = call.clone();
        let came = inner.call(call).await;
        self.explain(seen, came).await
    }
}
