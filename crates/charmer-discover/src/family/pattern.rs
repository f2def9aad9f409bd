//! Usage statements as getopt programs write them: their positionals, and the flags that they alone mention.

use charmer_core::model::{Arguments, parse_usage};

use super::getopt::{OptionRow, getopt_flag};
use crate::{
    fact::{Fact, Origin},
    help::flag_names,
    sketch::{FlagSketch, KindSketch},
};

/// The depth to which brackets may stand in brackets; people write three.
const DEEPEST: usize = 16;

/// The positionals in what follows a command's path in its usage statements.
///
/// Several statements that differ are one pattern, but for those that begin with a flag which replaces positionals.
pub(crate) fn arguments_of(rests: &[&str]) -> Option<Fact<Arguments>> {
    let mut found = stated_arguments(rests)?;
    // `FILES` are several, dots or not.
    if let Arguments::Listed(listed) = &mut found.value
        && let Some(last) = listed.last_mut()
        && is_plural(&last.id)
    {
        last.variadic = true;
    }
    Some(found)
}

/// Returns true if a placeholder is named for several things of a kind that command lines take any number of.
fn is_plural(id: &str) -> bool {
    let last = id.rsplit(['-', '_', ' ']).next().unwrap_or_default();
    matches!(
        last.to_lowercase().as_str(),
        "files"
            | "paths"
            | "args"
            | "arguments"
            | "names"
            | "urls"
            | "packages"
            | "targets"
            | "directories"
            | "dirs"
    )
}

fn stated_arguments(rests: &[&str]) -> Option<Fact<Arguments>> {
    let mut cleaned: Vec<String> = rests.iter().map(|rest| positional_part(rest)).collect();
    cleaned.dedup();
    // `p [OPTION]` beside `p FILE...` says that there are options which need no file, `--version` among them.
    let optional = cleaned.len() == 2 && cleaned.iter().any(String::is_empty);
    if optional
        && let Some(one) = cleaned.iter().find(|text| !text.is_empty())
        && let Arguments::Listed(mut listed) = parse_usage(one)
    {
        for positional in &mut listed {
            positional.required = false;
        }
        return Some(Fact::new(Arguments::Listed(listed), Origin::Usage));
    }
    let whole = |text: &str| Fact::new(parse_usage(text), Origin::Usage);
    match cleaned.as_slice() {
        [] => return None,
        [one] => return Some(whole(one)),
        _ => {}
    }
    let (with_flag, plain): (Vec<&String>, Vec<&String>) = cleaned.iter().partition(|text| {
        words(text)
            .iter()
            .any(|word| word.starts_with('-') && *word != "--")
    });
    if let ([one], false) = (plain.as_slice(), with_flag.is_empty())
        && let Arguments::Listed(mut listed) = parse_usage(one)
    {
        for positional in &mut listed {
            positional.required = false;
        }
        return Some(Fact::new(Arguments::Listed(listed), Origin::Usage));
    }
    // Where each statement has its words behind dashes or is about a flag, what is given as words is one list there.
    if plain.iter().all(|text| begins_with_dashes(text))
        && cleaned.iter().any(|text| begins_with_dashes(text))
    {
        return Some(whole("-- [args...]"));
    }
    let mut all: Vec<&str> = rests
        .iter()
        .map(|rest| rest.trim())
        .filter(|rest| !rest.is_empty())
        .collect();
    all.dedup();
    let pattern = Arguments::Pattern(all.join(" | "));
    Some(Fact::new(pattern, Origin::Usage))
}

/// Returns true if a statement has words only behind `--`.
fn begins_with_dashes(statement: &str) -> bool {
    words(statement).first() == Some(&"--")
}

/// A statement without the groups that only hold flags, and without what a shell would read (`< file`).
pub(super) fn positional_part(rest: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let all = words(rest);
    for (at, &word) in all.iter().enumerate() {
        if matches!(word, "<" | ">" | "|") {
            break;
        }
        // What stands behind the dashes is read as one list; several words are better read one by one.
        if word == "[--]" && all.len() > at + 2 {
            continue;
        }
        let inner = word
            .strip_prefix('[')
            .and_then(|w| w.trim_end_matches('.').strip_suffix(']'));
        if let Some(inner) = inner {
            let flags = inner.trim_start_matches(['(', '[']).starts_with('-')
                && !inner.starts_with("--]")
                && !inner.starts_with("[--]")
                && inner != "--"
                && !inner.starts_with("-- ");
            if flags || is_options(inner) {
                continue;
            }
            // `[[--] <path>...]`
            if let Some(behind) = inner.strip_prefix("[--]") {
                kept.push(format!("[--{behind}]"));
                continue;
            }
        } else if is_options(word) || word.starts_with("--") && word.contains("=<") {
            continue;
        }
        kept.push(word.to_owned());
    }
    kept.join(" ")
}

