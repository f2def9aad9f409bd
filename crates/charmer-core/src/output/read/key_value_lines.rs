//! Lines of `key: value`, nested by indentation: what programs print when they describe one thing.

use serde_json::{Map, Value};

use super::{
    VALUE_KEY, table,
    width::{Measure, walk},
};

/// The depth to which blocks may be nested.
const MOST_DEPTH: usize = 16;
/// The minimum number of pairs.
const LEAST_PAIRS: usize = 3;
/// The minimum number of pairs when nothing but their form speaks for them.
const LEAST_PLAIN_PAIRS: usize = 5;
/// The key of the text behind a line of two dashes.
const BODY_KEY: &str = "body";

/// Words before a colon that begin a message, and not a pair.
const MESSAGE_WORDS: [&str; 16] = [
    "caused by",
    "debug",
    "error",
    "fatal",
    "help",
    "hint",
    "info",
    "note",
    "panic",
    "see",
    "tip",
    "todo",
    "trace",
    "usage",
    "warn",
    "warning",
];
/// Words above the sections of help.
const HELP_WORDS: [&str; 14] = [
    "aliases",
    "arguments",
    "available commands",
    "commands",
    "example",
    "examples",
    "flags",
    "global flags",
    "notes",
    "options",
    "see also",
    "steps",
    "subcommands",
    "synopsis",
];

/// One line that is not blank.
#[derive(Debug, Clone, Copy)]
struct PairLine<'t> {
    indent: usize,
    text: &'t str,
    /// A blank line stands above.
    after_blank: bool,
}

/// A line that is a pair.
struct Pair<'t> {
    key: &'t str,
    value: &'t str,
    /// The column in which the value begins.
    column: usize,
}

/// Reads pairs. Unless they are `declared`, it takes more than colons to believe them: values in one column, or tabs
/// before them, or sections of further pairs.
pub(super) fn read(text: &str, declared: bool) -> Option<Value> {
    let first = pair(line(text.lines().next()?, false)?)?;
    if first.value.is_empty() && text.lines().nth(1).is_none() {
        return None;
    }
    if text.lines().next()?.contains(":\t") {
        return tabbed(text);
    }
    if text.contains('\t') {
        return None;
    }
    let lines = lines(text)?;
    if let Some(Value::Object(object)) = block(&lines, 0) {
        return (declared || is_certain(&lines, &object)).then_some(Value::Object(object));
    }
    // Several things described one after the other.
    let starts = lines
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, line)| line.after_blank && line.indent == 0);
    let mut ends: Vec<usize> = starts.map(|(index, _)| index).collect();
    ends.push(lines.len());
    let mut from = 0;
    let mut items = Vec::new();
    for end in ends {
        let part = &lines[from..end];
        let object = match block(part, 0)? {
            Value::Object(object) if declared || is_certain(part, &object) => object,
            _ => return None,
        };
        if object.keys().next()? != first.key {
            return None;
        }
        items.push(Value::Object(object));
        from = end;
    }
    (items.len() > 1).then_some(Value::Array(items))
}

fn lines(text: &str) -> Option<Vec<PairLine<'_>>> {
    let mut after_blank = false;
    let mut lines = Vec::new();
    for raw in text.lines() {
        if raw.trim_matches(' ').is_empty() {
            after_blank = true;
        } else {
            lines.push(line(raw, std::mem::take(&mut after_blank))?);
        }
    }
    Some(lines)
}

fn line(raw: &str, after_blank: bool) -> Option<PairLine<'_>> {
    let text = raw.trim_start_matches(' ');
    if text.contains(|c: char| c.is_control() && c != '\t') {
        return None;
    }
    Some(PairLine {
        indent: raw.len() - text.len(),
        text: text.trim_end_matches(' '),
        after_blank,
    })
}

