//! Programs without subcommands whose help is a usage line and rows of options: coreutils, tar, grep, curl and many others.

use charmer_core::model::{CommandPath, Syntax};

use super::{
    Asker, Family, Page, Refining, Signs,
    fallback::{command_rows, free_command_word, stated_commands, take_command_options},
    first_word::AskedFirstWord,
    further::AskedFurther,
    getopt::{getopt_flags, option_rows},
    hand_on,
    long_value::AskedLongValue,
    pattern::arguments_of,
    replaced::mark_replaced,
    told_below,
    value_trial::ValueTrial,
};
use crate::{
    fact::{Fact, Origin},
    help::{behind_path, first_sentence, further_help, grouped_rows, usage_statements},
    manual,
    sketch::CommandSketch,
};

/// The family.
#[derive(Default)]
pub(crate) struct Gnu {
    further: AskedFurther,
    long_value: AskedLongValue,
    first_word: AskedFirstWord,
    values: ValueTrial,
}

impl Family for Gnu {
    fn name(&self) -> &'static str {
        "GNU-style"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        score(signs.text(), &signs.binary.name())
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
        if !page.path.is_root() {
            return None;
        }
        let text = page.text();
        self.further.note(text);
        let sketch = read(text, page.program);
        self.values.note(text, page.program, &sketch.flags);
        Some(sketch)
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
            hand_on::ask(asker, sketch).await;
            mark_replaced(sketch);
        })
    }
}

/// The likeness of a text to such help.
fn score(text: &str, program: &str) -> u8 {
    let usage = usage_statements(text, program);
    let rows = option_rows(text);
    let longs = rows
        .iter()
        .filter(|row| !row.names.single_dash && !row.names.longs.is_empty());
    let commands = || {
        let stated = stated_commands(text, program, &CommandPath::root());
        let grouped = || !grouped_rows(text, program).is_empty();
        !stated.is_empty() || !command_rows(text).is_empty() || grouped()
    };
    if usage.is_empty() || longs.count() < 2 || commands() {
        return 0;
    }
    let first = usage[0].to_lowercase();
    let options = [
        "[option]...",
        "[option...]",
        "[options...]",
        "[options]...",
        "[option]",
    ];
    let marks = [
        options.iter().any(|mark| first.contains(mark)),
        rows.iter().any(|row| {
            let value = row.names.value.as_deref().unwrap_or_default();
            row.names.equals && value.starts_with(char::is_uppercase)
        }),
        text.contains("help and exit") || text.contains("version information and exit"),
        text.contains("Mandatory arguments to long options") || !further_help(text).is_empty(),
    ];
    20 + 7 * marks.iter().filter(|&&mark| mark).count() as u8
}

fn read(text: &str, program: &str) -> CommandSketch {
    let mut sketch = CommandSketch::new(CommandPath::root());
    let usage = usage_statements(text, program);
    if !usage.is_empty() {
        sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    }
    let rests: Vec<&str> = usage
        .iter()
        .filter_map(|line| behind_path(line, &[]))
        .collect();
    sketch.arguments = arguments_of(&rests);
    if let Some(about) = about(text) {
        sketch.about = Some(Fact::new(about, Origin::Help));
    }
    let (flags, left_out) = getopt_flags(text);
    for flag in flags {
        sketch.add_flag(flag);
    }
    take_command_options(text, &mut sketch);
    free_command_word(text, &mut sketch);
    sketch.warnings.extend(left_out_warning(&left_out));
    sketch
}

/// The warning on names that cannot be written.
pub(super) fn left_out_warning(names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let shown: Vec<&str> = names.iter().take(5).map(String::as_str).collect();
    let dots = if names.len() > 5 { ", ..." } else { "" };
    Some(format!(
        "options whose names or values cannot be told for sure were left out: {}{dots}",
        shown.join(", ")
    ))
}

/// The first sentence behind the usage, or before it.
pub(super) fn about(text: &str) -> Option<String> {
    let mut behind = false;
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines() {
        let lower = line.trim_start().to_lowercase();
        let shows = line.split_whitespace().nth(1);
        let usage = lower.trim_end() == "usage"
            || lower.starts_with("usage:")
            || lower.starts_with("or:")
            || shows.is_some_and(|word| word.starts_with("[OPTION"));
        behind |= usage;
        let prose = !usage
            && line.starts_with(char::is_alphabetic)
            && !line.ends_with(':')
            && !lower.starts_with("mandatory arguments")
            && !lower.contains("help")
            && !lower.starts_with("example");
        if prose {
            paragraph.push(line);
        } else if !paragraph.is_empty() && behind {
            break;
        }
    }
    let sentence = first_sentence(&paragraph.join("\n"));
    // A sentence about options says how the program is called, not what it is for.
    let lower = sentence.to_lowercase();
    let mut words = sentence.split([' ', '(', '`', '\'', '"']);
    let of_options = words.any(|word| word.len() > 1 && word.starts_with('-'))
        || [
            "see ",
            "for more ",
            "use ",
            "try ",
            "alias",
            "learn more",
            "full documentation",
        ]
        .iter()
        .any(|start| lower.starts_with(start));
    (sentence.len() > 3 && sentence.contains(' ') && !of_options).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use charmer_core::model::Arguments;

    const SIEVE: &str = "Usage: sieve [OPTION]... [FILE]...\nSift each FILE. It is quick.\n\nMandatory arguments to long options are mandatory for short options too.\n  -a, --all          take all\n      --mesh=SIZE    use SIZE\n      --help     display this help and exit\n\nReport bugs to nobody.\n";

    #[test]
    fn a_whole_page() {
        let sketch = read(SIEVE, "sieve");
        let names: Vec<String> = sketch.flags.iter().map(|flag| flag.id()).collect();
        assert_eq!(names, ["all", "mesh", "help"]);
        assert_eq!(
            sketch.about.map(|fact| fact.value).as_deref(),
            Some("Sift each FILE.")
        );
        let Some(Arguments::Listed(listed)) = sketch.arguments.map(|fact| fact.value) else {
            panic!("the positionals are plain");
        };
        assert!(listed[0].variadic && !listed[0].required && listed[0].id == "file");
    }

    #[test]
    fn a_command_that_is_listed_may_be_left_out() {
        let page = |commands: &str| {
            format!(
                "gate [OPTIONS...] COMMAND ...\n\nOpens gates.\n\n{commands}\nOptions:\n  -a --all   All of them\n"
            )
        };
        let required = |text: &str| {
            let arguments = read(text, "gate").arguments.expect("a usage").value;
            arguments.listed()[0].required
        };
        assert!(required(&page("")));
        let listed = "Gate Commands:\n  open GATE...     Open some\n  shut [GATE...]   Shut some\n";
        assert!(!required(&page(listed)));
    }

    #[test]
    fn recognition_wants_a_usage_and_rows() {
        assert!(score(SIEVE, "sieve") > 40);
        assert_eq!(
            score("usage: hop [-46Aa] [-b address] destination\n", "hop"),
            0
        );
        let with_commands = format!("{SIEVE}\nCommands:\n  add   Add flour\n");
        assert_eq!(score(&with_commands, "sieve"), 0);
        assert_eq!(score("Usage of hop:\n  -n int\n    \tcount\n", "hop"), 0);
    }
}
