//! clap's own verdict on a command line, before it is run.
//!
//! The argv is parsed by a copy of the CLI that is pruned to the command's path, and what clap understood is compared
//! with what was meant. So ranges, conditional requirements and everything else that only clap knows is enforced, and
//! a value that clap would split, override or take for something else is refused instead of passed on wrongly.

use std::{
    ffi::OsString,
    sync::{Arc, Mutex, PoisonError},
};

use charmer_core::{
    call::{Given, Prepared},
    model::{CommandPath, Repetition},
    tool::Tool,
};
use charmer_run::{CallError, ErrorCode, LastCheck};
use clap::{ArgAction, ArgMatches, error::ErrorKind, parser::ValueSource};

use crate::{Bridge, commands, source::EXTERNAL};

/// Judges command lines by letting clap parse them.
pub(crate) struct ClapCheck {
    command: Arc<clap::Command>,
    /// The name of the bridge's own subcommand, which the program that is run has too.
    mounted_as: String,
    /// Variables that only the children see: an argument that one of them sets is not missing.
    child_env: Vec<OsString>,
    pruned: Mutex<Vec<(CommandPath, Arc<clap::Command>)>>,
}

impl ClapCheck {
    pub(crate) fn new(bridge: &Bridge, child_env: Vec<OsString>) -> Self {
        Self {
            command: Arc::clone(&bridge.command),
            mounted_as: bridge.name.clone(),
            child_env,
            pruned: Mutex::default(),
        }
    }

    /// Parses a command line as the program itself would.
    pub(crate) fn parse(
        &self,
        path: &CommandPath,
        argv: Vec<OsString>,
    ) -> Result<ArgMatches, CallError> {
        commands::parse(&self.pruned_to(path), argv).map_err(refusal)
    }

    fn pruned_to(&self, path: &CommandPath) -> Arc<clap::Command> {
        let mut cache = self.pruned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pruned)) = cache.iter().find(|(of, _)| of == path) {
            return Arc::clone(pruned);
        }
        let (host, name) = (&self.command, &self.mounted_as);
        let pruned = commands::pruned(host, name, path.words(), &self.child_env);
        cache.push((path.clone(), Arc::clone(&pruned)));
        pruned
    }
}

impl LastCheck for ClapCheck {
    fn last_check(&self, tool: &Tool, prepared: &Prepared) -> Result<(), CallError> {
        let matches = self.parse(&tool.path, prepared.argv.to_os_strings())?;
        let command = self.pruned_to(&tool.path);
        compare(tool, prepared, &command, &matches)
    }
}

/// clap's own message, without its advice for people at a terminal.
fn refusal(error: clap::Error) -> CallError {
    if error.kind() == ErrorKind::MissingSubcommand {
        // The words of the command are always written, so something before one of them has taken it.
        return CallError::new(
            ErrorCode::InvalidArguments,
            "the program would take the name of the subcommand for one more value of an argument before it",
        )
        .hint("give another option of the parent command as well, or leave out the one that takes several values");
    }
    let message = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "the command needs at least one argument".to_owned()
        }
        _ => {
            let text = error.to_string();
            let end = ["\n\nUsage:", "\n\nFor more information"]
                .iter()
                .filter_map(|tail| text.find(tail))
                .min();
            text[..end.unwrap_or(text.len())]
                .trim_start_matches("error: ")
                .trim()
                .to_owned()
        }
    };
    CallError::new(ErrorCode::InvalidArguments, message)
}

/// Holds what clap understood against what was meant, level by level.
fn compare(
    tool: &Tool,
    prepared: &Prepared,
    command: &clap::Command,
    matches: &ArgMatches,
) -> Result<(), CallError> {
    let leaf = tool.input.leaf();
    let (mut command, mut matches) = (command, matches);
    for (depth, level) in tool.input.levels.iter().enumerate() {
        if depth > 0 {
            matches = matches
                .subcommand_matches(&level.word)
                .ok_or_else(|| misread(&level.word))?;
            command = command
                .find_subcommand(&level.word)
                .ok_or_else(|| misread(&level.word))?;
        }
        let meant = Meant::at(tool, prepared, depth);
        meant.check(command, matches)?;
        for id in matches.ids() {
            let id = id.as_str();
            let known = command.get_arguments().find(|arg| arg.get_id() == id);
            // Groups have ids too, and a global argument shows at every level.
            let Some(arg) = known.filter(|arg| depth == leaf || !arg.is_global_set()) else {
                continue;
            };
            if matches.value_source(id) == Some(ValueSource::CommandLine) && !meant.holds(id) {
                return Err(misread(&arg.to_string()));
            }
        }
    }
    match (matches.subcommand(), external_values(tool, prepared)) {
        (None, None) => Ok(()),
        (Some((name, rest)), Some([wanted, arguments @ ..])) if name == wanted => {
            let understood: Vec<String> = rest
                .try_get_raw("")
                .ok()
                .flatten()
                .into_iter()
                .flatten()
                .map(|value| value.to_string_lossy().into_owned())
                .collect();
            if understood == arguments {
                Ok(())
            } else {
                Err(misread(name))
            }
        }
        (Some((name, _)), _) => Err(misread(name)),
        (None, Some(_)) => Err(misread(EXTERNAL)),
    }
}

