//! Spells, served and at the keyboard.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{PATIENCE, Session, charmer, err, example, out, ship};

/// A folder with spells and a place for what was accepted.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("spells")).expect("it can be made");
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join("spells").join(format!("{name}.yaml"))
    }

    /// Writes a spell that runs the fixture with these words.
    fn spell(&self, name: &str, words: &str) {
        self.write(name, &format!("command: ${{SHIP}} {words}\npaths: [.]\n"));
    }

    pub(crate) fn write(&self, name: &str, keys: &str) {
        let text = format!("name: {name}\ndescription: The spell {name}\n{keys}");
        // As editors do: a file appears whole.
        let draft = self.path().join("draft");
        fs::write(&draft, text).expect("it can be written");
        fs::rename(draft, self.file(name)).expect("it can be moved");
    }

    pub(crate) fn charmer(&self, words: &[&str]) -> Command {
        let mut command = charmer(words);
        command
            .current_dir(self.path())
            .env("CHARMER_DATA", self.path().join("data"))
            .env("SHIP", ship());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.charmer(words).output().expect("it was built")
    }

    pub(crate) fn serve(&self, words: &[&str]) -> Session {
        let words = [&["serve", "--spells", "spells"], words].concat();
        Session::start(self.charmer(&words).stderr(Stdio::null()))
    }
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

pub(crate) fn code(result: &Value) -> &str {
    let code = &result["structuredContent"]["error"]["code"];
    code.as_str().unwrap_or_default()
}

