//! The keeper: it prepares what takes a whole process, starts the confined process in it, and outlives that.
//!
//! Namespaces are entered and paths are covered here, because the confined process may not do it any more. The keeper
//! keeps its own rights, does nothing with them, and is out of reach of confined programs. Should one of those manage to
//! end the confined process, what is left becomes the keeper's to end.

use std::{
    fs, io,
    os::fd::{AsFd, OwnedFd},
    process::{Child, Command, ExitCode},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, kill_process_group, pidfd_open,
        set_child_subreaper, setsid, wait,
    },
};
use serde::{Deserialize, Serialize};

use crate::Rights;

use super::{
    confined, landlock, landlock::View, limits, mounts, mounts::OwnDevices, namespaces,
    namespaces::Namespaces, socket::Receiver,
};

/// The variable by which the confined process learns what to keep.
const PLAN: &str = "CHARMER_SANDBOX";
/// The maximum size of the rights, in bytes.
const LONGEST: usize = 1 << 20;
/// The longest time that the confined process may take to end once nobody is there to tell it anything.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time that it is tried to end what the confined process has left.
const SWEEP: Duration = Duration::from_secs(5);

/// The plan that the confined process gets from its keeper.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) rights: Rights,
    pub(super) namespaces: Namespaces,
    pub(super) devices: OwnDevices,
}

impl Plan {
    pub(super) fn view(&self) -> View {
        View {
            covered: self.namespaces.mounts.is_ok(),
            devices: self.devices,
        }
    }
}

/// The main function of the confined process and of its keeper. It obeys what comes over the socket that is its standard
/// input until that closes, and returns the code to end with. It must be called before there is a second thread.
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
    // Programs get no descriptors but their own.
    close_fds::set_fds_cloexec(3, &[]);
    let done = match std::env::var(PLAN) {
        Ok(plan) => serde_json::from_str(&plan)
            .map_err(io::Error::from)
            .and_then(|plan| confined::run(&plan)),
        Err(_) => keep(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // Whoever started it may not read any more.
            let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("{reason}\n"));
            ExitCode::FAILURE
        }
    }
}

fn keep() -> io::Result<()> {
    // Programs get no terminal to ask on. It fails only for who leads a group, and a process that was just started does not.
    let _ = setsid();
    // Ends are learned this way; it is better to fail before anything runs.
    pidfd_open(getpid(), PidfdFlags::empty())
        .map_err(|error| io::Error::other(format!("this kernel has no pidfd: {error}")))?;
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let Some(rights) = Receiver::new(&socket, LONGEST).next_line()? else {
        return Ok(());
    };
    let rights: Rights = serde_json::from_slice(&rights)?;
    // Whatever is orphaned comes here.
    set_child_subreaper(Some(getpid()))?;
    limits::bound(&rights.bounds);
    let mut namespaces = namespaces::enter(&rights);
    let mut devices = OwnDevices::default();
    if namespaces.mounts.is_ok() {
        match mounts::own_view(&rights) {
            Ok(own) => devices = own,
            Err(reason) => namespaces.mounts = Err(reason),
        }
    }
    // Without its own view the program would write to the folders themselves: then nothing may be started.
    if let (false, Err(reason)) = (rights.overlays.is_empty(), &namespaces.mounts) {
        return Err(io::Error::other(format!(
            "no view of the folders of its own: {reason}"
        )));
    }
    let plan = Plan {
        rights,
        namespaces,
        devices,
    };
    // From here on whoever this process may signal at all was started by it. It is not for programs to signal back.
    let keeps_signals = landlock::keep_signals();
    let mut child = Command::new("/proc/self/exe")
        .args(std::env::args_os().skip(1))
        .env(PLAN, serde_json::to_string(&plan)?)
        .stdin(socket.try_clone()?)
        .spawn()?;
    drop(plan);
    let ended = wait_for(&mut child, &socket);
    sweep(keeps_signals);
    ended
}

/// Waits for the confined process, which ends when the socket closes, or else is ended.
fn wait_for(child: &mut Child, socket: &OwnedFd) -> io::Result<()> {
    let number = pid(child)?;
    let end = pidfd_open(number, PidfdFlags::empty())?;
    let mut closed: Option<Instant> = None;
    loop {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        let waits = closed.map(|closed| PATIENCE.saturating_sub(closed.elapsed()));
        if waits.is_some_and(|waits| waits.is_zero()) {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(());
        }
        let waits = waits.and_then(|waits| Timespec::try_from(waits).ok());
        let mut events = vec![PollFd::new(&end, PollFlags::IN)];
        if closed.is_none() {
            // It is read by the confined process only.
            events.push(PollFd::new(socket, PollFlags::RDHUP));
        }
        let _ = poll(&mut events, waits.as_ref());
        let hung_up = events
            .get(1)
            .is_some_and(|socket| !socket.revents().is_empty());
        if hung_up {
            closed = Some(Instant::now());
        }
    }
}

/// Ends what the confined process has left behind. In a process namespace the kernel has done it already.
fn sweep(keeps_signals: bool) {
    let began = Instant::now();
    while began.elapsed() < SWEEP {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                // There is nobody left.
                Err(_) => return,
            }
        }
        end_descendants(keeps_signals);
        // What was killed is gone within a turn or two of the scheduler.
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Ends all that this process has started, as far as it is still there. Where this process can signal nobody else, that
/// happens at one blow, and nobody gets away by starting others.
pub(super) fn end_descendants(keeps_signals: bool) {
    if keeps_signals {
        let _ = kill_process_group(Pid::INIT, Signal::KILL);
        return;
    }
    let children = children_of(getpid());
    // Stopped first, so that none starts another while it is being ended.
    for signal in [Signal::STOP, Signal::KILL] {
        for child in &children {
            let _ = kill_process(*child, signal);
        }
    }
}

/// The children of a process that have not been collected.
fn children_of(parent: Pid) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let children = processes.filter_map(|process| {
        let number: i32 = process.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        // The name, which may hold anything, stands in parentheses.
        let (_, rest) = stat.rsplit_once(") ")?;
        let above: i32 = rest.split(' ').nth(1)?.parse().ok()?;
        (above == parent.as_raw_pid()).then(|| Pid::from_raw(number))?
    });
    children.collect()
}

pub(super) fn pid(child: &Child) -> io::Result<Pid> {
    let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    number.ok_or_else(|| io::Error::other("it has no number"))
}
