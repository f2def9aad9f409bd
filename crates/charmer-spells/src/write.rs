//! New spells, and arguments as they are written on a command line.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use charmer_core::tool::ToolName;
use serde_json::{Map, Value};

use crate::{
    parse::TAKEN,
    spell::{ArgType, Spell},
};

/// The text of a new spell, with the other keys as comments. It is valid as it is.
///
/// ```
/// use charmer_spells::{Context, Spell, starter};
/// let read = Spell::parse(&starter("hello"), "hello.yaml", &Context::default().stem("hello"));
/// assert!(read.mistakes.is_none() && read.advice.is_none());
/// ```
pub fn starter(name: &str) -> String {
    format!(
        "name: {name}
description: Says hello to somebody
command: echo hello
# What a caller may add to the command line, each element as a whole.
flags: []
# The folders that it may run in; `.` is the one that holds `spells/`.
paths: [.]
# At most 5m.
timeout: 30s
# Arguments, with their types; `argv` says where they go. Text wants a `pattern` or an `enum`.
args:
  - name: somebody
    description: Who is greeted
    required: true
    pattern: '[A-Za-z .-]{{1,60}}'
argv: [\"{{{{somebody}}}}\"]
# read, write or destroy; the system keeps one that reads from writing.
effect: read
network: none
"
    )
}

/// Writes a new spell into a folder, which is made if need be. A spell that exists is left alone.
pub fn create(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let refused = |reason: &str| {
        let message = format!("`{name}` cannot be a spell's name: {reason}");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    };
    if ToolName::exact(name).is_none() {
        return refused("use letters, digits, `_` and `-`, at most 64 of them");
    }
    if TAKEN.contains(&name) {
        return refused("another tool is called that");
    }
    std::fs::create_dir_all(folder)?;
    let other = folder.join(format!("{name}.yml"));
    if other.exists() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            format!("`{}` exists", other.display()),
        ));
    }
    let path = folder.join(format!("{name}.yaml"));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    file.write_all(starter(name).as_bytes())?;
    Ok(path)
}

/// Arguments from words like `city=Berlin`. A declared argument is read as its type says, any other is text.
///
/// ```
/// use charmer_spells::{Context, Spell, arguments};
/// let text = "name: a\ndescription: b\ncommand: c\nargs: [{name: n, type: integer}]\n";
/// let spell = Spell::parse(text, "a.yaml", &Context::default()).value.unwrap();
/// assert_eq!(arguments(&spell, &["n=3"]).unwrap()["n"], 3);
/// assert!(arguments(&spell, &["n"]).is_err());
/// ```
pub fn arguments<S: AsRef<str>>(spell: &Spell, words: &[S]) -> Result<Map<String, Value>, String> {
    let mut arguments = Map::new();
    for word in words {
        let word = word.as_ref();
        let Some((name, text)) = word.split_once('=') else {
            return Err(format!("`{word}` has no `=`: write `key=value`"));
        };
        let kind = spell.arg(name).map_or(ArgType::String, |arg| arg.kind);
        // What is no JSON is left as text, and refused with a reason when it is checked.
        let value = match kind {
            ArgType::String | ArgType::Path => text.into(),
            _ => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        };
        if arguments.insert(name.to_owned(), value).is_some() {
            return Err(format!("`{name}` is given twice"));
        }
    }
    Ok(arguments)
}
