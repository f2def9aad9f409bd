//! Commands that only their parent's page describes: rows that show each with its arguments (`start UNIT...  Start it`),
//! rows in prose (`update - Retrieve lists`), and words in columns.

use charmer_core::model::{CommandPath, Positional};

use super::pattern::{arguments_of, words};
use crate::{
    fact::{Fact, Origin},
    help::{Row, expand_tabs, rows},
    sketch::{ChildSketch, CommandSketch},
};

/// A command as a row shows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandRow {
    pub(super) name: String,
    /// The text behind the name in its column.
    pub(super) arguments: String,
    pub(super) text: String,
    /// An example of what stands behind the name has a column of its own.
    pub(super) example: bool,
}

/// The commands below one heading.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CommandTable {
    pub(super) heading: String,
    pub(super) rows: Vec<CommandRow>,
    /// A row shows arguments or stands in prose. Rows that have nothing but names can be asked for more.
    pub(super) in_place: bool,
}

/// The commands in the rows of a list, if each is one with a text.
pub(super) fn command_table(heading: &str, lines: &[&str]) -> Option<CommandTable> {
    let mut found = Vec::new();
    let mut in_place = false;
    let indents = lines.iter().filter(|line| !line.trim().is_empty());
    let least = indents
        .map(|line| expand_tabs(line))
        .map(|line| line.len() - line.trim_start().len())
        .min()?;
    for row in rows(lines, |indent, _| indent == least) {
        // `<command> --help  Show its help` speaks of all of them.
        if row.name.starts_with('<') {
            continue;
        }
        let (row, prose) = split_prose(row);
        let (name, arguments) = row.name.split_once(' ').unwrap_or((&row.name, ""));
        // `add, a` are two names, and what is no placeholder is a sentence.
        let said = !row.text.is_empty() || !arguments.is_empty();
        if !said || !super::fallback::is_name(name) || !shows_arguments(arguments) {
            return None;
        }
        in_place |= prose || !arguments.is_empty();
        // Between the name and the text an example may have a column of its own.
        let (example, text) = match row.text.rsplit_once("   ") {
            Some((example, text)) if !example.trim().is_empty() => (true, text),
            _ => (false, row.text.as_str()),
        };
        found.push(CommandRow {
            name: name.to_owned(),
            arguments: arguments.trim().to_owned(),
            text: text.trim().to_owned(),
            example,
        });
    }
    // One may have been left without a text, but not all.
    let told = found.iter().any(|row| !row.text.is_empty());
    told.then(|| CommandTable {
        heading: heading.to_owned(),
        rows: found,
        in_place,
    })
}

/// `name - text`: a row without columns.
fn split_prose(mut row: Row) -> (Row, bool) {
    let dash = row.name.split_once(" - ");
    let dash = dash.map(|(name, text)| (name.trim().to_owned(), format!("{text} {}", row.text)));
    match dash {
        Some((name, text)) if !name.contains(' ') => {
            row.name = name;
            row.text = text.trim().to_owned();
            (row, true)
        }
        _ => (row, false),
    }
}

/// Returns true if words behind a command's name are placeholders: `UNIT...`, `[PATH [OPTS]]`, `<name>`, `KEY=VALUE`.
fn shows_arguments(text: &str) -> bool {
    words(text).iter().all(|word| {
        let capital = !word.chars().any(char::is_lowercase) && word.chars().any(char::is_uppercase);
        word.starts_with(['[', '<', '{', '(']) || capital || matches!(*word, "..." | "|")
    })
}

/// The children that a page describes in place, under the command that lists them. `usage` are the statements of the
/// page, which may show arguments that rows leave out.
pub(super) fn told_children(
    tables: Vec<CommandTable>,
    parent: &CommandPath,
    usage: &[String],
) -> Vec<ChildSketch> {
    // Where none of the rows shows arguments, a row without them says nothing.
    let mut all = tables.iter().flat_map(|table| &table.rows);
    let silent = all.all(|row| row.arguments.is_empty());
    let child = |heading: &str, row: CommandRow| {
        let mut sketch = CommandSketch::new(parent.child(row.name.as_str()));
        let stated = usage.iter().find_map(|line| behind_word(line, &row.name));
        let untold = stated.is_none() && silent || row.example;
        let rest = match stated {
            Some(rest) if silent => rest,
            _ => simple(&row.arguments),
        };
        if untold && rest.is_empty() {
            let any = Positional::new("args").variadic();
            let any = charmer_core::model::Arguments::Listed(vec![any]);
            sketch.arguments = Some(Fact::new(any, Origin::Convention));
        } else {
            sketch.arguments = arguments_of(&[rest.as_str()]);
        }
        let program = usage.first().and_then(|line| line.split(' ').next());
        if let Some(program) = program {
            let mut line = vec![program];
            line.extend(sketch.path.words().iter().map(String::as_str));
            line.push(&row.arguments);
            sketch.usage = Some(Fact::new(line.join(" ").trim().to_owned(), Origin::Help));
        }
        sketch.runnable = Some(Fact::new(true, Origin::Help));
        ChildSketch {
            name: row.name,
            about: (!row.text.is_empty()).then(|| Fact::new(row.text, Origin::Help)),
            listed: Some(Fact::new(heading.to_owned(), Origin::Help)),
            told: Some(Box::new(sketch)),
            ..ChildSketch::default()
        }
    };
    let children = tables.into_iter().flat_map(|table| {
        let heading = table.heading;
        let rows = table.rows.into_iter();
        rows.map(|row| child(&heading, row)).collect::<Vec<_>>()
    });
    children.collect()
}

