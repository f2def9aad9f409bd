//! A stream of events as the body of an answer, in the form of `text/event-stream`.

use std::{
    convert::Infallible,
    fmt::Write as _,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Response, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tokio::{
    sync::mpsc::Receiver,
    time::{Instant, Sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::reply::Inner;

/// The time after which a stream on which nothing happens shows that it is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// The line that it shows then: a comment, which readers pass over.
const SIGN: &[u8] = b":\n\n";

/// One event: a message, or only what a client needs to come back.
#[derive(Debug, Clone)]
pub(super) struct StreamEvent {
    pub(super) id: Option<String>,
    /// A message as one line of JSON; empty, if there is none.
    data: Bytes,
    /// The time after which a client may ask again for a stream that broke off.
    retry: Option<Duration>,
    /// No event follows on its stream.
    pub(super) is_last: bool,
}

impl StreamEvent {
    pub(super) fn message(json: Vec<u8>, is_last: bool) -> Self {
        Self {
            id: None,
            data: json.into(),
            retry: None,
            is_last,
        }
    }

    /// An event without a message, which says where a stream stands and when to come back.
    pub(super) fn mark(id: String, retry: Duration) -> Self {
        Self {
            id: Some(id),
            data: Bytes::new(),
            retry: Some(retry),
            is_last: false,
        }
    }

    /// The message that it carries.
    pub(super) fn into_data(self) -> Bytes {
        self.data
    }

    fn to_bytes(&self) -> Bytes {
        let mut head = String::new();
        if let Some(id) = &self.id {
            let _ = writeln!(head, "id: {id}");
        }
        if let Some(retry) = self.retry {
            let _ = writeln!(head, "retry: {}", retry.as_millis());
        }
        head.push_str("data: ");
        let mut bytes = Vec::with_capacity(head.len() + self.data.len() + 2);
        bytes.extend_from_slice(head.as_bytes());
        // A message is one line, as JSON that was not made pretty is.
        bytes.extend_from_slice(&self.data);
        bytes.extend_from_slice(b"\n\n");
        bytes.into()
    }
}

/// The answer that is a stream: these events first, then those that come, until they end or `ended` says so. `held` is kept
/// as long as somebody reads.
pub(super) fn stream<H: Send + Sync + Unpin + 'static>(
    first: Vec<StreamEvent>,
    events: Receiver<StreamEvent>,
    ended: CancellationToken,
    held: H,
) -> Response<Inner> {
    let body = EventBody {
        first: first.into_iter(),
        events,
        ended: Box::pin(ended.cancelled_owned()),
        quiet: Box::pin(tokio::time::sleep(ALIVE)),
        _held: held,
    };
    let mut response = Response::new(body.boxed());
    let headers = response.headers_mut();
    let mut tell = |name, value| headers.insert(name, HeaderValue::from_static(value));
    tell(header::CONTENT_TYPE, "text/event-stream");
    tell(header::CACHE_CONTROL, "no-cache");
    // Proxies must not gather events into larger pieces.
    tell(header::HeaderName::from_static("x-accel-buffering"), "no");
    response
}

struct EventBody<H> {
    first: std::vec::IntoIter<StreamEvent>,
    events: Receiver<StreamEvent>,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
    quiet: Pin<Box<Sleep>>,
    _held: H,
}

impl<H: Unpin> Body for EventBody<H> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match self.first.next() {
            Some(event) => Poll::Ready(Some(event)),
            None => self.events.poll_recv(cx),
        };
        let bytes = match next {
            Poll::Ready(Some(event)) => event.to_bytes(),
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending if self.ended.as_mut().poll(cx).is_ready() => return Poll::Ready(None),
            Poll::Pending if self.quiet.as_mut().poll(cx).is_ready() => Bytes::from_static(SIGN),
            Poll::Pending => return Poll::Pending,
        };
        self.quiet.as_mut().reset(Instant::now() + ALIVE);
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn events_are_written_in_order_with_signs_of_life_between() {
        let (sender, events) = tokio::sync::mpsc::channel(4);
        let first = vec![StreamEvent::mark("0/2".into(), Duration::from_secs(3))];
        let mut body = stream(first, events, CancellationToken::new(), ()).into_body();
        let mut next = async || {
            let frame = body.frame().await?.expect("it cannot fail");
            let data = frame.into_data().expect("data");
            Some(String::from_utf8(data.to_vec()).expect("text"))
        };
        assert_eq!(
            next().await.as_deref(),
            Some("id: 0/2\nretry: 3000\ndata: \n\n")
        );
        assert_eq!(next().await.as_deref(), Some(":\n\n"), "nothing happened");
        let mut event = StreamEvent::message(b"{}".to_vec(), false);
        event.id = Some("1/2".into());
        sender.try_send(event).expect("there is room");
        assert_eq!(next().await.as_deref(), Some("id: 1/2\ndata: {}\n\n"));
        drop(sender);
        assert_eq!(next().await, None);
    }

    #[tokio::test]
    async fn a_stream_ends_when_it_is_told_to() {
        let (_sender, events) = tokio::sync::mpsc::channel(4);
        let ended = CancellationToken::new();
        let mut body = stream(Vec::new(), events, ended.clone(), ()).into_body();
        ended.cancel();
        assert!(body.frame().await.is_none());
    }
}
