//! A machine as far as clients are concerned: its platform, its folders and its commands.
//!
//! Paths of the table are templates with forward slashes: `~` is the home folder, `$NAME` a variable, `*` any text in
//! one part of a path.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// An operating system that clients run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Platform {
    /// Linux, and the other systems that keep settings in `~/.config`.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// Every platform, in the order of documents.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];

    /// The platform that this code was compiled for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// The name by which people know it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }
}

/// The facts about a machine that decide where its clients keep their files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Machine {
    /// The operating system.
    pub platform: Platform,
    /// The person's home folder.
    pub home: PathBuf,
    /// The environment variables that move settings to other folders; [`Machine::VARIABLES`] has their names.
    pub variables: BTreeMap<String, String>,
    /// The folders of `PATH`, in which installed commands are looked for.
    pub path: Vec<PathBuf>,
}

impl Machine {
    /// The variables that clients look at. More of them may be given; they are not read.
    pub const VARIABLES: &'static [&'static str] = &[
        "APPDATA",
        "CLAUDE_CONFIG_DIR",
        "CLINE_DIR",
        "CLINE_MCP_SETTINGS_PATH",
        "CODEX_HOME",
        "CONTINUE_GLOBAL_DIR",
        "COPILOT_HOME",
        "CRUSH_GLOBAL_CONFIG",
        "LOCALAPPDATA",
        "XDG_CONFIG_HOME",
    ];

    /// A machine with the usual folders and nothing on its `PATH`.
    pub fn new(platform: Platform, home: impl Into<PathBuf>) -> Self {
        Self {
            platform,
            home: home.into(),
            variables: BTreeMap::new(),
            path: Vec::new(),
        }
    }

    /// A machine with those of its variables that clients' files depend on.
    pub fn of_variables(
        platform: Platform,
        home: impl Into<PathBuf>,
        value: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let names = Self::VARIABLES.iter();
        let known = names.filter_map(|name| Some(((*name).to_owned(), value(name)?)));
        Self {
            variables: known.collect(),
            ..Self::new(platform, home)
        }
    }

    /// The same with a variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same with these folders on its `PATH`.
    #[must_use]
    pub fn path(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.path = folders.into_iter().collect();
        self
    }

    /// The value of a variable that is set to something.
    fn value(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Returns true if a command is installed.
    pub(crate) fn has_command(&self, name: &str) -> bool {
        let endings: &[&str] = match self.platform {
            Platform::Windows => &["", ".exe", ".cmd", ".bat"],
            _ => &[""],
        };
        self.path.iter().any(|folder| {
            endings
                .iter()
                .any(|ending| folder.join(format!("{name}{ending}")).is_file())
        })
    }

    /// The path that a template stands for.
    pub(crate) fn resolve(&self, template: &str) -> ResolvedPath {
        let (first, rest) = template.split_once('/').unwrap_or((template, ""));
        let usual = |folder: &str| append(&self.home, folder);
        let (base, moved) = match first {
            "" => (PathBuf::from("/"), false),
            "~" => (self.home.clone(), false),
            _ => {
                let name = first.trim_start_matches('$');
                let fallback = match name {
                    "XDG_CONFIG_HOME" => Some(usual(".config")),
                    "APPDATA" => Some(usual("AppData/Roaming")),
                    "LOCALAPPDATA" => Some(usual("AppData/Local")),
                    _ => None,
                };
                match (self.value(name), fallback) {
                    (Some(value), None) => (PathBuf::from(value), true),
                    // The XDG specification has relative values ignored.
                    (Some(value), Some(fallback)) if name == "XDG_CONFIG_HOME" => {
                        let value = PathBuf::from(value);
                        (if value.is_absolute() { value } else { fallback }, false)
                    }
                    (Some(value), Some(_)) => (PathBuf::from(value), false),
                    (None, Some(fallback)) => (fallback, false),
                    (None, None) => return ResolvedPath::Nowhere,
                }
            }
        };
        match (rest.contains('*'), moved) {
            (true, _) => matching(&base, rest).map_or(ResolvedPath::Nowhere, ResolvedPath::Found),
            (false, true) => ResolvedPath::Moved(append(&base, rest)),
            (false, false) => ResolvedPath::Usual(append(&base, rest)),
        }
    }
}

/// The path that a template came to.
pub(crate) enum ResolvedPath {
    /// Nothing: its variable is not set, or nothing matches.
    Nowhere,
    /// A path that may or may not exist.
    Usual(PathBuf),
    /// A path that a variable sets, so that no other one counts.
    Moved(PathBuf),
    /// A path that was found by its pattern.
    Found(PathBuf),
}

/// A path below a folder, from parts between slashes.
pub(crate) fn append(base: &Path, parts: &str) -> PathBuf {
    let mut path = base.to_owned();
    path.extend(parts.split('/').filter(|part| !part.is_empty()));
    path
}

/// The first path, by name, that exists and matches a pattern.
fn matching(base: &Path, pattern: &str) -> Option<PathBuf> {
    let (part, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    if rest.is_empty() && !part.contains('*') {
        let path = base.join(part);
        return path.exists().then_some(path);
    }
    let Some((start, end)) = part.split_once('*') else {
        return matching(&base.join(part), rest);
    };
    let mut names: Vec<_> = fs::read_dir(base)
        .ok()?
        .filter_map(|item| item.ok()?.file_name().into_string().ok())
        .filter(|name| {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
        .collect();
    names.sort();
    names
        .iter()
        .find_map(|name| matching(&base.join(name), rest))
}

/// A template as people of a platform write it.
pub(crate) fn template_text(template: &str, platform: Platform) -> String {
    if platform != Platform::Windows {
        return template.replace("$XDG_CONFIG_HOME/", "~/.config/");
    }
    let (first, rest) = template.split_once('/').unwrap_or((template, ""));
    let first = match first {
        "~" => "%USERPROFILE%".to_owned(),
        "$XDG_CONFIG_HOME" => r"%USERPROFILE%\.config".to_owned(),
        variable if variable.starts_with('$') => format!("%{}%", &variable[1..]),
        folder => folder.to_owned(),
    };
    let rest = rest.replace('/', r"\");
    if rest.is_empty() {
        first
    } else {
        format!(r"{first}\{rest}")
    }
}
