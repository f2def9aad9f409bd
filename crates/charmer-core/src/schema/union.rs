//! Shapes that let in whatever one of several lets in.

use std::collections::{HashMap, HashSet};

use super::{
    describe,
    number::compare,
    shape::{Arrays, Numbers, ObjectShape, Others, Shape, ShapeProperty, StringChoice, Strings},
};

/// The way shapes are put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Union {
    /// Properties that a schema says nothing of are taken not to appear.
    pub(super) only_declared: bool,
}

impl Union {
    /// A shape that lets in what any of these lets in.
    pub(super) fn of(self, mut shapes: Vec<Shape>) -> Shape {
        shapes.retain(|shape| !shape.is_never());
        let Some(first) = shapes.first() else {
            return Shape::default();
        };
        let at = first.at.clone();
        let meaningful = shapes.iter().filter(|shape| shape.types() > 0).count();
        if meaningful <= 1 {
            // One shape and perhaps null: what is said of it stays.
            let null = shapes.iter().any(|shape| shape.null);
            let place = shapes.iter().position(|shape| shape.types() > 0);
            let mut shape = shapes.swap_remove(place.unwrap_or(0));
            shape.null = null;
            return shape;
        }
        let mut merged = Shape::never(at);
        if shapes.iter().any(Shape::is_any) {
            merged = Shape::any(merged.at);
            merged.text.variants = describe::variants(&shapes);
            return merged;
        }
        merged.text.variants = describe::variants(&shapes);
        let mut strings = Vec::new();
        let mut arrays = Vec::new();
        let mut objects = Vec::new();
        for shape in shapes {
            merged.null |= shape.null;
            merged.boolean |= shape.boolean;
            if let Some(numbers) = shape.number {
                merged.number = Some(match merged.number {
                    Some(before) => Box::new(either_numbers(*before, *numbers)),
                    None => numbers,
                });
            }
            if let Some(mut string) = shape.string {
                // The description of a single choice is that choice's.
                if let Some([choice]) = string.choices.as_deref_mut()
                    && choice.help.is_none()
                {
                    choice.help = shape.text.description;
                }
                strings.push(*string);
            }
            arrays.extend(shape.array.map(|array| *array));
            objects.extend(shape.object.map(|object| *object));
        }
        merged.string = either_strings(strings).map(Box::new);
        merged.array = self.either_arrays(arrays).map(Box::new);
        merged.object = self.either_objects(objects).map(Box::new);
        merged
    }

    fn either_arrays(self, mut arrays: Vec<Arrays>) -> Option<Arrays> {
        if arrays.len() < 2 {
            return arrays.pop();
        }
        let min = arrays.iter().map(|array| array.min).min().unwrap_or(0);
        let max = arrays
            .iter()
            .map(|array| array.max)
            .try_fold(0, |largest, max| max.map(|max| largest.max(max)));
        // An array without elements says nothing about them.
        let items: Option<Vec<Shape>> = arrays
            .into_iter()
            .filter(|array| array.max != Some(0))
            .map(|array| array.items)
            .collect();
        Some(Arrays {
            items: items.map(|items| self.of(items)),
            min,
            max,
            tuple: None,
        })
    }

