//! The confined process: it gives its rights away and then starts programs for the process at the other end of its
//! socket.
//!
//! What it has lost, the programs that it starts have lost as well, at no further cost. Programs cannot speak for it:
//! they inherit none of its descriptors, and it is hidden from their `/proc`. Where it has a process namespace it is the
//! first process in it: they cannot signal it, and they end with it.

use std::{
    fs::{File, Metadata},
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{
            fs::{MetadataExt, OpenOptionsExt},
            process::{CommandExt, ExitStatusExt},
        },
    },
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process_group, pidfd_open,
        set_child_subreaper, set_parent_process_death_signal, test_kill_process_group, wait,
    },
};

use crate::{NetworkRight, Program, RightsReport};

use super::{
    keeper::{Plan, end_descendants, pid},
    landlock, limits,
    message::{Ending, Order, ProgramId, line},
    mounts,
    socket::{Receiver, send_all},
    system_calls::{self, Own},
};

/// The maximum size of a message, in bytes: far more than the system lets a program be started with.
const LONGEST: usize = 64 << 20;
/// The longest time that it may take until everything that was told to end is gone.
const CLEARING: Duration = Duration::from_secs(2);

/// Gives the rights away and obeys until the socket closes.
pub(super) fn run(plan: &Plan) -> io::Result<()> {
    // Whatever ends the keeper ends this process.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_child_subreaper(Some(getpid()))?;
    let mut orders = Receiver::new(io::stdin().as_fd().try_clone_to_owned()?, LONGEST);
    let report = give_away(plan);
    send_all(orders.socket(), &line(&report), &[])?;
    let mut process = ConfinedProcess {
        groups: Vec::new(),
        // Then whoever may be signalled at all was started here.
        keeps_signals: report.keeps_signals(),
        devices: plan.devices,
    };
    let ended = process.obey(&mut orders);
    process.end_all();
    ended
}

/// Leaves this process the rights of the plan. Says what could be given away.
fn give_away(plan: &Plan) -> RightsReport {
    let Plan {
        rights, namespaces, ..
    } = plan;
    let process_bound = limits::bound_processes(
        &rights.bounds,
        namespaces.users,
        namespaces.processes.is_ok(),
    );
    let landlock = landlock::restrict(rights, plan.view());
    let own = Own {
        terminals: plan.devices.terminals,
        network: rights.network == NetworkRight::None && namespaces.network.is_ok(),
    };
    let system_calls = limits::drop_privileges().and_then(|()| system_calls::restrict(rights, own));
    // Last: who is hidden cannot look at itself either.
    limits::hide();
    RightsReport {
        landlock,
        system_calls,
        mounts: namespaces.mounts.clone(),
        processes: namespaces.processes.clone(),
        network: namespaces.network.clone(),
        process_bound,
    }
}

struct ConfinedProcess {
    groups: Vec<ProcessGroup>,
    keeps_signals: bool,
    devices: mounts::OwnDevices,
}

impl ConfinedProcess {
    /// Obeys until there are no more orders.
    fn obey(&mut self, orders: &mut Receiver<OwnedFd>) -> io::Result<()> {
        loop {
            while let Some(order) = orders.line() {
                match serde_json::from_slice(&order)? {
                    Order::Start(id, program) => match start(orders, id, &program) {
                        Ok(group) => self.groups.push(group),
                        Err(error) => {
                            let ending = Ending::NotStarted {
                                id,
                                errno: error.raw_os_error(),
                                reason: error.to_string(),
                            };
                            send_all(orders.socket(), &line(&ending), &[])?;
                        }
                    },
                    Order::Terminate(id) => self.find(id).for_each(ProcessGroup::terminate),
                    Order::Kill(id) => {
                        self.find(id).for_each(ProcessGroup::kill);
                        self.groups
                            .retain(|group| group.id != id || group.leader.is_some());
                    }
                    Order::Clear => {
                        let clean = self.end_all() && mounts::is_clean(self.devices);
                        send_all(orders.socket(), &line(&Ending::Cleared(clean)), &[])?;
                    }
                }
            }
            let (more, ended) = self.wait(orders.socket())?;
            for id in ended {
                let Some(at) = self.groups.iter().position(|group| group.id == id) else {
                    continue;
                };
                let Some((status, left)) = self.groups[at].collect()? else {
                    continue;
                };
                if !left {
                    self.groups.swap_remove(at);
                }
                let ending = Ending::Ended {
                    id,
                    status: ExitStatus::into_raw(status),
                    left,
                    clean: self.collect_orphans() && mounts::is_clean(self.devices),
                };
                send_all(orders.socket(), &line(&ending), &[])?;
            }
            self.collect_orphans();
            if more && !orders.receive()? {
                return Ok(());
            }
        }
    }

