//! Process groups on Unix.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// Puts a child that is about to start into a group of its own.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// The group of a child, to which it and what it starts belong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group(Option<Pid>);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(
            child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw),
        )
    }

    /// Asks every member to end.
    pub(super) fn terminate(self) {
        self.send(Signal::TERM);
    }

    /// Ends every member.
    pub(super) fn kill(self) {
        self.send(Signal::KILL);
    }

    fn send(self, signal: Signal) {
        if let Some(leader) = self.0 {
            // The only expected failure is that nobody is left, which is what is wanted.
            let _ = kill_process_group(leader, signal);
        }
    }
}

/// The signal that ended a process.
pub(super) fn signal_of(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}
