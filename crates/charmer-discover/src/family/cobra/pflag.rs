//! Flags as pflag prints them, and as applications print them that write their own template.

use charmer_core::model::{Choice, MapValue, Repetition, ValueType};

use crate::{
    fact::{Fact, Origin},
    help::{
        FlagNames, Row, choices_in, default_in, env_in, flag_names, is_decimal, rows, take_default,
    },
    sketch::{FlagSketch, KindSketch},
};

/// Type names of applications that many share, though pflag does not have them.
const KNOWN: [(&str, KindSketch); 4] = [
    // Each occurrence adds one, taken whole.
    ("list", KindSketch::repeated(ValueType::String)),
    ("map", KindSketch::repeated(ValueType::Map(MapValue::Text))),
    ("decimal", KindSketch::single(ValueType::Number)),
    ("bytes", KindSketch::single(ValueType::String)),
];

/// Reads the rows of a section.
pub(super) fn flags(lines: &[&str]) -> Vec<FlagSketch> {
    rows(lines, |_, content| is_flag(content))
        .iter()
        .filter_map(read)
        .collect()
}

/// Returns true if a line, without its indentation, begins a flag's row.
pub(super) fn is_flag(content: &str) -> bool {
    content.starts_with('-') && flag_names(content.split("  ").next().unwrap_or(content)).is_some()
}

fn read(row: &Row) -> Option<FlagSketch> {
    // `--name=default:` with the text on the next line.
    let column = row.name.strip_suffix(':').unwrap_or(&row.name);
    let mut names = flag_names(column)?;
    take_dashed_value(&mut names, column);
    let mut flag = FlagSketch {
        long: names.longs.first().cloned(),
        short: names.shorts.first().copied(),
        ..FlagSketch::default()
    };
    let (text, deprecated) = take_deprecated(&row.text);
    let whole = text;
    let (text, default) = take_default(&whole);
    if let Some(reason) = deprecated {
        flag.deprecated = Some(Fact::new(reason, Origin::Help));
    }
    let shown = shown_default(&names);
    flag.kind = match &shown {
        Some((kind, _)) => Some(kind.clone()),
        None => kind_of(&names, default.as_deref(), &mut flag),
    };
    // A switch that is not said to be on or off has no default; what stands there is the author's.
    let odd = default
        .as_deref()
        .is_some_and(|text| !matches!(text, "true" | "false"));
    let (text, default) = if odd && flag.is_switch() {
        (whole, None)
    } else {
        (text, default)
    };
    let default = shown.map(|(_, default)| default).or(default);
    if let Some(default) = default {
        set_default(&mut flag, &default, Origin::Help);
    }
    flag.env = env_in(&text).map(|name| Fact::new(name, Origin::Help));
    let is_text = flag
        .kind
        .as_ref()
        .is_none_or(|kind| kind.value.value_type == ValueType::String);
    if is_text {
        learn_choices(&mut flag, &text);
        // `{red|green}` in the place of the type.
        let shown = flag.placeholder.clone().unwrap_or_default();
        if flag.choices.is_none() && shown.starts_with('{') {
            learn_choices(&mut flag, &shown);
        }
    }
    flag.help = (!text.is_empty()).then(|| Fact::new(text, Origin::Help));
    Some(flag)
}

/// pflag shows one long name; what follows it behind a space alone is the placeholder, even if it looks like another name,
/// because the author has put back-quotes around the name of another flag: `--interval --watch`.
fn take_dashed_value(names: &mut FlagNames, column: &str) {
    let Some(long) = names.longs.first() else {
        return;
    };
    let mark = format!("--{long} ");
    let behind = column.find(&mark).map(|at| &column[at + mark.len()..]);
    if let Some(word) = behind.filter(|word| word.starts_with("--") && names.value.is_none()) {
        names.value = Some(word.to_owned());
        names.longs.truncate(1);
    }
}

