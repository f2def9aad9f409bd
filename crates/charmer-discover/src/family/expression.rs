//! Programs whose command line ends in an expression: `seek [place...] [expression]`, with tests and actions that have one
//! dash and are listed many to a line below headings.

use charmer_core::model::{Arguments, CommandPath, Repetition, SingleDash, Syntax, ValueType};

use super::{
    Asker, Family, Page, Refining, Signs,
    gnu::about,
    pattern::{arguments_of, usage_flags, words},
};
use crate::{
    fact::{Fact, Origin},
    help::{behind_path, usage_statements},
    manual,
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The fewest expressions that make such a program.
const FEWEST: usize = 4;

/// The family.
#[derive(Default)]
pub(crate) struct Expression;

impl Family for Expression {
    fn name(&self) -> &'static str {
        "expressions"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let read = read(signs.text(), &signs.binary.name());
        if read.is_some() { 60 } else { 0 }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt()
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let root = page.path.is_root();
        read(page.text(), page.program).filter(|_| root)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move { manual::explain(asker.binary, sketch) })
    }
}

fn read(text: &str, program: &str) -> Option<CommandSketch> {
    let usage = usage_statements(text, program);
    let statement = usage
        .iter()
        .find(|line| words(line).last().is_some_and(|word| is_expression(word)))?;
    let rest = behind_path(statement, &[])?;
    let mut all = words(rest);
    all.pop();
    let rest = all.join(" ");
    let expressions = expressions(text);
    if expressions.len() < FEWEST {
        return None;
    }
    let mut sketch = CommandSketch::new(CommandPath::root());
    sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    sketch.arguments = arguments_of(&[rest.as_str()]);
    if let Some(about) = about(text) {
        sketch.about = Some(Fact::new(about, Origin::Help));
    }
    for flag in usage_flags(&rest).into_iter().chain(expressions) {
        sketch.add_flag(flag);
    }
    rename_clashing(&mut sketch);
    sketch.warnings.push(
        "operators between its expressions (not, or, brackets) cannot be given: all that are given must hold, in their order"
            .into(),
    );
    Some(sketch)
}

/// A place that has the name of an expression (`[path...]` and `-path PATTERN`) is called by its plural: nobody should mean
/// one and get the other.
fn rename_clashing(sketch: &mut CommandSketch) {
    let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
    else {
        return;
    };
    for positional in listed {
        let flags = sketch.flags.iter();
        if flags
            .clone()
            .any(|flag| flag.long.as_ref() == Some(&positional.id))
        {
            positional.id.push('s');
        }
    }
}

fn is_expression(word: &str) -> bool {
    let word = word.trim_matches(['[', ']', '.', '<', '>']);
    word.eq_ignore_ascii_case("expression")
}

/// The expressions that stand below headings, with their values behind them.
fn expressions(text: &str) -> Vec<FlagSketch> {
    let mut found: Vec<FlagSketch> = Vec::new();
    for (title, tokens) in headed(text) {
        let heading = title.to_lowercase();
        // Operators join expressions, and are none.
        if heading.starts_with("operator") || heading.starts_with("usage") {
            continue;
        }
        let signed = heading.contains("-n");
        let mut at = 0;
        while at < tokens.len() {
            let Some(name) = name(tokens[at]) else {
                at += 1;
                continue;
            };
            let behind = &tokens[at + 1..];
            let count = behind.iter().take_while(|token| !token.starts_with('-'));
            let count = count.count();
            if let Some(flag) = expression(name, &behind[..count], title, signed)
                && !found.iter().any(|known| known.is_same(&flag))
            {
                found.push(flag);
            }
            at += 1 + count;
        }
    }
    found
}

/// The words below each heading, which may be a whole sentence: `Tests (N can be +N or -N or N):`.
fn headed(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            found.push((heading, Vec::new()));
        } else if let Some((_, tokens)) = found.last_mut() {
            tokens.extend(line.split_whitespace().filter(|_| line.starts_with(' ')));
        }
    }
    found
}

/// The name of an expression, without its dash.
fn name(token: &str) -> Option<&str> {
    let name = token.strip_prefix('-')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let named = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain);
    (named && name.len() > 1).then_some(name)
}

