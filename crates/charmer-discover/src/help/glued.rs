//! Rows whose options have no room before their texts.

use std::borrow::Cow;

/// The same page with room between options and their texts, where a formatter that misses the width of its terminal leaves
/// none: `--dir <path>The folder`, `--jsonPrint JSON`. Its own option shows it.
pub(crate) fn apart(text: &str) -> Cow<'_, str> {
    if !text.contains("--helpdisplay help") {
        return Cow::Borrowed(text);
    }
    let lines = text.lines().map(|line| match end_of_option(line) {
        Some(at) => format!("{}  {}\n", &line[..at], &line[at..]),
        None => format!("{line}\n"),
    });
    Cow::Owned(lines.collect())
}

/// The place where the text of a glued row begins: behind a placeholder, or before the first capital.
fn end_of_option(line: &str) -> Option<usize> {
    let long = line
        .find("--")
        .filter(|_| line.trim_start().starts_with('-'))?;
    if let Some(at) = line.find("--helpdisplay") {
        return Some(at + "--help".len());
    }
    let two = line.char_indices().zip(line.chars().skip(1));
    let mut two = two.filter(|((at, _), _)| *at >= long);
    let ends = two.find(|((_, c), next)| {
        matches!(c, '>' | ']') && next.is_alphanumeric() || c.is_lowercase() && next.is_uppercase()
    });
    ends.map(|((at, c), _)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_room() {
        let page = "  -d, --dir <path>The folder\n  --dry-runOnly look\n  --rawraw ones\nSome --wordsHere\n";
        assert_eq!(apart(page), page);
        let shown = apart(&format!("{page}  -h, --helpdisplay help for command\n")).into_owned();
        let expected = "  -d, --dir <path>  The folder\n  --dry-run  Only look\n  --rawraw ones\nSome --wordsHere\n  -h, --help  display help for command\n";
        assert_eq!(shown, expected);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(--helpdisplay help|--|[<>a-zA-Z \\n]|[\\PC]){0,80}") {
            apart(&text);
        }
    }
}
