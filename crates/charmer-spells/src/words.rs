//! A command split into words, without a shell: at white space, except inside of quotes.
//!
//! `'...'` and `"..."` hold a word together; inside of double quotes `\"` and `\\` stand for `"` and `\`. Nothing else
//! has a meaning: no variables, no globs, no `;`, `|` or `>`, and a backslash outside of quotes is one.

/// Splits a command line into words, without a shell: at white space, except inside of quotes. Says what is wrong if a quote
/// is not closed.
///
/// ```
/// let words = charmer_spells::split_words("commit -m 'a message'").unwrap();
/// assert_eq!(words, ["commit", "-m", "a message"]);
/// ```
pub fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        None => return Err(format!("the quote {c} is not closed")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' && matches!(chars.peek(), Some('"' | '\\')) => {
                            word.extend(chars.next());
                        }
                        Some(inside) => word.push(inside),
                    }
                }
            }
            _ if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        let split = |text| split(text).expect("it is closed");
        assert_eq!(split("  git  log\t--oneline "), ["git", "log", "--oneline"]);
        assert_eq!(
            split(r#"a 'b c' "d \"e\" \n" f'g'"h""#),
            ["a", "b c", r#"d "e" \n"#, "fgh"]
        );
        assert_eq!(split("'' a"), ["", "a"]);
        assert_eq!(split(r"c:\x; $HOME | y"), [r"c:\x;", "$HOME", "|", "y"]);
        assert!(split("").is_empty());
    }

    #[test]
    fn an_open_quote_is_said() {
        assert!(super::split("a 'b").is_err_and(|error| error.contains("not closed")));
    }
}
