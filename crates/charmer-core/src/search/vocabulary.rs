//! Words as numbers, with what else they lead to.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use serde::{Deserialize, Serialize};

use super::{
    synonyms::{GROUPS, LEADS},
    words::stem,
};

/// The number of a stem.
pub(super) type Term = u32;

/// Words that others are begun with, although they are short.
const SHORT: [&str; 5] = ["cp", "ls", "mk", "mv", "rm"];

/// Maps whose keys come from the programs served, in memory that is theirs: a quick hash is enough.
pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// FNV-1a.
#[derive(Debug, Clone)]
pub(super) struct QuickHasher(u64);

impl Default for QuickHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Every stem that is known, and what it leads to.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Vocabulary {
    terms: QuickMap<Box<str>, Term>,
    stems: Vec<Box<str>>,
    related: QuickMap<Term, Vec<(Term, f32)>>,
    /// The number of terms, the first ones, that are those of the table of synonyms.
    common: usize,
}

impl Vocabulary {
    /// The words that the table of synonyms has.
    pub(super) fn new() -> Self {
        let mut vocabulary = Self::default();
        for (weight, group) in GROUPS {
            let terms: Vec<Term> = group.split(' ').map(|w| vocabulary.add(w)).collect();
            for from in &terms {
                vocabulary.relate(*from, &terms, *weight);
            }
        }
        for (from, weight, to) in LEADS {
            let to: Vec<Term> = to.split(' ').map(|w| vocabulary.add(w)).collect();
            for word in from.split(' ') {
                let from = vocabulary.add(word);
                vocabulary.relate(from, &to, *weight);
            }
        }
        vocabulary.common = vocabulary.stems.len();
        vocabulary
    }

    fn relate(&mut self, from: Term, to: &[Term], weight: f32) {
        let related = self.related.entry(from).or_default();
        for &to in to.iter().filter(|to| **to != from) {
            match related.iter_mut().find(|(known, _)| *known == to) {
                Some((_, known)) => *known = known.max(weight),
                None => related.push((to, weight)),
            }
        }
    }

    /// The number of a word in small letters.
    pub(super) fn add(&mut self, word: &str) -> Term {
        self.add_stem(&stem(word))
    }

    /// The number of a stem.
    pub(super) fn add_stem(&mut self, stem: &str) -> Term {
        if let Some(term) = self.terms.get(stem) {
            return *term;
        }
        let term = Term::try_from(self.stems.len()).expect("there are fewer words than that");
        self.terms.insert(stem.into(), term);
        self.stems.push(stem.into());
        term
    }

    /// The number of a word, if it is known.
    pub(super) fn get(&self, word: &str) -> Option<Term> {
        self.terms.get(stem(word).as_str()).copied()
    }

    /// Returns true if it is a word of the table.
    pub(super) fn is_common(&self, term: Term) -> bool {
        (term as usize) < self.common
    }

    /// The two words that were written as one: `listremotes`.
    pub(super) fn parts(&self, word: &str) -> Option<(Term, Term)> {
        if !word.is_ascii() || word.len() < 6 {
            return None;
        }
        let lengths =
            (2..=word.len() - 3).filter(|length| *length > 3 || SHORT.contains(&&word[..*length]));
        let mut parts = lengths.map(|length| word.split_at(length));
        parts.find_map(|(first, second)| Some((self.get(first)?, self.get(second)?)))
    }

    /// The terms that a word leads to, and how surely.
    pub(super) fn related(&self, term: Term) -> &[(Term, f32)] {
        self.related.get(&term).map_or(&[], Vec::as_slice)
    }

    pub(super) fn stems(&self) -> impl Iterator<Item = (Term, &str)> {
        (0..).zip(self.stems.iter().map(|stem| &**stem))
    }

    pub(super) fn stem(&self, term: Term) -> &str {
        &self.stems[term as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.stems.len()
    }
}
