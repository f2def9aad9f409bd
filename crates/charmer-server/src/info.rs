//! The name, version and instructions of a server.

/// Name, version and instructions of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A title for people.
    pub title: Option<String>,
    /// The instructions for an assistant, to be read before it uses the tools.
    pub instructions: Option<String>,
}

impl ServerInfo {
    /// A server of this name and version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            instructions: None,
        }
    }

    /// Sets a title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Tells assistants what to know before they use the tools.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }
}
