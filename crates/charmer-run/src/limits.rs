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
    /// The maximum number of characters of each stream that an assistant gets.
    pub output_chars: usize,
    /// The maximum number of bytes of a picture or a sound on standard output that is given as such.
    pub media_bytes: usize,
    /// The group of calls that may not all run at once, if it belongs to one.
    pub concurrency_group: Option<ConcurrencyGroup>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Builds and tests take minutes. Where there are jobs, nobody waits for them.
            timeout: Duration::from_secs(30 * 60),
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
