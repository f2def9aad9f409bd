//! The keys at which a watch begins, and how much of one may stand at the end of a piece.

use memchr::memmem;

use super::{
    flow,
    json::JsonRole,
    yaml::{YamlLine, unquoted},
};

/// The keys; the longest comes first where one ends with another.
pub(super) const DATA: &[u8] = b"data";
pub(super) const STRING_DATA: &[u8] = b"stringData";
pub(super) const CLIENT_KEY: &[u8] = b"client-key-data";
pub(super) const KIND: &[u8] = b"kind";
pub(super) const USERS: &[u8] = b"users";
/// The key of one user's credentials.
pub(super) const USER: &[u8] = b"user";
const KEYS: [&[u8]; 5] = [CLIENT_KEY, STRING_DATA, DATA, KIND, USERS];
/// The kinds whose data is secret: one object, and a list of them that do not name their kind again.
pub(super) const SECRET: &[u8] = b"Secret";
pub(super) const SECRET_LIST: &[u8] = b"SecretList";
/// Keys within a kubeconfig's `user` whose values are credentials. Certificates are public.
pub(super) const CREDENTIALS: [&[u8]; 7] = [
    b"token",
    b"password",
    CLIENT_KEY,
    b"access-token",
    b"id-token",
    b"refresh-token",
    b"client-secret",
];
/// The maximum space between the parts of a marker, and the farthest from the end of a piece that one can begin.
const FARTHEST: usize = 256;

/// A marker, with the places of what follows it in the bytes that it was found in. A line `"kind": "Secret"` can be of
/// either language.
#[derive(Debug, Default)]
pub(super) struct Marker {
    pub(super) json: Option<JsonMarker>,
    pub(super) yaml: Option<YamlMarker>,
    /// The credentials in a line of YAML in flow style.
    pub(super) flow: Vec<(usize, usize)>,
}

#[derive(Debug)]
pub(super) struct JsonMarker {
    pub(super) role: JsonRole,
    /// The number of backslashes that stand before a quote: none, or one, three, seven in a string in a string.
    pub(super) escapes: usize,
    /// The place behind the colon.
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) struct YamlMarker {
    pub(super) key: &'static [u8],
    pub(super) column: usize,
    /// The kind is a list of what is secret.
    pub(super) is_list: bool,
    /// The place of the line, and of the next one.
    pub(super) line: usize,
    pub(super) next: usize,
}

/// The text at the place of a key.
#[derive(Debug)]
pub(super) enum SeenKey<M = Marker> {
    Nothing,
    /// It may be a marker that begins here; more is needed to tell.
    Part(usize),
    Whole(M),
}

impl<M> SeenKey<M> {
    fn part(&self) -> Option<usize> {
        match self {
            Self::Part(at) => Some(*at),
            _ => None,
        }
    }

    fn whole(self) -> Option<M> {
        match self {
            Self::Whole(found) => Some(found),
            _ => None,
        }
    }
}

/// Returns true if a whole text has what a credential cannot stand without. Most texts are the values of other data,
/// and short.
pub(super) fn may_hold_credentials(text: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(text, word).is_some();
    text.len() > CLIENT_KEY.len()
        && memchr::memchr(b':', text).is_some()
        && (has(SECRET) || has(USERS) || has(CLIENT_KEY))
}

