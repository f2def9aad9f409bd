//! A process that serves this one over its standard streams, for as long as its standard input stays open.

use std::{
    ffi::OsString,
    io,
    path::Path,
    process::{Child, Command, Stdio},
};

/// Starts one, with all three streams as pipes, in this directory and with no environment at all. However this process
/// ends, the companion's standard input closes, which is its sign to end as well. It should begin with
/// [`harden`](super::harden), so that a Ctrl-C that is meant for this process is not its own.
///
/// ```
/// # #[cfg(unix)] {
/// use std::io::{Read, Write};
/// let mut cat = charmer_run::process::start_companion("/bin/cat".as_ref(), &[], "/".as_ref())?;
/// cat.stdin.take().expect("piped").write_all(b"hello")?;
/// let mut said = String::new();
/// cat.stdout.take().expect("piped").read_to_string(&mut said)?;
/// assert!(said == "hello" && cat.wait()?.success());
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn start_companion(program: &Path, args: &[OsString], directory: &Path) -> io::Result<Child> {
    Command::new(program)
        .args(args)
        .env_clear()
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
