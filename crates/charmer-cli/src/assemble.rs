//! From what was found out about programs to tools with call paths.

use std::{
    borrow::{Borrow, Cow},
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsString,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use charmer_config::{BadPrincipalName, Completion, Layers};
use charmer_core::{
    expose::{Expose, Visibility},
    model::{Cli, CommandPath, Hints, Network},
    tool::{ARGS_KEY, Annotations, Tool, catalogue, estimate_tokens},
};
use charmer_discover::Discovery;
use charmer_run::{
    Approvals, CallPath, DRAFT_TOOL, Exposed, Exposure, HookRunner, LOCAL, Limits, META_TOOLS,
    Promotions, Reading, ReadsAny, ServedTool, SharedSteps, Spool, Target, ToolSet,
    folder::Folders,
    jobs::{self, Jobs},
    layers::Validate,
    process::{ConfinedPool, Engine, EngineOptions, GuardianCommand, Launcher, MODE, new_mark},
    wrap,
};
use charmer_server::ToolList;
use charmer_spells::{SpellAskRules, SpellBook};
use serde::Serialize;

use crate::{
    approvals::{self, AskRules, MeetingPlace},
    complete::completer,
    confine::{Granted, LOOSEN, LOOSEN_NETWORK},
    drafts,
    excluded::excluded,
    hooks,
    instructions::what_is_here,
    names, output,
    policy::{self, PreparedProgram},
    principals::{self, PrincipalGate},
    problem::Problem,
    refused::Refused,
    rights::{self, Confines},
    rule, set,
    settings::{ServedProgram, Settings},
    sha256::sha256,
    spells::SpellFolder,
    unread,
    visibility_rules::VisibilityRules,
    watched::WatchedPrograms,
};

/// The hidden subcommand that ends the children of a server that was killed.
const GUARDIAN: &str = "guardian";

/// The family of programs whose own completion can be asked.
const COBRA: &str = "cobra";

/// The purpose that tools are put together for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// One call.
    Call,
    /// A server: it may be killed, and its clients can ask for more of an output.
    Server,
}

/// The tools of all programs, without the spells.
#[derive(Debug, Clone, Default)]
pub(crate) struct AssembledTools {
    pub(crate) tools: ToolSet,
    /// The network of each tool, by its name.
    pub(crate) networks: HashMap<String, Granted>,
    pub(crate) warnings: Vec<String>,
    /// The number of flags and commands left out of each program that leaves out any.
    pub(crate) left_out: Vec<LeftOutCount>,
}

/// The amount that is left out of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeftOutCount {
    pub(crate) program: String,
    /// The number of flags, each counted at the command that has it.
    pub(crate) flags: usize,
    /// The number of commands that they stand at.
    pub(crate) commands: usize,
    /// The number of arguments of which some values are refused.
    pub(crate) refused_values: usize,
    /// Only reading is offered.
    #[serde(skip)]
    pub(crate) read_only: bool,
}

impl LeftOutCount {
    /// Counts what is left out of these tools; what belongs to commands that are not offered is not missed.
    fn of(prepared: &PreparedProgram, tools: &[Arc<Tool>]) -> Option<Self> {
        // The words of all commands that are tools, and of those above them.
        let offered: HashSet<&[String]> = tools
            .iter()
            .flat_map(|tool| {
                let words = tool.path.words();
                (0..=words.len()).map(|length| &words[..length])
            })
            .collect();
        let is_offered = |path: &CommandPath| offered.contains(path.words());
        let left_out = prepared.left_out.iter();
        let owners = left_out
            .map(|out| &out.command)
            .filter(|path| is_offered(path));
        let owners: Vec<String> = owners.map(ToString::to_string).collect();
        let refused = prepared.refused.iter();
        let count = Self {
            program: prepared.cli.root.name.clone(),
            flags: owners.len(),
            commands: owners.iter().collect::<BTreeSet<_>>().len(),
            refused_values: refused.filter(|one| is_offered(&one.command)).count(),
            read_only: prepared.read_only,
        };
        (count.flags + count.refused_values > 0).then_some(count)
    }
}

impl AssembledTools {
    /// Tells whoever watches what may not be as it was meant.
    pub(crate) fn warn(&self) {
        self.warnings
            .iter()
            .for_each(|message| output::warn(message));
    }
}

