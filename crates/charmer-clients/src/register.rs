//! Putting a server into clients and taking it out again, as `charmer` and every CLI with the library do it.

use std::path::{Path, PathBuf};

use crate::{
    Change, ClientFile, FileError, KnownClient, Machine, Scope, ScopeError, ServerEntry,
    UnknownClient,
};

/// The number of times that a change is tried while somebody else keeps changing the file.
const TRIES: usize = 5;

/// The word that stands for all clients.
const ALL: &str = "all";

/// The clients that somebody means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chosen {
    /// These.
    Named(Vec<&'static KnownClient>),
    /// Whichever there are.
    All,
}

impl Chosen {
    /// Reads the ids of clients, or `all`.
    ///
    /// # Errors
    ///
    /// One of them is no client.
    pub fn read<S: AsRef<str>>(words: &[S]) -> Result<Self, UnknownClient> {
        let words = words.iter().map(|word| word.as_ref().trim());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        if words.contains(&ALL) {
            return Ok(Self::All);
        }
        let mut clients: Vec<&'static KnownClient> = Vec::new();
        for word in words {
            let client = KnownClient::find(word)?;
            if !clients.contains(&client) {
                clients.push(client);
            }
        }
        Ok(Self::Named(clients))
    }

    /// The clients that were named, or those of a machine.
    pub fn on(&self, machine: &Machine) -> Vec<&'static KnownClient> {
        match self {
            Self::Named(clients) => clients.clone(),
            Self::All => KnownClient::here(machine),
        }
    }
}

/// One client's file that is about to change, or was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Registration {
    /// The client.
    pub client: &'static KnownClient,
    /// Its file.
    pub file: PathBuf,
    /// The difference that it makes.
    pub done: Registered,
    /// The server of that name that was there before.
    pub before: Option<ServerEntry>,
    /// The change of the file, as a unified diff.
    pub diff: String,
}

/// The difference that a registration makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Registered {
    /// The server is new there.
    Added,
    /// It was there, and is started in another way now.
    Updated,
    /// It was there just so.
    Unchanged,
    /// It is there no more.
    Removed,
}

/// A registration that cannot be done; the file is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The client has no file of that scope.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The file cannot be read, understood or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A server of that name is there, and somebody else put it there.
    #[error("`{}` has a server `{name}` that is not ours{}", file.display(), said(command.as_deref()))]
    NotOurs {
        /// The client's file.
        file: PathBuf,
        /// The name of the server.
        name: String,
        /// The command that it starts, if it starts one.
        command: Option<String>,
    },
    /// There is no server of that name.
    #[error("`{}` has no server `{name}`", file.display())]
    NotThere {
        /// The client's file.
        file: PathBuf,
        /// The name of the server.
        name: String,
        /// The names of those of ours that it has.
        ours: Vec<String>,
    },
}

/// Whoever registers servers: on which machine, for whom, and which entries are its own.
pub struct Registrar<'m> {
    machine: &'m Machine,
    project: &'m Path,
    scope: Scope,
    is_ours: &'m dyn Fn(&ServerEntry) -> bool,
}

impl<'m> Registrar<'m> {
    /// `is_ours` tells the entries that it may replace and remove; it leaves those of others alone.
    pub fn new(
        machine: &'m Machine,
        project: &'m Path,
        scope: Scope,
        is_ours: &'m dyn Fn(&ServerEntry) -> bool,
    ) -> Self {
        Self {
            machine,
            project,
            scope,
            is_ours,
        }
    }

    /// Puts a server into a client; `write` says whether its file is written, or only looked at.
    ///
    /// # Errors
    ///
    /// The file cannot be changed, or has a server of that name that is not ours.
    pub fn add(
        &self,
        client: &'static KnownClient,
        entry: &ServerEntry,
        write: bool,
    ) -> Result<Registration, RegisterError> {
        self.change(client, write, &entry.name, |file, path| {
            // Of several with one name the last one counts, and is replaced.
            let there = file.under(&entry.name).pop();
            if let Some(there) = &there {
                self.must_be_ours(path, &entry.name, there.as_ref())?;
            }
            let change = file.add(entry)?;
            let done = match there {
                _ if change.is_nothing() => Registered::Unchanged,
                None => Registered::Added,
                Some(_) => Registered::Updated,
            };
            Ok((change, done))
        })
    }

    /// Takes a server out of a client.
    ///
    /// # Errors
    ///
    /// The file cannot be changed, or has no server of that name that is ours.
    pub fn remove(
        &self,
        client: &'static KnownClient,
        name: &str,
        write: bool,
    ) -> Result<Registration, RegisterError> {
        self.change(client, write, name, |file, path| {
            let there = file.under(name);
            if there.is_empty() {
                let ours = file
                    .entries()
                    .into_iter()
                    .filter(|entry| (self.is_ours)(entry));
                return Err(RegisterError::NotThere {
                    file: path.to_owned(),
                    name: name.to_owned(),
                    ours: ours.map(|entry| entry.name).collect(),
                });
            }
            // They go together, so each of them must be ours.
            for entry in &there {
                self.must_be_ours(path, name, entry.as_ref())?;
            }
            Ok((file.remove(name)?, Registered::Removed))
        })
    }

    fn change(
        &self,
        client: &'static KnownClient,
        write: bool,
        name: &str,
        edit: impl Fn(&ClientFile, &Path) -> Result<(Change, Registered), RegisterError>,
    ) -> Result<Registration, RegisterError> {
        let path = client.file(self.scope, self.machine, self.project)?;
        let mut tries = 1;
        loop {
            let file = ClientFile::read(client, self.scope, &path)?;
            let (change, done) = edit(&file, &path)?;
            let diff = change.diff();
            if write && let Err(error) = change.write() {
                if error.is_changed_meanwhile() && tries < TRIES {
                    tries += 1;
                    continue;
                }
                return Err(error.into());
            }
            return Ok(Registration {
                client,
                file: path,
                done,
                before: file.entry(name),
                diff,
            });
        }
    }

    fn must_be_ours(
        &self,
        path: &Path,
        name: &str,
        entry: Option<&ServerEntry>,
    ) -> Result<(), RegisterError> {
        match entry {
            Some(entry) if (self.is_ours)(entry) => Ok(()),
            _ => Err(RegisterError::NotOurs {
                file: path.to_owned(),
                name: name.to_owned(),
                command: entry.map(|entry| entry.command.clone()),
            }),
        }
    }
}

/// A command as the end of a sentence about a server.
fn said(command: Option<&str>) -> String {
    command.map_or_else(String::new, |command| format!(": `{command}`"))
}
