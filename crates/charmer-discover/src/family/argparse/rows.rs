//! The rows of argparse's groups: flags with their values and defaults, positionals, subcommands.

use std::collections::HashSet;

use charmer_core::model::{Choice, FlagValue, Positional, Repetition, ValueType};

use super::usage::braced;
use crate::{
    fact::{Fact, Origin},
    family::python::{literal, named_type, settle_names, suggested_type, wide_rows, with_aliases},
    help::{env_in, flag_names, is_counted, may_repeat, opposite_in, shows_twice, take_default},
    sketch::{FlagSketch, KindSketch},
};

/// A row that is no flag's.
#[derive(Debug)]
pub(super) struct ArgparseNames {
    pub(super) section: String,
    pub(super) indent: usize,
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) text: String,
}

/// Everything that the rows say.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) flags: Vec<FlagSketch>,
    pub(super) names: Vec<ArgparseNames>,
    /// Names with one dash and several letters (`-ts`), each with a name of the same flag that can be written.
    pub(super) single: Vec<(String, String)>,
    pub(super) warnings: Vec<String>,
}

impl Rows {
    /// The name of a flag that can be written, for any that usage shows.
    pub(super) fn written<'n>(&'n self, name: &'n str) -> &'n str {
        let mut single = self.single.iter();
        let found = single.find(|(one, _)| one == name);
        found.map_or(name, |(_, written)| written)
    }
}

/// Reads the rows of every group.
pub(super) fn read(sections: &[(String, Vec<&str>)]) -> Rows {
    let mut found = Rows::default();
    // `(default: None)` is only ever written by argparse itself, which then writes every default.
    let written = sections
        .iter()
        .flat_map(|(_, lines)| lines)
        .any(|line| line.contains("(default: None)") || line.contains("(default: False)"));
    for (section, lines) in sections {
        let starts = |indent: usize, content: &str| {
            indent <= 8 && (flag_names(content).is_some() || is_name(content))
        };
        for row in wide_rows(lines, starts) {
            if let Some(mut names) = flag_names(&row.name) {
                let all = names.longs.clone();
                if !settle_names(&mut names, &row.name) {
                    found.warnings.push(format!(
                        "`{}` was left out: long names behind a single dash cannot be written",
                        row.name
                    ));
                    continue;
                }
                if names.single_dash
                    && let Some(long) = names.longs.first()
                {
                    let single = all.iter().filter(|one| !names.longs.contains(one));
                    let single = single.map(|one| (format!("-{one}"), format!("--{long}")));
                    found.single.extend(single);
                }
                let mut longs = names.longs.into_iter();
                let mut shorts = names.shorts.into_iter();
                let mut flag = FlagSketch {
                    long: longs.next(),
                    short: shorts.next(),
                    aliases: longs.collect(),
                    short_aliases: shorts.collect(),
                    negation: names.negation,
                    placeholder: names.value,
                    ..FlagSketch::default()
                };
                describe_flag(&mut flag, &row.text, written);
                found.flags.push(flag);
            } else {
                let (name, aliases) = with_aliases(&row.name);
                found.names.push(ArgparseNames {
                    section: section.clone(),
                    indent: row.indent,
                    name,
                    aliases,
                    text: row.text,
                });
            }
        }
    }
    // An opposite that has a row is a flag of its own.
    let longs: HashSet<String> = found
        .flags
        .iter()
        .flat_map(|flag| flag.long.iter().chain(&flag.aliases).cloned())
        .collect();
    for flag in &mut found.flags {
        flag.negation = flag.negation.take().filter(|name| !longs.contains(name));
    }
    found
}

/// Returns true if a line begins with one word, or with a word and its aliases in brackets.
fn is_name(content: &str) -> bool {
    let column = content.split("  ").next().unwrap_or_default();
    let (name, _) = with_aliases(column);
    !name.contains(' ') || name.starts_with('{') && name.ends_with('}')
}

