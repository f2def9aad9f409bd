//! A `clap::Command` read into the model.
//!
//! What clap does not expose (ranges, conditional requirements) is left to clap itself, which judges every command
//! line before it is run; see `judge`.

use std::{any::TypeId, collections::HashSet, ffi::OsString, net, num, path::PathBuf};

use charmer_core::{
    model::{
        Arguments, Choice, Cli, Command, Flag, FlagValue, Group, GroupKind, Positional, Repetition,
        Syntax, ValueType,
    },
    order,
};
use clap::{Arg, ArgAction, builder::StyledStr};

use crate::commands::{self, conflicts};

/// The id of the positional that stands for an external subcommand and its arguments.
pub(crate) const EXTERNAL: &str = "external_command";

/// Reads a CLI that is built. `host` is the same before anything was added to it; clap is asked through it what it does not expose.
/// `env_is_set` tells whether a child will see a variable: what it sets is not required any more.
pub(crate) fn read(
    built: &clap::Command,
    host: &clap::Command,
    env_is_set: &dyn Fn(&str) -> bool,
) -> Cli {
    let mut reader = ClapReader {
        env_is_set,
        host,
        path: Vec::new(),
    };
    let mut root = reader.command(built, &HashSet::new());
    root.name = built
        .get_bin_name()
        .unwrap_or_else(|| built.get_name())
        .to_owned();
    let mut cli = Cli::new(root, Syntax::clap());
    cli.version = built.get_version().map(str::to_owned);
    cli
}

struct ClapReader<'a> {
    env_is_set: &'a dyn Fn(&str) -> bool,
    host: &'a clap::Command,
    path: Vec<String>,
}

