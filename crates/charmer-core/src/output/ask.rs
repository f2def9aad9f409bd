//! Which flag makes a command print JSON, and what it is set to.
//!
//! The same name can mean a file (`--output report.json`), the format of an input, or that of something written to disk.
//! So a name is not enough: the choices of the flag or its help must say that it takes `json`, and nothing in the help
//! may speak of files or input.

use serde_json::{Map, Value};

use crate::{
    model::{Command, Flag, FlagValue, Repetition, ValueType, heirs},
    tool::{FlagProperty, Input, PinValue},
};

/// The names of flags that choose how output looks, the plainest first.
const FORMAT_NAMES: [&str; 4] = ["--output", "--format", "--output-format", "-o"];
/// Names of a flag that by itself asks for JSON.
const JSON_NAMES: [&str; 1] = ["--json"];
/// Flags with which a caller chooses another look.
const OTHER_WAYS: [&str; 9] = [
    "--template",
    "--jq",
    "--quiet",
    "-q",
    "--raw",
    "--show-labels",
    "--web",
    "--watch",
    "--interactive",
];
/// The template with which Go's own templates write a value as JSON.
const GO_TEMPLATE: &str = "{{json .}}";
/// Fields that say what something is, in the words that programs use for it.
const PLAIN_FIELDS: [&str; 28] = [
    "id",
    "key",
    "number",
    "name",
    "nameWithOwner",
    "fullName",
    "title",
    "displayTitle",
    "description",
    "body",
    "state",
    "status",
    "conclusion",
    "event",
    "author",
    "owner",
    "url",
    "value",
    "visibility",
    "isDraft",
    "labels",
    "tagName",
    "headRefName",
    "baseRefName",
    "workflowName",
    "createdAt",
    "updatedAt",
    "publishedAt",
];

/// Words in the help of a flag by which it is one about files.
const FILE_WORDS: [&str; 18] = [
    "archive",
    "destination",
    "dir",
    "directory",
    "disk",
    "file",
    "filename",
    "files",
    "filesystem",
    "folder",
    "image",
    "location",
    "manifest",
    "path",
    "save",
    "saved",
    "write",
    "written",
];
/// The same where the choices are known, so that the value itself is no file; what is written may still be one.
const WRITTEN_WORDS: [&str; 5] = ["destination", "save", "saved", "write", "written"];
/// Words by which it is about what goes in, or about something else than results.
const INPUT_WORDS: [&str; 18] = [
    "body",
    "config",
    "configuration",
    "error",
    "errors",
    "input",
    "inputs",
    "log",
    "logs",
    "parse",
    "payload",
    "post",
    "read",
    "reads",
    "request",
    "send",
    "stderr",
    "stdin",
];
/// Words by which it does not work by itself or not everywhere.
const CONDITIONS: [&str; 6] = [
    "used with",
    "requires",
    "only with",
    "only valid",
    "unstable",
    "in combination",
];

/// A flag that makes a command print JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonRequest<'f> {
    /// The flag.
    pub flag: &'f Flag,
    /// The value that it is set to: on, a word or a template, or all fields that the command has.
    pub value: PinValue,
}

/// The key and value that make a call print JSON, if the caller has not chosen how the output looks.
///
/// ```
/// use charmer_core::{
///     model::{Cli, Command, Flag, Syntax},
///     output::json_input,
///     tool::{CatalogueOptions, catalogue},
/// };
/// use serde_json::{Map, json};
///
/// let list = Command::new("list")
///     .flag(Flag::new("output").pflag("string").help("Output format. One of: (json, yaml, wide)"));
/// let tool = catalogue(&Cli::new(list, Syntax::pflag()), &CatalogueOptions::default()).tools.remove(0);
/// let mut input = Map::new();
/// assert_eq!(json_input(&tool.input, &input), Some(("output".into(), json!("json"))));
/// input.insert("output".into(), json!("wide"));
/// assert_eq!(json_input(&tool.input, &input), None);
/// ```
pub fn json_input(input: &Input, given: &Map<String, Value>) -> Option<(String, Value)> {
    // Those of the command itself come last in a tool.
    let flags: Vec<&Flag> = input.flags.iter().rev().map(|p| &*p.flag).collect();
    let request = choose(&flags)?;
    let mut properties = input.flags.iter();
    let property =
        properties.find(|property| std::ptr::eq(&raw const *property.flag, request.flag))?;
    let given = input.given_flags(given);
    let chosen = |property: &FlagProperty| {
        given.is_some_and(|given| given.contains_key(&property.key))
            && look_names().any(|name| property.flag.is_named(name))
    };
    if input.flags.iter().any(chosen) {
        return None;
    }
    let value = match request.value {
        PinValue::Switch(on) => match &property.flag.value {
            FlagValue::Optional { bare } => bare.clone().unwrap_or_default().into(),
            _ => on.into(),
        },
        PinValue::Text(text) => text.into(),
        PinValue::List(items) => items.into(),
    };
    Some((property.key.clone(), value))
}

