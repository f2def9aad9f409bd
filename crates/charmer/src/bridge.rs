//! The builder: everything that can be said about how a clap CLI becomes tools, and the ways to use it then.

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

#[cfg(feature = "schema")]
use charmer_core::schema::OutputSchema;
use charmer_core::{
    expose::Expose,
    model::{ArgSpec, CommandPath, Hints},
    tool::{Catalogue, Layout, Rules},
};
#[cfg(feature = "data")]
use charmer_run::layers::{Structure, StructureMode};
use charmer_run::{
    BoxError, Call, CallError, CallResult, CallService, Exposure, HookAnswer, Hooks, Limits,
    Outcome, Redactor, Reply, Results, SpoolLimits, Step, step,
};
use charmer_server::ServerInfo;
use clap::ArgMatches;
use serde_json::{Map, Value};
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    assemble::{Assembled, BridgePurpose, assemble, mistakes},
    audit::{self, MakeAudit},
    commands,
    log::{Level, Logger, to_stderr},
    mcp,
    selector::Selector,
    serve,
};

/// Runs a command inside the server; it gets the command's own matches.
pub(crate) type MatchesHandler = Arc<dyn Fn(&ArgMatches) -> Result<Reply, CallError> + Send + Sync>;

/// Turns a clap CLI into MCP tools.
///
/// Commands are named by their path without the program's name: `"remote add"`, and `""` for the root. A name that
/// does not exist is a mistake of the developer and panics when the bridge is put to use; [`check`](Self::check) finds it
/// in a test.
///
/// ```
/// use charmer::{ArgSpec, Bridge, Hints, Layout};
/// use clap::{Arg, Command};
///
/// let cli = Command::new("notes")
///     .subcommand(Command::new("list").about("Lists notes"))
///     .subcommand(Command::new("add").about("Adds a note").arg(Arg::new("text").required(true)));
///
/// let bridge = Bridge::new(cli)
///     .annotate("list", Hints::reads())
///     .args("add", [ArgSpec::new("text").description("What to remember").required()]);
///
/// let tools = bridge.catalogue().tools;
/// assert_eq!(tools[1].name.as_str(), "notes_list");
/// assert!(tools[1].annotations.read_only);
/// ```
#[derive(Clone)]
#[must_use]
pub struct Bridge {
    /// Shared, because a copy of a large CLI takes a while.
    pub(crate) command: Arc<clap::Command>,
    pub(crate) name: String,
    pub(crate) info: Option<ServerInfo>,
    pub(crate) selectors: Vec<Selector>,
    pub(crate) layout: Layout,
    pub(crate) prefix: Option<String>,
    pub(crate) arg_specs: Vec<(CommandPath, Vec<ArgSpec>)>,
    #[cfg(feature = "schema")]
    pub(crate) outputs: Vec<(CommandPath, Arc<OutputSchema>)>,
    #[cfg(feature = "data")]
    pub(crate) structure: Structure,
    pub(crate) serving: Serving,
    pub(crate) hints: Vec<(CommandPath, Hints)>,
    pub(crate) rules: Vec<(CommandPath, String, Rules)>,
    pub(crate) confirms: Vec<(CommandPath, String)>,
    pub(crate) stdin: Vec<CommandPath>,
    pub(crate) handlers: Vec<(CommandPath, MatchesHandler)>,
    pub(crate) layers: Vec<Step>,
    pub(crate) limits: Limits,
    pub(crate) env_set: Vec<(OsString, Option<OsString>)>,
    #[cfg(feature = "jobs")]
    pub(crate) job_rules: charmer_run::jobs::JobRules,
    pub(crate) env_only: Option<Vec<OsString>>,
    pub(crate) mcp_mode: bool,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) program: Option<PathBuf>,
    pub(crate) judged: bool,
    pub(crate) concurrency: Option<usize>,
    pub(crate) redactor: Redactor,
    pub(crate) spool: Option<SpoolLimits>,
    /// Opens the audit log.
    pub(crate) audit: Option<MakeAudit>,
    pub(crate) logger: Logger,
    /// The logger is the author's, who wants to hear of every call.
    pub(crate) log_calls: bool,
}

