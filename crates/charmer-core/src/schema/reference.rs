//! References inside a schema: where `#/$defs/Tree` leads. Nothing is ever fetched.

use serde_json::Value;

use super::pointer;

/// The target of a reference.
pub(super) struct ReferenceTarget<'a> {
    pub(super) schema: &'a Value,
    /// As a JSON pointer.
    pub(super) pointer: String,
}

/// Follows a reference within a document; `None` where it leads out of it or nowhere.
pub(super) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<ReferenceTarget<'a>> {
    let base = root.get("$id").and_then(Value::as_str).unwrap_or_default();
    let fragment = match reference.strip_prefix('#') {
        Some(fragment) => fragment,
        // A document may refer to itself by its whole name.
        None => {
            let rest = reference.strip_prefix(base.trim_end_matches('#'))?;
            if base.is_empty() {
                return None;
            }
            rest.strip_prefix('#').or(rest.is_empty().then_some(""))?
        }
    };
    let pointer = percent_decoded(fragment)?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    let mut schema = root;
    let mut canonical = String::new();
    for token in pointer.split('/').skip(1) {
        let key = pointer::unescaped(token);
        schema = match schema {
            Value::Object(map) => map.get(&key)?,
            Value::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
        // Inside a document of its own, references and pointers mean something else.
        if schema.get("$id").is_some_and(Value::is_string) {
            return None;
        }
        pointer::push(&mut canonical, &key);
    }
    (schema.is_object() || schema.is_boolean()).then_some(ReferenceTarget {
        schema,
        pointer: canonical,
    })
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let digits = tail.get(..2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_lead_where_pointers_do_and_never_out_of_the_document() {
        let root = json!({
            "$id": "https://example.com/notes",
            "$defs": {"a/b": {"title": "slash"}, "c~d": {"title": "tilde"}, "e f": {"title": "space"},
                      "own": {"$id": "other", "title": "own"}},
            "allOf": [{"title": "first"}],
            "title": "root",
        });
        let title = |reference: &str| {
            resolve(&root, reference).map(|t| {
                t.schema["title"]
                    .as_str()
                    .expect("a title is text")
                    .to_owned()
            })
        };
        for (reference, expected) in [
            ("#", Some("root")),
            ("#/$defs/a~1b", Some("slash")),
            ("#/$defs/c~0d", Some("tilde")),
            ("#/$defs/e%20f", Some("space")),
            ("#/%24defs/e%20f", Some("space")),
            ("#/allOf/0", Some("first")),
            ("https://example.com/notes#/allOf/0", Some("first")),
            ("https://example.com/notes", Some("root")),
            ("https://example.com/other", None),
            ("other.json#/allOf/0", None),
            ("#/allOf/1", None),
            ("#/$defs/gone", None),
            ("#/$defs/own", None),
            ("#/title", None),
            ("#anchor", None),
            ("#/%2", None),
            ("#/%é", None),
            ("", None),
        ] {
            assert_eq!(title(reference).as_deref(), expected, "{reference}");
        }
    }
}
