//! The tools of a server, each with the path that its calls take.

use std::{collections::HashMap, sync::Arc};

use charmer_core::tool::Tool;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::{Call, CallResult, CallService, Completer, Limits, Redactor, Spool, read_output};

/// A tool and how it is called.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServedTool {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The path that its calls take.
    pub service: CallService,
    /// The limits that its calls begin with.
    pub limits: Limits,
    /// Whether an author's own code is on that path. It may block, so it runs apart from the protocol.
    pub may_block: bool,
    /// What must not be seen in its results.
    pub redactor: Redactor,
    /// When it is listed; always, if it is not set. It can be called before.
    pub listed_from: Option<CancellationToken>,
    /// The program's own completion, where it may be asked.
    pub completer: Option<Completer>,
}

impl ServedTool {
    /// A tool with its call path, which may block.
    pub fn new(tool: Arc<Tool>, service: CallService, limits: Limits) -> Self {
        Self {
            tool,
            service,
            limits,
            may_block: true,
            redactor: Redactor::default(),
            listed_from: None,
            completer: None,
        }
    }

    /// Lets the program itself be asked for completions.
    #[must_use]
    pub fn completed_by(mut self, completer: Completer) -> Self {
        self.completer = Some(completer);
        self
    }

    /// Lists it only when this has been cancelled: until then it would cost an assistant's attention for nothing.
    #[must_use]
    pub fn listed_from(mut self, when: CancellationToken) -> Self {
        self.listed_from = Some(when);
        self
    }

    /// Says that nothing on its call path blocks.
    #[must_use]
    pub fn never_blocks(mut self) -> Self {
        self.may_block = false;
        self
    }

    /// Sets what must not be seen in its results.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Calls it, until the token is cancelled. Must run inside a tokio runtime.
    pub async fn call(&self, input: Map<String, Value>, cancel: CancellationToken) -> CallResult {
        let call = Call::new(Arc::clone(&self.tool), input)
            .limits(self.limits.clone())
            .cancelled_by(cancel);
        let outcome = self.service.clone().call(call).await;
        CallResult::new(&outcome, &self.limits, &self.redactor)
    }
}

/// Tools in a fixed order, found by name.
#[derive(Debug, Clone, Default)]
pub struct ToolSet {
    tools: Vec<ServedTool>,
    places: HashMap<String, usize>,
}

impl ToolSet {
    /// A set of these tools; of two with one name the first stays.
    pub fn new(tools: impl IntoIterator<Item = ServedTool>) -> Self {
        let mut set = Self::default();
        for tool in tools {
            let name = tool.tool.name.as_str().to_owned();
            if let std::collections::hash_map::Entry::Vacant(place) = set.places.entry(name) {
                place.insert(set.tools.len());
                set.tools.push(tool);
            }
        }
        set
    }

    /// Adds the tool that reads cut output, unless a tool of its name is there already. It is listed as soon as there is
    /// something to read.
    #[must_use]
    pub fn with_spool(self, spool: &Spool) -> Self {
        Self::new(self.tools.into_iter().chain([read_output::tool(spool)]))
    }

    /// The tool of a name.
    pub fn get(&self, name: &str) -> Option<&ServedTool> {
        self.places.get(name).map(|&at| &self.tools[at])
    }

    /// The tools that are listed at this moment, in order.
    pub fn listed(&self) -> impl Iterator<Item = &ServedTool> {
        let now = |when: &CancellationToken| when.is_cancelled();
        self.iter()
            .filter(move |served| served.listed_from.as_ref().is_none_or(now))
    }

    /// The tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &ServedTool> {
        self.tools.iter()
    }
}
