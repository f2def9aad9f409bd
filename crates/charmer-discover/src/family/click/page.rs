//! A help text of click or typer taken apart: usage, description, options, lists of commands and arguments.

use super::{boxes, option};
use crate::{
    family::python::{settle_names, wide_rows, with_aliases},
    help::{flag_names, rows},
    sketch::FlagSketch,
};

/// The parts of a help text.
#[derive(Debug, Default)]
pub(super) struct ClickPage {
    /// The usage line without `Usage:`, on one line.
    pub(super) usage: String,
    pub(super) description: String,
    pub(super) flags: Vec<FlagSketch>,
    pub(super) lists: Vec<ClickList>,
}

/// A section whose rows are no options.
#[derive(Debug, Default)]
pub(super) struct ClickList {
    pub(super) heading: String,
    pub(super) rows: Vec<ListRow>,
}

/// A row of such a section.
#[derive(Debug, Default)]
pub(super) struct ListRow {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    /// The type, where there is one.
    pub(super) value: Option<String>,
    pub(super) text: String,
}

/// Takes a help text apart; `None` if it has no usage line.
pub(super) fn read(text: &str) -> Option<ClickPage> {
    let boxed = boxes::are_in(text);
    let (lines, tables) = if boxed {
        boxes::read(text)
    } else {
        (text.lines().collect(), Vec::new())
    };
    let lines: Vec<&str> = lines.into_iter().map(str::trim_end).collect();
    let start = lines
        .iter()
        .position(|line| line.trim_start().starts_with("Usage:"))?;
    let end = lines[start..]
        .iter()
        .position(|line| line.is_empty())
        .map_or(lines.len(), |at| start + at);
    let joined = lines[start..end].join(" ");
    let usage: Vec<&str> = joined.split_whitespace().skip(1).collect();
    let mut help = ClickPage {
        usage: usage.join(" "),
        ..ClickPage::default()
    };
    let mut description: Vec<&str> = Vec::new();
    let mut section: Option<(&str, Vec<&str>)> = None;
    for line in &lines[end..] {
        let heading = line
            .strip_suffix(':')
            .filter(|head| !boxed && !head.starts_with([' ', '\t']));
        if let Some(heading) = heading {
            if let Some((heading, lines)) = section.take() {
                help.take_section(heading, &lines);
            }
            section = Some((heading, Vec::new()));
        } else if let Some((_, lines)) = &mut section {
            lines.push(line);
        } else {
            description.push(line);
        }
    }
    if let Some((heading, lines)) = section {
        help.take_section(heading, &lines);
    }
    for table in tables {
        help.take_table(table);
    }
    if help.flags.is_empty() {
        help.take_headless(&mut description);
    }
    let dedented: Vec<&str> = description.iter().map(|line| line.trim()).collect();
    help.description = dedented.join("\n").trim().to_owned();
    Some(help)
}

impl ClickPage {
    fn take_section(&mut self, heading: &str, lines: &[&str]) {
        let mut list = ClickList {
            heading: heading.to_owned(),
            rows: Vec::new(),
        };
        let arguments = heading.eq_ignore_ascii_case("arguments");
        let starts = |indent: usize, _: &str| indent > 0 && indent <= 2;
        for row in wide_rows(lines, starts) {
            if row.name.starts_with('-') {
                self.flags.extend(plain_flag(&row.name, &row.text));
                continue;
            }
            let (name, aliases, value) = match row.name.split_once(' ') {
                Some((name, value)) if arguments => {
                    (name.to_owned(), Vec::new(), Some(value.to_owned()))
                }
                _ => {
                    let (name, aliases) = with_aliases(&row.name);
                    // A star marks the command that is run when none is named.
                    let name = name.trim_end_matches('*').to_owned();
                    (name, aliases, None)
                }
            };
            if !name.is_empty() && !name.contains(' ') {
                list.rows.push(ListRow {
                    name,
                    aliases,
                    value,
                    text: row.text,
                });
            }
        }
        self.lists.push(list);
    }

    /// Takes the rows of a table of options that an author prints below no heading, out of what was taken for the
    /// description. Its columns are as wide as they must be, so that the longest name has one space behind it.
    fn take_headless(&mut self, description: &mut Vec<&str>) {
        let is_row = |line: &str| {
            let indent = line.len() - line.trim_start().len();
            indent <= 2 && line.trim_start().starts_with('-') && flag_names(line).is_some()
        };
        let Some(first) = description.iter().position(|line| is_row(line)) else {
            return;
        };
        let lines = description.split_off(first);
        for row in rows(&lines, |indent, content| indent <= 2 && is_row(content)) {
            self.flags.extend(plain_flag(&row.name, &row.text));
        }
    }

