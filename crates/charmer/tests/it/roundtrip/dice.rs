//! The random numbers that decide what a command and its values look like.

use std::collections::VecDeque;

use proptest::{
    array::{uniform8, uniform32},
    collection::vec,
    prelude::*,
};

/// Numbers that decide; small ones stand for what is simple, so that shrinking leads there.
#[derive(Clone)]
pub(super) struct Dice {
    left: VecDeque<u16>,
}

impl Dice {
    pub(super) fn new(numbers: &[u16]) -> Self {
        Self {
            left: numbers.iter().copied().collect(),
        }
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let next = usize::from(self.left.pop_front().unwrap_or(0));
        (next * end) >> 16
    }

    pub(super) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// What a command is made from.
#[derive(Clone)]
pub(super) struct Raw {
    pub(super) dice: [u16; 8],
    pub(super) flags: Vec<[u16; 32]>,
    pub(super) positionals: Vec<[u16; 32]>,
    pub(super) children: Vec<Raw>,
}

/// A failure shows the command; the numbers would only be noise.
impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Raw")
    }
}

pub(super) fn raw(depth: usize) -> BoxedStrategy<Raw> {
    let children = match depth {
        0 => Just(Vec::new()).boxed(),
        _ => vec(raw(depth - 1), 0..=2).boxed(),
    };
    let arg = || uniform32(any::<u16>());
    (
        uniform8(any::<u16>()),
        vec(arg(), 0..=4),
        vec(arg(), 0..=3),
        children,
    )
        .prop_map(|(dice, flags, positionals, children)| Raw {
            dice,
            flags,
            positionals,
            children,
        })
        .boxed()
}
