//! The key `hooks` of a file, a source, a selector or a spell: the operator's programs that are asked about calls.

use std::{path::PathBuf, time::Duration};

use charmer_run::{HOOK_TIMEOUT, HookLevel, HookMoment, HookRunner};
use serde::Serialize;

use crate::units::write_optional_duration;

/// The key `hooks`: a program with its arguments for each moment of a call. What they are asked and what they answer is
/// described in `docs/hooks.md`.
///
/// Relative paths of theirs start in the folder of the file, which is also the one that they run in.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// hooks: {error: [./explain.sh]}
/// sources:
///   - binary: git
///     hooks: {before: [python3, policy.py, --strict], timeout: 2s}
///     select:
///       - commands: {allow: [log]}
///         hooks: {after: [./mask.py]}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].hooks.before, ["python3", "policy.py", "--strict"]);
/// assert_eq!(config.sources[0].select[0].hooks.after, ["./mask.py"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HookRules {
    /// Asked before a call: it may refuse it, or change its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Asked after a program has run: it may withhold or change its output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Asked when a call has failed: it may change what is said of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub error: Vec<String>,
    /// The longest time that each of them may take.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub timeout: Option<Duration>,
    /// The folder that they run in, if it is not that of the file that is served: theirs is included there.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

impl HookRules {
    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        let mut commands = [&self.before, &self.after, &self.error].into_iter();
        commands.all(Vec::is_empty) && self.timeout.is_none()
    }

    /// The words of the hook of a moment; none if there is no such hook.
    pub fn command(&self, moment: HookMoment) -> &[String] {
        match moment {
            HookMoment::Before => &self.before,
            HookMoment::After => &self.after,
            HookMoment::Error => &self.error,
            _ => &[],
        }
    }

    /// The same as what can be asked.
    pub fn level(&self, runner: &HookRunner) -> HookLevel {
        let own = self.folder.as_ref().map(|folder| runner.of(folder.clone()));
        let runner = own.as_ref().unwrap_or(runner);
        let level = HookLevel::new(runner).timeout(self.timeout.unwrap_or(HOOK_TIMEOUT));
        let moments = HookMoment::ALL.into_iter();
        moments.fold(level, |level, moment| {
            level.asks(moment, self.command(moment).to_vec())
        })
    }
}