/// `options`, `<log-options>`, `OPTION...` and their like.
fn is_options(word: &str) -> bool {
    let bare = word
        .trim_end_matches('.')
        .trim_matches(['<', '>', '[', ']'])
        .trim_end_matches('.');
    // `[command [flags]]` has its own.
    if bare.contains(['[', '<']) {
        return false;
    }
    let lower = bare.to_lowercase();
    ["options", "option", "opts", "flags", "flag"]
        .iter()
        .filter_map(|end| lower.strip_suffix(end))
        // `section.option` is the name of a setting.
        .any(|before| !before.ends_with('.'))
}

/// Splits at white space outside of brackets of any kind.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, c) in text.char_indices() {
        // A lone `<` is a shell's.
        let lone = text[at + c.len_utf8()..].starts_with(' ') || text[..at].ends_with("> ");
        match c {
            '[' | '(' | '{' => depth += 1,
            '<' if !lone => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            '>' if start.is_some() => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 {
            found.extend(start.take().map(|start: usize| &text[start..at]));
        } else if start.is_none() && !c.is_whitespace() {
            start = Some(at);
        }
    }
    found.extend(start.map(|start| &text[start..]));
    found
}

/// The flags that a usage statement shows: `[-q | --quiet]`, `[--depth <n>]`, `(-m | --message) <text>`.
pub(crate) fn usage_flags(rest: &str) -> Vec<FlagSketch> {
    let mut columns = Vec::new();
    collect(rest, false, DEEPEST, &mut columns);
    let mut found: Vec<FlagSketch> = Vec::new();
    for column in columns {
        let Some(names) = flag_names(&column) else {
            continue;
        };
        if names.single_dash {
            for letter in letters_of(&column) {
                let short = Some(letter);
                let kind = Some(Fact::new(KindSketch::switch(), Origin::Usage));
                let flag = FlagSketch {
                    short,
                    kind,
                    ..FlagSketch::default()
                };
                if !found.iter().any(|known| known.is_same(&flag)) {
                    found.push(flag);
                }
            }
            continue;
        }
        let text = String::new();
        if let Some(mut flag) = getopt_flag(&OptionRow { names, text }, |_| true) {
            if let Some(kind) = &mut flag.kind {
                *kind = Fact::new(kind.value.clone(), Origin::Usage);
            }
            match found.iter_mut().find(|known| known.is_same(&flag)) {
                Some(known) => known.merge(flag),
                None => found.push(flag),
            }
        }
    }
    found
}

/// The letters of `-46AaCf`: switches in the order of the alphabet, as no word is, and none twice.
fn letters_of(column: &str) -> Vec<char> {
    let letters: Vec<char> = column.trim_start_matches('-').chars().collect();
    let order = |letter: &char| (letter.to_ascii_lowercase(), *letter);
    let rising = letters
        .windows(2)
        .all(|two| order(&two[0]) < order(&two[1]));
    let plain = letters.iter().all(char::is_ascii_alphanumeric);
    if letters.len() > 3 && rising && plain {
        return letters;
    }
    Vec::new()
}

/// Writes each flag of a statement as a column of a row would have it. Brackets in brackets are followed so far and no
/// further: each is a call of this function.
fn collect(text: &str, grouped: bool, depth: usize, columns: &mut Vec<String>) {
    let Some(deeper) = depth.checked_sub(1) else {
        return;
    };
    let parts = bars(text);
    if parts.len() > 1 {
        let mut parts = parts.into_iter().peekable();
        while let Some(part) = parts.next() {
            match parts.next_if(|long| is_pair(part, long)) {
                Some(long) => columns.push(format!("{part}, {long}")),
                None => collect(part, grouped, deeper, columns),
            }
        }
        return;
    }
    let words = words(text);
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        let next = words.get(at + 1).copied().unwrap_or_default();
        at += 1;
        let group = word.trim_end_matches('.');
        let inner = [('[', ']'), ('(', ')')]
            .into_iter()
            .find_map(|(open, close)| group.strip_prefix(open)?.strip_suffix(close));
        if let Some(inner) = inner {
            let before = columns.len();
            collect(inner, true, deeper, columns);
            // `(-m | --message) <text>`: the value is behind the names.
            if group.starts_with('(') && next.starts_with('<') {
                for column in &mut columns[before..] {
                    if !column.contains(['<', '=']) {
                        column.push_str(&format!(" {next}"));
                    }
                }
            }
        } else if word.starts_with('-') && !word.trim_matches('-').is_empty() {
            // `[-D [address:]port]` has one value, part of which may be left out; `[-x [y]]` may have none.
            let part = next.starts_with('[') && closing(next) + 1 < next.len();
            let alone = grouped && words.len() == 2 && (part || !next.starts_with(['-', '[', '(']));
            if !word.contains(['=', '<']) && (next.starts_with('<') && grouped || alone) {
                columns.push(format!("{word} {next}"));
                at += 1;
            } else {
                columns.push(word.to_owned());
            }
        }
    }
}

