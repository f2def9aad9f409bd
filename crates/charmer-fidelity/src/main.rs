//! The fidelity report: how true readings from outside are, against programs whose true tree is known.
//!
//!     cargo run -p charmer-fidelity -- [--json] [--require go,docker,clap]
//!
//! It measures the Cobra application in `fixtures/cobra`, which it builds with the newest Cobra and with 1.6 where Go
//! is there; docker, where it has the version of `fixtures/truth`; and the example `clap_fixture`. It ends with 1 when
//! a figure is below its floor, when reading a program ran one of its commands, or when something required is missing.

#![expect(clippy::print_stdout, reason = "a report is its purpose")]

mod discovered;
mod subject;

use std::process::ExitCode;

use charmer_fidelity::{Report, compare};
use clap::Parser;
use serde::Serialize;

use subject::{Missing, Subject};

/// Measures how true readings from outside are
#[derive(Parser)]
struct Options {
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Fail when these cannot be measured
    #[arg(long, value_delimiter = ',', value_parser = ["go", "docker", "clap"])]
    require: Vec<String>,
}

/// All that is said about one program.
#[derive(Serialize)]
struct Measurement {
    program: String,
    report: Option<Report>,
    /// Sentences on what is not as it must be.
    broken: Vec<String>,
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
    let mut measured = Vec::new();
    let mut missing = Vec::new();
    for subject in subject::all() {
        match subject {
            Ok(subject) => measured.push(measure(&subject)),
            Err(reason) => missing.push(reason),
        }
    }
    let failed = measured.is_empty()
        || measured.iter().any(|one| !one.broken.is_empty())
        || missing
            .iter()
            .any(|one| options.require.iter().any(|name| name == one.needs));
    let everything = Everything {
        measured,
        missing,
        failed,
    };
    if options.json {
        println!("{:#}", serde_json::json!(everything));
    } else {
        print(&everything, &options.require);
    }
    ExitCode::from(u8::from(failed))
}

fn measure(subject: &Subject) -> Measurement {
    subject.forget_runs();
    let mut measurement = Measurement {
        program: subject.name.clone(),
        report: None,
        broken: Vec::new(),
        completed: Vec::new(),
    };
    match discovered::discovered(&subject.program) {
        Ok(cli) => {
            let report = compare(&cli, &subject.truth);
            measurement.broken = report.floors().err().unwrap_or_default();
            measurement.report = Some(report);
        }
        Err(reason) => measurement.broken.push(reason),
    }
    for line in subject.runs() {
        match line.strip_prefix("completed ") {
            Some(command) => measurement.completed.push(command.to_owned()),
            None => measurement
                .broken
                .push(format!("reading it executed a command: {line}")),
        }
    }
    measurement
}

fn print(everything: &Everything, required: &[String]) {
    for one in &everything.measured {
        println!("== {}", one.program);
        if let Some(report) = &one.report {
            print!("{report}");
        }
        for command in &one.completed {
            println!("note: completing a positional called the code of {command}");
        }
        for sentence in &one.broken {
            println!("FAILED {sentence}");
        }
        println!();
    }
    for one in &everything.missing {
        let mark = if required.iter().any(|name| name == one.needs) {
            "FAILED "
        } else {
            ""
        };
        println!("{mark}not measured: {}: {}", one.program, one.reason);
    }
    if everything.measured.is_empty() {
        println!("FAILED nothing was measured");
    }
}
