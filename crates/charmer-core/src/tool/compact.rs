//! Tools as they are listed where room is short: what goes without saying, or is said twice, is left out.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    FLAGS_KEY, Layout, Tool,
    description::relations,
    kind::format_of,
    outline::{about, summary, telling_examples},
    prose,
    schema::output_schema,
};

/// The maximum length of a short description, in bytes.
const ABOUT: usize = 240;
/// The maximum length of a property's description.
const HELP: usize = 120;
/// The greatest length that an example may have that is kept.
const EXAMPLE: usize = 80;

/// The length of the descriptions of tools and arguments in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Descriptions {
    /// All that the program's help says.
    #[default]
    Full,
    /// The informative part: a sentence or two, nothing that the schema says already.
    Short,
    /// One line for the tool, nothing for its arguments.
    None,
}

/// A tool as it is listed: the same name, the same arguments with the same types, and in calls the same tool.
///
/// `leave_out_shared` leaves flags out that every command of the program inherits from its root. Calls can still give
/// them; it is right only where an assistant learns of them in another way, such as from [`outline`](super::outline()).
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, Descriptions, catalogue, compact};
///
/// let speed = Flag::new("speed").pflag("int").default_text("5").help("How fast, in knots (default 5)");
/// let sail = Command::new("sail").about("Leave the harbour").flag(speed).flag(Flag::new("quiet"));
/// let fleet = Command::new("fleet").not_runnable().flag(Flag::new("dry").global()).command(sail);
/// let tools = catalogue(&Cli::new(fleet, Syntax::pflag()), &CatalogueOptions::default()).tools;
///
/// let listed = compact(&tools[0], Descriptions::Short, true).definition();
/// assert_eq!(
///     listed.to_string(),
///     r#"{"name":"fleet_sail","description":"Leave the harbour","inputSchema":{"type":"object","properties":{"speed":{"type":"integer","description":"How fast, in knots","default":5},"quiet":{"type":"boolean"}}}}"#,
/// );
/// ```
pub fn compact(tool: &Tool, descriptions: Descriptions, leave_out_shared: bool) -> Tool {
    let mut listed = tool.clone();
    listed.input_schema = tool.input_schema.copied().into();
    let schema = &mut *listed.input_schema;
    if leave_out_shared {
        remove_shared(tool, schema);
    }
    if descriptions == Descriptions::Full {
        return listed;
    }
    trim(schema, descriptions, &|key| says_what_to_give(tool, key));
    listed.terse = true;
    if tells_the_same(&tool.title, tool.name.as_str()) || tool.title == tool.words() {
        listed.title.clear();
    }
    listed.description = match descriptions {
        Descriptions::None => summary(tool),
        _ => short(tool),
    };
    if listed.description.is_empty() {
        listed.description = tool.words();
    }
    listed.output_schema = Arc::new(output(tool, descriptions));
    listed
}

/// Returns true if a title says no more than a name: `docker ps` and `docker_ps`.
fn tells_the_same(title: &str, name: &str) -> bool {
    let letters = |text: &str| text.replace([' ', '-', '_', '.'], " ").to_lowercase();
    letters(title) == letters(name)
}

/// The short description: its purpose, how its arguments go together, and a short example.
fn short(tool: &Tool) -> String {
    let about = about(tool, ABOUT);
    let words = tool.words();
    let mut parts = match tool.input.levels.is_empty() || tells_the_same(&words, tool.name.as_str())
    {
        true => about,
        false => format!("{words}: {about}"),
    };
    let relations = relations(&tool.input).replace('`', "");
    if !relations.is_empty() {
        let end = if parts.ends_with(['.', '!', '?', '…']) {
            ""
        } else {
            "."
        };
        parts = format!("{parts}{end} {relations}");
    }
    let mut examples = telling_examples(tool);
    if let Some(example) = examples.find(|example| example.command_line.len() <= EXAMPLE) {
        parts = format!("{parts}\ne.g. {}", example.command_line);
    }
    parts
}

/// Returns true if a call cannot be written without what is said of this property.
fn says_what_to_give(tool: &Tool, key: &str) -> bool {
    let pattern = tool.input.pattern.as_ref();
    let lists = tool.input.listed_positionals().next().is_some() && key == super::ARGS_KEY;
    let confirms = |flag: &super::FlagProperty| flag.confirms && flag.key == key;
    lists || pattern.is_some_and(|(known, _)| known == key) || tool.input.flags.iter().any(confirms)
}

