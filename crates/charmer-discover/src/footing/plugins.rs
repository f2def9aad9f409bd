//! Plugins: programs and folders whose names say that they add commands to a program.

use std::path::{Path, PathBuf};

use super::{
    Survey,
    mark::{Mark, names_in},
};
use crate::binary::Binary;

/// Where programs look for plugins, besides PATH. All of it is true of every program that has such a folder.
const FOLDERS: [&str; 10] = [
    "{home}/.{name}/cli-plugins",
    "{home}/.{name}/plugins",
    "{home}/.{name}/extensions",
    "{data}/{name}/extensions",
    "{data}/{name}/plugins",
    "{config}/{name}/plugins",
    "/usr/local/lib/{name}/cli-plugins",
    "/usr/local/libexec/{name}/cli-plugins",
    "/usr/lib/{name}/cli-plugins",
    "/usr/libexec/{name}/cli-plugins",
];
/// The maximum number of plugins in one folder whose files are looked at; of more only the names are.
const MOST_PLUGINS: usize = 60;
/// The maximum number of files of one plugin that are looked at.
const MOST_FILES: usize = 10;

/// The beginning of the names of a program's plugins on PATH.
pub(super) fn beginning(program: &Path) -> String {
    format!("{}-", Binary::new(program).name())
}

/// Whether there is a plugin in a folder of PATH that was not on it when the program was read. Folders that were are
/// marked themselves.
pub(super) fn unknown_on_path(
    program: &Path,
    marks: &[Mark],
    around: &super::Surroundings,
) -> bool {
    let beginning = beginning(program);
    let known: Vec<&Mark> = marks.iter().filter(|mark| mark.lists(&beginning)).collect();
    let is_known = |name: &String| known.iter().any(|mark| mark.named().contains(name));
    let new = |folder: &&PathBuf| !known.iter().any(|mark| mark.path() == **folder);
    let mut new = around.path.iter().filter(new);
    new.any(|folder| !names_in(folder, &beginning, &[]).iter().all(is_known))
}

impl Survey<'_> {
    /// Marks the plugins of a program: `NAME-*` on PATH, and what is in the folders that plugins are kept in.
    pub(super) fn plugins(&mut self, program: &Path) {
        let beginning = beginning(program);
        for folder in self.around.path.clone() {
            let names = self.names(&folder, &beginning, &[]);
            for name in names.iter().take(MOST_PLUGINS) {
                self.file(&folder.join(name));
            }
        }
        let name = Binary::new(program).name();
        for pattern in FOLDERS {
            if let Some(folder) = self.place(&pattern.replace("{name}", &name)) {
                self.plugin_folder(&folder);
            }
        }
    }

    fn plugin_folder(&mut self, folder: &Path) {
        let names = self.names(folder, "", &[]);
        for name in names.iter().take(MOST_PLUGINS) {
            let plugin = folder.join(name);
            if !plugin.is_dir() {
                self.file(&plugin);
                continue;
            }
            let files = self.names(&plugin, "", &[]);
            for file in files.iter().take(MOST_FILES) {
                let file = plugin.join(file);
                if file.is_file() {
                    self.file(&file);
                }
            }
        }
    }

    /// A folder by a pattern; `None` where the user has no such place.
    pub(super) fn place(&self, pattern: &str) -> Option<PathBuf> {
        let around = self.around;
        let bases = [
            ("{home}/", &around.home),
            ("{data}/", &around.data),
            ("{config}/", &around.config),
        ];
        for (mark, base) in bases {
            if let Some(rest) = pattern.strip_prefix(mark) {
                return Some(base.as_ref()?.join(rest));
            }
        }
        Some(PathBuf::from(pattern))
    }
}
