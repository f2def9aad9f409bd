//! clap's usage line: which command it is of, what it requires, and the order of its positionals.

use charmer_core::model::{CommandPath, Positional};

use crate::family::pattern;
use crate::flags::Flags;
use crate::sketch::FlagSketch;

/// The parts of a usage line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ClapUsage {
    /// The words before the path.
    pub(super) program: String,
    /// All of it, for people.
    pub(super) line: String,
    pub(super) operands: Vec<Operand>,
    /// Flags that are required, as they are written.
    pub(super) required: Vec<String>,
    /// Sets of which one member is required: flags as they are written, or names of positionals.
    pub(super) one_of: Vec<Vec<String>>,
    /// Another way to call it takes no subcommand.
    pub(super) other_form: bool,
}

/// A word that stands for a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Operand {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) variadic: bool,
    pub(super) last: bool,
}

/// Reads a usage text; `None` if it is not of the command at this path.
pub(super) fn read(body: &str, path: &CommandPath, flags: &Flags) -> Option<ClapUsage> {
    let forms = forms(body);
    let first = forms.first()?;
    let words = pattern::words(first);
    let rest = behind_path(&words, path)?;
    let mut usage = ClapUsage {
        program: program(&words),
        line: body.lines().map(str::trim).collect::<Vec<_>>().join("\n"),
        other_form: forms.len() > 1,
        ..ClapUsage::default()
    };
    usage.take(rest, flags);
    Some(usage)
}

/// One way to call the command a line; a line that does not begin with the program continues the one before it.
fn forms(body: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for line in body
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
    {
        let begins = forms
            .first()
            .is_none_or(|first| first.split_whitespace().next() == line.split_whitespace().next());
        match forms.last_mut() {
            Some(form) if !begins => {
                form.push(' ');
                form.push_str(line);
            }
            _ => forms.push(line.to_owned()),
        }
    }
    forms
}

/// The words behind the command's path. What an ancestor requires may stand between the words of the path.
fn behind_path<'w, 't>(words: &'w [&'t str], path: &CommandPath) -> Option<&'w [&'t str]> {
    if path.is_root() {
        let named = words.iter().take_while(|word| is_plain(word)).count();
        return Some(&words[named.max(1).min(words.len())..]);
    }
    let mut at = 1;
    for word in path.words() {
        at += words.get(at..)?.iter().position(|found| found == word)? + 1;
    }
    Some(&words[at..])
}

/// The program's name: `cargo`, or `cargo knit` of a program that is called by another.
fn program(words: &[&str]) -> String {
    let first = words.first().copied().unwrap_or_default();
    let first = first.split('[').next().unwrap_or_default();
    let first = first.rsplit(['/', '\\']).next().unwrap_or_default();
    let first = first.strip_suffix(".exe").unwrap_or(first);
    let more = words.iter().skip(1).take_while(|word| is_plain(word));
    let all: Vec<&str> = std::iter::once(first).chain(more.copied()).collect();
    all.join(" ")
}

fn is_plain(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_ascii_lowercase())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

impl ClapUsage {
    fn take(&mut self, words: &[&str], flags: &Flags) {
        let mut last = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            if *word == "--" {
                last = true;
            } else if let Some(inner) = word.strip_prefix("[-- ") {
                let inner = inner.trim_end_matches("...").trim_end_matches(']');
                for word in pattern::words(inner) {
                    self.operand(word, false, true);
                }
            } else if word.starts_with('-') {
                let name = word.split(['=', '[']).next().unwrap_or_default();
                self.required.push(name.trim_end_matches('.').to_owned());
                if name.len() == word.len() {
                    let values = values_of(name, flags);
                    let follow = words[at..].iter().take(values);
                    at += follow
                        .take_while(|word| word.starts_with(['<', '[']))
                        .count();
                }
            } else if let Some(inner) = inside(word, '<', '>') {
                let alternatives = alternatives(inner);
                if inner.starts_with('-') || alternatives.iter().any(|word| word.starts_with('-')) {
                    self.alternatives(&alternatives, flags);
                } else {
                    self.operand(word, true, last);
                }
            } else if let Some(inner) = inside(word, '[', ']') {
                let placeholder = ["options", "flags", "option", "flag"];
                let stands_for_flags = placeholder
                    .iter()
                    .any(|name| inner.eq_ignore_ascii_case(name));
                if !stands_for_flags && !inner.starts_with('-') {
                    self.operand(word, false, last);
                }
            } else if word
                .chars()
                .all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-' | '.'))
            {
                // Only a usage line of the author's own has bare words.
                self.operand(word, true, last);
            }
        }
    }

    fn operand(&mut self, word: &str, required: bool, last: bool) {
        let variadic = word.ends_with("...") || word.ends_with("...]") || word.ends_with("...>");
        let name = word
            .trim_end_matches("...")
            .trim_matches(['[', ']', '<', '>'])
            .trim_end_matches("...")
            .trim_matches(['<', '>']);
        if name.is_empty() {
            if let Some(operand) = self.operands.last_mut() {
                operand.variadic |= variadic;
            }
            return;
        }
        self.operands.push(Operand {
            name: name.to_owned(),
            required,
            variadic,
            last,
        });
    }

    /// `<--a|--b <B>|FILE>`: one of these is required.
    fn alternatives(&mut self, words: &[&str], flags: &Flags) {
        let mut members = Vec::new();
        for word in words {
            if word.starts_with('-') {
                let name = word.split([' ', '=', '[']).next().unwrap_or_default();
                let name = name.trim_end_matches('.');
                let known = flags.iter().find(|flag| is_named(flag, name));
                members.push(known.map_or(name.to_owned(), FlagSketch::written));
            } else {
                self.operand(word, false, false);
                members.extend(self.operands.last().map(|operand| operand.name.clone()));
            }
        }
        match members.as_slice() {
            [only] if only.starts_with('-') => self.required.push(only.clone()),
            _ => self.one_of.push(members),
        }
    }
}

