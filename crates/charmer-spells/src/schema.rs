//! A spell as a tool: its name, its description, the schema of its input.

use std::sync::Arc;

use charmer_core::{
    model::Hints,
    output::clean,
    text::shorten,
    tool::{Annotations, Tool, ToolName, output_schema_with_data},
};
use serde_json::{Map, Value, json};

use crate::spell::{Arg, ArgType, Spell};

/// How long descriptions may be.
const DESCRIPTION: usize = 2000;

/// The tool of a spell, whose `data` has this schema if it is declared.
pub(crate) fn tool(spell: &Spell, data: Option<Value>) -> Tool {
    let name = ToolName::exact(&spell.name).expect("the parser lets only valid names through");
    let mut hints = Hints::new(spell.effect);
    hints.title = Some(spell.name.clone());
    let mut tool = Tool::custom(
        name,
        shorten(&spell.description, DESCRIPTION),
        input(spell),
        Annotations::new(&hints),
    );
    if let Some(data) = data {
        tool.output_schema = Arc::new(output_schema_with_data(data));
    }
    tool.help.effect = spell.effect;
    // A user may cast it by name.
    let args = spell.args.iter().flatten().map(|arg| arg.name.clone());
    tool.help.asks_for = Some(args.collect());
    tool
}

fn input(spell: &Spell) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    match &spell.args {
        Some(args) => {
            for arg in args {
                properties.insert(arg.name.clone(), property(arg));
                if arg.required {
                    required.push(&arg.name);
                }
            }
        }
        None => {
            properties.insert(
                "arguments".into(),
                json!({
                    "type": "object",
                    "description": "Values that the command sees as variables: `key` is SPELL_ARG_KEY",
                }),
            );
        }
    }
    if !spell.flags.is_empty() {
        properties.insert(
            "flags".into(),
            json!({
                "type": "array",
                "items": {"type": "string", "enum": spell.flags},
                "description": "What is added to the command line, element by element",
            }),
        );
    }
    let folders: Vec<String> = spell
        .paths
        .iter()
        .map(|path| clean(&path.display().to_string()).into_owned())
        .collect();
    if !folders.is_empty() {
        properties.insert("path".into(), path_property(&folders));
    }
    if spell.confirm {
        properties.insert(
            "confirm".into(),
            json!({"type": "boolean", "description": "Must be true: say so only if the user agreed to this run"}),
        );
        required.push("confirm");
    }
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn path_property(folders: &[String]) -> Value {
    json!({
        "type": "string",
        "description": format!(
            "The folder to run in: {} or beneath; {} by default",
            folders.join(", "),
            folders[0]
        ),
    })
}

fn property(arg: &Arg) -> Value {
    let mut property = Map::new();
    let kind = match arg.kind {
        ArgType::String | ArgType::Path => "string",
        ArgType::Integer => "integer",
        ArgType::Number => "number",
        ArgType::Boolean => "boolean",
        ArgType::Array => "array",
        ArgType::Object => "object",
    };
    property.insert("type".into(), kind.into());
    let mut description = arg.description.clone();
    if arg.kind == ArgType::Path {
        description = format!("{description} (a path beneath the permitted folders)")
            .trim_start()
            .to_owned();
    }
    if !description.is_empty() {
        property.insert(
            "description".into(),
            shorten(&description, DESCRIPTION).into(),
        );
    }
    if !arg.choices.is_empty() {
        property.insert("enum".into(), arg.choices.clone().into());
    }
    if let Some(pattern) = &arg.pattern {
        property.insert(
            "pattern".into(),
            format!("^(?:{})$", pattern.as_str()).into(),
        );
    }
    if arg.kind == ArgType::Array {
        // Every array says what it holds; anything is said by an empty schema.
        property.insert("items".into(), json!({}));
    }
    if let Some(default) = &arg.default {
        property.insert("default".into(), default.clone());
    }
    property.into()
}
