//! From what was found out about a program to what is offered of it: effects, selection, and flags that stay out.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet, hash_map::Entry},
    sync::Arc,
};

use charmer_config::{Applied, ConfineMode, Declared, Mismatches, Position, SourceEntry};
use charmer_core::{
    assessment::Assessment,
    model::{Arguments, Cli, Command, CommandPath, Effect, Flag, FlagValue, GivenEffect, Network},
    schema::convert,
    select::{Candidate, CommandRule, FlagRule, ToolSelector, first_match},
    text::nearest,
    tool::CatalogueOptions,
};
use charmer_discover::Discovery;
use charmer_spells::NameRule;
use serde::Serialize;

use crate::{
    args::Selection,
    baseline::Baseline,
    confine::Granted,
    principals::PrincipalSelection,
    problem::Problem,
    refused::{Refused, refused_values},
    rule::{entries, placed},
    set,
    settings::ServedProgram,
    undone,
};

/// A program, ready for its tools to be made.
#[derive(Debug, Clone)]
pub(crate) struct PreparedProgram {
    /// The program, with everything that is known of its behaviour and without what stays out.
    pub(crate) cli: Cli,
    pub(crate) options: CatalogueOptions,
    /// The declared outputs of commands.
    pub(crate) outputs: HashMap<CommandPath, Declared>,
    /// The assessment of its commands, with reasons.
    pub(crate) assessment: Assessment,
    pub(crate) left_out: Vec<LeftOut>,
    /// The network of every command.
    pub(crate) networks: HashMap<CommandPath, Granted>,
    /// The commands that can be tried where only reading is wanted, whatever their labels say.
    pub(crate) reads_any: Arc<HashSet<CommandPath>>,
    /// The commands that only their program says to read, and that are held to it however they are called.
    pub(crate) held: HashSet<CommandPath>,
    /// Values that arguments cannot have, in the order of the commands' paths.
    pub(crate) refused: Vec<Refused>,
    /// Only reading is offered.
    pub(crate) read_only: bool,
    /// The changes by the configuration.
    pub(crate) applied: Vec<Applied>,
    /// The changes by profiles.
    pub(crate) from_profiles: Vec<Applied>,
    pub(crate) warnings: Vec<String>,
}

/// The reason why a flag stays out of which somebody has said so.
const SAID_TO_REDIRECT: &str = "it is said to redirect the program";

/// A flag that is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// The command that it belongs to.
    pub(crate) command: CommandPath,
    /// The flag's id.
    #[serde(skip)]
    pub(crate) id: String,
    /// The flag as people write it.
    pub(crate) flag: String,
    /// The reason.
    pub(crate) reason: String,
    /// The same for a caller who asks for it, with the rule that could be loosened.
    #[serde(skip)]
    pub(crate) told: String,
}

impl LeftOut {
    /// The message to a caller on a flag that can be asked for by name.
    pub(crate) fn told(flag: &Flag, reason: &str) -> String {
        format!(
            "{reason} (`--with-flag {}` would let it in)",
            flag.display_name()
        )
    }
}

