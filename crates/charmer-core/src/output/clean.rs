//! Text that a terminal would have interpreted, made plain: what an assistant reads is what a person would have seen.
//!
//! Escape sequences are removed, lines that overwrite themselves are folded to what they show in the end, and
//! characters that cannot be seen or that reorder what is seen are marked, because an assistant reads them and a
//! person does not. Ordinary text is left as it is, byte for byte.

use std::{borrow::Cow, fmt::Write as _};

/// The number of bytes within which the end of a string sequence (a title, a link) is looked for. One that does not end
/// there was not meant as one, and must not swallow the rest of the output.
const SEQUENCE_LIMIT: usize = 4096;

/// Cleans text; what needs no cleaning is not copied.
///
/// ```
/// use charmer_core::output::clean;
/// assert_eq!(clean("\x1b[1mbold\x1b[0m"), "bold");
/// assert_eq!(clean("10%\r50%\r100%\n"), "100%\n");
/// assert_eq!(clean("a\u{202e}b"), "a⟨U+202E⟩b");
/// ```
pub fn clean(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'))
    {
        return Cow::Borrowed(text);
    }
    let text = if text.contains([
        '\x1b', '\u{9b}', '\u{9d}', '\u{90}', '\u{9e}', '\u{9f}', '\u{98}',
    ]) {
        Cow::Owned(without_sequences(text))
    } else {
        Cow::Borrowed(text)
    };
    let text = if text.contains(['\r', '\x08']) {
        Cow::Owned(fold_lines(&text))
    } else {
        text
    };
    if text.chars().any(is_suspect) {
        Cow::Owned(mark(&text, is_suspect))
    } else {
        text
    }
}

/// Marks what must not be seen unmarked in a string of some data, and leaves the rest exactly as it is.
///
/// A terminal does not draw data, so nothing in it overwrites anything: carriage returns and backspaces stay, as do
/// other control characters, which JSON writes as escapes. What JSON does not escape (invisible and reordering
/// characters, delete, the controls beyond ASCII) is marked as [`clean`] marks it, and so is the escape character,
/// because a client may print a string that it has decoded.
///
/// ```
/// use charmer_core::output::mark_hidden;
/// assert_eq!(mark_hidden("step 1\rstep 2"), "step 1\rstep 2");
/// assert_eq!(mark_hidden("a\u{202e}b \x1b[31m"), "a⟨U+202E⟩b ␛[31m");
/// ```
pub fn mark_hidden(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| is_suspect(c) && (c >= '\x7f' || c == '\x1b');
    if text.chars().any(is_hidden) {
        Cow::Owned(mark(text, is_hidden))
    } else {
        Cow::Borrowed(text)
    }
}

/// Removes escape sequences of ECMA-48 and what terminals added to them.
fn without_sequences(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([
        '\x1b', '\u{9b}', '\u{9d}', '\u{90}', '\u{9e}', '\u{9f}', '\u{98}',
    ]) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut chars = rest.chars();
        let introducer = match chars.next() {
            Some('\x1b') => chars.next(),
            // The one-character forms of the same introducers.
            Some('\u{9b}') => Some('['),
            Some('\u{9d}') => Some(']'),
            Some(_) => Some('P'),
            None => None,
        };
        let body = chars.as_str();
        rest = match introducer {
            Some('[') => after_control(body),
            Some(']' | 'P' | 'X' | '^' | '_') => after_string(body).unwrap_or(body),
            // A charset or other short sequence: intermediates, then one final character.
            Some(' '..='/') => {
                let skipped = body.trim_start_matches(|c| matches!(c, ' '..='/'));
                skipped
                    .strip_prefix(|c| matches!(c, '0'..='~'))
                    .unwrap_or(skipped)
            }
            Some('0'..='~') => body,
            // Not a sequence at all: only the escape itself goes.
            Some(_) | None => &rest[1..],
        };
    }
    kept.push_str(rest);
    kept
}

/// Returns the text behind a control sequence: parameters, intermediates, one final character.
fn after_control(body: &str) -> &str {
    let end = body.find(|c| !matches!(c, ' '..='?')).unwrap_or(body.len());
    let rest = &body[end..];
    rest.strip_prefix(|c| matches!(c, '@'..='~'))
        .unwrap_or(rest)
}

/// Returns the text behind a string sequence, if it ends.
fn after_string(body: &str) -> Option<&str> {
    let window = &body[..body.floor_char_boundary(SEQUENCE_LIMIT)];
    let end = window.find(['\x07', '\x1b', '\u{9c}', '\n'])?;
    let rest = &body[end..];
    match rest.chars().next() {
        Some('\x07') => rest.get(1..),
        Some('\u{9c}') => rest.get(2..),
        Some('\x1b') => Some(rest.strip_prefix("\x1b\\").unwrap_or(rest)),
        // A line's end inside of it: it was no sequence.
        _ => None,
    }
}

