//! The entry of a client's configuration that starts a server.
//!
//! Clients with a window start servers with a bare PATH and in another folder, so everything is written out: absolute
//! paths, the folder to work in, and a PATH that holds the folders of the programs and the system's, and nothing else of
//! whoever asked.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use charmer_clients::ServerEntry;
use clap::ValueEnum;

use crate::{
    args::ServedArgs, problem::Problem, programs, settings::Settings, spells::SpellFolder,
};

/// The surroundings of a person who wants an entry: what `charmer` is to them, and what they reach.
pub(crate) struct EntrySurroundings {
    /// The words that start `charmer`, the first of them an absolute path.
    pub(crate) charmer: Vec<String>,
    pub(crate) folder: PathBuf,
    /// The folders of their PATH.
    pub(crate) search: Vec<PathBuf>,
}

impl EntrySurroundings {
    /// Those of this process.
    pub(crate) fn here() -> Result<Self, Problem> {
        let unknown = |what: &str, error: std::io::Error| {
            Problem::failed(format!("{what} cannot be found out: {error}"))
        };
        let charmer =
            std::env::current_exe().map_err(|error| unknown("charmer's own path", error))?;
        let folder =
            std::env::current_dir().map_err(|error| unknown("the working folder", error))?;
        let search = programs::search_path();
        Ok(Self {
            charmer: starts(&charmer, &search),
            folder,
            search,
        })
    }
}

/// The words that start this program the next time. A copy that `uvx` or `npx` unpacked for one run may be gone by then, so
/// it is started through them again.
fn starts(charmer: &Path, search: &[PathBuf]) -> Vec<String> {
    let is_within = |folder: &str| charmer.components().any(|part| part.as_os_str() == folder);
    let runner = if is_within("_npx") {
        Some(("npx", &["--yes", "charmer-mcp"][..]))
    } else if is_within("archive-v0") {
        Some(("uvx", &["charmer-mcp"][..]))
    } else {
        None
    };
    let found = runner.and_then(|(name, words)| Some((on_path(name, search)?, words)));
    let Some((runner, words)) = found else {
        return vec![charmer.to_string_lossy().into_owned()];
    };
    let mut start = vec![runner.to_string_lossy().into_owned()];
    start.extend(words.iter().map(|word| (*word).to_owned()));
    start
}

/// The file of this name that is first on the path.
fn on_path(name: &str, search: &[PathBuf]) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let mut files = search.iter().map(|folder| folder.join(&name));
    files.find(|file| file.is_file())
}

/// The entry that starts what was asked for.
pub(crate) fn entry(
    args: &ServedArgs,
    settings: &Settings,
    here: &EntrySurroundings,
) -> ServerEntry {
    let (command, leading) = here.charmer.split_first().expect("a program has a path");
    let mut entry = ServerEntry::new(server_name(settings), command);
    entry.args.extend(leading.iter().cloned());
    entry.args.extend(words(args, settings, &here.folder));
    let needed = needed_path(settings, here);
    if let Ok(path) = std::env::join_paths(needed) {
        let path = path.to_string_lossy().into_owned();
        entry.env.push(("PATH".to_owned(), path));
    }
    entry.env.extend(manager_variables(settings));
    // The client's surroundings may lead to another one, where nothing is accepted.
    let accepted = settings.spells.as_ref().and_then(SpellFolder::accepted_in);
    if let Some(accepted) = accepted {
        let accepted = accepted.to_string_lossy().into_owned();
        entry.env.push(("CHARMER_DATA".to_owned(), accepted));
    }
    entry
}

/// The variables that tell version managers where they keep what they start, if one of the programs is theirs: such a
/// program starts another, and looks for it in the home folder otherwise.
fn manager_variables(settings: &Settings) -> Vec<(String, String)> {
    let set: Vec<(String, String)> = charmer_discover::probe::manager_variables()
        .filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)))
        .collect();
    let is_managed = settings.programs.iter().any(|program| {
        let mut roots = set.iter().map(|(_, root)| Path::new(root));
        roots.any(|root| root.is_absolute() && program.path.starts_with(root))
    });
    if is_managed { set } else { Vec::new() }
}

/// The folders of a PATH that is enough: those of the programs, of what runs those that are scripts, and the system's.
fn needed_path(settings: &Settings, here: &EntrySurroundings) -> Vec<PathBuf> {
    let programs = settings.programs.iter().map(|program| program.path.clone());
    let started =
        std::iter::once(PathBuf::from(&here.charmer[0])).filter(|_| here.charmer.len() > 1);
    let mut folders: Vec<PathBuf> = Vec::new();
    for program in programs.chain(started) {
        let interpreter = interpreter(&program).and_then(|name| on_path(&name, &here.search));
        let files = [Some(program), interpreter].into_iter().flatten();
        folders.extend(files.filter_map(|file| Some(file.parent()?.to_owned())));
    }
    folders.extend(system_folders());
    let mut once: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if !once.contains(&folder) {
            once.push(folder);
        }
    }
    once
}

/// The program that a script asks `env` to find.
fn interpreter(script: &Path) -> Option<String> {
    let mut head = [0; 256];
    let length = std::fs::File::open(script).ok()?.read(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head[..length]);
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let is_env = Path::new(words.next()?).file_name()? == "env";
    words
        .find(|word| is_env && !word.starts_with('-') && !word.contains('='))
        .map(str::to_owned)
}

