//! The parts that families share whose programs read flags as getopt does: rows of options, and their facts about
//! flags.

use std::{cell::LazyCell, collections::HashSet};

use charmer_core::model::{Choice, Repetition, SingleDash, ValueType};

use super::told_below;
use crate::{
    fact::{Fact, Origin},
    flag_places::FlagPlaces,
    help::{
        FlagNames, choices_in, default_in, expand_tabs, flag_names, is_counted, may_repeat, rows,
        shows_twice, tells_value,
    },
    sketch::{FlagSketch, KindSketch},
};

/// A row of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OptionRow {
    pub(crate) names: FlagNames,
    /// Its description.
    pub(crate) text: String,
}

/// Every row of options in a help text, wherever it stands.
pub(crate) fn option_rows(text: &str) -> Vec<OptionRow> {
    let mut lines: Vec<String> = text.lines().map(expand_tabs).collect();
    take_dots(&mut lines);
    take_dashes(&mut lines);
    take_brackets(&mut lines);
    let lines = side_by_side(lines);
    let mut found = Vec::new();
    for block in blocks(&lines) {
        let options = block.iter().filter(|line| is_option(line.trim()));
        let Some(least) = options.map(|line| indent(line)).min() else {
            continue;
        };
        // Long names may stand further in, below those that follow a short one, and people are not exact by a column or
        // two.
        let starts = |indent: usize, content: &str| {
            is_option(content)
                && (indent <= least + 2 || indent <= least + 6 && content.starts_with("--"))
        };
        for row in rows(&block, starts) {
            let (column, text) = cut_value(&row.name, &row.text);
            for part in alternatives(&column) {
                if let Some(names) = option_names(part, !text.is_empty()) {
                    let text = text.clone();
                    found.push(OptionRow { names, text });
                }
            }
        }
    }
    found
}

/// Cuts lines that hold two rows, `  -f   freshen  -u   update`: in many of them a letter stands in the same column.
fn side_by_side(lines: Vec<String>) -> Vec<String> {
    const FEWEST: usize = 4;
    let second = |line: &str| {
        let body = line.trim_start();
        let is_row = body.starts_with('-') && indent(line) < 8 && line.is_ascii();
        let from = indent(line) + 8;
        let places = line.match_indices("  -").map(|(at, _)| at + 2);
        let mut places = places.filter(|&at| is_row && at > from);
        places.find(|&at| {
            let mut behind = line[at + 1..].chars();
            behind.next().is_some_and(|c| c.is_ascii_alphanumeric())
                && behind.next() == Some(' ')
                && behind.next() == Some(' ')
        })
    };
    let columns: Vec<Option<usize>> = lines.iter().map(|line| second(line)).collect();
    let agreed = |column: usize| {
        let same = columns.iter().filter(|one| **one == Some(column));
        same.count() >= FEWEST
    };
    let mut found = Vec::with_capacity(lines.len());
    for (line, column) in lines.into_iter().zip(&columns) {
        match column.filter(|&column| agreed(column)) {
            Some(at) => {
                let spaces = " ".repeat(indent(&line));
                found.push(line[..at].trim_end().to_owned());
                found.push(format!("{spaces}{}", &line[at..]));
            }
            None => found.push(line),
        }
    }
    found
}

/// Dots that lead from a name to its text, `--name value ....... text`, are room between them. Two of them are enough where
/// the dots of other rows end in the same column.
fn take_dots(lines: &mut [String]) {
    const FEWEST: usize = 4;
    let dots = |line: &str| {
        let at = line
            .find(" ..")
            .filter(|_| line.trim_start().starts_with('-'))?
            + 1;
        let end = at + line[at..].bytes().take_while(|&c| c == b'.').count();
        line[end..].starts_with(' ').then_some((at, end))
    };
    let found: Vec<Option<(usize, usize)>> = lines.iter().map(|line| dots(line)).collect();
    let leading = found
        .iter()
        .flatten()
        .filter(|(at, end)| end - at >= FEWEST);
    let columns: HashSet<usize> = leading.map(|(_, end)| *end).collect();
    for (line, dots) in lines.iter_mut().zip(found) {
        if let Some((at, end)) = dots.filter(|(_, end)| columns.contains(end)) {
            line.replace_range(at..end, &" ".repeat(end - at));
        }
    }
}

