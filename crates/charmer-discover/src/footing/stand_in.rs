//! Stand-ins of version managers: small programs that start one of several versions, whichever files name at the moment.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Survey, Touches, plugins};

/// The folders of a manager that its stand-ins are in.
const STAND_INS: [&str; 2] = ["shims", "bin"];
/// The folders in which a manager keeps the versions of what it starts; `*` is one level of any name.
const VERSIONS: [&str; 5] = [
    "{prefix}/versions/*/bin",
    "{prefix}/installs/*/*/bin",
    "{prefix}/toolchains/*/bin",
    "{prefix}/tools/*/*/bin",
    "{prefix}/candidates/*/*/bin",
];
/// The files of a manager that say which version is meant.
const CHOICES: [&str; 4] = ["version", "settings.toml", "config.toml", ".tool-versions"];

impl Survey<'_> {
    /// Marks what a stand-in would start: every version that has a program of its name, and what chooses between them.
    pub(super) fn stand_in(&mut self, path: &Path, hops: usize) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return;
        };
        let managers = self.around.managers.clone();
        let is_of = |root: &&PathBuf| STAND_INS.iter().any(|inside| root.join(inside) == folder);
        let Some(own) = managers.iter().find(is_of) else {
            return;
        };
        // Some keep their files in several places.
        let related = managers.iter().filter(|root| {
            *root == own || root.file_name() == own.file_name() || has_version(root, name.as_ref())
        });
        for root in related {
            let starts = has_version(root, name.as_ref());
            // What is only installed beside stand-ins is none.
            if !starts && folder.ends_with("bin") {
                continue;
            }
            for choice in CHOICES {
                self.file(&root.join(choice));
            }
            for pattern in VERSIONS {
                for folder in self.folders(pattern, root) {
                    let version = folder.join(name);
                    if version.is_file() {
                        self.program(&version, hops);
                        // What its stand-ins on PATH start is perhaps not installed yet.
                        let before = self.plugin.replace(Touches::Any);
                        self.names(&folder, &plugins::beginning(path), &[]);
                        self.plugin = before;
                    }
                }
            }
        }
        if let Some(home) = self
            .around
            .home
            .clone()
            .filter(|_| own.join("installs").is_dir())
        {
            self.file(&home.join(".tool-versions"));
        }
    }
}

/// Returns true if a manager has a version of the program of this name.
fn has_version(root: &Path, name: &Path) -> bool {
    let mut patterns = VERSIONS
        .iter()
        .filter_map(|it| it.strip_prefix("{prefix}/"));
    patterns.any(|pattern| {
        let mut folders = vec![root.to_owned()];
        for part in pattern.split('/') {
            folders = folders
                .into_iter()
                .flat_map(|folder| match part {
                    "*" => entries(&folder),
                    part => vec![folder.join(part)],
                })
                .collect();
        }
        folders.iter().any(|folder| folder.join(name).is_file())
    })
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
