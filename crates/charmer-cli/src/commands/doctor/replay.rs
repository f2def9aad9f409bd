//! A server tried as its client would: started, greeted, listed, searched, asked for something harmless, and left.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use charmer_run::{
    Ended,
    process::{Dialogue, HeardLine, resolve_program},
};
use serde_json::{Value, json};

use crate::progress::Activity;

use super::{
    conditions::StartConditions,
    conversation::{Breakdown, Conversation, ProtocolEra, told_end},
    finding::DoctorFinding,
    registered::RegisteredServer,
};

/// Words that some command of nearly every program goes by.
const QUESTION: &str = "show list status version";
/// The number of pages of a list that are asked for.
const MOST_PAGES: usize = 100;

/// A server to be tried.
pub(super) struct Replay<'r> {
    pub(super) registered: &'r RegisteredServer,
    pub(super) conditions: &'r StartConditions,
    pub(super) patience: Duration,
    pub(super) activity: &'r Activity,
}

/// The outcome of one conversation with a server.
struct Heard {
    /// A sentence on what worked; or the breakdown.
    outcome: Result<String, Breakdown>,
    /// The first line on standard output that is no message, and how many there were.
    junk: Option<(String, usize)>,
    /// The way it ended when its client went away; `None` within, if it did not.
    ended: Option<Option<Ended>>,
    stderr: Option<String>,
}

