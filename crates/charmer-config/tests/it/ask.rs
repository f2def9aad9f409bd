//! The key `ask`: read, written again, and its mistakes where they stand.

use charmer_config::Config;
use charmer_core::model::Effect;
use charmer_run::{AskWay, AskWhen};

fn read(text: &str) -> Config {
    Config::parse(text, "charmer.yaml").unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

#[test]
fn words_and_rules_mean_what_they_say_and_survive_being_written() {
    let config = read(
        "
ask: write
sources:
  - spells: ./spells
    ask: once
  - binary: git
    ask:
      - {command: [push, 'remote/*'], argument: --force, by: [terminal, client], timeout: 90s}
      - {argument: branch, pattern: 'wip/.*', when: never}
      - all
    select:
      - {commands: {allow: [tag]}, ask: {effect: destroy}, confirm: person}
",
    );
    assert_eq!(config.ask[0].effect, Some(Effect::Write));
    assert_eq!(config.sources[0].ask[0].when, AskWhen::Once);
    let [first, second, all] = &config.sources[1].ask[..] else {
        panic!("three rules")
    };
    assert_eq!(first.by, [AskWay::Terminal, AskWay::Client]);
    assert_eq!(first.timeout.map(|time| time.as_secs()), Some(90));
    assert_eq!(second.when, AskWhen::Never);
    assert_eq!((all.when, all.effect), (AskWhen::Always, None));
    let selector = &config.sources[1].select[0];
    assert!(selector.confirmed_by_person && selector.confirm.is_none());
    assert_eq!(read(&config.to_json()), config);
}

#[test]
fn mistakes_are_told_where_they_stand() {
    for (rules, place, said) in [
        ("ask: sometimes", "1:6", "ask"),
        ("ask: [{efect: write}]", "1:8", "efect"),
        ("ask: [{pattern: x}]", "1:8", "about no argument"),
        ("ask: [{argument: a, pattern: '('}]", "1:30", "pattern"),
        ("ask: [{by: []}]", "1:12", "by"),
        ("ask: [{by: [mail]}]", "1:13", "mail"),
        (
            "ask: [{effect: read, when: never, timeout: 1m}]",
            "1:35",
            "never",
        ),
        (
            "ask: [all, {effect: write}]",
            "1:13",
            "no call comes to this rule",
        ),
    ] {
        let mistakes = Config::parse(rules, "charmer.yaml").expect_err(rules);
        let shown = mistakes.to_string();
        assert!(
            shown.contains(&format!("charmer.yaml:{place}")),
            "{rules}: {shown}"
        );
        assert!(shown.contains(said), "{rules}: {shown}");
    }
}
