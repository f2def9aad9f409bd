//! Python's optparse: `Usage: tool [options]`, then rows of options, in groups whose headings may be indented.
//!
//! Commands are the author's own work in such programs, so that they are read as in programs of no family. The parser is
//! known, though: no value is ever optional, and a wrong one is complained of in known words.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use charmer_core::model::{CommandPath, DoubleDash, FlagValue, Syntax};

use super::{
    Asker, Family, Page, Refining, Signs,
    argparse::{ArgparseQuestions, HELP_TEXT},
    fallback::Fallback,
};
use crate::{
    help::says_usage,
    sketch::{CommandSketch, FlagSketch},
};

/// Programs that parse their command line with optparse.
#[derive(Default)]
pub(crate) struct Optparse {
    pages: Fallback,
    questions: ArgparseQuestions,
}

impl Family for Optparse {
    fn name(&self) -> &'static str {
        "optparse"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        if signs.binary.is_python_script() {
            score(signs.text())
        } else {
            0
        }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let mut sketch = self.pages.read(page)?;
        for kind in sketch
            .flags
            .iter_mut()
            .filter_map(|flag| flag.kind.as_mut())
        {
            // `[NAME]@[TAG]` says which parts of the value may be left out.
            if matches!(kind.value.value, FlagValue::Optional { .. }) {
                kind.value.value = FlagValue::Required;
            }
        }
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(ask(&self.questions, asker, sketch))
    }
}

/// Asks about the types of a command's flags.
async fn ask(questions: &ArgparseQuestions, asker: &Asker<'_>, sketch: &mut CommandSketch) {
    let helps = |flag: &FlagSketch| flag.long.as_deref() == Some("help");
    if sketch.flags.iter().any(helps) {
        questions.ask(asker, sketch).await;
    }
}

/// Commands that parse their flags with optparse, in a program whose own page is its author's work.
#[derive(Default)]
pub(super) struct OptparseCommands {
    paths: Mutex<HashSet<CommandPath>>,
    questions: ArgparseQuestions,
}

impl OptparseCommands {
    /// Notes whether a page looks like one of optparse's.
    pub(super) fn note(&self, page: &Page<'_>) {
        if !page.path.is_root() && score(page.text()) > 0 {
            let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            paths.insert(page.path.clone());
        }
    }

    /// Asks about the types of such a command's flags.
    pub(super) async fn ask(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let noted = || {
            let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
            paths.contains(&sketch.path)
        };
        if noted() && asker.binary.is_python_script() {
            ask(&self.questions, asker, sketch).await;
        }
    }
}

/// The likeness of a Python script's help to optparse's.
fn score(text: &str) -> u8 {
    let lines: Vec<&str> = text.lines().collect();
    if is_titled(&lines) {
        return 85;
    }
    let usage = lines.iter().position(|line| {
        line.starts_with("Usage:") && (says_usage(line) || line.trim_end() == "Usage:")
    });
    let Some(usage) = usage else {
        return 0;
    };
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let heads_options = |line: &&&str| {
        let heading = line.trim().to_lowercase();
        heading.ends_with("options:") && indent(line) <= 2
    };
    let headings: Vec<&&str> = lines[usage + 1..].iter().filter(heads_options).collect();
    // No value of optparse's can be left out.
    let rows = || {
        lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| line.starts_with('-'))
    };
    if rows().any(|row| row.contains("[=")) {
        return 0;
    }
    // Its formatter writes `--name=VALUE`; argparse has the same words on `--help`, and no `=`.
    let apart = |row: &&str| row.contains("--") && row.contains('<') && !row.contains('=');
    let writes_apart = rows().any(|row| apart(&row)) && !rows().any(|row| row.contains('='));
    let own_words =
        |line: &&str| line.contains("-h, --help") && line.contains(HELP_TEXT) && !writes_apart;
    // Groups stand further in than the heading of all options.
    let nested = headings.iter().any(|line| **line == "Options:")
        && headings.iter().any(|line| indent(line) == 2);
    match () {
        () if lines.iter().any(own_words) && !headings.is_empty() => 85,
        () if nested => 85,
        // An author's own formatter: whatever else shows options so is told apart by more.
        () if !headings.is_empty() => 45,
        () => 0,
    }
}

/// Returns true if the headings are underlined, as optparse's second formatter does it.
fn is_titled(lines: &[&str]) -> bool {
    let mut headings = lines.windows(2).filter(|two| {
        let line = two[1].trim_end();
        line.len() == two[0].trim_end().len() && line.chars().all(|c| c == '=') && !line.is_empty()
    });
    headings.next().is_some_and(|two| two[0] == "Usage") && headings.any(|two| two[0] == "Options")
}

#[cfg(test)]
mod tests;
