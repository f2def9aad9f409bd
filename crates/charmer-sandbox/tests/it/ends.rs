//! No end of anybody's leaves a program running or a question open.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, Stdio},
};

use charmer_sandbox::{RightsReport, Sandbox, SandboxCommand};

use crate::support::{HANG, Scratch, confined, gone, launch, without_namespaces};

const NONE: [&str; 0] = [];
/// Writes its number, as it is outside, into the folder and stays.
const STAYS: &str = "cut -d' ' -f4 /proc/self/stat > id; exec sleep 600";

#[test]
fn a_program_and_its_group_end_when_told_to() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let script = "(cut -d' ' -f4 /proc/self/stat > child; exec sleep 600) & cut -d' ' -f4 /proc/self/stat > id; wait";
    let launched = launch(&sandbox, &scratch.shell(script, &NONE));
    let (id, child) = (scratch.file("id"), scratch.file("child"));
    launched.program.terminate();
    assert_eq!(launched.end().expect("it ran").signal(), Some(15));
    gone(&id);
    gone(&child);

    let stubborn = Scratch::new();
    let sandbox = stubborn.sandbox();
    let script = "trap '' TERM; cut -d' ' -f4 /proc/self/stat > id; while :; do sleep 1; done";
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
    let script =
        "(cut -d' ' -f4 /proc/self/stat > child; exec sleep 600) > /dev/null 2>&1 & exit 3";
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
fn a_program_cannot_end_stop_or_trick_the_confined_process() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    if sandbox.report().processes.is_err() {
        return;
    }
    let script = "kill -STOP $PPID; kill -9 $PPID; kill -TERM 1; echo still here";
    let said = launch(&sandbox, &scratch.shell(script, &NONE)).text();
    assert_eq!(said, "still here\n");
    let other = launch(&sandbox, &scratch.shell("exit 4", &NONE));
    assert_eq!(other.end().expect("it ran").code(), Some(4));
}

#[test]
fn without_a_process_namespace_its_end_is_told_and_nobody_is_left() {
    let scratch = Scratch::new();
    let sandbox = Sandbox::start(&without_namespaces(), &scratch.rights).expect("a sandbox");
    assert!(sandbox.report().processes.is_err());
    let waits = launch(&sandbox, &scratch.shell("exec sleep 600", &NONE));
    // It leaves its group and its session, and ends whom it can.
    let script = "setsid sh -c 'echo $$ > id; exec sleep 600' & while [ ! -s id ]; do sleep 0.01; done; \
                  kill -9 $PPID; exec sleep 600";
    let kills = launch(&sandbox, &scratch.shell(script, &NONE));
    let id = scratch.file("id");
    let said = [waits.lost(), kills.lost()];
    let later = launch(&sandbox, &scratch.shell("echo not confined", &NONE));
    for said in said.into_iter().chain([later.lost()]) {
        assert_eq!(said, "the sandbox is gone: its process ended");
    }
    gone(&id);
}

#[test]
fn a_confined_process_that_is_stopped_can_be_given_up() {
    let scratch = Scratch::new();
    let sandbox = Sandbox::start(&without_namespaces(), &scratch.rights).expect("a sandbox");
    let script = "echo $$ > id; kill -STOP $PPID; echo 1 > done; exec sleep 600";
    let stops = launch(&sandbox, &scratch.shell(script, &NONE));
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
    gone(&scratch.file("id"));
}

#[test]
fn clearing_ends_what_has_left_its_group_and_the_next_program_starts_clean() {
    for command in [confined(), without_namespaces()] {
        let scratch = Scratch::new();
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let script = "setsid sh -c 'cut -d\" \" -f4 /proc/self/stat > id; exec sleep 600' > /dev/null 2>&1 & \
                      while [ ! -s id ]; do sleep 0.01; done";
        let launched = launch(&sandbox, &scratch.shell(script, &NONE));
        let id = scratch.file("id");
        assert_eq!(launched.end().expect("it ran").code(), Some(0));
        assert!(Path::new("/proc").join(&id).exists(), "it got away so far");
        let (tell, told) = std::sync::mpsc::channel();
        sandbox.clear(Box::new(move |clean| _ = tell.send(clean)));
        assert_eq!(told.recv_timeout(HANG), Ok(true));
        assert!(!Path::new("/proc").join(&id).exists());
        let next = launch(&sandbox, &scratch.shell("exit 4", &NONE));
        assert_eq!(next.end().expect("it ran").code(), Some(4));
    }
}

#[test]
fn what_is_left_in_shared_memory_is_not_clean() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let launched = launch(&sandbox, &scratch.shell("echo x > /dev/shm/left", &NONE));
    let wrote = launched.answer().code == Some(0);
    assert_eq!(wrote, sandbox.report().mounts.is_ok());
    let (tell, told) = std::sync::mpsc::channel();
    sandbox.clear(Box::new(move |clean| _ = tell.send(clean)));
    assert_eq!(told.recv_timeout(HANG), Ok(!wrote));
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
        let report = serde_json::to_string(&RightsReport::whole(9)).expect("a report");
        let script = format!("read rights; echo '{report}' >&0; read order; {script}");
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
