//! Requests and their answers: each is given to whoever knows, and everything that is not offered says so.

use std::{sync::Arc, time::Instant};

use charmer_core::{output::clean, text::nearest};
use charmer_run::{
    Answers, Call, CallError, CallResult, Caller, Client, ErrorCode, Media, Outcome, Redactor,
    Resolved, ServedTool, Spool, Transport as CallTransport, folder::Folders,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        self, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, CustomRequest, CustomResult, GetPromptRequestParams,
        GetPromptResponse, Implementation, InputResponses, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
        ServerConfig, SubscriptionFilter,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

#[cfg(feature = "jobs")]
use crate::tasks;
use crate::{
    ServerInfo,
    ask::{self, Way},
    background, base64,
    completion::candidates,
    message::REMOVED_METHODS,
    pages_and_prompts::{MadeFromTools, PagesAndPrompts},
    pool::CallPool,
    progress::Reporter,
    prompts, resources,
    roots::{KnownFolders, Roots},
    server,
    state::{StateOf, StateSeal},
    tools::{List, Offer, ToolsView},
};

/// Methods that exist; one of them in a shape that could not be read has bad parameters.
const KNOWN_METHODS: [&str; 12] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "ping",
    "subscriptions/listen",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// Answers the requests of one client.
#[derive(Clone)]
pub(crate) struct ClientHandler {
    pub(crate) info: ServerInfo,
    pub(crate) tools: ToolsView,
    pub(crate) pool: CallPool,
    pub(crate) made_from_tools: MadeFromTools,
    /// The spool that keeps long output.
    pub(crate) spool: Option<Spool>,
    /// The calls that go on after their clients were answered.
    #[cfg(feature = "jobs")]
    pub(crate) jobs: Option<charmer_run::jobs::Jobs>,
    /// The folders that a person gave for calls to run in.
    pub(crate) folders: Folders,
    /// The folders that the client works in.
    pub(crate) roots: Roots,
    /// The client whose calls it makes.
    pub(crate) client: server::ConnectedClient,
    /// The seal of what goes with its questions.
    pub(crate) seal: StateSeal,
    /// Cancelled when the client has gone or the server ends; every call is its child.
    pub(crate) shutdown: CancellationToken,
}

impl ClientHandler {
    /// Returns what is made from the tools, for a list of it.
    async fn to_list(
        &self,
        list: List,
        context: &RequestContext<RoleServer>,
    ) -> Arc<PagesAndPrompts> {
        let tools = self.tools.to_list_more(list, &context.ct, &self.shutdown);
        self.made_from_tools.of(&tools.await)
    }

    /// Returns what is made from the tools, for a request about one thing of it.
    async fn to_read(&self, context: &RequestContext<RoleServer>) -> Arc<PagesAndPrompts> {
        let tools = self.tools.to_read(&context.ct, &self.shutdown);
        self.made_from_tools.of(&tools.await)
    }

    /// Makes the prompts, which takes a moment for thousands of tools, apart from the protocol.
    async fn with_prompts(&self, pages_and_prompts: Arc<PagesAndPrompts>) -> Arc<PagesAndPrompts> {
        if !pages_and_prompts.has_prompts() {
            let made = Arc::clone(&pages_and_prompts);
            // If that goes wrong, it goes wrong again when they are asked for.
            let _ = self.pool.spawn(async move { made.prompts().len() }).await;
        }
        pages_and_prompts
    }

    /// Returns the tool that a call is for. A client that wants to know is told how far the tools are while it waits
    /// for them.
    async fn to_call(
        &self,
        name: &str,
        input: &Map<String, Value>,
        began: Instant,
        context: &RequestContext<RoleServer>,
    ) -> Result<Resolved, Offer> {
        if let Some(resolved) = self.tools.at_hand(name, input) {
            return Ok(resolved);
        }
        let call = self.tools.to_call(name, input, &context.ct, &self.shutdown);
        let Some(token) = context.meta.get_progress_token() else {
            return call.await;
        };
        // It is told nothing but how far our own work is.
        let reporter = Reporter::start((context.peer.clone(), token), Redactor::default(), began);
        let progress = reporter.progress();
        let call = tokio::select! {
            call = call => call,
            () = self.tools.report_reading(&progress) => unreachable!("it never ends by itself"),
        };
        reporter.finish().await;
        call
    }

    /// The caller of a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let own = &self.client;
        let caller = Caller::new(Arc::clone(&own.principal), own.transport)
            .permissions(own.permissions.clone());
        let Some(info) = context.client_info() else {
            return caller;
        };
        let mut client = Client::new(info.name, info.version);
        client.elicitation = ask::can_show_forms(context);
        let capabilities = context.client_capabilities();
        client.roots = capabilities.is_some_and(|all| all.roots.is_some());
        caller.client(Arc::new(client))
    }

    /// Makes a call, and asks whatever its steps ask on the way: each answer begins it anew, and nothing has run before.
    async fn run(
        &self,
        Resolved { served, input, .. }: Resolved,
        (mut said, began): (SaidBefore, Instant),
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let mut known = KnownFolders::default();
        // A client on HTTP may be on another machine: its folders are not these.
        let elsewhere = self.client.transport == CallTransport::Http;
        if served.in_callers_folder && elsewhere {
            known.folders = self.folders.clone();
        } else if served.in_callers_folder {
            let asked = self
                .roots
                .of_caller(&self.folders, context, said.responses.as_mut());
            known = match asked.await {
                Ok(known) => known,
                Err(required) => return required.into(),
            };
        }
        let reporter = context
            .meta
            .get_progress_token()
            .map(|token| (context.peer.clone(), token))
            .map(|client| Reporter::start(client, served.redactor.clone(), began));
        let progress = reporter.as_ref().map(Reporter::progress);
        // Only who is asked by an answer can answer with a call.
        let way = ask::way(context);
        let state_of = StateOf {
            principal: &self.client.principal,
            tool: served.tool.name.as_str(),
            input: &input.clone(),
        };
        let answers = match way {
            Way::Answer => self.answers(said, &state_of),
            Way::Request | Way::None => Answers::default(),
        };
        let mut call = served
            .call_by(self.caller(context).folders(known.folders), input)
            .answers(answers)
            .progress(progress.unwrap_or_default());
        let mut questions = 0;
        let outcome = loop {
            let mut outcome = self.attempt(&served, call.clone(), context).await;
            let question = match &mut outcome {
                Ok(outcome) => outcome.question.take(),
                Err(_) => None,
            };
            let Some(mut question) = question else {
                break Ok(outcome);
            };
            // A person decides by what is read here: nothing may be disguised, and no secret shown.
            let message = clean(&question.message).into_owned();
            question.message = served.redactor.text(&message).into_owned();
            questions += 1;
            match way {
                Way::Request if questions <= ask::MOST => {
                    call.progress.wait("waiting for a person to answer");
                    let answer = ask::elicit(context, &self.shutdown, &question).await;
                    if context.ct.is_cancelled() || self.shutdown.is_cancelled() {
                        let message = "the call was cancelled while its question was open";
                        break Ok(Err(CallError::new(ErrorCode::Cancelled, message)));
                    }
                    call.progress.go_on();
                    call.answers.insert(question.key, answer);
                }
                _ => {
                    let required = match way {
                        Way::Answer => {
                            let state = self.seal.seal(&state_of, &question);
                            ask::required(&question, state)
                        }
                        _ => None,
                    };
                    break match required {
                        Some(required) => Err(required),
                        None => Ok(Ok(Outcome::needs_input(question))),
                    };
                }
            }
        };
        // No progress may follow the result.
        if let Some(reporter) = reporter {
            reporter.finish().await;
        }
        match outcome {
            Ok(mut outcome) => {
                if let Ok(outcome) = &mut outcome {
                    outcome.note(known.notes);
                }
                #[cfg(feature = "jobs")]
                if let (Ok(outcome), Some(jobs)) = (&outcome, &self.jobs)
                    && tasks::are_known(context)
                    && let Some(id) = &outcome.job
                    && let Some(job) = jobs.find(id, &self.client.principal)
                {
                    return CallToolResponse::Task(tasks::created(jobs, &job));
                }
                answer(served.finish(outcome).await).into()
            }
            Err(required) => required.into(),
        }
    }

    /// The answers that a client of the modern era sends with its call. They count only with the state that went out with
    /// their question.
    fn answers(&self, said: SaidBefore, state_of: &StateOf<'_>) -> Answers {
        let responses = said.responses.filter(|responses| !responses.is_empty());
        if responses.is_none() && said.state.is_none() {
            return Answers::default();
        }
        let own = responses.into_iter().flatten();
        let opened = self.seal.open(state_of, said.state.as_deref());
        let Some(opened) = opened else {
            let mut unproven = Answers::default();
            own.for_each(|(key, _)| unproven.insert_unproven(&key));
            return unproven;
        };
        ask::answers(own.filter(|(key, _)| opened.allows(key)).collect())
    }

    /// Makes a call once, until its request is cancelled.
    async fn attempt(
        &self,
        served: &ServedTool,
        call: Call,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, CallError> {
        let cancel = self.shutdown.child_token();
        let call = call.cancelled_by(cancel.clone());
        let mut service = served.service.clone();
        let work = service.call(call);
        let mut work = if served.may_block {
            self.pool.spawn(work)
        } else {
            tokio::spawn(work)
        };
        let done = tokio::select! {
            done = &mut work => done,
            () = context.ct.cancelled() => {
                cancel.cancel();
                work.await
            }
        };
        // Nothing that a hook or handler does may leave the client without an answer.
        done.unwrap_or_else(|_| {
            let message = "the bridge or one of its hooks panicked during this call";
            Err(CallError::new(ErrorCode::Internal, message)
                .hint("this is a bug; the server's standard error says more"))
        })
    }

    /// Refuses a call that comes with a state which is not one of ours for it, or not any more; in the log of calls too.
    async fn bad_state(
        &self,
        name: &str,
        input: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> ErrorData {
        let message = "`requestState` is refused: it is not the one that this call was answered with, or has expired";
        let error = CallError::refused(message);
        let tools = self.tools.to_read(&context.ct, &self.shutdown).await;
        let refused = tools.missing(name, error);
        let call = refused.call_by(self.caller(context), input);
        // It comes to the error that it was made from.
        let _ = self.attempt(&refused, call, context).await;
        ErrorData::invalid_params(message, None)
    }

    /// Says that there is no such tool, in the log of calls too.
    async fn no_tool(
        &self,
        offer: &Offer,
        name: &str,
        input: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> ErrorData {
        let names = offer.tools.iter().map(|served| served.tool.name.as_str());
        let hint = match nearest(name, names) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if !offer.settled => {
                "; not all tools are known yet, so try again in a few seconds".into()
            }
            None => String::new(),
        };
        let error = offer.tools.refusal(name).unwrap_or_else(|| {
            let shown: String = name.chars().take(64).collect();
            let message = format!("unknown tool `{shown}`{hint}");
            CallError::new(ErrorCode::NotRegistered, message)
        });
        let message = error.message.clone();
        let missing = offer.tools.missing(name, error);
        let call = missing.call_by(self.caller(context), input);
        // It comes to the error that it was made from.
        let _ = self.attempt(&missing, call, context).await;
        ErrorData::invalid_params(message, None)
    }
}

/// The part of a call that says what was answered to it before.
struct SaidBefore {
    responses: Option<InputResponses>,
    state: Option<String>,
}

impl ServerHandler for ClientHandler {
    fn get_info(&self) -> ServerConfig {
        let mut implementation =
            Implementation::new(self.info.name.clone(), self.info.version.clone());
        implementation.title.clone_from(&self.info.title);
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions();
        #[cfg(feature = "jobs")]
        let capabilities = {
            let mut capabilities = capabilities.build();
            if self.jobs.is_some() {
                let extensions = capabilities.extensions.get_or_insert_default();
                extensions.insert(model::TASKS_EXTENSION_ID.to_owned(), Map::new());
            }
            capabilities
        };
        #[cfg(not(feature = "jobs"))]
        let capabilities = capabilities.build();
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
        one_page(request)?;
        let listing = self.tools.to_list(&context.ct, &self.shutdown).await;
        let asked = self.tools.asked();
        if !asked.is_cancelled() {
            // rmcp cancels a request's token when it hands the answer to the transport: what waits for the list to be
            // given begins then, and does not hold it up.
            background::begin(async move {
                context.ct.cancelled().await;
                asked.cancel();
            });
        }
        Ok(ListToolsResult::with_all_items(listing.to_tools()))
    }

    /// The definition of a tool, by which rmcp's HTTP transport checks the headers of a call.
    fn get_tool(&self, name: &str) -> Option<model::Tool> {
        self.tools.definition(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let began = Instant::now();
        let input = request.arguments.unwrap_or_default();
        let call = self.to_call(&request.name, &input, began, &context).await;
        match call {
            Ok(resolved) => {
                let said = SaidBefore {
                    responses: request.input_responses,
                    state: request.request_state,
                };
                let state_of = StateOf {
                    principal: &self.client.principal,
                    tool: resolved.served.tool.name.as_str(),
                    input: &resolved.input,
                };
                if said.state.is_some()
                    && self.seal.open(&state_of, said.state.as_deref()).is_none()
                {
                    return Err(self.bad_state(&request.name, input, &context).await);
                }
                Ok(self.run(resolved, (said, began), &context).await)
            }
            Err(offer) => Err(self.no_tool(&offer, &request.name, input, &context).await),
        }
    }

    #[cfg(feature = "jobs")]
    async fn get_task(
        &self,
        request: model::GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<model::GetTaskResult, ErrorData> {
        let job = tasks::found(self.jobs.as_ref(), &request.task_id, &self.client.principal)?;
        match &self.jobs {
            Some(jobs) => Ok(tasks::now(jobs, &job)),
            None => Err(unknown_method("tasks/get")),
        }
    }

    /// No task asks for anything: a question comes before there is one.
    #[cfg(feature = "jobs")]
    async fn update_task(
        &self,
        request: model::UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::found(self.jobs.as_ref(), &request.task_id, &self.client.principal).map(drop)
    }

    #[cfg(feature = "jobs")]
    async fn cancel_task(
        &self,
        request: model::CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let job = tasks::found(self.jobs.as_ref(), &request.task_id, &self.client.principal)?;
        job.cancel();
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// Clients of the modern era ask to be told of changes.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.tools.changes(true);
        let sink = context.sink();
        loop {
            tokio::select! {
                changed = changes.next() => {
                    // What the filter leaves out is not an error: there is just nothing to say.
                    let _ = match changed {
                        Some(List::Tools) => sink.notify_tool_list_changed().await,
                        Some(List::Resources) => sink.notify_resource_list_changed().await,
                        Some(List::Prompts) => sink.notify_prompt_list_changed().await,
                        None => {
                            context.cancelled().await;
                            return Ok(());
                        }
                    };
                }
                () = context.cancelled() => return Ok(()),
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }

    /// Clients of the legacy era are told of changes from the moment they are ready.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.tools.changes(false);
        let shutdown = self.shutdown.clone();
        background::begin(async move {
            let peer = &context.peer;
            loop {
                let told = tokio::select! {
                    changed = changes.next() => match changed {
                        Some(List::Tools) => peer.notify_tool_list_changed().await,
                        Some(List::Resources) => peer.notify_resource_list_changed().await,
                        Some(List::Prompts) => peer.notify_prompt_list_changed().await,
                        None => return,
                    },
                    () = shutdown.cancelled() => return,
                };
                if told.is_err() {
                    return;
                }
            }
        });
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        let is_removed = REMOVED_METHODS.contains(&method)
            && context
                .protocol_version()
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if is_removed || !KNOWN_METHODS.contains(&method) {
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
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let pages_and_prompts = self.with_prompts(self.to_read(&context).await).await;
        let spool = self
            .spool
            .as_ref()
            .map(|spool| (spool, &*self.client.principal));
        let candidates = candidates(&pages_and_prompts, spool, &request)?;
        // A program that is asked may take its time; nobody waits for it when the client does not.
        tokio::select! {
            answer = candidates.answer(&request.argument.value) => Ok(answer),
            () = context.ct.cancelled() => Ok(CompleteResult::default()),
            () = self.shutdown.cancelled() => Ok(CompleteResult::default()),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(request)?;
        let pages_and_prompts = self.to_list(List::Prompts, &context).await;
        let pages_and_prompts = self.with_prompts(pages_and_prompts).await;
        Ok(ListPromptsResult::with_all_items(prompts::list(
            &pages_and_prompts,
        )))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let pages_and_prompts = self.with_prompts(self.to_read(&context).await).await;
        prompts::get(&pages_and_prompts, &request.name, request.arguments).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        one_page(request)?;
        let pages_and_prompts = self.to_list(List::Resources, &context).await;
        Ok(ListResourcesResult::with_all_items(resources::list(
            &pages_and_prompts,
        )))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        let templates = resources::templates(self.spool.as_ref());
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        if let Some(query) = resources::output_query(uri) {
            let (query, Some(spool)) = (query?, self.spool.clone()) else {
                return Err(resources::not_found(uri));
            };
            // A search reads a whole file.
            let reader = Arc::clone(&self.client.principal);
            let read = async move { query.read(&spool, &reader) };
            let read = self.pool.spawn(read).await;
            let read = read.unwrap_or_else(|_| {
                let message = "the output could not be read: this is a bug";
                Err(CallError::new(ErrorCode::Internal, message))
            });
            return resources::output(uri, read).map(Into::into);
        }
        let pages_and_prompts = self.to_read(&context).await;
        resources::read(&pages_and_prompts, uri).map(Into::into)
    }
}

/// There is one page, so no cursor was ever handed out.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|page| page.cursor) {
        Some(cursor) => Err(ErrorData::invalid_params(
            format!("unknown cursor {cursor:?}: the list has one page"),
            None,
        )),
        None => Ok(()),
    }
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

pub(crate) fn answer(result: CallResult) -> CallToolResult {
    let mut content = vec![ContentBlock::text(result.text)];
    content.extend(result.media.map(media));
    let mut answer = CallToolResult::success(content);
    answer.structured_content = match result.text_alone {
        true => None,
        false => Some(Value::Object(result.structured)),
    };
    answer.is_error = Some(result.is_error);
    answer
}

fn media(media: Media) -> ContentBlock {
    let data = base64::encode(&media.bytes);
    let mime_type = media.media_type.mime_type();
    match media.media_type.is_audio() {
        true => ContentBlock::audio(data, mime_type),
        false => ContentBlock::image(data, mime_type),
    }
}
