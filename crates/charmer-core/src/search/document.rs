//! The searched fields of a tool, and the weight of a word in each.

use crate::{model::Effect, tool::Tool};

use super::{
    reader::{FlagPlace, FlagTerms, StemReader, Terms},
    words::{for_each_word, stem},
};

/// Texts are read up to here; what comes later is rarely what a command is about.
const TEXT_LIMIT: usize = 3000;
const EXAMPLES_LIMIT: usize = 2000;
const FLAG_HELP_LIMIT: usize = 160;
const SENTENCE_LIMIT: usize = 200;

/// A tool as it is searched.
#[derive(Debug, Clone, Default)]
pub(super) struct SearchedTool {
    /// Its program's name in small letters; empty for one that comes from no program.
    pub(super) program: String,
    /// The words of its path, each in small letters, without the program.
    pub(super) path: Vec<String>,
    pub(super) aliases: Vec<String>,
    /// Other paths that lead to it.
    pub(super) others: Vec<Vec<String>>,
    pub(super) tool_name: String,
    /// The words of its one-line summary, in small letters.
    pub(super) first: Vec<String>,
    /// The stems of the last word, and those of the words before it.
    pub(super) name: Terms,
    pub(super) parents: Terms,
    pub(super) alias_terms: Terms,
    pub(super) summary: Terms,
    pub(super) rest: Terms,
    pub(super) examples: Terms,
    pub(super) flags: Vec<FlagPlace>,
    pub(super) positionals: Terms,
    /// The way people ask for it, as somebody has written it down, until it is read.
    pub(super) phrases: Vec<String>,
    /// The words of phrases by which people ask for it.
    pub(super) said: Terms,
    pub(super) effect: Effect,
    pub(super) required: usize,
    /// Its help says something of it.
    pub(super) described: bool,
    /// Its help says that it is not for everybody, or not for long.
    pub(super) doubtful: bool,
}

impl SearchedTool {
    pub(super) fn new(tool: &Tool, reader: &mut StemReader<'_>) -> Self {
        let custom = tool.input.levels.is_empty();
        let program = match custom {
            true => String::new(),
            false => tool.help.program.to_lowercase(),
        };
        let path: Vec<String> = tool.path.words().iter().map(|w| w.to_lowercase()).collect();
        let text = tool.help.text.as_deref().unwrap_or_default();
        let text = without_path(text, tool);
        let (first, rest) = first_sentence(cut(text, TEXT_LIMIT));
        reader.of_program(&program);
        let (last, parents) = match path.split_last() {
            Some((last, parents)) => (last.as_str(), parents.join(" ")),
            None => ("", String::new()),
        };
        let mut summary = reader.read(first);
        if tool.title != tool.words() && !custom {
            summary.extend(reader.read(&tool.title));
        }
        let flags = match custom {
            true => properties(tool, reader),
            false => flags(tool, reader),
        };
        let mut positionals = Terms::default();
        for property in &tool.input.positionals {
            positionals.extend(reader.read(&property.key));
            let help = property.positional.help.as_deref().unwrap_or_default();
            positionals.extend(reader.read(cut(help, FLAG_HELP_LIMIT)));
        }
        let needed = tool.input.flags.iter().filter(|p| p.flag.required).count();
        let lower = first.to_lowercase();
        let mut first_words = Vec::new();
        for_each_word(first, |word, _| first_words.push(word.to_owned()));
        Self {
            name: reader.read_name(last),
            parents: reader.read_name(&parents),
            alias_terms: reader.read_name(&tool.help.aliases.join(" ")),
            summary,
            rest: reader.read(rest),
            examples: reader.read(cut(
                tool.help.examples.as_deref().unwrap_or_default(),
                EXAMPLES_LIMIT,
            )),
            flags,
            positionals,
            phrases: tool.help.phrases.clone(),
            said: Terms::default(),
            effect: tool.help.effect,
            required: needed,
            described: !text.is_empty(),
            doubtful: DOUBTFUL.iter().any(|word| lower.contains(word)),
            aliases: tool.help.aliases.iter().map(|a| a.to_lowercase()).collect(),
            others: tool
                .help
                .paths
                .iter()
                .map(|path| path.words().to_vec())
                .collect(),
            tool_name: tool.name.as_str().to_lowercase(),
            first: first_words,
            program,
            path,
        }
    }

