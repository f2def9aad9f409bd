//! A row of options as a flag: its names, whether it takes a value, and of which type.

use charmer_core::model::{MapValue, Repetition, ValueType};

use super::notes::{FlagNotes, take_notes};
use crate::{
    fact::{Fact, Origin},
    help::{FlagNames, Row, flag_names, may_repeat, rows},
    sketch::{FlagSketch, KindSketch},
};

/// The rows of options in a section, long names that are indented further among them.
pub(super) fn option_rows(lines: &[&str]) -> Vec<Row> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let options = lines
        .iter()
        .filter(|line| line.trim_start().starts_with(['-', '[']));
    let least = options.map(indent).min().unwrap_or(0);
    let rows = rows(lines, |indent, content| {
        let dashed = content.trim_start_matches('[').starts_with('-');
        dashed && (indent == least || indent <= least + 6 && content.starts_with("--"))
    });
    rows.into_iter()
        .filter(|row| row.name.trim_start_matches('[').starts_with('-'))
        .collect()
}

/// The names in the left column of a row, and the notes of its text. A dialect settles the rest.
pub(super) struct ShownOption {
    pub(super) names: FlagNames,
    pub(super) text: String,
    pub(super) notes: FlagNotes,
}

/// Reads a row.
pub(super) fn option(column: &str, text: &str) -> Option<ShownOption> {
    let names = flag_names(column)?;
    let (text, notes) = take_notes(text);
    Some(ShownOption { names, text, notes })
}

impl ShownOption {
    /// The flag, of this kind.
    pub(super) fn flag(self, kind: Option<KindSketch>) -> Option<FlagSketch> {
        let Self { names, text, notes } = self;
        let mut longs = names.longs.into_iter();
        let mut shorts = names.shorts.into_iter();
        let mut flag = FlagSketch {
            long: longs.next(),
            aliases: longs.collect(),
            short: shorts.next(),
            short_aliases: shorts.collect(),
            negation: names.negation,
            placeholder: names.value,
            ..FlagSketch::default()
        };
        if flag.long.is_none() && flag.short.is_none() || names.single_dash {
            return None;
        }
        for alias in notes.aliases {
            flag.aliases.push(alias);
        }
        flag.kind = kind.map(|kind| Fact::new(kind, Origin::Help));
        if flag.is_switch() {
            flag.placeholder = None;
        }
        let said = |value: String| Fact::new(value, Origin::Help);
        // `(default behaviour)` of a switch is no value.
        let is_switch = flag.is_switch();
        let default = notes.default;
        let default = default.filter(|value| !is_switch || value == "true" || value == "false");
        flag.default = default.map(|value| Fact::new(vec![value], Origin::Help));
        if !notes.choices.is_empty() {
            flag.choices = Some(Fact::new(notes.choices, Origin::Help));
        }
        flag.required = notes
            .required
            .map(|required| Fact::new(required, Origin::Help));
        flag.env = notes.env.map(said);
        flag.deprecated = notes.deprecated.map(said);
        flag.help = (!text.is_empty()).then(|| said(text));
        Some(flag)
    }

    /// The kind that the value in the left column shows: none, `<x>`, `[x]`, `<x...>`. Of its type only the words that
    /// every author means alike are understood.
    pub(super) fn shown_kind(&self) -> KindSketch {
        let Some(value) = self.names.value.as_deref() else {
            let counted = may_repeat(&self.text) || self.notes.value_type == Some(ValueType::Count);
            return if counted {
                KindSketch::count()
            } else {
                KindSketch::switch()
            };
        };
        let value_type = self.notes.value_type.clone();
        let value_type = value_type.unwrap_or_else(|| value_type_of(value));
        let many = value.contains("...") || self.notes.is_list || may_repeat(&self.text);
        let kind = if many {
            KindSketch::repeated(value_type)
        } else {
            KindSketch::single(value_type)
        };
        match self.names.optional && !many {
            true => kind.optional(None),
            false => kind,
        }
    }
}

/// The type that a placeholder names.
pub(super) fn value_type_of(placeholder: &str) -> ValueType {
    let bare = placeholder.trim_matches(|c: char| !c.is_alphanumeric());
    match bare.to_lowercase().as_str() {
        "file" | "dir" | "path" | "directory" | "filename" | "folder" => ValueType::Path,
        _ => ValueType::String,
    }
}

/// The type of a value that a Go program prints without quotes: `4`, `0.5`, `1m30s`.
pub(super) fn type_of_go_value(value: &str) -> ValueType {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let parts = digits.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == 'µ');
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return ValueType::String;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return ValueType::INT;
    }
    if digits.parse::<f64>().is_ok() {
        return ValueType::Number;
    }
    let units = digits.split(|c: char| c.is_ascii_digit() || c == '.');
    let mut units = units.filter(|unit| !unit.is_empty());
    let timed = units.all(|unit| matches!(unit, "h" | "m" | "s" | "ms" | "us" | "µs" | "ns"));
    match timed && !parts.is_empty() && parts.len() < digits.len() {
        true => ValueType::Duration,
        false => ValueType::String,
    }
}

/// A flag that takes `key=value` pairs, one each time.
pub(super) fn map() -> KindSketch {
    KindSketch {
        value: charmer_core::model::FlagValue::Required,
        value_type: ValueType::Map(MapValue::Text),
        repetition: Repetition::Repeat { delimiter: None },
    }
}

/// A list that the program splits at commas as well.
pub(super) fn split_at_commas(mut kind: KindSketch) -> KindSketch {
    if let Repetition::Repeat { delimiter } = &mut kind.repetition {
        *delimiter = Some(',');
    }
    kind
}

/// A list that is given once, with all values behind it.
pub(super) fn greedy(value_type: ValueType) -> KindSketch {
    KindSketch {
        repetition: Repetition::Span { min: 1, max: None },
        ..KindSketch::single(value_type)
    }
}
