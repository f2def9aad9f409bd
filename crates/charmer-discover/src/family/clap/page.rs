//! One help page of clap: its usage, and the entries under its headings, whatever these are called.

use charmer_core::model::{Arguments, CommandPath, Group, GroupKind};

use super::{
    HELP_COMMAND_TEXTS,
    arguments::{bare, external, positionals},
    entries::{self, RowEntry},
    flags::flag,
    notes::paragraphs,
    usage,
};
use crate::{
    fact::{Fact, Origin},
    family::pattern,
    help::{Section, sections},
    sketch::{ChildSketch, CommandSketch, FlagSketch},
};

/// The content of a page.
pub(super) struct PageRead {
    pub(super) sketch: CommandSketch,
    /// Clap's own `help` command is listed.
    pub(super) help_command: bool,
    /// The option that lists all commands, where this page says that it shows only some.
    pub(super) listing: Option<String>,
    /// The page looks like clap 4's.
    pub(super) modern: bool,
}

/// Reads a help page; `None` if it is not of the command at this path.
pub(super) fn read(text: &str, path: &CommandPath) -> Option<PageRead> {
    let found = sections(text);
    let at = found.iter().position(|section| section.is("usage"))?;
    let body = found[at].body();
    let program = body.split_whitespace().next().unwrap_or_default();
    let modern = found[at].heading == "Usage";

    let mut entries: Vec<(&Section<'_>, RowEntry<'_>)> = Vec::new();
    let flattened = format!("{program} ");
    for section in &found[at + 1..] {
        // Help that shows the subcommands' own flags too, each under its usage.
        if section.heading.starts_with(&flattened) || is_prose(section) {
            continue;
        }
        entries.extend(
            entries::entries(section)
                .into_iter()
                .map(|entry| (section, entry)),
        );
    }

    let mut sketch = CommandSketch::new(path.clone());
    let mut arguments: Vec<(Vec<&str>, RowEntry<'_>)> = Vec::new();
    let mut commands: Vec<(&Section<'_>, RowEntry<'_>)> = Vec::new();
    for (section, entry) in entries {
        if entry.left.starts_with('-') {
            if let Some(flag) = flag(&entry, modern) {
                sketch.add_flag(flag);
            }
        } else if entry.left.starts_with(['<', '[']) {
            arguments.push((pattern::words(entry.left), entry));
        } else {
            commands.push((section, entry));
        }
    }
    let usage = usage::read(&body, path, &sketch.flags)?;

    let is_argument = |name: &str| {
        arguments
            .iter()
            .any(|(words, _)| words.iter().any(|word| bare(word) == name))
    };
    // A word that no entry explains stands for the subcommand, whatever it is called.
    let unexplained = usage
        .operands
        .iter()
        .rposition(|operand| !is_argument(&operand.name) && !operand.name.starts_with('+'));
    let is_usual = |name: &str| {
        matches!(
            name.to_ascii_lowercase().as_str(),
            "command" | "subcommand" | "commands" | "subcommands"
        )
    };
    let mut read = PageRead {
        sketch,
        help_command: false,
        listing: None,
        modern,
    };
    let takes_command = unexplained.is_some() || usage.other_form;
    let mut children = Vec::new();
    for (section, entry) in commands {
        let titled = section.heading.to_ascii_lowercase().ends_with("commands");
        if titled || takes_command {
            children.extend(read.command(&entry).map(|child| ChildSketch {
                listed: Some(Fact::new(section.heading.to_string(), Origin::Help)),
                ..child
            }));
        }
    }
    read.sketch.add_children(children);
    let sketch = &mut read.sketch;
    let has_commands = !sketch.children.is_empty() || read.help_command || read.listing.is_some();
    let command = unexplained.filter(|&at| {
        let name = &usage.operands[at].name;
        let alone = at + 1 == usage.operands.len();
        alone && (has_commands || is_usual(name))
    });

    let mut listed = positionals(&usage, command, &arguments);
    if let Some(at) = command {
        let required = usage.operands[at].required;
        if has_commands {
            sketch.runnable = Some(Fact::new(!required || usage.other_form, Origin::Usage));
        } else {
            // Subcommands that nobody lists are found at run time.
            listed.push(external(required));
        }
    } else if has_commands {
        sketch.runnable = Some(Fact::new(true, Origin::Usage));
    }
    for name in &usage.required {
        let flag = sketch
            .flags
            .iter_mut()
            .find(|flag| usage::is_named(flag, name));
        if let Some(flag) = flag {
            flag.required = Some(Fact::with(true, Origin::Usage, 90));
        }
    }
    for members in &usage.one_of {
        let id = |name: &String| {
            let flag = sketch.flags.iter().find(|flag| usage::is_named(flag, name));
            flag.map_or_else(|| usage::property(name), FlagSketch::id)
        };
        let group = Group::new(GroupKind::OneOf, members.iter().map(id));
        sketch.groups.push(Fact::new(group, Origin::Usage));
    }
    sketch.arguments = Some(Fact::new(Arguments::Listed(listed), Origin::Usage));
    sketch.usage = Some(Fact::new(usage.line.clone(), Origin::Usage));
    sketch.program = path
        .is_root()
        .then_some(usage.program)
        .filter(|name| !name.is_empty());

    let about = about(&found[..at], &found[at]);
    if !about.is_empty() {
        let first = about.split("\n\n").next().unwrap_or_default();
        if path.is_root() {
            sketch.about = Some(Fact::new(first.to_owned(), Origin::Help));
        }
        sketch.long_about = Some(Fact::new(about, Origin::Help));
    }
    let examples = found[at + 1..]
        .iter()
        .find(|section| section.heading.to_ascii_lowercase().contains("example"));
    if let Some(examples) = examples {
        sketch.examples = Some(Fact::new(examples.body(), Origin::Help));
    }
    Some(read)
}

impl PageRead {
    /// The command that an entry shows; some say something of the program instead.
    fn command(&mut self, entry: &RowEntry<'_>) -> Option<ChildSketch> {
        let notes = entry.notes();
        if entry.left == "..." {
            let option = notes
                .text
                .split_whitespace()
                .find(|word| word.starts_with("--"));
            self.listing =
                option.map(|option| option.trim_matches(['`', '\'', '.', ',']).to_owned());
            return None;
        }
        let mut names = entry.left.split(", ").map(str::to_owned);
        let name = names.next().unwrap_or_default();
        if name == "help" {
            self.help_command = HELP_COMMAND_TEXTS.contains(&notes.text.as_str());
            return None;
        }
        Some(ChildSketch {
            name,
            aliases: names.chain(notes.aliases).collect(),
            about: (!notes.text.is_empty()).then(|| Fact::new(notes.text, Origin::Help)),
            ..ChildSketch::default()
        })
    }
}

/// Examples and their like may hold lines that look like entries.
fn is_prose(section: &Section<'_>) -> bool {
    let heading = section.heading.to_ascii_lowercase();
    [
        "example",
        "note",
        "see also",
        "discussion",
        "environment variables",
        "author",
    ]
    .iter()
    .any(|word| heading.contains(word))
}

/// The text above the usage, without the name, version and author that some versions put first.
fn about(above: &[Section<'_>], usage: &Section<'_>) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for section in above {
        if !section.heading.is_empty() {
            lines.push("");
            lines.push(section.heading);
        }
        lines.extend(&section.lines);
    }
    let program = usage.body();
    let program = program.split([' ', '[']).next().unwrap_or_default().trim();
    let titled = lines.first().is_some_and(|line| {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let version = words.next().is_some_and(|word| {
            word.trim_start_matches('v')
                .starts_with(|c: char| c.is_ascii_digit())
        });
        version
            && (name == program
                || name.ends_with(&format!("-{program}"))
                || name.starts_with(&format!("{program}-")))
    });
    if titled {
        lines.remove(0);
        if lines
            .first()
            .is_some_and(|line| line.contains('@') && line.contains('<'))
        {
            lines.remove(0);
        }
    }
    paragraphs(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use charmer_core::model::Repetition;

    use super::*;

    fn page(text: &str, path: &str) -> CommandSketch {
        let read = read(text, &CommandPath::parse(path));
        read.expect("help of this command").sketch
    }

    fn flag<'s>(sketch: &'s CommandSketch, name: &str) -> &'s FlagSketch {
        let flag = sketch.flags.iter().find(|flag| usage::is_named(flag, name));
        flag.expect("a flag of this name")
    }

    fn repetition(sketch: &CommandSketch, name: &str) -> Repetition {
        let kind = flag(sketch, name).kind.as_ref();
        kind.expect("a kind").value.repetition.clone()
    }

    #[test]
    fn help_of_the_second_version() {
        let text = "kiln 1.2.0\nA Potter <potter@example.org>\nFires pots\n\nUSAGE:\n    kiln [FLAGS] [OPTIONS] <POT> [SUBCOMMAND]\n\nFLAGS:\n    -h, --help       Prints help information\n    -q, --quiet      Say less\n    -V, --version    Prints version information\n\nOPTIONS:\n    -g, --glaze <GLAZE>...    Which glaze [default: matt]  [possible values: matt, gloss]\n\nARGS:\n    <POT>    The pot\n\nSUBCOMMANDS:\n    help    Prints this message or the help of the given subcommand(s)\n    low     Low fire\n";
        let read = read(text, &CommandPath::root()).expect("help");
        assert!(read.help_command && !read.modern);
        let sketch = read.sketch;
        assert_eq!(sketch.about.as_ref().expect("about").value, "Fires pots");
        assert_eq!(sketch.program.as_deref(), Some("kiln"));
        let names: Vec<String> = sketch.flags.iter().map(FlagSketch::id).collect();
        assert_eq!(names, ["help", "quiet", "glaze"]);
        let glaze = flag(&sketch, "--glaze");
        assert_eq!(glaze.choices.as_ref().expect("choices").value.len(), 2);
        assert_eq!(glaze.default.as_ref().expect("a default").value, ["matt"]);
        assert_eq!(
            repetition(&sketch, "-g"),
            Repetition::Repeat { delimiter: None }
        );
        assert_eq!(sketch.children.len(), 1);
        assert!(sketch.runnable.expect("said").value);
        let arguments = sketch.arguments.expect("arguments").value;
        assert!(arguments.listed()[0].required);
    }

    #[test]
    fn optional_positionals_that_the_third_version_sums_up() {
        let text = "kiln\n\nUSAGE:\n    kiln [OPTIONS] [ARGS]\n\nARGS:\n    <POT>         The pot\n    <SHELF>...    Where\n\nOPTIONS:\n    -h, --help    Print help information\n";
        let arguments = page(text, "").arguments.expect("arguments").value;
        let shown: Vec<_> = arguments
            .listed()
            .iter()
            .map(|one| (one.id.as_str(), one.required, one.variadic))
            .collect();
        assert_eq!(shown, [("pot", false, false), ("shelf", false, true)]);
    }

    #[test]
    fn commands_under_headings_of_their_own() {
        let text = "Usage: kiln [OPTIONS] <THING>\n\nThings:\n  low, l   Low fire\n  high     High fire [aliases: h]\n\nExamples:\n  low      is no command here\n\nOptions:\n  -h, --help  Print help\n";
        let sketch = page(text, "");
        let names: Vec<_> = sketch
            .children
            .iter()
            .map(|child| (child.name.as_str(), child.aliases.clone()))
            .collect();
        assert_eq!(
            names,
            [
                ("low", vec!["l".to_owned()]),
                ("high", vec!["h".to_owned()])
            ]
        );
        assert!(!sketch.runnable.expect("said").value);
        assert!(
            sketch
                .arguments
                .expect("arguments")
                .value
                .listed()
                .is_empty()
        );
    }

    #[test]
    fn commands_beyond_those_that_are_shown() {
        let text = "Usage: kiln [+clay] [OPTIONS] [COMMAND]\n\nOptions:\n      --list  List all\n  -h, --help  Print help\n\nCommands:\n    low, l    Low fire\n    ...       See all commands with --list\n\nSee 'kiln help <command>' for more.\n";
        let read = read(text, &CommandPath::root()).expect("help");
        assert_eq!(read.listing.as_deref(), Some("--list"));
        assert_eq!(read.sketch.children.len(), 1);
        assert!(
            read.sketch
                .arguments
                .expect("arguments")
                .value
                .listed()
                .is_empty()
        );
    }

    #[test]
    fn a_command_that_nobody_lists_is_found_at_run_time() {
        let text = "Usage: kiln run [OPTIONS] [COMMAND]\n\nOptions:\n  -h, --help  Print help\n";
        let arguments = page(text, "run").arguments.expect("arguments").value;
        assert!(arguments.listed()[0].external);
        assert!(!arguments.listed()[0].required);
    }

    #[test]
    fn help_of_another_command_is_refused() {
        let text = "Usage: kiln [OPTIONS] [POT]\n\nOptions:\n  -h, --help  Print help\n";
        assert!(read(text, &CommandPath::parse("fire")).is_none());
        assert!(read("no help at all", &CommandPath::root()).is_none());
    }

    #[test]
    fn what_usage_requires() {
        let text = "Usage: kiln fire [OPTIONS] --heat <N> <POTS|--all>\n\nArguments:\n  [POTS]...  The pots\n\nOptions:\n      --heat <N>  How hot\n      --all       All pots\n  -h, --help      Print help\n";
        let sketch = page(text, "fire");
        assert!(
            flag(&sketch, "--heat")
                .required
                .as_ref()
                .expect("said")
                .value
        );
        assert!(flag(&sketch, "--all").required.is_none());
        assert_eq!(
            sketch.groups[0].value,
            Group::new(GroupKind::OneOf, ["pots", "all"])
        );
        let arguments = sketch.arguments.expect("arguments").value;
        assert!(arguments.listed()[0].variadic && !arguments.listed()[0].required);
    }

    #[test]
    fn flags_in_prose_behind_the_lists_are_none() {
        let text = "Usage: kiln [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n\nUse it with care:\nit is hot.\n  --heat  is explained elsewhere\n";
        assert_eq!(page(text, "").flags.len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(Usage: kiln|\\nOptions:\\n|\\nCommands:\\n|  -|  <|  \\[|[\\PC]|[ \\n\\t]){0,80}") {
            read(&text, &CommandPath::root());
        }
    }
}
