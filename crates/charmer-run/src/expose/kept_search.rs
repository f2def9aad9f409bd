//! The part of the commands that `search_commands` needs for its answers, in a form that can be kept: a server that starts
//! again reads it in a fraction of the time in which it puts thousands of tools together.

use std::borrow::Cow;

use charmer_core::{
    search::Index,
    tool::{Tool, outline_line},
};
use serde::{Deserialize, Serialize};

use super::commands::Commands;

/// See the module's documentation. What one version writes, another does not read.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptSearch<'a> {
    pub(super) index: Cow<'a, Index>,
    pub(super) found: Vec<FoundCommand>,
    /// Sentences about commands that could not be read.
    pub(super) unread: Vec<String>,
}

impl<'a> KeptSearch<'a> {
    pub(super) fn of(commands: &'a Commands) -> Self {
        let tools = commands.tools.iter();
        Self {
            index: Cow::Borrowed(commands.index()),
            found: tools.map(|one| FoundCommand::of(&one.tool)).collect(),
            unread: commands.unread().to_vec(),
        }
    }

    /// The number of commands.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns true if there is no command.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns true if its parts belong together, which those of a damaged file may not.
    pub fn is_sound(&self) -> bool {
        self.index.len() == self.found.len()
    }
}

/// A command as an answer describes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FoundCommand {
    /// Its tool's name, its effect and its summary.
    pub(super) line: String,
    /// The other command lines that call it.
    pub(super) others: Vec<String>,
}

impl FoundCommand {
    pub(super) fn of(tool: &Tool) -> Self {
        let program = &tool.help.program;
        let paths = tool.help.paths.iter();
        Self {
            line: outline_line(tool),
            others: paths.map(|path| format!("{program} {path}")).collect(),
        }
    }

    /// Its tool's name.
    pub(super) fn name(&self) -> &str {
        self.line.split(' ').next().unwrap_or_default()
    }
}
