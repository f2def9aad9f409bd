//! The keys `structure`, `max_items` and `output`, which spells have too.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use charmer_run::layers::StructureMode;
use serde_json::{Map, Number, Value};

use crate::{
    OutputRules, SchemaRule,
    output::{DIALECTS, FORMATS, MODES},
    read::Problems,
    reading,
    yaml::{MOST_BYTES, Node, Quoted, YamlKind},
};

/// The keys of `output`.
pub const OUTPUT: &[&str] = &["schema", "format", "dialect", "field"];

/// The key `structure`: how far it goes to have output as data.
pub fn structure(node: &Node, problems: &mut Problems<'_>) -> Option<StructureMode> {
    match &node.kind {
        // `off` is text to YAML 1.2 and `false` to YAML 1.1; both are meant.
        YamlKind::Bool(false) => Some(StructureMode::Off),
        _ => problems.choice(node, "structure", MODES),
    }
}

/// The key `max_items`: how many items of a list are kept.
pub fn max_items(node: &Node, problems: &mut Problems<'_>) -> Option<usize> {
    problems.amount(node, "max_items", 1..=1_000_000)
}

/// The key `output`. With a folder, which relative paths start in, a schema's file is read.
pub fn output(
    node: &Node,
    folder: Option<&Path>,
    problems: &mut Problems<'_>,
) -> Option<OutputRules> {
    let fields = problems.fields(node, "output", OUTPUT)?;
    let given = fields.get("schema");
    if given.is_none() {
        for key in ["dialect", "field"] {
            if let Some((name, _)) = fields.entry(key) {
                problems
                    .add(
                        name.span.clone(),
                        format!("`{key}` is about the schema, and there is none"),
                    )
                    .hint("add `schema: ...`, or remove it");
            }
        }
    }
    let rules = OutputRules {
        schema: given.and_then(|node| schema(node, folder, problems)),
        format: fields.read("format", |node, key| problems.choice(node, key, FORMATS)),
        dialect: fields
            .read("dialect", |node, key| problems.choice(node, key, DIALECTS))
            .unwrap_or_default(),
        field: fields.read("field", |node, _| field(node, problems)),
    };
    Some(rules)
}

fn field(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let name = problems.word(node, "field")?;
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    if name.len() > 64 || !name.chars().all(valid) {
        problems
            .add(
                node.span.clone(),
                format!("{} is no name that clients take for a field", Quoted(&name)),
            )
            .hint("use letters, digits, `_`, `-` and `.`, at most 64 of them");
        return None;
    }
    Some(name)
}

fn schema(node: &Node, folder: Option<&Path>, problems: &mut Problems<'_>) -> Option<SchemaRule> {
    match &node.kind {
        YamlKind::Map(entries) if entries.is_empty() => {
            problems
                .add(node.span.clone(), "`schema` says nothing")
                .hint("write a JSON Schema, like `{type: object}`, or the path of a file that holds one");
            None
        }
        YamlKind::Map(_) => json(node, false, problems).map(SchemaRule::Inline),
        YamlKind::Text(_) => {
            let path = PathBuf::from(problems.word(node, "schema")?);
            let json = match folder.map(|folder| (folder, schema_file(&folder.join(&path)))) {
                None => None,
                Some((_, Ok(json))) => Some(json),
                Some((folder, Err(wrong))) => {
                    let message = format!("the schema {} {}", Quoted(&node_text(node)), wrong.0);
                    let hint = match wrong.1 {
                        "" => format!(
                            "correct the path; a relative one starts at `{}`",
                            folder.display()
                        ),
                        hint => hint.to_owned(),
                    };
                    problems.add(node.span.clone(), message).hint(hint);
                    return None;
                }
            };
            Some(SchemaRule::File { path, json })
        }
        _ => {
            problems
                .wrong(node, "schema", "a mapping or the path of a file")
                .hint("write a JSON Schema, like `{type: object}`, or the path of a file that holds one");
            None
        }
    }
}

fn node_text(node: &Node) -> String {
    match &node.kind {
        YamlKind::Text(text) => text.clone(),
        _ => node.raw.clone(),
    }
}

/// The schema in a file, or what is wrong with it and what helps; empty if it is the path.
pub(crate) fn schema_file(path: &Path) -> Result<Value, (String, &'static str)> {
    let unreadable = |error: io::Error| (format!("cannot be read: {error}"), "");
    // A pipe or a device would never end.
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(("is no file".into(), ""));
    }
    let text = File::open(path)
        .and_then(reading::text_of)
        .map_err(unreadable)?;
    if text.len() > MOST_BYTES {
        let hint = "declare only what is worth checking";
        return Err(("is larger than 1 MiB".into(), hint));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match serde_json::from_str(text) {
        Ok(Value::Object(schema)) => Ok(schema.into()),
        Ok(_) => Err((
            "is no JSON Schema: it is not an object".into(),
            "a schema looks like `{\"type\": \"object\", \"properties\": {...}}`",
        )),
        Err(error) => Err((
            format!("is no JSON: {error}"),
            "a schema's file is JSON; as YAML it can be written here, in the place of the path",
        )),
    }
}

/// YAML as the JSON that it stands for. `types` says that the names of types are expected.
fn json(node: &Node, types: bool, problems: &mut Problems<'_>) -> Option<Value> {
    Some(match &node.kind {
        YamlKind::Null if types => {
            problems
                .add(
                    node.span.clone(),
                    "this is nothing, and not the type `null`",
                )
                .hint("put it in quotes: `\"null\"`");
            return None;
        }
        YamlKind::Null => Value::Null,
        YamlKind::Bool(on) => (*on).into(),
        YamlKind::Integer(number) => match Number::from_i128(*number) {
            Some(number) => number.into(),
            None => (*number as f64).into(),
        },
        YamlKind::Float => match node.raw.parse::<f64>() {
            Ok(number) if number.is_finite() => number.into(),
            _ => {
                let message = format!("{} is no number of JSON", Quoted(&node.raw));
                problems
                    .add(node.span.clone(), message)
                    .hint("write it like `1.5`, or put it in quotes");
                return None;
            }
        },
        YamlKind::Text(text) => text.clone().into(),
        YamlKind::List(list) => {
            let items = list.iter().map(|item| json(item, types, problems));
            // All of them, so that every mistake is found.
            let items: Vec<Option<Value>> = items.collect();
            items.into_iter().collect::<Option<Vec<Value>>>()?.into()
        }
        YamlKind::Map(entries) => {
            let mut object = Map::new();
            for (key, value) in entries {
                let key = problems.text_of(key, "schema");
                let types = key.as_deref() == Some("type");
                let value = json(value, types, problems);
                object.insert(key?, value?);
            }
            object.into()
        }
    })
}
