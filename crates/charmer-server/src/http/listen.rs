//! Where a server listens: an address of this machine, or a socket with a path.

use std::{
    fmt, io,
    net::{SocketAddr, TcpListener as StdTcpListener, ToSocketAddrs},
    path::PathBuf,
    str::FromStr,
};

use thiserror::Error;

use super::{
    HttpOptions,
    guard::PATH,
    tokens::{TokenFileError, Tokens},
};

/// An address to listen on, as it is written: `127.0.0.1:8765`, `[::1]:0`, `unix:/run/charmer.sock`.
///
/// ```
/// use charmer_server::HttpAddress;
/// assert!("127.0.0.1:0".parse::<HttpAddress>().is_ok());
/// assert!("8765".parse::<HttpAddress>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpAddress {
    /// A host and a port; with port 0, any that is free.
    Tcp(String),
    /// The path of a socket.
    Unix(PathBuf),
}

impl FromStr for HttpAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return match path.is_empty() {
                true => Err("a path belongs behind `unix:`".into()),
                false => Ok(Self::Unix(path.into())),
            };
        }
        let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        match port.map(|(_, port)| port.parse::<u16>()) {
            Some(Ok(_)) => Ok(Self::Tcp(text.into())),
            _ => Err("expected an address and a port, as in 127.0.0.1:8765, or unix:PATH".into()),
        }
    }
}

impl fmt::Display for HttpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// The reason why a server cannot listen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The system does not let it.
    #[error("failed to listen on {address}: {error}")]
    Failed {
        /// The address.
        address: HttpAddress,
        /// The failure, as a sentence.
        error: io::Error,
    },
    /// Anybody could come in.
    #[error(
        "{0} can be reached from other machines, and nobody would have to say who they are; \
         give a file of tokens with --token-file, or listen on 127.0.0.1"
    )]
    Unprotected(HttpAddress),
    /// Nobody could be recognized by a token.
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
}

/// A place where clients come in. Nobody has been let in yet.
#[derive(Debug)]
pub struct HttpListener {
    address: HttpAddress,
    pub(super) kind: ListenerKind,
    pub(super) tokens: Option<Tokens>,
}

#[derive(Debug)]
pub(super) enum ListenerKind {
    Tcp(StdTcpListener, SocketAddr),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener, SocketPath),
}

impl HttpListener {
    /// Listens there, on these terms.
    ///
    /// ```
    /// use charmer_server::HttpListener;
    /// use charmer_server::HttpOptions;
    /// let options = HttpOptions::default();
    /// let listener = HttpListener::bind(&"127.0.0.1:0".parse().unwrap(), &options).unwrap();
    /// assert!(listener.url().ends_with("/mcp"));
    /// // Others could come in, and nobody would know who they are.
    /// assert!(HttpListener::bind(&"0.0.0.0:0".parse().unwrap(), &options).is_err());
    /// ```
    pub fn bind(address: &HttpAddress, options: &HttpOptions) -> Result<Self, ListenError> {
        let tokens = options
            .token_file
            .as_deref()
            .map(Tokens::load)
            .transpose()?;
        let kind = match address {
            HttpAddress::Tcp(address) => tcp(address),
            HttpAddress::Unix(path) => unix(path),
        };
        let kind = kind.map_err(|error| ListenError::Failed {
            address: address.clone(),
            error,
        })?;
        let listener = Self {
            address: address.clone(),
            kind,
            tokens,
        };
        listener.check_protected()?;
        Ok(listener)
    }

    /// The address that clients are told: a URL, or the path of its socket.
    pub fn url(&self) -> String {
        match &self.kind {
            ListenerKind::Tcp(_, local) => format!("http://{local}{PATH}"),
            #[cfg(unix)]
            ListenerKind::Unix(..) => self.address.to_string(),
        }
    }

    /// Returns true if other machines can reach it.
    pub fn is_reachable(&self) -> bool {
        match &self.kind {
            ListenerKind::Tcp(_, local) => !local.ip().is_loopback(),
            #[cfg(unix)]
            ListenerKind::Unix(..) => false,
        }
    }

    /// The names in its file of tokens, as it is now.
    pub fn principals(&self) -> Vec<std::sync::Arc<str>> {
        let tokens = self.tokens.as_ref();
        tokens.map(Tokens::names).unwrap_or_default()
    }

    /// Refuses to let anybody in whom nobody knows, where others than this machine's own can come.
    fn check_protected(&self) -> Result<(), ListenError> {
        match self.tokens.is_none() && self.is_reachable() {
            true => Err(ListenError::Unprotected(self.address.clone())),
            false => Ok(()),
        }
    }
}

fn tcp(address: &str) -> io::Result<ListenerKind> {
    let mut last = None;
    for address in address.to_socket_addrs()? {
        match StdTcpListener::bind(address) {
            Ok(listener) => {
                listener.set_nonblocking(true)?;
                let local = listener.local_addr()?;
                return Ok(ListenerKind::Tcp(listener, local));
            }
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such host")))
}

/// The path of a socket, which is removed at the end.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct SocketPath(PathBuf);

#[cfg(unix)]
impl Drop for SocketPath {
    fn drop(&mut self) {
        // It is gone already where that fails.
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(unix)]
fn unix(path: &std::path::Path) -> io::Result<ListenerKind> {
    use rustix::{fs::Mode, process::umask};
    use std::os::unix::{
        fs::{FileTypeExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    };

    match std::fs::symlink_metadata(path) {
        Ok(there) if there.file_type().is_socket() => {
            if UnixStream::connect(path).is_ok() {
                let message = "another server listens there";
                return Err(io::Error::new(io::ErrorKind::AddrInUse, message));
            }
            // Left behind by a server that was killed.
            std::fs::remove_file(path)?;
        }
        Ok(_) => {
            let message = "there is something that is no socket";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // Nobody else may connect, not even for the moment before its mode is set.
    let usual = umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    umask(usual);
    let listener = bound?;
    let path = SocketPath(path.to_path_buf());
    std::fs::set_permissions(&path.0, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(ListenerKind::Unix(listener, path))
}

#[cfg(not(unix))]
fn unix(_: &std::path::Path) -> io::Result<ListenerKind> {
    let message = "this system has no sockets with paths that a server could check";
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}
