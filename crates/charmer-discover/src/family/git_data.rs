//! The options of git's revision walks and diffs, which no help lists: `git_options.txt`, read.

use std::sync::OnceLock;

use charmer_core::model::{Arguments, CommandPath, FlagValue, Repetition, ValueType};

use super::getopt::{OptionRow, getopt_flag, option_names};
use crate::{
    binary::Binary,
    fact::{Fact, Origin},
    sketch::{CommandSketch, FlagSketch, Kind},
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
    /// Each with whether its name was seen in the program's file.
    flags: Vec<(FlagSketch, bool)>,
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
                list.flags = body
                    .lines()
                    .filter_map(row)
                    .filter_map(|row| Some((flag(&row)?, false)))
                    .collect();
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
        // Names end with NUL in its tables, and with `=` where it compares the start of a word.
        for end in ['\0', '='] {
            let longs = self.0.iter_mut().flat_map(|list| &mut list.flags);
            let mut unseen: Vec<(&mut bool, String)> = longs
                .filter_map(|(flag, seen)| {
                    let long = flag.long.as_ref()?;
                    (!*seen).then(|| (seen, format!("{long}{end}")))
                })
                .collect();
            let needles: Vec<&str> = unseen.iter().map(|(_, text)| text.as_str()).collect();
            let found = binary.contains_each(&needles);
            for ((seen, _), found) in unseen.iter_mut().zip(found) {
                **seen = found;
            }
        }
        for list in &mut self.0 {
            list.flags
                .retain(|(flag, seen)| *seen || flag.long.is_none());
        }
        self
    }

    /// Whether a subcommand must not be asked: by itself (`stash/create`), or as all of its command's.
    pub(super) fn is_unasked(&self, path: &CommandPath) -> bool {
        let form = path.words().join("/");
        let parent = path.words().first().map_or("", String::as_str);
        let list = self.0.iter().find(|list| list.name == "unasked");
        list.is_some_and(|list| {
            list.words
                .iter()
                .any(|word| *word == form || word == parent)
        })
    }

    /// Makes lists of the options that a command takes again, each time with one more value.
    pub(super) fn mark_repeated(&self, sketch: &mut CommandSketch) {
        let path = sketch.path.words().join("/");
        for flag in &mut sketch.flags {
            let listed = self.names("repeated", &path, flag);
            if let Some(kind) = flag.kind.as_mut().filter(|_| listed)
                && kind.value.value == FlagValue::Required
                && kind.value.repetition == Repetition::Single
            {
                kind.value.repetition = Repetition::Repeat { delimiter: None };
            }
        }
    }

    /// Notes which positionals need not be there, though the usage requires them: always, or beside an option.
    pub(super) fn mark_dispensable(&self, sketch: &mut CommandSketch) {
        let path = sketch.path.words().join("/");
        let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
        else {
            return;
        };
        for positional in listed.iter_mut() {
            let named = self.lists("optional", &path, |name| name == positional.id);
            positional.required &= !named;
        }
        if let Some(first) = listed.iter_mut().find(|one| one.required) {
            let flags = sketch.flags.iter();
            let flags = flags.filter(|flag| self.names("replaces", &path, flag));
            first.replaced_by.extend(flags.map(FlagSketch::id));
        }
    }

    /// Whether a list names this option of a command: `add,rm:--all`.
    fn names(&self, list: &str, path: &str, flag: &FlagSketch) -> bool {
        let long = flag.long.iter().map(|long| format!("--{long}"));
        let short = flag.short.map(|short| format!("-{short}"));
        let names: Vec<String> = long.chain(short).collect();
        self.lists(list, path, |name| names.iter().any(|known| known == name))
    }

    /// Whether a list has an entry of a command: `add,rm:name`.
    fn lists(&self, list: &str, path: &str, is_meant: impl Fn(&str) -> bool) -> bool {
        let words = self.0.iter().find(|known| known.name == list);
        let words = words.map_or(&[][..], |list| &list.words);
        let mut entries = words.iter().filter_map(|word| word.rsplit_once(':'));
        entries.any(|(commands, name)| {
            is_meant(name) && commands.split(',').any(|c| c == path || c == "*")
        })
    }

    /// The lists that a command takes, by its usage and its whole page.
    pub(super) fn lists_for(&self, usage: &str, page: &str) -> Vec<usize> {
        let one = |mark: &str| {
            let of_usage = mark.starts_with(['<', '[']);
            if of_usage { usage } else { page }.contains(mark)
        };
        let shows = |mark: &String| mark.split(" & ").all(one);
        let numbered = self.0.iter().enumerate();
        numbered
            .filter(|(_, list)| list.marks.iter().any(shows))
            .map(|(at, _)| at)
            .collect()
    }

    /// Adds the options of these lists to a command; a letter that means something else there is left out.
    pub(super) fn add(&self, lists: &[usize], sketch: &mut CommandSketch) {
        let lists = lists.iter().filter_map(|&at| self.0.get(at));
        for (flag, _) in lists.flat_map(|list| &list.flags) {
            let mut flag = flag.clone();
            join_names(&flag, sketch);
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
            // A switch here may be a flag with a value elsewhere; that its value may be left out is only news.
            let switch = |known: &FlagSketch| {
                let kind = known
                    .kind
                    .as_ref()
                    .filter(|kind| kind.source.origin == Origin::Help);
                known.is_same(&flag) && kind.is_some_and(|kind| kind.value == Kind::switch())
            };
            let needs_value = |kind: &Fact<Kind>| kind.value.value == FlagValue::Required;
            if sketch.flags.iter().any(switch) && flag.kind.as_ref().is_some_and(needs_value) {
                flag.kind = None;
            }
            if flag.id().is_empty() || sketch.flags.iter().any(opposed) {
                continue;
            }
            sketch.add_flag(flag);
        }
    }
}

