//! The reports of `charmer spell check`: mistakes and advice, for people and for CI.

use std::{
    io,
    path::{Path, PathBuf},
};

use charmer_config::Diagnostics;
use charmer_core::model::Effect;
use serde::Serialize;

use crate::{
    Context, Spell, SpellBook, SpellOptions, file,
    problem::{Severity, SpellProblem},
};

/// The findings in one file.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct SpellReport {
    /// The file.
    pub file: PathBuf,
    /// Mistakes; a spell with one is not served.
    pub mistakes: Option<Diagnostics>,
    /// Advice for its author, with a place in the file.
    pub advice: Option<Diagnostics>,
    /// Notes for its author about the machine: a program or a folder that is missing, a script that evaluates its
    /// arguments, a second file of the same name.
    pub notes: Vec<SpellProblem>,
    /// The spell, if it is valid.
    #[serde(skip)]
    pub spell: Option<Spell>,
}

impl SpellReport {
    /// Returns true if the spell would be served.
    pub fn is_ok(&self) -> bool {
        self.mistakes.is_none()
            && self
                .notes
                .iter()
                .all(|note| note.severity != Severity::Error)
    }

    /// The report as a person is shown it; empty if there is nothing to say.
    pub fn render(&self, colour: bool) -> String {
        let pictures = [&self.mistakes, &self.advice].into_iter().flatten();
        let pictures = pictures.map(|diagnostics| diagnostics.render(colour));
        let notes = self.notes.iter().map(|note| {
            let kind = match note.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{kind}: {note}")
        });
        pictures.chain(notes).collect::<Vec<_>>().join("\n\n")
    }
}

/// Checks one spell file.
pub fn check(path: &Path, options: &SpellOptions) -> io::Result<SpellReport> {
    let absolute = file::absolute(path);
    let text = file::text(&absolute)?;
    let stem = absolute
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let folder = absolute.parent().unwrap_or(&absolute);
    let base = folder.parent().unwrap_or(folder);
    let context = Context::default()
        .stem(&stem)
        .variables(&options.variables)
        .reserved(&options.reserved)
        .folder(base);
    let read = Spell::parse(&text, &path.display().to_string(), &context);
    let mut loader = crate::load::Loader::new(base, options);
    let mut notes = loader.load(&absolute).problems;
    // What has a picture need not be said twice.
    notes.retain(|note| note.mistakes.is_none() && !note.message.starts_with("line "));
    Ok(SpellReport {
        file: path.to_owned(),
        mistakes: read.mistakes,
        advice: read.advice,
        notes,
        spell: read.value,
    })
}

/// Checks every spell of a folder, and the folder itself, whose own problems come last.
pub fn check_folder(
    folder: &Path,
    options: &SpellOptions,
) -> io::Result<(Vec<SpellReport>, Vec<SpellProblem>)> {
    let files = file::list(folder)?;
    let mut reports = Vec::new();
    for file in &files {
        match check(file, options) {
            Ok(report) => reports.push(report),
            Err(error) => reports.push(SpellReport {
                file: file.clone(),
                mistakes: None,
                advice: None,
                notes: vec![SpellProblem::new(
                    file,
                    Severity::Error,
                    format!("it cannot be read: {error}"),
                )],
                spell: None,
            }),
        }
    }
    let book = SpellBook::open(folder, options.clone());
    let said: Vec<&SpellProblem> = reports.iter().flat_map(|report| &report.notes).collect();
    let more = book.problems().into_iter().filter(|problem| {
        problem.mistakes.is_none()
            && !problem.message.starts_with("line ")
            && !said.iter().any(|said| {
                said.message == problem.message && said.file.file_name() == problem.file.file_name()
            })
    });
    let offline = offline_advice(folder, &reports);
    let more = more.chain(offline).collect();
    Ok((reports, more))
}

/// Advice on spells that only read and say nothing of the network, once for all of them.
fn offline_advice(folder: &Path, reports: &[SpellReport]) -> Option<SpellProblem> {
    let spells = reports.iter().filter_map(|report| report.spell.as_ref());
    let names: Vec<String> = spells
        .filter(|spell| spell.effect == Effect::Read && spell.network.is_none())
        .filter(|spell| !names_host(spell))
        .map(|spell| format!("`{}`", spell.name))
        .collect();
    let message = format!(
        "what {} can read could be sent away: say `network: none` where no network is needed",
        names.join(", ")
    );
    (!names.is_empty()).then(|| SpellProblem::new(folder, Severity::Warning, message))
}

/// Returns true if the command line of a spell shows that it needs the network.
fn names_host(spell: &Spell) -> bool {
    let argv = spell.argv.iter().map(ToString::to_string);
    let fixed = spell.command.iter().chain(&spell.flags).cloned();
    fixed
        .chain(argv)
        .any(|word| word.contains("://") || word.contains("localhost"))
}
