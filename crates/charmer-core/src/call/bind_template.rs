//! The keys beside the arguments of a command that an author wrote out: elements to add, a folder, a confirmation, and
//! arguments that nobody declared.

use serde_json::{Map, Value};

use crate::tool::{
    ADDED_KEY, ARGUMENTS_KEY, CONFIRM_KEY, CommandTemplate, FOLDER_KEY, is_argument,
};

use super::{bind::Binder, violation::Violation};

impl Binder<'_> {
    pub(super) fn of_template(&mut self, template: &CommandTemplate, given: &Map<String, Value>) {
        let given = |key: &str| given.get(key).filter(|value| !value.is_null());
        match given(ADDED_KEY) {
            None => {}
            Some(Value::Array(elements)) => self.added(elements),
            Some(other) => self.wrong(ADDED_KEY, "an array of strings", other),
        }
        match given(FOLDER_KEY) {
            None => {}
            Some(Value::String(folder)) => self.bound.folder = Some(folder.clone()),
            Some(other) => self.wrong(FOLDER_KEY, "a string", other),
        }
        match given(CONFIRM_KEY) {
            None => {}
            Some(Value::Bool(yes)) => self.bound.confirmed = *yes,
            Some(other) => self.wrong(CONFIRM_KEY, "true or false", other),
        }
        match given(ARGUMENTS_KEY).filter(|_| template.open.is_some()) {
            None => {}
            Some(Value::Object(arguments)) => self.open_arguments(arguments),
            Some(other) => self.wrong(ARGUMENTS_KEY, "an object", other),
        }
    }

    fn added(&mut self, elements: &[Value]) {
        for (at, element) in elements.iter().enumerate() {
            match element {
                Value::String(element) => self.bound.added.push(element.clone()),
                other => self.wrong(&format!("{ADDED_KEY}[{at}]"), "a string", other),
            }
        }
    }

    /// Each becomes a variable, whose name is the same in capitals.
    fn open_arguments(&mut self, arguments: &Map<String, Value>) {
        for (name, value) in arguments.iter().filter(|(_, value)| !value.is_null()) {
            let text = match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let mut earlier = self.bound.open.iter();
            let twin = earlier.find(|(other, _)| other.eq_ignore_ascii_case(name));
            let violation = if !is_argument(name) {
                Violation::new(name, "a name of letters, digits and `_`")
                    .hint("it becomes the name of a variable")
            } else if let Some((twin, _)) = twin {
                Violation::new(name, "a name of its own")
                    .hint(format!("`{twin}` and `{name}` are one variable"))
            } else if text.contains('\0') {
                Violation::new(name, "text without NUL characters")
            } else {
                self.bound.open.push((name.clone(), text));
                continue;
            };
            self.violations.push(violation);
        }
    }

    fn wrong(&mut self, path: &str, expected: &str, found: &Value) {
        self.violations
            .push(Violation::new(path, expected).found(found));
    }
}