fn expression(name: &str, values: &[&str], heading: &str, signed: bool) -> Option<FlagSketch> {
    let heading = heading.split('(').next().unwrap_or_default().trim();
    let mut flag = FlagSketch {
        single_dash: Some(SingleDash::Separate),
        behind_positionals: true,
        ..FlagSketch::long(name)
    };
    // A command that is run goes on until its end is marked, which is the caller's to give.
    let ends = |token: &&&str| matches!(**token, ";" | "+" | "{}");
    let runs = values.iter().any(|token| ends(&token));
    let kind = match values {
        [] => KindSketch::switch(),
        _ if runs => {
            flag.allow_hyphen = true;
            let mut kind = KindSketch::single(ValueType::String);
            kind.repetition = Repetition::Span { min: 1, max: None };
            kind
        }
        [value] => {
            flag.allow_hyphen = signed && value.starts_with('N') || value.starts_with("[-");
            let path = matches!(*value, "FILE" | "PATH" | "DIR");
            KindSketch::single(if path {
                ValueType::Path
            } else {
                ValueType::String
            })
        }
        [_, _] => {
            let mut kind = KindSketch::single(ValueType::String);
            kind.repetition = Repetition::Fixed {
                count: 2,
                repeat: false,
            };
            kind
        }
        // Prose, not placeholders.
        _ => return None,
    };
    flag.placeholder = (!values.is_empty()).then(|| values.join(" "));
    flag.kind = Some(Fact::new(kind, Origin::Help));
    let shown = format!("{heading}: -{name} {}", values.join(" "));
    // A manual page says more, but what runs a command must show that it does.
    let sure = if runs { Origin::Help.usual() } else { 30 };
    flag.help = Some(Fact::with(shown.trim().to_owned(), Origin::Help, sure));
    Some(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEK: &str = "Usage: seek [-H] [-Tiers] [-D kinds] [place...] [expression]\n\nThe default place is here; it shows what it finds.\nOne more line.\n\nOperators (the first binds most):\n      ( EXPR )   ! EXPR   -not EXPR   EXPR1 -or EXPR2\n\nTests (N can be +N or -N or N):\n      -heavier N -named PATTERN -ripe\n       -weight N[kg] -mode [-/]MODE -newer2 FILE\n      -place PATTERN\n\nActions:\n      -toss -note FILE FORMAT\n      -apply COMMAND ; -apply COMMAND {} +\n\nOther options:\n      --help     show this\n\nValid arguments for -D:\nall, some\n";

    #[test]
    fn expressions_stand_behind_places() {
        let sketch = read(SEEK, "seek").expect("a page");
        let shown: Vec<String> = sketch
            .flags
            .iter()
            .map(|flag| {
                let hyphen = if flag.allow_hyphen { "~" } else { "" };
                let behind = if flag.behind_positionals { "" } else { "!" };
                let value = flag.placeholder.as_deref().unwrap_or_default();
                format!("{behind}{} {value}{hyphen}", flag.written())
                    .trim()
                    .to_owned()
            })
            .collect();
        assert_eq!(
            shown,
            [
                "!-H",
                "!-D kinds",
                "-heavier N~",
                "-named PATTERN",
                "-ripe",
                "-weight N[kg]~",
                "-mode [-/]MODE~",
                "-newer2 FILE",
                "-place PATTERN",
                "-toss",
                "-note FILE FORMAT",
                "-apply COMMAND ;~"
            ]
        );
        let arguments = sketch.arguments.expect("arguments").value;
        let [place] = arguments.listed() else {
            panic!("one positional: {arguments:?}");
        };
        assert!(place.variadic && !place.required && place.id == "places");
        assert!(sketch.warnings[0].contains("operators"));
    }

    #[test]
    fn other_programs_are_none() {
        assert!(read("Usage: sum [expression]\n\nOptions:\n  -a  All\n", "sum").is_none());
        assert!(
            read(
                "Usage: seek [place...]\n\nTests:\n  -a1 -b2 -c3 -d4 -e5\n",
                "seek"
            )
            .is_none()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(usage: a \\[expression\\]\n|Tests:\n| -[a-z]{2} |[a-zN;+{} \\-\\n]|[\\PC]){0,120}") {
            read(&text, "a");
        }
    }
}
