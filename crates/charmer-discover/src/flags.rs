//! The flags of a sketch. Large programs show the same flags in thousands of commands, so those that are alike are one in
//! memory, until one of them is changed.

use charmer_core::model::{Pool, Shared};

use crate::sketch::FlagSketch;

/// A list of flags that may be shared with others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flags(Vec<Shared<FlagSketch>>);

/// Flags that were seen, by their names and texts.
#[derive(Debug, Default)]
pub(crate) struct FlagPool(Pool<FlagSketch>);

impl FlagPool {
    /// Makes flags one with those that were alike before.
    pub(crate) fn share(&mut self, flags: &mut Flags) {
        for flag in &mut flags.0 {
            let help = flag.help.as_ref().map(|help| help.value.clone());
            let key = (flag.long.clone(), flag.short, help);
            self.0.share(flag, key);
        }
        flags.0.shrink_to_fit();
    }
}

impl Flags {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, flag: impl Into<Shared<FlagSketch>>) {
        self.0.push(flag.into());
    }

    pub(crate) fn append(&mut self, more: &mut Vec<FlagSketch>) {
        self.extend(more.drain(..));
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.0.remove(at);
    }

    pub(crate) fn truncate(&mut self, most: usize) {
        self.0.truncate(most);
    }

    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&FlagSketch) -> bool) {
        self.0.retain(|flag| keeps(flag));
    }

    /// Takes those out that are wanted.
    pub(crate) fn take(
        &mut self,
        mut wanted: impl FnMut(&FlagSketch) -> bool,
    ) -> Vec<Shared<FlagSketch>> {
        self.0.extract_if(.., |flag| wanted(flag)).collect()
    }

    pub(crate) fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = &FlagSketch> + ExactSizeIterator + Clone {
        self.0.iter().map(AsRef::as_ref)
    }

    /// To change some of them: one is no longer shared from when it is written to.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Shared<FlagSketch>> {
        self.0.iter_mut()
    }
}

impl std::ops::Index<usize> for Flags {
    type Output = FlagSketch;

    fn index(&self, at: usize) -> &FlagSketch {
        &self.0[at]
    }
}

impl std::ops::IndexMut<usize> for Flags {
    fn index_mut(&mut self, at: usize) -> &mut FlagSketch {
        &mut self.0[at]
    }
}

impl Extend<FlagSketch> for Flags {
    fn extend<I: IntoIterator<Item = FlagSketch>>(&mut self, flags: I) {
        self.0.extend(flags.into_iter().map(Shared::from));
    }
}

impl FromIterator<FlagSketch> for Flags {
    fn from_iter<I: IntoIterator<Item = FlagSketch>>(flags: I) -> Self {
        Self(flags.into_iter().map(Shared::from).collect())
    }
}

impl<const N: usize> From<[FlagSketch; N]> for Flags {
    fn from(flags: [FlagSketch; N]) -> Self {
        flags.into_iter().collect()
    }
}

impl From<Vec<FlagSketch>> for Flags {
    fn from(flags: Vec<FlagSketch>) -> Self {
        flags.into_iter().collect()
    }
}

impl<'f> IntoIterator for &'f Flags {
    type Item = &'f FlagSketch;
    type IntoIter = std::iter::Map<
        std::slice::Iter<'f, Shared<FlagSketch>>,
        fn(&'f Shared<FlagSketch>) -> &'f FlagSketch,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(AsRef::as_ref)
    }
}

impl<'f> IntoIterator for &'f mut Flags {
    type Item = &'f mut Shared<FlagSketch>;
    type IntoIter = std::slice::IterMut<'f, Shared<FlagSketch>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl IntoIterator for Flags {
    type Item = FlagSketch;
    type IntoIter = std::iter::Map<
        std::vec::IntoIter<Shared<FlagSketch>>,
        fn(Shared<FlagSketch>) -> FlagSketch,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(Shared::into_inner)
    }
}
