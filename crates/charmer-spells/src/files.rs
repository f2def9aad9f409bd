//! The files that a spell names in `command`, `flags`, `json`, `argv` and `hooks`: the script that it runs, the settings that it
//! passes. A spell that reads may read them, and where only accepted spells run their content is part of what was accepted.
//!
//! A word names a file if there is one of that name in the folder that holds `spells/` or in one of `paths`. The program
//! itself counts if it is named by a path, or if others than root could replace it. What a script reads in its turn, and
//! what a caller fills in, does not count.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::{Path, PathBuf},
};

use charmer_core::tool::{Part, Template};
use sha2::{Digest, Sha256};

use crate::{Spell, file::Fingerprint};

/// The maximum number of elements that the choices of one spell are written out to.
const MOST_ELEMENTS: usize = 1000;

/// The files that a spell names, as they were when it was loaded.
#[derive(Debug, Default)]
pub(crate) struct NamedFiles(Vec<NamedFile>);

/// One file that a spell may name.
#[derive(Debug)]
struct NamedFile {
    /// The word that names it.
    word: String,
    path: PathBuf,
    /// The way it looked before it was read; `None` if there was no such file.
    fingerprint: Option<Fingerprint>,
    /// The hash of its content, where that counts.
    digest: Option<[u8; 32]>,
}

impl NamedFiles {
    /// Looks for the files that a spell names in these folders, which are absolute; with `hashed`, reads them too.
    pub(crate) fn find(
        spell: &Spell,
        program: Option<&Path>,
        folders: &[&Path],
        hashed: bool,
    ) -> io::Result<Self> {
        let mut candidates = BTreeMap::new();
        let words = match words(spell) {
            Err(error) if hashed => return Err(error),
            found => found.unwrap_or_default(),
        };
        for word in words {
            for folder in folders {
                candidates.insert(folder.join(&word), word.clone());
            }
        }
        if let Some(program) = program
            && (spell.command[0].contains(std::path::is_separator) || is_exposed(program))
        {
            candidates.insert(program.to_owned(), spell.command[0].clone());
        }
        let mut files = Vec::new();
        for (path, word) in candidates {
            let fingerprint = fingerprint(&path);
            let digest = match hashed && fingerprint.is_some() {
                true => Some(digest(&path)?),
                false => None,
            };
            files.push(NamedFile {
                word,
                path,
                fingerprint,
                digest,
            });
        }
        Ok(Self(files))
    }

    /// The files that are there now, also those that came later.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = self.0.iter().map(|file| file.path.as_path());
        paths.filter(|path| path.is_file())
    }

    /// The words that name files which are there.
    pub(crate) fn words(&self) -> BTreeSet<&str> {
        let there = self.0.iter().filter(|file| file.fingerprint.is_some());
        there.map(|file| file.word.as_str()).collect()
    }

    /// Adds what they hold to a hash; nothing if there are none.
    pub(crate) fn add_to(&self, hasher: &mut Sha256) {
        for file in &self.0 {
            if let Some(digest) = &file.digest {
                hasher.update(b"\0\0");
                hasher.update(file.word.as_bytes());
                hasher.update(b"\0");
                hasher.update(digest);
            }
        }
    }

    /// Returns true if they are sure to be as they were, going by how they look.
    pub(crate) fn look_unchanged(&self) -> bool {
        self.0.iter().all(NamedFile::looks_unchanged)
    }

    /// Returns the word of a file that is not as it was when it was hashed, for a run of this program in this folder.
    pub(crate) fn changed(&self, program: &Path, folder: &Path) -> Option<String> {
        let changed = |file: &&NamedFile| !file.looks_unchanged() && !file.is_unchanged();
        if let Some(file) = self.0.iter().find(changed) {
            return Some(file.word.clone());
        }
        let is_known = |path: &Path| self.0.iter().any(|file| file.path == path);
        if !is_known(program) && is_exposed(program) {
            return Some(program.display().to_string());
        }
        // Beneath the folders that were looked in there may be a script of the same name.
        let words: BTreeSet<&str> = self.0.iter().map(|file| file.word.as_str()).collect();
        let stranger = words.into_iter().find(|word| {
            let path = folder.join(word);
            if is_known(&path) || fingerprint(&path).is_none() {
                return false;
            }
            let found = digest(&path).ok();
            let mut same = self.0.iter().filter(|file| file.word == *word);
            found.is_none() || !same.any(|file| file.digest == found)
        });
        stranger.map(str::to_owned)
    }
}

