//! Commands that may disclose credentials: they are never called reading by inference.

use crate::model::{Arguments, Command, Effect};

use super::{
    evidence::{Case, EvidenceKind},
    nouns::{
        CREDENTIAL_PAIRS, CREDENTIAL_PHRASES, CREDENTIALS, HARMLESS, KEEPER_PHRASES,
        SETTING_READERS, SETTING_WRITERS, SETTINGS,
    },
    verbs::{Class, named},
    words::{kebab, mentions, sentences, words},
    writing::reveals,
};

/// The part of a name that stands for a credential.
pub(crate) fn credential_part(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.split('-').collect();
    parts
        .iter()
        .find(|part| CREDENTIALS.contains(part))
        .map(|part| (*part).to_owned())
        .or_else(|| {
            parts.windows(2).find_map(|pair| {
                CREDENTIAL_PAIRS
                    .iter()
                    .any(|(a, b)| pair == [*a, *b])
                    .then(|| pair.join("-"))
            })
        })
}

/// Weighs whether a command may show credentials.
pub(crate) fn weigh(case: &mut Case, lineage: &[&Command], path: &[String]) {
    let Some((command, ancestors)) = lineage.split_last() else {
        return;
    };
    let word = path.last().map_or("", String::as_str);
    let mut suspect = |text: String| case.add(EvidenceKind::Credential, Effect::Unknown, text);

    if let Some(part) = path.iter().find_map(|word| credential_part(word)) {
        suspect(format!("it deals in credentials: `{part}`"));
    }
    if word
        .split('-')
        .any(|part| matches!(part, "env" | "environ" | "environment" | "printenv"))
    {
        suspect("it shows the environment, which may hold credentials".into());
    }
    let about = command
        .about
        .as_deref()
        .or(command.long_about.as_deref())
        .unwrap_or_default();
    if let Some(first) = sentences(about).next()
        && mentions(&words(first), CREDENTIAL_PHRASES)
    {
        suspect("its help speaks of credentials".into());
    }
    if let Some(root) = ancestors.first()
        && !HARMLESS.contains(&word)
        && (credential_part(&kebab(&root.name)).is_some()
            || root
                .about
                .as_deref()
                .is_some_and(|about| mentions(&words(about), KEEPER_PHRASES)))
    {
        suspect("the program keeps secrets".into());
    }
    if let [.., parent, _] = path
        && SETTINGS.contains(&parent.as_str())
        && SETTING_READERS.contains(&word)
        && !lists_objects(ancestors, word)
        && !command.flags.iter().any(|flag| reveals(command, flag))
    {
        suspect(format!(
            "it prints what is set under `{parent}`, which may be a credential"
        ));
    }
}

/// Returns true if `config ls` lists objects by name: nothing beside it sets values.
fn lists_objects(ancestors: &[&Command], word: &str) -> bool {
    matches!(word, "ls" | "list")
        && ancestors.last().is_some_and(|parent| {
            parent
                .commands
                .iter()
                .all(|sibling| !SETTING_WRITERS.contains(&sibling.name.as_str()))
        })
}

/// A pattern that positional values of a reading command should not match: where the kind of what it shows is an
/// argument (`get TYPE NAME`), it would show secrets too.
///
/// ```
/// use charmer_core::model::Command;
/// use charmer_core::assessment::effect::secret_values;
/// let get = Command::new("get").usage("get TYPE [NAME]");
/// assert!(secret_values(&get).is_some());
/// assert_eq!(secret_values(&Command::new("ls").usage("ls [DIRECTORY]")), None);
/// ```
pub fn secret_values(command: &Command) -> Option<&'static str> {
    const PATTERN: &str = "(?i)(^|[,/])secrets?([.,/]|$)";
    let is_kind = |name: &str| {
        let name = kebab(name);
        let ends = name.rsplit('-').next().unwrap_or_default();
        matches!(
            ends,
            "type" | "types" | "kind" | "kinds" | "resource" | "resources"
        )
    };
    let reads = named(&kebab(&command.name)).is_some_and(|class| class == Class::Read);
    let takes_kind = match &command.arguments {
        Arguments::Listed(listed) => listed.iter().any(|positional| {
            is_kind(&positional.id) || positional.name.as_deref().is_some_and(is_kind)
        }),
        Arguments::Pattern(pattern) => words(pattern).iter().any(|word| is_kind(&word.text)),
    };
    (reads && takes_kind).then_some(PATTERN)
}