/// Decides what is offered of a program. What is given away is not copied: the model of a large program is many megabytes.
pub(crate) fn prepare(
    found: Cow<'_, Discovery>,
    program: &ServedProgram,
    selection: &Selection,
) -> Result<PreparedProgram, Problem> {
    let baseline = Baseline::of(&found, program, selection)?;
    let program = &*set::pinned(program, selection, &found)?;
    let source = &program.source;
    let no_flags = unmatched_flags(selection, &found);
    let (mut cli, assessment, said) = match found {
        Cow::Borrowed(found) => (
            found.cli.clone(),
            found.assessment.clone(),
            found.said.clone(),
        ),
        Cow::Owned(found) => (found.cli, found.assessment, found.said),
    };
    let claims = claims(&cli, &assessment);
    assessment.apply(&mut cli);
    let of_program = take_networks(&mut cli);
    // Profiles know better than what was inferred, and the file has the last word. A command that it adds is thought
    // about as well.
    let mut from_profiles = Vec::new();
    let mut told = Vec::new();
    for known in &program.profiles {
        let (report, mismatches) = known.profile.apply(&mut cli);
        from_profiles.extend(report.applied);
        told.extend(known.warnings(&cli, &mismatches));
    }
    let mut known: HashMap<CommandPath, (Network, &str)> = HashMap::new();
    for (networks, from) in [
        (of_program, "program"),
        (take_networks(&mut cli), "profile"),
    ] {
        known.extend(
            networks
                .into_iter()
                .map(|(path, network)| (path, (network, from))),
        );
    }
    let report = source
        .apply(&mut cli)
        .map_err(|error| mismatch(program, &error))?;
    let of_file = take_networks(&mut cli);
    program.known.apply(&mut cli);
    let assessment = match has_new_commands(&cli, &assessment) {
        true => {
            let assessment = Assessment::of(&cli);
            assessment.apply(&mut cli);
            assessment
        }
        false => assessment,
    };
    let mut warnings = told;
    warnings.extend(report.warnings.iter().map(ToString::to_string));
    let read_only = selection.read_only || source.read_only;
    let pinned = source.catalogue_options(&cli);
    let mut options = pinned.map_err(|error| mismatch(program, &error))?;
    let (mut networks, mut reads_any) = networks(&cli, program, read_only, &of_file, &known);
    if let Some(baseline) = &baseline {
        baseline.check_pins(program)?;
        baseline.narrow(&mut networks, &mut reads_any);
    }
    let mut held = HashSet::new();
    for path in claims {
        let is_it =
            |one: &Applied| one.path == path && one.argument.is_none() && one.field == "effect";
        let said = from_profiles.iter().chain(&report.applied).any(is_it);
        let kept = program.confinement.mode == ConfineMode::Auto
            && networks.get(&path).and_then(|granted| granted.network) == Some(Network::None);
        match cli.command_mut(&path).filter(|_| !said) {
            Some(_) if kept => _ = held.insert(path),
            Some(command) => command.hints.effect = Effect::Unknown,
            None => {}
        }
    }
    let reads_any = Arc::new(reads_any);
    let only_reading = read_only.then_some(&reads_any);
    let mut left_out = leave_out_flags(
        &mut cli,
        program,
        selection,
        &assessment,
        only_reading.map(AsRef::as_ref),
    );
    left_out.extend(undone::withhold(
        &mut cli,
        program,
        selection,
        &mut warnings,
    ));
    if let Some(baseline) = &baseline {
        baseline.withhold(&mut cli, &mut left_out);
    }
    relieve_positionals(&mut cli.root);
    let mut refused = refused_values(&cli, program, selection, &assessment, read_only);
    refused.sort_by(|one, other| one.command.cmp(&other.command));
    warnings.extend(unmatched_commands(&cli, selection));
    warnings.extend(no_flags);
    options.selectors = selectors(&cli, program, selection, only_reading.cloned());
    if let Some(baseline) = &baseline {
        let lets_in = baseline.commands();
        for selector in &mut options.selectors {
            let (inner, lets_in) = (selector.commands.clone(), lets_in.clone());
            selector.commands =
                CommandRule::new(move |one| inner.matches(one) && lets_in.contains(one.path));
        }
    }
    let mut outputs = source.outputs(&cli);
    for (path, schema) in said.into_iter().flat_map(|said| said.outputs) {
        let mut said = Declared::default();
        said.schema = Some(Arc::new(convert(&schema)));
        if let Entry::Vacant(free) = outputs.entry(path) {
            let shown = said.data_schema().map(|data| (free.key().clone(), data));
            options.outputs.extend(shown);
            free.insert(said);
        }
    }
    warnings.extend(lost_in_conversion(&cli, &outputs));
    Ok(PreparedProgram {
        cli,
        options,
        outputs,
        assessment,
        left_out,
        networks,
        reads_any,
        held,
        refused,
        read_only,
        applied: report.applied,
        from_profiles,
        warnings,
    })
}