/// The names of all flags that choose how output looks.
fn look_names() -> impl Iterator<Item = &'static str> {
    let names = FORMAT_NAMES.iter().chain(&JSON_NAMES).chain(&OTHER_WAYS);
    names.copied()
}

/// Returns true if a word of a command line chooses how output looks, going by the names that programs give to such
/// flags.
///
/// ```
/// use charmer_core::output::chooses_look;
/// assert!(chooses_look("--format=table") && chooses_look("-oyaml") && chooses_look("--quiet"));
/// assert!(!chooses_look("--formatter") && !chooses_look("output"));
/// ```
pub fn chooses_look(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    // A short flag may have its value attached.
    let attached = !name.starts_with("--") && name.starts_with("-o");
    attached || look_names().any(|known| known == name)
}

/// The flag with which a command can be made to print JSON, if it is certain that it does. `lineage` is the commands
/// that lead to it, the root first and itself last, as [`Cli::walk`](crate::model::Cli::walk) gives them.
///
/// ```
/// use charmer_core::{model::{Command, Flag}, output::json_flag, tool::PinValue};
///
/// let list = Command::new("list")
///     .flag(Flag::new("output").pflag("string").help("Output format. One of: (json, yaml, wide)"));
/// let request = json_flag(&[&list]).unwrap();
/// assert_eq!((request.flag.id.as_str(), request.value), ("output", PinValue::Text("json".into())));
///
/// let save = Command::new("save")
///     .flag(Flag::new("output").pflag("string").help("Write json to this file"));
/// assert_eq!(json_flag(&[&save]), None);
/// ```
pub fn json_flag<'f>(lineage: &[&'f Command]) -> Option<JsonRequest<'f>> {
    let (command, ancestors) = heirs(lineage).split_last()?;
    let inherited = ancestors
        .iter()
        .rev()
        .flat_map(|ancestor| ancestor.flags.iter().filter(|flag| flag.global));
    let flags = command.flags.iter().chain(inherited);
    let flags: Vec<&'f Flag> = flags.map(AsRef::as_ref).collect();
    choose(&flags)
}

/// The flag that asks for JSON, of those that a command takes, the nearest first.
fn choose<'f>(flags: &[&'f Flag]) -> Option<JsonRequest<'f>> {
    let said = |flag: &&'f Flag| Some((*flag, flag.asks_for_json.clone()?));
    if let Some((flag, value)) = flags.iter().find_map(said) {
        let value = match value.is_empty() {
            true => PinValue::Switch(true),
            false if flag.repetition != Repetition::Single => {
                let values = value.split(',').map(str::trim);
                PinValue::List(values.map(str::to_owned).collect())
            }
            false => PinValue::Text(value),
        };
        return Some(JsonRequest { flag, value });
    }
    // The nearest flag of a name is the one that the name means.
    let named = |name: &str| flags.iter().copied().find(|flag| flag.is_named(name));
    let usable = |flag: &&Flag| !flag.hidden && flag.deprecated.is_none();
    let by_format = FORMAT_NAMES
        .iter()
        .filter_map(|name| named(name))
        .filter(usable)
        .find_map(|flag| {
            format_value(flag).map(|value| JsonRequest {
                flag,
                value: PinValue::Text(value),
            })
        });
    by_format.or_else(|| {
        JSON_NAMES
            .iter()
            .filter_map(|name| named(name))
            .filter(usable)
            .find_map(|flag| json_value(flag).map(|value| JsonRequest { flag, value }))
    })
}

