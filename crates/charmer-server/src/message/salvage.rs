//! Finding the request id in a line that cannot be read as JSON, or cannot be held in memory.
//!
//! Without it the client could not tell which of its requests has failed, and would wait for the
//! answer until its own timeout. The scanner sees each byte once and keeps next to nothing, so it
//! also works on what streams past the length limit. It follows strings, escapes and nesting and is
//! lenient about everything else; what it finds is a best effort, and the transport never uses it
//! to answer for a request that is in flight.

use charmer_core::json;
use serde_json::Value;

use crate::protocol::RequestId;

/// The longest key or id that is kept while scanning, in bytes as written. Real ids are short, and
/// a key of interest is at most `\u0069\u0064`.
const MAX_TOKEN: usize = 1024;

/// The id of the message in `line`, if it has exactly one that can be used.
pub(crate) fn salvage_id(line: &[u8]) -> Option<RequestId> {
    let mut scanner = IdScanner::new();
    scanner.feed(line);
    scanner.finish()
}

/// Looks for the top-level `id` of a JSON object that arrives in pieces.
pub(crate) struct IdScanner {
    /// 0 before and after the object, 1 directly inside it.
    depth: usize,
    place: JsonPlace,
    string: Option<StringState>,
    /// The key, the string id or the bare id that is being read, without quotes.
    token: Vec<u8>,
    found: SalvagedId,
}

/// The place of the scanner directly inside the object.
#[derive(Clone, Copy, PartialEq)]
enum JsonPlace {
    /// Before the opening brace.
    Start,
    /// A place where a string would be a key. Also one where a comma is missing: that costs nothing.
    Key,
    /// Between a key and its colon.
    Colon { id: bool },
    /// Between a colon and a value.
    Value { id: bool },
    /// In a bare value (number, literal, junk) of the key `id`.
    Bare,
    /// Past the object, or in something that is not one.
    End,
}

#[derive(Clone, Copy)]
struct StringState {
    escaped: bool,
    role: Role,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Key,
    Id,
    Other,
}

enum SalvagedId {
    Nothing,
    One(RequestId),
    /// An id that is no id, or more than one of them: whose answer it would be is unknowable.
    Unusable,
}

impl IdScanner {
    pub(crate) fn new() -> Self {
        Self {
            depth: 0,
            place: JsonPlace::Start,
            string: None,
            token: Vec::new(),
            found: SalvagedId::Nothing,
        }
    }

    /// Reads the next piece of the line.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if self.place == JsonPlace::End {
                return;
            }
            bytes = rest;
            match self.string {
                Some(state) => {
                    self.in_string(state, byte);
                    if let Some(StringState {
                        escaped: false,
                        role: Role::Other,
                    }) = self.string
                    {
                        // The bulk of an oversized line: nothing matters here but the end.
                        let plain = bytes.iter().position(|b| matches!(b, b'"' | b'\\'));
                        bytes = &bytes[plain.unwrap_or(bytes.len())..];
                    }
                }
                None if self.depth > 1 => self.nested(byte),
                None => self.top_level(byte),
            }
        }
    }

    /// The id, when the line has ended. One that was still being read is not taken: it may have
    /// been cut.
    pub(crate) fn finish(self) -> Option<RequestId> {
        match self.found {
            SalvagedId::One(id) => Some(id),
            SalvagedId::Nothing | SalvagedId::Unusable => None,
        }
    }

    fn in_string(&mut self, state: StringState, byte: u8) {
        let StringState { escaped, role } = state;
        if byte == b'"' && !escaped {
            self.string = None;
            match role {
                Role::Key => {
                    self.place = JsonPlace::Colon {
                        id: self.token_text().as_deref() == Some("id"),
                    }
                }
                Role::Id => {
                    let id = self.token_text().map(|text| RequestId::String(text.into()));
                    self.note(id);
                }
                Role::Other => {}
            }
            return;
        }
        if role != Role::Other {
            self.keep(byte);
        }
        self.string = Some(StringState {
            escaped: byte == b'\\' && !escaped,
            role,
        });
    }

    fn nested(&mut self, byte: u8) {
        match byte {
            b'"' => self.begin_string(Role::Other),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
    }

    fn top_level(&mut self, byte: u8) {
        if self.place == JsonPlace::Start {
            match byte {
                b'{' => (self.depth, self.place) = (1, JsonPlace::Key),
                byte if byte.is_ascii_whitespace() => {}
                _ => self.place = JsonPlace::End,
            }
            return;
        }
        if self.place == JsonPlace::Bare {
            match byte {
                b',' | b'}' => self.end_bare(),
                byte if byte.is_ascii_whitespace() => self.end_bare(),
                b'"' | b':' | b'{' | b'[' | b']' => self.note(None),
                _ => {}
            }
        }
        match byte {
            b'"' => {
                let role = match self.place {
                    JsonPlace::Value { id: true } => Role::Id,
                    JsonPlace::Value { id: false } => Role::Other,
                    _ => Role::Key,
                };
                self.place = JsonPlace::Key;
                self.begin_string(role);
            }
            b':' => {
                if let JsonPlace::Colon { id } = self.place {
                    self.place = JsonPlace::Value { id };
                }
            }
            b'{' | b'[' => {
                if self.place == (JsonPlace::Value { id: true }) {
                    self.note(None);
                }
                self.place = JsonPlace::Key;
                self.depth = 2;
            }
            b'}' | b']' => (self.depth, self.place) = (0, JsonPlace::End),
            b',' => self.place = JsonPlace::Key,
            byte if byte.is_ascii_whitespace() => {}
            byte => match self.place {
                JsonPlace::Bare => self.keep(byte),
                JsonPlace::Value { id: true } => {
                    self.token.clear();
                    self.keep(byte);
                    self.place = JsonPlace::Bare;
                }
                _ => self.place = JsonPlace::Key,
            },
        }
    }

    fn end_bare(&mut self) {
        let id = match json::parse(&self.token) {
            Ok(Value::Number(id)) => id.as_i64().map(RequestId::Number),
            _ => None,
        };
        self.note(id);
    }

    fn begin_string(&mut self, role: Role) {
        self.token.clear();
        self.string = Some(StringState {
            escaped: false,
            role,
        });
    }

    fn keep(&mut self, byte: u8) {
        // One byte past the limit marks the token as too long.
        if self.token.len() <= MAX_TOKEN {
            self.token.push(byte);
        }
    }

    /// The string just read with its escapes resolved, if it is a valid one of sensible length.
    fn token_text(&self) -> Option<String> {
        if self.token.len() > MAX_TOKEN {
            return None;
        }
        let quoted = [b"\"", self.token.as_slice(), b"\""].concat();
        match json::parse(&quoted) {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    fn note(&mut self, id: Option<RequestId>) {
        self.place = JsonPlace::Key;
        self.found = match (&self.found, id) {
            (SalvagedId::Nothing, Some(id)) => SalvagedId::One(id),
            _ => SalvagedId::Unusable,
        };
    }
}

#[cfg(test)]
#[path = "salvage_tests.rs"]
mod tests;
