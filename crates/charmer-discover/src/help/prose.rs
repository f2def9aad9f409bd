//! Facts in the sentences of help: defaults, accepted values, environment variables.

use charmer_core::model::Choice;

/// The maximum number of brackets of a kind that are looked into.
const MARKS: usize = 32;

/// The first sentence or line of a text.
pub(crate) fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.find(". ") {
        Some(at) => line[..=at].to_owned(),
        None => line,
    }
}

/// The value in a `(default X)`, `(default: X)`, `(default is X)`, `[default: X]` or `[default X]`, as it is written,
/// if it looks like a value and not like prose.
pub(crate) fn default_in(text: &str) -> Option<String> {
    let (at, length) = default_mark(text)?;
    let inner = &text[at + 1..at + length - 1];
    let value = inner["default".len()..].trim_start_matches([':', '=', ' ']);
    let value = value.strip_prefix("is ").unwrap_or(value).trim();
    let value = value.strip_suffix(';').unwrap_or(value);
    let unquoted = unquote(value);
    // `(default the current branch)` describes a value; it is none.
    let prose = unquoted.is_none()
        && value.split_whitespace().count() > 1
        && !value.starts_with(['[', '{'])
        && !value.starts_with("map[");
    (!value.is_empty() && !prose).then(|| unquoted.unwrap_or_else(|| value.to_owned()))
}

/// A text without its mark of the default, and the default.
pub(crate) fn take_default(text: &str) -> (String, Option<String>) {
    let Some((at, length)) = default_mark(text) else {
        return (text.to_owned(), None);
    };
    let Some(value) = default_in(text) else {
        return (text.to_owned(), None);
    };
    let before = text[..at].trim_end();
    let after = text[at + length..].trim();
    let joined = if before.is_empty() || after.is_empty() || after.starts_with(['.', ',']) {
        format!("{before}{after}")
    } else {
        format!("{before} {after}")
    };
    (joined, Some(value))
}

/// The place of the last bracket that begins with `default`, and its length, its brackets included.
fn default_mark(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    ["(default", "[default"]
        .iter()
        // The last is wanted; where many do not close, each is looked through to the end of the text.
        .flat_map(|mark| lower.rmatch_indices(mark).take(MARKS))
        .filter_map(|(at, mark)| {
            let next = lower[at + mark.len()..].chars().next()?;
            if !matches!(next, ' ' | ':' | '=') {
                return None;
            }
            let close = bracket_end(&text[at..])?;
            Some((at, close + 1))
        })
        .max_by_key(|&(at, _)| at)
}

/// The place of the bracket that closes the first one, quotes being skipped.
fn bracket_end(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut quoted = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quoted, c) {
            _ if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(quote), _) if c == quote => quoted = None,
            (Some(_), _) => {}
            (None, '"') => quoted = Some('"'),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, ')' | ']') if open.last() == Some(&c) => {
                open.pop();
                if open.is_empty() {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    // A quote that is never closed hid the bracket: take the first that fits.
    let close = if text.starts_with('(') { ')' } else { ']' };
    text.find(close)
}

/// The inside of a quoted text, Go's escapes undone.
fn unquote(text: &str) -> Option<String> {
    for quote in ['\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return Some(inner.to_owned());
        }
    }
    let quoted = text.len() >= 2 && text.starts_with('"') && text.ends_with('"');
    if !quoted {
        return None;
    }
    // Go's quoting is JSON's, but for a few escapes that do not matter here.
    serde_json::from_str(text)
        .ok()
        .or_else(|| Some(text[1..text.len() - 1].to_owned()))
}

/// Returns true if a number is written in decimal: `0777` is an octal one, or a text that happens to be made of digits.
pub(crate) fn is_decimal(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let mut chars = digits.chars();
    let first = chars.next();
    let padded = first == Some('0') && chars.next().is_some_and(|c| c.is_ascii_digit());
    first.is_some_and(|c| c.is_ascii_digit()) && !padded
}

