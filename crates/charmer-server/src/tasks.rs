//! Jobs as clients of the modern era see them that know tasks (`io.modelcontextprotocol/tasks`): a call that becomes a job is
//! answered with a task of the same id, which belongs to its principal as the job does.

use std::{sync::Arc, time::SystemTime};

use charmer_run::{
    ErrorCode,
    jobs::{Job, JobState, Jobs},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CreateTaskResult, DetailedTask, GetTaskResult, JsonObject, ProtocolVersion, Task,
        TaskPayload, TaskStatus,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::handler::answer;

/// The time between two looks of a client at a task.
const POLL_MS: u64 = 1000;

/// Returns true if the client of this request gets tasks.
pub(crate) fn are_known(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let declared = capabilities.is_some_and(|all| all.supports_tasks());
    let version = context.protocol_version();
    declared && version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The task of a call that has just become a job.
pub(crate) fn created(jobs: &Jobs, job: &Job) -> CreateTaskResult {
    CreateTaskResult::new(task(jobs, job, TaskStatus::Working))
}

/// The job of a task, if it is this principal's.
pub(crate) fn found(jobs: Option<&Jobs>, id: &str, principal: &str) -> Result<Arc<Job>, ErrorData> {
    let job = jobs.and_then(|jobs| jobs.find(id, principal));
    job.ok_or_else(|| {
        let shown: String = id.chars().take(64).collect();
        let message = format!("there is no task `{}`", shown.escape_debug());
        ErrorData::invalid_params(message, None)
    })
}

/// A task as it is now, with the result of its call if it has ended.
pub(crate) fn now(jobs: &Jobs, job: &Job) -> GetTaskResult {
    job.ask();
    let payload = match job.end() {
        None => TaskPayload::Working,
        Some(end) if end.state == JobState::Cancelled => TaskPayload::Cancelled,
        Some(end) => match &end.error {
            // The server's own failure. What a program or a rule says is a result, as everywhere.
            Some(error) if is_own_failure(error.code) => TaskPayload::Failed {
                error: object(json!({
                    "code": rmcp::model::ErrorCode::INTERNAL_ERROR.0,
                    "message": error.message,
                })),
            },
            _ => match serde_json::to_value(answer((*end.result).clone())) {
                Ok(result) => TaskPayload::Completed {
                    result: object(result),
                },
                Err(_) => TaskPayload::Working,
            },
        },
    };
    GetTaskResult::new(DetailedTask::new(
        task(jobs, job, payload.status()),
        payload,
    ))
}

fn is_own_failure(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::Internal | ErrorCode::NotStarted | ErrorCode::InvalidConfiguration
    )
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn task(jobs: &Jobs, job: &Job, status: TaskStatus) -> Task {
    let at = |time: SystemTime| humantime::format_rfc3339_millis(time).to_string();
    let updated = match job.ended_at_clock() {
        Some(ended) => at(ended),
        None => at(SystemTime::now()),
    };
    // It is kept at least this long: its result stays for a while after the latest end that it can have.
    let kept = job.limit().saturating_add(jobs.rules().kept);
    let task = Task::new(&*job.id, status, at(job.began_at), updated)
        .with_ttl_ms(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX))
        .with_poll_interval_ms(POLL_MS);
    let line = job.line();
    match status == TaskStatus::Working && !line.is_empty() {
        true => task.with_status_message(line),
        false => task,
    }
}
