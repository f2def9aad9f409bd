//! Options that a program takes and no help lists, as somebody has written them down.

use std::sync::OnceLock;

use charmer_core::model::{CommandPath, FlagValue, ValueType};

use super::{
    getopt::{OptionRow, getopt_flag, option_names},
    parse_options::HELPER,
};
use crate::{
    binary::Binary,
    discovery::Unlisted,
    fact::{Fact, Origin},
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The certainty of the data: it is written with more care than the sketches of a usage text, and completion beats it.
const SURE: u8 = 75;

/// A list of options and the texts that show that a command takes them.
#[derive(Debug, Clone, Default)]
struct OptionList {
    marks: Vec<String>,
    /// Each with whether its name was seen in the program's file.
    flags: Vec<(FlagSketch, bool)>,
}

/// All that was written down.
#[derive(Debug, Clone)]
pub(super) struct UnlistedOptions {
    lists: Vec<OptionList>,
    unasked: Vec<CommandPath>,
}

impl UnlistedOptions {
    fn new(unlisted: &Unlisted) -> Self {
        let list = |(marks, rows): &(Vec<String>, Vec<String>)| {
            let rows = rows.iter().filter_map(|line| row(line));
            let flags = rows.filter_map(|row| Some((flag(&row)?, false)));
            OptionList {
                marks: marks.clone(),
                flags: flags.collect(),
            }
        };
        Self {
            lists: unlisted.options.iter().map(list).collect(),
            unasked: unlisted.unasked.clone(),
        }
    }

    /// The same without options whose names the program's file does not have. A file that is not the program itself,
    /// but starts it, is not asked.
    fn for_program(mut self, binary: &Binary) -> Self {
        if binary.contains([HELPER]) == [false] {
            return self;
        }
        // Names end with NUL in its tables, and with `=` where it compares the start of a word.
        for end in ['\0', '='] {
            let longs = self.lists.iter_mut().flat_map(|list| &mut list.flags);
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
        for list in &mut self.lists {
            list.flags
                .retain(|(flag, seen)| *seen || flag.long.is_none());
        }
        self
    }

    /// Returns true if a subcommand must not be asked: by itself (`stash create`), or as all of its command's.
    pub(super) fn is_unasked(&self, path: &CommandPath) -> bool {
        let mut unasked = self.unasked.iter();
        unasked.any(|one| path.words().starts_with(one.words()))
    }

    /// The lists that a command takes, by its usage and its whole page.
    pub(super) fn lists_for(&self, usage: &str, page: &str) -> Vec<usize> {
        let one = |mark: &str| {
            let of_usage = mark.starts_with(['<', '[']);
            if of_usage { usage } else { page }.contains(mark)
        };
        let shows = |mark: &String| mark.split(" & ").all(one);
        let numbered = self.lists.iter().enumerate();
        numbered
            .filter(|(_, list)| list.marks.iter().any(shows))
            .map(|(at, _)| at)
            .collect()
    }

    /// Adds the options of these lists to a command; a letter that means something else there is left out.
    pub(super) fn add(&self, lists: &[usize], sketch: &mut CommandSketch) {
        let lists = lists.iter().filter_map(|&at| self.lists.get(at));
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
                known.is_same(&flag) && kind.is_some_and(|kind| kind.value == KindSketch::switch())
            };
            let needs_value = |kind: &Fact<KindSketch>| kind.value.value == FlagValue::Required;
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

/// The options that are left for one program, found out once.
#[derive(Default)]
pub(super) struct Checked(OnceLock<UnlistedOptions>);

impl Checked {
    pub(super) fn for_program(&self, unlisted: &Unlisted, binary: &Binary) -> &UnlistedOptions {
        self.0
            .get_or_init(|| UnlistedOptions::new(unlisted).for_program(binary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lists: &[(&[&str], &[&str])]) -> UnlistedOptions {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let options = lists
            .iter()
            .map(|(marks, rows)| (owned(marks), owned(rows)));
        UnlistedOptions::new(&Unlisted {
            options: options.collect(),
            unasked: vec![
                CommandPath::parse("bisect"),
                CommandPath::parse("stash create"),
            ],
        })
    }

    #[test]
    fn commands_that_are_not_asked_are_told_with_all_below_them() {
        let data = read(&[]);
        for (path, unasked) in [
            ("bisect run", true),
            ("stash create", true),
            ("stash list", false),
        ] {
            assert_eq!(
                data.is_unasked(&CommandPath::parse(path)),
                unasked,
                "{path}"
            );
        }
    }

    #[test]
    fn a_switch_that_the_program_shows_stays_one() {
        let data = read(&[(&["x"], &["--who=<name>  Whose", "--stat[=<n>]  Numbers"])]);
        let mut sketch = CommandSketch::default();
        for name in ["who", "stat"] {
            sketch.add_flag(FlagSketch {
                kind: Some(Fact::new(KindSketch::switch(), Origin::Help)),
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
        let data = read(&[
            (&["<range>"], &["-n, --count=<number>  Stop", "--gone  Old"]),
            (&["drawn"], &["--draw  Draw"]),
        ]);
        assert_eq!(data.lists_for("vcs log [<range>]", "help"), [0]);
        assert_eq!(data.lists_for("vcs show", "a <range> is drawn"), [1]);
        let both = read(&[(&["<range> & drawn"], &[])]);
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
