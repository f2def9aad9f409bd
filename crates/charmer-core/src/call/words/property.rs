//! The properties of a tool's input as words of a command line name them, and the values that words give them.

use crate::{
    model::{Flag, FlagValue, Repetition, Syntax, ValueType},
    tool::{FLAGS_KEY, Layout, Tool},
};
use serde_json::{Map, Value};

use super::WordsError;

/// A property of a tool's input.
pub(super) struct Property<'a> {
    pub(super) key: &'a str,
    pub(super) schema: &'a Value,
    /// It stands under `flags`.
    nested: bool,
    /// The flag that it stands for, if it is one's.
    pub(super) flag: Option<&'a Flag>,
}

/// The number of words behind a flag that are its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// None: it is a switch, or takes its value only with `=`.
    Nothing,
    /// Exactly so many.
    Words(usize),
    /// As many as there are, and no more than so many, up to the next flag.
    UpTo(usize),
}

impl Property<'_> {
    pub(super) fn kind(&self) -> &str {
        kind(self.schema)
    }

    /// Returns true if it counts how often it is given.
    pub(super) fn is_count(&self) -> bool {
        let count = |flag: &Flag| flag.value_type == ValueType::Count;
        self.flag.is_some_and(count)
    }

    /// The words behind it that are its values, where none is attached.
    pub(super) fn follows(&self, syntax: Syntax) -> Follows {
        if self.kind() == "boolean" || self.is_count() {
            return Follows::Nothing;
        }
        let Some(flag) = self.flag else {
            return Follows::Words(1);
        };
        match (&flag.repetition, &flag.value) {
            (Repetition::Fixed { count, .. }, _) => Follows::Words(*count),
            (Repetition::Span { max, .. }, _) => Follows::UpTo(max.unwrap_or(usize::MAX)),
            // clap takes the next word, unless it is a flag; all others want it attached.
            (_, FlagValue::Optional { .. }) if syntax == Syntax::clap() => Follows::UpTo(1),
            (_, FlagValue::Optional { .. }) => Follows::Nothing,
            _ => Follows::Words(1),
        }
    }

    /// The value of the flag without one.
    pub(super) fn bare(&self) -> &str {
        match self.flag.map(|flag| &flag.value) {
            Some(FlagValue::Optional { bare: Some(bare) }) => bare,
            Some(FlagValue::Optional { bare: None }) => "",
            _ => "true",
        }
    }

    /// The object that its value goes into.
    pub(super) fn target<'i>(
        &self,
        input: &'i mut Map<String, Value>,
    ) -> &'i mut Map<String, Value> {
        match self.nested {
            true => object_at(input, FLAGS_KEY),
            false => input,
        }
    }

    /// Gives it a text: sets a value, or adds one to a list or a map. Nothing that was given before is lost.
    pub(super) fn put(&self, input: &mut Map<String, Value>, text: &str) -> Result<(), WordsError> {
        let key = self.key.to_owned();
        let target = self.target(input);
        match self.kind() {
            "array" => {
                let texts: Vec<&str> = self.split(text);
                let items = &self.schema["items"];
                let mut added = match serde_json::from_str(text) {
                    // A whole list at once, as JSON.
                    Ok(Value::Array(list)) => list,
                    _ => texts.iter().map(|text| typed(kind(items), text)).collect(),
                };
                match target.get_mut(self.key) {
                    Some(Value::Array(list)) => list.append(&mut added),
                    _ => drop(target.insert(key, Value::Array(added))),
                }
            }
            "object" => self.put_entries(target, text),
            kind => return self.put_one(target, typed(kind, text)),
        }
        Ok(())
    }

    fn put_entries(&self, target: &mut Map<String, Value>, text: &str) {
        if let Ok(Value::Object(object)) = serde_json::from_str(text) {
            object_at(target, self.key).extend(object);
            return;
        }
        let parts = self.split(text);
        let pairs: Option<Vec<_>> = parts.iter().map(|part| part.split_once('=')).collect();
        let whole = || text.split_once('=').map(|pair| vec![pair]);
        let Some(pairs) = pairs.or_else(whole) else {
            target.insert(self.key.to_owned(), Value::from(text));
            return;
        };
        let kind = kind(&self.schema["additionalProperties"]);
        let entries = object_at(target, self.key);
        for (name, value) in pairs {
            entries.insert(name.to_owned(), typed(kind, value));
        }
    }

    /// The elements of a list that the program splits itself, where no quoting keeps them together.
    fn split<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let delimiter = match self.flag.map(|flag| &flag.repetition) {
            Some(Repetition::Joined { delimiter }) => Some(*delimiter),
            Some(Repetition::Repeat { delimiter }) => *delimiter,
            _ => None,
        };
        match delimiter.filter(|_| !text.contains('"')) {
            Some(delimiter) => text.split(delimiter).collect(),
            None => vec![text],
        }
    }

    /// Sets a single value, which may be there already.
    fn put_one(&self, target: &mut Map<String, Value>, value: Value) -> Result<(), WordsError> {
        let Some(before) = target.get_mut(self.key) else {
            target.insert(self.key.to_owned(), value);
            return Ok(());
        };
        let name = self
            .flag
            .map_or_else(|| format!("--{}", self.key), Flag::display_name);
        if !self.flag.is_some_and(|flag| flag.may_repeat) {
            return Err(
                WordsError::new(format!("`{name}` is given twice, and takes one value"))
                    .hint("leave one of them out"),
            );
        }
        match before {
            Value::Array(list) => list.push(value),
            first => *first = Value::Array(vec![first.take(), value]),
        }
        Ok(())
    }

    /// Counts it once more.
    pub(super) fn count(&self, input: &mut Map<String, Value>) {
        let target = self.target(input);
        let before = target.get(self.key).and_then(Value::as_u64);
        target.insert(self.key.to_owned(), (before.unwrap_or(0) + 1).into());
    }
}

