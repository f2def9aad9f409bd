//! From a file's tree to a [`Spell`], key by key. Readers go on after a mistake.

use std::{collections::BTreeMap, ops::Range, path::PathBuf};

use charmer_config::{
    HookRules,
    reading::{self, Fields, Node, Problems, Quoted, TextRead, YamlKind},
};
use charmer_core::{
    model::{Effect, Network},
    output::clean,
    tool::Template,
    tool::{NAME_WARNING, ToolName},
};
use charmer_run::layers::StructureMode;

use crate::{
    args, argv, bound, caller_code, environment,
    expand::{expand_node, is_variable},
    spell::{Arg, Context, DEFAULT_TIMEOUT, Spell, TIMES},
    words,
};

pub(crate) const SPELL: &[&str] = &[
    "name",
    "description",
    "command",
    "flags",
    "paths",
    "timeout",
    "args",
    "argv",
    "env",
    "stdin",
    "effect",
    "confirm",
    "shell",
    "confine",
    "network",
    "structure",
    "json",
    "max_items",
    "output",
    "hooks",
];
const EFFECTS: &[(&str, Effect)] = &[
    ("read", Effect::Read),
    ("write", Effect::Write),
    ("destroy", Effect::Destroy),
];
/// Tools that stand beside spells.
pub(crate) const TAKEN: [&str; 3] = ["cast_spell", "list_spells", "read_output"];

/// A part of a spell that a caller's text can be put into, or be evaluated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Command,
    Argv(usize),
    Stdin,
}

/// The places of those parts of a spell that are looked at together.
pub(crate) struct Places {
    pub(crate) command: Range<usize>,
    pub(crate) argv: Vec<Range<usize>>,
    pub(crate) stdin: Range<usize>,
    pub(crate) flags: Range<usize>,
    pub(crate) json: Range<usize>,
    pub(crate) paths: Range<usize>,
    pub(crate) confine: Range<usize>,
}

impl Places {
    pub(crate) fn of(&self, at: At) -> Range<usize> {
        let place = match at {
            At::Argv(at) => self.argv.get(at),
            At::Stdin => Some(&self.stdin),
            At::Command => None,
        };
        place.unwrap_or(&self.command).clone()
    }
}

pub(crate) fn spell(text: &str, file: &str, context: &Context<'_>) -> TextRead<Spell> {
    let mut read = reading::read(text, file, |tree, problems| whole(tree, context, problems));
    if read.mistakes.is_some() {
        read.value = None;
    }
    read
}

fn whole(tree: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<Spell> {
    if matches!(tree.kind, YamlKind::Null) {
        problems
            .add(0..0, "the file says nothing")
            .hint("a spell needs `name`, `description` and `command`");
        return None;
    }
    let fields = problems.fields(tree, "spell", SPELL)?;
    let name = fields
        .require("name", problems)
        .and_then(|node| name(node, context, problems));
    let description = fields
        .require("description", problems)
        .and_then(|node| description(node, problems));
    let command = fields
        .require("command", problems)
        .and_then(|node| command(node, context, problems));
    let declared = fields
        .get("args")
        .map(|node| args::args(node, context, problems));
    let known: &[Arg] = declared.as_deref().unwrap_or_default();
    let (argv, argv_places) = argv::argv(&fields, known, context, problems);
    let stdin = fields.read("stdin", |node, key| {
        argv::template(node, key, known, context, problems)
    });
    let switch = |key: &str, problems: &mut Problems<'_>| {
        let node = fields.get(key);
        node.and_then(|node| problems.switch(node, key))
            .unwrap_or(false)
    };
    let place = |key: &str| {
        fields
            .entry(key)
            .map_or(0..0, |(name, _)| name.span.clone())
    };
    let value_place = |key: &str| fields.get(key).map_or(0..0, |node| node.span.clone());
    let by_person = fields
        .get("confirm")
        .is_some_and(|node| matches!(&node.kind, YamlKind::Text(text) if text == "person"));
    let spell = Spell {
        flags: list(&fields, "flags", problems, |node, problems| {
            element(node, "flags", context, problems)
        }),
        paths: list(&fields, "paths", problems, |node, problems| {
            path(node, context, problems)
        }),
        timeout: fields
            .read("timeout", |node, key| problems.duration(node, key, TIMES))
            .unwrap_or(DEFAULT_TIMEOUT),
        env: fields
            .get("env")
            .map(|node| env(node, declared.as_deref(), context, problems))
            .unwrap_or_default(),
        effect: fields
            .read("effect", |node, key| problems.choice(node, key, EFFECTS))
            .unwrap_or_default(),
        confirm: !by_person && switch("confirm", problems),
        confirmed_by_person: by_person,
        shell: switch("shell", problems),
        confine: fields.read("confine", |node, key| problems.switch(node, key)),
        network: fields.read("network", |node, key| {
            problems.choice(node, key, &Network::NAMES)
        }),
        structure: fields.read("structure", |node, _| structure(node, &fields, problems)),
        json: json(&fields, context, problems),
        max_items: fields.read("max_items", |node, _| reading::max_items(node, problems)),
        output: fields.read("output", |node, _| {
            reading::output(node, context.folder, problems)
        }),
        hooks: fields
            .read("hooks", |node, _| hooks(node, context, problems))
            .unwrap_or_default(),
        args: declared,
        argv,
        stdin,
        // What is missing has been said, and a spell with mistakes is not handed out.
        name: name.unwrap_or_default(),
        description: description.unwrap_or_default(),
        command: command.unwrap_or_default(),
    };
    if spell.command.is_empty() {
        return None;
    }
    let places = Places {
        command: value_place("command"),
        argv: argv_places,
        stdin: value_place("stdin"),
        flags: place("flags"),
        json: place("json"),
        confine: place("confine"),
        paths: if fields.get("paths").is_some() {
            place("paths")
        } else {
            place("name")
        },
    };
    let refused = caller_code::rule(&spell, &places, problems);
    bound::rule(&spell, &places, &refused, problems);
    crate::advice::advise(&spell, &places, problems);
    Some(spell)
}

