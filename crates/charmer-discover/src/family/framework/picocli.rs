//! Java's picocli: `Usage: tool [-hV] [-s=<shop>] [COMMAND]`, options and positionals in rows without a heading.

use charmer_core::model::{CommandPath, DoubleDash, Syntax};

use super::{
    HelpStyle,
    flag::{option, option_rows},
    page::{child, describe_by, is_headed, list_rows},
    usage,
};
use crate::{
    fact::{Fact, Origin},
    help::{first_sentence, rows, sections},
    sketch::{CommandSketch, KindSketch},
};

/// The framework.
pub(super) struct Picocli;

/// The column of long names and positionals; what goes on with a usage stands further in.
const DEEPEST: usize = 6;

/// The text of the option that shows the version.
const VERSION: &str = "Print version information and exit.";

impl HelpStyle for Picocli {
    const NAME: &'static str = "picocli";

    fn recognise(text: &str) -> u8 {
        let usage = text.lines().find(|line| line.starts_with("Usage: "));
        let shown = usage.is_some_and(|line| {
            line.contains("=<") || line.contains("[COMMAND]") || line.contains("[-")
        });
        let help = text.contains("Show this help message and exit.");
        let version = text.contains(VERSION);
        match (shown, help, version) {
            (true, true, true) => 90,
            (true, _, true) | (true, true, _) => 65,
            _ => 0,
        }
    }

    fn syntax() -> Syntax {
        Syntax::clap()
            .double_dash(DoubleDash::Neutral)
            .optional_is_attached()
    }

    fn read(text: &str, _: &str, path: &CommandPath) -> Option<CommandSketch> {
        let all = sections(text);
        let section = all.iter().find(|one| one.is("usage"))?;
        let usage = usage::read(&usage::statement(section), path)?;
        let mut sketch = CommandSketch::new(path.clone());
        let mut arguments = usage.arguments();
        for one in &all {
            if is_headed(one, &["commands"]) {
                let rows = list_rows(&one.lines);
                let found = rows.iter();
                let found = found.filter_map(|row| child(row, one.heading, &usage.program, path));
                sketch.add_children(found);
                continue;
            }
            // Rows stand behind the usage, positionals in the column of long names.
            let behind = one.lines.iter().copied();
            let behind = behind.skip_while(|line| line.len() - line.trim_start().len() > DEEPEST);
            let behind: Vec<&str> = behind.collect();
            describe_by(&mut arguments, rows(&behind, |indent, _| indent <= DEEPEST));
            for row in option_rows(&one.lines) {
                // A star marks what is required.
                let column = row.name.trim_start_matches('*').trim();
                let (text, default) = take_default(&row.text);
                let Some(mut shown) = option(column, text) else {
                    continue;
                };
                // Every command may have it.
                if shown.text == VERSION {
                    continue;
                }
                let mut kind = shown.shown_kind();
                // `[--seed=<seed>]...` in the usage line.
                let long = shown.names.longs.first().cloned().unwrap_or_default();
                if repeats(&usage.line, &long) && shown.names.value.is_some() {
                    kind = KindSketch::repeated(kind.value_type);
                }
                shown.notes.default = shown.notes.default.or(default);
                sketch.flags.extend(shown.flag(Some(kind)));
            }
        }
        let runs = usage.has_command && usage.line.contains("[COMMAND]");
        usage.tell(&mut sketch);
        sketch.arguments = Some(Fact::new(arguments, Origin::Usage));
        if runs && !sketch.children.is_empty() {
            sketch.runnable = Some(Fact::with(true, Origin::Usage, 30));
        }
        let about = section
            .lines
            .iter()
            .find(|line| !line.starts_with(' ') && !line.is_empty());
        if let Some(about) = about {
            sketch.about = Some(Fact::new(first_sentence(about), Origin::Help));
        }
        Some(sketch)
    }
}

/// The default that stands in a line of its own.
fn take_default(text: &str) -> (&str, Option<String>) {
    match text.rsplit_once("Default: ") {
        Some((before, value)) if !value.contains(' ') => (before.trim(), Some(value.to_owned())),
        _ => (text, None),
    }
}

/// Returns true if a usage line has dots behind the brackets of this option.
fn repeats(line: &str, long: &str) -> bool {
    let shown = crate::family::pattern::words(line);
    let mark = format!("[--{long}=");
    shown
        .iter()
        .any(|word| word.starts_with(&mark) && word.ends_with("..."))
}
