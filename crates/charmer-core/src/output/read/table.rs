//! Tables of fixed width: columns under a header, padded with spaces.
//!
//! Where a column ends is not written anywhere. It is taken from the columns that are blank in *every* line, and a
//! reading counts only if under each name all cells begin where the name begins, or all end where it ends. A row that
//! does not fit makes the whole text no table.

use serde_json::{Map, Value};

use super::{
    doubt::{is_certain_narrow, is_plausible, no_name_is_two, only_last_empty},
    header, tabs,
    width::{LinePiece, Measure, cut, walk},
};

/// The minimum number of columns of a table whose names have only one space between them.
const LEAST_NARROW: usize = 3;

/// The reason why text is no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoTable {
    /// Cells do not stand under names; they might, if columns are counted in another way.
    Misaligned,
    /// It can be read in more than one way, or reads like something else.
    Doubtful,
}

/// The lines of one table as it is being read.
pub(super) struct TableLines<'t> {
    header: &'t str,
    /// The line of dashes below the header.
    rule: Option<&'t str>,
    pub(super) rows: Vec<&'t str>,
}

/// One table as it was read.
#[derive(PartialEq)]
struct TableRead<'t> {
    names: Vec<&'t str>,
    rows: Vec<Vec<&'t str>>,
}

/// Reads one table, or several with blank lines between them whose rows then stand in one list. A table without rows
/// counts only when it is `declared`.
pub(super) fn read(text: &str, declared: bool) -> Option<Value> {
    // What begins with a tab is code, or a list that somebody indented.
    let first_line = text.lines().next()?;
    if first_line.contains('\t') {
        return tabs::read(text, declared);
    }
    if !could_be_header(text) || text.contains('\t') {
        return None;
    }
    let mut tables: Vec<TableRead<'_>> = Vec::new();
    for lines in groups(text)? {
        let table = read_one(&lines)?;
        if table.rows.is_empty() && !declared {
            return None;
        }
        tables.push(table);
    }
    // Between tables of the same columns the border would be lost, and titles look like names when they stand alone.
    let several = tables.len() > 1;
    for (index, table) in tables.iter().enumerate() {
        let seen = tables[..index]
            .iter()
            .any(|other| other.names == table.names);
        if several && (seen || !header::are_upper(&table.names)) {
            return None;
        }
    }
    let items = tables.into_iter().flat_map(|table| {
        let names = table.names;
        table.rows.into_iter().map(move |row| {
            let cells = row.into_iter().map(Value::from);
            Value::Object(Map::from_iter(
                names.iter().map(|&name| name.to_owned()).zip(cells),
            ))
        })
    });
    Some(Value::Array(items.collect()))
}

/// A first look, so that long text costs nothing: whether the first line can be the names of columns in any way.
fn could_be_header(text: &str) -> bool {
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default();
    let are_names = |names: &[&str]| header::are_titles(names) || header::are_upper(names);
    let wide: Vec<&str> = line
        .split("  ")
        .map(|name| name.trim_matches(' '))
        .filter(|name| !name.is_empty())
        .collect();
    let mut narrow: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    while narrow
        .last()
        .is_some_and(|word| word.starts_with(char::is_lowercase))
    {
        narrow.pop();
    }
    wide.len() > 1 && are_names(&wide)
        || narrow.len() >= LEAST_NARROW && are_names(&narrow)
        || lines.next().is_some_and(is_rule)
}

/// The lines between blank lines. `None` if there are more blank lines than one between two groups, or before them.
fn groups(text: &str) -> Option<Vec<TableLines<'_>>> {
    let mut groups: Vec<Vec<&str>> = vec![Vec::new()];
    for line in text.trim_end_matches([' ', '\r', '\n']).split('\n') {
        let line = line
            .strip_suffix('\r')
            .unwrap_or(line)
            .trim_end_matches(' ');
        match groups.last_mut() {
            Some(last) if line.is_empty() && last.is_empty() => return None,
            _ if line.is_empty() => groups.push(Vec::new()),
            Some(last) => last.push(line),
            None => {}
        }
    }
    groups
        .into_iter()
        .map(|lines| {
            let mut lines = lines.into_iter().peekable();
            Some(TableLines {
                header: lines.next()?,
                rule: lines.next_if(|line| is_rule(line)),
                rows: lines.collect(),
            })
        })
        .collect()
}

/// Returns true if a line is one of dashes below a header.
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
        || line.contains("==") && line.bytes().all(|byte| matches!(byte, b'=' | b' '))
}

