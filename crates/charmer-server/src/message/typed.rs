//! A message whose envelope is sound as the type of rmcp's that its method has.
//!
//! rmcp can read whole messages by itself, but tries one type after another for that, each from a copy, and a program that
//! has all these readers in it is half a megabyte larger. Here `params` are taken apart first, and read as the one type that
//! they must have.

use rmcp::model::{
    ArgumentInfo, ClientJsonRpcMessage, ClientNotification, ClientRequest, ClientResult,
    CompleteRequestParams, CompletionContext, CustomNotification, CustomRequest, CustomResult,
    EmptyResult, ErrorCode, ErrorData, Extensions, JsonObject, Notification,
    NotificationMetaObject, NotificationNoParam, PaginatedRequestParams, Reference, Request,
    RequestMetaObject, RequestNoParam, RequestOptionalParam,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::envelope::{check_params, kind, request_id};

/// Reads each method of the protocol as exactly that. Any other is delivered as it is, so that the
/// handler can say that it does not exist.
pub(super) fn request(method: &str, object: Map<String, Value>) -> Result<ClientRequest, String> {
    macro_rules! methods {
        ($($name:literal => $variant:ident by $read:ident,)*) => {
            match method {
                $($name => {
                    check_params(method, &object)?;
                    $read(Params::of(object)?).map(ClientRequest::$variant)
                })*
                _ => Ok(custom_request(method, object)),
            }
        };
    }
    methods! {
        "tools/call" => CallToolRequest by with_params,
        "tools/list" => ListToolsRequest by page,
        "ping" => PingRequest by without_params,
        "initialize" => InitializeRequest by with_params,
        "server/discover" => DiscoverRequest by with_params,
        "completion/complete" => CompleteRequest by complete,
        "logging/setLevel" => SetLevelRequest by with_params,
        "prompts/get" => GetPromptRequest by with_params,
        "prompts/list" => ListPromptsRequest by page,
        "resources/list" => ListResourcesRequest by page,
        "resources/templates/list" => ListResourceTemplatesRequest by page,
        "resources/read" => ReadResourceRequest by with_params,
        "resources/subscribe" => SubscribeRequest by with_params,
        "resources/unsubscribe" => UnsubscribeRequest by with_params,
        "subscriptions/listen" => SubscriptionsListenRequest by with_params,
        "tasks/get" => GetTaskRequest by with_params,
        "tasks/update" => UpdateTaskRequest by with_params,
        "tasks/cancel" => CancelTaskRequest by with_params,
    }
}

/// A request of an unknown method, whose parameters can be anything.
pub(super) fn custom_request(method: &str, mut object: Map<String, Value>) -> ClientRequest {
    let mut params = object.shift_remove("params");
    let fields = params.as_mut().and_then(Value::as_object_mut);
    let meta = fields.and_then(|fields| match fields.get("_meta") {
        Some(Value::Object(_)) => fields.shift_remove("_meta"),
        _ => None,
    });
    let mut request = CustomRequest::new(method, params);
    if let Some(Value::Object(meta)) = meta {
        request.extensions.insert(RequestMetaObject::from(meta));
    }
    ClientRequest::CustomRequest(request)
}

pub(super) fn notification(
    method: &str,
    object: Map<String, Value>,
) -> Result<ClientNotification, String> {
    let mut params = Params::of(object)?;
    Ok(match method {
        "notifications/cancelled" => {
            ClientNotification::CancelledNotification(notification_with_params(params)?)
        }
        "notifications/progress" => {
            ClientNotification::ProgressNotification(notification_with_params(params)?)
        }
        "notifications/initialized" => {
            ClientNotification::InitializedNotification(notification_without_params(params))
        }
        "notifications/roots/list_changed" => {
            ClientNotification::RootsListChangedNotification(notification_without_params(params))
        }
        _ => {
            let extensions = params.notification_meta();
            let params = params.fields.map(Value::Object);
            let mut custom = CustomNotification::new(method, params);
            custom.extensions = extensions;
            ClientNotification::CustomNotification(custom)
        }
    })
}

/// The answer to a request of ours; `None` if it is none.
pub(super) fn response(mut object: Map<String, Value>) -> Option<ClientJsonRpcMessage> {
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    let id = object.get("id").map(request_id);
    match (object.shift_remove("result"), object.shift_remove("error")) {
        (Some(result), None) => Some(ClientJsonRpcMessage::response(client_result(result), id??)),
        (None, Some(error)) => {
            let id = match id {
                Some(id) => Some(id?),
                None => None,
            };
            Some(ClientJsonRpcMessage::error(error_data(error)?, id))
        }
        _ => None,
    }
}

/// A client's answer, told by its fields: only roots and forms are asked for.
fn client_result(result: Value) -> ClientResult {
    let typed = match result.as_object() {
        Some(fields) if fields.is_empty() => Some(ClientResult::EmptyResult(EmptyResult {})),
        Some(fields) if fields.contains_key("roots") => parse(result.clone())
            .map(ClientResult::ListRootsResult)
            .ok(),
        Some(fields) if fields.contains_key("action") => {
            parse(result.clone()).map(ClientResult::ElicitResult).ok()
        }
        _ => None,
    };
    typed.unwrap_or(ClientResult::CustomResult(CustomResult(result)))
}

fn error_data(mut error: Value) -> Option<ErrorData> {
    let fields = error.as_object_mut()?;
    let code = fields.get("code")?.as_i64()?.try_into().ok()?;
    let message = fields.get("message")?.as_str()?.to_owned();
    let data = fields.shift_remove("data").filter(|data| !data.is_null());
    Some(ErrorData::new(ErrorCode(code), message, data))
}

/// The `params` of a message, with what is said about the message apart from what it says.
struct Params {
    meta: Option<JsonObject>,
    /// All but `_meta`, if there are any params.
    fields: Option<Map<String, Value>>,
}

impl Params {
    fn of(mut object: Map<String, Value>) -> Result<Self, String> {
        let mut fields = match object.shift_remove("params") {
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

    /// Takes out what is said about a request, as rmcp keeps it.
    fn request_meta(&mut self) -> Extensions {
        let mut extensions = Extensions::new();
        if let Some(meta) = self.meta.take() {
            extensions.insert(RequestMetaObject::from(meta));
        }
        extensions
    }

    /// The same of a notification.
    fn notification_meta(&mut self) -> Extensions {
        let mut extensions = Extensions::new();
        if let Some(meta) = self.meta.take() {
            extensions.insert(NotificationMetaObject::from(meta));
        }
        extensions
    }

    /// The fields of a request that must have some.
    fn required(self) -> Result<Map<String, Value>, String> {
        let missing = || "missing field `params`".to_owned();
        self.fields.ok_or_else(missing)
    }
}

fn with_params<M: Default, P: DeserializeOwned>(
    mut params: Params,
) -> Result<Request<M, P>, String> {
    let extensions = params.request_meta();
    let mut request = Request::new(parse(Value::Object(params.required()?))?);
    request.extensions = extensions;
    Ok(request)
}

fn page<M: Default>(
    mut params: Params,
) -> Result<RequestOptionalParam<M, PaginatedRequestParams>, String> {
    let extensions = params.request_meta();
    let page = params
        .fields
        .map(|mut fields| match fields.shift_remove("cursor") {
            Some(Value::String(cursor)) => {
                PaginatedRequestParams::default().with_cursor(Some(cursor))
            }
            _ => PaginatedRequestParams::default(),
        });
    Ok(RequestOptionalParam {
        method: M::default(),
        params: page,
        extensions,
    })
}

fn without_params<M: Default>(mut params: Params) -> Result<RequestNoParam<M>, String> {
    Ok(RequestNoParam {
        method: M::default(),
        extensions: params.request_meta(),
    })
}

/// What is to be completed says by a field of its own which type it has, and rmcp reads that from a copy, too.
fn complete<M: Default>(mut params: Params) -> Result<Request<M, CompleteRequestParams>, String> {
    let extensions = params.request_meta();
    let mut fields = params.required()?;
    let mut field = |name: &str| {
        let missing = || format!("missing field `{name}`");
        fields.shift_remove(name).ok_or_else(missing)
    };
    let reference = field("ref")?;
    let reference = match reference["type"].as_str() {
        Some("ref/prompt") => Reference::Prompt(parse(reference)?),
        Some("ref/resource") => Reference::Resource(parse(reference)?),
        _ => return Err("`ref.type` must be `ref/prompt` or `ref/resource`".into()),
    };
    let argument: ArgumentInfo = parse(field("argument")?)?;
    let context: Option<CompletionContext> = match field("context") {
        Ok(context) => parse(context)?,
        Err(_) => None,
    };
    let mut complete = CompleteRequestParams::new(reference, argument);
    complete.context = context;
    let mut request = Request::new(complete);
    request.extensions = extensions;
    Ok(request)
}

fn notification_with_params<M: Default, P: DeserializeOwned>(
    mut params: Params,
) -> Result<Notification<M, P>, String> {
    let extensions = params.notification_meta();
    let fields = params.fields.unwrap_or_default();
    let mut notification = Notification::new(parse(Value::Object(fields))?);
    notification.extensions = extensions;
    Ok(notification)
}

fn notification_without_params<M: Default>(mut params: Params) -> NotificationNoParam<M> {
    NotificationNoParam {
        method: M::default(),
        extensions: params.notification_meta(),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}
