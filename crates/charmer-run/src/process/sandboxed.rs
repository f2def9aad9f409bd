//! Programs with fewer rights than this process: started through a sandbox, or from a thread that has lost them.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use charmer_core::model::Network;
use charmer_sandbox::{
    ConfinedProgram, Failure, Program, Readable, Rights, Sandbox, Streams, confine_thread,
};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::oneshot,
};

use crate::{CallError, Confined, ConfinedBy, ErrorCode, Writable};

use super::{
    Launcher, Request, StartWay,
    diagnose::start_error,
    pool::{ConfinedPool, Lease},
    running::{Process, Running},
};

/// The longest time that a sandbox may take to tell of the end of a program that it was told to kill.
const PATIENCE: Duration = Duration::from_secs(5);

/// Variables by which programs find the folder for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// The way the programs of a launcher are confined: by one of these processes, with these rights.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Confinement {
    /// The pool that the processes come from.
    pub pool: Arc<ConfinedPool>,
    /// The rights of programs, besides writing to a scratch folder of their own, in which temporary files go.
    pub rights: Arc<Rights>,
    /// Variables that are set for them.
    pub variables: Vec<(OsString, OsString)>,
    /// Nothing that may write is offered beside them.
    pub read_only: bool,
    /// A person has said where they may write.
    pub writable: bool,
}

impl Confinement {
    /// Programs that keep only these rights.
    pub fn new(pool: Arc<ConfinedPool>, rights: Rights) -> Self {
        Self {
            pool,
            rights: Arc::new(rights),
            variables: Vec::new(),
            read_only: false,
            writable: false,
        }
    }

    /// Sets variables for them.
    #[must_use]
    pub fn variables(mut self, variables: Vec<(OsString, OsString)>) -> Self {
        self.variables = variables;
        self
    }

    /// Sets whether a person has said where they may write.
    #[must_use]
    pub fn writable(mut self, said: bool) -> Self {
        self.writable = said;
        self
    }

    /// Sets whether nothing that may write is offered beside them.
    #[must_use]
    pub fn read_only(mut self, only: bool) -> Self {
        self.read_only = only;
        self
    }

    /// The error for a program that was not run because it would not have been confined.
    fn cannot_be_had(&self, reason: &str) -> CallError {
        let (kept, hint) = match self.writable {
            false => (
                "kept from writing",
                "the server's option `--confine names` lets the names of commands and flags decide instead",
            ),
            true => (
                "kept to the places in `writable`",
                "without `writable` in charmer.yaml it may write anywhere",
            ),
        };
        CallError::refused(format!(
            "it cannot be {kept} here, so it was not run: {reason}"
        ))
        .hint(hint)
    }
}

impl Launcher {
    /// The same launcher, whose programs a sandbox starts. Their folder must be a path that means the same there, which
    /// one in `/proc/self` does not.
    #[must_use]
    pub fn through(&self, sandbox: Arc<Sandbox>) -> Self {
        let way = StartWay::Sandbox(sandbox);
        self.by(way.clone(), way)
    }

    /// The same launcher, whose programs are confined when they are meant to read only.
    #[must_use]
    pub fn reading(&self, confinement: Confinement) -> Self {
        self.by(StartWay::Pool(confinement), self.0.writes.clone())
    }

    /// The same launcher, whose programs are confined when they may write.
    #[must_use]
    pub fn writing(&self, confinement: Confinement) -> Self {
        self.by(self.0.reads.clone(), StartWay::Pool(confinement))
    }

    /// The way a run is confined, if it is by a process of its own.
    pub fn confinement(&self, reads: bool) -> Option<&Confinement> {
        let way = match reads {
            true => &self.0.reads,
            false => &self.0.writes,
        };
        match way {
            StartWay::Pool(confinement) => Some(confinement),
            _ => None,
        }
    }

    /// The same launcher, whose programs keep only these rights, and that to read their own file. Each is started from a
    /// thread made for it, which has lost the others; where that is impossible, nothing is started.
    #[must_use]
    pub fn confined_to(&self, rights: Rights) -> Self {
        let way = StartWay::Thread(rights);
        self.by(way.clone(), way)
    }

