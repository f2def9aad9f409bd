//! `charmer serve --http` beside another server of the same program and beside itself over stdio, in one run: requests a
//! second, how long they take, and the memory of sessions that nobody uses. Needs Linux, for what it reads of memory.
//!
//! ```text
//! cargo bench -p charmer-cli --bench http -- PROGRAM TOOL ARGUMENTS [NAME=TOOL=COMMAND...]
//! ```
//!
//! `TOOL` is the trivial tool that charmer makes of PROGRAM, `ARGUMENTS` its JSON. A further server is given by its name,
//! the name of its tool, and a command in which `{port}` stands for the port; `benches/http.sh` builds one and runs this.
//! Servers take turns, a short while each, so that a busy machine is busy for all. Everything stays on loopback.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench tells what it has measured"
)]

use std::{
    env, fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// The turns of each server, and how long one takes.
const TURNS: usize = 3;
const TURN: Duration = Duration::from_millis(1500);
const CLIENTS: [usize; 3] = [1, 8, 64];
const IDLE_SESSIONS: usize = 1000;
/// The calls after which memory is looked at; `CALLS` in the environment says another number.
const CALLS: usize = 100_000;

fn main() {
    // `cargo bench` adds a word of its own.
    let words: Vec<String> = env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [program, tool, arguments, peers @ ..] = words.as_slice() else {
        eprintln!(
            "http: PROGRAM TOOL ARGUMENTS [NAME=TOOL=COMMAND...] are needed; benches/http.sh has them"
        );
        return;
    };
    let mut servers = vec![HttpServer::charmer(program, tool, arguments)];
    servers.extend(peers.iter().map(|peer| HttpServer::peer(peer, arguments)));
    println!(
        "{:<10} {:>8} {:>12} {:>10} {:>10} {:>10}",
        "server", "clients", "request", "a second", "p50 ms", "p99 ms"
    );
    for clients in CLIENTS {
        for request in [ToolRequest::List, ToolRequest::Call] {
            let mut all: Vec<Figures> = servers.iter().map(|_| Figures::default()).collect();
            for _ in 0..TURNS {
                for (server, figures) in servers.iter().zip(&mut all) {
                    figures.add(server.turn(clients, request));
                }
            }
            for (server, figures) in servers.iter().zip(&mut all) {
                figures.print(&server.name, clients, request);
            }
        }
    }
    println!(
        "\na call over HTTP against one over stdio, by the time of one at the same concurrency (p50):"
    );
    for clients in CLIENTS {
        let mut stdio = Figures::default();
        let mut again = Figures::default();
        for _ in 0..TURNS {
            stdio.add(stdio_turn(program, tool, arguments, clients));
            again.add(servers[0].turn(clients, ToolRequest::Call));
        }
        let ratio = again.percentile(50) / stdio.percentile(50);
        println!(
            "{clients:>3} at once: {:.2} ms over HTTP, {:.2} over stdio, ratio {ratio:.2}",
            again.percentile(50),
            stdio.percentile(50)
        );
    }
    println!();
    for server in &servers {
        let before = server.memory();
        for _ in 0..IDLE_SESSIONS {
            server.connect();
        }
        thread::sleep(Duration::from_secs(1));
        let after = server.memory();
        println!(
            "{}: {IDLE_SESSIONS} idle sessions take {:.1} MB more ({before:.1} before)",
            server.name,
            after - before
        );
    }
    let calls = env::var("CALLS")
        .ok()
        .and_then(|calls| calls.parse().ok())
        .unwrap_or(CALLS);
    let server = &servers[0];
    let half = |many: usize| {
        let mut wire = server.connect();
        for _ in 0..many {
            wire.ask(&server.body(ToolRequest::Call, 1));
        }
        server.memory()
    };
    let (first, last) = (half(calls / 10), half(calls - calls / 10));
    println!(
        "{}: {last:.1} MB after {calls} calls, {first:.1} after the first tenth",
        server.name
    );
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolRequest {
    List,
    Call,
}

/// The times of requests, in milliseconds, and how long all of it took.
#[derive(Default)]
struct Figures {
    times: Vec<f64>,
    seconds: f64,
}

impl Figures {
    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.seconds += other.seconds;
    }

    fn percentile(&mut self, percent: usize) -> f64 {
        self.times.sort_by(f64::total_cmp);
        let at = self.times.len() * percent / 100;
        self.times
            .get(at.min(self.times.len().saturating_sub(1)))
            .copied()
            .unwrap_or(f64::NAN)
    }

    fn print(&mut self, name: &str, clients: usize, request: ToolRequest) {
        let rate = self.times.len() as f64 / self.seconds;
        let request = match request {
            ToolRequest::List => "tools/list",
            ToolRequest::Call => "tools/call",
        };
        let (p50, p99) = (self.percentile(50), self.percentile(99));
        println!("{name:<10} {clients:>8} {request:>12} {rate:>10.0} {p50:>10.2} {p99:>10.2}");
    }
}

/// A server of the program on loopback.
struct HttpServer {
    name: String,
    tool: String,
    arguments: String,
    port: u16,
    child: Mutex<Child>,
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let mut child = self.child.lock().expect("nobody panics");
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Where the program is, unless another one is to be measured.
fn charmer() -> String {
    env::var("CHARMER").unwrap_or_else(|_| {
        option_env!("CARGO_BIN_EXE_charmer")
            .unwrap_or("charmer")
            .to_owned()
    })
}

impl HttpServer {
    fn charmer(program: &str, tool: &str, arguments: &str) -> Self {
        let words = ["serve", program, "--http", "127.0.0.1:0", "--expose", "all"];
        let mut child = Command::new(charmer())
            .args(words)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("charmer");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let port = loop {
            let line = said.next().expect("it listens").expect("text");
            if let Some((_, rest)) = line.split_once("listening on http://127.0.0.1:") {
                break rest
                    .split('/')
                    .next()
                    .and_then(|port| port.parse().ok())
                    .expect("a port");
            }
        };
        thread::spawn(move || said.for_each(drop));
        Self {
            name: "charmer".into(),
            tool: tool.into(),
            arguments: arguments.into(),
            port,
            child: Mutex::new(child),
        }
    }

    fn peer(said: &str, arguments: &str) -> Self {
        let mut parts = said.splitn(3, '=');
        let mut part = || parts.next().expect("NAME=TOOL=COMMAND").to_owned();
        let (name, tool, command) = (part(), part(), part());
        let free = std::net::TcpListener::bind("127.0.0.1:0")
            .and_then(|one| one.local_addr())
            .expect("a port");
        let command = command.replace("{port}", &free.port().to_string());
        let words: Vec<&str> = command.split_whitespace().collect();
        let child = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the peer");
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", free.port())).is_ok() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Self {
            name,
            tool,
            arguments: arguments.into(),
            port: free.port(),
            child: Mutex::new(child),
        }
    }

    /// What it holds in memory, in MB.
    fn memory(&self) -> f64 {
        let id = self.child.lock().expect("nobody panics").id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("it has some");
        let kilobytes: f64 = line
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .expect("a number");
        kilobytes / 1000.0
    }

    fn body(&self, request: ToolRequest, id: usize) -> String {
        let asked = match request {
            ToolRequest::List => "\"method\":\"tools/list\",\"params\":{}".to_owned(),
            ToolRequest::Call => format!(
                "\"method\":\"tools/call\",\"params\":{{\"name\":\"{}\",\"arguments\":{}}}",
                self.tool, self.arguments
            ),
        };
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{asked}}}")
    }

    /// A session of the legacy era on a connection of its own.
    fn connect(&self) -> Wire {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_nodelay(true).expect("it can");
        let mut wire = Wire {
            read: BufReader::new(stream),
            session: None,
            port: self.port,
        };
        let hello = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";
        let answer = wire.ask(hello);
        assert!(answer.contains("serverInfo"), "{}: {answer}", self.name);
        wire.ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        wire
    }

    /// So many clients for a while, each with one request at a time.
    fn turn(&self, clients: usize, request: ToolRequest) -> Figures {
        let mut wires: Vec<Wire> = (0..clients).map(|_| self.connect()).collect();
        let stop = Arc::new(AtomicBool::new(false));
        let begun = Instant::now();
        let times: Vec<f64> = thread::scope(|scope| {
            let running: Vec<_> = wires
                .iter_mut()
                .map(|wire| {
                    let stop = Arc::clone(&stop);
                    scope.spawn(move || {
                        let mut times = Vec::new();
                        while !stop.load(Ordering::Relaxed) {
                            let asked = Instant::now();
                            let answer = wire.ask(&self.body(request, times.len() + 1));
                            assert!(answer.contains("\"result\""), "{}: {answer}", self.name);
                            times.push(asked.elapsed().as_secs_f64() * 1000.0);
                        }
                        times
                    })
                })
                .collect();
            thread::sleep(TURN);
            stop.store(true, Ordering::Relaxed);
            running
                .into_iter()
                .flat_map(|one| one.join().expect("it answers"))
                .collect()
        });
        let seconds = begun.elapsed().as_secs_f64();
        for wire in wires {
            wire.end();
        }
        Figures { times, seconds }
    }
}

