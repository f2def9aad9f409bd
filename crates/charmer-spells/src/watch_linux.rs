//! Linux tells what happens in a folder (inotify).

use std::{
    io::{self, PipeReader, PipeWriter},
    os::fd::OwnedFd,
    path::Path,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify::{self, CreateFlags, WatchFlags},
};

use crate::SpellBook;

/// The longest time between two looks at the folder, even if nothing is told: of a network folder or a symlink's target
/// nothing is.
pub(super) const AT_LEAST: Duration = Duration::from_secs(2);

/// Ends a sleeper.
#[derive(Debug)]
pub(super) struct Waker(Option<PipeWriter>);

impl Waker {
    pub(super) fn stop(&mut self) {
        // The other end sees that it is closed.
        self.0 = None;
    }
}

/// Waits for something to happen.
pub(super) struct Sleeper {
    events: OwnedFd,
    stop: PipeReader,
}

pub(super) fn pair() -> io::Result<(Waker, Sleeper)> {
    let (stop, waker) = io::pipe()?;
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    Ok((Waker(Some(waker)), Sleeper { events, stop }))
}

impl Sleeper {
    /// Listens to the folder, or to where it would be, and to what was accepted. A folder that was replaced is another
    /// one, so this is said again before every look.
    pub(super) fn attend(&self, book: &SpellBook) {
        let all = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::MODIFY
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF;
        if inotify::add_watch(&self.events, book.folder(), all).is_err() {
            let coming = WatchFlags::CREATE | WatchFlags::MOVED_TO;
            let _ = inotify::add_watch(&self.events, &book.0.base, coming);
        }
        if let Some(folder) = book.options().locked.as_deref().and_then(Path::parent) {
            let _ = inotify::add_watch(
                &self.events,
                folder,
                WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE | WatchFlags::DELETE,
            );
        }
    }

    /// Waits until something happens or so much time has passed; false if it is to stop.
    pub(super) fn sleep(&mut self, at_most: Duration) -> bool {
        let time = Timespec {
            tv_sec: at_most.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        let mut waited = [
            PollFd::new(&self.events, PollFlags::IN),
            PollFd::new(&self.stop, PollFlags::IN),
        ];
        match poll(&mut waited, Some(&time)) {
            Ok(_) => {
                let stopped = !waited[1].revents().is_empty();
                self.forget();
                !stopped
            }
            Err(rustix::io::Errno::INTR) => true,
            // Without a way to wait there is nothing to watch with.
            Err(error) => {
                tracing::error!("spells are no longer watched: {error}");
                false
            }
        }
    }

    /// Returns true if something more happens.
    pub(super) fn happens_within(&mut self, time: Duration) -> bool {
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: time.subsec_nanos().into(),
        };
        let mut waited = [PollFd::new(&self.events, PollFlags::IN)];
        let happened = poll(&mut waited, Some(&time)).is_ok_and(|ready| ready > 0);
        self.forget();
        happened
    }

    /// Drops what was told: only that something was matters.
    fn forget(&self) {
        let mut buffer = [0_u8; 16 << 10];
        while rustix::io::read(&self.events, &mut buffer).is_ok_and(|length| length > 0) {}
    }
}
