//! Requests that were let in, answered: by their session in the legacy era, each by itself in the modern one.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use tokio_util::sync::DropGuard;

use super::{
    HttpShared, SESSION_HEADER,
    caps::{Counted, Place},
    events::{self, StreamEvent},
    headers::{self, Era},
    principal::Principal,
    reply::{self, Inner, Rejection},
    sessions::Session,
};
use crate::{
    inflight::InFlight,
    message::LineRefusal,
    protocol::{
        Addressee, ClientConversation, ClientMessage, ClientRequest, Outgoing, Outlet,
        RequestMethod, Version, Written, code,
    },
    server::ConnectedClient,
};

/// The time after which a client of the legacy era may ask again for a stream that broke off.
const RETRY: Duration = Duration::from_secs(3);
/// An answer that is there so soon goes out by itself; what takes longer opens a stream that can be taken up again.
const SOON: Duration = Duration::from_millis(250);

/// An answer, and the place that its stream has, if it is one.
type Answered = Result<(Response<Inner>, Option<Place>), Rejection>;

/// Whoever makes a request, and the session that it names.
pub(super) struct AskedBy {
    pub(super) principal: Arc<Principal>,
    pub(super) session: Option<Arc<Session>>,
    pub(super) headers: HeaderMap,
}

impl HttpShared {
    /// Answers a request whose method is not POST: a stream of a session, or its end.
    pub(super) fn without_message(&self, method: &Method, by: &AskedBy) -> Answered {
        if headers::era(&by.headers)? == Era::Modern {
            return Err(Rejection::only_post());
        }
        let Some(session) = &by.session else {
            return Err(Rejection::session_wanted());
        };
        if method == Method::DELETE {
            let name = by.headers.get(SESSION_HEADER);
            if let Some(name) = name.and_then(|name| name.to_str().ok()) {
                self.sessions.end(name);
            }
            // Clients take "accepted" for a session that has not ended.
            return Ok((reply::empty(StatusCode::NO_CONTENT), None));
        }
        let place = self.counts.take(Counted::Streams, &by.principal.name)?;
        let last = by.headers.get("last-event-id");
        let (mark, events) = match last.map(|last| last.to_str().unwrap_or_default()) {
            // An error would have a browser ask for the same again and again: what is not known has nothing more to say.
            Some(last) => {
                let rest = session.streams.resume(last);
                (None, rest.unwrap_or_else(|| channel(1).1))
            }
            None => {
                let (mark, events) = session.streams.standalone();
                (
                    session.retry.map(|retry| StreamEvent::mark(mark, retry)),
                    events,
                )
            }
        };
        let open = session.open_stream();
        let first = mark.into_iter().collect();
        let response = events::stream(first, events, self.streams.clone(), open);
        Ok((response, Some(place)))
    }

    /// Answers a message.
    pub(super) async fn with_message(&self, message: ClientMessage, by: AskedBy) -> Answered {
        let era = headers::check(&by.headers, &message)?;
        let request = match (message, era, &by.session) {
            (ClientMessage::Request(request), _, _) => request,
            (message, Era::Legacy, Some(session)) => {
                session.take_in(message);
                return Ok((reply::accepted(), None));
            }
            (ClientMessage::Notification(_), Era::Modern, _) => {
                return Ok((reply::accepted(), None));
            }
            (ClientMessage::Response { .. }, Era::Modern, _) => {
                let message = "nothing was asked that this could answer";
                return Err(Rejection::bad_request(message).code(code::INVALID_REQUEST));
            }
            (_, Era::Legacy, None) => return Err(Rejection::session_wanted()),
        };
        let id = request.id.clone();
        let answered = match (era, &request.asked) {
            (Era::Legacy, RequestMethod::Initialize { version, .. }) if by.session.is_none() => {
                let retry = knows_retry(version);
                self.begin_session(request, retry, &by.principal)
            }
            (Era::Legacy, _) => match &by.session {
                Some(session) => self.in_session(request, session, &by.principal).await,
                None => Err(Rejection::session_wanted()),
            },
            (Era::Modern, _) => self.by_itself(request, &by.principal).await,
        };
        answered.map_err(|rejection| rejection.of(Some(id)))
    }

    fn client(&self, principal: &Principal) -> ConnectedClient {
        let permissions = principal.permissions.clone();
        ConnectedClient::http(Arc::clone(&principal.name), permissions)
    }

