//! Questions to a clap program besides its help: the full list of its commands, and the types of values.
//!
//! Every command line here ends in `--help`, behind nothing but flags that help lists with their values attached: clap
//! stops there, and runs nothing. Positionals are only tried where none could swallow the `--help`.

use std::ffi::OsString;

use charmer_core::model::{Arguments, FlagValue, Positional, Repetition, ValueType};

use super::{
    Clap,
    answer::{self, ParserAnswer, ParserWords},
    listing,
    wrong_values::{self, Round, ValueQuestion, ValueVerdict},
};
use crate::{
    fact::{Fact, Origin},
    family::{Asker, printed},
    sketch::{ChildSketch, CommandSketch, FlagSketch, KindSketch},
};

/// The maximum number of questions that a command is worth.
const MOST: usize = 100;

impl Clap {
    pub(super) async fn ask(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        if sketch.about.is_none()
            && let Some(long) = &sketch.long_about
        {
            let first = long.value.split("\n\n").next().unwrap_or_default();
            sketch.about = Some(Fact::new(first.to_owned(), Origin::Help));
        }
        mark_deprecated(sketch);
        if sketch.usage.is_none() || self.is_external(&sketch.path) {
            return;
        }
        if sketch.path.is_root() {
            self.list(asker, sketch).await;
        }
        self.ask_flags(asker, sketch).await;
        // Older versions show help before they read values: that they do says nothing.
        let in_order = self.memory().modern;
        if in_order {
            self.ask_negations(asker, sketch).await;
            ask_positionals(asker, sketch).await;
        }
        for flag in &mut sketch.flags {
            settle_default(flag);
        }
    }

    /// Asks for all commands where help says that it shows only some.
    async fn list(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let Some(option) = self.memory().listing.clone() else {
            return;
        };
        let known = sketch.flags.iter().any(|flag| {
            let switch = flag
                .kind
                .as_ref()
                .is_some_and(|kind| kind.value.value == FlagValue::None);
            switch && flag.written() == option
        });
        if !known {
            return;
        }
        let answer = asker.prober.run(&[&option]).await;
        if !answer.succeeded() {
            return;
        }
        let listed = listing::read(&answer.stdout);
        let mut aliases = Vec::new();
        for command in listed {
            if let Some(target) = command.alias_of() {
                aliases.push((target.to_owned(), command.name));
                continue;
            }
            if command.name == "help" {
                continue;
            }
            // Another program, either beside this one or unknown to it but for its name, is asked for nothing but
            // its help, and only where it can do no harm.
            let file = format!("{}-{}", asker.binary.name(), command.name);
            let beside = asker.prober.program().with_file_name(file);
            let plugin = command.about.is_empty() || beside.exists();
            if plugin && asker.prober.is_confined() {
                self.memory().external.push(command.name.clone());
            } else if plugin {
                self.memory().plugins.push(command.name.clone());
            }
            sketch.add_child(ChildSketch {
                name: command.name,
                about: (!command.about.is_empty()).then(|| Fact::new(command.about, Origin::Help)),
                certain: plugin,
                ..ChildSketch::default()
            });
        }
        for (target, alias) in aliases {
            let child = sketch
                .children
                .iter_mut()
                .find(|child| child.name == target);
            if let Some(child) = child.filter(|child| !child.aliases.contains(&alias)) {
                child.aliases.push(alias);
            }
        }
    }

