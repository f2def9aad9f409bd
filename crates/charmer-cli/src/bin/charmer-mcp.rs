//! `charmer` under the name of the packages that bring it.
//!
//! `uvx NAME` and `pipx run NAME` start the program that is called as the package is, and the package cannot be called
//! `charmer`: on PyPI that name is somebody else's. So a wheel holds two programs: `charmer`, and this one, which becomes the
//! `charmer` beside it. The whole program a second time would double what people download.

use std::{
    env,
    ffi::OsStr,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

fn main() -> ExitCode {
    let Some(charmer) = beside() else {
        return fail(
            "there is no `charmer` beside charmer-mcp; install the package charmer-mcp again",
        );
    };
    // Not through charmer-run: this is no call of an assistant's, and linking the engine would make the door as large as the
    // house.
    let mut command = Command::new(&charmer);
    command.args(env::args_os().skip(1));
    let error = become_it(&mut command);
    fail(&format!(
        "{} could not be started: {error}",
        charmer.display()
    ))
}

/// The program in the folder of this one, or in the folder of the file that this one is a link to.
fn beside() -> Option<PathBuf> {
    let own = env::current_exe().ok()?;
    let real = own.canonicalize().ok();
    [Some(own), real]
        .into_iter()
        .flatten()
        .map(|path| sibling(&path))
        .find(|path| path.is_file())
}

fn sibling(path: &Path) -> PathBuf {
    let name = format!("charmer{}", env::consts::EXE_SUFFIX);
    path.with_file_name(OsStr::new(&name))
}

/// The same process goes on as the other program: its signals, its streams and its exit code are that program's.
#[cfg(unix)]
fn become_it(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Elsewhere a process cannot become another one: this one waits, and ends as the other one did.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

fn fail(message: &str) -> ExitCode {
    // Where the message cannot be written, the exit code still says it.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(2)
}
