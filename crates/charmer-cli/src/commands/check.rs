//! `charmer check`: what is wrong in a charmer.yaml and in spells, for people and for CI.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use charmer_config::{Diagnostics, reading};
use charmer_spells::{SpellProblem, SpellReport, check_folder};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    args::CheckArgs,
    commands::{
        check_config::{self, ConfigReport, is_error},
        check_profile::{self, ProfileReport},
    },
    output::{self, GREEN, RED, YELLOW, print, print_raw, styled},
    problem::{FAILED, Problem},
    programs,
    settings::OWN_FILE,
    spells,
    wrap::{wrapped, wrapped_picture},
};

/// The files that were looked at, and the reports on them.
#[derive(Default)]
struct Reports {
    configs: Vec<ConfigReport>,
    profiles: Vec<ProfileReport>,
    spells: Vec<SpellReport>,
    /// The problems of folders of spells.
    problems: Vec<SpellProblem>,
}

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Problem> {
    let files = match args.files.is_empty() {
        true => vec![here()?],
        false => args.files.clone(),
    };
    let mut reports = Reports::default();
    for file in &files {
        look(file, args.refresh, &mut reports)?;
    }
    let ok = reports.is_ok();
    match args.json {
        true => print_raw(format!("{:#}\n", reports.to_json()).as_bytes())?,
        false => print(&reports.to_text())?,
    }
    Ok(ExitCode::from(if ok { 0 } else { FAILED }))
}

/// The file or folder to check in the current folder.
fn here() -> Result<PathBuf, Problem> {
    let [file, folder] = [OWN_FILE, "spells"].map(PathBuf::from);
    if file.is_file() {
        Ok(file)
    } else if folder.is_dir() {
        Ok(folder)
    } else {
        Err(
            Problem::mistake("there is neither a charmer.yaml nor a folder `spells` here")
                .hint("name what to check, or write a charmer.yaml with `charmer init`"),
        )
    }
}

fn look(file: &Path, refresh: bool, reports: &mut Reports) -> Result<(), Problem> {
    let unreadable = |error: io::Error| {
        Problem::mistake(format!("`{}` cannot be read: {error}", file.display()))
            .hint("check the path")
    };
    if file.is_dir() {
        let (found, problems) = check_folder(file, &spells::options()).map_err(unreadable)?;
        reports.spells.extend(found);
        reports.problems.extend(problems);
    } else if check_profile::is_profile(file) {
        reports.profiles.push(check_profile::check(file, refresh)?);
    } else if is_config(file) {
        reports.configs.push(check_config::check(file, refresh)?);
    } else {
        let report = charmer_spells::check(file, &spells::options()).map_err(unreadable)?;
        reports.spells.push(report);
    }
    Ok(())
}

/// Returns true if a file is a charmer.yaml: by its name, or because it has sources, which a spell has not.
fn is_config(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let text = std::fs::File::open(file).and_then(reading::text_of);
    stem.starts_with("charmer")
        || text.is_ok_and(|text| {
            let keys = ["sources:", "include:"];
            text.lines()
                .any(|l| keys.iter().any(|key| l.starts_with(key)))
        })
}

impl Reports {
    fn is_ok(&self) -> bool {
        self.configs.iter().all(ConfigReport::is_ok)
            && self.profiles.iter().all(ProfileReport::is_ok)
            && self.spells.iter().all(SpellReport::is_ok)
            && !self.problems.iter().any(is_error)
    }

    fn to_json(&self) -> Value {
        let configs = self.configs.iter();
        let configs = configs.map(|one| file_json(one, "config", one.is_ok()));
        let spells = self.spells.iter();
        let spells = spells.map(|one| file_json(one, "spell", one.is_ok()));
        let profiles = self.profiles.iter();
        let profiles = profiles.map(|one| file_json(one, "profile", one.is_ok()));
        let files: Vec<Value> = configs.chain(profiles).chain(spells).collect();
        json!({"ok": self.is_ok(), "files": files, "problems": self.problems})
    }

    fn to_text(&self) -> String {
        let mut parts = Vec::new();
        for config in &self.configs {
            parts.extend(config.mistakes.iter().chain(&config.advice).map(shown));
            let notes = config.notes.iter().map(|note| (YELLOW, "warning:", note));
            let problems = config
                .problems
                .iter()
                .map(|problem| (RED, "error:", problem));
            for (colour, label, text) in problems.chain(notes) {
                let text = format!("{} {text}", styled(colour.bold(), label));
                parts.push(wrapped(&text, output::width(), 2));
            }
            parts.extend(spell_parts(&config.spells, &config.spell_problems));
            parts.push(wrapped(&sum(config), output::width(), 2));
        }
        for profile in &self.profiles {
            parts.extend(profile.mistakes.iter().chain(&profile.advice).map(shown));
            parts.push(wrapped(&profile_sum(profile), output::width(), 2));
        }
        parts.extend(spell_parts(&self.spells, &self.problems));
        let others = self.configs.len() + self.profiles.len();
        if !self.spells.is_empty() || others == 0 {
            parts.push(spell_sum(&self.spells));
        }
        parts.join("\n\n") + "\n"
    }
}

