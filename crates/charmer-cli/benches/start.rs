//! What a warm start costs, as a ratio to the start of a server with one static tool in the same run.
//!
//! `cargo bench -p charmer-cli` prints it, for docker and kubectl where they are present and for the fixture `ship` where
//! it is built (`cargo build --release -p charmer-cli --example ship`). Measured is the time from before the spawn to
//! the answered tools/list; the bar is 3. What showing fewer tools adds is a ratio to `--expose all`; its bar is 1.1. The
//! server with one tool is this file itself, with the argument `serve`.
//!
//! For a program of ten thousand commands, where it is built (`cargo build --release -p charmer-discover --example vast`), it
//! prints the most memory that a server has while it reads it and when it starts again, and how long the first search
//! takes. `cargo bench -p charmer-cli --bench start -- vast` prints that alone.
//!
//! Samples of all kinds are interleaved, so that a machine that slows down slows all of them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use charmer_core::{
    model::{Cli, Command as Spec, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    CallPath, SharedSteps, Target, ToolSet,
    process::{Engine, Environment, Launcher},
};
use charmer_server::{Server, ServerInfo};
use serde_json::{Value, json};

const SAMPLES: usize = 15;
/// The programs that are served, if they can be found.
const PROGRAMS: [&str; 2] = ["docker", "kubectl"];
/// How commands are shown; the first is what the others are compared with.
const MODES: [&str; 3] = ["all", "auto", "index"];

fn main() {
    // cargo passes `--bench` when it benchmarks, and nothing or a filter when it tests.
    match env::args().nth(1).as_deref() {
        Some("--bench") => measure(),
        Some("vast") if env::args().any(|word| word == "--bench") => measure_vast(),
        Some("serve") => serve_one_tool(),
        _ => {}
    }
}

fn serve_one_tool() {
    let root = Spec::new("true").about("Says that all is well");
    let found = catalogue(
        &Cli::new(root, Syntax::clap()),
        &CatalogueOptions::default(),
    );
    let engine = Engine::default();
    let launcher = Launcher::new(
        "true".into(),
        Environment::inherit(env::vars_os()),
        None,
        engine.clone(),
    );
    let tools = found.tools.into_iter().map(|tool| {
        CallPath::new(tool, Target::Process(launcher.clone())).serve(&SharedSteps::default())
    });
    let server = Server::new(ServerInfo::new("true", "1"), ToolSet::new(tools), engine);
    server.run_stdio().unwrap();
}

struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self {
            child,
            stdin,
            stdout,
            next: 0,
        };
        let info = json!({"name": "b", "version": "0"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        client.request("initialize", &params);
        client
            .stdin
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .unwrap();
        client
    }

    /// The answer, unread: reading a long list is the client's work.
    fn request(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.stdin
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        loop {
            let mut answer = String::new();
            self.stdout.read_line(&mut answer).unwrap();
            if !answer.contains("\"method\":\"notifications/") {
                return answer;
            }
        }
    }

    /// How long a search takes, and what it finds.
    fn search(&mut self) -> (Duration, String) {
        let arguments = json!({"query": "show the quota of a polar archive"});
        let began = Instant::now();
        let params = json!({"name": "search_commands", "arguments": arguments});
        let answer = self.request("tools/call", &params);
        (began.elapsed(), answer)
    }

    /// The most memory that the server has had, in megabytes; nothing where Linux does not tell.
    fn peak_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let words = line.and_then(|line| line.split_whitespace().next());
        let kilobytes = words.and_then(|number| number.parse::<usize>().ok());
        kilobytes.unwrap_or_default() / 1024
    }

    fn close(self) {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        child.wait().unwrap();
    }
}

/// How long a server takes to answer, and how many tools it has.
fn start_to_list(command: &mut Command) -> (Duration, usize) {
    let began = Instant::now();
    let mut client = Client::start(command);
    let listed = client.request("tools/list", &json!({}));
    let took = began.elapsed();
    client.close();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    (took, listed["result"]["tools"].as_array().unwrap().len())
}

fn median(samples: &mut [Duration]) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}

fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// An example that is built beside this.
fn example(name: &str) -> Option<PathBuf> {
    let own = env::current_exe().unwrap();
    let profile = own.ancestors().nth(2)?;
    let program = profile
        .join("examples")
        .join(format!("{name}{}", env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

/// How long an assistant thinks at least before it searches.
const THINKS: Duration = Duration::from_secs(2);

fn measure_vast() {
    let Some(program) = example("vast") else {
        println!("vast is not built");
        return;
    };
    let cache = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_charmer"));
        command.args(["serve".as_ref(), program.as_os_str()]);
        command.env("CHARMER_CACHE", cache.path());
        let began = Instant::now();
        let mut client = Client::start(&mut command);
        client.request("tools/list", &json!({}));
        (began.elapsed(), client)
    };
    let began = Instant::now();
    let (listed, mut client) = start();
    while client.search().1.contains("still being read") {
        std::thread::sleep(Duration::from_millis(500));
    }
    let (peak, read) = (client.peak_memory(), began.elapsed());
    println!("vast, read: list {listed:.1?}, whole {read:.1?}, peak {peak} MB");
    client.close();
    for pause in [Duration::ZERO, THINKS] {
        let (listed, mut client) = start();
        std::thread::sleep(pause);
        let (first, next) = (client.search().0, client.search().0);
        let peak = client.peak_memory();
        println!(
            "vast, kept: list {listed:.1?}, first search {pause:.0?} later {first:.1?}, second {next:.1?}, peak {peak} MB"
        );
        client.close();
    }
}

fn measure() {
    let cache = tempfile::tempdir().unwrap();
    let spells = tempfile::tempdir().unwrap();
    let spell = "name: hello\ndescription: Greets\ncommand: echo hello\npaths: [.]\n";
    std::fs::write(spells.path().join("hello.yaml"), spell).unwrap();
    let charmer = |command: &str, program: &Path, expose: &str| {
        let mut charmer = Command::new(env!("CARGO_BIN_EXE_charmer"));
        charmer.args([command.as_ref(), program.as_os_str()]);
        charmer.args(["--expose", expose]);
        charmer.env("CHARMER_CACHE", cache.path());
        charmer
    };
    let one_tool = || {
        let mut command = Command::new(env::current_exe().unwrap());
        command.arg("serve");
        command
    };
    let programs: Vec<PathBuf> = PROGRAMS
        .into_iter()
        .filter_map(on_path)
        .chain(example("ship"))
        .collect();
    for (program, expose) in programs
        .iter()
        .flat_map(|p| MODES.map(|expose| (p, expose)))
    {
        let mut read = charmer("tools", program, expose);
        let status = read.stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.unwrap().success(), "{}", program.display());
    }
    // With spells no list is kept, so that every start puts all tools together.
    let kinds: Vec<(&PathBuf, &str, bool)> = programs
        .iter()
        .flat_map(|program| [false, true].map(|spells| (program, spells)))
        .flat_map(|(program, spells)| MODES.map(|expose| (program, expose, spells)))
        .collect();
    let mut bare = Vec::new();
    let mut warm = vec![(Vec::new(), 0); kinds.len()];
    for _ in 0..SAMPLES {
        let (took, tools) = start_to_list(&mut one_tool());
        assert_eq!(tools, 1);
        bare.push(took);
        for ((program, expose, with_spells), (times, tools)) in kinds.iter().zip(&mut warm) {
            let mut command = charmer("serve", program, expose);
            if *with_spells {
                command.arg("--spells").arg(spells.path());
            }
            let (took, listed) = start_to_list(&mut command);
            times.push(took);
            *tools = listed;
        }
    }
    let bare = median(&mut bare);
    println!(
        "{SAMPLES} samples each, medians      tools   one tool       warm   ratio   to --expose all"
    );
    let mut all = Duration::ZERO;
    for ((program, expose, with_spells), (mut times, tools)) in kinds.into_iter().zip(warm) {
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!(
            "{name} {expose}{}",
            if with_spells { ", spells" } else { "" }
        );
        let warm = median(&mut times);
        if expose == MODES[0] {
            all = warm;
        }
        let ratio = |to: Duration| warm.as_secs_f64() / to.as_secs_f64();
        println!(
            "start of {name:<22} {tools:>5} {bare:>10.1?} {warm:>10.1?}   {:.2}   {:.2}",
            ratio(bare),
            ratio(all)
        );
    }
    measure_vast();
}
