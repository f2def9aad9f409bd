//! The reader of numbers, strings and listed values in schemas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    number::{bound, compare, is_whole},
    pattern, pointer,
    read::SchemaReader,
    shape::{Numbers, Shape, StringChoice, Strings},
};

impl SchemaReader<'_> {
    pub(super) fn read_numbers(
        &mut self,
        map: &Map<String, Value>,
        integer: bool,
        at: &str,
    ) -> Numbers {
        let mut min = bound(map.get("minimum"));
        let mut max = bound(map.get("maximum"));
        for (keyword, step) in [("exclusiveMinimum", 1), ("exclusiveMaximum", -1)] {
            let Some(edge) = bound(map.get(keyword)) else {
                continue;
            };
            let within = match edge.as_i64() {
                Some(edge) if integer => (edge + step).into(),
                _ => {
                    let message = "is written as a bound that may be reached";
                    self.notes.add(&pointer::join(at, keyword), message);
                    edge
                }
            };
            if step > 0 {
                min = min
                    .filter(|min| compare(min, &within).is_ge())
                    .or(Some(within));
            } else {
                max = max
                    .filter(|max| compare(max, &within).is_le())
                    .or(Some(within));
            }
        }
        Numbers {
            integer,
            min,
            max,
            choices: None,
        }
    }

    pub(super) fn read_strings(&mut self, map: &Map<String, Value>, at: &str) -> Strings {
        let own = |key: &str| map.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let pattern = own("pattern").filter(|pattern| {
            let portable = pattern::is_portable(pattern);
            if !portable {
                let message = "is no pattern that every client reads and is left out";
                self.notes.add(&pointer::join(at, "pattern"), message);
            }
            portable
        });
        Strings {
            choices: None,
            min_length: map.get("minLength").and_then(Value::as_u64),
            max_length: map.get("maxLength").and_then(Value::as_u64),
            pattern,
            format: own("format"),
        }
    }

    /// The values of an `enum` or a `const`.
    pub(super) fn of_values(&mut self, values: &[Value], at: &str) -> Shape {
        let mut shape = Shape::never(at);
        let mut numbers = Vec::new();
        let mut choices = Vec::new();
        let mut structured = false;
        for value in values {
            match value {
                Value::Null => shape.null = true,
                Value::Bool(_) => shape.boolean = true,
                Value::Number(number) => numbers.push(number.clone()),
                Value::String(text) => choices.push(StringChoice {
                    value: text.clone(),
                    help: None,
                }),
                Value::Array(_) => {
                    structured = true;
                    shape.array = Some(Box::default());
                }
                Value::Object(_) => {
                    structured = true;
                    shape.object = Some(Box::default());
                }
            }
        }
        let booleans = values.iter().filter(|value| value.is_boolean()).count();
        if structured || numbers.len() > 2 || booleans == 1 {
            let message = "of the values that are listed only strings can be said one by one";
            self.notes.add(at, message);
        }
        let edge = |first: fn(std::cmp::Ordering) -> bool| {
            let edge = numbers
                .iter()
                .reduce(|a, b| if first(compare(a, b)) { a } else { b })?;
            bound(Some(&Value::Number(edge.clone())))
        };
        if !numbers.is_empty() {
            shape.number = Some(Box::new(Numbers {
                integer: numbers.iter().all(is_whole),
                min: edge(std::cmp::Ordering::is_le),
                max: edge(std::cmp::Ordering::is_ge),
                choices: Some(numbers),
            }));
        }
        if !choices.is_empty() {
            let mut seen = HashSet::new();
            choices.retain(|choice| seen.insert(choice.value.clone()));
            shape.string = Some(Box::new(Strings {
                choices: Some(choices),
                ..Strings::default()
            }));
        }
        shape
    }
}