/// Puts tools together, again whenever more is known. What calls share (the engine, rate limits, the audit log) is made
/// once.
pub(crate) struct Assembler {
    settings: Settings,
    running: Vec<RunningProgram>,
    watched: WatchedPrograms,
    pub(crate) engine: Engine,
    /// The processes that run calls which are meant to read.
    pool: Option<Arc<ConfinedPool>>,
    pub(crate) spells: Option<SpellBook>,
    shared: SharedSteps,
    /// The runner of the programs that are asked about calls.
    hooks: HookRunner,
    /// The rules on which calls a person must allow.
    asks: Arc<AskRules>,
    /// The people who are asked.
    pub(crate) approvals: Approvals,
    /// The mark of the server's children.
    mark: String,
    /// The programs as they were last read, where principals have tools of their own.
    found: Mutex<Vec<Option<Arc<Discovery>>>>,
    /// The bounds of the one principal that it is for, if it is for one.
    gate: Option<PrincipalGate>,
    limits: Limits,
    exposure: Exposure,
    visibility_rules: VisibilityRules,
    instructions: String,
}

/// The state that all calls of one program share.
struct RunningProgram {
    /// For the commands of each network.
    launchers: HashMap<Option<Network>, Launcher>,
    /// The network of commands of which nothing else is said.
    network: Option<Network>,
    /// One for each selector.
    layers: Vec<Layers>,
}

impl Assembler {
    /// Makes ready; says what in the configuration may not be as it was meant.
    pub(crate) fn new(settings: Settings, purpose: Purpose) -> (Self, Vec<String>) {
        Self::behind(settings, purpose, SharedSteps::default())
    }

    /// The same with steps that every call takes, before those that the configuration asks for are added.
    fn behind(settings: Settings, purpose: Purpose, shared: SharedSteps) -> (Self, Vec<String>) {
        let config = &settings.config;
        let mark = new_mark();
        let (redactor, notes) = config.redactor(|name| std::env::var(name).ok());
        let mut warnings: Vec<String> = notes.iter().map(ToString::to_string).collect();

        let mut options = EngineOptions::default();
        config.set_load(&mut options);
        options.redactor = redactor.clone();
        let of_principals = purpose == Purpose::Server && !config.principals.is_empty();
        if of_principals || settings.own_credentials {
            let own = settings.own_credentials;
            options.variables = Some(principals::variables(config, redactor.clone(), own));
        }
        if purpose == Purpose::Server {
            options.spool = config
                .spool_limits()
                .map(|limits| Spool::new(&std::env::temp_dir(), limits));
            options.guardian = std::env::current_exe().ok().map(|program| {
                GuardianCommand::of_server(program, [GUARDIAN], &mark, options.spool.as_ref())
            });
        }
        let offers_drafts = drafts::are_offered(&settings);
        options.drafts = offers_drafts.then(|| {
            let server = purpose == Purpose::Server;
            drafts::of(&settings.config, redactor.clone(), server)
        });
        let engine = Engine::new(options);
        let audit = config.audit.as_ref().map(|audit| {
            let audit = audit.layer(redactor, &settings.folder);
            audit.chained(sha256).report_to(output::warn)
        });
        let pool = rights::pool();
        let running = settings
            .programs
            .iter()
            .map(|program| RunningProgram::new(program, &settings, &mark, &engine, pool.as_ref()));
        let limits = config.limits();
        let jobs = (purpose == Purpose::Server)
            .then(|| Jobs::new(config.job_rules(), engine.spool().cloned()));
        let approvals = Approvals::with_digest(sha256);
        let mut shared = shared.audit(audit).jobs(jobs).approvals(approvals.clone());
        if config.log.calls {
            shared = shared.log(output::note_call);
        }
        let hooks = hooks::runner(&settings, &mark, &engine);
        let asks = Arc::<AskRules>::default();
        let spells = settings.spells.as_ref().map(|folder| {
            let levels = hooks::levels(config, folder.source.as_ref(), None);
            let all = hooks::programs(&levels, &hooks);
            let (said, rules, own) = (settings.clone(), Arc::clone(&asks), folder.source.clone());
            let asks = SpellAskRules::new(move |name| rules.of_spell(&said, own.as_ref(), name));
            let asked = (all, asks);
            folder.open(&engine, config, &mark, &shared, pool.clone(), asked)
        });
        warnings.extend(hooks::warnings(&settings, &hooks));
        let mut exposure = exposure(&settings, &shared, &engine);
        let told = exposure.instructions(&what_is_here(&settings));
        let instructions = match &settings.config.server.instructions {
            Some(of_file) => format!("{}\n\n{told}", of_file.trim_end()),
            None => told,
        };
        exposure.spent = estimate_tokens(&instructions);
        let assembler = Self {
            running: running.collect(),
            watched: WatchedPrograms::new(settings.programs.len()),
            exposure,
            visibility_rules: VisibilityRules::new(&settings.config.expose),
            instructions,
            limits,
            spells,
            engine,
            pool,
            shared,
            hooks,
            asks,
            approvals,
            mark,
            found: Mutex::default(),
            gate: None,
            settings,
        };
        (assembler, warnings)
    }

