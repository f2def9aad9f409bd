//! Running one call: hooks, binding, policy, a process or a handler, and its outcome.
//!
//! The interface is a `tower` service from a [`Call`] to an [`Outcome`]; the innermost one, [`Execute`], binds the
//! input, writes the argv and runs the program. Whatever a layer does to a call on its way in, binding and policy
//! still stand between it and the process.

mod call;
mod completer;
mod error;
mod execute;
mod expose;
mod handler;
mod hooks;
pub mod layers;
mod limits;
pub mod process;
mod progress;
mod read_output;
mod redact;
mod result;
mod spool;
mod toolset;

pub use call::{Call, CallService, Ended, Outcome, into_service, wrap};
pub use completer::{Complete, Completer};
pub use error::{CallError, ErrorCode};
pub use execute::{Execute, Judge, Target};
pub use expose::{Exposed, Exposure, META_TOOLS, Promotions, Shown};
pub use handler::{Handler, HandlerCall, Reply};
pub use hooks::{After, Before, Hooks};
pub use limits::Limits;
pub use progress::{Progress, Snapshot};
pub use read_output::OutputQuery;
pub use redact::{BadPattern, REDACTED, Redactor};
pub use result::CallResult;
pub use spool::{Spool, SpoolLimits};
pub use toolset::{Router, ServedTool, ToolSet};
