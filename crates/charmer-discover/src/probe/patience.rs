//! When a program is not asked any more: a walk of thousands of commands that hang, or each say as much as a book, would
//! take hours.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Answer;

/// For every so many answers one more probe may run out of time.
const FORGIVEN: usize = 10;
/// The maximum number of bytes that a program says: 6 KiB for each of 20,000 commands.
const MOST_BYTES: usize = 128 << 20;
/// How often a page counts that is not the help of the command that was asked for. A program that shows its whole help
/// whatever it is asked would be read once for each command that it lists.
const NOT_ITS_OWN: usize = 8;

/// Counts answers, probes that ran out of time, and what was said.
#[derive(Debug)]
pub(super) struct Patience {
    most: usize,
    hung: AtomicUsize,
    answered: AtomicUsize,
    bytes: AtomicUsize,
}

impl Patience {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            hung: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn note(&self, answer: &Answer) {
        let count = if answer.timed_out {
            &self.hung
        } else {
            &self.answered
        };
        count.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(length(answer), Ordering::Relaxed);
    }

    /// Notes that an answer was not the help that was asked for.
    pub(super) fn note_useless(&self, answer: &Answer) {
        self.bytes
            .fetch_add(length(answer) * (NOT_ITS_OWN - 1), Ordering::Relaxed);
    }

    /// Whether the program has said more than is read of one.
    pub(super) fn has_heard_enough(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > MOST_BYTES
    }

    pub(super) fn is_over(&self) -> bool {
        let forgiven = self.answered.load(Ordering::Relaxed) / FORGIVEN;
        self.hung.load(Ordering::Relaxed) >= self.most.max(1) + forgiven
    }
}

fn length(answer: &Answer) -> usize {
    answer.stdout.len() + answer.stderr.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_forgiven_for() {
        let patience = Patience::new(2);
        let hung = Answer {
            timed_out: true,
            ..Answer::default()
        };
        patience.note(&hung);
        assert!(!patience.is_over());
        patience.note(&hung);
        assert!(patience.is_over());
        for _ in 0..FORGIVEN {
            patience.note(&Answer::default());
        }
        assert!(!patience.is_over());
        patience.note(&hung);
        assert!(patience.is_over());
    }
}
