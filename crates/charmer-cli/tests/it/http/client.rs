//! A server on HTTP, and a client that can also do what no good client does: it writes bytes.

use std::{
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{PATIENCE, charmer, ship};

/// The token that may do everything, and others.
pub(crate) const TOKENS: &str = "\
ann: ann-may-do-everything
bob: bob-may-do-everything
reader: reader-may-read [read]
writer: writer-may-write [read, write]
";

/// What the commands of the fixture do.
const SOURCES: &str = "
    override:
      list: {effect: read}
      crew show: {effect: read}
      sail: {effect: write}
      crew dismiss: {effect: destroy}
      sink: {effect: read}
      drift: {effect: read}
    confine: off
";

/// A running server, and the folder that it was started in.
pub(crate) struct HttpServer {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// What it said before it listened.
    pub(crate) said: String,
    pub(crate) port: u16,
    pub(crate) folder: TempDir,
}

impl HttpServer {
    /// A server of the fixture on loopback that everybody may use, with this beside its sources in `charmer.yaml`.
    pub(crate) fn start(config: &str) -> Self {
        Self::start_with(config, &["--http", "127.0.0.1:0"])
    }

    /// The same for those who have one of the tokens.
    pub(crate) fn with_tokens(config: &str) -> Self {
        Self::start_with(config, &["--http", "127.0.0.1:0", "--token-file", "tokens"])
    }

    /// The same, with the commands in an index, and with these words.
    pub(crate) fn indexed(config: &str, more: &[&str]) -> Self {
        let words = ["--http", "127.0.0.1:0", "--token-file", "tokens"];
        let words = [&words[..], &["--expose", "index"], more].concat();
        Self::start_with(config, &words)
    }

    pub(crate) fn start_with(config: &str, words: &[&str]) -> Self {
        let folder = folder(config);
        let mut child = serve(&folder, words).spawn().expect("it was built");
        let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        let port = loop {
            let mut line = String::new();
            let length = stderr.read_line(&mut line).expect("it is text");
            assert!(length > 0, "it ended: {said}");
            said.push_str(&line);
            let Some(place) = line.trim_end().strip_prefix("listening on ") else {
                continue;
            };
            let port = place.strip_prefix("http://");
            let port = port.and_then(|port| port.strip_suffix("/mcp")?.rsplit_once(':'));
            break match port {
                Some((_, port)) => port.parse().expect("a port"),
                None => 0,
            };
        };
        Self {
            child,
            stderr,
            said,
            port,
            folder,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn connect(&self) -> Wire {
        Wire::tcp(TcpStream::connect(("127.0.0.1", self.port)).expect("it listens"))
    }

    /// Sends one request over a connection of its own.
    pub(crate) fn send(&self, request: &Ask) -> Reply {
        let mut wire = self.connect();
        wire.write(&request.bytes());
        wire.reply()
    }

    /// Tells it to end, and gives what it said until then.
    pub(crate) fn terminate(&mut self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &id]).status();
        assert!(sent.expect("a command of every system").success());
    }

    pub(crate) fn wait(&mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("it is text");
        (self.child.wait().expect("it was started"), said)
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it in order.
    pub(crate) fn end(self) {
        self.end_and(|| ());
    }

    /// Ends it in order, and looks at what it leaves in its folder.
    pub(crate) fn end_and(mut self, look: impl FnOnce()) {
        self.terminate();
        let (status, said) = self.wait();
        assert!(status.success(), "{status}: {said}");
        look();
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // A test that fails leaves no server behind; one that ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with a `charmer.yaml` and tokens.
pub(crate) fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let program = serde_json::to_string(&ship()).expect("a path");
    let config = format!("sources:\n  - binary: {program}{SOURCES}{config}\n");
    fs::write(folder.path().join("charmer.yaml"), config).expect("it is written");
    let tokens = folder.path().join("tokens");
    fs::write(&tokens, TOKENS).expect("it is written");
    fs::set_permissions(&tokens, fs::Permissions::from_mode(0o600)).expect("it is ours");
    folder
}

/// `charmer serve` of such a folder.
pub(crate) fn serve(folder: &TempDir, words: &[&str]) -> Command {
    let every: &[&str] = match words.contains(&"--expose") {
        true => &[],
        false => &["--expose", "all"],
    };
    let mut command = charmer(&[&["serve"], words, every].concat());
    command
        .current_dir(folder.path())
        .env("CHARMER_DATA", folder.path().join("data"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// A request, good by default.
#[derive(Clone)]
pub(crate) struct Ask {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(method: &str) -> Self {
        let ask = Self {
            method: method.to_owned(),
            path: "/mcp".into(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        let accept = "application/json, text/event-stream";
        let ask = ask.header("Host", "localhost").header("Accept", accept);
        match method {
            "POST" => ask.header("Content-Type", "application/json"),
            _ => ask,
        }
    }

    pub(crate) fn post(body: impl Into<Vec<u8>>) -> Self {
        let mut ask = Self::new("POST");
        ask.body = body.into();
        ask
    }

    /// A request of the modern era.
    pub(crate) fn modern(method: &str, mut params: Value) -> Self {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let name = name.map(str::to_owned);
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let ask = Self::post(message.to_string())
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", method);
        match name {
            Some(name) => ask.header("Mcp-Name", &name),
            None => ask,
        }
    }

    /// A call in the modern era.
    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::modern("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The beginning of a session of the legacy era.
    pub(crate) fn initialize() -> Self {
        let client = json!({"name": "test", "version": "0"});
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        Self::post(message.to_string())
    }

    /// A request in a session.
    pub(crate) fn in_session(session: &str, message: &Value) -> Self {
        Self::post(message.to_string())
            .header("Mcp-Session-Id", session)
            .header("MCP-Protocol-Version", "2025-11-25")
    }

    /// Sets a header, or adds it.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        let mut known = self.headers.iter_mut();
        match known.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, known)) => *known = value.to_owned(),
            None => self.headers.push((name.to_owned(), value.to_owned())),
        }
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn at(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    /// The header, with the length of the body.
    pub(crate) fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if self.method == "POST" {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        head + "\r\n"
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head().into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A connection.
pub(crate) struct Wire {
    stream: BufReader<Box<dyn Stream>>,
    /// What is left of the chunk that is being read.
    chunk: usize,
}

impl Wire {
    pub(crate) fn tcp(stream: TcpStream) -> Self {
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("it can be set");
        Self::of(stream)
    }

    pub(crate) fn unix(stream: UnixStream) -> Self {
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("it can be set");
        Self::of(stream)
    }

    fn of(stream: impl Stream + 'static) -> Self {
        Self {
            stream: BufReader::new(Box::new(stream)),
            chunk: 0,
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.try_write(bytes).expect("the server reads");
    }

    pub(crate) fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Whether the server has closed it, with nothing more to read.
    pub(crate) fn is_closed(&mut self) -> bool {
        match self.stream.fill_buf() {
            Ok(rest) => rest.is_empty(),
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }

    /// The status and the headers of the next answer.
    pub(crate) fn begin(&mut self) -> Reply {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let length = self.stream.read_line(&mut line).expect("an answer");
            assert!(length > 0, "closed in the header of an answer: {lines:?}");
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines[0]
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
        Reply {
            status: status.expect("a status"),
            headers: headers
                .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
                .collect(),
            body: String::new(),
        }
    }

    /// The next answer, whole.
    pub(crate) fn reply(&mut self) -> Reply {
        let mut reply = self.begin();
        if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(line) = self.chunked_line() {
                reply.body += &line;
            }
        } else {
            let length = reply.header("content-length").map_or("0", |length| length);
            let mut body = vec![0; length.parse().expect("a number")];
            self.stream.read_exact(&mut body).expect("the body");
            reply.body = String::from_utf8(body).expect("it is text");
        }
        reply
    }

    /// A line of a body that comes in pieces; nothing at its end.
    pub(crate) fn chunked_line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            if self.chunk == 0 {
                let mut size = String::new();
                self.stream.read_line(&mut size).expect("a piece");
                self.chunk = usize::from_str_radix(size.trim(), 16)
                    .unwrap_or_else(|_| panic!("the stream broke off: {size:?}"));
                if self.chunk == 0 {
                    self.stream.read_line(&mut size).expect("the end");
                    break;
                }
            }
            let mut piece = Vec::new();
            let mut within = (&mut self.stream).take(self.chunk as u64);
            within.read_until(b'\n', &mut piece).expect("a piece");
            self.chunk -= piece.len();
            line.extend(piece);
            if self.chunk == 0 {
                let mut end = String::new();
                self.stream.read_line(&mut end).expect("the end of a piece");
            }
        }
        (!line.is_empty()).then(|| String::from_utf8(line).expect("it is text"))
    }

    /// The next message of a stream of events; nothing at its end.
    pub(crate) fn event(&mut self) -> Option<Value> {
        loop {
            let line = self.chunked_line()?;
            let data = line.strip_prefix("data: ").map(str::trim);
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                return Some(serde_json::from_str(data).expect("it is JSON"));
            }
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut known = self.headers.iter();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The message of its body: the last, if they came as events.
    pub(crate) fn json(&self) -> Value {
        let mut events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let text = events.next_back().unwrap_or(&self.body);
        serde_json::from_str(text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The code of the JSON-RPC error.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }

    /// The session that it begins.
    pub(crate) fn session(&self) -> String {
        self.header("mcp-session-id")
            .unwrap_or_else(|| panic!("no session: {self:?}"))
            .to_owned()
    }
}
