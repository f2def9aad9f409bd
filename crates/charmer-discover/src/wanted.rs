//! The parts of a program that somebody wants: of one with thousands of commands only those are read.

use charmer_core::model::CommandPath;
use serde::{Deserialize, Serialize};

/// A part of a program: the levels of its path, where `*` stands for any letters of a name and `**` for whatever is below.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WantedPart(Vec<String>);

impl WantedPart {
    /// The part that a glob names, as those of `--allow` are written; `None` where it does not say which command of the
    /// root it is in.
    ///
    /// ```
    /// use charmer_discover::WantedPart;
    /// assert_eq!(WantedPart::named("cloud/bread/*", "cloud"), WantedPart::named("bread *", "cloud"));
    /// assert_eq!(WantedPart::named("**/bake", "cloud"), None);
    /// ```
    pub fn named(glob: &str, program: &str) -> Option<Self> {
        let levels = glob.split(['/', ' ']).filter(|level| !level.is_empty());
        let mut levels: Vec<String> = levels.map(plain).collect();
        if levels.first().is_some_and(|first| first == program) {
            levels.remove(0);
        }
        let first = levels.first()?;
        (!first.contains('*')).then_some(Self(levels))
    }

    /// Returns true if a command belongs to the part, or stands above it.
    pub(crate) fn reaches(&self, path: &CommandPath) -> bool {
        for (level, name) in self.0.iter().zip(path.words()) {
            if level == "**" {
                return true;
            }
            if !matches(level, name) {
                return false;
            }
        }
        true
    }
}

/// A level in which only `*` has a meaning of its own: what else a glob may say wants more than it says.
fn plain(level: &str) -> String {
    match level.find(['?', '[', '{']) {
        Some(at) => format!("{}*", &level[..at]),
        None => level.to_owned(),
    }
}

fn matches(level: &str, name: &str) -> bool {
    let Some((begin, rest)) = level.split_once('*') else {
        return level == name;
    };
    let Some(mut left) = name.strip_prefix(begin) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_reaches_what_is_in_it_and_above_it() {
        for (glob, reached, other) in [
            ("bread", "bread bake now", "oven"),
            ("bread/bake-*", "bread bake-all", "bread list"),
            ("bread/bake-*", "bread", "oven"),
            ("bread/**/now", "bread bake now", "oven bake"),
            ("bread/{bake,list}", "bread list", "oven list"),
            ("bread/*-all", "bread bake-all", "bread bake-one"),
        ] {
            let part = WantedPart::named(glob, "cloud").expect("a part");
            assert!(
                part.reaches(&CommandPath::parse(reached)),
                "{glob} {reached}"
            );
            assert!(!part.reaches(&CommandPath::parse(other)), "{glob} {other}");
        }
        for none in ["", "cloud", "*", "**", "b?ead/bake"] {
            assert_eq!(WantedPart::named(none, "cloud"), None, "{none}");
        }
    }
}
