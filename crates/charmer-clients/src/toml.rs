//! TOML: servers in tables, edited as text at positions that the parser gives.
//!
//! An entry is a section at the end of the file, `[mcp_servers.NAME]`, which needs no other one above it. Where the
//! servers are an inline table it goes into that. Whatever else an entry may be written as is found and removed: sections
//! below it, dotted keys, lines of `[mcp_servers]`.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, InlineTable, Item, Table, TableLike, Value as Toml};

use crate::{
    flow,
    json::lower,
    layout::{FileLayout, indentation, leading_newline, line_start, trailing_newline},
    place::{Addition, Mistake, Remainder, ServersPlace, Splice, splice},
};

/// The servers of a text, by name.
pub(crate) fn entries(text: &str, place: &ServersPlace) -> Result<Vec<(String, Value)>, Mistake> {
    let document = parse(text)?;
    Ok(match holder(&document, place)? {
        TomlServers::Nothing => Vec::new(),
        TomlServers::Table(table) => named(table),
        TomlServers::Inline(table) => named(table),
    })
}

fn named(table: &dyn TableLike) -> Vec<(String, Value)> {
    table
        .iter()
        .map(|(name, item)| (name.to_owned(), value(item)))
        .collect()
}

/// A text with one more server, or another one under its name.
pub(crate) fn add(
    text: Option<&str>,
    place: &ServersPlace,
    addition: &Addition<'_>,
) -> Result<String, Mistake> {
    let layout = FileLayout::of(text.unwrap_or_default());
    let section = section(place, addition, &layout);
    let newline = layout.newline;
    let Some(text) = text else {
        return Ok(section + newline);
    };
    let document = parse(text)?;
    let changes = match holder(&document, place)? {
        TomlServers::Inline(table) => match table.get(addition.name) {
            Some(old) => vec![(
                whole_value(old, addition.name)?,
                inline_table(addition.fields),
            )],
            None => vec![insert(text, table, addition)],
        },
        TomlServers::Table(table) if table.contains_key(addition.name) => {
            replace(text, table, place, addition, &section)?
        }
        TomlServers::Nothing | TomlServers::Table(_) => {
            let end = text.len();
            vec![(end..end, appended(text, &section, newline))]
        }
    };
    Ok(splice(text, changes))
}

/// A section as it is put at the end of a text, so that its removal can tell how the text ended.
fn appended(text: &str, section: &str, newline: &str) -> String {
    if text.trim().is_empty() {
        section.to_owned()
    } else if trailing_newline(text).is_some() {
        format!("{newline}{section}{newline}")
    } else {
        format!("{newline}{newline}{section}")
    }
}

/// A text without a server.
pub(crate) fn remove(text: &str, place: &ServersPlace, name: &str) -> Result<Remainder, Mistake> {
    let document = parse(text)?;
    match holder(&document, place)? {
        TomlServers::Nothing => Ok(Remainder::Same),
        TomlServers::Inline(table) => match table.get(name) {
            None => Ok(Remainder::Same),
            Some(_) => Ok(Remainder::Text(splice(text, take(text, table, name)?))),
        },
        TomlServers::Table(table) => match table.get(name) {
            None => Ok(Remainder::Same),
            Some(_) => Ok(without(text, pieces(text, table, name))),
        },
    }
}

/// Lines that follow each other, with where their header starts if they are a section.
type Block = (Range<usize>, Option<usize>);

/// The pieces of a server's entry as blocks of lines.
fn blocks(pieces: Vec<Piece>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for piece in pieces {
        match blocks.last_mut() {
            Some((lines, _)) if lines.end >= piece.lines.start => {
                lines.end = lines.end.max(piece.lines.end);
            }
            _ => blocks.push((piece.lines, piece.header.then_some(piece.start))),
        }
    }
    blocks
}

/// A text without the lines of a server.
fn without(text: &str, pieces: Vec<Piece>) -> Remainder {
    let blocks = blocks(pieces);
    if matches!(blocks.as_slice(), [(lines, Some(0))] if *lines == (0..text.len()))
        && trailing_newline(text).is_some()
    {
        return Remainder::Nothing;
    }
    let cuts = blocks.into_iter().map(|(lines, header)| {
        let start = header.map_or(lines.start, |header| gap_before(text, &lines, header));
        // A section at the start has the empty line that parts it from the next one after it.
        let first = header.is_some() && text[..start].trim().is_empty();
        let after = leading_newline(&text[lines.end..]).filter(|_| first);
        (start..lines.end + after.unwrap_or(0), String::new())
    });
    Remainder::Text(splice(text, cuts.collect()))
}

