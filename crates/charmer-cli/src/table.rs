//! Tables for people: columns as wide as they need, and the last one in what is left of the line. No word is cut.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::{
    output::{BOLD, DIM, styled},
    wrap::{clipped, wrapped},
};

/// The space between columns.
const GAP: usize = 2;
/// The least that is worth having of the last column, and of the first; where there is less, everything stands below the
/// first column.
const NARROWEST: usize = 24;
const NARROWEST_FIRST: usize = 16;
/// The indentation of lines that belong to the one above them.
const INDENT: usize = 4;

/// One cell.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    style: Style,
    right: bool,
}

impl Cell {
    /// Text on one line, whatever it was before.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let text: String = text.into();
        let words: Vec<&str> = text.split_whitespace().collect();
        Self {
            text: words.join(" "),
            style: Style::new(),
            right: false,
        }
    }

    /// A number, which stands at the right of its column.
    pub(crate) fn number(number: usize) -> Self {
        Self {
            right: true,
            ..Self::new(number.to_string())
        }
    }

    pub(crate) fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

/// The way the last column gets into a line that is too short for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// Its beginning is shown.
    Clipped,
    /// All of it is shown, on as many lines as that takes.
    Wrapped,
}

/// Rows under a title of their own.
#[derive(Debug, Default)]
pub(crate) struct RowGroup {
    /// Empty for rows that need none.
    pub(crate) title: String,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The rows under their headings, as text. With a width, lines are no longer, unless one of its words is.
pub(crate) fn table(
    headings: &[&str],
    rows: Vec<Vec<Cell>>,
    last: Last,
    width: Option<usize>,
) -> String {
    let title = String::new();
    grouped(headings, &[RowGroup { title, rows }], last, width)
}

/// The same for rows in groups, whose columns are alike.
pub(crate) fn grouped(
    headings: &[&str],
    groups: &[RowGroup],
    last: Last,
    width: Option<usize>,
) -> String {
    let (headings, groups) = without_empty(headings, groups);
    let (headings, groups) = (headings.as_slice(), groups.as_slice());
    let rows = || groups.iter().flat_map(|group| &group.rows);
    let end = headings.len() - 1;
    let mut widths: Vec<usize> = headings.iter().map(|heading| heading.width()).collect();
    for row in rows() {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(cell.text.width());
        }
    }
    let titles: Vec<Cell> = headings
        .iter()
        .enumerate()
        .map(|(at, heading)| Cell {
            text: (*heading).to_owned(),
            style: DIM,
            right: rows().any(|row| row[at].right),
        })
        .collect();
    let others = |widths: &[usize]| -> usize { widths.iter().map(|column| column + GAP).sum() };
    if let Some(width) = width {
        // A few long names must not take everything; what follows them begins on the next line.
        let taken = others(&widths[1..end]) + GAP + NARROWEST.min(widths[end]);
        widths[0] = widths[0].min(width.saturating_sub(taken).max(NARROWEST_FIRST));
    }
    let layout = TableLayout {
        rest: width.map(|width| width.saturating_sub(others(&widths[..end]))),
        widths: &widths,
        width,
        last,
    };
    let below = layout
        .rest
        .is_some_and(|rest| rest < NARROWEST.min(widths[end]));
    let mut text = match below {
        false => layout.beside(&titles),
        true => String::new(),
    };
    for (at, group) in groups.iter().enumerate() {
        if !group.title.is_empty() {
            let line = if at > 0 || !below { "\n" } else { "" };
            text.push_str(&format!("{line}{}\n", styled(BOLD, &group.title)));
        }
        for row in &group.rows {
            text.push_str(&match below {
                false => layout.beside(row),
                true => layout.below(headings, row),
            });
        }
    }
    text
}

/// The same without columns between the first and the last that no row has anything in: the room is better used.
fn without_empty<'h>(headings: &[&'h str], groups: &[RowGroup]) -> (Vec<&'h str>, Vec<RowGroup>) {
    let end = headings.len() - 1;
    let is_kept = |at: &usize| {
        let mut rows = groups.iter().flat_map(|group| &group.rows);
        *at == 0 || *at == end || rows.any(|row| !row[*at].text.is_empty())
    };
    let kept: Vec<usize> = (0..=end).filter(is_kept).collect();
    let groups = groups.iter().map(|group| RowGroup {
        title: group.title.clone(),
        rows: group
            .rows
            .iter()
            .map(|row| kept.iter().map(|&at| row[at].clone()).collect())
            .collect(),
    });
    let headings = kept.iter().map(|&at| headings[at]).collect();
    (headings, groups.collect())
}

struct TableLayout<'t> {
    widths: &'t [usize],
    /// The width that is left for the last column.
    rest: Option<usize>,
    width: Option<usize>,
    last: Last,
}

