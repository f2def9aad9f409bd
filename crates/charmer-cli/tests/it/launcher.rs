//! `charmer-mcp`, the same program under the name of its packages.

use std::process::Command;

use crate::support::{err, out, put, works};

#[test]
fn it_is_charmer_under_another_name() {
    let output = Command::new(env!("CARGO_BIN_EXE_charmer-mcp"))
        .arg("--version")
        .output()
        .expect("it was built");
    assert_eq!(out(&output), works(&["--version"]));
    let output = Command::new(env!("CARGO_BIN_EXE_charmer-mcp"))
        .args(["tools", "a program that is not there"])
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        err(&output).contains("`a program that is not there`"),
        "{}",
        err(&output)
    );
}

#[test]
fn alone_it_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("there is room");
    let alone = folder
        .path()
        .join(format!("charmer-mcp{}", std::env::consts::EXE_SUFFIX));
    put(env!("CARGO_BIN_EXE_charmer-mcp"), &alone);
    let output = Command::new(alone).output().expect("it is a program");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("install the package charmer-mcp again"),
        "{}",
        err(&output)
    );
}
