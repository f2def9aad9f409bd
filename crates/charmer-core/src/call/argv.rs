//! The command line of a call: deterministic, each element a list item, nothing ever split or quoted for a shell.

use std::ffi::OsString;

use crate::{
    model::{DoubleDash, Flag, FlagValue, Repetition, ShortValue, Syntax, ValueType},
    tool::{FlagProperty, Input, PositionalProperty, Tool},
};

use super::{
    bind::{Bound, Given},
    violation::Violation,
};

/// The longest element that Linux starts a program with; one byte more is for the NUL that ends it.
pub const MAX_ELEMENT_BYTES: usize = 131_071;

/// What an element of a command line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementKind {
    /// A subcommand's name.
    Word,
    /// A flag, with its value where that is attached.
    Flag,
    /// A flag's value that stands for itself.
    Value,
    /// A positional.
    Positional,
    /// The `--` that ends the flags.
    DoubleDash,
}

/// One element of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Its text.
    pub text: String,
    /// What it is.
    pub kind: ElementKind,
    /// Whether its owner lets it begin with `-`.
    pub hyphen_allowed: bool,
}

/// A command line without its program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Argv(Vec<Element>);

impl Argv {
    /// The elements with what they are.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// The elements as a program receives them.
    pub fn to_os_strings(&self) -> Vec<OsString> {
        self.0
            .iter()
            .map(|element| OsString::from(&element.text))
            .collect()
    }

    /// The elements as text.
    pub fn to_strings(&self) -> Vec<&str> {
        self.0.iter().map(|element| element.text.as_str()).collect()
    }

    fn push(&mut self, text: impl Into<String>, kind: ElementKind) {
        self.0.push(Element {
            text: text.into(),
            kind,
            hyphen_allowed: false,
        });
    }

    fn push_value(&mut self, text: &str, kind: ElementKind, hyphen_allowed: bool) {
        self.0.push(Element {
            text: text.to_owned(),
            kind,
            hyphen_allowed,
        });
    }
}

pub(super) fn write(tool: &Tool, bound: &Bound) -> Result<Argv, Violation> {
    let mut argv = Argv::default();
    let input = &tool.input;
    let leaf = input.leaf();
    for (depth, level) in input.levels.iter().enumerate() {
        if depth > 0 {
            argv.push(level.word.as_str(), ElementKind::Word);
        }
        let writer = LevelWriter {
            input,
            syntax: tool.syntax,
            bound,
            depth,
        };
        if depth == leaf {
            writer.leaf(&mut argv)?
        } else {
            writer.ancestor(&mut argv)?
        }
    }
    Ok(argv)
}

struct LevelWriter<'a> {
    input: &'a Input,
    syntax: Syntax,
    bound: &'a Bound,
    depth: usize,
}

/// Values of one positional, with how they may be written.
struct Place<'a> {
    property: &'a PositionalProperty,
    values: &'a [String],
}

impl<'a> LevelWriter<'a> {
    fn flags(&self) -> impl Iterator<Item = (&'a FlagProperty, &'a Given)> {
        let (input, depth) = (self.input, self.depth);
        self.bound
            .flags
            .iter()
            .map(move |(at, given)| (&input.flags[*at], given))
            .filter(move |(property, _)| property.level == depth)
    }

    fn places(&self) -> Vec<Place<'a>> {
        let mut places: Vec<(usize, Place<'a>)> = self
            .bound
            .positionals
            .iter()
            .map(|(at, values)| {
                (
                    *at,
                    Place {
                        property: &self.input.positionals[*at],
                        values,
                    },
                )
            })
            .filter(|(_, place)| place.property.level == self.depth)
            .collect();
        places.sort_by_key(|(at, _)| *at);
        places.into_iter().map(|(_, place)| place).collect()
    }

    /// Flags and positionals of an ancestor stand before the next word, so no `--` can protect them.
    fn ancestor(&self, argv: &mut Argv) -> Result<(), Violation> {
        for (property, given) in self.flags() {
            write_flag(argv, &property.flag, given, self.syntax, &property.key)?;
        }
        for place in self.places() {
            for value in place.values {
                self.refuse_subcommand_name(value, &place.property.key)?;
                self.push_bare(argv, value, &place)?;
            }
        }
        Ok(())
    }

