//! PHP's Symfony console and Python's Cleo, which prints the same: `Available commands:` of `list`, and `[default: "x"]` and
//! `(multiple values allowed)` in rows. A command of a namespace is one word in PHP (`oven:light`) and two in Python.

use charmer_core::model::{Arguments, CommandPath, DoubleDash, Syntax};

use super::{
    HelpStyle,
    flag::{option, option_rows},
    followed_by,
    page::{child, describe},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{Row, Section, first_sentence, rows, sections},
    sketch::{ChildSketch, CommandSketch, FlagSketch, KindSketch},
};

/// The framework.
pub(super) struct Symfony;

/// The heading of a list of commands, of all or of a namespace's.
const LISTED: &str = "Available commands";

/// The way every such program says that it speaks more.
const VERBOSE: &str = "-v|vv|vvv";

impl HelpStyle for Symfony {
    const NAME: &'static str = "Symfony console";
    const REPEATS_INHERITED: bool = true;

    fn recognise(text: &str) -> u8 {
        let verbose = text.contains(VERBOSE);
        let help = text.contains("Display help for the given command.");
        match (verbose, help) {
            (true, true) => 95,
            (true, false) | (false, true) => 60,
            _ => 0,
        }
    }

    fn syntax() -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn help_requests(path: &CommandPath) -> Vec<Vec<String>> {
        // `--help` alone explains the command that lists the others.
        let mut requests = vec![followed_by(path, "--help")];
        if path.is_root() {
            requests.insert(0, vec!["list".into(), "--no-ansi".into()]);
        } else {
            // A command may keep `--help` for what it starts, and a namespace is no command; what is in it can be listed.
            for asked in ["help", "list"] {
                let words = [asked.to_owned()].into_iter();
                let words = words.chain(path.words().iter().cloned());
                requests.push(words.chain(["--no-ansi".into()]).collect());
            }
        }
        requests
    }

    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        if !path.is_root() && text.lines().any(|line| line.starts_with(LISTED)) {
            return namespace(text, program, path);
        }
        let section = all.iter().find(|one| one.is("usage"))?;
        // The program's own name is not shown.
        let line = format!("{program} {}", usage::statement(section));
        let usage = usage::read(&line, path)?;
        let mut sketch = CommandSketch::new(path.clone());
        for one in &all {
            if one.heading.starts_with(LISTED) {
                let listed = children(one, program, path);
                sketch.add_children(listed.into_iter().filter(|child| child.name != "list"));
            } else if one.is("options") {
                sketch.flags.extend(flags(one));
            }
        }
        usage.tell(&mut sketch);
        // Where there are commands, `[arguments]` are theirs.
        if !sketch.children.is_empty() {
            sketch.arguments = Some(Fact::new(Default::default(), Origin::Usage));
        }
        if let Some(arguments) = &mut sketch.arguments {
            let described = all.iter().filter(|one| one.is("arguments"));
            described.for_each(|one| describe(&mut arguments.value, one));
        }
        if let Some(description) = all.iter().find(|one| one.is("description")) {
            sketch.about = Some(Fact::new(first_sentence(&description.body()), Origin::Help));
        }
        if let Some(help) = all.iter().find(|one| one.is("help")) {
            sketch.long_about = Some(Fact::new(help.body(), Origin::Help));
        }
        Some(sketch)
    }
}

/// The commands of a list.
fn children(section: &Section<'_>, program: &str, path: &CommandPath) -> Vec<ChildSketch> {
    // The names of namespaces stand less far in.
    let listed = rows(&section.lines, |indent, _| indent == 2);
    let listed = listed.into_iter().filter_map(|mut row| {
        let aliases = take_aliases(&mut row.text);
        nested(&row, &aliases, section.heading, program, path)
    });
    listed.collect()
}

/// The command in a row, in those that it stands below: neither the page of `oven light` nor the list of `oven` has
/// `oven light all`.
fn nested(
    row: &Row,
    aliases: &[String],
    heading: &str,
    program: &str,
    path: &CommandPath,
) -> Option<ChildSketch> {
    let mut found = child(row, heading, program, path)?;
    let inner = path.child(found.name.as_str());
    if row.name.split_whitespace().count() > inner.words().len() {
        found.below = Vec::from_iter(nested(row, aliases, heading, program, &inner));
    } else {
        found.aliases = aliases.to_vec();
    }
    Some(found)
}

/// A namespace: commands that have its name before theirs. It is nothing that can be run.
fn namespace(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
    let mut sketch = CommandSketch::new(path.clone());
    let last = path.words().last()?;
    // Its heading has the name in quotes.
    let lines = text.lines().skip_while(|line| !line.starts_with(LISTED));
    let section = Section {
        heading: LISTED,
        lines: lines.skip(1).collect(),
        ..Section::default()
    };
    let listed = children(&section, program, path).into_iter();
    sketch.add_children(listed.filter(|child| child.name != *last));
    sketch.runnable = Some(Fact::new(false, Origin::Help));
    sketch.arguments = Some(Fact::new(Arguments::default(), Origin::Help));
    (!sketch.children.is_empty()).then_some(sketch)
}

/// `[home|h] Opens it`: other names stand before the text.
fn take_aliases(text: &mut String) -> Vec<String> {
    let Some((names, rest)) = text
        .strip_prefix('[')
        .and_then(|inner| inner.split_once("] "))
    else {
        return Vec::new();
    };
    let names: Vec<String> = names.split('|').map(Into::into).collect();
    *text = rest.to_owned();
    names
}

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        let counted = row.name.contains(VERBOSE);
        let column = row.name.replace(VERBOSE, "-v");
        let shown = option(&column, &row.text)?;
        let kind = match counted {
            true => KindSketch::count(),
            false => shown.shown_kind(),
        };
        shown.flag(Some(kind))
    })
}
