//! The parameters of a method as what they mean, and what is wrong with them.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::envelope::kind;
use crate::protocol::{
    CallParams, ChangeFilter, ClientDetails, CompleteParams, Completed, Notification, RequestId,
    RequestMeta, RequestMethod, TaskAction,
};

/// Methods of the legacy era that the modern one does not have any more.
const REMOVED: [&str; 2] = ["initialize", "ping"];

/// A request as it was understood.
pub(super) struct UnderstoodRequest {
    pub(super) asked: RequestMethod,
    pub(super) meta: RequestMeta,
}

/// Reads the parameters of each method that there is as exactly that. Any other is delivered as it is: there nothing can be
/// wrong with them.
pub(super) fn request(method: &str, params: Option<Value>) -> Result<UnderstoodRequest, String> {
    let is_known = method_of(method).is_some();
    let (meta, read) = match Params::of(params) {
        Ok(mut params) => {
            let meta = params.meta.take();
            (meta, Ok(params))
        }
        Err(problem) => (None, Err(problem)),
    };
    let checked = meta.as_ref().map_or(Ok(()), check_meta);
    let meta = meta.as_ref().map(RequestMeta::of).unwrap_or_default();
    let asked = match method_of(method) {
        None => Ok(RequestMethod::Unknown),
        Some(method) => read.and_then(|params| checked.and_then(|()| method(params))),
    };
    match asked {
        // In an era that does not have a method, nothing can be wrong with its parameters either.
        Err(_) if is_known && REMOVED.contains(&method) && is_modern(&meta) => {
            Ok(UnderstoodRequest {
                asked: RequestMethod::Unknown,
                meta,
            })
        }
        asked => asked.map(|asked| UnderstoodRequest { asked, meta }),
    }
}

fn is_modern(meta: &RequestMeta) -> bool {
    let version = meta.version.as_deref();
    version.is_some_and(crate::protocol::Version::names_modern)
}

type Read = fn(Params) -> Result<RequestMethod, String>;

/// The reader of a method's parameters.
fn method_of(method: &str) -> Option<Read> {
    Some(match method {
        "tools/call" => call_tool,
        "tools/list" => |params| {
            params
                .cursor()
                .map(|cursor| RequestMethod::ListTools { cursor })
        },
        "ping" => |_| Ok(RequestMethod::Ping),
        "initialize" => initialize,
        "server/discover" => |params| params.required().map(|_| RequestMethod::Discover),
        "completion/complete" => complete,
        "prompts/get" => get_prompt,
        "prompts/list" => |params| {
            params
                .cursor()
                .map(|cursor| RequestMethod::ListPrompts { cursor })
        },
        "resources/list" => |params| {
            params
                .cursor()
                .map(|cursor| RequestMethod::ListResources { cursor })
        },
        "resources/templates/list" => |params| {
            params
                .cursor()
                .map(|cursor| RequestMethod::ListTemplates { cursor })
        },
        "resources/read" => |params| {
            let uri = params.required()?.text("uri")?;
            Ok(RequestMethod::ReadResource { uri })
        },
        "subscriptions/listen" => listen,
        "tasks/get" => |params| task(params, TaskAction::Get),
        "tasks/update" => |params| task(params, TaskAction::Update),
        "tasks/cancel" => |params| task(params, TaskAction::Cancel),
        _ => return None,
    })
}

/// Reads a notification.
pub(super) fn notification(method: &str, params: Option<Value>) -> Result<Notification, String> {
    let params = Params::of(params)?;
    Ok(match method {
        "notifications/cancelled" => {
            let id = params.fields.as_ref().and_then(|all| all.get("requestId"));
            match id {
                None | Some(Value::Null) => Notification::Other,
                Some(id) => match RequestId::of(id) {
                    Some(id) => Notification::Cancelled(id),
                    None => return Err(format!("`requestId` cannot be {}", kind(id))),
                },
            }
        }
        "notifications/initialized" => Notification::Initialized,
        "notifications/roots/list_changed" => Notification::RootsChanged,
        _ => Notification::Other,
    })
}

/// The `params` of a message, with what is said about the message apart from what it says.
struct Params {
    meta: Option<Map<String, Value>>,
    /// All but `_meta`, if there are any params.
    fields: Option<Map<String, Value>>,
}

/// `null` means absent throughout, as some clients write it.
impl Params {
    fn of(params: Option<Value>) -> Result<Self, String> {
        let mut fields = match params {
            None | Some(Value::Null) => None,
            Some(Value::Object(fields)) => Some(fields),
            Some(other) => return Err(format!("`params` must be an object, not {}", kind(&other))),
        };
        let meta = fields
            .as_mut()
            .and_then(|fields| fields.shift_remove("_meta"));
        let meta = match meta {
            None | Some(Value::Null) => None,
            Some(Value::Object(meta)) => Some(meta),
            Some(other) => return Err(format!("`_meta` must be an object, not {}", kind(&other))),
        };
        Ok(Self { meta, fields })
    }

