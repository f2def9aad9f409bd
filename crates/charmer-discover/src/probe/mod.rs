//! Asking a program about itself without letting it do anything: the safe prober.
//!
//! Help that is asked for runs the program, and some programs write, dial or hang even then. So a probe
//! - has a deadline (which grows with how slow the program's own answers are), reads from nowhere, and what it writes is kept only up to a limit;
//! - runs in a process group of its own, and whatever is left of the group at the end is ended: a grandchild that holds
//!   the pipes open neither delays the answer nor survives it;
//! - has a scratch home and works in a scratch folder that is an empty git repository; both go with the last clone of
//!   the [`Prober`], and with the next prober if this process is killed;
//! - sees a narrow environment: where programs are, the language, and where version managers keep theirs (a stub of
//!   rustup or pyenv finds nothing in a scratch home otherwise). Tokens, hosts and configuration are not handed on;
//!   pagers, colours and telemetry are switched off; `MCP_MODE` is never set;
//! - is not made any more when too many before it ran out of time, so that asking comes to an end;
//! - does not see the network, and can write only into the scratch folder, where a sandbox is to be had.
//!
//! The sandbox is for Linux: one process a prober (see [`charmer_sandbox`]) gives its rights away; then it starts the programs, which inherit what it has lost. So a probe costs hardly more
//! than its program. What of it is not to be had it reports when it starts, before any program runs, and
//! [`ProbeOptions::on_shortcoming`] and [`Prober::shortcomings`] say it; probes go on without. What was to be had then is never done without later: where the sandbox is lost, programs are not
//! started any more. Probes with the user's real home are made only where Landlock keeps that read-only.
//!
//! The sandbox ends with the process that started it, and all that it runs with it: programs do not survive a prober
//! whose process is killed.
//!
//! What a program prints is read within bounds, so that no text takes long: see `bounds`. A reading can be ended from
//! outside at any time: see [`ProbeStop`].
//!
//! What the sandbox does not cover: reading. A probed program reads what the user may read, and could put it into its
//! help. A process that leaves its group (`setsid`) outlives its probe, but not its sandbox. The number of files that a
//! program writes into the scratch folder has no bound.
//!
//! ```
//! # #[cfg(unix)]
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use charmer_discover::probe::{ProbeOptions, Prober};
//! let prober = Prober::new("/bin/sh".into(), ProbeOptions::default())?;
//! let answer = prober.run(&["-c", "echo $HOME; exit 3"]).await;
//! // Folders that exist only for the reading are called by their variables.
//! assert_eq!(answer.stdout.trim(), "$HOME");
//! assert_eq!(answer.code, Some(3));
//! # Ok::<(), charmer_discover::probe::ProbeError>(())
//! # }).unwrap();
//! ```

mod answer;
mod bounds;
mod environment;
mod log;
mod patience;
mod protection;
mod scratch;
mod stop;

pub use answer::ProbeAnswer;
#[cfg(test)]
pub(crate) use bounds::bounded;
pub use environment::manager_variables;
pub(crate) use environment::managers;
pub use log::ProbeLog;
pub use stop::ProbeStop;

use std::{
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use charmer_core::model::DOCUMENT_COMMAND;
use charmer_run::{
    CallError, Limits, Outcome,
    process::{Engine, EngineOptions, Environment, Launcher, Request},
};
use charmer_sandbox::SandboxCommand;
use thiserror::Error;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::{
    Surroundings,
    journal::{OpenJournal, ProbeQuestion},
};

use self::{patience::ProbePatience, protection::Protection, scratch::Scratch, stop::Presence};

/// The longest time that a program that is to end may take to.
const GRACE: Duration = Duration::from_millis(200);
/// The number of bytes of a document that are kept in which a program says what it is: enough for ten thousand
/// commands.
const DOCUMENT_BYTES: usize = 32 << 20;
/// The maximum length of a command line in bytes. Linux starts none that is longer than a quarter of the stack, and no
/// program with an element of 128 KiB.
const COMMAND_LINE: usize = 120 << 10;

/// The way probes are run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ProbeOptions {
    /// The longest time that a probe may take; 5 seconds by default. The first may take three times as long, and those
    /// of a program whose answers are slow up to twelve times.
    pub timeout: Duration,
    /// The number of probes that may run out of time before the program is not asked any more; 24 by default. A program
    /// that answers is forgiven more: one for every ten answers.
    pub hangs: usize,
    /// The number of bytes of each stream that are kept; 4 MiB by default.
    pub output: usize,
    /// The maximum number of probes at once; as many as there are cores by default.
    pub parallel: Option<usize>,
    /// The way the sandbox is started; without this there is none.
    pub sandbox: Option<SandboxCommand>,
    /// Files and folders that are out of the program's reach in the sandbox; none by default. What it reads it can print
    /// as its help.
    pub hidden: Vec<PathBuf>,
    /// The environment from which probes inherit their few variables; this process's by default.
    pub environment: Vec<(OsString, OsString)>,
    /// The log of the probes' command lines, for whoever wants to know what is asked.
    pub log: Option<ProbeLog>,
    /// The function that is told, before the program is started for the first time, what protection is not to be had.
    pub on_shortcoming: Option<fn(&str)>,
    /// Ends all that is being asked.
    pub stop: ProbeStop,
}

