//! What a round trip costs: a ping against a bare rmcp server on stdio, and calls of a program of 3 ms against a native
//! loop that starts the same program, one at a time and eight in flight.
//!
//! `cargo bench -p charmer-server` prints them with their bars. The bench is also all the other processes: with an
//! argument it is the bare server, our server, its guardian, or the program. Samples of all kinds are interleaved, so
//! that a machine that slows down slows all of them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    env,
    hint::black_box,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use charmer_core::{
    model::{Cli, Command as Spec, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    CallPath, SharedSteps, Target, ToolSet,
    process::{Engine, EngineOptions, Environment, GuardianCommand, Launcher, guard, new_mark},
};
use charmer_server::{Server, ServerInfo};
use rmcp::{ServerHandler, serve_server, transport};

/// Rounds of each kind, of which the median counts.
const ROUNDS: usize = 15;
const PINGS: usize = 400;
const CALLS: usize = 64;
const IN_FLIGHT: usize = 8;
/// How long the program computes.
const WORK: Duration = Duration::from_millis(3);
/// The variable that tells the program how much to compute.
const STEPS: &str = "BENCH_STEPS";

fn main() {
    // cargo passes `--bench` when it benchmarks, and nothing or a filter when it tests.
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--bench", ..] => measure(),
        ["bare", kind] => bare(kind),
        ["serve"] => serve(),
        ["guard", mark] => guard(mark, None),
        _ => {
            if let Ok(steps) = env::var(STEPS) {
                work(steps.parse().unwrap());
                println!("done");
            }
        }
    }
}

/// So much computing that no compiler leaves out.
fn work(steps: u64) -> u64 {
    (0..steps).fold(1, |sum, step| black_box(sum ^ step).rotate_left(5))
}

/// A server that can do nothing but answer pings.
#[derive(Clone)]
struct Bare;

impl ServerHandler for Bare {}

fn bare(kind: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(async {
        let running = match kind {
            "stdio" => serve_server(Bare, transport::stdio()).await,
            _ => serve_server(Bare, transport::stdio_pipes()).await,
        };
        running.unwrap().waiting().await.unwrap();
    });
}

fn serve() {
    charmer_run::process::harden().unwrap_or_default();
    let myself = env::current_exe().unwrap();
    let mark = new_mark();
    let root = Spec::new("work").about("Computes for a while");
    let found = catalogue(
        &Cli::new(root, Syntax::clap()),
        &CatalogueOptions::default(),
    );
    let mut options = EngineOptions::default();
    options.guardian = Some(GuardianCommand::of_server(
        myself.clone(),
        ["guard"],
        &mark,
        None,
    ));
    let engine = Engine::new(options);
    let environment = Environment::inherit(env::vars_os());
    let launcher = Launcher::new(myself, environment, None, engine.clone());
    let tools = found.tools.into_iter().map(|tool| {
        CallPath::new(tool, Target::Process(launcher.clone())).serve(&SharedSteps::default())
    });
    let server = Server::new(ServerInfo::new("work", "1"), ToolSet::new(tools), engine);
    server.run_stdio().unwrap();
}

