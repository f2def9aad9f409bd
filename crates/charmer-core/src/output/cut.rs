//! Cutting text that is too long: the head and the tail say most, so the middle goes.

/// Text that was cut, with its true size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// What is left, with a line that says what is missing.
    pub text: String,
    /// How many characters were left out; zero if nothing was.
    pub left_out: usize,
}

/// Keeps about the first two thirds and the last third of `limit` characters.
///
/// ```
/// let cut = charmer_core::output::cut_middle(&"x".repeat(1000), 100);
/// assert_eq!(cut.left_out, 900);
/// ```
pub fn cut_middle(text: &str, limit: usize) -> Cut {
    // Counting bytes first spares the usual short output a walk over its characters.
    if text.len() <= limit || text.chars().count() <= limit {
        return Cut {
            text: text.to_owned(),
            left_out: 0,
        };
    }
    let total = text.chars().count();
    let tail = limit / 3;
    let head = limit - tail;
    let boundary = |nth: usize| {
        text.char_indices()
            .nth(nth)
            .map_or(text.len(), |(at, _)| at)
    };
    let left_out = total - limit;
    let text = format!(
        "{}\n[... {left_out} of {total} characters left out ...]\n{}",
        &text[..boundary(head)],
        &text[boundary(total - tail)..]
    );
    Cut { text, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_kept_and_what_is_left_out_add_up(text in "\\PC{0,200}", limit in 0usize..220) {
            let cut = cut_middle(&text, limit);
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
