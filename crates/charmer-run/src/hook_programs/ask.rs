//! Asking one hook: started, given its question, waited for, and its answer read. Whatever fails is an error that says so.

use std::time::Duration;

use charmer_core::output::clean;
use tokio_util::sync::CancellationToken;

use crate::{
    CallError, Ended, ErrorCode, Limits, Outcome, RunPlace,
    process::{Captured, Request},
};

use super::{
    HookLevel, HookMoment,
    message::{HookQuestion, HookReply},
};

/// The longest time that a hook that is out of time may take to end.
const GRACE: Duration = Duration::from_millis(500);
/// The maximum size of an answer, besides what was asked: a hook that changes an output has to print it again.
const MOST_BYTES: usize = 1 << 20;
/// By how much an output may grow when it is written as JSON once more: `\u00e9` for two bytes.
const GROWTH: usize = 3;
/// The number of bytes of a hook's standard error that are told.
const MOST_TOLD: usize = 300;

/// Programs that run a script, by how their names begin.
const INTERPRETERS: [&str; 10] = [
    "bash", "dash", "deno", "node", "perl", "php", "python", "ruby", "sh", "zsh",
];

impl HookLevel {
    /// The name of a hook in messages.
    pub(super) fn name(&self, moment: HookMoment) -> String {
        let command = self.command(moment).unwrap_or_default();
        // The script says more than its interpreter; what stands behind it may be a secret.
        let mut words = command.iter();
        let is_interpreter = |word: &&String| {
            let file = word.rsplit('/').next().unwrap_or_default();
            INTERPRETERS.iter().any(|name| file.starts_with(name))
        };
        let first = words.next();
        let script = first.filter(is_interpreter).and_then(|_| {
            let mut behind = words.skip_while(|word| word.starts_with('-'));
            behind.next().filter(|word| word.contains(['/', '.']))
        });
        let name = script.or(first).map_or("", String::as_str);
        format!("`{name}` (`{moment}`)")
    }

    /// The answer of this level's hook.
    pub(super) async fn ask(
        &self,
        moment: HookMoment,
        question: HookQuestion,
        cancel: &CancellationToken,
    ) -> Result<HookReply, CallError> {
        let failed = |what: String, hint: &str| {
            let name = self.name(moment);
            let message = match moment {
                HookMoment::Before => format!("refused, because the hook {name} {what}"),
                HookMoment::After => {
                    format!(
                        "the command ran, but its output is withheld, because the hook {name} {what}"
                    )
                }
                HookMoment::Error => {
                    format!("the call failed; why is withheld, because the hook {name} {what}")
                }
            };
            Err(CallError::new(ErrorCode::InvalidConfiguration, message).hint(hint))
        };
        let [program, arguments @ ..] = self.command(moment).unwrap_or_default() else {
            return Ok(HookReply::Allow(Default::default()));
        };
        if let Some(guard) = &self.guard {
            guard()?;
        }
        let program = match self.runner.find(program) {
            Ok(program) => program,
            Err(error) => {
                return failed(
                    format!("cannot be started: {}", error.message),
                    "whoever runs this server has to install it, or correct `hooks`",
                );
            }
        };
        let question = question.to_bytes();
        let most = MOST_BYTES + GROWTH * question.len();
        let limits = Limits::default()
            .timeout(self.timeout)
            .grace(GRACE)
            .capture_bytes(most);
        let place = RunPlace {
            program: Some(program),
            ..RunPlace::default()
        };
        let arguments = arguments.iter().map(Into::into).collect();
        let request = Request::new(arguments, limits)
            .stdin(question)
            .place(place)
            .private();
        let outcome = match self.runner.launcher.run(request, cancel.clone()).await {
            Ok(outcome) => outcome,
            Err(error) if matches!(error.code, ErrorCode::Busy | ErrorCode::Cancelled) => {
                return Err(error);
            }
            Err(error) => {
                return failed(
                    format!("cannot be started: {}", error.message),
                    "whoever runs this server has to correct `hooks`, or the program",
                );
            }
        };
        let Outcome {
            ended,
            stdout,
            stderr,
            ..
        } = outcome;
        let how = match ended {
            Ended::Cancelled => {
                return Err(CallError::new(
                    ErrorCode::Cancelled,
                    "the call was cancelled",
                ));
            }
            Ended::TimedOut => {
                let allowed = humantime::format_duration(self.timeout);
                return failed(
                    format!("gave no answer within {allowed}{}", told(&stderr)),
                    "whoever runs this server has to make it quicker, or raise `timeout` in `hooks`",
                );
            }
            Ended::Exited(0) => None,
            Ended::Exited(code) => Some(format!("exit code {code}")),
            Ended::Signalled(signal) => Some(format!("signal {signal}")),
            _ => Some("no exit code".into()),
        };
        if stdout.is_cut() {
            return failed(
                format!(
                    "printed {} bytes, and {most} are read of an answer",
                    stdout.total
                ),
                "whoever runs this server has to make it print its answer alone",
            );
        }
        let answer = HookReply::read(moment, &stdout.head);
        match (how, answer) {
            (None, Ok(answer)) | (Some(_), Ok(answer @ HookReply::Refuse { .. })) => Ok(answer),
            (Some(how), Ok(_)) => failed(
                format!("ended with {how}, although it answered{}", told(&stderr)),
                "whoever runs this server has to correct it: only a refusal may end with an exit code",
            ),
            (Some(how), Err(_)) if stdout.total == 0 => failed(
                format!("ended with {how} and gave no answer{}", told(&stderr)),
                "whoever runs this server has to correct it",
            ),
            (how, Err(why)) => {
                let how = how.map(|how| format!(", and ended with {how}"));
                failed(
                    format!(
                        "gave no valid answer: {why}{}{}",
                        how.unwrap_or_default(),
                        told(&stderr)
                    ),
                    match moment {
                        HookMoment::Error => {
                            "it has to print one JSON object, like {\"version\": 1}; docs/hooks.md has the others"
                        }
                        _ => {
                            "it has to print one JSON object, like {\"version\": 1, \"decision\": \"allow\"}; \
                             docs/hooks.md has the others"
                        }
                    },
                )
            }
        }
    }
}

/// The end of standard error, which often says what is wrong.
fn told(stderr: &Captured) -> String {
    let text = stderr.end_text();
    let text = clean(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let said = lines.collect::<Vec<_>>().join("; ");
    let end = said.ceil_char_boundary(said.len().saturating_sub(MOST_TOLD));
    match &said[end..] {
        "" => String::new(),
        last if end == 0 => format!(" (it said: {last})"),
        last => format!(" (it said: ... {last})"),
    }
}
