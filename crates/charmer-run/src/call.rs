//! The interface of middleware: a service from a [`Call`] to an [`Outcome`].

use std::{
    any::Any,
    error::Error,
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use charmer_core::tool::Tool;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tower_layer::Layer;
use tower_service::Service;

#[cfg(feature = "approval")]
use crate::approval::ToolApproval;
use crate::{
    AnswerForm, Answers, CallError, CallResult, Caller, Draft, DraftRequest, DryRun, ErrorCode,
    Limits, LiveRun, Progress, Question, Reading, process::Captured,
};

/// One call on its way to a program.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Call {
    /// The tool that is called.
    pub tool: Arc<Tool>,
    /// The caller's input in its strict form; it is bound and checked after every layer has seen it.
    pub input: Map<String, Value>,
    /// Notes on input that was understood differently from how the caller gave it; the outcome's notes begin with them.
    pub notes: Vec<String>,
    /// The limits on the time and size of the call.
    pub limits: Limits,
    /// Ends the call when it is cancelled, by the client, by a layer or by shutdown.
    pub cancel: CancellationToken,
    /// The receiver of reports on how far it is.
    pub progress: Progress,
    /// The caller.
    pub caller: Caller,
    /// The answers of people to questions that this call has asked before.
    pub answers: Answers,
    /// It is meant to read only: it is run without the right to write where the system can take that right away.
    pub reads: bool,
    /// The rule on calls that are meant to read only.
    pub reading: Reading,
    /// The folder that it is to run in, which must be one of its caller's or beneath one; the first of them, if it is not
    /// set.
    pub folder: Option<String>,
    /// It only says what it would run; see [`DryRun`].
    pub dry_run: bool,
    /// It is to be run as a draft; see [`Draft`].
    pub draft: Option<DraftRequest>,
    /// It becomes a job as soon as its program runs.
    pub background: bool,
    /// The onlookers while it runs.
    pub live: LiveRun,
    /// The form in which its caller gets the answer.
    pub form: AnswerForm,
    /// Why a person is to be asked about it, by steps that it has passed.
    #[cfg(feature = "approval")]
    pub(crate) asks: Vec<String>,
    /// Who asks, where that is not for the innermost step itself to say.
    #[cfg(feature = "approval")]
    pub(crate) approval: Option<Arc<ToolApproval>>,
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
            draft: None,
            background: false,
            live: LiveRun::default(),
            form: AnswerForm::default(),
            #[cfg(feature = "approval")]
            asks: Vec::new(),
            #[cfg(feature = "approval")]
            approval: None,
        }
    }

    /// Sets the form in which its caller gets the answer.
    #[must_use]
    pub(crate) fn in_form(mut self, form: AnswerForm) -> Self {
        self.form = form;
        self
    }

    /// Says whether it becomes a job as soon as its program runs.
    #[must_use]
    pub fn background(mut self, yes: bool) -> Self {
        self.background = yes;
        self
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

    /// Sets as which draft it is to be run, if as one.
    #[must_use]
    pub fn draft(mut self, draft: Option<DraftRequest>) -> Self {
        self.draft = draft;
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
    /// It has not ended: it goes on as a job.
    Running,
}

/// The outcome of a call that was run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The way it ended.
    pub ended: Ended,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Standard output as data, where somebody read it as such.
    pub data: Option<Value>,
    /// The time that it ran.
    pub duration: Duration,
    /// The advice to an assistant on a failure, where there is any.
    pub advice: Option<String>,
    /// Further notes for its caller, in short sentences.
    pub notes: Vec<String>,
    /// The number of all items, where the data holds only the first of them.
    pub items: Option<usize>,
    /// The complaint about the output of a program that ended well, or the words on one that did not in the place of
    /// the usual ones.
    pub complaint: Option<CallError>,
    /// The question that a person has to answer before anything is started.
    pub question: Option<Question>,
    /// The plan of a dry run, if it was one.
    pub dry_run: Option<Box<DryRun>>,
    /// The draft of its changes, if it was run as one.
    pub draft: Option<Arc<Draft>>,
    /// The answer as it goes out, where it is not made from all of this: of a call that became a job, and of a job.
    pub answer: Option<Box<CallResult>>,
    /// The job that the call became.
    pub job: Option<Arc<str>>,
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
            draft: None,
            answer: None,
            job: None,
        }
    }

    /// The outcome that comes to this answer, whatever becomes of others.
    pub fn answered(answer: CallResult) -> Self {
        Self {
            answer: Some(Box::new(answer)),
            ..Self::success("")
        }
    }

    /// The outcome of a dry run.
    pub(crate) fn not_run(dry_run: DryRun) -> Self {
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

/// The result of a call, in the future.
pub type CallFuture = Pin<Box<dyn Future<Output = Result<Outcome, CallError>> + Send>>;

/// An error of a layer that is not ours.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A tool's call path: always ready, cheap to clone, and safe to drop at any time. It is a `tower` service.
#[derive(Clone)]
pub struct CallService(Arc<dyn Fn(Call) -> CallFuture + Send + Sync>);

impl CallService {
    /// The path that is this function.
    pub fn new<F>(run: impl Fn(Call) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Outcome, CallError>> + Send + 'static,
    {
        Self(Arc::new(move |call| Box::pin(run(call))))
    }
}

impl Service<Call> for CallService {
    type Response = Outcome;
    type Error = CallError;
    type Future = CallFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> CallFuture {
        (self.0)(call)
    }
}

impl fmt::Debug for CallService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallService")
    }
}

/// Boxes a service and makes it always ready: what it waits for before a call, it waits for in the call. A path is cloned
/// for each call and called at once; otherwise a layer that hands out permits in `poll_ready`
/// (`tower::limit::ConcurrencyLimit`) would panic, and one that looks at it (`tower::load_shed`) would shed everything.
/// An error that is not ours becomes an internal one that says what it was.
pub fn into_service<S>(service: S) -> CallService
where
    S: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    if let Some(own) = (&service as &dyn Any).downcast_ref::<CallService>() {
        return own.clone();
    }
    CallService::new(move |call| {
        let mut service = service.clone();
        async move {
            let ready = poll_fn(|context| service.poll_ready(context)).await;
            ready.map_err(|error| own_error(error.into()))?;
            let answer = service.call(call).await;
            answer.map_err(|error| own_error(error.into()))
        }
    })
}

fn own_error(error: BoxError) -> CallError {
    match error.downcast::<CallError>() {
        Ok(own) => *own,
        Err(foreign) => CallError::new(ErrorCode::Internal, foreign.to_string()),
    }
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
