//! The figures of many programs as one table in Markdown.

use std::fmt::Write;

use super::{Report, Score};

/// One program of the table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TableRow {
    /// Its name.
    pub program: String,
    /// Its version, as its package says it.
    pub version: String,
    /// The library that it is written with.
    pub family: String,
    /// The origin of its truth.
    pub truth: String,
    /// Its figures; none where it could not be read.
    pub report: Option<Report>,
}

impl TableRow {
    /// A program without figures yet.
    pub fn new(program: &str, version: &str, family: &str, truth: &str) -> Self {
        Self {
            program: program.to_owned(),
            version: version.to_owned(),
            family: family.to_owned(),
            truth: truth.to_owned(),
            report: None,
        }
    }
}

/// The table of all rows, in their order.
pub fn table(rows: &[TableRow]) -> String {
    let mut text = String::from(
        "| program | version | family | truth from | commands | P | R | flags | P | R | types | required | repeat |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let figures = match &row.report {
            None => "not read | | | | | | | | ".to_owned(),
            Some(report) => [
                report.command_recall.total.to_string(),
                share(&report.command_precision),
                share(&report.command_recall),
                report.flag_recall.total.to_string(),
                share(&report.flag_precision),
                share(&report.flag_recall),
                share(&report.types),
                share(&report.required),
                share(&report.repeat),
            ]
            .join(" | "),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {figures} |",
            row.program, row.version, row.family, row.truth
        );
    }
    text
}

/// A share to three digits, and a dash where there is nothing to measure. What is not whole is never shown as 1.
fn share(score: &Score) -> String {
    if score.total == 0 {
        return "-".to_owned();
    }
    if score.right == score.total {
        return "1".to_owned();
    }
    let thousandths = (score.share() * 1000.0).floor() / 1000.0;
    format!("{thousandths:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_whole_is_not_shown_as_whole() {
        let score = |right, total| Score {
            right,
            total,
            ..Score::default()
        };
        assert_eq!(share(&score(9999, 10_000)), "0.999");
        assert_eq!(share(&score(7, 7)), "1");
        assert_eq!(share(&score(0, 7)), "0.000");
        assert_eq!(share(&score(0, 0)), "-");
    }

    #[test]
    fn a_row_has_a_cell_for_every_column() {
        let mut read = TableRow::new("lamp", "1.2", "clap", "completions");
        read.report = Some(Report::default());
        let text = table(&[TableRow::new("kiln", "1", "argparse", "its parser"), read]);
        let cells: Vec<usize> = text.lines().map(|line| line.matches('|').count()).collect();
        assert_eq!(cells, [14; 4], "{text}");
    }
}
