//! Approval as people and assistants meet it: at a terminal, by a form, and where somebody tries to get around it.

use std::{
    fs,
    io::{BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, example, out, ship, write_script};

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
        Self::running(scene.of_user(charmer(&["approve"])))
    }

    /// A command on a terminal of its own.
    fn running(command: Command) -> Self {
        let mut on_terminal = Command::new(example("on_terminal"));
        on_terminal
            .arg(command.get_program())
            .args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => on_terminal.env(name, value),
                None => on_terminal.env_remove(name),
            };
        }
        let folder = command.get_current_dir();
        on_terminal.current_dir(folder.unwrap_or(".".as_ref()));
        let mut child = on_terminal
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
fn what_is_typed_for_a_call_that_was_taken_back_decides_on_no_other() {
    let scene = Scene::new(&AT_TERMINAL.replace("2m", "4s"));
    let mut session = scene.serve();
    session.names();
    let mut terminal = Terminal::open(&scene);
    let calls = std::thread::spawn(move || {
        let calls = [(), ()].map(|()| session.call("run_write", json!({"command": "ship_sink"})));
        session.end();
        calls
    });
    terminal.shows("> ");
    terminal.shows("it does not wait any more");
    // The other one waits by now.
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.types("y");
    terminal.shows("> ");
    terminal.types("n");
    let [first, other] = calls.join().expect("they were answered");
    assert!(!has_run(&first) && !has_run(&other), "{first} {other}");
    let declined = &error(&other)["message"];
    assert_eq!(declined, "the user declined this call", "{other}");
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

/// A program that writes in its folder, pushes to a place elsewhere, and asks before it deletes.
const DESK: &str = r#"
case "$*" in
write*--help*) printf 'Write a note\n\nUsage:\n  desk write\n'; exit;;
push*--help*) printf 'Push the notes\n\nUsage:\n  desk push [flags]\n\nFlags:\n      --dry-run   Only show what would be pushed\n'; exit;;
wipe*--help*) printf 'Delete all notes\n\nUsage:\n  desk wipe [flags]\n\nFlags:\n  -y, --yes   Do not ask\n'; exit;;
*--help*|"") printf 'Usage:\n  desk [command]\n\nAvailable Commands:\n  push   Push the notes\n  wipe   Delete all notes\n  write  Write a note\n'; exit;;
esac
case "$1" in
write) sleep "${DESK_SLOW:-0}"; cat /proc/sys/kernel/random/uuid >note;;
push)
  if test "$2" = --dry-run; then
    echo would push three notes
    if touch "$DESK_REMOTE"; then echo and wrote; fi
  else
    echo pushed >>"$DESK_REMOTE"
  fi;;
wipe) test "$2" = --yes || { printf 'Really? [y/N] '; exit 1; }; rm -f note; echo wiped;;
esac
"#;

/// A desk, the folder that it works in, and the place that it pushes to.
struct Desk(Scene);

impl Desk {
    fn new(config: &str) -> Self {
        let scene = Scene::new(config);
        write_script(&scene.0.path().join("desk"), DESK);
        fs::create_dir(scene.path("work")).expect("there is room");
        fs::write(scene.path("work/note"), "old\n").expect("there is room");
        Self(scene)
    }

    fn charmer(&self, words: &[&str]) -> Command {
        let file = self.0.path("charmer.yaml");
        let (first, rest) = words.split_first().expect("a command");
        let words = [&[*first, "-c", &file], rest].concat();
        let mut command = self.0.of_user(charmer(&words));
        command
            .current_dir(self.0.path("work"))
            .env("DESK_REMOTE", self.0.path("remote"));
        command
    }

    fn serve(&self, words: &[&str]) -> Session {
        Session::connect(&mut self.serving(words))
    }

    fn serving(&self, words: &[&str]) -> Command {
        let folder = self.0.path("work");
        let words = [&["serve", "--expose", "index", "--folder", &folder], words].concat();
        self.charmer(&words)
    }

    fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.0.path(file)).ok()
    }
}

