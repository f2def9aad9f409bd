//! Jobs: calls that go on after their caller was answered. A call that runs longer than a moment becomes one, or starts as
//! one; the rest of its path goes on as it is, with its confinement, redaction, audit log, spool and guardian. A job belongs
//! to a principal, and nobody else sees that it is there.

mod answer;
mod job;
mod step;
mod tool;

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::task::TaskTracker;

use crate::{CallError, ErrorCode, Limits, ServedTool, Spool};

pub use job::{Job, JobEnd, JobState};
pub(crate) use step::Detach;
pub use tool::NAME;

/// The time after which a call becomes a job, unless something else is said: below every client's own limit.
const BACKGROUND_AFTER: Duration = Duration::from_secs(45);
/// The longest that a job of a command may run that is known to take long, unless something else is said.
pub const LONG_RUNNING: Duration = Duration::from_secs(2 * 60 * 60);
/// The maximum number of ended jobs that are kept for a principal, the newest of them.
const MOST_ENDED: usize = 32;

/// The rules that jobs live by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobRules {
    /// The time after which a call becomes a job.
    pub background_after: Duration,
    /// The maximum number of jobs of a principal that run at once.
    pub running: usize,
    /// The time after which a job that only reads is ended, if nobody has asked about it.
    pub unasked: Duration,
    /// The time that the result of a job can be read.
    pub kept: Duration,
    /// The longest that one wait for a job takes.
    pub wait: Duration,
}

impl Default for JobRules {
    fn default() -> Self {
        Self {
            background_after: BACKGROUND_AFTER,
            running: 16,
            unasked: Duration::from_secs(5 * 60),
            kept: Duration::from_secs(60 * 60),
            // Clients give up after 60 seconds.
            wait: Duration::from_secs(50),
        }
    }
}

impl JobRules {
    /// Sets the time after which a call becomes a job.
    #[must_use]
    pub fn background_after(mut self, time: Duration) -> Self {
        self.background_after = time;
        self
    }

    /// Sets the time after which a job that only reads is ended, if nobody has asked about it.
    #[must_use]
    pub fn unasked(mut self, time: Duration) -> Self {
        self.unasked = time;
        self
    }

    /// Sets how long the result of a job can be read.
    #[must_use]
    pub fn kept(mut self, time: Duration) -> Self {
        self.kept = time;
        self
    }

    /// Sets the longest that one wait for a job takes.
    #[must_use]
    pub fn wait(mut self, time: Duration) -> Self {
        self.wait = time;
        self
    }

    /// Returns true if a call with these limits can become a job: others have ended before.
    pub fn apply_to(&self, limits: &Limits) -> bool {
        limits.timeout > self.background_after
    }
}

/// The jobs of a server. Clones share them.
///
/// ```
/// use charmer_run::jobs::{JobRules, Jobs};
/// let jobs = Jobs::new(JobRules::default(), None);
/// assert!(jobs.of("ann").is_empty());
/// ```
#[derive(Clone)]
pub struct Jobs(Arc<JobStore>);

struct JobStore {
    rules: JobRules,
    /// The spool that keeps long output.
    spool: Option<Spool>,
    table: Mutex<JobTable>,
    /// The jobs that go on.
    running: TaskTracker,
}

#[derive(Default)]
struct JobTable {
    jobs: HashMap<Arc<str>, Arc<Job>>,
    /// The number of places that are taken, by principal.
    places: HashMap<Arc<str>, usize>,
    /// The server ends: whatever becomes a job now ends at once.
    ended: bool,
}

impl Jobs {
    /// No jobs, by these rules; long output is kept in this spool.
    pub fn new(rules: JobRules, spool: Option<Spool>) -> Self {
        Self(Arc::new(JobStore {
            rules,
            spool,
            table: Mutex::default(),
            running: TaskTracker::new(),
        }))
    }

    /// The rules that they live by.
    pub fn rules(&self) -> &JobRules {
        &self.0.rules
    }

    /// The jobs of a principal, the newest first.
    pub fn of(&self, principal: &str) -> Vec<Arc<Job>> {
        let table = self.table();
        let own = table.jobs.values();
        let own = own.filter(|job| &*job.principal == principal);
        let mut own: Vec<Arc<Job>> = own.cloned().collect();
        own.sort_by_key(|job| std::cmp::Reverse(job.began));
        own
    }

