//! The hidden paths that a run names: in its command line, or in what its program says.
//!
//! A hidden file looks empty to a program and a hidden folder has nothing in it, so many programs end well without a word
//! of what they lacked. Who wrote the path is the only one who can be told; a path that nobody wrote is not guessed at.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use charmer_sandbox::Rights;

use crate::folder::{here, settle};

use super::{Launcher, Request};

/// The words of a run, and what is needed to tell which paths they mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wording {
    /// The command line, without the program.
    pub(super) argv: Vec<OsString>,
    /// The folder that relative paths begin in.
    pub(super) folder: PathBuf,
    /// The folder that `~` stands for, if the program knows one.
    pub(super) home: Option<PathBuf>,
}

impl Launcher {
    /// The words of a run that is to be started.
    pub(crate) fn wording(&self, request: &Request) -> Wording {
        let folder = self.folder(request).map(Path::to_owned);
        let home = self.variables(request).filter(|(name, _)| *name == "HOME");
        Wording {
            argv: request.argv.clone(),
            // Without a folder nothing relative means anything.
            folder: folder.or_else(|| here().ok()).unwrap_or_default(),
            home: home.map(|(_, home)| home.into()).last(),
        }
    }
}

impl Wording {
    /// The hidden paths that an element of the command line names: alone, behind a `=`, or behind an option's letter.
    pub(super) fn in_argv<'r>(&self, rights: &'r Rights) -> Vec<&'r Path> {
        let words = self.argv.iter().flat_map(|word| path_like(word));
        let named: Vec<PathBuf> = words
            .filter_map(|word| settle(&self.absolute(Path::new(word))?).ok())
            .collect();
        let is_named = |hidden: &Path| {
            let means = |path: &PathBuf| path.starts_with(hidden) && !is_shown(path, rights);
            named.iter().any(means)
        };
        there(rights)
            .filter(|(_, real)| is_named(real))
            .map(|(path, _)| path)
            .collect()
    }

    /// The hidden paths that a text of the program names: whole, from `~`, or from the folder that it runs in.
    pub(super) fn in_text<'r>(&self, text: &str, rights: &'r Rights) -> Vec<&'r Path> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        there(rights)
            .filter(|(path, real)| {
                let spellings = [*path, real].into_iter().flat_map(|path| self.spelt(path));
                spellings
                    .into_iter()
                    .any(|spelling| spelling.is_in(text, real, rights))
            })
            .map(|(path, _)| path)
            .collect()
    }

    fn absolute(&self, word: &Path) -> Option<PathBuf> {
        let path = match (word.strip_prefix("~"), &self.home) {
            (Ok(inside), Some(home)) => home.join(inside),
            _ => self.folder.join(word),
        };
        path.is_absolute().then_some(path)
    }

    fn spelt(&self, path: &Path) -> Vec<Spelling> {
        let whole = path.to_string_lossy().into_owned();
        let home = self.home.as_deref().filter(|home| home.is_absolute());
        let in_home = home.and_then(|home| path.strip_prefix(home).ok());
        let in_folder = path.strip_prefix(&self.folder).ok();
        let in_folder = in_folder.map(|inside| inside.to_string_lossy().into_owned());
        [
            Some(Spelling::Whole(whole)),
            in_home.map(|inside| Spelling::Whole(format!("~/{}", inside.display()))),
            in_folder
                .filter(|inside| !inside.is_empty())
                .map(Spelling::Relative),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A way in which a program can write a path.
enum Spelling {
    Whole(String),
    Relative(String),
}

impl Spelling {
    /// Returns true if a text names this path, or something in it that is not shown.
    fn is_in(&self, text: &str, real: &Path, rights: &Rights) -> bool {
        let (Self::Whole(spelling) | Self::Relative(spelling)) = self;
        text.match_indices(spelling).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + spelling.len()..]);
            let ends = behind.find(|c: char| c.is_whitespace() || "'\"`:,;)>]".contains(c));
            let behind = behind[..ends.unwrap_or(behind.len())].trim_end_matches('.');
            let inside = match behind.strip_prefix('/') {
                Some(inside) => inside,
                None if behind.is_empty() => "",
                // Another name that only begins like this one.
                None => return false,
            };
            let begins = match self {
                Self::Whole(_) => !before.ends_with(is_of_name),
                Self::Relative(_) => {
                    // `gh` and `shadow` are words as well; `.ssh` and `gh/hosts.yml` are not.
                    let is_path = spelling.starts_with('.')
                        || spelling.contains('/')
                        || behind.starts_with('/');
                    let before = before.strip_suffix("./").unwrap_or(before);
                    is_path && !before.ends_with(|c| is_of_name(c) || c == '/')
                }
            };
            begins && !is_shown(&real.join(inside), rights)
        })
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "._-~".contains(c)
}