/// The keys in a text, in the order of their places. Each of the searches goes through the text once.
pub(super) struct SecretKeys<'b> {
    bytes: &'b [u8],
    from: usize,
    searches: [memmem::FindIter<'b, 'static>; 3],
    /// The next place that each search has found.
    next: [Option<(usize, &'static [u8])>; 3],
}

impl<'b> SecretKeys<'b> {
    /// The keys from a place on.
    pub(super) fn new(bytes: &'b [u8], from: usize) -> Self {
        // All keys but two end alike, which saves searches.
        let searches =
            [&b"ata"[..], KIND, USERS].map(|word| memmem::find_iter(&bytes[from..], word));
        let mut keys = Self {
            bytes,
            from,
            searches,
            next: [None; 3],
        };
        (0..3).for_each(|search| keys.search(search));
        keys
    }

    fn search(&mut self, search: usize) {
        let Self {
            bytes,
            from,
            searches,
            next,
        } = self;
        next[search] = searches[search].find_map(|at| {
            let at = *from + at;
            let end = at
                + if search == 0 {
                    3
                } else {
                    [KIND, USERS][search - 1].len()
                };
            // A key ends with its quote or with a colon.
            if !bytes
                .get(end)
                .is_none_or(|next| matches!(next, b'"' | b'\'' | b'\\' | b':'))
            {
                return None;
            }
            let key = match search {
                0 => *KEYS[..3]
                    .iter()
                    .find(|key| bytes[*from..end].ends_with(key))?,
                1 => KIND,
                _ => USERS,
            };
            Some((end - key.len(), key))
        });
    }
}

impl Iterator for SecretKeys<'_> {
    type Item = (usize, &'static [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.next.iter().enumerate();
        let found = found.filter_map(|(search, found)| Some((search, (*found)?)));
        let (search, key) = found.min_by_key(|(_, (at, _))| *at)?;
        self.search(search);
        Some(key)
    }
}

/// The number of bytes at the end that may be the beginning of a marker.
pub(super) fn held_tail(bytes: &[u8], begins_line: bool, in_flow: bool) -> usize {
    let from = bytes.len().saturating_sub(FARTHEST);
    let line = line_start(bytes, bytes.len(), begins_line);
    // Indentation, and perhaps the beginning of a key.
    if let Some(line) = line {
        let rest = &bytes[line..];
        let indent = rest
            .iter()
            .take_while(|&&byte| byte == b' ' || byte == b'-')
            .count();
        let key = &rest[indent..];
        let key = match key.first() {
            Some(b'"' | b'\'') => &key[1..],
            _ => key,
        };
        if rest.len() <= FARTHEST && KEYS.iter().any(|one| one.starts_with(key)) {
            return rest.len();
        }
    }
    // A quote, and perhaps the beginning of a key.
    for at in from..bytes.len() {
        if bytes[at] != b'"' && bytes[at] != b'\\' {
            continue;
        }
        let rest = &bytes[at..];
        let escapes = rest.iter().take_while(|&&byte| byte == b'\\').count();
        let key = rest[escapes..].strip_prefix(b"\"");
        if key.map_or(escapes == rest.len(), |key| {
            KEYS.iter().any(|one| one.starts_with(key))
        }) {
            return rest.len();
        }
    }
    // The beginning of a key in flow style.
    let begins_key = |length: &usize| {
        let (before, tail) = bytes.split_at(bytes.len() - length);
        KEYS.iter().any(|key| key.starts_with(tail)) && is_in_flow(before, in_flow)
    };
    let longest = CLIENT_KEY.len().min(bytes.len());
    (1..=longest).rev().find(begins_key).unwrap_or(0)
}

/// Returns true if a key that comes behind these bytes stands in a mapping in flow style; `before` says so of what came
/// before them.
pub(super) fn is_in_flow(bytes: &[u8], before: bool) -> bool {
    match bytes.iter().rev().find(|&&byte| byte != b' ') {
        Some(last) => matches!(last, b'{' | b','),
        None => before,
    }
}

/// The start of the line that a place is in; nothing if it was given on already.
fn line_start(bytes: &[u8], at: usize, begins_line: bool) -> Option<usize> {
    match memchr::memrchr(b'\n', &bytes[..at]) {
        Some(newline) => Some(newline + 1),
        None => begins_line.then_some(0),
    }
}

/// A key that was found.
pub(super) struct KeyPlace<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) start: usize,
    pub(super) key: &'static [u8],
    /// The bytes begin a line.
    pub(super) begins_line: bool,
    /// The bytes before them end within a mapping in flow style.
    pub(super) in_flow: bool,
}

