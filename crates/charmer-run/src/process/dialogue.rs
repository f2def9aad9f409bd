//! A program that is spoken with line by line, as a client speaks with a server: started as it is told, heard within
//! bounds, and ended with everything in its group.
//!
//! This is for programs that are tried, not for calls: those are run by a [`Launcher`](super::Launcher).

use std::{
    ffi::OsString,
    io,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use crate::{CallError, Ended};

use super::{
    Environment, diagnose,
    os::{self, ChildGroup},
    running::ended,
};

/// The maximum size of a line, in bytes: the list of the largest programs is a tenth of it.
const LONGEST_LINE: usize = 16 << 20;
/// The amount that is kept of what it complains of: its last words are those that tell why it ended.
const COMPLAINTS: usize = 16 << 10;
/// The longest time that it may take to end after it was asked to, before it is ended by force.
const GRACE: Duration = Duration::from_secs(2);
/// The longest time that what it complained of may still be on its way when it has ended: a descendant may hold the
/// pipe open for ever.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// See the module's documentation. Dropping it ends the program's group at once.
#[derive(Debug)]
pub struct Dialogue {
    child: Child,
    /// The group, until the program has ended and its number may be somebody else's.
    group: Option<ChildGroup>,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// The bytes read behind the last line.
    rest: Vec<u8>,
    /// The number of its bytes that are known to hold no end of a line.
    searched: usize,
    complaints: Arc<Mutex<Vec<u8>>>,
    listening: tokio::task::JoinHandle<()>,
}

/// A line that came from the program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeardLine {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that is longer than anybody wants to read; nothing can be heard after it.
    TooLong,
    /// It has closed its output.
    Nothing,
}

impl Dialogue {
    /// Starts the program at this absolute path, in this folder, with these variables and no others. Needs an async
    /// runtime.
    pub fn start(
        program: &Path,
        argv: &[OsString],
        environment: &Environment,
        folder: &Path,
    ) -> Result<Self, CallError> {
        let mut command = Command::new(program);
        command
            .args(argv)
            .env_clear()
            .envs(environment.iter())
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        os::own_group(&mut command);
        let mut child = command
            .spawn()
            .map_err(|error| diagnose::start_error(&error, program, Some(folder)))?;
        let complaints = Arc::default();
        let stderr = child.stderr.take().expect("it is piped");
        let listening = tokio::spawn(listen(stderr, Arc::clone(&complaints)));
        Ok(Self {
            group: Some(ChildGroup::of(&child)),
            stdin: child.stdin.take(),
            stdout: child.stdout.take().expect("it is piped"),
            child,
            rest: Vec::new(),
            searched: 0,
            complaints,
            listening,
        })
    }

    /// Says a line. A program that does not read makes this wait.
    pub async fn say(&mut self, line: &str) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(format!("{line}\n").as_bytes()).await?;
        stdin.flush().await
    }

    /// Waits for the next line. Nothing is lost where this is given up.
    pub async fn next_line(&mut self) -> HeardLine {
        loop {
            let found = self.rest[self.searched..].iter().position(|&b| b == b'\n');
            if let Some(at) = found {
                let rest = self.rest.split_off(self.searched + at + 1);
                let mut line = std::mem::replace(&mut self.rest, rest);
                self.searched = 0;
                line.pop();
                return HeardLine::Line(line);
            }
            self.searched = self.rest.len();
            if self.rest.len() > LONGEST_LINE {
                return HeardLine::TooLong;
            }
            match self.stdout.read_buf(&mut self.rest).await {
                Ok(0) | Err(_) if self.rest.is_empty() => return HeardLine::Nothing,
                Ok(0) | Err(_) => {
                    self.searched = 0;
                    return HeardLine::Line(std::mem::take(&mut self.rest));
                }
                Ok(_) => {}
            }
        }
    }

    /// Closes its input, which tells a server that its client has gone.
    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end, and ends what it leaves behind in its group. What it says meanwhile is not kept: a full pipe
    /// must not keep it from ending.
    pub async fn ended(&mut self) -> Ended {
        let mut unheard = Vec::new();
        let mut open = true;
        let status = loop {
            unheard.clear();
            tokio::select! {
                status = self.child.wait() => break status,
                read = self.stdout.read_buf(&mut unheard), if open => open = read.is_ok_and(|count| count > 0),
            }
        };
        if let Some(group) = self.group.take() {
            group.kill();
        }
        if !self.listening.is_finished() {
            let _ = tokio::time::timeout(LAST_WORDS, &mut self.listening).await;
        }
        status.map_or(Ended::Exited(-1), ended)
    }

    /// Ends it: its input is closed, it is asked to end, and ended by force if it does not.
    pub async fn end(mut self) {
        self.hang_up();
        if let Some(group) = &self.group {
            group.terminate();
        }
        if tokio::time::timeout(GRACE, self.ended()).await.is_err() {
            if let Some(group) = &self.group {
                group.kill();
            }
            let _ = self.child.start_kill();
            let _ = tokio::time::timeout(GRACE, self.ended()).await;
        }
    }

    /// The last of what it wrote to standard error so far, in whole lines: a part of one may begin within a secret that
    /// nobody would recognise by its end.
    pub fn complaints(&self) -> String {
        let kept = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_cut = kept.len() >= COMPLAINTS;
        let begin = match kept.iter().position(|&byte| byte == b'\n') {
            Some(end) if is_cut => end + 1,
            None if is_cut => kept.len(),
            _ => 0,
        };
        String::from_utf8_lossy(&kept[begin..]).into_owned()
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        self.listening.abort();
    }
}

async fn listen(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut piece = vec![0; 4 << 10];
    while let Ok(count @ 1..) = stderr.read(&mut piece).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&piece[..count]);
        let excess = kept.len().saturating_sub(COMPLAINTS);
        kept.drain(..excess);
    }
}
