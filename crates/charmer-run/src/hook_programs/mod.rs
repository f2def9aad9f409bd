//! Hooks that are programs of the operator: asked before a call, after it, and when it failed.
//!
//! A hook is started for each question, reads one JSON object from its standard input, and prints one as its answer. The
//! two are described in [`message`]; `docs/hooks.md` says the same with examples.
//!
//! Whatever goes wrong with a hook counts against the call: what cannot be asked is not allowed, and what was not looked
//! at is not shown. Levels (a file, a source, a selector or a spell) add up. A call meets the outermost first, and what
//! came of it meets the innermost first, so that the outermost has the last word.
//!
//! Two steps of the call path ask hooks: [`Judged`], in front of everything that checks arguments, so that arguments which
//! a hook changed are checked like any others; and [`Explained`], behind the logs only, so that it sees every failure.

mod ask;
mod explained;
mod judged;
mod message;
#[cfg(all(test, unix))]
mod tests;

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use charmer_core::call::{Prepared, prepare};
use serde_json::Value;

use crate::{
    Call, CallError, Redactor,
    process::{Engine, Environment, Launcher, resolve_program},
};

pub(crate) use explained::Explained;
pub(crate) use judged::Judged;
use message::HookQuestion;

/// The longest time that a hook may take, if nothing is said.
pub const HOOK_TIMEOUT: Duration = Duration::from_secs(5);

/// The moment at which a hook is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookMoment {
    /// Before a call: it may refuse the call or change its arguments.
    Before,
    /// After a program has run: it may withhold or change the output.
    After,
    /// After a call has failed: it may change what is said of it.
    Error,
}

impl HookMoment {
    /// All of them, in the order of a call.
    pub const ALL: [Self; 3] = [Self::Before, Self::After, Self::Error];

    /// Its key in files, and its name in questions.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for HookMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The surroundings of the hooks of one file: their folder, their environment, and who starts them.
#[derive(Debug, Clone)]
pub struct HookRunner {
    launcher: Launcher,
    folder: Arc<PathBuf>,
    search_path: Arc<[PathBuf]>,
}

impl HookRunner {
    /// Hooks that run in this folder, which is also where relative paths of theirs start.
    pub fn new(environment: Environment, folder: PathBuf, engine: Engine) -> Self {
        let search_path = environment.get("PATH").unwrap_or_default();
        let search_path = std::env::split_paths(search_path).collect();
        Self {
            // The program is that of each question.
            launcher: Launcher::new(PathBuf::new(), environment, Some(folder.clone()), engine),
            folder: Arc::new(folder),
            search_path,
        }
    }

    /// The same for the hooks of a file in another folder.
    #[must_use]
    pub fn of(&self, folder: PathBuf) -> Self {
        Self {
            launcher: self.launcher.in_folder(folder.clone()),
            folder: Arc::new(folder),
            search_path: Arc::clone(&self.search_path),
        }
    }

    /// The program of a hook. It is looked for anew each time, so that one that is installed late is found.
    fn find(&self, program: &str) -> Result<PathBuf, CallError> {
        resolve_program(program.as_ref(), &self.search_path, &self.folder)
    }
}

/// The hooks of one level: of a file, a source, a selector or a spell.
///
/// ```
/// use charmer_run::{HookLevel, HookMoment, HookRunner, process::{Engine, Environment}};
///
/// let runner = HookRunner::new(Environment::empty(), "/etc/charmer".into(), Engine::default());
/// let level = HookLevel::new(&runner).asks(HookMoment::Before, vec!["/no/such/program".into()]);
/// assert!(level.missing().next().unwrap().1.message.contains("does not exist"));
/// ```
#[derive(Clone)]
pub struct HookLevel {
    runner: HookRunner,
    /// The program and its arguments, for each moment; empty for none.
    commands: [Vec<String>; 3],
    timeout: Duration,
    guard: Option<HookGuard>,
}

/// Refuses to ask a hook, such as one whose file is not the one that a person has accepted.
pub type HookGuard = Arc<dyn Fn() -> Result<(), CallError> + Send + Sync>;

impl fmt::Debug for HookLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookLevel")
            .field("commands", &self.commands)
            .field("timeout", &self.timeout)
            .field("guarded", &self.guard.is_some())
            .finish_non_exhaustive()
    }
}

