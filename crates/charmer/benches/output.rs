//! Output never holds up the protocol: what redaction costs, how long pings take meanwhile, and how late a call is that
//! is ended while it prints.
//!
//! `cargo bench -p charmer --bench output` prints it, with the bars. The program is this file itself: with arguments it
//! is a small CLI with an `mcp` subcommand, without it measures that CLI. CPU time is the server's own, as the system
//! counts it; samples with and without patterns are interleaved.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use charmer::{Bridge, Limits, Redactor};
use serde_json::{Value, json};

const SAMPLES: usize = 10;
const PINGS: usize = 200;
const TIMEOUT: Duration = Duration::from_secs(2);
const GRACE: Duration = Duration::from_secs(1);

/// What people redact. The first three are the ones of the bar for CPU time; the last of all can begin anywhere.
const PATTERNS: [&str; 10] = [
    r"ghp_[A-Za-z0-9]{36}",
    r"(?i)(password|token|secret)\s*[=:]\s*\S+",
    r"AKIA[0-9A-Z]{16}",
    r"eyJ[\w-]+\.[\w-]+\.[\w-]+",
    r"-----BEGIN [A-Z ]+-----[^-]*-----END [A-Z ]+-----",
    r"\b[0-9a-f]{40}\b",
    r"xox[baprs]-[0-9A-Za-z-]+",
    r"\b\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b",
    r"[\w.+-]+@[\w-]+\.[\w.]+",
    r"\S*hunter\d\S*",
];

fn cli() -> clap::Command {
    let print = clap::Command::new("print")
        .about("Prints lines")
        .arg(
            clap::Arg::new("bytes")
                .long("bytes")
                .value_parser(clap::value_parser!(usize))
                .required(true),
        )
        .arg(clap::Arg::new("line").long("line").default_value("plain"))
        .arg(
            clap::Arg::new("stay")
                .long("stay")
                .action(clap::ArgAction::SetTrue),
        );
    clap::Command::new("bench")
        .version("1.0.0")
        .subcommand(print)
}

fn main() {
    // cargo passes `--bench` when it benchmarks, and nothing or a filter when it tests.
    match std::env::args().nth(1).as_deref() {
        Some("--bench") => measure(),
        None => {}
        Some(_) => {
            let patterns = std::env::var("BENCH_PATTERNS").map_or(0, |text| text.parse().unwrap());
            let redactor = Redactor::new([""; 0], &PATTERNS[..patterns]).unwrap();
            let limits = Limits::default().timeout(TIMEOUT).grace(GRACE);
            let matches = Bridge::new(cli())
                .redact(redactor)
                .limits(limits)
                .get_matches();
            let (_, matches) = matches.subcommand().unwrap();
            print(
                *matches.get_one("bytes").unwrap(),
                matches.get_one::<String>("line").unwrap(),
            );
            if matches.get_flag("stay") {
                std::thread::sleep(Duration::from_secs(60));
            }
        }
    }
}

/// A line of a log, and one with something to redact.
fn line(kind: &str) -> &'static str {
    match kind {
        "plain" => {
            "2026-11-16T12:00:00.000Z INFO reconciled deployment web-7f9c4d/api in 12.5ms, 3 replicas\n"
        }
        _ => {
            "2026-11-16T12:00:00.000Z INFO signed in with password=correct-horse-battery, 3 tries\n"
        }
    }
}

