//! The progress of a call: the latest line of its output, for whoever wants to know. The latest wins; nothing queues
//! up.

use tokio::sync::watch;

/// The state of a running call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// How many bytes it has written.
    pub bytes: u64,
    /// The last line that it wrote.
    pub line: String,
}

/// Where a running call reports to; nowhere by default, which costs nothing.
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
    pub fn wordless(&self) -> Self {
        Self {
            sender: self.sender.clone(),
            wordless: true,
        }
    }

    /// Returns true if anybody listens.
    pub fn is_watched(&self) -> bool {
        self.sender
            .as_ref()
            .is_some_and(|sender| !sender.is_closed())
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
