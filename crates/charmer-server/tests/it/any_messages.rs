//! Whatever a client sends, each of its requests is answered once, and the server lives.

use std::collections::BTreeMap;

use charmer_run::Outcome;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::client::{Client, modern, service, tools};

const METHODS: [&str; 17] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "logging/setLevel",
    "notifications/initialized",
    "no/such",
];
const KEYS: [&str; 14] = [
    "name",
    "arguments",
    "uri",
    "cursor",
    "ref",
    "argument",
    "context",
    "taskId",
    "protocolVersion",
    "capabilities",
    "clientInfo",
    "inputResponses",
    "requestState",
    "_meta",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![
            Just("t_a"),
            Just("2025-11-25"),
            Just("2026-07-28"),
            Just("ref/prompt"),
            Just("help://t/a"),
            Just("")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop_oneof![
            Just("name"),
            Just("version"),
            Just("type"),
            Just("roots"),
            Just("x")
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..3).prop_map(|all: BTreeMap<_, _>| {
                let all = all
                    .into_iter()
                    .map(|(key, value)| (String::from(key), value));
                Value::Object(all.collect())
            }),
        ]
    })
}

/// Parameters that a method may have or not, and what a request says of itself: nothing, everything, or nonsense.
fn params() -> impl Strategy<Value = Value> {
    let fields = prop::collection::btree_map(prop::sample::select(&KEYS[..]), value(), 0..5);
    (fields, 0..4_u8).prop_map(|(fields, era)| {
        let mut params: Map<String, Value> = fields
            .into_iter()
            .map(|(key, value)| (String::from(key), value))
            .collect();
        match era {
            0 => {
                params.insert("_meta".into(), modern());
            }
            1 | 2 => {
                params.shift_remove("_meta");
            }
            _ => {}
        }
        Value::Object(params)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn each_request_is_answered_once(
        asked in prop::collection::vec((prop::sample::select(&METHODS[..]), params(), any::<bool>()), 1..12),
        handshake in any::<bool>(),
    ) {
        let path = service(|_| Ok(Outcome::success("ok")));
        let mut client = Client::start(tools(&["a"], &path));
        if handshake {
            client.initialize();
        }
        let mut open = std::collections::BTreeSet::new();
        for (id, (method, params, wants_answer)) in asked.iter().enumerate() {
            let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
            if *wants_answer {
                let id = 100 + id;
                message["id"] = json!(id);
                open.insert(id as u64);
            }
            client.send(&message);
        }
        while !open.is_empty() {
            let answer = client.next();
            // News of lists, and questions of the server's own, are no answers.
            if answer.get("method").is_some() {
                continue;
            }
            let id = answer["id"].as_u64().unwrap_or_else(|| panic!("nobody's answer: {answer}"));
            prop_assert!(open.remove(&id), "answered twice: {answer}");
            prop_assert!(answer["result"].is_object() != answer["error"].is_object(), "{answer}");
        }
        client.end();
    }
}
