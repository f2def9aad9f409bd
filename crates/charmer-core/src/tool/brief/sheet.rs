//! The properties of a tool's input, read from its schema, and which of them several tools share.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::tool::{
    FLAGS_KEY, FlagProperty, Layout, Tool,
    example::examples,
    kind::{kind, plain},
    prose,
};

/// Below so many, what several commands share is told with each of them.
const WORTH_SHARING: usize = 4;

/// How likely it is that a caller needs to know more of a property than its name.
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
pub(super) struct Property {
    pub(super) key: String,
    pub(super) schema: Arc<Map<String, Value>>,
    pub(super) required: bool,
    pub(super) default: Option<String>,
    pub(super) help: String,
    pub(super) rank: Rank,
    /// The properties of an object, or of each item of a list.
    pub(super) within: Vec<Property>,
}

impl Property {
    /// Whether this is true of it or of one within it.
    pub(super) fn any(&self, found: fn(&Self) -> bool) -> bool {
        found(self) || self.within.iter().any(|property| property.any(found))
    }

    /// Its type. Of its choices at most so many are told.
    pub(super) fn kind(&self, choices: usize) -> String {
        kind(&self.schema, choices)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.key == other.key && self.required == other.required && self.schema == other.schema
    }
}

/// What several tools of a program have in common.
pub(super) struct Shared {
    pub(super) heading: String,
    pub(super) properties: Vec<Property>,
}

/// Every property of a tool's input, in the order of its schema.
pub(super) fn properties(tool: &Tool) -> Vec<Property> {
    let examples: Vec<String> = examples(tool)
        .into_iter()
        .map(|example| example.command_line)
        .collect();
    let rank = |flag: &FlagProperty| {
        if flag.owner < tool.input.leaf() {
            return Rank::Inherited;
        }
        let name = flag.flag.display_name();
        let shown = |line: &String| line.split([' ', '=']).any(|word| word == name);
        match flag.flag.short.is_some() || examples.iter().any(shown) {
            true => Rank::Common,
            false => Rank::Own,
        }
    };
    read(&tool.input_schema, &|key| {
        let flag = tool.input.flags.iter().find(|flag| flag.key == key);
        flag.map_or(Rank::Needed, rank)
    })
}

fn read(schema: &Map<String, Value>, rank: &dyn Fn(&str) -> Rank) -> Vec<Property> {
    let object = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |key: &str| required.is_some_and(|keys| keys.iter().any(|k| k == key));
    let mut found = Vec::new();
    for (key, value) in object.into_iter().flatten() {
        let none = Map::new();
        let property = value.as_object().unwrap_or(&none);
        let items = property.get("items").and_then(Value::as_object);
        let required = is_required(key);
        let default = property.get("default");
        found.push(Property {
            key: key.clone(),
            required,
            default: default
                .filter(|value| **value != Value::Bool(false))
                .map(plain),
            help: prose::informative(key, property),
            rank: if required { Rank::Needed } else { rank(key) },
            within: read(property, rank)
                .into_iter()
                .chain(items.map(|items| read(items, rank)).unwrap_or_default())
                .collect(),
            schema: Arc::new(property.clone()),
        });
    }
    found
}

/// Takes out of the tools of each program what all of them have: the flags of the program's root, and more if there is
/// more to gain.
pub(super) fn share(tools: &[&Tool], sheets: &mut [Vec<Property>]) -> Vec<Shared> {
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
        let first = flags(&sheets[members[0]], layout).iter();
        let in_all = |property: &&Property| {
            !property.required
                && members.iter().all(|&at| {
                    let mut others = flags(&sheets[at], layout).iter();
                    others.any(|other| other.says_the_same(property))
                })
        };
        let from_root = |property: &Property| {
            let mut flags = tools[members[0]].input.flags.iter();
            flags.any(|flag| flag.key == property.key && flag.owner == 0)
        };
        let mut properties: Vec<Property> = first.filter(in_all).cloned().collect();
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
            let kept = flags_mut(&mut sheets[at], layout);
            kept.retain(|property| {
                !properties
                    .iter()
                    .any(|shared| shared.says_the_same(property))
            });
            sheets[at].retain(|property| {
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
        blocks.push(Shared {
            heading: format!("Also, as {who}{place}:"),
            properties,
        });
    }
    blocks
}

/// Where the flags of a tool stand.
fn flags(sheet: &[Property], layout: Layout) -> &[Property] {
    match layout {
        Layout::Flat => sheet,
        Layout::Nested => sheet
            .iter()
            .find(|property| property.key == FLAGS_KEY)
            .map_or(&[], |property| &property.within),
    }
}

fn flags_mut(sheet: &mut Vec<Property>, layout: Layout) -> &mut Vec<Property> {
    let at = sheet.iter().position(|property| property.key == FLAGS_KEY);
    match (layout, at) {
        (Layout::Nested, Some(at)) => &mut sheet[at].within,
        _ => sheet,
    }
}
