//! The environment of a probed program: a few names of the user's, and what makes programs quiet, plain and
//! wide. Nothing that could be a secret, and nothing that says where to connect.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use charmer_run::process::{Environment, MARK};

use super::scratch::Scratch;

/// The variables that are handed on: where programs are, who the user is, which runtime a script is to use.
const INHERITED: [&str; 24] = [
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "GOROOT",
    "GEM_HOME",
    "GEM_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "LOCALE_ARCHIVE",
    // Without these Windows starts hardly anything.
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramData",
    "CommonProgramFiles",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
];

/// The variables that are always set.
const FIXED: [(&str, &str); 15] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("NO_COLOR", "1"),
    ("TERM", "dumb"),
    // Programs that ask for the width wrap at 80 without a terminal. At 200 nearly every description stands on one line,
    // and those that draw boxes to the full width do not become huge.
    ("COLUMNS", "200"),
    ("LC_ALL", "C.UTF-8"),
    ("COBRA_ACTIVE_HELP", "0"),
    // Reading a program leaves nothing beside it, reports nothing about anybody and installs nothing.
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("DO_NOT_TRACK", "1"),
    ("RUSTUP_AUTO_INSTALL", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // A command that warns before it says anything waits ten seconds for somebody to read the warning.
    ("FILTER_BRANCH_SQUELCH_WARNING", "1"),
    (MARK, "probe"),
];

/// The folders in which version managers and interpreters keep what they start, which they look for in the home folder
/// unless told: the variable that tells them, the folder, and other names of theirs that say which version is meant.
const MANAGERS: [(&str, &str, &[&str]); 16] = [
    ("RUSTUP_HOME", ".rustup", &["RUSTUP_TOOLCHAIN"]),
    ("CARGO_HOME", ".cargo", &[]),
    ("PYENV_ROOT", ".pyenv", &["PYENV_VERSION"]),
    ("PYTHONUSERBASE", ".local", &[]),
    ("RBENV_ROOT", ".rbenv", &["RBENV_VERSION"]),
    ("NODENV_ROOT", ".nodenv", &["NODENV_VERSION"]),
    ("GOENV_ROOT", ".goenv", &["GOENV_VERSION"]),
    ("JENV_ROOT", ".jenv", &["JENV_VERSION"]),
    ("ASDF_DATA_DIR", ".asdf", &["ASDF_DIR", "ASDF_CONFIG_FILE"]),
    ("MISE_DATA_DIR", ".local/share/mise", &["MISE_ENV"]),
    ("MISE_CONFIG_DIR", ".config/mise", &[]),
    ("VOLTA_HOME", ".volta", &[]),
    ("NVM_DIR", ".nvm", &["NVM_BIN", "NVM_INC"]),
    ("FNM_DIR", ".local/share/fnm", &["FNM_MULTISHELL_PATH"]),
    ("SDKMAN_DIR", ".sdkman", &["SDKMAN_CANDIDATES_DIR"]),
    ("PROTO_HOME", ".proto", &[]),
];

/// The variables by which version managers are told where they keep what they start.
pub fn manager_variables() -> impl Iterator<Item = &'static str> {
    MANAGERS.iter().map(|(root, _, _)| *root)
}

/// The folders of version managers, for a process with these variables, whether or not they are there.
pub(crate) fn managers(variable: &impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let folder = |name: &str| {
        let folder = PathBuf::from(variable(name)?);
        Some(folder).filter(|folder| folder.is_absolute())
    };
    let managers = MANAGERS.iter();
    let managers = managers.filter_map(|(root, usual, _)| {
        let below = || Some(folder("HOME")?.join(usual));
        folder(root).or_else(below)
    });
    managers.collect()
}

/// The variables that name a home folder, and others that lie in it; the folders are inside of it unless a variable
/// says otherwise.
const HOMES: [(&str, &str); 7] = [
    ("HOME", ""),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("USERPROFILE", ""),
    ("APPDATA", "AppData/Roaming"),
    ("LOCALAPPDATA", "AppData/Local"),
];

/// The environment of probes with the scratch home.
pub(super) fn scratch_environment(base: &[(OsString, OsString)], scratch: &Scratch) -> Environment {
    let mut environment = common(base, scratch);
    for (name, folder) in homes() {
        let home = scratch.home();
        let path = if folder.is_empty() {
            home
        } else {
            home.join(folder)
        };
        environment.set(name, path);
    }
    environment
}

/// The environment of probes with the user's own home, and that home; `None` where it is not known.
pub(super) fn real_environment(
    base: &[(OsString, OsString)],
    scratch: &Scratch,
) -> Option<(Environment, PathBuf)> {
    let home = real_home(base)?;
    let mut environment = common(base, scratch);
    for (name, _) in homes() {
        if let Some(value) = value(base, name) {
            environment.set(name, value);
        }
    }
    Some((environment, home))
}

fn common(base: &[(OsString, OsString)], scratch: &Scratch) -> Environment {
    let home = real_home(base);
    let managers = MANAGERS.iter();
    let managers =
        managers.flat_map(|(root, _, others)| std::iter::once(root).chain(others.iter()));
    let mut environment = Environment::empty();
    for name in INHERITED.iter().chain(managers) {
        if let Some(value) = value(base, name) {
            environment.set(*name, value);
        }
    }
    for (root, folder, _) in MANAGERS {
        let folder = home.as_ref().map(|home| home.join(folder));
        if environment.get(root).is_none()
            && let Some(folder) = folder.filter(|folder| folder.is_dir())
        {
            environment.set(root, folder);
        }
    }
    for (name, value) in FIXED {
        environment.set(name, value);
    }
    for name in ["TMPDIR", "TEMP", "TMP"] {
        environment.set(name, scratch.temporary());
    }
    environment.set("XDG_CACHE_HOME", scratch.home().join(".cache"));
    environment.set("XDG_RUNTIME_DIR", scratch.runtime());
    // No repository around the scratch one is ever looked for.
    environment.set("GIT_CEILING_DIRECTORIES", scratch.room());
    environment
}

/// The names of this system.
fn homes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let count = if cfg!(windows) { HOMES.len() } else { 4 };
    HOMES.into_iter().take(count)
}

/// The user's own home folder.
fn real_home(base: &[(OsString, OsString)]) -> Option<PathBuf> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = PathBuf::from(value(base, name)?);
    (home.is_absolute() && home.is_dir()).then_some(home)
}

/// The folder of temporary files.
pub(super) fn temporary(base: &[(OsString, OsString)]) -> PathBuf {
    let name = if cfg!(windows) { "TEMP" } else { "TMPDIR" };
    let named = value(base, name).map(Path::new);
    named
        .filter(|path| path.is_absolute() && path.is_dir())
        .map_or_else(std::env::temp_dir, Path::to_path_buf)
}

fn value<'a>(base: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let same = |key: &OsString| match cfg!(windows) {
        true => key.eq_ignore_ascii_case(name),
        false => key == name,
    };
    let found = base.iter().find(|(key, _)| same(key));
    found.map(|(_, value)| value.as_os_str())
}
