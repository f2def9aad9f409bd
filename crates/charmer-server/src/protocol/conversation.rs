//! One client's messages in their order: how it begins, what each era asks of a request, and that every request is answered
//! once, or not at all where it was cancelled.

use std::{
    sync::{Arc, Mutex, MutexGuard, Once, PoisonError},
    time::Duration,
};

use tokio_util::task::TaskTracker;

use super::{
    ClientDetails, ClientMessage, ClientRequest, Notification, Outgoing, Outlet, Peer,
    RequestContext, RequestMeta, RequestMethod, RpcAnswer, RpcError, Version,
};
use crate::{background::Work, handler::ClientHandler};

/// A client and the handler of its requests.
pub(crate) struct ClientConversation {
    handler: ClientHandler,
    peer: Peer,
    began: Mutex<Began>,
    /// A client that says again that it is ready is not told of changes twice.
    ready: Once,
    running: TaskTracker,
}

/// The beginning that a client has made.
#[derive(Debug, Clone, Default)]
enum Began {
    #[default]
    Not,
    /// By a handshake.
    Handshake(Version, Arc<ClientDetails>),
    /// By a request that says everything of itself, as all that follow must.
    Request,
}

/// The facts of a request that follow from the era that it is of.
struct RequestEra {
    modern: bool,
    client: Option<Arc<ClientDetails>>,
}

impl ClientConversation {
    pub(crate) fn new(handler: ClientHandler, outlet: impl Outlet + 'static) -> Self {
        Self {
            handler,
            peer: Peer::new(outlet),
            began: Mutex::default(),
            ready: Once::new(),
            running: TaskTracker::new(),
        }
    }

    /// A conversation of one request of the modern era alone, which has begun by it.
    #[cfg(feature = "http")]
    pub(crate) fn of_request(handler: ClientHandler, outlet: impl Outlet + 'static) -> Self {
        let conversation = Self::new(handler, outlet);
        *conversation.began() = Began::Request;
        conversation
    }

