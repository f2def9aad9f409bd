//! `charmer call`.

use std::{
    io::Write,
    process::{Output, Stdio},
};

use serde_json::Value;

#[cfg(unix)]
use crate::support::write_script;
use crate::support::{charmer, err, out, run, ship};

fn call(words: &[&str]) -> Output {
    run(&[&["call", "--binary", &ship()], words].concat())
}

#[test]
fn words_and_json_mean_the_same() {
    let words = call(&[
        "ship_sail",
        "Oslo",
        "--knots",
        "12",
        "--cargo",
        "tea",
        "--cargo=silk",
    ]);
    let json = call(&[
        "ship_sail",
        r#"{"port": "Oslo", "knots": 12, "cargo": ["tea", "silk"]}"#,
    ]);
    let expected = r#"["sail", "--knots=12", "--cargo=tea", "--cargo=silk", "Oslo"]"#;
    assert!(
        out(&words).starts_with(expected),
        "{}{}",
        out(&words),
        err(&words)
    );
    assert_eq!(out(&words), out(&json));
    assert!(out(&words).contains("marked true"));
    assert_eq!(
        (words.status.code(), json.status.code()),
        (Some(0), Some(0))
    );

    let mut child = charmer(&["call", "--binary", &ship(), "ship_list", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it was built");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(br#"{"all": true}"#).expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(
        out(&output).starts_with(r#"["list", "--all"]"#),
        "{}",
        out(&output)
    );
}

#[test]
fn a_failed_call_is_an_error_with_its_output() {
    let output = call(&["ship_sink"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out(&output), "the ship has sunk\nexit code 3\n");
    let output = call(&["--json", "ship_sink"]);
    let result: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    assert_eq!(
        (&result["exitCode"], &result["error"]["code"]),
        (&3.into(), &"failed".into())
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn input_is_checked_as_for_an_assistant() {
    let output = call(&["ship_sail", "--knots", "many"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(text.contains("knots") && text.contains("port"), "{text}");
    let output = call(&["ship_sail", "Oslo", "--knotz", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("did you mean `--knots`?"),
        "{}",
        err(&output)
    );
    let output = call(&["--knots", "ship_sail"]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(text.contains("stands after its name"), "{text}");
}

#[test]
fn the_program_is_the_first_word_of_the_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!("ship{}", std::env::consts::EXE_SUFFIX);
    std::fs::copy(ship(), folder.path().join(file)).expect("it can be copied");
    let output = charmer(&["call", "ship_crew_show", "Ada"])
        .env("PATH", folder.path())
        .output()
        .expect("it was built");
    assert!(
        out(&output).starts_with(r#"["crew", "show", "Ada"]"#),
        "{}{}",
        out(&output),
        err(&output)
    );
}

#[test]
fn a_call_ends_when_its_time_is_up() {
    let output = call(&["--timeout", "200ms", "ship_drift"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("the command was ended after"),
        "{}",
        out(&output)
    );
}

#[test]
fn options_stand_anywhere() {
    let expected = call(&["--json", "--timeout", "20s", "ship_list", "--all"]);
    assert_eq!(expected.status.code(), Some(0), "{}", err(&expected));
    let ship = ship();
    for words in [
        &[
            "ship_list",
            "--all",
            "--json",
            "--binary",
            &ship,
            "--timeout=20s",
        ][..],
        &["ship_list", "--json", "-b", &ship, "--all"],
        &["--binary", &ship, "ship_list", r#"{"all": true}"#, "--json"],
        &["ship_list", "--read-only", "--json", "--all", "-b", &ship],
    ] {
        let output = run(&[&["call"], words].concat());
        assert_eq!(out(&output), out(&expected), "{words:?}: {}", err(&output));
    }
    // They mean there what they mean before the tool.
    let output = call(&["ship_sail", "Oslo", "--read-only"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    let output = call(&["ship_sail", "Oslo", "--timeout", "soon"]);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(err(&output).contains("--timeout"), "{}", err(&output));
    // What is behind the two dashes is the tool's.
    let output = call(&["ship_sail", "--", "--json"]);
    assert!(!out(&output).starts_with('{'), "{}", out(&output));
}

#[test]
fn the_tools_for_all_commands_are_called_with_a_program() {
    let ship = ship();
    for words in [
        &["run_read", "-b", &ship, "--command", "ship_list"][..],
        &["run_read", "ship_list", "-b", &ship],
        &["-b", &ship, "run_read", r#"{"command": "ship list"}"#],
    ] {
        let output = run(&[&["call"], words].concat());
        let text = out(&output);
        assert!(
            text.starts_with(r#"["list"]"#),
            "{words:?}: {text}{}",
            err(&output)
        );
    }
    let output = run(&["call", "search_commands", "sail somewhere", "-b", &ship]);
    assert!(out(&output).contains("ship_sail ["), "{}", err(&output));
    let output = run(&["call", "run_read", "ship_list"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("--binary PROGRAM"),
        "{}",
        err(&output)
    );
}

#[cfg(unix)]
#[test]
fn nothing_waits_for_a_person() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("pen");
    write_script(
        &program,
        "case \"$*\" in *help*) echo 'Usage: pen [OPTION]...' ;; *) env ;; esac",
    );
    let spells = folder.path().join("spells");
    std::fs::create_dir(&spells).expect("a folder");
    let spell = "name: write\ndescription: Writes\ncommand: env\npaths: [.]\nenv: {EDITOR: ed}\n";
    std::fs::write(spells.join("write.yaml"), spell).expect("it can be written");
    let config = folder.path().join("charmer.yaml");
    let text =
        "sources:\n  - binary: ./pen\n    environment: {set: {PAGER: less}, remove: [VISUAL]}\n";
    std::fs::write(&config, text).expect("it can be written");

    let seen = |words: &[&str]| {
        let mut command = charmer(&[&["call"], words].concat());
        for (name, value) in [
            ("EDITOR", "vim"),
            ("GIT_EDITOR", "vim"),
            ("KUBE_EDITOR", "vim"),
            ("MANPAGER", "less"),
            ("GIT_ASKPASS", "token"),
        ] {
            command.env(name, value);
        }
        let output = command.output().expect("it was built");
        assert!(output.status.success(), "{}{}", out(&output), err(&output));
        let is_about = |line: &&str| {
            let (name, _) = line.split_once('=').unwrap_or_default();
            name.ends_with("EDITOR")
                || name.ends_with("PAGER")
                || [
                    "VISUAL",
                    "GIT_ASKPASS",
                    "GIT_TERMINAL_PROMPT",
                    "DEBIAN_FRONTEND",
                ]
                .contains(&name)
        };
        let mut lines: Vec<String> = out(&output)
            .lines()
            .filter(is_about)
            .map(str::to_owned)
            .collect();
        lines.sort_unstable();
        lines
    };
    let program = program.to_string_lossy();
    let mut expected = vec![
        "DEBIAN_FRONTEND=noninteractive",
        "EDITOR=false",
        "GIT_ASKPASS=token",
        "GIT_EDITOR=true",
        "GIT_PAGER=cat",
        "GIT_SEQUENCE_EDITOR=false",
        "GIT_TERMINAL_PROMPT=0",
        "PAGER=cat",
        "VISUAL=false",
    ];
    assert_eq!(seen(&["--binary", &program, "pen"]), expected);
    expected.retain(|line| !line.starts_with("GIT_ASKPASS"));
    expected[1] = "EDITOR=ed";
    let spells = spells.to_string_lossy();
    assert_eq!(seen(&["--spells", &spells, "write"]), expected);
    // What the file says by name goes before.
    let seen = seen(&["--config", &config.to_string_lossy(), "pen"]);
    assert!(seen.contains(&"PAGER=less".to_owned()), "{seen:?}");
    assert!(
        !seen.iter().any(|line| line.starts_with("VISUAL")),
        "{seen:?}"
    );
}
