//! The usefulness of having a command at hand, without a search for it.

use std::collections::HashMap;

use crate::{
    model::{Effect, Listing},
    tool::Tool,
};

/// Verbs that people use every day, whatever the program.
const DAILY: [&str; 46] = [
    "add", "apply", "build", "check", "checkout", "clone", "commit", "create", "describe", "diff",
    "exec", "find", "get", "grep", "images", "info", "inspect", "install", "list", "log", "logs",
    "ls", "merge", "open", "ps", "pull", "push", "query", "read", "restart", "run", "search",
    "show", "start", "stat", "stats", "status", "stop", "switch", "test", "top", "tree", "up",
    "update", "version", "view",
];

/// Words of headings over commands that most people use, and over those that few do.
const COMMON: [&str; 8] = [
    "basic",
    "common",
    "core",
    "essential",
    "everyday",
    "general",
    "main",
    "primary",
];
const RARE: [&str; 12] = [
    "additional",
    "advanced",
    "alias",
    "deprecated",
    "experimental",
    "extension",
    "internal",
    "management",
    "other",
    "plugin",
    "setting",
    "topic",
];

/// The number of commands of a program that are among its first.
const EARLY: usize = 24;
/// The number of commands from which on a group is a large one.
const LARGE: usize = 16;
/// A program of which a smaller share of commands stands at its root keeps them in groups.
const GROUPED: f64 = 0.15;

/// The worth of tools written for assistants: more than any command of a program.
const WRITTEN: f64 = 30.0;
/// The worth of commands known to be used most: more than whatever else help makes of a command.
const USED_MOST: f64 = 25.0;
/// The worth of the help pages' word, the most of all; then of what people do every day, of being near the root, and of
/// an example in the help.
const PROMINENT: f64 = 4.0;
const VERB: f64 = 3.0;
const NEAR: f64 = 3.0;
const SHOWN: f64 = 2.0;

/// Returns the worth of having each of these tools in the list: numbers that mean something only beside each other.
///
/// What somebody wrote for assistants (a spell, a tool of an author's) comes first. Of a program's commands, those that
/// its help puts first or calls common come before others, those near the root before those deep down, everyday verbs
/// before others, those that examples use before others, and of equals those that only read.
pub(super) fn usefulness_of_each(tools: &[&Tool]) -> Vec<f64> {
    let pages = HelpPages::new(tools);
    let mut before: HashMap<&str, usize> = HashMap::new();
    let mut all = Vec::with_capacity(tools.len());
    for &tool in tools {
        let before = before.entry(&tool.help.program).or_default();
        *before += 1;
        all.push(pages.usefulness(tool, *before));
    }
    all
}

/// A program and the words of a command of it.
type CommandWords<'t> = (&'t str, &'t [String]);

/// The commands below one command, summed up.
#[derive(Debug, Default)]
struct BelowCommand<'t> {
    commands: usize,
    /// Those that its help lists, by their places.
    listed: HashMap<usize, (&'t str, &'t str)>,
    /// There are commands that its help does not list.
    chosen: bool,
    /// One of its headings speaks of common commands.
    names_common: bool,
    /// The list is in the order of the alphabet, which says nothing.
    sorted: bool,
}

#[derive(Debug)]
struct HelpPages<'t> {
    pages: HashMap<CommandWords<'t>, BelowCommand<'t>>,
    /// The number of each program's tools, and of those at its root.
    sizes: HashMap<&'t str, (usize, usize)>,
}

