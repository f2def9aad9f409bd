//! `charmer approve`: the calls that wait for a person, shown and decided at a terminal.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use charmer_core::output::clean;
use charmer_run::{Approvals, AttachedTerminal, TerminalAnswer, process::MARK};
use tokio::{
    io::BufReader as AsyncBufReader,
    net::{UnixStream, unix::OwnedWriteHalf},
    sync::mpsc,
};

use crate::{
    beneath::beneath_server,
    meeting::{self, AnswerMessage, Hello, MOST_LIST, SaidVerdict, Told, WaitingCall},
    problem::Problem,
    runtime,
};

/// The time between two looks for servers that were started meanwhile.
const LOOK: Duration = Duration::from_secs(1);
/// The words that answer.
const WORDS: &str = "y: allow it once   n [reason]: deny it   d: what it would change   \
                     a: allow this command here until the server ends   q: leave";

pub(crate) fn run() -> Result<ExitCode, Problem> {
    let folder = meeting::folder()
        .map_err(|error| Problem::failed(format!("servers cannot be met: {error}")))?;
    let person = Person::here(&folder)?;
    runtime::new()?.block_on(Table::new(folder, person)?.serve())
}

/// Whoever sits at the terminal of this process.
pub(crate) struct Person {
    pub(crate) terminal: Terminal,
    /// Their name and the terminal's.
    pub(crate) name: String,
}

impl Person {
    /// The person at the terminal of this process; a refusal, if there is none, or if an assistant may have started it.
    pub(crate) fn here(folder: &Path) -> Result<Self, Problem> {
        let refused = |why: String| {
            Problem::mistake(format!(
                "`charmer approve` is for a person at a terminal: {why}"
            ))
            .hint("run it in a terminal of your own")
        };
        if std::env::var_os(MARK).is_some() {
            return Err(refused(
                "this process was started by a Charmer server".into(),
            ));
        }
        let own = std::process::id();
        let mut servers = meeting::numbers(folder);
        // A call that asks where it was made is met like a server.
        servers.retain(|server| *server != own);
        if let Some(why) = beneath_server(own, &servers) {
            return Err(refused(why));
        }
        let terminal = Terminal::open().map_err(|_| refused("there is none".into()))?;
        let user = ["USER", "LOGNAME"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok());
        let user = user.unwrap_or_else(|| "somebody".into());
        let name = match terminal_name() {
            Some(terminal) => format!("{user} on {terminal}"),
            None => user,
        };
        Ok(Self { terminal, name })
    }
}

/// The terminal that standard input is, where it is one.
fn terminal_name() -> Option<String> {
    let link = std::fs::read_link("/proc/self/fd/0").ok()?;
    let name = link.to_str()?;
    name.starts_with("/dev/").then(|| name.to_owned())
}

/// The terminal that controls this process, whatever its standard streams are.
pub(crate) struct Terminal(File);

impl Terminal {
    fn open() -> std::io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        Ok(Self(file))
    }

    /// Shows a text, in which nothing can move the cursor or disguise what is read.
    pub(crate) fn show(&mut self, text: &str) {
        let text = clean(text).replace('\n', "\r\n");
        // A terminal that has gone is noticed when it is read from.
        let _ = self.0.write_all(text.as_bytes());
        let _ = self.0.flush();
    }

    /// The lines that are typed, on a thread of their own.
    pub(crate) fn lines(&self) -> std::io::Result<mpsc::Receiver<String>> {
        let (tell, lines) = mpsc::channel(1);
        let mut reading = BufReader::new(self.0.try_clone()?);
        std::thread::Builder::new()
            .name("charmer-typed".into())
            .spawn(move || {
                let mut line = String::new();
                while reading.read_line(&mut line).is_ok_and(|read| read > 0) {
                    if tell.blocking_send(line.trim().to_owned()).is_err() {
                        return;
                    }
                    line.clear();
                }
            })?;
        Ok(lines)
    }
}

/// Asks about the calls of this process at its own terminal, if it has one and no assistant may have started it.
pub(crate) fn ask_here(approvals: &Approvals) {
    let person = meeting::folder().map(|folder| Person::here(&folder));
    if let Ok(Ok(person)) = person
        && let Ok(lines) = person.terminal.lines()
    {
        tokio::spawn(decide(person, lines, approvals.attach(), approvals.clone()));
    }
}

