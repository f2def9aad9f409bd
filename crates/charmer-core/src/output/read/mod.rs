//! Readers of a program's output as data: JSON, JSON lines, YAML, tables and blocks of `key: value`.
//!
//! Reading is conservative. What is not data beyond doubt is left alone, because a wrong reading is worse than none:
//! the text is still there. Nothing that was printed is lost in a reading; where something would be, there is none.

mod doubt;
mod header;
mod json;
mod key_value_lines;
mod number;
mod table;
mod tabs;
mod width;
#[cfg(feature = "yaml")]
mod yaml;
#[cfg(not(feature = "yaml"))]
#[path = "no_yaml.rs"]
mod yaml;

use serde_json::{Map, Value};

use super::{ITEMS_KEY, VALUE_KEY};

use json::Documents;

/// Text that is longer is only read as what it was declared to be, unless it is JSON: it would take long, and an
/// assistant would get a small part of it in any case.
const LONGEST: usize = 256 << 10;

/// The way output was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One JSON document.
    Json,
    /// Several JSON documents, one after the other, each on lines of its own.
    JsonLines,
    /// YAML, one document or several.
    Yaml,
    /// Columns under a header, or fields between tabs.
    Table,
    /// Lines of `key: value`, nested by indentation.
    Blocks,
}

/// The way output is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format that the output is known to have. Only that is tried, and what would otherwise be doubtful is
    /// believed: a single JSON value, YAML without a sign of it, a table that has a header and no rows.
    pub declared: Option<Format>,
    /// The number of items that are kept.
    pub max_items: Option<usize>,
    /// The maximum number of bytes of the data as JSON, roughly: JSON that is longer is cut to as many items as can
    /// fit, and not read at all where it is no list.
    pub max_bytes: Option<usize>,
}

impl ReadOptions {
    /// Options for output that is known to be in this format.
    pub fn declared(format: Format) -> Self {
        Self {
            declared: Some(format),
            ..Self::default()
        }
    }

    /// Keeps at most so many items.
    #[must_use]
    pub fn max_items(mut self, count: usize) -> Self {
        self.max_items = Some(count);
        self
    }
}

/// Output as data.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Read {
    /// The way it was read.
    pub format: Format,
    /// The data. A list stands under [`ITEMS_KEY`].
    pub data: Map<String, Value>,
    /// The number of items before some were left out, if any were.
    pub total: Option<usize>,
}

/// Reads output as data, if it is data beyond doubt.
///
/// ```
/// use charmer_core::output::{Format, ReadOptions, read};
/// use serde_json::json;
///
/// let table = "NAME    READY   AGE\nweb-0   1/1     5d\nweb-1           2h\n";
/// let seen = read(table, &ReadOptions::default()).unwrap();
/// assert_eq!(seen.format, Format::Table);
/// assert_eq!(seen.data["items"][1], json!({"NAME": "web-1", "READY": "", "AGE": "2h"}));
///
/// let cut = read("[1, 2, 3]", &ReadOptions::default().max_items(2)).unwrap();
/// assert_eq!((&cut.data["items"], cut.total), (&json!([1, 2]), Some(3)));
///
/// assert_eq!(read("Nothing to see here.\n", &ReadOptions::default()), None);
/// ```
pub fn read(text: &str, options: &ReadOptions) -> Option<Read> {
    let most = options.max_bytes.unwrap_or(usize::MAX);
    let found = match options.declared {
        Some(Format::Json | Format::JsonLines) => json::read(text, true, most)?,
        Some(Format::Yaml) => Documents::whole(Format::Yaml, yaml::read(text, true)?),
        Some(Format::Table) => Documents::whole(Format::Table, table::read(text, true)?),
        Some(Format::Blocks) => {
            Documents::whole(Format::Blocks, key_value_lines::read(text, true)?)
        }
        None => recognize(text, most)?,
    };
    let mut data = match found.value {
        Value::Object(object) => object,
        Value::Array(_) => Map::from_iter([(ITEMS_KEY.to_owned(), found.value)]),
        value => Map::from_iter([(VALUE_KEY.to_owned(), value)]),
    };
    let mut total = None;
    if let Some(Value::Array(items)) = data.get_mut(ITEMS_KEY) {
        let all = items.len() + found.skipped;
        items.truncate(options.max_items.unwrap_or(usize::MAX));
        total = (items.len() < all).then_some(all);
    }
    Some(Read {
        format: found.format,
        data,
        total,
    })
}

/// Tries what the first line allows.
fn recognize(text: &str, most: usize) -> Option<Documents> {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        return json::read(text, false, most);
    }
    if text.len() > LONGEST {
        return None;
    }
    if begins_as_yaml(start) {
        return yaml::read(text, false).map(|value| Documents::whole(Format::Yaml, value));
    }
    if let Some(value) = table::read(text, false) {
        return Some(Documents::whole(Format::Table, value));
    }
    key_value_lines::read(text, false).map(|value| Documents::whole(Format::Blocks, value))
}

/// Keys with which the documents of some programs begin, and no prose does.
const FIRST_YAML_KEYS: [&str; 2] = ["apiVersion: ", "kind: "];

/// Returns true for text that begins as only YAML does.
fn begins_as_yaml(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first == "---" || FIRST_YAML_KEYS.iter().any(|key| first.starts_with(key))
}
