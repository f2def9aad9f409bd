//! click's usage line: `tool add [OPTIONS] SRC... [DST]`.

use charmer_core::model::{Choice, CommandPath, Positional, ValueType};

use super::{
    option::{choices, take_extra},
    page::ListRow,
};
use crate::family::{pattern, python::named_type};

/// The parts of a usage line.
#[derive(Debug, Default)]
pub(super) struct ClickUsage {
    /// The program's name, where it is one word.
    pub(super) program: Option<String>,
    pub(super) positionals: Vec<Positional>,
    pub(super) has_commands: bool,
    /// The command may be left out.
    pub(super) runs_alone: bool,
}

/// Reads a usage line; `None` if it is not that of this path.
pub(super) fn read(usage: &str, path: &CommandPath) -> Option<ClickUsage> {
    let words = pattern::words(usage);
    let mut found = ClickUsage::default();
    let options = words.iter().position(|word| *word == "[OPTIONS]");
    let head = &words[..options.unwrap_or(words.len())];
    // The path, with the parents' own arguments in between.
    let mut at = 1;
    for name in path.words() {
        at += head.get(at..)?.iter().position(|word| word == name)? + 1;
    }
    let named = options.unwrap_or(at);
    if path.is_root() && named == 1 {
        found.program = words.first().map(|word| (*word).to_owned());
    }
    let mut rest = &words[named.max(at).min(words.len())..];
    while let Some(word) = rest.first() {
        rest = &rest[1..];
        if *word == "[OPTIONS]" {
            continue;
        }
        if *word == "..." {
            if let Some(last) = found.positionals.last_mut() {
                last.variadic = true;
            }
            continue;
        }
        let bare = word.trim_matches(['[', ']', '.', '<', '>']);
        if bare.starts_with("COMMAND") && rest.first().is_none_or(|next| *next == "[ARGS]...") {
            found.has_commands = true;
            found.runs_alone = word.starts_with('[');
            break;
        }
        found.positionals.extend(positional(word));
    }
    Some(found)
}

/// `NAME`, `[NAME]`, `NAME...`, `[NAME]...`, `{a|b}`, and typer's `{name}`.
fn positional(word: &str) -> Option<Positional> {
    let (word, variadic) = match word.strip_suffix("...") {
        Some(word) => (word, true),
        None => (word, false),
    };
    let inner = word
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let required = inner.is_none();
    // `[a|b]` of a required choice has brackets of its own in old versions.
    let word = inner.unwrap_or(word);
    let bare = word
        .trim_end_matches("...")
        .trim_matches(['{', '}', '<', '>', '[', ']']);
    let values = choices(word).or_else(|| choices(&format!("[{word}]")));
    let mut positional = match values {
        Some(values) => {
            let mut positional = Positional::new("choice");
            positional.choices = values.into_iter().map(Choice::new).collect();
            positional
        }
        None => {
            let id: String = bare
                .chars()
                .map(|c| if c.is_alphanumeric() { c } else { '_' })
                .collect();
            if !id.chars().any(char::is_alphanumeric) {
                return None;
            }
            let mut positional = Positional::new(id.to_lowercase());
            positional.name = Some(bare.to_owned());
            if named_type(bare) == Some(ValueType::Path) {
                positional.value_type = ValueType::Path;
            }
            positional
        }
    };
    positional.required = required;
    positional.variadic = variadic || word.ends_with("...");
    Some(positional)
}

/// Adds what its row in typer's `Arguments` says to a positional.
pub(super) fn describe(positionals: &mut [Positional], row: &ListRow) {
    let name = row.name.trim_end_matches("...").to_lowercase();
    let at = positionals
        .iter()
        .position(|positional| positional.id == name);
    // A choice has no name in the usage line.
    let at = at.or_else(|| positionals.iter().position(|p| p.id == "choice"));
    let Some(positional) = at.map(|at| &mut positionals[at]) else {
        return;
    };
    if positional.id == "choice" {
        positional.id.clone_from(&name);
    }
    let (help, extra) = take_extra(&row.text);
    if !help.is_empty() {
        positional.help = Some(help);
    }
    let described =
        |text: &String| !(text == "None" || text.starts_with('(') && text.ends_with(')'));
    if let Some(default) = extra.default.filter(described) {
        positional.default = vec![default];
    }
    positional.env = extra.env;
    if let Some(value) = &row.value {
        let (value, _) = take_extra(value);
        let inner = value.trim_end_matches("...").trim_matches(['<', '>']);
        let element = inner
            .strip_prefix("list[")
            .and_then(|inner| inner.strip_suffix(']'));
        if let Some(value_type) = named_type(element.unwrap_or(inner)) {
            positional.value_type = value_type;
        }
        if positional.choices.is_empty()
            && let Some(values) = choices(&value)
        {
            positional.choices = values.into_iter().map(Choice::new).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(usage: &str, path: &[&str]) -> String {
        let path: CommandPath = path.iter().map(|word| (*word).to_owned()).collect();
        let Some(usage) = read(usage, &path) else {
            return "none".into();
        };
        let mut shown: Vec<String> = usage
            .positionals
            .iter()
            .map(|p| {
                let marks = [(!p.required).then_some('?'), p.variadic.then_some('*')];
                let choices: Vec<_> = p
                    .choices
                    .iter()
                    .map(|choice| choice.value.as_str())
                    .collect();
                let marks: String = marks.into_iter().flatten().collect();
                format!("{}{marks}{}", p.id, choices.join("|"))
            })
            .collect();
        if usage.has_commands {
            shown.push(if usage.runs_alone {
                "[...]".into()
            } else {
                "...".into()
            });
        }
        shown.join(" ")
    }

    #[test]
    fn lines() {
        for (usage, path, expected) in [
            ("tool [OPTIONS] COMMAND [ARGS]...", &[][..], "..."),
            ("tool sub [OPTIONS] [COMMAND] [ARGS]...", &["sub"], "[...]"),
            (
                "tool [OPTIONS] COMMAND1 [ARGS]... [COMMAND2 [ARGS]...]...",
                &[],
                "...",
            ),
            (
                "tool add [OPTIONS] SRC... {a|b} [DST]",
                &["add"],
                "src* choicea|b dst?",
            ),
            (
                "tool add [OPTIONS] {name} [files]...",
                &["add"],
                "name files?*",
            ),
            ("tool NAME add [OPTIONS] X", &["add"], "x"),
            ("tool add [OPTIONS] [a|b]", &["add"], "choice?a|b"),
            ("tool [OPTIONS] COMMAND [ARGS]...", &["add"], "none"),
            ("tool", &["add"], "none"),
            ("tool [OPTIONS] SRC ...", &[], "src*"),
            ("tool run FILE", &["run"], "file"),
        ] {
            assert_eq!(show(usage, path), expected, "{usage}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-zA-Z\\[\\]{}|. ]|[\\PC]){0,80}") {
            show(&text, &[]);
            show(&text, &["add"]);
        }
    }
}
