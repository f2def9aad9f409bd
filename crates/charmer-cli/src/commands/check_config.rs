//! A charmer.yaml compared with the programs that it is about.

use std::{
    borrow::Cow,
    fs::File,
    path::{Path, PathBuf},
};

use charmer_config::{
    Config, Diagnostics, FilePlace, FileWarning, Finding, LoadError, SourceKind, reading,
};
use charmer_core::tool::catalogue;
use charmer_discover::Discovery;
use charmer_spells::{SpellProblem, SpellReport, check_folder};
use serde::Serialize;

use crate::{
    args::{Selection, Spells},
    assemble::{Assembler, Purpose},
    commands::expect::{Decided, decide},
    hooks,
    policy::{prepare, said},
    problem::{INTERRUPTED, Problem},
    programs,
    read::read,
    runtime,
    settings::{ServedProgram, Settings},
    spells,
};

/// Everything that is to be said of a file.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfigReport {
    pub(crate) file: PathBuf,
    /// The file that it narrows, and those that this one narrows in turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) mistakes: Option<Diagnostics>,
    pub(crate) advice: Option<Diagnostics>,
    /// Mistakes that stand at no place of the file.
    pub(crate) problems: Vec<String>,
    /// Notes that stand at no place of the file.
    pub(crate) notes: Vec<String>,
    pub(crate) programs: Vec<OfferedCommands>,
    pub(crate) expectations: Vec<Decided>,
    /// The spells of its folder.
    pub(crate) spells: Vec<SpellReport>,
    pub(crate) spell_problems: Vec<SpellProblem>,
}

/// The commands and flags of a program that would be offered, counted.
#[derive(Debug, Serialize)]
pub(crate) struct OfferedCommands {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) commands: usize,
}

impl ConfigReport {
    /// Returns true if nothing must be corrected.
    pub(crate) fn is_ok(&self) -> bool {
        self.mistakes.is_none()
            && self.problems.is_empty()
            && self.expectations.iter().all(Decided::is_met)
            && self.spells.iter().all(SpellReport::is_ok)
            && !self.spell_problems.iter().any(is_error)
    }
}

pub(crate) fn is_error(problem: &SpellProblem) -> bool {
    matches!(problem.severity, charmer_spells::Severity::Error)
}

/// Looks at a file. An error is one of reading it, or that somebody has interrupted the work.
pub(crate) fn check(file: &Path, refresh: bool) -> Result<ConfigReport, Problem> {
    check_file(file, refresh, false)
}

/// The same; a file that is included need not name programs.
fn check_file(file: &Path, refresh: bool, is_included: bool) -> Result<ConfigReport, Problem> {
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::mistake(format!("`{}` cannot be read: {error}", file.display()))
            .hint("check the path; `charmer init` writes a charmer.yaml")
    };
    let text = File::open(file).and_then(reading::text_of);
    let text = text.map_err(|error| unreadable(&error))?;
    let absolute = std::path::absolute(file).map_err(|error| unreadable(&error))?;
    let folder = absolute.parent().unwrap_or(&absolute);
    let mut report = ConfigReport {
        file: file.to_owned(),
        ..ConfigReport::default()
    };
    let mut config = match Config::load(file) {
        Ok(config) => config,
        Err(LoadError::Invalid(mistakes)) => {
            report.mistakes = Some(mistakes);
            return Ok(report);
        }
        Err(error) => return Err(unreadable(&error)),
    };
    // It is said with everything else.
    config.advice = None;
    if let Some(included) = &config.include {
        let of_it = check_file(included, refresh, true)?;
        report.includes = [included.clone()]
            .into_iter()
            .chain(of_it.includes.clone())
            .collect();
        // What this one adds means nothing before that one is right.
        if !of_it.is_ok() {
            return Ok(ConfigReport {
                file: report.file,
                includes: report.includes,
                ..of_it
            });
        }
    }
    let mut look = Look {
        folder,
        config,
        is_included,
        refresh,
        findings: Vec::new(),
        report,
    };
    look.at_everything()?;
    let shown = Config::diagnose(
        &text,
        &file.display().to_string(),
        Some(folder),
        &look.findings,
    );
    look.report.mistakes = shown.mistakes;
    look.report.advice = shown.advice;
    Ok(look.report)
}

