//! Which words behind a tool's name are options of `charmer call` itself: people write them in any order.
//!
//! What the tool takes is the tool's; an option of charmer's own that the tool does not have is charmer's. Behind `--`
//! everything is the tool's.

use charmer_core::{
    call::{ends_flags, takes_value},
    tool::Tool,
};
use clap::{CommandFactory, Parser};

use crate::args::{Args, CallArgs, CharmerCommand};

/// The options that change nothing about the tool, only about what is done with it.
pub(crate) const JSON: &str = "--json";
pub(crate) const DRY_RUN: &str = "--dry-run";

/// Words that were told apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Split {
    /// Options of `charmer call`, with their values.
    pub(crate) ours: Vec<String>,
    /// The tool's input.
    pub(crate) theirs: Vec<String>,
}

impl Split {
    /// Returns true if the words of ours leave the tool as it is.
    pub(crate) fn only_shows(&self) -> bool {
        let mut ours = self.ours.iter();
        ours.all(|word| [JSON, DRY_RUN].contains(&word.as_str()))
    }

    /// Returns true if an option of ours that takes no value is among them.
    pub(crate) fn has(&self, option: &str) -> bool {
        self.ours.iter().any(|word| word == option)
    }
}

/// Tells the words behind a tool's name apart; without the tool, whatever can be ours is.
pub(crate) fn split(tool: Option<&Tool>, words: &[String]) -> Split {
    let call = Args::command();
    let call = call.find_subcommand("call").expect("it is one of ours");
    let mut split = Split::default();
    let mut words = words.iter();
    let mut bare = 0;
    while let Some(word) = words.next() {
        // Behind these words the program reads no flags, so there are none of ours either.
        let ended = tool.is_some_and(|tool| ends_flags(tool, bare));
        if word == "--" || ended {
            split.theirs.push(word.clone());
            split.theirs.extend(words.by_ref().cloned());
            break;
        }
        let attached = word.contains('=');
        let taken = tool.and_then(|tool| takes_value(tool, word));
        let (side, takes_value) = match (taken, takes_own_value(call, word)) {
            (Some(takes_value), _) => (&mut split.theirs, takes_value),
            (None, Some(takes_value)) => (&mut split.ours, takes_value),
            (None, None) => {
                bare += usize::from(!word.starts_with('-'));
                (&mut split.theirs, false)
            }
        };
        side.push(word.clone());
        if takes_value && !attached {
            side.extend(words.next().cloned());
        }
    }
    split
}

/// For words that are options of `charmer call`: whether a value belongs to it.
fn takes_own_value(call: &clap::Command, word: &str) -> Option<bool> {
    let (name, _) = word.split_once('=').unwrap_or((word, ""));
    let options = call
        .get_arguments()
        .filter(|option| !option.is_positional());
    let mut named = options.filter(|option| match name.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => {
            let short = option.get_short().map(|short| format!("-{short}"));
            short.as_deref() == Some(name)
        }
    });
    let option = named.next()?;
    // A value that must be attached is never the next word.
    Some(option.get_action().takes_values() && !option.is_require_equals_set())
}

/// The command line of this process with the words of ours moved before the tool's name, which is so many words long.
pub(crate) fn moved(args: &CallArgs, named_by: usize, split: &Split) -> CallArgs {
    let mut line: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    // The tool and what follows it are the end of the line.
    line.truncate(line.len().saturating_sub(args.words.len()));
    if line.last().is_some_and(|word| word == "--") {
        line.pop();
    }
    line.extend(split.ours.iter().cloned());
    line.extend_from_slice(&args.words[..named_by]);
    line.extend(split.theirs.iter().cloned());
    match Args::parse_from(line).command {
        CharmerCommand::Call(args) => args,
        other => unreachable!("it was `charmer call`, and is {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Flag, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    #[test]
    fn what_the_tool_takes_is_the_tools() {
        let command = Command::new("ship")
            .flag(Flag::new("json").pflag("string"))
            .flag(Flag::new("bow").short('b'))
            .flag(Flag::new("port").pflag("string"));
        let cli = Cli::new(command, Syntax::pflag());
        let tool = &catalogue(&cli, &CatalogueOptions::default()).tools[0];
        let told = |tool, words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let Split { ours, theirs } = split(tool, &words);
            (ours.join(" "), theirs.join(" "))
        };
        for (words, ours, theirs) in [
            ("--json a --timeout 5s", "--timeout 5s", "--json a"),
            ("-b x --read-only y", "--read-only", "-b x y"),
            (
                "--port --refresh --refresh",
                "--refresh",
                "--port --refresh",
            ),
            ("--port=--refresh -c=f", "-c=f", "--port=--refresh"),
            ("--deny a,b x -- --refresh", "--deny a,b", "x -- --refresh"),
            ("--knots 5 -", "", "--knots 5 -"),
        ] {
            assert_eq!(told(Some(tool), words), (ours.into(), theirs.into()));
        }
        let (ours, theirs) = told(None, "-b git --command x --json");
        assert_eq!((&*ours, &*theirs), ("-b git --json", "--command x"));
    }
}
