//! Output as data, from what was printed to the answer.

use charmer_core::{
    model::{Cli, Command, Flag, Syntax},
    schema::convert,
    tool::{CatalogueOptions, Layout, catalogue},
};
use serde_json::json;

use super::*;
use crate::{CallResult, Limits, into_service, wrap};

fn call(layout: Layout, input: Value) -> Call {
    let list = Command::new("list").flag(
        Flag::new("output")
            .pflag("string")
            .help("Output format. One of: (json, yaml, wide)"),
    );
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    let mut found = catalogue(&Cli::new(list, Syntax::pflag()), &options);
    let Value::Object(input) = input else {
        panic!("input is an object")
    };
    Call::new(found.tools.remove(0), input)
}

/// What an assistant gets of a program that prints this; the input that reached it stands in standard error.
async fn answer(structure: &Structure, call: Call, stdout: &str) -> CallResult {
    let stdout = stdout.to_owned();
    let program = tower::service_fn(move |call: Call| {
        let mut outcome = Outcome::success(stdout.clone());
        outcome.stderr = Captured::whole(Value::from(call.input).to_string());
        async { Ok::<_, CallError>(outcome) }
    });
    let limits = call.limits.clone();
    let mut path = wrap(structure, into_service(program));
    CallResult::new(&path.call(call).await, &limits, &Redactor::default())
}

#[tokio::test]
async fn data_beyond_doubt_is_read_and_text_stays_text() {
    let auto = Structure::default();
    let flat = || call(Layout::Flat, json!({}));
    let table = answer(&auto, flat(), "NAME    AGE\nweb-0   5d\n").await;
    assert_eq!(
        table.structured["data"],
        json!({"items": [{"NAME": "web-0", "AGE": "5d"}]})
    );
    assert_eq!(table.structured.get("stdout"), None);
    assert!(table.text.starts_with("NAME    AGE\nweb-0   5d\n"));
    let prose = answer(&auto, flat(), "Nothing to see here.\n").await;
    assert_eq!(prose.structured["stdout"], "Nothing to see here.\n");
    assert_eq!(prose.structured.get("data"), None);
    let off = Structure::new(StructureMode::Off);
    assert!(off.is_idle());
    let off = answer(&off, flat(), "[1]").await;
    assert_eq!(off.structured["stdout"], "[1]");
}

#[tokio::test]
async fn yaml_that_the_command_line_asks_for_is_read_without_a_sign_of_it() {
    let auto = Structure::default();
    let asked = |layout, input| call(layout, input);
    // Without anything nested it could be any text, so that it is not taken for YAML by itself.
    let yaml = "- name: web-0\n- name: web-1\n";
    let read = json!({"items": [{"name": "web-0"}, {"name": "web-1"}]});
    for (layout, input) in [
        (Layout::Flat, json!({"output": "yaml"})),
        (Layout::Nested, json!({"flags": {"output": "yaml"}})),
    ] {
        let result = answer(&auto, asked(layout, input), yaml).await;
        assert_eq!(result.structured["data"], read);
    }
    let plain = "replicas: 2\nready: true\n";
    let result = answer(&auto, asked(Layout::Flat, json!({"output": "yaml"})), plain).await;
    assert_eq!(
        result.structured["data"],
        json!({"replicas": 2, "ready": true})
    );
    // What came may be something else.
    let input = json!({"output": "yaml"});
    let prose = answer(&auto, asked(Layout::Flat, input), "Nothing to see here.\n").await;
    assert_eq!(prose.structured["stdout"], "Nothing to see here.\n");
}

#[tokio::test]
async fn json_is_asked_for_unless_the_caller_chose() {
    let force = Structure::new(StructureMode::Force);
    for (layout, input, reached) in [
        (Layout::Flat, json!({}), json!({"output": "json"})),
        (
            Layout::Flat,
            json!({"output": "wide"}),
            json!({"output": "wide"}),
        ),
        (
            Layout::Nested,
            json!({}),
            json!({"flags": {"output": "json"}}),
        ),
        (
            Layout::Nested,
            json!({"flags": {"output": "yaml"}}),
            json!({"flags": {"output": "yaml"}}),
        ),
    ] {
        let result = answer(&force, call(layout, input), "{}").await;
        assert_eq!(result.structured["stderr"], reached.to_string());
    }
    let auto = answer(&Structure::default(), call(Layout::Flat, json!({})), "{}").await;
    assert_eq!(auto.structured["stderr"], "{}");
}

#[tokio::test]
async fn long_lists_are_cut_and_the_true_count_is_said() {
    let items: Vec<Value> = (0..5000)
        .map(|n| json!({"n": n, "text": "x".repeat(20)}))
        .collect();
    let text = Value::from(items).to_string();
    assert!(Captured::whole(text.clone()).is_long());
    let mut long = call(Layout::Flat, json!({}));
    long.limits = Limits::default().output_chars(10_000);
    let result = answer(&Structure::default(), long, &text).await;
    let shown = result.structured["data"]["items"]
        .as_array()
        .expect("a list");
    assert_eq!(
        result.structured["truncated"]["items"],
        json!({"shown": shown.len(), "total": 5000})
    );
    let data = result.structured["data"].to_string();
    assert!((9_000..=10_000).contains(&data.len()), "{}", data.len());
    assert!(result.text.contains(&data) && result.text.contains("of 5000 items"));

    let few = Structure::default().max_items(2);
    let result = answer(&few, call(Layout::Flat, json!({})), "[1, 2, 3]").await;
    assert_eq!(result.structured["data"], json!({"items": [1, 2]}));
    assert_eq!(result.structured["truncated"]["items"]["total"], 3);

    // What cannot be cut is text.
    let mut long = call(Layout::Flat, json!({}));
    long.limits = Limits::default().output_chars(1000);
    let text = json!({"text": "x".repeat(2000)}).to_string();
    let result = answer(&Structure::default(), long, &text).await;
    assert_eq!(result.structured.get("data"), None);
    assert_eq!(
        result.structured["truncated"]["stdout"]["bytes"],
        text.len()
    );
}

