//! The wish for a draft: how tools that run others take it.

use serde_json::{Map, Value, json};

use crate::{CallError, ErrorCode};

use super::{DraftRequest, DraftedBy};

/// The properties by which a tool that runs others takes the wish for a draft, by their keys.
pub fn draft_properties() -> [(&'static str, Value); 2] {
    let property = |kind: &str, about: &str| json!({"type": kind, "description": about});
    [
        (
            "draft",
            property("boolean", "Only propose its changes to files"),
        ),
        ("draft_id", property("string", "The draft to add them to")),
    ]
}

/// The draft that a call is to be run as: a new one, or one that is named. A list has a property for each, because one of
/// two types is more than some clients take; the id is understood in the place of `true` as well.
pub fn wanted_draft(input: &Map<String, Value>) -> Result<Option<DraftRequest>, CallError> {
    let wrong = |message: &str| Err(CallError::new(ErrorCode::InvalidArguments, message));
    let new = DraftRequest::new(DraftedBy::Caller);
    match input.get("draft_id") {
        None | Some(Value::Null) => {}
        Some(Value::String(id)) if id.is_empty() => {}
        Some(Value::String(id)) => return Ok(Some(new.within(id.clone()))),
        Some(_) => return wrong("`draft_id`: expected the id of a draft"),
    }
    match input.get("draft") {
        None | Some(Value::Null | Value::Bool(false)) => Ok(None),
        Some(Value::Bool(true)) => Ok(Some(new)),
        // Some models write a boolean as text.
        Some(Value::String(text)) if text == "true" => Ok(Some(new)),
        Some(Value::String(text)) if text == "false" || text.is_empty() => Ok(None),
        Some(Value::String(id)) => Ok(Some(new.within(id.clone()))),
        Some(_) => wrong("`draft`: expected true, or the id of a draft"),
    }
}