/// Opens the kind of a flag whose usage has back-quotes with nothing between them: pflag shows no type then, so that it
/// looks like a switch. What help has of a default and `usage`, the author's text, has not, is pflag's.
pub(super) fn open_unnamed(flag: &mut FlagSketch, usage: Option<&str>) {
    flag.kind = Some(text_perhaps());
    if usage.is_some_and(|usage| default_in(usage).is_some()) {
        return;
    }
    let help = flag.help.as_ref().map(|help| take_default(&help.value));
    if let Some((text, Some(default))) = help {
        if let Some(help) = &mut flag.help {
            help.value = text;
        }
        set_default(flag, &default, Origin::Help);
    }
}

/// Returns true if a flag's kind has been opened so and nobody has told it since.
pub(super) fn is_unnamed(flag: &FlagSketch) -> bool {
    flag.placeholder.is_none() && flag.kind.as_ref() == Some(&text_perhaps())
}

/// Takes the values of a flag from its help: the only ones, or examples where one of them takes more.
fn learn_choices(flag: &mut FlagSketch, text: &str) {
    match listed_values(text) {
        Ok(choices) if choices.is_empty() => {}
        Ok(choices) => flag.choices = Some(Fact::new(choices, Origin::Help)),
        Err(suggestions) => flag.suggestions = suggestions,
    }
}

/// The values that a text lists: the only ones, or, as an error, examples because one of them takes more.
pub(super) fn listed_values(text: &str) -> Result<Vec<Choice>, Vec<String>> {
    // `(ms|s|m|h)` are the units of a number, not its values.
    const UNITS: [&str; 17] = [
        "ns", "us", "µs", "ms", "s", "m", "h", "d", "w", "y", "b", "k", "g", "t", "kb", "mb", "gb",
    ];
    let choices = choices_in(text);
    let unit = |value: &str| UNITS.contains(&value.to_lowercase().as_str());
    if choices.iter().all(|choice| unit(&choice.value)) {
        return Ok(Vec::new());
    }
    let parametric = |value: &str| {
        ["template", "jsonpath", "columns", "regex"]
            .iter()
            .any(|word| value.contains(word))
    };
    match choices.iter().any(|choice| parametric(&choice.value)) {
        true => Err(choices.into_iter().map(|choice| choice.value).collect()),
        false => Ok(choices),
    }
}

/// The kind that the placeholder names; not known where it may be an author's own word.
fn kind_of(
    names: &FlagNames,
    default: Option<&str>,
    flag: &mut FlagSketch,
) -> Option<Fact<KindSketch>> {
    let Some(value) = &names.value else {
        // `--x=:` has a value, and its default is empty.
        return Some(match names.equals {
            true => text_perhaps(),
            false => Fact::new(KindSketch::switch(), Origin::Help),
        });
    };
    // `string[="x"]`: the value may be left out.
    let (word, bare) = match value.split_once('[') {
        Some((word, rest)) if rest.starts_with('=') => {
            let bare = rest[1..].trim_end_matches(']');
            (word.trim(), Some(bare.trim_matches('"').to_owned()))
        }
        _ if names.optional => (value.as_str(), Some(value.trim_matches('"').to_owned())),
        _ => (value.as_str(), None),
    };
    if names.optional && word == value {
        // `--x[=false]` shows the default of a switch, or what it means when it stands bare.
        let kind = match word {
            "false" if default.is_some_and(|text| text == "true") => {
                KindSketch::single(ValueType::Bool).optional(bare)
            }
            "true" | "false" => KindSketch::switch(),
            _ => KindSketch::single(ValueType::String).optional(bare),
        };
        return Some(Fact::new(kind, Origin::Help));
    }
    flag.placeholder = Some(word.to_owned());
    let known = || {
        KNOWN
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, kind)| kind.clone())
    };
    let kind = match (KindSketch::pflag(word).or_else(known), bare) {
        (Some(kind), Some(bare)) => kind.optional(Some(bare)),
        (Some(kind), None) => kind,
        (None, Some(bare)) => KindSketch::single(ValueType::String).optional(Some(bare)),
        (None, None) => return Some(text_perhaps()),
    };
    Some(Fact::new(kind, Origin::Help))
}

/// Text, unless something surer is heard.
fn text_perhaps() -> Fact<KindSketch> {
    Fact::with(
        KindSketch::single(ValueType::String),
        Origin::Convention,
        10,
    )
}