impl ProbeOptions {
    /// The places that what belongs to a program is looked for in.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings::of(|name| {
            let mut variables = self.environment.iter();
            let (_, value) = variables.find(|(known, _)| known == name)?;
            Some(value.clone())
        })
    }
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            hangs: 24,
            output: 4 << 20,
            parallel: None,
            sandbox: None,
            hidden: Vec::new(),
            environment: std::env::vars_os().collect(),
            log: None,
            on_shortcoming: None,
            stop: ProbeStop::default(),
        }
    }
}

/// The reason why a program cannot be probed at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The program is not named by an absolute path.
    #[error("`{}` is not an absolute path; look the program up first", .0.display())]
    Relative(PathBuf),
    /// Nothing is asked any more; see [`ProbeStop`].
    #[error("reading was stopped")]
    Stopped,
    /// There is nowhere for it to run.
    #[error("no scratch folder could be made in `{}`: {source}", .folder.display())]
    Scratch {
        /// The folder that it was to be made in.
        folder: PathBuf,
        /// The obstacle.
        source: io::Error,
    },
}

/// Asks one program; see the module's documentation. Clones share everything.
#[derive(Clone)]
pub struct Prober(Arc<ProberParts>);

struct ProberParts {
    shared: Arc<ProberState>,
    environment: Environment,
    home: PathBuf,
    /// The folder is the user's real home.
    at_home: bool,
    /// The variables that were added to those that every probe has.
    variables: Vec<(OsString, OsString)>,
    /// The words that stand before those of every question.
    words: Vec<String>,
    /// The program's name for itself with those words, and the name that it is to have instead.
    called: Option<(String, String)>,
}

/// The state that probes with the scratch home and with the real one share.
struct ProberState {
    program: PathBuf,
    options: ProbeOptions,
    engine: Engine,
    places: Semaphore,
    /// The right to be the one first question about a command that waits for a place: see [`Prober::run_first`].
    first: Semaphore,
    spawned: AtomicUsize,
    /// The reason why the first of the probes came to nothing that did.
    lost: OnceLock<String>,
    patience: ProbePatience,
    /// The journal of earlier answers, which keeps new ones.
    journal: OnceLock<OpenJournal>,
    /// Before the scratch folder, which must not go while something runs in it.
    protection: OnceLock<Protection>,
    scratch: Scratch,
    presence: Presence,
}

impl fmt::Debug for Prober {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prober")
            .field("program", &self.program())
            .field("home", &self.home())
            .finish_non_exhaustive()
    }
}

