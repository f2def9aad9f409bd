//! `charmer check`: files against the programs that they are about.

use std::path::Path;

use serde_json::Value;

use crate::support::{charmer, err, out, ship};

/// The code that it ends with and what it prints for this file.
fn checked(text: &str, words: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("charmer.yaml"), text).expect("it can be written");
    check_in(folder.path(), words)
}

fn check_in(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let words: Vec<&str> = std::iter::once("check")
        .chain(words.iter().copied())
        .collect();
    let output = charmer(&words)
        .current_dir(folder)
        .output()
        .expect("it was built");
    (output.status.code(), out(&output) + &err(&output))
}

fn of_ship(keys: &str) -> String {
    let path = serde_json::to_string(&ship()).expect("a path");
    format!("sources:\n  - binary: {path}\n{keys}")
}

#[test]
fn names_that_the_program_does_not_have_are_shown_where_they_stand() {
    let text = of_ship(
        "    set: {flet: north}\n    redirects: [--fleeet]\n    override:\n      crew dismis: {effect: destroy}\n    select:\n      - commands: {exclude: [crew shwo]}\n        flags: {exclude: [--al]}\n",
    );
    let (code, shown) = checked(&text, &[]);
    assert_eq!(code, Some(1), "{shown}");
    for part in [
        "charmer.yaml:3:11",
        "did you mean `--fleet`?",
        "charmer.yaml:4:17",
        "charmer.yaml:6:7",
        "did you mean `crew dismiss`?",
        "charmer.yaml:8:30",
        "did you mean `crew show`?",
        "charmer.yaml:9:27",
        "did you mean `--all`?",
        "5 mistakes",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let (code, shown) = checked(&text, &["--json"]);
    let json: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!((code, &json["ok"]), (Some(1), &false.into()));
    let first = &json["files"][0]["mistakes"][0];
    assert_eq!(
        (&first["line"], &first["column"]),
        (&3.into(), &11.into()),
        "{json}"
    );
}

#[test]
fn a_file_that_serves_nothing_is_wrong() {
    for (text, said) in [
        (
            "limits: {timeout: 5s}".to_owned(),
            "nothing would be served",
        ),
        (
            "sources: [{binary: no-such-program-xyz}]".to_owned(),
            "is not on your PATH",
        ),
        (
            "sources: [{spells: nowhere}]".to_owned(),
            "there is no folder of spells",
        ),
        (
            of_ship("    select: [{commands: {allow: [crew]}}]\n"),
            "would be served",
        ),
        ("sources: [".to_owned(), "no valid YAML"),
    ] {
        let (code, shown) = checked(&text, &[]);
        assert_eq!(code, Some(1), "{text}: {shown}");
        assert!(shown.contains(said), "{text}: {shown}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (code, shown) = check_in(folder.path(), &[]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("charmer init"), "{shown}");
}

#[test]
fn spells_are_checked_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("spells")).expect("it can be made");
    let spell = folder.path().join("spells/hello.yaml");
    std::fs::write(
        &spell,
        "description: Says hello.\ncommand: echo\neffect: read\nflags: none\n",
    )
    .expect("a file");
    std::fs::write(
        folder.path().join("charmer.yaml"),
        "sources: [{spells: spells}]",
    )
    .expect("a file");
    for words in [
        &[][..],
        &["spells"],
        &["spells/hello.yaml"],
        &["charmer.yaml", "spells/hello.yaml"],
    ] {
        let (_, shown) = check_in(folder.path(), words);
        assert!(shown.contains("1 spell"), "{words:?}: {shown}");
    }
    std::fs::write(&spell, "descriptoin: Says hello.\n").expect("a file");
    for words in [&[][..], &["spells"], &["spells/hello.yaml"]] {
        let (code, shown) = check_in(folder.path(), words);
        assert_eq!(code, Some(1), "{words:?}: {shown}");
        assert!(shown.contains("hello.yaml:1:1"), "{words:?}: {shown}");
    }
}

#[test]
fn expectations_are_decided_and_nothing_is_run() {
    let rules = "    select:\n      - commands: {allow: [list, crew dismiss]}\n        validate: [{argument: limit, pattern: '[0-9]'}]\n    expect:\n";
    let met = "      - allow: list --all\n      - allow: list --limit 5\n      - deny: list --limit 50\n      - deny: crew show x\n";
    let (code, shown) = checked(&of_ship(&format!("{rules}{met}")), &[]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("4 of 4 expectations met"), "{shown}");

    let missed = "      - deny: list --all\n      - allow: crew show x\n      - deny: crw show x\n      - deny: list --no-such\n";
    let (code, shown) = checked(&of_ship(&format!("{rules}{missed}")), &[]);
    assert_eq!(code, Some(1), "{shown}");
    for part in [
        "`list --all` would be run, and `deny` is expected",
        "`crew show` is not offered",
        "there is no command `crw` (did you mean `crew`?)",
        "has no flag `--no-such`",
        "0 of 4 expectations met",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
