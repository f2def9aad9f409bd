//! The path that every call takes, put together here and nowhere else: a program's, a clap host's, a spell's, and the
//! answers of the bridge's own.
//!
//! A call passes these steps from the first to the last, and its outcome comes back the other way:
//!
//! 1. the audit log, so that whatever a later step refuses is on record;
//! 2. the log of calls;
//! 3. the operator's programs that are told of errors ([`CallPath::hooks`]), whichever step they come from;
//! 4. understanding ([`understand`]): input as an assistant naturally writes it becomes the strict form, once, so that no
//!    later step can be got around by another spelling; what is on record is what was given;
//! 5. the steps of the server ([`SharedSteps::step`]);
//! 6. output as data ([`Structure`]): what it adds to the input is checked, and what later steps take out of the output
//!    is not in the data;
//! 7. the operator's programs that judge a call, and look at what came of it ([`CallPath::hooks`]): what they change in the
//!    input is checked by all that follows, and what they change in the output is what becomes data;
//! 8. checks of input ([`CallPath::check`]);
//! 9. the author's own layers ([`CallPath::layer`]), the first of them outermost;
//! 10. [`Execute`]: binding, the [`Policy`], the command line, the check of each of its elements, the [`LastCheck`], and the
//!     process or handler.
//!
//! A [dry run](crate::DryRun) passes them all, and stops before the process.

use std::{fmt, sync::Arc};

use charmer_core::{call::understand, tool::Tool};
use tower::{BoxError, Layer, Service, service_fn};

#[cfg(feature = "hook-programs")]
use crate::hook_programs::{Asking, Explained, HookPrograms, Judged};
#[cfg(feature = "data")]
use crate::layers::Structure;
use crate::{
    Call, CallError, CallService, ErrorCode, Execute, LastCheck, Limits, Outcome, Policy, Redactor,
    Rule, ServedTool, Target, into_service,
    layers::{Audit, GivenData, Validate, log_calls_with},
    process::Launcher,
    wrap,
};

/// Puts something around a call path: a layer whose type is forgotten.
pub type Step = Arc<dyn Fn(CallService) -> CallService + Send + Sync>;

/// The steps that all calls of a server take, whatever tool they are for. Clones share the log.
#[derive(Clone, Default)]
pub struct SharedSteps {
    /// The audit log, and the step that writes it.
    audit: Option<(Audit, Step)>,
    log: Option<Step>,
    steps: Vec<Step>,
}

impl SharedSteps {
    /// Puts every call on record.
    #[must_use]
    pub fn audit(mut self, audit: Option<Audit>) -> Self {
        self.audit = audit.map(|audit| (audit.clone(), step(audit)));
        self
    }

    /// Tells how each call went.
    #[must_use]
    pub fn log(mut self, tell: impl Fn(&Call, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(step(log_calls_with(tell)));
        self
    }

    /// Adds a step behind those that were added before.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The audit log, if there is one.
    pub fn audit_log(&self) -> Option<&Audit> {
        self.audit.as_ref().map(|(audit, _)| audit)
    }

    /// Returns true if code that may block stands on them.
    fn may_block(&self) -> bool {
        self.log.is_some() || !self.steps.is_empty()
    }

    fn around(&self, mut service: CallService, explained: Option<Step>) -> CallService {
        for step in self.steps.iter().rev() {
            service = step(service);
        }
        service = understanding(service);
        let audit = self.audit.as_ref().map(|(_, step)| step);
        for step in explained.iter().chain(&self.log).chain(audit) {
            service = step(service);
        }
        service
    }
}

impl fmt::Debug for SharedSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSteps")
            .field("audit", &self.audit_log())
            .field("log", &self.log.is_some())
            .field("steps", &self.steps.len())
            .finish()
    }
}

/// A layer as a step. What it does is code of a CLI only where somebody makes one: a path that names its layers would link
/// them all.
pub fn step<L>(layer: L) -> Step
where
    L: Layer<CallService> + Send + Sync + 'static,
    L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    <L::Service as Service<Call>>::Error: Into<BoxError>,
    <L::Service as Service<Call>>::Future: Send + 'static,
{
    Arc::new(move |service| wrap(&layer, service))
}

/// The path behind this takes input in its strict form.
fn understanding(service: CallService) -> CallService {
    into_service(service_fn(move |mut call: Call| {
        let mut service = service.clone();
        async move {
            let understood = understand(&call.tool, &call.input).map_err(CallError::from)?;
            call.input = understood.input;
            call.notes.extend(understood.notes);
            service.call(call).await
        }
    }))
}

/// A tool's call path while it is put together.
///
/// ```
/// use std::sync::Arc;
/// use charmer_core::{model::{Cli, Command, Syntax}, tool::{CatalogueOptions, catalogue}};
/// use charmer_run::{CallError, CallPath, HandlerCall, Reply, SharedSteps, Target};
///
/// let cli = Cli::new(Command::new("hello"), Syntax::pflag());
/// let tool = catalogue(&cli, &CatalogueOptions::default()).tools.remove(0);
/// let says = |_: HandlerCall| -> Result<Reply, CallError> { Ok("hello".into()) };
/// let served = CallPath::new(tool, Target::Handler(Arc::new(says))).serve(&SharedSteps::default());
/// assert_eq!(served.tool.name.as_str(), "hello");
/// ```
pub struct CallPath {
    tool: Arc<Tool>,
    execute: Execute,
    layers: Vec<Step>,
    checks: Vec<Step>,
    /// Makes the step that reads output as data.
    data: Option<MakeData>,
    limits: Limits,
    redactor: Redactor,
    /// Makes the steps that ask the operator's programs.
    hooks: Option<MakeHooks>,
    may_block: bool,
}

