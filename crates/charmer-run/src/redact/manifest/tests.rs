//! Manifests and kubeconfigs as programs print them, and texts that only look like them.

use proptest::prelude::*;

use super::*;

fn in_pieces(text: &str, piece: usize) -> String {
    let mut stream = ManifestStream::new();
    let mut out = Vec::new();
    for piece in text.as_bytes().chunks(piece) {
        out.extend_from_slice(&stream.feed(piece));
    }
    out.extend(stream.finish());
    String::from_utf8(out).expect("UTF-8")
}

/// The masked text, which is the same however it is cut, and masked once and for all.
fn masked_text(text: &str) -> String {
    let whole = in_pieces(text, text.len().max(1));
    for piece in 1..text.len() {
        assert_eq!(in_pieces(text, piece), whole, "pieces of {piece}");
    }
    for at in 0..text.len() {
        let mut stream = ManifestStream::new();
        let mut out = stream.feed(&text.as_bytes()[..at]).into_owned();
        out.extend_from_slice(&stream.feed(&text.as_bytes()[at..]));
        out.extend(stream.finish());
        assert_eq!(String::from_utf8_lossy(&out), whole, "cut at {at}");
    }
    assert_eq!(masked(text), whole);
    assert_eq!(masked(&whole), whole);
    whole
}

/// What holds none of these secrets any more, but all the rest.
fn hides(text: &str, secrets: &[&str]) -> String {
    let shown = masked_text(text);
    for secret in secrets {
        assert!(text.contains(secret), "{secret} is not there at all");
        assert!(!shown.contains(secret), "{secret} is shown:\n{shown}");
    }
    shown
}

const SECRET_YAML: &str = r#"apiVersion: v1
data:
  password: czNjcjN0
  username: YWRtaW4=
immutable: true
kind: Secret
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","data":{"password":"czNjcjN0"},"kind":"Secret","metadata":{"annotations":{},"name":"db"},"type":"Opaque"}
  name: db
  namespace: default
type: Opaque
"#;

#[test]
fn a_secret_in_yaml_keeps_its_keys_and_loses_its_values() {
    let shown = hides(SECRET_YAML, &["czNjcjN0", "YWRtaW4="]);
    let expected = SECRET_YAML
        .replace("password: czNjcjN0", "password: \"[redacted]\"")
        .replace("YWRtaW4=", "\"[redacted]\"")
        .replace("czNjcjN0", "[redacted]");
    assert_eq!(shown, expected);
    let dos = SECRET_YAML.replace('\n', "\r\n");
    assert_eq!(masked_text(&dos), expected.replace('\n', "\r\n"));
}

#[test]
fn secrets_in_lists_and_documents_are_found_and_others_stay() {
    let list = r#"apiVersion: v1
items:
- apiVersion: v1
  data:
    tls.crt: cGxhaW4=
    tls.key: c2VjcmV0a2V5
  kind: Secret
  metadata:
    name: one
- apiVersion: v1
  data:
    colour: blue
    file: |
      data: none
      kind of: blue
  kind: ConfigMap
  metadata:
    name: two
- apiVersion: v1
  kind: Secret
  metadata:
    name: three
  stringData:
    note: |-
      first-secret-line
        second-secret-line

      third-secret-line
    folded: begun-secret
      and-its-end
    empty: ""
  type: Opaque
kind: List
---
apiVersion: v1
data:
  x: stays-too
kind: ConfigMap
---
kind: Secret
data:
  x: dHdv
"#;
    let secrets = [
        "cGxhaW4=",
        "c2VjcmV0a2V5",
        "first-secret-line",
        "second-secret-line",
        "third-secret-line",
        "begun-secret",
        "and-its-end",
        "dHdv",
    ];
    let shown = hides(list, &secrets);
    for kept in [
        "colour: blue",
        "data: none",
        "name: two",
        "    note: \"[redacted]\"\n",
        "empty: \"\"",
        "type: Opaque",
        "kind: List",
        "x: stays-too",
    ] {
        assert!(shown.contains(kept), "{kept}:\n{shown}");
    }
}

