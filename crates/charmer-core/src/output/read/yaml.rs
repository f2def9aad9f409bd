//! YAML by the core schema of its version 1.2, without anything that refers, repeats or runs.
//!
//! Plain scalars are typed here and not by a library, because what is a string depends on whom one asks: `no`, `0644`
//! and dates are strings, as they are printed.

use granit_parser::{Event, Options, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::number;

/// The depth to which lists and mappings may be nested.
const MOST_DEPTH: usize = 128;

/// Reads one document or several. Unless it is `declared`, each must be a mapping, or a list of mappings, that holds
/// more than single values, and no scalar may run over several lines as prose does.
pub(super) fn read(text: &str, declared: bool) -> Option<Value> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = MOST_DEPTH;
    options.block_nesting_limit = MOST_DEPTH;
    let mut documents = Vec::new();
    let mut building = Building::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.ok()?;
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(..) => {}
            Event::DocumentEnd => {
                let document = building.root.take()?;
                if !(document.is_object() || document.is_array())
                    || !declared && !is_certain(&document)
                {
                    return None;
                }
                documents.push(document);
            }
            Event::Scalar(text, style, anchor, tag) => {
                if anchor != 0 || tag.is_some() {
                    return None;
                }
                let prose = style == ScalarStyle::Plain && lines_of(&span) > 0;
                if prose && !declared {
                    return None;
                }
                building.scalar(&text, style)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                building.open(OpenNode::List(Vec::new()), anchor != 0 || tag.is_some())?;
            }
            Event::MappingStart(_, anchor, tag) => {
                building.open(
                    OpenNode::Object(Map::new(), None),
                    anchor != 0 || tag.is_some(),
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => building.close()?,
            // Aliases, and what later versions of the parser may add.
            _ => return None,
        }
    }
    match documents.len() {
        0 => None,
        1 => documents.pop(),
        _ => Some(Value::Array(documents)),
    }
}

fn lines_of(span: &Span) -> usize {
    span.end.line().saturating_sub(span.start.line())
}