fn external_values<'p>(tool: &Tool, prepared: &'p Prepared) -> Option<&'p [String]> {
    let bound = prepared.bound.positionals.iter();
    bound
        .filter(|(at, _)| tool.input.positionals[*at].positional.external)
        .map(|(_, values)| values.as_slice())
        .next()
}

/// The value that was meant for one argument.
enum Wanted<'p> {
    /// Not to be in effect, which a variable may have decided otherwise.
    Off,
    Switch,
    Count(u64),
    Occurrences(&'p [Vec<String>]),
    Flat(Vec<&'p str>),
}

/// The arguments that were meant at one level.
struct Meant<'p>(Vec<MeantArgument<'p>>);

struct MeantArgument<'p> {
    /// The caller's name for it.
    key: &'p str,
    /// Clap's name for it.
    id: &'p str,
    wanted: Wanted<'p>,
}

impl<'p> Meant<'p> {
    fn at(tool: &'p Tool, prepared: &'p Prepared, depth: usize) -> Self {
        let mut meant = Vec::new();
        for (at, given) in &prepared.bound.flags {
            let property = &tool.input.flags[*at];
            if property.level != depth {
                continue;
            }
            let wanted = match given {
                Given::Switch(false) | Given::Count(0) => Wanted::Off,
                Given::Switch(true) => Wanted::Switch,
                // Bare is only given where clap has no value for it, so any value is one that it took wrongly.
                Given::Bare => Wanted::Flat(Vec::new()),
                Given::Count(times) => Wanted::Count(*times),
                Given::Values(lists)
                    if matches!(property.flag.repetition, Repetition::Fixed { .. }) =>
                {
                    Wanted::Occurrences(lists)
                }
                Given::Values(lists) => {
                    Wanted::Flat(lists.iter().flatten().map(String::as_str).collect())
                }
                _ => continue,
            };
            meant.push(MeantArgument {
                key: &property.key,
                id: &property.flag.id,
                wanted,
            });
        }
        for (at, values) in &prepared.bound.positionals {
            let property = &tool.input.positionals[*at];
            if property.level == depth && !property.positional.external {
                meant.push(MeantArgument {
                    key: &property.key,
                    id: &property.positional.id,
                    wanted: Wanted::Flat(values.iter().map(String::as_str).collect()),
                });
            }
        }
        Self(meant)
    }

    fn holds(&self, id: &str) -> bool {
        let mut given = self
            .0
            .iter()
            .filter(|meant| !matches!(meant.wanted, Wanted::Off));
        given.any(|meant| meant.id == id)
    }

    fn check(&self, command: &clap::Command, matches: &ArgMatches) -> Result<(), CallError> {
        for MeantArgument { key, id, wanted } in &self.0 {
            if matches!(wanted, Wanted::Off) {
                check_off(key, id, command, matches)?;
                continue;
            }
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                return Err(CallError::new(
                    ErrorCode::InvalidArguments,
                    format!("`{key}` is overridden by another argument"),
                )
                .hint("leave one of them out"));
            }
            let same = match wanted {
                Wanted::Off | Wanted::Switch => true,
                Wanted::Count(times) => {
                    // An author may count into something else than a u8; then there is nothing to compare with.
                    matches
                        .try_get_one::<u8>(id)
                        .ok()
                        .flatten()
                        .is_none_or(|count| u64::from(*count) == *times)
                }
                Wanted::Flat(values) => raw(matches, id).concat() == *values,
                Wanted::Occurrences(lists) => raw(matches, id) == *lists,
            };
            if !same {
                return Err(misread(key));
            }
        }
        Ok(())
    }
}

/// A switch that was expressly not wanted cannot be taken back once a variable has set it.
fn check_off(
    key: &str,
    id: &str,
    command: &clap::Command,
    matches: &ArgMatches,
) -> Result<(), CallError> {
    let arg = command.get_arguments().find(|arg| arg.get_id() == id);
    let Some(arg) = arg.filter(|_| matches.value_source(id) == Some(ValueSource::EnvVariable))
    else {
        return Ok(());
    };
    let flag = || matches.try_get_one::<bool>(id).ok().flatten().copied();
    let in_effect = match arg.get_action() {
        ArgAction::SetTrue => flag() == Some(true),
        ArgAction::SetFalse => flag() == Some(false),
        _ => true,
    };
    if !in_effect {
        return Ok(());
    }
    let variable = arg.get_env().unwrap_or_default().to_string_lossy();
    Err(CallError::new(
        ErrorCode::InvalidArguments,
        format!("`{key}` is set by the environment variable {variable}, and the program has no way to unset it"),
    )
    .hint("leave it out"))
}

/// The values that clap understood, an occurrence each.
fn raw(matches: &ArgMatches, id: &str) -> Vec<Vec<String>> {
    let occurrences = matches.try_get_raw_occurrences(id).ok().flatten();
    occurrences
        .into_iter()
        .flatten()
        .map(|values| {
            values
                .map(|value| value.to_string_lossy().into_owned())
                .collect()
        })
        .collect()
}

fn misread(what: &str) -> CallError {
    CallError::new(
        ErrorCode::InvalidArguments,
        format!("the program would not read `{what}` as it was meant"),
    )
    .hint("a value is taken for a flag, a subcommand or several values; choose another one")
}
