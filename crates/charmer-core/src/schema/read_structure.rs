//! The reader of objects and arrays in schemas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    describe::summary,
    intersect::settled,
    pointer,
    read::{SchemaReader, list},
    shape::{Arrays, ObjectShape, Others, Shape, ShapeProperty},
};

impl<'a> SchemaReader<'a> {
    /// Objects as these keywords describe them; `None` where there can be none.
    pub(super) fn read_objects(
        &mut self,
        map: &'a Map<String, Value>,
        at: &str,
    ) -> Option<ObjectShape> {
        let required: Vec<&str> = list(map, "required").filter_map(Value::as_str).collect();
        let is_required: HashSet<&str> = required.iter().copied().collect();
        let mut declared = HashSet::new();
        let mut properties = Vec::new();
        let place = pointer::join(at, "properties");
        for (key, schema) in map
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            declared.insert(key.as_str());
            let shape = self.read_inner(schema, &pointer::join(&place, key));
            properties.push(ShapeProperty {
                required: is_required.contains(key.as_str()),
                key: key.clone(),
                shape,
            });
        }
        let others = self.read_others(map, at);
        for key in required {
            if declared.insert(key) {
                let shape = match &others {
                    Others::Unsaid => Shape::any(at),
                    Others::None => Shape::never(at),
                    Others::Of(shape) => shape.clone(),
                };
                properties.push(ShapeProperty {
                    key: key.to_owned(),
                    shape,
                    required: true,
                });
            }
        }
        settled(ObjectShape { properties, others })
    }

    /// Properties without a name of their own: those of a map, by whatever their keys look like.
    fn read_others(&mut self, map: &'a Map<String, Value>, at: &str) -> Others {
        let by_pattern = map.get("patternProperties").and_then(Value::as_object);
        let by_pattern = by_pattern.filter(|patterns| !patterns.is_empty());
        let place = pointer::join(at, "additionalProperties");
        let rest = map
            .get("additionalProperties")
            .map(|schema| self.read_inner(schema, &place));
        let Some(patterns) = by_pattern else {
            return match rest {
                None => Others::Unsaid,
                Some(shape) if shape.is_never() => {
                    let message = "that there are no other properties is not said";
                    self.notes.add(&place, message);
                    Others::None
                }
                Some(shape) => Others::Of(shape),
            };
        };
        let place = pointer::join(at, "patternProperties");
        self.notes
            .add(&place, "what the keys look like is not said");
        let mut shapes: Vec<Shape> = patterns
            .iter()
            .map(|(pattern, schema)| self.read_inner(schema, &pointer::join(&place, pattern)))
            .collect();
        shapes.push(rest.unwrap_or_else(|| Shape::any(at)));
        let shape = self.union.of(shapes);
        if shape.is_never() {
            return Others::None;
        }
        Others::Of(shape)
    }

    /// Arrays as these keywords describe them; a tuple becomes a list of what its elements may be.
    pub(super) fn read_arrays(&mut self, map: &'a Map<String, Value>, at: &str) -> Arrays {
        let mut min = map.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let mut max = map.get("maxItems").and_then(Value::as_u64);
        let (keyword, prefix, rest) = match (map.get("prefixItems"), map.get("items")) {
            (Some(Value::Array(prefix)), rest) => ("prefixItems", prefix.as_slice(), rest),
            (_, Some(Value::Array(prefix))) => {
                ("items", prefix.as_slice(), map.get("additionalItems"))
            }
            (_, rest) => ("items", [].as_slice(), rest),
        };
        let place = pointer::join(at, keyword);
        let mut shapes: Vec<Shape> = prefix
            .iter()
            .enumerate()
            .map(|(number, schema)| self.read_inner(schema, &format!("{place}/{number}")))
            .collect();
        let tuple: Vec<String> = shapes.iter().map(summary).collect();
        let length = shapes.len() as u64;
        if max.is_none_or(|max| max > length) {
            match rest {
                Some(schema) => {
                    let shape = self.read_inner(schema, &pointer::join(at, "items"));
                    if shape.is_never() {
                        max = Some(length);
                    } else {
                        shapes.push(shape);
                    }
                }
                None => shapes.push(Shape::any(at)),
            }
        }
        let differ = tuple.iter().any(|summary| *summary != tuple[0]);
        if differ {
            let message = "which element of a tuple is of which type is told in words only";
            self.notes.add(&place, message);
        }
        if max.is_some_and(|max| min > max) {
            min = 0;
        }
        let items = self.union.of(shapes);
        Arrays {
            items: (!items.is_any()).then_some(items),
            min,
            max,
            tuple: differ.then_some(tuple),
        }
    }
}
