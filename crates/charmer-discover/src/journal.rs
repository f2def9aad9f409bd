//! The answers of a reading that is not complete yet, kept on disk as they come, so that a reading that is cut short goes
//! on from there at the next start.
//!
//! A walk is a function of what the program answers. So it is the answers that are kept, not what was made of them: the
//! next walk begins at the root again, and asks the program only what it has not been asked yet. Each answer is a line
//! that is appended at once: nothing has to be saved at the end, and a process that is killed loses what it was waiting
//! for and no more. In memory there is only where each answer stands, so that a reading of any size can be gone on with.
//!
//! The first line says what the answers belong to: this crate's version, the file of the program, and what the program
//! says of itself, which is asked anew at every start. If that is not the same, the journal is begun again.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::probe::ProbeAnswer;

/// The maximum size of a journal in bytes; what comes later is asked again at the next start. It is twice of what is
/// read of a program, because texts are longer in JSON and each stands beside its question.
const MOST_BYTES: u64 = 256 << 20;

/// The place of a program's journal. [`Cache::journal`](crate::cache::Cache::journal) makes one.
#[derive(Debug, Clone)]
pub struct Journal {
    file: PathBuf,
    /// The state that the answers belong to, less what the program says of itself.
    basis: String,
}

/// The question of a probe: everything that its answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct ProbeQuestion {
    /// It was asked with the user's real home.
    pub(crate) at_home: bool,
    /// The variables that were set for it alone.
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) argv: Vec<String>,
}

impl Journal {
    pub(crate) fn new(file: PathBuf, basis: String) -> Self {
        Self { file, basis }
    }

    /// Forgets the answers.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.file);
    }

    /// The answers that a program of this identity has given before, ready to take more. `None` where they cannot be
    /// kept: then a reading that is cut short begins again.
    pub(crate) fn open(&self, identity: &str) -> Option<OpenJournal> {
        let header = format!("{} {identity}\n", self.basis);
        let known = match self.read(header.as_bytes()) {
            Some(known) => known,
            None => {
                self.begin(header.as_bytes()).ok()?;
                HashMap::new()
            }
        };
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).open(&self.file).ok()?;
        // The last line may have been cut by a kill; empty ones mean nothing.
        file.write_all(b"\n").ok()?;
        let size = file.metadata().ok()?.len();
        Some(OpenJournal {
            known,
            file: Mutex::new((file, size)),
        })
    }

    /// The places of the answers under this header.
    fn read(&self, header: &[u8]) -> Option<HashMap<u64, AnswerPlace>> {
        let mut lines = BufReader::with_capacity(1 << 20, File::open(&self.file).ok()?);
        let mut line = vec![0; header.len()];
        lines.read_exact(&mut line).ok()?;
        if line != header {
            return None;
        }
        let mut known = HashMap::new();
        let mut start = header.len() as u64;
        loop {
            line.clear();
            let length = lines.read_until(b'\n', &mut line).ok()?;
            if length == 0 {
                return Some(known);
            }
            // A line that cannot be read was cut by a kill, or two processes wrote it: it is asked again.
            if let Ok((question, _)) = serde_json::from_slice::<(ProbeQuestion, IgnoredAny)>(&line)
            {
                known.insert(question.key(), AnswerPlace { start, length });
            }
            start += length as u64;
        }
    }

    /// Begins anew. Whoever still writes to the old file does no harm.
    fn begin(&self, header: &[u8]) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(&self.file);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(header)?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }
}

impl ProbeQuestion {
    /// A number by which its answer is found again. Where two questions share one, the line itself tells them apart.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// The place of a line in the file.
#[derive(Debug, Clone, Copy)]
struct AnswerPlace {
    start: u64,
    length: usize,
}

/// An open journal.
#[derive(Debug)]
pub(crate) struct OpenJournal {
    /// The places of the answers that were given before this reading, by the keys of their questions.
    known: HashMap<u64, AnswerPlace>,
    /// The file and its size.
    file: Mutex<(File, u64)>,
}

impl OpenJournal {
    /// The answer that was given to this question before.
    pub(crate) fn to(&self, question: &ProbeQuestion) -> Option<ProbeAnswer> {
        let place = self.known.get(&question.key())?;
        let mut line = vec![0; place.length];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            // Writing is at the end, wherever reading has led.
            file.0.seek(SeekFrom::Start(place.start)).ok()?;
            file.0.read_exact(&mut line).ok()?;
        }
        let (asked, answer): (ProbeQuestion, ProbeAnswer) = serde_json::from_slice(&line).ok()?;
        (asked == *question).then_some(answer)
    }

    /// Keeps an answer. If that fails it is asked for again next time; nothing else is lost.
    pub(crate) fn keep(&self, question: &ProbeQuestion, answer: &ProbeAnswer) {
        let Ok(mut line) = serde_json::to_vec(&(question, answer)) else {
            return;
        };
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, size) = &mut *file;
        *size += line.len() as u64;
        if *size <= MOST_BYTES {
            // One write to a file that is only appended to: another server's lines do not get between.
            let _ = file.write_all(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(word: &str) -> ProbeQuestion {
        ProbeQuestion {
            at_home: false,
            variables: Vec::new(),
            argv: vec![word.into()],
        }
    }

    fn answer(text: &str) -> ProbeAnswer {
        ProbeAnswer {
            stdout: text.into(),
            code: Some(0),
            started: true,
            ..ProbeAnswer::default()
        }
    }

    #[test]
    fn answers_outlive_a_reading_that_is_cut_short_at_any_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cache").join("journal");
        let journal = Journal::new(file.clone(), "basis".into());
        let answers = journal.open("one").expect("it can be kept");
        answers.keep(&question("a"), &answer("A\n"));
        answers.keep(&question("b"), &answer("B\n"));
        let whole = fs::read(&file).expect("it is there");
        let header = "basis one\n".len();
        for length in header..=whole.len() {
            fs::write(&file, &whole[..length]).expect("written");
            let again = journal.open("one").expect("it can be kept");
            let (a, b) = (again.to(&question("a")), again.to(&question("b")));
            assert!(a.is_none_or(|a| a == answer("A\n")));
            assert_eq!(b.is_some(), length >= whole.len() - 1, "{length}");
            again.keep(&question("c"), &answer("C\n"));
            let again = journal.open("one").expect("it can be kept");
            assert_eq!(again.to(&question("c")), Some(answer("C\n")), "{length}");
        }
    }

    #[test]
    fn answers_belong_to_a_program_that_is_still_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("journal");
        let journal = Journal::new(file.clone(), "basis".into());
        let keep = |identity: &str| {
            let answers = journal.open(identity).expect("it can be kept");
            answers.keep(&question("a"), &answer("A\n"));
        };
        let known = |journal: &Journal, identity: &str| {
            let answers = journal.open(identity).expect("it can be kept");
            answers.to(&question("a")).is_some()
        };
        keep("one");
        assert!(known(&journal, "one"));
        assert!(!known(&journal, "two"), "another version");
        assert!(!known(&journal, "one"), "what it was is gone");
        keep("one");
        let other = Journal::new(file, "another file".into());
        assert!(!known(&other, "one"));
        keep("one");
        journal.remove();
        assert!(!known(&journal, "one"));
    }
}
