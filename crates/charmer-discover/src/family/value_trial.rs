//! Switches that may take a value after all: a page that shows an option without one, and is seen to be wrong in that, is not
//! to be trusted about its other options either, so the program is asked about each of them.
//!
//! A program that prints its version behind a switch has read the switch alone; one that prints it only where a word
//! stands between both has read that word as the option's value.

use std::sync::OnceLock;

use charmer_core::model::ValueType;
use futures_util::future::join_all;

use super::{Asker, printed, told_below::says_lacking};
use crate::{
    fact::{Fact, Field, Origin},
    flags::Flags,
    probe::ProbeAnswer,
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The maximum number of options that are asked about, each of which is a start or two.
const MOST: usize = 64;

/// The last words of names that mostly stand for a value.
const VALUE_NAMES: [&str; 10] = [
    "cwd",
    "dir",
    "directory",
    "file",
    "path",
    "port",
    "host",
    "url",
    "timeout",
    "config",
];

/// The trials of one program.
#[derive(Default)]
pub(super) struct ValueTrial {
    /// The option of the root that an example gives a value and its row does not, once the page was read.
    doubtful: OnceLock<String>,
    /// The options of the root that were found to take a value: commands show them in the same way.
    valued: OnceLock<Vec<FlagSketch>>,
}

impl ValueTrial {
    /// Notes what the examples of the root's page say of its switches.
    pub(super) fn note(&self, text: &str, program: &str, flags: &Flags) {
        if let Some(name) = doubtful(text, program, flags) {
            let _ = self.doubtful.set(name);
        }
    }

    /// Asks about the root's switches that an example or their own name throws a doubt on, and about all of them if one is
    /// found to take a value.
    pub(super) async fn ask(&self, asker: &Asker<'_>, root: &mut CommandSketch) {
        if !root.path.is_root() {
            for flag in self.valued.get().into_iter().flatten() {
                if let Some(shown) = root.flag_mut(flag).filter(|it| it.is_switch()) {
                    shown.kind.learn(value());
                }
            }
            return;
        }
        let ends = |flag: &FlagSketch| matches!(&*flag.id(), "help" | "version");
        let open = root.flags.iter().filter(|it| it.is_switch() && !ends(it));
        let open = open.map(FlagSketch::clone);
        let (mut open, others): (Vec<FlagSketch>, Vec<FlagSketch>) = match self.doubtful.get() {
            Some(_) => (open.collect(), Vec::new()),
            None => open.partition(is_named_like_a_value),
        };
        if open.is_empty() {
            return;
        }
        // The option may be the only word that the program reads, and then it would do its work.
        let version = match asker.prober.is_confined() {
            true => asker.prober.run(&["--version"]).await,
            false => ProbeAnswer::default(),
        };
        let most = match version.succeeded() && first_line(&version).is_some() {
            true => MOST,
            false => 0,
        };
        let mut tried = Tried::default();
        tried
            .ask(asker, root, &version, &open[..open.len().min(most)])
            .await;
        if self.doubtful.get().is_none() && !tried.valued.is_empty() {
            let most = (most - open.len().min(most)).min(others.len());
            tried.ask(asker, root, &version, &others[..most]).await;
            open.extend(others);
        }
        let unknown = open.len() - tried.known;
        let first = tried.valued.first().map(FlagSketch::written);
        if let Some(wrong) = self.doubtful.get().cloned().or(first)
            && unknown > 0
        {
            root.warnings.push(format!(
                "its help does not show that `{wrong}` takes a value; {unknown} of its options that are taken for switches \
                 may take one as well"
            ));
        }
        let _ = self.valued.set(tried.valued);
    }
}

/// The outcome of trials.
#[derive(Default)]
struct Tried {
    /// The number of options that are known now.
    known: usize,
    /// Those that were found to take a value.
    valued: Vec<FlagSketch>,
}

impl Tried {
    async fn ask(
        &mut self,
        asker: &Asker<'_>,
        root: &mut CommandSketch,
        version: &ProbeAnswer,
        open: &[FlagSketch],
    ) {
        let version = first_line(version);
        let questions = open.iter().map(|flag| async move {
            let name = flag.written();
            let alone = asker.prober.run(&[&*name, "--version"]).await;
            if first_line(&alone) == version {
                return (flag, Some(false));
            }
            if says_lacking(flag, &alone) {
                return (flag, Some(true));
            }
            let with_word = asker.prober.run(&[&*name, "x", "--version"]).await;
            let takes_value = first_line(&with_word) == version;
            (flag, takes_value.then_some(true))
        });
        for (asked, takes_value) in join_all(questions).await {
            self.known += usize::from(takes_value.is_some());
            if takes_value == Some(true)
                && let Some(flag) = root.flag_mut(asked)
            {
                flag.kind.learn(value());
                self.valued.push(asked.clone());
            }
        }
    }
}

/// Returns true for `--cwd`, `--scope-dir`, `--scopeDir`: whoever says so mostly names one.
fn is_named_like_a_value(flag: &FlagSketch) -> bool {
    let long = flag.long.as_deref().unwrap_or_default();
    let mut words = long.split(['-', '_']);
    let first = words.next().unwrap_or_default();
    let last = words.next_back().unwrap_or(first);
    let small = |c: char| c.is_ascii_lowercase();
    let in_capitals = |word: &&&str| {
        let begins = last.len() - word.len().min(last.len());
        let (before, end) = last.split_at_checked(begins).unwrap_or((last, ""));
        before.ends_with(small)
            && end.starts_with(char::is_uppercase)
            && end.eq_ignore_ascii_case(word)
    };
    let is_value = VALUE_NAMES.contains(&last) || VALUE_NAMES.iter().any(|word| in_capitals(&word));
    is_value && !matches!(first, "no" | "list" | "show" | "print")
}

/// The kind of an option that was seen to take a value.
fn value() -> Fact<KindSketch> {
    Fact::new(KindSketch::single(ValueType::String), Origin::Probe)
}

fn first_line(answer: &ProbeAnswer) -> Option<&str> {
    let mut lines = printed(answer).lines().map(str::trim);
    lines.find(|line| !line.is_empty())
}

/// A switch that an example of the program gives a word in quotes.
fn doubtful(text: &str, program: &str, flags: &Flags) -> Option<String> {
    let begins = format!("{program} ");
    let lines = text
        .lines()
        .map(|line| line.trim().trim_start_matches("$ "));
    let mut pairs = lines
        .filter(|line| line.starts_with(&begins))
        .flat_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let pairs: Vec<_> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
            pairs
        });
    pairs.find_map(|(name, value)| {
        let is_it =
            |flag: &FlagSketch| flag.is_switch() && flag.names().iter().any(|it| it == name);
        let quoted = value.starts_with(['"', '\'']);
        (quoted && flags.iter().any(is_it)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::getopt::getopt_flags;

    #[test]
    fn names_of_values() {
        for (long, expected) in [
            ("cwd", true),
            ("scope-dir", true),
            ("scopeDir", true),
            ("no-config", false),
            ("dirs", false),
            ("subdir", false),
            ("print-path", false),
        ] {
            assert_eq!(
                is_named_like_a_value(&FlagSketch::long(long)),
                expected,
                "{long}"
            );
        }
    }

    #[test]
    fn an_example_may_give_a_switch_a_value() {
        let options =
            "  -g, --glaze   colours to put on\n  -k, --kind x  kind\n  -d, --dry     dry first\n";
        let flags = Flags::from(getopt_flags(options).0);
        for (example, expected) in [
            ("  $ kiln -d -g \"red blue\"", Some("-g")),
            ("kiln pot --glaze 'red'", Some("--glaze")),
            ("  $ kiln -k \"red blue\" -d pot", None),
            ("  $ oven -g \"red blue\"", None),
            ("  say -g \"red blue\"", None),
        ] {
            let found = doubtful(&format!("{options}\n{example}\n"), "kiln", &flags);
            assert_eq!(found.as_deref(), expected, "{example}");
        }
    }
}
