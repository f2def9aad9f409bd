//! Programs whose help is laid out like manual pages, which the word `help` behind each command shows: `NAME`,
//! `DESCRIPTION`, `SYNOPSIS`, options with their types in brackets (`--name (string)`), and commands as points of a list.
//!
//! Some have thousands of commands, a page each. What is below a long list of the root's is read where it is wanted.

use charmer_core::model::{
    Arguments, CommandPath, DoubleDash, FlagValue, Positional, Repetition, Syntax, ValueType,
};

use super::{Asker, Family, Page, Refining, Signs, pattern::words};
use crate::{
    fact::{Fact, Origin},
    help::first_sentence,
    sketch::{ChildSketch, CommandSketch, FlagScope, FlagSketch, KindSketch},
};

/// The number of commands of a root above which it is not read whole.
const READ_WHOLE: usize = 60;

/// The number of lines of examples that are kept.
const EXAMPLE_LINES: usize = 60;

/// The number of values of a flag that are suggested.
const SUGGESTED: usize = 100;

/// The family.
#[derive(Default)]
pub(crate) struct Pages;

impl Family for Pages {
    fn name(&self) -> &'static str {
        "help in pages"
    }

    /// `tool help` and `tool <command> help`, each on a line of its own, is how such programs say where their help is.
    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        if says_where(signs.text(), &signs.binary.name()) {
            60
        } else {
            0
        }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn lists_only_commands(&self) -> bool {
        true
    }

    fn reads_whole(&self, root: &CommandSketch) -> bool {
        root.children.len() <= READ_WHOLE
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        let mut words = path.words().to_vec();
        words.push("help".into());
        match path.is_root() {
            // Where no page can be shown, for want of what would format it, the usage is what is left.
            true => vec![words, vec!["--help".into()]],
            false => vec![words],
        }
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let own = page
            .path
            .words()
            .last()
            .map_or(page.program, String::as_str);
        read(page.text(), own, page.path).or_else(|| {
            let usage = page.path.is_root() && says_where(page.text(), page.program);
            usage.then(|| super::fallback::read(page.text(), page.program, page.path))?
        })
    }

    fn refine<'a>(&'a self, _: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        // Flags that all commands take stand on each page.
        let scope = match sketch.path.is_root() {
            true => FlagScope::Global,
            false => FlagScope::Inherited,
        };
        for flag in &mut sketch.flags {
            if flag
                .scope
                .as_ref()
                .is_some_and(|fact| fact.value == FlagScope::Global)
            {
                flag.scope = Some(Fact::new(scope, Origin::Help));
            }
        }
        Box::pin(async {})
    }
}

fn says_where(text: &str, program: &str) -> bool {
    let says = |statement: &str| text.lines().any(|line| line.trim() == statement);
    says(&format!("{program} help")) && says(&format!("{program} <command> help"))
}

/// A heading and the lines below it.
struct Part<'t> {
    heading: &'t str,
    lines: Vec<&'t str>,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut found: Vec<Part<'_>> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let heads = line.starts_with(char::is_uppercase)
            && line.chars().all(|c| c.is_uppercase() || c == ' ');
        if heads {
            found.push(Part {
                heading: line,
                lines: Vec::new(),
            });
        } else if let Some(part) = found.last_mut() {
            part.lines.push(line);
        }
    }
    found
}