impl KeyPlace<'_> {
    pub(super) fn seen(&self, is_end: bool) -> SeenKey {
        let (json, yaml, flow) = (self.json(), self.yaml(is_end), self.flow(is_end));
        let parts = [json.part(), yaml.part(), flow.part()];
        if let Some(at) = parts.into_iter().flatten().min().filter(|_| !is_end) {
            return SeenKey::Part(at);
        }
        let found = Marker {
            json: json.whole(),
            yaml: yaml.whole(),
            flow: flow.whole().unwrap_or_default(),
        };
        match found.json.is_none() && found.yaml.is_none() && found.flow.is_empty() {
            true => SeenKey::Nothing,
            false => SeenKey::Whole(found),
        }
    }

    /// `{kind: Secret, ...`, `{data: {...`, `users: [{...`, as far as the line goes.
    fn flow(&self, is_end: bool) -> SeenKey<Vec<(usize, usize)>> {
        let before = &self.bytes[..self.start];
        let line = line_start(self.bytes, self.start, self.begins_line);
        let begins_line = line.is_some_and(|line| before[line..].iter().all(|&byte| byte == b' '));
        if !(is_in_flow(before, self.in_flow) || self.key == USERS && begins_line) {
            return SeenKey::Nothing;
        }
        let mut reader = JsonKeyReader {
            rest: &self.bytes[self.start + self.key.len()..],
            escapes: 0,
        };
        let first: &[&[u8]] = match self.key {
            KIND => &[SECRET, b"\"Secret", b"'Secret"],
            DATA | STRING_DATA => &[b"{"],
            USERS => &[b"["],
            _ => &[b""],
        };
        let from = self.start + self.key.len() + 1;
        let fits = reader.take(b": ").is_some() && {
            let value = reader.rest.iter().position(|&byte| byte != b' ');
            let value = &reader.rest[value.unwrap_or(reader.rest.len())..];
            let fits = first.iter().any(|first| value.starts_with(first));
            if !fits && first.iter().any(|first| first.starts_with(value)) {
                reader.rest = &[];
            }
            fits
        };
        if !fits {
            return match reader.rest.is_empty() {
                true => SeenKey::Part(self.start),
                false => SeenKey::Nothing,
            };
        }
        let end = match memchr::memchr(b'\n', &self.bytes[from..]) {
            Some(newline) => from + newline,
            None if is_end => self.bytes.len(),
            None => return SeenKey::Part(self.start),
        };
        SeenKey::Whole(flow::credentials(&self.bytes[..end], self.key, from))
    }

    /// `"data": {`, `"kind": "Secret"`, `"users": [`, `"client-key-data": "`; the quotes may be escaped.
    fn json(&self) -> SeenKey<JsonMarker> {
        let Some(before) = self.bytes[..self.start].strip_suffix(b"\"") else {
            return SeenKey::Nothing;
        };
        let escapes = before
            .iter()
            .rev()
            .take_while(|&&byte| byte == b'\\')
            .count();
        // JSON in a string of JSON doubles the backslashes and adds one: 0, 1, 3, 7.
        if !(escapes + 1).is_power_of_two() || escapes > 7 {
            return SeenKey::Nothing;
        }
        let begin = before.len() - escapes;
        let mut reader = JsonKeyReader {
            rest: &self.bytes[self.start + self.key.len()..],
            escapes,
        };
        let Some(found) = self.behind_key(&mut reader) else {
            return match reader.rest.is_empty() && self.bytes.len() - begin <= FARTHEST {
                true => SeenKey::Part(begin),
                false => SeenKey::Nothing,
            };
        };
        SeenKey::Whole(found)
    }

    /// The marker, if what follows the key makes it one. What is missing at the end leaves the reader empty.
    fn behind_key(&self, reader: &mut JsonKeyReader<'_>) -> Option<JsonMarker> {
        reader.quote()?;
        reader.space();
        reader.take(b":")?;
        let at = self.bytes.len() - reader.rest.len();
        reader.space();
        let role = match self.key {
            KIND => {
                reader.quote()?;
                reader.take(SECRET)?;
                let mut list = JsonKeyReader { ..*reader };
                match reader.quote() {
                    Some(()) => JsonRole::secret(),
                    None => {
                        let rest = &SECRET_LIST[SECRET.len()..];
                        let found = list.take(rest).and_then(|()| list.quote());
                        if !reader.rest.is_empty() {
                            reader.rest = list.rest;
                        }
                        found.map(|()| JsonRole::secret_list())?
                    }
                }
            }
            USERS => reader.take(b"[").map(|()| JsonRole::users())?,
            CLIENT_KEY => reader.quote().map(|()| JsonRole::value())?,
            _ => reader.take(b"{").map(|()| JsonRole::undecided(at))?,
        };
        Some(JsonMarker {
            role,
            escapes: reader.escapes,
            at,
        })
    }

    /// A line `data:`, `kind: Secret`, `users:` or `client-key-data: ...`.
    fn yaml(&self, is_end: bool) -> SeenKey<YamlMarker> {
        let Some(start) = line_start(self.bytes, self.start, self.begins_line) else {
            return SeenKey::Nothing;
        };
        let (indent, quote) = match self.bytes[start..self.start].split_last() {
            Some((quote @ (b'"' | b'\''), indent)) => (indent, std::slice::from_ref(quote)),
            _ => (&self.bytes[start..self.start], &[][..]),
        };
        if indent.iter().any(|&byte| byte != b' ' && byte != b'-') {
            return SeenKey::Nothing;
        }
        let mut behind = &self.bytes[self.start + self.key.len()..];
        for wanted in [quote, b":"] {
            match behind.strip_prefix(wanted) {
                Some(rest) => behind = rest,
                None if behind.is_empty() => return SeenKey::Part(start),
                None => return SeenKey::Nothing,
            }
        }
        let newline = memchr::memchr(b'\n', behind);
        if !quote.is_empty() && self.is_json(&behind[..newline.unwrap_or(behind.len())]) {
            return SeenKey::Nothing;
        }
        let next = match newline {
            Some(newline) => self.bytes.len() - behind.len() + newline + 1,
            None if is_end => self.bytes.len(),
            None => return SeenKey::Part(start),
        };
        let line = YamlLine::read(&self.bytes[start..next]);
        let rest = unquoted(line.value());
        let fits = match self.key {
            KIND => rest == SECRET || rest == SECRET_LIST,
            CLIENT_KEY => !rest.is_empty(),
            _ => line.value().is_empty(),
        };
        if line.key != self.key || !fits {
            return SeenKey::Nothing;
        }
        let found = YamlMarker {
            key: self.key,
            column: line.key_column,
            is_list: rest == SECRET_LIST,
            line: start,
            next,
        };
        SeenKey::Whole(found)
    }

    /// Returns true if what follows a quoted key and its colon in the line can only be JSON, so that its end need not
    /// be waited for.
    fn is_json(&self, behind: &[u8]) -> bool {
        let value = behind.trim_ascii_start();
        match self.key {
            KIND => value.len() > FARTHEST || memchr::memchr(b',', value).is_some(),
            CLIENT_KEY => value.starts_with(b"\""),
            _ => value.first().is_some_and(|&byte| byte != b'#'),
        }
    }
}

