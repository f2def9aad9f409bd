//! Tools from the model: names, descriptions, schemas and hints.
//!
//! A [`Tool`] keeps the path and the flags that it came from; its name is never parsed back into a command.

mod annotations;
mod ask;
mod catalogue;
mod compact;
mod description;
mod example;
mod help;
mod input_schema;
mod kind;
mod lean;
mod name;
mod outline;
mod page;
mod pin;
mod property;
mod prose;
mod schema;
mod template;
mod tokens;

pub use annotations::Annotations;
pub use ask::{CompletionLine, completion_line};
pub use catalogue::{BRIDGE_ABOUT, Catalogue, CatalogueOptions, Warning, can_be_tool, catalogue};
pub use compact::{Descriptions, compact, without_common_output};
pub use example::{Example, Placeholder, all_examples, examples, line_words, quoted};
pub use help::Help;
pub use input_schema::InputSchema;
pub use lean::{LEAN_TOKENS, lean};
pub use name::{NAME_LIMIT, NAME_WARNING, ToolName};
pub use outline::{outline, outline_input, outline_line, summary};
pub use page::{choices_of, effect_words, help_page};
pub use pin::{Pin, PinError, PinReach, PinValue, PinnedFlag, Pins};
pub use property::{
    ARGS_KEY, CommandLevel, Convert, FLAGS_KEY, FlagProperty, Input, Layout, PositionalProperty,
    Rules, Validator, WithheldFlag,
};
pub use schema::{DATA_POINTER, output_schema, output_schema_with_data};
pub use template::{
    ADDED_KEY, ARGUMENTS_KEY, CONFIRM_KEY, CommandTemplate, FOLDER_KEY, Part, Template, is_argument,
};
pub use tokens::estimate_tokens;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::model::{CommandPath, Effect, GivenEffect, Shared, Syntax};

/// One command as a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tool {
    /// Its unique name.
    pub name: ToolName,
    /// A title for people; empty if there is none but the name.
    pub title: String,
    /// Its purpose and use, at most 2 KB.
    pub description: String,
    /// The command that it runs.
    pub path: CommandPath,
    /// Its input, property by property.
    pub input: Shared<Input>,
    /// The JSON Schema of its input.
    pub input_schema: InputSchema,
    /// The JSON Schema of its structured result; empty if nothing is said of it.
    pub output_schema: Arc<Map<String, Value>>,
    /// The known facts of its behaviour.
    pub annotations: Annotations,
    /// The way its program reads a command line.
    pub syntax: Syntax,
    /// The place of the selector that let it in.
    pub selector: Option<usize>,
    /// The text of the program's help on it.
    pub help: Help,
    /// Its definition leaves hints out that are as the protocol assumes them to be.
    pub terse: bool,
    /// Its results always have a structured form, as a spell's do: its definition says so even where the schema of
    /// results that are as every other's is left out.
    pub structured: bool,
}

impl Tool {
    /// Returns true if some call of it only reads: its command does, or does so with a flag.
    pub fn can_read(&self) -> bool {
        let lowers = |property: &FlagProperty| {
            let effect = property.flag.effect.as_ref();
            property.flag.previews.is_some() || effect.is_some_and(GivenEffect::may_lower)
        };
        self.help.effect == Effect::Read || self.input.flags.iter().any(lowers)
    }

    /// A tool that comes from no command of a model. Whoever answers its calls checks its input by itself, unless it is
    /// [written by a template](Self::written_by).
    ///
    /// ```
    /// use charmer_core::{model::Hints, tool::{Annotations, Tool, ToolName}};
    /// let name = ToolName::exact("ping").unwrap();
    /// let schema = serde_json::json!({"type": "object", "properties": {}});
    /// let tool = Tool::custom(
    ///     name,
    ///     "Answers",
    ///     schema.as_object().unwrap().clone(),
    ///     Annotations::new(&Hints::reads()),
    /// );
    /// assert_eq!(tool.definition()["name"], "ping");
    /// ```
    pub fn custom(
        name: ToolName,
        description: impl Into<String>,
        input_schema: Map<String, Value>,
        annotations: Annotations,
    ) -> Self {
        let description = description.into();
        Self {
            title: name.as_str().to_owned(),
            path: CommandPath::parse(name.as_str()),
            help: Help::custom(name.as_str(), &description, annotations),
            name,
            description,
            input: Input::none().into(),
            input_schema: input_schema.into(),
            output_schema: Arc::new(output_schema()),
            annotations,
            syntax: Syntax::pflag(),
            selector: None,
            terse: false,
            structured: false,
        }
    }

    /// The same tool, whose command line an author wrote out: its arguments are bound to these positionals, which its
    /// schema shows, and its argv is written by the template and checked against it.
    #[must_use]
    pub fn written_by(
        mut self,
        template: CommandTemplate,
        arguments: Vec<PositionalProperty>,
    ) -> Self {
        self.input.positionals = arguments;
        self.input.template = Some(Arc::new(template));
        let (mut schema, _) = schema::input_schema(&self.input);
        schema.insert("additionalProperties".into(), false.into());
        self.input_schema = schema.into();
        self
    }

    /// The words that call its command, with the program's name; its own name if it comes from no program.
    pub fn words(&self) -> String {
        let program = self.help.program.as_ref();
        if self.input.levels.is_empty() || self.path.is_root() {
            return program.to_owned();
        }
        format!("{program} {}", self.path)
    }

    /// Other words that call its command, with the program's name: other paths that lead to it, and its short names.
    pub fn other_words(&self) -> impl Iterator<Item = String> {
        let program = self.help.program.as_ref();
        let paths = self.help.paths.iter();
        let paths = paths.map(move |path| format!("{program} {path}"));
        let aliases = self.help.aliases.iter().filter_map(move |alias| {
            let (_, parents) = self.path.words().split_last()?;
            let words = std::iter::once(program).chain(parents.iter().map(String::as_str));
            let words: Vec<&str> = words.chain([alias.as_str()]).collect();
            Some(words.join(" "))
        });
        paths.chain(aliases)
    }

    /// The tool as `tools/list` shows it.
    pub fn definition(&self) -> Value {
        let mut definition = json!({"name": self.name.as_str()});
        if !self.title.is_empty() {
            definition["title"] = self.title.as_str().into();
        }
        definition["description"] = self.description.as_str().into();
        definition["inputSchema"] = Value::Object(self.input_schema.copied());
        if !self.output_schema.is_empty() {
            definition["outputSchema"] = Value::Object((*self.output_schema).clone());
        }
        let annotations = self.annotations.told_json(self.terse);
        if annotations
            .as_object()
            .is_some_and(|hints| !hints.is_empty())
        {
            definition["annotations"] = annotations;
        }
        definition
    }
}
