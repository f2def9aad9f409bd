//! A JSON Schema read into a [`Shape`], whatever its draft.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    DEPTH_LIMIT, NODE_LIMIT, RECURSION_LIMIT, REPEAT_LIMIT,
    intersect::both,
    note::SchemaNotes,
    pointer,
    reference::resolve,
    shape::{Arrays, ObjectShape, Shape, Text},
    union::Union,
};

/// Keywords that the portable dialect has nothing for.
const UNSAID: [&str; 15] = [
    "not",
    "if",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "contains",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "uniqueItems",
    "multipleOf",
    "$dynamicRef",
    "$recursiveRef",
];

/// The number of examples that are told.
const EXAMPLES: usize = 3;

/// Walks a schema; every limit ends in a shape that lets in more.
pub(super) struct SchemaReader<'a> {
    root: &'a Value,
    /// It is of a draft in which nothing beside `$ref` counts.
    lone_references: bool,
    pub(super) union: Union,
    pub(super) notes: SchemaNotes,
    nodes: usize,
    repeats: usize,
    depth: usize,
    /// The definitions that are being read, outermost first.
    path: Vec<String>,
    /// The place in the path from which on definitions are about the same value.
    here: usize,
    /// The definitions that were read before.
    known: HashSet<String>,
    /// The number of definitions of the path that were read before.
    repeating: usize,
    /// Only the types are still wanted.
    pub(super) shallow: bool,
    /// This part has a name of its own, so that `#` is not the root.
    foreign: bool,
}

impl<'a> SchemaReader<'a> {
    pub(super) fn new(root: &'a Value, union: Union) -> Self {
        let draft = root.get("$schema").and_then(Value::as_str);
        Self {
            root,
            lone_references: draft.is_some_and(|draft| draft.contains("/draft-0")),
            union,
            notes: SchemaNotes::default(),
            nodes: NODE_LIMIT,
            repeats: REPEAT_LIMIT,
            depth: 0,
            path: vec![String::new()],
            here: 0,
            known: HashSet::from([String::new()]),
            repeating: 0,
            shallow: false,
            foreign: false,
        }
    }

    /// The shape of a schema that is about a value inside of the one at hand.
    pub(super) fn read_inner(&mut self, schema: &'a Value, at: &str) -> Shape {
        let here = std::mem::replace(&mut self.here, self.path.len());
        self.depth += 1;
        let shape = self.read(schema, at);
        self.depth -= 1;
        self.here = here;
        shape
    }

    /// The shape of a schema.
    pub(super) fn read(&mut self, schema: &'a Value, at: &str) -> Shape {
        let map = match schema {
            Value::Bool(true) => return Shape::any(at),
            Value::Bool(false) => return Shape::never(at),
            Value::Object(map) => map,
            _ => {
                self.notes.add(at, "is no schema; nothing is said here");
                return Shape::any(at);
            }
        };
        if self.nodes == 0 || self.depth >= DEPTH_LIMIT {
            self.notes.add(
                at,
                "is beyond the size that is converted; nothing is said here",
            );
            return Shape::any(at);
        }
        self.nodes -= 1;
        if self.repeating > 0 {
            self.repeats = self.repeats.saturating_sub(1);
        }
        self.depth += 1;
        let foreign = self.foreign;
        self.foreign |= !at.is_empty() && map.get("$id").is_some_and(Value::is_string);
        let shape = self.read_object_schema(map, at);
        self.foreign = foreign;
        self.depth -= 1;
        shape
    }

    fn read_object_schema(&mut self, map: &'a Map<String, Value>, at: &str) -> Shape {
        let reference = map.get("$ref").and_then(Value::as_str);
        if let Some(reference) = reference
            && self.lone_references
        {
            let mut shape = Shape::any(at);
            *shape.text = text(map);
            let target = self.follow(reference, at);
            return both(shape, target);
        }
        let mut shape = self.read_own(map, at);
        if let Some(reference) = reference {
            shape = both(shape, self.follow(reference, at));
        }
        for (number, schema) in list(map, "allOf").enumerate() {
            let inner = self.read_numbered(schema, at, "allOf", number);
            shape = both(shape, inner);
        }
        for keyword in ["anyOf", "oneOf"] {
            if map.get(keyword).is_some_and(Value::is_array) {
                let mut shapes = Vec::new();
                for (number, schema) in list(map, keyword).enumerate() {
                    shapes.push(self.read_numbered(schema, at, keyword, number));
                }
                shape = both(shape, self.union.of(shapes));
            }
        }
        if map.get("nullable") == Some(&Value::Bool(true)) {
            shape.null = true;
        }
        self.note_unsaid(map, at);
        shape
    }

