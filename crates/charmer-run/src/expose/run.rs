//! The tools `run_read` and `run_write`: any command by its name, through its own call path.

use std::sync::Arc;

use charmer_core::{
    model::{Effect, Hints},
    tool::{Tool, brief_input},
};
use serde_json::{Map, Value, json};
use tower::{Service, service_fn};

use crate::{
    Call, CallError, CallService, ErrorCode, Resolved, Router, ServedTool, into_service,
    toolset::Routed,
};

use super::{commands::Commands, describe};

pub(super) const READ: &str = "run_read";
pub(super) const WRITE: &str = "run_write";

/// How many tokens of a command's arguments an error shows.
const TAUGHT: usize = 400;

/// Runs commands that change nothing.
pub(super) fn read(commands: &Commands) -> ServedTool {
    let about = "Runs a command whose effect is [read]: it changes nothing.";
    tool((READ, "Run a command that reads"), about, commands, true)
}

/// Runs any command.
pub(super) fn write(commands: &Commands) -> ServedTool {
    let about = "Runs a command of any other effect: it may change or delete something.";
    tool((WRITE, "Run a command"), about, commands, false)
}

fn tool(name: (&str, &str), about: &str, commands: &Commands, reads: bool) -> ServedTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "Its name"},
            "arguments": {"type": "object", "description": "By name, as describe_commands shows them"},
        },
        "required": ["command"],
    });
    // What a command reads may be anywhere.
    let hints = match reads {
        true => Hints::reads(),
        false => Hints::default(),
    };
    let tool = describe::meta_tool(name, about, schema, &hints);
    let unknown = commands.clone();
    // Only a name that nobody knows comes here: whatever else was asked for has been routed.
    let mut served = describe::answered(Arc::clone(&tool), commands, move |call| {
        let name = call.input.get("command").and_then(Value::as_str);
        Err(unknown.unknown(name.unwrap_or_default()))
    });
    let commands = commands.clone();
    served.router = Some(Router::new(move |input| {
        match route(&commands, input, reads) {
            Ok(routed) => routed,
            Err(refusal) => {
                let refuse = move |_| Err(refusal.clone());
                let refused = describe::answered(Arc::clone(&tool), &commands, refuse);
                Some((refused, input.clone()))
            }
        }
    }));
    served
}

/// The command that is meant, with its input; none if nobody knows its name.
fn route(
    commands: &Commands,
    input: &Map<String, Value>,
    reads: bool,
) -> Result<Option<Routed>, CallError> {
    let wrong = |message: &str| Err(CallError::new(ErrorCode::InvalidArguments, message));
    let Some(Value::String(name)) = input.get("command") else {
        return wrong("`command`: expected the name of a command");
    };
    if let Some(key) = input
        .keys()
        .find(|key| !["command", "arguments"].contains(&key.as_str()))
    {
        let message = format!("`{}`: expected no such key", key.escape_debug());
        let error = CallError::new(ErrorCode::InvalidArguments, message);
        return Err(error.hint("what the command takes stands in `arguments`"));
    }
    let arguments = match input.get("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        // Some models write an object as text.
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(arguments)) => arguments,
            _ => return wrong("`arguments`: expected an object"),
        },
        Some(_) => return wrong("`arguments`: expected an object"),
    };
    let Some(served) = commands.find(name) else {
        return Ok(None);
    };
    // It may stand for others itself: a spell that is cast by its name.
    let Resolved {
        mut served, input, ..
    } = served.resolve(arguments);
    if reads {
        only_reads(&served.tool, &input)?;
    }
    served.service = teaching(served.service);
    Ok(Some((served, input)))
}

/// Refuses what may change something.
fn only_reads(tool: &Tool, arguments: &Map<String, Value>) -> Result<(), CallError> {
    let name = &tool.name;
    if !tool.annotations.read_only {
        let why = match tool.help.effect {
            Effect::Destroy => "may delete or overwrite something",
            Effect::Write => "adds or changes something",
            _ => "is not known to change nothing",
        };
        return Err(
            CallError::refused(format!("`{name}` {why}, and `{READ}` only reads"))
                .hint(format!("run it with `{WRITE}`")),
        );
    }
    let given = tool.input.given_flags(arguments);
    let is_set = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
        _ => true,
    };
    let writes = tool.input.flags.iter().find(|property| {
        property.flag.writes
            && given
                .and_then(|given| given.get(&property.key))
                .is_some_and(is_set)
    });
    match writes {
        Some(property) => Err(CallError::refused(format!(
            "`{name}` is not known to only read when `{}` is given",
            property.key
        ))
        .hint(format!(
            "run it with `{WRITE}`, or without `{}`",
            property.key
        ))),
        None => Ok(()),
    }
}

/// The call path of a command, whose refusal of arguments shows which it takes.
fn teaching(service: CallService) -> CallService {
    into_service(service_fn(move |call: Call| {
        let mut service = service.clone();
        async move {
            let tool = Arc::clone(&call.tool);
            service
                .call(call)
                .await
                .map_err(|error| taught(error, &tool))
        }
    }))
}

fn taught(mut error: CallError, tool: &Tool) -> CallError {
    if error.code == ErrorCode::InvalidArguments {
        let takes = brief_input(tool, TAUGHT);
        error.message = format!("{}\n`{}` takes:\n{takes}", error.message, tool.name);
    }
    error
}
