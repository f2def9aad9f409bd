//! Hooks of a charmer.yaml and of spells, through every way that leads to a call.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, out, run, ship, works, write_script};

const ALLOW: &str = r#"cat >/dev/null; echo '{"version": 1, "decision": "allow"}'"#;
const REFUSE: &str =
    r#"cat >/dev/null; echo '{"version": 1, "decision": "refuse", "reason": "no ticket"}'"#;

/// A charmer.yaml for the ship, with hooks that are scripts beside it.
struct Scene(TempDir);

impl Scene {
    /// `keys` stand beside `binary`, a line each.
    fn new(keys: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = serde_json::to_string(&ship()).expect("text");
        let keys: String = keys.iter().map(|key| format!("    {key}\n")).collect();
        let text = format!("sources:\n  - binary: {program}\n{keys}");
        fs::write(folder.path().join("charmer.yaml"), text).expect("it is written");
        Self(folder)
    }

    fn script(self, name: &str, script: &str) -> Self {
        write_script(&self.0.path().join(name), script);
        self
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    /// `charmer call` with these words: its exit code, and all that it says.
    fn call(&self, words: &[&str]) -> (Option<i32>, String) {
        let file = self.path("charmer.yaml");
        let output = run(&[&["call", "-c", &file], words].concat());
        (output.status.code(), out(&output) + &err(&output))
    }

    fn serve(&self, words: &[&str]) -> Session {
        let file = self.path("charmer.yaml");
        Session::start(&mut charmer(&[&["serve", "-c", &file], words].concat()))
    }
}

#[test]
fn no_way_to_a_call_leads_around_a_hook() {
    let scene = Scene::new(&["hooks: {before: [./judge, --strict]}"]).script("judge", REFUSE);
    for words in [
        &["ship_list"][..],
        &["ship_list", "--dry-run"],
        &["run_read", "ship_list"],
        &["run_write", "ship_sink"],
    ] {
        let (code, said) = scene.call(words);
        assert_eq!(code, Some(1), "{words:?}: {said}");
        assert!(said.contains("no ticket"), "{words:?}: {said}");
    }
    let mut session = scene.serve(&["--expose", "index"]);
    for input in [
        json!({"command": "ship_sail", "arguments": {"port": "Oslo"}}),
        json!({"command": "ship_sail", "arguments": {"port": "Oslo"}, "dry_run": true}),
    ] {
        let result = session.call("run_write", input);
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.contains("no ticket"), "{result}");
        assert_eq!(result["isError"], true);
    }
    session.end();
}

#[test]
fn hooks_run_in_the_folder_of_the_file_with_what_the_client_said() {
    let save = format!("echo \"$1\" >word; tee asked >/dev/null; {ALLOW}");
    let scene = Scene::new(&[
        "select: [{commands: {allow: [sail]}, hooks: {before: [./judge, --strict]}}]",
    ]);
    let scene = scene.script("judge", &save);
    let mut session = scene.serve(&["--expose", "all"]);
    session.settle();
    session.call("ship_sail", json!({"port": "Oslo", "knots": 7}));
    session.end();
    let asked = fs::read_to_string(scene.path("asked")).expect("it was asked");
    let asked: Value = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(asked["argv"], json!([ship(), "sail", "--knots=7", "Oslo"]));
    assert_eq!(asked["caller"]["transport"], "stdio");
    assert_eq!(
        asked["caller"]["client"],
        json!({"name": "test", "version": "0"})
    );
    assert_eq!(
        fs::read_to_string(scene.path("word")).expect("text"),
        "--strict\n"
    );
}