impl Prober {
    /// A prober of the program at this absolute path. Nothing is started yet.
    pub fn new(program: PathBuf, options: ProbeOptions) -> Result<Self, ProbeError> {
        if !program.is_absolute() {
            return Err(ProbeError::Relative(program));
        }
        // Before there is a folder, so that whoever stops the reading knows of it.
        let presence = options.stop.begin().ok_or(ProbeError::Stopped)?;
        let folder = environment::temporary(&options.environment);
        let scratch =
            Scratch::new(&folder).map_err(|source| ProbeError::Scratch { folder, source })?;
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let parallel = options.parallel.unwrap_or_else(cores).max(1);
        let mut engine = EngineOptions::default();
        engine.concurrency = Some(parallel);
        let environment = environment::scratch_environment(&options.environment, &scratch);
        let home = scratch.home();
        let shared = Arc::new(ProberState {
            program,
            engine: Engine::new(engine),
            // The engine's own queue is bounded, and waiting in it counts as time of the probe: a walk wants neither.
            places: Semaphore::new(parallel),
            first: Semaphore::new(1),
            spawned: AtomicUsize::new(0),
            lost: OnceLock::new(),
            journal: OnceLock::new(),
            patience: ProbePatience::new(options.timeout, options.hangs),
            protection: OnceLock::new(),
            options,
            scratch,
            presence,
        });
        if !shared.options.stop.add(&shared) {
            return Err(ProbeError::Stopped);
        }
        Ok(Self(Arc::new(ProberParts {
            shared,
            environment,
            home,
            at_home: false,
            variables: Vec::new(),
            words: Vec::new(),
            called: None,
        })))
    }

    /// Runs the program with this command line, as soon as there is a place. It never fails: a probe that did is an
    /// answer that says so. Dropping the future ends the program.
    pub async fn run<S: AsRef<OsStr>>(&self, argv: &[S]) -> ProbeAnswer {
        self.run_as(argv, Turn::Next).await
    }

    /// The same for the first of several questions about a command. Only one of these waits in the queue for a place, so
    /// the later questions about commands that have been begun come before it: a command that takes twenty of them, one
    /// after the other, would otherwise wait for all the others each time, and be asked alone at the end.
    pub(crate) async fn run_first<S: AsRef<OsStr>>(&self, argv: &[S]) -> ProbeAnswer {
        self.run_as(argv, Turn::First).await
    }

    async fn run_as<S: AsRef<OsStr>>(&self, argv: &[S], turn: Turn) -> ProbeAnswer {
        let words = self.0.words.iter().map(OsString::from);
        let argv = argv.iter().map(|word| word.as_ref().to_owned());
        let argv: Vec<OsString> = words.chain(argv).collect();
        let cancel = self.0.shared.options.stop.token();
        let _cancels_when_dropped = cancel.clone().drop_guard();
        let inner = Arc::clone(&self.0);
        // A task of its own, so that the scratch folder and the place are held until the program has ended, whether or
        // not anybody still waits for the answer.
        let probe = tokio::spawn(async move { inner.probe(argv, turn, cancel).await });
        probe.await.unwrap_or_else(|error| {
            let reason = format!("the probe was lost: {error}");
            ProbeAnswer::not_started(self.0.shared.lost.get_or_init(|| reason))
        })
    }

    /// The same program with the user's real home; `None` where nothing would keep that from being written to. It may
    /// block for a few milliseconds the first time.
    #[must_use]
    pub fn with_real_home(&self) -> Option<Self> {
        let shared = &self.0.shared;
        if !shared.protection().keeps_files() {
            return None;
        }
        let (environment, home) =
            environment::real_environment(&shared.options.environment, &shared.scratch)?;
        Some(Self(Arc::new(ProberParts {
            shared: Arc::clone(shared),
            environment,
            home,
            at_home: true,
            variables: Vec::new(),
            words: self.0.words.clone(),
            called: self.0.called.clone(),
        })))
    }

    /// The same program with these variables set as well.
    #[must_use]
    pub(crate) fn with_environment(&self, extra: Vec<(OsString, OsString)>) -> Self {
        let mut environment = self.0.environment.clone();
        for (name, value) in &extra {
            environment.set(name.clone(), value.clone());
        }
        Self(Arc::new(ProberParts {
            shared: Arc::clone(&self.0.shared),
            environment,
            home: self.0.home.clone(),
            at_home: self.0.at_home,
            variables: [self.0.variables.clone(), extra].concat(),
            words: self.0.words.clone(),
            called: self.0.called.clone(),
        }))
    }

