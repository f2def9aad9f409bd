//! One tolerant reader for whatever no other family knows: rows of options, and rows that may be commands.

use std::{
    borrow::Cow,
    collections::HashSet,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use charmer_core::model::{Arguments, CommandPath, Positional, Shared, Syntax};

use super::{
    Asker, Family, Page, Refining, Signs,
    first_word::AskedFirstWord,
    further::AskedFurther,
    getopt::{getopt_flags, indent},
    gnu::{about, left_out_warning},
    hand_on, in_place,
    long_value::AskedLongValue,
    optparse::OptparseCommands,
    pattern::{arguments_of, usage_flags},
    told_below,
    value_trial::ValueTrial,
};
use crate::{
    fact::{Fact, Origin},
    help::{
        GroupedRow, behind_path, grouped_rows, heads_commands, rows, says_usage, sections,
        usage_statements, with_colons,
    },
    manual,
    sketch::{ChildSketch, CommandSketch, FlagSketch, KindSketch},
};

/// The family.
#[derive(Default)]
pub(crate) struct Fallback {
    /// The commands that the root lists: a page that lists the same is the root's again.
    root: OnceLock<Vec<String>>,
    /// The root describes all of its commands in place.
    told: AtomicBool,
    /// A command was seen to show the root's page instead of its own.
    no_pages: AtomicBool,
    /// The root names a command that shows the help of others.
    help_command: AtomicBool,
    further: AskedFurther,
    long_value: AskedLongValue,
    first_word: AskedFirstWord,
    values: ValueTrial,
    optparse: OptparseCommands,
}

impl Family for Fallback {
    fn name(&self) -> &'static str {
        "other"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let text = signs.text();
        let flags = !getopt_flags(text).0.is_empty();
        if flags || !command_rows(text).is_empty() {
            // Whatever a family recognises is surer than this.
            10
        } else if text.lines().any(says_usage) {
            5
        } else {
            0
        }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt()
            .long_value(self.long_value.get())
            .first_word_is_letters(self.first_word.is_letters())
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let Some(sketch) = read(page.text(), page.program, page.path) else {
            self.note_no_page(page);
            return None;
        };
        self.optparse.note(page);
        let names: Vec<String> = sketch
            .children
            .iter()
            .map(|child| child.name.clone())
            .collect();
        if page.path.is_root() {
            let told = sketch.children.iter().all(|child| child.told.is_some());
            self.told.store(told, Ordering::Relaxed);
            let _ = self.root.set(names);
            self.further.note(page.text());
            self.values.note(page.text(), page.program, &sketch.flags);
            let help_command = says_help_command(page.text(), page.program);
            self.help_command.store(help_command, Ordering::Relaxed);
        } else if !names.is_empty() && self.root.get() == Some(&names) {
            return None;
        }
        Some(sketch)
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        // One that shows the root's page speaks for all that are described there.
        if !path.is_root() && self.no_pages.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut words = path.words().to_vec();
        words.push("--help".into());
        let mut requests = vec![words];
        if !path.is_root() && self.help_command.load(Ordering::Relaxed) {
            let mut words = vec!["help".to_owned()];
            words.extend_from_slice(path.words());
            requests.insert(0, words);
        }
        requests
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            self.further.ask(asker, sketch).await;
            told_below::ask(asker, sketch).await;
            manual::complete(asker.binary, sketch);
            self.values.ask(asker, sketch).await;
            let asks = sketch.path.is_root() && !hand_on::runs_first_word(sketch);
            let first_word = self.first_word.ask(asker, asks);
            tokio::join!(self.long_value.ask(asker, sketch), first_word);
            self.optparse.ask(asker, sketch).await;
            hand_on::ask(asker, sketch).await;
        })
    }
}

impl Fallback {
    /// Notes that a command has no page, where its root describes it.
    fn note_no_page(&self, page: &Page<'_>) {
        let told = self.told.load(Ordering::Relaxed) && !page.path.is_root();
        let again = || {
            let names = command_rows(page.text())
                .into_iter()
                .map(|child| child.name);
            self.root.get() == Some(&names.collect())
        };
        if told && again() {
            self.no_pages.store(true, Ordering::Relaxed);
        }
    }
}

