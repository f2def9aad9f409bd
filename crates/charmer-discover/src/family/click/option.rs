//! A click option from its names, its placeholder and its text: types, ranges, choices, defaults, `[required]`.

use charmer_core::model::{Choice, FlagValue, Repetition, ValueType};

use crate::{
    fact::{Fact, Field, Origin},
    family::python::{named_type, suggested_type},
    help::{is_counted, may_repeat},
    sketch::{FlagSketch, KindSketch},
};

/// The remarks in brackets behind an option's text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Extra {
    pub(super) env: Option<String>,
    pub(super) default: Option<String>,
    pub(super) range: Option<String>,
    pub(super) required: bool,
}

/// Takes `[env var: X; default: y; x>=1; required]`, in one bracket or in several, from the end of a text.
pub(super) fn take_extra(text: &str) -> (String, Extra) {
    let mut extra = Extra::default();
    let mut rest = text.trim();
    while let Some(open) = last_bracket(rest) {
        let inner = &rest[open + 1..rest.len() - 1];
        let Some(found) = read_extra(inner) else {
            break;
        };
        extra.env = extra.env.or(found.env);
        extra.default = extra.default.or(found.default);
        extra.range = extra.range.or(found.range);
        extra.required |= found.required;
        rest = rest[..open].trim_end();
    }
    (rest.to_owned(), extra)
}

fn read_extra(inner: &str) -> Option<Extra> {
    let mut extra = Extra::default();
    let mut in_default = false;
    for part in inner.split("; ") {
        if let Some(names) = part.strip_prefix("env var: ") {
            extra.env = names.split(", ").next().map(Into::into);
        } else if let Some(default) = part.strip_prefix("default: ") {
            extra.default = Some(default.to_owned());
            in_default = true;
            continue;
        } else if part == "required" {
            extra.required = true;
        } else if is_range(part) {
            extra.range = Some(part.to_owned());
        } else if let Some(default) = extra.default.as_mut().filter(|_| in_default) {
            default.push_str("; ");
            default.push_str(part);
        } else {
            return None;
        }
    }
    Some(extra)
}

fn is_range(text: &str) -> bool {
    text.contains('x')
        && text.contains(['<', '>'])
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || "x<>=.-+einf".contains(c))
}

