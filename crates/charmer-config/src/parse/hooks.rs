//! The key `hooks`.

use std::time::Duration;

use charmer_run::HookMoment;

use crate::{
    HookRules,
    read::Problems,
    yaml::{Node, Quoted},
};

use super::MOMENT;

/// The keys of `hooks`.
pub const HOOKS: &[&str] = &["before", "after", "error", "timeout"];
/// The longest that a hook may take: a call waits for it, and clients wait no longer than this.
const LONGEST: Duration = Duration::from_secs(300);

/// Reads `hooks`.
pub fn hooks(node: &Node, problems: &mut Problems<'_>) -> Option<HookRules> {
    let fields = problems.fields(node, "hooks", HOOKS)?;
    let command = |moment: HookMoment, problems: &mut Problems<'_>| {
        let key = moment.as_str();
        fields
            .get(key)
            .map(|node| command(node, key, problems))
            .unwrap_or_default()
    };
    let rules = HookRules {
        before: command(HookMoment::Before, problems),
        after: command(HookMoment::After, problems),
        error: command(HookMoment::Error, problems),
        timeout: fields.read("timeout", |node, key| {
            problems.duration(node, key, (MOMENT, LONGEST))
        }),
        folder: None,
    };
    if let Some((name, _)) = fields.entry("timeout")
        && !HOOKS[..3].iter().any(|key| fields.get(key).is_some())
    {
        problems
            .add(name.span.clone(), "`hooks` names no program")
            .hint("add `before`, `after` or `error`, as in `before: [./policy.py]`");
    }
    Some(rules)
}

/// A program and its arguments.
fn command(node: &Node, key: &str, problems: &mut Problems<'_>) -> Vec<String> {
    let hint = "name a program, as in `[./policy.py, --strict]`";
    let [program, arguments @ ..] = problems.list(node, key, hint) else {
        return Vec::new();
    };
    let Some(name) = problems.word(program, key) else {
        return Vec::new();
    };
    if name.starts_with('~') {
        problems
            .add(
                program.span.clone(),
                format!("{} is no program: `~` has no meaning here", Quoted(&name)),
            )
            .hint("write the folder out, or a path from the folder of this file");
    }
    let arguments = arguments
        .iter()
        .filter_map(|node| problems.text_of(node, key));
    [name].into_iter().chain(arguments).collect()
}