pub(super) fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
    let text = &with_colons(text);
    let usage = usage_statements(text, program);
    let mut rests: Vec<&str> = usage
        .iter()
        .filter_map(|line| behind_path(line, path.words()))
        .collect();
    // Some programs show their commands as if they were programs: `Usage: sign [options]`.
    if let (Some(own), true) = (path.words().last(), rests.is_empty()) {
        let named = usage
            .iter()
            .filter_map(|line| line.strip_prefix(own.as_str()));
        rests.extend(named.filter(|rest| rest.is_empty() || rest.starts_with(' ')));
    }
    // Only a usage line that has its path shows that a command is there.
    if !path.is_root() && rests.is_empty() {
        return None;
    }
    let mut sketch = CommandSketch::new(path.clone());
    if !usage.is_empty() {
        sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    }
    sketch.arguments = arguments_of(&rests);
    if let Some(about) = about(text) {
        sketch.about = Some(Fact::new(about, Origin::Help));
    }
    let (mut flags, left_out) = getopt_flags(text);
    take_bracketed(text, &mut flags);
    if flags.is_empty() {
        flags.extend(rests.iter().flat_map(|rest| usage_flags(rest)));
    }
    for flag in flags {
        sketch.add_flag(flag);
    }
    sketch.warnings.extend(left_out_warning(&left_out));
    sketch.aliases = aliases(text);
    sketch.children = command_list(text, path, &usage);
    if sketch.children.is_empty() {
        sketch.children = stated_commands(text, program, path);
    }
    if sketch.children.is_empty() && path.is_root() {
        let rows = grouped_rows(text, program).into_iter();
        sketch.add_children(rows.filter_map(grouped_child));
    }
    match sketch.children.is_empty() {
        true => {
            // What no statement shows may be given all the same.
            if path.is_root() && sketch.arguments.is_none() {
                let any = Arguments::Listed(vec![Positional::new("args").variadic()]);
                sketch.arguments = Some(Fact::new(any, Origin::Convention));
            }
            take_command_options(text, &mut sketch);
            free_command_word(text, &mut sketch);
        }
        false => drop_command_word(&mut sketch),
    }
    Some(sketch)
}

/// The command of a row, or the one that it stands below.
fn grouped_child(row: GroupedRow) -> Option<ChildSketch> {
    let listed = Some(Fact::new(row.heading, Origin::Help));
    let about = Some(Fact::new(row.text, Origin::Help));
    let mut names = row.path.into_iter();
    let name = names.next().filter(|name| name != "help")?;
    let child = |name, aliases, about| ChildSketch {
        name,
        aliases,
        about,
        listed: listed.clone(),
        ..ChildSketch::default()
    };
    let Some(below) = names.next() else {
        return Some(child(name, row.aliases, about));
    };
    let below = vec![child(below, Vec::new(), about)];
    Some(ChildSketch {
        below,
        ..child(name, Vec::new(), None)
    })
}

/// `Use "tool help COMMAND" to get detailed help.`
fn says_help_command(text: &str, program: &str) -> bool {
    let text = text.to_lowercase();
    let mark = format!("{} help ", program.to_lowercase());
    let mut behind = text.split(mark.as_str()).skip(1);
    behind.any(|rest| {
        let word = rest.trim_start_matches(['<', '[']);
        word.starts_with("command") || word.starts_with("subcommand")
    })
}

