//! The tools as `tools/list` shows them.

use std::{fmt, sync::Arc};

use charmer_core::tool::Tool;
use charmer_run::ToolSet;
use rmcp::model::{self, ToolAnnotations};

/// The list of tools as a client gets it, whether it was made now or kept from an earlier start. Clones share it.
#[derive(Clone, PartialEq)]
pub struct ToolList(Arc<[model::Tool]>);

impl ToolList {
    /// The list of these tools.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::ToolList;
    /// assert_eq!(ToolList::of(&ToolSet::default()).to_json(), "[]");
    /// ```
    pub fn of(tools: &ToolSet) -> Self {
        let listed = tools.listed();
        Self(listed.map(|served| definition(served.shown())).collect())
    }

    /// A list that was kept; `None` if it is not an array of tools.
    pub fn from_json(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok().map(Self)
    }

    /// The tools as a JSON array on one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("every key is a string")
    }

    /// The answer to `tools/list`: `{"tools": [...]}`, byte for byte as a client gets it.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::ToolList;
    /// assert_eq!(ToolList::of(&ToolSet::default()).to_answer(), r#"{"tools":[]}"#);
    /// ```
    pub fn to_answer(&self) -> String {
        format!(r#"{{"tools":{}}}"#, self.to_json())
    }

    /// The tools, whose schemas are shared.
    pub(crate) fn to_tools(&self) -> Vec<model::Tool> {
        self.0.to_vec()
    }

    /// The tool of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&model::Tool> {
        self.0.iter().find(|tool| tool.name == name)
    }
}

impl fmt::Debug for ToolList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolList({} tools)", self.0.len())
    }
}

/// A tool as the protocol defines it.
pub(crate) fn definition(tool: &Tool) -> model::Tool {
    let told = |name: &str| {
        let mut told = tool.annotations.told(tool.terse);
        told.find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    };
    let mut listed = model::Tool::new(
        tool.name.as_str().to_owned(),
        tool.description.clone(),
        Arc::clone(tool.input_schema.shared()),
    );
    if !tool.title.is_empty() {
        listed = listed.with_title(tool.title.clone());
    }
    if !tool.output_schema.is_empty() {
        listed = listed.with_raw_output_schema(Arc::clone(&tool.output_schema));
    }
    if tool.annotations.told(tool.terse).next().is_some() {
        listed = listed.with_annotations(ToolAnnotations::from_raw(
            None,
            told("readOnlyHint"),
            told("destructiveHint"),
            told("idempotentHint"),
            told("openWorldHint"),
        ));
    }
    listed
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
                let listed =
                    serde_json::to_value(definition(&tool)).expect("every key is a string");
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
