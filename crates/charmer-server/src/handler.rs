//! Requests and their answers: tools are listed and called, everything that is not offered says so.

use std::{sync::Arc, time::Duration};

use charmer_core::text::nearest;
use charmer_run::{Call, CallError, CallResult, ErrorCode, ServedTool};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        self, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ConstString, ContentBlock, CustomRequest,
        CustomResult, Implementation, ListPromptsRequestMethod, ListPromptsResult,
        ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
        ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        RequestId, ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::{ServerInfo, pool::CallPool, progress::Reporter, stdio::InFlight, tools::ToolsView};

/// Methods that exist; one of them in a shape that could not be read has bad parameters.
const KNOWN_METHODS: [&str; 6] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "ping",
    "subscriptions/listen",
];

/// Answers the requests of one client.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) info: ServerInfo,
    pub(crate) tools: ToolsView,
    pub(crate) in_flight: InFlight,
    pub(crate) pool: CallPool,
    /// Cancelled when the server ends; every call is its child.
    pub(crate) shutdown: CancellationToken,
}

impl Handler {
    /// Frees the id of a cancelled call. rmcp drops the answer of such a call, but tells it by its id alone: were the
    /// id free before that answer has passed, a new request of that id would get it.
    fn release_later(&self, id: RequestId) {
        let in_flight = self.in_flight.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            in_flight.finished(&id);
        });
    }

    /// The work of a call has ended.
    fn end(&self, context: RequestContext<RoleServer>) {
        if context.ct.is_cancelled() {
            self.release_later(context.id);
        } else {
            self.in_flight.finished(&context.id);
        }
    }

    async fn run(
        &self,
        served: &ServedTool,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallResult {
        let asked = &context.ct;
        let reporter = context
            .meta
            .get_progress_token()
            .map(|token| Reporter::start(context.peer.clone(), token, served.redactor.clone()));
        let cancel = self.shutdown.child_token();
        let limits = served.limits.clone();
        let call = Call::new(
            Arc::clone(&served.tool),
            params.arguments.unwrap_or_default(),
        )
        .limits(limits.clone())
        .cancelled_by(cancel.clone())
        .progress(
            reporter
                .as_ref()
                .map(Reporter::progress)
                .unwrap_or_default(),
        );
        let mut service = served.service.clone();
        let work = async move { service.call(call).await };
        let mut work = if served.may_block {
            self.pool.spawn(work)
        } else {
            tokio::spawn(work)
        };
        let done = tokio::select! {
            done = &mut work => done,
            () = asked.cancelled() => {
                cancel.cancel();
                work.await
            }
        };
        // No progress may follow the result.
        if let Some(reporter) = reporter {
            reporter.finish().await;
        }
        // Nothing that a hook or handler does may leave the client without an answer.
        let outcome = done.unwrap_or_else(|_| {
            let message = "the bridge or one of its hooks panicked during this call";
            Err(CallError::new(ErrorCode::Internal, message)
                .hint("this is a bug; the server's standard error says more"))
        });
        CallResult::new(&outcome, &limits, &served.redactor)
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut implementation =
            Implementation::new(self.info.name.clone(), self.info.version.clone());
        implementation.title.clone_from(&self.info.title);
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let mut config = ServerConfig::new(capabilities);
        config.server_info = implementation;
        config.instructions.clone_from(&self.info.instructions);
        config
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // There is one page, so no cursor was ever handed out.
        if let Some(cursor) = request.and_then(|page| page.cursor) {
            return Err(ErrorData::invalid_params(
                format!("unknown cursor {cursor:?}: the list has one page"),
                None,
            ));
        }
        let listing = self.tools.to_list(&context.ct, &self.shutdown).await;
        // The transport writes it where this result has none.
        self.in_flight
            .list(&context.id, listing, self.tools.asked());
        Ok(ListToolsResult::with_all_items(Vec::new()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = &request.name;
        let offer = self.tools.to_call(name, &context.ct, &self.shutdown).await;
        let Some(served) = offer.tools.get(name) else {
            self.end(context);
            let names = offer.tools.iter().map(|served| served.tool.name.as_str());
            let hint = match nearest(name, names) {
                Some(near) => format!("; did you mean `{near}`?"),
                None if !offer.settled => {
                    "; not all tools are known yet, so try again in a few seconds".into()
                }
                None => String::new(),
            };
            return Err(ErrorData::invalid_params(
                format!("unknown tool `{}`{hint}", request.name),
                None,
            ));
        };
        let result = self.run(served, request, &context).await;
        self.end(context);
        Ok(answer(result).into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Clients of the modern era ask to be told of changes.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.tools.changes();
        loop {
            tokio::select! {
                changed = changes.next() => {
                    // A filter without tools is not an error: there is just nothing to say.
                    if changed.is_none() {
                        context.cancelled().await;
                        return Ok(());
                    }
                    let _ = context.sink().notify_tool_list_changed().await;
                }
                () = context.cancelled() => return Ok(()),
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }

    /// Clients of the legacy era are told of changes from the moment they are ready.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.tools.changes();
        let shutdown = self.shutdown.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    changed = changes.next() => {
                        if changed.is_none() || context.peer.notify_tool_list_changed().await.is_err() {
                            return;
                        }
                    }
                    () = shutdown.cancelled() => return,
                }
            }
        });
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if !KNOWN_METHODS.contains(&request.method.as_str()) {
            return Err(unknown_method(&request.method));
        }
        let detail = if request.method == "tools/call" {
            request.params.map(|params| malformed_call(&params))
        } else {
            None
        };
        let detail = detail.unwrap_or_else(|| "they are missing or not of the right shape".into());
        Err(ErrorData::invalid_params(
            format!("bad parameters for `{}`: {detail}", request.method),
            None,
        ))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(not_offered::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(not_offered::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(not_offered::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }
}

/// The error for a method that exists in the protocol but is not offered here.
fn not_offered<M: ConstString>() -> ErrorData {
    unknown_method(M::VALUE)
}

fn unknown_method(method: &str) -> ErrorData {
    ErrorData::new(
        model::ErrorCode::METHOD_NOT_FOUND,
        format!("unknown method `{method}`"),
        None,
    )
}

fn malformed_call(params: &Value) -> String {
    match (params.get("name"), params.get("arguments")) {
        (None, _) => "`name` is missing".into(),
        (Some(name), _) if !name.is_string() => "`name` must be a string".into(),
        (_, Some(arguments)) if !arguments.is_object() => "`arguments` must be an object".into(),
        _ => "they are not of the right shape".into(),
    }
}

fn answer(result: CallResult) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(result.text)]);
    answer.structured_content = Some(Value::Object(result.structured));
    answer.is_error = Some(result.is_error);
    answer
}
