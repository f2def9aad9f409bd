//! A YAML document as nodes that know where they stand in the text.

use granit_parser::{Event, Options, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::{json::lower, place::Mistake};

/// A document that may be empty.
pub(crate) struct YamlDocument {
    pub(crate) root: Option<YamlNode>,
    /// The end of what is written in it, without comments.
    pub(crate) content_end: usize,
    /// A line says that it ends.
    pub(crate) has_end: bool,
}

/// A node with its place; the start of one with an anchor or a tag comes after these.
#[derive(Debug)]
pub(crate) struct YamlNode {
    pub(crate) start: usize,
    /// The end of what is written in it.
    pub(crate) end: usize,
    pub(crate) kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    /// Nothing is written.
    Empty,
    /// A text without quotes, which may mean a number, a truth or nothing.
    Plain(String),
    Scalar(String),
    Alias,
    Map(Vec<(YamlNode, YamlNode)>),
    /// Items with the place of their dash.
    List(Vec<(usize, YamlNode)>),
    FlowMap(Vec<(YamlNode, YamlNode)>),
    FlowList(Vec<YamlNode>),
}

impl YamlNode {
    /// The text of a scalar.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Plain(text) | NodeKind::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The pairs of a mapping.
    pub(crate) fn pairs(&self) -> &[(YamlNode, YamlNode)] {
        match &self.kind {
            NodeKind::Map(pairs) | NodeKind::FlowMap(pairs) => pairs,
            _ => &[],
        }
    }

    /// Returns true if it stands in braces or brackets.
    pub(crate) fn is_flow(&self) -> bool {
        matches!(self.kind, NodeKind::FlowMap(_) | NodeKind::FlowList(_))
    }

    /// The last pair of a key, which is the one that counts.
    pub(crate) fn pair(&self, key: &str) -> Option<&(YamlNode, YamlNode)> {
        let mut pairs = self.pairs().iter().rev();
        pairs.find(|(other, _)| other.text() == Some(key))
    }

    /// It without places; aliases are not followed.
    pub(crate) fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Empty | NodeKind::Alias => Value::Null,
            NodeKind::Plain(text) => meant(text),
            NodeKind::Scalar(text) => text.as_str().into(),
            NodeKind::Map(pairs) | NodeKind::FlowMap(pairs) => pairs
                .iter()
                .filter_map(|(key, value)| Some((key.text()?.to_owned(), value.value())))
                .collect::<Map<_, _>>()
                .into(),
            NodeKind::List(items) => items.iter().map(|(_, item)| item.value()).collect(),
            NodeKind::FlowList(items) => items.iter().map(YamlNode::value).collect(),
        }
    }

    /// A word for it in messages.
    pub(crate) fn word(&self) -> &'static str {
        match &self.kind {
            NodeKind::Empty => "empty",
            NodeKind::Plain(_) | NodeKind::Scalar(_) => "a single value",
            NodeKind::Alias => "an alias",
            NodeKind::Map(_) | NodeKind::FlowMap(_) => "a mapping",
            NodeKind::List(_) | NodeKind::FlowList(_) => "a list",
        }
    }
}

/// The value that a text without quotes means; a number only if it is written again as it was.
fn meant(text: &str) -> Value {
    match text.to_ascii_lowercase().as_str() {
        "true" => true.into(),
        "false" => false.into(),
        "null" | "~" => Value::Null,
        _ => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) if number.to_string().as_str() == text => number.into(),
            _ => text.into(),
        },
    }
}