/// Makes one flag of two that the program shows apart, a letter here and a long name there.
fn join_names(flag: &FlagSketch, sketch: &mut CommandSketch) {
    let long = sketch
        .flags
        .iter()
        .position(|known| known.long == flag.long);
    let letter = sketch
        .flags
        .iter()
        .position(|known| known.long.is_none() && known.short == flag.short);
    if let (Some(_), Some(long), Some(letter)) = (&flag.long, long, letter) {
        let mut apart = sketch.flags[letter].clone();
        apart.long.clone_from(&flag.long);
        sketch.flags[long].merge(apart);
        sketch.flags.remove(letter);
    }
}

/// A row of the file: names, two spaces, text.
fn row(line: &str) -> Option<OptionRow> {
    let (column, text) = line.trim().split_once("  ")?;
    let names = option_names(column, true)?;
    let text = text.trim().to_owned();
    Some(OptionRow { names, text })
}

fn flag(row: &OptionRow) -> Option<FlagSketch> {
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
        assert!(
            data.is_unasked(&CommandPath::parse("bisect run"))
                && !data.is_unasked(&CommandPath::parse("remote add"))
        );
    }

    #[test]
    fn a_switch_that_the_program_shows_stays_one() {
        let data = GitData::read("[one | x]\n  --who=<name>  Whose\n  --stat[=<n>]  Numbers\n");
        let mut sketch = CommandSketch::default();
        for name in ["who", "stat"] {
            sketch.add_flag(FlagSketch {
                kind: Some(Fact::new(Kind::switch(), Origin::Help)),
                ..FlagSketch::long(name)
            });
        }
        data.add(&[0], &mut sketch);
        let kinds = sketch.flags.iter().filter_map(|flag| flag.kind.as_ref());
        let values: Vec<_> = kinds.map(|kind| kind.value.value.clone()).collect();
        assert_eq!(
            values,
            [FlagValue::None, FlagValue::Optional { bare: None }]
        );
    }

    #[test]
    fn lists_go_to_commands_that_show_that_they_take_them() {
        let data = GitData::read(
            "[one | <range>]\n  -n, --count=<number>  Stop\n  --gone  Old\n[two | drawn]\n  --draw  Draw\n",
        );
        assert_eq!(data.lists_for("vcs log [<range>]", "help"), [0]);
        assert_eq!(data.lists_for("vcs show", "a <range> is drawn"), [1]);
        let both = GitData::read("[one | <range> & drawn]\n");
        assert_eq!(both.lists_for("vcs log [<range>]", "").len(), 0);
        assert_eq!(both.lists_for("vcs log [<range>]", "drawn"), [0]);
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
