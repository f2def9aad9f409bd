//! Fields between tabs, with a header or without one.

use serde_json::{Map, Value};

use super::header;

/// The minimum number of fields of a line when no header names them: fewer happen in ordinary text.
const LEAST_FIELDS: usize = 3;

/// Reads lines that all have the same number of fields. With a header they become objects, else lists of text.
pub(super) fn read(text: &str, declared: bool) -> Option<Value> {
    let mut lines = text
        .trim_end_matches(['\n', '\r'])
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let first: Vec<&str> = lines.next()?.split('\t').collect();
    if first.len() < 2 || has_control(&first) {
        return None;
    }
    // Padded fields are those of a program that aligns them and puts tabs between.
    let names: Vec<&str> = first.iter().map(|name| name.trim_matches(' ')).collect();
    let has_header = header::are_upper(&names) && header::are_distinct(&names);
    if !has_header && (first.len() < LEAST_FIELDS || first[0].trim().is_empty()) {
        return None;
    }
    let mut items = Vec::new();
    if !has_header {
        items.push(list(&first));
    }
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.len() != first.len() || fields[0].trim().is_empty() || has_control(&fields) {
            return None;
        }
        items.push(if has_header {
            let cells = fields
                .iter()
                .map(|field| Value::from(field.trim_matches(' ')));
            let names = names.iter().map(|&name| name.to_owned());
            Value::Object(Map::from_iter(names.zip(cells)))
        } else {
            list(&fields)
        });
    }
    (!items.is_empty() || declared).then_some(Value::Array(items))
}

fn list(fields: &[&str]) -> Value {
    Value::Array(
        fields
            .iter()
            .map(|field| field.trim_end_matches(' ').into())
            .collect(),
    )
}

fn has_control(fields: &[&str]) -> bool {
    fields.iter().any(|field| field.contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_named_by_a_header_or_by_their_place() {
        for (text, expected) in [
            (
                "NAME \tREVISION\nweb  \t3       \nbase\t        \n",
                json!([{"NAME": "web", "REVISION": "3"}, {"NAME": "base", "REVISION": ""}]),
            ),
            (
                "12\tFix it  \tmain\t\n13\t A  b\t\tOPEN\n",
                json!([["12", "Fix it", "main", ""], ["13", " A  b", "", "OPEN"]]),
            ),
        ] {
            assert_eq!(read(text, false), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_text_with_tabs_is_left_alone() {
        for text in [
            "a\tb\nc\td\n",
            "a\tb\tc\nd\te\n",
            "\tif x {\n\t\ty\n\t}\n",
            "all:\n\tcc -o a\tb\tc\n",
            "NAME\tAGE\n",
            "NAME\tNAME\nx\ty\n",
            "a\tb\tc\n\nd\te\tf\n",
        ] {
            assert_eq!(read(text, false), None, "{text:?}");
        }
        assert_eq!(read("NAME\tAGE\n", true), Some(json!([])));
    }
}
