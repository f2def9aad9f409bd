//! The surroundings in which a program is looked up: the folders of PATH, and where a user's files are.

use std::{ffi::OsString, path::PathBuf};

use crate::probe::managers;

/// The folders in which what belongs to a program is looked for. Nothing is known of them by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Surroundings {
    /// The folders of PATH.
    pub path: Vec<PathBuf>,
    /// The user's own folder.
    pub home: Option<PathBuf>,
    /// The folder for what programs keep for a user.
    pub data: Option<PathBuf>,
    /// The folder for what a user configures.
    pub config: Option<PathBuf>,
    /// The folders that Ruby's packages are in, besides those where everybody has them.
    pub gems: Vec<PathBuf>,
    /// The folders of version managers, which stand-ins of programs are in, and the versions of those.
    pub managers: Vec<PathBuf>,
}

impl Surroundings {
    /// Those of a process with these variables.
    pub fn of(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let folders = |name: &str| -> Vec<PathBuf> {
            let value = variable(name).unwrap_or_default();
            let folders = std::env::split_paths(&value);
            folders.filter(|folder| folder.is_absolute()).collect()
        };
        let home = folders("HOME").into_iter().next();
        let below = |name: &str, usual: &str| {
            let said = folders(name).into_iter().next();
            said.or_else(|| Some(home.as_ref()?.join(usual)))
        };
        Self {
            path: folders("PATH"),
            data: below("XDG_DATA_HOME", ".local/share"),
            config: below("XDG_CONFIG_HOME", ".config"),
            managers: managers(&variable),
            gems: [folders("GEM_HOME"), folders("GEM_PATH")].concat(),
            home,
        }
    }

    /// A folder by a pattern; `None` where the user has no such place.
    pub(super) fn place(&self, pattern: &str) -> Option<PathBuf> {
        let bases = [
            ("{home}/", &self.home),
            ("{data}/", &self.data),
            ("{config}/", &self.config),
        ];
        for (mark, base) in bases {
            if let Some(rest) = pattern.strip_prefix(mark) {
                return Some(base.as_ref()?.join(rest));
            }
        }
        Some(PathBuf::from(pattern))
    }
}