/// Has a person decide on one call after the other.
async fn decide(
    mut person: Person,
    mut lines: mpsc::Receiver<String>,
    mut attached: AttachedTerminal,
    approvals: Approvals,
) {
    loop {
        let Some(waiting) = approvals.waiting().into_iter().next() else {
            attached.changed().await;
            continue;
        };
        let call = WaitingCall::from(waiting);
        person.terminal.show(&asked(&call, 0));
        loop {
            let (verdict, reason) = match lines.recv().await.as_deref().map(Typed::read) {
                Some(Typed::Answer(verdict, reason)) => (verdict, reason),
                Some(Typed::Leave) | None => (SaidVerdict::Deny, None),
                Some(Typed::Detail) => {
                    person.terminal.show(&detail(&call));
                    continue;
                }
                Some(Typed::Unclear) => {
                    person.terminal.show(&format!("{WORDS}\n> "));
                    continue;
                }
            };
            let answer = TerminalAnswer::new(verdict.verdict(), person.name.clone());
            approvals.settle(&call.id, &call.digest, answer.reason(reason));
            break;
        }
    }
}

/// A typed line, understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Answer(SaidVerdict, Option<String>),
    Detail,
    Leave,
    Unclear,
}

impl Typed {
    pub(crate) fn read(line: &str) -> Self {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let reason = Some(rest.trim().to_owned()).filter(|reason| !reason.is_empty());
        match (word.to_ascii_lowercase().as_str(), &reason) {
            ("y" | "yes", None) => Self::Answer(SaidVerdict::Allow, None),
            ("a" | "always", None) => Self::Answer(SaidVerdict::Session, None),
            ("n" | "no", _) => Self::Answer(SaidVerdict::Deny, reason),
            ("d" | "diff", None) => Self::Detail,
            ("q" | "quit" | "exit", None) => Self::Leave,
            _ => Self::Unclear,
        }
    }
}

/// The text of a call that is to be decided, and of what can be typed.
pub(crate) fn asked(call: &WaitingCall, others: usize) -> String {
    let more = match others {
        0 => String::new(),
        1 => "(one more waits)\n".to_owned(),
        many => format!("({many} more wait)\n"),
    };
    let summary = &call.summary;
    let detail = match &call.detail {
        Some((title, _)) => format!("{title}: d shows it\n"),
        None => String::new(),
    };
    format!("\n{summary}\n{detail}{more}\n{WORDS}\n> ")
}

/// The text of what a call would change.
pub(crate) fn detail(call: &WaitingCall) -> String {
    match &call.detail {
        Some((title, text)) => format!("\n{title}:\n{}\n> ", text.trim_end()),
        None => "nothing more is known of what it would change\n> ".to_owned(),
    }
}

/// A message of a server, or that it has gone.
struct News {
    server: PathBuf,
    told: Option<Told>,
}

/// Everything that waits, of all servers.
struct Table {
    folder: PathBuf,
    person: Person,
    lines: mpsc::Receiver<String>,
    tell: mpsc::Sender<News>,
    news: mpsc::Receiver<News>,
    servers: BTreeMap<PathBuf, Served>,
    /// The call that the person is looking at.
    shown: Option<(PathBuf, WaitingCall)>,
    /// That call was taken back: what is typed next was meant for it, and must not decide on another one.
    is_taken_back: bool,
}

/// A server that is connected.
struct Served {
    writing: OwnedWriteHalf,
    waiting: Vec<WaitingCall>,
}

impl Table {
    fn new(folder: PathBuf, person: Person) -> Result<Self, Problem> {
        let lines = person.terminal.lines();
        let lines = lines.map_err(|error| Problem::failed(format!("the terminal: {error}")))?;
        let (tell, news) = mpsc::channel(16);
        Ok(Self {
            folder,
            person,
            lines,
            tell,
            news,
            servers: BTreeMap::new(),
            shown: None,
            is_taken_back: false,
        })
    }

