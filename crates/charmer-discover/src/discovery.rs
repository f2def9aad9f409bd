//! The front door: a program in, its model out, with where each part was seen.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};

use charmer_core::model::{Cli, CommandPath};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{
    Provenance,
    binary::Binary,
    build::build,
    family::{Family, Signs, families, printed},
    probe::{Answer, ProbeError, ProbeOptions, Prober},
    walk::{Bounds, Found, Walk},
};

/// How a program is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DiscoverOptions {
    /// How it is run.
    pub probe: ProbeOptions,
    /// How many commands are read at most.
    pub commands: usize,
    /// How deep commands may be nested.
    pub depth: usize,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        Self {
            probe: ProbeOptions::default(),
            commands: 20_000,
            depth: 10,
        }
    }
}

/// Something that is worth knowing but stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Warning {
    /// The command that it is about.
    pub path: CommandPath,
    /// What it is.
    pub message: String,
}

impl Warning {
    /// A warning about a command.
    pub fn new(path: CommandPath, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { path, message }
    }
}

/// What was found out about a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discovery {
    /// The program.
    pub cli: Cli,
    /// The family that it was read as.
    pub family: String,
    /// Where each field was seen.
    pub provenance: Provenance,
    /// What is worth knowing.
    pub warnings: Vec<Warning>,
    /// How often the program was started for it.
    pub spawned: usize,
    /// Whether every command has been read.
    pub complete: bool,
}

/// Why a program could not be read at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// It could not be run safely.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// It does not start.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// It shows nothing that could be read as help.
    #[error("`{program}` shows no help that could be read: {detail}")]
    NoHelp {
        /// The program.
        program: PathBuf,
        /// What it did instead.
        detail: String,
    },
}

/// Reads a program.
pub async fn discover(
    program: &Path,
    options: &DiscoverOptions,
) -> Result<Discovery, DiscoverError> {
    Discoverer::new(program, options.clone()).run().await
}

/// A program that is being read. Clones share the work, so that one can be asked how far it is.
#[derive(Clone)]
pub struct Discoverer(Arc<Inner>);

struct Inner {
    program: PathBuf,
    options: DiscoverOptions,
    found: Arc<Mutex<Found>>,
    walk: OnceLock<Arc<Walk>>,
}

impl std::fmt::Debug for Discoverer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Discoverer").field(&self.0.program).finish()
    }
}

impl Discoverer {
    /// Prepares to read a program at an absolute path; nothing is run yet.
    pub fn new(program: &Path, options: DiscoverOptions) -> Self {
        Self(Arc::new(Inner {
            program: program.into(),
            options,
            found: Arc::default(),
            walk: OnceLock::new(),
        }))
    }

    /// Reads the program.
    pub async fn run(&self) -> Result<Discovery, DiscoverError> {
        let inner = &*self.0;
        let binary = Binary::new(&inner.program);
        let mut prober = Prober::new(inner.program.clone(), inner.options.probe.clone())?;
        let mut help = first_look(&prober).await;
        if !looks_like_help(&help)
            && let Some(at_home) = prober.with_real_home()
        {
            // A version manager's stand-in may need what is in the user's home.
            let again = first_look(&at_home).await;
            if looks_like_help(&again) {
                (prober, help) = (at_home, again);
            }
        }
        if !looks_like_help(&help) {
            return Err(no_help(&inner.program, &help));
        }
        let signs = Signs {
            help: &help,
            binary: &binary,
        };
        let Some(family) = choose(&signs) else {
            return Err(no_help(&inner.program, &help));
        };
        let walk = Arc::new(Walk {
            prober,
            binary,
            family,
            bounds: Bounds {
                commands: inner.options.commands,
                depth: inner.options.depth,
            },
            found: Arc::clone(&inner.found),
        });
        let walk = inner.walk.get_or_init(|| walk);
        walk.run(help.clone()).await;
        self.snapshot(true)
            .ok_or_else(|| no_help(&inner.program, &help))
    }

    /// How many commands have been read, and how many are known of.
    pub fn progress(&self) -> (usize, usize) {
        let found = self.found();
        (found.commands.len(), found.known)
    }

    /// What is known by now, if there is anything.
    pub fn so_far(&self) -> Option<Discovery> {
        self.snapshot(false)
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.0
            .found
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn snapshot(&self, complete: bool) -> Option<Discovery> {
        let walk = self.0.walk.get()?;
        let found = self.found();
        if !found.commands.contains_key(&CommandPath::root()) {
            return None;
        }
        let found = finished(&found, &*walk.family);
        let home = walk.prober.home().to_string_lossy();
        let (cli, provenance) = build(&found, &walk.binary.name(), walk.family.syntax(), &home);
        let shortcomings = walk.prober.shortcomings().into_iter();
        let mut warnings: Vec<Warning> = shortcomings
            .map(|message| Warning::new(CommandPath::root(), message))
            .collect();
        warnings.extend(found.warnings.iter().cloned());
        Some(Discovery {
            cli,
            family: walk.family.name().to_owned(),
            provenance,
            warnings,
            spawned: walk.prober.spawned(),
            complete,
        })
    }
}

/// What was found, with what its family can only say of the whole.
fn finished(found: &Found, family: &dyn Family) -> Found {
    let mut commands: Vec<_> = found.commands.values().cloned().collect();
    family.finish(&mut commands);
    Found {
        commands: commands
            .into_iter()
            .map(|sketch| (sketch.path.clone(), sketch))
            .collect(),
        order: found.order.clone(),
        known: found.known,
        warnings: found.warnings.clone(),
    }
}

/// What a program shows of itself: to `--help`, else to `-h`, else to `help`.
async fn first_look(prober: &Prober) -> Answer {
    let mut first = None;
    for request in ["--help", "-h", "help"] {
        let answer = prober.run(&[request]).await;
        if looks_like_help(&answer) || !answer.started {
            return answer;
        }
        first.get_or_insert(answer);
    }
    first.unwrap_or_default()
}

/// Whether an answer can be help at all; which kind is for the families to say.
fn looks_like_help(answer: &Answer) -> bool {
    let text = printed(answer);
    let lower = text.to_lowercase();
    text.lines().count() > 1
        && (lower.contains("usage")
            || lower.contains("options")
            || lower.contains("flags")
            || lower.contains("commands")
            || text.contains("\n  -"))
}

fn choose(signs: &Signs<'_>) -> Option<Box<dyn Family>> {
    let mut best: Option<(u8, Box<dyn Family>)> = None;
    for family in families() {
        let score = family.recognise(signs);
        if score > best.as_ref().map_or(0, |(best, _)| *best) {
            best = Some((score, family));
        }
    }
    best.map(|(_, family)| family)
}

fn no_help(program: &Path, answer: &Answer) -> DiscoverError {
    let program = program.to_path_buf();
    if !answer.started {
        let reason = answer.stderr.trim().to_owned();
        return DiscoverError::NotStarted { program, reason };
    }
    let detail = if answer.timed_out {
        "it did not answer `--help` in time".to_owned()
    } else {
        let said = printed(answer).trim().lines().next().unwrap_or_default();
        match (answer.code, said) {
            (_, "") => "it printed nothing".to_owned(),
            (Some(code), said) if code != 0 => format!("it said `{said}` (exit code {code})"),
            (_, said) => format!("it said `{said}`"),
        }
    };
    DiscoverError::NoHelp { program, detail }
}
