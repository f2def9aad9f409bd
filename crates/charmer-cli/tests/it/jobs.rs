//! Jobs on stdio: a call that takes long is answered, and goes on.

use std::{fs, path::Path, time::Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{PATIENCE, Session, charmer, works, write_script};

/// A program that builds until a file is there, with a child of its own, one that has left its group, and one that is nobody's
/// child any more.
const MILL: &str = r#"
case "$*" in
grind*--help*) printf 'Grind until the file is there\n\nUsage:\n  mill grind\n'; exit;;
*--help*|"") printf 'Usage:\n  mill [command]\n\nAvailable Commands:\n  grind  Grind until the file is there\n'; exit;;
esac
sleep 600 &
one=$!
setsid sleep 600 &
two=$!
three=$(setsid sleep 600 >/dev/null 2>&1 & echo $!)
echo "process $$ $one $two $three"
echo "a token: hunter2" >&2
while ! test -e "$MILL_GO"; do sleep 0.05; done
kill $one $two $three
echo ground
exit 3
"#;

struct Mill {
    folder: TempDir,
}

impl Mill {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        write_script(&folder.path().join("mill"), MILL);
        let config = format!("expose: index\nsources: [{{binary: ./mill}}]\n{config}");
        fs::write(folder.path().join("charmer.yaml"), config).expect("it is written");
        Self { folder }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn serve(&self, words: &[&str]) -> Session {
        let words: Vec<&str> = ["serve", "-c", "charmer.yaml"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        let mut command = charmer(&words);
        command
            .current_dir(self.folder.path())
            .env("MILL_GO", self.at("go"));
        Session::start(&mut command)
    }

    fn go(&self) {
        fs::write(self.at("go"), "").expect("it is written");
    }
}

fn grind(session: &mut Session, more: Value) -> Value {
    let mut input = json!({"command": "mill_grind"});
    for (key, value) in more.as_object().into_iter().flatten() {
        input[key] = value.clone();
    }
    session.call("run_write", input)
}

/// The ids of the processes that it says.
fn processes(answer: &Value) -> Vec<String> {
    let said = answer["structuredContent"]["stdout"].as_str();
    let line = said.unwrap_or_default().lines().next();
    let words = line.unwrap_or_default().split(' ').skip(1);
    words.map(str::to_owned).collect()
}

fn wait_until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn is_gone(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn job(session: &mut Session, action: &str, id: &Value) -> Value {
    session.call("job", json!({"action": action, "id": id}))
}

#[test]
fn a_long_call_is_answered_and_its_result_is_asked_for() {
    let mill = Mill::new("audit: {file: calls.jsonl}\nredact: {values: [hunter2]}\n");
    let mut session = mill.serve(&["--background-after", "1s", "--results", "text"]);
    let answer = grind(&mut session, json!({}));
    let structured = &answer["structuredContent"];
    let id = structured["job"].clone();
    assert_eq!(structured["state"], "running", "{answer}");
    assert!(structured["hint"].is_string(), "{answer}");
    assert_eq!(processes(&answer).len(), 4, "{answer}");
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("process") && text.contains(id.as_str().unwrap_or("no id")));
    assert!(!answer.to_string().contains("hunter2"), "{answer}");

    let found = session.call(
        "job",
        json!({"action": "output", "id": id, "search": "proc"}),
    );
    assert!(found.to_string().contains("1:process"), "{found}");
    let errors = session.call("job", json!({"action": "output", "id": id, "stderr": true}));
    assert!(
        errors.to_string().contains("a token: [redacted]"),
        "{errors}"
    );
    mill.go();
    let waited = job(&mut session, "wait", &id);
    let text = waited["content"][0]["text"].as_str().unwrap_or_default();
    assert!(
        text.contains("ground\n") && text.ends_with("exit code 3"),
        "{text}"
    );
    assert_eq!(waited["isError"], true);
    // Read once more, from the same offset as before.
    let read = session.call("job", json!({"action": "output", "id": id, "tail": 1}));
    assert!(read.to_string().contains("ground"), "{read}");
    assert!(session.end().success());

    let lines = fs::read_to_string(mill.at("calls.jsonl")).expect("it is written");
    let of_job: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .filter(|line: &Value| line["job"] == id)
        .collect();
    let events: Vec<&str> = of_job
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(events, ["begun", "ended"], "{lines}");
    assert_eq!(of_job[1]["exitCode"], 3);
    assert_eq!(of_job[0]["id"], of_job[1]["id"]);
}

#[test]
fn cancelling_ends_the_whole_tree_and_so_does_the_end_of_the_server() {
    let mill = Mill::new("");
    for end in ["cancel", "leave", "kill"] {
        let mut session = mill.serve(&[]);
        let answer = grind(&mut session, json!({"background": true}));
        let id = answer["structuredContent"]["job"].clone();
        assert_eq!(answer["structuredContent"]["state"], "running", "{answer}");
        let mut all = Vec::new();
        wait_until("it says who it is", || {
            let said = session.call("job", json!({"action": "output", "id": id}));
            let text = said["content"][0]["text"].as_str().unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with("process "));
            all = line.map_or_else(Vec::new, |line| {
                line.split(' ').skip(1).map(str::to_owned).collect()
            });
            all.len() == 4
        });
        match end {
            "cancel" => {
                let said = job(&mut session, "cancel", &id);
                assert_eq!(said["structuredContent"]["state"], "cancelled", "{said}");
                let waited = job(&mut session, "wait", &id);
                assert_eq!(waited["isError"], true, "{waited}");
            }
            "leave" => assert!(session.end().success()),
            _ => session.kill(),
        }
        for process in &all {
            wait_until(end, || is_gone(process));
        }
    }
}

