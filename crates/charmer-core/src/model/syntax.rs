//! How a program's family reads its command line: what may be attached, what `--` means.

use serde::{Deserialize, Serialize};

/// How the value of a flag without a long name is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShortValue {
    /// `-j=4`: clap and pflag strip one `=`.
    Equals,
    /// `-j4`: getopt takes the rest of the element as it is.
    Glued,
}

/// Whether a `--` may be put before positionals without changing what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DoubleDash {
    /// It only ends the flags.
    Neutral,
    /// It has a meaning of its own (`git log -- path`, `kubectl exec -- command`), or nobody knows.
    Meaningful,
}

/// The conventions of a family of programs, as far as writing an argv needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Syntax {
    /// How a short-only flag takes its value.
    pub short_value: ShortValue,
    /// What `--` does.
    pub double_dash: DoubleDash,
    /// Whether a switch takes `--flag=false`.
    pub switch_takes_value: bool,
    /// Whether list elements are read as CSV, so that quoting can protect a delimiter.
    pub csv_lists: bool,
}

impl Syntax {
    /// Programs built with clap.
    pub const fn clap() -> Self {
        Self {
            short_value: ShortValue::Equals,
            double_dash: DoubleDash::Neutral,
            switch_takes_value: false,
            csv_lists: false,
        }
    }

    /// Programs built with Cobra and pflag. Their `--` is read by the application (`kubectl exec`), so it is not
    /// taken as neutral.
    pub const fn pflag() -> Self {
        Self {
            short_value: ShortValue::Equals,
            double_dash: DoubleDash::Meaningful,
            switch_takes_value: true,
            csv_lists: true,
        }
    }

    /// Programs that use getopt or follow it.
    pub const fn getopt() -> Self {
        Self {
            short_value: ShortValue::Glued,
            double_dash: DoubleDash::Meaningful,
            switch_takes_value: false,
            csv_lists: false,
        }
    }

    /// This syntax with another meaning of `--`.
    #[must_use]
    pub const fn double_dash(mut self, double_dash: DoubleDash) -> Self {
        self.double_dash = double_dash;
        self
    }
}
