//! The file of an audit log: opened for a burst of lines, moved aside when it is large, each line chained to the one before.
//!
//! The last field of a chained line is `chain`: the digest of the `chain` before it and of the line's own bytes up to that
//! field. The first line of a file that goes on from another has that one's last as `previous`. Whoever changes, removes or
//! inserts a line breaks the chain there. The end can still be cut off, and whoever may write the file can write all of it
//! anew: who must rule that out keeps the last `chain` elsewhere.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::LineFields;

/// The bytes before the digest of a line.
const CHAIN: &[u8] = b",\"chain\":\"";
/// A line is not longer: its texts are shortened.
const LONGEST_LINE: u64 = 1 << 20;
/// The time that another server may take to write its lines.
const PATIENCE: Duration = Duration::from_secs(2);

/// A digest of some bytes, as text. It is handed in, so that who does not chain lines does not carry one.
pub type ChainDigest = fn(&[u8]) -> String;

/// The file, and what is done with it.
#[derive(Debug, Clone)]
pub(super) struct AuditFile {
    path: PathBuf,
    pub(super) digest: Option<ChainDigest>,
    /// The size at which it is moved aside, and how many of those are kept.
    pub(super) rotate: Option<(u64, usize)>,
}

/// The file, open and, where it is chained or moved, locked.
pub(super) struct OpenAudit {
    pub(super) file: File,
    /// Others wait for it.
    pub(super) is_locked: bool,
    digest: Option<ChainDigest>,
    /// The chain so far.
    pub(super) link: ChainLink,
}

/// The end of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChainLink {
    digest: String,
    /// No line of this file has it yet.
    is_elsewhere: bool,
}

impl AuditFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            digest: None,
            rotate: None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file to append to it; a new one is for its owner alone, because input can be confidential.
    pub(super) fn open(&self) -> io::Result<OpenAudit> {
        let mut link = ChainLink::default();
        // A pipe or a terminal has no lines that could be read again.
        if std::fs::metadata(&self.path).is_ok_and(|there| !there.is_file()) {
            return Ok(OpenAudit {
                file: append_to(&self.path, false)?,
                is_locked: false,
                digest: None,
                link,
            });
        }
        let mut file = append_to(&self.path, self.digest.is_some())?;
        let is_locked = self.digest.is_some() || self.rotate.is_some();
        if is_locked {
            file = self.locked(file)?;
        }
        if self.digest.is_some() {
            link.digest = last_chain(&mut file)?;
        }
        if let Some((size, keep)) = self.rotate
            && file.metadata()?.len() >= size
        {
            file = self.move_aside(&file, keep)?;
            link.is_elsewhere = true;
        }
        Ok(OpenAudit {
            file,
            is_locked,
            digest: self.digest,
            link,
        })
    }

    /// Waits for other servers that write to the same file, which may have been moved meanwhile.
    fn locked(&self, mut file: File) -> io::Result<File> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) if is_at(&file, &self.path)? => return Ok(file),
                Ok(()) => file = append_to(&self.path, self.digest.is_some())?,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    let said = "another process has locked it";
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, said));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// `log` becomes `log.1`, `log.1` becomes `log.2`, and the oldest goes. Returns the new `log`, locked.
    ///
    /// The path leads to a file at every moment, to the old one or to the new one, which is locked before it is there: another
    /// server that found none would make one itself, and begin a chain of its own in it.
    fn move_aside(&self, file: &File, keep: usize) -> io::Result<File> {
        let first = aside(&self.path, 1);
        // Whoever was ended between the two steps below has left it under both names.
        let is_linked = cfg!(unix) && is_at(file, &first)?;
        if !is_linked {
            for number in (1..keep).rev() {
                match std::fs::rename(aside(&self.path, number), aside(&self.path, number + 1)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            // The oldest goes, where only one is kept.
            let _ = std::fs::remove_file(&first);
        }
        if cfg!(unix) && (is_linked || std::fs::hard_link(&self.path, &first).is_ok()) {
            let mut next = self.path.as_os_str().to_owned();
            next.push(".next");
            let _ = std::fs::remove_file(&next);
            let fresh = append_to(Path::new(&next), self.digest.is_some())?;
            fresh.lock()?;
            std::fs::rename(&next, &self.path)?;
            return Ok(fresh);
        }
        // A file system without links: here a moment is left.
        std::fs::rename(&self.path, &first)?;
        self.locked(append_to(&self.path, self.digest.is_some())?)
    }
}

impl OpenAudit {
    /// A line as it is written, and where the chain is behind it.
    pub(super) fn line(&self, fields: &LineFields) -> io::Result<(Vec<u8>, ChainLink)> {
        let mut bytes = Vec::with_capacity(512);
        let Some(digest) = self.digest else {
            serde_json::to_writer(&mut bytes, fields)?;
            return Ok((bytes, ChainLink::default()));
        };
        match self.link.is_elsewhere && !self.link.digest.is_empty() {
            true => {
                let mut fields = fields.clone();
                fields.insert("previous".into(), self.link.digest.clone().into());
                serde_json::to_writer(&mut bytes, &fields)?;
            }
            false => serde_json::to_writer(&mut bytes, fields)?,
        }
        // Without its last brace.
        bytes.pop();
        let digest = chained(digest, &self.link.digest, &bytes);
        bytes.extend_from_slice(CHAIN);
        bytes.extend_from_slice(digest.as_bytes());
        bytes.extend_from_slice(b"\"}");
        let link = ChainLink {
            digest,
            is_elsewhere: false,
        };
        Ok((bytes, link))
    }
}

fn chained(digest: ChainDigest, before: &str, line: &[u8]) -> String {
    digest(&[before.as_bytes(), line].concat())
}

/// The path of a log that was moved aside.
fn aside(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

fn append_to(path: &Path, and_read: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).read(and_read).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// Returns true if this is the file that has the path now.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (ours, there) = (file.metadata()?, std::fs::metadata(path));
        Ok(there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

/// The digest of the last line that is whole; empty, where there is none.
fn last_chain(file: &mut File) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST_LINE)))?;
    let mut end = Vec::new();
    file.take(LONGEST_LINE).read_to_end(&mut end)?;
    let mut lines = end.rsplit(|byte| *byte == b'\n');
    let last = lines.find_map(split);
    Ok(last.map_or_else(String::new, |(_, digest)| digest.to_owned()))
}