    /// The tools of the programs, as far as they are known. What was found stands in the order of the programs.
    pub(crate) fn assemble<D: Borrow<Discovery>>(
        &self,
        found: &[Option<D>],
    ) -> Result<AssembledTools, Problem> {
        let found = found.iter();
        let found = found.map(|found| found.as_ref().map(|found| Cow::Borrowed(found.borrow())));
        self.assemble_from(found.collect())
    }

    /// The same of what is not needed any more: large models are not there twice.
    pub(crate) fn assemble_from(
        &self,
        found: Vec<Option<Cow<'_, Discovery>>>,
    ) -> Result<AssembledTools, Problem> {
        self.remember(&found);
        let mut all = AssembledTools::default();
        let mut served = Vec::new();
        let mut unmatched = Vec::new();
        let mut not_offered = Vec::new();
        let mut unread = Vec::new();
        let mut of_set = Vec::new();
        let mut taken: BTreeSet<String> = reserved().collect();
        let prefixes = self.prefixes(&found, &mut all.warnings);
        let programs = self.settings.programs.iter().zip(&self.running);
        let programs = programs.zip(self.watched.iter());
        if found.iter().all(Option::is_some) {
            let models: Vec<&Cli> = found.iter().flatten().map(|found| &found.cli).collect();
            of_set = set::check_flags(&self.settings.selection, &models)?;
            if self.gate.is_none() {
                let programs = self.programs();
                of_set.extend(principals::check(&self.settings, programs, &models)?);
            }
        }
        for ((((program, running), watched), found), prefix) in programs.zip(found).zip(prefixes) {
            let Some(found) = found else { continue };
            unread.extend(unread::sentence(&program.name(), &found));
            let is_cobra = found.family == COBRA;
            let mut prepared = policy::prepare(found, program, &self.settings.selection)?;
            all.warnings.append(&mut prepared.warnings);
            unmatched.push(self.visibility_rules.unmatched(&prepared.cli));
            let selection = &self.settings.selection;
            prepared.options.prefix = Some(prefix.clone());
            let catalogue = catalogue(&prepared.cli, &prepared.options);
            let tools = catalogue.tools.iter().map(AsRef::as_ref);
            not_offered.extend(excluded(&prepared, program, selection, &prefix, tools));
            all.left_out
                .extend(LeftOutCount::of(&prepared, &catalogue.tools));
            let notes = catalogue.warnings.iter().map(|note| {
                let about = prepared.cli.root.name.as_str();
                format!("{about} {note}")
            });
            all.warnings.extend(notes);
            let idle = program.source.warnings(&catalogue);
            all.warnings.extend(idle.iter().map(ToString::to_string));
            for mut tool in catalogue.tools {
                let any = prepared.reads_any.contains(&tool.path);
                if any && prepared.read_only {
                    // Whatever its label says: it is run without the right to write, and without network.
                    let hints = Hints::reads().open_world(false);
                    Arc::make_mut(&mut tool).annotations = Annotations::new(&hints);
                }
                let visibility =
                    self.visibility_rules
                        .of_command(&prepared.cli, &program.source, &tool);
                let tool = names::set_apart(tool, &mut taken, &mut all.warnings);
                if let Some(granted) = prepared.networks.get(&tool.path) {
                    all.networks.insert(tool.name.to_string(), *granted);
                }
                let mut one = self.serve(program, running, &tool, &prepared)?;
                if is_cobra && program.source.completion == Completion::Program {
                    let launcher = running.launcher(running.network);
                    one = one.completed_by(completer(launcher, &self.principal()));
                }
                let reading = match any {
                    true => Reading::Any,
                    false => Reading::Labelled,
                };
                let one = one
                    .visibility(visibility)
                    .reading(reading)
                    .reads(prepared.read_only || prepared.held.contains(&tool.path));
                served.push(one.stands_by(watched.check(&tool)));
            }
        }
        all.warnings.extend(of_set);
        if unmatched.len() == self.settings.programs.len() {
            all.warnings.extend(self.asks.unmet(&self.settings));
            let spells = self.spells.as_ref().map(SpellBook::spells);
            let spells = spells.into_iter().flatten();
            let spells: Vec<String> = spells.map(|spell| spell.name.clone()).collect();
            all.warnings
                .extend(self.visibility_rules.warnings(&unmatched, &spells));
        }
        all.warnings.extend(unread.iter().map(unread::advised));
        let sentences = unread.into_iter().map(|unread| unread.sentence);
        all.tools = ToolSet::new(served)
            .excluding(not_offered)
            .without_unread(sentences.collect());
        Ok(all)
    }

