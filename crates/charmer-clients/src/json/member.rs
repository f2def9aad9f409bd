//! Members of JSON objects, put in and taken out.
//!
//! The layout of an entry that stands alone tells what was there before it:
//!
//! | layout | before it |
//! |---|---|
//! | a line each for the braces and the entry, or one space on both sides of it in one line | nothing: braces and key go, too |
//! | an empty line after the entry | `{}` |
//! | an empty line before the entry | braces with nothing but space between them, which is what follows the entry |
//! | nothing between the entry and the closing brace | braces with what stands before the entry |
//!
//! Where a comment stands between the braces, they were there before.

use jsonc_parser::ast::{Object, ObjectProp};

use crate::{
    layout::{FileLayout, indentation, leading_newline, trailing_newline},
    place::Splice,
};

/// The layouts of an entry in braces that were empty, from the one that people like best to the one that always works.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sole {
    /// As if the braces had come with the entry.
    Plain,
    /// An empty line after it.
    LineAfter,
    /// An empty line before it.
    LineBefore,
    /// The closing brace right after it.
    Tight,
}

pub(crate) const SOLE: [Sole; 4] = [Sole::Plain, Sole::LineAfter, Sole::LineBefore, Sole::Tight];

/// Nothing between an object's braces.
pub(crate) fn clear(object: &Object<'_>) -> Splice {
    (object.range.start + 1..object.range.end - 1, String::new())
}

/// Returns true if an object has members, all of them in one line with its braces.
pub(crate) fn is_one_line(text: &str, object: &Object<'_>) -> bool {
    !object.properties.is_empty() && !text[object.range.start..object.range.end].contains('\n')
}

/// The indentation of an object's members: that of a member that starts a line, else one step more than the object's.
pub(crate) fn member_indent(text: &str, object: &Object<'_>, layout: &FileLayout) -> String {
    let own_line = |member: &&ObjectProp<'_>| {
        let line = text[..member.range.start].trim_end_matches([' ', '\t']);
        line.ends_with('\n')
    };
    match object.properties.iter().find(own_line) {
        Some(member) => indentation(text, member.range.start).to_owned(),
        None => format!("{}{}", indentation(text, object.range.start), layout.unit),
    }
}

/// The changes that put a member at the end of an object.
pub(crate) fn insert(
    text: &str,
    object: &Object<'_>,
    member: &str,
    layout: &FileLayout,
    sole: Sole,
) -> Vec<Splice> {
    let newline = layout.newline;
    let close = object.range.end - 1;
    let at = |position: usize, text: String| (position..position, text);
    let indent = member_indent(text, object, layout);
    let Some(last) = object.properties.last() else {
        let inside = object.range.start + 1..close;
        let space = &text[inside.clone()];
        if let Some(comment) = space.rfind(|character: char| !character.is_whitespace()) {
            // After the comment and what ends it.
            let mut end = inside.start + comment;
            end += text[end..].chars().next().map_or(0, char::len_utf8);
            return match text[end..close].contains('\n') {
                true => {
                    let end = end + line_rest(&text[end..close]);
                    vec![at(end, format!("{newline}{indent}{member}"))]
                }
                false => vec![at(end, format!(" {member}"))],
            };
        }
        let outer = indentation(text, object.range.start);
        return vec![match sole {
            Sole::Plain => (inside, format!("{newline}{indent}{member}{newline}{outer}")),
            Sole::LineAfter => at(
                inside.start,
                format!("{newline}{indent}{member}{newline}{newline}{outer}"),
            ),
            Sole::LineBefore => at(inside.start, format!("{newline}{newline}{indent}{member}")),
            Sole::Tight => at(close, member.to_owned()),
        }];
    };
    let gap = if is_one_line(text, object) {
        " ".to_owned()
    } else {
        format!("{newline}{indent}")
    };
    match comma_after(text, last.range.end) {
        Some(comma) => {
            let end = same_line(text, comma + 1, close);
            vec![at(end, format!("{gap}{member},"))]
        }
        None => {
            let end = same_line(text, last.range.end, close);
            if end == last.range.end {
                vec![at(end, format!(",{gap}{member}"))]
            } else {
                vec![
                    at(last.range.end, ",".to_owned()),
                    at(end, format!("{gap}{member}")),
                ]
            }
        }
    }
}

/// The length of a text's first line, without the newline.
pub(crate) fn line_rest(text: &str) -> usize {
    let end = text.find('\n').unwrap_or(text.len());
    text[..end].trim_end_matches('\r').len()
}

