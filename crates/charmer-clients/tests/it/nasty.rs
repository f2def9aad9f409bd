//! Files that are meant to break an edit.

use charmer_clients::ServerEntry;

use crate::support::{entry, file, promises};

const JSON: &[&str] = &[
    "",
    "\n",
    "  \r\n\t",
    "\u{feff}",
    "\u{feff}\r\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}",
    "{\n}\n",
    "{\n\n}\n",
    "{\r\n}\r\n",
    "\n{}\n",
    "// only a comment",
    "// only a comment\n",
    "/* only */",
    "/* only */ {}",
    "// c\n{}\n",
    "{ // c\n}",
    "{/*c*/}",
    "{ /* c */ }",
    "{\n  // c\n}\n",
    "{\n  // c   \n\n}\n",
    r#"{"mcpServers":{}}"#,
    r#"{"mcpServers":{}/*c*/}"#,
    r#"{"mcpServers":{/*c*/}}"#,
    r#"{"mcpServers": { }}"#,
    "{\"mcpServers\": {}}\n",
    "{\n  \"mcpServers\": {}\n}\n",
    "{\n  \"mcpServers\": {},\n}\n",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\n  \"mcpServers\": {\n\n  }\n}\n",
    "{\n  \"mcpServers\": { // none yet\n  }\n}\n",
    "{\n  \"mcpServers\": {\n    // none yet  \n  }\n}\n",
    "{\n  \"mcpServers\": {\n    /* none\n yet */}\n}\n",
    "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\"command\": \"x\"}\r\n\t}\r\n}",
    r#"{"theme":"dark"}"#,
    r#"{"theme":"dark",}"#,
    r#"{"theme":"dark" , }"#,
    "{\"theme\":\"dark\" // c\n}",
    "{\n    \"theme\": \"dark\"\n}\n",
    "{\n    \"theme\": \"dark\",\n}\n",
    "{\n    \"theme\": \"dark\", // c  \n\n}\n",
    "{\n    \"theme\": \"dark\" /* a */ /* b */ // c\n    // \"mcpServers\": {}\n}\n",
    "{\n    \"theme\": \"dark\" /* a\n */\n}\n",
    "{\n    \"theme\": \"dark\"\n    , \"x\": 1\n    ,\n}\n",
    r#"{"mcpServers":{"a":{"command":"x","args":["y"]}}}"#,
    r#"{"mcpServers":{"a":{"command":"x"},"a":{"command":"z"}}}"#,
    r#"{"mcpServers":{"a":{"command":"x"}},"mcpServers":{"b":{"command":"x"},}}"#,
    "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}, // mine\n    // \"b\": {},\n  },\n  \"z\": [1, 2,],\n}\n",
    "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"} // mine, and\n  }\n}\n",
    "{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"} /* , */ }\n}\n",
    "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"}}}",
    "{\"a\\u0062c\": 1, \"mcpServers\": {\"\\u0067it2\": {\"command\": \"x\"}}}",
    "{\"mcpServers\": {\"a\": {\"url\": \"https://x//y\"}}}",
    "{\"mcp\\u0053ervers\": {}}",
];

#[test]
fn nasty_json_keeps_every_promise() {
    promises("cursor", None, &entry());
    for text in JSON {
        promises("cursor", Some(text.as_bytes()), &entry());
    }
}