/// Texts that begin with a dash, all in one column, as LLVM's programs write them: `--name=<value>   - Text`.
fn take_dashes(lines: &mut [String]) {
    let is_row = |line: &str| line.trim_start().starts_with('-');
    let mut columns: Vec<usize> = lines
        .iter()
        .filter(|line| is_row(line))
        .filter_map(|line| Some(line.find("  - ")? + 2))
        .collect();
    columns.sort_unstable();
    for line in lines.iter_mut().filter(|line| is_row(line)) {
        let at = line.match_indices(" - ").map(|(at, _)| at + 1);
        let mut dashes = at.filter(|at| columns.binary_search(at).is_ok());
        if let Some(at) = dashes.next() {
            line.replace_range(at..=at, " ");
        }
    }
}

/// Options that stand each in brackets below their heading: `[--prefix[=DIR]]`.
fn take_brackets(lines: &mut [String]) {
    let mut below = false;
    for line in lines {
        let content = line.trim();
        if content.is_empty() {
            continue;
        }
        if indent(line) == 0 {
            below = content.to_lowercase().ends_with("options:");
            continue;
        }
        let inner = content
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        if below
            && let Some(inner) = inner
            && inner.starts_with('-')
            && !inner.contains(' ')
        {
            *line = format!("  {inner}");
        }
    }
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_option(content: &str) -> bool {
    content.starts_with('-') && flag_names(content).is_some()
}

/// Cuts a text at its headings and unindented lines: each block has columns of its own. Examples are left out.
fn blocks(lines: &[String]) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = vec![Vec::new()];
    let (mut example, mut inline) = (false, false);
    for line in lines {
        let content = line.trim();
        let heads = !content.is_empty()
            && !content.starts_with('-')
            && (indent(line) == 0 || indent(line) <= 2 && content.ends_with(':'));
        // An example in a line of its own ends with its paragraph.
        if content.is_empty() && inline {
            (example, inline) = (false, false);
        }
        if heads {
            example = content.to_lowercase().starts_with("example");
            let behind = content.split_once(": ");
            inline = example && behind.is_some_and(|(_, text)| text.contains(' '));
            found.push(Vec::new());
        } else if !example && let Some(block) = found.last_mut() {
            block.push(line);
        }
    }
    found
}

/// A name too long for its column has a single space between its value in angles and the text: `--name <value> Text`.
fn cut_value(column: &str, text: &str) -> (String, String) {
    let mut depth = 0usize;
    for (at, c) in column.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => {
                depth = depth.saturating_sub(1);
                let rest = &column[at + 1..];
                let prose = rest.strip_prefix(' ').is_some_and(|rest| {
                    rest.starts_with(|c: char| c.is_alphanumeric() || c == '(')
                });
                if depth == 0 && prose {
                    let text = format!("{} {text}", rest.trim()).trim().to_owned();
                    return (column[..=at].to_owned(), text);
                }
            }
            _ => {}
        }
    }
    (column.to_owned(), text.to_owned())
}

/// `--objects | --objects-edge` are two flags; `-a|--all` is one.
fn alternatives(column: &str) -> Vec<&str> {
    let parts: Vec<&str> = column.split('|').map(str::trim).collect();
    if parts.len() > 1 && parts.iter().all(|part| part.starts_with("--")) {
        return parts;
    }
    vec![column]
}

