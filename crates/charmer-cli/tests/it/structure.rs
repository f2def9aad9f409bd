//! Output as data: what a program prints, what it is asked for, and what was declared.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, out};

/// A program that prints a table, or JSON if it is asked to. It shows its help as Cobra's programs do, and says on
/// standard error what it was called with.
const YARD: &str = r#"#!/bin/sh
wants_help=
command=
for word; do
    case $word in
        --help | help) wants_help=yes ;;
        --version) echo 'yard version 1.0'; exit ;;
        __complete) exit 1 ;;
        -*) ;;
        *) command=${command:-$word} ;;
    esac
done
if [ -n "$wants_help" ] || [ -z "$command" ]; then
    case $command in
        list) flag='  -o, --output string   Output format. One of: (json, table)' ;;
        save) flag='  -o, --output string   write the report to this file, as json' ;;
        note) flag='      --loud            say it loudly' ;;
        *)
            printf 'Yard builds ships\n\nUsage:\n  yard [command]\n\nAvailable Commands:\n'
            printf '  list        List the ships\n  note        Print a note\n  save        Save a report\n'
            printf '\nFlags:\n  -h, --help      help for yard\n'
            printf '\nUse "yard [command] --help" for more information about a command.\n'
            exit ;;
    esac
    printf 'Do %s\n\nUsage:\n  yard %s [flags]\n\nFlags:\n' "$command" "$command"
    printf '%s\n  -h, --help            help for %s\n' "$flag" "$command"
    exit
fi
echo "argv: $*" >&2
case "$*" in
    *=json) echo '[{"name": "Vasa", "guns": 64}, {"name": "Fram", "guns": 0}, {"name": "Gjoa", "guns": null}]' ;;
    list*) printf 'NAME    GUNS   PORT\nVasa    64     Stockholm\nFram    0      Oslo\nGjoa           Oslo\n' ;;
    *) printf 'Nothing: to see.  Here \n' ;;
esac
"#;

/// The table, as the program prints it.
const TABLE: &str =
    "NAME    GUNS   PORT\nVasa    64     Stockholm\nFram    0      Oslo\nGjoa           Oslo\n";

struct Yard {
    folder: TempDir,
    program: PathBuf,
}

impl Yard {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("yard");
        let text = folder.path().join("yard.txt");
        fs::write(&text, YARD).expect("written");
        // Another process writes it: a file that this one has open for writing may be open in a child of another test.
        let copied = Command::new("/bin/sh")
            .args(["-c", "cp \"$1\" \"$2\" && chmod +x \"$2\"", "sh"])
            .args([&text, &program])
            .status();
        assert!(copied.expect("there is a shell").success());
        Self { folder, program }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn charmer(&self, words: &[&str]) -> Command {
        let mut command = charmer(words);
        command
            .current_dir(self.path())
            .env("CHARMER_DATA", self.path().join("data"))
            .env("CHARMER_CACHE", self.path().join("cache"))
            .env("YARD", &self.program);
        command
    }

    /// The structured result of a call, which may be an error.
    fn call(&self, words: &[&str]) -> Value {
        let output = self
            .charmer(&[&["call", "--json"], words].concat())
            .output()
            .expect("it was built");
        serde_json::from_str(&out(&output))
            .unwrap_or_else(|_| panic!("{}{}", out(&output), err(&output)))
    }

    /// Writes a configuration whose only program this is, with these keys of it.
    fn configure(&self, keys: &str) {
        let program = serde_json::to_string(&self.program).expect("a path");
        let text = format!("sources:\n  - binary: {program}\n{keys}");
        fs::write(self.path().join("charmer.yaml"), text).expect("written");
    }

    fn spell(&self, name: &str, keys: &str) {
        let folder = self.path().join("spells");
        fs::create_dir_all(&folder).expect("made");
        let text = format!("name: {name}\ndescription: A spell\npaths: [.]\n{keys}\n");
        fs::write(folder.join(format!("{name}.yaml")), text).expect("written");
    }
}

