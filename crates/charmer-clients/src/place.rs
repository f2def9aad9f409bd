//! The place of servers in a client's file, and what is wrong with a file that has no such place.

use std::ops::Range;

use serde_json::{Map, Value};

/// The place of servers in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServersPlace {
    /// The key at the top of the file.
    pub(crate) key: &'static str,
    /// A key below it that is used where it is there already.
    pub(crate) inner: Option<&'static str>,
    /// The servers are a list of entries with names, not a map from names to entries.
    pub(crate) list: bool,
    /// The keys that a file of this client cannot do without, for a file that has to be made.
    pub(crate) preamble: &'static [(&'static str, &'static str)],
}

impl ServersPlace {
    /// A map from names to entries.
    pub(crate) const fn map(key: &'static str) -> Self {
        Self {
            key,
            inner: None,
            list: false,
            preamble: &[],
        }
    }
}

/// A server on its way into a file.
pub(crate) struct Addition<'a> {
    pub(crate) name: &'a str,
    pub(crate) fields: &'a Map<String, Value>,
}

/// A mistake in a file.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) message: String,
    /// The bytes of the text that it is about.
    pub(crate) span: Range<usize>,
    /// The text was understood, and means something else than expected.
    pub(crate) understood: bool,
}

impl Mistake {
    /// A text that is not in the language of the file.
    pub(crate) fn unreadable(message: impl Into<String>, span: Range<usize>) -> Self {
        Self {
            message: message.into(),
            span,
            understood: false,
        }
    }

    /// Something else than a place for servers.
    pub(crate) fn shape(message: impl Into<String>, span: Range<usize>) -> Self {
        Self {
            message: message.into(),
            span,
            understood: true,
        }
    }
}

/// A file after the removal of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Remainder {
    /// It had no such entry.
    Same,
    /// This text is left.
    Text(String),
    /// Nothing is left but what was made for the entry.
    Nothing,
}

impl Remainder {
    /// Removes one entry after the other, until none is left: a hand-written file may have a name twice.
    pub(crate) fn of_all(
        text: &str,
        remove_last: impl Fn(&str) -> Result<Self, Mistake>,
    ) -> Result<Self, Mistake> {
        let mut remainder = Self::Same;
        loop {
            let text = match &remainder {
                Self::Same => text,
                Self::Text(text) => text,
                Self::Nothing => return Ok(remainder),
            };
            match remove_last(text)? {
                Self::Same => return Ok(remainder),
                less => remainder = less,
            }
        }
    }
}

/// A change of a text: these bytes become that text.
pub(crate) type Splice = (Range<usize>, String);

/// A text with changes that do not overlap.
pub(crate) fn splice(text: &str, mut changes: Vec<Splice>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let mut after = String::with_capacity(text.len());
    let mut done = 0;
    for (range, new) in changes {
        after.push_str(&text[done..range.start]);
        after.push_str(&new);
        done = range.end;
    }
    after.push_str(&text[done..]);
    after
}
