//! The shim: a process that takes its own rights away and then becomes the program that is to be read.
//!
//! It stays one process from the start to the program's end, so that ending its group ends the program. It must be
//! called before the process has started a second thread: the kernel gives a user namespace only to a process of one.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use super::{
    os,
    protection::{FILES, NETWORK, REFUSAL, REFUSED, RUN, TRY},
};

/// The shim's main. The words are those that follow [`ShimCommand`](super::ShimCommand)'s own. Comes back only if it
/// did not become a program, with the code to end with.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// // A program that is its own shim, started as `program __probe ...`.
/// fn main() -> ExitCode {
///     let mut words = std::env::args_os().skip(1);
///     if words.next().is_some_and(|word| word == "__probe") {
///         return charmer_discover::probe::shim(words);
///     }
///     ExitCode::SUCCESS
/// }
/// ```
pub fn shim(words: impl Iterator<Item = OsString>) -> ExitCode {
    match obey(words) {
        Ok(report) => {
            #[expect(clippy::print_stdout, reason = "this process exists to report")]
            {
                print!("{report}");
            }
            ExitCode::SUCCESS
        }
        Err(reason) => {
            #[expect(clippy::print_stderr, reason = "this process exists to report")]
            {
                eprintln!("{REFUSAL}{reason}");
            }
            ExitCode::from(REFUSED)
        }
    }
}

fn obey(mut words: impl Iterator<Item = OsString>) -> Result<String, String> {
    let mut word = |what: &str| words.next().ok_or_else(|| format!("{what} is missing"));
    let task = word("the task")?;
    if task == TRY {
        let room = PathBuf::from(word("the room")?);
        let network = os::leave_network().map_or_else(|reason| reason, |()| "none".into());
        let files = os::keep_to(&room).map_or_else(|reason| reason, |version| version.to_string());
        return Ok(format!("{NETWORK} {network}\n{FILES} {files}\n"));
    }
    if task != RUN {
        return Err(format!("`{}` is no task", task.to_string_lossy()));
    }
    let wanted = word("what is wanted")?;
    let room = PathBuf::from(word("the room")?);
    let program = PathBuf::from(word("the program")?);
    let argv: Vec<OsString> = words.collect();
    let wanted = wanted.to_string_lossy();
    let wanted: Vec<&str> = wanted.split('+').collect();
    if let Some(unknown) = wanted.iter().find(|what| ![NETWORK, FILES].contains(what)) {
        return Err(format!("`{unknown}` is no protection"));
    }
    // What was to be had at the trial is not silently done without now. Files come last: entering a namespace writes.
    if wanted.contains(&NETWORK) {
        os::leave_network()?;
    }
    if wanted.contains(&FILES) {
        os::keep_to(&room)?;
    }
    os::limit();
    Err(os::become_program(&program, &argv))
}
