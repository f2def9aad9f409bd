//! A client's file as it is on disk, and the edits that it can have.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    change::Change,
    client::{FileLanguage, KnownClient, Scope},
    error::FileError,
    json,
    place::{Addition, Mistake, Remainder, ServersPlace},
    shape::ServerEntry,
    toml, write, yaml,
};

/// The number of times that an edit is tried while somebody else keeps changing the file.
const TRIES: usize = 5;

/// The bytes by which some editors mark UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A client's file as it is on disk.
#[derive(Debug)]
pub struct ClientFile {
    client: &'static KnownClient,
    scope: Scope,
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    entries: Vec<(String, Value)>,
}

impl ClientFile {
    /// Reads a file. One that does not exist, or has nothing in it, holds no servers.
    pub fn read(
        client: &'static KnownClient,
        scope: Scope,
        path: impl Into<PathBuf>,
    ) -> Result<Self, FileError> {
        let path = path.into();
        let bytes = write::read(&path).map_err(|source| FileError::Read {
            path: path.clone(),
            source,
        })?;
        Self::from_bytes(client, scope, path, bytes)
    }

    /// The same with the bytes that the file is said to have.
    pub fn from_bytes(
        client: &'static KnownClient,
        scope: Scope,
        path: impl Into<PathBuf>,
        bytes: Option<Vec<u8>>,
    ) -> Result<Self, FileError> {
        let mut file = Self {
            client,
            scope,
            path: path.into(),
            bytes,
            entries: Vec::new(),
        };
        if let (_, Some(text)) = file.text()? {
            file.entries = entries(client.syntax, text, &client.place)
                .map_err(|mistake| FileError::mistake(&file.path, text, mistake))?;
        }
        Ok(file)
    }