/// Lays overwritten text over what it overwrites, line by line.
fn fold_lines(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line
            .strip_suffix('\n')
            .map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
        if body.contains(['\r', '\x08']) {
            fold_line(body, &mut folded)
        } else {
            folded.push_str(body)
        }
        if line.ends_with('\n') {
            folded.push('\n');
        }
    }
    folded
}

fn fold_line(line: &str, folded: &mut String) {
    let mut shown: Vec<char> = Vec::new();
    let mut column = 0usize;
    let mut struck_over = false;
    for c in line.chars() {
        match c {
            '\r' => column = 0,
            '\x08' => {
                column = column.saturating_sub(1);
                struck_over = true;
                continue;
            }
            c if column < shown.len() => {
                // An underline struck over a letter leaves the letter.
                if !(struck_over && c == '_') {
                    shown[column] = c;
                }
                column += 1;
            }
            c => {
                shown.push(c);
                column += 1;
            }
        }
        struck_over = false;
    }
    folded.extend(shown);
}

/// Returns true if a character may be invisible, reorder text or control a terminal.
fn is_suspect(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Marks suspect characters, except joiners and selectors where a script or an emoji needs them.
fn mark(text: &str, is_marked: impl Fn(char) -> bool) -> String {
    let mut marked = String::with_capacity(text.len() + 16);
    let mut previous = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let beyond_ascii =
            |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !is_suspect(c) || c == '\u{fe0f}');
        let belongs = match c {
            '\u{200c}' | '\u{200d}' => {
                beyond_ascii(previous) && beyond_ascii(chars.peek().copied())
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                beyond_ascii(previous)
                    || previous.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*'))
            }
            _ => false,
        };
        match c {
            _ if !is_marked(c) || belongs => marked.push(c),
            // The pictures of control characters are one character each and need no explanation.
            '\0'..='\x1f' => marked.extend(char::from_u32(0x2400 + u32::from(c))),
            '\x7f' => marked.push('␡'),
            _ => {
                let _ = write!(marked, "⟨U+{:04X}⟩", u32::from(c));
            }
        }
        previous = Some(c);
    }
    marked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sequences_go_and_text_stays() {
        for (raw, expected) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31;1mred\x1b[0m\x1b[K", "red"),
            ("\x1b[38:2::1:2:3mx\x1b[?25l", "x"),
            ("\x1b]8;;https://evil\x1b\\link\x1b]8;;\x07", "link"),
            ("\x1b]52;c;c2VjcmV0\x07x", "x"),
            ("\x1bPq#0\x1b\\x", "x"),
            ("\x1b(Bx\x1b=y\x1bMz", "xyz"),
            ("\u{9b}1mx", "x"),
            ("\x1b]0;no end of this\nnext", "0;no end of this\nnext"),
            ("tail\x1b", "tail"),
            ("\x1b[", ""),
            ("é\x1b[1mü", "éü"),
        ] {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn overwritten_lines_show_their_end() {
        for (raw, expected) in [
            ("10%\r50%\r100%\n", "100%\n"),
            ("long line\rshort\n", "shortline\n"),
            ("dos\r\nends\r\n", "dos\nends\n"),
            ("N\x08NA\x08AM\x08ME\x08E", "NAME"),
            ("_\x08u_\x08n", "un"),
            ("done\r", "done"),
        ] {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_marked() {
        for (raw, expected) in [
            ("a\u{202e}b\u{2066}", "a⟨U+202E⟩b⟨U+2066⟩"),
            ("zero\u{200b}width", "zero⟨U+200B⟩width"),
            ("tag\u{e0041}", "tag⟨U+E0041⟩"),
            ("\u{feff}bom", "⟨U+FEFF⟩bom"),
            ("bell\x07 nul\0", "bell␇ nul␀"),
            (
                "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
                "👩\u{200d}💻 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200d}b", "a⟨U+200D⟩b"),
            ("naïve — “quotes” 日本語", "naïve — “quotes” 日本語"),
        ] {
            assert_eq!(clean(raw), expected, "{raw:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_suspect_is_left_and_cleaning_twice_changes_nothing(text in "[\\PC\\x00-\\x1f\\x1b\\[\\]\\u{200b}\\u{202e}a;m]{0,60}") {
            let once = clean(&text).into_owned();
            let forbidden = ['\x1b', '\u{202e}', '\u{200b}', '\x07', '\r', '\x08'];
            prop_assert!(!once.contains(forbidden));
            let twice = clean(&once).into_owned();
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn ordinary_text_is_untouched(text in "[ -~\n\t]{0,80}") {
            prop_assert!(matches!(clean(&text), Cow::Borrowed(same) if same == text));
        }
    }
}
