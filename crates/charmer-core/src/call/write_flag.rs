//! One flag on a command line: attached where that is possible, repeated, joined or followed by its values otherwise.

use crate::model::{
    Flag, FlagValue, LongValue, MapValue, Repetition, ShortValue, SingleDash, Syntax, ValueType,
};

use super::{
    argv::{Argv, ElementKind},
    bind::Given,
    violation::Violation,
};

pub(super) fn hyphen_refused(path: &str, value: &str) -> Violation {
    Violation::new(path, "a value that does not begin with `-`")
        .found(&value.into())
        .hint("the program would read it as a flag, and has no safe way to say otherwise")
}

/// Returns true if a program would take a bare element for a flag; a lone `-` means standard input.
pub(super) fn looks_like_flag(value: &str) -> bool {
    value.len() > 1 && value.starts_with('-')
}

/// Returns true if a flag would go on taking elements that stand behind its values.
pub(super) fn is_greedy(flag: &Flag, given: &Given, syntax: Syntax) -> bool {
    match (&flag.repetition, given) {
        (Repetition::Span { min, max }, Given::Values(lists)) => lists.iter().any(|list| {
            let attached = list.len() == 1 && *min <= 1 && !takes_separate(flag, syntax);
            !attached && max.is_none_or(|max| list.len() < max)
        }),
        (_, Given::Bare) => syntax.optional_takes_next,
        _ => false,
    }
}

/// Returns true if the program takes the flag's value only as the next element. One that may be left out cannot stand
/// there: nothing would say that it belongs to the flag.
pub(super) fn takes_separate(flag: &Flag, syntax: Syntax) -> bool {
    let separate = match flag.single_dash {
        Some(takes) => takes == SingleDash::Separate,
        None => syntax.long_value == LongValue::Separate,
    };
    separate && flag.long.is_some() && flag.value == FlagValue::Required
}

pub(super) fn delimiter_refused(key: &str, value: &str, what: &str) -> Violation {
    Violation::new(key, format!("elements without {what}"))
        .found(&value.into())
        .hint("the program splits the value there and has no way to quote it")
}

pub(super) fn write_flag(
    argv: &mut Argv,
    flag: &Flag,
    given: &Given,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    match given {
        Given::Switch(on) => write_switch(argv, flag, *on, syntax, key),
        Given::Count(0) if flag.default.first().is_some_and(|text| text != "0") => Err(
            Violation::new(key, "at least 1, or nothing for the default")
                .found(&0.into())
                .hint("it counts from its default and the program has no way to set it to 0"),
        ),
        Given::Count(times) => {
            (0..*times).for_each(|_| argv.push(flag.display_name(), ElementKind::Flag));
            Ok(())
        }
        Given::Bare => {
            argv.push(flag.display_name(), ElementKind::Flag);
            Ok(())
        }
        Given::Values(lists) => lists
            .iter()
            .try_for_each(|values| write_values(argv, flag, values, syntax, key)),
    }
}

fn write_switch(
    argv: &mut Argv,
    flag: &Flag,
    on: bool,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    let default_on = flag.default.first().is_some_and(|text| text == "true");
    match (on, default_on) {
        (true, false) | (true, true) => argv.push(flag.display_name(), ElementKind::Flag),
        // Where nobody says what it is by default, off is something to say: `git merge --no-ff`.
        (false, false) => {
            if let Some(negation) = flag.negation.as_ref().filter(|_| flag.default.is_empty()) {
                argv.push(format!("--{negation}"), ElementKind::Flag);
            }
        }
        (false, true) => match &flag.negation {
            Some(negation) => argv.push(format!("--{negation}"), ElementKind::Flag),
            None if syntax.switch_takes_value => {
                argv.push(attached(flag, "false", syntax), ElementKind::Flag);
            }
            None => {
                return Err(Violation::new(key, "true or nothing")
                    .found(&false.into())
                    .hint("it is on by default and the program has no way to turn it off"));
            }
        },
    }
    Ok(())
}