    fn leaf(&self, argv: &mut Argv) -> Result<(), Violation> {
        let (behind, before): (Vec<_>, Vec<_>) = self
            .places()
            .into_iter()
            .partition(|place| place.property.positional.last);
        let has_last = self
            .input
            .positionals
            .iter()
            .any(|property| property.level == self.depth && property.positional.last);
        let external = before
            .iter()
            .any(|place| place.property.positional.external);
        let protectable = self.syntax.double_dash == DoubleDash::Neutral && !has_last && !external;
        let dashed = protectable
            && before
                .iter()
                .flat_map(|place| place.values)
                .any(|value| looks_like_flag(value) || self.names_subcommand(value));

        let (greedy, plain): (Vec<_>, Vec<_>) = self
            .flags()
            .partition(|(property, given)| is_greedy(&property.flag, given));
        let write_all = |argv: &mut Argv, flags: Vec<(&FlagProperty, &Given)>| {
            flags.into_iter().try_for_each(|(property, given)| {
                write_flag(argv, &property.flag, given, self.syntax, &property.key)
            })
        };
        write_all(argv, plain)?;
        if dashed {
            write_all(argv, greedy)?;
            argv.push("--", ElementKind::DoubleDash);
            before
                .iter()
                .flat_map(|place| place.values)
                .for_each(|value| {
                    argv.push(value, ElementKind::Positional);
                });
        } else {
            for place in &before {
                self.write_undashed(argv, place)?;
            }
            self.write_unlisted(argv)?;
            write_all(argv, greedy)?;
        }
        if !behind.is_empty() {
            argv.push("--", ElementKind::DoubleDash);
            behind
                .iter()
                .flat_map(|place| place.values)
                .for_each(|value| {
                    argv.push(value, ElementKind::Positional);
                });
        }
        Ok(())
    }

    fn write_undashed(&self, argv: &mut Argv, place: &Place<'_>) -> Result<(), Violation> {
        let key = &place.property.key;
        if !place.property.positional.external {
            for value in place.values {
                self.refuse_subcommand_name(value, key)?;
                self.push_bare(argv, value, place)?;
            }
            return Ok(());
        }
        // The program takes everything behind the name of an external command unread.
        let [name, rest @ ..] = place.values else {
            return Ok(());
        };
        if self.names_subcommand(name) {
            return Err(Violation::new(key, "the name of an external command")
                .found(&name.as_str().into())
                .hint("this is a command of the program itself; use its own tool"));
        }
        if looks_like_flag(name) {
            return Err(
                Violation::new(key, "the name of an external command").found(&name.as_str().into())
            );
        }
        argv.push(name, ElementKind::Positional);
        rest.iter()
            .for_each(|value| argv.push_value(value, ElementKind::Positional, true));
        Ok(())
    }

    /// Positionals of a pattern that nobody could read: bare, and never a flag.
    fn write_unlisted(&self, argv: &mut Argv) -> Result<(), Violation> {
        let Some((key, _)) = &self.input.pattern else {
            return Ok(());
        };
        for (at, value) in self.bound.unlisted.iter().enumerate() {
            if looks_like_flag(value) {
                return Err(hyphen_refused(&format!("{key}[{at}]"), value));
            }
            self.refuse_subcommand_name(value, key)?;
            argv.push(value, ElementKind::Positional);
        }
        Ok(())
    }

    fn push_bare(&self, argv: &mut Argv, value: &str, place: &Place<'_>) -> Result<(), Violation> {
        let positional = &place.property.positional;
        let allowed =
            positional.allow_hyphen || (positional.allow_negative && is_negative_number(value));
        if looks_like_flag(value) && !allowed {
            return Err(hyphen_refused(&place.property.key, value));
        }
        argv.push_value(value, ElementKind::Positional, allowed);
        Ok(())
    }

