//! Plugins: programs and folders whose names say that they add commands to a program.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use super::{
    PluginMark, Surroundings, Survey, Touches,
    mark::{Mark, names_in},
};
use crate::binary::Binary;

/// The folders in which programs look for plugins, besides PATH. All of it is true of every program that has such a
/// folder.
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

/// Returns true if there is a plugin in a folder of PATH that was not on it when the program was read. Folders that
/// were are marked themselves.
pub(super) fn unknown_on_path(program: &Path, marks: &[PluginMark], around: &Surroundings) -> bool {
    let beginning = beginning(program);
    let known = marks.iter().map(|it| &it.mark);
    let known: Vec<&Mark> = known.filter(|mark| mark.lists(&beginning)).collect();
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
            self.plugin = Some(Touches::Any);
            let names = self.names(&folder, &beginning, &[]);
            for name in names.iter().take(MOST_PLUGINS) {
                self.plugin = Some(touched_by(name, &beginning));
                self.file(&folder.join(name));
            }
        }
        for folder in folders(program, self.around) {
            self.plugin_folder(&folder, &beginning);
        }
        self.plugin = None;
    }

    fn plugin_folder(&mut self, folder: &Path, beginning: &str) {
        self.plugin = Some(Touches::Any);
        let names = self.names(folder, "", &[]);
        for name in names.iter().take(MOST_PLUGINS) {
            self.plugin = Some(touched_by(name, beginning));
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
}

/// The commands that a plugin of this name adds.
fn touched_by(name: &str, beginning: &str) -> Touches {
    match name.strip_prefix(beginning) {
        Some(command) => Touches::Beginning(command.replace('_', "-")),
        None => Touches::Any,
    }
}

/// The programs on PATH whose names say that they add a command to this one, the first of each name.
pub(crate) fn files(program: &Path, around: &Surroundings) -> Vec<PathBuf> {
    let beginning = beginning(program);
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for folder in &around.path {
        let names = names_in(folder, &beginning, &[]).into_iter();
        let new = names.filter(|name| is_program(&folder.join(name)) && seen.insert(name.clone()));
        files.extend(new.map(|name| folder.join(name)));
    }
    files
}

/// Returns true if a file may be started.
fn is_program(file: &Path) -> bool {
    let Ok(meta) = std::fs::metadata(file) else {
        return false;
    };
    #[cfg(unix)]
    let may_start = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_start = true;
    meta.is_file() && may_start
}

/// The folders that a program's plugins are kept in, whether or not they are there.
pub(crate) fn folders(program: &Path, around: &Surroundings) -> Vec<PathBuf> {
    let name = Binary::new(program).name();
    let folders = FOLDERS.iter().map(|it| it.replace("{name}", &name));
    folders.filter_map(|it| around.place(&it)).collect()
}