    /// A program that this one runs by these words. In what it says of itself it has the name of its file.
    #[must_use]
    pub(crate) fn with_words(&self, words: &[String], file: Option<&str>) -> Self {
        let program = crate::binary::Binary::new(self.program()).name();
        let called = file.map(|file| (format!("{program} {}", words.join(" ")), file.to_owned()));
        Self(Arc::new(ProberParts {
            shared: Arc::clone(&self.0.shared),
            environment: self.0.environment.clone(),
            home: self.0.home.clone(),
            at_home: self.0.at_home,
            variables: self.0.variables.clone(),
            words: words.to_vec(),
            called,
        }))
    }

    /// A text of a program that another one runs, with the words that it is called by.
    pub(crate) fn as_called(&self, text: &str) -> String {
        match &self.0.called {
            Some((words, file)) => text.replace(file, words),
            None => text.to_owned(),
        }
    }

    /// Takes answers from there from now on, where they were given before, and keeps the others there.
    pub(crate) fn answer_from(&self, journal: OpenJournal) {
        let _ = self.0.shared.journal.set(journal);
    }

    /// The number of probes that were started so far, with either home; those of a reading that this one goes on from
    /// included.
    pub fn spawned(&self) -> usize {
        self.0.shared.spawned.load(Ordering::Relaxed)
    }

    /// The reason why an answer is missing that the program might have given: the machine could start no more
    /// processes, the sandbox is gone, or there is a mistake of ours.
    pub(crate) fn lost(&self) -> Option<&str> {
        self.0.shared.lost.get().map(String::as_str)
    }

    /// The number of probes that ran out of time so far.
    pub(crate) fn unanswered(&self) -> usize {
        self.0.shared.patience.unanswered()
    }

    /// Returns true if the program ran out of time too often to be asked any more.
    pub(crate) fn gave_up(&self) -> bool {
        self.0.shared.patience.is_over()
    }

    /// Notes that an answer was not the help of the command that was asked for.
    pub(crate) fn note_useless(&self, answer: &ProbeAnswer) {
        self.0.shared.patience.note_useless(answer);
    }

    /// Returns true if the program has said too much to be asked any more.
    pub(crate) fn heard_enough(&self) -> bool {
        self.0.shared.patience.has_heard_enough()
    }

    /// Returns true if a program that does its work can change nothing outside of the scratch folder and reach nobody.
    pub(crate) fn is_confined(&self) -> bool {
        self.0.shared.protection().keeps_apart()
    }

    /// The kinds of protection that are not to be had here, in sentences for people. It may block for a few
    /// milliseconds the first time.
    pub fn shortcomings(&self) -> Vec<String> {
        self.0.shared.protection().shortcomings.clone()
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.0.shared.program
    }

    /// The home folder that probes see. Defaults in help texts that contain it mean `$HOME`.
    pub fn home(&self) -> &Path {
        &self.0.home
    }
}

/// The place of a question in the queue.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// It is the first about a command.
    First,
    /// Others about the same were asked before it.
    Next,
}

impl ProberState {
    /// Waits for a place.
    async fn place(&self, turn: Turn) -> Result<SemaphorePermit<'_>, AcquireError> {
        let _first = match turn {
            Turn::First => Some(self.first.acquire().await?),
            Turn::Next => None,
        };
        self.places.acquire().await
    }

    /// Found out once, when it is first needed.
    fn protection(&self) -> &Protection {
        self.protection.get_or_init(|| {
            let room = self.scratch.room();
            let hidden = &self.options.hidden;
            let found = Protection::find_out(self.options.sandbox.as_ref(), room, hidden);
            if found.keeps_files() {
                self.scratch
                    .show_plugins(&self.program, &self.options.surroundings());
            }
            if let Some(tell) = self.options.on_shortcoming {
                found
                    .shortcomings
                    .iter()
                    .for_each(|sentence| tell(sentence));
            }
            found
        })
    }
}

