//! Servers as JSON text.

use serde_json::{Map, Value};

use crate::{layout::FileLayout, place::ServersPlace};

/// A member of an object that is to be written.
pub(crate) struct Member<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a Map<String, Value>,
}

impl Member<'_> {
    pub(crate) fn text(&self, indent: &str, layout: &FileLayout, one_line: bool) -> String {
        let value = self.value_text(indent, layout, one_line);
        format!("{}: {value}", Value::from(self.name))
    }

    pub(crate) fn value_text(&self, indent: &str, layout: &FileLayout, one_line: bool) -> String {
        if one_line {
            inline_object(self.value)
        } else {
            object(self.value, indent, layout)
        }
    }
}

/// A whole file with one server.
pub(crate) fn whole(place: &ServersPlace, entry: &Member<'_>, layout: &FileLayout) -> String {
    let FileLayout { newline, unit } = layout;
    let member = wrapped(place.key, entry, unit, layout, false);
    format!("{{{newline}{unit}{member}{newline}}}")
}

/// A key with an object that holds one server.
pub(crate) fn wrapped(
    key: &str,
    entry: &Member<'_>,
    indent: &str,
    layout: &FileLayout,
    one_line: bool,
) -> String {
    let key = Value::from(key);
    if one_line {
        return format!("{key}: {{ {} }}", entry.text(indent, layout, true));
    }
    let FileLayout { newline, unit } = layout;
    let inner = format!("{indent}{unit}");
    let entry = entry.text(&inner, layout, false);
    format!("{key}: {{{newline}{inner}{entry}{newline}{indent}}}")
}

/// An object over several lines; lists stay in one.
fn object(map: &Map<String, Value>, indent: &str, layout: &FileLayout) -> String {
    let FileLayout { newline, unit } = layout;
    let inner = format!("{indent}{unit}");
    let members: Vec<String> = map
        .iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Object(map) if !map.is_empty() => object(map, &inner, layout),
                value => inline(value),
            };
            format!("{newline}{inner}{}: {value}", Value::from(key.as_str()))
        })
        .collect();
    format!("{{{}{newline}{indent}}}", members.join(","))
}

/// A value in one line.
pub(crate) fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => inline_object(map),
        scalar => scalar.to_string(),
    }
}

fn inline_object(map: &Map<String, Value>) -> String {
    let members: Vec<_> = map
        .iter()
        .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), inline(value)))
        .collect();
    format!("{{{}}}", members.join(", "))
}
