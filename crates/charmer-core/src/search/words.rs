//! Words of texts and questions: how they are split, which say little, and the stem that their forms share.

/// Longer words are no words that somebody types or looks for.
const LONGEST: usize = 40;

/// Calls `each` with every word of a text: letters and digits, in small letters. What stands between a word and the
/// next is said too: [`WordGap::Joint`] for `locate-project`, [`WordGap::Space`] else.
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(&str, WordGap)) {
    let mut word = String::with_capacity(LONGEST);
    let mut gap = WordGap::Space;
    let mut before: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_alphanumeric() {
            if word.len() < LONGEST {
                match c.is_ascii() {
                    true => word.push(c.to_ascii_lowercase()),
                    false => word.extend(c.to_lowercase()),
                }
            }
        } else if is_apostrophe(c) && !word.is_empty() {
            // The rest of `what's` and `don't` says nothing.
            while chars.peek().is_some_and(|c| c.is_alphanumeric()) {
                chars.next();
            }
        } else if !word.is_empty() {
            each(&word, gap);
            word.clear();
            let inside = chars.peek().is_some_and(|next| next.is_alphanumeric());
            gap = match matches!(c, '-' | '_') && inside {
                true => WordGap::Joint,
                false => WordGap::Space,
            };
        } else if !(matches!(c, '-' | '_') && before.is_some_and(char::is_alphanumeric)) {
            gap = WordGap::Space;
        }
        before = Some(c);
    }
    if !word.is_empty() {
        each(&word, gap);
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}')
}

/// The gap before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordGap {
    /// It is a word of its own.
    Space,
    /// It belongs to the one before it.
    Joint,
}

/// The stem of a word in small letters: `stopped`, `stopping` and `stops` share one, as do `copy` and `copies`. It is
/// light on purpose: two commands that differ (`log`, `login`) must not become one.
pub(super) fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if stem.len() > 3 && stem.bytes().all(|b| b.is_ascii_lowercase()) {
        strip_plural(&mut stem);
        strip_tense(&mut stem);
        strip_noun(&mut stem);
    } else if stem != "use" {
        return stem;
    }
    // `using` and `used` are cut to `us`, so `use` has to be.
    if stem == "use" || (stem.len() > 3 && stem.ends_with('e') && !stem.ends_with("ee")) {
        stem.pop();
    }
    let before_y = stem.strip_suffix('y').and_then(|rest| rest.chars().last());
    if stem.len() > 3 && before_y.is_some_and(|c| !"aeiou".contains(c)) {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn strip_plural(word: &mut String) {
    let cut = if word.ends_with("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
        0
    } else if ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        2
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        1
    } else {
        0
    };
    word.truncate(word.len() - cut);
}

fn strip_tense(word: &mut String) {
    let end = match word.as_str() {
        w if w.ends_with("eed") => return,
        w if w.ends_with("ied") && w.len() > 4 => {
            word.truncate(word.len() - 3);
            word.push('y');
            return;
        }
        w if w.ends_with("ing") => 3,
        w if w.ends_with("ed") => 2,
        _ => return,
    };
    let rest = &word[..word.len() - end];
    let vowels = rest.bytes().filter(|b| b"aeiouy".contains(b)).count();
    if rest.len() < 2 || vowels == 0 || (rest.len() == 2 && rest != "us") {
        return;
    }
    word.truncate(word.len() - end);
    let bytes = word.as_bytes();
    if let [.., before, last] = bytes
        && before == last
        && word.len() > 3
        && !b"aeioulsz".contains(last)
    {
        word.pop();
    }
}

fn strip_noun(word: &mut String) {
    if word.ends_with("ment") && word.len() > 8 {
        word.truncate(word.len() - 4);
    } else if (word.ends_with("tion") || word.ends_with("sion")) && word.len() > 6 {
        word.truncate(word.len() - 3);
    } else if word.ends_with("ly") && word.len() > 5 {
        word.truncate(word.len() - 2);
    }
}

/// Words of a question that say nothing of what is looked for, unless a command has the name.
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.binary_search(&word).is_ok()
}

/// Words that say a little: they decide between commands that are equally near otherwise.
pub(super) fn is_vague(word: &str) -> bool {
    VAGUE.binary_search(&word).is_ok()
}

