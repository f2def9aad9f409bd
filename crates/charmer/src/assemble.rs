//! From a builder to tools with call paths.

use std::{ffi::OsString, sync::Arc};

#[cfg(feature = "schema")]
use charmer_core::tool::{DATA_POINTER, Warning};
use charmer_core::{
    assessment::Assessment,
    model::{Cli, Command, CommandPath, Flag, FlagValue},
    tool::{Catalogue, CatalogueOptions, catalogue, estimate_tokens},
};
#[cfg(feature = "data")]
use charmer_run::layers::Structure;
use charmer_run::{
    CallError, CallPath, CallResult, ErrorCode, HandlerCall, LastCheck, Reply, SharedSteps, Spool,
    Target, ToolSet,
    process::{Engine, EngineOptions, Environment, GuardianCommand, Launcher, MODE, new_mark},
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{
    Bridge, UnknownTool,
    audit::AuditLog,
    bridge::{MatchesHandler, Serving},
    clap_check::ClapCheck,
    commands,
    log::Level,
    selector::Selector,
    source,
};

/// The tools of a bridge, ready to be called.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Assembled {
    /// The tools and what a developer should know about them.
    pub catalogue: Catalogue,
    pub(crate) tools: ToolSet,
    pub(crate) engine: Engine,
    pub(crate) audit: Option<AuditLog>,
    /// The calls that go on after their clients were answered.
    #[cfg(feature = "jobs")]
    pub(crate) jobs: Option<charmer_run::jobs::Jobs>,
}

impl Assembled {
    /// Calls a tool by name. Must run inside a tokio runtime.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, UnknownTool> {
        let served = self
            .tools
            .get(tool)
            .ok_or_else(|| UnknownTool(tool.to_owned()))?;
        Ok(served.call(arguments, CancellationToken::new()).await)
    }
}

/// The purpose that the tools are put together for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BridgePurpose {
    /// Calls by the program itself.
    Calls,
    /// A server: it may be killed, and its clients can ask for more of an output.
    Server,
}

pub(crate) fn assemble(bridge: &Bridge, serving: &Serving, purpose: BridgePurpose) -> Assembled {
    let mark = new_mark();
    let environment = environment(bridge, &mark);
    let (cli, mistakes) = model(bridge, &environment);
    assert!(mistakes.is_empty(), "charmer: {}", mistakes.join("; "));
    let catalogue = catalogue(&cli, &options(bridge));
    #[cfg(feature = "schema")]
    let mut catalogue = catalogue;
    #[cfg(feature = "schema")]
    for (path, output) in &bridge.outputs {
        let notes = output.notes().iter();
        let warn =
            notes.map(|note| Warning::new(path.clone(), format!("its output schema: {note}")));
        catalogue.warnings.extend(warn);
    }

    let added = environment.iter().map(|(name, _)| name.to_owned());
    let added = added.filter(|name| std::env::var_os(name).is_none());
    let last_check = Arc::new(ClapCheck::new(bridge, added.collect::<Vec<OsString>>()));
    let engine = engine(bridge, purpose, &mark);
    // Resolved once: what the name or a link means later changes nothing. A program that cannot be found is
    // reported by the first call, so that the tools can still be listed.
    let program = bridge
        .program
        .clone()
        .or_else(|| std::env::current_exe().ok())
        .unwrap_or_default();
    let program = std::path::absolute(&program).unwrap_or(program);
    let launcher = Launcher::new(
        program,
        environment,
        bridge.directory.clone(),
        engine.clone(),
    );

    let audit = bridge.audit.as_ref();
    let audit = audit.map(|make| make(&bridge.redactor, &bridge.logger));
    let mut shared = audit
        .as_ref()
        .map_or_else(SharedSteps::default, |audit| audit.steps.clone());
    #[cfg(feature = "jobs")]
    let jobs = (purpose == BridgePurpose::Server)
        .then(|| charmer_run::jobs::Jobs::new(bridge.job_rules.clone(), engine.spool().cloned()));
    #[cfg(feature = "jobs")]
    {
        shared = shared.jobs(jobs.clone());
    }
    if bridge.log_calls {
        let logger = Arc::clone(&bridge.logger);
        shared = shared.log(move |_, line| logger(Level::Info, line));
    }
    let tools = ToolSet::new(catalogue.tools.iter().map(|tool| {
        let target = match last_of(&bridge.handlers, &tool.path) {
            Some(handler) => Target::Handler(in_process(handler, &last_check)),
            None => Target::Process(launcher.clone()),
        };
        let selector = tool.selector.map(|at| &bridge.selectors[at]);
        let limits = selector.map_or_else(
            || bridge.limits.clone(),
            |selector| selector.limits_within(&bridge.limits),
        );
        let mut path = CallPath::new(Arc::clone(tool), target)
            .redactor(engine.redactor().clone())
            .limits(limits)
            .may_block(has_authors_code(bridge, selector, &tool.path));
        #[cfg(feature = "data")]
        {
            path = path.structure(structure(bridge, selector, &tool.path));
        }
        let selected = selector.iter().flat_map(|selector| &selector.layers);
        for layer in bridge.layers.iter().chain(selected) {
            path = path.layer(Arc::clone(layer));
        }
        if bridge.judged {
            path = path.last_check(Arc::clone(&last_check) as Arc<dyn LastCheck>);
        }
        path.serve(&shared).visibility(
            selector
                .map(|selector| selector.visibility)
                .unwrap_or_default(),
        )
    }));
    let tools = tools.behind(shared.clone());
    let tools = match engine.spool() {
        Some(spool) => tools.with_spool(spool),
        None => tools,
    };
    let mut exposure = serving.exposure.clone();
    exposure.results = serving.results.unwrap_or(exposure.results);
    let spent = estimate_tokens(&exposure.instructions(""));
    let tools = exposure.spent(spent).behind(shared).apply(tools).tools;
    Assembled {
        catalogue,
        tools,
        engine,
        audit,
        #[cfg(feature = "jobs")]
        jobs,
    }
}

