//! The effect of a command on the world, told from its name and its help, with the evidence.
//!
//! Nothing is run, and nothing but the model is looked at. A command counts as reading only if something says so and
//! nothing speaks against it; what nobody knows is [`Effect::Unknown`]. Where evidence conflicts, the worse wins.

mod credentials;
mod evidence;
pub(crate) mod flags;
pub(crate) mod harmless;
mod nouns;
mod prose;
#[cfg(test)]
mod tests;
mod verbs;
pub(crate) mod words;
mod writing;

use crate::model::{Arguments, Command, CommandPath, Effect};

pub use self::{
    credentials::secret_values,
    evidence::{Classified, Evidence, EvidenceKind},
    writing::{Reason, writing_flag},
};
use self::{
    evidence::Case,
    verbs::{Class, also_noun, named},
    words::kebab,
};

/// Returns a command's effect, told from the commands that lead to it (the root first, itself last) and its path.
///
/// ```
/// use charmer_core::model::{Command, CommandPath, Effect};
/// use charmer_core::assessment::effect::classify;
/// let root = Command::new("nest");
/// let list = Command::new("ls").about("List eggs");
/// let found = classify(&[&root, &list], &CommandPath::parse("ls"));
/// assert_eq!(found.effect, Effect::Read);
/// assert!(found.evidence.iter().any(|evidence| evidence.text.contains("`ls`")));
/// ```
pub fn classify(lineage: &[&Command], path: &CommandPath) -> Classified {
    let mut case = alone(lineage, path);
    if let Some((command, _)) = lineage.split_last()
        && case.effect() == Effect::Read
        && let Some(word) = acting_descendant(lineage, command, path)
    {
        case.add(
            EvidenceKind::Children,
            Effect::Unknown,
            format!("an argument can call its subcommand `{word}`, which is not known to read"),
        );
    }
    case.close()
}

/// Returns a command's effect without regard to its subcommands.
fn alone(lineage: &[&Command], path: &CommandPath) -> Case {
    let mut case = Case::default();
    let Some((command, ancestors)) = lineage.split_last() else {
        return case;
    };
    let words: Vec<String> = if path.is_root() {
        ancestors
            .iter()
            .skip(1)
            .chain((!ancestors.is_empty()).then_some(command))
            .map(|command| kebab(&command.name))
            .collect()
    } else {
        path.words().iter().map(|word| kebab(word)).collect()
    };

    let about = case.prose(command);
    if let Some((word, parents)) = words.split_last() {
        let own = case.name(word, about);
        case.parents(parents, own, about);
        for alias in &command.aliases {
            let alias = alias.split_whitespace().next_back().unwrap_or_default();
            case.alias(&kebab(alias), about);
        }
        if word == "version" && takes_arguments(command) && about != Some(Class::Read) {
            case.add(
                EvidenceKind::Argument,
                Effect::Unknown,
                "given an argument it may set the version".into(),
            );
        }
    } else {
        // A program's own name tells nothing: `find` finds, and deletes what it found.
        case.add(
            EvidenceKind::Absent,
            Effect::Unknown,
            "it is the program itself, which may do anything that it can do".into(),
        );
    }
    flags::weigh(&mut case, lineage);
    arguments(&mut case, command, words.last().map_or("", String::as_str));
    credentials::weigh(&mut case, lineage, &words);
    case
}

fn takes_arguments(command: &Command) -> bool {
    match &command.arguments {
        Arguments::Listed(listed) => !listed.is_empty(),
        Arguments::Pattern(pattern) => pattern.split_whitespace().any(|word| {
            !matches!(
                kebab(word).trim_matches(['[', ']']),
                "" | "flags" | "options"
            )
        }),
    }
}

