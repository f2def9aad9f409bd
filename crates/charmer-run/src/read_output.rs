//! More of an output that was cut, by place or by search; and the tool `read_output` that gives it.

#[cfg(not(feature = "output-search"))]
#[path = "read_output/no_pattern.rs"]
mod pattern;
#[cfg(feature = "output-search")]
mod pattern;

use std::{
    io::{Cursor, Read},
    sync::Arc,
};

use charmer_core::{
    model::{Cli, Command, Flag, Hints, Syntax, ValueType},
    output::clean,
    tool::{CatalogueOptions, catalogue},
};
use serde_json::{Map, Value};

use crate::{
    CallError, CallPath, ErrorCode, HandlerCall, Limits, Reply, ServedTool, SharedSteps, Spool,
    SpoolPart, Target,
    process::{Captured, begun_character, continued_character},
};

use self::pattern::LinePattern;

/// The tool's name.
pub(crate) const NAME: &str = "read_output";

/// The number of characters that one reading gives, if nothing else is asked for.
const DEFAULT_LENGTH: u64 = 20_000;
pub(crate) const MAX_LENGTH: u64 = 40_000;
/// Outputs can be searched, and not only read in parts.
pub const SEARCHES_OUTPUT: bool = cfg!(feature = "output-search");

/// The tool that reads this spool.
pub(crate) fn tool(spool: &Spool, shared: &SharedSteps) -> ServedTool {
    let about = match SEARCHES_OUTPUT {
        true => "a part from `offset`, or the lines that match `search`",
        false => "a part from `offset`",
    };
    let mut command = Command::new(NAME)
        .about(format!(
            "Reads more of an output that was cut: {about}. The id is in the result that was cut."
        ))
        .hints(Hints::reads().title("Read cut output").open_world(false))
        .flag(
            Flag::new("id")
                .pflag("string")
                .required()
                .help("The id of the output"),
        )
        .flag(
            Flag::new("offset")
                .value_type(ValueType::UINT)
                .help("From which byte on"),
        )
        .flag(
            Flag::new("length")
                .value_type(ValueType::UINT)
                .help("How many bytes, at most 40000")
                .default_text("20000"),
        );
    if SEARCHES_OUTPUT {
        let search = "A regular expression; only matching lines are shown";
        command = command
            .flag(Flag::new("search").pflag("string").help(search))
            .flag(
                Flag::new("context")
                    .value_type(ValueType::unsigned(8))
                    .help("Lines around each match"),
            );
    }
    let mut found = catalogue(
        &Cli::new(command, Syntax::pflag()),
        &CatalogueOptions::default(),
    );
    let tool = found.tools.pop().expect("the command is a tool");
    let redactor = spool.redactor().clone();
    let used = spool.used();
    let spool = spool.clone();
    let read = move |call: HandlerCall| {
        let query = OutputQuery::of(&call.call.input);
        let reader = &call.call.caller.principal;
        query.answer(&spool, reader).map(Reply::Text)
    };
    // What says where to go on must not push the longest reading over the limit.
    let limits = Limits::default().output_chars(MAX_LENGTH as usize + 200);
    CallPath::new(tool, Target::Handler(Arc::new(read)))
        .limits(limits)
        .redactor(redactor)
        .may_block(true)
        .own()
        .serve(shared)
        .hidden_until(used)
}

/// A question about an output that was cut.
///
/// ```
/// use charmer_run::{LOCAL, OutputQuery, Spool, SpoolLimits};
/// let folder = std::env::temp_dir();
/// let spool = Spool::new(&folder, SpoolLimits::default());
/// let query = OutputQuery::new("0123").offset(100).length(50);
/// let error = query.read(&spool, LOCAL).unwrap_err();
/// assert!(error.to_string().contains("no output of the id"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputQuery {
    /// The id of the output.
    pub id: String,
    /// From which byte on.
    pub offset: u64,
    /// The number of bytes.
    pub length: Option<u64>,
    /// A regular expression: only lines that match are shown. It is refused where outputs cannot be searched
    /// ([`SEARCHES_OUTPUT`]).
    pub search: Option<String>,
    /// Lines around each match.
    pub context: usize,
}

impl OutputQuery {
    /// Asks for the beginning of an output.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Sets from which byte on.
    #[must_use]
    pub fn offset(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    /// Sets how many bytes.
    #[must_use]
    pub fn length(mut self, length: u64) -> Self {
        self.length = Some(length);
        self
    }

    /// Asks for the lines that match a regular expression.
    #[must_use]
    pub fn search(mut self, pattern: impl Into<String>) -> Self {
        self.search = Some(pattern.into());
        self
    }

    fn of(input: &Map<String, Value>) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| input.get(key).and_then(Value::as_u64);
        Self {
            id: text("id").unwrap_or_default(),
            offset: number("offset").unwrap_or(0),
            length: number("length"),
            search: text("search"),
            context: usize::try_from(number("context").unwrap_or(0)).unwrap_or(0),
        }
    }