/// The value with which a flag that chooses a format chooses JSON.
fn format_value(flag: &Flag) -> Option<String> {
    let takes_text = matches!(flag.value, FlagValue::Required | FlagValue::Optional { .. })
        && flag.value_type == ValueType::String
        && flag.repetition == Repetition::Single;
    let help = FlagHelp::new(flag);
    if !takes_text
        || help.has_any(&INPUT_WORDS) && !help.has_any(&["output", "stdout"])
        || help.is_conditional()
    {
        return None;
    }
    if !flag.choices.is_empty() {
        let json = flag
            .choices
            .iter()
            .find(|choice| choice.value.eq_ignore_ascii_case("json"))?;
        return (!help.has_any(&WRITTEN_WORDS)).then(|| json.value.clone());
    }
    if help.has_any(&FILE_WORDS) {
        return None;
    }
    if help.lists_json() {
        return Some("json".to_owned());
    }
    let template = help.text.contains("go template") && !help.text.contains("file");
    template.then(|| GO_TEMPLATE.to_owned())
}

/// The value that makes a flag named for JSON ask for it.
fn json_value(flag: &Flag) -> Option<PinValue> {
    let help = FlagHelp::new(flag);
    if help.has_any(&INPUT_WORDS) || help.has_any(&FILE_WORDS) || help.is_conditional() {
        return None;
    }
    let speaks_of_output = help.is_about_output() || help.text.is_empty();
    match (&flag.value, &flag.repetition) {
        (FlagValue::None, _) if flag.is_switch() && speaks_of_output => {
            Some(PinValue::Switch(true))
        }
        (FlagValue::Optional { .. }, _) if speaks_of_output => Some(PinValue::Switch(true)),
        (FlagValue::Required, Repetition::Joined { .. } | Repetition::Repeat { .. })
            if help.text.contains("field") =>
        {
            fields(flag).map(PinValue::List)
        }
        _ => None,
    }
}

/// The fields that are asked for, of those that the flag takes: the plain ones, because others may need more rights or
/// more time, or be long. All of them, where none is plain.
fn fields(flag: &Flag) -> Option<Vec<String>> {
    let shown = flag.choices.iter().filter(|choice| !choice.hidden);
    let all: Vec<String> = shown.map(|choice| choice.value.clone()).collect();
    let plain = all
        .iter()
        .filter(|field| PLAIN_FIELDS.contains(&field.as_str()));
    let plain: Vec<String> = plain.cloned().collect();
    let asked = if plain.is_empty() { all } else { plain };
    (!asked.is_empty()).then_some(asked)
}

/// The help of a flag in small letters.
struct FlagHelp {
    text: String,
}

impl FlagHelp {
    fn new(flag: &Flag) -> Self {
        Self {
            text: flag.help.as_deref().unwrap_or_default().to_lowercase(),
        }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        // Names with dashes (`go-template-file`) are words of their own.
        self.text
            .split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
    }

    fn has_any(&self, words: &[&str]) -> bool {
        self.words().any(|word| words.contains(&word))
    }

    fn is_conditional(&self) -> bool {
        CONDITIONS
            .iter()
            .any(|condition| self.text.contains(condition))
    }

    /// Returns true if it speaks of what is printed.
    fn is_about_output(&self) -> bool {
        self.has_any(&[
            "output",
            "outputs",
            "print",
            "prints",
            "display",
            "show",
            "format",
            "formatted",
            "emit",
        ])
    }

    /// Returns true if `json` stands in it as one of the values, and not only as a word: quoted, in brackets or in a
    /// list.
    fn lists_json(&self) -> bool {
        let text = self.text.as_str();
        text.match_indices("json").any(|(at, found)| {
            let (before, after) = (&text[..at], &text[at + found.len()..]);
            let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
            let starts = !before.ends_with(inside);
            // A full stop ends a sentence, but also stands in names.
            let mut following = after.chars();
            let ends = match following.next() {
                Some('.') => following.next().is_none_or(char::is_whitespace),
                Some(c) => !inside(c),
                None => true,
            };
            let before = before.trim_end();
            let after = after.trim_start();
            let opened = before.ends_with(['(', '[', '{', '\'', '"', '`', '|', ',', '/', ':', '=']);
            let closed = after.starts_with([')', ']', '}', '\'', '"', '`', '|', ',', '/']);
            let joined = ["or", "and"].iter().any(|word| {
                after.starts_with(&format!("{word} ")) || before.ends_with(&format!(" {word}"))
            });
            starts && ends && (opened || closed || joined)
        })
    }
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