/// The names in a column; `None` where a line of prose only begins like an option.
pub(super) fn option_names(column: &str, described: bool) -> Option<FlagNames> {
    let mut names = flag_names(column)?;
    // A sentence that lists options: `-b, --build, -c, --contents, -x, --extract`.
    if !described && names.value.is_none() && names.longs.len() > 2 && names.shorts.len() > 1 {
        return None;
    }
    if let Some(value) = &names.value {
        let bracketed = value.starts_with(['<', '[', '{', '(', '\'', '"']);
        // `--arg a v` takes two.
        let letters = value.split(' ').all(|word| word.len() == 1);
        let capitals = letters || !value.chars().any(char::is_lowercase);
        let prose = !bracketed && !capitals && (value.contains(' ') || !described && !names.equals);
        let joint = [
            "and", "or", "is", "are", "with", "can", "may", "will", "to", "for",
        ];
        let prose = prose || !names.equals && joint.contains(&value.as_str());
        if prose || value.ends_with([',', ';']) || value.ends_with('.') && !value.ends_with("...") {
            return None;
        }
        // In `--kind=[a|b]` the brackets are around the choices.
        if names.equals && column.contains("=[") && !column.contains("[=") {
            names.optional = false;
        }
    }
    // `--check, --check=WORD`: with a value and without.
    let all = names.longs.len();
    let mut seen: Vec<String> = Vec::new();
    names.longs.retain(|long| {
        let new = !seen.contains(long);
        seen.push(long.clone());
        new
    });
    if names.longs.len() < all && names.value.is_some() {
        let bare = |long: &String| {
            let mark = format!("--{long}");
            column.split([',', ' ']).any(|word| word == mark)
        };
        names.optional |= names.longs.iter().any(bare);
    }
    Some(names)
}

/// The flag that a row describes, without names that have one dash and several letters; `None` if it has no others.
pub(crate) fn getopt_flag(
    row: &OptionRow,
    column_has: impl Fn(&str) -> bool,
) -> Option<FlagSketch> {
    let mut longs = row.names.longs.iter().filter(|long| column_has(long));
    let mut shorts = row.names.shorts.iter().copied();
    let mut flag = FlagSketch {
        long: longs.next().cloned(),
        aliases: longs.cloned().collect(),
        short: shorts.next(),
        short_aliases: shorts.collect(),
        negation: row.names.negation.clone(),
        placeholder: row.names.value.clone(),
        ..FlagSketch::default()
    };
    // A value behind a colon cannot be written, and without one the program refuses the option.
    if flag.long.is_none() && flag.short.is_none() || row.names.colon {
        return None;
    }
    let names = flag.long.iter().chain(&flag.aliases);
    if names
        .clone()
        .any(|name| name.ends_with(['-', '.']) || name.contains(".."))
    {
        return None;
    }
    flag.kind = Some(Fact::new(kind(&row.names, &row.text), Origin::Help));
    if flag.is_switch() {
        flag.placeholder = None;
    } else {
        let choices = value_choices(&row.names, &row.text);
        if !choices.is_empty() {
            flag.choices = Some(Fact::new(choices, Origin::Help));
        } else if !row.names.optional
            && let Some(default) = default_in(&row.text)
        {
            flag.default = Some(Fact::new(vec![default], Origin::Help));
        }
    }
    if !row.text.is_empty() {
        flag.help = Some(Fact::new(row.text.clone(), Origin::Help));
    }
    Some(flag)
}

/// The flag of a row whose long names all have one dash (`-std=<standard>`, `-cp <path>`); `None` where what is shown is
/// no name, as `-NUM` is none, or cannot be written for sure.
pub(super) fn single_dash_flag(row: &OptionRow) -> Option<FlagSketch> {
    let names = &row.names;
    let value = names.value.as_deref().unwrap_or_default();
    let named = |long: &String| {
        long.chars().any(char::is_lowercase)
            && long.starts_with(|c: char| c.is_ascii_alphabetic())
            && !long.ends_with('-')
    };
    let said = !row.text.is_empty() || value.starts_with('<');
    if !names.single_dash || names.unread || !said || !names.longs.iter().all(named) {
        return None;
    }
    // `-ea[:<package>...]` has a separator of its own.
    if value.starts_with(':') || names.optional && names.equals {
        return None;
    }
    let mut flag = getopt_flag(row, |_| true)?;
    flag.single_dash = Some(match (names.equals, names.glued || names.optional) {
        (true, _) => SingleDash::Equals,
        (false, true) => SingleDash::Glued,
        (false, false) => SingleDash::Separate,
    });
    Some(flag)
}

