//! The tool `search_commands`: words in, the best few commands out.

use charmer_core::{model::Hints, search::Hit, tool::brief_line};
use serde_json::{Value, json};

use crate::{Call, CallError, ErrorCode, Outcome, ServedTool};

use super::{
    commands::Commands,
    describe::{answered, meta_tool},
};

pub(super) const NAME: &str = "search_commands";

/// How many commands are given, if nothing else is asked for, and at most.
const USUAL: usize = 5;
const MOST: usize = 30;
/// How many other names of a command are told.
const OTHERS: usize = 3;
/// How many programs are named.
const NAMED: usize = 6;
/// Longer questions are not read to the end.
const LONGEST: usize = 2000;

pub(super) fn tool(commands: &Commands, programs: &[&str]) -> ServedTool {
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
    let tool = meta_tool((NAME, "Search commands"), &about, schema, &hints);
    let known = commands.clone();
    answered(tool, commands, move |call| answer(&known, &call))
}

fn answer(commands: &Commands, call: &Call) -> Result<Outcome, CallError> {
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
    let hits = commands.index().search(query, limit);
    let mut lines: Vec<String> = hits
        .iter()
        .map(|hit| {
            let mut line = brief_line(&commands.tools[hit.at].tool);
            if !hit.flags.is_empty() {
                line.push_str(&format!(" (flags: {})", hit.flags.join(", ")));
            }
            let also = other_names(commands, hit);
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
    if commands.growing {
        lines.push("(More commands are still being read; search again in a few seconds.)".into());
    }
    Ok(Outcome::success(lines.join("\n")))
}

/// Under which other names a command is there.
fn other_names(commands: &Commands, hit: &Hit) -> Vec<String> {
    let tool = &commands.tools[hit.at].tool;
    let program = &tool.help.program;
    let paths = tool.help.paths.iter();
    let paths = paths.map(|path| format!("{program} {path}"));
    let twins = hit
        .also
        .iter()
        .map(|&at| commands.tools[at].tool.name.to_string());
    paths.chain(twins).take(OTHERS).collect()
}
