//! Switches whose opposite stands in their text alone: authors hide `--no-fix` and write `Use --no-fix to disable`.
//!
//! The program is asked whether it has them, with command lines that end in `--help` behind nothing but switches: clap
//! refuses the first that it does not know, and shows its help otherwise.

use super::Clap;
use crate::{family::Asker, help::opposite_in, sketch::CommandSketch};

/// The number of names, refused one after the other, that are left out before the others are given up.
const ROUNDS: usize = 3;

impl Clap {
    /// Asks for the opposites that texts name and no row shows; those that another command has are known.
    pub(super) async fn ask_negations(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let mut named = named(sketch);
        for _ in 0..ROUNDS {
            let known = |name: &String| self.memory().negations.contains(name);
            let open: Vec<String> = named
                .iter()
                .map(|(_, name)| name.clone())
                .filter(|name| !known(name))
                .collect();
            if open.is_empty() {
                break;
            }
            let mut words = sketch.path.words().to_vec();
            words.extend(open.iter().map(|name| format!("--{name}")));
            words.push("--help".into());
            let answer = asker.prober.run(&words).await;
            if answer.succeeded() {
                self.memory().negations.extend(open);
                break;
            }
            let before = named.len();
            named.retain(|(_, name)| !answer.stderr.contains(&format!("'--{name}'")));
            if named.len() == before {
                return;
            }
        }
        for (at, name) in named {
            if self.memory().negations.contains(&name) {
                sketch.flags[at].negation = Some(name);
            }
        }
    }
}

/// The places of switches with the names that their texts give their opposites.
fn named(sketch: &CommandSketch) -> Vec<(usize, String)> {
    let flags = sketch.flags.iter().enumerate();
    let named = flags.filter(|(_, flag)| flag.is_switch() && flag.negation.is_none());
    named
        .filter_map(|(at, flag)| {
            let text = &flag.help.as_ref()?.value;
            Some((at, opposite_in(text, flag.long.as_deref()?)?))
        })
        // One that has a row is a flag of its own.
        .filter(|(_, name)| {
            let shown = |flag: &crate::sketch::FlagSketch| {
                flag.long.as_ref() == Some(name) || flag.aliases.contains(name)
            };
            !sketch.flags.iter().any(shown)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use charmer_core::model::CommandPath;

    use super::*;
    use crate::{
        fact::{Fact, Origin},
        sketch::{FlagSketch, KindSketch},
    };

    #[test]
    fn only_opposites_without_a_row_are_asked_for() {
        let mut sketch = CommandSketch::new(CommandPath::root());
        for (name, text) in [
            ("glaze", "Glaze the pot. Use `--no-glaze` to disable"),
            ("lid", "With a lid. Use `--no-lid` to disable"),
            ("no-lid", "Without a lid"),
            ("dry", "Dry it first"),
        ] {
            sketch.add_flag(FlagSketch {
                kind: Some(Fact::new(KindSketch::switch(), Origin::Help)),
                help: Some(Fact::new(text.into(), Origin::Help)),
                ..FlagSketch::long(name)
            });
        }
        assert_eq!(named(&sketch), [(0, "no-glaze".to_owned())]);
    }
}
