//! The things that a server of ours would serve: its options, configuration file, programs, folders, spells and audit
//! log.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use charmer_config::{Config, Diagnostics, LoadError, SourceKind};
use charmer_discover::{Discovery, cache::KeptState};
use charmer_run::process::resolve_program;
use charmer_spells::{SpellReport, check_folder};
use clap::Parser;

use crate::{
    args::{Args, CharmerCommand, ServedArgs},
    commands::check_config::is_error,
    programs,
    read::{self, Start},
    rights::quoted,
    settings::OWN_FILE,
    spells, unread,
};

use super::{
    conditions::StartConditions, finding::DoctorFinding, places::not_writable,
    registered::RegisteredServer, replay::is_executable,
};

/// A server of ours, and how its client starts it.
pub(super) struct ServedByClient<'r> {
    pub(super) registered: &'r RegisteredServer,
    pub(super) conditions: &'r StartConditions,
    pub(super) patience: Duration,
}

impl ServedByClient<'_> {
    /// Looks at all of it, and starts nothing but what tells a program's version.
    pub(super) async fn findings(&self) -> Vec<DoctorFinding> {
        let Some(words) = self.registered.served_words() else {
            return Vec::new();
        };
        let args = match self.parse(words) {
            Ok(args) => args,
            Err(finding) => return vec![finding],
        };
        let mut findings = Vec::new();
        let here = &self.conditions.folder;
        let config = match self.config(&args) {
            None => Config::default(),
            Some((file, Ok(config))) => {
                let message = format!("{} is valid", file.display());
                findings.push(DoctorFinding::ok("config", message));
                config
            }
            Some((_, Err(finding))) => return vec![finding],
        };
        let sought = sought(&args, &config);
        if sought.is_empty() && spell_folder(&args, &config, here).is_none() {
            let message = "it names no program and no spells, so it serves nothing";
            findings.push(DoctorFinding::problem("program", message).run_if(self.add_again()));
        }
        for name in &sought {
            findings.extend(self.program(name).await);
        }
        let folders = args.selection.folders.iter();
        findings.extend(folders.map(|folder| self.folder(&here.join(folder))));
        let spells = spell_folder(&args, &config, here);
        findings.extend(spells.map(|folder| self.spells(&folder)));
        findings.extend(config.audit.map(|audit| self.audit(&audit.file)));
        findings
    }

    fn add_again(&self) -> Option<String> {
        self.registered.add_again()
    }

    fn parse(&self, words: &[String]) -> Result<ServedArgs, DoctorFinding> {
        let line = ["charmer", "serve"].into_iter();
        match Args::try_parse_from(line.chain(words.iter().map(String::as_str))) {
            Ok(Args {
                command: CharmerCommand::Serve(args),
            }) => Ok(args.served),
            Ok(_) => unreachable!("`serve` is the first word"),
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                let first = self.conditions.shown(first.trim_start_matches("error: "));
                let message = format!("this charmer does not take the server's options: {first}");
                let finding = DoctorFinding::problem("command", message);
                Err(finding.run("charmer serve --help"))
            }
        }
    }

    /// The configuration file that it reads, if it reads one.
    fn config(&self, args: &ServedArgs) -> Option<(PathBuf, Result<Config, DoctorFinding>)> {
        let here = &self.conditions.folder;
        let named = !args.binaries.is_empty() || args.spells.spells.is_some();
        let file = match &args.selection.config {
            Some(file) => here.join(file),
            None if named => return None,
            None => Some(here.join(OWN_FILE)).filter(|file| file.is_file())?,
        };
        let shown = file.display().to_string();
        let config = Config::load(&file).map_err(|error| match error {
            LoadError::Invalid(mistakes) => {
                let message = format!("{shown} cannot be used: {}", first_mistake(&mistakes));
                DoctorFinding::problem("config", message)
                    .run(format!("charmer check {}", quoted(&shown)))
            }
            error => DoctorFinding::problem("config", error.to_string()).run_if(self.add_again()),
        });
        Some((file, config))
    }

    /// A program: whether this client finds it, and what is known of it.
    async fn program(&self, sought: &Path) -> Vec<DoctorFinding> {
        let search = self.conditions.search_path();
        let name = sought.display();
        let Ok(path) = resolve_program(sought, &search, &self.conditions.folder) else {
            let title = self.registered.client.title();
            let message = match programs::is_path(sought) {
                true => format!("there is no program at `{name}`"),
                false => {
                    format!("`{name}` is not on the PATH that {title} starts its servers with")
                }
            };
            let near = resolve_program(
                Path::new(&programs::name(sought)),
                &programs::search_path(),
                Path::new("/"),
            );
            // It is elsewhere, or has to be installed first.
            let run = near
                .ok()
                .and_then(|near| self.registered.add_other(sought, &near));
            let message = match &run {
                Some(_) => message,
                None => format!("{message}; install it"),
            };
            let finding = DoctorFinding::problem("program", message);
            return vec![finding.run_if(run.or_else(|| self.add_again()))];
        };
        let shown = path.display().to_string();
        if !is_executable(&path) {
            let finding = DoctorFinding::problem("program", format!("`{shown}` is not executable"));
            return vec![finding.run(format!("chmod +x {}", quoted(&shown)))];
        }
        let path = std::path::absolute(&path).unwrap_or(path);
        vec![self.kept(&path).await]
    }

    /// The finding on what its client's servers know of a program.
    async fn kept(&self, path: &Path) -> DoctorFinding {
        let environment = &self.conditions.environment;
        let cache = read::cache_of(|name| environment.get(name).map(OsString::from));
        let shown = path.display().to_string();
        let reads_it = format!("charmer tools {}", quoted(&shown));
        let Some(cache) = cache else {
            let message =
                format!("{shown} is read at each start: the server has no HOME to keep it in");
            return DoctorFinding::warning("program", message).run_if(self.add_again());
        };
        let state = match cache.state(path) {
            KeptState::Current(found) => return self.current(path, found, &reads_it).await,
            KeptState::Outdated => {
                "has changed since it was read; it is read again at the next start"
            }
            KeptState::Begun => "was not read to the end; the next start goes on with it",
            _ => "has not been read yet; the first start takes longer",
        };
        let own = read::cache();
        let own = own.as_ref().map(|own| own.folder());
        if own == Some(cache.folder()) {
            return DoctorFinding::warning("program", format!("{shown} {state}")).run(reads_it);
        }
        // What is read here is not found there.
        let there = cache.folder().display();
        let message = format!(
            "{shown} {state}; this client's servers keep what they read in {there}, not where this shell does"
        );
        let moved = ["CHARMER_CACHE", "XDG_CACHE_HOME"];
        let moved = moved.iter().find(|name| std::env::var_os(name).is_some());
        let again = self
            .add_again()
            .zip(moved)
            .map(|(again, name)| format!("{again} --env {name}"));
        DoctorFinding::warning("program", message).run_if(again.or(Some(reads_it)))
    }

    async fn current(&self, path: &Path, found: Box<Discovery>, reads_it: &str) -> DoctorFinding {
        let shown = path.display();
        if !found.complete {
            let name = programs::name(path);
            let missing = unread::sentence(&name, &found).map(|unread| unread.sentence);
            let message = missing.unwrap_or_else(|| format!("{shown} was not read to the end"));
            // What did not answer a few times is asked by this alone.
            let run = match found.tries < read::TRIES {
                true => reads_it.to_owned(),
                false => format!("{reads_it} --refresh"),
            };
            return DoctorFinding::warning("program", message).run(run);
        }
        let start = Start::Known(path.to_owned(), found);
        let holds = tokio::time::timeout(self.patience, start.still_holds()).await;
        match holds.unwrap_or(true) {
            true => DoctorFinding::ok("program", format!("{shown} has been read")),
            false => {
                let message = format!(
                    "{shown} has changed since it was read: it says something else of itself"
                );
                DoctorFinding::warning("program", message).run(format!("{reads_it} --refresh"))
            }
        }
    }

    fn folder(&self, folder: &Path) -> DoctorFinding {
        let shown = folder.display();
        match (folder.is_dir(), folder.exists()) {
            (true, _) => DoctorFinding::ok("folder", shown.to_string()),
            (false, exists) => {
                let what = if exists {
                    "is no folder"
                } else {
                    "is not there"
                };
                let message = format!("{shown}, which programs are to run in, {what}");
                DoctorFinding::problem("folder", message)
                    .run(format!("mkdir -p {}", quoted(&shown.to_string())))
            }
        }
    }

    fn spells(&self, folder: &Path) -> DoctorFinding {
        let shown = folder.display().to_string();
        let run = format!("charmer check {}", quoted(&shown));
        match check_folder(folder, &spells::options()) {
            Err(error) => {
                let message = format!("the spells in {shown} cannot be read: {error}");
                DoctorFinding::problem("spells", message).run_if(self.add_again())
            }
            Ok((reports, problems)) => {
                let wrong = reports
                    .iter()
                    .filter(|report| !SpellReport::is_ok(report))
                    .count();
                let wrong = wrong + problems.iter().filter(|problem| is_error(problem)).count();
                match wrong {
                    0 => DoctorFinding::ok(
                        "spells",
                        format!("{shown}: {} can be served", reports.len()),
                    ),
                    _ => {
                        let message = format!("{wrong} of the spells in {shown} cannot be served");
                        DoctorFinding::problem("spells", message).run(run)
                    }
                }
            }
        }
    }

    fn audit(&self, file: &Path) -> DoctorFinding {
        let shown = file.display();
        // The log makes its file, and no folder.
        let folder = file.parent().filter(|folder| !folder.is_dir());
        let reason = match folder {
            Some(folder) => Some(format!("there is no folder `{}`", folder.display())),
            None if file.is_dir() => Some("it is a folder".into()),
            None => not_writable(file),
        };
        let Some(reason) = reason else {
            return DoctorFinding::ok("audit", format!("calls are recorded in {shown}"));
        };
        let message = format!("calls cannot be recorded in {shown}: {reason}");
        let run =
            folder.map(|folder| format!("mkdir -p {}", quoted(&folder.display().to_string())));
        DoctorFinding::problem("audit", message).run_if(run)
    }
}

