//! Programs with git's option parser: `-h` of each command, merged with the list that its completion helper prints.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use charmer_core::model::{Arguments, CommandPath, FlagValue, Syntax, ValueType};

use super::{
    Asker, Family, Page, Refining, Signs,
    getopt::getopt_flags,
    pattern::{arguments_of, usage_flags, words},
    printed,
    unlisted::{Checked, UnlistedOptions},
};
use crate::{
    fact::{Fact, Field, Origin},
    help::{behind_path, usage_statements},
    sketch::{ChildSketch, CommandSketch, FlagScope, FlagSketch, KindSketch},
};

/// The option that every command of the family knows, and that no other program has in its file.
pub(super) const HELPER: &str = "--git-completion-helper";
/// The flag that asks a command for all of its options.
const HELPER_ALL: &str = "--git-completion-helper-all";

/// The family.
#[derive(Default)]
pub(crate) struct ParseOptions {
    memory: Mutex<ParseOptionsMemory>,
    data: Checked,
}

/// The facts that were learnt on the way.
#[derive(Default)]
struct ParseOptionsMemory {
    /// Commands that know the completion helper.
    helped: BTreeSet<String>,
    /// The commands that the program's own page lists, with their headings.
    common: Vec<(String, String)>,
    /// The usage of subcommands that cannot be asked, from their parent's page.
    unasked: BTreeMap<CommandPath, Vec<String>>,
    /// A command's own usage and its whole page, which show which options it takes that no help lists.
    pages: BTreeMap<CommandPath, (String, String)>,
    /// Usage statements of commands that may have subcommands.
    statements: BTreeMap<CommandPath, Vec<String>>,
}

impl ParseOptions {
    fn memory(&self) -> MutexGuard<'_, ParseOptionsMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Family for ParseOptions {
    fn name(&self) -> &'static str {
        "parse-options"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let text = signs.text();
        let commands = text.contains("<command> [<args>]") && text.contains("help -a");
        let [helper] = signs.binary.contains([HELPER]);
        match (commands, helper) {
            (true, true) => 95,
            (true, false) => 70,
            _ => 0,
        }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt().optional_is_attached()
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        if path.is_root() {
            return vec![vec!["--help".into()]];
        }
        if self.memory().unasked.contains_key(path) {
            return Vec::new();
        }
        let mut request = path.words().to_vec();
        request.push("-h".into());
        vec![request]
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let text = page.text();
        if page.path.is_root() {
            self.memory().common = common_commands(text);
            return Some(read_root(text, page.program));
        }
        let (sketch, statements) = read_command(text, page)?;
        let mut memory = self.memory();
        let own: Vec<&str> = statements
            .iter()
            .filter(|statement| !starts_with_subcommand(statement, page.path))
            .map(String::as_str)
            .collect();
        let pages = (own.join("\n"), text.to_owned());
        memory.pages.insert(page.path.clone(), pages);
        memory.statements.insert(page.path.clone(), statements);
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            if sketch.path.is_root() {
                self.list_commands(asker, sketch).await;
            } else {
                self.complete(asker, sketch).await;
            }
        })
    }
}

