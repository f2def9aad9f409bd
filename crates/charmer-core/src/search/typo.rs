//! Words that were mistyped: the known ones that are near.

use serde::{Deserialize, Serialize};
use strsim::osa_distance;

use super::vocabulary::{QuickMap, Term, Vocabulary};

/// Known words by their first letter and length, so that few have to be compared.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Typos {
    buckets: QuickMap<(char, u8), Vec<Term>>,
}

/// Shorter words are too near to each other.
const SHORTEST: usize = 4;

/// More than these are not compared for one word.
const MOST_COMPARED: usize = 3000;

impl Typos {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut buckets: QuickMap<(char, u8), Vec<Term>> = QuickMap::default();
        for (term, stem) in vocabulary.stems() {
            let length = stem.chars().count();
            if let (Some(first), Ok(length)) = (stem.chars().next(), u8::try_from(length))
                && length >= 3
                && !first.is_numeric()
            {
                buckets.entry((first, length)).or_default().push(term);
            }
        }
        Self { buckets }
    }

    /// The known stems that a stem may stand for, the nearest first and of those the names of commands, at most three,
    /// each with how sure that is.
    pub(super) fn near(
        &self,
        stem: &str,
        vocabulary: &Vocabulary,
        is_name: impl Fn(Term) -> bool,
    ) -> Vec<(Term, f32)> {
        let letters: Vec<char> = stem.chars().collect();
        let length = letters.len();
        if length < SHORTEST || letters.iter().any(|c| c.is_numeric()) {
            return Vec::new();
        }
        // With two errors a short word may be nearly any other.
        let allowed = if length < 10 { 1 } else { 2 };
        // The first letter is nearly always right; else it is the second, when the two changed places.
        let mut firsts = vec![letters[0]];
        firsts.extend(letters.get(1).filter(|c| **c != letters[0]));
        let mut found: Vec<(usize, Term)> = Vec::new();
        let mut compared = 0;
        for first in firsts {
            for length in length.saturating_sub(allowed)..=length + allowed {
                let Ok(length) = u8::try_from(length) else {
                    continue;
                };
                let bucket = self.buckets.get(&(first, length));
                for &term in bucket.into_iter().flatten() {
                    compared += 1;
                    if compared > MOST_COMPARED {
                        break;
                    }
                    let distance = osa_distance(stem, vocabulary.stem(term));
                    if distance <= allowed {
                        found.push((distance, term));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(distance, term)| (*distance, !is_name(*term), *term));
        let best = found.first().map_or(0, |(distance, _)| *distance);
        found
            .into_iter()
            .filter(|(distance, _)| *distance == best)
            .map(|(distance, term)| (term, if distance == 1 { 0.8 } else { 0.6 }))
            .take(3)
            .collect()
    }
}
