//! A help text of a Cobra program: the default templates of all versions, and those that large programs wrote.

use charmer_core::model::{Arguments, CommandPath, parse_usage};

use crate::{
    fact::{Fact, Origin},
    family::Page,
    help::{Row, Section, first_sentence, rows, sections},
    sketch::{ChildSketch, CommandSketch, Scope},
};

use super::pflag;

/// Reads a page; `None` if its usage line is another command's.
pub(super) fn read(page: &Page<'_>) -> Option<CommandSketch> {
    let found = sections(page.text());
    let at = found.iter().position(|section| section.is("usage"))?;
    let usage = usage_lines(&found[at]);
    let first = usage.first()?;
    let program = first.split_whitespace().next()?.to_owned();
    let mut sketch = CommandSketch::new(page.path.clone());
    let aliases = found.iter().find(|section| section.is("aliases"));
    if let Some(aliases) = aliases {
        read_aliases(aliases, &program, &mut sketch);
    }
    let own = usage
        .iter()
        .any(|line| after_path(line, page.path).is_some());
    if !own && !sketch.same_as.contains(page.path) {
        return None;
    }
    sketch.same_as.retain(|path| path != page.path);
    if page.path.is_root() {
        sketch.program = Some(program);
    }

    let mut prose: Vec<String> = Vec::new();
    for (place, section) in found.iter().enumerate() {
        if place == at {
            prose.extend(text_below_usage(section));
        } else if section.is("aliases") || section.heading.to_lowercase().contains("topics") {
            continue;
        } else if section.is("examples") || section.is("example") {
            sketch.examples = Some(Fact::new(section.body(), Origin::Help));
        } else if is_flag_section(section, place > at) {
            read_flags(section, page.path, &mut sketch);
        } else if section.heading.is_empty() {
            prose.push(section.body());
        } else if let Some(children) = children(section) {
            for child in children {
                sketch.add_child(child);
            }
        } else if place < at && !section.lines.is_empty() {
            prose.push(format!("{}:\n{}", section.heading, section.body()));
        }
    }
    let long = prose.join("\n\n").trim().to_owned();
    if !long.is_empty() {
        // Its parent's list says it shorter, where there is one.
        sketch.about = Some(Fact::with(first_sentence(&long), Origin::Help, 65));
        sketch.long_about = Some(Fact::new(long, Origin::Help));
    }
    read_usage(&usage, &mut sketch);
    Some(sketch)
}

/// The usage lines: behind the heading, or indented below it up to the first blank line.
fn usage_lines(section: &Section<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if !section.rest.is_empty() {
        lines.push(section.rest.to_owned());
    }
    for line in &section.lines {
        if !line.starts_with([' ', '\t']) {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    lines
}

/// A template that puts the usage first has its text below it, in the first column.
fn text_below_usage(section: &Section<'_>) -> Option<String> {
    let text: Vec<&str> = section
        .lines
        .iter()
        .skip_while(|line| line.is_empty() || line.starts_with([' ', '\t']))
        .copied()
        // The last line of a template that puts its usage last.
        .filter(|line| !line.starts_with("Use \"") && !line.starts_with("Run '"))
        .collect();
    (!section.rest.is_empty() && !text.is_empty()).then(|| text.join("\n").trim().to_owned())
}

/// What follows the command's path in a usage line; `None` if the line is another command's.
fn after_path<'l>(line: &'l str, path: &CommandPath) -> Option<&'l str> {
    let mut rest = line
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest);
    for word in path.words() {
        rest = rest.trim_start();
        let after = rest.strip_prefix(word.as_str())?;
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            return None;
        }
        rest = after;
    }
    Some(rest.trim())
}

/// Whether a word of a usage line stands for a subcommand.
fn is_command_word(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '<', '>', '.']).to_lowercase();
    matches!(
        bare.as_str(),
        "command" | "subcommand" | "commands" | "sub-command"
    )
}

fn read_usage(usage: &[String], sketch: &mut CommandSketch) {
    let path = sketch.path.clone();
    let own: Vec<&str> = usage
        .iter()
        .filter_map(|line| {
            // A command that is there under several paths may show another of them.
            let other = || {
                sketch
                    .same_as
                    .iter()
                    .find_map(|path| after_path(line, path))
            };
            after_path(line, &path).or_else(other)
        })
        .collect();
    let for_children = |pattern: &str| {
        let lower_or_bare = |word: &str| is_command_word(word) && !sketch.children.is_empty();
        pattern.split_whitespace().take(3).any(lower_or_bare)
    };
    let runs: Vec<&str> = own
        .iter()
        .filter(|pattern| !for_children(pattern))
        .copied()
        .collect();
    if !sketch.children.is_empty() {
        sketch.runnable = Some(Fact::new(!runs.is_empty(), Origin::Usage));
    }
    if let Some(line) = usage.first() {
        sketch.usage = Some(Fact::new(line.clone(), Origin::Usage));
    }
    let arguments = match runs.as_slice() {
        [] => Arguments::default(),
        [only] => parse_usage(strip_marks(only)),
        several => Arguments::Pattern(several.join("\n")),
    };
    sketch.arguments = Some(Fact::new(arguments, Origin::Usage));
}

