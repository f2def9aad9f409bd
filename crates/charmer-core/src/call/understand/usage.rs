//! The words of a usage pattern that could not be read into positionals: enough of it to put values that were given by
//! name in their order.
//!
//! `[<options>] <branch> | [<options>] [<branch>] -- <file>...` are two lines. A line that holds anything else than
//! plain words, flags and dashes (`<ref>@{<n>}`, `TYPE/NAME`) is no help, and left out.

use crate::{model::split_outside_brackets, order, tool::Input};

/// The most lines that alternatives in brackets are multiplied into.
const MOST_LINES: usize = 64;

/// A word of a usage line that stands for values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsageWord {
    pub(super) name: String,
    /// The least number of its values.
    pub(super) least: usize,
    /// The greatest.
    pub(super) most: usize,
    /// A `--` stands before it.
    pub(super) behind_dashes: bool,
}

/// One line of a usage pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsageLine {
    pub(super) words: Vec<UsageWord>,
    /// The flags without which it is not this line: `-d` of `-d <branch>...`.
    pub(super) flags: Vec<String>,
    /// The flags that may stand in it, and not in every line: `-l` of `[-l] [<pattern>...]`.
    pub(super) options: Vec<String>,
}

impl UsageLine {
    /// Returns true if this many bare words can stand here, and the line says that some must.
    pub(super) fn wants_words(&self, count: usize) -> bool {
        let least: usize = self.words.iter().map(|word| word.least).sum();
        let most = self.words.iter().map(|word| word.most);
        let most = most.fold(0, usize::saturating_add);
        (1..=count).contains(&least) && count <= most
    }
}

