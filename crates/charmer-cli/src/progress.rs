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
struct Line;

impl Drop for Line {
    fn drop(&mut self) {
        draw("");
    }
}

/// A line about what goes on, shown while something is waited for.
pub(crate) struct Activity(Option<Line>);

impl Activity {
    /// None yet. Where nobody watches there never is one.
    pub(crate) fn new() -> Self {
        Self(std::io::stderr().is_terminal().then(|| Line))
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
    let _line = Line;
    loop {
        let (read, known) = walks.iter().fold((0, 0), |sum, (_, walk)| {
            let (read, known) = walk.progress();
            (sum.0 + read, sum.1 + known)
        });
        let names: Vec<&str> = walks.iter().map(|(name, _)| name.as_str()).collect();
        draw(&line(&names.join(", "), read, known, width()));
        tokio::time::sleep(REDRAW).await;
    }
}

fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

fn draw(line: &str) {
    let mut stderr = std::io::stderr();
    // A terminal that is gone needs no progress.
    let _ = write!(stderr, "{CLEAR}{line}").and_then(|()| stderr.flush());
}

fn line(names: &str, read: usize, known: usize, width: usize) -> String {
    if known == 0 {
        return clip(&format!("Reading {names}"), width);
    }
    let filled = BAR * read.min(known) / known;
    let bar: String = (0..BAR)
        .map(|at| if at < filled { '█' } else { '░' })
        .collect();
    clip(
        &format!("Reading {names} {bar} {read} of {known} commands"),
        width,
    )
}

fn clip(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_and_fits() {
        assert_eq!(line("x", 0, 0, 80), "Reading x");
        let half = line("x", 3, 6, 80);
        assert!(half.ends_with("3 of 6 commands"), "{half}");
        assert_eq!(half.matches('█').count(), BAR / 2);
        assert_eq!(line("x", 3, 6, 20).chars().count(), 19);
        // More may be read than was known of at first.
        assert!(line("x", 9, 6, 80).contains(&"█".repeat(BAR)));
    }
}