    async fn serve(mut self) -> Result<ExitCode, Problem> {
        self.look().await;
        let begun = match self.servers.len() {
            0 => "no server asks yet; waiting (q leaves)\n".to_owned(),
            1 => "one server asks here; waiting for calls (q leaves)\n".to_owned(),
            many => format!("{many} servers ask here; waiting for calls (q leaves)\n"),
        };
        self.person.terminal.show(&begun);
        let mut ticks = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                news = self.news.recv() => {
                    if let Some(news) = news {
                        self.hear(news)?;
                    }
                }
                line = self.lines.recv() => match line {
                    Some(line) if !self.typed(&line).await => return Ok(ExitCode::SUCCESS),
                    Some(_) => {}
                    None => return Ok(ExitCode::SUCCESS),
                },
                _ = ticks.tick() => self.look().await,
                () = runtime::stopped() => return Ok(ExitCode::SUCCESS),
            }
        }
    }

    /// Connects to servers that it does not know yet.
    async fn look(&mut self) {
        let known = |path: &PathBuf| self.servers.contains_key(path);
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let paths = entries.flatten().map(|entry| entry.path());
        let new: Vec<PathBuf> = paths.filter(|path| !known(path)).collect();
        if new.is_empty() {
            return;
        }
        for (path, _) in meeting::sockets(&self.folder) {
            if self.servers.contains_key(&path) {
                continue;
            }
            let Ok(stream) = UnixStream::connect(&path).await else {
                continue;
            };
            let (reading, mut writing) = stream.into_split();
            if meeting::send(&mut writing, &Hello::Look).await.is_err() {
                continue;
            }
            let served = Served {
                writing,
                waiting: Vec::new(),
            };
            self.servers.insert(path.clone(), served);
            let tell = self.tell.clone();
            tokio::spawn(async move {
                let mut reading = AsyncBufReader::new(reading);
                loop {
                    let told = meeting::receive(&mut reading, MOST_LIST).await;
                    let told = told.ok().flatten();
                    let has_gone = told.is_none();
                    let news = News {
                        server: path.clone(),
                        told,
                    };
                    if tell.send(news).await.is_err() || has_gone {
                        return;
                    }
                }
            });
        }
    }

    fn hear(&mut self, News { server, told }: News) -> Result<(), Problem> {
        match told {
            Some(Told::Waiting(waiting)) => {
                if let Some(served) = self.servers.get_mut(&server) {
                    served.waiting = waiting;
                }
            }
            Some(Told::Settled(true)) => {}
            Some(Told::Settled(false)) => {
                let late = "that call does not wait any more: nothing was decided\n";
                self.person.terminal.show(late);
            }
            Some(Told::Refused(why)) => {
                return Err(
                    Problem::mistake(format!("a server refuses this terminal: {why}"))
                        .hint("run `charmer approve` in a terminal of your own"),
                );
            }
            None => {
                self.servers.remove(&server);
            }
        }
        self.show();
        Ok(())
    }

    /// Shows the next call, if none is looked at. Where that one waits no more, the person says first that they saw it.
    fn show(&mut self) {
        let waits = |(server, call): &(PathBuf, WaitingCall)| {
            let served = self.servers.get(server);
            served.is_some_and(|served| served.waiting.contains(call))
        };
        if let Some(shown) = &self.shown {
            if waits(shown) {
                return;
            }
            self.shown = None;
            self.is_taken_back = true;
            let taken_back = "\n(it does not wait any more; Enter goes on)\n";
            self.person.terminal.show(taken_back);
        }
        if self.is_taken_back {
            return;
        }
        let all = self.servers.iter();
        let mut all = all.flat_map(|(path, served)| {
            let calls = served.waiting.iter();
            calls.map(move |call| (path.clone(), call.clone()))
        });
        let next = all.next();
        let others = all.count();
        if let Some((_, call)) = &next {
            self.person.terminal.show(&asked(call, others));
        }
        self.shown = next;
    }

    /// Does what was typed; returns false if that is to leave.
    async fn typed(&mut self, line: &str) -> bool {
        let typed = Typed::read(line);
        if std::mem::take(&mut self.is_taken_back) {
            self.show();
            return typed != Typed::Leave;
        }
        let Some((server, call)) = self.shown.take() else {
            return typed != Typed::Leave;
        };
        match typed {
            Typed::Leave => return false,
            Typed::Answer(verdict, reason) => {
                let said = AnswerMessage {
                    id: call.id.clone(),
                    digest: call.digest.clone(),
                    verdict,
                    reason,
                    by: self.person.name.clone(),
                };
                if let Some(served) = self.servers.get_mut(&server) {
                    served.waiting.retain(|other| *other != call);
                    if meeting::send(&mut served.writing, &said).await.is_err() {
                        self.person.terminal.show("that server has gone\n");
                    }
                }
                self.person.terminal.show(&match verdict {
                    SaidVerdict::Allow => format!("allowed once: {}\n", call.line),
                    SaidVerdict::Session => {
                        format!(
                            "allowed until the server ends, with any arguments: {}\n",
                            call.line
                        )
                    }
                    SaidVerdict::Deny => format!("denied: {}\n", call.line),
                });
                self.show();
            }
            Typed::Detail => {
                self.person.terminal.show(&detail(&call));
                self.shown = Some((server, call));
            }
            Typed::Unclear => {
                self.person.terminal.show(&format!("{WORDS}\n> "));
                self.shown = Some((server, call));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_word_allows() {
        assert_eq!(Typed::read("y"), Typed::Answer(SaidVerdict::Allow, None));
        assert_eq!(Typed::read("a"), Typed::Answer(SaidVerdict::Session, None));
        let no = Typed::Answer(SaidVerdict::Deny, Some("not today".into()));
        assert_eq!(Typed::read("n not today"), no);
        assert_eq!(Typed::read("diff"), Typed::Detail);
        for unclear in ["", "yes please", "ok", "j"] {
            assert_eq!(Typed::read(unclear), Typed::Unclear, "{unclear}");
        }
    }
}