#[test]
fn comments_and_quoted_keys_hide_nothing_from_the_mask() {
    for text in [
        "kind: Secret # made by hand\ndata:\n  a: c2Vj\n",
        "kind: \"Secret\" # \"so\"\ndata: # two\n  a: c2Vj # b\n",
        "data: # all\n  a: c2Vj\nkind: 'Secret'   # it's one\n",
        "\"kind\": \"Secret\"\n\"data\":\n  \"a\": \"c2Vj\"\n",
        "\"data\":\n  \"a\": c2Vj\n\"kind\": Secret\n",
        "'data':\n  'a': c2Vj\n'kind': Secret\n",
        "- \"kind\": \"Secret\"\n  \"stringData\":\n    a: c2Vj\n",
        "users: # all\n- name: x\n  user: # one\n    token: c2Vj\n",
        "\"users\":\n- \"user\":\n    \"token\": c2Vj\n",
        "'client-key-data': c2Vj\n",
        "kind: Secret\ndata:\n# between\n  a: c2Vj\n# and more\n  b: c2Vj\n",
        "data:\n# between\n  a: c2Vj\n# and more\n  b: c2Vj\nkind: Secret\n",
        "  kind: Secret\n# outside\n  data:\n    a: c2Vj\n",
    ] {
        hides(text, &["c2Vj"]);
    }
    let shown = hides(
        "data:\n  # was: b2xk\n  a: c2Vj\n  #b: b2xk\n  c: |\n    # c2Vj\n# end\nkind: Secret\n# last\n",
        &["c2Vj", "b2xk"],
    );
    let expected = "data:\n  # [redacted]\n  a: \"[redacted]\"\n  # [redacted]\n  c: \"[redacted]\"\n# [redacted]\nkind: Secret\n# last\n";
    assert_eq!(shown, expected);
}

#[test]
fn a_list_of_secrets_in_yaml_is_masked_without_a_kind_in_its_items() {
    for indent in ["", "  "] {
        let items = "- metadata:\n    name: one\n  data:\n    x: b25l\n  type: Opaque\n- data:\n    y: dHdv\n  metadata:\n    labels:\n      data: stays\n";
        let items: String = items
            .lines()
            .map(|line| format!("{indent}{line}\n"))
            .collect();
        let text = format!("kind: SecretList # all\napiVersion: v1\nitems:\n{items}more: stays\n");
        let shown = hides(&text, &["b25l", "dHdv"]);
        assert_eq!(shown.matches("stays").count(), 2, "{shown}");
        assert!(
            shown.contains("Opaque") && shown.contains("name: one"),
            "{shown}"
        );
    }
}

#[test]
fn flow_style_on_one_line_is_masked() {
    for text in [
        "{kind: Secret, data: {a: c2Vj}}\n",
        "{ data: { a: c2Vj, 'b': \"c2Vj, }\" }, kind: 'Secret' } # x\n",
        "{apiVersion: v1, data: {a: c2Vj}, kind: Secret, stringData: {b: c2Vj}}",
        "- {kind: \"Secret\", metadata: {name: x}, stringData: {a: \"c2Vj\"}}\n",
        "applied {kind: SecretList, items: [{data: {a: c2Vj}}, {data: {b: c2Vj}}]}\n",
        "kind: Secret\ndata: {a: c2Vj}\n",
        "users:\n- name: x\n  user: {token: c2Vj}\n",
        "users:\n- {name: x, user: {token: c2Vj, auth-provider: {config: {id-token: c2Vj}}}}\n",
        "users: [{name: x, user: {token: c2Vj}}]\n",
        "{kind: Config, users: [{name: x, user: {password: c2Vj}}]}\n",
        "user: {client-certificate-data: x, client-key-data: c2Vj}\n",
        "{kind: Secret, data: {a: c2Vj",
    ] {
        hides(text, &["c2Vj"]);
    }
    assert_eq!(
        masked_text("{kind: Secret, data: {a: c2Vj, b: \"\"}, type: Opaque}\n"),
        "{kind: Secret, data: {a: \"[redacted]\", b: \"\"}, type: Opaque}\n"
    );
}

fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON") + "\n"
}

fn secret_json() -> serde_json::Value {
    let applied = serde_json::json!({
        "apiVersion": "v1", "data": {"password": "czNjcjN0"}, "kind": "Secret", "metadata": {"name": "db"},
    });
    serde_json::json!({
        "apiVersion": "v1",
        "data": {"password": "czNjcjN0", "quoted\"key": "a\\\"b\\\\", "none": ""},
        "kind": "Secret",
        "metadata": {
            "annotations": {"last-applied-configuration": applied.to_string() + "\n"},
            "labels": {"data": "stays"},
            "name": "db",
        },
        "stringData": {"more": "m0re"},
        "type": "Opaque",
    })
}