impl Replay<'_> {
    /// Finds the command, and speaks with it in both eras.
    pub(super) async fn findings(&self) -> Vec<DoctorFinding> {
        let mut findings = Vec::new();
        let program = match self.command() {
            Ok(program) => program,
            Err(missing) => return vec![missing],
        };
        findings.push(self.which(&program).await);
        let legacy = self.converse(&program, ProtocolEra::Legacy).await;
        let modern = self.converse(&program, ProtocolEra::Modern).await;
        let (legacy, modern) = match (legacy, modern) {
            (Ok(legacy), Ok(modern)) => (legacy, modern),
            (Err(finding), _) | (_, Err(finding)) => {
                findings.push(finding);
                return findings;
            }
        };
        self.judge(&legacy, &modern, &mut findings);
        findings
    }

    /// The program that the entry names, as this client finds it.
    fn command(&self) -> Result<PathBuf, DoctorFinding> {
        let name = &self.registered.entry.command;
        let search = self.conditions.search_path();
        let folder = &self.conditions.folder;
        let found = resolve_program(Path::new(name), &search, folder);
        let problem = |message: String| {
            let finding = DoctorFinding::problem("command", message);
            finding.run_if(self.registered.add_again())
        };
        let path = match found {
            Ok(path) => path,
            Err(_) if Path::new(name).components().count() > 1 => {
                return Err(problem(format!("there is no program at `{name}`")));
            }
            Err(_) => {
                let title = self.registered.client.title();
                return Err(problem(format!(
                    "`{name}` is not on the PATH that {title} starts its servers with"
                )));
            }
        };
        match is_executable(&path) {
            true => Ok(path),
            false => {
                let shown = path.display().to_string();
                let message = format!("`{shown}` is not executable");
                let run = format!("chmod +x {}", crate::rights::quoted(&shown));
                Err(DoctorFinding::problem("command", message).run(run))
            }
        }
    }

    /// Finds out which program it is, and whether it is this one.
    async fn which(&self, program: &Path) -> DoctorFinding {
        let shown = program.display();
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let own = std::env::current_exe().map(real).ok();
        let version = env!("CARGO_PKG_VERSION");
        if own == Some(real(program.to_owned())) {
            return DoctorFinding::ok("command", format!("{shown} {version}"));
        }
        if !self.registered.starts_charmer() {
            return DoctorFinding::ok("command", shown.to_string());
        }
        match self.version(program).await {
            Some(theirs) if theirs == format!("charmer {version}") => {
                DoctorFinding::ok("command", format!("{shown} {version}"))
            }
            theirs => {
                let theirs = match theirs {
                    Some(theirs) => format!("`{theirs}`"),
                    None => "of an unknown version".to_owned(),
                };
                let message =
                    format!("{shown} is another charmer than this one: {theirs}, not {version}");
                DoctorFinding::warning("command", message).run_if(self.registered.add_again())
            }
        }
    }

    /// The program's own words on its version, in a line.
    async fn version(&self, program: &Path) -> Option<String> {
        let mut dialogue = self.start(program, &["--version".into()]).ok()?;
        dialogue.hang_up();
        let said = tokio::time::timeout(self.patience, dialogue.next_line()).await;
        dialogue.end().await;
        match said.ok()? {
            HeardLine::Line(line) => Some(self.conditions.shown(&String::from_utf8_lossy(&line))),
            _ => None,
        }
    }

    fn start(&self, program: &Path, argv: &[OsString]) -> Result<Dialogue, DoctorFinding> {
        let StartConditions {
            environment,
            folder,
            ..
        } = self.conditions;
        Dialogue::start(program, argv, environment, folder)
            .map_err(|error| DoctorFinding::problem("start", error.message))
    }

    async fn converse(&self, program: &Path, era: ProtocolEra) -> Result<Heard, DoctorFinding> {
        let RegisteredServer { entry, client, .. } = self.registered;
        let argv: Vec<OsString> = entry.args.iter().map(Into::into).collect();
        let dialogue = self.start(program, &argv)?;
        let mut conversation = Conversation::new(dialogue, era, self.patience);
        let show = |what: &str| {
            let (name, title) = (&entry.name, client.title());
            self.activity
                .show(&format!("Trying {name} of {title}: {what}"));
        };
        let outcome = speak(&mut conversation, era, show).await;
        let mut ended = None;
        if outcome.is_ok() {
            show("waiting for its end");
            ended = Some(conversation.leave().await);
        }
        let (complaints, junk) = conversation.close().await;
        Ok(Heard {
            outcome,
            junk,
            ended,
            stderr: self.conditions.excerpt(&complaints),
        })
    }

    /// Judges both conversations. What went wrong alike in both is said once.
    fn judge(&self, legacy: &Heard, modern: &Heard, findings: &mut Vec<DoctorFinding>) {
        let told = |breakdown: &Breakdown| breakdown.told(|text| self.conditions.shown(text));
        let mut tell = |era: &'static str, heard: &Heard, other_works: bool| match &heard.outcome {
            Ok(worked) => findings.push(DoctorFinding::ok(era, worked.clone())),
            // Clients that speak the newer one go back to the older one if they are told so.
            Err(breakdown @ Breakdown::Refused("server/discover", _)) if other_works => {
                let message = format!(
                    "{}; it speaks the legacy era only, which clients still understand",
                    told(breakdown)
                );
                let finding = DoctorFinding::warning(era, message);
                findings.push(finding.run_if(self.registered.add_again()));
            }
            Err(breakdown) => {
                let finding = DoctorFinding::problem(era, told(breakdown));
                let finding = finding.stderr(heard.stderr.clone());
                findings.push(finding.run_if(self.registered.tools_of_it()));
            }
        };
        match (&legacy.outcome, &modern.outcome) {
            (Err(first), Err(second)) if is_alike(first, second) => tell("start", legacy, false),
            _ => {
                tell("legacy", legacy, modern.outcome.is_ok());
                tell("modern", modern, legacy.outcome.is_ok());
            }
        }
        if let Some((line, count)) = legacy.junk.as_ref().or(modern.junk.as_ref()) {
            let line = self.conditions.shown(line);
            let lines = match count {
                1 => "a line that is no message".to_owned(),
                count => format!("{count} lines that are no messages"),
            };
            let message = format!(
                "it prints {lines} to standard output, and clients stumble over that: `{line}`"
            );
            findings.push(DoctorFinding::problem("output", message));
        }
        findings.extend(
            [end(legacy), end(modern)]
                .into_iter()
                .flatten()
                .max_by_key(|end| end.level),
        );
    }
}

