//! Signs that a help text speaks of commands or options, however it lists them.

use super::grouped::grouped_rows;

/// Returns true if a text shows how the help of a command is asked for (`tool help <command>`, `tool <command>
/// --help`), or a subcommand in its usage. `tool <command>` alone may run another program; with a heading over commands
/// it does not.
pub(crate) fn speaks_of_commands(text: &str, program: &str) -> bool {
    let program = program.to_lowercase();
    if takes_command(text, &program) && text.lines().any(heads_commands) {
        return true;
    }
    if text.lines().any(lists_commands) || !grouped_rows(text, &program).is_empty() {
        return true;
    }
    text.lines().any(|line| {
        let line = line.to_lowercase();
        let words: Vec<&str> = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', '`', '“', '”', '‘', '’', '.', ',']))
            .collect();
        let named = words.iter().enumerate();
        let mut named = named.filter(|(_, word)| **word == program);
        named.any(|(at, _)| asks_for_help(&words[at + 1..]))
    })
}

/// `Available subcommands: convert run trust`: a heading with the commands in its own line.
fn lists_commands(line: &str) -> bool {
    let line = line.to_lowercase();
    let heads = |heading: &str| matches!(heading, "available commands" | "available subcommands");
    let behind = line.split_once(':').filter(|(heading, _)| heads(heading));
    behind.is_some_and(|(_, names)| names.split_whitespace().count() > 1)
}

/// Returns true if a usage begins with a program's name, which may have its version behind it, and a place for a
/// command.
fn takes_command(text: &str, program: &str) -> bool {
    text.lines().any(|line| {
        let line = line.to_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        words.windows(2).any(|pair| {
            let version = program.strip_prefix(pair[0]);
            let named = version.is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
            named && (pair[1] == "command" || is_any_command(pair[1]))
        })
    })
}

/// Returns true if a line is a heading of a few words, the last of which is `commands`.
pub(crate) fn heads_commands(line: &str) -> bool {
    let words: Vec<&str> = line.trim_end().trim_end_matches(':').split(' ').collect();
    !line.starts_with(char::is_whitespace)
        && words.len() <= 3
        && words
            .last()
            .is_some_and(|word| word.eq_ignore_ascii_case("commands"))
}

/// Returns true if a usage has a place for options: `[OPTIONS]`, `[option]...`. Behind `<command>` they are that command's.
pub(crate) fn speaks_of_options(usage: &str) -> bool {
    let own = |line: &str| {
        let words = line.split_whitespace();
        let own = words.take_while(|word| !is_any_command(&word.to_lowercase()));
        own.map(str::to_owned).collect::<Vec<String>>()
    };
    usage.lines().flat_map(own).any(|word| {
        let word = word.trim_end_matches('.').to_lowercase();
        matches!(
            word.as_str(),
            "[options]" | "[option]" | "[options...]" | "[flags]" | "[opts]"
        )
    })
}

/// Returns true if the words behind a program's name ask for the help of any command.
fn asks_for_help(behind: &[&str]) -> bool {
    match behind {
        ["help", word, ..] => is_any_command(word),
        [word, help, ..] if is_any_command(word) => {
            matches!(*help, "help" | "--help" | "-h") || is_any_command(help)
        }
        _ => false,
    }
}

/// `<command>`, `[subcommand]`: a placeholder, and no word of a sentence.
pub(super) fn is_any_command(word: &str) -> bool {
    let inner = word.strip_prefix(['<', '[', '{']).unwrap_or_default();
    let inner = inner.trim_end_matches(['>', ']', '}', '.']);
    matches!(inner, "command" | "subcommand" | "cmd" | "sub-command")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_speak_of_commands() {
        for (text, expected) in [
            (
                "To see help text, you can run:\n\n  tool <command> help\n",
                true,
            ),
            ("Use \"tool help <command>\" for more.\n", true),
            ("Run `tool [command] --help`.\n", true),
            ("usage: tool <command> <subcommand> [parameters]\n", true),
            ("usage: tool [options] <command> [args...]\n", false),
            ("usage: tool <command>\n", false),
            (
                "SYNOPSIS\n  tool COMMAND [ARGS]\n\nPRIMARY COMMANDS\n  tool-add(1)\n",
                true,
            ),
            ("Usage: tool3.1 COMMAND\n\nCommands:\n", false),
            ("Usage: other COMMAND\n\nCommands:\n", false),
            ("Usage: tool FILE\n\nSUMMARY OF ALL COMMANDS\n", false),
            ("tool help command of its own\n", false),
            ("Available subcommands: dip run trust\n", true),
            ("Available commands:\n  dip   Dip it\n", false),
        ] {
            assert_eq!(speaks_of_commands(text, "tool"), expected, "{text}");
        }
    }

    #[test]
    fn ways_to_speak_of_options() {
        for (usage, expected) in [
            ("tool [OPTIONS] <file>", true),
            ("tool [option]... file", true),
            ("tool options file", false),
            ("tool [-a] file", false),
            ("tool <command> [options] [args]", false),
            ("tool <command>\ntool [options]", true),
        ] {
            assert_eq!(speaks_of_options(usage), expected, "{usage}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(a help|<command>|[a-z<> \\n]|[\\PC]){0,80}") {
            speaks_of_commands(&text, "a");
        }
    }
}
