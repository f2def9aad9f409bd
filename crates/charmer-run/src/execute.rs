//! The innermost service: input bound and checked, argv written and judged, then a process or a handler.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use charmer_core::{
    call::{Prepared, prepare},
    tool::Tool,
};
use tower::Service;

use crate::{
    Call, CallError, Ended, ErrorCode, Handler, HandlerCall, Outcome,
    process::{Launcher, Request},
};

/// Has the last word on a command line before it is run: for a clap program, clap itself.
pub trait Judge: Send + Sync {
    /// Accepts the command line, or says why the program would not take it as it was meant.
    fn judge(&self, tool: &Tool, prepared: &Prepared) -> Result<(), CallError>;
}

/// What a call runs.
#[derive(Clone)]
#[non_exhaustive]
pub enum Target {
    /// A program.
    Process(Launcher),
    /// A function of the host program.
    Handler(Arc<dyn Handler>),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(launcher) => f.debug_tuple("Process").field(launcher).finish(),
            Self::Handler(_) => f.write_str("Handler(..)"),
        }
    }
}

/// Runs calls against one target.
#[derive(Clone)]
pub struct Execute {
    target: Target,
    judge: Option<Arc<dyn Judge>>,
}

impl Execute {
    /// A service that runs this target.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            judge: None,
        }
    }

    /// Sets who has the last word on a command line.
    #[must_use]
    pub fn judged_by(mut self, judge: Arc<dyn Judge>) -> Self {
        self.judge = Some(judge);
        self
    }

    async fn run(self, call: Call) -> Result<Outcome, CallError> {
        let prepared = prepare(&call.tool, &call.input)?;
        if let Some(judge) = &self.judge {
            judge.judge(&call.tool, &prepared)?;
        }
        if call.cancel.is_cancelled() {
            return Err(CallError::new(
                ErrorCode::Cancelled,
                "the call was cancelled before it began",
            ));
        }
        match self.target {
            Target::Process(launcher) => {
                let request = Request {
                    argv: prepared.argv.to_os_strings(),
                    limits: call.limits,
                };
                launcher.run(request, call.cancel).await
            }
            Target::Handler(handler) => run_handler(handler, HandlerCall { call, prepared }).await,
        }
    }
}

impl fmt::Debug for Execute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute")
            .field("target", &self.target)
            .field("judged", &self.judge.is_some())
            .finish()
    }
}

impl Service<Call> for Execute {
    type Response = Outcome;
    type Error = CallError;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Outcome, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        Box::pin(self.clone().run(call))
    }
}

async fn run_handler(handler: Arc<dyn Handler>, call: HandlerCall) -> Result<Outcome, CallError> {
    let began = Instant::now();
    // A token of its own, so that a handler is also told when its time is up.
    let told = call.call.cancel.child_token();
    let limits = call.call.limits.clone();
    let mut given = call;
    given.call.cancel = told.clone();
    let work = tokio::task::spawn_blocking(move || {
        catch_unwind(AssertUnwindSafe(|| handler.handle(given)))
    });
    let unfinished = |ended| Outcome {
        ended,
        duration: began.elapsed(),
        ..Outcome::success("")
    };
    tokio::select! {
        done = work => match done {
            Ok(Ok(reply)) => Ok(Outcome { duration: began.elapsed(), ..reply?.into() }),
            Ok(Err(_)) | Err(_) => Err(CallError::new(ErrorCode::Internal, "the command's handler panicked")
                .hint("this is a bug in the program; its standard error says more")),
        },
        () = told.cancelled() => Ok(unfinished(Ended::Cancelled)),
        () = tokio::time::sleep(limits.timeout) => {
            told.cancel();
            Ok(unfinished(Ended::TimedOut))
        }
    }
}
