//! The document that a program's hidden command `__charmer` prints about itself.
//!
//! It is the model of this crate as JSON, under a version, with shorter ways to say what people write by hand:
//!
//! - `type` of a flag or positional is a name (`int`, `path`, `stringSlice`, ...) in place of `value`, `value_type` and
//!   `repetition`, and `bare` is the value that the flag has when it stands alone;
//! - a flag's `id` is its long name, a positional's is its `name`; `choices` may be texts, `default` one text, and `effect`
//!   of a flag one word;
//! - `arguments` is a list of positionals, or a text that could not be told apart; where it is missing they are read from
//!   `usage`, and `args` says more of them;
//! - what a command does (`effect`, `title`, ...) stands beside its name, and so does the schema of its `output`.
//!
//! The same can be said in YAML. `document.schema.json` in this crate's folder is the JSON Schema.

use std::collections::{BTreeMap, HashSet};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::output::clean;

use super::{
    ArgSpec, Arguments, Cli, Command, CommandPath, Effect, Flag, Hints, Positional, Syntax,
    ValueType, parse_usage,
};

/// The hidden command that prints the document.
pub const DOCUMENT_COMMAND: &str = "__charmer";
/// The JSON Schema of the document.
pub const DOCUMENT_SCHEMA: &str = include_str!("../../document.schema.json");

/// The version of the document that is written and read here.
const VERSION: u64 = 1;
/// The key that says which version it is.
const MARK: &str = "charmer";
/// The depth to which commands may be nested.
const DEEPEST: usize = 30;
/// The keys of [`Hints`], which stand beside a command's name.
const HINTS: [&str; 9] = [
    "title",
    "effect",
    "idempotent",
    "open_world",
    "network",
    "common",
    "long_running",
    "prints_secrets",
    "phrases",
];

/// The document in which a program describes itself.
///
/// ```
/// use charmer_core::model::{Document, Effect};
/// let said = r#"{"charmer": 1, "syntax": "cobra", "root": {"name": "ship", "runnable": false, "commands": [
///     {"name": "ls", "about": "List ships", "effect": "read", "flags": [{"long": "limit", "type": "int"}]}
/// ]}}"#;
/// let document = Document::from_json(serde_json::from_str(said)?)?;
/// let ls = document.cli.command(&"ls".into()).unwrap();
/// assert_eq!(ls.hints.effect, Effect::Read);
/// assert_eq!(Document::from_json(document.to_json())?, document);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// The name for its server.
    pub name: Option<String>,
    /// Instructions for assistants.
    pub instructions: Option<String>,
    /// The program. What it leaves out of its help is left out here.
    pub cli: Cli,
    /// The framework whose conventions it follows: `clap`, `cobra` or `getopt`; empty where its syntax is said in full.
    pub framework: String,
    /// JSON Schemas of what commands print.
    pub outputs: BTreeMap<CommandPath, Value>,
    /// Keys that mean nothing here, each with where it stands.
    pub unknown: Vec<String>,
}

/// The reason why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is something else.
    #[error("it is no document of a program: there is no `charmer: 1` in it")]
    NoDocument,
    /// It belongs to another charmer.
    #[error(
        "it is a document of version {0}, and this charmer reads version {VERSION}; a newer one is needed"
    )]
    Newer(u64),
    /// Something in it has another form.
    #[error("{place}: {message}")]
    Form {
        /// The place in the document.
        place: String,
        /// The way .
        message: String,
    },
}

impl DocumentError {
    fn at(place: impl Into<String>, message: impl ToString) -> Self {
        Self::Form {
            place: place.into(),
            message: message.to_string(),
        }
    }
}

