//! Calls of a real Cobra application through MCP: what pflag made of each command line is what the caller meant.
//!
//! `cargo test -p charmer-cli --test cobra -- --ignored` builds the application with Go and calls it, once for each
//! version of Cobra that is kept in `charmer-discover`'s fixtures.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Map, Value, json};

use support::{Session, charmer};

#[path = "it/support.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod support;

/// One call and what the application must say of it.
struct Case {
    command: &'static str,
    flags: Value,
    /// Positionals by name, in the order of the command line.
    positionals: Vec<(&'static str, Value)>,
    /// Those that stand under their own name in the nested layout, too: what follows a `--`.
    behind_dashes: &'static [&'static str],
    meant: Value,
    /// What the application shows in `args`, and how many of them stood before a `--` (-1 for no `--`).
    args: Value,
    dash: i64,
}

impl Case {
    fn new(command: &'static str, flags: Value) -> Self {
        Self {
            command,
            meant: flags.clone(),
            flags,
            positionals: Vec::new(),
            behind_dashes: &[],
            args: json!([]),
            dash: -1,
        }
    }

    /// These values are shown in another form than they are written in.
    fn shown(mut self, changes: Value) -> Self {
        let (Value::Object(meant), Value::Object(changes)) = (&mut self.meant, changes) else {
            panic!("flags are objects");
        };
        meant.extend(changes);
        self
    }

    fn positional(mut self, name: &'static str, value: Value) -> Self {
        let shown = self.args.as_array_mut().expect("a list");
        match &value {
            Value::Array(values) => shown.extend(values.iter().cloned()),
            value => shown.push(value.clone()),
        }
        self.positionals.push((name, value));
        self
    }

    fn behind_dashes(mut self, names: &'static [&'static str], dash: i64) -> Self {
        (self.behind_dashes, self.dash) = (names, dash);
        self
    }

    fn tool(&self) -> String {
        format!("orchard_{}", self.command.replace(' ', "_"))
    }

    fn flat(&self) -> Value {
        let mut input = self.flags.clone();
        let object = input.as_object_mut().expect("flags are an object");
        for (name, value) in &self.positionals {
            object.insert((*name).to_owned(), value.clone());
        }
        input
    }

    fn nested(&self) -> Value {
        let mut input = Map::new();
        input.insert("flags".into(), self.flags.clone());
        let mut args = Vec::new();
        for (name, value) in &self.positionals {
            match value {
                value if self.behind_dashes.contains(name) => {
                    input.insert((*name).to_owned(), value.clone());
                }
                Value::Array(values) => args.extend(values.iter().cloned()),
                value => args.push(value.clone()),
            }
        }
        if !args.is_empty() {
            input.insert("args".into(), args.into());
        }
        input.into()
    }

    fn check(&self, session: &mut Session, way: &Way, input: Value) {
        let result = way.call(session, &self.tool(), input.clone());
        // It prints JSON; its text is read here, because data is cleaned of what a terminal would act on.
        let text = result["content"][0]["text"].as_str();
        let said: Value = text
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| panic!("{input} was answered with {result}"));
        let meant = json!({
            "command": format!("orchard {}", self.command),
            "flags": self.meant,
            "args": self.args,
            "dash": self.dash,
        });
        assert_eq!(said, meant, "{input}");
    }
}

/// How the application's commands are called.
enum Way {
    /// Each is a tool.
    Tools,
    /// Through the tools that stand for all; these are the commands that only read.
    Index(Vec<String>),
}

impl Way {
    fn call(&self, session: &mut Session, tool: &str, input: Value) -> Value {
        match self {
            Self::Tools => session.call(tool, input),
            Self::Index(reading) => {
                let reads = reading.iter().any(|name| name == tool);
                let run = if reads { "run_read" } else { "run_write" };
                session.call(run, json!({"command": tool, "arguments": input}))
            }
        }
    }
}

