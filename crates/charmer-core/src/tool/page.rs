//! A tool's page: all that its help says of what is offered, as Markdown.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::model::Effect;

use super::{
    Tool,
    example::examples,
    help::{Help, names_withheld},
};

/// The page of a tool. Flags that are out of reach are not on it: not as arguments, nor in usage, text and examples.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, catalogue, help_page};
///
/// let sail = Command::new("sail").about("Leave the harbour").usage("sail SHIP").flag(Flag::new("fast"));
/// let cli = Cli::new(Command::new("fleet").not_runnable().command(sail), Syntax::pflag());
/// let page = help_page(&catalogue(&cli, &CatalogueOptions::default()).tools[0]);
/// assert!(page.starts_with("# fleet sail\n\nTool: `fleet_sail`"));
/// assert!(page.contains("- `fast` (boolean, default `false`)"));
/// ```
pub fn help_page(tool: &Tool) -> String {
    let help = &tool.help;
    let mut page = format!("# {}\n\n", tool.words());
    put(&mut page, format_args!("Tool: `{}`\n", tool.name));
    put(
        &mut page,
        format_args!("Effect: {}\n", effect_words(help.effect)),
    );
    if !help.aliases.is_empty() {
        put(
            &mut page,
            format_args!("Also called: {}\n", help.aliases.join(", ")),
        );
    }
    if let Some(usage) = usage(tool) {
        put(&mut page, format_args!("\n## Usage\n\n```\n{usage}\n```\n"));
    }
    let text = text(tool, help);
    if !text.is_empty() {
        put(&mut page, format_args!("\n## What it does\n\n{text}\n"));
    }
    let mut arguments = String::new();
    list(&mut arguments, &tool.input_schema, 0);
    if !arguments.is_empty() {
        put(&mut page, format_args!("\n## Arguments\n\n{arguments}"));
    }
    let examples = examples(tool);
    if !examples.is_empty() {
        page.push_str("\n## Examples\n");
    }
    for example in examples {
        put(
            &mut page,
            format_args!(
                "\n{}\n\n```\n{}\n```\n",
                example.title, example.command_line
            ),
        );
    }
    page
}

/// A few words on what running a command does.
pub fn effect_words(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads, changes nothing",
        Effect::Write => "adds or changes",
        Effect::Destroy => "may delete or overwrite",
        Effect::Unknown => "not known, so it may delete or overwrite",
    }
}

/// Writing to a string cannot fail.
fn put(page: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = page.write_fmt(text);
}

/// The words of its command line, and what follows them.
fn usage(tool: &Tool) -> Option<String> {
    if tool.input.levels.is_empty() {
        return None;
    }
    let mut rest: Vec<&str> = tool.input.usage.split_whitespace().collect();
    // A program's own usage line repeats the path.
    let path = tool.path.words();
    if rest.len() >= path.len() && rest.iter().zip(path).all(|(word, step)| word == step) {
        rest.drain(..path.len());
    }
    let line = format!("{} {}", tool.words(), rest.join(" "));
    let line = line.trim_end().to_owned();
    (!names_withheld(&tool.input, &line)).then_some(line)
}

/// The paragraphs that are about what is offered.
fn text(tool: &Tool, help: &Help) -> String {
    let text = help.text.as_deref().unwrap_or_default();
    let paragraphs: Vec<&str> = text
        .trim()
        .split("\n\n")
        .filter(|paragraph| !names_withheld(&tool.input, paragraph))
        .collect();
    paragraphs.join("\n\n")
}

/// The properties of an object, one line each; those of an object within it further in.
fn list(page: &mut String, schema: &Map<String, Value>, depth: usize) {
    let none = Map::new();
    let object = |key: &str| schema.get(key).and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let required = |key: &str| required.is_some_and(|keys| keys.iter().any(|k| k == key));
    for (key, value) in object("properties").unwrap_or(&none) {
        let Some(property) = value.as_object() else {
            continue;
        };
        let mut notes = vec![type_of(property)];
        if required(key) {
            notes.push("required".into());
        }
        if let Some(default) = property.get("default") {
            let written = default.as_str().map(str::to_owned);
            let written = written.unwrap_or_else(|| default.to_string());
            notes.push(format!("default `{written}`"));
        }
        let indent = "  ".repeat(depth);
        put(
            page,
            format_args!("{indent}- `{key}` ({})", notes.join(", ")),
        );
        if let Some(text) = property.get("description").and_then(Value::as_str) {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            put(
                page,
                format_args!(": {}", lines.join(&format!("\n{indent}  "))),
            );
        }
        let choices = choices(property);
        if !choices.is_empty() {
            put(
                page,
                format_args!("\n{indent}  One of: {}", choices.join(", ")),
            );
        }
        page.push('\n');
        list(page, property, depth + 1);
    }
}

fn type_of(property: &Map<String, Value>) -> String {
    let name = |schema: &Map<String, Value>| {
        let name = schema.get("type").and_then(Value::as_str);
        name.unwrap_or("any").to_owned()
    };
    match property.get("items").and_then(Value::as_object) {
        Some(items) => format!("array of {}", name(items)),
        None => name(property),
    }
}

/// The values that a property, or each of its items, can have.
fn choices(property: &Map<String, Value>) -> Vec<&str> {
    let own = property.get("enum");
    let of_items = || property.get("items")?.get("enum");
    let choices = own.or_else(of_items).and_then(Value::as_array);
    let choices = choices.into_iter().flatten();
    choices.filter_map(Value::as_str).collect()
}

/// The values that the argument of a key can have, as the schema lists them; none if it takes any.
pub fn choices_of<'t>(tool: &'t Tool, key: &str) -> Vec<&'t str> {
    let find = |schema: &'t Map<String, Value>| {
        let property = schema.get("properties")?.get(key)?;
        property.as_object()
    };
    let in_flags = || {
        let flags = tool.input_schema.get("properties")?.get(super::FLAGS_KEY)?;
        find(flags.as_object()?)
    };
    let property = find(&tool.input_schema).or_else(in_flags);
    property.map(choices).unwrap_or_default()
}