    /// Everything that is offered, as it is shown: these tools of programs, the spells as they are now, and the tool for
    /// long output. The names of programs' tools are not a spell's to take. `growing` says whether more programs are still
    /// being read.
    pub(crate) fn offered(&self, programs: &ToolSet, growing: bool) -> Exposed {
        self.exposure
            .clone()
            .growing(growing)
            .apply(self.all(programs))
    }

    /// The list before anything is known of the programs: the tools that stand for all commands, and the spells. There is
    /// none where each command is a tool, and where some must be in the first list.
    pub(crate) fn early_listing(&self) -> Option<ToolList> {
        let rules = &self.settings.config.expose;
        let mut selectors = self.settings.programs.iter().flat_map(|p| &p.source.select);
        let pinned = !rules.pin.is_empty() || selectors.any(|s| s.expose == Visibility::Pin);
        let early = self.exposure.mode != Expose::All && !pinned;
        early.then(|| ToolList::of(&self.offered(&ToolSet::default(), true).tools))
    }

    /// The same for one call: whatever is listed, everything can be called.
    pub(crate) fn callable(&self, programs: &ToolSet) -> ToolSet {
        let mut exposure = self.exposure.clone();
        exposure.mode = Expose::Index;
        exposure.apply(self.all(programs)).tools
    }

    fn all(&self, programs: &ToolSet) -> ToolSet {
        let mut all: Vec<ServedTool> = programs.iter().cloned().collect();
        if let Some(book) = &self.spells {
            // The names are those of all commands, whoever may run them.
            if self.gate.is_none() {
                let names = all.iter().map(|served| served.tool.name.to_string());
                book.reserve(names.chain(reserved()));
            }
            let offered = self.settings.selection.principal.as_ref();
            let is_offered = |tool: &ServedTool| {
                offered.is_none_or(|own| policy::offers_spell(own, tool.tool.name.as_str()))
            };
            let spells = book.tools().into_iter().filter(is_offered);
            let spells = spells.map(|spell| self.bounded(spell));
            all.extend(spells.map(|tool| {
                let visibility = self.visibility_rules.of_spell(tool.tool.name.as_str());
                tool.visibility(visibility)
            }));
        }
        let all = ToolSet::new(all)
            .behind(self.shared.clone())
            .excluding_as(programs);
        match self.engine.spool() {
            Some(spool) => all.with_spool(spool),
            None => all,
        }
    }

