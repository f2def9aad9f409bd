//! The patience with a program, and its end: a walk of thousands of commands that hang, or each say as much as a book, would
//! take hours.
//!
//! A program that is slow, or runs on a machine that is busy, shows it by its own answers: the longest that one of them
//! took says how long the next may take. What all this waiting comes to in vain is bounded all the same.

use std::{
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    time::Duration,
};

use super::ProbeAnswer;

/// For every so many answers one more probe may run out of time.
const FORGIVEN: usize = 10;
/// The maximum number of bytes that a program says: 6 KiB for each of 20,000 commands.
const MOST_BYTES: usize = 128 << 20;
/// The number of times that a page counts that is not the help of the command that was asked for. A program that shows
/// its whole help whatever it is asked would be read once for each command that it lists.
const NOT_ITS_OWN: usize = 8;

/// The factor by which the next answer may take longer than the slowest so far. On a machine where others begin and end
/// their work, answers of one program differ by a factor of four; twice of that is waited for.
const SLOWER: u32 = 8;
/// The factor by which a probe is waited for longer than the options say, at most.
const LONGEST: u32 = 12;
/// The factor by which the very first probe is waited for longer than the options say, when nothing is known of the
/// program: it also pays for what the system has not in memory yet.
const FIRST: u32 = 3;
/// The part of its timeout that a probe gets after the first has run out of its long one and nothing was answered: whoever
/// opens a window does so each time. All ways of asking for help then take less than the half minute that a person waits.
const SILENT: u32 = 2;

/// Counts answers, probes that ran out of time, and what was said.
#[derive(Debug)]
pub(super) struct ProbePatience {
    /// The longest time that a probe may take where nothing speaks for more.
    timeout: Duration,
    most: usize,
    /// The time that was waited in vain, counted in timeouts.
    hung: AtomicUsize,
    /// The number of probes that ran out of time.
    unanswered: AtomicUsize,
    answered: AtomicUsize,
    /// The time that the slowest answer took, in milliseconds.
    slowest: AtomicU64,
    bytes: AtomicUsize,
}

impl ProbePatience {
    pub(super) fn new(timeout: Duration, most: usize) -> Self {
        Self {
            timeout,
            most,
            hung: AtomicUsize::new(0),
            unanswered: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            slowest: AtomicU64::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The longest time that the next probe may take.
    pub(super) fn deadline(&self) -> Duration {
        let answered = self.answered.load(Ordering::Relaxed);
        if answered == 0 {
            return match self.hung.load(Ordering::Relaxed) {
                0 => self.timeout * FIRST,
                _ => self.timeout / SILENT,
            };
        }
        let slowest = Duration::from_millis(self.slowest.load(Ordering::Relaxed));
        (slowest * SLOWER).clamp(self.timeout, self.timeout * LONGEST)
    }

    /// Notes an answer, and how long it took where it was not known from before.
    pub(super) fn note(&self, answer: &ProbeAnswer, took: Option<Duration>) {
        let took = took.unwrap_or_default();
        if answer.timed_out {
            let timeouts = took.as_millis() / self.timeout.as_millis().max(1);
            let timeouts = usize::try_from(timeouts).unwrap_or(usize::MAX).max(1);
            self.hung.fetch_add(timeouts, Ordering::Relaxed);
            self.unanswered.fetch_add(1, Ordering::Relaxed);
        } else {
            self.answered.fetch_add(1, Ordering::Relaxed);
            let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            self.slowest.fetch_max(took, Ordering::Relaxed);
        }
        self.bytes.fetch_add(length(answer), Ordering::Relaxed);
    }

    /// The number of probes that ran out of time.
    pub(super) fn unanswered(&self) -> usize {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Notes that an answer was not the help that was asked for.
    pub(super) fn note_useless(&self, answer: &ProbeAnswer) {
        self.bytes
            .fetch_add(length(answer) * (NOT_ITS_OWN - 1), Ordering::Relaxed);
    }

    /// Returns true if the program has said more than is read of one.
    pub(super) fn has_heard_enough(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > MOST_BYTES
    }

    pub(super) fn is_over(&self) -> bool {
        let forgiven = self.answered.load(Ordering::Relaxed) / FORGIVEN;
        self.hung.load(Ordering::Relaxed) >= self.most.max(1) + forgiven
    }
}

fn length(answer: &ProbeAnswer) -> usize {
    answer.stdout.len() + answer.stderr.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn hung() -> ProbeAnswer {
        ProbeAnswer {
            timed_out: true,
            ..ProbeAnswer::default()
        }
    }

    #[test]
    fn answers_are_forgiven_for() {
        let patience = ProbePatience::new(SECOND, 2);
        patience.note(&hung(), Some(SECOND));
        assert!(!patience.is_over());
        patience.note(&hung(), Some(SECOND));
        assert!(patience.is_over());
        for _ in 0..FORGIVEN {
            patience.note(&ProbeAnswer::default(), None);
        }
        assert!(!patience.is_over());
        patience.note(&hung(), Some(SECOND));
        assert!(patience.is_over());
        assert_eq!(patience.unanswered(), 3);
    }

    #[test]
    fn one_that_never_answered_is_not_waited_for_as_long_again() {
        let patience = ProbePatience::new(4 * SECOND, 24);
        assert_eq!(patience.deadline(), 12 * SECOND);
        patience.note(&hung(), Some(12 * SECOND));
        assert_eq!(patience.deadline(), 2 * SECOND);
        patience.note(&ProbeAnswer::default(), Some(SECOND));
        assert_eq!(patience.deadline(), 8 * SECOND);
    }

    #[test]
    fn a_slow_program_is_given_time_by_its_own_answers_within_a_bound() {
        let patience = ProbePatience::new(5 * SECOND, 24);
        assert_eq!(patience.deadline(), 15 * SECOND);
        patience.note(&ProbeAnswer::default(), Some(SECOND / 10));
        assert_eq!(patience.deadline(), 5 * SECOND);
        patience.note(&ProbeAnswer::default(), Some(3 * SECOND));
        assert_eq!(patience.deadline(), 24 * SECOND);
        patience.note(&ProbeAnswer::default(), Some(SECOND));
        assert_eq!(patience.deadline(), 24 * SECOND);
        patience.note(&ProbeAnswer::default(), Some(20 * SECOND));
        assert_eq!(patience.deadline(), 60 * SECOND);
        // What was waited for so long counts for as many.
        patience.note(&hung(), Some(60 * SECOND));
        assert!(!patience.is_over());
        patience.note(&hung(), Some(60 * SECOND));
        assert!(patience.is_over());
    }
}
