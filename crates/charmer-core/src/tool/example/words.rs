//! A command line as words, with the places that a reader is to fill in; nothing where a shell has more to do.

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPart {
    /// As it is written.
    Text(String),
    /// A place to be filled in.
    Slot(Slot),
}

/// A place to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its name in small letters.
    pub(super) name: String,
    /// As it is written, with its brackets.
    pub(super) written: String,
    /// The line makes no sense without it.
    pub(super) required: bool,
    /// The quotation mark that it stands in.
    pub(super) quote: Option<char>,
}

/// A word of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineWord {
    pub(super) parts: Vec<WordPart>,
    /// The word as the program gets it, places as they are written.
    pub(super) plain: String,
    /// Any of it is quoted.
    pub(super) quoted: bool,
}

impl LineWord {
    fn text(&mut self, raw: char) {
        match self.parts.last_mut() {
            Some(WordPart::Text(text)) => text.push(raw),
            _ => self.parts.push(WordPart::Text(raw.into())),
        }
    }

    fn slot(&mut self, name: &str, written: &str, required: bool, quote: Option<char>) {
        self.plain.push_str(written);
        self.parts.push(WordPart::Slot(Slot {
            name: slot_name(name),
            written: written.to_owned(),
            required,
            quote,
        }));
    }

    /// Makes the whole word one place.
    pub(super) fn become_slot(&mut self, name: &str, required: bool) {
        let written = std::mem::take(&mut self.plain);
        self.parts.clear();
        self.slot(name, &written, required, None);
    }
}

/// The words of a line, and the comment at its end. `None` if a shell would do more with it than cut it into words, or
/// if something is left out of it.
pub(super) fn words(line: &str) -> Option<(Vec<LineWord>, Option<&str>)> {
    let mut words: Vec<LineWord> = Vec::new();
    let mut word: Option<LineWord> = None;
    let mut quote: Option<char> = None;
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let mut used = c.len_utf8();
        let starts = word.is_none();
        match (c, quote) {
            (_, Some(mark)) if c == mark => {
                quote = None;
                word.get_or_insert_default().text(c);
            }
            ('"' | '\'', None) => {
                quote = Some(c);
                let word = word.get_or_insert_default();
                word.quoted = true;
                word.text(c);
            }
            // It ends a command there.
            ('\n' | '\r', None) => return None,
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            ('#', None) if starts => {
                let comment = rest.trim_start_matches('#').trim();
                return finish(words, None, quote).map(|words| (words, Some(comment)));
            }
            ('<', _) if angle(rest).is_some() => {
                let (name, length) = angle(rest)?;
                let word = word.get_or_insert_default();
                word.slot(name, &rest[..length], true, quote);
                used = length;
            }
            ('{', None | Some('"')) if brace(rest, line[..at].chars().next_back()).is_some() => {
                let name = brace(rest, line[..at].chars().next_back())?;
                used = name.len() + 2;
                let word = word.get_or_insert_default();
                word.slot(name, &rest[..used], false, quote);
            }
            ('$', None | Some('"')) => {
                let (name, length) = variable(rest)?;
                let word = word.get_or_insert_default();
                word.slot(name, &rest[..length], true, quote);
                used = length;
            }
            ('`', None | Some('"')) => return None,
            ('|' | '&' | ';' | '<' | '>' | '(' | ')', None) => return None,
            ('\\', None | Some('"')) => {
                let next = rest[1..].chars().next()?;
                used += next.len_utf8();
                let word = word.get_or_insert_default();
                word.text(c);
                word.text(next);
                word.plain.push(next);
            }
            (c, _) => {
                let word = word.get_or_insert_default();
                word.text(c);
                word.plain.push(c);
            }
        }
        at += used;
    }
    finish(words, word, quote).map(|words| (words, None))
}

fn finish(
    mut words: Vec<LineWord>,
    last: Option<LineWord>,
    quote: Option<char>,
) -> Option<Vec<LineWord>> {
    words.extend(last);
    let whole = quote.is_none() && !words.iter().any(|word| is_ellipsis(&word.plain));
    whole.then_some(words)
}

