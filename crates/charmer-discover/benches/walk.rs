//! What a cold walk costs against the same probes run bare: the same command lines, as many at once, with nothing around
//! them. Also how often a program is started for each of its commands.
//!
//! `cargo bench -p charmer-discover` prints it, for the programs below where they are to be had, and for a program of
//! 5,000 commands that is always there; `--bench walk -- NAME...` for any programs. The aims: 2 starts a command, 1.15
//! times the bare time. Under the name `many` this file is that program, and with the argument `sandbox` it is the
//! confined process.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

#[path = "../examples/hostile/main.rs"]
mod hostile;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use charmer_core::model::Command as Subcommand;
use charmer_discover::{DiscoverOptions, discover, probe::ProbeLog};
use charmer_sandbox::SandboxCommand;

/// Walks and bare runs take turns; the best of each counts, because others may use the machine too.
const ROUNDS: usize = 3;

/// The programs that are read where none is named.
const PROGRAMS: [&str; 7] = ["docker", "kubectl", "gh", "npm", "pip", "hugo", "many"];

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let named = words.next().map(PathBuf::from).unwrap_or_default();
    if named.file_name().is_some_and(|name| name == "many") {
        return hostile::main();
    }
    if words.next().is_some_and(|word| word == "sandbox") {
        return charmer_sandbox::run_confined();
    }
    // `cargo test --benches` only looks whether it runs.
    if std::env::args().any(|word| word == "--bench") {
        measure();
    }
    ExitCode::SUCCESS
}

fn measure() {
    let workers = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if wanted.is_empty() {
        wanted.extend(PROGRAMS.map(str::to_owned));
    }
    println!(
        "best of {ROUNDS}            commands  starts  a command      bare      walk  ratio  of work: bare  walk  ratio"
    );
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many");
    fs::copy(std::env::current_exe().unwrap(), &many).unwrap();
    for name in &wanted {
        let found = match name.as_str() {
            "many" => Some(many.clone()),
            name => find(name),
        };
        match found {
            Some(program) => compare(&workers, name, &program),
            None => println!("{name} is not here"),
        }
    }
}

/// A program on the search path.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(name));
    all.find(|program| program.is_file())
}

fn compare(workers: &tokio::runtime::Runtime, name: &str, program: &Path) {
    let command = SandboxCommand {
        program: std::env::current_exe().unwrap(),
        args: vec!["sandbox".into()],
    };
    for (how, sandbox) in [("", None), (", sandboxed", Some(command))] {
        let log = ProbeLog::default();
        let mut options = DiscoverOptions::default();
        options.probe.sandbox = sandbox;
        options.probe.log = Some(log.clone());
        let (mut walks, mut bares) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..ROUNDS {
            let (spent, found) =
                Spent::on(|| workers.block_on(discover(program, &options)).unwrap());
            walks.push(spent);
            let probes = log.taken();
            bares.push(Spent::on(|| bare(program, &probes)).0);
            last = Some((found, probes));
        }
        let (found, probes) = last.unwrap();
        let commands = count(&found.cli.root);
        let (walk, bare) = (Spent::least(&walks), Spent::least(&bares));
        println!(
            "{:<20} {commands:>8} {:>7} {:>10.2} {:>9.2?} {:>9.2?} {:>6.2} {:>9.2?} {:>9.2?} {:>6.2}",
            format!("{name}{how}"),
            found.spawned,
            found.spawned as f64 / commands as f64,
            bare.time,
            walk.time,
            walk.time.as_secs_f64() / bare.time.as_secs_f64(),
            bare.work,
            walk.work,
            walk.work.as_secs_f64() / bare.work.as_secs_f64(),
        );
        if how.is_empty() {
            println!("    {}", kinds(&probes));
        }
    }
}

/// How often each first word was asked.
fn kinds(probes: &[Vec<OsString>]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for argv in probes {
        let first = argv.first().and_then(|word| word.to_str());
        let first = first.filter(|word| matches!(*word, "help" | "__complete"));
        *kinds.entry(first.unwrap_or("other")).or_default() += 1;
    }
    let kinds = kinds.iter().map(|(kind, times)| format!("{times} {kind}"));
    kinds.collect::<Vec<_>>().join(", ")
}

/// Time that went by, and the time that this process and its children had the processors: the second says something
/// on a machine that others use too.
#[derive(Clone, Copy)]
struct Spent {
    time: Duration,
    work: Duration,
}

impl Spent {
    fn on<T>(action: impl FnOnce() -> T) -> (Self, T) {
        let (began, before) = (Instant::now(), work());
        let result = action();
        let spent = Self {
            time: began.elapsed(),
            work: work().saturating_sub(before),
        };
        (spent, result)
    }

    fn least(all: &[Self]) -> Self {
        Self {
            time: all.iter().map(|spent| spent.time).min().unwrap(),
            work: all.iter().map(|spent| spent.work).min().unwrap(),
        }
    }
}

/// The time that this process and the children that it has waited for had the processors; nothing where Linux does not
/// tell.
fn work() -> Duration {
    /// How long the kernel's unit is for programs.
    const TICK: Duration = Duration::from_millis(10);
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(4);
    TICK * ticks
        .filter_map(|field| field.parse::<u32>().ok())
        .sum::<u32>()
}

/// The root and everything below it.
fn count(command: &Subcommand) -> usize {
    1 + command.commands.iter().map(count).sum::<usize>()
}

/// Runs the same command lines, as many at once as there are cores, in an empty home.
fn bare(program: &Path, probes: &[Vec<OsString>]) {
    let home = tempfile::tempdir().unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(argv) = probes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let output = Command::new(program)
                        .args(argv)
                        .env("HOME", home.path())
                        .current_dir(home.path())
                        .stdin(Stdio::null())
                        .output();
                    output.unwrap();
                }
            });
        }
    });
}
