//! Problems of a folder of spells, for people and for programs.

use std::{fmt, path::PathBuf};

use charmer_config::Diagnostics;
use serde::Serialize;

/// The gravity of the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// A spell cannot be used as it is written.
    Error,
    /// It should be known.
    Warning,
}

/// Something that is wrong with a folder of spells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SpellProblem {
    /// The file or folder.
    pub file: PathBuf,
    /// The gravity of the matter.
    pub severity: Severity,
    /// The problem, in one line.
    pub message: String,
    /// An earlier version of the spell is served in its place.
    pub last_good: bool,
    /// The mistakes in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistakes: Option<Diagnostics>,
}

impl SpellProblem {
    pub(crate) fn new(
        file: impl Into<PathBuf>,
        severity: Severity,
        message: impl Into<String>,
    ) -> Self {
        Self {
            file: file.into(),
            severity,
            message: message.into(),
            last_good: false,
            mistakes: None,
        }
    }

    /// The mistakes of a file.
    pub(crate) fn mistakes(file: impl Into<PathBuf>, mistakes: Diagnostics) -> Self {
        let first = &mistakes[0];
        let more = match mistakes.len() {
            1 => String::new(),
            many => format!(", and {} more", many - 1),
        };
        let message = format!(
            "line {}, column {}: {}{more}",
            first.line, first.column, first.message
        );
        Self {
            mistakes: Some(mistakes),
            ..Self::new(file, Severity::Error, message)
        }
    }
}

// Not of the mistakes, which differ no sooner than their summary does.
impl std::hash::Hash for SpellProblem {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.file.as_os_str().hash(state);
        self.message.hash(state);
        self.last_good.hash(state);
    }
}

impl fmt::Display for SpellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.message)?;
        if self.last_good {
            f.write_str(" (the version before is served)")?;
        }
        Ok(())
    }
}
