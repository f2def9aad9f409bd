//! Systems that have no sandbox yet: there is nothing to start, and whoever asks is told so.

use std::{convert::Infallible, process::ExitCode};

use crate::{OnClear, OnEnd, Program, Rights, RightsReport, SandboxCommand, Streams};

const NO_SANDBOX: &str = "there is no sandbox for this system yet";

/// There is none.
#[derive(Debug)]
pub struct Sandbox(Infallible);

impl Sandbox {
    /// Says that there is none.
    pub fn start(_: &SandboxCommand, _: &Rights) -> Result<Self, String> {
        Err(NO_SANDBOX.into())
    }

    /// Never called: there is no sandbox to call it on.
    pub fn report(&self) -> &RightsReport {
        match self.0 {}
    }

    /// Never called: there is no sandbox to call it on.
    pub fn clear(&self, _: OnClear) {
        match self.0 {}
    }

    /// Never called: there is no sandbox to call it on.
    pub fn launch(&self, _: &Program, _: Streams, _: OnEnd) -> ConfinedProgram {
        match self.0 {}
    }
}

/// There is none.
#[derive(Debug)]
pub struct ConfinedProgram(Infallible);

impl ConfinedProgram {
    /// Never called: there is no program to call it on.
    pub fn terminate(&self) {
        match self.0 {}
    }

    /// Never called: there is no program to call it on.
    pub fn kill(&self) {
        match self.0 {}
    }

    /// Never called: there is no program to call it on.
    pub fn give_up(&self) {
        match self.0 {}
    }
}

/// Says that nothing can be enforced.
pub fn confine_thread(_: &Rights) -> Result<(), String> {
    Err(NO_SANDBOX.into())
}

/// Says that there is nothing to run.
pub fn run_confined() -> ExitCode {
    #[expect(clippy::print_stderr, reason = "there is nobody else to tell")]
    {
        eprintln!("{NO_SANDBOX}");
    }
    ExitCode::FAILURE
}