pub(super) fn kind(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("string")
}

pub(super) fn properties(tool: &Tool) -> Vec<Property<'_>> {
    let flag = |key: &str| {
        let mut flags = tool.input.flags.iter();
        flags
            .find(|property| property.key == key)
            .map(|property| &*property.flag)
    };
    fn entries(schema: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
        schema.and_then(Value::as_object).into_iter().flatten()
    }
    let own = tool.input_schema.get("properties");
    let under = own.filter(|_| tool.input.layout == Layout::Nested);
    let under = under.and_then(|own| own.get(FLAGS_KEY)?.get("properties"));
    let nested = entries(under).map(|entry| (entry, true));
    let all = nested.chain(entries(own).map(|entry| (entry, false)));
    all.map(|((key, schema), nested)| Property {
        key,
        schema,
        nested,
        // Beside the object of flags the nested layout has none.
        flag: flag(key).filter(|_| nested || tool.input.layout == Layout::Flat),
    })
    .collect()
}

/// The property of a name: its key with dashes or underscores, or another name of its flag.
pub(super) fn property<'a>(tool: &'a Tool, name: &str) -> Option<Property<'a>> {
    let plain = |text: &str| text.replace('_', "-");
    let key = tool
        .input
        .flags
        .iter()
        // A command's own flags come last, and take a name from those of its ancestors.
        .rev()
        .find(|property| {
            property.flag.is_named(&format!("--{name}"))
                || property.flag.is_named(&format!("-{name}"))
        })
        .map(|property| property.key.as_str());
    let mut all = properties(tool);
    let exact = all.iter().position(|property| property.key == name);
    let loose = || {
        all.iter()
            .position(|property| plain(property.key) == plain(name))
    };
    let named = || all.iter().position(|property| Some(property.key) == key);
    let at = exact.or_else(loose).or_else(named)?;
    Some(all.swap_remove(at))
}

/// The property whose flag has this letter: the command's own before those of its ancestors.
pub(super) fn lettered(tool: &Tool, letter: char) -> Option<Property<'_>> {
    let named = |flag: &Flag| flag.short == Some(letter) || flag.short_aliases.contains(&letter);
    let mut flags = tool.input.flags.iter().rev();
    let key = &flags.find(|property| named(&property.flag))?.key;
    let mut all = properties(tool).into_iter();
    all.find(|property| property.flag.is_some() && property.key == key)
}

fn object_at<'a>(input: &'a mut Map<String, Value>, key: &str) -> &'a mut Map<String, Value> {
    let value = input
        .entry(key)
        .and_modify(|value| {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
        })
        .or_insert_with(|| Value::Object(Map::new()));
    value.as_object_mut().expect("it was made one")
}

pub(super) fn typed(kind: &str, text: &str) -> Value {
    let parsed = match kind {
        "integer" | "number" => serde_json::from_str(text).ok().filter(Value::is_number),
        "boolean" => text.parse().ok().map(Value::Bool),
        _ => None,
    };
    parsed.unwrap_or_else(|| Value::from(text))
}
