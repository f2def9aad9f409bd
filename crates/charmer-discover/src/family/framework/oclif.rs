//! oclif: `USAGE` with `$ tool ...`, `ARGUMENTS`, `FLAGS`, `TOPICS` and `COMMANDS` in capitals without a colon.

use charmer_core::model::{CommandPath, DoubleDash, Syntax};

use super::{
    Dialect,
    flag::{option, option_rows},
    page::{child, describe, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{Section, first_sentence, sections},
    sketch::{CommandSketch, FlagSketch, Kind},
};

/// The framework.
pub(super) struct Oclif;

impl Dialect for Oclif {
    const NAME: &'static str = "oclif";

    fn recognise(text: &str) -> u8 {
        let all = sections(text);
        let usage = all.iter().find(|one| one.heading == "USAGE");
        let typed = usage.is_some_and(|one| one.body().starts_with("$ "));
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

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        let section = all.iter().find(|one| one.heading == "USAGE")?;
        let usage = usage::read(&usage::statement(section), path)?;
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
        if runs && !sketch.children.is_empty() {
            sketch.runnable = Some(Fact::new(true, Origin::Usage));
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

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        let shown = option(&row.name, &row.text)?;
        let mut kind = shown.shown_kind();
        if row.name.ends_with("...") && shown.names.value.is_some() {
            kind = Kind::repeated(kind.value_type);
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
