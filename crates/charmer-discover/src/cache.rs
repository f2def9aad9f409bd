//! Readings of programs, kept on disk, so that a program is read once and not at every start.
//!
//! An entry belongs to a path, to this crate's own version and to what the program was: its [`Footing`], which is the
//! marks of its file and of whatever stands behind it. While they are the same the entry stands, and nothing is run.
//! Where they are not, content decides: the same content under new marks (a reinstalled package, a touched file) keeps
//! the entry. An entry that cannot be read is as good as none.
//!
//! Three files make an entry: the program, which every start needs, its footing, which says without more whether the
//! program is still the one, and where everything was seen, which only `charmer inspect` asks for. Until a program has been
//! read to the end there is a fourth, its [`Journal`]; an entry beside one is of a reading that was not complete, and says so.

mod kept;

pub use kept::{KeptCondition, KeptProgram};

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::{
    Discovery, Footing, Hold, Journal, Provenance, Surroundings, discovery::hex, footing::Stamp,
};

/// Changes whenever programs are read differently than before.
const FORMAT: u32 = 44;

/// The way the name of a [`Journal`]'s file ends.
const JOURNAL: &str = "journal";
/// The way the name of the file ends that keeps the answers of a program which is read in parts: more may be wanted later,
/// and what is known already is not asked again.
const ANSWERS: &str = "answers";
/// The way the name of a footing's file ends.
const FOOTING: &str = "footing.json";
/// The way the name of the file with where everything was seen ends.
const ORIGINS: &str = "origins.json";
/// The way the name of an entry's own file ends.
const ENTRY: &str = "json";

/// A folder of entries.
///
/// ```
/// use charmer_discover::cache::Cache;
/// let folder = tempfile::tempdir()?;
/// let cache = Cache::new(folder.path());
/// assert!(cache.load(&std::env::current_exe()?).is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    around: Surroundings,
}

/// The state of what is kept of a program.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum KeptState {
    /// It has been read, and is the same file still.
    Current(Box<Discovery>),
    /// It was read, and has become another file since, or was read by another version.
    Outdated,
    /// Its reading was begun, and cut short.
    Begun,
    /// Nothing is kept of it.
    Unread,
}

/// The first of an entry's files.
#[derive(Debug, Serialize, Deserialize)]
struct CacheEntry<D> {
    format: u32,
    version: String,
    program: PathBuf,
    discovery: D,
}

/// The file with the footing of an entry.
#[derive(Debug, Serialize, Deserialize)]
struct KeptFooting {
    format: u32,
    version: String,
    footing: Footing,
}

