//! The name, version and title of a server: those of the program that it serves, unless the file says otherwise.

use std::{
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use charmer_core::text::shorten;
use charmer_discover::{Discovery, Said, cache::Cache};
use charmer_server::ServerInfo;
use serde::{Deserialize, Serialize};

use crate::{commands::client_entry::server_name, read, settings::Settings};

/// The time that a client waits to be greeted, at most, for the version of a program that is read for the first time.
/// Clients give up after ten seconds, the most impatient of them.
const PATIENCE: Duration = Duration::from_secs(2);
/// The version of a program that does not tell it.
const UNKNOWN: &str = "unknown";

/// The maximum number of bytes of a program's own instructions that an assistant is told.
const LONGEST: usize = 2_000;

/// The name and version by which a program introduces itself to clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Introduction {
    /// The line that it calls its version.
    pub(crate) version: Option<String>,
    /// The name for its server.
    name: Option<String>,
    /// The instructions for an assistant.
    instructions: Option<String>,
}

impl Introduction {
    pub(crate) fn of(found: &Discovery) -> Self {
        Self::new(found.cli.version.clone(), found.said.as_ref())
    }

    pub(crate) fn new(version: Option<String>, said: Option<&Said>) -> Self {
        let instructions = said.and_then(|said| said.instructions.as_deref());
        Self {
            version,
            name: said.and_then(|said| said.name.clone()),
            instructions: instructions.map(|text| shorten(text.trim(), LONGEST)),
        }
    }
}

/// A program's introduction that somebody else is about to find out.
pub(crate) struct Awaited(Receiver<Introduction>);

/// Tells what somebody waits for; only the first that is told counts.
#[derive(Clone)]
pub(crate) struct Teller(Sender<Introduction>);

impl Teller {
    /// Tells it.
    pub(crate) fn tell(&self, told: Introduction) {
        // Nobody waits where nobody needs to know it.
        let _ = self.0.send(told);
    }
}

/// The two ends of what is to be found out.
pub(crate) fn awaited() -> (Teller, Awaited) {
    let (sender, receiver) = channel();
    (Teller(sender), Awaited(receiver))
}

/// The server's description for clients. What a single program tells of itself is waited for; what the file says comes
/// before it.
pub(crate) fn server_info(
    settings: &Settings,
    instructions: &str,
    awaited: &Awaited,
) -> ServerInfo {
    let said = &settings.config.server;
    let own = env!("CARGO_PKG_VERSION");
    let alone = settings.programs.len() == 1 && settings.spells.is_none();
    let all_said = said.name.is_some() && said.version.is_some() && said.instructions.is_some();
    let told = match alone && !all_said {
        true => awaited.0.recv_timeout(PATIENCE).ok().unwrap_or_default(),
        false => Introduction::default(),
    };
    let name = match (&said.name, told.name) {
        (None, Some(name)) => name,
        _ => server_name(settings),
    };
    let version = match (&said.version, told.version) {
        (Some(version), _) => version.clone(),
        (None, Some(line)) => number(&line),
        (None, None) if alone => UNKNOWN.to_owned(),
        (None, None) => own.to_owned(),
    };
    let instructions = match (&said.instructions, told.instructions) {
        (None, Some(more)) => format!("{instructions}\n\n{name} says of itself: {more}"),
        _ => instructions.to_owned(),
    };
    let title = format!("{name}, served by Charmer {own}");
    ServerInfo::new(name, version)
        .title(title)
        .instructions(instructions)
}

/// The number in what a program says of its version: `2.39.5` of `git version 2.39.5`; all of it, where none is found.
fn number(line: &str) -> String {
    let words = line.split(|c: char| c.is_whitespace() || ",;()".contains(c));
    let words = words.map(|word| word.strip_prefix('v').unwrap_or(word));
    let mut words = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let dotted = words.find(|word| word.contains('.'));
    dotted.unwrap_or(line).to_owned()
}

/// The version of what is exported: the file's, or else that of a program which is served alone, or charmer's own. It is
/// a semantic one, because that is how clients and registries tell which of two is newer.
pub(crate) fn exported_version(settings: &Settings, line: Option<&str>) -> String {
    let said = settings.config.server.version.clone();
    let alone = settings.programs.len() == 1 && settings.spells.is_none();
    let of_program = || {
        line.filter(|_| alone)
            .and_then(|line| semantic(&number(line)))
    };
    said.or_else(of_program)
        .unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned())
}

/// A version in three numbers, with what stands behind them: `1.34.0` of `1.34`.
fn semantic(version: &str) -> Option<String> {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (core, rest) = version.split_at(end.unwrap_or(version.len()));
    let mut numbers = core.trim_end_matches('.').split('.');
    let mut next = |default: &str| numbers.next().unwrap_or(default).parse::<u64>().ok();
    let (major, minor, patch) = (next("")?, next("0")?, next("0")?);
    let kept = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    let rest = match rest.starts_with(['-', '+']) && rest.len() > 1 && rest.chars().all(kept) {
        true => rest,
        false => "",
    };
    Some(format!("{major}.{minor}.{patch}{rest}"))
}

/// The introduction of a program when it was last read.
pub(crate) fn kept_introduction(program: &Path) -> Option<Introduction> {
    let cache = read::cache()?;
    // Kept by itself, because everything that is known of a large program takes a while to read.
    let kept = cache.read_text(&kept_name(program));
    let kept = kept.as_deref().and_then(|kept| kept.split_once('\n'));
    let mark = Cache::mark(program);
    match kept.filter(|(of, _)| mark.as_deref() == Some(of)) {
        Some((_, told)) => serde_json::from_str(told).ok(),
        None => {
            let told = Introduction::of(&cache.load(program)?);
            keep_introduction(&cache, program, &told);
            Some(told)
        }
    }
}

/// Keeps what a program tells of itself for the next start. If that fails a client is told another time.
pub(crate) fn keep_introduction(cache: &Cache, program: &Path, told: &Introduction) {
    if let Some(mark) = Cache::mark(program)
        && let Ok(told) = serde_json::to_string(told)
    {
        let text = format!("{mark}\n{told}");
        let _ = cache.write_text(&kept_name(program), &text);
    }
}

fn kept_name(program: &Path) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    format!("introduction-{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_made_semantic() {
        for (version, exported) in [
            ("2.39.5", Some("2.39.5")),
            ("1.34", Some("1.34.0")),
            ("7", Some("7.0.0")),
            ("24.04.1", Some("24.4.1")),
            ("5.2.21(1)-release", Some("5.2.21")),
            ("0.139.0-abc+extended", Some("0.139.0-abc+extended")),
            ("release 7", None),
        ] {
            assert_eq!(semantic(version).as_deref(), exported, "{version}");
        }
    }

    #[test]
    fn the_number_is_found_in_what_programs_say() {
        for (line, version) in [
            ("git version 2.39.5", "2.39.5"),
            ("Docker version 27.5.1, build 9f9e405", "27.5.1"),
            ("cargo 1.91.0 (ea2d97820 2025-10-10)", "1.91.0"),
            (
                "hugo v0.139.0-abc+extended linux/amd64",
                "0.139.0-abc+extended",
            ),
            ("10.8.2", "10.8.2"),
            ("tar (GNU tar) 1.34", "1.34"),
            ("release 7", "release 7"),
        ] {
            assert_eq!(number(line), version);
        }
    }
}
