//! Input as an assistant naturally writes it, turned into the strict form that is bound: another spelling of a key, a
//! number for a text of it, one value for a list.
//!
//! Only what means one thing is taken, and everything that was taken differently is noted. What could mean two things is
//! refused with both of them; what means nothing stays as it is, and binding says what is wrong with it. It is done once,
//! before anybody looks at input by its keys: a rule on `max-count` sees `n` as well. Schemas know nothing of it.

mod names;
mod positionals;
mod usage;
mod values;

use serde_json::{Map, Value};

use crate::tool::{
    ADDED_KEY, ARGS_KEY, CONFIRM_KEY, FLAGS_KEY, FlagProperty, Input, Layout, PositionalProperty,
    Tool,
};

use self::names::{KeyNames, Meaning};

use super::violation::{Refusal, Violation};

/// Input in its strict form.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Understood {
    /// The input as it is bound.
    pub input: Map<String, Value>,
    /// The parts that were understood differently from how they were given, a short sentence each.
    pub notes: Vec<String>,
}

/// Turns what a caller gave into the strict form. Input that is strict already comes back as it is.
///
/// ```
/// use charmer_core::{
///     call::understand,
///     model::{Cli, Command, Flag, Syntax},
///     tool::{CatalogueOptions, catalogue},
/// };
/// use serde_json::json;
///
/// let log = Command::new("log").flag(Flag::new("max-count").short('n').pflag("int"));
/// let tool = catalogue(&Cli::new(log, Syntax::pflag()), &CatalogueOptions::default()).tools.remove(0);
/// for given in [json!({"n": 2}), json!({"maxCount": "2"}), json!({"--max-count": [2]})] {
///     let understood = understand(&tool, given.as_object().unwrap()).unwrap();
///     assert_eq!(json!(understood.input), json!({"max-count": 2}));
/// }
/// ```
pub fn understand(tool: &Tool, given: &Map<String, Value>) -> Result<Understood, Refusal> {
    let input = &tool.input;
    // A tool that is made from no model reads its input by itself.
    if input.levels.is_empty() && input.template.is_none() {
        return Ok(Understood {
            input: given.clone(),
            notes: Vec::new(),
        });
    }
    let mut reader = InputReader {
        input,
        quotes: tool.syntax.csv_lists,
        notes: Vec::new(),
        violations: Vec::new(),
    };
    let strict = match input.layout {
        Layout::Flat => reader.flat(given),
        Layout::Nested => reader.nested(given),
    };
    match reader.violations.is_empty() {
        true => Ok(Understood {
            input: strict,
            notes: reader.notes,
        }),
        false => Err(Refusal::Invalid(reader.violations)),
    }
}

struct InputReader<'a> {
    input: &'a Input,
    /// An element of a list can hold the character at which the program splits it.
    quotes: bool,
    notes: Vec<String>,
    violations: Vec<Violation>,
}

