//! Knowledge of programs: the profiles that come with Charmer, and the user's own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use charmer_config::{Diagnostics, FilePlace, Finding, Knowledge, ModelMismatch, Profile};
use charmer_core::{model::Cli, text::nearest};

use crate::{problem::Problem, settings::picture, user_folders};

/// A profile that comes with Charmer, as text.
struct Embedded {
    /// The programs that it is about, as its text says them; the first is the name of its file.
    programs: &'static [&'static str],
    text: &'static str,
}

macro_rules! embedded {
    ($($name:literal $(+ $other:literal)*),* $(,)?) => {
        &[$(Embedded {
            programs: &[$name $(, $other)*],
            text: include_str!(concat!("../profiles/", $name, ".yaml")),
        }),*]
    };
}

/// The profiles that come with Charmer, by the programs that they are about: at a start only those are read that are
/// needed.
const EMBEDDED: &[Embedded] = embedded![
    "apt" + "apt-get",
    "aws",
    "brew",
    "buf",
    "cargo",
    "curl",
    "docker",
    "find",
    "gh",
    "git",
    "glab",
    "go",
    "helm",
    "hg",
    "hugo",
    "jj",
    "jq",
    "kubectl",
    "npm",
    "pip" + "pip3",
    "podman",
    "psql",
    "rclone",
    "restic",
    "rsync",
    "ruff",
    "rustup",
    "sl",
    "ssh",
    "svn",
    "systemctl",
    "tar",
    "terraform" + "tofu",
    "uv",
];

/// The origin of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProfileOrigin {
    /// It comes with Charmer.
    Charmer,
    /// It is the user's own.
    User(PathBuf),
}

/// A profile and where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct LoadedProfile {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    pub(crate) origin: ProfileOrigin,
    pub(crate) text: String,
    pub(crate) profile: Profile,
}

impl LoadedProfile {
    fn read(name: &str, origin: ProfileOrigin, text: &str) -> Result<Self, Diagnostics> {
        let file = match &origin {
            ProfileOrigin::Charmer => format!("{name}.yaml"),
            ProfileOrigin::User(path) => path.display().to_string(),
        };
        Ok(Self {
            profile: Profile::parse(text, &file)?,
            name: name.to_owned(),
            text: text.to_owned(),
            origin,
        })
    }

    /// Returns true if it is about a program whose file has this name.
    fn is_of(&self, program: &str) -> bool {
        self.profile.programs.iter().any(|name| name == program)
    }

    /// The warnings about it where it was put into a program's model: that it was written for another version, and, of
    /// the user's own, what the program does not have.
    pub(crate) fn warnings(&self, cli: &Cli, not_there: &[ModelMismatch]) -> Vec<String> {
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
        if let ProfileOrigin::User(path) = &self.origin {
            let path = path.display();
            let not_there = not_there.iter();
            told.extend(not_there.map(|mismatch| format!("{path}: {mismatch}")));
        }
        told
    }

    /// Its origin, in a few words.
    pub(crate) fn from(&self) -> String {
        match &self.origin {
            ProfileOrigin::Charmer => "comes with charmer".to_owned(),
            ProfileOrigin::User(path) => path.display().to_string(),
        }
    }
}

