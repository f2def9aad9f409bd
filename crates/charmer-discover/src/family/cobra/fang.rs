//! The help that fang writes for Cobra programs, in the layout that Cobra itself would give it.
//!
//! All of it stands two columns in, headings are in capitals between blank lines, rows of commands show their arguments, and
//! those of flags no type: whether one is a switch is asked.

use std::collections::{HashMap, HashSet};

use charmer_core::model::CommandPath;

use crate::{
    fact::{Fact, Origin},
    family::Sketches,
    sketch::{CommandSketch, FlagScope, FlagSketch},
};

/// Words in brackets at the end of a text that are no default.
const REMARKS: [&str; 6] = [
    "optional",
    "required",
    "deprecated",
    "experimental",
    "beta",
    "alpha",
];

/// A page in Cobra's layout; `None` where it is not fang's.
pub(super) fn as_cobra(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let of_fang = |line: &&str| line.is_empty() || line.starts_with("  ");
    if !lines.iter().all(of_fang) || !lines.contains(&"  USAGE") {
        return None;
    }
    let mut page = String::with_capacity(text.len());
    let mut heading = "";
    for (at, line) in lines.iter().enumerate() {
        let line = line.get(2..).unwrap_or_default();
        let blank =
            |at: Option<usize>| at.and_then(|at| lines.get(at)).is_none_or(|l| l.is_empty());
        if is_heading(line) && blank(at.checked_sub(1)) && blank(Some(at + 1)) {
            heading = line;
            page.push_str(&capital(line));
            page.push_str(":\n");
            continue;
        }
        let row = line.strip_prefix("  ").filter(|row| !row.is_empty());
        match (heading, row) {
            ("USAGE", Some(usage)) => page.push_str(&usage_row(usage)),
            ("" | "EXAMPLES", _) | (_, None) => page.push_str(line),
            (_, Some(flag)) if flag.starts_with('-') => page.push_str(&flag_row(flag)),
            // A text that goes on stands in its column.
            (_, Some(more)) if more.starts_with(' ') => page.push_str(line),
            (_, Some(command)) => page.push_str(&command_row(command)),
        }
        page.push('\n');
    }
    Some(page)
}

/// Tells the flags of ancestors from a command's own: those that a page shows and the pages of all commands below it
/// repeat word by word.
pub(super) fn part_inherited(sketches: &mut Sketches) {
    let mut passed_on: HashMap<Vec<String>, HashSet<(String, String)>> = HashMap::new();
    let groups = sketches.iter().filter(|(_, one)| !one.children.is_empty());
    for (path, group) in groups {
        let below: Vec<&CommandSketch> = sketches
            .iter()
            .filter(|(other, _)| is_below(other, path))
            .map(|(_, sketch)| sketch)
            .collect();
        let repeated = said(group).filter(|flag| {
            let has = |sketch: &&CommandSketch| said(sketch).any(|other| other == *flag);
            !below.is_empty() && below.iter().all(has)
        });
        passed_on.insert(path.words().to_vec(), repeated.collect());
    }
    for (path, sketch) in sketches {
        for flag in &mut sketch.flags {
            let own = told(flag);
            let mut above = (0..path.words().len()).map(|end| &path.words()[..end]);
            if above.any(|words| {
                passed_on
                    .get(words)
                    .is_some_and(|flags| flags.contains(&own))
            }) {
                flag.scope = Some(Fact::new(FlagScope::Inherited, Origin::Help));
            }
        }
    }
}

fn is_below(path: &CommandPath, other: &CommandPath) -> bool {
    let (path, other) = (path.words(), other.words());
    path.len() > other.len() && path.starts_with(other)
}

/// A flag by its name and its text.
fn told(flag: &FlagSketch) -> (String, String) {
    let text = flag.help.as_ref().map_or("", |help| &help.value);
    (flag.id(), text.to_owned())
}

