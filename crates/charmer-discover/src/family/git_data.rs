//! The options of git's revision walks and diffs, which no help lists: `git_options.txt`, read.

use std::sync::OnceLock;

use charmer_core::model::ValueType;

use super::getopt::{getopt_flag, option_rows};
use crate::{
    binary::Binary,
    fact::{Fact, Origin},
    sketch::{CommandSketch, FlagSketch},
};

/// How sure the data is: it is written with more care than the sketches of a usage text, and completion beats it.
const SURE: u8 = 75;

/// The option that every command of the family knows, and that no other program has in its file.
pub(super) const HELPER: &str = "--git-completion-helper";

/// A list of options and the texts that show that a command takes them.
#[derive(Debug, Clone, Default)]
struct List {
    name: String,
    marks: Vec<String>,
    flags: Vec<FlagSketch>,
    words: Vec<String>,
}

/// The data file.
#[derive(Debug, Clone)]
pub(super) struct GitData(Vec<List>);

impl Default for GitData {
    fn default() -> Self {
        Self::read(include_str!("git_options.txt"))
    }
}

impl GitData {
    fn read(text: &str) -> Self {
        let mut lists: Vec<List> = Vec::new();
        let mut body = String::new();
        let close = |lists: &mut Vec<List>, body: &mut String| {
            if let Some(list) = lists.last_mut() {
                list.words = body.split_whitespace().map(Into::into).collect();
                list.flags = option_rows(body).iter().filter_map(flag).collect();
            }
            body.clear();
        };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some(head) = line
                .strip_prefix('[')
                .and_then(|line| line.strip_suffix(']'))
            else {
                body.push_str(line);
                body.push('\n');
                continue;
            };
            close(&mut lists, &mut body);
            let mut parts = head.split(" | ").map(|part| part.trim().to_owned());
            lists.push(List {
                name: parts.next().unwrap_or_default(),
                marks: parts.collect(),
                ..List::default()
            });
        }
        close(&mut lists, &mut body);
        Self(lists)
    }

    /// The same without options whose names the program's file does not have. A file that is not the program itself,
    /// but starts it, is not asked.
    fn for_program(mut self, binary: &Binary) -> Self {
        if binary.contains([HELPER]) == [false] {
            return self;
        }
        let mut needles: Vec<String> = Vec::new();
        let flags = self.0.iter().flat_map(|list| &list.flags);
        for flag in flags {
            let (name, other) = match (&flag.long, flag.short) {
                (Some(long), _) => (long.clone(), format!("{long}=")),
                (None, short) => {
                    let name = format!("-{}", short.unwrap_or_default());
                    (name.clone(), name)
                }
            };
            needles.push(format!("{name}\0"));
            needles.push(other);
        }
        let texts: Vec<&str> = needles.iter().map(String::as_str).collect();
        let mut found = binary.contains_each(&texts).into_iter();
        for list in &mut self.0 {
            list.flags.retain(|flag| {
                let named = found.next().unwrap_or_default();
                named | found.next().unwrap_or_default() || flag.long.is_none()
            });
        }
        self
    }

    /// Whether the subcommands of a command must not be asked.
    pub(super) fn is_unasked(&self, command: &str) -> bool {
        let list = self.0.iter().find(|list| list.name == "unasked");
        list.is_some_and(|list| list.words.iter().any(|word| word == command))
    }

    /// The lists that a command takes, by its usage and its whole page.
    pub(super) fn lists_for(&self, usage: &str, page: &str) -> Vec<usize> {
        let shows = |mark: &String| {
            let text = if mark.starts_with('<') { usage } else { page };
            text.contains(mark.as_str())
        };
        let numbered = self.0.iter().enumerate();
        numbered
            .filter(|(_, list)| list.marks.iter().any(shows))
            .map(|(at, _)| at)
            .collect()
    }

    /// Adds the options of these lists to a command; a letter that means something else there is left out.
    pub(super) fn add(&self, lists: &[usize], sketch: &mut CommandSketch) {
        for flag in lists
            .iter()
            .filter_map(|&at| self.0.get(at))
            .flat_map(|list| &list.flags)
        {
            let mut flag = flag.clone();
            let taken = |letter: char| {
                sketch.flags.iter().any(|known| {
                    known.short == Some(letter) && known.long.is_some() && !known.is_same(&flag)
                })
            };
            if flag.short.is_some_and(taken) {
                flag.short = None;
            }
            let opposed = |known: &FlagSketch| {
                known.negation.is_some() && known.negation == flag.long
                    || flag.negation.is_some() && known.long == flag.negation
            };
            if flag.id().is_empty() || sketch.flags.iter().any(opposed) {
                continue;
            }
            sketch.add_flag(flag);
        }
    }
}

fn flag(row: &super::getopt::OptionRow) -> Option<FlagSketch> {
    let mut flag = getopt_flag(row, |_| true)?;
    let source = |fact: &mut crate::fact::Source| {
        fact.origin = Origin::Convention;
        fact.sure = SURE;
    };
    if let Some(kind) = &mut flag.kind {
        if flag.placeholder.as_deref() == Some("<number>") {
            kind.value.value_type = ValueType::INT;
        }
        source(&mut kind.source);
    }
    if let Some(choices) = &mut flag.choices {
        source(&mut choices.source);
    }
    // The program's own words come first.
    flag.help = flag
        .help
        .map(|help| Fact::with(help.value, Origin::Convention, 50));
    Some(flag)
}

/// The data as it is written, and what is left of it for one program; both are found out once.
#[derive(Default)]
pub(super) struct Checked {
    written: OnceLock<GitData>,
    checked: OnceLock<GitData>,
}

impl Checked {
    pub(super) fn written(&self) -> &GitData {
        self.written.get_or_init(GitData::default)
    }

    pub(super) fn for_program(&self, binary: &Binary) -> &GitData {
        self.checked
            .get_or_init(|| self.written().clone().for_program(binary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_file_is_read() {
        let rows = include_str!("git_options.txt")
            .lines()
            .filter(|line| line.starts_with("  -"))
            .count();
        let data = GitData::default();
        assert_eq!(
            data.0.iter().map(|list| list.flags.len()).sum::<usize>(),
            rows
        );
        assert!(data.is_unasked("bisect") && !data.is_unasked("stash"));
    }

    #[test]
    fn lists_go_to_commands_that_show_that_they_take_them() {
        let data = GitData::read(
            "[one | <range>]\n  -n, --count=<number>  Stop\n  --gone  Old\n[two | drawn]\n  --draw  Draw\n",
        );
        assert_eq!(data.lists_for("vcs log [<range>]", "help"), [0]);
        assert_eq!(data.lists_for("vcs show", "a <range> is drawn"), [1]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vcs");
        std::fs::write(&path, "--git-completion-helper\0--count\0draw\0").expect("written");
        let data = data.for_program(&Binary::new(&path));
        let mut sketch = CommandSketch::default();
        sketch.add_flag(FlagSketch {
            short: Some('n'),
            ..FlagSketch::long("new")
        });
        data.add(&[0, 1], &mut sketch);
        let names: Vec<_> = sketch
            .flags
            .iter()
            .map(|flag| (flag.id(), flag.short))
            .collect();
        assert_eq!(
            names,
            [
                ("new".into(), Some('n')),
                ("count".into(), None),
                ("draw".to_owned(), None)
            ]
        );
    }
}