/// The commands that a page lists by their statements: `    tool group add [options] <name>`, each with a text below.
pub(super) fn stated_commands(text: &str, program: &str, path: &CommandPath) -> Vec<ChildSketch> {
    let mut found: Vec<ChildSketch> = Vec::new();
    let mut seen = HashSet::new();
    let sections = sections(text).into_iter();
    let plain = sections.filter(|section| !section.heading.to_lowercase().contains("example"));
    let mut headed = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for section in plain {
        let heads = speaks_of_commands(&section.heading.to_lowercase());
        // A blank line stands for the heading.
        headed.extend(std::iter::repeat_n(heads, section.lines.len() + 1));
        lines.push("");
        lines.extend(section.lines);
    }
    for (at, line) in lines.iter().enumerate() {
        let content = line.trim();
        let is_text = || continues_option(&lines[..at], indent(line));
        if content.len() == line.len() || !content.starts_with(program) || is_text() {
            continue;
        }
        // The text may stand in a column of its own, or below.
        let (content, beside) = content.split_once("  ").unwrap_or((content, ""));
        let rest = behind_path(content, path.words()).unwrap_or_default();
        let mut behind = rest.split(' ');
        let next = behind.next();
        // The text of a command that stands below this one says nothing of it.
        let below = behind.next().is_some_and(is_name);
        let text = lines
            .get(at + 1)
            .filter(|text| !below && indent(text) > indent(line));
        if let Some(name) = next.filter(|name| is_name(name) && *name != "help")
            && seen.insert(name.to_owned())
        {
            let (name, beside) = (name.to_owned(), beside.trim());
            let text = text.filter(|_| beside.is_empty());
            // Or above: `  Make a bucket`, and further in `tool mb NAME`.
            let above = at.checked_sub(1).map(|above| lines[above]);
            let above = above.filter(|above| {
                headed[at] && !above.trim().is_empty() && indent(above) < indent(line)
            });
            let text = text.or(above.as_ref().filter(|_| beside.is_empty()));
            let text = text.map_or(beside, |text| text.trim());
            let about = (!text.is_empty()).then(|| Fact::new(text.to_owned(), Origin::Help));
            let told = (!beside.is_empty() || above.is_some()) && !below;
            let arguments = rest.strip_prefix(name.as_str()).unwrap_or_default();
            let told =
                told.then(|| Box::new(stated(content, path.child(name.as_str()), arguments)));
            found.push(ChildSketch {
                name,
                about,
                listed: Some(Fact::new(String::new(), Origin::Help)),
                told,
                ..ChildSketch::default()
            });
        }
    }
    // A word before a place in brackets stands for itself, also where it is the only one: `tool group add <name>`.
    let statements = usage_statements(text, program);
    let alone = !path.is_root() && matches!(statements.as_slice(), [only] if only.ends_with('>'));
    if found.len() > 1 || alone {
        found
    } else {
        Vec::new()
    }
}

/// Returns true if a line so far in goes on with the text of an option above it, in which the program may be named.
fn continues_option(above: &[&str], column: usize) -> bool {
    let above = above
        .iter()
        .rev()
        .take_while(|line| !line.trim().is_empty());
    let mut rows = above.filter(|line| indent(line) < column);
    rows.any(|line| line.trim_start().starts_with('-'))
}

/// A command that is known by its statement alone.
fn stated(statement: &str, path: CommandPath, arguments: &str) -> CommandSketch {
    let mut sketch = CommandSketch::new(path);
    sketch.usage = Some(Fact::new(statement.to_owned(), Origin::Help));
    sketch.arguments = arguments_of(&[arguments.trim()]);
    sketch.runnable = Some(Fact::new(true, Origin::Help));
    sketch
}

/// `tool COMMAND ...`, and the commands are listed without being read one by one: which of them is run when none is given,
/// or whether an option stands for one, is for the program to say.
pub(super) fn free_command_word(text: &str, sketch: &mut CommandSketch) {
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
    else {
        return;
    };
    let [command] = listed.as_mut_slice() else {
        return;
    };
    let lists_commands = || {
        let sections = sections(text);
        sections
            .iter()
            .any(|section| speaks_of_commands(&section.heading.to_lowercase()))
    };
    if command.variadic && stands_for_command(&command.id) && lists_commands() {
        command.required = false;
    }
}

/// Returns true if a heading, in small letters, stands above commands.
pub(super) fn speaks_of_commands(heading: &str) -> bool {
    let mut words = heading.split_whitespace();
    words.any(|word| matches!(word, "commands" | "subcommands"))
}

