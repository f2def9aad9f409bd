//! Prompts: the examples in help texts, and spells, as things that a user can ask for by name.

use std::{collections::HashSet, sync::Arc};

use charmer_core::{
    text::{nearest, shorten},
    tool::{Example, Tool, all_examples, quoted},
};
use serde_json::{Map, Value, json};

use crate::{pages_and_prompts::PagesAndPrompts, protocol::RpcError, resources::first_line};

/// The greatest length that titles and descriptions may have.
const TITLE: usize = 100;
const DESCRIPTION: usize = 400;

/// A prompt and the tool that it is for.
#[derive(Debug, Clone)]
pub(crate) struct PromptOf {
    pub(crate) name: String,
    pub(crate) tool: Arc<Tool>,
    pub(crate) form: PromptForm,
}

/// The source that a prompt is made from.
#[derive(Debug, Clone)]
pub(crate) enum PromptForm {
    /// An example: its placeholders are the arguments.
    Example(Example),
    /// The tool itself: these of its arguments are the prompt's.
    Call(Vec<String>),
}

/// An argument of a prompt.
pub(crate) struct Argument<'p> {
    pub(crate) name: &'p str,
    required: bool,
    /// The key of the tool's argument that it is a value of.
    pub(crate) key: Option<&'p str>,
}

/// The prompts of these tools: a spell has its own name. With `examples`, those of help texts are prompts as well, and
/// `kubectl_get-1` is the first of `kubectl_get`.
pub(crate) fn prompts_of(tools: &[Arc<Tool>], examples: bool) -> Vec<PromptOf> {
    let plain: Vec<&Tool> = tools.iter().map(|tool| &**tool).collect();
    let examples = examples.then(|| all_examples(&plain));
    let mut examples = examples.unwrap_or_default().into_iter().peekable();
    let mut prompts = Vec::new();
    let mut taken: HashSet<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
    for (at, tool) in tools.iter().enumerate() {
        if let Some(keys) = &tool.help.asks_for {
            prompts.push(PromptOf {
                name: tool.name.to_string(),
                tool: Arc::clone(tool),
                form: PromptForm::Call(keys.clone()),
            });
        }
        let mut count = 0_usize;
        while let Some((_, example)) = examples.next_if(|(of, _)| *of == at) {
            let name = loop {
                count += 1;
                let name = format!("{}-{count}", tool.name);
                if taken.insert(name.clone()) {
                    break name;
                }
            };
            prompts.push(PromptOf {
                name,
                tool: Arc::clone(tool),
                form: PromptForm::Example(example),
            });
        }
    }
    prompts
}

/// The prompts as `prompts/list` shows them.
pub(crate) fn list(pages_and_prompts: &PagesAndPrompts) -> Vec<Value> {
    pages_and_prompts
        .prompts()
        .iter()
        .map(PromptOf::definition)
        .collect()
}

/// Returns the messages of a prompt with these arguments.
pub(crate) fn get(
    pages_and_prompts: &PagesAndPrompts,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Map<String, Value>, RpcError> {
    let prompt = find(pages_and_prompts, name)?;
    let text = prompt.text(arguments)?;
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    let mut told = Map::new();
    told.insert("description".into(), prompt.title().into());
    told.insert("messages".into(), vec![message].into());
    Ok(told)
}

/// The prompt of a name, or what is wrong with the name.
pub(crate) fn find<'s>(
    pages_and_prompts: &'s PagesAndPrompts,
    name: &str,
) -> Result<&'s PromptOf, RpcError> {
    pages_and_prompts.prompt(name).ok_or_else(|| {
        let names = pages_and_prompts
            .prompts()
            .iter()
            .map(|prompt| prompt.name.as_str());
        let hint = nearest(name, names);
        let hint = hint.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        invalid(format!("unknown prompt `{name}`{hint}"))
    })
}

fn invalid(message: String) -> RpcError {
    RpcError::invalid_params(message)
}

