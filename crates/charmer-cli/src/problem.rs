//! Failures as sentences for the person at the keyboard: the failure, and the next step.

use std::fmt;

use charmer_core::call::WordsError;

/// Something failed while doing what was asked.
pub(crate) const FAILED: u8 = 1;
/// The request, or the configuration file, is wrong.
pub(crate) const MISTAKE: u8 = 2;
/// Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;

/// A failure with the code that the process ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    message: String,
    hint: Option<String>,
    /// Shown as it is, without a label.
    picture: bool,
    pub(crate) code: u8,
}

impl Problem {
    /// Something failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            picture: false,
            code: FAILED,
        }
    }

    /// The person made a mistake.
    pub(crate) fn mistake(message: impl Into<String>) -> Self {
        Self {
            code: MISTAKE,
            ..Self::failed(message)
        }
    }

    /// A mistake that shows itself.
    pub(crate) fn picture(text: String) -> Self {
        Self {
            picture: true,
            ..Self::mistake(text)
        }
    }

    /// The failure, as a sentence.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The next step, if one was said.
    pub(crate) fn next(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// Returns true if it is shown as it is.
    pub(crate) fn is_picture(&self) -> bool {
        self.picture
    }

    /// The work was interrupted; nobody needs to be told who did it.
    pub(crate) fn interrupted() -> Self {
        Self {
            code: INTERRUPTED,
            ..Self::failed("interrupted")
        }
    }

    /// Says what else can be done.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        let hint = match &self.hint {
            Some(first) => format!("{first}\n{hint}"),
            None => hint.to_owned(),
        };
        self.hint(hint)
    }

    /// Says what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.picture {
            f.write_str("error: ")?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n\n  {}", hint.replace('\n', "\n  ")),
            None => Ok(()),
        }
    }
}

impl From<WordsError> for Problem {
    fn from(error: WordsError) -> Self {
        Self {
            hint: error.hint,
            ..Self::mistake(error.message)
        }
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::failed(format!("failed to write the output: {error}"))
    }
}