#[test]
fn changed_arguments_meet_every_rule_of_the_file() {
    let change = |arguments: &str| {
        let answer = format!(r#"{{"version": 1, "decision": "allow", "arguments": {arguments}}}"#);
        let keys = [
            "hooks: {before: [./judge]}",
            "select:",
            "  - commands: {allow: [sail]}",
            "    flags: {exclude: [cargo]}",
            "    validate: [{argument: port, forbid: Mordor}]",
        ];
        Scene::new(&keys).script("judge", &format!("cat >/dev/null; echo '{answer}'"))
    };
    let sail = ["ship_sail", "Oslo"];
    let (code, said) = change(r#"{"port": "Bergen", "knots": 3}"#).call(&sail);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(r#"["sail", "--knots=3", "Bergen"]"#),
        "{said}"
    );
    assert!(said.contains("changed the arguments"), "{said}");
    for forbidden in [
        r#"{"port": "Mordor"}"#,
        r#"{"port": "Oslo", "cargo": ["gold"]}"#,
        r#"{}"#,
    ] {
        let (code, said) = change(forbidden).call(&sail);
        assert_eq!(code, Some(1), "{forbidden}: {said}");
        assert!(!said.contains("marked"), "{forbidden}: {said}");
    }
}

#[test]
fn outputs_and_errors_are_changed_and_failures_of_programs_are_seen() {
    let mask =
        r#"cat >/dev/null; echo '{"version": 1, "decision": "allow", "stderr": "all is well"}'"#;
    let words = r#"cat >/dev/null; echo '{"version": 1, "message": "try a boat"}'"#;
    let scene = Scene::new(&["hooks: {after: [./mask], error: [./words]}"])
        .script("mask", mask)
        .script("words", words);
    let (code, said) = scene.call(&["ship_sink"]);
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(said.trim(), "all is well\nexit code 3: try a boat");

    // What becomes data is what the hook has let through.
    let data =
        r#"cat >/dev/null; echo '{"version": 1, "decision": "allow", "stdout": "{\"a\": 1}"}'"#;
    let scene = Scene::new(&["hooks: {after: [./mask]}"]).script("mask", data);
    let (_, said) = scene.call(&["ship_list", "--json"]);
    let told: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(told["data"], json!({"a": 1}), "{said}");
}

#[test]
fn inspect_shows_the_hooks_of_a_program_and_of_a_command() {
    let scene = Scene::new(&[
        "hooks: {before: [./judge, --strict], timeout: 2s}",
        "select:",
        "  - {commands: {allow: [sail]}, hooks: {after: [./mask]}}",
        "  - {commands: {exclude: [sail]}}",
    ]);
    let file = scene.path("charmer.yaml");
    let inspect = |words: &[&str]| works(&[&["inspect", "-c", &file, "ship"], words].concat());
    let (all, sail) = (
        "before ./judge --strict (source)",
        "before ./judge --strict (source); after ./mask (select)",
    );
    let shown = |words: &[&str]| {
        let text = inspect(words);
        let line = text.lines().find(|line| line.starts_with("hooks"));
        line.map(|line| line["hooks".len()..].trim().to_owned())
    };
    assert_eq!(shown(&[]).as_deref(), Some(all));
    assert_eq!(shown(&["list"]).as_deref(), Some(all));
    assert_eq!(shown(&["sail"]).as_deref(), Some(sail));
    let told: Value = serde_json::from_str(&inspect(&["sail", "--json"])).expect("JSON");
    let source = json!({"before": ["./judge", "--strict"], "timeout": "2s", "level": "source"});
    assert_eq!(told["hooks"], json!([source]));
    let select = json!({"after": ["./mask"], "level": "select"});
    assert_eq!(told["commands"][0]["hooks"], json!([source, select]));
}

#[test]
fn what_a_hook_masked_is_nowhere_to_be_read() {
    let allow = r#"{\"version\": 1, \"decision\": \"allow\"%s}"#;
    // The first hook hides the port, the second has nothing to say.
    let mask = format!("cat >/dev/null; printf \"{allow}\" ', \"stdout\": \"to ***\"'");
    let port = "Oslo".repeat(100);
    for (script, masked) in [(mask.as_str(), true), (ALLOW, false)] {
        let scene = Scene::new(&["hooks: {after: [./mask]}"]).script("mask", script);
        let limits = "limits: {output: 100}\n";
        let file = scene.path("charmer.yaml");
        let text = fs::read_to_string(&file).expect("it is there");
        fs::write(&file, limits.to_owned() + &text).expect("it is written");
        let mut session = scene.serve(&["--expose", "all"]);
        session.settle();
        let result = session.call("ship_sail", json!({"port": port}));
        let complete = json!({
            "ref": {"type": "ref/resource", "uri": "spool://{id}{?offset,length,grep}"},
            "argument": {"name": "id", "value": ""},
        });
        let ids = session.request("completion/complete", complete);
        let ids = ids["result"]["completion"]["values"]
            .as_array()
            .expect("a list")
            .clone();
        // What was cut and not changed can be read on.
        assert_eq!(ids.is_empty(), masked, "{result}");
        assert_eq!(
            result.to_string().contains("read_output"),
            !masked,
            "{result}"
        );
        assert_eq!(result.to_string().contains("Oslo"), !masked, "{result}");
        for id in ids {
            let more = session.call("read_output", json!({"id": id}));
            assert!(more.to_string().contains(&port), "{more}");
        }
        session.end();
    }
}

#[test]
fn a_missing_hook_is_told_at_the_start_by_check_and_by_each_call() {
    let scene = Scene::new(&["hooks: {before: [./none]}"]);
    let (code, said) = scene.call(&["ship_list"]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("refused, because the hook `./none`"),
        "{said}"
    );
    assert!(said.contains("each of these calls is refused"), "{said}");
    let output = run(&["check", &scene.path("charmer.yaml")]);
    let said = out(&output) + &err(&output);
    assert!(
        !output.status.success() && said.contains("charmer.yaml:3"),
        "{said}"
    );
    assert!(said.contains("the hook `before` cannot be asked"), "{said}");
}

#[test]
fn what_other_machines_could_not_ask_is_not_exported() {
    let scene = Scene::new(&["hooks: {before: [./judge]}"]).script("judge", ALLOW);
    let (file, there) = (scene.path("charmer.yaml"), scene.path("ship.mcpb"));
    let output = run(&["export", "mcpb", "-c", &file, "-o", &there]);
    let said = err(&output);
    assert!(
        !output.status.success() && said.contains("the file has `hooks`"),
        "{said}"
    );
}

#[test]
fn spells_have_hooks_of_their_own_within_those_of_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("spells")).expect("a folder");
    let spell = "name: hello\ndescription: Says hello\ncommand: echo hello\npaths: [.]\nhooks: {before: [./own]}\n";
    fs::write(folder.path().join("spells/hello.yaml"), spell).expect("it is written");
    let config =
        "hooks: {before: [./all]}\nsources: [{spells: spells, hooks: {before: [./folder]}}]\n";
    let file = folder.path().join("charmer.yaml");
    fs::write(&file, config).expect("it is written");
    for name in ["all", "folder", "own"] {
        write_script(
            &folder.path().join(name),
            &format!("echo {name} >>order; {ALLOW}"),
        );
    }
    let file = file.to_string_lossy();
    for words in [
        &["call", "-c", &*file, "hello"][..],
        &["call", "-c", &*file, "cast_spell", "hello"],
    ] {
        assert_eq!(works(words).trim(), "hello");
    }
    let order = fs::read_to_string(folder.path().join("order")).expect("they were asked");
    assert_eq!(order, "all\nfolder\nown\n".repeat(2));
    // Without a charmer.yaml it has its own.
    write_script(&folder.path().join("own"), REFUSE);
    let spells = folder.path().join("spells");
    let output = run(&["call", "--spells", &spells.to_string_lossy(), "hello"]);
    assert!(err(&output).contains("no ticket") || out(&output).contains("no ticket"));
}