/// The commands that their program alone says to read. That counts only where the kernel keeps them from writing and from
/// the network.
fn claims(cli: &Cli, assessment: &Assessment) -> Vec<CommandPath> {
    let mut claims = Vec::new();
    cli.walk(&mut |path, lineage| {
        let claimed = lineage
            .last()
            .is_some_and(|command| command.hints.effect == Effect::Read);
        let thought = assessment.command(path).map(|thought| thought.effect);
        if claimed && thought == Some(Effect::Unknown) {
            claims.push(path.clone());
        }
    });
    claims
}

/// A program as it is said to be: as it was read, with what profiles and the file say of it. Nothing is left out.
pub(crate) fn said(found: &Discovery, program: &ServedProgram) -> Cli {
    let mut cli = found.cli.clone();
    for known in &program.profiles {
        known.profile.apply(&mut cli);
    }
    // What does not fit is told when the program is prepared.
    let _ = program.source.apply(&mut cli);
    take_networks(&mut cli);
    program.known.apply(&mut cli);
    cli
}

/// The notes on declared schemas that clients are not shown whole.
fn lost_in_conversion(cli: &Cli, outputs: &HashMap<CommandPath, Declared>) -> Vec<String> {
    let schemas = outputs
        .iter()
        .filter_map(|(path, declared)| Some((path, declared.schema.as_ref()?)));
    let notes = schemas.flat_map(|(path, schema)| {
        let notes = schema.notes().iter();
        notes.map(move |note| format!("{} {path}: the schema of its output, {note}", cli.root.name))
    });
    let mut notes: Vec<String> = notes.collect();
    notes.sort();
    notes
}

/// The problem of a file that speaks of what the program does not have.
fn mismatch(program: &ServedProgram, error: &Mismatches) -> Problem {
    Problem::mistake(format!(
        "`{}` and the configuration do not fit: {error}",
        program.name()
    ))
    .hint(format!(
        "`charmer inspect {}` shows what it has",
        program.name()
    ))
}

fn has_new_commands(cli: &Cli, assessment: &Assessment) -> bool {
    let mut new = false;
    cli.walk(&mut |path, _| new |= assessment.command(path).is_none());
    new
}

/// The origin of what is known of a command's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffectFrom<'p> {
    /// The file says so, here.
    File(&'p Position),
    Profile,
    /// It is inferred from this.
    Evidence(&'p [String]),
}

impl PreparedProgram {
    /// The origin of a command's effect.
    pub(crate) fn effect_from(&self, path: &CommandPath) -> EffectFrom<'_> {
        let is_it =
            |one: &&Applied| one.path == *path && one.argument.is_none() && one.field == "effect";
        if let Some(said) = self.applied.iter().find(is_it) {
            return EffectFrom::File(&said.position);
        }
        if self.from_profiles.iter().any(|one| is_it(&one)) {
            return EffectFrom::Profile;
        }
        let thought = self.assessment.command(path);
        EffectFrom::Evidence(thought.map_or(&[], |thought| &thought.evidence))
    }

    /// A pattern that a command's positionals must not match: they would show secrets where only reading is offered.
    pub(crate) fn secrets(&self, path: &CommandPath) -> Option<&str> {
        let thought = self.assessment.command(path).filter(|_| self.read_only)?;
        thought.secrets.as_deref()
    }

    /// The values that the arguments of a command cannot have.
    pub(crate) fn refused(&self, path: &CommandPath) -> impl Iterator<Item = &Refused> {
        let from = self.refused.partition_point(|one| one.command < *path);
        let of_it = self.refused[from..].iter();
        of_it.take_while(move |one| one.command == *path)
    }
}