/// A client that does as little as possible.
struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl Client {
    fn start(myself: &Path, args: &[&str], steps: u64) -> Self {
        let mut child = Command::new(myself)
            .args(args)
            .env(STEPS, steps.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self {
            child,
            to,
            from,
            line: Vec::new(),
        };
        client.send(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"b","version":"0"}}}"#);
        client.receive();
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        client
    }

    fn send(&mut self, message: &str) {
        self.to
            .write_all(format!("{message}\n").as_bytes())
            .unwrap();
    }

    fn receive(&mut self) -> &[u8] {
        self.line.clear();
        self.from.read_until(b'\n', &mut self.line).unwrap();
        &self.line
    }

    fn pings(&mut self) -> Duration {
        let began = Instant::now();
        for _ in 0..PINGS {
            self.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
            assert!(self.receive().ends_with(b"\"result\":{}}\n"));
        }
        began.elapsed()
    }

    /// The time of so many calls, with so many of them in flight.
    fn calls(&mut self, in_flight: usize) -> Duration {
        let call = |id: usize| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"work","arguments":{{}}}}}}"#
            )
        };
        let began = Instant::now();
        for id in 0..in_flight {
            self.send(&call(id));
        }
        for id in in_flight..CALLS + in_flight {
            let answer = self.receive();
            assert!(
                answer.windows(6).any(|part| part == b"done\\n"),
                "{}",
                String::from_utf8_lossy(answer)
            );
            if id < CALLS {
                self.send(&call(id));
            }
        }
        began.elapsed()
    }

    fn close(self) {
        let Self { mut child, to, .. } = self;
        drop(to);
        child.wait().unwrap();
    }
}

/// The time of so many runs from as many threads.
fn native(myself: &Path, steps: u64, threads: usize) -> Duration {
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..CALLS / threads {
                    let output = Command::new(myself)
                        .env(STEPS, steps.to_string())
                        .stdin(Stdio::null())
                        .output()
                        .unwrap();
                    assert_eq!(output.stdout, b"done\n");
                }
            });
        }
    });
    began.elapsed()
}

/// How many steps take so long, at the best of several tries.
fn calibrate() -> u64 {
    const TRIED: u64 = 1_000_000;
    let best = (0..20)
        .map(|_| {
            let began = Instant::now();
            black_box(work(TRIED));
            began.elapsed()
        })
        .min()
        .unwrap();
    (TRIED as f64 * WORK.as_secs_f64() / best.as_secs_f64()) as u64
}

fn measure() {
    let myself = env::current_exe().unwrap();
    let steps = calibrate();
    let mut stdio = Client::start(&myself, &["bare", "stdio"], steps);
    let mut pipes = Client::start(&myself, &["bare", "pipes"], steps);
    let mut ours = Client::start(&myself, &["serve"], steps);
    let mut times: [Vec<Duration>; 7] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(stdio.pings());
        times[1].push(pipes.pings());
        times[2].push(ours.pings());
        times[3].push(native(&myself, steps, 1));
        times[4].push(ours.calls(1));
        times[5].push(native(&myself, steps, IN_FLIGHT));
        times[6].push(ours.calls(IN_FLIGHT));
    }
    [stdio, pipes, ours].into_iter().for_each(Client::close);
    let median = |mut samples: Vec<Duration>, each: usize| {
        samples.sort();
        samples[ROUNDS / 2].as_secs_f64() * 1e6 / each as f64
    };
    let [stdio, pipes, ping, one, our_one, eight, our_eight] = times;
    let (stdio, pipes, ping) = (
        median(stdio, PINGS),
        median(pipes, PINGS),
        median(ping, PINGS),
    );
    println!("{ROUNDS} rounds each, medians, microseconds     theirs       ours   ratio");
    let row = |what: &str, theirs: f64, ours: f64, ratio: f64, bar: &str| {
        println!("{what:<38} {theirs:>10.0} {ours:>10.0}   {ratio:.2}   {bar}");
    };
    row(
        "ping, a bare rmcp server on stdio",
        stdio,
        ping,
        ping / stdio,
        "(at most 1.10)",
    );
    row(
        "ping, a bare rmcp server on pipes",
        pipes,
        ping,
        ping / pipes,
        "",
    );
    // Of the speed of the native loop.
    for (what, native, ours, bar) in [
        ("a program of 3 ms, one at a time", one, our_one, "0.88"),
        ("the same, eight in flight", eight, our_eight, "0.95"),
    ] {
        let (native, ours) = (median(native, CALLS), median(ours, CALLS));
        row(
            what,
            native,
            ours,
            native / ours,
            &format!("(at least {bar})"),
        );
    }
}
