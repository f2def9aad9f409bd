//! One mark of a footing: a file, a link, or the names in a folder.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::discovery::hex;

/// The size in bytes up to which a file that is not the program itself is known by its content, too.
const READ: u64 = 1 << 20;

/// The marks of a file by which it is known again without reading it.
///
/// The time of its last change of any kind is one of them, because nobody can set it: packages are unpacked with the
/// time that their author's files had, often the same for every version, and a new file may get the inode of the old.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    modified: u128,
    changed: i128,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(path)?;
        let modified = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let modified = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        #[cfg(unix)]
        let (inode, changed) = {
            use std::os::unix::fs::MetadataExt;
            let changed = i128::from(meta.ctime()) * 1_000_000_000 + i128::from(meta.ctime_nsec());
            (meta.ino(), changed)
        };
        #[cfg(not(unix))]
        let (inode, changed) = (0, 0);
        Ok(Self {
            inode,
            size: meta.len(),
            modified: modified.as_nanos(),
            changed,
        })
    }

    /// Returns true if nobody has written to the file between the two. A new name for it, or other rights, are no
    /// writing: while a program is read somebody may link it elsewhere.
    fn is_written_as(&self, other: &Self) -> bool {
        let changed = other.changed;
        let at_that_time = Self {
            changed,
            ..self.clone()
        };
        at_that_time == *other
    }

    /// All of it in a word.
    pub(crate) fn word(&self) -> String {
        let Self {
            inode,
            size,
            modified,
            changed,
        } = self;
        format!("{inode}-{size}-{modified}-{changed}")
    }
}

/// Something that decides what a program is, as it was when it was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mark {
    /// A file, wherever links lead to; `None` where there is none.
    File {
        path: PathBuf,
        stamp: Option<Stamp>,
        /// The digest of its content, once it was taken.
        content: Option<String>,
    },
    /// A link.
    Link { path: PathBuf, target: PathBuf },
    /// The names in a folder that begin and end in a certain way; a folder that is not there has none.
    Names {
        folder: PathBuf,
        stamp: Option<Stamp>,
        begins: String,
        ends: Vec<String>,
        names: Vec<String>,
    },
}

impl Mark {
    pub(crate) fn file(path: &Path) -> Self {
        Self::File {
            path: path.to_owned(),
            stamp: Stamp::of(path).ok(),
            content: None,
        }
    }

    pub(crate) fn link(path: &Path, target: &Path) -> Self {
        Self::Link {
            path: path.to_owned(),
            target: target.to_owned(),
        }
    }

    pub(crate) fn names(folder: &Path, begins: &str, ends: &[&str]) -> Self {
        let ends: Vec<String> = ends.iter().map(|end| (*end).to_owned()).collect();
        // Before the names: what comes in between is seen the next time.
        let stamp = Stamp::of(folder).ok();
        Self::Names {
            names: names_in(folder, begins, &ends),
            folder: folder.to_owned(),
            stamp,
            begins: begins.to_owned(),
            ends,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File { path, .. } | Self::Link { path, .. } => path,
            Self::Names { folder, .. } => folder,
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::Names { .. })
    }

    /// Returns true if it is the list of names with this beginning.
    pub(crate) fn lists(&self, beginning: &str) -> bool {
        matches!(self, Self::Names { begins, .. } if begins == beginning)
    }

    /// The names that were found in a folder.
    pub(crate) fn named(&self) -> &[String] {
        match self {
            Self::Names { names, .. } => names,
            Self::File { .. } | Self::Link { .. } => &[],
        }
    }

    /// Returns true if it looks the same.
    pub(crate) fn is_same(&self) -> bool {
        match self {
            Self::File { path, stamp, .. } => Stamp::of(path).ok() == *stamp,
            Self::Names { folder, stamp, .. } => Stamp::of(folder).ok() == *stamp,
            Self::Link { path, target } => fs::read_link(path).is_ok_and(|now| now == *target),
        }
    }

    /// Takes the new looks of what has the same content, and says whether it has.
    pub(crate) fn renew(&mut self) -> bool {
        match self {
            Self::File {
                path,
                stamp,
                content: known,
            } => {
                let now = Stamp::of(path).ok();
                let same = known.is_some() && content(path).ok() == *known;
                *stamp = now;
                same
            }
            Self::Names {
                folder,
                stamp,
                begins,
                ends,
                names,
            } => {
                *stamp = Stamp::of(folder).ok();
                names_in(folder, begins, ends) == *names
            }
            Self::Link { .. } => false,
        }
    }

    /// Notes the content of a file that still looks the same. One that does not keeps none, and so is never taken for
    /// what it was.
    pub(crate) fn seal(&mut self, whole: bool) {
        if let Self::File {
            path,
            stamp: Some(stamp),
            content: known,
        } = self
            && known.is_none()
            && (whole || stamp.size <= READ)
            && let Ok(now) = Stamp::of(path)
            && stamp.is_written_as(&now)
        {
            *stamp = now;
            *known = content(path).ok();
        }
    }

    /// Its text, without the looks of a folder.
    pub(crate) fn word(&self) -> String {
        let path = self.path().display();
        match self {
            Self::File { stamp, .. } => {
                format!("{path} {}", stamp.as_ref().map_or("-".into(), Stamp::word))
            }
            Self::Link { target, .. } => format!("{path} {}", target.display()),
            Self::Names { names, .. } => format!("{path} {}", names.join("/")),
        }
    }
}

/// The names in a folder with such a beginning and end, in order.
pub(crate) fn names_in(folder: &Path, begins: &str, ends: &[String]) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let fits = |name: &String| {
        name.starts_with(begins) && (ends.is_empty() || ends.iter().any(|end| name.ends_with(end)))
    };
    let mut names: Vec<String> = names.filter(fits).collect();
    names.sort_unstable();
    names
}

/// The digest of a file's content.
fn content(path: &Path) -> io::Result<String> {
    // Others may have no end, or nobody who writes to them.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&digest.finalize())),
            read => digest.update(&buffer[..read]),
        }
    }
}
