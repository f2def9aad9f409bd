//! A help text cut into its sections, and the lists in them: commands, and the texts of positionals.

use charmer_core::model::{Arguments, CommandPath, Positional};

use super::notes::{FlagNotes, take_notes};
use crate::{
    fact::{Fact, Origin},
    family::fallback::is_name,
    help::{Row, Section, expand_tabs, rows},
    sketch::{ChildSketch, CommandSketch},
};

/// A text that begins its usage in the first column, and with a colon behind headings that have none: those with a line
/// drawn below them, and those above options.
pub(super) fn normal(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(expand_tabs).collect();
    let shift = usage_column(&lines);
    let shifted = lines.iter().map(|line| {
        let blank = line.len() - line.trim_start_matches(' ').len();
        line[blank.min(shift)..].trim_end()
    });
    let lines: Vec<&str> = shifted.collect();
    let mut found = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        if is_drawn(line) {
            continue;
        }
        found.push_str(line);
        let next = lines.get(at + 1).copied().unwrap_or_default();
        let above_options = next.starts_with(' ') && next.trim_start().starts_with('-');
        let heading = line.starts_with(char::is_alphabetic)
            && !line.ends_with([':', '.'])
            && line.split_whitespace().count() <= 5;
        // `GLOBAL OPTIONS` is a heading as it is.
        if heading && line.contains(char::is_lowercase) && (is_drawn(next) || above_options) {
            found.push(':');
        }
        found.push('\n');
    }
    found
}

/// The column of the usage line; some programs indent all but what their authors wrote around it.
fn usage_column(lines: &[String]) -> usize {
    let usage = lines.iter().find(|line| {
        let begin = line.trim_start().get(..5);
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case("usage"))
    });
    usage.map_or(0, |line| line.len() - line.trim_start_matches(' ').len())
}

/// Returns true if a line is drawn below a heading.
fn is_drawn(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() > 2 && line.chars().all(|c| matches!(c, '─' | '━' | '═' | '='))
}

/// Returns true if a section's heading, in any case, ends with one of these words: `Global Options` with `options`.
pub(super) fn is_headed(section: &Section<'_>, ends: &[&str]) -> bool {
    let heading = section.heading.to_lowercase();
    ends.iter().any(|end| {
        let before = heading.strip_suffix(end);
        before.is_some_and(|before| before.is_empty() || before.ends_with(' '))
    })
}

/// The rows of a list: those that stand as far in as its first line.
pub(super) fn list_rows(lines: &[&str]) -> Vec<Row> {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let first = lines.iter().find(|line| !line.trim().is_empty());
    let home = first.map_or(0, indent);
    rows(lines, |indent, _| indent == home)
}

/// The command in a row of a list: `add, a`, `add|a [options] <name>`, `tool add <name>`, `$ tool add`, `add (a)`.
/// The program's name and the path of the command that lists it may stand before. `None` if the row is about something
/// else, or about the help and the completion that every such program has.
pub(super) fn child(
    row: &Row,
    heading: &str,
    program: &str,
    path: &CommandPath,
) -> Option<ChildSketch> {
    let mut words: &[&str] = &row.name.split_whitespace().collect::<Vec<_>>();
    words = words.strip_prefix(&["$"]).unwrap_or(words);
    if words.len() > 1 && words[0] == program {
        words = &words[1..];
    }
    let mut named = take_named(&mut words)?;
    for above in path.words() {
        if named.names[0] == *above && !words.is_empty() {
            named = take_named(&mut words)?;
        }
    }
    let mut names = named.names.into_iter();
    let name = names.next()?;
    if matches!(name.as_str(), "help" | "completion" | "autocomplete") {
        return None;
    }
    let listed = Some(Fact::new(heading.to_owned(), Origin::Help));
    // What is said of a command below this one is not about this one.
    if words.first().is_some_and(|word| is_name(word)) {
        return Some(ChildSketch {
            name,
            listed,
            ..ChildSketch::default()
        });
    }
    let (text, notes) = take_notes(&row.text);
    Some(ChildSketch {
        name,
        aliases: names.chain(notes.aliases).collect(),
        about: (!text.is_empty()).then(|| Fact::new(text, Origin::Help)),
        listed,
        ..ChildSketch::default()
    })
}

/// A command as a list or a usage line names it.
pub(super) struct NamedSection {
    /// Its name, and others that it has.
    pub(super) names: Vec<String>,
}

/// Takes the names at the start of some words: `add`, `add, a`, `add|a`, `add (a,ad)`.
pub(super) fn take_named(words: &mut &[&str]) -> Option<NamedSection> {
    let mut names: Vec<String> = Vec::new();
    while let Some((word, rest)) = words.split_first() {
        let in_brackets = word.starts_with('(') && word.ends_with(')');
        if !names.is_empty() && !in_brackets {
            break;
        }
        *words = rest;
        let mut word = *word;
        loop {
            let separated = word.trim_matches(['(', ')']).split([',', '|']);
            names.extend(separated.filter(|name| is_name(name)).map(Into::into));
            // `add, a` goes on behind its comma.
            match (word.ends_with(','), words.split_first()) {
                (true, Some((next, rest))) => (word, *words) = (next, rest),
                _ => break,
            }
        }
        if names.is_empty() {
            return None;
        }
    }
    (!names.is_empty()).then_some(NamedSection { names })
}

/// Gives a command's positionals the texts below this heading. One that has positionals beside its commands does
/// something by itself: `vite [root]` does with a folder.
pub(super) fn describe_positionals(
    sketch: &mut CommandSketch,
    sections: &[Section<'_>],
    heading: &str,
) {
    if let Some(arguments) = &mut sketch.arguments {
        let described = sections.iter().filter(|one| one.is(heading));
        described.for_each(|one| describe(&mut arguments.value, one));
        if !arguments.value.listed().is_empty() && !sketch.children.is_empty() {
            sketch.runnable = Some(Fact::new(true, Origin::Usage));
        }
    }
}

/// Gives positionals the texts of the rows that describe them.
pub(super) fn describe(arguments: &mut Arguments, section: &Section<'_>) {
    describe_by(arguments, list_rows(&section.lines));
}

/// The same for rows that were found otherwise.
pub(super) fn describe_by(arguments: &mut Arguments, rows: Vec<Row>) {
    let Arguments::Listed(listed) = arguments else {
        return;
    };
    for row in rows {
        let id = bare(&row.name);
        let Some(positional) = listed.iter_mut().find(|one| bare(&one.id) == id) else {
            continue;
        };
        let (text, notes) = take_notes(&row.text);
        tell(positional, text, notes);
    }
}

/// The name of a positional without what is written around it.
fn bare(name: &str) -> String {
    let name = name.trim_start_matches('*').trim();
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    name.to_lowercase().replace(['_', ' '], "-")
}

fn tell(positional: &mut Positional, text: String, notes: FlagNotes) {
    positional.required |= notes.required == Some(true);
    if let Some(value_type) = notes.value_type {
        positional.value_type = value_type;
    }
    if positional.choices.is_empty() {
        positional.choices = notes.choices;
    }
    if !positional.required {
        positional.default.extend(notes.default);
    }
    if !text.is_empty() {
        positional.help = Some(text);
    }
}