/// Returns true if a flag has this name, dashes included.
pub(super) fn is_named(flag: &FlagSketch, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => {
            flag.long.as_deref() == Some(long) || flag.aliases.iter().any(|alias| alias == long)
        }
        None => {
            let short = name.strip_prefix('-').and_then(|name| name.chars().next());
            short.is_some()
                && (flag.short == short || flag.short_aliases.iter().any(|c| Some(*c) == short))
        }
    }
}

/// The number of words that follow a flag as its values.
fn values_of(name: &str, flags: &Flags) -> usize {
    let flag = flags.iter().find(|flag| is_named(flag, name));
    match flag {
        Some(flag) => flag
            .placeholder
            .as_deref()
            .map_or(0, |values| pattern::words(values).len()),
        // One that help hides: clap would show its value in angle brackets.
        None => 1,
    }
}

fn inside(word: &str, open: char, close: char) -> Option<&str> {
    let word = word.trim_end_matches("...");
    Some(word.strip_prefix(open)?.strip_suffix(close)?.trim())
}

/// The parts between bars outside of brackets.
fn alternatives(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// The name of the property for what usage calls `name`.
pub(super) fn property(name: &str) -> String {
    let joined: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let joined = joined.trim_matches('_');
    if joined.chars().any(char::is_lowercase) {
        joined.to_owned()
    } else {
        joined.to_lowercase()
    }
}

/// The positional for an operand.
pub(super) fn positional(operand: &Operand) -> Positional {
    let mut positional = Positional::new(property(&operand.name));
    positional.required = operand.required;
    positional.variadic = operand.variadic;
    positional.last = operand.last;
    positional.allow_hyphen = operand.last;
    positional
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(line: &str, path: &str) -> String {
        let mut level = FlagSketch::long("level");
        level.placeholder = Some("<X> <Y>".into());
        let Some(usage) = read(line, &CommandPath::parse(path), &Flags::from([level])) else {
            return "none".into();
        };
        let operands = usage.operands.iter().map(|operand| {
            let mark = match (operand.required, operand.variadic) {
                (true, false) => "",
                (false, false) => "?",
                (true, true) => "+",
                (false, true) => "*",
            };
            format!(
                "{}{}{mark}",
                if operand.last { "-- " } else { "" },
                operand.name
            )
        });
        let one_of = usage
            .one_of
            .iter()
            .map(|members| format!("({})", members.join(" ")));
        let shown: Vec<String> = operands
            .chain(usage.required.clone())
            .chain(one_of)
            .collect();
        shown.join(" ")
    }

    #[test]
    fn usage_lines() {
        for (line, path, expected) in [
            ("kiln [OPTIONS] <COMMAND>", "", "COMMAND"),
            (
                "kiln fire [OPTIONS] <POT>... [SHELF]",
                "fire",
                "POT+ SHELF?",
            ),
            ("kiln fire [OPTIONS] <POT>...", "glaze", "none"),
            ("kiln --key <KEY> fire [OPTIONS] [POT]", "fire", "POT?"),
            (
                "kiln fire --level <X> <Y> --hot <POT>",
                "fire",
                "--level --hot",
            ),
            ("kiln fire --level <X> <Y> <POT>", "fire", "POT --level"),
            ("kiln fire [POT] -- <ARGS>...", "fire", "POT? -- ARGS+"),
            ("kiln fire [POT] [-- <ARGS>...]", "fire", "POT? -- ARGS*"),
            (
                "kiln fire <--high|--low <N>|FILE>",
                "fire",
                "FILE? (--high --low FILE)",
            ),
            ("kiln fire <--high>", "fire", "--high"),
            ("cargo kiln fire <KEY=VALUE|PATH>", "fire", "KEY=VALUE|PATH"),
            ("kiln[EXE] fire [+clay]", "fire", "+clay?"),
            (
                "kiln fire [POT]\n       kiln fire <COMMAND>",
                "fire",
                "POT?",
            ),
        ] {
            assert_eq!(show(line, path), expected, "{line}");
        }
    }

    #[test]
    fn the_program_may_be_called_by_another() {
        let root = CommandPath::root();
        let name = |line| read(line, &root, &Flags::default()).map(|usage| usage.program);
        assert_eq!(name("cargo kiln [OPTIONS]").as_deref(), Some("cargo kiln"));
        assert_eq!(name("kiln[EXE] [OPTIONS]").as_deref(), Some("kiln"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\PC]|<|>|\\[|\\]|-- |\\.\\.\\.| ){0,80}") {
            read(&text, &CommandPath::root(), &Flags::default());
            read(&text, &CommandPath::parse("a"), &Flags::default());
        }
    }
}
