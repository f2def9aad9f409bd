//! Running one program: an absolute path, an argv that is a list, a decided environment, null or declared standard
//! input, a process group of its own, and a supervisor that outlives whoever waits for it.

#[cfg(feature = "sandbox")]
mod advice;
mod capture;
mod diagnose;
mod dialogue;
#[cfg(feature = "drafts")]
mod drafting;
mod engine;
mod environment;
mod gate;
mod guardian;
#[cfg(feature = "sandbox")]
mod hidden_names;
#[cfg(unix)]
#[path = "unix.rs"]
mod os;
#[cfg(windows)]
#[path = "windows.rs"]
mod os;
#[cfg(feature = "sandbox")]
mod pool;
mod running;
#[cfg(feature = "sandbox")]
mod sandboxed;
mod sink;
mod stream;
mod supervise;

pub use capture::Captured;
pub(crate) use capture::{begun_character, continued_character};
pub use diagnose::resolve_program;
pub use dialogue::{Dialogue, HeardLine};
#[cfg(all(feature = "drafts", target_os = "linux"))]
pub(crate) use drafting::DraftLease;
#[cfg(feature = "drafts")]
pub use drafting::Drafting;
pub use engine::{Engine, EngineOptions, PrincipalVariables};
pub use environment::Environment;
pub use gate::ConcurrencyGroup;
pub use guardian::{GuardianCommand, guard, new_mark};
pub use os::harden;
#[cfg(feature = "sandbox")]
pub use pool::ConfinedPool;
#[cfg(feature = "sandbox")]
pub use sandboxed::Confinement;
pub(crate) use sink::LiveStream;

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Instant,
};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{
    CallError, Confined, ErrorCode, LOCAL, Limits, LiveRun, Outcome, Progress, RunPlace, folder,
};

use self::running::Running;

/// The variable that tells a process that it is a child of a bridge, and which server's.
pub const MARK: &str = "CHARMER_TOOL";
/// The number of runs so far, by which each has a mark of its own.
static RUNS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
/// The variable that tells a program that an assistant is using it, so that it can skip prompts.
pub const MODE: &str = "MCP_MODE";

/// The words of [`harden`] where a server keeps its terminal.
pub const KEEPS_TERMINAL: &str =
    "children could ask on this terminal, because this server leads its process group";

/// The program that is run for one call, with its bounds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The command line, without the program.
    pub argv: Vec<OsString>,
    /// The bytes that the program reads from its standard input; none by default.
    pub stdin: Option<Vec<u8>>,
    /// The limits on the time and size of the run.
    pub limits: Limits,
    /// The receiver of reports on how far it is.
    pub progress: Progress,
    /// The onlookers while it runs.
    pub live: LiveRun,
    /// The folder that it runs in, if that is not the launcher's to say.
    pub place: RunPlace,
    /// The folder that it runs in by its path alone: to a program with a view of its own it looks like another one.
    pub(crate) folder: Option<PathBuf>,
    /// Whom its output belongs to.
    pub principal: Arc<str>,
    /// It is meant to read only.
    pub reads: bool,
    /// Its output is for the bridge alone: it is kept as it was written, and nowhere on disk.
    pub private: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            argv: Vec::new(),
            stdin: None,
            limits: Limits::default(),
            progress: Progress::default(),
            live: LiveRun::default(),
            place: RunPlace::default(),
            folder: None,
            principal: LOCAL.into(),
            reads: false,
            private: false,
        }
    }
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

    /// Sets who looks on while it runs.
    #[must_use]
    pub fn live(mut self, live: LiveRun) -> Self {
        self.live = live;
        self
    }

    /// Sets whether it is meant to read only.
    #[must_use]
    pub fn reads(mut self, reads: bool) -> Self {
        self.reads = reads;
        self
    }

    /// Says that its output is for the bridge alone.
    #[cfg(feature = "hook-programs")]
    #[must_use]
    pub(crate) fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Sets whom its output belongs to.
    #[must_use]
    pub fn principal(mut self, principal: Arc<str>) -> Self {
        self.principal = principal;
        self
    }

    /// Sets where it runs.
    #[must_use]
    pub fn place(mut self, place: RunPlace) -> Self {
        self.place = place;
        self
    }
}

/// The way a run would be started.
pub(crate) struct Planned {
    /// The program, as people type it.
    pub(crate) program: String,
    pub(crate) folder: PathBuf,
    pub(crate) confinement: Confined,
}

/// Starts one program, always in the same way.
#[derive(Debug, Clone)]
pub struct Launcher(Arc<Launch>);

struct Launch {
    program: PathBuf,
    environment: Environment,
    directory: Option<PathBuf>,
    engine: Engine,
    /// The starter of runs that are meant to read only.
    reads: StartWay,
    /// The starter of all others.
    writes: StartWay,
    /// The way that drafts are run, where there are any.
    #[cfg(feature = "drafts")]
    drafts: Option<Drafting>,
}