/// A positional is not asked for where a flag of the same name can give the value: `curl <url>`, `curl --url`.
fn relieve_positionals(command: &mut Command) {
    let flags = &command.flags;
    let offers = |name: &str| {
        flags.iter().any(|flag| {
            flag.value == FlagValue::Required && !flag.hidden && flag.long.as_deref() == Some(name)
        })
    };
    if let Arguments::Listed(listed) = &mut command.arguments {
        for positional in listed {
            let name = positional.name.as_deref().unwrap_or(&positional.id);
            positional.required &= !offers(name);
        }
    }
    command.commands.iter_mut().for_each(relieve_positionals);
}

/// Takes what was said of the network of single commands out of the model.
fn take_networks(cli: &mut Cli) -> HashMap<CommandPath, Network> {
    fn descend(
        command: &mut Command,
        path: &CommandPath,
        found: &mut HashMap<CommandPath, Network>,
    ) {
        if let Some(network) = command.hints.network.take() {
            found.insert(path.clone(), network);
        }
        for child in &mut command.commands {
            descend(child, &path.child(child.name.as_str()), found);
        }
    }
    let mut found = HashMap::new();
    descend(&mut cli.root, &CommandPath::root(), &mut found);
    found
}

/// The network of every command, and the commands that can be tried where only reading is wanted, whatever their labels
/// say. The first selector that speaks for a command decides.
fn networks(
    cli: &Cli,
    program: &ServedProgram,
    read_only: bool,
    of_file: &HashMap<CommandPath, Network>,
    known: &HashMap<CommandPath, (Network, &'static str)>,
) -> (HashMap<CommandPath, Granted>, HashSet<CommandPath>) {
    let rules = program.source.selectors();
    let mut networks = HashMap::new();
    let mut reads_any = HashSet::new();
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        let candidate = Candidate::new(&cli.root.name, path, command);
        let place = first_match(&rules, &candidate).map(|(at, _)| at);
        let selector = place.and_then(|at| program.source.select.get(at));
        let granted = program.confinement.network_of_command(
            selector,
            of_file.get(path).copied(),
            known.get(path).copied(),
        );
        networks.insert(path.clone(), granted);
        if program.confinement.reads_any(granted, read_only) {
            reads_any.insert(path.clone());
        }
    });
    (networks, reads_any)
}

/// Hides the flags that stay out: a hidden flag is in no schema, so no input can reach it. Marks those that write.
fn leave_out_flags(
    cli: &mut Cli,
    program: &ServedProgram,
    selection: &Selection,
    assessment: &Assessment,
    only_reading: Option<&HashSet<CommandPath>>,
) -> Vec<LeftOut> {
    let named = FlagRule::allow(selection.with_flags.iter().cloned());
    let pinned = FlagRule::allow(program.source.set.keys().cloned());
    let mut left_out = Vec::new();
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        for flag in command.flags.iter().filter(|flag| !flag.hidden) {
            let brought_back =
                selection.all_flags || named.matches(flag) || program.redirects.lets_in(flag);
            let thought = assessment.command(path);
            let redirects = || {
                let reason = match flag.redirects {
                    None => thought?.redirects.get(&flag.id).cloned(),
                    Some(true) => Some(SAID_TO_REDIRECT.to_owned()),
                    Some(false) => None,
                };
                reason.filter(|_| !brought_back)
            };
            let writes = match &flag.effect {
                Some(said) => said.always_writes().then(|| said_to_write(said)),
                None => thought.and_then(|thought| thought.writes.get(&flag.id).cloned()),
            };
            // A pinned flag is in no schema anyway, and it must be written.
            if pinned.matches(flag) {
                continue;
            }
            // Where nothing can be written, such a flag may be tried.
            let kept_out = |_: &String| only_reading.is_some_and(|any| !all_of(path, command, any));
            let unknown = || {
                let reason = thought?.unknown.get(&flag.id);
                reason
                    .filter(|_| only_reading.is_some() && !brought_back)
                    .cloned()
            };
            let secrets = || {
                let shown = only_reading.is_some() && flag.prints_secrets && !brought_back;
                let reason = "with it the command prints secrets".to_owned();
                shown.then(|| (LeftOut::told(flag, &reason), reason))
            };
            let by_name = redirects().map(|reason| (LeftOut::told(flag, &reason), reason));
            let writing = || {
                let reason = writes.clone().filter(kept_out)?;
                Some((
                    format!("{reason}, and {}", read_only_rule(program, selection)),
                    reason,
                ))
            };
            let unknown = || unknown().map(|reason| (LeftOut::told(flag, &reason), reason));
            if let Some((told, reason)) = by_name.or_else(secrets).or_else(writing).or_else(unknown)
            {
                left_out.push(LeftOut {
                    command: path.clone(),
                    id: flag.id.clone(),
                    flag: flag.display_name(),
                    reason,
                    told,
                });
            }
        }
    });
    assessment.mark_writing_flags(cli);
    left_out.iter().for_each(|out| withhold(cli, out));
    left_out
}

