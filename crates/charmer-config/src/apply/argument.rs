//! Overrides of one positional or flag, put into the model.

use charmer_core::{
    model::{
        Arguments, Choice, Command, CommandPath, Flag, FlagValue, Positional, Repetition, ValueType,
    },
    select::names_flag,
};

use crate::{ArgOverride, Bare, FlagOverride, TypeName};

use super::ApplyReport;

pub(super) fn arguments(
    command: &mut Command,
    specs: &[ArgOverride],
    path: &CommandPath,
    report: &mut ApplyReport,
) {
    let found = match std::mem::take(&mut command.arguments) {
        Arguments::Listed(listed) => listed,
        Arguments::Pattern(_) => Vec::new(),
    };
    report.note(path, None, "args");
    let corrected = specs.iter().map(|spec| {
        let same = |positional: &&Positional| {
            positional.id.eq_ignore_ascii_case(&spec.name)
                || positional.name.as_deref() == Some(&spec.name)
        };
        let mut positional = match found.iter().find(same) {
            Some(known) => known.clone(),
            None => Positional::new(spec.name.as_str()),
        };
        positional.name = Some(spec.name.clone());
        if let Some(flags) = &spec.replaced_by {
            let named = |name: &String| command.flags.iter().find(|flag| names_flag(name, flag));
            let flags = flags.iter().filter_map(named);
            positional.replaced_by = flags.map(|flag| flag.id.clone()).collect();
            report.note(path, Some(&positional.id), "replaced_by");
        }
        argument(&mut positional, spec, path, report);
        positional
    });
    command.arguments = Arguments::Listed(corrected.collect());
}

fn argument(
    positional: &mut Positional,
    spec: &ArgOverride,
    path: &CommandPath,
    report: &mut ApplyReport,
) {
    let id = positional.id.clone();
    let mut note = |field| report.note(path, Some(&id), field);
    if let Some(name) = &spec.value_type {
        positional.value_type = name.meaning().0;
        note("type");
    }
    if let Some(text) = &spec.description {
        positional.help = Some(text.clone());
        note("description");
    }
    if let Some(yes) = spec.required {
        positional.required = yes;
        note("required");
    }
    if let Some(yes) = spec.variadic {
        positional.variadic = yes;
        note("variadic");
    }
    if let Some(yes) = spec.last {
        positional.last = yes;
        note("last");
    }
    if let Some(values) = &spec.choices {
        positional.choices = choices(&positional.choices, values);
        note("enum");
    }
    if let Some(values) = &spec.default {
        positional.default.clone_from(values);
        note("default");
    }
    if let Some(effect) = &spec.effect {
        positional.effect = Some(effect.clone());
        note("effect");
    }
}

/// The values, each with what is known of it.
fn choices(known: &[Choice], values: &[String]) -> Vec<Choice> {
    let one = |value: &String| {
        let mut known = known.iter();
        let known = known.find(|choice| choice.value == *value);
        known
            .cloned()
            .unwrap_or_else(|| Choice::new(value.as_str()))
    };
    values.iter().map(one).collect()
}

/// A flag by its name: one letter is a short one.
pub(super) fn new_flag(name: &str, correction: &FlagOverride) -> Flag {
    let bare = name.trim_start_matches('-');
    let mut letters = bare.chars();
    let flag = match (letters.next(), letters.next()) {
        (Some(letter), None) if !name.starts_with("--") => Flag::short_only(letter),
        _ => Flag::new(bare),
    };
    let takes_value = correction.repeat.is_some() || correction.bare.is_some();
    if takes_value && correction.value_type.is_none() {
        flag.value_type(ValueType::String)
    } else {
        flag
    }
}

pub(super) fn flag(
    flag: &mut Flag,
    correction: &FlagOverride,
    path: &CommandPath,
    report: &mut ApplyReport,
) {
    let id = flag.id.clone();
    let mut note = |field| report.note(path, Some(&id), field);
    if let Some(name) = &correction.value_type {
        set_type(flag, name);
        note("type");
    }
    if let Some(text) = &correction.description {
        flag.help = Some(text.clone());
        note("description");
    }
    if let Some(yes) = correction.required {
        flag.required = yes;
        note("required");
    }
    if let Some(values) = &correction.choices {
        if flag.value == FlagValue::None && !values.is_empty() {
            set_type(flag, &TypeName("enum"));
        }
        flag.choices = choices(&flag.choices, values);
        note("enum");
    }
    if let Some(values) = &correction.default {
        flag.default.clone_from(values);
        note("default");
    }
    if let Some(effect) = &correction.effect {
        flag.effect = Some(effect.clone());
        note("effect");
    }
    if let Some(yes) = correction.redirects {
        flag.redirects = Some(yes);
        note("redirects");
    }
    if let Some(bare) = &correction.bare {
        if flag.value == FlagValue::None && *bare != Bare::No {
            set_type(flag, &TypeName("string"));
        }
        flag.value = match bare {
            Bare::No if flag.value == FlagValue::None => FlagValue::None,
            Bare::No => FlagValue::Required,
            Bare::Yes => FlagValue::Optional { bare: None },
            Bare::Means(text) => FlagValue::Optional {
                bare: Some(text.clone()),
            },
        };
        note("bare");
    }
    if let Some(repeat) = correction.repeat {
        flag.repetition = repeat.repetition();
        note("repeat");
    }
    if let Some(letter) = correction.short {
        flag.short = Some(letter);
        note("short");
    }
    if let Some(yes) = correction.global {
        flag.global = yes;
        note("global");
    }
    if let Some(yes) = correction.exclude {
        flag.hidden = yes;
        if !yes {
            flag.deprecated = None;
        }
        note("exclude");
    }
}

/// The type with what follows from it: whether there is a value, and how several are given.
fn set_type(flag: &mut Flag, name: &TypeName) {
    let (value_type, repetition) = name.meaning();
    let had_value = flag.value != FlagValue::None;
    flag.value = if name.is_switch() {
        FlagValue::None
    } else if had_value {
        // That the value can be left out is another matter.
        flag.value.clone()
    } else {
        FlagValue::Required
    };
    // A list of words from a list stays a list.
    if name.as_str() != "enum" || !had_value {
        flag.repetition = repetition;
    }
    if flag.value == FlagValue::None {
        flag.choices.clear();
        flag.repetition = Repetition::Single;
    }
    flag.value_type = value_type;
}
