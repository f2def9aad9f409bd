//! Running one program: an absolute path, an argv that is a list, a decided environment, null standard input, a
//! process group of its own, and a supervisor that outlives whoever waits for it.

mod capture;
mod diagnose;
mod environment;
mod supervise;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
#[path = "other.rs"]
mod unix;

pub use capture::Captured;
pub use diagnose::resolve_program;
pub use environment::Environment;
pub use supervise::Supervisors;

use std::{ffi::OsString, path::PathBuf, process::Stdio, sync::Arc};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::{CallError, ErrorCode, Limits, Outcome};

/// What is run for one call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The command line, without the program.
    pub argv: Vec<OsString>,
    /// How long and large the run may become.
    pub limits: Limits,
}

impl Request {
    /// A run with this command line.
    pub fn new(argv: Vec<OsString>, limits: Limits) -> Self {
        Self { argv, limits }
    }
}

/// Starts one program, always in the same way.
#[derive(Debug, Clone)]
pub struct Launcher(Arc<Launch>);

#[derive(Debug)]
struct Launch {
    program: PathBuf,
    environment: Environment,
    directory: Option<PathBuf>,
    supervisors: Supervisors,
}

impl Launcher {
    /// Starts the program at this absolute path; see [`resolve_program`].
    pub fn new(
        program: PathBuf,
        environment: Environment,
        directory: Option<PathBuf>,
        supervisors: Supervisors,
    ) -> Self {
        Self(Arc::new(Launch {
            program,
            environment,
            directory,
            supervisors,
        }))
    }

    /// Runs the program to its end. Dropping the future cancels the run; the supervisor still ends the program and
    /// collects it.
    pub async fn run(
        &self,
        request: Request,
        cancel: CancellationToken,
    ) -> Result<Outcome, CallError> {
        // A token of our own, so that dropping this future says "cancel" without cancelling anybody else.
        let cancel = cancel.child_token();
        let _cancels_when_dropped = cancel.clone().drop_guard();
        let child = self.start(&request).map_err(|error| {
            diagnose::start_error(&error, &self.0.program, self.0.directory.as_deref())
        })?;
        let (answer, outcome) = oneshot::channel();
        self.0
            .supervisors
            .supervise(child, request.limits, cancel, answer);
        outcome.await.map_err(|_| {
            CallError::new(
                ErrorCode::Internal,
                "the supervisor of this run ended without an answer",
            )
        })
    }

    fn start(&self, request: &Request) -> std::io::Result<tokio::process::Child> {
        let launch = &*self.0;
        let mut command = tokio::process::Command::new(&launch.program);
        command
            .args(&request.argv)
            .env_clear()
            .envs(launch.environment.iter())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &launch.directory {
            command.current_dir(directory);
        }
        unix::own_group(&mut command);
        command.spawn()
    }
}