/// The reason why a flag stays out where only reading is offered, and somebody has said what it does.
fn said_to_write(effect: &GivenEffect) -> String {
    match effect.worst() {
        Some(Effect::Destroy) => "with it the command deletes or overwrites".into(),
        _ => "with it the command writes".into(),
    }
}

/// Keeps a flag out of every schema, and has a caller who asks for it told why.
pub(crate) fn withhold(cli: &mut Cli, out: &LeftOut) {
    set_flag(cli, &out.command, &out.id, |flag| {
        flag.hidden = true;
        flag.withheld = Some(out.told.clone());
    });
}

fn set_flag(cli: &mut Cli, path: &CommandPath, id: &str, set: impl Fn(&mut Flag)) {
    let command = cli.command_mut(path);
    let flags = command.into_iter().flat_map(|command| &mut command.flags);
    let flags = flags.filter(|flag| flag.id == id);
    flags.for_each(|flag| set(flag));
}

/// The source that says that only reading is offered: the file's, or that of the outermost file that is included.
fn read_only_source(source: &SourceEntry) -> &SourceEntry {
    let all = std::iter::successors(Some(source), |source| source.baseline.as_deref());
    all.filter(|source| source.read_only)
        .last()
        .unwrap_or(source)
}

/// The rule by which only reading is offered, where it is.
pub(crate) fn read_only_rule(program: &ServedProgram, selection: &Selection) -> String {
    let rule = match selection.read_only {
        true => "`--read-only`".to_owned(),
        false => {
            let said = read_only_source(&program.source);
            let place = placed(selection.config.as_deref(), &said.position);
            format!("`read_only` of `{}`{place}", program.name())
        }
    };
    format!("only reading is offered by {rule}")
}

/// Returns true if a command and all below it are in a set.
fn all_of(path: &CommandPath, command: &Command, set: &HashSet<CommandPath>) -> bool {
    let mut children = command.commands.iter();
    set.contains(path) && children.all(|child| all_of(&path.child(child.name.as_str()), child, set))
}

/// The file's selectors, within what the command line lets through.
fn selectors(
    cli: &Cli,
    program: &ServedProgram,
    selection: &Selection,
    only_reading: Option<Arc<HashSet<CommandPath>>>,
) -> Vec<ToolSelector> {
    let allow = (!selection.allow.is_empty()).then(|| globs(&selection.allow));
    let own = selection.principal.as_ref();
    let own_allow = own.into_iter().flat_map(PrincipalSelection::allow_lists);
    let own_allow: Vec<CommandRule> = own_allow.map(|allow| globs(allow)).collect();
    let mut denied = denied(cli, &selection.deny);
    if let Some(own) = own {
        denied.extend(self::denied(cli, &own.deny));
    }
    let denied = Arc::new(denied);
    let let_through = move |candidate: &Candidate<'_>| {
        let allows = |allow: &CommandRule| allow.matches(candidate);
        allow.as_ref().is_none_or(allows)
            && own_allow.iter().all(allows)
            && !denied.contains(original(candidate.path, candidate.command))
            && only_reading.as_ref().is_none_or(|any| {
                let hints = &candidate.command.hints;
                let reads = hints.effect == Effect::Read || any.contains(candidate.path);
                reads && !hints.prints_secrets
            })
    };
    let mut selectors = program.source.selectors();
    for (selector, entry) in selectors.iter_mut().zip(&program.source.select) {
        let place = |position: &Position| placed(selection.config.as_deref(), position);
        selector.place = Some(entries(entry, &place));
    }
    if selectors.is_empty() {
        selectors.push(ToolSelector::default());
    }
    for selector in &mut selectors {
        let (inner, let_through) = (selector.commands.clone(), let_through.clone());
        selector.commands =
            CommandRule::new(move |candidate| inner.matches(candidate) && let_through(candidate));
    }
    selectors
}

