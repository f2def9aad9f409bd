//! The streams of one session: the one that a message goes out on, and the events that are kept for a client that comes back.
//!
//! rmcp has a session of its own, in which four channels hold room for 32 messages each: 64 KiB for a client that says nothing.
//! Here a message goes straight to its stream, so that a session that nobody uses costs next to nothing.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rmcp::{
    model::{
        ClientJsonRpcMessage, GetExtensions as _, GetMeta as _, ProgressToken, RequestId,
        ServerJsonRpcMessage, ServerNotification,
    },
    service::OriginatingRequestId,
    transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::sync::{
    mpsc::{Receiver, Sender, channel},
    oneshot,
};

/// The number of events that are kept of a stream.
const KEPT: usize = 32;
/// The number of events that may wait for a client: one that is further behind must come back and ask for the rest.
const BEHIND: usize = 1024;
/// The time for which the answer is kept that a client was not there to take.
const LATE: Duration = Duration::from_secs(60);
/// The number of such answers.
const MOST_LATE: usize = 8;
/// The number of standalone streams of one session.
const MOST_STANDALONE: usize = 32;

/// The number of a stream that belongs to a request.
type StreamNumber = u64;

/// The streams of a session. Clones share them.
#[derive(Clone, Default)]
pub(super) struct SessionStreams(Arc<Mutex<Routes>>);

#[derive(Default)]
struct Routes {
    /// The answer to the first request, which has no stream.
    initialized: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    next: StreamNumber,
    requests: HashMap<RequestId, StreamNumber>,
    /// The tokens of requests that asked for progress.
    tokens: Vec<(ProgressToken, StreamNumber)>,
    open: HashMap<StreamNumber, EventStream>,
    /// The stream of what belongs to no request.
    common: EventStream,
    /// Further standalone streams: they only stay open.
    silent: Vec<Sender<ServerSseMessage>>,
}

/// One stream: its reader, if there is one, and its last events.
#[derive(Default)]
struct EventStream {
    reader: Option<Sender<ServerSseMessage>>,
    number: Option<StreamNumber>,
    next: usize,
    kept: VecDeque<(usize, ServerSseMessage)>,
    /// The number of the first event that no reader was there for.
    missed: Option<usize>,
    ended: Option<Instant>,
}

impl EventStream {
    fn is_read(&self) -> bool {
        let reader = self.reader.as_ref();
        reader.is_some_and(|reader| !reader.is_closed())
    }

    fn send(&mut self, mut event: ServerSseMessage) {
        let index = self.next;
        self.next += 1;
        event.event_id = Some(match self.number {
            Some(number) => format!("{index}/{number}"),
            None => index.to_string(),
        });
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back((index, event.clone()));
        let reader = self.reader.as_ref();
        let sent = reader.is_some_and(|reader| reader.try_send(event).is_ok());
        if !sent {
            self.reader = None;
            self.missed.get_or_insert(index);
        }
    }

    /// A new reader, with the events from this number on.
    fn read_from(&mut self, index: usize) -> Receiver<ServerSseMessage> {
        let (reader, events) = channel(BEHIND);
        for (_, event) in self.kept.iter().filter(|(at, _)| *at >= index) {
            let _ = reader.try_send(event.clone());
        }
        self.missed = None;
        // What is at its end is read to there.
        self.reader = self.ended.is_none().then_some(reader);
        events
    }
}

impl SessionStreams {
    /// Waits for the answer to the first request, which is not on any stream.
    pub(super) fn initialize(&self) -> oneshot::Receiver<ServerJsonRpcMessage> {
        let (answer, answered) = oneshot::channel();
        self.lock().initialized = Some(answer);
        answered
    }

    /// A stream for a request. `retry` tells a client that knows what it means when to come back.
    pub(super) fn of_request(
        &self,
        message: &ClientJsonRpcMessage,
        retry: Option<Duration>,
    ) -> Receiver<ServerSseMessage> {
        let mut routes = self.lock();
        routes.forget_late();
        let number = routes.next;
        routes.next += 1;
        let mut stream = EventStream {
            number: Some(number),
            ..EventStream::default()
        };
        let events = stream.read_from(0);
        if let Some(retry) = retry {
            stream.send(ServerSseMessage::retry(retry));
        }
        routes.open.insert(number, stream);
        if let ClientJsonRpcMessage::Request(request) = message {
            routes.requests.insert(request.id.clone(), number);
            if let Some(token) = request.request.get_meta().get_progress_token() {
                routes.tokens.push((token.clone(), number));
            }
        }
        events
    }