    /// The answer as an assistant sees it: clean, and without the spool's secrets. Only outputs of this principal are
    /// there. It reads files, so it may block.
    pub fn read(&self, spool: &Spool, principal: &str) -> Result<String, CallError> {
        let text = self.answer(spool, principal)?;
        Ok(spool.redactor().text(&clean(&text)).into_owned())
    }

    fn answer(&self, spool: &Spool, principal: &str) -> Result<String, CallError> {
        let id = &self.id;
        let source = OutputSource::Spooled {
            id,
            spool,
            principal,
        };
        self.answer_from(&source, false)
    }

    /// The answer from an output; one that is still open may get longer.
    pub(crate) fn answer_from(
        &self,
        source: &OutputSource<'_>,
        is_open: bool,
    ) -> Result<String, CallError> {
        let gone = || {
            CallError::new(
                ErrorCode::InvalidArguments,
                format!("there is no output of the id `{}`", self.id),
            )
            .hint("it may have expired; run the command again")
        };
        let failed = |error: std::io::Error| {
            CallError::new(ErrorCode::Internal, format!("failed to read it: {error}"))
        };
        if let Some(pattern) = &self.search {
            let pattern = LinePattern::new(pattern)?;
            let (reader, missing) = source.reader().ok_or_else(gone)?;
            let lines = pattern.lines_of(reader, self.context, missing);
            return lines.map_err(failed);
        }
        let offset = self.offset;
        // Room for one character at least, so that every reading gets further.
        let length = self.length.unwrap_or(DEFAULT_LENGTH).clamp(4, MAX_LENGTH);
        let SpoolPart {
            bytes,
            kept,
            missing,
        } = source
            .read(offset, usize::try_from(length).unwrap_or(0))
            .ok_or_else(gone)?
            .map_err(failed)?;
        // A character that the end cuts in two is left to the next reading, and one that the start cuts was in the last.
        let reaches_end = offset.saturating_add(bytes.len() as u64) >= kept;
        let whole = if reaches_end && !is_open {
            bytes.len()
        } else {
            bytes.len() - begun_character(&bytes)
        };
        let part = &bytes[..whole];
        let shown = String::from_utf8_lossy(&part[continued_character(part)..]);
        let end = offset.saturating_add(part.len() as u64);
        let total = kept.saturating_add(missing);
        let note = if end < kept && !reaches_end {
            format!("[bytes {offset} to {end} of {total}; go on with offset {end}]")
        } else if missing > 0 {
            format!(
                "[only the first {kept} of {total} bytes were kept: the last {missing} are missing]"
            )
        } else if is_open {
            format!("[{end} bytes so far; go on with offset {end}]")
        } else if part.is_empty() {
            format!("[the output ends at byte {total}]")
        } else {
            return Ok(shown.into_owned());
        };
        let gap = match shown.is_empty() || shown.ends_with('\n') && is_open {
            true => "",
            false => "\n",
        };
        Ok(format!("{shown}{gap}{note}"))
    }
}

/// An output that is read in parts.
pub(crate) enum OutputSource<'a> {
    /// One on disk.
    Spooled {
        id: &'a str,
        spool: &'a Spool,
        principal: &'a str,
    },
    /// One in memory, as far as its beginning was kept.
    #[cfg_attr(not(feature = "jobs"), expect(dead_code))]
    Memory(&'a Captured),
}

impl<'a> OutputSource<'a> {
    fn read(&self, offset: u64, length: usize) -> Option<std::io::Result<SpoolPart>> {
        match self {
            Self::Spooled {
                id,
                spool,
                principal,
            } => spool.read(id, principal, offset, length),
            Self::Memory(captured) => {
                let (bytes, missing) = beginning(captured);
                let from = usize::try_from(offset).unwrap_or(usize::MAX);
                let from = from.min(bytes.len());
                let to = from.saturating_add(length).min(bytes.len());
                Some(Ok(SpoolPart {
                    bytes: bytes[from..to].to_vec(),
                    kept: bytes.len() as u64,
                    missing,
                }))
            }
        }
    }

    fn reader(&self) -> Option<(Box<dyn Read + 'a>, u64)> {
        match self {
            Self::Spooled {
                id,
                spool,
                principal,
            } => {
                let (file, missing) = spool.reader(id, principal)?;
                Some((Box::new(file), missing))
            }
            Self::Memory(captured) => {
                let (bytes, missing) = beginning(captured);
                Some((Box::new(Cursor::new(bytes)), missing))
            }
        }
    }
}

