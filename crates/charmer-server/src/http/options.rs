//! The settings of an operator: who may come in from where, how much at once, and how long everything may take.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// The settings of a server on HTTP; the defaults are meant for use.
///
/// ```
/// use charmer_server::HttpOptions;
/// let mut options = HttpOptions::default();
/// options.allow_origins.push("https://tools.example".into());
/// assert_eq!(options.max_body, 16 << 20);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The file of tokens by which clients say who they are.
    pub token_file: Option<PathBuf>,
    /// Web origins that may call, beside the server's own on loopback: `https://tools.example`.
    pub allow_origins: Vec<String>,
    /// Names in the header `Host` under which the server is reached, beside loopback and its own address.
    pub allow_hosts: Vec<String>,
    /// The largest body of a request, in bytes.
    pub max_body: usize,
    /// The longest time that the header of a request may take to arrive, from its first byte.
    pub header_timeout: Duration,
    /// The longest time that the body of a request may take to arrive.
    pub body_timeout: Duration,
    /// The longest time that a client may read nothing of what is written to it.
    pub write_timeout: Duration,
    /// The longest time that a connection may wait for its next request.
    pub idle_timeout: Duration,
    /// The time that a session lives that nobody uses.
    pub session_timeout: Duration,
    /// The longest time that running calls may go on when the server is told to end; then they are cancelled.
    pub end_timeout: Duration,
    /// The caps on what there may be at once.
    pub caps: Caps,
    /// The caps on what one principal may have of it.
    pub principal_caps: Caps,
    /// The caps of single principals, by name; `*` is for all who are not named. The lower of these and of what each
    /// principal may have counts.
    pub own_caps: BTreeMap<String, Caps>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            token_file: None,
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            max_body: 16 << 20,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            session_timeout: Duration::from_secs(30 * 60),
            end_timeout: Duration::from_secs(5),
            caps: Caps {
                connections: 4096,
                sessions: 4096,
                streams: 2048,
                calls: 1024,
            },
            principal_caps: Caps {
                connections: 1024,
                sessions: 1024,
                streams: 512,
                calls: 256,
            },
            own_caps: BTreeMap::new(),
        }
    }
}

/// Caps on the number of things at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caps {
    /// Connections.
    pub connections: usize,
    /// Sessions of clients of the legacy era.
    pub sessions: usize,
    /// Streams that are open without a call: for news, not for an answer.
    pub streams: usize,
    /// Calls of tools.
    pub calls: usize,
}
