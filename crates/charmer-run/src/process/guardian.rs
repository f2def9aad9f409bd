//! The guardian: a small process that ends a server's children when the server is killed outright.
//!
//! The server keeps the process groups that run in a table that both can see, so that a call costs a write to memory and
//! wakes nobody. However the server ends, the pipe to the guardian's standard input closes; then the guardian reads the
//! table, ends the groups that are left, and sweeps for processes that carry the server's mark in their environment but
//! left their group (`setsid`). A guardian that has died is replaced before the next call; the table outlives it.
//!
//! Not covered: a guardian that is killed together with the server, and a process that has both left its group and changed
//! its environment. The sweep needs procfs, so outside of Linux only the groups are ended. On Windows the system ends the
//! children with the server, and the guardian only removes the server's folder.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::Spool;

use super::{
    MODE,
    os::{self, GroupTable},
};

/// The way a guardian is started: a program that calls [`guard`] with the mark.
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
    state: Mutex<GuardianState>,
}

#[derive(Debug, Default)]
struct GuardianState {
    table: Option<GroupTable>,
    /// Its standard input is held open by this.
    running: Option<Child>,
}

/// A group that the guardian would end.
#[derive(Debug)]
#[must_use]
pub(super) struct WatchedGroup(usize);

impl Guardian {
    pub(super) fn new(command: GuardianCommand) -> Self {
        Self {
            command,
            state: Mutex::default(),
        }
    }

    /// Starts the guardian if none runs: because it is the first call, or because it has died.
    pub(super) fn wake(&self) {
        let mut state = self.lock();
        let running = state.running.as_mut();
        if running.is_some_and(|child| matches!(child.try_wait(), Ok(None))) {
            return;
        }
        // If that fails it is tried again with the next child: what is short now may not be then.
        if let Err(error) = self.start(&mut state) {
            tracing::warn!(%error, "no guardian: children would survive a kill of this server");
        }
    }

    /// Enters a group that has begun.
    pub(super) fn watch(&self, group: i32) -> Option<WatchedGroup> {
        self.lock().table.as_mut()?.enter(group).map(WatchedGroup)
    }

    /// Takes back a group that has ended.
    pub(super) fn release(&self, watched: WatchedGroup) {
        if let Some(table) = &mut self.lock().table {
            table.leave(watched.0);
        }
    }

    fn start(&self, state: &mut GuardianState) -> io::Result<()> {
        state.running = None;
        if state.table.is_none() {
            state.table = Some(GroupTable::new()?);
        }
        let table = state.table.as_ref().expect("it was made just now");
        let mut command = Command::new(&self.command.program);
        command
            .args(&self.command.args)
            .stdin(Stdio::piped())
            // The way to hand over a descriptor without `unsafe`; nothing is printed to it.
            .stdout(table.to_stdio()?)
            .stderr(Stdio::null());
        // It is no server, whatever the environment says.
        command.env_remove(MODE);
        // Signals for the server's group, such as Ctrl-C, are not for it.
        os::own_group_std(&mut command);
        state.running = Some(command.spawn()?);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, GuardianState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The guardian itself: waits until its standard input closes, then ends the groups in the table that it has as its
/// standard output, and whoever carries the mark. To be called from a process of its own.
pub fn guard(mark: &str, spool: Option<&Path>) {
    // Nothing is ever written to it. A read that fails is an end, too.
    let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
    for group in GroupTable::inherited() {
        os::kill_group(group);
    }
    os::kill_marked(mark);
    if let Some(folder) = spool {
        crate::spool::remove_folder(folder);
    }
}
