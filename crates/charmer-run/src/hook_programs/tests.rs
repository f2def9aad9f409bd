//! Hooks on whole call paths. They are scripts for the shell; what they judge is a function of the test.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use charmer_core::{
    model::{Cli, Command, Flag, Positional, Syntax, ValueType},
    tool::{CatalogueOptions, catalogue},
};
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::*;
use crate::{
    Answer, Answers, CallPath, CallResult, Caller, Client, ErrorCode, HandlerCall, Outcome,
    Question, Reply, ServedTool, SharedSteps, Target, layers::Validate,
};

const ALLOW: &str = r#"cat >/dev/null; echo '{"version": 1, "decision": "allow"}'"#;
/// Longer than any hook of a test takes on a busy machine.
const PATIENT: Duration = Duration::from_secs(60);

/// A server of one command, `greet`, which says how it was called.
struct HookedServer {
    folder: tempfile::TempDir,
    hooks: HookPrograms,
    redactor: Redactor,
    checks: Vec<Validate>,
    runs: Arc<AtomicU32>,
}

impl HookedServer {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            hooks: HookPrograms::default(),
            redactor: Redactor::default(),
            checks: Vec::new(),
            runs: Arc::default(),
        }
    }

    /// One with a single hook.
    fn with(moment: HookMoment, script: &str) -> Self {
        Self::new().hook(moment, script)
    }

    /// Adds a level with a hook, within the others.
    fn hook(self, moment: HookMoment, script: &str) -> Self {
        let command = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
        self.command(moment, command, PATIENT)
    }

    fn command(mut self, moment: HookMoment, command: Vec<String>, timeout: Duration) -> Self {
        let environment = Environment::inherit(std::env::vars_os());
        let folder = self.folder.path().to_owned();
        let runner = HookRunner::new(environment, folder, Engine::default());
        let level = HookLevel::new(&runner)
            .asks(moment, command)
            .timeout(timeout);
        self.hooks = self.hooks.within(level);
        self
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn served(&self) -> ServedTool {
        let root = Command::new("host").not_runnable().command(
            Command::new("greet")
                .flag(Flag::new("times").value_type(ValueType::INT))
                .positional(Positional::new("name").required()),
        );
        let cli = Cli::new(root, Syntax::pflag());
        let tool = catalogue(&cli, &CatalogueOptions::default())
            .tools
            .remove(0);
        let runs = Arc::clone(&self.runs);
        let greet = move |call: HandlerCall| -> Result<Reply, CallError> {
            runs.fetch_add(1, Ordering::SeqCst);
            let words = call.prepared.argv.to_strings().join(" ");
            match words.contains("nobody") {
                true => Err(CallError::new(ErrorCode::Failed, "nobody is there")),
                false => Ok(words.into()),
            }
        };
        let path = CallPath::new(tool, Target::Handler(Arc::new(greet)))
            .hooks(self.hooks.clone())
            .redactor(self.redactor.clone());
        let path = self.checks.iter().cloned().fold(path, CallPath::check);
        path.serve(&SharedSteps::default())
    }

    async fn call(&self, input: Value) -> CallResult {
        let Value::Object(input) = input else {
            panic!("input is an object")
        };
        self.served().call(input, CancellationToken::new()).await
    }

    async fn greet(&self, name: &str) -> CallResult {
        self.call(json!({"name": name})).await
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

/// A hook that gives this answer.
fn answers(answer: &str) -> String {
    format!("cat >/dev/null; printf '%s' '{answer}'")
}

fn code(result: &CallResult) -> &str {
    result.structured["error"]["code"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test]
async fn a_hook_is_asked_with_everything_that_is_known() {
    let save = format!("tee asked.json >/dev/null; {ALLOW}");
    let server = HookedServer::with(HookMoment::Before, &save);
    let result = server.call(json!({"name": "Ann", "times": "2"})).await;
    assert!(result.text.starts_with("greet --times=2 Ann"));
    let mut asked: Value = serde_json::from_str(&server.file("asked.json")).expect("JSON");
    let id = asked["caller"]["id"].take();
    assert!(id.is_string());
    assert_eq!(
        asked,
        json!({
            "version": 1,
            "hook": "before",
            "tool": "host_greet",
            "command": ["host", "greet"],
            "effect": "unknown",
            "arguments": {"name": "Ann", "times": 2},
            "argv": ["host", "greet", "--times=2", "Ann"],
            "reads": false,
            "dryRun": false,
            "caller": {"id": null, "principal": "local", "transport": "direct", "folders": []},
        })
    );
}

#[tokio::test]
async fn what_a_hook_refuses_is_not_run() {
    let refuse =
        answers(r#"{"version": 1, "decision": "refuse", "reason": "no ticket", "hint": "ask Bo"}"#);
    for script in [refuse.clone(), format!("{refuse}; exit 3")] {
        let server = HookedServer::with(HookMoment::Before, &script);
        let result = server.greet("Ann").await;
        assert_eq!(result.text, "no ticket (ask Bo)");
        assert_eq!((code(&result), server.runs()), ("not_permitted", 0));
    }
}

#[tokio::test]
async fn what_a_hook_has_asked_is_run_only_when_a_person_agrees_to_just_that() {
    let ask = answers(r#"{"version": 1, "decision": "ask", "message": "Greet them?"}"#);
    let server = HookedServer::with(HookMoment::Before, &ask);
    let served = server.served();
    let call = async |name: &str, answers: Answers| {
        let Value::Object(input) = json!({"name": name}) else {
            unreachable!("it is an object")
        };
        let mut client = Client::new("claude", "1");
        client.elicitation = true;
        let caller = Caller::default().client(Arc::new(client));
        let call = served.call_by(caller, input).answers(answers);
        served.service.clone().call(call).await
    };
    let asked = async || {
        let asked = call("Ann", Answers::default()).await.expect("a question");
        asked.question.expect("a question")
    };
    let said = |question: &Question, answer| Answers::from_iter([(question.key.clone(), answer)]);
    let Value::Object(allowed) = json!({"allow": true}) else {
        unreachable!("it is an object")
    };
    let yes = || Answer::Accepted(allowed.clone());
    let question = asked().await;
    assert!(question.message.contains("greet Ann"));
    assert!(question.message.contains("Greet them?"));
    for (answer, message) in [
        (Answer::Declined, "the user declined this call"),
        (Answer::Dismissed, "the user did not answer"),
        (Answer::Accepted(Map::new()), "no person has answered"),
    ] {
        let said = said(&asked().await, answer);
        let refused = call("Ann", said).await.expect_err("it is refused");
        assert!(refused.message.contains(message), "{refused}");
    }
    let other = call("Bob", said(&asked().await, yes())).await;
    assert!(
        other
            .expect_err("refused")
            .message
            .contains("not what was shown")
    );
    assert_eq!(server.runs(), 0);
    let greeted = call("Ann", said(&asked().await, yes())).await;
    assert_eq!(
        (greeted.expect("it ran").question, server.runs()),
        (None, 1)
    );

    // Where nobody can be asked, that is the answer.
    let result = server.greet("Ann").await;
    assert!(result.is_error && result.text.contains("nobody can be asked"));
    assert_eq!(server.runs(), 1);
}

#[tokio::test]
async fn a_hook_that_cannot_be_asked_refuses() {
    let timeout = Duration::from_millis(100);
    let missing = HookedServer::new().command(HookMoment::Before, vec!["./none".into()], PATIENT);
    let slow = vec!["/bin/sh".into(), "-c".into(), "exec sleep 600".into()];
    let slow = HookedServer::new().command(HookMoment::Before, slow, timeout);
    let before = |script: &str| HookedServer::with(HookMoment::Before, script);
    let allow = r#"{"version": 1, "decision": "allow"}"#;
    for (server, said) in [
        (
            missing,
            "cannot be started: program `./none` does not exist",
        ),
        (slow, "gave no answer within 100ms"),
        (before("cat >/dev/null"), "it printed nothing"),
        (before("echo sure"), "it printed no JSON object"),
        (
            before("echo no server >&2; exit 4"),
            "ended with exit code 4 and gave no answer (it said: no server)",
        ),
        (
            before(&format!("{}; exit 1", answers(allow))),
            "ended with exit code 1, although it answered",
        ),
        (before("kill -9 $$"), "ended with signal 9"),
        (
            before("head -c 10000000 /dev/zero | tr '\\0' x"),
            "printed 10000000 bytes",
        ),
    ] {
        let result = server.greet("Ann").await;
        assert!(result.text.starts_with("refused, because the hook `"));
        assert!(result.text.contains(said), "{}", result.text);
        assert_eq!((code(&result), server.runs()), ("invalid_configuration", 0));
    }
}

#[tokio::test]
async fn a_hook_need_not_read_its_question() {
    // More than a pipe takes.
    let long = "x".repeat(100_000);
    let allow = r#"echo '{"version": 1, "decision": "allow"}'"#;
    let server = HookedServer::with(HookMoment::Before, allow);
    let result = server.greet(&long).await;
    assert!(!result.is_error && server.runs() == 1, "{}", result.text);
}

#[tokio::test]
async fn changed_arguments_are_understood_and_checked_like_any_others() {
    let change = |arguments: &str| {
        let answer = format!(r#"{{"version": 1, "decision": "allow", "arguments": {arguments}}}"#);
        HookedServer::with(HookMoment::Before, &answers(&answer))
    };
    let result = change(r#"{"name": "Bo", "times": "3"}"#).greet("Ann").await;
    assert!(
        result.text.starts_with("greet --times=3 Bo\n"),
        "{}",
        result.text
    );
    assert!(
        result.text.contains("changed the arguments"),
        "{}",
        result.text
    );

    // What the command does not take, and what a check of the server forbids.
    for arguments in [
        r#"{}"#,
        r#"{"name": "Bo", "secret": 1}"#,
        r#"{"name": "-x"}"#,
    ] {
        let server = change(arguments);
        let result = server.greet("Ann").await;
        assert!(result.is_error && server.runs() == 0, "{}", result.text);
        assert!(
            result.text.contains("changed the arguments to what"),
            "{}",
            result.text
        );
    }
    let mut server = change(r#"{"name": "Mallory"}"#);
    let check = Validate::forbid("name", "Mallory", "not to Mallory").expect("a pattern");
    server.checks.push(check);
    let result = server.greet("Ann").await;
    assert!(result.text.contains("not to Mallory"), "{}", result.text);
    assert_eq!(server.runs(), 0);
}

#[tokio::test]
async fn an_output_is_changed_or_withheld_after_the_run() {
    let masked = answers(r#"{"version": 1, "decision": "allow", "stdout": "greet ***"}"#);
    let server = HookedServer::with(HookMoment::After, &masked);
    assert_eq!(server.greet("Ann").await.text, "greet ***");

    let refuse = answers(r#"{"version": 1, "decision": "refuse", "reason": "it is private"}"#);
    for (script, said) in [
        (refuse.as_str(), "its output is withheld: it is private"),
        ("exit 2", "its output is withheld, because the hook"),
        ("echo {", "its output is withheld, because the hook"),
    ] {
        let server = HookedServer::with(HookMoment::After, script);
        let result = server.greet("Ann").await;
        assert!(result.text.contains(said), "{}", result.text);
        assert!(!result.text.contains("Ann") && server.runs() == 1);
    }
}

#[tokio::test]
async fn what_a_hook_returns_is_redacted() {
    // An escape of JSON stands for the same text.
    let told = answers(r#"{"version": 1, "decision": "allow", "stdout": "hun\u0074er2"}"#);
    let mut server = HookedServer::with(HookMoment::After, &told);
    server.redactor = Redactor::new(["hunter2"], [""; 0]).expect("no patterns");
    let result = server.greet("Ann").await;
    assert_eq!(result.text, "[redacted]");
}

#[tokio::test]
async fn an_error_can_be_told_in_other_words_and_stays_one() {
    let words = answers(r#"{"version": 1, "message": "nothing to do", "hint": "go on"}"#);
    let server = HookedServer::with(HookMoment::Error, &words);
    let result = server.greet("nobody").await;
    assert_eq!(result.text, "nothing to do (go on)");
    assert!(result.is_error && code(&result) == "failed");
    // Also of a call that no other step has seen.
    let result = server.call(json!({"nobody": 1})).await;
    assert_eq!(
        (result.text.as_str(), server.runs()),
        ("nothing to do (go on)", 1)
    );
    assert_eq!(code(&result), "invalid_arguments");
    // A success is none of its business.
    assert_eq!(server.greet("Ann").await.text, "greet Ann");

    let server = HookedServer::with(HookMoment::Error, "exit 1");
    let result = server.greet("nobody").await;
    assert!(result.text.contains("why is withheld"), "{}", result.text);
    assert!(!result.text.contains("nobody is there"));
}

#[tokio::test]
async fn levels_add_up_and_the_outermost_has_the_last_word() {
    let step = |name: &str| format!("echo {name} >>order; {ALLOW}");
    let server = HookedServer::with(HookMoment::Before, &step("file"))
        .hook(HookMoment::After, &step("outer"))
        .hook(HookMoment::Before, &step("source"))
        .hook(HookMoment::After, &step("inner"));
    assert_eq!(server.greet("Ann").await.text, "greet Ann");
    assert_eq!(server.file("order"), "file\nsource\ninner\nouter\n");
    // A refusal of the first is never overruled.
    let refuse = answers(r#"{"version": 1, "decision": "refuse", "reason": "no"}"#);
    let server =
        HookedServer::with(HookMoment::Before, &refuse).hook(HookMoment::Before, &step("in"));
    assert_eq!(server.greet("Ann").await.text, "no");
    assert_eq!(server.file("order"), "");
}

#[tokio::test]
async fn a_dry_run_is_judged_and_runs_nothing() {
    let save = format!("tee asked.json >/dev/null; {ALLOW}");
    let server = HookedServer::with(HookMoment::Before, &save).hook(HookMoment::After, "exit 1");
    let mut served = server.served();
    served.dry_run = true;
    let input = || {
        json!({"name": "Ann"})
            .as_object()
            .cloned()
            .expect("an object")
    };
    let result = served.call(input(), CancellationToken::new()).await;
    assert!(
        result.text.contains("`before`) allows it"),
        "{}",
        result.text
    );
    assert!(server.file("asked.json").contains(r#""dryRun":true"#));
    let refuse = answers(r#"{"version": 1, "decision": "refuse", "reason": "never"}"#);
    let server = HookedServer::with(HookMoment::Before, &refuse);
    let mut served = server.served();
    served.dry_run = true;
    let result = served.call(input(), CancellationToken::new()).await;
    assert_eq!((result.text.as_str(), server.runs()), ("never", 0));
}

/// Waits until a file is there.
async fn until_written(path: &Path) -> String {
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_hook_ends_with_the_call_that_it_judges() {
    let server = HookedServer::with(HookMoment::Before, "echo $$ >id; exec sleep 600");
    let cancel = CancellationToken::new();
    let mut served = server.served();
    let input = json!({"name": "Ann"})
        .as_object()
        .cloned()
        .expect("an object");
    let call = served.call_by(Caller::default(), input);
    let call = call.cancelled_by(cancel.clone());
    let running = tokio::spawn(async move { served.service.call(call).await });
    let id = until_written(&server.folder.path().join("id")).await;
    cancel.cancel();
    let came: Result<Outcome, CallError> = running.await.expect("no panic");
    assert_eq!(
        came.expect_err("it was cancelled").code,
        ErrorCode::Cancelled
    );
    assert!(!Path::new("/proc").join(&id).exists(), "{id} still runs");
    assert_eq!(server.runs(), 0);
}

#[tokio::test]
async fn lines_of_an_output_that_is_looked_at_first_are_not_told_early() {
    let (progress, news) = crate::Progress::watched();
    progress.wordless().report(7, Some("secret"));
    let told = news.borrow().clone();
    assert_eq!((told.bytes, told.line.as_str()), (7, ""));
}
