//! Flags: what their rows and texts say of names, values and defaults.

use charmer_core::model::{FlagValue, Repetition, ValueType};

use super::{
    arguments::{is_boolean, names_path},
    entries::RowEntry,
};
use crate::{
    fact::{Fact, Origin},
    family::pattern,
    help::{FlagNames, flag_names},
    sketch::{FlagSketch, KindSketch},
};

/// Reads a flag's entry; `None` for the one that only shows the version.
pub(super) fn flag(entry: &RowEntry<'_>, modern: bool) -> Option<FlagSketch> {
    let names = flag_names(entry.left)?;
    let notes = entry.notes();
    let mut longs = names.longs.iter().cloned();
    let mut shorts = names.shorts.iter().copied();
    let mut flag = FlagSketch {
        long: longs.next(),
        short: shorts.next(),
        aliases: longs.collect(),
        short_aliases: shorts.collect(),
        negation: names.negation.clone(),
        ..FlagSketch::default()
    };
    let own_version = matches!(
        notes.text.as_str(),
        "Print version" | "Print version information" | "Prints version information"
    );
    if flag.long.as_deref() == Some("version") && names.value.is_none() && own_version {
        return None;
    }
    let mut kind = kind(&names, modern);
    flag.placeholder = names.value.clone().filter(|value| value != "...");
    if kind.value != FlagValue::None {
        let placeholder = flag.placeholder.as_deref().unwrap_or_default();
        if is_boolean(&notes) {
            kind.value_type = ValueType::Bool;
        } else if notes.choices.is_empty() && names_path(placeholder) {
            kind.value_type = ValueType::Path;
        }
        if let Some(default) = notes.default {
            flag.default = Some(Fact::new(default, Origin::Help));
        }
        if !notes.choices.is_empty() {
            flag.choices = Some(Fact::new(notes.choices, Origin::Help));
        }
    }
    flag.kind = Some(Fact::new(kind, Origin::Help));
    flag.env = notes.env.map(|name| Fact::new(name, Origin::Help));
    flag.aliases.extend(notes.aliases);
    flag.short_aliases.extend(notes.short_aliases);
    if !notes.text.is_empty() {
        flag.help = Some(Fact::new(notes.text, Origin::Help));
    }
    Some(flag)
}

/// The kind that the placeholder tells: with or without a value, and how many.
fn kind(names: &FlagNames, modern: bool) -> KindSketch {
    let Some(value) = &names.value else {
        return KindSketch::switch();
    };
    if value == "..." {
        return KindSketch::count();
    }
    let mut kind = KindSketch::single(ValueType::String);
    let open = value.contains("...");
    let inner = value
        .strip_prefix('[')
        .map_or(value.as_str(), |inner| inner.trim_end_matches(']'));
    let count = pattern::words(inner)
        .iter()
        .filter(|word| word.starts_with('<'))
        .count();
    if names.optional && count <= 1 && !open {
        return kind.optional(None);
    }
    kind.repetition = match (count, open) {
        (0 | 1, true) => Repetition::Repeat { delimiter: None },
        (0 | 1, false) => Repetition::Single,
        (count, true) if modern => Repetition::Span {
            min: count,
            max: None,
        },
        (count, repeat) => Repetition::Fixed { count, repeat },
    };
    kind
}
