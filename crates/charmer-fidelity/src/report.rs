//! The figures of a comparison, what is wrong behind each, and the floors that they must not fall below.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

/// The number that is right, of so many.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// The number of those that are right.
    pub right: usize,
    /// The number of all.
    pub total: usize,
    /// Each that is wrong: where, what is true, what was found.
    pub wrong: Vec<String>,
}

impl Score {
    /// The share that is right: 1 when there is nothing to get wrong.
    pub fn share(&self) -> f64 {
        if self.total == 0 {
            return 1.0;
        }
        self.right as f64 / self.total as f64
    }

    pub(super) fn count(&mut self, right: bool, wrong: impl FnOnce() -> String) {
        self.total += 1;
        if right {
            self.right += 1;
        } else {
            self.wrong.push(wrong());
        }
    }
}

/// The agreement of a reading with the truth.
///
/// A flag's type, default and the rest are measured where the flag was found, and flags where their command was found,
/// so that each mistake is counted once.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Of the commands found, those that there are.
    pub command_precision: Score,
    /// Of the commands that there are, those found.
    pub command_recall: Score,
    /// Of the flags found, those that there are.
    pub flag_precision: Score,
    /// Of the flags that there are, those found.
    pub flag_recall: Score,
    /// Flags with the right type; what stands in `repeat` as well is not counted twice.
    pub types: Score,
    /// Defaults that are not zero; one that was made up is wrong too.
    pub defaults: Score,
    /// Required flags; one that is not required in truth is wrong too.
    pub required: Score,
    /// Flags with a value that are known to take several, or one, and switches that count.
    pub repeat: Score,
    /// Flags that take only certain values.
    pub enums: Score,
    /// Short names.
    pub shorts: Score,
    /// Other names of commands and flags.
    pub aliases: Score,
    /// Commands that are known to run by themselves, or not to.
    pub runnable: Score,
    /// Flags that are known to hold for the commands below, or not to.
    pub persistent: Score,
    /// Flags that can stand without their value.
    pub optional_values: Score,
    /// Relations between flags.
    pub groups: Score,
    /// Commands that are known to read no flags behind their first positional, or to read them anywhere.
    pub options_end: Score,
}

/// The number of mistakes of a kind that are shown to people.
const SHOWN: usize = 8;

impl Report {
    /// Compares the aliases of one flag or command with those that were found.
    pub(crate) fn count_aliases(
        &mut self,
        of: &str,
        expected: &BTreeSet<String>,
        given: &BTreeSet<String>,
    ) {
        for alias in expected.union(given) {
            let right = expected.contains(alias) && given.contains(alias);
            self.aliases.count(right, || {
                let what = if expected.contains(alias) {
                    "missed"
                } else {
                    "made up"
                };
                format!("{of}: {alias} {what}")
            });
        }
    }

    /// Tells whether every figure reaches its floor; else one sentence for each that does not.
    pub fn floors(&self) -> Result<(), Vec<String>> {
        let mut broken: Vec<String> = self
            .figures()
            .into_iter()
            .filter_map(|(name, score, floor)| {
                let share = score.share();
                floor
                    .is_some_and(|floor| share < floor)
                    .then(|| format!("{name}: {share:.4} is below {:.3}", floor.unwrap_or(0.0)))
            })
            .collect();
        if self.command_recall.total == 0 {
            broken.push("the truth has no commands, so nothing was measured".to_owned());
        }
        if broken.is_empty() {
            return Ok(());
        }
        Err(broken)
    }

    /// Everything that is wrong, a line each.
    pub fn mistakes(&self) -> String {
        self.figures()
            .into_iter()
            .flat_map(|(name, score, _)| {
                let line = move |wrong: &String| format!("  {name}: {wrong}\n");
                score.wrong.iter().map(line)
            })
            .collect()
    }

    /// Every figure with its name and its floor, if it has one.
    fn figures(&self) -> [(&'static str, &Score, Option<f64>); 16] {
        [
            ("commands, precision", &self.command_precision, Some(1.0)),
            ("commands, recall", &self.command_recall, Some(0.995)),
            ("flags, precision", &self.flag_precision, Some(1.0)),
            ("flags, recall", &self.flag_recall, Some(0.995)),
            ("types", &self.types, Some(0.995)),
            ("defaults", &self.defaults, Some(0.98)),
            ("required", &self.required, Some(0.99)),
            ("repeat", &self.repeat, Some(0.995)),
            ("enums", &self.enums, None),
            ("short names", &self.shorts, None),
            ("aliases", &self.aliases, None),
            ("runnable", &self.runnable, None),
            ("persistent", &self.persistent, None),
            ("optional values", &self.optional_values, None),
            ("groups", &self.groups, None),
            ("options end", &self.options_end, Some(1.0)),
        ]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{:<20} {:>6} {:>6}  {:>6}  {:>6}",
            "", "right", "of", "share", "floor"
        )?;
        for (name, score, floor) in self.figures() {
            let Score { right, total, .. } = score;
            write!(out, "{name:<20} {right:>6} {total:>6}")?;
            match floor {
                _ if *total == 0 => writeln!(out, "       -")?,
                Some(floor) if score.share() < floor => {
                    writeln!(out, "  {:>6.4}  {floor:>6.3}  below", score.share())?;
                }
                Some(floor) => writeln!(out, "  {:>6.4}  {floor:>6.3}", score.share())?,
                None => writeln!(out, "  {:>6.4}", score.share())?,
            }
        }
        for (name, score, _) in self.figures() {
            if score.wrong.is_empty() {
                continue;
            }
            writeln!(out, "{name}: {} wrong", score.wrong.len())?;
            for wrong in score.wrong.iter().take(SHOWN) {
                writeln!(out, "  {wrong}")?;
            }
            if score.wrong.len() > SHOWN {
                writeln!(out, "  and {} more", score.wrong.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}
