//! Flags without a row of their own: those in the usage line, those that a page tells of in sentences, and those of
//! another help topic.

use charmer_core::model::{CommandPath, ValueType};

use super::{named, words};
use crate::{
    fact::{Fact, Origin},
    help::first_sentence,
    sketch::{FlagSketch, KindSketch},
};

/// The flags in a command's usage statements, then those in the sentences of its page.
pub(super) fn flags(rests: &[&str], text: &str) -> Vec<FlagSketch> {
    let mut found = Vec::new();
    for part in rests.iter().flat_map(|rest| bracketed(rest)) {
        if let Some(flag) = named(part) {
            add(&mut found, flag);
        }
    }
    for paragraph in text.split("\n\n") {
        let paragraph = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        // A sentence begins where the one before has ended.
        let starts = paragraph.match_indices("The -").map(|(at, _)| at);
        let starts = starts.filter(|&at| at == 0 || paragraph[..at].ends_with(". "));
        for sentence in starts.map(|at| &paragraph[at..]) {
            told(sentence, &mut found);
        }
    }
    found
}

/// `[-a] [-o output] [-fmt|-json]`: what stands in each pair of brackets that holds flags.
fn bracketed(rest: &str) -> impl Iterator<Item = &str> {
    let groups = words(rest).into_iter();
    let groups = groups.filter_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    let groups = groups.filter(|inner| inner.starts_with('-'));
    groups.flat_map(|inner| inner.split('|').map(str::trim))
}

/// Reads `The -a flag ...`, `The -old=path and -new=path flags ...`.
fn told(sentence: &str, found: &mut Vec<FlagSketch>) {
    let mut names = Vec::new();
    let mut behind = "";
    for word in sentence.split(' ').skip(1) {
        let name = word.trim_end_matches(',');
        match name {
            "flag" | "flags" | "flag's" | "flags'" => {
                behind = name;
                break;
            }
            "and" | "or" => {}
            _ if name.starts_with('-') => names.push(name),
            // `and -c editing flags`
            _ if !names.is_empty() && name.chars().all(char::is_alphabetic) => {}
            _ => return,
        }
    }
    if behind.is_empty() {
        return;
    }
    let repeated = first_sentence(sentence).contains("flags may be repeated");
    for name in names {
        let Some(mut flag) = named(name) else {
            continue;
        };
        if let Some(kind) = &mut flag.kind {
            // `The -mode flag's value ...`
            if behind.ends_with('\'') || behind == "flag's" {
                kind.value = KindSketch::single(ValueType::String);
            }
            *kind = Fact::with(kind.value.clone(), Origin::Help, 60);
        }
        if names_one(sentence) {
            flag.help = Some(Fact::new(first_sentence(sentence), Origin::Help));
        }
        let known = add(found, flag);
        if let Some(kind) = known.kind.as_mut().filter(|_| repeated)
            && kind.value.value_type == ValueType::String
        {
            kind.value = KindSketch::repeated(ValueType::String);
        }
    }
}

fn names_one(sentence: &str) -> bool {
    sentence
        .split(' ')
        .nth(2)
        .is_some_and(|word| word.starts_with("flag"))
}

/// Adds a flag, or what is told of one that is there: its text, and that a switch may also have a value (`-u=patch`).
fn add(found: &mut Vec<FlagSketch>, flag: FlagSketch) -> &mut FlagSketch {
    let at = match found.iter().position(|known| known.is_same(&flag)) {
        Some(at) => {
            let known = &mut found[at];
            let has_value = flag.kind.as_ref().is_some_and(|_| !flag.is_switch());
            if known.is_switch() && has_value {
                let kind = KindSketch::single(ValueType::String).optional(None);
                known.kind = Some(Fact::new(kind, Origin::Help));
                known.placeholder = flag.placeholder;
            }
            known.help = known.help.take().or(flag.help);
            at
        }
        None => {
            found.push(flag);
            found.len() - 1
        }
    };
    &mut found[at]
}

/// The help topics that paragraphs about flags refer to: `For more about build flags, see 'prog help build'.`
pub(super) fn topics(text: &str, program: &str, path: &CommandPath) -> Vec<String> {
    let reference = format!("'{program} help ");
    let own = path.words().join(" ");
    let mut found: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n") {
        // Rows are followed by what is told of one flag.
        if paragraph.starts_with(char::is_whitespace) || paragraph.starts_with("The -") {
            continue;
        }
        let joined = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        if !joined.contains("flags") {
            continue;
        }
        for (at, _) in joined.match_indices(&reference) {
            let topic = joined[at + reference.len()..].split('\'').next();
            let topic = topic.unwrap_or_default();
            let is_word = !topic.is_empty() && topic.chars().all(|c| c.is_ascii_alphanumeric());
            if is_word && topic != own && !found.iter().any(|known| known == topic) {
                found.push(topic.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{FlagValue, Repetition};

    use super::*;

    fn show(flags: &[FlagSketch]) -> Vec<String> {
        let show = |flag: &FlagSketch| {
            let kind = flag.kind.as_ref().map(|kind| &kind.value);
            let value = match kind.map(|kind| &kind.value) {
                Some(FlagValue::None) => "",
                Some(FlagValue::Optional { .. }) => "[=]",
                _ => "=",
            };
            let again = kind.is_some_and(|kind| kind.repetition != Repetition::Single);
            format!("{}{value}{}", flag.id(), if again { "..." } else { "" })
        };
        flags.iter().map(show).collect()
    }

    #[test]
    fn flags_of_the_usage_and_of_sentences() {
        let text = "usage: oven bake [-n] [-o tray] [-fmt|-json] [heat flags] [loaves]\n\nThe -n flag only tells.\nThe -n=loud flag shouts.\n\nThe -salt=grams and -drop=spice flags\nseason it. The -crisp flag bakes longer.\n\nThe -mode flag's value says how.\n\nThe -salt and -drop seasoning flags may be repeated.\n\nThe -5 degrees outside do not matter.\n";
        let found = flags(&["[-n] [-o tray] [-fmt|-json] [heat flags] [loaves]"], text);
        assert_eq!(
            show(&found),
            [
                "n[=]", "o=", "fmt", "json", "salt=...", "drop=...", "crisp", "mode="
            ]
        );
    }

    #[test]
    fn a_paragraph_about_flags_may_name_the_topic_that_lists_them() {
        let text = "usage: oven bake [heat flags]\n\nFor more about heat flags, see 'oven help heat'.\nFor loaves, see 'oven help loaves'.\n\nSee also 'oven help cool'.\n\nThe -n flag tells what the flags do, see 'oven help tell'.\n";
        let path = CommandPath::parse("bake");
        assert_eq!(topics(text, "oven", &path), ["heat", "loaves"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(The -|[a-z=' \\[\\]|\\-\\n]|flags?|[\\PC]){0,120}") {
            flags(&[text.as_str()], &text);
            topics(&text, "a", &CommandPath::root());
        }
    }
}
