//! From a spell's file to what can be cast: its program found, its folders resolved, its environment and tool made.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_core::tool::Tool;
use charmer_run::{
    CallError,
    process::{Environment, resolve_program},
};

use crate::{
    Context, Spell, SpellOptions, advice, confine, directory, environment, file,
    problem::{Problem, Severity},
    schema, trust,
};

/// A spell that can be cast.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) spell: Spell,
    pub(crate) file: PathBuf,
    pub(crate) program: Result<PathBuf, CallError>,
    /// Its folders, with their symlinks resolved.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) tool: Arc<Tool>,
}

/// What came of reading a file.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) entry: Option<Arc<Entry>>,
    /// The hash of its text, if it could be read.
    pub(crate) hash: Option<String>,
    pub(crate) problems: Vec<Problem>,
}

/// Loads files with what they share.
pub(crate) struct Loader<'l> {
    base: &'l Path,
    options: &'l SpellOptions,
    search_path: Vec<PathBuf>,
    programs: HashMap<String, Result<PathBuf, CallError>>,
    folders: HashMap<PathBuf, PathBuf>,
}

impl<'l> Loader<'l> {
    /// `base` is the folder that relative paths are relative to.
    pub(crate) fn new(base: &'l Path, options: &'l SpellOptions) -> Self {
        Self {
            base,
            options,
            search_path: environment::search_path(&options.variables),
            programs: HashMap::new(),
            folders: HashMap::new(),
        }
    }

    pub(crate) fn load(&mut self, path: &Path) -> Loaded {
        let text = match file::text(path) {
            Ok(text) => text,
            Err(error) => {
                let problem =
                    Problem::new(path, Severity::Error, format!("it cannot be read: {error}"));
                return Loaded {
                    problems: vec![problem],
                    ..Loaded::default()
                };
            }
        };
        let mut loaded = Loaded {
            hash: Some(trust::hash(&text)),
            ..Loaded::default()
        };
        for exposure in file::exposure(path, "the file") {
            loaded
                .problems
                .push(Problem::new(path, Severity::Warning, exposure));
        }
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            loaded
                .problems
                .push(Problem::new(path, Severity::Error, "its name is no text"));
            return loaded;
        };
        let context = Context::default()
            .stem(stem)
            .variables(&self.options.variables)
            .reserved(&self.options.reserved);
        let read = Spell::parse(&text, &path.display().to_string(), &context);
        if let Some(mistakes) = read.mistakes {
            loaded.problems.push(Problem::mistakes(path, mistakes));
        }
        for advice in read.advice.iter().flat_map(|advice| advice.iter()) {
            loaded.problems.push(Problem::new(
                path,
                Severity::Warning,
                format!(
                    "line {}, column {}: {}",
                    advice.line, advice.column, advice.message
                ),
            ));
        }
        if let Some(spell) = read.value {
            loaded.entry = Some(Arc::new(self.entry(spell, path, &mut loaded.problems)));
        }
        loaded
    }

    fn entry(&mut self, spell: Spell, path: &Path, problems: &mut Vec<Problem>) -> Entry {
        let mut warn =
            |message: String| problems.push(Problem::new(path, Severity::Warning, message));
        let program = self.program(&spell.command[0]);
        if let Err(error) = &program {
            warn(error.message.clone());
        }
        let mut roots = Vec::new();
        for folder in &spell.paths {
            let root = self.root(folder);
            if !root.is_dir() {
                warn(format!("the folder `{}` does not exist", root.display()));
            }
            roots.push(root);
        }
        if spell.confine
            && let Err(reason) = confine::available()
        {
            warn(format!(
                "it is refused, because `confine` cannot be enforced here: {reason}"
            ));
        }
        advice::script_advice(&spell, self.base)
            .into_iter()
            .for_each(&mut warn);
        Entry {
            tool: Arc::new(schema::tool(&spell)),
            environment: environment::base(
                &spell,
                &self.options.variables,
                self.options.mark.as_deref(),
            ),
            file: path.to_owned(),
            program,
            roots,
            spell,
        }
    }

    fn program(&mut self, name: &str) -> Result<PathBuf, CallError> {
        if let Some(found) = self.programs.get(name) {
            return found.clone();
        }
        let found = find_program(name, &self.search_path, self.base);
        self.programs.insert(name.to_owned(), found.clone());
        found
    }

    /// A folder as it is now. A symlink in it that changes later changes nothing until the spell is loaded again.
    fn root(&mut self, folder: &Path) -> PathBuf {
        let whole = self.base.join(folder);
        let settle = || directory::settle(&whole).unwrap_or_else(|_| whole.clone());
        self.folders
            .entry(folder.to_owned())
            .or_insert_with(settle)
            .clone()
    }
}

/// The absolute path of a program.
pub(crate) fn find_program(
    name: &str,
    search_path: &[PathBuf],
    base: &Path,
) -> Result<PathBuf, CallError> {
    let found = resolve_program(Path::new(name), search_path, base)?;
    // Without the `.` of `./run.sh`.
    Ok(found.components().collect())
}
