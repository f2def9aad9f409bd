//! Tables for people: columns as wide as they need, the last one shortened to what is left of the line.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::{DIM, styled};

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

/// The rows under their headings, as text. With a width, no line is longer.
pub(crate) fn table(headings: &[&str], rows: &[Vec<Cell>], width: Option<usize>) -> String {
    const GAP: usize = 2;
    let last = headings.len() - 1;
    let mut widths: Vec<usize> = headings.iter().map(|heading| heading.width()).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(cell.text.width());
        }
    }
    if let Some(width) = width {
        let others: usize = widths[..last].iter().map(|column| column + GAP).sum();
        // A long first column must not take everything.
        let rest = width.saturating_sub(others);
        if rest < 20 {
            let too_much = 20 - rest;
            widths[0] = widths[0].saturating_sub(too_much).max(12);
        }
        let others: usize = widths[..last].iter().map(|column| column + GAP).sum();
        widths[last] = widths[last].min(width.saturating_sub(others));
    }
    let mut text = String::new();
    let titles: Vec<Cell> = headings
        .iter()
        .enumerate()
        .map(|(at, heading)| Cell {
            text: (*heading).to_owned(),
            style: DIM,
            right: rows.iter().any(|row| row[at].right),
        })
        .collect();
    for row in std::iter::once(&titles).chain(rows) {
        let mut line = String::new();
        for (at, (cell, &column)) in row.iter().zip(&widths).enumerate() {
            let shown = clip(&cell.text, column);
            let space = " ".repeat(column - shown.width());
            let shown = styled(cell.style, shown);
            line.push_str(&match (cell.right, at == last) {
                (true, _) => format!("{space}{shown}"),
                (false, true) => shown,
                (false, false) => format!("{shown}{space}"),
            });
            if at < last {
                line.push_str("  ");
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// At most so many columns of a text, with an ellipsis where something is missing.
pub(crate) fn clip(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let mut short = String::new();
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > room {
            break;
        }
        room -= wide;
        short.push(c);
    }
    if columns > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn columns_are_aligned_and_fit() {
        let rows = vec![
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
        ];
        let all = plain(&table(&["TOOL", "FLAGS", "ABOUT"], &rows, None));
        assert_eq!(
            all,
            "TOOL       FLAGS  ABOUT\n\
             docker_ps      7  List containers\n\
             x             12  Löscht etwas, und das dauert lange\n"
        );
        let narrow = plain(&table(&["TOOL", "FLAGS", "ABOUT"], &rows, Some(40)));
        assert!(narrow.lines().all(|line| line.width() <= 40), "{narrow}");
        assert!(narrow.contains("Löscht etwas, und das…"), "{narrow}");
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(clip("容器列表", 5), "容器…");
        assert_eq!(clip("容器", 4), "容器");
        assert_eq!(clip("abc", 0), "");
    }
}