impl Document {
    /// The document of a program of which nothing but the model is known.
    pub fn new(cli: Cli, framework: impl Into<String>) -> Self {
        Self {
            name: None,
            instructions: None,
            cli,
            framework: framework.into(),
            outputs: BTreeMap::new(),
            unknown: Vec::new(),
        }
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Value {
        let mut said = Map::new();
        said.insert(MARK.into(), VERSION.into());
        let texts = [
            ("name", &self.name),
            ("version", &self.cli.version),
            ("instructions", &self.instructions),
        ];
        for (key, text) in texts {
            if let Some(text) = text {
                said.insert(key.into(), text.as_str().into());
            }
        }
        let syntax = match by_name(&self.framework) == Some(self.cli.syntax) {
            true => self.framework.as_str().into(),
            false => plain(&self.cli.syntax),
        };
        said.insert("syntax".into(), syntax);
        let mut root = object(plain(&self.cli.root));
        self.say_command(&mut root, &CommandPath::root());
        said.insert("root".into(), root.into());
        said.into()
    }

    /// Turns a command of the model into one of the document, without what is hidden.
    fn say_command(&self, said: &mut Map<String, Value>, path: &CommandPath) {
        if let Some(Value::Object(hints)) = said.remove("hints") {
            said.extend(hints);
        }
        if said.get("effect").and_then(Value::as_str) == Some(Effect::Unknown.name()) {
            said.remove("effect");
        }
        // The list of them, or the pattern.
        if let Some(Value::Object(arguments)) = said.remove("arguments") {
            let arguments = arguments.into_iter().next();
            said.extend(arguments.map(|(_, listed)| ("arguments".into(), listed)));
        }
        if let Some(schema) = self.outputs.get(path) {
            said.insert("output".into(), schema.clone());
        }
        for key in ["flags", "commands"] {
            if let Some(Value::Array(all)) = said.get_mut(key) {
                all.retain(|one| one["hidden"] != true);
            }
        }
        if let Some(Value::Array(children)) = said.get_mut("commands") {
            for child in children.iter_mut().filter_map(Value::as_object_mut) {
                let name = child.get("name").and_then(Value::as_str);
                let path = path.child(name.unwrap_or_default());
                self.say_command(child, &path);
            }
        }
    }

    /// Reads a document.
    pub fn from_json(said: Value) -> Result<Self, DocumentError> {
        let Value::Object(mut said) = said else {
            return Err(DocumentError::NoDocument);
        };
        match said.remove(MARK).and_then(|version| version.as_u64()) {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => return Err(DocumentError::Newer(newer)),
            _ => return Err(DocumentError::NoDocument),
        }
        let syntax = said.remove("syntax").unwrap_or_else(|| "getopt".into());
        let (framework, syntax) = match syntax.as_str() {
            Some(name) => {
                let known = by_name(name).ok_or_else(|| {
                    let known =
                        "it can be `clap`, `cobra`, `getopt`, or all that is to be known of it";
                    DocumentError::at("syntax", format!("`{name}` is not known: {known}"))
                })?;
                (name.to_owned(), known)
            }
            None => (String::new(), read("syntax", syntax)?),
        };
        let mut text = |key: &str| match said.remove(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(key, value).map(Some),
        };
        let (mut name, mut version, mut instructions) =
            (text("name")?, text("version")?, text("instructions")?);
        clean_texts([&mut name, &mut version, &mut instructions]);
        let root = said
            .remove("root")
            .ok_or_else(|| DocumentError::at("root", "it is missing"))?;
        let mut reader = DocumentReader {
            keys: DocumentKeys::known(),
            outputs: BTreeMap::new(),
            unknown: said.keys().map(|key| format!("`{key}`")).collect(),
        };
        let root = reader.command(root, &CommandPath::root(), None)?;
        let mut cli = Cli::new(root, syntax);
        cli.version = version;
        cli.share_flags();
        Ok(Self {
            name,
            instructions,
            cli,
            framework,
            outputs: reader.outputs,
            unknown: reader.unknown,
        })
    }
}

/// A syntax by the framework that has it.
fn by_name(framework: &str) -> Option<Syntax> {
    match framework {
        "clap" => Some(Syntax::clap()),
        "cobra" => Some(Syntax::pflag()),
        "getopt" => Some(Syntax::getopt()),
        _ => None,
    }
}

/// A part of the model as JSON. It goes by way of text: what builds values from types is three times the code, in every CLI.
fn plain(value: &impl Serialize) -> Value {
    let text = serde_json::to_string(value).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn read<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, DocumentError> {
    serde_json::from_value(value).map_err(|error| DocumentError::at(place, error))
}

/// The keys that commands, flags and positionals may have.
struct DocumentKeys {
    command: Vec<String>,
    flag: Vec<String>,
    positional: Vec<String>,
}

impl DocumentKeys {
    /// Those of the published schema.
    fn known() -> Self {
        let schema: Value = serde_json::from_str(DOCUMENT_SCHEMA).unwrap_or_default();
        let of = |name: &str| {
            let properties = schema["$defs"][name]["properties"].as_object();
            properties.map_or_else(Vec::new, |all| all.keys().cloned().collect())
        };
        Self {
            command: of("Command"),
            flag: of("Flag"),
            positional: of("Positional"),
        }
    }
}

struct DocumentReader {
    keys: DocumentKeys,
    outputs: BTreeMap<CommandPath, Value>,
    unknown: Vec<String>,
}

impl DocumentReader {
    fn command(
        &mut self,
        said: Value,
        above: &CommandPath,
        program: Option<&str>,
    ) -> Result<Command, DocumentError> {
        let name = said["name"].as_str().unwrap_or_default().to_owned();
        let path = match program {
            Some(_) => above.child(name.as_str()),
            None => CommandPath::root(),
        };
        let place = format!(
            "the command `{}`",
            format!("{} {path}", program.unwrap_or(&name)).trim()
        );
        let Value::Object(mut said) = said else {
            return Err(DocumentError::at(place, "it is no object"));
        };
        if name.is_empty() {
            return Err(DocumentError::at(place, "it has no `name`"));
        }
        if !is_word(&name) || name.contains('/') {
            return Err(DocumentError::at(
                place,
                "its name is no word of a command line",
            ));
        }
        if path.words().len() > DEEPEST {
            return Err(DocumentError::at(
                place,
                format!("more than {DEEPEST} commands in one another"),
            ));
        }
        self.note_unknown(&place, &said, |keys| &keys.command);
        let children: Vec<Value> = take_list(&mut said, "commands", &place)?;
        let flags: Vec<Value> = take_list(&mut said, "flags", &place)?;
        let arguments = said.remove("arguments");
        let specs: Vec<Value> = take_list(&mut said, "args", &place)?;
        let specs: Vec<ArgSpec> = read(&place, specs.into())?;
        let hints: Map<String, Value> = HINTS
            .iter()
            .filter_map(|key| said.remove_entry(*key))
            .collect();
        if let Some(schema) = said.remove("output") {
            self.outputs.insert(path.clone(), schema);
        }
        said.remove("hints");
        said.entry("runnable").or_insert(true.into());

        let mut command: Command = read(&place, said.into())?;
        command.hints = read::<Hints>(&place, hints.into())?;
        command.arguments = match arguments {
            None | Some(Value::Null) => {
                let usage = command.usage.as_deref().unwrap_or_default();
                parse_usage(behind(usage, path.words().len() + 1))
            }
            Some(Value::String(pattern)) => Arguments::Pattern(pattern),
            Some(listed) => {
                let listed: Vec<Value> = read(&place, listed)?;
                let listed = listed.into_iter().map(|one| self.positional(one, &place));
                Arguments::Listed(listed.collect::<Result<_, _>>()?)
            }
        };
        if !specs.is_empty() {
            command = command.with_arg_specs(&specs);
        }
        let flags = flags.into_iter().map(|one| self.flag(one, &place));
        command.flags = flags
            .map(|flag| flag.map(Into::into))
            .collect::<Result<_, _>>()?;
        clean_texts([
            &mut command.about,
            &mut command.long_about,
            &mut command.examples,
            &mut command.usage,
            &mut command.deprecated,
            &mut command.hints.title,
        ]);
        let program = program.unwrap_or(&name);
        for child in children {
            let child = self.command(child, &path, Some(program))?;
            command.commands.push(child);
        }
        // Rules go by names, so a name means one command, and one flag.
        let commands = command.commands.iter();
        let called = commands.flat_map(|one| std::iter::once(&one.name).chain(&one.aliases));
        let called: Vec<&String> = called.collect();
        if let Some(odd) = called.iter().find(|name| !is_word(name)) {
            let message = format!("`{}` is no word of a command line", clean(odd));
            return Err(DocumentError::at(place, message));
        }
        let ids: Vec<&String> = command.flags.iter().map(|flag| &flag.id).collect();
        for names in [called, ids] {
            let mut seen = HashSet::new();
            if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
                let message = format!("`{twice}` stands there for two");
                return Err(DocumentError::at(place, message));
            }
        }
        Ok(command)
    }

    fn flag(&mut self, said: Value, command: &str) -> Result<Flag, DocumentError> {
        let name = ["long", "id", "short"]
            .iter()
            .find_map(|key| said[*key].as_str());
        let name = name.unwrap_or_default().to_owned();
        let place = format!("{command}, the flag `{name}`");
        let mut said = object(said);
        if name.is_empty() {
            return Err(DocumentError::at(
                place,
                "it has neither `long` nor `short`",
            ));
        }
        self.note_unknown(&place, &said, |keys| &keys.flag);
        said.entry("id").or_insert(name.into());
        let bare = said.remove("bare");
        if let Some(kind) = said.remove("type") {
            let kind: String = read(&place, kind)?;
            // A type of the program's own is a text to whoever gives it.
            let (value_type, repetition) = ValueType::named(&kind).unwrap_or_default();
            let value = match (&value_type, bare) {
                (ValueType::Bool, None) if repetition == super::Repetition::Single => json!("none"),
                // A switch, unless it means "off" when it stands alone.
                (ValueType::Bool, Some(bare)) if bare == "true" => json!("none"),
                (ValueType::Count, _) => json!("none"),
                (_, Some(bare)) => json!({"optional": {"bare": bare}}),
                (_, None) => json!("required"),
            };
            said.insert("value".into(), value);
            said.insert("value_type".into(), plain(&value_type));
            said.insert("repetition".into(), plain(&repetition));
        }
        said.entry("value").or_insert("none".into());
        said.entry("value_type").or_insert("bool".into());
        said.entry("repetition").or_insert("single".into());
        spell_out(&mut said);
        let mut flag: Flag = read(&place, said.into())?;
        let mut written = flag.long.iter().chain(&flag.aliases).chain(&flag.negation);
        if let Some(odd) = written.find(|name| !is_word(name) || name.contains('=')) {
            return Err(DocumentError::at(
                place,
                format!("`{odd}` is no name of a flag"),
            ));
        }
        clean_texts([&mut flag.help, &mut flag.deprecated]);
        Ok(flag)
    }

    fn positional(&mut self, said: Value, command: &str) -> Result<Positional, DocumentError> {
        let name = ["id", "name"].iter().find_map(|key| said[*key].as_str());
        let name = name.unwrap_or_default().to_owned();
        let place = format!("{command}, the argument `{name}`");
        let mut said = object(said);
        if name.is_empty() {
            return Err(DocumentError::at(place, "it has no `name`"));
        }
        self.note_unknown(&place, &said, |keys| &keys.positional);
        said.entry("id").or_insert(name.into());
        if let Some(kind) = said.remove("type") {
            let kind: String = read(&place, kind)?;
            let (value_type, _) = ValueType::named(&kind).unwrap_or_default();
            said.insert("value_type".into(), plain(&value_type));
        }
        spell_out(&mut said);
        let mut positional: Positional = read(&place, said.into())?;
        clean_texts([&mut positional.help, &mut positional.name]);
        Ok(positional)
    }

    fn note_unknown(
        &mut self,
        place: &str,
        said: &Map<String, Value>,
        of: fn(&DocumentKeys) -> &Vec<String>,
    ) {
        let known = of(&self.keys);
        let unknown = said.keys().filter(|key| !known.contains(key));
        let told = unknown.map(|key| format!("`{key}` of {place}"));
        self.unknown.extend(told);
    }
}

/// The shorter ways to say choices, defaults and effects, said in full.
fn spell_out(said: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = said.get_mut("choices") {
        for choice in choices.iter_mut().filter(|choice| choice.is_string()) {
            *choice = json!({"value": choice.take()});
        }
    }
    if let Some(default) = said.get_mut("default") {
        let text = |value: &Value| match value {
            Value::String(text) => text.as_str().into(),
            other => other.to_string().into(),
        };
        *default = match &*default {
            Value::Null => json!([]),
            Value::Array(all) => all.iter().map(text).collect(),
            one => Value::Array(vec![text(one)]),
        };
    }
    if let Some(effect) = said.get_mut("effect").filter(|effect| effect.is_string()) {
        *effect = json!({"any": effect.take()});
    }
}

fn take_list(
    said: &mut Map<String, Value>,
    key: &str,
    place: &str,
) -> Result<Vec<Value>, DocumentError> {
    match said.remove(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(DocumentError::at(place, format!("`{key}` is no list"))),
    }
}

/// Returns true if a name can stand on a command line by itself and be read by people: no space, no control, nothing
/// invisible.
fn is_word(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && !name.contains(char::is_whitespace)
        && clean(name) == name
}

/// Texts as people may see them.
fn clean_texts<const N: usize>(texts: [&mut Option<String>; N]) {
    for text in texts.into_iter().flatten() {
        *text = clean(text).into();
    }
}

/// The rest of a usage line behind so many words.
fn behind(usage: &str, words: usize) -> &str {
    (0..words).fold(usage.trim(), |rest, _| {
        rest.split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start())
    })
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
