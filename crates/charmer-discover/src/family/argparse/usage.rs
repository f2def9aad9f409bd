//! argparse's usage line: which flags are required, which exclude each other, and the positionals in order.

use charmer_core::model::{Choice, GroupKind, Positional};

/// The parts of a usage line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArgparseUsage {
    /// The flags as they are written there, each with whether it stands unbracketed.
    pub(super) flags: Vec<(String, bool)>,
    /// Flags and positionals of which one excludes the others; whether one is required.
    pub(super) groups: Vec<(Vec<String>, bool)>,
    pub(super) positionals: Vec<Positional>,
    /// The words of a `{a,b} ...`, which are subcommands.
    pub(super) commands: Vec<String>,
    /// The word that stands for a subcommand, if there is one.
    pub(super) command_word: Option<String>,
    /// The rest of the command line is taken as it is.
    pub(super) remainder: bool,
    /// Words of the author's stand for flags that are not listed: `[options]`, `[more options; see below]`.
    pub(super) partial: bool,
}

impl ArgparseUsage {
    /// The groups as the model has them; `id` gives the id of a member.
    pub(super) fn group_kinds(&self, id: impl Fn(&str) -> String) -> Vec<(GroupKind, Vec<String>)> {
        let mut found = Vec::new();
        for (members, required) in &self.groups {
            let mut ids: Vec<String> = Vec::new();
            for member in members.iter().map(|member| id(member)) {
                if !ids.contains(&member) {
                    ids.push(member);
                }
            }
            if ids.len() > 1 {
                found.push((GroupKind::Exclusive, ids.clone()));
                if *required {
                    found.push((GroupKind::OneOf, ids));
                }
            }
        }
        found
    }
}

/// Reads what follows the program and path. `value_of` gives what the rows show behind a flag of this name.
pub(super) fn read(text: &str, value_of: &dyn Fn(&str) -> Option<String>) -> ArgparseUsage {
    let mut reader = UsageReader {
        value_of,
        found: ArgparseUsage::default(),
    };
    reader.sequence(text, false);
    reader.found
}

struct UsageReader<'a> {
    value_of: &'a dyn Fn(&str) -> Option<String>,
    found: ArgparseUsage,
}

impl UsageReader<'_> {
    fn sequence(&mut self, text: &str, optional: bool) {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '[' | '(' => {
                    let end = closing(rest);
                    self.bracket(&rest[1..end], first == '[' || optional);
                    rest[end..].strip_prefix([']', ')']).unwrap_or_default()
                }
                '-' => self.flag(rest, optional).1,
                '|' | ',' | ']' | ')' => &rest[1..],
                _ => self.positional(rest, optional),
            }
            .trim_start();
        }
    }

    fn bracket(&mut self, inner: &str, optional: bool) {
        let parts = split_at_bars(inner);
        if parts.len() == 1 {
            if optional && inner.starts_with('-') {
                // Whatever follows is its value, brackets and all.
                self.flag(inner, true);
            } else if optional && stands_for_flags(inner) {
                self.found.partial = true;
            } else {
                self.sequence(inner, optional);
            }
            return;
        }
        let mut members = Vec::new();
        for part in parts {
            let part = part.trim();
            if part.starts_with('-') {
                members.push(self.flag(part, true).0);
            } else {
                let before = self.found.positionals.len();
                self.sequence(part, true);
                let added = &self.found.positionals[before..];
                members.extend(added.iter().map(|positional| positional.id.clone()));
            }
        }
        self.found.groups.push((members, !optional));
    }

    /// Takes a flag and its value; gives its name and what follows.
    fn flag<'t>(&mut self, text: &'t str, optional: bool) -> (String, &'t str) {
        let end = text
            .find(|c: char| c.is_whitespace() || matches!(c, ']' | ')' | '|' | '='))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        self.found.flags.push((name.to_owned(), !optional));
        let value = (self.value_of)(name).unwrap_or_default();
        let behind = rest.trim_start().strip_prefix(value.as_str());
        (name.to_owned(), behind.unwrap_or(rest))
    }

    fn positional<'t>(&mut self, text: &'t str, optional: bool) -> &'t str {
        if let Some(rest) = text.strip_prefix("...") {
            self.found.remainder = true;
            return rest;
        }
        let end = word_end(text);
        let (word, mut rest) = text.split_at(end.max(1));
        if let Some(after) = rest.strip_prefix(" ...") {
            if optional {
                // `[x ...]`
                self.add(word, false, true, None);
                return after;
            }
            self.found.commands = braced(word).unwrap_or_default();
            self.found.command_word = Some(word.to_owned());
            return after;
        }
        let more = [format!(" [{word} ...]"), format!(" [{word} [{word} ...]]")];
        if let Some(after) = more.iter().find_map(|more| rest.strip_prefix(more)) {
            self.add(word, !optional, true, None);
            return after;
        }
        let mut count = 1;
        let again = format!(" {word}");
        while let Some(after) = rest
            .strip_prefix(&again)
            .filter(|after| after.is_empty() || after.starts_with(' '))
        {
            count += 1;
            rest = after;
        }
        self.add(word, !optional, count > 1, (count > 1).then_some(count));
        rest
    }

    fn add(&mut self, word: &str, required: bool, variadic: bool, count: Option<usize>) {
        // Old Pythons write `[x [x ...]]`: the inner bracket says the same again.
        let listed = &mut self.found.positionals;
        if let Some(known) = listed.iter_mut().find(|p| p.name.as_deref() == Some(word)) {
            known.variadic |= variadic;
            return;
        }
        let choices = braced(word);
        let name = match &choices {
            Some(_) => "choice".to_owned(),
            None => word
                .trim_matches(['<', '>'])
                .replace([' ', '-'], "_")
                .to_lowercase(),
        };
        let taken = |id: &str| listed.iter().any(|known| known.id == id);
        let mut id = name.clone();
        let mut number = 2;
        while taken(&id) {
            id = format!("{name}{number}");
            number += 1;
        }
        let mut positional = Positional::new(id);
        positional.name = Some(word.to_owned());
        positional.required = required;
        positional.variadic = variadic;
        positional.min_values = count;
        positional.max_values = count;
        positional.choices = choices
            .unwrap_or_default()
            .into_iter()
            .map(Choice::new)
            .collect();
        listed.push(positional);
    }
}

