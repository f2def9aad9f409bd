//! Shapes that let in what both of two let in, or a little more.

use std::collections::{HashMap, HashSet};

use super::{
    number::compare,
    shape::{Arrays, Numbers, ObjectShape, Others, Shape, ShapeProperty, Strings, Text},
};

/// Returns the intersection; the text for people is the first one's, where it has one.
pub(super) fn both(a: Shape, b: Shape) -> Shape {
    Shape {
        null: a.null && b.null,
        boolean: a.boolean && b.boolean,
        number: a.number.zip(b.number).map(both_numbers),
        string: a.string.zip(b.string).and_then(both_strings),
        array: a.array.zip(b.array).and_then(both_arrays),
        object: a.object.zip(b.object).and_then(both_objects),
        text: both_texts(*a.text, *b.text),
        at: a.at,
    }
}

fn both_texts(a: Text, b: Text) -> Box<Text> {
    Box::new(Text {
        description: a.description.or(b.description),
        variants: if a.variants.is_empty() {
            b.variants
        } else {
            a.variants
        },
        default: a.default.or(b.default),
        examples: if a.examples.is_empty() {
            b.examples
        } else {
            a.examples
        },
    })
}

fn both_numbers((a, b): (Box<Numbers>, Box<Numbers>)) -> Box<Numbers> {
    let choices = match (a.choices, b.choices) {
        (Some(a), Some(b)) => Some(a.into_iter().filter(|a| b.contains(a)).collect::<Vec<_>>()),
        (a, b) => a.or(b),
    };
    Box::new(Numbers {
        integer: a.integer || b.integer,
        min: tighter(a.min, b.min, |a, b| compare(a, b).is_ge()),
        max: tighter(a.max, b.max, |a, b| compare(a, b).is_le()),
        choices,
    })
}

fn both_strings((a, b): (Box<Strings>, Box<Strings>)) -> Option<Box<Strings>> {
    let choices = match (a.choices, b.choices) {
        (Some(mut a), Some(b)) => {
            let allowed: HashSet<&str> = b.iter().map(|choice| choice.value.as_str()).collect();
            a.retain(|choice| allowed.contains(choice.value.as_str()));
            if a.is_empty() {
                return None;
            }
            Some(a)
        }
        (a, b) => a.or(b),
    };
    Some(Box::new(Strings {
        choices,
        min_length: tighter(a.min_length, b.min_length, |a, b| a >= b),
        max_length: tighter(a.max_length, b.max_length, |a, b| a <= b),
        pattern: a.pattern.or(b.pattern),
        format: a.format.or(b.format),
    }))
}

fn both_arrays((a, b): (Box<Arrays>, Box<Arrays>)) -> Option<Box<Arrays>> {
    let items = match (a.items, b.items) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.or(b),
    };
    Some(Box::new(Arrays {
        items,
        min: a.min.max(b.min),
        max: tighter(a.max, b.max, |a, b| a <= b),
        tuple: a.tuple.or(b.tuple),
    }))
}

fn both_objects((a, b): (Box<ObjectShape>, Box<ObjectShape>)) -> Option<Box<ObjectShape>> {
    let (a, b) = (*a, *b);
    let mut theirs: HashMap<String, ShapeProperty> = HashMap::with_capacity(b.properties.len());
    let mut order = Vec::with_capacity(b.properties.len());
    for property in b.properties {
        order.push(property.key.clone());
        theirs.insert(property.key.clone(), property);
    }
    let mut properties = Vec::with_capacity(a.properties.len() + order.len());
    for mut property in a.properties {
        match theirs.remove(&property.key) {
            Some(other) => {
                property.required |= other.required;
                property.shape = both(property.shape, other.shape);
            }
            None => property.shape = within(property.shape, &b.others),
        }
        properties.push(property);
    }
    for key in order {
        if let Some(mut property) = theirs.remove(&key) {
            property.shape = within(property.shape, &a.others);
            properties.push(property);
        }
    }
    let others = match (a.others, b.others) {
        (Others::Unsaid, others) | (others, Others::Unsaid) => others,
        (Others::None, _) | (_, Others::None) => Others::None,
        (Others::Of(a), Others::Of(b)) => Others::Of(both(a, b)),
    };
    settled(ObjectShape { properties, others }).map(Box::new)
}

/// Leaves out what cannot be there; `None` where that is something required.
pub(super) fn settled(mut object: ObjectShape) -> Option<ObjectShape> {
    if object
        .properties
        .iter()
        .any(|property| property.required && property.shape.is_never())
    {
        return None;
    }
    object
        .properties
        .retain(|property| !property.shape.is_never());
    Some(object)
}

fn within(shape: Shape, others: &Others) -> Shape {
    match others {
        Others::Unsaid => shape,
        Others::None => Shape::never(shape.at),
        Others::Of(other) => both(shape, other.clone()),
    }
}

fn tighter<T>(a: Option<T>, b: Option<T>, first: impl Fn(&T, &T) -> bool) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if first(&a, &b) { a } else { b }),
        (a, b) => a.or(b),
    }
}
