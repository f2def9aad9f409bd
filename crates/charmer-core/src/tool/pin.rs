//! Pinned flags: in every command line of the commands that have them, in no schema, out of a caller's reach.

use thiserror::Error;

use crate::{
    call::{Element, Given, bind_pin},
    model::{Cli, Command, CommandPath, Flag, GroupKind, Syntax},
    select::names_flag,
    text::nearest,
};

use super::property::{FlagProperty, Rules, is_taken, level_of};

/// The value that a flag is pinned to. Text is read as the flag's type wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PinValue {
    /// A switch, on or off; for a flag whose value is optional, the flag without one.
    Switch(bool),
    /// One value.
    Text(String),
    /// Several values.
    List(Vec<String>),
}

/// A flag and what it is pinned to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pin {
    /// A name of the flag, with or without dashes, long or short.
    pub flag: String,
    /// The value that it is set to.
    pub value: PinValue,
}

impl Pin {
    /// Pins a flag.
    pub fn new(flag: impl Into<String>, value: PinValue) -> Self {
        Self {
            flag: flag.into(),
            value,
        }
    }

    /// Pins a flag to one value.
    pub fn text(flag: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(flag, PinValue::Text(value.into()))
    }
}

/// The reason why a flag cannot be pinned. What cannot be enforced is refused, never left out without a word.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PinError {
    /// No command has such a flag.
    #[error("no command has the flag `{flag}` that is pinned{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// The name.
        flag: String,
        /// The flag that was meant, perhaps.
        nearest: Option<String>,
    },
    /// The value is none that the flag takes. It is not shown: it may be a secret.
    #[error("{} cannot be pinned to this value: it takes {expected}", of_command(.flag, .path))]
    Unfit {
        /// The flag, as a person writes it.
        flag: String,
        /// The command that owns it.
        path: CommandPath,
        /// The values that it takes.
        expected: String,
    },
    /// Two pins that the program does not take together.
    #[error("{} and `{other}` cannot be pinned like this: {why}", of_command(.flag, .path))]
    Conflict {
        /// One flag.
        flag: String,
        /// The other flag.
        other: String,
        /// The command that owns them.
        path: CommandPath,
        /// The reason.
        why: String,
    },
    /// The flag confirms what a command asks about, and a pin would take the question away.
    #[error("{} cannot be pinned, because it is what `confirm` asks for", of_command(.flag, .path))]
    Confirms {
        /// The flag.
        flag: String,
        /// The command that asks.
        path: CommandPath,
    },
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

fn of_command(flag: &str, path: &CommandPath) -> String {
    if path.is_root() {
        format!("`{flag}`")
    } else {
        format!("`{flag}` of `{path}`")
    }
}

/// Pins that fit a program: the only kind that a catalogue takes.
///
/// ```
/// use charmer_core::{call, model::*, tool::{self, CatalogueOptions, Pin, Pins}};
///
/// let root = Command::new("ship")
///     .not_runnable()
///     .flag(Flag::new("harbour").pflag("string").global())
///     .command(Command::new("dock"));
/// let cli = Cli::new(root, Syntax::pflag());
///
/// let mut options = CatalogueOptions::default();
/// options.pins = Pins::resolve(&cli, &[Pin::text("harbour", "north")]).unwrap();
/// let catalogue = tool::catalogue(&cli, &options);
/// assert_eq!(catalogue.pins[0].tools, 1);
/// let argv = call::prepare(&catalogue.tools[0], &Default::default()).unwrap().argv;
/// assert_eq!(argv.to_strings(), ["dock", "--harbour=north"]);
///
/// let error = Pins::resolve(&cli, &[Pin::text("harbor", "north")]).unwrap_err();
/// assert_eq!(
///     error[0].to_string(),
///     "no command has the flag `harbor` that is pinned (did you mean `--harbour`?)"
/// );
/// ```
#[derive(Debug, Clone, Default)]
pub struct Pins(Vec<Pin>);

impl Pins {
    /// Checks pins against every command of a program: each is a flag of some command, and its value one that the flag
    /// takes wherever it stands. Where a command and its ancestors have several flags of a name, the outermost is
    /// pinned and the others are left out of the tool.
    pub fn resolve(cli: &Cli, pins: &[Pin]) -> Result<Self, Vec<PinError>> {
        let resolved = Self(pins.to_vec());
        let mut errors: Vec<PinError> = Vec::new();
        let mut found = vec![false; pins.len()];
        let mut names: Vec<String> = Vec::new();
        cli.walk(&mut |_, lineage| {
            let command = *lineage.last().expect("a lineage ends with its command");
            names.extend(command.flags.iter().map(|flag| flag.display_name()));
            for (at, pin) in pins.iter().enumerate() {
                found[at] |= command.flags.iter().any(|flag| names_flag(&pin.flag, flag));
            }
            for error in resolved.of(lineage, cli.syntax).err().into_iter().flatten() {
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        });
        for (pin, _) in pins.iter().zip(found).filter(|(_, found)| !found) {
            let wanted = format!("--{}", pin.flag.trim_start_matches('-'));
            errors.push(PinError::Unknown {
                flag: pin.flag.clone(),
                nearest: nearest(&wanted, names.iter().map(String::as_str)).map(str::to_owned),
            });
        }
        if errors.is_empty() {
            Ok(resolved)
        } else {
            Err(errors)
        }
    }

    /// Returns true if nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of the flags, as they were written.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pin| pin.flag.as_str())
    }