/// A line up to its digest, and the digest.
fn split(line: &[u8]) -> Option<(&[u8], &str)> {
    let line = line.strip_suffix(b"\"}")?;
    let at = line.windows(CHAIN.len()).rposition(|part| part == CHAIN)?;
    let digest = std::str::from_utf8(&line[at + CHAIN.len()..]).ok()?;
    digest
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then_some((&line[..at], digest))
}

/// The state of a chain after a check.
///
/// ```
/// use charmer_run::layers::verify_audit;
/// let folder = tempfile::tempdir().unwrap();
/// let log = folder.path().join("calls.jsonl");
/// std::fs::write(&log, "{\"tool\":\"ls\"}\n").unwrap();
/// let seen = verify_audit(&log, |_| String::new()).unwrap();
/// assert_eq!((seen.lines, seen.unchained, seen.breaks.len()), (1, 1, 0));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditVerified {
    /// The files, from the oldest.
    pub files: Vec<PathBuf>,
    /// The number of lines.
    pub lines: u64,
    /// The lines before the first that is chained: from a time when none were.
    pub unchained: u64,
    /// The lines that do not follow from those before them.
    pub breaks: Vec<AuditBreak>,
    /// The digest of the last line.
    pub last: String,
}

/// A place where an audit log was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditBreak {
    /// The file.
    pub file: PathBuf,
    /// The line in it, from 1.
    pub line: u64,
    /// The mistake there.
    pub reason: &'static str,
}

/// Checks the chain of an audit log and of the files that were moved aside from it.
pub fn verify(path: &Path, digest: ChainDigest) -> io::Result<AuditVerified> {
    let older = (1..).map(|number| aside(path, number));
    let mut files: Vec<PathBuf> = older.take_while(|file| file.exists()).collect();
    files.reverse();
    files.push(path.to_owned());
    let mut seen = AuditVerified::default();
    for file in files {
        verify_file(&file, digest, &mut seen)?;
        seen.files.push(file);
    }
    Ok(seen)
}