/// Waits for the server to say that the list has changed, and then for these names.
fn becomes(session: &mut Session, wanted: &[&str]) {
    session.told("notifications/tools/list_changed");
    let until = Instant::now() + PATIENCE;
    loop {
        let names = session.settled_names();
        if names == wanted {
            return;
        }
        assert!(Instant::now() < until, "{names:?} instead of {wanted:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const DRAFT: &str = "draft";
const CAST: &str = "cast_spell";
const LIST: &str = "list_spells";

#[test]
fn a_picture_and_a_sound_are_given_as_such_beside_words_about_them() {
    let project = Project::new();
    let suite = example("suite");
    for (spell, command) in [("draw", "image_content"), ("hum", "audio_content")] {
        let keys = format!("command: \"'{}' {command}\"\npaths: [.]\n", suite.display());
        project.write(spell, &keys);
    }
    let drawn = |session: &mut Session| {
        let result = session.call("draw", json!({}));
        assert_eq!(text(&result), "[PNG image, 69 bytes]");
        let picture = &result["content"][1];
        assert_eq!(
            (&picture["type"], &picture["mimeType"]),
            (&json!("image"), &json!("image/png"))
        );
        let data = picture["data"].as_str().expect("it has data");
        assert!(
            data.starts_with("iVBORw0KGgoAAAANSUhEUg") && data.len() == 92,
            "{data}"
        );
        result
    };
    let mut session = project.serve(&[]);
    let result = drawn(&mut session);
    assert_eq!(
        result["structuredContent"],
        json!({"exitCode": 0, "stdout": "[PNG image, 69 bytes]"})
    );
    let result = session.call("hum", json!({}));
    assert_eq!(text(&result), "[WAV audio, 52 bytes]");
    let sound = &result["content"][1];
    assert_eq!(
        (&sound["type"], &sound["mimeType"]),
        (&json!("audio"), &json!("audio/wav"))
    );

    // Who wants text alone gets the picture all the same: without structure nothing hides it.
    let result = drawn(&mut project.serve(&["--results", "text"]));
    assert_eq!(result["structuredContent"], Value::Null);

    fs::write(project.path().join("charmer.yaml"), "limits: {media: 68}\n").expect("a file");
    let result = project
        .serve(&["--config", "charmer.yaml"])
        .call("draw", json!({}));
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
    let said = "[PNG image, 69 bytes]\n[it is larger than the 68 bytes that are shown: ";
    assert!(text(&result).starts_with(said), "{result}");
}

#[test]
fn spells_are_served_alone() {
    let project = Project::new();
    project.write(
        "sail",
        "command: ${SHIP} sail\npaths: [.]\nflags: [--knots=3]\nargs: [{name: port, required: true}]\nargv: ['{{port}}']\n",
    );
    let mut session = project.serve(&[]);
    assert_eq!(session.settled_names(), ["sail", CAST, LIST, DRAFT]);
    let result = session.call("sail", json!({"port": "Oslo", "flags": ["--knots=3"]}));
    assert!(
        text(&result).starts_with(r#"["sail", "--knots=3", "Oslo"]"#),
        "{result}"
    );
    let result = session.call(
        CAST,
        json!({"spell_name": "sail", "arguments": {"port": "Bergen"}}),
    );
    assert!(
        text(&result).starts_with(r#"["sail", "Bergen"]"#),
        "{result}"
    );
    let result = session.call("sail", json!({"port": "Oslo", "flags": ["--knots=4"]}));
    assert_eq!(code(&result), "not_permitted", "{result}");
    let result = session.call(CAST, json!({"spell_name": "sial"}));
    assert_eq!(code(&result), "not_registered", "{result}");
    let result = session.call(LIST, json!({}));
    assert_eq!(
        result["structuredContent"]["data"]["spells"][0]["name"],
        "sail"
    );
    assert!(session.end().success());
}

#[test]
fn a_spell_is_a_prompt_and_has_a_page() {
    let project = Project::new();
    project.write(
        "sail",
        "command: ${SHIP} sail\nargv: ['{{port}}']\npaths: [.]\neffect: write\n\
         args: [{name: port, enum: [oslo, bergen], required: true, description: Where to}]\n",
    );
    let mut session = project.serve(&[]);
    session.settled_names();
    let prompts = session.request("prompts/list", json!({}));
    let prompts = &prompts["result"]["prompts"];
    assert_eq!(prompts.as_array().map(Vec::len), Some(1), "{prompts}");
    assert_eq!(prompts[0]["name"], "sail");
    let arguments = json!([{"name": "port", "description": "Where to", "required": true}]);
    assert_eq!(prompts[0]["arguments"], arguments);
    let got = session.request(
        "prompts/get",
        json!({"name": "sail", "arguments": {"port": "oslo"}}),
    );
    let got = got["result"]["messages"][0]["content"]["text"].as_str();
    let said = "Call the tool `sail`: The spell sail\n\nIts arguments:\n\n```json\n{\"port\": \"oslo\"}\n```";
    assert_eq!(got, Some(said));
    let asked = json!({"ref": {"type": "ref/prompt", "name": "sail"}, "argument": {"name": "port", "value": "b"}});
    let offered = session.request("completion/complete", asked);
    assert_eq!(offered["result"]["completion"]["values"], json!(["bergen"]));
    for (name, effect) in [
        ("sail", "adds or changes"),
        ("list_spells", "reads, changes nothing"),
    ] {
        let page = session.request("resources/read", json!({"uri": format!("help://{name}")}));
        let page = page["result"]["contents"][0]["text"]
            .as_str()
            .unwrap_or_default();
        assert!(
            page.contains(&format!("Tool: `{name}`\nEffect: {effect}\n")),
            "{page}"
        );
    }
    assert!(session.end().success());
}

#[test]
fn what_changes_in_the_folder_is_told() {
    let project = Project::new();
    project.spell("a", "list one");
    let mut session = project.serve(&[]);
    assert_eq!(session.settled_names(), ["a", CAST, LIST, DRAFT]);

    project.spell("b", "list two");
    // Whoever sees it first, the client is told.
    let listing = session.call(LIST, json!({}));
    assert!(listing.to_string().contains("The spell b"), "{listing}");
    becomes(&mut session, &["a", "b", CAST, LIST, DRAFT]);
    assert!(text(&session.call("b", json!({}))).starts_with(r#"["list", "two"]"#));

    project.spell("a", "list three");
    session.told("notifications/tools/list_changed");
    let until = Instant::now() + PATIENCE;
    while !text(&session.call("a", json!({}))).starts_with(r#"["list", "three"]"#) {
        assert!(Instant::now() < until, "the old version is still served");
    }

    // What is broken keeps its last good version; a client can see why.
    project.write("a", "comand: ${SHIP}\n");
    let until = Instant::now() + PATIENCE;
    loop {
        let listing = session.call(LIST, json!({}));
        if listing["structuredContent"]["data"]["problems"][0]["lastGood"] == true {
            break;
        }
        assert!(Instant::now() < until, "{listing}");
    }
    assert!(text(&session.call("a", json!({}))).starts_with(r#"["list", "three"]"#));

    fs::remove_file(project.file("b")).expect("it is there");
    let result = session.call(CAST, json!({"spell_name": "b"}));
    assert_eq!(code(&result), "not_registered", "{result}");
    becomes(&mut session, &["a", CAST, LIST, DRAFT]);
    assert!(session.end().success());
}

#[test]
fn what_is_wrong_is_in_the_log() {
    let project = Project::new();
    project.spell("a", "list");
    let log = project.path().join("log");
    let words = ["serve", "--spells", "spells"];
    let errors = fs::File::create(&log).expect("it can be made");
    let mut session = Session::start(project.charmer(&words).stderr(errors));
    project.write("a", "command: ${SHIP}\npathes: [.]\n");
    let until = Instant::now() + PATIENCE;
    let wanted = "a.yaml: line 4, column 1: unknown key `pathes`";
    loop {
        let said = fs::read_to_string(&log).expect("it is there");
        if said.contains(wanted) && said.contains("the version before is served") {
            break;
        }
        assert!(Instant::now() < until, "{said}");
        session.request("ping", json!({}));
    }
    assert!(session.end().success());
}

#[test]
fn spells_and_programs_are_served_together() {
    let project = Project::new();
    project.spell("a", "list");
    // The name is the program's.
    project.spell("ship_list", "sink");
    let ship = ship();
    let mut session = project.serve(&[&ship, "--allow", "list,spells/*"]);
    assert_eq!(
        session.settled_names(),
        ["ship_list", "a", CAST, LIST, DRAFT]
    );
    let result = session.call("ship_list", json!({"all": true}));
    assert!(
        text(&result).starts_with(r#"["list", "--all"]"#),
        "{result}"
    );
    let result = session.call(CAST, json!({"spell_name": "ship_list"}));
    assert_eq!(code(&result), "invalid_configuration", "{result}");
    // A change of the spells does not cost the program's tools.
    project.spell("b", "list");
    becomes(&mut session, &["ship_list", "a", "b", CAST, LIST, DRAFT]);
    assert_eq!(session.call("ship_list", json!({}))["isError"], false);
    assert!(session.end().success());
}

#[test]
fn spells_that_change_while_a_program_is_read_are_not_lost() {
    let project = Project::new();
    project.spell("a", "list");
    let ship = ship();
    let mut session = project.serve(&[&ship, "--allow", "list,a,b", "--refresh"]);
    project.spell("b", "list");
    let until = Instant::now() + PATIENCE;
    loop {
        let names = session.settled_names();
        if names == ["ship_list", "a", "b", CAST, LIST, DRAFT] {
            break;
        }
        assert!(Instant::now() < until, "{names:?}");
    }
    assert!(session.end().success());
}

#[test]
fn spells_are_there_although_a_program_cannot_be_read() {
    let project = Project::new();
    project.spell("a", "list");
    let mute = example("mute");
    let mut session = project.serve(&[&mute.to_string_lossy()]);
    assert_eq!(session.call("a", json!({}))["isError"], false);
    assert_eq!(session.settled_names(), ["a", CAST, LIST, DRAFT]);
    assert!(session.end().success());
}

#[test]
fn the_file_names_the_folder() {
    let project = Project::new();
    project.spell("a", "list");
    let file = project.path().join("charmer.yaml");
    let config = "sources: [{spells: ./spells}]\naudit: {file: calls.jsonl}\n";
    fs::write(&file, config).expect("it can be written");
    let mut session = Session::start(&mut project.charmer(&["serve", "--config", "charmer.yaml"]));
    assert_eq!(session.settled_names(), ["a", CAST, LIST, DRAFT]);
    assert_eq!(session.call("a", json!({}))["isError"], false);
    assert!(session.end().success());

    fs::write(&file, "sources: [{spells: ./spells, prefix: x}]").expect("it can be written");
    let output = project.run(&["tools", "--config", "charmer.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(said.contains("`prefix` has no meaning"), "{said}");
    assert!(said.contains("charmer.yaml:1:30"), "{said}");

    let two = "sources: [{spells: ./spells}, {spells: ./more}]";
    fs::write(&file, two).expect("it can be written");
    let output = project.run(&["tools", "--config", "charmer.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(said.contains("only one folder of spells"), "{said}");
}

/// The audit log of a project's server that has ended, as it stands and line by line.
fn audited(project: &Project) -> (String, Vec<Value>) {
    let log = fs::read_to_string(project.path().join("calls.jsonl")).expect("it was written");
    let lines = log.lines().map(serde_json::from_str);
    let lines = lines.collect::<Result<_, _>>().expect("it is JSON");
    (log, lines)
}

#[test]
fn the_audit_log_has_the_command_lines_of_spells() {
    let project = Project::new();
    project.write(
        "sail",
        "command: ${SHIP} sail\npaths: [.]\nargs: [{name: port}]\nargv: ['{{port}}']\n",
    );
    let file = project.path().join("charmer.yaml");
    let config =
        "sources: [{spells: ./spells}]\naudit: {file: calls.jsonl}\nredact: {values: [hunter2]}\n";
    fs::write(&file, config).expect("it can be written");
    let mut session = Session::start(&mut project.charmer(&["serve", "--config", "charmer.yaml"]));
    session.call("sail", json!({"port": "Oslo"}));
    let cast = json!({"spell_name": "sail", "arguments": {"port": "hunter2"}});
    session.call(CAST, cast);
    session.call("sail", json!({"port": "-x"}));
    assert!(session.end().success());
    let (log, lines) = audited(&project);
    assert_eq!(lines[0]["argv"], json!([ship(), "sail", "Oslo"]), "{log}");
    assert_eq!(lines[0]["input"], json!({"port": "Oslo"}), "{log}");
    // A spell that is cast by its name takes the path of its own tool.
    assert_eq!(lines[1]["tool"], "sail", "{log}");
    assert_eq!(lines[1]["argv"][1], "sail", "{log}");
    assert_eq!(lines[2]["outcome"], "invalid_arguments", "{log}");
    assert!(lines[2]["argv"].is_null(), "nothing was run: {log}");
    assert!(!log.contains("hunter2"), "{log}");
}

#[test]
fn whatever_is_refused_is_in_the_audit_log_with_who_asked() {
    let project = Project::new();
    project.write("look", "command: ${SHIP} list\npaths: [.]\n");
    let file = project.path().join("charmer.yaml");
    let config = "sources: [{spells: ./spells}]\naudit: {file: calls.jsonl}\n";
    fs::write(&file, config).expect("it can be written");
    let mut session = Session::start(&mut project.charmer(&["serve", "--config", "charmer.yaml"]));
    session.call(CAST, json!({"spell_name": "sink"}));
    session.call("look", json!({"path": "/etc"}));
    session.call(CAST, json!({"spell_name": "look", "path": ".."}));
    session.call("read_output", json!({"id": "0123"}));
    let unknown = json!({"name": "no such tool", "arguments": {"x": 1}});
    let answer = session.request("tools/call", unknown);
    assert!(answer["error"]["message"].is_string(), "{answer}");
    assert!(session.end().success());
    let (log, lines) = audited(&project);
    let told: Vec<[&str; 2]> = lines
        .iter()
        .map(|line| ["tool", "outcome"].map(|key| line[key].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(
        told,
        [
            [CAST, "not_registered"],
            ["look", "not_permitted"],
            ["look", "not_permitted"],
            ["read_output", "invalid_arguments"],
            ["no_such_tool", "not_registered"],
        ],
        "{log}"
    );
    for line in &lines {
        assert_eq!(line["principal"], "local", "{log}");
        assert_eq!(line["transport"], "stdio", "{log}");
        assert!(
            line["client"].is_string() && line["id"].is_string(),
            "{log}"
        );
    }
}

#[test]
fn spells_are_chosen_by_name() {
    let project = Project::new();
    for name in ["build", "deploy", "deploy-all"] {
        project.spell(name, "list");
    }
    for (words, names) in [
        (
            &["--allow", "deploy*"][..],
            &["deploy", "deploy-all", CAST, LIST, DRAFT][..],
        ),
        (&["--deny", "deploy*"], &["build", CAST, LIST, DRAFT]),
        (
            &["--allow", "deploy*", "--deny", "deploy-all"],
            &["deploy", CAST, LIST, DRAFT],
        ),
        (
            &["--deny", "cast_spell", "--allow", "build"],
            &["build", LIST],
        ),
    ] {
        let mut session = project.serve(words);
        assert_eq!(session.settled_names(), names, "{words:?}");
        assert!(session.end().success());
    }
    let mut session = project.serve(&["--deny", "deploy*"]);
    let result = session.call(CAST, json!({"spell_name": "deploy"}));
    assert_eq!(code(&result), "not_permitted", "{result}");
    // What comes later is chosen the same way.
    project.spell("deploy-new", "list");
    project.spell("check", "list");
    becomes(&mut session, &["build", "check", CAST, LIST, DRAFT]);
    assert!(session.end().success());

    let ship = ship();
    let words = [
        "tools",
        &ship,
        "--spells",
        "spells",
        "--allow",
        "list,build,biuld",
    ];
    let output = project.run(&words);
    let said = err(&output);
    assert!(
        !said.contains("`--allow build`"),
        "a spell meets it: {said}"
    );
    assert!(
        said.contains("`--allow biuld` matches no command"),
        "{said}"
    );
    let output = project.run(&["tools", &ship, "--spells", "spells", "--allow", "list"]);
    let said = err(&output);
    assert!(said.contains("no spell is offered"), "{said}");
    let output = project.run(&["tools", "--spells", "spells", "--allow", "biuld"]);
    let said = err(&output);
    assert!(said.contains("`--allow biuld` matches no spell"), "{said}");
    let output = project.run(&["tools", "--spells", "spells", "--layout", "nested"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("--layout has no meaning for spells"));
}

#[test]
fn the_time_of_spells_is_capped() {
    let project = Project::new();
    project.spell("drift", "drift");
    let mut session = project.serve(&["--timeout", "300ms"]);
    for (tool, input) in [("drift", json!({})), (CAST, json!({"spell_name": "drift"}))] {
        let result = session.call(tool, input);
        assert_eq!(code(&result), "timeout", "{result}");
    }
    assert!(session.end().success());
}

#[test]
fn only_reading_is_offered_of_spells_too() {
    let project = Project::new();
    project.write("a", "command: ${SHIP} list\npaths: [.]\neffect: read\n");
    project.spell("b", "list");
    let mut session = project.serve(&["--read-only"]);
    assert_eq!(session.settled_names(), ["a", CAST, LIST]);
    let result = session.call(CAST, json!({"spell_name": "b"}));
    assert_eq!(code(&result), "not_permitted", "{result}");
    assert!(session.end().success());
}

#[test]
fn a_locked_server_runs_what_was_accepted() {
    let project = Project::new();
    project.spell("a", "list one");
    project.spell("b", "list two");
    let output = project.run(&["spell", "trust", "a"]);
    assert!(output.status.success(), "{}", err(&output));
    assert!(out(&output).starts_with("accepted a: "), "{}", out(&output));

    let mut session = project.serve(&["--locked"]);
    assert_eq!(session.settled_names(), ["a", CAST, LIST, DRAFT]);
    assert!(text(&session.call("a", json!({}))).starts_with(r#"["list", "one"]"#));
    let result = session.call(CAST, json!({"spell_name": "b"}));
    assert_eq!(code(&result), "not_permitted", "{result}");
    assert!(text(&result).contains("charmer spell trust"), "{result}");

    // A changed spell is another spell, in no version run until it is accepted.
    project.spell("a", "list three");
    becomes(&mut session, &[CAST, LIST, DRAFT]);
    let result = session.call(CAST, json!({"spell_name": "a"}));
    assert_eq!(code(&result), "not_permitted", "{result}");
    assert!(project.run(&["spell", "trust"]).status.success());
    becomes(&mut session, &["a", "b", CAST, LIST, DRAFT]);
    assert!(text(&session.call("a", json!({}))).starts_with(r#"["list", "three"]"#));
    assert!(
        project
            .run(&["spell", "trust", "--forget", "b"])
            .status
            .success()
    );
    becomes(&mut session, &["a", CAST, LIST, DRAFT]);
    assert!(session.end().success());
}

#[test]
fn a_new_spell_works_as_it_is() {
    let project = Project::new();
    let output = project.run(&["spell", "new", "hello", "--spells", "deep/spells"]);
    assert!(output.status.success(), "{}", err(&output));
    let file = project.path().join("deep/spells/hello.yaml");
    let text = fs::read_to_string(&file).expect("it was written");
    // Not every machine has `echo` as a program.
    fs::write(&file, text.replace("echo hello", "${SHIP} list")).expect("it can be written");
    let words = ["spell", "--spells", "deep/spells"];
    let output = project.run(&[&words[..], &["cast", "hello", "somebody=Ada"]].concat());
    assert!(
        out(&output).starts_with(r#"["list", "Ada"]"#),
        "{}{}",
        out(&output),
        err(&output)
    );
    let output = project.run(&[&words[..], &["new", "hello"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let output = project.run(&[&words[..], &["new", "../hello"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
}

#[test]
fn check_shows_the_line_and_ends_with_one() {
    let project = Project::new();
    project.spell("good", "list");
    let output = project.run(&["spell", "check"]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert_eq!(out(&output), "1 spell: no mistakes\n");

    project.write("bad", "command: x\npathes: [.]\n");
    for words in [
        &["spell", "check"][..],
        &["spell", "check", "spells/bad.yaml"],
    ] {
        let output = project.run(words);
        assert_eq!(output.status.code(), Some(1));
        let shown = out(&output);
        assert!(shown.contains("spells/bad.yaml:4:1"), "{shown}");
        assert!(shown.contains("4 | pathes: [.]\n  | ^^^^^^"), "{shown}");
        assert!(shown.contains("did you mean `paths`?"), "{shown}");
        assert!(!shown.contains('\x1b'), "no colours for a pipe: {shown}");
    }
    assert_eq!(
        project
            .run(&["spell", "check", "spells/good.yaml"])
            .status
            .code(),
        Some(0)
    );
    let output = project.run(&["spell", "check", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    assert_eq!(
        (&report["ok"], &report["files"][1]["ok"]),
        (&json!(false), &json!(true))
    );
    let mistake = &report["files"][0]["mistakes"][0];
    assert_eq!(
        (&mistake["line"], &mistake["column"]),
        (&json!(4), &json!(1))
    );

    let output = project.run(&["spell", "check", "--spells", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("there is no folder of spells"));
    // What has mistakes cannot be accepted.
    let output = project.run(&["spell", "trust", "bad"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        err(&output).contains("charmer spell check"),
        "{}",
        err(&output)
    );
}

#[test]
fn spells_are_cast_and_listed_at_the_keyboard() {
    let project = Project::new();
    project.write(
        "sail",
        "command: ${SHIP} sail\npaths: [.]\nflags: [--loud]\nconfirm: true\nargs:\n  - {name: knots, type: integer}\nargv: ['--knots={{knots}}']\n",
    );
    let output = project.run(&["spell", "list"]);
    assert!(out(&output).contains("[knots]"), "{}", out(&output));
    let output = project.run(&["spell", "list", "--json"]);
    let listing: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    assert_eq!(listing["spells"][0]["name"], "sail");

    let cast = ["spell", "cast", "sail", "knots=3", "--flag", "--loud"];
    let output = project.run(&cast);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("must be confirmed"),
        "{}",
        out(&output)
    );
    let output = project.run(&[&cast[..], &["--confirm", "--path", "."]].concat());
    assert!(
        out(&output).starts_with(r#"["sail", "--loud", "--knots=3"]"#),
        "{}{}",
        out(&output),
        err(&output)
    );
    let output = project.run(&["spell", "cast", "sail", "knots=many", "--confirm", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let result: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    assert_eq!(result["error"]["code"], "invalid_arguments", "{result}");
    let output = project.run(&["spell", "cast", "sial"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("did you mean `sail`?"),
        "{}",
        err(&output)
    );
}

#[test]
fn other_commands_know_spells() {
    let project = Project::new();
    project.write(
        "sail",
        "command: ${SHIP} sail\npaths: [.]\nargs: [{name: port}]\nargv: ['{{port}}']\neffect: write\n",
    );
    let output = project.run(&["tools", "--spells", "spells"]);
    assert!(
        out(&output).contains("sail         write"),
        "{}",
        out(&output)
    );
    let output = project.run(&["call", "--spells", "spells", "sail", "--port", "Oslo"]);
    assert!(
        out(&output).starts_with(r#"["sail", "Oslo"]"#),
        "{}{}",
        out(&output),
        err(&output)
    );
    let output = project.run(&["serve", "--spells", "spells", "--locked", "--print-config"]);
    let entry: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    let words = &entry["mcpServers"]["spells"]["args"];
    let folder = words[1]
        .as_str()
        .and_then(|word| word.strip_prefix("--spells="));
    assert!(
        folder.is_some_and(|folder| Path::new(folder).is_absolute()),
        "{entry}"
    );
    assert_eq!(words[2], "--locked");
    let accepted = &entry["mcpServers"]["spells"]["env"]["CHARMER_DATA"];
    assert_eq!(*accepted, json!(project.path().join("data")));
    project.spell("drift", "drift");
    let call = [
        "call",
        "--spells",
        "spells",
        "--timeout",
        "200ms",
        "--json",
        "drift",
    ];
    let result: Value = serde_json::from_str(&out(&project.run(&call))).expect("it is JSON");
    assert_eq!(result["error"]["code"], "timeout", "{result}");
    let output = project.run(&["serve", "--locked", &ship()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("--locked needs spells"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_changed_script_is_not_run_until_it_is_accepted() {
    let project = Project::new();
    fs::write(project.path().join("run.sh"), "echo one\n").expect("it can be written");
    project.write("a", "command: sh run.sh\npaths: [.]\n");
    let output = project.run(&["spell", "trust"]);
    assert!(
        out(&output).contains("sh run.sh, and what is in run.sh"),
        "{}",
        out(&output)
    );
    let cast = ["spell", "cast", "a", "--locked"];
    assert_eq!(out(&project.run(&cast)), "one\n");
    fs::write(project.path().join("run.sh"), "echo two\n").expect("it can be written");
    let output = project.run(&cast);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        out(&output).contains("charmer spell trust"),
        "{}{}",
        out(&output),
        err(&output)
    );
    assert!(project.run(&["spell", "trust"]).status.success());
    assert_eq!(out(&project.run(&cast)), "two\n");
}
