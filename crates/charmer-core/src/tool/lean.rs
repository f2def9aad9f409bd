//! A tool with many flags, listed with the few that people use: the others are told where commands are described.

use serde_json::{Map, Value};

use crate::order;

use super::{FLAGS_KEY, FlagProperty, Layout, Tool, outline::telling_examples};

/// A definition that takes more tokens than this is listed with few of its flags.
pub const LEAN_TOKENS: usize = 260;

/// The number of flags that are left that need not be given.
const FLAGS: usize = 6;

/// A tool in the form in which it is listed, with the flags that must be given, those that its examples use and those
/// that have a letter, because these are what its author expects people to type; at most a few. Calls can give the
/// others too, and the description says where they are told. It is `None` if that leaves nothing out.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, Descriptions, catalogue, compact, lean};
///
/// let rare = (0..20).fold(Command::new("sail"), |sail, at| sail.flag(Flag::new(format!("rare-{at}"))));
/// let sail = rare.about("Leave the harbour").flag(Flag::new("quiet").short('q'));
/// let tools = catalogue(&Cli::new(sail, Syntax::pflag()), &CatalogueOptions::default()).tools;
///
/// let listed = compact(&tools[0], Descriptions::Short, true);
/// let lean = lean(&tools[0], &listed, "describe_commands").unwrap();
/// assert!(lean.input_schema["properties"].get("quiet").is_some());
/// assert!(lean.input_schema["properties"].as_object().unwrap().len() < 10);
/// assert!(lean.description.ends_with("15 more flags: see describe_commands"));
/// ```
pub fn lean(tool: &Tool, listed: &Tool, told_by: &str) -> Option<Tool> {
    let mut lean = listed.clone();
    let schema = &mut *lean.input_schema;
    let properties = flag_properties(schema, tool.input.layout)?;
    let mut free: Vec<&FlagProperty> = tool
        .input
        .flags
        .iter()
        .filter(|flag| !flag.flag.required && !flag.confirms && properties.contains_key(&flag.key))
        .collect();
    if free.len() <= FLAGS {
        return None;
    }
    let used = used_in_examples(tool);
    order::sort_by_key(&mut free, |flag| {
        let used = flag
            .flag
            .long
            .as_ref()
            .is_some_and(|long| used.contains(long));
        (!used, flag.flag.short.is_none())
    });
    let left_out = free.len() - FLAGS;
    for flag in &free[FLAGS..] {
        properties.shift_remove(&flag.key);
    }
    let end = match lean.description.lines().count() {
        0 | 1 if !lean.description.ends_with(['.', '!', '?', '…']) => ". ",
        0 | 1 => " ",
        _ => "\n",
    };
    lean.description = format!(
        "{}{end}{left_out} more flags: see {told_by}",
        lean.description
    );
    Some(lean)
}

/// The long names of the flags that its examples use.
fn used_in_examples(tool: &Tool) -> Vec<String> {
    let mut used = Vec::new();
    for example in telling_examples(tool) {
        let words = example.command_line.split_whitespace();
        let long = words.filter_map(|word| word.strip_prefix("--"));
        used.extend(long.map(|word| word.split('=').next().unwrap_or(word).to_owned()));
    }
    used
}

/// The properties among which flags are.
fn flag_properties(
    schema: &mut Map<String, Value>,
    layout: Layout,
) -> Option<&mut Map<String, Value>> {
    let properties = schema.get_mut("properties")?.as_object_mut()?;
    match layout {
        Layout::Nested => {
            let flags = properties.get_mut(FLAGS_KEY)?.as_object_mut()?;
            flags.get_mut("properties")?.as_object_mut()
        }
        _ => Some(properties),
    }
}
