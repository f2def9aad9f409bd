//! Go's kong and kingpin, which are of one author: `--shop="corner"`, and every command with its own usage in a list.

use charmer_core::model::{CommandPath, DoubleDash, Syntax, ValueType};

use super::{
    HelpStyle,
    flag::{ShownOption, map, option, option_rows, split_at_commas, type_of_go_value},
    page::{child, describe, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{first_sentence, sections},
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The newer of the two.
pub(super) struct Kong;

/// The older of the two.
pub(super) struct Kingpin;

impl HelpStyle for Kong {
    const NAME: &'static str = "kong";
    const REPEATS_INHERITED: bool = true;

    fn recognise(text: &str) -> u8 {
        let help = text.contains("Show context-sensitive help.");
        let usage = text
            .lines()
            .any(|line| line.starts_with("Usage: ") && line.contains("[flags]"));
        match (help, usage) {
            (true, true) => 95,
            (true, false) => 60,
            _ => 0,
        }
    }

    fn syntax() -> Syntax {
        let mut syntax = Syntax::getopt().double_dash(DoubleDash::Neutral);
        syntax.switch_takes_value = true;
        syntax
    }

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        read(text, path, |value| match value.strip_suffix(",...") {
            Some(element) => Some(split_at_commas(KindSketch::repeated(placeholder_type(
                element,
            )))),
            None => value.ends_with("=VALUE;...").then(map),
        })
    }
}

impl HelpStyle for Kingpin {
    const NAME: &'static str = "kingpin";
    const REPEATS_INHERITED: bool = true;

    fn recognise(text: &str) -> u8 {
        let help = text.contains("Show context-sensitive help (also try --help-long");
        let usage = text
            .lines()
            .any(|line| line.starts_with("usage: ") && line.contains("[<flags>]"));
        match (help, usage) {
            (true, _) => 95,
            (false, true) => 80,
            _ => 0,
        }
    }

    fn syntax() -> Syntax {
        // `--flag=false` is taken, and means `true`.
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        read(text, path, |value| {
            let element = value.strip_suffix("...")?.trim();
            Some(KindSketch::repeated(placeholder_type(element)))
        })
    }
}

fn read(
    text: &str,
    path: &CommandPath,
    several: impl Fn(&str) -> Option<KindSketch>,
) -> Option<CommandSketch> {
    let all = sections(text);
    let section = all.iter().find(|one| one.is("usage"))?;
    let usage = usage::read(&usage::statement(section), path)?;
    let mut sketch = CommandSketch::new(path.clone());
    for one in &all {
        if is_headed(one, &["commands", "subcommands"]) {
            let rows = list_rows(&one.lines);
            let found = rows
                .iter()
                .filter_map(|row| child(row, one.heading, &usage.program, path));
            sketch.add_children(found);
            continue;
        }
        for row in option_rows(&one.lines) {
            let shown = option(&row.name, &row.text);
            sketch
                .flags
                .extend(shown.and_then(|shown| flag(shown, &several)));
        }
    }
    usage.tell(&mut sketch);
    if let Some(arguments) = &mut sketch.arguments {
        let described = all
            .iter()
            .filter(|one| is_headed(one, &["arguments", "args"]));
        described.for_each(|one| describe(&mut arguments.value, one));
    }
    let description = section.lines.join("\n");
    if !description.trim().is_empty() {
        sketch.about = Some(Fact::new(first_sentence(&description), Origin::Help));
        sketch.long_about = Some(Fact::new(description.trim().to_owned(), Origin::Help));
    }
    Some(sketch)
}

/// A flag whose value stands behind `=`: what it is called, or its default.
fn flag(
    mut shown: ShownOption,
    several: &impl Fn(&str) -> Option<KindSketch>,
) -> Option<FlagSketch> {
    let Some(value) = shown.names.value.take() else {
        let kind = KindSketch::switch();
        return shown.flag(Some(kind));
    };
    shown.names.optional = false;
    if let Some(kind) = several(&value) {
        shown.names.value = Some(value);
        return shown.flag(Some(kind));
    }
    let unquoted = value
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'));
    let named = !value.chars().any(char::is_lowercase) && value.starts_with(char::is_alphabetic);
    let value_type = match unquoted {
        Some(_) => ValueType::String,
        None if named => placeholder_type(&value),
        None => type_of_go_value(&value),
    };
    if named && unquoted.is_none() {
        shown.names.value = Some(value);
    } else if unquoted != Some("...") {
        shown.notes.default = Some(unquoted.unwrap_or(&value).to_owned());
    }
    shown.flag(Some(KindSketch::single(value_type)))
}

/// The type that kong writes where a flag has no default.
fn placeholder_type(placeholder: &str) -> ValueType {
    match placeholder {
        "INT" | "INT-8" | "INT-16" | "INT-32" | "INT-64" => ValueType::INT,
        "UINT" | "UINT-8" | "UINT-16" | "UINT-32" | "UINT-64" => ValueType::UINT,
        "FLOAT-32" | "FLOAT-64" => ValueType::Number,
        "DURATION" => ValueType::Duration,
        "FILE" | "PATH" | "DIR" => ValueType::Path,
        _ => ValueType::String,
    }
}
