//! The innermost service: input bound, decided on, written as an argv, checked and judged; then a process or a handler.

#[cfg(feature = "approval")]
mod approve;
#[cfg(feature = "approval")]
mod foresee;

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

#[cfg(all(feature = "drafts", target_os = "linux"))]
use charmer_core::tool::quoted;
use charmer_core::{
    call::{Prepared, bind, write},
    output::{answering_flag, clean, waiting_line},
    tool::Tool,
};
use tower_service::Service;

#[cfg(feature = "approval")]
use crate::approval::ToolApproval;
use crate::{
    Call, CallError, CallFuture, CallService, Confined, DryRun, Ended, ErrorCode, Handler,
    HandlerCall, Outcome, Policy, Reading, Rule, RunPlace, begin_blocking,
    folder::here,
    layers::leave_argv,
    only_reads::only_reads,
    process::{Launcher, Planned, Request},
};

/// Has the last word on a command line before it is run: for a clap program, clap itself.
pub trait LastCheck: Send + Sync {
    /// Accepts the command line, or says why the program would not take it as it was meant.
    fn last_check(&self, tool: &Tool, prepared: &Prepared) -> Result<(), CallError>;
}

/// The program, handler or answer that a call runs.
#[derive(Clone)]
#[non_exhaustive]
pub enum Target {
    /// A program.
    Process(Launcher),
    /// A function of the host program.
    Handler(Arc<dyn Handler>),
    /// An answer of the bridge's own, which runs no program and reads its input by itself.
    Answer(CallService),
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process(launcher) => f.debug_tuple("Process").field(launcher).finish(),
            Self::Handler(_) => f.write_str("Handler(..)"),
            Self::Answer(_) => f.write_str("Answer(..)"),
        }
    }
}

/// Runs the calls of one tool against one target.
///
/// A layer may hand it a call of another tool: that one is bound and written, but every element must still be one that
/// its own tool could have written.
#[derive(Clone)]
pub struct Execute {
    tool: Arc<Tool>,
    target: Target,
    policy: Option<Arc<dyn Policy>>,
    last_check: Option<Arc<dyn LastCheck>>,
    rule: Option<Arc<Rule>>,
    #[cfg(feature = "approval")]
    approval: Arc<ToolApproval>,
    /// The place of the flag that answers the program's question, where a person answers it.
    #[cfg(feature = "approval")]
    answers: Option<usize>,
}

impl Execute {
    /// A service that runs this target for calls of this tool.
    pub fn new(tool: Arc<Tool>, target: Target) -> Self {
        Self {
            tool,
            target,
            policy: None,
            last_check: None,
            rule: None,
            #[cfg(feature = "approval")]
            approval: Arc::default(),
            #[cfg(feature = "approval")]
            answers: None,
        }
    }

    /// Gives the flag at this place in each call: a person is asked about it, and answers the program's question by that.
    #[cfg(feature = "approval")]
    #[must_use]
    pub(crate) fn answering(mut self, flag: usize) -> Self {
        self.answers = Some(flag);
        self
    }

    /// Sets which calls a person must allow, and who asks.
    #[cfg(feature = "approval")]
    #[must_use]
    pub(crate) fn approved_by(mut self, approval: ToolApproval) -> Self {
        self.approval = Arc::new(approval);
        self
    }

    /// Sets who decides on a call before its command line is written.
    #[must_use]
    pub fn decided_by(mut self, policy: Arc<dyn Policy>) -> Self {
        self.policy = Some(policy);
        self
    }

    /// Sets who has the last word on a command line.
    #[must_use]
    pub(crate) fn judged_by(mut self, last_check: Arc<dyn LastCheck>) -> Self {
        self.last_check = Some(last_check);
        self
    }

    /// Sets what a dry run says of who let its calls run.
    #[must_use]
    pub(crate) fn let_in_by(mut self, rule: Rule) -> Self {
        self.rule = Some(Arc::new(rule));
        self
    }

