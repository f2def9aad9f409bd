//! How what is meant is said as a tool's JSON input.

use charmer::{Layout, Tool};
use serde_json::{Map, Value, json};

use super::{
    level::Level,
    meaning::{Key, Meaning, Meant, Scalar},
    spec::{Arity, Spec},
};

impl Meaning {
    /// The value in the form that a schema asks for; `None` if that form cannot hold it.
    fn json(&self, schema: &Value) -> Option<Value> {
        let lists = match self {
            Self::Switch(on) => return Some(json!(on)),
            Self::Count(times) => return Some(json!(times)),
            Self::Bare => return Some(json!("")),
            Self::Values(lists) => lists,
        };
        let array = |list: &Vec<Scalar>| list.iter().map(Scalar::json).collect::<Value>();
        match (schema["type"].as_str()?, schema["items"]["type"].as_str()) {
            ("array", Some("array")) => Some(lists.iter().map(array).collect()),
            ("array", _) => Some(array(&lists.concat())),
            _ => match &lists.concat()[..] {
                [one] => Some(one.json()),
                _ => None,
            },
        }
    }
}

/// Whether a tool has a property for an argument.
pub(super) fn is_offered(tool: &Tool, (depth, id): &Key) -> bool {
    let mut flags = tool.input.flags.iter();
    let mut positionals = tool.input.positionals.iter();
    flags.any(|property| property.owner == *depth && property.flag.id == *id)
        || positionals.any(|property| property.level == *depth && property.positional.id == *id)
}

/// A tool's input, or `None` if its schema has no place for what is meant.
pub(super) fn encode(tool: &Tool, lineage: &[&Level], meant: &Meant) -> Option<Map<String, Value>> {
    if !meant.keys().all(|key| is_offered(tool, key)) {
        return None;
    }
    let nested = tool.input.layout == Layout::Nested;
    let definition = tool.definition();
    let outer = &definition["inputSchema"]["properties"];
    let flag_schemas = match nested {
        true => &outer["flags"]["properties"],
        false => outer,
    };
    let mut flags = Map::new();
    for property in &tool.input.flags {
        if let Some(meaning) = meant.get(&(property.owner, property.flag.id.clone())) {
            let value = meaning.json(&flag_schemas[&property.key])?;
            flags.insert(property.key.clone(), value);
        }
    }
    let mut input = Map::new();
    let mut args = Vec::new();
    let mut shares = Vec::new();
    for property in &tool.input.positionals {
        let id = &property.positional.id;
        let meaning = meant.get(&(property.level, id.clone()));
        let spec = lineage[property.level].arg(id)?;
        if nested && !spec.last {
            let values = meaning.map(Meaning::scalars).unwrap_or_default();
            // There an element is what stands on a command line: where the program splits it, it is several values.
            if spec.delimiter && values.iter().any(|value| value.text().contains(',')) {
                return None;
            }
            shares.push((spec, property.positional.required, values.len()));
            args.extend(values.into_iter().map(|value| json!(value.text())));
        } else if let Some(meaning) = meaning {
            input.insert(property.key.clone(), meaning.json(&outer[&property.key])?);
        }
    }
    if nested {
        if !is_how_a_list_is_shared(&shares) {
            return None;
        }
        input.insert("flags".into(), flags.into());
        input.insert("args".into(), args.into());
    } else {
        input.append(&mut flags);
    }
    Some(input)
}

/// The nested layout's list is given out in order: one each, and to a variadic one what nobody behind it needs.
fn is_how_a_list_is_shared(shares: &[(&Spec, bool, usize)]) -> bool {
    let mut left: usize = shares.iter().map(|(.., share)| share).sum();
    for (at, (spec, required, share)) in shares.iter().enumerate() {
        let behind = shares[at + 1..].iter();
        let needed = behind.filter(|(_, required, _)| *required).count();
        let most = match spec.arity {
            Arity::One => 1,
            Arity::Fixed(count) => count,
            Arity::UpToThree => 3,
            _ => usize::MAX,
        };
        let expected = match spec.arity {
            Arity::One if *required => left.min(1),
            _ => left.saturating_sub(needed).min(most),
        };
        if *share != expected {
            return false;
        }
        left -= share;
    }
    left == 0
}

/// The same input with its keys the other way round.
pub(super) fn reversed(input: &Map<String, Value>) -> Map<String, Value> {
    let turn = |value: &Value| match value {
        Value::Object(inner) => Value::Object(reversed(inner)),
        other => other.clone(),
    };
    input
        .iter()
        .rev()
        .map(|(key, value)| (key.clone(), turn(value)))
        .collect()
}
