//! Finds where secrets may begin, all of them in one pass over the bytes.
//!
//! `regex-lite` takes 40 to 70 ns for every byte and pattern, and a quicker engine would add a megabyte to every CLI. So
//! an automaton reads a text from its end to its beginning, and where it arrives at the first byte of a [`ByteShape`], a
//! secret may begin; only there is the pattern itself asked. States are made when they are first needed.

use std::collections::HashMap;

use charmer_core::order;

use super::shape::{ByteSet, ByteShape};

/// The maximum number of bytes of shapes that are told apart. Of the secrets behind them nothing is known.
const MAX_POSITIONS: usize = 16 << 10;
/// The maximum number of secrets of a finder.
pub(super) const MAX_SECRETS: usize = 16 << 10;
/// The maximum number of ways from bytes of one shape to the next.
const MAX_STEPS: usize = 64 << 10;
/// The number of times that a counted part of a pattern is written out; what is counted further may be endless.
const MAX_COPIES: usize = 64;
/// The maximum number of entries in the table of a [`FinderMemory`], of four bytes each.
const MAX_TABLE: usize = 256 << 10;
/// The number of bytes that each new state must have been good for. Below that a table only costs time.
const WORTH: u64 = 8;

/// A byte of a shape.
#[derive(Debug)]
struct ShapeByte {
    bytes: ByteSet,
    /// The positions that can stand before it.
    before: Vec<u16>,
    /// The secret that begins with it.
    begins: Option<u16>,
}

/// The shapes of all secrets.
#[derive(Debug, Default)]
pub(super) struct Finder {
    positions: Vec<ShapeByte>,
    /// The positions at which secrets end.
    ends: Vec<u16>,
    /// Bytes that no shape tells apart are of one class.
    classes: Vec<u8>,
    /// A byte of each class.
    members: Vec<u8>,
}

impl Finder {
    /// Also returns the secrets of which nothing is known: those without a shape, and those with too large a shape.
    pub(super) fn new(shapes: &[Option<ByteShape>]) -> (Self, Vec<usize>) {
        let mut finder = Self::default();
        let mut unknown = Vec::new();
        for (secret, shape) in shapes.iter().enumerate() {
            let known = finder.positions.len();
            let mut builder = FinderBuilder {
                positions: &mut finder.positions,
                steps: 0,
            };
            let part = shape.as_ref().and_then(|shape| builder.build(shape));
            let (Some(part), Ok(id)) = (part, u16::try_from(secret)) else {
                finder.positions.truncate(known);
                unknown.push(secret);
                continue;
            };
            for first in part.first {
                finder.positions[usize::from(first)].begins = Some(id);
            }
            finder.ends.extend(part.last);
        }
        order::sort(&mut finder.ends);
        finder.ends.dedup();
        finder.classify();
        (finder, unknown)
    }

    /// Returns true if it knows of no secret.
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    fn classify(&mut self) {
        let mut sets: Vec<ByteSet> = Vec::new();
        for position in &mut self.positions {
            order::sort(&mut position.before);
            position.before.dedup();
            if !sets.contains(&position.bytes) {
                sets.push(position.bytes);
            }
        }
        let mut known: HashMap<Vec<bool>, u8> = HashMap::new();
        for byte in 0..=u8::MAX {
            let told_by = sets.iter().map(|set| set.contains(byte)).collect();
            let class = *known.entry(told_by).or_insert_with(|| {
                self.members.push(byte);
                (self.members.len() - 1) as u8
            });
            self.classes.push(class);
        }
    }

    /// The positions that can be at a byte, if these are at the one behind it.
    fn step(&self, state: &FinderState, byte: u8) -> Vec<u16> {
        let mut reached = Vec::new();
        let allows = |&at: &u16| self.positions[usize::from(at)].bytes.contains(byte);
        match state.kind {
            ShapeKind::Open => {
                let all = 0..self.positions.len() as u16;
                reached.extend(all.filter(allows));
            }
            ShapeKind::Search | ShapeKind::Anchored => {
                for &at in &state.positions {
                    let before = &self.positions[usize::from(at)].before;
                    reached.extend(before.iter().copied().filter(allows));
                }
            }
        }
        if state.kind == ShapeKind::Search {
            reached.extend(self.ends.iter().copied().filter(allows));
        }
        order::sort(&mut reached);
        reached.dedup();
        reached
    }
}

/// The first and last positions of a part of a shape.
struct ShapePart {
    is_optional: bool,
    first: Vec<u16>,
    last: Vec<u16>,
}

struct FinderBuilder<'f> {
    positions: &'f mut Vec<ShapeByte>,
    steps: usize,
}

