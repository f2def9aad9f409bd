//! The properties of a tool's input as they are told, and which of them several tools share.

use serde_json::Value;

use crate::tool::{
    FLAGS_KEY, Layout, Tool,
    example::examples,
    kind::{TypeWord, plain},
    prose,
    schema::Described,
};

use super::from_schema::properties_from_schema;

/// Below so many, what several commands share is told with each of them.
const WORTH_SHARING: usize = 4;

/// The likelihood that a caller needs to know more of a property than its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// It must be given, or is what the command works on.
    Needed,
    /// It has a letter, or stands in an example.
    Common,
    /// It is the command's own.
    Own,
    /// It is an ancestor's.
    Inherited,
}

/// One property.
#[derive(Debug, Clone)]
pub(super) struct ToldProperty {
    pub(super) key: String,
    pub(super) kind: TypeWord,
    pub(super) required: bool,
    pub(super) default: Option<String>,
    pub(super) help: String,
    pub(super) rank: Rank,
    /// The properties of an object, or of each item of a list.
    pub(super) within: Vec<ToldProperty>,
}

impl ToldProperty {
    fn new(described: &Described<'_>, rank: Rank) -> Self {
        // What is wrong with defaults is said when the tool is made.
        let default = described.default_value(&mut Vec::new());
        let text = described.description(default.as_ref());
        let known = prose::KnownWords::of(described, default.as_ref());
        Self {
            key: described.key.to_owned(),
            kind: TypeWord::of(described),
            required: described.required,
            default: told_default(default.as_ref()),
            help: prose::informative(described.key, &text, &known),
            rank,
            within: Vec::new(),
        }
    }

    /// Returns true if this is true of it or of one within it.
    pub(super) fn any(&self, found: fn(&Self) -> bool) -> bool {
        found(self) || self.within.iter().any(|property| property.any(found))
    }

    /// Returns true if both are told in the same words.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.key == other.key
            && self.required == other.required
            && self.kind == other.kind
            && self.default == other.default
            && self.help == other.help
    }
}

/// The properties that several tools of a program have in common.
pub(super) struct SharedProperties {
    pub(super) heading: String,
    pub(super) properties: Vec<ToldProperty>,
}

/// Every property of a tool's input, in the order of its schema.
pub(super) fn properties(tool: &Tool) -> Vec<ToldProperty> {
    let input = &tool.input;
    if input.levels.is_empty() && input.template.is_none() {
        // It comes from no command of a model, so its schema may say more than its input does.
        return properties_from_schema(&tool.input_schema);
    }
    let mut others: Vec<ToldProperty> = Described::others(input)
        .iter()
        .map(|described| ToldProperty::new(described, Rank::Needed))
        .collect();
    let flags = Described::flags(input).zip(ranks(tool));
    let flags: Vec<ToldProperty> = flags
        .map(|(described, rank)| ToldProperty::new(&described, rank))
        .collect();
    match input.layout {
        Layout::Flat => others.extend(flags),
        Layout::Nested if flags.is_empty() => {}
        Layout::Nested => others.insert(
            0,
            ToldProperty {
                key: FLAGS_KEY.to_owned(),
                kind: TypeWord::named("object"),
                required: false,
                default: None,
                help: String::new(),
                rank: Rank::Needed,
                within: flags,
            },
        ),
    }
    others
}

/// The rank of each flag of a tool, in their order.
fn ranks(tool: &Tool) -> impl Iterator<Item = Rank> {
    let examples: Vec<String> = examples(tool)
        .into_iter()
        .map(|example| example.command_line)
        .collect();
    tool.input.flags.iter().map(move |property| {
        if property.flag.required {
            return Rank::Needed;
        }
        if property.owner + 1 < tool.input.levels.len() {
            return Rank::Inherited;
        }
        let name = property.flag.display_name();
        let shown = |line: &String| line.split([' ', '=']).any(|word| word == name);
        match property.flag.short.is_some() || examples.iter().any(shown) {
            true => Rank::Common,
            false => Rank::Own,
        }
    })
}

/// A default as it is told. A switch that is not given is off, and nobody needs to be told so.
pub(super) fn told_default(default: Option<&Value>) -> Option<String> {
    default
        .filter(|value| **value != Value::Bool(false))
        .map(plain)
}

/// Takes out of the tools of each program what all of them have: the flags of the program's root, and more if there is
/// more to gain.
pub(super) fn share(tools: &[&Tool], of_tools: &mut [Vec<ToldProperty>]) -> Vec<SharedProperties> {
    let mut blocks = Vec::new();
    let mut programs: Vec<(&str, Layout, Vec<usize>)> = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        let program = tool.help.program.as_ref();
        if tool.input.levels.len() < 2 {
            continue;
        }
        let layout = tool.input.layout;
        match programs
            .iter_mut()
            .find(|(name, laid, _)| *name == program && *laid == layout)
        {
            Some((.., members)) => members.push(at),
            None => programs.push((program, layout, vec![at])),
        }
    }
    for (program, layout, members) in programs {
        let first = flags(&of_tools[members[0]], layout).iter();
        let in_all = |property: &&ToldProperty| {
            !property.required
                && members.iter().all(|&at| {
                    let mut others = flags(&of_tools[at], layout).iter();
                    others.any(|other| other.says_the_same(property))
                })
        };
        let from_root = |property: &ToldProperty| {
            let mut flags = tools[members[0]].input.flags.iter();
            flags.any(|flag| flag.key == property.key && flag.owner == 0)
        };
        let mut properties: Vec<ToldProperty> = first.filter(in_all).cloned().collect();
        let own = properties
            .iter()
            .filter(|property| !from_root(property))
            .count();
        let more = members.len() > 1 && own >= WORTH_SHARING;
        properties.retain(|property| more || from_root(property));
        if properties.is_empty() {
            continue;
        }
        for &at in &members {
            let kept = flags_mut(&mut of_tools[at], layout);
            kept.retain(|property| {
                !properties
                    .iter()
                    .any(|shared| shared.says_the_same(property))
            });
            of_tools[at].retain(|property| {
                property.key != FLAGS_KEY || layout == Layout::Flat || !property.within.is_empty()
            });
        }
        let place = match layout {
            Layout::Flat => String::new(),
            Layout::Nested => format!(", in `{FLAGS_KEY}`"),
        };
        let who = match more {
            true => format!("each of these {program} commands"),
            false => format!("every {program} command"),
        };
        blocks.push(SharedProperties {
            heading: format!("Also, as {who}{place}:"),
            properties,
        });
    }
    blocks
}

/// The flags of a tool, wherever the layout puts them.
fn flags(properties: &[ToldProperty], layout: Layout) -> &[ToldProperty] {
    match layout {
        Layout::Flat => properties,
        Layout::Nested => properties
            .iter()
            .find(|property| property.key == FLAGS_KEY)
            .map_or(&[], |property| &property.within),
    }
}

fn flags_mut(properties: &mut Vec<ToldProperty>, layout: Layout) -> &mut Vec<ToldProperty> {
    let at = properties
        .iter()
        .position(|property| property.key == FLAGS_KEY);
    match (layout, at) {
        (Layout::Nested, Some(at)) => &mut properties[at].within,
        _ => properties,
    }
}
