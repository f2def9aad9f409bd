//! Follows JSON from a key on, up to the end of the object that the key stands in.
//!
//! The JSON may stand in a string of other JSON, however deep: then each quote has one, three or seven backslashes
//! before it, and one with fewer ends the string that all of it stands in.

use super::{
    LARGEST, Mask, REDACTED,
    marker::{CREDENTIALS, DATA, JsonMarker, KIND, SECRET, STRING_DATA},
};

/// The depth to which objects may nest.
const DEEPEST: usize = 128;
/// The number of bytes of a key or a value that are kept to compare it.
const LONGEST_WORD: usize = 40;

/// The aim of a watch. Depths count the containers from the object that the key stands in, which is 1.
#[derive(Debug)]
pub(super) enum JsonRole {
    /// It has seen `data`, and waits for the kind. What follows is kept back from this place on.
    Undecided {
        from: usize,
        part: ObjectPart,
        masks: Vec<Mask>,
    },
    /// The data of objects at this depth is secret.
    Known { depth: usize, within: Option<usize> },
    /// The users of a kubeconfig.
    Users { within: Option<usize> },
    /// The next text is secret.
    Value,
}

/// The part of an object that a watch has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectPart {
    BeforeData,
    Data,
    BehindData,
}

impl JsonRole {
    pub(super) fn undecided(from: usize) -> Self {
        Self::Undecided {
            from,
            part: ObjectPart::BeforeData,
            masks: Vec::new(),
        }
    }

    pub(super) fn secret() -> Self {
        Self::Known {
            depth: 1,
            within: None,
        }
    }

    /// `{"kind": "SecretList", "items": [{"data": ...`
    pub(super) fn secret_list() -> Self {
        Self::Known {
            depth: 3,
            within: None,
        }
    }

    pub(super) fn users() -> Self {
        Self::Users { within: None }
    }

    pub(super) fn value() -> Self {
        Self::Value
    }
}

#[derive(Debug)]
pub(super) struct JsonWatch {
    role: JsonRole,
    /// The next byte to look at.
    at: usize,
    /// The number of backslashes before a quote, plus one.
    unit: usize,
    /// For each container that is open, whether it is an object.
    open: Vec<bool>,
    /// The beginning of the text that is being read.
    text_from: Option<usize>,
    /// A part of that text was replaced already.
    is_begun: bool,
    backslashes: usize,
    /// A text that comes now is a key.
    wants_key: bool,
    word: Vec<u8>,
    /// The last key.
    key: Vec<u8>,
}

enum Event {
    Key,
    /// A text from here to there.
    Text(usize, usize),
    Opened,
    Closed,
    /// A number, or one of the words of JSON.
    Scalar,
}

/// The watch is over.
struct Over;

impl JsonWatch {
    pub(super) fn new(marker: JsonMarker, base: usize) -> Self {
        let mut role = marker.role;
        if let JsonRole::Undecided { from, .. } = &mut role {
            *from += base;
        }
        Self {
            role,
            at: base + marker.at,
            unit: marker.escapes + 1,
            open: vec![true],
            text_from: None,
            is_begun: false,
            backslashes: 0,
            wants_key: false,
            word: Vec::new(),
            key: Vec::new(),
        }
    }

    /// The first place that must not be given on.
    pub(super) fn holds_from(&self) -> Option<usize> {
        match &self.role {
            JsonRole::Undecided { from, .. } => Some(*from),
            _ if self.is_secret() => self.text_from,
            _ => None,
        }
    }

    /// Follows what is there; returns whether it goes on.
    pub(super) fn follow(
        &mut self,
        pending: &[u8],
        base: usize,
        masks: &mut Vec<Mask>,
        is_end: bool,
    ) -> bool {
        while let Some(&byte) = pending.get(self.at - base) {
            let at = self.at;
            self.at += 1;
            let event = match self.step(byte, at) {
                Ok(None) => continue,
                Ok(Some(event)) => event,
                Err(Over) => {
                    self.mask_begun(at, masks);
                    return false;
                }
            };
            if self.heed(&event, masks).is_err() || self.is_too_much() {
                return false;
            }
        }
        if is_end {
            self.mask_begun(self.at, masks);
            return false;
        }
        if self.is_too_much() {
            return false;
        }
        if self.is_secret()
            && let Some(from) = self.text_from
            && self.at - from > LARGEST
        {
            self.mask_begun(self.at, masks);
            self.text_from = Some(self.at);
            self.is_begun = true;
        }
        true
    }

    /// Returns true if more is kept back than a `Secret` can hold.
    fn is_too_much(&self) -> bool {
        match &self.role {
            JsonRole::Undecided { from, .. } => self.at - from > LARGEST,
            _ => false,
        }
    }

    /// Masks the text that is being read, if it is secret.
    fn mask_begun(&self, end: usize, masks: &mut Vec<Mask>) {
        if let Some(start) = self.text_from
            && self.is_secret()
        {
            self.mask(start, end, masks);
        }
    }

