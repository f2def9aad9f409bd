//! A help text of a Cobra program: the default templates of all versions, and those that large programs wrote.

use charmer_core::model::{Arguments, Choice, CommandPath, parse_usage};

use crate::{
    fact::{Fact, Origin},
    family::Page,
    help::{Row, Section, expand_tabs, first_sentence, rows, sections},
    sketch::{ChildSketch, CommandSketch, FlagScope},
};

use super::{
    fang, pflag,
    usage::{offers_children, positional_pattern, takes_value},
};

/// The heading above the fields that `--json fields` takes.
const JSON_FIELDS: &str = "json fields";

/// Reads a page; `None` if its usage line is another command's.
pub(super) fn read(page: &Page<'_>) -> Option<CommandSketch> {
    let other = fang::as_cobra(page.text());
    let found = sections(other.as_deref().unwrap_or(page.text()));
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
        } else if section.is("name") {
            // `name - what it does`, as in a manual.
            let body = section.body();
            let about = body.split_once(" - ").map_or("", |(_, about)| about);
            prose.push(about.to_owned());
        } else if let Some(children) = children(section) {
            sketch.add_children(children);
        } else if place < at && !section.lines.is_empty() {
            prose.push(format!("{}:\n{}", section.heading, section.body()));
        }
    }
    if let Some(section) = found.iter().find(|section| section.is(JSON_FIELDS)) {
        read_json_fields(section, &mut sketch);
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

/// The usage lines: behind the heading, or below it, indented as the first is, up to the first blank line.
fn usage_lines(section: &Section<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if !section.rest.is_empty() {
        lines.push(section.rest.to_owned());
    }
    let is_indented = |line: &&str| line.starts_with([' ', '\t']);
    let indented = !section.rest.is_empty() || section.lines.first().is_none_or(is_indented);
    for line in &section.lines {
        if line.is_empty() || indented && !is_indented(line) {
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

/// The rest of a usage line behind the command's path; `None` if the line is another command's.
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

/// Returns true if a word of a usage line stands for a subcommand.
fn is_command_word(word: &str) -> bool {
    let bare = word.trim_matches(['[', ']', '<', '>', '.']).to_lowercase();
    matches!(
        bare.as_str(),
        "command" | "subcommand" | "commands" | "sub-command"
    )
}

/// A usage line without the word that stands for a subcommand.
fn without_command_word(pattern: &str) -> String {
    let words = pattern.split_whitespace();
    let words: Vec<&str> = words.filter(|word| !is_command_word(word)).collect();
    words.join(" ")
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
        let mut words = pattern.split_whitespace().take(3);
        !sketch.children.is_empty()
            && (words.any(is_command_word) || offers_children(pattern, &sketch.children))
    };
    // Cobra itself writes the last line for the children, so that whatever stands above it runs.
    let above = match own.split_last() {
        Some((last, above)) if last.trim() == "[command]" => above,
        _ => &[],
    };
    let runs: Vec<String> = own
        .iter()
        .enumerate()
        .filter(|(at, pattern)| *at < above.len() || !for_children(pattern))
        .map(
            |(at, pattern)| match at < above.len() && for_children(pattern) {
                true => without_command_word(pattern),
                false => (*pattern).to_owned(),
            },
        )
        .collect();
    if !sketch.children.is_empty() {
        sketch.runnable = Some(Fact::new(!runs.is_empty(), Origin::Usage));
    }
    if let Some(line) = usage.first() {
        sketch.usage = Some(Fact::new(line.clone(), Origin::Usage));
    }
    let arguments = match runs.as_slice() {
        [] => Arguments::default(),
        [only] => parse_usage(&positional_pattern(only, |name| {
            takes_value(&sketch.flags, name)
        })),
        several => Arguments::Pattern(several.join("\n")),
    };
    sketch.arguments = Some(Fact::new(arguments, Origin::Usage));
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

/// Returns true if a section lists flags: by its heading, or, behind the usage line, by its rows.
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
        FlagScope::Inherited
    } else {
        FlagScope::Own
    };
    for mut flag in pflag::flags(&section.lines) {
        flag.scope = Some(Fact::new(scope, Origin::Help));
        sketch.add_flag(flag);
    }
}

/// The fields that a flag `--json` takes, where it takes some.
fn read_json_fields(section: &Section<'_>, sketch: &mut CommandSketch) {
    let body = section.body();
    let fields: Vec<&str> = body.split(',').map(str::trim).collect();
    let flags = sketch.flags.iter_mut();
    let mut flags = flags.filter(|flag| flag.long.as_deref() == Some("json"));
    if let Some(flag) = flags.next().filter(|flag| flag.placeholder.is_some())
        && fields.iter().all(|field| is_name(field))
    {
        let choices = fields.into_iter().map(Choice::new).collect();
        flag.choices = Some(Fact::new(choices, Origin::Help));
    }
}

/// The commands that a section lists, if that is what it does.
fn children(section: &Section<'_>) -> Option<Vec<ChildSketch>> {
    let heading = section.heading.to_lowercase();
    if [
        "learn more",
        "environment variables",
        "arguments",
        JSON_FIELDS,
        "exit codes",
    ]
    .contains(&heading.as_str())
    {
        return None;
    }
    let mut lines = section.lines.iter();
    let first = expand_tabs(lines.find(|line| !line.trim().is_empty())?);
    let indent = first.len() - first.trim_start().len();
    let listed = rows(&section.lines, |at, _| at == indent);
    let said = heading.contains("command");
    let children: Vec<ChildSketch> = listed
        .iter()
        .filter_map(|row| child(row, said))
        .map(|child| ChildSketch {
            listed: Some(Fact::new(section.heading.to_string(), Origin::Help)),
            ..child
        })
        .collect();
    // Under a heading of its own, prose is told from a list by every row being one.
    let complete = children.len() == listed.len()
        && children.iter().any(|child| child.about.is_some())
        && indent > 0;
    (!children.is_empty() && (said || complete)).then_some(children)
}

/// Returns true if a word may be a command's name.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+'))
}

fn child(row: &Row, said: bool) -> Option<ChildSketch> {
    // Where every name fills its column, a single space is all that stands before the text.
    let (name, text) = match row.name.split_once(' ') {
        Some((name, text)) if said && row.text.is_empty() && !name.ends_with(',') => (name, text),
        // A list of the whole tree (`member add  Adds a member`): the command's own children are its first words.
        Some((name, rest)) if said && is_name(name) && rest.split(' ').all(is_name) => (name, ""),
        _ => (row.name.as_str(), row.text.as_str()),
    };
    // Plugins are marked (`buildx*`), some templates put a colon behind the name.
    let column = name.trim_end_matches(['*', ':']);
    let mut names = column.split(',').map(str::trim);
    let name = names.next()?;
    if !is_name(name) {
        return None;
    }
    Some(ChildSketch {
        name: name.to_owned(),
        aliases: names
            .filter(|alias| is_name(alias))
            .map(Into::into)
            .collect(),
        about: (!text.is_empty()).then(|| Fact::new(text.to_owned(), Origin::Help)),
        ..ChildSketch::default()
    })
}

#[cfg(test)]
mod tests {
    use charmer_core::model::Arguments;

    use super::*;
    use crate::probe::ProbeAnswer;

    fn page(path: &[&str], text: &str) -> CommandSketch {
        let path: CommandPath = path.iter().copied().collect();
        let answer = ProbeAnswer {
            stdout: text.into(),
            ..ProbeAnswer::default()
        };
        read(&Page {
            program: "grove",
            path: &path,
            answer: &answer,
        })
        .expect("its own page")
    }

    fn positionals(sketch: &CommandSketch) -> Vec<String> {
        match &sketch.arguments.as_ref().expect("arguments").value {
            Arguments::Listed(listed) => listed.iter().map(|one| one.id.clone()).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn children_of(sketch: &CommandSketch) -> Vec<&str> {
        let children = sketch.children.iter();
        children.map(|child| child.name.as_str()).collect()
    }

    #[test]
    fn a_list_of_the_whole_tree_names_the_first_words() {
        let sketch = page(
            &[],
            "NAME:\n\tgrove - Looks after trees.\n\nUSAGE:\n\tgrove [flags]\n\nVERSION:\n\t3.4\n\nCOMMANDS:\n\tplant\t\tPlants a tree\n\tseed buy\tBuys seeds\n\tseed sow\tSows them\n\nOPTIONS:\n      --deep[=false]\tdig deeper\n",
        );
        assert_eq!(children_of(&sketch), ["plant", "seed"]);
        assert_eq!(sketch.about.expect("about").value, "Looks after trees.");
        assert_eq!(sketch.flags.len(), 1);
    }

    #[test]
    fn the_fields_of_a_json_flag_are_its_choices() {
        let text = |flag: &str, fields: &str| {
            format!(
                "Lists.\n\nUSAGE\n  grove list [flags]\n\nFLAGS\n  {flag}   Output JSON\n\nJSON FIELDS\n{fields}\n\nLEARN MORE\n  Read.\n"
            )
        };
        let choices = |text: &str| {
            let sketch = page(&["list"], text);
            let choices = sketch.flags[0].choices.clone();
            choices.map(|choices| {
                choices
                    .value
                    .into_iter()
                    .map(|choice| choice.value)
                    .collect()
            })
        };
        let fields = "  age, height,\n  leafCount";
        let expected = ["age", "height", "leafCount"].map(str::to_owned);
        assert_eq!(
            choices(&text("--json fields", fields)),
            Some(expected.to_vec())
        );
        assert_eq!(choices(&text("--json", fields)), None);
        assert_eq!(
            choices(&text("--json fields", "  see the manual, or ask")),
            None
        );
    }

    #[test]
    fn usage_in_the_first_column() {
        let sketch = page(
            &["graft"],
            "Grafts.\n\nUsage:\ngrove graft [command options] TREE TWIG\n\nFlags:\n  -q, --quiet   Say nothing\n",
        );
        assert_eq!(positionals(&sketch), ["tree", "twig"]);
        assert_eq!(sketch.about.expect("about").value, "Grafts.");
    }

    #[test]
    fn a_usage_that_only_offers_its_children_does_not_run() {
        let text = |usage: &str| {
            format!(
                "Buys.\n\nAvailable Commands:\n  pear   Buys pears\n  plum   Buys plums\n\nUsage:\n  grove buy {usage} [flags] [options]\n"
            )
        };
        for (usage, runs) in [
            ("(pear | plum)", false),
            ("(pear | NAME)", true),
            ("", true),
        ] {
            let sketch = page(&["buy"], &text(usage));
            assert_eq!(sketch.runnable.expect("known").value, runs, "{usage}");
        }
    }

    #[test]
    fn what_stands_above_the_line_for_children_runs() {
        let text = |usage: &str| {
            format!(
                "Serves.\n\nUsage:\n{usage}  grove serve [command]\n\nAvailable Commands:\n  trust   Trusts\n\nFlags:\n  -q, --quiet   Say nothing\n"
            )
        };
        for (usage, runs, named) in [
            ("", false, vec![]),
            ("  grove serve [command] [flags]\n", true, vec![]),
            ("  grove serve PORT [flags]\n", true, vec!["port"]),
        ] {
            let sketch = page(&["serve"], &text(usage));
            assert_eq!(positionals(&sketch), named, "{usage}");
            assert_eq!(sketch.runnable.expect("known").value, runs, "{usage}");
        }
    }

    #[test]
    fn flags_in_a_usage_line_are_no_positionals() {
        let flags = "\n\nFlags:\n      --at string      When\n  -f, --from strings   Where from\n      --kind string    Which\n      --wet            In the rain\n";
        for (usage, expected) in [
            ("NAME --kind=kind [--at=time] [flags]", vec!["name"]),
            (
                "NAME --at='5 past *' -- [COMMAND] [args...]",
                vec!["name", "command"],
            ),
            ("-f FILE", vec![]),
            ("[--wet] NAME", vec!["name"]),
            ("--wet NAME", vec!["name"]),
            (
                "[options] TREE [TOOL [ARG...]]",
                vec!["tree", "tool", "arg"],
            ),
            (
                "{<number> | <url>} [<name> | <branch>]",
                vec!["number-or-url", "name-or-branch"],
            ),
        ] {
            let text = format!("Plants.\n\nUsage:\n  grove plant {usage}{flags}");
            assert_eq!(positionals(&page(&["plant"], &text)), expected, "{usage}");
        }
        for (usage, expected) in [
            ("(-f FILE | NAME) [--at=time]", "(-f FILE | NAME)"),
            ("TREE [axe OPTIONS]", "TREE [axe OPTIONS]"),
            ("{<names> | <urls>} [flags]", "{<names> | <urls>}"),
        ] {
            let text = format!("Plants.\n\nUsage:\n  grove plant {usage}{flags}");
            let arguments = page(&["plant"], &text).arguments.expect("arguments").value;
            assert_eq!(arguments, Arguments::Pattern(expected.into()));
        }
    }
}
