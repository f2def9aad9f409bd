//! The effect that a command's help text tells: the verbs that its first sentence leads with or adds, and what the
//! rest admits.

use super::{
    verbs::{Class, also_noun, in_prose, named},
    words::{SentenceWord, mentions, sentences, words},
};

/// A verb that the text has, and what it lets one expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SaidVerb {
    pub(crate) class: Class,
    pub(crate) verb: &'static str,
}

const ARTICLES: &[&str] = &[
    "the", "a", "an", "all", "it", "one", "your", "its", "them", "any", "new", "this", "these",
    "that", "those", "some", "existing", "each", "every", "their", "local", "remote", "current",
];
const JOINERS: &[&str] = &["and", "or", "then", "also", "optionally", "plus", "to"];
/// Labels that stand before a sentence to warn of it.
const LABELS: &[&str] = &[
    "experimental",
    "deprecated",
    "alpha",
    "beta",
    "internal",
    "unstable",
    "legacy",
];
/// Phrases that send output to a file instead of showing it.
const TO_FILES: &[&str] = &[
    "to a file",
    "to file",
    "to disk",
    "into a file",
    "to a directory",
    "to the directory",
    "to the given directory",
    "to the specified directory",
    "to the file",
    "to the given file",
    "into a directory",
    "into the directory",
    "to the clipboard",
    "to an archive",
];
const CHECKS: &[&str] = &[
    "check",
    "verify",
    "test",
    "determine",
    "see",
    "tell",
    "find",
];
const SUBJECTS: &[&str] = &["command", "it", "also", "then", "this", "which"];
const MODALS: &[&str] = &[
    "will",
    "may",
    "can",
    "might",
    "also",
    "then",
    "always",
    "automatically",
];
/// Verbs that a later sentence is believed about, since hardly any of them is a noun.
const ADMITTED: &[&str] = &[
    "delete",
    "remove",
    "create",
    "modify",
    "overwrite",
    "write",
    "install",
    "uninstall",
    "erase",
    "destroy",
    "edit",
    "rewrite",
    "append",
    "rename",
    "move",
    "purge",
    "replace",
    "update",
    "upload",
    "download",
    "generate",
    "save",
    "publish",
    "execute",
    "run",
    "start",
];

/// The verbs of a command's first sentence: the leading one, those listed with it, and those that a later part adds
/// (`Show the queue and delete what is done`).
pub(crate) fn first_sentence(text: &str) -> Vec<SaidVerb> {
    let Some(sentence) = sentences(text).next() else {
        return Vec::new();
    };
    let words = words(sentence);
    let mut found = Vec::new();
    let Some(start) = leading(&words) else {
        return found;
    };
    if checks_something(&words[start..]) {
        found.push(SaidVerb {
            class: Class::Read,
            verb: "check",
        });
    }
    let mut listing = true;
    // `Prints` is followed by other verbs of its form, `Print` by plurals: `updates` is a verb in the one and not in the
    // other.
    let third_person = is_third_person(&words[start].text);
    for (at, word) in words.iter().enumerate().skip(start) {
        if is_adverb(&word.text) || JOINERS.contains(&word.text.as_str()) {
            continue;
        }
        let joined = at == start || follows_joiner(&words, at);
        let verb = in_prose(&word.text).filter(|_| at != start || found.is_empty());
        let Some((class, verb)) = verb.filter(|_| joined) else {
            listing = listing && at == start;
            continue;
        };
        let next = words.get(at + 1).map(|next| next.text.as_str());
        let as_noun = also_noun(verb)
            && !(third_person && at != start && acts(&words, at))
            && if at == start {
                next.is_some_and(|next| named(next) == Some(Class::ReadNoun))
            } else {
                !listing && !next.is_some_and(|next| ARTICLES.contains(&next))
            };
        // `log in` and `sign in` are verbs of their own.
        let signs_in = matches!(verb, "log" | "sign") && matches!(next, Some("in" | "into" | "on"));
        let harmless = at != start && matches!(class, Class::Read | Class::Weak);
        if signs_in {
            found.push(SaidVerb {
                class: Class::Write,
                verb: "login",
            });
        } else if !as_noun && !harmless && !found.iter().any(|said| said.verb == verb) {
            found.push(SaidVerb { class, verb });
        }
    }
    qualify(&mut found, &words);
    found
}