const TOML: &[&str] = &[
    "",
    "\n\n",
    " ",
    "\u{feff}",
    "# only a comment",
    "# only a comment\n",
    "model = \"x\"",
    "model = \"x\" # c",
    "model = \"x\"\n",
    "model = \"x\"\n\n\n",
    "model = \"x\"\n  \n\t",
    "\r\nmodel = \"x\"\r\n[a]\r\nb = 1\r\n",
    "[mcp_servers]\n",
    "[mcp_servers]",
    "[mcp_servers] # none yet\n\n",
    "[mcp_servers.a]\ncommand = \"x\"\n",
    "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.a.env]\nX = \"1\"\n[z]\ny = 1",
    "mcp_servers.a.command = \"x\"\n",
    "mcp_servers.\"a b\".command = \"x\"",
    "mcp_servers = { a = { command = \"x\" } }\n",
    "mcp_servers = { a = { command = \"x\" }, }\n",
    "mcp_servers = {a={command=\"x\"}}",
    "mcp_servers = {}\nb = 1\n",
    "mcp_servers = { }",
    "mcp_servers = {\n  a = { command = \"x\" }, # c\n}\n",
    "mcp_servers = {\n  a = { command = \"x\" } # c\n  ,\n}\n",
    "mcp_servers = {a.command = \"x\", a.args = [\"y\"]}\n",
    "text = \"\"\"\n[mcp_servers.git]\n\"\"\"\n",
    "'mcp_servers'.a = { command = 'x' }\n",
    "[ mcp_servers . \"a\" ]\ncommand = 'x'\nargs = [ # c\n 'y',\n]\n",
    "[[list]]\na = 1\n[[list]]\na = 2\n",
];

#[test]
fn nasty_toml_keeps_every_promise() {
    promises("codex", None, &entry());
    for text in TOML {
        promises("codex", Some(text.as_bytes()), &entry());
        let mut odd = entry();
        odd.name = "a.b \"c\" \u{7f}".to_owned();
        promises("codex", Some(text.as_bytes()), &odd);
    }
}

/// With `KEY` for the key of the servers; the second part has what is in them, for a mapping and for a list.
const YAML: &[&str] = &[
    "",
    "\n",
    " ",
    "\u{feff}",
    "# only a comment",
    "# only a comment\n",
    "---",
    "---\n",
    "---\n...\n",
    "--- # c\n# d\n",
    "a: 1",
    "a: 1 # c",
    "a: 1\n",
    "a: 1\n\n\n",
    "a: 1\r\nb:\r\n  - c\r\n",
    "  a: 1\n  b: 2\n",
    "---\na: 1\n...\n",
    "---\na: 1\n...\n# after\n",
    "a: |\n  text\n\n",
    "a: |+\n  text\n\n\n",
    "a: >-\n  text\n  more\n# c\n",
    "a: \"x\n  y\"\n",
    "a: &x {b: 1}\nc: *x\n",
    "a: !!str 1\n? b\n: c\n",
    "{}",
    "{}\n",
    "{a: 1}",
    "{a: 1,}\n",
    "{ a: 1 # c\n}\n",
    "KEY:",
    "KEY:\n",
    "KEY: # none yet\n",
    "KEY:\n# none yet\n",
    "KEY:\n  # none yet\nb: 1\n",
    "b: 1\n\"KEY\":\n",
    "'KEY' :\nb: 1",
    "a: 1\na: 2\n",
];

const YAML_MAPS: &[&str] = &[
    "extensions: {}\n",
    "extensions: { }",
    "extensions: {\n}\n",
    "{extensions: {}}",
    "{\"extensions\": {\"a\": {\"cmd\": \"x\"}}}",
    "extensions:\n  a:\n    cmd: x\n    args: [y, z]\n",
    "extensions:\n  a:\n    cmd: x",
    "extensions:\n    a:\n        cmd: x # c\n    # d\nb: 1\n",
    "extensions:\n a: &a\n  cmd: x\n b:\n  <<: *a\n",
    "extensions: {a: {cmd: x}, b: {cmd: y},}\nz: 1\n",
    "extensions:\r\n  'a b':\r\n    cmd: \"x\"\r\n",
    "extensions:\n  a:\n    cmd: x\n    description: |\n      long\n\n      text\n\nz: 1\n",
    "z: 1\nextensions:\n  a:\n    cmd: x\n    description: |+\n      long\n\n",
    "extensions:\n  a:\n    cmd: x\n  b:\n",
];

