//! The word that a usage line shows behind a flag that has a letter only: `[-o option]`, `[-J [user@]host[:port]]`.

use crate::model::Command;

/// The placeholder of a flag in its command's usage line, without what is optional in it.
pub(crate) fn placeholder(command: &Command, letter: char) -> Option<String> {
    let usage = command.usage.as_deref()?;
    let flag = format!("-{letter}");
    let mut places = usage.match_indices(&flag);
    places.find_map(|(at, _)| {
        let begins = usage[..at].chars().next_back();
        if begins.is_some_and(|c| !(c.is_whitespace() || matches!(c, '[' | '(' | '|' | '{'))) {
            return None;
        }
        let rest = usage[at + flag.len()..].strip_prefix([' ', '='])?;
        let mut depth = 0_usize;
        let mut word = String::new();
        for c in rest.chars() {
            match c {
                '[' => depth += 1,
                ']' if depth == 0 => break,
                ']' => depth -= 1,
                c if c.is_whitespace() || matches!(c, '|' | ')' | '}') => break,
                '<' | '>' => {}
                c if depth == 0 => word.push(c),
                _ => {}
            }
        }
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        (!word.is_empty() && !rest.starts_with('-')).then(|| word.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_line_names_what_a_letter_takes() {
        let ssh = Command::new("hop").usage(
            "hop [-46AC] [-c cipher_spec] [-J [user@]host[:port]] [-o option] [-x <name>=<value>] [-q] place [-z]",
        );
        for (letter, wanted) in [
            ('c', Some("cipher_spec")),
            ('J', Some("host")),
            ('o', Some("option")),
            ('x', Some("name=value")),
            ('q', None),
            ('4', None),
            ('z', None),
        ] {
            assert_eq!(placeholder(&ssh, letter).as_deref(), wanted, "{letter}");
        }
    }
}
