//! YAML: servers in a mapping or a list, edited as text at positions that the parser gives.
//!
//! A key that comes with an entry has it [`STEP`] spaces further in, with nothing between; an entry under an empty key
//! that was there before is twice as far in, so that its removal can tell them apart. In braces and brackets,
//! one space on both sides of an entry that stands alone says that they came with it. Keys that a file cannot do
//! without stand before ours with an empty line between, where they came with it.

mod node;
mod text;

use std::ops::Range;

use serde_json::Value;

use self::{
    node::{NodeKind, YamlDocument, YamlNode, document},
    text::{flow_map, list_lines, map_lines, quoted, scalar},
};
use crate::{
    flow,
    layout::{FileLayout, indentation, line_start, trailing_newline},
    place::{Addition, Mistake, Remainder, ServersPlace, Splice, splice},
};

/// The indentation of an entry under a key that comes with it.
const STEP: usize = 2;

/// The servers of a text, by name.
pub(crate) fn entries(text: &str, place: &ServersPlace) -> Result<Vec<(String, Value)>, Mistake> {
    let document = document(text)?;
    Ok(holder(&document, place)?
        .iter()
        .flat_map(YamlServers::members)
        .filter_map(|member| Some((member.name?.to_owned(), member.value.value())))
        .collect())
}

/// A text with one more server, or another one under its name.
pub(crate) fn add(
    text: Option<&str>,
    place: &ServersPlace,
    addition: &Addition<'_>,
) -> Result<String, Mistake> {
    let layout = FileLayout::of(text.unwrap_or_default());
    let Some(text) = text else {
        let newline = layout.newline;
        return Ok(preamble(place, newline) + &keyed(place, addition).text("", newline) + newline);
    };
    let document = document(text)?;
    let Some(holder) = holder(&document, place)? else {
        return with_key(text, &document, place, addition, &layout);
    };
    let members = holder.members();
    let named = |member: &&YamlMember<'_>| member.name == Some(addition.name);
    let change = match members.iter().rev().find(named) {
        Some(old) => replace(text, &holder, old, place, addition, &layout),
        None => append(text, &holder, &members, place, addition, &layout),
    };
    Ok(splice(text, vec![change]))
}

/// A text with an entry and the key that it needs.
fn with_key(
    text: &str,
    document: &YamlDocument,
    place: &ServersPlace,
    addition: &Addition<'_>,
    layout: &FileLayout,
) -> Result<String, Mistake> {
    let newline = layout.newline;
    if let Some(root) = document.root.as_ref().filter(|root| root.is_flow()) {
        let (open, close) = if place.list { ("[", "]") } else { ("{", "}") };
        let entry = flow_member(place, addition);
        let member = format!("{}: {open} {entry} {close}", quoted(place.key));
        let last = root.pairs().last().map(|(_, value)| value.end);
        let change = flow::insert(text, last, root.end - 1, &member);
        return Ok(splice(text, vec![change]));
    }
    let lines = match &document.root {
        Some(root) => keyed(place, addition).text(indentation(text, root.start), newline),
        None => preamble(place, newline) + &keyed(place, addition).text("", newline),
    };
    let content = end_of_line(text, document.content_end);
    let ends = match document.has_end {
        true => [content, content],
        false => [text.len(), content],
    };
    let mut first = None;
    for end in ends {
        let after = splice(text, vec![(end..end, placed(text, end, &lines, newline))]);
        let before = Remainder::Text(text.to_owned());
        if remove(&after, place, addition.name).ok() == Some(before) {
            return Ok(after);
        }
        first.get_or_insert(after);
    }
    Ok(first.expect("there are two places"))
}

/// A text without a server.
pub(crate) fn remove(text: &str, place: &ServersPlace, name: &str) -> Result<Remainder, Mistake> {
    Remainder::of_all(text, |text| remove_last(text, place, name))
}

fn remove_last(text: &str, place: &ServersPlace, name: &str) -> Result<Remainder, Mistake> {
    let document = document(text)?;
    let Some(holder) = holder(&document, place)? else {
        return Ok(Remainder::Same);
    };
    let members = holder.members();
    let named = |member: &YamlMember<'_>| member.name == Some(name);
    let Some(index) = members.iter().rposition(named) else {
        return Ok(Remainder::Same);
    };
    let member = &members[index];
    if members.len() == 1 && holder.came_with(text, member) {
        return Ok(without_key(text, &document, &holder, place));
    }
    let changes = if holder.value.is_flow() {
        let previous = index.checked_sub(1).map(|index| members[index].end);
        flow::take(text, previous, member.start..member.end)
    } else {
        vec![cut(text, lines_of(text, member.start, member.end))]
    };
    Ok(Remainder::Text(splice(text, changes)))
}

