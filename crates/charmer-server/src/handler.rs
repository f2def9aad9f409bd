//! Requests and their answers: each is given to whoever knows, and everything that is not offered says so.

use std::{sync::Arc, time::Instant};

use charmer_core::{output::clean, text::nearest};
use charmer_run::{
    Answers, Call, CallError, CallResult, Caller, Client, ErrorCode, Media, Outcome, Redactor,
    Resolved, ServedTool, Spool, Transport as CallTransport, folder::Folders,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

#[cfg(feature = "prompts")]
use crate::prompts;
use crate::{
    ServerInfo,
    ask::{self, Way},
    background::{self, with_answer},
    base64,
    completion::candidates,
    pages_and_prompts::{MadeFromTools, PagesAndPrompts},
    pool::CallPool,
    progress::Reporter,
    protocol::{
        Addressee, CallParams, ChangeFilter, CompleteParams, Peer, RequestContext, RequestMethod,
        RpcAnswer, RpcError, Version,
    },
    resources,
    roots::{KnownFolders, Roots},
    server,
    state::{StateOf, StateSeal},
    tools::{List, Offer, ToolsView},
};
#[cfg(feature = "jobs")]
use crate::{
    protocol::{TASKS, TaskAction},
    tasks,
};

/// The keys of what an answer says about itself.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Answers the requests of one client.
#[derive(Clone)]
pub(crate) struct ClientHandler {
    pub(crate) info: Arc<ServerInfo>,
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
    async fn to_list(&self, list: List, context: &RequestContext) -> Arc<PagesAndPrompts> {
        let tools = self
            .tools
            .to_list_more(list, &context.cancelled, &self.shutdown);
        self.made_from_tools.of(&tools.await)
    }

    /// Returns what is made from the tools, for a request about one thing of it.
    async fn to_read(&self, context: &RequestContext) -> Arc<PagesAndPrompts> {
        let tools = self.tools.to_read(&context.cancelled, &self.shutdown);
        self.made_from_tools.of(&tools.await)
    }

    #[cfg(feature = "prompts")]
    /// Makes the prompts, which takes a moment for thousands of tools, apart from the protocol.
    async fn with_prompts(&self, pages_and_prompts: Arc<PagesAndPrompts>) -> Arc<PagesAndPrompts> {
        if !pages_and_prompts.has_prompts() {
            let made = Arc::clone(&pages_and_prompts);
            // If that goes wrong, it goes wrong again when they are asked for.
            let (make, done) = with_answer(async move {
                made.prompts();
            });
            self.pool.run(make);
            let _ = done.await;
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
        context: &RequestContext,
    ) -> Result<Resolved, Offer> {
        if let Some(resolved) = self.tools.at_hand(name, input) {
            return Ok(resolved);
        }
        let call = self
            .tools
            .to_call(name, input, &context.cancelled, &self.shutdown);
        // It is told nothing but how far our own work is.
        let Some(reporter) = Reporter::start(context, Redactor::default(), began) else {
            return call.await;
        };
        let progress = reporter.progress();
        let call = tokio::select! {
            call = call => call,
            () = self.tools.report_reading(&progress) => unreachable!("it never ends by itself"),
        };
        reporter.finish().await;
        call
    }

    /// The caller of a request.
    fn caller(&self, context: &RequestContext) -> Caller {
        let own = &self.client;
        let caller = Caller::new(Arc::clone(&own.principal), own.transport)
            .permissions(own.permissions.clone());
        let details = context.client.as_deref();
        let Some((details, (name, version))) =
            details.and_then(|details| Some((details, details.name.as_ref()?)))
        else {
            return caller;
        };
        let mut client = Client::new(name, version);
        client.elicitation = details.shows_forms;
        client.roots = details.has_roots;
        caller.client(Arc::new(client))
    }

    /// Makes a call, and asks whatever its steps ask on the way: each answer begins it anew, and nothing has run before.
    async fn run(
        &self,
        Resolved { served, input, .. }: Resolved,
        (mut said, began): (SaidBefore, Instant),
        context: &RequestContext,
    ) -> RpcAnswer {
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
                Err(required) => return required,
            };
        }
        let reporter = Reporter::start(context, served.redactor.clone(), began);
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
                    if context.cancelled.is_cancelled() || self.shutdown.is_cancelled() {
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
                    && context.modern
                    && context.client_has(|client| client.has_tasks)
                    && let Some(id) = &outcome.job
                    && let Some(job) = jobs.find(id, &self.client.principal)
                {
                    return tasks::created(jobs, &job);
                }
                let result = called(served.finish(outcome).await);
                RpcAnswer::complete(context.modern, result)
            }
            Err(required) => required,
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
        ask::answers(own.filter(|(key, _)| opened.allows(key)))
    }

    /// Makes a call once, until its request is cancelled.
    async fn attempt(
        &self,
        served: &ServedTool,
        call: Call,
        context: &RequestContext,
    ) -> Result<Outcome, CallError> {
        let cancel = self.shutdown.child_token();
        let call = call.cancelled_by(cancel.clone());
        let mut service = served.service.clone();
        let (work, mut done) = with_answer(service.call(call));
        if served.may_block {
            self.pool.run(work);
        } else {
            background::begin(work);
        }
        let done = tokio::select! {
            done = &mut done => done,
            () = context.cancelled.cancelled() => {
                cancel.cancel();
                done.await
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
        context: &RequestContext,
    ) -> RpcError {
        let message = "`requestState` is refused: it is not the one that this call was answered with, or has expired";
        let error = CallError::refused(message);
        let tools = self.tools.to_read(&context.cancelled, &self.shutdown).await;
        let refused = tools.missing(name, error);
        let call = refused.call_by(self.caller(context), input);
        // It comes to the error that it was made from.
        let _ = self.attempt(&refused, call, context).await;
        RpcError::invalid_params(message)
    }

    /// Says that there is no such tool, in the log of calls too.
    async fn no_tool(
        &self,
        offer: &Offer,
        name: &str,
        input: Map<String, Value>,
        context: &RequestContext,
    ) -> RpcError {
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
        RpcError::invalid_params(message)
    }
}

/// The part of a call that says what was answered to it before.
struct SaidBefore {
    responses: Option<Map<String, Value>>,
    state: Option<String>,
}

/// The methods of the protocol. The one place that knows them all.
impl ClientHandler {
    /// The answer to a handshake.
    pub(crate) fn initialized(&self, version: Version) -> RpcAnswer {
        let mut answer = Map::new();
        answer.insert("protocolVersion".into(), version.as_str().into());
        answer.insert("capabilities".into(), self.capabilities());
        answer.insert("serverInfo".into(), self.implementation());
        if let Some(instructions) = &self.info.instructions {
            answer.insert("instructions".into(), instructions.as_str().into());
        }
        RpcAnswer::object(&answer)
    }

    /// The answer to a client of the modern era that looks what there is.
    pub(crate) fn discovered(&self) -> RpcAnswer {
        let mut answer = Map::new();
        let versions = Version::ALL.map(Version::as_str);
        answer.insert("supportedVersions".into(), json!(versions));
        answer.insert("capabilities".into(), self.capabilities());
        if let Some(instructions) = &self.info.instructions {
            answer.insert("instructions".into(), instructions.as_str().into());
        }
        answer.insert(
            "_meta".into(),
            json!({ SERVER_INFO: self.implementation() }),
        );
        RpcAnswer::cacheable(true, answer)
    }

    fn implementation(&self) -> Value {
        let mut implementation = json!({ "name": self.info.name });
        if let Some(title) = &self.info.title {
            implementation["title"] = title.as_str().into();
        }
        implementation["version"] = self.info.version.as_str().into();
        implementation
    }

    fn capabilities(&self) -> Value {
        let changing = || json!({"listChanged": true});
        let mut capabilities = json!({
            "completions": {},
            "resources": changing(),
            "tools": changing(),
        });
        if cfg!(feature = "prompts") {
            capabilities["prompts"] = changing();
        }
        #[cfg(feature = "jobs")]
        if self.jobs.is_some() {
            capabilities["extensions"] = json!({ TASKS: {} });
        }
        capabilities
    }

    /// The answer to a request that takes a while.
    pub(crate) async fn handle(
        &self,
        asked: RequestMethod,
        context: &RequestContext,
    ) -> Result<RpcAnswer, RpcError> {
        let modern = context.modern;
        let list = |key, items: Vec<Value>| {
            let list = Map::from_iter([(String::from(key), Value::Array(items))]);
            Ok(RpcAnswer::cacheable(modern, list))
        };
        match asked {
            RequestMethod::ListTools { cursor } => {
                one_page(cursor)?;
                let tools = self.tools.to_list(&context.cancelled, &self.shutdown).await;
                Ok(RpcAnswer::list(modern, "tools", tools.as_json()))
            }
            RequestMethod::CallTool(call) => self.call(call, context).await,
            #[cfg(feature = "prompts")]
            RequestMethod::ListPrompts { cursor } => {
                one_page(cursor)?;
                let pages_and_prompts = self.to_list(List::Prompts, context).await;
                let pages_and_prompts = self.with_prompts(pages_and_prompts).await;
                list("prompts", prompts::list(&pages_and_prompts))
            }
            #[cfg(feature = "prompts")]
            RequestMethod::GetPrompt { name, arguments } => {
                let pages_and_prompts = self.with_prompts(self.to_read(context).await).await;
                let prompt = prompts::get(&pages_and_prompts, &name, &arguments)?;
                Ok(RpcAnswer::complete(modern, prompt))
            }
            #[cfg(not(feature = "prompts"))]
            RequestMethod::ListPrompts { .. } | RequestMethod::GetPrompt { .. } => {
                Err(RpcError::unknown_method("prompts"))
            }
            RequestMethod::ListResources { cursor } => {
                one_page(cursor)?;
                let pages_and_prompts = self.to_list(List::Resources, context).await;
                list("resources", resources::list(&pages_and_prompts))
            }
            RequestMethod::ListTemplates { cursor } => {
                one_page(cursor)?;
                list(
                    "resourceTemplates",
                    resources::templates(self.spool.as_ref()),
                )
            }
            RequestMethod::ReadResource { uri } => {
                let contents = self.read_resource(&uri, context).await?;
                list("contents", vec![contents])
            }
            RequestMethod::Complete(request) => self.complete(&request, context).await,
            RequestMethod::Listen(filter) => self.listen(filter, context).await,
            #[cfg(feature = "jobs")]
            RequestMethod::Task { action, id } => self.task(action, &id, context),
            #[cfg(not(feature = "jobs"))]
            RequestMethod::Task { .. } => Err(RpcError::unknown_method("tasks")),
            // These are answered before anything is waited for.
            RequestMethod::Initialize { .. }
            | RequestMethod::Discover
            | RequestMethod::Ping
            | RequestMethod::Unknown => Ok(RpcAnswer::empty()),
        }
    }

    /// The list of tools is on its way to the client: what waited for that begins.
    pub(crate) fn listed(&self) {
        self.tools.asked().cancel();
    }

    async fn call(
        &self,
        call: CallParams,
        context: &RequestContext,
    ) -> Result<RpcAnswer, RpcError> {
        let began = Instant::now();
        let input = call.arguments;
        let resolved = self.to_call(&call.name, &input, began, context).await;
        match resolved {
            Ok(resolved) => {
                let said = SaidBefore {
                    responses: call.responses,
                    state: call.state,
                };
                let state_of = StateOf {
                    principal: &self.client.principal,
                    tool: resolved.served.tool.name.as_str(),
                    input: &resolved.input,
                };
                if said.state.is_some()
                    && self.seal.open(&state_of, said.state.as_deref()).is_none()
                {
                    return Err(self.bad_state(&call.name, input, context).await);
                }
                Ok(self.run(resolved, (said, began), context).await)
            }
            Err(offer) => Err(self.no_tool(&offer, &call.name, input, context).await),
        }
    }

    #[cfg(feature = "jobs")]
    fn task(
        &self,
        action: TaskAction,
        id: &str,
        context: &RequestContext,
    ) -> Result<RpcAnswer, RpcError> {
        let Some(jobs) = &self.jobs else {
            return Err(RpcError::unknown_method("tasks"));
        };
        if !context.client_has(|client| client.has_tasks) {
            return Err(tasks::not_declared());
        }
        let job = tasks::found(jobs, id, &self.client.principal)?;
        match action {
            TaskAction::Get => return Ok(tasks::now(jobs, &job)),
            // No task asks for anything: a question comes before there is one.
            TaskAction::Update => {}
            TaskAction::Cancel => job.cancel(),
        }
        Ok(RpcAnswer::complete(true, Map::new()))
    }

    /// Clients of the modern era ask to be told of changes; they are until they do not want to be any more.
    async fn listen(
        &self,
        filter: ChangeFilter,
        context: &RequestContext,
    ) -> Result<RpcAnswer, RpcError> {
        let subscription = json!({ SUBSCRIPTION: context.id });
        let about = || Addressee::About(context.id.clone());
        let mut accepted = Map::new();
        for (key, wanted) in [
            ("toolsListChanged", filter.tools),
            ("promptsListChanged", filter.prompts),
            ("resourcesListChanged", filter.resources),
        ] {
            if wanted {
                accepted.insert(key.into(), true.into());
            }
        }
        let params = json!({"notifications": accepted, "_meta": subscription});
        let acknowledged = "notifications/subscriptions/acknowledged";
        let mut told = context
            .peer
            .notify(about(), acknowledged, Some(params))
            .await;
        let mut changes = self.tools.changes(true);
        while told.is_ok() {
            let changed = tokio::select! {
                changed = changes.next() => changed,
                () = context.cancelled.cancelled() => break,
                () = self.shutdown.cancelled() => break,
            };
            let wanted = match changed {
                Some(List::Tools) => filter.tools,
                Some(List::Resources) => filter.resources,
                Some(List::Prompts) => filter.prompts,
                // There will be no more: the client finds out when it goes, or the server does.
                None => {
                    tokio::select! {
                        () = context.cancelled.cancelled() => break,
                        () = self.shutdown.cancelled() => break,
                    }
                }
            };
            if let Some(list) = changed.filter(|_| wanted) {
                let params = json!({ "_meta": subscription });
                told = context
                    .peer
                    .notify(about(), changed_list(list), Some(params))
                    .await;
            }
        }
        let meta = json!({ SUBSCRIPTION: context.id, SERVER_INFO: self.implementation() });
        let ended = Map::from_iter([(String::from("_meta"), meta)]);
        Ok(RpcAnswer::complete(true, ended))
    }

    /// Clients of the legacy era are told of changes from the moment they are ready.
    pub(crate) fn tell_of_changes(&self, peer: &Peer) {
        let mut changes = self.tools.changes(false);
        let (shutdown, peer) = (self.shutdown.clone(), peer.clone());
        background::begin(async move {
            while let Some(Some(list)) = shutdown.run_until_cancelled(changes.next()).await {
                let told = peer.notify(Addressee::Common, changed_list(list), None);
                if told.await.is_err() {
                    return;
                }
            }
        });
    }

    /// The client works in other folders than it said.
    pub(crate) fn forget_roots(&self) {
        self.roots.forget();
    }

    async fn complete(
        &self,
        request: &CompleteParams,
        context: &RequestContext,
    ) -> Result<RpcAnswer, RpcError> {
        let pages_and_prompts = self.to_read(context).await;
        #[cfg(feature = "prompts")]
        let pages_and_prompts = self.with_prompts(pages_and_prompts).await;
        let spool = self
            .spool
            .as_ref()
            .map(|spool| (spool, &*self.client.principal));
        let candidates = candidates(&pages_and_prompts, spool, request)?;
        // A program that is asked may take its time; nobody waits for it when the client does not.
        let completed = tokio::select! {
            completed = candidates.answer(&request.begun) => completed,
            () = context.cancelled.cancelled() => Map::new(),
            () = self.shutdown.cancelled() => Map::new(),
        };
        Ok(RpcAnswer::complete(context.modern, completed))
    }

    async fn read_resource(&self, uri: &str, context: &RequestContext) -> Result<Value, RpcError> {
        if let Some(query) = resources::output_query(uri) {
            let (query, Some(spool)) = (query?, self.spool.clone()) else {
                return Err(resources::not_found(uri));
            };
            // A search reads a whole file.
            let reader = Arc::clone(&self.client.principal);
            let (work, read) = with_answer(async move { query.read(&spool, &reader) });
            self.pool.run(work);
            let read = read.await.unwrap_or_else(|_| {
                let message = "the output could not be read: this is a bug";
                Err(CallError::new(ErrorCode::Internal, message))
            });
            return resources::output(uri, read);
        }
        resources::read(&*self.to_read(context).await, uri)
    }
}

/// The notification that a list has changed.
fn changed_list(list: List) -> &'static str {
    match list {
        List::Tools => "notifications/tools/list_changed",
        List::Resources => "notifications/resources/list_changed",
        List::Prompts => "notifications/prompts/list_changed",
    }
}

/// There is one page, so no cursor was ever handed out.
fn one_page(cursor: Option<String>) -> Result<(), RpcError> {
    match cursor {
        Some(cursor) => {
            let message = format!("unknown cursor {cursor:?}: the list has one page");
            Err(RpcError::invalid_params(message))
        }
        None => Ok(()),
    }
}

/// The result of a call, as the protocol has it.
pub(crate) fn called(result: CallResult) -> Map<String, Value> {
    let mut content = vec![json!({"type": "text", "text": result.text})];
    content.extend(result.media.map(media));
    let mut called = Map::new();
    called.insert("content".into(), content.into());
    if !result.text_alone {
        called.insert("structuredContent".into(), Value::Object(result.structured));
    }
    called.insert("isError".into(), result.is_error.into());
    called
}

fn media(media: Media) -> Value {
    let kind = match media.media_type.is_audio() {
        true => "audio",
        false => "image",
    };
    let data = base64::encode(&media.bytes);
    json!({"type": kind, "data": data, "mimeType": media.media_type.mime_type()})
}
