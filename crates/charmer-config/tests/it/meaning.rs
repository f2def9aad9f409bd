//! What a valid file means to the layers that run calls.

use std::{sync::Arc, time::Duration};

use charmer_config::Config;
use charmer_core::{
    model::{Cli, Command, Effect, Flag, Positional, Syntax},
    tool::{CatalogueOptions, Layout, Tool, catalogue},
};
use charmer_run::{Call, CallError, ErrorCode, Outcome, into_service, process::Environment, wrap};
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};

pub(crate) fn parse(text: &str) -> Config {
    Config::parse(text, "charmer.yaml").unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn the_example_comes_back_as_it_was() {
    let config = parse(include_str!("../../../../docs/charmer.example.yaml"));
    assert_eq!(parse(&config.to_json()), config);
    assert_eq!(config.limits(), charmer_run::Limits::default());
    assert_eq!(
        config.spool_limits(),
        Some(charmer_run::SpoolLimits::default())
    );
    assert_eq!(parse("spool: off").spool_limits(), None);
    let selector = &config.sources[0].select[0];
    let limits = selector.limits(&config.limits(), "k8s_get");
    assert_eq!(limits.timeout, Duration::from_secs(30));
    assert_eq!(
        limits.concurrency_group,
        Some(charmer_run::process::ConcurrencyGroup::new(
            "tool:k8s_get",
            4
        ))
    );
    assert_eq!(
        selector.hints().map(|hints| hints.effect),
        Some(Effect::Read)
    );
}

#[test]
fn an_environment_is_narrowed_set_and_relieved() {
    let vars = || ["PATH", "HOME", "LD_PRELOAD", "DEBUG"].map(|name| (name.into(), "x".into()));
    let names = |environment: &str| -> Vec<String> {
        let config = parse(&format!(
            "sources: [{{binary: x, environment: {environment}}}]"
        ));
        let resolved = config.sources[0].environment.resolve(vars());
        // What keeps programs from waiting for a person is always there.
        let always = Environment::empty().unattended::<&str>(&[]);
        resolved
            .iter()
            .filter(|(name, value)| always.get(name) != Some(value))
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect()
    };
    assert_eq!(names("{inherit: all, remove: [DEBUG]}"), ["HOME", "PATH"]);
    assert_eq!(
        names("{inherit: [PATH, LD_PRELOAD]}"),
        ["LD_PRELOAD", "PATH"]
    );
    assert_eq!(names("{inherit: [], set: {A: 1}}"), ["A"]);
    assert_eq!(names("{inherit: [], set: {EDITOR: ed}}"), ["EDITOR"]);
}

#[test]
fn values_stay_as_they_were_written() {
    let config = parse(
        "sources: [{binary: x, set: {v: 1.10, n: 0x10}, environment: {set: {A: 1.10, B: true}}}]",
    );
    let source = &config.sources[0];
    assert_eq!(
        serde_json::to_value(&source.set).expect("data"),
        json!({"v": "1.10", "n": "0x10"})
    );
    assert_eq!(source.environment.set["A"].reveal(), "1.10");
    assert_eq!(source.environment.set["B"].reveal(), "true");
}

#[test]
fn aliases_and_merges_are_understood() {
    let text = "sources:\n  - &base {binary: gh, prefix: a}\n  - {<<: *base, prefix: b}\n";
    let config = parse(text);
    assert_eq!(config.sources[1].origin, config.sources[0].origin);
    assert_eq!(config.sources[1].prefix.as_deref(), Some("b"));
}

pub(crate) fn tool(config: &Config, layout: Layout) -> Option<Arc<Tool>> {
    let hints = config.sources[0].select[0].hints();
    let get = Command::new("get")
        .hints(hints.unwrap_or_default())
        .flag(Flag::new("namespace").short('n').pflag("string"))
        .flag(Flag::new("raw").pflag("string"))
        .positional(Positional::new("kind").required())
        .positional(Positional::new("names").variadic());
    let cli = Cli::new(Command::new("kubectl").command(get), Syntax::pflag());
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    options.selectors = config.sources[0].selectors();
    catalogue(&cli, &options).tools.into_iter().next()
}

async fn call(config: &Config, layout: Layout, input: Value) -> Result<Outcome, CallError> {
    let tool = tool(config, layout).expect("the command is served");
    let inner = into_service(service_fn(|_: Call| async {
        let mut outcome = Outcome::success("name: x\npassword: hunter2\n");
        outcome.data = Some(json!([{"line": "password: hunter2"}]));
        Ok::<_, CallError>(outcome)
    }));
    let layers = config.sources[0].select[0].layers();
    let input = input.as_object().cloned().expect("an object");
    wrap(&layers, inner).oneshot(Call::new(tool, input)).await
}

const GUARDED: &str = "
sources:
  - binary: kubectl
    select:
      - commands: {allow: [get]}
        flags: {exclude: [--raw]}
        validate:
          - {argument: -n, pattern: '[a-z]+|kube-[a-z]+', message: a lower-case name}
          - {argument: kind, forbid: secret}
          - {argument: names, max_items: 2}
        filter:
          - {pattern: 'password: .*', replace: 'password: ***'}
";

#[test]
fn rules_reach_the_catalogue() {
    let config = parse(GUARDED);
    let tool = tool(&config, Layout::Flat).expect("the command is served");
    assert_eq!(tool.name.as_str(), "kubectl_get");
    assert!(
        tool.input
            .flags
            .iter()
            .all(|property| property.key != "raw")
    );
    let validations = &config.sources[0].select[0].validate;
    assert!(
        validations
            .iter()
            .all(|validation| validation.applies_to(&tool))
    );
}

#[tokio::test]
async fn validations_refuse_in_both_layouts() {
    let config = parse(GUARDED);
    let flat = |input| call(&config, Layout::Flat, input);
    let nested = |input| call(&config, Layout::Nested, input);
    for (outcome, message) in [
        (
            flat(json!({"kind": "pod", "namespace": "Prod"})).await,
            "`-n`: a lower-case name",
        ),
        (
            flat(json!({"kind": "pod", "namespace": "a\n"})).await,
            "`-n`: a lower-case name",
        ),
        (
            flat(json!({"kind": "secrets"})).await,
            "`kind` must not contain the pattern `secret`",
        ),
        (
            flat(json!({"kind": "pod", "names": ["a", "b", "c"]})).await,
            "`names` takes at most 2 values here",
        ),
        (
            nested(json!({"flags": {"namespace": "Prod"}, "args": ["pod"]})).await,
            "`-n`: a lower-case name",
        ),
        (
            nested(json!({"args": ["secrets"]})).await,
            "`kind` must not contain the pattern `secret`",
        ),
    ] {
        let error = outcome.expect_err("it is refused");
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::InvalidArguments, message)
        );
    }
    for outcome in [
        flat(json!({"kind": "pod", "namespace": "kube-system", "names": ["secret"]})).await,
        nested(json!({"flags": {"namespace": "prod"}, "args": ["pod", "secret"]})).await,
    ] {
        let outcome = outcome.expect("it is let through");
        assert_eq!(outcome.stdout_text(), "name: x\npassword: ***\n");
        assert_eq!(outcome.data, Some(json!([{"line": "password: ***"}])));
        assert!(!outcome.stdout.is_cut());
    }
}

