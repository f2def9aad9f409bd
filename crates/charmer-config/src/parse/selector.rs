//! The entries of `select`.

use std::time::Duration;

use charmer_core::model::Effect;

use crate::{
    Check, CommandSelection, FilterSettings, FlagSelection, Pattern, RateLimitSettings,
    RetrySettings, SelectEntry, Validation,
    read::{Fields, Problems},
    yaml::{Node, Quoted, YamlKind},
};

use super::{
    DAY, HOUR, MOMENT, ask, confine, expose, hooks, output,
    source::{first_key, flag},
};

pub(super) const SELECTOR: &[&str] = &[
    "commands",
    "flags",
    "inherited_flags",
    "timeout",
    "grace",
    "rate_limit",
    "retry",
    "concurrency",
    "serialize",
    "confirm",
    "stdin",
    "validate",
    "filter",
    "hooks",
    "ask",
    "structure",
    "max_items",
    "expose",
    "assume_effect",
    "effect",
    "network",
];
pub(super) const COMMANDS: &[&str] = &[
    "allow",
    "exclude",
    "allow_glob",
    "exclude_glob",
    "allow_containing",
    "exclude_containing",
];
pub(super) const FLAGS: &[&str] = &["allow", "exclude"];
pub(super) const RATE_LIMIT: &[&str] = &["calls", "per"];
pub(super) const RETRY: &[&str] = &["times", "wait"];
pub(super) const VALIDATION: &[&str] = &["argument", "pattern", "forbid", "max_items", "message"];
pub(super) const FILTER: &[&str] = &["pattern", "replace"];

/// The word by which a person answers a command's question.
const PERSON: &str = "person";

pub(super) const EFFECTS: &[(&str, Effect)] = &[
    ("read", Effect::Read),
    ("write", Effect::Write),
    ("destroy", Effect::Destroy),
];

pub(super) fn selector(node: &Node, problems: &mut Problems<'_>) -> Option<SelectEntry> {
    let fields = problems.fields(node, "select", SELECTOR)?;
    let flags = |key: &str, problems: &mut Problems<'_>| {
        fields
            .get(key)
            .and_then(|node| flag_rule(node, key, problems))
            .unwrap_or_default()
    };
    let selector = SelectEntry {
        commands: fields
            .get("commands")
            .and_then(|node| commands(node, problems)),
        flags: flags("flags", problems),
        inherited_flags: flags("inherited_flags", problems),
        timeout: fields
            .get("timeout")
            .and_then(|node| problems.duration(node, "timeout", (MOMENT, DAY))),
        grace: super::grace(&fields, problems),
        rate_limit: fields
            .get("rate_limit")
            .and_then(|node| rate_limit(node, problems)),
        retry: fields.get("retry").and_then(|node| retry(node, problems)),
        concurrency: fields
            .get("concurrency")
            .and_then(|node| problems.amount(node, "concurrency", 1..=10_000)),
        serialize: fields
            .get("serialize")
            .and_then(|node| problems.word(node, "serialize")),
        confirm: fields
            .get("confirm")
            .filter(|node| !is_person(node))
            .and_then(|node| confirm(node, problems)),
        confirmed_by_person: fields.get("confirm").is_some_and(is_person),
        stdin: fields
            .get("stdin")
            .and_then(|node| problems.switch(node, "stdin"))
            .unwrap_or(false),
        validate: list(fields.get("validate"), "validate", problems, validation),
        filter: list(fields.get("filter"), "filter", problems, filter),
        hooks: fields
            .get("hooks")
            .and_then(|node| hooks::hooks(node, problems))
            .unwrap_or_default(),
        ask: fields
            .get("ask")
            .map(|node| ask::ask(node, problems))
            .unwrap_or_default(),
        structure: fields
            .get("structure")
            .and_then(|node| output::structure(node, problems)),
        max_items: fields
            .get("max_items")
            .and_then(|node| output::max_items(node, problems)),
        expose: fields
            .get("expose")
            .and_then(|node| expose::visibility(node, problems))
            .unwrap_or_default(),
        assume_effect: assume_effect(&fields, problems),
        network: fields
            .get("network")
            .and_then(|node| confine::network(node, problems)),
        position: problems.position(first_key(node).start),
        number: 0,
        baseline: None,
    };
    if let (Some((name, _)), Some(_)) = (fields.entry("concurrency"), fields.get("serialize")) {
        problems
            .add(
                name.span.clone(),
                "`concurrency` and `serialize` cannot stand together",
            )
            .hint("`serialize` lets one call run at a time already: keep one of them");
    }
    if let (Some((name, _)), Some(effect)) = (fields.entry("retry"), selector.assume_effect)
        && effect != Effect::Read
    {
        problems
            .add(name.span.clone(), "`retry` is for commands that only read")
            .hint("remove it: what changes something must not be done twice by itself");
    }
    Some(selector)
}

