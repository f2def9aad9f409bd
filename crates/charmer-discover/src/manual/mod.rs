//! Manual pages as a source where help is thin: the file is found, unpacked and read, and `man` is never executed.
//!
//! A page belongs to the package that its program came with, but it is prose first: what a program says of itself counts
//! more, and a page adds options only where help shows none that it explains.

mod locate;
mod mdoc;
mod roff;

use charmer_core::model::{Arguments, CommandPath, Positional};

use self::roff::TaggedText;
use crate::{
    binary::Binary,
    fact::{Fact, Field, Origin},
    family::{arguments_of, flags_of_column},
    help::first_sentence,
    sketch::{CommandSketch, FlagSketch},
};

/// The parts of a manual page about its program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manual {
    /// One line: what it is for.
    about: Option<String>,
    /// The ways to call it.
    synopsis: Vec<String>,
    flags: Vec<FlagSketch>,
}

/// The manual page of a program, if there is one that says anything.
pub(crate) fn of(binary: &Binary) -> Option<Manual> {
    let source = locate::source(binary.path())?;
    let manual = read(&source, &binary.name());
    (!manual.flags.is_empty() || !manual.synopsis.is_empty()).then_some(manual)
}

/// The statements of a page of its own that a command has, as `PROGRAM-COMMAND`.
pub(crate) fn statements_of(binary: &Binary, command: &str) -> Vec<String> {
    let program = binary.name();
    let page = binary.path().with_file_name(format!("{program}-{command}"));
    let source = locate::source(&page);
    source.map_or_else(Vec::new, |source| read(&source, &program).synopsis)
}

/// Completes what help says of a root: texts of flags that have none, and where help explains no flag at all, the flags.
pub(crate) fn complete(binary: &Binary, root: &mut CommandSketch) {
    let explained = |flag: &FlagSketch| {
        let help = flag.help.as_ref();
        help.is_some_and(|help| help.source.sure >= Origin::Manual.usual())
    };
    // `--help` and `--version` are explained everywhere.
    let own = || {
        let flags = root.flags.iter();
        flags.filter(|flag| !matches!(flag.id().as_str(), "help" | "version" | "h" | "V"))
    };
    let told = own().any(explained);
    if told && root.about.is_some() || !root.path.is_root() {
        return;
    }
    let named = own().filter(|flag| flag.long.is_some()).count();
    let Some(mut manual) = of(binary) else { return };
    if told {
        manual.flags.clear();
    }
    for flag in &manual.flags {
        // Where help lists names, those are all there are.
        if named == 0 && root.flag_mut(flag).is_none() {
            root.flags.push(flag.clone());
        }
    }
    add_texts(manual, root);
}

/// Completes the texts of a root's flags, and says what it is for. Help that only lists names says of no flag that it
/// takes no value: the page does.
pub(crate) fn explain(binary: &Binary, root: &mut CommandSketch) {
    let Some(manual) = of(binary) else { return };
    for flag in &manual.flags {
        let known = root.flag_mut(flag).filter(|known| known.is_switch());
        let takes = flag.kind.as_ref().filter(|_| !flag.is_switch());
        if let (Some(known), Some(kind)) = (known, takes) {
            known.kind = Some(kind.clone());
            known.placeholder.clone_from(&flag.placeholder);
        }
    }
    add_texts(manual, root);
}

fn add_texts(manual: Manual, root: &mut CommandSketch) {
    for flag in manual.flags {
        if let (Some(known), Some(help)) = (root.flag_mut(&flag), flag.help) {
            known.help.learn(help);
        }
    }
    if let Some(about) = manual.about {
        let sure = Origin::Help.usual() + 1;
        root.about.learn(Fact::with(about, Origin::Manual, sure));
    }
}

impl Manual {
    /// The root as the page alone describes it.
    pub(crate) fn sketch(self) -> CommandSketch {
        let mut sketch = CommandSketch::new(CommandPath::root());
        let rests = self.synopsis.iter();
        let rests = rests.filter_map(|line| line.split_once(' ').map(|(_, rest)| rest));
        let rests: Vec<&str> = rests.collect();
        sketch.arguments = arguments_of(&rests).map(|mut fact| {
            fact.source = Fact::new((), Origin::Manual).source;
            fact
        });
        if self.synopsis.is_empty() {
            let any = Arguments::Listed(vec![Positional::new("args").variadic()]);
            sketch.arguments = Some(Fact::new(any, Origin::Convention));
        } else {
            sketch.usage = Some(Fact::new(self.synopsis.join("\n"), Origin::Manual));
        }
        sketch.about = self.about.map(|about| Fact::new(about, Origin::Manual));
        for flag in self.flags {
            sketch.add_flag(flag);
        }
        sketch.warnings.push(
            "it shows no help that could be read; what is known of it is from its manual page"
                .into(),
        );
        sketch
    }
}

fn read(source: &str, program: &str) -> Manual {
    let mut manual = Manual::default();
    let found = roff::entries(source);
    for entry in &found {
        match entry.section.as_str() {
            "NAME" if manual.about.is_none() => {
                let about = entry.text.split_once(" - ").map(|(_, about)| about);
                manual.about = about.map(first_sentence).filter(|about| about.len() > 3);
            }
            "SYNOPSIS" => manual.synopsis.extend(statements(&entry.text, program)),
            _ => {}
        }
    }
    let options = found.iter().filter(|entry| is_option(entry));
    // What is nested is a value or a note of an option.
    let least = options.clone().map(|entry| entry.depth).min();
    for entry in options.filter(|entry| Some(entry.depth) == least) {
        for flag in flags(entry) {
            if !manual.flags.iter().any(|known| known.is_same(&flag)) {
                manual.flags.push(flag);
            }
        }
    }
    manual
}

