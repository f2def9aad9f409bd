//! `charmer inspect`: what was found out about a program, from where, and how sure that is.

use std::{borrow::Cow, fmt::Write, path::PathBuf, process::ExitCode};

use charmer_core::{
    model::{Arguments, Command, CommandPath, Flag, FlagValue, Repetition, ValueType},
    text::nearest,
    tool::{Catalogue, Tool, catalogue},
};
use charmer_discover::{Discovery, Source};
use charmer_run::HookMoment;

use crate::{
    args::{InspectArgs, Spells},
    commands::{inspect_json, tools::effect_word},
    confine::ProgramConfinement,
    hooks,
    output::{self, BOLD, DIM, YELLOW, print, print_raw, styled},
    policy::{EffectFrom, LeftOut, PreparedProgram, prepare, said},
    problem::Problem,
    profiles::LoadedProfile,
    read::{provenance, read, was_said},
    refused::Refused,
    rights, rule, runtime, set,
    settings::{ServedProgram, Settings},
    table::{Cell, Last, table},
    wrap::wrapped,
};

/// Everything that there is to show.
pub(crate) struct Inspected<'s> {
    pub(crate) program: PathBuf,
    pub(crate) found: Discovery,
    pub(crate) prepared: PreparedProgram,
    pub(crate) catalogue: Catalogue,
    pub(crate) confinement: ProgramConfinement,
    /// The means that keep calls that are meant to read from writing here; nothing, where names decide.
    pub(crate) kept_by: Option<String>,
    /// The words on the network of its commands.
    network: String,
    /// The origins of its profiles, the nearest last.
    pub(crate) profiles: Vec<String>,
    settings: &'s Settings,
    source: &'s ServedProgram,
}

impl<'s> Inspected<'s> {
    fn confined(&self) -> String {
        let mode = self.confinement.mode.name();
        match &self.kept_by {
            Some(kept_by) => format!("{mode} ({kept_by})"),
            None => mode.to_owned(),
        }
    }

    /// The rule that lets a command run, and the file that it stands in.
    pub(crate) fn rule(&self, tool: &Tool) -> String {
        let selection = &self.settings.selection;
        rule::of_command(self.source, selection, &self.prepared, tool).offered
    }

    /// The files whose rules hold for it, each within the next.
    pub(crate) fn files(&self) -> Vec<String> {
        let file = self.settings.selection.config.as_deref();
        let included = std::iter::successors(Some(&self.settings.config), |config| {
            config.baseline.as_deref()
        });
        let included = included.filter_map(|config| config.include.as_deref());
        let files = file.into_iter().chain(included);
        files.map(|file| file.display().to_string()).collect()
    }

    /// The hooks that are asked about all its calls, or about those of one command.
    pub(crate) fn hooks(&self, path: &CommandPath) -> Vec<hooks::HookLevel<'s>> {
        let tool = self.catalogue.for_path(path).filter(|_| !path.is_root());
        let source = &self.source.source;
        let selector = tool.and_then(|tool| source.select.get(tool.selector?));
        hooks::levels(&self.settings.config, Some(source), selector)
    }
}

/// Hooks in one line: the programs of each level, and where the file names them.
fn hooks_line(levels: &[hooks::HookLevel<'_>]) -> String {
    let level = |(level, rules): &hooks::HookLevel<'_>| {
        let asked = HookMoment::ALL.into_iter().filter_map(|moment| {
            let command = rules.command(moment);
            (!command.is_empty()).then(|| format!("{moment} {}", command.join(" ")))
        });
        format!("{} ({level})", asked.collect::<Vec<_>>().join(", "))
    };
    levels.iter().map(level).collect::<Vec<_>>().join("; ")
}

pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode, Problem> {
    let binaries: Vec<PathBuf> = args.binary.clone().into_iter().collect();
    let settings = Settings::load(&binaries, &args.selection, &Spells::default(), None)?;
    let [program] = settings.programs.as_slice() else {
        return Err(which(&settings));
    };
    let mut found = runtime::block_on(read(&settings.programs, args.selection.refresh))?;
    let mut found = found.remove(0);
    provenance(&program.path, &mut found);
    set::check_flags(&settings.selection, &[&found.cli])?;
    let prepared = prepare(Cow::Borrowed(&found), program, &settings.selection)?;
    found.cli = said(&found, program);
    for applied in &prepared.from_profiles {
        let argument = applied.argument.as_deref();
        found
            .provenance
            .profiled(&applied.path, argument, applied.field);
    }
    for applied in &prepared.applied {
        let argument = applied.argument.as_deref();
        found
            .provenance
            .overridden(&applied.path, argument, applied.field);
    }
    let catalogue = catalogue(&prepared.cli, &prepared.options);
    let inspected = Inspected {
        program: program.path.clone(),
        found,
        prepared,
        catalogue,
        kept_by: rights::kept_by(&program.confinement),
        confinement: program.confinement.clone(),
        network: program.confinement.told(&program.source),
        profiles: program.profiles.iter().map(LoadedProfile::from).collect(),
        settings: &settings,
        source: program,
    };
    let path: CommandPath = args.path.iter().flat_map(|word| word.split(' ')).collect();
    if inspected.found.cli.command(&path).is_none() {
        return Err(no_command(&inspected.found, &path));
    }
    if args.json {
        let json = inspect_json::json(&inspected, &path);
        print_raw(format!("{json:#}\n").as_bytes())?;
    } else if path.is_root() {
        print(&overview(&inspected, output::width()))?;
    } else {
        print(&details(&inspected, &path, output::width()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One program is looked at, and the file has none or several.
fn which(settings: &Settings) -> Problem {
    let names = settings.programs.iter().map(|program| program.name());
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => Problem::mistake("there is no program to inspect, only spells")
            .hint("`charmer spell list` shows them"),
        false => Problem::mistake(format!("there are several programs: {}", names.join(", ")))
            .hint("name one of them, as in `charmer inspect PROGRAM`"),
    }
}

fn no_command(found: &Discovery, path: &CommandPath) -> Problem {
    let program = &found.cli.root.name;
    let mut paths = Vec::new();
    found.cli.walk(&mut |path, _| paths.push(path.to_string()));
    let problem = Problem::mistake(format!("`{program}` has no command `{path}`"));
    match nearest(&path.to_string(), paths.iter().map(String::as_str)) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint(format!("`charmer inspect {program}` lists its commands")),
    }
}

/// The program as a whole.
fn overview(inspected: &Inspected<'_>, width: Option<usize>) -> String {
    let Inspected {
        found, prepared, ..
    } = inspected;
    let (mut commands, mut flags) = (0, 0);
    found.cli.walk(&mut |path, lineage| {
        commands += usize::from(!path.is_root());
        flags += lineage.last().map_or(0, |command| command.flags.len());
    });
    let mut text = String::new();
    let mut fact = |name: &str, value: String| write_fact(&mut text, name, &value, width);
    let version = found.cli.version.as_deref().unwrap_or_default();
    fact(
        "program",
        format!("{} {version}", styled(BOLD, &found.cli.root.name))
            .trim_end()
            .to_owned(),
    );
    fact("file", inspected.program.display().to_string());
    let files = inspected.files();
    if !files.is_empty() {
        fact("rules", files.join(", within "));
    }
    fact("family", found.family.clone());
    if let Some(said) = &found.said {
        let by = said.file.as_ref().map(|file| file.display().to_string());
        fact(
            "said by",
            by.unwrap_or_else(|| "the program itself".to_owned()),
        );
    }
    fact("found", format!("{commands} commands, {flags} flags"));
    fact(
        "offered",
        format!("{} tools", inspected.catalogue.tools.len()),
    );
    if !inspected.profiles.is_empty() {
        fact("profile", inspected.profiles.join(", "));
    }
    fact("network", inspected.network.clone());
    if !inspected.catalogue.pins.is_empty() {
        let pins = inspected.catalogue.pins.iter();
        let pins = pins.map(|pin| format!("{} ({} tools)", pin.flag, pin.tools));
        fact("set", pins.collect::<Vec<_>>().join(", "));
    }
    fact("confine", inspected.confined());
    let hooks = inspected.hooks(&CommandPath::root());
    if !hooks.is_empty() {
        fact("hooks", hooks_line(&hooks));
    }
    fact(
        "started",
        format!("{} times to find that out", found.spawned),
    );
    let gaps = found.gaps().count();
    match (gaps, found.complete) {
        (0, true) => {}
        (0, false) => fact("state", "not all commands have been read".to_owned()),
        (_, complete) => {
            let again = match complete {
                true => "",
                false => "; what is missing is asked for again at the next start",
            };
            fact(
                "state",
                format!("not read whole, see the warnings below{again}"),
            );
        }
    }
    let mut rows = Vec::new();
    found.cli.walk(&mut |path, lineage| {
        let Some(command) = lineage.last().filter(|_| !path.is_root()) else {
            return;
        };
        let offered = inspected.catalogue.for_path(path).is_some();
        let effect = prepared
            .cli
            .command(path)
            .map(|command| command.hints.effect);
        rows.push(vec![
            Cell::new(path.to_string()).style(if offered { BOLD } else { DIM }),
            effect.map_or("", effect_word).into(),
            Cell::number(command.flags.len()),
            fate(inspected, path, command).into(),
            command.about.clone().unwrap_or_default().into(),
        ]);
    });
    if !rows.is_empty() {
        let headings = ["COMMAND", "EFFECT", "FLAGS", "OFFERED", "WHAT IT DOES"];
        let shown = table(&headings, rows, Last::Clipped, width);
        let _ = write!(text, "\n{shown}");
    }
    left_out(&mut text, &prepared.left_out, width);
    refused(&mut text, prepared.refused.iter(), width);
    warnings(&mut text, inspected, None, width);
    text
}

/// A line about one thing; what does not fit on it stands below its beginning.
fn write_fact(text: &mut String, name: &str, value: &str, width: Option<usize>) {
    let line = format!("{} {value}", styled(DIM, format!("{name:<9}")));
    let _ = writeln!(text, "{}", wrapped(&line, width, 10));
}

/// Tells whether a command is a tool, or why not.
fn fate(inspected: &Inspected<'_>, path: &CommandPath, command: &Command) -> &'static str {
    if inspected.catalogue.for_path(path).is_some() {
        "yes"
    } else if command.hidden {
        "hidden"
    } else if command.deprecated.is_some() {
        "deprecated"
    } else if command.same_as.is_some() {
        "same as another"
    } else if !command.runnable && !command.commands.is_empty() {
        "only a group"
    } else {
        "no"
    }
}

/// One command.
fn details(inspected: &Inspected<'_>, path: &CommandPath, width: Option<usize>) -> String {
    let Inspected {
        found, prepared, ..
    } = inspected;
    let command = found.cli.command(path).expect("it was looked up before");
    let origins = found.provenance.command(path);
    let source = |field: &str| {
        let source = origins.and_then(|origins| origins.fields.get(field));
        source.map_or_else(String::new, |source| {
            format!("  {}", styled(DIM, told(*source)))
        })
    };
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}",
        styled(BOLD, format!("{} {path}", found.cli.root.name))
    );
    let mut fact = |name: &str, value: String| write_fact(&mut text, name, &value, width);
    if let Some(about) = &command.about {
        fact("about", format!("{about}{}", source("about")));
    }
    if let Some(usage) = &command.usage {
        fact("usage", format!("{usage}{}", source("usage")));
    }
    if !command.aliases.is_empty() {
        fact("aliases", command.aliases.join(", "));
    }
    if let Some(original) = &command.same_as {
        fact("same as", original.to_string());
    }
    if let Some(reason) = &command.deprecated {
        fact("deprecated", reason.clone());
    }
    let effect = prepared
        .cli
        .command(path)
        .map(|command| command.hints.effect);
    let why = match prepared.effect_from(path) {
        EffectFrom::File(position) => {
            let file = position.file.as_deref();
            let file = file.map_or_else(|| "charmer.yaml".to_owned(), |f| f.display().to_string());
            format!(" ({file})")
        }
        EffectFrom::Profile => " (profile)".to_owned(),
        EffectFrom::Evidence([]) => String::new(),
        EffectFrom::Evidence(list) => format!(" ({})", list.join("; ")),
    };
    fact("effect", format!("{}{why}", effect.map_or("", effect_word)));
    if let Some(granted) = prepared.networks.get(path) {
        let any = match prepared.reads_any.contains(path) {
            true => "; run_read takes it whatever its effect",
            false => "",
        };
        fact("network", format!("{}{any}", granted.told()));
    }
    match inspected.catalogue.for_path(path) {
        Some(tool) => {
            fact("tool", tool.name.to_string());
            fact("rule", inspected.rule(tool));
        }
        None => fact("tool", fate(inspected, path, command).to_owned()),
    }
    let hooks = inspected.hooks(path);
    if !hooks.is_empty() {
        fact("hooks", hooks_line(&hooks));
    }
    fact(
        "arguments",
        format!("{}{}", arguments(&command.arguments), source("arguments")),
    );
    if !command.commands.is_empty() {
        let names: Vec<&str> = command
            .commands
            .iter()
            .map(|child| child.name.as_str())
            .collect();
        fact("commands", names.join(", "));
    }
    let own = command.flags.iter();
    let own = own.map(|flag| (path.clone(), flag.as_ref()));
    let flags: Vec<(CommandPath, &Flag)> = own.chain(inherited(inspected, path)).collect();
    let rows: Vec<Vec<Cell>> = flags
        .iter()
        .map(|(owner, flag)| flag_row(inspected, owner, flag, owner != path))
        .collect();
    if !rows.is_empty() {
        let headings = [
            "FLAG",
            "TYPE",
            "DEFAULT",
            "NEEDED",
            "TYPE FROM",
            "WHAT IT DOES",
        ];
        let shown = table(&headings, rows, Last::Wrapped, width);
        let _ = write!(text, "\n{shown}");
    }
    let here: Vec<LeftOut> = prepared
        .left_out
        .iter()
        .filter(|out| {
            let mut flags = flags.iter();
            flags.any(|(owner, flag)| (owner, &flag.id) == (&out.command, &out.id))
        })
        .cloned()
        .collect();
    left_out(&mut text, &here, width);
    refused(&mut text, prepared.refused(path), width);
    warnings(&mut text, inspected, Some(path), width);
    text
}

/// The flags of a command's ancestors that it takes too, with their owners.
fn inherited<'a>(inspected: &'a Inspected<'_>, path: &CommandPath) -> Vec<(CommandPath, &'a Flag)> {
    let words = path.words();
    let stands_alone = |length: &usize| {
        let command: CommandPath = words[..*length].iter().cloned().collect();
        let command = inspected.found.cli.command(&command);
        command.is_some_and(|command| command.stands_alone)
    };
    let first = (1..=words.len()).rfind(stands_alone).unwrap_or(0);
    (first..words.len())
        .map(|length| words[..length].iter().cloned().collect::<CommandPath>())
        .filter_map(|owner| Some((inspected.found.cli.command(&owner)?, owner)))
        .flat_map(|(command, owner)| {
            let flags = command.flags_beside_subcommands();
            flags.map(move |flag| (owner.clone(), flag))
        })
        .collect()
}