/// The programs that are served, as they are written.
fn sought(args: &ServedArgs, config: &Config) -> Vec<PathBuf> {
    let declared = config
        .sources
        .iter()
        .filter_map(|source| match &source.origin {
            SourceKind::Binary(path) => Some((path, source.prefix.as_deref())),
            _ => None,
        });
    if args.binaries.is_empty() {
        return declared.map(|(path, _)| path.clone()).collect();
    }
    let named = args.binaries.iter().map(|name| {
        let text = name.to_string_lossy();
        // A name alone is first of all one of the file's.
        let is_it = |(path, prefix): &(&PathBuf, Option<&str>)| {
            !programs::is_path(name) && (programs::name(path) == text || *prefix == Some(&*text))
        };
        let declared = declared.clone().find(is_it);
        declared.map_or_else(|| name.clone(), |(path, _)| path.clone())
    });
    named.collect()
}

/// The folder of spells that is served, if there is one.
fn spell_folder(args: &ServedArgs, config: &Config, here: &Path) -> Option<PathBuf> {
    if let Some(folder) = &args.spells.spells {
        return Some(here.join(folder));
    }
    if !args.binaries.is_empty() {
        return None;
    }
    config
        .sources
        .iter()
        .find_map(|source| match &source.origin {
            SourceKind::Spells(folder) => Some(folder.clone()),
            _ => None,
        })
}

/// The first mistake with its place, without any text of the file.
fn first_mistake(mistakes: &Diagnostics) -> String {
    let all = serde_json::to_value(mistakes).unwrap_or_default();
    let first = &all[0];
    let message = first["message"].as_str().unwrap_or("it is not valid");
    format!(
        "line {}, column {}: {message}",
        first["line"], first["column"]
    )
}
