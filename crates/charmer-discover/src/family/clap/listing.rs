//! The list of all commands, of a program whose help shows only some and names the option that shows the rest.

use super::entries::entries;
use crate::help::sections;

/// A command as the list has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedNames {
    pub(super) name: String,
    pub(super) about: String,
}

impl ListedNames {
    /// The command that this is only another name of.
    pub(super) fn alias_of(&self) -> Option<&str> {
        self.about.strip_prefix("alias: ").map(str::trim)
    }
}

/// Reads the list.
pub(super) fn read(text: &str) -> Vec<ListedNames> {
    let mut found = Vec::new();
    for section in sections(text) {
        for entry in entries(&section) {
            if !entry.left.starts_with(['-', '<', '[', '.']) && !entry.left.contains(',') {
                found.push(ListedNames {
                    name: entry.left.to_owned(),
                    about: entry.notes().text,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_aliases_and_plugins() {
        let found = read(
            "Installed Commands:\n    f        alias: fire\n    fire     Fire the pots\n    spin\n",
        );
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].alias_of(), Some("fire"));
        assert_eq!(found[1].about, "Fire the pots");
        assert_eq!(found[2].about, "");
    }
}
