//! Process groups, signals and descriptors on Unix.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};

use super::{KEEPS_TERMINAL, MARK};

#[path = "group_table.rs"]
mod group_table;

pub(super) use group_table::GroupTable;

/// Puts a child that is about to start into a group of its own.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// The same for a command of the standard library.
pub(super) fn own_group_std(command: &mut std::process::Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// The group of a child, to which it and what it starts belong.
#[derive(Debug)]
pub(super) struct ChildGroup(Option<Pid>);

impl ChildGroup {
    pub(super) fn of(child: &Child) -> Self {
        Self(
            child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw),
        )
    }

    /// The id by which a guardian knows it.
    pub(super) fn id(&self) -> Option<i32> {
        self.0.map(|leader| leader.as_raw_nonzero().get())
    }

    /// Asks every member to end.
    pub(super) fn terminate(&self) {
        self.send(Signal::TERM);
        // A stopped process sees no other signal until it goes on.
        self.send(Signal::CONT);
    }

    /// Ends every member.
    pub(super) fn kill(&self) {
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
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

/// Ends a group by its id.
pub(super) fn kill_group(id: i32) {
    ChildGroup(Pid::from_raw(id)).kill();
}

/// Ends every process that carries this mark in its environment. Each round stops them before it kills them, so that
/// none can fork away; it is repeated until none is left.
#[cfg(target_os = "linux")]
pub(super) fn kill_marked(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    for _ in 0..20 {
        let marked: Vec<Pid> = marked_processes(wanted.as_bytes());
        if marked.is_empty() {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for process in &marked {
                let _ = kill_process(*process, signal);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
fn marked_processes(wanted: &[u8]) -> Vec<Pid> {
    let Ok(listed) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let own = rustix::process::getpid();
    listed
        .flatten()
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(|process| *process != own)
        .filter(|process| {
            let environment = std::fs::read(format!("/proc/{}/environ", process.as_raw_nonzero()));
            environment.is_ok_and(|vars| vars.split(|&byte| byte == 0).any(|var| var == wanted))
        })
        .collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_marked(_: &str) {}

/// Prepares this process for having children: no descriptor but the first three reaches them, and they have no
/// terminal to ask on. Says what could not be had.
///
/// A process that leads its group cannot leave its session; a server that a shell started keeps its terminal.
pub fn harden() -> Result<(), String> {
    close_fds::set_fds_cloexec(3, &[]);
    match rustix::process::setsid() {
        Ok(_) => Ok(()),
        Err(_) if !has_terminal() => Ok(()),
        Err(_) => Err(KEEPS_TERMINAL.into()),
    }
}

/// Returns true if there is a terminal that children could ask on.
///
/// Not by asking for the session's leader: in a container it may be outside of the namespace of processes, and then its
/// number is zero, which rustix takes for impossible.
fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}