fn verify_file(path: &Path, digest: ChainDigest, seen: &mut AuditVerified) -> io::Result<()> {
    let mut reader = io::BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if io::BufRead::read_until(&mut reader, b'\n', &mut line)? == 0 {
            break;
        }
        seen.lines += 1;
        let mut broken = |reason| {
            let file = path.to_owned();
            let line = number;
            seen.breaks.push(AuditBreak { file, line, reason });
        };
        let whole = line.strip_suffix(b"\n");
        let Some((text, told)) = whole.and_then(split) else {
            match seen.last.is_empty() {
                true => seen.unchained += 1,
                false => broken("it is no whole line of the chain"),
            }
            continue;
        };
        let mut before = seen.last.clone();
        if number == 1 {
            let fields: Option<Value> = serde_json::from_slice(&[text, b"}"].concat()).ok();
            let previous =
                fields.and_then(|fields| Some(fields.get("previous")?.as_str()?.to_owned()));
            match previous {
                // The files before it are gone, as they are after a while.
                Some(previous) if before.is_empty() => before = previous,
                Some(previous) if previous != before => {
                    broken("it does not go on from the file before it")
                }
                _ => {}
            }
        }
        if chained(digest, &before, text) != told {
            broken("it was changed, or what was before it was changed or removed");
        }
        seen.last = told.to_owned();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    /// No digest that anybody should use; it tells lines apart.
    fn digest(bytes: &[u8]) -> String {
        let start = 0xcbf2_9ce4_8422_2325_u64;
        let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", bytes.iter().fold(start, step))
    }

    fn log(folder: &Path) -> AuditFile {
        let mut file = AuditFile::new(folder.join("log"));
        file.digest = Some(digest);
        file
    }

    fn write(file: &AuditFile, numbers: std::ops::Range<u64>) {
        use std::io::Write as _;
        let mut open = file.open().expect("it can be opened");
        for number in numbers {
            let fields = Map::from_iter([("number".to_owned(), json!(number))]);
            let (mut bytes, link) = open.line(&fields).expect("it is JSON");
            bytes.push(b'\n');
            open.file.write_all(&bytes).expect("there is room");
            open.link = link;
        }
    }

    fn breaks(file: &AuditFile) -> Vec<u64> {
        let seen = verify(&file.path, digest).expect("it can be read");
        seen.breaks.iter().map(|found| found.line).collect()
    }

    #[test]
    fn a_line_that_was_changed_removed_or_put_in_breaks_the_chain() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = log(folder.path());
        write(&file, 0..3);
        write(&file, 3..6);
        assert_eq!(breaks(&file), [0_u64; 0]);
        let text = std::fs::read_to_string(&file.path).expect("it is there");
        let lines: Vec<&str> = text.lines().collect();
        let rewritten = |lines: &[&str]| {
            std::fs::write(&file.path, lines.join("\n") + "\n").expect("there is room");
            breaks(&file)
        };
        let changed = lines[2].replace("2,", "7,");
        assert_eq!(rewritten(&[lines[0], lines[1], &changed, lines[3]]), [3]);
        assert_eq!(rewritten(&[lines[0], lines[2], lines[3]]), [2]);
        assert_eq!(rewritten(&[lines[0], lines[0], lines[1]]), [2]);
        assert_eq!(rewritten(&[lines[0], "{}", lines[1]]), [2]);
        assert_eq!(rewritten(&lines[1..]), [1]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_told_and_the_chain_goes_on_behind_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = log(folder.path());
        write(&file, 0..2);
        let mut text = std::fs::read_to_string(&file.path).expect("it is there");
        text.push_str("{\"number\":9\n");
        std::fs::write(&file.path, text).expect("there is room");
        write(&file, 2..4);
        assert_eq!(breaks(&file), [3]);
    }

    #[test]
    fn a_chain_goes_on_over_files_that_were_moved_aside() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = log(folder.path());
        file.rotate = Some((100, 2));
        for number in 0..20 {
            write(&file, number..number + 1);
        }
        let seen = verify(&file.path, digest).expect("it can be read");
        assert_eq!(seen.breaks, []);
        let names = seen
            .files
            .iter()
            .filter_map(|file| file.file_name()?.to_str());
        assert_eq!(names.collect::<Vec<_>>(), ["log.2", "log.1", "log"]);
        std::fs::remove_file(aside(&file.path, 1)).expect("it is there");
        std::fs::rename(aside(&file.path, 2), aside(&file.path, 1)).expect("it is there");
        let seen = verify(&file.path, digest).expect("it can be read");
        assert!(!seen.breaks.is_empty(), "a file between two is missing");
    }

    #[test]
    fn servers_that_share_a_file_make_one_chain() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let mut file = log(folder.path());
                file.rotate = Some((2000, 1000));
                scope.spawn(move || {
                    for burst in 0..25 {
                        let first = writer * 1000 + burst * 10;
                        write(&file, first..first + 4);
                    }
                });
            }
        });
        let seen = verify(&folder.path().join("log"), digest).expect("it can be read");
        assert_eq!(
            (seen.lines, seen.breaks.len()),
            (400, 0),
            "{:?}",
            seen.breaks
        );
    }
}
