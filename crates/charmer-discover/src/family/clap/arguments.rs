//! Positionals: their order and whether they are required from the usage line, the rest from their entries.

use charmer_core::model::{Positional, ValueType};

use crate::family::pattern;

use super::{
    entries::RowEntry,
    notes::ClapNotes,
    usage::{self, ClapUsage},
};

/// The name in a bracketed word.
pub(super) fn bare(word: &str) -> &str {
    word.trim_end_matches("...")
        .trim_matches(['<', '>', '[', ']'])
        .trim_end_matches("...")
        .trim_matches(['<', '>'])
}

/// The positionals in the order of the usage line, with what their entries say.
pub(super) fn positionals(
    usage: &ClapUsage,
    command: Option<usize>,
    arguments: &[(Vec<&str>, RowEntry<'_>)],
) -> Vec<Positional> {
    let mut listed: Vec<Positional> = Vec::new();
    let mut explained = vec![false; arguments.len()];
    let mut at = 0;
    while let Some(operand) = usage.operands.get(at) {
        at += 1;
        if command == Some(at - 1) {
            continue;
        }
        let entry = arguments
            .iter()
            .enumerate()
            .position(|(index, (words, _))| !explained[index] && bare(words[0]) == operand.name);
        let mut positional = usage::positional(operand);
        match entry {
            Some(index) => {
                let (words, entry) = &arguments[index];
                explained[index] = true;
                if words.len() > 1 {
                    // `<A> <B>`: one positional of several values.
                    let more = usage.operands[at..].iter().zip(&words[1..]);
                    let same = more
                        .take_while(|(operand, word)| operand.name == bare(word))
                        .count();
                    let open = usage.operands[at - 1..at + same]
                        .iter()
                        .any(|operand| operand.variadic);
                    at += same;
                    positional.variadic = true;
                    positional.min_values = Some(words.len());
                    positional.max_values = (!open).then_some(words.len());
                }
                explain(&mut positional, entry);
            }
            // Older versions sum up optional positionals.
            None if operand.name == "ARGS" && !arguments.is_empty() => {
                for (index, (words, entry)) in arguments.iter().enumerate() {
                    let named = usage
                        .operands
                        .iter()
                        .any(|operand| operand.name == bare(words[0]));
                    if !named && !explained[index] {
                        explained[index] = true;
                        let mut positional = Positional::new(usage::property(bare(words[0])));
                        positional.variadic = words[0].ends_with("...");
                        explain(&mut positional, entry);
                        listed.push(positional);
                    }
                }
                continue;
            }
            // `[+toolchain]` is read by whoever starts the program.
            None if operand.name.starts_with('+') => continue,
            None => guess_type(&mut positional, &operand.name),
        }
        listed.push(positional);
    }
    // An author's own usage line may leave some out.
    for (words, entry) in arguments
        .iter()
        .zip(&explained)
        .filter(|(_, seen)| !**seen)
        .map(|(argument, _)| argument)
    {
        let mut positional = Positional::new(usage::property(bare(words[0])));
        positional.variadic = words[0].ends_with("...");
        positional.required =
            words[0].starts_with('<') && listed.iter().all(|earlier| earlier.required);
        explain(&mut positional, entry);
        listed.push(positional);
    }
    listed
}

fn explain(positional: &mut Positional, entry: &RowEntry<'_>) {
    let notes = entry.notes();
    // Where usage shows it among alternatives, only its entry has the dots.
    positional.variadic |= entry.left.ends_with("...");
    guess_type(
        positional,
        bare(pattern::words(entry.left).first().unwrap_or(&"")),
    );
    if is_boolean(&notes) {
        positional.value_type = ValueType::Bool;
    } else if !notes.choices.is_empty() {
        positional.value_type = ValueType::String;
    }
    positional.choices = notes.choices;
    if let Some(default) = notes.default {
        positional.default = if positional.variadic {
            default
        } else {
            vec![default.join(" ")]
        };
    }
    positional.env = notes.env;
    positional.help = (!notes.text.is_empty()).then_some(notes.text);
}

fn guess_type(positional: &mut Positional, name: &str) {
    if names_path(name) {
        positional.value_type = ValueType::Path;
    }
}

/// Returns true if a placeholder is one that stands for a file or a directory.
pub(super) fn names_path(placeholder: &str) -> bool {
    let lower = placeholder.to_ascii_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).any(|word| {
        matches!(
            word,
            "path"
                | "paths"
                | "file"
                | "files"
                | "dir"
                | "dirs"
                | "directory"
                | "directories"
                | "folder"
                | "filename"
        )
    }) && !lower.contains(['|', '=', ':'])
}

/// The positional for subcommands that the program finds at run time.
pub(super) fn external(required: bool) -> Positional {
    let mut positional = Positional::new("external_command")
        .variadic()
        .help("The name of an external command, followed by its own arguments");
    positional.required = required;
    positional.external = true;
    positional
}

/// Returns true if the values are those of a boolean.
pub(super) fn is_boolean(notes: &ClapNotes) -> bool {
    let values: Vec<&str> = notes
        .choices
        .iter()
        .map(|choice| choice.value.as_str())
        .collect();
    values == ["true", "false"]
}
