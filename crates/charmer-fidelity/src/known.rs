//! The floors of programs that others wrote, and the list of those that are below a floor today.
//!
//! The list can only shrink: a figure that falls below what is written is a failure, and one that has risen is said, so
//! that the list can be made tighter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Report, Score};

/// The figures of programs that are known to be below a floor, by program and figure.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct Known {
    /// By program, then by figure: `{"mypy": {"flag_recall": 0.04}}`.
    pub programs: BTreeMap<String, BTreeMap<String, f64>>,
}

/// A program's report, judged by the floors and by what is known of it.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Verdict {
    /// One sentence for each figure that is too low.
    pub broken: Vec<String>,
    /// One sentence for each figure that is better than the list says.
    pub risen: Vec<String>,
    /// The figures below their floors, as the list would say them now.
    pub below: BTreeMap<String, f64>,
}

/// The figures that have a floor, by their names in the list.
fn floors(report: &Report) -> [(&'static str, &Score, f64); 5] {
    [
        ("command_precision", &report.command_precision, 0.99),
        ("command_recall", &report.command_recall, 0.99),
        ("flag_precision", &report.flag_precision, 0.99),
        ("flag_recall", &report.flag_recall, 0.99),
        ("types", &report.types, 0.98),
    ]
}

/// A share in thousandths, never more than it is: what is written is then always reached.
fn written(share: f64) -> f64 {
    (share * 1000.0).floor() / 1000.0
}

impl Known {
    /// Judges a program's report.
    pub fn judge(&self, program: &str, report: &Report) -> Verdict {
        let none = BTreeMap::new();
        let known = self.programs.get(program).unwrap_or(&none);
        let mut verdict = Verdict::default();
        for (name, score, floor) in floors(report) {
            let share = score.share();
            if share < floor {
                verdict.below.insert(name.to_owned(), written(share));
            }
            let least = known.get(name).copied().unwrap_or(floor);
            if share < least {
                verdict
                    .broken
                    .push(format!("{program}: {name} {share:.4} is below {least:.3}"));
            } else if known.contains_key(name) && (share >= floor || written(share) > least) {
                verdict.risen.push(format!(
                    "{program}: {name} is {share:.4}, and the list says {least:.3}"
                ));
            }
        }
        // A program of which nothing was found has nothing that could be wrong.
        if report.flag_recall.total == 0 && report.command_recall.total == 0 {
            verdict
                .broken
                .push(format!("{program}: its truth is empty"));
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(right: usize) -> Report {
        let mut report = Report::default();
        report.flag_recall.right = right;
        report.flag_recall.total = 100;
        report
    }

    fn known() -> Known {
        serde_json::from_str(r#"{"lamp": {"flag_recall": 0.5}}"#).expect("it is well formed")
    }

    #[test]
    fn a_program_that_is_not_in_the_list_must_reach_the_floor() {
        assert_eq!(known().judge("kiln", &report(99)), Verdict::default());
        let verdict = known().judge("kiln", &report(98));
        assert_eq!(
            verdict.broken,
            ["kiln: flag_recall 0.9800 is below 0.990".to_owned()]
        );
        assert_eq!(verdict.below["flag_recall"], 0.98);
    }

    #[test]
    fn a_listed_figure_may_not_fall_and_is_named_when_it_has_risen() {
        assert_eq!(known().judge("lamp", &report(49)).broken.len(), 1);
        let same = known().judge("lamp", &report(50));
        assert_eq!((same.broken.len(), same.risen.len()), (0, 0));
        for better in [51, 99, 100] {
            let verdict = known().judge("lamp", &report(better));
            assert_eq!((verdict.broken.len(), verdict.risen.len()), (0, 1));
        }
    }

    #[test]
    fn an_empty_truth_proves_nothing() {
        assert_eq!(known().judge("kiln", &Report::default()).broken.len(), 1);
    }
}
