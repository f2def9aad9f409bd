//! Secrets that must not be seen: in output, logs, progress or on disk.
//!
//! Output is redacted while it streams, before anything keeps it. A secret is found as it stands; a program that
//! encodes or splits it on purpose is not outwitted. Every byte is read once by a [`Finder`], which knows where a secret
//! may begin; a pattern is only asked there.

mod finder;
mod shape;
mod stream;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use regex_lite::Regex;

use finder::{Finder, MAX_SECRETS, Memory};
use shape::Shape;
pub(crate) use stream::RedactedStream;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// How long a text may be to be looked at as a whole; what is longer goes through a stream.
const BLOCK: usize = 64 << 10;
/// How much of a value is told apart while looking for its beginning.
const VALUE_START: usize = 64;

/// The secrets of a server. Clones share them.
///
/// A pattern that cannot match the end of a line is matched line by line, so that `^` and `$` stand for a line's
/// borders.
///
/// ```
/// use charmer_run::Redactor;
/// let redactor = Redactor::new(["hunter2"], [r"ghp_\w+"]).unwrap();
/// assert_eq!(redactor.text("pass hunter2, token ghp_abc"), "pass [redacted], token [redacted]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Arc<Secrets>);

#[derive(Default)]
struct Secrets {
    all: Vec<Secret>,
    finder: Finder,
    /// What finders have learned, for whoever looks next.
    memories: Mutex<Vec<Memory>>,
    /// Whether a secret can go across lines.
    across_lines: bool,
    /// The length of the longest value.
    longest: usize,
}

struct Secret {
    kind: SecretKind,
    across_lines: bool,
}

enum SecretKind {
    Value(String),
    Pattern(Regex),
}

/// A pattern that cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the pattern `{pattern}` cannot be read: {reason}")]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Redactor {
    /// Redacts these values and whatever matches these regular expressions. Empty values and empty matches are ignored.
    /// A match that is longer than 64 KiB is found as far as its pattern can match a part of it.
    pub fn new<V, P>(
        values: impl IntoIterator<Item = V>,
        patterns: impl IntoIterator<Item = P>,
    ) -> Result<Self, BadPattern>
    where
        V: Into<String>,
        P: AsRef<str>,
    {
        let mut values: Vec<String> = values
            .into_iter()
            .map(Into::into)
            .filter(|value: &String| !value.is_empty())
            .collect();
        values.sort_unstable();
        values.dedup();
        if values.len() > MAX_SECRETS {
            return Err(BadPattern {
                // Never the values themselves.
                pattern: "...".into(),
                reason: format!("there are more than {MAX_SECRETS} secret values"),
            });
        }
        let mut shapes: Vec<Shape> = values.iter().map(|value| shape_of_value(value)).collect();
        let mut all: Vec<Secret> = Vec::new();
        for value in values {
            all.push(Secret {
                across_lines: value.contains('\n'),
                kind: SecretKind::Value(value),
            });
        }
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let bad = |reason: String| BadPattern {
                pattern: pattern.to_owned(),
                reason,
            };
            let compiled = Regex::new(pattern).map_err(|error| bad(error.to_string()))?;
            if all.len() >= MAX_SECRETS {
                return Err(bad(format!("there are {MAX_SECRETS} secrets before it")));
            }
            let shape = Shape::of_pattern(pattern);
            all.push(Secret {
                across_lines: shape.crosses_lines(),
                kind: SecretKind::Pattern(compiled),
            });
            shapes.push(shape);
        }
        let lengths = all.iter().map(|secret| match &secret.kind {
            SecretKind::Value(value) => value.len(),
            SecretKind::Pattern(_) => 0,
        });
        Ok(Self(Arc::new(Secrets {
            longest: lengths.max().unwrap_or(0),
            across_lines: all.iter().any(|secret| secret.across_lines),
            finder: Finder::new(&shapes),
            memories: Mutex::default(),
            all,
        })))
    }

    /// Whether there is nothing to redact.
    pub fn is_empty(&self) -> bool {
        self.0.all.is_empty()
    }

    /// Text without the secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_empty() || text.is_empty() {
            return Cow::Borrowed(text);
        }
        if text.len() > BLOCK {
            let mut stream = RedactedStream::new(self.clone());
            let mut out = Vec::with_capacity(text.len());
            for piece in text.as_bytes().chunks(BLOCK) {
                out.extend(stream.feed(piece));
            }
            out.extend(stream.finish());
            if out == text.as_bytes() {
                return Cow::Borrowed(text);
            }
            return Cow::Owned(
                String::from_utf8(out)
                    .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()),
            );
        }
        let spans = self.with_memory(|memory| self.0.spans(memory, text.as_bytes()).0);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end) in spans {
            out.push_str(&text[at..start]);
            out.push_str(REDACTED);
            at = end;
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// A redactor for one stream; `None` if there is nothing to redact.
    pub(crate) fn stream(&self) -> Option<RedactedStream> {
        (!self.is_empty()).then(|| RedactedStream::new(self.clone()))
    }

    fn with_memory<T>(&self, work: impl FnOnce(&mut Memory) -> T) -> T {
        let memories = || {
            self.0
                .memories
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let mut memory = memories().pop().unwrap_or_default();
        let done = work(&mut memory);
        memories().push(memory);
        done
    }
}

/// Of a long value only the start is told apart.
fn shape_of_value(value: &str) -> Shape {
    let start = Shape::literal(&value[..value.floor_char_boundary(VALUE_START)]);
    if value.len() <= VALUE_START {
        return start;
    }
    let rest = if value.contains('\n') {
        Shape::anything()
    } else {
        Shape::any_line()
    };
    Shape::Sequence(vec![start, rest])
}

impl Secrets {
    /// Where secrets stand in bytes, those that overlap put together, and how many bytes were read to find them. What is
    /// no UTF-8 is no part of a secret.
    fn spans(&self, memory: &mut Memory, bytes: &[u8]) -> (Vec<(usize, usize)>, usize) {
        let mut spans = Vec::new();
        let mut read = bytes.len();
        let mut found: Vec<Vec<usize>> = Vec::new();
        let mut offset = 0;
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            found.resize_with(self.all.len(), Vec::new);
            let told = memory.find(&self.finder, text.as_bytes(), |secret, at| {
                found[usize::from(secret)].push(at);
            });
            if told.is_none() {
                let unknown = self.all.iter().map(|secret| secret.looked_for(text));
                found = unknown.collect();
            }
            for (secret, starts) in self.all.iter().zip(&mut found) {
                if !starts.is_empty() {
                    read += secret.spans(text, starts, |start, end| {
                        spans.push((offset + start, offset + end));
                    });
                    starts.clear();
                }
            }
            offset += text.len() + chunk.invalid().len();
        }
        spans.sort_unstable();
        spans.dedup_by(|next, span| {
            let overlaps = next.0 < span.1;
            if overlaps {
                span.1 = span.1.max(next.1);
            }
            overlaps
        });
        (spans, read)
    }

    /// Where the first secret may begin that the end of these bytes may cut in two, and how many bytes were read.
    fn cut_secret(&self, memory: &mut Memory, bytes: &[u8]) -> (usize, usize) {
        memory.cut_secret(&self.finder, bytes).unwrap_or_else(|| {
            // Nothing is known, so as much is kept back as a secret usually has.
            (bytes.len().saturating_sub(self.longest.max(1024)), 0)
        })
    }
}

