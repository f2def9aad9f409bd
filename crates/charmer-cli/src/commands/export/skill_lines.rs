//! The lines of a skill on its programs and on each command.

use std::sync::Arc;

use charmer_core::{
    expose::{ToolCandidate, place},
    text::shorten,
    tool::{PositionalProperty, Tool, lean, quoted, summary},
};
use serde_json::Value;

use super::{ReadPrograms, about, listed, skill::SkillDetail};

/// The most bytes of a skill's description.
const DESCRIPTION: usize = 1024;
/// The number of commands that the description names: those that tell most of when the skill is of use.
const NAMED: usize = 12;
/// A longer pattern of arguments says less than the help that it comes from.
const LONGEST_PATTERN: usize = 80;

/// The text before the commands.
pub(super) fn head(name: &str, programs: &ReadPrograms, tools: &[Arc<Tool>]) -> String {
    let names: Vec<String> = programs.models().map(|cli| cli.root.name.clone()).collect();
    let first = names.first().map_or("program", String::as_str);
    let what = programs.models().filter_map(|cli| {
        let about = about(cli)?;
        Some(format!("{}: {about}.", cli.root.name))
    });
    let what = what.collect::<Vec<_>>().join(" ");
    let candidates: Vec<ToolCandidate<'_>> =
        tools.iter().map(|tool| ToolCandidate::new(tool)).collect();
    let common = place(&candidates, usize::MAX / 4, NAMED, |_| 1);
    let common = tools.iter().zip(common).filter(|(_, at)| at.is_own());
    let common: Vec<String> = common.map(|(tool, _)| tool.words()).collect();
    let programs_named = listed(&names);
    let description = format!(
        "{what} Which command of {programs_named} to use when, and what each changes. Use it when a task needs \
         {programs_named} in a shell, as in {}.",
        common.join(", ")
    );
    let description = Value::from(shorten(description.trim_start(), DESCRIPTION));
    let mut text = format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n");
    if !what.is_empty() {
        text.push_str(&format!("{what}\n\n"));
    }
    let selection = &programs.settings.selection;
    let chosen = selection.read_only
        || !selection.allow.is_empty()
        || !selection.deny.is_empty()
        || programs
            .settings
            .programs
            .iter()
            .any(|program| program.source.read_only || !program.source.select.is_empty());
    if chosen {
        text.push_str(
            "- Run no other command than those below: the others were left out on purpose.\n",
        );
    }
    if selection.read_only {
        text.push_str("- Change nothing: no flag that writes a file, no redirection into one.\n");
    }
    for pinned in pinned(tools) {
        text.push_str(&format!(
            "- Always add `{pinned}` where the command takes it.\n"
        ));
    }
    let mut example = tools.iter().filter(|tool| common.contains(&tool.words()));
    let example = example.next().map_or("TOOL", |tool| tool.name.as_str());
    text.push_str(&format!(
        "- More on a command: `{first} COMMAND --help`.\n\
         - `charmer call --dry-run --binary {first} {example} ARGUMENTS` shows what would be run and what it changes, and \
         runs nothing; a tool is called as the command, with `_` between the words.\n"
    ));
    text
}

