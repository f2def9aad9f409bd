//! The options that a help text shows, whatever its layout is: whoever reads a page is measured against them, so that a
//! reading that lost many of them says so.

use super::{flag_row::flag_names, glued::apart};

/// The number of options that may be lost without a word: rows of a table of something else may look like options.
const FEW: usize = 3;

/// The number of columns that rows may stand further in than the first.
const DEEPER: usize = 8;

/// The options that the rows of a text show, each by all of its names.
pub(crate) fn shown_options(text: &str) -> Vec<Vec<String>> {
    let text = apart(text);
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let rows = lines
        .iter()
        .filter(|line| line.trim_start().starts_with('-'));
    let Some(least) = rows
        .map(|line| indent(line))
        .filter(|column| *column > 0)
        .min()
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut is_other = false;
    for line in lines {
        if !line.trim().is_empty() && indent(line) == 0 {
            is_other = line.to_lowercase().contains("example") || is_behind_dashes(line);
        }
        let column = indent(line);
        if is_other || column == 0 || column > least + DEEPER {
            continue;
        }
        found.extend(names(line.trim()));
    }
    found
}

/// Returns true if the rows below a line are of another program, which gets what stands behind `--`: `Use tool -- with:`.
fn is_behind_dashes(line: &str) -> bool {
    line.trim_end().ends_with(':') && line.split_whitespace().any(|word| word == "--")
}

fn names(row: &str) -> Option<Vec<String>> {
    let (left, _) = row.split_once("  ").unwrap_or((row, ""));
    let shown = flag_names(left).filter(|shown| !shown.unread)?;
    let longs = shown.longs.iter().chain(&shown.negation).cloned();
    let names: Vec<String> = longs
        .chain(shown.shorts.iter().map(char::to_string))
        .collect();
    let own = |name: &String| matches!(name.as_str(), "help" | "version" | "h" | "V" | "?");
    (!names.iter().any(own)).then_some(names)
}

/// The options of a page that nobody has read, if they are many; `known` are the names of those that were.
pub(crate) fn lost(shown: &[Vec<String>], known: impl Fn(&str) -> bool) -> Option<(usize, &str)> {
    let unread = shown
        .iter()
        .filter(|names| !names.iter().any(|name| known(name)));
    let unread: Vec<&Vec<String>> = unread.collect();
    let many = unread.len() > FEW && unread.len() * 5 > shown.len();
    let first = unread.first()?.first()?;
    many.then_some((unread.len(), first.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_nobody_read_are_seen() {
        let text = "Usage: tool [options]\n\nOptions:\n  -a, --all      All,\n                     --none of it\n      --big[=N]  Big\n  -h, --help     Help\n  -c             See\n  --dry / --wet  Dry\n\nExamples:\n  --not          one\n";
        let shown = shown_options(text);
        assert_eq!(
            shown,
            [vec!["all", "a"], vec!["big"], vec!["c"], vec!["dry", "wet"]]
        );
        assert_eq!(lost(&shown, |_| false), Some((4, "all")));
        assert_eq!(lost(&shown, |name| name == "c"), None);
        assert_eq!(lost(&shown_options("no options\n"), |_| false), None);
    }

    #[test]
    fn options_of_another_program_are_not_missed() {
        let text = "Usage:\n    tool fire [OPTIONS] [--] [ARGS]\n\nOptions:\n    --dry   Dry\n\n\
            To pass them on use tool fire -- with:\n\n    -W / --warn [X]   Warn\n    -A / --allow [X]  Allow\n\n\
            More options:\n    --wet   Wet\n";
        assert_eq!(shown_options(text), [vec!["dry"], vec!["wet"]]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_looked_at(text in "([ \\-a-z=\\[\\]<>|,/\\n]|[\\PC]){0,200}") {
            lost(&shown_options(&text), |_| false);
        }
    }
}