/// Corrects the verbs by the rest of their sentence: `Get started`, `Read a tree into the index`, `Dump it to a file`.
fn qualify(found: &mut Vec<SaidVerb>, words: &[SentenceWord]) {
    let idle = &["get started", "get ready", "get going", "get rid", "get up"];
    found.retain(|said| said.verb != "get" || !mentions(words, idle));
    if mentions(words, TO_FILES) {
        found.push(SaidVerb {
            class: Class::Write,
            verb: "write",
        });
    }
    if let Some(said) = found.first_mut()
        && said.verb == "read"
        && mentions(words, &["into"])
    {
        said.class = Class::Unsure;
    }
}

/// The place of the sentence's verb: its first word but for adverbs, or what follows `to` soon after.
fn leading(words: &[SentenceWord]) -> Option<usize> {
    let first = words
        .iter()
        .position(|word| !is_adverb(&word.text) && !LABELS.contains(&word.text.as_str()))?;
    // `Get resolves its arguments`: a name, and then what it does.
    if let Some(next) = words.get(first + 1)
        && in_prose(&words[first].text).is_some()
        && !words[first].comma
        && is_third_person(&next.text)
        && in_prose(&next.text).is_some_and(|(_, verb)| {
            let object = words.get(first + 2).map(|word| word.text.as_str());
            !also_noun(verb) || matches!(object, Some("the" | "a" | "an" | "its"))
        })
    {
        return Some(first + 1);
    }
    if in_prose(&words[first].text).is_some() || checks_something(&words[first..]) {
        return Some(first);
    }
    let to = words
        .iter()
        .take(first + 7)
        .position(|word| matches!(word.text.as_str(), "to" | "for" | "of"));
    match to {
        Some(to)
            if words.get(to + 1).is_some_and(|word| {
                in_prose(&word.text).is_some_and(|(_, verb)| !noun_here(words, to + 1, verb))
            }) =>
        {
            Some(to + 1)
        }
        _ => Some(first),
    }
}

fn noun_here(words: &[SentenceWord], at: usize, verb: &str) -> bool {
    let article = words
        .get(at + 1)
        .is_some_and(|next| ARTICLES.contains(&next.text.as_str()));
    also_noun(verb) && !article
}

fn is_third_person(word: &str) -> bool {
    word.ends_with('s') && !word.ends_with("ss")
}

/// Returns true if what stands here in the form of `updates` acts on what follows: `updates go.mod`, not `updates of a
/// module`.
fn acts(words: &[SentenceWord], at: usize) -> bool {
    const AFTER_NOUNS: &[&str] = &[
        "of", "for", "in", "on", "from", "to", "and", "or", "with", "by", "at", "that", "which",
        "per", "since", "as", "are", "is", "were", "was", "not", "if", "when",
    ];
    let next = words.get(at + 1).map(|next| next.text.as_str());
    is_third_person(&words[at].text)
        && !words[at].comma
        && next.is_some_and(|next| !AFTER_NOUNS.contains(&next))
}

fn checks_something(words: &[SentenceWord]) -> bool {
    let [verb, next, ..] = words else {
        return false;
    };
    CHECKS
        .iter()
        .any(|check| verb.text == *check || verb.text.strip_suffix('s') == Some(check))
        && matches!(
            next.text.as_str(),
            "whether" | "if" | "that" | "how" | "which"
        )
}

fn is_adverb(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ly")
        && !matches!(word, "apply" | "reply" | "supply" | "multiply")
}

fn follows_joiner(words: &[SentenceWord], at: usize) -> bool {
    words[..at]
        .iter()
        .rev()
        .find(|word| !is_adverb(&word.text))
        .is_some_and(|before| before.comma || JOINERS.contains(&before.text.as_str()))
}

