//! Probes in a sandbox: they answer as if nobody stood between, and no end of anybody's leaves a program running or a
//! question open. There is a sandbox only on Linux; its own tests are in `charmer-sandbox`.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use charmer_discover::probe::{ProbeAnswer, ProbeOptions, Prober};

use crate::support::{HANG, example, gone, patient, sandboxed};

/// Writes its number, as it is outside, into the working directory and stays.
const STAYS: &str = "read -r id rest < /proc/self/stat; echo $id > new; mv new id; exec sleep 600";
/// Prints the number of its parent as it is outside.
const PARENT: &str = "read -r own name state parent rest < /proc/self/stat; echo $parent";

fn shell(options: ProbeOptions) -> Prober {
    Prober::new("/bin/sh".into(), options).expect("a prober")
}

/// A shell in a sandbox. Without one, scripts that end their parent would end the tests.
fn confined(options: ProbeOptions) -> Prober {
    let prober = shell(options);
    let lacks = prober.shortcomings().join("\n");
    assert!(!lacks.contains("not sandboxed"), "{lacks}");
    prober
}

async fn ask(prober: &Prober, script: &str) -> ProbeAnswer {
    tokio::time::timeout(HANG, prober.run(&["-c", script]))
        .await
        .expect("it hung")
}

fn room(prober: &Prober) -> PathBuf {
    prober.home().with_file_name("")
}

/// The number that [`STAYS`] has written.
async fn number(room: &Path) -> String {
    let began = Instant::now();
    loop {
        if let Ok(id) = fs::read_to_string(room.join("work/id")) {
            return id.trim().to_owned();
        }
        assert!(began.elapsed() < HANG, "it never started");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn words_and_bytes_that_are_no_text_survive() {
    let argv: [&OsStr; 4] = [
        "-c".as_ref(),
        r#"printf %s "$1" | od -An -tx1; printf '\377\0\n{}\n'; printf 'caf\351' >&2; exit 7"#
            .as_ref(),
        "sh".as_ref(),
        OsStr::from_bytes(b"\xff\xfe\n"),
    ];
    let bare = shell(patient()).run(&argv).await;
    let answer = confined(sandboxed()).run(&argv).await;
    assert!(answer.stdout.contains("ff fe 0a"), "{answer:?}");
    assert_eq!(answer, bare);
}

#[tokio::test]
async fn one_process_runs_all_programs_and_ends_with_the_prober() {
    let prober = confined(sandboxed());
    let first = ask(&prober, PARENT).await.stdout;
    assert_eq!(ask(&prober, PARENT).await.stdout, first);
    let process = PathBuf::from(format!("/proc/{}", first.trim()));
    assert!(process.exists());
    let clone = prober.clone();
    drop(prober);
    assert!(process.exists());
    drop(clone);
    assert!(!process.exists(), "it has been ended and collected");
}

#[tokio::test]
async fn a_program_ends_when_nobody_waits_for_it_any_more() {
    let prober = confined(sandboxed());
    let room = room(&prober);
    let id = tokio::select! {
        answer = prober.run(&["-c", STAYS]) => panic!("{answer:?}"),
        id = number(&room) => id,
    };
    gone(&id).await;
    assert_eq!(
        ask(&prober, "exit 4").await.code,
        Some(4),
        "the others go on"
    );
}

#[test]
fn a_program_ends_with_the_runtime_and_before_its_folder_goes() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let prober = confined(sandboxed());
    let room = room(&prober);
    let id = runtime.block_on(async {
        tokio::spawn(async move { prober.run(&["-c", STAYS]).await });
        number(&room).await
    });
    runtime.shutdown_timeout(HANG);
    assert!(!Path::new("/proc").join(id).exists());
    assert!(!room.exists());
}

#[tokio::test]
async fn programs_end_when_the_process_that_probes_is_killed() {
    let mut parent = Command::new(example("probe_parent"))
        .arg(example("probe_sandbox"))
        .args(["/bin/sh", "-c", STAYS])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example is built with the tests");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("a pipe");
    BufReader::new(stdout)
        .read_line(&mut line)
        .expect("its room");
    let id = number(Path::new(line.trim_end())).await;
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let process = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let process = process.expect("it has a parent").trim();
    assert_ne!(process, parent.id().to_string());

    parent.kill().expect("it runs");
    parent.wait().expect("it was killed");
    gone(&id).await;
    gone(process).await;
}

/// Sends a signal to the confined process, as its programs cannot.
async fn signal(prober: &Prober, signal: &str) {
    let process = ask(prober, PARENT).await.stdout;
    let kill = Command::new("kill").args([signal, process.trim()]).status();
    assert!(kill.expect("a command of every system").success());
}

#[tokio::test]
async fn a_sandbox_that_is_killed_is_said_by_every_answer() {
    let mut options = sandboxed();
    options.parallel = Some(2);
    let prober = confined(options);
    let (other, ()) = tokio::join!(ask(&prober, "exec sleep 60"), signal(&prober, "-KILL"));
    let later = ask(&prober, "echo not sandboxed").await;
    for answer in [other, later] {
        assert!(!answer.started, "{answer:?}");
        assert_eq!(answer.stderr, "the sandbox is gone: its process ended");
    }
}

#[tokio::test]
async fn a_sandbox_that_is_stopped_is_not_waited_for() {
    let mut options = sandboxed();
    // Time enough for a shell to start; what is right passes however long it is.
    options.timeout = Duration::from_secs(2);
    let prober = confined(options);
    signal(&prober, "-STOP").await;
    let answer = ask(&prober, "exec sleep 60").await;
    assert!(!answer.started, "{answer:?}");
    assert!(answer.stderr.contains("did not answer"), "{answer:?}");
    assert!(!ask(&prober, "echo not sandboxed").await.started);
}
