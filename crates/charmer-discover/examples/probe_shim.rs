//! The sandbox's warden as a program of its own, for tests: `probe_shim WORDS...`.

use std::process::ExitCode;

fn main() -> ExitCode {
    charmer_discover::probe::shim(std::env::args_os().skip(1))
}