impl Cache {
    /// Entries in this folder, which is made when the first is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            around: Surroundings::default(),
        }
    }

    /// Sets where plugins and packages of programs are looked for.
    #[must_use]
    pub fn around(mut self, around: Surroundings) -> Self {
        self.around = around;
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The state of what is kept of the program at this path.
    pub fn state(&self, program: &Path) -> KeptState {
        if let Some(found) = self.load(program) {
            KeptState::Current(Box::new(found))
        } else if self.file(program, JOURNAL).exists() {
            KeptState::Begun
        } else if self.file(program, ENTRY).exists() {
            KeptState::Outdated
        } else {
            KeptState::Unread
        }
    }

    /// The kept reading of the program at this path; its provenance is left empty, see
    /// [`provenance`](Self::provenance).
    pub fn load(&self, program: &Path) -> Option<Discovery> {
        self.holds(program).then(|| self.last_known(program))?
    }

    /// The last reading of the program at this path, whatever it has become since.
    pub fn last_known(&self, program: &Path) -> Option<Discovery> {
        let mut entry: CacheEntry<Discovery> = read(&self.file(program, ENTRY))?;
        let ours = entry.format == FORMAT
            && entry.version == env!("CARGO_PKG_VERSION")
            && entry.program == program;
        entry.discovery.cli.share_flags();
        ours.then_some(entry.discovery)
    }

    /// Returns true if what is kept of the program at this path is of a reading that was not complete, without reading
    /// it.
    pub fn has_incomplete(&self, program: &Path) -> bool {
        let files = [ENTRY, JOURNAL].map(|ending| self.file(program, ending));
        files.iter().all(|file| file.exists())
    }

    /// The footing of the program at this path as it is now. It belongs to what is found out from now on.
    pub fn footing(&self, program: &Path) -> Footing {
        Footing::of(program, &self.around)
    }

    /// The footing that the program's entry was made on, whether or not it still holds.
    pub fn kept_footing(&self, program: &Path) -> Option<Footing> {
        let kept: KeptFooting = read(&self.file(program, FOOTING))?;
        let ours = kept.format == FORMAT && kept.version == env!("CARGO_PKG_VERSION");
        ours.then_some(kept.footing)
    }

    /// Compares a footing with what is there now.
    pub fn check(&self, footing: &mut Footing) -> Hold {
        footing.check(&self.around)
    }

    /// Returns true if the program is still what its entry was made from.
    fn holds(&self, program: &Path) -> bool {
        let Some(mut footing) = self.kept_footing(program) else {
            return false;
        };
        match self.check(&mut footing) {
            Hold::Same => true,
            Hold::Touched => {
                // If it cannot be kept, the content is read again next time; nothing else is lost.
                let _ = self.write_footing(program, footing);
                true
            }
            Hold::Plugins | Hold::Changed => false,
        }
    }

    fn write_footing(&self, program: &Path, footing: Footing) -> io::Result<()> {
        let kept = KeptFooting {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            footing,
        };
        write(&self.file(program, FOOTING), &kept)
    }

    /// A word that stays the same as long as the file does, without reading it.
    pub fn mark(file: &Path) -> Option<String> {
        Some(Stamp::of(file).ok()?.word())
    }

    /// A word that stays the same as long as the program and its entry do, without reading them; `None` without an
    /// entry that holds.
    pub fn entry_mark(&self, program: &Path) -> Option<String> {
        let entry = Self::mark(&self.file(program, ENTRY))?;
        let own = Self::mark(program)?;
        self.holds(program).then(|| format!("{own}+{entry}"))
    }

    /// A text that somebody keeps beside the entries, if it is there.
    pub fn read_text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    /// Keeps a text beside the entries, in a file of this name, as a whole or not at all.
    pub fn write_text(&self, name: &str, text: &str) -> io::Result<()> {
        self.write_bytes(name, |writer| writer.write_all(text.as_bytes()))
    }

    /// The same for what is no text.
    pub fn read_bytes(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join(name)).ok()
    }

    /// Keeps what is written beside the entries, in a file of this name, as a whole or not at all.
    pub fn write_bytes(
        &self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        replace(&self.folder.join(name), |writer| write(writer))
    }

    /// The source of everything in a program's reading.
    pub fn provenance(&self, program: &Path) -> Option<Provenance> {
        read(&self.file(program, ORIGINS))
    }

    /// Keeps what was found out about the program at this path. The footing is that from before it was found out: what
    /// has changed meanwhile shows at the next look.
    pub fn store(
        &self,
        program: &Path,
        mut footing: Footing,
        discovery: &Discovery,
    ) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        footing.seal();
        // An older entry on a newer footing would be taken for what it is not.
        let _ = fs::remove_file(self.file(program, ENTRY));
        self.write_footing(program, footing)?;
        write(&self.file(program, ORIGINS), &discovery.provenance)?;
        let entry = CacheEntry {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: program.to_owned(),
            discovery: discovery.without_provenance(),
        };
        write(&self.file(program, ENTRY), &entry)?;
        // What it was made from is not needed any more, unless a reading is to go on from there.
        if discovery.complete {
            let journal = self.file(program, JOURNAL);
            let _ = match discovery.parts.is_some() {
                true => fs::rename(journal, self.file(program, ANSWERS)),
                false => fs::remove_file(journal),
            };
        }
        Ok(())
    }

    /// The place for the answers of the program at this path, until all of them are there; `None` if there is no such
    /// file.
    pub fn journal(&self, program: &Path, footing: &Footing) -> Option<Journal> {
        let mark = Self::mark(program).map(|_| footing.word())?;
        let version = env!("CARGO_PKG_VERSION");
        let basis = format!("{FORMAT} {version} {mark} {program:?}");
        let file = self.file(program, JOURNAL);
        if !file.exists() {
            // Only a program that is read in parts has any.
            let _ = fs::rename(self.file(program, ANSWERS), &file);
        }
        Some(Journal::new(file, basis))
    }

    /// Forgets what is known of the program at this path.
    pub fn forget(&self, program: &Path) {
        for ending in [ENTRY, FOOTING, ORIGINS, JOURNAL, ANSWERS] {
            let _ = fs::remove_file(self.file(program, ending));
        }
    }

    fn file(&self, program: &Path, ending: &str) -> PathBuf {
        let digest = hex(&Sha256::digest(program.as_os_str().as_encoded_bytes()));
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(40)
            .collect();
        self.folder
            .join(format!("{plain}-{}.{ending}", &digest[..16]))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    // Read whole, which is quicker than piece by piece.
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    replace(path, |writer| Ok(serde_json::to_writer(writer, value)?))
}

