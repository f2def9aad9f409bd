//! Reading the tree: what every key's reader needs, and the list that mistakes are collected in.
//!
//! A reader gives `None` for what it cannot use, after it has said why; whoever called it goes on with the rest.

use std::ops::Range;

use charmer_core::text::nearest;

use crate::{
    Diagnostic, Position,
    yaml::{Node, Quoted, YamlKind},
};

/// The number of mistakes that are kept. Whoever has more has another problem.
const MOST: usize = 1_000;

/// The text and what is wrong with it.
pub struct Problems<'t> {
    text: &'t str,
    /// The bytes where lines end.
    line_ends: Vec<usize>,
    list: Vec<Diagnostic>,
    advice: Vec<Diagnostic>,
    /// The parts of the file that must not be shown.
    secrets: Vec<Range<usize>>,
}

impl<'t> Problems<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            line_ends: text.match_indices('\n').map(|(at, _)| at).collect(),
            list: Vec::new(),
            advice: Vec::new(),
            secrets: Vec::new(),
        }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The place of a byte of the text.
    pub(crate) fn position(&self, byte: usize) -> Position {
        Position {
            line: self.line_ends.partition_point(|end| *end < byte) + 1,
            file: None,
        }
    }

    /// Returns true if a mistake was noted.
    pub fn any(&self) -> bool {
        !self.list.is_empty()
    }

    /// The text with its secrets starred out, the mistakes, and the advice.
    pub(crate) fn into_parts(self) -> (String, Vec<Diagnostic>, Vec<Diagnostic>) {
        let mut text = String::with_capacity(self.text.len());
        let mut secrets = self.secrets;
        secrets.sort_by_key(|span| span.start);
        let mut shown = 0;
        for secret in secrets {
            let start = secret.start.max(shown);
            let end = secret.end.max(start);
            text.push_str(&self.text[shown..start]);
            for c in self.text[start..end].chars() {
                if c == '\n' {
                    text.push(c);
                } else {
                    // As many bytes as before, so that places stay where they are.
                    text.extend(std::iter::repeat_n('*', c.len_utf8()));
                }
            }
            shown = end;
        }
        text.push_str(&self.text[shown..]);
        let advice = placed(self.advice, self.text);
        (text, placed(self.list, self.text), advice)
    }

    /// Notes a mistake.
    pub fn add(&mut self, span: Range<usize>, message: impl Into<String>) -> Added<'_> {
        self.list.push(unplaced(span, message.into()));
        Added(self.list.last_mut().expect("it was just added"))
    }

    /// Notes what is no mistake, but should be known.
    pub fn advise(&mut self, span: Range<usize>, message: impl Into<String>) -> Added<'_> {
        self.advice.push(unplaced(span, message.into()));
        Added(self.advice.last_mut().expect("it was just added"))
    }

    /// Stars out every scalar of a node.
    pub fn hide(&mut self, node: &Node) {
        match &node.kind {
            YamlKind::List(list) => list.iter().for_each(|node| self.hide(node)),
            YamlKind::Map(entries) => entries.iter().for_each(|(_, value)| self.hide(value)),
            _ => self.secrets.push(node.span.clone()),
        }
    }

    /// Notes that a node is not what it must be.
    pub fn wrong(&mut self, node: &Node, what: &str, expected: &str) -> Added<'_> {
        let found = match &node.kind {
            YamlKind::Null => return self.add(node.span.clone(), format!("`{what}` has no value")),
            YamlKind::Bool(_) => "`true` or `false`",
            YamlKind::Integer(_) | YamlKind::Float => "a number",
            YamlKind::Text(_) => "text",
            YamlKind::List(_) => "a list",
            YamlKind::Map(_) => "a mapping",
        };
        let message = format!("`{what}` must be {expected}, and this is {found}");
        self.add(node.span.clone(), message)
    }

    /// The entries of a mapping under these keys; others are mistakes.
    pub fn fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &'static [&'static str],
    ) -> Option<Fields<'n>> {
        self.fields_or(node, what, keys, "a mapping")
    }

    /// The same, where something else than a mapping was possible too.
    pub(crate) fn fields_or<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        keys: &'static [&'static str],
        expected: &str,
    ) -> Option<Fields<'n>> {
        let YamlKind::Map(entries) = &node.kind else {
            self.wrong(node, what, expected)
                .hint(format!("its keys are {}", listed(keys)));
            return None;
        };
        if entries.is_empty() {
            self.add(node.span.clone(), format!("`{what}` is empty"))
                .hint(format!("its keys are {}", listed(keys)));
        }
        for (key, value) in entries {
            let name = match &key.kind {
                YamlKind::Text(name) if keys.contains(&name.as_str()) => continue,
                YamlKind::Text(name) => name,
                _ => {
                    self.add(key.span.clone(), "a key must be a word")
                        .hint(format!("the keys here are {}", listed(keys)));
                    continue;
                }
            };
            let near = synonym(name, keys).or_else(|| nearest(name, keys.iter().copied()));
            // A slip in the name of a key that holds secrets must not show them.
            if what == "redact" || matches!(near, Some("env" | "environment" | "redact" | "set")) {
                self.hide(value);
            }
            let hint = match near {
                _ if what == "select" && OF_PROGRAM.contains(&name.as_str()) => {
                    format!("`{name}` is for a whole program: put it beside `binary` and `select`")
                }
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys here are {}", listed(keys)),
            };
            self.add(key.span.clone(), format!("unknown key {}", Quoted(name)))
                .hint(hint);
        }
        Some(Fields {
            node,
            entries,
            what: what.to_owned(),
        })
    }

    /// The elements of a list that is not empty.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str, hint: &str) -> &'n [Node] {
        match &node.kind {
            YamlKind::List(list) => {
                if list.is_empty() {
                    self.add(node.span.clone(), format!("the list `{what}` is empty"))
                        .hint(hint);
                }
                list
            }
            YamlKind::Text(_) => {
                self.wrong(node, what, "a list")
                    .hint(format!("put it in brackets: `{what}: [...]`"));
                &[]
            }
            _ => {
                self.wrong(node, what, "a list").hint(hint);
                &[]
            }
        }
    }

    /// A list of words.
    pub fn words(&mut self, node: &Node, what: &str, hint: &str) -> Vec<String> {
        self.list(node, what, hint)
            .iter()
            .filter_map(|element| self.word(element, what))
            .collect()
    }
}

