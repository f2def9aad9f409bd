//! What a secret looks like to the [`Finder`](super::finder::Finder): bytes that may follow each other.
//!
//! A shape allows at least what its pattern matches. It may allow more (anchors and word boundaries are left away, long
//! counts have no upper end, beyond ASCII all characters are alike), because the pattern itself has the last word.

use std::{iter::Peekable, str::Chars};

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }

    pub(super) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
}

/// Bytes that may follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Empty,
    One(ByteSet),
    Sequence(Vec<Shape>),
    Either(Vec<Shape>),
    /// At least so many times, and as often as it likes if it is `endless`.
    Repeat {
        inner: Box<Shape>,
        least: usize,
        endless: bool,
    },
}

impl Shape {
    /// The shape of a text.
    pub(super) fn literal(text: &str) -> Self {
        Self::Sequence(
            text.bytes()
                .map(|byte| Self::One(ByteSet::of([byte])))
                .collect(),
        )
    }

    /// The shape of whatever matches a regular expression that has been compiled before. What is not understood may
    /// be anything within a line.
    pub(super) fn of_pattern(pattern: &str) -> Self {
        let mut parser = Parser {
            rest: pattern.chars().peekable(),
            flags: Flags::default(),
        };
        let shape = parser.alternatives();
        match shape {
            Some(shape) if parser.rest.peek().is_none() => shape,
            _ => Self::any_line(),
        }
    }

    /// Anything within a line.
    pub(super) fn any_line() -> Self {
        let bytes = (0..=u8::MAX).filter(|&byte| byte != b'\n');
        Self::One(ByteSet::of(bytes)).repeated(1, true)
    }