/// The profiles of a program, those that go before others last. One of the user's that cannot be read is an error if it is
/// about this program: what it says of effects is not to be missed without a word.
pub(crate) fn of(program: &str) -> Result<Vec<LoadedProfile>, Problem> {
    let own = EMBEDDED.iter();
    let own = own.filter(|one| one.programs.contains(&program));
    let mut found: Vec<LoadedProfile> = own.map(Embedded::read).collect();
    for path in users() {
        match read(&path) {
            Ok(known) if known.is_of(program) => found.push(known),
            Err(broken) if broken.programs.iter().any(|name| name == program) => {
                return Err(broken.problem);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Adds how people ask for a program's commands where its profiles say that they ask for those of another alike.
pub(crate) fn add_phrases_of_others(known: &mut Knowledge, profiles: &[LoadedProfile]) {
    let mut left: Vec<String> = profiles
        .iter()
        .filter_map(|known| known.profile.asked_like.clone())
        .collect();
    let mut asked = Vec::new();
    while let Some(other) = left.pop() {
        if asked.contains(&other) {
            continue;
        }
        // One that cannot be read is told where its own program is served.
        for profile in of(&other).unwrap_or_default().into_iter().rev() {
            for (command, phrases) in profile.profile.source.known.phrases {
                known.phrases.entry(command).or_insert(phrases);
            }
            left.extend(profile.profile.asked_like);
        }
        asked.push(other);
    }
}

/// The mistake in naming a program that is asked for alike: it has no profile.
pub(crate) fn no_such_likeness(profile: &Profile) -> Option<Finding> {
    let other = profile.asked_like.as_deref()?;
    let (all, _) = all();
    let mut names = all.iter().flat_map(|known| &known.profile.programs);
    if names.any(|name| name == other) {
        return None;
    }
    let message = format!("there is no profile of `{other}`");
    let finding = Finding::mistake(FilePlace::of(["asked_like"]), message);
    let names = all.iter().flat_map(|known| &known.profile.programs);
    Some(match nearest(other, names.map(String::as_str)) {
        Some(near) => finding.hint(format!("did you mean `{near}`?")),
        None => finding.hint("`charmer profile list` shows those that there are"),
    })
}

/// All profiles, those that go before others last, and what is wrong with those that cannot be read.
pub(crate) fn all() -> (Vec<LoadedProfile>, Vec<Problem>) {
    let mut all: Vec<LoadedProfile> = EMBEDDED.iter().map(Embedded::read).collect();
    let mut broken = Vec::new();
    for path in users() {
        match read(&path) {
            Ok(known) => all.push(known),
            Err(one) => broken.push(one.problem),
        }
    }
    (all, broken)
}

impl Embedded {
    fn read(&self) -> LoadedProfile {
        let known = LoadedProfile::read(self.programs[0], ProfileOrigin::Charmer, self.text);
        known.expect("a test reads every embedded profile")
    }
}

/// A profile that cannot be read.
struct Broken {
    /// The programs that it may be about: the one that its file is named for, and those that it names as far as it can
    /// be read.
    programs: Vec<String>,
    problem: Problem,
}

/// Reads one of the user's.
fn read(path: &Path) -> Result<LoadedProfile, Broken> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let text = fs::File::open(path).and_then(charmer_config::reading::text_of);
    let text = text.map_err(|error| Broken {
        programs: vec![name.to_string()],
        problem: Problem::failed(format!(
            "cannot read the profile `{}`: {error}",
            path.display()
        )),
    })?;
    let known = LoadedProfile::read(&name, ProfileOrigin::User(path.to_owned()), &text);
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
    let folder = user_folder();
    folder.map(|folder| files(&folder)).unwrap_or_default()
}

/// The folder of the user's own profiles.
pub(crate) fn user_folder() -> Option<PathBuf> {
    let folder = user_folders::configuration(|name| std::env::var_os(name))?;
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
        for Embedded { programs, text } in EMBEDDED {
            let name = programs[0];
            let known = LoadedProfile::read(name, ProfileOrigin::Charmer, text)
                .unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(known.profile.programs, *programs);
            assert!(known.profile.versions.is_some(), "{name} names no versions");
            assert_eq!(no_such_likeness(&known.profile), None, "{name}");
        }
        assert!(EMBEDDED.is_sorted_by_key(|one| one.programs[0]));
    }

    #[test]
    fn what_is_asked_for_alike_has_the_phrases_of_the_other() {
        let profiles = of("podman").expect("it is read");
        let mut known = profiles[0].profile.source.known.clone();
        let own = vec!["which of mine run".to_owned()];
        known.phrases.insert("ps".to_owned(), own.clone());
        add_phrases_of_others(&mut known, &profiles);
        let docker = &of("docker").expect("it is read")[0].profile.source.known;
        assert_eq!(known.phrases["images"], docker.phrases["images"]);
        // What a profile says itself stands.
        assert_eq!(known.phrases["ps"], own);
        assert_ne!(known.phrases["ps"], docker.phrases["ps"]);
        // `sl` is asked for like `hg`, and that like `git`.
        let mut known = Knowledge::default();
        add_phrases_of_others(&mut known, &of("sl").expect("it is read"));
        assert!(known.phrases.contains_key("graft") && known.phrases.contains_key("blame"));
    }
}
