//! The types of argparse and optparse, which help hides: a value that is surely wrong, and what the parser says to it.
//!
//! Such a command line ends with an unknown option and `--help`. Both read from left to right and stop at the first value
//! that they cannot convert, else argparse at `--help` and optparse, or a program that reads `--help` itself, at the
//! unknown option. A program that stops at something else (a file that it reads first) is asked once more, about the
//! flags that look like numbers. argparse is asked only where help says that `--help` shows it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicIsize, Ordering},
    },
};

use charmer_core::model::{Choice, FlagValue, Repetition, ValueType};

use crate::{
    discovery::looks_like_help,
    fact::{Fact, Field, Origin},
    family::{Asker, python::looks_numeric},
    probe::ProbeAnswer,
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// No number, no choice, and no file that could be opened or made.
const JUNK: &str = "charmer-no-such-folder/junk";
/// An option that no program has.
const UNKNOWN: &str = "--charmer-probe";
/// The number of probes that a program may cost, and of those more for each of its commands.
const ALLOWANCE: isize = 24;
const EACH: isize = 2;

/// The verdict on a flag's junk.
#[derive(Debug, Clone, PartialEq, Eq)]
enum JunkVerdict {
    /// It was taken.
    Taken,
    /// It was refused for its type.
    Type(ValueType),
    /// Only these are accepted.
    Choices(Vec<String>),
    /// So many values are wanted at once.
    Count(usize),
    /// It was refused for a reason that says nothing about its type.
    Refused,
}

/// The knowledge of a flag that has been asked about.
type JunkLearnt = (Option<Fact<KindSketch>>, Option<Fact<Vec<Choice>>>);

/// Remembers what was said: commands often share flags.
#[derive(Default)]
pub(in crate::family) struct ArgparseQuestions {
    known: Mutex<HashMap<String, JunkLearnt>>,
    /// The flags that somebody is asking about at the moment: the others wait for the answer.
    asking: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    spent: AtomicIsize,
}

impl ArgparseQuestions {
    /// Asks about the flags of a command whose types are not sure.
    pub(in crate::family) async fn ask(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        self.spent.fetch_sub(EACH, Ordering::Relaxed);
        let unknown = sketch.flags.iter();
        let unknown = unknown.filter(|flag| is_open(flag) && self.recall(flag).is_none());
        let mut keys: Vec<String> = unknown.map(key).collect();
        keys.sort();
        keys.dedup();
        // In a fixed order, so that no two commands wait for each other.
        let mut held = Vec::new();
        for key in keys {
            held.push(self.turn(key).lock_owned().await);
        }
        let mut open: Vec<usize> = Vec::new();
        for (at, flag) in sketch.flags.iter_mut().enumerate() {
            if !is_open(flag) {
                continue;
            }
            match self.recall(flag) {
                Some(learnt) => (flag.kind, flag.choices) = learnt,
                None => open.push(at),
            }
        }
        // What is guessed from a default comes last: the guess stands where no more may be asked.
        open.sort_by_key(|&at| is_guessed(&sketch.flags[at]));
        let mut words = sketch.path.words().to_vec();
        let path = words.len();
        let mut narrowed = false;
        while !open.is_empty() {
            if self.spent.fetch_add(1, Ordering::Relaxed) >= ALLOWANCE {
                return;
            }
            words.truncate(path);
            for &at in &open {
                words.extend(junk(&sketch.flags[at]));
            }
            words.push(UNKNOWN.into());
            words.push("--help".into());
            let answer = asker.prober.run(&words).await;
            let blamed = || blamed(&answer, open.iter().map(|&at| &sketch.flags[at]));
            let Some((name, said)) = complaint(&answer).or_else(blamed) else {
                if took_all(&answer) {
                    for at in open {
                        self.settle(&mut sketch.flags[at], &JunkVerdict::Taken);
                    }
                    return;
                }
                if !narrow(&mut open, sketch, &mut narrowed) {
                    return;
                }
                continue;
            };
            let Some(index) = open.iter().position(|&at| goes_by(&sketch.flags[at], name)) else {
                if !narrow(&mut open, sketch, &mut narrowed) {
                    return;
                }
                continue;
            };
            let flag = &mut sketch.flags[open[index]];
            let verdict = verdict(said);
            match verdict {
                // Asked again with as many as it wants.
                JunkVerdict::Count(count) if !is_fixed(flag, count) => apply(flag, &verdict),
                _ => {
                    self.settle(flag, &verdict);
                    // What stood before it was taken.
                    for at in open.drain(..=index).take(index) {
                        self.settle(&mut sketch.flags[at], &JunkVerdict::Taken);
                    }
                }
            }
        }
    }

    fn turn(&self, key: String) -> Arc<tokio::sync::Mutex<()>> {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(asking.entry(key).or_default())
    }

    fn recall(&self, flag: &FlagSketch) -> Option<JunkLearnt> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&key(flag)).cloned()
    }

    fn settle(&self, flag: &mut FlagSketch, verdict: &JunkVerdict) {
        apply(flag, verdict);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key(flag), (flag.kind.clone(), flag.choices.clone()));
    }
}