    /// Reads a file, edits it and writes it; again from the start if somebody else changed it meanwhile.
    ///
    /// ```no_run
    /// # use charmer_clients::{KnownClient, ClientFile, Scope, ServerEntry};
    /// # let (client, path) = (KnownClient::find("cursor")?, "mcp.json");
    /// let entry = ServerEntry::new("git", "/usr/bin/charmer").args(["serve", "git"]);
    /// ClientFile::edit(client, Scope::User, path, |file| file.add(&entry))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit(
        client: &'static KnownClient,
        scope: Scope,
        path: impl AsRef<Path>,
        mut edit: impl FnMut(&Self) -> Result<Change, FileError>,
    ) -> Result<write::Written, FileError> {
        let mut tries = 0;
        loop {
            let file = Self::read(client, scope, path.as_ref())?;
            match edit(&file)?.write() {
                Err(error) if error.is_changed_meanwhile() && tries + 1 < TRIES => tries += 1,
                done => return done,
            }
        }
    }

    /// The client that it belongs to.
    pub fn client(&self) -> &'static KnownClient {
        self.client
    }

    /// The owner of the servers in it.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if there is such a file.
    pub fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    /// Every server in it that is started over standard input and output, whoever added it.
    pub fn entries(&self) -> Vec<ServerEntry> {
        let shape = self.client.shape(self.scope);
        self.entries
            .iter()
            .filter_map(|(name, fields)| shape.read(name, fields))
            .collect()
    }

    /// The server of a name, if it is started over standard input and output.
    pub fn entry(&self, name: &str) -> Option<ServerEntry> {
        let fields = self.fields(name)?;
        self.client.shape(self.scope).read(name, fields)
    }

    /// Everything that stands under a name, in the order of the file; nothing in place of what is not started over
    /// standard input and output, such as a server at an address.
    pub(crate) fn under(&self, name: &str) -> Vec<Option<ServerEntry>> {
        let shape = self.client.shape(self.scope);
        let same = self.entries.iter().filter(|(other, _)| other == name);
        same.map(|(_, fields)| shape.read(name, fields)).collect()
    }

    /// The fields of a server. Of several with one name the last one counts, as clients have it.
    fn fields(&self, name: &str) -> Option<&Value> {
        let found = self.entries.iter().rev().find(|(other, _)| other == name);
        found.map(|(_, fields)| fields)
    }

    /// The change that adds a server.
    ///
    /// It is nothing if the server is there already, whatever else its entry says. An entry of the same name that
    /// starts something else starts this one then; the other fields that a person or the client gave it stay, such as
    /// tools that need no approval. One that starts nothing has its value replaced as a whole.
    pub fn add(&self, entry: &ServerEntry) -> Result<Change, FileError> {
        let shape = self.client.shape(self.scope);
        let mut fields = shape.write(entry);
        if let Some(old) = self.entry(&entry.name).and(self.fields(&entry.name)) {
            shape.keep(&mut fields, old);
        }
        // As it will be read again: of several variables of one name the last one counts.
        let entry = &shape
            .read(&entry.name, &Value::from(fields.clone()))
            .expect("fields are written as they are read");
        if self.holds(entry) {
            return Ok(self.change(self.bytes.clone()));
        }
        let addition = Addition {
            name: &entry.name,
            fields: &fields,
        };
        let (mark, text) = self.text()?;
        let after = add(self.client.syntax, text, &self.client.place, &addition)
            .map_err(|mistake| self.mistake(text, mistake))?;
        let after = [mark, &after].concat().into_bytes();
        self.check(Some(after.clone()), &entry.name, Some(entry))?;
        Ok(self.change(Some(after)))
    }

    /// Returns true if a server is in the file; the order of its variables says nothing.
    fn holds(&self, entry: &ServerEntry) -> bool {
        let sorted = |entry: &ServerEntry| {
            let mut entry = entry.clone();
            entry.env.sort();
            entry
        };
        self.entry(&entry.name)
            .is_some_and(|found| sorted(&found) == sorted(entry))
    }

    /// Makes sure that a file after an edit means what it should: anchors that others refer to, or an entry in a form
    /// that nobody thought of, must not turn an edit into damage.
    fn check(
        &self,
        after: Option<Vec<u8>>,
        name: &str,
        entry: Option<&ServerEntry>,
    ) -> Result<(), FileError> {
        let others = |file: &Self| {
            let mut entries = file.entries.clone();
            entries.retain(|(other, _)| other != name);
            entries
        };
        let as_meant = |file: &Self| match entry {
            Some(entry) => file.holds(entry),
            None => file.fields(name).is_none(),
        };
        match Self::from_bytes(self.client, self.scope, self.path.clone(), after) {
            Ok(file) if as_meant(&file) && others(&file) == others(self) => Ok(()),
            _ => Err(self.mistake(
                self.text()?.1,
                Mistake::shape(
                    format!(
                        "`{name}` cannot be changed without changing something else; do it by hand"
                    ),
                    0..0,
                ),
            )),
        }
    }

    /// The change that removes a server: nothing, if there is none of this name.
    pub fn remove(&self, name: &str) -> Result<Change, FileError> {
        let (mark, text) = self.text()?;
        let Some(text) = text else {
            return Ok(self.change(self.bytes.clone()));
        };
        let remainder = remove(self.client.syntax, text, &self.client.place, name)
            .map_err(|mistake| self.mistake(Some(text), mistake))?;
        let after = match remainder {
            Remainder::Same => self.bytes.clone(),
            Remainder::Text(after) => Some([mark, &after].concat().into_bytes()),
            Remainder::Nothing => None,
        };
        self.check(after.clone(), name, None)?;
        Ok(self.change(after))
    }

    fn change(&self, after: Option<Vec<u8>>) -> Change {
        Change {
            path: self.path.clone(),
            scope: self.scope,
            before: self.bytes.clone(),
            after,
        }
    }

    fn mistake(&self, text: Option<&str>, mistake: Mistake) -> FileError {
        FileError::mistake(&self.path, text.unwrap_or_default(), mistake)
    }

    /// The byte-order mark and the text after it.
    fn text(&self) -> Result<(&str, Option<&str>), FileError> {
        let Some(bytes) = &self.bytes else {
            return Ok(("", None));
        };
        let text = std::str::from_utf8(bytes).map_err(|_| FileError::NotText {
            path: self.path.clone(),
        })?;
        Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK, Some(rest)),
            None => ("", Some(text)),
        })
    }
}

/// The servers of a text, by name.
fn entries(
    syntax: FileLanguage,
    text: &str,
    place: &ServersPlace,
) -> Result<Vec<(String, Value)>, Mistake> {
    match syntax {
        FileLanguage::Json => json::entries(text, place),
        FileLanguage::Toml => toml::entries(text, place),
        FileLanguage::Yaml => yaml::entries(text, place),
    }
}

/// A text with one more server, or another one under its name.
fn add(
    syntax: FileLanguage,
    text: Option<&str>,
    place: &ServersPlace,
    addition: &Addition<'_>,
) -> Result<String, Mistake> {
    match syntax {
        FileLanguage::Json => json::add(text, place, addition),
        FileLanguage::Toml => toml::add(text, place, addition),
        FileLanguage::Yaml => yaml::add(text, place, addition),
    }
}

/// A text without a server.
fn remove(
    syntax: FileLanguage,
    text: &str,
    place: &ServersPlace,
    name: &str,
) -> Result<Remainder, Mistake> {
    match syntax {
        FileLanguage::Json => json::remove(text, place, name),
        FileLanguage::Toml => toml::remove(text, place, name),
        FileLanguage::Yaml => yaml::remove(text, place, name),
    }
}

/// A whole file that holds one server.
pub(crate) fn whole(client: &KnownClient, scope: Scope, entry: &ServerEntry) -> String {
    let fields = client.shape(scope).write(entry);
    let addition = Addition {
        name: &entry.name,
        fields: &fields,
    };
    add(client.syntax, None, &client.place, &addition)
        .expect("a file that does not exist has nothing that could be wrong")
}
