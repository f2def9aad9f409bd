//! The schema for editors and the parser agree.

use std::path::Path;

use charmer_config::{Config, SCHEMA};
use jsonschema::Validator;
use serde_json::Value;

const EXAMPLE: &str = include_str!("../../../../docs/charmer.example.yaml");

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

/// A file as an editor sees it.
fn as_json(yaml: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, options).expect("the file is YAML")
}

fn of_source(keys: &str) -> String {
    format!("sources: [{{binary: x, {keys}}}]")
}

fn of_command(keys: &str) -> String {
    of_source(&format!("override: {{a b: {{{keys}}}}}"))
}

fn of_flag(keys: &str) -> String {
    of_command(&format!("flags: {{f: {{{keys}}}}}"))
}

fn of_selector(keys: &str) -> String {
    of_source(&format!("select: [{{{keys}}}]"))
}

#[test]
fn the_example_names_the_schema() {
    let (first, _) = EXAMPLE.split_once('\n').expect("lines");
    let (_, path) = first.split_once("$schema=").expect("a reference");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let named = std::fs::read_to_string(docs.join(path)).expect("the schema is where it is said");
    assert_eq!(named, SCHEMA);
}

#[test]
fn the_example_is_valid_and_has_every_key() {
    let config = Config::parse(EXAMPLE, "charmer.example.yaml").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(config.sources.len(), 2);
    let validator = validator();
    let json = as_json(EXAMPLE);
    let errors: Vec<String> = validator
        .iter_errors(&json)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new());

    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mappings = schema["$defs"].as_object().expect("mappings").values();
    for mapping in mappings.chain([&schema]) {
        for key in mapping["properties"]
            .as_object()
            .into_iter()
            .flat_map(|keys| keys.keys())
        {
            let mentioned = EXAMPLE.lines().any(|line| {
                let line = line.trim_start_matches(['#', ' ', '-']);
                line.starts_with(&format!("{key}:")) || line.contains(key.as_str())
            });
            assert!(mentioned, "`{key}` is not in the example");
        }
    }
}