    fn mask(&self, start: usize, end: usize, masks: &mut Vec<Mask>) {
        let shown = if self.is_begun { "" } else { REDACTED };
        if start < end {
            masks.push(Mask { start, end, shown });
        }
    }

    /// Returns true if a value that stands here is secret.
    fn is_secret(&self) -> bool {
        match &self.role {
            _ if self.wants_key => false,
            JsonRole::Undecided { .. } => false,
            JsonRole::Known { within, .. } => within.is_some(),
            JsonRole::Users { within } => {
                within.is_some() && CREDENTIALS.contains(&self.key.as_slice())
            }
            JsonRole::Value => true,
        }
    }

    fn heed(&mut self, event: &Event, masks: &mut Vec<Mask>) -> Result<(), Over> {
        let depth = self.open.len();
        if let Event::Text(start, end) = *event
            && self.is_secret()
        {
            self.mask(start, end, masks);
        }
        self.is_begun = false;
        match &mut self.role {
            JsonRole::Undecided {
                part, masks: kept, ..
            } => match (event, *part) {
                (Event::Opened, ObjectPart::BeforeData) => *part = ObjectPart::Data,
                (Event::Text(start, end), ObjectPart::Data) => kept.push(Mask {
                    start: *start,
                    end: *end,
                    shown: REDACTED,
                }),
                (Event::Closed, ObjectPart::Data) => *part = ObjectPart::BehindData,
                // The values of a `Secret` are texts.
                (Event::Opened | Event::Scalar, ObjectPart::Data) => return Err(Over),
                (Event::Text(..), ObjectPart::BehindData) if depth == 1 && self.key == KIND => {
                    if self.word == SECRET {
                        masks.extend(kept.iter().filter(|mask| mask.start < mask.end));
                    }
                    return Err(Over);
                }
                _ => {}
            },
            JsonRole::Known { depth: at, within } => match event {
                Event::Opened
                    if within.is_none()
                        && depth == *at + 1
                        && (self.key == DATA || self.key == STRING_DATA) =>
                {
                    *within = Some(depth);
                }
                Event::Closed if within.is_some_and(|within| depth < within) => *within = None,
                _ => {}
            },
            JsonRole::Users { within } => match event {
                // A list, and in each of its objects one under `user`.
                Event::Opened if depth == 4 && self.key == b"user" => *within = Some(depth),
                Event::Closed if depth < 2 => return Err(Over),
                Event::Closed if within.is_some_and(|within| depth < within) => *within = None,
                _ => {}
            },
            JsonRole::Value => return Err(Over),
        }
        Ok(())
    }

    /// Takes one byte.
    fn step(&mut self, byte: u8, at: usize) -> Result<Option<Event>, Over> {
        if byte == b'\\' {
            self.backslashes += 1;
            return Ok(None);
        }
        let backslashes = std::mem::take(&mut self.backslashes);
        if byte == b'"' {
            return self.quote(backslashes, at);
        }
        if self.text_from.is_some() {
            if self.word.len() < LONGEST_WORD {
                self.word.push(byte);
            }
            // No text of JSON goes across lines as it is: this is something else.
            return if byte == b'\n' { Err(Over) } else { Ok(None) };
        }
        if backslashes > 0 {
            let is_space = matches!(byte, b'n' | b't' | b'r') && 2 * backslashes == self.unit;
            return if is_space { Ok(None) } else { Err(Over) };
        }
        let in_object = self.open.last() == Some(&true);
        match byte {
            b'{' | b'[' if self.open.len() < DEEPEST => {
                self.open.push(byte == b'{');
                self.wants_key = byte == b'{';
                Ok(Some(Event::Opened))
            }
            b'}' | b']' if (byte == b'}') == in_object => {
                self.open.pop();
                self.wants_key = false;
                match self.open.is_empty() {
                    true => Err(Over),
                    false => Ok(Some(Event::Closed)),
                }
            }
            b',' => {
                self.wants_key = in_object;
                Ok(None)
            }
            b':' => {
                self.wants_key = false;
                Ok(None)
            }
            byte if byte.is_ascii_whitespace() => Ok(None),
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.') => {
                Ok(Some(Event::Scalar))
            }
            _ => Err(Over),
        }
    }

    fn quote(&mut self, backslashes: usize, at: usize) -> Result<Option<Event>, Over> {
        let Some(start) = self.text_from else {
            if backslashes + 1 != self.unit {
                return Err(Over);
            }
            self.text_from = Some(at + 1);
            self.word.clear();
            return Ok(None);
        };
        // In a text each backslash of its own stands as two of the unit.
        let of_quote = backslashes % (2 * self.unit);
        if of_quote == 2 * self.unit - 1 {
            return Ok(None);
        }
        if of_quote + 1 != self.unit {
            return Err(Over);
        }
        self.text_from = None;
        if self.wants_key {
            std::mem::swap(&mut self.key, &mut self.word);
            return Ok(Some(Event::Key));
        }
        Ok(Some(Event::Text(start, at - of_quote)))
    }
}
