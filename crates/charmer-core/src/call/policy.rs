//! The last look at a command line before it is run: every element is one that its tool may write.
//!
//! Binding and writing already keep these rules; this check reads only the finished elements and the tool's own
//! flags, so that a mistake in either cannot hand a caller a flag that a selector left out.

use crate::{
    model::{Flag, Repetition, SingleDash, Syntax},
    tool::{CommandTemplate, PinnedFlag, Tool},
};

use super::{
    argv::{Argv, Element, ElementKind, MAX_ELEMENT_BYTES},
    violation::Refusal,
    write_flag::{looks_like_flag, takes_separate},
};

pub(super) fn check(tool: &Tool, argv: &Argv) -> Result<(), Refusal> {
    for element in argv.elements() {
        if element.text.contains('\0') {
            return refuse("an element holds a NUL character");
        }
        if element.text.len() > MAX_ELEMENT_BYTES {
            return refuse(&format!(
                "an element has {} bytes and a program takes at most {MAX_ELEMENT_BYTES}; pass a file instead",
                element.text.len()
            ));
        }
    }
    match &tool.input.template {
        Some(template) => check_template(template, argv),
        None => check_levels(tool, argv),
    }
}

/// Every element of a command line that an author wrote out is the author's: a word, one that may be added, or one that
/// a template could have made.
fn check_template(template: &CommandTemplate, argv: &Argv) -> Result<(), Refusal> {
    let (words, json) = (template.words.len(), template.json.len());
    let elements = argv.elements();
    let is_word = |element: &&Element| element.kind == ElementKind::Word;
    let written: Vec<&str> = elements
        .iter()
        .filter(is_word)
        .map(|element| element.text.as_str())
        .collect();
    let (first, rest) = written.split_at(words.min(written.len()));
    if first != template.words || !(rest.is_empty() || rest == template.json) {
        return refuse("a word is not the author's");
    }
    let kinds = |range: std::ops::Range<usize>, kind: ElementKind| {
        let within = elements.get(range).unwrap_or_default();
        within.iter().all(|element| element.kind == kind)
    };
    let added = elements
        .iter()
        .filter(|e| e.kind == ElementKind::Added)
        .count();
    let asked = if rest.is_empty() { 0 } else { json };
    let behind = words + added + asked;
    let in_order = kinds(0..words, ElementKind::Word)
        && kinds(words..words + added, ElementKind::Added)
        && kinds(words + added..behind, ElementKind::Word)
        && kinds(behind..elements.len(), ElementKind::Filled);
    if !in_order {
        return refuse("an element does not stand where its author put it");
    }
    let mut added = elements[words..words + added].iter();
    added.try_for_each(|element| may_be_added(template, &element.text))?;
    let mut left = template.elements.iter();
    for element in &elements[behind..] {
        let made = left.find(|template| template.could_make(&element.text));
        let Some(made) = made else {
            return refuse("an element is not one that its author wrote");
        };
        if looks_like_flag(&element.text) && made.start().is_empty() && !element.hyphen_allowed {
            return refuse(&format!("{:?} would be read as a flag", element.text));
        }
    }
    Ok(())
}

/// An element that a caller adds is one of the list, as a whole.
pub(super) fn may_be_added(template: &CommandTemplate, element: &str) -> Result<(), Refusal> {
    if template.addable.iter().any(|may| may.value == element) {
        return Ok(());
    }
    let shown: String = element.chars().take(80).collect();
    let may = match template.addable.is_empty() {
        true => "none may be added here".to_owned(),
        false => {
            const MOST: usize = 8;
            let all = template.addable.iter().map(|may| &*may.value);
            let shown: Vec<&str> = all.take(MOST).collect();
            let more = match template.addable.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let shown = shown.join("`, `");
            format!("permitted are `{shown}`{more}, each as it stands")
        }
    };
    let shown = shown.escape_debug();
    refuse(&format!("the flag `{shown}` is not permitted ({may})"))
}

