//! The tool `search_commands`: words in, the best few commands out.

use std::{borrow::Cow, sync::Arc};

use charmer_core::{
    model::Hints,
    search::{Hit, Index},
    tool::Tool,
};
use serde_json::{Value, json};

use crate::{Call, CallError, CallPath, ErrorCode, Outcome, Permissions, ServedTool, SharedSteps};

use super::{
    commands::{Commands, ServedCommands},
    describe::{answered, meta_tool},
    kept_search::{FoundCommand, KeptSearch},
};

pub(super) const NAME: &str = "search_commands";

/// The number of commands that are given, if nothing else is asked for, and at most.
const USUAL: usize = 5;
const MOST: usize = 30;
/// The number of other names of a command that are told.
const OTHERS: usize = 3;
/// The number of programs that are named.
const NAMED: usize = 6;
/// Longer questions are not read to the end.
const LONGEST: usize = 2000;

pub(super) fn tool(commands: &Commands, programs: &[&str]) -> ServedTool {
    let known = commands.clone();
    answered(definition(programs), commands, move |call| {
        answer(&*known.0, &call)
    })
}

/// The same from what was kept. It need not wait for the commands, as tools about them do.
pub(super) fn kept_tool(
    kept: KeptSearch<'static>,
    programs: &[&str],
    shared: &SharedSteps,
) -> ServedTool {
    let kept = Arc::new(kept);
    CallPath::answering(definition(programs), move |call| answer(&*kept, &call)).serve(shared)
}

fn definition(programs: &[&str]) -> Arc<Tool> {
    let named: Vec<&str> = programs.iter().copied().take(NAMED).collect();
    let of = match (named.len(), programs.len() - named.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(" of {}", named.join(", ")),
        (_, more) => format!(" of {} and {more} more programs", named.join(", ")),
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What should be done, as words or a question"},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL},
        },
        "required": ["query"],
    });
    let about = format!(
        "Finds commands{of} by what they do: their names, [effect], a line on each, and flags that match."
    );
    let hints = Hints::reads().open_world(false);
    meta_tool((NAME, "Search commands"), &about, schema, &hints)
}

/// The source that answers are made from.
trait Searched {
    /// The index over the commands.
    fn index(&self) -> &Index;
    /// Returns true if the command at a place is one that may be run.
    fn may_run(&self, at: usize, permissions: &Permissions) -> bool;
    /// The description of the command at a place.
    fn found(&self, at: usize) -> Cow<'_, FoundCommand>;
    /// Sentences about commands that could not be read.
    fn unread(&self) -> &[String];
    /// Returns true if more are still being found out.
    fn growing(&self) -> bool;
}

impl Searched for ServedCommands {
    fn index(&self) -> &Index {
        self.index()
    }

    fn may_run(&self, at: usize, permissions: &Permissions) -> bool {
        permissions.may_run(&self.tools[at])
    }

    fn found(&self, at: usize) -> Cow<'_, FoundCommand> {
        Cow::Owned(FoundCommand::of(&self.tools[at].tool))
    }

    fn unread(&self) -> &[String] {
        self.unread()
    }

    fn growing(&self) -> bool {
        self.growing
    }
}

impl Searched for KeptSearch<'_> {
    fn index(&self) -> &Index {
        &self.index
    }

    /// The kept index says nothing of single rights.
    fn may_run(&self, _: usize, permissions: &Permissions) -> bool {
        permissions.is_all()
    }

    fn found(&self, at: usize) -> Cow<'_, FoundCommand> {
        Cow::Borrowed(&self.found[at])
    }

    fn unread(&self) -> &[String] {
        &self.unread
    }

    fn growing(&self) -> bool {
        false
    }
}

fn answer(commands: &impl Searched, call: &Call) -> Result<Outcome, CallError> {
    let wrong = |message: &str| Err(CallError::new(ErrorCode::InvalidArguments, message));
    let query = match call.input.get("query") {
        Some(Value::String(query)) if !query.trim().is_empty() => query,
        _ => return wrong("`query`: expected words, such as \"list running containers\""),
    };
    let limit = match call.input.get("limit") {
        None | Some(Value::Null) => USUAL,
        Some(limit) => match limit.as_u64().map(usize::try_from) {
            Some(Ok(limit)) if (1..=MOST).contains(&limit) => limit,
            _ => return wrong(&format!("`limit`: expected a number from 1 to {MOST}")),
        },
    };
    let query = &query[..query.floor_char_boundary(LONGEST)];
    let permissions = &call.caller.permissions;
    let hits = match permissions.is_all() {
        true => commands.index().search(query, limit),
        // How many of the best may not be shown is not known before.
        false => commands.index().search(query, commands.index().len()),
    };
    let may_run = |hit: &&Hit| commands.may_run(hit.at, permissions);
    let mut lines: Vec<String> = hits
        .iter()
        .filter(may_run)
        .take(limit)
        .map(|hit| {
            let mut line = commands.found(hit.at).line.clone();
            if !hit.flags.is_empty() {
                line.push_str(&format!(" (flags: {})", hit.flags.join(", ")));
            }
            let also = other_names(commands, hit, permissions);
            if !also.is_empty() {
                line.push_str(&format!(" (also {})", also.join(", ")));
            }
            line
        })
        .collect();
    if lines.is_empty() {
        lines.push(
            "No command was found. Try other words, such as a verb and what it is about.".into(),
        );
    }
    let unread = commands.unread().iter();
    lines.extend(unread.map(|sentence| format!("({sentence})")));
    if commands.growing() {
        lines.push("(More commands are still being read; search again in a few seconds.)".into());
    }
    Ok(Outcome::success(lines.join("\n")))
}

/// The other names that a command has.
fn other_names(commands: &impl Searched, hit: &Hit, permissions: &Permissions) -> Vec<String> {
    let mut names = commands.found(hit.at).others.clone();
    let twins = hit.also.iter().copied();
    let twins = twins.filter(|&at| commands.may_run(at, permissions));
    let twins = twins.map(|at| commands.found(at));
    names.extend(twins.map(|twin| twin.name().to_owned()));
    names.truncate(OTHERS);
    names
}
