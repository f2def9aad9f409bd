//! The help of a command, kept with its tool for its page and its examples.

use std::sync::Arc;

use crate::model::{Command, CommandPath, Effect, Listing, Shared};

use super::{Annotations, Input};

/// See the module's documentation. It is a copy of the words only: pages and examples are made when they are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Help {
    /// The program's name, as its usage shows it; for a tool that comes from no program its own name.
    pub program: Arc<str>,
    /// Other words that call the command.
    pub aliases: Vec<String>,
    /// Other paths that lead to it and are no tools of their own.
    pub paths: Vec<CommandPath>,
    /// All that is said of what it does.
    pub text: Option<String>,
    /// Its examples, as text.
    pub examples: Option<String>,
    /// Its effect.
    pub effect: Effect,
    /// Its place on the help page of its parent, and before that those of the commands above it on theirs; none for one
    /// that is not listed there.
    pub listings: Vec<Option<Listing>>,
    /// The help of a command above it shows how it is called.
    pub shown_above: bool,
    /// Its place among the commands of its program that people use most.
    pub common: Option<usize>,
    /// The way people ask for it.
    pub phrases: Vec<String>,
    /// It prints secrets.
    pub prints_secrets: bool,
    /// The arguments that a prompt for this tool itself asks for; `None` if only its examples are prompts.
    pub asks_for: Option<Vec<String>>,
}

impl Help {
    pub(super) fn of(program: &Arc<str>, command: &Command) -> Self {
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        Self {
            program: Arc::clone(program),
            aliases: command.aliases.clone(),
            paths: Vec::new(),
            text: filled(&command.long_about).or_else(|| filled(&command.about)),
            examples: filled(&command.examples),
            effect: command.hints.effect,
            listings: Vec::new(),
            shown_above: false,
            common: command.hints.common,
            phrases: command.hints.phrases.clone(),
            prints_secrets: command.hints.prints_secrets,
            asks_for: None,
        }
    }

    /// The help of a tool that comes from no program.
    pub(super) fn custom(name: &str, description: &str, annotations: Annotations) -> Self {
        Self {
            program: name.into(),
            aliases: Vec::new(),
            paths: Vec::new(),
            text: Some(description.to_owned()),
            examples: None,
            effect: match (annotations.read_only, annotations.destructive) {
                (true, _) => Effect::Read,
                (false, false) => Effect::Write,
                (false, true) => Effect::Unknown,
            },
            listings: Vec::new(),
            shown_above: false,
            common: None,
            phrases: Vec::new(),
            prints_secrets: false,
            asks_for: None,
        }
    }
}

/// Returns true if the help of a command above the last one shows a line that calls it.
pub(super) fn shown_above(words: &[&str], lineage: &[&Command]) -> bool {
    let line = words.join(" ");
    let above = lineage.split_last().map_or(&[][..], |(_, above)| above);
    let texts = above
        .iter()
        .flat_map(|command| [&command.examples, &command.long_about, &command.usage]);
    texts.flatten().any(|text| {
        let mut places = text.match_indices(&line);
        places.any(|(at, _)| {
            let after = text[at + line.len()..].chars().next();
            let before = text[..at].chars().next_back();
            before.is_none_or(|c| !is_of_word(c)) && after.is_none_or(|c| !is_of_word(c))
        })
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_')
}

/// The meaning of a word that begins with `-` to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedTopic<'i> {
    /// A flag that can be given, by its key, and whether its value is the next word.
    Offered { key: &'i str, value_follows: bool },
    /// A flag of the program that is out of reach.
    Withheld,
    /// No flag of the program that is known of.
    Unknown,
}

/// Says what a word that begins with `-` is.
pub(super) fn named<'i>(input: &'i Input, word: &str) -> NamedTopic<'i> {
    let takes_value = |flag: &crate::model::Flag| flag.value == crate::model::FlagValue::Required;
    let (name, attached) = word
        .split_once('=')
        .map_or((word, false), |(name, _)| (name, true));
    let find = |name: &str| input.flags.iter().find(|p| p.flag.is_named(name));
    if let Some(long) = name.strip_prefix("--") {
        return match find(name) {
            Some(p) => NamedTopic::Offered {
                key: &p.key,
                value_follows: takes_value(&p.flag) && !attached,
            },
            None if input
                .levels
                .iter()
                .any(|level| has(&level.long_flags, long)) =>
            {
                NamedTopic::Withheld
            }
            None => NamedTopic::Unknown,
        };
    }
    // Letters may stand together: `-it`. The first that takes a value takes the rest.
    let mut result = NamedTopic::Unknown;
    let letters = name.trim_start_matches('-');
    for (at, letter) in letters.char_indices() {
        let Some(p) = find(&format!("-{letter}")) else {
            let known = |level: &Shared<super::CommandLevel>| level.short_flags.contains(&letter);
            return match input.levels.iter().any(known) {
                true => NamedTopic::Withheld,
                false => result,
            };
        };
        let last = at + letter.len_utf8() == letters.len();
        result = NamedTopic::Offered {
            key: &p.key,
            value_follows: takes_value(&p.flag) && last && !attached,
        };
        if takes_value(&p.flag) {
            break;
        }
    }
    result
}

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Returns true if a text names a flag that is out of reach. That there is `--help` is no secret.
pub(super) fn names_withheld(input: &Input, text: &str) -> bool {
    let word_ends = |c: char| !(c.is_alphanumeric() || c == '-' || c == '_' || c == '.');
    text.split(word_ends)
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.len() > 2 && word.starts_with("--") && *word != "--help")
        .any(|word| named(input, word) == NamedTopic::Withheld)
}