/// The step that reads output as data, made of what must not be seen in it.
type MakeData = Box<dyn FnOnce(&Redactor) -> Step>;

/// The steps that ask about a call, and that tell of errors, made of who starts the program and what must not be seen.
type MakeHooks = Box<dyn FnOnce(Option<&Launcher>, &Redactor) -> [Step; 2]>;

impl CallPath {
    /// The path of this tool's calls to this target.
    pub fn new(tool: Arc<Tool>, target: Target) -> Self {
        Self {
            execute: Execute::new(Arc::clone(&tool), target),
            tool,
            layers: Vec::new(),
            checks: Vec::new(),
            data: None,
            limits: Limits::default(),
            redactor: Redactor::default(),
            hooks: None,
            may_block: false,
        }
    }

    /// The path of a tool that is answered by this function, which reads the input by itself.
    pub fn answering<F>(tool: Arc<Tool>, answer: F) -> Self
    where
        F: Fn(Call) -> Result<Outcome, CallError> + Clone + Send + Sync + 'static,
    {
        let service = into_service(service_fn(move |call: Call| {
            let answer = answer.clone();
            async move {
                if call.dry_run {
                    let name = call.tool.name.clone();
                    return answer(call).and_then(|_| Err(runs_no_program(name.as_str())));
                }
                answer(call)
            }
        }));
        Self::new(tool, Target::Answer(service)).may_block(true)
    }

    /// Sets how the output becomes data.
    #[cfg(feature = "data")]
    #[must_use]
    pub fn structure(mut self, structure: Structure) -> Self {
        self.data = (!structure.is_idle()).then(|| {
            let make = |redactor: &Redactor| step(structure.redactor(redactor.clone()));
            Box::new(make) as MakeData
        });
        self
    }

    /// Adds a check of the input.
    #[must_use]
    pub fn check(mut self, check: Validate) -> Self {
        self.checks.push(step(check));
        self
    }

    /// Adds a layer of the author's behind those that were added before.
    #[must_use]
    pub fn layer(mut self, layer: Step) -> Self {
        self.layers.push(layer);
        self
    }

    /// Sets the operator's programs that are asked about its calls.
    #[cfg(feature = "hook-programs")]
    #[must_use]
    pub fn hooks(mut self, hooks: HookPrograms) -> Self {
        self.hooks = (!hooks.is_empty()).then(|| {
            let make = |launcher: Option<&Launcher>, redactor: &Redactor| {
                let asking = Asking {
                    hooks,
                    launcher: launcher.cloned(),
                    redactor: redactor.clone(),
                };
                [step(Judged(asking.clone())), step(Explained(asking))]
            };
            Box::new(make) as MakeHooks
        });
        self
    }

    /// Sets who decides on a call before its command line is written.
    #[must_use]
    pub fn policy(mut self, policy: Arc<dyn Policy>) -> Self {
        self.execute = self.execute.decided_by(policy);
        self
    }

    /// Sets who has the last word on a command line.
    #[must_use]
    pub fn last_check(mut self, last_check: Arc<dyn LastCheck>) -> Self {
        self.execute = self.execute.judged_by(last_check);
        self
    }

    /// Sets what a dry run says of who let its calls run.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.execute = self.execute.let_in_by(rule);
        self
    }

    /// Sets how long and large its calls may become.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what must not be seen in its results.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Says whether something on it may block; it then runs apart from the protocol.
    #[must_use]
    pub fn may_block(mut self, yes: bool) -> Self {
        self.may_block = yes;
        self
    }

    /// The tool with its call path, behind the steps that all calls take.
    pub fn serve(self, shared: &SharedSteps) -> ServedTool {
        let in_callers_folder = self.execute.in_callers_folder();
        let handled = self.execute.is_handled();
        let make_hooks = self.hooks;
        let hooks = make_hooks.map(|make| make(self.execute.launcher(), &self.redactor));
        let [judged, explained] = hooks.map_or([None, None], |steps| steps.map(Some));
        let data = match self.data {
            Some(make) => Some(make(&self.redactor)),
            None => handled.then(|| step(GivenData(self.redactor.clone()))),
        };
        // What a hook is told can be long.
        let may_block = self.may_block || judged.is_some();
        let steps = data
            .iter()
            .chain(&judged)
            .chain(&self.checks)
            .chain(&self.layers);
        let mut service = into_service(self.execute);
        for step in steps.rev() {
            service = step(service);
        }
        let service = shared.around(service, explained);
        let mut served = ServedTool::new(self.tool, service, self.limits).redactor(self.redactor);
        served.in_callers_folder = in_callers_folder;
        match may_block || shared.may_block() {
            true => served,
            false => served.never_blocks(),
        }
    }
}

/// The refusal of a dry run of what would not run anything anyway.
fn runs_no_program(name: &str) -> CallError {
    CallError::new(
        ErrorCode::InvalidArguments,
        format!("`{name}` runs no program, so there is no dry run of it"),
    )
    .hint("call it without")
}

impl fmt::Debug for CallPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallPath")
            .field("execute", &self.execute)
            .field("layers", &self.layers.len())
            .finish_non_exhaustive()
    }
}
