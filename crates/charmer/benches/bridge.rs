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
    root.subcommand(clap::Command::new("noop").about("Says its name"))
        .subcommand(clap::Command::new("spin").about("Says its name after 3 ms"))
}

fn main() {
    // cargo passes `--bench` when it benchmarks, and nothing or a filter when it tests.
    let mut words = std::env::args().skip(1);
    match words.next().as_deref() {
        Some("--bench") => measure(),
        None => {}
        Some(_) => {
            // A server that holds much memory must not pay for it with every child; the children hold none.
            let serving = words.next().as_deref() == Some("start");
            let megabytes = std::env::var("BENCH_BALLAST").ok().filter(|_| serving);
            let megabytes = megabytes.map_or(0, |text| text.parse().unwrap());
            let ballast = black_box(vec![1u8; megabytes << 20]);
            let matches = charmer::get_matches(cli());
            drop(ballast);
            if matches.subcommand_name() == Some("spin") {
                let began = Instant::now();
                while began.elapsed() < Duration::from_millis(3) {}
            }
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
    fn start(program: &Path, ballast: &str) -> Self {
        let mut child = Command::new(program)
            .args(["mcp", "start"])
            .env("BENCH_BALLAST", ballast)
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
    let bare = |command: &str| {
        let output = Command::new(&program)
            .arg(command)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success());
    };
    let call = |server: &mut Server, command: &str| {
        let params = json!({"name": format!("bench_{command}"), "arguments": {}});
        let answer = server.request("tools/call", &params);
        assert_eq!(
            answer["result"]["structuredContent"]["stdout"],
            format!("{command}\n")
        );
    };
    let mut server = Server::start(&program, "0");
    server.initialize();
    let mut heavy = Server::start(&program, "500");
    heavy.initialize();
    let mut times: [Vec<Duration>; 6] = Default::default();
    for _ in 0..SAMPLES {
        times[0].push(timed(|| bare("noop")));
        times[1].push(timed(|| call(&mut server, "noop")));
        times[2].push(timed(|| call(&mut heavy, "noop")));
        times[3].push(timed(|| bare("spin")));
        times[4].push(timed(|| call(&mut server, "spin")));
        // From before the spawn to the answer; the server's end is not part of it.
        let began = Instant::now();
        let mut fresh = Server::start(&program, "0");
        fresh.initialize();
        let listed = fresh.request("tools/list", &json!({}));
        times[5].push(began.elapsed());
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 22);
        fresh.close();
    }
    server.close();
    heavy.close();
    let [noop, call, heavy, spin, call_spin, list] = times.map(|mut samples| median(&mut samples));
    println!("{SAMPLES} samples each, medians                   bare       ours   ratio");
    for (what, bare, ours) in [
        ("one call of a trivial command", noop, call),
        ("the same, from a server of 500 MB", noop, heavy),
        ("one call of a command of 3 ms", spin, call_spin),
        ("start to the answered tools/list", noop, list),
    ] {
        println!(
            "{what:<38} {bare:>10.1?} {ours:>10.1?}   {:.2}",
            ours.as_secs_f64() / bare.as_secs_f64()
        );
    }
}