fn flag_row(
    inspected: &Inspected<'_>,
    owner: &CommandPath,
    flag: &Flag,
    inherited: bool,
) -> Vec<Cell> {
    let fields = inspected
        .found
        .provenance
        .command(owner)
        .and_then(|origins| origins.flags.get(&flag.id));
    let source = fields.and_then(|fields| fields.get("type"));
    let hidden = inspected.prepared.left_out.iter();
    let mut hidden = hidden.filter(|out| out.command == *owner && out.id == flag.id);
    let style = if hidden.next().is_some() || inherited {
        DIM
    } else {
        BOLD
    };
    let short = flag
        .short
        .map_or_else(String::new, |short| format!("-{short}, "));
    let name = match &flag.long {
        Some(_) => format!("{short}{}", flag.display_name()),
        None => flag.display_name(),
    };
    let mut about = flag.help.clone().unwrap_or_default();
    if !flag.choices.is_empty() {
        let choices: Vec<&str> = flag
            .choices
            .iter()
            .map(|choice| choice.value.as_str())
            .collect();
        // With spaces, so that a long list has places to break at.
        about = format!("[{}] {about}", choices.join(" | "));
    }
    vec![
        Cell::new(name).style(style),
        type_word(flag).into(),
        flag.default.join(",").into(),
        if flag.required { "yes" } else { "" }.into(),
        source
            .map_or_else(String::new, |source| told(*source))
            .into(),
        about.into(),
    ]
}