/// The part of a usage statement behind a command's name, which may stand among others: `install|remove PACKAGE...`.
fn behind_word(statement: &str, name: &str) -> Option<String> {
    let all = words(statement);
    let at = all.iter().position(|word| {
        let word = word.trim_matches(['{', '}', '(', ')']);
        word.split('|').any(|one| one.trim() == name)
    })?;
    let rest = &all[at + 1..];
    Some(numbered(rest).unwrap_or_else(|| rest.join(" ")))
}

/// `item1 [item2 ...]` are several of one kind.
fn numbered(rest: &[&str]) -> Option<String> {
    let [first, more] = rest else { return None };
    let stem = first.strip_suffix('1')?;
    let more = more.strip_prefix('[')?.strip_suffix(']')?;
    let more = more.trim_end_matches(['.', ' ']).strip_suffix('2')?;
    (more == stem).then(|| format!("<{stem}>..."))
}

/// Alternatives that are all several (`[PATTERN...|PID...]`) are one list.
fn simple(arguments: &str) -> String {
    let simple = |word: &&str| {
        let (open, inner, close) = match word.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
            Some(inner) => ("[", inner, "]"),
            None => ("", *word, ""),
        };
        let mut parts = inner.split('|');
        let several = parts.clone().count() > 1 && parts.all(|part| part.ends_with("..."));
        match inner.split('|').next().filter(|_| several) {
            Some(first) => format!("{open}{first}{close}"),
            None => (*word).to_owned(),
        }
    };
    let all: Vec<String> = words(arguments).iter().map(simple).collect();
    all.join(" ")
}

/// The commands in a list of points (`- add: Add one`), below a line that has nothing but a word for commands.
pub(super) fn points(text: &str) -> Option<CommandTable> {
    let mut lines = text.lines().map(str::trim);
    let is_heading = |line: &str| {
        let heading = line.to_lowercase();
        matches!(heading.as_str(), "commands:" | "subcommands:")
    };
    let heading = lines.by_ref().find(|line| is_heading(line))?;
    let points = lines.skip_while(|line| line.is_empty());
    let points = points.map_while(|line| line.strip_prefix("- ")?.split_once(": "));
    let rows: Vec<CommandRow> = points
        .map(|(name, text)| CommandRow {
            name: name.to_owned(),
            arguments: String::new(),
            text: text.trim().to_owned(),
            example: false,
        })
        .collect();
    let all_named = rows.iter().all(|row| super::fallback::is_name(&row.name));
    (all_named && !rows.is_empty()).then(|| CommandTable {
        heading: heading.trim_end_matches(':').to_owned(),
        rows,
        in_place: true,
    })
}

