//! Output as data: the keys `structure` and `output`, and what they mean to whatever runs calls.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use charmer_core::{
    model::{Cli, CommandPath},
    output::Format,
    schema::{Converter, Dialect, OutputSchema},
};
use charmer_run::{
    Results,
    layers::{Structure, StructureMode},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{Config, SelectEntry, SourceEntry};

pub(crate) const MODES: &[(&str, StructureMode)] = &[
    ("off", StructureMode::Off),
    ("auto", StructureMode::Auto),
    ("force", StructureMode::Force),
];
pub(crate) const RESULTS: &[(&str, Results)] = &[
    ("auto", Results::Auto),
    ("structured", Results::Structured),
    ("text", Results::Text),
];
pub(crate) const FORMATS: &[(&str, Format)] = &[
    ("json", Format::Json),
    ("json_lines", Format::JsonLines),
    ("yaml", Format::Yaml),
    ("table", Format::Table),
    ("blocks", Format::Blocks),
];
pub(crate) const DIALECTS: &[(&str, Dialect)] =
    &[("portable", Dialect::Portable), ("full", Dialect::Full)];

/// The key `output` of a command: what it prints. At least one of `schema` and `format` is set.
///
/// Output that is declared with a schema is checked: data that is not as the schema says is an error, and what was
/// printed is in it.
///
/// ```
/// # use charmer_config::{Config, SchemaRule};
/// # use charmer_core::output::Format;
/// let text = "
/// sources:
///   - binary: ship
///     override:
///       list:
///         output:
///           format: table
///           field: ships
///           schema:
///             type: array
///             items: {type: object, properties: {NAME: {type: string}}, required: [NAME]}
///       crew show:
///         output: {schema: schemas/crew.json, dialect: full}
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let overrides = &config.sources[0].overrides;
/// let list = overrides["list"].output.as_ref().unwrap();
/// assert_eq!(list.format, Some(Format::Table));
/// let published = list.declared().schema.unwrap();
/// assert_eq!(published.field(), Some("ships"));
/// // A file is read by `Config::load`.
/// let crew = overrides["crew show"].output.as_ref().unwrap();
/// assert!(matches!(&crew.schema, Some(SchemaRule::File { json: None, .. })));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputRules {
    /// The JSON Schema of what a success prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<SchemaRule>,
    /// The way it is printed: as JSON, if there is a schema and nothing else is said.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_format"
    )]
    pub format: Option<Format>,
    /// In which dialect the schema is shown to clients.
    #[serde(skip_serializing_if = "is_portable", serialize_with = "write_dialect")]
    pub dialect: Dialect,
    /// The field that data is put under which is not an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl OutputRules {
    /// The declared output, ready to be published and checked. A schema's file that was not read is none.
    pub fn declared(&self) -> Declared {
        let mut converter = Converter::new().dialect(self.dialect);
        if let Some(field) = &self.field {
            converter = converter.field(field);
        }
        let schema = self.schema.as_ref().and_then(SchemaRule::json);
        Declared {
            format: self.format,
            schema: schema.map(|schema| Arc::new(converter.convert(schema))),
        }
    }
}

/// The key `schema` of an output: a mapping, or the path of a file.
///
/// ```
/// # use charmer_config::{Config, SchemaRule};
/// let text = "sources: [{binary: gh, override: {api: {output: {schema: {type: object}}}}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let output = config.sources[0].overrides["api"].output.as_ref().unwrap();
/// assert!(matches!(output.schema, Some(SchemaRule::Inline(_))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaRule {
    /// The schema itself.
    Inline(Value),
    /// A file that holds it as JSON.
    File {
        /// The file.
        path: PathBuf,
        /// Its content, once it was read.
        json: Option<Value>,
    },
}

impl SchemaRule {
    /// The schema, if it is known.
    pub fn json(&self) -> Option<&Value> {
        match self {
            Self::Inline(schema) => Some(schema),
            Self::File { json, .. } => json.as_ref(),
        }
    }
}

impl Serialize for SchemaRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Inline(schema) => schema.serialize(serializer),
            Self::File { path, .. } => path.serialize(serializer),
        }
    }
}

/// The declared output of a command.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Declared {
    /// The way it is printed.
    pub format: Option<Format>,
    /// Its content.
    pub schema: Option<Arc<OutputSchema>>,
}

impl Declared {
    /// The schema of `data` in what clients are shown.
    pub fn data_schema(&self) -> Option<Value> {
        let schema = self.schema.as_ref()?;
        Some(schema.embedded("/properties/data"))
    }

    /// A layer that goes by it, too.
    #[must_use]
    pub fn add_to(&self, mut structure: Structure) -> Structure {
        if let Some(format) = self.format {
            structure = structure.format(format);
        }
        if let Some(schema) = &self.schema {
            structure = structure.output(Arc::clone(schema));
        }
        structure
    }
}

impl Config {
    /// The layer that reads what a command prints as data. What its selector says goes before what the file says.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let text = "structure: off\nsources: [{binary: gh, select: [{structure: force, max_items: 20}]}]";
    /// let config = Config::parse(text, "charmer.yaml").unwrap();
    /// assert!(config.structure(None).is_idle());
    /// assert!(!config.structure(Some(&config.sources[0].select[0])).is_idle());
    /// ```
    pub fn structure(&self, selector: Option<&SelectEntry>) -> Structure {
        let mode = selector.and_then(|selector| selector.structure);
        let most = selector.and_then(|selector| selector.max_items);
        let structure = Structure::new(mode.or(self.structure).unwrap_or_default());
        match most.or(self.limits.max_items) {
            Some(most) => structure.max_items(most),
            None => structure,
        }
    }
}

impl SourceEntry {
    /// The declared outputs, by command, for a model that the source was [applied](Self::apply) to.
    pub fn outputs(&self, cli: &Cli) -> HashMap<CommandPath, Declared> {
        let resolved = self.resolved(cli, &mut Vec::new()).into_iter();
        let resolved = resolved.map(|(path, _, correction)| (path, correction));
        resolved
            .filter_map(|(path, correction)| Some((path, correction.output.as_ref()?.declared())))
            .collect()
    }
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], value: &T) -> &'static str {
    let mut names = names.iter().filter(|(_, named)| named == value);
    names.next().map_or("", |(name, _)| name)
}

pub(crate) fn write_optional_mode<S: Serializer>(
    mode: &Option<StructureMode>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mode = mode.as_ref().map(|mode| name_of(MODES, mode));
    mode.serialize(serializer)
}

pub(crate) fn write_optional_results<S: Serializer>(
    results: &Option<Results>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let results = results.as_ref().map(|results| name_of(RESULTS, results));
    results.serialize(serializer)
}

fn write_format<S: Serializer>(format: &Option<Format>, serializer: S) -> Result<S::Ok, S::Error> {
    let format = format.as_ref().map(|format| name_of(FORMATS, format));
    format.serialize(serializer)
}

fn write_dialect<S: Serializer>(dialect: &Dialect, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name_of(DIALECTS, dialect))
}

fn is_portable(dialect: &Dialect) -> bool {
    *dialect == Dialect::Portable
}
