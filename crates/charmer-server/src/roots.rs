//! The folders that a client says it works in, its *roots*: asked for when the first program is called, and again when the
//! client says that they are others.
//!
//! A client of the legacy era is asked by a request. One of the modern era is asked by the answer to its call, and makes the
//! call again with what it has to say; that is kept as long as the client is connected. A person who has named folders
//! (`--folder`) has the last word: what the client says narrows them, and never widens them.
//!
//! The protocol has deprecated roots without putting anything in their place, and clients have them.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use charmer_run::folder::Folders;
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;

use crate::{
    ask::input_required,
    protocol::{RequestContext, RpcAnswer},
    uri,
};

/// The method by which a client says its roots.
const METHOD: &str = "roots/list";
/// The key of the question in an answer to a call.
const KEY: &str = "charmer_roots";
/// The longest time that a client may take to say its roots. It is a program, and no person is asked.
const PATIENCE: Duration = Duration::from_secs(5);
/// The number of roots that are looked at.
const MOST: usize = 64;

/// The folders of one client, as far as they are known. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<RootsShared>);

#[derive(Debug, Default)]
struct RootsShared {
    known: Mutex<Option<KnownFolders>>,
    /// The client says that they are others than it said.
    changed: AtomicBool,
}

/// The facts known about a client's folders.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownFolders {
    /// The folders that its calls may run in.
    pub(crate) folders: Folders,
    /// Notes to be told once, on folders that are not used and on several that are.
    pub(crate) notes: Vec<String>,
}

impl Roots {
    /// The folders that calls of the client may run in, within those that a person gave; or what the client has to be asked
    /// first. Notes are given once.
    pub(crate) async fn of_caller(
        &self,
        given: &Folders,
        context: &RequestContext,
        responses: Option<&mut Map<String, Value>>,
    ) -> Result<KnownFolders, RpcAnswer> {
        if !context.client_has(|client| client.has_roots) {
            return Ok(KnownFolders {
                folders: given.clone(),
                notes: Vec::new(),
            });
        }
        // Held while the client is asked, so that calls which come together ask once.
        let mut known = self.0.known.lock().await;
        if self.0.changed.swap(false, Ordering::Relaxed) {
            *known = None;
        }
        let said = responses.and_then(|responses| responses.shift_remove(KEY));
        if let Some(said) = said {
            *known = Some(understood(given, Some(said)));
        }
        if known.is_none() {
            if context.modern {
                return Err(input_required(KEY, json!({ "method": METHOD }), None));
            }
            *known = Some(understood(given, ask(context).await));
        }
        let known = known.as_mut().expect("it was just set");
        let now = known.clone();
        known.notes.clear();
        Ok(now)
    }

    /// Forgets what is known: the client says that it has changed.
    pub(crate) fn forget(&self) {
        self.0.changed.store(true, Ordering::Relaxed);
    }
}

/// Asks a client of the legacy era. One that does not answer has none.
async fn ask(context: &RequestContext) -> Option<Value> {
    let mut asked = context.peer.ask(&context.id, METHOD, None);
    tokio::select! {
        answer = asked.answer() => answer,
        () = context.cancelled.cancelled() => None,
        () = tokio::time::sleep(PATIENCE) => None,
    }
}

/// Returns the folders that a client's roots mean where a person gave these.
fn understood(given: &Folders, said: Option<Value>) -> KnownFolders {
    let roots = said.as_ref().and_then(|said| said.get("roots")?.as_array());
    let addresses = roots.into_iter().flatten().take(MOST);
    let wanted = Folders::new(addresses.filter_map(|root| path(root.get("uri")?.as_str()?)));
    let (folders, outside) = given.narrowed_to(&wanted);
    let mut notes: Vec<String> = outside
        .iter()
        .map(|folder| {
            format!(
                "this client's folder {} is outside of --folder and not used",
                folder.display()
            )
        })
        .collect();
    // The list of tools is the same for all clients, so nothing else says that there is a choice.
    if wanted.iter().count() > 1 && folders.iter().count() > 1 {
        let shown: Vec<String> = folders
            .iter()
            .map(|folder| folder.display().to_string())
            .collect();
        notes.push(format!(
            "calls run in {}; `folder` beside `command` chooses another of {}",
            shown[0],
            shown.join(", ")
        ));
    }
    KnownFolders { folders, notes }
}

/// The path of a `file` address on this machine.
fn path(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = uri::decoded(rest.starts_with('/').then_some(rest)?)?;
    // `/C:/work` is `C:/work`.
    let drive = path.get(1..3).is_some_and(|drive| drive.ends_with(':'));
    Some(PathBuf::from(match cfg!(windows) && drive {
        true => &path[1..],
        false => &path,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_of_this_machine() {
        let shown = |address| path(address).map(|path| path.to_string_lossy().into_owned());
        assert_eq!(shown("file:///a%20b/c").as_deref(), Some("/a b/c"));
        assert_eq!(shown("file://localhost/a").as_deref(), Some("/a"));
        for other in ["file://elsewhere/a", "https://x/a", "/a", "file:///%zz"] {
            assert_eq!(shown(other), None, "{other}");
        }
    }

    #[test]
    fn a_client_narrows_and_never_widens() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("it is there");
        for name in ["given/inner", "other"] {
            std::fs::create_dir_all(home.join(name)).expect("it can");
        }
        let roots = |names: &[&str]| {
            let roots = names.iter().map(|name| {
                let address = format!("file://{}", home.join(name).display());
                serde_json::json!({ "uri": address })
            });
            let roots: Vec<_> = roots.collect();
            Some(serde_json::json!({ "roots": roots }))
        };
        let shown = |known: &KnownFolders| {
            let folders = known.folders.iter();
            let folders = folders.map(|folder| folder.strip_prefix(&home).expect("within"));
            folders
                .map(|folder| folder.display().to_string())
                .collect::<Vec<_>>()
        };
        let given = Folders::new([home.join("given")]);
        let inner = understood(&given, roots(&["given/inner", "other", "missing"]));
        assert_eq!(shown(&inner), ["given/inner"]);
        assert!(inner.notes[0].contains("other is outside"), "{inner:?}");
        assert_eq!(shown(&understood(&given, roots(&["other"]))), ["given"]);
        assert_eq!(shown(&understood(&given, None)), ["given"]);
        let free = understood(&Folders::default(), roots(&["other", "given"]));
        assert_eq!(shown(&free), ["other", "given"]);
        assert!(
            free.notes[0].contains("`folder` beside `command`"),
            "{free:?}"
        );
    }
}
