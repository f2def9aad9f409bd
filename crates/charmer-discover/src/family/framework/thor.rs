//! Ruby's Thor: texts behind `#`, options that may be left out in brackets, and a `help` command at every level.

use charmer_core::model::{
    Choice, CommandPath, DoubleDash, Repetition, ShortValue, Syntax, ValueType,
};

use super::{
    HelpStyle,
    flag::{greedy, map, option},
    page::{child, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{Row, Section, first_sentence, sections},
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The framework.
pub(super) struct Thor;

impl HelpStyle for Thor {
    const NAME: &'static str = "Thor";

    fn recognise(text: &str) -> u8 {
        let all = sections(text);
        let listed = all.iter().find(|one| one.heading.ends_with("ommands"));
        let texts = listed.map_or(0, |one| {
            one.lines
                .iter()
                .filter(|line| line.contains("  # "))
                .count()
        });
        let help = text.contains("# Describe available com");
        match (texts, help) {
            (0, _) => 0,
            (_, true) => 95,
            (1, false) => 0,
            _ => 60,
        }
    }

    fn syntax() -> Syntax {
        let mut syntax = Syntax::getopt().double_dash(DoubleDash::Neutral);
        syntax.short_value = ShortValue::Equals;
        syntax.switch_takes_value = true;
        syntax
    }

    fn help_requests(path: &CommandPath) -> Vec<Vec<String>> {
        let Some((last, above)) = path.words().split_last() else {
            return vec![vec!["--help".into()], vec!["help".into()]];
        };
        // `--help` behind a command is read after what the command demands.
        let mut request = above.to_vec();
        request.extend(["help".to_owned(), last.clone()]);
        vec![request]
    }

    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        let mut sketch = CommandSketch::new(path.clone());
        if let Some(section) = all.iter().find(|one| one.heading.ends_with("ommands")) {
            let rows = commented(section);
            // The page of a group has no usage line; its rows begin with its path.
            let mut begin: Vec<&str> = vec![program];
            begin.extend(path.words().iter().map(String::as_str));
            let below = |row: &Row| {
                row.name
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .starts_with(&begin)
            };
            if !rows.iter().any(below) {
                return None;
            }
            let found = rows
                .iter()
                .filter_map(|row| child(row, section.heading, program, path));
            sketch.add_children(found);
            // The options below are those of every command here, and are taken behind its name.
            return Some(sketch);
        }
        let section = all.iter().find(|one| one.is("usage"))?;
        let usage = usage::read(&usage::statement(section), path)?;
        for one in all.iter().filter(|one| one.heading.ends_with("ptions")) {
            sketch.flags.extend(commented(one).iter().filter_map(flag));
        }
        usage.tell(&mut sketch);
        let description = all.iter().find(|one| one.is("description"));
        if let Some(description) = description {
            sketch.about = Some(Fact::new(first_sentence(&description.body()), Origin::Help));
            sketch.long_about = Some(Fact::new(description.body(), Origin::Help));
        }
        Some(sketch)
    }
}

/// The rows of a list whose texts are comments; further comments below are lines of the text.
fn commented(section: &Section<'_>) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    for line in &section.lines {
        let (name, text) = match line.split_once("# ") {
            Some((name, text)) => (name.trim(), text.trim()),
            None => (line.trim(), ""),
        };
        match found.last_mut() {
            _ if name.is_empty() && text.is_empty() => {}
            Some(row) if name.is_empty() => {
                row.text.push('\n');
                row.text.push_str(text);
            }
            // What is unindented is prose below the list.
            _ if !line.starts_with(' ') => break,
            _ => found.extend(list_rows(&[name]).into_iter().map(|mut row| {
                row.name = name.to_owned();
                row.text = text.to_owned();
                row
            })),
        }
    }
    found
}

/// `-f, [--flour=FLOUR]`, `[--salt], [--no-salt], [--skip-salt]`, `--customer=CUSTOMER`.
fn flag(row: &Row) -> Option<FlagSketch> {
    let mut column = String::new();
    let mut required = true;
    for part in row.name.split(", ").map(str::trim) {
        let inner = part
            .strip_prefix('[')
            .and_then(|part| part.strip_suffix(']'));
        required &= inner.is_none();
        let name = inner.unwrap_or(part);
        if name.starts_with("--skip-") {
            continue;
        }
        if !column.is_empty() {
            column.push_str(", ");
        }
        column.push_str(name);
    }
    let mut lines = row.text.lines();
    let text = lines.next().unwrap_or_default();
    let mut shown = option(&column, text)?;
    let noted = |label: &str| lines.clone().find_map(|line| line.strip_prefix(label));
    if let Some(value) = noted("Default: ") {
        shown.notes.default = Some(value.trim_matches('"').to_owned());
    }
    if let Some(values) = noted("Possible values: ") {
        shown.notes.choices = values.split(", ").map(Choice::new).collect();
    }
    let kind = match shown.names.value.as_deref() {
        None => KindSketch::switch(),
        Some("N") => KindSketch::single(ValueType::Number),
        Some("key:value") => KindSketch {
            repetition: Repetition::Single,
            value_type: ValueType::String,
            ..map()
        },
        Some("one two three") => greedy(ValueType::String),
        Some(_) => KindSketch::single(ValueType::String),
    };
    let has_value = shown.names.value.is_some();
    let mut flag = shown.flag(Some(kind))?;
    if required && has_value {
        flag.required = Some(Fact::new(true, Origin::Help));
    }
    Some(flag)
}