impl Secret {
    /// Where to look, last to first, if the finder cannot tell: at a value, or everywhere.
    fn looked_for(&self, text: &str) -> Vec<usize> {
        let mut starts: Vec<usize> = match &self.kind {
            SecretKind::Value(value) => text.match_indices(value).map(|(at, _)| at).collect(),
            SecretKind::Pattern(_) => text.char_indices().map(|(at, _)| at).collect(),
        };
        starts.reverse();
        starts
    }

    /// Tells where it stands, given where it may begin, last to first. Returns how many bytes were read.
    fn spans(&self, text: &str, starts: &[usize], mut tell: impl FnMut(usize, usize)) -> usize {
        let mut read = 0;
        // What comes before this has been seen.
        let mut seen = 0;
        // The part of the text that a pattern is matched in.
        let mut part = 0..if self.across_lines { text.len() } else { 0 };
        for &start in starts.iter().rev() {
            if start < seen || !text.is_char_boundary(start) {
                continue;
            }
            if start >= part.end {
                let line = text[part.end..start].rfind('\n');
                let begin = line.map_or(part.end, |at| part.end + at + 1);
                let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
                part = begin..end;
            }
            let found = match &self.kind {
                SecretKind::Value(value) => {
                    let begins = text[start..].starts_with(value.as_str());
                    begins.then(|| (start, start + value.len()))
                }
                SecretKind::Pattern(pattern) => pattern
                    .find_at(&text[part.clone()], start - part.start)
                    .map(|found| (part.start + found.start(), part.start + found.end())),
            };
            match found {
                Some((begin, end)) => {
                    read += end - start;
                    seen = end.max(start + 1);
                    if begin < end {
                        tell(begin, end);
                    }
                }
                None if matches!(self.kind, SecretKind::Value(_)) => {}
                None => {
                    read += part.end - start;
                    seen = part.end;
                }
            }
        }
        read
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the secrets themselves.
        let values = self.0.all.iter();
        let values = values.filter(|secret| matches!(secret.kind, SecretKind::Value(_)));
        let values = values.count();
        write!(
            f,
            "Redactor({values} values, {} patterns)",
            self.0.all.len() - values
        )
    }
}
