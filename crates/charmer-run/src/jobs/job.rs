//! One job: whose it is, how far it is, and what came of it.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use charmer_core::tool::Tool;
use tokio_util::sync::CancellationToken;

use crate::{
    AnswerForm, Call, CallError, CallResult, Ended, ErrorCode, Limits, LiveRun, Outcome, Progress,
    Redactor, live::SoFar, process::Captured, result::failure,
};

/// The number of bytes of each end of a stream that are kept in memory after the end; long output is on disk.
const KEPT_BYTES: usize = 256 << 10;

/// The state of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobState {
    /// It runs.
    Running,
    /// It waits for a person.
    Waiting,
    /// It has ended well.
    Done,
    /// It has ended, and not well.
    Failed,
    /// It was ended before it was done.
    Cancelled,
}

impl JobState {
    /// The state as results carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A call that goes on after its caller was answered.
pub struct Job {
    /// Its id, of letters and digits.
    pub id: Arc<str>,
    /// The principal that it belongs to.
    pub principal: Arc<str>,
    /// The moment that its call began.
    pub began: Instant,
    /// The same on the clock.
    pub began_at: SystemTime,
    /// The tool that was called.
    pub(super) tool: Arc<Tool>,
    pub(super) limits: Limits,
    pub(super) redactor: Redactor,
    pub(super) form: AnswerForm,
    /// It changes nothing.
    pub(super) reads: bool,
    pub(super) live: LiveRun,
    pub(super) progress: Progress,
    pub(super) cancel: CancellationToken,
    /// Cancelled when its result is there.
    pub(super) ended: CancellationToken,
    end: Mutex<Option<JobEnd>>,
    asked: Mutex<Instant>,
    /// Somebody ended it, and said why.
    stopped: Mutex<Option<CallError>>,
    /// Its principal knows that it has ended.
    told: AtomicBool,
}

/// The end of a job.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JobEnd {
    /// The way it ended.
    pub state: JobState,
    /// The answer that its call would have had.
    pub result: Arc<CallResult>,
    /// The error of the server's own, where there is no result of the program.
    pub error: Option<CallError>,
    /// The time that it ended at.
    pub at: SystemTime,
    when: Instant,
    /// The way it ended, in a few words.
    words: String,
    output: Arc<SoFar>,
}

impl Job {
    /// The job that a call becomes.
    pub(super) fn new(id: Arc<str>, call: &Call, redactor: Redactor, began: Instant) -> Self {
        Self {
            id,
            principal: Arc::clone(&call.caller.principal),
            began,
            began_at: SystemTime::now() - began.elapsed(),
            tool: Arc::clone(&call.tool),
            limits: call.limits.clone(),
            redactor,
            form: call.form,
            reads: call.reads || call.tool.annotations.read_only,
            live: call.live.clone(),
            progress: call.progress.clone(),
            cancel: call.cancel.clone(),
            ended: CancellationToken::new(),
            end: Mutex::default(),
            asked: Mutex::new(Instant::now()),
            stopped: Mutex::default(),
            told: AtomicBool::new(false),
        }
    }

    /// The name of the tool that was called.
    pub fn tool_name(&self) -> &str {
        self.tool.name.as_str()
    }

    /// The state that it is in.
    pub fn state(&self) -> JobState {
        match &*locked(&self.end) {
            Some(end) => end.state,
            None if self.live.is_waiting() => JobState::Waiting,
            None => JobState::Running,
        }
    }

    /// The end that it came to, if it has ended. From then on its principal knows of it.
    pub fn end(&self) -> Option<JobEnd> {
        let end = locked(&self.end).clone();
        if end.is_some() {
            self.told.store(true, Ordering::Relaxed);
        }
        end
    }

    /// The time that it ended at, without its principal's knowing of it.
    pub fn ended_at_clock(&self) -> Option<SystemTime> {
        locked(&self.end).as_ref().map(|end| end.at)
    }

    /// The longest that it may run.
    pub fn limit(&self) -> Duration {
        self.limits.timeout
    }

    /// The last line of its output, for whoever wants to know how far it is.
    pub fn line(&self) -> String {
        let news = self.progress.listen();
        let line = news.map(|news| news.borrow().line.clone());
        self.redactor.text(&line.unwrap_or_default()).into_owned()
    }

    /// Says that somebody wants to know of it.
    pub fn ask(&self) {
        *locked(&self.asked) = Instant::now();
    }

    /// Ends it, with everything that it has started. What has ended stays as it is.
    pub fn cancel(&self) {
        self.told.store(true, Ordering::Relaxed);
        let message = "the job was cancelled";
        self.stop_because(CallError::new(ErrorCode::Cancelled, message));
    }

