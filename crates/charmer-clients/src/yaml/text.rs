//! Entries as YAML text.

use serde_json::{Map, Value};

use crate::json::text as json;

/// The lines of an entry in a mapping: its name, and its fields below it.
pub(crate) fn map_lines(name: &str, fields: &Map<String, Value>) -> Vec<String> {
    let mut lines = vec![format!("{}:", scalar(name))];
    lines.extend(
        fields
            .iter()
            .flat_map(field)
            .map(|line| format!("  {line}")),
    );
    lines
}

/// The lines of an entry in a list: a dash before its first field.
pub(crate) fn list_lines(fields: &Map<String, Value>) -> Vec<String> {
    let lines = fields.iter().flat_map(field).enumerate();
    lines
        .map(|(index, line)| format!("{}{line}", if index == 0 { "- " } else { "  " }))
        .collect()
}

/// The lines of one field.
fn field((key, value): (&String, &Value)) -> Vec<String> {
    let key = scalar(key);
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| format!("  - {}", flow_text(item)));
            std::iter::once(format!("{key}:")).chain(items).collect()
        }
        Value::Object(map) if !map.is_empty() => {
            let pairs = map.iter().flat_map(field).map(|line| format!("  {line}"));
            std::iter::once(format!("{key}:")).chain(pairs).collect()
        }
        value => vec![format!("{key}: {}", flow_text(value))],
    }
}

/// A value in one line; texts without quotes where they can do without, outside of braces.
fn flow_text(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => printable(&json::inline(other)),
    }
}

/// A mapping in one line, as it stands in braces.
pub(crate) fn flow_map(map: &Map<String, Value>) -> String {
    printable(&json::inline(&Value::from(map.clone())))
}

/// A text as a scalar, in quotes unless every reader of YAML takes it for the same text without.
pub(crate) fn scalar(text: &str) -> String {
    let letters = text.trim_start_matches('-');
    let first = letters.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '/');
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/_.-".contains(letter);
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = word.contains(&text.to_ascii_lowercase().as_str());
    if first && text.len() - letters.len() <= 2 && letters.chars().all(plain) && !is_word {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    printable(&Value::from(text).to_string())
}

/// JSON with those characters escaped that YAML does not take as they are, or takes for the end of a line.
fn printable(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\u{7f}'..='\u{a0}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => text.push(letter),
        }
    }
    text
}
