//! The confined process of the sandbox as a program of its own, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    charmer_sandbox::run_confined()
}