/// Returns true if a text says that a flag may be given more than once.
pub(crate) fn may_repeat(text: &str) -> bool {
    let lower = text.to_lowercase();
    let said = [
        "multiple times",
        "more than once",
        "be repeated",
        "several times",
        "any number of times",
        "given repeatedly",
        "used repeatedly",
        "is additive",
    ];
    let denied = [
        "not be repeated",
        "not be used multiple",
        "not be given more",
    ];
    // `repeatable builds` are something else.
    let repeatable = lower.match_indices("repeatable").any(|(at, word)| {
        let before = lower[..at].trim_end();
        let behind = lower[at + word.len()..].trim_start();
        let of_flag = ["option", "flag", "argument"];
        before.ends_with(" is")
            || !behind.starts_with(char::is_alphabetic)
            || of_flag.iter().any(|noun| behind.starts_with(noun))
    });
    (repeatable || said.iter().any(|words| lower.contains(words)))
        && !denied.iter().any(|not| lower.contains(not))
}

/// The long name that a text gives for the opposite of a switch: `Use --no-fix to disable` of `--fix`, and
/// `(inverse: --cache)` of `--no-cache`.
pub(crate) fn opposite_in(text: &str, long: &str) -> Option<String> {
    const SAID: [&str; 6] = [
        "disable",
        "inverse",
        "opposite",
        "negat",
        "turn off",
        "turn it off",
    ];
    let lower = text.to_lowercase();
    if !SAID.iter().any(|words| lower.contains(words)) {
        return None;
    }
    if let Some(named) = disabled_by(text, long) {
        return Some(named);
    }
    let opposite = match long.strip_prefix("no-") {
        Some(base) => base.to_owned(),
        None => format!("no-{long}"),
    };
    let mark = format!("--{opposite}");
    let ends = |at: usize| {
        let behind = text[at + mark.len()..].chars().next();
        behind.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '='))
    };
    let named = text.match_indices(&mark).any(|(at, _)| ends(at));
    named.then_some(opposite)
}

/// ``Use `--with-x` to disable``: the opposite, whatever it is called.
fn disabled_by(text: &str, long: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(4).find_map(|four| {
        let says = four[0].eq_ignore_ascii_case("use")
            && four[2] == "to"
            && four[3].trim_end_matches(['.', ')']) == "disable";
        let name = four[1].trim_matches(['`', '\'', '"']).strip_prefix("--")?;
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        (says && plain && name != long && !name.starts_with("no-")).then(|| name.to_owned())
    })
}

/// Returns true if a text shows a flag of this name twice on one command line, each time with a value: `--skip a --skip
/// b`.
pub(crate) fn shows_twice(text: &str, name: &str) -> bool {
    let words = text
        .split_whitespace()
        .map(|word| word.trim_start_matches(['(', '`', '\'', '"']));
    let attached = format!("{name}=");
    let shown = words.enumerate().filter_map(|(at, word)| {
        let behind = usize::from(!word.starts_with(&attached));
        (word == name || behind == 0).then_some((at, behind))
    });
    let shown: Vec<(usize, usize)> = shown.collect();
    // The value of the first, and perhaps a word between them.
    let follows = |two: &[(usize, usize)]| (1..=2).contains(&(two[1].0 - two[0].0 - two[0].1));
    shown.windows(2).any(follows)
}