    fn read_numbered(
        &mut self,
        schema: &'a Value,
        at: &str,
        keyword: &str,
        number: usize,
    ) -> Shape {
        let place = format!("{at}/{keyword}/{number}");
        self.read(schema, &place)
    }

    /// Reads the schema's own keywords, not those that lead to other schemas.
    fn read_own(&mut self, map: &'a Map<String, Value>, at: &str) -> Shape {
        let mut shape = self.read_types(map, at);
        *shape.text = text(map);
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            shape = both(shape, self.of_values(values, at));
        }
        if let Some(value) = map.get("const") {
            shape = both(shape, self.of_values(std::slice::from_ref(value), at));
        }
        shape
    }

    fn note_unsaid(&mut self, map: &Map<String, Value>, at: &str) {
        for keyword in UNSAID {
            // `uniqueItems: false` says nothing, `unevaluatedProperties: false` does.
            let empty = Value::Bool(keyword.starts_with("unevaluated"));
            if map.get(keyword).is_some_and(|value| *value != empty) {
                let message = format!("`{keyword}` cannot be said and is left out");
                self.notes.add(&pointer::join(at, keyword), message);
            }
        }
    }

    /// Reads `type` and the keywords of each type.
    fn read_types(&mut self, map: &'a Map<String, Value>, at: &str) -> Shape {
        let names: Vec<&str> = match map.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let unknown = |name: &&str| {
            !matches!(
                *name,
                "null" | "boolean" | "number" | "integer" | "string" | "array" | "object"
            )
        };
        let open = names.is_empty() || names.iter().any(unknown);
        if open && map.contains_key("type") {
            self.notes
                .add(&pointer::join(at, "type"), "names no type that JSON has");
        }
        let is = |name: &str| open || names.contains(&name);
        let mut shape = Shape::never(at);
        shape.null = is("null");
        shape.boolean = is("boolean");
        if is("number") || is("integer") {
            shape.number = Some(Box::new(self.read_numbers(map, !is("number"), at)));
        }
        if is("string") {
            shape.string = Some(Box::new(self.read_strings(map, at)));
        }
        if is("array") {
            let array = if self.shallow {
                Arrays::default()
            } else {
                self.read_arrays(map, at)
            };
            shape.array = Some(Box::new(array));
        }
        if is("object") {
            let object = if self.shallow {
                Some(ObjectShape::default())
            } else {
                self.read_objects(map, at)
            };
            shape.object = object.map(Box::new);
        }
        shape
    }

    fn follow(&mut self, reference: &str, at: &str) -> Shape {
        let place = pointer::join(at, "$ref");
        let target = resolve(self.root, reference).filter(|_| !self.foreign);
        let Some(target) = target else {
            let message =
                format!("the reference {reference:?} leads nowhere; nothing is said here");
            self.notes.add(&place, message);
            return Shape::any(at);
        };
        if self.path[self.here..].contains(&target.pointer) {
            let message =
                format!("the reference {reference:?} leads back to itself; nothing is said here");
            self.notes.add(&place, message);
            return Shape::any(at);
        }
        let within = self.path.iter().filter(|p| **p == target.pointer).count();
        let repeated = !self.known.insert(target.pointer.clone());
        let shallow = self.shallow;
        if !shallow && within >= RECURSION_LIMIT {
            let message = format!(
                "{reference:?} contains itself and is written out {RECURSION_LIMIT} times; then only its type is said"
            );
            self.notes.add(&place, message);
            self.shallow = true;
        } else if !shallow && repeated && self.repeats == 0 {
            let message = format!(
                "{reference:?} was written out often enough; from here on only its type is said"
            );
            self.notes.add(&place, message);
            self.shallow = true;
        }
        self.repeating += usize::from(repeated);
        self.path.push(target.pointer.clone());
        let shape = self.read(target.schema, &target.pointer);
        self.path.pop();
        self.repeating -= usize::from(repeated);
        self.shallow = shallow;
        shape
    }
}

/// The schemas of a keyword that has a list of them.
pub(super) fn list<'a>(map: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    map.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The schema's words for people.
fn text(map: &Map<String, Value>) -> Text {
    let own = |key: &str| map.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
    Text {
        description: own("description").or_else(|| own("title")),
        variants: Vec::new(),
        default: map.get("default").filter(|value| !value.is_null()).cloned(),
        examples: list(map, "examples")
            .filter(|value| value.is_string() || value.is_number() || value.is_boolean())
            .take(EXAMPLES)
            .cloned()
            .collect(),
    }
}