/// The names of tools that are said to only read.
fn reading(session: &mut Session) -> Vec<String> {
    session.settle();
    let answer = session.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list").iter();
    let reads = tools.filter(|tool| tool["annotations"]["readOnlyHint"] == true);
    let names = reads.filter_map(|tool| tool["name"].as_str());
    names.map(str::to_owned).collect()
}

/// Values that are hard to bring through a command line, whatever the version.
fn cases() -> Vec<Case> {
    let texts = json!([
        "a,b", "c\"d", "\"e\"", "e f", "", " g ", "-h", "--int=1", "i=j", "k\nl", "[m]"
    ]);
    let one_each = json!({
        "bool": true,
        "count": 3,
        "int": -7,
        "int8": -128,
        "int16": -32768,
        "int32": -2147483648_i64,
        "int64": i64::MAX,
        "uint": 8,
        "uint8": 255,
        "uint16": 65535,
        "uint32": u32::MAX,
        "uint64": u64::MAX,
        "float32": -0.25,
        "float64": -1e-09,
        "string": "say \"hi\", 'you' \\ $HOME `x`\n",
        "duration": "-1h30m",
        "ip": "fe80::1",
        "ip-mask": "255.255.255.0",
        "ip-net": "10.1.0.0/16",
        "bytes-hex": "cafe",
        "bytes-base64": "cGVhcnM=",
        // Nothing outside tells whether an own type without a default can be repeated, so it is offered as a list.
        "weight": ["3kg"],
    });
    let lists = json!({
        "string-slice": texts,
        "string-array": texts,
        "list": texts,
        "bool-slice": [true, false, true],
        "int-slice": [-1, 0, 2],
        "int32-slice": [i32::MIN, i32::MAX],
        "int64-slice": [i64::MIN, i64::MAX],
        "uint-slice": [0, u64::MAX],
        "float32-slice": [-0.5, 2.25],
        "float64-slice": [1e300, -0.125],
        "duration-slice": ["1h30m", "-5s"],
        "ip-slice": ["10.0.0.1", "::1"],
    });
    let maps = json!({
        "string-to-string": {"a": "b,c", "d": "e=f", "g": "", "h,i": "\"j\" k", "-l": "-m"},
        "string-to-int": {"boxes": -3, "crates": 0},
        "string-to-int64": {"most": i64::MAX, "least": i64::MIN},
    });
    vec![
        Case::new("types", one_each).shown(json!({
            "duration": "-1h30m0s", "ip-mask": "ffffff00", "bytes-hex": "CAFE", "weight": "3kg",
        })),
        Case::new("types", lists).shown(json!({"duration-slice": ["1h30m0s", "-5s"]})),
        Case::new("types", maps),
        // One pair, which pflag reads in another way than several.
        Case::new("types", json!({"string-to-string": {"a": "b"}})),
        Case::new("types", json!({"string-to-string": {"a": "b,c"}})),
        Case::new("types", json!({"string-to-string": {"a": "say \"b\", c"}})),
        Case::new("types", json!({"string-to-string": {"\"a": "\"b\""}})),
        Case::new("types", json!({"string-to-string": {"a": "\"b=c\""}})),
        Case::new("types", json!({"string": ""})),
        Case::new("types", json!({"string": "-x"})),
        Case::new("types", json!({"string": "--"})),
        Case::new("types", json!({"int64": i64::MIN})),
        // What has a default is set to what a zero would leave alone.
        Case::new(
            "defaults",
            json!({
                "bool": false, "int": 0, "string": "", "string-slice": ["a,b"], "duration": "0s",
                "string-to-int": {"pears": 1}, "verbose": 2, "dry-run": true,
            }),
        ),
        Case::new("defaults", json!({"bool": true, "int64": -1})),
        // Flags that can stand without a value: given, given what they mean bare, and given nothing.
        Case::new(
            "optional",
            json!({"colour": "never", "jobs": -3, "keep": true, "mode": "slow"}),
        ),
        Case::new(
            "optional",
            json!({
                "colour": "always", "format": "wide table", "jobs": 4, "keep": false, "mode": "quick", "ask": false,
            }),
        ),
        Case::new("optional", json!({"colour": "", "format": "-"})),
        Case::new("attach", json!({"tty": true}))
            .positional("tree", json!("oak"))
            .positional(
                "command",
                json!(["sh", "-c", "echo -x, \"y\"", "--", "--tty=false", ""]),
            )
            .behind_dashes(&["command"], 1),
        // Behind its first argument it reads no flags, so that nothing there need be protected.
        Case::new("graft", json!({"tty": true}))
            .positional("tree", json!("oak"))
            .positional("command", json!("ls"))
            .positional("arg", json!(["-la", "--tty=false", "--", "-t"])),
        Case::new("graft", json!({}))
            .positional("tree", json!("-t"))
            .positional("command", json!("-t"))
            .behind_dashes(&[], 0),
        Case::new("water", json!({"twice": true}))
            .positional("tree", json!("oak"))
            .positional("arg", json!(["a", "-5", "--twice=false"]))
            .behind_dashes(&[], 1),
        Case::new("copy", json!({}))
            .positional("file", json!("--config=x"))
            .behind_dashes(&[], 0),
        Case::new("copy", json!({}))
            .positional("file", json!("a file, \"quoted\""))
            .positional("dir", json!("")),
        Case::new("convert", json!({"to": "-kg", "digits": -1}))
            .positional("args", json!(["1", "2.5"])),
        Case::new(
            "market sell",
            json!({"to": "Anna", "discount": {"Anna": 5, "\"Ben\" too": -1}}),
        )
        .positional("fruit", json!(["apple", "pear,plum", "="])),
        Case::new(
            "tree plant",
            json!({"by": "Ben", "depth": 40, "water": false, "beside": ["oak, old", "elm"]}),
        )
        .positional("species", json!("pear"))
        .positional("row", json!("3")),
    ]
}