    /// The job of an id, if it is this principal's.
    pub fn find(&self, id: &str, principal: &str) -> Option<Arc<Job>> {
        let table = self.table();
        let job = table.jobs.get(id);
        job.filter(|job| &*job.principal == principal).cloned()
    }

    /// Ends every job, and whatever becomes one from now on; waits until all of them have.
    pub async fn end(&self) {
        let running: Vec<Arc<Job>> = {
            let mut table = self.table();
            table.ended = true;
            table.jobs.values().cloned().collect()
        };
        running.iter().for_each(|job| job.stop());
        self.0.running.close();
        self.0.running.wait().await;
    }

    /// The tool by which jobs are waited for, read, listed and cancelled.
    pub fn tool(&self, shared: &crate::SharedSteps) -> ServedTool {
        tool::tool(self, shared)
    }

    /// A place for one more job of a principal, if there is one.
    fn place(&self, principal: &Arc<str>) -> Result<JobPlace, CallError> {
        let mut table = self.table();
        let taken = table.places.entry(Arc::clone(principal)).or_default();
        let most = self.0.rules.running;
        if *taken >= most {
            let message = format!("{most} jobs are running already");
            let hint = format!("wait for one with `{NAME}`, or cancel one");
            return Err(CallError::new(ErrorCode::Busy, message).hint(hint));
        }
        *taken += 1;
        drop(table);
        Ok(JobPlace {
            jobs: self.clone(),
            principal: Arc::clone(principal),
        })
    }

    /// Adds a job; whoever adds it after the end of the server is told to stop it.
    fn add(&self, job: &Arc<Job>) {
        let mut table = self.table();
        table.jobs.insert(Arc::clone(&job.id), Arc::clone(job));
        if table.ended {
            job.stop();
        }
    }

    /// The jobs, without those whose time is over.
    fn table(&self) -> MutexGuard<'_, JobTable> {
        let table = self.0.table.lock();
        let mut table = table.unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let kept = self.0.rules.kept;
        let over = |at: Instant| now.saturating_duration_since(at) >= kept;
        table
            .jobs
            .retain(|_, job| !job.ended_at().is_some_and(over));
        table
    }

    /// Forgets the oldest of a principal's jobs that have ended, where there are too many.
    fn forget_old(&self, principal: &str) {
        let mut ended: Vec<(Instant, Arc<str>)> = self
            .of(principal)
            .iter()
            .filter_map(|job| Some((job.ended_at()?, Arc::clone(&job.id))))
            .collect();
        ended.sort();
        let excess = ended.len().saturating_sub(MOST_ENDED);
        let mut table = self.table();
        for (_, id) in ended.into_iter().take(excess) {
            table.jobs.remove(&id);
        }
    }

    /// Says in one line which jobs of a principal have ended without its knowing; each is mentioned once.
    fn mention(&self, principal: &str) -> Option<String> {
        let untold = |job: &&Arc<Job>| job.ended_at().is_some() && job.tell();
        let ended: Vec<Arc<Job>> = self.of(principal).iter().filter(untold).cloned().collect();
        let told: Vec<String> = ended.iter().rev().map(|job| job.in_words()).collect();
        let (last, whose) = match ended.len() {
            0 => return None,
            1 => ("its", "the"),
            _ => ("an", "each"),
        };
        let told = told.join(", ");
        Some(format!(
            "{told}; `{NAME}` with action wait and {last} id gives {whose} result"
        ))
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Jobs").field(&self.0.rules).finish()
    }
}

/// The right to run one more job; dropping it lets the next one in.
struct JobPlace {
    jobs: Jobs,
    principal: Arc<str>,
}

impl Drop for JobPlace {
    fn drop(&mut self) {
        let mut table = self.jobs.table();
        if let Some(taken) = table.places.get_mut(&self.principal) {
            *taken -= 1;
            if *taken == 0 {
                table.places.remove(&self.principal);
            }
        }
    }
}

/// An id of letters and digits that nobody can guess, and short enough to be written again and again.
fn new_id() -> io::Result<Arc<str>> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes)?;
    let letters = bytes.iter().map(|byte| LETTERS[usize::from(byte % 32)]);
    Ok(letters.map(char::from).collect::<String>().into())
}