impl ParseOptions {
    /// The commands that are documented and installed.
    async fn list_commands(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let documented = asker.prober.run(&["help", "-a"]).await;
        let installed = asker.prober.run(&["--list-cmds=main"]).await;
        let helped = asker.prober.run(&["--list-cmds=parseopt"]).await;
        let set = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<BTreeSet<_>>()
        };
        self.memory().helped = if helped.succeeded() {
            set(&helped.stdout)
        } else {
            BTreeSet::new()
        };
        let installed = installed.succeeded().then(|| set(&installed.stdout));
        let common = std::mem::take(&mut self.memory().common);
        let heading = |name: &str| common.iter().find(|(known, _)| known == name);
        let mut listed = command_list(printed(&documented));
        // The page that everybody sees has few of them, in the order of what is done with them.
        let place = |name: &str| common.iter().position(|(known, _)| known == name);
        listed.sort_by_key(|(name, _)| place(name).unwrap_or(common.len()));
        for (name, about) in listed {
            let there = installed.as_ref().is_none_or(|names| names.contains(&name));
            // What opens a window is never asked, and serves no assistant.
            let window = about.to_lowercase().contains("graphical");
            if !there || window || name == "help" {
                continue;
            }
            sketch.add_child(ChildSketch {
                listed: heading(&name).map(|(_, heading)| Fact::new(heading.clone(), Origin::Help)),
                name,
                about: Some(Fact::new(about, Origin::Help)),
                certain: installed.is_some(),
                ..ChildSketch::default()
            });
        }
        if !sketch.children.is_empty() {
            sketch.runnable = Some(Fact::new(false, Origin::Usage));
            sketch.arguments = None;
        }
    }

    /// Everything else about a command: its completion helper, its subcommands, the options that no help lists.
    async fn complete(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let path = sketch.path.clone();
        let data = self.data.for_program(asker.unlisted, asker.binary);
        let Some(command) = path.words().first().cloned() else {
            return;
        };
        let unasked = self.memory().unasked.remove(&path);
        if let Some(rests) = unasked {
            read_unasked(sketch, &rests);
            data.add(&data.lists_for(&rests.join("\n"), ""), sketch);
            return;
        }
        let (lists, statements, helped) = {
            let mut memory = self.memory();
            let (usage, page) = memory.pages.remove(&path).unwrap_or_default();
            let lists = data.lists_for(&usage, &page);
            let statements = memory.statements.remove(&path).unwrap_or_default();
            (lists, statements, memory.helped.contains(&command))
        };
        // Commands that only show a sketch of the diff options answer too.
        let sketched = sketch
            .flags
            .iter()
            .any(|flag| flag.long.as_deref() == Some("patch-with-raw"));
        let mut listed = Vec::new();
        if helped || sketched {
            let mut request = path.words().to_vec();
            request.push(HELPER_ALL.into());
            let answer = asker.prober.run(&request).await;
            if answer.succeeded() {
                listed = take_completion(sketch, &answer.stdout);
            }
        }
        if !helped && let Some(usage) = sketch.usage.clone() {
            for statement in usage.value.lines() {
                for flag in behind_path(statement, path.words())
                    .map(usage_flags)
                    .unwrap_or_default()
                {
                    if !starts_with_subcommand(statement, &path) {
                        sketch.add_flag(flag);
                    }
                }
            }
        }
        if path.words().len() == 1 {
            let listed = if helped { listed } else { Vec::new() };
            self.add_subcommands(sketch, &statements, listed, data);
        }
        data.add(&lists, sketch);
    }

    /// Subcommands that the helper lists are asked; those that only the usage shows are taken from there.
    fn add_subcommands(
        &self,
        sketch: &mut CommandSketch,
        statements: &[String],
        listed: Vec<String>,
        data: &UnlistedOptions,
    ) {
        let path = sketch.path.clone();
        let shown = subcommands(statements, &path);
        let all = if listed.is_empty() {
            // One word may be a positional that is written without angles; two are subcommands.
            let names = shown.iter().map(|(name, _)| name.clone());
            names.filter(|_| shown.len() > 1).collect()
        } else {
            listed.clone()
        };
        for name in all {
            let child = path.child(name.as_str());
            let unasked = listed.is_empty() || data.is_unasked(&child);
            if unasked {
                let usage = shown.iter().find(|(known, _)| *known == name);
                let rests = usage.map_or(vec!["[<arg>...]".into()], |(_, rests)| rests.clone());
                self.memory().unasked.insert(child, rests);
            }
            let certain = unasked;
            sketch.add_child(ChildSketch {
                name,
                certain,
                ..ChildSketch::default()
            });
        }
        if sketch.children.is_empty() {
            return;
        }
        // It runs by itself if one of its usages has no subcommand, or one that may be left out.
        let own: Vec<&str> = statements
            .iter()
            .filter(|statement| !starts_with_subcommand(statement, &path))
            .filter_map(|statement| behind_path(statement, path.words()))
            .collect();
        // `[push [-q] ...]`: the command is that subcommand where its word is left out, and takes its options.
        for rest in &own {
            let inner = rest
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            let (name, flags) = inner
                .and_then(|inner| inner.split_once(' '))
                .unwrap_or_default();
            if sketch.children.iter().any(|child| child.name == name) {
                for flag in usage_flags(flags) {
                    sketch.add_flag(flag);
                }
            }
        }
        let alone = own.iter().any(|rest| {
            !words(rest)
                .iter()
                .any(|word| word.starts_with('<') || word.starts_with('('))
        });
        sketch.runnable = Some(Fact::new(alone, Origin::Usage));
        sketch.arguments = None;
        if alone
            && let [one] = own.as_slice()
            && !sketch
                .children
                .iter()
                .any(|child| one.contains(&format!("[{}", child.name)))
        {
            sketch.arguments = arguments_of(&[one]);
        }
    }
}

