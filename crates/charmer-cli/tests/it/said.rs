//! Programs that say what they are: by the hidden command `__charmer`, or in a file beside them.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::support::{Session, charmer, err, example, out, write_script};

/// A program in a folder of its own, which prints this document and runs anything.
struct Tool {
    folder: TempDir,
}

impl Tool {
    fn new(document: &str) -> Self {
        let script = format!("case \"$1\" in\n__charmer) cat <<'END'\n{document}\nEND\n;;\n{REST}");
        Self::script(&script)
    }

    /// One that does not say what it is.
    fn silent() -> Self {
        Self::script(&format!("case \"$1\" in\n{REST}"))
    }

    fn script(script: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let tool = Self { folder };
        write_script(&tool.path(), script);
        tool
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("tool")
    }

    fn says(&self, text: &str) {
        let file = self.folder.path().join("tool.charmer.yaml");
        fs::write(file, text).expect("it is writable");
    }

    fn run(&self, words: &[&str]) -> (String, String) {
        let output = charmer(words).output().expect("it was built");
        (out(&output), err(&output))
    }

    fn inspect(&self, options: &[&str]) -> (Value, String) {
        let path = self.path();
        let words = ["inspect", &path.to_string_lossy(), "--json"];
        let words: Vec<&str> = words.iter().chain(options).copied().collect();
        let (printed, told) = self.run(&words);
        let json = serde_json::from_str(&printed);
        (json.unwrap_or_else(|_| panic!("{printed}{told}")), told)
    }

    /// The names of the tools that are offered so.
    fn tools(&self, options: &[&str]) -> Vec<String> {
        let path = self.path();
        let words = [
            "tools",
            &path.to_string_lossy(),
            "--json",
            "--expose",
            "all",
        ];
        let words: Vec<&str> = words.iter().chain(options).copied().collect();
        let (printed, told) = self.run(&words);
        let json: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{told}"));
        let tools = json["tools"].as_array().expect("a list").iter();
        tools
            .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
            .filter(|name| name != "job")
            .collect()
    }
}

const REST: &str = "--version) echo 'tool 1.5' ;;
--help) printf 'Usage: tool [OPTIONS]\\n\\nOptions:\\n  --plain  Only help says this\\n' ;;
*) echo \"ran $*\"; touch \"$2\" \"$3\" 2>/dev/null ;;
esac
";

fn command<'j>(inspected: &'j Value, path: &str) -> &'j Value {
    let mut commands = inspected["commands"].as_array().expect("a list").iter();
    let found = commands.find(|one| one["path"] == json!([path]));
    found.unwrap_or_else(|| panic!("no `{path}` in {inspected}"))
}

fn document() -> String {
    json!({"charmer": 1, "name": "The Tool", "version": "9.8", "instructions": "Look before you turn.",
        "syntax": "getopt", "root": {"name": "tool", "runnable": false, "commands": [
            {"name": "frobnicate", "about": "Turns things", "effect": "read",
                "flags": [{"long": "depth", "type": "int", "default": 3}],
                "arguments": [{"name": "thing", "required": true}],
                "output": {"type": "object", "properties": {"turned": {"type": "integer"}}}},
            {"name": "delete", "effect": "read"},
            {"name": "list", "effect": "write"},
            {"name": "show", "effect": "read", "flags": [
                {"long": "output-file", "type": "string", "effect": {"values": {"x": "write"}}},
                {"long": "kubeconfig", "type": "string", "redirects": false},
                {"long": "label", "type": "string", "effect": "destroy"}]},
        ]}})
    .to_string()
}

