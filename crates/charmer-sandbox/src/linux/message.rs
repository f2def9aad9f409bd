//! Messages between the two sides: lines of JSON. The launching side begins with the rights to keep and is answered with
//! the report; then orders go one way and endings the other. Output is never part of it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Program;

/// The number of a program, of the launching side's choice.
pub(super) type ProgramId = u64;

/// An order to the confined process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order<'p> {
    /// Start a program. Its three standard streams come along as descriptors.
    Start(ProgramId, Cow<'p, Program>),
    /// Ask every member of a program's group to end.
    Terminate(ProgramId),
    /// End every member of a program's group. If the program itself has ended, this is the last that is said of it.
    Kill(ProgramId),
    /// End everything that was ever started, and say when it is gone.
    Clear,
}

/// A message of the confined process: one on each program, and one that it has cleared.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// It could not be started.
    NotStarted {
        /// The program.
        id: ProgramId,
        /// The system's number for the reason, if it has one.
        errno: Option<i32>,
        /// The reason.
        reason: String,
    },
    /// It has ended and been collected.
    Ended {
        /// The program.
        id: ProgramId,
        /// The status, as the system writes it.
        status: i32,
        /// Members of its group live on. They wait for [`Order::Kill`].
        left: bool,
        /// Nothing at all is left of anything that was started, so that there is nothing to clear.
        clean: bool,
    },
    /// Everything that was started is gone. Says whether nothing of it is left in memory either.
    Cleared(bool),
}

/// A message as it is sent.
pub(super) fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line =
        serde_json::to_vec(message).expect("messages are made of numbers, words and lists");
    line.push(b'\n');
    line
}
