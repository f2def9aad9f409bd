//! Truths that were gathered from programs of others: a folder of JSON files, one a program.

use std::{
    fs,
    path::{Path, PathBuf},
};

use charmer_fidelity::{TableRow, Truth};
use serde::Deserialize;

use super::subject::{Floors, Subject};

/// A file of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gathered {
    /// The name that the program is started by.
    program: String,
    /// Its file.
    file: PathBuf,
    /// Its version.
    version: String,
    /// The library that it is written with.
    family: String,
    /// The origin of the truth.
    truth: String,
    /// The parts of it that the truth is about, where it is too large to be read whole.
    #[serde(default)]
    parts: Vec<String>,
    /// The true tree.
    tree: Truth,
}

/// Every program of a folder, by name. A file that cannot be read is a mistake, never left out.
pub(crate) fn all(folder: &Path) -> Result<Vec<Subject>, String> {
    let at = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| at(folder, &error))? {
        let path = entry.map_err(|error| at(folder, &error))?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).map_err(|error| at(path, &error))?;
        let one: Gathered = serde_json::from_str(&text).map_err(|error| at(path, &error))?;
        Ok(Subject {
            row: TableRow::new(&one.program, &one.version, &one.family, &one.truth),
            program: one.file,
            truth: one.tree,
            parts: one.parts,
            floors: Floors::Others,
        })
    };
    files.iter().map(read).collect()
}