/// Builds the application; without Go there is nothing to test, and that is a failure.
fn build(name: &str, arguments: &[&str]) -> PathBuf {
    let folder = "../charmer-fidelity/fixtures/cobra";
    build_from((folder, "."), "orchard", name, arguments)
}

/// Builds a package of a folder as a program, in a place of this name.
fn build_from(
    (folder, package): (&str, &str),
    program: &str,
    name: &str,
    arguments: &[&str],
) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(name)
        .join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new("go")
        .current_dir(manifest.join(folder))
        .args(["build", "-trimpath", "-buildvcs=false"])
        .args(arguments)
        .arg("-o")
        .args([program.as_path(), Path::new(package)])
        .output()
        .expect("Go is installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    program
}

fn round_trip(name: &str, arguments: &[&str], more: Vec<Case>) {
    let program = build(name, arguments);
    let notes = PathBuf::from(format!("{}.ran", program.display()));
    let _ = fs::remove_file(&notes);
    let scratch = tempfile::tempdir().expect("a folder");
    let cases: Vec<Case> = cases().into_iter().chain(more).collect();
    let mut called = Vec::new();
    // Hard values go through `run_read` as well: some of the commands are said to change nothing.
    let file = scratch.path().join("charmer.yaml");
    let binary = json!(program.to_string_lossy());
    let text = format!(
        "sources:
  - binary: {binary}
    select:
      - commands: {{allow: [types, copy, market sell]}}
        assume_effect: read
      - commands: {{exclude_glob: [nothing]}}
"
    );
    fs::write(&file, text).expect("it can be written");
    let mut known = Vec::new();
    for (layout, expose) in [
        ("flat", "all"),
        ("nested", "all"),
        ("flat", "index"),
        ("nested", "index"),
    ] {
        let words = [
            "serve",
            "--config",
            &file.to_string_lossy(),
            "--all-flags",
            "--layout",
            layout,
            "--expose",
            expose,
        ];
        let mut server = charmer(&words);
        server.env("CHARMER_CACHE", scratch.path().join("cache"));
        server.env("HOME", scratch.path());
        let mut session = Session::start(&mut server);
        let way = match expose {
            "all" => {
                known = reading(&mut session);
                Way::Tools
            }
            _ => {
                let few = [
                    "search_commands",
                    "describe_commands",
                    "run_read",
                    "run_write",
                    "draft",
                ];
                assert_eq!(session.names(), few, "a few tools stand for all");
                Way::Index(known.clone())
            }
        };
        if (layout, expose) == ("flat", "all") {
            assert!(!notes.exists(), "reading it has run a command");
        }
        for case in &cases {
            let input = if layout == "flat" {
                case.flat()
            } else {
                case.nested()
            };
            case.check(&mut session, &way, input);
            // What is run as reading cannot write its note, where the kernel confines it.
            let reads = matches!(&way, Way::Index(reading) if reading.contains(&case.tool()));
            if !(reads && cfg!(target_os = "linux")) {
                called.push(format!("ran orchard {}", case.command));
            }
        }
        refuse(&mut session, &way, layout);
        if let Way::Index(reading) = &way {
            let through_read = |case: &Case| reading.contains(&case.tool());
            assert!(cases.iter().any(through_read), "some commands only read");
            assert!(!cases.iter().all(through_read), "some commands write");
            let writing = json!({"command": "orchard_tree_plant", "arguments": {}});
            let result = session.call("run_read", writing);
            let code = &result["structuredContent"]["error"]["code"];
            assert_eq!(code, "not_permitted", "{result}");
        }
        assert!(session.end().success());
    }
    let ran = fs::read_to_string(&notes).expect("it was called");
    assert_eq!(ran.lines().collect::<Vec<_>>(), called);
    traverse(&program);
    refuse_flags_of_the_parent(&program);
}

