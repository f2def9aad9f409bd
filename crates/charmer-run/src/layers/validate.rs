//! Checks of a call's input before anything is bound or run.
//!
//! For people who write no code: an argument, a pattern for its values, and what to say when they do not fit. Code has
//! hooks for this, and `Bridge::validate`.

use std::fmt;

use charmer_core::{
    call::prepare,
    tool::{ARGS_KEY, FLAGS_KEY, FlagProperty, Layout, PositionalProperty, Tool},
};
use regex_lite::Regex;
use serde_json::Value;
use tower_layer::Layer;

use crate::{BadPattern, Call, CallError, CallService, ErrorCode, Hooks};

use super::filter::compile;

/// One check of one argument. A call that does not pass it is refused, and nothing is started.
///
/// The argument is named as the tool names it, or as the program does, with or without dashes (`namespace`,
/// `--namespace`, `-n`); `args` is every positional, whatever the layout calls them and also behind a `--`. An argument
/// that was not given, or that the tool does not have, passes.
///
/// ```
/// use charmer_run::layers::Validate;
///
/// let check = Validate::pattern("namespace", "team-[a-z]+", "only the teams' namespaces can be reached").unwrap();
/// # let _ = check;
/// ```
#[derive(Clone)]
pub struct Validate {
    argument: String,
    check: ValueCheck,
    message: String,
}

#[derive(Clone)]
enum ValueCheck {
    Pattern(Regex),
    Forbid(Regex),
    AtMost(usize),
}

impl Validate {
    /// Every value of the argument, as text, must match the pattern as a whole.
    pub fn pattern(
        argument: impl Into<String>,
        pattern: &str,
        message: impl Into<String>,
    ) -> Result<Self, BadPattern> {
        Ok(Self {
            argument: argument.into(),
            check: ValueCheck::Pattern(Self::whole(pattern)?),
            message: message.into(),
        })
    }

    /// A pattern that values match as a whole.
    pub(crate) fn whole(pattern: &str) -> Result<Regex, BadPattern> {
        // By itself first: what is no pattern must not become one by what is written around it.
        compile(pattern, pattern)?;
        compile(&format!(r"\A(?:{pattern})\z"), pattern)
    }

    /// No value of the argument, as text, may have a match of the pattern anywhere.
    ///
    /// ```
    /// use charmer_run::layers::Validate;
    ///
    /// let check = Validate::forbid("file", r"\.\.", "files outside of the directory cannot be reached").unwrap();
    /// # let _ = check;
    /// ```
    pub fn forbid(
        argument: impl Into<String>,
        pattern: &str,
        message: impl Into<String>,
    ) -> Result<Self, BadPattern> {
        Ok(Self {
            argument: argument.into(),
            check: ValueCheck::Forbid(compile(pattern, pattern)?),
            message: message.into(),
        })
    }

    /// The argument may have at most so many values.
    pub fn at_most(argument: impl Into<String>, count: usize) -> Self {
        let argument = argument.into();
        Self {
            message: format!("`{argument}` takes at most {count} values here"),
            argument,
            check: ValueCheck::AtMost(count),
        }
    }

    /// Sets what a caller is told.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Returns true if a tool has the argument at all.
    pub fn applies_to(&self, tool: &Tool) -> bool {
        let input = &tool.input;
        input.flags.iter().any(|property| self.names_flag(property))
            || input
                .positionals
                .iter()
                .any(|property| self.names_positional(property))
            || self.pattern_key(tool).is_some()
            || tool
                .input_schema
                .get("properties")
                .is_some_and(|known| known.get(&self.argument).is_some())
    }

    /// Accepts the call or says why not.
    pub fn check(&self, call: &Call) -> Result<(), CallError> {
        let values = self.values(call);
        let fits = match &self.check {
            ValueCheck::Pattern(pattern) => values.iter().all(|value| pattern.is_match(value)),
            ValueCheck::Forbid(pattern) => !values.iter().any(|value| pattern.is_match(value)),
            ValueCheck::AtMost(count) => values.len() <= *count,
        };
        if fits {
            return Ok(());
        }
        Err(
            CallError::new(ErrorCode::InvalidArguments, self.message.clone())
                .hint(format!("give another value for `{}`", self.argument)),
        )
    }

    fn names_flag(&self, property: &FlagProperty) -> bool {
        let name = &self.argument;
        let flag = &property.flag;
        *name == property.key
            || *name == flag.id
            || flag.is_named(name)
            || !name.starts_with('-')
                && (flag.is_named(&format!("--{name}")) || flag.is_named(&format!("-{name}")))
    }

    fn names_positional(&self, property: &PositionalProperty) -> bool {
        let positional = &property.positional;
        self.argument == ARGS_KEY
            || self.argument == property.key
            || self.argument == positional.id
            || positional.name.as_ref() == Some(&self.argument)
    }

