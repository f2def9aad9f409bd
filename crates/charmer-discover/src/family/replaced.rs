//! Positionals that an option stands for: `grep PATTERNS FILE`, but `grep --regexp=PATTERNS FILE`.

use charmer_core::model::{Arguments, FlagValue};

use crate::{
    fact::Fact,
    sketch::{CommandSketch, FlagSketch},
};

/// The way the text of an option begins that brings what a positional would have brought.
const BRINGS: [&str; 6] = ["use", "take", "read", "get", "obtain", "search"];

/// Notes which options stand in the place of the first positional. Their help says so with the positional's own name:
/// `use PATTERNS for matching`, `take PATTERNS from FILE`. The same name in the place of the option's value is not
/// enough: `touch --reference=FILE FILE` needs both.
pub(super) fn mark_replaced(sketch: &mut CommandSketch) {
    let Some(Fact {
        value: Arguments::Listed(listed),
        ..
    }) = &mut sketch.arguments
    else {
        return;
    };
    let Some(first) = listed.first_mut().filter(|p| p.required && !p.variadic) else {
        return;
    };
    let name = first.id.to_uppercase();
    let brings = |flag: &&FlagSketch| {
        let valued =
            |kind: &Fact<crate::sketch::KindSketch>| kind.value.value == FlagValue::Required;
        let text = flag.help.as_ref().map_or("", |help| help.value.as_str());
        let mut words = text.split_whitespace().filter(|word| *word != "the");
        let verb = words.next().unwrap_or_default().to_lowercase();
        flag.kind.as_ref().is_some_and(valued)
            && BRINGS.contains(&verb.as_str())
            && words.next() == Some(&name)
    };
    first.replaced_by = sketch
        .flags
        .iter()
        .filter(brings)
        .map(FlagSketch::id)
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{getopt::getopt_flags, pattern::arguments_of};
    use charmer_core::model::CommandPath;

    fn replaced(usage: &str, rows: &str) -> Vec<String> {
        let mut sketch = CommandSketch::new(CommandPath::root());
        sketch.arguments = arguments_of(&[usage]);
        sketch.flags = getopt_flags(rows).0.into();
        mark_replaced(&mut sketch);
        match sketch.arguments.map(|fact| fact.value) {
            Some(Arguments::Listed(listed)) => listed[0].replaced_by.clone(),
            _ => panic!("the positionals are plain"),
        }
    }

    #[test]
    fn an_option_replaces_a_positional_only_where_its_text_says_so() {
        let rows = "  -F, --fixed-strings  WORDS are strings\n  -e, --regexp=WORDS   use WORDS for matching\n  -f, --file=FILE      take WORDS from FILE\n  -m, --max-count=NUM  stop after NUM lines\n";
        assert_eq!(
            replaced("[OPTION]... WORDS [FILE]...", rows),
            ["regexp", "file"]
        );
        let touch = "  -r, --reference=FILE   use this file's times\n  -t STAMP               use STAMP instead of the time\n";
        assert!(replaced("[OPTION]... FILE", touch).is_empty());
    }
}