    /// The same for a principal that the file has an entry for, with everything shared that is everybody's.
    pub(crate) fn of_principal(&self, name: &str) -> Option<Result<Self, BadPrincipalName>> {
        let rules = match self.settings.config.principal(name)? {
            Ok(rules) => rules,
            Err(bad) => return Some(Err(bad)),
        };
        let settings = principals::settings_of(&self.settings, name, &rules);
        let pool = self.pool.as_ref();
        let running = settings.programs.iter().zip(&self.running);
        let running = running.map(|(program, everybodys)| RunningProgram {
            // Rates and turns are kept for all together.
            layers: everybodys.layers.clone(),
            ..RunningProgram::new(program, &settings, &self.mark, &self.engine, pool)
        });
        let mut exposure = exposure(&settings, &self.shared, &self.engine);
        exposure.spent = self.exposure.spent;
        exposure.promotions.clone_from(&self.exposure.promotions);
        Some(Ok(Self {
            running: running.collect(),
            watched: self.watched.clone(),
            engine: self.engine.clone(),
            pool: self.pool.clone(),
            spells: self.spells.clone(),
            shared: self.shared.clone(),
            hooks: self.hooks.clone(),
            asks: Arc::clone(&self.asks),
            approvals: self.approvals.clone(),
            limits: self.limits.clone(),
            exposure,
            visibility_rules: VisibilityRules::new(&settings.config.expose),
            instructions: self.instructions.clone(),
            mark: self.mark.clone(),
            found: Mutex::default(),
            gate: Some(principals::gate_of(name, &rules)),
            settings,
        }))
    }

    /// Returns true if the file has an entry for this principal.
    pub(crate) fn has_principal(&self, name: &str) -> bool {
        self.settings.config.principal(name).is_some()
    }