#[test]
fn what_the_parser_takes_the_schema_takes() {
    let validator = validator();
    for text in [
        "limits: {timeout: 30, grace: 0}".into(),
        "limits: {timeout: '30'}".into(),
        "server: {name: a, version: 1.10, instructions: b}".into(),
        "prompts: true".into(),
        of_source("expect: [{allow: get pods}, {deny: delete}]"),
        "hooks: {before: [./policy.py, --level, 3], timeout: 500ms}".into(),
        of_source("hooks: {after: [python3, mask.py, ''], error: [explain]}"),
        of_selector("hooks: {error: [explain]}"),
        "sources: [{spells: ./s, hooks: {before: [check]}}]".into(),
        "confine: auto".into(),
        "confine: off".into(),
        "confine: false".into(),
        "confine: {mode: names}".into(),
        "confine: {writable: [build, ~/.npm, '~', /srv]}".into(),
        of_source("credentials: []"),
        of_source(
            "network: none, credentials: [~/.aws, keys], confine: {mode: auto, writable: [.]}",
        ),
        of_source("set: {namespace: a}, undone_by: {namespace: [--all-namespaces, A]}"),
        of_selector("assume_effect: write, network: socket"),
        "spool: off".to_owned(),
        "http: {allow_origins: ['http://[::1]:3000/'], allow_hosts: [a.b:1], max_body: 1024}"
            .into(),
        "http: {end_timeout: 0, header_timeout: 1ms, max_calls: 1, per_principal: {max_calls: 1}}"
            .into(),
        "spool: false".into(),
        "limits: {capture: 65536, timeout: 24h, grace: 0s, queue: 0}".into(),
        "redact: {values: [12345, 1.10], environment: [A], patterns: [x]}".into(),
        "sources: [{spells: ./s}]".into(),
        "sources: [{spells: ./s, read_only: true}]".into(),
        of_source("prefix: ''"),
        of_source("environment: {inherit: all}"),
        of_source("environment: {inherit: []}"),
        of_source("environment: {set: {A: 1, B: true, C: x, D: ''}, remove: [E]}"),
        of_source("set: {--context: a, b: [1, c], c: true, d: 1.10}"),
        of_source("read_only: true, redirects: all"),
        of_source("completion: program"),
        of_source("redirects: [--context, n]"),
        of_source("redirects: none"),
        of_command("add: true"),
        of_command("description: 5, usage: 'a b [X]', examples: e, title: t, exclude: false"),
        of_command("effect: destroy, idempotent: true, open_world: false, runnable: true"),
        of_command("stdin: true, confirm: --yes, args: []"),
        of_command(
            "args: [{name: x, type: int, required: true, default: 1}, {name: 2, variadic: true}]",
        ),
        of_command("args: [{name: x, type: enum, enum: [a, 1], last: true, description: d}]"),
        of_command("flags: {--f: {add: true}, -g: {type: stringSlice, default: [a, 1.10, true]}}"),
        of_flag("type: string, enum: [], default: [], bare: true, repeat: comma, short: o"),
        of_flag("bare: ''"),
        of_flag("bare: 1, repeat: true, short: -o, global: true, exclude: false"),
        of_flag("bare: false, repeat: false, required: true, default: false, short: 1"),
        of_command("output: {format: json_lines}"),
        of_command(
            "output: {schema: {type: [object, 'null'], minProperties: 1, x: 1.5}, dialect: full}",
        ),
        of_command("output: {schema: a/b.json, format: table, dialect: portable, field: 1}"),
        of_command(
            "output: {schema: {enum: [1, null, true, [-2], 18446744073709551615]}, field: a.b-c_}",
        ),
        "structure: force".into(),
        "expose: index".into(),
        "expose: {mode: all, descriptions: none}".into(),
        "expose: {mode: index, pin: [get]}".into(),
        "expose: {budget: 1000, hide: ['**'], promote: true}".into(),
        of_selector("expose: pin"),
        "structure: off".into(),
        "structure: false".into(),
        "limits: {max_items: 1000000}".into(),
        of_selector("structure: off, max_items: 1"),
        of_selector("flags: all, inherited_flags: none"),
        of_selector("flags: {allow: [-o, output]}"),
        of_selector("confirm: -y"),
        of_selector("validate: [{argument: --name, max_items: 0}]"),
        of_selector("filter: [{pattern: x}, {pattern: y, replace: 1}]"),
        of_selector("retry: {times: 1}, assume_effect: read"),
    ] {
        let parsed = Config::parse(&text, "f").unwrap_or_else(|mistakes| panic!("{mistakes}"));
        assert!(validator.is_valid(&as_json(&text)), "{text}");
        // What is written is valid too, and means the same.
        let written = parsed.to_json();
        assert!(validator.is_valid(&as_json(&written)), "{written}");
        assert_eq!(
            Config::parse(&written, "f").unwrap_or_else(|m| panic!("{m}")),
            parsed
        );
    }
}

