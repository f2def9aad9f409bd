//! The rows of clap's lists: a name, and a text beside it or below.

use super::notes::{ClapNotes, take_apart};
use crate::help::{Section, flag_names};

/// A row and the lines below it.
pub(super) struct RowEntry<'t> {
    pub(super) left: &'t str,
    pub(super) lines: Vec<&'t str>,
}

impl RowEntry<'_> {
    pub(super) fn notes(&self) -> ClapNotes {
        take_apart(&self.lines)
    }
}

/// The rows of a section: flags, positionals and commands begin with a dash, a bracket or a plain name.
pub(super) fn entries<'t>(section: &Section<'t>) -> Vec<RowEntry<'t>> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let base = section
        .lines
        .iter()
        .filter(|line| !line.trim().is_empty() && indent(line) > 0)
        .map(|line| indent(line))
        .min();
    let Some(base) = base else { return Vec::new() };
    // Long names without a short one stand four columns further in than the others, and than positionals.
    let has_shorts = section.lines.iter().any(|line| {
        let content = line.trim_start();
        let short = content.starts_with('-') && !content.starts_with("--");
        indent(line) == base && (short || content.starts_with(['<', '[']))
    });
    let deepest = if has_shorts { base + 4 } else { base };
    let mut found: Vec<RowEntry<'t>> = Vec::new();
    // Where the last entry's text begins: what stands there or beyond continues it, whatever it looks like.
    let mut text_column = usize::MAX;
    for line in &section.lines {
        let content = line.trim();
        let depth = indent(line);
        if !content.is_empty() && depth == 0 {
            // A heading that was not taken for one; any other text ends the list.
            if content.ends_with(':') {
                continue;
            }
            break;
        }
        let (left, right) = columns(content);
        let begins = match content.chars().next() {
            Some('-') => depth <= deepest && flag_names(left).is_some(),
            Some('<' | '[') => depth == base && left.ends_with(['>', ']', '.']),
            Some(_) => depth == base && is_command(left),
            None => false,
        };
        if begins && depth < text_column {
            text_column = match right {
                "" => usize::MAX,
                right => depth + content[..content.len() - right.len()].chars().count(),
            };
            let lines = if right.is_empty() {
                vec![]
            } else {
                vec![right]
            };
            found.push(RowEntry { left, lines });
        } else if let Some(entry) = found.last_mut() {
            if depth > base || content.is_empty() {
                entry.lines.push(content);
            } else if content.starts_with('-') {
                // A row of an option whose names nobody understands is no reason to lose those below it.
                found.push(RowEntry {
                    left: "",
                    lines: Vec::new(),
                });
            } else {
                // Text in the column of the names: this is no list.
                break;
            }
        }
    }
    found.retain(|entry| !entry.left.is_empty());
    found
}

/// A row's name and text, which two spaces separate.
fn columns(content: &str) -> (&str, &str) {
    match content.find("  ") {
        Some(at) => (&content[..at], content[at..].trim()),
        None => (content, ""),
    }
}

fn is_command(left: &str) -> bool {
    left == "..."
        || left.split(", ").all(|name| {
            name.chars().next().is_some_and(char::is_alphanumeric)
                && name.chars().all(|c| {
                    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+' | '/' | '@')
                })
                && !name.ends_with(['.', ':'])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stand_further_in_than_positionals() {
        let section = Section {
            lines: vec![
                "  <INPUT>...",
                "          What to look at.",
                "",
                "      --collect <KIND>...",
                "          What to collect.",
                "",
                "      --strict",
                "          Fail sooner",
            ],
            ..Section::default()
        };
        assert_eq!(
            left(&section),
            ["<INPUT>...", "--collect <KIND>...", "--strict"]
        );
    }

    fn left<'t>(section: &Section<'t>) -> Vec<&'t str> {
        entries(section).iter().map(|entry| entry.left).collect()
    }

    #[test]
    fn a_row_that_nobody_understands_hides_none_below_it() {
        let section = Section {
            lines: vec![
                "    -., --hidden      ",
                "            Also hidden ones.",
                "    -[x]",
                "            Who knows.",
                "    -i, --ignore",
                "            Capitals or not.",
            ],
            ..Section::default()
        };
        assert_eq!(left(&section), ["-., --hidden", "-i, --ignore"]);
    }
}