/// Reads what follows a key of JSON that may stand in a string.
struct JsonKeyReader<'b> {
    rest: &'b [u8],
    escapes: usize,
}

impl JsonKeyReader<'_> {
    /// Takes these bytes; what ends before them is taken as far as it goes.
    fn take(&mut self, wanted: &[u8]) -> Option<()> {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                Some(())
            }
            None => {
                if wanted.starts_with(self.rest) {
                    self.rest = &[];
                }
                None
            }
        }
    }

    fn quote(&mut self) -> Option<()> {
        let mut quote = [b'\\'; 8];
        quote[self.escapes] = b'"';
        self.take(&quote[..=self.escapes])
    }

    /// Takes space, which is escaped in a string.
    fn space(&mut self) {
        let escapes = self.escapes.div_ceil(2);
        loop {
            let spaces = self
                .rest
                .iter()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            self.rest = &self.rest[spaces..];
            let backslashes = self.rest.iter().take_while(|&&byte| byte == b'\\').count();
            if escapes == 0 || backslashes != escapes {
                // All that is left may be the beginning of one.
                if backslashes > 0 && backslashes == self.rest.len() {
                    self.rest = &[];
                }
                return;
            }
            match self.rest.get(backslashes) {
                Some(b'n' | b't' | b'r') => self.rest = &self.rest[backslashes + 1..],
                Some(_) => return,
                None => self.rest = &[],
            }
        }
    }
}
