//! A process that probes and does nothing else, for tests that kill it: `probe_parent CONFINED PROGRAM ARGV...`. It prints
//! the folder that probes may write to before it begins.

#![expect(clippy::print_stdout, reason = "tests read it")]

use std::{error::Error, ffi::OsString};

use charmer_discover::probe::{ProbeOptions, Prober};
use charmer_sandbox::SandboxCommand;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let mut word = || words.next().ok_or("a word is missing");
    let mut options = ProbeOptions::default();
    options.timeout = std::time::Duration::from_secs(600);
    options.sandbox = Some(SandboxCommand {
        program: word()?.into(),
        args: Vec::new(),
    });
    let prober = Prober::new(word()?.into(), options)?;
    println!("{}", prober.home().with_file_name("").display());
    let argv: Vec<OsString> = words.collect();
    tokio::runtime::Runtime::new()?.block_on(prober.run(&argv));
    Ok(())
}