/// The parts of a word of a command line that can be a path.
fn path_like(word: &OsStr) -> impl Iterator<Item = &OsStr> {
    let text = word.to_str().unwrap_or_default();
    let value = text.split_once('=').map(|(_, value)| value);
    let glued = text.strip_prefix('-').and_then(|letters| {
        let mut letters = letters.chars();
        letters.next().filter(|letter| *letter != '-')?;
        Some(letters.as_str())
    });
    let parts = [value, glued].into_iter().flatten().map(OsStr::new);
    parts.chain([word]).filter(|part| !part.is_empty())
}

/// The hidden paths that are there, with where they lead. What is not there is not hidden either.
fn there(rights: &Rights) -> impl Iterator<Item = (&Path, PathBuf)> {
    let hidden = rights.hidden.iter();
    hidden.filter_map(|path| Some((path.as_path(), path.canonicalize().ok()?)))
}

fn is_shown(path: &Path, rights: &Rights) -> bool {
    let mut shown = rights.shown.iter();
    shown.any(|shown| path.starts_with(shown.canonicalize().as_ref().unwrap_or(shown)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    struct Home {
        folder: TempDir,
        rights: Rights,
    }

    impl Home {
        fn new() -> Self {
            let folder = TempDir::new().expect("a folder");
            let inside = |name: &str| folder.path().join(name);
            for name in [".ssh", ".kube", "work", "gh"] {
                fs::create_dir(inside(name)).expect("a folder");
            }
            for name in [".netrc", ".kube/config"] {
                fs::write(inside(name), "secret").expect("a file");
            }
            let mut rights = Rights::default();
            let hidden = [".ssh", ".kube", ".netrc", ".aws", "gh"];
            rights.hidden = hidden.map(inside).into();
            rights.shown = vec![inside(".kube/config")];
            Self { folder, rights }
        }

        fn wording(&self, folder: &str, argv: &[&str]) -> Wording {
            let here = self.folder.path();
            let argv = argv.iter().map(|word| {
                let word = word.replace("HOME", &here.display().to_string());
                word.into()
            });
            Wording {
                argv: argv.collect(),
                folder: here.join(folder),
                home: Some(here.to_owned()),
            }
        }

        fn names(&self, found: Vec<&Path>) -> String {
            let found = found.iter().map(|path| path.strip_prefix(&self.folder));
            let found = found.map(|path| path.expect("it is inside").display().to_string());
            found.collect::<Vec<_>>().join(" ")
        }

        fn argv(&self, folder: &str, argv: &[&str]) -> String {
            self.names(self.wording(folder, argv).in_argv(&self.rights))
        }

        fn text(&self, folder: &str, text: &str) -> String {
            let text = text.replace("HOME", &self.folder.path().display().to_string());
            self.names(self.wording(folder, &[]).in_text(&text, &self.rights))
        }
    }

    #[test]
    fn a_command_line_names_a_path_in_many_ways() {
        let home = Home::new();
        for word in [
            "HOME/.ssh/id",
            "~/.ssh/id",
            ".ssh",
            "./.ssh/none",
            "work/../.ssh",
            "--key=HOME/.ssh/id",
            "--key=.ssh/id",
            "if=~/.ssh/id",
            "-i.ssh/id",
        ] {
            assert_eq!(home.argv("", &[word]), ".ssh", "{word}");
        }
        assert_eq!(home.argv("work", &["../.netrc"]), ".netrc");
        assert_eq!(home.argv("", &[".netrc", "-l", ".ssh"]), ".ssh .netrc");
        for word in ["HOME", "~", ".", ".sshd", "work/.ssh", "-", "--", "", "="] {
            assert_eq!(home.argv("", &[word]), "", "{word}");
        }
        assert_eq!(home.argv("work", &[".ssh"]), "");
        // It is not there, and this one is shown.
        assert_eq!(home.argv("", &[".aws/credentials", ".kube/config"]), "");
        assert_eq!(home.argv("", &[".kube/cache"]), ".kube");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_hidden_path_names_it() {
        let home = Home::new();
        let link = home.folder.path().join("work/key");
        std::os::unix::fs::symlink(home.folder.path().join(".netrc"), link).expect("a link");
        assert_eq!(home.argv("work", &["key"]), ".netrc");
    }

    #[test]
    fn a_program_names_a_path_only_by_writing_it() {
        let home = Home::new();
        for text in [
            "cat: HOME/.ssh/id: No such file",
            "cannot read '~/.ssh/id'",
            "cat: .ssh/id: No such file",
            "no key in ./.ssh.",
            "see file://HOME/.ssh",
        ] {
            assert_eq!(home.text("", text), ".ssh", "{text}");
        }
        for text in [
            "cat: HOME/.sshd: No such file",
            "cat: work/.ssh: No such file",
            "cat: x.ssh: No such file",
            "gh: command not found",
            "HOME/.kube/config: bad line",
            "HOME/.aws: No such file",
        ] {
            assert_eq!(home.text("", text), "", "{text}");
        }
        assert_eq!(home.text("", "cat: gh/hosts: No such file"), "gh");
        assert_eq!(home.text("work", "cat: .ssh/id: No such file"), "");
    }
}
