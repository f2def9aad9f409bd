//! Everything that is kept, as a list, and how it is removed.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{ANSWERS, Cache, CacheEntry, ENTRY, FOOTING, JOURNAL, ORIGINS, read};
use crate::Discovery;

/// A program of which something is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptProgram {
    /// The program.
    pub program: PathBuf,
    /// The condition of what is kept of it.
    pub condition: KeptCondition,
    /// The line that it calls its version; none where it is not known.
    pub version: Option<String>,
    /// The number of its commands, as far as they were read.
    pub commands: usize,
    /// The number of files and folders whose change means another program.
    pub watched: usize,
    /// The size of what is kept, in bytes.
    pub bytes: u64,
    /// The time when it was kept.
    pub kept: Option<SystemTime>,
}

/// The condition of what is kept of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptCondition {
    /// It has been read, and is the same program still.
    Current,
    /// It has been read as far as it answered, and is the same program still.
    Incomplete,
    /// It has changed since it was read, or was read by another version.
    Changed,
    /// It is not there any more.
    Gone,
    /// Its reading was begun, and cut short.
    Begun,
}

impl Cache {
    /// The programs of which something is kept, in the order of their paths. What cannot be read is left out.
    pub fn programs(&self) -> Vec<KeptProgram> {
        let mut programs = BTreeMap::new();
        for file in self.files() {
            let program = match ending(&file) {
                Some(ENTRY) => {
                    read::<CacheEntry<serde::de::IgnoredAny>>(&file).map(|it| it.program)
                }
                Some(JOURNAL) => journal_program(&file),
                _ => None,
            };
            if let Some(program) = program {
                let kept = || self.kept_program(&program);
                programs.entry(program.clone()).or_insert_with(kept);
            }
        }
        programs.into_values().collect()
    }

    fn kept_program(&self, program: &Path) -> KeptProgram {
        let found: Option<Discovery> = self.last_known(program);
        let entry = self.file(program, ENTRY);
        let condition = match &found {
            _ if !program.exists() => KeptCondition::Gone,
            None if !entry.exists() => KeptCondition::Begun,
            Some(found) if self.holds(program) => match found.complete {
                true => KeptCondition::Current,
                false => KeptCondition::Incomplete,
            },
            _ => KeptCondition::Changed,
        };
        let files =
            [ENTRY, FOOTING, ORIGINS, JOURNAL, ANSWERS].map(|ending| self.file(program, ending));
        let sizes = files.iter().filter_map(|file| file.metadata().ok());
        let newest = |ending| self.file(program, ending).metadata().ok();
        let kept = newest(ENTRY).or_else(|| newest(JOURNAL));
        KeptProgram {
            condition,
            bytes: sizes.map(|meta| meta.len()).sum(),
            watched: self
                .kept_footing(program)
                .map_or(0, |footing| footing.len()),
            version: found.as_ref().and_then(|found| found.cli.version.clone()),
            commands: found.as_ref().map_or(0, number_of_commands),
            kept: kept.and_then(|meta| meta.modified().ok()),
            program: program.to_owned(),
        }
    }

    /// Removes everything that is kept, and nothing else that somebody may have put into the folder. Returns the number
    /// of files.
    pub fn clear(&self) -> io::Result<usize> {
        let files = self.files();
        for file in &files {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(files.len())
    }

    /// The files that are this cache's own, by their names.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.is_file() && is_own(file));
        files.sort_unstable();
        files
    }
}

/// The number of a program's commands; the program itself is none, unless it has no others.
fn number_of_commands(found: &Discovery) -> usize {
    let mut commands = 0;
    found
        .cli
        .walk(&mut |path, _| commands += usize::from(!path.words().is_empty()));
    commands.max(1)
}

/// The ending of one of the cache's own files; `None` for a text that is kept beside them.
fn ending(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_string_lossy();
    let (_, ending) = name.split_once('.')?;
    [ENTRY, FOOTING, ORIGINS, JOURNAL, ANSWERS]
        .into_iter()
        .find(|own| *own == ending)
}

/// Returns true if a file's name is one that this cache gives: a word, sixteen digits, and what it is.
fn is_own(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (stem, has_ending) = match name.split_once('.') {
        Some((stem, _)) => (stem, ending(file).is_some()),
        None => (&*name, true),
    };
    let digits = stem.rsplit_once('-').map(|(_, digits)| digits);
    let is_digits =
        |digits: &str| digits.len() == 16 && digits.chars().all(|c| c.is_ascii_hexdigit());
    has_ending && digits.is_some_and(is_digits)
}

/// The program that a journal belongs to, which stands in its first line.
fn journal_program(file: &Path) -> Option<PathBuf> {
    let mut line = String::new();
    let mut reader = BufReader::new(File::open(file).ok()?);
    reader.read_line(&mut line).ok()?;
    let (from, to) = (line.find('"')?, line.rfind('"')?);
    serde_json::from_str::<PathBuf>(line.get(from..=to)?).ok()
}