/// Reads a page; `None` if it is not that of the command with this name.
fn read(text: &str, own: &str, path: &CommandPath) -> Option<CommandSketch> {
    let parts = parts(text);
    let lines_of = |heading: &str| {
        let part = parts.iter().find(|part| part.heading == heading);
        part.map_or(&[][..], |part| part.lines.as_slice())
    };
    let name = lines_of("NAME").iter().find(|line| !line.is_empty())?;
    if name.split_whitespace().next()? != own {
        return None;
    }
    let mut sketch = CommandSketch::new(path.clone());
    // What stands further in is a remark.
    let description = lines_of("DESCRIPTION");
    let base = least_indent(description);
    let own_lines = description.iter().copied();
    let own_lines = own_lines.filter(|line| line.is_empty() || Some(indent(line)) == base);
    let about = paragraphs(&own_lines.collect::<Vec<_>>())
        .into_iter()
        .next();
    if let Some(about) = about {
        let first = first_sentence(&about);
        if first != about {
            sketch.long_about = Some(Fact::new(about, Origin::Help));
        }
        sketch.about = Some(Fact::new(first, Origin::Help));
    }
    let synopsis = joined(lines_of("SYNOPSIS").iter().copied());
    let shown = words(&synopsis);
    if !synopsis.is_empty() {
        sketch.usage = Some(Fact::new(synopsis.clone(), Origin::Usage));
    }
    let mut listed = Vec::new();
    for part in &parts {
        match part.heading {
            "OPTIONS" | "PARAMETERS" | "FLAGS" => {
                for row in rows(&part.lines) {
                    match row.flag() {
                        Some(flag) => sketch.add_flag(flag),
                        None => listed.push(row.positional(&shown)),
                    }
                }
            }
            "GLOBAL OPTIONS" | "GLOBAL FLAGS" => {
                for flag in rows(&part.lines).iter().filter_map(OptionRow::flag) {
                    sketch.add_flag(FlagSketch {
                        scope: Some(Fact::new(FlagScope::Global, Origin::Help)),
                        ..flag
                    });
                }
            }
            "EXAMPLES" => {
                let lines = &part.lines[..part.lines.len().min(EXAMPLE_LINES)];
                let text = crate::help::dedent(lines);
                if !text.is_empty() {
                    sketch.examples = Some(Fact::new(text, Origin::Help));
                }
            }
            heading if heading.starts_with("AVAILABLE ") && heading != "AVAILABLE TOPICS" => {
                let names = points(&part.lines).filter(|name| *name != "help");
                sketch.add_children(names.map(|name| ChildSketch {
                    name: name.to_owned(),
                    listed: Some(Fact::new(heading.to_owned(), Origin::Help)),
                    ..ChildSketch::default()
                }));
            }
            _ => {}
        }
    }
    sketch
        .flags
        .retain(|flag| !matches!(flag.long.as_deref(), Some("version" | "help")));
    // Options outside of the brackets of the synopsis must be given.
    for name in shown.iter().filter_map(|word| word.strip_prefix("--")) {
        let known = sketch
            .flags
            .iter_mut()
            .find(|flag| flag.long.as_deref() == Some(name));
        if let Some(flag) = known {
            flag.required = Some(Fact::new(true, Origin::Usage));
        }
    }
    let group = !sketch.children.is_empty();
    // `tool group <Command>` is nothing that could be run without one.
    let alone = || {
        let place = |word: &&&str| {
            word.trim_start_matches(['<', '['])
                .to_lowercase()
                .starts_with("command")
        };
        !synopsis.is_empty() && !shown.iter().any(|word| place(&word))
    };
    sketch.runnable = Some(Fact::new(!group || alone(), Origin::Usage));
    sketch.arguments = Some(Fact::new(Arguments::Listed(listed), Origin::Usage));
    Some(sketch)
}

/// `--name | --no-name (type)` or `name (type)`, and the lines below it.
struct OptionRow<'t> {
    names: Vec<&'t str>,
    kind: &'t str,
    required: bool,
    text: Vec<&'t str>,
}

fn rows<'t>(lines: &[&'t str]) -> Vec<OptionRow<'t>> {
    let least = least_indent(lines);
    let mut found: Vec<OptionRow<'t>> = Vec::new();
    // A row begins behind a blank line; a text in the same column that was broken may look like one.
    let mut above = "";
    for line in lines {
        let begins = Some(indent(line)) == least && above.is_empty();
        match option_row(line.trim()).filter(|_| begins) {
            Some(row) => found.push(row),
            None => {
                if let Some(row) = found.last_mut() {
                    row.text.push(line);
                }
            }
        }
        above = line;
    }
    found
}

fn option_row(line: &str) -> Option<OptionRow<'_>> {
    let (names, behind) = line.split_once(" (")?;
    let (kind, rest) = behind.split_once(')')?;
    let names: Vec<&str> = names.split(" | ").map(str::trim).collect();
    let plain = |name: &&str| {
        let bare = name.trim_start_matches('-');
        let letters = bare
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        !bare.is_empty() && letters
    };
    let typed = kind.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
    if !typed || kind.is_empty() || !names.iter().all(plain) {
        return None;
    }
    let rest = rest.trim();
    let required = rest.starts_with("[required]");
    let rest = rest.trim_start_matches("[required]").trim();
    Some(OptionRow {
        names,
        kind,
        required,
        text: if rest.is_empty() {
            Vec::new()
        } else {
            vec![rest]
        },
    })
}

