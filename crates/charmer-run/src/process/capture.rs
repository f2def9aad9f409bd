//! Output in bounded memory: the head and the tail are kept, the middle is counted.

use std::collections::VecDeque;

use charmer_core::output::MediaType;

use crate::Spooled;

/// The number of bytes that are dealt with on the thread that speaks with the client.
const LONG: usize = 64 << 10;

/// The output of a program to one stream, as far as it was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The beginning; all of it if nothing was cut.
    pub head: Vec<u8>,
    /// The end, if the middle was cut.
    pub tail: Vec<u8>,
    /// The number of bytes that were written in all.
    pub total: u64,
    /// The file that holds it whole, if it is long.
    pub spool: Option<Spooled>,
}

impl Captured {
    /// Output that was kept whole.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let head = bytes.into();
        Self {
            total: head.len() as u64,
            head,
            ..Self::default()
        }
    }

    /// Returns true if bytes were left out.
    pub fn is_cut(&self) -> bool {
        self.total > (self.head.len() + self.tail.len()) as u64
    }

    /// Returns true if there is so much of it that it is dealt with apart from the thread that speaks with the client.
    pub(crate) fn is_long(&self) -> bool {
        self.head.len() + self.tail.len() > LONG
    }

    /// The output as text; what is no UTF-8 is replaced, and a gap is marked. Output that is no text at all is
    /// described instead.
    pub fn to_text(&self) -> String {
        if let Some(described) = self.describe_binary() {
            return described;
        }
        let (head, tail) = (
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&self.tail),
        );
        if !self.is_cut() {
            return head.into_owned() + &tail;
        }
        format!(
            "{head}\n[... the middle of {} bytes left out ...]\n{tail}",
            self.total
        )
    }

    /// The last few lines as text.
    pub fn end_text(&self) -> String {
        let end = if self.tail.is_empty() {
            &self.head
        } else {
            &self.tail
        };
        String::from_utf8_lossy(&end[end.len().saturating_sub(1024)..]).into_owned()
    }

    /// The form of a picture or a sound; `None` for anything else.
    pub(crate) fn media_type(&self) -> Option<MediaType> {
        MediaType::of(&self.head).filter(|_| self.describe_binary().is_some())
    }

    /// A line that describes binary output; `None` for text.
    pub(crate) fn describe_binary(&self) -> Option<String> {
        let sample = &self.head[..self.head.len().min(4096)];
        let invalid: usize = sample
            .utf8_chunks()
            .map(|chunk| chunk.invalid().len())
            .sum();
        let binary = sample.contains(&0) || invalid * 10 > sample.len();
        binary.then(|| {
            if let Some(media) = MediaType::of(sample) {
                return format!("[{}, {} bytes]", media.name(), self.total);
            }
            let start: String = sample
                .iter()
                .take(32)
                .map(|byte| format!(" {byte:02x}"))
                .collect();
            format!(
                "[binary output of {} bytes, beginning with{start}]",
                self.total
            )
        })
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

    /// The number of bytes so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Everything that has come so far, in order; only whole while nothing was cut.
    pub(super) fn so_far(&self) -> impl Iterator<Item = &[u8]> {
        let (front, back) = self.tail.as_slices();
        [self.head.as_slice(), front, back].into_iter()
    }

    /// A copy of the beginning and of the end, each of at most so many bytes.
    pub(super) fn ends(&self, most: usize) -> Captured {
        let (front, back) = self.tail.as_slices();
        let cut = self.total > (self.head.len() + self.tail.len()) as u64;
        if !cut && self.head.len() + self.tail.len() <= most {
            let head = [self.head.as_slice(), front, back].concat();
            let whole = head.len() - begun_character(&head);
            return Captured::whole(&head[..whole]);
        }
        let head = &self.head[..self.head.len().min(most)];
        let last = [self.head.as_slice(), front, back];
        // From the end, as much as there is room for and the beginning does not hold already.
        let mut room = match cut {
            true => most.min(self.tail.len()),
            false => most.min((self.head.len() + self.tail.len()).saturating_sub(head.len())),
        };
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in last.into_iter().rev() {
            let taken = part.len().min(room);
            parts.push(&part[part.len() - taken..]);
            room -= taken;
        }
        parts.reverse();
        let tail = parts.concat();
        let head_end = head.len() - begun_character(head);
        Captured {
            head: head[..head_end].to_vec(),
            tail: tail[continued_character(&tail)..tail.len() - begun_character(&tail)].to_vec(),
            total: self.total,
            spool: None,
        }
    }

    pub(super) fn finish(mut self) -> Captured {
        let cut = self.total > (self.head.len() + self.tail.len()) as u64;
        if cut {
            // A character that the cut went through is left out as a whole.
            self.head
                .truncate(self.head.len() - begun_character(&self.head));
            let mut tail: Vec<u8> = self.tail.into();
            tail.drain(..continued_character(&tail));
            return Captured {
                head: self.head,
                tail,
                total: self.total,
                spool: None,
            };
        }
        self.head.extend(self.tail);
        Captured {
            head: self.head,
            total: self.total,
            ..Captured::default()
        }
    }
}

/// The number of bytes at the end that begin a character without ending it.
pub(crate) fn begun_character(bytes: &[u8]) -> usize {
    let begun = bytes.iter().rev().take(3).enumerate();
    for (after, byte) in begun {
        let length = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if after + 1 < length { after + 1 } else { 0 };
    }
    0
}

/// The number of bytes at the start that belong to a character that began before.
pub(crate) fn continued_character(bytes: &[u8]) -> usize {
    let continues = |byte: &&u8| matches!(byte, 0x80..=0xbf);
    bytes.iter().take(3).take_while(continues).count()
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
            "abcde\n[... the middle of 26 bytes left out ...]\nvwxyz"
        );
    }

    #[test]
    fn a_character_that_the_cut_goes_through_goes_as_a_whole() {
        for (text, width) in [("é", 2), ("日", 3), ("👩", 4)] {
            for limit in 20..30 {
                let mut capture = Capture::new(limit);
                capture.push(text.repeat(100).as_bytes());
                let captured = capture.finish();
                let (head, tail) = (captured.head.len(), captured.tail.len());
                assert!(
                    !captured.to_text().contains('\u{fffd}'),
                    "{text} at {limit}"
                );
                assert!(head + tail > limit - 2 * width && captured.total == 100 * width as u64);
            }
        }
        assert_eq!(
            (begun_character(b""), begun_character(b"a\xf0\x9f\x98")),
            (0, 3)
        );
        assert_eq!(
            (begun_character(b"\xff"), begun_character(b"\xc3\xa9")),
            (0, 0)
        );
    }

    #[test]
    fn binary_output_is_described() {
        let captured = Captured::whole(*b"\x7fELF\0\x01");
        assert_eq!(
            captured.to_text(),
            "[binary output of 6 bytes, beginning with 7f 45 4c 46 00 01]"
        );
        assert_eq!(
            Captured::whole(*b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR").to_text(),
            "[PNG image, 16 bytes]"
        );
        assert_eq!(
            Captured::whole(*b"caf\xe9 is latin-1 and mostly text").to_text(),
            "caf\u{fffd} is latin-1 and mostly text"
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