    /// A stream for what belongs to no request, with what was sent while nobody read.
    pub(super) fn standalone(&self) -> Receiver<ServerSseMessage> {
        let mut routes = self.lock();
        let missed = routes.common.missed.unwrap_or(usize::MAX);
        routes.standalone_from(missed)
    }

    /// The rest of a stream behind the event of this id; nothing, where it is not known.
    pub(super) fn resume(&self, last: &str) -> Option<Receiver<ServerSseMessage>> {
        let (index, number) = match last.split_once('/') {
            Some((index, number)) => (index, Some(number.parse::<StreamNumber>().ok()?)),
            None => (last, None),
        };
        let behind = index.parse::<usize>().ok()?.checked_add(1)?;
        let mut routes = self.lock();
        routes.forget_late();
        match number {
            Some(number) => Some(routes.open.get_mut(&number)?.read_from(behind)),
            None => Some(routes.standalone_from(behind)),
        }
    }

    /// The client does not want the answer to a request any more.
    pub(super) fn cancelled(&self, request: &RequestId) {
        let mut routes = self.lock();
        if let Some(number) = routes.requests.get(request).copied() {
            routes.end(number);
        }
    }

    /// Sends a message on the stream that it belongs to.
    pub(super) fn send(&self, message: ServerJsonRpcMessage) {
        let mut routes = self.lock();
        let (number, ends) = routes.of(&message);
        if ends && let Some(answer) = routes.initialized.take() {
            let _ = answer.send(message);
            return;
        }
        let stream = match number.and_then(|number| routes.open.get_mut(&number)) {
            Some(stream) => stream,
            // Nobody waits for such an answer any more.
            None if ends => return,
            None => &mut routes.common,
        };
        stream.send(ServerSseMessage::from_message(message));
        if let Some(number) = number.filter(|_| ends) {
            routes.end(number);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Routes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Routes {
    /// The stream of a message, if it belongs to a request, and whether it is the last on it.
    fn of(&self, message: &ServerJsonRpcMessage) -> (Option<StreamNumber>, bool) {
        let of_request = |id: &RequestId| self.requests.get(id).copied();
        match message {
            ServerJsonRpcMessage::Request(request) => {
                let from = request.request.extensions().get::<OriginatingRequestId>();
                (from.and_then(|from| of_request(&from.0)), false)
            }
            ServerJsonRpcMessage::Notification(notification) => {
                let number = match &notification.notification {
                    ServerNotification::ProgressNotification(progress) => {
                        let token = &progress.params.progress_token;
                        let known = self.tokens.iter().find(|(known, _)| known == token);
                        known.map(|(_, number)| *number)
                    }
                    ServerNotification::CancelledNotification(cancelled) => {
                        cancelled.params.request_id.as_ref().and_then(of_request)
                    }
                    _ => None,
                };
                (number, false)
            }
            ServerJsonRpcMessage::Response(response) => (of_request(&response.id), true),
            ServerJsonRpcMessage::Error(error) => (error.id.as_ref().and_then(of_request), true),
        }
    }

    /// Ends a stream. What nobody was there to read is kept for a while.
    fn end(&mut self, number: StreamNumber) {
        self.requests.retain(|_, one| *one != number);
        self.tokens.retain(|(_, one)| *one != number);
        let Some(stream) = self.open.get_mut(&number) else {
            return;
        };
        if stream.is_read() || stream.missed.is_none() {
            self.open.remove(&number);
            return;
        }
        stream.reader = None;
        stream.ended = Some(Instant::now());
        self.forget_late();
    }

    /// Forgets answers that nobody has come back for.
    fn forget_late(&mut self) {
        self.open
            .retain(|_, stream| stream.ended.is_none_or(|at| at.elapsed() < LATE));
        let mut ended: Vec<StreamNumber> = self
            .open
            .iter()
            .filter(|(_, stream)| stream.ended.is_some())
            .map(|(number, _)| *number)
            .collect();
        ended.sort_unstable();
        let most = ended.len().saturating_sub(MOST_LATE);
        for number in &ended[..most] {
            self.open.remove(number);
        }
    }

    fn standalone_from(&mut self, index: usize) -> Receiver<ServerSseMessage> {
        if !self.common.is_read() {
            return self.common.read_from(index);
        }
        // The first one gets what there is; others are kept open, so that their clients do not come again and again.
        self.silent.retain(|reader| !reader.is_closed());
        if self.silent.len() == MOST_STANDALONE {
            self.silent.remove(0);
        }
        let (reader, events) = channel(BEHIND);
        self.silent.push(reader);
        events
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, ServerResult};
    use serde_json::{Value, json};

    use super::*;

    fn request(id: i64) -> ClientJsonRpcMessage {
        let asked = json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "x", "_meta": {"progressToken": id}},
        });
        serde_json::from_value(asked).expect("it is one")
    }

