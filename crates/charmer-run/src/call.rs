//! The interface of middleware: a service from a [`Call`] to an [`Outcome`].

use std::{sync::Arc, time::Duration};

use charmer_core::tool::Tool;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tower::{BoxError, Layer, Service, ServiceExt, util::BoxCloneSyncService};

use crate::{
    Answers, CallError, Caller, DryRun, ErrorCode, Limits, Progress, Question, Reading,
    layers::Readied, process::Captured,
};

/// One call on its way to a program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// The tool that is called.
    pub tool: Arc<Tool>,
    /// What the caller gave, in its strict form; it is bound and checked after every layer has seen it.
    pub input: Map<String, Value>,
    /// What was understood differently from how the caller gave it; the outcome's notes begin with it.
    pub notes: Vec<String>,
    /// How long and large the call may become.
    pub limits: Limits,
    /// Ends the call when it is cancelled, by the client, by a layer or by shutdown.
    pub cancel: CancellationToken,
    /// Where it reports how far it is.
    pub progress: Progress,
    /// Who made it.
    pub caller: Caller,
    /// What people said to questions that this call has asked before.
    pub answers: Answers,
    /// It is meant to read only: it is run without the right to write where the system can take that right away.
    pub reads: bool,
    /// Which of the calls that are meant to read only are let through.
    pub reading: Reading,
    /// The folder that it is to run in, which must be one of its caller's or beneath one; the first of them, if it is not
    /// set.
    pub folder: Option<String>,
    /// It only says what it would run; see [`DryRun`].
    pub dry_run: bool,
}

impl Call {
    /// A call with the usual limits that nothing cancels.
    pub fn new(tool: Arc<Tool>, input: Map<String, Value>) -> Self {
        Self::by(Caller::default(), tool, input)
    }

    /// The same, made by this caller.
    pub fn by(caller: Caller, tool: Arc<Tool>, input: Map<String, Value>) -> Self {
        Self {
            tool,
            input,
            notes: Vec::new(),
            limits: Limits::default(),
            cancel: CancellationToken::new(),
            progress: Progress::default(),
            caller,
            answers: Answers::default(),
            reads: false,
            reading: Reading::Labelled,
            folder: None,
            dry_run: false,
        }
    }

    /// Sets the folder that it is to run in.
    #[must_use]
    pub fn folder(mut self, folder: Option<String>) -> Self {
        self.folder = folder;
        self
    }

    /// Says whether it only says what it would run.
    #[must_use]
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Says whether it is meant to read only.
    #[must_use]
    pub fn reads(mut self, only: bool) -> Self {
        self.reads = only;
        self
    }

    /// Sets which calls that are meant to read only are let through.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self
    }

    /// Sets how long and large it may become.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what cancels it.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Sets where it reports how far it is.
    #[must_use]
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Sets what people said to its questions.
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }
}

/// The way a program came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// It ended by itself with this code.
    Exited(i32),
    /// A signal that was not ours ended it.
    Signalled(i32),
    /// It ran longer than it may and was ended.
    TimedOut,
    /// It was ended because its call was cancelled.
    Cancelled,
    /// It was not started: a person has to answer a question first.
    NeedsInput,
    /// It was not started, because it was a dry run.
    NotRun,
}

/// The outcome of a call that was run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The way it ended.
    pub ended: Ended,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Standard output as data, where somebody read it as such.
    pub data: Option<Value>,
    /// The time that it ran.
    pub duration: Duration,
    /// What an assistant should do about a failure, where that is known.
    pub advice: Option<String>,
    /// What else its caller should know, in short sentences.
    pub notes: Vec<String>,
    /// How many items there were, where the data holds only the first of them.
    pub items: Option<usize>,
    /// What is wrong with the output of a program that ended well, or what is to be said of one that did not in the place
    /// of the usual words.
    pub complaint: Option<CallError>,
    /// The question that a person has to answer before anything is started.
    pub question: Option<Question>,
    /// What would have been run, if it was a dry run.
    pub dry_run: Option<Box<DryRun>>,
}

impl Outcome {
    /// The outcome of something that ended well and said this.
    pub fn success(stdout: impl Into<Vec<u8>>) -> Self {
        Self {
            ended: Ended::Exited(0),
            stdout: Captured::whole(stdout),
            stderr: Captured::default(),
            data: None,
            duration: Duration::ZERO,
            advice: None,
            notes: Vec::new(),
            items: None,
            complaint: None,
            question: None,
            dry_run: None,
        }
    }

    /// The outcome of a dry run.
    pub fn not_run(dry_run: DryRun) -> Self {
        Self {
            ended: Ended::NotRun,
            dry_run: Some(Box::new(dry_run)),
            ..Self::success("")
        }
    }

    /// The outcome of a call that has not begun, because a person has to answer this first.
    pub fn needs_input(question: Question) -> Self {
        Self {
            ended: Ended::NeedsInput,
            question: Some(question),
            ..Self::success("")
        }
    }

    /// Adds what else its caller should know.
    pub fn note(&mut self, notes: impl IntoIterator<Item = String>) {
        match &mut self.dry_run {
            Some(dry_run) => dry_run.notes.extend(notes),
            None => self.notes.extend(notes),
        }
    }

    /// Returns true if it ended by itself with code zero.
    pub fn is_success(&self) -> bool {
        self.ended == Ended::Exited(0)
    }

    /// Standard output as text.
    pub fn stdout_text(&self) -> String {
        self.stdout.to_text()
    }
}

/// A tool's call path: always ready, cheap to clone, and safe to drop at any time.
pub type CallService = BoxCloneSyncService<Call, Outcome, CallError>;

/// Boxes a service and makes it always ready: what it waits for before a call, it waits for in the call. An error
/// that is not ours becomes an internal one that says what it was.
pub fn into_service<S>(service: S) -> CallService
where
    S: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    BoxCloneSyncService::new(Readied(service).map_err(|error| {
        match error.into().downcast::<CallError>() {
            Ok(own) => *own,
            Err(foreign) => CallError::new(ErrorCode::Internal, foreign.to_string()),
        }
    }))
}

/// Puts a layer, tower's or one's own, around a call path.
pub fn wrap<L>(layer: &L, inner: CallService) -> CallService
where
    L: Layer<CallService>,
    L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    <L::Service as Service<Call>>::Error: Into<BoxError>,
    <L::Service as Service<Call>>::Future: Send + 'static,
{
    into_service(layer.layer(inner))
}