    /// Hands a program over to a confined process that nobody else has meanwhile.
    pub(super) async fn start_confined(
        &self,
        confinement: &Confinement,
        request: &Request,
    ) -> Result<Running, CallError> {
        let Confinement { pool, rights, .. } = confinement;
        let lease = pool.lease(rights, &request.principal).await;
        let lease = lease.map_err(|reason| confinement.cannot_be_had(&reason))?;
        let (Some(sandbox), Some(scratch)) = (lease.sandbox(), lease.scratch()) else {
            return Err(not_started("there is no confined process".into()));
        };
        let mut running = self.start_with(sandbox, scratch, &confinement.variables, request)?;
        if let Process::Sandboxed(program) = &mut running.process {
            program.lease = Some(lease);
        }
        Ok(running)
    }

    /// Hands a program over to a sandbox with a scratch folder and variables of its own.
    fn start_with(
        &self,
        sandbox: &Sandbox,
        scratch: &Path,
        variables: &[(OsString, OsString)],
        request: &Request,
    ) -> Result<Running, CallError> {
        let temporary = TEMPORARY.map(|name| (name.into(), scratch.into()));
        let mut request = request.clone();
        request.place.variables.extend(temporary);
        request.place.variables.extend(variables.iter().cloned());
        self.start_in(sandbox, &request)
    }

    /// The same with a process that was made for this run.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    pub(super) fn start_drafted(
        &self,
        lease: &super::DraftLease,
        request: &Request,
    ) -> Result<Running, CallError> {
        let Some(own) = lease.take() else {
            return Err(not_started("there is no confined process".into()));
        };
        let (Some(sandbox), Some(scratch)) = (own.sandbox(), own.scratch()) else {
            return Err(not_started("there is no confined process".into()));
        };
        let mut running = self.start_with(sandbox, scratch, &lease.variables, request)?;
        if let Process::Sandboxed(program) = &mut running.process {
            program.lease = Some(own);
        }
        Ok(running)
    }

    /// Hands a program over to a sandbox, with one end of each pipe. Whether it could be started is learned where its
    /// end is waited for.
    pub(super) fn start_in(
        &self,
        sandbox: &Sandbox,
        request: &Request,
    ) -> Result<Running, CallError> {
        let here = || Path::new(".").canonicalize();
        let folder = self.folder(request).map(Path::to_owned);
        let folder = folder.map_or_else(here, Ok);
        let folder =
            folder.map_err(|error| not_started(format!("no folder to start it in: {error}")))?;
        let environment = self.variables(request);
        let program = Program {
            program: self.program(request).to_owned(),
            argv: request.argv.clone(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            folder,
            folder_id: request.place.folder.as_ref().and_then(|held| held.id()),
        };
        let (streams, pipes) = pipes(request.stdin.is_some())
            .map_err(|error| not_started(format!("no pipes to it: {error}")))?;
        let (tell, told) = oneshot::channel();
        let on_end = Box::new(move |end| drop(tell.send(end)));
        let group = SandboxedGroup(Arc::new(GroupState {
            program: sandbox.launch(&program, streams, on_end),
            killed: OnceLock::new(),
        }));
        Ok(Running {
            stdin: pipes.stdin,
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            process: Process::Sandboxed(SandboxedEnd {
                group,
                told,
                program: program.program,
                folder: program.folder,
                lease: None,
            }),
            mark: None,
        })
    }

    /// Starts a program from a thread that has lost its rights. A thread of the runtime's could not get them back.
    pub(super) async fn start_from_thread(
        &self,
        rights: &Rights,
        request: &Request,
    ) -> Result<Running, CallError> {
        let (launcher, request, mut rights) = (self.clone(), request.clone(), rights.clone());
        if let Readable::Installed(files) = &mut rights.readable {
            files.push(self.program(&request).to_owned());
        }
        let runtime = tokio::runtime::Handle::current();
        let (answer, started) = oneshot::channel();
        let thread = std::thread::Builder::new().name("confined start".into());
        let spawned = thread.spawn(move || {
            let _inside = runtime.enter();
            let started = confine_thread(&rights)
                .map_err(|reason| {
                    CallError::refused(format!("the program cannot be confined here: {reason}"))
                })
                .and_then(|()| launcher.start(&request));
            // Nobody waits for it any more, and no supervisor has it.
            if let Err(Ok(running)) = answer.send(started) {
                running.members().kill();
            }
        });
        let failed = |detail: String| not_started(format!("no thread to start it from: {detail}"));
        spawned.map_err(|error| failed(error.to_string()))?;
        started.await.map_err(|_| failed("it panicked".into()))?
    }
}

