//! The log of a bridge for its developer: warnings about the tools, and the outcomes of calls.

use std::{fmt, io::Write, sync::Arc};

/// The level of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The way a call went.
    Info,
    /// Something that a developer should look at.
    Warn,
    /// Something that failed.
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warn => "warning",
            Self::Error => "error",
        })
    }
}

/// Receives events.
pub(crate) type Logger = Arc<dyn Fn(Level, &str) + Send + Sync>;

/// Writes warnings and errors to standard error, which MCP leaves to logs.
pub(crate) fn to_stderr() -> Logger {
    Arc::new(|level, message| {
        if level >= Level::Warn {
            // There is nobody left to tell when standard error is gone.
            let _ = writeln!(std::io::stderr(), "charmer: {level}: {message}");
        }
    })
}
