//! A server as clients start it, and the fields by which each client says so.

use serde_json::{Map, Value};

/// A server as a client starts it over standard input and output.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerEntry {
    /// The name that the client knows it by.
    pub name: String,
    /// The program.
    pub command: String,
    /// The program's arguments.
    pub args: Vec<String>,
    /// The environment variables that the client sets, in their order.
    pub env: Vec<(String, String)>,
}

impl ServerEntry {
    /// A server without arguments.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: command.into(),
            args: Vec::new(),
            env: Vec::new(),
        }
    }

    /// The same with these arguments.
    #[must_use]
    pub fn args<T: Into<String>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// The same with one more environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// Values of variables may be secrets, so only their names are shown.
impl std::fmt::Debug for ServerEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("ServerEntry")
            .field("name", &self.name)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("env", &names)
            .finish()
    }
}

/// The fields of one client's entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryShape {
    /// Fields before the command.
    pub(crate) first: &'static [(&'static str, Fixed)],
    /// The field of the program.
    pub(crate) command: &'static str,
    /// The field of the arguments; where there is none, they follow the program in one list.
    pub(crate) args: Option<&'static str>,
    /// The field of the environment variables.
    pub(crate) env: &'static str,
    /// Fields after all others.
    pub(crate) last: &'static [(&'static str, Fixed)],
}

/// The value of a field that is the same in every entry, or follows from its name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fixed {
    /// The name of the server.
    Name,
    /// A text.
    Text(&'static str),
    /// A list of one text.
    List(&'static str),
    /// Yes or no.
    Truth(bool),
    /// A number.
    Number(u32),
}

impl EntryShape {
    /// The shape of most clients: `command`, `args`, `env`.
    pub(crate) const PLAIN: Self = Self {
        first: &[],
        command: "command",
        args: Some("args"),
        env: "env",
        last: &[],
    };

    /// The fields of an entry.
    pub(crate) fn write(&self, entry: &ServerEntry) -> Map<String, Value> {
        let fixed = |fields: &[(&str, Fixed)]| {
            fields
                .iter()
                .map(|&(key, value)| (key.to_owned(), value.write(&entry.name)))
                .collect::<Vec<_>>()
        };
        let mut fields: Map<String, Value> = fixed(self.first).into_iter().collect();
        match self.args {
            Some(args) => {
                fields.insert(self.command.to_owned(), entry.command.clone().into());
                fields.insert(args.to_owned(), entry.args.clone().into());
            }
            None => {
                let line = std::iter::once(&entry.command).chain(&entry.args).cloned();
                fields.insert(self.command.to_owned(), line.collect());
            }
        }
        if !entry.env.is_empty() {
            let variables: Map<_, _> = entry
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone().into()))
                .collect();
            fields.insert(self.env.to_owned(), variables.into());
        }
        fields.extend(fixed(self.last));
        fields
    }

    /// Keeps of an older entry what does not say how the server is started.
    pub(crate) fn keep(&self, fields: &mut Map<String, Value>, old: &Value) {
        let starts = |key: &str| {
            [Some(self.command), self.args, Some(self.env)].contains(&Some(key))
                || self.first.iter().any(|(first, _)| *first == key)
        };
        for (key, value) in old.as_object().into_iter().flatten() {
            // Nothing may stand for an alias, which is not followed.
            if !starts(key) && !value.is_null() {
                fields.insert(key.clone(), value.clone());
            }
        }
    }

    /// The entry that fields mean, if they are those of a server over standard input and output.
    pub(crate) fn read(&self, name: &str, fields: &Value) -> Option<ServerEntry> {
        let fields = fields.as_object()?;
        let (command, mut args, inner) = match fields.get(self.command)? {
            Value::String(command) => (command.clone(), Vec::new(), None),
            Value::Array(line) => {
                let mut line = line.iter().filter_map(text);
                (line.next()?, line.collect(), None)
            }
            // Zed's older entries hold all three in `command`.
            Value::Object(inner) => (text(inner.get("path")?)?, Vec::new(), Some(inner)),
            _ => return None,
        };
        let holder = inner.unwrap_or(fields);
        if let Some(Value::Array(list)) = self.args.and_then(|key| holder.get(key)) {
            args.extend(list.iter().filter_map(text));
        }
        let env = match holder.get(self.env) {
            Some(Value::Object(variables)) => variables
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
                .collect(),
            _ => Vec::new(),
        };
        Some(ServerEntry {
            name: name.to_owned(),
            command,
            args,
            env,
        })
    }
}

impl Fixed {
    fn write(self, name: &str) -> Value {
        match self {
            Self::Name => name.into(),
            Self::Text(text) => text.into(),
            Self::List(text) => vec![text].into(),
            Self::Truth(truth) => truth.into(),
            Self::Number(number) => number.into(),
        }
    }
}

/// A scalar as a program would see it.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
