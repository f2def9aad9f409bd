//! From a spell's file to what can be cast: its program found, its folders resolved, its environment and tool made.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_config::{Diagnostic, OutputRules};
use charmer_core::tool::Tool;
use charmer_run::{
    CallError, folder,
    layers::Structure,
    process::{Environment, resolve_program},
};

use crate::{
    Context, Spell, SpellOptions, advice, confine, environment, file,
    files::NamedFiles,
    problem::{Severity, SpellProblem},
    schema, trust,
};

/// A spell that can be cast.
#[derive(Debug)]
pub(crate) struct LoadedSpell {
    pub(crate) spell: Spell,
    pub(crate) file: PathBuf,
    pub(crate) program: Result<PathBuf, CallError>,
    /// Its folders, with their symlinks resolved.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) tool: Arc<Tool>,
    /// The way what it prints becomes data.
    pub(crate) structure: Structure,
    /// The files that it names; hashed where only accepted spells run.
    pub(crate) files: NamedFiles,
}

/// The result of reading a file.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) entry: Option<Arc<LoadedSpell>>,
    /// The hash of its text, of the schema that it names, and where only accepted spells run of the files that it names;
    /// `None` if one could not be read.
    pub(crate) hash: Option<String>,
    pub(crate) problems: Vec<SpellProblem>,
}

