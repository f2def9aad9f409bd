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
    /// The time in which the header of a request must arrive.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub header_timeout: Option<Duration>,
    /// The time in which the body of a request must arrive.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub body_timeout: Option<Duration>,
    /// The time after which a client that reads nothing of what is written to it is given up.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub write_timeout: Option<Duration>,
    /// The time that a connection may wait for its next request.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub idle_timeout: Option<Duration>,
    /// The time after which a session ends that nobody uses.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub session_timeout: Option<Duration>,
    /// The time that running calls may go on when the server is told to end.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_optional_duration"
    )]
    pub end_timeout: Option<Duration>,
    /// The caps on what there may be at once.
    #[serde(flatten)]
    pub in_all: HttpCaps,
    /// The caps on what one principal may have of it.
    #[serde(skip_serializing_if = "HttpCaps::is_empty")]
    pub per_principal: HttpCaps,
}

impl HttpRules {
    /// The rules that hold where a file says nothing.
    pub fn defaults() -> Self {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let caps = |[connections, sessions, streams, calls]: [usize; 4]| HttpCaps {
            max_connections: Some(connections),
            max_sessions: Some(sessions),
            max_streams: Some(streams),
            max_calls: Some(calls),
        };
        Self {
            max_body: Some(16 << 20),
            header_timeout: seconds(10),
            body_timeout: seconds(10),
            write_timeout: seconds(30),
            idle_timeout: seconds(75),
            session_timeout: seconds(30 * 60),
            end_timeout: seconds(5),
            in_all: caps([4096, 4096, 2048, 1024]),
            per_principal: caps([1024, 1024, 512, 256]),
            ..Self::default()
        }
    }
}

/// The caps on what there may be at once. What is not set keeps its default.
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
    /// Returns true if nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