    fn take_table(&mut self, table: boxes::BoxRows) {
        let columns = table.rows.first().map_or(0, Vec::len);
        let column = |at: usize| table.rows.iter().map(move |row| row[at].as_str());
        let marks = |at: usize| column(at).all(|cell| cell.is_empty() || cell == "*");
        let first = usize::from(columns > 1 && marks(0));
        let is_option =
            column(first.min(columns.saturating_sub(1))).any(|cell| cell.starts_with('-'));
        if columns == 0 {
            return;
        }
        // Names stand in the columns that hold nothing else.
        let named = |at: usize| {
            is_option && column(at).all(|cell| cell.is_empty() || cell.starts_with('-'))
        };
        let names = first
            ..(first..columns)
                .find(|&at| !named(at))
                .unwrap_or(columns)
                .max(first + 1);
        let typed = |at: usize| column(at).all(|cell| cell.is_empty() || is_placeholder(cell));
        let is_argument = table.heading.eq_ignore_ascii_case("arguments");
        let value =
            Some(names.end).filter(|&at| at < columns && (is_option || is_argument) && typed(at));
        let text = value.map_or(names.end, |at| at + 1);
        let mut list = ClickList {
            heading: table.heading.clone(),
            rows: Vec::new(),
        };
        for row in &table.rows {
            let required = first == 1 && row[0] == "*";
            let value = value
                .map(|at| row[at].clone())
                .filter(|value| !value.is_empty());
            let cells = row[text.min(columns)..]
                .iter()
                .filter(|cell| !cell.is_empty());
            let text = cells.cloned().collect::<Vec<_>>().join(" ");
            if is_option {
                let flag = boxed_flag(&row[names.clone()], value.as_deref(), &text, required);
                self.flags.extend(flag);
            } else {
                let (name, aliases) = with_aliases(&row[first]);
                list.rows.push(ListRow {
                    name,
                    aliases,
                    value,
                    text,
                });
            }
        }
        if !list.rows.is_empty() {
            self.lists.push(list);
        }
    }
}

/// Returns true if a cell names a type: `TEXT`, `<int>`, `[a|b]`, `INTEGER RANGE [x>=1]`.
fn is_placeholder(cell: &str) -> bool {
    let (cell, _) = option::take_extra(cell);
    let wrapped = |open: char, close: char| {
        cell.starts_with(open) && cell.trim_end_matches("...").ends_with(close)
    };
    let capitals = cell.chars().any(char::is_uppercase) && !cell.chars().any(char::is_lowercase);
    wrapped('<', '>') || wrapped('[', ']') || wrapped('{', '}') || capitals
}

/// `-f, --force / -F, --gently` and `-c, --count INTEGER` of plain help.
fn plain_flag(column: &str, text: &str) -> Option<FlagSketch> {
    let (on, off) = match column.split_once(" / ") {
        Some((on, off)) if off.starts_with('-') => (on, Some(off)),
        _ => (column, None),
    };
    let mut names = flag_names(on)?;
    let off = off
        .and_then(flag_names)
        .and_then(|names| names.longs.into_iter().next());
    if off.is_none() {
        settle_names(&mut names, on);
    }
    let value = names.value.take();
    let mut flag = named(names.longs, names.shorts)?;
    flag.negation = off.or(names.negation);
    option::describe(&mut flag, value.as_deref(), text, false);
    Some(flag)
}

/// The cells of a box: `--force`, `-f`, `--gently`, `-F`.
fn boxed_flag(
    cells: &[String],
    value: Option<&str>,
    text: &str,
    required: bool,
) -> Option<FlagSketch> {
    let (mut longs, mut shorts, mut off) = (Vec::new(), Vec::new(), None);
    // `--force/--gently` stands for two cells, and so does `-f/-F` behind it.
    let parts = cells.iter().flat_map(|cell| {
        let both = cell.contains('/');
        let parts = cell.split('/').enumerate();
        parts.map(move |(at, part)| (part, both && at == 0))
    });
    for (cell, on) in parts {
        let mut here: Vec<String> = Vec::new();
        for name in cell.split([',', ' ']).filter(|name| !name.is_empty()) {
            if let Some(long) = name.strip_prefix("--") {
                here.push(long.to_owned());
            } else if off.is_none() || on {
                shorts.extend(name.strip_prefix('-').and_then(|name| name.chars().next()));
            }
        }
        if longs.is_empty() {
            longs = here;
        } else if let Some(name) = here.into_iter().next() {
            off = Some(name);
        }
    }
    let mut flag = named(longs, shorts)?;
    flag.negation = off;
    option::describe(&mut flag, value, text, required);
    Some(flag)
}

fn named(longs: Vec<String>, shorts: Vec<char>) -> Option<FlagSketch> {
    let mut longs = longs.into_iter();
    let mut shorts = shorts.into_iter();
    let flag = FlagSketch {
        long: longs.next(),
        short: shorts.next(),
        aliases: longs.collect(),
        short_aliases: shorts.collect(),
        ..FlagSketch::default()
    };
    (flag.long.is_some() || flag.short.is_some()).then_some(flag)
}
