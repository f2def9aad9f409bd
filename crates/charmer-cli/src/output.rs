//! Everything that `charmer` prints: results on standard output, the rest on standard error.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use anstyle::AnsiColor;
pub(crate) use anstyle::Style;
use charmer_run::Call;
use serde_json::json;
use terminal_size::{Height, Width};

use crate::{problem::Problem, wrap::wrapped};

/// The fewest columns that lines are laid out for.
const NARROWEST: usize = 40;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(crate) const RED: Style = AnsiColor::Red.on_default();

/// Text in a style. Where it is printed to no terminal, or colours are not wanted, the style is left away.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Prints to standard output. A reader that has seen enough is no failure.
pub(crate) fn print(text: &str) -> Result<(), Problem> {
    let mut stdout = anstream::stdout().lock();
    seen_enough(
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

/// Prints bytes as they are.
pub(crate) fn print_raw(bytes: &[u8]) -> Result<(), Problem> {
    let mut stdout = io::stdout().lock();
    seen_enough(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

fn seen_enough(written: io::Result<()>) -> Result<(), Problem> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a file.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), Problem> {
    std::fs::write(file, bytes).map_err(|error| {
        Problem::failed(format!("`{}` cannot be written: {error}", file.display()))
            .hint("check that its folder is there and that you may write to it")
    })
}

/// Prints a failure.
pub(crate) fn fail(problem: &Problem) {
    let text = problem.to_string();
    let text = match text.strip_prefix("error: ") {
        Some(rest) => format!("{} {rest}", styled(RED.bold(), "error:")),
        None => text,
    };
    // The picture of a line is as wide as it is.
    match problem.is_picture() {
        true => say(&text),
        false => say(&wrapped(&text, error_width(), 0)),
    }
}

/// Lines about what goes on are JSON from now on.
static IN_JSON: AtomicBool = AtomicBool::new(false);

/// Makes each line about what goes on a JSON object: `time`, `level` and `message`, and for one about a call its `call`, `tool`,
/// `principal` and `transport`.
pub(crate) fn log_in_json() {
    IN_JSON.store(true, Ordering::Relaxed);
}

/// Prints a line as JSON, if lines are; returns true if it did.
fn said_in_json(level: &str, message: &str, call: Option<&Call>) -> bool {
    if !IN_JSON.load(Ordering::Relaxed) {
        return false;
    }
    let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    let mut line = json!({"time": time, "level": level, "message": message});
    if let (Some(call), Some(fields)) = (call, line.as_object_mut()) {
        fields.insert("call".into(), (*call.caller.id).into());
        fields.insert("tool".into(), call.tool.name.as_str().into());
        fields.insert("principal".into(), (*call.caller.principal).into());
        fields.insert("transport".into(), call.caller.transport.as_str().into());
    }
    say(&line.to_string());
    true
}

/// Prints how a call went.
pub(crate) fn note_call(call: &Call, message: &str) {
    if !said_in_json("info", message, Some(call)) {
        note(message);
    }
}

/// Prints a warning.
pub(crate) fn warn(message: &str) {
    if said_in_json("warning", message, None) {
        return;
    }
    let text = format!("{} {message}", styled(YELLOW.bold(), "warning:"));
    say(&wrapped(&text, error_width(), 2));
}

/// Prints what shows itself, as the picture of a line does.
pub(crate) fn show(picture: &str) {
    say(picture);
}

/// Prints a line about what goes on.
pub(crate) fn note(message: &str) {
    if said_in_json("info", message, None) {
        return;
    }
    say(&wrapped(&format!("charmer: {message}"), error_width(), 2));
}

fn say(text: &str) {
    // There is nobody left to tell when standard error is gone.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// The number of columns of standard output; `None` where it is no terminal, and lines may be as long as they are. COLUMNS
/// goes before both.
pub(crate) fn width() -> Option<usize> {
    let stdout = io::stdout();
    columns(
        stdout.is_terminal(),
        terminal_size::terminal_size_of(stdout),
    )
}

/// The same of standard error.
pub(crate) fn error_width() -> Option<usize> {
    let stderr = io::stderr();
    columns(
        stderr.is_terminal(),
        terminal_size::terminal_size_of(stderr),
    )
}

fn columns(is_terminal: bool, size: Option<(Width, Height)>) -> Option<usize> {
    let said = std::env::var("COLUMNS").ok();
    let said = said.and_then(|columns| columns.parse().ok());
    let measured = || size.map_or(80, |(width, _)| usize::from(width.0));
    let width = said.filter(|width| *width > 0);
    let width = width.or_else(|| is_terminal.then(measured));
    width.map(|width| width.max(NARROWEST))
}
