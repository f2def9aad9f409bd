//! Python's argparse: `usage: tool [-h] [--foo FOO] {add,rm} ...`, then groups of rows.

mod layout;
mod probe;
mod rows;
mod usage;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use charmer_core::model::{Arguments, CommandPath, DoubleDash, Group, Positional, Syntax};

use super::{Asker, Family, Page, Refining, Signs};
use crate::{
    fact::{Fact, Field, Origin},
    help::first_sentence,
    sketch::{ChildSketch, CommandSketch, FlagSketch},
};
pub(super) use probe::ArgparseQuestions;

/// The text that argparse gives its `--help`.
pub(super) const HELP_TEXT: &str = "show this help message and exit";

/// Programs that parse their command line with argparse.
#[derive(Default)]
pub(crate) struct Argparse {
    /// The usage that was shown for each path: a path that is no command shows its parent's help.
    shown: Mutex<HashMap<CommandPath, ShownUsage>>,
    questions: ArgparseQuestions,
}

struct ShownUsage {
    text: String,
    children: Vec<String>,
}

impl Family for Argparse {
    fn name(&self) -> &'static str {
        "argparse"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let text = signs.text();
        let lower = text.to_lowercase();
        let Some(layout) = layout::read(text) else {
            return 0;
        };
        let has = |heading: &str| layout.sections.iter().any(|section| section.0 == heading);
        // The library's own words on `--help` are enough; where they were replaced, several other marks are. It stays
        // below a family that is known by the program's file.
        let mut score = 0;
        if lower.contains(HELP_TEXT) {
            score += 45;
        }
        if layout.usage.contains("[-h]") {
            score += 20;
        }
        if lower.trim_start().starts_with("usage: ") {
            score += 5;
        }
        if has("optional arguments") || has("positional arguments") {
            score += 25;
        } else if has("options") {
            score += 10;
        }
        if signs.binary.is_python_script() {
            score += 10;
        }
        if score < 40 { 0 } else { score.min(95) }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let text = page.text();
        if !page.path.is_root() && !page.answer.succeeded() {
            return None;
        }
        let layout = layout::read(text)?;
        let (named, rest) = layout::after_path(&layout.usage, page.path);
        if !self.is_its_own(page.path, text, &named) {
            return None;
        }
        let sketch = sketch(&layout, rest, page.path, &named);
        let shown = ShownUsage {
            text: text.to_owned(),
            children: sketch
                .children
                .iter()
                .map(|child| child.name.clone())
                .collect(),
        };
        self.lock().insert(page.path.clone(), shown);
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            ask_choices(asker, sketch).await;
            if probe::shows_help(sketch) {
                self.questions.ask(asker, sketch).await;
            }
        })
    }
}

impl Argparse {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CommandPath, ShownUsage>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if a help text is that of the command that was asked for, and not its parent's or that of a sibling
    /// under another name.
    fn is_its_own(&self, path: &CommandPath, text: &str, named: &[String]) -> bool {
        let Some((name, parent)) = path.words().split_last() else {
            return true;
        };
        let behind = named.get(1..).unwrap_or_default();
        let mut words = behind.iter();
        if path
            .words()
            .iter()
            .all(|word| words.any(|other| other == word))
        {
            return true;
        }
        let parent: CommandPath = parent.iter().cloned().collect();
        match self.lock().get(&parent) {
            Some(shown) if shown.text == text => false,
            Some(shown) => {
                let last = behind.last();
                !last.is_some_and(|last| last != name && shown.children.contains(last))
            }
            None => true,
        }
    }
}

/// `tool {add,rm}` without dots may list commands too: then the first shows help of its own.
async fn ask_choices(asker: &Asker<'_>, sketch: &mut CommandSketch) {
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
    else {
        return;
    };
    let last = listed.last().filter(|_| sketch.children.is_empty());
    let Some(last) = last.filter(|last| last.required && !last.variadic && last.choices.len() > 1)
    else {
        return;
    };
    let names: Vec<String> = last.choices.iter().map(|one| one.value.clone()).collect();
    let path = sketch.path.child(names[0].as_str());
    let mut request = path.words().to_vec();
    request.push("--help".into());
    let answer = asker.prober.run(&request).await;
    let layout = layout::read(&answer.stdout).filter(|_| answer.succeeded());
    let own = layout.is_some_and(|layout| {
        let (named, _) = layout::after_path(&layout.usage, &path);
        named.last() == names.first()
    });
    if own {
        listed.pop();
        sketch.runnable = Some(Fact::new(false, Origin::Usage));
        sketch.add_children(names.into_iter().map(|name| ChildSketch {
            name,
            listed: Some(Fact::new(String::new(), Origin::Help)),
            ..ChildSketch::default()
        }));
    }
}