/// The place of the bracket that closes at the end of a text.
fn last_bracket(text: &str) -> Option<usize> {
    if !text.ends_with(']') {
        return None;
    }
    let mut depth = 0usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => depth += 1,
            '[' => {
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

/// Fills in what the placeholder and the text say.
pub(super) fn describe(flag: &mut FlagSketch, value: Option<&str>, text: &str, required: bool) {
    let (help, extra) = take_extra(text);
    let (value, range) = match value.map(take_extra) {
        Some((value, behind)) if behind.range.is_some() => (Some(value), behind.range),
        _ => (value.map(Into::into), None),
    };
    // New versions of typer write `<bool>` behind switches.
    let value = value.filter(|value: &String| !value.is_empty() && value != "<bool>");
    // A number of any size, with no bounds, is how often a switch was given.
    let counted =
        value.as_deref() == Some("INTEGER RANGE") && range.is_none() && extra.range.is_none();
    let value = value.filter(|_| !counted);
    flag.placeholder.clone_from(&value);
    let default = extra.default.filter(|text| {
        let described = text.starts_with('(') && text.ends_with(')');
        !described && !matches!(text.as_str(), "None" | "\"\"" | "")
    });
    // A word that was too long for its column has been broken, nobody knows where.
    let broken = |text: &String| {
        text.contains(' ') && text.split(' ').any(|word| word.chars().count() >= 30)
    };
    let default = default.filter(|text| !broken(text));
    match &value {
        None => describe_switch(flag, &help, default.as_deref()),
        Some(value) => {
            let range = range.or(extra.range);
            describe_value(flag, value, &help, default, range.as_deref());
        }
    }
    if counted {
        flag.kind = Some(Fact::new(KindSketch::count(), Origin::Help));
    }
    flag.required
        .learn(Fact::new(extra.required || required, Origin::Help));
    if let Some(env) = extra.env {
        flag.env = Some(Fact::new(env, Origin::Help));
    }
    if let Some(reason) = deprecation(&help) {
        flag.deprecated = Some(Fact::new(reason, Origin::Help));
    }
    if !help.is_empty() {
        flag.help = Some(Fact::new(help, Origin::Help));
    }
}

/// The text of a `(DEPRECATED)` or `(deprecated: use x)`.
pub(super) fn deprecation(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("(deprecated")? + "(deprecated".len();
    let inner = text[at..].split(')').next()?.trim_start_matches(':').trim();
    Some(if inner.is_empty() {
        "deprecated".into()
    } else {
        inner.to_owned()
    })
}

fn describe_switch(flag: &mut FlagSketch, help: &str, default: Option<&str>) {
    let counts = default.is_some_and(|text| text.parse::<u64>().is_ok())
        || flag.negation.is_none() && is_counted(help, &flag.names());
    flag.kind = Some(Fact::new(
        if counts {
            KindSketch::count()
        } else {
            KindSketch::switch()
        },
        Origin::Help,
    ));
    let on = default.is_some_and(|text| text == "True" || flag.long.as_deref() == Some(text));
    if on && flag.negation.is_some() {
        flag.default = Some(Fact::new(vec!["true".into()], Origin::Help));
    }
}

fn describe_value(
    flag: &mut FlagSketch,
    value: &str,
    help: &str,
    default: Option<String>,
    range: Option<&str>,
) {
    let (element, many) = match value.strip_suffix("...") {
        Some(element) => (element.trim(), true),
        None => (value, false),
    };
    let inner = element.trim_matches(['<', '>']);
    let list = inner
        .strip_prefix("list[")
        .and_then(|inner| inner.strip_suffix(']'));
    let element = list.unwrap_or(element);
    let types = tuple(element, many);
    let choices = choices(element);
    let first = named_type(types[0]);
    let same = types.iter().all(|word| named_type(word) == first);
    let (mut value_type, sure) = match first {
        Some(named) if same => (named, 80),
        _ if choices.is_some() || types.len() > 1 => (ValueType::String, 70),
        _ => match default.as_deref().and_then(suggested_type) {
            Some(suggested) => (suggested, 45),
            None if is_numbered(inner, default.as_deref()) => (ValueType::INT, 45),
            None => (ValueType::String, 40),
        },
    };
    if let (ValueType::Integer { .. }, Some(range)) = (&value_type, range) {
        value_type = bounded(range);
    }
    let repetition = if list.is_some() || !many && may_repeat(help) {
        Repetition::Repeat { delimiter: None }
    } else if many {
        // `FLOAT...` does not say how many; two is usual.
        let count = if types.len() > 1 { types.len() } else { 2 };
        Repetition::Fixed {
            count,
            repeat: false,
        }
    } else {
        Repetition::Single
    };
    if let Some(default) = default {
        let values = if repetition == Repetition::Single {
            vec![default]
        } else {
            split_default(&default)
        };
        let values = match value_type {
            ValueType::Bool => values.iter().map(|value| value.to_lowercase()).collect(),
            _ => values,
        };
        flag.default = Some(Fact::new(values, Origin::Help));
    }
    if let Some(choices) = choices {
        let choices = choices.into_iter().map(Choice::new).collect();
        flag.choices = Some(Fact::new(choices, Origin::Help));
    }
    let kind = KindSketch {
        value: FlagValue::Required,
        value_type,
        repetition,
    };
    flag.kind = Some(Fact::with(kind, Origin::Help, sure));
}

/// Returns true if a placeholder means a number, and the default begins with one before it is explained: `4, or that of
/// a file`.
fn is_numbered(placeholder: &str, default: Option<&str>) -> bool {
    let number = default.and_then(|text| text.split_once(", or ").map(|(number, _)| number));
    matches!(placeholder, "N" | "NUM" | "NUMBER" | "COUNT")
        && number.is_some_and(|number| suggested_type(number) == Some(ValueType::INT))
}

/// The values of a default that was written as one text.
pub(super) fn split_default(text: &str) -> Vec<String> {
    text.split(", ")
        .map(|value| value.trim().to_owned())
        .collect()
}

/// The words of `<TEXT INTEGER>...` or `<float,int>...`, else the one word.
fn tuple(element: &str, many: bool) -> Vec<&str> {
    match element
        .strip_prefix('<')
        .and_then(|inner| inner.strip_suffix('>'))
    {
        Some(inner) if many && inner.contains([' ', ',']) => inner
            .split([' ', ','])
            .filter(|word| !word.is_empty())
            .collect(),
        _ => vec![element],
    }
}

/// The values of `[a|b]`, `{a|b}` or `<a|b>`; those of a date's formats are none.
pub(super) fn choices(element: &str) -> Option<Vec<String>> {
    let inner = [('[', ']'), ('{', '}'), ('<', '>')]
        .into_iter()
        .find_map(|(open, close)| element.strip_prefix(open)?.strip_suffix(close))?;
    (inner.contains('|') && !inner.contains('%')).then(|| {
        inner
            .split('|')
            .map(|value| value.trim().to_owned())
            .collect()
    })
}

/// A whole number in a range such as `1<=x<=9`, `x>=1` or `0<x`.
fn bounded(range: &str) -> ValueType {
    let (mut least, mut greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
    if let Some((before, after)) = range.split_once('x') {
        if let Some(bound) = before.strip_suffix("<=").and_then(|n| n.parse().ok()) {
            least = bound;
        } else if let Some(bound) = before.strip_suffix('<').and_then(|n| n.parse::<i64>().ok()) {
            least = i128::from(bound) + 1;
        }
        if let Some(bound) = after.strip_prefix("<=").and_then(|n| n.parse().ok()) {
            greatest = bound;
        } else if let Some(bound) = after.strip_prefix(">=").and_then(|n| n.parse().ok()) {
            least = bound;
        } else if let Some(bound) = after.strip_prefix('<').and_then(|n| n.parse::<i64>().ok()) {
            greatest = i128::from(bound) - 1;
        } else if let Some(bound) = after.strip_prefix('>').and_then(|n| n.parse::<i64>().ok()) {
            least = i128::from(bound) + 1;
        }
    }
    ValueType::Integer {
        min: least,
        max: greatest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(value: Option<&str>, text: &str) -> FlagSketch {
        let mut flag = FlagSketch::long("flag");
        describe(&mut flag, value, text, false);
        flag
    }

    fn kind(value: &str, text: &str) -> (ValueType, Repetition) {
        let kind = described(Some(value), text).kind.expect("a kind").value;
        (kind.value_type, kind.repetition)
    }

    #[test]
    fn a_number_that_is_explained_is_still_a_number() {
        assert!(is_numbered("N", Some("4, or that of a file")));
        assert!(!is_numbered("NAME", Some("4, or that of a file")));
        assert!(!is_numbered("N", Some("four, or that of a file")));
        assert!(!is_numbered("N", None));
    }

    #[test]
    fn extras_in_one_bracket_or_in_several() {
        let (text, extra) = take_extra("A key [env var: A, B; default: x; y; 1<=x<=9; required]");
        assert_eq!(text, "A key");
        assert_eq!(extra.env.as_deref(), Some("A"));
        assert_eq!(extra.default.as_deref(), Some("x; y"));
        assert_eq!(extra.range.as_deref(), Some("1<=x<=9"));
        assert!(extra.required);
        let (text, extra) = take_extra("A [b] [env var: A] [default: [1]] [required]");
        assert_eq!(text, "A [b]");
        assert_eq!(extra.default.as_deref(), Some("[1]"));
        assert!(extra.required);
    }

    #[test]
    fn placeholders() {
        let one = Repetition::Single;
        let two = Repetition::Fixed {
            count: 2,
            repeat: false,
        };
        let many = Repetition::Repeat { delimiter: None };
        let bounds = |min, max| ValueType::Integer { min, max };
        for (value, text, expected) in [
            ("INTEGER", "", (ValueType::INT, one.clone())),
            ("TEXT", "[default: 3]", (ValueType::String, one.clone())),
            ("N", "[default: 3]", (ValueType::INT, one.clone())),
            ("INTEGER RANGE", "[1<=x<9]", (bounds(1, 8), one.clone())),
            (
                "<int range> [x>0]",
                "",
                (bounds(1, i128::from(i64::MAX)), one.clone()),
            ),
            ("FLOAT RANGE", "[0<=x<=1]", (ValueType::Number, one.clone())),
            ("<TEXT INTEGER>...", "", (ValueType::String, two.clone())),
            ("<float,float>...", "", (ValueType::Number, two.clone())),
            ("FLOAT...", "", (ValueType::Number, two)),
            ("<list[Path]>", "", (ValueType::Path, many)),
            ("[%Y-%m-%d|%H:%M]", "", (ValueType::String, one.clone())),
            ("BOOLEAN", "", (ValueType::Bool, one)),
        ] {
            assert_eq!(kind(value, text), expected, "{value} {text}");
        }
    }

    #[test]
    fn choices_switches_and_defaults() {
        let flag = described(Some("[a|b c]"), "Kind (DEPRECATED: use x) [default: a]");
        let values: Vec<_> = flag.choices.expect("choices").value;
        assert_eq!(values[1].value, "b c");
        assert_eq!(flag.deprecated.expect("deprecated").value, "use x");
        assert_eq!(flag.default.expect("a default").value, ["a"]);
        let flag = described(Some("BOOLEAN"), "[default: True]");
        assert_eq!(flag.default.expect("a default").value, ["true"]);
        assert_eq!(
            described(Some("TEXT"), "[default: (dynamic)]").default,
            None
        );
        let mut flag = FlagSketch::long("shout");
        flag.negation = Some("no-shout".into());
        describe(&mut flag, None, "[default: shout]", false);
        assert_eq!(flag.default.expect("a default").value, ["true"]);
        let counted = described(Some("INTEGER RANGE"), "More").kind;
        assert_eq!(counted.map(|fact| fact.value), Some(KindSketch::count()));
        let counted = described(None, "[default: 0]").kind.expect("a kind");
        assert_eq!(counted.value, KindSketch::count());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(value in "[\\PC]{0,20}", text in "([\\PC]|[\\[\\];x<>=]){0,60}") {
            described(Some(&value), &text);
        }
    }
}
