//! A server's command line for other machines: what is the same everywhere, and what a person there must be asked for.

use std::path::{Path, PathBuf};

use charmer_config::{Config, SourceKind};
use charmer_run::folder::Folders;

use crate::{
    args::ServedArgs,
    commands::client_entry,
    hooks,
    problem::Problem,
    programs,
    settings::{ServedProgram, Settings, home},
};

/// A program as another machine has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PortableProgram {
    /// The charmer.yaml has it under this name, and says how it is found.
    OfFile(String),
    /// It goes by this name, and a person may say where it is.
    Named(String),
}

/// The parts of a server's command line.
#[derive(Debug)]
pub(super) struct PortableServer {
    pub(super) programs: Vec<PortableProgram>,
    /// The options that mean the same everywhere, as words.
    pub(super) options: Vec<String>,
    /// The folders to work in, each with the place that is offered for it.
    pub(super) folders: Vec<Option<PathBuf>>,
}

impl PortableServer {
    pub(super) fn new(options: &ServedArgs, settings: &Settings) -> Result<Self, Problem> {
        if let Some(included) = &settings.config.include {
            let message = format!(
                "the file includes `{}`, which other machines do not have",
                included.display()
            );
            return Err(Problem::mistake(message).hint("export a charmer.yaml without `include`"));
        }
        if hooks::has_any(&settings.config) {
            let message = "the file has `hooks`, whose programs other machines do not have: every call would be refused";
            return Err(Problem::mistake(message).hint("export a charmer.yaml without `hooks`"));
        }
        let mut words = portable_options(options);
        for path in &options.selection.credentials {
            words.push(format!("--credential={}", credential(path)?));
        }
        Ok(Self {
            programs: named_programs(options, settings)?,
            options: words,
            folders: folders(settings),
        })
    }
}

/// The options that mean the same on every machine, as words.
fn portable_options(options: &ServedArgs) -> Vec<String> {
    let args = options.portable();
    let settings = Settings {
        config: Config::default(),
        folder: PathBuf::new(),
        programs: Vec::new(),
        spells: None,
        folders: Folders::default(),
        selection: args.selection.clone(),
        own_credentials: false,
    };
    // Without the word `serve`.
    client_entry::words(&args, &settings, Path::new("")).split_off(1)
}

/// The first thing that is said of what is served, where nothing is to be said.
pub(super) fn first_said(options: &ServedArgs) -> Option<String> {
    let selection = &options.selection;
    let paths = [
        ("--config", selection.config.is_some()),
        ("--spells", options.spells.spells.is_some()),
        ("--locked", options.spells.locked),
        ("--folder", !selection.folders.is_empty()),
        ("--credential", !selection.credentials.is_empty()),
    ];
    let program = options.binaries.first();
    let program = program.map(|path| path.display().to_string());
    let path = paths.iter().find(|(_, given)| *given);
    program
        .or_else(|| path.map(|(option, _)| (*option).to_owned()))
        .or_else(|| portable_options(options).into_iter().next())
}

/// Returns true if a program is one of those that the charmer.yaml declares.
fn is_of_file(program: &ServedProgram, settings: &Settings) -> bool {
    let line = program.source.position.line;
    let mut sources = settings.config.sources.iter();
    sources.any(|source| source.position.line == line)
}

/// The programs that the command line names. Where it names none, the file says which there are.
fn named_programs(
    options: &ServedArgs,
    settings: &Settings,
) -> Result<Vec<PortableProgram>, Problem> {
    for program in settings.programs.iter().filter(|p| is_of_file(p, settings)) {
        let SourceKind::Binary(written) = &program.source.origin else {
            continue;
        };
        if programs::is_path(written) {
            return Err(Problem::mistake(format!(
                "`{}` in the file is a path, and other machines may have the program elsewhere",
                written.display()
            ))
            .hint(format!(
                "write `binary: {}` there, which is looked for on the PATH",
                programs::name(written)
            )));
        }
    }
    let named = options.binaries.iter().zip(&settings.programs);
    Ok(named
        .map(|(word, program)| match is_of_file(program, settings) {
            true => PortableProgram::OfFile(match programs::is_path(word) {
                true => program.name(),
                false => word.to_string_lossy().into_owned(),
            }),
            false => PortableProgram::Named(program.name()),
        })
        .collect())
}

/// The folders that a person is asked for: those that were named, or one where nothing says where programs run.
fn folders(settings: &Settings) -> Vec<Option<PathBuf>> {
    let named = &settings.selection.folders;
    if !named.is_empty() {
        return named.iter().cloned().map(Some).collect();
    }
    let unsaid = |program: &ServedProgram| program.source.folder.is_none();
    match settings.programs.iter().any(unsaid) {
        true => vec![None],
        false => Vec::new(),
    }
}

/// A file of secrets, by a path that is right in anybody's home folder.
fn credential(path: &Path) -> Result<String, Problem> {
    let below = match path.strip_prefix("~") {
        Ok(_) => return Ok(path.to_string_lossy().into_owned()),
        Err(_) => path.strip_prefix(home()),
    };
    below
        .map(|rest| Path::new("~").join(rest).to_string_lossy().into_owned())
        .map_err(|_| {
            Problem::mistake(format!(
                "`--credential {}` is a path of this machine",
                path.display()
            ))
            .hint("name a file in the home folder, as in `--credential ~/.config/gh`")
        })
}
