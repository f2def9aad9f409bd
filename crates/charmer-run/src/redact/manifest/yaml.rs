//! Follows YAML from a line on, up to the end of the mapping that its key stands in.

use super::{
    LARGEST, Mask, REDACTED_COMMENT, REDACTED_IN_YAML, flow,
    marker::{CLIENT_KEY, CREDENTIALS, DATA, KIND, SECRET, STRING_DATA, USER, USERS, YamlMarker},
};

/// A line taken apart.
#[derive(Debug)]
pub(super) struct YamlLine<'l> {
    text: &'l [u8],
    /// The column of its first character, which may be a dash.
    column: usize,
    /// The column of its key, behind the dashes.
    pub(super) key_column: usize,
    /// Its key, without the quotes around it; empty if there is none.
    pub(super) key: &'l [u8],
    /// The place where its value begins.
    value_from: usize,
}

impl<'l> YamlLine<'l> {
    pub(super) fn read(text: &'l [u8]) -> Self {
        let text = text.trim_ascii_end();
        let column = text.iter().take_while(|&&byte| byte == b' ').count();
        let mut key_column = column;
        while let Some(rest) = text[key_column..].strip_prefix(b"- ") {
            key_column += 2 + rest.iter().take_while(|&&byte| byte == b' ').count();
        }
        let rest = &text[key_column..];
        let colon = memchr::memchr_iter(b':', rest)
            .find(|&at| rest.get(at + 1).is_none_or(|&next| next == b' '));
        let (key, value_from) = match colon {
            Some(at) => {
                let behind = &rest[at + 1..];
                let space = behind.len() - behind.trim_ascii_start().len();
                (unquoted(&rest[..at]), key_column + at + 1 + space)
            }
            None => (&rest[..0], text.len()),
        };
        Self {
            text,
            column,
            key_column,
            key,
            value_from,
        }
    }

    /// Its value, without a comment behind it.
    pub(super) fn value(&self) -> &'l [u8] {
        without_comment(&self.text[self.value_from..])
    }

    fn is_comment(&self) -> bool {
        self.text.get(self.column) == Some(&b'#')
    }

    fn is_blank(&self) -> bool {
        self.column == self.text.len()
    }

    fn has_dash(&self) -> bool {
        self.key_column > self.column || &self.text[self.column..] == b"-"
    }

    /// Returns true if there is a value that says something.
    fn has_value(&self) -> bool {
        // A line without a key is all value.
        self.key.is_empty()
            || !matches!(
                self.value(),
                b"" | b"\"\"" | b"''" | b"{}" | b"[]" | b"null" | b"~"
            )
    }
}

#[derive(Debug)]
enum LineRole {
    /// It has seen `data`, and waits for the kind. What follows is kept back from this place on.
    Undecided {
        from: usize,
        in_data: bool,
        /// The column of the data's keys.
        data_column: Option<usize>,
        /// The last of them had nothing behind it.
        was_empty: bool,
        masks: Vec<Mask>,
    },
    /// The data of this mapping is secret.
    Known { in_data: bool },
    /// The data of the items of this mapping is secret; where the keys of an item stand, once there is one.
    List { item: Option<usize>, in_data: bool },
    /// The users of a kubeconfig, and where the key `user` of the present one stands.
    Users { user: Option<usize> },
    /// Only the line that it was found in.
    Value,
}

#[derive(Debug)]
pub(super) struct YamlWatch {
    role: LineRole,
    /// The column of the key in its line.
    column: usize,
    /// The next line.
    at: usize,
    /// The column of the key whose value was masked, which may go on in the next lines.
    masked_column: Option<usize>,
    /// The line was too long to wait for its end, and the rest of it is secret.
    is_begun: bool,
}

impl YamlWatch {
    pub(super) fn new(marker: &YamlMarker, base: usize) -> Self {
        let next = base + marker.next;
        let mut at = next;
        let role = match marker.key {
            KIND if marker.is_list => LineRole::List {
                item: None,
                in_data: false,
            },
            KIND => LineRole::Known { in_data: false },
            USERS => LineRole::Users { user: None },
            CLIENT_KEY => {
                at = base + marker.line;
                LineRole::Value
            }
            _ => LineRole::Undecided {
                from: next,
                in_data: true,
                data_column: None,
                was_empty: false,
                masks: Vec::new(),
            },
        };
        Self {
            role,
            column: marker.column,
            at,
            masked_column: None,
            is_begun: false,
        }
    }

