//! The step that asks hooks before a call and after it.

use std::sync::Arc;

use charmer_core::call::understand;
use tower_service::Service;

use crate::{
    Call, CallError, CallService, Ended, ErrorCode, Outcome, layers::Around, process::Captured,
};

use super::{
    Asking, HookMoment,
    message::{HookChanges, HookReply},
    prepared,
};

/// Asks the hooks before and after.
#[derive(Debug, Clone)]
pub(crate) struct Judged(pub(crate) Asking);

impl Judged {
    /// The call as the hooks let it through. That a person has to be asked goes with it, to the step that asks.
    async fn before(&self, mut call: Call) -> Result<Call, CallError> {
        for level in self.0.hooks.at(HookMoment::Before) {
            // What no command line can be made of is refused anyway, and nobody has to judge it.
            prepared(&call)?;
            let question = self.0.question(HookMoment::Before, &call);
            let name = level.name(HookMoment::Before);
            match level
                .ask(HookMoment::Before, question, &call.cancel)
                .await?
            {
                HookReply::Refuse { reason, hint } => return Err(refused(reason, hint)),
                HookReply::Ask { message } => {
                    call.asks.push(format!("the hook {name}: {message}"));
                }
                HookReply::Allow(changes) => {
                    let changed = changes
                        .arguments
                        .filter(|arguments| *arguments != call.input);
                    if call.dry_run && changed.is_none() {
                        call.notes.push(format!("the hook {name} allows it"));
                    }
                    if let Some(arguments) = changed {
                        let understood = understand(&call.tool, &arguments)
                            .map_err(|refusal| by_hook(&refusal.into(), &name))?;
                        call.input = understood.input;
                        prepared(&call).map_err(|error| by_hook(&error, &name))?;
                        call.notes
                            .push(format!("the hook {name} changed the arguments"));
                        call.notes.extend(understood.notes);
                    }
                }
            }
        }
        Ok(call)
    }

    /// The outcome as the hooks let it through. `call` is the one that was run.
    async fn after(&self, call: &Call, mut outcome: Outcome) -> Result<Outcome, CallError> {
        match outcome.ended {
            Ended::Exited(_) | Ended::Signalled(_) | Ended::TimedOut => {}
            // Nobody waits for it, so nobody is asked; what nobody has looked at is not shown.
            Ended::Cancelled => {
                outcome.stdout = Captured::default();
                outcome.stderr = Captured::default();
                outcome.data = None;
                return Ok(outcome);
            }
            Ended::NeedsInput | Ended::NotRun | Ended::Running => return Ok(outcome),
        }
        for level in self.0.hooks.at(HookMoment::After) {
            let question = self.0.question(HookMoment::After, call).result(&outcome);
            match level.ask(HookMoment::After, question, &call.cancel).await? {
                HookReply::Refuse { reason, hint } => {
                    let said = format!("the command ran, but its output is withheld: {reason}");
                    return Err(refused(said, hint));
                }
                // It is no answer here, and would not be read as one.
                HookReply::Ask { message } => {
                    let said = format!("the command ran, but its output is withheld: {message}");
                    return Err(refused(said, None));
                }
                HookReply::Allow(changes) => self.change(&mut outcome, changes),
            }
        }
        Ok(outcome)
    }

    fn change(&self, outcome: &mut Outcome, changes: HookChanges) {
        let is_changed = changes.stdout.is_some() || changes.stderr.is_some();
        for (stream, text) in [
            (&mut outcome.stdout, changes.stdout),
            (&mut outcome.stderr, changes.stderr),
        ] {
            // What the hook has not seen is on disk only.
            if stream.is_cut() || is_changed {
                stream.spool = None;
            }
            if let Some(text) = text {
                *stream = Captured::whole(self.0.plain(&text));
            }
        }
        if let Some(data) = changes.data {
            outcome.data = Some(self.0.plain_value(data));
        }
        if is_changed {
            // It may quote what was printed.
            outcome.advice = None;
        }
    }
}

fn refused(reason: String, hint: Option<String>) -> CallError {
    let mut error = CallError::refused(reason);
    error.hint = hint;
    error
}

/// The error of arguments that a hook gave: the caller's own were right.
fn by_hook(error: &CallError, name: &str) -> CallError {
    let message = format!(
        "refused, because the hook {name} changed the arguments to what the command does not take: {}",
        error.message
    );
    CallError::new(ErrorCode::InvalidConfiguration, message)
        .hint("whoever runs this server has to correct the hook")
}

impl Around for Judged {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        let mut call = self.before(call).await?;
        if self.0.hooks.at(HookMoment::After).is_empty() {
            return inner.call(call).await;
        }
        // A line that is told while the program runs is one that nobody has looked at.
        call.progress = call.progress.wordless();
        call.live.hide_output();
        let seen = call.clone();
        let outcome = inner.call(call).await?;
        self.after(&seen, outcome).await
    }
}
