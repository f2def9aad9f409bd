//! The key `drafts`.

use charmer_core::model::Effect;

use crate::{
    DraftSettings, DraftedCalls,
    drafts::APPLIERS,
    read::Problems,
    yaml::{Node, YamlKind},
};

use super::{DAY, MOMENT};

/// No draft changes more files.
const MOST_FILES: u64 = 250_000;

pub(super) const DRAFTS: &[&str] = &["effect", "at_most", "never", "apply", "disk", "lifetime"];

/// The effects from which on calls are drafts.
const EFFECTS: &[(&str, Effect)] = &[("write", Effect::Write), ("destroy", Effect::Destroy)];

pub(super) fn drafts(node: &Node, problems: &mut Problems<'_>) -> Option<DraftSettings> {
    if matches!(node.kind, YamlKind::Text(_)) {
        return Some(DraftSettings {
            effect: problems.choice(node, "drafts", EFFECTS),
            ..DraftSettings::default()
        });
    }
    let expected = "`write`, `destroy` or a mapping";
    let fields = problems.fields_or(node, "drafts", DRAFTS, expected)?;
    Some(DraftSettings {
        effect: fields
            .get("effect")
            .and_then(|node| problems.choice(node, "effect", EFFECTS)),
        at_most: fields.get("at_most").and_then(|node| files(node, problems)),
        never: fields.get("never").map(|node| globs(node, problems)),
        apply: fields
            .get("apply")
            .and_then(|node| problems.choice(node, "apply", &APPLIERS)),
        disk: fields
            .get("disk")
            .and_then(|node| problems.size(node, "disk", (1 << 20, 1 << 40))),
        lifetime: fields
            .get("lifetime")
            .and_then(|node| problems.duration(node, "lifetime", (MOMENT, DAY))),
    })
}

/// The key `drafts` of a source: a word, because what may be applied, and by whom, holds for all of a file.
pub(super) fn of_source(node: &Node, problems: &mut Problems<'_>) -> Option<DraftedCalls> {
    let effects = EFFECTS.iter();
    let effects = effects.map(|(name, effect)| (*name, DraftedCalls::From(*effect)));
    let choices: Vec<(&str, DraftedCalls)> =
        effects.chain([("never", DraftedCalls::Never)]).collect();
    problems.choice(node, "drafts", &choices)
}

/// A number of files: `20 files`, or the number alone.
fn files(node: &Node, problems: &mut Problems<'_>) -> Option<usize> {
    if let YamlKind::Text(text) = &node.kind {
        let count = text
            .strip_suffix("files")
            .or_else(|| text.strip_suffix("file"));
        return match count.map(|count| count.trim().parse()) {
            Some(Ok(count)) => Some(count),
            _ => {
                let message = "`at_most` is a number of files";
                problems
                    .add(node.span.clone(), message)
                    .hint("write it as `20 files`");
                None
            }
        };
    }
    problems.amount(node, "at_most", 0..=MOST_FILES)
}

fn globs(node: &Node, problems: &mut Problems<'_>) -> Vec<String> {
    // An empty list says that nothing is forbidden, not even what is without the key.
    if matches!(&node.kind, YamlKind::List(list) if list.is_empty()) {
        return Vec::new();
    }
    let globs = problems.list(node, "never", "add a glob, or remove the key");
    let globs = globs.iter().filter_map(|glob| problems.word(glob, "never"));
    globs.collect()
}
