//! `charmer export`: what is served, in forms that others install. A file for each form; here is what they share: the
//! programs as a server would offer them, and how a file is written.

mod bundle;
mod portable;
mod server_json;
mod skill;
mod skill_lines;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use charmer_core::{model::Cli, text::shorten};
use charmer_discover::Discovery;
use serde_json::Value;

use crate::{
    args::{Destination, ExportArgs, ExportCommand, ServedArgs},
    assemble::{AssembledTools, Assembler, Purpose},
    commands::check_config::is_error,
    identity::exported_version,
    output::{self, print, print_raw},
    problem::Problem,
    read::read,
    runtime,
    settings::Settings,
    spells,
};

/// The word that stands for standard output.
const STANDARD_OUTPUT: &str = "-";

pub(crate) fn run(args: &ExportArgs) -> Result<ExitCode, Problem> {
    match &args.command {
        ExportCommand::Mcpb(args) => bundle::run(args)?,
        ExportCommand::ServerJson(args) => server_json::run(args)?,
        ExportCommand::Skill(args) => skill::run(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Programs that were read, and what a server would offer of them.
struct ReadPrograms {
    settings: Settings,
    found: Vec<Option<Discovery>>,
    assembler: Assembler,
    assembled: AssembledTools,
}

impl ReadPrograms {
    fn read(options: &ServedArgs) -> Result<Self, Problem> {
        if options.spells.locked {
            return Err(Problem::mistake(
                "--locked cannot be exported: what was accepted here is not known elsewhere",
            )
            .hint("leave it out; the spells of a bundle are as they were when it was made"));
        }
        let settings = Settings::served(options)?;
        let found = runtime::block_on(read(&settings.programs, options.selection.refresh))?;
        let found: Vec<_> = found.into_iter().map(Some).collect();
        // As for a server, so that the list is the server's own.
        let (assembler, warnings) = Assembler::new(settings.clone(), Purpose::Server);
        let assembled = assembler.assemble(&found)?;
        if let Some(book) = &assembler.spells {
            let problems = book.problems();
            spells::warn_of(&problems);
            if problems.iter().any(is_error) {
                return Err(Problem::failed("some spells cannot be served")
                    .hint("correct them, or remove them from their folder"));
            }
        }
        warnings.iter().for_each(|message| output::warn(message));
        assembled.warn();
        Ok(Self {
            settings,
            found,
            assembler,
            assembled,
        })
    }

    fn models(&self) -> impl Iterator<Item = &Cli> {
        self.found.iter().flatten().map(|found| &found.cli)
    }

    fn version(&self) -> String {
        let line = self.models().next().and_then(|cli| cli.version.as_deref());
        exported_version(&self.settings, line)
    }

    /// The purpose of the programs, in at most so many bytes.
    fn description(&self, most: usize) -> String {
        let mut names: Vec<String> = self.models().map(|cli| cli.root.name.clone()).collect();
        if self.settings.spells.is_some() {
            names.push("spells".to_owned());
        }
        let about = match self.found.as_slice() {
            [Some(found)] if self.settings.spells.is_none() => about(&found.cli),
            _ => None,
        };
        let only = match self.settings.selection.read_only {
            true => ", only reading",
            false => "",
        };
        let end = format!("{}{only}, served by Charmer", listed(&names));
        match about {
            // What is served is always said; what it is for, as far as there is room.
            Some(about) if end.len() + 20 < most => {
                let about = shorten(&about, most - end.len() - " ()".len());
                format!("{about} ({end})")
            }
            _ => shorten(&format!("Commands of {end}"), most),
        }
    }
}

/// The first sentence that a program's help says of it, if there is one.
fn about(cli: &Cli) -> Option<String> {
    let text = cli
        .root
        .about
        .as_deref()
        .or(cli.root.long_about.as_deref())?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.split(". ").next().unwrap_or(line);
    Some(line.trim_end_matches(['.', ':']).to_owned()).filter(|line| !line.is_empty())
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl Destination {
    /// The file that is meant; `None` stands for standard output.
    fn file(&self, usual: impl Into<PathBuf>) -> Option<PathBuf> {
        match &self.output {
            Some(path) if path.as_os_str() == STANDARD_OUTPUT => None,
            Some(path) => Some(path.clone()),
            None => Some(usual.into()),
        }
    }

    /// Refuses to replace a file that nobody said may be replaced. Programs take a while to be read, so this is looked at
    /// before, and again when the file is written.
    fn check(&self, file: &Path) -> Result<(), Problem> {
        if file.is_dir() {
            return Err(
                Problem::mistake(format!("`{}` is a folder", file.display())).hint(format!(
                    "name the file, as in `-o {}`",
                    file.join("FILE").display()
                )),
            );
        }
        match file.exists() && !self.force {
            true => Err(is_there(file)),
            false => Ok(()),
        }
    }

    /// Writes a file as a whole or not at all, and says so.
    fn write(&self, file: &Path, bytes: &[u8], mut report: Value) -> Result<(), Problem> {
        let folder = match file.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let failed = |error: io::Error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "its folder is not there".to_owned(),
                _ => error.to_string(),
            };
            Problem::failed(format!("`{}` cannot be written: {why}", file.display()))
                .hint("check that its folder is there and that you may write to it")
        };
        let mut temporary = new_file(folder).map_err(failed)?;
        temporary
            .write_all(bytes)
            .and_then(|()| temporary.as_file().sync_all())
            .map_err(failed)?;
        let placed = match self.force {
            true => temporary.persist(file),
            false => temporary.persist_noclobber(file),
        };
        placed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => is_there(file),
            _ => failed(error.error),
        })?;
        match self.json {
            true => {
                report["path"] = file.to_string_lossy().into();
                report["bytes"] = bytes.len().into();
                print_raw(format!("{report:#}\n").as_bytes())
            }
            false => print(&format!("{}\n", file.display())),
        }
    }
}

fn is_there(file: &Path) -> Problem {
    Problem::mistake(format!("there is a file `{}` already", file.display()))
        .hint("--force replaces it; `-o PATH` writes another one")
}

/// A temporary file, with the rights that any new file has.
fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".charmer-export-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{Command, Syntax};

    use super::*;

    #[test]
    fn a_program_is_described_by_the_first_sentence_of_its_help() {
        let of = |text: &str| about(&Cli::new(Command::new("x").about(text), Syntax::pflag()));
        assert_eq!(
            of("Keeps ships. Sinks them.").as_deref(),
            Some("Keeps ships")
        );
        assert_eq!(of("\nKeeps ships:\n  all").as_deref(), Some("Keeps ships"));
        assert_eq!(of(" "), None);
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
