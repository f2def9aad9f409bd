//! How a run ends: by itself, by its limits, by its caller, and with what it reads.

use std::{io::Write, time::Duration};

use charmer_run::{Ended, process::Engine};

use crate::support::{
    HANG, Running, end, eventually, fixture, impatient, is_alive, is_stopped, launcher_of, patient,
    request, run, run_within, stubborn, try_run,
};

/// The last word of the fixture's first line.
fn process_of(text: &str) -> i32 {
    let first = text.lines().next().unwrap_or_default();
    let word = first.rsplit(' ').next().unwrap_or_default();
    word.parse()
        .unwrap_or_else(|_| panic!("no process: {text}"))
}

#[tokio::test]
async fn ends_are_told_apart() {
    assert_eq!(run(&["exit", "7"]).await.ended, Ended::Exited(7));
    assert_eq!(run(&["die"]).await.ended, Ended::Signalled(9));
    assert_eq!(
        run_within(&["sleep"], &impatient()).await.ended,
        Ended::TimedOut
    );
}

#[tokio::test]
async fn a_program_that_ignores_the_request_to_end_is_killed() {
    let launcher = launcher_of("/bin/sh", Engine::default());
    let limits = patient().grace(Duration::from_millis(500));
    let mut running = Running::start(&launcher, stubborn(&["sleep"], &limits));
    let process = running.process().await;
    running.cancel.cancel();
    let outcome = running.outcome().await;
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert!(outcome.duration >= limits.grace, "{:?}", outcome.duration);
    assert!(!is_alive(process));
}

#[tokio::test]
async fn a_program_that_is_asked_to_end_may_say_a_last_word() {
    let launcher = launcher_of("/bin/sh", Engine::default());
    let script = "trap 'echo tidied; exit 0' TERM; echo process $$; while :; do sleep 0.05; done";
    let limits = patient().grace(HANG);
    let mut running = Running::start(&launcher, request(&["-c", script], &limits));
    running.process().await;
    running.cancel.cancel();
    let outcome = running.outcome().await;
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert!(outcome.stdout_text().contains("tidied"));
}

/// What holds: a process that has left its group outlives the call, and goes with the server (see the server's tests).
#[tokio::test]
async fn a_daemonised_grandchild_does_not_hold_up_the_call() {
    for how in ["quiet", "leaky"] {
        let outcome = run(&["daemonise", how]).await;
        assert_eq!(outcome.ended, Ended::Exited(0));
        let daemon = process_of(&outcome.stdout_text());
        assert!(is_alive(daemon));
        end(daemon);
        eventually("the daemon's end", || !is_alive(daemon)).await;
    }
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_open_does_not_delay_the_answer() {
    let outcome = run(&["leak"]).await;
    assert_eq!(outcome.ended, Ended::Exited(0));
    let grandchild = process_of(&outcome.stdout_text());
    eventually("the grandchild's end", || !is_alive(grandchild)).await;
}

#[tokio::test]
async fn a_stopped_program_is_ended() {
    let launcher = launcher_of(fixture(), Engine::default());
    let mut running = Running::start(&launcher, request(&["stop"], &patient()));
    let process = running.process().await;
    eventually("it stops", || is_stopped(process)).await;
    running.cancel.cancel();
    assert_eq!(running.outcome().await.ended, Ended::Cancelled);
    assert!(!is_alive(process));
}

#[tokio::test]
async fn standard_input_is_empty_unless_it_was_declared() {
    let launcher = launcher_of(fixture(), Engine::default());
    // What this process could read itself, as a server reads its client, is not for its children.
    let (own, mut client) = std::io::pipe().expect("a pipe");
    client.write_all(b"not for you").expect("it has room");
    rustix::stdio::dup2_stdin(&own).expect("it is open");
    let silent = run(&["echo"]).await;
    assert_eq!((silent.ended, silent.stdout.total), (Ended::Exited(0), 0));

    let given = "line\n".repeat(200_000);
    let asked = request(&["echo"], &patient()).stdin(given.clone());
    let echoed = try_run(&launcher, asked).await.expect("it starts");
    assert!(echoed.stdout.head == given.as_bytes());

    // Who does not read what it is given is not waited for.
    let asked = request(&["exit", "4"], &patient()).stdin(given);
    let deaf = try_run(&launcher, asked).await.expect("it starts");
    assert_eq!(deaf.ended, Ended::Exited(4));
}

#[tokio::test]
async fn a_question_finds_nobody_to_answer_it() {
    let outcome = run(&["prompt", "Continue? [y/N] "]).await;
    assert_eq!(outcome.ended, Ended::Exited(3));
    assert_eq!(outcome.stdout_text(), "Continue? [y/N] ");
}

#[tokio::test]
async fn a_caller_that_gives_up_ends_the_program() {
    let engine = Engine::default();
    let mut running = Running::start(
        &launcher_of(fixture(), engine.clone()),
        request(&["sleep"], &patient()),
    );
    let process = running.process().await;
    running.task.abort();
    eventually("its end", || !is_alive(process)).await;
    let finished = tokio::time::timeout(HANG, engine.finish());
    finished.await.expect("its supervisor ends too");
}

/// Supervisors live on the caller's runtime. When that goes, the programs go with it.
#[test]
fn a_runtime_that_goes_takes_the_programs_with_it() {
    let runtime = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().expect("a runtime")
    };
    let doomed = runtime();
    let process = doomed.block_on(async {
        let launcher = launcher_of(fixture(), Engine::default());
        Running::start(&launcher, request(&["sleep"], &patient()))
            .process()
            .await
    });
    assert!(is_alive(process));
    drop(doomed);
    runtime().block_on(eventually("its end", || !is_alive(process)));
}
