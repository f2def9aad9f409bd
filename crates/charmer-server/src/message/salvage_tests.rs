//! Tests of the id scanner: exact on valid objects, never wrong on cut ones, never panicking.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn number(id: i64) -> Option<RequestId> {
    Some(RequestId::Number(id))
}

fn string(id: &str) -> Option<RequestId> {
    Some(RequestId::String(id.into()))
}

#[test]
fn the_id_is_found_before_and_after_params() {
    assert_eq!(salvage_id(br#"{"id":7,"method":"x","params":{"#), number(7));
    assert_eq!(
        salvage_id(br#"{"params":{"id":1,"a":[{"id":2}]},"id":-3 }"#),
        number(-3)
    );
    assert_eq!(salvage_id(br#" { "id" : "a\"b" , oops"#), string("a\"b"));
    assert_eq!(salvage_id(br#"{"\u0069d":9}"#), number(9));
    assert_eq!(
        salvage_id(br#"{"id":9223372036854775807}"#),
        number(i64::MAX)
    );
}

#[test]
fn a_fault_elsewhere_does_not_hide_the_id() {
    assert_eq!(salvage_id(b"{\"a\":\"\xff\xfe\",\"id\":1}"), number(1));
    assert_eq!(
        salvage_id(br#"{"a":NaN,"b":1e400,"c":"\ud800","id":1}"#),
        number(1)
    );
    assert_eq!(salvage_id(br#"{"a":1 "id":1}"#), number(1));
    assert_eq!(salvage_id(br#"{a:1,"id":1}"#), number(1));
    let deep = format!(
        "{{\"a\":{}{},\"id\":1}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert_eq!(salvage_id(deep.as_bytes()), number(1));
}

#[test]
fn what_only_looks_like_an_id_is_not_taken() {
    for line in [
        r#"{"params":{"id":1}}"#,
        r#"{"x":"\",\"id\":1"}"#,
        r#"{"idx":1,"Id":2," id":3}"#,
        r#"{"x":"id"}"#,
        r#"[{"id":1}]"#,
        r#""id":1"#,
        r#"{"id":1.0}"#,
        r#"{"id":null}"#,
        r#"{"id":{"id":1}}"#,
        r#"{"id":[1]}"#,
        r#"{"id":9223372036854775808}"#,
        r#"{"id":"\ud800"}"#,
    ] {
        assert_eq!(salvage_id(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn a_cut_or_ambiguous_id_is_not_taken() {
    for line in [
        r#"{"id":12"#,
        r#"{"id":"ab"#,
        r#"{"id":1,"id":2}"#,
        r#"{"id":1,"id":1}"#,
        r#"{"id":1""#,
    ] {
        assert_eq!(salvage_id(line.as_bytes()), None, "{line}");
    }
    let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(MAX_TOKEN + 1));
    assert_eq!(salvage_id(long.as_bytes()), None);
    let longest = "x".repeat(MAX_TOKEN);
    assert_eq!(
        salvage_id(json!({ "id": longest }).to_string().as_bytes()),
        string(&longest)
    );
}

/// Text with everything that matters to a scanner in it.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just("id".to_owned()),
        3 => r#"[a-z"\\{}\[\]:,0-9 ]{0,8}"#,
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((text(), inner), 0..6).prop_map(|members| members.into_iter().collect())
}

fn expected(object: &Map<String, Value>) -> Option<RequestId> {
    match object.get("id") {
        Some(Value::String(id)) => string(id),
        Some(Value::Number(id)) => id.as_i64().and_then(number),
        _ => None,
    }
}

fn written(object: &Map<String, Value>, pretty: bool) -> Vec<u8> {
    let text = if pretty {
        serde_json::to_vec_pretty(object)
    } else {
        serde_json::to_vec(object)
    };
    text.expect("a map of JSON values serializes")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_id_of_a_valid_object_is_exactly_its_top_level_id(
        object in object(value()), pretty: bool, pieces in 1_usize..9,
    ) {
        let line = written(&object, pretty);
        prop_assert_eq!(salvage_id(&line), expected(&object));
        let mut scanner = IdScanner::new();
        line.chunks(pieces).for_each(|piece| scanner.feed(piece));
        prop_assert_eq!(scanner.finish(), expected(&object));
    }

    #[test]
    fn a_cut_object_gives_its_id_or_none(object in object(value()), pretty: bool, cut: prop::sample::Index) {
        let line = written(&object, pretty);
        let found = salvage_id(&line[..cut.index(line.len())]);
        prop_assert!(found.is_none() || found == expected(&object));
    }

    #[test]
    fn corruption_never_panics(
        object in object(value()), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut line = written(&object, false);
        for (at, byte) in changes {
            let at = at.index(line.len());
            line[at] = byte;
        }
        salvage_id(&line);
        super::super::envelope::read_message(&line);
    }

    #[test]
    fn any_bytes_never_panic(line: Vec<u8>) {
        salvage_id(&line);
        super::super::envelope::read_message(&line);
    }
}
