//! The key `expose`.

use charmer_core::expose::{Expose, Visibility};

use crate::{
    ExposeRules,
    expose::{DESCRIPTIONS, MODES, WISHES},
    read::Problems,
    yaml::{Node, YamlKind},
};

pub(super) const EXPOSE: &[&str] = &["mode", "budget", "descriptions", "pin", "hide", "promote"];
/// Less than this holds not even the tools that find others.
const LEAST: u64 = 1000;

/// At the top of the file: a mode, or a mapping.
pub(super) fn expose(node: &Node, problems: &mut Problems<'_>) -> Option<ExposeRules> {
    if matches!(node.kind, YamlKind::Text(_)) {
        let mode = problems.choice(node, "expose", MODES)?;
        return Some(ExposeRules {
            mode: Some(mode),
            ..ExposeRules::default()
        });
    }
    let fields = problems.fields(node, "expose", EXPOSE)?;
    let globs = |key: &str, problems: &mut Problems<'_>| {
        let node = fields.get(key);
        node.map(|node| problems.words(node, key, "add a command, or remove the key"))
            .unwrap_or_default()
    };
    let rules = ExposeRules {
        mode: fields.read("mode", |node, key| problems.choice(node, key, MODES)),
        budget: fields.read("budget", |node, key| {
            problems.amount(node, key, LEAST..=10_000_000)
        }),
        descriptions: fields.read("descriptions", |node, key| {
            problems.choice(node, key, DESCRIPTIONS)
        }),
        pin: globs("pin", problems),
        hide: globs("hide", problems),
        promote: fields
            .read("promote", |node, key| problems.switch(node, key))
            .unwrap_or(false),
    };
    let idle: &[&str] = match rules.mode {
        Some(Expose::All) => &["budget", "pin", "hide", "promote"],
        Some(Expose::Index) => &["budget"],
        _ => &[],
    };
    for key in idle {
        if let Some((name, _)) = fields.entry(key) {
            problems
                .add(
                    name.span.clone(),
                    format!("`{key}` has no meaning with this `mode`"),
                )
                .hint("remove it, or choose `mode: auto`");
        }
    }
    Some(rules)
}

/// In a selector.
pub(super) fn visibility(node: &Node, problems: &mut Problems<'_>) -> Option<Visibility> {
    problems.choice(node, "expose", WISHES)
}