struct Look<'f> {
    folder: &'f Path,
    config: Config,
    /// It is looked at because another file narrows it.
    is_included: bool,
    refresh: bool,
    findings: Vec<Finding>,
    report: ConfigReport,
}

impl Look<'_> {
    fn at_everything(&mut self) -> Result<(), Problem> {
        self.at_sources();
        for hook in hooks::missing(&self.config, self.folder) {
            let finding = Finding::mistake(hook.place, hook.message);
            self.findings.push(finding.hint(hooks::MISSING));
        }
        if !self.findings.is_empty() || self.config.sources.is_empty() {
            return Ok(());
        }
        let selection = Selection::default();
        let (config, folder) = (self.config.clone(), self.folder.to_owned());
        let settings = Settings::of(config, folder, &[], &selection, &Spells::default(), None);
        let settings = match settings {
            Ok(settings) => settings,
            Err(problem) => {
                self.report.problems.push(in_a_line(&problem));
                return Ok(());
            }
        };
        let places = self.places();
        let mut found = Vec::new();
        for (program, at) in settings.programs.iter().zip(&places) {
            match runtime::block_on(read(std::slice::from_ref(program), self.refresh)) {
                Ok(mut read) => found.push(Some(read.remove(0))),
                Err(problem) if problem.code == INTERRUPTED => return Err(problem),
                Err(problem) => {
                    self.miss(FilePlace::of(["sources", at, "binary"]), &problem);
                    found.push(None);
                }
            }
        }
        for ((program, at), found) in settings.programs.iter().zip(&places).zip(&found) {
            if let Some(found) = found {
                self.at_program(program, at, found, &settings.selection);
            }
        }
        // What is decided by rules that are not as they were meant says nothing.
        if self.findings.is_empty() {
            self.at_expectations(settings, &places, &found);
        }
        Ok(())
    }

    /// The numbers of the sources that are programs, as the file counts them.
    fn places(&self) -> Vec<String> {
        let sources = self.config.sources.iter().enumerate();
        let programs = sources.filter(|(_, source)| matches!(source.origin, SourceKind::Binary(_)));
        programs.map(|(at, _)| at.to_string()).collect()
    }

    fn miss(&mut self, place: FilePlace, problem: &Problem) {
        let mut finding = Finding::mistake(place, problem.message());
        if let Some(hint) = problem.next() {
            finding = finding.hint(hint);
        }
        self.findings.push(finding);
    }

    /// Tells whether the programs and folders are there.
    fn at_sources(&mut self) {
        if self.config.sources.is_empty() && !self.is_included {
            let finding = Finding::mistake(FilePlace::default(), "nothing would be served");
            let hint = "add `sources:` and, below it, `  - binary: NAME`";
            self.findings.push(finding.hint(hint));
        }
        for (at, source) in self.config.sources.clone().iter().enumerate() {
            let at = at.to_string();
            match &source.origin {
                SourceKind::Spells(path) => match spells::must_exist(path) {
                    Ok(()) => self.at_spells(path),
                    Err(problem) => self.miss(FilePlace::of(["sources", &at, "spells"]), &problem),
                },
                SourceKind::Binary(name) => {
                    if let Err(problem) = programs::find(name, self.folder) {
                        self.miss(FilePlace::of(["sources", &at, "binary"]), &problem);
                    }
                }
                _ => {}
            }
        }
    }

    fn at_spells(&mut self, folder: &Path) {
        match check_folder(folder, &spells::options()) {
            Ok((reports, problems)) => {
                self.report.spells.extend(reports);
                self.report.spell_problems.extend(problems);
            }
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", folder.display());
                self.report.problems.push(message);
            }
        }
    }

    /// Tells whether the program has what the file names, and whether anything is left of it.
    fn at_program(
        &mut self,
        program: &ServedProgram,
        at: &str,
        found: &Discovery,
        selection: &Selection,
    ) {
        let source = &program.source;
        let mut cli = found.cli.clone();
        found.assessment.apply(&mut cli);
        let mut warnings: Vec<FileWarning> = Vec::new();
        let mut mismatches = Vec::new();
        let mut applied = source.apply(&mut cli);
        if let Err(errors) = &applied {
            mismatches.extend(errors.iter().cloned());
            // The rest of the source can be looked at all the same.
            let mut rest = source.clone();
            rest.overrides.clear();
            applied = rest.apply(&mut cli);
        }
        if let Ok(applied) = applied {
            warnings.extend(applied.warnings);
            if let Err(errors) = source.catalogue_options(&cli) {
                mismatches.extend(errors.iter().cloned());
            }
        }
        warnings.extend(source.unknown_flags(&cli));
        let mut offered = None;
        if mismatches.is_empty() {
            match prepare(Cow::Borrowed(found), program, selection) {
                Ok(prepared) => {
                    let catalogue = catalogue(&prepared.cli, &prepared.options);
                    warnings.extend(source.warnings(&catalogue));
                    offered = Some(catalogue.tools.len());
                }
                Err(problem) => self.report.problems.push(in_a_line(&problem)),
            }
        }
        // A server starts with a rule that reaches nothing, but it is not what was meant.
        let named = mismatches
            .into_iter()
            .map(|one| (one.place, one.message, one.hint))
            .chain(
                warnings
                    .into_iter()
                    .map(|one| (one.place, one.message, one.hint)),
            );
        for (place, message, hint) in named {
            let place = place.within(["sources", at]);
            self.findings
                .push(Finding::mistake(place, message).hint(hint));
        }
        if offered == Some(0) {
            let message = format!("nothing of `{}` would be served", program.name());
            let finding = Finding::mistake(FilePlace::of(["sources", at, "binary"]), message);
            let hint =
                "loosen `select` or `read_only`, or correct what its commands do with `override`";
            self.findings.push(finding.hint(hint));
        }
        self.report
            .programs
            .extend(offered.map(|commands| OfferedCommands {
                name: program.name(),
                path: program.path.clone(),
                commands,
            }));
    }

    fn at_expectations(
        &mut self,
        settings: Settings,
        places: &[String],
        found: &[Option<Discovery>],
    ) {
        let (assembler, warnings) = Assembler::new(settings, Purpose::Call);
        self.report.notes.extend(warnings);
        match assembler.assemble(found) {
            Ok(assembled) => self.report.notes.extend(assembled.warnings),
            Err(problem) => self.report.problems.push(in_a_line(&problem)),
        }
        for (number, (program, at)) in assembler.programs().iter().zip(places).enumerate() {
            let Some(discovery) = &found[number] else {
                continue;
            };
            // Each program by itself: two sources may be one program under different rules.
            let mut only: Vec<Option<&Discovery>> = vec![None; found.len()];
            only[number] = Some(discovery);
            let Ok(assembled) = assembler.assemble(&only) else {
                continue;
            };
            let cli = said(discovery, program);
            for (entry, expectation) in program.source.expect.iter().enumerate() {
                let decided = decide(&cli, &assembled.tools, expectation);
                if !decided.is_met() {
                    let (entry, key) = (entry.to_string(), expectation.key());
                    let place = ["sources", at, "expect", &entry, key, expectation.line()];
                    let finding = Finding::mistake(FilePlace::of(place), decided.message());
                    self.findings.push(finding);
                }
                self.report.expectations.push(decided);
            }
        }
        assembler.finish();
    }
}

/// A problem with what to do about it.
fn in_a_line(problem: &Problem) -> String {
    match problem.next() {
        Some(next) => format!("{} ({next})", problem.message()),
        None => problem.message().to_owned(),
    }
}