/// A parent's own flags are not offered with a child that refuses them, also where its largest child has them all.
fn refuse_flags_of_the_parent(program: &Path) {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut tools = charmer(&["tools", &program.to_string_lossy(), "--expose", "all"]);
    tools.arg("--json");
    tools.env("CHARMER_CACHE", scratch.path().join("cache"));
    tools.env("HOME", scratch.path());
    let said = tools.output().expect("it starts");
    let listed: serde_json::Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let listed = listed["tools"].as_array().expect("tools");
    let has = |tool: &str, flag: &str| {
        let found = listed.iter().find(|one| one["name"] == tool);
        !found.expect("the tool")["inputSchema"]["properties"][flag].is_null()
    };
    assert!(has("orchard_juice", "cold") && has("orchard_juice_serve", "cold"));
    assert!(!has("orchard_juice_stock", "cold"));
    assert!(has("orchard_juice_stock", "dry-run"));
}

/// An application that traverses takes a parent's own flags before a subcommand.
fn traverse(program: &Path) {
    let scratch = tempfile::tempdir().expect("a folder");
    let copy = scratch.path().join("orchard-traversing");
    fs::copy(program, &copy).expect("copied");
    let mut server = charmer(&["serve", &copy.to_string_lossy()]);
    server.env("CHARMER_CACHE", scratch.path().join("cache"));
    server.env("HOME", scratch.path());
    let mut session = Session::start(&mut server);
    session.names();
    let input = json!({"rootstock": "quince", "seal": true});
    let result = session.call("orchard_tree_graft_whip-and-tongue", input);
    assert_eq!(result["isError"], false, "{result}");
    assert!(session.end().success());
}

