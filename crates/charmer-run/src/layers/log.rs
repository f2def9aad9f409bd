//! The outcome of each call, in a line for whoever runs the server.

use crate::{Call, Ended, Hooks};

/// Tells how each call went: the call, and a line with its tool, how it ended and how long it took, or why it was refused.
///
/// ```
/// use charmer_run::layers::log_calls;
/// let layer = log_calls(|call, line| eprintln!("{}: {line}", call.caller.id));
/// # let _ = layer;
/// ```
pub fn log_calls(tell: impl Fn(&Call, &str) + Send + Sync + 'static) -> Hooks {
    let hooks = Hooks::new().after(move |call, outcome| {
        let tool = &call.tool.name;
        let line = match &outcome {
            Ok(outcome) => format!("{tool}: {} in {:?}", ended(outcome.ended), outcome.duration),
            Err(error) => format!("{tool}: {}: {error}", error.code),
        };
        tell(call, &line);
        outcome
    });
    hooks.only_looking()
}

fn ended(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Signalled(signal) => format!("signal {signal}"),
        Ended::TimedOut => "timed out".into(),
        Ended::Cancelled => "cancelled".into(),
        Ended::NeedsInput => "asked the user".into(),
        Ended::NotRun => "dry run".into(),
        Ended::Running => "goes on as a job".into(),
    }
}
