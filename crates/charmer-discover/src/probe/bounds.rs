//! Bounds on what is read of an answer, so that no text takes long, however it is made.
//!
//! Readers of help compare lines, flags and words with each other, which is quick for whatever people write and would
//! take minutes for what a program can print in a second. What is beyond the bounds is left out before anybody reads it,
//! and counted.

/// The maximum length of a line in bytes. The longest of real programs, which list all their commands in one pair of
/// braces, are a third of it.
const LINE: usize = 16 << 10;
/// The maximum number of lines. The longest help pages of real programs have about ten thousand.
const LINES: usize = 25_000;
/// The number of them that are kept at the end.
const LAST_LINES: usize = 5_000;
/// The maximum number of lines that begin with an option, and of those that begin with one in brackets. More than the
/// flags that are kept of a command, because lines of prose begin like this as well.
const OPTION_LINES: usize = 4_096;
/// The number of them that are kept at the end: where a page lists its `--help` last, that row shows its family.
const LAST_OPTION_LINES: usize = 16;

/// A text within the bounds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounded {
    pub(crate) text: String,
    /// The number of lines of options that were left out.
    pub(crate) options: usize,
    /// Anything else was left out.
    pub(crate) cut: bool,
}

/// Leaves out what is beyond the bounds.
pub(crate) fn bounded(text: String) -> Bounded {
    let longest = text.lines().map(str::len).max().unwrap_or(0);
    if longest <= LINE && text.lines().take(OPTION_LINES + 1).count() <= OPTION_LINES {
        return Bounded {
            text,
            ..Bounded::default()
        };
    }
    let mut kept = Bounded::default();
    let mut options = LineCount::of(&text, is_option);
    let mut bracketed = LineCount::of(&text, is_bracketed_option);
    let mut lines: Vec<&str> = Vec::new();
    // Whether the last option was left out, and so what stands below it belongs to nobody.
    let mut skipping = false;
    for line in text.lines() {
        let content = line.trim_start();
        if is_option(content) {
            skipping = options.is_next_beyond();
            kept.options += usize::from(skipping);
        } else if is_bracketed_option(content) {
            skipping = bracketed.is_next_beyond();
            kept.cut |= skipping;
        } else if content.len() == line.len() && !content.is_empty() {
            skipping = false;
        }
        if !skipping {
            lines.push(line);
        }
    }
    if lines.len() > LINES {
        lines.drain(LINES - LAST_LINES..lines.len() - LAST_LINES);
        kept.cut = true;
    }
    for line in lines {
        let end = line.floor_char_boundary(LINE);
        kept.cut |= end < line.len();
        kept.text.push_str(&line[..end]);
        kept.text.push('\n');
    }
    kept
}

fn is_option(content: &str) -> bool {
    content.starts_with('-')
}

fn is_bracketed_option(content: &str) -> bool {
    content.starts_with("[-")
}

/// Lines of a kind, counted as they come.
struct LineCount {
    all: usize,
    seen: usize,
}

impl LineCount {
    fn of(text: &str, is_of_the_kind: fn(&str) -> bool) -> Self {
        let lines = text.lines().map(str::trim_start);
        Self {
            all: lines.filter(|line| is_of_the_kind(line)).count(),
            seen: 0,
        }
    }

    /// Returns true if the next line of the kind is to be left out.
    fn is_next_beyond(&mut self) -> bool {
        self.seen += 1;
        let first = self.seen <= OPTION_LINES - LAST_OPTION_LINES;
        let last = self.all - self.seen < LAST_OPTION_LINES;
        !first && !last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_the_bounds_stays_as_it_is() {
        for text in ["", "one", "one\r\n\n  --two  Two\n"] {
            let kept = bounded(text.to_owned());
            assert_eq!(
                (kept.text.as_str(), kept.options, kept.cut),
                (text, 0, false)
            );
        }
    }

    #[test]
    fn options_that_are_left_out_take_their_texts_with_them_and_are_counted() {
        let rows = (0..OPTION_LINES + 3).map(|at| format!("  --f{at}\n        Text {at}\n\n"));
        let text = format!(
            "Options:\n{}Commands:\n  add  Adds\n",
            rows.collect::<String>()
        );
        let kept = bounded(text);
        assert_eq!((kept.options, kept.cut), (3, false));
        let last = OPTION_LINES + 2;
        let end = format!("  --f{last}\n        Text {last}\n\nCommands:\n  add  Adds\n");
        assert!(kept.text.ends_with(&end));
        let gap = OPTION_LINES - LAST_OPTION_LINES;
        assert!(
            kept.text
                .contains(&format!("Text {}\n\n  --f{}\n", gap - 1, gap + 3))
        );
    }

    #[test]
    fn long_lines_are_cut_at_a_character_and_so_are_endless_lists() {
        let kept = bounded("ä".repeat(LINE) + "\nmore\n");
        assert!(kept.cut);
        assert_eq!(kept.text.len(), LINE + "\nmore\n".len());
        let kept = bounded(format!("first\n{}last\n", "x\n".repeat(LINES)));
        assert!(kept.cut);
        assert!(kept.text.starts_with("first\nx\n") && kept.text.ends_with("x\nlast\n"));
        assert_eq!(kept.text.lines().count(), LINES);
    }
}