const YAML_LISTS: &[&str] = &[
    "mcpServers: []\n",
    "mcpServers: [ ]",
    "{mcpServers: []}",
    "{name: x, mcpServers: [{name: a, command: x}]}",
    "mcpServers:\n  - name: a\n    command: x\n",
    "mcpServers:\n- name: a\n  command: x\nz: 1",
    "mcpServers:\n-\n  name: a\n  command: x\n  args:\n  - y\n# c\n",
    "mcpServers:\n  - uses: foo/bar\n  - &a\n    name: a\n    command: x",
    "name: \"Local Assistant\"\nversion: \"1.0.0\"\nschema: v1\n",
    "name: \"Local Assistant\"\nversion: \"1.0.0\"\nschema: v1\n\n",
];

#[test]
fn nasty_yaml_keeps_every_promise() {
    let mut odd = entry();
    odd.name = "a.b: \"c\" #\u{7f}\u{85}\u{2028}".to_owned();
    for (client, key, own) in [
        ("goose", "extensions", YAML_MAPS),
        ("continue", "mcpServers", YAML_LISTS),
    ] {
        promises(client, None, &entry());
        for text in YAML.iter().chain(own) {
            let text = text.replace("KEY", key);
            promises(client, Some(text.as_bytes()), &entry());
            promises(client, Some(text.as_bytes()), &odd);
        }
    }
}

/// Entries of the same name in every form that somebody else may have written, and the file with ours in their place.
#[test]
fn another_value_goes_where_the_old_one_was() {
    let git = ServerEntry::new("git", "c");
    let section = "[mcp_servers.git]\ncommand = \"c\"\nargs = []";
    let inline = "{ command = \"c\", args = [] }";
    for (client, before, after) in [
        ("codex", "[mcp_servers.git]\ncommand = \"x\"\n# mine\n[mcp_servers.git.env]\nA = \"1\"\n[z]\n", format!("{section}\n# mine\n[z]\n")),
        ("codex", "a = 1\n[mcp_servers.git] # c\ncommand = \"x\"", format!("a = 1\n{section}")),
        ("codex", "[mcp_servers.git.env]\nA = \"1\"\n[z]\n[mcp_servers.git]\ncommand = \"x\"\n", format!("{section}\n[z]\n")),
        ("codex", "[mcp_servers]\n  git.command = \"x\"\n  git.args = []\n  a = 1\n", format!("[mcp_servers]\n  git = {inline}\n  a = 1\n")),
        ("codex", "mcp_servers.git.command = \"x\" # d\n[z]\n", format!("mcp_servers.git = {inline}\n[z]\n")),
        ("codex", "mcp_servers = { git = { command = \"x\" }, a = {} }\n", format!("mcp_servers = {{ git = {inline}, a = {{}} }}\n")),
        ("codex", "[mcp_servers]\ngit = \"x\" # c\n", format!("[mcp_servers]\ngit = {inline} # c\n")),
        ("cursor", "{\"mcpServers\": {\"git\": null, \"a\": {}}}", "{\"mcpServers\": {\"git\": {\"command\": \"c\", \"args\": []}, \"a\": {}}}".to_owned()),
        ("cursor", "{\"mcpServers\": {\"git\": 1, \"g\\u0069t\": 2 /* c */}}", "{\"mcpServers\": {\"git\": 1, \"g\\u0069t\": {\"command\": \"c\", \"args\": []} /* c */}}".to_owned()),
        ("continue", "mcpServers: [{name: git, url: x}, a] # c\n", "mcpServers: [{\"name\": \"git\", \"type\": \"stdio\", \"command\": \"c\", \"args\": []}, a] # c\n".to_owned()),
        ("continue", "mcpServers:\n- name: git\n  url: |\n    x\n- name: a\n", "mcpServers:\n- name: git\n  type: stdio\n  command: c\n  args: []\n- name: a\n".to_owned()),
    ] {
        let change = file(client, Some(before.as_bytes()))
            .and_then(|file| file.add(&git))
            .unwrap_or_else(|error| panic!("{error}\n{before}"));
        let text = String::from_utf8_lossy(change.after().unwrap_or_default()).into_owned();
        assert_eq!(text, after);
        let with = file(client, Some(text.as_bytes())).expect("it can be read");
        assert_eq!(with.entry("git"), Some(git.clone()));
    }
}

