//! Which spells a person has accepted: hashes of their content, kept outside of the folder.
//!
//! Whoever can write the folder can add commands. A locked server runs only what is accepted here; a changed spell is
//! another spell until it is accepted again. The schema of its output is part of its content, also in a file of its own, and
//! so are the [files that it names](crate::files): the script that it runs.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{SpellOptions, files::NamedFiles, load::Loader};

/// The files that a person has accepted.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// use charmer_spells::{SpellOptions, Trust};
/// let spell = folder.path().join("spells/hello.yaml");
/// # std::fs::create_dir(folder.path().join("spells")).unwrap();
/// # std::fs::write(&spell, "name: hello").unwrap();
/// let mut trust = Trust::load(&folder.path().join("accepted.json")).unwrap();
/// let options = SpellOptions::default();
/// trust.accept(&spell, "name: hello", &options).unwrap();
/// trust.save().unwrap();
/// assert!(trust.is_accepted(&spell, "name: hello", &options));
/// assert!(!trust.is_accepted(&spell, "name: goodbye", &options));
/// ```
#[derive(Debug, Clone)]
pub struct Trust {
    path: PathBuf,
    accepted: BTreeMap<String, String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    accepted: BTreeMap<String, String>,
}

impl Trust {
    /// Reads what was accepted; nothing, if the file does not exist yet.
    pub fn load(path: &Path) -> io::Result<Self> {
        let stored: Stored = match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Stored::default(),
            Err(error) => return Err(error),
        };
        Ok(Self {
            path: path.to_owned(),
            accepted: stored.accepted,
        })
    }

    /// Accepts a spell with this text, the one that a person has seen, and with the files that it names as they are now.
    /// Returns the words that name them. `options` are those of the server that will run it.
    pub fn accept(
        &mut self,
        file: &Path,
        text: &str,
        options: &SpellOptions,
    ) -> io::Result<Vec<String>> {
        let (hash, files) = Loader::content(file, text, options)?;
        self.accepted.insert(key(file), hash);
        Ok(files.words().into_iter().map(str::to_owned).collect())
    }

    /// Accepts it no longer.
    pub fn forget(&mut self, file: &Path) {
        self.accepted.remove(&key(file));
    }

    /// Returns true if a spell was accepted with exactly this text, and with its files as they are now.
    pub fn is_accepted(&self, file: &Path, text: &str, options: &SpellOptions) -> bool {
        Loader::content(file, text, options).is_ok_and(|(hash, _)| self.has(file, &hash))
    }

    pub(crate) fn has(&self, file: &Path, hash: &str) -> bool {
        self.accepted
            .get(&key(file))
            .is_some_and(|accepted| accepted == hash)
    }

    /// Writes what was accepted, as a whole or not at all, for its owner alone.
    pub fn save(&self) -> io::Result<()> {
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let stored = Stored {
            version: 1,
            accepted: self.accepted.clone(),
        };
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, &stored)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// The spell's file, by a name that does not depend on where one stands.
fn key(file: &Path) -> String {
    let real = fs::canonicalize(file).or_else(|_| std::path::absolute(file));
    real.unwrap_or_else(|_| file.to_owned())
        .to_string_lossy()
        .into_owned()
}

/// The hash of a spell's content: its text, the schema that stands in another file, and the files that it names.
pub(crate) fn hash(text: &str, schema: Option<&Value>, files: &NamedFiles) -> String {
    let mut hasher = Sha256::new();
    hasher.update(text.as_bytes());
    if let Some(schema) = schema {
        // No text of YAML holds this character.
        hasher.update(b"\0");
        hasher.update(schema.to_string().as_bytes());
    }
    files.add_to(&mut hasher);
    let digest = hasher.finalize();
    digest.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
