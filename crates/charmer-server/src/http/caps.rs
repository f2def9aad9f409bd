//! Caps on the number of things at once, in all and for each principal, and the places that are free.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::options::Caps;

/// The things that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Connections,
    Sessions,
    Streams,
    Calls,
}

impl Counted {
    /// The word for them.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Connections => "connections",
            Self::Sessions => "sessions",
            Self::Streams => "streams",
            Self::Calls => "calls",
        }
    }

    fn of(self, caps: &Caps) -> usize {
        match self {
            Self::Connections => caps.connections,
            Self::Sessions => caps.sessions,
            Self::Streams => caps.streams,
            Self::Calls => caps.calls,
        }
    }
}

/// The counts. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Counts(Arc<CountsShared>);

#[derive(Debug)]
struct CountsShared {
    in_all: Caps,
    each: Caps,
    /// Those of single principals; `*` is for all who are not named.
    own: BTreeMap<String, Caps>,
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    all: [usize; 4],
    /// Only those that have something.
    principals: HashMap<Arc<str>, [usize; 4]>,
}

/// The reason why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// There are too many in all.
    All(Counted),
    /// The principal has too many.
    Principal(Counted),
}

/// A place that was taken; dropping it makes it free.
#[derive(Debug)]
pub(super) struct Place {
    counts: Counts,
    counted: Counted,
    /// The principal who has it; nobody yet, if it is not set.
    principal: Option<Arc<str>>,
}

impl Counts {
    pub(super) fn new(in_all: Caps, each: Caps, own: BTreeMap<String, Caps>) -> Self {
        Self(Arc::new(CountsShared {
            in_all,
            each,
            own,
            now: Mutex::default(),
        }))
    }

    /// Takes a place for a principal.
    pub(super) fn take(&self, counted: Counted, principal: &Arc<str>) -> Result<Place, NoPlace> {
        let mut place = self.take_for_anybody(counted)?;
        place.belongs_to(principal)?;
        Ok(place)
    }

    /// Takes a place for somebody who is not known yet.
    pub(super) fn take_for_anybody(&self, counted: Counted) -> Result<Place, NoPlace> {
        let mut now = self.lock();
        let all = &mut now.all[counted as usize];
        if *all >= counted.of(&self.0.in_all) {
            return Err(NoPlace::All(counted));
        }
        *all += 1;
        drop(now);
        Ok(Place {
            counts: self.clone(),
            counted,
            principal: None,
        })
    }

    /// The most that a principal may have.
    fn most(&self, counted: Counted, principal: &str) -> usize {
        let shared = &*self.0;
        let own = shared.own.get(principal).or_else(|| shared.own.get("*"));
        let own = own.map_or(usize::MAX, |caps| counted.of(caps));
        own.min(counted.of(&shared.each))
    }

    /// The number of them in all.
    pub(super) fn now(&self, counted: Counted) -> usize {
        self.lock().all[counted as usize]
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Says whose place it is.
    pub(super) fn belongs_to(&mut self, principal: &Arc<str>) -> Result<(), NoPlace> {
        if self.principal.as_ref() == Some(principal) {
            return Ok(());
        }
        let mut now = self.counts.lock();
        let has = now.principals.get(principal);
        let has = has.map_or(0, |own| own[self.counted as usize]);
        if has >= self.counts.most(self.counted, principal) {
            return Err(NoPlace::Principal(self.counted));
        }
        let own = now.principals.entry(Arc::clone(principal)).or_default();
        own[self.counted as usize] += 1;
        let before = self.principal.replace(Arc::clone(principal));
        now.release(self.counted, before.as_ref());
        Ok(())
    }
}

impl Now {
    fn release(&mut self, counted: Counted, principal: Option<&Arc<str>>) {
        let Some(principal) = principal else { return };
        if let Some(own) = self.principals.get_mut(principal) {
            own[counted as usize] -= 1;
            if *own == [0; 4] {
                self.principals.remove(principal);
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut now = self.counts.lock();
        now.all[self.counted as usize] -= 1;
        now.release(self.counted, self.principal.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_all_and_for_each_and_become_free() {
        let caps = |calls| Caps {
            connections: 9,
            sessions: 9,
            streams: 9,
            calls,
        };
        let own = BTreeMap::from([("eve".to_owned(), caps(0))]);
        let counts = Counts::new(caps(3), caps(2), own);
        let (ann, bob): (Arc<str>, Arc<str>) = ("ann".into(), "bob".into());
        let take = |who: &Arc<str>| counts.take(Counted::Calls, who);
        let first = take(&ann).expect("free");
        let second = take(&ann).expect("free");
        assert_eq!(take(&ann).err(), Some(NoPlace::Principal(Counted::Calls)));
        // Whoever has caps of its own is held to those.
        let refused = take(&"eve".into()).err();
        assert_eq!(refused, Some(NoPlace::Principal(Counted::Calls)));
        let third = take(&bob).expect("what was refused took no place");
        assert_eq!(take(&bob).err(), Some(NoPlace::All(Counted::Calls)));
        counts.take(Counted::Streams, &ann).expect("others");
        drop((first, second, third));
        assert_eq!(counts.now(Counted::Calls), 0);
        assert!(counts.lock().principals.is_empty());
        // A connection may be somebody else's with its next request.
        let mut place = counts.take_for_anybody(Counted::Calls).expect("free");
        place.belongs_to(&ann).expect("free");
        place.belongs_to(&bob).expect("free");
        assert_eq!(counts.lock().principals.len(), 1);
    }
}