/// The way a server ended when its client went away, if not as it should.
fn end(heard: &Heard) -> Option<DoctorFinding> {
    let finding = match heard.ended? {
        Some(Ended::Exited(0)) => return None,
        Some(other) => DoctorFinding::warning(
            "end",
            format!("it {} when its client went away", told_end(&other)),
        ),
        None => DoctorFinding::problem(
            "end",
            "it does not end when its client goes away, and has to be killed",
        ),
    };
    Some(finding.stderr(heard.stderr.clone()))
}

/// Returns true if two conversations broke down in the same way, whatever the methods are called.
fn is_alike(first: &Breakdown, second: &Breakdown) -> bool {
    match (first, second) {
        (Breakdown::Ended(a, how), Breakdown::Ended(b, other)) => {
            is_greeting(a) && is_greeting(b) && how == other
        }
        (Breakdown::Silent(a, _), Breakdown::Silent(b, _)) => {
            a == b || is_greeting(a) && is_greeting(b)
        }
        (Breakdown::Flood(_), Breakdown::Flood(_)) => true,
        (first, second) => first == second,
    }
}

fn is_greeting(method: &str) -> bool {
    [ProtocolEra::Legacy, ProtocolEra::Modern]
        .iter()
        .any(|era| era.greeting() == method)
}

/// Does what a client does until its assistant has called something. Says what worked.
async fn speak(
    conversation: &mut Conversation,
    era: ProtocolEra,
    show: impl Fn(&str),
) -> Result<String, Breakdown> {
    show(era.greeting());
    let version = conversation.greet().await?;
    show("tools/list");
    let names = list(conversation).await?;
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let mut worked = vec![match names.len() {
        1 => format!("speaks {version}, lists 1 tool"),
        count => format!("speaks {version}, lists {count} tools"),
    }];
    if has("list_spells") {
        show("list_spells");
        conversation.call("list_spells", json!({})).await?;
        worked.push("lists its spells".into());
    }
    show("search_commands");
    // Where every command is listed it is not, and may be called all the same.
    let query = json!({"query": QUESTION});
    let found = match conversation.call("search_commands", query).await {
        Ok(found) => found,
        Err(Breakdown::Refused(..)) if !has("search_commands") => {
            worked.push("answers calls".into());
            return Ok(worked.join(", "));
        }
        Err(breakdown) => return Err(breakdown),
    };
    worked.push("finds commands".into());
    let first = found.lines().find(|line| line.contains('['));
    if let Some(first) = first.and_then(|line| line.split_whitespace().next()) {
        show("describe_commands");
        let of = json!({"commands": [first]});
        conversation.call("describe_commands", of).await?;
        worked.push("describes the first".into());
    }
    Ok(worked.join(", "))
}

/// The names of all tools.
async fn list(conversation: &mut Conversation) -> Result<Vec<String>, Breakdown> {
    const METHOD: &str = "tools/list";
    let mut names = Vec::new();
    let mut params = json!({});
    for _ in 0..MOST_PAGES {
        let page = conversation.ask(METHOD, params).await?;
        let tools = page["tools"].as_array();
        let tools = tools.ok_or(Breakdown::Nonsense(METHOD, "has no `tools`"))?;
        let named = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.extend(named.map(str::to_owned));
        match &page["nextCursor"] {
            Value::String(cursor) => params = json!({"cursor": cursor}),
            _ => break,
        }
    }
    match names.is_empty() {
        true => Err(Breakdown::Nonsense(
            METHOD,
            "is an empty list: an assistant gets nothing",
        )),
        false => Ok(names),
    }
}

#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let meta = path.metadata();
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file()
}