fn write_values(
    argv: &mut Argv,
    flag: &Flag,
    values: &[String],
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    match flag.repetition {
        // One value can be attached, and then nothing that follows is taken for another.
        Repetition::Span { min: 0..=1, .. } if values.len() == 1 => {
            write_each(argv, flag, values, syntax, key)?;
        }
        Repetition::Fixed { .. } | Repetition::Span { .. } => {
            argv.push(flag.display_name(), ElementKind::Flag);
            for value in values {
                push_separate(argv, flag, value, key)?;
            }
        }
        Repetition::Joined { delimiter } => {
            let mut quoted: Vec<String> = values
                .iter()
                .map(|value| protect(value, delimiter, flag, syntax, key))
                .collect::<Result<_, _>>()?;
            if let [pair] = values
                && read_unquoted(pair, flag, syntax)
            {
                quoted.push(quoted[0].clone());
            }
            let joined = quoted.join(delimiter.encode_utf8(&mut [0; 4]));
            write_value(argv, flag, &joined, syntax, key)?;
        }
        Repetition::Repeat { delimiter } => {
            for value in values {
                let value = match delimiter {
                    Some(delimiter) => protect(value, delimiter, flag, syntax, key)?,
                    None => value.clone(),
                };
                write_value(argv, flag, &value, syntax, key)?;
            }
        }
        Repetition::Single => write_each(argv, flag, values, syntax, key)?,
    }
    Ok(())
}

fn write_each(
    argv: &mut Argv,
    flag: &Flag,
    values: &[String],
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    let mut values = values.iter();
    values.try_for_each(|value| write_value(argv, flag, value, syntax, key))
}

/// Writes the flag with one value: attached, or as the next element where the program takes it only there.
fn write_value(
    argv: &mut Argv,
    flag: &Flag,
    value: &str,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    if takes_separate(flag, syntax) {
        argv.push(flag.display_name(), ElementKind::Flag);
        return push_separate(argv, flag, value, key);
    }
    write_attached(argv, flag, value, syntax);
    Ok(())
}

/// Writes a value as an element of its own, where it must not look like a flag.
fn push_separate(argv: &mut Argv, flag: &Flag, value: &str, key: &str) -> Result<(), Violation> {
    if looks_like_flag(value) && !flag.allow_hyphen {
        return Err(hyphen_refused(key, value));
    }
    argv.push_value(value, ElementKind::Value, flag.allow_hyphen);
    Ok(())
}

fn write_attached(argv: &mut Argv, flag: &Flag, value: &str, syntax: Syntax) {
    if is_glued(flag, syntax)
        && value.is_empty()
        && !matches!(flag.value, FlagValue::Optional { .. })
    {
        // `-j` with nothing glued to it would take the next element; so the empty value is that element.
        argv.push(flag.display_name(), ElementKind::Flag);
        argv.push("", ElementKind::Value);
        return;
    }
    argv.push(attached(flag, value, syntax), ElementKind::Flag);
}

/// Returns true if a value stands right behind the flag's name.
fn is_glued(flag: &Flag, syntax: Syntax) -> bool {
    match flag.single_dash {
        Some(takes) => takes == SingleDash::Glued,
        None => flag.long.is_none() && syntax.short_value == ShortValue::Glued,
    }
}

fn attached(flag: &Flag, value: &str, syntax: Syntax) -> String {
    let name = flag.display_name();
    if is_glued(flag, syntax) {
        format!("{name}{value}")
    } else {
        format!("{name}={value}")
    }
}

/// Returns true if pflag would keep the doubled quotes of a map: it reads CSV only where it sees more than one `=`. The
/// same pair twice is the same map.
fn read_unquoted(pair: &str, flag: &Flag, syntax: Syntax) -> bool {
    syntax.csv_lists
        && flag.value_type == ValueType::Map(MapValue::Text)
        && pair.contains('"')
        && pair.matches('=').count() == 1
}

/// Keeps one list element whole where the program splits at a delimiter.
fn protect(
    value: &str,
    delimiter: char,
    flag: &Flag,
    syntax: Syntax,
    key: &str,
) -> Result<String, Violation> {
    // pflag reads these lists as CSV; its number lists are split plainly, but numbers hold no delimiter. The names in
    // its maps of numbers may hold one, and cannot be quoted.
    let numbers = flag.value_type == ValueType::Map(MapValue::Integer);
    let csv = syntax.csv_lists && delimiter == ',' && !numbers;
    let refuse = |what: &str| Err(delimiter_refused(key, value, what));
    if csv {
        if value.contains("\r\n") || value.contains('\r') && flag.value_type == ValueType::String {
            return refuse("carriage returns");
        }
        let special = value.is_empty() || value.contains([',', '"', '\n', '\r']);
        return Ok(if special {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.to_owned()
        });
    }
    if value.contains(delimiter) {
        return refuse(&format!("`{delimiter}`"));
    }
    Ok(value.to_owned())
}
