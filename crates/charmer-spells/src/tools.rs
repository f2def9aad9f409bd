//! The tools `cast_spell` and `list_spells`, over the same code as the spells' own tools.

use std::sync::Arc;

use charmer_core::{
    model::{Effect, Hints},
    text::nearest,
    tool::{Annotations, Tool, ToolName},
};
use charmer_run::{
    Call, CallError, CallPath, DraftRequest, ErrorCode, Outcome, Router, ServedTool, SharedSteps,
    Target, draft_properties, into_service, wanted_draft,
};
use serde_json::{Map, Value, json};
use tower::{Service, service_fn};

use crate::{
    Severity, SpellBook, SpellOptions, cast::Cast, input::own_input, load::LoadedSpell,
    problem::SpellProblem,
};

const SPELL_NAME: &str = "spell_name";

/// Casts any spell by its name.
pub(crate) fn cast_spell(book: &SpellBook) -> ServedTool {
    let mut schema = json!({
        "type": "object",
        "properties": {
            SPELL_NAME: {"type": "string", "description": "The spell's name"},
            "arguments": {"type": "object", "description": "Its arguments, by name"},
            "flags": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What is added to the command line; only elements that the spell permits",
            },
            "path": {"type": "string", "description": "The folder to run in, beneath one that the spell permits"},
            "confirm": {"type": "boolean", "description": "True once the user has agreed, for spells that ask for it"},
        },
        "required": [SPELL_NAME],
        "additionalProperties": false,
    });
    let options = book.options();
    if options.engine.drafts().is_some() && !options.read_only {
        let properties = &mut schema["properties"];
        for (key, property) in draft_properties() {
            properties[key] = property;
        }
    }
    let tool = tool(
        "cast_spell",
        "Runs a spell, a command that is declared in this project; `list_spells` shows them.",
        schema,
        &Hints::new(Effect::Unknown),
    );
    let (late, own) = (book.clone(), Arc::clone(&tool));
    let service = into_service(service_fn(move |call: Call| {
        let (book, own) = (late.clone(), Arc::clone(&own));
        async move { cast_late(&book, &own, call).await }
    }));
    // The steps of all calls stand around what it comes to: a spell's own tool, or a refusal.
    let mut served = CallPath::new(tool, Target::Answer(service))
        .limits(options.longest_limits())
        .redactor(options.engine.redactor().clone())
        .may_block(true)
        .serve(&SharedSteps::default());
    let book = book.clone();
    served.router = Some(Router::new(move |input| route(&book, input)));
    served
}

/// The spell's own tool, if a spell of this name is known.
fn route(book: &SpellBook, input: &Map<String, Value>) -> Option<(ServedTool, Map<String, Value>)> {
    let cast = book.known(input.get(SPELL_NAME)?.as_str()?)?;
    let mut input = input.clone();
    input.remove(SPELL_NAME);
    served(book, cast, input).ok()
}

/// A spell's own tool with its own input, of what was given beside its name.
fn served(
    book: &SpellBook,
    cast: Cast,
    mut input: Map<String, Value>,
) -> Result<(ServedTool, Map<String, Value>), CallError> {
    let draft = taken_draft(&cast, &mut input)?;
    let input = own_input(&cast.entry.spell, input)?;
    let mut served = cast.serve(&book.options().shared);
    served.draft = draft;
    Ok((served, input))
}

/// The wish for a draft, taken out of what is the spell's own.
fn taken_draft(
    cast: &Cast,
    input: &mut Map<String, Value>,
) -> Result<Option<DraftRequest>, CallError> {
    let mut wish = Map::new();
    for (key, _) in draft_properties() {
        wish.extend(input.remove_entry(key));
    }
    let wish = wanted_draft(&wish)?;
    match wish {
        Some(_) if !cast.can_be_drafted() => {
            let name = &cast.entry.spell.name;
            let message = format!("the spell `{name}` cannot be run as a draft");
            let hint = match cast.entry.spell.effect {
                Effect::Read => "it changes nothing: cast it without `draft`",
                _ => "drafts need Linux and `confine: auto`; nothing was run",
            };
            Err(CallError::refused(message).hint(hint))
        }
        wish => Ok(wish),
    }
}