    pub(crate) async fn run(self, call: Call) -> Result<Outcome, CallError> {
        let permissions = call.caller.permissions.clone();
        if let Target::Answer(service) = &self.target {
            let mut service = service.clone();
            permissions.check_answer(&call.tool)?;
            // What an author wrote out has a program behind this.
            if call.draft.is_some() && call.tool.input.template.is_none() {
                return Err(not_drafted(&call.tool));
            }
            let reads = call.reads;
            #[cfg(feature = "approval")]
            let mut call = call;
            // A command that an author wrote out comes to its command line behind this, and is asked about there.
            #[cfg(feature = "approval")]
            if call.tool.input.template.is_some() {
                call.approval = Some(Arc::clone(&self.approval));
            } else if !call.dry_run
                && let Some(asks_first) = self.approved_answer(&call).await?
            {
                return Ok(asks_first);
            }
            let mut outcome = service.call(call).await?;
            // What is behind it does not know who let it in.
            if let (Some(dry_run), Some(rule)) = (&mut outcome.dry_run, &self.rule) {
                dry_run.rule = rule.told(reads);
            }
            return Ok(outcome);
        }
        let mut place = RunPlace::default();
        let mut bound = match &self.policy {
            // A policy is about its own tool, whatever a layer made of the call.
            Some(policy) => {
                let mut bound = bind(&self.tool, &call.input)?;
                policy.decide(&self.tool, &mut bound, &mut place)?;
                bound
            }
            None => bind(&call.tool, &call.input)?,
        };
        // Whatever came before: what is given decides what a call does.
        if !call.reads || call.reading == Reading::Labelled {
            let of = match &self.policy {
                Some(_) => &self.tool,
                None => &call.tool,
            };
            if call.reads {
                only_reads(of, &bound, None)?;
            }
            permissions.check(of, &bound)?;
        }
        self.place_in_folder(&call, &mut place)?;
        let notes = call.notes.clone();
        bound.notes.clone_from(&notes);
        #[cfg(feature = "approval")]
        if let Some(at) = self.answers {
            bound.flags.retain(|(other, _)| *other != at);
            bound
                .flags
                .push((at, charmer_core::call::Given::Switch(true)));
            bound.flags.sort_by_key(|(at, _)| *at);
        }
        let prepared = write(&call.tool, &self.tool, bound)?;
        leave_argv(&self.tool, place.program.as_deref(), &prepared.argv);
        if let Some(last_check) = &self.last_check {
            last_check.last_check(&call.tool, &prepared)?;
        }
        if call.cancel.is_cancelled() {
            return Err(CallError::new(
                ErrorCode::Cancelled,
                "the call was cancelled before it began",
            ));
        }
        if call.dry_run {
            let planned = self.planned(&call, &prepared, place)?;
            #[cfg(feature = "approval")]
            let planned = self.with_need(&call, &prepared, planned);
            return Ok(Outcome::not_run(planned));
        }
        #[cfg(feature = "approval")]
        if let Some(mut instead) = self.approved(&call, &prepared, &place).await? {
            instead.notes.splice(0..0, notes);
            return Ok(instead);
        }
        #[cfg(all(feature = "drafts", target_os = "linux"))]
        let (draft, line) = (
            self.wanted_draft(&call, &prepared),
            command_line(&call, &prepared),
        );
        let mut outcome = match self.target {
            Target::Process(launcher) => {
                let mut request = Request::new(prepared.argv.to_os_strings(), call.limits)
                    .progress(call.progress)
                    .live(call.live)
                    .principal(call.caller.principal)
                    .reads(call.reads)
                    .place(place);
                request.stdin = prepared.bound.stdin.map(String::into_bytes);
                #[cfg(feature = "sandbox")]
                let confinement = launcher.confinement(call.reads);
                #[cfg(feature = "sandbox")]
                let confinement = confinement.map(|by| (by, launcher.wording(&request)));
                #[cfg(not(all(feature = "drafts", target_os = "linux")))]
                if call.draft.is_some() {
                    return Err(not_drafted(&call.tool));
                }
                #[cfg(not(all(feature = "drafts", target_os = "linux")))]
                let outcome = launcher.run(request, call.cancel).await?;
                #[cfg(all(feature = "drafts", target_os = "linux"))]
                let outcome = match draft {
                    None => launcher.run(request, call.cancel).await?,
                    Some(wish) => {
                        let folders = &call.caller.folders;
                        let run = launcher.run_drafted(request, call.cancel, &wish, folders, line);
                        run.await?
                    }
                };
                #[cfg_attr(not(feature = "sandbox"), expect(unused_mut))]
                let mut outcome = advised(outcome, &call.tool);
                #[cfg(feature = "sandbox")]
                match (call.reads, confinement) {
                    (true, Some((by, wording))) => by.advise(&mut outcome, &call.tool, &wording),
                    (false, Some((by, wording))) => by.advise_writing(&mut outcome, &wording),
                    (_, None) => {}
                }
                outcome
            }
            Target::Handler(_) if call.draft.is_some() => return Err(not_drafted(&call.tool)),
            Target::Handler(handler) => {
                run_handler(handler, HandlerCall { call, prepared }).await?
            }
            Target::Answer(_) => unreachable!("it has answered above"),
        };
        outcome.notes.splice(0..0, notes);
        Ok(outcome)
    }

