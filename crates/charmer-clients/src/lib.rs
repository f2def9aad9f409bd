//! The configuration files of AI assistants: where they are, what a server looks like in each of them, and edits that
//! keep every byte that is somebody else's.
//!
//! A [`KnownClient`] is a row of one table. Its [`file`](KnownClient::file) on a [`Machine`] is read as a [`ClientFile`], which
//! makes a [`Change`]; nothing is written before [`Change::write`]. Nothing here reads the environment or prints:
//! whatever is to be known of the machine is passed in.
//!
//! ```
//! use charmer_clients::{KnownClient, ClientFile, Machine, Platform, Scope, ServerEntry};
//!
//! let home = tempfile::tempdir()?;
//! let machine = Machine::new(Platform::Linux, home.path());
//! let client = KnownClient::find("cursor")?;
//! let path = client.file(Scope::User, &machine, home.path())?;
//! assert!(path.ends_with(".cursor/mcp.json"));
//!
//! let entry = ServerEntry::new("git", "/usr/bin/charmer").args(["serve", "git"]);
//! let change = ClientFile::read(client, Scope::User, &path)?.add(&entry)?;
//! println!("{}", change.diff());
//! change.write()?;
//!
//! let file = ClientFile::read(client, Scope::User, &path)?;
//! assert_eq!(file.entry("git"), Some(entry));
//! // Nothing but the entry was in the file, so it goes again.
//! file.remove("git")?.write()?;
//! assert!(!path.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! - An edit inserts, replaces or removes the text of one entry; all other bytes stay: comments, order, trailing commas,
//!   line ends, a byte-order mark, duplicate keys, anchors.
//! - Adding an entry that is there changes nothing. One of the same name that says something else has its value replaced.
//! - Removing an entry that was added gives back the bytes that were there before. This needs no record on the side: an
//!   entry is laid out so that the removal can tell a list of servers that came with it from an empty one that
//!   was there already, and each addition is undone as a trial before it is handed out.
//! - A file that was made for the entry is deleted with it, if nothing else came into it. Folders that were made for it stay.
//! - A file that cannot be understood is left as it is; the error shows the place.

mod change;
mod client;
mod error;
mod file;
mod flow;
mod json;
mod layout;
mod link;
mod machine;
mod place;
mod register;
mod shape;
mod table;
mod toml;
mod write;
mod yaml;

pub use change::Change;
pub use client::{FileLanguage, KnownClient, Location, Scope, ScopeError, UnknownClient};
pub use error::FileError;
pub use file::ClientFile;
pub use machine::{Machine, Platform};
pub use register::{Chosen, RegisterError, Registered, Registrar, Registration};
pub use shape::ServerEntry;
pub use write::Written;
