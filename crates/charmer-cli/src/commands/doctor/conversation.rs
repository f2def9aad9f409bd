//! MCP as a client speaks it with a server that is tried: one question at a time, each with a deadline.

use std::time::{Duration, Instant};

use charmer_run::{
    Ended,
    process::{Dialogue, HeardLine},
};
use serde_json::{Map, Value, json};

/// The newest revision of each era.
const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
/// The maximum number of lines that answer nothing while an answer is waited for. Servers tell of progress and of
/// changed lists; a thousand times a second they do not.
const MOST_OTHERS: usize = 10_000;
/// The maximum number of lines that are no messages at all: whoever prints so many prints for ever.
const MOST_JUNK: usize = 200;
/// The longest time that a server that has closed its output may take to end.
const ENDING: Duration = Duration::from_secs(2);
/// The factors by which a call, and a conversation in all, may take longer than a greeting. Clients wait a minute for a
/// call; the first one waits until the program has been read.
const CALL: u32 = 3;
const CONVERSATION: u32 = 5;

/// The two ways of speaking with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProtocolEra {
    /// It is greeted once, by `initialize`.
    Legacy,
    /// Every request says who asks; there is no greeting.
    Modern,
}

impl ProtocolEra {
    /// The method that a client begins with.
    pub(super) fn greeting(self) -> &'static str {
        match self {
            Self::Legacy => "initialize",
            Self::Modern => "server/discover",
        }
    }
}

