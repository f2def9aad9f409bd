//! A profile compared with the program that it is about.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use charmer_config::{Diagnostics, FilePlace, Finding, Profile, reading};
use charmer_core::model::CommandPath;
use serde::Serialize;

use crate::{
    args::{Selection, Spells},
    problem::{INTERRUPTED, Problem},
    profiles::no_such_likeness,
    read::read,
    runtime,
    settings::Settings,
};

/// Everything that is to be said of a profile.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProfileReport {
    pub(crate) file: PathBuf,
    pub(crate) mistakes: Option<Diagnostics>,
    pub(crate) advice: Option<Diagnostics>,
    /// The program that it was compared with, and its version.
    pub(crate) program: Option<PathBuf>,
    pub(crate) version: Option<String>,
    /// The number of the program's commands.
    pub(crate) commands: usize,
    /// The commands of whose effect it says nothing.
    pub(crate) not_covered: Vec<CommandPath>,
    /// Mistakes that stand at no place of the file.
    pub(crate) problems: Vec<String>,
}

impl ProfileReport {
    /// Returns true if nothing must be corrected.
    pub(crate) fn is_ok(&self) -> bool {
        self.mistakes.is_none() && self.problems.is_empty()
    }
}

/// Returns true if a file is meant to be a profile.
pub(crate) fn is_profile(file: &Path) -> bool {
    let text = File::open(file).and_then(reading::text_of);
    text.is_ok_and(|text| Profile::is_one(&text))
}

/// Looks at a profile. An error is one of reading it, or that somebody has interrupted the work.
pub(crate) fn check(file: &Path, refresh: bool) -> Result<ProfileReport, Problem> {
    let name = file.display().to_string();
    let text = File::open(file)
        .and_then(reading::text_of)
        .map_err(|error| {
            Problem::mistake(format!("`{name}` cannot be read: {error}")).hint("check the path")
        })?;
    let mut report = ProfileReport {
        file: file.to_owned(),
        ..ProfileReport::default()
    };
    let profile = match Profile::parse(&text, &name) {
        Ok(profile) => profile,
        Err(mistakes) => {
            report.mistakes = Some(mistakes);
            return Ok(report);
        }
    };
    let mut findings: Vec<Finding> = no_such_likeness(&profile).into_iter().collect();
    match compare(&profile, refresh, &mut report) {
        Ok(found) => findings.extend(found),
        Err(problem) if problem.code == INTERRUPTED => return Err(problem),
        Err(problem) => {
            let finding = Finding::mistake(FilePlace::of(["program"]), problem.message());
            findings.push(match problem.next() {
                Some(hint) => finding.hint(hint),
                None => finding,
            });
        }
    }
    let shown = Profile::diagnose(&text, &name, &findings);
    report.mistakes = shown.mistakes;
    report.advice = shown.advice;
    Ok(report)
}

/// Finds what the program does not have, and what the profile does not speak of.
fn compare(
    profile: &Profile,
    refresh: bool,
    report: &mut ProfileReport,
) -> Result<Vec<Finding>, Problem> {
    let binaries = [PathBuf::from(&profile.programs[0])];
    let selection = Selection::default();
    let settings = Settings::load(&binaries, &selection, &Spells::default(), None)?;
    let found = runtime::block_on(read(&settings.programs, refresh))?.remove(0);
    let mut cli = found.cli.clone();
    let (_, mismatches) = profile.apply(&mut cli);
    let mut findings: Vec<Finding> = mismatches
        .into_iter()
        .map(|one| Finding::mistake(one.place, one.message).hint(one.hint))
        .collect();
    let version = cli.version.clone().unwrap_or_default();
    if let Some(versions) = profile
        .versions
        .as_ref()
        .filter(|_| !profile.speaks_of(&version))
    {
        let message = format!(
            "this is `{}` {version}, which is not within {versions}",
            cli.root.name
        );
        let finding = Finding::mistake(FilePlace::of(["versions"]), message);
        findings.push(finding.hint("widen the range when the profile fits this version"));
    }
    let covered = profile.covered(&cli);
    cli.walk(&mut |path, lineage| {
        let command = lineage
            .last()
            .filter(|command| command.runnable && !command.hidden);
        if command.is_some() {
            report.commands += 1;
            if !covered.contains(path) {
                report.not_covered.push(path.clone());
            }
        }
    });
    report.program = Some(settings.programs[0].path.clone());
    report.version = cli.version.clone();
    Ok(findings)
}
