//! Questions of operators to a server, without a token: whether it lives, and whether its programs are read.

use http::{Method, Response, StatusCode, header, request::Parts};
use serde_json::json;

use super::reply::{Inner, Rejection, json_response};
use crate::Server;

/// The answer to a request for `/healthz` or `/readyz`; `None` if it is for something else. It tells nothing about what is
/// served.
pub(super) fn answer(
    parts: &Parts,
    server: &Server,
    is_ending: bool,
) -> Option<Result<Response<Inner>, Rejection>> {
    let (status, said) = match parts.uri.path() {
        "/healthz" => (StatusCode::OK, "ok"),
        "/readyz" if is_ending => (StatusCode::SERVICE_UNAVAILABLE, "ending"),
        "/readyz" if server.tools().are_complete() => (StatusCode::OK, "ready"),
        "/readyz" => (StatusCode::SERVICE_UNAVAILABLE, "reading programs"),
        _ => return None,
    };
    if parts.method != Method::GET {
        let only = Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "only GET is known here");
        return Some(Err(only.header(header::ALLOW, "GET")));
    }
    Some(Ok(json_response(
        status,
        json!({"status": said}).to_string(),
    )))
}
