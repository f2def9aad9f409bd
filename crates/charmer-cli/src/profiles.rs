//! What is known of programs: the profiles that come with Charmer, and the user's own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use charmer_config::{Diagnostics, Mismatch, Profile};
use charmer_core::model::Cli;

use crate::{problem::Problem, settings::picture};

/// The texts of profiles, by the names of their files.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../profiles/", $name, ".yaml")))),*]
    };
}

/// The profiles that come with Charmer, by the name of their file.
const EMBEDDED: &[(&str, &str)] = embedded![
    "apt",
    "cargo",
    "curl",
    "docker",
    "find",
    "gh",
    "git",
    "glab",
    "go",
    "helm",
    "hugo",
    "jq",
    "kubectl",
    "npm",
    "pip",
    "podman",
    "psql",
    "rclone",
    "restic",
    "rustup",
    "ssh",
    "systemctl",
    "tar",
    "terraform",
    "uv",
];

/// Where a profile comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Home {
    /// It comes with Charmer.
    Charmer,
    /// It is the user's own.
    User(PathBuf),
}

/// A profile and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    pub(crate) home: Home,
    pub(crate) text: String,
    pub(crate) profile: Profile,
}

impl Known {
    fn read(name: &str, home: Home, text: &str) -> Result<Self, Diagnostics> {
        let file = match &home {
            Home::Charmer => format!("{name}.yaml"),
            Home::User(path) => path.display().to_string(),
        };
        Ok(Self {
            profile: Profile::parse(text, &file)?,
            name: name.to_owned(),
            text: text.to_owned(),
            home,
        })
    }

    /// Whether it is about a program whose file has this name.
    fn is_of(&self, program: &str) -> bool {
        self.profile.programs.iter().any(|name| name == program)
    }

    /// What to tell of it where it was put into a program's model: that it was written for another version, and, of the
    /// user's own, what the program does not have.
    pub(crate) fn warnings(&self, cli: &Cli, not_there: &[Mismatch]) -> Vec<String> {
        let program = &cli.root.name;
        let version = cli.version.as_deref().unwrap_or_default();
        let mut told = Vec::new();
        if let Some(versions) = &self.profile.versions
            && !self.profile.speaks_of(version)
        {
            let from = self.from();
            told.push(format!(
                "the profile of `{program}` ({from}) was written for versions {versions}, and this is {version}: what it \
                 says of new commands and flags is missing"
            ));
        }
        if let Home::User(path) = &self.home {
            let path = path.display();
            let not_there = not_there.iter();
            told.extend(not_there.map(|mismatch| format!("{path}: {mismatch}")));
        }
        told
    }

    /// Where it comes from, in a few words.
    pub(crate) fn from(&self) -> String {
        match &self.home {
            Home::Charmer => "comes with charmer".to_owned(),
            Home::User(path) => path.display().to_string(),
        }
    }
}

/// The profiles of a program, those that go before others last. One of the user's that cannot be read is an error if it is
/// about this program: what it says of effects is not to be missed without a word.
pub(crate) fn of(program: &str) -> Result<Vec<Known>, Problem> {
    let mut found = embedded();
    for path in users() {
        match read(&path) {
            Ok(known) => found.push(known),
            Err(broken) if broken.programs.iter().any(|name| name == program) => {
                return Err(broken.problem);
            }
            Err(_) => {}
        }
    }
    found.retain(|known| known.is_of(program));
    Ok(found)
}

/// All profiles, those that go before others last, and what is wrong with those that cannot be read.
pub(crate) fn all() -> (Vec<Known>, Vec<Problem>) {
    let (mut all, mut broken) = (embedded(), Vec::new());
    for path in users() {
        match read(&path) {
            Ok(known) => all.push(known),
            Err(one) => broken.push(one.problem),
        }
    }
    (all, broken)
}

fn embedded() -> Vec<Known> {
    let read = |(name, text): &(&str, &str)| {
        Known::read(name, Home::Charmer, text).expect("a test reads every embedded profile")
    };
    EMBEDDED.iter().map(read).collect()
}

/// A profile that cannot be read.
struct Broken {
    /// What it may be about: what its file is named for, and what it says as far as it can be read.
    programs: Vec<String>,
    problem: Problem,
}

/// Reads one of the user's.
fn read(path: &Path) -> Result<Known, Broken> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = fs::File::open(path).and_then(charmer_config::reading::text_of);
    let text = text.map_err(|error| Broken {
        programs: vec![name.to_string()],
        problem: Problem::failed(format!(
            "cannot read the profile `{}`: {error}",
            path.display()
        )),
    })?;
    let known = Known::read(&name, Home::User(path.to_owned()), &text);
    known.map_err(|mistakes| Broken {
        programs: [name.to_string()]
            .into_iter()
            .chain(Profile::programs_of(&text))
            .collect(),
        problem: Problem::picture(picture(&mistakes)).hint("correct the profile, or move it away"),
    })
}

/// The files of the user's own profiles.
fn users() -> Vec<PathBuf> {
    let folder = user_folder(|name| std::env::var_os(name));
    folder.map(|folder| files(&folder)).unwrap_or_default()
}

/// The folder of the user's own profiles.
pub(crate) fn user_folder(
    variable: impl Fn(&str) -> Option<std::ffi::OsString>,
) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let folder = absolute("CHARMER_CONFIG")
        .or_else(|| Some(absolute("XDG_CONFIG_HOME")?.join("charmer")))
        .or_else(|| Some(absolute("APPDATA")?.join("charmer")))
        .or_else(|| Some(absolute("HOME")?.join(".config").join("charmer")))?;
    Some(folder.join("profiles"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_profile_is_read_and_named_for_its_program() {
        for (name, text) in EMBEDDED {
            let known = Known::read(name, Home::Charmer, text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(known.profile.programs[0], *name);
            assert!(known.profile.versions.is_some(), "{name} names no versions");
        }
        assert!(EMBEDDED.is_sorted());
    }
}