/// The commands that are left out, whichever of their paths was named.
fn denied(cli: &Cli, patterns: &[String]) -> HashSet<CommandPath> {
    let mut denied = HashSet::new();
    if patterns.is_empty() {
        return denied;
    }
    let deny = globs(patterns);
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        if deny.matches(&Candidate::new(&cli.root.name, path, command)) {
            denied.insert(original(path, command).clone());
        }
    });
    denied
}

/// The path that a command is known by.
pub(crate) fn original<'c>(path: &'c CommandPath, command: &'c Command) -> &'c CommandPath {
    command.same_as.as_ref().unwrap_or(path)
}

/// A rule for what globs match, and everything below it. The program itself is not above its commands here: `s*` must
/// not mean everything because the program is called `ship`.
pub(crate) fn globs(patterns: &[String]) -> CommandRule {
    let rule = CommandRule::allow_glob(patterns.iter().map(|pattern| glob(pattern)));
    CommandRule::new(move |candidate| {
        let words = candidate.path.words();
        (words.len().min(1)..=words.len()).any(|length| {
            let above: CommandPath = words[..length].iter().cloned().collect();
            rule.matches(&Candidate::new(
                candidate.program,
                &above,
                candidate.command,
            ))
        })
    })
}

/// The name for spells where globs begin with a program's name: `spells/*`.
const SPELLS: &str = "spells";
/// Tools that reach only the spells that are offered, so that --allow need not name them.
const GENERAL: [&str; 2] = ["cast_spell", "list_spells"];

/// The rule on spells that --allow and --deny let through; all, if neither is given.
pub(crate) fn spell_rule(selection: &Selection) -> Option<NameRule> {
    if selection.allow.is_empty() && selection.deny.is_empty() {
        return None;
    }
    let allow = (!selection.allow.is_empty()).then(|| globs(&selection.allow));
    let deny = globs(&selection.deny);
    Some(NameRule::new(move |name| {
        let allowed = |allow: &CommandRule| GENERAL.contains(&name) || names_spell(allow, name);
        allow.as_ref().is_none_or(allowed) && !names_spell(&deny, name)
    }))
}

pub(crate) fn names_spell(rule: &CommandRule, name: &str) -> bool {
    let path: CommandPath = [name.to_owned()].into_iter().collect();
    rule.matches(&Candidate::new(SPELLS, &path, &Command::new(name)))
}

/// Returns true if a spell is for a principal.
pub(crate) fn offers_spell(own: &PrincipalSelection, name: &str) -> bool {
    // Those reach every spell of the folder, whoever asks.
    if GENERAL.contains(&name) {
        return own.allow_lists().next().is_none() && own.deny.is_empty();
    }
    let mut allow = own.allow_lists();
    allow.all(|allow| names_spell(&globs(allow), name)) && !names_spell(&globs(&own.deny), name)
}

/// The globs of a selection that one of these spells meets.
pub(crate) fn met_by(selection: &Selection, names: &[String]) -> Vec<String> {
    let globs_given = selection.allow.iter().chain(&selection.deny);
    let met = globs_given.filter(|glob| {
        let rule = globs(std::slice::from_ref(*glob));
        let names = names.iter().map(String::as_str).chain(GENERAL);
        names.into_iter().any(|name| names_spell(&rule, name))
    });
    met.cloned().collect()
}

