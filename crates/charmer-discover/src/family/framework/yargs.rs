//! Node's yargs: every option with its type in brackets, and commands with the program's name before them.

use charmer_core::model::{CommandPath, ShortValue, Syntax, ValueType};

use super::{
    HelpStyle,
    flag::{ShownOption, greedy, option, option_rows},
    page::{child, describe_positionals, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    family::fallback::is_name,
    help::{Row, Section, first_sentence, sections},
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The framework.
pub(super) struct Yargs;

impl HelpStyle for Yargs {
    const NAME: &'static str = "yargs";
    const REPEATS_INHERITED: bool = true;

    fn recognise(text: &str) -> u8 {
        let types = ["[boolean]", "[string]", "[number]", "[array]", "[count]"];
        let typed = text.lines().filter(|line| {
            let line = line.trim_end();
            types
                .iter()
                .any(|mark| line.ends_with(mark) || line.contains(&format!("{mark} [")))
        });
        let typed = typed.count();
        let help = text.contains("Show help") || text.contains("Show version number");
        match (typed, help) {
            (0, _) => 0,
            (_, true) => 85,
            (1, false) => 40,
            _ => 75,
        }
    }

    fn syntax() -> Syntax {
        let mut syntax = Syntax::getopt();
        syntax.short_value = ShortValue::Equals;
        syntax.switch_takes_value = true;
        syntax
    }

    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        let line = with_three_dots(&usage_line(text, &all, program));
        let usage = match usage::read(&line, path) {
            Some(usage) => usage,
            // A root may begin with anything that its author wrote.
            None if path.is_root() => usage::FrameworkUsage::default(),
            None => return None,
        };
        let called = match usage.program.as_str() {
            "" => program,
            called => called,
        };
        let mut sketch = CommandSketch::new(path.clone());
        for one in &all {
            let rows = list_rows(&one.lines);
            if is_headed(one, &["commands"]) || lists_commands(one, &rows, called, path) {
                let found = rows
                    .iter()
                    .filter_map(|row| child(row, one.heading, called, path));
                sketch.add_children(found);
            } else if !is_headed(one, &["examples", "positionals"]) {
                flags(one).for_each(|flag| sketch.add_flag(flag));
            }
        }
        usage.tell(&mut sketch);
        describe_positionals(&mut sketch, &all, "positionals");
        if let Some(about) = about(text, &usage.line) {
            sketch.about = Some(Fact::new(first_sentence(about), Origin::Help));
        }
        Some(sketch)
    }
}

/// Returns true if a section with any heading is a list of commands: each row has the program and the path before a name,
/// and something to say of it. Authors sort commands under headings of their own (`STORAGE`, `NETWORKING`).
fn lists_commands(section: &Section<'_>, rows: &[Row], program: &str, path: &CommandPath) -> bool {
    let called: Vec<&str> = std::iter::once(program)
        .chain(path.words().iter().map(String::as_str))
        .collect();
    let is_command = |row: &Row| {
        let words: Vec<&str> = row.name.split_whitespace().collect();
        let behind = words.strip_prefix(called.as_slice());
        let name = behind.and_then(<[&str]>::first);
        name.is_some_and(|name| is_name(name)) && !row.text.is_empty()
    };
    !is_headed(section, &["usage", "examples", "positionals"])
        && !rows.is_empty()
        && rows.iter().all(is_command)
}

/// `[files..]` as others write it.
fn with_three_dots(line: &str) -> String {
    let plain = line.replace("...", "..");
    plain.replace("..", "...")
}

/// The usage line: behind `Usage:`, or the first line of the page.
fn usage_line(text: &str, all: &[Section<'_>], program: &str) -> String {
    if let Some(section) = all.iter().find(|one| one.is("usage")) {
        return usage::statement(section);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let called = |line: &&str| line.split_whitespace().next() == Some(program);
    match called(&first) {
        true => first.to_owned(),
        false => lines.find(called).unwrap_or(first).to_owned(),
    }
}

/// The text behind the usage line.
fn about<'t>(text: &'t str, line: &str) -> Option<&'t str> {
    let first = line.split(' ').next().filter(|first| !first.is_empty())?;
    let mut lines = text.lines();
    lines.find(|line| line.contains(first))?;
    let next = lines.find(|line| !line.trim().is_empty())?;
    (!next.ends_with(':') && !next.trim_start().starts_with('-')).then_some(next.trim())
}

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        let shown = option(&row.name, &row.text)?;
        // Every command has it.
        if shown.text == "Show version number" {
            return None;
        }
        let kind = kind(&shown);
        shown.flag(Some(kind))
    })
}

/// The kind that the notes tell. An option without a type takes a value, if one follows, and means `true` without.
fn kind(shown: &ShownOption) -> KindSketch {
    let notes = &shown.notes;
    if notes.is_list {
        let value_type = notes.value_type.clone();
        // A list takes all that follows, up to the next option.
        return greedy(value_type.unwrap_or(ValueType::String));
    }
    match (&notes.value_type, notes.default.as_deref()) {
        (Some(ValueType::Bool), _) => KindSketch::switch(),
        (Some(ValueType::Count), _) => KindSketch::count(),
        (Some(known), _) => KindSketch::single(known.clone()),
        (None, Some("true" | "false")) => KindSketch::switch(),
        (None, Some(value)) if value.parse::<f64>().is_ok() => {
            KindSketch::single(ValueType::Number)
        }
        (None, Some(_)) => KindSketch::single(ValueType::String),
        (None, None) if !notes.choices.is_empty() => KindSketch::single(ValueType::String),
        (None, None) => KindSketch::single(ValueType::String).optional(None),
    }
}
