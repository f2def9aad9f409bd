//! Secrets whose text is known.
//!
//! They are sorted, so that one search tells which of thousands begin at a place, and only places whose first two bytes
//! begin some value are searched. The end of a line in a value stands for `\n` and for `\r\n`, because programs and
//! terminals turn one into the other.

use std::{cmp::Ordering, collections::HashMap};

use charmer_core::order;

/// The number of 64-bit words of the set of byte pairs that begin a value.
const PAIR_WORDS: usize = (1 << 16) / 64;

#[derive(Default)]
pub(super) struct Values {
    /// With `\n` as the end of lines.
    sorted: Vec<EncodedValue>,
    /// A bit for each pair of bytes; empty if there are no values.
    pairs: Vec<u64>,
    longest: usize,
}

struct EncodedValue {
    text: String,
    /// The longest other value that it begins with.
    within: Option<usize>,
}

impl Values {
    /// Empty values are ignored.
    pub(super) fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut texts: Vec<String> = values
            .into_iter()
            // A `\r` at the end is left over from a file with such lines, and would be no part of the secret in others.
            .map(|value| value.replace("\r\n", "\n").trim_end_matches('\r').into())
            .filter(|value: &String| !value.is_empty())
            .collect();
        order::sort(&mut texts);
        texts.dedup();
        let mut all = Self::default();
        if !texts.is_empty() {
            all.pairs = vec![0; PAIR_WORDS];
        }
        // The values that the one before begins with, and it itself.
        let mut open: Vec<usize> = Vec::new();
        for text in texts {
            while let Some(&last) = open.last()
                && !text.starts_with(&all.sorted[last].text)
            {
                open.pop();
            }
            for raw in [text.clone(), text.replace('\n', "\r\n")] {
                all.add_pair(raw.as_bytes());
                all.longest = all.longest.max(raw.len());
            }
            let within = open.last().copied();
            open.push(all.sorted.len());
            all.sorted.push(EncodedValue { text, within });
        }
        all
    }

    pub(super) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The number of bytes of the longest where it is printed.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn cross_lines(&self) -> bool {
        self.sorted.iter().any(|value| value.text.contains('\n'))
    }

    /// Tells where values stand. One that overlaps itself is told once.
    pub(super) fn spans(&self, bytes: &[u8], mut tell: impl FnMut(usize, usize)) {
        if self.sorted.is_empty() {
            return;
        }
        let mut ends: HashMap<usize, usize> = HashMap::new();
        for start in 0..bytes.len() {
            if !self.may_begin(&bytes[start..]) {
                continue;
            }
            let rest = &bytes[start..];
            let after = self
                .sorted
                .partition_point(|value| compared(&value.text, rest) != Ordering::Greater);
            // Whatever else the rest begins with is a beginning of the last value that is not behind it.
            let mut next = after.checked_sub(1);
            while let Some(index) = next {
                let value = &self.sorted[index];
                next = value.within;
                if let Some(length) = length_at_start(&value.text, rest)
                    && ends.get(&index).is_none_or(|&end| end <= start)
                {
                    ends.insert(index, start + length);
                    tell(start, start + length);
                }
            }
        }
    }

    /// The place where the first value begins that the end of the bytes cuts in two.
    pub(super) fn cut(&self, bytes: &[u8]) -> usize {
        let from = bytes.len().saturating_sub(self.longest);
        let is_cut = |&start: &usize| {
            let rest = &bytes[start..];
            self.may_begin(rest)
                && (self.is_begun(rest)
                    || rest
                        .strip_suffix(b"\r")
                        .is_some_and(|line| self.is_begun(line)))
        };
        (from..bytes.len()).find(is_cut).unwrap_or(bytes.len())
    }

    /// Returns true if a value goes on behind these bytes.
    fn is_begun(&self, bytes: &[u8]) -> bool {
        let after = self
            .sorted
            .partition_point(|value| compared(&value.text, bytes) != Ordering::Greater);
        self.sorted.get(after).is_some_and(|value| {
            let mut text = value.text.bytes();
            with_line_ends(bytes).all(|(_, byte)| text.next() == Some(byte))
        })
    }

    fn add_pair(&mut self, value: &[u8]) {
        let seconds = match value.get(1) {
            Some(&second) => second..=second,
            None => 0..=u8::MAX,
        };
        for second in seconds {
            let pair = usize::from(value[0]) << 8 | usize::from(second);
            self.pairs[pair / 64] |= 1 << (pair % 64);
        }
    }

    fn may_begin(&self, bytes: &[u8]) -> bool {
        match *bytes {
            [first, second, ..] => {
                let pair = usize::from(first) << 8 | usize::from(second);
                self.pairs[pair / 64] >> (pair % 64) & 1 == 1
            }
            _ => true,
        }
    }
}

/// The bytes with `\n` for each `\r\n`, each with the place behind it.
fn with_line_ends(bytes: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let is_kept = |&(at, byte): &(usize, u8)| byte != b'\r' || bytes.get(at) != Some(&b'\n');
    let behind = bytes.iter().enumerate().map(|(at, &byte)| (at + 1, byte));
    behind.filter(is_kept)
}

fn compared(value: &str, bytes: &[u8]) -> Ordering {
    value
        .bytes()
        .cmp(with_line_ends(bytes).map(|(_, byte)| byte))
}

/// The number of bytes that are the value, if they begin with it.
fn length_at_start(value: &str, bytes: &[u8]) -> Option<usize> {
    let mut rest = with_line_ends(bytes);
    let mut length = 0;
    for byte in value.bytes() {
        let (behind, other) = rest.next()?;
        if other != byte {
            return None;
        }
        length = behind;
    }
    Some(length)
}