    fn either_objects(self, mut objects: Vec<ObjectShape>) -> Option<ObjectShape> {
        if objects.len() < 2 {
            return objects.pop();
        }
        let count = objects.len();
        let all_closed = objects
            .iter()
            .all(|object| matches!(object.others, Others::None));
        let unsaid = objects
            .iter()
            .filter(|object| matches!(object.others, Others::Unsaid))
            .count();
        // For each key, in order of appearance: its shapes, how many require it, and in which objects it is.
        let mut keys: Vec<UnionParts> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut others: Vec<(usize, Shape)> = Vec::new();
        for (number, object) in objects.into_iter().enumerate() {
            let is_unsaid = matches!(object.others, Others::Unsaid);
            for property in object.properties {
                let place = *places.entry(property.key.clone()).or_insert_with(|| {
                    keys.push(UnionParts::new(property.key.clone()));
                    keys.len() - 1
                });
                let gathered = &mut keys[place];
                gathered.required += usize::from(property.required);
                gathered.unsaid += usize::from(is_unsaid);
                gathered.shapes.push(property.shape);
                gathered.within.push(number);
            }
            if let Others::Of(shape) = object.others {
                others.push((number, shape));
            }
        }
        let properties = keys
            .into_iter()
            .map(|mut gathered| {
                let at = gathered.shapes.first().map(|shape| shape.at.clone());
                let at = at.unwrap_or_default();
                // Where it is not declared it may be there all the same, and be anything.
                if gathered.unsaid < unsaid && !self.only_declared {
                    gathered.shapes.push(Shape::any(at));
                }
                for (number, shape) in &others {
                    if !gathered.within.contains(number) {
                        gathered.shapes.push(shape.clone());
                    }
                }
                let description = gathered
                    .shapes
                    .iter()
                    .find_map(|shape| shape.text.description.clone());
                let mut shape = self.of(gathered.shapes);
                let told = shape.string.as_ref().is_some_and(|s| s.choices.is_some());
                if shape.text.description.is_none() && !told {
                    shape.text.description = description;
                }
                ShapeProperty {
                    required: gathered.required == count,
                    shape,
                    key: gathered.key,
                }
            })
            .collect();
        let others = if all_closed {
            Others::None
        } else if unsaid > 0 {
            Others::Unsaid
        } else {
            Others::Of(self.of(others.into_iter().map(|(_, shape)| shape).collect()))
        };
        Some(ObjectShape { properties, others })
    }
}

struct UnionParts {
    key: String,
    shapes: Vec<Shape>,
    required: usize,
    unsaid: usize,
    within: Vec<usize>,
}

impl UnionParts {
    fn new(key: String) -> Self {
        Self {
            key,
            shapes: Vec::new(),
            required: 0,
            unsaid: 0,
            within: Vec::new(),
        }
    }
}

fn either_numbers(a: Numbers, b: Numbers) -> Numbers {
    let min = a.min.zip(b.min);
    let max = a.max.zip(b.max);
    let choices = a.choices.zip(b.choices).map(|(mut a, b)| {
        let new: Vec<_> = b.into_iter().filter(|b| !a.contains(b)).collect();
        a.extend(new);
        a
    });
    Numbers {
        integer: a.integer && b.integer,
        min: min.map(|(a, b)| if compare(&a, &b).is_le() { a } else { b }),
        max: max.map(|(a, b)| if compare(&a, &b).is_ge() { a } else { b }),
        choices,
    }
}

fn either_strings(mut strings: Vec<Strings>) -> Option<Strings> {
    if strings.len() < 2 {
        return strings.pop();
    }
    if strings.iter().all(|string| string.choices.is_some()) {
        let mut seen = HashSet::new();
        let choices: Vec<StringChoice> = strings
            .into_iter()
            .flat_map(|string| string.choices.unwrap_or_default())
            .filter(|choice| seen.insert(choice.value.clone()))
            .collect();
        return Some(Strings {
            choices: Some(choices),
            ..Strings::default()
        });
    }
    let first = strings[0].clone();
    let rest = &strings[1..];
    // A list of choices bounds no length and matches no pattern that we know of.
    let lengths = strings.iter().all(|string| string.choices.is_none());
    Some(Strings {
        choices: None,
        min_length: strings
            .iter()
            .map(|string| string.min_length)
            .try_fold(u64::MAX, |least, min| min.map(|min| least.min(min)))
            .filter(|_| lengths),
        max_length: strings
            .iter()
            .map(|string| string.max_length)
            .try_fold(0, |most, max| max.map(|max| most.max(max)))
            .filter(|_| lengths),
        pattern: first
            .pattern
            .filter(|pattern| rest.iter().all(|s| s.pattern.as_ref() == Some(pattern))),
        format: first
            .format
            .filter(|format| rest.iter().all(|s| s.format.as_ref() == Some(format))),
    })
}
