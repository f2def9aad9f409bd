//! The id of a request, by which its answer is told.

use std::{fmt, sync::Arc};

use serde::{Serialize, Serializer};
use serde_json::Value;

/// The id of a request, and the token of its progress: a number and the string of its digits are two.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RequestId {
    Number(i64),
    String(Arc<str>),
}

impl RequestId {
    /// The values that can be ids. Floats cannot, even whole ones: 1.0 and 1 would be one id to the server and two to the
    /// client.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::String(text.as_str().into())),
            Value::Number(number) => number.as_i64().map(Self::Number),
            _ => None,
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Number(number) => (*number).into(),
            Self::String(text) => Value::from(&**text),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_i64(*number),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

/// As it stands in JSON, so that 1 and "1" can be told apart.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}