#[test]
fn a_program_that_says_what_it_is_is_asked_for_nothing_else() {
    let tool = Tool::new(&document());
    let (found, told) = tool.inspect(&[]);
    assert_eq!(found["spawned"], 1, "{told}");
    assert_eq!(
        (&found["saidBy"], &found["version"]),
        (&json!("program"), &json!("9.8"))
    );
    let turn = command(&found, "frobnicate");
    assert!(turn.to_string().contains("\"program\""), "{turn}");
    assert_eq!(tool.tools(&[]).len(), 4);
    let path = tool.path();
    let call = [
        "call",
        "-b",
        &path.to_string_lossy(),
        "tool_frobnicate",
        "top",
        "--depth",
        "5",
    ];
    let printed = tool.run(&call).0;
    assert_eq!(printed.lines().next(), Some("ran frobnicate --depth=5 top"));
}

#[test]
fn what_a_program_says_of_itself_never_widens_what_it_may_do() {
    let tool = Tool::new(&document());
    let (found, _) = tool.inspect(&[]);
    let effect = |path: &str| command(&found, path)["effect"].clone();
    assert_eq!(effect("delete"), "destroy", "its name says more");
    assert_eq!(
        effect("list"),
        "write",
        "a program may say that it does more"
    );
    let turn = command(&found, "frobnicate");
    assert_eq!(
        (&turn["effect"], &turn["network"]),
        (&json!("read"), &json!("none")),
        "{turn}"
    );
    // A claim counts where the kernel keeps it, and nowhere else.
    let offers = |options: &[&str]| {
        let words: Vec<&str> = ["--read-only"].iter().chain(options).copied().collect();
        tool.tools(&words).contains(&"tool_frobnicate".to_owned())
    };
    assert!(offers(&[]));
    assert!(!offers(&["--confine", "names"]));
    assert!(!offers(&["--network", "all"]));
    assert!(
        !tool
            .tools(&["--read-only"])
            .contains(&"tool_delete".to_owned())
    );
    // It is held to it however it is called, for clients may go by the hint.
    let path = tool.path();
    let written = tool.folder.path().join("written");
    let call = [
        "call",
        "-b",
        &path.to_string_lossy(),
        "tool_frobnicate",
        &written.to_string_lossy(),
    ];
    tool.run(&call);
    assert!(!written.exists());
    // Flags that a rule withholds stay out whatever is said of them.
    let (found, _) = tool.inspect(&["--read-only"]);
    let left_out = found["leftOut"].to_string();
    for flag in ["--kubeconfig", "--output-file", "--label"] {
        assert!(left_out.contains(flag), "{left_out}");
    }
}

#[test]
fn a_file_beside_a_program_says_the_same_and_is_noticed_when_it_changes() {
    let tool = Tool::silent();
    assert_eq!(tool.tools(&[]), ["tool"]);
    tool.says("charmer: 1\nroot: {name: tool, runnable: false, commands: [{name: turn}]}\n");
    assert_eq!(tool.tools(&[]), ["tool_turn"]);
    let (found, _) = tool.inspect(&[]);
    let said_by = found["saidBy"].as_str().expect("a file");
    assert!(said_by.ends_with("tool.charmer.yaml"), "{said_by}");
    assert_eq!(found["version"], "tool 1.5");
    tool.says(
        "charmer: 1\nroot: {name: tool, runnable: false, commands: [{name: spin, efect: read}]}\n",
    );
    let (found, _) = tool.inspect(&[]);
    assert!(found["warnings"].to_string().contains("`efect`"), "{found}");
    assert_eq!(tool.tools(&[]), ["tool_spin"]);
    fs::remove_file(tool.folder.path().join("tool.charmer.yaml")).expect("it is there");
    assert_eq!(tool.tools(&[]), ["tool"]);
}

#[test]
fn a_program_with_a_file_beside_it_is_not_taken_for_another_at_the_next_start() {
    let tool = Tool::silent();
    tool.says("charmer: 1\nroot: {name: tool, runnable: false, commands: [{name: turn}]}\n");
    assert_eq!(tool.tools(&[]), ["tool_turn"]);
    let path = tool.path();
    let mut command = charmer(&["serve", &path.to_string_lossy()]);
    let told = tool.folder.path().join("told");
    command.stderr(fs::File::create(&told).expect("a file"));
    let mut session = Session::start(&mut command);
    assert_eq!(session.settled_names(), ["tool_turn"]);
    // It is asked whether it is still the same once its tools are there.
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert!(session.end().success());
    let told = fs::read_to_string(told).expect("it is there");
    assert!(!told.contains("has changed"), "{told}");
}

