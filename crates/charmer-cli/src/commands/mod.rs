//! The commands of `charmer`, a file each.

pub(crate) mod call;
mod call_input;
pub(crate) mod client_entry;
pub(crate) mod inspect;
mod inspect_json;
pub(crate) mod pages;
pub(crate) mod serve;
pub(crate) mod tools;

use std::{ffi::OsString, process::ExitCode};

use crate::{output, problem::Problem};

/// The hidden subcommand `__probe`: the process takes its own rights away and becomes the program that is read.
pub(crate) fn probe(_: impl Iterator<Item = OsString>) -> ExitCode {
    output::fail(&Problem::failed("this build has no sandbox for probes"));
    ExitCode::FAILURE
}