impl NamedFile {
    fn looks_unchanged(&self) -> bool {
        let now = fingerprint(&self.path);
        now == self.fingerprint && now.is_none_or(|now| now.is_settled())
    }

    fn is_unchanged(&self) -> bool {
        match (fingerprint(&self.path), self.digest) {
            (None, None) => true,
            (Some(_), Some(before)) => digest(&self.path).is_ok_and(|now| now == before),
            _ => false,
        }
    }
}

/// The way a regular file looks; `None` if it is none.
fn fingerprint(path: &Path) -> Option<Fingerprint> {
    let seen = Fingerprint::of(path).ok();
    seen.filter(Fingerprint::is_file)
}

fn digest(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().into())
}

/// The words of a spell that could name a file.
fn words(spell: &Spell) -> io::Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    let fixed = spell.command[1..].iter();
    let hooks = [&spell.hooks.before, &spell.hooks.after, &spell.hooks.error];
    let hooks = hooks.into_iter().flatten();
    for element in fixed.chain(&spell.flags).chain(&spell.json).chain(hooks) {
        words.extend(names(element));
    }
    for template in &spell.argv {
        for element in elements(spell, template)? {
            words.extend(names(&element));
        }
    }
    Ok(words)
}

/// The parts of an element that could be a file's name: all of it, the value of an option, what follows an `@`.
fn names(element: &str) -> impl Iterator<Item = String> {
    let value = element.split_once('=').map(|(_, value)| value);
    let short = element
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'));
    let attached = short.and_then(|rest| rest.get(1..));
    let whole = (!element.starts_with('-')).then_some(element);
    let found = [whole, value, attached].into_iter().flatten();
    found
        .flat_map(|name| [Some(name), name.strip_prefix('@')])
        .flatten()
        .filter(|name| !name.is_empty() && name.len() < 4096 && !name.contains(['\0', '\n']))
        .map(str::to_owned)
}

/// The elements that a template can become where its author wrote every choice; none where a caller decides.
fn elements(spell: &Spell, template: &Template) -> io::Result<Vec<String>> {
    let mut elements = vec![String::new()];
    for part in &template.parts {
        let choices = match part {
            Part::Text(text) => std::slice::from_ref(text),
            Part::Arg(name) => spell
                .arg(name)
                .map_or(&[][..], |arg| arg.choices.as_slice()),
        };
        elements = elements
            .iter()
            .flat_map(|start| choices.iter().map(move |choice| format!("{start}{choice}")))
            .collect();
        if elements.len() > MOST_ELEMENTS {
            let message = format!("`{template}` has more than {MOST_ELEMENTS} choices");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    }
    Ok(elements)
}

/// Returns true if others than root could put another file in the place of this one.
#[cfg(unix)]
fn is_exposed(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(real) = std::fs::canonicalize(path) else {
        return true;
    };
    real.ancestors().any(|part| {
        let meta = part.metadata();
        meta.map_or(true, |meta| meta.uid() != 0 || meta.mode() & 0o022 != 0)
    })
}

#[cfg(not(unix))]
fn is_exposed(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_for_files_in_every_form() {
        let found = |element: &str| names(element).collect::<Vec<_>>();
        assert_eq!(found("run.sh"), ["run.sh"]);
        assert_eq!(found("--file=a/b.yaml"), ["a/b.yaml"]);
        assert_eq!(found("-fb.yaml"), ["b.yaml"]);
        assert!(found("--data=@body.json").contains(&"body.json".to_owned()));
        assert_eq!(found("-x"), [""; 0]);
    }
}
