//! The left column of a flag's row: `-s, --name VALUE`, in the ways that programs write it.

/// The maximum number of names that a flag has; a longer list names flags that are described elsewhere.
const MOST_NAMES: usize = 16;

/// The names in a row, and what follows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FlagNames {
    pub(crate) longs: Vec<String>,
    pub(crate) shorts: Vec<char>,
    /// The long name that turns the switch off, from `--[no-]color`, `--color / --no-color` and their like.
    pub(crate) negation: Option<String>,
    /// The placeholder of the value, as it is written: `VALUE`, `<N>...`, `string[="x"]`.
    pub(crate) value: Option<String>,
    /// The value may be left out (`--color[=WHEN]`).
    pub(crate) optional: bool,
    /// An `=` was written before the value.
    pub(crate) equals: bool,
    /// Long names have a single dash.
    pub(crate) single_dash: bool,
    /// The value stands right behind the name (`-l<n>`).
    pub(crate) glued: bool,
    /// A value stands behind a colon (`--define:NAME`).
    pub(crate) colon: bool,
    /// Something stands behind the names and the value that is neither (`-Wx,<options>`, `-verbose:<what>`).
    pub(crate) unread: bool,
}

/// Reads the left column of a flag's row; `None` if it is no flag's.
///
/// Names are separated by `,`, `|`, `/` or spaces; a value follows behind a space, an `=` or in brackets.
pub(crate) fn flag_names(column: &str) -> Option<FlagNames> {
    let mut names = FlagNames::default();
    let mut rest = column.trim();
    loop {
        let (name, after) = one_name(rest)?;
        names.take(name)?;
        if names.longs.len() + names.shorts.len() > MOST_NAMES {
            return None;
        }
        rest = after;
        // A value right behind this name; the next name may still follow (`-o FILE, --output FILE`).
        let (value, after) = value_of(rest, &mut names);
        if let Some(value) = value {
            names.value.get_or_insert(value);
        }
        rest = behind_letter(after.trim_start_matches([',', '|', '/', ' ']));
        if !rest.starts_with('-') || !after.starts_with([',', '|', '/', ' ']) {
            break;
        }
    }
    names.unread = !rest.is_empty();
    let value = rest.strip_prefix(':');
    names.colon = value.is_some_and(|value| !value.is_empty() && !value.starts_with(' '));
    // A long name that is the other's opposite.
    if names.negation.is_none()
        && names.longs.len() == 2
        && names.longs[1].strip_prefix("no-") == Some(names.longs[0].as_str())
    {
        names.negation = names.longs.pop();
    }
    Some(names)
}

/// The rest behind a letter without a dash that stands among the names, as programs that know several dialects have it:
/// `-p, p, --pid`.
fn behind_letter(text: &str) -> &str {
    let mut chars = text.chars();
    let letter = chars.next().is_some_and(char::is_alphanumeric);
    let behind = chars.as_str().trim_start();
    match behind.strip_prefix(',').map(str::trim_start) {
        Some(rest) if letter && rest.starts_with('-') => rest,
        _ => text,
    }
}

impl FlagNames {
    fn take(&mut self, name: &str) -> Option<()> {
        if let Some(long) = name.strip_prefix("--") {
            if let Some(base) = long
                .strip_prefix("[no-]")
                .or_else(|| long.strip_prefix("(no-)"))
            {
                self.negation = Some(format!("no-{base}"));
                self.longs.push(base.to_owned());
            } else if !long.is_empty() {
                self.longs.push(long.to_owned());
            } else {
                return None;
            }
        } else {
            let word = name.strip_prefix('-')?;
            let mut chars = word.chars();
            let first = chars.next()?;
            if chars.next().is_none() {
                self.shorts.push(first);
            } else {
                self.single_dash = true;
                self.longs.push(word.to_owned());
            }
        }
        Some(())
    }
}

/// The name at the start of a text, with its dashes, and what follows.
fn one_name(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with('-') {
        return None;
    }
    let dashes = if text.starts_with("--") { 2 } else { 1 };
    let body = &text[dashes..];
    let optional = ["[no-]", "(no-)"]
        .into_iter()
        .find(|mark| body.starts_with(mark))
        .map_or(0, str::len);
    let named = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '-' | '_' | '.' | '?' | '#' | '@' | '+' | '!' | '$' | '%')
    };
    let end = body[optional..]
        .find(|c| !named(c))
        .map_or(body.len(), |at| at + optional);
    let mut name = &body[..end];
    // `--verbose...` is counted: the dots are its value.
    if let Some(at) = name.find("...") {
        name = &name[..at];
    }
    // A dot behind one dash is a name (`-., --hidden`); at the end of another name it is none.
    let name = match (dashes, name) {
        (1, ".") => name,
        _ => name.trim_end_matches('.'),
    };
    if name.is_empty() || name.starts_with(['-', '.']) && dashes == 2 {
        return None;
    }
    let length = dashes + name.len();
    Some((&text[..length], &text[length..]))
}