    /// The key of a list of positionals that are not known one by one, if that is the argument.
    fn pattern_key<'t>(&self, tool: &'t Tool) -> Option<&'t str> {
        let (key, _) = tool.input.pattern.as_ref()?;
        (self.argument == ARGS_KEY || self.argument == *key).then_some(key)
    }

    /// The argument's values as text, wherever the layout has them.
    pub(crate) fn values(&self, call: &Call) -> Vec<String> {
        let input = &call.tool.input;
        let mut values = Vec::new();
        let flags = match input.layout {
            Layout::Flat => Some(&call.input),
            Layout::Nested => call.input.get(FLAGS_KEY).and_then(Value::as_object),
        };
        for property in &input.flags {
            if let Some(value) = flags.and_then(|flags| flags.get(&property.key))
                && self.names_flag(property)
            {
                texts(value, &mut values);
            }
        }
        for (_, property) in input.keyed_positionals() {
            if let Some(value) = call.input.get(&property.key)
                && self.names_positional(property)
            {
                texts(value, &mut values);
            }
        }
        if let Some(value) = self
            .pattern_key(&call.tool)
            .and_then(|key| call.input.get(key))
        {
            texts(value, &mut values);
        } else {
            self.listed(call, &mut values);
        }
        if values.is_empty()
            && let Some(value) = call.input.get(&self.argument)
        {
            // What stands beside flags and positionals.
            texts(value, &mut values);
        }
        values
    }

    /// The values of a positional in the nested layout's list. Only binding says whose each of them is; in a call that
    /// cannot be bound, or not before a hook has mended it, all of them are checked, so that none gets past.
    fn listed(&self, call: &Call, values: &mut Vec<String>) {
        let places: Vec<usize> = call
            .tool
            .input
            .listed_positionals()
            .filter(|(_, property)| self.names_positional(property))
            .map(|(place, _)| place)
            .collect();
        if places.is_empty() {
            return;
        }
        match prepare(&call.tool, &call.input) {
            Ok(prepared) => {
                for (at, texts) in prepared.bound.positionals {
                    if places.contains(&at) {
                        values.extend(texts);
                    }
                }
            }
            Err(_) => {
                if let Some(list) = call.input.get(ARGS_KEY) {
                    texts(list, values);
                }
            }
        }
    }
}

/// The texts that a value becomes on a command line, nearly.
fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::String(text) => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(entries) => {
            for (key, value) in entries {
                let before = out.len();
                texts(value, out);
                out[before..]
                    .iter_mut()
                    .for_each(|text| *text = format!("{key}={text}"));
            }
        }
        scalar => out.push(scalar.to_string()),
    }
}

impl fmt::Debug for Validate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Validate({}: {})", self.argument, self.message)
    }
}

impl Layer<CallService> for Validate {
    type Service = CallService;

    fn layer(&self, inner: CallService) -> CallService {
        let validate = self.clone();
        Hooks::new()
            .before(move |call| validate.check(call))
            .layer(inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use charmer_core::{
        model::{Cli, Command, Positional, Syntax},
        tool::{CatalogueOptions, catalogue},
    };
    use serde_json::json;

    use super::*;
    use crate::layers::tests::{call, nested_call};

    fn teams(argument: &str) -> Validate {
        Validate::pattern(argument, "team-[a-z]+|all", "only teams").expect("a pattern")
    }

    #[test]
    fn a_value_fits_as_a_whole_under_every_name_of_its_argument() {
        for name in ["namespace", "--namespace", "-n", "n"] {
            let check = teams(name);
            for good in [
                json!("team-a"),
                json!("all"),
                json!(["team-a", "team-b"]),
                json!(null),
            ] {
                let result = check.check(&call("get", json!({"namespace": good})));
                assert_eq!(result, Ok(()), "{name} {good}");
            }
            for bad in [
                json!("team-a,kube"),
                json!("ball"),
                json!("team-a\nkube"),
                json!(["team-a", "x"]),
                json!(7),
                json!({"team-a": "x"}),
            ] {
                let refused = check.check(&call("get", json!({"namespace": bad})));
                let error = refused.expect_err("it does not fit");
                assert_eq!(
                    (error.code, error.message.as_str()),
                    (ErrorCode::InvalidArguments, "only teams"),
                    "{name} {bad}"
                );
            }
        }
        assert!(
            teams("other")
                .check(&call("get", json!({"namespace": "x"})))
                .is_ok()
        );
        assert!(
            teams("-n").applies_to(&call("get", json!({})).tool)
                && !teams("other").applies_to(&call("get", json!({})).tool)
        );
    }

    #[test]
    fn the_nested_layout_is_no_way_around() {
        let bad = |check: &Validate, input| check.check(&nested_call("get", input)).is_err();
        assert!(bad(
            &teams("namespace"),
            json!({"flags": {"namespace": "kube"}})
        ));
        assert!(bad(&teams("kind"), json!({"args": ["kube"]})));
        assert!(!bad(&teams("kind"), json!({"args": ["all", "kube"]})));
        assert!(bad(&teams("names"), json!({"args": ["x", "all", "kube"]})));
        assert!(!bad(&teams("names"), json!({"args": ["x", "all"]})));
        assert!(bad(&teams("args"), json!({"args": ["all", "kube"]})));
    }

    #[test]
    fn a_list_is_checked_as_it_is_bound() {
        // A required positional behind an optional one takes the only value.
        let copy = Command::new("copy")
            .positional(Positional::new("from"))
            .positional(Positional::new("to").required());
        let mut options = CatalogueOptions::default();
        options.layout = Layout::Nested;
        let found = catalogue(&Cli::new(copy, Syntax::pflag()), &options);
        let fits = |argument: &str, list: Value| {
            let input = json!({"args": list}).as_object().cloned();
            let call = Call::new(Arc::clone(&found.tools[0]), input.expect("an object"));
            teams(argument).check(&call).is_ok()
        };
        assert!(!fits("to", json!(["kube"])) && fits("from", json!(["kube"])));
        assert!(fits("to", json!(["kube", "all"])) && !fits("from", json!(["kube", "all"])));
        // One too many: it may be anyone's.
        assert!(!fits("to", json!(["all", "all", "kube"])));
    }

    #[test]
    fn what_is_forbidden_may_stand_nowhere() {
        let check = Validate::forbid("names", r"secrets?$", "no secrets").expect("a pattern");
        let given = |names: Value| check.check(&call("get", json!({"names": names})));
        assert_eq!(given(json!(["pods", "secretary"])), Ok(()));
        let error = given(json!(["pods", "my-secrets"])).expect_err("it is forbidden");
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::InvalidArguments, "no secrets")
        );
        assert!(Validate::forbid("names", "(", "").is_err());
    }

