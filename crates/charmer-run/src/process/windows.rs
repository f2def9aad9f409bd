//! Job objects on Windows.
//!
//! The system ends every process of a job when the last handle to the job is closed. Only this process has one, and no
//! child inherits it: to end a job is to close it, and a server that is killed outright takes its jobs with it.
//!
//! Not covered: a process that the child starts before it has been put into its job, which happens right after its
//! start; to start it suspended would close that gap, but waking it again takes `unsafe`. Nor is a process that a system
//! service starts on the child's behalf.

use std::sync::{Mutex, PoisonError};

use tokio::process::{Child, Command};
use win32job::{ExtendedLimitInfo, Job};

/// `CREATE_NO_WINDOW`: a console of its own that nobody sees, so that it neither asks on the server's nor gets the
/// Ctrl-C that is meant for the server, and no window opens where the server has no console.
const NO_WINDOW: u32 = 0x0800_0000;

/// Separates a child that is about to start from the server's console. It joins its job once it runs; should there be
/// no job, at least the child itself ends with its supervisor.
pub(super) fn own_group(command: &mut Command) {
    command.creation_flags(NO_WINDOW).kill_on_drop(true);
}

/// There are no groups to keep: the system ends a child's job with this process.
#[derive(Debug)]
pub(super) struct GroupTable;

impl GroupTable {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    pub(super) fn to_stdio(&self) -> std::io::Result<std::process::Stdio> {
        Ok(std::process::Stdio::null())
    }

    pub(super) fn enter(&mut self, _: i32) -> Option<usize> {
        None
    }

    pub(super) fn leave(&mut self, _: usize) {}

    pub(super) fn inherited() -> Vec<i32> {
        Vec::new()
    }
}

/// Separates a command of the standard library from the server's console.
pub(super) fn own_group_std(command: &mut std::process::Command) {
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
}

/// The job of a child, to which it and what it starts belong, until it has been ended.
#[derive(Debug)]
pub(super) struct ChildGroup(Mutex<Option<Job>>);

impl ChildGroup {
    pub(super) fn of(child: &Child) -> Self {
        let job = child.raw_handle().and_then(|handle| {
            job_with(handle as isize)
                .inspect_err(|error| {
                    tracing::warn!(%error, "no job: what a child starts could outlive its call");
                })
                .ok()
        });
        Self(Mutex::new(job))
    }

    /// No guardian needs to know it: it ends with this process.
    pub(super) fn id(&self) -> Option<i32> {
        None
    }

    /// Ends every member: there is no request to end that every program would get.
    pub(super) fn terminate(&self) {
        self.kill();
    }

    /// Ends every member.
    pub(super) fn kill(&self) {
        // Dropping the job closes it.
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// A new job that ends when it is closed, with this process in it.
fn job_with(process: isize) -> std::io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits)?;
    job.assign_process(process)?;
    Ok(job)
}

/// Nothing is ended by a signal here.
pub(super) fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}

/// A guardian is told of no groups.
pub(super) fn kill_group(_: i32) {}

/// Does nothing: a process leaves a job only with the leave of whoever made it, and ours give none.
pub(super) fn kill_marked(_: &str) {}

/// Processes that have left a run's group: none, because a job object is not left.
#[derive(Debug, Default)]
pub(super) struct Strays;

impl Strays {
    pub(super) fn of(_: Option<i32>, _: Option<String>) -> Self {
        Self
    }

    pub(super) fn kill(self) {}
}

/// There is nothing to prepare: only handles that are meant for a child reach it, and it has a console of its own.
pub fn harden() -> Result<(), String> {
    Ok(())
}
