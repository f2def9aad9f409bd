//! The last look at a command line before it is run: every element is one that its tool may write.
//!
//! Binding and writing already keep these rules; this check reads only the finished elements and the tool's own
//! flags, so that a mistake in either cannot hand a caller a flag that a selector left out.

use crate::{
    model::Flag,
    tool::{CommandTemplate, PinnedFlag, Tool},
};

use super::{
    argv::{Argv, Element, ElementKind, MAX_ELEMENT_BYTES},
    violation::Refusal,
    write_flag::looks_like_flag,
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
            let all: Vec<&str> = template.addable.iter().map(|may| &*may.value).collect();
            format!("permitted are `{}`, each as it stands", all.join("`, `"))
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
    for element in argv.elements() {
        match element.kind {
            ElementKind::Word if words.next() == Some(&element.text) && !flags_ended => depth += 1,
            ElementKind::Word => return refuse("a word is not part of the command's path"),
            ElementKind::DoubleDash => flags_ended = true,
            ElementKind::Flag if flags_ended || !is_offered(tool, element, depth) => {
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
            ElementKind::Value | ElementKind::Positional if flags_ended => {}
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

/// A pinned flag counts only as it is pinned: no other value of it can be meant by anyone.
fn is_offered(tool: &Tool, element: &Element, depth: usize) -> bool {
    let mut pinned = tool.input.pinned.iter();
    if let Some(pinned) = pinned.find(|pinned| is_pinned(pinned, element, depth)) {
        return pinned.elements.contains(element);
    }
    tool.input
        .flags
        .iter()
        .any(|property| wrote(&property.flag, &element.text))
}

fn is_pinned(pinned: &PinnedFlag, element: &Element, depth: usize) -> bool {
    pinned.property.level == depth && wrote(&pinned.property.flag, &element.text)
}

/// Whether this element can be the given flag, with or without an attached value.
fn wrote(flag: &Flag, text: &str) -> bool {
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
        model::{Cli, Command, Syntax},
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
}
