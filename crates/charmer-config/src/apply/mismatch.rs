//! Mismatches: statements of the file on a program that are not so.

use std::fmt;

use charmer_core::{
    model::{Cli, Flag},
    text::nearest,
    tool::PinError,
};

use crate::FilePlace;

/// Something that the file says and the program does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelMismatch {
    /// The mismatch, for people.
    pub message: String,
    /// The next step for whoever reads it.
    pub hint: String,
    /// Its place in the file, within the source.
    pub place: FilePlace,
}

impl ModelMismatch {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            place: FilePlace::default(),
        }
    }

    pub(crate) fn at(mut self, place: FilePlace) -> Self {
        self.place = place;
        self
    }

    pub(super) fn no_command(cli: &Cli, name: &str, key: &str) -> Self {
        let program = &cli.root.name;
        let near = nearest_command(cli, name);
        Self::new(
            format!("{key} names the command `{name}`, which `{program}` does not have"),
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "correct its name, or write `add: true` to add it".to_owned(),
            },
        )
    }

    pub(super) fn no_flag<'f>(
        key: &str,
        command: &str,
        name: &str,
        known: impl Iterator<Item = &'f Flag>,
    ) -> Self {
        let known: Vec<String> = known.map(Flag::display_name).collect();
        let wanted = format!("--{}", name.trim_start_matches('-'));
        let near = nearest(&wanted, known.iter().map(String::as_str));
        Self::new(
            format!("`{key}` names the flag `{name}` of `{command}`, which it does not have"),
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "correct its name, or write `add: true` to add it".to_owned(),
            },
        )
    }
}

impl From<PinError> for ModelMismatch {
    fn from(error: PinError) -> Self {
        let (message, hint) = match &error {
            PinError::Unknown { flag, nearest } => (
                format!("`set` names the flag `{flag}`, which no command has"),
                match nearest {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "correct its name, or remove it".to_owned(),
                },
            ),
            PinError::Confirms { .. } => (
                error.to_string(),
                "remove it from `set`, or remove `confirm`".to_owned(),
            ),
            _ => (error.to_string(), "correct it under `set`".to_owned()),
        };
        let (PinError::Unknown { flag, .. }
        | PinError::Unfit { flag, .. }
        | PinError::Conflict { flag, .. }
        | PinError::Confirms { flag, .. }) = &error
        else {
            return Self::new(message, hint);
        };
        Self::new(message, hint).at(FilePlace::of(["set", flag]))
    }
}

/// The path of the command that was meant, perhaps.
pub(super) fn nearest_command(cli: &Cli, name: &str) -> Option<String> {
    let mut paths = Vec::new();
    cli.walk(&mut |path, _| paths.push(path.to_string()));
    let written = super::without_program(cli, name).to_string();
    nearest(&written, paths.iter().map(String::as_str)).map(str::to_owned)
}

impl fmt::Display for ModelMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.hint)
    }
}

/// Everything that the file says of a program and that is not so; a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatches(pub(crate) Vec<ModelMismatch>);

impl std::ops::Deref for Mismatches {
    type Target = [ModelMismatch];

    fn deref(&self) -> &[ModelMismatch] {
        &self.0
    }
}

impl fmt::Display for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mismatch) in self.0.iter().enumerate() {
            let end = if at + 1 < self.0.len() { "\n" } else { "" };
            write!(f, "{mismatch}{end}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Mismatches {}