fn sketch(
    layout: &layout::ArgparseLayout<'_>,
    rest: &str,
    path: &CommandPath,
    named: &[String],
) -> CommandSketch {
    let mut sketch = CommandSketch::new(path.clone());
    if path.is_root() && named.len() == 1 {
        sketch.program = named.first().cloned();
    }
    let mut found = rows::read(&layout.sections);
    let mut usage = {
        let value_of = |name: &str| {
            let flag = rows::named(&found.flags, found.written(name))?;
            flag.placeholder.clone()
        };
        let mut usage = usage::read(rest, &value_of);
        for (name, _) in &mut usage.flags {
            *name = found.written(name).to_owned();
        }
        for member in usage.groups.iter_mut().flat_map(|(members, _)| members) {
            *member = found.written(member).to_owned();
        }
        usage
    };
    // A usage line that argparse wrote lists every flag, so that a row of another is an example. One that an author
    // wrote says so, or lists few of many.
    let has_help = usage
        .flags
        .iter()
        .any(|(name, _)| name == "-h" || name == "--help");
    let listed: Vec<FlagSketch> = usage
        .flags
        .iter()
        .filter_map(|(name, _)| rows::named(&found.flags, name).cloned())
        .collect();
    if has_help && !usage.partial && listed.len() * 2 >= found.flags.len() {
        found.flags.retain(|flag| listed.contains(flag));
    }
    for flag in found.flags {
        sketch.add_flag(flag);
    }
    for (name, required) in &usage.flags {
        let flag = sketch
            .flags
            .iter_mut()
            .find(|flag| rows::is_named(flag, name));
        if let Some(flag) = flag {
            flag.required
                .learn(Fact::with(*required, Origin::Usage, 85));
        }
    }
    let id = |member: &str| match rows::named(&sketch.flags, member) {
        Some(flag) => flag.id(),
        None => member.to_owned(),
    };
    for (kind, members) in usage.group_kinds(id) {
        let fact = Fact::with(Group::new(kind, members), Origin::Usage, 85);
        sketch.groups.push(fact);
    }
    sketch.children = children(&usage, &found.names);
    if sketch.children.is_empty()
        && let Some(at) = usage.positionals.iter().rposition(is_command)
    {
        let word = &usage.positionals[at];
        let word = word.name.as_deref().unwrap_or(&word.id);
        let row = found.names.iter().find(|row| row.name == word);
        sketch.children = row.map_or_else(Vec::new, |row| listed_in(&row.text, path));
        if !sketch.children.is_empty() {
            usage.positionals.remove(at);
        }
    }
    let arguments = positionals(&usage, &found.names, &sketch.children);
    sketch.arguments = Some(Fact::with(Arguments::Listed(arguments), Origin::Usage, 80));
    sketch.warnings = found.warnings;
    if usage.command_word.is_some() && sketch.children.is_empty() && usage.positionals.is_empty() {
        let message = "it has commands that its help does not list".to_owned();
        sketch.warnings.push(message);
    }
    sketch.usage = Some(Fact::new(layout.usage.clone(), Origin::Usage));
    if !layout.description.is_empty() {
        let text = layout.description.clone();
        sketch.about = Some(Fact::new(first_sentence(&text), Origin::Help));
        sketch.long_about = Some(Fact::new(text, Origin::Help));
    }
    sketch.examples = layout
        .examples
        .clone()
        .map(|text| Fact::new(text, Origin::Help));
    sketch
}