impl PromptOf {
    pub(crate) fn arguments(&self) -> Vec<Argument<'_>> {
        match &self.form {
            PromptForm::Example(example) => {
                let all = example.placeholders.iter();
                all.map(|placeholder| Argument {
                    name: &placeholder.name,
                    required: placeholder.required,
                    key: placeholder.key.as_deref(),
                })
                .collect()
            }
            PromptForm::Call(keys) => {
                let required = self.tool.input_schema.get("required");
                let required = required.and_then(Value::as_array);
                keys.iter()
                    .map(|key| Argument {
                        name: key,
                        required: required.is_some_and(|keys| keys.iter().any(|k| k == key)),
                        key: Some(key),
                    })
                    .collect()
            }
        }
    }

    fn title(&self) -> String {
        match &self.form {
            PromptForm::Example(example) => shorten(&example.title, TITLE),
            PromptForm::Call(_) => first_line(&self.tool.description, TITLE),
        }
    }

    fn definition(&self) -> Value {
        let description = match &self.form {
            PromptForm::Example(example) if example.title == example.command_line => {
                format!("`{}`", example.command_line)
            }
            PromptForm::Example(example) => {
                format!("{}: `{}`", example.title, example.command_line)
            }
            PromptForm::Call(_) => self.tool.description.clone(),
        };
        let arguments: Vec<Value> = self
            .arguments()
            .into_iter()
            .map(|argument| {
                let mut shown = json!({"name": argument.name});
                if let Some(text) = argument.key.and_then(|key| self.described(key)) {
                    shown["description"] = first_line(text, DESCRIPTION).into();
                }
                shown["required"] = argument.required.into();
                shown
            })
            .collect();
        let description = shorten(&description, DESCRIPTION);
        let mut prompt =
            json!({"name": self.name, "title": self.title(), "description": description});
        if !arguments.is_empty() {
            prompt["arguments"] = arguments.into();
        }
        prompt
    }

    /// The tool's description of an argument.
    fn described(&self, key: &str) -> Option<&str> {
        property(&self.tool, key)?.get("description")?.as_str()
    }

    fn text(&self, given: &Map<String, Value>) -> Result<String, RpcError> {
        let arguments = self.arguments();
        for (name, value) in given {
            if !arguments.iter().any(|argument| argument.name == name) {
                let message = format!("the prompt `{}` has no argument `{name}`", self.name);
                return Err(invalid(message));
            }
            if !value.is_string() {
                return Err(invalid(format!("the argument `{name}` must be a string")));
            }
        }
        // Clients send what was left blank as the empty string.
        let value = |name: &str| {
            let text = given.get(name).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
        };
        let missing = |name: &str| {
            let message = format!("the prompt `{}` needs the argument `{name}`", self.name);
            Err(invalid(message))
        };
        let tool = &self.tool.name;
        match &self.form {
            PromptForm::Example(example) => {
                let line = match example.filled(value) {
                    Ok(line) => line,
                    Err(placeholder) => return missing(&placeholder.name),
                };
                let asked = match example.title == example.command_line {
                    true => String::new(),
                    false => format!("{}.\n\n", example.title),
                };
                Ok(format!(
                    "{asked}Call the tool `{tool}` to do what this command line does:\n\n```\n{line}\n```\n\n\
                     Give its parts as the arguments of the tool; do not run it in a shell."
                ))
            }
            PromptForm::Call(_) => {
                let mut values = Map::new();
                for argument in &arguments {
                    match value(argument.name) {
                        Some(text) => {
                            let typed = self.typed(argument.name, text);
                            values.insert(argument.name.to_owned(), typed);
                        }
                        None if argument.required => return missing(argument.name),
                        None => {}
                    }
                }
                let about = first_line(&self.tool.description, TITLE);
                if values.is_empty() {
                    return Ok(format!("Call the tool `{tool}`: {about}"));
                }
                Ok(format!(
                    "Call the tool `{tool}`: {about}\n\nIts arguments:\n\n```json\n{}\n```",
                    one_line(&Value::Object(values))
                ))
            }
        }
    }

    /// A text as the type that the tool wants, where it can be read as one.
    fn typed(&self, key: &str, text: &str) -> Value {
        let kind = property(&self.tool, key).and_then(|property| property.get("type"));
        if kind.and_then(Value::as_str).unwrap_or("string") == "string" {
            return text.into();
        }
        serde_json::from_str(text.trim()).unwrap_or_else(|_| text.into())
    }
}

/// JSON that stays on one line for every reader.
fn one_line(value: &Value) -> String {
    let members = value.as_object().into_iter().flatten().map(|(key, value)| {
        let value = match value {
            // Quoted as JSON always, also where a plain word would do on a command line.
            Value::String(text) => match quoted(text) {
                plain if plain == *text => value.to_string(),
                quoted => quoted,
            },
            other => other.to_string(),
        };
        format!("{}: {value}", Value::from(key.as_str()))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn property<'t>(tool: &'t Tool, key: &str) -> Option<&'t Map<String, Value>> {
    let property = tool.input_schema.get("properties")?.get(key)?;
    property.as_object()
}
