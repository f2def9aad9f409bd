//! oclif: `USAGE` with `$ tool ...`, `ARGUMENTS`, `FLAGS`, `TOPICS` and `COMMANDS` in capitals without a colon.

use charmer_core::model::{CommandPath, DoubleDash, Syntax};

use super::{
    HelpStyle, Sketches,
    colons::move_to_root,
    flag::{greedy, option, option_rows},
    followed_by,
    page::{child, describe, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{Section, apart, first_sentence, sections},
    sketch::{CommandSketch, FlagSketch},
};

/// The framework.
pub(super) struct Oclif;

impl HelpStyle for Oclif {
    const NAME: &'static str = "oclif";

    fn recognise(text: &str) -> u8 {
        let all = sections(text);
        let usage = all.iter().find(|one| one.heading == "USAGE");
        // Several examples of a call are somebody else's.
        let typed = usage.is_some_and(|one| {
            let calls = one
                .lines
                .iter()
                .filter(|line| line.trim().starts_with("$ "));
            one.body().starts_with("$ ") && calls.count() == 1
        });
        let listed = all.iter().any(|one| {
            matches!(
                one.heading,
                "FLAGS" | "OPTIONS" | "COMMANDS" | "TOPICS" | "ARGUMENTS"
            )
        });
        if typed && listed { 85 } else { 0 }
    }

    fn syntax() -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn help_requests(path: &CommandPath) -> Vec<Vec<String>> {
        vec![followed_by(&typed(path), "--help")]
    }

    fn finish(sketches: &mut Sketches) {
        move_to_root(sketches, typed);
    }

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        let text = apart(text);
        let all = sections(&text);
        let section = all.iter().find(|one| one.heading == "USAGE")?;
        let line = usage::statement(section).replace(":COMMAND", " COMMAND");
        let usage = usage::read(&line, &typed(path))?;
        let mut sketch = CommandSketch::new(path.clone());
        for one in &all {
            if is_headed(one, &["commands", "topics"]) {
                let rows = list_rows(&one.lines);
                let found = rows.iter();
                let found = found.filter_map(|row| child(row, one.heading, &usage.program, path));
                sketch.add_children(found);
            } else if is_headed(one, &["flags", "options"]) {
                sketch.flags.extend(flags(one));
            }
        }
        let runs = !usage.has_command && !path.is_root();
        usage.tell(&mut sketch);
        if let Some(arguments) = &mut sketch.arguments {
            let described = all.iter().filter(|one| one.is("arguments"));
            described.for_each(|one| describe(&mut arguments.value, one));
        }
        if !sketch.children.is_empty() {
            sketch.runnable = Some(Fact::new(runs, Origin::Usage));
        }
        sketch.aliases.extend(aliases(&all, &usage.program, path));
        let about = all.first().map(Section::body).unwrap_or_default();
        let about = about
            .lines()
            .filter(|line| !line.trim_start().starts_with('›'));
        let about = about.collect::<Vec<_>>().join("\n");
        if !about.trim().is_empty() {
            sketch.about = Some(Fact::new(first_sentence(&about), Origin::Help));
        }
        if let Some(description) = all.iter().find(|one| one.is("description")) {
            sketch.long_about = Some(Fact::new(description.body(), Origin::Help));
        }
        if let Some(examples) = all.iter().find(|one| one.is("examples")) {
            sketch.examples = Some(Fact::new(examples.body(), Origin::Help));
        }
        Some(sketch)
    }
}

/// The words that call a command. Where topics are separated by colons, a command's name holds them all.
fn typed(path: &CommandPath) -> CommandPath {
    match path.words().last() {
        Some(last) if last.contains(':') => CommandPath::root().child(last.as_str()),
        _ => path.clone(),
    }
}

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        let shown = option(&row.name, &row.text)?;
        let mut kind = shown.shown_kind();
        if row.name.ends_with("...") && shown.names.value.is_some() {
            // It takes all that follows, positionals too, up to the next flag.
            kind = greedy(kind.value_type);
        }
        shown.flag(Some(kind))
    })
}

/// The other names of a command: those that stand beside it, below the same parent.
fn aliases(all: &[Section<'_>], program: &str, path: &CommandPath) -> Vec<String> {
    let Some(section) = all.iter().find(|one| one.is("aliases")) else {
        return Vec::new();
    };
    let above = path
        .words()
        .split_last()
        .map_or(&[][..], |(_, above)| above);
    let lines = section.lines.iter().filter_map(|line| {
        let typed = line.trim().strip_prefix("$ ")?.strip_prefix(program)?;
        let words: Vec<&str> = typed.split_whitespace().collect();
        let (last, before) = words.split_last()?;
        (before == above).then(|| (*last).to_owned())
    });
    lines.collect()
}
