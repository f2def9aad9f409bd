//! From bytes to a message that rmcp can be given, or to the refusal that answers it.
//!
//! rmcp's own reading is untagged: a known method with bad parameters becomes a custom request, a
//! bad cursor is forgotten, a float id is rounded. So the envelope is checked here, and each known
//! method is read as the type it must have, which also makes for errors that say what is wrong.

use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion, RequestId};
use serde_json::{Map, Value};

use super::{
    json::{self, JsonError},
    refusal::LineRefusal,
    salvage::salvage_id,
    typed,
};

/// A message as it was read.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// To be delivered.
    Message(Box<ClientJsonRpcMessage>),
    /// To be answered.
    Refused(LineRefusal),
}

/// Reads one message. `None` is one that is neither delivered nor answered: a blank one, or a
/// notification or response that makes no sense.
pub(crate) fn read_message(bytes: &[u8]) -> Option<Incoming> {
    if bytes.trim_ascii().is_empty() {
        return None;
    }
    let value = match json::parse(bytes) {
        Ok(value) => value,
        Err(error) => {
            let id = salvage_id(bytes);
            let message = error.to_string();
            return Some(Incoming::Refused(match error {
                JsonError::DuplicateKey { .. } => LineRefusal::invalid_request(id, message),
                JsonError::Utf8 { .. } | JsonError::Syntax { .. } => {
                    LineRefusal::parse_error(id, message)
                }
            }));
        }
    };
    read_value(value).unwrap_or_else(|refusal| Some(Incoming::Refused(refusal)))
}

fn read_value(value: Value) -> Result<Option<Incoming>, LineRefusal> {
    let mut object = match value {
        Value::Object(object) => object,
        Value::Array(_) => {
            let message = "batches are not supported; send one message at a time";
            return Err(LineRefusal::invalid_request(None, message));
        }
        other => {
            let message = format!("a message must be an object, not {}", kind(&other));
            return Err(LineRefusal::invalid_request(None, message));
        }
    };
    if !object.contains_key("method")
        && (object.contains_key("result") || object.contains_key("error"))
    {
        // A response is never answered, or two confused peers would answer each other for ever.
        return Ok(response(object));
    }

    // Invalid ids are reported after the other faults of the envelope, which they would hide.
    let (id, bad_id) = match object.get("id") {
        None => (None, None),
        Some(value) => match request_id(value) {
            Some(id) => (Some(id), None),
            None => (None, Some(kind(value))),
        },
    };
    let invalid = |message: String| Err(LineRefusal::invalid_request(id.clone(), message));
    match object.get("jsonrpc") {
        Some(Value::String(version)) if version == "2.0" => {}
        Some(_) => return invalid("`jsonrpc` must be \"2.0\"".into()),
        None => return invalid("`jsonrpc` is missing; it must be \"2.0\"".into()),
    }
    let method = match object.get("method") {
        Some(Value::String(method)) => method.clone(),
        Some(other) => return invalid(format!("`method` must be a string, not {}", kind(other))),
        None => return invalid("a message needs a `method`, a `result` or an `error`".into()),
    };
    if let Some(kind) = bad_id {
        return invalid(format!(
            "`id` must be a string or a signed 64-bit integer, not {kind}"
        ));
    }
    if object.contains_key("result") || object.contains_key("error") {
        return invalid("a message with a `method` has neither `result` nor `error`".into());
    }
    if object.get("params").is_some_and(Value::is_null) {
        object.shift_remove("params");
    }
    match id {
        Some(id) => request(&method, object, id).map(Some),
        None => Ok(notification(&method, object)),
    }
}

