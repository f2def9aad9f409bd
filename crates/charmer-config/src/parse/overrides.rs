//! The entries of `override`.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use charmer_core::model::{CommandPath, Effect, GivenEffect, Repetition};

use crate::{
    ArgOverride, Bare, CommandOverride, FlagOverride, Repeat, TypeName,
    overrides::ONLY_WRITE,
    read::{Fields, Problems},
    yaml::{Node, Quoted, YamlKind},
};

use super::{
    confine::network,
    selector::{EFFECTS, confirm},
    source::{entries, flag, shortened},
};

pub(super) const COMMAND: &[&str] = &[
    "add",
    "optional",
    "description",
    "usage",
    "examples",
    "title",
    "effect",
    "network",
    "idempotent",
    "open_world",
    "runnable",
    "exclude",
    "stdin",
    "confirm",
    "args",
    "flags",
    "output",
];
pub(super) const FLAG: &[&str] = &[
    "add",
    "optional",
    "type",
    "description",
    "required",
    "enum",
    "default",
    "bare",
    "repeat",
    "short",
    "global",
    "exclude",
    "effect",
    "redirects",
];
pub(super) const ARG: &[&str] = &[
    "name",
    "type",
    "description",
    "required",
    "variadic",
    "last",
    "enum",
    "default",
    "replaced_by",
    "effect",
];

pub(super) fn overrides(
    node: &Node,
    folder: Option<&Path>,
    problems: &mut Problems<'_>,
) -> BTreeMap<String, CommandOverride> {
    let mut found: BTreeMap<String, CommandOverride> = BTreeMap::new();
    // `a b` and `a/b` are one command.
    let mut taken: HashSet<CommandPath> = HashSet::new();
    let example = "a command: {effect: read}";
    for (name, value) in entries(node, "override", example, problems) {
        let Some(path) = problems.word(name, "override") else {
            continue;
        };
        if path.contains(['*', '?']) {
            problems
                .add(
                    name.span.clone(),
                    format!("{} is no command", Quoted(&path)),
                )
                .hint("a correction is for one command; wildcards are for `select`");
            continue;
        }
        if !taken.insert(CommandPath::parse(&path)) {
            problems
                .add(
                    name.span.clone(),
                    format!("{} stands here twice", Quoted(&path)),
                )
                .hint("put all corrections of a command into one entry");
            continue;
        }
        if let Some(correction) = command(value, &path, folder, problems) {
            found.insert(path, correction);
        }
    }
    found
}

fn command(
    node: &Node,
    path: &str,
    folder: Option<&Path>,
    problems: &mut Problems<'_>,
) -> Option<CommandOverride> {
    let fields = problems.fields(node, shortened(path), COMMAND)?;
    Some(CommandOverride {
        position: problems.position(node.span.start),
        add: switch(&fields, "add", problems).unwrap_or(false),
        optional: switch(&fields, "optional", problems).unwrap_or(false),
        description: word(&fields, "description", problems),
        usage: word(&fields, "usage", problems),
        examples: word(&fields, "examples", problems),
        title: word(&fields, "title", problems),
        effect: fields.read("effect", |node, key| problems.choice(node, key, EFFECTS)),
        network: fields.read("network", |node, _| network(node, problems)),
        idempotent: switch(&fields, "idempotent", problems),
        open_world: switch(&fields, "open_world", problems),
        runnable: switch(&fields, "runnable", problems),
        exclude: switch(&fields, "exclude", problems),
        stdin: switch(&fields, "stdin", problems),
        confirm: fields.read("confirm", |node, _| confirm(node, problems)),
        args: fields.read("args", |node, _| args(node, problems)),
        flags: fields
            .get("flags")
            .map(|node| flags(node, problems))
            .unwrap_or_default(),
        output: fields.read("output", |node, _| {
            super::output::output(node, folder, problems)
        }),
    })
}

fn word(fields: &Fields<'_>, key: &str, problems: &mut Problems<'_>) -> Option<String> {
    fields.get(key).and_then(|node| problems.word(node, key))
}

fn switch(fields: &Fields<'_>, key: &str, problems: &mut Problems<'_>) -> Option<bool> {
    fields.get(key).and_then(|node| problems.switch(node, key))
}

