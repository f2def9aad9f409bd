//! Findings of the doctor: the place, the matter, its gravity, and the command to run next.

use std::{path::PathBuf, sync::Arc};

use serde::Serialize;

/// The gravity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Health {
    /// It is as it should be.
    Ok,
    /// It works, and could work better.
    Warning,
    /// It does not work.
    Problem,
}

/// The entry of a client's file that a finding is about; nothing of it is set for the machine as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct EntryPlace {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<&'static str>,
    #[serde(skip)]
    pub(super) client_title: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub(super) struct DoctorFinding {
    #[serde(rename = "where")]
    pub(super) place: Arc<EntryPlace>,
    /// A word: `file`, `command`, `config`, `program`, `folder`, `spells`, `audit`, `start`, `legacy`, `modern`, `output`,
    /// `end`, `cache`, `sandbox`, `spool`.
    pub(super) about: &'static str,
    pub(super) level: Health,
    pub(super) message: String,
    /// The command line that mends it, or brings one nearer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<String>,
    /// The last lines that the server wrote to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stderr: Option<String>,
}

impl DoctorFinding {
    /// Something that is as it should be.
    pub(super) fn ok(about: &'static str, message: impl Into<String>) -> Self {
        Self {
            place: Arc::default(),
            about,
            level: Health::Ok,
            message: message.into(),
            run: None,
            stderr: None,
        }
    }

    /// Something that could be better.
    pub(super) fn warning(about: &'static str, message: impl Into<String>) -> Self {
        Self {
            level: Health::Warning,
            ..Self::ok(about, message)
        }
    }

    /// Something that does not work.
    pub(super) fn problem(about: &'static str, message: impl Into<String>) -> Self {
        Self {
            level: Health::Problem,
            ..Self::ok(about, message)
        }
    }

    /// The same with what to run.
    pub(super) fn run(mut self, command: impl Into<String>) -> Self {
        self.run = Some(command.into());
        self
    }

    /// The same with what to run, if that is known.
    pub(super) fn run_if(mut self, command: Option<String>) -> Self {
        self.run = command;
        self
    }

    /// The same with what the server complained of.
    pub(super) fn stderr(mut self, excerpt: Option<String>) -> Self {
        self.stderr = excerpt;
        self
    }

    /// The same about an entry.
    pub(super) fn at(mut self, place: &Arc<EntryPlace>) -> Self {
        self.place = Arc::clone(place);
        self
    }
}