/// Returns the rest of a text whose key came with the entry.
fn without_key(
    text: &str,
    document: &YamlDocument,
    holder: &YamlServers<'_>,
    place: &ServersPlace,
) -> Remainder {
    let (start, end) = (holder.key.start, holder.value.end);
    if let Some(root) = document.root.as_ref().filter(|root| root.is_flow()) {
        let ends = root.pairs().iter().map(|(_, value)| value.end);
        let previous = ends.filter(|&end| end <= start).max();
        return Remainder::Text(splice(text, flow::take(text, previous, start..end)));
    }
    let mut lines = lines_of(text, start, end);
    for newline in ["\n", "\r\n"] {
        let preamble = preamble(place, newline);
        if text[..lines.start].ends_with(&preamble) {
            lines.start -= preamble.len();
            break;
        }
    }
    if lines == (0..text.len()) && trailing_newline(text).is_some() {
        return Remainder::Nothing;
    }
    Remainder::Text(splice(text, vec![cut(text, lines)]))
}

/// The keys that a file cannot do without, and an empty line.
fn preamble(place: &ServersPlace, newline: &str) -> String {
    let keys: String = place
        .preamble
        .iter()
        .map(|(key, value)| format!("{key}: {}{newline}", scalar(value)))
        .collect();
    match keys.is_empty() {
        true => keys,
        false => keys + newline,
    }
}

/// Lines that are not indented yet.
struct ServerLines(Vec<String>);

impl ServerLines {
    fn text(&self, indent: &str, newline: &str) -> String {
        let lines: Vec<_> = self
            .0
            .iter()
            .map(|line| format!("{indent}{line}"))
            .collect();
        lines.join(newline)
    }
}

/// The lines of an entry.
fn entry(place: &ServersPlace, addition: &Addition<'_>) -> ServerLines {
    ServerLines(if place.list {
        list_lines(addition.fields)
    } else {
        map_lines(addition.name, addition.fields)
    })
}

/// The lines of an entry with the key that it needs.
fn keyed(place: &ServersPlace, addition: &Addition<'_>) -> ServerLines {
    let entry = entry(place, addition).0.into_iter();
    let entry = entry.map(|line| format!("{:STEP$}{line}", ""));
    ServerLines(
        std::iter::once(format!("{}:", scalar(place.key)))
            .chain(entry)
            .collect(),
    )
}

/// An entry as it stands between braces or brackets.
fn flow_member(place: &ServersPlace, addition: &Addition<'_>) -> String {
    let fields = flow_map(addition.fields);
    match place.list {
        true => fields,
        false => format!("{}: {fields}", quoted(addition.name)),
    }
}

/// The change that puts an entry after those that are there.
fn append(
    text: &str,
    holder: &YamlServers<'_>,
    members: &[YamlMember<'_>],
    place: &ServersPlace,
    addition: &Addition<'_>,
    layout: &FileLayout,
) -> Splice {
    let last = members.last().map(|member| member.end);
    if holder.value.is_flow() {
        let member = flow_member(place, addition);
        return flow::insert(text, last, holder.value.end - 1, &member);
    }
    let column = match members.first() {
        Some(first) => first.start - line_start(text, first.start),
        None => holder.key.start - line_start(text, holder.key.start) + 2 * STEP,
    };
    let end = end_of_line(text, last.unwrap_or(holder.value.end));
    let lines = entry(place, addition).text(&" ".repeat(column), layout.newline);
    (end..end, placed(text, end, &lines, layout.newline))
}

/// The change that gives an entry another value.
fn replace(
    text: &str,
    holder: &YamlServers<'_>,
    old: &YamlMember<'_>,
    place: &ServersPlace,
    addition: &Addition<'_>,
    layout: &FileLayout,
) -> Splice {
    if holder.value.is_flow() {
        return (old.start..old.end, flow_member(place, addition));
    }
    // A text over several lines ends with its newline.
    let end = old.end - trailing_newline(&text[old.start..old.end]).unwrap_or(0);
    let column = old.start - line_start(text, old.start);
    let lines = entry(place, addition).text(&" ".repeat(column), layout.newline);
    (old.start..end, lines[column..].to_owned())
}

/// Lines as they are put at a place, so that their removal can tell whether a newline was there.
fn placed(text: &str, at: usize, lines: &str, newline: &str) -> String {
    if text.is_empty() {
        lines.to_owned()
    } else if trailing_newline(&text[..at]).is_some() {
        format!("{lines}{newline}")
    } else {
        format!("{newline}{lines}")
    }
}

/// The change that takes lines out; see [`placed`].
fn cut(text: &str, lines: Range<usize>) -> Splice {
    let Range { mut start, end } = lines;
    if end == text.len() && trailing_newline(text).is_none() {
        start -= trailing_newline(&text[..start]).unwrap_or(0);
    }
    (start..end, String::new())
}

/// The lines of something, with the newline after them.
fn lines_of(text: &str, start: usize, end: usize) -> Range<usize> {
    line_start(text, start)..end_of_line(text, end)
}

/// The start of the line after the one that something ends on.
fn end_of_line(text: &str, end: usize) -> usize {
    if trailing_newline(&text[..end]).is_some() {
        return end;
    }
    let newline = text[end..].find('\n');
    newline.map_or(text.len(), |newline| end + newline + 1)
}

/// The part of a file that holds the servers, and its key.
struct YamlServers<'a> {
    key: &'a YamlNode,
    value: &'a YamlNode,
}

