//! The properties of a tool's input: which key stands for which flag or positional, in which layout.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::{
    call::Given,
    model::{
        Arguments, Command, DoubleDash, Effect, Flag, Group, GroupKind, Positional, Shared,
        effect_with,
    },
    order,
    select::ToolSelector,
};

use super::{
    pin::{PinnedFlag, PinnedTool},
    template::{CONFIRM_KEY, CommandTemplate},
};

/// The key under which the nested layout holds flags.
pub const FLAGS_KEY: &str = "flags";
/// The key of the list of positionals, in the nested layout or where their pattern could not be read.
pub const ARGS_KEY: &str = "args";
/// The key of what a command reads from its standard input.
const STDIN_KEY: &str = "stdin";

/// The way input is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Each flag under its long name, each positional under its own name.
    #[default]
    Flat,
    /// `{"flags": {...}, "args": [...]}`.
    Nested,
}

/// Turns a caller's value into another before it is bound.
pub type Convert = Arc<dyn Fn(Value) -> Result<Value, String> + Send + Sync>;
/// Accepts a caller's value or says what is wrong with it.
pub type Validator = Arc<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

/// An author's rules for one argument beyond the model.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Rules {
    /// Runs first; its result replaces the value.
    pub convert: Option<Convert>,
    /// Run on the caller's value.
    pub validate: Vec<Validator>,
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Rules(convert: {}, validate: {})",
            self.convert.is_some(),
            self.validate.len()
        )
    }
}

/// A flag as a property.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FlagProperty {
    /// Its key in the input.
    pub key: String,
    /// The flag.
    pub flag: Shared<Flag>,
    /// The depth of the command that owns it; the root is 0.
    pub owner: usize,
    /// The depth at which it is written: its owner's, or the leaf's if it is global.
    pub level: usize,
    /// It stands for a confirmation, which must be given and must be true.
    pub confirms: bool,
    /// The rules that an author added.
    pub rules: Rules,
}

impl FlagProperty {
    /// The effect that this value has on a call.
    pub fn effect_of(&self, given: &Given) -> Option<Effect> {
        given.effect(self.flag.effect.as_ref()?)
    }

    /// Returns what is left of a command's own effect when this value is given.
    pub(crate) fn lowered(&self, command: Effect, given: &Given) -> Effect {
        let effect = self.flag.effect.as_ref().filter(|_| given.is_given());
        effect.map_or(command, |effect| effect.lowered(command))
    }
}

/// A positional as a property.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PositionalProperty {
    /// Its key in the input.
    pub key: String,
    /// The positional.
    pub positional: Positional,
    /// The depth of the command that owns it.
    pub level: usize,
    /// The rules that an author added.
    pub rules: Rules,
}

impl PositionalProperty {
    /// A positional under a key of its own, of a command that an author wrote out.
    pub fn declared(key: impl Into<String>, positional: Positional) -> Self {
        Self {
            key: key.into(),
            positional,
            level: 0,
            rules: Rules::default(),
        }
    }

    /// Returns true if its author wrote this very value: as a choice or as the default.
    pub(crate) fn is_authors(&self, value: &str) -> bool {
        let default = self.positional.default.first();
        !self.positional.choices.is_empty() || default.is_some_and(|default| default == value)
    }
}

/// A flag that the program takes here and the tool does not offer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WithheldFlag {
    /// The flag.
    pub flag: Shared<Flag>,
    /// The depth at which it would be written.
    pub level: usize,
    /// The reason why it is not offered.
    pub why: String,
}

/// One step of a command's path.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CommandLevel {
    /// The word that is written; empty for the root.
    pub word: String,
    /// The words that would call a subcommand here.
    pub subcommands: Vec<String>,
    /// Relations between the flags and positionals of this level.
    pub groups: Vec<Group>,
    /// The long names of every flag that the program takes here, also of those that are not offered.
    pub long_flags: Vec<String>,
    /// Those of them that are written with one dash.
    pub single_dash_flags: Vec<String>,
    /// The letters of every flag that the program takes here.
    pub short_flags: Vec<char>,
    /// The number of positionals behind which the program reads no options here.
    pub options_end_behind: Option<usize>,
    /// The meaning of `--` here, where that is not its meaning in the rest of the program.
    pub double_dash: Option<DoubleDash>,
}

