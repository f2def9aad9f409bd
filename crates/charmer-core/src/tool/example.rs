//! The examples in a tool's help: command lines of it, with the places that a reader is to fill in.
//!
//! Cautious on purpose: what is not surely a call of a served tool, with flags that it offers, is no example.

mod fit;
mod read;
mod words;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::{
    fit::{fit, mark_places, note},
    read::{ExampleLine, read, title},
    words::{LineWord, WordPart, words},
};
use crate::order;

use super::Tool;

/// A command line that shows how a tool is used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// Its purpose; the command line itself where nobody says.
    pub title: String,
    /// The line as it is written, cut to one line.
    pub command_line: String,
    /// The placeholders to be filled in, each once.
    pub placeholders: Vec<Placeholder>,
    words: Vec<LineWord>,
}

/// Something that is to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placeholder {
    /// Its name, in small letters: `<Pod Name>` is `pod_name`.
    pub name: String,
    /// The line makes no sense without it.
    pub required: bool,
    /// The key of the tool's argument that it is a value of, where that is known.
    pub key: Option<String>,
}

impl Example {
    /// The command line with values for its places, each kept to its place: what is more than a plain word is quoted.
    /// Fails with the placeholder that has no value and needs one.
    ///
    /// ```
    /// use charmer_core::model::{Cli, Command, Syntax};
    /// use charmer_core::tool::{CatalogueOptions, catalogue, examples};
    ///
    /// let cli = Cli::new(Command::new("ship").examples("# Sail\nship sail <port>"), Syntax::pflag());
    /// let tool = catalogue(&cli, &CatalogueOptions::default()).tools.remove(0);
    /// let example = examples(&tool).remove(0);
    /// assert_eq!(example.filled(|_| Some("New York")).unwrap(), r#"ship sail "New York""#);
    /// assert_eq!(example.filled(|_| None).unwrap_err().name, "port");
    /// ```
    pub fn filled<'v>(
        &self,
        value: impl Fn(&str) -> Option<&'v str>,
    ) -> Result<String, &Placeholder> {
        let mut line: Vec<String> = Vec::new();
        for word in &self.words {
            let mut text = String::new();
            let mut given = false;
            for part in &word.parts {
                match part {
                    WordPart::Text(raw) => {
                        text.push_str(raw);
                        given = true;
                    }
                    WordPart::Slot(slot) => match value(&slot.name) {
                        Some(value) => {
                            text.push_str(&in_place(value, slot.quote));
                            given = true;
                        }
                        None if slot.required => {
                            let mut placeholders = self.placeholders.iter();
                            let missing = placeholders.find(|p| p.name == slot.name);
                            return Err(missing.expect("every place is among the placeholders"));
                        }
                        // `{name}` may be the program's own to fill in; `[name]` can be left out.
                        None if !slot.written.starts_with('[') => {
                            text.push_str(&slot.written);
                            given = true;
                        }
                        None => {}
                    },
                }
            }
            if given {
                line.push(text);
            }
        }
        Ok(line.join(" "))
    }
}

impl Example {
    /// The line up to a placeholder, for whoever completes it: the words before its word without the program's name, and
    /// how its word begins. `None` if a place before it has no value.
    pub(super) fn up_to<'v>(
        &self,
        placeholder: &str,
        value: impl Fn(&str) -> Option<&'v str>,
    ) -> Option<(Vec<String>, String)> {
        let mut before = Vec::new();
        for word in self.words.iter().skip(1) {
            let mut begun = String::new();
            for part in &word.parts {
                match part {
                    WordPart::Slot(slot) if slot.name == placeholder => {
                        return Some((before, begun));
                    }
                    WordPart::Slot(slot) => begun.push_str(value(&slot.name)?),
                    WordPart::Text(text) => begun.push_str(text),
                }
            }
            let has_place = |part: &WordPart| matches!(part, WordPart::Slot(_));
            before.push(match word.parts.iter().any(has_place) {
                true => begun,
                false => word.plain.clone(),
            });
        }
        None
    }
}

/// The words of a whole command line, cut as a shell cuts them; `None` where a shell would do more with it than that, or where
/// something is to be filled in.
///
/// ```
/// use charmer_core::tool::line_words;
/// assert_eq!(line_words(r#"git commit -m "Set sail""#).unwrap(), ["git", "commit", "-m", "Set sail"]);
/// for line in ["git log | head", "git add .; git commit", "git show $REV", "git show <rev>", "git log # all"] {
///     assert_eq!(line_words(line), None);
/// }
/// ```
pub fn line_words(line: &str) -> Option<Vec<String>> {
    let (words, comment) = words(line)?;
    // `{name}` may be the program's own to fill in.
    let filled = |part: &WordPart| match part {
        WordPart::Text(_) => true,
        WordPart::Slot(slot) => slot.written.starts_with('{'),
    };
    let whole = comment.is_none() && words.iter().all(|word| word.parts.iter().all(filled));
    whole.then(|| words.into_iter().map(|word| word.plain).collect())
}

