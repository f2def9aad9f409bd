//! A program that runs, whoever started it: this process, or a sandbox.

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};

use crate::{CallError, Ended};

use super::os::{ChildGroup, Strays, signal_of};
#[cfg(feature = "sandbox")]
use super::sandboxed;

/// A program that runs, with the pipes to it.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
    pub(super) process: Process,
    /// The mark that it and what it starts have in their environment, where it is the run's own.
    pub(super) mark: Option<String>,
}

/// A program that runs, by whoever started it.
#[derive(Debug)]
pub(super) enum Process {
    Own(Child),
    #[cfg(feature = "sandbox")]
    Sandboxed(sandboxed::SandboxedEnd),
}

impl From<Child> for Running {
    fn from(mut child: Child) -> Self {
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            process: Process::Own(child),
            mark: None,
        }
    }
}

impl Running {
    /// The process group that it leads.
    pub(super) fn members(&self) -> Members {
        match &self.process {
            Process::Own(child) => Members::Own(ChildGroup::of(child)),
            #[cfg(feature = "sandbox")]
            Process::Sandboxed(program) => Members::Sandboxed(program.group()),
        }
    }

    /// The processes that it has started, to be ended with it. What a sandbox has started it ends itself.
    pub(super) fn strays(&self) -> Strays {
        match self.members().id() {
            None => Strays::default(),
            leader => Strays::of(leader, self.mark.clone()),
        }
    }

    /// Waits for its end. An error means that it never ran, or that nobody knows what became of it.
    pub(super) async fn wait(&mut self) -> Result<Ended, CallError> {
        match &mut self.process {
            // If its end cannot be learned, that is not a success.
            Process::Own(child) => Ok(child.wait().await.map_or(Ended::Exited(-1), ended)),
            #[cfg(feature = "sandbox")]
            Process::Sandboxed(program) => program.wait().await.map(ended),
        }
    }

    /// Ends what has left the program's group, where that is possible.
    pub(super) async fn clear(&mut self) {
        match &mut self.process {
            Process::Own(_) => {}
            #[cfg(feature = "sandbox")]
            Process::Sandboxed(program) => program.clear().await,
        }
    }

    /// Kills the program itself, where there is no group.
    pub(super) fn start_kill(&mut self) {
        match &mut self.process {
            Process::Own(child) => drop(child.start_kill()),
            #[cfg(feature = "sandbox")]
            Process::Sandboxed(_) => {}
        }
    }
}

/// The way a process ended.
pub(super) fn ended(status: std::process::ExitStatus) -> Ended {
    match (status.code(), signal_of(status)) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => Ended::Exited(-1),
    }
}

/// The process group of a program: it, and what it starts.
#[derive(Debug)]
pub(super) enum Members {
    Own(ChildGroup),
    #[cfg(feature = "sandbox")]
    Sandboxed(sandboxed::SandboxedGroup),
}

impl Members {
    /// The id by which a guardian knows them. Those of a sandbox are ended by it, and need no guardian.
    pub(super) fn id(&self) -> Option<i32> {
        match self {
            Self::Own(group) => group.id(),
            #[cfg(feature = "sandbox")]
            Self::Sandboxed(_) => None,
        }
    }

    /// Asks every member to end.
    pub(super) fn terminate(&self) {
        match self {
            Self::Own(group) => group.terminate(),
            #[cfg(feature = "sandbox")]
            Self::Sandboxed(group) => group.terminate(),
        }
    }

    /// Ends every member.
    pub(super) fn kill(&self) {
        match self {
            Self::Own(group) => group.kill(),
            #[cfg(feature = "sandbox")]
            Self::Sandboxed(group) => group.kill(),
        }
    }
}