    /// The programs as they were last read; none where no principal has tools of its own.
    pub(crate) fn found(&self) -> Vec<Option<Arc<Discovery>>> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        match found.is_empty() {
            true => vec![None; self.settings.programs.len()],
            false => found.clone(),
        }
    }

    /// Keeps what was found of the programs for the tools of principals.
    fn remember(&self, found: &[Option<Cow<'_, Discovery>>]) {
        if self.settings.config.principals.is_empty() || self.gate.is_some() {
            return;
        }
        let found = found.iter().map(|one| {
            let one = one.as_ref()?;
            Some(Arc::new(one.clone().into_owned()))
        });
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found.collect();
    }

    /// The principal that it is for.
    fn principal(&self) -> Arc<str> {
        let own = self.gate.as_ref().map(|gate| Arc::clone(&gate.name));
        own.unwrap_or_else(|| LOCAL.into())
    }

    /// A spell within the bounds of the principal.
    fn bounded(&self, mut spell: ServedTool) -> ServedTool {
        if let Some(gate) = &self.gate {
            gate.limits.lower(&mut spell.limits);
            spell.service = gate.before(spell.service);
        }
        spell
    }

    /// Returns true if a person may be asked about some call.
    pub(crate) fn may_ask(&self) -> bool {
        approvals::may_ask(&self.settings)
    }

    /// Lets people come to a server that may ask them; refuses one that never could.
    pub(crate) fn meet_terminals(&self) -> Result<Option<MeetingPlace>, Problem> {
        approvals::meet(&self.settings, &self.approvals)
    }

    /// The folders that calls may run in.
    pub(crate) fn folders(&self) -> &Folders {
        &self.settings.folders
    }

    /// The programs that are served.
    pub(crate) fn programs(&self) -> &[ServedProgram] {
        &self.settings.programs
    }

    /// The same, watched while they are served.
    pub(crate) fn watched(&self) -> &WatchedPrograms {
        &self.watched
    }

    /// The advice where no command is offered.
    pub(crate) fn loosen(&self) -> &'static str {
        let only_reads =
            |program: &ServedProgram| self.settings.selection.read_only || program.source.read_only;
        let programs = self.programs().iter();
        let mut programs = programs.filter(|program| only_reads(program));
        match programs.any(|program| program.confinement.could_read_any(&program.source)) {
            true => LOOSEN_NETWORK,
            false => LOOSEN,
        }
    }

    /// The way commands are shown.
    pub(crate) fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// The instructions that an assistant gets before it sees the tools.
    pub(crate) fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The calls that go on after their clients were answered.
    pub(crate) fn jobs(&self) -> Option<&Jobs> {
        self.shared.kept_jobs()
    }

    /// The commands that became tools of their own, if they may.
    pub(crate) fn promotions(&self) -> Option<&Promotions> {
        self.exposure.promotions.as_ref()
    }

    /// The prefixes of the tools of each program.
    fn prefixes(
        &self,
        found: &[Option<Cow<'_, Discovery>>],
        warnings: &mut Vec<String>,
    ) -> Vec<String> {
        let wanted = self.settings.programs.iter().zip(found);
        let wanted = wanted.map(|(program, found)| {
            let name = match (&program.source.prefix, found) {
                (Some(prefix), _) => prefix.clone(),
                (None, Some(found)) => found.cli.root.name.clone(),
                // Until it is read: programs are nearly always called what their file is.
                (None, None) => program.name(),
            };
            (name, program.path.as_path())
        });
        names::prefixes(&wanted.collect::<Vec<_>>(), warnings)
    }

    fn serve(
        &self,
        program: &ServedProgram,
        running: &RunningProgram,
        tool: &Arc<Tool>,
        prepared: &PreparedProgram,
    ) -> Result<ServedTool, Problem> {
        let command = prepared.cli.command(&tool.path);
        let mut limits = match command.is_some_and(|command| command.hints.long_running) {
            true => self.settings.config.long_limits(),
            false => self.limits.clone(),
        };
        let selector = tool.selector.and_then(|at| {
            let selector = program.source.select.get(at)?;
            Some((selector, running.layers.get(at)?))
        });
        let mut structure = self.settings.config.structure(selector.map(|(s, _)| s));
        if let Some(declared) = prepared.outputs.get(&tool.path) {
            structure = declared.add_to(structure);
        }
        let granted = prepared.networks.get(&tool.path);
        let launcher = running.launcher(granted.map_or(running.network, |one| one.network));
        let mut path = CallPath::new(Arc::clone(tool), Target::Process(launcher.clone()))
            .structure(structure)
            .redactor(self.engine.redactor().clone());
        if let Some((selector, layers)) = selector {
            let layers = layers.clone();
            path = path.layer(Arc::new(move |inner| wrap(&layers, inner)));
            limits = selector.limits(&limits, tool.name.as_str());
        }
        if let Some(gate) = &self.gate {
            gate.limits.lower(&mut limits);
            let gate = gate.clone();
            path = path.layer(Arc::new(move |inner| gate.before(inner)));
        }
        let selector = selector.map(|(selector, _)| selector);
        let levels = hooks::levels(&self.settings.config, Some(&program.source), selector);
        let asks = self
            .asks
            .of_command(&self.settings, program, prepared, tool);
        path = path.hooks(hooks::programs(&levels, &self.hooks)).asks(asks);
        if let Some(selector) = selector
            && selector.confirmed_by_person
        {
            let place = rule::placed(
                self.settings.selection.config.as_deref(),
                &selector.position,
            );
            path = path.confirmed_by_person(&format!("`confirm: person`{place}"));
        }
        let secret = prepared.secrets(&tool.path).map(|pattern| {
            let why = "secrets are not shown where only reading is offered";
            Validate::forbid(ARGS_KEY, pattern, why)
        });
        let refused = prepared.refused(&tool.path);
        let refused = refused.map(Refused::check);
        for check in secret.into_iter().chain(refused) {
            path = path.check(check.map_err(|error| Problem::failed(error.to_string()))?);
        }
        let rule = rule::of_command(program, &self.settings.selection, prepared, tool);
        Ok(path.rule(rule).limits(limits).serve(&self.shared))
    }

    /// Makes sure that programs which are served read-only can be kept from writing, and says so otherwise.
    pub(crate) fn check_confinement(&self) -> Result<(), Problem> {
        let programs = self.settings.programs.iter().zip(&self.running);
        let reads = programs
            .filter(|(program, _)| self.settings.selection.read_only || program.source.read_only);
        for (program, running) in reads {
            let Some(confinement) = running.launcher(running.network).confinement(true) else {
                continue;
            };
            let prepared = confinement.pool.prepare(&confinement.rights, &LOCAL.into());
            prepared.map_err(|reason| rights::cannot_confine(program, &reason, &self.settings))?;
        }
        Ok(())
    }

    /// Writes what has not been written yet, and ends the processes that wait for calls; the process may end right after
    /// this.
    pub(crate) fn finish(&self) {
        if let Some(pool) = &self.pool {
            pool.end();
        }
        if let Some(drafts) = self.engine.drafts() {
            drafts.end();
        }
        if let Some(audit) = self.shared.audit_log() {
            audit.finish(Duration::from_secs(2));
        }
    }
}

