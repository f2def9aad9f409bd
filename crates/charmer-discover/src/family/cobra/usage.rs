//! Usage patterns as Cobra programs write them, made plain: what is left are positionals.

use std::collections::HashSet;

use charmer_core::model::FlagValue;

use crate::flags::Flags;
use crate::sketch::ChildSketch;

/// Returns true if a usage pattern only says which children there are: `(generic | tls)`.
pub(super) fn offers_children(pattern: &str, children: &[ChildSketch]) -> bool {
    let pattern = strip_marks(pattern);
    let mut words = pattern.split(['|', '(', ')', '[', ']', '<', '>', ' ', ',']);
    let names: HashSet<&str> = children.iter().map(|child| child.name.as_str()).collect();
    pattern.contains('|') && words.all(|word| word.is_empty() || names.contains(word))
}

/// Tells whether the flag of this name takes a value; `None` where there is no such flag.
pub(super) fn takes_value(flags: &Flags, name: &str) -> Option<bool> {
    let flag = flags.iter().find(|flag| {
        flag.long
            .as_deref()
            .is_some_and(|long| name.strip_prefix("--") == Some(long))
            || flag.short.is_some_and(|short| {
                name.strip_prefix('-')
                    .is_some_and(|n| n.chars().eq([short]))
            })
    })?;
    let kind = flag.kind.as_ref();
    Some(kind.is_some_and(|kind| kind.value.value == FlagValue::Required))
}

/// A usage pattern without the words that stand for flags at its end.
fn strip_marks(pattern: &str) -> &str {
    let mut rest = pattern.trim();
    while let Some(shorter) = ["[flags]", "[options]", "[OPTIONS]", "[FLAGS]"]
        .iter()
        .find_map(|mark| rest.strip_suffix(mark))
    {
        rest = shorter.trim_end();
    }
    rest
}

/// A usage pattern of positionals alone, without what it says of the command's flags: `NAME --image=image
/// [--port=port]` has one positional. What stands behind `--` is left alone, and so is everything where a flag is one choice of several.
/// `takes_value` says of the name of a flag, with its dashes, whether it takes a value; `None` where there is no such flag.
pub(super) fn positional_pattern(
    pattern: &str,
    takes_value: impl Fn(&str) -> Option<bool>,
) -> String {
    let pattern = strip_marks(pattern)
        .replace("[ -- ", "[-- ")
        .replace(" ]", "]");
    let pattern = pattern.as_str();
    let dashes = pattern.contains("-- ");
    let (head, tail) = match pattern.find(" -- ") {
        Some(at) => pattern.split_at(at),
        None => (pattern, ""),
    };
    let mut kept: Vec<String> = Vec::new();
    let mut words = outer_words(head).into_iter().peekable();
    while let Some(word) = words.next() {
        let inner = match word.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').unwrap_or(inner),
            None => word,
        };
        let name = inner.split([' ', '=', '[']).next().unwrap_or_default();
        match takes_value(name) {
            Some(_) if inner.contains('|') && inner.contains([' ', '<']) => {
                return pattern.to_owned();
            }
            Some(takes_value) => {
                // `-f FILENAME`
                if takes_value && inner == word && name == inner {
                    words.next_if(|next| !next.starts_with(['-', '[', '(']));
                }
            }
            None if is_mark(word) => {}
            None if dashes => kept.push(one_place(word).unwrap_or_else(|| plainer(word))),
            None => kept.push(plainer(word)),
        }
    }
    let kept = kept.join(" ");
    format!("{kept}{tail}").trim().to_owned()
}

/// `(POD | TYPE/NAME)`: one place for what can be said in several ways, called by the first. What stands behind a `--`
/// would not be reached if the whole pattern stayed unread. A flag may often stand for it, so it is not required.
fn one_place(word: &str) -> Option<String> {
    let inner = word.strip_prefix('(')?.strip_suffix(')')?;
    let (first, others) = inner.split_once('|')?;
    let (first, others) = (first.trim(), others.trim());
    let name = |c: char| c.is_ascii_uppercase() || c == '_';
    let plain = |c: char| name(c) || c.is_ascii_digit() || "|/.[] ".contains(c);
    let one = |other: &str| !other.is_empty() && !other.trim().contains(' ');
    let readable = !first.is_empty()
        && first.chars().all(name)
        && others.chars().all(plain)
        && others.split('|').all(one);
    readable.then(|| format!("[{first}[|{}]]", others.replace(' ', "")))
}

