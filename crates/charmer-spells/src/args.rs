//! The entries of `args`.

use std::collections::HashMap;

use charmer_config::reading::{Fields, Node, Problems, Quoted, YamlKind};
use serde_json::{Map, Number, Value};

use crate::{
    environment,
    expand::expand_node,
    input::{self, RESERVED},
    spell::{Arg, ArgPattern, ArgType, Context},
};

pub(crate) const ARG: &[&str] = &[
    "name",
    "type",
    "required",
    "default",
    "enum",
    "pattern",
    "min",
    "max",
    "free",
    "description",
];

pub(crate) fn args(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Vec<Arg> {
    let YamlKind::List(list) = &node.kind else {
        problems
            .wrong(node, "args", "a list")
            .hint("add an entry like `- name: city`");
        return Vec::new();
    };
    let mut args: Vec<Arg> = Vec::new();
    let mut taken: HashMap<String, String> = HashMap::new();
    for entry in list {
        let Some(arg) = arg(entry, context, problems) else {
            continue;
        };
        if let Some(other) = taken.insert(environment::variable(&arg.name), arg.name.clone()) {
            problems
                .add(
                    entry.span.clone(),
                    format!(
                        "`{other}` and `{}` would be the same variable `{}`",
                        arg.name,
                        arg.variable()
                    ),
                )
                .hint("names must differ in more than their case");
            continue;
        }
        args.push(arg);
    }
    args
}

fn arg(node: &Node, context: &Context<'_>, problems: &mut Problems<'_>) -> Option<Arg> {
    let fields = problems.fields(node, "args", ARG)?;
    let name_node = fields.require("name", problems)?;
    let name = problems.word(name_node, "name")?;
    if !charmer_core::tool::is_argument(&name) {
        problems
            .add(
                name_node.span.clone(),
                format!("{} cannot be an argument's name", Quoted(&name)),
            )
            .hint("use letters, digits and `_`, beginning with a letter, at most 64 of them");
        return None;
    }
    if RESERVED.contains(&name.as_str()) {
        problems
            .add(
                name_node.span.clone(),
                format!("`{name}` has a meaning of its own in a call"),
            )
            .hint("choose another name, like `file` or `folder`");
        return None;
    }
    let kind = fields.get("type").map_or(Some(ArgType::String), |node| {
        problems.choice(node, "type", ArgType::NAMES)
    })?;
    let choices = fields.get("enum").map(|node| {
        if kind != ArgType::String {
            problems
                .add(node.span.clone(), "only a `string` can have an `enum`")
                .hint("remove one of the two");
        }
        problems.words(node, "enum", "add a value, or remove the key")
    });
    let pattern = fields.read("pattern", |node, key| {
        let text = problems.word(node, key)?;
        if !matches!(kind, ArgType::String | ArgType::Path) {
            problems
                .add(
                    node.span.clone(),
                    "only a `string` or a `path` can have a `pattern`",
                )
                .hint("remove it: numbers and switches are checked anyway");
        }
        match ArgPattern::new(&text) {
            Ok(pattern) => Some(pattern),
            Err(reason) => {
                problems
                    .add(
                        node.span.clone(),
                        format!("`pattern` is no regular expression: {reason}"),
                    )
                    .hint("put it in single quotes");
                None
            }
        }
    });
    let (min, max) = bounds(&fields, kind, problems);
    let free = fields.read("free", |node, key| {
        let free = problems.switch(node, key)?;
        let is_bounded = kind != ArgType::String || choices.is_some() || pattern.is_some();
        if free && is_bounded {
            problems
                .add(
                    node.span.clone(),
                    "only a `string` without `enum` and `pattern` can be `free`",
                )
                .hint("remove `free`: its text has a bound");
        }
        Some(free)
    });
    let required = fields.read("required", |node, key| problems.switch(node, key));
    let mut arg = Arg {
        name,
        kind,
        required: required.unwrap_or(false),
        default: None,
        choices: choices.unwrap_or_default(),
        pattern,
        min,
        max,
        free: free.unwrap_or(false),
        description: fields
            .read("description", |node, key| problems.word(node, key))
            .map(|text| charmer_core::output::clean(&text).into_owned())
            .unwrap_or_default(),
    };
    if let Some(node) = fields.get("default") {
        arg.default = default(node, &arg, context, problems);
        if arg.required {
            problems
                .add(node.span.clone(), "what is required needs no default")
                .hint("remove `required` or `default`");
        }
    }
    Some(arg)
}

/// The least and the greatest number that a number may be.
fn bounds(
    fields: &Fields<'_>,
    kind: ArgType,
    problems: &mut Problems<'_>,
) -> (Option<Number>, Option<Number>) {
    let min = bound(fields, "min", kind, problems);
    let max = bound(fields, "max", kind, problems);
    if let (Some(least), Some(most)) = (&min, &max)
        && is_less(most, least)
        && let Some(node) = fields.get("max")
    {
        problems
            .add(
                node.span.clone(),
                format!("`max` is {most}, and `min` is {least}: no number fits"),
            )
            .hint("exchange the two, or remove one");
    }
    (min, max)
}

fn bound(
    fields: &Fields<'_>,
    key: &str,
    kind: ArgType,
    problems: &mut Problems<'_>,
) -> Option<Number> {
    let node = fields.get(key)?;
    if !kind.is_number() {
        problems
            .add(
                node.span.clone(),
                format!("only an `integer` or a `number` can have a `{key}`"),
            )
            .hint("write `type: integer` beside it, or remove it");
        return None;
    }
    let number = match json(node) {
        Some(Value::Number(number)) => number,
        _ => {
            problems.wrong(node, key, "a number");
            return None;
        }
    };
    if kind == ArgType::Integer && number.is_f64() {
        problems
            .wrong(node, key, "a whole number")
            .hint("the argument is an `integer`");
        return None;
    }
    Some(number)
}

/// Returns true if one number is less than another; exactly so for whole ones.
pub(crate) fn is_less(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

fn default(
    node: &Node,
    arg: &Arg,
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<Value> {
    let Some(mut value) = json(node) else {
        problems
            .add(node.span.clone(), "this default cannot be written as JSON")
            .hint("keys are text, and numbers are finite");
        return None;
    };
    // Numbers are text where text is wanted.
    if matches!(arg.kind, ArgType::String | ArgType::Path) && value.is_number() {
        value = Value::String(node.raw.clone());
    }
    if let Value::String(text) = &value {
        value = Value::String(expand_node(text, node, context.variables, problems)?);
    }
    if let Err(refusal) = input::check(arg, &value) {
        problems
            .add(
                node.span.clone(),
                format!("this default does not fit: {refusal}"),
            )
            .hint("write one that a caller could give");
        return None;
    }
    Some(value)
}

/// The value of a node, as JSON.
fn json(node: &Node) -> Option<Value> {
    Some(match &node.kind {
        YamlKind::Null => Value::Null,
        YamlKind::Bool(on) => (*on).into(),
        YamlKind::Integer(number) => Value::Number(Number::from_i128(*number)?),
        YamlKind::Float => Value::Number(Number::from_f64(node.raw.parse().ok()?)?),
        YamlKind::Text(text) => text.as_str().into(),
        YamlKind::List(list) => Value::Array(list.iter().map(json).collect::<Option<_>>()?),
        YamlKind::Map(entries) => {
            let mut object = Map::new();
            for (key, value) in entries {
                let YamlKind::Text(key) = &key.kind else {
                    return None;
                };
                object.insert(key.clone(), json(value)?);
            }
            Value::Object(object)
        }
    })
}