    /// The pinned flags of the last command of a lineage.
    pub(super) fn of(
        &self,
        lineage: &[&Command],
        syntax: Syntax,
    ) -> Result<PinnedTool, Vec<PinError>> {
        let mut pinned = PinnedTool::default();
        let mut errors = Vec::new();
        for (at, pin) in self.0.iter().enumerate() {
            let mut places = lineage.iter().enumerate().flat_map(|(depth, command)| {
                command
                    .flags
                    .iter()
                    .filter(move |flag| {
                        names_flag(&pin.flag, flag) && is_taken(lineage, depth, flag)
                    })
                    .map(move |flag| (depth, flag))
            });
            let Some((owner, flag)) = places.next() else {
                continue;
            };
            pinned
                .left_out
                .extend(places.map(|(depth, flag)| (depth, flag.id.clone())));
            match pin.bind(at, owner, flag, lineage, syntax) {
                Ok(flag) => pinned.flags.push(flag),
                Err(error) => errors.push(error),
            }
        }
        pinned.conflicts(lineage, &mut errors);
        if errors.is_empty() {
            Ok(pinned)
        } else {
            Err(errors)
        }
    }
}

impl Pin {
    fn bind(
        &self,
        at: usize,
        owner: usize,
        flag: &Flag,
        lineage: &[&Command],
        syntax: Syntax,
    ) -> Result<PinnedFlag, PinError> {
        let name = flag.display_name();
        let confirm = lineage.last().and_then(|leaf| leaf.confirm.as_deref());
        if confirm.is_some_and(|word| flag.is_named(word)) {
            return Err(PinError::Confirms {
                flag: name,
                path: path_to(lineage),
            });
        }
        let property = FlagProperty {
            key: name.clone(),
            flag: flag.clone().into(),
            owner,
            level: level_of(lineage, owner, flag),
            confirms: false,
            rules: Rules::default(),
        };
        let negated = flag.negation.as_deref() == Some(self.flag.trim_start_matches('-'));
        match bind_pin(&property, &self.value, negated, syntax) {
            Ok((given, elements)) => Ok(PinnedFlag {
                property,
                given,
                elements,
                pin: at,
            }),
            Err(expected) => Err(PinError::Unfit {
                flag: name,
                path: path_to(&lineage[..=owner]),
                expected,
            }),
        }
    }
}

fn path_to(lineage: &[&Command]) -> CommandPath {
    lineage[1..]
        .iter()
        .map(|command| command.name.as_str())
        .collect()
}

/// A flag that is pinned for one tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PinnedFlag {
    /// The flag and where it is written; its key is the flag as a person writes it, and no part of the input.
    pub property: FlagProperty,
    /// The value that it is set to.
    pub given: Given,
    /// Exactly what is written for it.
    pub elements: Vec<Element>,
    /// The number of the pin that it comes from.
    pub(super) pin: usize,
}

impl PinnedFlag {
    /// Returns true if it is a member of a relation at this depth.
    pub(crate) fn is_member(&self, depth: usize, id: &str) -> bool {
        self.property.owner == depth && self.property.flag.id == id
    }
}

/// The pins of one tool.
#[derive(Debug, Clone, Default)]
pub(super) struct PinnedTool {
    pub(super) flags: Vec<PinnedFlag>,
    /// Flags of the same name further in, by depth and id.
    pub(super) left_out: Vec<(usize, String)>,
}

impl PinnedTool {
    /// Returns true if this flag is pinned, or left out because of a pin.
    pub(super) fn has(&self, depth: usize, flag: &Flag) -> bool {
        self.flags
            .iter()
            .any(|pinned| pinned.is_member(depth, &flag.id))
            || self
                .left_out
                .iter()
                .any(|(at, id)| *at == depth && *id == flag.id)
    }

    /// Relations between the flags and positionals of one level that pins alone break.
    fn conflicts(&self, lineage: &[&Command], errors: &mut Vec<PinError>) {
        for (depth, command) in lineage.iter().enumerate() {
            for group in &command.groups {
                let members = || {
                    let is_member = |pinned: &&PinnedFlag| {
                        let mut ids = group.members.iter();
                        ids.any(|id| pinned.is_member(depth, id))
                    };
                    self.flags.iter().filter(is_member)
                };
                let mut on = members().filter(|pinned| pinned.given.is_given());
                let mut off = members().filter(|pinned| !pinned.given.is_given());
                let (pair, why) = match group.kind {
                    GroupKind::Exclusive => (on.next().zip(on.next()), "they exclude each other"),
                    GroupKind::Together => (
                        on.next().zip(off.next()),
                        "one is not taken without the other",
                    ),
                    GroupKind::OneOf => continue,
                };
                if let Some((one, other)) = pair {
                    errors.push(PinError::Conflict {
                        flag: one.property.key.clone(),
                        other: other.property.key.clone(),
                        path: path_to(&lineage[..=depth]),
                        why: why.to_owned(),
                    });
                }
            }
        }
    }
}

/// The reach of a pin.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PinReach {
    /// The flag, as the pin names it.
    pub flag: String,
    /// The number of tools that carry it.
    pub tools: usize,
}
