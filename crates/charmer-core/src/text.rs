//! Small things done to text that people and assistants read.

use strsim::osa_distance;

/// Shortens text to so many bytes, after a sentence if one ends in the second half, else after a word; what was cut
/// is marked with an ellipsis.
///
/// ```
/// let text = "It lists things. It can also sort them in many ways.";
/// assert_eq!(charmer_core::text::shorten(text, 30), "It lists things. …");
/// ```
pub fn shorten(text: &str, limit: usize) -> String {
    const MARK: &str = " …";
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(limit.saturating_sub(MARK.len()))];
    let sentence = head
        .char_indices()
        .filter(|&(at, c)| {
            let next = head[at + c.len_utf8()..].chars().next();
            c == '\n'
                || (matches!(c, '.' | '!' | '?' | '。') && next.is_none_or(char::is_whitespace))
        })
        .map(|(at, c)| if c == '\n' { at } else { at + c.len_utf8() })
        .next_back();
    let cut = match sentence {
        Some(at) if at >= head.len() / 2 => at,
        _ => head
            .rfind(char::is_whitespace)
            .filter(|&at| at >= head.len() / 2)
            .unwrap_or(head.len()),
    };
    format!("{}{MARK}", head[..cut].trim_end())
}

/// The text with its first letter in upper case.
pub(crate) fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// The candidate that a person most likely meant, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let word = plain(word);
    let length = word.chars().count();
    // As many letters are wrong as there are too many, at least.
    let may_be = |candidate: &&str| {
        let other = candidate.chars().count();
        length.abs_diff(other) * 3 <= other.max(2)
    };
    candidates
        .into_iter()
        .filter(may_be)
        .map(|candidate| (osa_distance(&word, &plain(candidate)), candidate))
        .filter(|&(distance, candidate)| distance * 3 <= candidate.chars().count().max(2))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_typing_errors_and_nothing_else() {
        let names = ["dry-run", "output", "j"];
        assert_eq!(nearest("dry_run", names), Some("dry-run"));
        assert_eq!(nearest("ouptut", names), Some("output"));
        assert_eq!(nearest("verbose", names), None);
        assert_eq!(nearest("tpye", ["type", "enum"]), Some("type"));
    }

    proptest::proptest! {
        #[test]
        fn shorten_never_exceeds_its_limit(text in "\\PC{0,300}", limit in 8usize..200) {
            let short = shorten(&text, limit);
            proptest::prop_assert!(short.len() <= limit.max(text.len().min(limit)));
            if text.len() <= limit { proptest::prop_assert_eq!(short, text); }
        }
    }
}
