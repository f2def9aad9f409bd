//! From what was found out about programs to tools with call paths.

use std::{
    borrow::Borrow, collections::BTreeSet, ffi::OsString, path::PathBuf, sync::Arc, time::Duration,
};

use charmer_config::{Completion, Declared, Layers};
use charmer_core::{
    expose::{Expose, Wish},
    tool::{ARGS_KEY, Tool, catalogue, estimate_tokens},
};
use charmer_discover::Discovery;
use charmer_run::{
    CallPath, Exposed, Exposure, Limits, META_TOOLS, Promotions, ServedTool, SharedSteps, Spool,
    Target, ToolSet,
    layers::Validate,
    process::{Engine, EngineOptions, GuardianCommand, Launcher, MODE, new_mark},
    wrap,
};
use charmer_server::Listing;
use charmer_spells::SpellBook;

use crate::{
    complete::completer,
    instructions::what_is_here,
    names, output, policy,
    problem::Problem,
    settings::{Program, Settings},
    wishes::Wishes,
};

/// The hidden subcommand that ends the children of a server that was killed.
const GUARDIAN: &str = "guardian";

/// The family of programs whose own completion can be asked.
const COBRA: &str = "cobra";

/// What tools are put together for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// One call.
    Call,
    /// A server: it may be killed, and its clients can ask for more of an output.
    Server,
}

/// The tools of all programs, without the spells.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assembled {
    pub(crate) tools: ToolSet,
    pub(crate) warnings: Vec<String>,
}

impl Assembled {
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
    running: Vec<Running>,
    pub(crate) engine: Engine,
    pub(crate) spells: Option<SpellBook>,
    shared: SharedSteps,
    limits: Limits,
    exposure: Exposure,
    wishes: Wishes,
    instructions: String,
}

/// What the calls of one program share.
struct Running {
    launcher: Launcher,
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
        let warnings = notes.iter().map(ToString::to_string).collect();

