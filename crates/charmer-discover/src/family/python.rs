//! Common parts of the families of Python programs: names of types, values as Python writes them.

use charmer_core::model::ValueType;

use crate::{
    help::{FlagNames, Row, is_decimal, rows},
    sketch::FlagSketch,
};

/// The type that a placeholder names plainly, `None` if it only says what the value is for.
pub(super) fn named_type(placeholder: &str) -> Option<ValueType> {
    let word = placeholder.trim_matches(['<', '>']);
    let upper = word.to_uppercase().replace('-', "_");
    Some(match upper.as_str() {
        "INTEGER" | "INT" | "INTEGER RANGE" | "INT RANGE" => ValueType::INT,
        "FLOAT" | "FLOAT RANGE" | "DECIMAL" => ValueType::Number,
        "BOOLEAN" | "BOOL" => ValueType::Bool,
        "TEXT" | "STR" | "STRING" | "UUID" | "DATETIME" => ValueType::String,
        _ if names_path(&upper) => ValueType::Path,
        _ => return None,
    })
}

fn names_path(upper: &str) -> bool {
    let last = upper.rsplit('_').next().unwrap_or_default();
    matches!(
        last,
        "FILE" | "PATH" | "DIR" | "DIRECTORY" | "FILENAME" | "FOLDER" | "FILEPATH" | "DIRNAME"
    )
}

/// The type that a default's text suggests.
pub(super) fn suggested_type(default: &str) -> Option<ValueType> {
    if !is_decimal(default) {
        return None;
    }
    if default.parse::<i64>().is_ok() {
        return Some(ValueType::INT);
    }
    default.parse::<f64>().is_ok().then_some(ValueType::Number)
}

/// Placeholders and parts of names behind which numbers stand often, but not always.
const NUMERIC: [&str; 35] = [
    "bytes",
    "cols",
    "columns",
    "complexity",
    "count",
    "days",
    "depth",
    "digits",
    "durations",
    "height",
    "indent",
    "int",
    "interval",
    "jobs",
    "length",
    "level",
    "limit",
    "lines",
    "max",
    "min",
    "minutes",
    "n",
    "num",
    "number",
    "port",
    "precision",
    "retries",
    "seconds",
    "size",
    "threads",
    "timeout",
    "under",
    "verbosity",
    "width",
    "workers",
];

/// Returns true if a flag may want a number, by its names, its placeholder and the default in its text. A reason to
/// ask, and no more than that.
pub(super) fn looks_numeric(flag: &FlagSketch) -> bool {
    let says = |text: &str| {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| {
            NUMERIC.contains(&word) || word.starts_with("max") || word.starts_with("num")
        })
    };
    let text = flag
        .help
        .as_ref()
        .map_or("", |help| &help.value)
        .to_lowercase();
    let begins = text.match_indices("default").any(|(at, word)| {
        let rest = text[at + word.len()..].trim_start_matches([':', '=', ' ']);
        rest.starts_with(|c: char| c.is_ascii_digit())
    });
    begins
        || flag.long.as_deref().is_some_and(says)
        || flag.placeholder.as_deref().is_some_and(says)
}

/// A default as Python prints it, as the texts of its values: `None`, `False` and what is empty are none.
pub(super) fn literal(text: &str) -> Vec<String> {
    let text = text.trim();
    if matches!(
        text,
        "None" | "False" | "[]" | "()" | "{}" | "" | "==SUPPRESS=="
    ) {
        return Vec::new();
    }
    let inner = [('[', ']'), ('(', ')')]
        .into_iter()
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    match inner {
        Some(inner) => split_items(inner),
        None => vec![text.to_owned()],
    }
}

/// The items of a list's inside: `'a', 'b, c', 3`.
fn split_items(inner: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in inner.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, ',') => items.push(String::new()),
            _ => items.last_mut().expect("there is always an item").push(c),
        }
    }
    let items = items.into_iter().map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

/// Stands for a space at which no column may begin.
const JOINED: char = '\u{a0}';

/// Reads rows whose names have two spaces behind them at least: a line without such a gap is a name without a text,
/// whatever column its neighbours begin theirs in.
pub(super) fn wide_rows(lines: &[&str], starts: impl Fn(usize, &str) -> bool) -> Vec<Row> {
    let kept: Vec<String> = lines.iter().map(|line| keep_whole(line)).collect();
    let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
    let apart = |text: &str| text.replace(JOINED, " ");
    let mut found = rows(&kept, |indent, content| starts(indent, &apart(content)));
    for row in &mut found {
        row.name = apart(&row.name);
        row.text = apart(&row.text);
    }
    found
}

