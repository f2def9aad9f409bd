//! Programs that read their flags with Go's `flag` package, with subcommands or without: long names with one dash.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use charmer_core::model::{Arguments, CommandPath, ShortValue, Syntax, ValueType};

use super::{
    Asker, Family, Page, Refining, Signs,
    fallback::command_rows,
    pattern::{arguments_of, words},
    printed,
};
use crate::{
    fact::{Fact, Origin},
    help::{
        behind_path, expand_tabs, first_sentence, flag_names, rows, take_default, usage_statements,
    },
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

mod mentioned;

/// The family.
#[derive(Default)]
pub(crate) struct GoFlag {
    /// The program has a command that shows the help of others, as its root says.
    help_command: OnceLock<bool>,
    /// The help topics that commands name for more of their flags.
    topics: Mutex<BTreeMap<CommandPath, Vec<String>>>,
}

impl GoFlag {
    fn topics(&self) -> MutexGuard<'_, BTreeMap<CommandPath, Vec<String>>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Family for GoFlag {
    fn name(&self) -> &'static str {
        "Go flag"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let text = signs.text();
        if text.contains("Usage of ") && !go_rows(text).is_empty() {
            return 80;
        }
        // `  -name type` with the text below, behind four spaces and a tab, is what the package prints.
        if text.contains("\n    \t") && !go_rows(text).is_empty() && !text.contains("\n  --") {
            return 60;
        }
        let listed = !command_rows(text).is_empty();
        let single = text.lines().any(|line| {
            let names = flag_names(line.trim_start());
            names.is_some_and(|names| names.single_dash)
        });
        let double = text.lines().any(|line| line.trim_start().starts_with("--"));
        let [go] = signs.binary.contains(["Go build ID: \""]);
        let [built] = signs.binary.contains(["runtime.goexit"]);
        match (listed, single && !double, go || built) {
            (true, true, true) => 45,
            (true, false, true) if !double && says_help_command(text) => 40,
            _ => 0,
        }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        // The package takes `--name` for `-name`, and `-n=4`.
        let mut syntax = Syntax::getopt().optional_is_attached();
        syntax.short_value = ShortValue::Equals;
        syntax.switch_takes_value = true;
        syntax.letters_together = false;
        syntax
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        let words = path.words();
        if path.is_root() {
            return vec![vec!["--help".into()]];
        }
        let mut last = words.to_vec();
        last.push("-help".into());
        let mut first = vec!["help".to_owned()];
        first.extend_from_slice(words);
        match self.help_command.get() {
            Some(true) => vec![first],
            _ => vec![last],
        }
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let text = page.text();
        if page.path.is_root() {
            let _ = self.help_command.set(says_help_command(text));
        }
        let sketch = read(text, page.program, page.path)?;
        if !page.path.is_root() && self.help_command.get() == Some(&true) {
            let topics = mentioned::topics(text, page.program, page.path);
            self.topics().insert(page.path.clone(), topics);
        }
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            let topics = self.topics().remove(&sketch.path).unwrap_or_default();
            for topic in topics {
                let answer = asker.prober.run(&["help", topic.as_str()]).await;
                for flag in go_rows(printed(&answer)) {
                    // The command's own page is about it alone, so what stands there counts.
                    if sketch.flag_mut(&flag).is_none() {
                        sketch.add_flag(flag);
                    }
                }
            }
        })
    }
}

/// Returns true if a usage shows one positional and arguments that are passed on: `[build flags] package
/// [arguments...]`.
fn hands_on(rest: &str) -> bool {
    let all = words(rest);
    let first = all.iter().position(|word| !word.starts_with('['));
    match first.map(|first| &all[first + 1..]) {
        Some([last]) => last.to_lowercase().starts_with("[arg") && last.contains("..."),
        _ => false,
    }
}

/// `Use "prog help <command>" for more information`.
fn says_help_command(text: &str) -> bool {
    text.contains("help <command>\"") || text.contains("help [command]\"")
}

fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
    let mut sketch = CommandSketch::new(path.clone());
    let usage = usage_statements(text, program);
    let rests: Vec<&str> = usage
        .iter()
        .filter_map(|line| behind_path(line, path.words()))
        .collect();
    if !path.is_root() && rests.is_empty() {
        return None;
    }
    sketch.children = command_rows(text);
    if !usage.is_empty() {
        sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    }
    let of_group = rests.iter().all(|rest| {
        let rest = rest.to_lowercase();
        rest.contains("<command>") || rest.contains("<subcommand>")
    });
    if !sketch.children.is_empty() && of_group {
        sketch.runnable = Some(Fact::new(false, Origin::Usage));
    } else {
        sketch.arguments = arguments_of(&rests);
        // `[packages]` are several.
        if let Some(Fact {
            value: Arguments::Listed(listed),
            ..
        }) = &mut sketch.arguments
            && let Some(last) = listed.last_mut().filter(|last| !last.last)
        {
            last.variadic |= !last.required && last.id.len() > 3 && last.id.ends_with('s');
        }
        // The package stops at the first word that is no flag. A program that says that flags may follow reads those
        // itself.
        let one = <[&str; 1]>::try_from(rests.as_slice()).ok();
        if one.is_some_and(|[rest]| hands_on(rest)) {
            sketch.options_end_behind = Some(Fact::new(1, Origin::Convention));
        }
    }
    if let Some(about) = about(text) {
        sketch.about = Some(Fact::new(about, Origin::Help));
    }
    let global = path.is_root() && !sketch.children.is_empty();
    let mut left_out = Vec::new();
    for flag in go_rows(text) {
        // What stands before a subcommand is seldom read by the package, which alone takes two dashes.
        match flag.long {
            Some(long) if global => left_out.push(format!("-{long}")),
            _ => sketch.add_flag(flag),
        }
    }
    if !path.is_root() {
        for flag in mentioned::flags(&rests, text) {
            if sketch.flag_mut(&flag).is_none() {
                sketch.add_flag(flag);
            }
        }
    }
    sketch
        .warnings
        .extend(super::gnu::left_out_warning(&left_out));
    Some(sketch)
}

/// The first sentence of prose that is neither usage nor a heading.
fn about(text: &str) -> Option<String> {
    let paragraphs = text.split("\n\n").map(str::trim);
    paragraphs
        .filter(|part| {
            let lower = part.to_lowercase();
            !lower.starts_with("usage")
                && !part.ends_with(':')
                && !part.starts_with(['-', '│', '╷'])
        })
        .map(first_sentence)
        .find(|sentence| sentence.split_whitespace().count() > 2 && sentence.ends_with('.'))
}

/// The flags that are shown: in the package's own layout, or as rows of a hand-written text.
fn go_rows(text: &str) -> Vec<FlagSketch> {
    let lines: Vec<String> = text
        .lines()
        .map(mark_tab)
        .map(|line| expand_tabs(&line))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let option = |content: &str| {
        let single = content.starts_with('-') && !content.starts_with("--");
        // `-a, -b and -c are old` is prose.
        let listed = content
            .split_whitespace()
            .next()
            .is_some_and(|word| word.ends_with(','));
        single
            && !listed
            && flag_names(content).is_some_and(|names| names.longs.len() + names.shorts.len() == 1)
    };
    let least = lines
        .iter()
        .filter(|line| option(line.trim()))
        .map(|line| line.len() - line.trim_start().len())
        .min();
    let found = rows(&lines, |indent, content| {
        Some(indent) == least && option(content)
    });
    let mut flags: Vec<FlagSketch> = Vec::new();
    for row in found {
        if let Some(flag) = flag(&row.name, &row.text)
            && !flags.iter().any(|known| known.is_same(&flag))
        {
            flags.push(flag);
        }
    }
    flags
}

/// `-x<TAB>text`: a name of one letter has its text behind a tab, which must leave a gap of two.
fn mark_tab(line: &str) -> String {
    match line.find('\t') {
        Some(at) if line[..at].trim_start().starts_with('-') => line.replacen('\t', "  ", 1),
        _ => line.to_owned(),
    }
}

fn flag(column: &str, text: &str) -> Option<FlagSketch> {
    let mut flag = named(column).filter(|_| !text.is_empty())?;
    let (text, default) = take_default(text);
    if let Some(default) = default {
        flag.default = Some(Fact::new(vec![default], Origin::Help));
    }
    flag.help = Some(Fact::new(text, Origin::Help));
    Some(flag)
}

