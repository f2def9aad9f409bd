//! No end of anybody's leaves a program running or a question open.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, Stdio},
};

use charmer_sandbox::{Sandbox, SandboxCommand};

use crate::support::{Scratch, confined, gone, launch};

const NONE: [&str; 0] = [];
/// Writes its number into the folder and stays.
const STAYS: &str = "echo $$ > id; exec sleep 600";

#[test]
fn a_program_and_its_group_end_when_told_to() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let script = "sleep 600 & echo $! > child; echo $$ > id; wait";
    let launched = launch(&sandbox, &scratch.shell(script, &NONE));
    let (id, child) = (scratch.file("id"), scratch.file("child"));
    launched.program.terminate();
    assert_eq!(launched.end().expect("it ran").signal(), Some(15));
    gone(&id);
    gone(&child);

    let stubborn = Scratch::new();
    let sandbox = stubborn.sandbox();
    let script = "trap '' TERM; echo $$ > id; while :; do sleep 1; done";
    let launched = launch(&sandbox, &stubborn.shell(script, &NONE));
    stubborn.file("id");
    launched.program.terminate();
    launched.program.kill();
    assert_eq!(launched.end().expect("it ran").signal(), Some(9));
}

#[test]
fn what_outlives_a_program_in_its_group_ends_with_its_handle() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let script = "sleep 600 > /dev/null 2>&1 & echo $! > child; exit 3";
    let launched = launch(&sandbox, &scratch.shell(script, &NONE));
    let child = scratch.file("child");
    assert_eq!(launched.end().expect("it ran").code(), Some(3));
    assert!(
        Path::new("/proc").join(&child).exists(),
        "it may still write"
    );
    drop(launched);
    gone(&child);
}

#[test]
fn a_program_ends_when_nobody_waits_for_it_and_others_go_on() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let launched = launch(&sandbox, &scratch.shell(STAYS, &NONE));
    let id = scratch.file("id");
    drop(launched);
    gone(&id);
    let other = launch(&sandbox, &scratch.shell("exit 4", &NONE));
    assert_eq!(other.end().expect("it ran").code(), Some(4));
}

#[test]
fn programs_end_with_the_sandbox_before_it_is_dropped() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let launched = launch(&sandbox, &scratch.shell(STAYS, &NONE));
    let id = scratch.file("id");
    drop(sandbox);
    assert!(!Path::new("/proc").join(id).exists());
    assert_eq!(launched.lost(), "the sandbox is gone: its process ended");
}

#[test]
fn programs_end_when_the_process_that_launched_them_is_killed() {
    let scratch = Scratch::new();
    let mut parent = Command::new(confined().program.with_file_name("launches"))
        .arg(confined().program)
        .arg(&scratch.path)
        .arg(STAYS)
        .stdin(Stdio::null())
        .spawn()
        .expect("the example is built with the tests");
    let id = scratch.file("id");
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let process = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let process = process.expect("it has a parent").trim();
    assert_ne!(process, parent.id().to_string());
    parent.kill().expect("it runs");
    parent.wait().expect("it was killed");
    gone(&id);
    gone(process);
}

#[test]
fn a_confined_process_that_is_killed_is_told_to_everybody() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let waits = launch(&sandbox, &scratch.shell("exec sleep 3", &NONE));
    let kills = launch(
        &sandbox,
        &scratch.shell("kill -9 $PPID; exec sleep 3", &NONE),
    );
    let said = [waits.lost(), kills.lost()];
    let later = launch(&sandbox, &scratch.shell("echo not confined", &NONE));
    for said in said.into_iter().chain([later.lost()]) {
        assert_eq!(said, "the sandbox is gone: its process ended");
    }
}

#[test]
fn a_confined_process_that_is_stopped_can_be_given_up() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let stops = launch(
        &sandbox,
        &scratch.shell("kill -STOP $PPID; echo 1 > done", &NONE),
    );
    scratch.file("done");
    stops.program.kill();
    stops.program.give_up();
    assert_eq!(
        stops.lost(),
        "the sandbox is gone: its process did not answer"
    );
    let later = launch(&sandbox, &scratch.shell("echo not confined", &NONE));
    assert_eq!(
        later.lost(),
        "the sandbox is gone: its process did not answer"
    );
}

#[test]
fn giving_up_on_a_program_whose_end_was_told_harms_nobody() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let ended = launch(&sandbox, &scratch.shell("exit 0", &NONE));
    ended.end().expect("it ran");
    ended.program.give_up();
    ended.program.terminate();
    let next = launch(&sandbox, &scratch.shell("exit 4", &NONE));
    assert_eq!(next.end().expect("it ran").code(), Some(4));
}

#[test]
fn a_confined_process_that_talks_nonsense_is_not_believed() {
    let ends = [
        ("echo nonsense >&0; exec sleep 600", "wrote nonsense"),
        (
            "head -c 100000 /dev/zero >&0; exec sleep 600",
            "wrote nonsense",
        ),
        ("exit 0", "its process ended"),
        ("printf half >&0", "wrote nonsense"),
    ];
    for (script, expected) in ends {
        let scratch = Scratch::new();
        let report = r#"echo '{"network":{"Ok":null},"landlock":{"Ok":9}}' >&0"#;
        let script = format!("read rights; {report}; read order; {script}");
        let command = SandboxCommand {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.clone().into()],
        };
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("it reports");
        for _ in 0..2 {
            let lost = launch(&sandbox, &scratch.shell("echo not confined", &NONE)).lost();
            assert!(lost.contains(expected), "{script}: {lost}");
        }
    }
}