impl TableLayout<'_> {
    /// A row whose cells stand beside each other.
    fn beside(&self, row: &[Cell]) -> String {
        let end = row.len() - 1;
        let mut line = String::new();
        for (cell, &column) in row[..end].iter().zip(self.widths) {
            let shown = styled(cell.style, &cell.text);
            let Some(space) = column.checked_sub(cell.text.width()) else {
                line.push_str(&format!("{shown}\n{}", " ".repeat(column + GAP)));
                continue;
            };
            let space = " ".repeat(space);
            line.push_str(&match cell.right {
                true => format!("{space}{shown}  "),
                false => format!("{shown}{space}  "),
            });
        }
        let before: usize = self.widths[..end].iter().map(|column| column + GAP).sum();
        let cell = &row[end];
        let mut lines = self.within(&cell.text, self.rest).into_iter();
        line.push_str(&styled(cell.style, lines.next().unwrap_or_default()));
        let mut text = format!("{}\n", line.trim_end());
        for more in lines {
            let shown = styled(cell.style, more);
            text.push_str(&format!("{}{shown}\n", " ".repeat(before)));
        }
        text
    }

    /// A row whose first cell stands alone, and the others below it.
    fn below(&self, headings: &[&str], row: &[Cell]) -> String {
        let end = row.len() - 1;
        let indent = " ".repeat(INDENT);
        let mut text = format!("{}\n", styled(row[0].style, &row[0].text));
        let facts = row[1..end].iter().zip(&headings[1..end]);
        let facts = facts.filter(|(cell, _)| !cell.text.is_empty());
        let facts: Vec<String> = facts
            .map(|(cell, heading)| match cell.right {
                // A number alone says nothing.
                true => format!("{} {}", cell.text, heading.to_lowercase()),
                false => styled(cell.style, &cell.text),
            })
            .collect();
        if !facts.is_empty() {
            let line = format!("{indent}{}", facts.join(", "));
            text.push_str(&format!("{}\n", wrapped(&line, self.width, 0)));
        }
        let room = self.width.map(|width| width.saturating_sub(INDENT));
        let cell = &row[end];
        for line in self.within(&cell.text, room) {
            let shown = styled(cell.style, line);
            text.push_str(&format!("{indent}{shown}\n"));
        }
        text
    }

    /// The lines of a last cell; none for an empty one.
    fn within(&self, text: &str, room: Option<usize>) -> Vec<String> {
        if text.is_empty() {
            return Vec::new();
        }
        match (self.last, room) {
            (_, None) => vec![text.to_owned()],
            (Last::Clipped, Some(room)) => vec![clipped(text, room)],
            (Last::Wrapped, Some(_)) => wrapped(text, room, 0).lines().map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: [&str; 3] = ["TOOL", "FLAGS", "ABOUT"];

    fn rows() -> Vec<Vec<Cell>> {
        vec![
            vec![
                "docker_ps".into(),
                Cell::number(7),
                "List containers".into(),
            ],
            vec![
                "x".into(),
                Cell::number(12),
                "Löscht etwas, und das dauert lange".into(),
            ],
        ]
    }

    fn plain(last: Last, width: Option<usize>) -> String {
        let text = table(&HEADINGS, rows(), last, width);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn columns_are_aligned_and_fit() {
        assert_eq!(
            plain(Last::Clipped, None),
            "TOOL       FLAGS  ABOUT\n\
             docker_ps      7  List containers\n\
             x             12  Löscht etwas, und das dauert lange\n"
        );
        assert_eq!(
            plain(Last::Clipped, Some(47)),
            "TOOL       FLAGS  ABOUT\n\
             docker_ps      7  List containers\n\
             x             12  Löscht etwas, und das dauert…\n"
        );
        assert_eq!(
            plain(Last::Wrapped, Some(46)),
            "TOOL       FLAGS  ABOUT\n\
             docker_ps      7  List containers\n\
             x             12  Löscht etwas, und das dauert\n                  lange\n"
        );
    }

    #[test]
    fn what_has_no_room_beside_a_name_stands_below_it() {
        assert_eq!(
            plain(Last::Wrapped, Some(30)),
            "docker_ps\n    7 flags\n    List containers\n\
             x\n    12 flags\n    Löscht etwas, und das\n    dauert lange\n"
        );
    }

    #[test]
    fn a_long_name_has_a_line_to_itself() {
        let mut rows = rows();
        rows[0][0] = "docker_buildx_imagetools".into();
        let text = table(&HEADINGS, rows, Last::Clipped, Some(50));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            text,
            "TOOL               FLAGS  ABOUT\n\
             docker_buildx_imagetools\n                       7  List containers\n\
             x                     12  Löscht etwas, und das…\n"
        );
    }

    #[test]
    fn a_column_without_content_takes_no_room() {
        let rows = vec![vec!["--all".into(), "".into(), "Everything".into()]];
        let text = table(&["FLAG", "NEEDED", "ABOUT"], rows, Last::Wrapped, None);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "FLAG   ABOUT\n--all  Everything\n");
    }

    #[test]
    fn groups_have_titles() {
        let groups = [RowGroup {
            title: "docker (2)".into(),
            rows: rows(),
        }];
        let text = grouped(&HEADINGS, &groups, Last::Clipped, None);
        let text = anstream::adapter::strip_str(&text).to_string();
        assert!(text.contains("ABOUT\n\ndocker (2)\ndocker_ps"), "{text}");
    }
}
