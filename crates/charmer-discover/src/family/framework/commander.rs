//! Node's commander, and cac, which writes much the same: `add|a [options] <name>` below `Commands:`.

use charmer_core::model::{CommandPath, DoubleDash, FlagValue, ShortValue, Syntax};

use super::{
    HelpStyle, Sketches,
    colons::move_to_root,
    flag::{option, option_rows},
    followed_by,
    page::{child, describe_positionals, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{Section, first_sentence, sections},
    sketch::{ChildSketch, CommandSketch, FlagScope, FlagSketch},
};

/// The framework.
pub(super) struct Commander;

/// The smaller one.
pub(super) struct Cac;

impl HelpStyle for Commander {
    const NAME: &'static str = "commander";

    fn recognise(text: &str) -> u8 {
        let Some(usage) = text.lines().find(|line| line.starts_with("Usage: ")) else {
            return 0;
        };
        let marks = [
            "display help for command",
            "output usage information",
            "output the version number",
        ];
        let lower = text.to_lowercase();
        let marked = marks.iter().filter(|mark| lower.contains(**mark)).count();
        let listed = sections(text).iter().any(|one| {
            let shown = |line: &&str| {
                let option = line.trim_start().starts_with('-');
                !option && (line.contains(" [options] ") || line.contains("|"))
            };
            is_headed(one, &["commands"]) && one.lines.iter().any(shown)
        });
        let optional = usage.contains("[options]");
        match (marked, optional || usage.contains("[command]"), listed) {
            (0, _, true) => 60,
            (0, _, _) => 0,
            (1, false, false) => 60,
            _ => 85,
        }
    }

    fn syntax() -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn help_requests(path: &CommandPath) -> Vec<Vec<String>> {
        vec![followed_by(&typed(path), "--help")]
    }

    fn finish(sketches: &mut Sketches) {
        move_to_root(sketches, typed);
    }

    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
        let mut sketch = read(text, program, &typed(path))?;
        sketch.path = path.clone();
        Some(sketch)
    }
}

/// The words that call a command: the last alone, where it holds the one above it (`apps apps:create`).
fn typed(path: &CommandPath) -> CommandPath {
    match path.words() {
        [.., above, last] if last.starts_with(&format!("{above}:")) => {
            CommandPath::root().child(last.as_str())
        }
        _ => path.clone(),
    }
}

impl HelpStyle for Cac {
    const NAME: &'static str = "cac";

    fn recognise(text: &str) -> u8 {
        let all = sections(text);
        let usage = all.iter().find(|one| one.heading == "Usage");
        let typed = usage.is_some_and(|one| one.body().starts_with("$ "));
        let more = text.contains("run any command with the `--help` flag");
        let message = text.contains("Display this message");
        match (typed, more || message) {
            (true, true) => 85,
            _ => 0,
        }
    }

    fn syntax() -> Syntax {
        let mut syntax = Syntax::getopt();
        syntax.short_value = ShortValue::Equals;
        syntax
    }

    fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
        read(text, program, path)
    }
}

fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
    let all = sections(text);
    let section = all.iter().find(|one| one.is("usage"))?;
    let line = usage::statement(section);
    // Versions before 3 show a command's own name only.
    let above = path.words().split_last().map(|(_, above)| above.join(" "));
    let whole = above.map(|above| format!("{program} {above} {line}"));
    let usage = usage::read(&line, path).or_else(|| usage::read(&whole?, path))?;
    let mut sketch = CommandSketch::new(path.clone());
    for one in &all {
        if is_headed(one, &["commands"]) {
            let rows = list_rows(&one.lines);
            let found = rows
                .iter()
                .filter_map(|row| child(row, one.heading, &usage.program, path));
            sketch.add_children(found);
            sketch.add_children(bullets(one, path));
        } else if !is_headed(one, &["examples", "example"]) {
            let global = one.heading.to_lowercase().starts_with("global") && !path.is_root();
            let scope = global.then_some(FlagScope::Inherited);
            for mut flag in flags(one) {
                flag.scope = scope.map(|scope| Fact::new(scope, Origin::Help));
                sketch.add_flag(flag);
            }
        }
    }
    usage.tell(&mut sketch);
    describe_positionals(&mut sketch, &all, "arguments");
    let about = section.lines.join("\n");
    let about = about.trim();
    if !about.is_empty() && !about.starts_with('$') {
        sketch.about = Some(Fact::new(first_sentence(about), Origin::Help));
        sketch.long_about = Some(Fact::new(about.to_owned(), Origin::Help));
    }
    Some(sketch)
}

/// `- name / otherName`: commands that an author lists without a text.
fn bullets(section: &Section<'_>, parent: &CommandPath) -> Vec<ChildSketch> {
    let lines = section.lines.iter();
    let items = lines.filter_map(|line| line.trim().strip_prefix("- "));
    let children = items.filter_map(|item| {
        let mut names = item.split(" / ").map(str::to_owned);
        let name = names.next().filter(|name| !name.contains(' '))?;
        let aliases = names.collect();
        let named = ChildSketch::named(parent, &name, section.heading);
        Some(ChildSketch { aliases, ..named })
    });
    children.filter(|child| child.name != "help").collect()
}

fn flags(section: &Section<'_>) -> impl Iterator<Item = FlagSketch> {
    let rows = option_rows(&section.lines).into_iter();
    rows.filter_map(|row| {
        let shown = option(&row.name, &row.text)?;
        // `-h, --help [topic]` is help all the same.
        let mut kind = shown.shown_kind();
        if kind.value == FlagValue::None {
            kind = crate::sketch::KindSketch::switch();
        }
        shown.flag(Some(kind))
    })
}