/// Programs that are given as arguments, and arguments that are verbs.
fn arguments(case: &mut Case, command: &Command, word: &str) {
    let runs = match &command.arguments {
        Arguments::Listed(listed) => {
            for choice in listed.iter().flat_map(|positional| &positional.choices) {
                if let Some(class @ (Class::Write | Class::Destroy | Class::Run)) =
                    named(&kebab(&choice.value))
                {
                    case.classed(
                        EvidenceKind::Argument,
                        class,
                        format!("it can be given the word `{}`", choice.value),
                    );
                }
            }
            listed.iter().any(|positional| {
                let id = kebab(&positional.id);
                positional.external || nouns::PROGRAM_ARGUMENTS.contains(&id.as_str())
            })
        }
        Arguments::Pattern(pattern) => {
            for literal in pattern
                .split('|')
                .filter(|_| pattern.contains('|'))
                .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
                .filter(|part| part.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            {
                if let Some(class @ (Class::Write | Class::Destroy)) = named(literal) {
                    case.classed(
                        EvidenceKind::Argument,
                        class,
                        format!("it can be given the word `{literal}`"),
                    );
                }
            }
            placeholders(pattern).any(|word| nouns::PROGRAM_ARGUMENTS.contains(&word.as_str()))
        }
    };
    let writes = match &command.arguments {
        Arguments::Listed(listed) => listed
            .iter()
            .any(|positional| nouns::WRITTEN_ARGUMENTS.contains(&kebab(&positional.id).as_str())),
        Arguments::Pattern(pattern) => {
            placeholders(pattern).any(|word| nouns::WRITTEN_ARGUMENTS.contains(&word.as_str()))
        }
    };
    if writes {
        case.add(
            EvidenceKind::Argument,
            Effect::Write,
            "it takes a file or directory to write as an argument".into(),
        );
    }
    // Where there are subcommands, `[command]` in a usage line means them.
    if runs && command.commands.is_empty() && !nouns::LOOKUPS.contains(&word) {
        case.add(
            EvidenceKind::Argument,
            Effect::Unknown,
            "it takes a command to run as an argument".into(),
        );
    }
}

/// The words of a usage pattern, without the flags that it mentions.
fn placeholders(pattern: &str) -> impl Iterator<Item = String> {
    pattern
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'))
        .filter(|word| !word.starts_with('-'))
        .map(kebab)
}

/// A subcommand, however deep, that is not known to read.
fn acting_descendant(
    lineage: &[&Command],
    command: &Command,
    path: &CommandPath,
) -> Option<String> {
    command.commands.iter().find_map(|child| {
        let mut line = lineage.to_vec();
        line.push(child);
        let child_path = path.child(child.name.as_str());
        if matches!(child.name.as_str(), "help" | "completion") {
            return None;
        }
        if (child.runnable || child.commands.is_empty())
            && alone(&line, &child_path).effect() != Effect::Read
        {
            return Some(child.name.clone());
        }
        acting_descendant(&line, child, &child_path)
    })
}

/// Returns the class of effects that a command's word suggests: the word as a whole, else the worst of its parts where
/// they are verbs.
pub(crate) fn word_class(word: &str) -> Option<(Class, String)> {
    if let Some(class) = named(word) {
        return Some((class, word.to_owned()));
    }
    let parts: Vec<&str> = word.split('-').collect();
    if parts.len() < 2 {
        return None;
    }
    if let Some(part) = parts
        .iter()
        .find(|part| named(part) == Some(Class::Destroy) && !also_noun(part))
    {
        return Some((Class::Destroy, (*part).to_owned()));
    }
    let first = parts.first().copied().unwrap_or_default();
    let last = parts.last().copied().unwrap_or_default();
    // Only the last part may be a thing to look at: `cluster-info` shows, `log-level` need not,
    // and to `check` something says little.
    let leads = named(first)
        .filter(|class| *class != Class::ReadNoun && first != "check")
        .map(|class| (class, first.to_owned()));
    let ends = named(last)
        .filter(|class| {
            // What a leading verb acts on is a noun: `get-tags`.
            leads.is_none()
                || !(also_noun(last) || matches!(class, Class::ReadNoun | Class::Unsure))
        })
        .map(|class| (class, last.to_owned()));
    match (leads, ends) {
        (Some(a), Some(b)) => Some(if severity(b.0) > severity(a.0) { b } else { a }),
        (a, b) => a.or(b),
    }
}

fn severity(class: Class) -> u8 {
    match class {
        Class::Read | Class::ReadNoun => 0,
        Class::Weak => 1,
        Class::Unsure | Class::Secret => 2,
        Class::Write => 3,
        Class::Run => 4,
        Class::Destroy => 5,
    }
}
