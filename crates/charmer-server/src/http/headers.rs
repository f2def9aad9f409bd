//! The headers of a request that speak of its message: they say the same as the message itself, or it is refused. Those between a
//! client and a server decide by headers where a request goes, without reading it.

use http::{HeaderMap, StatusCode};

use super::{VERSION_HEADER, reply::Rejection};
use crate::protocol::{ClientMessage, ClientRequest, RequestMethod, Version, code};

const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";
/// The frame around a value in base64, which a header could not carry otherwise.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// The era of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// It belongs to a session, or begins one.
    Legacy,
    /// It stands for itself.
    Modern,
}

/// Returns the era of a request without a message.
pub(super) fn era(headers: &HeaderMap) -> Result<Era, Rejection> {
    let version = version(headers)?;
    check_known(version)?;
    Ok(match version {
        Some(version) if Version::names_modern(version) => Era::Modern,
        _ => Era::Legacy,
    })
}

/// Checks the headers of a message against it, and returns its era.
pub(super) fn check(headers: &HeaderMap, message: &ClientMessage) -> Result<Era, Rejection> {
    let version = version(headers)?;
    let modern_header = version.is_some_and(Version::names_modern);
    let request = match message {
        ClientMessage::Request(request) => request,
        ClientMessage::Notification(_) | ClientMessage::Response { .. } => {
            return era(headers);
        }
    };
    let of_request = |rejection: Rejection| rejection.of(Some(request.id.clone()));
    if let RequestMethod::Initialize { version: asked, .. } = &request.asked {
        if let Some(version) = version.filter(|version| version != asked) {
            let message = format!(
                "the header MCP-Protocol-Version ({version}) is not the version that is asked for ({asked})"
            );
            return Err(of_request(invalid(code::INVALID_REQUEST, message)));
        }
        // The handshake comes before a client knows which headers are wanted; one that is there must be right.
        if modern_header && one(headers, METHOD_HEADER).map_err(of_request)?.is_some() {
            check_method(headers, request).map_err(of_request)?;
        }
        return Ok(Era::Legacy);
    }
    let meta = &request.meta;
    match (&meta.version, version) {
        (None, _) => {
            check_known(version).map_err(of_request)?;
            if (modern_header || matches!(request.asked, RequestMethod::Discover))
                && let Some(missing) = meta.missing()
            {
                return Err(of_request(invalid(code::INVALID_PARAMS, missing)));
            }
        }
        (Some(said), version) if version != Some(said) => {
            let message = match version {
                None => "the header MCP-Protocol-Version is missing".to_owned(),
                Some(version) => format!(
                    "the header MCP-Protocol-Version ({version}) is not the request's own version ({said})"
                ),
            };
            return Err(of_request(mismatch(message)));
        }
        (Some(_), _) => {}
    }
    if modern_header {
        check_method(headers, request).map_err(of_request)?;
        check_name(headers, request).map_err(of_request)?;
    }
    Ok(
        match modern_header || meta.version.is_some() && meta.missing().is_none() {
            true => Era::Modern,
            false => Era::Legacy,
        },
    )
}

fn version(headers: &HeaderMap) -> Result<Option<&str>, Rejection> {
    let named = headers.get(VERSION_HEADER).map(|value| value.to_str());
    let unreadable = |_| Rejection::bad_request("the header MCP-Protocol-Version is no text");
    named.transpose().map_err(unreadable)
}

fn check_known(version: Option<&str>) -> Result<(), Rejection> {
    match version {
        Some(version) if Version::known(version).is_none() => {
            let message = format!("the protocol version {version:?} is not supported");
            Err(invalid(code::INVALID_REQUEST, message))
        }
        _ => Ok(()),
    }
}

fn check_method(headers: &HeaderMap, request: &ClientRequest) -> Result<(), Rejection> {
    match one(headers, METHOD_HEADER)? {
        Some(method) if method == request.method => Ok(()),
        Some(method) => Err(mismatch(format!(
            "the header Mcp-Method (`{method}`) is not the method of the message"
        ))),
        None => Err(mismatch("the header Mcp-Method is missing".into())),
    }
}

