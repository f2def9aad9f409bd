//! The file of tokens: who a client is, by the secret that it shows.
//!
//! One principal a line, `name: token`, with what it may do in brackets behind it; everything, if nothing is said:
//!
//! ```text
//! # The night shift only looks.
//! ann: 5f1c7a60c0f4e1b2
//! night-shift: 0b9d3e6612aa4f7c [read]
//! deploy: 77c2f0d9b8e14a35 [read, write]
//! ```

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use charmer_run::Permissions;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::principal::Principal;

/// The longest name.
const LONGEST_NAME: usize = 64;
/// No file of tokens is larger.
const LARGEST: u64 = 1 << 20;

/// The reason why a file of tokens cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// It cannot be read.
    #[error("failed to read the token file `{}`: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The failure, as a sentence.
        error: io::Error,
    },
    /// Others than its owner can read it, or it is somebody else's.
    #[error("the token file `{}` {problem}; {hint}", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// The mistake, as a sentence.
        problem: &'static str,
        /// The advice.
        hint: String,
    },
    /// A line of it is wrong.
    #[error("the token file `{}` is wrong in line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The mistake, as a sentence.
        problem: String,
    },
    /// Nobody is in it.
    #[error("the token file `{}` names nobody; add a line `name: token`", .0.display())]
    Empty(PathBuf),
}

/// The tokens of a file, read again when it changes.
pub(super) struct Tokens {
    path: PathBuf,
    known: Mutex<KnownTokens>,
}

struct KnownTokens {
    mark: Option<FileMark>,
    entries: Vec<TokenEntry>,
}

/// A token as it is kept: only what it takes to recognize it.
struct TokenEntry {
    digest: [u8; 32],
    principal: Arc<Principal>,
}

/// The marks by which a file is known to be another one than before.
#[derive(PartialEq, Eq, Clone, Copy)]
struct FileMark {
    size: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    place: (u64, i64, i64),
}

impl FileMark {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            place: {
                use std::os::unix::fs::MetadataExt;
                (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
            },
        }
    }
}

impl Tokens {
    /// The tokens of this file.
    pub(super) fn load(path: &Path) -> Result<Self, TokenFileError> {
        let (mark, entries) = read(path)?;
        Ok(Self {
            path: path.to_path_buf(),
            known: Mutex::new(KnownTokens {
                mark: Some(mark),
                entries,
            }),
        })
    }

    /// Everybody who has one.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let names = known.entries.iter();
        names
            .map(|entry| Arc::clone(&entry.principal.name))
            .collect()
    }

    /// Returns the principal whose token this is.
    pub(super) fn whose(&self, token: &[u8]) -> Option<Arc<Principal>> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.look_again(&mut known);
        // Every entry is looked at, so that the time says nothing about which of them was near.
        let mut found = None;
        for entry in &known.entries {
            if same(&entry.digest, &digest) {
                found = Some(&entry.principal);
            }
        }
        found.cloned()
    }

    /// Reads the file again if it is another one. A file that is wrong changes nothing, and one that is gone lets nobody in.
    fn look_again(&self, known: &mut KnownTokens) {
        let now = fs::metadata(&self.path).map(|metadata| FileMark::of(&metadata));
        match now {
            Ok(now) if known.mark == Some(now) => {}
            Ok(now) => {
                known.mark = Some(now);
                match read(&self.path) {
                    Ok((mark, entries)) => {
                        known.mark = Some(mark);
                        known.entries = entries;
                        tracing::info!(file = %self.path.display(), "read the tokens again");
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the tokens from before stay in use");
                    }
                }
            }
            Err(error) => {
                if known.mark.take().is_some() {
                    tracing::warn!(%error, file = %self.path.display(), "the token file is gone: nobody is let in");
                }
                known.entries.clear();
            }
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.path.display())
    }
}

/// Compares two digests in a time that does not depend on where they differ.
fn same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let differs = one.iter().zip(other).fold(0, |differs, (one, other)| {
        std::hint::black_box(differs | (one ^ other))
    });
    std::hint::black_box(differs) == 0
}

fn read(path: &Path) -> Result<(FileMark, Vec<TokenEntry>), TokenFileError> {
    let failed = |error| TokenFileError::Read {
        path: path.to_path_buf(),
        error,
    };
    let file = fs::File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > LARGEST {
        let error = io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no file of at most 1 MiB",
        );
        return Err(failed(error));
    }
    check_access(path, &metadata)?;
    let text = io::read_to_string(file).map_err(failed)?;
    let entries = parse(path, &text)?;
    if entries.is_empty() {
        return Err(TokenFileError::Empty(path.to_path_buf()));
    }
    Ok((FileMark::of(&metadata), entries))
}

/// Refuses a file whose secrets others can read.
#[cfg(unix)]
fn check_access(path: &Path, metadata: &fs::Metadata) -> Result<(), TokenFileError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let exposed = |problem, hint| {
        Err(TokenFileError::Exposed {
            path: path.to_path_buf(),
            problem,
            hint,
        })
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        let hint = format!("run `chmod 600 {}`", path.display());
        return exposed("can be read or changed by others", hint);
    }
    let own = rustix::process::geteuid();
    if ![own.as_raw(), 0].contains(&metadata.uid()) {
        return exposed(
            "belongs to another user",
            "make it the server's own user's".into(),
        );
    }
    Ok(())
}