fn read_one<'t>(lines: &TableLines<'t>) -> Option<TableRead<'t>> {
    let all = || lines.rows.iter().copied().chain([lines.header]);
    let measures: &[Measure] = if all().all(str::is_ascii) {
        &[Measure::Counted]
    } else {
        &[Measure::Shown, Measure::Apart, Measure::Counted]
    };
    let mut read: Option<TableRead<'t>> = None;
    for &measure in measures {
        match read_measured(lines, measure) {
            Ok(table) if read.as_ref().is_none_or(|other| *other == table) => read = Some(table),
            // Two ways of counting give two tables, or the table is doubtful in one of them.
            Ok(_) | Err(NoTable::Doubtful) => return None,
            Err(NoTable::Misaligned) => {}
        }
    }
    read
}

fn read_measured<'t>(lines: &TableLines<'t>, measure: Measure) -> Result<TableRead<'t>, NoTable> {
    let blank = Blank::new(lines, measure).ok_or(NoTable::Doubtful)?;
    if let Some(rule) = lines.rule {
        let runs = split_header(rule, measure, 1).ok_or(NoTable::Doubtful)?;
        let names = ruled_names(lines.header, &runs, measure)?;
        return rows(lines, &names, &blank, measure, Style::Ruled);
    }
    let wide = split_header(lines.header, measure, 2).ok_or(NoTable::Doubtful)?;
    let read_wide = if wide.len() < 2 {
        Err(NoTable::Misaligned)
    } else {
        rows(lines, &wide, &blank, measure, Style::Wide)
    };
    let narrow = narrow_names(lines.header, measure).ok_or(NoTable::Doubtful)?;
    if read_wide.is_ok() || narrow.len() < LEAST_NARROW || narrow.len() == wide.len() {
        return read_wide;
    }
    match (
        rows(lines, &narrow, &blank, measure, Style::Narrow),
        read_wide,
    ) {
        (Err(NoTable::Misaligned), wide) => wide,
        (narrow, _) => narrow,
    }
}

/// The way the names of a header are separated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// By two spaces or more; one may stand in a name.
    Wide,
    /// By single spaces, too. Then no cell may be empty or hold a space, but for the last column.
    Narrow,
    /// As the dashes below them say.
    Ruled,
}

/// The blank columns of a text, between which its cells stand.
struct Blank {
    /// The columns that are blank in every line.
    columns: Vec<bool>,
    /// Before which columns a word of a row goes on.
    crossed: Vec<bool>,
}

impl Blank {
    /// `None` if a line has characters that do not stand where they are.
    fn new(lines: &TableLines<'_>, measure: Measure) -> Option<Self> {
        // What is behind the last name needs no borders.
        let width = walk(lines.header, measure, |_, _, _| ())?;
        let mut columns = vec![true; width];
        let mut crossed = vec![false; width + 1];
        let others = [lines.header].into_iter().chain(lines.rule);
        let rows = lines.rows.iter().map(|&row| (row, true));
        for (line, is_row) in rows.chain(others.map(|other| (other, false))) {
            let mut word_end = None;
            walk(line, measure, |column, width, cluster| {
                if cluster != " " {
                    let end = (column + width).min(columns.len());
                    columns[column.min(end)..end].fill(false);
                    let goes_on = usize::from(word_end != Some(column));
                    let end = (column + width).min(crossed.len());
                    if is_row && column + goes_on < end {
                        crossed[column + goes_on..end].fill(true);
                    }
                    word_end = Some(column + width);
                }
            })?;
        }
        Some(Self { columns, crossed })
    }

    /// Returns true if a word of a row stands on both sides of the place before this column.
    fn is_crossed(&self, column: usize) -> bool {
        self.crossed[column]
    }

    /// The runs of blank columns between two columns.
    fn runs(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for column in (from..to).filter(|&column| self.columns[column]) {
            match runs.last_mut() {
                Some((_, end)) if *end == column => *end += 1,
                _ => runs.push((column, column + 1)),
            }
        }
        runs
    }
}

/// The words of a header with at least so many spaces between them.
fn split_header(line: &str, measure: Measure, spaces: usize) -> Option<Vec<LinePiece<'_>>> {
    let mut names: Vec<LinePiece<'_>> = Vec::new();
    let (mut byte, mut from) = (0, 0);
    walk(line, measure, |column, width, cluster| {
        if cluster != " " {
            let end = column + width;
            let to = byte + cluster.len();
            match names.last_mut() {
                Some(last) if column < last.end + spaces => {
                    (last.text, last.end) = (&line[from..to], end);
                }
                _ => {
                    from = byte;
                    names.push(LinePiece {
                        text: cluster,
                        start: column,
                        end,
                    });
                }
            }
        }
        byte += cluster.len();
    })?;
    Some(names)
}

