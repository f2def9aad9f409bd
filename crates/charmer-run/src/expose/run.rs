//! The tools `run_read` and `run_write`: any command by its name, through its own call path.

use std::sync::Arc;

use charmer_core::{
    call::{Bound, bind, understand},
    model::Hints,
    tool::{Tool, estimate_tokens},
};
use serde_json::{Map, Value, json};
use tower_service::Service;

use crate::{
    Call, CallError, CallService, ErrorCode, Reading, Resolved, Router, ServedTool,
    draft_properties, folder::Folders, only_reads::only_reads, toolset::Routed, wanted_draft,
};

use super::{ReadsAny, commands::Commands, describe, line};

pub(super) const READ: &str = "run_read";
pub(super) const WRITE: &str = "run_write";

/// The key of a command's own input, and another word for it.
const ARGUMENTS: &str = "arguments";
const ARGS: &str = "args";
/// The keys of their input.
const KEYS: [&str; 7] = [
    "command",
    ARGUMENTS,
    "folder",
    "dry_run",
    "background",
    "draft",
    "draft_id",
];
/// The maximum number of required arguments that an error names.
const TAUGHT: usize = 6;
/// The maximum number of tokens of an error, less what stands around it and what the estimate may be short of.
const MOST_TOKENS: usize = 110;

/// Runs commands that change nothing.
pub(super) fn read(commands: &Commands) -> ServedTool {
    let about = match commands.reads_any {
        ReadsAny::None => "Runs a command whose effect is [read]: it changes nothing.",
        ReadsAny::Some => {
            "Runs a command whose effect is [read], and of some programs any command: without the right to write, so it \
             changes nothing."
        }
        ReadsAny::All => {
            "Runs any command without the right to write or to use the network: it changes nothing, and what tries to \
             fails."
        }
    };
    tool((READ, "Run a command that reads"), about, commands, true)
}

/// Runs any command.
pub(super) fn write(commands: &Commands) -> ServedTool {
    let about = "Runs a command of any other effect: it may change or delete something.";
    tool((WRITE, "Run a command"), about, commands, false)
}

fn tool(name: (&str, &str), about: &str, commands: &Commands, reads: bool) -> ServedTool {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "Its name, or a whole command line"},
            "arguments": {"type": "object", "description": "By name, as describe_commands shows them"},
            "dry_run": {"type": "boolean", "description": "Only show what would be run"},
        },
        "required": ["command"],
    });
    if commands.jobs {
        schema["properties"]["background"] =
            json!({"type": "boolean", "description": "Start it as a job at once"});
    }
    if let Some(about) = folder_words(&commands.folders) {
        schema["properties"]["folder"] = json!({"type": "string", "description": about});
    }
    if !reads && commands.drafts.is_some() {
        for (key, property) in draft_properties() {
            schema["properties"][key] = property;
        }
    }
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
        Err(unknown.unknown(name.unwrap_or_default(), &call.caller.permissions))
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