#[test]
fn what_others_refer_to_is_not_taken_away() {
    let text = "extensions:\n  git: &base\n    cmd: x\n  other: *base\n";
    let goose = file("goose", Some(text.as_bytes())).expect("it can be read");
    let error = goose
        .add(&entry())
        .expect_err("`other` would lose its value");
    assert!(error.to_string().contains("do it by hand"), "{error}");
    goose
        .remove("git")
        .expect_err("`other` would lose its value");
    let change = goose.remove("other").expect("nobody refers to it");
    assert_eq!(
        change.after(),
        Some(&text.as_bytes()[..text.find("  other").unwrap_or(0)])
    );
}

#[test]
fn all_entries_of_a_name_are_removed() {
    let text = "{\"mcpServers\": {\"git\": {\"command\": \"x\"}, \"a\": 1, \"git\": {}}}";
    let change = file("cursor", Some(text.as_bytes())).and_then(|file| file.remove("git"));
    let change = change.expect("they can be removed");
    assert_eq!(change.after(), Some(&b"{\"mcpServers\": {\"a\": 1}}"[..]));
}

#[test]
fn newer_files_of_opencode_keep_servers_further_in() {
    let newer = "{\n  \"mcp\": {\n    \"servers\": {},\n    \"timeout\": 5\n  }\n}\n";
    let after = promises("opencode", Some(newer.as_bytes()), &entry());
    assert!(
        after.contains("\"servers\": {\n      \"git\": {"),
        "{after}"
    );
    // A server that is called so is something else.
    let older = "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"x\"]}}}";
    let after = promises("opencode", Some(older.as_bytes()), &entry());
    assert!(
        after.starts_with(
            "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"x\"]}, \"git\""
        ),
        "{after}"
    );
}

#[test]
fn of_two_variables_of_one_name_the_last_one_counts() {
    let twice = ServerEntry::new("git", "c")
        .env("A", "1")
        .env("B", "2")
        .env("A", "3");
    let change = file("codex", None)
        .and_then(|file| file.add(&twice))
        .expect("it can be added");
    let with = file("codex", change.after()).expect("it can be read");
    assert_eq!(
        with.entry("git"),
        Some(ServerEntry::new("git", "c").env("A", "3").env("B", "2"))
    );
    assert!(with.add(&twice).expect("it can be added").is_nothing());
    let other_order = ServerEntry::new("git", "c").env("B", "2").env("A", "3");
    assert!(
        with.add(&other_order)
            .expect("it can be added")
            .is_nothing()
    );
}

#[test]
fn an_entry_that_starts_otherwise_keeps_what_a_person_or_the_client_put_into_it() {
    let files = [
        (
            "cline",
            r#"{"mcpServers": {"git": {"command": "stranger", "autoApprove": ["log"], "disabled": true}}}"#,
            [r#""autoApprove": ["log"]"#, r#""disabled": true"#],
        ),
        (
            "codex",
            "[mcp_servers.git]\ncommand = \"stranger\"\nenabled = false\n\n[mcp_servers.git.tools.log]\napproval_mode = \"approve\"\n",
            ["enabled = false", "log = { approval_mode = \"approve\" }"],
        ),
        (
            "goose",
            "extensions:\n  git:\n    cmd: stranger\n    timeout: 60\n    available_tools:\n      - log\n",
            ["timeout: 60", "available_tools:\n      - log\n"],
        ),
    ];
    for (client, before, kept) in files {
        let after = promises(client, Some(before.as_bytes()), &entry());
        for field in kept {
            assert_eq!(after.matches(field).count(), 1, "{after}");
        }
        assert!(!after.contains("stranger"), "{after}");
    }
}