/// The start of the space that came with a section; see [`appended`].
fn gap_before(text: &str, section: &Range<usize>, header: usize) -> usize {
    let before = &text[..section.start];
    if before.trim().is_empty() {
        return header;
    }
    let newline = trailing_newline(before).unwrap_or(0);
    let line = before.len() - newline;
    let Some(second) = trailing_newline(&before[..line]) else {
        return section.start;
    };
    if section.end == text.len() && trailing_newline(text).is_none() {
        line - second
    } else {
        line
    }
}

/// One piece of a server's entry: a header or a value, with its lines.
#[derive(Debug)]
struct Piece {
    header: bool,
    start: usize,
    lines: Range<usize>,
}

/// All pieces of a server's entry, in the order of the text.
fn pieces(text: &str, table: &Table, name: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if let Some((key, item)) = table.get_key_value(name) {
        collect(text, key.span(), item, &mut pieces);
    }
    pieces.sort_by_key(|piece| piece.lines.start);
    pieces
}

fn collect(text: &str, key: Option<Range<usize>>, item: &Item, pieces: &mut Vec<Piece>) {
    let mut push = |header: bool, range: Range<usize>| {
        pieces.push(Piece {
            header,
            start: range.start,
            lines: lines_of(text, range),
        });
    };
    match item {
        Item::None => {}
        Item::Value(value) => {
            if let (Some(key), Some(value)) = (key, value.span()) {
                push(false, key.start..value.end);
            }
        }
        Item::Table(table) => {
            let own_header = !table.is_dotted() && !table.is_implicit();
            if let (true, Some(span)) = (own_header, table.span()) {
                push(true, span);
            }
            inside(text, table, pieces);
        }
        Item::ArrayOfTables(tables) => {
            for table in tables {
                push(true, table.span().unwrap_or_default());
            }
            for table in tables {
                inside(text, table, pieces);
            }
        }
    }
}

fn inside(text: &str, table: &Table, pieces: &mut Vec<Piece>) {
    for (name, item) in table.iter() {
        let key = table.key(name).and_then(toml_edit::Key::span);
        collect(text, key, item, pieces);
    }
}

/// The lines that a range is on, with the newline after them.
fn lines_of(text: &str, range: Range<usize>) -> Range<usize> {
    let end = text[range.end..]
        .find('\n')
        .map_or(text.len(), |newline| range.end + newline + 1);
    line_start(text, range.start)..end
}

/// The changes that give a server's entry another value.
fn replace(
    text: &str,
    table: &Table,
    place: &ServersPlace,
    addition: &Addition<'_>,
    section: &str,
) -> Result<Vec<Splice>, Mistake> {
    if let Some(Item::Value(old)) = table.get(addition.name) {
        let span = old.span().unwrap_or_default();
        return Ok(vec![(span, inline_table(addition.fields))]);
    }
    let pieces = pieces(text, table, addition.name);
    let Some(first) = pieces.first() else {
        return Err(Mistake::shape(
            format!("`{}` is there but has no text of its own", addition.name),
            0..0,
        ));
    };
    let new = if pieces.iter().any(|piece| piece.header) {
        section.to_owned()
    } else {
        // Dotted keys, in the table of the servers or at the top of the file.
        let prefix = match table.is_dotted() {
            true => format!("{}.", key(place.key)),
            false => String::new(),
        };
        format!(
            "{}{prefix}{} = {}",
            indentation(text, first.start),
            key(addition.name),
            inline_table(addition.fields)
        )
    };
    let blocks = blocks(pieces);
    // Where sections and other lines mix, the section goes where the first section was.
    let home = blocks.iter().position(|(_, header)| header.is_some());
    let home = home.unwrap_or(0);
    let changes = blocks
        .into_iter()
        .enumerate()
        .map(|(index, (mut lines, _))| {
            if index != home {
                return (lines, String::new());
            }
            // The newline stays, or stays away.
            lines.end -= trailing_newline(&text[lines.clone()]).unwrap_or(0);
            (lines, new.clone())
        });
    Ok(changes.collect())
}