/// Makes a call as a client of the modern era that shows forms.
fn asks(session: &mut Session, tool: &str, arguments: &Value, more: Value) -> Value {
    let mut call = json!({
        "name": tool,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        },
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        call[key] = value.clone();
    }
    session.request("tools/call", call)["result"].clone()
}

/// The question of a call, and the call again with the answer.
fn asked(
    session: &mut Session,
    tool: &str,
    arguments: &Value,
) -> (String, impl Fn(&mut Session, bool) -> Value + use<>) {
    let asked = asks(session, tool, arguments, json!({}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().expect("a question");
    let (key, request) = requests.iter().next().expect("a question");
    let message = request["params"]["message"].as_str().expect("a text");
    let (key, state) = (key.clone(), asked["requestState"].clone());
    let (tool, arguments) = (tool.to_owned(), arguments.clone());
    let again = move |session: &mut Session, allow: bool| {
        let answer = json!({"action": "accept", "content": {"allow": allow}});
        let more = json!({"inputResponses": {key.as_str(): answer}, "requestState": state});
        asks(session, &tool, &arguments, more)
    };
    (message.to_owned(), again)
}

const DESK_ASKS: &str = "
sources: [{binary: ./desk, preview: {push: --dry-run}, override: {push: {effect: write}, wipe: {effect: destroy}, write: {effect: write}}}]
ask: write
audit: {file: log}
";

#[test]
fn the_diff_of_a_draft_is_shown_and_yes_applies_just_that() {
    let desk = Desk::new(DESK_ASKS);
    let mut session = desk.serve(&[]);
    let write = json!({"command": "desk_write"});
    let (shown, again) = asked(&mut session, "run_write", &write);
    let uuid = shown.lines().find_map(|line| {
        let line = line.strip_prefix('+')?;
        (line.len() == 36).then_some(line)
    });
    let uuid = uuid.unwrap_or_else(|| panic!("{shown}"));
    assert!(shown.contains("-old"), "{shown}");
    assert_eq!(desk.text("work/note").as_deref(), Some("old\n"));
    let done = again(&mut session, true);
    assert_eq!(done["isError"], false, "{done}");
    // The program writes another text each time: it was not run again.
    assert_eq!(
        desk.text("work/note").as_deref(),
        Some(&*format!("{uuid}\n"))
    );
    let replayed = again(&mut session, true);
    assert_eq!(replayed["isError"], true, "{replayed}");

    // What was denied leaves nothing, and what changed beneath is not overwritten.
    let (_, again) = asked(&mut session, "run_write", &write);
    assert_eq!(again(&mut session, false)["isError"], true);
    let (_, again) = asked(&mut session, "run_write", &write);
    fs::write(desk.0.path("work/note"), "mine\n").expect("ours");
    let refused = again(&mut session, true);
    assert!(refused.to_string().contains("changed since"), "{refused}");
    assert_eq!(desk.text("work/note").as_deref(), Some("mine\n"));
    session.end();
    let decided: Vec<Value> = desk
        .0
        .audit()
        .iter()
        .map(|line| line["approval"]["decision"].clone())
        .collect();
    let allowed = decided.iter().filter(|one| **one == "allowed").count();
    let denied = decided.iter().filter(|one| **one == "denied").count();
    assert_eq!((allowed, denied), (2, 1), "{decided:?}");
}

#[test]
fn what_a_trial_did_is_shown_however_many_drafts_there_are_and_is_nobody_elses_draft() {
    let desk = Desk::new(&format!("{DESK_ASKS}drafts: {{apply: assistant}}\n"));
    let mut session = desk.serve(&[]);
    let write = json!({"command": "desk_write"});
    let draft = json!({"command": "desk_write", "draft": true});
    // As many as a principal may have, and as many questions.
    for _ in 0..16 {
        let made = asks(&mut session, "run_write", &draft, json!({}));
        assert_eq!(made["isError"], false, "{made}");
    }
    let mut last = None;
    for _ in 0..18 {
        let (shown, again) = asked(&mut session, "run_write", &write);
        assert!(shown.contains("allowing it applies just this"), "{shown}");
        last = Some(again);
    }
    // Whoever finds the names of trials in the folder can do nothing with them.
    let kept = fs::read_dir(desk.0.path("data/drafts")).expect("it is there");
    let kept = kept.map(|entry| entry.expect("it can be read").path().join("draft.json"));
    let kept = kept.filter_map(|record| fs::read_to_string(record).ok());
    let trials: Vec<Value> = kept
        .map(|record| serde_json::from_str(&record).expect("JSON"))
        .filter(|record: &Value| record.to_string().contains("to be approved"))
        .collect();
    assert!(trials.len() >= 16, "{}", trials.len());
    for trial in &trials {
        for action in ["show", "apply", "drop"] {
            let input = json!({"action": action, "id": trial["id"]});
            let refused = asks(&mut session, "draft", &input, json!({}));
            assert!(
                refused.to_string().contains("there is no draft"),
                "{refused}"
            );
        }
    }
    assert_eq!(desk.text("work/note").as_deref(), Some("old\n"));
    let done = last.expect("it was asked")(&mut session, true);
    assert_eq!(done["isError"], false, "{done}");
    assert_ne!(desk.text("work/note").as_deref(), Some("old\n"));
    session.end();
}

#[test]
fn what_is_remote_is_shown_by_its_own_preview_which_cannot_write() {
    let desk = Desk::new(DESK_ASKS);
    let mut session = desk.serve(&[]);
    let push = json!({"command": "desk_push"});
    let (shown, again) = asked(&mut session, "run_write", &push);
    assert!(shown.contains("its preview"), "{shown}");
    assert!(shown.contains("would push three notes"), "{shown}");
    assert!(!shown.contains("and wrote"), "{shown}");
    assert!(!shown.contains("desk push --dry-run"), "{shown}");
    assert_eq!(desk.text("remote"), None);
    let denied = again(&mut session, false);
    assert_eq!(denied["isError"], true, "{denied}");
    assert_eq!(desk.text("remote"), None);
    let (_, again) = asked(&mut session, "run_write", &push);
    let done = again(&mut session, true);
    assert_eq!(done["isError"], false, "{done}");
    assert_eq!(desk.text("remote").as_deref(), Some("pushed\n"));
    session.end();
}

#[test]
fn an_approval_answers_a_commands_own_question() {
    let desk = Desk::new(
        "sources: [{binary: ./desk, select: [{commands: {allow: [wipe]}, confirm: person}, {commands: {allow: [write]}}]}]",
    );
    let mut session = desk.serve(&["--ask", "destroy"]);
    for arguments in [json!({}), json!({"yes": true}), json!({"yes": false})] {
        fs::write(desk.0.path("work/note"), "old\n").expect("ours");
        let wipe = json!({"command": "desk_wipe", "arguments": arguments});
        let (shown, again) = asked(&mut session, "run_write", &wipe);
        assert!(shown.contains("desk wipe --yes"), "{shown}");
        assert!(shown.contains("deleted: note"), "{shown}");
        let denied = again(&mut session, false);
        assert_eq!(denied["isError"], true, "{denied}");
        assert!(desk.text("work/note").is_some());
        let (_, again) = asked(&mut session, "run_write", &wipe);
        let done = again(&mut session, true);
        assert!(done.to_string().contains("wiped"), "{done}");
        assert_eq!(desk.text("work/note"), None);
    }
    session.end();
    // Where nobody can be asked, the question is not answered.
    fs::write(desk.0.path("work/note"), "old\n").expect("ours");
    let output = desk
        .charmer(&["call", "desk_wipe"])
        .output()
        .expect("it was built");
    assert!(!output.status.success(), "{}", out(&output));
    assert!(
        err(&output).contains("nobody can be asked")
            || out(&output).contains("nobody can be asked"),
        "{}{}",
        out(&output),
        err(&output)
    );
    assert!(desk.text("work/note").is_some());
}

#[test]
fn a_call_by_hand_asks_at_its_own_terminal() {
    let desk = Desk::new(DESK_ASKS);
    for (typed, told) in [
        ("n", "the user declined"),
        ("q", "the user declined"),
        ("y", "what the user was shown is applied"),
    ] {
        fs::write(desk.0.path("work/note"), "old\n").expect("ours");
        let mut terminal = Terminal::running(desk.charmer(&["call", "desk_write"]));
        let shown = terminal.shows("> ");
        assert!(shown.contains("desk write"), "{shown}");
        terminal.types("d");
        let diff = terminal.shows("> ");
        assert!(diff.contains("-old"), "{diff}");
        terminal.types(typed);
        terminal.shows(told);
        let note = desk.text("work/note").expect("it is there");
        match typed {
            "y" => assert!(diff.contains(note.trim_end()), "{note} {diff}"),
            _ => assert_eq!(note, "old\n", "{typed}"),
        }
    }
}

#[test]
fn a_draft_is_made_unasked_and_asked_about_when_it_is_to_be_applied() {
    let desk = Desk::new(DESK_ASKS);
    let mut session = desk.serve(&[]);
    let write = |draft: Value| json!({"command": "desk_write", "draft": draft});
    let made = asks(&mut session, "run_write", &write(json!(true)), json!({}));
    let draft = made["structuredContent"]["draft"].clone();
    let id = draft["id"].clone();
    assert!(id.is_string(), "{made}");
    let apply = json!({"action": "apply", "id": id});
    let (shown, again) = asked(&mut session, "draft", &apply);
    let diff = draft["diff"].as_str().expect("a text");
    assert!(shown.contains(diff.trim_end()), "{shown}");
    assert!(shown.contains("desk write"), "{shown}");
    assert_eq!(again(&mut session, false)["isError"], true);
    assert_eq!(desk.text("work/note").as_deref(), Some("old\n"));
    // What was gone on with is not what was shown.
    let (_, again) = asked(&mut session, "draft", &apply);
    let more = asks(&mut session, "run_write", &write(id), json!({}));
    assert!(more["structuredContent"]["draft"].is_object(), "{more}");
    let refused = again(&mut session, true);
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(desk.text("work/note").as_deref(), Some("old\n"));
    let (_, again) = asked(&mut session, "draft", &apply);
    let applied = again(&mut session, true);
    assert_eq!(applied["isError"], false, "{applied}");
    assert_ne!(desk.text("work/note").as_deref(), Some("old\n"));
    session.end();
}

#[test]
fn with_a_rule_for_drafts_one_question_shows_and_applies_and_without_anybody_it_stays_a_draft() {
    let desk = Desk::new(&format!("{DESK_ASKS}drafts: write\n"));
    let mut session = desk.serve(&[]);
    let write = json!({"command": "desk_write"});
    let (shown, again) = asked(&mut session, "run_write", &write);
    assert!(shown.contains("-old"), "{shown}");
    let done = again(&mut session, true);
    assert_eq!(done["isError"], false, "{done}");
    assert_ne!(desk.text("work/note").as_deref(), Some("old\n"));
    session.end();
    fs::write(desk.0.path("work/note"), "old\n").expect("ours");
    let output = desk.charmer(&["call", "--json", "desk_write"]).output();
    let result: Value = serde_json::from_str(&out(&output.expect("it was built"))).expect("JSON");
    assert_eq!(result["draft"]["apply"], "person", "{result}");
    assert_eq!(desk.text("work/note").as_deref(), Some("old\n"));
}

#[test]
fn a_question_to_the_client_comes_from_its_call_however_long_the_trial_takes() {
    let desk = Desk::new(DESK_ASKS);
    let mut serving = desk.serving(&["--background-after", "1s"]);
    let mut session = Session::connect(serving.env("DESK_SLOW", "3"));
    for background in [true, false] {
        fs::write(desk.0.path("work/note"), "old\n").expect("ours");
        let write = json!({"command": "desk_write", "background": background});
        let (shown, again) = asked(&mut session, "run_write", &write);
        assert!(shown.contains("-old"), "{shown}");
        let done = again(&mut session, true);
        assert_eq!(done["isError"], false, "{done}");
        assert_ne!(desk.text("work/note").as_deref(), Some("old\n"));
    }
    session.end();
}