/// The flags that a column and its text describe, as a row of help would.
pub(crate) fn flags_of_column(column: &str, text: &str) -> Vec<FlagSketch> {
    let rows = alternatives(column).into_iter().filter_map(|part| {
        let names = option_names(part, true)?;
        let text = text.to_owned();
        Some(OptionRow { names, text })
    });
    let flags = rows.filter_map(|row| match row.names.single_dash {
        true => single_dash_flag(&row),
        false => getopt_flag(&row, |_| true),
    });
    flags.collect()
}

/// The flags of a page, and the names with one dash that were left out.
pub(crate) fn getopt_flags(text: &str) -> (Vec<FlagSketch>, Vec<String>) {
    let mut flags: Vec<FlagSketch> = Vec::new();
    let mut places = FlagPlaces::default();
    let mut left_out = Vec::new();
    let with_two_dashes = LazyCell::new(|| words_with_two_dashes(text));
    for row in option_rows(text) {
        let single = row.names.single_dash;
        // Which of several names has one dash is for the text to say.
        let written = |long: &str| !single || with_two_dashes.contains(long);
        match getopt_flag(&row, written) {
            Some(flag) if !places.has(&flag) => {
                places.add(&flag, flags.len());
                flags.push(flag);
            }
            Some(_) => {}
            None => match single_dash_flag(&row) {
                Some(flag) if !places.has(&flag) => {
                    places.add(&flag, flags.len());
                    flags.push(flag);
                }
                Some(_) => {}
                None => {
                    let dashes = if single { "-" } else { "--" };
                    left_out.extend(
                        row.names
                            .longs
                            .first()
                            .map(|long| format!("{dashes}{long}")),
                    );
                }
            },
        }
    }
    told_below::tell(text, &mut flags);
    // A letter can only be one flag's.
    let mut letters = HashSet::new();
    for flag in &mut flags {
        if let Some(short) = flag.short
            && !letters.insert(short)
            && flag.long.is_some()
        {
            flag.short = None;
        }
    }
    (flags, left_out)
}

/// The names that a text writes with two dashes, and what they begin with up to each character that is in no name.
fn words_with_two_dashes(text: &str) -> HashSet<&str> {
    let in_name = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut found = HashSet::new();
    for word in text.split_whitespace() {
        for (at, _) in word.match_indices("--") {
            if word[..at].ends_with('-') {
                continue;
            }
            let name = &word[at + 2..];
            let ends = name.match_indices(|c| !in_name(c)).map(|(end, _)| end);
            found.extend(ends.chain([name.len()]).take(8).map(|end| &name[..end]));
        }
    }
    found
}

fn kind(names: &FlagNames, text: &str) -> KindSketch {
    let longs = names.longs.iter().map(|long| format!("--{long}"));
    let shorts = names.shorts.iter().map(|short| format!("-{short}"));
    let written: Vec<String> = longs.chain(shorts).collect();
    let Some(value) = names.value.as_deref() else {
        return match names.negation.is_none() {
            // `-partition=`: something must stand behind it.
            true if names.equals => KindSketch::single(ValueType::String),
            true if is_counted(text, &written) => KindSketch::count(),
            true if tells_value(text, &written) => KindSketch::single(ValueType::String),
            _ => KindSketch::switch(),
        };
    };
    if value == "..." && !names.equals && !names.optional {
        return KindSketch::count();
    }
    let value_type = value_type(value, text);
    let angled = value
        .split_whitespace()
        .filter(|word| word.starts_with('<'))
        .count();
    let many = may_repeat(text) || written.iter().any(|name| shows_twice(text, name));
    let mut kind = if many {
        KindSketch::repeated(value_type)
    } else {
        KindSketch::single(value_type)
    };
    let words = value.split(' ').count();
    if let Some(value_type) = listed_type(value).filter(|_| !names.equals) {
        kind = KindSketch::repeated(value_type);
    } else if names.optional {
        kind = KindSketch::single(kind.value_type).optional(None);
    } else if words > 1 && value.split(' ').all(|word| word.len() == 1) {
        let count = words;
        kind.repetition = Repetition::Fixed {
            count,
            repeat: false,
        };
    } else if angled > 1
        && value
            .split_whitespace()
            .all(|word| word.starts_with('<') && word.ends_with('>'))
    {
        let count = angled;
        kind.repetition = Repetition::Fixed {
            count,
            repeat: false,
        };
    }
    kind
}