fn check_levels(tool: &Tool, argv: &Argv) -> Result<(), Refusal> {
    let mut words = tool.path.words().iter();
    let mut depth = 0;
    let mut pinned_seen = vec![0; tool.input.pinned.len()];
    let mut flags_ended = false;
    let mut positionals = 0;
    let elements = argv.elements();
    for (at, element) in elements.iter().enumerate() {
        // Behind some positionals a command may read no options: what stands there is none, however it begins.
        let end = tool.input.levels[depth].options_end_behind;
        let behind_options = end.is_some_and(|end| positionals >= end.max(1));
        match element.kind {
            ElementKind::Word if words.next() == Some(&element.text) && !flags_ended => {
                depth += 1;
                positionals = 0;
            }
            ElementKind::Word => return refuse("a word is not part of the command's path"),
            ElementKind::DoubleDash => flags_ended = true,
            ElementKind::Flag
                if flags_ended || behind_options || !is_offered(tool, &elements[at..], depth) =>
            {
                return refuse(&format!(
                    "`{}` is no flag of this tool",
                    name_of(&element.text)
                ));
            }
            ElementKind::Flag => {
                for (pinned, seen) in tool.input.pinned.iter().zip(&mut pinned_seen) {
                    *seen += usize::from(is_pinned(pinned, element, depth));
                }
            }
            ElementKind::Value if !follows_flag(&elements[..at]) => {
                return refuse("a flag's value stands behind no flag");
            }
            ElementKind::Value | ElementKind::Positional if flags_ended => {}
            // What stands there is no option.
            ElementKind::Positional if behind_options => {}
            ElementKind::Value | ElementKind::Positional => {
                let is_flag = element.kind == ElementKind::Positional
                    && tool.input.levels[depth].knows_flag(&element.text);
                if looks_like_flag(&element.text) && (!element.hyphen_allowed || is_flag) {
                    return refuse(&format!("{:?} would be read as a flag", element.text));
                }
            }
            ElementKind::PassedOn => {}
            ElementKind::Added | ElementKind::Filled => {
                return refuse("an element is no flag and no argument of this tool");
            }
        }
        positionals += usize::from(element.kind == ElementKind::Positional);
    }
    if words.next().is_some() {
        return refuse("the command's path is not complete");
    }
    for (pinned, seen) in tool.input.pinned.iter().zip(pinned_seen) {
        let wanted = pinned.elements.iter();
        let wanted = wanted.filter(|element| element.kind == ElementKind::Flag);
        let whole = pinned.elements.is_empty()
            || argv
                .elements()
                .windows(pinned.elements.len())
                .any(|elements| elements == pinned.elements);
        if seen != wanted.count() || !whole {
            return refuse(&format!(
                "`{}` is not written as it is pinned",
                pinned.property.key
            ));
        }
    }
    Ok(())
}

fn refuse(reason: &str) -> Result<(), Refusal> {
    Err(Refusal::Policy(reason.to_owned()))
}

/// Returns true if a value behind these elements belongs to a flag.
fn follows_flag(before: &[Element]) -> bool {
    let last = before.last().map(|element| element.kind);
    matches!(last, Some(ElementKind::Flag | ElementKind::Value))
}

/// Returns true if the first of these elements is a flag of the tool, written as the program takes it. A pinned flag
/// counts only as it is pinned: no other value of it can be meant by anyone.
fn is_offered(tool: &Tool, elements: &[Element], depth: usize) -> bool {
    let [element, behind @ ..] = elements else {
        return false;
    };
    let mut pinned = tool.input.pinned.iter();
    if let Some(pinned) = pinned.find(|pinned| is_pinned(pinned, element, depth)) {
        return pinned.elements.contains(element);
    }
    let mut flags = tool.input.flags.iter().map(|property| &property.flag);
    flags.any(|flag| {
        wrote(flag, &element.text) && has_its_values(flag, tool.syntax, &element.text, behind)
    })
}

/// Returns true if a flag whose values the program takes only as elements of their own has them there. One value too
/// few, and the program would take the next flag for it; one too many, and it would be a positional.
fn has_its_values(flag: &Flag, syntax: Syntax, text: &str, behind: &[Element]) -> bool {
    if !takes_separate(flag, syntax) {
        return true;
    }
    let values = behind.iter();
    let values = values.take_while(|element| element.kind == ElementKind::Value);
    let values = values.count();
    let fits = match &flag.repetition {
        Repetition::Fixed { count, .. } => values == *count,
        Repetition::Span { min, max } => values >= *min && max.is_none_or(|max| values <= max),
        Repetition::Single | Repetition::Repeat { .. } | Repetition::Joined { .. } => values == 1,
    };
    fits && !text.contains('=')
}

