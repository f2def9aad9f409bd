//! Mistakes under `override`, as a person sees them.

use charmer_config::{Config, Profile};
use insta::assert_snapshot;

fn mistakes(corrections: &str) -> String {
    let text = format!("sources:\n- binary: ship\n  override:\n{corrections}");
    match Config::parse(&text, "charmer.yaml") {
        Ok(config) => panic!("it was read: {config:?}"),
        Err(mistakes) => mistakes.to_string(),
    }
}

#[test]
fn keys_and_types_that_are_none() {
    assert_snapshot!(mistakes("    load:\n      about: Loads\n      flags:\n        depth: {type: integr}\n        size: {tpye: int}\n"), @r"
    error: unknown key `about`
     --> charmer.yaml:5:7
      |
    5 |       about: Loads
      |       ^^^^^
      |
      = help: did you mean `description`?

    error: `integr` is no type
     --> charmer.yaml:7:23
      |
    7 |         depth: {type: integr}
      |                       ^^^^^^
      |
      = help: did you mean `integer`?

    error: unknown key `tpye`
     --> charmer.yaml:8:16
      |
    8 |         size: {tpye: int}
      |                ^^^^
      |
      = help: did you mean `type`?
    ");
}

#[test]
fn what_a_switch_cannot_have() {
    assert_snapshot!(mistakes("    load:\n      flags:\n        dry: {type: bool, bare: x, enum: [a]}\n        colour: {type: enum}\n"), @r"
    error: a switch has no value, so `bare` means nothing
     --> charmer.yaml:6:27
      |
    6 |         dry: {type: bool, bare: x, enum: [a]}
      |                           ^^^^
      |
      = help: remove it, or correct the `type`

    error: a switch has no value, so `enum` means nothing
     --> charmer.yaml:6:36
      |
    6 |         dry: {type: bool, bare: x, enum: [a]}
      |                                    ^^^^
      |
      = help: remove it, or correct the `type`

    error: `type: enum` needs the key `enum`
     --> charmer.yaml:7:24
      |
    7 |         colour: {type: enum}
      |                        ^^^^
      |
      = help: list the values: `enum: [table, json]`
    ");
}

#[test]
fn positionals() {
    assert_snapshot!(mistakes("    load:\n      args:\n        - {name: cargo, type: stringSlice}\n        - {name: cargo}\n        - {required: true}\n"), @r"
    error: a positional cannot be a `stringSlice`
     --> charmer.yaml:6:31
      |
    6 |         - {name: cargo, type: stringSlice}
      |                               ^^^^^^^^^^^
      |
      = help: name the type of one value, and write `variadic: true` for several

    error: `args` has `cargo` twice
     --> charmer.yaml:7:11
      |
    7 |         - {name: cargo}
      |           ^
      |
      = help: give each positional a name of its own

    error: `args` needs the key `name`
     --> charmer.yaml:8:12
      |
    8 |         - {required: true}
      |            ^^^^^^^^
      |
      = help: add `name: ...`
    ");
}

#[test]
fn commands_that_are_none_or_there_twice() {
    assert_snapshot!(mistakes("    'quay *': {effect: read}\n    quay load: {effect: read}\n    quay/load: {exclude: true}\n    list: {flags: {-o: {short: oh}, o: {repeat: often}}}\n"), @r"
    error: `quay *` is no command
     --> charmer.yaml:4:5
      |
    4 |     'quay *': {effect: read}
      |     ^^^^^^^^
      |
      = help: a correction is for one command; wildcards are for `select`

    error: `quay/load` stands here twice
     --> charmer.yaml:6:5
      |
    6 |     quay/load: {exclude: true}
      |     ^^^^^^^^^
      |
      = help: put all corrections of a command into one entry

    error: `oh` is no letter
     --> charmer.yaml:7:32
      |
    7 |     list: {flags: {-o: {short: oh}, o: {repeat: often}}}
      |                                ^^
      |
      = help: write one letter, like `short: o`

    error: `o` stands here twice
     --> charmer.yaml:7:37
      |
    7 |     list: {flags: {-o: {short: oh}, o: {repeat: often}}}
      |                                     ^
      |
      = help: put all corrections of a flag into one entry
    ");
}

#[test]
fn phrases_and_their_commands_stand_once() {
    let text = "sources:\n- binary: ship\n  phrases:\n    load, sail: all aboard; all aboard\n    sail,: [off]\n";
    let mistakes = Config::parse(text, "charmer.yaml").expect_err("it is wrong");
    assert_snapshot!(mistakes, @r"
    error: `all aboard` stands here twice
     --> charmer.yaml:4:17
      |
    4 |     load, sail: all aboard; all aboard
      |                 ^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: write each phrase once, like `what happened lately; latest changes`

    error: `sail` has phrases already
     --> charmer.yaml:5:5
      |
    5 |     sail,: [off]
      |     ^^^^^
      |
      = help: write each command once, like `status, log`

    error: a command is missing between commas
     --> charmer.yaml:5:5
      |
    5 |     sail,: [off]
      |     ^^^^^
      |
      = help: write each command once, like `status, log`
    ");
}

#[test]
fn options_that_no_help_lists_are_written_as_help_would() {
    let text = |options: &str| {
        format!(
            "program: ship\nunlisted:\n  - shown_by: ['<range>']\n    options: |\n      {options}\n"
        )
    };
    let profile = Profile::parse(&text("-n, --count=<number>  How many"), "ship.yaml");
    let unlisted = profile.expect("it is right").unlisted;
    assert_eq!(unlisted[0].shown_by, ["<range>"]);
    assert_eq!(unlisted[0].options, ["-n, --count=<number>  How many"]);
    let mistakes = Profile::parse(&text("count: how many"), "ship.yaml").expect_err("no option");
    assert_eq!(mistakes[0].line, 5);
    assert_eq!(
        mistakes[0].message,
        "`count: how many` is no option and what it does"
    );
    let missing = Profile::parse(
        "program: ship\nunlisted: [{options: '-x  Y'}]\n",
        "ship.yaml",
    );
    let missing = missing.expect_err("nothing shows who takes it").to_string();
    assert!(missing.contains("shown_by"), "{missing}");
}
