//! The environment and the folder that a client starts a server with, and what of it nobody else is to see.

use std::{ffi::OsString, path::PathBuf};

use charmer_core::output::clean;
use charmer_run::{
    Redactor,
    process::{Environment, KEEPS_TERMINAL},
};

use super::registered::RegisteredServer;

/// The search path of programs that are started from no shell.
#[cfg(unix)]
const BARE_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";
/// The variables that such programs have all the same.
#[cfg(unix)]
const BARE: [&str; 8] = [
    "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "TZ",
];
/// The least length of a value that is masked wherever it stands: what is shorter is a part of many words.
const SHORTEST_SECRET: usize = 4;
/// Parts of names of variables that hold secrets.
const SECRET_NAMES: [&str; 6] = [
    "TOKEN",
    "SECRET",
    "PASSW",
    "APIKEY",
    "API_KEY",
    "CREDENTIAL",
];
/// The amount that is shown of what a server complains of: lines, and characters of a line.
const LINES: usize = 6;
const COLUMNS: usize = 300;

/// See the module's documentation.
pub(super) struct StartConditions {
    pub(super) environment: Environment,
    pub(super) folder: PathBuf,
    redactor: Redactor,
}

impl StartConditions {
    /// Those of a server, in a shell with these variables that stands in `here`.
    pub(super) fn of(
        registered: &RegisteredServer,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        here: PathBuf,
    ) -> Self {
        let mut environment = Environment::empty();
        let mut secrets = registered.secrets();
        for (name, value) in variables {
            let plain = name.to_string_lossy().to_uppercase();
            if SECRET_NAMES.iter().any(|part| plain.contains(part)) {
                secrets.extend(value.to_str().map(str::to_owned));
            }
            environment.set(name, value);
        }
        let is_bare = registered.client.is_graphical() && cfg!(unix);
        #[cfg(unix)]
        if is_bare {
            environment = environment.only(&BARE);
            environment.set("PATH", BARE_PATH);
        }
        for (name, value) in &registered.entry.env {
            environment.set(name, value);
        }
        secrets.retain(|value| value.chars().count() >= SHORTEST_SECRET);
        let none: [&str; 0] = [];
        Self {
            environment,
            folder: if is_bare { PathBuf::from("/") } else { here },
            redactor: Redactor::new(secrets, none).expect("there is no pattern"),
        }
    }

    /// The folders in which programs are looked for.
    pub(super) fn search_path(&self) -> Vec<PathBuf> {
        let path = self.environment.get("PATH");
        path.map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default()
    }

    /// Text of a server's that may be shown: in one line, and without secrets.
    pub(super) fn shown(&self, text: &str) -> String {
        let text = clean(text).into_owned();
        let text = self.redactor.text(&text);
        let words: Vec<&str> = text.split_whitespace().collect();
        cut(&words.join(" "))
    }

    /// The last lines that a server wrote to standard error; `None` if it wrote nothing.
    pub(super) fn excerpt(&self, complaints: &str) -> Option<String> {
        let text = clean(complaints).into_owned();
        // Before it is cut, because a part of a secret is not found. That a server leads its group is this command's doing.
        let text = self.redactor.text(&text);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.contains(KEEPS_TERMINAL))
            .collect();
        let last = &lines[lines.len().saturating_sub(LINES)..];
        let last: Vec<String> = last.iter().map(|line| cut(line)).collect();
        (!last.is_empty()).then(|| last.join("\n"))
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(COLUMNS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
