//! The launching side: a handle to the confined process, and one to each program in it.
//!
//! A thread reads what the confined process tells and passes it on; nothing here needs an async runtime, and nothing
//! that is called from one blocks, but for starting and dropping a [`Sandbox`].

use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Read},
    net::Shutdown,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{net::UnixStream, process::ExitStatusExt},
    },
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::SendFlags,
};

use crate::{Failure, OnClear, OnEnd, Program, Rights, RightsReport, SandboxCommand, Streams};

use super::{
    message::{Ending, Order, ProgramId, line},
    socket::{self, Receiver},
};

/// The longest time that it may take to report what it gave away.
const START: Duration = Duration::from_secs(10);
/// The longest time that it may take to end once it is told to.
const END: Duration = Duration::from_secs(5);
/// The time that its complaint is waited for, after it was ended for not reporting.
const COMPLAINT: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};
/// The maximum size of a message from it, in bytes.
const LONGEST: usize = 64 << 10;

const ENDED: &str = "the sandbox is gone: its process ended";
const NONSENSE: &str = "the sandbox is gone: its process wrote nonsense";
const SILENT: &str = "the sandbox is gone: its process did not answer";

/// A confined process that starts programs. Dropping it ends it, with all that it runs, and waits for that.
#[derive(Debug)]
pub struct Sandbox {
    link: Arc<SandboxLink>,
    report: RightsReport,
    /// Says something when the confined process has closed its socket.
    closed: Mutex<mpsc::Receiver<()>>,
}