/// `git` in a repository of its own, which Charmer serves with this `hooks` key and the scripts of the documentation.
fn served_git(keys: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hooks");
    for script in fs::read_dir(scripts).expect("they are there") {
        let script = script.expect("a file").path();
        let name = script.file_name().expect("a name");
        fs::copy(&script, folder.path().join(name)).expect("it is copied");
    }
    for words in [
        &["init", "--quiet"][..],
        &["config", "user.name", "Ann"],
        &["config", "user.email", "ann@example.org"],
        &["commit", "--quiet", "--allow-empty", "--message=first"],
    ] {
        let git = Command::new("git")
            .args(words)
            .current_dir(&folder)
            .status();
        assert!(git.expect("there is git").success());
    }
    let text = format!("sources:\n  - binary: git\n    {keys}\n");
    fs::write(folder.path().join("charmer.yaml"), text).expect("it is written");
    folder
}

/// What `charmer call` says of this in the repository.
fn call_in(folder: &TempDir, words: &[&str]) -> String {
    let file = folder.path().join("charmer.yaml");
    let file = file.to_string_lossy();
    let words = [&["call", "-c", &*file], words].concat();
    let output = charmer(&words).current_dir(folder).output();
    let output = output.expect("it was built");
    out(&output) + &err(&output)
}

#[test]
#[ignore = "needs python3 and git"]
fn the_examples_of_the_documentation_work() {
    let folder = served_git("hooks: {before: [python3, policy.py]}");
    assert!(call_in(&folder, &["git_log", "--format=%s"]).contains("first"));
    let said = call_in(&folder, &["git_branch", "--all"]);
    assert!(said.contains("one branch at a time"), "{said}");
    let said = call_in(&folder, &["git_commit", "--message=x"]);
    assert!(said.contains("no rule allows this"), "{said}");

    let folder = served_git("hooks: {before: [python3, ticket.py]}");
    let commit = |message: &str| {
        let message = format!("--message={message}");
        call_in(&folder, &["git_commit", &message, "--allow-empty"])
    };
    assert!(commit("fix it").contains("a commit names its ticket"));
    assert!(commit("SHIP-9: fix it").contains("SHIP-9 is not open"));
    let said = commit("#12 fix it");
    assert!(said.contains("SHIP-12 fix it"), "{said}");

    let folder = served_git("hooks: {after: [python3, mask.py]}");
    let said = call_in(&folder, &["git_log", "--format=%an %ae"]);
    assert_eq!(said.trim(), "Ann ***");
}