/// One of the servers.
struct YamlMember<'a> {
    name: Option<&'a str>,
    start: usize,
    end: usize,
    value: &'a YamlNode,
}

impl<'a> YamlServers<'a> {
    fn members(&self) -> Vec<YamlMember<'a>> {
        let value = self.value;
        let listed = |start, item: &'a YamlNode| YamlMember {
            name: item.pair("name").and_then(|(_, name)| name.text()),
            start,
            end: item.end,
            value: item,
        };
        match &value.kind {
            NodeKind::Map(pairs) | NodeKind::FlowMap(pairs) => pairs
                .iter()
                .map(|(key, value)| YamlMember {
                    name: key.text(),
                    start: key.start,
                    end: value.end,
                    value,
                })
                .collect(),
            NodeKind::List(items) => items
                .iter()
                .map(|(dash, item)| listed(*dash, item))
                .collect(),
            NodeKind::FlowList(items) => {
                items.iter().map(|item| listed(item.start, item)).collect()
            }
            NodeKind::Empty | NodeKind::Plain(_) | NodeKind::Scalar(_) | NodeKind::Alias => {
                Vec::new()
            }
        }
    }

    /// Returns true if the key came with its only entry; see the top of this file.
    fn came_with(&self, text: &str, member: &YamlMember<'_>) -> bool {
        if self.value.is_flow() {
            let before = &text[self.value.start + 1..member.start];
            let after = &text[member.end..self.value.end - 1];
            return (before, after) == (" ", " ");
        }
        let column = |at: usize| at - line_start(text, at);
        let between = &text[self.key.end..member.start];
        between.trim() == ":"
            && between.matches('\n').count() == 1
            && (between.starts_with(":\n") || between.starts_with(":\r\n"))
            && column(member.start) == column(self.key.start) + STEP
    }
}

fn holder<'a>(
    document: &'a YamlDocument,
    place: &ServersPlace,
) -> Result<Option<YamlServers<'a>>, Mistake> {
    let Some(root) = &document.root else {
        return Ok(None);
    };
    if !matches!(root.kind, NodeKind::Map(_) | NodeKind::FlowMap(_)) {
        return Err(Mistake::shape(
            format!("the file must hold a mapping, and this is {}", root.word()),
            root.start..root.start,
        ));
    }
    let Some((key, value)) = root.pair(place.key) else {
        return Ok(None);
    };
    let fits = match &value.kind {
        NodeKind::Empty => true,
        NodeKind::Map(_) | NodeKind::FlowMap(_) => !place.list,
        NodeKind::List(_) | NodeKind::FlowList(_) => place.list,
        NodeKind::Plain(_) | NodeKind::Scalar(_) | NodeKind::Alias => false,
    };
    if fits {
        return Ok(Some(YamlServers { key, value }));
    }
    let wanted = match place.list {
        true => "a list of servers, each with its name",
        false => "a mapping with a server under each name",
    };
    Err(Mistake::shape(
        format!(
            "`{}` must be {wanted}, and this is {}",
            place.key,
            value.word()
        ),
        value.start..value.start,
    ))
}
