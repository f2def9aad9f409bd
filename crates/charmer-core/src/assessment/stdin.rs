//! Commands that read standard input, told from their help.

use crate::model::Command;

/// Phrases in sentences about commands that read it.
const READS: [&str; 14] = [
    "from stdin",
    "or stdin",
    "or standard input",
    "from standard input",
    "from the standard input",
    "read stdin",
    "reads stdin",
    "read standard input",
    "reads standard input",
    "read the standard input",
    "on stdin",
    "on standard input",
    "through stdin",
    "via stdin",
];
/// Phrases in sentences that speak of something else.
const NOT: [&str; 6] = [" not ", "n't ", "never", "ignor", "instead of", "closed"];

/// Returns true if the help of a command, or of one of its flags and arguments, says that it reads standard input.
///
/// ```
/// use charmer_core::{assessment::reads_stdin, model::{Command, Flag}};
/// let says = |text: &str| reads_stdin(&Command::new("add").about(text));
/// assert!(says("Adds entries from a file or from stdin"));
/// assert!(!says("Never reads from stdin. Adds entries."));
/// assert!(reads_stdin(&Command::new("login").flag(Flag::new("password-stdin").help("Take it from standard input"))));
/// ```
pub fn reads_stdin(command: &Command) -> bool {
    let flags = command.flags.iter().map(|flag| &flag.help);
    let arguments = command.arguments.listed().iter().map(|one| &one.help);
    [&command.about, &command.long_about]
        .into_iter()
        .chain(flags)
        .chain(arguments)
        .flatten()
        .any(|text| says_so(text))
}

fn says_so(text: &str) -> bool {
    // Most texts do not speak of it at all.
    let lower = text.to_lowercase();
    if !lower.contains("stdin") && !lower.contains("standard") {
        return false;
    }
    let plain = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    plain.split(['.', ';']).any(|sentence| {
        let sentence = format!("{sentence} ");
        READS.iter().any(|said| sentence.contains(said))
            && !NOT.iter().any(|not| sentence.contains(not))
    })
}