/// Returns true if a document is structured enough that no other text looks like it.
fn is_certain(document: &Value) -> bool {
    let holds = |value: &Value| match value {
        Value::Object(object) => !object.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    match document {
        Value::Object(object) => object.values().any(holds),
        Value::Array(items) => {
            !items.is_empty() && items.iter().all(|item| item.is_object() && holds(item))
        }
        _ => false,
    }
}

/// A list or mapping that is not closed yet.
enum OpenNode {
    List(Vec<Value>),
    /// With the key whose value comes next.
    Object(Map<String, Value>, Option<String>),
}

/// A document as its events come in.
#[derive(Default)]
struct Building {
    stack: Vec<OpenNode>,
    root: Option<Value>,
}

impl Building {
    fn open(&mut self, open: OpenNode, has_properties: bool) -> Option<()> {
        // A list or mapping as a key has no counterpart in JSON.
        let as_key = matches!(self.stack.last(), Some(OpenNode::Object(_, None)));
        if has_properties || as_key || self.stack.len() >= MOST_DEPTH {
            return None;
        }
        self.stack.push(open);
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let value = match self.stack.pop()? {
            OpenNode::List(items) => Value::Array(items),
            OpenNode::Object(object, _) => Value::Object(object),
        };
        self.add(value)
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle) -> Option<()> {
        let plain = style == ScalarStyle::Plain;
        if let Some(OpenNode::Object(object, key @ None)) = self.stack.last_mut() {
            if plain && matches!(text, "" | "~" | "<<") || object.contains_key(text) {
                return None;
            }
            *key = Some(text.to_owned());
            return Some(());
        }
        let value = if plain { typed(text)? } else { text.into() };
        self.add(value)
    }

    fn add(&mut self, value: Value) -> Option<()> {
        match self.stack.last_mut() {
            None => self.root = Some(value),
            Some(OpenNode::List(items)) => items.push(value),
            Some(OpenNode::Object(object, key)) => {
                object.insert(key.take()?, value);
            }
        }
        Some(())
    }
}

/// The value of a plain scalar; `None` for a number that would become another one.
fn typed(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        _ => {}
    }
    let radix = |digits: &str, radix| match u64::from_str_radix(digits, radix) {
        Ok(number) if !digits.starts_with('+') => Some(number.into()),
        _ => Some(text.into()),
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    match as_json_number(text) {
        Some(number) => number::exact(&number),
        None => Some(text.into()),
    }
}

/// A number of the core schema in JSON's notation. With zeros in front it is left a string: older YAML reads it as
/// octal, and it may be a name that happens to have only digits.
fn as_json_number(text: &str) -> Option<String> {
    let (sign, unsigned) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let power = exponent.map(|text| text.strip_prefix(['-', '+']).unwrap_or(text));
    if !all_digits(whole)
        || !all_digits(fraction.unwrap_or_default())
        || power.is_some_and(|digits| digits.is_empty() || !all_digits(digits))
        || whole.is_empty() && fraction.is_none_or(str::is_empty)
        || whole.len() > 1 && whole.starts_with('0')
    {
        return None;
    }
    let mut number = format!("{sign}{}", if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        number.push('.');
        number.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        number.push('e');
        number.push_str(exponent);
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::begins_as_yaml, *};

    #[test]
    fn scalars_are_what_the_core_schema_says() {
        let text = "\
words: [no, yes, on, off, y, 'true', \"1\", 2024-01-02, 12:30:45, 1_000, 0644, 1.2.3, 0x, 1e, ., .inf]
numbers: [1, -2, +3, 1e3, .5, 1., 0x1F, 0o17, 18446744073709551615]
nothing: [null, ~, ]
switches: [true, FALSE]
empty:
text: |
  two
  lines
";
        assert_eq!(
            read(text, true),
            Some(json!({
                "words": ["no", "yes", "on", "off", "y", "true", "1", "2024-01-02", "12:30:45", "1_000", "0644",
                    "1.2.3", "0x", "1e", ".", ".inf"],
                "numbers": [1, -2, 3, 1000.0, 0.5, 1.0, 31, 15, u64::MAX],
                "nothing": [null, null],
                "switches": [true, false],
                "empty": null,
                "text": "two\nlines\n",
            }))
        );
    }

    #[test]
    fn documents_that_announce_themselves_are_certain() {
        let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels:\n    a: b\n";
        let expected = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"a": "b"}}});
        assert!(begins_as_yaml(pod));
        assert_eq!(read(pod, false), Some(expected.clone()));
        let two = format!("---\n{pod}---\n{pod}");
        assert!(begins_as_yaml(&two));
        assert_eq!(read(&two, false), Some(json!([expected, expected])));
        for text in [
            "---\ntitle: a\n---\n# Heading\ntext\n",
            "---\njust: one\n",
            "---\na: b\n  c d\nx: [1]\n",
            "---\n",
            "kind: of a blue\n",
            "--- a/file\n+++ b/file\n",
        ] {
            let read = begins_as_yaml(text).then(|| read(text, false)).flatten();
            assert_eq!(read, None, "{text}");
        }
    }

    #[test]
    fn what_refers_or_repeats_is_not_read() {
        let bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n";
        let deep = format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000));
        let blocks: String = (0..1000)
            .map(|depth| format!("{}a:\n", " ".repeat(depth)))
            .collect();
        for text in [
            bomb,
            deep.as_str(),
            blocks.as_str(),
            "a: 1\na: 2\n",
            "1: a\n\"1\": b\n",
            "a: !!python/object x\n",
            "[a, b]: c\n",
            "<<: {a: 1}\nb: 2\n",
            "a: 123456789012345678901\n",
            "a: 1e400\n",
            "plain words\n",
            "a: b: c\n",
            "",
        ] {
            assert_eq!(read(text, true), None, "{text}");
        }
    }
}