/// The way commands are shown and clients come in; whoever starts the server can say otherwise.
#[derive(Clone)]
pub(crate) struct Serving {
    pub(crate) exposure: Exposure,
    #[cfg(feature = "prompts")]
    pub(crate) example_prompts: bool,
    #[cfg(feature = "http")]
    pub(crate) http: charmer_server::HttpOptions,
    /// The address to listen on, if it is not served on standard input and output.
    #[cfg(feature = "http")]
    pub(crate) address: Option<charmer_server::HttpAddress>,
    pub(crate) results: Option<Results>,
}

impl Bridge {
    /// A bridge for this CLI, as it is before [`charmer::command`](crate::command) is added to it.
    pub fn new(command: clap::Command) -> Self {
        Self {
            command: Arc::new(command),
            name: commands::NAME.to_owned(),
            info: None,
            selectors: Vec::new(),
            layout: Layout::default(),
            prefix: None,
            arg_specs: Vec::new(),
            #[cfg(feature = "schema")]
            outputs: Vec::new(),
            #[cfg(feature = "data")]
            structure: Structure::default(),
            serving: Serving {
                exposure: Exposure::new(Expose::All),
                #[cfg(feature = "prompts")]
                example_prompts: false,
                #[cfg(feature = "http")]
                http: charmer_server::HttpOptions::default(),
                #[cfg(feature = "http")]
                address: None,
                results: None,
            },
            hints: Vec::new(),
            rules: Vec::new(),
            confirms: Vec::new(),
            stdin: Vec::new(),
            handlers: Vec::new(),
            layers: Vec::new(),
            limits: Limits::default(),
            env_set: Vec::new(),
            #[cfg(feature = "jobs")]
            job_rules: Default::default(),
            env_only: None,
            mcp_mode: true,
            directory: None,
            program: None,
            judged: true,
            concurrency: None,
            redactor: Redactor::default(),
            spool: Some(SpoolLimits::default()),
            audit: None,
            logger: to_stderr(),
            log_calls: false,
        }
    }

    /// Renames the subcommand `mcp`, for a CLI that has one of its own.
    pub fn command_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the server's name, version and instructions (`ServerInfo`). The CLI's own name and version by default.
    pub fn server_info(mut self, info: ServerInfo) -> Self {
        self.info = Some(info);
        self
    }

    /// Offers the examples in the help of commands as prompts; clients show each as a command of its own, so they are not
    /// offered by default.
    #[cfg(feature = "prompts")]
    pub fn example_prompts(mut self, offered: bool) -> Self {
        self.serving.example_prompts = offered;
        self
    }

    /// Sets on which terms clients come in over HTTP, with `mcp start --http ADDRESS`; its `--token-file` goes before the one
    /// that is set here.
    #[cfg(feature = "http")]
    pub fn http_options(mut self, options: charmer_server::HttpOptions) -> Self {
        self.serving.http = options;
        self
    }

    /// Adds a selector; the first that matches a command decides, and a command that none matches is left out.
    pub fn selector(mut self, selector: Selector) -> Self {
        self.selectors.push(selector);
        self
    }

    /// Sets how input is laid out.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Replaces the program's name in tool names; empty for no prefix at all.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Says more about a command's positionals than clap does.
    pub fn args(
        mut self,
        command: impl Into<CommandPath>,
        specs: impl IntoIterator<Item = ArgSpec>,
    ) -> Self {
        self.arg_specs
            .push((command.into(), specs.into_iter().collect()));
        self
    }