/// The end of the comments that follow a position in its line; the position itself if there are none.
fn same_line(text: &str, from: usize, limit: usize) -> usize {
    let mut end = from;
    let mut at = from;
    loop {
        at += text[at..limit].len() - text[at..limit].trim_start_matches([' ', '\t']).len();
        let rest = &text[at..limit];
        if rest.starts_with("//") {
            return at + line_rest(rest);
        }
        let comment = rest.strip_prefix("/*").and_then(|rest| rest.find("*/"));
        match comment {
            Some(length) if !rest[..length + 4].contains('\n') => {
                at += length + 4;
                end = at;
            }
            _ => return end,
        }
    }
}

/// The comma that follows a member.
fn comma_after(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/")? + 4;
        } else {
            match rest.chars().next()? {
                ',' => return Some(at),
                space if space.is_whitespace() => at += space.len_utf8(),
                _ => return None,
            }
        }
    }
}

/// The change to an object when a member is taken away.
pub(crate) enum Taken {
    /// The object stays, with these changes.
    Changes(Vec<Splice>),
    /// The object came with the member.
    AllOfIt,
}

/// Takes a member out of an object.
pub(crate) fn take(text: &str, object: &Object<'_>, member: &ObjectProp<'_>) -> Taken {
    let (start, end) = (member.range.start, member.range.end);
    let comma = comma_after(text, end).map(|comma| (comma..comma + 1, String::new()));
    let (inside, close) = (object.range.start + 1, object.range.end - 1);
    if object.properties.len() == 1 {
        let before = &text[inside..start];
        let after = &text[comma.as_ref().map_or(end, |(comma, _)| comma.end)..close];
        let bare = |text: &str| text.trim().is_empty();
        if bare(before) && bare(after) && bare(&text[end..close].replacen(',', "", 1)) {
            return alone(object, before, after);
        }
    }
    let previous = object
        .properties
        .iter()
        .rev()
        .find(|other| other.range.end <= start)
        .map(|other| other.range.end);
    let mut gap = gap_before(text, start);
    let rest = comma.as_ref().map_or(end, |(comma, _)| comma.end);
    if ends_comment(text, previous.unwrap_or(inside), gap) && !starts_line(&text[rest..]) {
        // What follows would become part of the comment.
        gap = start;
    }
    let goes_on = text[rest..].starts_with([' ', '\t']) && !starts_line(&text[rest..]);
    if previous.is_none() && comma.is_some() && goes_on && !text[gap..start].contains('\n') {
        // What stands before the first of several in a line is the brace's.
        gap = start;
    }
    let mut changes = vec![(gap..end, String::new())];
    match (comma, previous) {
        (Some((comma, _)), None) if gap == start => {
            // The first of several in a line has its space after it.
            let space = text[comma.end..].starts_with([' ', '\t']);
            changes.push((comma.start..comma.end + usize::from(space), String::new()));
        }
        (Some(comma), _) => changes.push(comma),
        (None, previous) => {
            if let Some(comma) = previous.and_then(|end| comma_after(text, end)) {
                // Between the comma and the member may be a comment that stays.
                let gap = &mut changes[0].0;
                gap.start = gap.start.max(comma + 1);
                changes.push((comma..comma + 1, String::new()));
            }
        }
    }
    Taken::Changes(changes)
}

/// Returns true if a text goes on in the next line.
fn starts_line(text: &str) -> bool {
    leading_newline(text.trim_start_matches([' ', '\t'])).is_some()
}

/// Returns true if a newline ends a comment, given a place before it that is in none.
fn ends_comment(text: &str, mut at: usize, newline: usize) -> bool {
    while at < newline {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += line_rest(rest);
            if at >= newline {
                return true;
            }
        } else if let Some(end) = rest.strip_prefix("/*").and_then(|rest| rest.find("*/")) {
            at += end + 4;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    false
}

/// Takes the only member out of an object that has no comments; see the table above.
fn alone(object: &Object<'_>, before: &str, after: &str) -> Taken {
    let inside = |text: &str| {
        let (range, _) = clear(object);
        Taken::Changes(vec![(range, text.to_owned())])
    };
    let empty_line = |text: &str| {
        leading_newline(text).is_some_and(|length| leading_newline(&text[length..]).is_some())
    };
    let own_line = |text: &str| text.matches('\n').count() == 1 && leading_newline(text).is_some();
    match (before, after) {
        (_, "") => inside(before),
        (" ", " ") => Taken::AllOfIt,
        _ if empty_line(before) => inside(after),
        _ if empty_line(after) => inside(""),
        _ if own_line(before) && own_line(after) => Taken::AllOfIt,
        _ => inside(""),
    }
}

/// The start of the space that came with a member: its line's start with the newline before it, else one space.
fn gap_before(text: &str, start: usize) -> usize {
    let line = text[..start].trim_end_matches([' ', '\t']);
    match trailing_newline(line) {
        Some(length) => line.len() - length,
        None if text[..start].ends_with([' ', '\t']) => start - 1,
        None => start,
    }
}
