//! Places in the file, for what is found out about it when its programs are known.

use std::ops::Range;

use crate::yaml::{Node, YamlKind};

/// A place in the file: the keys, the entries of lists (by number, or by what they hold) and the value that lead to it.
///
/// ```
/// # use charmer_config::FilePlace;
/// let place = FilePlace::of(["set", "context"]).within(["sources", "0"]);
/// assert_eq!(place, FilePlace::of(["sources", "0", "set", "context"]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilePlace(Vec<String>);

impl FilePlace {
    /// The place at the end of these steps.
    pub fn of<'s>(steps: impl IntoIterator<Item = &'s str>) -> Self {
        Self(steps.into_iter().map(str::to_owned).collect())
    }

    /// The same place, seen from further outside.
    #[must_use]
    pub fn within<'s>(&self, outer: impl IntoIterator<Item = &'s str>) -> Self {
        let outer = outer.into_iter().map(str::to_owned);
        Self(outer.chain(self.0.iter().cloned()).collect())
    }

    /// The bytes of the text that it is about; where a step leads nowhere, those of the step before.
    pub(crate) fn span_in(&self, tree: &Node) -> Range<usize> {
        let mut span = beginning(tree);
        let mut node = tree;
        for step in &self.0 {
            match &node.kind {
                YamlKind::Map(entries) => {
                    let exact = entries.iter().find(|(key, _)| holds(key, step));
                    let listed = || entries.iter().find(|(key, _)| lists(key, step));
                    let Some((key, value)) = exact.or_else(listed) else {
                        break;
                    };
                    (span, node) = (key.span.clone(), value);
                }
                YamlKind::List(list) => {
                    let by_number = || list.get(step.parse::<usize>().ok()?);
                    let by_content = list.iter().find(|item| holds(item, step));
                    let Some(item) = by_content.or_else(by_number) else {
                        break;
                    };
                    (span, node) = (beginning(item), item);
                }
                _ if holds(node, step) => span = node.span.clone(),
                _ => break,
            }
        }
        span
    }
}

/// Returns true if a node is this text, or a mapping that has it as a value: `- argument: NAME`.
fn holds(node: &Node, text: &str) -> bool {
    match &node.kind {
        YamlKind::Text(held) => held == text,
        YamlKind::Integer(_) | YamlKind::Float => node.raw == text,
        YamlKind::Map(entries) => entries.iter().any(|(_, value)| {
            let is_scalar = !matches!(value.kind, YamlKind::Map(_) | YamlKind::List(_));
            is_scalar && holds(value, text)
        }),
        _ => false,
    }
}

/// Returns true if a key names several, and this is one of them: `status, log`.
fn lists(key: &Node, text: &str) -> bool {
    let YamlKind::Text(held) = &key.kind else {
        return false;
    };
    held.split(',').any(|one| one.trim() == text)
}

/// The beginning of a node: of a mapping, its first key.
fn beginning(node: &Node) -> Range<usize> {
    match &node.kind {
        YamlKind::Map(entries) if !entries.is_empty() => entries[0].0.span.clone(),
        _ => node.span.clone(),
    }
}

/// Something that was found out about a valid file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its place in the file.
    pub place: FilePlace,
    /// The finding, for people.
    pub message: String,
    /// The next step for whoever reads it.
    pub hint: Option<String>,
    /// It must be corrected, and is not only to be known.
    pub is_mistake: bool,
}

impl Finding {
    /// Something that must be corrected.
    pub fn mistake(place: FilePlace, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            hint: None,
            is_mistake: true,
        }
    }

    /// Something that should be known.
    pub fn advice(place: FilePlace, message: impl Into<String>) -> Self {
        Self {
            is_mistake: false,
            ..Self::mistake(place, message)
        }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