    /// Takes in a message. `held` is what a request holds as long as it is worked on.
    pub(crate) fn accept<H: Send + 'static>(
        self: &Arc<Self>,
        message: ClientMessage,
        held: Option<H>,
    ) {
        match message {
            ClientMessage::Request(request) => self.request(*request, held),
            ClientMessage::Response { id, result } => self.peer.answered(&id, result),
            ClientMessage::Notification(_) if matches!(*self.began(), Began::Not) => {
                tracing::debug!("dropped a notification that came before the first request");
            }
            ClientMessage::Notification(Notification::Initialized) => {
                self.ready
                    .call_once(|| self.handler.tell_of_changes(&self.peer));
            }
            ClientMessage::Notification(Notification::RootsChanged) => self.handler.forget_roots(),
            // Whoever keeps the requests in flight has seen a cancellation.
            ClientMessage::Notification(Notification::Cancelled(_) | Notification::Other) => {}
        }
    }

    fn request<H: Send + 'static>(self: &Arc<Self>, request: ClientRequest, held: Option<H>) {
        let ClientRequest {
            id,
            method,
            asked,
            meta,
            in_flight,
        } = request;
        let cancelled = in_flight.as_ref().map(|own| own.cancelled());
        let cancelled = cancelled.unwrap_or_default();
        let mut pending = Pending {
            conversation: Arc::clone(self),
            request: Some(PendingRequest {
                id: id.clone(),
                in_flight,
            }),
        };
        if let RequestMethod::Initialize { version, client } = &asked {
            let version = Version::for_handshake(version);
            *self.began() = Began::Handshake(version, Arc::clone(client));
            return pending.answer(Ok(self.handler.initialized(version)));
        }
        let era = match self.begin(&asked, &meta) {
            Ok(era) => era,
            Err(error) => return pending.answer(Err(error)),
        };
        // A few are answered before the next message is looked at.
        let answer = match &asked {
            RequestMethod::Discover => Some(Ok(self.handler.discovered())),
            RequestMethod::Ping if era.modern => Some(Err(RpcError::unknown_method(&method))),
            RequestMethod::Ping => Some(Ok(RpcAnswer::empty())),
            RequestMethod::Unknown => Some(Err(RpcError::unknown_method(&method))),
            RequestMethod::Listen(_) if !era.modern => Some(Err(RpcError::unknown_method(&method))),
            _ => None,
        };
        if let Some(answer) = answer {
            return pending.answer(answer);
        }
        let context = RequestContext {
            id,
            cancelled,
            progress: meta.progress,
            modern: era.modern,
            client: era.client,
            peer: self.peer.clone(),
        };
        let lists_tools = matches!(asked, RequestMethod::ListTools { .. });
        let work: Work = Box::pin(async move {
            let _held = held;
            let answer = pending.conversation.handler.handle(asked, &context).await;
            let handler = lists_tools.then(|| pending.conversation.handler.clone());
            pending.answer(answer);
            // What waits for the list to be given does not hold it up.
            if let Some(handler) = handler {
                handler.listed();
            }
        });
        self.running.spawn(work);
    }

    /// Decides which era a request is of, and whether it can come now.
    fn begin(&self, asked: &RequestMethod, meta: &RequestMeta) -> Result<RequestEra, RpcError> {
        let mut began = self.began();
        let says_modern = meta.version.as_deref().is_some_and(Version::names_modern);
        let is_bare_ping = matches!(asked, RequestMethod::Ping) && meta.version.is_none();
        if matches!(*began, Began::Not) && is_bare_ping {
            return Ok(RequestEra {
                modern: false,
                client: None,
            });
        }
        if let Some(asked) = &meta.version
            && Version::known(asked).is_none()
        {
            // What is missing beside an unknown version is not worth a word.
            return Err(RpcError::unsupported_version(asked));
        }
        // A session that began with a handshake knows its client; whoever has not, says everything with each request.
        let session = match &*began {
            Began::Handshake(version, client) if !says_modern => {
                Some((*version, Arc::clone(client)))
            }
            _ => None,
        };
        let is_discover = matches!(asked, RequestMethod::Discover);
        if (session.is_none() || is_discover)
            && let Some(missing) = meta.missing()
        {
            return Err(RpcError::invalid_params(missing));
        }
        // A look at the server begins nothing.
        if matches!(*began, Began::Not) && !is_discover {
            *began = Began::Request;
        }
        let own = meta.client().cloned();
        Ok(match session {
            Some((version, client)) => RequestEra {
                modern: version.is_modern() || is_discover,
                client: Some(own.unwrap_or(client)),
            },
            None => RequestEra {
                modern: true,
                client: own,
            },
        })
    }

    /// Waits until every request has ended, for so long at most. Nobody answers questions any more.
    pub(crate) async fn end(&self, patience: Duration) {
        self.peer.gone();
        self.running.close();
        if tokio::time::timeout(patience, self.running.wait())
            .await
            .is_err()
        {
            tracing::warn!("some requests did not end in time");
        }
    }

    fn began(&self) -> MutexGuard<'_, Began> {
        self.began.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that has to be answered, whatever becomes of the work on it.
struct Pending {
    conversation: Arc<ClientConversation>,
    request: Option<PendingRequest>,
}

struct PendingRequest {
    id: super::RequestId,
    in_flight: Option<crate::inflight::InFlightRequest>,
}

impl Pending {
    fn answer(&mut self, answer: Result<RpcAnswer, RpcError>) {
        let Some(PendingRequest { id, in_flight }) = self.request.take() else {
            return;
        };
        // From here on the id is free, and a cancellation comes too late.
        if in_flight.is_some_and(|own| own.finish().was_cancelled) {
            return;
        }
        self.conversation.peer.send(match answer {
            Ok(answer) => Outgoing::answer(id, &answer),
            Err(error) => Outgoing::error(id, &error),
        });
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let message =
            "the server failed to answer this request: this is a bug; its standard error says more";
        self.answer(Err(RpcError::internal(message)));
    }
}