/// The names in what an author said that do not exist.
pub(crate) fn mistakes(bridge: &Bridge) -> Vec<String> {
    model(bridge, &environment(bridge, "")).1
}

/// The CLI with what its author said of it, and what names something that is not there.
pub(crate) fn model(bridge: &Bridge, environment: &Environment) -> (Cli, Vec<String>) {
    // The program that is run has the bridge's own command (and clap's `help` with it), so that a positional of these
    // names would call them: they must be known to whoever writes or judges a command line.
    let mut cli = source::read(
        &commands::built(&bridge.command, &bridge.name),
        &bridge.command,
        &|name| environment.get(name).is_some(),
    );
    let mistakes = apply_author(bridge, &mut cli);
    // What the author did not say is told from names and help, as for any program.
    let mut assessment = Assessment::of(&cli);
    for path in bridge.hints.iter().map(|(path, _)| path) {
        // Whoever says what a command does has thought of its flags.
        assessment.command_mut(path).writes.clear();
    }
    assessment.apply(&mut cli);
    assessment.mark_writing_flags(&mut cli);
    (cli, mistakes)
}

/// The effort to have a command's output as data. It stands around the author's layers, so that a filter has seen the
/// text before.
#[cfg(feature = "data")]
fn structure(bridge: &Bridge, selector: Option<&Selector>, path: &CommandPath) -> Structure {
    let mut structure = bridge.structure.clone();
    if let Some(mode) = selector.and_then(|selector| selector.structure) {
        structure = structure.mode(mode);
    }
    #[cfg(feature = "schema")]
    if let Some(output) = last_of(&bridge.outputs, path) {
        structure = structure.output(Arc::clone(output));
    }
    structure
}

/// The last word on a command.
fn last_of<'b, T>(said: &'b [(CommandPath, T)], path: &CommandPath) -> Option<&'b T> {
    let said = said.iter().rev().find(|(of, _)| of == path);
    said.map(|(_, what)| what)
}

/// Returns true if code of the author's stands on a command's call path. A handler does not count: it has its own
/// thread.
fn has_authors_code(bridge: &Bridge, selector: Option<&Selector>, path: &CommandPath) -> bool {
    !bridge.layers.is_empty()
        || selector.is_some_and(|selector| selector.may_block)
        || bridge.rules.iter().any(|(of, ..)| of == path)
}

