//! Command lines and what is said of them, from the text of examples as programs' authors write it.

use crate::text::shorten;

/// The greatest length that a title may have.
const TITLE: usize = 200;

/// A line that runs the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExampleLine {
    /// The title above it.
    pub(super) title: Option<String>,
    /// The line, from the program's name on.
    pub(super) line: String,
}

/// The lines of a text that begin with the program's name, perhaps behind a prompt, each with the comment above it.
/// A comment holds for all lines up to the next blank one.
pub(super) fn read(text: &str, program: &str) -> Vec<ExampleLine> {
    let mut found = Vec::new();
    let mut above = CommentAbove::default();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.is_empty() {
            above.blank();
        } else if let Some(comment) = line.strip_prefix('#').or_else(|| line.strip_prefix("//")) {
            above.comment(comment.trim_start_matches(['#', '/']));
        } else if let Some(command) = command(line, program) {
            let mut whole = command.to_owned();
            while let Some(begun) = whole.strip_suffix('\\') {
                let next = lines.next().unwrap_or_default();
                whole = format!("{} {next}", begun.trim_end());
            }
            found.push(ExampleLine {
                title: above.title(),
                line: whole,
            });
        } else if let Some(heading) = line.strip_suffix(':') {
            above = CommentAbove::default();
            let heading = heading.trim_start_matches(['-', '*', ' ']);
            // Of what is below there is more to say than that.
            if !["example", "examples"].contains(&&*heading.to_lowercase()) {
                above.comment(heading);
            }
            above.parted = true;
        } else if !line.starts_with("```") {
            above = CommentAbove::default();
        }
    }
    found
}

/// The line without a prompt, if the program's name is its first word.
fn command<'l>(line: &'l str, program: &str) -> Option<&'l str> {
    let prompts = ["$ ", "> ", "% "];
    let mut prompts = prompts
        .iter()
        .filter_map(|prompt| line.strip_prefix(prompt));
    let line = prompts.next().unwrap_or(line).trim_start();
    let rest = line.strip_prefix(program)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(line)
}

/// The comment above a line.
#[derive(Debug, Default)]
struct CommentAbove {
    lines: Vec<String>,
    /// A line was under it.
    used: bool,
    /// A blank line was under it.
    parted: bool,
}

impl CommentAbove {
    fn comment(&mut self, text: &str) {
        if self.used || self.parted {
            *self = Self::default();
        }
        let text = text.trim();
        if !text.is_empty() {
            self.lines.push(text.to_owned());
        }
    }

    fn blank(&mut self) {
        if self.used {
            *self = Self::default();
        }
        self.parted = true;
    }

    fn title(&mut self) -> Option<String> {
        self.used = true;
        let mut text = String::new();
        for line in &self.lines {
            // A new line in capitals is a new sentence, whether the last one was ended or not.
            let ended = text.is_empty() || text.ends_with(|c: char| c.is_ascii_punctuation());
            if !ended && line.starts_with(char::is_uppercase) {
                text.push('.');
            }
            text.push(' ');
            text.push_str(line);
        }
        title(&text)
    }
}

/// A text as a title: one line, without what ends a sentence.
pub(super) fn title(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let text = text.trim_end_matches(['.', ':', ' ']);
    (!text.is_empty()).then(|| shorten(text, TITLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(String, String)> {
        let found = read(text, "ship").into_iter();
        found
            .map(|written| (written.title.unwrap_or_default(), written.line))
            .collect()
    }

    fn pair(title: &str, line: &str) -> (String, String) {
        (title.into(), line.into())
    }

    #[test]
    fn comments_stand_above_command_lines() {
        let text = "
  # Sail to a port
  # It takes the wind
  # into account.
  ship sail bergen
  ship sail oslo --fast

  # Long lines
  ship sail bergen \\
    --cargo=fish \\
    --fast

  ship list";
        let about = "Sail to a port. It takes the wind into account";
        assert_eq!(
            lines(text),
            [
                pair(about, "ship sail bergen"),
                pair(about, "ship sail oslo --fast"),
                pair("Long lines", "ship sail bergen --cargo=fish --fast"),
                pair("", "ship list"),
            ]
        );
    }

    #[test]
    fn prompts_and_headings_are_understood_and_output_is_none_of_it() {
        let text = "Examples:
  - Add a crew member:

      $ ship crew add ann
      added ann
      > ship crew list
      ann
  shipwright --help
  cat crew.txt | ship crew import -";
        assert_eq!(
            lines(text),
            [
                pair("Add a crew member", "ship crew add ann"),
                pair("", "ship crew list"),
            ]
        );
    }

    #[test]
    fn a_heading_gives_way_to_the_comment_below_it() {
        let text = "Examples:\n  ship list\nSailing:\n# To a port\nship sail bergen\n# Home\nship sail home";
        assert_eq!(
            lines(text),
            [
                pair("", "ship list"),
                pair("To a port", "ship sail bergen"),
                pair("Home", "ship sail home")
            ]
        );
    }
}