#[test]
fn what_the_schema_refuses_the_parser_refuses() {
    let validator = validator();
    let mut refused: Vec<String> = [
        "{}",
        "[]",
        "x",
        "null",
        "logg: {}",
        "log: {}",
        "log: {calls: yes}",
        "log: [calls]",
        "log:",
        "server: {}",
        "server: cluster",
        "server: {name: ''}",
        "server: {title: x}",
        "prompts: yes",
        "sources: [{binary: x, expect: []}]",
        "sources: [{binary: x, expect: [get]}]",
        "sources: [{binary: x, expect: [{allow: a, deny: b}]}]",
        "sources: [{binary: x, expect: [{allow: ''}]}]",
        "sources: [{spells: x, expect: [{allow: a}]}]",
        "spool: on",
        "spool: true",
        "spool: {}",
        "spool: {files: 0}",
        "spool: {size: 8 megs}",
        "limits: {timeout: -30}",
        "http: {}",
        "http: {allow_origins: [tools.example]}",
        "http: {allow_origins: ['*']}",
        "http: {allow_hosts: ['https://tools.example']}",
        "http: {allow_hosts: ['a b']}",
        "http: {max_calls: 0}",
        "http: {per_principal: {max_bodies: 1}}",
        "limits: {timeout: true}",
        "hooks: {}",
        "hooks: {befor: [x]}",
        "hooks: {before: ./x}",
        "hooks: {before: []}",
        "hooks: {before: [~/x]}",
        "hooks: {before: [x, [y]]}",
        "hooks: {timeout: 5s}",
        "confine: on",
        "confine: {}",
        "confine: {mode: kernel}",
        "confine: {writable: build}",
        "confine: {writable: []}",
        "confine: {writable: [~ann/x]}",
        "network: none",
        "limits: {timeout: 1.5s}",
        "limits: {timeout: ''}",
        "limits: {output: 10}",
        "limits: {output: 40k}",
        "limits: {concurrency: 0}",
        "limits: {concurrency: 1.5}",
        "limits: {queue: -1}",
        "limits: {max_items: 0}",
        "limits: {max_items: all}",
        "structure: true",
        "expose: some",
        "expose: {}",
        "expose: {mode: all, budget: 2000}",
        "expose: {mode: all, hide: [get]}",
        "expose: {mode: all, pin: [get]}",
        "expose: {mode: index, budget: 2000}",
        "expose: {budget: 999}",
        "expose: {pin: []}",
        "expose: {descriptions: long}",
        "sources: [{binary: x, select: [{expose: all}]}]",
        "structure: [force]",
        "structure: always",
        "structure:",
        "max_items: 3",
        "limits: {capture: 12}",
        "redact: {values: hunter2}",
        "redact: {values: []}",
        "redact: {values: ['']}",
        "redact: {environment: [A=b]}",
        "redact: {environment: [$A]}",
        "audit: {}",
        "audit: {fail_closed: true}",
        "audit: {file: [a]}",
        "audit: {file: a, fail_closed: 'true'}",
        "sources: []",
        "sources: {binary: x}",
        "sources: [x]",
        "sources: [{prefix: x}]",
        "sources: [{binary: x, spells: y}]",
        "sources: [{spells: y, prefix: x}]",
        "sources: [{spells: y, layout: nested}]",
        "sources: [{spells: y, layout: flat}]",
        "sources: [{spells: y, environment: {inherit: all}}]",
        "sources: [{spells: y, directory: d}]",
        "sources: [{spells: y, mcp_mode: true}]",
        "sources: [{spells: y, redirects: none}]",
        "sources: [{spells: y, set: {a: b}}]",
        "sources: [{spells: y, network: none}]",
        "sources: [{spells: y, credentials: [a]}]",
        "sources: [{spells: y, confine: auto}]",
        "sources: [{spells: y, undone_by: {a: [b]}}]",
        "sources: [{spells: y, override: {a: {effect: read}}}]",
        "sources: [{spells: y, select: [{commands: {allow: [a]}}]}]",
        "sources: [{binary: ''}]",
    ]
    .map(str::to_owned)
    .into();
    refused.extend(
        [
            "prefix: a b",
            "layout: flatt",
            "mcp_mode: 1",
            "completion: on",
            "network: some",
            "network: [tcp]",
            "credentials: ~/.aws",
            "credentials: ['']",
            "confine: always",
            "undone_by: {}",
            "undone_by: {a: b}",
            "undone_by: {a: []}",
            "undone_by: {'a b': [c]}",
            "set: {}",
            "set: {'a=b': c}",
            "set: {a: }",
            "set: {a: []}",
            "set: {a: {b: c}}",
            "directory: ''",
            "folder: ''",
            "folder: a, directory: b",
            "environment: {}",
            "environment: {inherit: some}",
            "environment: {set: [A]}",
            "environment: {set: {'A B': c}}",
            "environment: {remove: []}",
            "select: []",
            "select: [x]",
            "wheel: round",
            "read_only: 1",
            "redirects: some",
            "redirects: []",
            "redirects: ['a b']",
            "redirects: true",
            "override: {}",
            "override: [get]",
            "override: {get: }",
            "override: {get: {}}",
            "override: {get: read}",
            "override: {'get *': {effect: read}}",
            "override: {'': {effect: read}}",
        ]
        .map(of_source),
    );
    refused.extend(
        [
            "add: yes",
            "description: ''",
            "description: true",
            "effect: unknown",
            "confirm: yes",
            "args: {name: x}",
            "args: [x]",
            "args: [{type: int}]",
            "args: [{name: x, type: integr}]",
            "args: [{name: x, wheel: round}]",
            "output: {}",
            "output: json",
            "output: {format: xml}",
            "output: {format: [json]}",
            "output: {field: x}",
            "output: {format: json, field: x}",
            "output: {dialect: full}",
            "output: {schema: {}}",
            "output: {schema: ''}",
            "output: {schema: true}",
            "output: {schema: [a]}",
            "output: {schema: {type: object}, dialect: draft7}",
            "output: {schema: {type: object}, field: 'a b'}",
            "output: {schema: {type: object}, wheel: round}",
            "flags: {}",
            "flags: [f]",
            "flags: {'a b': {add: true}}",
            "flags: {f: {}}",
            "flags: {f: int}",
            "wheel: round",
        ]
        .map(of_command),
    );
    refused.extend(
        [
            "type: text",
            "type: 1",
            "enum: a",
            "enum: [true]",
            "enum: [[a]]",
            "default: {a: b}",
            "default: [[a]]",
            "default: ",
            "bare: [a]",
            "repeat: 2",
            "repeat: semicolon",
            "short: out",
            "short: '='",
            "global: 1",
            "wheel: round",
        ]
        .map(of_flag),
    );
    refused.extend(
        [
            "",
            "commands: {}",
            "commands: [ps]",
            "commands: {allow: [a], exclude: [b]}",
            "commands: {allow: []}",
            "commands: {allow: a}",
            "flags: some",
            "flags: {allow: []}",
            "flags: {allow: [a], exclude: [b]}",
            "flags: {allow: ['a b']}",
            "timeout: soon",
            "rate_limit: {calls: 1}",
            "rate_limit: {calls: 0, per: 1s}",
            "retry: {times: 11}",
            "retry: {wait: 1s}",
            "concurrency: 0",
            "concurrency: 1, serialize: x",
            "serialize: ''",
            "confirm: yes",
            "stdin: 1",
            "validate: []",
            "validate: [{argument: a}]",
            "validate: [{pattern: a}]",
            "validate: [{argument: a, pattern: b, forbid: c}]",
            "validate: [{argument: a, max_items: -1}]",
            "filter: [{replace: x}]",
            "structure: forced",
            "max_items: 1.5",
            "max_items: 0",
            "effect: unknown",
            "assume_effect: unknown",
            "assume_effect: read, effect: read",
            "network: udp",
        ]
        .map(of_selector),
    );
    for text in refused {
        assert!(
            !validator.is_valid(&as_json(&text)),
            "the schema takes {text}"
        );
        assert!(
            Config::parse(&text, "f").is_err(),
            "the parser takes {text}"
        );
    }
}

#[test]
fn the_files_in_the_documents_are_valid() {
    let validator = validator();
    for document in [
        include_str!("../../../../docs/start.md"),
        include_str!("../../../../docs/security.md"),
        include_str!("../../../../docs/hooks.md"),
    ] {
        let blocks: Vec<&str> = document.split("```yaml\n").skip(1).collect();
        assert!(!blocks.is_empty(), "there are examples");
        for block in blocks {
            let (file, _) = block.split_once("```").expect("a block ends");
            Config::parse(file, "charmer.yaml").unwrap_or_else(|e| panic!("{e}"));
            assert!(validator.is_valid(&as_json(file)), "{file}");
        }
    }
}