fn name(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<String> {
    let name = problems.word(node, "name")?;
    if ToolName::exact(&name).is_none() {
        problems
            .add(
                node.span.clone(),
                format!("{} cannot be a tool's name", Quoted(&name)),
            )
            .hint("use letters, digits, `_` and `-`, at most 64 of them");
        return None;
    }
    if let Some(stem) = context.stem.filter(|stem| *stem != name) {
        problems
            .add(
                node.span.clone(),
                format!(
                    "the name is {}, and the file's is {}",
                    Quoted(&name),
                    Quoted(stem)
                ),
            )
            .hint("give both the same name");
        return None;
    }
    if TAKEN.contains(&name.as_str()) || context.reserved.contains(&name) {
        problems
            .add(
                node.span.clone(),
                format!("another tool is called {}", Quoted(&name)),
            )
            .hint("give the spell, and its file, another name");
        return None;
    }
    if name.len() > NAME_WARNING {
        problems
            .advise(
                node.span.clone(),
                format!("the name has {} characters", name.len()),
            )
            .hint(format!("some clients cut tool names past {NAME_WARNING}"));
    }
    Some(name)
}

fn description(node: &Node, problems: &mut Problems<'_>) -> Option<String> {
    let text = problems.word(node, "description")?;
    let cleaned = clean(&text);
    if cleaned != text {
        problems
            .advise(
                node.span.clone(),
                "the description holds characters that cannot be seen or that hide others",
            )
            .hint("remove them: an assistant would read what a person does not see; they are shown marked");
    }
    Some(cleaned.into_owned())
}

fn command(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let text = problems.word(node, "command")?;
    let words = match words::split(&text) {
        Ok(words) => words,
        Err(message) => {
            problems.add(node.span.clone(), message).hint("close it");
            return None;
        }
    };
    if words.first().is_none_or(String::is_empty) {
        problems.add(node.span.clone(), "`command` names no program");
        return None;
    }
    if let Some(place) = words.iter().find(|word| !Template::new(word).is_fixed()) {
        problems
            .add(node.span.clone(), format!("{} has a place for an argument", Quoted(place)))
            .hint("`command` is always the same: write it as an element of `argv`, and declare it in `args`");
        return None;
    }
    // Split first: what a variable holds stays one word.
    let expanded = words
        .iter()
        .map(|word| expand_node(word, node, context.variables, problems));
    let expanded = expanded.collect::<Option<Vec<String>>>()?;
    if expanded[0].is_empty() {
        problems
            .add(
                node.span.clone(),
                "`command` names no program: its variable is empty",
            )
            .hint("set the variable before the server starts");
        return None;
    }
    Some(expanded)
}

/// A list that may be empty or missing.
pub(crate) fn list<T>(
    fields: &Fields<'_>,
    key: &str,
    problems: &mut Problems<'_>,
    mut read: impl FnMut(&Node, &mut Problems<'_>) -> Option<T>,
) -> Vec<T> {
    match fields.get(key) {
        Some(node) => match &node.kind {
            YamlKind::List(list) => list
                .iter()
                .filter_map(|node| read(node, problems))
                .collect(),
            _ => {
                problems
                    .wrong(node, key, "a list")
                    .hint(format!("put its elements in brackets: `{key}: [...]`"));
                Vec::new()
            }
        },
        None => Vec::new(),
    }
}

/// One element of a command line, as its author wrote it.
fn element(
    node: &Node,
    what: &str,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<String> {
    let text = problems.word(node, what)?;
    expand_node(&text, node, context.variables, problems)
}

fn path(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<PathBuf> {
    let path = element(node, "paths", context, problems)?;
    if path.is_empty() || path.starts_with('~') || path.contains("://") {
        problems
            .add(node.span.clone(), format!("{} is no folder", Quoted(&path)))
            .hint("write a path: absolute, or relative to the folder that holds `spells/`; `${HOME}` is your home");
        return None;
    }
    Some(PathBuf::from(path))
}

fn structure(
    node: &Node,
    fields: &Fields<'_>,
    problems: &mut Problems<'_>,
) -> Option<StructureMode> {
    let mode = reading::structure(node, problems)?;
    if mode == StructureMode::Force && fields.get("json").is_none() {
        problems
            .add(node.span.clone(), "`structure: force` needs `json` beside it")
            .hint("nobody has read this program's flags: say what makes it print JSON, as in `json: [--output=json]`");
        return None;
    }
    Some(mode)
}

/// The programs that are asked about its runs.
fn hooks(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<HookRules> {
    let mut rules = reading::hooks(node, problems)?;
    for words in [&mut rules.before, &mut rules.after, &mut rules.error] {
        for word in words {
            *word = expand_node(word, node, context.variables, problems)?;
        }
    }
    Some(rules)
}

/// The words that make the program print JSON.
fn json(fields: &Fields<'_>, context: &Context<'_>, problems: &mut Problems<'_>) -> Vec<String> {
    let words = list(fields, "json", problems, |node, problems| {
        element(node, "json", context, problems)
    });
    if let Some(node) = fields.get("json")
        && matches!(&node.kind, YamlKind::List(list) if list.is_empty())
    {
        problems.add(node.span.clone(), "`json` has no words").hint(
            "say what makes the program print JSON, as in `json: [--output=json]`, or leave it out",
        );
    }
    words
}

fn env(
    node: &Node,
    declared: Option<&[Arg]>,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> BTreeMap<String, String> {
    problems.hide(node);
    let YamlKind::Map(entries) = &node.kind else {
        problems
            .wrong(node, "env", "a mapping")
            .hint("write `env: {NAME: value}`");
        return BTreeMap::new();
    };
    let mut variables = BTreeMap::new();
    for (key, value) in entries {
        let Some(name) = problems.word(key, "env") else {
            continue;
        };
        if !is_variable(&name) || environment::is_ours(&name) {
            problems
                .add(key.span.clone(), format!("{} cannot be set", Quoted(&name)))
                .hint("a name has letters, digits and `_`; `SPELL_ARG_...` and `CHARMER_TOOL` are Charmer's");
            continue;
        }
        let text = problems.text_of(value, &name);
        if let Some(text) = &text {
            advise_on_places(text, &name, value, declared, problems);
        }
        let text = text.and_then(|text| expand_node(&text, value, context.variables, problems));
        if let Some(text) = text {
            variables.insert(name, text);
        }
    }
    variables
}

/// Says that a place for an argument is literal text in the value of a variable. Other braces are left alone: they may be
/// another program's template.
fn advise_on_places(
    text: &str,
    variable: &str,
    value: &Node,
    declared: Option<&[Arg]>,
    problems: &mut Problems<'_>,
) {
    let template = Template::new(text);
    let is_argument =
        |name: &&str| declared.is_none_or(|declared| declared.iter().any(|arg| arg.name == *name));
    if let Some(name) = template.names().find(is_argument) {
        problems
            .advise(
                value.span.clone(),
                format!("`{{{{{name}}}}}` is literal text in `env`: `{variable}` would hold the braces"),
            )
            .hint(format!(
                "the program finds `{name}` in the variable `{}`; a place for it can be in `argv` and `stdin`",
                environment::variable(name)
            ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_the_keys_that_the_parser_has() {
        let schema: serde_json::Value =
            serde_json::from_str(crate::SCHEMA).expect("the schema is JSON");
        for (pointer, keys) in [
            ("", SPELL),
            ("/$defs/arg", args::ARG),
            ("/$defs/output", reading::OUTPUT),
            ("/$defs/hooks", reading::HOOKS),
        ] {
            let object = schema.pointer(pointer).expect("it is there");
            assert_eq!(object["additionalProperties"], false);
            let properties = object["properties"].as_object().expect("keys");
            assert_eq!(properties.keys().collect::<Vec<_>>(), keys);
        }
    }
}
