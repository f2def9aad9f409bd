//! Systems that have no sandbox for probes yet: the shim refuses, and is never started.

use std::{ffi::OsString, path::Path};

const NO_SANDBOX: &str = "there is no sandbox for this system yet";

pub(super) fn leave_network() -> Result<(), String> {
    Err(NO_SANDBOX.into())
}

pub(super) fn keep_to(_: &Path) -> Result<u32, String> {
    Err(NO_SANDBOX.into())
}

pub(super) fn limit() {}

pub(super) fn become_program(_: &Path, _: &[OsString]) -> String {
    NO_SANDBOX.into()
}