/// The flag of this name, dashes included.
pub(super) fn named<'f>(
    flags: impl IntoIterator<Item = &'f FlagSketch>,
    name: &str,
) -> Option<&'f FlagSketch> {
    flags.into_iter().find(|flag| is_named(flag, name))
}

/// Returns true if the flag has this name, dashes included.
pub(super) fn is_named(flag: &FlagSketch, name: &str) -> bool {
    if let Some(long) = name.strip_prefix("--") {
        return flag.long.as_deref() == Some(long)
            || flag.negation.as_deref() == Some(long)
            || flag.aliases.iter().any(|alias| alias == long);
    }
    let mut letters = name.strip_prefix('-').unwrap_or_default().chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return false;
    };
    flag.short == Some(letter) || flag.short_aliases.contains(&letter)
}

fn describe_flag(flag: &mut FlagSketch, text: &str, written: bool) {
    let (mut help, default) = cut_default(text, written);
    if let Some(name) = env_in(&help) {
        flag.env = Some(Fact::new(name, Origin::Help));
    }
    let default = default.map(|text| literal(&text)).unwrap_or_default();
    let kind = match flag.placeholder.as_deref() {
        None => switch(flag, &help, &default),
        Some(value) => {
            if let Some(choices) = braced(base(value)) {
                let choices = choices.into_iter().map(Choice::new).collect();
                flag.choices = Some(Fact::new(choices, Origin::Help));
            }
            if !default.is_empty() {
                flag.default = Some(Fact::new(default.clone(), Origin::Help));
            }
            let long = flag.long.as_ref().map(|long| format!("--{long}"));
            let short = flag.short.map(|short| format!("-{short}"));
            let mut names = long.iter().chain(&short);
            let many = may_repeat(&help) || names.any(|name| shows_twice(&help, name));
            valued(value, many, default.first().map(String::as_str))
        }
    };
    flag.allow_hyphen = flag.placeholder.as_deref() == Some("...");
    flag.kind = Some(kind);
    help = help.trim().to_owned();
    if !help.is_empty() {
        flag.help = Some(Fact::new(help, Origin::Help));
    }
}

fn switch(flag: &mut FlagSketch, help: &str, default: &[String]) -> Fact<KindSketch> {
    if let (None, Some(long)) = (&flag.negation, &flag.long) {
        flag.negation = opposite_in(help, long);
    }
    // A default of a switch that nothing turns off is that of what it sets, not its own.
    if flag.negation.is_some() && default == ["True"] {
        flag.default = Some(Fact::new(vec!["true".into()], Origin::Help));
    }
    // Only what is counted has a number to begin with.
    let begins = default
        .first()
        .is_some_and(|text| text.parse::<u64>().is_ok());
    let counted = flag.negation.is_none() && (begins || is_counted(help, &flag.names()));
    let kind = if counted {
        KindSketch::count()
    } else {
        KindSketch::switch()
    };
    Fact::new(kind, Origin::Help)
}

/// The kind of a flag with this value. That it takes one is sure; its type is what the placeholder and default suggest.
fn valued(value: &str, many: bool, default: Option<&str>) -> Fact<KindSketch> {
    let named = named_type(base(value)).filter(|kind| *kind != ValueType::Bool);
    // Below what help says plainly: a placeholder is a word of the author's, and a probe knows better.
    let (value_type, sure) = match (named, default.and_then(suggested_type)) {
        (Some(named), _) => (named, 50),
        (None, Some(suggested)) if braced(base(value)).is_none() => (suggested, 45),
        _ => (ValueType::String, 40),
    };
    let kind = KindSketch {
        value: FlagValue::Required,
        value_type,
        repetition: repetition(value),
    };
    let kind = if is_optional(value) {
        kind.optional(None)
    } else if kind.repetition == Repetition::Single && many {
        KindSketch::repeated(kind.value_type)
    } else {
        kind
    };
    Fact::with(kind, Origin::Help, sure)
}

/// `[X]`.
fn is_optional(value: &str) -> bool {
    value.starts_with('[') && value.ends_with(']') && !value.contains("...")
}

