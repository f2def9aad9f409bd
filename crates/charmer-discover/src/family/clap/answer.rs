//! The facts in clap's errors, in its versions.

use super::usage::is_named;
use crate::sketch::FlagSketch;

/// The parser's answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParserAnswer {
    /// It had nothing against it.
    Accepted,
    /// The flag was accepted once, but not twice.
    Once,
    NotText,
    Choices(Vec<String>),
    /// A number outside of these bounds.
    Range(i128, i128),
    Invalid(String),
    /// Something that says nothing about the value.
    Unclear,
}

/// The content of an answer: help, or an error about a flag or positional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParserWords {
    Help,
    /// About the flag or positional of this name, as it is written.
    About(String, ParserAnswer),
    NotText,
    Unclear,
}

/// Reads what a program answered; `flags` are those that it may name.
pub(super) fn heard<'f>(
    text: &str,
    succeeded: bool,
    flags: impl IntoIterator<Item = &'f FlagSketch>,
) -> ParserWords {
    let error = text
        .lines()
        .position(|line| line.trim_start().starts_with("error"));
    let Some(at) = error else {
        let help = succeeded && text.to_lowercase().contains("usage");
        return if help {
            ParserWords::Help
        } else {
            ParserWords::Unclear
        };
    };
    let lines: Vec<&str> = text
        .lines()
        .skip(at)
        .take_while(|line| !line.trim().is_empty())
        .collect();
    let message = lines.join("\n");
    if message.to_lowercase().contains("invalid utf-8") {
        return ParserWords::NotText;
    }
    let Some(name) = named(&message, flags) else {
        return ParserWords::Unclear;
    };
    ParserWords::About(name, outcome(&message))
}

/// The flag or positional that an error is about, as we write it.
fn named<'f>(message: &str, flags: impl IntoIterator<Item = &'f FlagSketch>) -> Option<String> {
    let marks = [" for '", "argument '", "by '", "option '"];
    let (at, mark) = marks
        .iter()
        .find_map(|mark| message.find(mark).map(|at| (at, mark)))?;
    let rest = &message[at + mark.len()..];
    let quoted = &rest[..rest.find('\'')?];
    if !quoted.starts_with('-') {
        return Some(
            quoted
                .trim_end_matches("...")
                .trim_matches(['<', '>', '[', ']'])
                .to_owned(),
        );
    }
    let name = quoted
        .split([' ', '=', '[', '.'])
        .next()
        .unwrap_or_default();
    let flag = flags.into_iter().find(|flag| is_named(flag, name));
    Some(flag.map_or_else(|| name.to_owned(), FlagSketch::written))
}

fn outcome(message: &str) -> ParserAnswer {
    if message.contains("cannot be used multiple times") {
        return ParserAnswer::Once;
    }
    if let Some(at) = message.find("[possible values: ") {
        let list = &message[at + "[possible values: ".len()..];
        let list = list[..list.rfind(']').unwrap_or(list.len())].replace('\n', " ");
        let values = list
            .split(',')
            .map(|value| value.trim().trim_matches('"').to_owned());
        return ParserAnswer::Choices(values.collect());
    }
    if let Some((_, range)) = message.split_once(" is not in ")
        && let Some((min, max)) = bounds(range)
    {
        return ParserAnswer::Range(min, max);
    }
    let refused = ["nvalid value", "isn't a valid value", "a value is required"];
    if refused.iter().any(|words| message.contains(words)) {
        // `invalid value 'x' for '--heat <N>': reason`
        let reason = message.split_once("': ").map_or("", |(_, reason)| reason);
        return ParserAnswer::Invalid(reason.lines().next().unwrap_or_default().trim().to_owned());
    }
    ParserAnswer::Unclear
}

/// The bounds in `1..=10`, `1..10` or with one of them left out.
fn bounds(text: &str) -> Option<(i128, i128)> {
    let text = text.split_whitespace().next()?;
    let (low, high) = text.split_once("..")?;
    let low = if low.is_empty() {
        i64::MIN.into()
    } else {
        low.parse().ok()?
    };
    let high = match high.strip_prefix('=') {
        Some(high) => high.parse().ok()?,
        None if high.is_empty() => i64::MAX.into(),
        None => high.parse::<i128>().ok()? - 1,
    };
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_several_versions() {
        let flags = [FlagSketch::long("heat")];
        let about = |outcome| ParserWords::About("--heat".into(), outcome);
        let learn = |text: &str| heard(text, false, &flags);
        assert_eq!(
            learn("error: the argument '--heat <N>' cannot be used multiple times\n\nUsage: kiln"),
            about(ParserAnswer::Once)
        );
        assert_eq!(
            learn(
                "error: The argument '--heat <N>' was provided more than once, but cannot be used multiple times"
            ),
            about(ParserAnswer::Once)
        );
        assert_eq!(
            learn(
                "error: invalid value 'zqxj' for '--heat <N>'\n  [possible values: low, high]\n\nFor more"
            ),
            about(ParserAnswer::Choices(vec!["low".into(), "high".into()]))
        );
        assert_eq!(
            learn("error: invalid value '99' for '--heat <N>': 99 is not in 1..=10\n"),
            about(ParserAnswer::Range(1, 10))
        );
        assert!(matches!(
            learn("error: Invalid value \"zqxj\" for '--heat <N>': invalid digit found in string"),
            ParserWords::About(_, ParserAnswer::Invalid(_))
        ));
        assert_eq!(
            learn("error: invalid UTF-8 was detected in one or more arguments"),
            ParserWords::NotText
        );
        assert_eq!(learn("Usage: kiln"), ParserWords::Unclear);
        assert_eq!(heard("Usage: kiln", true, &flags), ParserWords::Help);
    }
}
