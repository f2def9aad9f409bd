//! Every kind of line that cannot be delivered is answered, under the right id and code.

use super::*;

const PARSE: i64 = -32700;
const REQUEST: i64 = -32600;
const PARAMS: i64 = -32602;

/// A request with the given members after the usual ones.
fn request(members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call",{members}}}"#)
}

#[tokio::test]
async fn lines_that_are_not_json() {
    for (line, id, says) in [
        (
            "hello".to_owned(),
            json!(null),
            "expected value at column 1",
        ),
        (
            r#"{"id":7,"method":}"#.to_owned(),
            json!(7),
            "expected value at column 18",
        ),
        (
            request(r#""params":{"name":"x","arguments":{"n":1e400}}"#),
            json!(7),
            "number out of range",
        ),
        (
            request(r#""params":{"name":"x","arguments":{"n":NaN}}"#),
            json!(7),
            "expected value",
        ),
        (
            request(r#""params":{"name":"\ud800"}"#),
            json!(7),
            "lone surrogate",
        ),
        (
            request(&format!(r#""params":{}"#, "[".repeat(100_000))),
            json!(7),
            "nested too deep",
        ),
        (
            format!(
                r#"{{"params":{}{},"id":"s"}}"#,
                "[".repeat(9999),
                "]".repeat(9999)
            ),
            json!("s"),
            "nested too deep",
        ),
    ] {
        let (found, code, message) = refusal(format!("{line}\n")).await;
        assert_eq!((found, code), (id, PARSE), "{line:.80}");
        assert!(message.contains(says), "{message}");
    }
}

#[tokio::test]
async fn invalid_utf8() {
    let (id, code, message) = refusal(b"{\"method\":\"\xff\",\"id\":3}\n").await;
    assert_eq!(
        (id, code, message.as_str()),
        (json!(3), PARSE, "invalid UTF-8 at column 12")
    );
}

#[tokio::test]
async fn duplicate_keys_anywhere() {
    let line = request(r#""params":{"name":"x","arguments":{"path":"a","path":"b"}}"#);
    let (id, code, message) = refusal(line + "\n").await;
    assert_eq!((id, code), (json!(7), REQUEST));
    assert!(
        message.starts_with("duplicate key `path` at column "),
        "{message}"
    );

    let (id, code, message) = refusal(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#).await;
    assert_eq!((id, code), (json!(null), REQUEST));
    assert!(message.starts_with("duplicate key `id`"), "{message}");
}

#[tokio::test]
async fn lines_that_are_no_message() {
    for (line, id, says) in [
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            json!(null),
            "batches are not supported; send one message at a time",
        ),
        (
            "[]",
            json!(null),
            "batches are not supported; send one message at a time",
        ),
        (
            "42",
            json!(null),
            "a message must be an object, not an integer",
        ),
        ("null", json!(null), "a message must be an object, not null"),
        (
            r#"{"id":7,"method":"ping"}"#,
            json!(7),
            "`jsonrpc` is missing; it must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
            json!("a"),
            "`jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":2.0,"id":7,"method":"ping"}"#,
            json!(7),
            "`jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7}"#,
            json!(7),
            "a message needs a `method`, a `result` or an `error`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":5}"#,
            json!(7),
            "`method` must be a string, not an integer",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#,
            json!(7),
            "a message with a `method` has neither `result` nor `error`",
        ),
    ] {
        assert_eq!(
            refusal(line).await,
            (id, REQUEST, says.to_owned()),
            "{line}"
        );
    }
}

#[tokio::test]
async fn ids_that_are_no_ids() {
    for (id, kind) in [
        ("null", "null"),
        ("1.5", "a float"),
        ("1.0", "a float"),
        ("true", "a boolean"),
        ("{}", "an object"),
        ("[1]", "an array"),
        ("9223372036854775808", "an integer beyond that"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let says = format!("`id` must be a string or a signed 64-bit integer, not {kind}");
        assert_eq!(refusal(line).await, (json!(null), REQUEST, says));
    }
    for id in ["-9223372036854775808", "9223372036854775807", r#""""#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let (delivered, replies) = exchange(line).await;
        assert_eq!((delivered.len(), replies.len()), (1, 0), "{id}");
    }
}

#[tokio::test]
async fn parameters_that_a_known_method_cannot_have() {
    for (method, params, says) in [
        (
            "tools/call",
            r#"["x"]"#,
            "`params` must be an object, not an array",
        ),
        ("ping", "1", "`params` must be an object, not an integer"),
        (
            "tools/list",
            r#"{"cursor":5}"#,
            "`cursor` must be a string, not an integer",
        ),
        (
            "resources/templates/list",
            r#"{"cursor":{}}"#,
            "`cursor` must be a string, not an object",
        ),
        (
            "tools/call",
            r#"{"name":"x","_meta":[]}"#,
            "`_meta` must be an object, not an array",
        ),
        (
            "tools/call",
            r#"{"name":"x","_meta":{"progressToken":1.5}}"#,
            "`_meta.progressToken` must be a string or a signed 64-bit integer, not a float",
        ),
        ("tools/call", r#"{}"#, "missing field `name`"),
        (
            "tools/call",
            r#"{"name":"x","arguments":"a=b"}"#,
            "`arguments` must be an object, not a string",
        ),
        ("tools/call", "null", "missing field `params`"),
        ("initialize", "{}", "missing field `protocolVersion`"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let says = format!("invalid params for `{method}`: {says}");
        assert_eq!(refusal(line).await, (json!(7), PARAMS, says));
    }
}

#[tokio::test]
async fn what_is_merely_unusual_is_delivered() {
    for (method, params) in [
        ("tools/list", "null"),
        ("tools/list", r#"{"cursor":null,"_meta":null}"#),
        (
            "tools/list",
            r#"{"cursor":"x","_meta":{"progressToken":null}}"#,
        ),
        (
            "tools/call",
            r#"{"name":"x","arguments":null,"_meta":{"progressToken":"t"}}"#,
        ),
        // The handler says that these do not exist.
        ("no/such", "[1,2]"),
        ("no/such", r#"{"_meta":5}"#),
        ("no/such/list", r#"{"cursor":5}"#),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let (delivered, replies) = exchange(line).await;
        assert_eq!(
            (delivered.len(), replies.len()),
            (1, 0),
            "{method} {params} {replies:?}"
        );
    }
}

#[tokio::test]
async fn arguments_arrive_exactly_as_written_and_in_order() {
    let arguments = r#"{"z":-9223372036854775808,"a":18446744073709551615,"m":{"__proto__":1,"b":0.1},"":[null,"\u0000"]}"#;
    let (delivered, _) = exchange(request(&format!(
        r#""params":{{"name":"x","arguments":{arguments}}}"#
    )))
    .await;
    let [ClientMessage::Request(request)] = delivered.as_slice() else {
        panic!("{delivered:?}")
    };
    let RequestMethod::CallTool(call) = &request.asked else {
        panic!("{request:?}")
    };
    assert_eq!(serde_json::to_string(&call.arguments).unwrap(), arguments);
}

#[tokio::test]
async fn metadata_of_any_request_arrives() {
    for method in ["tools/call", "tools/list", "no/such"] {
        let params = r#"{"name":"x","_meta":{"progressToken":5}}"#;
        let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let (delivered, _) = exchange(line).await;
        let [ClientMessage::Request(request)] = delivered.as_slice() else {
            panic!("{delivered:?}")
        };
        assert_eq!(
            request.meta.progress,
            Some(RequestId::Number(5)),
            "{method}"
        );
    }
}

#[tokio::test]
async fn notifications_and_responses_are_never_answered() {
    let mut input = format!("{INITIALIZE}\n");
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":true}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":7}"#,
        r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
        r#"{"jsonrpc":"1.0","id":5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":""}}"#,
    ] {
        input = input + line + "\n";
    }
    let (delivered, replies) = exchange(input).await;
    assert_eq!((delivered.len(), replies), (2, vec![]), "{delivered:?}");
}

#[tokio::test]
async fn blank_lines_carriage_returns_and_a_byte_order_mark_are_fine() {
    let input = format!("\u{feff}{}\r\n\n  \t\r\n{}", ping(1).trim_end(), ping("b"));
    let (delivered, replies) = exchange(input).await;
    assert_eq!(
        delivered.iter().filter_map(id_of).collect::<Vec<_>>(),
        ["1", "\"b\""]
    );
    assert!(replies.is_empty());
    let (_, code, _) = refusal(format!("\n\u{feff}{}", ping(1))).await;
    assert_eq!(code, PARSE);
}

#[tokio::test]
async fn lines_beyond_the_limit() {
    let options = || StdioOptions {
        max_line_bytes: 1000,
        ..StdioOptions::default()
    };
    let padding = "x".repeat(200_000);
    for (line, id) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{padding}"}}"#),
            json!(7),
        ),
        (
            format!(r#"{{"params":{{"id":1,"a":"{padding}\"id\":2"}},"id":"late"}}"#),
            json!("late"),
        ),
        (
            format!(r#"{{"params":{{"id":1,"a":"{padding}"}}}}"#),
            json!(null),
        ),
        (padding.clone(), json!(null)),
    ] {
        for end in ["", "\n", "\r\n"] {
            let input = format!("\u{feff}{}{line}{end}", ping("before"));
            let (delivered, replies) = exchange_with(options(), input).await;
            assert_eq!(delivered.len(), 1);
            let error = json!({ "code": REQUEST, "message": "the line is longer than the limit of 1000 bytes" });
            assert_eq!(
                replies,
                [json!({ "jsonrpc": "2.0", "id": id, "error": error })]
            );
        }
    }
    // Reading goes on behind such a line, and a line of exactly the limit is read.
    let exact = format!(
        "{}{}\n",
        ping(1).trim_end(),
        " ".repeat(1000 - ping(1).trim_end().len())
    );
    let input = format!(
        "{padding}\n{exact}{}",
        exact.replace('1', "2").replace('\n', " \n")
    );
    let (delivered, replies) = exchange_with(options(), input).await;
    assert_eq!(
        delivered.iter().filter_map(id_of).collect::<Vec<_>>(),
        ["1"]
    );
    assert_eq!(replies[0]["id"], json!(null));
    assert_eq!(replies[1]["id"], json!(2));
}

#[tokio::test]
async fn seventeen_mebibytes_are_too_long_by_default() {
    let (id, code, message) = refusal(format!(
        r#"{{"id":7,"x":"{}"}}"#,
        "x".repeat(17 * 1024 * 1024)
    ))
    .await;
    assert_eq!((id, code), (json!(7), REQUEST));
    assert_eq!(
        message,
        "the line is longer than the limit of 16777216 bytes"
    );
}

#[tokio::test]
async fn an_id_in_flight_is_refused_without_being_answered_under() {
    let input = call(1) + &ping(1) + r#"{"id":1,"method":"ping"}"# + "\n" + &ping("1");
    let (delivered, replies) = exchange(input).await;
    assert_eq!(
        delivered.iter().filter_map(id_of).collect::<Vec<_>>(),
        ["1", "\"1\""]
    );
    let message = "the id 1 is in use by a request in flight";
    let error = json!({ "code": REQUEST, "message": message, "data": { "id": 1 } });
    assert_eq!(
        replies[0],
        json!({ "jsonrpc": "2.0", "id": null, "error": error })
    );
    assert_eq!(replies[1]["id"], json!(null));
    assert_eq!(replies[1]["error"]["data"], json!({ "id": 1 }));
    assert_eq!(replies.len(), 2);
}
