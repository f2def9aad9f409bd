//! The confined process: it gives its rights away and then starts programs for the process that started it.
//!
//! It must begin before it has a second thread: the kernel gives a user namespace only to a process of one. What it has
//! lost, the programs that it starts have lost as well, at no further cost. Programs cannot speak for it: they inherit
//! none of its descriptors, and it is hidden from their `/proc`. They could end it; then no more is learned of them.

use std::{
    io::{self, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::{CommandExt, ExitStatusExt},
    },
    process::{Child, Command, ExitCode, ExitStatus},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, setsid,
        test_kill_process_group,
    },
};

use crate::Program;

use super::{
    confine_process,
    message::{Ending, Order, ProgramId, line},
    socket::{Receiver, send_all},
};

/// The maximum size of a message, in bytes: far more than the system lets a program be started with.
const LONGEST: usize = 64 << 20;

/// The main function of the confined process. It obeys what comes over the socket that is its standard input until that
/// closes, and returns the code to end with.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// // A program that is its own confined process, started as `program __sandbox`.
/// fn main() -> ExitCode {
///     if std::env::args_os().nth(1).is_some_and(|word| word == "__sandbox") {
///         return charmer_sandbox::run_confined();
///     }
///     ExitCode::SUCCESS
/// }
/// ```
pub fn run_confined() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // Whoever started it may not read any more.
            let _ = writeln!(io::stderr(), "{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    // Programs get no descriptors but their own, and no terminal to ask on. The latter fails only for who leads a group,
    // and a process that was just started does not.
    close_fds::set_fds_cloexec(3, &[]);
    let _ = setsid();
    // Their ends are learned this way; it is better to fail before anything runs.
    pidfd_open(getpid(), PidfdFlags::empty())
        .map_err(|error| io::Error::other(format!("this kernel has no pidfd: {error}")))?;
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let mut orders = Receiver::new(socket, LONGEST);
    let Some(rights) = orders.next_line()? else {
        return Ok(());
    };
    let report = confine_process(&serde_json::from_slice(&rights)?);
    send_all(orders.socket(), &line(&report), &[])?;
    let mut groups = Vec::new();
    let ended = obey(&mut orders, &mut groups);
    for group in &mut groups {
        group.end();
    }
    ended
}

/// Obeys until there are no more orders.
fn obey(orders: &mut Receiver<OwnedFd>, groups: &mut Vec<Group>) -> io::Result<()> {
    loop {
        // Orders may have come together with the first line.
        while let Some(order) = orders.line() {
            match serde_json::from_slice(&order)? {
                Order::Start(id, program) => match start(orders, id, &program) {
                    Ok(group) => groups.push(group),
                    Err(error) => {
                        let ending = Ending::NotStarted {
                            id,
                            errno: error.raw_os_error(),
                            reason: error.to_string(),
                        };
                        send_all(orders.socket(), &line(&ending), &[])?;
                    }
                },
                Order::Terminate(id) => find(groups, id).for_each(Group::terminate),
                Order::Kill(id) => {
                    find(groups, id).for_each(Group::kill);
                    groups.retain(|group| group.id != id || group.leader.is_some());
                }
            }
        }
        let (more, ended) = wait(orders.socket(), groups)?;
        for id in ended {
            let Some(at) = groups.iter().position(|group| group.id == id) else {
                continue;
            };
            if let Some(ending) = groups[at].collect()? {
                if matches!(ending, Ending::Ended { left: false, .. }) {
                    groups.swap_remove(at);
                }
                send_all(orders.socket(), &line(&ending), &[])?;
            }
        }
        if more && !orders.receive()? {
            return Ok(());
        }
    }
}

/// Waits until there is something to read or programs have ended. Returns whether there is, and which have.
fn wait(socket: &OwnedFd, groups: &[Group]) -> io::Result<(bool, Vec<ProgramId>)> {
    let leaders: Vec<(ProgramId, &OwnedFd)> = groups
        .iter()
        .filter_map(|group| Some((group.id, &group.leader.as_ref()?.end)))
        .collect();
    let mut waiting: Vec<PollFd<'_>> = [socket]
        .into_iter()
        .chain(leaders.iter().map(|(_, end)| *end))
        .map(|descriptor| PollFd::new(descriptor, PollFlags::IN))
        .collect();
    match poll(&mut waiting, None) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let is_ready = |descriptor: &PollFd<'_>| !descriptor.revents().is_empty();
    let ended = waiting[1..].iter().zip(&leaders);
    let ended = ended.filter(|(descriptor, _)| is_ready(descriptor));
    let ended = ended.map(|(_, (id, _))| *id).collect();
    Ok((is_ready(&waiting[0]), ended))
}

fn start(orders: &mut Receiver<OwnedFd>, id: ProgramId, program: &Program) -> io::Result<Group> {
    let [stdin, stdout, stderr] = orders
        .descriptors()
        .ok_or_else(|| io::Error::other("its streams are missing"))?;
    let environment = program.environment.iter();
    let mut child = Command::new(&program.program)
        .args(&program.argv)
        .env_clear()
        .envs(environment.map(|(name, value)| (name, value)))
        .current_dir(&program.folder)
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn()?;
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let number = number.ok_or_else(|| io::Error::other("it has no number"))?;
    match pidfd_open(number, PidfdFlags::empty()) {
        Ok(end) => Ok(Group {
            id,
            number,
            leader: Some(Leader { child, end }),
        }),
        Err(error) => {
            let _ = kill_process_group(number, Signal::KILL);
            let _ = child.wait();
            Err(error.into())
        }
    }
}

fn find(groups: &[Group], id: ProgramId) -> impl Iterator<Item = &Group> {
    groups.iter().filter(move |group| group.id == id)
}

/// The process group of a program.
struct Group {
    id: ProgramId,
    number: Pid,
    /// The program itself; `None` once it has been collected.
    leader: Option<Leader>,
}

struct Leader {
    child: Child,
    /// A descriptor that can be read from when the program has ended.
    end: OwnedFd,
}

impl Group {
    fn terminate(&self) {
        let _ = kill_process_group(self.number, Signal::TERM);
        // A stopped process sees no other signal until it goes on.
        let _ = kill_process_group(self.number, Signal::CONT);
    }

    fn kill(&self) {
        let _ = kill_process_group(self.number, Signal::KILL);
    }

    /// Kills all members and waits for the program.
    fn end(&mut self) {
        self.kill();
        if let Some(mut leader) = self.leader.take() {
            let _ = leader.child.wait();
        }
    }

    /// Collects the program if it has ended.
    fn collect(&mut self) -> io::Result<Option<Ending>> {
        let Some(leader) = &mut self.leader else {
            return Ok(None);
        };
        let Some(status) = leader.child.try_wait()? else {
            return Ok(None);
        };
        self.leader = None;
        Ok(Some(Ending::Ended {
            id: self.id,
            status: ExitStatus::into_raw(status),
            // As long as one member lives, no other process can get the group's number.
            left: test_kill_process_group(self.number) != Err(Errno::SRCH),
        }))
    }
}
