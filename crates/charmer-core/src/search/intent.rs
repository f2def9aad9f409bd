//! The intent of a question: to know something, or to have something done.

use super::words::{is_filler, is_number};

/// The intent of a question, as far as it can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Unclear,
    /// To know something.
    Know,
    /// To have something changed.
    Change,
}

/// Returns true if a word is about several things of a kind.
pub(super) fn is_plural(word: &str) -> bool {
    let form = word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is");
    form && word.len() > 3 && !is_filler(word)
}

/// Returns the intent of a question, by its first words and its verbs.
pub(super) fn intent(words: &[String]) -> Intent {
    let begins = words.first().map(String::as_str);
    let second = words.get(1).map(String::as_str);
    let question = matches!(
        begins,
        Some(
            "what"
                | "which"
                | "who"
                | "whose"
                | "where"
                | "when"
                | "is"
                | "are"
                | "am"
                | "does"
                | "did"
                | "has"
                | "why"
        )
    ) || (begins == Some("how")
        && matches!(
            second,
            Some("many" | "much" | "big" | "large" | "long" | "old")
        ));
    // `issues assigned to me`, `history of a file`: things, and nothing to be done with them.
    let first = words
        .iter()
        .find(|word| !is_filler(word) && !is_number(word));
    let things = first.is_some_and(|word| is_plural(word))
        || words.get(1..4).is_some_and(|w| w.iter().any(|w| w == "of"));
    if question {
        return Intent::Know;
    }
    let asks = |word: &str| {
        matches!(
            word,
            "what"
                | "which"
                | "who"
                | "where"
                | "when"
                | "is"
                | "are"
                | "show"
                | "list"
                | "see"
                | "view"
                | "display"
                | "print"
                | "check"
                | "look"
                | "inspect"
                | "describe"
                | "ls"
                | "does"
                | "why"
                | "whose"
                | "has"
                | "was"
        )
    };
    let changes = |word: &str| {
        matches!(
            word,
            "create"
                | "make"
                | "add"
                | "delete"
                | "remove"
                | "rm"
                | "start"
                | "stop"
                | "kill"
                | "restart"
                | "update"
                | "edit"
                | "change"
                | "set"
                | "rename"
                | "move"
                | "copy"
                | "install"
                | "uninstall"
                | "undo"
                | "revert"
                | "push"
                | "publish"
                | "upload"
                | "merge"
                | "commit"
                | "clean"
                | "prune"
                | "free"
                | "upgrade"
                | "apply"
                | "deploy"
                | "scale"
                | "rid"
                | "discard"
                | "drop"
                | "close"
                | "cancel"
                | "save"
                | "put"
                | "throw"
                | "run"
                | "build"
                | "launch"
                | "enable"
                | "disable"
                | "new"
        )
    };
    let first = |test: &dyn Fn(&str) -> bool| words.iter().position(|word| test(word));
    match (first(&asks), first(&changes)) {
        (Some(_), None) => Intent::Know,
        (None, Some(_)) => Intent::Change,
        (Some(asks), Some(changes)) if asks < changes => Intent::Unclear,
        (Some(_), Some(_)) => Intent::Change,
        (None, None) if things => Intent::Know,
        (None, None) => Intent::Unclear,
    }
}
