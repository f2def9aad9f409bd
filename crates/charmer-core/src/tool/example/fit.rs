//! Examples that are calls of a tool, and the words of them that are to be filled in.

use super::{
    Placeholder,
    words::{LineWord, Slot, WordPart, is_identifier, slot_name},
};
use crate::tool::{
    Tool, choices_of,
    help::{NamedTopic, named},
};

/// Goes along a line: it must name the tool's command and no other, and no flag that is out of reach. Gives for each
/// word the key of the flag that it is, or is the value of.
pub(super) fn fit(tool: &Tool, words: &[LineWord]) -> Option<Vec<Option<String>>> {
    let leaf = tool.input.levels.last()?;
    let mut path = tool.path.words().iter().peekable();
    let mut keys = vec![None; words.len()];
    let mut value_of: Option<String> = None;
    let mut arguments = 0;
    for (at, word) in words.iter().enumerate().skip(1) {
        let plain = word.plain.as_str();
        if let Some(key) = value_of.take() {
            keys[at] = Some(key);
        } else if plain == "--" {
            break;
        } else if plain.len() > 1 && plain.starts_with('-') {
            match named(&tool.input, plain) {
                NamedTopic::Withheld => return None,
                NamedTopic::Unknown if matches!(plain, "--help" | "-h") => return None,
                NamedTopic::Unknown => {}
                NamedTopic::Offered { key, value_follows } => {
                    keys[at] = Some(key.to_owned());
                    value_of = value_follows.then(|| key.to_owned());
                }
            }
        } else if let Some(step) = path.next() {
            let alias = path.peek().is_none() && tool.help.aliases.iter().any(|a| a == plain);
            if plain != step && !alias {
                return None;
            }
        } else {
            if arguments == 0 && leaf.subcommands.iter().any(|name| name == plain) {
                return None;
            }
            arguments += 1;
        }
    }
    path.next().is_none().then_some(keys)
}

/// Finds the places that only the tool can tell from words: `NAME` and `[name]`. Says whether the word stays.
pub(super) fn mark_places(tool: &Tool, word: &mut LineWord, key: Option<&str>) -> bool {
    if word.quoted || word.parts.len() != 1 || matches!(word.parts[0], WordPart::Slot(_)) {
        return true;
    }
    let text = word.plain.clone();
    if let Some(inside) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let name = inside.trim_end_matches("...");
        if inside.starts_with('-') || ["flags", "options"].contains(&&*name.to_lowercase()) {
            return false;
        }
        if is_identifier(name) {
            word.become_slot(name, false);
        }
    } else if is_argument(tool, &text, key) {
        word.become_slot(&text, true);
    } else if let Some((flag, value)) = text.split_once('=')
        && flag.starts_with('-')
        && is_argument(tool, value, key)
    {
        word.parts = vec![
            WordPart::Text(format!("{flag}=")),
            WordPart::Slot(Slot {
                name: slot_name(value),
                written: value.to_owned(),
                required: true,
                quote: None,
            }),
        ];
    }
    true
}

/// Returns true if a word in capitals is the name of an argument: a positional, a word of the usage, or the flag's own
/// name.
fn is_argument(tool: &Tool, word: &str, key: Option<&str>) -> bool {
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if word.len() < 2 || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    if !word.chars().all(capital) {
        return false;
    }
    let name = slot_name(word);
    let input = &tool.input;
    let mut positionals = input.positionals.iter();
    let parts_of_usage = |c: char| !capital(c);
    // `--user=REGISTRY_USER`: words of a list of choices would be known.
    let last = word.rsplit_once('_').map(|(_, last)| last);
    let stands_for_a_value = |key: &str| {
        let whole = last.is_some_and(|last| !last.is_empty());
        whole && choices_of(tool, key).is_empty()
    };
    // `NODE_NAME` where the usage has `NAME`.
    let in_usage = |part: &str| part == word || Some(part) == last && !part.is_empty();
    key.is_some_and(|key| slot_name(key) == name || stands_for_a_value(key))
        || positionals.any(|property| slot_name(&property.key) == name)
        || input.usage.split(parts_of_usage).any(in_usage)
}

pub(super) fn note(
    placeholders: &mut Vec<Placeholder>,
    tool: &Tool,
    slot: &Slot,
    key: Option<&str>,
) {
    if let Some(known) = placeholders.iter_mut().find(|p| p.name == slot.name) {
        known.required |= slot.required;
        return;
    }
    let input = &tool.input;
    let positionals = input.positionals.iter().map(|p| &p.key);
    let flags = input.flags.iter().map(|p| &p.key);
    let named_so = || {
        let mut keys = positionals.chain(flags);
        keys.find(|key| slot_name(key) == slot.name).cloned()
    };
    placeholders.push(Placeholder {
        name: slot.name.clone(),
        required: slot.required,
        key: key.map(str::to_owned).or_else(named_so),
    });
}