impl HookLevel {
    /// A level without hooks.
    pub fn new(runner: &HookRunner) -> Self {
        Self {
            runner: runner.clone(),
            commands: Default::default(),
            timeout: HOOK_TIMEOUT,
            guard: None,
        }
    }

    /// Sets the program that is asked at a moment, with its arguments; none, if the list is empty.
    #[must_use]
    pub fn asks(mut self, moment: HookMoment, command: Vec<String>) -> Self {
        self.commands[moment as usize] = command;
        self
    }

    /// Sets how long each of them may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets who is asked before any of them is started; what it refuses, refuses the call.
    #[must_use]
    pub fn guarded_by(mut self, guard: HookGuard) -> Self {
        self.guard = Some(guard);
        self
    }

    /// The hooks whose programs are not there, with the reason: every call would be refused.
    pub fn missing(&self) -> impl Iterator<Item = (HookMoment, CallError)> + '_ {
        HookMoment::ALL.into_iter().filter_map(|moment| {
            let program = self.command(moment)?.first()?;
            Some((moment, self.runner.find(program).err()?))
        })
    }

    fn command(&self, moment: HookMoment) -> Option<&[String]> {
        let command = &self.commands[moment as usize];
        (!command.is_empty()).then_some(command)
    }
}

/// The hooks of a tool's calls, the outermost level first.
#[derive(Debug, Clone, Default)]
pub struct HookPrograms(Vec<HookLevel>);

impl HookPrograms {
    /// Adds a level within those before it.
    #[must_use]
    pub fn within(mut self, level: HookLevel) -> Self {
        if HookMoment::ALL
            .iter()
            .any(|moment| level.command(*moment).is_some())
        {
            self.0.push(level);
        }
        self
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The levels that have a hook for a moment, in the order in which they are asked.
    fn at(&self, moment: HookMoment) -> Vec<&HookLevel> {
        let levels = self.0.iter();
        let levels = levels.filter(|level| level.command(moment).is_some());
        match moment {
            HookMoment::Before => levels.collect(),
            HookMoment::After | HookMoment::Error => levels.rev().collect(),
        }
    }
}

/// The command line of a call; none for a tool that is no command.
fn prepared(call: &Call) -> Result<Option<Prepared>, CallError> {
    let input = &call.tool.input;
    if input.levels.is_empty() && input.template.is_none() {
        return Ok(None);
    }
    Ok(Some(prepare(&call.tool, &call.input)?))
}

/// The knowledge of both steps: the hooks, the program that is run, and the secrets.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) hooks: HookPrograms,
    /// The launcher of the tool's program, where it has one.
    pub(crate) launcher: Option<Launcher>,
    pub(crate) redactor: Redactor,
}

impl Asking {
    /// A question about a call, with its command line if one can be made of it.
    fn question(&self, moment: HookMoment, call: &Call) -> HookQuestion {
        let program = match &self.launcher {
            Some(launcher) => launcher.shown_program(),
            None => call.tool.help.program.to_string(),
        };
        let prepared = prepared(call).ok().flatten();
        HookQuestion::new(moment, call, program, prepared.as_ref())
    }

    /// Text that a hook gave, without what must not be seen.
    fn plain(&self, text: &str) -> String {
        self.redactor.text(text).into_owned()
    }

    fn plain_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.plain(&text).into(),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.plain_value(item))
                .collect(),
            Value::Object(entries) => entries
                .into_iter()
                .map(|(key, value)| (self.plain(&key), self.plain_value(value)))
                .collect(),
            other => other,
        }
    }
}
