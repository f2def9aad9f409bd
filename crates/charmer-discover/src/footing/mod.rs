//! The footing of a program: the files and folders that decide what it is, known again by their marks alone.
//!
//! A program is more than its file. A link leads to another version, a script of a few lines runs a package that is
//! upgraded beneath it, a shell wrapper runs what lies elsewhere, and a plugin adds commands to a program that stays as
//! it was. All of that is seen in files: so they are looked up once, when a program is read, and from then on a handful
//! of `stat`s says whether anything has changed. Nothing is run for it.
//!
//! What it does not see: the version that a folder of the caller's chooses for a version manager's stand-in, and files
//! that a program reads without a package around them. For those a program is asked for its version at each start; see
//! [`Discoverer::identify`](crate::Discoverer::identify).

mod mark;
mod package;
mod plugins;
mod script;
mod stand_in;
mod surroundings;

#[cfg(all(test, unix))]
mod tests;

use std::{
    collections::HashSet,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{discovery::hex, document::document_files};

use self::mark::Mark;
pub use self::surroundings::Surroundings;
pub(crate) use self::{
    mark::Stamp,
    plugins::{files as plugin_files, folders as plugin_folders},
};

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
    /// The marks of programs that add commands to it.
    plugins: Vec<PluginMark>,
}

/// A mark of something that adds commands to a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PluginMark {
    mark: Mark,
    touches: Touches,
}

/// The commands that a mark decides about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Touches {
    /// Those whose words, joined by dashes, begin with this.
    Beginning(String),
    /// Any, because its name does not say.
    Any,
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
    /// Its own files are as they were, and programs that add commands to it have come, gone or changed.
    Plugins,
    /// The program is not what it was.
    Changed,
}

impl Footing {
    /// The footing of the program at this path as it is now. It takes a moment, because packages are looked for.
    pub fn of(program: &Path, around: &Surroundings) -> Self {
        let mut survey = Survey {
            around,
            marks: Vec::new(),
            plugins: Vec::new(),
            plugin: None,
            seen: HashSet::new(),
        };
        survey.program(program, MOST_HOPS);
        for file in document_files(program) {
            survey.add(Mark::file(&file));
        }
        survey.plugins(program);
        Self {
            program: program.to_owned(),
            marks: survey.marks,
            plugins: survey.plugins,
        }
    }

    /// Notes the content of the files that are still what they were, so that one that is only touched later is known
    /// again. It reads the program, and whatever else is not large.
    pub fn seal(&mut self) {
        for mark in &mut self.marks {
            let whole = mark.path() == self.program;
            mark.seal(whole);
        }
        for plugin in &mut self.plugins {
            plugin.mark.seal(false);
        }
    }

    /// Returns true if the files and links that decide about a command are the same, without reading any. It takes
    /// microseconds; new plugins do not show.
    pub fn files_hold(&self, command: &[String]) -> bool {
        let holds = |mark: &Mark| mark.is_folder() || mark.is_same();
        let touched = self.plugins.iter().filter(|it| it.touches.has(command));
        self.marks.iter().all(holds) && touched.map(|it| &it.mark).all(holds)
    }

    /// Compares everything, plugins as well. Only what has other marks is read.
    pub fn check(&mut self, around: &Surroundings) -> Hold {
        let own = renew(self.marks.iter_mut());
        if own == Hold::Changed {
            return Hold::Changed;
        }
        let unknown = plugins::unknown_on_path(&self.program, &self.plugins, around);
        let added = renew(self.plugins.iter_mut().map(|it| &mut it.mark));
        match (own, added) {
            _ if unknown || added == Hold::Changed => Hold::Plugins,
            (Hold::Same, Hold::Same) => Hold::Same,
            _ => Hold::Touched,
        }
    }

    /// A word for what answers of the program belong to. Programs that come and go on PATH are not in it: most of them
    /// have nothing to do with this one.
    pub fn word(&self) -> String {
        let mut digest = Sha256::new();
        let beginning = plugins::beginning(&self.program);
        let plugins = self.plugins.iter().map(|it| &it.mark);
        let plugins = plugins.filter(|mark| !mark.lists(&beginning));
        for mark in self.marks.iter().chain(plugins) {
            digest.update(mark.word());
            digest.update([0]);
        }
        hex(&digest.finalize()[..16])
    }

    /// Returns true if the other is of the same program with the same plugins.
    pub fn is_of_the_same(&self, other: &Self) -> bool {
        let words = |footing: &Self| -> Vec<String> {
            let plugins = footing.plugins.iter().map(|it| &it.mark);
            footing
                .marks
                .iter()
                .chain(plugins)
                .map(Mark::word)
                .collect()
        };
        words(self) == words(other)
    }

    /// The number of files and folders that are looked at.
    pub fn len(&self) -> usize {
        self.marks.len() + self.plugins.len()
    }

    /// Returns true if nothing is looked at.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Touches {
    fn has(&self, command: &[String]) -> bool {
        match self {
            Self::Any => true,
            Self::Beginning(name) => {
                let command = command.join("-").replace('_', "-");
                let behind = command.strip_prefix(name.as_str());
                behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('-'))
            }
        }
    }
}

/// Compares marks, and takes the new looks of those that have the same content.
fn renew<'a>(marks: impl Iterator<Item = &'a mut Mark>) -> Hold {
    let mut hold = Hold::Same;
    for mark in marks.filter(|mark| !mark.is_same()) {
        if !mark.renew() {
            return Hold::Changed;
        }
        hold = Hold::Touched;
    }
    hold
}

/// The files of a program while they are being looked up.
struct Survey<'a> {
    around: &'a Surroundings,
    marks: Vec<Mark>,
    plugins: Vec<PluginMark>,
    /// The commands that what is being marked decides about, while that is a plugin.
    plugin: Option<Touches>,
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
        self.stand_in(path, hops - 1);
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
        self.add(mark);
        names
    }

    fn add(&mut self, mark: Mark) {
        let known = self.marks.contains(&mark) || self.plugins.iter().any(|it| it.mark == mark);
        if known || self.marks.len() + self.plugins.len() >= MOST_MARKS {
            return;
        }
        match self.plugin.clone() {
            Some(touches) => self.plugins.push(PluginMark { mark, touches }),
            None => self.marks.push(mark),
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
            self.add(link);
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