/// One line on a profile that was compared, and the commands that it does not speak of.
fn profile_sum(report: &ProfileReport) -> String {
    let file = report.file.display();
    let Some(program) = &report.program else {
        return format!("{} {file}", styled(RED.bold(), "wrong:"));
    };
    let label = match report.is_ok() {
        true => styled(GREEN.bold(), "ok:"),
        false => styled(RED.bold(), "wrong:"),
    };
    let name = programs::name(program);
    let version = report.version.as_deref().unwrap_or_default();
    let said = report.commands - report.not_covered.len();
    let mut text = format!(
        "{label} {file} says the effect of {said} of the {} commands of {name} {version}",
        report.commands
    );
    const SHOWN: usize = 12;
    let missing = report.not_covered.iter().take(SHOWN);
    let missing: Vec<String> = missing.map(ToString::to_string).collect();
    if !missing.is_empty() {
        let more = report.not_covered.len() - missing.len();
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more (`--json` has them all)"),
        };
        text.push_str(&format!("; not of {}{more}", missing.join(", ")));
    }
    text
}

/// A report as JSON, with what it is about and whether it is right.
fn file_json(report: &impl Serialize, kind: &str, ok: bool) -> Value {
    let mut shown = json!(report);
    shown["kind"] = kind.into();
    shown["ok"] = ok.into();
    shown
}

fn colour() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

fn shown(diagnostics: &Diagnostics) -> String {
    let width = output::width();
    wrapped_picture(&diagnostics.render_within(colour(), width), width)
}

/// The reports on spells, each by itself.
pub(crate) fn spell_parts(reports: &[SpellReport], problems: &[SpellProblem]) -> Vec<String> {
    let reports = reports.iter().map(|report| report.render(colour()));
    let reports = reports.filter(|shown| !shown.is_empty());
    let reports = reports.map(|shown| wrapped_picture(&shown, output::width()));
    let problems = problems.iter().map(|problem| {
        let kind = if is_error(problem) {
            "error"
        } else {
            "warning"
        };
        wrapped(&format!("{kind}: {problem}"), output::width(), 2)
    });
    reports.chain(problems).collect()
}

/// The line that counts the spells, and says whether they can be served.
pub(crate) fn spell_sum(reports: &[SpellReport]) -> String {
    let wrong = reports.iter().filter(|report| !report.is_ok()).count();
    let spells = counted(reports.len(), "spell");
    match wrong {
        0 => format!("{spells}: {}", styled(GREEN, "no mistakes")),
        _ => format!(
            "{spells}: {}",
            styled(RED.bold(), format!("{wrong} cannot be served"))
        ),
    }
}

/// Tells whether a file is right, and what comes of it.
fn sum(report: &ConfigReport) -> String {
    let found = report
        .mistakes
        .as_ref()
        .map_or(0, |mistakes| mistakes.len());
    let wrong = found + report.problems.len();
    let spells_ok = report.is_ok() || wrong > 0;
    let verdict = match (wrong, spells_ok) {
        (0, true) => styled(GREEN, "no mistakes"),
        (0, false) => styled(RED.bold(), "some of its spells cannot be served"),
        (wrong, _) => styled(RED.bold(), counted(wrong, "mistake")),
    };
    let mut facts: Vec<String> = report
        .programs
        .iter()
        .map(|program| {
            format!(
                "{} of {}",
                counted(program.commands, "command"),
                program.name
            )
        })
        .collect();
    if !report.spells.is_empty() {
        facts.push(counted(report.spells.len(), "spell"));
    }
    if !report.expectations.is_empty() {
        let met = report
            .expectations
            .iter()
            .filter(|one| one.is_met())
            .count();
        let all = counted(report.expectations.len(), "expectation");
        facts.push(format!("{met} of {all} met"));
    }
    let includes = report.includes.iter();
    facts.extend(includes.map(|file| format!("within {}", file.display())));
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" ({})", facts.join(", ")),
    };
    format!("{}: {verdict}{facts}", report.file.display())
}

fn counted(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
