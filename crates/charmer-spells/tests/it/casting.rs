//! What a cast does with arguments, flags, the environment and its outcome.

use std::time::{Duration, Instant};

use charmer_spells::{GivenArguments, SpellBook, arguments};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Project, call, code, elements, nothing, read, stdout, waited_for};

#[tokio::test]
async fn templates_become_one_element_each() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE} fixed 'two words'
paths: [.]
flags: [-v, '--mode=a b']
args:
  - {name: title, required: true}
  - {name: count, type: integer, default: 3}
  - {name: note}
  - {name: loud, type: boolean, default: false}
argv: ['--title={{title}}', '-n{{count}}', '--note={{note}}', '{{title}}', '{{.Names}}', '--loud={{loud}}']",
    );
    let book = project.book();
    let result = call(
        &book,
        "t",
        json!({"title": "a b; id $(id)", "flags": ["--mode=a b", "-v"]}),
    )
    .await;
    assert_eq!(
        elements(&result),
        [
            "fixed",
            "two words",
            "--mode=a b",
            "-v",
            "--title=a b; id $(id)",
            "-n3",
            "a b; id $(id)",
            "{{.Names}}",
            "--loud=false"
        ]
    );
    let wrong = call(&book, "t", json!({"count": "x", "loud": 1, "nte": "x"})).await;
    assert_eq!(code(&wrong), "invalid_arguments");
    for part in ["4 problems", "did you mean `note`?", "`title`"] {
        assert!(wrong.text.contains(part), "{part}: {}", wrong.text);
    }
    let mended = call(
        &book,
        "t",
        json!({"Title": 7, "count": ["4"], "flags": "-v", "loud": "true"}),
    )
    .await;
    assert_eq!(
        elements(&mended)[2..6],
        ["-v", "--title=7", "-n4", "7"],
        "{}",
        mended.text
    );
}

#[tokio::test]
async fn an_empty_list_is_no_value_and_not_the_default_either() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE}\npaths: [.]\nargs: [{name: n, type: number, default: 1.5}, {name: l, type: array}]",
    );
    let book = project.book();
    for empty in [json!([]), json!({})] {
        let result = call(&book, "t", json!({ "n": empty })).await;
        assert_eq!(code(&result), "invalid_arguments", "{}", result.text);
    }
    assert!(!call(&book, "t", json!({"n": null, "l": []})).await.is_error);
}

#[tokio::test]
async fn a_value_never_begins_an_option() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE}
paths: [.]
args: [{name: a}, {name: b}, {name: n, type: integer}, {name: pick, enum: [-x, y]}]
argv: ['{{a}}{{b}}', '--b={{b}}', '--n={{n}}', '{{n}}', '{{pick}}']",
    );
    let book = project.book();
    for input in [
        json!({"a": "-x", "b": ""}),
        json!({"a": "", "b": "--server=evil"}),
        json!({"b": "-rf"}),
        json!({"n": -5}),
    ] {
        assert_eq!(
            code(&call(&book, "t", input.clone()).await),
            "invalid_arguments",
            "{input}"
        );
    }
    let result = call(
        &book,
        "t",
        json!({"a": "\u{2013}x", "b": "c", "n": 5, "pick": "-x"}),
    )
    .await;
    assert_eq!(
        elements(&result),
        ["\u{2013}xc", "--b=c", "--n=5", "5", "-x"]
    );
}

#[tokio::test]
async fn what_the_author_wrote_as_a_default_may_be_an_option() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE}\npaths: [.]\nargs: [{name: a, default: --fast}, {name: n, type: integer}]\nargv: ['{{a}}', '-{{n}}']",
    );
    let book = project.book();
    assert_eq!(elements(&call(&book, "t", nothing()).await), ["--fast"]);
    assert_eq!(
        elements(&call(&book, "t", json!({"a": "b", "n": 3})).await),
        ["b", "-3"]
    );
    for input in [json!({"a": "--slow"}), json!({"n": -3})] {
        assert_eq!(
            code(&call(&book, "t", input.clone()).await),
            "invalid_arguments",
            "{input}"
        );
    }
}

