//! The keys `confine`, `network` and `credentials`.

use std::path::PathBuf;

use charmer_core::model::Network;

use crate::{
    Confine, ConfineMode,
    read::Problems,
    yaml::{Node, Quoted, YamlKind},
};

pub(super) const CONFINE: &[&str] = &["mode", "writable"];

pub(super) fn confine(node: &Node, problems: &mut Problems<'_>) -> Option<Confine> {
    if matches!(node.kind, YamlKind::Text(_) | YamlKind::Bool(false)) {
        let mode = mode(node, "confine", problems)?;
        return Some(Confine {
            mode: Some(mode),
            ..Confine::default()
        });
    }
    let expected = "`auto`, `names`, `off` or a mapping";
    let fields = problems.fields_or(node, "confine", CONFINE, expected)?;
    Some(Confine {
        mode: fields.read("mode", |node, key| mode(node, key, problems)),
        writable: fields
            .get("writable")
            .map(|node| paths(node, "writable", problems))
            .unwrap_or_default(),
    })
}

fn mode(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<ConfineMode> {
    // `off` is text to YAML 1.2 and `false` to YAML 1.1; both are meant.
    if matches!(node.kind, YamlKind::Bool(false)) {
        return Some(ConfineMode::Off);
    }
    problems.choice(node, what, &ConfineMode::NAMES)
}

pub(super) fn network(node: &Node, problems: &mut Problems<'_>) -> Option<Network> {
    problems.choice(node, "network", &Network::NAMES)
}

/// A list of paths, of which some may begin with `~/`.
pub(super) fn paths(node: &Node, what: &str, problems: &mut Problems<'_>) -> Vec<PathBuf> {
    problems
        .list(node, what, "add a path, or remove the key")
        .iter()
        .filter_map(|element| {
            let text = problems.word(element, what)?;
            if text.starts_with('~') && text != "~" && !text.starts_with("~/") {
                problems
                    .add(
                        element.span.clone(),
                        format!("{} names the home folder of somebody else", Quoted(&text)),
                    )
                    .hint("write that folder out; `~/` is your own");
                return None;
            }
            Some(PathBuf::from(text))
        })
        .collect()
}
