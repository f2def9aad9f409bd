//! What the bridge costs, as ratios to a bare spawn of the same program in the same run.
//!
//! `cargo bench -p charmer` prints them. The program is this file itself: with arguments it is a small CLI with an
//! `mcp` subcommand, without it measures that CLI. Samples of all kinds are interleaved, so that a machine that
//! slows down slows all of them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    hint::black_box,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const SAMPLES: usize = 400;

fn cli() -> clap::Command {
    let flags = |command: clap::Command| {
        command
            .arg(
                clap::Arg::new("output")
                    .short('o')
                    .long("output")
                    .help("Output format"),
            )
            .arg(
                clap::Arg::new("limit")
                    .long("limit")
                    .value_parser(clap::value_parser!(u32))
                    .default_value("10"),
            )
            .arg(
                clap::Arg::new("all")
                    .short('a')
                    .long("all")
                    .action(clap::ArgAction::SetTrue),
            )
    };
    let mut root = clap::Command::new("bench")
        .version("1.0.0")
        .subcommand_required(true);
    // As many commands as a middling CLI has, so that listing them is no trifle.
    for group in ["image", "container", "network", "volume"] {
        let mut parent = clap::Command::new(group)
            .about("Manage things")
            .subcommand_required(true);
        for verb in ["list", "create", "inspect", "remove", "prune"] {
            parent = parent.subcommand(flags(
                clap::Command::new(verb).about("Does something to things"),
            ));
        }
        root = root.subcommand(parent);
    }
    root.subcommand(clap::Command::new("noop").about("Says ok"))
}

fn main() {
    // cargo passes `--bench` when it benchmarks, and nothing or a filter when it tests.
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("--bench") => measure(),
        None => {}
        Some(_) => {
            let matches = charmer::get_matches(cli());
            println!("{}", matches.subcommand_name().unwrap_or("nothing"));
        }
    }
}

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .args(["mcp", "start"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdin,
            stdout,
            next: 0,
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.stdin
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn initialize(&mut self) {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "0"}});
        self.request("initialize", &params);
        self.stdin
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .unwrap();
    }

    fn close(self) {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        child.wait().unwrap();
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    black_box(work());
    began.elapsed()
}

fn median(samples: &mut [Duration]) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}

fn measure() {
    let program = std::env::current_exe().unwrap();
    let bare = || {
        let output = Command::new(&program)
            .arg("noop")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"noop\n");
    };
    let start_to_list = || {
        let mut server = Server::start(&program);
        let began = Instant::now();
        server.initialize();
        let tools = server.request("tools/list", &json!({}))["result"]["tools"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(tools, 21);
        (began.elapsed(), server)
    };
    let mut warm = Server::start(&program);
    warm.initialize();
    let (mut bares, mut calls, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        bares.push(timed(bare));
        calls.push(timed(|| {
            let answer = warm.request(
                "tools/call",
                &json!({"name": "bench_noop", "arguments": {}}),
            );
            assert_eq!(answer["result"]["structuredContent"]["stdout"], "noop\n");
        }));
        // From before the spawn to the answer; the server's end is not part of it.
        let began = Instant::now();
        let (_, server) = start_to_list();
        lists.push(began.elapsed());
        server.close();
    }
    warm.close();
    let bare = median(&mut bares);
    println!("{SAMPLES} samples each, medians");
    println!("bare spawn of the program       {bare:>10.1?}   1.00");
    for (what, samples) in [
        ("one call over MCP", &mut calls),
        ("start to the answered tools/list", &mut lists),
    ] {
        let found = median(samples);
        println!(
            "{what:<31} {found:>10.1?}   {:.2}",
            found.as_secs_f64() / bare.as_secs_f64()
        );
    }
}
