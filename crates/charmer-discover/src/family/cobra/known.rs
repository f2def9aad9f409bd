//! Flags by their names, so that long lists are compared in one pass.

use std::collections::HashMap;

use crate::sketch::FlagSketch;

/// Where flags stand in a list, by their names. It answers as [`FlagSketch::is_same`] does for flags of pflag, which
/// have no other names.
#[derive(Debug, Default)]
pub(super) struct Known {
    longs: HashMap<String, usize>,
    shorts: HashMap<char, usize>,
    /// Those that have no long name.
    only_shorts: HashMap<char, usize>,
}

impl Known {
    pub(super) fn of<'f>(flags: impl IntoIterator<Item = &'f FlagSketch>) -> Self {
        let mut known = Self::default();
        for (at, flag) in flags.into_iter().enumerate() {
            known.add(flag, at);
        }
        known
    }

    /// Adds a flag that stands in this place.
    pub(super) fn add(&mut self, flag: &FlagSketch, at: usize) {
        if let Some(short) = flag.short {
            self.shorts.entry(short).or_insert(at);
            if flag.long.is_none() {
                self.only_shorts.entry(short).or_insert(at);
            }
        }
        if let Some(long) = &flag.long {
            self.longs.entry(long.clone()).or_insert(at);
        }
    }

    /// The place of the flag that shares a name with this one.
    pub(super) fn place(&self, flag: &FlagSketch) -> Option<usize> {
        let short = |map: &HashMap<char, usize>| map.get(&flag.short?).copied();
        match &flag.long {
            Some(long) => self
                .longs
                .get(long)
                .copied()
                .or_else(|| short(&self.only_shorts)),
            None => short(&self.shorts),
        }
    }

    pub(super) fn has(&self, flag: &FlagSketch) -> bool {
        self.place(flag).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_counts_only_where_a_long_one_is_missing() {
        let named = |long: Option<&str>, short| FlagSketch {
            long: long.map(Into::into),
            short,
            ..FlagSketch::default()
        };
        let flags = [
            named(Some("all"), Some('a')),
            named(None, Some('b')),
            named(Some("colour"), None),
        ];
        let known = Known::of(&flags);
        for (asked, place) in [
            (named(Some("all"), None), Some(0)),
            (named(None, Some('a')), Some(0)),
            (named(Some("any"), Some('a')), None),
            (named(Some("bare"), Some('b')), Some(1)),
            (named(Some("colour"), Some('c')), Some(2)),
            (named(None, Some('c')), None),
        ] {
            assert_eq!(known.place(&asked), place, "{asked:?}");
            assert_eq!(flags.iter().position(|flag| flag.is_same(&asked)), place);
        }
    }
}
