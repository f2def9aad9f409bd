//! The key `server`: what clients are told of the server as a whole.

use serde::Serialize;

/// The key `server`. What is not set comes from what is served: the name and version of the program, or the names of the
/// programs, and Charmer's version, where several are served.
///
/// ```
/// # use charmer_config::Config;
/// let text = "server: {name: cluster, version: '1.4', instructions: Ask before you scale anything down.}";
/// let server = Config::parse(text, "charmer.yaml").unwrap().server;
/// assert_eq!(server.name.as_deref(), Some("cluster"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerRules {
    /// The name of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// A text that assistants are given before they see the tools, ahead of what Charmer says of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}
