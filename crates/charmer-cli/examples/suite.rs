//! A clap program with the commands that the conformance suite calls as tools (`tests/conformance`). Its name is `test`, so
//! that `simple_text` is the tool `test_simple_text`.

use std::{
    io::{self, Write},
    process::ExitCode,
    thread,
    time::Duration,
};

use clap::{Parser, Subcommand};

/// One red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\
    \x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\
    \x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\
    \x00\x00\x00\x00IEND\xaeB`\x82";
/// Eight samples of silence.
const WAV: &[u8] = b"RIFF,\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\
    @\x1f\x00\x00@\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00\
    \x80\x80\x80\x80\x80\x80\x80\x80";
/// Between two lines of progress: a little more than the pace at which a client hears of them.
const STEP: Duration = Duration::from_millis(600);

/// Answers as the conformance suite expects it
#[derive(Parser)]
#[command(name = "test")]
struct Suite {
    #[command(subcommand)]
    command: SuiteCommand,
}

#[derive(Subcommand)]
#[command(rename_all = "snake_case")]
enum SuiteCommand {
    /// Prints a line
    SimpleText,
    /// Fails
    ErrorHandling,
    /// Prints a picture
    ImageContent,
    /// Prints a sound
    AudioContent,
    /// Prints how far it is, for a while
    ToolWithProgress,
}

fn main() -> ExitCode {
    match run(&Suite::parse().command) {
        Ok(code) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(command: &SuiteCommand) -> io::Result<ExitCode> {
    let mut out = io::stdout();
    match command {
        SuiteCommand::SimpleText => {
            writeln!(out, "This is a simple text response for testing.")?;
        }
        SuiteCommand::ErrorHandling => {
            let mut err = io::stderr();
            writeln!(err, "This tool intentionally returns an error for testing")?;
            return Ok(ExitCode::FAILURE);
        }
        SuiteCommand::ImageContent => out.write_all(PNG)?,
        SuiteCommand::AudioContent => out.write_all(WAV)?,
        SuiteCommand::ToolWithProgress => {
            for percent in [0, 25, 50, 75, 100] {
                writeln!(out, "{percent} percent")?;
                out.flush()?;
                thread::sleep(STEP);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