/// Returns true if the inside of a bracket is no positional but what an author says of the flags: the word for them, or
/// prose. argparse itself writes a positional's word alone, again, or before more brackets and dots.
fn stands_for_flags(inner: &str) -> bool {
    let words: Vec<&str> = inner.split_whitespace().collect();
    match words[..] {
        [word] => ["option", "options", "flags"]
            .contains(&word.trim_end_matches('.').to_lowercase().as_str()),
        // `[more options, see -h]`
        [_, ref rest @ ..]
            if rest
                .iter()
                .any(|word| word.trim_end_matches(',') == "options") =>
        {
            true
        }
        [first, ref rest @ ..] => {
            let plain = |word: &&str| word.starts_with(char::is_alphabetic) && *word != first;
            first.starts_with(char::is_alphabetic) && rest.iter().all(plain)
        }
        [] => false,
    }
}

/// The values in `{a,b}` or `{a|b}`.
pub(super) fn braced(word: &str) -> Option<Vec<String>> {
    let inner = word.strip_prefix('{')?.strip_suffix('}')?;
    Some(
        inner
            .split([',', '|'])
            .map(|value| value.trim().to_owned())
            .collect(),
    )
}

/// The place where the bracket at the start is closed, else the end.
fn closing(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' | '>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The end of a word that may hold brackets with spaces inside.
fn word_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '<' | '[' | '(' => depth += 1,
            '}' | '>' => depth = depth.saturating_sub(1),
            ']' | ')' if depth > 0 => depth -= 1,
            ']' | ')' => return at,
            c if c.is_whitespace() && depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn split_at_bars(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '<' | '[' | '(' => depth += 1,
            '}' | '>' | ']' | ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && text[..at].ends_with(' ') => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> ArgparseUsage {
        let values = [
            ("--pair", "A B"),
            ("-o", "FILE"),
            ("--key", "KEY"),
            ("--b", "B"),
        ];
        read(text, &|name| {
            let found = values.iter().find(|(flag, _)| *flag == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_stands_unbracketed_is_required() {
        let usage = of("[-h] [--pair A B] --key KEY [--many [MANY ...]] src dst [dst ...]");
        let required: Vec<_> = usage.flags.iter().filter(|flag| flag.1).collect();
        assert_eq!(required, [&("--key".to_owned(), true)]);
        let found: Vec<_> = usage
            .positionals
            .iter()
            .map(|p| (p.id.as_str(), p.required, p.variadic))
            .collect();
        assert_eq!(found, [("src", true, false), ("dst", true, true)]);
    }

    #[test]
    fn positionals_of_every_count() {
        let usage = of("[-h] x x {a,b} [y] [z [z ...]]");
        let found: Vec<_> = usage
            .positionals
            .iter()
            .map(|p| (p.id.as_str(), p.required, p.variadic, p.max_values))
            .collect();
        assert_eq!(
            found,
            [
                ("x", true, true, Some(2)),
                ("choice", true, false, None),
                ("y", false, false, None),
                ("z", false, true, None)
            ]
        );
        assert_eq!(usage.positionals[1].choices.len(), 2);
        assert!(of("[-h] name ...").command_word.is_some());
        assert!(of("[-h] ...").remainder);
    }

    #[test]
    fn bars_exclude() {
        let usage = of("[-h] (--a | --b B) [--c | --d] [--e | --no-e]");
        let one = |name: &str| {
            name.trim_start_matches("--no-")
                .trim_matches('-')
                .to_owned()
        };
        let group = |kind, ids: [&str; 2]| (kind, ids.map(String::from).to_vec());
        assert_eq!(
            usage.group_kinds(one),
            [
                group(GroupKind::Exclusive, ["a", "b"]),
                group(GroupKind::OneOf, ["a", "b"]),
                group(GroupKind::Exclusive, ["c", "d"]),
            ]
        );
    }

    #[test]
    fn commands_are_followed_by_dots() {
        let usage = of("[-h] [--key KEY] {add,rm} ...");
        assert_eq!(usage.commands, ["add", "rm"]);
        assert!(usage.positionals.is_empty() && !usage.remainder);
    }

    #[test]
    fn an_authors_words_for_flags_are_no_positionals() {
        let usage = of("[-h] [more options; see below] [--key KEY] [files ...]");
        assert!(usage.partial);
        assert_eq!(usage.positionals.len(), 1);
        assert!(of("[-h] [options] file").partial);
        assert!(!of("[-h] [file [file ...]] [x x] [-k | -l]").partial);
        assert_eq!(braced("{red|green}").expect("values"), ["red", "green"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z\\-\\[\\](){}|. ]|[\\PC]){0,80}") {
            of(&text);
        }
    }
}