/// The source in which something was seen and how sure that is.
fn told(source: Source) -> String {
    format!("{} {} %", source.origin, source.sure)
}

/// The type of a flag in one word.
pub(crate) fn type_word(flag: &Flag) -> String {
    let one = match &flag.value_type {
        ValueType::Bool if flag.value == FlagValue::None => return "switch".into(),
        ValueType::Count => return "count".into(),
        // The variant's name, without its bounds.
        other => format!("{other:?}")
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default()
            .to_lowercase(),
    };
    let word = match flag.repetition {
        Repetition::Single => one,
        _ => format!("{one}..."),
    };
    match flag.value {
        FlagValue::Optional { .. } => format!("[{word}]"),
        _ => word,
    }
}

/// Positionals as a usage line shows them.
fn arguments(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Pattern(pattern) => format!("{pattern} (not read one by one)"),
        Arguments::Listed(listed) if listed.is_empty() => "none".into(),
        Arguments::Listed(listed) => {
            let shown = listed.iter().map(|positional| {
                let name = positional.name.as_deref().unwrap_or(&positional.id);
                let dots = if positional.variadic { "..." } else { "" };
                if positional.required {
                    format!("<{name}>{dots}")
                } else {
                    format!("[{name}]{dots}")
                }
            });
            shown.collect::<Vec<_>>().join(" ")
        }
    }
}