impl OptionRow<'_> {
    fn flag(&self) -> Option<FlagSketch> {
        let longs: Vec<&str> = self
            .names
            .iter()
            .filter_map(|name| name.strip_prefix("--"))
            .collect();
        let (long, others) = longs.split_first()?;
        let negation = others
            .iter()
            .find(|other| other.strip_prefix("no-") == Some(long));
        let text = paragraphs(&self.text).into_iter().next();
        let kind = self.kind();
        let suggestions = self.values();
        let is_text = kind.value_type == ValueType::String;
        Some(FlagSketch {
            negation: negation.map(|name| (*name).to_owned()),
            kind: Some(Fact::new(kind, Origin::Help)),
            suggestions: if is_text { suggestions } else { Vec::new() },
            required: self.required.then(|| Fact::new(true, Origin::Help)),
            help: text.map(|text| Fact::new(text, Origin::Help)),
            // Values are read as words of their own: a negative number would be taken for a flag.
            ..FlagSketch::long(*long)
        })
    }

    fn kind(&self) -> KindSketch {
        let value_type = match self.kind {
            "boolean" => return KindSketch::switch(),
            "integer" | "long" | "short" => ValueType::INT,
            "float" | "double" => ValueType::Number,
            _ => ValueType::String,
        };
        let repetition = match self.kind {
            "list" => Repetition::Span { min: 1, max: None },
            _ => Repetition::Single,
        };
        KindSketch {
            value: FlagValue::Required,
            value_type,
            repetition,
        }
    }

    /// The points of a list below `Possible values:`. New ones may come with a service, so they bind nobody.
    fn values(&self) -> Vec<String> {
        let behind = self
            .text
            .iter()
            .skip_while(|line| line.trim() != "Possible values:");
        let behind: Vec<&str> = behind.skip(1).copied().collect();
        points(&behind)
            .take(SUGGESTED)
            .map(ToOwned::to_owned)
            .collect()
    }

    /// A positional; the synopsis says whether it may be left out, and whether several are taken.
    fn positional(&self, synopsis: &[&str]) -> Positional {
        let name = self.names.first().copied().unwrap_or_default();
        let places = synopsis.iter().filter(|word| word.starts_with('<')).count();
        let optional = synopsis.contains(&"NONE")
            || synopsis.iter().any(|word| {
                word.strip_prefix('[')
                    .is_some_and(|word| word.starts_with('<'))
            });
        let mut one = Positional::new(name);
        one.required = !optional;
        if let Some(text) = paragraphs(&self.text).into_iter().next() {
            one = one.help(text);
        }
        if places > 1 && self.names.len() == 1 && name.ends_with('s') {
            one.variadic()
        } else {
            one
        }
    }
}

/// The points of a list, whatever marks them.
fn points<'t>(lines: &[&'t str]) -> impl Iterator<Item = &'t str> {
    lines.iter().filter_map(|line| {
        let line = line.trim();
        let marks = ["+o ", "o ", "• ", "* ", "· "];
        let name = marks
            .iter()
            .find_map(|mark| line.strip_prefix(mark))?
            .trim();
        (!name.is_empty() && !name.contains(' ')).then_some(name)
    })
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn least_indent(lines: &[&str]) -> Option<usize> {
    let filled = lines.iter().filter(|line| !line.is_empty());
    filled.map(|line| indent(line)).min()
}

/// Paragraphs without their breaks; remarks in boxes (`NOTE:`) and lists are none.
fn paragraphs(lines: &[&str]) -> Vec<String> {
    let blocks = lines.split(|line| line.is_empty());
    let texts = blocks.map(|block| joined(block.iter().copied()));
    let said = |text: &String| {
        let first = text.split(' ').next().unwrap_or_default();
        let remark = first.ends_with(':') && first.chars().all(|c| c.is_uppercase() || c == ':');
        !text.is_empty() && !remark && !matches!(first, "+o" | "o" | "•" | "*" | "·")
    };
    texts.filter(said).collect()
}