impl CommandLevel {
    /// The last step of a lineage.
    fn new(lineage: &[&Command], is_leaf: bool) -> Self {
        let (command, ancestors) = lineage.split_last().expect("a lineage is not empty");
        let lifted = command.subcommand_lifts_required || command.arguments_exclude_subcommands;
        let globals = ancestors
            .iter()
            .flat_map(|ancestor| &ancestor.flags)
            .filter(|flag| flag.global);
        let flags: Vec<&Flag> = command
            .flags
            .iter()
            .chain(globals)
            .map(AsRef::as_ref)
            .collect();
        let longs = |flag: &&Flag| -> Vec<String> {
            flag.long
                .iter()
                .chain(&flag.aliases)
                .chain(&flag.negation)
                .cloned()
                .collect()
        };
        let mut long_flags: Vec<String> = flags.iter().flat_map(longs).collect();
        long_flags.shrink_to_fit();
        Self {
            word: if ancestors.is_empty() {
                String::new()
            } else {
                command.name.clone()
            },
            subcommands: command
                .commands
                .iter()
                .flat_map(|child| std::iter::once(&child.name).chain(&child.aliases).cloned())
                .collect(),
            // What a subcommand lifts is not asked for; a conflict stays one.
            groups: command
                .groups
                .iter()
                .filter(|group| is_leaf || !lifted || group.kind != GroupKind::OneOf)
                .cloned()
                .collect(),
            long_flags,
            single_dash_flags: flags
                .iter()
                .filter(|flag| flag.single_dash.is_some())
                .flat_map(longs)
                .collect(),
            short_flags: flags
                .iter()
                .flat_map(|flag| flag.short.iter().chain(&flag.short_aliases).copied())
                .collect(),
            options_end_behind: command.options_end_behind,
            double_dash: command.double_dash,
        }
    }

    /// Returns true if the program would take this element for a flag of its own, even where a positional may begin
    /// with `-`: by its whole name, an abbreviation of it, or its letter.
    pub(crate) fn knows_flag(&self, element: &str) -> bool {
        if let Some(name) = element.strip_prefix("--") {
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            return !name.is_empty() && self.long_flags.iter().any(|long| long.starts_with(name));
        }
        let word = element.strip_prefix('-').unwrap_or_default();
        let word = word.split_once('=').map_or(word, |(name, _)| name);
        if self.single_dash_flags.iter().any(|name| name == word) {
            return true;
        }
        let letter = element
            .strip_prefix('-')
            .and_then(|letters| letters.chars().next());
        letter.is_some_and(|letter| self.short_flags.contains(&letter))
    }
}

/// The steps that lead to the commands of one program, each made once for all that stand below it.
#[derive(Debug, Default)]
pub(super) struct Steps(HashMap<*const Command, Shared<CommandLevel>>);

impl Steps {
    /// The last step of a lineage that goes on.
    fn to(&mut self, lineage: &[&Command]) -> Shared<CommandLevel> {
        let last: *const Command = lineage[lineage.len() - 1];
        let level = self.0.entry(last);
        let level = level.or_insert_with(|| CommandLevel::new(lineage, false).into());
        level.clone()
    }
}

