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
use tower::{Service, service_fn};

use crate::{
    Call, CallError, CallService, ErrorCode, Execute, LastCheck, Limits, Outcome, Policy, Redactor,
    Rule, ServedTool, Target,
    hook_programs::{Asking, Explained, HookPrograms, Judged},
    into_service,
    layers::{Audit, Structure, Validate, log_calls},
    wrap,
};

/// Puts something around a call path: a layer whose type is forgotten.
pub type Step = Arc<dyn Fn(CallService) -> CallService + Send + Sync>;

type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// The steps that all calls of a server take, whatever tool they are for. Clones share the log.
#[derive(Clone, Default)]
pub struct SharedSteps {
    audit: Option<Audit>,
    log: Option<Tell>,
    steps: Vec<Step>,
}

impl SharedSteps {
    /// Puts every call on record.
    #[must_use]
    pub fn audit(mut self, audit: Option<Audit>) -> Self {
        self.audit = audit;
        self
    }

    /// Tells how each call went.
    #[must_use]
    pub fn log(mut self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(tell));
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
        self.audit.as_ref()
    }

    /// Returns true if code that may block stands on them.
    fn may_block(&self) -> bool {
        self.log.is_some() || !self.steps.is_empty()
    }

    fn around(&self, mut service: CallService, explained: Option<&Explained>) -> CallService {
        for step in self.steps.iter().rev() {
            service = step(service);
        }
        service = understanding(service);
        if let Some(explained) = explained {
            service = wrap(explained, service);
        }
        if let Some(tell) = self.log.clone() {
            service = wrap(&log_calls(move |line| tell(line)), service);
        }
        match &self.audit {
            Some(audit) => wrap(audit, service),
            None => service,
        }
    }
}

impl fmt::Debug for SharedSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedSteps")
            .field("audit", &self.audit)
            .field("log", &self.log.is_some())
            .field("steps", &self.steps.len())
            .finish()
    }
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
    checks: Vec<Validate>,
    structure: Structure,
    limits: Limits,
    redactor: Redactor,
    hooks: HookPrograms,
    may_block: bool,
}

impl CallPath {
    /// The path of this tool's calls to this target.
    pub fn new(tool: Arc<Tool>, target: Target) -> Self {
        Self {
            execute: Execute::new(Arc::clone(&tool), target),
            tool,
            layers: Vec::new(),
            checks: Vec::new(),
            structure: Structure::off(),
            limits: Limits::default(),
            redactor: Redactor::default(),
            hooks: HookPrograms::default(),
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
    #[must_use]
    pub fn structure(mut self, structure: Structure) -> Self {
        self.structure = structure;
        self
    }

    /// Adds a check of the input.
    #[must_use]
    pub fn check(mut self, check: Validate) -> Self {
        self.checks.push(check);
        self
    }

    /// Adds a layer of the author's behind those that were added before.
    #[must_use]
    pub fn layer(mut self, layer: Step) -> Self {
        self.layers.push(layer);
        self
    }

    /// Sets the operator's programs that are asked about its calls.
    #[must_use]
    pub fn hooks(mut self, hooks: HookPrograms) -> Self {
        self.hooks = hooks;
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
        let asking = (!self.hooks.is_empty()).then(|| Asking {
            hooks: self.hooks,
            launcher: self.execute.launcher().cloned(),
            redactor: self.redactor.clone(),
        });
        // What a hook is told can be long.
        let may_block = self.may_block || asking.is_some();
        let mut service = into_service(self.execute);
        for layer in self.layers.iter().rev() {
            service = layer(service);
        }
        for check in self.checks.iter().rev() {
            service = wrap(check, service);
        }
        if let Some(asking) = &asking {
            service = wrap(&Judged(asking.clone()), service);
        }
        if !self.structure.is_idle() {
            let structure = self.structure.redactor(self.redactor.clone());
            service = wrap(&structure, service);
        }
        let service = shared.around(service, asking.map(Explained).as_ref());
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