/// Reads the effect that commands are said to have. The old name of the key, `effect`, was taken for a filter.
fn assume_effect(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Effect> {
    let new = fields
        .get("assume_effect")
        .map(|node| problems.choice(node, "assume_effect", EFFECTS));
    let Some((name, node)) = fields.entry("effect") else {
        return new?;
    };
    let old = problems.choice(node, "effect", EFFECTS);
    if new.is_some() {
        problems
            .add(
                name.span.clone(),
                "`effect` and `assume_effect` cannot stand together",
            )
            .hint("remove `effect`: it is the old name of the same key");
    } else if let Some((word, _)) = EFFECTS.iter().find(|(_, effect)| Some(*effect) == old) {
        let said = "`effect` in `select` chooses no commands: it says what they do";
        problems.advise(name.span.clone(), said).hint(format!(
            "write `assume_effect: {word}`, its name now; `read_only: true` is what chooses"
        ));
    }
    old
}

/// The entries of a list that could be read.
fn list<T>(
    node: Option<&Node>,
    what: &str,
    problems: &mut Problems<'_>,
    entry: fn(&Node, &mut Problems<'_>) -> Option<T>,
) -> Vec<T> {
    let Some(node) = node else {
        return Vec::new();
    };
    problems
        .list(node, what, "add an entry, or remove the key")
        .iter()
        .filter_map(|node| entry(node, problems))
        .collect()
}

fn commands(node: &Node, problems: &mut Problems<'_>) -> Option<CommandSelection> {
    let fields = problems.fields(node, "commands", COMMANDS)?;
    let (rule, node) = fields.one_of(COMMANDS, problems)?;
    let mut entries = Vec::new();
    for element in problems.list(node, rule, "name a command, or remove the key") {
        let Some(text) = problems.word(element, rule) else {
            continue;
        };
        // Each of these would match nothing, without a word.
        let mistake = if rule.ends_with("glob") && text.contains(char::is_whitespace) {
            Some("in globs levels are separated by `/`: `container/*`")
        } else if rule.ends_with("containing")
            && text.contains(|c: char| c.is_whitespace() || c == '/')
        {
            Some("it compares single words: use `allow` or `exclude` for paths")
        } else if !rule.ends_with("glob") && text.contains(['*', '?']) {
            Some("`allow_glob` and `exclude_glob` know wildcards")
        } else {
            None
        };
        match mistake {
            Some(hint) => problems
                .add(
                    element.span.clone(),
                    format!("{} matches no command", Quoted(&text)),
                )
                .hint(hint),
            None => entries.push(text),
        }
    }
    Some(match rule {
        "allow" => CommandSelection::Allow(entries),
        "exclude" => CommandSelection::Exclude(entries),
        "allow_glob" => CommandSelection::AllowGlob(entries),
        "exclude_glob" => CommandSelection::ExcludeGlob(entries),
        "allow_containing" => CommandSelection::AllowContaining(entries),
        _ => CommandSelection::ExcludeContaining(entries),
    })
}

fn flag_rule(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<FlagSelection> {
    if matches!(node.kind, YamlKind::Text(_)) {
        let choices = [("all", true), ("none", false)];
        let all = problems.choice(node, what, &choices)?;
        return Some(if all {
            FlagSelection::All
        } else {
            FlagSelection::None
        });
    }
    let fields = problems.fields_or(node, what, FLAGS, "`all`, `none` or a mapping")?;
    let (rule, node) = fields.one_of(FLAGS, problems)?;
    let names = problems
        .list(
            node,
            rule,
            &format!("write `{what}: none` for no flags, or remove the key for all"),
        )
        .iter()
        .filter_map(|element| flag(element, rule, problems))
        .collect();
    Some(match rule {
        "allow" => FlagSelection::Allow(names),
        _ => FlagSelection::Exclude(names),
    })
}

pub(super) fn rate_limit(node: &Node, problems: &mut Problems<'_>) -> Option<RateLimitSettings> {
    let fields = problems.fields(node, "rate_limit", RATE_LIMIT)?;
    let calls = fields
        .require("calls", problems)
        .and_then(|node| problems.count(node, "calls", 1..=1_000_000));
    let per = fields
        .require("per", problems)
        .and_then(|node| problems.duration(node, "per", (MOMENT, DAY)));
    Some(RateLimitSettings {
        calls: u32::try_from(calls?).ok()?,
        per: per?,
    })
}

fn retry(node: &Node, problems: &mut Problems<'_>) -> Option<RetrySettings> {
    let fields = problems.fields(node, "retry", RETRY)?;
    let times = fields
        .require("times", problems)
        .and_then(|node| problems.count(node, "times", 1..=10));
    let wait = match fields.get("wait") {
        Some(node) => problems.duration(node, "wait", (Duration::ZERO, HOUR)),
        None => Some(Duration::from_secs(1)),
    };
    Some(RetrySettings {
        times: u32::try_from(times?).ok()?,
        wait: wait?,
    })
}

/// Returns true if a person is to answer, and no flag is named.
fn is_person(node: &Node) -> bool {
    matches!(&node.kind, YamlKind::Text(text) if text == PERSON)
}

pub(super) fn confirm(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let name = flag(node, "confirm", problems)?;
    if !name.starts_with('-') {
        problems
            .add(node.span.clone(), format!("{} is no flag", Quoted(&name)))
            .hint("name the flag that answers the question, like `confirm: --yes`");
        return None;
    }
    Some(name)
}

fn validation(node: &Node, problems: &mut Problems<'_>) -> Option<Validation> {
    let fields = problems.fields(node, "validate", VALIDATION)?;
    let argument = fields
        .require("argument", problems)
        .and_then(|node| flag(node, "argument", problems));
    let check = fields
        .one_of(&["pattern", "forbid", "max_items"], problems)
        .and_then(|(key, node)| match key {
            "pattern" => problems
                .pattern(node, key, Pattern::whole)
                .map(Check::Pattern),
            "forbid" => problems
                .pattern(node, key, Pattern::anywhere)
                .map(Check::Forbid),
            _ => problems
                .amount(node, key, 0..=1_000_000)
                .map(Check::MaxItems),
        });
    let message = fields
        .get("message")
        .and_then(|node| problems.word(node, "message"));
    Some(Validation {
        argument: argument?,
        check: check?,
        message,
    })
}

fn filter(node: &Node, problems: &mut Problems<'_>) -> Option<FilterSettings> {
    let fields = problems.fields(node, "filter", FILTER)?;
    let pattern = fields
        .require("pattern", problems)
        .and_then(|node| problems.pattern(node, "pattern", Pattern::anywhere));
    let replace = match fields.get("replace") {
        Some(node) => problems.text_of(node, "replace"),
        None => Some(String::new()),
    };
    Some(FilterSettings {
        pattern: pattern?,
        replace: replace?,
    })
}
