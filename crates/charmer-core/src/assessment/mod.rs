//! The assessment of a program's commands and flags: effects, redirecting and writing flags, secrets.
//!
//! It follows from the model alone, but it takes longer to find out than to read, so it is kept with the model.

pub mod effect;
pub mod redirecting_flags;
mod stdin;

use std::collections::BTreeMap;

use crate::model::{Cli, Command, CommandPath, Effect, Flag, GivenEffect, Shared};
use serde::{Deserialize, Serialize};

pub use self::stdin::reads_stdin;
use self::{
    effect::{
        classify,
        harmless::{NOT_KNOWN, is_harmless},
        secret_values, writing_flag,
    },
    redirecting_flags::{RefusedValue, redirects, values::refused_values},
};

/// The assessment of every command of a program.
///
/// ```
/// use charmer_core::model::{Cli, Command, CommandPath, Effect, Syntax};
/// use charmer_core::assessment::Assessment;
/// let ls = Command::new("ls").about("List containers");
/// let cli = Cli::new(Command::new("ship").not_runnable().command(ls), Syntax::pflag());
/// let assessment = Assessment::of(&cli);
/// let ls = assessment.command(&CommandPath::parse("ls")).unwrap();
/// assert_eq!(ls.effect, Effect::Read);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Assessment(BTreeMap<String, CommandAssessment>);

/// The assessment of one command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CommandAssessment {
    /// Its effect.
    pub effect: Effect,
    /// The reasons for the effect, for people.
    pub evidence: Vec<String>,
    /// Flags of its own that redirect the program, by id, with the reason. Those that it cannot do without are not here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redirects: BTreeMap<String, String>,
    /// Flags of its own that would make it write although it reads, by id, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub writes: BTreeMap<String, String>,
    /// Flags of the root that hold for all commands and are not known to be harmless, by id, with the reason. They stay
    /// out where only reading is offered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown: BTreeMap<String, String>,
    /// A pattern that its positionals must not match where only reading is offered: it would show secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<String>,
    /// Its help says that it reads standard input.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stdin: bool,
    /// Values of its arguments that redirect the program, where the argument itself stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedValue>,
}

impl Assessment {
    /// Thinks about a program.
    pub fn of(cli: &Cli) -> Self {
        let mut commands = BTreeMap::new();
        cli.walk(&mut |path, lineage| {
            commands.insert(path.to_string(), judge(path, lineage));
        });
        Self(commands)
    }

    /// Sets what commands are thought to do and to read, unless somebody has said it.
    pub fn apply(&self, cli: &mut Cli) {
        fn descend(assessment: &Assessment, command: &mut Command, path: &CommandPath) {
            if let Some(thought) = assessment.command(path) {
                if command.hints.effect == Effect::Unknown {
                    command.hints.effect = thought.effect;
                }
                command.stdin |= thought.stdin;
            }
            for child in &mut command.commands {
                let path = path.child(child.name.as_str());
                descend(assessment, child, &path);
            }
        }
        descend(self, &mut cli.root, &CommandPath::root());
    }

    /// Says of flags that are thought to write that they do, unless somebody has said something of them.
    pub fn mark_writing_flags(&self, cli: &mut Cli) {
        fn descend(assessment: &Assessment, command: &mut Command, path: &CommandPath) {
            if let Some(thought) = assessment.command(path) {
                let writes = |flag: &&mut Shared<Flag>| thought.writes.contains_key(&flag.id);
                for flag in command.flags.iter_mut().filter(writes) {
                    if flag.effect.is_none() {
                        flag.effect = Some(GivenEffect::of(Effect::Write));
                    }
                }
            }
            for child in &mut command.commands {
                let path = path.child(child.name.as_str());
                descend(assessment, child, &path);
            }
        }
        descend(self, &mut cli.root, &CommandPath::root());
    }

    /// The assessment of a command, to change it.
    pub fn command_mut(&mut self, path: &CommandPath) -> &mut CommandAssessment {
        self.0.entry(path.to_string()).or_default()
    }

    /// The assessment of one command.
    pub fn command(&self, path: &CommandPath) -> Option<&CommandAssessment> {
        self.0.get(&path.to_string())
    }
}

fn judge(path: &CommandPath, lineage: &[&Command]) -> CommandAssessment {
    let Some(command) = lineage.last() else {
        return CommandAssessment::default();
    };
    let class = classify(lineage, path);
    let mut assessment = CommandAssessment {
        effect: class.effect,
        evidence: class.evidence.into_iter().map(|fact| fact.text).collect(),
        secrets: secret_values(command).map(str::to_owned),
        stdin: reads_stdin(command),
        refused: refused_values(lineage),
        ..CommandAssessment::default()
    };
    for flag in &command.flags {
        if let Some(redirect) = redirects(lineage, flag).filter(|redirect| !redirect.required) {
            assessment
                .redirects
                .insert(flag.id.clone(), redirect.reason);
        }
        if path.is_root() && !command.commands.is_empty() && !is_harmless(flag) {
            let reason = NOT_KNOWN.to_owned();
            assessment.unknown.insert(flag.id.clone(), reason);
        }
        if let Some(reason) = writing_flag(command, flag) {
            assessment
                .writes
                .insert(flag.id.clone(), reason.to_string());
        }
    }
    assessment
}
