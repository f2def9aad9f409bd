//! A bare MCP client for the tests: it writes lines, reads lines, and gives up after a while instead of hanging.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// Far beyond what anything here takes, so that a slow machine fails no test.
const PATIENCE: Duration = Duration::from_secs(60);

/// The path of an example of this crate; `cargo test` builds them all.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test
        .parent()
        .and_then(|deps| deps.parent())
        .expect("tests are built in target/PROFILE/deps");
    profile
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// A server under test.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    answers: HashMap<String, Value>,
    /// Everything that came and was no answer.
    pub(crate) notes: Vec<Value>,
    next: i64,
}

impl Client {
    /// Starts a program and does not speak yet.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the example was built");
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
            answers: HashMap::new(),
            notes: Vec::new(),
            next: 0,
        }
    }

    /// Starts `EXAMPLE mcp start` and initializes it.
    pub(crate) fn start(name: &str) -> Self {
        Self::start_with(Command::new(example(name)).args(["mcp", "start"]))
    }

    /// Starts a server and initializes it.
    pub(crate) fn start_with(command: &mut Command) -> Self {
        let mut client = Self::spawn(command);
        let answer = client.initialize();
        assert!(
            answer["result"]["serverInfo"]["name"].is_string(),
            "{answer}"
        );
        client
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
        });
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("input was not closed yet");
        // A server that has ended shows that by not answering.
        let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_raw(format!("{message}\n").as_bytes());
    }

    /// Sends a request and leaves its answer for later.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request, or a panic after a while.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let key = id.into().to_string();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&key) {
                return answer;
            }
            assert!(
                self.receive(deadline),
                "no answer to request {key}; other messages: {:?}",
                self.notes
            );
        }
    }

    /// Whether an answer to this request arrives within a time.
    pub(crate) fn answered_within(&mut self, id: i64, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        while self.receive(deadline) {}
        self.answers.contains_key(&id.to_string())
    }

    fn receive(&mut self, deadline: Instant) -> bool {
        match self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            Ok(line) => {
                let message: Value =
                    serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if message.get("result").is_some() || message.get("error").is_some() {
                    self.answers.insert(message["id"].to_string(), message);
                } else {
                    self.notes.push(message);
                }
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Calls a tool; the result of the request.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn tools(&mut self) -> Vec<Value> {
        let answer = self.request("tools/list", json!({}));
        answer["result"]["tools"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"))
            .clone()
    }

    /// Closes the server's input and waits for its end.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.stdin = None;
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "the server did not end at the end of its input"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A failed test must leave no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}