/// The bytes from the first on without a gap, and the number of those behind them.
fn beginning(captured: &Captured) -> (Vec<u8>, u64) {
    let mut bytes = captured.head.clone();
    if !captured.is_cut() {
        bytes.extend_from_slice(&captured.tail);
    }
    let missing = captured.total.saturating_sub(bytes.len() as u64);
    (bytes, missing)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::LOCAL;

    use super::*;
    use crate::SpoolLimits;

    fn read(spool: &Spool, input: Value) -> Result<String, String> {
        let query = OutputQuery::of(input.as_object().expect("an object"));
        query
            .answer(spool, LOCAL)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn readings_lose_no_character_between_them() {
        let folder = tempfile::tempdir().expect("a folder");
        // One file is all there is room for: reading must not push it out.
        let spool = Spool::new(folder.path(), SpoolLimits::default().files(1));
        let text = "aé日👩".repeat(50);
        let mut file = spool.create(&Arc::from(LOCAL)).expect("a file");
        file.write(text.as_bytes());
        for length in [1, 4, 5, 7, 100] {
            let (mut joined, mut offset) = (String::new(), 0);
            loop {
                let input = json!({"id": file.id(), "offset": offset, "length": length});
                let part = read(&spool, input).expect("it is kept");
                let Some((shown, more)) = part.split_once("\n[bytes ") else {
                    joined.push_str(&part);
                    break;
                };
                joined.push_str(shown);
                let next = more
                    .rsplit(' ')
                    .next()
                    .expect("a word")
                    .trim_end_matches(']');
                assert!(next.parse::<u64>().expect("a number") > offset, "{more}");
                offset = next.parse().expect("a number");
            }
            assert_eq!(joined, text, "readings of {length}");
        }
    }

    #[test]
    fn a_match_far_into_a_long_line_is_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default());
        let mut file = spool.create(&Arc::from(LOCAL)).expect("a file");
        file.write(format!("{}needle{}\n", "x".repeat(100_000), "y".repeat(5000)).as_bytes());
        let found = read(&spool, json!({"id": file.id(), "search": "needle"})).expect("it is kept");
        assert!(found.contains("xneedley") && found.len() < 3000, "{found}");
    }

    #[test]
    fn parts_and_matches_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default());
        let mut file = spool.create(&Arc::from(LOCAL)).expect("room");
        let lines: String = (1..=20).map(|n| format!("line {n} é\n")).collect();
        file.write(lines.as_bytes());
        let id = file.id();

        assert_eq!(
            read(&spool, json!({ "id": id })).as_deref(),
            Ok(lines.as_str())
        );
        let part = read(&spool, json!({"id": id, "offset": 0, "length": 11})).expect("it is there");
        assert!(part.starts_with("line 1 é\nl"), "{part}");
        assert!(
            part.ends_with(&format!(
                "[bytes 0 to 11 of {}; go on with offset 11]",
                lines.len()
            )),
            "{part}"
        );
        // An offset inside of a character.
        assert!(
            read(&spool, json!({"id": id, "offset": 8, "length": 3}))
                .expect("it is there")
                .starts_with("\nl")
        );

        assert_eq!(
            read(
                &spool,
                json!({"id": id, "search": "line (3|9) ", "context": 1})
            )
            .as_deref(),
            Ok(
                "2-line 2 é\n3:line 3 é\n4-line 4 é\n--\n8-line 8 é\n9:line 9 é\n10-line 10 é\n[2 matching lines]"
            )
        );
        assert!(
            read(&spool, json!({"id": id, "search": "("}))
                .expect_err("no pattern")
                .contains("no regular expression")
        );
        assert!(
            read(&spool, json!({"id": "nonsense"}))
                .expect_err("unknown")
                .contains("no output of the id")
        );
    }

    #[test]
    fn what_was_not_kept_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default().file_bytes(10));
        let mut file = spool.create(&Arc::from(LOCAL)).expect("room");
        file.write(b"first\nsecond\nthird\n");
        let id = file.id();
        let missing = "[only the first 10 of 19 bytes were kept: the last 9 are missing]";
        for (input, expected) in [
            (json!({"id": id}), format!("first\nseco\n{missing}")),
            (json!({"id": id, "offset": 15}), missing.to_owned()),
            (
                json!({"id": id, "offset": 0, "length": 6}),
                "first\n\n[bytes 0 to 6 of 19; go on with offset 6]".into(),
            ),
        ] {
            assert_eq!(read(&spool, input).as_deref(), Ok(&*expected));
        }
        let found = read(&spool, json!({"id": id, "search": "third"})).expect("it is kept");
        assert!(
            found.starts_with("[0 matching lines in what was kept; the last 9 bytes are missing"),
            "{found}"
        );

        let mut whole = spool.create(&Arc::from(LOCAL)).expect("room");
        whole.write(b"all of it");
        assert_eq!(
            read(&spool, json!({"id": whole.id(), "offset": 9})).as_deref(),
            Ok("[the output ends at byte 9]")
        );
    }

    #[test]
    fn another_principal_is_told_the_same_as_of_an_unknown_id() {
        let folder = tempfile::tempdir().expect("a folder");
        let spool = Spool::new(folder.path(), SpoolLimits::default());
        let file = spool.create(&Arc::from("ann")).expect("room");
        let error = |id: &str, principal: &str| {
            let error = OutputQuery::new(id)
                .read(&spool, principal)
                .expect_err("nothing");
            (error.code, error.message.replace(id, "ID"), error.hint)
        };
        assert_eq!(error(file.id(), "bob"), error("unknown", "ann"));
        assert!(OutputQuery::new(file.id()).read(&spool, "ann").is_ok());
    }
}