fn argv(result: &Value) -> &str {
    result["stderr"].as_str().unwrap_or_default().trim_end()
}

#[test]
fn a_table_is_data_and_prose_is_text() {
    let yard = Yard::new();
    let binary = yard.program.to_string_lossy().into_owned();
    let call = |words: &[&str]| yard.call(&[&["--binary", &binary], words].concat());
    let result = call(&["yard_list"]);
    assert_eq!(
        result["data"]["items"][0],
        json!({"NAME": "Vasa", "GUNS": "64", "PORT": "Stockholm"})
    );
    assert_eq!(result["data"]["items"][2]["GUNS"], "");
    assert_eq!(result.get("stdout"), None);
    let note = call(&["yard_note"]);
    assert_eq!(note["stdout"], "Nothing: to see.  Here \n");
    assert_eq!(note.get("data"), None);
    // Nothing was asked for, and `off` changes nothing at all.
    assert_eq!(argv(&result), "argv: list");
    let off = call(&["--structure", "off", "yard_list"]);
    assert_eq!((&off["stdout"], off.get("data")), (&json!(TABLE), None));
    // For people it is what the program printed.
    let shown = yard
        .charmer(&["call", "--binary", &binary, "yard_list"])
        .output();
    let shown = out(&shown.expect("it was built"));
    assert!(shown.starts_with(TABLE), "{shown}");
}

#[test]
fn json_is_asked_for_where_a_flag_is_for_that() {
    let yard = Yard::new();
    let binary = yard.program.to_string_lossy().into_owned();
    let force = |words: &[&str]| {
        let before = ["--binary", &binary, "--structure", "force"];
        yard.call(&[&before[..], words].concat())
    };
    let result = force(&["yard_list"]);
    assert_eq!(argv(&result), "argv: list --output=json");
    assert_eq!(result["data"]["items"][0]["guns"], 64);
    // The caller's choice stands, and a file is no format.
    let chosen = force(&["yard_list", "--output", "table"]);
    assert_eq!(argv(&chosen), "argv: list --output=table");
    assert_eq!(argv(&force(&["yard_save"])), "argv: save");
    assert_eq!(argv(&force(&["yard_note"])), "argv: note");
}

#[test]
fn a_selector_goes_before_the_file() {
    let yard = Yard::new();
    yard.configure(
        "    select:
      - commands: {allow: [list]}
        structure: force
        max_items: 2
        validate: [{argument: output, forbid: yaml}]
        filter: [{pattern: Vasa, replace: '***'}]
      - commands: {allow: [save, note]}
structure: off
limits: {max_items: 1}
",
    );
    let result = yard.call(&["--config", "charmer.yaml", "yard_list"]);
    assert_eq!(argv(&result), "argv: list --output=json");
    let items = json!([{"name": "***", "guns": 64}, {"name": "Fram", "guns": 0}]);
    assert_eq!(result["data"]["items"], items);
    assert_eq!(
        result["truncated"]["items"],
        json!({"shown": 2, "total": 3})
    );
    assert!(!result.to_string().contains("Vasa"), "{result}");
    // What is set is checked as if the caller had.
    yard.configure(
        "    select:
      - commands: {allow: [list]}
        structure: force
        validate: [{argument: output, forbid: json}]
",
    );
    let result = yard.call(&["--config", "charmer.yaml", "yard_list"]);
    assert_eq!(result["error"]["code"], "invalid_arguments", "{result}");
}

const DECLARED: &str = "    override:
      list:
        output:
          schema: ships.json
          field: ships
      save: {output: {schema: {type: object, required: [report]}}}
";