    /// Returns true if a rule makes a call a draft, whatever its caller asked for.
    #[cfg(feature = "approval")]
    fn is_drafted_by_rule(&self, call: &Call, prepared: &Prepared) -> bool {
        #[cfg(all(feature = "drafts", target_os = "linux"))]
        if let Target::Process(launcher) = &self.target {
            let rule = launcher.drafting_way().and_then(|drafting| drafting.effect);
            let effect = prepared.bound.effect(&call.tool);
            return rule.is_some_and(|rule| !call.reads && effect >= rule);
        }
        let _ = (call, prepared);
        false
    }

    /// The wish that a call is run as a draft, its caller's or a rule's.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    fn wanted_draft(&self, call: &Call, prepared: &Prepared) -> Option<crate::DraftRequest> {
        let by_rule = self.is_drafted_by_rule(call, prepared);
        let by_rule = by_rule.then(|| crate::DraftRequest::new(crate::DraftedBy::Rule));
        let mut wish = match (call.draft.clone(), by_rule) {
            // Who goes on with a draft cannot get around the rule by that.
            (Some(mut asked), Some(rule)) => {
                asked.by = rule.by;
                asked
            }
            (asked, rule) => asked.or(rule)?,
        };
        wish.need = self.need_to_apply(call, prepared.bound.effect(&call.tool));
        Some(wish)
    }

    /// Returns true if a handler answers, and no program.
    pub(crate) fn is_handled(&self) -> bool {
        matches!(self.target, Target::Handler(_))
    }

    /// The launcher of the program, where there is one.
    pub(crate) fn launcher(&self) -> Option<&Launcher> {
        match &self.target {
            Target::Process(launcher) => Some(launcher),
            Target::Handler(_) | Target::Answer(_) => None,
        }
    }

    /// Returns true if the folder of the caller matters: nobody else says where the program runs.
    pub(crate) fn in_callers_folder(&self) -> bool {
        let fixed = |launcher: &Launcher| launcher.fixed_folder().is_some();
        self.policy.is_none()
            && matches!(&self.target, Target::Process(launcher) if !fixed(launcher))
    }

    /// Opens the folder of the caller, unless somebody else says where the program runs.
    fn place_in_folder(&self, call: &Call, place: &mut RunPlace) -> Result<(), CallError> {
        if self.in_callers_folder() {
            let folder = call.caller.folders.open(call.folder.as_deref())?;
            place.folder = folder.map(Arc::new);
            return Ok(());
        }
        match &call.folder {
            None => Ok(()),
            Some(_) => Err(CallError::refused(format!(
                "`folder`: `{}` always runs in a folder of its own",
                call.tool.name
            ))
            .hint("leave it out")),
        }
    }

    /// The plan of what would be run.
    fn planned(
        &self,
        call: &Call,
        prepared: &Prepared,
        place: RunPlace,
    ) -> Result<DryRun, CallError> {
        let Planned {
            program,
            folder,
            confinement,
        } = match &self.target {
            Target::Process(launcher) => launcher.planned(place, call.reads)?,
            // It runs in this process, as the program that would have been started.
            _ => Planned {
                program: call.tool.help.program.to_string(),
                folder: here()?,
                confinement: Confined::not(call.reads),
            },
        };
        let argv = prepared.argv.to_strings().into_iter().map(str::to_owned);
        let rule = match (&self.rule, self.tool.selector) {
            (Some(rule), _) => rule.told(call.reads),
            (None, Some(at)) => format!("selector {}", at + 1),
            (None, None) => "no selector: every command is offered".to_owned(),
        };
        Ok(DryRun {
            argv: [program].into_iter().chain(argv).collect(),
            folder,
            effect: prepared.bound.effect(&call.tool),
            confinement,
            rule,
            notes: prepared.bound.notes.clone(),
        })
    }
}