#[tokio::test]
async fn the_environment_is_short_and_holds_the_arguments() {
    let project = Project::new()
        .set("SECRET", "hunter2")
        .set("LC_ALL", "C")
        .set("TOKEN", "t0k");
    project.spell(
        "t",
        "command: ${FIXTURE} environment\npaths: [.]\nenv: {MODE: fast, API: '${TOKEN}'}",
    );
    let input = json!({"arguments": {"City": "New York", "list": [1, "a"], "deep": {"k": null}, "n": 1.5, "on": true, "none": null}});
    let result = project.call("t", input).await;
    let seen: Vec<&str> = stdout(&result).lines().collect();
    for line in [
        "SPELL_ARG_CITY=New York",
        "SPELL_ARG_LIST=[1,\"a\"]",
        "SPELL_ARG_DEEP={\"k\":null}",
        "SPELL_ARG_N=1.5",
        "SPELL_ARG_ON=true",
        "MODE=fast",
        "API=t0k",
        "LC_ALL=C",
        "MCP_MODE=true",
    ] {
        assert!(seen.contains(&line), "{line} is not in {seen:?}");
    }
    assert!(!seen.iter().any(|line| line.starts_with("SECRET")
        || line.starts_with("SPELL_ARG_NONE")
        || line.starts_with("FIXTURE")));
}

#[tokio::test]
async fn standard_input_is_nothing_or_what_the_spell_says() {
    let project = Project::new();
    project.spell("none", "command: ${FIXTURE} stdin\npaths: [.]");
    project.spell(
        "some",
        "command: ${FIXTURE} stdin\npaths: [.]\nargs: [{name: x}]\nstdin: 'a {{x}}!'",
    );
    assert_eq!(stdout(&project.call("none", nothing()).await), "<>\n");
    assert_eq!(
        stdout(&project.call("some", json!({"x": "-b"})).await),
        "<a -b!>\n"
    );
}

#[tokio::test]
async fn the_five_kinds_of_errors_have_their_codes() {
    let project = Project::new();
    project.spell("fails", "command: ${FIXTURE} fail\npaths: [.]");
    project.spell(
        "sleeps",
        "command: ${FIXTURE} sleep\npaths: [.]\ntimeout: 1",
    );
    project.spell("broken", "command: [x]\n");
    project.spell("nowhere", "command: ${FIXTURE}");
    let book = project.book();
    let cast = |name: &str| call(&book, "cast_spell", json!({"spell_name": name}));
    assert_eq!(code(&cast("fail").await), "not_registered");
    assert!(cast("fail").await.text.contains("did you mean `fails`?"));
    assert_eq!(code(&cast("broken").await), "invalid_configuration");
    assert_eq!(code(&cast("nowhere").await), "not_permitted");
    assert_eq!(code(&cast("fails").await), "failed");
    assert_eq!(cast("fails").await.structured["exitCode"], 3);
    let began = Instant::now();
    assert_eq!(code(&cast("sleeps").await), "timeout");
    assert!(
        began.elapsed() < Duration::from_secs(60),
        "it is the spell's second that counts"
    );
}

#[tokio::test]
async fn a_cast_can_be_cancelled() {
    let project = Project::new();
    let never = project.base.join("never");
    let command = format!("command: ${{FIXTURE}} wait {}\npaths: [.]", never.display());
    project.spell("waits", &command);
    let book = project.book();
    let cancel = CancellationToken::new();
    let given = GivenArguments::new(Map::new());
    let cast = book.cast("waits", &given, cancel.clone());
    let (outcome, ()) = tokio::join!(cast, async {
        waited_for(&never).await;
        cancel.cancel();
    });
    assert_eq!(
        outcome.expect("it began").ended,
        charmer_run::Ended::Cancelled
    );
}

#[tokio::test]
async fn what_must_be_confirmed_is() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE} hi\npaths: [.]\nconfirm: true\neffect: destroy",
    );
    let book = project.book();
    let tool = &book.tools()[0].tool;
    assert!(tool.annotations.destructive);
    assert_eq!(tool.input_schema["required"], json!(["confirm"]));
    assert_eq!(code(&call(&book, "t", nothing()).await), "not_permitted");
    assert_eq!(
        code(&call(&book, "t", json!({"confirm": false})).await),
        "not_permitted"
    );
    assert_eq!(
        elements(&call(&book, "t", json!({"confirm": true})).await),
        ["hi"]
    );
}

