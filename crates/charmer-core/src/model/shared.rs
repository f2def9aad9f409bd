//! A value that many hold and few change: the flags of a large program are the same in thousands of its commands.

use std::{
    collections::HashMap,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    ops::{Deref, DerefMut},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value whose clones share it until one of them is changed.
///
/// ```
/// use charmer_core::model::{Flag, Shared};
/// let one = Shared::from(Flag::new("all"));
/// let mut other = one.clone();
/// assert!(Shared::is_one(&one, &other));
/// other.hidden = true;
/// assert!(!one.hidden);
/// ```
#[derive(Default, PartialEq, Eq)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Returns true if both are the same value in memory, and not only alike.
    pub fn is_one(one: &Self, other: &Self) -> bool {
        Arc::ptr_eq(&one.0, &other.0)
    }
}

/// Values that were seen, so that those that are alike become one.
///
/// ```
/// use charmer_core::model::{Flag, Pool, Shared};
/// let mut pool = Pool::default();
/// let mut flags = [Flag::new("all"), Flag::new("all")].map(Shared::from);
/// flags.iter_mut().for_each(|flag| pool.share(flag, "all"));
/// assert!(Shared::is_one(&flags[0], &flags[1]));
/// ```
#[derive(Debug)]
pub struct Pool<T>(HashMap<u64, Vec<Shared<T>>>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: PartialEq> Pool<T> {
    /// Makes a value one with the first that was like it. Those that are alike must have the same key; others should not.
    pub fn share(&mut self, value: &mut Shared<T>, key: impl Hash) {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let known = self.0.entry(hasher.finish()).or_default();
        match known.iter().find(|known| *known == value) {
            Some(known) => *value = known.clone(),
            None => known.push(value.clone()),
        }
    }
}

impl<T: Clone> Shared<T> {
    /// The value itself.
    pub fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    /// To change it: from here on it is a value of its own.
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> AsRef<T> for Shared<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T> std::borrow::Borrow<T> for Shared<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}
