//! The answer of a probe: cleaned text, and its end.

use charmer_core::{output::clean, text::shorten};
use charmer_run::{CallError, Ended, Outcome, process::Captured};
use serde::{Deserialize, Serialize};

use super::bounds::{Bounded, bounded};

/// The number of bytes of a line that are repeated to people.
const SAID: usize = 200;

/// The messages of the runtimes of Go, Python and Rust when a program breaks down.
const PANICS: [&str; 3] = [
    "goroutine 1 [running]",
    "Traceback (most recent call last)",
    "panicked at ",
];

/// The answer of a probed program. A probe that failed is an answer too, which says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeAnswer {
    /// Its standard output, decoded and without what only terminals or machines would see.
    pub stdout: String,
    /// The same of standard error; of a program that did not start, the reason.
    pub stderr: String,
    /// The code it ended with, if it ended by itself.
    pub code: Option<i32>,
    /// It had to be ended because it took too long.
    pub timed_out: bool,
    /// It wrote more than is kept. Whole lines of the beginning and of the end are there.
    pub cut: bool,
    /// The number of lines that begin with an option and were left out, because there are too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// It was started at all.
    pub started: bool,
}

impl ProbeAnswer {
    /// Returns true if it ended by itself and said that all was well.
    ///
    /// ```
    /// use charmer_discover::probe::ProbeAnswer;
    /// let answer = ProbeAnswer { code: Some(0), started: true, ..ProbeAnswer::default() };
    /// assert!(answer.succeeded());
    /// assert!(!ProbeAnswer::default().succeeded());
    /// ```
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// The trouble with it, as the rest of a sentence; `None` if it ended by itself and said that all was well.
    ///
    /// ```
    /// use charmer_discover::probe::ProbeAnswer;
    /// let hung = ProbeAnswer { started: true, timed_out: true, ..ProbeAnswer::default() };
    /// assert_eq!(hung.trouble().as_deref(), Some("it did not answer in time"));
    /// ```
    pub fn trouble(&self) -> Option<String> {
        Some(match self.code {
            _ if !self.started => format!("it could not be started: {}", self.said()),
            _ if self.timed_out && self.cut => "it did not stop writing".to_owned(),
            _ if self.timed_out => "it did not answer in time".to_owned(),
            None => "it crashed".to_owned(),
            Some(0) => return None,
            Some(code) if self.said().is_empty() => {
                format!("it printed nothing (exit code {code})")
            }
            Some(code) => format!("it said `{}` (exit code {code})", self.said()),
        })
    }

    /// Returns true if asking again may be answered otherwise: the program did not come to an end by itself, or its own
    /// runtime ended it, which may be because of the machine's state.
    pub(crate) fn may_come_yet(&self) -> bool {
        let panicked = self.code.is_some_and(|code| code != 0)
            && PANICS.iter().any(|mark| self.stderr.contains(mark));
        self.code.is_none() || self.timed_out || panicked
    }

    /// The first line that it printed, on standard error before standard output, in short; of a program that failed, the
    /// line that names the error, if there is one.
    pub(crate) fn said(&self) -> String {
        let lines = || self.stderr.lines().chain(self.stdout.lines());
        let failed = self.code != Some(0);
        let error = lines().find(|line| failed && names_error(line));
        let first = lines().map(str::trim).find(|line| !line.is_empty());
        shorten(error.or(first).unwrap_or_default(), SAID)
    }

    /// The answer of a program that did not start.
    pub(super) fn not_started(reason: impl Into<String>) -> Self {
        Self {
            stderr: reason.into(),
            ..Self::default()
        }
    }

    pub(super) fn new(result: Result<Outcome, CallError>) -> Self {
        Self::bounded_by(result, bounded)
    }

    /// An answer that is no help, and is not read by its lines.
    pub(super) fn whole(result: Result<Outcome, CallError>) -> Self {
        Self::bounded_by(result, |text| Bounded {
            text,
            ..Bounded::default()
        })
    }