/// Returns true if an answer says that all values were right: it is help, or optparse's word on the option that it does
/// not know, at which it stops. (Some look at a value before they parse any, and end well with a word on that.)
fn took_all(answer: &ProbeAnswer) -> bool {
    let unknown = || format!("no such option: {UNKNOWN}");
    answer.succeeded() && looks_like_help(answer) || answer.stderr.contains(&unknown())
}

/// Leaves those flags that look like numbers, once; gives whether that is worth asking again.
fn narrow(open: &mut Vec<usize>, sketch: &CommandSketch, narrowed: &mut bool) -> bool {
    let before = open.len();
    open.retain(|&at| is_guessed(&sketch.flags[at]) || looks_numeric(&sketch.flags[at]));
    let worth = !*narrowed && open.len() < before;
    *narrowed = true;
    worth
}

/// The key under which flags of two commands are the same.
fn key(flag: &FlagSketch) -> String {
    let help = flag.help.as_ref().map_or("", |help| &help.value);
    let value = flag.placeholder.as_deref().unwrap_or_default();
    format!("{}\0{value}\0{help}", flag.written())
}

/// Returns true if `--help` shows help and nothing else, by its text: argparse's own is `show this help message and
/// exit`.
pub(super) fn shows_help(sketch: &CommandSketch) -> bool {
    sketch.flags.iter().any(|flag| {
        let text = flag.help.as_ref().map_or("", |help| &help.value);
        let text = text.to_lowercase();
        let verbs = [
            "show ",
            "shows ",
            "print ",
            "prints ",
            "display ",
            "displays ",
        ];
        flag.long.as_deref() == Some("help")
            && text.contains("help")
            && verbs.iter().any(|verb| text.starts_with(verb))
    })
}

/// Returns true if a flag takes a value of a type that is not known.
fn is_open(flag: &FlagSketch) -> bool {
    let takes = flag
        .kind
        .as_ref()
        .is_some_and(|kind| kind.value.value != FlagValue::None);
    takes && flag.choices.is_none() && flag.placeholder.as_deref() != Some("...")
}

/// Returns true if there is a guess at its type.
fn is_guessed(flag: &FlagSketch) -> bool {
    let kind = flag.kind.as_ref().map(|kind| &kind.value.value_type);
    kind.is_some_and(|kind| matches!(kind, ValueType::Integer { .. } | ValueType::Number))
}

/// The flag with a value that is surely wrong, attached so that it can never be anything else.
fn junk(flag: &FlagSketch) -> Vec<String> {
    let count = flag
        .kind
        .as_ref()
        .and_then(|kind| match kind.value.repetition {
            Repetition::Fixed { count, .. } if kind.source.origin == Origin::Probe => Some(count),
            _ => None,
        });
    match (count, &flag.long) {
        (Some(count), _) => {
            let values = std::iter::repeat_n(JUNK.to_owned(), count);
            std::iter::once(flag.written()).chain(values).collect()
        }
        (None, Some(_)) => vec![format!("{}={JUNK}", flag.written())],
        (None, None) => vec![format!("{}{JUNK}", flag.written())],
    }
}

fn is_fixed(flag: &FlagSketch, wanted: usize) -> bool {
    flag.kind.as_ref().is_some_and(|kind| {
        kind.source.origin == Origin::Probe
            && matches!(kind.value.repetition, Repetition::Fixed { count, .. } if count == wanted)
    })
}

/// The names and the reason of `tool: error: argument -n/--num: invalid int value: 'x'`; optparse says `option` and the one
/// name that was given, and `--pair option requires 2 arguments` of a count.
fn complaint(answer: &ProbeAnswer) -> Option<(&str, &str)> {
    let line = |mark: &str| {
        let mut lines = answer.stderr.lines();
        lines.find_map(|line| Some(&line[line.find(mark)? + mark.len() - 1..]))
    };
    if let Some(said) = line("argument -").or_else(|| line("option -")) {
        return said.split_once(": ");
    }
    let mut lines = answer.stderr.lines();
    let said = lines.find(|line| line.contains(" option requires "))?;
    let at = said.find(" -").map_or(0, |at| at + 1);
    said[at..].split_once(" option ")
}

