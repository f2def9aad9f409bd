//! The conventions by which a family of programs reads a command line: attached values, the meaning of `--`.

use serde::{Deserialize, Serialize};

/// The way the value of a flag without a long name is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ShortValue {
    /// `-j=4`: clap and pflag strip one `=`.
    Equals,
    /// `-j4`: getopt takes the rest of the element as it is.
    Glued,
}

/// The way the value of a flag with a long name is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LongValue {
    /// `--jobs=4`.
    #[default]
    Equals,
    /// `--jobs 4`: the program knows no flag `--jobs=4`.
    Separate,
}

/// A `--` may be put before positionals without changing what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DoubleDash {
    /// It only ends the flags.
    Neutral,
    /// It has a meaning of its own (`git log -- path`, `kubectl exec -- command`), or nobody knows.
    Meaningful,
}

/// The conventions of a family of programs, as far as writing an argv needs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Syntax {
    /// The way a short-only flag takes its value.
    pub short_value: ShortValue,
    /// The way a flag with a long name takes its value.
    #[serde(default)]
    pub long_value: LongValue,
    /// The meaning of `--`.
    pub double_dash: DoubleDash,
    /// A switch takes `--flag=false`.
    pub switch_takes_value: bool,
    /// List elements are read as CSV, so that quoting can protect a delimiter.
    pub csv_lists: bool,
    /// Letters may stand together behind one dash, the last with its value: `-it`, `-xzf FILE`.
    #[serde(default = "together")]
    pub letters_together: bool,
    /// The first word is read as letters without a dash, as in `tar xf FILE`.
    #[serde(default)]
    pub first_word_is_letters: bool,
    /// A flag that may go without its value takes the next element for it, as `--flag [VALUE]` does and
    /// `--flag[=VALUE]` does not.
    #[serde(default = "takes_next")]
    pub optional_takes_next: bool,
}

const fn together() -> bool {
    true
}

/// Nobody is wrong who believes it does: the flag stands last then.
const fn takes_next() -> bool {
    true
}

impl Syntax {
    /// Programs built with clap.
    pub const fn clap() -> Self {
        Self {
            short_value: ShortValue::Equals,
            long_value: LongValue::Equals,
            double_dash: DoubleDash::Neutral,
            switch_takes_value: false,
            csv_lists: false,
            letters_together: true,
            first_word_is_letters: false,
            optional_takes_next: true,
        }
    }

    /// Programs built with Cobra and pflag. Their `--` is read by the application (`kubectl exec`), so it is not
    /// taken as neutral.
    pub const fn pflag() -> Self {
        Self {
            short_value: ShortValue::Equals,
            long_value: LongValue::Equals,
            double_dash: DoubleDash::Meaningful,
            switch_takes_value: true,
            csv_lists: true,
            letters_together: true,
            first_word_is_letters: false,
            optional_takes_next: false,
        }
    }

    /// Programs that use getopt or follow it.
    pub const fn getopt() -> Self {
        Self {
            short_value: ShortValue::Glued,
            long_value: LongValue::Equals,
            double_dash: DoubleDash::Meaningful,
            switch_takes_value: false,
            csv_lists: false,
            letters_together: true,
            first_word_is_letters: false,
            optional_takes_next: true,
        }
    }

    /// This syntax with values of long flags given in another way.
    #[must_use]
    pub const fn long_value(mut self, long_value: LongValue) -> Self {
        self.long_value = long_value;
        self
    }

    /// This syntax with a first word that is, or is not, read as letters.
    #[must_use]
    pub const fn first_word_is_letters(mut self, letters: bool) -> Self {
        self.first_word_is_letters = letters;
        self
    }

    /// This syntax with flags that take a value of their own only behind `=`, where they may go without.
    #[must_use]
    pub const fn optional_is_attached(mut self) -> Self {
        self.optional_takes_next = false;
        self
    }

    /// This syntax with another meaning of `--`.
    #[must_use]
    pub const fn double_dash(mut self, double_dash: DoubleDash) -> Self {
        self.double_dash = double_dash;
        self
    }
}
