//! Standard input and output on Unix: taken for the protocol alone, and written to without waiting where that is possible.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::FileTypeExt,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{fcntl_dupfd_cloexec, ioctl_fionbio},
    pipe::PIPE_BUF,
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

/// Returns whether these are the means by which programs talk to each other. Of them alone poll(2) says what does not
/// wait: a file is always ready, and a terminal takes what it likes.
fn is_pipe_or_socket(file: &File) -> bool {
    let kind = file.metadata().map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}

/// An output that takes a short line at once, unless its reader is behind.
///
/// The descriptor stays a blocking one, because its flags are shared with whoever else has it. A pipe that is writable
/// has room for `PIPE_BUF` bytes, and a socket for more than that.
pub(super) struct ShortWrites(File);

impl ShortWrites {
    /// `None` where a write may have to wait although the system says that it need not.
    pub(super) fn new(output: &File) -> Option<Self> {
        let output = is_pipe_or_socket(output).then(|| output.try_clone());
        output?.ok().map(Self)
    }

    /// Writes what can be written without waiting, and returns how much that is. A failure is nothing written: whoever
    /// writes the rest is going to see it.
    pub(super) fn write(&self, line: &[u8]) -> usize {
        if line.len() > PIPE_BUF || !is_ready(&self.0, PollFlags::OUT) {
            return 0;
        }
        (&self.0).write(line).unwrap_or(0)
    }
}

/// Returns whether a file is ready at this moment, and for nothing but this: an end or an error is not.
fn is_ready(file: &File, wanted: PollFlags) -> bool {
    let mut polled = [PollFd::new(file, wanted)];
    let at_once = Timespec::default();
    matches!(poll(&mut polled, Some(&at_once)), Ok(1)) && polled[0].revents() == wanted
}