fn is_pinned(pinned: &PinnedFlag, element: &Element, depth: usize) -> bool {
    pinned.property.level == depth && wrote(&pinned.property.flag, &element.text)
}

/// Returns true if this element can be the given flag, with or without an attached value.
fn wrote(flag: &Flag, text: &str) -> bool {
    if let (Some(takes), Some(long)) = (flag.single_dash, &flag.long) {
        let behind = text
            .strip_prefix('-')
            .and_then(|text| text.strip_prefix(long.as_str()));
        return behind.is_some_and(|value| {
            value.is_empty() || takes == SingleDash::Glued || value.starts_with('=')
        });
    }
    if text.starts_with("--") {
        return flag.is_named(name_of(text));
    }
    // A short flag: `-j`, `-j=4` or `-j4`.
    let mut letters = text.strip_prefix('-').unwrap_or_default().chars();
    letters
        .next()
        .is_some_and(|letter| flag.long.is_none() && flag.short == Some(letter))
}

fn name_of(text: &str) -> &str {
    text.split_once('=').map_or(text, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Cli, Command, LongValue, Positional, Syntax},
        tool::{CatalogueOptions, Pin, Pins, catalogue},
    };

    #[test]
    fn a_pinned_flag_is_there_once_and_as_it_is_pinned() {
        let go = Command::new("go").flag(Flag::new("level").pflag("string"));
        let root = Command::new("p")
            .not_runnable()
            .flag(Flag::new("to").pflag("string"))
            .command(go);
        let cli = Cli::new(root, Syntax::pflag());
        let options = CatalogueOptions {
            pins: Pins::resolve(&cli, &[Pin::text("to", "north")]).expect("it fits"),
            ..CatalogueOptions::default()
        };
        let tool = &catalogue(&cli, &options).tools[0];
        let passes = |elements: &[&str]| {
            let mut argv = Argv::default();
            for text in elements {
                let kind = if text.starts_with('-') {
                    ElementKind::Flag
                } else {
                    ElementKind::Word
                };
                argv.push(*text, kind);
            }
            check(tool, &argv).is_ok()
        };
        assert!(passes(&["--to=north", "go", "--level=1"]));
        assert!(!passes(&["go"]));
        assert!(!passes(&["go", "--to=north"]));
        assert!(!passes(&["--to=south", "go"]));
        assert!(!passes(&["--to=north", "--to=north", "go"]));
        assert!(!passes(&["--to=north", "--to=south", "go"]));
    }

    #[test]
    fn a_value_that_cannot_be_attached_follows_its_flag() {
        let text = |name| Flag::new(name).pflag("string");
        let root = Command::new("p")
            .flag(text("data"))
            .flag(Flag::new("all"))
            .positional(Positional::new("url"));
        let syntax = Syntax::getopt().long_value(LongValue::Separate);
        let catalogue = catalogue(&Cli::new(root, syntax), &CatalogueOptions::default());
        let passes = |elements: &[(&str, ElementKind)]| {
            let mut argv = Argv::default();
            for (text, kind) in elements {
                argv.push(*text, *kind);
            }
            check(&catalogue.tools[0], &argv).is_ok()
        };
        use ElementKind::{Flag as F, Positional as P, Value as V};
        assert!(passes(&[("--data", F), ("x", V), ("--all", F), ("u", P)]));
        assert!(passes(&[("--data", F), ("-", V)]));
        assert!(passes(&[("--data", F), ("", V)]));
        for wrong in [
            &[("--data=x", F)][..],
            &[("--data=x", F), ("y", V)],
            &[("--data", F)],
            &[("--data", F), ("--all", F)],
            &[("--data", F), ("--all", V)],
            &[("--data", F), ("x", V), ("y", V)],
            &[("--data", F), ("x", P)],
            &[("u", P), ("x", V)],
            &[("x", V)],
        ] {
            assert!(!passes(wrong), "{wrong:?}");
        }
    }
}
