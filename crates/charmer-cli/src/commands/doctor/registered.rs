//! The servers that clients have, from their own files.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_clients::{ClientFile, KnownClient, Scope, ServerEntry};

use crate::{
    clients::{self, masked},
    rights::quoted,
};

use super::finding::{DoctorFinding, EntryPlace};

/// A server that a client would start.
pub(super) struct RegisteredServer {
    pub(super) client: &'static KnownClient,
    pub(super) scope: Scope,
    pub(super) entry: ServerEntry,
    pub(super) place: Arc<EntryPlace>,
}

/// All that the clients' files say.
#[derive(Default)]
pub(super) struct Registry {
    /// The servers, whoever made them.
    pub(super) servers: Vec<RegisteredServer>,
    /// Files that could not be read.
    pub(super) unreadable: Vec<DoctorFinding>,
    /// Any client is on the machine.
    pub(super) has_clients: bool,
}

/// Reads the files of all clients: the person's, and those of the project in `folder`.
pub(super) fn read(folder: &Path) -> Registry {
    let machine = clients::machine();
    let mut registry = Registry::default();
    let mut seen: Vec<(PathBuf, &str)> = Vec::new();
    for client in KnownClient::all() {
        registry.has_clients |= client.is_here(&machine);
        for scope in [Scope::User, Scope::Project] {
            let Ok(path) = client.file(scope, &machine, folder) else {
                continue;
            };
            // In the home folder the project's file may be the person's.
            if !path.exists() || seen.contains(&(path.clone(), client.id())) {
                continue;
            }
            seen.push((path.clone(), client.id()));
            registry.read_file(client, scope, path);
        }
    }
    registry
}

impl Registry {
    fn read_file(&mut self, client: &'static KnownClient, scope: Scope, path: PathBuf) {
        let place = |server: Option<String>| {
            Arc::new(EntryPlace {
                client: Some(client.id()),
                client_title: client.title(),
                scope: Some(scope_name(scope)),
                file: Some(path.clone()),
                server,
            })
        };
        match ClientFile::read(client, scope, &path) {
            Ok(file) => {
                let servers = file.entries().into_iter().map(|entry| RegisteredServer {
                    client,
                    scope,
                    place: place(Some(entry.name.clone())),
                    entry,
                });
                self.servers.extend(servers);
            }
            Err(error) => {
                let message = format!("{}; the client cannot read it either", error.summary());
                let finding = DoctorFinding::problem("file", message);
                self.unreadable.push(finding.at(&place(None)));
            }
        }
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
    }
}

impl RegisteredServer {
    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.entry.name
    }

    /// The words behind `serve`, if it starts `charmer serve`; `None` for the servers of others.
    pub(super) fn served_words(&self) -> Option<&[String]> {
        clients::served_words(&self.entry)
    }

    /// Returns true if its command is charmer itself, and no program that starts it.
    pub(super) fn starts_charmer(&self) -> bool {
        clients::is_charmer(&self.entry.command)
    }

    /// The command line that registers it anew, without values that may be secrets.
    pub(super) fn add_again(&self) -> Option<String> {
        Some(self.add(masked(self.served_words()?)))
    }

    /// The same with another program in the place of one that is missing; `None` if it is not named there.
    pub(super) fn add_other(&self, missing: &Path, found: &Path) -> Option<String> {
        let mut words = masked(self.served_words()?);
        let word = words.iter_mut().find(|word| Path::new(word) == missing)?;
        *word = found.to_string_lossy().into_owned();
        Some(self.add(words))
    }

    fn add(&self, served: Vec<String>) -> String {
        let mut words = vec!["charmer".to_owned(), "add".to_owned()];
        words.extend(served);
        words.extend(["--name", self.name(), "--to", self.client.id()].map(str::to_owned));
        if self.scope == Scope::Project {
            words.extend(["--scope", "project"].map(str::to_owned));
        }
        let variables = self.entry.env.iter().map(|(name, _)| name);
        for name in variables.filter(|name| *name != "PATH") {
            words.extend(["--env".to_owned(), name.clone()]);
        }
        line(&words)
    }

    /// The command line that shows what the server would offer, or why it cannot.
    pub(super) fn tools_of_it(&self) -> Option<String> {
        let mut words = vec!["charmer".to_owned(), "tools".to_owned()];
        let mut served = masked(self.served_words()?).into_iter();
        while let Some(word) = served.next() {
            // The options that `tools` does not have.
            match word.as_str() {
                "--timeout" | "--background-after" => drop(served.next()),
                word if word.starts_with("--timeout=") => {}
                word if word.starts_with("--background-after=") => {}
                _ => words.push(word),
            }
        }
        Some(line(&words))
    }

    /// The values of its environment and of pinned flags, which nobody but the server is to see.
    pub(super) fn secrets(&self) -> Vec<String> {
        let variables = self.entry.env.iter().map(|(_, value)| value.clone());
        let words = self.entry.args.iter().enumerate();
        let pinned = words.filter_map(|(at, word)| {
            let flag = match word.strip_prefix("--set=") {
                Some(flag) => flag,
                None if at > 0 && self.entry.args[at - 1] == "--set" => word,
                None => return None,
            };
            Some(flag.split_once('=')?.1.to_owned())
        });
        variables.chain(pinned).collect()
    }
}

fn line(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}