/// The type of the values of a list, as it is written where types stand for placeholders: `[String]`, `[path::String]`.
fn listed_type(placeholder: &str) -> Option<ValueType> {
    let inner = placeholder.strip_prefix('[')?.strip_suffix(']')?;
    match inner.rsplit("::").next()? {
        "String" => Some(ValueType::String),
        "Int" => Some(ValueType::INT),
        "Number" => Some(ValueType::Number),
        _ => None,
    }
}

/// The type that a placeholder names: a path or any text. A number is often more than digits (`10M`, `+5`, `inf`), so
/// that only `NUM` is taken for one, and only where nothing is said of suffixes.
fn value_type(placeholder: &str, text: &str) -> ValueType {
    let bare = placeholder
        .trim_matches(['<', '>', '[', ']'])
        .trim_end_matches("...");
    match bare.to_lowercase().as_str() {
        "file" | "dir" | "path" | "directory" | "filename" | "folder" | "file name" => {
            ValueType::Path
        }
        "num" if bare == "NUM" && !text.contains("suffix") && !text.contains('%') => ValueType::INT,
        _ => ValueType::String,
    }
}

/// The only values that are taken, where the row says so plainly: `{a,b}`, or `WHEN is 'a', 'b' or 'c'`.
fn value_choices(names: &FlagNames, text: &str) -> Vec<Choice> {
    let Some(value) = names.value.as_deref() else {
        return Vec::new();
    };
    if let Some(inner) = value.strip_prefix('{').and_then(|v| v.strip_suffix('}')) {
        let listed: Vec<&str> = inner.split([',', '|']).map(str::trim).collect();
        let plain = |word: &&str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        };
        if listed.len() > 1 && listed.iter().all(plain) {
            return listed.into_iter().map(Choice::new).collect();
        }
    }
    for verb in [" is ", " can be ", " may be ", " must be "] {
        let mark = format!("{value}{verb}");
        if let Some(at) = text.find(&mark) {
            let quoted = quoted_list(&text[at + mark.len()..]);
            if quoted.len() > 1 {
                return quoted.into_iter().map(Choice::new).collect();
            }
        }
    }
    choices_in(text)
}

