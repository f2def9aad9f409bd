//! The key `http`: on which terms clients come in over HTTP.

use std::time::Duration;

use serde::Serialize;

use crate::units::write_optional_duration;

/// The key `http`, for `charmer serve --http`. What is not set keeps its default.
///
/// ```
/// # use charmer_config::Config;
/// let text = "
/// http:
///   allow_origins: ['https://tools.example']
///   allow_hosts: [tools.example]
///   max_body: 1MiB
///   session_timeout: 10m
///   max_calls: 100
///   per_principal: {max_calls: 10}
/// ";
/// let http = Config::parse(text, "charmer.yaml").unwrap().http;
/// assert_eq!(http.per_principal.max_calls, Some(10));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HttpRules {
    /// Web origins whose pages may call, beside the server's own on loopback.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_origins: Vec<String>,
    /// Names under which the server is reached, beside loopback and its own address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow_hosts: Vec<String>,
    /// Those who come from other machines may all use the credentials that the server itself has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared_credentials: bool,
    /// The largest body of a request, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_body: Option<u64>,
    /// How long the header of a request may take to arrive.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub header_timeout: Option<Duration>,
    /// How long the body of a request may take to arrive.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub body_timeout: Option<Duration>,
    /// How long a client may read nothing of what is written to it.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub write_timeout: Option<Duration>,
    /// How long a connection may wait for its next request.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub idle_timeout: Option<Duration>,
    /// How long a session lives that nobody uses.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub session_timeout: Option<Duration>,
    /// How long running calls may go on when the server is told to end.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub end_timeout: Option<Duration>,
    /// How much there may be at once.
    #[serde(flatten)]
    pub in_all: HttpCaps,
    /// How much of it one principal may have.
    #[serde(skip_serializing_if = "HttpCaps::is_empty")]
    pub per_principal: HttpCaps,
}

/// How much there may be at once. What is not set keeps its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HttpCaps {
    /// Connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_connections: Option<usize>,
    /// Sessions of clients of the legacy era.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sessions: Option<usize>,
    /// Streams that are open for news.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_streams: Option<usize>,
    /// Calls of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_calls: Option<usize>,
}

impl HttpCaps {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
