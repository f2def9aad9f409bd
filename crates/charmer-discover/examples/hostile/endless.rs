//! Programs whose help has no end worth waiting for. Each prints at once what it prints.
//!
//! | name | its help |
//! |---|---|
//! | `flags` | 60,000 flags with a value each |
//! | `completes` | a Cobra program with one flag, whose completion lists 60,000 |
//! | `echoes` | a list of 60,000 commands, whatever it is asked |
//! | `tangled` | 2 MB of brackets in brackets in its usage |
//! | `breathless` | 1 MB of options in one line |
//! | `fickle` | other commands each time, and a number that is never the same |

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    time::{SystemTime, UNIX_EPOCH},
};

/// More of anything than a program has.
const MANY: usize = 60_000;

/// Prints the help of a mode; whether there is such a mode.
pub(crate) fn print(mode: &str, words: &[&str]) -> bool {
    let text = match mode {
        "flags" => flags(),
        "completes" => completes(words),
        "echoes" => lines("Usage: echoes <command>\n\nCommands:\n", |number| {
            format!("  command{number}   The command {number}\n")
        }),
        "tangled" => format!(
            "Usage: tangled {}--deep{} FILE\n\nTangles.\n",
            "[".repeat(1 << 20),
            "]".repeat(1 << 20)
        ),
        "breathless" => lines("Usage: breathless ", |number| {
            format!("[--flag{number} <value>] ")
        }),
        "fickle" => fickle(words),
        _ => return false,
    };
    // Whoever has seen enough closes the pipe.
    let _ = io::stdout().write_all(text.as_bytes());
    true
}

fn lines(head: &str, line: impl Fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    (0..MANY).for_each(|number| text.push_str(&line(number)));
    text.push('\n');
    text
}

fn flags() -> String {
    lines("Usage: flags [OPTION]... FILE\nHas flags.\n\n", |number| {
        format!("      --flag{number}=WORD   the flag number {number}\n")
    })
}

fn completes(words: &[&str]) -> String {
    if words.first() == Some(&"__complete") {
        let mut text = lines("", |number| format!("--flag{number}\tThe flag {number}\n"));
        text.push_str(":4\n");
        return text.replace("\n\n", "\n");
    }
    "Completes.\n\nUsage:\n  completes [flags]\n\nAvailable Commands:\n  completion  Generate the autocompletion script for the specified shell\n\nFlags:\n      --one string   the only one\n\nUse \"completes [command] --help\" for more information about a command.\n".to_owned()
}

fn fickle(words: &[&str]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let path: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| *word != "help" && !word.starts_with('-'))
        .collect();
    let mut text = format!(
        "Asked at {now}.\n\nUsage:\n  fickle {} [command]\n",
        path.join(" ")
    );
    text.push_str("\nAvailable Commands:\n");
    for child in 0..3 {
        let _ = writeln!(text, "  c{}x{child}   A command", now % 1_000_000_007);
    }
    text.push_str("\nUse \"fickle [command] --help\" for more information about a command.\n");
    text
}
