//! Notes in brackets in the text of a row: types, defaults, accepted values, other names.

use charmer_core::model::{Choice, ValueType};

use crate::help::{default_in, env_in};

/// The notes in brackets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FlagNotes {
    pub(super) value_type: Option<ValueType>,
    /// It takes a list.
    pub(super) is_list: bool,
    pub(super) required: Option<bool>,
    pub(super) default: Option<String>,
    pub(super) choices: Vec<Choice>,
    pub(super) aliases: Vec<String>,
    pub(super) env: Option<String>,
    pub(super) deprecated: Option<String>,
}

/// The notes at either end of a text, in `[]`, `()` or `<>`, and the text without those that only say what the model says too.
pub(super) fn take_notes(text: &str) -> (String, FlagNotes) {
    let mut notes = FlagNotes::default();
    let mut rest = text.trim();
    while let Some((before, inner)) = last_group(rest) {
        if !notes.take(inner) {
            break;
        }
        rest = before.trim_end();
    }
    while let Some((inner, behind)) = first_group(rest) {
        if !notes.take(inner) {
            break;
        }
        rest = behind.trim_start();
    }
    if notes.default.is_none() {
        notes.default = default_in(text);
    }
    if notes.env.is_none() {
        notes.env = env_in(text);
    }
    (rest.to_owned(), notes)
}

/// The group in brackets that ends a text, and what stands before it.
fn last_group(text: &str) -> Option<(&str, &str)> {
    let close = text.chars().next_back()?;
    let open = opening(close)?;
    let mut depth = 0usize;
    for (at, c) in text.char_indices().rev() {
        if c == close {
            depth += 1;
        } else if c == open {
            depth -= 1;
            if depth == 0 {
                return Some((&text[..at], &text[at + 1..text.len() - 1]));
            }
        }
    }
    None
}

/// The group in square or round brackets that begins a text, and what stands behind it.
fn first_group(text: &str) -> Option<(&str, &str)> {
    let (inner, close) = match text.strip_prefix('[') {
        Some(inner) => (inner, ']'),
        None => (text.strip_prefix('(')?, ')'),
    };
    inner.split_once(close)
}

fn opening(close: char) -> Option<char> {
    match close {
        ']' => Some('['),
        ')' => Some('('),
        '>' => Some('<'),
        _ => None,
    }
}

impl FlagNotes {
    /// Understands what stands in one pair of brackets, if it is a note, or several: `(choices: "a", "b", default: "a")`.
    fn take(&mut self, inner: &str) -> bool {
        let labels = [", default:", ", preset:", ", env:"];
        let next = labels.iter().filter_map(|label| inner.rfind(label)).max();
        match next {
            Some(at) => self.take(&inner[..at]) && self.take_one(&inner[at + 1..]),
            None => self.take_one(inner),
        }
    }

    fn take_one(&mut self, inner: &str) -> bool {
        let inner = inner.trim();
        let (label, value) = match inner.split_once(':') {
            Some((label, value)) => (label.trim(), value.trim()),
            None => (inner, ""),
        };
        match (label.to_lowercase().as_str(), value.is_empty()) {
            ("boolean", true) => self.value_type = Some(ValueType::Bool),
            ("number", true) => self.value_type = Some(ValueType::Number),
            ("string", true) => self.value_type = Some(ValueType::String),
            ("count", true) => self.value_type = Some(ValueType::Count),
            ("array", true) | ("multiple values allowed", true) => self.is_list = true,
            ("required", true) => self.required = Some(true),
            ("default", false) => self.default = plain_default(value),
            ("preset", false) => {}
            ("choices" | "options", false) => self.choices = choices(value),
            ("alias" | "aliases", false) => {
                let names = value.split(',').map(|name| name.trim().to_owned());
                self.aliases.extend(names.filter(|name| !name.is_empty()));
            }
            ("env", false) => self.env = Some(value.to_owned()),
            ("deprecated", _) => self.deprecated = Some(value.to_owned()),
            // urfave's `[$NAME]` and kong's `($NAME)`.
            (name, true) if name.starts_with('$') => {
                let name = label.trim_start_matches('$');
                let first = name.split([',', ' ']).next().unwrap_or_default();
                self.env = Some(first.to_owned());
            }
            _ => return false,
        }
        true
    }
}

/// A default as it would be typed; `None` where it is described, or computed.
fn plain_default(value: &str) -> Option<String> {
    default_in(&format!("(default: {value})"))
}

/// `"a", "b"` and `a|b`.
fn choices(list: &str) -> Vec<Choice> {
    let words = list
        .split([',', '|'])
        .map(|word| word.trim().trim_matches(['"', '\'']));
    words
        .filter(|word| !word.is_empty())
        .map(Choice::new)
        .collect()
}
