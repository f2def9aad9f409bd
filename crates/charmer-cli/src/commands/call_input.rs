//! Words of a command line as the JSON input of a tool, typed by its schema.

use charmer_core::{
    text::nearest,
    tool::{ARGS_KEY, FLAGS_KEY, Layout, Tool},
};
use serde_json::{Map, Value};

use crate::problem::Problem;

/// Reads `--key value`, `--key=value`, `--switch` and bare words. Values that do not fit their type are passed on as
/// they are: the tool's own checks say it better.
pub(crate) fn from_words(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, Problem> {
    let mut input = Map::new();
    let mut bare = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            bare.extend(words.by_ref().cloned());
            break;
        }
        let Some(name) = flag_name(word) else {
            bare.push(word.clone());
            continue;
        };
        let (name, attached) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        let Some(property) = property(tool, name) else {
            return Err(unknown(tool, name));
        };
        let text = match attached {
            Some(text) => text,
            None if property.kind() == "boolean" => {
                // A switch takes the next word only if that can mean nothing else.
                match words.as_slice().first().map(String::as_str) {
                    Some(next @ ("true" | "false")) => {
                        words.next();
                        next.to_owned()
                    }
                    _ => "true".to_owned(),
                }
            }
            None => words.next().cloned().ok_or_else(|| {
                Problem::mistake(format!("`--{name}` needs a value"))
                    .hint(format!("write `--{name} VALUE` or `--{name}=VALUE`"))
            })?,
        };
        let target = if property.nested {
            object_at(&mut input, FLAGS_KEY)
        } else {
            &mut input
        };
        put(target, property.key, property.schema, &text);
    }
    place_bare(tool, &mut input, bare)?;
    Ok(input)
}

/// For words that name one of the tool's properties: whether the next word is its value, unless one is attached.
pub(crate) fn takes_value(tool: &Tool, word: &str) -> Option<bool> {
    let name = flag_name(word)?;
    let (name, _) = name.split_once('=').unwrap_or((name, ""));
    Some(property(tool, name)?.kind() != "boolean")
}

/// The name of a flag, for words that are flags: negative numbers are not.
fn flag_name(word: &str) -> Option<&str> {
    match word.strip_prefix("--") {
        Some(name) => Some(name),
        None => word
            .strip_prefix('-')
            .filter(|name| name.starts_with(|c: char| c.is_alphabetic())),
    }
}

/// A property of a tool's input.
struct Property<'a> {
    key: &'a str,
    schema: &'a Value,
    /// Whether it stands under `flags`.
    nested: bool,
}

impl Property<'_> {
    fn kind(&self) -> &str {
        kind(self.schema)
    }
}

fn kind(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("string")
}

fn properties(tool: &Tool) -> Vec<Property<'_>> {
    fn listed(schema: Option<&Value>, nested: bool) -> impl Iterator<Item = Property<'_>> {
        let object = schema.and_then(Value::as_object);
        object
            .into_iter()
            .flatten()
            .map(move |(key, schema)| Property {
                key,
                schema,
                nested,
            })
    }
    let own = tool.input_schema.get("properties");
    let under = own.filter(|_| tool.input.layout == Layout::Nested);
    let under = under.and_then(|own| own.get(FLAGS_KEY)?.get("properties"));
    listed(under, true).chain(listed(own, false)).collect()
}

/// The property of a name: its key with dashes or underscores, or the letter of its flag.
fn property<'a>(tool: &'a Tool, name: &str) -> Option<Property<'a>> {
    let plain = |text: &str| text.replace('_', "-");
    let key = tool
        .input
        .flags
        .iter()
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

