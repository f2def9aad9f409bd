//! Go's urfave/cli, versions 1 to 3: `NAME:`, `USAGE:`, `COMMANDS:`, `OPTIONS:` and `GLOBAL OPTIONS:`.

use charmer_core::model::{CommandPath, DoubleDash, ShortValue, Syntax, ValueType};

use super::{
    Asker, HelpStyle, Refining,
    flag::{ShownOption, option, option_rows, split_at_commas, type_of_go_value},
    page::{child, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    family::printed,
    help::{Section, first_sentence, sections},
    sketch::{CommandSketch, FlagScope, FlagSketch, KindSketch},
};

/// The framework.
pub(super) struct Urfave;

impl HelpStyle for Urfave {
    const NAME: &'static str = "urfave/cli";

    fn recognise(text: &str) -> u8 {
        let all = sections(text);
        let has = |heading: &str| {
            all.iter()
                .any(|one| one.heading == heading && one.rest.is_empty())
        };
        let deep = all
            .iter()
            .flat_map(|one| &one.lines)
            .any(|line| line.starts_with("   --"));
        let listed = has("COMMANDS") || has("OPTIONS") || has("GLOBAL OPTIONS");
        if has("NAME") && has("USAGE") && listed && deep {
            90
        } else {
            0
        }
    }

    fn syntax() -> Syntax {
        // As in Go's own package, which the first two versions are built on, letters cannot stand together.
        let mut syntax = Syntax::getopt().double_dash(DoubleDash::Neutral);
        syntax.short_value = ShortValue::Equals;
        syntax.switch_takes_value = true;
        syntax.letters_together = false;
        syntax
    }

    fn refine<'a>(asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(find_fractions(asker, sketch))
    }

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        let section = |heading: &str| all.iter().find(|one| one.heading == heading);
        let usage = usage::read(&usage::statement(section("USAGE")?), path)?;
        let mut sketch = CommandSketch::new(path.clone());
        for one in &all {
            match one.heading {
                "OPTIONS" => sketch.flags.extend(flags(one)),
                // The first two versions take them before the command only, and show them on the root's page only.
                "GLOBAL OPTIONS" if path.is_root() => sketch.flags.extend(flags(one)),
                "GLOBAL OPTIONS" => sketch.flags.extend(flags(one).map(|mut flag| {
                    flag.scope = Some(Fact::new(FlagScope::Inherited, Origin::Help));
                    flag
                })),
                "COMMANDS" => add_commands(&mut sketch, one, &usage.program),
                _ => {}
            }
        }
        usage.tell(&mut sketch);
        // Version 3 says `[options]`; the others read no flags behind the first positional.
        if usage.line.contains("[command options]") {
            sketch.options_end_behind = Some(Fact::new(1, Origin::Convention));
        }
        if !sketch.children.is_empty() {
            sketch.arguments = Some(Fact::new(Default::default(), Origin::Usage));
        }
        let name = section("NAME").map(Section::body).unwrap_or_default();
        if let Some((_, about)) = name.split_once(" - ") {
            sketch.about = Some(Fact::new(first_sentence(about), Origin::Help));
        }
        if let Some(description) = section("DESCRIPTION") {
            sketch.long_about = Some(Fact::new(description.body(), Origin::Help));
        }
        Some(sketch)
    }
}

/// Finds out which flags take fractions, of those whose default is `0`: help does not tell.
async fn find_fractions(asker: &Asker<'_>, sketch: &mut CommandSketch) {
    let path = sketch.path.clone();
    for flag in &mut sketch.flags {
        let zero = flag
            .default
            .as_ref()
            .is_some_and(|fact| fact.value == ["0"]);
        let whole = KindSketch::single(ValueType::INT);
        let named = flag.placeholder.as_deref() == Some("int");
        if !zero || named || flag.kind.as_ref().is_none_or(|kind| kind.value != whole) {
            continue;
        }
        let mut request = path.words().to_vec();
        // The parser refuses the value before it looks for `--help`, which ends the command otherwise.
        request.extend([format!("{}=0.5", flag.written()), "--help".to_owned()]);
        let answer = asker.prober.run(&request).await;
        if answer.succeeded() && !printed(&answer).contains("0.5\"") {
            let number = KindSketch::single(ValueType::Number);
            flag.kind = Some(Fact::new(number, Origin::Probe));
        }
    }
}

/// Adds the commands of a list: those of a category stand below its name, further in.
fn add_commands(sketch: &mut CommandSketch, section: &Section<'_>, program: &str) {
    let mut heading = section.heading;
    let mut block: Vec<&str> = Vec::new();
    let path = sketch.path.clone();
    let mut take = |heading: &str, lines: &[&str]| {
        let rows = list_rows(lines);
        sketch.add_children(
            rows.iter()
                .filter_map(|row| child(row, heading, program, &path)),
        );
    };
    for line in &section.lines {
        match line
            .trim()
            .strip_suffix(':')
            .filter(|name| !name.contains("  "))
        {
            Some(category) => {
                take(heading, &block);
                block.clear();
                heading = category;
            }
            None => block.push(line),
        }
    }
    take(heading, &block);
}

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        // `--seed value [ --seed value ]` is a list.
        let (column, again) = match row.name.split_once(" [ -") {
            Some((column, _)) => (column, true),
            None => (row.name.as_str(), false),
        };
        let shown = option(column, &row.text)?;
        let kind = kind(&shown, &row.text, again);
        shown.flag(Some(kind))
    })
}

/// The kind of a flag: version 3 names the type, the others show a default that tells it.
fn kind(shown: &ShownOption, text: &str, again: bool) -> KindSketch {
    let Some(placeholder) = shown.names.value.as_deref() else {
        return KindSketch::switch();
    };
    let default = shown.notes.default.as_deref();
    let quoted = text.contains("(default: \"");
    let value_type = match placeholder {
        "int" | "int8" | "int16" | "int32" | "int64" => ValueType::INT,
        "uint" | "uint8" | "uint16" | "uint32" | "uint64" => ValueType::UINT,
        "float" | "float32" | "float64" => ValueType::Number,
        "duration" => ValueType::Duration,
        "string" => ValueType::String,
        _ => match default {
            Some(value) if !quoted => type_of_go_value(value),
            _ => ValueType::String,
        },
    };
    match again {
        true => split_at_commas(KindSketch::repeated(value_type)),
        false => KindSketch::single(value_type),
    }
}
