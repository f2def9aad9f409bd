//! What the engine costs against `std::process::Command::output` with null standard input: the same programs, in the
//! same run, samples interleaved. Also what it keeps in memory, and what ten thousand calls leave behind.
//!
//! `cargo bench -p charmer-run` prints it. With arguments this file is the program that is run.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use charmer_run::{
    Limits,
    process::{Engine, Environment, Launcher, Request},
};
use tokio_util::sync::CancellationToken;

const SAMPLES: usize = 400;
const MANY: usize = 10_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--bench", ..] => {
            let workers = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build();
            workers.unwrap().block_on(measure());
        }
        ["spin", millis] => {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(millis.parse().unwrap()) {}
        }
        ["flood", bytes] => {
            let line = [b'x'; 64 << 10];
            let mut left: usize = bytes.parse().unwrap();
            let mut out = std::io::stdout().lock();
            while left > 0 {
                let piece = left.min(line.len());
                out.write_all(&line[..piece]).unwrap();
                left -= piece;
            }
        }
        _ => {}
    }
}

struct Subject {
    program: PathBuf,
    args: Vec<OsString>,
    launcher: Launcher,
}

impl Subject {
    fn new(program: &Path, args: &[&str], engine: &Engine) -> Self {
        let environment = Environment::inherit(std::env::vars_os());
        Self {
            program: program.to_owned(),
            args: args.iter().map(OsString::from).collect(),
            launcher: Launcher::new(program.to_owned(), environment, None, engine.clone()),
        }
    }

    fn bare(&self) {
        let output = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success());
    }

    async fn run(&self) {
        let request = Request::new(self.args.clone(), Limits::default());
        assert!(
            self.launcher
                .run(request, CancellationToken::new())
                .await
                .unwrap()
                .is_success()
        );
    }

    /// The medians of a bare run and of one through the engine.
    async fn compare(&self, what: &str) {
        let (mut bare, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            let began = Instant::now();
            self.bare();
            bare.push(began.elapsed());
            let began = Instant::now();
            self.run().await;
            ours.push(began.elapsed());
        }
        bare.sort();
        ours.sort();
        let (bare, ours) = (bare[SAMPLES / 2], ours[SAMPLES / 2]);
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!("{what:<44} {bare:>10.1?} {ours:>10.1?}   {ratio:.2}");
    }
}

async fn measure() {
    let engine = Engine::default();
    let myself = std::env::current_exe().unwrap();
    println!("{SAMPLES} samples each, medians                        bare     engine   ratio");
    let quick = Subject::new(Path::new("/bin/true"), &[], &engine);
    quick.compare("/bin/true").await;
    Subject::new(&myself, &["spin", "3"], &engine)
        .compare("a program of 3 ms")
        .await;

    throughput(&quick).await;

    // Before the ballast, which would raise the peak by itself.
    let before = peak_kb();
    Subject::new(&myself, &["flood", "100000000"], &engine)
        .run()
        .await;
    println!(
        "100 MB of stdout raise the peak by {:.1} MB",
        (peak_kb() - before) as f64 / 1000.0
    );

    let (fds, memory) = (open_descriptors(), resident_kb());
    for _ in 0..MANY {
        quick.run().await;
    }
    println!(
        "{MANY} calls: descriptors {fds} -> {}, zombies {}, memory {:+.1} MB",
        open_descriptors(),
        zombies(),
        (resident_kb() - memory) as f64 / 1000.0
    );

    let ballast = vec![1u8; 500 << 20];
    quick.compare("/bin/true, from a parent of 500 MB").await;
    drop(ballast);
}

/// Runs a second at concurrency 8, bare and through the engine.
async fn throughput(subject: &Subject) {
    const AT_ONCE: usize = 8;
    const EACH: usize = 150;
    let mut rates = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| (0..EACH).for_each(|_| subject.bare()));
            }
        });
        rates[0].push((AT_ONCE * EACH) as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|_| {
                let launcher = subject.launcher.clone();
                tokio::spawn(async move {
                    for _ in 0..EACH {
                        let request = Request::new(Vec::new(), Limits::default());
                        launcher
                            .run(request, CancellationToken::new())
                            .await
                            .unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        rates[1].push((AT_ONCE * EACH) as f64 / began.elapsed().as_secs_f64());
    }
    let [bare, ours] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    });
    println!(
        "{:<44} {bare:>8.0}/s {ours:>8.0}/s   {:.2}",
        "/bin/true at concurrency 8, throughput",
        ours / bare
    );
}

fn status_kb(key: &str) -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .unwrap();
    line.trim_start_matches(':')
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

fn peak_kb() -> i64 {
    status_kb("VmHWM")
}

fn resident_kb() -> i64 {
    status_kb("VmRSS")
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Children of this process that have ended and were not collected.
fn zombies() -> usize {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            let mut fields = stat
                .rsplit(')')
                .next()
                .unwrap_or_default()
                .split_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(own.as_str())
        })
        .count()
}
