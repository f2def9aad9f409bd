//! The step that lets a call go on when its caller is answered.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;
use tower_service::Service;

use crate::{
    Call, CallError, CallService, Ended, ErrorCode, LiveRun, Outcome, Redactor, layers::Around,
};

use super::{Job, JobPlace, Jobs, answer, new_id};

/// The time after which a call that was asked for as a job becomes one although its program does not run yet: it may wait
/// for its turn.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time until a call asks again for a place among the jobs.
const AGAIN: Duration = Duration::from_millis(500);

/// See the module's documentation. It is the first step of all, so that everything behind it goes on.
#[derive(Debug, Clone)]
pub(crate) struct Detach {
    pub(crate) jobs: Jobs,
    /// The redactor of the results.
    pub(crate) redactor: Redactor,
    /// Its calls run something that may take its time.
    pub(crate) runs: bool,
}

impl Around for Detach {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        let principal = Arc::clone(&call.caller.principal);
        let can = self.runs && !call.dry_run && self.jobs.rules().apply_to(&call.limits);
        let came = match can {
            true => self.detached(call, inner).await,
            false => {
                let note = call.background && !call.dry_run;
                let limit = call.limits.timeout;
                let mut came = inner.call(call).await;
                if let (true, Ok(outcome)) = (note, &mut came) {
                    let limit = humantime::format_duration(limit);
                    outcome.note([format!(
                        "it was not run in the background: it ends after {limit} anyway"
                    )]);
                }
                came
            }
        };
        self.mentioned(came, &principal)
    }
}

impl Detach {
    /// Makes the call until its caller is answered, and lets it go on then.
    async fn detached(&self, mut call: Call, mut inner: CallService) -> Result<Outcome, CallError> {
        let began = Instant::now();
        let rules = self.jobs.rules();
        let at_once = call.background;
        let mut place = match at_once {
            true => Some(self.jobs.place(&call.caller.principal)?),
            false => None,
        };
        let cancel = CancellationToken::new();
        let cancelled = std::mem::replace(&mut call.cancel, cancel.clone());
        let live = LiveRun::watched();
        call.live = live.clone();
        call.progress = call.progress.open();
        let seen = call.clone();
        let mut work = inner.call(call);
        let due = match at_once {
            true => rules.background_after.min(PATIENCE),
            false => rules.background_after,
        };
        let due = tokio::time::sleep(due);
        tokio::pin!(due);
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                biased;
                () = live.started(), if at_once && !is_cancelled => {}
                came = &mut work => return came,
                // Its client has gone, or does not want it any more.
                () = cancelled.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    cancel.cancel();
                    continue;
                }
                () = &mut due, if !is_cancelled => {}
            }
            if live.is_kept() {
                due.set(tokio::time::sleep(AGAIN));
                continue;
            }
            let taken = match place.take() {
                Some(place) => Ok(place),
                None => self.jobs.place(&seen.caller.principal),
            };
            // Without a place it goes on as a call, and its caller waits.
            let Ok(taken) = taken else {
                due.set(tokio::time::sleep(AGAIN));
                continue;
            };
            let id = new_id().map_err(|error| {
                let message = format!("there is no name for a job to be had: {error}");
                CallError::new(ErrorCode::Internal, message)
            })?;
            let job = Job::new(id, &seen, self.redactor.clone(), began);
            let job = Arc::new(job);
            self.go_on(&job, work, taken);
            return Ok(Outcome {
                ended: Ended::Running,
                job: Some(Arc::clone(&job.id)),
                ..Outcome::answered(answer::running(&job).await)
            });
        }
    }

    /// Has the rest of the path go on by itself.
    fn go_on(
        &self,
        job: &Arc<Job>,
        work: impl Future<Output = Result<Outcome, CallError>> + Send + 'static,
        place: JobPlace,
    ) {
        self.jobs.add(job);
        job.live.detach(&job.id);
        let (jobs, job) = (self.jobs.clone(), Arc::clone(job));
        // On a task of its own, because a panic must not leave a job that never ends.
        let work = self.jobs.0.running.spawn(work);
        self.jobs.0.running.spawn(async move {
            let came = tokio::select! {
                came = work => came,
                came = until_unasked(&jobs, &job) => match came {},
            };
            let came = came.unwrap_or_else(|_| {
                let message = "the bridge or one of its hooks panicked during this call";
                Err(CallError::new(ErrorCode::Internal, message)
                    .hint("this is a bug; the server's standard error says more"))
            });
            job.finish(came).await;
            drop(place);
            jobs.forget_old(&job.principal);
        });
    }

    /// The result of a call, with the jobs that have ended meanwhile.
    fn mentioned(
        &self,
        mut came: Result<Outcome, CallError>,
        principal: &str,
    ) -> Result<Outcome, CallError> {
        if let Ok(outcome) = &mut came
            // The answer of a job is what its call would have had, and nothing else.
            && (outcome.answer.is_none() || outcome.ended == Ended::Running)
            && outcome.question.is_none()
        {
            outcome.note(self.jobs.mention(principal));
        }
        came
    }
}

/// Ends a job that only reads when nobody has asked about it for long; returns never, because its end is waited for.
async fn until_unasked(jobs: &Jobs, job: &Job) -> std::convert::Infallible {
    let unasked = jobs.rules().unasked;
    if !job.reads {
        return std::future::pending().await;
    }
    loop {
        let left = job.unasked_for(unasked);
        if left.is_zero() {
            break;
        }
        tokio::time::sleep(left).await;
    }
    let time = humantime::format_duration(unasked);
    let message = format!("nobody asked about the job for {time}, so it was ended");
    job.stop_because(CallError::new(ErrorCode::Cancelled, message));
    std::future::pending().await
}