/// The words of a list in quotes, up to the end of its sentence; empty if anything else stands among them.
fn quoted_list(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    loop {
        for joint in [",", "or ", "and "] {
            rest = rest.strip_prefix(joint).unwrap_or(rest).trim_start();
        }
        let Some(open) = rest
            .chars()
            .next()
            .filter(|c| matches!(c, '\'' | '"' | '`' | '‘' | '“'))
        else {
            break;
        };
        let inner = &rest[open.len_utf8()..];
        let Some(end) = inner.find(['\'', '"', '’', '”']) else {
            return Vec::new();
        };
        found.push(inner[..end].to_owned());
        let close = inner[end..].chars().next().map_or(1, char::len_utf8);
        rest = inner[end + close..].trim_start();
    }
    let ended = rest.is_empty() || rest.starts_with(['.', ';', ')']);
    if ended { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        let (flags, left_out) = getopt_flags(text);
        let mut shown: Vec<String> = flags
            .iter()
            .map(|flag| {
                let mut line = String::new();
                line.extend(flag.short.map(|short| format!("-{short} ")));
                line.extend(flag.long.iter().map(|long| format!("--{long} ")));
                line.extend(flag.aliases.iter().map(|long| format!("={long} ")));
                if let Some(kind) = &flag.kind {
                    line += &format!("{:?}/{:?}", kind.value.value, kind.value.value_type);
                }
                if let Some(choices) = &flag.choices {
                    let values: Vec<_> = choices.value.iter().map(|c| c.value.as_str()).collect();
                    line += &format!(" {values:?}");
                }
                line
            })
            .collect();
        shown.extend(left_out.iter().map(|name| format!("!{name}")));
        shown
    }

    #[test]
    fn values_that_pages_show_in_ways_of_their_own() {
        let found = show(
            "Options:\n  --mark:K=V       mark\n  --lists [String]  take one\n  --paths [path::String]  some\n  --heat Int  heat\n  \
             --pair a v   two of them\n  --empty=      nothing shown\n  -p --port     Port [8080]\n  --dry         Dry [true]\n",
        );
        let expected = [
            "--lists Required/String",
            "--paths Required/String",
            "--heat Required/String",
            "--pair Required/String",
            "--empty Required/String",
            "-p --port Required/String",
            "--dry None/Bool",
            "!--mark",
        ];
        assert_eq!(found, expected);
        let (flags, _) = getopt_flags("  --pair a v   two of them\n  --lists [String]  one\n");
        let repetition = |at: usize| {
            flags[at]
                .kind
                .as_ref()
                .map(|kind| kind.value.repetition.clone())
        };
        let two = Repetition::Fixed {
            count: 2,
            repeat: false,
        };
        assert_eq!(repetition(0), Some(two));
        assert_eq!(repetition(1), Some(Repetition::Repeat { delimiter: None }));
    }

    #[test]
    fn rows_as_gnu_programs_write_them() {
        let found = show(
            "Usage: sieve [OPTION]... [FILE]...\nSieves flour.\n\n  -a, --all              take all\n      --mesh=SIZE        use SIZE, as with\n                         --fine but larger\n  -c, --colour[=WHEN], --color[=WHEN]  paint;\n                         WHEN is 'always', 'never', or 'auto'\n  -n, --count=NUM        stop after NUM\n  -NUM                   same as --count=NUM\n  -q,  --quiet           say little\n  -nv, --no-verbose      say less\n  -o FILE, --output=FILE\n                         write to FILE\nExamples:\n  -a everything\n",
        );
        assert_eq!(
            found,
            [
                "-a --all None/Bool",
                "--mesh Required/String",
                "-c --colour =color Optional { bare: None }/String [\"always\", \"never\", \"auto\"]",
                &format!("-n --count Required/{:?}", ValueType::INT),
                "-q --quiet None/Bool",
                "--no-verbose None/Bool",
                "-o --output Required/Path",
                "!-NUM",
            ]
        );
    }

    #[test]
    fn rows_side_by_side() {
        let text = "Usage: pack [-options] [file list]\n  -f   freshen: only some        -u   update: only new\n  -d   delete from it            -m   move into it\n  -r   recurse                   -j   junk names\n  -0   store only                -l   line ends (-ll both)\n  -q   quiet\n";
        let (flags, _) = getopt_flags(text);
        let ids: Vec<String> = flags.iter().map(FlagSketch::id).collect();
        assert_eq!(ids, ["f", "u", "d", "m", "r", "j", "0", "l", "q"]);
        let text = "  -a   like  -b  of others\n  -c   and more\n";
        assert_eq!(getopt_flags(text).0.len(), 2);
    }

    #[test]
    fn an_example_in_one_line_hides_nothing_below() {
        let text = "Usage: kiln\n\nExample: use `--help --clay=red` for more.\n\n--clay=<clay>    Which clay.\n\nExamples:\n  --clay=red       Red pots\n";
        let (flags, _) = getopt_flags(text);
        let ids: Vec<String> = flags.iter().map(FlagSketch::id).collect();
        assert_eq!(ids, ["clay"]);
    }

    #[test]
    fn dots_may_lead_from_a_name_to_its_text() {
        let (flags, _) = getopt_flags(
            "  Options:\n\n  --plan file ........... the plan of the day\n  -e, --ends ............ what it ends with\n  --the-longest-names ... how long it is\n",
        );
        let shown: Vec<String> = flags
            .iter()
            .map(|flag| {
                let said = flag.help.as_ref().map_or("", |help| &help.value);
                format!("{} {:?} {said}", flag.id(), flag.placeholder)
            })
            .collect();
        let expected = [
            "plan Some(\"file\") the plan of the day",
            "ends None what it ends with",
            "the-longest-names None how long it is",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_list_may_stand_a_column_further_in() {
        assert_eq!(
            show("Options:\n  -b, --beep   beep\n  -c <n>       count\n\n -h, --help   show\n"),
            [
                "-b --beep None/Bool",
                "-c Required/String",
                "-h --help None/Bool"
            ]
        );
    }

    #[test]
    fn long_names_with_one_dash() {
        let text = "Usage: press [options] file...\n  -dump-plan          Show the plan\n  -std=<name>         Use it\n  -heap<size>         Set the heap\n  -out file           Write there\n  -cp <path of it>\n  -W<x>,<y>           Odd\n  -Wx,<options>       Pass them on\n  -say:[all|none]     Odd\n  -NUM                A number\n  --all               All\n";
        let (flags, left_out) = getopt_flags(text);
        let shown: Vec<_> = flags
            .iter()
            .map(|flag| (flag.written(), flag.single_dash))
            .collect();
        assert_eq!(
            shown,
            [
                ("-dump-plan".into(), Some(SingleDash::Separate)),
                ("-std".into(), Some(SingleDash::Equals)),
                ("-heap".into(), Some(SingleDash::Glued)),
                ("-out".into(), Some(SingleDash::Separate)),
                ("-cp".into(), Some(SingleDash::Separate)),
                ("-W".into(), None),
                ("--all".to_owned(), None),
            ]
        );
        assert_eq!(left_out, ["-Wx", "-say", "-NUM"]);
    }

    #[test]
    fn texts_that_begin_with_a_dash() {
        assert_eq!(
            show(
                "USAGE: sieve [options]\n\nOPTIONS:\n\nColour:\n\n  --colour              - Use colours\n\nGeneral:\n\n  --mesh=<string>       - The mesh - how fine\n                          it is\n  --longer-than-its-own - Long\n  -v                    - Say more\n"
            ),
            [
                "--colour None/Bool",
                "--mesh Required/String",
                "--longer-than-its-own None/Bool",
                "-v None/Bool",
            ]
        );
    }

    #[test]
    fn options_in_brackets_below_their_heading() {
        let shown = show(
            "Usage: sieve [OPTIONS]\nOptions:\n\t[--prefix[=DIR]]\n        [--libs]\nLibraries:\n\t[--no]\n",
        );
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown[0].starts_with("--prefix Optional"), "{shown:?}");
        assert_eq!(shown[1], "--libs None/Bool");
    }

    #[test]
    fn a_switch_that_means_more_when_it_is_given_again_is_counted() {
        assert_eq!(
            show(
                "  -v, --verbose  show more, give twice for all\n  -q, --quiet    Option is additive.\n  -t, --twice    do it twice\n"
            ),
            [
                "-v --verbose None/Count",
                "-q --quiet None/Count",
                "-t --twice None/Bool"
            ]
        );
    }

    #[test]
    fn prose_that_begins_like_an_option_is_none() {
        assert_eq!(
            show(
                "  -x          mark\n\nNotes:\n  --fine and --coarse cannot be combined.\n  -- ends the list\n"
            ),
            ["-x None/Bool"]
        );
    }

    #[test]
    fn a_value_in_angles_ends_its_column() {
        assert_eq!(
            show(
                "     --very-long-name-of-it <file name> Read that\n -s, --short <x>    Text\n     --pair <a> <b>     Two\n"
            ),
            [
                "--very-long-name-of-it Required/Path",
                "-s --short Required/String",
                "--pair Required/String"
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-zN<>|=,' \\[\\]\\-\\n\\t]|[\\PC]){0,160}") {
            getopt_flags(&text);
        }
    }
}
