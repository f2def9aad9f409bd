//! Sorting that a program has once: the standard library's is some kilobytes for each type that is sorted, and the lists
//! that are sorted here are short.

use std::cmp::Ordering;

/// Sorts items; equal ones keep their order.
///
/// ```
/// let mut words = ["is", "this", "short"];
/// charmer_core::order::sort_by_key(&mut words, |word| word.len());
/// assert_eq!(words, ["is", "this", "short"]);
/// charmer_core::order::sort(&mut words);
/// assert_eq!(words, ["is", "short", "this"]);
/// ```
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by a key; those with an equal one keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items as `compare` says; equal ones keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut sources = sorted_places(items.len(), &|a, b| compare(&items[a], &items[b]));
    for start in 0..sources.len() {
        // What belongs here comes from a place whose own item comes from another, and so on in a circle.
        let mut place = start;
        while sources[place] != start {
            let source = std::mem::replace(&mut sources[place], place);
            items.swap(place, source);
            place = source;
        }
        sources[place] = place;
    }
}

/// For each place the one whose item belongs there.
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_sorted_and_equal_ones_stay(items in prop::collection::vec(0_u8..8, 0..40)) {
            let items: Vec<(u8, usize)> = items.into_iter().zip(0..).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut sorted = items;
            super::sort_by_key(&mut sorted, |(key, _)| *key);
            prop_assert_eq!(sorted, expected);
        }
    }
}