/// An empty list says that there are no positionals.
fn args(node: &Node, problems: &mut Problems<'_>) -> Option<Vec<ArgOverride>> {
    let YamlKind::List(list) = &node.kind else {
        problems
            .wrong(node, "args", "a list")
            .hint("list the positionals in order: `args: [{name: file, required: true}]`");
        return None;
    };
    let mut found: Vec<ArgOverride> = Vec::new();
    let mut taken: HashSet<String> = HashSet::new();
    for entry in list {
        let Some(arg) = arg(entry, problems) else {
            continue;
        };
        if !taken.insert(arg.name.clone()) {
            problems
                .add(
                    entry.span.clone(),
                    format!("`args` has {} twice", Quoted(&arg.name)),
                )
                .hint("give each positional a name of its own");
        }
        found.push(arg);
    }
    Some(found)
}

fn arg(node: &Node, problems: &mut Problems<'_>) -> Option<ArgOverride> {
    let fields = problems.fields(node, "args", ARG)?;
    let name = fields
        .require("name", problems)
        .and_then(|node| problems.word(node, "name"));
    let value_type = value_type(&fields, problems);
    if let (Some(name), Some(node)) = (value_type, fields.get("type"))
        && (name.meaning().1 != Repetition::Single || name.0 == "count")
    {
        problems
            .add(
                node.span.clone(),
                format!("a positional cannot be a {}", Quoted(name.0)),
            )
            .hint("name the type of one value, and write `variadic: true` for several");
    }
    Some(ArgOverride {
        value_type,
        description: word(&fields, "description", problems),
        required: switch(&fields, "required", problems),
        variadic: switch(&fields, "variadic", problems),
        last: switch(&fields, "last", problems),
        choices: choices(&fields, problems),
        default: default(&fields, problems),
        replaced_by: fields.get("replaced_by").map(|node| {
            let hint = "name the flags, like `[-e, --file]`";
            problems.words(node, "replaced_by", hint)
        }),
        effect: given_effect(&fields, problems),
        name: name?,
    })
}

fn flags(node: &Node, problems: &mut Problems<'_>) -> BTreeMap<String, FlagOverride> {
    let mut found: BTreeMap<String, FlagOverride> = BTreeMap::new();
    // `--name` and `name` are one flag.
    let mut taken: HashSet<String> = HashSet::new();
    for (key, value) in entries(node, "flags", "output: {type: path}", problems) {
        let Some(name) = flag(key, "flags", problems) else {
            continue;
        };
        if !taken.insert(name.trim_start_matches('-').to_owned()) {
            problems
                .add(
                    key.span.clone(),
                    format!("{} stands here twice", Quoted(&name)),
                )
                .hint("put all corrections of a flag into one entry");
            continue;
        }
        if let Some(correction) = one_flag(value, &name, problems) {
            found.insert(name, correction);
        }
    }
    found
}

fn one_flag(node: &Node, name: &str, problems: &mut Problems<'_>) -> Option<FlagOverride> {
    let fields = problems.fields(node, shortened(name), FLAG)?;
    let value_type = value_type(&fields, problems);
    if value_type.is_some_and(|name| name.is_switch()) {
        for key in ["bare", "repeat", "enum"] {
            if let Some((name, _)) = fields.entry(key) {
                problems
                    .add(
                        name.span.clone(),
                        format!("a switch has no value, so `{key}` means nothing"),
                    )
                    .hint("remove it, or correct the `type`");
            }
        }
    }
    Some(FlagOverride {
        add: switch(&fields, "add", problems).unwrap_or(false),
        optional: switch(&fields, "optional", problems).unwrap_or(false),
        value_type,
        description: word(&fields, "description", problems),
        required: switch(&fields, "required", problems),
        choices: choices(&fields, problems),
        default: default(&fields, problems),
        bare: fields.read("bare", |node, key| match &node.kind {
            YamlKind::Bool(false) => Some(Bare::No),
            YamlKind::Bool(true) => Some(Bare::Yes),
            _ => problems.text_of(node, key).map(Bare::Means),
        }),
        repeat: fields.read("repeat", |node, _| repeat(node, problems)),
        short: fields.read("short", |node, _| short(node, problems)),
        global: switch(&fields, "global", problems),
        exclude: switch(&fields, "exclude", problems),
        effect: flag_effect(&fields, problems),
        redirects: switch(&fields, "redirects", problems),
    })
}