#[tokio::test]
async fn a_declared_output_is_checked_and_a_mismatch_keeps_the_text() {
    let schema = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
        "required": ["name"],
    }});
    let declared = Structure::new(StructureMode::Off).output(Arc::new(convert(&schema)));
    let good = r#"[{"name": "a", "age": null}]"#;
    let result = answer(&declared, call(Layout::Flat, json!({})), good).await;
    assert_eq!(result.structured["data"], json!({"items": [{"name": "a"}]}));
    assert!(!result.is_error);
    for bad in [r#"[{"age": 3}]"#, "no data at all", "{}"] {
        let result = answer(&declared, call(Layout::Flat, json!({})), bad).await;
        assert!(result.is_error, "{bad}");
        assert_eq!(result.structured["error"]["code"], "output_mismatch");
        assert_eq!(result.structured["exitCode"], 0);
        assert_eq!(result.structured["stdout"], bad);
        assert_eq!(result.structured.get("data"), None);
    }
}

#[tokio::test]
async fn a_failure_need_not_print_what_was_declared() {
    let schema = json!({"type": "object", "required": ["name"]});
    let declared = Structure::default().output(Arc::new(convert(&schema)));
    for (printed, data) in [
        (r#"{"message": "gone"}"#, None),
        (r#"{"name": "a"}"#, Some(json!({"name": "a"}))),
    ] {
        let mut outcome = Outcome::success(printed);
        outcome.ended = crate::Ended::Exited(1);
        let outcome = declared.apply(outcome, 1000).await;
        assert_eq!((&outcome.data, outcome.complaint.is_none()), (&data, true));
        assert_eq!(outcome.stdout_text(), printed);
    }
}

#[tokio::test]
async fn json_is_not_asked_for_where_something_else_was_declared() {
    let table = Structure::new(StructureMode::Force).format(Format::Table);
    let call = || call(Layout::Flat, json!({}));
    let result = answer(&table, call(), "NAME   AGE\na      1\n").await;
    assert_eq!(result.structured["stderr"], "{}");
    assert_eq!(result.structured["data"]["items"][0]["AGE"], "1");
    let off = table.mode(StructureMode::Off);
    assert!(off.is_idle());
}

#[tokio::test]
async fn what_is_too_long_to_be_data_is_not_lost() {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let long = json!({"text": "x".repeat(2000)}).to_string();
    for structure in [
        Structure::default(),
        Structure::default().output(Arc::new(convert(&schema))),
    ] {
        let mut call = call(Layout::Flat, json!({}));
        call.limits = Limits::default().output_chars(1000);
        let result = answer(&structure, call, &long).await;
        assert!(!result.is_error, "{}", result.text);
        assert_eq!(result.structured.get("data"), None);
        assert_eq!(
            result.structured["truncated"]["stdout"]["bytes"],
            long.len()
        );
        // The same from a handler, which prints nothing.
        let mut outcome = Outcome::success("");
        outcome.data = serde_json::from_str(&long).ok();
        let outcome = structure.apply(outcome, 1000).await;
        assert_eq!(outcome.data, None);
        assert_eq!(outcome.stdout_text(), long);
    }
}

#[tokio::test]
async fn what_is_hidden_in_escapes_is_marked_and_redacted() {
    let redactor = Redactor::new(["hunter2"], [] as [&str; 0]).expect("patterns");
    let structure = Structure::default().redactor(redactor);
    let text = r#"{"a": "\u001b[31mred\u001b[0m", "b": "\u0068unter2", "c": "x\u202ey", "d": "hun\u001b[0mter2"}"#;
    let result = answer(&structure, call(Layout::Flat, json!({})), text).await;
    let data = &result.structured["data"];
    assert_eq!(
        (&data["a"], &data["c"]),
        (&json!("␛[31mred␛[0m"), &json!("x⟨U+202E⟩y"))
    );
    assert!(!data.to_string().contains("ter2"), "{data}");
    assert!(!result.text.contains("unter2"), "{}", result.text);
}

#[tokio::test]
async fn json_keeps_its_strings_and_keys() {
    let text = r#"{"step 1\rstep 2": "step 1\rstep 2", "N\bN": "_\bu", "step 2": " \t\n\u0000 "}"#;
    let exact: Value = serde_json::from_str(text).expect("JSON");
    let structure = Structure::default();
    // Coloured JSON is what a terminal shows of it.
    for printed in [
        text.to_owned(),
        format!("\x1b[1m{text}\x1b[0m"),
        format!("{text}\r\n"),
    ] {
        let result = answer(&structure, call(Layout::Flat, json!({})), &printed).await;
        assert_eq!(result.structured["data"], exact, "{printed:?}");
    }
    let colliding = r#"{"a\u202eb": 1, "a⟨U+202E⟩b": 2, "hunter2": 3, "\u0068unter2\u200b": 4}"#;
    let redactor = Redactor::new(["hunter2"], [] as [&str; 0]).expect("patterns");
    let structure = structure.redactor(redactor);
    let result = answer(&structure, call(Layout::Flat, json!({})), colliding).await;
    assert_eq!(
        result.structured["data"],
        json!({"a⟨U+202E⟩b (2)": 1, "a⟨U+202E⟩b": 2, "[redacted]": 3, "[redacted]⟨U+200B⟩": 4})
    );
    assert!(!result.text.contains("unter2"), "{}", result.text);
}
