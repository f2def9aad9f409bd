//! The tool `describe_commands`: the arguments of one or several commands, in compact form.

use std::sync::Arc;

use charmer_core::{
    expose::Visibility,
    model::Hints,
    tool::{Annotations, Tool, ToolName, estimate_tokens, outline},
};
use serde_json::{Map, Value, json};

use crate::{Call, CallError, CallPath, ErrorCode, Outcome, ServedTool};

use super::commands::Commands;

pub(super) const NAME: &str = "describe_commands";

/// The number of tokens that a command's description takes on average.
const BUDGET: usize = 500;
/// The maximum number of tokens of a description.
const MOST_TOKENS: usize = 580;
/// The number of commands that are described at once.
const MOST: usize = 10;

pub(super) fn tool(commands: &Commands) -> ServedTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "commands": {"type": "array", "items": {"type": "string"}, "description": "Their names"},
            "full": {"type": "boolean", "description": "All that is known of every argument"},
        },
        "required": ["commands"],
    });
    let about = "Shows how commands are called: their arguments with types, which are required, and examples.";
    let hints = Hints::reads().open_world(false);
    let tool = meta_tool((NAME, "Describe commands"), about, schema, &hints);
    let known = commands.clone();
    answered(tool, commands, move |call| answer(&known, &call))
}

fn answer(commands: &Commands, call: &Call) -> Result<Outcome, CallError> {
    let wrong = |message: String| Err(CallError::new(ErrorCode::InvalidArguments, message));
    let names: Vec<&str> = match call.input.get("commands") {
        // One name is as good as a list of one.
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
            names.iter().filter_map(Value::as_str).collect()
        }
        _ => Vec::new(),
    };
    if names.is_empty() || names.len() > MOST {
        return wrong(format!(
            "`commands`: expected 1 to {MOST} names of commands"
        ));
    }
    let full = match call.input.get("full") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(full)) => *full,
        Some(_) => return wrong("`full`: expected true or false".into()),
    };
    let permissions = &call.caller.permissions;
    let mut found: Vec<&ServedTool> = Vec::new();
    let mut missing = Vec::new();
    for name in &names {
        match commands.find(name) {
            Some(served)
                if found
                    .iter()
                    .any(|other| Arc::ptr_eq(&other.tool, &served.tool)) => {}
            Some(served) if !permissions.may_run(served) => {
                missing.push(permissions.withheld(&served.tool));
            }
            Some(served) => found.push(served),
            None => missing.push(commands.unknown(name, permissions)),
        }
    }
    if found.is_empty() {
        // There is one for each name.
        return Err(missing.remove(0));
    }
    if let Some(promotions) = &commands.promotions {
        let may_be = found
            .iter()
            .filter(|served| served.visibility != Visibility::Hide);
        promotions.promote(may_be.map(|served| served.tool.name.as_str()));
    }
    let tools: Vec<&Tool> = found.iter().map(|served| &*served.tool).collect();
    let mut text = match full {
        true => outline(&tools, usize::MAX),
        false => within(outline(&tools, BUDGET), MOST_TOKENS * tools.len()),
    };
    for error in missing {
        let hint = error.hint.unwrap_or_default();
        text.push_str(&format!("\n{}: {hint}", error.message));
    }
    Ok(Outcome::success(text))
}

/// A description cut to so many tokens: some programs have a thousand flags, and even their names are too many.
fn within(mut text: String, most: usize) -> String {
    const NOTE: &str = " … (cut here: `full` shows the rest, search_commands finds flags)";
    let mut cut = false;
    loop {
        let tokens = estimate_tokens(&text);
        if tokens <= most {
            break;
        }
        cut = true;
        let room = most.saturating_sub(estimate_tokens(NOTE) + 4);
        let end = text.floor_char_boundary(text.len() * room / tokens);
        text.truncate(text[..end].rfind([',', '\n']).unwrap_or(end));
    }
    if cut {
        text.push_str(NOTE);
    }
    text
}

/// The definition of a tool about commands.
pub(super) fn meta_tool(
    (name, title): (&str, &str),
    about: &str,
    schema: Value,
    hints: &Hints,
) -> Arc<Tool> {
    let Value::Object(schema) = schema else {
        unreachable!("the literals are objects")
    };
    let name = ToolName::exact(name).expect("a literal");
    let mut tool = Tool::custom(name, about, schema, Annotations::new(hints));
    tool.title = title.to_owned();
    tool.output_schema = Arc::new(Map::new());
    Arc::new(tool)
}

/// A tool about these commands: it says its answer as text alone, which is all there is to it. Searching thousands of
/// commands takes a moment, so it runs apart from the protocol.
pub(super) fn answered(
    tool: Arc<Tool>,
    commands: &Commands,
    answer: impl Fn(Call) -> Result<Outcome, CallError> + Clone + Send + Sync + 'static,
) -> ServedTool {
    CallPath::answering(tool, answer)
        .serve(&commands.shared)
        .meta()
}
