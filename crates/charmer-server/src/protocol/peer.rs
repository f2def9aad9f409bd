//! The way to a client: notifications and questions of our own.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{Addressee, Outgoing, Outlet, RequestId, RpcError};

/// A client. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Peer(Arc<PeerShared>);

struct PeerShared {
    outlet: Box<dyn Outlet>,
    questions: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    next: i64,
    open: HashMap<i64, oneshot::Sender<Result<Value, RpcError>>>,
}

/// The client does not read any more.
#[derive(Debug)]
pub(crate) struct Gone;

impl Peer {
    pub(crate) fn new(outlet: impl Outlet + 'static) -> Self {
        Self(Arc::new(PeerShared {
            outlet: Box::new(outlet),
            questions: Mutex::default(),
        }))
    }

    /// Sends a message that nobody waits for.
    pub(crate) fn send(&self, message: Outgoing) {
        drop(self.0.outlet.send(message));
    }

    /// Tells the client something, and waits until that has been written.
    pub(crate) async fn notify(
        &self,
        to: Addressee,
        method: &str,
        params: Option<Value>,
    ) -> Result<(), Gone> {
        let written = self
            .0
            .outlet
            .send(Outgoing::notification(to, method, params));
        match written {
            None => Ok(()),
            Some(written) => match written.await {
                Ok(Ok(())) => Ok(()),
                _ => Err(Gone),
            },
        }
    }

    /// Asks the client something about a request of its own that is under way.
    pub(crate) fn ask(
        &self,
        about: &RequestId,
        method: &str,
        params: Option<Value>,
    ) -> AskedClient {
        let (answer, answered) = oneshot::channel();
        let id = {
            let mut questions = self.questions();
            let id = questions.next;
            questions.next += 1;
            questions.open.insert(id, answer);
            id
        };
        let about = Addressee::About(about.clone());
        self.send(Outgoing::request(about.clone(), id, method, params));
        AskedClient {
            peer: self.clone(),
            about,
            id,
            answered,
        }
    }

    /// Hands over the answer to a question of ours, if it was asked.
    pub(super) fn answered(&self, id: &RequestId, result: Result<Value, RpcError>) {
        let RequestId::Number(id) = id else { return };
        let asked = self.questions().open.remove(id);
        if let Some(asked) = asked {
            // Nobody may wait for it any more.
            let _ = asked.send(result);
        }
    }

    /// Nobody answers any more: whoever waits is told.
    pub(super) fn gone(&self) {
        self.questions().open.clear();
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        let questions = self.0.questions.lock();
        questions.unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that was put to a client. It is forgotten when this is dropped.
pub(crate) struct AskedClient {
    peer: Peer,
    about: Addressee,
    id: i64,
    answered: oneshot::Receiver<Result<Value, RpcError>>,
}

impl AskedClient {
    /// Waits for the answer; `None` if there is none to be had, or the client refuses one.
    pub(crate) async fn answer(&mut self) -> Option<Value> {
        let answered = &mut self.answered;
        answered.await.ok()?.ok()
    }

    /// Takes the question back.
    pub(crate) fn take_back(self, why: &str) {
        let params = json!({"requestId": self.id, "reason": why});
        let about = self.about.clone();
        let taken_back = Outgoing::notification(about, "notifications/cancelled", Some(params));
        self.peer.send(taken_back);
    }
}

impl Drop for AskedClient {
    fn drop(&mut self) {
        self.peer.questions().open.remove(&self.id);
    }
}
