//! A spell's input: its declared arguments as what core binds, and a call that names a spell as a call of its own tool.

use std::sync::Arc;

use charmer_core::{
    call::{Refusal, Violation, bind},
    model::{Choice, Hints, JsonKind, Positional, ValueType},
    text::{nearest, shorten},
    tool::{
        ADDED_KEY, ARGUMENTS_KEY, Annotations, CONFIRM_KEY, CommandTemplate, FOLDER_KEY,
        PositionalProperty, Tool, ToolName,
    },
};
use charmer_run::CallError;
use serde_json::{Map, Number, Value};

use crate::{
    args::is_less,
    environment,
    schema::DESCRIPTION,
    spell::{Arg, ArgType, Spell},
};

/// Keys of a call that are no arguments.
pub(crate) const RESERVED: [&str; 4] = [ARGUMENTS_KEY, ADDED_KEY, FOLDER_KEY, CONFIRM_KEY];

/// A call of a spell, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct GivenArguments {
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// The elements that are added to the command line.
    pub flags: Vec<String>,
    /// The folder to run in.
    pub path: Option<String>,
    /// The run is confirmed.
    pub confirm: bool,
}

impl GivenArguments {
    /// A call with these arguments and nothing else.
    pub fn new(arguments: Map<String, Value>) -> Self {
        Self {
            arguments,
            ..Self::default()
        }
    }

    /// The same as the input of `cast_spell`, without the name.
    pub(crate) fn to_cast(&self) -> Map<String, Value> {
        let mut input = Map::new();
        input.insert(ARGUMENTS_KEY.into(), self.arguments.clone().into());
        input.insert(ADDED_KEY.into(), self.flags.clone().into());
        if let Some(path) = &self.path {
            input.insert(FOLDER_KEY.into(), path.as_str().into());
        }
        input.insert(CONFIRM_KEY.into(), self.confirm.into());
        input
    }
}

/// The input of a spell's own tool: declared arguments stand beside `flags` and `path`, where a call that names the spell
/// has them under `arguments`.
pub(crate) fn own_input(
    spell: &Spell,
    mut cast: Map<String, Value>,
) -> Result<Map<String, Value>, CallError> {
    let mut wrong: Vec<Violation> = cast
        .keys()
        .filter(|key| !RESERVED.contains(&key.as_str()))
        .map(|key| unknown(key, &RESERVED))
        .collect();
    if spell.args.is_some() {
        match cast.remove(ARGUMENTS_KEY) {
            None | Some(Value::Null) => {}
            Some(Value::Object(arguments)) => {
                for (key, value) in arguments {
                    match RESERVED.contains(&key.as_str()) {
                        true => wrong.push(unknown(&key, &[])),
                        false => drop(cast.insert(key, value)),
                    }
                }
            }
            Some(other) => {
                wrong.push(Violation::new(ARGUMENTS_KEY, "an object").found(&other));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(cast),
        false => Err(Refusal::Invalid(wrong).into()),
    }
}

fn unknown(key: &str, known: &[&str]) -> Violation {
    let violation = Violation::new(key, "no such argument");
    match nearest(key, known.iter().copied()) {
        Some(near) => violation.hint(format!("did you mean `{near}`?")),
        None => violation,
    }
}

/// A declared argument as what core binds.
pub(crate) fn property(arg: &Arg) -> PositionalProperty {
    let mut positional = Positional::new(&arg.name);
    positional.value_type = match arg.kind {
        ArgType::String => ValueType::String,
        ArgType::Path => ValueType::Path,
        ArgType::Integer => ValueType::Integer {
            min: whole(arg.min.as_ref()).unwrap_or(i64::MIN.into()),
            max: whole(arg.max.as_ref()).unwrap_or(u64::MAX.into()),
        },
        ArgType::Number => ValueType::Number,
        ArgType::Boolean => ValueType::Bool,
        ArgType::Array => ValueType::Json(JsonKind::Array),
        ArgType::Object => ValueType::Json(JsonKind::Object),
    };
    positional.required = arg.required;
    positional.choices = arg.choices.iter().map(Choice::new).collect();
    positional.default = arg.default.iter().map(environment::text).collect();
    let note = match arg.kind {
        ArgType::Path => " (a path beneath the permitted folders)",
        _ => "",
    };
    let help = format!("{}{note}", arg.description);
    positional.help = Some(shorten(help.trim(), DESCRIPTION));
    let pattern = arg.pattern.as_ref();
    positional.pattern = pattern.map(|pattern| format!("^(?:{})$", pattern.as_str()));
    let mut property = PositionalProperty::declared(&arg.name, positional);
    if let Some(pattern) = arg.pattern.clone() {
        property.rules.validate.push(Arc::new(move |value| {
            match value
                .as_str()
                .is_none_or(|text| pattern.whole.is_match(text))
            {
                true => Ok(()),
                false => Err(format!("text that matches `{}`", pattern.as_str())),
            }
        }));
    }
    if arg.kind == ArgType::Number && (arg.min.is_some() || arg.max.is_some()) {
        let (min, max) = (arg.min.clone(), arg.max.clone());
        property.rules.validate.push(Arc::new(move |value| {
            let Value::Number(number) = value else {
                return Ok(());
            };
            let too_small = min.as_ref().is_some_and(|min| is_less(number, min));
            let too_large = max.as_ref().is_some_and(|max| is_less(max, number));
            match too_small || too_large {
                true => Err(format!("a number{}", range(min.as_ref(), max.as_ref()))),
                false => Ok(()),
            }
        }));
    }
    property
}

fn whole(number: Option<&Number>) -> Option<i128> {
    number.and_then(Number::as_i128)
}

/// The bounds of a number in words.
fn range(min: Option<&Number>, max: Option<&Number>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of {min} or more"),
        (None, Some(max)) => format!(" of {max} or less"),
        (None, None) => String::new(),
    }
}

/// Checks the value of a declared argument as a call's is checked.
pub(crate) fn check(arg: &Arg, value: &Value) -> Result<(), Refusal> {
    let name = ToolName::exact("x").expect("a literal");
    let hints = Annotations::new(&Hints::default());
    let tool = Tool::custom(name, "", Map::new(), hints)
        .written_by(CommandTemplate::default(), vec![property(arg)]);
    let input = Map::from_iter([(arg.name.clone(), value.clone())]);
    bind(&tool, &input).map(drop)
}