/// The default that a template prints in the place of the value: `--raw=''`, `--all=false`, `--tail=-1`.
fn shown_default(names: &FlagNames) -> Option<(Fact<KindSketch>, String)> {
    let text = names.value.as_deref()?;
    if !names.equals || names.optional && !text.starts_with('[') {
        return None;
    }
    let quoted = text.len() >= 2
        && ['\'', '"']
            .iter()
            .any(|&quote| text.starts_with(quote) && text.ends_with(quote));
    let kind = if quoted {
        KindSketch::single(ValueType::String)
    } else if text.starts_with('[') && text.ends_with(']') {
        // Which kind of list it is does not show.
        let list = KindSketch {
            repetition: Repetition::Joined { delimiter: ',' },
            ..KindSketch::single(ValueType::String)
        };
        return Some((Fact::with(list, Origin::Help, 15), text.to_owned()));
    } else if matches!(text, "true" | "false") {
        KindSketch::switch()
    } else if is_decimal(text) && text.parse::<i64>().is_ok() {
        KindSketch::single(ValueType::INT)
    } else if is_decimal(text) && text.parse::<f64>().is_ok() {
        KindSketch::single(ValueType::Number)
    } else if is_duration(text) {
        KindSketch::single(ValueType::Duration)
    } else {
        return None;
    };
    let inner = if quoted {
        &text[1..text.len() - 1]
    } else {
        text
    };
    Some((Fact::new(kind, Origin::Help), inner.to_owned()))
}

/// Returns true if Go prints a length of time like this.
fn is_duration(text: &str) -> bool {
    let mut digits = false;
    let mut unit = false;
    for c in text.chars() {
        match c {
            '0'..='9' | '.' => (digits, unit) = (true, false),
            'h' | 'm' | 's' | 'n' | 'u' | 'µ' if digits => unit = true,
            _ => return false,
        }
    }
    unit
}

/// Sets a default from its text, unless it is the zero of its type, which says nothing.
pub(super) fn set_default(flag: &mut FlagSketch, text: &str, origin: Origin) {
    const ZERO: [&str; 9] = ["", "[]", "map[]", "{}", "0", "0s", "0.0", "<nil>", "false"];
    if ZERO.contains(&text) {
        return;
    }
    let many = flag
        .kind
        .as_ref()
        .is_some_and(|kind| kind.value.repetition != Repetition::Single);
    let inner = text
        .strip_prefix("map")
        .unwrap_or(text)
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'));
    let values = match inner {
        Some(inner) if many => csv(inner),
        _ => vec![text.to_owned()],
    };
    flag.default = Some(Fact::new(values, origin));
}

/// One line of CSV, as Go prints a list.
fn csv(line: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                values.last_mut().expect("never empty").push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => values.push(String::new()),
            c => values.last_mut().expect("never empty").push(c),
        }
    }
    values
}

