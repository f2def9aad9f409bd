//! The families of programs: how each shows its help, and what else it can be asked.
//!
//! A family is one file: a type that implements [`Family`], added to [`families`]. It is chosen by how well it
//! recognises a program's first answers.

mod argparse;
mod clap;
mod click;
#[cfg(test)]
mod clock;
mod cobra;
mod expression;
mod fallback;
mod first_word;
mod framework;
mod further;
mod getopt;
mod gnu;
mod goflag;
mod hand_on;
mod in_place;
mod long_value;
mod manual_page;
mod objects;
mod optparse;
mod pages;
mod parse_options;
mod pattern;
mod python;
mod replaced;
mod told_below;
mod unlisted;
mod value_trial;

pub(crate) use cobra::read_texts;
pub(crate) use getopt::flags_of_column;
pub(crate) use manual_page::ManualPage;
pub(crate) use pattern::arguments_of;

use std::{collections::BTreeMap, pin::Pin};

use charmer_core::model::{CommandPath, Syntax};

use crate::{
    binary::Binary,
    discovery::Unlisted,
    probe::{ProbeAnswer, Prober},
    sketch::CommandSketch,
};

/// The printed text: standard output, or else standard error, where some programs show their help.
pub(crate) fn printed(answer: &ProbeAnswer) -> &str {
    if answer.stdout.trim().is_empty() {
        &answer.stderr
    } else {
        &answer.stdout
    }
}

/// The signs that a program shows at the first look.
pub(crate) struct Signs<'a> {
    /// The answer to `--help`.
    pub(crate) help: &'a ProbeAnswer,
    /// The file itself.
    pub(crate) binary: &'a Binary,
}

impl Signs<'_> {
    /// The help text, wherever it was printed.
    pub(crate) fn text(&self) -> &str {
        printed(self.help)
    }
}

/// A help text and the command that was asked for it.
pub(crate) struct Page<'a> {
    /// The name of the program's file.
    pub(crate) program: &'a str,
    /// The command that was asked about.
    pub(crate) path: &'a CommandPath,
    /// The answer.
    pub(crate) answer: &'a ProbeAnswer,
}

impl<'a> Page<'a> {
    /// The help text, wherever it was printed.
    pub(crate) fn text(&self) -> &'a str {
        printed(self.answer)
    }
}

/// The questions that a family may ask of a program.
pub(crate) struct Asker<'a> {
    /// Runs the program.
    pub(crate) prober: &'a Prober,
    /// The program's file.
    pub(crate) binary: &'a Binary,
    /// The knowledge of it that it does not give itself.
    pub(crate) unlisted: &'a Unlisted,
}

/// Every command that was read.
pub(crate) type Sketches = BTreeMap<CommandPath, CommandSketch>;

/// The rest of a family's work on a command.
pub(crate) type Refining<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A way in which programs describe themselves. One value serves one program, so that it can remember what it learnt.
pub(crate) trait Family: Send + Sync {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// The certainty that a program belongs to it, from 0 (not at all) to 100.
    fn recognise(&self, signs: &Signs<'_>) -> u8;

    /// The way its programs read a command line.
    fn syntax(&self) -> Syntax;

    /// Returns true if its parsers take any flag again, while no help tells whether the program keeps all values or the
    /// last.
    fn takes_flags_again(&self) -> bool {
        false
    }

    /// Returns true if whatever its pages list as a command is one: it is kept by its name where it refuses to show its
    /// help.
    fn lists_only_commands(&self) -> bool {
        false
    }

    /// Returns true if a program with this root is read whole. Of any other the parts are read that are wanted.
    fn reads_whole(&self, _: &CommandSketch) -> bool {
        true
    }

    /// The command lines that show a command's help, the safest first. The next is tried where [`read`](Self::read)
    /// does not accept the answer.
    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        let mut words = path.words().to_vec();
        words.push("--help".into());
        vec![words]
    }

    /// Reads a help text; `None` if it is not the help of the command that was asked for.
    fn read(&self, page: &Page<'_>) -> Option<CommandSketch>;

    /// Asks whatever else there is to ask about a command.
    fn refine<'a>(&'a self, _: &'a Asker<'a>, _: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async {})
    }

    /// Asks what is left to ask, when every command has been read.
    fn finish<'a>(&'a self, _: &'a Asker<'a>, _: &'a mut Sketches) -> Refining<'a> {
        Box::pin(async {})
    }
}

/// Every family, the more particular first: of two that are equally sure the earlier one is taken.
pub(crate) fn families() -> Vec<Box<dyn Family>> {
    let mut all: Vec<Box<dyn Family>> = vec![
        Box::<cobra::Cobra>::default(),
        Box::<parse_options::ParseOptions>::default(),
        Box::<click::Click>::default(),
        Box::<argparse::Argparse>::default(),
        Box::<optparse::Optparse>::default(),
        Box::<clap::Clap>::default(),
        Box::<pages::Pages>::default(),
    ];
    all.extend(framework::frameworks());
    all.extend([
        Box::<goflag::GoFlag>::default() as Box<dyn Family>,
        Box::<objects::Objects>::default(),
        Box::<expression::Expression>::default(),
        Box::<gnu::Gnu>::default(),
        Box::<fallback::Fallback>::default(),
    ]);
    all
}
