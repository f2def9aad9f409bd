//! The fidelity report: how true readings from outside are, against programs whose true tree is known.
//!
//!     cargo run -p charmer-fidelity -- [--require go,docker,clap] [--truths FOLDER] [--only NAMES] [--json FILE]
//!
//! It measures the Cobra application in `fixtures/cobra`, which it builds with the newest Cobra and with 1.6 where Go
//! is there; docker, where it has the version of `fixtures/truth`; the example `clap_fixture`; and every program that
//! `truths/gather.py` has written a truth of into FOLDER. It prints the table of `docs/measurements.md`, and ends with 1
//! when a figure is below its floor (or, for those in `known.json`, below what is written there), when a reading says that
//! it is incomplete, when it ran one of the program's commands, or when something required is missing.

#![expect(clippy::print_stdout, reason = "a report is its purpose")]

mod discovered;
mod gathered;
mod subject;

use std::{collections::BTreeMap, fs, path::PathBuf, process::ExitCode, time::Instant};

use charmer_fidelity::{Known, Report, compare, table};
use clap::Parser;
use serde::Serialize;

use subject::{Floors, Missing, Subject};

/// The programs that are below a floor today.
const KNOWN: &str = include_str!("../known.json");

/// Measures how true readings from outside are
#[derive(Parser)]
struct Options {
    /// Write everything as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail when these cannot be measured
    #[arg(long, value_delimiter = ',', value_parser = ["go", "docker", "clap"])]
    require: Vec<String>,
    /// The folder of truths that were gathered
    #[arg(long, value_name = "FOLDER")]
    truths: Option<PathBuf>,
    /// Measure only these programs
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Print every mistake, not the first few of each kind
    #[arg(long)]
    mistakes: bool,
    /// Write the figures below their floors, as `known.json` has them, to this file
    #[arg(long, value_name = "FILE")]
    below: Option<PathBuf>,
}

/// All that is said about one program.
#[derive(Serialize)]
struct Measurement {
    program: String,
    seconds: f64,
    report: Option<Report>,
    /// Sentences on what is not as it must be.
    broken: Vec<String>,
    /// Sentences on what is better than the list of known figures says.
    risen: Vec<String>,
    /// Figures below their floors.
    below: BTreeMap<String, f64>,
    /// Application code that completing words has called; worth knowing, but no mistake.
    completed: Vec<String>,
}

#[derive(Serialize)]
struct Everything {
    measured: Vec<Measurement>,
    missing: Vec<Missing>,
    failed: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        Err(reason) => {
            println!("FAILED {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, String> {
    let known: Known =
        serde_json::from_str(KNOWN).map_err(|error| format!("known.json: {error}"))?;
    let mut subjects = subject::all();
    if let Some(folder) = &options.truths {
        subjects.extend(gathered::all(folder)?.into_iter().map(Ok));
    }
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|one| one == name);
    let (mut measured, mut missing, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            Ok(subject) if wanted(&subject.row.program) => {
                let one = measure(&subject, &known);
                print(&one, options.mistakes);
                let mut row = subject.row;
                row.report = one.report.clone();
                rows.push(row);
                measured.push(one);
            }
            Err(reason) if wanted(&reason.program) => missing.push(reason),
            _ => {}
        }
    }
    println!("\n{}", table(&rows));
    for sentence in measured.iter().flat_map(|one| &one.risen) {
        println!("better than known.json says: {sentence}");
    }
    let mut failed = measured.is_empty();
    if measured.is_empty() {
        println!("FAILED nothing was measured");
    }
    for one in &missing {
        let required = options.require.iter().any(|name| name == one.needs);
        failed |= required;
        let mark = if required { "FAILED " } else { "" };
        println!("{mark}not measured: {}: {}", one.program, one.reason);
    }
    for sentence in measured.iter().flat_map(|one| &one.broken) {
        failed = true;
        println!("FAILED {sentence}");
    }
    let everything = Everything {
        measured,
        missing,
        failed,
    };
    if let Some(file) = &options.below {
        let below: BTreeMap<_, _> = everything
            .measured
            .iter()
            .filter(|one| !one.below.is_empty())
            .map(|one| (&one.program, &one.below))
            .collect();
        write(file, &below)?;
    }
    if let Some(file) = &options.json {
        write(file, &everything)?;
    }
    Ok(failed)
}

fn write(file: &PathBuf, what: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(what).map_err(|error| error.to_string())?;
    fs::write(file, text + "\n").map_err(|error| format!("{}: {error}", file.display()))
}

fn measure(subject: &Subject, known: &Known) -> Measurement {
    subject.forget_runs();
    let program = subject.row.program.clone();
    let began = Instant::now();
    let found = discovered::discovered(&subject.program, &subject.parts);
    let mut measurement = Measurement {
        program: program.clone(),
        seconds: began.elapsed().as_secs_f64(),
        report: None,
        broken: Vec::new(),
        risen: Vec::new(),
        below: BTreeMap::new(),
        completed: Vec::new(),
    };
    // What cannot be read has no flag and no command, which the floors then say.
    let (cli, unread) = match found {
        Ok(reading) => (reading.cli, reading.unread),
        Err(reason) => (discovered::nothing(&program), vec![reason]),
    };
    let report = compare(&cli, &subject.truth);
    match subject.floors {
        Floors::Ours => {
            let broken = report.floors().err().unwrap_or_default();
            measurement.broken = broken
                .iter()
                .map(|one| format!("{program}: {one}"))
                .collect();
        }
        Floors::Others => {
            let verdict = known.judge(&program, &report);
            measurement.broken = verdict.broken;
            measurement.risen = verdict.risen;
            measurement.below = verdict.below;
        }
    }
    let said = unread
        .iter()
        .map(|reason| format!("{program}: not read: {reason}"));
    measurement.broken.extend(said);
    measurement.report = Some(report);
    for line in subject.runs() {
        match line.strip_prefix("completed ") {
            Some(command) => measurement.completed.push(command.to_owned()),
            None => measurement
                .broken
                .push(format!("{program}: reading it executed a command: {line}")),
        }
    }
    measurement
}

fn print(one: &Measurement, mistakes: bool) {
    println!("== {} ({:.1} s)", one.program, one.seconds);
    if let Some(report) = &one.report {
        if mistakes {
            print!("{}", report.mistakes());
        } else if !one.broken.is_empty() {
            print!("{report}");
        }
    }
    for command in &one.completed {
        println!("note: completing a positional called the code of {command}");
    }
}