fn check_name(headers: &HeaderMap, request: &ClientRequest) -> Result<(), Rejection> {
    let Some(expected) = request.routed_by() else {
        return Ok(());
    };
    let Some(name) = one(headers, NAME_HEADER)? else {
        return Err(mismatch("the header Mcp-Name is missing".into()));
    };
    match decoded(name) {
        None => Err(mismatch("the header Mcp-Name is no text in base64".into())),
        Some(name) if name == expected => Ok(()),
        Some(_) => {
            let message = "the header Mcp-Name is not what the message names";
            Err(mismatch(message.into()))
        }
    }
}

/// The value of a header that may stand once: of two, others might read the other one.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Rejection> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => match value.to_str() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(mismatch(format!("the header {name} is no text"))),
        },
        _ => Err(mismatch(format!("the header {name} stands more than once"))),
    }
}

/// A value as it was before it was put into a header.
fn decoded(value: &str) -> Option<String> {
    let framed = value.strip_prefix(ENCODED.0);
    match framed.and_then(|framed| framed.strip_suffix(ENCODED.1)) {
        Some(encoded) => String::from_utf8(crate::base64::decode(encoded)?).ok(),
        None => Some(value.to_owned()),
    }
}

fn mismatch(message: String) -> Rejection {
    invalid(code::HEADER_MISMATCH, message)
}

fn invalid(code: i32, message: String) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, message).code(code)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use serde_json::json;

    use super::*;
    use crate::message::{Incoming, read_message};

    fn message(method: &str, version: Option<&str>) -> ClientMessage {
        let mut params = json!({"name": "t_ü", "uri": "x", "arguments": {}});
        if let Some(version) = version {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let line = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        match read_message(line.to_string().as_bytes()) {
            Some(Incoming::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let value = |text: &str| HeaderValue::from_str(text).expect("a header's value");
        all.iter()
            .fold(HeaderMap::new(), |mut headers, (name, text)| {
                headers.append(*name, value(text));
                headers
            })
    }

    const NAME: (&str, &str) = (NAME_HEADER, "=?base64?dF/DvA==?=");
    const MODERN: (&str, &str) = (VERSION_HEADER, "2026-07-28");
    const METHOD: (&str, &str) = (METHOD_HEADER, "tools/call");

    #[test]
    fn headers_say_what_the_message_says() {
        let call = message("tools/call", Some("2026-07-28"));
        let good = check(&headers(&[MODERN, METHOD, NAME]), &call);
        assert_eq!(good.ok(), Some(Era::Modern));
        for bad in [
            &[METHOD, NAME][..],
            &[(VERSION_HEADER, "2025-11-25"), METHOD, NAME],
            &[MODERN, NAME],
            &[MODERN, METHOD],
            &[MODERN, (METHOD_HEADER, "tools/list"), NAME],
            &[MODERN, METHOD, (NAME_HEADER, "t_u")],
            &[MODERN, METHOD, (NAME_HEADER, "=?base64?!?=")],
            &[MODERN, METHOD, METHOD, NAME],
        ] {
            assert!(check(&headers(bad), &call).is_err(), "{bad:?}");
        }
        let list = message("tools/list", Some("2026-07-28"));
        let good = check(&headers(&[MODERN, (METHOD_HEADER, "tools/list")]), &list);
        assert_eq!(good.ok(), Some(Era::Modern));
    }

    #[test]
    fn a_request_that_says_nothing_is_of_a_session() {
        let list = message("tools/list", None);
        for version in ["2025-03-26", "2025-11-25"] {
            let era = check(&headers(&[(VERSION_HEADER, version)]), &list);
            assert_eq!(era.ok(), Some(Era::Legacy), "{version}");
        }
        assert_eq!(check(&headers(&[]), &list).ok(), Some(Era::Legacy));
        assert!(check(&headers(&[MODERN]), &list).is_err());
        assert!(check(&headers(&[(VERSION_HEADER, "1999-01-01")]), &list).is_err());
        assert_eq!(era(&headers(&[MODERN])).ok(), Some(Era::Modern));
    }
}
