//! The place where servers and `charmer approve` meet: a socket for each server, in a folder that is its user's alone.
//!
//! The folder belongs to Charmer's data, so that a server which a client has started and a terminal find the same one. A
//! server sends the calls that wait, whenever those are others; a terminal sends answers. Whoever connects must be the same
//! user, must have a terminal, and must not be beneath a server: what an assistant starts speaks for nobody.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
    os::unix::net::UnixStream as BlockingStream,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use charmer_run::{Approvals, TerminalAnswer, TerminalVerdict, WaitingApproval};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream, unix::OwnedReadHalf},
    sync::{Semaphore, mpsc},
};

use crate::{
    beneath::{beneath_server, has_terminal},
    sha256::sha256,
    user_folders,
};

/// The longest path of a socket, with some room.
const LONGEST: usize = 100;
/// The number of terminals that are served at once.
const MOST_TERMINALS: usize = 8;
/// The longest answer of a terminal, in bytes.
const MOST_ANSWER: u64 = 16 << 10;
/// The longest list of a server, in bytes.
pub(crate) const MOST_LIST: u64 = 16 << 20;
/// The time that a terminal may take to read what it is sent.
const WRITES: Duration = Duration::from_secs(10);

/// A message of a server to a terminal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Told {
    /// The calls that wait.
    Waiting(Vec<WaitingCall>),
    /// The word on an answer: it was in time, or not.
    Settled(bool),
    /// It does not speak with this terminal.
    Refused(String),
}

/// A call that waits, as it is sent.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct WaitingCall {
    pub(crate) id: String,
    pub(crate) digest: String,
    /// The command line that will run.
    pub(crate) summary: String,
    /// The command line alone.
    pub(crate) line: String,
    /// The title and the text of what it would change.
    pub(crate) detail: Option<(String, String)>,
}

impl From<WaitingApproval> for WaitingCall {
    fn from(waiting: WaitingApproval) -> Self {
        let shown = &waiting.shown;
        let detail = shown.detail.as_ref();
        Self {
            summary: shown.summary(),
            line: shown.run.command_line(),
            detail: detail.map(|detail| (detail.title.clone(), detail.text.clone())),
            id: waiting.id,
            digest: waiting.digest,
        }
    }
}

/// An answer of a terminal.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct AnswerMessage {
    pub(crate) id: String,
    pub(crate) digest: String,
    pub(crate) verdict: SaidVerdict,
    pub(crate) reason: Option<String>,
    /// Who answers, and where.
    pub(crate) by: String,
}

/// The decision in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SaidVerdict {
    Allow,
    Session,
    Deny,
}

impl SaidVerdict {
    pub(crate) fn verdict(self) -> TerminalVerdict {
        match self {
            Self::Allow => TerminalVerdict::Allow,
            Self::Session => TerminalVerdict::AllowForSession,
            Self::Deny => TerminalVerdict::Deny,
        }
    }
}

/// The folder of the sockets; made, if it is not there, and refused, if it is not this user's alone.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let data = user_folders::data(|name| std::env::var_os(name));
    let data = data.ok_or("there is no place for it, because HOME is not set")?;
    let mut folder = data.join("approve");
    let user = rustix::process::geteuid().as_raw();
    if folder.as_os_str().len() > LONGEST - 20 {
        // The name of a socket has a limit; both sides come to the same short one.
        let name = &sha256(folder.as_os_str().as_encoded_bytes())[..16];
        folder = PathBuf::from(format!("/tmp/charmer-{user}-{name}"));
    }
    let failed = |what: &str, error: io::Error| format!("`{}` {what}: {error}", folder.display());
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(|error| failed("cannot be made", error))?;
    let there = fs::symlink_metadata(&folder).map_err(|error| failed("cannot be read", error))?;
    if !there.is_dir() || there.uid() != user {
        return Err(format!(
            "`{}` is not a folder of this user",
            folder.display()
        ));
    }
    if there.mode() & 0o077 != 0 {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))
            .map_err(|error| failed("cannot be made private", error))?;
    }
    Ok(folder)
}

/// The sockets of servers, with their processes. What a server that was killed has left is removed.
pub(crate) fn sockets(folder: &Path) -> Vec<(PathBuf, u32)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sockets = entries.filter_map(|entry| {
        let path = entry.path();
        let is_socket = entry.file_type().ok()?.is_socket();
        let process = path.file_stem()?.to_str()?.parse().ok()?;
        is_socket.then_some((path, process))
    });
    let is_there = |(path, _): &(PathBuf, u32)| match BlockingStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // Somebody else may have removed it.
            let _ = fs::remove_file(path);
            false
        }
        _ => true,
    };
    sockets.filter(is_there).collect()
}

/// A server's socket, until it is dropped.
pub(crate) struct MeetingPlace {
    path: PathBuf,
}

impl Drop for MeetingPlace {
    fn drop(&mut self) {
        // Whatever is left is swept by the next who comes.
        let _ = fs::remove_file(&self.path);
    }
}

/// Lets terminals come to a server, on a thread of their own.
pub(crate) fn open(approvals: &Approvals) -> Result<MeetingPlace, String> {
    let folder = folder()?;
    sockets(&folder);
    let path = folder.join(format!("{}.sock", std::process::id()));
    // The process that had this number before has gone.
    let _ = fs::remove_file(&path);
    let failed = |error: io::Error| format!("`{}` cannot be listened on: {error}", path.display());
    let listener = std::os::unix::net::UnixListener::bind(&path).map_err(failed)?;
    let place = MeetingPlace { path: path.clone() };
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    let approvals = approvals.clone();
    approvals.has_terminal();
    std::thread::Builder::new()
        .name("charmer-approve".into())
        .spawn(move || {
            runtime.block_on(async {
                if let Ok(listener) = UnixListener::from_std(listener) {
                    listen(listener, approvals, folder).await;
                }
            });
        })
        .map_err(failed)?;
    Ok(place)
}