/// A flag as its name and value are shown.
fn named(column: &str) -> Option<FlagSketch> {
    let names = flag_names(column)?;
    let value = names.value.as_deref();
    if value.is_some_and(|value| value.ends_with(['.', ',']) || value.split(' ').count() > 3) {
        return None;
    }
    let mut flag = FlagSketch {
        long: names.longs.first().cloned(),
        short: names.shorts.first().copied(),
        placeholder: names.value.clone(),
        ..FlagSketch::default()
    };
    let quoted = value.is_some_and(|value| value.starts_with(['\'', '"']));
    let kind = match value {
        None => KindSketch::switch(),
        // `-lock=false` turns off what is on.
        Some("true" | "false") if names.equals => {
            flag.default = Some(Fact::new(vec!["true".into()], Origin::Help));
            flag.placeholder = None;
            KindSketch::switch()
        }
        Some(_) if names.optional => KindSketch::single(ValueType::String).optional(None),
        Some(name @ ("int" | "uint" | "float" | "duration")) if !quoted => {
            KindSketch::pflag(if name == "float" { "float64" } else { name })
                .unwrap_or(KindSketch::single(ValueType::String))
        }
        Some("file" | "dir" | "path" | "filename" | "directory") => {
            KindSketch::single(ValueType::Path)
        }
        Some(_) => KindSketch::single(ValueType::String),
    };
    flag.kind = Some(Fact::new(kind, Origin::Help));
    Some(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show<'f>(flags: impl IntoIterator<Item = &'f FlagSketch>) -> Vec<String> {
        let show = |flag: &FlagSketch| {
            let kind = flag.kind.as_ref().map(|kind| kind.value.value_type.clone());
            let default = flag.default.as_ref().map(|fact| fact.value.join(","));
            format!(
                "{} {:?} {}",
                flag.id(),
                kind.unwrap_or_default(),
                default.unwrap_or_default()
            )
        };
        flags.into_iter().map(show).collect()
    }

    #[test]
    fn the_packages_own_layout() {
        let text = "Usage of kettle:\n  -d\tshow what would be done\n  -fill string\n    \tfill to `mark` (default \"half\")\n  -wait duration\n    \thow long (default 5s)\n  -keep\n    \tkeep it warm (default true)\n";
        let sketch = read(text, "kettle", &CommandPath::root()).expect("a root");
        assert_eq!(
            show(&sketch.flags),
            [
                "d Bool ",
                "fill String half",
                "wait Duration 5s",
                "keep Bool true"
            ]
        );
    }

    #[test]
    fn subcommands_with_written_help() {
        let root = "Usage: oven [global options] <subcommand> [args]\n\nMain commands:\n  bake     Bake a loaf\n  cool     Let it cool\n\nGlobal options (use these before the subcommand, if any):\n  -room=DIR     Another room.\n";
        let sketch = read(root, "oven", &CommandPath::root()).expect("a root");
        let children: Vec<_> = sketch
            .children
            .iter()
            .map(|child| child.name.as_str())
            .collect();
        assert_eq!(children, ["bake", "cool"]);
        assert!(sketch.flags.is_empty() && sketch.warnings.len() == 1);
        let bake = "Usage: oven [global options] bake [options] [LOAF]\n\n  Bakes a loaf of bread.\n\nOptions:\n\n  -lock=false       Do not lock the door\n                    while baking.\n\n  -heat=n           How hot.\n\n  -spice 'a=b'      Add a spice.\n\n  -salt, -pepper and -oil are old options.\n  See the manual.\n";
        let path = CommandPath::parse("bake");
        let sketch = read(bake, "oven", &path).expect("the command's page");
        assert_eq!(
            show(&sketch.flags),
            ["lock Bool true", "heat String ", "spice String "]
        );
        assert_eq!(
            sketch.about.map(|fact| fact.value).as_deref(),
            Some("Bakes a loaf of bread.")
        );
        assert!(read(root, "oven", &path).is_none());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z=' \\-\\n\\t]|[\\PC]){0,160}") {
            read(&text, "a", &CommandPath::root());
        }
    }
}
