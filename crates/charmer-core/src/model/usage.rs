//! Positionals from a usage line: `<file>` is required, `[query]` optional, `[message...]` variadic.
//!
//! Usage lines are written by people. What can be read with confidence becomes a list of positionals; anything
//! with alternatives or flags among the words stays a pattern that is shown as it is.

use super::{Arguments, Positional};

/// Words in brackets that stand for flags or subcommands, not for a positional.
const PLACEHOLDERS: [&str; 7] = [
    "flags",
    "options",
    "option",
    "opts",
    "command",
    "global flags",
    "global options",
];

/// Reads what follows the command's path in a usage line.
///
/// ```
/// use charmer_core::model::{Arguments, parse_usage};
/// let Arguments::Listed(found) = parse_usage("[OPTIONS] <file> [message...]") else { panic!() };
/// assert_eq!(found.len(), 2);
/// assert!(found[0].required && !found[0].variadic);
/// assert!(!found[1].required && found[1].variadic);
///
/// assert!(matches!(parse_usage("[NAME | -l label]"), Arguments::Pattern(_)));
/// ```
pub fn parse_usage(pattern: &str) -> Arguments {
    let pattern = pattern.trim();
    match read(pattern) {
        Some(mut positionals) => {
            positionals.shrink_to_fit();
            Arguments::Listed(positionals)
        }
        None => Arguments::Pattern(pattern.to_owned()),
    }
}

fn read(pattern: &str) -> Option<Vec<Positional>> {
    let mut found: Vec<Positional> = Vec::new();
    let mut behind_dashes: Option<Positional> = None;
    let mut dashes_seen = false;
    let mut goes_on = false;
    for word in split_words(pattern)? {
        // `[-- COMMAND]` wraps the dashes and what follows in one bracket.
        let (word, optional_dashes) =
            match word.strip_prefix("[--").and_then(|w| w.strip_suffix(']')) {
                Some(inner) if inner.is_empty() || inner.starts_with(char::is_whitespace) => {
                    (inner.trim(), true)
                }
                _ => (word, false),
            };
        if word == "--" || optional_dashes {
            dashes_seen = true;
            if word == "--" || word.is_empty() {
                continue;
            }
        }
        if word == "..." {
            found.last_mut().or(behind_dashes.as_mut())?.variadic = true;
            goes_on = true;
            continue;
        }
        let continued = std::mem::take(&mut goes_on);
        if dashes_seen {
            // Whatever stands behind the dashes is one list for the program behind them.
            let first = split_words(word)?.into_iter().next()?;
            let bare = first.trim_end_matches("...");
            let named = if bare.starts_with(['<', '[']) {
                first.to_owned()
            } else {
                format!("<{bare}>")
            };
            let mut positional = read_word(&named)??;
            positional.variadic = true;
            positional.last = true;
            positional.allow_hyphen = true;
            positional.required &= !optional_dashes;
            behind_dashes.get_or_insert(positional);
            continue;
        }
        let Some(positional) = read_word(word)? else {
            continue;
        };
        if continued
            && let Some(first) = found.last_mut()
            && let Some(stem) = series(&first.id, &positional.id)
        {
            first.id = stem.to_owned();
            continue;
        }
        match found.iter().position(|earlier| earlier.id == positional.id) {
            // `NAME [NAME...]`: one or more.
            Some(at) if at + 1 == found.len() => found[at].variadic = true,
            Some(_) => return None,
            None => found.push(positional),
        }
    }
    // Only one list can be told apart from what stands around it, and an optional word before a required one cannot.
    let variadic = found
        .iter()
        .filter(|positional| positional.variadic)
        .count();
    let out_of_order = found
        .windows(2)
        .any(|pair| !pair[0].required && pair[1].required);
    if variadic > 1 || out_of_order {
        return None;
    }
    found.extend(behind_dashes);
    Some(found)
}

/// The name of a series of which the first and the last are written, `KEY_1 ... KEY_N`; `None` if they are two things.
fn series<'n>(first: &'n str, last: &str) -> Option<&'n str> {
    let stem = first.strip_suffix('1')?;
    let number = last.strip_prefix(stem)?;
    let stem = stem.trim_end_matches(['_', '-']);
    (matches!(number, "n" | "N") && !stem.is_empty()).then_some(stem)
}

/// Splits at white space outside of brackets; `None` if brackets do not match or parentheses group alternatives.
fn split_words(pattern: &str) -> Option<Vec<&str>> {
    match pattern.contains(['(', ')', '{', '}']) {
        true => None,
        false => split_outside_brackets(pattern, char::is_whitespace),
    }
}

