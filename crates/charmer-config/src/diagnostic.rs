//! Mistakes in the file: where they are, what they are, what to do, and how a person or a program is shown them.

use std::{fmt, ops::Range};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::{Serialize, Serializer, ser::SerializeSeq};

/// The number of mistakes that are shown before the rest is only counted.
const SHOWN: usize = 50;

/// The number of bytes of a line within which a mistake is still shown with a picture.
const LINE: usize = 4096;

/// One mistake.
///
/// ```
/// # use charmer_config::Config;
/// let mistakes = Config::parse("log:\n  calls: yes\n", "charmer.yaml").unwrap_err();
/// assert_eq!((mistakes[0].line, mistakes[0].column), (2, 10));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The mistake, as a sentence.
    pub message: String,
    /// The next step for whoever reads it.
    pub hint: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
}

/// The mistakes of a file, in its order; never none.
///
/// Displayed, each is shown with a picture of its line, without colour; [`render`](Self::render) can add that. Values
/// under keys that hold secrets are starred out in the pictures, as far as the text is valid YAML. Serialised, it is a list of
/// `{file, line, column, message, hint}`.
///
/// ```
/// # use charmer_config::Config;
/// let mistakes = Config::parse("spool: on", "charmer.yaml").unwrap_err();
/// assert_eq!(
///     serde_json::to_value(&mistakes).unwrap()[0]["message"],
///     "`spool` must be a mapping or `off`, and this is text"
/// );
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    /// The text with its secrets starred out.
    text: String,
    list: Vec<Diagnostic>,
    kind: DiagnosticKind,
}

/// The gravity of the matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DiagnosticKind {
    Mistakes,
    Advice,
}

impl Diagnostics {
    pub(crate) fn new(file: &str, text: String, list: Vec<Diagnostic>) -> Self {
        Self {
            file: file.to_owned(),
            text,
            list,
            kind: DiagnosticKind::Mistakes,
        }
    }

    /// Marks it as advice: no mistake, but shown as a warning.
    pub(crate) fn advice(mut self) -> Self {
        self.kind = DiagnosticKind::Advice;
        self
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The mistakes as a person is shown them.
    pub fn render(&self, colour: bool) -> String {
        self.render_within(colour, None)
    }

    /// The same for a terminal of so many columns: lines of the file are shown in part where they are longer.
    pub fn render_within(&self, colour: bool, columns: Option<usize>) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let renderer = match columns {
            Some(columns) => renderer.term_width(columns),
            None => renderer,
        };
        let mut shown: Vec<String> = self
            .list
            .iter()
            .take(SHOWN)
            .map(|mistake| renderer.render(&[self.picture(mistake)]))
            .collect();
        if self.list.len() > SHOWN {
            shown.push(format!("and {} more mistakes", self.list.len() - SHOWN));
        }
        shown.join("\n\n")
    }

    fn picture<'a>(&'a self, mistake: &'a Diagnostic) -> Group<'a> {
        let start = self.text[..mistake.span.start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let end = self.text[mistake.span.start..]
            .find('\n')
            .map_or(self.text.len(), |newline| mistake.span.start + newline);
        let line = self.text[start..end].trim_end_matches('\r');
        let within = |offset: usize| (offset.max(start) - start).min(line.len());
        let span = within(mistake.span.start)..within(mistake.span.end);
        let group = Group::with_title(
            match self.kind {
                DiagnosticKind::Mistakes => Level::ERROR,
                DiagnosticKind::Advice => Level::WARNING,
            }
            .primary_title(mistake.message.as_str()),
        );
        let group = if span.start > LINE {
            // There is no room for a picture.
            group.element(
                Origin::path(self.file.as_str())
                    .line(mistake.line)
                    .char_column(mistake.column),
            )
        } else {
            let line = &line[..line.floor_char_boundary(2 * LINE)];
            let span = span.start..span.end.min(line.len());
            let mark = AnnotationKind::Primary.span(span);
            group.element(
                Snippet::source(line)
                    .line_start(mistake.line)
                    .path(self.file.as_str())
                    .annotation(mark),
            )
        };
        match &mistake.hint {
            Some(hint) => group.element(Level::HELP.message(hint.as_str())),
            None => group,
        }
    }
}

impl std::ops::Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.list
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

impl std::error::Error for Diagnostics {}

impl Serialize for Diagnostics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WrittenDiagnostic<'a> {
            file: &'a str,
            line: usize,
            column: usize,
            message: &'a str,
            hint: Option<&'a str>,
        }
        let mut list = serializer.serialize_seq(Some(self.list.len()))?;
        for mistake in &self.list {
            list.serialize_element(&WrittenDiagnostic {
                file: &self.file,
                line: mistake.line,
                column: mistake.column,
                message: &mistake.message,
                hint: mistake.hint.as_deref(),
            })?;
        }
        list.end()
    }
}