/// Takes what the helper prints: options, and the names of subcommands, which are handed back.
fn take_completion(sketch: &mut CommandSketch, printed: &str) -> Vec<String> {
    let mut subcommands = Vec::new();
    let words: Vec<&str> = printed.split_whitespace().collect();
    let names: Vec<(&str, bool)> = words
        .iter()
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|name| !name.is_empty())
        .map(|name| (name.trim_end_matches('='), name.ends_with('=')))
        .collect();
    for (name, takes_value) in &names {
        let mut flag = FlagSketch::long(*name);
        let known = sketch.flags.iter().position(|known| {
            known.long.as_deref() == Some(name) || known.aliases.iter().any(|alias| alias == name)
        });
        // `--no-x` turns `--x` off, and the other way round where only `--no-x` has a text.
        let opposite = name
            .strip_prefix("no-")
            .map_or_else(|| format!("no-{name}"), str::to_owned);
        let opposed = sketch
            .flags
            .iter_mut()
            .find(|known| known.long.as_ref() == Some(&opposite));
        if known.is_none()
            && let Some(opposed) = opposed
        {
            let switch = opposed
                .kind
                .as_ref()
                .is_some_and(|kind| kind.value.value == FlagValue::None);
            if switch && !takes_value {
                opposed.negation.get_or_insert((*name).to_owned());
            }
            if switch || name.starts_with("no-") {
                continue;
            }
        }
        let value = known
            .and_then(|at| sketch.flags[at].kind.as_ref())
            .map(|kind| &kind.value.value);
        match (takes_value, value) {
            (true, Some(FlagValue::None) | None) => {
                flag.kind = Some(Fact::new(
                    KindSketch::single(ValueType::String),
                    Origin::Completion,
                ));
            }
            // Without `=` it may still take a value, but need not have one.
            (false, None) => {
                flag.kind = Some(Fact::with(KindSketch::switch(), Origin::Completion, 30))
            }
            _ => {}
        }
        sketch.add_flag(flag);
    }
    for word in words {
        if word.starts_with(|c: char| c.is_ascii_lowercase())
            && !subcommands.contains(&word.to_owned())
        {
            subcommands.push(word.to_owned());
        }
    }
    subcommands
}

fn read_root(text: &str, program: &str) -> CommandSketch {
    let mut sketch = CommandSketch::new(CommandPath::root());
    let usage = usage_statements(text, program);
    for statement in &usage {
        for mut flag in behind_path(statement, &[])
            .map(usage_flags)
            .unwrap_or_default()
        {
            flag.scope.learn(Fact::new(FlagScope::Own, Origin::Usage));
            sketch.add_flag(flag);
        }
    }
    sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    sketch
}

/// A command's page and its usage statements; `None` if it is no help, or that of another command.
fn read_command(text: &str, page: &Page<'_>) -> Option<(CommandSketch, Vec<String>)> {
    let all = usage_statements(text, page.program);
    let words = page.path.words();
    let dashed = format!("{}-{}", page.program, words.join("-"));
    let own = |statement: &&String| {
        behind_path(statement, words).is_some()
            || statement.split(' ').next() == Some(&dashed)
            || within_brackets(statement, words)
    };
    let mut statements: Vec<String> = all.iter().filter(own).cloned().collect();
    if statements.is_empty() {
        // A command that is listed may share the page of another; a subcommand may not.
        let shared = words.len() == 1
            && all
                .first()
                .is_some_and(|first| first.split([' ', '-']).next() == Some(page.program));
        if !shared || page.answer.code == Some(0) {
            return None;
        }
        statements = all;
    }
    let mut sketch = CommandSketch::new(page.path.clone());
    sketch.usage = Some(Fact::new(statements.join("\n"), Origin::Usage));
    let rests: Vec<&str> = statements
        .iter()
        .filter_map(|statement| match behind_path(statement, words) {
            Some(rest) => Some(rest),
            None if within_brackets(statement, words) => {
                let name = words.last()?;
                let at = statement.find(&format!("[{name}"))? + name.len() + 1;
                // `cmd [sub] <x>`, or `cmd [sub <x>]`.
                Some(match statement[at..].strip_prefix(']') {
                    Some(rest) => rest,
                    None => statement[at..].trim_end().strip_suffix(']')?,
                })
            }
            None => Some(statement.split_once(' ').map_or("", |(_, rest)| {
                if words.len() == 1 {
                    rest.split_once(' ').map_or(rest, |(first, after)| {
                        if first.starts_with(['[', '<', '-']) {
                            rest
                        } else {
                            after
                        }
                    })
                } else {
                    rest
                }
            })),
        })
        .map(str::trim)
        .collect();
    sketch.arguments = arguments_of(&rests);
    let (flags, _) = getopt_flags(text);
    for flag in flags {
        sketch.add_flag(flag);
    }
    let bare = |arguments: &Fact<Arguments>| arguments.value == Arguments::Listed(Vec::new());
    if sketch.arguments.as_ref().is_none_or(bare)
        && let Some(pattern) = told_pattern(&sketch)
    {
        sketch.arguments = Some(Fact::new(Arguments::Pattern(pattern), Origin::Help));
    }
    Some((sketch, statements))
}