    fn answer(id: i64) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    fn progress(token: i64) -> ServerJsonRpcMessage {
        let told = json!({
            "jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1.0},
        });
        serde_json::from_value(told).expect("it is one")
    }

    /// The ids of all events that are there, and whether the stream has ended.
    fn read(events: &mut Receiver<ServerSseMessage>) -> (Vec<String>, bool) {
        use tokio::sync::mpsc::error::TryRecvError;
        let mut ids = Vec::new();
        loop {
            match events.try_recv() {
                Ok(event) => ids.extend(event.event_id),
                Err(error) => return (ids, error == TryRecvError::Disconnected),
            }
        }
    }

    #[test]
    fn answers_and_progress_go_to_their_request_and_end_its_stream() {
        let streams = SessionStreams::default();
        let mut one = streams.of_request(&request(1), None);
        let mut two = streams.of_request(&request(2), Some(Duration::from_secs(3)));
        streams.send(progress(2));
        streams.send(answer(1));
        assert_eq!(read(&mut one), (vec!["0/0".into()], true));
        assert_eq!(read(&mut two), (vec!["0/1".into(), "1/1".into()], false));
        streams.send(answer(2));
        assert_eq!(read(&mut two), (vec!["2/1".into()], true));
        // Nothing is kept of what was taken.
        assert!(streams.lock().open.is_empty() && streams.lock().tokens.is_empty());
    }

    #[test]
    fn whoever_comes_back_gets_the_rest() {
        let streams = SessionStreams::default();
        drop(streams.of_request(&request(7), None));
        streams.send(progress(7));
        streams.send(answer(7));
        let mut again = streams.resume("0/0").expect("it is kept");
        assert_eq!(read(&mut again), (vec!["1/0".into()], true));
        for unknown in ["0/9", "x", "", "-1/0", "0/0/0"] {
            assert!(streams.resume(unknown).is_none(), "{unknown}");
        }
        // Only so many are kept.
        for id in 10..40 {
            drop(streams.of_request(&request(id), None));
            streams.send(answer(id));
        }
        assert_eq!(streams.lock().open.len(), MOST_LATE);
    }

    #[test]
    fn what_belongs_to_no_request_waits_for_a_standalone_stream() {
        let news: Value = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let news = || serde_json::from_value(news.clone()).expect("it is one");
        let streams = SessionStreams::default();
        streams.send(news());
        let mut first = streams.standalone();
        let mut second = streams.standalone();
        streams.send(news());
        assert_eq!(read(&mut first), (vec!["0".into(), "1".into()], false));
        assert_eq!(read(&mut second), (vec![], false));
        drop(first);
        let mut third = streams.standalone();
        assert_eq!(read(&mut third), (vec![], false));
        streams.send(news());
        assert_eq!(read(&mut third).0, ["2"]);
    }

    #[test]
    fn a_client_that_does_not_read_is_cut_off_and_can_come_back() {
        let streams = SessionStreams::default();
        let mut slow = streams.of_request(&request(1), None);
        for _ in 0..=BEHIND {
            streams.send(progress(1));
        }
        let (events, ended) = read(&mut slow);
        assert_eq!((events.len(), ended), (BEHIND, true));
        streams.send(answer(1));
        let last = events.last().expect("some");
        let mut again = streams.resume(last).expect("it is kept");
        assert_eq!(read(&mut again).0.len(), 2);
    }
}
