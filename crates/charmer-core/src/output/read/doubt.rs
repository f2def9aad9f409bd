//! Doubts about a table that was cut into cells.

use super::{
    header,
    table::{Border, Style, TableLines},
    width::{LinePiece, Measure, walk},
};

/// The number of rows that makes it no chance what they have in common.
const MANY_ROWS: usize = 5;

/// Returns true if no cell is empty but in the last column.
pub(super) fn only_last_empty(table: &[Vec<LinePiece<'_>>]) -> bool {
    table.iter().all(|row| {
        row.split_last()
            .is_some_and(|(_, cells)| cells.iter().all(|cell| !cell.is_empty()))
    })
}

/// Returns true if every cell but those of the last column is a word, and no two names with one space between them can
/// be one.
pub(super) fn is_certain_narrow(names: &[LinePiece<'_>], table: &[Vec<LinePiece<'_>>]) -> bool {
    // With one space between columns, two ways of counting would too often both fit.
    let is_word =
        |cell: &LinePiece<'_>| !cell.is_empty() && cell.text.is_ascii() && !cell.text.contains(' ');
    let words = table.iter().all(|row| {
        row.split_last()
            .is_some_and(|(_, cells)| cells.iter().all(is_word))
    });
    let narrow: Vec<usize> = (0..names.len() - 1)
        .filter(|&index| names[index + 1].start == names[index].end + 1)
        .collect();
    // As one they would begin or end together, and have single spaces inside.
    let can_be_one = |index: usize| {
        let single = |row: &Vec<LinePiece<'_>>| {
            row[index + 1].is_empty() || row[index + 1].start == row[index].end + 1
        };
        let left = table
            .iter()
            .all(|row| row[index].start == names[index].start);
        let end = |row: &Vec<LinePiece<'_>>| row[index].end.max(row[index + 1].end);
        let right = table.iter().all(|row| end(row) == names[index + 1].end);
        (left || right) && table.iter().all(single)
    };
    // If there is a border of one space elsewhere, a space in each of many rows is no chance.
    let is_border = |index: usize| {
        table.len() >= MANY_ROWS && table.iter().all(|row| !row[index + 1].is_empty())
    };
    let open = narrow.iter().filter(|&&index| can_be_one(index)).count();
    let settled = narrow
        .iter()
        .all(|&index| !can_be_one(index) || is_border(index));
    words && settled && (open == 0 || open < narrow.len())
}

/// Returns true if no name with a space in it can be two names: a cell runs over that place, or nothing speaks for a
/// border there and all others are wider than that space. What one way of counting puts there, and another does not,
/// says nothing.
pub(super) fn no_name_is_two(
    names: &[LinePiece<'_>],
    table: &[Vec<LinePiece<'_>>],
    lines: &TableLines<'_>,
    borders: &[Border],
    measure: Measure,
) -> bool {
    let all_wide = borders.iter().all(|border| border.end - border.start > 1);
    let is_space = |line: &str, at: usize| {
        let mut found = false;
        walk(line, measure, |column, _, cluster| {
            found |= column == at && cluster == " ";
        });
        found
    };
    names.iter().enumerate().all(|(index, name)| {
        let mut gaps = Vec::new();
        walk(name.text, measure, |at, _, cluster| {
            if cluster == " " {
                gaps.push(name.start + at);
            }
        });
        gaps.into_iter().all(|gap| {
            let mut around = table.iter().zip(&lines.rows).filter(|(row, _)| {
                let cell = &row[index];
                cell.start < gap && gap < cell.end
            });
            let mut divided = false;
            let covered = around.any(|(_, line)| {
                let space = is_space(line, gap);
                divided |= space;
                !space && is_settled(line, measure, gap)
            });
            let mut rows = lines.rows.iter();
            let settled = table.is_empty() || rows.any(|line| is_settled(line, measure, gap));
            covered || all_wide && !divided && settled
        })
    })
}

/// Returns true if up to this column all ways of counting put everything in the same place.
fn is_settled(line: &str, measure: Measure, column: usize) -> bool {
    let mut settled = true;
    walk(line, measure, |at, width, cluster| {
        let same = |other| walk(cluster, other, |_, _, _| ()) == Some(width);
        let all = [Measure::Shown, Measure::Apart, Measure::Counted];
        settled &= at > column || cluster.is_ascii() || all.into_iter().all(same);
    });
    settled
}

/// Returns true if the cells read like cells below names, and not like other text that happens to be aligned.
pub(super) fn is_plausible(names: &[&str], table: &[Vec<LinePiece<'_>>], style: Style) -> bool {
    let last = names.len() - 1;
    let mut all_upper = !table.is_empty();
    let mut last_has_gap = !table.is_empty();
    let marks_only = table.iter().all(|row| row[0].text.chars().count() <= 1);
    for row in table {
        let filled = row.iter().filter(|cell| !cell.is_empty()).count();
        // A note below the table, or a total.
        let ends_like_a_note = row[0].text.ends_with(['.', ':', '!', ')']);
        let note = row[0].text.ends_with(':')
            || filled == 1 && (last > 1 || row[0].text.contains(' ') || ends_like_a_note);
        // A row without its first cell may continue the one above, unless that column is there for marks.
        let continues = row[0].is_empty() && !marks_only && filled < last;
        let gap = row[..last].iter().any(|cell| cell.text.contains("  "));
        if filled == 0 || note || continues || gap {
            return false;
        }
        all_upper &= row
            .iter()
            .all(|cell| cell.is_empty() || header::is_upper(cell.text));
        last_has_gap &= row[last].text.contains("  ");
    }
    if all_upper || last_has_gap || !table.is_empty() && table.iter().all(|row| row[0].is_empty()) {
        return false;
    }
    // Titles are also how sentences and lines of a log begin: it takes numbers below words to believe them.
    header::are_upper(names)
        || style == Style::Ruled
        || last > 1
            && (0..=last).any(|index| {
                let is_number = |cell: &LinePiece<'_>| {
                    let digits = cell
                        .text
                        .trim_end_matches(|c: char| c == '%' || c.is_ascii_uppercase());
                    !digits.is_empty()
                        && digits
                            .bytes()
                            .all(|byte| byte.is_ascii_digit() || byte == b'.')
                };
                !names[index].contains(|c: char| c.is_ascii_digit())
                    && !table.is_empty()
                    && table.iter().all(|row| is_number(&row[index]))
            })
}
