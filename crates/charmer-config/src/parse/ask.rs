//! The key `ask`.

use std::time::Duration;

use charmer_core::model::Effect;
use charmer_run::{AskWay, AskWhen};

use crate::{
    AskEntry, Pattern,
    ask::WHEN,
    read::Problems,
    yaml::{Node, YamlKind},
};

use super::{
    DAY,
    selector::EFFECTS,
    source::{first_key, flag},
};

/// The keys of a rule.
pub(super) const RULE: &[&str] = &[
    "effect", "command", "argument", "pattern", "when", "by", "timeout",
];
const WAYS: &[(&str, AskWay)] = &[("terminal", AskWay::Terminal), ("client", AskWay::Client)];
/// The shortest time that a person may have: nobody reads a command line in less.
const SHORTEST: Duration = Duration::from_secs(1);

/// Reads `ask`: a word for all calls, or a list of rules.
pub(super) fn ask(node: &Node, problems: &mut Problems<'_>) -> Vec<AskEntry> {
    let mut entries = match &node.kind {
        YamlKind::Text(_) => word(node, problems).into_iter().collect(),
        YamlKind::Map(_) => rule(node, problems).into_iter().collect(),
        _ => problems
            .list(node, "ask", "add a rule like `- effect: destroy`")
            .iter()
            .filter_map(|entry| rule(entry, problems))
            .collect::<Vec<_>>(),
    };
    // Whatever stands behind a rule for every call is for none.
    if let Some(all) = entries.iter().position(is_for_all)
        && all + 1 < entries.len()
        && let YamlKind::List(list) = &node.kind
        && list.len() == entries.len()
    {
        let span = first_key(&list[all + 1]);
        problems
            .add(
                span,
                "no call comes to this rule: the one before is for every call",
            )
            .hint("the first rule that matches decides: put it before that one, or remove it");
        entries.truncate(all + 1);
    }
    entries
}

fn is_for_all(entry: &AskEntry) -> bool {
    entry.effect.is_none() && entry.command.is_empty() && entry.argument.is_none()
}

/// The words of `--ask`, and those of `when` for every call.
fn word(node: &Node, problems: &mut Problems<'_>) -> Option<AskEntry> {
    let choices = [
        ("destroy", (Some(Effect::Destroy), AskWhen::Always)),
        ("write", (Some(Effect::Write), AskWhen::Always)),
        ("all", (None, AskWhen::Always)),
        ("always", (None, AskWhen::Always)),
        ("once", (None, AskWhen::Once)),
        ("never", (None, AskWhen::Never)),
    ];
    let (effect, when) = problems.choice(node, "ask", &choices)?;
    Some(AskEntry {
        effect,
        position: problems.position(node.span.start),
        ..AskEntry::new(when)
    })
}

fn rule(node: &Node, problems: &mut Problems<'_>) -> Option<AskEntry> {
    if matches!(node.kind, YamlKind::Text(_)) {
        return word(node, problems);
    }
    let fields = problems.fields(node, "ask", RULE)?;
    let when = fields.get("when");
    let when = when.map_or(Some(AskWhen::Always), |node| {
        problems.choice(node, "when", WHEN)
    })?;
    let one_or_more = |key: &str, hint: &str, problems: &mut Problems<'_>| match fields.get(key) {
        None => Vec::new(),
        Some(one) if matches!(one.kind, YamlKind::Text(_)) => {
            problems.word(one, key).into_iter().collect()
        }
        Some(list) => problems.words(list, key, hint),
    };
    let command = one_or_more("command", "name a command, or remove the key", problems);
    let argument = fields
        .get("argument")
        .and_then(|node| flag(node, "argument", problems));
    let pattern = fields
        .get("pattern")
        .and_then(|node| problems.pattern(node, "pattern", Pattern::whole));
    if let (Some((name, _)), None) = (fields.entry("pattern"), fields.get("argument")) {
        problems
            .add(name.span.clone(), "`pattern` is about no argument")
            .hint("add `argument: NAME`; `argument: args` stands for every positional");
    }
    let by = match fields.get("by") {
        None => Vec::new(),
        Some(one) if matches!(one.kind, YamlKind::Text(_)) => {
            problems.choice(one, "by", WAYS).into_iter().collect()
        }
        Some(list) => problems
            .list(
                list,
                "by",
                "name `terminal`, `client` or both: nobody could be asked",
            )
            .iter()
            .filter_map(|way| problems.choice(way, "by", WAYS))
            .collect::<Vec<_>>(),
    };
    let entry = AskEntry {
        effect: fields
            .get("effect")
            .and_then(|node| problems.choice(node, "effect", EFFECTS)),
        command,
        argument,
        pattern,
        when,
        by,
        timeout: fields
            .get("timeout")
            .and_then(|node| problems.duration(node, "timeout", (SHORTEST, DAY))),
        position: problems.position(first_key(node).start),
    };
    if when == AskWhen::Never
        && let Some((name, _)) = fields.entry("by").or_else(|| fields.entry("timeout"))
    {
        problems
            .add(
                name.span.clone(),
                "nobody is asked by a rule that says `never`",
            )
            .hint("remove this key, or write `when: always`");
    }
    Some(entry)
}
