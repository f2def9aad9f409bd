//! What it costs to confine a call: `git status`, and a program that does nothing, confined on a process that waits for
//! calls, against the same calls unconfined, in the same run, samples interleaved. Also what the first call takes more.
//!
//! `cargo bench -p charmer-run --features sandbox --bench confined` prints it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::Arc,
    time::{Duration, Instant},
};

use charmer_run::{
    Limits,
    process::{ConfinedPool, Confinement, Engine, Environment, Launcher, Request},
};
use charmer_sandbox::{NetworkRight, Rights, SandboxCommand};
use tokio_util::sync::CancellationToken;

const SAMPLES: usize = 400;
/// How many files the repository has.
const FILES: usize = 500;
/// How often a first call is made.
const FIRSTS: usize = 20;

fn main() -> ExitCode {
    if std::env::args()
        .nth(1)
        .is_some_and(|word| word == "sandbox")
    {
        return charmer_sandbox::run_confined();
    }
    // `cargo test --benches` only looks whether it runs.
    if std::env::args().any(|word| word == "--bench") {
        let workers = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        workers.unwrap().block_on(measure());
    }
    ExitCode::SUCCESS
}

struct Subject {
    launcher: Launcher,
    args: Vec<OsString>,
}

impl Subject {
    fn new(program: &str, args: &[&str], folder: &Path) -> Self {
        let environment = Environment::inherit(std::env::vars_os());
        let folder = Some(folder.to_owned());
        Self {
            launcher: Launcher::new(program.into(), environment, folder, Engine::default()),
            args: args.iter().map(OsString::from).collect(),
        }
    }

    fn confined(&self, pool: &Arc<ConfinedPool>) -> Launcher {
        let mut rights = Rights::default();
        rights.network = NetworkRight::None;
        let home = std::env::home_dir().unwrap_or_default();
        rights.hidden = [".ssh", ".aws", ".gnupg", ".netrc", ".kube", ".docker"]
            .map(|name| home.join(name))
            .into();
        self.launcher
            .reading(Confinement::new(Arc::clone(pool), rights))
    }

    async fn run(&self, launcher: &Launcher, reads: bool) -> Duration {
        let request = Request::new(self.args.clone(), Limits::default()).reads(reads);
        let began = Instant::now();
        let outcome = launcher.run(request, CancellationToken::new()).await;
        let took = began.elapsed();
        assert!(outcome.unwrap().is_success());
        took
    }

    async fn compare(&self, what: &str) {
        let pool = pool();
        let confined = self.confined(&pool);
        self.run(&confined, true).await;
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            plain.push(self.run(&confined, false).await);
            ours.push(self.run(&confined, true).await);
        }
        let (plain, ours) = (median(plain), median(ours));
        let ratio = ours.as_secs_f64() / plain.as_secs_f64();
        println!("{what:<36} {plain:>12.1?} {ours:>12.1?}   {ratio:.2}");
    }

    async fn first(&self) {
        let (mut plain, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..FIRSTS {
            plain.push(self.run(&self.launcher, false).await);
            let pool = pool();
            ours.push(self.run(&self.confined(&pool), true).await);
        }
        let (plain, ours) = (median(plain), median(ours));
        let more = ours.saturating_sub(plain);
        println!("the first confined call takes {more:.1?} more ({plain:.1?} and {ours:.1?})");
    }
}

fn pool() -> Arc<ConfinedPool> {
    let command = SandboxCommand {
        program: std::env::current_exe().unwrap(),
        args: vec!["sandbox".into()],
    };
    Arc::new(ConfinedPool::new(command, std::env::temp_dir()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

async fn measure() {
    let git = ["/usr/bin/git", "/bin/git", "/usr/local/bin/git"];
    let git = git.into_iter().find(|path| Path::new(path).exists());
    let folder = tempfile::tempdir().unwrap();
    println!("{SAMPLES} samples each, medians            unconfined     confined   ratio");
    let nothing = Subject::new("/bin/true", &[], folder.path());
    nothing.compare("/bin/true").await;
    let Some(git) = git else {
        println!("git is not installed");
        return;
    };
    make_repository(git, folder.path());
    let status = Subject::new(git, &["status"], folder.path());
    status.compare(&format!("git status, {FILES} files")).await;
    status.first().await;
}

fn make_repository(git: &str, folder: &Path) {
    for number in 0..FILES {
        let file: PathBuf = folder.join(format!("{}/{number}", number % 20));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, number.to_string()).unwrap();
    }
    let name = [
        "-c",
        "user.name=bench",
        "-c",
        "user.email=bench@example.com",
    ];
    for words in [
        &["init", "-q"][..],
        &["add", "."],
        &["commit", "-qm", "all"],
    ] {
        let status = Command::new(git)
            .args(name)
            .args(words)
            .current_dir(folder)
            .status();
        assert!(status.unwrap().success());
    }
}
