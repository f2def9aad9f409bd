//! The MCP server: a catalogue of tools, their calls, their help and their examples, over stdio or any other transport,
//! for both eras of the protocol.
//!
//! This is the only crate that knows the protocol; its messages are read, answered and written here.
//!
//! ```no_run
//! use charmer_run::{ToolSet, process::Engine};
//! use charmer_server::{Server, ServerInfo};
//!
//! # async fn serve(tools: ToolSet) -> Result<(), charmer_server::ServeError> {
//! let server = Server::new(ServerInfo::new("git", "2.39"), tools, Engine::default());
//! server.serve_stdio().await
//! # }
//! ```

mod ask;
mod background;
mod base64;
mod completion;
mod handler;
#[cfg(feature = "http")]
mod http;
mod inflight;
mod info;
mod listing;
mod message;
mod pages_and_prompts;
mod pool;
mod process;
mod progress;
#[cfg(feature = "prompts")]
mod prompts;
mod protocol;
mod resources;
mod roots;
mod server;
mod state;
mod stdio;
#[cfg(feature = "jobs")]
mod tasks;
mod tools;
mod uri;

#[cfg(feature = "http")]
pub use http::{Caps, HttpAddress, HttpListener, HttpOptions, ListenError, TokenFileError};
pub use info::ServerInfo;
pub use listing::ToolList;
pub use process::ended_by_signal;
pub use server::{ServeError, Server};
pub use tools::{PrincipalTools, ToolsHandle};