fn unknown(tool: &Tool, name: &str) -> Problem {
    let problem = Problem::mistake(format!("the tool `{}` has no `--{name}`", tool.name));
    let all = properties(tool);
    let keys = || all.iter().map(|property| property.key);
    match nearest(name, keys()) {
        Some(near) => problem.hint(format!("did you mean `--{near}`?")),
        None if all.is_empty() => problem.hint("it takes no input at all"),
        None => {
            let keys: Vec<String> = keys().map(|key| format!("--{key}")).collect();
            problem.hint(format!("it takes {}", keys.join(", ")))
        }
    }
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

/// Sets a value, or adds one to a list or a map.
fn put(target: &mut Map<String, Value>, key: &str, schema: &Value, text: &str) {
    let value = match kind(schema) {
        "array" => {
            // A whole list at once, as JSON.
            if let Ok(list @ Value::Array(_)) = serde_json::from_str(text) {
                target.insert(key.to_owned(), list);
                return;
            }
            let item = typed(kind(&schema["items"]), text);
            match target.get_mut(key) {
                Some(Value::Array(list)) => {
                    list.push(item);
                    return;
                }
                _ => Value::Array(vec![item]),
            }
        }
        "object" => match (serde_json::from_str(text), text.split_once('=')) {
            (Ok(object @ Value::Object(_)), _) => object,
            (_, Some((name, value))) => {
                let kind = kind(&schema["additionalProperties"]);
                object_at(target, key).insert(name.to_owned(), typed(kind, value));
                return;
            }
            _ => Value::from(text),
        },
        kind => typed(kind, text),
    };
    target.insert(key.to_owned(), value);
}

fn typed(kind: &str, text: &str) -> Value {
    let parsed = match kind {
        "integer" | "number" => serde_json::from_str(text).ok().filter(Value::is_number),
        "boolean" => text.parse().ok().map(Value::Bool),
        _ => None,
    };
    parsed.unwrap_or_else(|| Value::from(text))
}

/// Gives bare words to the tool's positionals, in order; what takes several takes all but what those after it need.
fn place_bare(
    tool: &Tool,
    input: &mut Map<String, Value>,
    bare: Vec<String>,
) -> Result<(), Problem> {
    if bare.is_empty() {
        return Ok(());
    }
    let list = |words: &[String]| Value::from(words.to_vec());
    let own = tool.input_schema.get("properties");
    let schema = |key: &str| own.and_then(|own| own.get(key));
    if tool.input.layout == Layout::Nested && schema(ARGS_KEY).is_some() {
        input.insert(ARGS_KEY.to_owned(), list(&bare));
        return Ok(());
    }
    if let Some((key, _)) = &tool.input.pattern {
        input.insert(key.clone(), list(&bare));
        return Ok(());
    }
    let positionals = tool.input.positionals.iter();
    let positionals = positionals.map(|positional| positional.key.as_str());
    // A tool that is no command of a program has none; what it cannot do without goes without a name there.
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let required = required.filter(|_| tool.input.levels.is_empty());
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let keys: Vec<&str> = positionals
        .chain(required)
        .filter(|key| schema(key).is_some() && !input.contains_key(*key))
        .collect();
    let mut rest = &bare[..];
    for (at, key) in keys.iter().enumerate() {
        let Some(schema) = schema(key) else { continue };
        if rest.is_empty() {
            break;
        }
        if kind(schema) == "array" {
            let take = rest.len().saturating_sub(keys.len() - at - 1).max(1);
            let items = kind(&schema["items"]);
            let values = rest[..take].iter().map(|word| typed(items, word));
            input.insert((*key).to_owned(), values.collect());
            rest = &rest[take..];
        } else {
            input.insert((*key).to_owned(), typed(kind(schema), &rest[0]));
            rest = &rest[1..];
        }
    }
    match rest.first() {
        None => Ok(()),
        Some(word) => Err(Problem::mistake(format!(
            "`{word}` has no place: the tool `{}` takes {} without a name",
            tool.name,
            match keys.len() {
                0 => "no arguments".to_owned(),
                1 => "one argument".to_owned(),
                count => format!("{count} arguments"),
            }
        ))
        .hint("flags are written as `--key value` or `--key=value`")),
    }
}

#[cfg(test)]
#[path = "call_input_tests.rs"]
mod tests;