/// A usage pattern without the words that stand for flags at its end.
fn strip_marks(pattern: &str) -> &str {
    let mut pattern = pattern.trim();
    for mark in ["[flags]", "[options]", "[OPTIONS]"] {
        if let Some(rest) = pattern.strip_suffix(mark) {
            pattern = rest.trim_end();
        }
    }
    pattern
}

/// Aliases are names beside the command's own, or whole paths.
fn read_aliases(section: &Section<'_>, program: &str, sketch: &mut CommandSketch) {
    let body = section.body();
    for alias in body
        .split([',', '\n'])
        .map(str::trim)
        .filter(|alias| !alias.is_empty())
    {
        let words: Vec<&str> = alias.split_whitespace().collect();
        let own = sketch.path.words();
        if words.first() == Some(&program) && words.len() > 1 {
            let path: CommandPath = words[1..].iter().copied().collect();
            let (last, parents) = path.words().split_last().expect("it has words");
            if !own.is_empty() && *parents == own[..own.len() - 1] && own.last() != Some(last) {
                sketch.aliases.push(last.clone());
            }
            sketch.same_as.push(path);
        } else if let [name] = words[..]
            && own.last().is_none_or(|own| own != name)
        {
            sketch.aliases.push(name.to_owned());
        }
    }
}

/// Whether a section lists flags: by its heading, or, behind the usage line, by its rows.
fn is_flag_section(section: &Section<'_>, behind_usage: bool) -> bool {
    let heading = section.heading.to_lowercase();
    let rows = || {
        let mut lines = section.lines.iter().filter(|line| !line.trim().is_empty());
        lines.next().is_some_and(|line| pflag::is_flag(line.trim()))
    };
    // `Options that went away:` is a sentence of somebody's text.
    let named = heading.ends_with("flags") || heading.ends_with("options");
    !section.heading.is_empty() && (named || behind_usage) && rows()
}

fn read_flags(section: &Section<'_>, path: &CommandPath, sketch: &mut CommandSketch) {
    let heading = section.heading.to_lowercase();
    let inherited = !path.is_root()
        && ["global", "inherited", "parent", "persistent"]
            .iter()
            .any(|word| heading.contains(word));
    let scope = if inherited {
        Scope::Inherited
    } else {
        Scope::Own
    };
    for mut flag in pflag::flags(&section.lines) {
        flag.scope = Some(Fact::new(scope, Origin::Help));
        sketch.add_flag(flag);
    }
}

/// The commands that a section lists, if that is what it does.
fn children(section: &Section<'_>) -> Option<Vec<ChildSketch>> {
    let heading = section.heading.to_lowercase();
    if [
        "learn more",
        "environment variables",
        "arguments",
        "json fields",
        "exit codes",
    ]
    .contains(&heading.as_str())
    {
        return None;
    }
    let lines: Vec<&str> = section.lines.clone();
    let first = lines.iter().find(|line| !line.trim().is_empty())?;
    let indent = first.len() - first.trim_start().len();
    let listed = rows(&lines, |at, _| at == indent);
    let said = heading.contains("command");
    let children: Vec<ChildSketch> = listed.iter().filter_map(|row| child(row, said)).collect();
    // Under a heading of its own, prose is told from a list by every row being one.
    let complete = children.len() == listed.len() && indent > 0;
    (!children.is_empty() && (said || complete)).then_some(children)
}

fn child(row: &Row, said: bool) -> Option<ChildSketch> {
    // Where every name fills its column, a single space is all that stands before the text.
    let (name, text) = match row.name.split_once(' ') {
        Some((name, text)) if said && row.text.is_empty() && !name.ends_with(',') => (name, text),
        _ => (row.name.as_str(), row.text.as_str()),
    };
    // Plugins are marked (`buildx*`), some templates put a colon behind the name.
    let column = name.trim_end_matches(['*', ':']);
    let mut names = column.split(',').map(str::trim);
    let name = names.next()?;
    let named = |name: &str| {
        !name.is_empty()
            && name.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+'))
    };
    if !named(name) {
        return None;
    }
    Some(ChildSketch {
        name: name.to_owned(),
        aliases: names.filter(|alias| named(alias)).map(Into::into).collect(),
        about: (!text.is_empty()).then(|| Fact::new(text.to_owned(), Origin::Help)),
        certain: false,
    })
}
