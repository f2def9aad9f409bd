//! A help text cut at its headings.

use std::borrow::Cow;

/// A heading and the lines under it. The text before the first heading has an empty one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Section<'t> {
    /// Without its colon.
    pub(crate) heading: &'t str,
    /// The text behind the heading's colon, on its own line.
    pub(crate) rest: &'t str,
    /// The lines, with their indentation and without blank lines at either end.
    pub(crate) lines: Vec<&'t str>,
}

impl Section<'_> {
    /// The heading in lower case.
    pub(crate) fn is(&self, heading: &str) -> bool {
        self.heading.eq_ignore_ascii_case(heading)
    }

    /// The lines as one text, what stood behind the heading's colon first.
    pub(crate) fn body(&self) -> String {
        let mut lines: Vec<&str> = Vec::new();
        if !self.rest.is_empty() {
            lines.push(self.rest);
        }
        lines.extend(&self.lines);
        dedent(&lines)
    }
}

/// Cuts a text at its headings: unindented lines that end with a colon (`Flags:`), are `Usage: ...`, or are written in
/// capitals throughout (`INHERITED FLAGS`) with indented or no lines below.
pub(crate) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found = vec![Section::default()];
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    for (at, line) in lines.iter().enumerate() {
        match heading(line, lines.get(at + 1).copied()) {
            Some((heading, rest)) => found.push(Section {
                heading,
                rest,
                lines: Vec::new(),
            }),
            None => {
                let section = found.last_mut().expect("there is always a section");
                section.lines.push(line);
            }
        }
    }
    for section in &mut found {
        while section.lines.last().is_some_and(|line| line.is_empty()) {
            section.lines.pop();
        }
        let blank = section
            .lines
            .iter()
            .take_while(|line| line.is_empty())
            .count();
        section.lines.drain(..blank);
    }
    found
}

fn heading<'t>(line: &'t str, next: Option<&str>) -> Option<(&'t str, &'t str)> {
    if line.is_empty() || line.starts_with([' ', '\t', '-', '[', '<', '"', '\'', '(', '*', '#']) {
        return None;
    }
    if let Some((head, rest)) = line.split_once(':') {
        if head.eq_ignore_ascii_case("usage") {
            return Some((head, rest.trim()));
        }
        let title = head.chars().next().is_some_and(char::is_alphabetic)
            && head.split_whitespace().count() <= 8
            && !head.contains(['.', ',', '`', '"']);
        // A sentence that ends in a colon is followed by a blank line or by text in the same column more often
        // than a heading is; headings begin with a capital, or are short.
        let headlike = head.chars().next().is_some_and(char::is_uppercase)
            || head.split_whitespace().count() <= 2;
        return (rest.is_empty() && title && headlike).then_some((head, ""));
    }
    let capitals = line.chars().any(char::is_alphabetic)
        && line
            .chars()
            .all(|c| c.is_uppercase() || c == ' ' || c == '-' || c == '/' || c == '&')
        && line.len() > 2
        && line.split_whitespace().count() <= 5;
    let above_body = next.is_none_or(|next| next.is_empty() || next.starts_with([' ', '\t']));
    (capitals && above_body).then_some((line, ""))
}

/// The same text with underlined headings (`Usage` above `=====`) as they are elsewhere, with a colon.
pub(crate) fn with_colons(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let underlines = |at: usize| {
        let Some(above) = at.checked_sub(1).map(|above| lines[above].trim_end()) else {
            return false;
        };
        let line = lines[at].trim_end();
        line.len() >= 3
            && line.len() == above.len()
            && above.starts_with(char::is_alphabetic)
            && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
    };
    if !(0..lines.len()).any(underlines) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        if underlines(at) {
            continue;
        }
        plain.push_str(line.trim_end());
        if at + 1 < lines.len() && underlines(at + 1) {
            plain.push(':');
        }
        plain.push('\n');
    }
    Cow::Owned(plain)
}

/// Lines without the indentation that they have in common.
pub(crate) fn dedent(lines: &[&str]) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let common = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);
    let cut: Vec<&str> = lines
        .iter()
        .map(|line| line.get(common..).unwrap_or_default().trim_end())
        .collect();
    cut.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_every_kind() {
        let text = "Does things.\n\nUsage:  tool run [OPTIONS]\n\nAliases:\n  tool a, tool b\n\nINHERITED FLAGS\n  --help  Show\n\nNote: this is a sentence.\n";
        let found = sections(text);
        let heads: Vec<_> = found
            .iter()
            .map(|section| (section.heading, section.rest))
            .collect();
        assert_eq!(
            heads,
            [
                ("", ""),
                ("Usage", "tool run [OPTIONS]"),
                ("Aliases", ""),
                ("INHERITED FLAGS", "")
            ]
        );
        assert_eq!(found[0].body(), "Does things.");
        assert_eq!(
            found[3].lines,
            ["  --help  Show", "", "Note: this is a sentence."]
        );
    }

    #[test]
    fn underlined_headings() {
        let text =
            "Usage\n=====\n  tool fetch [options]\n\nMore Options\n------------\n  --a   A\n---\n";
        let plain = with_colons(text);
        assert_eq!(
            plain,
            "Usage:\n  tool fetch [options]\n\nMore Options:\n  --a   A\n---\n"
        );
        assert!(matches!(with_colons("Usage: tool\n"), Cow::Borrowed(_)));
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_lost(text in "([A-Za-z :\\-\\n\\t]|[\\PC]){0,200}") {
            let found = sections(&text);
            let kept: usize = found.iter().map(|section| section.lines.len()).sum::<usize>() + found.len() - 1;
            proptest::prop_assert!(kept <= text.lines().count());
            for section in &found {
                section.body();
            }
        }
    }
}