/// The names in lines of columns (`add   list   remove`), below a line that speaks of commands and has no colon.
pub(super) fn columns(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut heading: Option<&str> = None;
    for line in text.lines() {
        let content = line.trim();
        let titled = line.starts_with(char::is_uppercase) && content.split(' ').count() <= 12;
        if content.is_empty() {
            continue;
        }
        if titled && super::fallback::speaks_of_commands(&content.to_lowercase()) {
            heading = Some(content.trim_end_matches(':'));
            found.push((content.trim_end_matches(':').to_owned(), Vec::new()));
            continue;
        }
        let names: Vec<&str> = content.split_whitespace().collect();
        // Prose has one space between its words.
        let wide = content.split("  ").filter(|part| !part.is_empty()).count() == names.len();
        let plain = wide && names.iter().all(|name| super::fallback::is_name(name));
        match found.last_mut().filter(|_| heading.is_some() && plain) {
            Some((_, list)) => list.extend(names.iter().map(|name| (*name).to_owned())),
            None => heading = None,
        }
    }
    // One name in a line is no column; a list of three or more is.
    found.retain(|(_, names)| names.len() > 2);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATE: [&str; 6] = [
        "  open GATE...          Open some",
        "  look [GATE...|KEY...] Look at some,",
        "                        or at all",
        "  set GATE NAME=VALUE...",
        "                        Set something",
        "  rest                  Do nothing",
    ];

    fn show(children: &[ChildSketch]) -> Vec<String> {
        let show = |child: &ChildSketch| {
            let told = child.told.as_ref().expect("told");
            let arguments = told.arguments.as_ref().map(|fact| &fact.value);
            let listed = arguments.expect("arguments").listed();
            let listed = listed.iter().map(|one| {
                let dots = if one.variadic { "..." } else { "" };
                let mark = if one.required { "!" } else { "" };
                format!(" {}{dots}{mark}", one.id)
            });
            format!("{}{}", child.name, listed.collect::<String>())
        };
        children.iter().map(show).collect()
    }

    #[test]
    fn rows_with_arguments_are_commands_with_them() {
        let table = command_table("Gate Commands", &GATE).expect("commands");
        let usage = ["gate [OPTIONS...] COMMAND ...".to_owned()];
        let found = told_children(vec![table], &CommandPath::root(), &usage);
        assert_eq!(
            show(&found),
            [
                "open gate...!",
                "look gate...",
                "set gate! name...!",
                "rest"
            ]
        );
        let about = found[1].about.as_ref().map(|fact| fact.value.as_str());
        assert_eq!(about, Some("Look at some, or at all"));
    }

    #[test]
    fn one_row_may_have_no_text() {
        let lines = [
            "  list            List gates",
            "  look GATE [KEY]",
            "  rest            Do nothing",
        ];
        let table = command_table("Commands", &lines).expect("commands");
        let found = told_children(vec![table], &CommandPath::root(), &[]);
        assert_eq!(show(&found), ["list", "look gate! key", "rest"]);
        assert!(found[1].about.is_none());
    }

    #[test]
    fn rows_in_prose_take_their_arguments_from_the_usage() {
        let lines = [
            "  fetch - Fetch some (not all)",
            "  drop - Drop some",
            "  tidy - Tidy up",
        ];
        let table = command_table("", &lines).expect("commands");
        let usage = [
            "shop [options] command",
            "shop [options] fetch|drop item1 [item2 ...]",
        ];
        let usage = usage.map(str::to_owned);
        let found = told_children(vec![table], &CommandPath::root(), &usage);
        assert_eq!(
            show(&found),
            ["fetch item...!", "drop item...!", "tidy args..."]
        );
    }

    #[test]
    fn rows_that_can_be_asked_and_sentences_are_left_alone() {
        let table = |lines: [&str; 2]| command_table("", &lines);
        let plain = table(["  add     Add it", "  list    List them"]);
        assert!(plain.is_some_and(|table| !table.in_place));
        assert_eq!(table(["  add, a  Add it", "  list    List them"]), None);
        assert_eq!(
            table(["  press any key  to go on", "  list X  List them"]),
            None
        );
    }

    #[test]
    fn points_take_their_arguments_from_the_usage() {
        let text = "Usage:\n  shop shelf [<options>] list\n  shop shelf [<options>] put <item> <place>\n\n\
            Description:\n  Look after shelves.\n\n  Subcommands:\n\n  - list: List them\n  - put: Put an item somewhere\n\n  Shelves are\n  - good: for things\n";
        let usage = [
            "shop shelf [<options>] list",
            "shop shelf [<options>] put <item> <place>",
        ];
        let usage = usage.map(str::to_owned);
        let parent = CommandPath::root().child("shelf");
        let found = told_children(points(text).into_iter().collect(), &parent, &usage);
        assert_eq!(show(&found), ["list", "put item! place!"]);
        assert_eq!(points("Commands:\n\n  add  Add one\n"), None);
        assert_eq!(points("Commands:\n- either way: it is done\n"), None);
    }

    #[test]
    fn names_in_columns() {
        let text = "help:\n\nStandard commands\nbake    cool    dig\nfill\n\nOther commands (see `bake' for more)\nx1   x2   x-3\n\nThese commands are not for you.\nreally    so\n";
        let found = columns(text);
        let shown: Vec<String> = found.iter().map(|(_, names)| names.join(" ")).collect();
        assert_eq!(shown, ["bake cool dig fill", "x1 x2 x-3"]);
        assert_eq!(found[0].0, "Standard commands");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-zA-Z=|\\[\\]. \\-\\n]|ommands\\n|[\\PC]){0,160}") {
            columns(&text);
            points(&text);
            let lines: Vec<&str> = text.lines().collect();
            if let Some(table) = command_table("", &lines) {
                told_children(vec![table], &CommandPath::root(), std::slice::from_ref(&text));
            }
        }
    }
}