/// The environment variable in an `[env: NAME=...]`, `[env var: NAME]` or `[$NAME]`.
pub(crate) fn env_in(text: &str) -> Option<String> {
    let at = text
        .find("[env:")
        .map(|at| at + 5)
        .or_else(|| text.find("[env var:").map(|at| at + 9))
        .or_else(|| text.find("[$").map(|at| at + 2))?;
    let name: String = text[at..]
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The values that a text says are the only ones: `[possible values: a, b]`, `(one of: a, b)`, `One of: (a, b)`,
/// `{a|b|c}`, `"a"|"b"`. Empty if it does not say so plainly.
pub(crate) fn choices_in(text: &str) -> Vec<Choice> {
    listed_choices(text)
        .map(|values| values.into_iter().map(Choice::new).collect())
        .unwrap_or_default()
}

fn listed_choices(text: &str) -> Option<Vec<String>> {
    let lower = text.to_ascii_lowercase();
    for mark in [
        "[possible values:",
        "possible values:",
        "[choices:",
        "one of:",
        "one of ",
        "must be one of",
        "allowed values:",
        "valid values:",
        "valid values are",
        "valid options:",
        "available options:",
        "supported values:",
    ] {
        let Some(at) = lower.find(mark) else { continue };
        // `None of the`, `if one of the` and so on are prose.
        if lower[at + mark.len()..].trim_start().starts_with("the ") {
            continue;
        }
        let rest = text[at + mark.len()..].trim_start_matches([':', ' ']);
        if let Some(values) = value_list(rest) {
            return Some(values);
        }
    }
    // `{a|b|c}`, `(a|b|c)`, `"a"|"b"`.
    for (open, close) in [('{', '}'), ('(', ')')] {
        for (at, _) in text.match_indices(open).take(MARKS) {
            let Some(end) = text[at..].find(close) else {
                break;
            };
            let inner = &text[at + 1..at + end];
            let by_bar = inner.contains('|') && inner.split('|').count() > 1;
            let quoted = inner.split(',').count() > 1
                && inner.split(',').all(|word| {
                    let word = word.trim().trim_start_matches("or ").trim();
                    word.len() > 2 && word.starts_with('"') && word.ends_with('"')
                });
            if (by_bar || quoted)
                && let Some(values) = value_list(inner)
            {
                return Some(values);
            }
        }
    }
    None
}

/// The words for types of data.
const TYPES: [&str; 7] = [
    "string",
    "null",
    "undefined",
    "boolean",
    "number",
    "object",
    "array",
];

/// A list of plain values separated by commas, bars or `or`, up to the end of its bracket or sentence.
fn value_list(text: &str) -> Option<Vec<String>> {
    let (text, bracketed) = match text.strip_prefix(['(', '[', '{']) {
        Some(inner) => (inner, true),
        None => (text, false),
    };
    let end = text
        .char_indices()
        .find(|&(at, c)| {
            matches!(c, ')' | ']' | '}' | ';' | '\n')
                || c == '.'
                    && text[at + 1..]
                        .chars()
                        .next()
                        .is_none_or(char::is_whitespace)
        })
        .map_or(text.len(), |(at, _)| at);
    let list = text[..end]
        .replace(" or ", ",")
        .replace(" and ", ",")
        .replace('|', ",");
    let mut values = Vec::new();
    for word in list.split(',') {
        let word = word
            .trim()
            .trim_start_matches("or ")
            .trim_start_matches("and ");
        let word = word
            .trim_matches(['"', '\'', '`', '“', '”', '‘', '’'])
            .trim();
        if word.is_empty() {
            continue;
        }
        let plain = word.chars().all(|c| {
            c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | ':' | '@' | '*')
        }) && word.chars().any(char::is_alphanumeric);
        if !plain {
            // A word too many ends an open list; in brackets it means that this is prose.
            if bracketed || values.len() < 2 {
                return None;
            }
            return None;
        }
        if !values.iter().any(|known| known == word) {
            values.push(word.to_owned());
        }
    }
    // `(string | null)` tells the type of something.
    let is_type = |value: &String| TYPES.contains(&value.as_str());
    (values.len() > 1 && !values.iter().all(is_type)).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults() {
        for (text, expected) in [
            ("Number of tries (default 3)", Some("3")),
            ("Name (default \"a (b) \\\"c\\\"\")", Some("a (b) \"c\"")),
            ("Branch (default the current branch)", None),
            ("List (default [a,b])", Some("[a,b]")),
            ("Map (default map[])", Some("map[])").map(|_| "map[]")),
            ("Jobs [default: 4]", Some("4")),
            ("Jobs [default: 4] [env: JOBS=]", Some("4")),
            ("Jobs (default: 4)", Some("4")),
            ("Jobs (default is 4)", Some("4")),
            ("Jobs (default 4) (DEPRECATED: use more)", Some("4")),
            ("The default is 4", None),
            ("When (defaults to never)", None),
        ] {
            assert_eq!(default_in(text).as_deref(), expected, "{text}");
        }
        assert_eq!(
            take_default("Jobs [default: 4] [env: J=]"),
            ("Jobs [env: J=]".into(), Some("4".into()))
        );
    }

    #[test]
    fn opposites_in_a_text() {
        for (text, long, expected) in [
            (
                "Fix it. Use `--no-fix` to disable or `--deep`",
                "fix",
                Some("no-fix"),
            ),
            (
                "Do not use it (inverse: --cache)",
                "no-cache",
                Some("cache"),
            ),
            (
                "Leave it out. Use `--keep` to disable",
                "leave-out",
                Some("keep"),
            ),
            ("Fix it. Use `--no-fix-only` to disable", "fix", None),
            ("Wins over --no-fix", "fix", None),
            ("Disable the cache", "no-cache", None),
        ] {
            assert_eq!(opposite_in(text, long).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn octal_numbers_are_not_decimal() {
        for (text, expected) in [
            ("0", true),
            ("-1", true),
            ("0.5", true),
            ("90", true),
            ("0777", false),
            ("-022", false),
            ("+5", false),
            ("", false),
        ] {
            assert_eq!(is_decimal(text), expected, "{text}");
        }
    }

    #[test]
    fn repetition_and_environment() {
        assert!(may_repeat("A label (may be given multiple times)"));
        assert!(may_repeat(
            "This option is repeatable and says more each time"
        ));
        assert!(!may_repeat("Make repeatable builds"));
        assert!(may_repeat("Give more output. Option is additive"));
        assert!(!may_repeat("It can not be used multiple times"));
        assert!(may_repeat("A label (repeatable)"));
        assert!(!may_repeat("Check each hash, for repeatable installs"));
        for (text, expected) in [
            ("Files to skip: `--skip a --skip b`.", true),
            ("as in --skip=a --skip=b", true),
            ("--skip a and --skip b", true),
            ("with --skip, not --skip", false),
            ("--skip a. Whatever else is said of --skip", false),
            ("--skipped a --skipped b", false),
        ] {
            assert_eq!(shows_twice(text, "--skip"), expected, "{text}");
        }
        assert!(!may_repeat("How often it is tried"));
        assert_eq!(
            env_in("Key [env var: TOOL_KEY]").as_deref(),
            Some("TOOL_KEY")
        );
        assert_eq!(env_in("Key [env: TOOL_KEY=]").as_deref(), Some("TOOL_KEY"));
    }

    #[test]
    fn choices() {
        for (text, expected) in [
            ("Format. One of: (json, yaml, wide).", "json yaml wide"),
            (
                "When [possible values: auto, always, never]",
                "auto always never",
            ),
            (
                "Pull (\"always\", \"missing\", \"never\")",
                "always missing never",
            ),
            ("Level {low|high}", "low high"),
            ("Tell fields: glaze (string | null) - its name", ""),
            ("Kind (one of: a, b or c)", "a b c"),
            (
                "Must be one of \"none\", \"server\", or \"client\".",
                "none server client",
            ),
            ("If one of the files is missing, stop", ""),
            ("Add a mapping (host:ip)", ""),
            ("Use a, b, and c", ""),
        ] {
            let found: Vec<_> = choices_in(text)
                .into_iter()
                .map(|choice| choice.value)
                .collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\PC]|default|one of:|[(\\[\"'|,]){0,80}") {
            default_in(&text);
            take_default(&text);
            choices_in(&text);
            env_in(&text);
            first_sentence(&text);
        }
    }
}
