//! Running one program: an absolute path, an argv that is a list, a decided environment, null or declared standard
//! input, a process group of its own, and a supervisor that outlives whoever waits for it.

mod capture;
mod companion;
mod diagnose;
mod engine;
mod environment;
mod gate;
mod guardian;
#[cfg(unix)]
#[path = "unix.rs"]
mod os;
#[cfg(windows)]
#[path = "windows.rs"]
mod os;
mod sink;
mod supervise;

pub use capture::Captured;
pub(crate) use capture::{begun_character, continued_character};
pub use companion::start_companion;
pub use diagnose::resolve_program;
pub use engine::{Engine, EngineOptions};
pub use environment::Environment;
pub use gate::Lane;
pub use guardian::{GuardianCommand, guard, new_mark};
pub use os::harden;

use std::{ffi::OsString, fmt, path::PathBuf, process::Stdio, sync::Arc, time::Instant};

use tokio::{process::Child, sync::oneshot};
use tokio_util::sync::CancellationToken;

use crate::{CallError, ErrorCode, Limits, Outcome, Place, Progress};

/// The variable that tells a process that it is a child of a bridge, and which server's.
pub const MARK: &str = "CHARMER_TOOL";
/// The variable that tells a program that an assistant is using it, so that it can skip prompts.
pub const MODE: &str = "MCP_MODE";

/// What is run for one call.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// The command line, without the program.
    pub argv: Vec<OsString>,
    /// What the program reads from its standard input; nothing by default.
    pub stdin: Option<Vec<u8>>,
    /// How long and large the run may become.
    pub limits: Limits,
    /// Where it reports how far it is.
    pub progress: Progress,
    /// Where it runs, if that is not the launcher's to say.
    pub place: Place,
}

impl Request {
    /// A run with this command line.
    pub fn new(argv: Vec<OsString>, limits: Limits) -> Self {
        Self {
            argv,
            limits,
            ..Self::default()
        }
    }

    /// Gives the program something to read.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets where it reports to.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Sets where it runs.
    #[must_use]
    pub fn place(mut self, place: Place) -> Self {
        self.place = place;
        self
    }
}

/// Takes rights away from the thread that a child is started from, or says why that is impossible. The child inherits
/// what is left; the thread is a fresh one that ends right after.
pub type Confine = Arc<dyn Fn() -> Result<(), CallError> + Send + Sync>;

/// Starts one program, always in the same way.
#[derive(Debug, Clone)]
pub struct Launcher(Arc<Launch>);

struct Launch {
    program: PathBuf,
    environment: Environment,
    directory: Option<PathBuf>,
    engine: Engine,
    confine: Option<Confine>,
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("directory", &self.directory)
            .field("confined", &self.confine.is_some())
            .finish_non_exhaustive()
    }
}

impl Launcher {
    /// Starts the program at this absolute path; see [`resolve_program`].
    pub fn new(
        program: PathBuf,
        environment: Environment,
        directory: Option<PathBuf>,
        engine: Engine,
    ) -> Self {
        Self(Arc::new(Launch {
            program,
            environment,
            directory,
            engine,
            confine: None,
        }))
    }

    /// The same launcher, whose children have only the rights that this leaves them.
    #[must_use]
    pub fn confined_by(&self, confine: Confine) -> Self {
        let launch = &*self.0;
        Self(Arc::new(Launch {
            program: launch.program.clone(),
            environment: launch.environment.clone(),
            directory: launch.directory.clone(),
            engine: launch.engine.clone(),
            confine: Some(confine),
        }))
    }

    /// Runs the program to its end. Dropping the future cancels the run; the supervisor still ends the program and
    /// collects it.
    pub async fn run(
        &self,
        mut request: Request,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        let asked = Instant::now();
        // A token of our own, so that dropping this future says "cancel" without cancelling anybody else.
        let cancel = cancel.child_token();
        let _cancels_when_dropped = cancel.clone().drop_guard();
        let engine = &*self.0.engine.0;
        let pass = engine
            .gate
            .enter(
                request.limits.lane.as_ref(),
                request.limits.timeout,
                &cancel,
            )
            .await?;
        // Waiting for a place was part of the time that the call may take.
        request.limits.timeout = request.limits.timeout.saturating_sub(asked.elapsed());
        if let Some(guardian) = &engine.guardian {
            guardian.wake();
        }
        let child = match &self.0.confine {
            Some(confine) => self.start_confined(&request, confine).await?,
            None => self.start(&request)?,
        };
        let (answer, outcome) = oneshot::channel();
        supervise::supervise(&self.0.engine, child, request, cancel, pass, answer);
        outcome.await.map_err(|_| {
            CallError::new(
                ErrorCode::Internal,
                "the supervisor of this run ended without an answer",
            )
        })
    }

    /// Starts the child from a thread that has lost its rights. A thread of the runtime's could not get them back.
    async fn start_confined(
        &self,
        request: &Request,
        confine: &Confine,
    ) -> Result<Child, CallError> {
        let (launcher, request, confine) = (self.clone(), request.clone(), Arc::clone(confine));
        let runtime = tokio::runtime::Handle::current();
        let (answer, started) = oneshot::channel();
        let thread = std::thread::Builder::new().name("confined start".into());
        let spawned = thread.spawn(move || {
            let _inside = runtime.enter();
            let child = confine().and_then(|()| launcher.start(&request));
            // Nobody waits for it any more, and no supervisor has it.
            if let Err(Ok(child)) = answer.send(child) {
                os::Group::of(&child).kill();
            }
        });
        let failed = |detail: String| {
            CallError::new(
                ErrorCode::NotStarted,
                format!("no thread to start it from: {detail}"),
            )
        };
        spawned.map_err(|error| failed(error.to_string()))?;
        started.await.map_err(|_| failed("it panicked".into()))?
    }

    fn start(&self, request: &Request) -> Result<Child, CallError> {
        let (launch, place) = (&*self.0, &request.place);
        let program = place.program.as_ref().unwrap_or(&launch.program);
        let folder = place.folder.as_ref().or(launch.directory.as_ref());
        let variables = place.variables.iter().map(|(name, value)| (name, value));
        let mut command = tokio::process::Command::new(program);
        command
            .args(&request.argv)
            .env_clear()
            .envs(launch.environment.iter())
            .envs(variables)
            .stdin(if request.stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        os::own_group(&mut command);
        let folder = folder.map(PathBuf::as_path);
        command
            .spawn()
            .map_err(|error| diagnose::start_error(&error, program, folder))
    }
}
