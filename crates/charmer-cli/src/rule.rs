//! Which rule lets a command run, as a dry run tells it: an entry of the file with its line, an option, a label.

use std::path::Path;

use charmer_config::{Position, SelectEntry};
use charmer_core::{select::Candidate, tool::Tool};
use charmer_run::Rule;

use crate::{
    args::Selection,
    policy::{EffectFrom, PreparedProgram, globs},
    settings::ServedProgram,
};

/// The rule that lets a command run.
pub(crate) fn of_command(
    program: &ServedProgram,
    selection: &Selection,
    prepared: &PreparedProgram,
    tool: &Tool,
) -> Rule {
    let place = |position: &Position| placed(selection.config.as_deref(), position);
    let source = &program.source;
    let selector = tool.selector.and_then(|at| source.select.get(at));
    let mut offered = match selector {
        Some(selector) => entries(selector, &place),
        None if source.position.line > 0 => {
            let place = place(&source.position);
            format!(
                "`{}` in `sources`{place}, all of its commands",
                program.name()
            )
        }
        None => format!("all commands of `{}` are offered", program.name()),
    };
    if let Some(glob) = allowed_by(selection, prepared, tool) {
        offered.push_str(&format!("; `--allow {glob}`"));
    }
    if prepared.read_only {
        let by = match selection.read_only {
            true => "`--read-only`",
            false => "`read_only`",
        };
        offered.push_str(&format!("; {by}, for what only reads"));
    }
    Rule::new(offered).reads(reads(prepared, tool, &place))
}

/// The entries of `select` that choose a command: that of the file, and those of files that it includes.
pub(crate) fn entries(selector: &SelectEntry, place: &dyn Fn(&Position) -> String) -> String {
    let all = std::iter::successors(Some(selector), |entry| entry.baseline.as_deref());
    // One that stands in no file is no rule, and one that was taken over from an included file is that file's.
    let mut told: Vec<String> = all
        .filter(|entry| entry.position.line > 0)
        .map(|entry| {
            let place = place(&entry.position);
            format!("entry {} of `select`{place}", entry.number + 1)
        })
        .collect();
    told.dedup();
    told.join(", within ")
}

/// The reason why calls of a command may run as ones that only read.
fn reads(prepared: &PreparedProgram, tool: &Tool, place: &dyn Fn(&Position) -> String) -> String {
    if prepared.reads_any.contains(&tool.path) {
        let granted = prepared.networks.get(&tool.path);
        let from = granted.and_then(|granted| granted.key());
        let from = from.map_or_else(String::new, |key| format!(" (`{key}`)"));
        return format!("any command may be tried where there is no network{from}");
    }
    match prepared.effect_from(&tool.path) {
        EffectFrom::File(position) => {
            format!("its effect is read, as the file says{}", place(position))
        }
        EffectFrom::Profile => "its effect is read, as its profile says".to_owned(),
        EffectFrom::Evidence([]) => "its effect is read".to_owned(),
        EffectFrom::Evidence(evidence) => {
            format!("its effect is read: {}", evidence.join("; "))
        }
    }
}

/// The glob of `--allow` that lets a command through.
fn allowed_by<'s>(
    selection: &'s Selection,
    prepared: &PreparedProgram,
    tool: &Tool,
) -> Option<&'s String> {
    let command = prepared.cli.command(&tool.path)?;
    let candidate = Candidate::new(&prepared.cli.root.name, &tool.path, command);
    let mut given = selection.allow.iter();
    given.find(|glob| globs(std::slice::from_ref(*glob)).matches(&candidate))
}

/// A place in the file, in brackets; nothing for what stands in no file.
pub(crate) fn placed(file: Option<&Path>, position: &Position) -> String {
    match position.file.as_deref().or(file) {
        Some(file) if position.line > 0 => format!(" ({}:{})", file.display(), position.line),
        _ => String::new(),
    }
}
