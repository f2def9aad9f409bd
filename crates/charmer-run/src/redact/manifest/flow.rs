//! Reads YAML in flow style on one line: `{kind: Secret, data: {a: b}}`.

use super::{
    marker::{CLIENT_KEY, CREDENTIALS, DATA, KIND, SECRET, SECRET_LIST, STRING_DATA, USER, USERS},
    yaml::unquoted,
};

/// The depth to which containers may nest.
const DEEPEST: usize = 64;

/// A value that is a text.
struct FlowEntry<'l> {
    /// The keys of the containers that it stands in, the outermost first; empty in a list.
    under: Vec<&'l [u8]>,
    key: &'l [u8],
    start: usize,
    end: usize,
}

/// The places of the credentials in a line, from the value of this key on, which stands in a mapping.
pub(super) fn credentials(line: &[u8], key: &[u8], from: usize) -> Vec<(usize, usize)> {
    let entries = entries(line, key, from);
    let text = |entry: &FlowEntry<'_>| unquoted(&line[entry.start..entry.end]);
    let is_data = |key: &&[u8]| matches!(*key, DATA | STRING_DATA);
    let mut kinds = entries
        .iter()
        .filter(|entry| entry.under.is_empty() && entry.key == KIND);
    let kind = kinds.next().map(text).unwrap_or_default();
    let secret = |entry: &&FlowEntry<'_>| match key {
        KIND if kind == SECRET_LIST => entry.under.iter().any(is_data),
        KIND | DATA | STRING_DATA => kind == SECRET && entry.under.first().is_some_and(is_data),
        CLIENT_KEY => entry.under.is_empty() && entry.key == CLIENT_KEY,
        USERS | USER => entry.under.contains(&USER) && CREDENTIALS.contains(&entry.key),
        _ => false,
    };
    let found = entries.iter().filter(secret);
    let found = found.filter(|entry| !text(entry).is_empty());
    found.map(|entry| (entry.start, entry.end)).collect()
}

fn entries<'l>(line: &'l [u8], key: &'l [u8], from: usize) -> Vec<FlowEntry<'l>> {
    let mut entries = Vec::new();
    // The keys of the containers that are open, and the key at hand.
    let mut open: Vec<&[u8]> = Vec::new();
    let mut key = Some(key);
    let mut at = from;
    while let Some(&byte) = line.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b':' => at += 1,
            b'#' => break,
            b',' => {
                key = None;
                at += 1;
            }
            b'{' | b'[' if open.len() < DEEPEST => {
                open.push(key.take().unwrap_or_default());
                at += 1;
            }
            b'}' | b']' => {
                if open.pop().is_none() {
                    break;
                }
                at += 1;
            }
            b'{' | b'[' => break,
            _ => {
                let end = scalar_end(line, at);
                let text = &line[at..end];
                let rest = line[end..].trim_ascii_start();
                if key.is_none() && rest.starts_with(b":") {
                    key = Some(unquoted(text));
                } else {
                    entries.push(FlowEntry {
                        under: open.clone(),
                        key: key.unwrap_or_default(),
                        start: at,
                        end,
                    });
                }
                at = end;
            }
        }
    }
    entries
}

/// The end of the text that begins here; it is not empty.
fn scalar_end(line: &[u8], start: usize) -> usize {
    let rest = &line[start..];
    if let quote @ (b'"' | b'\'') = rest[0] {
        let mut is_escaped = false;
        for (at, &byte) in rest.iter().enumerate().skip(1) {
            if byte == quote && !is_escaped {
                return start + at + 1;
            }
            is_escaped = byte == b'\\' && quote == b'"' && !is_escaped;
        }
        return start + rest.trim_ascii_end().len();
    }
    let ends = |at: usize| match rest[at] {
        b',' | b'{' | b'}' | b'[' | b']' => true,
        b':' => rest
            .get(at + 1)
            .is_none_or(|next| matches!(next, b' ' | b',' | b'}' | b']')),
        b'#' => rest[at - 1] == b' ',
        _ => false,
    };
    let end = (1..rest.len()).find(|&at| ends(at)).unwrap_or(rest.len());
    start + rest[..end].trim_ascii_end().len().max(1)
}