/// Returns true if an entry is an option's. Options that are shown in other sections are examples of it.
fn is_option(entry: &TaggedText) -> bool {
    let elsewhere = [
        "EXAMPLE", "SEE ALSO", "SYNOPSIS", "FILES", "HISTORY", "BUGS",
    ];
    let elsewhere = elsewhere.iter().any(|one| entry.section.contains(one));
    entry.tag.starts_with('-') && !entry.text.is_empty() && !elsewhere
}

fn flags(entry: &TaggedText) -> Vec<FlagSketch> {
    let tag = entry.tag.replace(" or -", ", -");
    let text = first_sentence(&entry.text);
    let mut found = flags_of_column(&tag, &text);
    for flag in &mut found {
        let origin = |source: &mut crate::fact::Source| {
            *source = Fact::new((), Origin::Manual).source;
        };
        flag.kind
            .iter_mut()
            .for_each(|fact| origin(&mut fact.source));
        flag.help
            .iter_mut()
            .for_each(|fact| origin(&mut fact.source));
        flag.choices
            .iter_mut()
            .for_each(|fact| origin(&mut fact.source));
        flag.default
            .iter_mut()
            .for_each(|fact| origin(&mut fact.source));
    }
    found
}

/// The statements of a synopsis: each begins with the program's name.
fn statements(text: &str, program: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match found.last_mut() {
            Some(last) if word != program => {
                last.push(' ');
                last.push_str(word);
            }
            None if word != program => {}
            _ => found.push(word.to_owned()),
        }
    }
    for statement in &mut found {
        // Definitions of what a statement shows may follow it.
        if let Some((before, _)) = statement.split_once(" :=") {
            let before = before.rsplit_once(' ').map_or("", |(before, _)| before);
            *statement = before.to_owned();
        }
        *statement = statement.replace("[ ", "[").replace(" ]", "]");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIFT: &str = ".TH SIFT 1\n.SH NAME\nsift \\- sifts flour and sugar\n.SH SYNOPSIS\n.B sift\n[\\-aq] [\\-m \\fIsize\\fR] [\\fIBAG\\fR...]\n.br\n.B sift\n.B \\-\\-list\n.SH OPTIONS\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\nTakes all. Always.\n.TP\n\\fB\\-m\\fR \\fIsize\\fR\nThe mesh.\n.TP\n\\fB\\-speed\\fR \\fIn\\fR\nHow fast.\n.TP\n\\fB\\-\\-fine\\fR or \\fB\\-\\-very\\-fine\\fR\nFine.\n.SH EXAMPLES\n.TP\n\\-\\-not\nAn example.\n";

    fn names(flags: &[FlagSketch]) -> Vec<String> {
        let shown = |flag: &FlagSketch| {
            let value = if flag.is_switch() { "" } else { "=" };
            format!("{}{value}", flag.written())
        };
        flags.iter().map(shown).collect()
    }

    #[test]
    fn a_page_of_man_macros() {
        let manual = read(SIFT, "sift");
        assert_eq!(manual.about.as_deref(), Some("sifts flour and sugar"));
        assert_eq!(
            manual.synopsis,
            ["sift [-aq] [-m size] [BAG...]", "sift --list"]
        );
        assert_eq!(names(&manual.flags), ["--all", "-m=", "-speed=", "--fine"]);
        let help = manual.flags[0].help.as_ref().expect("a text");
        assert_eq!(
            (help.value.as_str(), help.source.origin),
            ("Takes all.", Origin::Manual)
        );
        let sketch = manual.sketch();
        let arguments = sketch.arguments.expect("arguments").value;
        assert_eq!(arguments.listed()[0].id, "bag");
    }

    #[test]
    fn a_page_of_mdoc_macros() {
        let source = ".Dd today\n.Dt HOP 1\n.Os\n.Sh NAME\n.Nm hop\n.Nd hops far\n.Sh SYNOPSIS\n.Nm hop\n.Op Fl 4v\n.Op Fl b Ar place\n.Ar where\n.Sh DESCRIPTION\nThe options are:\n.Bl -tag -width Ds\n.It Fl 4\nFour of them.\n.Pp\n.It Fl b Ar place\nFrom a\n.Ar place .\n.El\n";
        let manual = read(source, "hop");
        assert_eq!(manual.about.as_deref(), Some("hops far"));
        assert_eq!(manual.synopsis, ["hop [-4v] [-b <place>] <where>"]);
        assert_eq!(names(&manual.flags), ["-4", "-b="]);
        let help = manual.flags[1]
            .help
            .as_ref()
            .map(|help| help.value.as_str());
        assert_eq!(help, Some("From a <place>."));
    }

    #[test]
    fn statements_end_before_definitions() {
        let text = "pipes valve { add | del } NAME [ LIFE ] pipes valve show LIFE := forever";
        assert_eq!(
            statements(text, "pipes"),
            ["pipes valve { add | del } NAME [LIFE]", "pipes valve show"]
        );
    }
}
