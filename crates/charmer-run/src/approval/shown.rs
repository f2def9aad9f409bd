//! A call as a person is shown it before it may run, and the bytes that an approval of it is bound to.

use charmer_core::output::clean;
use serde_json::{Map, Value, json};

use crate::{Caller, DryRun, Redactor};

/// The longest text of a preview or a diff that is shown, in bytes.
const MOST_DETAIL: usize = 64 << 10;
/// The same in a form, which people read in a small window.
const MOST_IN_FORM: usize = 4 << 10;
/// The longest text of standard input that is shown.
const MOST_STDIN: usize = 2 << 10;

/// A call as a person is shown it: all that will happen, as far as it can be known.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ShownCall {
    /// The command line, where it runs, with which effect and which rights.
    pub run: DryRun,
    /// Whose call it is.
    pub principal: String,
    /// The client that made it, with its version; empty, where there is none.
    pub client: String,
    /// Who wants a person asked, in words.
    pub reasons: Vec<String>,
    /// The text that the program reads from its standard input.
    pub stdin: Option<String>,
    /// Variables that hold what the caller gave, where that is not on the command line.
    pub variables: Vec<String>,
    /// The changes that it would make, by a draft or by a preview of its own.
    pub detail: Option<ShownDetail>,
}

/// The changes that a call would make.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownDetail {
    /// Where it comes from, in a line.
    pub title: String,
    /// The diff, or what the program printed.
    pub text: String,
}

impl ShownDetail {
    /// A text with a title. What is longer than people read is cut, and says so.
    pub fn new(title: impl Into<String>, text: &str) -> Self {
        Self {
            title: title.into(),
            text: cut(text, MOST_DETAIL),
        }
    }
}

impl ShownCall {
    /// A call of this caller.
    pub(crate) fn new(run: DryRun, caller: &Caller, reasons: Vec<String>) -> Self {
        let client = caller.client.as_ref();
        let client = client.map(|client| format!("{} {}", client.name, client.version));
        Self {
            run,
            principal: caller.principal.to_string(),
            client: client.unwrap_or_default().trim().to_owned(),
            reasons,
            stdin: None,
            variables: Vec::new(),
            detail: None,
        }
    }

    /// Returns who asks, in words.
    pub fn who(&self) -> String {
        match self.client.is_empty() {
            true => self.principal.clone(),
            false => format!("{} for {}", self.client, self.principal),
        }
    }

    /// The same without secrets, and without anything that would disguise what is read.
    pub(crate) fn plain(mut self, redactor: &Redactor) -> Self {
        let plain = |text: &mut String| *text = redactor.text(&clean(text)).into_owned();
        self.run.argv.iter_mut().for_each(plain);
        self.run.notes.iter_mut().for_each(plain);
        self.reasons.iter_mut().for_each(plain);
        self.variables.iter_mut().for_each(plain);
        self.stdin.iter_mut().for_each(plain);
        self.detail
            .iter_mut()
            .for_each(|detail| plain(&mut detail.text));
        for text in [&mut self.principal, &mut self.client] {
            plain(text);
            *text = in_line(text);
        }
        self
    }

    /// As an object, with the keys of a dry run and `principal`, `client`, `reasons`, `stdin`, `variables` and `detail`.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut object = self.run.to_json(&Redactor::default());
        object.insert("principal".into(), self.principal.as_str().into());
        object.insert("client".into(), self.client.as_str().into());
        object.insert("reasons".into(), json!(self.reasons));
        if let Some(stdin) = &self.stdin {
            object.insert("stdin".into(), stdin.as_str().into());
        }
        if !self.variables.is_empty() {
            object.insert("variables".into(), json!(self.variables));
        }
        if let Some(detail) = &self.detail {
            let detail = json!({"title": detail.title, "text": detail.text});
            object.insert("detail".into(), detail);
        }
        object
    }

    /// The text that a form shows.
    pub fn to_text(&self) -> String {
        let mut text = self.summary();
        if let Some(detail) = &self.detail {
            let shown = cut(&detail.text, MOST_IN_FORM);
            text.push_str(&format!("\n\n{}:\n{}", detail.title, shown.trim_end()));
        }
        text
    }

    /// The same without what it would change.
    pub fn summary(&self) -> String {
        let mut lines = vec![format!("{} asks to run:", self.who()), String::new()];
        lines.push(format!("    {}", self.run.command_line()));
        lines.push(String::new());
        let folder = clean(&self.run.folder.to_string_lossy()).into_owned();
        lines.push(format!("folder: {}", in_line(&folder)));
        lines.push(format!("effect: {}", self.run.effect.name()));
        lines.push(format!("confinement: {}", self.run.confinement.to_text()));
        let variables = self.variables.iter();
        lines.extend(variables.map(|variable| format!("with {}", in_line(variable))));
        if let Some(stdin) = &self.stdin {
            lines.push(format!("standard input ({} bytes):", stdin.len()));
            // Set off, so that no line of it looks like one of ours.
            let shown = cut(stdin, MOST_STDIN);
            lines.extend(shown.lines().map(|line| format!("    | {line}")));
        }
        let notes = self.run.notes.iter();
        lines.extend(notes.map(|note| format!("note: {}", in_line(note))));
        let reasons = self.reasons.iter();
        lines.extend(reasons.map(|reason| format!("asked because of: {}", in_line(reason))));
        lines.join("\n")
    }
}

/// A text on one line: what a caller can choose, such as the name of a folder, must not look like further lines.
fn in_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => line.extend(c.escape_default()),
            false => line.push(c),
        }
    }
    line
}

/// The beginning of a text, which says how much is missing.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most);
    let (shown, rest) = text.split_at(end);
    format!("{shown}\n[... {} more bytes]", rest.len())
}

/// The bytes that an approval is bound to. Each part has its length before it, so that no two calls have the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Binding(Vec<u8>);

impl Binding {
    /// Adds a part.
    pub(crate) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.extend_from_slice(&part.len().to_le_bytes());
        self.0.extend_from_slice(part);
    }

    /// The bytes themselves.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
