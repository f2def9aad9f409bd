//! Caps on the number of things at once, in all and for each principal, and the places that are free.

use std::{
    collections::HashMap,
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
    now: Mutex<Now>,
}

#[derive(Debug, Default)]
struct Now {
    all: [usize; 4],
    /// Only those that have something.
    principals: HashMap<Arc<str>, [usize; 4]>,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Full {
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
    /// Whose it is; nobody's yet, if it is not set.
    principal: Option<Arc<str>>,
}

impl Counts {
    pub(super) fn new(in_all: Caps, each: Caps) -> Self {
        Self(Arc::new(CountsShared {
            in_all,
            each,
            now: Mutex::default(),
        }))
    }

    /// Takes a place for a principal.
    pub(super) fn take(&self, counted: Counted, principal: &Arc<str>) -> Result<Place, Full> {
        let mut place = self.take_for_anybody(counted)?;
        place.belongs_to(principal)?;
        Ok(place)
    }

    /// Takes a place for somebody who is not known yet.
    pub(super) fn take_for_anybody(&self, counted: Counted) -> Result<Place, Full> {
        let mut now = self.lock();
        let all = &mut now.all[counted as usize];
        if *all >= counted.of(&self.0.in_all) {
            return Err(Full::All(counted));
        }
        *all += 1;
        drop(now);
        Ok(Place {
            counts: self.clone(),
            counted,
            principal: None,
        })
    }

    /// How many there are in all.
    pub(super) fn now(&self, counted: Counted) -> usize {
        self.lock().all[counted as usize]
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Says whose place it is.
    pub(super) fn belongs_to(&mut self, principal: &Arc<str>) -> Result<(), Full> {
        if self.principal.as_ref() == Some(principal) {
            return Ok(());
        }
        let mut now = self.counts.lock();
        let own = now.principals.entry(Arc::clone(principal)).or_default();
        if own[self.counted as usize] >= self.counted.of(&self.counts.0.each) {
            return Err(Full::Principal(self.counted));
        }
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
        let counts = Counts::new(caps(3), caps(2));
        let (ann, bob): (Arc<str>, Arc<str>) = ("ann".into(), "bob".into());
        let take = |who: &Arc<str>| counts.take(Counted::Calls, who);
        let first = take(&ann).expect("free");
        let second = take(&ann).expect("free");
        assert_eq!(take(&ann).err(), Some(Full::Principal(Counted::Calls)));
        let third = take(&bob).expect("what was refused took no place");
        assert_eq!(take(&bob).err(), Some(Full::All(Counted::Calls)));
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
