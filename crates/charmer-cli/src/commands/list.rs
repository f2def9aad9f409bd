//! `charmer list`: the clients on this machine, and the servers of ours that they have.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use charmer_clients::{ClientFile, KnownClient, Machine, Scope, ServerEntry};
use clap::Parser;
use serde_json::{Value, json};

use crate::{
    args::{Args, CharmerCommand, ListArgs, ServedArgs},
    clients::{at_home, machine, masked, served_words},
    commands::client_entry::EntrySurroundings,
    output::{BOLD, DIM, GREEN, RED, print, print_raw, styled},
    problem::Problem,
    programs,
};

pub(crate) fn run(args: &ListArgs) -> Result<ExitCode, Problem> {
    let machine = machine();
    let folder = EntrySurroundings::here()?.folder;
    let clients: Vec<Listed> = KnownClient::all()
        .iter()
        .map(|client| Listed::new(client, &machine, &folder))
        .filter(|listed| listed.is_here)
        .collect();
    if args.json {
        let clients: Vec<Value> = clients.iter().map(Listed::json).collect();
        print_raw(format!("{:#}\n", json!({ "clients": clients })).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if clients.is_empty() {
        print(
            "No client was found on this machine.\n\n  charmer add PROGRAM --to CLIENT\n      writes a client's file before it is installed; `charmer add --help` lists the clients\n",
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let text: String = clients.iter().map(Listed::text).collect();
    print(&text)?;
    if clients
        .iter()
        .all(|listed| listed.servers().next().is_none())
    {
        let first = clients[0].client.id();
        print(&format!(
            "\nNone of them has a server of charmer's yet:\n  charmer add PROGRAM --to {first}\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A client and what its files say.
struct Listed {
    client: &'static KnownClient,
    is_here: bool,
    files: Vec<ListedFile>,
}

/// One file of a client.
struct ListedFile {
    scope: Scope,
    path: PathBuf,
    exists: bool,
    /// The reason why it cannot be read.
    error: Option<String>,
    servers: Vec<(ServerEntry, Result<(), String>)>,
}

impl Listed {
    fn new(client: &'static KnownClient, machine: &Machine, folder: &Path) -> Self {
        let files = [Scope::User, Scope::Project]
            .into_iter()
            .filter_map(|scope| {
                let path = client.file(scope, machine, folder).ok()?;
                // A project without a file of the client's says nothing.
                (scope == Scope::User || path.exists())
                    .then(|| ListedFile::new(client, scope, path))
            });
        let files: Vec<ListedFile> = files.collect();
        let has_project_file = files.iter().any(|file| file.scope == Scope::Project);
        Self {
            client,
            is_here: client.is_here(machine) || has_project_file,
            files,
        }
    }

    fn servers(&self) -> impl Iterator<Item = &(ServerEntry, Result<(), String>)> {
        self.files.iter().flat_map(|file| &file.servers)
    }

    fn json(&self) -> Value {
        let files: Vec<Value> = self.files.iter().map(ListedFile::json).collect();
        let servers = self.files.iter().flat_map(|file| {
            file.servers.iter().map(|(entry, starts)| {
                json!({
                    "name": entry.name,
                    "scope": scope_name(file.scope),
                    "file": file.path,
                    "command": entry.command,
                    "args": masked(&entry.args),
                    "starts": starts.is_ok(),
                    "problem": starts.as_ref().err(),
                })
            })
        });
        json!({
            "client": self.client.id(),
            "title": self.client.title(),
            "files": files,
            "servers": servers.collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let title = styled(BOLD, self.client.title());
        let mut text = format!(
            "{title} {}\n",
            styled(DIM, format!("({})", self.client.id()))
        );
        for file in &self.files {
            text.push_str(&file.text());
        }
        text
    }
}

impl ListedFile {
    fn new(client: &'static KnownClient, scope: Scope, path: PathBuf) -> Self {
        let read = ClientFile::read(client, scope, &path);
        let (servers, error) = match read {
            Ok(file) => (file.entries(), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let ours = servers.into_iter().filter_map(|entry| {
            let starts = would_start(&entry, served_words(&entry)?);
            Some((entry, starts))
        });
        Self {
            scope,
            exists: path.exists(),
            error,
            servers: ours.collect(),
            path,
        }
    }

    fn json(&self) -> Value {
        json!({
            "scope": scope_name(self.scope),
            "path": self.path,
            "exists": self.exists,
            "error": self.error,
        })
    }

    fn text(&self) -> String {
        let note = match (self.exists, self.scope) {
            (false, _) => "  (not there yet)",
            (true, Scope::Project) => "  (this folder's)",
            (true, _) => "",
        };
        let mut text = format!("  {}{}\n", at_home(&self.path), styled(DIM, note));
        if let Some(error) = &self.error {
            let error = error.replace('\n', "\n    ");
            text.push_str(&format!("    {} {error}\n", styled(RED, "✗")));
        }
        for (entry, starts) in &self.servers {
            text.push_str(&match starts {
                Ok(()) => format!("    {} {}\n", styled(GREEN, "✓"), entry.name),
                Err(problem) => {
                    format!("    {} {}: {problem}\n", styled(RED, "✗"), entry.name)
                }
            });
        }
        text
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Project => "project",
        _ => "user",
    }
}

/// Tells whether what an entry names is there: the command, the programs, the files and folders. Nothing is started for
/// it.
fn would_start(entry: &ServerEntry, words: &[String]) -> Result<(), String> {
    let command = Path::new(&entry.command);
    if programs::find(command, Path::new("/")).is_err() {
        return Err(format!("`{}` is not there any more", entry.command));
    }
    let line = ["charmer", "serve"]
        .into_iter()
        .chain(words.iter().map(String::as_str));
    let parsed = Args::try_parse_from(line).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        first.trim_start_matches("error: ").to_owned()
    })?;
    let CharmerCommand::Serve(args) = parsed.command else {
        return Err("it does not serve anything".to_owned());
    };
    let ServedArgs {
        binaries,
        selection,
        spells,
        ..
    } = &args.served;
    for program in binaries {
        if programs::find(program, Path::new("/")).is_err() {
            return Err(format!(
                "the program `{}` is not there any more",
                program.display()
            ));
        }
    }
    let files = selection
        .config
        .iter()
        .chain(&spells.spells)
        .chain(&selection.folders);
    for file in files {
        if !file.exists() {
            return Err(format!("`{}` is not there any more", file.display()));
        }
    }
    Ok(())
}