    /// Whether it can go across lines.
    pub(super) fn crosses_lines(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::One(set) => set.contains(b'\n'),
            Self::Sequence(parts) | Self::Either(parts) => parts.iter().any(Self::crosses_lines),
            Self::Repeat { inner, .. } => inner.crosses_lines(),
        }
    }

    /// Any byte, any number of times.
    pub(super) fn anything() -> Self {
        Self::One(ByteSet::of(0..=u8::MAX)).repeated(0, true)
    }

    fn repeated(self, least: usize, endless: bool) -> Self {
        Self::Repeat {
            inner: Box::new(self),
            least,
            endless,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_is_all: bool,
}

/// Characters of ASCII, and whether others belong to them.
#[derive(Debug, Clone, Copy, Default)]
struct CharacterSet {
    ascii: ByteSet,
    others: bool,
}

impl CharacterSet {
    fn ascii(is_member: impl Fn(u8) -> bool) -> Self {
        Self {
            ascii: ByteSet::of((0..0x80).filter(|&byte| is_member(byte))),
            others: false,
        }
    }

    fn add(&mut self, other: Self) {
        for (own, more) in self.ascii.0.iter_mut().zip(other.ascii.0) {
            *own |= more;
        }
        self.others |= other.others;
    }

    fn add_range(&mut self, first: char, last: char) {
        for byte in 0..0x80u8 {
            if (first..=last).contains(&char::from(byte)) {
                self.ascii.insert(byte);
            }
        }
        self.others |= !last.is_ascii();
    }

    fn negated(self) -> Self {
        Self {
            others: true,
            ..Self::ascii(|byte| !self.ascii.contains(byte))
        }
    }

    fn ignoring_case(self) -> Self {
        Self {
            others: self.others,
            ..Self::ascii(|byte| {
                self.ascii.contains(byte.to_ascii_lowercase())
                    || self.ascii.contains(byte.to_ascii_uppercase())
            })
        }
    }

    fn shape(self) -> Shape {
        if !self.others {
            return Shape::One(self.ascii);
        }
        let mut first = self.ascii;
        (0xc2..=0xf4).for_each(|byte| first.insert(byte));
        let rest = Shape::One(ByteSet::of(0x80..=0xbf)).repeated(0, true);
        Shape::Sequence(vec![Shape::One(first), rest])
    }
}

/// Reads the language of `regex-lite`. `None` is what it does not understand.
struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    flags: Flags,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Option<Shape> {
        let mut all = Vec::new();
        let mut sequence = Vec::new();
        loop {
            match self.rest.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.rest.next();
                    all.push(Shape::Sequence(std::mem::take(&mut sequence)));
                }
                Some(_) => {
                    let atom = self.atom()?;
                    sequence.push(self.repetitions(atom)?);
                }
            }
        }
        all.push(Shape::Sequence(sequence));
        Some(if all.len() == 1 {
            all.pop()?
        } else {
            Shape::Either(all)
        })
    }

    fn atom(&mut self) -> Option<Shape> {
        Some(match self.rest.next()? {
            '(' => self.group()?,
            '[' => self.class()?.shape(),
            '^' | '$' => Shape::Empty,
            '.' if self.flags.dot_is_all => CharacterSet::default().negated().shape(),
            '.' => CharacterSet::ascii(|byte| byte == b'\n').negated().shape(),
            '\\' => match self.escape()? {
                Escape::Nothing => Shape::Empty,
                Escape::Set(set) => set.shape(),
                Escape::Char(c) => self.character(c),
            },
            c => self.character(c),
        })
    }

    fn character(&self, c: char) -> Shape {
        if !c.is_ascii() {
            return if self.flags.ignore_case {
                let any = CharacterSet {
                    others: true,
                    ..CharacterSet::default()
                };
                any.shape()
            } else {
                Shape::literal(c.encode_utf8(&mut [0; 4]))
            };
        }
        let set = CharacterSet::ascii(|byte| char::from(byte) == c);
        if self.flags.ignore_case {
            set.ignoring_case().shape()
        } else {
            set.shape()
        }
    }

    fn group(&mut self) -> Option<Shape> {
        let outside = self.flags;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.peek()? {
                'P' | '<' => while self.rest.next()? != '>' {},
                _ => {
                    // Flags alone hold until the surrounding group ends.
                    if self.flags()? == ')' {
                        return Some(Shape::Empty);
                    }
                }
            }
        }
        let inner = self.alternatives()?;
        self.flags = outside;
        (self.rest.next()? == ')').then_some(inner)
    }

    /// Reads flags and the character behind them, which ends the group or begins its inside.
    fn flags(&mut self) -> Option<char> {
        let mut on = true;
        loop {
            match self.rest.next()? {
                '-' => on = false,
                'i' => self.flags.ignore_case = on,
                's' => self.flags.dot_is_all = on,
                'm' | 'U' | 'R' | 'u' => {}
                end @ (')' | ':') => return Some(end),
                // Among them `x`: space would have no meaning from here on.
                _ => return None,
            }
        }
    }

    fn repetitions(&mut self, mut atom: Shape) -> Option<Shape> {
        loop {
            atom = match self.rest.peek() {
                Some('*') => atom.repeated(0, true),
                Some('+') => atom.repeated(1, true),
                Some('?') => Shape::Either(vec![Shape::Empty, atom]),
                Some('{') => {
                    let counts: String = self.rest.by_ref().take_while(|&c| c != '}').collect();
                    let (least, most) = match counts[1..].split_once(',') {
                        Some((least, most)) => (least.trim(), most.trim()),
                        None => (counts[1..].trim(), counts[1..].trim()),
                    };
                    let number = |text: &str, absent: usize| match text {
                        "" => Some(absent),
                        text => text.parse().ok(),
                    };
                    let (least, most) = (number(least, 0)?, number(most, usize::MAX)?);
                    self.rest.next_if_eq(&'?');
                    atom = atom.repeated(least, most > least);
                    continue;
                }
                _ => return Some(atom),
            };
            self.rest.next();
            self.rest.next_if_eq(&'?');
        }
    }

    fn class(&mut self) -> Option<CharacterSet> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut set = CharacterSet::default();
        let mut is_first = true;
        loop {
            let first = match self.rest.next()? {
                ']' if !is_first => break,
                '[' if self.rest.peek() == Some(&':') => {
                    set.add(self.named_class()?);
                    is_first = false;
                    continue;
                }
                '\\' => match self.escape()? {
                    Escape::Char(c) => c,
                    Escape::Set(more) => {
                        set.add(more);
                        is_first = false;
                        continue;
                    }
                    Escape::Nothing => return None,
                },
                c => c,
            };
            is_first = false;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), Some(']') | None);
            let last = if is_range {
                self.rest.next();
                match self.rest.next()? {
                    '\\' => match self.escape()? {
                        Escape::Char(c) => c,
                        _ => return None,
                    },
                    c => c,
                }
            } else {
                first
            };
            set.add_range(first, last);
        }
        if self.flags.ignore_case {
            set = set.ignoring_case();
        }
        Some(if negated { set.negated() } else { set })
    }

    /// A class such as `[:alpha:]`, behind its first bracket.
    fn named_class(&mut self) -> Option<CharacterSet> {
        let name: String = self.rest.by_ref().take_while(|&c| c != ']').collect();
        let name = name.strip_prefix(':')?.strip_suffix(':')?;
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name),
        };
        let is_member: fn(u8) -> bool = match name {
            "alnum" => |byte| byte.is_ascii_alphanumeric(),
            "alpha" => |byte| byte.is_ascii_alphabetic(),
            "digit" => |byte| byte.is_ascii_digit(),
            "lower" => |byte| byte.is_ascii_lowercase(),
            "upper" => |byte| byte.is_ascii_uppercase(),
            "punct" => |byte| byte.is_ascii_punctuation(),
            "space" => is_space,
            "word" => is_word,
            "xdigit" => |byte| byte.is_ascii_hexdigit(),
            // The others are rare enough to be taken for all of ASCII.
            _ => |_| true,
        };
        let set = CharacterSet::ascii(is_member);
        Some(if negated { set.negated() } else { set })
    }

    fn escape(&mut self) -> Option<Escape> {
        Some(match self.rest.next()? {
            'd' => Escape::Set(CharacterSet::ascii(|byte| byte.is_ascii_digit())),
            'D' => Escape::Set(CharacterSet::ascii(|byte| byte.is_ascii_digit()).negated()),
            'w' => Escape::Set(CharacterSet::ascii(is_word)),
            'W' => Escape::Set(CharacterSet::ascii(is_word).negated()),
            's' => Escape::Set(CharacterSet::ascii(is_space)),
            'S' => Escape::Set(CharacterSet::ascii(is_space).negated()),
            // `\b{start}` and its like are rare.
            'b' if self.rest.peek() == Some(&'{') => return None,
            'b' | 'B' | 'A' | 'z' | '<' | '>' => Escape::Nothing,
            'n' => Escape::Char('\n'),
            't' => Escape::Char('\t'),
            'r' => Escape::Char('\r'),
            'a' => Escape::Char('\x07'),
            'f' => Escape::Char('\x0c'),
            'v' => Escape::Char('\x0b'),
            'x' => self.hexadecimal(2)?,
            'u' => self.hexadecimal(4)?,
            'U' => self.hexadecimal(8)?,
            c if c.is_ascii_punctuation() || c == ' ' => Escape::Char(c),
            _ => return None,
        })
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<Escape> {
        let text: String = if self.rest.next_if_eq(&'{').is_some() {
            self.rest.by_ref().take_while(|&c| c != '}').collect()
        } else {
            self.rest.by_ref().take(digits).collect()
        };
        let value = u32::from_str_radix(&text, 16).ok()?;
        char::from_u32(value).map(Escape::Char)
    }
}

enum Escape {
    /// A place between characters.
    Nothing,
    Char(char),
    Set(CharacterSet),
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}