fn said(sketch: &CommandSketch) -> impl Iterator<Item = (String, String)> {
    sketch.flags.iter().map(told)
}

fn is_heading(line: &str) -> bool {
    line.starts_with(char::is_uppercase) && !line.chars().any(char::is_lowercase)
}

/// `LOOK AFTER IT` as `Look after it`.
fn capital(heading: &str) -> String {
    let mut letters = heading.chars();
    let first = letters.next().into_iter();
    first
        .chain(letters.as_str().to_lowercase().chars())
        .collect()
}

/// `tool bake <recipe> [--flags]`, and for a group `tool oven [command]`, which is all that Cobra has for one.
fn usage_row(usage: &str) -> String {
    let words: Vec<&str> = usage.split_whitespace().collect();
    if words.contains(&"[command]") {
        let path = words
            .iter()
            .take_while(|word| !word.starts_with(['<', '[']));
        let path: Vec<&str> = path.copied().collect();
        return format!("  {} [command]", path.join(" "));
    }
    format!("  {}", usage.replace("[--flags]", "[flags]").trim_end())
}

/// `-f --flour  Kind of flour. (rye)`
fn flag_row(row: &str) -> String {
    let (names, text) = row.split_once("  ").unwrap_or((row, ""));
    let names = names.replacen(" --", ", --", 1);
    let text = text.trim();
    let said = text
        .strip_suffix(')')
        .and_then(|text| text.rsplit_once('('));
    let said = said.filter(|(_, default)| {
        !default.is_empty() && !default.contains(' ') && !REMARKS.contains(default)
    });
    match said {
        // Cobra's own, which need not be asked about.
        _ if names.ends_with("--help") || names.ends_with("--version") => {
            format!("  {names}   {text}")
        }
        // Cobra would say of a switch alone that it is on.
        Some((text, "true")) => format!("  {names}   {} (default true)", text.trim_end()),
        Some((text, default)) => {
            format!("  {names}=   {} (default {default})", text.trim_end())
        }
        None => format!("  {names}=   {text}"),
    }
}

/// `bake <recipe> [--flags]  Bake some bread.`
fn command_row(row: &str) -> String {
    let (shown, text) = row.split_once("  ").unwrap_or((row, ""));
    let name = shown.split(' ').next().unwrap_or_default();
    format!("  {name}   {}", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_fang_is_one_of_cobra() {
        let text = "\n  Look after\n  the oven.      \n         \n  USAGE  \n         \n    bakery oven <command> [command] [--flags]  \n            \n  COMMANDS  \n            \n    bake <recipe> [--flags]  Bake it.\n    clean                    Clean it.\n           \n  REST OF IT  \n           \n    light                    Light it.\n         \n  FLAGS  \n         \n    --door                   Which door. (front)\n    -h --help                Help for oven\n    -g --gently              Not too hot, which is\n                             good. (optional)\n    --salt                   With salt. (true)\n";
        let page = as_cobra(text).expect("it is one");
        let lines: Vec<&str> = page.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            lines,
            [
                "Look after",
                "the oven.",
                "Usage:",
                "  bakery oven [command]",
                "Commands:",
                "  bake   Bake it.",
                "  clean   Clean it.",
                "Rest of it:",
                "  light   Light it.",
                "Flags:",
                "  --door=   Which door. (default front)",
                "  -h, --help   Help for oven",
                "  -g, --gently=   Not too hot, which is",
                "                           good. (optional)",
                "  --salt   With salt. (default true)",
            ]
        );
        let usage = "  USAGE\n\n    bakery bake <recipe> [--flags]\n";
        assert_eq!(
            as_cobra(usage).as_deref(),
            Some("Usage:\n\n  bakery bake <recipe> [flags]\n")
        );
        assert_eq!(as_cobra("Usage:\n  bakery [command]\n"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(  USAGE\\n)?(  [A-Za-z<>\\[\\]() \\-\\PC]{0,30}\\n){0,8}") {
            as_cobra(&text);
        }
    }
}
