//! The lines of an output that match a regular expression.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read},
};

use regex_lite::Regex;

use crate::{CallError, ErrorCode};

/// The maximum number of lines that are shown.
const MAX_LINES: usize = 400;
/// The maximum number of bytes of a line that are shown.
const LINE_LENGTH: usize = 2000;

/// A regular expression for lines.
pub(super) struct LinePattern(Regex);

impl LinePattern {
    pub(super) fn new(text: &str) -> Result<Self, CallError> {
        let pattern = Regex::new(text).map_err(|error| {
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
        let mut shown: Vec<String> = Vec::new();
        let mut before: VecDeque<(usize, String)> = VecDeque::new();
        let (mut owed, mut matches, mut last) = (0, 0usize, 0);
        for (at, line) in BufReader::new(reader).split(b'\n').enumerate() {
            let number = at + 1;
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            let found = self.0.find(&line).map(|found| found.start());
            let line = excerpt(&line, found.unwrap_or(0));
            if found.is_some() {
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
        shown.push(format!("[{matches} matching lines{cut}{searched}]"));
        Ok(shown.join("\n"))
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
