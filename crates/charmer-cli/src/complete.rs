//! Asking the own completion of a program made with Cobra, where the configuration allows it.

use std::{ffi::OsString, sync::Arc, time::Duration};

use charmer_run::{
    Complete, Completer, Ended, Limits,
    process::{Launcher, Request},
};
use tokio_util::sync::CancellationToken;

/// The hidden command that every Cobra program has.
const COMPLETE: &str = "__complete";
/// Nobody waits longer for a suggestion.
const DEADLINE: Duration = Duration::from_secs(2);
/// As much as is read of an answer.
const MOST: usize = 1 << 20;

/// Asks the program that this starts, in its own environment and directory.
pub(crate) fn completer(launcher: &Launcher, principal: &Arc<str>) -> Completer {
    let (launcher, principal) = (launcher.clone(), Arc::clone(principal));
    Completer::new(move |asked: Complete| {
        let (launcher, principal) = (launcher.clone(), Arc::clone(&principal));
        async move {
            let argv: Vec<OsString> = std::iter::once(COMPLETE.to_owned())
                .chain(asked.words)
                .chain([asked.begun])
                .map(OsString::from)
                .collect();
            let limits = Limits::default()
                .timeout(DEADLINE)
                // Nothing is lost when a completion is ended, and a person is waiting.
                .grace(Duration::from_millis(200))
                .capture_bytes(MOST)
                .output_chars(MOST);
            // Nobody means to change anything by asking what could be said.
            let request = Request::new(argv, limits).principal(principal).reads(true);
            match launcher.run(request, CancellationToken::new()).await {
                Ok(outcome) if outcome.ended == Ended::Exited(0) => {
                    values(&outcome.stdout.to_text())
                }
                _ => Vec::new(),
            }
        }
    })
}

/// The values in an answer: a line each, with a description behind a tab, and a last line of directives.
fn values(answer: &str) -> Vec<String> {
    /// The program failed, or what it lists are endings of files, or it wants folders.
    const NO_VALUES: u32 = 1 | 8 | 16;
    let mut lines: Vec<&str> = answer.lines().filter(|line| !line.is_empty()).collect();
    let directive = lines.pop().and_then(|line| line.strip_prefix(':'));
    match directive.and_then(|bits| bits.trim().parse::<u32>().ok()) {
        Some(bits) if bits & NO_VALUES == 0 => lines
            .into_iter()
            .filter(|line| !line.starts_with("_activeHelp_ "))
            .filter_map(|line| line.split('\t').next())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::values;

    #[test]
    fn values_are_what_stands_before_the_tab() {
        assert_eq!(
            values("bergen\tA port\n_activeHelp_ wait\noslo\n:4\n"),
            ["bergen", "oslo"]
        );
        for none in [
            "",
            "bergen\n",
            "bergen\n:1\n",
            "yaml\njson\n:8\n",
            ":16\n",
            ":x\n",
        ] {
            assert!(values(none).is_empty(), "{none:?}");
        }
    }
}
