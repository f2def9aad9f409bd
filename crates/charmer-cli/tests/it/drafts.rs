//! Drafts on the program: proposed by a call or by a rule, looked at, applied and dropped by whom they may be.

use std::{fs, path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, example, out};

/// A program that writes a text to a file.
const SCRIBE: &str = r#"#!/bin/sh
case "$1" in
-*|"") cat <<'END' ;;
Usage: scribe FILE TEXT
Writes a text to a file.

Options:
  -h, --help  Print help
END
*) printf '%s\n' "$2" >"$1" ;;
esac
"#;

/// A folder that is served, a program that writes, and a place for drafts.
struct Work {
    folder: PathBuf,
    program: String,
    home: TempDir,
}

impl Work {
    fn new() -> Self {
        let home = TempDir::new().expect("a folder");
        let folder = home.path().join("work");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("file"), "as it was\n").expect("a file");
        // Another process writes it: one that this process has open for writing could not be run.
        let (text, program) = (home.path().join("scribe.txt"), home.path().join("scribe"));
        fs::write(&text, SCRIBE).expect("a file");
        let script = "cp \"$1\" \"$2\" && chmod +x \"$2\"";
        let copied = Command::new("sh")
            .args(["-c", script, "sh"])
            .args([&text, &program])
            .status();
        assert!(copied.expect("a shell").success());
        let program = program.to_string_lossy().into_owned();
        Self {
            folder,
            program,
            home,
        }
    }

    /// `charmer` in that folder.
    fn at(&self, mut command: Command) -> Command {
        let data = self.home.path().join("data");
        command.current_dir(&self.folder).env("CHARMER_DATA", data);
        command
    }

    fn charmer(&self, words: &[&str]) -> Command {
        self.at(charmer(words))
    }

    fn serve(&self, words: &[&str]) -> Session {
        let folder = self.folder.to_string_lossy();
        let words = [&["serve", &self.program, "--folder", &folder], words].concat();
        let mut session = Session::start(&mut self.charmer(&words));
        session.settle();
        session
    }

    fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(file)).ok()
    }

    fn kept(&self) -> usize {
        let drafts = fs::read_dir(self.home.path().join("data/drafts"));
        let drafts = drafts.into_iter().flatten().flatten();
        let is_draft = |name: &str| name.starts_with("draft-");
        drafts
            .filter(|entry| is_draft(&entry.file_name().to_string_lossy()))
            .count()
    }
}

fn written(file: &str, text: &str) -> Value {
    json!({"file": file, "text": text})
}

fn writing(file: &str, text: &str, draft: &Value) -> Value {
    json!({"command": "scribe", "arguments": written(file, text), "draft": draft})
}

fn id(result: &Value) -> String {
    let id = result["structuredContent"]["draft"]["id"].as_str();
    id.unwrap_or_else(|| panic!("it is no draft: {result}"))
        .to_owned()
}

