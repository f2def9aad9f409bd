//! What a caller gave: taken apart, checked against what the spell declares, everything that is wrong said at once.

use charmer_core::call::{MAX_ELEMENT_BYTES, Refusal, Violation};
use charmer_core::text::nearest;
use charmer_run::CallError;
use serde_json::{Map, Value};

use crate::{
    environment,
    spell::{Arg, ArgType, Spell},
    template::is_argument,
};

/// Keys of a call that are no arguments.
pub(crate) const RESERVED: [&str; 4] = ["arguments", "flags", "path", "confirm"];

/// A call of a spell, taken apart.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Given {
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// What is added to the command line.
    pub flags: Vec<String>,
    /// The folder to run in.
    pub path: Option<String>,
    /// Whether the run is confirmed.
    pub confirm: bool,
}

impl Given {
    /// A call with these arguments and nothing else.
    pub fn new(arguments: Map<String, Value>) -> Self {
        Self {
            arguments,
            ..Self::default()
        }
    }

    /// The input of a spell's own tool: declared arguments stand beside `flags` and `path`, others under `arguments`.
    pub(crate) fn of_tool(spell: &Spell, input: &Map<String, Value>) -> Result<Self, CallError> {
        if spell.args.is_none() {
            return Self::of_cast(input);
        }
        let is_own = |key: &str| RESERVED[1..].contains(&key);
        let own = input.iter().filter(|(key, _)| is_own(key));
        let mut given = Self::of_cast(
            &own.map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        )?;
        let arguments = input.iter().filter(|(key, _)| !is_own(key));
        given.arguments = arguments
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Ok(given)
    }

    /// The same where arguments stand under `arguments`.
    pub(crate) fn of_cast(input: &Map<String, Value>) -> Result<Self, CallError> {
        let mut given = Self::default();
        let mut wrong = Vec::new();
        for (key, value) in input {
            match (key.as_str(), value) {
                (_, Value::Null) => {}
                ("arguments", Value::Object(arguments)) => given.arguments = arguments.clone(),
                ("arguments", _) => wrong.push(Violation::new(key, "an object").found(value)),
                ("flags", Value::Array(list)) => {
                    for (at, flag) in list.iter().enumerate() {
                        match flag {
                            Value::String(flag) => given.flags.push(flag.clone()),
                            _ => wrong.push(
                                Violation::new(format!("flags[{at}]"), "a string").found(flag),
                            ),
                        }
                    }
                }
                ("flags", _) => wrong.push(Violation::new(key, "an array of strings").found(value)),
                ("path", Value::String(path)) => given.path = Some(path.clone()),
                ("path", _) => wrong.push(Violation::new(key, "a string").found(value)),
                ("confirm", Value::Bool(on)) => given.confirm = *on,
                ("confirm", _) => wrong.push(Violation::new(key, "a boolean").found(value)),
                _ => wrong.push(unknown(key, RESERVED.iter().copied())),
            }
        }
        refuse(wrong).map(|()| given)
    }

    /// The arguments by name, checked, with defaults. Null is what was not given.
    pub(crate) fn checked(&self, spell: &Spell) -> Result<Vec<(String, Value)>, CallError> {
        let given = self.arguments.iter().filter(|(_, value)| !value.is_null());
        let mut wrong = Vec::new();
        let mut values: Vec<(String, Value)> = Vec::new();
        match &spell.args {
            Some(args) => {
                let known = args.iter().map(|arg| arg.name.as_str());
                wrong.extend(
                    self.arguments
                        .keys()
                        .filter(|key| spell.arg(key).is_none())
                        .map(|key| unknown(key, known.clone())),
                );
                for arg in args {
                    let value = self
                        .arguments
                        .get(&arg.name)
                        .filter(|value| !value.is_null());
                    match value.or(arg.default.as_ref()) {
                        Some(value) => match check(arg, value, &arg.name) {
                            Ok(()) => values.push((arg.name.clone(), value.clone())),
                            Err(violation) => wrong.push(violation),
                        },
                        None if arg.required => {
                            wrong
                                .push(Violation::new(&arg.name, "a value, because it is required"));
                        }
                        None => {}
                    }
                }
            }
            None => {
                for (name, value) in given {
                    if let Err(violation) = free(name, value) {
                        wrong.push(violation);
                    } else if let Some((other, _)) = values
                        .iter()
                        .find(|(other, _)| other.eq_ignore_ascii_case(name))
                    {
                        wrong.push(Violation::new(name, "a name of its own").hint(format!(
                            "`{other}` and `{name}` are both `{}`",
                            environment::variable(name)
                        )));
                    } else {
                        values.push((name.clone(), value.clone()));
                    }
                }
            }
        }
        refuse(wrong).map(|()| values)
    }
}

fn refuse(wrong: Vec<Violation>) -> Result<(), CallError> {
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Invalid(wrong).into())
    }
}

fn unknown<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> Violation {
    let violation = Violation::new(key, "no such argument");
    match nearest(key, known) {
        Some(near) => violation.hint(format!("did you mean `{near}`?")),
        None => violation,
    }
}

/// An argument that nobody declared.
fn free(name: &str, value: &Value) -> Result<(), Violation> {
    if !is_argument(name) {
        return Err(Violation::new(name, "a name of letters, digits and `_`")
            .hint("it becomes the name of a variable"));
    }
    fits(name, value)
}

/// Checks the value of a declared argument.
pub(crate) fn check(arg: &Arg, value: &Value, path: &str) -> Result<(), Violation> {
    let expected = |what: &str| Err(Violation::new(path, what).found(value));
    match (arg.kind, value) {
        (ArgType::String | ArgType::Path, Value::String(text)) => {
            if !arg.choices.is_empty() && !arg.choices.contains(text) {
                return expected(&format!("one of `{}`", arg.choices.join("`, `")));
            }
            if let Some(pattern) = &arg.pattern
                && !pattern.whole.is_match(text)
            {
                return expected(&format!("text that matches `{}`", pattern.as_str()));
            }
        }
        (ArgType::String | ArgType::Path, _) => return expected("a string"),
        (ArgType::Integer, Value::Number(number)) if number.is_i64() || number.is_u64() => {}
        (ArgType::Integer, _) => return expected("a whole number"),
        (ArgType::Number, Value::Number(_)) => {}
        (ArgType::Number, _) => return expected("a number"),
        (ArgType::Boolean, Value::Bool(_)) => {}
        (ArgType::Boolean, _) => return expected("a boolean"),
        (ArgType::Array, Value::Array(_)) => {}
        (ArgType::Array, _) => return expected("an array"),
        (ArgType::Object, Value::Object(_)) => {}
        (ArgType::Object, _) => return expected("an object"),
    }
    fits(path, value)
}

/// Whether a value can be handed to a program.
fn fits(name: &str, value: &Value) -> Result<(), Violation> {
    let text = environment::text(value);
    if text.contains('\0') {
        return Err(Violation::new(name, "text without NUL characters"));
    }
    let most = MAX_ELEMENT_BYTES - environment::PREFIX.len() - name.len() - 1;
    if text.len() > most {
        return Err(Violation::new(name, format!("at most {most} bytes"))
            .hint(format!("it has {}", text.len())));
    }
    Ok(())
}
