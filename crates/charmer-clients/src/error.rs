//! Errors in a client's file, told with a picture of the place.

use std::{
    io,
    path::{Path, PathBuf},
};

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::place::Mistake;

/// The maximum length of a line in a picture, in bytes: minified files are one long line.
const SHOWN: usize = 160;

/// A file could not be read, understood or written. It was left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is no text.
    #[error("{} is not UTF-8 text, so it was left as it is", path.display())]
    #[non_exhaustive]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// The file is not in its language.
    #[error("{} cannot be understood, so it was left as it is; mend it, then try again\n{picture}", path.display())]
    #[non_exhaustive]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The mistake.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The line with a mark under the mistake.
        picture: String,
    },
    /// The file is in its language but has something else where servers should be.
    #[error("{} has no place for servers, so it was left as it is\n{picture}", path.display())]
    #[non_exhaustive]
    Shape {
        /// The file.
        path: PathBuf,
        /// The mistake.
        message: String,
        /// The line, from 1.
        line: usize,
        /// The character in the line, from 1.
        column: usize,
        /// The line with a mark under the mistake.
        picture: String,
    },
    /// Somebody else changed the file between reading and writing.
    #[error("{} was changed by somebody else meanwhile, so it was left as it is; try again", path.display())]
    #[non_exhaustive]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}; it was left as it is", path.display())]
    #[non_exhaustive]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl FileError {
    /// Returns true if reading the file again and repeating the edit may help.
    pub fn is_changed_meanwhile(&self) -> bool {
        matches!(self, Self::ChangedMeanwhile { .. })
    }

    /// The error in one line, without any text of the file, which may hold secrets.
    pub fn summary(&self) -> String {
        match self {
            Self::Unreadable {
                path,
                message,
                line,
                column,
                ..
            }
            | Self::Shape {
                path,
                message,
                line,
                column,
                ..
            } => format!("{}:{line}:{column}: {message}", path.display()),
            other => other.to_string(),
        }
    }

    /// A mistake in the text of a file.
    pub(crate) fn mistake(path: &Path, text: &str, mistake: Mistake) -> Self {
        let start = text.floor_char_boundary(mistake.span.start.min(text.len()));
        let end = text
            .ceil_char_boundary(mistake.span.end.min(text.len()))
            .max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[..start].matches('\n').count() + 1;
        let column = text[line_start..start].chars().count() + 1;
        let line_end = text[start..]
            .find('\n')
            .map_or(text.len(), |newline| start + newline);
        let from = text.ceil_char_boundary(line_start.max(start.saturating_sub(SHOWN / 2)));
        let to = text
            .floor_char_boundary(line_end.min(start + SHOWN / 2))
            .max(start);
        let shown = text[from..to].trim_end_matches('\r');
        let mark = (start - from).min(shown.len())..(end.min(to) - from).min(shown.len());
        let name = path.display().to_string();
        let snippet = Snippet::source(shown)
            .line_start(line)
            .annotation(AnnotationKind::Primary.span(mark));
        let title = Level::ERROR.primary_title(mistake.message.as_str());
        let group = if from == line_start {
            title.element(snippet.path(name.as_str()))
        } else {
            // The picture starts within the line, so it does not know the column.
            let place = Origin::path(name.as_str()).line(line).char_column(column);
            title.element(place).element(snippet)
        };
        let picture = Renderer::plain().render(&[group]);
        let (path, message) = (path.to_owned(), mistake.message);
        if mistake.understood {
            Self::Shape {
                path,
                message,
                line,
                column,
                picture,
            }
        } else {
            Self::Unreadable {
                path,
                message,
                line,
                column,
                picture,
            }
        }
    }
}