fn left_out(text: &mut String, left_out: &[LeftOut], width: Option<usize>) {
    if left_out.is_empty() {
        return;
    }
    let rows: Vec<Vec<Cell>> = left_out
        .iter()
        .map(|out| {
            vec![
                out.flag.clone().into(),
                out.command.to_string().into(),
                out.reason.clone().into(),
            ]
        })
        .collect();
    let _ = write!(
        text,
        "\n{} (--with-flag NAME brings one back)\n{}",
        styled(BOLD, "Flags that are left out"),
        table(&["FLAG", "OF", "WHY"], rows, Last::Wrapped, width)
    );
}

fn refused<'r>(
    text: &mut String,
    refused: impl Iterator<Item = &'r Refused>,
    width: Option<usize>,
) {
    let rows: Vec<Vec<Cell>> = refused
        .map(|one| {
            vec![
                one.argument.clone().into(),
                one.command.to_string().into(),
                one.meant().into(),
                one.reason.clone().into(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let _ = write!(
            text,
            "\n{} (--with-flag ARGUMENT allows them)\n{}",
            styled(BOLD, "Values that are refused"),
            table(
                &["ARGUMENT", "OF", "WHAT MATCHES", "WHY"],
                rows,
                Last::Wrapped,
                width
            )
        );
    }
}

fn warnings(
    text: &mut String,
    inspected: &Inspected<'_>,
    about: Option<&CommandPath>,
    width: Option<usize>,
) {
    let found = inspected.found.warnings.iter();
    let found = found.map(|warning| (&warning.path, warning.message.as_str()));
    let made = inspected.catalogue.warnings.iter();
    let made = made.map(|warning| (&warning.path, warning.message.as_str()));
    let own = inspected.prepared.warnings.iter();
    let root = CommandPath::root();
    let own = own.map(|message| (&root, message.as_str()));
    for (path, message) in found.chain(made).chain(own) {
        // What was said before the program was run is not said again below it.
        if about.is_some_and(|about| about != path) || was_said(message) {
            continue;
        }
        let of = if path.is_root() {
            String::new()
        } else {
            format!("{path}: ")
        };
        let warning = format!("{} {of}{message}", styled(YELLOW.bold(), "warning:"));
        let _ = write!(text, "\n{}", wrapped(&warning, width, 2));
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
}
