//! Words for the parts of a schema that the portable dialect cannot express.

use super::shape::{Numbers, ObjectShape, Others, Shape, Strings};
use crate::text::shorten;

/// The greatest length that a description may havecome.
pub(super) const DESCRIPTION_LIMIT: usize = 1000;
/// The maximum number of choices, keys or alternatives that are named in a sentence.
const NAMED: usize = 12;

/// Describes the differences between the alternatives of an enum, where at least two of them are objects.
pub(super) fn variants(shapes: &[Shape]) -> Vec<String> {
    let objects = shapes.iter().filter(|shape| shape.object.is_some()).count();
    if objects < 2 {
        return Vec::new();
    }
    shapes
        .iter()
        .filter_map(|shape| {
            let object = shape.object.as_deref()?;
            let doc = shape.text.description.as_deref().map(str::trim);
            let (label, tag) = label(object);
            let keys: Vec<&str> = object
                .properties
                .iter()
                .map(|property| property.key.as_str())
                .filter(|key| Some(*key) != tag)
                .collect();
            let mut text = label.unwrap_or_default().to_owned();
            if (label.is_none() || tag.is_some()) && !keys.is_empty() {
                if !text.is_empty() {
                    text.push_str(" with ");
                }
                text.push_str(&list(&keys));
            }
            if let Some(doc) = doc.filter(|doc| !doc.is_empty()) {
                if !text.is_empty() {
                    text.push_str(": ");
                }
                text.push_str(doc);
            }
            (!text.is_empty()).then_some(text)
        })
        .collect()
}

/// The name of an alternative, and the property by which it is known if that is by its value: `{"kind": "circle"}`
/// against `{"circle": {}}`.
fn label(object: &ObjectShape) -> (Option<&str>, Option<&str>) {
    let tag = object.properties.iter().find_map(|property| {
        let string = property.shape.string.as_ref()?;
        match string.choices.as_deref()? {
            [choice] if property.required && property.shape.types() == 1 => {
                Some((choice.value.as_str(), property.key.as_str()))
            }
            _ => None,
        }
    });
    if let Some((value, key)) = tag {
        return (Some(value), Some(key));
    }
    match object.properties.as_slice() {
        [only] if only.required && matches!(object.others, Others::None) => {
            (Some(only.key.as_str()), None)
        }
        _ => (None, None),
    }
}

/// A value's types in a few words.
pub(super) fn summary(shape: &Shape) -> String {
    if shape.is_any() {
        return "anything".into();
    }
    let mut parts = Vec::new();
    if let Some(string) = &shape.string {
        parts.push(strings(string));
    }
    if let Some(number) = &shape.number {
        parts.push(numbers(number));
    }
    if shape.boolean {
        parts.push("boolean".into());
    }
    if let Some(array) = &shape.array {
        parts.push(match &array.tuple {
            Some(tuple) => format!("list of {}", list(tuple)),
            None => "list".into(),
        });
    }
    if let Some(object) = &shape.object {
        let keys: Vec<&str> = object
            .properties
            .iter()
            .map(|property| property.key.as_str())
            .collect();
        parts.push(if keys.is_empty() {
            "object".into()
        } else {
            format!("object with {}", list(&keys))
        });
    }
    if shape.null {
        parts.push("null".into());
    }
    parts.join(" or ")
}

/// Numbers in a few words.
pub(super) fn numbers(numbers: &Numbers) -> String {
    match (&numbers.choices, numbers.integer) {
        (Some(choices), _) => list(&choices.iter().map(ToString::to_string).collect::<Vec<_>>()),
        (None, true) => "integer".into(),
        (None, false) => "number".into(),
    }
}

fn strings(string: &Strings) -> String {
    match &string.choices {
        Some(choices) => list(
            &choices
                .iter()
                .map(|choice| format!("{:?}", choice.value))
                .collect::<Vec<_>>(),
        ),
        None => "string".into(),
    }
}

fn list<T: AsRef<str>>(words: &[T]) -> String {
    let shown: Vec<&str> = words.iter().take(NAMED).map(AsRef::as_ref).collect();
    let mut text = shown.join(", ");
    if words.len() > NAMED {
        text.push_str(", …");
    }
    text
}

/// Everything that is told of a value, the author's words first.
pub(super) fn description(shape: &Shape, more: Vec<String>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let own = shape.text.description.as_deref().map(str::trim);
    parts.extend(own.map(ToOwned::to_owned));
    if !shape.text.variants.is_empty() {
        parts.push(format!("(one of: {})", shape.text.variants.join("; ")));
    }
    parts.extend(more);
    if !shape.text.examples.is_empty() {
        let shown: Vec<String> = shape
            .text
            .examples
            .iter()
            .map(ToString::to_string)
            .collect();
        parts.push(format!("(e.g., {})", shown.join(", ")));
    }
    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| shorten(&parts.join(" "), DESCRIPTION_LIMIT))
}

/// Describes the choices of a string, and what else is known of it that has no keyword.
pub(super) fn of_string(string: &Strings, format_said: bool) -> Vec<String> {
    let mut more = Vec::new();
    let told: Vec<String> = string
        .choices
        .iter()
        .flatten()
        .filter_map(|choice| {
            let help = choice.help.as_deref()?.trim();
            Some(format!("{}: {help}", choice.value))
        })
        .collect();
    if !told.is_empty() {
        more.push(format!("({})", told.join("; ")));
    }
    if let Some(format) = string.format.as_deref().filter(|_| !format_said) {
        more.push(format!("(format: {format})"));
    }
    more
}