#[test]
fn the_tool_is_listed_only_where_a_call_can_become_a_job() {
    let mill = Mill::new("");
    let listed = |words: &[&str]| {
        let mut session = mill.serve(words);
        session.settle();
        let names = session.all_names();
        let tools = session.request("tools/list", json!({})).to_string();
        (
            names.contains(&"job".to_owned()),
            tools.contains("background"),
        )
    };
    assert_eq!(listed(&[]), (true, true));
    assert_eq!(listed(&["--expose", "all"]), (true, false));
    assert_eq!(listed(&["--timeout", "10s"]), (false, false));
    assert_eq!(
        listed(&["--timeout", "10s", "--background-after", "5s"]),
        (true, true)
    );
}

#[test]
fn a_shorter_timeout_ends_a_call_and_a_longer_one_ends_its_job() {
    let mill = Mill::new("");
    let mut session = mill.serve(&["--timeout", "1s"]);
    let answer = grind(&mut session, json!({}));
    assert_eq!(answer["structuredContent"]["error"]["code"], "timeout");
    drop(session);
    let mut session = mill.serve(&["--timeout", "2s", "--background-after", "500ms"]);
    let answer = grind(&mut session, json!({}));
    let id = answer["structuredContent"]["job"].clone();
    let waited = job(&mut session, "wait", &id);
    assert_eq!(
        waited["structuredContent"]["error"]["code"], "timeout",
        "{waited}"
    );
}

#[test]
fn a_call_by_hand_waits_and_the_definition_is_short() {
    let mill = Mill::new("");
    let tools = works(&[
        "tools",
        "--json",
        Path::new(&mill.at("mill")).to_str().expect("UTF-8"),
    ]);
    assert!(tools.contains("\"job\""), "{tools}");
    mill.go();
    let mut command = charmer(&["call", "-c", "charmer.yaml", "mill_grind"]);
    let output = command
        .current_dir(mill.folder.path())
        .env("MILL_GO", mill.at("go"))
        .output()
        .expect("it was built");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("ground"), "{said}");
}