/// The weight of a word in a phrase, from 0 to 1. Some of the little ones tell phrases apart.
pub(super) fn says(word: &str) -> f32 {
    match word {
        _ if is_passing(word) || is_number(word) => 0.0,
        _ if TELLING.binary_search(&word).is_ok() => 0.3,
        _ if is_filler(word) => 0.0,
        _ if is_vague(word) => 0.6,
        _ => 1.0,
    }
}

/// Words that may stand anywhere in a question and change nothing.
pub(super) fn is_passing(word: &str) -> bool {
    matches!(
        word,
        "actually"
            | "already"
            | "currently"
            | "just"
            | "now"
            | "please"
            | "really"
            | "right"
            | "still"
            | "simply"
    )
}

/// Numbers are values: nothing is about `12`.
pub(super) fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

/// Small words that belong to the verb before them: `log in` is `login`, `cleans up` is `cleanup`.
pub(super) fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "up" | "out" | "in" | "down" | "back" | "off" | "on" | "over" | "away"
    )
}

/// In order, because they are searched.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "a", "about", "actually", "after", "again", "already", "also", "am", "an", "and", "any",
    "anything", "are", "as", "at", "away", "be", "because", "been", "being", "but", "by", "can",
    "cannot", "could", "currently", "did", "do", "does", "doing", "don", "done", "each", "else",
    "etc", "ever", "for", "from", "give", "given", "go", "going", "got", "had", "has", "have",
    "having", "help", "here", "hey", "hi", "how", "i", "if", "in", "into", "is", "isn", "it",
    "its", "just", "kind", "let", "like", "ll", "m", "many", "may", "me", "might", "mine",
    "more", "most", "much", "must", "my", "need", "no", "not", "now", "of", "off", "on", "onto",
    "or", "our", "out", "over", "own", "per", "please", "quickly", "re", "really", "s", "shall",
    "should", "so", "some", "something", "somewhere", "still", "such", "t", "tell", "than",
    "thank", "thanks", "that", "the", "their", "them", "then", "there", "these", "they",
    "thing", "things", "this", "those", "through", "to", "too", "try", "trying", "up", "upon",
    "us", "ve", "very", "via", "want", "was", "way", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "whose", "why", "will", "wish", "with", "without", "would",
    "yet", "you", "your",
];

/// In order, because they are searched.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "after", "again", "away", "back", "before", "down", "in", "into", "many", "most", "much", "not", "off",
    "on", "onto", "out", "over", "up", "when", "where", "who", "whose", "why", "without",
];

/// In order, because they are searched.
#[rustfmt::skip]
const VAGUE: &[&str] = &[
    "all", "another", "before", "between", "command", "couple", "current", "detail", "details",
    "different", "every", "everything", "existing", "few", "first", "five", "four", "get",
    "hello", "information", "is", "last", "latest", "local", "make", "my", "new", "next",
    "object", "old", "one", "only", "other", "place", "put", "recent", "second", "several",
    "single", "someone", "specific", "stuff", "take", "three", "time", "two", "use", "used",
    "using", "what", "who", "work", "working",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_word(text, |word, gap| {
            let mark = if gap == WordGap::Joint { "+" } else { "" };
            found.push(format!("{mark}{word}"));
        });
        found
    }

    #[test]
    fn texts_are_split_where_people_would() {
        assert_eq!(words("Locate-Project, NOW"), ["locate", "+project", "now"]);
        assert_eq!(words("what's gh_pr_list?"), ["what", "gh", "+pr", "+list"]);
        assert_eq!(words("--dry-run - -- _"), ["dry", "+run"]);
        assert_eq!(words("größe/Ähnlich"), ["größe", "ähnlich"]);
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            &["stop", "stops", "stopped", "stopping"][..],
            &["delete", "deletes", "deleted", "deleting"],
            &["copy", "copies", "copied", "copying"],
            &["branch", "branches", "branching"],
            &["dependency", "dependencies"],
            &["use", "used", "using", "uses"],
            &["authenticate", "authentication", "authenticating"],
            &["commit", "commits", "committed"],
            &["pull", "pulled", "pulling"],
            &["cache", "caches", "cached"],
            &["process", "processes"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{forms:?} {stems:?}");
        }
        for apart in [
            ["log", "login"],
            ["status", "stats"],
            ["ls", "l"],
            ["add", "ad"],
            ["string", "str"],
        ] {
            assert_ne!(stem(apart[0]), stem(apart[1]));
        }
    }

    #[test]
    fn lists_are_in_order() {
        assert!(FILLERS.is_sorted() && TELLING.is_sorted() && VAGUE.is_sorted());
    }
}
