//! The folders that a client says it works in, its *roots*: asked for when the first program is called, and again when the
//! client says that they are others.
//!
//! A client of the legacy era is asked by a request. One of the modern era is asked by the answer to its call, and makes the
//! call again with what it has to say; that is kept as long as the client is connected. A person who has named folders
//! (`--folder`) has the last word: what the client says narrows them, and never widens them.
//!
//! The protocol has deprecated roots without putting anything in their place, and clients have them.

#![expect(deprecated, reason = "clients say by roots where they work")]

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use charmer_run::folder::Folders;
use rmcp::{
    RoleServer,
    model::{
        ClientResult, InputRequest, InputRequiredResult, InputResponses, ListRootsRequest,
        ListRootsResult, ProtocolVersion, ServerRequest,
    },
    service::{PeerRequestOptions, RequestContext},
};
use tokio::sync::Mutex;

use crate::uri;

/// The key of the question in an answer to a call.
const KEY: &str = "charmer_roots";
/// The longest time that a client may take to say its roots. It is a program, and no person is asked.
const PATIENCE: Duration = Duration::from_secs(5);
/// The number of roots that are looked at.
const MOST: usize = 64;

/// The folders of one client, as far as they are known. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots(Arc<Mutex<Option<KnownFolders>>>);

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
        context: &RequestContext<RoleServer>,
        responses: Option<&mut InputResponses>,
    ) -> Result<KnownFolders, InputRequiredResult> {
        let capabilities = context.client_capabilities();
        if capabilities.is_none_or(|all| all.roots.is_none()) {
            return Ok(KnownFolders {
                folders: given.clone(),
                notes: Vec::new(),
            });
        }
        // Held while the client is asked, so that calls which come together ask once.
        let mut known = self.0.lock().await;
        let said = responses.and_then(|responses| responses.remove(KEY));
        if let Some(said) = said {
            *known = Some(understood(given, serde_json::from_value(said).ok()));
        }
        if known.is_none() {
            let modern = context
                .protocol_version()
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
            if modern {
                let request = InputRequest::ListRoots(ListRootsRequest::default());
                let requests = BTreeMap::from([(KEY.to_owned(), request)]);
                return Err(InputRequiredResult::from_input_requests(requests));
            }
            *known = Some(understood(given, ask(context).await));
        }
        let known = known.as_mut().expect("it was just set");
        let now = known.clone();
        known.notes.clear();
        Ok(now)
    }

    /// Forgets what is known: the client says that it has changed.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

/// Asks a client of the legacy era. One that does not answer has none.
async fn ask(context: &RequestContext<RoleServer>) -> Option<ListRootsResult> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let options = PeerRequestOptions::no_options();
    let sent = context.peer.send_request_with_option(request, options);
    let asked = sent.await.ok()?;
    tokio::select! {
        answer = asked.rx => match answer {
            Ok(Ok(ClientResult::ListRootsResult(result))) => Some(result),
            _ => None,
        },
        () = context.ct.cancelled() => None,
        () = tokio::time::sleep(PATIENCE) => None,
    }
}

/// Returns the folders that a client's roots mean where a person gave these.
fn understood(given: &Folders, said: Option<ListRootsResult>) -> KnownFolders {
    let roots = said.map(|said| said.roots).unwrap_or_default();
    let paths = roots.iter().take(MOST);
    let wanted = Folders::new(paths.filter_map(|root| path(&root.uri)));
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
            serde_json::from_value(serde_json::json!({ "roots": roots })).ok()
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