/// The names of Charmer's own tools, which no other has.
fn reserved() -> impl Iterator<Item = String> {
    let names = META_TOOLS.into_iter().chain([DRAFT_TOOL, jobs::NAME]);
    names.map(str::to_owned)
}

/// The way commands are shown, as the file and the command line say.
fn exposure(settings: &Settings, shared: &SharedSteps, engine: &Engine) -> Exposure {
    let rules = &settings.config.expose;
    let mut exposure = Exposure::new(rules.mode.unwrap_or_default())
        .read_only(settings.selection.read_only)
        .reads_any(reads_any(settings))
        .programs(settings.programs.iter().map(ServedProgram::name))
        .folders(settings.folders.clone())
        .long_calls(long_calls(settings))
        .behind(shared.clone());
    if let Some(kept) = engine.drafts() {
        // A spell that stands in the list by itself is cast as a draft by `cast_spell`.
        let spells = settings.spells.as_ref();
        let cast = spells.is_some_and(SpellFolder::offers_casting) && drafts::of_spells(settings);
        let unasked = drafts::by_rule(settings) || cast;
        exposure = exposure.drafts(kept, unasked);
    }
    exposure.results = settings.config.results.unwrap_or_default();
    exposure.descriptions = rules.descriptions;
    if let Some(budget) = rules.budget {
        exposure.budget = budget;
    }
    if rules.promote {
        exposure.promotions = Some(Promotions::default());
    }
    exposure
}

/// Returns true if calls of programs may take so long that they become jobs, as far as that is known before the programs
/// are.
fn long_calls(settings: &Settings) -> bool {
    let (config, rules) = (&settings.config, settings.config.job_rules());
    let of_program = |program: &ServedProgram| {
        let mut selectors = program.source.select.iter();
        rules.apply_to(&config.limits())
            || selectors.any(|one| {
                one.timeout
                    .is_some_and(|time| time > rules.background_after)
            })
    };
    settings.programs.iter().any(of_program)
}

/// The share of all commands that `run_read` takes whatever their label says; spells are taken by theirs.
fn reads_any(settings: &Settings) -> ReadsAny {
    let programs = settings.programs.iter();
    let each = programs.map(|program| {
        let read_only = settings.selection.read_only || program.source.read_only;
        program
            .confinement
            .share_that_reads(&program.source, read_only)
    });
    let each: Vec<ReadsAny> = each.collect();
    let is = |which: ReadsAny| move |one: &ReadsAny| *one == which;
    if each.iter().all(is(ReadsAny::None)) {
        ReadsAny::None
    } else if each.iter().all(is(ReadsAny::All)) && settings.spells.is_none() {
        ReadsAny::All
    } else {
        ReadsAny::Some
    }
}

impl RunningProgram {
    fn new(
        program: &ServedProgram,
        settings: &Settings,
        mark: &str,
        engine: &Engine,
        pool: Option<&Arc<ConfinedPool>>,
    ) -> Self {
        // A bridge within a bridge: the outer one's marks are not for the inner one's children.
        let vars = std::env::vars_os().filter(|(name, _): &(OsString, OsString)| name != MODE);
        let source = &program.source;
        let environment = source
            .environment
            .resolve(vars)
            .marked(mark, source.mcp_mode);
        // What the command line says goes before the file.
        let fixed = source.folder.as_ref();
        let fixed = fixed.filter(|_| settings.folders.first().is_none());
        let fixed = fixed.map(|folder| settings.folder.join(folder));
        let work = fixed.as_deref().or(settings.folders.first());
        let here = || std::env::current_dir().unwrap_or_default();
        let confines = Confines {
            program,
            environment: &environment,
            folder: &work.map_or_else(here, Path::to_owned),
            read_only: settings.selection.read_only || source.read_only,
            drafted: settings.config.drafted(Some(source)),
        };
        let launcher = Launcher::new(
            program.path.clone(),
            environment.clone(),
            fixed.clone(),
            engine.clone(),
        );
        Self {
            launchers: confines.confine(&launcher, pool),
            network: program.confinement.network,
            layers: source.layers(),
        }
    }

    fn launcher(&self, network: Option<Network>) -> &Launcher {
        &self.launchers[&network]
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