#[test]
fn a_secret_in_json_stays_json() {
    for text in [pretty(&secret_json()), secret_json().to_string()] {
        let shown = hides(&text, &["czNjcjN0", "m0re", r#"a\\\"b"#]);
        let read: serde_json::Value = serde_json::from_str(&shown).expect("it is JSON still");
        assert_eq!(read["data"]["password"], REDACTED);
        assert_eq!(read["data"]["quoted\"key"], REDACTED);
        assert_eq!(read["data"]["none"], "");
        assert_eq!(read["stringData"]["more"], REDACTED);
        assert_eq!(read["metadata"]["labels"]["data"], "stays");
        let applied = read["metadata"]["annotations"]["last-applied-configuration"].as_str();
        let applied: serde_json::Value =
            serde_json::from_str(applied.expect("a text")).expect("it is JSON in a string still");
        assert_eq!(applied["data"]["password"], REDACTED);
    }
}

#[test]
fn json_in_strings_of_strings_is_found() {
    let mut text = secret_json().to_string();
    for _ in 0..2 {
        text = serde_json::json!({"level": "info", "object": text}).to_string() + "\n";
    }
    hides(&text, &["czNjcjN0", "m0re"]);
    let drawn = pretty(&secret_json());
    let text = serde_json::json!({ "object": drawn }).to_string();
    hides(&text, &["czNjcjN0", "m0re"]);
    hides(
        &format!("I1116 apply {} done\n", secret_json()),
        &["czNjcjN0", "m0re"],
    );
}

#[test]
fn whichever_of_kind_and_data_comes_first() {
    let data = r#""data":{"a":"c2Vj"}"#;
    let metadata = r#""metadata":{"name":"x","labels":{"kind":"Pod"}}"#;
    let kind = r#""kind" : "Secret""#;
    for parts in [
        [data, metadata, kind],
        [kind, metadata, data],
        [metadata, kind, data],
        [metadata, data, kind],
    ] {
        hides(&format!("{{{}}}", parts.join(",")), &["c2Vj"]);
        let other = format!(
            "{{{}}}",
            parts.join(",").replace("\"Secret\"", "\"ConfigMap\"")
        );
        assert_eq!(masked_text(&other), other);
    }
    let list = r#"{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"data":{"x":"b25l"}},{"data":{"y":"dHdv"},"type":"Opaque"}]}"#;
    hides(list, &["b25l", "dHdv"]);
    let items = r#"{"apiVersion":"v1","items":[{"data":{"x":"b25l"},"kind":"Secret"},{"data":{"x":"stay"},"kind":"ConfigMap"}],"kind":"List"}"#;
    assert!(hides(items, &["b25l"]).contains("stay"));
}

#[test]
fn a_kubeconfig_loses_its_keys_and_tokens() {
    let yaml = r#"apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: cHVibGlj
    server: https://127.0.0.1:6443
  name: kind
contexts: []
current-context: kind
kind: Config
preferences: {}
users:
- name: admin
  user:
    client-certificate-data: cHVibGljdG9v
    client-key-data: cHJpdmF0ZQ==
- name: robot
  user:
    token: eyJhbGciOi.x.y
- name: person
  user:
    auth-provider:
      config:
        access-token: acc3ss
        client-id: me
        refresh-token: r3fresh
      name: oidc
    password: hunter2
    username: person
"#;
    let secrets = [
        "cHJpdmF0ZQ==",
        "eyJhbGciOi.x.y",
        "acc3ss",
        "r3fresh",
        "hunter2",
    ];
    let shown = hides(yaml, &secrets);
    for kept in [
        "cHVibGlj",
        "cHVibGljdG9v",
        "username: person",
        "client-id: me",
        "name: robot",
    ] {
        assert!(shown.contains(kept), "{kept}:\n{shown}");
    }
    let json = serde_json::json!({
        "kind": "Config", "apiVersion": "v1",
        "clusters": [{"name": "kind", "cluster": {"server": "https://127.0.0.1", "token": "stays"}}],
        "users": [
            {"name": "admin", "user": {"client-certificate-data": "cHVibGlj", "client-key-data": "cHJpdmF0ZQ=="}},
            {"name": "robot", "user": {"token": "eyJhbGciOi.x.y", "username": "robot"}},
            {"name": "person", "user": {"auth-provider": {"config": {"access-token": "acc3ss"}, "name": "oidc"}}},
        ],
        "token": "stays",
    });
    for text in [
        pretty(&json),
        json.to_string(),
        serde_json::json!({"c": json.to_string()}).to_string(),
    ] {
        let shown = hides(&text, &["cHJpdmF0ZQ==", "eyJhbGciOi.x.y", "acc3ss"]);
        assert_eq!(shown.matches("stays").count(), 2, "{shown}");
        assert!(shown.contains("cHVibGlj"));
        serde_json::from_str::<serde_json::Value>(&shown).expect("it is JSON still");
    }
    hides(
        "client-key-data: cHJpdmF0ZQ==\nnext: x\n",
        &["cHJpdmF0ZQ=="],
    );
    hides(r#"{"client-key-data":"cHJpdmF0ZQ=="}"#, &["cHJpdmF0ZQ=="]);
}

#[test]
fn ordinary_output_is_left_alone() {
    for text in [
        "kind of data: users and a Secret\n",
        "data:\n  - one\n  - two\nkind: Secret\n",
        "data:\n  nested:\n    deep: x\nkind: Secret\n",
        "users:\n- name: bob\n  password: x\n",
        "users: 12\nload: 1\n  user: x\n  token: y\n",
        r#"{"data":[{"kind":"Secret"}],"users":[{"name":"bob","token":"x"}]}"#,
        r#"{"data":{"count":3},"kind":"Secret"}"#,
        r#"{"data":{"a":"x"},"kind":"SecretStore"}"#,
        r#"{"a":{"kind":"Secret"},"data":{"a":"x"}}"#,
        r#"{"kind":"Secret"},{"data":{"a":"x"}}"#,
        r#"NAME   TYPE     DATA
db     Opaque   2
"#,
        "kind: Secret\nname: x\n---\ndata:\n  a: b\nkind: ConfigMap\n",
        "kind: Secret\n",
        "{kind: ConfigMap, data: {a: b}}\n",
        "{data: {a: b}, of: {kind: Secret}}\n",
        "{data: {a: b}, kind: SecretStore}\n",
        "{kind: Secret}, {data: {a: b}}\n",
        "one, data: {a: b}, users: [x], kind of: Secret\n",
        "users: [{name: x, token: y}]\n",
        "kind: Secret#1\ndata:\n  a: b\n",
        "kind: SecretStore # Secret\ndata:\n  a: b\n",
        "\"kind: Secret\ndata:\n  a: b\n",
        "# data:\n#   a: b\n# kind: Secret\n",
        "data:\n  # note\n  a: b\nkind: ConfigMap # Secret\n",
        "kind: SecretList\nitems:\n- metadata:\n    data: x\n",
        "\"data\": {\"a\": \"b\"",
        "data:\n  a: b\n",
        "  \"kind\": \"Secret\"\n  and then \"data\": {\"a\": \"b\"}\n",
    ] {
        assert_eq!(masked_text(text), text);
    }
}

#[test]
fn what_is_cut_off_in_the_middle_of_a_secret_is_hidden() {
    for text in [
        r#"{"kind":"Secret","data":{"a":"c2VjcmV0"#,
        r#"{"kind":"Secret","data":{"a":"c2VjcmV0","b":"c2VjcmV0"#,
        "kind: Secret\ndata:\n  a: c2VjcmV0",
        r#"{"users":[{"user":{"token":"c2VjcmV0"#,
    ] {
        hides(text, &["c2VjcmV0"]);
    }
}

#[test]
fn no_more_is_kept_back_than_a_secret_can_hold() {
    let mut stream = ManifestStream::new();
    let mut given = stream.feed(b"{\"data\":{\"a\":\"").len();
    let mut most = 0;
    for _ in 0..1000 {
        given += stream.feed(&[b'x'; 10_000]).len();
        most = most.max(stream.held());
    }
    assert!(
        most <= LARGEST + 20_000 && given > 7_000_000,
        "{most} {given}"
    );
    let long = format!(
        "{{\"kind\":\"Secret\",\"data\":{{\"a\":\"{}\"}}}}",
        "x".repeat(3 * LARGEST)
    );
    assert_eq!(
        in_pieces(&long, 65_536),
        r#"{"kind":"Secret","data":{"a":"[redacted]"}}"#
    );
    let long = format!(
        "kind: Secret\ndata:\n  a: {}\n  b: c\n",
        "x".repeat(3 * LARGEST)
    );
    let expected = "kind: Secret\ndata:\n  a: \"[redacted]\"\n  b: \"[redacted]\"\n";
    assert_eq!(in_pieces(&long, 65_536), expected);
}

#[test]
fn what_has_no_marker_is_given_on_at_once() {
    let mut stream = ManifestStream::new();
    for piece in ["50 %\r", "a prompt: ", "line\n  \"key\": 1,", " x\n"] {
        let given = stream.feed(piece.as_bytes());
        assert!(
            matches!(given, Cow::Borrowed(given) if given == piece.as_bytes()),
            "{piece}"
        );
    }
}

fn printed() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "data",
        "stringData",
        "kind",
        "Secret",
        "users",
        "user",
        "token",
        "client-key-data",
        "\"",
        "\\\"",
        "\\",
        ":",
        ": ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\n",
        "  ",
        "- ",
        "x",
        "\\n",
        "---\n",
        "data:\n",
        "kind: Secret\n",
        "kind: SecretList # x\n",
        "items:\n",
        "'",
        "\"kind\": \"Secret\"\n",
        "\"data\":\n",
        "# x\n",
        "{kind: Secret, ",
        "data: {a: b}",
        "users: [{user: {token: x",
        "é",
        "\"data\":{\"a\":\"",
        "\"kind\":\"Secret\"",
        "users:\n",
        "\r\n",
        "  user:\n",
        "    token: y\n",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_text_is_masked_the_same_in_any_pieces(text in printed()) {
        let whole = in_pieces(&text, text.len().max(1));
        for piece in [1, 2, 3, 7, 20] {
            prop_assert_eq!(&in_pieces(&text, piece), &whole);
        }
    }
}
