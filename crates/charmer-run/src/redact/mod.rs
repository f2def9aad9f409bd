//! Secrets that must not be seen: in output, logs, progress or on disk.
//!
//! Output is redacted while it streams, before anything keeps it. A secret is found as it stands; a program that
//! encodes or splits it on purpose is not outwitted. Every byte is read once for all [`Values`], and once by a [`Finder`],
//! which knows where a pattern may match; a pattern is only asked there. Whatever is not known of a pattern is decided
//! for its asking more often.
//!
//! What nobody had to name is masked as well: credentials in [manifests](manifest).

mod finder;
mod manifest;
#[cfg(test)]
mod odd_patterns;
mod output;
mod shape;
mod stream;
#[cfg(test)]
mod tests;
mod values;

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard},
};

use charmer_core::order;
use regex_lite::Regex;

use finder::{Finder, FinderMemory, MAX_SECRETS};
pub(crate) use output::RedactedOutput;
use shape::ByteShape;
use stream::RedactedStream;
use values::Values;

/// The replacement of a secret.
pub const REDACTED: &str = "[redacted]";

/// The greatest length that a text may have to be looked at as a whole; what is longer goes through a stream.
const BLOCK: usize = 64 << 10;

/// The secrets of a server. Clones share them.
///
/// A pattern that cannot match the end of a line is matched line by line, so that `^` and `$` stand for a line's
/// borders. One with the flag `x` is matched both in lines and across them. The end of a line in a value stands for `\n`
/// and for `\r\n`.
///
/// Credentials in Kubernetes manifests (the data of a `Secret`) and kubeconfigs are masked whatever else is named.
///
/// ```
/// use charmer_run::Redactor;
/// let redactor = Redactor::new(["hunter2"], [r"ghp_\w+"]).unwrap();
/// assert_eq!(redactor.text("pass hunter2, token ghp_abc"), "pass [redacted], token [redacted]");
/// ```
#[derive(Clone, Default)]
pub struct Redactor(Arc<NamedSecrets>);

#[derive(Default)]
struct NamedSecrets {
    values: Values,
    patterns: Vec<SecretPattern>,
    finder: Finder,
    /// The memories of finders, for whoever looks next.
    memories: Mutex<Vec<FinderMemory>>,
    /// A secret can go across lines.
    across_lines: bool,
    /// The secrets that became known later.
    learned: RwLock<Learned>,
}

/// Secrets that became known while the server ran.
#[derive(Default)]
struct Learned {
    /// The newest last.
    texts: Vec<String>,
    values: Values,
}

/// So many secrets are remembered that became known while the server ran; the oldest is forgotten first.
const MOST_LEARNED: usize = 1024;

struct SecretPattern {
    regex: Regex,
    /// It is matched in the whole text.
    across_lines: bool,
    /// It is matched in each line.
    by_lines: bool,
    /// The finder cannot tell where it may match.
    is_unknown: bool,
}

