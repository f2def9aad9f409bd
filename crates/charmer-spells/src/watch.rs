//! Changes in the folder, seen as they happen. What happened is only a reason to look: the folder itself is the truth, so
//! an event that is missed or comes twice does no harm.

use std::{
    io,
    sync::mpsc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use crate::SpellBook;

/// A burst of changes is looked at once it has been quiet for so long...
const QUIET: Duration = Duration::from_millis(20);
/// ...or has lasted so long.
const PATIENCE: Duration = Duration::from_millis(80);
/// The time after which a file is looked at again that changed just before it was read.
const AGAIN: Duration = Duration::from_millis(100);

#[cfg(target_os = "linux")]
#[path = "watch_linux.rs"]
mod os;
#[cfg(not(target_os = "linux"))]
#[path = "watch_elsewhere.rs"]
mod os;

/// Watches a folder until it is dropped.
#[derive(Debug)]
#[must_use = "watching ends when this is dropped"]
pub struct Watch {
    waker: os::Waker,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.waker.stop();
        if let Some(thread) = self.thread.take() {
            // It may be dropped by the callback itself, which cannot wait for its own end.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

/// Reloads a book whenever something happens in its folder, and calls back, on a thread of its own, when something is
/// different then: time to hand [`tools`](SpellBook::tools) to the server.
pub fn watch(book: &SpellBook, changed: impl Fn(&SpellBook) + Send + 'static) -> io::Result<Watch> {
    let (waker, mut sleeper) = os::pair()?;
    let book = book.clone();
    let mut told = book.changes();
    // A call may see a change before the watcher does; it is told all the same.
    let mut look = move |book: &SpellBook| {
        book.reload();
        let changes = book.changes();
        if changes != told {
            told = changes;
            changed(book);
        }
    };
    let (ready, is_ready) = mpsc::channel();
    let thread = std::thread::Builder::new()
        .name("spells".into())
        .spawn(move || {
            sleeper.attend(&book);
            let _ = ready.send(());
            // What happened before anybody watched.
            look(&book);
            while sleeper.sleep(if book.is_settled() {
                os::AT_LEAST
            } else {
                AGAIN
            }) {
                let began = Instant::now();
                while sleeper.happens_within(QUIET) && began.elapsed() < PATIENCE {}
                sleeper.attend(&book);
                look(&book);
            }
        })?;
    let _ = is_ready.recv();
    Ok(Watch {
        waker,
        thread: Some(thread),
    })
}
