//! The lines of an output that match a regular expression.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read},
    time::{Duration, Instant},
};

use regex_lite::{Regex, RegexBuilder};

use crate::{CallError, ErrorCode};

/// The maximum number of lines that are shown.
const MAX_LINES: usize = 400;
/// The maximum number of bytes of a line that are shown.
const LINE_LENGTH: usize = 2000;
/// The longest that a search may take.
const SEARCH_TIME: Duration = Duration::from_secs(10);
/// The size of a pattern once it is compiled. The work of a search grows with it.
const PATTERN_BYTES: usize = 64 << 10;
/// The number of bytes of a line that are searched at once, and of those that are searched again with the next ones.
const PIECE: u64 = 32 << 10;
const OVERLAP: usize = 4 << 10;

/// A regular expression for lines.
pub(super) struct LinePattern(Regex);

impl LinePattern {
    pub(super) fn new(text: &str) -> Result<Self, CallError> {
        let pattern = RegexBuilder::new(text).size_limit(PATTERN_BYTES).build();
        let pattern = pattern.map_err(|error| {
            let message = format!("the pattern is no regular expression: {error}");
            CallError::new(ErrorCode::InvalidArguments, message)
        })?;
        Ok(Self(pattern))
    }

    /// The matching lines with their numbers, like `grep -n -C`, of an output of which so many bytes are missing.
    pub(super) fn lines_of(
        &self,
        reader: impl Read,
        around: usize,
        missing: u64,
    ) -> io::Result<String> {
        let until = Instant::now() + SEARCH_TIME;
        self.lines_until(until, reader, around, missing)
    }

    fn lines_until(
        &self,
        until: Instant,
        reader: impl Read,
        around: usize,
        missing: u64,
    ) -> io::Result<String> {
        let mut reader = BufReader::new(reader);
        let mut shown: Vec<String> = Vec::new();
        let mut before: VecDeque<(usize, String)> = VecDeque::new();
        let (mut owed, mut matches, mut last) = (0, 0usize, 0);
        let mut number = 0;
        while let Some((line, is_match)) = self.next_line(&mut reader, until)? {
            number += 1;
            if is_match {
                matches += 1;
                if shown.len() < MAX_LINES {
                    if last != 0 && before.front().map_or(number, |(first, _)| *first) > last + 1 {
                        shown.push("--".into());
                    }
                    shown.extend(
                        before
                            .drain(..)
                            .map(|(number, line)| format!("{number}-{line}")),
                    );
                    shown.push(format!("{number}:{line}"));
                    last = number;
                }
                owed = around;
            } else if owed > 0 {
                owed -= 1;
                if shown.len() < MAX_LINES {
                    shown.push(format!("{number}-{line}"));
                    last = number;
                }
            } else if around > 0 {
                before.push_back((number, line));
                if before.len() > around {
                    before.pop_front();
                }
            }
        }
        let cut = if shown.len() >= MAX_LINES {
            ", the first lines shown; search for less"
        } else {
            ""
        };
        let searched = if missing > 0 {
            format!(
                " in what was kept; the last {missing} bytes are missing, so they were not searched"
            )
        } else {
            String::new()
        };
        let ended = match Instant::now() >= until {
            true => format!("; it took too long and was ended at line {number}: search for less"),
            false => String::new(),
        };
        shown.push(format!("[{matches} matching lines{cut}{searched}{ended}]"));
        Ok(shown.join("\n"))
    }

    /// The next line as it is shown, and true if it matches; none at the end, or when the time is over.
    fn next_line(
        &self,
        reader: &mut impl BufRead,
        until: Instant,
    ) -> io::Result<Option<(String, bool)>> {
        let mut shown: Option<(String, bool)> = None;
        let mut piece = Vec::new();
        while Instant::now() < until
            && reader.by_ref().take(PIECE).read_until(b'\n', &mut piece)? > 0
        {
            let is_end = piece.pop_if(|last| *last == b'\n').is_some();
            if shown.as_ref().is_none_or(|(_, is_match)| !is_match) {
                let text = String::from_utf8_lossy(&piece);
                let found = self.0.find(&text).map(|found| found.start());
                if found.is_some() || shown.is_none() {
                    shown = Some((excerpt(&text, found.unwrap_or(0)), found.is_some()));
                }
            }
            if is_end {
                break;
            }
            piece.drain(..piece.len().saturating_sub(OVERLAP));
        }
        Ok(shown)
    }
}

/// As much of a long line as is shown, with what was found in it.
fn excerpt(line: &str, found: usize) -> String {
    if line.len() <= LINE_LENGTH {
        return line.to_owned();
    }
    let start = line.floor_char_boundary(found.saturating_sub(LINE_LENGTH / 4));
    let end = line.floor_char_boundary(start.saturating_add(LINE_LENGTH).min(line.len()));
    line[start..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_in_its_time_and_finds_what_lies_across_its_pieces() {
        let find = |text: &str, pattern: &str, time: Duration| {
            let pattern = LinePattern::new(pattern).expect("a pattern");
            let until = Instant::now() + time;
            let lines = pattern.lines_until(until, text.as_bytes(), 0, 0);
            lines.expect("it can be read")
        };
        let piece = usize::try_from(PIECE).expect("it is small");
        for before in piece - 8..piece + 2 {
            let text = format!(
                "first\n{}needle{}\nneedle\n",
                "x".repeat(before),
                "y".repeat(piece)
            );
            let found = find(&text, "needle", SEARCH_TIME);
            let numbers: Vec<&str> = found.lines().map(|line| &line[..2]).collect();
            assert_eq!(numbers, ["2:", "3:", "[2"], "{before}");
        }
        let began = Instant::now();
        let hard = "x".repeat(40 << 20);
        let found = find(&hard, "(x{0,20}){0,5}[^x]$", Duration::from_millis(50));
        assert!(found.contains("was ended at line 1"), "{found}");
        assert!(began.elapsed() < SEARCH_TIME, "{:?}", began.elapsed());
        let large = LinePattern::new("(x{0,500}){0,500}").err();
        let error = large.expect("the pattern is too large").to_string();
        assert!(error.contains("size limit"), "{error}");
    }
}