/// The value behind a name, and what follows.
fn value_of<'t>(text: &'t str, names: &mut FlagNames) -> (Option<String>, &'t str) {
    if let Some(inner) = text.strip_prefix('[')
        && let Some(end) = closing(text)
    {
        names.optional = true;
        names.equals |= inner.starts_with('=');
        let value = inner[..end - 1].trim_start_matches(['=', ' ']).to_owned();
        // `--name[=x] VALUE` does not happen; `--name[=VALUE]...` does.
        let after = text[end + 1..]
            .strip_prefix("...")
            .unwrap_or(&text[end + 1..]);
        return (Some(value), after);
    }
    if let Some(after) = text.strip_prefix("...") {
        return (Some("...".into()), after);
    }
    let (body, equals) = match text.strip_prefix('=') {
        Some(body) => (body, true),
        // `-l<n>`: the value is glued to the name.
        None if text.starts_with('<') => {
            names.glued = true;
            (text, false)
        }
        None => match text.strip_prefix(' ') {
            // Two spaces end the column; a dash begins the next name.
            Some(body) if !body.starts_with([' ', '-']) && !body.is_empty() => (body, false),
            _ => return (None, text),
        },
    };
    names.equals |= equals;
    let end = value_end(body);
    let value = body[..end].trim_end_matches(',').trim().to_owned();
    // In `[user@]host[:port]` only parts of it may be left out.
    let mut left = value.trim_end_matches("...");
    while left.starts_with('[')
        && let Some(at) = closing(left)
    {
        left = left[at + 1..].trim_start();
    }
    names.optional |= left.is_empty() && value.starts_with('[');
    // Dots behind a space stand for a value; right behind the name they say that it is counted.
    let value = match value.as_str() {
        "..." => "<...>".to_owned(),
        _ => value,
    };
    let after = &body[body[..end].trim_end_matches(',').len()..];
    ((!value.is_empty()).then_some(value), after)
}

/// The end of a value: before the comma or bar that is followed by another name, or before two spaces.
fn value_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' | ']' | '}' | ')' => depth = depth.saturating_sub(1),
            ' ' | ',' | '|' | '/' if depth == 0 => {
                let next = text[at..].trim_start_matches([',', '|', '/', ' ']);
                if next.starts_with('-') && next.len() > 1 || text[at..].starts_with("  ") {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The place of the bracket that closes the one at the start.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(column: &str) -> String {
        let Some(names) = flag_names(column) else {
            return "none".into();
        };
        let mut shown: Vec<String> = names
            .shorts
            .iter()
            .map(|short| format!("-{short}"))
            .collect();
        shown.extend(names.longs.iter().map(|long| format!("--{long}")));
        shown.extend(names.negation.iter().map(|long| format!("!--{long}")));
        if let Some(value) = names.value {
            shown.push(if names.optional {
                format!("[{value}]")
            } else {
                value
            });
        }
        shown.join(" ")
    }

    #[test]
    fn columns_of_every_family() {
        for (column, expected) in [
            ("-s, --name string", "-s --name string"),
            ("--name", "--name"),
            ("-v, --verbose...", "-v --verbose ..."),
            ("-j, --jobs <N>", "-j --jobs <N>"),
            ("--color[=WHEN]", "--color [WHEN]"),
            ("--color[=<WHEN>]", "--color [<WHEN>]"),
            (
                "--dry-run string[=\"client\"]",
                "--dry-run string[=\"client\"]",
            ),
            ("--[no-]pager", "--pager !--no-pager"),
            ("--color / --no-color", "--color !--no-color"),
            ("-o FILE, --output FILE", "-o --output FILE"),
            ("-o, --output=FILE", "-o --output FILE"),
            ("--level {low,high}", "--level {low,high}"),
            ("-a|--all", "-a --all"),
            ("-chdir=DIR", "--chdir DIR"),
            ("--point <X> <Y>", "--point <X> <Y>"),
            ("--files FILE [FILE ...]", "--files FILE [FILE ...]"),
            ("-?, --help", "-? --help"),
            ("-n", "-n"),
            ("-l<n>", "-l <n>"),
            ("-S[<key>]", "-S [<key>]"),
            ("-S [key]", "-S [[key]]"),
            ("-p, --port ...", "-p --port <...>"),
            ("-J [user@]host[:port]", "-J [user@]host[:port]"),
            ("-p, p, --part <P>", "-p --part <P>"),
            ("--", "none"),
            ("name", "none"),
            ("- a list item", "none"),
        ] {
            assert_eq!(show(column), expected, "{column}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(-|--)?[\\PC]{0,60}") {
            flag_names(&text);
        }
    }
}