/// A line as a pair, if its key reads like one.
fn pair(line: PairLine<'_>) -> Option<Pair<'_>> {
    let colon = line.text.match_indices(':').map(|(at, _)| at).find(|&at| {
        line.text[at + 1..].is_empty() || line.text[at + 1..].starts_with([' ', '\t'])
    })?;
    let key = &line.text[..colon];
    let rest = &line.text[colon + 1..];
    let value = rest.trim_start_matches([' ', '\t']);
    let is_key = key.starts_with(char::is_alphanumeric)
        && key.contains(char::is_alphabetic)
        && !key.ends_with(' ')
        && !key.contains("  ")
        // What is longer, or has more words, is a sentence with a colon.
        && key.chars().count() <= 48
        && key.split(' ').count() <= 5
        && key
            .chars()
            .all(|c| c.is_alphanumeric() || " _-./()%#+@&'".contains(c));
    let before = &line.text[..line.text.len() - value.len()];
    is_key.then_some(Pair {
        key,
        value,
        column: line.indent + walk(before, Measure::Shown, |_, _, _| ()).unwrap_or(before.len()),
    })
}

/// Pairs of one indentation, each with what is indented more.
fn block(lines: &[PairLine<'_>], depth: usize) -> Option<Value> {
    let indent = lines.first()?.indent;
    if depth > MOST_DEPTH {
        return None;
    }
    let mut object = Map::new();
    let mut at = 0;
    while at < lines.len() {
        if lines[at].indent != indent {
            return None;
        }
        let pair = pair(lines[at])?;
        let deeper = lines[at + 1..]
            .iter()
            .take_while(|line| line.indent > indent)
            .count();
        let body = &lines[at + 1..=at + deeper];
        let value = value(&pair, indent, body, depth)?;
        if object.insert(pair.key.to_owned(), value).is_some() {
            return None;
        }
        at += deeper + 1;
    }
    Some(Value::Object(object))
}

/// The value of a pair together with the lines below it.
fn value(pair: &Pair<'_>, indent: usize, body: &[PairLine<'_>], depth: usize) -> Option<Value> {
    if body.is_empty() {
        return Some(pair.value.into());
    }
    if pair.value.is_empty() {
        return Some(section(body, depth));
    }
    // Further values stand in the column of the first; where they could also be pairs of a section, nobody knows.
    let below = body.iter().all(|line| line.indent == pair.column);
    let like_a_section =
        pair.column <= indent + 4 && body.iter().any(|&line| self::pair(line).is_some());
    if below && !like_a_section {
        let values = [pair.value]
            .into_iter()
            .chain(body.iter().map(|line| line.text));
        return Some(values.collect());
    }
    // A value of its own, and a section: `Containers: 3` with `Running: 1` below it.
    let Value::Object(inner) = block(body, depth + 1)? else {
        return None;
    };
    let mut object = Map::from_iter([(VALUE_KEY.to_owned(), pair.value.into())]);
    for (key, value) in inner {
        if object.insert(key, value).is_some() {
            return None;
        }
    }
    Some(Value::Object(object))
}

/// Reads the lines below a key without a value: a table, pairs, or lines as they are.
fn section(body: &[PairLine<'_>], depth: usize) -> Value {
    let base = body
        .iter()
        .map(|line| line.indent)
        .min()
        .unwrap_or_default();
    let lines: Vec<String> = body
        .iter()
        .map(|line| format!("{}{}", " ".repeat(line.indent - base), line.text))
        .collect();
    table::read(&lines.join("\n"), false)
        .or_else(|| block(body, depth + 1))
        .unwrap_or_else(|| lines.into_iter().collect())
}

/// Returns true if more than colons speaks for pairs.
fn is_certain(lines: &[PairLine<'_>], object: &Map<String, Value>) -> bool {
    let is_other = |(key, value): (&String, &Value)| {
        let key = key.to_lowercase();
        MESSAGE_WORDS.contains(&key.as_str())
            || !value.is_string() && HELP_WORDS.contains(&key.as_str())
    };
    let is_option = |line: &PairLine<'_>| {
        line.text.starts_with('-') && line.text.contains(char::is_alphanumeric)
    };
    let like_options = lines.iter().any(is_option);
    if object.iter().any(is_other) || like_options {
        return false;
    }
    let pairs: Vec<Pair<'_>> = lines
        .iter()
        .filter(|line| line.indent == lines[0].indent)
        .filter_map(|&line| pair(line))
        .collect();
    let valued: Vec<&Pair<'_>> = pairs.iter().filter(|pair| !pair.value.is_empty()).collect();
    let padded = valued
        .iter()
        .any(|pair| pair.key.len() != valued[0].key.len());
    let in_one_column = valued.iter().all(|pair| pair.column == valued[0].column);
    if valued.len() >= LEAST_PAIRS && padded && in_one_column {
        return true;
    }
    // From here on keys must be titles, and values nothing that YAML would read in another way.
    let all: Vec<Pair<'_>> = lines.iter().filter_map(|&line| pair(line)).collect();
    let like_yaml = all.iter().any(|pair| {
        pair.value
            .starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!'])
    });
    let titles = object
        .keys()
        .all(|key| key.starts_with(char::is_uppercase) && !key.contains('('));
    if like_yaml || !titles {
        return false;
    }
    let sections = object
        .values()
        .filter(|value| value.as_object().is_some_and(|inner| inner.len() > 1));
    let all_are_pairs = all.len() == lines.len();
    let has_sections = sections.count() > 0 && all.len() * 2 >= lines.len();
    has_sections && all.iter().filter(|pair| !pair.value.is_empty()).count() >= LEAST_PAIRS
        || all_are_pairs && valued.len() >= LEAST_PLAIN_PAIRS && valued.len() * 2 >= all.len()
}

/// `key:`, a tab and a value on each line; after a line of two dashes, text that belongs to it.
fn tabbed(text: &str) -> Option<Value> {
    let mut object = Map::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (raw, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let raw = raw.strip_suffix('\r').unwrap_or(raw);
        rest = after;
        if raw == "--" {
            if object.insert(BODY_KEY.to_owned(), rest.into()).is_some() {
                return None;
            }
            break;
        }
        let (key, value) = raw.split_once(":\t")?;
        let line = line(raw, false)?;
        if line.indent > 0 || pair(line)?.key != key || value.contains('\t') {
            return None;
        }
        if object
            .insert(key.to_owned(), value.trim_end_matches(' ').into())
            .is_some()
        {
            return None;
        }
    }
    (object.len() > 1).then_some(Value::Object(object))
}

#[cfg(test)]
#[path = "key_value_lines_tests.rs"]
mod tests;
