//! The record of a draft on disk, beside the changes themselves.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::approval::NeedOfApproval;

use super::{
    Applier, DraftCounts,
    state::{FileState, PathText},
};

const RECORD: &str = "draft.json";

/// See the module's documentation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) principal: String,
    /// The server that it goes with; none, if it stays for its time.
    pub(super) server: Option<String>,
    /// Seconds since 1970.
    pub(super) begun: u64,
    pub(super) folders: Vec<DraftFolder>,
    /// Its folders are copies: there was no view to be had.
    pub(super) copied: bool,
    /// The number of seconds that it is kept.
    pub(super) seconds: f64,
    /// The rules that it was made under: whoever applies it may know others.
    pub(super) at_most: Option<usize>,
    pub(super) never: Vec<String>,
    pub(super) by_person: bool,
    /// It was made to ask a person about its command.
    #[serde(default)]
    pub(super) is_trial: bool,
    pub(super) commands: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) denied: Vec<String>,
    /// The state from before of everything that was touched; first seen, first kept. The first number is the folder's.
    pub(super) before: Vec<(usize, PathText, Option<FileState>)>,
    pub(super) created: usize,
    pub(super) changed: usize,
    pub(super) deleted: usize,
    pub(super) digest: String,
    /// The reasons for asking a person about the commands that made it, which holds for applying it.
    #[serde(default)]
    pub(super) need: Option<NeedOfApproval>,
    /// The digest that it had when a person last looked at it.
    #[serde(default)]
    pub(super) seen: Option<String>,
}

/// A folder of a draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DraftFolder {
    pub(super) path: PathText,
    pub(super) device: u64,
    pub(super) number: u64,
}

impl Record {
    pub(super) fn read(draft: &Path) -> io::Result<Self> {
        read_json(&draft.join(RECORD))
    }

    pub(super) fn write(&self, draft: &Path) -> io::Result<()> {
        write_json(&draft.join(RECORD), self)
    }

    /// Returns true if it is one of this principal's drafts.
    pub(super) fn is_of(&self, principal: &str) -> bool {
        self.principal == principal && !self.is_trial
    }

    pub(super) fn begun(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(self.begun)
    }

    /// Returns true if its time is over. A clock that was set back does not make it older.
    pub(super) fn is_over(&self) -> bool {
        let age = SystemTime::now().duration_since(self.begun());
        age.is_ok_and(|age| age.as_secs_f64() >= self.seconds)
    }

    pub(super) fn applier(&self) -> Applier {
        match self.by_person {
            true => Applier::Person,
            false => Applier::Assistant,
        }
    }

    pub(super) fn shown_folders(&self) -> Vec<String> {
        let folders = self.folders.iter();
        let folders = folders.map(|folder| folder.path.0.display().to_string());
        folders.collect()
    }

    pub(super) fn counts(&self) -> DraftCounts {
        DraftCounts {
            created: self.created,
            changed: self.changed,
            deleted: self.deleted,
        }
    }
}

/// The folder within a draft's that keeps what was changed in one of its folders.
pub(super) fn upper(draft: &Path, at: usize) -> PathBuf {
    draft.join(format!("{at}/upper"))
}

pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let text = fs::read(path)?;
    serde_json::from_slice(&text).map_err(io::Error::from)
}

/// Writes a file whole or not at all, and to the disk.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    let text = serde_json::to_vec(value)?;
    file.write_all(&text)?;
    file.sync_data()?;
    fs::rename(new, path)
}