/// Reads a text that holds one document at most.
pub(crate) fn document(text: &str) -> Result<YamlDocument, Mistake> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut events = Vec::new();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or(text.len());
            Mistake::unreadable(lower(&error.info()), at..at)
        })?;
        events.push((event, span.byte_range().unwrap_or_default()));
    }
    let mut document = YamlDocument {
        root: None,
        content_end: 0,
        has_end: false,
    };
    let mut reader = YamlReader {
        text,
        events: events.into_iter().peekable(),
    };
    let mut count = 0;
    while let Some((event, range)) = reader.events.next() {
        match event {
            Event::DocumentStart(..) => {
                count += 1;
                if count > 1 {
                    return Err(Mistake::shape(
                        "the file must hold one document, and a second one starts here",
                        range,
                    ));
                }
                let node = reader.node(range.end)?;
                document.content_end = node.end;
                document.root = (!matches!(node.kind, NodeKind::Empty)).then_some(node);
            }
            Event::DocumentEnd => document.has_end = !range.is_empty(),
            _ => {}
        }
    }
    Ok(document)
}

struct YamlReader<'a, I: Iterator> {
    text: &'a str,
    events: std::iter::Peekable<I>,
}

impl<'a, I: Iterator<Item = (Event<'a>, std::ops::Range<usize>)>> YamlReader<'a, I> {
    /// The next node, which stands after a place in the text.
    ///
    /// The depth is bounded, because the parser bounds it.
    fn node(&mut self, after: usize) -> Result<YamlNode, Mistake> {
        let unfinished = || Mistake::unreadable("the document is not finished", after..after);
        let (event, range) = self.events.next().ok_or_else(unfinished)?;
        let node = |kind, end| YamlNode {
            start: range.start,
            end,
            kind,
        };
        let flow = self.text[range.start..].starts_with(['{', '[']) && !range.is_empty();
        Ok(match event {
            Event::Scalar(_, ScalarStyle::Plain, ..) if range.is_empty() => YamlNode {
                start: after,
                end: after,
                kind: NodeKind::Empty,
            },
            Event::Scalar(text, ScalarStyle::Plain, ..) => {
                node(NodeKind::Plain(text.into_owned()), range.end)
            }
            Event::Scalar(text, ..) => node(NodeKind::Scalar(text.into_owned()), range.end),
            Event::Alias(_) => node(NodeKind::Alias, range.end),
            Event::MappingStart(..) => {
                let mut pairs = Vec::new();
                let mut end = range.end;
                while !matches!(self.events.peek(), None | Some((Event::MappingEnd, _))) {
                    let key = self.node(end)?;
                    let colon = self.colon(key.end);
                    let value = self.node(colon)?;
                    end = value.end;
                    pairs.push((key, value));
                }
                let (_, close) = self.events.next().ok_or_else(unfinished)?;
                match flow {
                    true => node(NodeKind::FlowMap(pairs), close.end),
                    false => node(NodeKind::Map(pairs), end),
                }
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                let mut end = if flow { range.end } else { after };
                while !matches!(self.events.peek(), None | Some((Event::SequenceEnd, _))) {
                    let dash = self.significant(end);
                    let item = self.node(if flow { end } else { dash + 1 })?;
                    end = item.end;
                    items.push((dash, item));
                }
                let (_, close) = self.events.next().ok_or_else(unfinished)?;
                match flow {
                    true => {
                        let items = items.into_iter().map(|(_, item)| item);
                        node(NodeKind::FlowList(items.collect()), close.end)
                    }
                    false => node(NodeKind::List(items), end),
                }
            }
            _ => return Err(unfinished()),
        })
    }

    /// The end of the colon that follows a key.
    fn colon(&self, key_end: usize) -> usize {
        let at = self.significant(key_end);
        at + usize::from(self.text[at..].starts_with(':'))
    }

    /// The first place that is not space, a comment, an anchor or a tag.
    fn significant(&self, mut at: usize) -> usize {
        while let Some(letter) = self.text[at..].chars().next() {
            let rest = &self.text[at..];
            at += match letter {
                '#' => rest.find('\n').unwrap_or(rest.len()),
                '&' | '!' => rest.find(char::is_whitespace).unwrap_or(rest.len()),
                letter if letter.is_whitespace() => letter.len_utf8(),
                _ => return at,
            };
        }
        at
    }
}
