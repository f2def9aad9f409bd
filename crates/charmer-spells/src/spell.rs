//! The types of a spell. Variables are expanded; paths are as they were written.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use charmer_config::{HookRules, OutputRules, SchemaRule, reading::TextRead};
use charmer_core::{
    model::{Effect, Network},
    tool::Template,
};
use charmer_run::layers::{Structure, StructureMode};
use regex_lite::Regex;
use serde_json::{Number, Value};

use crate::parse;

/// The longest time that a spell may run if it does not say.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// The shortest and the longest time that a spell may be given.
pub(crate) const TIMES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));

/// One command with strict rules on how it is run.
///
/// ```
/// use charmer_spells::{Context, Spell};
///
/// let text = "name: hello\ndescription: Says hello\ncommand: echo 'hello there'\npaths: [.]\n";
/// let spell = Spell::parse(text, "hello.yaml", &Context::default()).value.unwrap();
/// assert_eq!(spell.command, ["echo", "hello there"]);
/// assert_eq!(spell.timeout.as_secs(), 30);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Spell {
    /// Its name, which is its file's and its tool's.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The program and the words that always follow it.
    pub command: Vec<String>,
    /// The elements that a caller may add, each as a whole.
    pub flags: Vec<String>,
    /// The folders that it may run in, the first of them by default, and files that it may read besides.
    pub paths: Vec<PathBuf>,
    /// The longest time that it may run.
    pub timeout: Duration,
    /// Its arguments, if it declares them; otherwise a caller may give any, which reach the environment only.
    pub args: Option<Vec<Arg>>,
    /// The elements that follow the command, each filled in from the arguments.
    pub argv: Vec<Template>,
    /// Variables that the program sees.
    pub env: BTreeMap<String, String>,
    /// The text that the program reads from its standard input.
    pub stdin: Option<Template>,
    /// Its effect on the world.
    pub effect: Effect,
    /// A caller must confirm each run.
    pub confirm: bool,
    /// A person must allow each run: `confirm: person`.
    pub confirmed_by_person: bool,
    /// Its author lets a caller's text into code that is evaluated.
    pub shell: bool,
    /// The program is kept to `paths` by the system, if it says so. One that only reads is, if it does not.
    pub confine: Option<bool>,
    /// The network that the program is granted, if it says so; that of this machine otherwise.
    pub network: Option<Network>,
    /// The effort to have its output as data, if it says so.
    pub structure: Option<StructureMode>,
    /// The words that make the program print JSON: they are added where it is asked for, unless a caller chose
    /// another look. There are none if it cannot, or always does.
    pub json: Vec<String>,
    /// The maximum number of items of a list that a caller gets, where output is data, if it says so.
    pub max_items: Option<usize>,
    /// The declaration of its output, if there is one.
    pub output: Option<OutputRules>,
    /// The programs that are asked about its runs. Relative paths of theirs start in the folder that holds `spells/`.
    pub hooks: HookRules,
}

impl Spell {
    /// Reads a spell's text; `file` is the name that mistakes are shown with. There is a value only if there are no
    /// mistakes.
    pub fn parse(text: &str, file: &str, context: &Context<'_>) -> TextRead<Self> {
        parse::spell(text, file, context)
    }

    /// Returns true if it can run anywhere at all.
    pub(crate) fn can_run(&self) -> bool {
        !self.paths.is_empty()
    }

    /// The file that its output's schema stands in, as it was read.
    pub(crate) fn schema_file(&self) -> Option<&Value> {
        match self.output.as_ref()?.schema.as_ref()? {
            SchemaRule::File { json, .. } => json.as_ref(),
            _ => None,
        }
    }

    /// The way its output is read: as it says, and as others do where it says nothing.
    pub(crate) fn structure(&self, others: &Structure) -> Structure {
        let mut structure = others.clone();
        if let Some(mode) = self.structure {
            structure = structure.mode(mode);
        }
        if let Some(most) = self.max_items {
            structure = structure.max_items(most);
        }
        structure
    }

