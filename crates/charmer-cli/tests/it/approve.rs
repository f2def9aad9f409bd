//! Approval as people and assistants meet it: at a terminal, by a form, and where somebody tries to get around it.

use std::{
    fs,
    io::{BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, example, out, ship};

/// A server of the ship whose user has a folder for data of their own.
struct Scene(TempDir);

impl Scene {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = serde_json::to_string(&ship()).expect("text");
        let text = text.replace("SHIP", &program);
        fs::write(folder.path().join("charmer.yaml"), text).expect("it is written");
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn of_user(&self, mut command: Command) -> Command {
        command.env("CHARMER_DATA", self.path("data"));
        command
    }

    fn serve(&self) -> Session {
        let file = self.path("charmer.yaml");
        Session::start(&mut self.of_user(charmer(&["serve", "-c", &file])))
    }

    fn audit(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        let lines = text.lines().map(serde_json::from_str);
        lines.map(|line| line.expect("JSON")).collect()
    }
}

const AT_TERMINAL: &str = "
sources: [{binary: SHIP}]
ask: [{effect: destroy, by: [terminal], timeout: 2m}]
audit: {file: log, fail_closed: true}
";

/// `charmer approve` on a terminal of its own.
struct Terminal {
    child: Child,
    shown: BufReader<ChildStdout>,
}

impl Terminal {
    fn open(scene: &Scene) -> Self {
        let mut command = scene.of_user(Command::new(example("on_terminal")));
        let mut child = command
            .args([env!("CARGO_BIN_EXE_charmer"), "approve"])
            .env_remove("CHARMER_TOOL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`cargo test` builds it");
        let shown = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, shown }
    }

    /// Waits until it shows this; returns all until then.
    fn shows(&mut self, words: &str) -> String {
        let mut seen = String::new();
        while !seen.contains(words) {
            let mut byte = [0];
            let read = self.shown.read(&mut byte).expect("it can be read");
            assert!(read > 0, "it ended, and showed: {seen}");
            seen.push(byte[0] as char);
        }
        seen
    }

    fn types(&mut self, line: &str) {
        let typed = self.child.stdin.as_mut().expect("it is piped");
        writeln!(typed, "{line}").expect("it reads");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn error(result: &Value) -> &Value {
    &result["structuredContent"]["error"]
}

/// Returns true if the program ran: it says so, and ends with an exit code of its own.
fn has_run(result: &Value) -> bool {
    result["content"][0]["text"]
        .as_str()
        .is_some_and(|text| text.contains("the ship has sunk"))
}

#[test]
fn a_person_at_a_terminal_decides_and_the_log_knows_it() {
    let scene = Scene::new(AT_TERMINAL);
    let mut session = scene.serve();
    let terminal = {
        let mut terminal = Terminal::open(&scene);
        std::thread::spawn(move || {
            let shown = terminal.shows("> ");
            assert!(shown.contains("test 0 for local asks to run:"), "{shown}");
            assert!(shown.contains("sink"), "{shown}");
            assert!(shown.contains("effect: unknown"), "{shown}");
            terminal.types("no");
            terminal.shows("denied: ");
            terminal.shows("> ");
            terminal.types("n not this one");
            terminal.shows("> ");
            terminal.types("y");
            terminal.shows("allowed once: ");
            terminal.shows("> ");
            terminal.types("a");
            terminal.shows("allowed until the server ends");
            terminal
        })
    };
    let sink = |session: &mut Session| session.call("run_write", json!({"command": "ship_sink"}));
    let declined = sink(&mut session);
    assert_eq!(
        error(&declined)["message"],
        "the user declined this call",
        "{declined}"
    );
    let reasoned = sink(&mut session);
    assert_eq!(
        error(&reasoned)["message"],
        "the user declined this call: not this one",
        "{reasoned}"
    );
    for _ in 0..2 {
        let allowed = sink(&mut session);
        assert!(has_run(&allowed), "{allowed}");
    }
    let terminal = terminal.join().expect("it saw what it should");
    // For the session: nobody is asked again.
    drop(terminal);
    assert!(has_run(&sink(&mut session)));
    session.end();
    let lines = scene.audit();
    let approvals: Vec<&Value> = lines.iter().map(|line| &line["approval"]).collect();
    let decided = |way: &str, decision: &str| {
        let of = |one: &&&Value| one["way"] == way && one["decision"] == decision;
        approvals.iter().filter(of).count()
    };
    assert_eq!(
        [
            decided("terminal", "denied"),
            decided("terminal", "allowed"),
            decided("session", "allowed")
        ],
        [2, 2, 1],
        "{lines:?}"
    );
    let last = approvals.iter().rev().find(|one| one.is_object());
    let last = last.expect("the last call was allowed");
    assert_eq!(last["shown"].as_str().map(str::len), Some(64), "{last}");
    assert!(
        last["by"].as_str().is_some_and(|by| by.contains("uid ")),
        "{last}"
    );
}

#[test]
fn what_waits_is_shown_to_whoever_comes_later_and_a_socket_is_swept() {
    let scene = Scene::new(AT_TERMINAL);
    let mut session = scene.serve();
    session.names();
    let killed = scene.serve();
    killed.kill();
    let waits = std::thread::spawn(move || {
        let answer = session.call("run_write", json!({"command": "ship_sink"}));
        session.end();
        answer
    });
    let mut terminal = Terminal::open(&scene);
    terminal.shows("asks to run");
    terminal.shows("> ");
    terminal.types("y");
    let answer = waits.join().expect("it was answered");
    assert!(has_run(&answer), "{answer}");
    let left = fs::read_dir(scene.0.path().join("data/approve"));
    assert_eq!(left.expect("it is there").count(), 0);
}

#[test]
fn an_assistant_cannot_approve_through_a_served_program() {
    let scene = Scene::new(
        "
sources: [{spells: ./spells}]
ask: [{command: asked, by: [terminal]}]
",
    );
    let spells = scene.0.path().join("spells");
    fs::create_dir(&spells).expect("there is room");
    let on_terminal = example("on_terminal");
    let on_terminal = on_terminal.display();
    let charmer_path = env!("CARGO_BIN_EXE_charmer");
    let data = scene.path("data");
    let spell = |name: &str, words: &str| {
        let text = format!(
            "name: {name}\ndescription: x\ncommand: {on_terminal} {words}\npaths: [.]\neffect: write\nenv: {{CHARMER_DATA: {data}}}\n"
        );
        fs::write(spells.join(format!("{name}.yaml")), text).expect("there is room");
    };
    spell("marked", &format!("{charmer_path} approve"));
    spell("cleared", &format!("--clear {charmer_path} approve"));
    spell("without", &format!("--none {charmer_path} approve"));
    spell("asked", &format!("--none {charmer_path} --version"));
    let mut session = scene.serve();
    session.names();
    let sockets = fs::read_dir(scene.0.path().join("data/approve")).expect("it is there");
    let sockets: Vec<_> = sockets.flatten().map(|entry| entry.path()).collect();
    let [socket] = &sockets[..] else {
        panic!("one server listens: {sockets:?}")
    };
    spell("connected", &format!("--connect {}", socket.display()));
    for (name, why) in [
        ("marked", "is for a person at a terminal"),
        ("cleared", "is for a person at a terminal"),
        ("without", "is for a person at a terminal"),
        ("connected", "{\"refused\":"),
    ] {
        let answer = session.call("cast_spell", json!({"spell_name": name}));
        let text = answer["content"][0]["text"].as_str();
        let text = text.unwrap_or_default();
        assert!(text.contains(why), "{name}: {answer}");
    }
    session.end();
}

#[test]
fn a_form_that_nobody_filled_in_allows_nothing_and_a_changed_state_is_refused() {
    let scene = Scene::new("sources: [{binary: SHIP}]\nask: destroy\naudit: {file: log}\n");
    let file = scene.path("charmer.yaml");
    let mut session = Session::connect(&mut scene.of_user(charmer(&["serve", "-c", &file])));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    let mut sink = |arguments: Value, more: Value| {
        let mut call = json!({"name": "run_write", "arguments": {"command": "ship_sink", "arguments": arguments}, "_meta": meta});
        for (key, value) in more.as_object().into_iter().flatten() {
            call[key] = value.clone();
        }
        session.request("tools/call", call)
    };
    let asked = sink(json!({}), json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let parts = |asked: &Value| {
        let requests = asked["result"]["inputRequests"].as_object();
        let key = requests.and_then(|requests| requests.keys().next().cloned());
        let state = asked["result"]["requestState"].as_str();
        (key.expect("a key"), state.expect("a state").to_owned())
    };
    let answer = |key: &str, content: Value| json!({key: {"action": "accept", "content": content}});
    let (key, state) = parts(&asked);
    let yes = answer(&key, json!({"allow": true}));
    // Without the state, with another one, and by another call.
    let none = sink(json!({}), json!({"inputResponses": yes}));
    assert!(error(&none["result"]).is_object(), "{none}");
    let changed = sink(
        json!({}),
        json!({"inputResponses": yes, "requestState": format!("{state}x")}),
    );
    assert_eq!(changed["error"]["code"], -32602, "{changed}");
    let other = sink(
        json!({"help": true}),
        json!({"inputResponses": yes, "requestState": state}),
    );
    assert!(
        !has_run(&other["result"]) && other["result"]["resultType"] != "input_required",
        "{other}"
    );
    // Nobody has filled it in.
    let (key, state) = parts(&sink(json!({}), json!({})));
    let empty = json!({"inputResponses": answer(&key, json!({})), "requestState": state});
    let empty = sink(json!({}), empty)["result"].clone();
    assert!(
        error(&empty)["message"]
            .as_str()
            .is_some_and(|said| said.contains("no person")),
        "{empty}"
    );
    // Once, and no more.
    let (key, state) = parts(&sink(json!({}), json!({})));
    let said =
        json!({"inputResponses": answer(&key, json!({"allow": true})), "requestState": state});
    let ran = sink(json!({}), said.clone());
    assert!(has_run(&ran["result"]), "{ran}");
    let replayed = sink(json!({}), said);
    assert!(error(&replayed["result"]).is_object(), "{replayed}");
    session.end();
    let ran = scene.audit();
    let ran = ran.iter().filter(|line| line["outcome"] == "exited");
    let by: Vec<&Value> = ran.map(|line| &line["approval"]["by"]).collect();
    assert_eq!(by, ["test 0 for local"]);
}

#[test]
fn where_nobody_can_be_asked_it_is_refused_and_a_server_that_never_could_does_not_start() {
    let scene = Scene::new("sources: [{binary: SHIP}]\n");
    let file = scene.path("charmer.yaml");
    let mut session =
        Session::start(&mut scene.of_user(charmer(&["serve", "-c", &file, "--ask", "write"])));
    let answer = session.call("run_write", json!({"command": "ship_sink"}));
    let hint = error(&answer)["hint"].as_str().unwrap_or_default();
    assert!(
        hint.contains("charmer approve") && hint.contains("elicitation"),
        "{answer}"
    );
    let read = session.call("run_read", json!({"command": "ship_list"}));
    assert!(error(&read).is_null(), "{read}");
    session.end();
    let scene = Scene::new(AT_TERMINAL);
    let file = scene.path("charmer.yaml");
    let mut command = charmer(&["serve", "-c", &file]);
    fs::write(scene.path("data"), "no folder").expect("there is room");
    let output = command.env("CHARMER_DATA", scene.path("data")).output();
    let output = output.expect("it was built");
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    assert!(
        err(&output).contains("nobody could ever be asked"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_rule_for_no_command_is_told_of() {
    let scene = Scene::new("sources: [{binary: SHIP, ask: [{command: sinkk}]}]\n");
    let output = scene
        .of_user(charmer(&["tools", "-c", &scene.path("charmer.yaml")]))
        .output()
        .expect("it was built");
    assert!(err(&output).contains("is for no call"), "{}", err(&output));
}