    /// Declares that a command prints JSON of this schema, any JSON Schema; in the dialect that every client accepts it
    /// becomes the schema of `data`. The output is read as JSON and checked; what is not as it was declared stays text
    /// and is reported as a mismatch.
    #[cfg(feature = "schema")]
    pub fn output_schema(self, command: impl Into<CommandPath>, schema: Value) -> Self {
        self.declared_output(command, charmer_core::schema::convert(&schema))
    }

    /// Declares that a command prints this type as JSON, or that its handler returns it; like
    /// [`output_schema`](Self::output_schema), with the [schema of the type](crate::output_schema).
    ///
    /// ```
    /// use charmer::{Bridge, schemars::{self, JsonSchema}};
    /// use clap::Command;
    ///
    /// #[derive(JsonSchema)]
    /// struct Note {
    ///     /// What it says
    ///     text: String,
    /// }
    ///
    /// let cli = Command::new("notes").subcommand(Command::new("list").about("Lists notes"));
    /// let bridge = Bridge::new(cli).output::<Vec<Note>>("list");
    /// let tools = bridge.catalogue().tools;
    /// let data = &tools[1].output_schema["properties"]["data"];
    /// let text = &data["properties"]["items"]["items"]["properties"]["text"];
    /// assert_eq!(text["description"], "What it says");
    /// ```
    #[cfg(feature = "schemars")]
    pub fn output<T: schemars::JsonSchema + 'static>(
        self,
        command: impl Into<CommandPath>,
    ) -> Self {
        self.declared_output(command, crate::output_schema::<T>())
    }

    /// Declares an output whose schema is made already: in the full dialect, or under a field of another name.
    ///
    /// ```
    /// use charmer::{Bridge, Converter, Dialect};
    /// use clap::Command;
    /// use serde_json::json;
    ///
    /// let names = json!({"type": "array", "items": {"type": ["string", "null"]}});
    /// let names = Converter::new().dialect(Dialect::Full).field("names").convert(&names);
    /// let cli = Command::new("notes").subcommand(Command::new("list"));
    /// let tools = Bridge::new(cli).declared_output("list", names).catalogue().tools;
    /// let data = &tools[1].output_schema["properties"]["data"];
    /// assert_eq!(data["properties"]["names"]["items"]["type"], json!(["string", "null"]));
    /// ```
    #[cfg(feature = "schema")]
    pub fn declared_output(
        mut self,
        command: impl Into<CommandPath>,
        schema: impl Into<Arc<OutputSchema>>,
    ) -> Self {
        self.outputs.push((command.into(), schema.into()));
        self
    }

    /// Sets what is done to have output as data: by default, output that is data beyond doubt is read as such.
    #[cfg(feature = "data")]
    pub fn structure(mut self, mode: StructureMode) -> Self {
        self.structure = self.structure.mode(mode);
        self
    }

    /// Sets how commands are shown: each as a tool by default. With [`Expose::Index`] a few tools find, describe and run any
    /// command, and with [`Expose::Auto`] those most worth having are tools beside them, within a budget of tokens. Whoever
    /// starts the server can choose with `mcp start --expose`.
    ///
    /// ```
    /// use charmer::{Bridge, CommandRule, Expose, Exposure, Selector, Visibility};
    /// use clap::Command;
    ///
    /// let cli = Command::new("notes")
    ///     .subcommand(Command::new("list").about("Lists notes"))
    ///     .subcommand(Command::new("prune").about("Removes old notes"));
    /// let bridge = Bridge::new(cli)
    ///     .expose(Exposure::new(Expose::Auto).budget(2000))
    ///     .selector(Selector::new(CommandRule::allow(["list"])).expose(Visibility::Pin))
    ///     .selector(Selector::new(CommandRule::all()));
    /// # let _ = bridge;
    /// ```
    #[cfg(feature = "search")]
    pub fn expose(mut self, exposure: impl Into<Exposure>) -> Self {
        self.serving.exposure = exposure.into();
        self
    }

    /// Sets the form in which clients get results, whatever the exposure says. By default ([`Results::Auto`]) each tool lists
    /// a schema for its results while each command is a tool, and they are structured. Whoever starts the server can choose
    /// with `mcp start --results`.
    ///
    /// ```
    /// use charmer::{Bridge, Results};
    /// let bridge = Bridge::new(clap::Command::new("notes")).results(Results::Text);
    /// # let _ = bridge;
    /// ```
    pub fn results(mut self, results: Results) -> Self {
        self.serving.results = Some(results);
        self
    }

    /// Keeps at most so many items of a list that became data; the true count is said.
    #[cfg(feature = "data")]
    pub fn max_items(mut self, count: usize) -> Self {
        self.structure = self.structure.max_items(count);
        self
    }

    /// Says what a command does to the world, so that clients can decide whether to ask.
    pub fn annotate(mut self, command: impl Into<CommandPath>, hints: Hints) -> Self {
        self.hints.push((command.into(), hints));
        self
    }

    /// Makes a command's tool want `confirm: true`, which gives this switch (`--yes`). A model can set it: it is a guard
    /// against accidents, not an approval by a person.
    pub fn confirm(mut self, command: impl Into<CommandPath>, switch: impl Into<String>) -> Self {
        self.confirms.push((command.into(), switch.into()));
        self
    }

    /// Says that a command reads standard input; its tool then takes it as the text `stdin`.
    pub fn stdin(mut self, command: impl Into<CommandPath>) -> Self {
        self.stdin.push(command.into());
        self
    }

    /// Checks an argument beyond what clap checks; the message says what was expected.
    pub fn validate(
        mut self,
        command: impl Into<CommandPath>,
        argument: impl Into<String>,
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let mut rules = Rules::default();
        rules.validate.push(Arc::new(check));
        self.rules.push((command.into(), argument.into(), rules));
        self
    }

    /// Turns an assistant's value for an argument into the one that the program reads.
    pub fn convert(
        mut self,
        command: impl Into<CommandPath>,
        argument: impl Into<String>,
        convert: impl Fn(Value) -> Result<Value, String> + Send + Sync + 'static,
    ) -> Self {
        let mut rules = Rules::default();
        rules.convert = Some(Arc::new(convert));
        self.rules.push((command.into(), argument.into(), rules));
        self
    }

    /// Runs a command inside the server instead of as a child. It gets the command's matches as clap parsed them, on
    /// a thread where it may block.
    ///
    /// It answers with whatever `serde` can write as JSON: text is what a child would have printed, all else is data. Text
    /// becomes an error with `?`, or with `Err("text".into())`.
    ///
    /// ```
    /// use charmer::Bridge;
    /// use clap::{Arg, Command};
    /// use std::collections::BTreeMap;
    ///
    /// let cli = Command::new("notes").subcommand(Command::new("count").arg(Arg::new("word").required(true)));
    /// let bridge = Bridge::new(cli).handler("count", |matches| {
    ///     let word = matches.get_one::<String>("word").ok_or("there is no word")?;
    ///     Ok(BTreeMap::from([(word.clone(), word.len())]))
    /// });
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    /// # runtime.block_on(async {
    /// let input = serde_json::json!({"word": "tea"}).as_object().cloned().unwrap();
    /// let result = bridge.call("notes_count", input).await.unwrap();
    /// assert_eq!(result.structured["data"]["tea"], 3);
    /// # });
    /// ```
    pub fn handler<R: Into<Reply>>(
        mut self,
        command: impl Into<CommandPath>,
        handler: impl Fn(&ArgMatches) -> Result<R, CallError> + Send + Sync + 'static,
    ) -> Self {
        self.handlers.push((
            command.into(),
            Arc::new(move |matches| handler(matches).map(Into::into)),
        ));
        self
    }

    /// Adds a hook that runs before every call (`PreExecute`); it may change the input or refuse the call, with text alone
    /// (`Err("not today")`) or with a [`CallError`]. One that refuses nothing returns nothing, and one with `?` says what
    /// it returns: `|call| -> Result<(), CallError> { ... }`.
    pub fn before<A: HookAnswer>(
        self,
        hook: impl Fn(&mut Call) -> A + Send + Sync + 'static,
    ) -> Self {
        self.layer(Hooks::new().before(hook))
    }

    /// Adds a hook that runs after every call; it may change what came of it.
    pub fn after(
        self,
        hook: impl Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.layer(Hooks::new().after(hook))
    }

    /// Reads the output of successful calls as data (`OutputParser`); `None` leaves it text.
    pub fn parse_output(
        self,
        parse: impl Fn(&Call, &str) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.after(move |call, outcome| {
            outcome.map(|mut outcome| {
                if outcome.data.is_none() && outcome.is_success() {
                    outcome.data = parse(call, &outcome.stdout_text());
                }
                outcome
            })
        })
    }

    /// Changes the errors that calls end with (`ErrorHandler`).
    pub fn on_error(
        self,
        handle: impl Fn(&Call, CallError) -> CallError + Send + Sync + 'static,
    ) -> Self {
        self.after(move |call, outcome| outcome.map_err(|error| handle(call, error)))
    }

    /// Receives what the bridge has to say (`Logger`); by default warnings and errors go to standard error.
    pub fn logger(mut self, logger: impl Fn(Level, &str) + Send + Sync + 'static) -> Self {
        self.logger = Arc::new(logger);
        self.log_calls = true;
        self
    }

    /// Puts a `tower` layer around every call; the one added first is the outermost. A selector's own layers stand
    /// inside of these.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<CallService> + Send + Sync + 'static,
        L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<Call>>::Error: Into<BoxError>,
        <L::Service as Service<Call>>::Future: Send + 'static,
    {
        self.layers.push(step(layer));
        self
    }

    /// Sets the limits of calls whose selector sets none.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long a call may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits = self.limits.timeout(timeout);
        self
    }

    /// Sets after how long a call becomes a job: its client is answered with what was printed so far, and the tool `job` waits
    /// for the rest. It is 45 seconds by default, below every client's own limit. A call whose timeout is shorter never
    /// becomes one.
    #[cfg(feature = "jobs")]
    pub fn background_after(mut self, time: Duration) -> Self {
        self.job_rules = self.job_rules.background_after(time);
        self
    }

    /// Sets a variable for children, also one that would not be inherited.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env_set.push((name.into(), Some(value.into())));
        self
    }

    /// Removes a variable for children.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env_set.push((name.into(), None));
        self
    }

    /// Lets children inherit only these variables.
    pub fn env_only<S: Into<OsString>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.env_only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether children see `MCP_MODE=true`, so that they can skip prompts; they do by default.
    pub fn mcp_mode(mut self, yes: bool) -> Self {
        self.mcp_mode = yes;
        self
    }

    /// Sets the directory that children run in; the server's own by default.
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets the program that is run; the running executable by default.
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Sets whether clap parses every command line before it is run and refuses those that it would not take as they
    /// were meant; it does by default.
    pub fn check_with_clap(mut self, yes: bool) -> Self {
        self.judged = yes;
        self
    }

    /// Sets how many programs run at once, four times the cores by default; sixteen times as many calls may wait.
    pub fn concurrency(mut self, limit: usize) -> Self {
        self.concurrency = Some(limit);
        self
    }

    /// Sets what must not be seen in output, logs, progress or on disk.
    pub fn redact(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets how much of an output that is cut is kept on disk for the tool `read_output`, and for how long; `None`
    /// keeps nothing and offers no such tool.
    pub fn spool(mut self, limits: Option<SpoolLimits>) -> Self {
        self.spool = limits;
        self
    }

    /// Writes one JSON line a call to this file: time, tool, command line without secrets, outcome, duration, sizes
    /// (see [`charmer_run::layers::Audit`]). A log that cannot be written is reported and fails no call; with
    /// `fail_closed` no call starts that is not on record.
    pub fn audit(mut self, path: impl Into<PathBuf>, fail_closed: bool) -> Self {
        self.audit = Some(audit::to_file(path.into(), fail_closed));
        self
    }

    /// Checks that every command, switch and argument that was named exists: one line in a test of yours finds what would
    /// panic when the server starts.
    ///
    /// ```
    /// use charmer::{Bridge, Hints};
    /// use clap::Command;
    ///
    /// let cli = Command::new("notes").subcommand(Command::new("list"));
    /// assert!(Bridge::new(cli.clone()).annotate("list", Hints::reads()).check().is_ok());
    ///
    /// let wrong = Bridge::new(cli).annotate("lst", Hints::reads()).stdin("ad").check().unwrap_err();
    /// assert_eq!(wrong.mistakes().len(), 2);
    /// assert!(wrong.to_string().starts_with("annotate names the command `lst`"));
    /// ```
    pub fn check(&self) -> Result<(), WrongNames> {
        match mistakes(self) {
            mistakes if mistakes.is_empty() => Ok(()),
            mistakes => Err(WrongNames(mistakes)),
        }
    }

    /// The tools (`CommandToMCPTool`), without a server.
    pub fn catalogue(&self) -> Catalogue {
        assemble(self, &self.serving, BridgePurpose::Calls).catalogue
    }

    /// Calls a tool by name (`ExecuteMCPTool`), without a server. Must run inside a tokio runtime.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, UnknownTool> {
        self.assembled().call(tool, arguments).await
    }

    /// The tools and their call paths, made once for many calls.
    pub fn assembled(&self) -> Assembled {
        assemble(self, &self.serving, BridgePurpose::Calls)
    }

    /// The CLI with the bridge's subcommand.
    pub fn mount(&self) -> clap::Command {
        commands::mounted(&self.command, &self.name)
    }

    /// Does what the bridge's subcommand asks for, if it was given; `None` means that the CLI goes on as usual.
    ///
    /// With `MCP_MODE=true` in the environment the server starts whatever the command line says, unless this
    /// process is itself a child of a bridge.
    pub fn run(&self, matches: &ArgMatches) -> Option<ExitCode> {
        if mcp::mode_is_set() {
            return Some(self.serve());
        }
        mcp::run(self, matches).map(ExitCode::from)
    }

    /// Parses the command line like `clap::Command::get_matches`, with the bridge's subcommand added. If that was
    /// given, it is done and the process ends.
    pub fn get_matches(self) -> ArgMatches {
        if let Some(done) = mcp::run_before_parsing(&self) {
            std::process::exit(done.into());
        }
        let matches = commands::get_matches(&self.command, &self.name);
        if let Some(done) = mcp::run(&self, &matches) {
            std::process::exit(done.into());
        }
        matches
    }

    /// Parses the command line like `clap::Parser::parse`, with the bridge's subcommand added.
    pub fn parse<P: clap::Parser>(self) -> P {
        let command = Arc::clone(&self.command);
        let matches = self.get_matches();
        P::from_arg_matches(&matches).unwrap_or_else(|error| commands::exit_with(error, &command))
    }

    /// Serves on standard input and output until the client goes away.
    pub fn serve(&self) -> ExitCode {
        serve::start(self, &self.serving).into()
    }
}

impl std::fmt::Debug for Bridge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bridge")
            .field("command", &self.command.get_name())
            .finish_non_exhaustive()
    }
}

/// Names of commands, switches or arguments that do not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct WrongNames(Vec<String>);

impl WrongNames {
    /// A sentence on each.
    pub fn mistakes(&self) -> &[String] {
        &self.0
    }
}

/// There is no tool of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tool `{0}`")]
pub struct UnknownTool(pub String);
