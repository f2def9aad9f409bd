//! The usage line: which command it is of, its positionals, and the flags that it demands.

use charmer_core::model::{Arguments, CommandPath};

use super::{super::fallback::is_name, page::take_named};
use crate::{
    fact::{Fact, Origin},
    family::pattern::{arguments_of, words},
    help::Section,
    sketch::CommandSketch,
};

/// The parts of a command's usage line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrameworkUsage {
    /// The line, without what stands before the program's name.
    pub(super) line: String,
    /// The name of the program.
    pub(super) program: String,
    /// Other names of the command.
    pub(super) aliases: Vec<String>,
    /// The flags that stand outside of brackets, as they are typed.
    pub(super) required: Vec<String>,
    /// The rest, as far as it can be positionals.
    positionals: String,
    /// A word stands for a command.
    pub(super) has_command: bool,
}

/// The first statement below or behind a heading, on one line.
pub(super) fn statement(section: &Section<'_>) -> String {
    let rest = Some(section.rest).filter(|rest| !rest.is_empty());
    let mut lines = rest.into_iter().chain(section.lines.iter().copied());
    let first = lines.next().unwrap_or_default();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let home = if rest.is_some() { 0 } else { indent(first) };
    let mut words: Vec<&str> = first.split_whitespace().collect();
    for line in lines.take_while(|line| indent(line) > home) {
        words.extend(line.split_whitespace());
    }
    let words = words.strip_prefix(&["$"]).unwrap_or(&words);
    words.join(" ")
}

/// Reads a usage line; `None` if it is another command's.
pub(super) fn read(line: &str, path: &CommandPath) -> Option<FrameworkUsage> {
    let all = words(line);
    let (program, mut rest) = all.split_first()?;
    let mut usage = FrameworkUsage {
        line: line.to_owned(),
        program: (*program).to_owned(),
        ..FrameworkUsage::default()
    };
    for word in path.words() {
        while rest.first().is_some_and(|first| first.starts_with('[')) {
            rest = &rest[1..];
        }
        let mut names = take_named(&mut rest)?.names;
        let at = names.iter().position(|name| name == word)?;
        names.remove(at);
        usage.aliases = names;
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut rest = rest.iter().copied().peekable();
    while let Some(word) = rest.next() {
        if stands_for_command(word) {
            usage.has_command = true;
            break;
        }
        if word.starts_with('-') && word != "--" {
            let name = word.split(['=', '[']).next().unwrap_or(word);
            usage.required.push(name.to_owned());
            if !word.contains('=') {
                // Its value is no positional.
                let _ = rest.next_if(|next| next.starts_with('<'));
            }
        } else if !stands_for_options(word) {
            kept.push(word);
        }
    }
    usage.positionals = kept.join(" ");
    Some(usage)
}

/// A word without the brackets and dots around it, in small letters.
fn bare(word: &str) -> String {
    let word = word.trim_end_matches('.');
    let word = word.trim_matches(['<', '>', '[', ']', '(', ')']);
    word.trim_end_matches(['.', ' ']).to_lowercase()
}

fn stands_for_command(word: &str) -> bool {
    let bare = bare(word);
    let first = bare.split([' ', ':']).next().unwrap_or_default();
    matches!(first, "command" | "commands" | "subcommand" | "cmd")
        && (bare == first || bare.starts_with("command [") || bare.starts_with("command:"))
}

/// `[options]`, `[<flags>]`, `[-hV]`, `[--shop=<shop>]`.
fn stands_for_options(word: &str) -> bool {
    let bare = bare(word);
    let inner = word.trim_start_matches(['[', '(']);
    ["options", "option", "flags", "flag"]
        .iter()
        .any(|end| bare.ends_with(end))
        || word.starts_with(['[', '('])
            && inner.starts_with('-')
            && !inner.trim_matches(['-', ']', ')']).is_empty()
}

impl FrameworkUsage {
    /// The positionals.
    pub(super) fn arguments(&self) -> Arguments {
        let fact = arguments_of(&[self.positionals.as_str()]);
        fact.map(|fact| fact.value).unwrap_or_default()
    }

    /// Tells a command what its usage line says.
    pub(super) fn tell(&self, sketch: &mut CommandSketch) {
        if sketch.path.is_root() && is_name(&self.program.to_lowercase()) {
            sketch.program = Some(self.program.clone());
        }
        sketch.usage = Some(Fact::new(self.line.clone(), Origin::Usage));
        sketch.arguments = Some(Fact::new(self.arguments(), Origin::Usage));
        for alias in &self.aliases {
            if !sketch.aliases.contains(alias) {
                sketch.aliases.push(alias.clone());
            }
        }
        for flag in &mut sketch.flags {
            let long = flag.long.as_ref().map(|long| format!("--{long}"));
            let short = flag.short.map(|short| format!("-{short}"));
            let mut names = long.into_iter().chain(short);
            if names.any(|name| self.required.contains(&name)) {
                flag.required = Some(Fact::new(true, Origin::Usage));
            }
        }
    }
}