#[test]
fn a_declared_output_is_published_and_checked() {
    let yard = Yard::new();
    yard.configure(DECLARED);
    let schema = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "guns": {"type": ["integer", "null"]}},
        "required": ["name"],
    }});
    fs::write(yard.path().join("ships.json"), schema.to_string()).expect("written");
    let mut session = Session::start(&mut yard.charmer(&["serve", "--config", "charmer.yaml"]));
    session.settle();
    let answer = session.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let list = tools.iter().find(|tool| tool["name"] == "yard_list");
    let published = &list.expect("it is there")["outputSchema"];
    let data = &published["properties"]["data"];
    let ship = &data["properties"]["ships"]["items"];
    assert_eq!(ship["properties"]["name"]["type"], "string", "{published}");

    let result = session.call("yard_list", json!({"output": "json"}));
    let structured = &result["structuredContent"];
    assert_eq!(structured["data"]["ships"][2], json!({"name": "Gjoa"}));
    assert_eq!(result["isError"], false);
    let valid = jsonschema::validator_for(published).expect("a schema");
    assert!(valid.is_valid(structured), "{structured}");

    // A table is not what was declared, and it is delivered as it was printed.
    for (tool, printed) in [
        ("yard_list", TABLE),
        ("yard_save", "Nothing: to see.  Here \n"),
    ] {
        let result = session.call(tool, json!({}));
        let structured = &result["structuredContent"];
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(structured["error"]["code"], "output_mismatch");
        assert_eq!(structured["stdout"], printed);
        assert_eq!(structured["exitCode"], 0);
    }
    assert!(session.end().success());
}

#[test]
fn another_schema_in_its_file_is_another_list() {
    let yard = Yard::new();
    yard.configure(DECLARED);
    let file = yard.path().join("ships.json");
    let mut seen = Vec::new();
    for key in ["name", "title"] {
        let schema = json!({"type": "object", "properties": {key: {"type": "string"}}});
        fs::write(&file, schema.to_string()).expect("written");
        // The second time each list is one that was kept.
        for _ in 0..2 {
            let mut session =
                Session::start(&mut yard.charmer(&["serve", "--config", "charmer.yaml"]));
            session.settle();
            let list = session.line("tools/list", json!({}));
            assert!(
                list.contains(&format!("\"{key}\":{{\"type\":\"string\"")),
                "{list}"
            );
            seen.push(list);
            assert!(session.end().success());
        }
    }
    assert!(seen[0] == seen[1] && seen[0] != seen[2] && seen[2] == seen[3]);

    fs::write(&file, "ships").expect("written");
    let output = yard
        .charmer(&["tools", "--config", "charmer.yaml"])
        .output();
    let output = output.expect("it was built");
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(
        said.contains("the schema `ships.json` is no JSON") && said.contains("charmer.yaml:6:"),
        "{said}"
    );
}

#[test]
fn what_clients_are_not_shown_of_a_schema_is_a_warning() {
    let yard = Yard::new();
    yard.configure("    override: {list: {output: {schema: {$ref: '#/nowhere'}}}}\n");
    let output = yard
        .charmer(&["tools", "--config", "charmer.yaml"])
        .output();
    let said = err(&output.expect("it was built"));
    assert!(
        said.contains("yard list: the schema of its output"),
        "{said}"
    );
}

