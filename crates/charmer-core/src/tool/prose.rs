//! The informing part of a help text: its sentences, without what is told beside it already.

use std::{collections::HashSet, iter::successors};

use serde_json::{Map, Value};

use crate::{
    model::ValueType,
    text::{capitalize, shorten},
};

use super::{
    kind::format_name,
    schema::{Described, ValueShape},
};

/// Words that a list of choices, or a default, may have around it.
const FILLERS: [&str; 27] = [
    "a",
    "allowed",
    "and",
    "are",
    "available",
    "be",
    "can",
    "choices",
    "default",
    "defaults",
    "either",
    "format",
    "formats",
    "is",
    "may",
    "must",
    "of",
    "one",
    "options",
    "or",
    "possible",
    "supported",
    "the",
    "to",
    "valid",
    "value",
    "values",
];

/// The way the help of a switch begins where it says no more than that it is one.
const OPENINGS: [&str; 11] = [
    "if true, ",
    "if set, ",
    "if present, ",
    "if specified, ",
    "if set to true, ",
    "when true, ",
    "when set, ",
    "set to true to ",
    "whether or not to ",
    "whether to ",
    "flag to ",
];

/// Notes of our own that the type says already.
const NOTES: [&str; 4] = [
    "(comma-separated)",
    "(incremental count)",
    "(key=value pairs)",
    "Positional command line arguments\n",
];

/// The first sentence of a text, its line breaks made spaces.
pub(super) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = one_line(paragraph);
    let end = sentence_ends(&line).next().unwrap_or(line.len());
    line[..end].trim_end().to_owned()
}

/// As many whole sentences of the first paragraph as fit; the first one cut if not even that does.
pub(super) fn opening(text: &str, limit: usize) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = one_line(paragraph);
    if line.len() <= limit {
        return line;
    }
    match sentence_ends(&line).take_while(|&end| end <= limit).last() {
        Some(end) => line[..end].to_owned(),
        None => shorten(&line, limit),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The ends of sentences: behind a full stop that is followed by something that begins one.
fn sentence_ends(line: &str) -> impl Iterator<Item = usize> {
    line.char_indices().filter_map(|(at, c)| {
        let end = at + c.len_utf8();
        if matches!(c, '。' | '！' | '？') {
            return Some(end);
        }
        if !matches!(c, '.' | '!' | '?') {
            return None;
        }
        let mut rest = line[end..].chars();
        let parted = rest.next().is_none_or(|c| c == ' ');
        let begins = rest.next().is_none_or(|c| !c.is_lowercase());
        let word = line[..at].rsplit([' ', '(']).next().unwrap_or_default();
        let short = ["e.g", "i.e", "etc", "vs", "cf", "approx", "resp"].contains(&word);
        (parted && begins && !short).then_some(end)
    })
}

/// The facts that are told beside the description of a property, so that it need not say them.
#[derive(Debug)]
pub(super) struct KnownWords {
    /// The words of the default and of the choices.
    words: HashSet<String>,
    /// It is a switch.
    switch: bool,
    /// Its type tells the form of its texts.
    formatted: bool,
}

impl KnownWords {
    /// The facts that the model has on a property, with the default that is told of it.
    pub(super) fn of(described: &Described<'_>, default: Option<&Value>) -> Self {
        let switch =
            *described.value_type == ValueType::Bool && matches!(described.shape, ValueShape::One);
        let mut choices = described.choices().map(str::to_owned).peekable();
        let formatted = format_name(described.value_type).is_some() && choices.peek().is_none();
        Self::new(choices, default, switch, formatted)
    }

    /// The facts that a schema has beside its description.
    pub(super) fn from_schema<'a>(property: &'a Map<String, Value>) -> Self {
        let items = |schema: &&'a Map<String, Value>| schema.get("items")?.as_object();
        let of_it_or_its_items = |keyword: &str| {
            successors(Some(property), items).find_map(|schema| schema.get(keyword))
        };
        let choices = of_it_or_its_items("enum").and_then(Value::as_array);
        Self::new(
            choices.into_iter().flatten().map(text_of),
            property.get("default"),
            property.get("type").is_some_and(|t| t == "boolean"),
            of_it_or_its_items("pattern").is_some(),
        )
    }

    fn new(
        choices: impl Iterator<Item = String>,
        default: Option<&Value>,
        switch: bool,
        formatted: bool,
    ) -> Self {
        let mut known = HashSet::new();
        for text in choices.chain(default.map(text_of)) {
            known.extend(words(&text).map(str::to_lowercase));
        }
        if switch {
            known.insert("false".to_owned());
        }
        Self {
            words: known,
            switch,
            formatted,
        }
    }
}

