//! The tools as `tools/list` shows them.

use std::sync::Arc;

use charmer_core::tool::Tool;
use charmer_run::ToolSet;
use rmcp::model::{self, ToolAnnotations};
use serde::Serialize;

#[derive(Serialize)]
struct Listing {
    tools: Vec<model::Tool>,
}

/// The JSON that `tools/list` is answered with: `{"tools": [...]}`, byte for byte as a client gets it.
///
/// ```
/// use charmer_run::ToolSet;
/// assert_eq!(charmer_server::list_json(&ToolSet::default()), r#"{"tools":[]}"#);
/// ```
pub fn list_json(tools: &ToolSet) -> String {
    let tools = tools.listed().map(|served| definition(&served.tool));
    let listing = Listing {
        tools: tools.collect(),
    };
    serde_json::to_string(&listing).expect("every key is a string")
}

pub(crate) fn definition(tool: &Tool) -> model::Tool {
    let hints = tool.annotations;
    let annotations = ToolAnnotations::from_raw(
        None,
        Some(hints.read_only),
        Some(hints.destructive),
        Some(hints.idempotent),
        Some(hints.open_world),
    );
    model::Tool::new(
        tool.name.as_str().to_owned(),
        tool.description.clone(),
        Arc::clone(&tool.input_schema),
    )
    .with_title(tool.title.clone())
    .with_raw_output_schema(Arc::clone(&tool.output_schema))
    .with_annotations(annotations)
}