    /// The first place that must not be given on: at least a line that is not there whole.
    pub(super) fn holds_from(&self) -> usize {
        match &self.role {
            LineRole::Undecided { from, .. } => *from,
            _ => self.at,
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
        loop {
            let rest = &pending[self.at - base..];
            let newline = memchr::memchr(b'\n', rest);
            let (length, next) = match newline {
                Some(at) => (at, at + 1),
                None if is_end || self.at + rest.len() - self.holds_from() > LARGEST => {
                    (rest.len(), rest.len())
                }
                None => return true,
            };
            if length == 0 && newline.is_none() {
                return !is_end;
            }
            let start = self.at;
            self.at += next;
            if self.is_begun {
                let shown = "";
                let end = start + length;
                masks.push(Mask { start, end, shown });
            } else if !self.heed(&YamlLine::read(&rest[..length]), start, self.at, masks) {
                return false;
            }
            let is_masked = self.masked_column.is_some();
            if let LineRole::Undecided { from, .. } = &self.role
                && self.at - from > LARGEST
            {
                return false;
            }
            self.is_begun = newline.is_none() && is_masked;
            // So much is no `Secret`.
            if newline.is_none() && !is_masked && !is_end {
                return false;
            }
        }
    }

    /// Takes a line, which reaches from one place to the other; returns whether the watch goes on.
    fn heed(
        &mut self,
        line: &YamlLine<'_>,
        start: usize,
        end: usize,
        masks: &mut Vec<Mask>,
    ) -> bool {
        if line.is_blank() {
            return true;
        }
        if self
            .masked_column
            .is_some_and(|column| line.column > column)
        {
            // The rest of a value that goes over several lines.
            let shown = "";
            self.out(masks).push(Mask { start, end, shown });
            return true;
        }
        if line.is_comment() {
            // It ends nothing, wherever it stands, and may hold what the data was before.
            if self.is_in_data() {
                let mask = Mask {
                    start: start + line.column,
                    end: start + line.text.len(),
                    shown: REDACTED_COMMENT,
                };
                self.out(masks).push(mask);
            }
            return true;
        }
        self.masked_column = None;
        let is_marker = matches!(self.role, LineRole::Value) && line.key == CLIENT_KEY;
        if !is_marker && line.column < self.column || line.text.starts_with(b"---") {
            return false;
        }
        let is_sibling = line.key_column == self.column && !line.has_dash();
        let is_secret = match &mut self.role {
            LineRole::Undecided {
                in_data,
                data_column,
                was_empty,
                masks: kept,
                ..
            } => {
                if is_sibling {
                    if line.key == KIND && is_secret_kind(line) {
                        masks.append(kept);
                    }
                    *in_data = false;
                    return !matches!(line.key, KIND | DATA);
                }
                if !*in_data {
                    return true;
                }
                // Its keys stand in one column, and their values are texts.
                let column = *data_column.get_or_insert(line.column);
                let is_text = !matches!(line.value().first(), Some(b'{' | b'[' | b'&' | b'*'));
                let is_empty = line.value().is_empty();
                let is_deeper = line.column > column;
                if line.key.is_empty() || line.has_dash() || !is_text || is_deeper && *was_empty {
                    return false;
                }
                *was_empty = is_empty;
                line.has_value()
            }
            LineRole::Known { in_data } => {
                if is_sibling {
                    *in_data = matches!(line.key, DATA | STRING_DATA);
                    if line.key == b"apiVersion" || line.key == KIND && !is_secret_kind(line) {
                        return false;
                    }
                }
                *in_data && line.has_value()
            }
            LineRole::List { item, in_data } => {
                if is_sibling {
                    (*item, *in_data) = (None, false);
                    return true;
                }
                let column = *item.get_or_insert(line.key_column);
                if line.key_column <= column {
                    *in_data = matches!(line.key, DATA | STRING_DATA);
                }
                *in_data && line.has_value()
            }
            LineRole::Users { user } => {
                if line.column == self.column && !line.has_dash() {
                    return false;
                }
                if user.is_some_and(|user| line.key_column <= user) {
                    *user = None;
                }
                if line.key == USER && line.value().is_empty() {
                    *user = Some(line.key_column);
                }
                // `user: {token: x}`, `- {name: a, user: {token: x}}`.
                let flow_key = match line.key {
                    USER if line.value().starts_with(b"{") => Some((USER, line.value_from)),
                    _ if line.text[line.key_column..].starts_with(b"{") => {
                        Some((USERS, line.key_column))
                    }
                    _ => None,
                };
                if let Some((key, from)) = flow_key {
                    let found = flow::credentials(line.text, key, from);
                    masks.extend(found.into_iter().map(|(from, to)| Mask {
                        start: start + from,
                        end: start + to,
                        shown: REDACTED_IN_YAML,
                    }));
                    return true;
                }
                user.is_some() && CREDENTIALS.contains(&line.key) && line.has_value()
            }
            // The first line is the one that it was found in, and others only go on with its value.
            LineRole::Value => is_marker,
        };
        if is_secret {
            let value = if line.key.is_empty() {
                line.column
            } else {
                line.value_from
            };
            let mask = Mask {
                start: start + value,
                end: start + line.text.len(),
                shown: REDACTED_IN_YAML,
            };
            self.out(masks).push(mask);
            self.masked_column = Some(line.key_column);
        }
        is_secret || !matches!(self.role, LineRole::Value)
    }

    fn is_in_data(&self) -> bool {
        match &self.role {
            LineRole::Undecided { in_data, .. }
            | LineRole::Known { in_data }
            | LineRole::List { in_data, .. } => *in_data,
            LineRole::Users { user } => user.is_some(),
            LineRole::Value => false,
        }
    }

    /// The list that masks go to: the one kept back with the text, or that of the others.
    fn out<'m>(&'m mut self, masks: &'m mut Vec<Mask>) -> &'m mut Vec<Mask> {
        match &mut self.role {
            LineRole::Undecided { masks, .. } => masks,
            _ => masks,
        }
    }
}

fn is_secret_kind(line: &YamlLine<'_>) -> bool {
    unquoted(line.value()) == SECRET
}

/// A text without the quotes around it.
pub(super) fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
        _ => text,
    }
}

/// A value without the comment behind it, which begins with a `#` that space or nothing comes before.
fn without_comment(value: &[u8]) -> &[u8] {
    // Quotes within quotes are no matter: the kinds have none, and a credential is masked to the end of its line.
    let quoted = match value.split_first() {
        Some((quote @ (b'"' | b'\''), rest)) => {
            memchr::memchr(*quote, rest).map_or(value.len(), |at| at + 1)
        }
        _ => 0,
    };
    let comment = memchr::memchr_iter(b'#', value)
        .find(|&at| at >= quoted && (at == 0 || value[at - 1].is_ascii_whitespace()));
    value[..comment.unwrap_or(value.len())].trim_ascii_end()
}
