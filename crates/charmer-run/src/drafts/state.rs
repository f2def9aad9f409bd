//! The state of a file: what is compared before something is applied, and what a change is told by.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{FileTypeExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use rustix::fs::{lgetxattr, llistxattr, llistxattr_query};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// Up to how many bytes of one file are read for its digest, and of all files of a draft together. What is larger is known
/// by number, size and times alone: to read gigabytes would take longer than what it is for.
const LARGEST: u64 = 16 << 20;
const MOST: u64 = 512 << 20;

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
}

/// See the module's documentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileState {
    pub(super) kind: Kind,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) device: u64,
    pub(super) number: u64,
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
    /// The number of its names.
    pub(super) names: u64,
    /// The digest of a file's content, if it was read.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) digest: Option<String>,
    /// The target of a symbolic link.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) target: Option<PathText>,
    /// The digest of its extended attributes, as far as they are applied; none, if it has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) attributes: Option<String>,
}

impl FileState {
    /// The state of what is at a path, itself and not what it leads to; none, if nothing is there.
    pub(super) fn of(path: &Path, digests: &mut Digests) -> io::Result<Option<Self>> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(at(path, &error)),
        };
        let mut state = Self::plain(&found);
        match state.kind {
            Kind::File => state.digest = digests.of(path, &found)?,
            Kind::Link => {
                let target = fs::read_link(path).map_err(|error| at(path, &error))?;
                state.target = Some(PathText(target));
            }
            _ => {}
        }
        let attributes = attributes(path);
        if !attributes.is_empty() {
            state.attributes = Some(hex(&Sha256::digest(format!("{attributes:?}"))));
        }
        Ok(Some(state))
    }

    /// The same without looking into it.
    pub(super) fn plain(found: &Metadata) -> Self {
        let kind = found.file_type();
        Self {
            kind: match () {
                () if kind.is_dir() => Kind::Folder,
                () if kind.is_symlink() => Kind::Link,
                () if kind.is_fifo() => Kind::Pipe,
                () if kind.is_socket() => Kind::Socket,
                () if kind.is_char_device() || kind.is_block_device() => Kind::Device,
                () => Kind::File,
            },
            mode: found.mode() & 0o7777,
            size: match kind.is_dir() {
                true => 0,
                false => found.size(),
            },
            device: found.dev(),
            number: found.ino(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            names: found.nlink(),
            digest: None,
            target: None,
            attributes: None,
        }
    }

    /// Returns true if it says of a file what the other says of another: kind, mode, attributes, content or target.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let content = match (self.kind, &self.digest, &other.digest) {
            (Kind::File, Some(one), Some(another)) => one == another,
            // Too large to be read: a file that was only opened keeps its time.
            (Kind::File, ..) => self.size == other.size && self.modified == other.modified,
            _ => self.target == other.target,
        };
        (self.kind, self.mode) == (other.kind, other.mode)
            && self.attributes == other.attributes
            && content
    }

    /// Returns true if it is still the file that it was: by number, size, time and digest. Of a folder only that it is this
    /// one, with this mode: what is in it is looked at by itself.
    pub(super) fn still_is(&self, before: &Self) -> bool {
        let same = (self.kind, self.mode, self.device, self.number)
            == (before.kind, before.mode, before.device, before.number)
            && self.attributes == before.attributes;
        let content = self.kind == Kind::Folder
            || ((self.size, self.modified) == (before.size, before.modified)
                && self.target == before.target
                && (self.digest == before.digest
                    || self.digest.is_none()
                    || before.digest.is_none()));
        same && content
    }

    /// The part of it that goes into the digest of a draft.
    pub(super) fn identity(&self) -> String {
        let content = match (&self.digest, &self.target) {
            (Some(digest), _) => digest.clone(),
            (None, Some(target)) => format!("{:?}", target.0),
            (None, None) if self.kind == Kind::File => {
                format!("{} {:?} {:?}", self.number, self.modified, self.changed)
            }
            (None, None) => String::new(),
        };
        let attributes = self.attributes.as_deref().unwrap_or_default();
        let Self {
            kind, mode, size, ..
        } = self;
        format!("{kind:?} {mode:o} {size} {attributes} {content}")
    }
}

/// The extended attributes of a file that are applied with it: those that are the user's own, and those that say who may do
/// what. What cannot be read is not there.
pub(super) fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let room = llistxattr_query(path).unwrap_or(0);
    // Most files have none, and this is asked of each.
    if room == 0 {
        return Vec::new();
    }
    let mut names = vec![0; room];
    let length = llistxattr(path, &mut names).unwrap_or(0);
    let names = names[..length].split(|byte| *byte == 0);
    let names = names.filter_map(|name| std::str::from_utf8(name).ok());
    let kept = names.filter(|name| {
        let is_rule = name.starts_with("system.posix_acl");
        is_rule || (name.starts_with("user.") && !name.starts_with("user.overlay."))
    });
    let mut found: Vec<(String, Vec<u8>)> = kept
        .filter_map(|name| {
            let mut value = vec![0; 64 << 10];
            let length = lgetxattr(path, name, &mut value).ok()?;
            value.truncate(length);
            Some((name.to_owned(), value))
        })
        .collect();
    found.sort();
    found
}

/// Makes digests, as long as there is not too much to read.
#[derive(Debug)]
pub(super) struct Digests {
    left: u64,
}

impl Default for Digests {
    fn default() -> Self {
        Self { left: MOST }
    }
}

impl Digests {
    fn of(&mut self, path: &Path, found: &Metadata) -> io::Result<Option<String>> {
        if found.size() > LARGEST.min(self.left) {
            return Ok(None);
        }
        self.left -= found.size();
        let read = || -> io::Result<String> {
            let mut file = File::open(path)?.take(LARGEST);
            let mut hasher = Sha256::new();
            let mut bytes = vec![0; 64 << 10];
            loop {
                match file.read(&mut bytes)? {
                    0 => return Ok(hex(&hasher.finalize())),
                    read => hasher.update(&bytes[..read]),
                }
            }
        };
        match read() {
            Ok(digest) => Ok(Some(digest)),
            // What may not be read can be deleted all the same, and is known by the rest.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            Err(error) => Err(at(path, &error)),
        }
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An error that says where.
pub(super) fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// Returns true if an error says that there is nothing, or that something on the way is no folder.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// A path in JSON: as text where it is one, which is nearly always.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PathText(pub(super) PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => text.serialize(serializer),
            None => {
                WrittenPath::Bytes(self.0.as_os_str().as_bytes().to_vec()).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match WrittenPath::deserialize(deserializer)? {
            WrittenPath::Text(text) => text.into(),
            WrittenPath::Bytes(bytes) => std::ffi::OsString::from_vec(bytes).into(),
        }))
    }
}
