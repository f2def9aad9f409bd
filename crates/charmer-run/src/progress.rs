//! The progress of a call: the latest line of its output, for whoever wants to know. The latest wins; nothing queues
//! up.

use tokio::sync::watch;

/// The state of a running call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The number of bytes that it has written.
    pub bytes: u64,
    /// The last line that it wrote.
    pub line: String,
}

/// The receiver of a running call's reports; nobody by default, which costs nothing.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    sender: Option<watch::Sender<Snapshot>>,
    /// It tells how much was written, and not what.
    wordless: bool,
}

impl Progress {
    /// Reports to the receiver that comes with it.
    pub fn watched() -> (Self, watch::Receiver<Snapshot>) {
        let (sender, receiver) = watch::channel(Snapshot::default());
        let progress = Self {
            sender: Some(sender),
            wordless: false,
        };
        (progress, receiver)
    }

    /// Reports to the same place how much was written, and not what: for output that must be looked at before it is shown.
    #[must_use]
    pub(crate) fn wordless(&self) -> Self {
        Self {
            sender: self.sender.clone(),
            wordless: true,
        }
    }

    /// The same, with a place for those who want to know later.
    #[cfg(feature = "jobs")]
    #[must_use]
    pub(crate) fn open(mut self) -> Self {
        self.sender
            .get_or_insert_with(|| watch::Sender::new(Snapshot::default()));
        self
    }

    /// Listens from now on.
    #[cfg(feature = "jobs")]
    pub(crate) fn listen(&self) -> Option<watch::Receiver<Snapshot>> {
        self.sender.as_ref().map(watch::Sender::subscribe)
    }

    /// Returns true if anybody listens.
    pub(crate) fn is_watched(&self) -> bool {
        self.sender
            .as_ref()
            .is_some_and(|sender| !sender.is_closed())
    }

    /// Reports that nothing runs before a person has said something, in these words.
    pub fn wait(&self, words: &str) {
        if let Some(sender) = &self.sender {
            sender.send_modify(|snapshot| {
                words.clone_into(&mut snapshot.line);
            });
        }
    }

    /// Reports that nobody is waited for any more.
    pub fn go_on(&self) {
        if let Some(sender) = &self.sender {
            sender.send_modify(|snapshot| {
                snapshot.line.clear();
            });
        }
    }

    /// Reports more output; handlers may report lines of their own.
    pub fn report(&self, bytes: u64, line: Option<&str>) {
        let Some(sender) = &self.sender else { return };
        sender.send_modify(|snapshot| {
            snapshot.bytes += bytes;
            if let Some(line) = line.filter(|_| !self.wordless) {
                line.clone_into(&mut snapshot.line);
            }
        });
    }
}
