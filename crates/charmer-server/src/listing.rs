//! The tools as `tools/list` shows them.

use std::{fmt, sync::Arc};

use charmer_core::tool::Tool;
use charmer_run::ToolSet;
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

/// The list of tools as a client gets it, whether it was made now or kept from an earlier start. Clones share it.
#[derive(Clone, PartialEq)]
pub struct ToolList(Arc<str>);

impl ToolList {
    /// The list of these tools.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::ToolList;
    /// assert_eq!(ToolList::of(&ToolSet::default()).as_json(), "[]");
    /// ```
    pub fn of(tools: &ToolSet) -> Self {
        let listed: Vec<Definition<'_>> = tools
            .listed()
            .map(|served| Definition(served.shown()))
            .collect();
        let json = serde_json::to_string(&listed).expect("every key is a string");
        Self(json.into())
    }

    /// A list that was kept; `None` if it is not an array of tools.
    pub fn from_json(json: &str) -> Option<Self> {
        let listed: Vec<Value> = serde_json::from_str(json).ok()?;
        let is_tool = |tool: &Value| tool["name"].is_string() && tool["inputSchema"].is_object();
        listed.iter().all(is_tool).then(|| Self(json.into()))
    }

    /// The tools as a JSON array on one line.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// The answer to `tools/list`: `{"tools": [...]}`, byte for byte as a client gets it.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::ToolList;
    /// assert_eq!(ToolList::of(&ToolSet::default()).to_answer(), r#"{"tools":[]}"#);
    /// ```
    pub fn to_answer(&self) -> String {
        format!(r#"{{"tools":{}}}"#, self.0)
    }
}

impl fmt::Debug for ToolList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolList({} bytes)", self.0.len())
    }
}

/// A tool as the protocol defines it, written without a copy of its schemas.
struct Definition<'t>(&'t Tool);

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tool = self.0;
        let mut definition = serializer.serialize_map(None)?;
        definition.serialize_entry("name", tool.name.as_str())?;
        if !tool.title.is_empty() {
            definition.serialize_entry("title", &tool.title)?;
        }
        definition.serialize_entry("description", &tool.description)?;
        definition.serialize_entry("inputSchema", &**tool.input_schema.shared())?;
        if !tool.output_schema.is_empty() {
            definition.serialize_entry("outputSchema", &*tool.output_schema)?;
        }
        let hints: serde_json::Map<String, Value> = tool
            .annotations
            .told(tool.terse)
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        if !hints.is_empty() {
            definition.serialize_entry("annotations", &hints)?;
        }
        definition.end()
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Effect, Flag, Syntax},
        tool::{CatalogueOptions, Descriptions, catalogue, compact},
    };

    use super::*;

    #[test]
    fn a_tool_is_listed_as_it_defines_itself() {
        let mut root = Command::new("app").not_runnable();
        for (name, effect) in [
            ("look", Effect::Read),
            ("add", Effect::Write),
            ("do", Effect::Unknown),
        ] {
            let mut command = Command::new(name).about("Does it").flag(Flag::new("all"));
            command.hints.effect = effect;
            root = root.command(command);
        }
        let tools = catalogue(
            &Cli::new(root, Syntax::pflag()),
            &CatalogueOptions::default(),
        )
        .tools;
        let mut hints = Vec::new();
        for descriptions in [Descriptions::Full, Descriptions::Short, Descriptions::None] {
            for tool in &tools {
                let tool = compact(tool, descriptions, false);
                let listed = serde_json::to_string(&Definition(&tool));
                let listed: Value =
                    serde_json::from_str(&listed.expect("it is written")).expect("JSON");
                assert_eq!(listed, tool.definition());
                hints.push(
                    listed["annotations"]
                        .as_object()
                        .map_or(0, serde_json::Map::len),
                );
            }
        }
        assert_eq!(hints, [4, 4, 4, 1, 1, 0, 1, 1, 0]);
    }
}
