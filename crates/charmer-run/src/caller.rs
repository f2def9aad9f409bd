//! Who made a call: whom it belongs to, how it came, and what can be asked of whoever is behind it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{Permissions, folder::Folders};

/// The principal of calls that come from this machine's own user: over standard input and output, or by hand.
pub const LOCAL: &str = "local";

/// The way that a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Transport {
    /// From the program itself, such as `charmer call`.
    #[default]
    Direct,
    /// Over the standard input and output of a server.
    Stdio,
    /// Over HTTP, or a socket that speaks it.
    Http,
}

impl Transport {
    /// Its name in logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// The program that speaks for a caller: the assistant, an editor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// Its name, as it gives it.
    pub name: String,
    /// Its version, as it gives it.
    pub version: String,
    /// It can put a question to the person who uses it.
    pub elicitation: bool,
    /// It can say which folders it works in.
    pub roots: bool,
}

impl Client {
    /// A client of this name and version that can do nothing beyond calling.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            ..Self::default()
        }
    }
}

/// The one who made a call. Outputs that are kept belong to the principal, and nobody reads another's.
///
/// ```
/// use charmer_run::Caller;
/// let caller = Caller::default();
/// assert_eq!(&*caller.principal, "local");
/// assert_ne!(caller.id, Caller::default().id);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Caller {
    /// The name that calls, outputs and limits belong to.
    pub principal: Arc<str>,
    /// The way that the call came in.
    pub transport: Transport,
    /// The client, where there is one.
    pub client: Option<Arc<Client>>,
    /// The folders that it works in.
    pub folders: Folders,
    /// The permissions of its principal.
    pub permissions: Permissions,
    /// The name of this one call, in every log and wherever else it is spoken of.
    pub id: Arc<str>,
}

impl Default for Caller {
    fn default() -> Self {
        Self::new(LOCAL, Transport::Direct)
    }
}

impl Caller {
    /// A caller of this name; each has an id of its own.
    pub fn new(principal: impl Into<Arc<str>>, transport: Transport) -> Self {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        Self {
            principal: principal.into(),
            transport,
            client: None,
            folders: Folders::default(),
            permissions: Permissions::all(),
            // Several servers may share a log.
            id: format!("{}-{number}", std::process::id()).into(),
        }
    }

    /// Sets the folders that it works in.
    #[must_use]
    pub fn folders(mut self, folders: Folders) -> Self {
        self.folders = folders;
        self
    }

    /// Sets what its principal may do.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Sets the client that speaks for it.
    #[must_use]
    pub fn client(mut self, client: Arc<Client>) -> Self {
        self.client = Some(client);
        self
    }
}