/// The flag that an author's own error names (`tool: error: wrong words for --sort: x`), with no reason that says more.
fn blamed<'a, 'f>(
    answer: &'a ProbeAnswer,
    open: impl Iterator<Item = &'f FlagSketch> + Clone,
) -> Option<(&'a str, &'a str)> {
    // optparse lets an author speak while it reads from left to right; argparse, whose usage has a small letter, only
    // when it has read everything, so that the order of the flags says nothing.
    // (optparse's second formatter underlines the word.)
    if !answer.stderr.trim_start().starts_with("Usage") {
        return None;
    }
    let mut lines = answer.stderr.lines().rev();
    let (_, said) = lines.find_map(|line| line.split_once("error: "))?;
    let punctuation = [':', ',', '.', ';', '\'', '"', '`', '(', ')'];
    let mut words = said.split_whitespace();
    words.find_map(|word| {
        let word = word.trim_matches(punctuation);
        let is_open = word.starts_with('-') && open.clone().any(|flag| goes_by(flag, word));
        is_open.then_some((word, ""))
    })
}

fn goes_by(flag: &FlagSketch, names: &str) -> bool {
    names
        .split('/')
        .any(|name| super::rows::is_named(flag, name))
}

fn verdict(said: &str) -> JunkVerdict {
    let count = ["expected ", "requires "];
    if let Some(rest) = count.iter().find_map(|verb| said.strip_prefix(verb)) {
        let count = rest.split(' ').next().and_then(|count| count.parse().ok());
        return count.map_or(JunkVerdict::Refused, JunkVerdict::Count);
    }
    // It was read, and only then found to exclude another.
    if said.starts_with("not allowed with") {
        return JunkVerdict::Taken;
    }
    if let Some((_, list)) = said.split_once("(choose from ") {
        let list = list.trim_end().trim_end_matches(')');
        let values = list
            .split(", ")
            .map(|value| value.trim_matches(['\'', '"']).to_owned());
        return JunkVerdict::Choices(values.collect());
    }
    if said.starts_with("can't open") || said.contains("No such file or directory") {
        return JunkVerdict::Type(ValueType::Path);
    }
    // Python's own words, which an author's code has passed on: it may take other words before it tries a number.
    if said.starts_with("invalid literal for ") {
        return JunkVerdict::Taken;
    }
    let lower = said.to_lowercase();
    let name = said
        .strip_prefix("invalid ")
        .and_then(|rest| rest.split_once(" value"))
        .map_or(lower.as_str(), |(name, _)| name)
        .to_lowercase();
    let has = |word: &str| {
        name.split(|c: char| !c.is_alphabetic())
            .any(|part| part == word)
    };
    // `int_or_auto` takes a word as well.
    if has("or") {
        JunkVerdict::Refused
    } else if has("bool") || has("boolean") || name == "str2bool" {
        JunkVerdict::Type(ValueType::Bool)
    } else if has("int") || has("integer") {
        JunkVerdict::Type(ValueType::INT)
    } else if has("float") || has("floating") || has("number") && said.starts_with("invalid") {
        JunkVerdict::Type(ValueType::Number)
    } else {
        JunkVerdict::Refused
    }
}