impl ClapReader<'_> {
    fn command(&mut self, source: &clap::Command, inherited: &HashSet<String>) -> Command {
        let text = |styled: Option<&StyledStr>| styled.map(ToString::to_string);
        let mut command = Command::new(source.get_name());
        command.aliases = source.get_all_aliases().map(str::to_owned).collect();
        command.about = text(source.get_about());
        command.long_about = text(source.get_long_about());
        command.examples = text(
            source
                .get_after_long_help()
                .or_else(|| source.get_after_help()),
        );
        command.hidden = source.is_hide_set();
        command.arguments_exclude_subcommands = source.is_args_conflicts_with_subcommands_set();
        command.subcommand_lifts_required = source.is_subcommand_negates_reqs_set();

        let own: Vec<&Arg> = source
            .get_arguments()
            .filter(|arg| !is_help_or_version(arg))
            .filter(|arg| !(arg.is_global_set() && inherited.contains(arg.get_id().as_str())))
            .collect();
        let mut positionals: Vec<&Arg> = own
            .iter()
            .copied()
            .filter(|arg| arg.is_positional())
            .collect();
        order::sort_by_key(&mut positionals, |arg| arg.get_index());
        let mut listed = Vec::new();
        for arg in positionals {
            listed.push(self.positional(source, arg));
        }
        command.arguments = Arguments::Listed(listed);
        for arg in own.iter().filter(|arg| !arg.is_positional()) {
            command.flags.push(self.flag(arg).into());
        }
        command.groups = self.groups(source, &own);
        self.soften_requirements(source, &own, &mut command);

        let has_subcommands = source
            .get_subcommands()
            .any(|child| child.get_name() != "help");
        let only_helps = source.is_arg_required_else_help_set() && own.is_empty();
        command.runnable = !has_subcommands || !(source.is_subcommand_required_set() || only_helps);
        if source.is_allow_external_subcommands_set() {
            command.runnable = true;
            if let Arguments::Listed(listed) = &mut command.arguments {
                listed.push(external(source.is_subcommand_required_set()));
            }
        }

        let globals: HashSet<String> = own
            .iter()
            .filter(|arg| arg.is_global_set())
            .map(|arg| arg.get_id().to_string())
            .chain(inherited.iter().cloned())
            .collect();
        for child in source.get_subcommands() {
            self.path.push(child.get_name().to_owned());
            let child = self.command(child, &globals);
            self.path.pop();
            command.commands.push(child);
        }
        command
    }

    fn flag(&self, arg: &Arg) -> Flag {
        let mut flag = Flag::new(arg.get_id().as_str());
        flag.long = arg.get_long().map(str::to_owned);
        flag.short = arg.get_short();
        flag.aliases = owned(arg.get_all_aliases());
        flag.short_aliases = arg.get_all_short_aliases().unwrap_or_default();
        flag.global = arg.is_global_set();
        flag.hidden = arg.is_hide_set();
        flag.help = help(arg);
        flag.env = arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        flag.required = self.is_required(arg);
        match arg.get_action() {
            ArgAction::SetTrue => {
                flag.default = defaults(arg);
                return flag;
            }
            // The property says whether the flag is given, so it is false by default like any other switch.
            ArgAction::SetFalse => return flag,
            ArgAction::Count => {
                flag.value_type = ValueType::Count;
                flag.default = defaults(arg);
                return flag;
            }
            _ => {}
        }
        let (min, max) = arity(arg);
        if max == Some(0) {
            return flag;
        }
        flag.value_type = value_type(arg);
        flag.choices = choices(arg);
        flag.ignore_case = arg.is_ignore_case_set();
        flag.default = defaults(arg);
        let numeric = matches!(
            flag.value_type,
            ValueType::Integer { .. } | ValueType::Number
        );
        flag.allow_hyphen =
            arg.is_allow_hyphen_values_set() || (numeric && arg.is_allow_negative_numbers_set());
        flag.value = if min == 0 && max == Some(1) {
            FlagValue::Optional {
                bare: self.bare_value(arg),
            }
        } else {
            FlagValue::Required
        };
        flag.repetition = repetition(arg, min, max);
        flag
    }

    fn positional(&self, command: &clap::Command, arg: &Arg) -> Positional {
        let mut positional = Positional::new(arg.get_id().as_str());
        let (min, max) = arity(arg);
        positional.value_type = value_type(arg);
        positional.choices = choices(arg);
        positional.ignore_case = arg.is_ignore_case_set();
        positional.default = defaults(arg);
        positional.help = help(arg);
        positional.env = arg
            .get_env()
            .map(|name| name.to_string_lossy().into_owned());
        positional.hidden = arg.is_hide_set();
        positional.required = self.is_required(arg);
        // What is split at a delimiter is a list, even if it is one element of the command line.
        positional.variadic = max != Some(1)
            || matches!(arg.get_action(), ArgAction::Append)
            || arg.get_value_delimiter().is_some();
        positional.min_values = (min > 1).then_some(min);
        positional.max_values = max.filter(|max| *max > 1);
        positional.last = arg.is_last_set();
        positional.delimiter = arg.get_value_delimiter();
        positional.allow_hyphen = arg.is_allow_hyphen_values_set() || arg.is_trailing_var_arg_set();
        positional.allow_negative =
            arg.is_allow_negative_numbers_set() || command.is_allow_negative_numbers_set();
        positional
    }

    fn is_required(&self, arg: &Arg) -> bool {
        arg.is_required_set() && !self.is_set_by_env(arg)
    }

    fn is_set_by_env(&self, arg: &Arg) -> bool {
        arg.get_env()
            .and_then(|name| name.to_str())
            .is_some_and(self.env_is_set)
    }

    /// clap does not miss a required argument where one that conflicts with it is given, or one that is exclusive.
    /// So it is required no longer, but at least one of them is.
    fn soften_requirements(&self, source: &clap::Command, own: &[&Arg], command: &mut Command) {
        for arg in own.iter().filter(|arg| self.is_required(arg)) {
            let id = arg.get_id().as_str();
            let at_odds = |other: &Arg| {
                let other = other.get_id().as_str();
                command.groups.iter().any(|group| {
                    let has = |id: &str| group.members.iter().any(|member| member == id);
                    group.kind == GroupKind::Exclusive && has(id) && has(other)
                })
            };
            let rivals: Vec<&Arg> = own
                .iter()
                .copied()
                .filter(|other| other.get_id() != id && !other.is_hide_set())
                .filter(|other| other.is_exclusive_set() || at_odds(other))
                .collect();
            // A conflict with a global argument of an ancestor: only clap sees both.
            let foreign = conflicts(source, arg)
                .into_iter()
                .any(|other| own.iter().all(|arg| arg.get_id() != other.get_id()));
            if rivals.is_empty() && !foreign {
                continue;
            }
            if !foreign && !rivals.iter().any(|rival| self.is_set_by_env(rival)) {
                let members = rivals.iter().map(|rival| rival.get_id().as_str());
                let members = std::iter::once(id).chain(members);
                command.groups.push(Group::new(GroupKind::OneOf, members));
            }
            let flag = command.flags.iter_mut().find(|flag| flag.id == id);
            if let Some(flag) = flag {
                flag.required = false;
            } else if let Arguments::Listed(listed) = &mut command.arguments {
                let named = listed.iter_mut().filter(|positional| positional.id == id);
                named.for_each(|positional| positional.required = false);
            }
        }
    }

    /// The relations that clap exposes: conflicts, and groups of which at most one or at least one is wanted.
    fn groups(&self, command: &clap::Command, own: &[&Arg]) -> Vec<Group> {
        let is_own = |id: &str| own.iter().any(|arg| arg.get_id() == id);
        let mut groups = Vec::new();
        for group in command.get_groups() {
            let members: Vec<String> = group
                .get_args()
                .map(ToString::to_string)
                .filter(|id| is_own(id))
                .collect();
            if !group.clone().is_multiple() && members.len() > 1 {
                groups.push(Group::new(GroupKind::Exclusive, &members));
            }
            // A variable that sets one of them is enough for clap.
            let set = own
                .iter()
                .any(|arg| members.iter().any(|id| arg.get_id() == id) && self.is_set_by_env(arg));
            if group.is_required_set() && !members.is_empty() && !set {
                groups.push(Group::new(GroupKind::OneOf, members));
            }
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for arg in own {
            let id = arg.get_id().to_string();
            for other in conflicts(command, arg) {
                let other = other.get_id().to_string();
                let told = groups.iter().any(|group: &Group| {
                    group.kind == GroupKind::Exclusive
                        && group.members.contains(&id)
                        && group.members.contains(&other)
                });
                let pair = if id < other {
                    (id.clone(), other.clone())
                } else {
                    (other.clone(), id.clone())
                };
                if id != other && is_own(&other) && !told && !pairs.contains(&pair) {
                    pairs.push(pair);
                    groups.push(Group::new(GroupKind::Exclusive, [id.clone(), other]));
                }
            }
        }
        groups
    }

    /// The value of a flag without its optional value: clap keeps that to itself, so it is asked by parsing the flag.
    fn bare_value(&self, arg: &Arg) -> Option<String> {
        let name = arg
            .get_long()
            .map(|long| format!("--{long}"))
            .or(arg.get_short().map(|short| format!("-{short}")))?;
        let words = self.path.iter().chain([&name]);
        let argv = words.map(OsString::from).collect();
        let matches = commands::parse_leniently(self.host, argv)?;
        let leaf = self
            .path
            .iter()
            .try_fold(&matches, |matches, word| matches.subcommand_matches(word))?;
        let id = arg.get_id().as_str();
        if leaf.value_source(id) != Some(clap::parser::ValueSource::CommandLine) {
            return None;
        }
        leaf.get_raw(id)?.next()?.to_str().map(str::to_owned)
    }
}