    /// Finds out the types of flags, and which may be repeated. Flags that several commands share are asked about once.
    async fn ask_flags(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let in_order = self.memory().modern;
        let mut open: Vec<FlagSketch> = sketch.flags.iter().cloned().collect();
        open.retain(|flag| ValueQuestion::about(flag).is_some());
        let mut spent = 0;
        while !open.is_empty() && spent < MOST {
            let learnt = self.learnt.notified();
            tokio::pin!(learnt);
            // From here on nothing that is learnt goes unnoticed.
            learnt.as_mut().enable();
            let mine = self.claim(&mut open, sketch);
            if mine.is_empty() {
                if !open.is_empty() {
                    learnt.await;
                }
                continue;
            }
            let mut round = Round::new(mine.iter().filter_map(ValueQuestion::about).collect());
            while !round.is_done() && spent < MOST {
                spent += 1;
                let path = sketch.path.words().iter().map(OsString::from);
                let argv: Vec<OsString> = path
                    .chain(round.elements())
                    .chain(["--help".into()])
                    .collect();
                let answer = asker.prober.run(&argv).await;
                let heard = answer::heard(said(&answer), answer.succeeded(), &mine);
                round.learn(heard, in_order);
            }
            self.publish(&mine, &round);
        }
    }

    /// Applies what is known by now, and takes on what nobody else is asking about.
    fn claim(&self, open: &mut Vec<FlagSketch>, sketch: &mut CommandSketch) -> Vec<FlagSketch> {
        let mut memory = self.memory();
        open.retain(
            |flag| match memory.wrong_values.verdicts.get(&wrong_values::key(flag)) {
                Some(verdict) => {
                    if let Some(flag) = sketch.flag_mut(flag) {
                        apply(flag, verdict);
                    }
                    false
                }
                None => true,
            },
        );
        let mine = open
            .iter()
            .filter(|flag| memory.wrong_values.asked.insert(wrong_values::key(flag)));
        mine.cloned().collect()
    }

    fn publish(&self, mine: &[FlagSketch], round: &Round) {
        let mut memory = self.memory();
        for flag in mine {
            let question = round
                .questions
                .iter()
                .find(|question| question.name == flag.written());
            let verdict = question
                .map(|question| question.verdict.clone())
                .unwrap_or_default();
            memory
                .wrong_values
                .verdicts
                .insert(wrong_values::key(flag), verdict);
        }
        drop(memory);
        self.learnt.notify_waiters();
    }
}

/// An error goes to standard error, help to standard output.
fn said(answer: &crate::probe::ProbeAnswer) -> &str {
    if answer.succeeded() {
        printed(answer)
    } else {
        &answer.stderr
    }
}

/// Takes over what was found out about a flag.
pub(super) fn apply(flag: &mut FlagSketch, verdict: &ValueVerdict) {
    let Some(kind) = &mut flag.kind else { return };
    let mut found: KindSketch = kind.value.clone();
    let choices_known = flag.choices.is_some();
    if let Some(value_type) = &verdict.value_type
        && !choices_known
    {
        let default = flag.default.iter().flat_map(|default| &default.value);
        found.value_type = fitting(value_type, default);
    }
    let repeats = verdict
        .repeats
        .or(says_repeated(flag.help.as_ref()).then_some(true));
    match (repeats, &mut found.repetition) {
        // So many at once, each time.
        (Some(repeats), Repetition::Fixed { repeat, .. }) => *repeat = repeats,
        (Some(true), _) => {
            let delimiter = splits_at_commas(flag.help.as_ref()).then_some(',');
            found.repetition = Repetition::Repeat { delimiter };
        }
        // What shows dots but cannot be repeated takes several values at once.
        (Some(false), repetition) if *repetition != Repetition::Single => {
            *repetition = Repetition::Span { min: 1, max: None };
        }
        _ => {}
    }
    if verdict.value_type.is_some() || repeats.is_some() {
        *kind = Fact::new(found, Origin::Probe);
    }
    if !verdict.choices.is_empty() && !choices_known {
        flag.choices = Some(Fact::new(verdict.choices.clone(), Origin::Probe));
    }
}

/// The type, unless a default is no value of it: then the author's own parser reads more than numbers (`10k`), or
/// greater ones.
fn fitting<'a>(value_type: &ValueType, defaults: impl Iterator<Item = &'a String>) -> ValueType {
    for default in defaults {
        let fits = match value_type {
            ValueType::Integer { min, max } => {
                let number = default.parse::<i128>().ok();
                number.is_some_and(|number| (min..=max).contains(&&number))
            }
            ValueType::Number => default.parse::<f64>().is_ok(),
            _ => true,
        };
        if !fits {
            let digits = default.strip_prefix('-').unwrap_or(default);
            let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
            let signed = digits.len() < default.len();
            return if whole {
                ValueType::BigInteger { signed }
            } else {
                ValueType::String
            };
        }
    }
    value_type.clone()
}

