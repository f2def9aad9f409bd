//! An edit that was not written yet.

use std::path::{Path, PathBuf};

use crate::{
    client::Scope,
    error::FileError,
    write::{self, Written},
};

/// An edit that was not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "nothing is written before `write`"]
pub struct Change {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

impl Change {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's bytes when it was read; none if it did not exist.
    pub fn before(&self) -> Option<&[u8]> {
        self.before.as_deref()
    }

    /// The bytes that it is to have; none if it is to be deleted.
    pub fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Returns true if everything is as it should be already.
    pub fn is_nothing(&self) -> bool {
        self.before == self.after
    }

    /// The change as people read it: a unified diff, empty if there is none.
    pub fn diff(&self) -> String {
        if self.is_nothing() {
            return String::new();
        }
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let name = |bytes: &Option<Vec<u8>>| match bytes {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(&self.before), text(&self.after));
        similar::TextDiff::from_lines(&before, &after)
            .unified_diff()
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }

    /// Writes the file, if there is something to change.
    ///
    /// The bytes go to a new file in the same folder, which takes the place of the old one with its mode and owner;
    /// links are followed and stay links. A new file of a person's is readable by nobody else, because entries may hold
    /// secrets. A file that has other bytes by now than when it was read is left as it is, with
    /// [`FileError::ChangedMeanwhile`]: bytes are compared right before the new file takes its place.
    pub fn write(self) -> Result<Written, FileError> {
        write::write(&self)
    }
}
