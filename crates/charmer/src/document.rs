//! The document of the CLI about itself, for whoever reads it from outside: the hidden command `__charmer`.

use std::{collections::HashSet, io::Write};

use charmer_core::{
    model::{Command, CommandPath, Document},
    schema::OutputSchema,
    tool::catalogue,
};
use serde_json::Value;

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
    let mut offered = Offered::default();
    for tool in catalogue(&cli, &assemble::options(bridge)).tools {
        let words = tool.path.words();
        for property in &tool.input.flags {
            let owner = words[..property.owner].iter().cloned().collect();
            offered.flags.insert((owner, property.flag.id.clone()));
        }
        offered.commands.insert(tool.path.clone());
    }
    offered.keep(&mut cli.root, &CommandPath::root());
    let mut document = Document::new(cli, "clap");
    if let Some(info) = &bridge.info {
        document.name = Some(info.name.clone());
        document.cli.version = Some(info.version.clone());
        document.instructions.clone_from(&info.instructions);
    }
    let outputs = bridge.outputs.iter();
    document.outputs = outputs
        .map(|(path, output)| (path.clone(), printed(output)))
        .collect();
    document
}

/// The schema of what a command prints, which is only a field of what goes out where it is no object.
fn printed(output: &OutputSchema) -> Value {
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

/// The commands and flags that are offered as tools; a flag that one of them has is offered.
#[derive(Default)]
struct Offered {
    commands: HashSet<CommandPath>,
    flags: HashSet<(CommandPath, String)>,
}

impl Offered {
    /// Takes everything else out; `false` if nothing is left of a command.
    fn keep(&self, command: &mut Command, path: &CommandPath) -> bool {
        command.runnable &= self.commands.contains(path);
        command.flags.retain(|flag| {
            let key = (path.clone(), flag.id.clone());
            self.flags.contains(&key)
        });
        command.commands.retain_mut(|child| {
            let path = path.child(child.name.as_str());
            self.keep(child, &path)
        });
        command.runnable || !command.commands.is_empty()
    }
}
