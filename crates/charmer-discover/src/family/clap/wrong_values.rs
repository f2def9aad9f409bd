//! Questions to clap's parser, as values that are meant to be wrong, and what its errors say about types and
//! repetition.
//!
//! clap reads a command line from left to right: a value is parsed, and a second occurrence refused, before a `--help`
//! behind it is reached, and nothing is run either way. It reports one error at a time, so a round asks about several
//! flags at once and learns about all up to the first that is refused.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
};

use charmer_core::model::{Choice, FlagValue, Repetition, ValueType};

use super::{
    answer::{ParserAnswer, ParserWords},
    arguments::names_path,
};
use crate::sketch::FlagSketch;

/// A value that no number, list of values or address accepts.
const JUNK: &str = "zqxj";
/// The greatest number that both signed and unsigned types of 64 bits take.
const LARGE: &str = "9223372036854775807";
/// A number that only an unsigned type of 64 bits takes.
const LARGER: &str = "9223372036854775808";

/// The key under which two flags of different commands are the same.
pub(super) type Key = (String, Option<String>, Option<String>);

/// The knowledge of flags, and those of them that somebody is asking about.
#[derive(Default)]
pub(super) struct KnownValues {
    pub(super) verdicts: HashMap<Key, ValueVerdict>,
    pub(super) asked: HashSet<Key>,
}

/// The findings on a flag or positional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ValueVerdict {
    pub(super) value_type: Option<ValueType>,
    pub(super) choices: Vec<Choice>,
    pub(super) repeats: Option<bool>,
}

/// The next thing to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// Bytes that are no text: only paths take them.
    Bytes,
    Junk,
    Large,
    Larger,
    /// A good value twice.
    Again(String),
    Done,
}

/// A flag or positional that is being asked about.
#[derive(Debug, Clone)]
pub(super) struct ValueQuestion {
    /// The flag as it is written, or the positional's name.
    pub(super) name: String,
    stage: Stage,
    default: Option<String>,
    /// The number of values that follow the flag each time; one is attached to it.
    count: usize,
    pub(super) verdict: ValueVerdict,
}

/// The key of a flag.
pub(super) fn key(flag: &FlagSketch) -> Key {
    let help = flag.help.as_ref().map(|help| help.value.clone());
    (flag.written(), flag.placeholder.clone(), help)
}

impl ValueQuestion {
    /// The question about a flag; none about a switch, or one that takes as many values as there are: it might take
    /// `--help` for one.
    pub(super) fn about(flag: &FlagSketch) -> Option<Self> {
        let kind = &flag.kind.as_ref()?.value;
        let count = match kind.repetition {
            Repetition::Single | Repetition::Repeat { .. } => 1,
            Repetition::Fixed { count, .. } => count,
            _ => return None,
        };
        if kind.value == FlagValue::None || flag.written() == "--help" {
            return None;
        }
        let choices = flag
            .choices
            .as_ref()
            .map(|choices| choices.value.as_slice());
        let default = flag
            .default
            .as_ref()
            .and_then(|default| default.value.first().cloned());
        let stage = match choices {
            Some([first, ..]) => Stage::Again(first.value.clone()),
            _ if cfg!(unix) && may_be_path(flag) => Stage::Bytes,
            _ => Stage::Junk,
        };
        Some(Self {
            name: flag.written(),
            stage,
            default,
            count,
            verdict: ValueVerdict::default(),
        })
    }

    /// The question about a positional of this name, which may look like a path, or of which a good value may be known.
    pub(super) fn positional(name: &str, path: bool, good: Option<&str>) -> Self {
        let stage = match good {
            Some(good) => Stage::Again(good.to_owned()),
            None if cfg!(unix) && path => Stage::Bytes,
            None => Stage::Junk,
        };
        Self {
            name: name.to_owned(),
            stage,
            default: good.map(str::to_owned),
            count: 1,
            verdict: ValueVerdict::default(),
        }
    }

    /// Returns true if it is asked with bytes that are no text, which only one question at a time can be.
    pub(super) fn is_about_bytes(&self) -> bool {
        self.stage == Stage::Bytes
    }

    pub(super) fn is_done(&self) -> bool {
        self.stage == Stage::Done
    }

    /// The values that are tried, in order.
    fn values(&self) -> Vec<OsString> {
        let twice = |value: &str| vec![OsString::from(value), OsString::from(value)];
        match &self.stage {
            Stage::Bytes => vec![no_text(), OsString::from(JUNK)],
            Stage::Junk => twice(JUNK),
            Stage::Large => twice(LARGE),
            Stage::Larger => vec![OsString::from(LARGER)],
            Stage::Again(value) => twice(value),
            Stage::Done => Vec::new(),
        }
    }

