//! A line that shows how far a walk is: on standard error, and only where somebody can see it.

use std::{
    io::{IsTerminal, Write},
    time::Duration,
};

use crate::read::Start;

const REDRAW: Duration = Duration::from_millis(100);
const BAR: usize = 24;
/// Back to the beginning of the line, and nothing in it.
const CLEAR: &str = "\r\x1b[2K";

/// Clears the line when it is not needed any more, however that comes.
struct ProgressLine;

impl Drop for ProgressLine {
    fn drop(&mut self) {
        draw("");
    }
}

/// A line about what goes on, shown while something is waited for.
pub(crate) struct Activity(Option<ProgressLine>);

impl Activity {
    /// None yet. Where nobody watches there never is one.
    pub(crate) fn new() -> Self {
        Self(std::io::stderr().is_terminal().then(|| ProgressLine))
    }

    /// Shows this instead of what was shown before.
    pub(crate) fn show(&self, what: &str) {
        if self.0.is_some() {
            draw(&clip(what, width()));
        }
    }
}

/// Shows how far the walks are, until it is dropped.
pub(crate) async fn show(walks: &[(String, Start)]) {
    if !std::io::stderr().is_terminal() {
        return std::future::pending().await;
    }
    // What takes no time needs no bar.
    tokio::time::sleep(3 * REDRAW).await;
    let _line = ProgressLine;
    let names: Vec<&str> = walks.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    for tick in 0.. {
        let mut progress = WalkProgress::default();
        for (_, walk) in walks {
            let (read, known) = walk.progress();
            progress.read += read;
            progress.known += known;
            progress.asked += walk.asked();
        }
        draw(&line(&names, progress, tick, width()));
        tokio::time::sleep(REDRAW).await;
    }
}

/// The progress of walks.
#[derive(Debug, Clone, Copy, Default)]
struct WalkProgress {
    /// Commands that have been read.
    read: usize,
    /// Commands that are known of.
    known: usize,
    /// Questions that were asked.
    asked: usize,
}

fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

fn draw(line: &str) {
    let mut stderr = std::io::stderr();
    // A terminal that is gone needs no progress.
    let _ = write!(stderr, "{CLEAR}{line}").and_then(|()| stderr.flush());
}

/// The line at a tick. While it cannot be known how much there is, a mark moves along the bar: a program that takes its
/// time to answer at all is waited for, and nothing hangs.
fn line(names: &str, progress: WalkProgress, tick: usize, width: usize) -> String {
    let WalkProgress { read, known, asked } = progress;
    let filled = match known {
        0 => 0,
        _ => BAR * read.min(known) / known,
    };
    // Also when all is read: then what is left to ask has no number.
    let mark = (filled == 0 || filled == BAR).then_some(tick % BAR);
    let bar: String = (0..BAR)
        .map(|at| match (at < filled, mark == Some(at)) {
            (_, true) => '▒',
            (true, false) => '█',
            (false, false) => '░',
        })
        .collect();
    let counts = match (known, asked) {
        (0, 0) => String::new(),
        (0, _) => format!(" {asked} questions"),
        _ => format!(" {read} of {known} commands, {asked} questions"),
    };
    clip(&format!("Reading {names} {bar}{counts}"), width)
}

fn clip(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_and_fits() {
        let progress = |read, known, asked| WalkProgress { read, known, asked };
        let half = line("x", progress(3, 6, 9), 0, 80);
        assert!(half.ends_with("3 of 6 commands, 9 questions"), "{half}");
        assert_eq!(half.matches('█').count(), BAR / 2);
        assert_eq!(line("x", progress(3, 6, 9), 0, 20).chars().count(), 19);
        // More may be read than was known of at first.
        let more = line("x", progress(9, 6, 9), BAR - 1, 80);
        assert!(more.contains(&"█".repeat(BAR - 1)), "{more}");
    }

    #[test]
    fn the_line_moves_before_anything_is_known() {
        let lines = [0, 1, BAR].map(|tick| line("x", WalkProgress::default(), tick, 80));
        assert_ne!(lines[0], lines[1]);
        assert_eq!(lines[0], lines[2]);
    }
}
