//! Why a call failed, with a code that programs can rely on and a hint that an assistant can act on.

use std::fmt;

use charmer_core::call::Refusal;
use thiserror::Error;

/// The kinds of failure; their names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The input does not fit the tool.
    InvalidArguments,
    /// A policy, a hook or a limit forbids it.
    NotPermitted,
    /// There is nothing of the name that was given.
    NotRegistered,
    /// A person's configuration of it cannot be used.
    InvalidConfiguration,
    /// The program is not the one that the tool was made from.
    ProgramChanged,
    /// The program could not be started.
    NotStarted,
    /// It ran longer than it may.
    Timeout,
    /// It was stopped before it was done.
    Cancelled,
    /// Too many calls are under way.
    Busy,
    /// The program ran and said that it failed.
    Failed,
    /// The program succeeded, and what it printed is not what was declared.
    OutputMismatch,
    /// Something in the bridge or in a hook went wrong.
    Internal,
}

impl ErrorCode {
    /// The code as results carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid_arguments",
            Self::NotPermitted => "not_permitted",
            Self::NotRegistered => "not_registered",
            Self::InvalidConfiguration => "invalid_configuration",
            Self::ProgramChanged => "program_changed",
            Self::NotStarted => "not_started",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Busy => "busy",
            Self::Failed => "failed",
            Self::OutputMismatch => "output_mismatch",
            Self::Internal => "internal",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reason why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct CallError {
    /// The kind of failure.
    pub code: ErrorCode,
    /// The failure, for people and assistants.
    pub message: String,
    /// The next step for whoever reads it.
    pub hint: Option<String>,
}

impl CallError {
    /// An error of this kind.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
        }
    }

    /// A refusal by a hook or a policy.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotPermitted, message)
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Text alone: a hook before the call refuses with it, anything else has failed with it.
impl From<&str> for CallError {
    fn from(message: &str) -> Self {
        Self::new(ErrorCode::Failed, message)
    }
}

/// The same as with `&str`.
impl From<String> for CallError {
    fn from(message: String) -> Self {
        Self::new(ErrorCode::Failed, message)
    }
}

impl From<Refusal> for CallError {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal {
            Refusal::Policy(_) => ErrorCode::NotPermitted,
            _ => ErrorCode::InvalidArguments,
        };
        Self::new(code, refusal.to_string())
    }
}