#[test]
fn a_file_that_anybody_may_write_to_or_that_is_wrong_is_not_used_and_that_is_said() {
    let tool = Tool::silent();
    tool.says("charmer: 1\nroot: {name: tool, flags: [{long: x, required: 7}]}\n");
    let (found, told) = tool.inspect(&[]);
    assert!(
        found["saidBy"].is_null() && told.contains("the flag `x`"),
        "{told}"
    );
    tool.says("charmer: 1\nroot: {name: tool}\n");
    let file = tool.folder.path().join("tool.charmer.yaml");
    fs::set_permissions(file, fs::Permissions::from_mode(0o664)).expect("it is ours");
    let (found, told) = tool.inspect(&[]);
    assert!(
        found["saidBy"].is_null() && told.contains("chmod go-w"),
        "{told}"
    );
}

#[test]
fn a_document_that_cannot_be_read_leaves_the_help() {
    for (document, reason) in [
        (r#"{"charmer": 1}"#, "root"),
        (r#"{"charmer": 7, "root": {"name": "tool"}}"#, "version 7"),
        (r#"{"charmer": 1, "root": "#, "EOF"),
    ] {
        let tool = Tool::new(document);
        let (found, _) = tool.inspect(&[]);
        let warnings = found["warnings"].to_string();
        assert!(
            warnings.contains(reason) && warnings.contains("its help is read"),
            "{warnings}"
        );
        assert!(found.to_string().contains("--plain") || found.to_string().contains("plain"));
    }
}

#[test]
fn clients_hear_the_name_and_instructions_of_a_program() {
    let tool = Tool::new(&document());
    let path = tool.path();
    for _ in ["read for the first time", "known"] {
        let mut session = Session::start(&mut charmer(&["serve", &path.to_string_lossy()]));
        let info = session.greeting.clone();
        assert_eq!(info["serverInfo"]["name"], "The Tool", "{info}");
        assert_eq!(info["serverInfo"]["version"], "9.8", "{info}");
        let told = info["instructions"].as_str().unwrap_or_default();
        assert!(told.contains("Look before you turn."), "{info}");
        let names = session.settled_names();
        assert!(names.contains(&"tool_frobnicate".to_owned()), "{names:?}");
        let listed = session.request("tools/list", json!({}));
        let tools = listed["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        let turn = tools
            .iter()
            .find(|one| one["name"] == "tool_frobnicate")
            .expect("it is there");
        let schema = turn["outputSchema"].to_string();
        assert!(schema.contains("turned"), "{turn}");
        assert!(session.end().success());
    }
}

#[test]
fn a_cli_with_the_bridge_is_the_same_from_inside_and_from_outside() {
    let harbour = example("harbour");
    let inside = Command::new(&harbour)
        .args(["mcp", "tools", "-o", "-"])
        .output()
        .expect("it was built");
    let path = harbour.to_string_lossy();
    let words = ["tools", &*path, "--expose", "all", "--json"];
    let outside = charmer(&words).output().expect("it was built");
    let tools = |text: &str| -> Value {
        let all: Value = serde_json::from_str(text).unwrap_or_else(|_| panic!("{text}"));
        let mut tools = all["tools"].clone();
        // The library has jobs where its author asks for them.
        let without = |tool: &Value| tool["name"] != "job";
        tools.as_array_mut().expect("a list").retain(without);
        tools
    };
    let (inside, outside) = (tools(&out(&inside)), tools(&out(&outside)));
    assert_eq!(format!("{inside:#}"), format!("{outside:#}"));
    let names: Vec<&str> = inside
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["harbour_ships", "harbour_moor", "harbour_reckon"]);
    // What its author says, what is told from names and help, and what is left out.
    assert_eq!(inside[0]["annotations"]["readOnlyHint"], true);
    assert!(inside[0]["inputSchema"]["properties"]["secret"].is_null());
    assert_eq!(inside[1]["annotations"]["readOnlyHint"], false);
    assert!(
        inside[1]["inputSchema"]["properties"]["stdin"].is_object(),
        "{}",
        inside[1]
    );
    assert_eq!(inside[2]["title"], "Tides");
    let mut session = Session::start(&mut charmer(&["serve", &*path]));
    assert_eq!(session.greeting["serverInfo"]["name"], "The harbour");
    assert!(session.settled_names().contains(&"harbour_moor".to_owned()));
    assert!(session.end().success());
}

#[test]
fn the_document_of_the_page_works() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/said.md");
    let page = fs::read_to_string(page).expect("there is one");
    let block = page.split("```yaml\n").nth(1).expect("it has an example");
    let tool = Tool::silent();
    tool.says(block.split("```").next().expect("it ends"));
    assert_eq!(tool.tools(&[]), ["ship_tides", "ship_moor"]);
    let (found, told) = tool.inspect(&[]);
    assert_eq!(found["warnings"], json!([]), "{told}");
    let moor = command(&found, "moor");
    assert!(moor["arguments"].to_string().contains("papers"), "{moor}");
}

#[test]
fn no_flag_is_brought_back_by_what_a_program_says_of_how_it_is_written() {
    let tool = Tool::new(
        &json!({"charmer": 1, "root": {"name": "tool", "runnable": false, "commands": [
            {"name": "show", "arguments": [{"name": "rest", "variadic": true, "external": true}]},
            {"name": "status", "flags": [
                {"long": "color", "negation": "delete"},
                {"long": "c", "single_dash": "glued", "value": "required", "value_type": "string"},
                {"long": "delete-all", "effect": "destroy", "asks_for_json": ""}]},
        ]}})
        .to_string(),
    );
    let path = tool.path();
    let dry = |options: &[&str], name: &str, arguments: Value| {
        let arguments = arguments.to_string();
        let words = ["call", "--dry-run", "-b", &path.to_string_lossy()];
        let words: Vec<&str> = words.iter().chain(options).copied().collect();
        let words = [&words[..], &[name, &arguments]].concat();
        let (printed, told) = tool.run(&words);
        printed + &told
    };
    let shown = dry(&[], "tool_show", json!({"rest": ["a", "--exec=sh"]}));
    assert!(!shown.contains("tool show a --exec"), "{shown}");
    let shown = dry(&[], "tool_status", json!({"color": false}));
    assert!(!shown.contains("--delete"), "{shown}");
    let shown = dry(&[], "tool_status", json!({"c": "onfig=/evil"}));
    assert!(!shown.contains("-config"), "{shown}");
    let shown = dry(&["--structure", "force"], "tool_status", json!({}));
    assert!(
        shown.contains("tool status") && !shown.contains("--delete-all"),
        "{shown}"
    );
}

#[test]
fn what_is_no_ordinary_file_is_not_waited_for() {
    let tool = Tool::silent();
    let file = tool.folder.path().join("tool.charmer.yaml");
    let made = Command::new("mkfifo").arg(&file).status();
    assert!(made.expect("there is mkfifo").success());
    let (found, told) = tool.inspect(&[]);
    assert!(
        found["saidBy"].is_null() && told.contains("no ordinary file"),
        "{told}"
    );
    fs::remove_file(&file).expect("it is there");
    std::os::unix::fs::symlink("/dev/zero", &file).expect("a link");
    let (found, _) = tool.inspect(&["--refresh"]);
    assert!(found["saidBy"].is_null());
}
