//! A command line: a list of elements that know what they are, never a string that is split.

use std::ffi::OsString;

/// The longest element that Linux starts a program with; one byte more is for the NUL that ends it.
pub const MAX_ELEMENT_BYTES: usize = 131_071;

/// The kind of an element of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementKind {
    /// A subcommand's name.
    Word,
    /// A flag, with its value where that is attached.
    Flag,
    /// A flag's value that stands for itself.
    Value,
    /// A positional.
    Positional,
    /// An argument of an external command, which the program passes on unread.
    PassedOn,
    /// The `--` that ends the flags.
    DoubleDash,
    /// An element that a caller adds to a command line that an author wrote out.
    Added,
    /// An element of such a command line, filled in from the arguments.
    Filled,
}

/// One element of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Its text.
    pub text: String,
    /// Its kind.
    pub kind: ElementKind,
    /// Its owner lets it begin with `-`.
    pub hyphen_allowed: bool,
}

/// A command line without its program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Argv(Vec<Element>);

impl Argv {
    /// The elements with what they are.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// The elements as a program receives them.
    pub fn to_os_strings(&self) -> Vec<OsString> {
        self.0
            .iter()
            .map(|element| OsString::from(&element.text))
            .collect()
    }

    /// The elements as text.
    pub fn to_strings(&self) -> Vec<&str> {
        self.0.iter().map(|element| element.text.as_str()).collect()
    }

    pub(super) fn push(&mut self, text: impl Into<String>, kind: ElementKind) {
        self.0.push(Element {
            text: text.into(),
            kind,
            hyphen_allowed: false,
        });
    }

    pub(super) fn push_value(&mut self, text: &str, kind: ElementKind, hyphen_allowed: bool) {
        self.0.push(Element {
            text: text.to_owned(),
            kind,
            hyphen_allowed,
        });
    }
}