/// The positionals of a command whose usage only shows `[<options>]`, from the texts of options that say what each wants:
/// `get value: name [value-pattern]`, `add a new variable: name value`.
fn told_pattern(sketch: &CommandSketch) -> Option<String> {
    let is_word = |word: &str| {
        let named = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '.' | '[' | ']');
        !word.is_empty() && word.chars().all(named)
    };
    let mut told: Vec<&str> = Vec::new();
    for flag in sketch.flags.iter().filter(|flag| flag.is_switch()) {
        let text = flag.help.as_ref().map_or("", |help| help.value.as_str());
        let Some((_, wanted)) = text.split_once(": ") else {
            continue;
        };
        if wanted.split(' ').all(is_word) && !told.contains(&wanted) {
            told.push(wanted);
        }
    }
    // One may be any remark.
    (told.len() > 2).then(|| told.join(" | "))
}

/// `cmd [sub ...]`: a subcommand that may be left out.
fn within_brackets(statement: &str, path: &[String]) -> bool {
    let Some((name, parent)) = path.split_last() else {
        return false;
    };
    let Some(rest) = behind_path(statement, parent) else {
        return false;
    };
    words(rest).iter().any(|word| {
        let inner = word.strip_prefix('[').unwrap_or_default();
        let first = inner.split([' ', ']']).next();
        !parent.is_empty() && first == Some(name)
    })
}

/// The subcommand that a statement shows behind a path, if that is a word of its own.
fn subcommand<'t>(statement: &'t str, path: &CommandPath) -> Option<(&'t str, &'t str)> {
    let rest = behind_path(statement, path.words())?;
    let mut behind = rest;
    for word in words(rest) {
        let at = behind.find(word)? + word.len();
        behind = &behind[at..];
        if word.starts_with('[') {
            continue;
        }
        let plain = word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        return plain.then_some((word, behind.trim()));
    }
    None
}

fn starts_with_subcommand(statement: &str, path: &CommandPath) -> bool {
    subcommand(statement, path).is_some()
}

/// Subcommands that the usage shows, each with what follows it.
fn subcommands(statements: &[String], path: &CommandPath) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for (name, rest) in statements
        .iter()
        .filter_map(|statement| subcommand(statement, path))
    {
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, rests)) => rests.push(rest.to_owned()),
            None => found.push((name.to_owned(), vec![rest.to_owned()])),
        }
    }
    found
}

fn read_unasked(sketch: &mut CommandSketch, rests: &[String]) {
    sketch.warnings.clear();
    sketch.usage = Some(Fact::new(rests.join("\n"), Origin::Usage));
    for flag in rests.iter().flat_map(|rest| usage_flags(rest)) {
        sketch.add_flag(flag);
    }
    let rests: Vec<&str> = rests.iter().map(String::as_str).collect();
    sketch.arguments = arguments_of(&rests);
}

/// The commands of the program's own page, each with the line above its rows.
fn common_commands(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut heading = "";
    for line in text.lines() {
        if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            heading = line.split(" (").next().unwrap_or(line).trim();
        }
        let names = command_list(line).into_iter();
        found.extend(names.map(|(name, _)| (name, heading.to_owned())));
    }
    found
}

/// The rows of `help -a`: names behind three spaces, and what each is for.
fn command_list(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some(row) = line.strip_prefix("   ").filter(|row| !row.starts_with(' ')) else {
            continue;
        };
        if let Some((name, about)) = row.split_once("  ") {
            found.push((name.to_owned(), about.trim().to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
