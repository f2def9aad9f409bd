//! The addresses of resources: written, read, and made comparable.

use std::fmt::Write;

/// The scheme of help pages.
pub(crate) const HELP: &str = "help://";
/// The scheme of outputs that were cut.
pub(crate) const SPOOL: &str = "spool://";
/// The list of all tools.
pub(crate) const INDEX: &str = "tools://index";

/// The address of a page: a program and the words of a command.
pub(crate) fn help<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.into_iter().map(encoded).collect();
    format!("{HELP}{}", words.join("/"))
}

/// The same address, as [`help`] writes it; `None` if it is none of a page.
pub(crate) fn canonical_help(uri: &str) -> Option<String> {
    let words = uri.strip_prefix(HELP)?.trim_end_matches('/');
    let words: Option<Vec<String>> = words.split('/').map(decoded).collect();
    Some(help(words?.iter().map(String::as_str)))
}

/// The id and the parameters of an output's address; `None` if it is no such address.
pub(crate) fn spool(uri: &str) -> Option<(String, Vec<(String, String)>)> {
    let rest = uri.strip_prefix(SPOOL)?;
    let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
    let pairs: Option<Vec<(String, String)>> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(key)?, decoded(value)?))
        })
        .collect();
    Some((decoded(id.trim_end_matches('/'))?, pairs?))
}

fn encoded(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for byte in word.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Text without its percent signs; `None` if one of them is followed by no number, or it is no text then.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(more.get(..2)?).ok()?;
            // A sign is no digit, whatever the parser thinks.
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &more[2..];
        } else {
            bytes.push(*first);
            rest = more;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_words_survive_and_addresses_have_one_form() {
        assert_eq!(
            help(["docker", "container", "run"]),
            "help://docker/container/run"
        );
        let odd = help(["a b", "c/d", "é%"]);
        assert_eq!(odd, "help://a%20b/c%2Fd/%C3%A9%25");
        assert_eq!(canonical_help(&odd).as_ref(), Some(&odd));
        assert_eq!(
            canonical_help("help://a b/c%2fd/é%25/").as_ref(),
            Some(&odd)
        );
        for bad in [
            "help://%",
            "help://%zz",
            "help://%ff",
            "help://%+1",
            "file://x",
        ] {
            assert_eq!(canonical_help(bad), None, "{bad}");
        }
    }

    #[test]
    fn parameters_of_an_output_are_read() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            spool("spool://ab12?offset=5&grep=a%20b%26c"),
            Some((
                "ab12".into(),
                vec![pair("offset", "5"), pair("grep", "a b&c")]
            ))
        );
        assert_eq!(spool("spool://ab12"), Some(("ab12".into(), Vec::new())));
        assert_eq!(spool("help://ab12"), None);
    }
}
