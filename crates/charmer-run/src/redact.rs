//! Secrets that must not be seen: in output, logs, progress or on disk.
//!
//! Output is redacted while it streams, before anything keeps it. A secret is found as it stands; a program that
//! encodes or splits it on purpose is not outwitted.

use std::{borrow::Cow, fmt, sync::Arc};

use regex_lite::Regex;

/// What stands in a secret's place.
pub const REDACTED: &str = "[redacted]";

/// How much of a line without an end is kept back to look for secrets in.
const LINE_LIMIT: usize = 64 << 10;

/// The secrets of a server. Clones share them.
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
    /// Longest first, so that a secret that contains another goes as a whole.
    values: Vec<String>,
    patterns: Vec<Regex>,
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
    /// Redacts these values and whatever matches these regular expressions. Empty values are ignored. Values may go
    /// across lines; of a pattern only matches within a line are found while output streams.
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
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        let patterns = patterns
            .into_iter()
            .map(|pattern| {
                let pattern = pattern.as_ref();
                Regex::new(pattern).map_err(|error| BadPattern {
                    pattern: pattern.to_owned(),
                    reason: error.to_string(),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Secrets { values, patterns })))
    }

    /// Whether there is nothing to redact.
    pub fn is_empty(&self) -> bool {
        self.0.values.is_empty() && self.0.patterns.is_empty()
    }

    /// Text without the secrets.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.0.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), REDACTED));
            }
        }
        for pattern in &self.0.patterns {
            if let Cow::Owned(replaced) = pattern.replace_all(&text, REDACTED) {
                text = Cow::Owned(replaced);
            }
        }
        text
    }

    /// Bytes without the secrets; what is no UTF-8 is left as it is.
    fn bytes(&self, bytes: &[u8], out: &mut Vec<u8>) {
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.text(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
    }

    /// Where to cut instead of at `wanted`, so that no secret is cut in two: before one that would be, or behind it if
    /// it is so long that it cannot be kept back.
    fn seam(&self, bytes: &[u8], wanted: usize) -> usize {
        let mut seam = (wanted, wanted);
        for (start, end) in self.spans(bytes).into_iter().rev() {
            // Secrets that overlap with one that is cut in two are kept together with it.
            if start < seam.1 && end > seam.0 {
                seam = (seam.0.min(start), seam.1.max(end));
            }
        }
        if seam.0 > 0 && wanted - seam.0 <= LINE_LIMIT {
            seam.0
        } else {
            seam.1
        }
    }

    /// Where secrets stand, in the order of their beginnings.
    fn spans(&self, bytes: &[u8]) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            for value in &self.0.values {
                let found = text.match_indices(value.as_str());
                spans.extend(found.map(|(start, found)| (at + start, at + start + found.len())));
            }
            for pattern in &self.0.patterns {
                let found = pattern.find_iter(text);
                spans.extend(found.map(|found| (at + found.start(), at + found.end())));
            }
            at += text.len() + chunk.invalid().len();
        }
        spans.sort_unstable();
        spans
    }

    /// A redactor for one stream; `None` if there is nothing to redact.
    pub(crate) fn stream(&self) -> Option<RedactedStream> {
        let across_lines = self
            .0
            .values
            .iter()
            .filter(|value| value.contains('\n'))
            .map(|value| value.len() - 1);
        let longest = self.0.values.first().map_or(0, String::len);
        (!self.is_empty()).then(|| RedactedStream {
            redactor: self.clone(),
            pending: Vec::new(),
            overlap: across_lines.max().unwrap_or(0),
            hold: longest.max(1024),
        })
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the secrets themselves.
        write!(
            f,
            "Redactor({} values, {} patterns)",
            self.0.values.len(),
            self.0.patterns.len()
        )
    }
}

/// Redacts a stream piece by piece: whole lines, so that a secret on the seam of two pieces is seen.
#[derive(Debug)]
pub(crate) struct RedactedStream {
    redactor: Redactor,
    pending: Vec<u8>,
    /// How much is kept back behind a line's end, for secrets that go across lines.
    overlap: usize,
    /// How much is kept back of a line that is too long to wait for its end.
    hold: usize,
}

