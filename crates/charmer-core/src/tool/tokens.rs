//! How much of an assistant's context a text takes, without its tokenizer.

/// Letters of one word that usually make one token.
const WORD: usize = 9;
/// Signs in a row that usually make one token.
const SIGNS: usize = 4;

/// Roughly how many tokens a text takes, such as a tool's definition as JSON.
///
/// Text is split the way that the tokenizers of current models split it before they look words up: words with the
/// space or sign before them, digits in threes, signs in a row. What a word then costs is estimated from its length.
/// On tool lists of large programs the estimate was within 5 % of the tokens of `o200k_base`.
///
/// ```
/// use charmer_core::tool::estimate_tokens;
/// assert_eq!(estimate_tokens("Show all images"), 3);
/// assert_eq!(estimate_tokens(r#"{"type":"boolean","default":false}"#), 9);
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Letter,
        Digit,
        Space,
        Sign,
    }
    let kind = |c: char| match c {
        c if c.is_alphabetic() => Kind::Letter,
        c if c.is_numeric() => Kind::Digit,
        c if c.is_whitespace() => Kind::Space,
        _ => Kind::Sign,
    };
    let mut tokens = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let of = kind(first);
        let mut length = 1;
        let mut wide = usize::from(!first.is_ascii());
        let mut last = first;
        while let Some(&next) = chars.peek() {
            let hump = last.is_lowercase() && next.is_uppercase();
            if kind(next) != of || hump {
                break;
            }
            wide += usize::from(!next.is_ascii());
            (length, last) = (length + 1, next);
            chars.next();
        }
        tokens += match of {
            // Scripts other than Latin take about a token for two letters.
            Kind::Letter => (length - wide).div_ceil(WORD) + wide.div_ceil(2),
            Kind::Digit => length.div_ceil(3),
            // One space or sign goes with the word that follows.
            Kind::Space | Kind::Sign
                if length == 1 && chars.peek().is_some_and(|c| c.is_alphabetic()) =>
            {
                0
            }
            Kind::Space => 1,
            Kind::Sign => length.div_ceil(SIGNS),
        };
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_grows_with_its_text_and_is_never_absurd() {
        assert_eq!(estimate_tokens(""), 0);
        let text = "Show the logs of a pod, and follow them (default false). ";
        let once = estimate_tokens(text.trim_end());
        // A space between words costs nothing, the one at the end does.
        assert_eq!(estimate_tokens(&text.repeat(50)), once * 50 + 1);
        assert!(once > text.len() / 8 && once < text.len() / 2, "{once}");
    }
}
