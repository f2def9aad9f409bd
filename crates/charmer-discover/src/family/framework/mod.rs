//! Frameworks whose programs can be told by the layout of their help alone: a file for each, and what they share.
//!
//! `page` cuts a help text and reads its lists, `usage` its usage line, `flag` and `notes` a row of options. A
//! [`HelpStyle`] puts them together as its framework prints them; [`Framework`] makes a family of it.

mod colons;
mod commander;
mod flag;
mod kong;
mod notes;
mod oclif;
mod page;
mod picocli;
mod symfony;
mod thor;
mod urfave;
mod usage;
mod yargs;

use std::{
    collections::{BTreeMap, BTreeSet},
    marker::PhantomData,
    sync::{Mutex, PoisonError},
};

use charmer_core::model::{CommandPath, Syntax};

use super::{Asker, Family, Page, Refining, Signs, Sketches};
use crate::{
    fact::{Fact, Origin},
    flags::Flags,
    sketch::{CommandSketch, FlagScope, FlagSketch},
};

/// The way a framework prints help, and how its programs read a command line.
pub(super) trait HelpStyle: Send + Sync {
    /// The framework's name.
    const NAME: &'static str;

    /// A command's page repeats the flags of the commands above it, all of which it takes.
    const REPEATS_INHERITED: bool = false;

    /// The certainty that a text is the help of such a program, from 0 to 100.
    fn recognise(text: &str) -> u8;

    /// The way its programs read a command line.
    fn syntax() -> Syntax;

    /// The command lines that show a command's help.
    fn help_requests(path: &CommandPath) -> Vec<Vec<String>> {
        vec![followed_by(path, "--help")]
    }

    /// Puts commands where they are called, when all have been read.
    fn finish(_: &mut Sketches) {}

    /// Asks what a command's help leaves open.
    fn refine<'a>(_: &'a Asker<'a>, _: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async {})
    }

    /// Reads a help text; `None` if it is not that of the command.
    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch>;
}

/// The words of a path and one more.
fn followed_by(path: &CommandPath, word: &str) -> Vec<String> {
    let mut words = path.words().to_vec();
    words.push(word.into());
    words
}

/// The family of a dialect's programs.
pub(super) struct Framework<D> {
    /// The flags that the page of each command shows.
    shown: Mutex<BTreeMap<CommandPath, Flags>>,
    dialect: PhantomData<D>,
}

impl<D> Default for Framework<D> {
    fn default() -> Self {
        Self {
            shown: Mutex::default(),
            dialect: PhantomData,
        }
    }
}

impl<D: HelpStyle> Framework<D> {
    /// Marks the flags that the page of a command above shows too.
    fn mark_inherited(&self, sketch: &mut CommandSketch) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let words = sketch.path.words();
        let above = (0..words.len()).rev();
        let above = above.map(|length| words[..length].iter().cloned().collect::<CommandPath>());
        // A namespace shows none.
        let of_above = above
            .filter_map(|path| shown.get(&path))
            .find(|flags| !flags.is_empty());
        let all = sketch.flags.clone();
        for flag in &mut sketch.flags {
            let same = |known: &&FlagSketch| known.is_same(flag) && known.kind == flag.kind;
            if of_above.is_some_and(|known| known.iter().find(same).is_some()) {
                flag.scope = Some(Fact::new(FlagScope::Inherited, Origin::Help));
            }
        }
        shown.insert(sketch.path.clone(), all);
    }
}

impl<D: HelpStyle> Family for Framework<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        D::recognise(&page::normal(signs.text()))
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        D::syntax()
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        D::help_requests(path)
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let mut sketch = D::read(&page::normal(page.text()), page.program, page.path)?;
        if D::REPEATS_INHERITED {
            self.mark_inherited(&mut sketch);
        }
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        D::refine(asker, sketch)
    }

    fn finish<'a>(&'a self, _: &'a Asker<'a>, sketches: &'a mut Sketches) -> Refining<'a> {
        D::finish(sketches);
        drop_aliases(sketches);
        Box::pin(async {})
    }
}

/// Leaves out commands that are another's other name: some programs list both.
fn drop_aliases(sketches: &mut Sketches) {
    let mut others: BTreeSet<CommandPath> = BTreeSet::new();
    for (path, sketch) in sketches.iter() {
        let Some((name, above)) = path.words().split_last() else {
            continue;
        };
        let above: CommandPath = above.iter().cloned().collect();
        for alias in sketch.aliases.iter().filter(|alias| *alias != name) {
            let other = above.child(alias.as_str());
            let known = sketches.get(&other);
            let back = known.is_some_and(|other| other.aliases.contains(name));
            // Of two that name each other the first stays.
            if !back || *path < other {
                others.insert(other);
            }
        }
    }
    let below = |path: &CommandPath| {
        let mut lengths = 1..=path.words().len();
        lengths.any(|length| others.contains(&path.words()[..length].iter().cloned().collect()))
    };
    sketches.retain(|path, _| !below(path));
}

/// Every framework.
pub(super) fn frameworks() -> Vec<Box<dyn Family>> {
    vec![
        Box::<Framework<urfave::Urfave>>::default(),
        Box::<Framework<kong::Kong>>::default(),
        Box::<Framework<kong::Kingpin>>::default(),
        Box::<Framework<oclif::Oclif>>::default(),
        Box::<Framework<commander::Commander>>::default(),
        Box::<Framework<commander::Cac>>::default(),
        Box::<Framework<yargs::Yargs>>::default(),
        Box::<Framework<picocli::Picocli>>::default(),
        Box::<Framework<symfony::Symfony>>::default(),
        Box::<Framework<thor::Thor>>::default(),
    ]
}

#[cfg(test)]
mod tests;
