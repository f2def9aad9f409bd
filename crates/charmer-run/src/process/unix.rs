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

/// Ends every process that carries this mark in its environment: a server's, with those of its runs, or that of one run.
#[cfg(target_os = "linux")]
pub(super) fn kill_marked(mark: &str) {
    let wanted = format!("{MARK}={mark}");
    let is_it = |variable: &[u8]| {
        let rest = variable.strip_prefix(wanted.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    };
    kill_all(|| {
        processes().filter(|process| {
            let environment = std::fs::read(format!("/proc/{}/environ", process.as_raw_nonzero()));
            environment.is_ok_and(|all| all.split(|&byte| byte == 0).any(is_it))
        })
    });
}

/// Ends processes. Each round stops them before it kills them, so that none can fork away; it is repeated until none is left.
#[cfg(target_os = "linux")]
fn kill_all<P: Iterator<Item = Pid>>(found: impl Fn() -> P) {
    for _ in 0..20 {
        let found: Vec<Pid> = found().collect();
        if found.is_empty() {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            for process in &found {
                let _ = kill_process(*process, signal);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// All processes but this one.
#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = Pid> {
    let own = rustix::process::getpid();
    let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    listed
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter(move |process| *process != own)
}

/// The processes that a run has started and that have left its group, when it is ended by us: known by their ancestors as long as
/// those live, and
/// by the mark of the run in their environment.
#[derive(Debug, Default)]
pub(super) struct Strays {
    mark: Option<String>,
    /// Each with the time at which it began, because numbers are given again.
    #[cfg(target_os = "linux")]
    descendants: Vec<(Pid, u64)>,
}

impl Strays {
    /// Those of a group's leader, who still lives.
    pub(super) fn of(leader: Option<i32>, mark: Option<String>) -> Self {
        #[cfg(not(target_os = "linux"))]
        {
            let _ = leader;
            Self { mark }
        }
        #[cfg(target_os = "linux")]
        {
            let all: Vec<(Pid, i32, u64)> = processes()
                .filter_map(|process| {
                    let (parent, began) = parent_and_beginning(process)?;
                    Some((process, parent, began))
                })
                .collect();
            let mut descendants: Vec<(Pid, u64)> = Vec::new();
            let mut parents: Vec<i32> = leader.into_iter().collect();
            while let Some(parent) = parents.pop() {
                for (process, _, began) in all.iter().filter(|(_, of, _)| *of == parent) {
                    descendants.push((*process, *began));
                    parents.push(process.as_raw_nonzero().get());
                }
            }
            Self { mark, descendants }
        }
    }

    /// Ends them. It looks at all processes, which takes a moment.
    pub(super) fn kill(self) {
        #[cfg(target_os = "linux")]
        {
            for (process, began) in &self.descendants {
                let is_it = |(_, now): (i32, u64)| now == *began;
                if parent_and_beginning(*process).is_some_and(is_it) {
                    let _ = kill_process(*process, Signal::KILL);
                }
            }
            if let Some(mark) = &self.mark {
                kill_marked(mark);
            }
        }
    }
}

/// The parent of a process, and the time at which it began.
#[cfg(target_os = "linux")]
fn parent_and_beginning(process: Pid) -> Option<(i32, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // Its name may hold anything; what follows it does not.
    let (_, behind) = stat.rsplit_once(')')?;
    let mut fields = behind.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    Some((parent, fields.nth(17)?.parse().ok()?))
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