/// Splits a text outside of its brackets, without empty parts; `None` if they do not match.
pub(crate) fn split_outside_brackets(text: &str, at: impl Fn(char) -> bool) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut open = Vec::new();
    let mut start = 0;
    for (place, c) in text.char_indices() {
        match c {
            '[' => open.push(']'),
            '<' => open.push('>'),
            '(' => open.push(')'),
            '{' => open.push('}'),
            ']' | '>' | ')' | '}' if open.pop() != Some(c) => return None,
            _ => {}
        }
        if open.is_empty() && at(c) {
            parts.push(text[start..place].trim());
            start = place + c.len_utf8();
        }
    }
    parts.push(text[start..].trim());
    open.is_empty()
        .then(|| parts.into_iter().filter(|part| !part.is_empty()).collect())
}

/// One word: `Some(None)` if it is no positional, `None` if it cannot be read.
fn read_word(word: &str) -> Option<Option<Positional>> {
    let mut variadic = false;
    let mut strip_dots = |text: &str| -> String {
        let stripped = text.trim_end_matches('…').trim_end_matches("...").trim();
        variadic |= stripped.len() != text.trim().len();
        stripped.to_owned()
    };
    let outer = strip_dots(word);
    let (inner, required) = match outer.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
        Some(inner) => (strip_dots(inner), false),
        None => (outer, true),
    };
    if !required && PLACEHOLDERS.contains(&inner.to_lowercase().as_str()) {
        // Docker's `[COMMAND]` is a positional; Cobra's `[command]` stands for a subcommand.
        let placeholder = inner != "COMMAND";
        if placeholder {
            return Some(None);
        }
    }
    if inner.starts_with('-') {
        return if required { None } else { Some(None) };
    }
    let angled = inner
        .strip_prefix('<')
        .and_then(|w| w.strip_suffix('>'))
        .map(&mut strip_dots);
    let bare = angled.is_none();
    let name = angled.unwrap_or(inner);
    // `NAME[:TAG]`: the part before the bracket names it.
    let (stem, suffix) = match name.find(['[', ':', '@', '/', '=']) {
        Some(0) | None => (name.as_str(), ""),
        Some(at) => name.split_at(at),
    };
    let readable = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || (!bare && c == ' ');
    if stem.is_empty()
        || !stem.chars().all(readable)
        || suffix.contains([' ', '|']) && !suffix.ends_with(']')
    {
        return None;
    }
    // A bare lower-case word without brackets is more likely a literal than a placeholder.
    if bare && required && stem.chars().any(char::is_lowercase) {
        return None;
    }
    let mut positional = Positional::new(property_name(stem));
    positional.required = required;
    positional.variadic = variadic;
    if !suffix.is_empty() {
        positional.help = Some(name.clone());
    }
    Some(Some(positional))
}

fn property_name(stem: &str) -> String {
    let joined = stem.split_whitespace().collect::<Vec<_>>().join("_");
    if joined.chars().any(char::is_lowercase) {
        joined
    } else {
        joined.to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(pattern: &str) -> String {
        match parse_usage(pattern) {
            Arguments::Pattern(text) => format!("? {text}"),
            Arguments::Listed(found) => found
                .iter()
                .map(|p| {
                    let mark = match (p.required, p.variadic) {
                        (true, false) => "",
                        (false, false) => "?",
                        (true, true) => "+",
                        (false, true) => "*",
                    };
                    format!("{}{}{mark}", if p.last { "-- " } else { "" }, p.id)
                })
                .collect::<Vec<_>>()
                .join(" "),
        }
    }

    #[test]
    fn patterns_of_real_programs() {
        for (pattern, expected) in [
            ("", ""),
            ("[query] [path]", "query? path?"),
            ("<file>", "file"),
            ("[message...]", "message*"),
            ("<file>...", "file+"),
            ("[file]...", "file*"),
            ("[flags]", ""),
            ("[OPTIONS] IMAGE [COMMAND] [ARG...]", "image command? arg*"),
            ("[OPTIONS] CONTAINER [CONTAINER...]", "container+"),
            ("[OPTIONS] NAME[:TAG|@DIGEST]", "name"),
            ("POD -- COMMAND [args...]", "pod -- command+"),
            ("[name] [flags] [-- command]", "name? -- command*"),
            ("[flags] [-f FILE] <name>", "name"),
            ("<resource name>", "resource_name"),
            ("<SRC>... <DST>", "src+ dst"),
            ("NAME ...", "name+"),
            ("NODE KEY_1=VAL_1 ... KEY_N=VAL_N [options]", "node key+"),
            ("KEY_1 ... NAME_N", "key_1+ name_n"),
            (
                "(TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE/NAME ...) [flags]",
                "?",
            ),
            ("[NAME | -l label]", "?"),
            ("-f FILENAME", "?"),
            ("[a] <b>", "?"),
            ("[a...] [b...]", "?"),
            ("set key", "?"),
            ("[unclosed", "?"),
        ] {
            let expected = if expected == "?" {
                format!("? {pattern}")
            } else {
                expected.to_owned()
            };
            assert_eq!(show(pattern), expected, "{pattern}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_kept(text in "[\\PC]{0,60}") {
            if let Arguments::Pattern(kept) = parse_usage(&text) {
                proptest::prop_assert_eq!(kept, text.trim());
            }
        }
    }
}