/// Lines as one, and words that were broken at the end of a line whole again.
fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut text = String::new();
    for word_or_line in lines {
        let line = word_or_line
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if line.is_empty() {
            continue;
        }
        let mut before = text.chars().rev();
        let broken = before.next() == Some('-')
            && before.next().is_some_and(char::is_alphabetic)
            && line.starts_with(char::is_lowercase);
        if broken {
            text.pop();
        } else if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "CLOUD()                                  CLOUD()\n\n\n\nNAME\n       cloud -\n\nDESCRIPTION\n       One tool for all of it.\n\nSYNOPSIS\n          cloud [options] <command> <subcommand> [parameters]\n\nGLOBAL OPTIONS\n       --debug (boolean)\n\n       Tell more.\n\n       --region (string)\n\n       Where.\n\nAVAILABLE SERVICES\n       +o bread\n\n       +o help\n\n       +o oven\n";
    const BAKE: &str = "NAME\n       bake-all -\n\nDESCRIPTION\n       WARNING:\n          The oven is old.\n\n          It is hot.\n\n       Bakes  what  is  wanted. It takes some time, which nobody  can  con-\n       trol.\n\n       NOTE:\n          Mind the heat.\n\nSYNOPSIS\n            bake-all\n          --recipe <value>\n          [--sorts <value>]\n          [--salt | --no-salt]\n          <Place> or NONE\n\nOPTIONS\n       place (string)\n\n       --recipe (string) [required]\n          The recipe.\n\n          Possible values:\n\n          o rye\n\n          o wheat\n\n       --sorts (list)\n          Of what.\n\n          (structure)\n\n       --salt | --no-salt (boolean)\n          With it.\n\n       --degrees (integer) How  hot,\n       --as (string) looks like a row and is none.\n\nGLOBAL OPTIONS\n       --region (string)\n\n       Where.\n\n       --version (string)\n\nOUTPUT\n       Loaves -> (list)\n";

    #[test]
    fn a_root_lists_its_commands() {
        let sketch = read(ROOT, "cloud", &CommandPath::root()).expect("a page");
        let names: Vec<&str> = sketch.children.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["bread", "oven"]);
        assert_eq!(sketch.flags.len(), 2);
        assert_eq!(sketch.runnable.map(|fact| fact.value), Some(false));
        assert!(read(ROOT, "bread", &CommandPath::parse("bread")).is_none());
    }

    #[test]
    fn a_command_has_its_options_with_types() {
        let path = CommandPath::parse("bread bake-all");
        let sketch = read(BAKE, "bake-all", &path).expect("a page");
        let about = sketch.about.as_ref().map(|fact| fact.value.as_str());
        assert_eq!(about, Some("Bakes what is wanted."));
        let long = sketch.long_about.as_ref().map(|fact| fact.value.as_str());
        assert!(
            long.is_some_and(|text| text.ends_with("nobody can control.")),
            "{long:?}"
        );
        let flags: Vec<String> = sketch.flags.iter().map(|flag| flag.id()).collect();
        assert_eq!(flags, ["recipe", "sorts", "salt", "degrees", "region"]);
        let [recipe, sorts, salt, degrees, region] =
            [0, 1, 2, 3, 4].map(|at| FlagSketch::clone(&sketch.flags[at]));
        assert_eq!(recipe.suggestions, ["rye", "wheat"]);
        assert_eq!(recipe.required.map(|fact| fact.value), Some(true));
        let repetition = sorts.kind.map(|kind| kind.value.repetition);
        assert_eq!(repetition, Some(Repetition::Span { min: 1, max: None }));
        assert!(sorts.required.is_none() && salt.is_switch());
        assert_eq!(salt.negation.as_deref(), Some("no-salt"));
        assert_eq!(
            degrees.kind.map(|kind| kind.value.value_type),
            Some(ValueType::INT)
        );
        assert_eq!(region.scope.map(|fact| fact.value), Some(FlagScope::Global));
        let arguments = sketch.arguments.expect("arguments").value;
        let [place] = arguments.listed() else {
            panic!("{arguments:?}")
        };
        assert!(!place.required && !place.variadic);
    }

    #[test]
    fn such_a_program_says_where_its_help_is() {
        let usage = "usage: cloud [options] <command> <subcommand> [parameters]\nTo see help text, you can run:\n\n  cloud help\n  cloud <command> help\n";
        assert!(says_where(usage, "cloud"));
        assert!(!says_where(usage, "other"));
        assert!(!says_where(
            "usage: cloud [options]\n\n  cloud help\n",
            "cloud"
        ));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(NAME\\n a\\n|OPTIONS\\n|SYNOPSIS\\n|AVAILABLE X\\n|--a \\(b\\)|[a-z|\\[\\]() o+\\-\\n]|[\\PC]){0,120}") {
            read(&text, "a", &CommandPath::root());
        }
    }
}