proptest! {
    #[test]
    fn any_quoted_text_comes_through_and_back(secret in any::<String>(), variable in "[A-Z_]{1,8}") {
        prop_assume!(!secret.trim().is_empty() && !secret.contains('\0'));
        let quoted = Value::from(secret.as_str());
        let text = format!(
            "redact: {{values: [{quoted}]}}\nsources: [{{binary: x, environment: {{set: {{{variable}: {quoted}}}}}}}]"
        );
        let config = Config::parse(&text, "f").map_err(|m| TestCaseError::fail(m.to_string()))?;
        prop_assert_eq!(config.redact.values[0].reveal(), &secret);
        prop_assert_eq!(config.sources[0].environment.set[&variable].reveal(), &secret);
        let again = Config::parse(&config.to_json(), "f").map_err(|m| TestCaseError::fail(m.to_string()))?;
        prop_assert_eq!(again, config);
    }

    #[test]
    fn numbers_come_back(
        timeout in 1u64..86_400_000,
        capture in 1024u64..1 << 30,
        output in 100u64..100_000_000,
        calls in 1u32..1_000_000,
    ) {
        let text = format!(
            "limits: {{timeout: {timeout}ms, capture: {capture}B, output: {output}}}\n\
             sources: [{{binary: x, select: [{{rate_limit: {{calls: {calls}, per: {timeout}ms}}}}]}}]"
        );
        let config = parse(&text);
        prop_assert_eq!(config.limits().timeout, Duration::from_millis(timeout));
        prop_assert_eq!(config.limits().capture_bytes as u64, capture);
        prop_assert_eq!(parse(&config.to_json()), config);
    }
}