/// What the application would take for a flag never reaches it.
fn refuse(session: &mut Session, way: &Way, layout: &str) {
    for (tool, flat, nested) in [
        // Its `--` has a meaning of its own, so that it protects nothing.
        (
            "orchard_attach",
            json!({"tree": "-t", "command": ["sh"]}),
            json!({"args": ["-t"], "command": ["sh"]}),
        ),
        (
            "orchard_types",
            json!({"int8": 128}),
            json!({"flags": {"int8": 128}}),
        ),
        (
            "orchard_types",
            json!({"uint": -1}),
            json!({"flags": {"uint": -1}}),
        ),
        (
            "orchard_optional",
            json!({"mode": "fast"}),
            json!({"flags": {"mode": "fast"}}),
        ),
        // Its parent's own flag.
        (
            "orchard_tree_graft_whip-and-tongue",
            json!({"rootstock": "quince", "seal": true}),
            json!({"flags": {"rootstock": "quince", "seal": true}}),
        ),
    ] {
        let input = if layout == "flat" { flat } else { nested };
        let result = way.call(session, tool, input);
        assert_eq!(result["isError"], true, "{result}");
    }
}

/// Asks for completions of a prompt that the file makes; `more` is what else it says of the source.
fn completions(program: &Path, more: &str) -> Value {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("charmer.yaml");
    let binary = json!(program.to_string_lossy());
    let text = format!(
        "prompts: true
sources:
  - binary: {binary}
    {more}
    override: {{market sell: {{examples: 'orchard market sell <fruit> --to=Anna'}}}}
"
    );
    fs::write(&file, text).expect("it can be written");
    let mut server = charmer(&["serve", "--config", &file.to_string_lossy()]);
    server.env("CHARMER_CACHE", scratch.path().join("cache"));
    server.env("HOME", scratch.path());
    let mut session = Session::start(&mut server);
    session.names();
    let prompt = json!({"type": "ref/prompt", "name": "orchard_market_sell-1"});
    let argument = json!({"name": "fruit", "value": "a"});
    let params = json!({"ref": prompt, "argument": argument});
    let answer = session.request("completion/complete", params);
    assert!(session.end().success());
    let values = &answer["result"]["completion"]["values"];
    assert!(values.is_array(), "{answer}");
    values.clone()
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn the_program_completes_where_it_may_be_asked() {
    let program = build("cobra-completion", &[]);
    assert_eq!(
        completions(&program, "completion: program"),
        json!(["apple"])
    );
    let notes = PathBuf::from(format!("{}.ran", program.display()));
    // Its own code was asked; what that writes it cannot write where the kernel confines it.
    assert_eq!(fs::remove_file(&notes).is_ok(), !cfg!(target_os = "linux"));
    assert_eq!(completions(&program, "completion: choices"), json!([]));
    assert!(!notes.exists(), "nobody allowed it");
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn hard_values_reach_the_newest_cobra() {
    let newer = json!({
        "time": "2026-02-28T23:59:59Z", "ip-net-slice": ["10.1.0.0/16", "fe80::/10"], "func": "-x, \"y\"",
    });
    // pflag does not show what it handed to a function.
    let more = vec![
        Case::new("types", newer).shown(json!({"func": ""})),
        Case::new("weigh", json!({"apples": 0, "net": true})),
    ];
    round_trip("cobra-newest", &[], more);
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn hard_values_reach_cobra_1_6() {
    round_trip(
        "cobra-1.6",
        &["-modfile=cobra16.mod", "-tags=cobra16"],
        Vec::new(),
    );
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn hard_values_reach_programs_that_say_what_they_are() {
    for (name, arguments) in [
        ("bridge", ["-modfile=bridge.mod", "-tags=bridge"]),
        (
            "bridge-1.6",
            ["-modfile=bridge16.mod", "-tags=bridge,cobra16"],
        ),
    ] {
        round_trip(name, &arguments, Vec::new());
    }
}

/// The tools of a program as `charmer tools` prints them, and as the program does that runs it on itself.
struct Printed {
    outside: Vec<u8>,
    inside: Option<Vec<u8>>,
}

fn printed(program: &Path, says_what_it_is: bool) -> Printed {
    let scratch = tempfile::tempdir().expect("a folder");
    let more = ["--expose", "all", "--all-flags", "--json"];
    let run = |command: &mut Command| {
        command.args(more).env("HOME", scratch.path());
        command.env("CHARMER_CACHE", scratch.path().join("cache"));
        let said = command.output().expect("it starts");
        let complaint = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{complaint}");
        said.stdout
    };
    let charmer_itself = charmer::<&str>(&[]).get_program().to_owned();
    let inside = says_what_it_is.then(|| {
        let mut command = Command::new(program);
        run(command
            .args(["mcp", "tools"])
            .env("CHARMER", charmer_itself))
    });
    let outside = run(&mut charmer(&["tools", &program.to_string_lossy()]));
    Printed { outside, inside }
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn the_documents_examples_are_the_same_from_inside_and_outside() {
    let source = ("../../go/charmer", "./testdata/documents");
    for versions in ["go.mod", "newest.mod"] {
        let modules = format!("-modfile={versions}");
        let built = |kind: &str, more: &[&str]| {
            let arguments = [&[modules.as_str()], more].concat();
            let place = format!("documents-{kind}-{versions}");
            build_from(source, "documents", &place, &arguments)
        };
        let bridged = printed(&built("bridge", &["-tags=bridge"]), true);
        assert_eq!(bridged.inside, Some(bridged.outside.clone()));
        let by_help = printed(&built("help", &[]), false);
        let text = String::from_utf8_lossy(&bridged.outside).into_owned();
        assert_eq!(text, String::from_utf8_lossy(&by_help.outside));
        assert!(text.contains("documents_container_list"), "{text}");
    }
}

/// The places at which two values differ, as JSON pointers; a list is one place.
fn differences(a: &Value, b: &Value, place: &str, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let only_right = right.keys().filter(|key| !left.contains_key(*key));
            for key in left.keys().chain(only_right) {
                let (a, b) = (&a[key], &b[key]);
                differences(a, b, &format!("{place}/{key}"), found);
            }
        }
        (a, b) if a == b => {}
        _ => found.push(place.to_owned()),
    }
}

#[test]
#[ignore = "needs Go; .ci/run runs it"]
fn where_help_says_less_than_the_program_is_known() {
    let bridged = build("compared", &["-modfile=bridge.mod", "-tags=bridge"]);
    let bridged = printed(&bridged, true);
    assert_eq!(bridged.inside, Some(bridged.outside.clone()));
    let by_help = printed(&build("help", &[]), false);
    let tools = |printed: &Printed| {
        let listed: Value = serde_json::from_slice(&printed.outside).expect("JSON");
        let all = listed["tools"].as_array().expect("tools").iter();
        let named = all.map(|tool| {
            let name = tool["name"].as_str().expect("a name");
            let name = name.strip_prefix("orchard_").unwrap_or(name);
            (name.to_owned(), tool.clone())
        });
        named.collect::<Vec<_>>()
    };
    let (inside, outside) = (tools(&bridged), tools(&by_help));
    let mut found = Vec::new();
    for ((name, inside), (same, outside)) in inside.iter().zip(&outside) {
        assert_eq!(name, same, "they stand in the same order");
        differences(inside, outside, name, &mut found);
    }
    assert_eq!(inside.len(), outside.len());
    found.sort();
    let expected = [
        // A text that looks like a list of commands.
        "notes/description",
        // It parses no flags, so that it would hand on those of the root.
        "passthrough/inputSchema/properties/config",
        "passthrough/inputSchema/properties/dry-run",
        "passthrough/inputSchema/properties/ledger",
        "passthrough/inputSchema/properties/log-level",
        "passthrough/inputSchema/properties/timeout",
        "passthrough/inputSchema/properties/verbose",
        // A number of 16 bits, under a placeholder.
        "placeholders/inputSchema/properties/columns/maximum",
        "placeholders/inputSchema/properties/columns/minimum",
        // Line breaks.
        "placeholders/inputSchema/properties/quiet-hours/description",
        // An own type, of which help does not say whether it is a list.
        "types/inputSchema/properties/weight/items",
        "types/inputSchema/properties/weight/type",
    ];
    assert_eq!(found, expected);
}
