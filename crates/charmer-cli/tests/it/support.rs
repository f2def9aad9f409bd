//! Runs `charmer` and speaks with it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// Longer than any change takes to be told, even on a busy machine; waits end as soon as it is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The path of an example of this crate; `cargo test` builds them all.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent);
    profile
        .expect("tests are built in target/PROFILE/deps")
        .join("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Puts a program in another place. It is linked where that can be: a copy that was just written cannot be started while a
/// child of another test, which was forked meanwhile, still has it open for writing.
pub(crate) fn put(program: impl AsRef<Path>, there: impl AsRef<Path>) {
    let (program, there) = (program.as_ref(), there.as_ref());
    let linked = std::fs::hard_link(program, there);
    linked
        .or_else(|_| std::fs::copy(program, there).map(drop))
        .expect("`cargo test` builds it");
}

/// The fixture, as a word of a command line.
pub(crate) fn ship() -> String {
    example("ship").to_string_lossy().into_owned()
}

/// `charmer` with these words; nothing that it keeps outlives the test.
pub(crate) fn charmer<S: AsRef<std::ffi::OsStr>>(words: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_charmer"));
    command
        .args(words)
        .env("RUST_BACKTRACE", "0")
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("CHARMER_CONFIG", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("MCP_MODE")
        .stdin(Stdio::null());
    command
}

/// Runs it to the end.
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(words: &[S]) -> Output {
    charmer(words).output().expect("it was built")
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it prints when it works.
pub(crate) fn works<S: AsRef<std::ffi::OsStr>>(words: &[S]) -> String {
    let output = run(words);
    assert!(output.status.success(), "{}{}", out(&output), err(&output));
    out(&output)
}

/// A server and its client.
pub(crate) struct Session {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: i64,
    /// Notifications that nobody has asked for yet.
    told: Vec<String>,
    /// What the server said of itself.
    pub(crate) greeting: Value,
}

impl Session {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut session = Self::connect(command);
        let client = json!({"name": "test", "version": "0"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = session.request("initialize", params);
        assert!(
            answer["result"]["serverInfo"]["name"].is_string(),
            "{answer}"
        );
        session.greeting = answer["result"].clone();
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    /// A server that nobody has greeted: in the modern era every request says who makes it.
    pub(crate) fn connect(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it was built");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        Self {
            child,
            to,
            from,
            next: 0,
            told: Vec::new(),
            greeting: Value::Null,
        }
    }

    fn send(&mut self, message: &Value) {
        let to = self.to.as_mut().expect("it was not closed yet");
        writeln!(to, "{message}").expect("the server reads");
    }

    /// The line that answers a request.
    pub(crate) fn line(&mut self, method: &str, params: Value) -> String {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let line = self.next_line(method);
            let message: Value = serde_json::from_str(&line).expect("it is JSON");
            if message["id"] == id {
                return line;
            }
            let notification = message["method"].as_str().map(str::to_owned);
            self.told.extend(notification);
        }
    }

    fn next_line(&mut self, wanted: &str) -> String {
        let mut line = String::new();
        let length = self.from.read_line(&mut line).expect("the server writes");
        assert!(length > 0, "the server ended without an answer to {wanted}");
        line
    }

    /// Waits for a notification, unless it came already since the last time. A server that says nothing is asked to, so
    /// that the wait ends.
    pub(crate) fn told(&mut self, notification: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.told.iter().position(|told| told == notification) {
                self.told.drain(..=at);
                return;
            }
            assert!(Instant::now() < until, "no {notification} came");
            self.request("ping", json!({}));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        serde_json::from_str(&self.line(method, params)).expect("it is JSON")
    }

    /// Waits until the server says this by itself.
    pub(crate) fn notified(&mut self, method: &str) {
        loop {
            let mut line = String::new();
            let length = self.from.read_line(&mut line).expect("the server writes");
            assert!(length > 0, "the server ended without {method}");
            let message: Value = serde_json::from_str(&line).expect("it is JSON");
            if message["method"] == method {
                return;
            }
        }
    }

    /// Waits until the programs have been read, which whatever is asked about one command does.
    pub(crate) fn settle(&mut self) {
        self.request("resources/read", json!({"uri": "help://none/none"}));
    }

    /// The list when everything is known.
    pub(crate) fn settled_names(&mut self) -> Vec<String> {
        self.settle();
        self.names()
    }

    /// The list as it is given now, without the tool for jobs, which is in nearly all of them.
    pub(crate) fn names(&mut self) -> Vec<String> {
        let mut names = self.all_names();
        names.retain(|name| name != "job");
        names
    }

    /// The list as it is given now.
    pub(crate) fn all_names(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().expect("a list");
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Ends the server as a client does that has lost its patience.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it is our child");
    }

    /// The most memory that the server has had so far, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kilobytes: u64 = kilobytes
            .and_then(|number| number.parse().ok())
            .expect("a number");
        kilobytes * 1024
    }

    /// Closes the server's input and waits for its end.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.to = None;
        self.child.wait().expect("it is our child")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failed test must leave no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a program for the shell. Another process writes it: a file that this one has open for writing may be open in a
/// child of another test.
#[cfg(unix)]
pub(crate) fn write_script(path: &Path, script: &str) {
    let status = Command::new("/bin/sh")
        .args([
            "-c",
            "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\" && chmod +x \"$1\"",
            "sh",
        ])
        .arg(path)
        .arg(script)
        .status();
    assert!(status.expect("there is a shell").success());
}
