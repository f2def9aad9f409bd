//! The network that a program may reach beyond its own process.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The network that a program is granted. Where none is granted or refused, it is *assumed*: an `Option` of this is `None`.
///
/// ```
/// use charmer_core::model::Network;
/// assert_eq!(serde_json::to_value(Network::Socket).unwrap(), "socket");
/// assert_eq!(Network::None.to_string(), "none");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing: no address and no daemon of this machine.
    None,
    /// TCP connections, with the lookup of names.
    Tcp,
    /// Sockets of daemons on this machine, as a container engine has one.
    Socket,
    /// Everything.
    All,
}

impl Network {
    /// All of them with the words that people write for them.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("none", Self::None),
        ("tcp", Self::Tcp),
        ("socket", Self::Socket),
        ("all", Self::All),
    ];

    /// The word that people write for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tcp => "tcp",
            Self::Socket => "socket",
            Self::All => "all",
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