fn keep_whole(line: &str) -> String {
    let content = line.trim_start();
    let indent = &line[..line.len() - content.len()];
    if content.contains("  ") {
        return line.to_owned();
    }
    let joined = content
        .trim_end()
        .replace(' ', JOINED.encode_utf8(&mut [0; 4]));
    format!("{indent}{joined}")
}

/// `add (a, b)` as the name and its aliases.
pub(super) fn with_aliases(column: &str) -> (String, Vec<String>) {
    if let Some((name, rest)) = column.split_once(" (")
        && let Some(inner) = rest.strip_suffix(')')
        && !name.contains(' ')
    {
        let aliases = inner.split(',').map(|alias| alias.trim().to_owned());
        return (name.to_owned(), aliases.collect());
    }
    (column.to_owned(), Vec::new())
}

/// Keeps of a row's names those with two dashes, and moves those that turn a switch off to where they belong. Gives
/// whether the flag can be written at all: a long name behind a single dash cannot.
pub(super) fn settle_names(names: &mut FlagNames, column: &str) -> bool {
    names
        .longs
        .retain(|long| column.contains(&format!("--{long}")));
    let bases = names.longs.clone();
    names.longs.retain(|long| {
        let negates = long
            .strip_prefix("no-")
            .is_some_and(|base| bases.iter().any(|long| long == base));
        if negates {
            names.negation.get_or_insert_with(|| long.clone());
        }
        !negates
    });
    !names.longs.is_empty() || !names.shorts.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::flag_names;

    #[test]
    fn literals() {
        for (text, expected) in [
            ("None", ""),
            ("3", "3"),
            ("['a', 'b, c', 3]", "a|b, c|3"),
            ("(1.5, 2)", "1.5|2"),
            ("two words", "two words"),
        ] {
            assert_eq!(literal(text).join("|"), expected, "{text}");
        }
    }

    #[test]
    fn placeholders_name_types() {
        assert_eq!(named_type("INTEGER RANGE"), Some(ValueType::INT));
        assert_eq!(named_type("<float>"), Some(ValueType::Number));
        assert_eq!(named_type("LOG_FILE"), Some(ValueType::Path));
        assert_eq!(named_type("PROFILE"), None);
        assert_eq!(suggested_type("0.5"), Some(ValueType::Number));
        assert_eq!(suggested_type("nan"), None);
        assert_eq!(suggested_type("007"), None);
    }

    #[test]
    fn flags_that_may_want_numbers() {
        let flag = |long: &str, placeholder: &str, help: &str| FlagSketch {
            placeholder: Some(placeholder.into()),
            help: Some(crate::fact::Fact::new(
                help.into(),
                crate::fact::Origin::Help,
            )),
            ..FlagSketch::long(long)
        };
        assert!(looks_numeric(&flag(
            "max-loaves",
            "MAX_LOAVES",
            "How many at most"
        )));
        assert!(looks_numeric(&flag("loaves", "N", "How many")));
        assert!(looks_numeric(&flag(
            "heat",
            "HEAT",
            "How hot. Default: 200."
        )));
        assert!(!looks_numeric(&flag(
            "name",
            "NAME",
            "Its name. Default: none"
        )));
    }

    #[test]
    fn a_name_without_a_text_is_not_cut_at_the_column() {
        let lines = [
            "  --key KEY       A key",
            "  --long-one-name NAME",
            "                  A name",
        ];
        let found = wide_rows(&lines, |indent, _| indent == 2);
        assert_eq!(found[1].name, "--long-one-name NAME");
        assert_eq!(found[1].text, "A name");
    }

    #[test]
    fn names_that_turn_off() {
        let column = "-f, --foo, --bar, --no-foo, --no-bar";
        let mut names = flag_names(column).expect("names");
        assert!(settle_names(&mut names, column));
        assert_eq!(names.longs, ["foo", "bar"]);
        assert_eq!(names.negation.as_deref(), Some("no-foo"));
        let mut names = flag_names("-name VALUE").expect("names");
        assert!(!settle_names(&mut names, "-name VALUE"));
    }
}
