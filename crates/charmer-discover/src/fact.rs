//! A fact and where it comes from: of two that disagree, the surer one stands.

use serde::{Deserialize, Serialize};

/// The kind of source in which something about a program was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// It follows from how such programs usually are.
    Convention,
    /// The program's manual page, as a file.
    Manual,
    /// The usage line.
    Usage,
    /// The rest of the help text.
    Help,
    /// The program's own shell completion.
    Completion,
    /// The way the program answered a value that was meant to be wrong.
    Probe,
    /// The program's own document on itself.
    Program,
    /// A profile.
    Profile,
    /// `charmer.yaml`.
    Override,
}

impl Origin {
    /// The certainty of something that was said there plainly, from 0 to 100.
    pub const fn usual(self) -> u8 {
        // Only the order matters: of two that speak of one field the surer wins. A reader that is less than sure of
        // what a text means says a lower number with it.
        match self {
            Self::Convention => 20,
            Self::Manual => 50,
            Self::Usage => 60,
            Self::Help => 70,
            Self::Completion => 85,
            Self::Probe => 95,
            Self::Program => 97,
            Self::Profile => 98,
            Self::Override => 100,
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Convention => "convention",
            Self::Manual => "manual",
            Self::Usage => "usage",
            Self::Help => "help",
            Self::Completion => "completion",
            Self::Probe => "probe",
            Self::Program => "program",
            Self::Profile => "profile",
            Self::Override => "override",
        })
    }
}

/// The source of a field, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The kind of source.
    pub origin: Origin,
    /// From 0 to 100.
    pub sure: u8,
}

/// A value with its source.
///
/// ```
/// use charmer_discover::{Fact, Origin};
/// let mut kind = Fact::new("string", Origin::Help);
/// kind.learn(Fact::new("int", Origin::Probe));
/// kind.learn(Fact::new("path", Origin::Usage));
/// assert_eq!(kind.value, "int");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact<T> {
    /// The value that was seen.
    pub value: T,
    /// By whom.
    #[serde(flatten)]
    pub source: Source,
}

impl<T> Fact<T> {
    /// A fact that was said plainly.
    pub fn new(value: T, origin: Origin) -> Self {
        Self::with(value, origin, origin.usual())
    }

    /// A fact that is surer, or less sure, than its origin usually is.
    pub fn with(value: T, origin: Origin, sure: u8) -> Self {
        let source = Source { origin, sure };
        Self { value, source }
    }

    /// Takes the other fact if it is surer.
    pub fn learn(&mut self, other: Self) {
        if other.source.sure > self.source.sure {
            *self = other;
        }
    }
}

/// A field that may not have been seen yet.
pub(crate) trait Field<T> {
    /// Takes the fact if it is the first, or surer than the one that stands.
    fn learn(&mut self, fact: Fact<T>);
}

impl<T> Field<T> for Option<Fact<T>> {
    fn learn(&mut self, fact: Fact<T>) {
        match self {
            Some(standing) => standing.learn(fact),
            None => *self = Some(fact),
        }
    }
}