fn repetition(value: &str) -> Repetition {
    if value == "..."
        || value.starts_with('[') && value.ends_with("...]")
        || value.ends_with("...]]") && value.starts_with('[')
    {
        return Repetition::Span { min: 0, max: None };
    }
    if value.ends_with("...]") || value.ends_with("...]]") {
        return Repetition::Span { min: 1, max: None };
    }
    let words = words(value);
    // `NAME | TOKEN` is one value of two kinds.
    if words.iter().any(|word| matches!(*word, "|" | "or")) {
        return Repetition::Single;
    }
    match words.len() {
        count @ 2.. => Repetition::Fixed {
            count,
            repeat: false,
        },
        _ => Repetition::Single,
    }
}

/// The first word of a value, without what says how often.
fn base(value: &str) -> &str {
    let inner = value.trim_start_matches('[');
    words(inner)
        .first()
        .map_or(inner, |word| word.trim_end_matches(']'))
}

/// The words of a value, split at spaces outside of brackets.
fn words(value: &str) -> Vec<&str> {
    let mut depth = 0usize;
    value
        .split(|c: char| {
            match c {
                '<' | '{' | '[' | '(' => depth += 1,
                '>' | '}' | ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ' ' && depth == 0
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// A text without `(default: X)`, and X. argparse's own mark may hold several words.
fn cut_default(text: &str, written: bool) -> (String, Option<String>) {
    const MARK: &str = "(default: ";
    if written
        && let Some(at) = text.rfind(MARK)
        && let Some(value) = text[at + MARK.len()..].trim_end().strip_suffix(')')
    {
        return (text[..at].trim_end().to_owned(), Some(value.to_owned()));
    }
    let (help, default) = take_default(text);
    // `(default: SOURCE_DIR)` speaks of another argument.
    let names = |text: &String| {
        let first = text.split('/').next().unwrap_or_default();
        let word = |c: char| c.is_ascii_uppercase() || c == '_';
        first.contains('_') && first.chars().all(word)
    };
    match default {
        Some(default) if names(&default) => (text.to_owned(), None),
        default => (help, default),
    }
}

/// Adds what its row says to a positional.
pub(super) fn describe(positional: &mut Positional, row: &ArgparseNames) {
    let (help, default) = cut_default(&row.text, row.text.ends_with("(default: None)"));
    if !help.is_empty() {
        positional.help = Some(help);
    }
    if let Some(default) = default {
        positional.default = literal(&default);
    }
    if positional.choices.is_empty()
        && let Some(named) = named_type(&row.name).filter(|kind| *kind == ValueType::Path)
    {
        positional.value_type = named;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_count() {
        for (value, expected) in [
            ("FILE", Repetition::Single),
            ("[FILE]", Repetition::Single),
            (
                "X Y",
                Repetition::Fixed {
                    count: 2,
                    repeat: false,
                },
            ),
            ("<a b>", Repetition::Single),
            ("NAME[:KEY] | TOKEN", Repetition::Single),
            ("[X ...]", Repetition::Span { min: 0, max: None }),
            ("[X [X ...]]", Repetition::Span { min: 0, max: None }),
            ("X [X ...]", Repetition::Span { min: 1, max: None }),
            ("{a,b} [{a,b} ...]", Repetition::Span { min: 1, max: None }),
        ] {
            assert_eq!(repetition(value), expected, "{value}");
        }
        assert!(is_optional("[X]") && !is_optional("[X ...]"));
        assert_eq!(base("[X [X ...]]"), "X");
        assert_eq!(base("{a,b} [{a,b} ...]"), "{a,b}");
    }

    #[test]
    fn defaults_that_argparse_writes() {
        assert_eq!(
            cut_default("A (default: two words)", true).1.as_deref(),
            Some("two words")
        );
        assert_eq!(cut_default("A (default: two words)", false).1, None);
        assert_eq!(cut_default("A (default: OUT_DIR/.cache)", false).1, None);
        assert_eq!(
            cut_default("A (default: 3)", false),
            ("A".into(), Some("3".into()))
        );
    }
}
