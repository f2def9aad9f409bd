//! Running one call: hooks, binding, policy, a process or a handler, and its outcome.
//!
//! The interface is a `tower` service from a [`Call`] to an [`Outcome`]. [`CallPath`] puts a tool's path together, in one
//! order for all; the innermost service, [`Execute`], binds the input, writes the argv and runs the program. Whatever a
//! layer does to a call on its way in, binding and policy still stand between it and the process.

#[cfg(feature = "approval")]
mod approval;
mod blocking;
mod call;
mod caller;
mod completer;
mod drafts;
mod dry_run;
mod error;
mod excluded;
mod execute;
mod expose;
pub mod folder;
mod handler;
#[cfg(feature = "hook-programs")]
mod hook_programs;
mod hooks;
#[cfg(feature = "jobs")]
pub mod jobs;
pub mod layers;
mod limits;
mod live;
mod media;
mod only_reads;
mod path;
mod permissions;
mod policy;
pub mod process;
mod progress;
mod question;
mod read_output;
mod redact;
mod result;
mod shown;
mod spelling;
mod spool;
mod standing;
mod toolset;

#[cfg(feature = "approval")]
pub use approval::{
    Approvals, AskRule, AskWay, AskWhen, AttachedTerminal, ShownCall, ShownDetail, TerminalAnswer,
    TerminalVerdict, WaitingApproval,
};
pub use blocking::begin_blocking;
pub use call::{BoxError, Call, CallFuture, CallService, Ended, Outcome, into_service, wrap};
pub use caller::{Caller, Client, LOCAL, Transport};
pub use completer::{Complete, Completer};
#[cfg(feature = "drafts")]
pub use drafts::Drafts;
pub use drafts::{
    AppliedDraft, Applier, DRAFT_TOOL, Draft, DraftCounts, DraftRequest, DraftRules, DraftSummary,
    DraftedBy, draft_properties, wanted_draft,
};
pub use dry_run::{Confined, ConfinedBy, DryRun, Rule, Writable};
pub use error::{CallError, ErrorCode};
pub use excluded::Excluded;
pub use execute::{Execute, LastCheck, Target};
pub use expose::{Exposed, Exposure, Promotions, ReadsAny, Shown};
#[cfg(feature = "search")]
pub use expose::{KeptSearch, META_TOOLS};
pub use handler::{Handler, HandlerCall, Reply};
#[cfg(feature = "hook-programs")]
pub use hook_programs::{HOOK_TIMEOUT, HookGuard, HookLevel, HookMoment, HookPrograms, HookRunner};
pub use hooks::{After, Before, HookAnswer, Hooks};
pub use limits::Limits;
pub use live::LiveRun;
pub use media::Media;
pub use path::{CallPath, SharedSteps, Step, step};
pub use permissions::Permissions;
pub use policy::{Policy, RunPlace};
pub use progress::{Progress, Snapshot};
pub use question::{Answer, Answers, Question};
pub use read_output::{OutputQuery, SEARCHES_OUTPUT};
pub use redact::{BadPattern, REDACTED, Redactor};
pub use result::{AnswerForm, CallResult, Results};
pub use spool::{Spool, SpoolLimits, SpoolPart, Spooled};
pub use standing::{Standing, StandingCheck};
pub use toolset::{Reading, Resolved, Router, ServedTool, ShownTool, ToolSet};
