//! Tokens as a model counts them, for `charmer tools`; a running server estimates.

/// The number of tokens of `o200k_base` in a text. The first call reads the vocabulary, which takes a moment.
pub(crate) fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_vocabulary() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count(r#"{"type":"boolean","default":false}"#), 9);
        // Marks of a conversation are text like any other.
        assert!(count("<|endoftext|>") > 1);
    }
}
