//! The tree that clap has, as a truth.

use std::{any::TypeId, path::PathBuf};

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

/// The truth of a program, as JSON.
pub(crate) fn of(mut root: Command) -> Value {
    // clap decides actions, parsers and global arguments only when it builds.
    root.build();
    let mut commands = Map::new();
    add(&root, "", &[], &mut commands);
    Value::Object(commands)
}

fn add(command: &Command, path: &str, inherited: &[String], commands: &mut Map<String, Value>) {
    let parent = path
        .rsplit_once(' ')
        .map_or(String::new(), |(parent, _)| format!("{parent} "));
    let aliases: Vec<String> = command
        .get_visible_aliases()
        .map(|alias| format!("{parent}{alias}"))
        .collect();
    let mut flags = Map::new();
    let mut passed_on = inherited.to_vec();
    for arg in command.get_arguments() {
        let Some(name) = name(arg).filter(|name| name != "--help" && name != "--version") else {
            continue;
        };
        let mut flag = describe(arg);
        flag["inherited"] = json!(inherited.contains(&name));
        if arg.is_global_set() {
            passed_on.push(name.clone());
        }
        flags.insert(name, flag);
    }
    let below: Vec<&Command> = command
        .get_subcommands()
        .filter(|child| child.get_name() != "help")
        .collect();
    let runnable = below.is_empty() || !command.is_subcommand_required_set();
    commands.insert(
        path.to_owned(),
        json!({
            "aliases": aliases,
            "runnable": runnable,
            "hidden": command.is_hide_set(),
            "flags": flags,
        }),
    );
    for child in below {
        let path = format!("{path} {}", child.get_name());
        add(child, path.trim_start(), &passed_on, commands);
    }
}

/// How a flag is typed; `None` for a positional.
fn name(arg: &Arg) -> Option<String> {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => Some(format!("--{long}")),
        (None, Some(short)) => Some(format!("-{short}")),
        (None, None) => None,
    }
}

fn describe(arg: &Arg) -> Value {
    let longs = arg.get_visible_aliases().into_iter().flatten();
    let shorts = arg.get_visible_short_aliases().into_iter().flatten();
    let aliases: Vec<String> = longs
        .map(|long| format!("--{long}"))
        .chain(shorts.map(|short| format!("-{short}")))
        .collect();
    let mut flag = json!({
        "aliases": aliases,
        "required": arg.is_required_set(),
        "hidden": arg.is_hide_set(),
        "persistent": arg.is_global_set(),
    });
    if let (Some(_), Some(short)) = (arg.get_long(), arg.get_short()) {
        flag["short"] = json!(format!("-{short}"));
    }
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => flag["type"] = json!("bool"),
        ArgAction::Count => flag["type"] = json!("count"),
        action => {
            let counts = arg.get_num_args().unwrap_or_default();
            flag["optional_value"] = json!(counts.min_values() == 0);
            if matches!(action, ArgAction::Append) || counts.max_values() > 1 {
                flag["type"] = json!("list");
                flag["element"] = json!(type_name(arg));
            } else {
                flag["type"] = json!(type_name(arg));
            }
            describe_values(arg, &mut flag);
        }
    }
    flag
}

/// Adds the default and the values that are accepted.
fn describe_values(arg: &Arg, flag: &mut Value) {
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect();
    if !values.is_empty() {
        flag["enum"] = json!(values);
    }
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .collect();
    if flag["type"] == "list" {
        flag["default"] = json!(format!("[{}]", defaults.join(",")));
    } else if let [default] = &defaults[..] {
        flag["default"] = json!(default);
    }
}

/// What one value is. Help and error messages tell whole numbers from others, but not their size.
fn type_name(arg: &Arg) -> &'static str {
    let produced = arg.get_value_parser().type_id();
    let is = |known: TypeId| produced == known;
    macro_rules! is_one_of {
        ($($type:ty),+) => { $(is(TypeId::of::<$type>()))||+ };
    }
    if is_one_of!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize) {
        return "integer";
    }
    if is_one_of!(f32, f64) {
        return "float";
    }
    if is_one_of!(String, PathBuf) || !arg.get_possible_values().is_empty() {
        return "string";
    }
    "own"
}