impl RedactedStream {
    /// Takes a piece and gives what is safe to show.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(piece);
        let before_overlap = self.pending.len().saturating_sub(self.overlap);
        let lines = self.pending[..before_overlap]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let too_long = self.pending.len() - lines > LINE_LIMIT;
        let safe = if too_long {
            self.pending.len() - self.hold.min(self.pending.len())
        } else {
            lines
        };
        // Between two lines no secret is cut in two, unless one goes across lines.
        let safe = if too_long || self.overlap > 0 {
            self.redactor.seam(&self.pending, safe)
        } else {
            safe
        };
        self.give(safe)
    }

    /// Gives what is left.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.give(self.pending.len())
    }

    fn give(&mut self, safe: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(safe);
        self.redactor.bytes(&self.pending[..safe], &mut out);
        self.pending.drain(..safe);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(redactor: &Redactor, text: &[u8], piece: usize) -> Vec<u8> {
        let mut stream = redactor.stream().expect("there is something to redact");
        let mut out: Vec<u8> = text
            .chunks(piece.max(1))
            .flat_map(|piece| stream.feed(piece))
            .collect();
        out.extend(stream.finish());
        out
    }

    #[test]
    fn a_secret_is_found_wherever_the_pieces_end() {
        let redactor = Redactor::new(["hunter2", "two\nlines"], ["tok_[a-z]+"]).expect("patterns");
        let text = b"a hunter2 b\ntwo\nlines\ntok_abc \xff hunter2hunter2\nend hunter";
        let expected =
            b"a [redacted] b\n[redacted]\n[redacted] \xff [redacted][redacted]\nend hunter";
        for piece in 1..text.len() {
            let out = through(&redactor, text, piece);
            assert_eq!(
                String::from_utf8_lossy(&out),
                String::from_utf8_lossy(expected),
                "pieces of {piece}"
            );
        }
    }

    #[test]
    fn a_secret_is_found_where_a_long_line_is_cut() {
        let redactor = Redactor::new(["hunter2", "aa"], ["tok_[a-z]+"]).expect("patterns");
        for (secret, piece) in [("hunter2-", 65_536), ("é-tok_abcdef ", 4096), ("a", 65_536)] {
            let text = secret.repeat(400_000 / secret.len());
            let out = String::from_utf8(through(&redactor, text.as_bytes(), piece)).expect("UTF-8");
            let whole = redactor.text(&text);
            assert!(out == whole, "{secret}: {} and {}", out.len(), whole.len());
        }
    }

    #[test]
    fn a_secret_across_lines_is_found_wherever_the_pieces_end() {
        let redactor = Redactor::new(["two\nlines", "a\nb\nc"], [""; 0]).expect("patterns");
        let text =
            "two\nlines two\nlines\n\na\nb\na\nb\nc\ntwo\ntwo\nlines and the end of it\nx\ny\n";
        for piece in 1..text.len() {
            let out = through(&redactor, text.as_bytes(), piece);
            assert_eq!(
                String::from_utf8_lossy(&out),
                redactor.text(text),
                "pieces of {piece}"
            );
        }
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let redactor = Redactor::new(["secret"], [""; 0]).expect("patterns");
        let mut stream = redactor.stream().expect("there is something to redact");
        let given: usize = (0..100).map(|_| stream.feed(&[b'x'; 10_000]).len()).sum();
        assert!(given > 900_000 && stream.pending.len() <= LINE_LIMIT + 10_000);
    }

    #[test]
    fn a_longer_secret_goes_as_a_whole() {
        let redactor = Redactor::new(["abc", "abcdef", ""], [""; 0]).expect("patterns");
        assert_eq!(redactor.text("abcdef abc"), "[redacted] [redacted]");
        assert!(Redactor::new([""; 0], ["("]).is_err());
    }
}