fn is_ellipsis(text: &str) -> bool {
    matches!(text, "..." | "…" | "[...]" | "<...>") || text.contains(" ... ")
}

/// `<pod name>`: the name, and how long it is with its brackets and the dots behind it.
fn angle(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('<')?;
    let name = &inside[..inside.find('>')?];
    let fits = |c: char| c.is_alphanumeric() || " _-./|:,".contains(c);
    let begins = name.starts_with(|c: char| c.is_alphabetic());
    if !begins || name.len() > 40 || !name.chars().all(fits) || name.ends_with(' ') {
        return None;
    }
    let length = name.len() + 2;
    let dots = if text[length..].starts_with("...") {
        3
    } else {
        0
    };
    Some((name, length + dots))
}

/// `{name}`, but not a template's `{{name}}`, a list `{a,b}` or a path `{.a}`.
fn brace(text: &str, before: Option<char>) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let (name, behind) = inside.split_once('}')?;
    let alone = before != Some('{') && !behind.starts_with('}');
    (alone && is_identifier(name)).then_some(name)
}

/// `$NAME` or `${NAME}`: the name, and how long it is.
fn variable(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('$')?;
    if let Some(inside) = inside.strip_prefix('{') {
        let (name, _) = inside.split_once('}')?;
        return is_identifier(name).then_some((name, name.len() + 3));
    }
    let end = inside.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = &inside[..end.unwrap_or(inside.len())];
    is_identifier(name).then_some((name, name.len() + 1))
}

/// Returns true if a text is a name as programmers write them.
pub(super) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 40
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The name of a place: the first alternative, in small letters.
pub(super) fn slot_name(text: &str) -> String {
    let first = text.split('|').next().unwrap_or(text);
    let mut name = String::new();
    for c in first.chars() {
        if c.is_alphanumeric() {
            name.extend(c.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    if name.is_empty() { "value" } else { name }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> Option<Vec<String>> {
        let (words, _) = words(line)?;
        Some(words.into_iter().map(|word| word.plain).collect())
    }

    fn slots(line: &str) -> Vec<(String, bool)> {
        let (words, _) = words(line).expect("no shell");
        let parts = words.into_iter().flat_map(|word| word.parts);
        parts
            .filter_map(|part| match part {
                WordPart::Slot(slot) => Some((slot.name, slot.required)),
                WordPart::Text(_) => None,
            })
            .collect()
    }

    #[test]
    fn words_are_cut_as_a_shell_cuts_them() {
        assert_eq!(
            plain(r#"ship send 'two words' --note="a \"b\"" c\ d"#),
            Some(
                ["ship", "send", "two words", "--note=a \"b\"", "c d"]
                    .map(String::from)
                    .to_vec()
            )
        );
        let (found, comment) = words("ship list  # all of them").expect("words");
        assert_eq!((found.len(), comment), (2, Some("all of them")));
        assert_eq!(plain("ship send a#b").map(|words| words.len()), Some(3));
    }

    #[test]
    fn what_a_shell_has_to_do_is_no_example() {
        for line in [
            "ship list | wc",
            "ship list > file",
            "ship a && ship b",
            "ship send $(date)",
            "ship send \"`date`\"",
            "ship send <<EOF",
            "ship send 'open",
            "ship send $1",
            "ship send ...",
            "ship send '{ ... }'",
            "ship (a)",
            "ship a\nship b",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
        assert!(words("ship list '$(a) | b > c'").is_some());
    }

    #[test]
    fn places_are_found_in_their_forms() {
        let yes = |name: &str| (name.to_owned(), true);
        let no = |name: &str| (name.to_owned(), false);
        assert_eq!(
            slots("ship send <port name> $CREW \"${MATE}\" docks/{dock} --to=<id|name>..."),
            [
                yes("port_name"),
                yes("crew"),
                yes("mate"),
                no("dock"),
                yes("id")
            ]
        );
        assert_eq!(
            slots("ship list -o '{.a}' --format {{.Name}} {{name}} {a,b}"),
            []
        );
        assert_eq!(slots("ship send '<b>x</b>'"), [yes("b")]);
    }
}
