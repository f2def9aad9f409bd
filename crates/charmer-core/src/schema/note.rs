//! Notes on the parts of a schema that a conversion could not keep, with their places.

use std::{collections::HashSet, fmt};

/// The number of notes that are kept of one conversion.
pub const NOTE_LIMIT: usize = 100;

/// Something that a schema says and the converted one does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Note {
    /// Its place in the original schema, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// The outcome, for people: left out, or said in another way.
    pub message: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}: {}", self.pointer, self.message)
    }
}

/// Notes as they come: each once, and not more than can be read.
#[derive(Debug, Default)]
pub(super) struct SchemaNotes {
    seen: HashSet<Note>,
    list: Vec<Note>,
}

impl SchemaNotes {
    pub(super) fn add(&mut self, pointer: &str, message: impl Into<String>) {
        if self.list.len() >= NOTE_LIMIT {
            return;
        }
        let mut note = Note {
            pointer: pointer.to_owned(),
            message: message.into(),
        };
        if self.list.len() + 1 == NOTE_LIMIT {
            note.message = "there is more that could not be said; this is the last note".into();
        }
        if self.seen.insert(note.clone()) {
            self.list.push(note);
        }
    }

    pub(super) fn into_list(self) -> Vec<Note> {
        self.list
    }
}
