//! The clients on this machine, and which of their servers are charmer's.

use std::path::Path;

use charmer_clients::{KnownClient, Machine, Platform, Scope, ServerEntry};

use crate::{args::ScopeName, problem::Problem, programs, settings::home};

/// This machine, as far as clients' files depend on it.
pub(crate) fn machine() -> Machine {
    Machine::of_variables(Platform::current(), home(), |name| std::env::var(name).ok())
        .path(programs::search_path())
}

impl ScopeName {
    pub(crate) fn scope(self) -> Scope {
        match self {
            Self::User => Scope::User,
            Self::Project => Scope::Project,
        }
    }
}

/// The name of a command's file, without its ending.
fn stem(command: &str) -> Option<String> {
    let stem = Path::new(command).file_stem()?;
    Some(stem.to_string_lossy().into_owned())
}

/// Returns true if a command is charmer itself, and no program that starts it. This one is, whatever its file was
/// renamed to.
pub(crate) fn is_charmer(command: &str) -> bool {
    matches!(stem(command).as_deref(), Some("charmer" | "charmer-mcp"))
        || std::env::current_exe().is_ok_and(|own| own == Path::new(command))
}

/// The words behind `serve` of an entry that starts `charmer serve`, however that is started; `None` for the servers of
/// others.
pub(crate) fn served_words(entry: &ServerEntry) -> Option<&[String]> {
    let mut words = &entry.args[..];
    if !is_charmer(&entry.command) {
        let runner = stem(&entry.command)?;
        if !matches!(runner.as_str(), "npx" | "uvx" | "pipx" | "uv") {
            return None;
        }
        let at = words.iter().position(|word| is_charmer(word))?;
        words = &words[at + 1..];
    }
    words
        .split_first()
        .filter(|(first, _)| *first == "serve")
        .map(|(_, rest)| rest)
}

/// Returns true if an entry starts `charmer serve`.
pub(crate) fn is_ours(entry: &ServerEntry) -> bool {
    served_words(entry).is_some()
}

/// A file with this entry alone, in the shape that most clients share.
pub(crate) fn common_shape(entry: &ServerEntry) -> String {
    let client = KnownClient::find("claude-desktop").expect("it is in the table");
    client.entry_text(Scope::User, entry)
}

/// A path as a person writes it who is at home.
pub(crate) fn at_home(path: &Path) -> String {
    match path.strip_prefix(home()) {
        Ok(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        Err(_) => path.display().to_string(),
    }
}

impl From<charmer_clients::UnknownClient> for Problem {
    fn from(unknown: charmer_clients::UnknownClient) -> Self {
        Self::mistake(unknown.to_string())
            .hint("`charmer list` shows those that are on this machine")
    }
}

/// Words of a command line without the values of pinned flags.
pub(crate) fn masked(words: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    for word in words {
        let is_pinned = shown.last().is_some_and(|before| before == "--set");
        let value_at = match word.strip_prefix("--set=") {
            Some(flag) => flag.find('=').map(|at| at + "--set=".len()),
            None if is_pinned => word.find('='),
            None => None,
        };
        shown.push(match value_at {
            Some(at) => format!("{}=...", &word[..at]),
            None => word.clone(),
        });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(command: &str, args: &[&str]) -> ServerEntry {
        let mut entry = ServerEntry::new("x", command);
        entry.args = args.iter().map(|arg| (*arg).to_owned()).collect();
        entry
    }

    #[test]
    fn our_servers_are_known_however_they_are_started() {
        let ours = [
            ("/opt/charmer", &["serve", "git"][..]),
            ("C:\\bin\\charmer.exe", &["serve", "git"]),
            ("/usr/bin/npx", &["--yes", "charmer-mcp", "serve", "git"]),
            ("uvx", &["charmer-mcp", "serve", "git"]),
        ];
        for (command, args) in ours {
            // Only Windows reads its paths.
            if command.contains('\\') && !cfg!(windows) {
                continue;
            }
            assert_eq!(
                served_words(&entry(command, args)),
                Some(&["git".to_owned()][..]),
                "{command}"
            );
        }
        let others = [
            ("/opt/charmer", &["tools", "git"][..]),
            ("/usr/bin/npx", &["other", "serve", "git"]),
            ("/usr/bin/git", &["serve"]),
            ("/opt/charmer", &[]),
        ];
        for (command, args) in others {
            assert!(!is_ours(&entry(command, args)), "{command} {args:?}");
        }
    }

    #[test]
    fn pinned_values_are_not_shown() {
        let words = [
            "git",
            "--set",
            "token=abc",
            "--set=gh:key=d=e",
            "--set",
            "quiet",
            "a=b",
        ];
        let words = words.map(str::to_owned);
        assert_eq!(
            masked(&words),
            [
                "git",
                "--set",
                "token=...",
                "--set=gh:key=...",
                "--set",
                "quiet",
                "a=b"
            ]
        );
    }
}
