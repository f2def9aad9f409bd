//! The words of a question, and how much each says by where it stands.
//!
//! A task is said first and its circumstances after it: `Build an image from a file, without the cache (see also ...)`. A
//! command that has the words of the first part answers it; one that only has those of the rest does not.

use super::{
    index::Index,
    words::{WordGap, for_each_word, is_filler, is_number, is_passing, stem},
};

/// More words than these are not looked up.
const MOST_WORDS: usize = 40;

/// The weights of a word that stands in parentheses, that is a value, or that stands behind a preposition. A few values of
/// each were tried on descriptions of tasks; these found about as much as any.
const IN_PARENTHESES: f32 = 0.4;
const OF_VALUE: f32 = 0.5;
const OF_CIRCUMSTANCE: f32 = 0.8;

/// A word of a question.
#[derive(Debug, Clone)]
pub(super) struct QuestionWord {
    pub(super) word: String,
    /// Its weight by its place in the question, from 0 to 1.
    pub(super) share: f32,
}

/// Splits a question into its words.
pub(super) fn asked(text: &str, index: &Index) -> Vec<QuestionWord> {
    let mut found: Vec<QuestionWord> = Vec::new();
    let mut depth = 0usize;
    let (mut says_something, mut circumstance) = (0, false);
    for token in text.split_whitespace() {
        let opens = token.matches(['(', '[']).count();
        let closes = token.matches([')', ']']).count();
        let share = match () {
            () if depth > 0 || token.starts_with('(') => IN_PARENTHESES,
            () if is_value(token) => OF_VALUE,
            () if circumstance => OF_CIRCUMSTANCE,
            () => 1.0,
        };
        depth = (depth + opens).saturating_sub(closes);
        for_each_word(token, |word, gap| {
            if found.len() == MOST_WORDS || is_passing(word) {
                return;
            }
            if says_something > 1 && is_preposition(word) && gap == WordGap::Space {
                circumstance = true;
            }
            says_something += usize::from(!is_filler(word) && !is_number(word));
            match found.last_mut() {
                // `re-run` and `un-yank` are one word, however they are written.
                Some(before) if gap == WordGap::Joint && matches!(&*before.word, "re" | "un") => {
                    before.word.push_str(word);
                }
                _ => found.push(QuestionWord {
                    word: word.to_owned(),
                    share,
                }),
            }
        });
    }
    for at in 1..found.len() {
        // `log into` is `log in`, said of what comes next.
        if found[at].word == "into" {
            let together = format!("{}in", stem(&found[at - 1].word));
            if index.vocabulary.get(&together).is_some() {
                found[at].word.truncate(2);
            }
        }
    }
    found
}

/// Words behind which stands how, where or with what something is done.
fn is_preposition(word: &str) -> bool {
    matches!(
        word,
        "after"
            | "against"
            | "as"
            | "at"
            | "based"
            | "because"
            | "before"
            | "between"
            | "by"
            | "during"
            | "excluding"
            | "for"
            | "from"
            | "if"
            | "in"
            | "including"
            | "into"
            | "on"
            | "onto"
            | "so"
            | "that"
            | "through"
            | "to"
            | "under"
            | "until"
            | "using"
            | "via"
            | "when"
            | "where"
            | "which"
            | "while"
            | "with"
            | "within"
    )
}

/// Returns true if it is a name or an address of the caller's: `package.json`, `https://example.org`, `src/main.rs`.
fn is_value(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let inside = |c: char| token.contains(c);
    token.contains("://") || inside('.') || inside('@') || inside('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(text: &str) -> Vec<(String, f32)> {
        let index = Index::new([]);
        let words = asked(text, &index).into_iter();
        words.map(|asked| (asked.word, asked.share)).collect()
    }

    #[test]
    fn what_is_done_is_said_before_how() {
        let words = shares("Build an image from Dockerfile.dev (see also bake)");
        let share = |word: &str| {
            words
                .iter()
                .find(|(w, _)| w == word)
                .map(|(_, share)| *share)
        };
        assert_eq!(share("build"), Some(1.0));
        assert_eq!(share("image"), Some(1.0));
        assert_eq!(share("dockerfile"), Some(OF_VALUE));
        assert_eq!(share("bake"), Some(IN_PARENTHESES));
        assert_eq!(shares("image in use")[2].1, 1.0, "nothing was said before");
    }

    #[test]
    fn prefixes_belong_to_their_words() {
        let words: Vec<String> = shares("re-run, un-yank, dry-run")
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["rerun", "unyank", "dry", "run"]);
    }

    #[test]
    fn log_into_is_log_in() {
        let words: Vec<String> = shares("log into it, look into it")
            .into_iter()
            .map(|(word, _)| word)
            .collect();
        assert_eq!(words, ["log", "in", "it", "look", "into", "it"]);
    }
}