/// The input of a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Input {
    /// The way it is laid out.
    pub layout: Layout,
    /// The steps from the root to the command.
    pub levels: Vec<Shared<CommandLevel>>,
    /// The flags that can be reached, ancestors' first, each in declaration order.
    pub flags: Vec<FlagProperty>,
    /// The flags that are always written as they are, and that no input reaches.
    pub pinned: Vec<PinnedFlag>,
    /// The flags that no input reaches although the program takes them.
    pub withheld: Vec<WithheldFlag>,
    /// The positionals, ancestors' first.
    pub positionals: Vec<PositionalProperty>,
    /// The key and usage pattern of a list of positionals that is not known one by one.
    pub pattern: Option<(String, String)>,
    /// The command's usage as it is shown beside the nested layout's list.
    pub usage: String,
    /// The key of what it reads from its standard input, if it reads any.
    pub stdin: Option<String>,
    /// The command line that an author wrote out, where it is not written by levels.
    pub template: Option<Arc<CommandTemplate>>,
}

impl Input {
    /// No input that a model knows of.
    pub(super) fn none() -> Self {
        Self {
            layout: Layout::Flat,
            levels: Vec::new(),
            flags: Vec::new(),
            pinned: Vec::new(),
            withheld: Vec::new(),
            positionals: Vec::new(),
            pattern: None,
            usage: String::new(),
            stdin: None,
            template: None,
        }
    }

    /// The input of the last command of a lineage, as far as a selector lets its flags in.
    pub(super) fn new(
        lineage: &[&Command],
        layout: Layout,
        selector: &ToolSelector,
        pinned: PinnedTool,
        steps: &mut Steps,
    ) -> Self {
        let leaf = lineage.len() - 1;
        let mut flags = Vec::new();
        let mut withheld = Vec::new();
        let mut positionals = Vec::new();
        for (depth, command) in lineage.iter().enumerate() {
            let is_leaf = depth == leaf;
            let rule = if is_leaf {
                &selector.local_flags
            } else {
                &selector.inherited_flags
            };
            let lifted = !is_leaf && command.subcommand_lifts_required;
            let shut_out = !is_leaf && command.arguments_exclude_subcommands;
            for flag in &command.flags {
                if !is_taken(lineage, depth, flag) || pinned.has(depth, flag) {
                    continue;
                }
                let left_out = (!rule.matches(flag)).then_some(selector);
                if let Some(why) = why_withheld(flag, left_out) {
                    withheld.push(WithheldFlag {
                        flag: flag.clone(),
                        level: level_of(lineage, depth, flag),
                        why,
                    });
                    continue;
                }
                let mut flag = flag.clone();
                let confirms = lineage[leaf]
                    .confirm
                    .as_deref()
                    .is_some_and(|word| flag.is_switch() && flag.is_named(word));
                // Written only where it changes: all commands below share what they inherit.
                let required = (flag.required && !lifted) || confirms;
                if flag.required != required {
                    flag.required = required;
                }
                let level = level_of(lineage, depth, &flag);
                flags.push(FlagProperty {
                    key: String::new(),
                    flag,
                    owner: depth,
                    level,
                    confirms,
                    rules: Rules::default(),
                });
            }
            if shut_out {
                continue;
            }
            for positional in command
                .arguments
                .listed()
                .iter()
                .filter(|positional| !positional.hidden)
                // Behind these no subcommand can follow.
                .filter(|positional| is_leaf || !(positional.external || positional.last))
            {
                let mut positional = positional.clone();
                positional.required &= !lifted;
                positionals.push(PositionalProperty {
                    key: String::new(),
                    positional,
                    level: depth,
                    rules: Rules::default(),
                });
            }
        }
        // What is not offered cannot stand in a positional's place.
        for property in &mut positionals {
            let level = property.level;
            property.positional.replaced_by.retain(|id| {
                let mut offered = flags.iter();
                offered.any(|flag: &FlagProperty| flag.owner == level && flag.flag.id == *id)
            });
        }
        // Of thousands of commands the room for more counts.
        flags.shrink_to_fit();
        withheld.shrink_to_fit();
        positionals.shrink_to_fit();
        let command = lineage[leaf];
        let usage = match &command.arguments {
            Arguments::Pattern(pattern) => pattern.clone(),
            Arguments::Listed(listed) => command
                .usage
                .as_deref()
                .and_then(|usage| {
                    usage
                        .split_once(char::is_whitespace)
                        .map(|(_, rest)| rest.to_owned())
                })
                .unwrap_or_else(|| usage_of(listed)),
        };
        let pattern = match &command.arguments {
            Arguments::Pattern(pattern) if !pattern.is_empty() => {
                Some((ARGS_KEY.to_owned(), pattern.clone()))
            }
            _ => None,
        };
        let levels = (0..lineage.len())
            .map(|depth| match depth == leaf {
                true => CommandLevel::new(lineage, true).into(),
                false => steps.to(&lineage[..=depth]),
            })
            .collect();
        let mut input = Self {
            layout,
            levels,
            flags,
            pinned: pinned.flags,
            withheld,
            positionals,
            pattern,
            usage,
            stdin: command.stdin.then(|| STDIN_KEY.to_owned()),
            template: None,
        };
        input.settle_relations();
        input.assign_keys(lineage);
        input
    }