/// The confinement of a program with these rights.
pub(super) fn confined(rights: &Rights) -> Confined {
    let is_everything = rights.folders.iter().any(|folder| folder == Path::new("/"));
    Confined {
        by: ConfinedBy::Kernel,
        network: match rights.network {
            charmer_sandbox::NetworkRight::All => Network::All,
            charmer_sandbox::NetworkRight::Tcp => Network::Tcp,
            charmer_sandbox::NetworkRight::Socket => Network::Socket,
            charmer_sandbox::NetworkRight::None => Network::None,
        },
        writable: match is_everything {
            true => Writable::Anywhere,
            false => Writable::Only(rights.folders.clone()),
        },
    }
}

/// This process's ends of the pipes to a program.
struct Pipes {
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

/// Makes the pipes to a program, and its own ends of them.
fn pipes(feeds: bool) -> io::Result<(Streams, Pipes)> {
    let (stdout, stdout_end) = io::pipe()?;
    let (stderr, stderr_end) = io::pipe()?;
    let (stdin_end, stdin) = if feeds {
        let (stdin_end, stdin) = io::pipe()?;
        (stdin_end.into(), Some(stdin))
    } else {
        (File::open("/dev/null")?.into(), None)
    };
    let streams = Streams {
        stdin: stdin_end,
        stdout: stdout_end.into(),
        stderr: stderr_end.into(),
    };
    let stdin = stdin.map(|stdin| ChildStdin::from_std(into_handle(stdin).into()));
    let pipes = Pipes {
        stdin: stdin.transpose()?,
        stdout: ChildStdout::from_std(into_handle(stdout).into())?,
        stderr: ChildStderr::from_std(into_handle(stderr).into())?,
    };
    Ok((streams, pipes))
}

#[cfg(unix)]
fn into_handle(pipe: impl Into<std::os::fd::OwnedFd>) -> std::os::fd::OwnedFd {
    pipe.into()
}

#[cfg(windows)]
fn into_handle(
    pipe: impl Into<std::os::windows::io::OwnedHandle>,
) -> std::os::windows::io::OwnedHandle {
    pipe.into()
}

/// The process group of a program in a sandbox.
#[derive(Debug, Clone)]
pub(super) struct SandboxedGroup(Arc<GroupState>);

#[derive(Debug)]
struct GroupState {
    program: ConfinedProgram,
    /// The moment at which it was first told to kill it.
    killed: OnceLock<Instant>,
}

impl SandboxedGroup {
    pub(super) fn terminate(&self) {
        self.0.program.terminate();
    }

    pub(super) fn kill(&self) {
        self.0.killed.get_or_init(Instant::now);
        self.0.program.kill();
    }
}

/// A program in a sandbox whose end is waited for.
#[derive(Debug)]
pub(super) struct SandboxedEnd {
    group: SandboxedGroup,
    told: oneshot::Receiver<Result<ExitStatus, Failure>>,
    program: PathBuf,
    folder: PathBuf,
    /// The process that runs it, if that is this run's alone.
    lease: Option<Lease>,
}

impl SandboxedEnd {
    /// Ends what has left the program's group.
    pub(super) async fn clear(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.clear().await;
        }
    }

    pub(super) fn group(&self) -> SandboxedGroup {
        self.group.clone()
    }

    /// Waits for its end. A sandbox that does not tell of it although it was told to kill the program is given up: the
    /// program may have stopped it.
    pub(super) async fn wait(&mut self) -> Result<ExitStatus, CallError> {
        let shared = &self.group.0;
        let overdue = async {
            match shared.killed.get() {
                Some(killed) => tokio::time::sleep_until((*killed + PATIENCE).into()).await,
                None => std::future::pending().await,
            }
        };
        let told = tokio::select! {
            told = &mut self.told => told,
            () = overdue => {
                shared.program.give_up();
                (&mut self.told).await
            }
        };
        match told {
            Ok(Ok(status)) => Ok(status),
            Ok(Err(Failure::NotStarted(error))) => {
                Err(start_error(&error, &self.program, Some(&self.folder)))
            }
            Ok(Err(Failure::Lost(reason))) => Err(not_started(reason.into())),
            // Whoever was to tell drops its promise only unfulfilled if it panicked.
            Err(_) => Err(not_started("nobody knows what became of it".into())),
        }
    }
}

fn not_started(reason: String) -> CallError {
    CallError::new(ErrorCode::NotStarted, reason)
}