#[tokio::test]
async fn json_is_asked_for_unless_a_caller_chose_a_look() {
    let project = Project::new();
    let keys = "command: ${FIXTURE}\npaths: [.]\nflags: [--wide, --output=wide, -oyaml, --report=x]\n\
                args: [{name: look, enum: [a, b]}]\nargv: ['--template={{look}}', '--', end]\n";
    project.spell(
        "asks",
        &format!("{keys}json: [--report=json]\nstructure: force"),
    );
    project.spell("waits", &format!("{keys}json: [--report=json]"));
    let book = project.book();
    let words = async |name: &str, input: serde_json::Value| -> Vec<String> {
        let result = call(&book, name, input).await;
        elements(&result).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(
        words("asks", nothing()).await,
        ["--report=json", "--", "end"]
    );
    let flags = |flag: &str| json!({"flags": [flag]});
    assert_eq!(
        words("asks", flags("--wide")).await,
        ["--wide", "--report=json", "--", "end"]
    );
    for chosen in ["--output=wide", "-oyaml", "--report=x"] {
        assert_eq!(words("asks", flags(chosen)).await, [chosen, "--", "end"]);
    }
    assert_eq!(
        words("asks", json!({"look": "a"})).await,
        ["--template=a", "--", "end"]
    );
    assert_eq!(words("waits", nothing()).await, ["--", "end"]);
}

#[tokio::test]
async fn list_spells_shows_spells_and_problems() {
    let project = Project::new();
    project.spell(
        "good",
        "command: ${FIXTURE}\npaths: [.]\nargs: [{name: n, type: integer}]",
    );
    project.spell("bad", "command: ${FIXTURE}\ntimeuot: 1");
    let result = call(&project.book(), "list_spells", nothing()).await;
    let data = &result.structured["data"];
    assert_eq!(data["spells"][0]["name"], "good");
    assert_eq!(data["spells"][0]["arguments"]["n"]["type"], "integer");
    assert_eq!(data["problems"][0]["file"], "bad.yaml");
    assert!(
        data["problems"][0]["message"]
            .as_str()
            .expect("text")
            .contains("unknown key `timeuot`")
    );
}

#[tokio::test]
async fn relative_paths_are_those_of_the_folder_that_holds_the_spells() {
    let project = Project::new();
    let bin = project.folder("bin");
    std::os::unix::fs::symlink(crate::support::fixture(), bin.join("tool")).expect("it can");
    project.folder("work");
    project.spell("t", "command: ./bin/tool directory\npaths: [work, .]");
    let book = project.book();
    assert_eq!(
        stdout(&call(&book, "t", nothing()).await).trim(),
        project.base.join("work").to_str().expect("text")
    );
    let up = call(&book, "t", json!({"path": ".."})).await;
    assert_eq!(
        stdout(&up).trim(),
        project.base.to_str().expect("text"),
        "the base is permitted too"
    );
}

#[tokio::test]
async fn a_folder_may_be_named_from_within() {
    let project = Project::new();
    project.spell("t", "command: ${FIXTURE} directory\npaths: [.]");
    std::fs::create_dir(project.spells.join("drafts")).expect("it can");
    for folder in ["drafts/..", ".", "../spells"] {
        let book = SpellBook::open(&project.spells.join(folder), project.options());
        assert_eq!(
            stdout(&call(&book, "t", nothing()).await).trim(),
            project.base.to_str().expect("text"),
            "{folder}"
        );
    }
}

#[test]
fn words_are_read_as_their_types() {
    let spell =
        read("command: x\nargs: [{name: n, type: integer}, {name: o, type: object}, {name: s}]")
            .value
            .expect("valid");
    let read = arguments(&spell, &["n=5", "o={\"a\":1}", "s=5", "t==x"]).expect("they are");
    assert_eq!(
        Value::Object(read),
        json!({"n": 5, "o": {"a": 1}, "s": "5", "t": "=x"})
    );
    assert!(arguments(&spell, &["n=1", "n=2"]).is_err());
}

proptest! {
    /// Whatever a caller passes as flags, only what is listed comes through, and as it stands.
    #[test]
    fn only_listed_flags_are_permitted(given in prop::collection::vec(
        prop_oneof![Just("-v".to_owned()), Just("--all".into()), Just("-va".into()), Just("--all=1".into()),
            Just("-v ".into()), Just("".into()), Just("--".into()), "\\PC{0,6}"], 0..5))
    {
        let project = Project::new();
        project.spell("t", "command: ${FIXTURE}\npaths: [nowhere]\nflags: [-v, --all]");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let book = project.book();
        let mut asked = GivenArguments::new(Map::new());
        asked.flags.clone_from(&given);
        let outcome = runtime.block_on(book.cast("t", &asked, CancellationToken::new()));
        let code = outcome.expect_err("there is no folder").code.as_str();
        let listed = given.iter().all(|flag| flag == "-v" || flag == "--all");
        // The folder is looked for only after the flags were permitted.
        prop_assert_eq!(code, if listed { "not_started" } else { "not_permitted" });
    }
}
