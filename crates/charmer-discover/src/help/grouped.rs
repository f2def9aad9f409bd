//! Commands that stand in groups under headings of any words: `Manage your pots:`, `Basic`. Only a page whose usage has a
//! place for a command is read so.

use super::{commands::is_any_command, rows::expand_tabs};

/// The fewest rows that are a list of commands.
const FEWEST: usize = 3;

/// Words of headings over something else.
const NO_COMMANDS: [&str; 9] = [
    "option",
    "flag",
    "example",
    "usage",
    "environment",
    "argument",
    "parameter",
    "variable",
    "note",
];

/// A row of such a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupedRow {
    /// The heading above it.
    pub(crate) heading: String,
    /// The command, which may stand below another: `store add`.
    pub(crate) path: Vec<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) text: String,
}

/// The commands that a page lists so; none if its usage has no place for one.
pub(crate) fn grouped_rows(text: &str, program: &str) -> Vec<GroupedRow> {
    let mut found: Vec<GroupedRow> = Vec::new();
    if !text.lines().any(|line| has_place(line, program)) {
        return found;
    }
    let mut heading = None;
    // The column of the texts of the last row: what begins there goes on with it.
    let mut column = None;
    for line in text.lines().map(expand_tabs) {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content.is_empty() {
            continue;
        }
        if let Some(row) = found
            .last_mut()
            .filter(|_| column.is_some_and(|at| indent >= at))
        {
            row.text.push(' ');
            row.text.push_str(content);
            continue;
        }
        column = None;
        match row(content) {
            Some((path, aliases, text)) => {
                if let Some(heading) = &heading {
                    column = line.rfind(text);
                    found.push(GroupedRow {
                        heading: String::clone(heading),
                        path,
                        aliases,
                        text: text.to_owned(),
                    });
                }
            }
            None if is_heading(content) => {
                let lower = content.to_lowercase();
                let other = NO_COMMANDS.iter().any(|word| lower.contains(word));
                heading = (!other).then(|| content.trim_end_matches(':').to_owned());
            }
            None => {}
        }
    }
    match found.len() >= FEWEST {
        true => found,
        false => Vec::new(),
    }
}

/// Returns true for `tool [options] <command | path>`.
fn has_place(line: &str, program: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| *word != program);
    words.any(|word| is_any_command(&word.to_lowercase()))
}

/// A line of a few words that ends with a colon, or is a single one.
fn is_heading(content: &str) -> bool {
    let words = content.split_whitespace().count();
    let plain = content
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, ' ' | ':' | '\'' | '/' | '&' | '-'));
    plain && !content.starts_with('-') && (words == 1 || content.ends_with(':') && words <= 6)
}

/// `ls, list   Text`, `rm | remove   [id]   Text`, `store add   Text`: the command, its other names, and the text.
fn row(content: &str) -> Option<(Vec<String>, Vec<String>, &str)> {
    let cells = content.split("  ").map(str::trim);
    let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    let [names, between @ .., text] = cells.as_slice() else {
        return None;
    };
    // Between them only places stand.
    let is_place = |cell: &&str| cell.starts_with(['[', '<']);
    if !between.iter().all(is_place) || is_place(text) {
        return None;
    }
    if names.contains([',', '|']) {
        let mut names: Vec<String> = names
            .split([',', '|'])
            .map(|name| name.trim().to_owned())
            .collect();
        if !names.iter().all(|name| is_command_name(name)) {
            return None;
        }
        // The short ones stand for the long one.
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let aliases = names.split_off(1);
        return Some((names, aliases, text));
    }
    let path: Vec<String> = names.split(' ').map(str::to_owned).collect();
    let plain = path.len() <= 2 && path.iter().all(|word| is_command_name(word));
    plain.then_some((path, Vec::new(), text))
}

fn is_command_name(word: &str) -> bool {
    let inner =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':');
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(inner)
        && !word.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let rows = grouped_rows(text, "kiln").into_iter();
        rows.map(|row| {
            format!(
                "{}: {} ({}) {}",
                row.heading,
                row.path.join(" "),
                row.aliases.join(" "),
                row.text
            )
        })
        .collect()
    }

    #[test]
    fn groups_under_headings_of_any_words() {
        let text = "Usage: kiln [command] [flags]\n       kiln [ -h | --help ]\n\nManage your pots:\n      add          Puts a pot\n                   in\n  rm, remove       Takes it out\n\n\
            Your shelf:\n      shelf add    Adds a shelf\n\nOptions:\n  -r, --raw        Raw  pots\n      also         raw\n";
        let expected = [
            "Manage your pots: add () Puts a pot in",
            "Manage your pots: remove (rm) Takes it out",
            "Your shelf: shelf add () Adds a shelf",
        ];
        assert_eq!(shown(text), expected);
        assert!(shown(&text.replace("[command]", "[pot]")).is_empty());
    }

    #[test]
    fn groups_with_a_column_of_places() {
        let text = "Kiln 4\n\n  ▲ kiln [options] <command | path>\n\n  Commands:\n\n    Basic\n\n      fire         [path]    Fires a pot\n      i | install  [name]    Puts one in\n\n    Advanced\n\n      logs                   Shows them\n\n\
            Global Options:\n\n    --cwd        Folder\n\n  Examples:\n\n  – Fire  it\n";
        let expected = [
            "Basic: fire () Fires a pot",
            "Basic: install (i) Puts one in",
            "Advanced: logs () Shows them",
        ];
        assert_eq!(shown(text), expected);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(kiln <command>|  |[a-z:,|\\n]|[\\PC]){0,80}") {
            grouped_rows(&text, "kiln");
        }
    }
}
