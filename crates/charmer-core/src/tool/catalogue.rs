//! The catalogue: every tool of a program, in a fixed order, with what should be known about them.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::{
    model::{Cli, Command, CommandPath, Hints, Shared},
    select::{Candidate, ToolSelector, first_match},
};

use super::{
    Tool,
    annotations::Annotations,
    description::describe,
    help::{Help, shown_above},
    input_schema::InputSchema,
    name::{NAME_WARNING, unique_names},
    pin::{PinReach, Pins},
    property::{Input, Layout, Rules, Steps, is_taken},
    schema::{output_schema, output_schema_with_data, schema_notes},
};

/// Commands that never become tools, wherever they stand; compared whole.
const NEVER: [&str; 2] = ["help", "completion"];

/// The help text of the command that serves a program's own commands, where the program was built with the library.
pub const BRIDGE_ABOUT: &str = "Serve this program's commands to AI assistants over MCP";

/// The way tools are made from a program.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CatalogueOptions {
    /// Replaces the program's name in tool names; empty for no prefix at all.
    pub prefix: Option<String>,
    /// The way input is laid out.
    pub layout: Layout,
    /// The selectors of commands and flags; none means that all are offered.
    pub selectors: Vec<ToolSelector>,
    /// Commands that are left out, such as the bridge's own.
    pub exclude: Vec<CommandPath>,
    /// The rules that authors added to single arguments: command, id or key, rules.
    pub rules: Vec<(CommandPath, String, Rules)>,
    /// Declared outputs: the schema of `data`, a command.
    pub outputs: HashMap<CommandPath, Value>,
    /// Flags that every command line carries and no schema shows.
    pub pins: Pins,
}

/// Something that is worth a developer's attention but stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The command that it is about.
    pub path: CommandPath,
    /// Its kind.
    pub message: String,
}

impl Warning {
    /// A warning about a command.
    pub fn new(path: CommandPath, message: impl Into<String>) -> Self {
        Self {
            path,
            message: message.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_root() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Every tool of a program.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Catalogue {
    /// The tools, in the order of the program's commands.
    pub tools: Vec<Arc<Tool>>,
    /// The warnings for the developer.
    pub warnings: Vec<Warning>,
    /// The reach of each pin, in the order of the pins.
    pub pins: Vec<PinReach>,
}

impl Catalogue {
    /// The tool for a command.
    pub fn for_path(&self, path: &CommandPath) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.path == *path)
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.name.as_str() == name)
    }
}

/// Makes the tools of a program.
pub fn catalogue(cli: &Cli, options: &CatalogueOptions) -> Catalogue {
    let program = cli.root.name.as_str();
    let everything = [ToolSelector::default()];
    let (selectors, explicit) = if options.selectors.is_empty() {
        (&everything[..], false)
    } else {
        (&options.selectors[..], true)
    };

    let mut chosen: Vec<(CommandPath, Vec<&Command>, usize)> = Vec::new();
    cli.walk(&mut |path, lineage| {
        let command = *lineage
            .last()
            .expect("a lineage ends with the command visited");
        let excluded = options
            .exclude
            .iter()
            .any(|excluded| path.words().starts_with(excluded.words()));
        if excluded || !can_be_tool(lineage) {
            return;
        }
        if let Some((at, _)) = first_match(
            selectors,
            &Candidate {
                program,
                path,
                command,
            },
        ) {
            chosen.push((path.clone(), lineage.to_vec(), at));
        }
    });

    // A command that is there under two paths is one tool, whichever of them was chosen.
    let all: HashSet<CommandPath> = chosen.iter().map(|(path, ..)| path.clone()).collect();
    let mut others: HashMap<CommandPath, Vec<CommandPath>> = HashMap::new();
    chosen.retain(|(path, lineage, _)| {
        let repeats = lineage.last().and_then(|command| command.same_as.as_ref());
        match repeats.filter(|original| all.contains(*original)) {
            Some(original) => {
                let paths = others.entry(original.clone()).or_default();
                paths.push(path.clone());
                false
            }
            None => true,
        }
    });

    let prefix = options.prefix.as_deref().unwrap_or(program);
    let paths: Vec<CommandPath> = chosen.iter().map(|(path, ..)| path.clone()).collect();
    let (names, collisions) = unique_names(prefix, &paths);
    let mut warnings: Vec<Warning> = collisions
        .into_iter()
        .map(|(at, holder)| Warning {
            path: paths[at].clone(),
            message: format!(
                "its tool is called `{}`, because `{}` has the plain name; set a prefix or rename one of them",
                names[at], paths[holder]
            ),
        })
        .collect();

    // Nearly every tool has the same output, so they share it.
    let plain_output = Arc::new(output_schema());
    let shared_name: Arc<str> = program.into();
    let mut steps = Steps::default();
    let mut tools = Vec::with_capacity(chosen.len());
    let mut reach: Vec<PinReach> = options
        .pins
        .names()
        .map(|flag| PinReach {
            flag: flag.to_owned(),
            tools: 0,
        })
        .collect();
    for ((path, lineage, at), name) in chosen.into_iter().zip(names) {
        let command = *lineage
            .last()
            .expect("a lineage ends with the command visited");
        let warn = |message: String| Warning {
            path: path.clone(),
            message,
        };
        if name.as_str().len() > NAME_WARNING {
            warnings.push(warn(format!(
                "the tool name `{name}` has {} characters; some clients add a prefix and cut at 60, so aim for {NAME_WARNING}",
                name.as_str().len()
            )));
        }
        let selector = &selectors[at];
        let pinned = match options.pins.of(&lineage, cli.syntax) {
            Ok(pinned) => pinned,
            // Pins that were checked against another program: without them there must be no tool.
            Err(errors) => {
                warnings.extend(
                    errors
                        .iter()
                        .map(|error| warn(format!("it is no tool: {error}"))),
                );
                continue;
            }
        };
        let mut input = Input::new(&lineage, options.layout, selector, pinned, &mut steps);
        warnings.extend(
            left_out_but_required(&lineage, selector, &input)
                .into_iter()
                .map(warn),
        );
        // A guard that cannot stand is no reason to do without: there is no tool then.
        if let Some(switch) = &command.confirm
            && !input.flags.iter().any(|property| property.confirms)
        {
            warnings.push(warn(format!(
                "it is no tool: `{switch}`, which is to confirm it, is no switch that can be given"
            )));
            continue;
        }
        for pinned in &input.pinned {
            reach[pinned.pin].tools += 1;
        }
        for (_, argument, rules) in options
            .rules
            .iter()
            .filter(|(rule_path, ..)| *rule_path == path)
        {
            apply_rules(&mut input, argument, rules);
        }
        warnings.extend(schema_notes(&input).into_iter().map(warn));
        let input = Shared::from(input);
        let words: Vec<&str> = std::iter::once(program)
            .chain(path.words().iter().map(String::as_str))
            .collect();
        tools.push(Arc::new(Tool {
            title: command
                .hints
                .title
                .clone()
                .unwrap_or_else(|| words.join(" ")),
            description: describe(&words, command, &input),
            annotations: Annotations::new(&Hints {
                effect: input.worst_effect(command.hints.effect),
                ..command.hints.clone()
            }),
            output_schema: declared_output(options, &path)
                .unwrap_or_else(|| Arc::clone(&plain_output)),
            input_schema: InputSchema::of(&input),
            syntax: cli.syntax,
            selector: explicit.then_some(at),
            help: Help {
                paths: others.remove(&path).unwrap_or_default(),
                listings: lineage[1..].iter().map(|c| c.listing.clone()).collect(),
                shown_above: shown_above(&words, &lineage),
                ..Help::of(&shared_name, command)
            },
            terse: false,
            structured: false,
            name,
            input,
            path,
        }));
    }
    for pin in reach.iter().filter(|pin| pin.tools == 0) {
        warnings.push(Warning {
            path: CommandPath::root(),
            message: format!(
                "none of the tools has the flag `{}` that is pinned",
                pin.flag
            ),
        });
    }
    Catalogue {
        tools,
        warnings,
        pins: reach,
    }
}

