//! The tools as `tools/list` shows them.

use std::{fmt, sync::Arc};

use charmer_core::tool::Tool;
use charmer_run::ToolSet;
use rmcp::model::{self, ToolAnnotations};
use serde::de::IgnoredAny;

/// The list of tools, written down: a client gets these bytes, whether they were made now or at an earlier start.
#[derive(Clone, PartialEq, Eq)]
pub struct Listing(Arc<str>);

impl Listing {
    /// The list of these tools.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::Listing;
    /// assert_eq!(Listing::of(&ToolSet::default()).as_json(), "[]");
    /// ```
    pub fn of(tools: &ToolSet) -> Self {
        let tools: Vec<model::Tool> = tools
            .listed()
            .map(|served| definition(&served.tool))
            .collect();
        let json = serde_json::to_string(&tools).expect("every key is a string");
        Self(json.into())
    }

    /// A list that was kept; `None` if it is not an array on one line.
    pub fn from_json(json: String) -> Option<Self> {
        let whole = !json.contains(['\n', '\r']);
        let array = || serde_json::from_str::<Vec<IgnoredAny>>(&json).is_ok();
        (whole && array()).then(|| Self(json.into()))
    }

    /// The JSON array of the tools, on one line.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// What `tools/list` is answered with: `{"tools": [...]}`, byte for byte as a client gets it.
    ///
    /// ```
    /// use charmer_run::ToolSet;
    /// use charmer_server::Listing;
    /// assert_eq!(Listing::of(&ToolSet::default()).to_answer(), r#"{"tools":[]}"#);
    /// ```
    pub fn to_answer(&self) -> String {
        format!(r#"{{"tools":{}}}"#, self.0)
    }
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listing({} bytes)", self.0.len())
    }
}

fn definition(tool: &Tool) -> model::Tool {
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