impl InputReader<'_> {
    fn flat(&mut self, given: &Map<String, Value>) -> Map<String, Value> {
        let names = KeyNames::new(self.input);
        let mut strict = self.keys("", given, &names);
        self.usage_names(&names, &mut strict);
        self.spread_args(&names, &mut strict);
        self.values_of_flags("", &mut strict);
        let input = self.input;
        for (_, property) in input.keyed_positionals() {
            self.value_of_positional(property, &mut strict);
        }
        if let Some((key, _)) = &input.pattern {
            self.list_of_words(key, &mut strict);
        }
        if input.template.is_some() {
            self.value(ADDED_KEY, &mut strict, values::list_of);
            self.value(CONFIRM_KEY, &mut strict, values::switch);
        }
        strict
    }

    fn nested(&mut self, given: &Map<String, Value>) -> Map<String, Value> {
        let input = self.input;
        let names = KeyNames::of_flags(input);
        let keyed: Vec<&str> = [FLAGS_KEY, ARGS_KEY]
            .into_iter()
            .chain(input.keyed_positionals().map(|(_, p)| p.key.as_str()))
            .chain(input.stdin.as_deref())
            .collect();
        let (mut strict, beside): (Map<String, Value>, Map<String, Value>) = given
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .partition(|(key, _)| keyed.contains(&key.as_str()));
        let mut flags = match strict.get(FLAGS_KEY) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(flags)) => self.keys("flags.", flags, &names),
            // Binding says what is wrong with it.
            Some(_) => return given.clone(),
        };
        // Flags that stand beside their object are meant all the same.
        for (key, value) in beside {
            match names.meaning(&key, &value) {
                Meaning::Key(own) if !flags.contains_key(own) => {
                    self.notes
                        .push(format!("`{key}` was taken as `{FLAGS_KEY}.{own}`"));
                    flags.insert(own.to_owned(), value);
                }
                Meaning::Key(own) => {
                    self.given_twice(&format!("{FLAGS_KEY}.{own}"), &key);
                }
                other => {
                    self.refuse(&key, other);
                    strict.insert(key, value);
                }
            }
        }
        self.values_of_flags("flags.", &mut flags);
        if !flags.is_empty() {
            strict.insert(FLAGS_KEY.into(), flags.into());
        }
        self.list_of_words(ARGS_KEY, &mut strict);
        for (_, property) in input.keyed_positionals() {
            self.value_of_positional(property, &mut strict);
        }
        strict
    }

    /// The same values under the keys that are meant.
    fn keys(
        &mut self,
        prefix: &str,
        given: &Map<String, Value>,
        names: &KeyNames<'_>,
    ) -> Map<String, Value> {
        let mut strict: Map<String, Value> = Map::new();
        let exact = |key: &str| names.is_key(key);
        for (key, value) in given.iter().filter(|(key, _)| exact(key)) {
            strict.insert(key.clone(), value.clone());
        }
        for (key, value) in given.iter().filter(|(key, _)| !exact(key)) {
            let mut meaning = names.meaning(key, value);
            let mut value = value.clone();
            if let (Meaning::Unknown, Value::Bool(on)) = (&meaning, &value)
                && let Some(own) = names.turned_off(key)
            {
                (meaning, value) = (Meaning::Key(own), Value::Bool(!on));
            }
            match meaning {
                Meaning::Key(_) if value.is_null() => {}
                Meaning::Key(own) => match strict.get(own) {
                    None | Some(Value::Null) => {
                        let note = format!("`{prefix}{key}` was taken as `{prefix}{own}`");
                        let off = value == false && given.get(key) == Some(&Value::Bool(true));
                        let off = if off { ": false" } else { "" };
                        self.notes.push(format!("{note}{off}"));
                        strict.insert(own.to_owned(), value);
                    }
                    Some(_) => {
                        let twin = given.iter().find(|(other, value)| {
                            let meant = || names.meaning(other, value) == Meaning::Key(own);
                            *other != key && (*other == own || meant())
                        });
                        let twin = twin.map_or(own, |(twin, _)| twin.as_str());
                        self.given_twice(&format!("{prefix}{twin}"), &format!("{prefix}{key}"));
                    }
                },
                other => {
                    self.refuse(&format!("{prefix}{key}"), other);
                    strict.insert(key.clone(), value);
                }
            }
        }
        strict
    }

    fn given_twice(&mut self, one: &str, other: &str) {
        let violation = Violation::new(one, format!("it once, not also as `{other}`"));
        self.violations
            .push(violation.hint("they are the same argument"));
    }

    /// Says what is wrong with a key that means nothing here, or too much.
    fn refuse(&mut self, key: &str, meaning: Meaning<'_>) {
        match meaning {
            Meaning::Key(_) | Meaning::Unknown => {}
            Meaning::Several(keys) => self.two_meanings(key, &keys),
            Meaning::Withheld(name, why) => self.violations.push(
                Violation::new(key, "an argument that is offered")
                    .hint(format!("`{name}` is not: {why}")),
            ),
        }
    }

    fn two_meanings(&mut self, key: &str, keys: &[&str]) {
        let expected = format!("one of `{}`", keys.join("`, `"));
        self.violations
            .push(Violation::new(key, expected).hint("it could mean either"));
    }

    fn values_of_flags(&mut self, prefix: &str, flags: &mut Map<String, Value>) {
        let input = self.input;
        for property in &input.flags {
            self.value_of_flag(prefix, property, flags);
        }
    }

    fn value_of_flag(
        &mut self,
        prefix: &str,
        property: &FlagProperty,
        flags: &mut Map<String, Value>,
    ) {
        // A converter is made for what its author expects of callers.
        if property.rules.convert.is_none() {
            let path = format!("{prefix}{}", property.key);
            let quotes = self.quotes;
            self.value_at(&path, &property.key, flags, |value| {
                values::of_flag(&property.flag, value, quotes)
            });
        }
    }

    fn value_of_positional(
        &mut self,
        property: &PositionalProperty,
        strict: &mut Map<String, Value>,
    ) {
        if property.rules.convert.is_none() {
            self.value(&property.key, strict, |value| {
                values::of_positional(&property.positional, value)
            });
        }
    }

    /// A list of words of a command line: one that holds white space may be one word or several.
    fn list_of_words(&mut self, key: &str, strict: &mut Map<String, Value>) {
        if let Some(Value::String(text)) = strict.get(key)
            && text.contains(char::is_whitespace)
        {
            self.violations.push(Violation::new(
                key,
                "an array, each word an element of its own",
            ));
            return;
        }
        self.value(key, strict, values::words);
    }

    fn value(
        &mut self,
        key: &str,
        strict: &mut Map<String, Value>,
        read: impl Fn(&Value) -> values::ValueReading,
    ) {
        self.value_at(key, key, strict, read);
    }

    fn value_at(
        &mut self,
        path: &str,
        key: &str,
        strict: &mut Map<String, Value>,
        read: impl Fn(&Value) -> values::ValueReading,
    ) {
        let Some(value) = strict.get_mut(key) else {
            return;
        };
        match read(value) {
            values::ValueReading::AsItIs => {}
            values::ValueReading::Taken(new, how) => {
                *value = new;
                self.notes.push(format!("`{path}`: {how}"));
            }
            values::ValueReading::TwoWays(expected) => self
                .violations
                .push(Violation::new(path, expected).found(value)),
        }
    }
}
