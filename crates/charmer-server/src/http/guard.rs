//! The check of a request before the protocol sees it: for this server, from a page that may call it, at the protocol's path,
//! by somebody who is known, in the right media types, and whole in time.

use std::net::IpAddr;

use bytes::{Bytes, BytesMut};
use http::{
    HeaderMap, HeaderValue, Method, Request, StatusCode, header, request::Parts, uri::Authority,
};
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::{HttpOptions, connection::Connection, reply::Rejection};

/// The path of the protocol.
pub(super) const PATH: &str = "/mcp";

/// Refuses a request whose `Host` is not this server's: a page that has its own name point here.
pub(super) fn check_host(
    parts: &Parts,
    connection: &Connection,
    options: &HttpOptions,
) -> Result<(), Rejection> {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Rejection::bad_request("expected one header `Host`").closing());
    };
    let named = |text: &str| Authority::try_from(text).ok();
    let host = host.to_str().ok().and_then(named);
    let Some(host) = host.filter(|host| !host.as_str().contains('@')) else {
        return Err(Rejection::bad_request("the header `Host` names no host").closing());
    };
    // Nobody but a program of this machine speaks over a socket that has a path.
    let Some(local) = connection.local else {
        return Ok(());
    };
    let known = |host: &Authority| {
        is_loopback(host.host())
            || address(host.host()) == Some(local.ip())
            || options
                .allow_hosts
                .iter()
                .any(|allowed| is_host(allowed, host))
    };
    let target = parts.uri.authority();
    match known(&host) && target.is_none_or(known) {
        true => Ok(()),
        false => {
            let message = "this server is not known by that `Host`; name it under `allow_hosts`";
            Err(Rejection::new(StatusCode::FORBIDDEN, message))
        }
    }
}

/// Returns true if an entry of `allow_hosts` is this host; its port counts if the entry has one.
fn is_host(allowed: &str, host: &Authority) -> bool {
    let Ok(allowed) = Authority::try_from(allowed) else {
        return false;
    };
    let port = allowed.port_u16();
    allowed.host().eq_ignore_ascii_case(host.host()) && (port.is_none() || port == host.port_u16())
}

fn address(host: &str) -> Option<IpAddr> {
    let host = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    host.parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|ip| ip.is_loopback())
}

/// Refuses a request that a strange web page makes its reader's browser send.
pub(super) fn check_origin(
    headers: &HeaderMap,
    connection: &Connection,
    options: &HttpOptions,
) -> Result<(), Rejection> {
    let allowed = |origin: &str| {
        let listed = |allowed: &String| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin);
        is_own_origin(origin, connection) || options.allow_origins.iter().any(listed)
    };
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match origins.all(|origin| origin.to_str().is_ok_and(allowed)) {
        true => Ok(()),
        false => {
            let message = "pages of that origin may not call this server; `allow_origins` names those that may";
            Err(Rejection::new(StatusCode::FORBIDDEN, message))
        }
    }
}

/// The origin of the page that makes a request, if pages of it may.
pub(super) fn page(
    headers: &HeaderMap,
    connection: &Connection,
    options: &HttpOptions,
) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let may = check_origin(headers, connection, options).is_ok();
    may.then(|| origin.clone())
}

/// Returns true if a page comes from this very server on loopback.
fn is_own_origin(origin: &str, connection: &Connection) -> bool {
    let Some(local) = connection.local.filter(|local| local.ip().is_loopback()) else {
        return false;
    };
    let own = origin
        .strip_prefix("http://")
        .and_then(|host| Authority::try_from(host).ok());
    own.is_some_and(|own| {
        !own.as_str().contains('@')
            && is_loopback(own.host())
            && own.port_u16().unwrap_or(80) == local.port()
    })
}

/// The token that a request shows.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(given), None) = (given.next(), given.next()) else {
        return None;
    };
    let given = given.as_bytes();
    let (scheme, token) = given.split_at_checked("Bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"Bearer ")
        .then(|| token.trim_ascii())
}

