//! Rows of a list: a name column, at least two spaces, a text column, and lines that continue the text.

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its indentation, in columns.
    pub(crate) indent: usize,
    /// The left column.
    pub(crate) name: String,
    /// The right column; lines that continue it are joined with single spaces, blank lines with a line break.
    pub(crate) text: String,
    /// The lines that belong to the row, without the first, as they stand.
    pub(crate) more: Vec<String>,
}

/// Reads rows. `starts` says whether a line, without its indentation, begins a row; any other line continues the row
/// before it. The text column is the one that most rows agree on, so that a name that fills its column, and so has a
/// single space behind it, is still cut where its neighbours are.
pub(crate) fn rows(lines: &[&str], starts: impl Fn(usize, &str) -> bool) -> Vec<Row> {
    let expanded: Vec<String> = lines.iter().map(|line| expand_tabs(line)).collect();
    let column = text_column(&expanded, &starts);
    let mut found: Vec<Row> = Vec::new();
    let mut blank = false;
    for line in &expanded {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        if content.is_empty() {
            blank = true;
            continue;
        }
        // What stands in the text column or beyond continues, whatever it looks like.
        let beyond = column.is_some_and(|column| indent >= column && indent > 0);
        if !beyond && starts(indent, content) {
            let (name, text) = split(line, indent, column);
            found.push(Row {
                indent,
                name,
                text,
                more: Vec::new(),
            });
        } else if let Some(row) = found.last_mut() {
            if blank && indent <= row.indent {
                // Unindented prose behind a list is not part of its last row.
                blank = false;
                continue;
            }
            if !row.text.is_empty() {
                row.text.push(if blank { '\n' } else { ' ' });
            }
            row.text.push_str(content);
            row.more.push(line.trim_end().to_owned());
        }
        blank = false;
    }
    found
}

/// The column in which most rows begin their text.
fn text_column(lines: &[String], starts: &impl Fn(usize, &str) -> bool) -> Option<usize> {
    let mut votes: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() || !starts(indent, line.trim()) {
            continue;
        }
        if let Some(at) = wide_gap(line, indent) {
            match votes.iter_mut().find(|(column, _)| *column == at) {
                Some((_, count)) => *count += 1,
                None => votes.push((at, 1)),
            }
        }
    }
    let most = votes.iter().map(|&(_, count)| count).max()?;
    votes
        .into_iter()
        .find(|&(_, count)| count == most)
        .map(|(column, _)| column)
}

/// The beginning of the text behind the first gap of two spaces. A gap between two names is none: `-s,  --name`, `-a
/// --all`.
fn wide_gap(line: &str, indent: usize) -> Option<usize> {
    let mut from = indent;
    loop {
        let gap = from + line[from..].find("  ")?;
        let text = line[gap..].trim_start();
        if text.is_empty() {
            return None;
        }
        let at = line.len() - text.len();
        let name = &line[indent..gap];
        let lone_short = name.len() == 2 && name.starts_with('-');
        let long_next = text
            .strip_prefix("--")
            .is_some_and(|long| long.starts_with(char::is_alphabetic));
        if !(long_next && (name.ends_with(',') || lone_short)) {
            return Some(at);
        }
        from = at;
    }
}

fn split(line: &str, indent: usize, column: Option<usize>) -> (String, String) {
    let body = line[indent..].trim_end();
    let cut = |at: usize| {
        (
            line[indent..at].trim_end().to_owned(),
            line[at..].trim().to_owned(),
        )
    };
    if let Some(column) = column
        && column > indent
        && line.is_char_boundary(column)
        && column < line.trim_end().len()
        && line[..column].ends_with(' ')
        && !line[column..].starts_with(' ')
        // An option's value may happen to begin where texts do.
        && !(body.starts_with('-') && line[column..].starts_with('<'))
        // An earlier wide gap is the better cut: the text may reach past the column.
        && wide_gap(line, indent).is_none_or(|gap| gap >= column)
    {
        return cut(column);
    }
    match wide_gap(line, indent) {
        Some(at) => cut(at),
        None => (body.to_owned(), String::new()),
    }
}

/// Tabs as spaces to the next multiple of eight.
pub(crate) fn expand_tabs(line: &str) -> String {
    if !line.contains('\t') {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len() + 16);
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let width = 8 - column % 8;
            out.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            out.push(c);
            column += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        let lines: Vec<&str> = text.lines().collect();
        rows(&lines, |indent, _| indent <= 2)
            .into_iter()
            .map(|row| (row.name, row.text))
            .collect()
    }

    #[test]
    fn the_longest_name_has_one_space_behind_it() {
        let found = read(
            "  add        Add a thing\n  lengthiest Take it\n             all away\n  rm         Remove\n",
        );
        assert_eq!(
            found,
            [
                ("add".into(), "Add a thing".into()),
                ("lengthiest".into(), "Take it all away".into()),
                ("rm".to_owned(), "Remove".to_owned()),
            ]
        );
    }

    #[test]
    fn a_name_too_long_for_its_column_has_its_text_below() {
        let found = read("  add       Add\n  remove-everything\n            Remove\n");
        assert_eq!(found[1], ("remove-everything".into(), "Remove".into()));
    }

    #[test]
    fn a_value_that_begins_in_the_text_column_is_none_of_the_text() {
        let found = read(
            "  --fast      Go\n  --slow      Wait\n  --road-map <map of it>...\n              Where\n",
        );
        assert_eq!(
            found[2],
            ("--road-map <map of it>...".into(), "Where".into())
        );
    }

    #[test]
    fn a_gap_between_two_names_does_not_end_the_names() {
        let found = read(
            "  -q,  --quiet    Say little\n       --loud     Shout\n  -a  --all       Take all\n",
        );
        assert_eq!(
            found[0],
            ("-q,  --quiet".into(), "Say little --loud     Shout".into())
        );
        assert_eq!(found[1], ("-a  --all".into(), "Take all".into()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z\\- \\n\\t]|[\\PC]){0,200}") {
            let lines: Vec<&str> = text.lines().collect();
            rows(&lines, |_, content| content.starts_with('-'));
        }
    }
}