/// `tool <command>`, where all commands are options (`-i|--install <file>...`): what such a row shows behind the name
/// are the operands of the line, and the word stands for the option and them.
pub(super) fn take_command_options(text: &str, sketch: &mut CommandSketch) {
    let sections = sections(text).into_iter();
    let headed = sections.filter(|one| speaks_of_commands(&one.heading.to_lowercase()));
    let lines: Vec<&str> = headed.flat_map(|one| one.lines).collect();
    let lines = lines.iter().filter(|line| line.starts_with("  "));
    let rows: Vec<&str> = lines.map(|line| line.trim()).collect();
    if rows.len() < 2 || !rows.iter().all(|row| row.starts_with('-')) {
        return;
    }
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
    else {
        return;
    };
    let Some(command) = listed.last_mut().filter(|one| stands_for_command(&one.id)) else {
        return;
    };
    *command = Positional::new("args").variadic();
    let (options, _) = getopt_flags(&rows.join("\n"));
    for option in options {
        let attached = format!("--{}=", option.long.as_deref().unwrap_or_default());
        let operand = |flag: &&mut Shared<FlagSketch>| {
            !flag.is_switch() && !rows.iter().any(|row| row.contains(&attached))
        };
        let known = sketch.flags.iter_mut().find(|flag| flag.is_same(&option));
        if let Some(flag) = known.filter(operand) {
            flag.kind = Some(Fact::new(KindSketch::switch(), Origin::Help));
            (flag.placeholder, flag.choices, flag.default) = (None, None, None);
        }
    }
}

fn stands_for_command(id: &str) -> bool {
    matches!(id, "command" | "subcommand" | "cmd" | "sub-command")
}

/// `tool <command> [options]`: the word stands for the commands that are listed, and what is behind it is theirs. As a
/// positional it would be wanted before each of them.
fn drop_command_word(sketch: &mut CommandSketch) {
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
    else {
        return;
    };
    if let Some(at) = listed.iter().position(|one| stands_for_command(&one.id)) {
        // `tool COMMAND ...`, where commands are described in place: one of them, or an option, may be what is run when
        // none is given.
        let told = sketch.children.iter().all(|child| child.told.is_some());
        if told && listed[at].variadic {
            sketch.runnable = Some(Fact::new(true, Origin::Convention));
        }
        listed.truncate(at);
    }
}

/// `aliases: add, i`: other names of a command, on a line of its page.
fn aliases(text: &str) -> Vec<String> {
    let behind = |line: &'_ str| {
        let (label, names) = line.split_once(':')?;
        let label = label.to_lowercase();
        matches!(label.as_str(), "alias" | "aliases").then(|| names.trim().to_owned())
    };
    let names = text.lines().find_map(behind).unwrap_or_default();
    let names: Vec<String> = names
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect();
    let all = names.iter().all(|name| is_name(name));
    if all { names } else { Vec::new() }
}

/// Completes options that are shown twice, in brackets and as rows: the brackets tell what rows leave out, the value
/// (`[--name <value>]`), that a switch is on by default (`[--no-name]`), and the others of several that exclude each
/// other (`[--name|--other]`).
fn take_bracketed(text: &str, flags: &mut Vec<FlagSketch>) {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with('['));
    let joined = lines.collect::<Vec<_>>().join(" ");
    let is_switch = |flag: &FlagSketch| flag.kind.is_none() || flag.is_switch();
    let rows = flags.len();
    for shown in usage_flags(&joined) {
        if let Some(flag) = flags.iter_mut().find(|flag| flag.is_same(&shown)) {
            if is_switch(flag) && !is_switch(&shown) {
                flag.kind = shown.kind;
                flag.placeholder = shown.placeholder;
            }
            continue;
        }
        let negated = shown
            .long
            .as_deref()
            .and_then(|long| long.strip_prefix("no-"));
        let opposed = flags.iter_mut().find(|flag| {
            let is_named = negated.is_some() && flag.long.as_deref() == negated;
            is_named && is_switch(flag)
        });
        match opposed {
            Some(flag) => {
                // Beside `--save` itself, `--no-save` says nothing of the default.
                let alone = !joined.contains(&format!("--{}|", negated.unwrap_or_default()));
                if alone && flag.default.is_none() {
                    flag.default = Some(Fact::new(vec!["true".into()], Origin::Usage));
                }
                flag.negation = shown.long;
            }
            None if rows > 0 && shown.long.is_some() => flags.push(shown),
            None => {}
        }
    }
}

/// The commands that a text lists: rows, or words between commas or in columns, below a heading that speaks of
/// commands.
pub(super) fn command_rows(text: &str) -> Vec<ChildSketch> {
    command_list(text, &CommandPath::root(), &[])
}

