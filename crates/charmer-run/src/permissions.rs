//! The permissions of a principal: the effects that its calls may have.

use charmer_core::{call::Bound, model::Effect, tool::Tool};

use crate::{CallError, Reading, ServedTool, only_reads::only_reads};

/// The permissions of a principal. Everything, by default.
///
/// ```
/// use charmer_run::Permissions;
/// assert!(Permissions::default().is_all());
/// assert!(!Permissions::read().is_all());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// The worst effect that a call may have.
    most: Effect,
}

impl Default for Permissions {
    fn default() -> Self {
        Self::all()
    }
}

impl Permissions {
    /// Everything, also what nobody knows the effect of.
    pub fn all() -> Self {
        Self {
            most: Effect::Unknown,
        }
    }

    /// Only what reads: every call is run as one that is meant to read.
    pub fn read() -> Self {
        Self { most: Effect::Read }
    }

    /// Permissions to read, and to add or change something.
    pub fn write() -> Self {
        Self {
            most: Effect::Write,
        }
    }

    /// Returns true if nothing is withheld.
    pub fn is_all(&self) -> bool {
        self.most == Effect::Unknown
    }

    /// Returns true if only reading is left.
    pub(crate) fn only_read(&self) -> bool {
        self.most == Effect::Read
    }

    /// Returns true if there is a call of this tool that is allowed.
    pub(crate) fn may_run(&self, served: &ServedTool) -> bool {
        if self.is_all() {
            return true;
        }
        let tool = &served.tool;
        let reads = tool.can_read()
            || tool.annotations.read_only
            || served.reads
            || served.reading == Reading::Any;
        // A tool that stands for others is allowed as far as they are.
        let stands = served.router.is_some() && !self.only_read();
        reads || stands || tool.help.effect <= self.most
    }

    /// Refuses a call that would do more than is allowed.
    pub(crate) fn check(&self, tool: &Tool, bound: &Bound) -> Result<(), CallError> {
        if self.is_all() || bound.effect(tool) <= self.most {
            return Ok(());
        }
        if self.only_read() {
            return only_reads(tool, bound, None);
        }
        Err(self.withheld(tool))
    }

    /// The same for a tool whose calls are not bound: a spell that is confined. Answers of the bridge's own run nothing.
    pub(crate) fn check_answer(&self, tool: &Tool) -> Result<(), CallError> {
        match tool.input.template.is_none() || tool.help.effect <= self.most {
            true => Ok(()),
            false => Err(self.withheld(tool)),
        }
    }

    /// The refusal of a tool that no allowed call exists of.
    pub(crate) fn withheld(&self, tool: &Tool) -> CallError {
        let message = format!("`{}` is not for you: {}", tool.name, self.why_not());
        CallError::refused(message).hint("ask whoever runs this server for more rights")
    }

    /// The reason why something is withheld.
    pub(crate) fn why_not(&self) -> &'static str {
        match self.most {
            Effect::Read => "your token is for reading",
            _ => "your token is for reading and writing, not for what may delete or overwrite",
        }
    }
}
