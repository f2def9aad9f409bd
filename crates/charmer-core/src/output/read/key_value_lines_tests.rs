//! Blocks by example.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use serde_json::json;

use super::*;

fn auto(text: &str) -> Option<Value> {
    read(text, false)
}

#[test]
fn values_in_one_column_are_pairs() {
    let text = "\
Name:             web-0
Namespace:        harbour
Labels:           app=web
                  tier=front: end
Annotations:      <none>
Containers:
  web:
    Image:          registry/web:1.0
    Limits:
      cpu:  500m
Conditions:
  Type              Status
  ----              ------
  Initialized       True
  Ready             False
Tolerations:
  first of all
    deeper
Events:           <none>
";
    assert_eq!(
        auto(text),
        Some(json!({
            "Name": "web-0",
            "Namespace": "harbour",
            "Labels": ["app=web", "tier=front: end"],
            "Annotations": "<none>",
            "Containers": {"web": {"Image": "registry/web:1.0", "Limits": {"cpu": "500m"}}},
            "Conditions": [{"Type": "Initialized", "Status": "True"}, {"Type": "Ready", "Status": "False"}],
            "Tolerations": ["first of all", "  deeper"],
            "Events": "<none>",
        }))
    );
}

#[test]
fn sections_of_pairs_are_nested() {
    let text = "\
Client: Ship Engine
 Version:    28.2
 Debug Mode: false
 Plugins:
  sail: Sails things
    Version:  v0.24

Server:
 Boats: 3
  Afloat: 1
  Sunk: 2
 Safe Harbours:
  ::1/128
  127.0.0.0/8
 Name: host
";
    assert_eq!(
        auto(text),
        Some(json!({
            "Client": {
                "value": "Ship Engine",
                "Version": "28.2",
                "Debug Mode": "false",
                "Plugins": {"sail": {"value": "Sails things", "Version": "v0.24"}},
            },
            "Server": {
                "Boats": {"value": "3", "Afloat": "1", "Sunk": "2"},
                "Safe Harbours": ["::1/128", "127.0.0.0/8"],
                "Name": "host",
            },
        }))
    );
}

#[test]
fn several_things_are_items() {
    let one = "Name:    a\nAge:     1\nColour:  red\n";
    let two = one.replace("Name:    a", "Name:    b");
    let read = auto(&format!("{one}\n\n{two}")).unwrap();
    assert_eq!(read.as_array().map(Vec::len), Some(2));
    assert_eq!(read[1]["Name"], "b");
    assert_eq!(auto(&format!("{one}\n\nDone.\n")), None);
}

#[test]
fn tabs_after_colons_are_pairs() {
    assert_eq!(
        auto("title:\tFix: it\nlabels:\t\nstate:\tOPEN\n--\nSome *text*\n\n\tcode\n"),
        Some(
            json!({"title": "Fix: it", "labels": "", "state": "OPEN", "body": "Some *text*\n\n\tcode\n"})
        )
    );
    assert_eq!(auto("title:\ta\ntitle:\tb\n"), None);
    assert_eq!(auto("all:\tship\n\tcc ship.c\n"), None);
}

#[test]
fn other_text_is_left_alone() {
    for text in [
        "Note: this is prose.\n",
        "Error: no such file\nHint: look elsewhere\nSee: the manual\n",
        "Usage: ship [OPTIONS]\n\nOptions:\n  -a, --all   All\n  -b, --both  Both\n",
        "Ship:     a\nSails:    b\nCrew:     c\nCommands:\n  go      Goes\n  stop    Stops\n",
        "Ship sails.\n\nUsage:\n  ship\n",
        "INFO: one\nINFO: two\nINFO: three\n",
        "commit abc\nAuthor: A <a@b>\nDate:   Mon\n\n    text\n",
        "Title: a\nText: b\n",
        "name: a\nversion: 1.0\ndeps:\n  a: 1\n  b: 2\n  c: 3\n",
        "Name: \"a\"\nParts:\n  First: 1\n  Second: 2\n",
        "class Ship:\n    name: str\n    size: int\n    crew: list\n",
        "1: lo: <LOOPBACK>\n    link/loopback\n",
        "Name:  a\nAge:   1\nAge:   2\nSize:  3\n",
        "Name:  a\nAge:   1\nSize:  3\nand some text\n",
        "key:",
        "key: value",
        "http://example.com: not found\n",
        "",
    ] {
        assert_eq!(auto(text), None, "{text}");
    }
    let deep: String = (0..500)
        .map(|depth| format!("{}A:\n", " ".repeat(depth)))
        .collect();
    assert_eq!(auto(&deep), None);
}
