//! Trials of the place behind a command's positionals: whether flags may still stand there, and what `--` does.
//!
//! Most Cobra commands take flags anywhere; those that run another program (`docker run IMAGE COMMAND -la`) stop at the
//! first positional. Completion parses flags without running anything, so a flag that nobody has tells: where it is
//! refused behind a positional, flags are read there.

use std::collections::BTreeMap;

use charmer_core::model::{Arguments, CommandPath, DoubleDash, Positional};
use futures_util::future::join_all;

use super::{
    Asker, Cobra, CommandSketch, Fact, Origin, Sketches,
    listed::twin_key,
    shown::{self, ShownLine},
};

/// A flag that no program has.
const NO_FLAG: &str = "--charmer-no-such-flag";
/// The number of commands whose usage ends alike that are no accident.
const MANY: usize = 8;
/// A positional that means nothing.
const NO_WORD: &str = "charmer-no-such-thing";

impl Cobra {
    /// Asks every command that may pass arguments on, and notes of all others what `--` does.
    pub(super) async fn learn_behind(&self, asker: &Asker<'_>, sketches: &mut Sketches) {
        // A command under several paths is asked once.
        let mut same: BTreeMap<CommandPath, Vec<CommandPath>> = BTreeMap::new();
        let usual = usual_tail(sketches.values());
        let asked = sketches.values().filter(|sketch| may_pass_on(sketch));
        for sketch in asked.filter(|sketch| !usual || !has_tail_alone(sketch)) {
            let key = twin_key(sketch).unwrap_or_else(|| sketch.path.clone());
            same.entry(key).or_default().push(sketch.path.clone());
        }
        let trials = same.into_values().map(|paths| async move {
            let ends = self.options_end(asker, &paths[0]).await;
            (paths, ends)
        });
        for (paths, ends) in join_all(trials.collect::<Vec<_>>()).await {
            for path in paths.iter().filter(|_| ends == Some(true)) {
                if let Some(sketch) = sketches.get_mut(path) {
                    sketch.options_end_behind = Some(Fact::new(1, Origin::Probe));
                }
            }
        }
        let (program, globals) = (shown::program(sketches), shown::globals(sketches));
        for sketch in sketches.values_mut() {
            let lines = shown::shown(sketch, &program, &globals);
            if ends_flags(sketch, &lines) {
                let neutral = Fact::new(DoubleDash::Neutral, Origin::Convention);
                sketch.double_dash = Some(neutral);
            }
        }
    }

    /// Tells whether a command reads no flags behind its first positional; `None` where it refuses no flag at all,
    /// because it reads them itself.
    async fn options_end(&self, asker: &Asker<'_>, path: &CommandPath) -> Option<bool> {
        // With `--help` before it Cobra completes nothing, so that no code of the application is called.
        let trial = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let behind = trial(&["--help", NO_WORD, NO_FLAG]);
        if self.complete(asker, path, &behind, "-").await?.unknown_flag {
            return Some(false);
        }
        let before = trial(&["--help", NO_FLAG, NO_WORD]);
        let refused = self.complete(asker, path, &before, "-").await?.unknown_flag;
        refused.then_some(true)
    }
}

/// Returns true if the last positional looks like the arguments of something else: a list behind another positional, or
/// one that is called so. Which it is, the trial tells; this only saves those that could tell nothing.
fn may_pass_on(sketch: &CommandSketch) -> bool {
    let runs = sketch.runnable.as_ref().is_none_or(|fact| fact.value);
    let listed = match sketch.arguments.as_ref().map(|fact| &fact.value) {
        Some(Arguments::Listed(listed)) => listed,
        // `CONTAINER [ps OPTIONS]`
        Some(Arguments::Pattern(pattern)) => return runs && pattern.ends_with("OPTIONS]"),
        None => return false,
    };
    let Some((last, before)) = listed.split_last() else {
        return false;
    };
    let is_command = |positional: &Positional| {
        let name = positional.id.to_lowercase();
        let words = ["command", "cmd", "arg", "args", "options"];
        name.split(['_', '-']).any(|part| words.contains(&part))
    };
    runs && !last.last && (last.variadic && !before.is_empty() || is_command(last))
}

/// Returns true if nothing but `[args]` stands behind the name and the flags of a command.
fn has_tail_alone(sketch: &CommandSketch) -> bool {
    match sketch.arguments.as_ref().map(|fact| &fact.value) {
        Some(Arguments::Listed(listed)) => {
            matches!(&listed[..], [only] if only.id.eq_ignore_ascii_case("args"))
        }
        _ => false,
    }
}

