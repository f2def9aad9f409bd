//! Output in bounded memory: the head and the tail are kept, the middle is counted.

use std::collections::VecDeque;

/// What a program wrote to one stream, as far as it was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The beginning; all of it if nothing was cut.
    pub head: Vec<u8>,
    /// The end, if the middle was cut.
    pub tail: Vec<u8>,
    /// How many bytes were written in all.
    pub total: u64,
}

impl Captured {
    /// Output that was kept whole.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let head = bytes.into();
        Self {
            total: head.len() as u64,
            head,
            tail: Vec::new(),
        }
    }

    /// Whether bytes were left out.
    pub fn is_cut(&self) -> bool {
        self.total > (self.head.len() + self.tail.len()) as u64
    }

    /// The output as text; what is no UTF-8 is replaced, and a gap is marked with its size.
    pub fn to_text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.is_cut() {
            let missing = self.total - (self.head.len() + self.tail.len()) as u64;
            text.push_str(&format!(
                "\n[... {missing} of {} bytes left out ...]\n",
                self.total
            ));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }
}

/// Collects a stream within a limit.
#[derive(Debug)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    limit: usize,
}

impl Capture {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            limit,
        }
    }

    /// Half of the limit belongs to the head, half to the tail.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = (self.limit / 2).saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        if rest.is_empty() {
            return;
        }
        let tail_limit = self.limit - self.limit / 2;
        // Only the end of a long piece can survive, so only that is copied.
        let kept = &rest[rest.len().saturating_sub(tail_limit)..];
        let excess = (self.tail.len() + kept.len()).saturating_sub(tail_limit);
        self.tail.drain(..excess);
        self.tail.extend(kept);
    }

    pub(super) fn finish(mut self) -> Captured {
        let cut = self.total > (self.head.len() + self.tail.len()) as u64;
        if cut {
            return Captured {
                head: self.head,
                tail: self.tail.into(),
                total: self.total,
            };
        }
        self.head.extend(self.tail);
        Captured {
            head: self.head,
            tail: Vec::new(),
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes_and_its_size_stays() {
        let mut capture = Capture::new(10);
        for piece in [&b"abc"[..], b"defgh", b"ijklmnopqrst", b"uvwxyz"] {
            capture.push(piece);
        }
        let captured = capture.finish();
        assert_eq!(
            (&captured.head[..], &captured.tail[..], captured.total),
            (&b"abcde"[..], &b"vwxyz"[..], 26)
        );
        assert_eq!(
            captured.to_text(),
            "abcde\n[... 16 of 26 bytes left out ...]\nvwxyz"
        );
    }

    #[test]
    fn what_fits_is_whole() {
        let mut capture = Capture::new(10);
        capture.push(b"abcdefgh");
        capture.push(b"ij");
        assert_eq!(capture.finish(), Captured::whole(*b"abcdefghij"));
    }
}