impl Sandbox {
    /// Starts the confined process and waits until it has only these rights, which takes a few milliseconds; or says
    /// why there is none.
    pub fn start(command: &SandboxCommand, rights: &Rights) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the sandbox has no socket: {error}");
        let (socket, theirs) = UnixStream::pair().map_err(failed)?;
        let mut process = Command::new(&command.program)
            .args(&command.args)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let program = command.program.display();
                format!("`{program}` cannot be started: {error}")
            })?;
        let stderr = process.stderr.take();
        let mut receiver = Receiver::new(socket.try_clone().map_err(failed)?, LONGEST);
        let report = match exchange(&socket, &mut receiver, rights) {
            Ok(report) => report,
            Err(reason) => {
                let _ = process.kill();
                let _ = process.wait();
                let reason = reason.map_or_else(|| complaint(stderr), Into::into);
                return Err(format!("the sandbox failed: {reason}"));
            }
        };
        let link = Arc::new(SandboxLink {
            socket,
            process: Mutex::new(process),
            programs: Mutex::default(),
            backlog: Mutex::new(None),
        });
        let (closes, closed) = mpsc::channel();
        let sandbox = Self {
            link: Arc::clone(&link),
            report,
            closed: Mutex::new(closed),
        };
        std::thread::Builder::new()
            .name("charmer-sandbox".into())
            .spawn(move || {
                link.lose(read_endings(&link, receiver));
                let _ = closes.send(());
            })
            .map_err(|error| format!("the sandbox has no thread: {error}"))?;
        Ok(sandbox)
    }

    /// The report on the rights that the confined process could give away.
    pub fn report(&self) -> &RightsReport {
        &self.report
    }

    /// Ends everything that was ever started in it, whatever that did to get away, and says when it is gone: whether so, and
    /// nothing of it is left in memory either. It is not said if the sandbox is lost meanwhile.
    pub fn clear(&self, on_clear: OnClear) {
        let mut programs = locked(&self.link.programs);
        // Mostly it is known from the end of the program.
        if programs.clean && programs.lost.is_none() {
            drop(programs);
            return on_clear(true);
        }
        if programs.lost.is_some() {
            return;
        }
        programs.clearing = Some(on_clear);
        drop(programs);
        self.link.send(line(&Order::Clear), Vec::new());
    }

    /// Starts a program. Its end, or why there is none, is told once; the program should be kept until then.
    pub fn launch(&self, program: &Program, streams: Streams, on_end: OnEnd) -> ConfinedProgram {
        let id = self.link.expect(on_end);
        if let Some(id) = id {
            let order = line(&Order::Start(id, Cow::Borrowed(program)));
            let Streams {
                stdin,
                stdout,
                stderr,
            } = streams;
            self.link.send(order, vec![stdin, stdout, stderr]);
        }
        ConfinedProgram {
            link: Arc::clone(&self.link),
            id,
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Its sign to end. Answers can still come.
        let _ = self.link.socket.shutdown(Shutdown::Write);
        let _ = locked(&self.closed).recv_timeout(END);
        self.link.kill();
        let mut process = locked(&self.link.process);
        let began = Instant::now();
        while matches!(process.try_wait(), Ok(None)) {
            if began.elapsed() > END {
                let _ = process.kill();
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

/// Sends the rights to keep and waits for the report. An error without a reason is the confined process's own, which it has
/// written to its standard error.
fn exchange(
    socket: &UnixStream,
    receiver: &mut Receiver<UnixStream>,
    rights: &Rights,
) -> Result<RightsReport, Option<&'static str>> {
    let told = socket::send_all(socket, &line(rights), &[]);
    let waits = |time| socket.set_read_timeout(time).map_err(|_| None);
    waits(Some(START))?;
    let report = receiver.next_line().map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => Some("it does not report"),
        _ => None,
    })?;
    waits(None)?;
    let (Some(report), Ok(())) = (report, told) else {
        return Err(None);
    };
    serde_json::from_slice(&report).map_err(|_| Some("its report makes no sense"))
}

/// Its standard error before it ended.
fn complaint(stderr: Option<ChildStderr>) -> String {
    let mut said = vec![0; 1 << 10];
    let length = stderr.and_then(|mut stderr| {
        // Something that it has started may hold the pipe open.
        let mut waiting = [PollFd::new(&stderr, PollFlags::IN)];
        poll(&mut waiting, Some(&COMPLAINT)).ok()?;
        let readable = waiting[0].revents().contains(PollFlags::IN);
        readable.then(|| stderr.read(&mut said).unwrap_or(0))
    });
    let said = String::from_utf8_lossy(&said[..length.unwrap_or(0)]);
    match said.trim() {
        "" => "it ended without a report".into(),
        said => said.into(),
    }
}

/// A program in a sandbox. Dropping it kills what is left of its process group.
#[derive(Debug)]
pub struct ConfinedProgram {
    link: Arc<SandboxLink>,
    /// `None` if the sandbox was gone before it could be asked.
    id: Option<ProgramId>,
}

impl ConfinedProgram {
    /// Asks every member of its group to end.
    pub fn terminate(&self) {
        if let Some(id) = self.id.filter(|id| self.link.is_known(*id)) {
            self.link.send(line(&Order::Terminate(id)), Vec::new());
        }
    }

    /// Kills every member of its group.
    pub fn kill(&self) {
        if let Some(id) = self.id.filter(|id| self.link.is_killed(*id)) {
            self.link.send(line(&Order::Kill(id)), Vec::new());
        }
    }

    /// Gives the whole sandbox up because this program's end was not told in time: the program may have stopped the
    /// confined process. Does nothing if it was told.
    pub fn give_up(&self) {
        if self.id.is_some_and(|id| self.link.is_awaited(id)) {
            self.link.lose(SILENT);
            self.link.kill();
        }
    }
}

impl Drop for ConfinedProgram {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The link that the handles to a sandbox and to its programs share.
#[derive(Debug)]
struct SandboxLink {
    socket: UnixStream,
    process: Mutex<Child>,
    programs: Mutex<Programs>,
    /// The way for orders once there was no room for one: to a thread that waits for room.
    backlog: Mutex<Option<mpsc::Sender<Packet>>>,
}

/// A message with its descriptors.
type Packet = (Vec<u8>, Vec<OwnedFd>);

#[derive(Default)]
struct Programs {
    /// The number of the last program.
    last: ProgramId,
    /// Whom to tell of an end; `None` for a program that has ended while others of its group live on.
    known: HashMap<ProgramId, Option<OnEnd>>,
    /// Nothing is left of anything that was started.
    clean: bool,
    /// Whom to tell that everything is gone.
    clearing: Option<OnClear>,
    lost: Option<&'static str>,
}

impl std::fmt::Debug for Programs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Programs")
            .field("known", &self.known.keys())
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

impl SandboxLink {
    /// A number for a program whose end will be told. Without a confined process there is none, which is told at once.
    fn expect(&self, on_end: OnEnd) -> Option<ProgramId> {
        let mut programs = locked(&self.programs);
        if let Some(reason) = programs.lost {
            drop(programs);
            on_end(Err(Failure::Lost(reason)));
            return None;
        }
        programs.clean = false;
        programs.last += 1;
        let id = programs.last;
        programs.known.insert(id, Some(on_end));
        Some(id)
    }

    fn is_known(&self, id: ProgramId) -> bool {
        locked(&self.programs).known.contains_key(&id)
    }

    fn is_awaited(&self, id: ProgramId) -> bool {
        matches!(locked(&self.programs).known.get(&id), Some(Some(_)))
    }

    /// Returns true if a kill has somebody to reach. For who is left of a program that has ended, it is the last order.
    fn is_killed(&self, id: ProgramId) -> bool {
        let known = &mut locked(&self.programs).known;
        match known.get(&id) {
            Some(Some(_)) => true,
            Some(None) => known.remove(&id).is_some(),
            None => false,
        }
    }

    /// Sends a message without waiting. If nobody takes it, nobody answers, and that is noticed where answers are read.
    fn send(&self, bytes: Vec<u8>, descriptors: Vec<OwnedFd>) {
        let mut backlog = locked(&self.backlog);
        let mut packet = (bytes, descriptors);
        if backlog.is_none() {
            let borrowed: Vec<BorrowedFd<'_>> = packet.1.iter().map(AsFd::as_fd).collect();
            let sent = socket::send(&self.socket, &packet.0, &borrowed, SendFlags::DONTWAIT);
            match sent {
                Ok(sent) if sent == packet.0.len() => return,
                // The descriptors went with the first byte.
                Ok(sent) => packet = (packet.0.split_off(sent), Vec::new()),
                Err(Errno::AGAIN) => {}
                Err(_) => return,
            }
            *backlog = self.start_backlog();
        }
        match &*backlog {
            Some(backlog) => drop(backlog.send(packet)),
            None => self.kill(),
        }
    }

    fn start_backlog(&self) -> Option<mpsc::Sender<Packet>> {
        let socket = self.socket.try_clone().ok()?;
        let (backlog, packets) = mpsc::channel::<Packet>();
        let thread = std::thread::Builder::new().name("charmer-sandbox-out".into());
        let started = thread.spawn(move || {
            for (bytes, descriptors) in packets {
                let borrowed: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
                if socket::send_all(&socket, &bytes, &borrowed).is_err() {
                    return;
                }
            }
        });
        started.ok().map(|_| backlog)
    }

    fn told(&self, ending: Ending) {
        let (id, end, left) = match ending {
            Ending::Ended {
                id,
                status,
                left,
                clean,
            } => {
                locked(&self.programs).clean = clean;
                (id, Ok(ExitStatus::from_raw(status)), left)
            }
            Ending::NotStarted { id, errno, reason } => {
                let error =
                    errno.map_or_else(|| io::Error::other(reason), io::Error::from_raw_os_error);
                (id, Err(Failure::NotStarted(error)), false)
            }
            Ending::Cleared(clean) => {
                let on_clear = locked(&self.programs).clearing.take();
                return on_clear.into_iter().for_each(|tell| tell(clean));
            }
        };
        let mut programs = locked(&self.programs);
        let on_end = match left {
            true => programs.known.get_mut(&id).and_then(Option::take),
            false => programs.known.remove(&id).flatten(),
        };
        drop(programs);
        if let Some(on_end) = on_end {
            on_end(end);
        }
    }

    /// From now on there is no confined process. Whoever waits is told.
    fn lose(&self, reason: &'static str) {
        let mut programs = locked(&self.programs);
        let reason = *programs.lost.get_or_insert(reason);
        let known = std::mem::take(&mut programs.known);
        // Whoever waits for it learns that nobody will tell.
        let clearing = programs.clearing.take();
        drop(programs);
        drop(clearing);
        for on_end in known.into_values().flatten() {
            on_end(Err(Failure::Lost(reason)));
        }
    }

    /// Has the keeper end the confined process: nobody is there any more to tell it anything.
    fn kill(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

/// Passes on what is told until there is no more. Says why.
fn read_endings(link: &SandboxLink, mut receiver: Receiver<UnixStream>) -> &'static str {
    loop {
        let ending = match receiver.next_line() {
            Ok(Some(line)) => serde_json::from_slice(&line).map_err(io::Error::from),
            Ok(None) => return ENDED,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return ENDED,
            Err(error) => Err(error),
        };
        match ending {
            Ok(ending) => link.told(ending),
            Err(_) => {
                link.kill();
                return NONSENSE;
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