/// A connection that is kept, with a session.
struct Wire {
    read: BufReader<TcpStream>,
    session: Option<String>,
    port: u16,
}

impl Wire {
    /// The body of the answer to a message.
    fn ask(&mut self, body: &str) -> String {
        self.send("POST", body);
        let mut length = None;
        let mut line = String::new();
        let mut chunked = false;
        loop {
            line.clear();
            self.read.read_line(&mut line).expect("an answer");
            let header = line.trim_end();
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse::<usize>().ok(),
                "transfer-encoding" => chunked = true,
                "mcp-session-id" => self.session = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut answer = Vec::new();
        if chunked {
            loop {
                line.clear();
                self.read.read_line(&mut line).expect("a piece");
                let size = usize::from_str_radix(line.trim(), 16).expect("a size");
                let mut piece = vec![0; size + 2];
                self.read.read_exact(&mut piece).expect("a piece");
                answer.extend_from_slice(&piece[..size]);
                if size == 0 {
                    break;
                }
            }
        } else {
            answer.resize(length.unwrap_or(0), 0);
            self.read.read_exact(&mut answer).expect("a body");
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn send(&mut self, method: &str, body: &str) {
        let session = self
            .session
            .as_ref()
            .map(|id| format!("Mcp-Session-Id: {id}\r\n"))
            .unwrap_or_default();
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        self.read
            .get_mut()
            .write_all(head.as_bytes())
            .expect("it is read");
    }

    /// Ends the session, so that turns do not add up.
    fn end(mut self) {
        self.send("DELETE", "");
        let mut line = String::new();
        let _ = self.read.read_line(&mut line);
    }
}

/// The same calls over stdio: so many under way at once on one pipe.
fn stdio_turn(program: &str, tool: &str, arguments: &str, clients: usize) -> Figures {
    let words = ["serve", program, "--expose", "all"];
    let mut child = Command::new(charmer())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("charmer");
    let mut input = child.stdin.take().expect("it is piped");
    let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    let hello = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n{\"jsonrpc\":\"2.0\",\"id\":\"list\",\"method\":\"tools/list\",\"params\":{}}\n";
    input.write_all(hello.as_bytes()).expect("it reads");
    // Until it has listed its tools it is still finding out.
    while !line.contains("\"list\"") {
        line.clear();
        output.read_line(&mut line).expect("it answers");
    }
    let (answered, answers) = mpsc::channel::<usize>();
    let reader = thread::spawn(move || {
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|read| read > 0) {
            let id = line.split("\"id\":").nth(1).and_then(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit())?;
                rest[..end].parse().ok()
            });
            if let Some(id) = id.filter(|_| line.contains("\"result\""))
                && answered.send(id).is_err()
            {
                break;
            }
            line.clear();
        }
    });
    let mut asked = Vec::new();
    let mut times = Vec::new();
    let mut ask = |asked: &mut Vec<Instant>| {
        asked.push(Instant::now());
        let id = asked.len();
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments}}}}}\n"
        );
        input.write_all(call.as_bytes()).expect("it reads");
    };
    let begun = Instant::now();
    (0..clients).for_each(|_| ask(&mut asked));
    while times.len() < asked.len() {
        let id = answers
            .recv_timeout(Duration::from_secs(60))
            .expect("it answers");
        times.push(asked[id - 1].elapsed().as_secs_f64() * 1000.0);
        if begun.elapsed() < TURN {
            ask(&mut asked);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    drop(input);
    let _ = child.wait();
    let _ = reader.join();
    Figures { times, seconds }
}
