//! One client: which files it reads, whether it is here, and what an entry looks like in its file.

use std::path::{Path, PathBuf};

use crate::{
    file,
    link::{self, InstallLink},
    machine::{Machine, Platform, ResolvedPath, append, template_text},
    place::ServersPlace,
    shape::{EntryShape, ServerEntry},
    table,
};

/// The owner of the servers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The person's, in every folder.
    User,
    /// A project's, for everybody who works in its folder.
    Project,
}

/// The language of a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileLanguage {
    /// JSON; comments and trailing commas are understood and kept.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// One client: a row of the table.
#[derive(Debug)]
pub struct KnownClient {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) syntax: FileLanguage,
    pub(crate) place: ServersPlace,
    pub(crate) shape: EntryShape,
    /// The shape of project files, where it is another one.
    pub(crate) project_shape: Option<EntryShape>,
    pub(crate) user_files: Files,
    /// Below the project's folder; the first one that exists is used.
    pub(crate) project_files: &'static [&'static str],
    /// Folders that are there once the client has run.
    pub(crate) folders: Files,
    pub(crate) commands: &'static [&'static str],
    pub(crate) graphical: bool,
    pub(crate) next_step: &'static str,
    pub(crate) note: &'static str,
    pub(crate) link: Option<InstallLink>,
}

/// Templates of paths, by platform.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) linux: &'static [&'static str],
    pub(crate) macos: &'static [&'static str],
    pub(crate) windows: &'static [&'static str],
}

impl Files {
    /// The same everywhere.
    pub(crate) const fn everywhere(files: &'static [&'static str]) -> Self {
        Self {
            linux: files,
            macos: files,
            windows: files,
        }
    }

    pub(crate) const fn on(&self, platform: Platform) -> &'static [&'static str] {
        match platform {
            Platform::Linux => self.linux,
            Platform::MacOs => self.macos,
            Platform::Windows => self.windows,
        }
    }
}

/// A place where a client looks for its file, for documents.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location {
    /// The owner of the servers in the file.
    pub scope: Scope,
    /// The platform, for files of a person.
    pub platform: Option<Platform>,
    /// The path as people write it, with `~` or `%APPDATA%`; those of projects are below the project's folder.
    pub path: String,
}

/// There is no client of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no client `{id}`; {}", self.hint())]
#[non_exhaustive]
pub struct UnknownClient {
    /// The name.
    pub id: String,
    /// The id that was most likely meant.
    pub nearest: Option<&'static str>,
}

impl UnknownClient {
    fn hint(&self) -> String {
        let all: Vec<_> = KnownClient::all().iter().map(KnownClient::id).collect();
        let all = all.join(", ");
        match self.nearest {
            Some(nearest) => format!("did you mean `{nearest}`? There are {all}"),
            None => format!("there are {all}"),
        }
    }
}

/// A client has no file of this scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{title} reads no file of a project's own; add the server for the person instead (scope `user`)"
)]
#[non_exhaustive]
pub struct ScopeError {
    /// The client's title.
    pub title: &'static str,
}

/// A row of the table is the same as itself.
impl PartialEq for KnownClient {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for KnownClient {}

impl KnownClient {
    /// Every client, those that most people have first.
    pub fn all() -> &'static [Self] {
        table::CLIENTS
    }