/// The flags that are in every command line, as a shell takes them, each once.
fn pinned(tools: &[Arc<Tool>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let flags = tools.iter().flat_map(|tool| &tool.input.pinned);
    for flag in flags {
        let words = flag.elements.iter().map(|element| quoted(&element.text));
        let words = words.collect::<Vec<_>>().join(" ");
        if !words.is_empty() && !all.contains(&words) {
            all.push(words);
        }
    }
    all
}

/// A command in as many words as are asked for.
pub(super) fn line(tool: &Tool, said: SkillDetail) -> String {
    let words = tool.words();
    let summary = || match summary(tool) {
        text if text.is_empty() => String::new(),
        text => format!(": {text}"),
    };
    match said {
        SkillDetail::Nothing => String::new(),
        SkillDetail::Name => words,
        SkillDetail::Summary => format!("- `{words}`{}", summary()),
        SkillDetail::Usage => {
            let arguments = arguments(tool);
            let flags = common_flags(tool);
            let flags = match flags.is_empty() {
                true => String::new(),
                false => format!(" ({})", flags.join(" ")),
            };
            format!("- `{words}{arguments}`{}{flags}", summary())
        }
    }
}

/// The arguments of a command as a usage line has them.
fn arguments(tool: &Tool) -> String {
    if let Some((_, pattern)) = &tool.input.pattern {
        let line = pattern.lines().next().unwrap_or_default().trim();
        return match line.is_empty() || line.len() > LONGEST_PATTERN {
            true => " [args...]".to_owned(),
            false => format!(" {line}"),
        };
    }
    let positionals = tool.input.positionals.iter();
    let written = positionals.map(|PositionalProperty { positional, .. }| {
        let name = positional.name.as_ref().unwrap_or(&positional.id);
        let more = if positional.variadic { "..." } else { "" };
        match positional.required {
            true => format!(" <{name}>{more}"),
            false => format!(" [{name}]{more}"),
        }
    });
    written.collect()
}

/// The flags that people use most, as the list of tools has them.
fn common_flags(tool: &Tool) -> Vec<String> {
    let lean = lean(tool, tool, "");
    let schema = &lean.as_ref().unwrap_or(tool).input_schema;
    let is_listed = |key: &str| {
        let properties = schema.get("properties");
        let flat = properties.and_then(|properties| properties.get(key));
        let nested =
            properties.and_then(|properties| properties.get("flags")?.get("properties")?.get(key));
        flat.or(nested).is_some()
    };
    let own = tool.input.levels.len().saturating_sub(1);
    let flags = tool.input.flags.iter();
    flags
        .filter(|flag| flag.owner == own && flag.flag.long.is_some() && is_listed(&flag.key))
        .map(|flag| format!("`{}`", flag.flag.display_name()))
        .collect()
}

/// The last word of a command, and what stands before it.
pub(super) fn last_word(words: &str) -> (&str, &str) {
    words.rsplit_once(' ').unwrap_or(("", words))
}

/// Commands by name alone, those with the same beginning together.
pub(super) fn together(names: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (beginning, word) = last_word(name);
        match groups.iter_mut().find(|(of, _)| *of == beginning) {
            Some((_, words)) => words.push(word),
            None => groups.push((beginning, vec![word])),
        }
    }
    let groups = groups.iter().map(|(beginning, words)| {
        let line = format!("{beginning} {}", words.join("|"));
        format!("`{}`", line.trim_start())
    });
    groups.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Flag, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    #[test]
    fn a_command_is_told_in_as_many_words_as_are_wanted() {
        let sail = Command::new("sail")
            .about("Leave the harbour. Mind the tide.")
            .usage("sail SHIP [PORT...]")
            .flag(Flag::new("speed").pflag("int"));
        let fleet = Command::new("fleet").not_runnable().command(sail);
        let cli = Cli::new(fleet, Syntax::pflag());
        let tool = &catalogue(&cli, &CatalogueOptions::default()).tools[0];
        assert_eq!(line(tool, SkillDetail::Name), "fleet sail");
        assert_eq!(
            line(tool, SkillDetail::Summary),
            "- `fleet sail`: Leave the harbour."
        );
        assert_eq!(
            line(tool, SkillDetail::Usage),
            "- `fleet sail <ship> [port]...`: Leave the harbour. (`--speed`)"
        );
    }

    #[test]
    fn names_stand_together() {
        let names = [
            "git am",
            "git notes add",
            "git gc",
            "git notes copy",
            "alone",
        ];
        let names = names.map(str::to_owned);
        assert_eq!(
            together(&names),
            "`git am|gc`, `git notes add|copy`, `alone`"
        );
    }
}
