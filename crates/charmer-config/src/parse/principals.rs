//! The key `principals`.

use std::{collections::BTreeMap, path::PathBuf};

use super::{DAY, MOMENT, http, selector, source};
use crate::{
    PrincipalLimits, PrincipalRules, PrincipalValue, Secret,
    read::Problems,
    yaml::{Node, YamlKind},
};

pub(super) const PRINCIPAL: &[&str] = &["environment", "folder", "set", "allow", "deny", "limits"];
pub(super) const LIMITS: &[&str] = &[
    "timeout",
    "grace",
    "capture",
    "output",
    "concurrency",
    "rate_limit",
    "max_connections",
    "max_sessions",
    "max_streams",
    "max_calls",
];
pub(super) const FILE: &[&str] = &["file"];

pub(super) fn principals(
    node: &Node,
    problems: &mut Problems<'_>,
) -> BTreeMap<String, PrincipalRules> {
    let mut all = BTreeMap::new();
    for (name, value) in source::entries(node, "principals", "ann: {folder: /srv/ann}", problems) {
        let known = problems.word(name, "principals");
        let rules = principal(value, problems);
        if let (Some(known), Some(mut rules)) = (known, rules) {
            rules.position = problems.position(name.span.start);
            all.insert(known, rules);
        }
    }
    all
}

fn principal(node: &Node, problems: &mut Problems<'_>) -> Option<PrincipalRules> {
    let fields = problems.fields(node, "principal", PRINCIPAL)?;
    let mut rules = PrincipalRules::default();
    if let Some(node) = fields.get("environment") {
        rules.environment = environment(node, problems);
    }
    rules.folder = fields
        .read("folder", |node, key| problems.word(node, key))
        .map(PathBuf::from);
    if let Some(node) = fields.get("set") {
        rules.set = source::pinned(node, problems);
    }
    for (key, globs) in [("allow", &mut rules.allow), ("deny", &mut rules.deny)] {
        if let Some(node) = fields.get(key) {
            *globs = problems.words(node, key, "add a command, or remove the key");
        }
    }
    if let Some(node) = fields.get("limits") {
        rules.limits = limits(node, problems).unwrap_or_default();
    }
    Some(rules)
}

fn environment(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, PrincipalValue> {
    let mut all = BTreeMap::new();
    for (name, value) in source::entries(node, "environment", "NAME: value", problems) {
        let known = source::variable(name, "environment", problems);
        let value = match &value.kind {
            YamlKind::Map(_) => problems
                .fields(value, "environment", FILE)
                .and_then(|fields| {
                    let file = fields.require("file", problems)?;
                    let file = problems.word(file, "file")?.into();
                    Some(PrincipalValue::File { file })
                }),
            kind => {
                problems.hide(value);
                let text = match kind {
                    // `true` is what a program reads, whatever YAML takes it for.
                    YamlKind::Bool(_) => Some(value.raw.clone()),
                    _ => problems.text_of(value, known.as_deref().unwrap_or("environment")),
                };
                text.map(|text| PrincipalValue::Text(Secret(text)))
            }
        };
        if let (Some(known), Some(value)) = (known, value) {
            all.insert(known, value);
        }
    }
    all
}

fn limits(node: &Node, problems: &mut Problems<'_>) -> Option<PrincipalLimits> {
    let fields = problems.fields(node, "limits", LIMITS)?;
    Some(PrincipalLimits {
        timeout: fields.read("timeout", |node, key| {
            problems.duration(node, key, (MOMENT, DAY))
        }),
        grace: super::grace(&fields, problems),
        capture: super::capture(&fields, problems),
        output: super::output_characters(&fields, problems),
        concurrency: fields.read("concurrency", |node, key| {
            problems.amount(node, key, 1..=10_000)
        }),
        rate_limit: fields.read("rate_limit", |node, _| selector::rate_limit(node, problems)),
        http: http::caps(&fields, problems),
    })
}
