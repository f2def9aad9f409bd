//! From bytes to a message that can be answered, or to the refusal that answers it.

use charmer_core::json::{self, JsonError};
use serde_json::{Map, Value};

use super::{
    refusal::LineRefusal,
    salvage::salvage_id,
    typed::{self, UnderstoodRequest},
};
use crate::protocol::{ClientMessage, ClientRequest, RequestId, RpcError};

/// A message as it was read.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// To be delivered.
    Message(ClientMessage),
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
    let object = match value {
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
        Some(value) => match RequestId::of(value) {
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
    match id {
        Some(id) => request(method, object, id).map(Some),
        None => Ok(notification(&method, object)),
    }
}

/// Reads a request whose envelope is sound.
fn request(
    method: String,
    mut object: Map<String, Value>,
    id: RequestId,
) -> Result<Incoming, LineRefusal> {
    match typed::request(&method, object.shift_remove("params")) {
        Ok(UnderstoodRequest { asked, meta }) => Ok(Incoming::Message(ClientMessage::Request(
            Box::new(ClientRequest {
                id,
                method,
                asked,
                meta,
                in_flight: None,
            }),
        ))),
        Err(problem) => {
            let message = format!("invalid params for `{method}`: {problem}");
            Err(LineRefusal::invalid_params(Some(id), message))
        }
    }
}

/// Reads a notification. One that makes no sense is dropped: it has no id to answer under.
fn notification(method: &str, mut object: Map<String, Value>) -> Option<Incoming> {
    match typed::notification(method, object.shift_remove("params")) {
        Ok(notification) => Some(Incoming::Message(ClientMessage::Notification(notification))),
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

/// The answer to a request of ours; `None` if it is none.
fn response(mut object: Map<String, Value>) -> Option<Incoming> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        tracing::debug!("dropped an invalid response");
        return None;
    }
    let id = RequestId::of(object.get("id")?)?;
    let result = match (object.shift_remove("result"), object.shift_remove("error")) {
        (Some(result), None) => Ok(result),
        (None, Some(error)) => Err(error_of(&error)?),
        _ => return None,
    };
    Some(Incoming::Message(ClientMessage::Response { id, result }))
}

fn error_of(error: &Value) -> Option<RpcError> {
    let code = error.get("code")?.as_i64()?.try_into().ok()?;
    Some(RpcError::new(code, error.get("message")?.as_str()?))
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
    use super::*;
    use crate::protocol::RequestMethod;

    #[test]
    fn what_an_era_does_not_have_any_more_is_unknown_in_it_whatever_its_parameters() {
        for method in ["initialize", "logging/setLevel", "resources/subscribe"] {
            let line = |version: &str| {
                format!(
                    r#"{{"jsonrpc": "2.0", "id": 1, "method": "{method}",
                        "params": {{"_meta": {{"io.modelcontextprotocol/protocolVersion": "{version}"}}}}}}"#
                )
            };
            let modern = read_message(line("2026-07-28").as_bytes());
            let Some(Incoming::Message(ClientMessage::Request(request))) = modern else {
                panic!("{method}: {modern:?}")
            };
            assert!(matches!(request.asked, RequestMethod::Unknown));
            assert_eq!(request.method, method);
        }
        let legacy = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#;
        let legacy = read_message(legacy.as_bytes());
        assert!(matches!(legacy, Some(Incoming::Refused(_))));
    }
}