/// A value as one word of a command line that is shown to people and assistants: plain, or as a JSON string, which has
/// no line breaks.
///
/// ```
/// use charmer_core::tool::quoted;
/// assert_eq!(quoted("a/b-1"), "a/b-1");
/// assert_eq!(quoted("a\n`b`"), r#""a\n`b`""#);
/// ```
pub fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return value.to_owned();
    }
    let mut text = Value::from(value).to_string();
    // These end a line, too, for some readers.
    for (c, escaped) in [
        ('\u{85}', "\\u0085"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ] {
        text = text.replace(c, escaped);
    }
    text
}

fn in_place(value: &str, quote: Option<char>) -> String {
    let text = quoted(value);
    let Some(quote) = quote else { return text };
    // The quotation marks are there already.
    let text = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .unwrap_or(&text);
    match quote {
        '\'' => text.replace('\'', "\\u0027"),
        _ => text.to_owned(),
    }
}

/// The examples in a tool's own help that are of this tool.
pub fn examples(tool: &Tool) -> Vec<Example> {
    let mut seen = HashSet::new();
    written(tool)
        .iter()
        .filter_map(|written| example(tool, written))
        .filter(|example| seen.insert(example.command_line.clone()))
        .collect()
}

/// The examples in the help of all these tools, each with the place of the tool that it is of: the one whose command it
/// names, wherever it is told. What names a command that is not among them is left out.
pub fn all_examples(tools: &[&Tool]) -> Vec<(usize, Example)> {
    let mut places: HashMap<(&str, &[String]), usize> = HashMap::new();
    for (at, tool) in tools.iter().enumerate().rev() {
        if !tool.input.levels.is_empty() {
            places.insert((&tool.help.program, tool.path.words()), at);
        }
    }
    let mut seen = HashSet::new();
    let mut found: Vec<(usize, Example)> = Vec::new();
    for (at, tool) in tools.iter().enumerate() {
        for written in written(tool) {
            let own = example(tool, &written).map(|example| (at, example));
            let of_another = || {
                let path: Vec<String> = path_words(&written.line);
                let owner = (0..=path.len())
                    .rev()
                    .find_map(|length| places.get(&(&*tool.help.program, &path[..length])));
                owner.and_then(|&at| Some((at, example(tools[at], &written)?)))
            };
            if let Some((at, example)) = own.or_else(of_another)
                && seen.insert((at, example.command_line.clone()))
            {
                found.push((at, example));
            }
        }
    }
    order::sort_by_key(&mut found, |(at, _)| *at);
    found
}

fn written(tool: &Tool) -> Vec<ExampleLine> {
    let text = tool.help.examples.as_deref();
    text.map(|text| read(text, &tool.help.program))
        .unwrap_or_default()
}

/// The words behind the program's name that may be those of a command.
fn path_words(line: &str) -> Vec<String> {
    let words = line.split_whitespace().skip(1);
    let words = words.filter(|word| !word.starts_with('-'));
    words.take(8).map(str::to_owned).collect()
}

/// The example that a line is, if it is one of this tool.
fn example(tool: &Tool, written: &ExampleLine) -> Option<Example> {
    let (mut words, comment) = words(&written.line)?;
    let keys = fit(tool, &words)?;
    let mut placeholders: Vec<Placeholder> = Vec::new();
    let mut kept = Vec::new();
    for (mut word, key) in words.drain(..).zip(keys) {
        if !mark_places(tool, &mut word, key.as_deref()) {
            continue;
        }
        for part in &word.parts {
            let WordPart::Slot(slot) = part else { continue };
            note(&mut placeholders, tool, slot, key.as_deref());
        }
        kept.push(word);
    }
    let raw = |word: &LineWord| -> String {
        let parts = word.parts.iter().map(|part| match part {
            WordPart::Text(text) => text.as_str(),
            WordPart::Slot(slot) => slot.written.as_str(),
        });
        parts.collect()
    };
    let command_line = kept.iter().map(raw).collect::<Vec<_>>().join(" ");
    let said = written.title.clone().or_else(|| title(comment?));
    Some(Example {
        title: said.unwrap_or_else(|| command_line.clone()),
        command_line,
        placeholders,
        words: kept,
    })
}