/// Applies what an author said about commands. What names a command or argument that does not exist is not applied, and
/// returned.
fn apply_author(bridge: &Bridge, cli: &mut Cli) -> Vec<String> {
    let mut mistakes = Vec::new();
    let no_command = |setting: &str, path: &CommandPath| {
        format!("{setting} names the command `{path}`, which does not exist")
    };
    for (path, specs) in &bridge.arg_specs {
        match cli.command_mut(path) {
            Some(command) => *command = std::mem::take(command).with_arg_specs(specs),
            None => mistakes.push(no_command("args", path)),
        }
    }
    for (path, hints) in &bridge.hints {
        match cli.command_mut(path) {
            Some(command) => command.hints = hints.clone(),
            None => mistakes.push(no_command("annotate", path)),
        }
    }
    for path in &bridge.stdin {
        match cli.command_mut(path) {
            Some(command) => command.stdin = true,
            None => mistakes.push(no_command("stdin", path)),
        }
    }
    for (path, _) in &bridge.handlers {
        if cli.command(path).is_none() {
            mistakes.push(no_command("handler", path));
        }
    }
    #[cfg(feature = "schema")]
    for (path, _) in &bridge.outputs {
        if cli.command(path).is_none() {
            mistakes.push(no_command("output_schema", path));
        }
    }
    for (path, switch) in &bridge.confirms {
        let Some(command) = cli.command_mut(path) else {
            mistakes.push(no_command("confirm", path));
            continue;
        };
        let is_switch = |flag: &Flag| flag.is_named(switch) && flag.value == FlagValue::None;
        match command.flags.iter().any(|flag| is_switch(flag)) {
            true => command.confirm = Some(switch.clone()),
            false => mistakes.push(format!(
                "confirm names `{switch}`, which is no switch of `{path}`"
            )),
        }
    }
    for (path, argument, _) in &bridge.rules {
        match cli.command(path) {
            Some(command) if has_argument(command, argument) => {}
            Some(_) => mistakes.push(format!(
                "validate or convert names `{argument}`, which `{path}` does not have"
            )),
            None => mistakes.push(no_command("validate or convert", path)),
        }
    }
    mistakes
}

fn has_argument(command: &Command, argument: &str) -> bool {
    let name = argument.trim_start_matches('-');
    let dashed = format!("--{name}");
    let mut flags = command.flags.iter();
    let mut positionals = command.arguments.listed().iter();
    flags.any(|flag| flag.id == name || flag.is_named(&dashed))
        || positionals
            .any(|positional| positional.id == name || positional.name.as_deref() == Some(name))
}

pub(crate) fn options(bridge: &Bridge) -> CatalogueOptions {
    let mut options = CatalogueOptions::default();
    options.prefix.clone_from(&bridge.prefix);
    options.layout = bridge.layout;
    options.selectors = bridge
        .selectors
        .iter()
        .map(|selector| selector.rules.clone())
        .collect();
    options.rules.clone_from(&bridge.rules);
    #[cfg(feature = "schema")]
    for (path, output) in &bridge.outputs {
        let schema = output.embedded(DATA_POINTER);
        options.outputs.insert(path.clone(), schema);
    }
    options
        .exclude
        .push(CommandPath::root().child(bridge.name.as_str()));
    options
}

pub(crate) fn environment(bridge: &Bridge, mark: &str) -> Environment {
    let mut environment = Environment::inherit(std::env::vars_os());
    environment = match &bridge.env_only {
        Some(names) => environment.only(names).unattended(names),
        None => environment.unattended::<OsString>(&[]),
    };
    // A bridge within a bridge: the outer one's marks are not for the inner one's children.
    environment.remove(MODE);
    for (name, value) in &bridge.env_set {
        match value {
            Some(value) => environment.set(name, value),
            None => environment.remove(name),
        }
    }
    environment.marked(mark, bridge.mcp_mode)
}

fn engine(bridge: &Bridge, purpose: BridgePurpose, mark: &str) -> Engine {
    let mut options = EngineOptions::default();
    options.concurrency = bridge.concurrency;
    options.redactor = bridge.redactor.clone();
    if purpose == BridgePurpose::Server {
        options.spool = bridge
            .spool
            .clone()
            .map(|limits| Spool::new(&std::env::temp_dir(), limits));
        // The same executable, which knows the subcommand because it is serving.
        options.guardian = std::env::current_exe().ok().map(|program| {
            let words = [bridge.name.as_str(), commands::GUARDIAN];
            GuardianCommand::of_server(program, words, mark, options.spool.as_ref())
        });
    }
    Engine::new(options)
}

fn in_process(
    handler: &MatchesHandler,
    last_check: &Arc<ClapCheck>,
) -> Arc<dyn charmer_run::Handler> {
    let (handler, last_check) = (Arc::clone(handler), Arc::clone(last_check));
    Arc::new(move |call: HandlerCall| -> Result<Reply, CallError> {
        let path = &call.call.tool.path;
        let matches = last_check.parse(path, call.prepared.argv.to_os_strings())?;
        let leaf = path
            .words()
            .iter()
            .try_fold(&matches, |matches, word| matches.subcommand_matches(word));
        let leaf = leaf
            .ok_or_else(|| CallError::new(ErrorCode::Internal, "the command was not recognised"))?;
        handler(leaf)
    })
}