/// The folders that programs of the system are in.
fn system_folders() -> Vec<PathBuf> {
    if cfg!(windows) {
        let root = std::env::var_os("SystemRoot").unwrap_or_else(|| "C:\\Windows".into());
        let root = PathBuf::from(root);
        return vec![root.join("System32"), root];
    }
    let folders = [
        "/opt/homebrew/bin",
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
        "/usr/local/sbin",
        "/usr/sbin",
        "/sbin",
    ];
    let folders = folders.map(PathBuf::from);
    folders
        .into_iter()
        .filter(|folder| folder.is_dir())
        .collect()
}

/// The name of the server: the file's, or else those of its programs, and its spells.
pub(crate) fn server_name(settings: &Settings) -> String {
    if let Some(name) = &settings.config.server.name {
        return name.clone();
    }
    let mut names: Vec<String> = Vec::new();
    for program in &settings.programs {
        let name = program.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if settings.spells.is_some() {
        names.push("spells".to_owned());
    }
    names.join("-")
}

/// The same command line, with absolute paths.
pub(crate) fn words(args: &ServedArgs, settings: &Settings, folder: &Path) -> Vec<String> {
    let shown = |path: PathBuf| path.to_string_lossy().into_owned();
    // With the file of this folder, where that was found by itself.
    let selection = &settings.selection;
    let mut words = vec!["serve".to_owned()];
    if !args.binaries.is_empty() {
        words.extend(
            settings
                .programs
                .iter()
                .map(|program| shown(program.path.clone())),
        );
    }
    let mut option = |name: &str, value: Option<String>| {
        words.push(match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    };
    if let Some(file) = &selection.config {
        let file = folder.join(file);
        option(
            "config",
            Some(shown(std::path::absolute(&file).unwrap_or(file))),
        );
    }
    if let Some(spells) = &args.spells.spells {
        let spells = folder.join(spells);
        option(
            "spells",
            Some(shown(std::path::absolute(&spells).unwrap_or(spells))),
        );
    }
    if args.spells.locked {
        option("locked", None);
    }
    for glob in &selection.allow {
        option("allow", Some(glob.clone()));
    }
    for glob in &selection.deny {
        option("deny", Some(glob.clone()));
    }
    if selection.read_only {
        option("read-only", None);
    }
    if selection.all_flags {
        option("all-flags", None);
    }
    for flag in &selection.with_flags {
        option("with-flag", Some(flag.clone()));
    }
    for set in &selection.set {
        option("set", Some(set.word()));
    }
    for path in work_folders(settings, folder) {
        option("folder", Some(shown(path)));
    }
    if let Some(network) = selection.network {
        option("network", Some(value_name(&network)));
    }
    if let Some(confine) = selection.confine {
        option("confine", Some(value_name(&confine)));
    }
    if let Some(ask) = selection.ask {
        option("ask", Some(value_name(&ask)));
    }
    for path in &selection.credentials {
        // One with `~` is the home folder's wherever it is read.
        let path = match path.starts_with("~") {
            true => path.clone(),
            false => folder.join(path),
        };
        option("credential", Some(shown(path)));
    }
    if let Some(layout) = selection.layout {
        option("layout", Some(value_name(&layout)));
    }
    if let Some(structure) = selection.structure {
        option("structure", Some(value_name(&structure)));
    }
    if let Some(results) = selection.results {
        option("results", Some(value_name(&results)));
    }
    let showing = &args.showing;
    if let Some(mode) = showing.expose {
        option("expose", Some(value_name(&mode)));
    }
    if let Some(budget) = showing.budget {
        option("budget", Some(budget.to_string()));
    }
    if let Some(descriptions) = showing.descriptions {
        option("descriptions", Some(value_name(&descriptions)));
    }
    for glob in &showing.pin {
        option("pin", Some(glob.clone()));
    }
    for glob in &showing.hide {
        option("hide", Some(glob.clone()));
    }
    if showing.promote {
        option("promote", None);
    }
    if showing.prompts {
        option("prompts", None);
    }
    if selection.refresh {
        option("refresh", None);
    }
    if let Some(timeout) = args.timeout {
        option(
            "timeout",
            Some(humantime::format_duration(timeout).to_string()),
        );
    }
    if let Some(time) = args.background_after {
        option(
            "background-after",
            Some(humantime::format_duration(time).to_string()),
        );
    }
    words
}

/// The folders to work in: those that were given, or else the current one, which a client would not know of. A folder that
/// the file fixes for a program stays what it is.
fn work_folders(settings: &Settings, here: &Path) -> Vec<PathBuf> {
    let given = &settings.selection.folders;
    let is_fixed = settings
        .programs
        .iter()
        .any(|one| one.source.folder.is_some());
    if given.is_empty() && !settings.programs.is_empty() && !is_fixed {
        return vec![here.to_owned()];
    }
    let folders = given.iter().map(|path| here.join(path));
    folders
        .map(|path| path.canonicalize().unwrap_or(path))
        .collect()
}

/// The value as the command line writes it.
fn value_name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