    fn bounded_by(result: Result<Outcome, CallError>, bounded: fn(String) -> Bounded) -> Self {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(error) => return Self::not_started(error.message),
        };
        let stdout = bounded(text(&outcome.stdout));
        let stderr = bounded(text(&outcome.stderr));
        Self {
            stdout: stdout.text,
            stderr: stderr.text,
            left_out: stdout.options + stderr.options,
            code: match outcome.ended {
                Ended::Exited(code) => Some(code),
                _ => None,
            },
            timed_out: outcome.ended == Ended::TimedOut,
            cut: outcome.stdout.is_cut() || outcome.stderr.is_cut() || stdout.cut || stderr.cut,
            started: true,
        }
    }
}

/// Returns true for `ValueError: ...`, `SystemError [ERR_X]: ...` and their like, at the margin.
fn names_error(line: &str) -> bool {
    let Some((kind, _)) = line.split_once(": ") else {
        return false;
    };
    let kind = kind.split(" [").next().unwrap_or_default();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    kind.chars().all(plain) && (kind.ends_with("Error") || kind.ends_with("Exception"))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The text that was kept of a stream. Where the middle is missing, so are the lines that the gap goes through: half a
/// line of help could be taken for a whole one.
fn text(captured: &Captured) -> String {
    let mut bytes = captured.head.clone();
    if captured.is_cut() {
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        bytes.truncate(end.map_or(0, |end| end + 1));
        let begin = captured.tail.iter().position(|&byte| byte == b'\n');
        bytes.extend_from_slice(begin.map_or(&[], |begin| &captured.tail[begin + 1..]));
    } else {
        bytes.extend_from_slice(&captured.tail);
    }
    without_marks(&clean(&String::from_utf8_lossy(&bytes)))
}

/// Takes out the marks (`⟨U+200B⟩`) that stand for characters without a width: help is read by its columns, which the
/// marks would shift.
fn without_marks(text: &str) -> String {
    const MARK: &str = "⟨U+";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        let (before, mark) = rest.split_at(at);
        kept.push_str(before);
        let code = &mark[MARK.len()..];
        let digits = code.bytes().take_while(u8::is_ascii_hexdigit).count();
        match code[digits..].strip_prefix('⟩') {
            Some(behind) if (4..=6).contains(&digits) => rest = behind,
            _ => {
                kept.push_str(MARK);
                rest = code;
            }
        }
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_failure_the_error_is_repeated() {
        let said = |stderr: &str| {
            let stderr = stderr.to_owned();
            let code = Some(1);
            ProbeAnswer {
                stderr,
                code,
                ..ProbeAnswer::default()
            }
            .said()
        };
        for (stderr, expected) in [
            (
                "node:fs:2380\n    return open(\n           ^\n\nError: EACCES: denied, open 'x'\n    at open\n",
                "Error: EACCES: denied, open 'x'",
            ),
            (
                "Traceback (most recent call last):\n  File \"x\", line 1\n    raise OSError: x\nkiln.PotError: no clay\n",
                "kiln.PotError: no clay",
            ),
            ("Kiln 4\nError: no clay\n", "Error: no clay"),
            ("no clay\n  Error: none\n", "no clay"),
        ] {
            assert_eq!(said(stderr), expected);
        }
    }

    #[test]
    fn a_gap_takes_the_lines_that_it_goes_through() {
        let mut captured = Captured::whole("one\ntwo\nthr");
        captured.tail = b"ight\nnine\n".to_vec();
        captured.total = 60;
        assert_eq!(text(&captured), "one\ntwo\nnine\n");
        captured.total = 21;
        assert_eq!(text(&captured), "one\ntwo\nthright\nnine\n");
    }

    #[test]
    fn what_has_no_width_takes_no_place() {
        let captured = Captured::whole("--co\u{200b}lour  red\u{202e}\u{e0041}\n");
        assert_eq!(text(&captured), "--colour  red\n");
        let written = "⟨U+⟩ ⟨U+12 ⟨U+1234567⟩";
        assert_eq!(text(&Captured::whole(written)), written);
    }

    #[test]
    fn tabs_stay_and_escapes_go() {
        let captured = Captured::whole("run\t\x1b[1mRuns it\x1b[0m\n:4\n");
        assert_eq!(text(&captured), "run\tRuns it\n:4\n");
    }
}
