//! Types of single values: those of pflag and of clap's value parsers in one vocabulary.
//!
//! A list is not a type: it is an element type with a [`Repetition`](super::Repetition).

use serde::{Deserialize, Serialize};

use super::Repetition;

/// The type of the values of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MapValue {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
}

/// The two kinds of JSON that hold others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JsonKind {
    /// A list of anything.
    Array,
    /// An object of anything.
    Object,
}

/// The type of one value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValueType {
    /// True or false.
    Bool,
    /// A whole number between two bounds, both included.
    Integer {
        /// The least value.
        min: i128,
        /// The greatest value.
        max: i128,
    },
    /// A whole number that JSON numbers cannot carry exactly (`u128`); it travels as a string of digits.
    BigInteger {
        /// It may be negative.
        signed: bool,
    },
    /// A number with a fraction.
    Number,
    /// Any text.
    #[default]
    String,
    /// One character.
    Char,
    /// A file or directory name.
    Path,
    /// A switch, counted by how often it is given.
    Count,
    /// A length of time as Go writes it: `1h30m`, `5m0s`.
    Duration,
    /// An IPv4 or IPv6 address.
    Ip,
    /// An IPv4 mask, in dotted or hexadecimal form.
    IpMask,
    /// A network in CIDR notation.
    IpNet,
    /// Bytes in hexadecimal.
    Hex,
    /// Bytes in base64.
    Base64,
    /// A point in time.
    Time,
    /// `key=value` pairs.
    Map(MapValue),
    /// A list or an object of anything, which is one text: its JSON.
    Json(JsonKind),
}

impl ValueType {
    /// A whole number without a bound that the program is known to have: what an `i64` holds.
    pub const INT: Self = Self::Integer {
        min: i64::MIN as i128,
        max: i64::MAX as i128,
    };
    /// A whole number from zero up: what a `u64` holds.
    pub const UINT: Self = Self::Integer {
        min: 0,
        max: u64::MAX as i128,
    };

    /// A signed integer of so many bits.
    pub const fn signed(bits: u32) -> Self {
        Self::Integer {
            min: -(1i128 << (bits - 1)),
            max: (1i128 << (bits - 1)) - 1,
        }
    }

    /// An unsigned integer of so many bits.
    pub const fn unsigned(bits: u32) -> Self {
        Self::Integer {
            min: 0,
            max: (1i128 << bits) - 1,
        }
    }

    /// The type and repetition that a name stands for when people write it: those of pflag, and a few that others use.
    ///
    /// ```
    /// use charmer_core::model::{Repetition, ValueType};
    /// assert_eq!(ValueType::named("path"), Some((ValueType::Path, Repetition::Single)));
    /// assert_eq!(ValueType::named("int"), ValueType::from_pflag("int"));
    /// ```
    pub fn named(name: &str) -> Option<(Self, Repetition)> {
        const EACH: Repetition = Repetition::Repeat { delimiter: None };
        let value_type = match name {
            "path" | "file" | "dir" => Self::Path,
            "integer" => Self::INT,
            "number" | "decimal" => Self::Number,
            "list" => return Some((Self::String, EACH)),
            "map" => return Some((Self::Map(MapValue::Text), EACH)),
            "boolean" => Self::Bool,
            "char" => Self::Char,
            _ => return Self::from_pflag(name),
        };
        Some((value_type, Repetition::Single))
    }

    /// The type and repetition that a pflag type name stands for; `None` for an application's own type.
    ///
    /// Both pflag's internal names (`stringSlice`) and the ones that its help shows (`strings`) are known.
    ///
    /// ```
    /// use charmer_core::model::{Repetition, ValueType};
    /// assert_eq!(
    ///     ValueType::from_pflag("stringArray"),
    ///     Some((ValueType::String, Repetition::Repeat { delimiter: None })),
    /// );
    /// ```
    pub fn from_pflag(name: &str) -> Option<(Self, Repetition)> {
        const JOINED: Repetition = Repetition::Joined { delimiter: ',' };
        let single = |value_type| Some((value_type, Repetition::Single));
        match name {
            "bool" => return single(Self::Bool),
            "int" | "int64" => return single(Self::INT),
            "int8" => return single(Self::signed(8)),
            "int16" => return single(Self::signed(16)),
            "int32" => return single(Self::signed(32)),
            "uint" | "uint64" => return single(Self::UINT),
            "uint8" => return single(Self::unsigned(8)),
            "uint16" => return single(Self::unsigned(16)),
            "uint32" => return single(Self::unsigned(32)),
            "float" | "float32" | "float64" => return single(Self::Number),
            "string" => return single(Self::String),
            "count" => return single(Self::Count),
            "duration" => return single(Self::Duration),
            "ip" => return single(Self::Ip),
            "ipMask" => return single(Self::IpMask),
            "ipNet" => return single(Self::IpNet),
            "bytesHex" => return single(Self::Hex),
            "bytesBase64" => return single(Self::Base64),
            "time" => return single(Self::Time),
            "stringToString" => return Some((Self::Map(MapValue::Text), JOINED)),
            "stringToInt" | "stringToInt64" => return Some((Self::Map(MapValue::Integer), JOINED)),
            "stringArray" => return Some((Self::String, Repetition::Repeat { delimiter: None })),
            "strings" => return Some((Self::String, JOINED)),
            "ints" => return Some((Self::INT, JOINED)),
            "uints" => return Some((Self::UINT, JOINED)),
            "bools" => return Some((Self::Bool, JOINED)),
            _ => {}
        }
        let element = name.strip_suffix("Slice")?;
        match Self::from_pflag(element)? {
            (value_type, Repetition::Single) => Some((value_type, JOINED)),
            _ => None,
        }
    }
}
