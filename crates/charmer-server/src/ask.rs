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
    service::{PeerRequestOptions, RequestContext},
};

/// How long a person may take. A call that waits for an answer runs nothing, but it does not wait for ever.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// How many questions one call may ask.
pub(crate) const MOST: usize = 10;

/// How a client is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a request of its own, which the call waits for.
    Request,
    /// By the answer to the call.
    Answer,
    /// Not at all.
    None,
}

/// Whether a client shows forms to the person who uses it.
pub(crate) fn can_show_forms(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|all| all.elicitation);
    // One that says nothing of its modes has the first that there was.
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// How the client of this request is asked.
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
pub(crate) fn answers(responses: Option<InputResponses>) -> Answers {
    let read = |value| match serde_json::from_value::<ElicitResult>(value) {
        Ok(result) => said(result),
        // What is no answer answers nothing.
        Err(_) => Answer::Dismissed,
    };
    let responses = responses.into_iter().flatten();
    responses.map(|(key, value)| (key, read(value))).collect()
}

/// The answer to a call that says what must be asked first; none if the question's form cannot be shown.
pub(crate) fn required(question: &Question) -> Option<InputRequiredResult> {
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let requests = BTreeMap::from([(question.key.clone(), request)]);
    Some(InputRequiredResult::from_input_requests(requests))
}

/// Asks, and waits for what is said.
pub(crate) async fn elicit(context: &RequestContext<RoleServer>, question: &Question) -> Answer {
    let Some(form) = form(question) else {
        return Answer::Dismissed;
    };
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    let mut options = PeerRequestOptions::no_options();
    options.timeout = Some(PATIENCE);
    let asked = async {
        let sent = context.peer.send_request_with_option(request, options);
        sent.await?.await_response().await
    };
    match context.ct.run_until_cancelled(asked).await {
        Some(Ok(ClientResult::ElicitResult(result))) => said(result),
        // It was put away, nobody answered in time, or the client cannot show it after all.
        _ => Answer::Dismissed,
    }
}

fn said(result: ElicitResult) -> Answer {
    match result.action {
        ElicitationAction::Accept => {
            let content = result.content.and_then(|content| match content {
                serde_json::Value::Object(content) => Some(content),
                _ => None,
            });
            Answer::Accepted(content.unwrap_or_default())
        }
        ElicitationAction::Decline => Answer::Declined,
        // Put away, or something that nobody knew of when this was written.
        _ => Answer::Dismissed,
    }
}

fn form(question: &Question) -> Option<ElicitRequestParams> {
    let schema = serde_json::Value::Object(question.schema.clone());
    Some(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: serde_json::from_value(schema).ok()?,
    })
}