    fn find(&self, id: ProgramId) -> impl Iterator<Item = &ProcessGroup> {
        self.groups.iter().filter(move |group| group.id == id)
    }

    /// Waits until there is something to read or programs have ended. Returns whether there is, and which have.
    fn wait(&self, socket: &OwnedFd) -> io::Result<(bool, Vec<ProgramId>)> {
        let leaders: Vec<(ProgramId, &OwnedFd)> = self
            .groups
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

    /// Collects what programs have left behind and has ended. Not while one runs: its end is collected by its number.
    fn collect_orphans(&self) -> bool {
        if self.groups.iter().any(|group| group.leader.is_some()) {
            return false;
        }
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Ends everything that was ever started here, whatever it did to get away. Returns whether it is gone.
    fn end_all(&mut self) -> bool {
        for group in &mut self.groups {
            group.end();
        }
        self.groups.clear();
        let began = Instant::now();
        // Mostly nothing is left.
        while !self.collect_orphans() {
            if began.elapsed() > CLEARING {
                return false;
            }
            end_descendants(self.keeps_signals);
            // They were killed a moment ago, and the next call waits for this.
            std::thread::sleep(Duration::from_micros(200));
        }
        true
    }
}

fn start(
    orders: &mut Receiver<OwnedFd>,
    id: ProgramId,
    program: &Program,
) -> io::Result<ProcessGroup> {
    let [stdin, stdout, stderr] = orders
        .descriptors()
        .ok_or_else(|| io::Error::other("its streams are missing"))?;
    let folder = open_folder(program)?;
    let environment = program.environment.iter();
    let mut child = Command::new(&program.program)
        .args(&program.argv)
        .env_clear()
        .envs(environment.map(|(name, value)| (name, value)))
        .current_dir(format!("/proc/self/fd/{}", folder.as_raw_fd()))
        .stdin(stdin)
        .stdout(stdout)
        .stderr(stderr)
        .process_group(0)
        .spawn()?;
    let number = pid(&child)?;
    match pidfd_open(number, PidfdFlags::empty()) {
        Ok(end) => Ok(ProcessGroup {
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

/// Opens the folder that a program runs in. It is looked up here, where hidden paths are hidden: a descriptor from outside
/// would lead around that. If it was looked up before, it must still be the same.
fn open_folder(program: &Program) -> io::Result<File> {
    let folder = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(
            rustix::fs::OFlags::PATH.bits() as i32 | rustix::fs::OFlags::DIRECTORY.bits() as i32,
        )
        .open(&program.folder)?;
    let identity = |file: &Metadata| (file.dev(), file.ino());
    if let Some(expected) = program.folder_id
        && identity(&folder.metadata()?) != expected
    {
        return Err(io::Error::other(
            "its folder is hidden from it, or was replaced by another one",
        ));
    }
    Ok(folder)
}

/// The process group of a program.
struct ProcessGroup {
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

impl ProcessGroup {
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

    /// Collects the program if it has ended. Returns how, and whether members of its group live on.
    fn collect(&mut self) -> io::Result<Option<(ExitStatus, bool)>> {
        let Some(leader) = &mut self.leader else {
            return Ok(None);
        };
        let Some(status) = leader.child.try_wait()? else {
            return Ok(None);
        };
        self.leader = None;
        // As long as one member lives, no other process can get the group's number.
        let left = test_kill_process_group(self.number) != Err(Errno::SRCH);
        Ok(Some((status, left)))
    }
}
