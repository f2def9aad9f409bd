//! The look of the names of columns.

use std::collections::HashSet;

/// Returns true if names look like those that programs print over columns, in capitals: `CONTAINER ID`, `CPU(cores)`,
/// `#`.
pub(super) fn are_upper(names: &[&str]) -> bool {
    names.iter().all(|name| is_upper(name))
}

/// Returns true if they at least begin like titles: `Mounted on`, `1K-blocks`, `Use%`.
pub(super) fn are_titles(names: &[&str]) -> bool {
    let is_title = |name: &str| {
        let first = name.chars().next();
        first.is_some_and(|c| {
            matches!(c, '#' | '%' | '0'..='9') || (c.is_alphabetic() && !c.is_lowercase())
        }) && (name.contains(char::is_alphabetic) || matches!(name, "#" | "%"))
    };
    names.iter().all(|name| is_plain(name) && is_title(name))
}

/// Returns true if no name stands twice.
pub(super) fn are_distinct(names: &[&str]) -> bool {
    let mut seen = HashSet::new();
    names.iter().all(|name| seen.insert(*name))
}

/// Returns true if text is in capitals, but for a unit in parentheses.
pub(super) fn is_upper(name: &str) -> bool {
    let (outside, _) = name.split_once('(').unwrap_or((name, ""));
    let named = name == "#" || outside.contains(char::is_uppercase);
    is_plain(name) && named && !outside.contains(char::is_lowercase)
}

/// Returns true if text has nothing that sentences, assignments and code have and names of columns do not.
fn is_plain(name: &str) -> bool {
    !name.ends_with([':', '.', ',', ';', '!', '?'])
        && !name.contains(['=', '{', '}', '"', '`', '<', '>', '|', ';', ','])
        && name.split(' ').count() <= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_are_told_from_other_words() {
        for name in [
            "NAME",
            "CONTAINER ID",
            "CPU(cores)",
            "MEM USAGE / LIMIT",
            "%CPU",
            "#",
            "PORT(S)",
        ] {
            assert!(is_upper(name), "{name}");
        }
        for name in [
            "Name",
            "",
            "12",
            "ERROR:",
            "A=B",
            "NOT A NAME OF ANYTHING",
            "-",
        ] {
            assert!(!is_upper(name), "{name}");
        }
        assert!(are_titles(&[
            "Filesystem",
            "1K-blocks",
            "Use%",
            "Mounted on"
        ]));
        assert!(!are_titles(&["Filesystem", "size"]));
        assert!(!are_titles(&["2024", "Name"]));
    }
}
