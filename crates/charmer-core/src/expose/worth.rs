//! How much it is worth to have a command at hand, without a search for it.

use std::collections::HashMap;

use crate::{model::Effect, tool::Tool};

/// Verbs that people use every day, whatever the program.
const DAILY: [&str; 46] = [
    "add", "apply", "build", "check", "checkout", "clone", "commit", "create", "describe", "diff",
    "exec", "find", "get", "grep", "images", "info", "inspect", "install", "list", "log", "logs",
    "ls", "merge", "open", "ps", "pull", "push", "query", "read", "restart", "run", "search",
    "show", "start", "stat", "stats", "status", "stop", "switch", "test", "top", "tree", "up",
    "update", "version", "view",
];

/// How many commands of a program are among its first.
const EARLY: usize = 24;
/// How many commands a large group has.
const LARGE: usize = 16;

/// How much it is worth to have each of these tools in the list: numbers that mean something only beside each other.
///
/// What somebody wrote for assistants (a spell, a tool of an author's) comes first. Of a program's commands, those that
/// only read come before those that write, those near the root before those deep down, everyday verbs before others. A
/// program names first what is used most, and has the most to say on what it is about.
pub(super) fn worths(tools: &[&Tool]) -> Vec<f64> {
    let mut siblings: HashMap<(&str, &[String]), usize> = HashMap::new();
    for tool in tools {
        *siblings.entry(group(tool)).or_default() += 1;
    }
    let mut before: HashMap<&str, usize> = HashMap::new();
    let mut all = Vec::with_capacity(tools.len());
    for &tool in tools {
        let before = before.entry(&tool.help.program).or_default();
        *before += 1;
        all.push(worth(tool, siblings[&group(tool)], *before));
    }
    all
}

/// What one is worth that has so many siblings and so many of its program before it.
fn worth(tool: &Tool, siblings: usize, before: usize) -> f64 {
    if tool.input.levels.is_empty() {
        return WRITTEN;
    }
    let effect = match tool.help.effect {
        Effect::Read => 3.0,
        Effect::Write => 2.0,
        Effect::Unknown => 1.5,
        Effect::Destroy => 0.0,
    };
    let words = tool.path.words();
    let near = match words.len() {
        0 | 1 => 4.0,
        2 => 4.0 * siblings.min(LARGE) as f64 / LARGE as f64,
        _ => 0.0,
    };
    let verb = words
        .last()
        .is_some_and(|word| DAILY.contains(&word.as_str()));
    let early = match tool.help.effect {
        Effect::Destroy => 0.0,
        _ => 1.0 - before.min(EARLY) as f64 / EARLY as f64,
    };
    effect + near + if verb { 4.0 } else { 0.0 } + 3.0 * early
}

/// What was written for assistants is worth more than any command of a program.
const WRITTEN: f64 = 20.0;

/// The program of a tool, and the group of commands that it stands in.
fn group(tool: &Tool) -> (&str, &[String]) {
    let words = tool.path.words();
    (&tool.help.program, &words[..words.len().saturating_sub(1)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Cli, Command, Hints, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    #[test]
    fn reading_what_is_near_comes_first() {
        let leaf = |name: &str, effect| Command::new(name).hints(Hints::new(effect));
        let root = Command::new("x")
            .not_runnable()
            .command(leaf("list", Effect::Read))
            .command(leaf("frob", Effect::Read))
            .command(leaf("wipe", Effect::Destroy))
            .command(
                Command::new("deep")
                    .not_runnable()
                    .command(leaf("frob", Effect::Read)),
            );
        let tools = catalogue(
            &Cli::new(root, Syntax::pflag()),
            &CatalogueOptions::default(),
        )
        .tools;
        let tools: Vec<&Tool> = tools.iter().map(|tool| &**tool).collect();
        let named = worths(&tools).into_iter().zip(&tools);
        let mut named: Vec<(f64, &str)> = named
            .map(|(worth, tool)| (worth, tool.name.as_str()))
            .collect();
        named.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let names: Vec<&str> = named.into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["x_list", "x_frob", "x_deep_frob", "x_wipe"]);
    }
}
