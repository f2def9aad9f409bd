//! Systems that have no sandbox for probes yet: the shim has nothing to give, and is never started.

use std::{io, path::Path};

use tokio::process::{ChildStdin, ChildStdout};

const NO_SANDBOX: &str = "there is no sandbox for this system yet";

pub(super) fn leave_network() -> Result<(), String> {
    Err(NO_SANDBOX.into())
}

pub(super) fn keep_to(_: &Path) -> Result<u32, String> {
    Err(NO_SANDBOX.into())
}

pub(super) fn limit() {}

pub(super) fn hide() {}

pub(super) fn streams() -> io::Result<(ChildStdout, ChildStdin)> {
    Err(io::Error::new(io::ErrorKind::Unsupported, NO_SANDBOX))
}
