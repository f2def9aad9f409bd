//! The document of the CLI about itself, for whoever reads it from outside: the hidden command `__charmer`.

use std::{collections::HashSet, io::Write};

use charmer_core::{
    model::{Command, CommandPath, Document},
    tool::catalogue,
};

use crate::{Bridge, assemble};

/// Prints the document; the exit code.
pub(crate) fn print(bridge: &Bridge) -> u8 {
    let text = format!("{}\n", document(bridge).to_json());
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

/// The CLI with what its author says of it, and without what the author does not offer.
fn document(bridge: &Bridge) -> Document {
    let (mut cli, _) = assemble::model(bridge, &assemble::environment(bridge, ""));
    let mut offered = HashSet::new();
    for tool in catalogue(&cli, &assemble::options(bridge)).tools {
        let words = tool.path.words();
        for property in &tool.input.flags {
            let owner: CommandPath = words[..property.owner].iter().cloned().collect();
            offered.insert(flag_key(&owner, &property.flag.id));
        }
        offered.insert(tool.path.to_string());
    }
    keep(&mut cli.root, &CommandPath::root(), &offered);
    let mut document = Document::new(cli, "clap");
    if let Some(info) = &bridge.info {
        document.name = Some(info.name.clone());
        document.cli.version = Some(info.version.clone());
        document.instructions.clone_from(&info.instructions);
    }
    #[cfg(feature = "schema")]
    for (path, output) in &bridge.outputs {
        document.outputs.insert(path.clone(), printed(output));
    }
    document
}

/// The schema of what a command prints, which is only a field of what goes out where it is no object.
#[cfg(feature = "schema")]
fn printed(output: &charmer_core::schema::OutputSchema) -> serde_json::Value {
    let whole = output.schema();
    let Some(field) = output.field() else {
        return whole.clone();
    };
    let mut schema = whole["properties"][field].clone();
    if let (Some(schema), Some(defs)) = (schema.as_object_mut(), whole.get("$defs")) {
        schema.insert("$defs".into(), defs.clone());
    }
    schema
}

/// The name of a flag among all that is offered, which no command has.
fn flag_key(command: &CommandPath, id: &str) -> String {
    format!("{command}\0{id}")
}

/// Takes everything out that is not offered as a tool; a flag that one of them has is offered. `false` if nothing is left
/// of a command.
fn keep(command: &mut Command, path: &CommandPath, offered: &HashSet<String>) -> bool {
    command.runnable &= offered.contains(&path.to_string());
    command
        .flags
        .retain(|flag| offered.contains(&flag_key(path, &flag.id)));
    command.commands.retain_mut(|child| {
        let path = path.child(child.name.as_str());
        keep(child, &path, offered)
    });
    command.runnable || !command.commands.is_empty()
}