fn text_of(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

/// A property's description without what is known already: defaults, choices, formats, that a switch is one. Notes on the
/// environment are left out: a caller cannot set it.
pub(super) fn informative(key: &str, description: &str, known: &KnownWords) -> String {
    let mut text = description.to_owned();
    for note in NOTES {
        text = text.replace(note, "");
    }
    text = without_brackets(&text, known);
    text = without_sentences(&text, &known.words);
    if known.switch {
        let small = text.to_lowercase();
        let opening = OPENINGS.iter().find(|opening| small.starts_with(**opening));
        // Small letters can be of another length than capital ones.
        if let Some(rest) = opening.and_then(|opening| text.get(opening.len()..)) {
            text = capitalize(rest);
        }
    }
    let text = text.trim().trim_end_matches(['.', ':', ';', ',']).trim();
    let name = key.trim_end_matches("_arg").replace(['_', '-'], " ");
    if text.to_lowercase() == format!("{} argument", name.to_lowercase()) {
        return String::new();
    }
    text.to_owned()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// Returns true if a text says nothing but known words.
fn says_nothing(text: &str, known: &HashSet<String>) -> bool {
    let mut told = 0;
    for word in words(text) {
        let word = word.to_lowercase();
        if known.contains(&word) {
            told += 1;
        } else if !FILLERS.contains(&&*word) {
            return false;
        }
    }
    told > 0
}

/// Returns true if a text only leads to what follows: `Must be one of`.
fn is_filler(text: &str) -> bool {
    words(text).all(|word| FILLERS.contains(&&*word.to_lowercase()))
}

/// Leaves out what stands in brackets and is known, a note on a pattern, or a name in the environment.
fn without_brackets(text: &str, known: &KnownWords) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[', '{']) {
        let Some(length) = bracketed(&rest[open..]) else {
            break;
        };
        let inside = &rest[open + 1..open + length - 1];
        let own_note = inside.starts_with("format: ") && known.formatted;
        let gone = own_note || inside.starts_with("env: ") || says_nothing(inside, &known.words);
        // `name(s)` and `map[string]string` are words, not remarks.
        let apart = rest[..open]
            .chars()
            .next_back()
            .is_none_or(|c| c.is_whitespace() || ".,:;".contains(c));
        kept.push_str(&rest[..open]);
        if gone && apart {
            let trimmed = kept.trim_end().len();
            kept.truncate(trimmed);
        } else {
            kept.push_str(&rest[open..open + length]);
        }
        rest = &rest[open + length..];
    }
    kept.push_str(rest);
    kept
}

/// The length of the bracketed text that begins here, if it is closed.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Leaves out sentences, and what follows a colon, that say nothing but the default or the choices.
fn without_sentences(text: &str, known: &HashSet<String>) -> String {
    if known.is_empty() {
        return text.to_owned();
    }
    let mut kept = String::with_capacity(text.len());
    let mut start = 0;
    let ends: Vec<usize> = sentence_ends(text).chain([text.len()]).collect();
    for end in ends {
        let sentence = &text[start..end.max(start)];
        let told = match sentence.rsplit_once(": ") {
            Some((head, tail)) if says_nothing(tail, known) => head,
            _ => sentence,
        };
        let leads_nowhere = told != sentence && is_filler(told);
        if !leads_nowhere && !says_nothing(sentence, known) {
            kept.push_str(told);
        }
        start = end.max(start);
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_told_beside_a_text_is_not_said_again() {
        let colour = json!({"type": "string", "enum": ["red", "blue"], "default": "red"});
        let number = json!({"type": "integer", "default": 5});
        let switch = json!({"type": "boolean", "default": false});
        let rows = [
            (&colour, "The colour (red|blue)", "The colour"),
            (
                &colour,
                "The colour [possible values: red, blue] [default: red]",
                "The colour",
            ),
            (
                &colour,
                "The colour. Must be one of: red, blue.",
                "The colour",
            ),
            (&colour, "The colour: red or blue", "The colour"),
            (
                &colour,
                "The colour; red for danger (use blue at night)",
                "The colour; red for danger (use blue at night)",
            ),
            (&number, "How many (default 5)", "How many"),
            (&number, "How many. Defaults to 5.", "How many"),
            (&number, "How many (default 6)", "How many (default 6)"),
            (
                &number,
                "How many (default is 5, at night 6)",
                "How many (default is 5, at night 6)",
            ),
            (&number, "How many [env: COUNT]", "How many"),
            (&switch, "If true, sail (default false)", "Sail"),
            (&switch, "Whether to sail", "Sail"),
            (&switch, "Sail with the ship(s)", "Sail with the ship(s)"),
            (&switch, "Item argument", ""),
        ];
        for (schema, text, expected) in rows {
            let known = KnownWords::from_schema(schema.as_object().expect("an object"));
            assert_eq!(informative("item", text, &known), expected);
        }
    }

    #[test]
    fn sentences_end_where_another_begins() {
        assert_eq!(
            first_sentence("List ships,\ne.g. boats. Then stop."),
            "List ships, e.g. boats."
        );
        assert_eq!(
            first_sentence("Read a.yaml or b.yaml\n\nMore."),
            "Read a.yaml or b.yaml"
        );
        assert_eq!(opening("One. Two. Three.", 10), "One. Two.");
        assert_eq!(opening("Eins zwei drei vier", 14), "Eins zwei …");
        assert_eq!(
            first_sentence("船を一覧表示する。次。"),
            "船を一覧表示する。"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,120}|[a-z ().\\[\\]{}:,\n]{0,80}", limit in 8usize..200) {
            let property = json!({"type": "boolean", "enum": ["a"], "default": "b"});
            let known = KnownWords::from_schema(property.as_object().expect("an object"));
            let told = informative("key", &text, &known);
            proptest::prop_assert!(told.chars().count() <= text.chars().count() + 2);
            proptest::prop_assert!(opening(&text, limit).len() <= limit.max(8));
            first_sentence(&text);
        }
    }
}
