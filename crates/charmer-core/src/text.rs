//! Small things done to text that people and assistants read.

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
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// The candidate that a person most likely meant, if one is near.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace('_', "-");
    let word = plain(word);
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&word, &plain(candidate)), candidate))
        .filter(|&(distance, candidate)| distance * 3 <= candidate.chars().count().max(2))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