/// Refuses what is in another media type than the protocol's, and who does not take its answers.
pub(super) fn check_media_types(method: &Method, headers: &HeaderMap) -> Result<(), Rejection> {
    if method == Method::DELETE {
        return Ok(());
    }
    let accepted: Vec<MediaRange<'_>> = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(MediaRange::parse)
        .collect();
    let accepts = |kind: &str| accepted.iter().any(|range| range.takes(kind));
    let wanted: &[&str] = match *method {
        Method::POST => &["application/json", "text/event-stream"],
        _ => &["text/event-stream"],
    };
    if !wanted.iter().all(|kind| accepts(kind)) {
        let message = format!("`Accept` must have {}", wanted.join(" and "));
        return Err(Rejection::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    if method == Method::POST {
        let mut types = headers.get_all(header::CONTENT_TYPE).iter();
        let is_json = match (types.next(), types.next()) {
            (Some(kind), None) => kind.to_str().is_ok_and(is_json),
            _ => false,
        };
        if !is_json {
            let message = "`Content-Type` must be application/json";
            return Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        if headers.contains_key(header::CONTENT_ENCODING) {
            let message = "the body must not be compressed";
            return Err(Rejection::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
    }
    Ok(())
}

/// Returns true if a content type is JSON, in the one encoding that JSON has.
fn is_json(kind: &str) -> bool {
    let mut parts = kind.split(';').map(str::trim);
    let json = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    json && parts.all(|parameter| {
        let Some((name, value)) = parameter.split_once('=') else {
            return parameter.is_empty();
        };
        !name.trim().eq_ignore_ascii_case("charset")
            || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
    })
}

/// One entry of `Accept`.
struct MediaRange<'a> {
    kind: &'a str,
    subkind: &'a str,
}

impl<'a> MediaRange<'a> {
    /// The entry, unless it says that it is not wanted at all.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subkind) = parts.next()?.split_once('/')?;
        let refused = parts.any(|parameter| {
            let quality = parameter
                .split_once('=')
                .filter(|(name, _)| name.trim() == "q");
            quality.is_some_and(|(_, quality)| quality.trim().parse() == Ok(0.0_f32))
        });
        (!refused).then_some(Self { kind, subkind })
    }

    fn takes(&self, wanted: &str) -> bool {
        let (kind, subkind) = wanted.split_once('/').unwrap_or((wanted, ""));
        match (self.kind, self.subkind) {
            ("*", "*") => true,
            (own, "*") => own.eq_ignore_ascii_case(kind),
            (own, of) => own.eq_ignore_ascii_case(kind) && of.eq_ignore_ascii_case(subkind),
        }
    }
}

/// The whole body, if it is small enough and comes in time.
pub(super) async fn body(
    request: Request<Incoming>,
    options: &HttpOptions,
) -> Result<(Parts, Bytes), Rejection> {
    let (parts, body) = request.into_parts();
    let most = options.max_body;
    let too_large = || {
        let message = format!("the body is larger than the {most} bytes that are read");
        Rejection::new(StatusCode::PAYLOAD_TOO_LARGE, message).closing()
    };
    let declared = parts.headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > most as u64) {
        return Err(too_large());
    }
    let reading = tokio::time::timeout(options.body_timeout, read(body, most));
    match reading.await {
        Ok(Ok(Some(bytes))) => Ok((parts, bytes)),
        Ok(Ok(None)) => Err(too_large()),
        Ok(Err(_)) => Err(Rejection::bad_request("the body broke off").closing()),
        Err(_) => {
            let message = "the body took too long";
            Err(Rejection::new(StatusCode::REQUEST_TIMEOUT, message).closing())
        }
    }
}

/// Reads to the end; nothing, if that is too much.
async fn read(mut body: Incoming, most: usize) -> Result<Option<Bytes>, hyper::Error> {
    let mut first: Option<Bytes> = None;
    let mut rest = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue;
        };
        let length = first.as_ref().map_or(0, Bytes::len) + rest.len();
        if data.len() > most - length {
            return Ok(None);
        }
        match first {
            // Most bodies come in one piece, and are not copied.
            None => first = Some(data),
            Some(_) => rest.extend_from_slice(&data),
        }
    }
    let first = first.unwrap_or_default();
    if rest.is_empty() {
        return Ok(Some(first));
    }
    let mut whole = BytesMut::with_capacity(first.len() + rest.len());
    whole.extend_from_slice(&first);
    whole.extend_from_slice(&rest);
    Ok(Some(whole.freeze()))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn checked(method: &Method, accept: &[&str], kind: Option<&str>) -> Option<u16> {
        let mut headers = HeaderMap::new();
        for accept in accept {
            headers.append(header::ACCEPT, accept.parse().expect("a value"));
        }
        if let Some(kind) = kind {
            headers.insert(header::CONTENT_TYPE, kind.parse().expect("a value"));
        }
        let checked = check_media_types(method, &headers);
        checked
            .err()
            .map(|error| error.into_response().status().as_u16())
    }

    #[test]
    fn media_types_are_exact() {
        let json = Some("application/json");
        let post = |accept: &[&str], kind| checked(&Method::POST, accept, kind);
        for both in [
            &["application/json, text/event-stream"][..],
            &["application/json", "text/event-stream"],
            &["text/event-stream;q=0.5,APPLICATION/JSON; charset=utf-8"],
            &["*/*"],
            &["text/html, */*;q=0.1"],
            &["application/*, text/*"],
        ] {
            assert_eq!(post(both, json), None, "{both:?}");
        }
        for accept in [
            &[][..],
            &["application/json"],
            &["text/event-stream"],
            &["application/jsonx, text/event-stream"],
            &["application/json, text/event-stream;q=0"],
        ] {
            assert_eq!(post(accept, json), Some(406), "{accept:?}");
        }
        for kind in [
            "application/json; charset=utf-8",
            "Application/JSON;charset=\"UTF-8\"",
            "application/json;",
        ] {
            assert_eq!(post(&["*/*"], Some(kind)), None, "{kind}");
        }
        for kind in [
            "application/jsonx",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1",
            "application/json, text/plain",
        ] {
            assert_eq!(post(&["*/*"], Some(kind)), Some(415), "{kind}");
        }
        assert_eq!(post(&["*/*"], None), Some(415));
        assert_eq!(checked(&Method::GET, &["text/event-stream"], None), None);
        assert_eq!(
            checked(&Method::GET, &["application/json"], None),
            Some(406)
        );
        assert_eq!(checked(&Method::DELETE, &[], None), None);
    }

    #[test]
    fn a_token_stands_in_one_header_alone() {
        let given = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(
                    header::AUTHORIZATION,
                    HeaderValue::from_str(value).expect("a value"),
                );
            }
            bearer(&headers).map(|token| String::from_utf8_lossy(token).into_owned())
        };
        assert_eq!(given(&["Bearer abc"]).as_deref(), Some("abc"));
        assert_eq!(given(&["bearer  abc "]).as_deref(), Some("abc"));
        for none in [
            &[][..],
            &["Bearer"],
            &["abc"],
            &["Basic abc"],
            &["Bearer a", "Bearer a"],
        ] {
            assert_eq!(given(none), None, "{none:?}");
        }
    }
}
