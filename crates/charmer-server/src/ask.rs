//! Questions to the person behind a client: put as an elicitation in the legacy era, handed back as the answer to the call
//! in the modern one, where the client makes the call again with what was said.

use std::time::Duration;

use charmer_run::{Answer as Said, Answers, Question};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::protocol::{AskedClient, RequestContext, RpcAnswer};

/// The longest time that a person may take. A call that waits for an answer runs nothing, but it does not wait for
/// ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// The method by which a client shows a form.
const ELICIT: &str = "elicitation/create";
/// The maximum number of questions that one call may ask.
pub(crate) const MOST: usize = 10;

/// The way a client is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a request of its own, which the call waits for.
    Request,
    /// By the answer to the call.
    Answer,
    /// Not at all.
    None,
}

/// The way the client of this request is asked.
pub(crate) fn way(context: &RequestContext) -> Way {
    match (
        context.client_has(|client| client.shows_forms),
        context.modern,
    ) {
        (false, _) => Way::None,
        (true, true) => Way::Answer,
        (true, false) => Way::Request,
    }
}

/// The answers that a client of the modern era sends with its call.
pub(crate) fn answers(responses: impl Iterator<Item = (String, Value)>) -> Answers {
    responses.map(|(key, value)| (key, said(&value))).collect()
}

/// The answer to a call that says what must be asked first; none if the question's form cannot be shown.
pub(crate) fn required(question: &Question, state: Option<String>) -> Option<RpcAnswer> {
    let form = form(question)?;
    let request = json!({"method": ELICIT, "params": form});
    Some(input_required(&question.key, request, state))
}

/// The answer to a call that says which request is to be answered first.
pub(crate) fn input_required(key: &str, request: Value, state: Option<String>) -> RpcAnswer {
    let mut required = Map::new();
    required.insert("resultType".into(), "input_required".into());
    required.insert("inputRequests".into(), json!({ key: request }));
    if let Some(state) = state {
        required.insert("requestState".into(), state.into());
    }
    RpcAnswer::object(&required)
}

/// Asks, and waits for what is said: until the call is cancelled, the client has gone or `ended` says so, or patience
/// ends. A question that nobody waits for any more is taken back.
pub(crate) async fn elicit(
    context: &RequestContext,
    ended: &CancellationToken,
    question: &Question,
) -> Said {
    let Some(form) = form(question) else {
        return Said::Dismissed;
    };
    let patience = question.timeout.unwrap_or(PATIENCE);
    let mut asked = context.peer.ask(&context.id, ELICIT, Some(form));
    tokio::select! {
        answer = asked.answer() => match answer {
            Some(answer) => said(&answer),
            // The client cannot show it after all, or has gone.
            None => Said::Dismissed,
        },
        () = context.cancelled.cancelled() => taken_back(asked, "the call was cancelled"),
        () = ended.cancelled() => Said::Dismissed,
        () = tokio::time::sleep(patience) => taken_back(asked, "nobody answered in time"),
    }
}

fn taken_back(asked: AskedClient, why: &str) -> Said {
    asked.take_back(why);
    Said::Dismissed
}

fn said(answer: &Value) -> Said {
    match (answer["action"].as_str(), &answer["content"]) {
        (Some("accept"), Value::Null) => Said::Accepted(Map::new()),
        (Some("accept"), Value::Object(content)) => Said::Accepted(content.clone()),
        (Some("decline"), _) => Said::Declined,
        // Put away, no answer at all, or something that nobody knew of when this was written.
        _ => Said::Dismissed,
    }
}

/// The form of a question; none if a client could not show it.
fn form(question: &Question) -> Option<Value> {
    let properties = question.schema.get("properties");
    let is_shown =
        |property: &Value| property["type"].is_string() || property.get("enum").is_some();
    let shown = match properties {
        None => true,
        Some(Value::Object(properties)) => properties.values().all(is_shown),
        Some(_) => false,
    };
    let is_object = question.schema.get("type").and_then(Value::as_str) == Some("object");
    (shown && is_object).then(
        || json!({"mode": "form", "message": question.message, "requestedSchema": question.schema}),
    )
}