    /// Begins a session by a handshake, which is answered at once.
    fn begin_session(
        &self,
        mut request: Box<ClientRequest>,
        retry: Option<Duration>,
        principal: &Principal,
    ) -> Answered {
        let place = self.counts.take(Counted::Sessions, &principal.name)?;
        let calls = self.calls.child_token();
        let handler = self.server.handler(self.client(principal), calls);
        let session = Session::new(handler, Arc::clone(&principal.name), retry, place);
        let session = Arc::new(session);
        let (_, mut events) = session.streams.of_request(&request.id);
        request.in_flight = session.in_flight.enter(&request.id);
        let message = ClientMessage::Request(request);
        session.conversation.accept(message, None::<()>);
        let name = self.sessions.begin(&session);
        let (Ok(answer), Some(name)) = (events.try_recv(), name) else {
            let message = "the session could not be begun";
            return Err(Rejection::new(StatusCode::INTERNAL_SERVER_ERROR, message)
                .code(code::INTERNAL_ERROR));
        };
        let mut response = reply::json_response(StatusCode::OK, answer.into_data());
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(SESSION_HEADER, name);
        }
        Ok((response, None))
    }

    /// Answers a request of a session. Its client may go and come back: the work goes on.
    async fn in_session(
        &self,
        mut request: Box<ClientRequest>,
        session: &Arc<Session>,
        principal: &Principal,
    ) -> Answered {
        let Some(in_flight) = session.in_flight.enter(&request.id) else {
            let refusal = LineRefusal::id_in_use(request.id.clone());
            return Ok((reply::refused(&refusal), None));
        };
        request.in_flight = Some(in_flight);
        let held = self.place_of(&request, principal)?;
        let open = session.open_stream();
        let (mark, mut events) = session.streams.of_request(&request.id);
        let message = ClientMessage::Request(request);
        session.conversation.accept(message, held);
        let first = tokio::time::timeout(SOON, events.recv()).await;
        let first = match first.ok().flatten() {
            Some(event) if event.is_last => {
                let answer = event.into_data();
                return Ok((reply::json_response(StatusCode::OK, answer), None));
            }
            first => first,
        };
        let mark = session.retry.map(|retry| StreamEvent::mark(mark, retry));
        let first = mark.into_iter().chain(first).collect();
        let response = events::stream(first, events, self.streams.clone(), open);
        Ok((response, None))
    }

    /// Answers a request that stands for itself. A client that goes does not want its answer.
    async fn by_itself(&self, mut request: Box<ClientRequest>, principal: &Principal) -> Answered {
        let stream = match &request.asked {
            RequestMethod::Listen(_) => Some(self.counts.take(Counted::Streams, &principal.name)?),
            _ => None,
        };
        let held = self.place_of(&request, principal)?;
        let in_flight = InFlight::default().enter(&request.id);
        let cancelled = in_flight.as_ref().map(|own| own.cancelled());
        let cancelled = cancelled.unwrap_or_default().drop_guard();
        request.in_flight = in_flight;
        let malformed = request.meta.missing().is_some();
        let calls = self.calls.child_token();
        let handler = self.server.handler(self.client(principal), calls);
        let (outlet, mut messages) = unbounded_channel();
        let conversation = ClientConversation::of_request(handler, RequestOutlet(outlet));
        let message = ClientMessage::Request(request);
        Arc::new(conversation).accept(message, held);
        let first = tokio::select! {
            first = messages.recv() => first,
            () = self.streams.cancelled() => None,
        };
        let Some(first) = first else {
            return Err(Rejection::ending());
        };
        if matches!(first.to, Addressee::Answer(_)) {
            let status = status(first.error, malformed);
            cancelled.disarm();
            return Ok((reply::json_response(status, first.json), None));
        }
        let (sender, events) = channel(1);
        let first = vec![StreamEvent::message(first.json, false)];
        tokio::spawn(forward(messages, sender));
        let response = events::stream(first, events, self.streams.clone(), AnswerReader(cancelled));
        Ok((response, stream))
    }

    /// Takes the place of a call.
    fn place_of(
        &self,
        request: &ClientRequest,
        principal: &Principal,
    ) -> Result<Option<Place>, Rejection> {
        match &request.asked {
            RequestMethod::CallTool(_) => {
                Ok(Some(self.counts.take(Counted::Calls, &principal.name)?))
            }
            _ => Ok(None),
        }
    }
}

/// Whoever reads the answer; when it goes, the request is cancelled.
struct AnswerReader(#[expect(dead_code, reason = "its end is what matters")] DropGuard);

/// The end at which the messages of one request go out. Progress is paced and changes are few, so that little waits.
struct RequestOutlet(UnboundedSender<Outgoing>);

impl Outlet for RequestOutlet {
    fn send(&self, message: Outgoing) -> Option<Written> {
        // Its client may have gone.
        let _ = self.0.send(message);
        None
    }
}

/// Makes events of messages until the answer, which is the last.
async fn forward(
    mut messages: UnboundedReceiver<Outgoing>,
    events: tokio::sync::mpsc::Sender<StreamEvent>,
) {
    while let Some(message) = messages.recv().await {
        let last = matches!(message.to, Addressee::Answer(_));
        let sent = events.send(StreamEvent::message(message.json, last)).await;
        if last || sent.is_err() {
            return;
        }
    }
}

/// The status of an answer of the modern era, by the error that it is.
fn status(error: Option<i32>, malformed: bool) -> StatusCode {
    match error {
        Some(code::UNSUPPORTED_VERSION | code::MISSING_CAPABILITY | code::HEADER_MISMATCH) => {
            StatusCode::BAD_REQUEST
        }
        Some(code::INVALID_PARAMS) if malformed => StatusCode::BAD_REQUEST,
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// Tells whether clients of this version expect events that only say how to come back.
fn knows_retry(version: &str) -> Option<Duration> {
    let version = Version::for_handshake(version);
    (version >= Version::RESUMABLE).then_some(RETRY)
}
