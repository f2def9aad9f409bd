//! Questions to the person behind a client: put as an elicitation in the legacy era, handed back as the answer to the call
//! in the modern one, where the client makes the call again with what was said.

use std::{collections::BTreeMap, time::Duration};

use charmer_run::{Answer, Answers, Question};
use rmcp::{
    RoleServer,
    model::{
        ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        InputRequest, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest,
    },
    service::{PeerRequestOptions, RequestContext, RequestHandle},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// The longest time that a person may take. A call that waits for an answer runs nothing, but it does not wait for
/// ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10 * 60);
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

/// Returns true if a client shows forms to the person who uses it.
pub(crate) fn can_show_forms(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|all| all.elicitation);
    // One that says nothing of its modes has the first that there was.
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// The way the client of this request is asked.
pub(crate) fn way(context: &RequestContext<RoleServer>) -> Way {
    if !can_show_forms(context) {
        return Way::None;
    }
    let modern = context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    match modern {
        true => Way::Answer,
        false => Way::Request,
    }
}

/// The answers that a client of the modern era sends with its call.
pub(crate) fn answers(responses: InputResponses) -> Answers {
    let read = |value| match serde_json::from_value::<ElicitResult>(value) {
        Ok(result) => said(result),
        // What is no answer answers nothing.
        Err(_) => Answer::Dismissed,
    };
    let responses = responses.into_iter();
    responses.map(|(key, value)| (key, read(value))).collect()
}

/// The answer to a call that says what must be asked first; none if the question's form cannot be shown.
pub(crate) fn required(question: &Question, state: Option<String>) -> Option<InputRequiredResult> {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let requests = BTreeMap::from([(question.key.clone(), request)]);
    Some(InputRequiredResult::new(Some(requests), state))
}

/// Asks, and waits for what is said: until the call is cancelled, the client has gone or `ended` says so, or patience
/// ends. A question that nobody waits for any more is taken back.
pub(crate) async fn elicit(
    context: &RequestContext<RoleServer>,
    ended: &CancellationToken,
    question: &Question,
) -> Answer {
    let Some(form) = form(question) else {
        return Answer::Dismissed;
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let options = PeerRequestOptions::no_options();
    let patience = question.timeout.unwrap_or(PATIENCE);
    let sent = context.peer.send_request_with_option(request, options);
    let Ok(mut asked) = sent.await else {
        return Answer::Dismissed;
    };
    let said = tokio::select! {
        answer = &mut asked.rx => match answer {
            Ok(Ok(ClientResult::ElicitResult(result))) => said(result),
            // The client cannot show it after all, or has gone.
            _ => Answer::Dismissed,
        },
        () = context.ct.cancelled() => taken_back(asked, "the call was cancelled").await,
        () = ended.cancelled() => Answer::Dismissed,
        () = tokio::time::sleep(patience) => taken_back(asked, "nobody answered in time").await,
    };
    said
}

async fn taken_back(asked: RequestHandle<RoleServer>, why: &str) -> Answer {
    // A client that cannot be told has gone.
    let _ = asked.cancel(Some(why.to_owned())).await;
    Answer::Dismissed
}

fn said(result: ElicitResult) -> Answer {
    match result.action {
        ElicitationAction::Accept => match result.content {
            None => Answer::Accepted(Map::new()),
            Some(Value::Object(content)) => Answer::Accepted(content),
            // No form looks like that.
            Some(_) => Answer::Dismissed,
        },
        ElicitationAction::Decline => Answer::Declined,
        // Put away, or something that nobody knew of when this was written.
        _ => Answer::Dismissed,
    }
}

fn form(question: &Question) -> Option<ElicitRequestParams> {
    let schema = Value::Object(question.schema.clone());
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: serde_json::from_value(schema).ok()?,
    })
}