/// Returns true if there are spells, and --allow lets none through.
pub(crate) fn leaves_out_all(selection: &Selection, names: &[String]) -> bool {
    let allow = globs(&selection.allow);
    !selection.allow.is_empty()
        && !names.is_empty()
        && !names.iter().any(|name| names_spell(&allow, name))
}

/// The names that were asked for where there are only spells, and none is called that.
pub(crate) fn unmet(selection: &Selection) -> Vec<String> {
    let options = [("--allow", &selection.allow), ("--deny", &selection.deny)];
    let unmet = options.into_iter().flat_map(|(option, globs)| {
        let unmet = globs
            .iter()
            .filter(|glob| !selection.met_by_spells.contains(glob));
        unmet.map(move |glob| format!("`{option} {glob}` matches no spell"))
    });
    unmet.collect()
}

/// Levels may be separated by spaces, as people write commands.
fn glob(pattern: &str) -> String {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    words.join("/").trim_matches('/').to_owned()
}

/// The commands that were asked for by name and are not there: most likely a typing error.
fn unmatched_commands(cli: &Cli, selection: &Selection) -> impl Iterator<Item = String> {
    let options = [("--allow", &selection.allow), ("--deny", &selection.deny)];
    let unmatched = unmatched_globs(cli, options).into_iter();
    let unmatched = unmatched.filter(|one| !selection.met_by_spells.contains(&one.glob));
    unmatched.map(|one| one.warning)
}

/// The same of flags.
fn unmatched_flags(selection: &Selection, found: &Discovery) -> Vec<String> {
    let Discovery {
        cli, assessment, ..
    } = found;
    let mut warnings = Vec::new();
    for name in &selection.with_flags {
        let rule = FlagRule::allow([name.as_str()]);
        let mut flags: Vec<&Flag> = Vec::new();
        let mut positionals = HashSet::new();
        cli.walk(&mut |path, lineage| {
            let own = lineage.last().into_iter();
            let own = own.flat_map(|command: &&Command| &command.flags);
            flags.extend(own.map(AsRef::as_ref));
            let refused = assessment.command(path).map(|thought| &thought.refused);
            positionals.extend(refused.into_iter().flatten().map(|one| one.name.clone()));
        });
        if !flags.iter().any(|flag| rule.matches(flag))
            && !positionals.contains(name.trim_start_matches('-'))
        {
            let names = flags.iter().filter_map(|flag| flag.long.as_deref());
            let near = nearest(name.trim_start_matches('-'), names);
            let near = near.map_or_else(String::new, |near| format!("; did you mean `--{near}`?"));
            warnings.push(format!(
                "`--with-flag {name}` names no flag of `{}`{near}",
                cli.root.name
            ));
        }
    }
    warnings
}

/// A glob of an option that matches no command of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmatched {
    pub(crate) option: &'static str,
    pub(crate) glob: String,
    /// The warning about it.
    pub(crate) warning: String,
}

/// The globs of options that match no command.
pub(crate) fn unmatched_globs<const N: usize>(
    cli: &Cli,
    options: [(&'static str, &Vec<String>); N],
) -> Vec<Unmatched> {
    let mut unmatched = Vec::new();
    for (option, patterns) in options {
        for pattern in patterns {
            let rule = globs(std::slice::from_ref(pattern));
            let mut matched = false;
            let mut paths = Vec::new();
            cli.walk(&mut |path, lineage| {
                let command = *lineage.last().expect("a lineage is not empty");
                matched |= rule.matches(&Candidate::new(&cli.root.name, path, command));
                paths.push(path.glob_form());
            });
            if !matched {
                let near = nearest(&glob(pattern), paths.iter().map(String::as_str));
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                unmatched.push(Unmatched {
                    option,
                    glob: pattern.clone(),
                    warning: format!(
                        "`{option} {pattern}` matches no command of `{}`{near}",
                        cli.root.name
                    ),
                });
            }
        }
    }
    unmatched
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
