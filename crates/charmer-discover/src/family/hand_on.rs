//! Programs without subcommands that run another program: `timeout DURATION COMMAND [ARG]...`.
//!
//! What stands behind the command is that program's, so it may begin with `-`, if this program reads no options there.
//! Whether it does, its own `--help` behind the name of a command that does not exist tells: either it is shown, or
//! nothing can be run.

use crate::{
    fact::{Fact, Origin},
    help::{behind_path, says_usage},
    sketch::CommandSketch,
};

use super::{Asker, pattern, printed};

/// No program of anybody has this name.
const NO_COMMAND: &str = "charmer-no-such-command";

/// Asks a program whose usage shows a command and its arguments.
pub(super) async fn ask(asker: &Asker<'_>, root: &mut CommandSketch) {
    // If the name existed after all, the program would run it.
    if !root.path.is_root() || !asker.prober.is_confined() {
        return;
    }
    let usage = root.usage.as_ref().map_or("", |usage| usage.value.as_str());
    let places: Vec<Option<usize>> = usage
        .lines()
        .filter_map(|line| behind_path(line, &[]))
        .map(command_place)
        .collect();
    let mut found = places.iter().copied().flatten();
    let Some(place) = found.next().filter(|_| found.next().is_none()) else {
        return;
    };
    let mut words = vec![NO_COMMAND; place + 1];
    words.push("--help");
    let answer = asker.prober.run(&words).await;
    // One that does not answer may have run anything.
    let refused = answer.code.is_some_and(|code| code != 0);
    if refused && !printed(&answer).lines().any(says_usage) {
        root.options_end_behind = Some(Fact::new(place + 1, Origin::Probe));
    }
}

/// The number of positionals that a usage shows before a command with its arguments; `None` where there is no such
/// command, or something before it may be left out or be several.
fn command_place(rest: &str) -> Option<usize> {
    let part = pattern::positional_part(rest);
    let words = pattern::words(&part);
    for (at, word) in words.iter().enumerate() {
        let is_command = is_command(word);
        // The command may have its arguments in its own brackets: `[command [argument ...]]`.
        let behind = &part[part.find(word)? + word.len()..];
        if is_command && (behind.contains("...") || word.contains("...")) {
            return Some(at);
        }
        if word.starts_with('[') || word.contains("...") || word.starts_with('-') {
            return None;
        }
    }
    None
}

/// Returns true if a word of a usage stands for a program to run.
fn is_command(word: &str) -> bool {
    let inner = word.trim_start_matches(['[', '<']).chars();
    let name: String = inner.take_while(|c| c.is_alphanumeric()).collect();
    matches!(
        name.to_lowercase().as_str(),
        "command" | "cmd" | "program" | "prog" | "utility"
    )
}

/// Returns true if the first positional of a program without subcommands is a program, which it runs, maybe for ever.
pub(super) fn runs_first_word(root: &CommandSketch) -> bool {
    let usage = root.usage.as_ref().map_or("", |usage| usage.value.as_str());
    let mut rests = usage.lines().filter_map(|line| behind_path(line, &[]));
    root.children.is_empty()
        && rests.any(|rest| {
            let part = pattern::positional_part(rest);
            let words = pattern::words(&part);
            words.first().is_some_and(|word| is_command(word))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_run_where_the_usage_says_so() {
        for (usage, expected) in [
            ("spy [options] command", true),
            ("nap [OPTION] DURATION COMMAND [ARG]...", false),
            ("tool [options] FILE", false),
        ] {
            let root = CommandSketch {
                usage: Some(Fact::new(usage.to_owned(), Origin::Usage)),
                ..CommandSketch::default()
            };
            assert_eq!(runs_first_word(&root), expected, "{usage}");
        }
    }

    #[test]
    fn the_command_stands_behind_a_known_number_of_positionals() {
        for (usage, expected) in [
            ("[OPTION] DURATION COMMAND [ARG]...", Some(1)),
            ("[OPTION]... COMMAND [INITIAL-ARGS]...", Some(0)),
            ("[-46AaCf] destination [command [argument ...]]", Some(1)),
            ("[options] <program> [arguments ...]", Some(0)),
            ("[OPTION]... [NAME=VALUE]... [COMMAND [ARG]...]", None),
            ("[OPTION]... FILE...", None),
            ("COMMAND", None),
            ("", None),
        ] {
            assert_eq!(command_place(usage), expected, "{usage}");
        }
    }
}
