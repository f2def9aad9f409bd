//! Switches that may take a value after all: a page that shows an option without one and gives it one in an example is not
//! to be trusted about its other options either, so the program is asked about each of them.
//!
//! A program that prints its version behind a switch has read the switch alone; one that prints it only where a word
//! stands between both has read that word as the option's value.

use std::sync::OnceLock;

use charmer_core::model::ValueType;
use futures_util::future::join_all;

use super::{Asker, printed};
use crate::{
    fact::{Fact, Field, Origin},
    flags::Flags,
    probe::ProbeAnswer,
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The maximum number of options that are asked about, each of which is a start or two.
const MOST: usize = 64;

/// The option of the root that an example gives a value and its row does not, once the page was read.
#[derive(Debug, Default)]
pub(super) struct ValueTrial(OnceLock<String>);

impl ValueTrial {
    /// Notes what the examples of the root's page say of its switches.
    pub(super) fn note(&self, text: &str, program: &str, flags: &Flags) {
        if let Some(name) = doubtful(text, program, flags) {
            let _ = self.0.set(name);
        }
    }

    /// Asks about the root's switches, if there is a doubt about one.
    pub(super) async fn ask(&self, asker: &Asker<'_>, root: &mut CommandSketch) {
        let Some(doubtful) = self.0.get().filter(|_| root.path.is_root()) else {
            return;
        };
        let ends = |flag: &FlagSketch| matches!(&*flag.id(), "help" | "version");
        let open = root.flags.iter().filter(|it| it.is_switch() && !ends(it));
        let open: Vec<FlagSketch> = open.map(|flag| FlagSketch::clone(flag)).collect();
        // The option may be the only word that the program reads, and then it would do its work.
        let version = match asker.prober.is_confined() {
            true => asker.prober.run(&["--version"]).await,
            false => ProbeAnswer::default(),
        };
        let most = match version.succeeded() && first_line(&version).is_some() {
            true => MOST,
            false => 0,
        };
        let version = first_line(&version);
        let questions = open.iter().take(most).map(|flag| async move {
            let name = flag.written();
            let alone = asker.prober.run(&[&*name, "--version"]).await;
            if first_line(&alone) == version {
                return (flag, Some(false));
            }
            let with_word = asker.prober.run(&[&*name, "x", "--version"]).await;
            let takes_value = first_line(&with_word) == version;
            (flag, takes_value.then_some(true))
        });
        let mut unknown = open.len().saturating_sub(most);
        for (asked, takes_value) in join_all(questions).await {
            match (root.flag_mut(asked), takes_value) {
                (Some(flag), Some(true)) => {
                    let kind = KindSketch::single(ValueType::String);
                    flag.kind.learn(Fact::new(kind, Origin::Probe));
                }
                (_, Some(false)) => {}
                _ => unknown += 1,
            }
        }
        if unknown > 0 {
            root.warnings.push(format!(
                "its help does not show that `{doubtful}` takes a value, and an example gives it one; {unknown} of its other \
                 options that are taken for switches may take one as well"
            ));
        }
    }
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
        (quoted && flags.iter().any(|flag| is_it(flag))).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::getopt::getopt_flags;

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