fn take_deprecated(text: &str) -> (String, Option<String>) {
    match text.find("(DEPRECATED:") {
        Some(at) => {
            let reason = text[at + "(DEPRECATED:".len()..].trim();
            let reason = reason.strip_suffix(')').unwrap_or(reason);
            (text[..at].trim_end().to_owned(), Some(reason.to_owned()))
        }
        None => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(text: &str) -> FlagSketch {
        let lines: Vec<&str> = text.lines().collect();
        let mut found = flags(&lines);
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0)
    }

    fn shown(text: &str) -> (KindSketch, Vec<String>) {
        let flag = read_one(text);
        (
            flag.kind.expect("a kind").value,
            flag.default.map(|fact| fact.value).unwrap_or_default(),
        )
    }

    #[test]
    fn rows_of_pflag() {
        let single = KindSketch::single;
        for (row, kind, default) in [
            ("  -a, --all   Show all", KindSketch::switch(), vec![]),
            (
                "      --n int   Tries (default 3)",
                single(ValueType::INT),
                vec!["3"],
            ),
            (
                "      --for duration   Wait (default 5m0s)",
                single(ValueType::Duration),
                vec!["5m0s"],
            ),
            (
                "      --tags strings   Tags (default [a,\"b,c\"])",
                KindSketch::pflag("stringSlice").expect("known"),
                vec!["a", "b,c"],
            ),
            (
                "      --dry string[=\"client\"]   Mode (default \"none\")",
                single(ValueType::String).optional(Some("client".into())),
                vec!["none"],
            ),
            ("  -v, --verbose count   More", KindSketch::count(), vec![]),
            (
                "      --on   Do it (default true)",
                KindSketch::switch(),
                vec!["true"],
            ),
            (
                "      --add list   Add (default [])",
                KindSketch::repeated(ValueType::String),
                vec![],
            ),
        ] {
            let (found, defaults) = shown(row);
            assert_eq!(found, kind, "{row}");
            assert_eq!(defaults, default, "{row}");
        }
    }

    #[test]
    fn placeholders_of_authors() {
        let flag = read_one("  -i, --interval --watch   Seconds between looks (default 10)");
        assert_eq!(
            (flag.long.as_deref(), flag.short),
            (Some("interval"), Some('i'))
        );
        assert_eq!(flag.placeholder.as_deref(), Some("--watch"));
        assert!(!flag.is_switch());
        assert_eq!(flag.default.expect("a default").value, ["10"]);
        let flag = read_one("      --ripe {red|green|blue}   Colour of what is picked");
        assert_eq!(flag.choices.expect("choices").value.len(), 3);
        let (kind, default) = shown("      --mode=0777: \n\tRights");
        assert_eq!(kind.value_type, ValueType::String, "{default:?}");
    }

    #[test]
    fn empty_back_quotes_hide_a_type() {
        let mut flag = read_one("      --shelf   Where to put it (default \"top\")");
        assert!(flag.is_switch());
        open_unnamed(&mut flag, Some("Where to put it``"));
        assert!(is_unnamed(&flag));
        assert_eq!(flag.default.expect("a default").value, ["top"]);
    }

    #[test]
    fn rows_that_show_the_default() {
        let single = KindSketch::single;
        for (row, kind, default) in [
            ("    --raw='':\n\tA path", single(ValueType::String), vec![]),
            (
                "    --only=:\n\tPatterns",
                single(ValueType::String),
                vec![],
            ),
            (
                "    -R, --recursive=false:\n\tDeep",
                KindSketch::switch(),
                vec![],
            ),
            (
                "    --print=true:\n\tPrint",
                KindSketch::switch(),
                vec!["true"],
            ),
            (
                "    --tail=-1:\n\tLines",
                single(ValueType::INT),
                vec!["-1"],
            ),
            (
                "    --for=30s:\n\tTime",
                single(ValueType::Duration),
                vec!["30s"],
            ),
            (
                "    --mode='fast':\n\tMode",
                single(ValueType::String),
                vec!["fast"],
            ),
            (
                "      --ends=[a:1,b:2]    Ends",
                KindSketch::pflag("strings").expect("known"),
                vec!["a:1", "b:2"],
            ),
        ] {
            let (found, defaults) = shown(row);
            assert_eq!(found, kind, "{row}");
            assert_eq!(defaults, default, "{row}");
        }
    }

    #[test]
    fn units_are_no_choices_and_prose_is_no_default() {
        for row in [
            "      --every duration   How often (ms|s|m|h)",
            "      --size bytes       How much (b|k|m|g)",
            "      --tries int        How often {1|2|3}",
        ] {
            assert_eq!(read_one(row).choices, None, "{row}");
        }
        let flag = read_one("      --latest   Mark it (default [by date and number])");
        assert_eq!(flag.default, None);
        let help = flag.help.expect("a text").value;
        assert_eq!(help, "Mark it (default [by date and number])");
    }

    #[test]
    fn texts_are_joined_and_closed_lists_are_choices() {
        let flag = read_one(
            "      --pull string   Pull first (\"always\", \"missing\",\n                      \"never\") (default \"missing\")",
        );
        let choices = flag.choices.expect("choices").value;
        assert_eq!(choices.len(), 3);
        assert_eq!(flag.default.expect("a default").value, ["missing"]);
        assert!(flag.help.expect("a text").value.ends_with("\"never\")"));
    }
}
