//! The boxes that rich draws around the sections of help: `╭─ Options ─╮`, with a table inside.

/// A box: its heading and its rows, each a list of cells, one for every column.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct BoxRows {
    pub(super) heading: String,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns true if a text has boxes.
pub(super) fn are_in(text: &str) -> bool {
    text.lines().any(|line| opens(line).is_some())
}

/// The lines outside of boxes, and the boxes.
pub(super) fn read(text: &str) -> (Vec<&str>, Vec<BoxRows>) {
    let (mut outside, mut tables) = (Vec::new(), Vec::new());
    let mut open: Option<(String, Vec<Vec<char>>)> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(heading) = opens(line) {
            open = Some((heading, Vec::new()));
        } else if trimmed.starts_with(['╰', '└', '┗', '+']) && open.is_some() {
            if let Some((heading, lines)) = open.take() {
                tables.push(BoxRows {
                    heading,
                    rows: rows(&lines),
                });
            }
        } else if let Some((_, lines)) = &mut open {
            let inside = trimmed.trim_start_matches(['│', '┃', '|']);
            lines.push(inside.trim_end_matches(['│', '┃', '|']).chars().collect());
        } else {
            outside.push(line);
        }
    }
    (outside, tables)
}

/// The heading of a box that begins in this line.
fn opens(line: &str) -> Option<String> {
    let inner = line.trim().strip_prefix(['╭', '┌', '┏', '+'])?;
    let ruled = |c: char| matches!(c, '─' | '━' | '-' | '╮' | '┐' | '┓' | '+' | ' ');
    let inner = inner.strip_prefix(['─', '━', '-'])?;
    let heading = inner.trim_matches(ruled);
    heading
        .chars()
        .any(char::is_alphabetic)
        .then(|| heading.to_owned())
}

/// Cuts lines at the columns that are blank in all of them, and joins lines that continue the one before.
fn rows(lines: &[Vec<char>]) -> Vec<Vec<String>> {
    let width = lines.iter().map(Vec::len).max().unwrap_or(0);
    let blank = |at: usize| {
        lines
            .iter()
            .all(|line| line.get(at).is_none_or(|&c| c == ' '))
    };
    let mut columns: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < width {
        if blank(at) {
            at += 1;
            continue;
        }
        let start = at;
        while at < width && !(blank(at) && (blank(at + 1) || at + 1 >= width)) {
            at += 1;
        }
        columns.push((start, at));
    }
    let mut found: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let cells: Vec<String> = columns
            .iter()
            .map(|&(start, end)| {
                let end = end.min(line.len());
                let cell: String = line.get(start..end).unwrap_or_default().iter().collect();
                cell.trim().to_owned()
            })
            .collect();
        let names = cells.iter().position(|cell| !cell.is_empty());
        let Some(first) = names else { continue };
        // The mark of what is required has a column of its own before the names.
        let marked = columns.len() > 1
            && lines
                .iter()
                .any(|line| line.get(columns[0].0) == Some(&'*'));
        // A flag that has only a letter leaves the column of the long names empty.
        let letter = cells[first].len() == 2 && cells[first].starts_with('-');
        let begins = first == 0 || first == 1 && marked || letter;
        match found.last_mut() {
            Some(row) if !begins => {
                for (cell, more) in row.iter_mut().zip(cells) {
                    if !more.is_empty() {
                        if !cell.is_empty() {
                            cell.push(' ');
                        }
                        cell.push_str(&more);
                    }
                }
            }
            _ => found.push(cells),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_and_continuations() {
        let text = " Usage: tool [OPTIONS]\n\n╭─ Options ────────────────────────────╮\n│ *  --name   -n      TEXT  The name   │\n│                           [required] │\n│    --force      -F        Do it      │\n╰──────────────────────────────────────╯\n";
        assert!(are_in(text));
        let (outside, tables) = read(text);
        assert_eq!(outside[0].trim(), "Usage: tool [OPTIONS]");
        assert_eq!(tables[0].heading, "Options");
        assert_eq!(
            tables[0].rows,
            [
                ["*", "--name", "-n", "", "TEXT", "The name [required]"],
                ["", "--force", "", "-F", "", "Do it"],
            ]
        );
    }

    #[test]
    fn a_letter_alone_is_a_row() {
        let text = "╭─ Options ─────────────────────╮\n│ --level   -l  INTEGER  A level │\n│           -x  INTEGER  A letter│\n╰───────────────────────────────╯\n";
        let (_, tables) = read(text);
        assert_eq!(tables[0].rows.len(), 2);
        assert_eq!(tables[0].rows[1][1], "-x");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([╭─╮│╰╯*a-z\\n \\-]|[\\PC]){0,120}") {
            read(&text);
        }
    }
}