impl ProberParts {
    async fn probe(
        self: Arc<Self>,
        argv: Vec<OsString>,
        turn: Turn,
        cancel: CancellationToken,
    ) -> ProbeAnswer {
        let shared = &self.shared;
        let kept = shared
            .journal
            .get()
            .map(|kept| (kept, self.question(&argv)));
        let known = kept.as_ref().and_then(|(kept, question)| kept.to(question));
        if let Some(answer) = known {
            // Families ask a certain number of questions, so a reading that goes on must count as one that was not cut.
            shared.spawned.fetch_add(1, Ordering::Relaxed);
            shared.patience.note(&answer, None);
            return answer;
        }
        if argv.iter().map(|word| word.len() + 1).sum::<usize>() > COMMAND_LINE {
            return ProbeAnswer::not_started("the question is longer than a command line may be");
        }
        let place = tokio::select! {
            place = shared.place(turn) => place,
            () = cancel.cancelled() => {
                if shared.options.stop.is_ordered() {
                    shared.lost.get_or_init(|| "reading it was stopped".to_owned());
                }
                return ProbeAnswer::not_started("nobody waits for it any more");
            }
        };
        if shared.patience.is_over() {
            return ProbeAnswer::not_started(
                "it did not answer in time too often to be asked again",
            );
        }
        if shared.patience.has_heard_enough() {
            return ProbeAnswer::not_started("it has said more than is read of a program");
        }
        if shared.protection.get().is_none() {
            let shared = Arc::clone(shared);
            let found = tokio::task::spawn_blocking(move || _ = shared.protection()).await;
            if let Err(error) = found {
                return ProbeAnswer::not_started(format!(
                    "the sandbox could not be tried: {error}"
                ));
            }
        }
        shared.spawned.fetch_add(1, Ordering::Relaxed);
        if let Some(log) = &shared.options.log {
            log.note(&argv);
        }
        let is_document = argv.last().is_some_and(|word| word == DOCUMENT_COMMAND);
        let began = Instant::now();
        let result = self.start(argv, cancel.clone()).await;
        let took = began.elapsed();
        // Reading the output is done outside of the place, so that the next program can start meanwhile.
        drop(place);
        let answer = self.named(match is_document {
            true => ProbeAnswer::whole(result),
            false => ProbeAnswer::new(result),
        });
        shared.patience.note(&answer, Some(took));
        if shared.options.stop.is_ordered() {
            shared
                .lost
                .get_or_init(|| "reading it was stopped".to_owned());
        } else if !answer.started && !cancel.is_cancelled() {
            shared.lost.get_or_init(|| answer.said());
        }
        // What was not the program's own doing may go otherwise next time.
        if let Some((kept, question)) = kept
            && !answer.may_come_yet()
            && !cancel.is_cancelled()
        {
            kept.keep(&question, &answer);
        }
        answer
    }

    fn question(&self, argv: &[OsString]) -> ProbeQuestion {
        let text = |word: &OsString| word.to_string_lossy().into_owned();
        let variables = self.variables.iter();
        ProbeQuestion {
            at_home: self.at_home,
            variables: variables
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            argv: argv.iter().map(text).collect(),
        }
    }

    /// The answer with the folders that exist only for this reading called by their variables.
    fn named(&self, mut answer: ProbeAnswer) -> ProbeAnswer {
        let scratch = &self.shared.scratch;
        let room = scratch.room().to_string_lossy();
        let folders = [
            (scratch.home(), "$HOME"),
            (scratch.work(), "$PWD"),
            (scratch.temporary(), "$TMPDIR"),
        ];
        for text in [&mut answer.stdout, &mut answer.stderr] {
            if let Some((words, file)) = &self.called {
                *text = text.replace(words, file);
            }
            if text.contains(&*room) {
                for (folder, name) in &folders {
                    *text = text.replace(&*folder.to_string_lossy(), name);
                }
            }
        }
        answer
    }

    /// Runs the program, in the sandbox where there is one.
    async fn start(
        &self,
        argv: Vec<OsString>,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        let shared = &self.shared;
        let mut launcher = Launcher::new(
            shared.program.clone(),
            self.environment.clone(),
            Some(shared.scratch.work()),
            shared.engine.clone(),
        );
        if let Some(sandbox) = &shared.protection().sandbox {
            launcher = launcher.through(Arc::clone(sandbox));
        }
        let is_document = argv.last().is_some_and(|word| word == DOCUMENT_COMMAND);
        let limits = Limits::default()
            .timeout(shared.patience.deadline())
            .grace(GRACE)
            .capture_bytes(match is_document {
                true => shared.options.output.max(DOCUMENT_BYTES),
                false => shared.options.output,
            });
        launcher.run(Request::new(argv, limits), cancel).await
    }
}
