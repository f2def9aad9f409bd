//! Mistakes as a person sees them.

use charmer_config::Config;
use insta::assert_snapshot;

fn mistakes(text: &str) -> String {
    match Config::parse(text, "charmer.yaml") {
        Ok(config) => panic!("it was read: {config:?}"),
        Err(mistakes) => mistakes.to_string(),
    }
}

#[test]
fn an_unknown_key() {
    assert_snapshot!(mistakes("limits:\n  timeuot: 30s\n"), @r"
    error: unknown key `timeuot`
     --> charmer.yaml:2:3
      |
    2 |   timeuot: 30s
      |   ^^^^^^^
      |
      = help: did you mean `timeout`?
    ");
}

#[test]
fn a_key_of_the_source_in_a_selector() {
    assert_snapshot!(mistakes("sources:\n  - binary: gh\n    select:\n      - confine: names\n"), @r"
    error: unknown key `confine`
     --> charmer.yaml:4:9
      |
    4 |       - confine: names
      |         ^^^^^^^
      |
      = help: `confine` is for a whole program: put it beside `binary` and `select`
    ");
}

#[test]
fn hooks_that_name_no_program() {
    assert_snapshot!(mistakes("hooks: {befor: [a], after: ./mask.py, error: [], timeout: 1h}\n"), @r"
    error: unknown key `befor`
     --> charmer.yaml:1:9
      |
    1 | hooks: {befor: [a], after: ./mask.py, error: [], timeout: 1h}
      |         ^^^^^
      |
      = help: did you mean `before`?

    error: `after` must be a list, and this is text
     --> charmer.yaml:1:28
      |
    1 | hooks: {befor: [a], after: ./mask.py, error: [], timeout: 1h}
      |                            ^^^^^^^^^
      |
      = help: put it in brackets: `after: [...]`

    error: the list `error` is empty
     --> charmer.yaml:1:46
      |
    1 | hooks: {befor: [a], after: ./mask.py, error: [], timeout: 1h}
      |                                              ^
      |
      = help: name a program, as in `[./policy.py, --strict]`

    error: `timeout` must be between 1ms and 5m
     --> charmer.yaml:1:59
      |
    1 | hooks: {befor: [a], after: ./mask.py, error: [], timeout: 1h}
      |                                                           ^^
    ");
    assert_snapshot!(mistakes("sources:\n  - binary: git\n    hooks: {timeout: 5s}\n"), @r"
    error: `hooks` names no program
     --> charmer.yaml:3:13
      |
    3 |     hooks: {timeout: 5s}
      |             ^^^^^^^
      |
      = help: add `before`, `after` or `error`, as in `before: [./policy.py]`
    ");
    assert_snapshot!(mistakes("hooks: {before: [~/policy.py]}\n"), @r"
    error: `~/policy.py` is no program: `~` has no meaning here
     --> charmer.yaml:1:18
      |
    1 | hooks: {before: [~/policy.py]}
      |                  ^^^^^^^^^^^
      |
      = help: write the folder out, or a path from the folder of this file
    ");
}

#[test]
fn a_key_of_another_program() {
    assert_snapshot!(mistakes("sources:\n  - binary: gh\n    env: {set: {A: b}}\n    wheel: round\n"), @r"
    error: unknown key `env`
     --> charmer.yaml:3:5
      |
    3 |     env: {set: {A: *}}
      |     ^^^
      |
      = help: did you mean `environment`?

    error: unknown key `wheel`
     --> charmer.yaml:4:5
      |
    4 |     wheel: round
      |     ^^^^^
      |
      = help: the keys here are `binary`, `spells`, `prefix`, `layout`, `environment`, `folder`, `directory`, `mcp_mode`, `completion`, `read_only`, `redirects`, `network`, `credentials`, `confine`, `set`, `undone_by`, `hooks`, `ask`, `drafts`, `helpers`, `caches`, `prints_secrets`, `long_running`, `common`, `phrases`, `repeated`, `json`, `preview`, `override`, `select` and `expect`
    ");
}

#[test]
fn a_wrong_type() {
    assert_snapshot!(mistakes("sources:\n  binary: kubectl\n"), @r"
    error: `sources` must be a list, and this is a mapping
     --> charmer.yaml:2:3
      |
    2 |   binary: kubectl
      |   ^
      |
      = help: add an entry like `- binary: kubectl`
    ");
}

#[test]
fn durations() {
    assert_snapshot!(mistakes(
        "limits:\n  timeout: 1.5\n  grace: 5 minutes\nspool:\n  lifetime: 1000d\n"
    ), @r"
    error: `timeout` must be a duration, and this is a number
     --> charmer.yaml:2:12
      |
    2 |   timeout: 1.5
      |            ^^^
      |
      = help: write it like `30` (seconds), `30s`, `5m` or `1h30m`

    error: `5 minutes` is no duration
     --> charmer.yaml:3:10
      |
    3 |   grace: 5 minutes
      |          ^^^^^^^^^
      |
      = help: write it like `30` (seconds), `30s`, `5m` or `1h30m`

    error: `lifetime` must be between 1ms and 30d
     --> charmer.yaml:5:13
      |
    5 |   lifetime: 1000d
      |             ^^^^^
    ");
}

#[test]
fn a_timeout_that_is_none() {
    assert_snapshot!(mistakes(
        "sources: [{binary: gh, select: [{timeout: 0s}]}]\nlimits: {timeout: -1, grace: 99999999999999999999h}\n"
    ), @r"
    error: `timeout` must be between 1ms and 1d
     --> charmer.yaml:1:43
      |
    1 | sources: [{binary: gh, select: [{timeout: 0s}]}]
      |                                           ^^

    error: `-1` is no duration
     --> charmer.yaml:2:19
      |
    2 | limits: {timeout: -1, grace: 99999999999999999999h}
      |                   ^^
      |
      = help: write it like `30` (seconds), `30s`, `5m` or `1h30m`

    error: `grace` must be between 0s and 1h
     --> charmer.yaml:2:30
      |
    2 | limits: {timeout: -1, grace: 99999999999999999999h}
      |                              ^^^^^^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn sizes() {
    assert_snapshot!(mistakes("limits:\n  capture: 8 megs\n  output: 40k\nspool: {size: 12}\n"), @r"
    error: `8 megs` is no size
     --> charmer.yaml:2:12
      |
    2 |   capture: 8 megs
      |            ^^^^^^
      |
      = help: write it like `64kB`, `8MiB` or `1GiB`, or as a number of bytes

    error: `output` must be a whole number, and this is text
     --> charmer.yaml:3:11
      |
    3 |   output: 40k
      |           ^^^

    error: `size` must be between 1KiB and 100GiB
     --> charmer.yaml:4:15
      |
    4 | spool: {size: 12}
      |               ^^
    ");
}

#[test]
fn a_bad_pattern() {
    assert_snapshot!(mistakes("redact:\n  patterns: ['ghp_(', 'x*']\n"), @r"
    error: `patterns` is no regular expression: found open group without closing ')'
     --> charmer.yaml:2:14
      |
    2 |   patterns: ['ghp_(', 'x*']
      |              ^^^^^^^
      |
      = help: put it in single quotes, and write `\` before a character that is meant as such

    error: this pattern matches empty text
     --> charmer.yaml:2:23
      |
    2 |   patterns: ['ghp_(', 'x*']
      |                       ^^^^
      |
      = help: everything would be redacted: use `+` in the place of `*`
    ");
}

#[test]
fn a_key_that_stands_twice_hides_nothing_else() {
    assert_snapshot!(mistakes("log: {calls: true}\nlog: {calls: false}\nlimits: {queue: many}\n"), @r"
    error: the key `log` stands here a second time
     --> charmer.yaml:2:1
      |
    2 | log: {calls: false}
      | ^^^
      |
      = help: keep one of the two

    error: `queue` must be a whole number, and this is text
     --> charmer.yaml:3:17
      |
    3 | limits: {queue: many}
      |                 ^^^^
    ");
}

#[test]
fn two_rules() {
    assert_snapshot!(mistakes(
        "sources:\n  - binary: docker\n    spells: ./spells\n    select:\n      - commands:\n          allow: [ps]\n          exclude: [rm]\n"
    ), @r"
    error: `binary` and `spells` cannot stand together
     --> charmer.yaml:3:5
      |
    3 |     spells: ./spells
      |     ^^^^^^
      |
      = help: keep one of them; a second rule is a second entry of the list

    error: `allow` and `exclude` cannot stand together
     --> charmer.yaml:7:11
      |
    7 |           exclude: [rm]
      |           ^^^^^^^
      |
      = help: keep one of them; a second rule is a second entry of the list
    ");
}

#[test]
fn keys_that_spells_do_not_have() {
    assert_snapshot!(mistakes(
        "sources:\n  - spells: ./spells\n    layout: nested\n    read_only: true\n    mcp_mode: false\n"
    ), @r"
    error: `layout` has no meaning for spells
     --> charmer.yaml:3:5
      |
    3 |     layout: nested
      |     ^^^^^^
      |
      = help: remove it: each spell's file says what is permitted and where it runs

    error: `mcp_mode` has no meaning for spells
     --> charmer.yaml:5:5
      |
    5 |     mcp_mode: false
      |     ^^^^^^^^
      |
      = help: remove it: each spell's file says what is permitted and where it runs
    ");
}

#[test]
fn no_rule_at_all() {
    assert_snapshot!(mistakes(
        "sources:\n  - prefix: d\n    select:\n      - validate:\n          - argument: name\n"
    ), @r"
    error: `source` needs one of `binary` and `spells`
     --> charmer.yaml:2:5
      |
    2 |   - prefix: d
      |     ^^^^^^
      |
      = help: add one of them

    error: `validate` needs one of `pattern`, `forbid` and `max_items`
     --> charmer.yaml:5:13
      |
    5 |           - argument: name
      |             ^^^^^^^^
      |
      = help: add one of them
    ");
}

#[test]
fn empty_lists() {
    assert_snapshot!(mistakes(
        "sources:\n  - binary: ls\n    select:\n      - flags: {allow: []}\n        commands: {allow: []}\nredact: {}\naudit:\n"
    ), @r"
    error: the list `allow` is empty
     --> charmer.yaml:4:24
      |
    4 |       - flags: {allow: []}
      |                        ^
      |
      = help: write `flags: none` for no flags, or remove the key for all

    error: the list `allow` is empty
     --> charmer.yaml:5:27
      |
    5 |         commands: {allow: []}
      |                           ^
      |
      = help: name a command, or remove the key

    error: `redact` is empty
     --> charmer.yaml:6:9
      |
    6 | redact: {}
      |         ^
      |
      = help: its keys are `values`, `environment` and `patterns`

    error: `audit` has no value
     --> charmer.yaml:7:6
      |
    7 | audit:
      |      ^
      |
      = help: its keys are `file`, `fail_closed`, `rotate` and `keep`
    ");
}

#[test]
fn booleans_of_another_age() {
    assert_snapshot!(mistakes("log:\n  calls: yes\naudit: {file: a, fail_closed: 'true'}\nspool: on\n"), @r"
    error: `calls` must be `true` or `false`, and this is text
     --> charmer.yaml:2:10
      |
    2 |   calls: yes
      |          ^^^
      |
      = help: write `true`

    error: `fail_closed` must be `true` or `false`, and this is text
     --> charmer.yaml:3:31
      |
    3 | audit: {file: a, fail_closed: 'true'}
      |                               ^^^^^^
      |
      = help: write `true`

    error: `spool` must be a mapping or `off`, and this is text
     --> charmer.yaml:4:8
      |
    4 | spool: on
      |        ^^
      |
      = help: its keys are `size`, `files` and `lifetime`
    ");
}

#[test]
fn rules_that_match_nothing() {
    assert_snapshot!(mistakes(
        "sources:\n  - binary: docker\n    select:\n      - commands: {allow_glob: [container *]}\n      - commands: {exclude: [image/*]}\n      - commands: {allow_containing: [image ls]}\n      - effect: delete\n      - commands: {allow: [ps]}\n"
    ), @r"
    error: `container *` matches no command
     --> charmer.yaml:4:33
      |
    4 |       - commands: {allow_glob: [container *]}
      |                                 ^^^^^^^^^^^
      |
      = help: in globs levels are separated by `/`: `container/*`

    error: `image/*` matches no command
     --> charmer.yaml:5:30
      |
    5 |       - commands: {exclude: [image/*]}
      |                              ^^^^^^^
      |
      = help: `allow_glob` and `exclude_glob` know wildcards

    error: `image ls` matches no command
     --> charmer.yaml:6:39
      |
    6 |       - commands: {allow_containing: [image ls]}
      |                                       ^^^^^^^^
      |
      = help: it compares single words: use `allow` or `exclude` for paths

    error: `effect` cannot be `delete`
     --> charmer.yaml:7:17
      |
    7 |       - effect: delete
      |                 ^^^^^^
      |
      = help: write one of `read`, `write` and `destroy`

    error: no command gets to this entry
     --> charmer.yaml:8:9
      |
    8 |       - commands: {allow: [ps]}
      |         ^^^^^^^^
      |
      = help: the one before it has no `commands`, so it decides for all: put it last
    ");
}

#[test]
fn things_that_cannot_stand_together() {
    assert_snapshot!(mistakes(
        "sources:\n  - binary: gh\n    select:\n      - effect: write\n        retry: {times: 2}\n        serialize: gh\n        concurrency: 3\n        confirm: yes\n"
    ), @r"
    error: `retry` is for commands that only read
     --> charmer.yaml:5:9
      |
    5 |         retry: {times: 2}
      |         ^^^^^
      |
      = help: remove it: what changes something must not be done twice by itself

    error: `concurrency` and `serialize` cannot stand together
     --> charmer.yaml:7:9
      |
    7 |         concurrency: 3
      |         ^^^^^^^^^^^
      |
      = help: `serialize` lets one call run at a time already: keep one of them

    error: `yes` is no flag
     --> charmer.yaml:8:18
      |
    8 |         confirm: yes
      |                  ^^^
      |
      = help: name the flag that answers the question, like `confirm: --yes`
    ");
}

#[test]
fn confinement_is_said_in_words_that_are_known() {
    assert_snapshot!(mistakes(
        "confine: {mode: kernal, writable: [~ann/x]}\nsources:\n  - binary: gh\n    network: udp\n    credentials: ~/.config/gh\n    confine: on\n    select:\n      - {effect: read, assume_effect: read, network: tpc}\n"
    ), @r"
    error: `mode` cannot be `kernal`
     --> charmer.yaml:1:17
      |
    1 | confine: {mode: kernal, writable: [~ann/x]}
      |                 ^^^^^^
      |
      = help: write one of `auto`, `names` and `off`

    error: `~ann/x` names the home folder of somebody else
     --> charmer.yaml:1:36
      |
    1 | confine: {mode: kernal, writable: [~ann/x]}
      |                                    ^^^^^^
      |
      = help: write that folder out; `~/` is your own

    error: `network` cannot be `udp`
     --> charmer.yaml:4:14
      |
    4 |     network: udp
      |              ^^^
      |
      = help: write one of `none`, `tcp`, `socket` and `all`

    error: `credentials` must be a list, and this is text
     --> charmer.yaml:5:18
      |
    5 |     credentials: ~/.config/gh
      |                  ^^^^^^^^^^^^
      |
      = help: put it in brackets: `credentials: [...]`

    error: `confine` cannot be `on`
     --> charmer.yaml:6:14
      |
    6 |     confine: on
      |              ^^
      |
      = help: write one of `auto`, `names` and `off`

    error: `effect` and `assume_effect` cannot stand together
     --> charmer.yaml:8:10
      |
    8 |       - {effect: read, assume_effect: read, network: tpc}
      |          ^^^^^^
      |
      = help: remove `effect`: it is the old name of the same key

    error: `network` cannot be `tpc`
     --> charmer.yaml:8:54
      |
    8 |       - {effect: read, assume_effect: read, network: tpc}
      |                                                      ^^^
      |
      = help: did you mean `tcp`?
    ");
}

#[test]
fn an_effect_in_select_is_told_its_new_name() {
    let text = "sources:\n  - binary: gh\n    override: {pr list: {effect: read}}\n    select: [{effect: read}]\n";
    let config = charmer_config::Config::parse(text, "charmer.yaml").expect("it still works");
    assert_eq!(
        config.sources[0].select[0].assume_effect,
        Some(charmer_core::model::Effect::Read)
    );
    assert_snapshot!(config.advice.expect("a warning"), @r"
    warning: `effect` in `select` chooses no commands: it says what they do
     --> charmer.yaml:4:15
      |
    4 |     select: [{effect: read}]
      |               ^^^^^^
      |
      = help: write `assume_effect: read`, its name now; `read_only: true` is what chooses
    ");
    let text = text.replace("select: [{effect", "select: [{assume_effect");
    let renamed = charmer_config::Config::parse(&text, "charmer.yaml").expect("it is right");
    assert_eq!(renamed.advice, None);
    assert_eq!(renamed.sources, config.sources);
}

#[test]
fn a_secret_is_not_in_the_picture() {
    let shown = mistakes(
        "redact:\n  values: hunter2\nsources: [{binary: x, environment: {set: {T: [s3cret]}}}]\n",
    );
    assert!(!shown.contains("hunter2") && !shown.contains("s3cret"));
    assert_snapshot!(shown, @r"
    error: `values` must be a list, and this is text
     --> charmer.yaml:2:11
      |
    2 |   values: *******
      |           ^^^^^^^
      |
      = help: put it in brackets: `values: [...]`

    error: `T` must be text, and this is a list
     --> charmer.yaml:3:46
      |
    3 | sources: [{binary: x, environment: {set: {T: [******]}}}]
      |                                              ^
    ");
}

#[test]
fn a_slip_in_a_key_shows_no_secret() {
    for text in [
        "redact: {value: [hunter2]}",
        "redact: {secrets: hunter2}",
        "redacts: {values: [hunter2]}",
        "sources: [{binary: x, enviroment: {set: {A: hunter2}}}]",
        "sources: [{binary: x, environment: {sets: {A: hunter2}}}]",
        "redact: {values: [{a: hunter2}]}",
        "sources: [{binary: x, environment: {set: {A: [hunter2]}}}]",
    ] {
        let parsed = Config::parse(text, "charmer.yaml");
        let mistakes = parsed.expect_err("a mistake");
        let json = serde_json::to_string(&mistakes).expect("it is data");
        for shown in [mistakes.to_string(), json, format!("{mistakes:?}")] {
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}

#[test]
fn several_documents() {
    assert_snapshot!(mistakes("log: {calls: true}\n---\nlog: {calls: false}\n"), @r"
    error: a second document begins here
     --> charmer.yaml:3:1
      |
    3 | log: {calls: false}
      | ^
      |
      = help: a file holds one document: remove the line `---` or `...` above
    ");
}

#[test]
fn a_tab() {
    assert_snapshot!(mistakes("log:\n\tcalls: true\n"), @r"
    error: this is no valid YAML: tabs disallowed within this context (block indentation)
     --> charmer.yaml:2:2
      |
    2 |     calls: true
      |     ^
      |
      = help: indent with spaces
    ");
}

#[test]
fn brackets_and_quotes() {
    assert_snapshot!(mistakes("sources: [{binary: gh}\nlog: {calls: true}\n"), @r"
    error: this is no valid YAML: illegal placement of ':' indicator
     --> charmer.yaml:2:4
      |
    2 | log: {calls: true}
      |    ^
      |
      = help: check the indentation, the brackets and the quotes up to here
    ");
    assert_snapshot!(mistakes("redact:\n  patterns: ['it's']\n"), @r"
    error: this is no valid YAML: invalid trailing content after single-quoted scalar
     --> charmer.yaml:2:18
      |
    2 |   patterns: ['it's']
      |                  ^
      |
      = help: put the whole value in quotes, and double a `'` inside of single ones
    ");
    assert_snapshot!(mistakes("audit:\n  file: C: drive\n"), @r"
    error: this is no valid YAML: mapping values are not allowed in this context
     --> charmer.yaml:2:10
      |
    2 |   file: C: drive
      |          ^
      |
      = help: put a value that contains `: ` in quotes, and check the indentation
    ");
}

#[test]
fn aliases() {
    assert_snapshot!(mistakes("limits: *defaults\n"), @r"
    error: this alias stands for nothing
     --> charmer.yaml:1:9
      |
    1 | limits: *defaults
      |         ^
      |
      = help: define it above with `&name`, or put the value in quotes if it should begin with `*`
    ");
    assert_snapshot!(mistakes("sources: &a [*a]\n"), @r"
    error: this alias stands for something that contains it
     --> charmer.yaml:1:14
      |
    1 | sources: &a [*a]
      |              ^^
      |
      = help: write the value out
    ");
    assert_snapshot!(mistakes("limits: &l {timeout: soon}\nspool: *l\n"), @r"
    error: `soon` is no duration
     --> charmer.yaml:1:22
      |
    1 | limits: &l {timeout: soon}
      |                      ^^^^
      |
      = help: write it like `30` (seconds), `30s`, `5m` or `1h30m`

    error: unknown key `timeout`
     --> charmer.yaml:2:8
      |
    2 | spool: *l
      |        ^^
      |
      = help: the keys here are `size`, `files` and `lifetime`
    ");
}

#[test]
fn tags_and_empty_files() {
    assert_snapshot!(mistakes("log: !!python/object:os.system {calls: true}\n"), @r"
    error: this is no valid YAML: unsupported tag `!!python/object:os.system`
     --> charmer.yaml:1:32
      |
    1 | log: !!python/object:os.system {calls: true}
      |                                ^
      |
      = help: remove the word that begins with `!`, or put it in quotes
    ");
    assert_snapshot!(mistakes("# nothing yet\n"), @r"
    error: the file says nothing
     --> charmer.yaml:1:1
      |
    1 | # nothing yet
      | ^
      |
      = help: begin with `sources:` and, below it, `  - binary: NAME`
    ");
    assert_snapshot!(mistakes("- binary: gh\n"), @r"
    error: `charmer.yaml` must be a mapping, and this is a list
     --> charmer.yaml:1:1
      |
    1 | - binary: gh
      | ^
      |
      = help: its keys are `include`, `sources`, `server`, `limits`, `structure`, `results`, `expose`, `prompts`, `confine`, `drafts`, `hooks`, `ask`, `redact`, `audit`, `spool`, `http`, `principals` and `log`
    ");
}

#[test]
fn names_that_a_terminal_would_act_on() {
    let shown = mistakes("\"a\\u001b[31m\\u202e\": 1\n");
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
        "{shown}"
    );
}

#[test]
fn colour_is_asked_for() {
    let mistakes = Config::parse("lgo: {calls: true}", "charmer.yaml").expect_err("a mistake");
    assert!(mistakes.render(true).contains("\u{1b}["));
    assert!(!mistakes.render(false).contains('\u{1b}'));
}

#[test]
fn programs_get_json() {
    let mistakes =
        Config::parse("log:\n  cals: true\n", "dir/charmer.yaml").expect_err("a mistake");
    let json = serde_json::to_string_pretty(&mistakes).expect("it is data");
    assert_snapshot!(json, @r#"
    [
      {
        "file": "dir/charmer.yaml",
        "line": 2,
        "column": 3,
        "message": "unknown key `cals`",
        "hint": "did you mean `calls`?"
      }
    ]
    "#);
}

#[test]
fn places_are_counted_in_characters_and_without_a_byte_order_mark() {
    let text = "\u{feff}redact: {values: [é, ü], patern: x}\r\nlog: {calls: 1}\r\n";
    let mistakes = Config::parse(text, "charmer.yaml").expect_err("mistakes");
    let places: Vec<_> = mistakes
        .iter()
        .map(|mistake| (mistake.line, mistake.column))
        .collect();
    assert_eq!(places, [(1, 26), (2, 14)]);
}