    /// A declared argument.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().flatten().find(|arg| arg.name == name)
    }
}

/// The surroundings of a spell's text while it is read.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Context<'c> {
    /// The name that it must have: its file's, without the ending.
    pub stem: Option<&'c str>,
    /// The variables that `${NAME}` stands for.
    pub variables: Option<&'c charmer_run::process::Environment>,
    /// Names that other tools have.
    pub reserved: &'c [String],
    /// The folder that holds `spells/`: relative paths start there. With it, the schema of an output is read that
    /// stands in a file of its own.
    pub folder: Option<&'c Path>,
}

impl<'c> Context<'c> {
    /// Sets the name that the spell must have.
    #[must_use]
    pub fn stem(mut self, stem: &'c str) -> Self {
        self.stem = Some(stem);
        self
    }

    /// Sets the variables that `${NAME}` stands for.
    #[must_use]
    pub fn variables(mut self, variables: &'c charmer_run::process::Environment) -> Self {
        self.variables = Some(variables);
        self
    }

    /// Sets the names that other tools have.
    #[must_use]
    pub(crate) fn reserved(mut self, names: &'c [String]) -> Self {
        self.reserved = names;
        self
    }

    /// Sets the folder that holds `spells/`.
    #[must_use]
    pub fn folder(mut self, folder: &'c Path) -> Self {
        self.folder = Some(folder);
        self
    }
}

/// A declared argument.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Arg {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: ArgType,
    /// It must be given.
    pub required: bool,
    /// The value that it has if it is not given.
    pub default: Option<Value>,
    /// The only values that it can have; any, if there are none.
    pub choices: Vec<String>,
    /// The pattern that the whole of a value must match.
    pub pattern: Option<ArgPattern>,
    /// The least number that it can be.
    pub min: Option<Number>,
    /// The greatest number that it can be.
    pub max: Option<Number>,
    /// Its author lets any text stand wherever it is put.
    pub free: bool,
    /// Its purpose.
    pub description: String,
}

impl Arg {
    /// Returns true if a caller decides its text: it is no number, no switch and no choice.
    pub(crate) fn is_free(&self) -> bool {
        self.choices.is_empty()
            && !matches!(
                self.kind,
                ArgType::Integer | ArgType::Number | ArgType::Boolean
            )
    }

    /// Returns true if nothing is known of its text: it has no pattern either, and is no path, which leads to a
    /// permitted folder.
    pub(crate) fn is_unbounded(&self) -> bool {
        self.is_free() && self.pattern.is_none() && self.kind != ArgType::Path
    }

    /// The variable that holds its value.
    pub fn variable(&self) -> String {
        crate::environment::variable(&self.name)
    }
}

/// A regular expression for the whole of a value.
#[derive(Debug, Clone)]
pub struct ArgPattern {
    pub(crate) text: String,
    pub(crate) whole: Regex,
}

impl ArgPattern {
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        // Alone first: `)|(` must not become valid by what is put around it.
        Regex::new(text)
            .and_then(|_| Regex::new(&format!("^(?:{text})$")))
            .map(|whole| Self {
                text: text.to_owned(),
                whole,
            })
            .map_err(|error| error.to_string())
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// The type of the values of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// A file or folder beneath one of the spell's `paths`.
    Path,
    /// A list, as JSON in the environment.
    Array,
    /// An object, as JSON in the environment.
    Object,
}

impl ArgType {
    pub(crate) const NAMES: &[(&str, Self)] = &[
        ("string", Self::String),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("boolean", Self::Boolean),
        ("path", Self::Path),
        ("array", Self::Array),
        ("object", Self::Object),
    ];

    /// Returns true if its values are numbers.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }

    /// Returns true if it is one value, which can be part of a command line.
    pub(crate) fn is_simple(self) -> bool {
        !matches!(self, Self::Array | Self::Object)
    }
}