/// Methods that the era since 2026-07-28 does not have any more.
pub(crate) const REMOVED_METHODS: [&str; 5] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// Reads a request whose envelope is sound.
fn request(
    method: &str,
    object: Map<String, Value>,
    id: RequestId,
) -> Result<Incoming, LineRefusal> {
    // Where a method does not exist, nothing can be wrong with its parameters.
    let is_removed = REMOVED_METHODS.contains(&method) && is_modern(&object);
    let unread = is_removed.then(|| object.clone());
    let read = match (typed::request(method, object), unread) {
        (Err(_), Some(object)) => Ok(typed::custom_request(method, object)),
        (read, _) => read,
    };
    match read {
        Ok(request) => Ok(deliver(ClientJsonRpcMessage::request(request, id))),
        Err(problem) => {
            let message = format!("invalid params for `{method}`: {problem}");
            Err(LineRefusal::invalid_params(Some(id), message))
        }
    }
}

/// Returns true if a request says of itself that it is of the era since 2026-07-28.
fn is_modern(object: &Map<String, Value>) -> bool {
    let meta = object.get("params").and_then(|params| params.get("_meta"));
    let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    let version = version.and_then(Value::as_str);
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Refuses parameters that rmcp's types would let pass. `null` means absent throughout, as some clients write it.
pub(super) fn check_params(method: &str, object: &Map<String, Value>) -> Result<(), String> {
    let params = match object.get("params") {
        None => return Ok(()),
        Some(Value::Object(params)) => params,
        Some(other) => return Err(format!("`params` must be an object, not {}", kind(other))),
    };
    if method.ends_with("/list")
        && let Some(cursor) = present(params, "cursor")
        && !cursor.is_string()
    {
        return Err(format!("`cursor` must be a string, not {}", kind(cursor)));
    }
    let meta = match present(params, "_meta") {
        None => return Ok(()),
        Some(Value::Object(meta)) => meta,
        Some(other) => return Err(format!("`_meta` must be an object, not {}", kind(other))),
    };
    match present(meta, "progressToken") {
        Some(token) if request_id(token).is_none() => {
            let kind = kind(token);
            Err(format!(
                "`_meta.progressToken` must be a string or a signed 64-bit integer, not {kind}"
            ))
        }
        _ => Ok(()),
    }
}

/// Reads a notification. One that makes no sense is dropped: it has no id to answer under.
fn notification(method: &str, object: Map<String, Value>) -> Option<Incoming> {
    match typed::notification(method, object) {
        Ok(notification) => Some(deliver(ClientJsonRpcMessage::notification(notification))),
        Err(problem) => {
            tracing::debug!(
                method,
                problem,
                "dropped a notification with invalid params"
            );
            None
        }
    }
}

fn response(object: Map<String, Value>) -> Option<Incoming> {
    let message = typed::response(object);
    if message.is_none() {
        tracing::debug!("dropped an invalid response");
    }
    message.map(deliver)
}

fn deliver(message: ClientJsonRpcMessage) -> Incoming {
    Incoming::Message(Box::new(message))
}

/// The values that can be ids. Floats cannot, even whole ones: 1.0 and 1 would be one id to the
/// server and two to the client.
pub(super) fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        _ => None,
    }
}

fn present<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

/// A value's type, for error messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a float",
        Value::Number(number) if number.as_i64().is_none() => "an integer beyond that",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ClientRequest;

    use super::*;

    #[test]
    fn what_an_era_does_not_have_any_more_is_unknown_in_it_whatever_its_parameters() {
        for method in REMOVED_METHODS.iter().filter(|method| **method != "ping") {
            let line = |version: &str| {
                format!(
                    r#"{{"jsonrpc": "2.0", "id": 1, "method": "{method}",
                        "params": {{"_meta": {{"io.modelcontextprotocol/protocolVersion": "{version}"}}}}}}"#
                )
            };
            let modern = read_message(line("2026-07-28").as_bytes());
            let Some(Incoming::Message(message)) = modern else {
                panic!("{method}: {modern:?}")
            };
            let ClientJsonRpcMessage::Request(request) = *message else {
                panic!("{method}: {message:?}")
            };
            assert!(
                matches!(&request.request, ClientRequest::CustomRequest(custom) if custom.method == *method)
            );
            let legacy = read_message(line("2025-11-25").as_bytes());
            assert!(matches!(legacy, Some(Incoming::Refused(_))), "{method}");
        }
    }
}
