//! The folder of spells that is offered: where it is, how it is opened, and what is told of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use charmer_config::{Config, ConfineMode, SourceEntry};
use charmer_run::{
    HookPrograms, SharedSteps,
    process::{ConfinedPool, Engine},
};
use charmer_spells::{
    HiddenSecrets, NameRule, Severity, SpellAskRules, SpellBook, SpellOptions, SpellProblem,
};

use crate::{
    args::{ConfineName, Selection, Spells},
    credentials::ProgramSecrets,
    output, policy,
    problem::Problem,
    settings::home,
    user_folders,
};

/// The file that holds what was accepted, in charmer's data folder.
const TRUST: &str = "trust.json";

/// A folder of spells and what was said about it.
#[derive(Debug, Clone)]
pub(crate) struct SpellFolder {
    /// Its absolute path.
    path: PathBuf,
    pub(crate) read_only: bool,
    /// The file's entry on the folder.
    pub(crate) source: Option<SourceEntry>,
    /// The authority on the writing of spells that only read, if the command line says so.
    confine: Option<ConfineMode>,
    /// The rule on its spells that are offered; all, if it is not said.
    offered: Option<NameRule>,
    /// The longest that any of them may run.
    longest: Option<Duration>,
    /// The file of what was accepted, if only that is offered.
    accepted: Option<PathBuf>,
}

impl SpellFolder {
    /// The folder that holds what was accepted, if only that is offered.
    pub(crate) fn accepted_in(&self) -> Option<&Path> {
        self.accepted.as_deref().and_then(Path::parent)
    }

    /// Returns true if one of its files seems to say `confirm: person`.
    pub(crate) fn asks_persons(&self) -> bool {
        let files = std::fs::read_dir(&self.path).into_iter().flatten();
        let texts = files.flatten().map(|file| std::fs::read(file.path()));
        texts.flatten().any(|text| {
            let text = String::from_utf8_lossy(&text);
            text.contains("confirm") && text.contains("person")
        })
    }

    /// The names of its spells, going by their files.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.path).into_iter().flatten();
        let stem = |file: std::fs::DirEntry| {
            let path = file.path();
            let ending = path.extension()?;
            let stem = path.file_stem()?.to_str()?.to_owned();
            (ending == "yaml" || ending == "yml").then_some(stem)
        };
        files.flatten().filter_map(stem).collect()
    }

    /// Returns true if any of its spells can be cast by name.
    pub(crate) fn offers_casting(&self) -> bool {
        let offered = self.offered.as_ref();
        offered.is_none_or(|rule| rule.matches("cast_spell"))
    }

    /// The authority on the writing of spells that only read.
    pub(crate) fn mode(&self, config: &Config) -> ConfineMode {
        let asked = self.confine.or(config.confine.mode);
        asked.unwrap_or(ConfineMode::Auto)
    }

    /// Refuses to promise that spells only read where nobody sees to it.
    pub(crate) fn check(&self, config: &Config) -> Result<(), Problem> {
        if !self.read_only || self.mode(config) != ConfineMode::Off {
            return Ok(());
        }
        let message =
            "spells cannot be served read-only with `confine` off: nothing would see to it";
        Err(Problem::mistake(message)
            .hint("remove it, or use `--confine names` to believe what their files say"))
    }

    /// Opens it for calls through this engine.
    pub(crate) fn open(
        &self,
        engine: &Engine,
        config: &Config,
        mark: &str,
        shared: &SharedSteps,
        pool: Option<Arc<ConfinedPool>>,
        (hooks, asks): (HookPrograms, SpellAskRules),
    ) -> SpellBook {
        let mut options = options()
            .behind(shared.clone())
            .asks(asks)
            .hooks(hooks)
            .engine(engine.clone())
            .limits(config.limits())
            .structure(config.structure(None))
            .read_only(self.read_only)
            .names_only(self.mode(config) != ConfineMode::Auto)
            .pool(pool)
            .drafted(config.drafted(self.source.as_ref()))
            .secrets(HiddenSecrets::new(|program, named| {
                ProgramSecrets::of_spell(program, &home(), named)
            }))
            .mark(mark);
        options.locked = self.accepted.clone();
        options.offered = self.offered.clone();
        options.longest = self.longest;
        SpellBook::open(&self.path, options)
    }
}

/// The options that are the same for all spells of this process.
pub(crate) fn options() -> SpellOptions {
    SpellOptions::new(std::env::vars_os())
}

/// The folder that was named on the command line, or else in the file, whose relative paths start in `folder`.
pub(crate) fn folder(
    args: &Spells,
    selection: &Selection,
    timeout: Option<Duration>,
    declared: &[(PathBuf, SourceEntry)],
    folder: &Path,
    here: &Path,
) -> Result<Option<SpellFolder>, Problem> {
    let (path, source) = match (&args.spells, declared) {
        (Some(path), _) => {
            let path = here.join(path);
            // What the file asks for calls of this folder is asked, however it is named.
            let same =
                |(of_file, _): &&(PathBuf, SourceEntry)| is_same(&folder.join(of_file), &path);
            let of_file = declared.iter().find(same).map(|(_, source)| source);
            (path, of_file)
        }
        (None, [(path, source)]) => (folder.join(path), Some(source)),
        (None, []) if args.locked => {
            return Err(
                Problem::mistake("--locked needs spells, and there are none")
                    .hint("name their folder, as in `--spells spells --locked`"),
            );
        }
        (None, []) => return Ok(None),
        (None, [_, second, ..]) => {
            return Err(Problem::mistake(format!(
                "only one folder of spells can be served, and `{}` is a second one",
                second.0.display()
            ))
            .hint("run another server for it"));
        }
    };
    // Without the `.` of `./spells`.
    let path: PathBuf = path.components().collect();
    must_exist(&path)?;
    Ok(Some(SpellFolder {
        path,
        read_only: source.is_some_and(|source| source.read_only) || selection.read_only,
        source: source.cloned(),
        confine: selection.confine.map(ConfineName::mode),
        offered: policy::spell_rule(selection),
        longest: timeout,
        accepted: args.locked.then(trust_file).transpose()?,
    }))
}

/// Returns true if two paths lead to one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// A folder that was named is there; most often it is not because of where one stands.
pub(crate) fn must_exist(path: &Path) -> Result<(), Problem> {
    if path.is_dir() {
        return Ok(());
    }
    let message = format!("there is no folder of spells at `{}`", path.display());
    Err(Problem::mistake(message).hint(
        "name it with `--spells FOLDER`; `charmer spell new NAME` makes one with a first spell",
    ))
}

/// The file of what was accepted: `CHARMER_DATA`, or the user's own folder for data. Never among the spells.
pub(crate) fn trust_file() -> Result<PathBuf, Problem> {
    match user_folders::data(|name| std::env::var_os(name)) {
        Some(folder) => Ok(folder.join(TRUST)),
        None => Err(Problem::mistake(
            "there is no place for what was accepted, because HOME is not set",
        )
        .hint("set CHARMER_DATA to the absolute path of a folder")),
    }
}

/// Tells whoever watches what is wrong.
pub(crate) fn warn_of<'p>(problems: impl IntoIterator<Item = &'p SpellProblem>) {
    for problem in problems {
        let text = charmer_core::output::clean(&problem.to_string()).into_owned();
        match problem.severity {
            Severity::Error => output::fail(&Problem::failed(text)),
            _ => output::warn(&text),
        }
    }
}