impl<'t> HelpPages<'t> {
    fn new(tools: &[&'t Tool]) -> Self {
        let mut pages: HashMap<CommandWords<'t>, BelowCommand<'t>> = HashMap::new();
        let mut sizes: HashMap<&str, (usize, usize)> = HashMap::new();
        for tool in tools {
            let program: &str = &tool.help.program;
            let words = tool.path.words();
            let size = sizes.entry(program).or_default();
            size.0 += 1;
            size.1 += usize::from(words.len() == 1);
            if let Some((_, above)) = words.split_last() {
                pages.entry((program, above)).or_default().commands += 1;
            }
            for (depth, listing) in tool.help.listings.iter().enumerate() {
                let page = pages.entry((program, &words[..depth])).or_default();
                match listing {
                    Some(listing) => {
                        let entry = (words[depth].as_str(), listing.group.as_str());
                        page.listed.insert(listing.place, entry);
                        page.names_common |= has_word(&listing.group, &COMMON);
                    }
                    None => page.chosen = true,
                }
            }
        }
        for page in pages.values_mut() {
            let mut rows: Vec<(&usize, &(&str, &str))> = page.listed.iter().collect();
            rows.sort_unstable();
            page.sorted = rows.is_sorted_by_key(|(_, (name, _))| *name);
        }
        Self { pages, sizes }
    }

    /// The worth of a tool that has so many of its program before it.
    fn usefulness(&self, tool: &Tool, before: usize) -> f64 {
        if tool.input.levels.is_empty() {
            return WRITTEN;
        }
        if let Some(place) = tool.help.common {
            // The order in which they were named decides among them; a hundred of them stay above all others.
            return USED_MOST - place as f64 / 100.0;
        }
        let effect = match tool.help.effect {
            Effect::Read => 1.0,
            Effect::Write => 0.7,
            Effect::Unknown => 0.6,
            Effect::Destroy => 0.2,
        };
        let words = tool.path.words();
        let verb = words
            .last()
            .is_some_and(|word| DAILY.contains(&word.as_str()));
        let mut usefulness = effect + self.near(tool) + PROMINENT * self.prominence(tool, before);
        if verb {
            usefulness += VERB;
        }
        if tool.help.shown_above {
            usefulness += SHOWN;
        }
        usefulness
    }

    /// The worth of its nearness: at the root, or in a large group of a program that has only groups there.
    fn near(&self, tool: &Tool) -> f64 {
        let program: &str = &tool.help.program;
        let words = tool.path.words();
        match words.len() {
            0 | 1 => NEAR,
            2 => {
                let (all, at_root) = self.sizes.get(program).copied().unwrap_or_default();
                let grouped = (at_root as f64) < GROUPED * all as f64;
                let page = self.pages.get(&(program, &words[..1]));
                let siblings = page.map_or(0, |page| page.commands).min(LARGE);
                match grouped {
                    true => NEAR * siblings as f64 / LARGE as f64,
                    false => 0.0,
                }
            }
            _ => -1.0,
        }
    }

    /// The prominence that its program's help gives it, from 0 to 1: the root's page says the most.
    fn prominence(&self, tool: &Tool, before: usize) -> f64 {
        let program: &str = &tool.help.program;
        let words = tool.path.words();
        let listed = tool.help.listings.iter().enumerate();
        let mut said: Vec<f64> = listed
            .filter_map(|(depth, listing)| {
                let page = self.pages.get(&(program, &words[..depth]))?;
                page.prominence(listing.as_ref())
            })
            .collect();
        if said.is_empty() {
            // No page was read; what a program names first is used most.
            return 1.0 - before.min(EARLY) as f64 / EARLY as f64;
        }
        let last = said.pop().unwrap_or_default();
        match said.first() {
            Some(first) => 0.7 * first + 0.3 * last,
            None => last,
        }
    }
}

impl BelowCommand<'_> {
    /// The prominence that a page gives to a command, from 0 to 1; none from a page that lists no commands.
    fn prominence(&self, listing: Option<&Listing>) -> Option<f64> {
        if self.listed.is_empty() {
            return None;
        }
        let Some(listing) = listing else {
            return Some(0.0);
        };
        let all = self
            .listed
            .keys()
            .max()
            .map_or(1, |last| last.saturating_add(1));
        // A place in the alphabet says nothing.
        let early = match self.sorted {
            true => 0.5,
            false => 1.0 - listing.place as f64 / all as f64,
        };
        Some(match () {
            () if has_word(&listing.group, &RARE) => 0.1 + 0.1 * early,
            () if has_word(&listing.group, &COMMON) || self.chosen => 0.9 + 0.1 * early,
            () if self.names_common => 0.3 + 0.1 * early,
            () => 0.4 + 0.4 * early,
        })
    }
}

/// Returns true if a heading has one of these words, in any form.
fn has_word(heading: &str, words: &[&str]) -> bool {
    let heading = heading.to_lowercase();
    let mut said = heading.split(|c: char| !c.is_alphanumeric());
    said.any(|word| words.iter().any(|known| word.starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Cli, Command, Hints, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    fn ranked(root: Command) -> Vec<String> {
        let cli = Cli::new(root, Syntax::pflag());
        let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
        let tools: Vec<&Tool> = tools.iter().map(|tool| &**tool).collect();
        let named = usefulness_of_each(&tools).into_iter().zip(&tools);
        let mut named: Vec<(f64, &str)> = named
            .map(|(usefulness, tool)| (usefulness, tool.name.as_str()))
            .collect();
        named.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        named.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    fn leaf(name: &str, effect: Effect) -> Command {
        Command::new(name).hints(Hints::new(effect))
    }

    #[test]
    fn reading_what_is_near_comes_first() {
        let deep = Command::new("deep").not_runnable();
        let root = Command::new("x")
            .not_runnable()
            .command(leaf("list", Effect::Read))
            .command(leaf("frob", Effect::Read))
            .command(leaf("wipe", Effect::Destroy))
            .command(deep.command(leaf("frob", Effect::Read)));
        assert_eq!(ranked(root), ["x_list", "x_frob", "x_wipe", "x_deep_frob"]);
    }

    #[test]
    fn what_help_calls_common_comes_before_what_only_reads() {
        let listed = |name: &str, place, group: &str| {
            leaf(name, Effect::Write).listing(Listing::new(place, group))
        };
        let root = Command::new("x")
            .not_runnable()
            .command(leaf("peek", Effect::Read).listing(Listing::new(0, "Other Commands")))
            .command(listed("frob", 1, "Common Commands"))
            .command(leaf("glance", Effect::Read));
        assert_eq!(ranked(root), ["x_frob", "x_peek", "x_glance"]);
    }

    #[test]
    fn what_examples_use_comes_before_its_siblings() {
        let root = Command::new("x")
            .not_runnable()
            .examples("x weld a b")
            .command(leaf("bend", Effect::Write).listing(Listing::new(0, "Commands")))
            .command(leaf("weld", Effect::Write).listing(Listing::new(1, "Commands")))
            .command(leaf("weld-all", Effect::Write).listing(Listing::new(2, "Commands")));
        assert_eq!(ranked(root)[0], "x_weld");
    }
}
