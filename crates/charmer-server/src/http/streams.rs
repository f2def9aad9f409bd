//! The streams of one session: the one that a message goes out on, and the events that are kept for a client that comes back.
//!
//! A message goes straight to its stream, so that a session that nobody uses costs next to nothing.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::events::StreamEvent;
use crate::protocol::{Addressee, Outgoing, Outlet, RequestId, Written};

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
    next: StreamNumber,
    requests: HashMap<RequestId, StreamNumber>,
    open: HashMap<StreamNumber, EventStream>,
    /// The stream of what belongs to no request.
    common: EventStream,
    /// Further standalone streams: they only stay open.
    silent: Vec<Sender<StreamEvent>>,
}

/// One stream: its reader, if there is one, and its last events.
#[derive(Default)]
struct EventStream {
    reader: Option<Sender<StreamEvent>>,
    number: Option<StreamNumber>,
    /// The number of the last event; the first has 1.
    last: usize,
    kept: VecDeque<(usize, StreamEvent)>,
    /// The number of the first event that no reader was there for.
    missed: Option<usize>,
    ended: Option<Instant>,
}

impl EventStream {
    fn is_read(&self) -> bool {
        let reader = self.reader.as_ref();
        reader.is_some_and(|reader| !reader.is_closed())
    }

    fn send(&mut self, mut event: StreamEvent) {
        self.last += 1;
        let index = self.last;
        event.id = Some(self.id(index));
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

    /// The id of an event, or of the place behind it.
    fn id(&self, index: usize) -> String {
        match self.number {
            Some(number) => format!("{index}/{number}"),
            None => index.to_string(),
        }
    }

    /// A new reader, with the events from this number on.
    fn read_from(&mut self, index: usize) -> Receiver<StreamEvent> {
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
    /// A stream for a request, and the id of its beginning.
    pub(super) fn of_request(&self, request: &RequestId) -> (String, Receiver<StreamEvent>) {
        let mut routes = self.lock();
        routes.forget_late();
        let number = routes.next;
        routes.next += 1;
        let mut stream = EventStream {
            number: Some(number),
            ..EventStream::default()
        };
        let beginning = (stream.id(0), stream.read_from(0));
        routes.open.insert(number, stream);
        routes.requests.insert(request.clone(), number);
        beginning
    }

    /// A stream for what belongs to no request, with what was sent while nobody read, and the id of the place that it begins
    /// behind.
    pub(super) fn standalone(&self) -> (String, Receiver<StreamEvent>) {
        let mut routes = self.lock();
        let common = &routes.common;
        let first = common.missed.unwrap_or(common.last + 1);
        let behind = common.id(first - 1);
        (behind, routes.standalone_from(first))
    }

    /// The rest of a stream behind the event of this id; nothing, where it is not known.
    pub(super) fn resume(&self, last: &str) -> Option<Receiver<StreamEvent>> {
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

    /// Ends all streams: their session has ended.
    pub(super) fn close(&self) {
        *self.lock() = Routes::default();
    }

    fn lock(&self) -> MutexGuard<'_, Routes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outlet for SessionStreams {
    fn send(&self, message: Outgoing) -> Option<Written> {
        let mut routes = self.lock();
        let (request, ends) = match &message.to {
            Addressee::Answer(id) => (Some(id), true),
            Addressee::About(id) => (Some(id), false),
            Addressee::Common => (None, false),
        };
        let number = request.and_then(|id| routes.requests.get(id).copied());
        let stream = match number.and_then(|number| routes.open.get_mut(&number)) {
            Some(stream) => stream,
            // Nobody waits for such an answer any more.
            None if ends => return None,
            None => &mut routes.common,
        };
        stream.send(StreamEvent::message(message.json, ends));
        if let Some(number) = number.filter(|_| ends) {
            routes.end(number);
        }
        None
    }
}

impl Routes {
    /// Ends a stream. What nobody was there to read is kept for a while.
    fn end(&mut self, number: StreamNumber) {
        self.requests.retain(|_, one| *one != number);
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

    fn standalone_from(&mut self, index: usize) -> Receiver<StreamEvent> {
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
    use serde_json::json;

    use super::*;
    use crate::protocol::RpcAnswer;

    fn request(id: i64) -> RequestId {
        RequestId::Number(id)
    }

    fn answer(id: i64) -> Outgoing {
        Outgoing::answer(request(id), &RpcAnswer::empty())
    }

    fn progress(of: i64) -> Outgoing {
        let told = Some(json!({"progressToken": "t", "progress": 1.0}));
        let about = Addressee::About(request(of));
        Outgoing::notification(about, "notifications/progress", told)
    }

    /// The ids of all events that are there, and whether the stream has ended.
    fn read(events: &mut Receiver<StreamEvent>) -> (Vec<String>, bool) {
        use tokio::sync::mpsc::error::TryRecvError;
        let mut ids = Vec::new();
        loop {
            match events.try_recv() {
                Ok(event) => ids.extend(event.id),
                Err(error) => return (ids, error == TryRecvError::Disconnected),
            }
        }
    }

    #[test]
    fn answers_and_progress_go_to_their_request_and_end_its_stream() {
        let streams = SessionStreams::default();
        let (_, mut one) = streams.of_request(&request(1));
        let (mark, mut two) = streams.of_request(&request(2));
        assert_eq!(mark, "0/1");
        streams.send(progress(2));
        streams.send(answer(1));
        assert_eq!(read(&mut one), (vec!["1/0".into()], true));
        assert_eq!(read(&mut two), (vec!["1/1".into()], false));
        streams.send(answer(2));
        assert_eq!(read(&mut two), (vec!["2/1".into()], true));
        // Nothing is kept of what was taken.
        assert!(streams.lock().open.is_empty() && streams.lock().requests.is_empty());
    }

    #[test]
    fn whoever_comes_back_gets_the_rest() {
        let streams = SessionStreams::default();
        let (mark, _) = streams.of_request(&request(7));
        streams.send(progress(7));
        streams.send(answer(7));
        let mut again = streams.resume("1/0").expect("it is kept");
        assert_eq!(read(&mut again), (vec!["2/0".into()], true));
        let mut whole = streams.resume(&mark).expect("it is kept");
        assert_eq!(read(&mut whole).0, ["1/0", "2/0"]);
        for unknown in ["0/9", "x", "", "-1/0", "0/0/0"] {
            assert!(streams.resume(unknown).is_none(), "{unknown}");
        }
        // Only so many are kept.
        for id in 10..40 {
            drop(streams.of_request(&request(id)));
            streams.send(answer(id));
        }
        assert_eq!(streams.lock().open.len(), MOST_LATE);
    }

    #[test]
    fn what_belongs_to_no_request_waits_for_a_standalone_stream() {
        let method = "notifications/tools/list_changed";
        let news = || Outgoing::notification(Addressee::Common, method, None);
        let streams = SessionStreams::default();
        streams.send(news());
        let (mark, mut first) = streams.standalone();
        assert_eq!(mark, "0");
        let (_, mut second) = streams.standalone();
        streams.send(news());
        assert_eq!(read(&mut first), (vec!["1".into(), "2".into()], false));
        assert_eq!(read(&mut second), (vec![], false));
        drop(first);
        let (mark, mut third) = streams.standalone();
        assert_eq!(mark, "2");
        assert_eq!(read(&mut third), (vec![], false));
        streams.send(news());
        assert_eq!(read(&mut third).0, ["3"]);
    }

    #[test]
    fn a_client_that_does_not_read_is_cut_off_and_can_come_back() {
        let streams = SessionStreams::default();
        let (_, mut slow) = streams.of_request(&request(1));
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