/// Returns true if the text says so: it counts where the parser could not be asked.
fn says_repeated(help: Option<&Fact<String>>) -> bool {
    let text = help
        .map(|help| help.value.to_lowercase())
        .unwrap_or_default();
    [
        "multiple times",
        "more than once",
        "be repeated",
        "several times",
    ]
    .iter()
    .any(|words| text.contains(words))
        && !text.contains("cannot")
}

fn splits_at_commas(help: Option<&Fact<String>>) -> bool {
    let text = help
        .map(|help| help.value.to_lowercase())
        .unwrap_or_default();
    ["comma-separated", "comma separated", "separated by comma"]
        .iter()
        .any(|words| text.contains(words))
}

/// Several words are several values only where several are taken.
pub(super) fn settle_default(flag: &mut FlagSketch) {
    let single = flag
        .kind
        .as_ref()
        .is_some_and(|kind| kind.value.repetition == Repetition::Single);
    if let Some(default) = &mut flag.default
        && single
        && default.value.len() > 1
    {
        default.value = vec![default.value.join(" ")];
    }
}

/// Words at the start of a text that say that something should not be used.
fn mark_deprecated(sketch: &mut CommandSketch) {
    fn is_deprecated(text: &str) -> bool {
        let lower = text.to_lowercase();
        [
            "deprecated",
            "[deprecated",
            "(deprecated",
            "removed:",
            "[removed",
        ]
        .iter()
        .any(|word| lower.starts_with(word))
    }
    let about = sketch
        .about
        .as_ref()
        .filter(|about| is_deprecated(&about.value));
    sketch.deprecated = about.cloned();
    for flag in &mut sketch.flags {
        let help = flag.help.as_ref().filter(|help| is_deprecated(&help.value));
        flag.deprecated = help.cloned();
    }
}

/// Finds out the types of positionals, where none of them could take the `--help` behind them for a value.
async fn ask_positionals(asker: &Asker<'_>, sketch: &mut CommandSketch) {
    let Some(mut questions) = positional_questions(sketch) else {
        return;
    };
    for _ in 0..3 * questions.len() + 1 {
        if questions.iter().all(ValueQuestion::is_done) {
            break;
        }
        let path = sketch.path.words().iter().map(OsString::from);
        let values = positional_values(&questions);
        let argv: Vec<OsString> = path.chain(values).chain(["--help".into()]).collect();
        let answer = asker.prober.run(&argv).await;
        let heard = answer::heard(said(&answer), answer.succeeded(), &sketch.flags);
        if !learn_positionals(&mut questions, heard) {
            return;
        }
    }
    apply_positionals(sketch, &questions);
}

/// The questions, if it is safe to ask them and there is one worth asking.
pub(super) fn positional_questions(sketch: &CommandSketch) -> Option<Vec<ValueQuestion>> {
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_ref().map(|fact| &fact.value) else {
        return None;
    };
    let swallows = |positional: &Positional| {
        positional.variadic || positional.last || positional.external || positional.id.is_empty()
    };
    let open = |positional: &Positional| {
        positional.choices.is_empty()
            && matches!(positional.value_type, ValueType::String | ValueType::Path)
    };
    if !sketch.children.is_empty() || listed.iter().any(swallows) || !listed.iter().any(open) {
        return None;
    }
    let question = |positional: &Positional| {
        let good = positional
            .choices
            .first()
            .map(|choice| choice.value.as_str());
        let path = positional.value_type == ValueType::Path;
        ValueQuestion::positional(&positional.id, path, good)
    };
    Some(listed.iter().map(question).collect())
}

