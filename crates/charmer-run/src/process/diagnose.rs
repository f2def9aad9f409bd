//! Which of program, interpreter or directory is to blame when a program does not start.
//!
//! The operating system says only "no such file or directory" for all three.

use std::{
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

use crate::{CallError, ErrorCode};

/// Finds a program: a name with a slash against `directory`, any other on the given search path. The result is
/// absolute, so that later changes of the search path or the working directory change nothing.
pub fn resolve_program(
    name: &Path,
    search_path: &[PathBuf],
    directory: &Path,
) -> Result<PathBuf, CallError> {
    let not_found = |detail: String| {
        Err(CallError::new(
            ErrorCode::NotStarted,
            format!("program `{}` {detail}", name.display()),
        ))
    };
    if name.components().count() > 1 || name.is_absolute() {
        let path = directory.join(name);
        return if path.is_file() {
            Ok(path)
        } else {
            not_found("does not exist".into())
        };
    }
    // A relative entry would be looked up wherever the server happens to stand.
    let found = search_path
        .iter()
        .filter(|entry| entry.is_absolute())
        .map(|entry| entry.join(name));
    match found.into_iter().find(|path| is_executable(path)) {
        Some(path) => Ok(path),
        None => not_found("is not on the search path".into()),
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// The error of a program that did not start, with the culprit named.
pub(super) fn start_error(
    error: &io::Error,
    program: &Path,
    directory: Option<&Path>,
) -> CallError {
    let failed = |message: String| CallError::new(ErrorCode::NotStarted, message);
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let what = if directory.exists() {
            "is not a directory"
        } else {
            "does not exist"
        };
        return failed(format!(
            "the working directory `{}` {what}",
            directory.display()
        ))
        .hint("create it, or set another one");
    }
    let program_name = program.display();
    match error.kind() {
        ErrorKind::NotFound if !program.exists() => failed(format!(
            "the program `{program_name}` does not exist any more"
        ))
        .hint("install it, then start the server again"),
        ErrorKind::NotFound => match interpreter(program) {
            Some(interpreter) => failed(format!(
                "`{program_name}` needs `{interpreter}`, which does not exist"
            )),
            None => failed(format!("`{program_name}` cannot be started: {error}")),
        },
        ErrorKind::PermissionDenied if program.is_dir() => {
            failed(format!("`{program_name}` is a directory, not a program"))
        }
        ErrorKind::PermissionDenied if program.exists() && !is_executable(program) => {
            failed(format!("`{program_name}` is not executable"))
                .hint("give it the permission, as with `chmod +x`")
        }
        ErrorKind::PermissionDenied => failed(format!(
            "`{program_name}` or the working directory may not be used: {error}"
        ))
        .hint("check their permissions"),
        ErrorKind::ArgumentListTooLong => {
            failed("the arguments are longer than the system allows".into())
                .hint("pass less, or pass a file")
        }
        // The system is out of processes or memory for the moment.
        ErrorKind::WouldBlock | ErrorKind::OutOfMemory => {
            failed(format!("`{program_name}` cannot be started now: {error}"))
                .hint("wait for running calls to end, then try again")
        }
        _ => failed(format!("`{program_name}` cannot be started: {error}")),
    }
}

/// The interpreter that a script names in its first line.
fn interpreter(program: &Path) -> Option<String> {
    let mut start = [0; 256];
    let length = std::fs::File::open(program).ok()?.read(&mut start).ok()?;
    let line = start[..length]
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    Some(
        String::from_utf8_lossy(line)
            .split_whitespace()
            .next()?
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 66, the half that root cannot provoke: no process to be had (`EAGAIN`) is a matter of trying again.
    #[test]
    fn a_system_without_processes_is_tried_again_later() {
        let error = io::Error::from(ErrorKind::WouldBlock);
        let told = start_error(&error, Path::new("/bin/true"), None);
        assert_eq!(told.code, ErrorCode::NotStarted);
        assert!(told.message.contains("cannot be started now"), "{told}");
        assert!(told.hint.is_some_and(|hint| hint.contains("try again")));
    }
}