#[test]
fn spells_have_data_and_declared_outputs_too() {
    let yard = Yard::new();
    yard.spell("ships", "command: ${YARD} list\nmax_items: 1");
    yard.spell("text", "command: ${YARD} list\nstructure: off");
    yard.spell(
        "guns",
        "command: ${YARD} list --output=json\noutput: {schema: guns.json, field: ships}",
    );
    yard.spell(
        "wrong",
        "command: ${YARD} note\noutput: {schema: {type: object, required: [a]}}",
    );
    let schema = json!({"type": "array", "items": {"type": "object", "required": ["name"]}});
    fs::write(yard.path().join("guns.json"), schema.to_string()).expect("written");
    let call = |words: &[&str]| yard.call(&[&["--spells", "spells"], words].concat());

    let ships = call(&["ships"]);
    assert_eq!(ships["data"]["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(ships["truncated"]["items"]["total"], 3);
    assert_eq!(call(&["text"])["stdout"], TABLE);
    assert_eq!(call(&["--structure", "off", "ships"])["stdout"], TABLE);
    let guns = call(&["guns"]);
    assert_eq!(guns["data"]["ships"][1]["name"], "Fram");
    assert_eq!(call(&["cast_spell", r#"{"spell_name": "guns"}"#]), guns);
    let wrong = call(&["wrong"]);
    assert_eq!(wrong["error"]["code"], "output_mismatch", "{wrong}");
    assert_eq!(wrong["stdout"], "Nothing: to see.  Here \n");

    let tools = yard
        .charmer(&["tools", "--spells", "spells", "--json"])
        .output();
    let tools: Value = serde_json::from_slice(&tools.expect("built").stdout).expect("JSON");
    let tools = tools["tools"].as_array().expect("a list");
    let guns = tools.iter().find(|tool| tool["name"] == "guns");
    let data = &guns.expect("it is there")["outputSchema"]["properties"]["data"];
    assert_eq!(data["properties"]["ships"]["type"], "array", "{data}");
}

#[test]
fn a_spell_asks_for_json_with_its_own_words() {
    let yard = Yard::new();
    yard.spell(
        "asks",
        "command: ${YARD} list\njson: [--output=json]\nstructure: force\nflags: [--output=table]",
    );
    yard.spell("may", "command: ${YARD} list\njson: [--output=json]");
    yard.spell("cannot", "command: ${YARD} list");
    let call = |words: &[&str]| yard.call(&[&["--spells", "spells"], words].concat());
    // A number comes from JSON, text from the table.
    let guns = |result: &Value| {
        let ship = &result["data"]["items"][0];
        ship.get("guns").or(ship.get("GUNS")).cloned()
    };
    assert_eq!(guns(&call(&["asks"])), Some(json!(64)));
    assert_eq!(
        guns(&call(&["asks", r#"{"flags": ["--output=table"]}"#])),
        Some(json!("64"))
    );
    let cast = r#"{"spell_name": "asks"}"#;
    assert_eq!(guns(&call(&["cast_spell", cast])), Some(json!(64)));
    assert_eq!(guns(&call(&["may"])), Some(json!("64")));
    assert_eq!(
        guns(&call(&["--structure", "force", "may"])),
        Some(json!(64))
    );
    assert_eq!(
        guns(&call(&["--structure", "force", "cannot"])),
        Some(json!("64"))
    );
    assert_eq!(
        guns(&call(&["--structure", "off", "asks"])),
        Some(json!(64))
    );
}

#[test]
fn the_schema_of_a_spell_is_part_of_what_was_accepted() {
    let yard = Yard::new();
    yard.spell(
        "guns",
        "command: ${YARD} list --output=json\noutput: {schema: guns.json}",
    );
    let file = yard.path().join("guns.json");
    fs::write(&file, r#"{"type": "array"}"#).expect("written");
    let locked = || {
        yard.call(&[
            "--spells",
            "spells",
            "--locked",
            "cast_spell",
            r#"{"spell_name": "guns"}"#,
        ])
    };
    let trust = || {
        let trusted = yard
            .charmer(&["spell", "trust"])
            .output()
            .expect("it was built");
        assert!(trusted.status.success(), "{}", err(&trusted));
    };
    assert_eq!(locked()["error"]["code"], "not_permitted");
    trust();
    assert_eq!(locked()["data"]["items"][0]["name"], "Vasa");
    fs::write(&file, r#"{"type": "array", "title": "Other"}"#).expect("written");
    assert_eq!(locked()["error"]["code"], "not_permitted");
    trust();
    assert_eq!(locked()["data"]["items"][0]["name"], "Vasa");

    fs::remove_file(&file).expect("removed");
    let check = yard
        .charmer(&["spell", "check"])
        .output()
        .expect("it was built");
    assert_eq!(check.status.code(), Some(1));
    let said = format!("{}{}", out(&check), err(&check));
    assert!(
        said.contains("the schema `guns.json` cannot be read"),
        "{said}"
    );
}