/// Removes the flags that come from the program's root, unless they are required.
fn remove_shared(tool: &Tool, schema: &mut Map<String, Value>) {
    let nested = tool.input.layout == Layout::Nested;
    let holder = match nested {
        true => schema
            .get_mut("properties")
            .and_then(|properties| properties.get_mut(FLAGS_KEY))
            .and_then(Value::as_object_mut),
        false => Some(&mut *schema),
    };
    let Some(properties) = holder
        .and_then(|holder| holder.get_mut("properties"))
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    let shared = tool
        .input
        .flags
        .iter()
        .filter(|flag| flag.owner == 0 && !flag.flag.required);
    for flag in shared.filter(|_| tool.input.levels.len() > 1) {
        properties.shift_remove(&flag.key);
    }
    if nested
        && properties.is_empty()
        && let Some(outer) = schema.get_mut("properties").and_then(Value::as_object_mut)
    {
        outer.shift_remove(FLAGS_KEY);
    }
}

/// Trims what a schema says of its properties; what it accepts stays the same.
fn trim(schema: &mut Map<String, Value>, descriptions: Descriptions, keep: &dyn Fn(&str) -> bool) {
    for map in ["properties", "$defs", "definitions", "patternProperties"] {
        let Some(Value::Object(properties)) = schema.get_mut(map) else {
            continue;
        };
        for (key, property) in properties {
            if let Value::Object(property) = property {
                describe(key, property, descriptions, keep(key));
                trim(property, descriptions, &|_| false);
            }
        }
    }
    for one in [
        "items",
        "additionalProperties",
        "not",
        "contains",
        "if",
        "then",
        "else",
    ] {
        if let Some(Value::Object(inner)) = schema.get_mut(one) {
            describe("", inner, descriptions, false);
            trim(inner, descriptions, keep);
        }
    }
    for many in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let Some(Value::Array(inner)) = schema.get_mut(many) else {
            continue;
        };
        for inner in inner.iter_mut().filter_map(Value::as_object_mut) {
            describe("", inner, descriptions, false);
            trim(inner, descriptions, keep);
        }
    }
}

/// Trims what is said of one property.
fn describe(key: &str, property: &mut Map<String, Value>, descriptions: Descriptions, keep: bool) {
    let limit = if keep { usize::MAX } else { HELP };
    let text = property.get("description").and_then(Value::as_str);
    let text = text.filter(|_| keep || descriptions != Descriptions::None);
    let mut told = text.map_or_else(String::new, |text| {
        let known = prose::KnownWords::from_schema(property);
        prose::opening(&prose::informative(key, text, &known), limit)
    });
    let items = property.get("items").and_then(Value::as_object);
    if descriptions == Descriptions::Short
        && let Some(format) = format_of(property).or_else(|| items.and_then(format_of))
    {
        told = format!("{told} ({format})").trim_start().to_owned();
    }
    match told.is_empty() {
        true => drop(property.shift_remove("description")),
        false => drop(property.insert("description".into(), told.into())),
    }
    // A switch that is not given is off.
    if property.get("default") == Some(&Value::Bool(false)) {
        property.shift_remove("default");
    }
    for remark in ["title", "$comment", "examples"] {
        property.shift_remove(remark);
    }
}

/// The schema of a declared output; nothing of one that is as every other.
fn output(tool: &Tool, descriptions: Descriptions) -> Map<String, Value> {
    let mut schema = (*tool.output_schema).clone();
    let common = output_schema();
    if schema == common {
        return uncommon(tool);
    }
    let known = common.get("properties").and_then(Value::as_object);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|key, property| known.and_then(|known| known.get(key)) != Some(property));
    }
    trim(&mut schema, descriptions, &|_| false);
    schema
}

/// The stand-in for a schema that is as every other's.
fn uncommon(tool: &Tool) -> Map<String, Value> {
    let mut schema = Map::new();
    if tool.structured {
        schema.insert("type".into(), "object".into());
    }
    schema
}

/// A tool as it is listed where the schema of results that are as every other's is left out: it is 170 of the 210 tokens of
/// a tool without flags. `None` where there is nothing to leave out.
///
/// ```
/// use charmer_core::model::{Cli, Command, Syntax};
/// use charmer_core::tool::{CatalogueOptions, catalogue, without_common_output};
///
/// let cli = Cli::new(Command::new("ship"), Syntax::pflag());
/// let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
/// assert!(tools[0].definition().get("outputSchema").is_some());
/// let listed = without_common_output(&tools[0]).unwrap();
/// assert!(listed.definition().get("outputSchema").is_none());
/// assert!(without_common_output(&listed).is_none());
/// ```
pub fn without_common_output(tool: &Tool) -> Option<Tool> {
    if *tool.output_schema != output_schema() {
        return None;
    }
    let mut listed = tool.clone();
    listed.output_schema = Arc::new(uncommon(tool));
    Some(listed)
}