/// The verbs that later sentences admit: `It also removes what is left`.
pub(crate) fn admitted(text: &str) -> Vec<SaidVerb> {
    let mut found: Vec<SaidVerb> = Vec::new();
    for sentence in sentences(text) {
        let words = words(sentence);
        for (at, word) in words.iter().enumerate() {
            let Some((class @ (Class::Write | Class::Destroy | Class::Run), verb)) =
                in_prose(&word.text)
            else {
                continue;
            };
            let subject = words[..at]
                .iter()
                .rev()
                .find(|before| !is_adverb(&before.text) && !MODALS.contains(&before.text.as_str()));
            let modal = at > 0 && MODALS.contains(&words[at - 1].text.as_str());
            // A bare form needs its modal: `this update` is a noun, `this updates` and `it may update` are not.
            if ADMITTED.contains(&verb)
                && (word.text != verb || modal)
                && !word.text.ends_with("ing")
                && subject.is_some_and(|subject| SUBJECTS.contains(&subject.text.as_str()))
                && !found.iter().any(|said| said.verb == verb)
            {
                found.push(SaidVerb { class, verb });
            }
        }
    }
    found
}

/// Returns true if the text says that a program from outside is run: one that the environment names, or an external
/// one.
pub(crate) fn runs_outside_program(text: &str) -> bool {
    let named_by_environment = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.contains('_') && !word.chars().any(|c| c.is_ascii_lowercase()))
        .any(|word| {
            word.split('_').any(|part| {
                matches!(
                    part,
                    "EDITOR"
                        | "PAGER"
                        | "BROWSER"
                        | "EXTERNAL"
                        | "COMMAND"
                        | "CMD"
                        | "ASKPASS"
                        | "SHELL"
                )
            })
        });
    named_by_environment
        || mentions(
            &words(text),
            &[
                "external command",
                "external commands",
                "external program",
                "external programs",
                "external diff",
                "external tool",
                "your editor",
                "an editor",
                "default editor",
                "web browser",
                "your browser",
                "the browser",
                "a browser",
            ],
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<(&'static str, Class)> {
        first_sentence(text)
            .into_iter()
            .map(|said| (said.verb, said.class))
            .collect()
    }

    #[test]
    fn listed_and_added_verbs_are_found() {
        use Class::{Destroy, Read, Write};
        assert_eq!(
            classes("List, create, or delete twigs"),
            [("list", Read), ("create", Write), ("delete", Destroy)]
        );
        assert_eq!(
            classes("Get/set the level"),
            [("get", Read), ("set", Write)]
        );
        assert_eq!(
            classes("Shows the number of a crate or bumps it by a rule"),
            [("show", Read), ("bump", Write)]
        );
        assert_eq!(
            classes("Recursively show nests and optionally creates one"),
            [("show", Read), ("create", Write)]
        );
        assert_eq!(classes("A command to erase disks"), [("erase", Destroy)]);
        assert_eq!(classes("Log into a hub"), []);
    }

    #[test]
    fn a_command_that_is_named_before_its_verbs_does_what_they_say() {
        use Class::{Read, Write};
        assert_eq!(
            classes("Get resolves its arguments to nests, updates nest.mod, and downloads eggs"),
            [("resolve", Write), ("update", Write), ("download", Write)]
        );
        assert_eq!(classes("List lists the named nests"), [("list", Read)]);
        assert_eq!(
            classes("Shows builds and updates of a nest"),
            [("show", Read)]
        );
        assert_eq!(classes("List runs"), [("list", Read)]);
        assert_eq!(classes("Show packages that are behind"), [("show", Read)]);
        assert_eq!(
            classes("Output pages on nests to the directory supplied"),
            [("output", Read), ("write", Write)]
        );
    }

    #[test]
    fn nouns_are_not_taken_for_verbs() {
        use Class::Read;
        assert_eq!(
            classes("Show changes between commits, commit and working tree, etc"),
            [("show", Read)]
        );
        assert_eq!(classes("Show start and stop times"), [("show", Read)]);
        assert_eq!(classes("Build history of an image"), []);
        assert_eq!(classes("Check whether a nest is taken"), [("check", Read)]);
        assert_eq!(classes("Check a nest for mites"), []);
    }

    #[test]
    fn later_sentences_admit_what_they_do() {
        let verbs = |text| {
            admitted(text)
                .into_iter()
                .map(|said| said.verb)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            verbs("Show a queue. It also removes what is done."),
            ["remove"]
        );
        assert_eq!(
            verbs("Show a queue. This command may create a file."),
            ["create"]
        );
        assert!(verbs("Show what this update changed. To remove one, use rm.").is_empty());
    }
}
