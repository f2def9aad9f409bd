//! Cutting text that is too long: the head and the tail say most, so the middle goes.

use std::borrow::Cow;

/// The way the line begins and ends that stands for what was left out.
const MARK: (&str, &str) = ("[... ", " ...]");

/// Text that was cut, with its true size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// The text that is left, with a line that says what is missing.
    pub text: String,
    /// The number of characters that were left out; zero if nothing was.
    pub left_out: usize,
}

/// Keeps about the first two thirds and the last third of `limit` characters. `note` is added to the line that says
/// what is missing.
///
/// ```
/// let cut = charmer_core::output::cut_middle(&"x".repeat(1000), 100, "");
/// assert_eq!(cut.left_out, 900);
/// ```
pub fn cut_middle(text: &str, limit: usize, note: &str) -> Cut {
    // Counting bytes first spares the usual short output a walk over its characters.
    let total = if text.len() <= limit {
        0
    } else {
        text.chars().count()
    };
    if total <= limit {
        return Cut {
            text: unforged(text).into_owned(),
            left_out: 0,
        };
    }
    // Errors and totals stand at the end, so the middle is what goes.
    let tail = limit / 3;
    let left_out = total - limit;
    let text = format!(
        "{}\n{}{left_out} of {total} characters left out{note}{}\n{}",
        unforged(first_chars(text, limit - tail)),
        MARK.0,
        MARK.1,
        unforged(last_chars(text, tail)),
    );
    Cut { text, left_out }
}

/// The same for output of which only the head and the tail are known, and how many bytes it had in all.
///
/// ```
/// let cut = charmer_core::output::cut_around("begin", "end", 5000, 100, "");
/// assert_eq!(cut, "begin\n[... the middle of 5000 bytes left out ...]\nend");
/// ```
pub fn cut_around(head: &str, tail: &str, bytes: u64, limit: usize, note: &str) -> String {
    // What is cut may look like a mark only then, so that forged ones are looked for last.
    let head = unforged(first_chars(head, limit - limit / 3));
    let tail = unforged(last_chars(tail, limit / 3));
    format!(
        "{head}\n{}the middle of {bytes} bytes left out{note}{}\n{tail}",
        MARK.0, MARK.1
    )
}

fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

fn last_chars(text: &str, count: usize) -> &str {
    let Some(before) = count.checked_sub(1) else {
        return "";
    };
    let start = text.char_indices().rev().nth(before);
    &text[start.map_or(0, |(at, _)| at)..]
}

/// Keeps a program from writing such a line itself, to make an assistant believe that something is missing.
fn unforged(text: &str) -> Cow<'_, str> {
    let forged =
        |line: &str| line.trim_start().starts_with(MARK.0) && line.trim_end().ends_with(MARK.1);
    if !text.contains(MARK.0) || !text.lines().any(forged) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        if forged(line) {
            format!("\\{line}")
        } else {
            line.to_owned()
        }
    });
    Cow::Owned(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forged_mark_is_shown_as_one() {
        let forged = "a\n[... 5 of 9 characters left out ...]\nb\n";
        assert_eq!(
            cut_middle(forged, 100, "").text,
            "a\n\\[... 5 of 9 characters left out ...]\nb\n"
        );
        // One that only comes to be by cutting.
        let forged = format!("[... x ...]{}", "y".repeat(100));
        let cut = cut_middle(&forged, 16, "").text;
        assert!(cut.starts_with("\\[... x ...]\n[... 95 of"), "{cut}");
    }

    proptest::proptest! {
        #[test]
        fn what_is_kept_and_what_is_left_out_add_up(text in "[a-zé日 ]{0,200}", limit in 0usize..220) {
            let cut = cut_middle(&text, limit, "");
            let total = text.chars().count();
            if total <= limit {
                proptest::prop_assert_eq!(cut.text, text);
            } else {
                proptest::prop_assert_eq!(cut.left_out, total - limit);
                let head: String = text.chars().take(limit - limit / 3).collect();
                proptest::prop_assert!(cut.text.starts_with(&head));
                let tail: String = text.chars().skip(total - limit / 3).collect();
                proptest::prop_assert!(cut.text.ends_with(&tail));
            }
        }
    }
}
