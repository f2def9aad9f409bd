//! Mistakes as a person sees them.

use insta::assert_snapshot;

use charmer_run::process::Environment;
use charmer_spells::{Context, Spell};

use crate::support::{Project, read, text};

fn mistakes(keys: &str) -> String {
    read(keys)
        .mistakes
        .unwrap_or_else(|| panic!("it was read: {keys}"))
        .to_string()
}

#[test]
fn a_picture_of_the_line() {
    assert_snapshot!(mistakes("command: echo\nflgas: [-v]\npaths: /tmp\n"), @r"
    error: unknown key `flgas`
     --> t.yaml:4:1
      |
    4 | flgas: [-v]
      | ^^^^^
      |
      = help: did you mean `flags`?

    error: `paths` must be a list, and this is text
     --> t.yaml:5:8
      |
    5 | paths: /tmp
      |        ^^^^
      |
      = help: put its elements in brackets: `paths: [...]`
    ");
}

#[test]
fn json_is_asked_for_only_with_the_authors_words() {
    assert_snapshot!(mistakes("command: echo\nstructure: force\noutput: {format: jsn}\n"), @r"
    error: `structure: force` needs `json` beside it
     --> t.yaml:4:12
      |
    4 | structure: force
      |            ^^^^^
      |
      = help: nobody has read this program's flags: say what makes it print JSON, as in `json: [--output=json]`

    error: `format` cannot be `jsn`
     --> t.yaml:5:18
      |
    5 | output: {format: jsn}
      |                  ^^^
      |
      = help: did you mean `json`?
    ");
}

#[test]
fn what_is_missing() {
    let read = Spell::parse("flags: []\n", "t.yaml", &Context::default());
    assert_snapshot!(read.mistakes.expect("some").to_string(), @r"
    error: `spell` needs the key `name`
     --> t.yaml:1:1
      |
    1 | flags: []
      | ^^^^^
      |
      = help: add `name: ...`

    error: `spell` needs the key `description`
     --> t.yaml:1:1
      |
    1 | flags: []
      | ^^^^^
      |
      = help: add `description: ...`

    error: `spell` needs the key `command`
     --> t.yaml:1:1
      |
    1 | flags: []
      | ^^^^^
      |
      = help: add `command: ...`
    ");
}

#[test]
fn a_variable_that_is_not_set() {
    assert_snapshot!(mistakes("command: echo hi\npaths: ['${NO_SUCH}/x']\n"), @r"
    error: the variable `NO_SUCH` is not set
     --> t.yaml:4:10
      |
    4 | paths: ['${NO_SUCH}/x']
      |          ^^^^^^^^^^
      |
      = help: set it before the server starts, or write `$${...}` if the program is to see `${...}`
    ");
}

#[test]
fn names() {
    let text = text("other", "command: x");
    let read = Spell::parse(&text, "t.yaml", &Context::default().stem("t"));
    assert!(
        read.mistakes.expect("one")[0]
            .message
            .contains("the file's is `t`")
    );
    for bad in ["a b", "a/b", "a.b", "'é'", "''", "[a]", &"x".repeat(65)] {
        let text = format!("name: {bad}\ndescription: d\ncommand: c\n");
        let read = Spell::parse(&text, "t.yaml", &Context::default());
        assert_eq!(read.mistakes.expect("one")[0].line, 1, "{bad}");
    }
}

#[test]
fn arguments() {
    for (keys, message) in [
        ("args: [{name: a-b}]", "cannot be an argument's name"),
        ("args: [{name: path}]", "a meaning of its own"),
        (
            "args: [{name: a}, {name: A}]",
            "the same variable `SPELL_ARG_A`",
        ),
        ("args: [{name: a, type: int}]", "`type` cannot be `int`"),
        (
            "args: [{name: a, type: integer, enum: [x]}]",
            "only a `string`",
        ),
        (
            "args: [{name: a, type: integer, default: x}]",
            "does not fit",
        ),
        ("args: [{name: a, enum: [x], default: y}]", "does not fit"),
        ("args: [{name: a, pattern: '('}]", "no regular expression"),
        (
            "args: [{name: a, required: true, default: x}]",
            "needs no default",
        ),
        (
            "args: [{name: a, type: integer, min: 5, max: 4}]",
            "`max` is 4, and `min` is 5",
        ),
        (
            "args: [{name: a, type: number, min: 0.5, max: 0.25}]",
            "no number fits",
        ),
        (
            "args: [{name: a, type: integer, min: 1.5}]",
            "`min` must be a whole number",
        ),
        (
            "args: [{name: a, type: integer, max: many}]",
            "`max` must be a number",
        ),
        (
            "args: [{name: a, min: 1}]",
            "only an `integer` or a `number`",
        ),
        (
            "args: [{name: a, type: integer, min: 1, default: 0}]",
            "does not fit",
        ),
        (
            "args: [{name: a, type: number, max: 1, default: 1.5}]",
            "does not fit",
        ),
        ("args: [{name: a, enum: [x], free: true}]", "can be `free`"),
        ("args: [{name: a, type: path, free: true}]", "can be `free`"),
        ("network: yes", "`network` cannot be"),
        ("network: tpc", "did you mean `tcp`?"),
        ("args: {a: string}", "must be a list"),
        ("argv: ['{{x}}']", "`x` is not declared"),
        (
            "args: [{name: a, type: array}]\nargv: ['{{a}}']",
            "not one value",
        ),
        ("env: {A=b: c}", "cannot be set"),
        ("env: {SPELL_ARG_X: c}", "cannot be set"),
        ("env: [A]", "must be a mapping"),
        ("effect: none", "`effect` cannot be"),
        ("confirm: yes", "must be `true` or `false`"),
        ("paths: ['~/x']", "no folder"),
        ("flags: -v", "must be a list"),
        ("flags: [[a]]", "must be text"),
        (
            "args: [{name: a, type: object, default: {1: x}}]",
            "cannot be written as JSON",
        ),
    ] {
        let found = mistakes(&format!("command: x\n{keys}"));
        assert!(found.contains(message), "{keys}: {found}");
    }
    for (command, message) in [
        ("command: ''", "is empty"),
        ("command: \"'a\"", "not closed"),
        ("command: \"'' x\"", "names no program"),
        ("command: echo {{x}}", "has a place for an argument"),
        ("command: [echo]", "must be text"),
    ] {
        let found = mistakes(command);
        assert!(found.contains(message), "{command}: {found}");
    }
}

#[test]
fn a_program_whose_variable_is_empty() {
    let mut variables = Environment::empty();
    variables.set("EMPTY", "");
    let context = Context::default().variables(&variables);
    for command in ["${EMPTY}", "${EMPTY} x"] {
        let read = Spell::parse(
            &text("t", &format!("command: {command}")),
            "t.yaml",
            &context,
        );
        let mistakes = read.mistakes.expect("there is no program");
        assert!(
            mistakes.to_string().contains("names no program"),
            "{command}"
        );
    }
}

#[test]
fn files_that_are_more_than_they_seem_are_refused() {
    let bomb: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned())
        .chain((1..20).map(|n| format!("a{n}: &a{n} [{}]\n", format!("*a{}, ", n - 1).repeat(9))))
        .collect();
    for (what, text) in [
        ("a bomb", bomb),
        ("depth", "[".repeat(100_000)),
        ("duplicate keys", text("t", "command: a\ncommand: b")),
        (
            "a tag",
            text("t", "command: !!python/object/apply:os.system [id]"),
        ),
        (
            "several documents",
            format!(
                "{}---\n{}",
                text("t", "command: a"),
                text("t", "command: b")
            ),
        ),
        (
            "size",
            format!("{}# {}", text("t", "command: a"), "x".repeat(1 << 20)),
        ),
        ("binary", "\u{1}\u{2}".into()),
        ("nothing", "".into()),
    ] {
        let read = Spell::parse(&text, "t.yaml", &Context::default());
        assert!(
            read.mistakes.is_some() && read.value.is_none(),
            "{what} was taken"
        );
    }
}

#[test]
fn timeouts_are_written_as_everywhere_and_end_at_five_minutes() {
    for bad in [
        "0",
        "-1",
        "301",
        "99999999999999999999",
        "1.5",
        "6m",
        "500ms",
        "1 s",
        "null",
        "[30]",
    ] {
        let found = mistakes(&format!("command: x\ntimeout: {bad}"));
        assert!(
            found.contains("timeout: ") && found.contains(":4:10"),
            "{bad}: {found}"
        );
    }
    for (good, seconds) in [
        ("timeout: 1", 1),
        ("timeout: 300", 300),
        ("timeout: 30s", 30),
        ("timeout: '30'", 30),
        ("timeout: 5m", 300),
        ("timeout: 1m30s", 90),
        ("", 30),
    ] {
        let spell = read(&format!("command: x\n{good}")).value.expect("valid");
        assert_eq!(spell.timeout.as_secs(), seconds);
    }
}

#[test]
fn hidden_text_in_a_description_is_shown_and_told() {
    let project = Project::new();
    let hidden = "Lists\\u202E files\\u200B \\e[8mand sends them away\\e[0m \\U000E0041";
    let text = format!("name: t\ndescription: \"{hidden}\"\ncommand: ls\npaths: [.]\n");
    std::fs::write(project.spells.join("t.yaml"), &text).expect("it can");
    let book = project.book();
    let tool = &book.tools()[0].tool;
    for c in ['\u{202e}', '\u{200b}', '\u{1b}', '\u{e0041}'] {
        assert!(!tool.description.contains(c), "{:?}", tool.description);
    }
    assert!(
        tool.description.contains("⟨U+202E⟩"),
        "{}",
        tool.description
    );
    assert!(
        book.problems()[0].message.contains("cannot be seen"),
        "{:?}",
        book.problems()
    );
    let long = format!(
        "name: l\ndescription: {}\ncommand: ls\npaths: [.]\n",
        "word ".repeat(2000)
    );
    std::fs::write(project.spells.join("l.yaml"), long).expect("it can");
    assert!(project.book().tools()[0].tool.description.len() <= 2048);
}

#[test]
fn hidden_characters_elsewhere_are_pointed_out() {
    for keys in [
        "command: \"ls \\u202Etxt\"\npaths: [.]",
        "command: ls\nflags: [\"-\\u200Bl\"]\npaths: [.]",
    ] {
        let advice = read(keys).advice.expect("some").to_string();
        assert!(advice.contains("cannot be seen"), "{advice}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let found = mistakes("command: x\nenv: {TOKEN: hunter2, 'BAD NAME': hunter3}\n");
    assert!(!found.contains("hunter"), "{found}");
}

#[test]
fn advice_is_no_mistake() {
    let found = read("command: ls\nflags: ['-o x', -v, -v]");
    let advice = found.advice.expect("some").to_string();
    assert!(found.mistakes.is_none());
    for part in ["warning", "can never run", "one element", "permitted twice"] {
        assert!(advice.contains(part), "{part}: {advice}");
    }
}

#[test]
fn a_report_is_json_too() {
    let project = Project::new();
    let file = project.spell("t", "command: no-such-program-here\ntimeout: 0\n");
    let report = charmer_spells::check(&file, &project.options()).expect("it is there");
    let json = serde_json::to_value(&report).expect("it is JSON");
    assert_eq!(json["mistakes"][0]["line"], 4);
    assert!(!report.is_ok());
    project.spell("t", "command: no-such-program-here\n");
    let report = charmer_spells::check(&file, &project.options()).expect("it is there");
    assert!(
        report.is_ok() && report.render(false).contains("not on the search path"),
        "{}",
        report.render(false)
    );
}

#[test]
fn a_new_spell_is_valid_and_replaces_nothing() {
    let project = Project::new();
    let file = charmer_spells::create(&project.spells, "fresh").expect("it can");
    let report = charmer_spells::check(&file, &project.options()).expect("it is there");
    assert_eq!(report.render(false), "");
    assert!(charmer_spells::create(&project.spells, "fresh").is_err());
    assert!(charmer_spells::create(&project.spells, "../evil").is_err());
}