/// A usage pattern, line by line.
#[derive(Debug, Default)]
pub(super) struct UsagePattern {
    lines: Vec<UsageLine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum UsagePart {
    Word {
        name: String,
        required: bool,
        many: bool,
        /// It follows a flag directly, and so may be its value.
        behind_flag: bool,
    },
    Flag {
        name: String,
        required: bool,
    },
    Dashes,
    /// Something that cannot be read, or a word that stands for flags.
    Other {
        required: bool,
    },
}

impl UsagePattern {
    pub(super) fn read(pattern: &str, input: &Input) -> Self {
        let lines = alternatives(pattern, true, 0).unwrap_or_default();
        let lines = lines.into_iter().filter_map(|line| read_line(line, input));
        Self {
            lines: lines.collect(),
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &UsageLine> {
        self.lines.iter()
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &UsageWord> {
        self.lines.iter().flat_map(|line| &line.words)
    }
}

/// Reads one line; none if something in it must be there that cannot be read.
fn read_line(line: Vec<UsagePart>, input: &Input) -> Option<UsageLine> {
    let mut words: Vec<UsageWord> = Vec::new();
    let mut needed: Vec<String> = Vec::new();
    let mut options: Vec<String> = Vec::new();
    let mut dashes = false;
    let mut parts = line.into_iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            UsagePart::Dashes => dashes = true,
            UsagePart::Other { required: true } => return None,
            UsagePart::Other { required: false } => {}
            UsagePart::Flag { name, required } => {
                // A word behind a flag that takes a value is that value.
                let mut flags = input.flags.iter();
                let known = flags.find(|property| property.flag.is_named(&name));
                let switch = known.is_some_and(|property| property.flag.is_switch());
                let follows = parts.next_if(|part| {
                    let follows = matches!(
                        part,
                        UsagePart::Word {
                            behind_flag: true,
                            ..
                        }
                    );
                    follows && !switch
                });
                if follows.is_some() && required {
                    known?;
                }
                match required {
                    true => needed.push(name),
                    false => options.push(name),
                }
            }
            UsagePart::Word {
                name,
                required,
                many,
                ..
            } => {
                let (least, most) = (usize::from(required), if many { usize::MAX } else { 1 });
                match words.last_mut().filter(|last| last.name == name) {
                    // `<commit> [<commit>...]`
                    Some(last) => {
                        last.least += least;
                        last.most = last.most.saturating_add(most);
                    }
                    None => words.push(UsageWord {
                        name,
                        least,
                        most,
                        behind_dashes: dashes,
                    }),
                }
            }
        }
    }
    let mut names: Vec<&str> = words.iter().map(|word| word.name.as_str()).collect();
    order::sort(&mut names);
    let once = names.windows(2).all(|pair| pair[0] != pair[1]);
    once.then_some(UsageLine {
        words,
        flags: needed,
        options,
    })
}

/// The lines that a pattern stands for; none if its brackets do not match or there are too many.
fn alternatives(pattern: &str, required: bool, depth: usize) -> Option<Vec<Vec<UsagePart>>> {
    if depth > 8 {
        return None;
    }
    let mut lines = Vec::new();
    for alternative in split_outside_brackets(pattern, |c| c == '|')? {
        let mut so_far: Vec<Vec<UsagePart>> = vec![Vec::new()];
        let mut flag_before = false;
        for element in split_outside_brackets(alternative, char::is_whitespace)? {
            let mut choices = element_parts(element, required, depth)?;
            if let [only] = &mut choices[..]
                && let [UsagePart::Word { behind_flag, .. }] = &mut only[..]
            {
                *behind_flag = flag_before && !element.starts_with(['[', '(']);
            }
            flag_before =
                element.starts_with('-') && element != "--" && !element.contains(['=', '[']);
            so_far = so_far
                .iter()
                .flat_map(|line| {
                    choices.iter().map(|parts| {
                        let mut line = line.clone();
                        line.extend(parts.iter().cloned());
                        line
                    })
                })
                .take(MOST_LINES + 1)
                .collect();
        }
        lines.extend(so_far);
        if lines.len() > MOST_LINES {
            return None;
        }
    }
    Some(lines)
}

/// Returns the sequences of parts that one element of a pattern can stand for.
fn element_parts(element: &str, required: bool, depth: usize) -> Option<Vec<Vec<UsagePart>>> {
    let bare = element.trim_end_matches("...").trim_end_matches('…');
    let many = bare.len() != element.len();
    if bare.is_empty() {
        // Dots by themselves belong to what stands before them; that is not told apart here.
        return Some(vec![vec![UsagePart::Other { required: false }]]);
    }
    if bare == "--" {
        return Some(vec![vec![UsagePart::Dashes]]);
    }
    for (open, close) in [('[', ']'), ('(', ')')] {
        let inner = bare
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) =
            inner.filter(|inner| split_outside_brackets(inner, |_| false).is_some())
        {
            let mut inner = alternatives(inner, required && open == '(', depth + 1)?;
            if many {
                for part in inner.iter_mut().flatten() {
                    if let UsagePart::Word { many, .. } = part {
                        *many = true;
                    }
                }
            }
            return Some(inner);
        }
    }
    let part = if bare.starts_with('-') {
        let name = bare.split(['=', '[']).next().unwrap_or(bare);
        UsagePart::Flag {
            name: name.to_owned(),
            required,
        }
    } else {
        match plain_word(bare) {
            Some(name) if !["options", "flags", "opts"].contains(&&*name.to_lowercase()) => {
                UsagePart::Word {
                    name,
                    required,
                    many,
                    behind_flag: false,
                }
            }
            Some(_) => UsagePart::Other { required: false },
            None => UsagePart::Other { required },
        }
    };
    Some(vec![vec![part]])
}

/// The name in `<name>` or `NAME`, with what may follow it directly (`TYPE[.VERSION]`) left out.
fn plain_word(element: &str) -> Option<String> {
    let (head, tail) = element.split_at(element.find('[').unwrap_or(element.len()));
    let tail_is_optional = split_outside_brackets(tail, |_| false).is_some()
        && (tail.is_empty() || tail.ends_with(']'));
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '))
    };
    let quoted = head
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    // A word in small letters without brackets is to be written as it stands.
    let name = quoted.or_else(|| Some(head).filter(|head| *head == head.to_uppercase()))?;
    (tail_is_optional && is_name(name)).then(|| name.to_owned())
}