/// The same text with headings over commands as they are elsewhere: one that stands a column in is moved out, and rows that
/// stand in the column of a heading without a colon are moved in.
fn with_plain_headings(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let heads = |line: &str| heads_commands(line.trim_start()) && indent(line) <= 2;
    let odd = |at: usize| {
        let (line, next) = (lines[at], lines.get(at + 1).copied().unwrap_or_default());
        let moved = indent(line) > 0 && line.ends_with(':');
        let bare = indent(line) == 0 && !line.ends_with(':') && next.contains("  ");
        let row = next.split(' ').next().is_some_and(is_name);
        heads(line) && (moved || bare && row)
    };
    if !(0..lines.len()).any(odd) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 2 * lines.len());
    let mut below = false;
    // What stands in the column of a heading that is moved out is none of its rows.
    let mut moved = 0;
    for (at, line) in lines.iter().enumerate() {
        if odd(at) {
            moved = indent(line);
            below = moved == 0;
            plain.push_str(line.trim().trim_end_matches(':'));
            plain.push(':');
        } else {
            below &= !line.is_empty();
            if below {
                plain.push_str("  ");
            }
            plain.push_str(match moved > 0 && indent(line) <= moved {
                true => line.trim_start(),
                false => line,
            });
        }
        plain.push('\n');
    }
    Cow::Owned(plain)
}

/// The same for the page of a command. Where rows show the commands' arguments too, the commands have no help of their
/// own to ask for, as a rule, and are what these rows say.
fn command_list(text: &str, parent: &CommandPath, usage: &[String]) -> Vec<ChildSketch> {
    let mut found: Vec<ChildSketch> = Vec::new();
    let mut seen = HashSet::new();
    for (heading, names) in in_place::columns(text) {
        let listed = Some(Fact::new(heading, Origin::Help));
        let names = names.into_iter();
        let new = names.filter(|name| name != "help" && seen.insert(name.clone()));
        found.extend(new.map(|name| ChildSketch {
            name,
            listed: listed.clone(),
            ..ChildSketch::default()
        }));
    }
    let plain = with_plain_headings(text);
    let sections = sections(&plain).into_iter();
    let sections = sections.filter(|one| speaks_of_commands(&one.heading.to_lowercase()));
    let sections: Vec<_> = sections.collect();
    let tables = sections.iter().filter_map(|section| {
        let indented = section.lines.iter().copied();
        let indented = indented.filter(|line| line.is_empty() || line.starts_with([' ', '\t']));
        in_place::command_table(section.heading, &indented.collect::<Vec<_>>())
    });
    let mut tables: Vec<_> = tables.collect();
    if tables.is_empty() && found.is_empty() {
        // A command that shows the page of the one above it is itself among them.
        let is_own = |table: &in_place::CommandTable| {
            let own = parent.words().last();
            table.rows.iter().all(|row| Some(&row.name) != own)
        };
        tables.extend(in_place::points(text).filter(is_own));
    }
    // Some of a program's commands take nothing, so that one row with arguments speaks for all.
    if tables.iter().any(|table| table.in_place) {
        let told = in_place::told_children(tables, parent, usage);
        let told = told.into_iter();
        return told
            .filter(|child| child.name != "help" && seen.insert(child.name.clone()))
            .collect();
    }
    for section in sections {
        let listed = Some(Fact::new(section.heading.to_string(), Origin::Help));
        let lines: Vec<&str> = section
            .lines
            .iter()
            .copied()
            .filter(|line| line.is_empty() || line.starts_with([' ', '\t']))
            .collect();
        if let Some(names) = comma_list(&lines) {
            seen.extend(names.iter().cloned());
            found.extend(names.into_iter().map(|name| ChildSketch {
                name,
                listed: listed.clone(),
                ..ChildSketch::default()
            }));
            continue;
        }
        // An option that stands among them is no row of theirs, wherever it begins.
        let named = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with('-');
        let indents = lines.iter().filter(named);
        let least = indents
            .map(|line| crate::help::expand_tabs(line))
            .map(|line| line.len() - line.trim_start().len())
            .min();
        for row in rows(&lines, |indent, _| Some(indent) == least) {
            let mut words = row.name.split([',', ' ']).filter(|word| !word.is_empty());
            let Some(name) = words.next() else { continue };
            // Behind the name only other names and placeholders stand; prose is no row.
            if row.text.is_empty() || !is_name(name) {
                continue;
            }
            let aliased = row.name.contains(", ");
            if !aliased && row.name.contains(' ') {
                return Vec::new();
            }
            let aliases = words
                .filter(|word| aliased && is_name(word))
                .map(Into::into)
                .collect();
            let name = name.to_owned();
            if name == "help" || !seen.insert(name.clone()) {
                continue;
            }
            let about = Some(Fact::new(row.text, Origin::Help));
            found.push(ChildSketch {
                name,
                aliases,
                about,
                listed: listed.clone(),
                ..ChildSketch::default()
            });
        }
    }
    found
}