/// The words on the folder that a command is to run in, where there is one to choose.
fn folder_words(folders: &Folders) -> Option<String> {
    let mut folders = folders.iter().map(|folder| folder.display().to_string());
    let first = folders.next()?;
    let others: Vec<String> = folders.collect();
    Some(match others.is_empty() {
        true => format!("Where to run: a folder beneath {first}, which is the default"),
        false => format!(
            "Where to run: {first} (default), {}, or a folder beneath one of them",
            others.join(", ")
        ),
    })
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
    let known = |key: &str| KEYS.contains(&key) || key == ARGS && !input.contains_key(ARGUMENTS);
    if let Some(key) = input.keys().find(|key| !known(key)) {
        let message = format!("`{}`: expected no such key", key.escape_debug());
        let error = CallError::new(ErrorCode::InvalidArguments, message);
        return Err(error.hint("what the command takes stands in `arguments`"));
    }
    let arguments = Arguments::read(input.get(ARGUMENTS).or_else(|| input.get(ARGS)))?;
    let folder = match input.get("folder") {
        None | Some(Value::Null) => None,
        Some(Value::String(folder)) => Some(folder.clone()),
        Some(_) => return wrong("`folder`: expected the path of a folder"),
    };
    let dry_run = switch(input, "dry_run")?;
    let draft = wanted_draft(input)?;
    if draft.is_some() && reads {
        return wrong("`draft`: what only reads needs none");
    }
    if draft.is_some() && commands.drafts.is_none() {
        let refusal = CallError::refused("`draft`: there are no drafts here");
        return Err(refusal.hint("they need Linux and `confine: auto`; nothing was run"));
    }
    let background = switch(input, "background")?;
    if background && !commands.jobs {
        let error = CallError::refused("`background`: nothing here goes on as a job");
        return Err(error.hint("leave it out, and wait for the result"));
    }
    let (served, line) = match commands.find(name) {
        Some(served) => (served, Vec::new()),
        // A longer beginning of it may be a command that is not known yet.
        None if commands.growing => return Ok(None),
        None => match line::find(commands, name)? {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    if commands.growing && !arguments.words.is_empty() {
        return Ok(None);
    }
    let (arguments, note) = arguments.for_command(served, line)?;
    // It may stand for others itself: a spell that is cast by its name.
    let Resolved {
        mut served, input, ..
    } = served.resolve(arguments);
    if reads {
        // A flag that writes does so in every spelling. What cannot be understood is refused on its call path.
        let understood = understand(&served.tool, &input);
        let meant = understood.map_or_else(|_| input.clone(), |understood| understood.input);
        let bound = bind(&served.tool, &meant).unwrap_or_default();
        shows_no_secrets(&served.tool, &bound)?;
        if served.reading == Reading::Labelled {
            let instead = (!commands.read_only).then_some(WRITE);
            only_reads(&served.tool, &bound, instead)?;
        }
        served.reads = true;
    }
    served.folder = folder;
    served.dry_run |= dry_run;
    served.draft = draft.or(served.draft);
    served.background = background;
    served.service = teaching(served.service, note);
    Ok(Some((served, input)))
}

/// The arguments of a command, as they were given.
#[derive(Default)]
struct Arguments {
    /// Those that have a name.
    named: Map<String, Value>,
    /// Those that are words of a command line.
    words: Vec<String>,
}

impl Arguments {
    fn read(given: Option<&Value>) -> Result<Self, CallError> {
        let wrong = || {
            let message = "`arguments`: expected an object";
            CallError::new(ErrorCode::InvalidArguments, message)
        };
        let of_words = |words| Self {
            words,
            ..Self::default()
        };
        match given {
            None | Some(Value::Null) => Ok(Self::default()),
            Some(Value::Object(named)) => Ok(Self {
                named: named.clone(),
                ..Self::default()
            }),
            Some(Value::Array(list)) => words(list).map(of_words).ok_or_else(wrong),
            // Some models write an object or a list as text.
            Some(Value::String(text)) => match serde_json::from_str(text) {
                Ok(read @ (Value::Object(_) | Value::Array(_))) => Self::read(Some(&read)),
                _ => line::arguments(text).map(of_words),
            },
            Some(_) => Err(wrong()),
        }
    }

    /// The input that they are for a command, behind the words of a command line that it was found in; and a note, if any of
    /// it was read from words.
    fn for_command(
        self,
        served: &ServedTool,
        mut words: Vec<String>,
    ) -> Result<(Map<String, Value>, Option<String>), CallError> {
        words.extend(self.words);
        if words.is_empty() {
            return Ok((self.named, None));
        }
        let mut input = line::input(served, &words)?;
        let keys: Vec<String> = input.keys().map(|key| format!("`{key}`")).collect();
        let name = &served.tool.name;
        let note = format!(
            "the command line was taken as `{name}` with {}",
            keys.join(", ")
        );
        for (key, value) in self.named {
            if input.contains_key(&key) {
                let message =
                    format!("`{key}` is given twice: in the command line and by its name");
                return Err(CallError::new(ErrorCode::InvalidArguments, message));
            }
            input.insert(key, value);
        }
        Ok((input, Some(note)))
    }
}

/// A list of plain values as words.
fn words(list: &[Value]) -> Option<Vec<String>> {
    let word = |word: &Value| match word {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    list.iter().map(word).collect()
}

/// A key that is true or false, and false where it is left out.
fn switch(input: &Map<String, Value>, key: &str) -> Result<bool, CallError> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(yes)) => Ok(*yes),
        // Some models write a boolean as text.
        Some(Value::String(text)) if text == "true" => Ok(true),
        Some(Value::String(text)) if text == "false" => Ok(false),
        Some(_) => {
            let message = format!("`{key}`: expected true or false");
            Err(CallError::new(ErrorCode::InvalidArguments, message))
        }
    }
}

/// Refuses a call that is known to print secrets.
fn shows_no_secrets(tool: &Tool, bound: &Bound) -> Result<(), CallError> {
    let given = bound.flags.iter().filter(|(_, given)| given.is_given());
    let mut given = given.filter_map(|(at, _)| tool.input.flags.get(*at));
    let flag = given.find(|property| property.flag.prints_secrets);
    let with = match (tool.help.prints_secrets, flag) {
        (true, _) => String::new(),
        (false, Some(property)) => format!(" with `{}`", property.key),
        (false, None) => return Ok(()),
    };
    let message = format!(
        "`{}` prints secrets{with}, and `{READ}` shows none",
        tool.name
    );
    Err(CallError::refused(message).hint(format!("run it with `{WRITE}`, if it must be seen")))
}

/// The call path of a command, whose refusal of arguments says which it needs and where the others are shown; with a note on
/// how its input was read.
fn teaching(service: CallService, note: Option<String>) -> CallService {
    CallService::new(move |mut call: Call| {
        let mut service = service.clone();
        call.notes.extend(note.clone());
        async move {
            let tool = Arc::clone(&call.tool);
            service
                .call(call)
                .await
                .map_err(|error| taught(error, &tool))
        }
    })
}

fn taught(error: CallError, tool: &Tool) -> CallError {
    if error.code != ErrorCode::InvalidArguments {
        return error;
    }
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    // What is missing has been named already.
    let named = |name: &&str| !error.message.contains(&format!("`{name}`"));
    let required: Vec<&str> = required.filter(named).collect();
    let hint = |shown: usize| {
        let needs = match (shown, required.len() - shown) {
            (0, _) => String::new(),
            (_, 0) => format!("it requires `{}`; ", required.join("`, `")),
            (_, more) => {
                let shown = required[..shown].join("`, `");
                format!("it requires `{shown}` and {more} more; ")
            }
        };
        let all = format!("{needs}`{}` shows all that it takes", describe::NAME);
        match &error.hint {
            Some(hint) => format!("{hint}; {all}"),
            None => all,
        }
    };
    let mut shown = required.len().min(TAUGHT);
    while shown > 0 && estimate_tokens(&error.message) + estimate_tokens(&hint(shown)) > MOST_TOKENS
    {
        shown -= 1;
    }
    let hint = hint(shown);
    error.hint(hint)
}