/// Loads many files, on as many threads as the machine has cores; in their order.
pub(crate) fn load_all(base: &Path, options: &SpellOptions, files: &[&PathBuf]) -> Vec<Loaded> {
    let load = |files: &[&PathBuf]| -> Vec<Loaded> {
        let mut loader = Loader::new(base, options);
        files.iter().map(|file| loader.load(file)).collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(LEAST_SHARE);
    if files.len() <= share {
        return load(files);
    }
    std::thread::scope(|scope| {
        let (own, others) = files.split_at(share);
        let others: Vec<_> = others
            .chunks(share)
            .map(|share| (share, scope.spawn(|| load(share))))
            .collect();
        let mut loaded = load(own);
        for (share, other) in others {
            // What a thread could not finish is not lost.
            loaded.extend(other.join().unwrap_or_else(|_| load(share)));
        }
        loaded
    })
}

/// A thread is not worth starting for less.
const LEAST_SHARE: usize = 32;

/// Loads files with what they share.
pub(crate) struct Loader<'l> {
    base: &'l Path,
    options: &'l SpellOptions,
    search_path: Vec<PathBuf>,
    programs: HashMap<String, Result<PathBuf, CallError>>,
    /// Folders as they are now, and whether they are there.
    folders: HashMap<PathBuf, (PathBuf, bool)>,
    environment: Environment,
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
            environment: environment::base(&options.variables, options.mark.as_deref()),
        }
    }

    pub(crate) fn load(&mut self, path: &Path) -> Loaded {
        let text = match file::text(path) {
            Ok(text) => text,
            Err(error) => {
                let problem =
                    SpellProblem::new(path, Severity::Error, format!("it cannot be read: {error}"));
                return Loaded {
                    problems: vec![problem],
                    ..Loaded::default()
                };
            }
        };
        let mut loaded = Loaded {
            hash: Some(trust::hash(&text, None, &NamedFiles::default())),
            ..Loaded::default()
        };
        for exposure in file::exposure(path, "the file") {
            loaded
                .problems
                .push(SpellProblem::new(path, Severity::Warning, exposure));
        }
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            loaded.problems.push(SpellProblem::new(
                path,
                Severity::Error,
                "its name is no text",
            ));
            return loaded;
        };
        let context = Context::default()
            .stem(stem)
            .variables(&self.options.variables)
            .reserved(&self.options.reserved)
            .folder(self.base);
        let read = Spell::parse(&text, &path.display().to_string(), &context);
        if let Some(mistakes) = read.mistakes {
            loaded.problems.push(SpellProblem::mistakes(path, mistakes));
        }
        for advice in read.advice.iter().flat_map(|advice| advice.iter()) {
            loaded
                .problems
                .push(SpellProblem::new(path, Severity::Warning, advised(advice)));
        }
        if let Some(spell) = read.value {
            let entry = self.entry(spell, path, &mut loaded.problems);
            loaded.hash = entry.as_ref().map(|entry| {
                let schema = entry.spell.schema_file();
                trust::hash(&text, schema, &entry.files)
            });
            loaded.entry = entry.map(Arc::new);
        }
        loaded
    }

    /// The hash of a spell with this text, and the files that it names. A text that is no spell names none.
    pub(crate) fn content(
        path: &Path,
        text: &str,
        options: &SpellOptions,
    ) -> io::Result<(String, NamedFiles)> {
        let path = file::absolute(path);
        let folder = path.parent().unwrap_or(&path);
        let base = folder.parent().unwrap_or(folder);
        let context = Context::default()
            .variables(&options.variables)
            .folder(base);
        let mut loader = Loader::new(base, options);
        let Some(spell) = Spell::parse(text, "", &context).value else {
            let files = NamedFiles::default();
            return Ok((trust::hash(text, None, &files), files));
        };
        let (roots, program) = (loader.roots(&spell), loader.program(&spell.command[0]));
        let files = loader.files(&spell, program.as_deref().ok(), &roots, true)?;
        Ok((trust::hash(text, spell.schema_file(), &files), files))
    }

    /// The folders of a spell as they are now.
    fn roots(&mut self, spell: &Spell) -> Vec<PathBuf> {
        let folders = spell.paths.iter();
        folders.map(|folder| self.root(folder).0).collect()
    }

    fn files(
        &self,
        spell: &Spell,
        program: Option<&Path>,
        roots: &[PathBuf],
        hashed: bool,
    ) -> io::Result<NamedFiles> {
        let roots = roots.iter().map(PathBuf::as_path);
        let folders: Vec<&Path> = roots.chain([self.base]).collect();
        NamedFiles::find(spell, program, &folders, hashed)
    }

    /// A spell that can be cast; `None` if a file that it names must be read for that, and cannot be.
    fn entry(
        &mut self,
        spell: Spell,
        path: &Path,
        problems: &mut Vec<SpellProblem>,
    ) -> Option<LoadedSpell> {
        let mut warn =
            |message: String| problems.push(SpellProblem::new(path, Severity::Warning, message));
        let program = self.program(&spell.command[0]);
        if let Err(error) = &program {
            warn(error.message.clone());
        }
        let mut roots = Vec::new();
        for folder in &spell.paths {
            let (root, exists) = self.root(folder);
            if !exists {
                warn(format!("the folder `{}` does not exist", root.display()));
            } else if roots.is_empty() && !root.is_dir() {
                warn(format!(
                    "`{}` is a file, and the first of `paths` is where it runs",
                    root.display()
                ));
            }
            roots.push(root);
        }
        if let Some(lack) = confine::lack(&spell, self.options) {
            warn(lack);
        }
        advice::script_advice(&spell, self.base)
            .into_iter()
            .for_each(&mut warn);
        let declared = spell.output.as_ref().map(OutputRules::declared);
        let declared = declared.unwrap_or_default();
        for note in declared.schema.iter().flat_map(|schema| schema.notes()) {
            warn(format!("the schema of its output, {note}"));
        }
        let structure = declared
            .add_to(spell.structure(&self.options.structure))
            .redactor(self.options.engine.redactor().clone());
        let locked = self.options.locked.is_some();
        let files = match self.files(&spell, program.as_deref().ok(), &roots, locked) {
            Ok(files) => files,
            Err(error) => {
                let message = format!("a file that it names cannot be read: {error}");
                problems.push(SpellProblem::new(path, Severity::Error, message));
                return None;
            }
        };
        Some(LoadedSpell {
            tool: Arc::new(schema::tool(
                &spell,
                declared.data_schema(),
                structure.asks_for_json(),
            )),
            structure,
            environment: environment::of_spell(&spell, &self.environment),
            file: path.to_owned(),
            program,
            roots,
            files,
            spell,
        })
    }

    fn program(&mut self, name: &str) -> Result<PathBuf, CallError> {
        if let Some(found) = self.programs.get(name) {
            return found.clone();
        }
        let found = find_program(name, &self.search_path, self.base);
        self.programs.insert(name.to_owned(), found.clone());
        found
    }

    /// A folder, or a file, as it is now, and whether it is there. A symlink in it that changes later changes nothing until the
    /// spell is loaded again.
    fn root(&mut self, folder: &Path) -> (PathBuf, bool) {
        let whole = self.base.join(folder);
        let settle = || {
            let root = folder::settle(&whole).unwrap_or_else(|_| whole.clone());
            let exists = root.exists();
            (root, exists)
        };
        self.folders
            .entry(folder.to_owned())
            .or_insert_with(settle)
            .clone()
    }
}

/// Advice in one line: where it is about, what it is, and what to write instead.
fn advised(advice: &Diagnostic) -> String {
    let hint = advice.hint.as_deref().map(|hint| format!("; {hint}"));
    format!(
        "line {}, column {}: {}{}",
        advice.line,
        advice.column,
        advice.message,
        hint.unwrap_or_default()
    )
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