fn is_help_or_version(arg: &Arg) -> bool {
    matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    )
}

fn external(required: bool) -> Positional {
    let mut positional = Positional::new(EXTERNAL)
        .variadic()
        .help("The name of an external command, followed by its own arguments");
    positional.required = required;
    positional.external = true;
    positional
}

fn owned(names: Option<Vec<&str>>) -> Vec<String> {
    names
        .unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn help(arg: &Arg) -> Option<String> {
    arg.get_help()
        .or_else(|| arg.get_long_help())
        .map(ToString::to_string)
}

fn defaults(arg: &Arg) -> Vec<String> {
    arg.get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect()
}

/// The least and the greatest number of values of one occurrence; `None` for as many as there are.
fn arity(arg: &Arg) -> (usize, Option<usize>) {
    match arg.get_num_args() {
        Some(range) => (
            range.min_values(),
            Some(range.max_values()).filter(|max| *max != usize::MAX),
        ),
        None => (1, Some(1)),
    }
}

fn repetition(arg: &Arg, min: usize, max: Option<usize>) -> Repetition {
    let delimiter = arg.get_value_delimiter();
    let repeats = matches!(arg.get_action(), ArgAction::Append);
    if repeats && min <= 1 {
        // However many values an occurrence may have, one each can always be attached.
        return Repetition::Repeat { delimiter };
    }
    match (max, delimiter) {
        (Some(1), None) => Repetition::Single,
        // Values that must be attached can only be one, or joined.
        (_, None) if arg.is_require_equals_set() => Repetition::Single,
        // clap counts elements before it splits them, so one that is joined never counts as two.
        (_, Some(delimiter)) if min <= 1 => Repetition::Joined { delimiter },
        (Some(max), _) if min == max => Repetition::Fixed {
            count: max,
            repeat: repeats,
        },
        (max, _) => Repetition::Span {
            min: min.max(1),
            max,
        },
    }
}

fn choices(arg: &Arg) -> Vec<Choice> {
    arg.get_possible_values()
        .into_iter()
        .map(|value| {
            let mut choice = Choice::new(value.get_name());
            choice.help = value.get_help().map(ToString::to_string);
            choice.hidden = value.is_hide_set();
            choice.aliases = value
                .get_name_and_aliases()
                .skip(1)
                .map(str::to_owned)
                .collect();
            choice
        })
        .collect()
}

/// The type that an argument's value parser produces. A parser of the author's own may read more than its type
/// tells (`10MB` into a `u64`); a default that is no value of the type gives that away.
fn value_type(arg: &Arg) -> ValueType {
    let found = type_of_parser(arg);
    let fits = |text: &String| match found {
        ValueType::Integer { min, max } => text
            .parse::<i128>()
            .is_ok_and(|number| (min..=max).contains(&number)),
        ValueType::Number => text.parse::<f64>().is_ok(),
        ValueType::Bool => text.parse::<bool>().is_ok(),
        _ => true,
    };
    if defaults(arg).iter().all(fits) {
        found
    } else {
        ValueType::String
    }
}

fn type_of_parser(arg: &Arg) -> ValueType {
    let produced = arg.get_value_parser().type_id();
    let is = |known: TypeId| produced == known;
    macro_rules! any {
        ($($type:ty),+) => { $(is(TypeId::of::<$type>()))||+ };
    }
    if any!(bool) {
        ValueType::Bool
    } else if any!(i8, num::NonZeroI8) {
        ValueType::signed(8)
    } else if any!(i16, num::NonZeroI16) {
        ValueType::signed(16)
    } else if any!(i32, num::NonZeroI32) {
        ValueType::signed(32)
    } else if any!(i64, isize, num::NonZeroI64, num::NonZeroIsize) {
        ValueType::INT
    } else if any!(u8, num::NonZeroU8) {
        ValueType::unsigned(8)
    } else if any!(u16, num::NonZeroU16) {
        ValueType::unsigned(16)
    } else if any!(u32, num::NonZeroU32) {
        ValueType::unsigned(32)
    } else if any!(u64, usize, num::NonZeroU64, num::NonZeroUsize) {
        ValueType::UINT
    } else if any!(u128, num::NonZeroU128) {
        ValueType::BigInteger { signed: false }
    } else if any!(i128, num::NonZeroI128) {
        ValueType::BigInteger { signed: true }
    } else if any!(f32, f64) {
        ValueType::Number
    } else if any!(char) {
        ValueType::Char
    } else if any!(PathBuf, OsString) && is_path(arg) {
        ValueType::Path
    } else if any!(net::IpAddr) {
        ValueType::Ip
    } else {
        ValueType::String
    }
}

fn is_path(arg: &Arg) -> bool {
    use clap::ValueHint::{AnyPath, DirPath, ExecutablePath, FilePath};
    arg.get_value_parser().type_id() == TypeId::of::<PathBuf>()
        || matches!(
            arg.get_value_hint(),
            AnyPath | FilePath | DirPath | ExecutablePath
        )
}
