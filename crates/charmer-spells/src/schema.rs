//! A spell as a tool: its name, its description, the schema of its input.

use std::sync::Arc;

use charmer_core::{
    model::{Choice, Hints},
    output::clean,
    text::shorten,
    tool::{Annotations, CommandTemplate, Tool, ToolName, output_schema_with_data},
};
use serde_json::{Map, Value};

use crate::{input::property, spell::Spell};

/// The greatest length that descriptions may have.
pub(crate) const DESCRIPTION: usize = 2000;

/// The tool of a spell, whose `data` has this schema if it is declared. `asks` says whether its program is asked for JSON.
pub(crate) fn tool(spell: &Spell, data: Option<Value>, asks: bool) -> Tool {
    let name = ToolName::exact(&spell.name).expect("the parser lets only valid names through");
    let mut hints = Hints::new(spell.effect);
    hints.title = Some(spell.name.clone());
    let mut tool = Tool::custom(
        name,
        shorten(&spell.description, DESCRIPTION),
        Map::new(),
        Annotations::new(&hints),
    );
    let mut template = CommandTemplate::new(spell.command[1..].iter().cloned());
    template.addable = spell.flags.iter().map(Choice::new).collect();
    template.elements.clone_from(&spell.argv);
    template.stdin.clone_from(&spell.stdin);
    template.open = spell
        .args
        .is_none()
        .then(|| "Values that the command sees as variables: `key` is SPELL_ARG_KEY".to_owned());
    let folders = spell.paths.iter().map(|path| path.display().to_string());
    template.folders = folders.map(|path| clean(&path).into_owned()).collect();
    template.confirm = spell.confirm;
    if asks {
        template.json.clone_from(&spell.json);
    }
    let arguments = spell.args.iter().flatten().map(property);
    tool = tool.written_by(template, arguments.collect());
    publish_bounds(spell, &mut tool);
    if let Some(data) = data {
        tool.output_schema = Arc::new(output_schema_with_data(data));
    }
    tool.structured = true;
    tool.help.effect = spell.effect;
    // A user may cast it by name.
    let args = spell.args.iter().flatten().map(|arg| arg.name.clone());
    tool.help.asks_for = Some(args.collect());
    tool
}

/// Puts the bounds of numbers into the schema as their author wrote them, the wide ones too.
fn publish_bounds(spell: &Spell, tool: &mut Tool) {
    let schema = &mut *tool.input_schema;
    let Some(properties) = schema.get_mut("properties") else {
        return;
    };
    for arg in spell.args.iter().flatten() {
        for (key, bound) in [("minimum", &arg.min), ("maximum", &arg.max)] {
            if let (Some(bound), Some(property)) = (bound, properties.get_mut(&arg.name)) {
                property[key] = bound.clone().into();
            }
        }
    }
}