    fn names_subcommand(&self, value: &str) -> bool {
        self.input.levels[self.depth]
            .subcommands
            .iter()
            .any(|name| name == value)
    }

    fn refuse_subcommand_name(&self, value: &str, key: &str) -> Result<(), Violation> {
        if !self.names_subcommand(value) {
            return Ok(());
        }
        Err(
            Violation::new(key, "a value that is not the name of a subcommand")
                .found(&value.into())
                .hint("the program would run that subcommand instead"),
        )
    }
}

fn hyphen_refused(path: &str, value: &str) -> Violation {
    Violation::new(path, "a value that does not begin with `-`")
        .found(&value.into())
        .hint("the program would read it as a flag, and has no safe way to say otherwise")
}

/// Whether a program would take a bare element for a flag; a lone `-` means standard input.
pub(super) fn looks_like_flag(value: &str) -> bool {
    value.len() > 1 && value.starts_with('-')
}

fn is_negative_number(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a flag would go on taking elements that stand behind its values.
fn is_greedy(flag: &Flag, given: &Given) -> bool {
    match (&flag.repetition, given) {
        (Repetition::Span { max, .. }, Given::Values(lists)) => {
            max.is_none_or(|max| lists.iter().any(|list| list.len() < max))
        }
        _ => false,
    }
}

fn write_flag(
    argv: &mut Argv,
    flag: &Flag,
    given: &Given,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    match given {
        Given::Switch(on) => write_switch(argv, flag, *on, syntax, key),
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
        (false, false) => {}
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
        Repetition::Fixed { .. } | Repetition::Span { .. } => {
            argv.push(flag.display_name(), ElementKind::Flag);
            for value in values {
                if looks_like_flag(value) && !flag.allow_hyphen {
                    return Err(hyphen_refused(key, value));
                }
                argv.push_value(value, ElementKind::Value, flag.allow_hyphen);
            }
        }
        Repetition::Joined { delimiter } => {
            let quoted: Vec<String> = values
                .iter()
                .map(|value| protect(value, delimiter, flag, syntax, key))
                .collect::<Result<_, _>>()?;
            write_attached(
                argv,
                flag,
                &quoted.join(delimiter.encode_utf8(&mut [0; 4])),
                syntax,
            );
        }
        Repetition::Repeat { delimiter } => {
            for value in values {
                let value = match delimiter {
                    Some(delimiter) => protect(value, delimiter, flag, syntax, key)?,
                    None => value.clone(),
                };
                write_attached(argv, flag, &value, syntax);
            }
        }
        Repetition::Single => values
            .iter()
            .for_each(|value| write_attached(argv, flag, value, syntax)),
    }
    Ok(())
}

fn write_attached(argv: &mut Argv, flag: &Flag, value: &str, syntax: Syntax) {
    let glued = flag.long.is_none() && syntax.short_value == ShortValue::Glued;
    if glued && value.is_empty() && !matches!(flag.value, FlagValue::Optional { .. }) {
        // `-j` with nothing glued to it would take the next element; so the empty value is that element.
        argv.push(flag.display_name(), ElementKind::Flag);
        argv.push("", ElementKind::Value);
        return;
    }
    argv.push(attached(flag, value, syntax), ElementKind::Flag);
}

fn attached(flag: &Flag, value: &str, syntax: Syntax) -> String {
    let name = flag.display_name();
    if flag.long.is_none() && syntax.short_value == ShortValue::Glued {
        format!("{name}{value}")
    } else {
        format!("{name}={value}")
    }
}

/// Keeps one list element whole where the program splits at a delimiter.
fn protect(
    value: &str,
    delimiter: char,
    flag: &Flag,
    syntax: Syntax,
    key: &str,
) -> Result<String, Violation> {
    // pflag reads these lists as CSV; its number lists are split plainly, but numbers hold no delimiter.
    let csv = syntax.csv_lists && delimiter == ',';
    let refuse = |what: &str| {
        Err(Violation::new(key, format!("elements without {what}"))
            .found(&value.into())
            .hint("the program splits the value there and has no way to quote it"))
    };
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