#[test]
fn what_an_assistant_proposes_is_applied_when_it_says_so() {
    let work = Work::new();
    let mut session = work.serve(&["--expose", "index"]);
    assert!(session.names().contains(&"draft".into()));
    let first = session.call("run_write", writing("file", "new", &json!(true)));
    let draft = &first["structuredContent"]["draft"];
    assert_eq!(draft["changed"], json!(["file"]), "{first}");
    assert_eq!(
        [&draft["created"], &draft["deleted"]],
        [&json!([]), &json!([])]
    );
    let diff = draft["diff"].as_str().expect("text");
    assert!(diff.contains("-as it was\n+new\n"), "{diff}");
    assert_eq!(work.text("file").as_deref(), Some("as it was\n"));

    let draft = id(&first);
    let second = session.call("run_write", writing("other", "more", &json!(draft)));
    assert_eq!(id(&second), draft, "{second}");
    assert_eq!(
        second["structuredContent"]["draft"]["created"],
        json!(["other"])
    );
    let shown = session.call(
        "draft",
        json!({"action": "show", "id": draft, "path": "other"}),
    );
    assert!(
        shown["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("+more"))
    );
    let applied = session.call("draft", json!({"action": "apply", "id": draft}));
    assert_eq!(applied["isError"], false, "{applied}");
    assert_eq!(work.text("file").as_deref(), Some("new\n"));
    assert_eq!(work.text("other").as_deref(), Some("more\n"));

    let dropped = id(&session.call("run_write", writing("third", "x", &json!(true))));
    let answer = session.call("draft", json!({"action": "drop", "id": dropped}));
    assert_eq!(answer["isError"], false, "{answer}");
    session.call("run_write", writing("fourth", "x", &json!(true)));
    assert_eq!(work.kept(), 1);
    assert!(session.end().success());
    assert!(work.kept() == 0 && work.text("third").is_none() && work.text("fourth").is_none());
}

#[test]
fn what_a_rule_made_a_draft_is_applied_by_a_person() {
    let work = Work::new();
    let file = format!("sources: [{{binary: {}}}]\ndrafts: write\n", work.program);
    let config = work.home.path().join("rules.yaml");
    fs::write(&config, file).expect("a file");
    let config = config.to_string_lossy();
    let folder = work.folder.to_string_lossy();
    // Each command is a tool of its own, and nobody asks for a draft.
    let words = [
        "serve", "-c", &config, "--folder", &folder, "--expose", "all",
    ];
    let mut session = Session::start(&mut work.charmer(&words));
    session.settle();
    assert!(session.names().contains(&"draft".into()));
    let result = session.call("scribe", written("file", "new"));
    let draft = id(&result);
    assert_eq!(result["structuredContent"]["draft"]["apply"], "person");
    let refused = session.call("draft", json!({"action": "apply", "id": draft}));
    assert_eq!(refused["isError"], true, "{refused}");
    // An assistant that runs it through a program is refused, too.
    let beneath = work
        .charmer(&["drafts", "apply", &draft])
        .env("CHARMER_TOOL", "x")
        .output();
    assert!(!beneath.expect("it was built").status.success());
    // So is one that clears the environment on its way.
    let sly = work.home.path().join("sly");
    let script = format!(
        "printf '%s\\n' '#!/bin/sh' 'case \"$1\" in' '-*|\"\") echo \"Usage: sly WORD\";;' \
         '*) exec env -i CHARMER_DATA={} {} drafts apply {draft};;' 'esac' >\"$1\" && chmod +x \"$1\"",
        work.home.path().join("data").display(),
        env!("CARGO_BIN_EXE_charmer"),
    );
    let made = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(&sly)
        .status();
    assert!(made.expect("a shell").success());
    let sly = sly.to_string_lossy();
    let called = work
        .charmer(&["call", "--binary", &sly, "sly", "x"])
        .output();
    let called = called.expect("it was built");
    let said = format!("{}{}", out(&called), err(&called));
    assert!(said.contains("started by a Charmer server"), "{said}");
    assert_eq!(work.text("file").as_deref(), Some("as it was\n"));

    let applied = work
        .charmer(&["drafts", "apply", &draft])
        .output()
        .expect("it was built");
    assert!(applied.status.success(), "{}", err(&applied));
    assert_eq!(work.text("file").as_deref(), Some("new\n"));
    assert!(session.end().success());
}

#[test]
fn a_read_only_server_and_one_that_names_guard_have_no_drafts() {
    for words in [["--read-only", "--network=none"], ["--confine", "names"]] {
        let work = Work::new();
        let mut session = work.serve(&[&words[..], &["--expose", "index"]].concat());
        assert!(!session.names().contains(&"draft".into()), "{words:?}");
        assert!(session.end().success());
    }
}

#[test]
fn without_namespaces_a_copy_stands_for_the_view() {
    let work = Work::new();
    let whole = charmer(&[] as &[&str]);
    let mut lesser = Command::new(example("forbids"));
    lesser.arg("namespaces").arg(whole.get_program());
    for (name, value) in whole.get_envs() {
        if let Some(value) = value {
            lesser.env(name, value);
        }
    }
    let input = written("file", "new").to_string();
    lesser.args([
        "call",
        "--json",
        "--draft",
        "--binary",
        &work.program,
        "scribe",
        &input,
    ]);
    let output = work.at(lesser).output().expect("it was built");
    let result: Value = serde_json::from_str(&out(&output)).expect("JSON");
    assert_eq!(result["draft"]["changed"], json!(["file"]), "{result}");
    assert!(
        result["draft"]["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("a copy"))
    );
    assert_eq!(work.text("file").as_deref(), Some("as it was\n"));
    let draft = result["draft"]["id"].as_str().expect("an id");
    let listed = work
        .charmer(&["drafts", "list"])
        .output()
        .expect("it was built");
    assert!(out(&listed).contains(draft), "{}", out(&listed));
    let applied = work
        .charmer(&["drafts", "apply", draft])
        .output()
        .expect("it was built");
    assert!(applied.status.success(), "{}", err(&applied));
    assert_eq!(work.text("file").as_deref(), Some("new\n"));
    assert_eq!(work.kept(), 0);
}

/// Spells that write and that read, in the folder that is served.
fn with_spells(work: &Work) {
    let spells = work.folder.join("spells");
    fs::create_dir(&spells).expect("a folder");
    for (name, effect, more) in [
        ("mark", "write", ""),
        ("kept", "write", "confine: true\n"),
        ("look", "read", ""),
    ] {
        let command = match effect {
            "read" => "ls".to_owned(),
            _ => format!("touch {name}-was-here"),
        };
        let text = format!(
            "name: {name}\ndescription: x\ncommand: {command}\npaths: [.]\neffect: {effect}\n{more}"
        );
        fs::write(spells.join(format!("{name}.yaml")), text).expect("a file");
    }
}

#[test]
fn a_spell_that_writes_can_be_a_draft_and_one_that_reads_needs_none() {
    let work = Work::new();
    with_spells(&work);
    let mut session = Session::start(&mut work.charmer(&["serve", "--spells", "spells"]));
    assert!(session.names().contains(&"draft".into()));
    let cast = |name: &str, draft: Value| json!({"spell_name": name, "draft": draft});
    let first = session.call("cast_spell", cast("mark", json!(true)));
    assert_eq!(
        first["structuredContent"]["draft"]["created"],
        json!(["mark-was-here"]),
        "{first}"
    );
    let draft = id(&first);
    // One that is confined by itself goes on with it.
    let second = session.call("cast_spell", cast("kept", json!(draft)));
    assert_eq!(id(&second), draft, "{second}");
    assert!(work.text("mark-was-here").is_none() && work.text("kept-was-here").is_none());
    let read = session.call("cast_spell", cast("look", json!(true)));
    assert_eq!(read["isError"], true, "{read}");
    let applied = session.call("draft", json!({"action": "apply", "id": draft}));
    assert_eq!(applied["isError"], false, "{applied}");
    assert!(work.text("mark-was-here").is_some() && work.text("kept-was-here").is_some());
    assert!(session.end().success());
}

#[test]
fn a_rule_makes_drafts_of_spells_too_and_a_source_can_be_excepted() {
    let work = Work::new();
    with_spells(&work);
    let program = &work.program;
    let config = work.home.path().join("rules.yaml");
    let text = format!(
        "drafts: write\nsources: [{{spells: work/spells}}, {{binary: {program}, drafts: never}}]\n"
    );
    fs::write(&config, text).expect("a file");
    let config = config.to_string_lossy();
    for spell in ["mark", "kept"] {
        let output = work
            .charmer(&["call", "-c", &config, "--json", spell])
            .output();
        let output = output.expect("it was built");
        let result: Value = serde_json::from_str(&out(&output)).expect("JSON");
        assert_eq!(result["draft"]["apply"], "person", "{result}");
        assert!(work.text(&format!("{spell}-was-here")).is_none());
    }
    let input = written("file", "new").to_string();
    let output = work
        .charmer(&["call", "-c", &config, "scribe", &input])
        .output();
    assert!(output.expect("it was built").status.success());
    assert_eq!(work.text("file").as_deref(), Some("new\n"));
}

#[test]
fn a_rule_that_nobody_could_keep_is_refused() {
    let work = Work::new();
    with_spells(&work);
    let config = work.home.path().join("rules.yaml");
    let config_path = config.to_string_lossy().into_owned();
    for source in [
        format!("binary: {}", work.program),
        "spells: work/spells".into(),
    ] {
        fs::write(&config, format!("drafts: write\nsources: [{{{source}}}]\n")).expect("a file");
        for mode in ["names", "off"] {
            let words = ["tools", "-c", &config_path, "--confine", mode];
            let output = work.charmer(&words).output().expect("it was built");
            assert_eq!(
                output.status.code(),
                Some(2),
                "{source} {mode}: {}",
                out(&output)
            );
            assert!(
                err(&output).contains("are to be drafts"),
                "{}",
                err(&output)
            );
        }
    }
}

#[test]
fn a_draft_that_cannot_be_measured_or_read_is_ended_and_the_server_goes_on() {
    let work = Work::new();
    let digger = work.home.path().join("digger");
    crate::support::write_script(
        &digger,
        r#"
case "$1" in -*|"") printf 'Usage: digger DEPTH\n\nDigs.\n'; exit;; esac
name=$(printf '%0200d' 0)
depth=0
while test $depth -lt "$1"; do mkdir $name && cd $name || exit 1; depth=$((depth + 1)); done
head -c 2000000 /dev/zero | tr '\0' x >large
echo dug
"#,
    );
    let folder = work.folder.to_string_lossy();
    let digger = digger.to_string_lossy();
    let words = ["serve", &digger, "--folder", &folder, "--expose", "index"];
    let mut session = Session::start(&mut work.charmer(&words));
    session.settle();
    let dig =
        |depth: &str| json!({"command": "digger", "arguments": {"depth": depth}, "draft": true});
    let deep = session.call("run_write", dig("60"));
    let message = deep["structuredContent"]["error"]["message"].as_str();
    let message = message.unwrap_or_default();
    assert!(
        message.contains("cannot be read") && message.len() < 400,
        "{deep}"
    );
    assert_eq!(work.kept(), 0);
    let flat = session.call("run_write", dig("3"));
    assert!(flat["structuredContent"]["draft"].is_object(), "{flat}");
    assert!(session.end().success());
}
