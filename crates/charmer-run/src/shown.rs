//! The part of a stream that an assistant sees: its head and its tail, clean and without secrets.
//!
//! Output is cut before it is cleaned and redacted, so that this costs the same however long it is. It is cut with a
//! margin that is never shown: a sequence or a secret that the cut goes through ends inside of it.

use std::borrow::Cow;

use charmer_core::output::{clean, cut_around, cut_middle};

use crate::{
    Redactor,
    process::{Captured, begun_character, continued_character},
};

/// The number of bytes beside a cut that are not shown. Sequences have up to 4 KiB.
const MARGIN: usize = 8 << 10;
/// The same where there are secrets: a stream looks for those of up to 64 KiB.
const SECRET_MARGIN: usize = 64 << 10;
/// The number of characters cleaning that can make of a byte: an invisible one of two bytes is marked with eight.
const MOST_CHARS: usize = 4;

/// The text of a stream in at most so many characters, and whether that is not all of it. `note` is added to the line
/// that says what is missing.
pub(crate) fn shown_text(
    captured: &Captured,
    limit: usize,
    note: &str,
    redactor: &Redactor,
) -> (String, bool) {
    let margin = if redactor.is_empty() {
        MARGIN
    } else {
        SECRET_MARGIN
    };
    let window = Window {
        limit,
        margin,
        redactor,
    };
    window.shown(captured, note)
}

/// The amount that is looked at.
struct Window<'r> {
    limit: usize,
    margin: usize,
    redactor: &'r Redactor,
}

impl Window<'_> {
    fn shown(&self, captured: &Captured, note: &str) -> (String, bool) {
        let limit = self.limit;
        if let Some(described) = captured.describe_binary() {
            return (cut_middle(&described, limit, note).text, false);
        }
        if captured.is_cut() {
            let head = self.head(&captured.head);
            let tail = self.tail(&captured.tail);
            let head = head.unwrap_or_else(|| self.plain(&captured.head));
            let tail = tail.unwrap_or_else(|| self.plain(&captured.tail));
            let shown = cut_around(&head, &tail, captured.total, limit, note);
            return (shown, true);
        }
        let all = if captured.tail.is_empty() {
            Cow::Borrowed(&captured.head)
        } else {
            Cow::Owned([&captured.head[..], &captured.tail].concat())
        };
        match (self.head(&all), self.tail(&all)) {
            (Some(head), Some(tail)) => {
                let shown = cut_around(&head, &tail, captured.total, limit, note);
                (shown, true)
            }
            _ => {
                let cut = cut_middle(&self.plain(&all), limit, note);
                (cut.text, cut.left_out > 0)
            }
        }
    }

    fn plain(&self, bytes: &[u8]) -> String {
        // Redacted once more: a sequence inside a secret may have hidden it while it streamed.
        let text = String::from_utf8_lossy(bytes);
        self.redactor.text(&clean(&text)).into_owned()
    }

    /// The beginning of long output, with more than is shown of it; `None` if it takes all of it to have that.
    fn head(&self, bytes: &[u8]) -> Option<String> {
        self.sizes(bytes.len()).find_map(|size| {
            let part = &bytes[..size];
            self.enough(&part[..size - begun_character(part)])
        })
    }

    /// The end of long output, in the same way.
    fn tail(&self, bytes: &[u8]) -> Option<String> {
        self.sizes(bytes.len()).find_map(|size| {
            let part = &bytes[bytes.len() - size..];
            // From the beginning of a line, if one is near: what was overwritten in it is known then.
            let line = part[..self.margin].iter().position(|&byte| byte == b'\n');
            let start = line.map_or_else(|| continued_character(part), |at| at + 1);
            self.enough(&part[start..])
        })
    }

    /// The numbers of bytes to try, each time more: cleaning may leave little of them.
    fn sizes(&self, all: usize) -> impl Iterator<Item = usize> + use<> {
        let first = self.limit.saturating_add((MOST_CHARS + 1) * self.margin);
        let sizes = std::iter::successors(Some(first), |size| size.checked_mul(4));
        sizes.take_while(move |&size| size < all)
    }

    /// The text of these bytes, if what is shown of it cannot come from the margin.
    fn enough(&self, bytes: &[u8]) -> Option<String> {
        let text = self.plain(bytes);
        let needed = self.limit.saturating_add(MOST_CHARS * self.margin);
        text.char_indices().nth(needed).is_some().then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, limit: usize, redactor: &Redactor) -> (String, bool) {
        // A small margin is enough for what is short, and makes long output of less.
        let window = Window {
            limit,
            margin: 200,
            redactor,
        };
        window.shown(&Captured::whole(text), "")
    }

    #[test]
    fn long_output_is_cut_to_the_limit_with_its_true_size() {
        let text = "0123456789".repeat(20_000);
        let (shown, is_cut) = shown(&text, 300, &Redactor::default());
        assert!(is_cut);
        let parts: Vec<&str> = shown.lines().collect();
        assert_eq!(parts[0], &text[..200]);
        assert_eq!(parts[1], "[... the middle of 200000 bytes left out ...]");
        assert_eq!(parts[2], &text[text.len() - 100..]);
    }

    #[test]
    fn output_of_which_little_is_left_is_shown_whole() {
        let text: String = (0..3000).map(|n| format!("{n}\r")).collect();
        let shown = shown(
            &format!("begin\n{text}done\nend"),
            100,
            &Redactor::default(),
        );
        assert_eq!(shown, ("begin\ndone\nend".into(), false));
    }

    #[test]
    fn no_part_of_a_sequence_is_seen_wherever_the_cut_is() {
        let link =
            "\x1b]8;;https://evil.example/path\x1b\\word\x1b]8;;\x1b\\ \x1b[38;5;196mred\x1b[0m ";
        for shift in (0..link.len()).step_by(3) {
            let text = "x".repeat(shift) + &link.repeat(1000);
            let (shown, is_cut) = shown(&text, 1000, &Redactor::default());
            assert!(is_cut);
            let words = shown.split_whitespace();
            let known = |word: &str| "word".contains(word) || "red".contains(word);
            for word in words.filter(|word| !known(word) && word.trim_matches('x') != "word") {
                let of_mark = "[... the middle of bytes left out ...]".contains(word);
                assert!(
                    of_mark || word.parse::<u64>().is_ok(),
                    "{word:?} at {shift}"
                );
            }
        }
    }

    #[test]
    fn no_part_of_a_secret_is_seen_wherever_the_cut_is() {
        let redactor = Redactor::new(["SECRETWORD"], ["KEY<[A-Z]+>"]).expect("patterns");
        // One is only seen when sequences have been removed.
        let unit = "plain SECRETWORD, KEY<ABCDEFGH> SECRET\x1b[0mWORD ";
        for shift in 0..unit.len() {
            let text = "x".repeat(shift) + &unit.repeat(300);
            for limit in [10, 1000] {
                let (shown, is_cut) = shown(&text, limit, &redactor);
                let capitals = shown.chars().find(char::is_ascii_uppercase);
                assert!(is_cut && capitals.is_none(), "{shown}");
            }
        }
    }
}