    /// The fields of a request that must have some.
    fn required(self) -> Result<ParamFields, String> {
        let missing = || "missing field `params`".to_owned();
        self.fields.map(ParamFields).ok_or_else(missing)
    }

    fn cursor(self) -> Result<Option<String>, String> {
        let mut fields = ParamFields(self.fields.unwrap_or_default());
        fields.optional_text("cursor")
    }
}

fn check_meta(meta: &Map<String, Value>) -> Result<(), String> {
    match meta.get("progressToken") {
        Some(token) if !token.is_null() && RequestId::of(token).is_none() => {
            let kind = kind(token);
            Err(format!(
                "`_meta.progressToken` must be a string or a signed 64-bit integer, not {kind}"
            ))
        }
        _ => Ok(()),
    }
}

/// The fields of an object that is being read.
struct ParamFields(Map<String, Value>);

impl ParamFields {
    fn take(&mut self, name: &str) -> Option<Value> {
        let value = self.0.shift_remove(name);
        value.filter(|value| !value.is_null())
    }

    fn optional_text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!("`{name}` must be a string, not {}", kind(&other))),
        }
    }

    fn text(&mut self, name: &str) -> Result<String, String> {
        let text = self.optional_text(name)?;
        text.ok_or_else(|| format!("missing field `{name}`"))
    }

    fn optional_object(&mut self, name: &str) -> Result<Option<Map<String, Value>>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(format!("`{name}` must be an object, not {}", kind(&other))),
        }
    }

    fn object(&mut self, name: &str) -> Result<Map<String, Value>, String> {
        let object = self.optional_object(name)?;
        object.ok_or_else(|| format!("missing field `{name}`"))
    }
}

fn call_tool(params: Params) -> Result<RequestMethod, String> {
    let mut fields = params.required()?;
    Ok(RequestMethod::CallTool(CallParams {
        name: fields.text("name")?,
        arguments: fields.optional_object("arguments")?.unwrap_or_default(),
        responses: fields.optional_object("inputResponses")?,
        state: fields.optional_text("requestState")?,
    }))
}

fn initialize(params: Params) -> Result<RequestMethod, String> {
    let mut fields = params.required()?;
    let version = fields.text("protocolVersion")?;
    let capabilities = fields.object("capabilities")?;
    let implementation = Value::Object(fields.object("clientInfo")?);
    let name = ClientDetails::named(&implementation);
    let name = name.ok_or("`clientInfo` must have a `name` and a `version`, which are strings")?;
    let client = Arc::new(ClientDetails::new(Some(name), &capabilities));
    Ok(RequestMethod::Initialize { version, client })
}

fn get_prompt(params: Params) -> Result<RequestMethod, String> {
    let mut fields = params.required()?;
    Ok(RequestMethod::GetPrompt {
        name: fields.text("name")?,
        arguments: fields.optional_object("arguments")?.unwrap_or_default(),
    })
}

fn complete(params: Params) -> Result<RequestMethod, String> {
    let mut fields = params.required()?;
    let mut reference = ParamFields(fields.object("ref")?);
    let of = match reference.optional_text("type")?.as_deref() {
        Some("ref/prompt") => Completed::Prompt(reference.text("name")?),
        Some("ref/resource") => Completed::Template(reference.text("uri")?),
        _ => return Err("`ref.type` must be `ref/prompt` or `ref/resource`".into()),
    };
    let mut argument = ParamFields(fields.object("argument")?);
    let context = fields.optional_object("context")?.unwrap_or_default();
    let given = ParamFields(context).optional_object("arguments")?;
    Ok(RequestMethod::Complete(CompleteParams {
        of,
        argument: argument.text("name")?,
        begun: argument.text("value")?,
        given: given.unwrap_or_default(),
    }))
}

fn listen(params: Params) -> Result<RequestMethod, String> {
    let wanted = params.required()?.object("notifications")?;
    let wants = |key: &str| match wanted.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(wanted)) => Ok(*wanted),
        Some(other) => Err(format!("`{key}` must be a boolean, not {}", kind(other))),
    };
    Ok(RequestMethod::Listen(ChangeFilter {
        tools: wants("toolsListChanged")?,
        prompts: wants("promptsListChanged")?,
        resources: wants("resourcesListChanged")?,
    }))
}

fn task(params: Params, action: TaskAction) -> Result<RequestMethod, String> {
    let id = params.required()?.text("taskId")?;
    Ok(RequestMethod::Task { action, id })
}
