//! Answers that the protocol behind never sees: refusals of requests, each a JSON-RPC error in a body.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderValue, Method, Response, StatusCode, header, request::Parts};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use serde_json::json;

use super::{
    caps::{Counted, NoPlace, Place},
    connection::Connection,
};
use crate::{
    message::LineRefusal,
    protocol::{RequestId, code},
};

/// The error of a request that fails before its message is looked at, as other servers number it.
const TRANSPORT_ERROR: i32 = -32000;
/// The error of a session that is not there, as other servers number it.
const NO_SESSION: i32 = -32001;
/// The seconds after which to come again.
const LATER: &str = "1";

/// The body of every answer.
pub(super) type Inner = BoxBody<Bytes, Infallible>;

/// The headers of answers that a page needs to see.
const SHOWN: &str = "Mcp-Session-Id, Retry-After, WWW-Authenticate";
/// The headers that a page may send, beside those that it always may. Others of the protocol's are let in by their name.
const SENT: [&str; 8] = [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];
/// The seconds for which a browser may keep the answer to its question.
const KEPT: &str = "600";

/// The answer to a browser that asks whether a page may call. Its origin was looked at before.
pub(super) fn preflight(parts: &Parts) -> Option<Response<Inner>> {
    let headers = &parts.headers;
    let asks = parts.method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !asks {
        return None;
    }
    let asked = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS);
    let asked = asked.and_then(|asked| asked.to_str().ok()).unwrap_or("");
    let parameters = asked.split(',').map(str::trim).filter(|name| {
        let name = name.to_ascii_lowercase();
        name.starts_with("mcp-param-") && header::HeaderName::try_from(name).is_ok()
    });
    let sent: Vec<&str> = SENT.into_iter().chain(parameters).collect();
    let mut response = empty(StatusCode::NO_CONTENT);
    let told = response.headers_mut();
    let mut tell = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            told.insert(name, value);
        }
    };
    tell(header::ACCESS_CONTROL_ALLOW_METHODS, "POST, GET, DELETE");
    tell(header::ACCESS_CONTROL_ALLOW_HEADERS, &sent.join(", "));
    tell(header::ACCESS_CONTROL_MAX_AGE, KEPT);
    Some(response)
}

/// Lets a page read an answer.
pub(super) fn share_with<B>(response: &mut Response<B>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let shown = HeaderValue::from_static(SHOWN);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, shown);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}

/// The refusal to hand a request on.
#[derive(Debug)]
pub(super) struct Rejection {
    status: StatusCode,
    code: i32,
    message: String,
    id: Option<RequestId>,
    header: Option<(header::HeaderName, &'static str)>,
    /// The connection is of no use afterwards.
    closes: bool,
}

impl Rejection {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            code: TRANSPORT_ERROR,
            message: message.into(),
            id: None,
            header: None,
            closes: false,
        }
    }

    pub(super) fn header(mut self, name: header::HeaderName, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    /// Sets the number of the error.
    pub(super) fn code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    /// Ends the connection after the answer.
    pub(super) fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// 400: what HTTP itself asks for is not there.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 401: nobody is known by that token.
    pub(super) fn unauthorized(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message).header(header::WWW_AUTHENTICATE, "Bearer")
    }

    /// 404: no such session, or not this principal's.
    pub(super) fn no_session() -> Self {
        let message = "there is no such session; begin a new one with `initialize`";
        Self::new(StatusCode::NOT_FOUND, message).code(NO_SESSION)
    }

    /// 400: what is asked for belongs to a session, and names none.
    pub(super) fn session_wanted() -> Self {
        let message = "the header Mcp-Session-Id is missing; begin a session with `initialize`";
        Self::bad_request(message).code(code::INVALID_REQUEST)
    }

    /// 405: clients of the modern era have no sessions.
    pub(super) fn only_post() -> Self {
        let message = "only POST is known in this version of the protocol";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message).header(header::ALLOW, "POST")
    }

    /// 405: another method is meant.
    pub(super) fn method_not_allowed() -> Self {
        let message = "only POST, GET and DELETE are known here";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, message)
            .header(header::ALLOW, "POST, GET, DELETE")
    }

    /// 429: there is no place.
    pub(super) fn full(full: NoPlace) -> Self {
        let (counted, whose) = match full {
            NoPlace::All(counted) => (counted, "the server has"),
            NoPlace::Principal(counted) => (counted, "this principal has"),
        };
        let message = format!(
            "{whose} as many {} as it may have at once; try again later",
            counted.name()
        );
        let rejection =
            Self::new(StatusCode::TOO_MANY_REQUESTS, message).header(header::RETRY_AFTER, LATER);
        match counted {
            Counted::Connections => rejection.closing(),
            _ => rejection,
        }
    }

    /// 503: the server ends.
    pub(super) fn ending() -> Self {
        let message = "the server is ending and takes no more requests";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, message)
            .header(header::RETRY_AFTER, LATER)
            .closing()
    }

    /// Says which request it is the answer to.
    pub(super) fn of(mut self, id: Option<RequestId>) -> Self {
        self.id = id;
        self
    }

    pub(super) fn into_response(self) -> Response<Inner> {
        let id = self.id.as_ref().map(RequestId::to_json);
        let error = json!({"code": self.code, "message": self.message});
        let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
        let mut response = json_response(self.status, body);
        if let Some((name, value)) = self.header {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        if self.closes {
            close_after(&mut response);
        }
        response
    }
}

impl From<NoPlace> for Rejection {
    fn from(full: NoPlace) -> Self {
        Self::full(full)
    }
}

/// The answer to a message that was read and cannot be handed on. Errors about its meaning are answers like any other.
pub(super) fn refused(refusal: &LineRefusal) -> Response<Inner> {
    let status = match refusal.is_about_meaning() {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    };
    let mut body = refusal.to_line();
    body.pop();
    json_response(status, body)
}

/// The answer to what needs none.
pub(super) fn accepted() -> Response<Inner> {
    empty(StatusCode::ACCEPTED)
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Response<Inner> {
    let mut response = Response::new(Full::default().boxed());
    *response.status_mut() = status;
    response
}

/// Ends the connection after this answer.
pub(super) fn close_after<B>(response: &mut Response<B>) {
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
}

pub(super) fn json_response(status: StatusCode, body: impl Into<Bytes>) -> Response<Inner> {
    let mut response = Response::new(Full::new(body.into()).boxed());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The body of an answer, with what is held until it has been written or given up.
pub(super) struct ReplyBody {
    inner: Inner,
    _place: Option<Place>,
    connection: Arc<Connection>,
}

impl ReplyBody {
    pub(super) fn new(inner: Inner, place: Option<Place>, connection: &Arc<Connection>) -> Self {
        Self {
            inner,
            _place: place,
            connection: Arc::clone(connection),
        }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for ReplyBody {
    fn drop(&mut self) {
        self.connection.answered();
    }
}
