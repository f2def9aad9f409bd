//! Cobra's completion protocol: what `__complete` answers.

use crate::probe::ProbeAnswer;

/// Lines of completions, and what parsing the flags before them complained about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CompletionLines {
    /// A value and its description.
    pub(super) lines: Vec<(String, String)>,
    /// The program said that something failed.
    pub(super) failed: bool,
    /// The list shows only how values begin.
    pub(super) unfinished: bool,
    /// The complaint about a flag's value.
    pub(super) complaint: Option<Complaint>,
    /// A flag was given that the command does not have.
    pub(super) unknown_flag: bool,
}

/// A flag whose value could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The flag as the program names it: `-a, --all` or `--all`.
    pub(super) flag: String,
    pub(super) reason: String,
}

impl CompletionLines {
    /// Reads an answer; `None` if it does not follow the protocol.
    pub(super) fn read(answer: &ProbeAnswer) -> Option<Self> {
        let mut lines: Vec<&str> = answer.stdout.lines().collect();
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        let directive: u32 = lines.pop()?.strip_prefix(':')?.trim().parse().ok()?;
        let lines = lines
            .into_iter()
            .filter(|line| !line.starts_with("_activeHelp_ ") && !line.trim().is_empty())
            .map(|line| {
                let (value, text) = line.split_once('\t').unwrap_or((line, ""));
                (value.to_owned(), text.trim().to_owned())
            })
            .collect();
        Some(Self {
            lines,
            failed: directive & 1 != 0,
            unfinished: directive & 2 != 0,
            complaint: complaint(&answer.stderr),
            unknown_flag: ["unknown flag: ", "unknown shorthand flag: "]
                .iter()
                .any(|words| answer.stderr.contains(words)),
        })
    }
}

/// Finds `invalid argument "x" for "-a, --all" flag: reason`.
fn complaint(stderr: &str) -> Option<Complaint> {
    let (_, rest) = stderr.split_once("invalid argument ")?;
    let (_, rest) = rest.split_once(" for \"")?;
    let (flag, rest) = rest.split_once("\" flag")?;
    let reason = rest.trim_start_matches([':', ' ']);
    // The value itself may hold line breaks; the reason ends where the program says what the directive was.
    let reason = reason
        .split("\nCompletion ended with directive")
        .next()
        .unwrap_or(reason);
    Some(Complaint {
        flag: flag.to_owned(),
        reason: reason.trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_directive_and_complaint() {
        let answer = ProbeAnswer {
            stdout: "--all\tShow all\n_activeHelp_ hint\n-a\tShow all\n:4\n".into(),
            stderr: "[Debug] [Error] Error while parsing flags from args [--n=\"]: invalid argument \"\\\"\" for \"-n, --num\" flag: strconv.ParseInt: parsing \"\\\"\": invalid syntax\nCompletion ended with directive: X\n".into(),
            ..ProbeAnswer::default()
        };
        let read = CompletionLines::read(&answer).expect("the protocol");
        assert_eq!(read.lines[1], ("-a".into(), "Show all".into()));
        assert_eq!(read.lines.len(), 2);
        let complaint = read.complaint.expect("a complaint");
        assert_eq!(complaint.flag, "-n, --num");
        assert!(complaint.reason.starts_with("strconv.ParseInt"));
        assert_eq!(CompletionLines::read(&ProbeAnswer::default()), None);
    }
}
