//! Programs built with clap, versions 2 to 4: their help, and what their parser says of values that are meant to be
//! wrong.

mod answer;
mod arguments;
mod entries;
mod external;
mod flags;
mod globals;
mod listing;
mod negated;
mod notes;
mod page;
#[cfg(test)]
mod property;
mod refine;
mod usage;
mod wrong_values;

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use charmer_core::model::{CommandPath, Syntax};

use super::{Asker, Family, Page, Refining, Signs, Sketches, getopt::option_rows};
use crate::{
    help::{flag_names, sections},
    sketch::CommandSketch,
};

/// The texts of clap beside its own `--help`, in its versions.
const HELP_TEXTS: [&str; 3] = ["Print help", "Prints help information", "Print this help"];
/// The texts of clap beside its own `help` command, in its versions.
const HELP_COMMAND_TEXTS: [&str; 2] = [
    "Print this message or the help of the given subcommand(s)",
    "Prints this message or the help of the given subcommand(s)",
];

/// The family, and what it remembers of the one program that it reads.
#[derive(Default)]
pub(crate) struct Clap {
    memory: Mutex<ClapMemory>,
    /// Rung when something was learnt about flags that several commands share.
    learnt: tokio::sync::Notify,
}

/// The facts that were learnt on the way.
#[derive(Default)]
struct ClapMemory {
    /// The program has clap's own `help` command, which never runs anything.
    help_command: bool,
    /// The option that lists all commands, where help shows only some.
    listing: Option<String>,
    /// Commands that are other programs, which are not run.
    plugins: Vec<String>,
    /// Commands that are other programs, which are asked for their help.
    external: Vec<String>,
    /// The help of those, until every command has been read.
    external_pages: Vec<(CommandPath, String)>,
    /// The help is that of clap 4, which reads values before it comes to `--help`.
    modern: bool,
    /// The long names that turn a switch off and stand in no row, of those that the program has.
    negations: BTreeSet<String>,
    /// The knowledge of flags that were asked about, and those that are being asked.
    wrong_values: wrong_values::KnownValues,
}

/// The likeness to clap's pages from which on a page is taken for one whoever printed it.
const OURS: u8 = 80;

impl Clap {
    /// Returns true if a command hands on to another program.
    fn is_external(&self, path: &CommandPath) -> bool {
        match path.words() {
            [name] => self.memory().external.contains(name),
            _ => false,
        }
    }

    fn memory(&self) -> MutexGuard<'_, ClapMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Family for Clap {
    fn name(&self) -> &'static str {
        "clap"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        // The library has no long names with one dash.
        let rows = option_rows(signs.text());
        if rows.iter().filter(|row| row.names.single_dash).count() > 2 {
            return 0;
        }
        let score = shape(signs.text());
        // Where the words are the author's own, the library's name in the program decides.
        if (1..80).contains(&score) {
            let [builder, old] = signs.binary.contains(["clap_builder", "/clap-"]);
            if builder || old {
                return 90;
            }
        }
        score
    }

    fn syntax(&self) -> Syntax {
        Syntax::clap()
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        let memory = self.memory();
        if let [name] = path.words()
            && memory.plugins.contains(name)
        {
            return Vec::new();
        }
        if let [name] = path.words()
            && memory.external.contains(name)
        {
            return vec![vec![name.clone(), "--help".to_owned()]];
        }
        let words = path.words().iter().cloned();
        let long = words.clone().chain(["--help".to_owned()]).collect();
        let short = words.clone().chain(["-h".to_owned()]).collect();
        let mut requests = vec![long, short];
        if memory.help_command && !path.is_root() {
            requests.insert(0, std::iter::once("help".to_owned()).chain(words).collect());
        }
        requests
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        if self.is_external(page.path) {
            let (path, text) = (page.path.clone(), page.text().to_owned());
            self.memory().external_pages.push((path, text));
            if shape(page.text()) < OURS {
                return external::read(page.text(), page.program, page.path);
            }
        }
        let read = page::read(page.text(), page.path)?;
        if page.path.is_root() {
            let mut memory = self.memory();
            memory.help_command = read.help_command;
            memory.listing = read.listing;
            memory.modern = read.modern;
        }
        Some(read.sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(self.ask(asker, sketch))
    }

    fn finish<'a>(&'a self, _: &'a Asker<'a>, sketches: &'a mut Sketches) -> Refining<'a> {
        Box::pin(async {
            self.borrow_options(sketches);
            globals::mark(sketches);
        })
    }
}