/// A pattern that cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the pattern `{pattern}` cannot be read: {reason}")]
pub struct BadPattern {
    /// The pattern.
    pub pattern: String,
    /// The mistake in it.
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
        let values = Values::new(values.into_iter().map(Into::into));
        let mut shapes: Vec<Option<ByteShape>> = Vec::new();
        let mut all: Vec<SecretPattern> = Vec::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let bad = |reason: String| BadPattern {
                pattern: pattern.to_owned(),
                reason,
            };
            let regex = Regex::new(pattern).map_err(|error| bad(error.to_string()))?;
            if all.len() >= MAX_SECRETS {
                return Err(bad(format!("there are {MAX_SECRETS} patterns before it")));
            }
            let shape = ByteShape::of_pattern(pattern);
            let crosses = shape.as_ref().map(ByteShape::crosses_lines);
            all.push(SecretPattern {
                regex,
                across_lines: crosses.unwrap_or(true),
                by_lines: !crosses.unwrap_or(false),
                is_unknown: false,
            });
            shapes.push(shape);
        }
        let (finder, unknown) = Finder::new(&shapes);
        for pattern in unknown {
            all[pattern].is_unknown = true;
        }
        Ok(Self(Arc::new(NamedSecrets {
            across_lines: values.cross_lines() || all.iter().any(|pattern| pattern.across_lines),
            values,
            patterns: all,
            finder,
            memories: Mutex::default(),
            learned: RwLock::default(),
        })))
    }

    /// Redacts this as well from now on, for everybody who shares these secrets.
    ///
    /// ```
    /// use charmer_run::Redactor;
    /// let redactor = Redactor::default();
    /// redactor.clone().learn("hunter2");
    /// assert_eq!(redactor.text("pass hunter2"), "pass [redacted]");
    /// ```
    pub fn learn(&self, secret: &str) {
        let is_known = |learned: &Learned| learned.texts.iter().any(|known| known == secret);
        if secret.is_empty() || is_known(&self.0.learned()) {
            return;
        }
        let learned = &self.0.learned;
        let mut learned = learned.write().unwrap_or_else(PoisonError::into_inner);
        if is_known(&learned) {
            return;
        }
        if learned.texts.len() >= MOST_LEARNED {
            learned.texts.remove(0);
        }
        learned.texts.push(secret.to_owned());
        learned.values = Values::new(learned.texts.iter().cloned());
    }

    /// Returns true if nothing was named that is to be redacted.
    pub fn is_empty(&self) -> bool {
        let named = self.0.values.len() + self.0.learned().texts.len();
        named == 0 && self.0.patterns.is_empty()
    }

    /// Text without the secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match manifest::masked(text) {
            Cow::Borrowed(text) => self.without_named(text),
            Cow::Owned(text) => Cow::Owned(self.without_named(&text).into_owned()),
        }
    }

    fn without_named<'t>(&self, text: &'t str) -> Cow<'t, str> {
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

    /// Returns true if there is a secret in these bytes, whatever they are.
    pub(crate) fn changes(&self, bytes: &[u8]) -> bool {
        let mut output = self.output();
        let mut redacted = output.feed(bytes).into_owned();
        redacted.extend(output.finish());
        redacted != bytes
    }

    /// A redactor for one stream of output.
    pub(crate) fn output(&self) -> RedactedOutput {
        RedactedOutput::new(self.stream())
    }

    /// A redactor of what was named, for one stream; `None` if that is nothing.
    fn stream(&self) -> Option<RedactedStream> {
        (!self.is_empty()).then(|| RedactedStream::new(self.clone()))
    }

    fn with_memory<T>(&self, work: impl FnOnce(&mut FinderMemory) -> T) -> T {
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

impl NamedSecrets {
    fn learned(&self) -> RwLockReadGuard<'_, Learned> {
        self.learned.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a secret can go across lines.
    fn crosses_lines(&self) -> bool {
        self.across_lines || self.learned().values.cross_lines()
    }

    /// The spans of secrets in bytes, those that overlap put together, and the number of bytes read to find them. Bytes
    /// that are no UTF-8 are no part of a secret.
    fn spans(&self, memory: &mut FinderMemory, bytes: &[u8]) -> (Vec<(usize, usize)>, usize) {
        let mut spans = Vec::new();
        let mut read = bytes.len();
        for values in [&self.values, &self.learned().values] {
            values.spans(bytes, |start, end| spans.push((start, end)));
        }
        if !self.patterns.is_empty() {
            read += self.pattern_spans(memory, bytes, &mut spans);
        }
        order::sort(&mut spans);
        spans.dedup_by(|next, span| {
            let overlaps = next.0 < span.1;
            if overlaps {
                span.1 = span.1.max(next.1);
            }
            overlaps
        });
        (spans, read)
    }

    fn pattern_spans(
        &self,
        memory: &mut FinderMemory,
        bytes: &[u8],
        spans: &mut Vec<(usize, usize)>,
    ) -> usize {
        let mut read = 0;
        // Where each pattern may match, last to first.
        let mut found: Vec<Vec<usize>> = vec![Vec::new(); self.patterns.len()];
        let mut offset = 0;
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            let told = memory.find(&self.finder, text.as_bytes(), |pattern, at| {
                found[usize::from(pattern)].push(at);
            });
            for (pattern, starts) in self.patterns.iter().zip(&mut found) {
                let mut tell = |start, end| spans.push((offset + start, offset + end));
                let is_unknown = pattern.is_unknown || told.is_none();
                for across_lines in [true, false] {
                    if across_lines && !pattern.across_lines || !across_lines && !pattern.by_lines {
                        continue;
                    }
                    read += if is_unknown {
                        let everywhere = text.char_indices().map(|(at, _)| at);
                        pattern.spans(text, across_lines, everywhere, &mut tell)
                    } else {
                        let starts = starts.iter().rev().copied();
                        pattern.spans(text, across_lines, starts, &mut tell)
                    };
                }
                starts.clear();
            }
            offset += text.len() + chunk.invalid().len();
        }
        read
    }

    /// The place where the first secret may begin that the end of these bytes may cut in two, and the number of bytes
    /// read.
    fn cut_secret(&self, memory: &mut FinderMemory, bytes: &[u8]) -> (usize, usize) {
        let unknown = || self.patterns.iter().filter(|pattern| pattern.is_unknown);
        if unknown().any(|pattern| pattern.across_lines) {
            return (0, 0);
        }
        let mut first = self.values.cut(bytes).min(self.learned().values.cut(bytes));
        if unknown().next().is_some() {
            let newline = bytes.iter().rposition(|&byte| byte == b'\n');
            first = first.min(newline.map_or(0, |at| at + 1));
        }
        if self.finder.is_empty() {
            return (first, 0);
        }
        // What cannot be told may begin anywhere.
        let (known, read) = memory.cut_secret(&self.finder, bytes).unwrap_or((0, 0));
        (first.min(known), read)
    }
}

impl SecretPattern {
    /// Tells where it matches, given where it may begin. Returns how many bytes were read.
    fn spans(
        &self,
        text: &str,
        across_lines: bool,
        starts: impl Iterator<Item = usize>,
        tell: &mut impl FnMut(usize, usize),
    ) -> usize {
        let mut read = 0;
        // What comes before this has been seen.
        let mut seen = 0;
        // The part of the text that it is matched in.
        let mut part = 0..if across_lines { text.len() } else { 0 };
        for start in starts {
            if start < seen || !text.is_char_boundary(start) {
                continue;
            }
            if start >= part.end {
                let line = text[part.end..start].rfind('\n');
                let begin = line.map_or(part.end, |at| part.end + at + 1);
                let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
                part = begin..end;
            }
            let found = self
                .regex
                .find_at(&text[part.clone()], start - part.start)
                .map(|found| (part.start + found.start(), part.start + found.end()));
            match found {
                Some((begin, end)) => {
                    read += end - start;
                    seen = end.max(start + 1);
                    if begin < end {
                        tell(begin, end);
                    }
                }
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
        let (values, patterns) = (self.0.values.len(), self.0.patterns.len());
        write!(f, "Redactor({values} values, {patterns} patterns)")
    }
}
