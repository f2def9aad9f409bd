//! The program's file: what can be told without running it.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use memchr::memmem;

/// The amount that is read at once when a file is searched.
const CHUNK: usize = 1 << 20;

/// A program's file.
#[derive(Debug)]
pub(crate) struct Binary {
    path: PathBuf,
}

impl Binary {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.into() }
    }

    /// The file itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's name without an extension that only says that it is a program.
    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let name = name.to_string_lossy();
        name.strip_suffix(".exe").unwrap_or(&name).to_owned()
    }

    /// Returns true if the file is a script.
    pub(crate) fn is_script(&self) -> bool {
        let mut head = [0; 2];
        let read = File::open(&self.path).and_then(|mut file| file.read_exact(&mut head));
        read.is_ok() && head == *b"#!"
    }

    /// Returns true if the file is a script that Python runs.
    pub(crate) fn is_python_script(&self) -> bool {
        let mut head = Vec::new();
        let read = File::open(&self.path).map(|file| file.take(256).read_to_end(&mut head));
        let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        read.is_ok() && line.starts_with(b"#!") && memmem::find(line, b"python").is_some()
    }

    /// Returns for each of these texts whether it is in the file; the file is read once, piece by piece. One that
    /// cannot be read has none.
    pub(crate) fn contains<const N: usize>(&self, needles: [&str; N]) -> [bool; N] {
        let found = self.contains_each(&needles);
        std::array::from_fn(|at| found[at])
    }

    /// The same for any number of texts.
    pub(crate) fn contains_each(&self, needles: &[&str]) -> Vec<bool> {
        let mut found = vec![false; needles.len()];
        let finders: Vec<_> = needles.iter().map(memmem::Finder::new).collect();
        let overlap = needles.iter().map(|needle| needle.len()).max().unwrap_or(0);
        let Ok(mut file) = File::open(&self.path) else {
            return found;
        };
        let mut window = Vec::with_capacity(CHUNK + overlap);
        loop {
            let kept = window.len().min(overlap);
            window.drain(..window.len() - kept);
            match file.by_ref().take(CHUNK as u64).read_to_end(&mut window) {
                Ok(0) | Err(_) => return found,
                Ok(_) => {}
            }
            for (found, finder) in found.iter_mut().zip(&finders) {
                *found = *found || finder.find(&window).is_some();
            }
            if found.iter().all(|&found| found) {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_across_two_pieces_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        let mut bytes = vec![b'x'; 2 * CHUNK];
        bytes[CHUNK - 3..CHUNK + 3].copy_from_slice(b"needle");
        std::fs::write(&path, bytes).expect("written");
        let binary = Binary::new(&path);
        assert_eq!(binary.contains(["needle", "haystack"]), [true, false]);
        assert_eq!(binary.name(), "program");
        assert!(!binary.is_python_script());
    }

    #[test]
    fn a_script_says_who_runs_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("script");
        std::fs::write(&path, "#!/usr/bin/env python3\nprint()\n").expect("written");
        assert!(Binary::new(&path).is_python_script());
        std::fs::write(&path, "#!/bin/sh\npython3\n").expect("written");
        assert!(!Binary::new(&path).is_python_script());
    }
}