fn print(bytes: usize, kind: &str) {
    let block = line(kind).repeat(700);
    let mut out = std::io::stdout().lock();
    let mut left = bytes;
    while left > 0 {
        let piece = &block.as_bytes()[..left.min(block.len())];
        // Whoever does not want more closes the pipe.
        if out.write_all(piece).is_err() {
            return;
        }
        left -= piece.len();
    }
}

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(program: &Path, patterns: usize) -> Self {
        let mut child = Command::new(program)
            .args(["mcp", "start"])
            .env("BENCH_PATTERNS", patterns.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self {
            child,
            stdin,
            stdout,
            next: 0,
        };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}});
        let id = server.send("initialize", &params);
        server.wait_for(id);
        server
            .stdin
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .unwrap();
        server
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.stdin
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        self.next
    }

    fn next_answer(&mut self) -> Value {
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn wait_for(&mut self, id: u64) -> Value {
        loop {
            let answer = self.next_answer();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn call(&mut self, arguments: &Value) -> u64 {
        self.send(
            "tools/call",
            &json!({"name": "bench_print", "arguments": arguments}),
        )
    }

    /// How long pings take while calls run, one after the other, and whether a call was running all the time.
    fn pings_during(&mut self, arguments: &Value, count: usize) -> Vec<Duration> {
        let mut times = Vec::new();
        while times.len() < count {
            let call = self.call(arguments);
            let mut is_running = true;
            while is_running && times.len() < count {
                let began = Instant::now();
                let ping = self.send("ping", &json!({}));
                loop {
                    let answer = self.next_answer();
                    is_running &= answer["id"] != call;
                    if answer["id"] == ping {
                        break;
                    }
                }
                times.push(began.elapsed());
            }
            if is_running {
                self.wait_for(call);
            }
        }
        times
    }

    /// The CPU time of the server, without its children.
    fn cpu(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        // A tick of this interface is a hundredth of a second on every Linux.
        Duration::from_millis(ticks * 10)
    }

    fn close(self) {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        child.wait().unwrap();
    }
}

fn measure() {
    let program = std::env::current_exe().unwrap();
    cpu_above_plain(&program);
    pings(&program);
    timeout(&program);
}

fn cpu_above_plain(program: &Path) {
    println!(
        "CPU time of a call that prints 7 MB, mean of {SAMPLES}; the bar for three patterns is 300 ms above none"
    );
    for kind in ["plain", "secret"] {
        let arguments = json!({"bytes": 7_000_000, "line": kind});
        let mut servers = [0, 3, 10].map(|patterns| Server::start(program, patterns));
        let before = servers.each_ref().map(Server::cpu);
        for _ in 0..SAMPLES {
            for server in &mut servers {
                let call = server.call(&arguments);
                let answer = server.wait_for(call);
                assert_eq!(answer["result"]["isError"], false);
            }
        }
        let mut used = [Duration::ZERO; 3];
        for (used, (server, before)) in used.iter_mut().zip(servers.iter().zip(before)) {
            *used = (server.cpu() - before) / SAMPLES as u32;
        }
        servers.into_iter().for_each(Server::close);
        let [none, three, ten] = used;
        println!(
            "  {kind:<8} no patterns {none:>8.1?}   three {three:>8.1?} (+{:.1?})   ten {ten:>8.1?} (+{:.1?})",
            three.saturating_sub(none),
            ten.saturating_sub(none)
        );
    }
}

fn pings(program: &Path) {
    println!("{PINGS} pings while calls print 7 MB each; the bar for the worst is 50 ms");
    for patterns in [0, 3, 10] {
        let mut server = Server::start(program, patterns);
        let mut times = server.pings_during(&json!({"bytes": 7_000_000}), PINGS);
        times.sort();
        println!(
            "  {patterns:>2} patterns   median {:>8.2?}   worst {:>8.2?}",
            times[PINGS / 2],
            times[PINGS - 1]
        );
        server.close();
    }
}

fn timeout(program: &Path) {
    let bar = TIMEOUT + GRACE + Duration::from_secs(1);
    println!(
        "a call with ten patterns that prints 200 MB and stays; the bar for its timeout is {bar:.1?}"
    );
    for kind in ["plain", "secret"] {
        let mut server = Server::start(program, PATTERNS.len());
        let began = Instant::now();
        let call = server.call(&json!({"bytes": 200_000_000, "line": kind, "stay": true}));
        let answer = server.wait_for(call);
        let took = began.elapsed();
        let result = &answer["result"];
        assert!(result.to_string().contains("timeout"), "{result}");
        println!("  {kind:<8} answered after {took:.2?}");
        server.close();
    }
}
