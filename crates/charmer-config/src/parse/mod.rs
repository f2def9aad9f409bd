//! From the tree to the types, key by key. A file's readers are here, in `source`, `confine`, `drafts`, `overrides`,
//! `output`, `expose`, `hooks` and `selector`.
//!
//! Keys that are not in a mapping's list are mistakes; the lists are compared with the JSON Schema by a test.

mod ask;
mod confine;
mod drafts;
mod expose;
pub(crate) mod hooks;
mod http;
mod knowledge;
pub(crate) mod output;
mod overrides;
mod principals;
pub(crate) mod profile;
mod selector;
mod source;

pub(crate) use source::has_key;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    AuditSettings, Config, Diagnostics, LimitSettings, Log, LogFormat, Pattern, Redact, Secret,
    ServerRules, SpoolKey, SpoolSettings,
    narrow::Narrowing,
    output::RESULTS,
    place::Finding,
    read::{Fields, Problems},
    reading::{self, TextRead},
    yaml::{Node, YamlKind},
};

/// The longest time that anything may take or wait.
const MOMENT: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

const CONFIG: &[&str] = &[
    "include",
    "sources",
    "server",
    "limits",
    "structure",
    "results",
    "expose",
    "prompts",
    "confine",
    "drafts",
    "hooks",
    "ask",
    "redact",
    "audit",
    "spool",
    "http",
    "principals",
    "log",
];
const SERVER: &[&str] = &["name", "version", "instructions"];
const LIMITS: &[&str] = &[
    "timeout",
    "job",
    "background_after",
    "grace",
    "capture",
    "output",
    "media",
    "max_items",
    "concurrency",
    "queue",
];
const REDACT: &[&str] = &["values", "environment", "patterns"];
/// The audit logs that are kept aside, if nothing else is said.
const KEPT_LOGS: usize = 10;
const AUDIT: &[&str] = &["file", "fail_closed", "rotate", "keep"];
const SPOOL: &[&str] = &["size", "files", "lifetime"];
const LOG: &[&str] = &["calls", "format"];
const LOG_FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];

/// Reads the file's text. With the folder that holds it, the files that it names are read too.
pub(crate) fn config(text: &str, file: &str, folder: Option<&Path>) -> Result<Config, Diagnostics> {
    let read = reading::read(text, file, |tree, problems| {
        Some(whole(tree, folder, problems))
    });
    match read.mistakes {
        Some(mistakes) => Err(mistakes),
        None => Ok(Config {
            advice: read.advice,
            ..read.value.unwrap_or_default()
        }),
    }
}

/// Reads a text that is valid once more, narrowed to what the file that it includes lets through.
pub(crate) fn narrowed(
    text: &str,
    file: &str,
    folder: &Path,
    base: Config,
    base_file: &Path,
) -> Result<Config, Diagnostics> {
    let read = reading::read(text, file, |tree, problems| {
        let mut own = whole(tree, Some(folder), problems);
        own.resolve(folder);
        let mut narrowing = Narrowing::new(tree, base_file);
        let both = narrowing.config(base, own);
        show(tree, problems, &narrowing.findings);
        Some(both)
    });
    match read.mistakes {
        Some(mistakes) => Err(mistakes),
        None => Ok(Config {
            advice: read.advice,
            ..read.value.unwrap_or_default()
        }),
    }
}

/// Reads a text that is valid once more, to show what was found out about it later where it stands.
pub(crate) fn diagnose(
    text: &str,
    file: &str,
    folder: Option<&Path>,
    findings: &[Finding],
) -> TextRead<()> {
    reading::read(text, file, |tree, problems| {
        // For what must not be shown, and for its advice.
        whole(tree, folder, problems);
        show(tree, problems, findings);
        Some(())
    })
}

/// Notes what was found out about a tree.
pub(crate) fn show(tree: &Node, problems: &mut Problems<'_>, findings: &[Finding]) {
    for finding in findings {
        let span = finding.place.span_in(tree);
        let added = match finding.is_mistake {
            true => problems.add(span, finding.message.as_str()),
            false => problems.advise(span, finding.message.as_str()),
        };
        if let Some(hint) = &finding.hint {
            added.hint(hint.as_str());
        }
    }
}