    /// Settles the relations of pinned flags: one that they exclude cannot be given, one that they need must be, and
    /// one that they satisfy is not asked for.
    fn settle_relations(&mut self) {
        let Self {
            levels,
            flags,
            positionals,
            pinned,
            withheld,
            ..
        } = self;
        for (depth, level) in levels.iter_mut().enumerate() {
            if level.groups.is_empty() {
                continue;
            }
            level.groups.retain(|group| {
                let mut members = group.members.iter().filter_map(|id| {
                    let mut pinned = pinned.iter();
                    pinned.find(|pinned| pinned.is_member(depth, id))
                });
                let Some(first) = members.next() else {
                    return true;
                };
                let on = first.given.is_given() || members.any(|pinned| pinned.given.is_given());
                match (group.kind, on) {
                    (GroupKind::OneOf, true) => return false,
                    (GroupKind::Exclusive, true) | (GroupKind::Together, false) => {
                        let excluded = |p: &mut FlagProperty| {
                            p.owner == depth && group.members.contains(&p.flag.id)
                        };
                        withheld.extend(flags.extract_if(.., excluded).map(|p| WithheldFlag {
                            why: format!(
                                "it cannot be given beside `{}`, which is pinned",
                                first.property.key
                            ),
                            level: p.level,
                            flag: p.flag,
                        }));
                    }
                    (GroupKind::Together, true) => {
                        for p in flags.iter_mut().filter(|p| p.owner == depth) {
                            if group.members.contains(&p.flag.id) {
                                p.flag.required = true;
                            }
                        }
                        for p in positionals.iter_mut().filter(|p| p.level == depth) {
                            p.positional.required |= group.members.contains(&p.positional.id);
                        }
                    }
                    (GroupKind::OneOf | GroupKind::Exclusive, false) => {}
                }
                true
            });
        }
    }

    /// Gives every property a key of its own. The command's own flags come first, so that what an ancestor or a
    /// positional adds never changes them.
    fn assign_keys(&mut self, lineage: &[&Command]) {
        let leaf = lineage.len() - 1;
        let mut taken: HashSet<String> = HashSet::new();
        // In the nested layout flags live in an object of their own.
        let mut flag_keys: HashSet<String> = HashSet::new();
        let mut order: Vec<usize> = (0..self.flags.len()).collect();
        order::sort_by_key(&mut order, |&at| std::cmp::Reverse(self.flags[at].owner));
        for at in order {
            let property = &self.flags[at];
            let short = property.flag.short.map(String::from);
            let own = property.flag.long.clone().or(short);
            let wanted = if property.confirms {
                CONFIRM_KEY.to_owned()
            } else {
                own.unwrap_or_else(|| property.flag.id.clone())
            };
            let owner = (property.owner != leaf).then(|| lineage[property.owner].name.as_str());
            let key = free_key(&mut flag_keys, &wanted, owner, "_flag");
            self.flags[at].key = key;
        }
        match self.layout {
            Layout::Flat => {
                taken.extend(flag_keys);
                taken.extend(self.unoffered_keys(lineage));
            }
            Layout::Nested => taken.extend([FLAGS_KEY.to_owned(), ARGS_KEY.to_owned()]),
        }
        let mut order: Vec<usize> = (0..self.positionals.len()).collect();
        order::sort_by_key(&mut order, |&at| {
            std::cmp::Reverse(self.positionals[at].level)
        });
        for at in order {
            let property = &self.positionals[at];
            let wanted = property
                .positional
                .name
                .clone()
                .unwrap_or_else(|| property.positional.id.clone());
            let owner = (property.level != leaf).then(|| lineage[property.level].name.as_str());
            let key = free_key(&mut taken, &wanted, owner, "_arg");
            self.positionals[at].key = key;
        }
        if let (Layout::Flat, Some((key, _))) = (self.layout, &mut self.pattern) {
            *key = free_key(&mut taken, key, None, "_arg");
        }
        if let Some(key) = &mut self.stdin {
            *key = free_key(&mut taken, key, None, "_text");
        }
    }