/// Elsewhere the folder's own protection is all there is.
#[cfg(not(unix))]
fn check_access(_: &Path, _: &fs::Metadata) -> Result<(), TokenFileError> {
    Ok(())
}

fn parse(path: &Path, text: &str) -> Result<Vec<TokenEntry>, TokenFileError> {
    let mut entries: Vec<TokenEntry> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |problem: String| TokenFileError::Line {
            path: path.to_path_buf(),
            line: at + 1,
            problem,
        };
        let entry = entry(line).map_err(wrong)?;
        if entries.iter().any(|known| known.digest == entry.digest) {
            return Err(wrong("the token stands above already".into()));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn entry(line: &str) -> Result<TokenEntry, String> {
    let expected = "expected `name: token`, and perhaps `[read]` or `[read, write]` behind it";
    let (name, rest) = line.split_once(':').ok_or(expected)?;
    let name = name.trim_end();
    if !is_name(name) {
        return Err(format!(
            "a name has 1 to {LONGEST_NAME} of the characters A-Z a-z 0-9 . _ @ -"
        ));
    }
    let (token, levels) = match rest.split_once('[') {
        Some((token, levels)) => (token.trim(), Some(levels)),
        None => (rest.trim(), None),
    };
    if token.is_empty() || token.contains(|c: char| !c.is_ascii_graphic()) {
        return Err(expected.into());
    }
    let permissions = match levels {
        None => Permissions::all(),
        Some(levels) => {
            let levels = levels.trim_end().strip_suffix(']').ok_or(expected)?;
            let levels: Vec<&str> = levels.split(',').map(str::trim).collect();
            match levels[..] {
                ["read"] => Permissions::read(),
                ["read", "write"] => Permissions::write(),
                ["read", "write", "destroy"] => Permissions::all(),
                _ => {
                    let known = "expected [read], [read, write] or [read, write, destroy]";
                    return Err(known.into());
                }
            }
        }
    };
    Ok(TokenEntry {
        digest: Sha256::digest(token).into(),
        principal: Arc::new(Principal::new(name, permissions)),
    })
}

/// Returns true if a name can stand in logs, in paths and in command lines as it is.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    let first = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    first && name.len() <= LONGEST_NAME && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose(text: &str, token: &str) -> Option<(String, Permissions)> {
        let entries = parse(Path::new("tokens"), text).expect("it is right");
        let digest: [u8; 32] = Sha256::digest(token).into();
        let found = entries.iter().find(|entry| same(&entry.digest, &digest))?;
        let principal = &found.principal;
        Some((principal.name.to_string(), principal.permissions.clone()))
    }

    #[test]
    fn a_line_names_a_principal_and_what_it_may_do() {
        let text = "# people\n\nann: aaaa\n bob@ops :  bbbb  [read]\nci: c:c=c [read, write]\nroot: dddd [read,write,destroy]\n";
        let is = |token: &str| whose(text, token);
        assert_eq!(is("aaaa"), Some(("ann".into(), Permissions::all())));
        assert_eq!(is("bbbb"), Some(("bob@ops".into(), Permissions::read())));
        assert_eq!(is("c:c=c"), Some(("ci".into(), Permissions::write())));
        assert_eq!(is("dddd"), Some(("root".into(), Permissions::all())));
        for near in ["", "aaa", "aaaaa", "AAAA", "ann", "bbbb  [read]"] {
            assert_eq!(is(near), None, "{near:?}");
        }
    }

    #[test]
    fn a_wrong_line_is_named() {
        let long = format!("{}: x", "n".repeat(65));
        for (text, says) in [
            ("ann", "expected `name: token`"),
            ("ann:", "expected `name: token`"),
            ("ann: a b", "expected `name: token`"),
            ("ann: a [read", "expected `name: token`"),
            ("ann: a [write]", "expected [read]"),
            ("ann: a []", "expected [read]"),
            ("an n: a", "a name has"),
            ("../x: a", "a name has"),
            (&long, "a name has"),
            ("ann: a\nbob: a", "stands above already"),
        ] {
            let error = parse(Path::new("tokens"), text).err().expect(text);
            let line = text.lines().count();
            let error = error.to_string();
            assert!(error.contains(says), "{text}: {error}");
            assert!(
                error.contains(&format!("in line {line}")),
                "{text}: {error}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_read_again_when_it_changes_and_not_if_others_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens");
        let write = |text: &str, mode| {
            fs::write(&path, text).expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
        };
        write("ann: aaaa\n", 0o644);
        let error = Tokens::load(&path).expect_err("others can read it");
        assert!(error.to_string().contains("chmod 600"), "{error}");
        write("ann: aaaa\n", 0o600);
        let tokens = Tokens::load(&path).expect("it is right");
        let name = |token: &str| {
            tokens
                .whose(token.as_bytes())
                .map(|who| who.name.to_string())
        };
        assert_eq!(name("aaaa").as_deref(), Some("ann"));
        write("bob: bbbbb\n", 0o600);
        assert_eq!(
            (name("aaaa"), name("bbbbb").as_deref()),
            (None, Some("bob"))
        );
        write("nonsense\n", 0o600);
        assert_eq!(
            name("bbbbb").as_deref(),
            Some("bob"),
            "the last good ones stay"
        );
        fs::remove_file(&path).expect("removed");
        assert_eq!(name("bbbbb"), None);
        write("ann: aaaa\n", 0o600);
        assert_eq!(name("aaaa").as_deref(), Some("ann"));
    }
}
