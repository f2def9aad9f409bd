//! Systems without process groups: the child itself is ended, what it started is not.

use tokio::process::{Child, Command};

pub(super) fn own_group(_: &mut Command) {}

pub(super) fn own_group_std(_: &mut std::process::Command) {}

/// Stands in for a process group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_: &Child) -> Self {
        Self
    }

    pub(super) fn id(self) -> Option<i32> {
        None
    }

    pub(super) fn terminate(self) {}

    pub(super) fn kill(self) {}
}

pub(super) fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}

pub(super) fn kill_group(_: i32) {}

pub(super) fn kill_marked(_: &str) {}

/// There is nothing to prepare.
pub fn harden() -> Result<(), String> {
    Ok(())
}
