//! In which column a character stands: programs count columns in more than one way.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The way a program counted columns when it padded its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// As a terminal shows them: wide characters take two columns, marks none, joined characters as much as they show.
    Shown,
    /// As a terminal shows each character by itself, and not what several make together.
    Apart,
    /// One column a character, as much code does.
    Counted,
}

/// Visits what takes columns in a line: column, width and text of each character with the marks on it. `None` if the
/// line has a character that takes no place or another one than where it stands.
pub(super) fn walk<'t>(
    line: &'t str,
    measure: Measure,
    mut visit: impl FnMut(usize, usize, &'t str),
) -> Option<usize> {
    if line.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        for column in 0..line.len() {
            visit(column, 1, &line[column..=column]);
        }
        return Some(line.len());
    }
    let (mut rest, mut column) = (line, 0);
    while let Some(first) = rest.chars().next() {
        if first.is_control() {
            return None;
        }
        let cluster = &rest[..cluster_length(rest)];
        let width = match measure {
            Measure::Shown => cluster.width(),
            Measure::Apart => cluster.chars().map(|c| c.width().unwrap_or(0)).sum(),
            Measure::Counted => cluster.chars().count(),
        };
        visit(column, width, cluster);
        column += width;
        rest = &rest[cluster.len()..];
    }
    Some(column)
}

/// The number of bytes of a character together with what is joined to it.
fn cluster_length(text: &str) -> usize {
    let mut joined = true;
    for (at, c) in text.char_indices() {
        let belongs = joined || c.width() == Some(0) || matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
        if !belongs || c.is_control() {
            return at;
        }
        joined = c == '\u{200d}';
    }
    text.len()
}

/// A part of a line without the spaces around it, and the columns that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinePiece<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl LinePiece<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// Cuts a line at these columns, which ascend. `None` if one of them is inside of a character.
pub(super) fn cut<'t>(
    line: &'t str,
    measure: Measure,
    cuts: &[usize],
) -> Option<Vec<LinePiece<'t>>> {
    let empty = LinePiece {
        text: "",
        start: 0,
        end: 0,
    };
    let mut pieces = vec![empty; cuts.len() + 1];
    let (mut index, mut byte, mut from, mut clean) = (0, 0, 0, true);
    walk(line, measure, |column, width, cluster| {
        while index < cuts.len() && column >= cuts[index] {
            index += 1;
        }
        if cuts.get(index).is_some_and(|&next| column + width > next) {
            clean = false;
        }
        if cluster != " " {
            let piece = &mut pieces[index];
            if piece.text.is_empty() {
                (piece.start, from) = (column, byte);
            }
            piece.text = &line[from..byte + cluster.len()];
            piece.end = column + width;
        }
        byte += cluster.len();
    })?;
    clean.then_some(pieces)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

    use super::*;

    #[test]
    fn columns_are_counted_in_each_way() {
        let total = |line, measure| walk(line, measure, |_, _, _| ());
        for (line, widths) in [
            ("abc", [3, 3, 3]),
            ("日本", [4, 4, 2]),
            ("e\u{301}x", [2, 2, 3]),
            ("👩\u{200d}💻", [2, 4, 3]),
            ("👍\u{1f3fd}", [2, 4, 2]),
        ] {
            for (measure, width) in [Measure::Shown, Measure::Apart, Measure::Counted]
                .into_iter()
                .zip(widths)
            {
                assert_eq!(total(line, measure), Some(width), "{line} {measure:?}");
            }
        }
        assert_eq!(total("a\u{7}b", Measure::Shown), None);
    }

    #[test]
    fn lines_are_cut_between_characters() {
        let pieces = cut("日本  b c ", Measure::Shown, &[6]).unwrap();
        let texts: Vec<_> = pieces.iter().map(|p| (p.text, p.start, p.end)).collect();
        assert_eq!(texts, [("日本", 0, 4), ("b c", 6, 9)]);
        assert_eq!(cut("日本", Measure::Shown, &[1]), None);
        let pieces = cut("x", Measure::Shown, &[3, 6]).unwrap();
        assert!(pieces[1].is_empty() && pieces[2].is_empty());
    }
}