    /// The keys that flags would have that the program takes and the tool does not offer. A positional is not called by
    /// one of them: a caller who gives `file` and means `--file` would fill the positional.
    fn unoffered_keys(&self, lineage: &[&Command]) -> Vec<String> {
        let offered = |depth: usize, flag: &Flag| {
            let mut offered = self.flags.iter();
            offered.any(|property| property.owner == depth && property.flag.id == flag.id)
        };
        let owners = lineage.iter().enumerate();
        let flags = owners.flat_map(|(depth, command)| {
            let flags = command.flags.iter();
            flags.filter(move |flag| is_taken(lineage, depth, flag) && !offered(depth, flag))
        });
        let names = flags.flat_map(|flag| flag.long.iter().chain(&flag.aliases));
        names.map(|name| clean_key(name)).collect()
    }

    /// The positionals that are filled from the nested layout's list; one behind a `--` has a property of its own.
    pub fn listed_positionals(&self) -> impl Iterator<Item = (usize, &PositionalProperty)> {
        let nested = self.layout == Layout::Nested;
        self.positionals
            .iter()
            .enumerate()
            .filter(move |(_, property)| nested && !property.positional.last)
    }

    /// The positionals that have a property of their own.
    pub fn keyed_positionals(&self) -> impl Iterator<Item = (usize, &PositionalProperty)> {
        let flat = self.layout == Layout::Flat;
        self.positionals
            .iter()
            .enumerate()
            .filter(move |(_, property)| flat || property.positional.last)
    }

    /// The flags that a caller gave, by key: all of the input, or what the nested layout has under its own key.
    pub(crate) fn given_flags<'i>(
        &self,
        input: &'i Map<String, Value>,
    ) -> Option<&'i Map<String, Value>> {
        match self.layout {
            Layout::Flat => Some(input),
            Layout::Nested => input.get(FLAGS_KEY)?.as_object(),
        }
    }

    /// The worst that a call can do, whatever is given, of a command that does this by itself.
    pub(crate) fn worst_effect(&self, command: Effect) -> Effect {
        let positionals = self.positionals.iter();
        let positionals = positionals.filter_map(|p| p.positional.effect.as_ref()?.worst());
        let command = positionals.fold(command, Effect::max);
        let mut previews = self.pinned.iter();
        if previews.any(|pin| pin.given.previews(&pin.property.flag)) {
            return Effect::Read;
        }
        let pinned = self.pinned.iter();
        let command = pinned.clone().fold(command, |command, pin| {
            pin.property.lowered(command, &pin.given)
        });
        let pinned = pinned.filter_map(|pin| pin.property.effect_of(&pin.given));
        let flags = self.flags.iter();
        let flags = flags.filter_map(|property| property.flag.effect.as_ref()?.worst());
        flags.fold(effect_with(command, pinned), Effect::max)
    }

    /// Gives a flag in the place of the caller. Where the input is not of the right shape it stays as it is.
    pub fn set_flag(&self, input: &mut Map<String, Value>, key: String, value: Value) {
        match self.layout {
            Layout::Flat => drop(input.insert(key, value)),
            Layout::Nested => {
                let flags = input.entry(FLAGS_KEY).or_insert_with(|| Map::new().into());
                if let Value::Object(flags) = flags {
                    flags.insert(key, value);
                }
            }
        }
    }

    /// Returns true if the usage pattern has a `--` of its own, so that one among the positionals is written as it
    /// stands.
    pub fn pattern_has_dashes(&self) -> bool {
        self.pattern.as_ref().is_some_and(|(_, pattern)| {
            let mut words = pattern.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']'));
            words.any(|word| word == "--")
        })
    }

    /// The depth of the command itself.
    pub fn leaf(&self) -> usize {
        self.levels.len() - 1
    }
}