impl fmt::Debug for Execute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute")
            .field("tool", &self.tool.name)
            .field("target", &self.target)
            .field("judged", &self.last_check.is_some())
            .finish()
    }
}

impl Service<Call> for Execute {
    type Response = Outcome;
    type Error = CallError;
    type Future = CallFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        Box::pin(self.clone().run(call))
    }
}

/// The command line by which people know a call again.
#[cfg(all(feature = "drafts", target_os = "linux"))]
fn command_line(call: &Call, prepared: &Prepared) -> String {
    let program = call.tool.help.program.to_string();
    let words = prepared.argv.to_strings().into_iter().map(str::to_owned);
    let words = [program].into_iter().chain(words);
    let words: Vec<String> = words.map(|word| quoted(&word)).collect();
    words.join(" ")
}

/// The refusal of a draft of what is no program, or where there are no drafts.
fn not_drafted(tool: &Tool) -> CallError {
    CallError::refused(format!("`{}` cannot be run as a draft", tool.name))
        .hint("leave `draft` out; only programs can be, on Linux")
}

/// Says so where a program that ended badly seems to have waited for an answer.
fn advised(mut outcome: Outcome, tool: &Tool) -> Outcome {
    if matches!(outcome.ended, Ended::Exited(0) | Ended::Cancelled) {
        return outcome;
    }
    let (stderr, stdout) = (outcome.stderr.end_text(), outcome.stdout.end_text());
    let (stderr, stdout) = (clean(&stderr), clean(&stdout));
    if let Some(line) = waiting_line(&stderr).or_else(|| waiting_line(&stdout)) {
        let flags = tool.input.flags.iter();
        let answer = answering_flag(flags.clone().map(|property| &*property.flag));
        let key =
            answer.and_then(|flag| flags.clone().find(|property| property.flag.id == flag.id));
        outcome.advice = Some(match key {
            Some(property) => format!(
                "it seems to wait for an answer: `{line}`; give `{}`",
                property.key
            ),
            None => format!("it seems to wait for an answer that nobody can give here: `{line}`"),
        });
    }
    outcome
}

async fn run_handler(handler: Arc<dyn Handler>, call: HandlerCall) -> Result<Outcome, CallError> {
    let began = Instant::now();
    // A token of its own, so that a handler is also told when its time is up.
    let told = call.call.cancel.child_token();
    let limits = call.call.limits.clone();
    let mut given = call;
    given.call.live.start();
    given.call.cancel = told.clone();
    let work = begin_blocking(move || handler.handle(given));
    let unfinished = |ended| Outcome {
        ended,
        duration: began.elapsed(),
        ..Outcome::success("")
    };
    tokio::select! {
        done = work => match done {
            Ok(reply) => Ok(Outcome { duration: began.elapsed(), ..reply?.into() }),
            Err(_) => Err(CallError::new(ErrorCode::Internal, "the command's handler panicked")
                .hint("this is a bug in the program; its standard error says more")),
        },
        () = told.cancelled() => Ok(unfinished(Ended::Cancelled)),
        () = tokio::time::sleep(limits.timeout) => {
            told.cancel();
            Ok(unfinished(Ended::TimedOut))
        }
    }
}
