//! Holds one flag against the truth.

use std::collections::BTreeSet;

use charmer_core::model::{Flag, FlagValue, ValueType};

use super::{Report, TrueCommand, TrueFlag, Truth, default, value_type};

/// The fields that a truth has at all; others are not measured, because its silence means nothing.
pub(super) struct Measured {
    aliases: bool,
    defaults: bool,
    enums: bool,
    optional_values: bool,
    required: bool,
    shorts: bool,
}

impl Measured {
    pub(super) fn of(truth: &Truth) -> Self {
        Self {
            aliases: truth.says(|flag| !flag.aliases.is_empty()),
            defaults: truth.says(|flag| flag.default.is_some()),
            enums: truth.says(|flag| flag.values.is_some()),
            optional_values: truth.says(is_optional),
            required: truth.says(|flag| flag.required.is_some()),
            shorts: truth.says(|flag| flag.short.is_some()),
        }
    }
}

/// Returns true if a flag that was found is one of a command's true flags, hidden ones included.
pub(super) fn is_known(found: &Flag, truth: &TrueCommand) -> bool {
    truth.flags.iter().any(|(name, flag)| {
        found.is_named(name) || flag.aliases.iter().any(|alias| found.is_named(alias))
    })
}

/// Counts everything that is known of a flag that was found.
pub(super) fn compare_flag(
    at: &str,
    name: &str,
    truth: &TrueFlag,
    found: &Flag,
    measured: &Measured,
    report: &mut Report,
) {
    report.types.count(value_type::is_right(truth, found), || {
        let name = truth.value_type.as_deref().unwrap_or("bool");
        format!("{at}: {name}, found {}", value_type::described(found))
    });
    if let Some(many) = value_type::is_many(truth, found) {
        report
            .repeat
            .count(many == value_type::is_found_many(found), || {
                format!("{at}: {}", if many { "missed" } else { "made up" })
            });
    }
    // The switch that turns another one off is only a name of that one.
    let long = name.strip_prefix("--");
    if long.is_some() && found.negation.as_deref() == long {
        return;
    }
    if measured.defaults
        && let Some(right) = default::is_right(truth, found)
    {
        report.defaults.count(right, || {
            let found = found.default.join(", ");
            let truth = truth.default.as_deref().unwrap_or("none");
            let found = if found.is_empty() { "none" } else { &found };
            format!("{at}: {truth}, found {found}")
        });
    }
    let required = truth.required == Some(true);
    if measured.required && (required || found.required) {
        report.required.count(required == found.required, || {
            let what = if required { "missed" } else { "made up" };
            format!("{at}: {what}")
        });
    }
    if let Some(persistent) = truth.persistent {
        report.persistent.count(persistent == found.global, || {
            format!("{at}: {persistent}, found {}", found.global)
        });
    }
    compare_values(at, truth, found, measured, report);
    compare_names(at, name, truth, found, measured, report);
}

fn compare_values(
    at: &str,
    truth: &TrueFlag,
    found: &Flag,
    measured: &Measured,
    report: &mut Report,
) {
    let expected: BTreeSet<&str> = truth.values.iter().flatten().map(String::as_str).collect();
    let given: BTreeSet<&str> = found
        .choices
        .iter()
        .filter(|choice| !choice.hidden)
        .map(|choice| choice.value.as_str())
        .collect();
    if measured.enums && !(expected.is_empty() && given.is_empty()) {
        report.enums.count(expected == given, || {
            format!("{at}: {expected:?}, found {given:?}")
        });
    }
    // A switch may be written with a value everywhere in pflag; that is no news.
    let plain = |bare: &Option<String>| {
        found.value_type == ValueType::Bool && bare.as_deref().is_none_or(|bare| bare == "true")
    };
    let given = match &found.value {
        FlagValue::Optional { bare } if !plain(bare) => Some(bare.as_deref()),
        _ => None,
    };
    if measured.optional_values && (is_optional(truth) || given.is_some()) {
        let right = match (&truth.no_opt_default, given) {
            (Some(bare), given) => given == Some(Some(bare)),
            (None, given) => truth.optional_value && given.is_some(),
        };
        report.optional_values.count(right, || {
            let bare = truth.no_opt_default.as_deref();
            format!(
                "{at}: {}, found {:?}",
                bare.unwrap_or("unknown"),
                found.value
            )
        });
    }
}

fn compare_names(
    at: &str,
    name: &str,
    truth: &TrueFlag,
    found: &Flag,
    measured: &Measured,
    report: &mut Report,
) {
    let short = found.short.map(|letter| format!("-{letter}"));
    if measured.shorts && name.starts_with("--") && (truth.short.is_some() || short.is_some()) {
        report.shorts.count(truth.short == short, || {
            format!("{at}: {:?}, found {short:?}", truth.short)
        });
    }
    if !measured.aliases {
        return;
    }
    let expected: BTreeSet<String> = truth.aliases.iter().cloned().collect();
    let longs = found.aliases.iter().map(|alias| format!("--{alias}"));
    let shorts = found.short_aliases.iter().map(|alias| format!("-{alias}"));
    let given: BTreeSet<String> = longs.chain(shorts).collect();
    report.count_aliases(at, &expected, &given);
}

fn is_optional(truth: &TrueFlag) -> bool {
    truth.optional_value || truth.no_opt_default.is_some()
}