/// Returns true if a word can be a command's name.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
        && !word.ends_with([':', '.'])
}

/// `add, list, remove`, over several lines.
fn comma_list(lines: &[&str]) -> Option<Vec<String>> {
    let joined = lines
        .iter()
        .map(|line| line.trim())
        .collect::<Vec<_>>()
        .join(" ");
    let names: Vec<&str> = joined
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let all = names.len() > 2 && names.iter().all(|name| is_name(name));
    all.then(|| {
        names
            .into_iter()
            .filter(|name| *name != "help")
            .map(Into::into)
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_below_a_heading_of_commands() {
        let text = "tool <command>\n\nThe commands are:\n\n\tadd, a      Add a thing\n\tlist        List them\n\tset         Set one\n\nUse \"tool help\".\n\nNotes:\n  these are   no commands\n";
        let found = command_rows(text);
        let shown: Vec<_> = found
            .iter()
            .map(|c| (c.name.as_str(), c.aliases.join(" ")))
            .collect();
        assert_eq!(
            shown,
            [
                ("add", "a".into()),
                ("list", String::new()),
                ("set", String::new())
            ]
        );
        let in_place = "Commands:\n  start UNIT...   Start it\n  halt            Stop all\n";
        let told = command_rows(in_place);
        assert!(told.len() == 2 && told.iter().all(|child| child.told.is_some()));
        let found = command_rows("All commands:\n\n    access, audit,\n    bugs, help\n");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn headings_stand_in_or_have_no_colon() {
        let names = |text: &str| -> Vec<String> {
            command_rows(text)
                .into_iter()
                .map(|child| child.name)
                .collect()
        };
        let moved = "Tool 2 - no project\n\nUsage:\n   tool <command> [options]\n Available commands:\n\n  fetch     Fetch it\n  view      View it\n\n   [ more ]      More of them\n\n Use \"tool <command> -h\"\n";
        assert_eq!(names(moved), ["fetch", "view"]);
        let bare = "\nOne's commands\ncache      Look at\n             it.\nconfig     Set it.\n\nOther commands\nbuild      Build it.\n\nType \"tool <command> -h\" for help\n";
        assert_eq!(names(bare), ["cache", "config", "build"]);
    }

    #[test]
    fn a_command_may_be_told_above_its_statement() {
        let text = "Usage: jug [options] COMMAND [parameters]\n\nOptions:\n  -n, --dry-run  Only look.\n\nCommands:\n  Make a jug\n      jug mb s3://JUG\n  Pour it\n      jug pour s3://JUG FILE\n";
        let found = stated_commands(text, "jug", &CommandPath::root());
        let said = |at: usize| found[at].about.as_ref().map(|about| about.value.as_str());
        assert_eq!((said(0), said(1)), (Some("Make a jug"), Some("Pour it")));
        assert!(found.iter().all(|child| child.told.is_some()));
    }

    #[test]
    fn the_text_of_an_option_states_no_command() {
        let text = "Usage: jug [OPTION...] files\n\n Modes:\n\n  -v, --validate   Look at it. This will look whether a\n                   jug archive is whole, and each\n                   jug or other thing\n";
        assert!(stated_commands(text, "jug", &CommandPath::root()).is_empty());
    }

    #[test]
    fn a_usage_line_alone_is_help() {
        let text = "usage: wait [-q] [--every <seconds>] SECONDS\n";
        assert!(text.lines().any(says_usage));
        assert!(!"Usage:\nusage".lines().any(says_usage));
        let sketch = read(text, "wait", &CommandPath::root()).expect("a page");
        let flags: Vec<String> = sketch.flags.iter().map(FlagSketch::id).collect();
        assert_eq!(flags, ["q", "every"]);
        let arguments = sketch.arguments.expect("arguments").value;
        assert_eq!(arguments.listed()[0].id, "seconds");
    }

    #[test]
    fn the_word_for_a_command_is_no_positional_of_its_own() {
        let positionals = |text: &str| {
            let sketch = read(text, "tool", &CommandPath::root()).expect("a page");
            let arguments = sketch.arguments.expect("arguments").value;
            arguments.listed().len()
        };
        let commands = "\n\nCommands:\n  install     Install packages.\n  list        List them.\n";
        assert_eq!(
            positionals(&format!("Usage:\n  tool <command> [options]{commands}")),
            0
        );
        assert_eq!(
            positionals("Usage: tool <command>\n\nOptions:\n  -q  Quiet.\n"),
            1
        );
    }

    #[test]
    fn commands_that_a_page_states() {
        let text = "usage: tool [global] <group> <command>\n\nOptions:\n  --all    All\n\n    tool egg add [options] <name>\n        Add one\n    tool egg drop <name>\n        Drop one\n\n    tool check <name>\n\nUse --help as an argument.\n";
        let names = |path: &str| {
            let found = stated_commands(text, "tool", &CommandPath::parse(path)).into_iter();
            found.map(|child| child.name).collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["egg", "check"]);
        assert_eq!(names("egg"), ["add", "drop"]);
        assert!(names("check").is_empty());
    }

    #[test]
    fn statements_with_their_texts_beside_them_are_all_that_is_known() {
        let text = "Usage: tool egg [flags] [<command>]\n\nCommands:\n\n  tool egg boil          boil all\n  ├ --soft               not for long\n  tool egg crack <egg>   crack one\n";
        let found = read(text, "tool", &CommandPath::parse("egg"))
            .expect("a page")
            .children;
        let about = |at: usize| found[at].about.as_ref().map(|fact| fact.value.as_str());
        assert_eq!((about(0), about(1)), (Some("boil all"), Some("crack one")));
        let told = found[1].told.as_ref().expect("told");
        let arguments = told.arguments.as_ref().map(|fact| fact.value.listed());
        assert!(arguments.is_some_and(|listed| listed[0].required && listed[0].id == "egg"));
    }

    #[test]
    fn a_row_for_any_command_and_a_column_of_examples_are_no_commands() {
        let text = "Usage: tool <command> [...args]\n\nCommands:\n  run       ./a.js     Run a file\n            dev        Run a script\n  test                 Run tests\n  patch <pkg>          Patch it\n\n  <command> --help     Print help of a command\n\nFlags:\n  --cold   Do\n";
        let found = command_rows(text);
        let shown: Vec<_> = found
            .iter()
            .map(|child| {
                (
                    child.name.as_str(),
                    child.about.as_ref().map(|fact| fact.value.as_str()),
                )
            })
            .collect();
        assert_eq!(shown[0].0, "run");
        assert_eq!(shown[1], ("test", Some("Run tests")));
        assert_eq!(shown[2], ("patch", Some("Patch it")));
        assert_eq!(shown.len(), 3);
    }

    #[test]
    fn commands_that_are_options_take_the_operands_of_the_line() {
        let text = "Usage: tool [<option>...] <command>\n\nCommands:\n  -i|--install       <file>... | -R|--recursive <directory>...\n  -L|--list <egg>... List some.\n\nOptions:\n  --root=<folder>    Where.\n  -q|--quiet         Say nothing.\n";
        let sketch = read(text, "tool", &CommandPath::root()).expect("a page");
        let arguments = sketch.arguments.expect("arguments").value;
        assert!(arguments.listed()[0].variadic && !arguments.listed()[0].required);
        let shown: Vec<_> = sketch
            .flags
            .iter()
            .map(|flag| (flag.id(), flag.is_switch()))
            .collect();
        let shown: Vec<_> = shown
            .iter()
            .map(|(id, switch)| (id.as_str(), *switch))
            .collect();
        assert_eq!(
            shown,
            [
                ("install", true),
                ("list", true),
                ("root", false),
                ("quiet", true)
            ]
        );
    }

    #[test]
    fn words_that_a_command_wants_are_its_commands() {
        let names = |text: &str, path: &str| -> Vec<String> {
            let sketch = read(text, "tool", &CommandPath::parse(path)).expect("its page");
            sketch
                .children
                .into_iter()
                .map(|child| child.name)
                .collect()
        };
        let one = "Usage:\n  tool shelf look <thing>\n\nOptions:\n  -q  Quiet\n";
        assert_eq!(names(one, "shelf"), ["look"]);
        // Without a place in brackets the word may be one.
        let word = "Usage:\n  tool shelf thing\n\nOptions:\n  -q  Quiet\n";
        assert_eq!(names(word, "shelf"), [""; 0]);
        let points = "Usage:\n  tool box [<kind>] list\n\n  tool box [<kind>] put box.option value\n\nDescription:\n  Boxes.\n\n  Subcommands:\n\n  - list: List them\n  - put: Put one\n";
        assert_eq!(names(points, "box"), ["list", "put"]);
        // Where it shows this page again it has none.
        assert_eq!(names(points, "box put"), [""; 0]);
    }

    #[test]
    fn a_command_may_show_the_help_of_others() {
        assert!(says_help_command(
            "Use “tool help COMMAND” to get it.",
            "tool"
        ));
        assert!(says_help_command("Run 'tool help <command>'.", "tool"));
        assert!(!says_help_command("tool help shows this", "tool"));
    }

    #[test]
    fn a_child_needs_its_path_in_the_usage() {
        let path = CommandPath::parse("add");
        assert!(
            read(
                "Usage:\ntool add [<thing>]\n\nOptions:\n  -f|--force\n    Do it.\n",
                "tool",
                &path
            )
            .is_some()
        );
        assert!(read("Usage: tool <command>\n\n  -f  Do it.\n", "tool", &path).is_none());
        assert!(read("unknown command add\n", "tool", &path).is_none());
    }

    #[test]
    fn brackets_tell_what_rows_leave_out() {
        let text = "Usage:\ntool add\n\nOptions:\n[-S|--save|--no-save|--save-dev] [--no-lock] [--all]\n\n  -S|--save\n    Save it.\n\n  --lock\n    Lock it.\n\n  --all\n    All.\n\n\naliases: a, ad\n";
        let sketch = read(text, "tool", &CommandPath::parse("add")).expect("its page");
        assert_eq!(sketch.aliases, ["a", "ad"]);
        let shown: Vec<_> = sketch
            .flags
            .iter()
            .map(|flag| {
                let default = flag.default.as_ref().map(|fact| fact.value.join(","));
                (flag.id(), flag.negation.as_deref(), default)
            })
            .collect();
        let on = Some("true".to_owned());
        assert_eq!(
            shown,
            [
                ("save".into(), Some("no-save"), None),
                ("lock".into(), Some("no-lock"), on),
                ("all".into(), None, None),
                ("save-dev".to_owned(), None, None)
            ]
        );
    }

    #[test]
    fn a_value_may_only_be_shown_in_brackets() {
        let text = "Usage:\ntool add\n\nOptions:\n[--shelf <name>] [-f|--force]\n\n  --shelf\n    Where.\n\n  -f|--force\n    Do it.\n";
        let sketch = read(text, "tool", &CommandPath::parse("add")).expect("its page");
        let kinds: Vec<_> = sketch
            .flags
            .iter()
            .map(|flag| {
                (
                    flag.id(),
                    flag.kind
                        .as_ref()
                        .map(|kind| kind.value == KindSketch::switch()),
                )
            })
            .collect();
        assert_eq!(
            kinds,
            [
                ("shelf".into(), Some(false)),
                ("force".to_owned(), Some(true))
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z=', \\-\\n\\t]|ommands:\\n|[\\PC]){0,160}") {
            command_rows(&text);
            read(&text, "a", &CommandPath::root());
        }
    }
}