/// Casts what could not be routed: a spell that was written this very moment, or a call that is wrong.
async fn cast_late(
    book: &SpellBook,
    own: &Arc<Tool>,
    mut call: Call,
) -> Result<Outcome, CallError> {
    let shared = book.options().shared.clone();
    let mut served = match late(book, &call.input) {
        Ok((served, input)) => {
            call.input = input;
            call.draft.clone_from(&served.draft);
            served
        }
        Err(error) => {
            let refuse = move |_| Err(error.clone());
            CallPath::answering(Arc::clone(own), refuse).serve(&shared)
        }
    };
    call.tool = Arc::clone(&served.tool);
    call.limits.timeout = call.limits.timeout.min(served.limits.timeout);
    served.service.call(call).await
}

/// The tool of the spell that is meant, looked for in the folder itself, and its input.
fn late(
    book: &SpellBook,
    input: &Map<String, Value>,
) -> Result<(ServedTool, Map<String, Value>), CallError> {
    let mut input = input.clone();
    let Some(Value::String(name)) = input.remove(SPELL_NAME) else {
        return Err(CallError::new(
            ErrorCode::InvalidArguments,
            format!("`{SPELL_NAME}`: expected the name of a spell"),
        ));
    };
    let cast = book.named(&name).map_err(|mut error| {
        if error.code == ErrorCode::NotRegistered {
            let state = book.state();
            if let Some(near) = nearest(&name, state.spells.keys().map(String::as_str)) {
                error.hint = Some(format!("did you mean `{near}`?"));
            }
        }
        error
    })?;
    served(book, cast, input)
}

/// Says which spells there are, and what is wrong with those that are not.
pub(crate) fn list_spells(book: &SpellBook) -> ServedTool {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let tool = tool(
        "list_spells",
        "Lists the spells of this project with what each permits, and problems in their files.",
        schema,
        &Hints::reads().open_world(false),
    );
    let (options, book) = (book.options(), book.clone());
    let answer = move |call: Call| {
        if let Some(key) = call.input.keys().next() {
            let message = format!("`{}`: expected no such argument", key.escape_debug());
            return Err(CallError::new(ErrorCode::InvalidArguments, message));
        }
        book.reload();
        let mut outcome = Outcome::success("");
        outcome.data = Some(book.listing());
        Ok(outcome)
    };
    CallPath::answering(tool, answer)
        .limits(options.limits.clone())
        .redactor(options.engine.redactor().clone())
        .serve(&options.shared)
}

impl SpellBook {
    /// The spells and the problems as JSON: what `list_spells` answers.
    pub fn listing(&self) -> Value {
        let (state, options) = (self.state(), self.options());
        let spells: Vec<Value> = state
            .spells
            .values()
            .map(|entry| described(entry, &options))
            .collect();
        // What is unwise is for people, and an assistant can do nothing about it.
        let problems = state.problems.iter();
        let problems = problems.filter(|problem| problem.severity == Severity::Error);
        let problems: Vec<Value> = problems.map(shown).collect();
        let mut listing = json!({ "spells": spells });
        if !problems.is_empty() {
            listing["problems"] = problems.into();
        }
        listing
    }
}

fn described(entry: &LoadedSpell, options: &SpellOptions) -> Value {
    let spell = &entry.spell;
    let mut object = json!({
        "name": spell.name,
        "description": entry.tool.description,
        "timeout": options.time_of(spell).as_secs_f64().ceil() as u64,
    });
    if !spell.flags.is_empty() {
        object["flags"] = spell.flags.clone().into();
    }
    let paths: Vec<String> = entry
        .roots
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    object["paths"] = paths.into();
    if let Some(args) = &spell.args {
        let args: Map<String, Value> = args
            .iter()
            .map(|arg| {
                (
                    arg.name.clone(),
                    entry.tool.input_schema["properties"][&arg.name].clone(),
                )
            })
            .collect();
        object["arguments"] = args.into();
    }
    if spell.effect != Effect::Unknown {
        object["effect"] = json!(spell.effect);
    }
    if spell.confirm {
        object["confirm"] = true.into();
    }
    if !spell.can_run() {
        object["problem"] = "it can never run: its `paths` is empty".into();
    }
    object
}

fn shown(problem: &SpellProblem) -> Value {
    json!({
        "file": problem.file.file_name().map_or_else(
            || problem.file.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
        "severity": problem.severity,
        "message": charmer_core::output::clean(&problem.message),
        "lastGood": problem.last_good,
    })
}

fn tool(name: &str, description: &str, schema: Value, hints: &Hints) -> Arc<Tool> {
    let name = ToolName::exact(name).expect("a literal");
    let Value::Object(schema) = schema else {
        unreachable!("the literals are objects")
    };
    let mut tool = Tool::custom(name, description, schema, Annotations::new(hints));
    tool.structured = true;
    Arc::new(tool)
}
