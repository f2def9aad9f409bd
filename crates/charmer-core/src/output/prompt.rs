//! Detection of a program that waited for an answer when it ended badly, and of the flag that would have given it.

use crate::model::Flag;

/// Flags that answer a question before it is asked, the plainest first.
const ANSWERS: [&str; 12] = [
    "yes",
    "assume-yes",
    "confirm",
    "auto-approve",
    "force",
    "non-interactive",
    "no-input",
    "noconfirm",
    "no-confirm",
    "no-prompt",
    "batch",
    "y",
];

/// Phrases that only a question has, wherever they stand in a line.
const CERTAIN: [&str; 12] = [
    "[y/n",
    "(y/n",
    "[yes/no",
    "(yes/no",
    "y/n]",
    "y/n)",
    "(y or n)",
    "press any key",
    "press enter",
    "press return",
    "are you sure",
    "type 'yes'",
];

/// The line with which a program seems to wait for an answer: its last one, if it reads like a question.
///
/// ```
/// use charmer_core::output::waiting_line;
/// assert_eq!(waiting_line("3 files\nDelete them? [y/N] "), Some("Delete them? [y/N]"));
/// assert_eq!(waiting_line("Password: "), Some("Password:"));
/// assert_eq!(waiting_line("error: no such file\n"), None);
/// ```
pub fn waiting_line(text: &str) -> Option<&str> {
    let line = text.trim_end().lines().next_back()?.trim();
    let lower = line.to_lowercase();
    if CERTAIN.iter().any(|sign| lower.contains(sign)) {
        return Some(line);
    }
    // A question mark or colon is only a sign where the line was left open, as one leaves it for an answer.
    let left_open = !text.ends_with('\n');
    (left_open && line.ends_with(['?', ':', '>'])).then_some(line)
}

/// The flag among these that answers questions beforehand.
pub fn answering_flag<'f>(flags: impl Iterator<Item = &'f Flag> + Clone) -> Option<&'f Flag> {
    ANSWERS.iter().find_map(|name| {
        let word = if name.len() == 1 {
            format!("-{name}")
        } else {
            format!("--{name}")
        };
        flags.clone().find(|flag| flag.is_named(&word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_other_last_lines() {
        for (text, expected) in [
            ("Are you sure?\n", Some("Are you sure?")),
            (
                "Username for 'https://example.com': ",
                Some("Username for 'https://example.com':"),
            ),
            ("Proceed (y/n)?", Some("Proceed (y/n)?")),
            ("> ", Some(">")),
            ("Files:\n", None),
            ("done", None),
            ("", None),
        ] {
            assert_eq!(waiting_line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_plainest_answer_is_named() {
        let flags = [
            Flag::new("force"),
            Flag::new("quiet"),
            Flag::new("really").short('y'),
            Flag::new("yes"),
        ];
        assert_eq!(
            answering_flag(flags.iter()).map(|flag| flag.id.as_str()),
            Some("yes")
        );
        assert_eq!(
            answering_flag(flags[..3].iter()).map(|flag| flag.id.as_str()),
            Some("force")
        );
        assert_eq!(
            answering_flag(flags[2..3].iter()).map(|flag| flag.id.as_str()),
            Some("really")
        );
        assert_eq!(answering_flag(flags[1..2].iter()), None);
    }
}