/// The subcommands: the rows below the word that stands for them, and those that only that word lists.
fn children(usage: &usage::ArgparseUsage, rows: &[rows::ArgparseNames]) -> Vec<ChildSketch> {
    let Some(word) = &usage.command_word else {
        return unnamed_children(usage, rows);
    };
    let mut found: Vec<ChildSketch> = Vec::new();
    // Rows below the word are indented further; where the word has no row, only those that it lists are known.
    let anchor = rows.iter().position(|row| row.name == *word);
    for (at, row) in rows.iter().enumerate() {
        let below = anchor.is_some_and(|anchor| {
            let inside = &rows[anchor + 1..(at + 1).max(anchor + 1)];
            at > anchor
                && inside.iter().all(|row| {
                    row.section == rows[anchor].section && row.indent > rows[anchor].indent
                })
        });
        let listed = usage.commands.contains(&row.name);
        if (below && usage.commands.is_empty()) || listed {
            found.push(child(row));
        }
    }
    for name in &usage.commands {
        let known = found
            .iter()
            .any(|child| child.name == *name || child.aliases.contains(name));
        if !known {
            found.push(ChildSketch {
                name: name.clone(),
                ..ChildSketch::default()
            });
        }
    }
    found
}

/// Returns true if a positional stands for a command.
fn is_command(positional: &Positional) -> bool {
    let id = positional.id.to_lowercase();
    matches!(id.as_str(), "command" | "subcommand" | "cmd" | "action")
}

/// The commands that a sentence lists: `Command to run. Available: add, check-out, rm`.
fn listed_in(text: &str, parent: &CommandPath) -> Vec<ChildSketch> {
    let Some((before, list)) = text.split_once(": ") else {
        return Vec::new();
    };
    let said = before.to_lowercase();
    if !["available", "commands", "one of"]
        .iter()
        .any(|end| said.ends_with(end))
    {
        return Vec::new();
    }
    // A line may have been broken behind a dash.
    let list = list.replace("- ", "-");
    let names: Vec<&str> = list
        .trim_end_matches('.')
        .split(',')
        .map(str::trim)
        .collect();
    let plain = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    if names.len() < 3 || !names.iter().all(plain) {
        return Vec::new();
    }
    let names = names.into_iter().filter(|name| *name != "help");
    names
        .map(|name| ChildSketch::named(parent, name, ""))
        .collect()
}

/// The subcommands of a usage that has no word for them, only dots: the rows below a heading that speaks of commands.
fn unnamed_children(
    usage: &usage::ArgparseUsage,
    rows: &[rows::ArgparseNames],
) -> Vec<ChildSketch> {
    if !usage.remainder {
        return Vec::new();
    }
    let below = rows.iter().filter(|row| row.section.contains("command"));
    let least = below.clone().map(|row| row.indent).min();
    below
        .filter(|row| Some(row.indent) == least)
        .map(child)
        .collect()
}

fn child(row: &rows::ArgparseNames) -> ChildSketch {
    ChildSketch {
        name: row.name.clone(),
        aliases: row.aliases.clone(),
        about: (!row.text.is_empty()).then(|| Fact::new(row.text.clone(), Origin::Help)),
        listed: Some(Fact::new(String::new(), Origin::Help)),
        ..ChildSketch::default()
    }
}

/// The positionals of the usage line with what their rows say.
fn positionals(
    usage: &usage::ArgparseUsage,
    rows: &[rows::ArgparseNames],
    children: &[ChildSketch],
) -> Vec<Positional> {
    let mut found = usage.positionals.clone();
    let mut rest = usage.remainder && children.is_empty();
    // `name ...` without commands is a positional before the rest of the line.
    let word = usage.command_word.as_ref().filter(|_| children.is_empty());
    if let Some(word) = word.filter(|word| rows.iter().any(|row| row.name == **word)) {
        found.push(Positional::new(word.to_lowercase()).required());
        rest = true;
    }
    for positional in &mut found {
        let word = positional
            .name
            .clone()
            .unwrap_or_else(|| positional.id.clone());
        if let Some(row) = rows.iter().find(|row| row.name == word) {
            rows::describe(positional, row);
        }
    }
    if rest {
        let named = |row: &&rows::ArgparseNames| {
            let known = found
                .iter()
                .any(|positional| positional.name.as_deref().unwrap_or(&positional.id) == row.name);
            !known && row.section == "positional arguments" && row.name != "..."
        };
        let row = rows.iter().find(named);
        let id = row.map_or_else(|| "args".to_owned(), |row| row.name.to_lowercase());
        let mut remainder = Positional::new(id).variadic();
        remainder.allow_hyphen = true;
        if let Some(row) = row {
            rows::describe(&mut remainder, row);
        }
        found.push(remainder);
    }
    found
}

#[cfg(test)]
mod tests;