fn whole(tree: &Node, folder: Option<&Path>, problems: &mut Problems<'_>) -> Config {
    let mut config = Config::default();
    if matches!(tree.kind, YamlKind::Null) {
        problems
            .add(0..0, "the file says nothing")
            .hint("begin with `sources:` and, below it, `  - binary: NAME`");
        return config;
    }
    let Some(fields) = problems.fields(tree, "charmer.yaml", CONFIG) else {
        return config;
    };
    config.include = fields
        .get("include")
        .and_then(|node| include(node, problems));
    if let Some(node) = fields.get("sources") {
        config.sources = problems
            .list(node, "sources", "add an entry like `- binary: kubectl`")
            .iter()
            .filter_map(|entry| source::source(entry, folder, problems))
            .collect();
    }
    if let Some(node) = fields.get("server") {
        config.server = server(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("limits") {
        config.limits = limits(node, problems).unwrap_or_default();
    }
    config.structure = fields
        .get("structure")
        .and_then(|node| output::structure(node, problems));
    config.results = fields
        .get("results")
        .and_then(|node| problems.choice(node, "results", RESULTS));
    if let Some(node) = fields.get("expose") {
        config.expose = expose::expose(node, problems).unwrap_or_default();
    }
    config.prompts = fields
        .get("prompts")
        .and_then(|node| problems.switch(node, "prompts"))
        .unwrap_or(false);
    if let Some(node) = fields.get("confine") {
        config.confine = confine::confine(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("drafts") {
        config.drafts = drafts::drafts(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("hooks") {
        config.hooks = hooks::hooks(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("ask") {
        config.ask = ask::ask(node, problems);
    }
    if let Some(node) = fields.get("redact") {
        config.redact = redact(node, problems).unwrap_or_default();
    }
    config.audit = fields.get("audit").and_then(|node| audit(node, problems));
    if let Some(node) = fields.get("spool") {
        config.spool = spool(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("http") {
        config.http = http::http(node, problems).unwrap_or_default();
    }
    if let Some(node) = fields.get("principals") {
        config.principals = principals::principals(node, problems);
    }
    if let Some(node) = fields.get("log") {
        config.log = log(node, problems).unwrap_or_default();
    }
    config
}

fn include(node: &Node, problems: &mut Problems<'_>) -> Option<PathBuf> {
    if let YamlKind::List(_) = &node.kind {
        problems
            .add(node.span.clone(), "`include` names one file")
            .hint("let that file include the next one");
        return None;
    }
    problems.word(node, "include").map(PathBuf::from)
}

fn server(node: &Node, problems: &mut Problems<'_>) -> Option<ServerRules> {
    let fields = problems.fields(node, "server", SERVER)?;
    let mut text = |key: &str| fields.get(key).and_then(|node| problems.word(node, key));
    Some(ServerRules {
        name: text("name"),
        version: text("version"),
        instructions: text("instructions"),
    })
}

/// The time that a program may take to end, as all have it who can say it.
fn grace(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Duration> {
    fields.read("grace", |node, key| {
        problems.duration(node, key, (Duration::ZERO, HOUR))
    })
}

/// The bytes of a stream that are kept.
fn capture(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<u64> {
    fields.read("capture", |node, key| {
        problems.size(node, key, (1 << 10, 1 << 30))
    })
}

/// The characters of a stream that an assistant gets.
fn output_characters(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<usize> {
    fields.read("output", |node, key| {
        problems.amount(node, key, 100..=100_000_000)
    })
}

fn limits(node: &Node, problems: &mut Problems<'_>) -> Option<LimitSettings> {
    let fields = problems.fields(node, "limits", LIMITS)?;
    Some(LimitSettings {
        timeout: fields
            .get("timeout")
            .and_then(|node| problems.duration(node, "timeout", (MOMENT, DAY))),
        job: fields
            .get("job")
            .and_then(|node| problems.duration(node, "job", (MOMENT, DAY))),
        background_after: fields
            .get("background_after")
            .and_then(|node| problems.duration(node, "background_after", (MOMENT, DAY))),
        grace: grace(&fields, problems),
        capture: capture(&fields, problems),
        output: output_characters(&fields, problems),
        media: fields
            .get("media")
            .and_then(|node| problems.size(node, "media", (0, 64 << 20))),
        max_items: fields
            .get("max_items")
            .and_then(|node| output::max_items(node, problems)),
        concurrency: fields
            .get("concurrency")
            .and_then(|node| problems.amount(node, "concurrency", 1..=10_000)),
        queue: fields
            .get("queue")
            .and_then(|node| problems.amount(node, "queue", 0..=1_000_000)),
    })
}

fn redact(node: &Node, problems: &mut Problems<'_>) -> Option<Redact> {
    let fields = problems.fields(node, "redact", REDACT)?;
    let mut redact = Redact::default();
    if let Some(node) = fields.get("values") {
        problems.hide(node);
        redact.values = problems
            .words(node, "values", "add a secret, or remove the key")
            .into_iter()
            .map(Secret)
            .collect();
    }
    if let Some(node) = fields.get("environment") {
        redact.environment = source::variables(node, "environment", problems);
    }
    if let Some(node) = fields.get("patterns") {
        redact.patterns = problems
            .list(
                node,
                "patterns",
                "add a regular expression, or remove the key",
            )
            .iter()
            .filter_map(|element| {
                let pattern = problems.pattern(element, "patterns", Pattern::anywhere)?;
                if pattern.matches_empty() {
                    problems
                        .add(element.span.clone(), "this pattern matches empty text")
                        .hint("everything would be redacted: use `+` in the place of `*`");
                    return None;
                }
                Some(pattern)
            })
            .collect();
    }
    Some(redact)
}

fn audit(node: &Node, problems: &mut Problems<'_>) -> Option<AuditSettings> {
    let fields = problems.fields(node, "audit", AUDIT)?;
    let fail_closed = fields
        .get("fail_closed")
        .and_then(|node| problems.switch(node, "fail_closed"));
    let rotate = fields
        .get("rotate")
        .and_then(|node| problems.size(node, "rotate", (1 << 10, 100 << 30)));
    let keep = fields
        .get("keep")
        .and_then(|node| problems.amount(node, "keep", 1..=1000));
    let file = fields.require("file", problems)?;
    Some(AuditSettings {
        rotate,
        keep: keep.unwrap_or(KEPT_LOGS),
        file: PathBuf::from(problems.word(file, "file")?),
        fail_closed: fail_closed.unwrap_or(false),
    })
}

fn spool(node: &Node, problems: &mut Problems<'_>) -> Option<SpoolKey> {
    match &node.kind {
        // `off` is text to YAML 1.2 and `false` to YAML 1.1; both are meant.
        YamlKind::Text(text) if text == "off" => return Some(SpoolKey::Off),
        YamlKind::Bool(false) => return Some(SpoolKey::Off),
        _ => {}
    }
    let fields = problems.fields_or(node, "spool", SPOOL, "a mapping or `off`")?;
    Some(SpoolKey::On(SpoolSettings {
        size: fields
            .get("size")
            .and_then(|node| problems.size(node, "size", (1 << 10, 100 << 30))),
        files: fields
            .get("files")
            .and_then(|node| problems.amount(node, "files", 1..=100_000)),
        lifetime: fields
            .get("lifetime")
            .and_then(|node| problems.duration(node, "lifetime", (MOMENT, 30 * DAY))),
    }))
}

fn log(node: &Node, problems: &mut Problems<'_>) -> Option<Log> {
    let fields = problems.fields(node, "log", LOG)?;
    let calls = fields
        .get("calls")
        .and_then(|node| problems.switch(node, "calls"));
    let format = fields
        .get("format")
        .and_then(|node| problems.choice(node, "format", LOG_FORMATS));
    Some(Log {
        calls: calls.unwrap_or(false),
        format: format.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The keys of a mapping, by its place in the schema.
    fn schema_keys(schema: &Value, pointer: &str) -> Vec<String> {
        let object = schema.pointer(pointer).expect("it is in the schema");
        assert_eq!(
            object["additionalProperties"], false,
            "{pointer} lets unknown keys in"
        );
        let properties = object["properties"].as_object().expect("it has keys");
        properties.keys().cloned().collect()
    }

    #[test]
    fn the_schema_has_the_keys_that_the_parser_has() {
        let schema: Value = serde_json::from_str(crate::SCHEMA).expect("the schema is JSON");
        for (pointer, keys) in [
            ("", CONFIG),
            ("/$defs/server", SERVER),
            ("/$defs/limits", LIMITS),
            ("/$defs/expose", expose::EXPOSE),
            ("/$defs/confine", confine::CONFINE),
            ("/$defs/hooks", hooks::HOOKS),
            ("/$defs/askRule", ask::RULE),
            ("/$defs/redact", REDACT),
            ("/$defs/audit", AUDIT),
            ("/$defs/spool", SPOOL),
            ("/$defs/drafts", drafts::DRAFTS),
            ("/$defs/http", http::HTTP),
            ("/$defs/httpCaps", http::PER_PRINCIPAL),
            ("/$defs/principal", principals::PRINCIPAL),
            ("/$defs/principalLimits", principals::LIMITS),
            ("/$defs/secretFile", principals::FILE),
            ("/$defs/log", LOG),
            ("/$defs/source", source::SOURCE),
            ("/$defs/expectation", source::EXPECTATION),
            ("/$defs/environment", source::ENVIRONMENT),
            ("/$defs/commandOverride", overrides::COMMAND),
            ("/$defs/flagOverride", overrides::FLAG),
            ("/$defs/argOverride", overrides::ARG),
            ("/$defs/output", output::OUTPUT),
            ("/$defs/selector", selector::SELECTOR),
            ("/$defs/commands", selector::COMMANDS),
            ("/$defs/flagLists", selector::FLAGS),
            ("/$defs/rateLimit", selector::RATE_LIMIT),
            ("/$defs/retry", selector::RETRY),
            ("/$defs/validation", selector::VALIDATION),
            ("/$defs/filter", selector::FILTER),
        ] {
            assert_eq!(schema_keys(&schema, pointer), keys, "{pointer}");
        }
    }
}