/// Returns true if that stands in the usage of so many commands that a framework has put it there: it says of none of
/// them that it passes arguments on.
fn usual_tail<'a>(sketches: impl Iterator<Item = &'a CommandSketch>) -> bool {
    let runs = |sketch: &&CommandSketch| sketch.runnable.as_ref().is_none_or(|fact| fact.value);
    let (with, without): (Vec<_>, Vec<_>) = sketches
        .filter(runs)
        .partition(|sketch| has_tail_alone(sketch));
    with.len() >= MANY && with.len() > without.len()
}

/// Returns true if a `--` only ends the flags: pflag takes it so, and an application that gives it a meaning of its own
/// says so in its usage or its examples. Examples in which it stands before all positionals say nothing else.
fn ends_flags(sketch: &CommandSketch, lines: &[ShownLine]) -> bool {
    let texts = [&sketch.usage, &sketch.long_about];
    let mut texts = texts.into_iter().flatten();
    let dashes = |text: &str| {
        let words = text.split([' ', '\n', '\t', '[', ']', '`']);
        words.filter(|word| *word == "--").count()
    };
    let shown = |text: &str| dashes(text) > 0;
    let plain = lines
        .iter()
        .filter(|line| line.dashes && line.positionals == 0);
    let examples = sketch.examples.as_ref();
    let examples = examples.map_or(0, |fact| dashes(&fact.value));
    if plain.count() < examples {
        return false;
    }
    let has_positionals = match sketch.arguments.as_ref().map(|fact| &fact.value) {
        Some(Arguments::Listed(listed)) => !listed.is_empty(),
        Some(Arguments::Pattern(pattern)) => !pattern.is_empty(),
        None => false,
    };
    has_positionals && !sketch.flags.is_empty() && !texts.any(|text| shown(&text.value))
}

#[cfg(test)]
mod tests {
    use charmer_core::model::parse_usage;

    use super::*;

    fn sketch(pattern: &str, examples: &str) -> CommandSketch {
        let mut sketch = CommandSketch::new(CommandPath::root().child("go"));
        sketch.flags = super::super::pflag::flags(&["      --all   All"]).into();
        sketch.arguments = Some(Fact::new(parse_usage(pattern), Origin::Usage));
        sketch.usage = Some(Fact::new(format!("p go {pattern}"), Origin::Usage));
        sketch.examples = Some(Fact::new(examples.into(), Origin::Help));
        sketch
    }

    #[test]
    fn only_what_could_pass_arguments_on_is_asked() {
        for (pattern, expected) in [
            ("IMAGE [COMMAND] [ARG...]", true),
            ("[ARG...]", true),
            ("NAME [COMMAND]", true),
            ("NAME", false),
            ("NAME [NAME...]", false),
            ("NAME -- COMMAND [ARG...]", false),
            ("", false),
        ] {
            assert_eq!(may_pass_on(&sketch(pattern, "")), expected, "{pattern}");
        }
    }

    #[test]
    fn a_word_for_arguments_that_most_commands_have_says_nothing_of_one() {
        let (tail, own) = (sketch("[args]", ""), sketch("NAME [args]", ""));
        assert!(has_tail_alone(&tail) && !has_tail_alone(&own));
        let usual = |tails: usize, others: usize| {
            let tails = std::iter::repeat_n(&tail, tails);
            usual_tail(tails.chain(std::iter::repeat_n(&own, others)))
        };
        assert!(usual(MANY, 3));
        assert!(!usual(MANY - 1, 0), "so few may be meant");
        assert!(!usual(MANY, MANY), "others have none");
    }

    #[test]
    fn dashes_that_are_shown_mean_something() {
        let ends = |pattern, examples| {
            let sketch = sketch(pattern, examples);
            ends_flags(&sketch, &shown::shown(&sketch, "p", &[]))
        };
        assert!(ends("NUMBER", "p go 5 --all"));
        assert!(!ends("NUMBER", "p go 5 -- ls -l"));
        assert!(!ends("NAME [-- COMMAND]", ""));
        assert!(!ends("", ""));
        // Before all positionals they can only end the flags, if every line shows them so.
        assert!(ends("[QUERY]", "$ p go --all -- -label:bug"));
        assert!(!ends("[QUERY]", "p go -- -a\np go 5 -- ls"));
        assert!(!ends("[QUERY]", "p go -- -a | p go 5 -- ls"));
    }
}