/// Writes a file as a whole or not at all, readable by its owner alone.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    let mut writer = BufWriter::new(file.as_file_mut());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{Cli, Command, Syntax};

    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
        program: PathBuf,
        cache: Cache,
        found: Discovery,
    }

    fn scene() -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        fs::write(&program, "one").expect("written");
        let cache = Cache::new(folder.path().join("cache"));
        let found = Discovery::of(Cli::new(Command::new("program"), Syntax::pflag()));
        let footing = cache.footing(&program);
        cache.store(&program, footing, &found).expect("kept");
        Scene {
            folder,
            program,
            cache,
            found,
        }
    }

    impl Scene {
        fn store(&self) -> io::Result<()> {
            let footing = self.cache.footing(&self.program);
            self.cache.store(&self.program, footing, &self.found)
        }

        fn journal(&self) -> Option<Journal> {
            let footing = self.cache.footing(&self.program);
            self.cache.journal(&self.program, &footing)
        }
    }

    #[test]
    fn the_same_file_keeps_its_entry() {
        let scene = scene();
        assert_eq!(scene.cache.load(&scene.program), Some(scene.found));
    }

    #[test]
    fn a_touched_file_keeps_its_entry_and_a_changed_one_does_not() {
        let scene = scene();
        let elsewhere = scene.folder.path().join("copy");
        fs::copy(&scene.program, &elsewhere).expect("copied");
        fs::rename(&elsewhere, &scene.program).expect("moved");
        assert_eq!(scene.cache.load(&scene.program), Some(scene.found));
        fs::write(&scene.program, "two").expect("written");
        assert_eq!(scene.cache.load(&scene.program), None);
    }

    #[test]
    fn a_damaged_entry_is_none_and_can_be_kept_again() {
        let scene = scene();
        let entry = scene.cache.file(&scene.program, "json");
        let text = fs::read_to_string(&entry).expect("an entry");
        for damaged in [&text[..text.len() / 2], "", "[]", "\0"] {
            fs::write(&entry, damaged).expect("written");
            assert_eq!(scene.cache.load(&scene.program), None);
        }
        let older = text.replace(&format!("\"format\":{FORMAT}"), "\"format\":0");
        assert_ne!(older, text);
        fs::write(&entry, older).expect("written");
        assert_eq!(scene.cache.load(&scene.program), None);
        let again = scene.store();
        again.expect("kept");
        assert!(scene.cache.load(&scene.program).is_some());
    }

    #[test]
    fn an_entry_belongs_to_the_program_from_before_it_was_read() {
        let scene = scene();
        let before = scene.cache.footing(&scene.program);
        fs::write(&scene.program, "two, while one was read").expect("written");
        let stored = scene.cache.store(&scene.program, before, &scene.found);
        stored.expect("kept");
        assert_eq!(scene.cache.load(&scene.program), None);
        assert_eq!(scene.cache.entry_mark(&scene.program), None);
    }

    #[test]
    fn a_damaged_footing_is_none() {
        let scene = scene();
        fs::write(scene.cache.file(&scene.program, FOOTING), "{}").expect("written");
        assert_eq!(scene.cache.load(&scene.program), None);
        assert_eq!(scene.cache.entry_mark(&scene.program), None);
        scene.store().expect("kept");
        assert_eq!(scene.cache.load(&scene.program), Some(scene.found));
    }

    #[test]
    fn what_is_kept_has_a_state() {
        let scene = scene();
        let state = || scene.cache.state(&scene.program);
        assert_eq!(state(), KeptState::Current(Box::new(scene.found.clone())));
        fs::write(&scene.program, "two").expect("written");
        assert_eq!(state(), KeptState::Outdated);
        let journal = scene.journal().expect("a program");
        journal.open("two").expect("it can be kept");
        assert_eq!(state(), KeptState::Begun);
        scene.cache.forget(&scene.program);
        assert_eq!(state(), KeptState::Unread);
    }

    #[test]
    fn a_journal_goes_when_its_program_has_been_read() {
        let scene = scene();
        let journal = scene.journal().expect("a program");
        journal.open("one").expect("it can be kept");
        let file = scene.cache.file(&scene.program, JOURNAL);
        assert!(file.exists());
        let again = scene.store();
        again.expect("kept");
        assert!(!file.exists());
    }

    #[test]
    fn the_answers_of_a_program_in_parts_are_kept_for_the_next_part() {
        let mut scene = scene();
        scene.found.parts = Some(Vec::new());
        let journal = scene.journal().expect("a program");
        journal.open("one").expect("it can be kept");
        scene.store().expect("kept");
        assert!(!scene.cache.has_incomplete(&scene.program));
        scene.journal().expect("a program");
        assert!(scene.cache.file(&scene.program, JOURNAL).exists());
        scene.store().expect("kept");
        scene.cache.forget(&scene.program);
        assert!(!scene.cache.file(&scene.program, ANSWERS).exists());
    }

    #[test]
    fn two_programs_of_one_name_do_not_meet() {
        let scene = scene();
        let other = scene.folder.path().join("other").join("program");
        fs::create_dir(other.parent().expect("a parent")).expect("made");
        fs::write(&other, "one").expect("written");
        assert_eq!(scene.cache.load(&other), None);
        scene.cache.forget(&scene.program);
        assert_eq!(scene.cache.load(&scene.program), None);
    }
}
