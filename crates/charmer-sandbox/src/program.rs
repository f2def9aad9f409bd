//! Things that are started: the confined process, and the programs in it.

use std::{ffi::OsString, io, path::PathBuf, process::ExitStatus};

use serde::{Deserialize, Serialize};

use crate::word;

/// The way the confined process is started: a program that calls [`run_confined`](crate::run_confined) before it does
/// anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCommand {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// A program to start in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The program, as an absolute path.
    #[serde(with = "word")]
    pub program: PathBuf,
    /// The command line, without the program.
    #[serde(with = "word::list")]
    pub argv: Vec<OsString>,
    /// All variables that it sees.
    #[serde(with = "word::pairs")]
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it works in, as an absolute path.
    #[serde(with = "word")]
    pub folder: PathBuf,
    /// The device and the number of that folder, if it must be this one still when the program starts.
    pub folder_id: Option<(u64, u64)>,
}

/// The ends of pipes (or files) that a program gets as its standard streams.
#[derive(Debug)]
pub struct Streams {
    /// Its standard input.
    pub stdin: Descriptor,
    /// Its standard output.
    pub stdout: Descriptor,
    /// Its standard error.
    pub stderr: Descriptor,
}

#[cfg(unix)]
type Descriptor = std::os::fd::OwnedFd;
#[cfg(windows)]
type Descriptor = std::os::windows::io::OwnedHandle;

/// Is called once, when a program has ended or it is known that it never will be heard of. It must not block: the
/// programs of one sandbox share the thread that it is called on.
pub type OnEnd = Box<dyn FnOnce(Result<ExitStatus, Failure>) + Send>;

/// Is called once, when everything in a sandbox is gone. It must not block either.
pub type OnClear = Box<dyn FnOnce(bool) + Send>;

/// The reason why nothing is known of a program's end.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    NotStarted(io::Error),
    /// The confined process is gone, in a sentence. The program was perhaps never started.
    Lost(&'static str),
}
