//! When a program is not asked any more: a walk of thousands of commands that hang would take hours.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Answer;

/// For every so many answers one more probe may run out of time.
const FORGIVEN: usize = 10;

/// Counts answers, and probes that ran out of time.
#[derive(Debug)]
pub(super) struct Patience {
    most: usize,
    hung: AtomicUsize,
    answered: AtomicUsize,
}

impl Patience {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            hung: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
        }
    }

    pub(super) fn note(&self, answer: &Answer) {
        let count = if answer.timed_out {
            &self.hung
        } else {
            &self.answered
        };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        let forgiven = self.answered.load(Ordering::Relaxed) / FORGIVEN;
        self.hung.load(Ordering::Relaxed) >= self.most.max(1) + forgiven
    }
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
