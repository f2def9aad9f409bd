//! Redacts a stream piece by piece, with the same outcome however it is cut into pieces.
//!
//! Whole lines are given on at once, unless a secret may go on in the next one. Of what is kept back, and of lines that
//! are too long to wait for their end, no more is read again than is new, so that the work stays linear.

use crate::process::begun_character;

use super::{BLOCK, NamedSecrets, REDACTED, Redactor};

/// The number of bytes kept of a secret without an end, to tell whether it goes on.
const KEPT_START: usize = 1024;

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct RedactedStream {
    redactor: Redactor,
    pending: Vec<u8>,
    /// The number of its bytes that are whole lines.
    lines: usize,
    /// The number of its bytes that were looked at and kept back.
    held: usize,
    /// The number of its bytes that are the start of a secret that was replaced already and may go on.
    replaced: usize,
    /// The amount that is waited for before a line is cut or a secret is taken for endless.
    limit: usize,
    /// The number of bytes that were read, by a finder or by a pattern.
    #[cfg(test)]
    pub(super) read: usize,
}

impl RedactedStream {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            pending: Vec::new(),
            lines: 0,
            held: 0,
            replaced: 0,
            limit: BLOCK,
            #[cfg(test)]
            read: 0,
        }
    }

    /// A stream that waits for less, so that a test reaches its limits.
    #[cfg(test)]
    pub(super) fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Takes a piece and gives what is safe to show.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Vec<u8> {
        let before = self.pending.len();
        self.pending.extend_from_slice(piece);
        if let Some(at) = piece.iter().rposition(|&byte| byte == b'\n') {
            self.lines = before + at + 1;
        }
        let mut out = Vec::new();
        // What was kept back is only read again together with as much that is new.
        if self.lines > 0 && self.lines >= 2 * self.held {
            self.give(self.lines, &mut out);
        }
        let unended = self.pending.len() - self.lines;
        if unended > self.limit && self.pending.len() >= 2 * self.held {
            let whole = self.pending.len() - begun_character(&self.pending);
            self.give(whole, &mut out);
        }
        out
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let spans = self.spans(self.pending.len());
        self.write(&spans, self.pending.len(), &mut out);
        self.drop_first(self.pending.len());
        out
    }

    /// The amount that is kept back at the moment.
    #[cfg(test)]
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    fn spans(&mut self, end: usize) -> Vec<(usize, usize)> {
        let Self {
            redactor, pending, ..
        } = &*self;
        let (spans, _read) =
            redactor.with_memory(|memory| redactor.0.spans(memory, &pending[..end]));
        #[cfg(test)]
        {
            self.read += _read;
        }
        spans
    }

    /// The place where the first secret may begin that the end cuts in two.
    fn cut_secret(&mut self, end: usize) -> usize {
        if end == self.lines && !self.redactor.0.crosses_lines() {
            return end;
        }
        let Self {
            redactor, pending, ..
        } = &*self;
        let (first, _read) =
            redactor.with_memory(|memory| redactor.0.cut_secret(memory, &pending[..end]));
        #[cfg(test)]
        {
            self.read += _read;
        }
        first
    }

    /// Gives as much up to `end` as no secret goes across.
    fn give(&mut self, end: usize, out: &mut Vec<u8>) {
        let spans = self.spans(end);
        let cut = self.cut_secret(end);
        let mut cut = self.without_cut_spans(cut, end, &spans);
        if end - cut > self.limit {
            if let Some(&(start, last)) = spans.last()
                && last == end
            {
                self.replace_endless(start, end, &spans, out);
                return;
            }
            // It may be the start of a secret or not, and there is too much of it to wait.
            let hold = self.hold();
            cut = self.without_cut_spans(end - hold, end, &spans);
            if end - cut > self.limit {
                let is_cut = |span: &&(usize, usize)| span.0 < end - hold && span.1 > end - hold;
                cut = spans.iter().find(is_cut).map_or(end - hold, |span| span.1);
            }
            while !is_boundary(&self.pending, cut) {
                cut -= 1;
            }
        }
        self.write(&spans, cut, out);
        self.drop_first(cut);
        self.held = end - cut;
    }

    /// The amount that is kept back of what is too much to wait for. A pattern may have begun anywhere in it.
    fn hold(&self) -> usize {
        let NamedSecrets {
            values, patterns, ..
        } = &*self.redactor.0;
        if patterns.is_empty() {
            values.longest().max(1024).min(self.limit / 2)
        } else {
            self.limit / 2
        }
    }

    /// The last place up to `cut` where no secret is cut in two, and no line if it stands among whole lines.
    fn without_cut_spans(&self, mut cut: usize, end: usize, spans: &[(usize, usize)]) -> usize {
        let line = |cut: usize| {
            if end != self.lines || cut == end {
                return cut;
            }
            let newline = self.pending[..cut].iter().rposition(|&byte| byte == b'\n');
            newline.map_or(0, |at| at + 1)
        };
        cut = line(cut);
        for &(start, last) in spans.iter().rev() {
            if start < cut && last > cut {
                cut = line(start);
            }
        }
        cut
    }

    /// Replaces a secret that has no end yet, and keeps its start to tell how far it goes.
    fn replace_endless(
        &mut self,
        start: usize,
        end: usize,
        spans: &[(usize, usize)],
        out: &mut Vec<u8>,
    ) {
        self.write(spans, end, out);
        let mut kept = start + (end - start).min(KEPT_START).min(self.limit / 2);
        while !is_boundary(&self.pending, kept) {
            kept -= 1;
        }
        self.pending.drain(kept..end);
        self.lines = self.lines.saturating_sub(end - kept);
        self.drop_first(start);
        self.replaced = kept - start;
        self.held = 0;
    }

    /// Writes what comes before `end`, with its secrets replaced.
    fn write(&self, spans: &[(usize, usize)], end: usize, out: &mut Vec<u8>) {
        let mut at = self.replaced.min(end);
        for &(start, last) in spans.iter().filter(|span| span.1 <= end) {
            if start >= self.replaced {
                out.extend_from_slice(&self.pending[at..start]);
                out.extend_from_slice(REDACTED.as_bytes());
            }
            at = at.max(last);
        }
        out.extend_from_slice(&self.pending[at..end.max(at)]);
    }

    fn drop_first(&mut self, count: usize) {
        self.pending.drain(..count);
        self.lines = self.lines.saturating_sub(count);
        self.replaced = self.replaced.saturating_sub(count);
        self.held = 0;
    }
}

/// Returns true if no character goes across this place.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    at == 0 || bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}