impl FinderBuilder<'_> {
    fn build(&mut self, shape: &ByteShape) -> Option<ShapePart> {
        Some(match shape {
            ByteShape::Empty => ShapePart {
                is_optional: true,
                first: Vec::new(),
                last: Vec::new(),
            },
            ByteShape::One(bytes) => {
                let at = u16::try_from(self.positions.len()).ok()?;
                if self.positions.len() >= MAX_POSITIONS {
                    return None;
                }
                self.positions.push(ShapeByte {
                    bytes: *bytes,
                    before: Vec::new(),
                    begins: None,
                });
                ShapePart {
                    is_optional: false,
                    first: vec![at],
                    last: vec![at],
                }
            }
            ByteShape::Sequence(parts) => {
                let mut all = self.build(&ByteShape::Empty)?;
                for part in parts {
                    let next = self.build(part)?;
                    all = self.join(all, next)?;
                }
                all
            }
            ByteShape::Either(parts) => {
                let mut any = ShapePart {
                    is_optional: false,
                    first: Vec::new(),
                    last: Vec::new(),
                };
                for part in parts {
                    let part = self.build(part)?;
                    any.is_optional |= part.is_optional;
                    any.first.extend(part.first);
                    any.last.extend(part.last);
                }
                any
            }
            ByteShape::Repeat {
                inner,
                least,
                endless,
            } => {
                let endless = *endless || *least > MAX_COPIES;
                let mut all = self.build(&ByteShape::Empty)?;
                for _ in 1..(*least).min(MAX_COPIES) {
                    let copy = self.build(inner)?;
                    all = self.join(all, copy)?;
                }
                if *least > 0 || endless {
                    let mut copy = self.build(inner)?;
                    if endless {
                        self.link(&copy.last.clone(), &copy.first)?;
                    }
                    copy.is_optional |= *least == 0;
                    all = self.join(all, copy)?;
                }
                all
            }
        })
    }

    fn join(&mut self, a: ShapePart, b: ShapePart) -> Option<ShapePart> {
        self.link(&a.last, &b.first)?;
        let mut joined = ShapePart {
            is_optional: a.is_optional && b.is_optional,
            first: a.first,
            last: b.last,
        };
        if a.is_optional {
            joined.first.extend(b.first);
        }
        if b.is_optional {
            joined.last.extend(a.last);
        }
        Some(joined)
    }

    fn link(&mut self, from: &[u16], to: &[u16]) -> Option<()> {
        self.steps += from.len() * to.len();
        if self.steps > MAX_STEPS {
            return None;
        }
        for &at in to {
            self.positions[usize::from(at)]
                .before
                .extend_from_slice(from);
        }
        Some(())
    }
}

/// The way a state came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ShapeKind {
    /// A secret may end at any byte.
    Search,
    /// At the end of a text that may go on: any byte of a secret may be the next one.
    Open,
    /// Only what was there at the end of the text is followed.
    Anchored,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FinderState {
    kind: ShapeKind,
    positions: Vec<u16>,
}

/// The states that were made so far.
#[derive(Debug, Default)]
pub(super) struct FinderMemory {
    /// For each state and class the next state, with [`BEGINS`].
    next: Vec<u32>,
    states: Vec<FinderState>,
    /// The secrets that begin in a state.
    begins: Vec<Vec<u16>>,
    ids: HashMap<FinderState, u32>,
    /// The number of bytes that were read since the table was emptied.
    read: u64,
    /// Too many states are needed for these secrets.
    is_worn: bool,
}

const UNKNOWN: u32 = u32::MAX;
/// Marks a state in which a secret begins.
const BEGINS: u32 = 1 << 31;

impl FinderMemory {
    /// Tells where secrets may begin, from the end of the text to its beginning. `None` if it cannot be told.
    pub(super) fn find(
        &mut self,
        finder: &Finder,
        text: &[u8],
        mut found: impl FnMut(u16, usize),
    ) -> Option<()> {
        self.read += text.len() as u64;
        let mut state = self.id(finder, ShapeKind::Search, Vec::new())?;
        for (at, &byte) in text.iter().enumerate().rev() {
            let next = self.next(finder, state, byte)?;
            state = next & !BEGINS;
            if next & BEGINS != 0 {
                for &secret in &self.begins[state as usize] {
                    found(secret, at);
                }
            }
        }
        Some(())
    }

    /// The place where the first secret may begin that the end of the text may cut in two, and the number of bytes that
    /// the search took.
    pub(super) fn cut_secret(&mut self, finder: &Finder, text: &[u8]) -> Option<(usize, usize)> {
        let mut state = self.id(finder, ShapeKind::Open, Vec::new())?;
        let mut first = text.len();
        for (at, &byte) in text.iter().enumerate().rev() {
            let next = self.next(finder, state, byte)?;
            state = next & !BEGINS;
            if next & BEGINS != 0 {
                first = at;
            } else if self.states[state as usize].positions.is_empty() {
                return Some((first, text.len() - at));
            }
        }
        Some((first, text.len()))
    }

    fn next(&mut self, finder: &Finder, state: u32, byte: u8) -> Option<u32> {
        let class = usize::from(finder.classes[usize::from(byte)]);
        let place = state as usize * finder.members.len() + class;
        let next = self.next[place];
        if next != UNKNOWN {
            return Some(next);
        }
        let from = &self.states[state as usize];
        let kind = match from.kind {
            ShapeKind::Search => ShapeKind::Search,
            ShapeKind::Open | ShapeKind::Anchored => ShapeKind::Anchored,
        };
        let reached = finder.step(from, finder.members[class]);
        let made = self.states.len();
        let mut next = self.id(finder, kind, reached)?;
        if !self.begins[next as usize].is_empty() {
            next |= BEGINS;
        }
        // The table may have been emptied, and then the place is another state's.
        if self.states.len() >= made {
            self.next[place] = next;
        }
        Some(next)
    }

    fn id(&mut self, finder: &Finder, kind: ShapeKind, positions: Vec<u16>) -> Option<u32> {
        let state = FinderState { kind, positions };
        if let Some(&id) = self.ids.get(&state) {
            return Some(id);
        }
        if self.is_worn {
            return None;
        }
        if self.next.len() + finder.members.len() > MAX_TABLE {
            self.is_worn = self.read < WORTH * self.states.len() as u64;
            self.next.clear();
            self.states.clear();
            self.begins.clear();
            self.ids.clear();
            self.read = 0;
        }
        let id = self.states.len() as u32;
        let mut begins: Vec<u16> = state
            .positions
            .iter()
            .filter_map(|&at| finder.positions[usize::from(at)].begins)
            .collect();
        begins.dedup();
        self.begins.push(begins);
        self.next
            .resize(self.next.len() + finder.members.len(), UNKNOWN);
        self.ids.insert(state.clone(), id);
        self.states.push(state);
        Some(id)
    }
}