/// The place where the bracket closes that a word begins with, or else its end.
fn closing(word: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in word.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    word.len()
}

/// Returns true if these are two names of one flag, `-q | --quiet`: they begin alike, and the long one is a word.
fn is_pair(short: &str, long: &str) -> bool {
    let (Some(letter), Some(name)) = (short.strip_prefix('-'), long.strip_prefix("--")) else {
        return false;
    };
    let word = name.trim_start_matches("[no-]").trim_start_matches("no-");
    letter.chars().count() == 1
        && word.len() > 2
        && word.starts_with(&letter.to_lowercase())
        && !word.contains(' ')
}

/// Splits at bars outside of brackets.
pub(super) fn bars(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' | '>' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use charmer_core::model::FlagValue;

    #[test]
    fn several_without_dots_and_words_with_flags_of_their_own() {
        assert_eq!(show(&["[OPTION]... FILES"]), "files*!");
        assert_eq!(
            show(&["[-q] [programfile] [arguments]"]),
            "programfile arguments*"
        );
        assert_eq!(show(&["[-2C] [command [flags]]"]), "? [command [flags]]");
        assert_eq!(show(&["[more options] NAME"]), "name!");
    }

    #[test]
    fn a_value_may_have_optional_parts_at_both_ends() {
        let flags = usage_flags("[-J [user@]host[:port]] [-x [y]]");
        let shown: Vec<_> = flags
            .iter()
            .map(|flag| (flag.id(), flag.is_switch()))
            .collect();
        assert_eq!(shown, [("J".to_owned(), false), ("x".to_owned(), true)]);
    }

    fn show(rests: &[&str]) -> String {
        match arguments_of(rests).map(|fact| fact.value) {
            None => "none".into(),
            Some(Arguments::Pattern(text)) => format!("? {text}"),
            Some(Arguments::Listed(listed)) => listed
                .iter()
                .map(|p| {
                    let last = if p.last { "-- " } else { "" };
                    let mark = if p.required { "!" } else { "" };
                    let dots = if p.variadic { "*" } else { "" };
                    format!("{last}{}{dots}{mark}", p.id)
                })
                .collect::<Vec<_>>()
                .join(" "),
        }
    }

    #[test]
    fn positionals() {
        for (rests, expected) in [
            (vec!["[OPTION]... [FILE]..."], "file*"),
            (
                vec![
                    "-- <tool>[@<version>] [rest...]",
                    "--from=<tool> -- <cmd> [rest...]",
                    "-c '<cmd>'",
                ],
                "-- args*",
            ),
            (vec!["[OPTION...] PATTERN [FILE]..."], "pattern! file*"),
            (
                vec!["[OPTION]... [FILE]...", "[OPTION]... --from=F"],
                "file*",
            ),
            (
                vec!["[<options>] [<range>] [[--] <path>...]"],
                "range -- path*",
            ),
            (
                vec!["[-v | --verbose] [(-m | --msg) <text>] <name>"],
                "name!",
            ),
            (vec!["[options...] <url>"], "url!"),
            (vec!["[<options>] [--] <repo> [<dir>]"], "repo! dir"),
            (vec!["[<options>] [--] <path>..."], "-- path*!"),
            (vec!["[<options>] <msg> < mail >info"], "msg!"),
            (vec!["A B", "A... DIR"], "? A B | A... DIR"),
            (
                vec!["[OPTION] TIME COMMAND [ARG]...", "[OPTION]"],
                "time command arg*",
            ),
            (vec![""], ""),
            (vec![], "none"),
        ] {
            assert_eq!(show(&rests), expected, "{rests:?}");
        }
    }

    #[test]
    fn flags() {
        let found = usage_flags(
            "[-v | --verbose] [-c | --cc] [-0 | -1] [--depth <n>] [(-m | --message) <text>] [-o output] [-46Aa] [--[no-]pager] [--color[=<when>]] [-f|--force] [--lock [--reason <why>]] <-x> --",
        );
        let shown: Vec<String> = found
            .iter()
            .map(|flag| {
                let kind = flag.kind.as_ref().map(|kind| &kind.value.value);
                let mark = match kind {
                    Some(FlagValue::Required) => "=",
                    Some(FlagValue::Optional { .. }) => "?",
                    _ => "",
                };
                let short = flag.short.map(|c| format!("-{c}")).unwrap_or_default();
                format!("{short}{}{mark}", flag.long.as_deref().unwrap_or_default())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "-vverbose",
                "-c",
                "cc",
                "-0",
                "-1",
                "depth=",
                "-mmessage=",
                "-o=",
                "-4",
                "-6",
                "-A",
                "-a",
                "pager",
                "color?",
                "-fforce",
                "lock",
                "reason="
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z<>|=\\[\\]()\\-. ]|[\\PC]){0,120}") {
            arguments_of(&[&text, "x"]);
            usage_flags(&text);
        }
    }
}