async fn listen(listener: UnixListener, approvals: Approvals, folder: PathBuf) {
    let places = Arc::new(Semaphore::new(MOST_TERMINALS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // One too many is closed without a word.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            continue;
        };
        let (approvals, folder) = (approvals.clone(), folder.clone());
        tokio::spawn(async move {
            let _place = place;
            // A terminal that has gone wants nothing more.
            let _ = speak(stream, &approvals, &folder).await;
        });
    }
}

/// Speaks with one terminal until it goes.
async fn speak(stream: UnixStream, approvals: &Approvals, folder: &Path) -> io::Result<()> {
    let peer = stream.peer_cred()?;
    let refusal = refusal(peer.uid(), peer.pid(), folder);
    let (reading, mut writing) = stream.into_split();
    if let Some(why) = refusal {
        return send(&mut writing, &Told::Refused(why)).await;
    }
    let who = match peer.pid() {
        Some(process) => format!("uid {}, process {process}", peer.uid()),
        None => format!("uid {}", peer.uid()),
    };
    let mut reading = BufReader::new(reading);
    // Whoever only looks whether somebody is here says nothing; that is no person at a terminal yet.
    match receive::<Hello>(&mut reading, MOST_ANSWER).await? {
        Some(Hello::Look) => {}
        None => return Ok(()),
    }
    let mut terminal = approvals.attach();
    // Apart, because a line that is half read must not be lost when something else happens.
    let (heard, mut said) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Ok(Some(one)) = receive::<AnswerMessage>(&mut reading, MOST_ANSWER).await {
            if heard.send(one).await.is_err() {
                return;
            }
        }
    });
    loop {
        let waiting = approvals.waiting().into_iter().map(Into::into);
        send(&mut writing, &Told::Waiting(fitting(waiting))).await?;
        tokio::select! {
            () = terminal.changed() => {}
            said = said.recv() => {
                let Some(said) = said else { return Ok(()) };
                let by = format!("{} ({who})", said.by);
                let answer = TerminalAnswer::new(said.verdict.verdict(), by).reason(said.reason);
                let settled = approvals.settle(&said.id, &said.digest, answer);
                send(&mut writing, &Told::Settled(settled)).await?;
            }
        }
    }
}

/// The first of the calls that wait, as many as a terminal takes at once; the others come when these are decided. One that
/// is too long by itself is nothing that a person reads.
fn fitting(waiting: impl Iterator<Item = WaitingCall>) -> Vec<WaitingCall> {
    let most = MOST_LIST / 2;
    let size = |call: &WaitingCall| {
        let line = serde_json::to_vec(call);
        line.map_or(u64::MAX, |line| line.len() as u64)
    };
    let sized = waiting.map(|call| (size(&call), call));
    let mut all = 0;
    sized
        .filter(|(size, _)| *size <= most)
        .take_while(|(size, _)| {
            all += size;
            all <= most
        })
        .map(|(_, call)| call)
        .collect()
}

/// The first word of a terminal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hello {
    /// Somebody looks at it.
    Look,
}

/// Returns why a process may not speak for a person.
fn refusal(user: u32, process: Option<i32>, folder: &Path) -> Option<String> {
    if user != rustix::process::geteuid().as_raw() {
        return Some("it is another user's".into());
    }
    let Some(process) = process.and_then(|id| u32::try_from(id).ok()) else {
        // The system does not say which process it is.
        return None;
    };
    if !has_terminal(process) {
        return Some("it has no terminal".into());
    }
    let mut servers: Vec<u32> = vec![std::process::id()];
    servers.extend(numbers(folder));
    beneath_server(process, &servers)
}

/// The processes of servers, by the names of their sockets.
pub(crate) fn numbers(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.path().file_stem()?.to_str()?.parse().ok());
    numbers.collect()
}

/// Sends one line.
pub(crate) async fn send<W, T>(writing: &mut W, message: &T) -> io::Result<()>
where
    W: tokio::io::AsyncWrite + Unpin,
    T: Serialize,
{
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    tokio::time::timeout(WRITES, writing.write_all(&line)).await?
}

/// The next line; none at the end. One that is too long ends it, too.
pub(crate) async fn receive<T: for<'de> Deserialize<'de>>(
    reading: &mut BufReader<OwnedReadHalf>,
    most: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    let read = reading.take(most).read_until(b'\n', &mut line).await?;
    if read == 0 {
        return Ok(None);
    }
    match line.last() {
        Some(b'\n') => Ok(Some(serde_json::from_slice(&line)?)),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a line is too long",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_long_the_calls_are_that_wait_a_terminal_gets_the_first() {
        let call = |id: usize, length: usize| WaitingCall {
            id: id.to_string(),
            digest: String::new(),
            summary: "\"".repeat(length),
            line: String::new(),
            detail: None,
        };
        let lengths = [9 << 20, 10, 1 << 20, 1 << 20, 1 << 20, 3 << 20, 10];
        let calls = lengths.into_iter().enumerate();
        let sent = fitting(calls.map(|(id, length)| call(id, length)));
        let ids: Vec<&str> = sent.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["1", "2", "3", "4"]);
        let line = serde_json::to_vec(&Told::Waiting(sent)).expect("JSON");
        assert!((line.len() as u64) < MOST_LIST);
    }
}