/// The reason why a conversation goes no further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Breakdown {
    /// It ended, or closed its output, instead of answering.
    Ended(&'static str, Option<Ended>),
    /// It did not answer in time.
    Silent(&'static str, Duration),
    /// It printed without end.
    Flood(&'static str),
    /// It answered that it failed.
    Refused(&'static str, String),
    /// It answered something else.
    Nonsense(&'static str, &'static str),
}

impl Breakdown {
    /// In one sentence, with what the server said as `shown` has it.
    pub(super) fn told(&self, shown: impl Fn(&str) -> String) -> String {
        match self {
            Self::Ended(method, Some(ended)) => {
                format!("it {} instead of answering `{method}`", told_end(ended))
            }
            Self::Ended(method, None) => {
                format!("it closed its output instead of answering `{method}`")
            }
            Self::Silent(method, patience) => format!(
                "it did not answer `{method}` within {}",
                humantime::format_duration(*patience)
            ),
            Self::Flood(method) => {
                format!("it printed without end, and no answer to `{method}`")
            }
            Self::Refused(method, message) => {
                let message = shown(message);
                format!("it answered `{method}` with an error: {message}")
            }
            Self::Nonsense(method, what) => format!("its answer to `{method}` {what}"),
        }
    }
}

/// The way a process ended, behind "it".
pub(super) fn told_end(ended: &Ended) -> String {
    match ended {
        Ended::Exited(0) => "ended by itself".into(),
        Ended::Exited(code) => format!("ended with exit code {code}"),
        Ended::Signalled(signal) => format!("was ended by signal {signal}"),
        _ => "ended".into(),
    }
}

/// A server that is spoken with.
pub(super) struct Conversation {
    dialogue: Dialogue,
    era: ProtocolEra,
    next: u64,
    patience: Duration,
    until: Instant,
    /// The first line on standard output that is no message, and how many there were.
    junk: Option<(String, usize)>,
}

impl Conversation {
    pub(super) fn new(dialogue: Dialogue, era: ProtocolEra, patience: Duration) -> Self {
        Self {
            dialogue,
            era,
            next: 0,
            patience,
            until: Instant::now() + patience * CONVERSATION,
            junk: None,
        }
    }

    /// Greets the server. Says which revision it will speak.
    pub(super) async fn greet(&mut self) -> Result<String, Breakdown> {
        let method = self.era.greeting();
        let nonsense = |what| Breakdown::Nonsense(method, what);
        match self.era {
            ProtocolEra::Legacy => {
                let client =
                    json!({"name": "charmer-doctor", "version": env!("CARGO_PKG_VERSION")});
                let params =
                    json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
                let answer = self.ask(method, params).await?;
                let version = answer["protocolVersion"].as_str();
                let is_date = |c: char| c.is_ascii_digit() || c == '-';
                let version = version
                    .filter(|version| version.len() == LEGACY.len() && version.chars().all(is_date))
                    .ok_or(nonsense("names no revision under `protocolVersion`"))?
                    .to_owned();
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                self.say(method, &ready).await?;
                Ok(version)
            }
            ProtocolEra::Modern => {
                let answer = self.ask(method, json!({})).await?;
                let versions = answer["supportedVersions"].as_array();
                let versions = versions.ok_or(nonsense("has no `supportedVersions`"))?;
                match versions.iter().any(|version| version == MODERN) {
                    true => Ok(MODERN.to_owned()),
                    false => Err(nonsense("does not name 2026-07-28 among the revisions")),
                }
            }
        }
    }

    /// Calls a tool. Gives the text of its answer.
    pub(super) async fn call(
        &mut self,
        tool: &'static str,
        arguments: Value,
    ) -> Result<String, Breakdown> {
        let params = json!({"name": tool, "arguments": arguments});
        let patience = self.patience * CALL;
        let answer = match self.ask_within(patience, "tools/call", params).await {
            Err(Breakdown::Refused(_, message)) => return Err(Breakdown::Refused(tool, message)),
            Err(Breakdown::Silent(_, patience)) => return Err(Breakdown::Silent(tool, patience)),
            other => other?,
        };
        let content = answer["content"].as_array();
        let content = content.ok_or(Breakdown::Nonsense(tool, "has no `content`"))?;
        let text: Vec<&str> = content
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect();
        let text = text.join("\n");
        match answer["isError"] == true {
            true => Err(Breakdown::Refused(tool, text)),
            false => Ok(text),
        }
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask(
        &mut self,
        method: &'static str,
        params: Value,
    ) -> Result<Value, Breakdown> {
        self.ask_within(self.patience, method, params).await
    }

    async fn ask_within(
        &mut self,
        patience: Duration,
        method: &'static str,
        mut params: Value,
    ) -> Result<Value, Breakdown> {
        if self.era == ProtocolEra::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "charmer-doctor", "version": env!("CARGO_PKG_VERSION")},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.next += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let patience = patience.min(self.until.saturating_duration_since(Instant::now()));
        // In whole seconds, unless there is none.
        let told = Duration::from_secs(patience.as_secs().max(1));
        let silent = Breakdown::Silent(method, told);
        let answered = async {
            self.say(method, &request).await?;
            self.answer(method).await
        };
        tokio::time::timeout(patience, answered)
            .await
            .unwrap_or(Err(silent))
    }

    async fn say(&mut self, method: &'static str, message: &Value) -> Result<(), Breakdown> {
        match self.dialogue.say(&message.to_string()).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.broken_off(method).await),
        }
    }

    async fn answer(&mut self, method: &'static str) -> Result<Value, Breakdown> {
        for _ in 0..MOST_OTHERS {
            let line = match self.dialogue.next_line().await {
                HeardLine::Line(line) => line,
                HeardLine::Nothing => return Err(self.broken_off(method).await),
                _ => return Err(Breakdown::Flood(method)),
            };
            let Ok(Value::Object(message)) = serde_json::from_slice(&line) else {
                let (_, count) = self
                    .junk
                    .get_or_insert_with(|| (String::from_utf8_lossy(&line).into_owned(), 0));
                *count += 1;
                if *count > MOST_JUNK {
                    return Err(Breakdown::Flood(method));
                }
                continue;
            };
            if message.contains_key("method") {
                self.turn_down(method, &message).await?;
            } else if message.get("id") == Some(&self.next.into()) {
                return outcome(method, message);
            }
        }
        Err(Breakdown::Flood(method))
    }

    /// Answers a request of the server's: nothing was offered to it but a sign of life.
    async fn turn_down(
        &mut self,
        waiting_for: &'static str,
        request: &Map<String, Value>,
    ) -> Result<(), Breakdown> {
        let Some(id) = request.get("id") else {
            return Ok(());
        };
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        match request["method"] == "ping" {
            true => answer["result"] = json!({}),
            false => {
                answer["error"] = json!({"code": -32601, "message": "this client offers nothing"})
            }
        }
        self.say(waiting_for, &answer).await
    }

    async fn broken_off(&mut self, method: &'static str) -> Breakdown {
        let ended = tokio::time::timeout(ENDING, self.dialogue.ended()).await;
        Breakdown::Ended(method, ended.ok())
    }

    /// Goes away as a client does, and waits for the server's end; `None` if it does not end by itself.
    pub(super) async fn leave(&mut self) -> Option<Ended> {
        self.dialogue.hang_up();
        let ended = tokio::time::timeout(self.patience, self.dialogue.ended());
        ended.await.ok()
    }

    /// Ends it, whatever it does. Gives what it complained of, and the first line that was no message with their number.
    pub(super) async fn close(self) -> (String, Option<(String, usize)>) {
        let complaints = self.dialogue.complaints();
        self.dialogue.end().await;
        (complaints, self.junk)
    }
}

/// The result of an answer, or its error.
fn outcome(method: &'static str, mut answer: Map<String, Value>) -> Result<Value, Breakdown> {
    if let Some(result) = answer.remove("result") {
        return Ok(result);
    }
    let Some(error) = answer.get("error") else {
        return Err(Breakdown::Nonsense(
            method,
            "has neither a result nor an error",
        ));
    };
    let message = error["message"].as_str().unwrap_or("it does not say which");
    Err(Breakdown::Refused(method, message.to_owned()))
}