/// The span of an entry in an inline table, if it is in one place.
fn whole_value(value: &Toml, name: &str) -> Result<Range<usize>, Mistake> {
    let dotted = value.as_inline_table().is_some_and(InlineTable::is_dotted);
    match value.span() {
        Some(span) if !dotted => Ok(span),
        span => Err(Mistake::shape(
            format!(
                "`{name}` is written with dotted keys inside a table in braces; change it by hand"
            ),
            span.unwrap_or_default(),
        )),
    }
}

/// The change that puts an entry into an inline table.
fn insert(text: &str, table: &InlineTable, addition: &Addition<'_>) -> Splice {
    let close = table.span().unwrap_or_default().end - 1;
    let entry = format!("{} = {}", key(addition.name), inline_table(addition.fields));
    let last = table.iter().filter_map(|(_, value)| end_of(value)).max();
    flow::insert(text, last, close, &entry)
}

/// The end of a value; dotted keys are tables without an end of their own.
fn end_of(value: &Toml) -> Option<usize> {
    match value {
        Toml::InlineTable(table) if table.is_dotted() => {
            table.iter().filter_map(|(_, value)| end_of(value)).max()
        }
        value => value.span().map(|span| span.end),
    }
}

/// The changes that take an entry out of an inline table.
fn take(text: &str, table: &InlineTable, name: &str) -> Result<Vec<Splice>, Mistake> {
    let Some(value) = table.get(name) else {
        return Ok(Vec::new());
    };
    let value = whole_value(value, name)?;
    let key = table.key(name).and_then(toml_edit::Key::span);
    let start = key.map_or(value.start, |key| key.start);
    let ends = table.iter().filter_map(|(_, value)| end_of(value));
    let previous = ends.filter(|&end| end <= start).max();
    Ok(flow::take(text, previous, start..value.end))
}

/// A server as a section, without a newline at its end.
fn section(place: &ServersPlace, addition: &Addition<'_>, layout: &FileLayout) -> String {
    let mut lines = vec![format!("[{}.{}]", key(place.key), key(addition.name))];
    lines.extend(
        addition
            .fields
            .iter()
            .map(|(name, value)| format!("{} = {}", key(name), inline(value))),
    );
    lines.join(layout.newline)
}

/// A value in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => inline_table(map),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn inline_table(map: &Map<String, Value>) -> String {
    let members: Vec<_> = map
        .iter()
        .map(|(name, value)| format!("{} = {}", key(name), inline(value)))
        .collect();
    format!("{{ {} }}", members.join(", "))
}

/// A key, in quotes where it needs them.
fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// A text in quotes. What JSON escapes means the same in TOML, which wants one character more of it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// The part of a file that holds the servers.
enum TomlServers<'a> {
    Nothing,
    Table(&'a Table),
    Inline(&'a InlineTable),
}

fn holder<'a>(
    document: &'a Document<&str>,
    place: &ServersPlace,
) -> Result<TomlServers<'a>, Mistake> {
    let Some(item) = document.as_table().get(place.key) else {
        return Ok(TomlServers::Nothing);
    };
    match item {
        Item::Table(table) => Ok(TomlServers::Table(table)),
        Item::Value(Toml::InlineTable(table)) if table.is_dotted() => Err(Mistake::shape(
            format!("`{}` is written in a way that is not understood", place.key),
            item.span().unwrap_or_default(),
        )),
        Item::Value(Toml::InlineTable(table)) => Ok(TomlServers::Inline(table)),
        other => Err(Mistake::shape(
            format!(
                "`{}` must be a table with a server under each name, and this is {}",
                place.key,
                other.type_name()
            ),
            other.span().unwrap_or_default(),
        )),
    }
}

fn parse(text: &str) -> Result<Document<&str>, Mistake> {
    Document::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        Mistake::unreadable(lower(error.message()), span)
    })
}

/// A value without its positions.
fn value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(scalar) => inline_value(scalar),
        Item::Table(table) => named(table).into_iter().collect::<Map<_, _>>().into(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| Value::from(named(table).into_iter().collect::<Map<_, _>>()))
            .collect(),
    }
}

fn inline_value(toml: &Toml) -> Value {
    match toml {
        Toml::String(text) => text.value().as_str().into(),
        Toml::Integer(number) => (*number.value()).into(),
        Toml::Float(number) => (*number.value()).into(),
        Toml::Boolean(truth) => (*truth.value()).into(),
        Toml::Datetime(time) => time.value().to_string().into(),
        Toml::Array(items) => items.iter().map(inline_value).collect(),
        Toml::InlineTable(table) => named(table).into_iter().collect::<Map<_, _>>().into(),
    }
}
