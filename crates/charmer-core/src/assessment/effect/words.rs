//! Words taken apart: the parts of a name, and the sentences and words of help text.

/// A name in lower case with `-` between its parts: `configDir`, `config_dir` and `--config-dir` are all `config-dir`.
pub(crate) fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    for c in name.chars() {
        if c == '_' || c == '-' || c == ':' || c == '.' || c.is_whitespace() {
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
            lower_before = false;
            continue;
        }
        if c.is_uppercase() && lower_before {
            out.push('-');
        }
        lower_before = c.is_lowercase() || c.is_numeric();
        out.extend(c.to_lowercase());
    }
    while out.ends_with('-') {
        out.pop();
    }
    out
}

/// One word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceWord {
    /// The word in lower case, with the `-` inside it.
    pub(crate) text: String,
    /// A comma or a slash stands behind it.
    pub(crate) comma: bool,
}

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<SentenceWord> {
    let mut out: Vec<SentenceWord> = Vec::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || ((c == '-' || c == '_' || c == '\'') && !word.is_empty()) {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            let text = word.trim_end_matches(['-', '_', '\'']).to_owned();
            word.clear();
            out.push(SentenceWord { text, comma: false });
        }
        if matches!(c, ',' | '/' | ';' | '&')
            && let Some(last) = out.last_mut()
        {
            last.comma = true;
        }
    }
    out
}

/// The sentences of a text: a full stop, a colon before a space, or an empty line ends one.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n")
        .flat_map(|paragraph| paragraph.split(". "))
        .flat_map(|part| part.split(".\n"))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

/// Returns true if a text holds one of these words or phrases; words are compared whole, in lower case.
pub(crate) fn mentions(words: &[SentenceWord], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        words.windows(wanted.len()).any(|window| {
            window
                .iter()
                .zip(&wanted)
                .all(|(word, wanted)| word.text == *wanted)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_form() {
        for name in ["configDir", "config_dir", "--config-dir", "Config-Dir"] {
            assert_eq!(kebab(name), "config-dir");
        }
        assert_eq!(kebab("kubeAPIServer"), "kube-apiserver");
        assert_eq!(kebab("--"), "");
    }

    #[test]
    fn phrases_are_compared_by_whole_words() {
        let text = words("Write the go-template-file, or stdout");
        assert!(mentions(&text, &["or stdout"]));
        assert!(!mentions(&text, &["file", "template"]));
        assert!(text.iter().any(|word| word.comma));
    }
}
