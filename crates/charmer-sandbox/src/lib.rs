//! A process that has given its rights away and starts others: what probes, calls that are meant to read, and spells run in.
//!
//! [`Rights`] say what a program keeps. There are two ways to hold one to them:
//!
//! - [`Sandbox::start`] starts a *confined process*, once. It gives everything else away and then starts programs as it
//!   is told ([`Sandbox::launch`]); they inherit what it has lost, so that a confined program costs hardly more than a
//!   plain one. [`run_confined`] is the main function of that process.
//! - [`confine_thread`] does the same to the calling thread, as far as a thread can, for a program that is started once
//!   from a thread made for it.
//!
//! What a program prints does not pass through the confined process: whoever launches a program makes its pipes and hands
//! their ends over with the request. The two processes say very little to each other: a program to start, a signal for
//! its group, how it ended. Deadlines, output and the decision to end a program belong to the launching side.
//!
//! However the launching process ends, its socket closes. That is the confined process's sign to kill what it has started
//! and to end as well.
//!
//! [`Room`] is a folder that confined programs may write to; [`HiddenState`] tells whether what was hidden still is.
//!
//! The kernel's part (Landlock, a filter of system calls, and namespaces where they are allowed) is written for Linux;
//! other systems are told that there is none.

mod hidden;
mod program;
mod report;
mod rights;
mod room;
mod word;

#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod os;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod os;

pub use hidden::HiddenState;
pub use os::{ConfinedProgram, Sandbox, confine_thread, run_confined};
pub use program::{Failure, OnClear, OnEnd, Program, SandboxCommand, Streams};
pub use report::RightsReport;
pub use rights::{Bounds, NetworkRight, Overlay, Readable, Rights};
pub use room::{Room, remove_folder};