    /// The stems of its program's name, its path and its summary.
    pub(super) fn context_words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.first.iter().map(|word| stem(word)).collect();
        for name in std::iter::once(&self.program).chain(&self.path) {
            words.push(stem(name));
            for_each_word(name, |word, _| words.push(stem(word)));
        }
        words
    }
}

/// Words in a first sentence that mark commands which one does not look for unless one knows them.
const DOUBTFUL: [&str; 8] = [
    "deprecated",
    "experimental",
    "unstable",
    "alpha ",
    "internal",
    "helper program",
    "plumbing",
    "obsolete",
];

/// Descriptions of nested commands may begin with their path, which is searched by itself.
fn without_path<'t>(text: &'t str, tool: &Tool) -> &'t str {
    let words = tool.words();
    let rest = text.strip_prefix(words.as_str());
    let rest = rest.and_then(|rest| rest.strip_prefix(':'));
    rest.unwrap_or(text).trim()
}

/// The first sentence or line that ends a thought, and what follows it.
fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim();
    let mut end = text.len().min(text.ceil_char_boundary(SENTENCE_LIMIT));
    let mut before = ' ';
    for (at, c) in text[..end].char_indices() {
        let after = text[at + c.len_utf8()..].chars().next();
        let stops = matches!(c, '.' | '!' | '?' | ':') && after.is_none_or(char::is_whitespace);
        if stops || (c == '\n' && (before == '\n' || after == Some('\n'))) {
            end = at;
            break;
        }
        before = c;
    }
    (&text[..end], &text[end..])
}

fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn flags(tool: &Tool, reader: &mut StemReader<'_>) -> Vec<FlagPlace> {
    let leaf = tool.input.levels.len().saturating_sub(1);
    let properties = tool.input.flags.iter().filter(|p| !p.confirms);
    properties
        .map(|property| {
            let flag = &property.flag;
            // What every command of a program takes tells none from another, and is read once.
            if property.owner != leaf {
                return reader.inherited(&property.key);
            }
            let help = flag.help.as_deref().unwrap_or_default();
            let help = cut(help, FLAG_HELP_LIMIT);
            let shown = flag.choices.iter().filter(|choice| !choice.hidden);
            let choices = shown.take(24).map(|choice| choice.value.as_str());
            // One text in each line, of which each names its kind.
            let mut written = format!("{}\nhelp {help}", property.key);
            for alias in &flag.aliases {
                written.extend(["\nalias ", alias]);
            }
            for choice in choices.clone() {
                written.extend(["\nchoice ", choice]);
            }
            reader.flag(&written, |reader| {
                let mut name = reader.read_name(&property.key);
                for alias in &flag.aliases {
                    name.extend(reader.read_name(alias));
                }
                let mut help = reader.read(help);
                for choice in choices {
                    help.extend(reader.read(choice));
                }
                FlagTerms::new(&property.key, &name, &help, true)
            })
        })
        .collect()
}

/// The input of a tool that comes from no program's flags.
fn properties(tool: &Tool, reader: &mut StemReader<'_>) -> Vec<FlagPlace> {
    let properties = tool.input_schema.get("properties");
    let properties = properties.and_then(serde_json::Value::as_object);
    let properties = properties.into_iter().flatten();
    properties
        .map(|(key, schema)| {
            let help = schema.get("description").and_then(|text| text.as_str());
            let help = cut(help.unwrap_or_default(), FLAG_HELP_LIMIT);
            reader.flag(&format!("{key}\nhelp {help}"), |reader| {
                let name = reader.read_name(key);
                let help = reader.read(help);
                FlagTerms::new(key, &name, &help, true)
            })
        })
        .collect()
}