    /// Waits until its result is there.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// The moment that it ended.
    pub(super) fn ended_at(&self) -> Option<Instant> {
        locked(&self.end).as_ref().map(|end| end.when)
    }

    /// Ends it, because the server does.
    pub(super) fn stop(&self) {
        self.cancel.cancel();
    }

    /// Ends it, and says why in its result.
    pub(super) fn stop_because(&self, error: CallError) {
        locked(&self.stopped).get_or_insert(error);
        self.cancel.cancel();
    }

    /// The time until nobody has asked about it for so long.
    pub(super) fn unasked_for(&self, time: Duration) -> Duration {
        time.saturating_sub(locked(&self.asked).elapsed())
    }

    /// Returns true if its principal did not know of its end until now.
    pub(super) fn tell(&self) -> bool {
        !self.told.swap(true, Ordering::Relaxed)
    }

    /// Itself and how it ended, in a few words.
    pub(super) fn in_words(&self) -> String {
        let end = locked(&self.end);
        let words = end.as_ref().map_or("runs", |end| end.words.as_str());
        format!("job {} ({}) {words}", self.id, self.tool_name())
    }

    /// Its output, as far as it has come.
    pub(super) async fn output(&self, most: usize) -> Arc<SoFar> {
        let ended = locked(&self.end)
            .as_ref()
            .map(|end| Arc::clone(&end.output));
        match ended {
            Some(output) => output,
            None => Arc::new(self.live.so_far(most).await),
        }
    }

    /// Keeps what came of it.
    pub(super) async fn finish(&self, mut came: Result<Outcome, CallError>) {
        let stopped = locked(&self.stopped).clone();
        if let (Ok(outcome), Some(why)) = (&mut came, stopped)
            && outcome.ended == Ended::Cancelled
        {
            outcome.complaint = Some(why);
        }
        let (state, words) = verdict(&came);
        let output = came.as_ref().map_or_else(|_| SoFar::default(), ends);
        let error = came.as_ref().err().cloned();
        let answer = self.form.answer(came, &self.limits, &self.redactor);
        let end = JobEnd {
            state,
            result: Arc::new(answer.await),
            error,
            at: SystemTime::now(),
            when: Instant::now(),
            words,
            output: Arc::new(output),
        };
        *locked(&self.end) = Some(end);
        self.ended.cancel();
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("id", &self.id)
            .field("tool", &self.tool.name)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

/// The state that a job is in which came to this, and the same in words.
fn verdict(came: &Result<Outcome, CallError>) -> (JobState, String) {
    let outcome = match came {
        Ok(outcome) => outcome,
        Err(error) if error.code == ErrorCode::Cancelled => {
            return (JobState::Cancelled, "was cancelled".into());
        }
        Err(error) => return (JobState::Failed, format!("failed ({})", error.code)),
    };
    let state = match (outcome.ended, failure(outcome)) {
        (Ended::Cancelled, _) => JobState::Cancelled,
        (_, None) => JobState::Done,
        (_, Some(_)) => JobState::Failed,
    };
    let words = match outcome.ended {
        Ended::Exited(code) => format!("has ended with exit code {code}"),
        Ended::Signalled(signal) => format!("was ended by signal {signal}"),
        Ended::TimedOut => format!("was ended after {:.0?}", outcome.duration),
        Ended::Cancelled => match &outcome.complaint {
            Some(why) => format!("was ended: {}", why.message),
            None => "was cancelled".into(),
        },
        Ended::NeedsInput => "needs a person's answer".into(),
        Ended::NotRun | Ended::Running => "has ended".into(),
    };
    (state, words)
}

/// As much of the output as is kept for readings of it.
fn ends(outcome: &Outcome) -> SoFar {
    SoFar {
        stdout: outcome.stdout.ends(KEPT_BYTES),
        stderr: outcome.stderr.ends(KEPT_BYTES),
    }
}

impl Captured {
    /// The same with at most so many bytes of each end.
    fn ends(&self, most: usize) -> Self {
        if self.head.len() + self.tail.len() <= 2 * most {
            return self.clone();
        }
        // What was kept whole has its end in the head.
        let last = if self.tail.is_empty() {
            &self.head
        } else {
            &self.tail
        };
        Self {
            head: self.head[..self.head.len().min(most)].to_vec(),
            tail: last[last.len().saturating_sub(most)..].to_vec(),
            total: self.total,
            spool: self.spool.clone(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
