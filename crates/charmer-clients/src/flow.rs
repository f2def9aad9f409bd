//! Members in one line between braces or brackets, as TOML and YAML have them: put after the last one, and taken out.

use std::ops::Range;

use crate::place::Splice;

/// The comma that follows a member, after space and comments that start with `#`.
pub(crate) fn comma_after(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        match rest.chars().next()? {
            ',' => return Some(at),
            '#' => at += rest.find('\n')?,
            space if space.is_whitespace() => at += space.len_utf8(),
            _ => return None,
        }
    }
}

/// The change that puts a member after the last one, or before the closing brace if there is none.
pub(crate) fn insert(text: &str, last: Option<usize>, close: usize, member: &str) -> Splice {
    let Some(last) = last else {
        return (close..close, member.to_owned());
    };
    match comma_after(text, last) {
        Some(comma) => (comma + 1..comma + 1, format!(" {member},")),
        None => (last..last, format!(", {member}")),
    }
}

/// The changes that take a member out, given where the one before it ends.
pub(crate) fn take(text: &str, previous: Option<usize>, member: Range<usize>) -> Vec<Splice> {
    // One space came with it, before it or, if it is the first of several, after it.
    let before = previous.is_some() && text[..member.start].ends_with([' ', '\t']);
    let mut cuts = vec![(
        member.start - usize::from(before)..member.end,
        String::new(),
    )];
    if let Some(comma) = comma_after(text, member.end) {
        let after = match previous {
            Some(_) => 0,
            None => usize::from(text[comma + 1..].starts_with([' ', '\t'])),
        };
        cuts.push((comma..comma + 1 + after, String::new()));
    } else if let Some(comma) = previous.and_then(|end| comma_after(text, end)) {
        cuts.push((comma..comma + 1, String::new()));
    }
    cuts
}