/// Returns the reason why a flag is not offered, if it is not; `left_out` is the selector that leaves it out.
fn why_withheld(flag: &Flag, left_out: Option<&ToolSelector>) -> Option<String> {
    if let Some(reason) = &flag.withheld {
        return Some(reason.clone());
    }
    if let Some(reason) = &flag.deprecated {
        return Some(format!("it is deprecated: {reason}"));
    }
    if flag.hidden {
        return Some("it is hidden".into());
    }
    left_out.map(|selector| match &selector.place {
        Some(place) => format!("{place} leaves it out"),
        None => "a selector leaves it out".into(),
    })
}

/// Returns true if the last command's line can carry a flag of the command at this depth: not where a later one of the
/// same id stands for it, nor where a subcommand shuts it out.
pub(super) fn is_taken(lineage: &[&Command], depth: usize, flag: &Flag) -> bool {
    let later = &lineage[depth + 1..];
    let shadowed = flag.global
        && later
            .iter()
            .any(|later| later.flags.iter().any(|f| f.id == flag.id));
    let shut_out = !later.is_empty() && lineage[depth].arguments_exclude_subcommands;
    let handed_on = later.iter().any(|later| later.stands_alone);
    !handed_on && !shadowed && (flag.global || !shut_out)
}

/// The depth at which a flag is written: that of the command that owns it, or the leaf's if it is global.
pub(super) fn level_of(lineage: &[&Command], owner: usize, flag: &Flag) -> usize {
    if flag.global {
        lineage.len() - 1
    } else {
        owner
    }
}

/// The wanted key in the characters that clients accept, made unique by the owner's name, the suffix or a number.
fn free_key(
    taken: &mut HashSet<String>,
    wanted: &str,
    owner: Option<&str>,
    suffix: &str,
) -> String {
    let first = clean_key(wanted);
    if taken.insert(first.clone()) {
        return first;
    }
    let second = clean_key(&owner.map_or_else(
        || format!("{first}{suffix}"),
        |owner| format!("{owner}_{first}"),
    ));
    let numbered = (2..).map(|n| format!("{second}{n}"));
    [second.clone()]
        .into_iter()
        .chain(numbered)
        .find(|key| taken.insert(key.clone()))
        .expect("the numbers do not end")
}

/// A name in the characters that clients accept as a key, short enough for a suffix.
fn clean_key(text: &str) -> String {
    const LIMIT: usize = 64;
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut key: String = text
        .chars()
        .map(|c| if valid(c) { c } else { '_' })
        .collect();
    key.truncate(LIMIT - 8);
    if key.is_empty() { "_".into() } else { key }
}

/// A usage pattern for positionals that came without one.
fn usage_of(positionals: &[Positional]) -> String {
    let words = positionals.iter().map(|positional| {
        let name = positional
            .name
            .as_deref()
            .unwrap_or(&positional.id)
            .to_uppercase();
        let dots = if positional.variadic { "..." } else { "" };
        let dashes = if positional.last { "-- " } else { "" };
        if positional.required {
            format!("{dashes}<{name}>{dots}")
        } else {
            format!("{dashes}[{name}{dots}]")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
