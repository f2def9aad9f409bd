//! Everything that `charmer` prints: results on standard output, the rest on standard error.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use anstyle::{AnsiColor, Style};

use crate::problem::Problem;

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
    say(&text);
}

/// Prints a warning.
pub(crate) fn warn(message: &str) {
    say(&format!("{} {message}", styled(YELLOW.bold(), "warning:")));
}

/// Prints a line about what goes on.
pub(crate) fn note(message: &str) {
    say(&format!("charmer: {message}"));
}

fn say(text: &str) {
    // There is nobody left to tell when standard error is gone.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// How wide lines on standard output may be; `None` where it is no terminal, and lines may be as long as they are.
pub(crate) fn width() -> Option<usize> {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    let size = terminal_size::terminal_size_of(stdout);
    Some(size.map_or(80, |(width, _)| usize::from(width.0)).max(40))
}