/// The likeness of a help text to clap's, from 0 to 100.
fn shape(text: &str) -> u8 {
    let found = sections(text);
    let usage = found.iter().find(|section| section.is("usage"));
    let Some(usage) = usage.filter(|section| section.heading != "usage") else {
        return 0;
    };
    // Its options have a heading of their own.
    let headed = found.iter().filter(|section| !section.is("usage"));
    let own_help = headed.flat_map(|section| &section.lines).any(|line| {
        let line = line.trim_start();
        line.starts_with('-')
            && line
                .split("  ")
                .next()
                .and_then(flag_names)
                .is_some_and(|names| names.longs == ["help"])
    });
    let said = HELP_TEXTS.iter().any(|said| {
        text.lines().any(|line| {
            let line = line.trim();
            line == *said
                || line.ends_with(&format!("  {said}"))
                || line.contains(&format!("{said} (see "))
                || line.contains(&format!("{said} information"))
        })
    });
    let marks = [
        "[possible values: ",
        "[env: ",
        "[aliases: ",
        "[default: ",
        " <COMMAND>",
        " [COMMAND]",
        "<SUBCOMMAND>",
        "[SUBCOMMAND]",
        HELP_COMMAND_TEXTS[0],
        HELP_COMMAND_TEXTS[1],
    ];
    let marked = marks.iter().filter(|mark| text.contains(**mark)).count();
    let usual = usage.body().contains("[OPTIONS]") || usage.body().contains("[FLAGS]");
    // Where options are taken, clap always lists `--help` at least.
    let lists = |line: &&str| line.trim_start().starts_with('-');
    let listed = found.iter().flat_map(|section| &section.lines).any(lists);
    let click = text.contains("Show this message and exit");
    // Below 80 the program's file is searched for the library's name, see `recognise`.
    match (said && own_help, marked) {
        _ if click => 0,
        (true, 0) if !usual => 80,
        (true, 0) => 85,
        (true, _) => 95,
        (false, 0) => u8::from(usual && listed) * 20,
        (false, 1) => 35,
        (false, _) => 60,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_of_clap_is_told_from_others() {
        let modern = "Usage: kiln [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n";
        let old = "kiln 1.0\n\nUSAGE:\n    kiln [FLAGS]\n\nFLAGS:\n    -h, --help       Prints help information\n";
        let click = "Usage: kiln [OPTIONS]\n\nOptions:\n  --help  Show this message and exit.\n";
        let cobra = "Usage:\n  kiln [command]\n\nFlags:\n  -h, --help   help for kiln\n";
        let argparse =
            "usage: kiln [-h]\n\noptions:\n  -h, --help  show this help message and exit\n";
        assert!(shape(modern) >= 80);
        assert!(shape(old) >= 80);
        assert_eq!(shape(click), 0);
        assert!(shape(cobra) < 40);
        assert_eq!(shape(argparse), 0);
    }

    #[test]
    fn the_safe_help_command_is_asked_first_where_it_is_claps_own() {
        let family = Clap::default();
        let path = CommandPath::parse("fire start");
        assert_eq!(family.help_requests(&path)[0], ["fire", "start", "--help"]);
        family.memory().help_command = true;
        assert_eq!(family.help_requests(&path)[0], ["help", "fire", "start"]);
        assert_eq!(family.help_requests(&CommandPath::root())[0], ["--help"]);
    }
}