    #[test]
    fn args_are_an_argument_where_there_are_any() {
        let args = Validate::at_most("args", 1);
        assert!(args.applies_to(&nested_call("get", json!({})).tool));
        assert!(args.applies_to(&call("get", json!({})).tool));
        assert!(!args.applies_to(&call("delete", json!({})).tool));
        assert!(!args.applies_to(&nested_call("delete", json!({})).tool));
    }

    #[test]
    fn values_are_counted() {
        let check = Validate::at_most("names", 2);
        assert!(
            check
                .check(&call("get", json!({"names": ["a", "b"]})))
                .is_ok()
        );
        let error = check
            .check(&call("get", json!({"names": ["a", "b", "c"]})))
            .expect_err("three are too many");
        assert_eq!(error.message, "`names` takes at most 2 values here");
        assert!(
            Validate::at_most("args", 1)
                .check(&nested_call("get", json!({"args": ["a", "b"]})))
                .is_err()
        );
    }

    #[test]
    fn no_positional_gets_past_what_is_forbidden() {
        let exec = Command::new("exec")
            .positional(Positional::new("pod").required())
            .positional(Positional::new("files").variadic())
            .positional(Positional::new("command").variadic().last());
        let unread = Command::new("get").usage("get (TYPE | NAME ...)");
        let root = Command::new("kube")
            .not_runnable()
            .command(exec)
            .command(unread);
        let cli = Cli::new(root, Syntax::pflag());
        let refuses = |layout, argument: &str, path: &str, input: Value| {
            let mut options = CatalogueOptions::default();
            options.layout = layout;
            let tool = catalogue(&cli, &options)
                .for_path(&path.into())
                .cloned()
                .expect("it is a tool");
            let check = Validate::forbid(argument, "secret", "no").expect("a pattern");
            assert!(check.applies_to(&tool), "{argument}");
            let input = input.as_object().cloned().expect("an object");
            check.check(&Call::new(tool, input)).is_err()
        };
        let (flat, nested) = (Layout::Flat, Layout::Nested);
        for argument in ["args", "command"] {
            let behind = json!({"pod": "p", "command": ["cat", "secret"]});
            assert!(refuses(flat, argument, "exec", behind), "{argument}");
            let behind = json!({"args": ["p"], "command": ["cat", "secret"]});
            assert!(refuses(nested, argument, "exec", behind), "{argument}");
        }
        for argument in ["args", "files"] {
            let within = json!({"pod": "p", "files": ["a", "secret"]});
            assert!(refuses(flat, argument, "exec", within), "{argument}");
            let within = json!({"args": ["p", "a", "secret"]});
            assert!(refuses(nested, argument, "exec", within), "{argument}");
        }
        let other = json!({"pod": "secret", "files": ["a"]});
        assert!(refuses(flat, "args", "exec", other.clone()));
        assert!(!refuses(flat, "files", "exec", other));
        for layout in [flat, nested] {
            let listed = json!({"args": ["pods", "secret"]});
            assert!(refuses(layout, "args", "get", listed));
        }
    }

    #[test]
    fn what_is_no_pattern_does_not_become_one() {
        assert!(Validate::pattern("x", "a)|(b", "").is_err());
    }
}