fn apply(flag: &mut FlagSketch, verdict: &JunkVerdict) {
    let Some(kind) = &flag.kind else { return };
    let mut kind: KindSketch = kind.value.clone();
    match verdict {
        // Numbers were a guess; a file's name is still more than any text.
        JunkVerdict::Taken if kind.value_type == ValueType::Path => {}
        JunkVerdict::Taken => kind.value_type = ValueType::String,
        JunkVerdict::Type(value_type) => kind.value_type = value_type.clone(),
        JunkVerdict::Choices(values) => {
            kind.value_type = ValueType::String;
            let choices = values.iter().map(Choice::new).collect();
            flag.choices.learn(Fact::new(choices, Origin::Probe));
        }
        JunkVerdict::Count(count) => {
            kind.repetition = Repetition::Fixed {
                count: *count,
                repeat: false,
            };
        }
        JunkVerdict::Refused => return,
    }
    // Several words that were taken as one value are one value.
    let taken = !matches!(verdict, JunkVerdict::Count(_));
    let guessed = flag
        .kind
        .as_ref()
        .is_some_and(|kind| kind.source.origin != Origin::Probe);
    if taken && guessed && matches!(kind.repetition, Repetition::Fixed { .. }) {
        kind.repetition = Repetition::Single;
    }
    flag.kind = Some(Fact::new(kind, Origin::Probe));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_argparse_says_to_junk() {
        for (said, expected) in [
            ("invalid int value: 'x'", JunkVerdict::Type(ValueType::INT)),
            (
                "invalid positive_int value: 'x'",
                JunkVerdict::Type(ValueType::INT),
            ),
            (
                "invalid float value: 'x'",
                JunkVerdict::Type(ValueType::Number),
            ),
            ("invalid point value: 'x'", JunkVerdict::Refused),
            ("invalid int_or_auto value: 'x'", JunkVerdict::Refused),
            (
                "invalid literal for int() with base 10: 'x'",
                JunkVerdict::Taken,
            ),
            (
                "can't open 'x': [Errno 2] gone",
                JunkVerdict::Type(ValueType::Path),
            ),
            ("expected 2 arguments", JunkVerdict::Count(2)),
            ("requires 2 arguments", JunkVerdict::Count(2)),
            (
                "invalid integer value: 'x'",
                JunkVerdict::Type(ValueType::INT),
            ),
            (
                "invalid floating-point value: 'x'",
                JunkVerdict::Type(ValueType::Number),
            ),
            ("expected one argument", JunkVerdict::Refused),
            (
                "Boolean value expected.",
                JunkVerdict::Type(ValueType::Bool),
            ),
            (
                "invalid choice: 'x' (choose from 'a', 'b')",
                JunkVerdict::Choices(vec!["a".into(), "b".into()]),
            ),
            (
                "invalid choice: 'x' (choose from a, b)",
                JunkVerdict::Choices(vec!["a".into(), "b".into()]),
            ),
        ] {
            assert_eq!(verdict(said), expected, "{said}");
        }
    }

    #[test]
    fn values_were_right_where_help_follows_or_the_unknown_option_is_met() {
        let ends = |code: i32, stdout: &str, stderr: &str| {
            took_all(&ProbeAnswer {
                stdout: stdout.into(),
                stderr: stderr.into(),
                code: Some(code),
                started: true,
                ..ProbeAnswer::default()
            })
        };
        assert!(ends(0, "usage: tool [-h]\n\noptions:\n  -h\n", ""));
        assert!(ends(
            2,
            "",
            "tool: error: no such option: --charmer-probe\n"
        ));
        assert!(!ends(2, "", "tool: error: no oven\n"));
        assert!(!ends(
            0,
            "",
            "Oven \"charmer-no-such-folder/junk\" not found.\n"
        ));
    }

    #[test]
    fn a_program_that_stops_elsewhere_is_asked_once_more_about_numbers() {
        let mut sketch = CommandSketch::new(charmer_core::model::CommandPath::root());
        sketch.flags = ["config", "max-loaves", "name"]
            .map(FlagSketch::long)
            .into();
        let (mut open, mut narrowed) = (vec![0, 1, 2], false);
        assert!(narrow(&mut open, &sketch, &mut narrowed));
        assert_eq!(open, [1]);
        assert!(!narrow(&mut open, &sketch, &mut narrowed));
    }

    #[test]
    fn the_complaint_names_its_flag() {
        let answer = ProbeAnswer {
            stderr: "usage: tool [-h]\ntool: error: argument -n/--num: invalid int value: 'x'\n"
                .into(),
            ..ProbeAnswer::default()
        };
        let (names, said) = complaint(&answer).expect("a complaint");
        let flag = FlagSketch::long("num");
        assert!(goes_by(&flag, names));
        assert!(!goes_by(&FlagSketch::long("n"), names));
        assert_eq!(said, "invalid int value: 'x'");
    }

    #[test]
    fn the_complaint_of_optparse_names_the_option_that_was_given() {
        for (line, expected) in [
            (
                "tool: error: option --num: invalid integer value: 'x'",
                ("--num", "invalid integer value: 'x'"),
            ),
            (
                "tool: error: --pair option requires 2 arguments",
                ("--pair", "requires 2 arguments"),
            ),
        ] {
            let answer = ProbeAnswer {
                stderr: format!("Usage: tool [options]\n\n{line}\n"),
                ..ProbeAnswer::default()
            };
            assert_eq!(complaint(&answer), Some(expected));
        }
        let answer = ProbeAnswer {
            stderr: format!("tool: error: no such option: {UNKNOWN}\n"),
            ..ProbeAnswer::default()
        };
        assert_eq!(complaint(&answer), None);
        let flags = [FlagSketch::long("sort"), FlagSketch::long("num")];
        assert_eq!(blamed(&answer, flags.iter()), None);
        let answer = ProbeAnswer {
            stderr: "Usage: tool\n\ntool: error: wrong words for --sort: x\n".into(),
            ..ProbeAnswer::default()
        };
        assert_eq!(complaint(&answer), None);
        assert_eq!(blamed(&answer, flags.iter()), Some(("--sort", "")));
        let answer = ProbeAnswer {
            stderr: "Usage\n=====\n  tool\n\ntool: error: Error in option \"--sort\":\n  no x\n"
                .into(),
            ..ProbeAnswer::default()
        };
        assert_eq!(blamed(&answer, flags.iter()), Some(("--sort", "")));
        let answer = ProbeAnswer {
            stderr: "usage: tool\ntool: error: wrong words for --sort: x\n".into(),
            ..ProbeAnswer::default()
        };
        assert_eq!(blamed(&answer, flags.iter()), None);
    }
}
