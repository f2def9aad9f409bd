//! The set of values of a schema while it is being converted: for each JSON type, the values that may appear.
//!
//! Every step may say less than the schema did, never more: a shape always lets in all that the schema lets in.

use std::rc::Rc;

use serde_json::{Number, Value};

/// A set of values. The default is the empty set.
///
/// Its parts are boxed because schemas are read recursively, and a large one must not exhaust the stack.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    pub(super) null: bool,
    pub(super) boolean: bool,
    pub(super) number: Option<Box<Numbers>>,
    pub(super) string: Option<Box<Strings>>,
    pub(super) array: Option<Box<Arrays>>,
    pub(super) object: Option<Box<ObjectShape>>,
    pub(super) text: Box<Text>,
    /// Its place in the schema, as a JSON pointer.
    pub(super) at: Rc<str>,
}

/// The texts about a value for people.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pub(super) description: Option<String>,
    /// The alternatives in words, where there are several.
    pub(super) variants: Vec<String>,
    pub(super) default: Option<Value>,
    pub(super) examples: Vec<Value>,
}

/// Numbers; all of them by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Numbers {
    pub(super) integer: bool,
    pub(super) min: Option<Number>,
    pub(super) max: Option<Number>,
    /// The only ones, which are told in words.
    pub(super) choices: Option<Vec<Number>>,
}

/// Strings; all of them by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Strings {
    pub(super) choices: Option<Vec<StringChoice>>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<String>,
    pub(super) format: Option<String>,
}

/// One of the strings that are possible.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StringChoice {
    pub(super) value: String,
    pub(super) help: Option<String>,
}

/// Arrays; all of them by default.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrays {
    /// `None` is anything.
    pub(super) items: Option<Shape>,
    pub(super) min: u64,
    pub(super) max: Option<u64>,
    /// The elements of a tuple in words, one by one.
    pub(super) tuple: Option<Vec<String>>,
}

/// Objects; all of them by default.
#[derive(Debug, Clone, Default)]
pub(super) struct ObjectShape {
    pub(super) properties: Vec<ShapeProperty>,
    pub(super) others: Others,
}

/// A declared property.
#[derive(Debug, Clone)]
pub(super) struct ShapeProperty {
    pub(super) key: String,
    pub(super) shape: Shape,
    pub(super) required: bool,
}

/// Properties that are not declared.
#[derive(Debug, Clone, Default)]
pub(super) enum Others {
    /// Nothing is said of them, so they may be there.
    #[default]
    Unsaid,
    /// There are none.
    None,
    /// They are of this shape.
    Of(Shape),
}

impl Shape {
    /// Every value.
    pub(super) fn any(at: impl Into<Rc<str>>) -> Self {
        Self {
            null: true,
            boolean: true,
            number: Some(Box::default()),
            string: Some(Box::default()),
            array: Some(Box::default()),
            object: Some(Box::default()),
            text: Box::default(),
            at: at.into(),
        }
    }

    /// No value at all.
    pub(super) fn never(at: impl Into<Rc<str>>) -> Self {
        Self {
            at: at.into(),
            ..Self::default()
        }
    }

    pub(super) fn is_any(&self) -> bool {
        self.null
            && self.boolean
            && self
                .number
                .as_ref()
                .is_some_and(|n| **n == Numbers::default())
            && self
                .string
                .as_ref()
                .is_some_and(|s| **s == Strings::default())
            && self.array.as_ref().is_some_and(|array| array.is_any())
            && self.object.as_ref().is_some_and(|object| object.is_any())
    }

    pub(super) fn is_never(&self) -> bool {
        !self.null && self.types() == 0
    }

    /// The number of JSON types that it may be of, null aside.
    pub(super) fn types(&self) -> usize {
        usize::from(self.boolean)
            + usize::from(self.number.is_some())
            + usize::from(self.string.is_some())
            + usize::from(self.array.is_some())
            + usize::from(self.object.is_some())
    }

    /// Returns true if it is an object, and nothing else.
    pub(super) fn is_object(&self) -> bool {
        self.object.is_some() && self.types() == 1 && !self.null
    }

    /// Returns true if it is an optional value: something, or null in its place. Where everything goes, null is a value
    /// like others.
    pub(super) fn is_optional(&self) -> bool {
        self.null && self.types() > 0 && !self.is_any()
    }
}

impl Arrays {
    pub(super) fn is_any(&self) -> bool {
        self.min == 0 && self.max.is_none() && self.items.as_ref().is_none_or(Shape::is_any)
    }
}

impl ObjectShape {
    pub(super) fn is_any(&self) -> bool {
        self.properties.is_empty()
            && match &self.others {
                Others::Unsaid => true,
                Others::None => false,
                Others::Of(shape) => shape.is_any(),
            }
    }
}
