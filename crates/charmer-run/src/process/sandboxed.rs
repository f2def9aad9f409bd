//! Programs with fewer rights than this process: started through a sandbox, or from a thread that has lost them.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use charmer_sandbox::{
    ConfinedProgram, Failure, Program, Readable, Rights, Sandbox, Streams, confine_thread,
};
use tokio::{
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::oneshot,
};

use crate::{CallError, ErrorCode};

use super::{
    Launcher, Request, Way,
    diagnose::start_error,
    running::{Process, Running},
};

/// How long a sandbox may take to tell of the end of a program that it was told to kill.
const PATIENCE: Duration = Duration::from_secs(5);

impl Launcher {
    /// The same launcher, whose programs a sandbox starts. Their folder must be a path that means the same there, which
    /// one in `/proc/self` does not.
    #[must_use]
    pub fn through(&self, sandbox: Arc<Sandbox>) -> Self {
        self.by(Way::Sandbox(sandbox))
    }

    /// The same launcher, whose programs keep only these rights, and that to read their own file. Each is started from a
    /// thread made for it, which has lost the others; where that is impossible, nothing is started.
    #[must_use]
    pub fn confined_to(&self, rights: Rights) -> Self {
        self.by(Way::Thread(rights))
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
        };
        let (streams, pipes) = pipes(request.stdin.is_some())
            .map_err(|error| not_started(format!("no pipes to it: {error}")))?;
        let (tell, told) = oneshot::channel();
        let on_end = Box::new(move |end| drop(tell.send(end)));
        let group = SandboxedGroup(Arc::new(Shared {
            program: sandbox.launch(&program, streams, on_end),
            killed: OnceLock::new(),
        }));
        Ok(Running {
            stdin: pipes.stdin,
            stdout: Some(pipes.stdout),
            stderr: Some(pipes.stderr),
            process: Process::Sandboxed(Awaited {
                group,
                told,
                program: program.program,
                folder: program.folder,
            }),
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
pub(super) struct SandboxedGroup(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    program: ConfinedProgram,
    /// When it was first told to kill it.
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
pub(super) struct Awaited {
    group: SandboxedGroup,
    told: oneshot::Receiver<Result<ExitStatus, Failure>>,
    program: PathBuf,
    folder: PathBuf,
}

impl Awaited {
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
