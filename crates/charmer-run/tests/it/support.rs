//! Running the fixture, and looking at what it left behind.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use charmer_run::{
    CallError, CallResult, Limits, Outcome, Progress, Redactor, Snapshot,
    process::{Engine, EngineOptions, Environment, Launcher, Request},
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// What only a hang takes longer than; the fixture's own "for ever" is ten minutes.
pub(crate) const HANG: Duration = Duration::from_secs(60);

/// The path of the fixture; `cargo test` builds the examples first.
pub(crate) fn fixture() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent);
    profile
        .expect("tests are built in target/PROFILE/deps")
        .join("examples/fixture")
}

pub(crate) fn environment() -> Environment {
    Environment::inherit(std::env::vars_os())
}

pub(crate) fn launcher_of(program: impl Into<PathBuf>, engine: Engine) -> Launcher {
    Launcher::new(program.into(), environment(), None, engine)
}

/// An engine that redacts.
pub(crate) fn redacting(redactor: &Redactor) -> EngineOptions {
    let mut options = EngineOptions::default();
    options.redactor = redactor.clone();
    options
}

pub(crate) fn request(args: &[&str], limits: &Limits) -> Request {
    Request::new(args.iter().map(Into::into).collect(), limits.clone())
}

/// A shell that becomes the fixture, after it has had itself and all that comes of it ignore the request to end.
pub(crate) fn stubborn(args: &[&str], limits: &Limits) -> Request {
    let fixture = fixture();
    let script = r#"trap "" TERM; exec "$0" "$@""#;
    let shell = ["-c", script, fixture.to_str().expect("UTF-8")];
    request(&[&shell, args].concat(), limits)
}

/// Limits that a test which expects no end by force never reaches.
pub(crate) fn patient() -> Limits {
    Limits::default().timeout(HANG)
}

/// Limits that are reached soon.
pub(crate) fn impatient() -> Limits {
    Limits::default()
        .timeout(Duration::from_millis(1500))
        .grace(Duration::from_millis(500))
}

pub(crate) async fn try_run(launcher: &Launcher, request: Request) -> Result<Outcome, CallError> {
    let began = Instant::now();
    let outcome = launcher.run(request, CancellationToken::new()).await;
    assert!(began.elapsed() < HANG * 2, "it hung");
    outcome
}

/// Runs the fixture with these limits.
pub(crate) async fn run_within(args: &[&str], limits: &Limits) -> Outcome {
    let launcher = launcher_of(fixture(), Engine::default());
    try_run(&launcher, request(args, limits))
        .await
        .expect("it starts")
}

/// Runs the fixture.
pub(crate) async fn run(args: &[&str]) -> Outcome {
    run_within(args, &patient()).await
}

/// What an assistant gets of an outcome.
pub(crate) fn result(outcome: Outcome, limits: &Limits) -> CallResult {
    CallResult::new(&Ok(outcome), limits, &Redactor::default())
}

/// A run that is under way.
pub(crate) struct Running {
    pub(crate) task: JoinHandle<Result<Outcome, CallError>>,
    pub(crate) cancel: CancellationToken,
    news: watch::Receiver<Snapshot>,
}

impl Running {
    pub(crate) fn start(launcher: &Launcher, request: Request) -> Self {
        let (progress, news) = Progress::watched();
        let cancel = CancellationToken::new();
        let (launcher, token) = (launcher.clone(), cancel.clone());
        let task =
            tokio::spawn(async move { launcher.run(request.progress(progress), token).await });
        Self { task, cancel, news }
    }

    /// Waits until the fixture has said who it is.
    pub(crate) async fn process(&mut self) -> i32 {
        let said = |snapshot: &Snapshot| snapshot.line.starts_with("process ");
        let line = tokio::time::timeout(HANG, self.news.wait_for(said))
            .await
            .expect("it says so soon")
            .expect("it runs")
            .line
            .clone();
        line["process ".len()..].parse().expect("a number")
    }

    pub(crate) async fn outcome(self) -> Outcome {
        tokio::time::timeout(HANG, self.task)
            .await
            .expect("it hung")
            .expect("no panic")
            .expect("it started")
    }
}

/// The fields of `/proc/ID/stat` from the state on.
fn stat(id: i32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let fields = stat.rsplit(')').next()?.split_whitespace();
    Some(fields.map(str::to_owned).collect())
}

/// Whether a process runs; one that has ended and was not collected yet does not.
pub(crate) fn is_alive(id: i32) -> bool {
    stat(id).is_some_and(|fields| fields[0] != "Z" && fields[0] != "X")
}

/// Whether a process was stopped by a signal.
pub(crate) fn is_stopped(id: i32) -> bool {
    stat(id).is_some_and(|fields| fields[0] == "T")
}

/// Who runs in a process group.
pub(crate) fn group(leader: i32) -> Vec<i32> {
    let listed = std::fs::read_dir("/proc").expect("procfs").flatten();
    let ids = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let leader = leader.to_string();
    ids.filter(|&id| {
        stat(id).is_some_and(|fields| fields[0] != "Z" && fields[0] != "X" && fields[2] == leader)
    })
    .collect()
}

/// Ends a process that a test has left on purpose.
pub(crate) fn end(id: i32) {
    let _ = kill_process(Pid::from_raw(id).expect("not zero"), Signal::KILL);
}

pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < HANG, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Writes a program. A shell does it: would this process hold the file open while another test forks, the program
/// could not be started.
pub(crate) fn write_program(path: &Path, mode: &str, body: &str) {
    let written = Command::new("/bin/sh")
        .args([
            "-c",
            r#"printf %s "$2" > "$0.new" && chmod "$1" "$0.new" && mv "$0.new" "$0""#,
        ])
        .arg(path)
        .args([mode, body])
        .status();
    assert!(written.is_ok_and(|status| status.success()));
}