    /// The value for a positional, which is given once; one that has to wait with its bytes gets a text.
    pub(super) fn value(&self, waits: bool) -> OsString {
        if waits {
            return JUNK.into();
        }
        let first = self.values().into_iter().next();
        first.unwrap_or_else(|| match &self.verdict.value_type {
            Some(ValueType::Integer { min, .. }) => min.max(&1).to_string().into(),
            Some(ValueType::Number) => "1.5".into(),
            Some(ValueType::Char) => "x".into(),
            Some(ValueType::Ip) => "127.0.0.1".into(),
            _ => match (self.verdict.choices.first(), &self.default) {
                (Some(choice), _) => choice.value.clone().into(),
                (None, Some(good)) => good.clone().into(),
                (None, None) => JUNK.into(),
            },
        })
    }

    /// Takes in what the parser said.
    pub(super) fn learn(&mut self, outcome: ParserAnswer) {
        let verdict = &mut self.verdict;
        match outcome {
            // The larger number is tried only once.
            ParserAnswer::Accepted if self.stage != Stage::Larger => verdict.repeats = Some(true),
            ParserAnswer::Once => verdict.repeats = Some(false),
            _ => {}
        }
        let fits = matches!(outcome, ParserAnswer::Accepted | ParserAnswer::Once);
        self.stage = match (&self.stage, outcome) {
            (Stage::Bytes, _) if fits => {
                verdict.value_type = Some(ValueType::Path);
                Stage::Done
            }
            (Stage::Bytes, ParserAnswer::NotText) => Stage::Junk,
            (Stage::Junk, _) if fits => {
                verdict.value_type = Some(ValueType::String);
                Stage::Done
            }
            (Stage::Bytes | Stage::Junk, ParserAnswer::Choices(values)) => {
                let boolean = values == ["true", "false"];
                verdict.value_type = Some(if boolean {
                    ValueType::Bool
                } else {
                    ValueType::String
                });
                verdict.choices = values.into_iter().map(Choice::new).collect();
                self.again(None)
            }
            (Stage::Bytes | Stage::Junk, ParserAnswer::Invalid(reason)) => self.refused(&reason),
            (Stage::Large, _) if fits => Stage::Larger,
            (Stage::Large, ParserAnswer::Range(min, max)) => {
                verdict.value_type = Some(ValueType::Integer { min, max });
                self.again(Some(min.max(0).min(max).to_string()))
            }
            (Stage::Large, ParserAnswer::Invalid(_)) => {
                verdict.value_type = Some(ValueType::INT);
                self.again(Some("1".to_owned()))
            }
            (Stage::Larger, _) => {
                verdict.value_type = Some(if fits {
                    ValueType::UINT
                } else {
                    ValueType::INT
                });
                Stage::Done
            }
            _ => Stage::Done,
        };
    }

    /// Learns the type from a value's refusal.
    fn refused(&mut self, reason: &str) -> Stage {
        let (value_type, good) = if reason == "invalid digit found in string" {
            return Stage::Large;
        } else if reason == "invalid float literal" {
            (ValueType::Number, Some("1.5".to_owned()))
        } else if reason == "too many characters in string" {
            (ValueType::Char, Some("x".to_owned()))
        } else if reason == "invalid IP address syntax" {
            (ValueType::Ip, Some("127.0.0.1".to_owned()))
        } else {
            // A parser of the author's own, which may want a pair.
            (
                ValueType::String,
                Some(self.default.clone().unwrap_or_else(|| "a=b".to_owned())),
            )
        };
        self.verdict.value_type = Some(value_type);
        if good.is_none() {
            return Stage::Done;
        }
        self.again(good)
    }

    fn again(&self, good: Option<String>) -> Stage {
        let first = self
            .verdict
            .choices
            .first()
            .map(|choice| choice.value.clone());
        match good.or(first) {
            Some(good) if self.verdict.repeats.is_none() => Stage::Again(good),
            _ => Stage::Done,
        }
    }
}

/// A round of questions about the flags of one command.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) questions: Vec<ValueQuestion>,
    unclear: usize,
}

impl Round {
    pub(super) fn new(mut questions: Vec<ValueQuestion>) -> Self {
        // Only one question with bytes fits into a round, because the answer does not name its flag: they go first.
        questions.sort_by_key(|question| question.stage != Stage::Bytes);
        Self {
            questions,
            unclear: 0,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.questions.iter().all(ValueQuestion::is_done)
    }

    /// The places of the questions that are asked now.
    fn open(&self) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        for (at, question) in self.questions.iter().enumerate() {
            let alone = question.stage == Stage::Bytes && !open.is_empty();
            if !question.is_done() && !alone {
                open.push(at);
            }
        }
        open
    }

