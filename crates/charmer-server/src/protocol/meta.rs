//! The `_meta` of a request: its word about itself, and its client's.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::RequestId;

/// The name of the extension by which clients have tasks.
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A client as it describes itself: in its handshake, or with each request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ClientDetails {
    /// Its name and version, if it says them.
    pub(crate) name: Option<(String, String)>,
    /// It shows forms to the person who uses it.
    pub(crate) shows_forms: bool,
    /// It says which folders it works in.
    pub(crate) has_roots: bool,
    /// It knows tasks.
    pub(crate) has_tasks: bool,
}

impl ClientDetails {
    pub(crate) fn new(name: Option<(String, String)>, capabilities: &Map<String, Value>) -> Self {
        let elicitation = capabilities.get("elicitation").and_then(Value::as_object);
        let extensions = capabilities.get("extensions");
        Self {
            name,
            // One that says nothing of its modes has the first that there was.
            shows_forms: elicitation
                .is_some_and(|modes| present(modes, "form") || !present(modes, "url")),
            has_roots: present(capabilities, "roots"),
            has_tasks: extensions.is_some_and(|all| all.get(TASKS).is_some()),
        }
    }

    /// The name and version of an implementation.
    pub(crate) fn named(implementation: &Value) -> Option<(String, String)> {
        let text = |key| implementation.get(key)?.as_str().map(str::to_owned);
        text("name").zip(text("version"))
    }
}

fn present(object: &Map<String, Value>, key: &str) -> bool {
    object.get(key).is_some_and(|value| !value.is_null())
}

/// The `_meta` of a request, as far as it matters here.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestMeta {
    /// The token under which its client wants to hear of its progress.
    pub(crate) progress: Option<RequestId>,
    /// The revision that it is of, whether it is spoken here or not.
    pub(crate) version: Option<String>,
    client: Option<Arc<ClientDetails>>,
}

impl RequestMeta {
    pub(crate) fn of(meta: &Map<String, Value>) -> Self {
        let name = meta.get(CLIENT).and_then(ClientDetails::named);
        let capabilities = meta.get(CAPABILITIES).and_then(Value::as_object);
        let client = capabilities.map(|all| Arc::new(ClientDetails::new(name, all)));
        Self {
            progress: meta.get("progressToken").and_then(RequestId::of),
            version: meta.get(VERSION).and_then(Value::as_str).map(str::to_owned),
            client,
        }
    }

    /// The client as the request describes it, if it does.
    pub(crate) fn client(&self) -> Option<&Arc<ClientDetails>> {
        self.client.as_ref()
    }

    /// The fields that a request of the modern era must have and this one has not, if there are any.
    pub(crate) fn missing(&self) -> Option<String> {
        let fields = [
            (VERSION, self.version.is_none()),
            (CAPABILITIES, self.client.is_none()),
        ];
        let missing = fields.into_iter().filter(|(_, missing)| *missing);
        let missing: Vec<&str> = missing.map(|(field, _)| field).collect();
        (!missing.is_empty()).then(|| {
            let missing = missing.join(", ");
            format!("request _meta is missing or has malformed required fields: {missing}")
        })
    }
}
