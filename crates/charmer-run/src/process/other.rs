//! Systems without process groups: the child itself is ended, what it started is not.

use tokio::process::{Child, Command};

pub(super) fn own_group(_: &mut Command) {}

/// Stands in for a process group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_: &Child) -> Self {
        Self
    }

    pub(super) fn terminate(self) {}

    pub(super) fn kill(self) {}
}

pub(super) fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}