/// The question whose turn it is to be asked with bytes.
fn turn(questions: &[ValueQuestion]) -> Option<usize> {
    questions.iter().position(ValueQuestion::is_about_bytes)
}

/// The values to try, in order.
pub(super) fn positional_values(questions: &[ValueQuestion]) -> Vec<OsString> {
    let turn = turn(questions);
    let waits = |at: usize| questions[at].is_about_bytes() && turn != Some(at);
    (0..questions.len())
        .map(|at| questions[at].value(waits(at)))
        .collect()
}

/// Takes in an answer; whether there is sense in asking on.
pub(super) fn learn_positionals(questions: &mut [ValueQuestion], heard: ParserWords) -> bool {
    let turn = turn(questions);
    let accepted = |questions: &mut [ValueQuestion]| {
        for (at, question) in questions.iter_mut().enumerate() {
            let waits = question.is_about_bytes() && turn != Some(at);
            if !question.is_done() && !waits {
                question.learn(ParserAnswer::Accepted);
            }
        }
    };
    match heard {
        ParserWords::Help => accepted(questions),
        ParserWords::NotText => match turn {
            Some(at) => questions[at].learn(ParserAnswer::NotText),
            None => return false,
        },
        ParserWords::About(name, outcome) => {
            let name = super::usage::property(&name);
            let at = questions.iter().position(|question| question.name == name);
            let Some(at) = at.filter(|&at| !questions[at].is_done()) else {
                return false;
            };
            accepted(&mut questions[..at]);
            questions[at].learn(outcome);
        }
        ParserWords::Unclear => return false,
    }
    true
}

/// Takes over what was found out about positionals.
pub(super) fn apply_positionals(sketch: &mut CommandSketch, questions: &[ValueQuestion]) {
    let Some(fact) = &mut sketch.arguments else {
        return;
    };
    let Arguments::Listed(listed) = &mut fact.value else {
        return;
    };
    for (positional, question) in listed.iter_mut().zip(questions) {
        let verdict = &question.verdict;
        if !positional.choices.is_empty() {
            continue;
        }
        match &verdict.value_type {
            None => {}
            // Where bytes cannot be asked with, what the name says may still be right.
            Some(ValueType::String) if !cfg!(unix) => {}
            Some(value_type) => positional.value_type = value_type.clone(),
        }
        positional.choices.clone_from(&verdict.choices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_gives_the_authors_own_parser_away() {
        let fit = |default: &str| fitting(&ValueType::UINT, [default.to_owned()].iter());
        assert_eq!(fit("7"), ValueType::UINT);
        assert_eq!(fit("7k"), ValueType::String);
        assert_eq!(
            fit("340282366920938463463374607431768211455"),
            ValueType::BigInteger { signed: false }
        );
    }

    #[test]
    fn dots_without_repetition_are_several_values_at_once() {
        let mut flag = FlagSketch::long("pots");
        flag.kind = Some(Fact::new(
            KindSketch::repeated(ValueType::String),
            Origin::Help,
        ));
        let verdict = ValueVerdict {
            repeats: Some(false),
            ..ValueVerdict::default()
        };
        apply(&mut flag, &verdict);
        let kind = flag.kind.expect("a kind");
        assert_eq!(
            kind.value.repetition,
            Repetition::Span { min: 1, max: None }
        );
        assert_eq!(kind.source.origin, Origin::Probe);
    }

    #[test]
    fn positionals_are_not_tried_where_one_could_take_the_help_flag() {
        let mut sketch = CommandSketch::new("fire".into());
        let listed = |positional| {
            Some(Fact::new(
                Arguments::Listed(vec![positional]),
                Origin::Usage,
            ))
        };
        sketch.arguments = listed(Positional::new("pot"));
        assert!(positional_questions(&sketch).is_some());
        sketch.arguments = listed(Positional::new("pot").variadic());
        assert!(positional_questions(&sketch).is_none());
        sketch.arguments = listed(Positional::new("pot").last());
        assert!(positional_questions(&sketch).is_none());
    }
}