/// Returns true if a word stands for the command's flags. `[ps OPTIONS]` does not: those are another program's.
fn is_mark(word: &str) -> bool {
    let inner = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
    inner.is_some_and(|inner| {
        matches!(
            inner.to_lowercase().as_str(),
            "options" | "flags" | "command options" | "global options" | "global flags"
        )
    })
}

/// A word in the plainest way to say the same: `{<id> | <url>}` is one positional, `[COMMAND [ARG...]]` are two.
fn plainer(word: &str) -> String {
    let (body, dots) = match word.strip_suffix("...") {
        Some(body) => (body, "..."),
        None => (word, ""),
    };
    let inner = body
        .strip_prefix(['{', '[', '('])
        .and_then(|inner| inner.strip_suffix(['}', ']', ')']));
    let Some(inner) = inner else {
        return word.to_owned();
    };
    let name = |part: &str| {
        let name = part.trim().strip_prefix('<')?.strip_suffix('>')?;
        let plain = name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        plain.then(|| name.to_owned())
    };
    let names: Option<Vec<String>> = inner.split('|').map(name).collect();
    // `{<numbers> | <urls>}` are several, nobody says how.
    let one_of = |names: &Vec<String>| {
        (2..=3).contains(&names.len()) && !names.iter().all(|name| name.ends_with('s'))
    };
    if let Some(names) = names.filter(one_of) {
        let one = names.join("-or-");
        return if body.starts_with('[') {
            format!("[<{one}>]{dots}")
        } else {
            format!("<{one}>{dots}")
        };
    }
    match inner.split_once(" [") {
        Some((first, rest))
            if body.starts_with('[')
                && dots.is_empty()
                && rest.ends_with("...]")
                && [first, &rest[..rest.len() - 4]].iter().all(|w| {
                    w.chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
                }) =>
        {
            format!("[{first}] [{rest}")
        }
        _ => word.to_owned(),
    }
}

/// The words of a pattern, what stands in brackets or quotes being one.
fn outer_words(pattern: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut depth = 0usize;
    let mut quoted = None;
    let mut start = None;
    for (at, c) in pattern.char_indices() {
        match c {
            _ if quoted == Some(c) => quoted = None,
            _ if quoted.is_some() => {}
            // An apostrophe inside a word quotes nothing.
            '\'' | '"' if pattern[..at].ends_with(['=', ' ']) => quoted = Some(c),
            '[' | '(' | '<' | '{' => depth += 1,
            ']' | ')' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 && quoted.is_none() {
            words.extend(start.take().map(|start| &pattern[start..at]));
        } else if start.is_none() {
            start = Some(at);
        }
    }
    words.extend(start.map(|start| &pattern[start..]));
    words
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{Arguments, parse_usage};

    use super::*;

    #[test]
    fn what_stands_behind_dashes_is_read_though_the_rest_has_alternatives() {
        for (pattern, expected) in [
            (
                "(POD | TYPE/NAME) [flags] -- COMMAND [args...]",
                "pod, -- command",
            ),
            (
                "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
                "pod, -- command",
            ),
            ("NAME -- [COMMAND] [args...]", "name, -- command"),
        ] {
            let plain = positional_pattern(pattern, |_| None);
            let Arguments::Listed(listed) = parse_usage(&plain) else {
                panic!("{pattern}: {plain}");
            };
            let names = listed.iter().map(|positional| {
                let dashes = if positional.last { "-- " } else { "" };
                format!("{dashes}{}", positional.id)
            });
            assert_eq!(names.collect::<Vec<_>>().join(", "), expected, "{pattern}");
        }
        let whole = "(POD | TYPE/NAME)";
        assert_eq!(positional_pattern(whole, |_| None), whole);
    }
}
