//! The key `http`.

use std::time::Duration;

use super::{DAY, HOUR, MOMENT};
use crate::{
    HttpCaps, HttpRules,
    read::{Fields, Problems},
    yaml::Node,
};

pub(super) const HTTP: &[&str] = &[
    "allow_origins",
    "allow_hosts",
    "shared_credentials",
    "max_body",
    "header_timeout",
    "body_timeout",
    "write_timeout",
    "idle_timeout",
    "session_timeout",
    "end_timeout",
    "max_connections",
    "max_sessions",
    "max_streams",
    "max_calls",
    "per_principal",
];
pub(super) const PER_PRINCIPAL: &[&str] = &[
    "max_connections",
    "max_sessions",
    "max_streams",
    "max_calls",
];

pub(super) fn http(node: &Node, problems: &mut Problems<'_>) -> Option<HttpRules> {
    let fields = problems.fields(node, "http", HTTP)?;
    let mut rules = HttpRules {
        in_all: caps(&fields, problems),
        ..HttpRules::default()
    };
    if let Some(node) = fields.get("allow_origins") {
        rules.allow_origins = origins(node, problems);
    }
    if let Some(node) = fields.get("allow_hosts") {
        rules.allow_hosts = hosts(node, problems);
    }
    rules.shared_credentials = fields
        .read("shared_credentials", |node, key| problems.switch(node, key))
        .unwrap_or(false);
    rules.max_body = fields.read("max_body", |node, key| {
        problems.size(node, key, (1 << 10, 1 << 30))
    });
    let mut duration = |key: &str, bounds: (Duration, Duration)| {
        let node = fields.get(key)?;
        problems.duration(node, key, bounds)
    };
    rules.header_timeout = duration("header_timeout", (MOMENT, HOUR));
    rules.body_timeout = duration("body_timeout", (MOMENT, HOUR));
    rules.write_timeout = duration("write_timeout", (MOMENT, HOUR));
    rules.idle_timeout = duration("idle_timeout", (MOMENT, HOUR));
    rules.session_timeout = duration("session_timeout", (MOMENT, 30 * DAY));
    rules.end_timeout = duration("end_timeout", (Duration::ZERO, HOUR));
    if let Some(node) = fields.get("per_principal")
        && let Some(fields) = problems.fields(node, "per_principal", PER_PRINCIPAL)
    {
        rules.per_principal = caps(&fields, problems);
    }
    Some(rules)
}

pub(super) fn caps(fields: &Fields<'_>, problems: &mut Problems<'_>) -> HttpCaps {
    let mut amount = |key: &str| {
        let node = fields.get(key)?;
        problems.amount(node, key, 1..=1_000_000)
    };
    HttpCaps {
        max_connections: amount("max_connections"),
        max_sessions: amount("max_sessions"),
        max_streams: amount("max_streams"),
        max_calls: amount("max_calls"),
    }
}

/// Origins as browsers send them: no path, no name or password, nothing that stands for several.
fn origins(node: &Node, problems: &mut Problems<'_>) -> Vec<String> {
    let list = problems.list(node, "allow_origins", "add an origin, or remove the key");
    let mut origins = Vec::new();
    for element in list {
        let Some(origin) = problems.word(element, "allow_origins") else {
            continue;
        };
        let origin = origin.trim_end_matches('/');
        let host = origin.split_once("://").map(|(_, host)| host);
        if host.is_some_and(is_host) {
            origins.push(origin.to_owned());
        } else {
            problems
                .add(element.span.clone(), "this is no web origin")
                .hint("write it like `https://tools.example` or `http://localhost:3000`");
        }
    }
    origins
}

fn hosts(node: &Node, problems: &mut Problems<'_>) -> Vec<String> {
    let list = problems.list(node, "allow_hosts", "add a host, or remove the key");
    let mut hosts = Vec::new();
    for element in list {
        let Some(host) = problems.word(element, "allow_hosts") else {
            continue;
        };
        if is_host(&host) {
            hosts.push(host);
        } else {
            problems
                .add(element.span.clone(), "this is no host")
                .hint("write it like `tools.example` or `tools.example:8443`");
        }
    }
    hosts
}

/// Returns true for a text that can stand in the header `Host`.
fn is_host(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    !text.is_empty() && text.chars().all(fits)
}
