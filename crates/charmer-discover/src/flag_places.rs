//! Flags by their names, so that long lists are compared in one pass.

use std::collections::HashMap;

use crate::sketch::FlagSketch;

/// The places of flags in a list, by their names. It answers as [`FlagSketch::is_same`] does.
#[derive(Debug, Default)]
pub(crate) struct FlagPlaces {
    longs: HashMap<String, usize>,
    aliases: HashMap<String, usize>,
    shorts: HashMap<char, usize>,
    /// Those that have no long name.
    only_shorts: HashMap<char, usize>,
}

impl FlagPlaces {
    pub(crate) fn of<'f>(flags: impl IntoIterator<Item = &'f FlagSketch>) -> Self {
        let mut places = Self::default();
        for (at, flag) in flags.into_iter().enumerate() {
            places.add(flag, at);
        }
        places
    }

    /// Adds a flag that stands in this place.
    pub(crate) fn add(&mut self, flag: &FlagSketch, at: usize) {
        if let Some(short) = flag.short {
            self.shorts.entry(short).or_insert(at);
            if flag.long.is_none() {
                self.only_shorts.entry(short).or_insert(at);
            }
        }
        if let Some(long) = &flag.long {
            self.longs.entry(long.clone()).or_insert(at);
            for alias in &flag.aliases {
                self.aliases.entry(alias.clone()).or_insert(at);
            }
        }
    }

    /// The place of the first flag that shares a name with this one.
    pub(crate) fn place(&self, flag: &FlagSketch) -> Option<usize> {
        let short = |map: &HashMap<char, usize>| map.get(&flag.short?).copied();
        let Some(long) = &flag.long else {
            return short(&self.shorts);
        };
        let by_name = self.longs.get(long).into_iter();
        let by_name = by_name.chain(self.aliases.get(long));
        let by_name = by_name.chain(flag.aliases.iter().filter_map(|name| self.longs.get(name)));
        by_name.copied().chain(short(&self.only_shorts)).min()
    }

    pub(crate) fn has(&self, flag: &FlagSketch) -> bool {
        self.place(flag).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_found_where_the_first_stands_that_is_the_same() {
        let named = |long: Option<&str>, short, aliases: &[&str]| FlagSketch {
            long: long.map(Into::into),
            short,
            aliases: aliases.iter().copied().map(Into::into).collect(),
            ..FlagSketch::default()
        };
        let flags = [
            named(Some("all"), Some('a'), &[]),
            named(None, Some('b'), &[]),
            named(Some("colour"), None, &["color"]),
        ];
        let places = FlagPlaces::of(&flags);
        for (asked, place) in [
            (named(Some("all"), None, &[]), Some(0)),
            (named(None, Some('a'), &[]), Some(0)),
            (named(Some("any"), Some('a'), &[]), None),
            (named(Some("bare"), Some('b'), &[]), Some(1)),
            (named(Some("colour"), Some('c'), &[]), Some(2)),
            (named(Some("color"), None, &[]), Some(2)),
            (named(Some("hue"), Some('b'), &["colour", "all"]), Some(0)),
            (named(Some("hue"), None, &["color"]), None),
            (named(None, Some('c'), &[]), None),
        ] {
            assert_eq!(places.place(&asked), place, "{asked:?}");
            assert_eq!(flags.iter().position(|flag| flag.is_same(&asked)), place);
        }
    }
}
