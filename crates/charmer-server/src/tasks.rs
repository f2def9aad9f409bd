//! Jobs as clients of the modern era see them that know tasks (`io.modelcontextprotocol/tasks`): a call that becomes a job is
//! answered with a task of the same id, which belongs to its principal as the job does.

use std::{sync::Arc, time::SystemTime};

use charmer_run::{
    ErrorCode,
    jobs::{Job, JobState, Jobs},
};
use serde_json::{Map, Value, json};

use crate::{
    handler::called,
    protocol::{RpcAnswer, RpcError, TASKS, code},
};

/// The time between two looks of a client at a task.
const POLL_MS: u64 = 1000;

/// The state of a task.
const WORKING: &str = "working";

/// The error for a client that asks about tasks without saying that it knows them.
pub(crate) fn not_declared() -> RpcError {
    let required = json!({"extensions": { TASKS: {} }});
    RpcError::new(
        code::MISSING_CAPABILITY,
        "tasks are for clients that declare them",
    )
    .data(json!({ "requiredCapabilities": required }))
}

/// The task of a call that has just become a job.
pub(crate) fn created(jobs: &Jobs, job: &Job) -> RpcAnswer {
    let mut created = Map::new();
    created.insert("resultType".into(), "task".into());
    describe(&mut created, jobs, job, WORKING);
    RpcAnswer::object(&created)
}

/// The job of a task, if it is this principal's.
pub(crate) fn found(jobs: &Jobs, id: &str, principal: &str) -> Result<Arc<Job>, RpcError> {
    jobs.find(id, principal).ok_or_else(|| {
        let shown: String = id.chars().take(64).collect();
        let message = format!("there is no task `{}`", shown.escape_debug());
        RpcError::invalid_params(message)
    })
}

/// A task as it is now, with the result of its call if it has ended.
pub(crate) fn now(jobs: &Jobs, job: &Job) -> RpcAnswer {
    job.ask();
    let (status, payload) = match job.end() {
        None => (WORKING, None),
        Some(end) if end.state == JobState::Cancelled => ("cancelled", None),
        Some(end) => match &end.error {
            // The server's own failure. What a program or a rule says is a result, as everywhere.
            Some(error) if is_own_failure(error.code) => {
                let error = json!({"code": code::INTERNAL_ERROR, "message": error.message});
                ("failed", Some(("error", error)))
            }
            _ => {
                let result = Value::Object(called((*end.result).clone()));
                ("completed", Some(("result", result)))
            }
        },
    };
    let mut task = Map::new();
    describe(&mut task, jobs, job, status);
    if let Some((key, value)) = payload {
        task.insert(key.into(), value);
    }
    RpcAnswer::complete(true, task)
}

fn is_own_failure(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Internal | ErrorCode::NotStarted | ErrorCode::InvalidConfiguration
    )
}

fn describe(task: &mut Map<String, Value>, jobs: &Jobs, job: &Job, status: &str) {
    let at = |time: SystemTime| humantime::format_rfc3339_millis(time).to_string();
    let updated = match job.ended_at_clock() {
        Some(ended) => at(ended),
        None => at(SystemTime::now()),
    };
    // It is kept at least this long: its result stays for a while after the latest end that it can have.
    let kept = job.limit().saturating_add(jobs.rules().kept);
    let kept = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
    task.insert("taskId".into(), (*job.id).into());
    task.insert("status".into(), status.into());
    let line = job.line();
    if status == WORKING && !line.is_empty() {
        task.insert("statusMessage".into(), line.into());
    }
    task.insert("createdAt".into(), at(job.began_at).into());
    task.insert("lastUpdatedAt".into(), updated.into());
    task.insert("ttlMs".into(), kept.into());
    task.insert("pollIntervalMs".into(), POLL_MS.into());
}