    /// The clients that are on a machine.
    pub fn here(machine: &Machine) -> Vec<&'static Self> {
        let all = Self::all().iter();
        all.filter(|client| client.is_here(machine)).collect()
    }

    /// The client of an id or a title.
    ///
    /// ```
    /// use charmer_clients::KnownClient;
    ///
    /// assert_eq!(KnownClient::find("Claude Code")?.id(), "claude-code");
    /// assert_eq!(KnownClient::find("curser").unwrap_err().nearest, Some("cursor"));
    /// # Ok::<(), charmer_clients::UnknownClient>(())
    /// ```
    pub fn find(id: &str) -> Result<&'static Self, UnknownClient> {
        let plain = |text: &str| text.to_lowercase().replace([' ', '_'], "-");
        let wanted = plain(id);
        Self::all()
            .iter()
            .find(|client| client.id == wanted || plain(client.title) == wanted)
            .ok_or_else(|| UnknownClient {
                id: id.to_owned(),
                nearest: nearest(&wanted),
            })
    }

    /// The id by which it is chosen: `claude-code`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The name by which people know it: "Claude Code".
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// The file that holds its servers, whether it exists or not.
    ///
    /// Where a client may read one of several files it is the one that exists, else one whose folder exists, else the
    /// first. A relative project folder gives a relative path.
    pub fn file(
        &self,
        scope: Scope,
        machine: &Machine,
        project_folder: &Path,
    ) -> Result<PathBuf, ScopeError> {
        let paths = match scope {
            Scope::User => self.user_paths(machine),
            Scope::Project => self
                .project_files
                .iter()
                .map(|parts| append(project_folder, parts))
                .collect(),
        };
        // A link that leads nowhere is there, too, and says where the file is to be.
        let exists = paths.iter().find(|path| path.symlink_metadata().is_ok());
        let folder_exists = || {
            paths
                .iter()
                .find(|path| path.parent().is_some_and(Path::exists))
        };
        exists
            .or_else(folder_exists)
            .or_else(|| paths.first())
            .cloned()
            .ok_or(ScopeError { title: self.title })
    }

    fn user_paths(&self, machine: &Machine) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for template in self.user_files.on(machine.platform) {
            match machine.resolve(template) {
                // The client looks nowhere else.
                ResolvedPath::Moved(path) => return vec![path],
                ResolvedPath::Usual(path) | ResolvedPath::Found(path) => paths.push(path),
                ResolvedPath::Nowhere => {}
            }
        }
        paths
    }

    /// Returns true if it is on the machine: its file, its folder, or one of its commands on `PATH` exists.
    pub fn is_here(&self, machine: &Machine) -> bool {
        let folder_exists = |template: &&str| match machine.resolve(template) {
            ResolvedPath::Usual(path) | ResolvedPath::Moved(path) | ResolvedPath::Found(path) => {
                path.exists()
            }
            ResolvedPath::Nowhere => false,
        };
        self.user_paths(machine).iter().any(|path| path.exists())
            || self.folders.on(machine.platform).iter().any(folder_exists)
            || self.commands.iter().any(|name| machine.has_command(name))
    }

    /// Returns true if it starts servers with a bare `PATH` and in another folder, as programs do that are not started
    /// from a shell.
    pub fn is_graphical(&self) -> bool {
        self.graphical
    }

    /// The commands by which it is started from a shell.
    pub fn commands(&self) -> &'static [&'static str] {
        self.commands
    }

    /// One sentence on what to do in the client after its file was changed.
    pub fn next_step(&self) -> &'static str {
        self.next_step
    }

    /// An entry in the client's own shape, as a whole file that holds nothing else.
    pub fn entry_text(&self, scope: Scope, entry: &ServerEntry) -> String {
        file::whole(self, scope, entry)
    }

    /// A link that adds the entry when it is opened, for clients that have such links.
    pub fn link(&self, entry: &ServerEntry) -> Option<String> {
        self.link
            .map(|link| link::write(link, &entry.name, self.shape.write(entry)))
    }

    /// The language of its file.
    pub fn syntax(&self) -> FileLanguage {
        self.syntax
    }

    /// The key of its file under which servers stand.
    pub fn key(&self) -> &'static str {
        self.place.key
    }

    /// A sentence on what is special about it, for documents; empty where nothing is.
    pub fn note(&self) -> &'static str {
        self.note
    }

    /// Returns true if it reads files of this scope.
    pub fn has_scope(&self, scope: Scope) -> bool {
        scope == Scope::User || !self.project_files.is_empty()
    }

    /// Every place where it looks for its file, for documents.
    pub fn locations(&self) -> Vec<Location> {
        let user = Platform::ALL.into_iter().flat_map(|platform| {
            let files = self.user_files.on(platform).iter();
            files.map(move |template| Location {
                scope: Scope::User,
                platform: Some(platform),
                path: template_text(template, platform),
            })
        });
        let project = self.project_files.iter().map(|path| Location {
            scope: Scope::Project,
            platform: None,
            path: (*path).to_owned(),
        });
        user.chain(project).collect()
    }

    pub(crate) fn shape(&self, scope: Scope) -> &EntryShape {
        match (scope, &self.project_shape) {
            (Scope::Project, Some(shape)) => shape,
            _ => &self.shape,
        }
    }
}

/// The id that was most likely meant, if one is near.
fn nearest(wanted: &str) -> Option<&'static str> {
    let contained = KnownClient::all()
        .iter()
        .map(KnownClient::id)
        .filter(|id| wanted.len() > 2 && (id.contains(wanted) || wanted.contains(id)))
        .min_by_key(|id| id.len().abs_diff(wanted.len()));
    let similar = || {
        KnownClient::all()
            .iter()
            .map(|client| (strsim::damerau_levenshtein(wanted, client.id), client.id))
            // With more than one wrong letter in three it may be any name.
            .filter(|&(distance, id)| distance * 3 <= id.len())
            .min()
            .map(|(_, id)| id)
    };
    contained.or_else(similar)
}