/// The starter of a program.
#[derive(Debug, Clone)]
enum StartWay {
    /// This process.
    Plain,
    /// A thread of this process that has lost its rights.
    #[cfg(feature = "sandbox")]
    Thread(charmer_sandbox::Rights),
    /// A process that has lost them.
    #[cfg(feature = "sandbox")]
    Sandbox(Arc<charmer_sandbox::Sandbox>),
    /// One of several such processes, which is this run's alone.
    #[cfg(feature = "sandbox")]
    Pool(Confinement),
    /// A process that was made for this run.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    Leased(DraftLease),
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("directory", &self.directory)
            .field("reads", &self.reads)
            .field("writes", &self.writes)
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
            reads: StartWay::Plain,
            writes: StartWay::Plain,
            #[cfg(feature = "drafts")]
            drafts: None,
        }))
    }

    /// A launcher whose programs run in another folder, started by this process.
    #[cfg(feature = "hook-programs")]
    pub(crate) fn in_folder(&self, folder: PathBuf) -> Self {
        let launch = &*self.0;
        Self::new(
            launch.program.clone(),
            launch.environment.clone(),
            Some(folder),
            launch.engine.clone(),
        )
    }

    /// The same launcher, with programs that are started in these ways.
    #[cfg(feature = "sandbox")]
    fn by(&self, reads: StartWay, writes: StartWay) -> Self {
        let launch = &*self.0;
        Self(Arc::new(Launch {
            program: launch.program.clone(),
            environment: launch.environment.clone(),
            directory: launch.directory.clone(),
            engine: launch.engine.clone(),
            reads,
            writes,
            #[cfg(feature = "drafts")]
            drafts: launch.drafts.clone(),
        }))
    }

    fn way(&self, request: &Request) -> &StartWay {
        match request.reads {
            true => &self.0.reads,
            false => &self.0.writes,
        }
    }

    /// Runs the program to its end. Dropping the future cancels the run; the supervisor still ends the program and
    /// collects it.
    pub async fn run(
        &self,
        request: Request,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        let way = self.way(&request);
        self.run_by(way, request, cancel).await
    }

    async fn run_by(
        &self,
        way: &StartWay,
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
                request.limits.concurrency_group.as_ref(),
                request.limits.timeout,
                &cancel,
            )
            .await?;
        // Waiting for a place was part of the time that the call may take.
        request.limits.timeout = request.limits.timeout.saturating_sub(asked.elapsed());
        // What is the bridge's own runs for nobody.
        if let Some(variables) = engine.variables.as_ref().filter(|_| !request.private) {
            let own = variables.of(&request.principal)?;
            request.place.variables.extend(own);
        }
        if let Some(guardian) = &engine.guardian {
            guardian.wake();
        }
        let others_run = !engine.supervisors.is_empty();
        // Held until the supervisor has it: the end of the server waits for what is being started.
        let starting = engine.supervisors.token();
        let running = match way {
            StartWay::Plain if others_run => self.start_beside(&request).await?,
            StartWay::Plain => self.start(&request)?,
            #[cfg(feature = "sandbox")]
            StartWay::Thread(rights) => self.start_from_thread(rights, &request).await?,
            #[cfg(feature = "sandbox")]
            StartWay::Sandbox(sandbox) => self.start_in(sandbox, &request)?,
            #[cfg(feature = "sandbox")]
            StartWay::Pool(confinement) => self.start_confined(confinement, &request).await?,
            #[cfg(all(feature = "drafts", target_os = "linux"))]
            StartWay::Leased(lease) => self.start_drafted(lease, &request)?,
        };
        let (answer, outcome) = oneshot::channel();
        supervise::supervise(&self.0.engine, running, request, cancel, pass, answer);
        drop(starting);
        outcome.await.map_err(|_| {
            CallError::new(
                ErrorCode::Internal,
                "the supervisor of this run ended without an answer",
            )
        })?
    }

    /// Starts the program from another thread, as is worth it when others run: a start takes until the child has got its
    /// turn on a busy machine, and meanwhile nobody else would be served.
    async fn start_beside(&self, request: &Request) -> Result<Running, CallError> {
        let (launcher, request) = (self.clone(), request.clone());
        let (answer, started) = oneshot::channel();
        let work: Box<dyn FnOnce() + Send> = Box::new(move || {
            // Nobody waits for it any more, and no supervisor has it.
            if let Err(Ok(running)) = answer.send(launcher.start(&request)) {
                running.members().kill();
            }
        });
        self.0.engine.0.supervisors.spawn_blocking(work);
        started.await.unwrap_or_else(|_| {
            let message = "the thread that was to start it panicked";
            Err(CallError::new(ErrorCode::NotStarted, message))
        })
    }

    /// The program that a run in this place starts.
    #[cfg(feature = "approval")]
    pub(crate) fn program_of<'a>(&'a self, place: &'a RunPlace) -> &'a Path {
        place.program.as_deref().unwrap_or(&self.0.program)
    }

    /// The environment of its runs for a principal.
    #[cfg(feature = "approval")]
    pub(crate) fn variables_of(
        &self,
        principal: &str,
    ) -> Result<Vec<(OsString, OsString)>, CallError> {
        let variables = self.0.engine.0.variables.as_ref();
        let own = variables.map(|variables| variables.of(principal));
        let own = own.transpose()?.unwrap_or_default();
        let all = self.0.environment.iter();
        let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(all.chain(own).collect())
    }

    /// The folder that its runs are in, whatever their callers work in.
    pub(crate) fn fixed_folder(&self) -> Option<&Path> {
        self.0.directory.as_deref()
    }

    /// The way a run would be started, which is not.
    pub(crate) fn planned(&self, place: RunPlace, reads: bool) -> Result<Planned, CallError> {
        let request = Request::default().place(place).reads(reads);
        let folder = self.folder(&request).map(Path::to_owned);
        Ok(Planned {
            program: self.typed(self.program(&request)),
            folder: folder.map_or_else(folder::here, Ok)?,
            confinement: match self.way(&request) {
                StartWay::Plain => Confined::not(reads),
                #[cfg(feature = "sandbox")]
                StartWay::Thread(rights) => sandboxed::confined(rights),
                #[cfg(feature = "sandbox")]
                StartWay::Pool(confinement) => sandboxed::confined(&confinement.rights),
                #[cfg(all(feature = "drafts", target_os = "linux"))]
                StartWay::Leased(_) => unreachable!("it is made when the run is"),
                // What it was started with is not known here; it takes no calls.
                #[cfg(feature = "sandbox")]
                StartWay::Sandbox(_) => sandboxed::confined(&charmer_sandbox::Rights::default()),
            },
        })
    }

    /// Its program as people type it.
    #[cfg(feature = "hook-programs")]
    pub(crate) fn shown_program(&self) -> String {
        self.typed(&self.0.program)
    }

    /// A program as people type it: by its name, if that is found on the search path, else by its path.
    fn typed(&self, program: &Path) -> String {
        let search_path = self.0.environment.get("PATH");
        let search_path: Vec<PathBuf> = search_path
            .map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default();
        let name = program.file_name().map(Path::new);
        let is_found = |name: &&Path| {
            let found = resolve_program(name, &search_path, Path::new("/"));
            found.is_ok_and(|found| found == program)
        };
        let shown = name.filter(is_found).unwrap_or(program);
        shown.to_string_lossy().into_owned()
    }

    fn program<'a>(&'a self, request: &'a Request) -> &'a Path {
        let program = request.place.program.as_ref();
        program.unwrap_or(&self.0.program)
    }

    /// The path of the folder that a run is in; the server's own, if it is not set.
    pub(crate) fn folder<'a>(&'a self, request: &'a Request) -> Option<&'a Path> {
        let held = request.place.folder.as_ref();
        let held = held.map(|held| held.path.as_path());
        let named = request.folder.as_deref();
        held.or(named).or(self.0.directory.as_deref())
    }

    fn variables<'a>(
        &'a self,
        request: &'a Request,
    ) -> impl Iterator<Item = (&'a OsStr, &'a OsStr)> {
        let added = request.place.variables.iter();
        let own = self.0.environment.iter();
        own.chain(added.map(|(name, value)| (name.as_os_str(), value.as_os_str())))
    }

    fn start(&self, request: &Request) -> Result<Running, CallError> {
        let (program, folder) = (self.program(request), self.folder(request));
        let mut command = tokio::process::Command::new(program);
        command
            .args(&request.argv)
            .env_clear()
            .envs(self.variables(request))
            .stdin(if request.stdin.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // A held folder is entered as it was opened: its path may lead elsewhere by now.
        match (&request.place.folder, folder) {
            (Some(held), _) => drop(command.current_dir(held.current_dir())),
            (None, Some(folder)) => drop(command.current_dir(folder)),
            (None, None) => {}
        }
        // A mark of its own, by which what leaves its group is found when it is ended. Probes of several processes have one
        // mark, so that the number alone would not tell their runs apart.
        let mut marks = self.variables(request).filter(|(name, _)| *name == MARK);
        let mark = marks.next().map(|(_, mark)| {
            let number = RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let own = std::process::id();
            format!("{}.{own}.{number}", mark.to_string_lossy())
        });
        command.envs(mark.iter().map(|mark| (MARK, mark)));
        os::own_group(&mut command);
        let started = command.spawn().map(Running::from);
        started
            .map(|running| Running { mark, ..running })
            .map_err(|error| diagnose::start_error(&error, program, folder))
    }
}