/// Returns true if the last command of a lineage can be a tool at all, whatever is selected: it runs, and neither it
/// nor what leads to it is hidden, deprecated, or one of those that never are.
pub fn can_be_tool(lineage: &[&Command]) -> bool {
    let shown = |step: &&Command| !step.hidden && step.deprecated.is_none();
    let helps = |step: &&Command| NEVER.contains(&step.name.as_str()) || is_bridge(step);
    lineage.iter().all(shown)
        && !lineage.iter().skip(1).any(helps)
        && lineage
            .last()
            .is_some_and(|command| command.runnable || command.commands.is_empty())
}

/// Returns true if a command serves its program's commands to assistants, and so is none of those that they need.
fn is_bridge(command: &Command) -> bool {
    let has = |name: &str| command.commands.iter().any(|child| child.name == name);
    command.about.as_deref() == Some(BRIDGE_ABOUT)
        || command.name == "mcp" && has("start") && has("tools")
}

fn declared_output(
    options: &CatalogueOptions,
    path: &CommandPath,
) -> Option<Arc<Map<String, Value>>> {
    options
        .outputs
        .get(path)
        .map(|data| Arc::new(output_schema_with_data(data.clone())))
}

/// A required flag that cannot be reached makes a tool that can never be called: say so.
fn left_out_but_required(
    lineage: &[&Command],
    selector: &ToolSelector,
    input: &Input,
) -> Vec<String> {
    let leaf = lineage.len() - 1;
    let mut notes = Vec::new();
    for (depth, command) in lineage.iter().enumerate() {
        if depth < leaf && command.subcommand_lifts_required {
            continue;
        }
        let rule = if depth == leaf {
            &selector.local_flags
        } else {
            &selector.inherited_flags
        };
        let required = command.flags.iter().filter(|flag| {
            let mut pinned = input.pinned.iter();
            flag.required && !pinned.any(|pinned| pinned.is_member(depth, &flag.id))
        });
        for flag in required {
            let mut offered = input.flags.iter();
            let why = if !rule.matches(flag) {
                "the selector leaves it out"
            } else if flag.hidden || flag.deprecated.is_some() {
                "it is hidden or deprecated"
            } else if is_taken(lineage, depth, flag)
                && !offered.any(|offered| offered.owner == depth && offered.flag.id == flag.id)
            {
                "a pinned flag excludes it or stands for it"
            } else {
                continue;
            };
            notes.push(format!(
                "`{}` cannot be given, because {why}, but the command does not run without it",
                flag.display_name()
            ));
        }
    }
    notes
}

fn apply_rules(input: &mut Input, argument: &str, rules: &Rules) {
    let name = argument.trim_start_matches('-');
    for property in &mut input.flags {
        if property.key == name || property.flag.id == name {
            property.rules = merged(&property.rules, rules);
        }
    }
    for property in &mut input.positionals {
        if property.key == name || property.positional.id == name {
            property.rules = merged(&property.rules, rules);
        }
    }
}

fn merged(own: &Rules, more: &Rules) -> Rules {
    Rules {
        convert: more.convert.clone().or_else(|| own.convert.clone()),
        validate: own.validate.iter().chain(&more.validate).cloned().collect(),
    }
}
