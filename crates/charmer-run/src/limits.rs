//! The limits of a call's time and size.

use std::time::Duration;

use crate::process::ConcurrencyGroup;

/// The bounds of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest time that the program may run.
    pub timeout: Duration,
    /// The longest time that it may take to end after it was asked to.
    pub grace: Duration,
    /// The number of bytes of each stream that are kept in memory.
    pub capture_bytes: usize,
    /// How many characters of each stream an assistant gets.
    pub output_chars: usize,
    /// How many bytes a picture or a sound on standard output may have to be given as such.
    pub media_bytes: usize,
    /// What it shares with other calls that may not all run at once.
    pub concurrency_group: Option<ConcurrencyGroup>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Builds and tests take minutes. Whoever waits hears of them meanwhile.
            timeout: Duration::from_secs(600),
            grace: Duration::from_secs(2),
            capture_bytes: 8 << 20,
            output_chars: 40_000,
            // In base64 that is 4 MiB; assistants' services take 5 MB.
            media_bytes: 3 << 20,
            concurrency_group: None,
        }
    }
}

impl Limits {
    /// Sets how long the program may run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long it may take to end after it was asked to.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how many bytes of each stream are kept.
    #[must_use]
    pub fn capture_bytes(mut self, bytes: usize) -> Self {
        self.capture_bytes = bytes;
        self
    }

    /// Sets how many characters of each stream an assistant gets.
    #[must_use]
    pub fn output_chars(mut self, chars: usize) -> Self {
        self.output_chars = chars;
        self
    }

    /// Sets how many bytes a picture or a sound may have to be given as such.
    #[must_use]
    pub fn media_bytes(mut self, bytes: usize) -> Self {
        self.media_bytes = bytes;
        self
    }

    /// Sets what it shares with other calls that may not all run at once.
    #[must_use]
    pub fn concurrency_group(mut self, concurrency_group: ConcurrencyGroup) -> Self {
        self.concurrency_group = Some(concurrency_group);
        self
    }
}
