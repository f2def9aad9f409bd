//! The footing of a program: the files and folders that decide what it is, known again by their marks alone.
//!
//! A program is more than its file. A link leads to another version, a script of a few lines runs a package that is
//! upgraded beneath it, a shell wrapper runs what lies elsewhere, and a plugin adds commands to a program that stays as
//! it was. All of that is seen in files: so they are looked up once, when a program is read, and from then on a handful
//! of `stat`s says whether anything has changed. Nothing is run for it.
//!
//! What it does not see: what a version manager's stand-in decides when it is run, and files that a program reads
//! without a package around them. For those a program is asked for its version at each start; see
//! [`Discoverer::identify`](crate::Discoverer::identify).

mod mark;
mod package;
mod plugins;
mod script;
mod surroundings;

#[cfg(all(test, unix))]
mod tests;

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::discovery::hex;

use self::mark::Mark;
pub(crate) use self::mark::Stamp;
pub use self::surroundings::Surroundings;

/// The maximum number of marks: a folder of thousands of plugins costs no more than this.
const MOST_MARKS: usize = 600;
/// The maximum number of links on the way to a file, as Linux has it.
const MOST_LINKS: usize = 40;
/// The maximum number of programs that run one another: a wrapper, what it runs, what runs that.
const MOST_HOPS: usize = 4;

/// The files and folders that decide what a program is, as they were when they were looked up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footing {
    program: PathBuf,
    marks: Vec<Mark>,
}

/// The verdict on a [`Footing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hold {
    /// Every mark is as it was.
    Same,
    /// Some marks are others, and all content is as it was: a touched file, another program in the same folder. The
    /// footing has the new marks now.
    Touched,
    /// The program is not what it was.
    Changed,
}

impl Footing {
    /// The footing of the program at this path as it is now. It takes a moment, because packages are looked for.
    pub fn of(program: &Path, around: &Surroundings) -> Self {
        let mut survey = Survey {
            around,
            marks: Vec::new(),
            seen: HashSet::new(),
        };
        survey.program(program, MOST_HOPS);
        survey.plugins(program);
        Self {
            program: program.to_owned(),
            marks: survey.marks,
        }
    }

    /// Notes the content of the files that are still what they were, so that one that is only touched later is known
    /// again. It reads the program, and whatever else is not large.
    pub fn seal(&mut self) {
        for mark in &mut self.marks {
            let whole = mark.path() == self.program;
            mark.seal(whole);
        }
    }

    /// Whether the files and links are the same, without reading any. It takes microseconds; new plugins do not show.
    pub fn files_hold(&self) -> bool {
        self.marks
            .iter()
            .all(|mark| mark.is_folder() || mark.is_same())
    }

    /// Compares everything, plugins as well. Only what has other marks is read.
    pub fn check(&mut self, around: &Surroundings) -> Hold {
        let mut hold = Hold::Same;
        for mark in &mut self.marks {
            if mark.is_same() {
                continue;
            }
            if !mark.renew() {
                return Hold::Changed;
            }
            hold = Hold::Touched;
        }
        match plugins::unknown_on_path(&self.program, &self.marks, around) {
            true => Hold::Changed,
            false => hold,
        }
    }

    /// A word for what answers of the program belong to. Programs that come and go on PATH are not in it: most of them
    /// have nothing to do with this one.
    pub fn word(&self) -> String {
        let mut digest = Sha256::new();
        let beginning = plugins::beginning(&self.program);
        for mark in self.marks.iter().filter(|mark| !mark.lists(&beginning)) {
            digest.update(mark.word());
            digest.update([0]);
        }
        hex(&digest.finalize()[..16])
    }

    /// The number of files and folders that are looked at.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing is looked at.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

/// The files of a program while they are being looked up.
struct Survey<'a> {
    around: &'a Surroundings,
    marks: Vec<Mark>,
    /// The files that are marked, by the paths that they were named by.
    seen: HashSet<PathBuf>,
}

impl Survey<'_> {
    /// Marks a program: its file, and whatever stands behind it.
    fn program(&mut self, path: &Path, hops: usize) {
        if hops == 0 || self.seen.contains(path) {
            return;
        }
        let real = self.file(path);
        self.behind(path, &real, hops - 1);
    }

    /// Marks a file and every link on the way to it; returns where it really is.
    fn file(&mut self, path: &Path) -> PathBuf {
        let real = self.links(path);
        if self.seen.insert(path.to_owned()) {
            self.add(Mark::file(path));
        }
        real
    }

    /// Marks the names in a folder that begin with this and end with one of these; any, where there are none. Returns
    /// them.
    fn names(&mut self, folder: &Path, begins: &str, ends: &[&str]) -> Vec<String> {
        let mark = Mark::names(folder, begins, ends);
        let names = mark.named().to_vec();
        if !self.marks.contains(&mark) {
            self.add(mark);
        }
        names
    }

    fn add(&mut self, mark: Mark) {
        if self.marks.len() < MOST_MARKS {
            self.marks.push(mark);
        }
    }

    /// Marks the links on the way to a file, those of its folders as well.
    fn links(&mut self, path: &Path) -> PathBuf {
        let mut real = PathBuf::new();
        let mut ahead: Vec<PathBuf> = parts(path);
        let mut links = 0;
        while let Some(part) = ahead.pop() {
            if part == Path::new("..") {
                real.pop();
                continue;
            }
            real.push(part);
            let Ok(target) = std::fs::read_link(&real) else {
                continue;
            };
            links += 1;
            if links > MOST_LINKS {
                break;
            }
            let link = Mark::link(&real, &target);
            if !self.marks.contains(&link) {
                self.add(link);
            }
            real.pop();
            if target.is_absolute() {
                real = PathBuf::new();
            }
            ahead.extend(parts(&target));
        }
        real
    }
}

/// The parts of a path, the first of them last.
fn parts(path: &Path) -> Vec<PathBuf> {
    let parts = path.components().rev();
    let parts = parts.filter(|part| !matches!(part, Component::CurDir));
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}
