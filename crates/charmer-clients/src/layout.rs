//! The way a text is laid out, so that what is added to it looks alike.

/// The line ends and the indentation of a text.
#[derive(Debug, Clone)]
pub(crate) struct FileLayout {
    pub(crate) newline: &'static str,
    /// One step of indentation.
    pub(crate) unit: String,
}

impl FileLayout {
    /// The layout of a text; two spaces and newlines where nothing can be seen.
    ///
    /// The step is the least indentation of any line: the first level is the least deep one.
    pub(crate) fn of(text: &str) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let unit = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['*', '#']))
            .map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
            .filter(|indent| !indent.is_empty())
            .min_by_key(|indent| indent.len())
            // What is set in farther than a tab is a continued line and no step.
            .filter(|indent| indent.len() <= 8)
            .map_or("  ", |indent| match indent.as_bytes()[0] {
                b'\t' => "\t",
                _ => indent,
            });
        Self {
            newline,
            unit: unit.to_owned(),
        }
    }
}

/// The indentation of the line that a byte is on.
pub(crate) fn indentation(text: &str, at: usize) -> &str {
    let start = line_start(text, at);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The first byte of the line that a byte is on.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The length of the newline that a text starts with.
pub(crate) fn leading_newline(text: &str) -> Option<usize> {
    if text.starts_with("\r\n") {
        Some(2)
    } else {
        text.starts_with('\n').then_some(1)
    }
}

/// The length of the newline that a text ends with.
pub(crate) fn trailing_newline(text: &str) -> Option<usize> {
    if text.ends_with("\r\n") {
        Some(2)
    } else {
        text.ends_with('\n').then_some(1)
    }
}