/// A mistake whose line is counted in the end, if it is kept.
fn unplaced(span: Range<usize>, message: String) -> Diagnostic {
    Diagnostic {
        message,
        hint: None,
        line: 0,
        column: 0,
        span,
    }
}

/// Mistakes in their order, with the lines and columns that they are on.
fn placed(mut list: Vec<Diagnostic>, text: &str) -> Vec<Diagnostic> {
    list.sort_by_key(|mistake| mistake.span.start);
    // An alias that is used twice would repeat the mistakes of what it stands for.
    list.dedup();
    list.truncate(MOST);
    // Counted on from the one before, so that many mistakes on a long line cost no more than the line.
    let (mut line, mut column, mut seen) = (1, 1, 0);
    for mistake in &mut list {
        for c in text[seen..mistake.span.start].chars() {
            (line, column) = if c == '\n' {
                (line + 1, 1)
            } else {
                (line, column + 1)
            };
        }
        seen = mistake.span.start;
        (mistake.line, mistake.column) = (line, column);
    }
    list
}

/// A mistake that was noted.
pub struct Added<'p>(&'p mut Diagnostic);

impl Added<'_> {
    /// Says what to do about it.
    pub fn hint(self, hint: impl Into<String>) {
        self.0.hint = Some(hint.into());
    }
}

