//! Taking the process's standard input and output for the protocol alone, on Unix.

use std::{
    fs::{File, OpenOptions},
    io,
};

use rustix::{
    io::{fcntl_dupfd_cloexec, ioctl_fionbio},
    stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout},
};

/// The first descriptor that is not one of the three standard ones.
const PAST_STDERR: i32 = 3;

/// The real standard input and output. From here on descriptor 0 is /dev/null and descriptor 1 is
/// standard error, so that a stray `println!` in the host program cannot break the protocol and a
/// child that inherits its standard input cannot eat it.
pub(super) fn claim() -> io::Result<(File, File)> {
    let input = fcntl_dupfd_cloexec(stdin(), PAST_STDERR)?;
    let output = fcntl_dupfd_cloexec(stdout(), PAST_STDERR)?;
    for end in [&input, &output] {
        // Some parents hand over their own non-blocking descriptors; the threads want to block.
        if let Err(error) = ioctl_fionbio(end, false) {
            tracing::debug!(%error, "could not make a standard stream blocking");
        }
    }
    let null = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    dup2_stdin(&null)?;
    if dup2_stdout(stderr()).is_err() {
        // Started without a standard error.
        dup2_stdout(&null)?;
    }
    Ok((input.into(), output.into()))
}
