//! What is left to do when a server is killed outright: a small process of its own that ends the server's children.
//!
//! The server writes the process groups that run to the guardian's standard input, and takes them back when they have
//! ended. However the server ends, that pipe closes; then the guardian ends the groups that are left, and sweeps for
//! processes that carry the server's mark in their environment but left their group (`setsid`).
//!
//! Not covered: a guardian that is killed as well, and a process that has both left its group and changed its
//! environment. The sweep needs procfs, so outside of Linux only the groups are ended. On Windows the system ends the
//! children with the server, and the guardian only removes the server's folder.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{BufRead, Write},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use crate::Spool;

use super::{MODE, os};

/// How a guardian is started: a program that calls [`guard`] with the mark and its standard input.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GuardianCommand {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

impl GuardianCommand {
    /// A guardian that is started like this.
    pub fn new<A: Into<OsString>>(program: PathBuf, args: impl IntoIterator<Item = A>) -> Self {
        Self {
            program,
            args: args.into_iter().map(Into::into).collect(),
        }
    }

    /// The guardian of a server with this mark and spool: a program that, after these words, takes the mark and the
    /// spool's folder and calls [`guard`] with them.
    pub fn of_server<A: Into<OsString>>(
        program: PathBuf,
        words: impl IntoIterator<Item = A>,
        mark: &str,
        spool: Option<&Spool>,
    ) -> Self {
        let words = words.into_iter().map(Into::into);
        let folder = spool.map(|spool| spool.folder().into());
        Self::new(program, words.chain([mark.into()]).chain(folder))
    }
}

/// A new mark, which tells this server's children from those of others.
pub fn new_mark() -> String {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}-{:x}", std::process::id(), since.as_nanos())
}

/// The server's side of its guardian, which starts with the first child.
#[derive(Debug)]
pub(super) struct Guardian {
    command: GuardianCommand,
    pipe: Mutex<Pipe>,
}

#[derive(Debug)]
enum Pipe {
    NotYet,
    To(ChildStdin),
    /// It is gone. Calls go on: a server that is not killed needs no guardian.
    Lost,
}

impl Guardian {
    pub(super) fn new(command: GuardianCommand) -> Self {
        Self {
            command,
            pipe: Mutex::new(Pipe::NotYet),
        }
    }

    /// Starts the guardian if it does not run yet.
    pub(super) fn wake(&self) {
        self.tell("");
    }

    /// A group has begun.
    pub(super) fn watch(&self, group: i32) {
        self.tell(&format!("+{group}\n"));
    }

    /// A group has ended.
    pub(super) fn release(&self, group: i32) {
        self.tell(&format!("-{group}\n"));
    }

    fn tell(&self, line: &str) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*pipe, Pipe::NotYet) {
            match self.start() {
                Ok(stdin) => *pipe = Pipe::To(stdin),
                // It is tried again with the next child: what is short now may not be then.
                Err(error) => {
                    tracing::warn!(%error, "no guardian: children would survive a kill of this server");
                    return;
                }
            }
        }
        if let Pipe::To(stdin) = &mut *pipe
            && stdin.write_all(line.as_bytes()).is_err()
        {
            tracing::warn!("the guardian is gone: children would survive a kill of this server");
            *pipe = Pipe::Lost;
        }
    }

    fn start(&self) -> std::io::Result<ChildStdin> {
        let mut command = Command::new(&self.command.program);
        command
            .args(&self.command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // It is no server, whatever the environment says.
        command.env_remove(MODE);
        // Signals for the server's group, such as Ctrl-C, are not for it.
        os::own_group_std(&mut command);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("it was piped");
        // It is waited for, so that it does not stay a zombie should it end before the server.
        std::thread::Builder::new()
            .name("charmer-guardian".into())
            .spawn(move || child.wait())?;
        Ok(stdin)
    }
}

/// The guardian itself: reads until the pipe closes, then ends what is left. To be called from a process of its own.
pub fn guard(mark: &str, spool: Option<&Path>, input: impl BufRead) {
    let mut groups = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        match line.split_at_checked(1) {
            Some(("+", group)) => drop(group.parse().map(|group: i32| groups.insert(group))),
            Some(("-", group)) => drop(group.parse().map(|group: i32| groups.remove(&group))),
            _ => {}
        }
    }
    for group in groups {
        os::kill_group(group);
    }
    os::kill_marked(mark);
    if let Some(folder) = spool {
        crate::spool::remove_folder(folder);
    }
}
