//! Runs through a sandbox: bounded, killable and observed like others.

use std::{sync::Arc, time::Duration};

use charmer_run::{
    Ended, Redactor,
    process::{ConfinedPool, Confinement, Engine, EngineOptions, Launcher},
};
use charmer_sandbox::{NetworkRight, Readable, Rights, Sandbox, SandboxCommand};
use tokio_util::sync::CancellationToken;

use crate::support::{
    Running, eventually, fixture, group, is_alive, launcher_of, patient, redacting, request,
    stubborn, try_run,
};

fn command() -> SandboxCommand {
    SandboxCommand {
        program: fixture().with_file_name("engine_sandbox"),
        args: Vec::new(),
    }
}

fn sandbox() -> Arc<Sandbox> {
    let mut rights = Rights::default();
    rights.network = NetworkRight::None;
    Arc::new(Sandbox::start(&command(), &rights).expect("the example is built with the tests"))
}

fn launcher(program: &str, options: EngineOptions) -> Launcher {
    launcher_of(program, Engine::new(options)).through(sandbox())
}

fn shell() -> Launcher {
    launcher("/bin/sh", EngineOptions::default())
}

#[tokio::test]
async fn a_program_is_fed_and_what_it_prints_is_bounded_and_redacted_by_the_engine() {
    let redactor = Redactor::new(["hunter2"], [] as [&str; 0]).expect("no patterns");
    let echo = launcher("/bin/cat", redacting(&redactor));
    let given = format!("hunter2{}end", " ".repeat(1 << 20));
    let request = request(&[], &patient().capture_bytes(1_000)).stdin(given.as_bytes());
    let outcome = try_run(&echo, request).await.expect("it starts");
    assert_eq!(outcome.ended, Ended::Exited(0));
    let text = outcome.stdout.to_text();
    assert!(outcome.stdout.is_cut() && text.ends_with("end"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
    assert!(outcome.stdout.head.len() + outcome.stdout.tail.len() <= 1_000);
}

#[tokio::test]
async fn it_sees_its_folder_and_environment_and_ends_as_it_ended() {
    let script = "pwd; echo to stderr >&2; exit 5";
    let outcome = try_run(&shell(), request(&["-c", script], &patient())).await;
    let outcome = outcome.expect("it starts");
    assert_eq!(outcome.ended, Ended::Exited(5));
    let here = std::env::current_dir().expect("a test has one");
    assert_eq!(outcome.stdout.to_text().trim(), here.to_string_lossy());
    assert_eq!(outcome.stderr.to_text(), "to stderr\n");
    let killed = try_run(&shell(), request(&["-c", "kill -SEGV $$"], &patient())).await;
    assert_eq!(killed.expect("it starts").ended, Ended::Signalled(11));
}

#[tokio::test]
async fn a_whole_group_that_does_not_listen_ends_at_the_deadline() {
    let limits = patient()
        .timeout(Duration::from_millis(700))
        .grace(Duration::from_millis(100));
    let mut running = Running::start(&shell(), stubborn(&["children", "3"], &limits));
    let leader = running.process().await;
    assert_eq!(running.outcome().await.ended, Ended::TimedOut);
    eventually("everybody is gone", || group(leader).is_empty()).await;
}

#[tokio::test]
async fn it_ends_when_it_is_cancelled_or_nobody_waits() {
    let launcher = launcher(fixture().to_str().expect("UTF-8"), EngineOptions::default());
    let mut running = Running::start(&launcher, request(&["sleep"], &patient()));
    let process = running.process().await;
    running.cancel.cancel();
    assert_eq!(running.outcome().await.ended, Ended::Cancelled);
    eventually("it is gone", || !is_alive(process)).await;

    let mut running = Running::start(&launcher, request(&["sleep"], &patient()));
    let process = running.process().await;
    running.task.abort();
    eventually("it is gone", || !is_alive(process)).await;
}

#[tokio::test]
async fn what_outlives_its_leader_neither_delays_the_answer_nor_survives_it() {
    let launcher = launcher(fixture().to_str().expect("UTF-8"), EngineOptions::default());
    let leaks = try_run(&launcher, request(&["leak"], &patient())).await;
    let leaks = leaks.expect("it starts");
    assert_eq!(leaks.ended, Ended::Exited(0));
    // Both may have spoken: the program of its child, and that of itself.
    let said = leaks.stdout.to_text();
    let child = said.split_whitespace().find_map(|word| word.parse().ok());
    let child = child.expect("a number");
    eventually("it is gone", || !is_alive(child)).await;
}

#[tokio::test]
async fn what_cannot_be_started_is_told_as_without_a_sandbox() {
    let missing = "/no/such/program";
    let plain = launcher_of(missing, Engine::default());
    let confined = plain.through(sandbox());
    let plain = try_run(&plain, request(&[], &patient())).await;
    let confined = try_run(&confined, request(&[], &patient())).await;
    assert_eq!(
        confined.expect_err("there is none"),
        plain.expect_err("there is none")
    );
}

#[tokio::test]
async fn a_program_is_kept_to_its_rights_without_a_process_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it exists");
    let mut rights = Rights::default();
    rights.readable = Readable::Installed(Vec::new());
    let secret = folder.join("secret");
    std::fs::write(&secret, "secret").expect("it can");
    let script = format!("cat '{}' && echo read; echo end", secret.display());
    let shell = launcher_of("/bin/sh", Engine::default()).confined_to(rights);
    let request = request(&["-c", &script], &patient());
    match shell.run(request, CancellationToken::new()).await {
        Ok(outcome) => assert_eq!(outcome.stdout.to_text(), "end\n"),
        // Where the system cannot, nothing is run.
        Err(error) => assert!(error.message.contains("cannot be confined"), "{error}"),
    }
}

/// A shell whose runs that read are confined by processes of this pool.
fn confined_shell(pool: &Arc<ConfinedPool>) -> Launcher {
    let mut rights = Rights::default();
    rights.network = NetworkRight::None;
    launcher_of("/bin/sh", Engine::default()).reading(Confinement::new(Arc::clone(pool), rights))
}

async fn said(launcher: &Launcher, script: &str, principal: &str) -> String {
    let request = request(&["-c", script], &patient())
        .reads(true)
        .principal(principal.into());
    let outcome = try_run(launcher, request).await.expect("it starts");
    outcome.stdout.to_text().trim().to_owned()
}

#[tokio::test]
async fn a_confined_process_serves_one_principal_again_and_starts_clean() {
    let scratch = tempfile::tempdir().expect("a folder");
    let pool = Arc::new(ConfinedPool::new(command(), scratch.path().to_owned()));
    let shell = confined_shell(&pool);
    // The number of its parent as it is outside, and what it finds.
    let script = "read -r own name state parent rest < /proc/self/stat; \
                  echo $parent $(ls -A $TMPDIR | wc -l); mkdir -p $TMPDIR/left/behind";
    let first = said(&shell, script, "ann").await;
    assert!(first.ends_with(" 0"), "{first}");
    // It comes back when its folder is empty, beside the answer.
    let mut again = said(&shell, script, "ann").await;
    for _ in 0..100 {
        if again == first {
            break;
        }
        assert!(
            again.ends_with(" 0"),
            "nothing is left for the next: {again}"
        );
        again = said(&shell, script, "ann").await;
    }
    assert_eq!(again, first, "the same process");
    let other = said(&shell, script, "bob").await;
    assert!(other.ends_with(" 0") && other != first, "{other}");
    drop(shell);
    pool.end();
    assert_eq!(
        std::fs::read_dir(scratch.path())
            .expect("it is there")
            .count(),
        0
    );
}

#[tokio::test]
async fn only_runs_that_read_are_confined() {
    let scratch = tempfile::tempdir().expect("a folder");
    let pool = Arc::new(ConfinedPool::new(command(), scratch.path().to_owned()));
    let shell = confined_shell(&pool);
    let file = scratch.path().join("written");
    let script = format!("echo x > {}", file.display());
    said(&shell, &script, "ann").await;
    assert!(!file.exists());
    let request = request(&["-c", &script], &patient());
    let outcome = try_run(&shell, request).await.expect("it starts");
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(file.exists());
}
