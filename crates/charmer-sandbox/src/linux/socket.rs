//! Lines over a Unix socket, with descriptors that travel along.

use std::{
    collections::VecDeque,
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    io::{Errno, retry_on_intr},
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
};

/// The number of descriptors that travel with one message.
pub(super) const DESCRIPTORS: usize = 3;

const CHUNK: usize = 16 << 10;

/// Sends bytes, as many as there is room for, and with the first of them these descriptors. Returns how many were sent.
pub(super) fn send(
    socket: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
    flags: SendFlags,
) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Errno::INVAL);
    }
    // A reader that is gone is an error like others, not a signal.
    let flags = flags | SendFlags::NOSIGNAL;
    retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(bytes)], &mut control, flags))
}

/// Sends all of it, waiting for room.
pub(super) fn send_all(
    socket: impl AsFd,
    mut bytes: &[u8],
    mut descriptors: &[BorrowedFd<'_>],
) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        let sent = send(&socket, bytes, descriptors, SendFlags::empty())?;
        bytes = &bytes[sent..];
        descriptors = &[];
    }
    Ok(())
}

/// Reads lines, and the descriptors that come with them.
pub(super) struct Receiver<S> {
    socket: S,
    received: Vec<u8>,
    /// The part of `received` that is known to hold no end of a line.
    searched: usize,
    descriptors: VecDeque<OwnedFd>,
    longest: usize,
}

impl<S: AsFd> Receiver<S> {
    /// Reads lines of at most so many bytes.
    pub(super) fn new(socket: S, longest: usize) -> Self {
        Self {
            socket,
            received: Vec::new(),
            searched: 0,
            descriptors: VecDeque::new(),
            longest,
        }
    }

    pub(super) fn socket(&self) -> &S {
        &self.socket
    }

    /// Waits for more to read. Returns false at the end, which must not come within a line.
    pub(super) fn receive(&mut self) -> io::Result<bool> {
        if self.received.len() > self.longest {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut chunk = [0; CHUNK];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let got = retry_on_intr(|| {
            let parts = &mut [IoSliceMut::new(&mut chunk)];
            recvmsg(&self.socket, parts, &mut control, RecvFlags::CMSG_CLOEXEC)
        })?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.descriptors.extend(descriptors);
            }
        }
        // With one lost, the others would go to the wrong programs.
        if got.flags.contains(ReturnFlags::CTRUNC) {
            return Err(io::Error::other("descriptors were lost"));
        }
        self.received.extend_from_slice(&chunk[..got.bytes]);
        if got.bytes == 0 && !self.received.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(got.bytes > 0)
    }

    /// Returns the next line that has been read whole.
    pub(super) fn line(&mut self) -> Option<Vec<u8>> {
        let unsearched = self.received[self.searched..].iter();
        let Some(end) = unsearched.clone().position(|&byte| byte == b'\n') else {
            self.searched = self.received.len();
            return None;
        };
        let rest = self.received.split_off(self.searched + end + 1);
        self.searched = 0;
        Some(std::mem::replace(&mut self.received, rest))
    }

    /// Waits for the next line; `None` at the end.
    pub(super) fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(line) = self.line() {
                return Ok(Some(line));
            }
            if !self.receive()? {
                return Ok(None);
            }
        }
    }

    /// Returns the next descriptors that came along.
    pub(super) fn descriptors(&mut self) -> Option<[OwnedFd; DESCRIPTORS]> {
        if self.descriptors.len() < DESCRIPTORS {
            return None;
        }
        let taken: Vec<OwnedFd> = self.descriptors.drain(..DESCRIPTORS).collect();
        taken.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        os::unix::net::UnixStream,
    };

    use super::*;

    #[test]
    fn descriptors_arrive_with_their_lines_however_long_these_are() {
        let (ours, theirs) = UnixStream::pair().expect("a socket");
        let sending = std::thread::spawn(move || {
            let mut readers = Vec::new();
            for size in [1, CHUNK, 1 << 20] {
                let (reader, writer) = io::pipe().expect("a pipe");
                let mut line = vec![b'x'; size];
                line.push(b'\n');
                let writer = writer.as_fd();
                send_all(&ours, &line, &[writer, writer, writer]).expect("it is read");
                send_all(&ours, b"between\n", &[]).expect("it is read");
                readers.push(reader);
            }
            readers
        });
        let mut receiver = Receiver::new(theirs, 2 << 20);
        for size in [1, CHUNK, 1 << 20] {
            let line = receiver.next_line().expect("it is sent").expect("a line");
            assert_eq!(line.len(), size + 1);
            for descriptor in receiver.descriptors().expect("three came along") {
                io::PipeWriter::from(descriptor)
                    .write_all(&[size.to_le_bytes()[0]])
                    .expect("a pipe");
            }
            let line = receiver.next_line().expect("it is sent").expect("a line");
            assert_eq!(line, b"between\n");
        }
        let readers = sending.join().expect("it ends");
        for (mut reader, size) in readers.into_iter().zip([1, CHUNK, 1 << 20]) {
            let mut got = Vec::new();
            reader.read_to_end(&mut got).expect("a pipe");
            assert_eq!(got, [size.to_le_bytes()[0]; 3]);
        }
        assert!(receiver.next_line().expect("it is closed").is_none());
    }

    #[test]
    fn half_a_line_and_an_endless_one_are_errors() {
        let (mut ours, theirs) = UnixStream::pair().expect("a socket");
        ours.write_all(b"whole\nhalf").expect("there is room");
        drop(ours);
        let mut receiver = Receiver::new(theirs, 100);
        let whole = receiver.next_line().expect("it is there");
        assert_eq!(whole.as_deref(), Some(&b"whole\n"[..]));
        let error = receiver.next_line().expect_err("it is half a line");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);

        let (mut ours, theirs) = UnixStream::pair().expect("a socket");
        ours.write_all(&[b'x'; 200]).expect("there is room");
        let error = Receiver::new(theirs, 100)
            .next_line()
            .expect_err("too long");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