/// The entries of a mapping.
pub struct Fields<'n> {
    node: &'n Node,
    entries: &'n [(Node, Node)],
    what: String,
}

impl<'n> Fields<'n> {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Reads the value of a key, if it is there; the key's name is for what is said of mistakes.
    pub fn read<'k, T>(
        &self,
        key: &'k str,
        read: impl FnOnce(&'n Node, &'k str) -> Option<T>,
    ) -> Option<T> {
        self.get(key).and_then(|node| read(node, key))
    }

    /// A key and its value.
    pub fn entry(&self, key: &str) -> Option<(&'n Node, &'n Node)> {
        self.entries
            .iter()
            .find(|(name, _)| matches!(&name.kind, YamlKind::Text(name) if name == key))
            .map(|(name, value)| (name, value))
    }

    /// The value of a key that must be there.
    pub fn require(&self, key: &str, problems: &mut Problems<'_>) -> Option<&'n Node> {
        let value = self.get(key);
        if value.is_none() {
            problems
                .add(
                    self.place(),
                    format!("`{}` needs the key `{key}`", self.what),
                )
                .hint(format!("add `{key}: ...`"));
        }
        value
    }

    /// The one of these keys that is there; none or several are mistakes.
    pub(crate) fn one_of(
        &self,
        keys: &[&'static str],
        problems: &mut Problems<'_>,
    ) -> Option<(&'static str, &'n Node)> {
        let mut given = keys
            .iter()
            .filter_map(|key| self.entry(key).map(|(name, value)| (*key, name, value)));
        let first = given.next();
        match first {
            None => {
                problems
                    .add(
                        self.place(),
                        format!("`{}` needs one of {}", self.what, listed(keys)),
                    )
                    .hint("add one of them");
            }
            Some((key, ..)) => {
                for (other, name, _) in given {
                    problems
                        .add(
                            name.span.clone(),
                            format!("`{key}` and `{other}` cannot stand together"),
                        )
                        .hint("keep one of them; a second rule is a second entry of the list");
                }
            }
        }
        first.map(|(key, _, value)| (key, value))
    }

    /// The place of a mistake about the mapping as a whole: its first key.
    fn place(&self) -> Range<usize> {
        self.entries
            .first()
            .map_or(self.node.span.clone(), |(key, _)| key.span.clone())
    }
}

/// Keys of a source that people look for in its selectors too.
const OF_PROGRAM: [&str; 6] = [
    "confine",
    "credentials",
    "read_only",
    "redirects",
    "undone_by",
    "folder",
];

/// The key that is meant by a word of people who know another program.
fn synonym(name: &str, keys: &[&'static str]) -> Option<&'static str> {
    const SYNONYMS: [(&str, &str); 26] = [
        ("env", "environment"),
        ("cwd", "folder"),
        ("dir", "folder"),
        ("working_directory", "folder"),
        ("command", "binary"),
        ("program", "binary"),
        ("local_flags", "flags"),
        ("selectors", "select"),
        ("redaction", "redact"),
        ("regex", "pattern"),
        ("deny", "exclude"),
        ("replacement", "replace"),
        ("max_concurrency", "concurrency"),
        ("name", "argument"),
        ("overrides", "override"),
        ("about", "description"),
        ("help", "description"),
        ("choices", "enum"),
        ("values", "enum"),
        ("hidden", "exclude"),
        ("arguments", "args"),
        ("pin", "set"),
        ("environment", "env"),
        ("directories", "paths"),
        ("arguments", "argv"),
        ("sandbox", "confine"),
    ];
    let name = name.to_ascii_lowercase().replace('-', "_");
    let same = keys.iter().find(|key| **key == name).copied();
    same.or_else(|| {
        let meant = SYNONYMS.iter().filter(|(other, _)| *other == name);
        meant
            .filter_map(|(_, key)| keys.iter().find(|known| *known == key).copied())
            .next()
    })
}

/// `a`, `b` and `c`.
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
