//! The shape of a secret for the [`Finder`](super::finder::Finder): bytes that may follow each other.
//!
//! A shape allows at least what its pattern matches. It may allow more (anchors and word boundaries are left away, long
//! counts have no upper end, beyond ASCII all characters are alike), because the pattern itself has the last word.

use std::{iter::Peekable, str::Chars};

use regex_lite::Regex;

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
pub(super) enum ByteShape {
    Empty,
    One(ByteSet),
    Sequence(Vec<ByteShape>),
    Either(Vec<ByteShape>),
    /// At least so many times, and as often as it likes if it is `endless`.
    Repeat {
        inner: Box<ByteShape>,
        least: usize,
        endless: bool,
    },
}

impl ByteShape {
    /// The shape of a text.
    fn literal(text: &str) -> Self {
        Self::Sequence(
            text.bytes()
                .map(|byte| Self::One(ByteSet::of([byte])))
                .collect(),
        )
    }

    /// The shape of whatever matches a regular expression that has been compiled before. `None` if the expression is
    /// not wholly understood: then it may match anything.
    pub(super) fn of_pattern(pattern: &str) -> Option<Self> {
        let mut parser = Parser {
            rest: pattern.chars().peekable(),
            flags: PatternFlags::default(),
        };
        let shape = parser.alternatives()?;
        parser.rest.peek().is_none().then_some(shape)
    }

    /// Returns true if it can go across lines.
    pub(super) fn crosses_lines(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::One(set) => set.contains(b'\n'),
            Self::Sequence(parts) | Self::Either(parts) => parts.iter().any(Self::crosses_lines),
            Self::Repeat { inner, .. } => inner.crosses_lines(),
        }
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
struct PatternFlags {
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

    fn shape(self) -> ByteShape {
        if !self.others {
            return ByteShape::One(self.ascii);
        }
        let mut first = self.ascii;
        (0xc2..=0xf4).for_each(|byte| first.insert(byte));
        let rest = ByteShape::One(ByteSet::of(0x80..=0xbf)).repeated(0, true);
        ByteShape::Sequence(vec![ByteShape::One(first), rest])
    }
}

/// Reads the language of `regex-lite`. `None` is what it does not understand.
struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    flags: PatternFlags,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Option<ByteShape> {
        let mut all = Vec::new();
        let mut sequence = Vec::new();
        loop {
            match self.rest.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.rest.next();
                    all.push(ByteShape::Sequence(std::mem::take(&mut sequence)));
                }
                Some(_) => {
                    let atom = self.atom()?;
                    sequence.push(self.repetitions(atom)?);
                }
            }
        }
        all.push(ByteShape::Sequence(sequence));
        Some(if all.len() == 1 {
            all.pop()?
        } else {
            ByteShape::Either(all)
        })
    }

    fn atom(&mut self) -> Option<ByteShape> {
        Some(match self.rest.next()? {
            '(' => self.group()?,
            '[' => self.class()?.shape(),
            '^' | '$' => ByteShape::Empty,
            '.' if self.flags.dot_is_all => CharacterSet::default().negated().shape(),
            '.' => CharacterSet::ascii(|byte| byte == b'\n').negated().shape(),
            '\\' => match self.escape()? {
                Escape::Nothing => ByteShape::Empty,
                Escape::Set(set) => set.shape(),
                Escape::Char(c) => self.character(c),
            },
            c => self.character(c),
        })
    }

    fn character(&self, c: char) -> ByteShape {
        if !c.is_ascii() {
            return if self.flags.ignore_case {
                let any = CharacterSet {
                    others: true,
                    ..CharacterSet::default()
                };
                any.shape()
            } else {
                ByteShape::literal(c.encode_utf8(&mut [0; 4]))
            };
        }
        let set = CharacterSet::ascii(|byte| char::from(byte) == c);
        if self.flags.ignore_case {
            set.ignoring_case().shape()
        } else {
            set.shape()
        }
    }

    fn group(&mut self) -> Option<ByteShape> {
        let outside = self.flags;
        if self.rest.next_if_eq(&'?').is_some() {
            match self.rest.peek()? {
                'P' | '<' => while self.rest.next()? != '>' {},
                _ => {
                    // Flags alone hold until the surrounding group ends.
                    if self.flags()? == ')' {
                        // A repetition behind them would be one of what comes before them.
                        if matches!(self.rest.peek(), Some('*' | '+' | '?' | '{')) {
                            return None;
                        }
                        return Some(ByteShape::Empty);
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

    fn repetitions(&mut self, mut atom: ByteShape) -> Option<ByteShape> {
        loop {
            atom = match self.rest.peek() {
                Some('*') => atom.repeated(0, true),
                Some('+') => atom.repeated(1, true),
                Some('?') => ByteShape::Either(vec![ByteShape::Empty, atom]),
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

    /// A class of characters behind its bracket. Only its end is looked for: `regex-lite` itself tells what it matches.
    fn class(&mut self) -> Option<CharacterSet> {
        let mut text = String::from("[");
        text.extend(self.rest.next_if_eq(&'^'));
        let mut may_be_named = true;
        if let Some(bracket) = self.rest.next_if_eq(&']') {
            text.push(bracket);
        }
        while let Some(dash) = self.rest.next_if_eq(&'-') {
            text.push(dash);
        }
        loop {
            let c = self.rest.next()?;
            text.push(c);
            match c {
                ']' => break,
                '\\' => text.push(self.rest.next()?),
                // A class such as `[:alpha:]`. Behind a dash it may be the end of a range.
                '[' if may_be_named => {
                    let name: String = self.rest.by_ref().take_while(|&c| c != ']').collect();
                    if name.len() < 2 || !name.starts_with(':') || !name.ends_with(':') {
                        return None;
                    }
                    text.push_str(&name);
                    text.push(']');
                }
                '[' => return None,
                _ => {}
            }
            may_be_named = c != '-';
        }
        let flags = if self.flags.ignore_case { "(?i)" } else { "" };
        let class = Regex::new(&format!("{flags}{text}")).ok()?;
        let ascii: String = (0..0x80u8).map(char::from).collect();
        let members = class.find_iter(&ascii).map(|found| found.start() as u8);
        // Negations and characters by their number may go beyond ASCII.
        let beyond = ["^", r"\D", r"\S", r"\W", r"\x", r"\u", r"\U"];
        Some(CharacterSet {
            ascii: ByteSet::of(members),
            others: !text.is_ascii() || beyond.iter().any(|mark| text.contains(mark)),
        })
    }

    fn escape(&mut self) -> Option<Escape> {
        Some(match self.rest.next()? {
            'd' => Escape::Set(CharacterSet::ascii(|byte| byte.is_ascii_digit())),
            'D' => Escape::Set(CharacterSet::ascii(|byte| byte.is_ascii_digit()).negated()),
            'w' => Escape::Set(CharacterSet::ascii(is_word)),
            'W' => Escape::Set(CharacterSet::ascii(is_word).negated()),
            's' => Escape::Set(CharacterSet::ascii(is_space)),
            'S' => Escape::Set(CharacterSet::ascii(is_space).negated()),
            'b' if self.is_named_boundary() => {
                while self.rest.next()? != '}' {}
                Escape::Nothing
            }
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

    /// Returns true if a name such as `{start}` comes next. Otherwise a bracket begins a repetition.
    fn is_named_boundary(&self) -> bool {
        let mut ahead = self.rest.clone();
        ahead.next() == Some('{')
            && ahead
                .next()
                .is_some_and(|c| c.is_ascii_alphabetic() || c == '-')
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
