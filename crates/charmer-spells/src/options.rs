//! How spells are loaded and run.

use std::path::PathBuf;

use charmer_run::{
    Limits,
    process::{Engine, Environment},
};

/// How spells are loaded and run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SpellOptions {
    /// The server's own environment: `${NAME}` is looked up in it, programs are searched on its `PATH`, and a few of its
    /// variables are handed on.
    pub variables: Environment,
    /// What runs the programs.
    pub engine: Engine,
    /// How large a call may become; how long it may take is the spell's to say.
    pub limits: Limits,
    /// Names that other tools have.
    pub reserved: Vec<String>,
    /// The file that holds what was accepted. With it, only accepted spells are served.
    pub locked: Option<PathBuf>,
    /// Whether only spells are served that declare to change nothing.
    pub read_only: bool,
    /// What marks the server's children, in `CHARMER_TOOL`.
    pub mark: Option<String>,
}

impl SpellOptions {
    /// Options with this environment, whole.
    pub fn new(
        variables: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ) -> Self {
        let mut all = Environment::empty();
        for (name, value) in variables {
            all.set(name, value);
        }
        Self {
            variables: all,
            ..Self::default()
        }
    }

    /// Sets what runs the programs.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets how large a call may become.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the names that other tools have.
    #[must_use]
    pub fn reserved(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.reserved = names.into_iter().collect();
        self
    }

    /// Serves only what was accepted in this file.
    #[must_use]
    pub fn locked(mut self, accepted: impl Into<PathBuf>) -> Self {
        self.locked = Some(accepted.into());
        self
    }

    /// Serves only spells that declare to change nothing, if it is set.
    #[must_use]
    pub fn read_only(mut self, only: bool) -> Self {
        self.read_only = only;
        self
    }

    /// Sets what marks the server's children.
    #[must_use]
    pub fn mark(mut self, mark: impl Into<String>) -> Self {
        self.mark = Some(mark.into());
        self
    }
}