        let mut options = EngineOptions::default();
        config.set_load(&mut options);
        options.redactor = redactor.clone();
        if purpose == Purpose::Server {
            options.spool = config
                .spool_limits()
                .map(|limits| Spool::new(&std::env::temp_dir(), limits));
            options.guardian = std::env::current_exe().ok().map(|program| {
                GuardianCommand::of_server(program, [GUARDIAN], &mark, options.spool.as_ref())
            });
        }
        let engine = Engine::new(options);
        let audit = config.audit.as_ref().map(|audit| {
            let audit = audit.layer(redactor, &settings.folder);
            audit.report_to(output::warn)
        });
        let running = settings.programs.iter().map(|program| Running {
            launcher: launcher(program, &settings, &mark, &engine),
            layers: program.source.select.iter().map(|s| s.layers()).collect(),
        });
        let limits = config.limits();
        let mut shared = shared.audit(audit);
        if config.log.calls {
            shared = shared.log(output::note);
        }
        let spells = settings
            .spells
            .as_ref()
            .map(|folder| folder.open(&engine, config, &mark, &shared));
        let mut exposure = exposure(&settings, &shared);
        let instructions = exposure.instructions(&what_is_here(&settings));
        exposure.spent = estimate_tokens(&instructions);
        let assembler = Self {
            running: running.collect(),
            exposure,
            wishes: Wishes::new(&settings.config.expose),
            instructions,
            limits,
            spells,
            engine,
            shared,
            settings,
        };
        (assembler, warnings)
    }

    /// The tools of the programs, as far as they are known. What was found stands in the order of the programs.
    pub(crate) fn assemble<D: Borrow<Discovery>>(
        &self,
        found: &[Option<D>],
    ) -> Result<Assembled, Problem> {
        let found: Vec<Option<&Discovery>> = found
            .iter()
            .map(|found| found.as_ref().map(Borrow::borrow))
            .collect();
        let mut all = Assembled::default();
        let mut served = Vec::new();
        let mut unmatched = Vec::new();
        let mut taken: BTreeSet<String> = META_TOOLS.map(str::to_owned).into();
        let prefixes = self.prefixes(&found, &mut all.warnings);
        let programs = self.settings.programs.iter().zip(&self.running);
        for (((program, running), found), prefix) in programs.zip(found).zip(prefixes) {
            let Some(found) = found else { continue };
            let mut prepared = policy::prepare(found, program, &self.settings.selection)?;
            all.warnings.append(&mut prepared.warnings);
            unmatched.push(self.wishes.unmatched(&prepared.cli));
            prepared.options.prefix = Some(prefix);
            let catalogue = catalogue(&prepared.cli, &prepared.options);
            let notes = catalogue.warnings.iter().map(|note| {
                let about = prepared.cli.root.name.as_str();
                format!("{about} {note}")
            });
            all.warnings.extend(notes);
            let idle = program.source.warnings(&catalogue);
            all.warnings.extend(idle.iter().map(ToString::to_string));
            for tool in catalogue.tools {
                let wish = self
                    .wishes
                    .of_command(&prepared.cli, &program.source, &tool);
                let tool = names::set_apart(tool, &mut taken, &mut all.warnings);
                let secret = prepared.secrets(&tool.path);
                let declared = prepared.outputs.get(&tool.path);
                let mut one = self.serve(program, running, &tool, secret, declared)?;
                if found.family == COBRA && program.source.completion == Completion::Program {
                    one = one.completed_by(completer(&running.launcher));
                }
                served.push(one.wish(wish));
            }
        }
        if unmatched.len() == self.settings.programs.len() {
            let spells = self.spells.as_ref().map(SpellBook::spells);
            let spells = spells.into_iter().flatten();
            let spells: Vec<String> = spells.map(|spell| spell.name.clone()).collect();
            all.warnings
                .extend(self.wishes.warnings(&unmatched, &spells));
        }
        all.tools = ToolSet::new(served);
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
    pub(crate) fn early_listing(&self) -> Option<Listing> {
        let rules = &self.settings.config.expose;
        let mut selectors = self.settings.programs.iter().flat_map(|p| &p.source.select);
        let pinned = !rules.pin.is_empty() || selectors.any(|s| s.expose == Wish::Pin);
        let early = self.exposure.mode != Expose::All && !pinned;
        early.then(|| Listing::of(&self.offered(&ToolSet::default(), true).tools))
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
            let names = all.iter().map(|served| served.tool.name.to_string());
            book.reserve(names.chain(META_TOOLS.map(str::to_owned)));
            all.extend(book.tools().into_iter().map(|tool| {
                let wish = self.wishes.of_spell(tool.tool.name.as_str());
                tool.wish(wish)
            }));
        }
        let all = ToolSet::new(all).behind(self.shared.clone());
        match self.engine.spool() {
            Some(spool) => all.with_spool(spool),
            None => all,
        }
    }

    /// How commands are shown.
    pub(crate) fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// What an assistant is told before it sees the tools.
    pub(crate) fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The commands that became tools of their own, if they may.
    pub(crate) fn promotions(&self) -> Option<&Promotions> {
        self.exposure.promotions.as_ref()
    }

    /// What the tools of each program begin with.
    fn prefixes(&self, found: &[Option<&Discovery>], warnings: &mut Vec<String>) -> Vec<String> {
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
        program: &Program,
        running: &Running,
        tool: &Arc<Tool>,
        secret: Option<&str>,
        declared: Option<&Declared>,
    ) -> Result<ServedTool, Problem> {
        let mut limits = self.limits.clone();
        let selector = tool.selector.and_then(|at| {
            let selector = program.source.select.get(at)?;
            Some((selector, running.layers.get(at)?))
        });
        let mut structure = self.settings.config.structure(selector.map(|(s, _)| s));
        if let Some(declared) = declared {
            structure = declared.add_to(structure);
        }
        let mut path = CallPath::new(Arc::clone(tool), Target::Process(running.launcher.clone()))
            .structure(structure)
            .redactor(self.engine.redactor().clone());
        if let Some((selector, layers)) = selector {
            let layers = layers.clone();
            path = path.layer(Arc::new(move |inner| wrap(&layers, inner)));
            limits = selector.limits(&limits, tool.name.as_str());
        }
        if let Some(pattern) = secret {
            let why = "secrets are not shown where only reading is offered";
            let check = Validate::forbid(ARGS_KEY, pattern, why)
                .map_err(|error| Problem::failed(error.to_string()))?;
            path = path.check(check);
        }
        Ok(path.limits(limits).serve(&self.shared))
    }

    /// Writes what has not been written yet; the process may end right after this.
    pub(crate) fn finish(&self) {
        if let Some(audit) = self.shared.audit_log() {
            audit.finish(Duration::from_secs(2));
        }
    }
}

/// How commands are shown, as the file and the command line say.
fn exposure(settings: &Settings, shared: &SharedSteps) -> Exposure {
    let rules = &settings.config.expose;
    let mut exposure = Exposure::new(rules.mode.unwrap_or_default())
        .read_only(settings.selection.read_only)
        .programs(settings.programs.iter().map(Program::name))
        .behind(shared.clone());
    exposure.descriptions = rules.descriptions;
    if let Some(budget) = rules.budget {
        exposure.budget = budget;
    }
    if rules.promote {
        exposure.promotions = Some(Promotions::default());
    }
    exposure
}

fn launcher(program: &Program, settings: &Settings, mark: &str, engine: &Engine) -> Launcher {
    // A bridge within a bridge: the outer one's marks are not for the inner one's children.
    let vars = std::env::vars_os().filter(|(name, _): &(OsString, OsString)| name != MODE);
    let source = &program.source;
    let environment = source
        .environment
        .resolve(vars)
        .marked(mark, source.mcp_mode);
    let directory: Option<PathBuf> = source
        .directory
        .as_ref()
        .map(|directory| settings.folder.join(directory));
    Launcher::new(program.path.clone(), environment, directory, engine.clone())
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