/// Every word of a header, but for small ones at its end, which belong to the name before them (`Mounted on`).
fn narrow_names(line: &str, measure: Measure) -> Option<Vec<LinePiece<'_>>> {
    let mut words = split_header(line, measure, 1)?;
    while let [.., before, last] = words.as_mut_slice()
        && last.text.starts_with(char::is_lowercase)
        && last.start == before.end + 1
    {
        let joined = format!("{} {}", before.text, last.text);
        let from = line.rfind(&joined)?;
        before.text = &line[from..from + joined.len()];
        before.end = last.end;
        words.pop();
    }
    Some(words)
}

/// The names above a line of dashes.
fn ruled_names<'t>(
    line: &'t str,
    runs: &[LinePiece<'_>],
    measure: Measure,
) -> Result<Vec<LinePiece<'t>>, NoTable> {
    let cuts: Vec<usize> = runs.iter().skip(1).map(|run| run.start).collect();
    let names = cut(line, measure, &cuts).ok_or(NoTable::Misaligned)?;
    let fits = |(name, run): (&LinePiece<'_>, &LinePiece<'_>)| {
        !name.is_empty() && (name.start == run.start || name.end == run.end)
    };
    if runs.len() < 2 || !names.iter().zip(runs).all(fits) {
        return Err(NoTable::Misaligned);
    }
    Ok(names)
}

/// Cuts the rows where the names and the blank columns say, and makes sure of it.
fn rows<'t>(
    lines: &TableLines<'t>,
    names: &[LinePiece<'t>],
    blank: &Blank,
    measure: Measure,
    style: Style,
) -> Result<TableRead<'t>, NoTable> {
    let texts: Vec<&str> = names.iter().map(|name| name.text).collect();
    if !header::are_titles(&texts) && !header::are_upper(&texts) || !header::are_distinct(&texts) {
        return Err(NoTable::Doubtful);
    }
    // Where a word runs over the begin of a name and one over its end, cells can neither begin nor end with it. This way
    // of counting columns is not the program's then, and what else it shows is no reason to doubt another way.
    if names
        .iter()
        .any(|name| blank.is_crossed(name.start) && blank.is_crossed(name.end))
    {
        return Err(NoTable::Misaligned);
    }
    let borders = borders(names, blank)?;
    let cuts: Vec<usize> = borders.iter().map(|border| border.end).collect();
    let mut left = vec![true; names.len()];
    let mut right = left.clone();
    let mut table = Vec::with_capacity(lines.rows.len());
    let mut has_empty = false;
    for line in &lines.rows {
        let row = cut(line, measure, &cuts).ok_or(NoTable::Misaligned)?;
        for (index, (cell, name)) in row.iter().zip(names).enumerate() {
            has_empty |= cell.is_empty();
            left[index] &= cell.is_empty() || cell.start == name.start;
            right[index] &= cell.is_empty() || cell.end == name.end;
        }
        table.push(row);
    }
    for index in 0..names.len() {
        // What stands between two blank runs belongs to the left only if the right column begins under its name.
        let needs_left = index > 0 && borders[index - 1].several;
        if !left[index] && (needs_left || !right[index]) {
            return Err(NoTable::Misaligned);
        }
    }
    // A single blank column can be a space in a cell that is too long for its column, if the next one is empty, or in a
    // cell that only one way of counting puts there.
    if borders.iter().any(|border| border.end - border.start < 2) {
        let is_allowed = match style {
            Style::Wide => !has_empty && lines.rows.iter().all(|row| row.is_ascii()),
            Style::Narrow => !has_empty || only_last_empty(&table),
            Style::Ruled => !has_empty,
        };
        if !is_allowed {
            return Err(NoTable::Doubtful);
        }
    }
    let fits = match style {
        Style::Narrow => is_certain_narrow(names, &table),
        Style::Wide => no_name_is_two(names, &table, lines, &borders, measure),
        Style::Ruled => true,
    };
    if !fits || !is_plausible(&texts, &table, style) {
        return Err(NoTable::Doubtful);
    }
    let rows = table
        .into_iter()
        .map(|row| row.into_iter().map(|cell| cell.text).collect())
        .collect();
    Ok(TableRead { names: texts, rows })
}

/// The blank columns between two names.
pub(super) struct Border {
    pub(super) start: usize,
    pub(super) end: usize,
    /// There are others.
    several: bool,
}

fn borders(names: &[LinePiece<'_>], blank: &Blank) -> Result<Vec<Border>, NoTable> {
    names
        .windows(2)
        .map(|pair| {
            let runs = blank.runs(pair[0].end, pair[1].start);
            let &(start, end) = runs.last().ok_or(NoTable::Misaligned)?;
            let several = runs.len() > 1;
            // Two blank columns are in no cell; one may be.
            if several && (end != pair[1].start || end - start < 2) {
                return Err(NoTable::Doubtful);
            }
            Ok(Border {
                start,
                end,
                several,
            })
        })
        .collect()
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