/// A flag's effect, which can also be `only-write`.
fn flag_effect(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<GivenEffect> {
    match &fields.get("effect")?.kind {
        YamlKind::Text(word) if word == ONLY_WRITE => Some(GivenEffect::at_most(Effect::Write)),
        _ => given_effect(fields, problems),
    }
}

/// A word, or words by value.
fn given_effect(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<GivenEffect> {
    let node = fields.get("effect")?;
    let effects: Vec<(&str, Option<Effect>)> = EFFECTS
        .iter()
        .map(|(name, effect)| (*name, Some(*effect)))
        .chain([("none", None)])
        .collect();
    let mut given = GivenEffect::default();
    if !matches!(node.kind, YamlKind::Map(_)) {
        given.any = problems.choice(node, "effect", &effects)?;
        return Some(given);
    }
    for (value, effect) in entries(node, "effect", "DELETE: destroy", problems) {
        let value = problems.text_of(value, "effect")?;
        let effect = problems.choice(effect, shortened(&value), &effects)?;
        match (value.as_str(), effect) {
            ("*", any) => given.any = any,
            (_, effect) => given = given.for_value(value, effect),
        }
    }
    Some(given)
}

fn value_type(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<TypeName> {
    let node = fields.get("type")?;
    let YamlKind::Text(text) = &node.kind else {
        problems
            .wrong(node, "type", "the name of a type")
            .hint("like `string`, `int`, `path`, `duration` or `stringSlice`");
        return None;
    };
    let Some(name) = TypeName::ALL.iter().find(|name| *name == text) else {
        let near = charmer_core::text::nearest(text, TypeName::ALL.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "like `string`, `int`, `path`, `duration` or `stringSlice`".to_owned(),
        };
        problems
            .add(node.span.clone(), format!("{} is no type", Quoted(text)))
            .hint(hint);
        return None;
    };
    if *name == "enum" && fields.get("enum").is_none() {
        problems
            .add(node.span.clone(), "`type: enum` needs the key `enum`")
            .hint("list the values: `enum: [table, json]`");
    }
    Some(TypeName(name))
}

fn choices(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let node = fields.get("enum")?;
    match &node.kind {
        // Any value is accepted.
        YamlKind::List(list) if list.is_empty() => Some(Vec::new()),
        _ => Some(
            problems
                .list(node, "enum", "list the values: `enum: [table, json]`")
                .iter()
                .filter_map(|element| problems.text_of(element, "enum"))
                .collect(),
        ),
    }
}

fn default(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let node = fields.get("default")?;
    let mut one = |node: &Node| match &node.kind {
        YamlKind::Bool(on) => Some(on.to_string()),
        _ => problems.text_of(node, "default"),
    };
    match &node.kind {
        YamlKind::List(list) => Some(list.iter().filter_map(one).collect()),
        _ => one(node).map(|text| vec![text]),
    }
}

fn repeat(node: &Node, problems: &mut Problems<'_>) -> Option<Repeat> {
    match &node.kind {
        YamlKind::Bool(false) => Some(Repeat::Never),
        YamlKind::Bool(true) => Some(Repeat::Each),
        YamlKind::Text(text) if text == "comma" => Some(Repeat::Comma),
        _ => {
            problems
                .add(
                    node.span.clone(),
                    "`repeat` must be `true`, `false` or `comma`",
                )
                .hint("`true` repeats the flag for each value, `comma` joins the values");
            None
        }
    }
}

fn short(node: &Node, problems: &mut Problems<'_>) -> Option<char> {
    let text = problems.word(node, "short")?;
    let mut letters = text.strip_prefix('-').unwrap_or(&text).chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter != '-' && letter != '=' && !letter.is_whitespace() => {
            Some(letter)
        }
        _ => {
            problems
                .add(node.span.clone(), format!("{} is no letter", Quoted(&text)))
                .hint("write one letter, like `short: o`");
            None
        }
    }
}
