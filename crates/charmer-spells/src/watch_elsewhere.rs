//! Where nothing is told, the folder is looked at ten times a second: a look at a thousand files takes milliseconds.

use std::{
    io,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Duration,
};

use crate::SpellBook;

pub(super) const AT_LEAST: Duration = Duration::from_millis(100);

/// Ends a sleeper.
#[derive(Debug)]
pub(super) struct Waker(Option<Sender<()>>);

impl Waker {
    pub(super) fn stop(&mut self) {
        self.0 = None;
    }
}

/// Waits.
pub(super) struct Sleeper(Receiver<()>);

pub(super) fn pair() -> io::Result<(Waker, Sleeper)> {
    let (sender, receiver) = channel();
    Ok((Waker(Some(sender)), Sleeper(receiver)))
}

impl Sleeper {
    pub(super) fn attend(&self, _: &SpellBook) {}

    /// Waits until so much time has passed; false if it is to stop.
    pub(super) fn sleep(&mut self, at_most: Duration) -> bool {
        self.0.recv_timeout(at_most.min(AT_LEAST)) == Err(RecvTimeoutError::Timeout)
    }

    pub(super) fn happens_within(&mut self, _: Duration) -> bool {
        false
    }
}