    /// The flags and values to try; a `--help` must follow.
    pub(super) fn elements(&self) -> Vec<OsString> {
        let mut elements = Vec::new();
        for at in self.open() {
            let question = &self.questions[at];
            for value in question.values() {
                if question.count > 1 {
                    elements.push(question.name.clone().into());
                    elements.extend(std::iter::repeat_n(value, question.count));
                    continue;
                }
                let mut element = OsString::from(format!("{}=", question.name));
                element.push(value);
                elements.push(element);
            }
        }
        elements
    }

    /// Takes in an answer. `in_order` says whether the parser is known to read values before it comes to `--help`:
    /// otherwise help says nothing.
    pub(super) fn learn(&mut self, heard: ParserWords, in_order: bool) {
        let open = self.open();
        let accepted = if in_order {
            ParserAnswer::Accepted
        } else {
            ParserAnswer::Unclear
        };
        match heard {
            ParserWords::Help => {
                for at in open {
                    self.questions[at].learn(accepted.clone());
                }
            }
            ParserWords::NotText => {
                if let Some(&first) = open.first() {
                    self.questions[first].learn(ParserAnswer::NotText);
                }
            }
            ParserWords::About(name, outcome) => {
                let named = open.iter().position(|&at| self.questions[at].name == name);
                let Some(named) = named else {
                    return self.skip(&open);
                };
                for &at in &open[..named] {
                    self.questions[at].learn(accepted.clone());
                }
                self.questions[open[named]].learn(outcome);
                self.unclear = 0;
            }
            ParserWords::Unclear => self.skip(&open),
        }
    }

    /// Gives up on the first question, and on all when that has not helped before.
    fn skip(&mut self, open: &[usize]) {
        self.unclear += 1;
        let given_up = if self.unclear > 1 { open.len() } else { 1 };
        for &at in open.iter().take(given_up) {
            self.questions[at].stage = Stage::Done;
        }
    }
}

/// Returns true if something about a flag speaks of a file or directory.
fn may_be_path(flag: &FlagSketch) -> bool {
    let help = flag.help.as_ref().map_or("", |help| help.value.as_str());
    names_path(flag.placeholder.as_deref().unwrap_or_default())
        || names_path(flag.long.as_deref().unwrap_or_default())
        || names_path(&help.replace(['|', '=', ':'], " "))
}

#[cfg(unix)]
fn no_text() -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(vec![b'z', 0xff])
}

#[cfg(not(unix))]
fn no_text() -> OsString {
    JUNK.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fact::{Fact, Origin},
        sketch::KindSketch,
    };

    fn option(name: &str) -> FlagSketch {
        let mut flag = FlagSketch::long(name);
        flag.kind = Some(Fact::new(
            KindSketch::single(ValueType::String),
            Origin::Help,
        ));
        flag
    }

    #[test]
    fn a_round_learns_about_all_up_to_the_first_refusal() {
        let flags = [option("clay"), option("heat"), option("glaze")];
        let mut round = Round::new(flags.iter().filter_map(ValueQuestion::about).collect());
        assert_eq!(round.elements().len(), 6);
        let digits = "invalid digit found in string".to_owned();
        round.learn(
            ParserWords::About("--heat".into(), ParserAnswer::Invalid(digits)),
            true,
        );
        assert_eq!(round.questions[0].verdict.repeats, Some(true));
        assert_eq!(
            round.elements(),
            [
                "--heat=9223372036854775807",
                "--heat=9223372036854775807",
                "--glaze=zqxj",
                "--glaze=zqxj"
            ]
        );
        round.learn(
            ParserWords::About("--heat".into(), ParserAnswer::Range(1, 10)),
            true,
        );
        round.learn(
            ParserWords::About("--heat".into(), ParserAnswer::Once),
            true,
        );
        round.learn(ParserWords::Help, true);
        assert!(round.is_done());
        let heat = &round.questions[1].verdict;
        assert_eq!(
            heat.value_type,
            Some(ValueType::Integer { min: 1, max: 10 })
        );
        assert_eq!(heat.repeats, Some(false));
    }

    #[test]
    fn help_proves_nothing_where_it_is_shown_first() {
        let mut round = Round::new(vec![
            ValueQuestion::about(&option("clay")).expect("a question"),
        ]);
        round.learn(ParserWords::Help, false);
        assert!(round.is_done());
        assert_eq!(round.questions[0].verdict, ValueVerdict::default());
    }

    #[test]
    fn answers_that_make_no_sense_end_the_round() {
        let flags = ["a", "b", "c", "d"].map(option);
        let mut round = Round::new(flags.iter().filter_map(ValueQuestion::about).collect());
        round.learn(ParserWords::Unclear, true);
        round.learn(ParserWords::Unclear, true);
        assert!(round.is_done());
    }
}
