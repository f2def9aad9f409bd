//! Words of a command line as the JSON input of a tool, typed by its schema.
//!
//! They are read as the tool's program would read them: `-it` are two letters, `-n5` has its value, `--` ends the flags
//! and what follows goes where the usage has its own `--`. Nothing that was given is dropped.

mod property;

use std::borrow::Cow;

use crate::{
    model::{Flag, FlagValue, Repetition, ShortValue, ValueType},
    text::nearest,
    tool::{ARGS_KEY, Layout, Tool},
};
use serde_json::{Map, Value};

use self::property::{Follows, Property, kind, lettered, properties, property, typed};

/// The reason why words are no input of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct WordsError {
    /// The reason, as a sentence.
    pub message: String,
    /// Advice on what to write instead.
    pub hint: Option<String>,
}

impl WordsError {
    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Reads `--key value`, `--key=value`, `--switch`, letters and bare words. Values that do not fit their type are passed
/// on as they are: the tool's own checks say it better.
///
/// ```
/// use charmer_core::{
///     call::from_words,
///     model::{Cli, Command, Flag, Syntax},
///     tool::{CatalogueOptions, catalogue},
/// };
/// use serde_json::json;
///
/// let log = Command::new("log").usage("log [PATH]").flag(Flag::new("max-count").short('n').pflag("int"));
/// let tool = catalogue(&Cli::new(log, Syntax::pflag()), &CatalogueOptions::default()).tools.remove(0);
/// let words = ["-n3".to_owned(), "src".to_owned()];
/// assert_eq!(json!(from_words(&tool, &words).unwrap()), json!({"max-count": 3, "path": "src"}));
/// ```
pub fn from_words(tool: &Tool, words: &[String]) -> Result<Map<String, Value>, WordsError> {
    let words = &dashed_letters(tool, words)?[..];
    let mut reader = WordReader {
        tool,
        input: Map::new(),
        bare: Vec::new(),
        behind: None,
        words: words.iter(),
        given: Vec::new(),
    };
    reader.read()?;
    let WordReader {
        mut input,
        bare,
        behind,
        ..
    } = reader;
    place_bare(tool, &mut input, bare, behind)?;
    Ok(input)
}

/// The words with a dash before the first one, where the program would read it as letters without one (`tar xf FILE`).
fn dashed_letters<'a>(tool: &Tool, words: &'a [String]) -> Result<Cow<'a, [String]>, WordsError> {
    let Some((first, rest)) = words.split_first() else {
        return Ok(words.into());
    };
    if !tool.syntax.first_word_is_letters || first.starts_with('-') {
        return Ok(words.into());
    }
    let dashed = format!("-{first}");
    // Values of letters follow in their order there; behind a dash the rest of the word would be one.
    let several = |letters: &[(Property<'_>, Option<String>)]| {
        letters.iter().any(|(_, value)| value.is_some())
    };
    match named(tool, &dashed) {
        Some(Named::Letters(letters)) if several(&letters) => Err(WordsError::new(format!(
            "`{first}` is read as letters, and more than the last takes a value"
        ))
        .hint("write each that takes one with its dash and value")),
        Some(_) => Ok([&[dashed], rest].concat().into()),
        None => Ok(words.into()),
    }
}

/// For words that name the tool's properties: whether the next word is a value, unless one is attached.
pub fn takes_value(tool: &Tool, word: &str) -> Option<bool> {
    let one = |property: &Property<'_>| property.follows(tool.syntax) != Follows::Nothing;
    match named(tool, word)? {
        Named::Whole { property, .. } => Some(one(&property)),
        Named::Letters(letters) => {
            let (last, value) = letters.last()?;
            Some(value.is_none() && one(last))
        }
    }
}

/// Returns true if no flags follow behind so many bare words, because the program would read none there.
pub fn ends_flags(tool: &Tool, bare: usize) -> bool {
    let leaf = tool.input.levels.last();
    let end = leaf.and_then(|leaf| leaf.options_end_behind);
    // The name of an external command is followed by its own arguments, whatever they are.
    let mut positionals = tool.input.positionals.iter();
    let external = positionals.position(|property| property.positional.external);
    let end = end.or(external.map(|before| before + 1));
    end.is_some_and(|end| bare >= end.max(1))
}

/// The flags that a word names.
enum Named<'a> {
    /// One, by its whole name, with the value that is attached.
    Whole {
        property: Property<'a>,
        name: String,
        value: Option<String>,
    },
    /// Several by their letters, the last of which may have a value attached.
    Letters(Vec<(Property<'a>, Option<String>)>),
}

/// The flags of a word; `None` if it is none, or names any that the tool does not have.
fn named<'a>(tool: &'a Tool, word: &str) -> Option<Named<'a>> {
    let name = flag_name(word)?;
    let (plain, value) = match name.split_once('=') {
        Some((plain, value)) => (plain, Some(value.to_owned())),
        None => (name, None),
    };
    if let Some(property) = property(tool, plain) {
        return Some(Named::Whole {
            property,
            name: plain.to_owned(),
            value,
        });
    }
    if word.starts_with("--") || !tool.syntax.letters_together && name.chars().count() > 1 {
        return None;
    }
    // `-5` is what people write for `-n 5` where that is a number.
    let number =
        name.bytes().all(|byte| byte.is_ascii_digit()) && lettered(tool, first(name)).is_none();
    if number {
        let counted = |flag: &Flag| {
            flag.value == FlagValue::Required
                && matches!(flag.value_type, ValueType::Integer { .. })
        };
        let count = lettered(tool, 'n').filter(|found| found.flag.is_some_and(counted))?;
        return Some(Named::Letters(vec![(count, Some(name.to_owned()))]));
    }
    let mut found = Vec::new();
    for (at, letter) in name.char_indices() {
        let property = lettered(tool, letter)?;
        let rest = &name[at + letter.len_utf8()..];
        let switch = property.kind() == "boolean" || property.is_count();
        if switch || rest.is_empty() {
            found.push((property, None));
            continue;
        }
        let rest = match tool.syntax.short_value {
            ShortValue::Equals => rest.strip_prefix('=').unwrap_or(rest),
            ShortValue::Glued => rest,
        };
        found.push((property, Some(rest.to_owned())));
        break;
    }
    Some(Named::Letters(found))
}

fn first(text: &str) -> char {
    text.chars().next().unwrap_or_default()
}

/// The name of a flag, for words that can be one: a lone `-` is none.
fn flag_name(word: &str) -> Option<&str> {
    match word.strip_prefix("--") {
        Some(name) => Some(name),
        None => word
            .strip_prefix('-')
            .filter(|name| name.starts_with(char::is_alphanumeric)),
    }
}

/// Words that are being read.
struct WordReader<'a> {
    tool: &'a Tool,
    input: Map<String, Value>,
    bare: Vec<String>,
    /// The words behind `--`.
    behind: Option<Vec<String>>,
    words: std::slice::Iter<'a, String>,
    /// Keys that were given, each with how many bare words stood before it.
    given: Vec<(String, usize)>,
}

impl WordReader<'_> {
    fn read(&mut self) -> Result<(), WordsError> {
        while let Some(word) = self.words.next() {
            if ends_flags(self.tool, self.bare.len()) {
                self.bare.push(word.clone());
                self.bare.extend(self.words.by_ref().cloned());
                break;
            }
            if word == "--" {
                self.behind = Some(self.words.by_ref().cloned().collect());
                break;
            }
            match named(self.tool, word) {
                Some(Named::Whole {
                    property,
                    name,
                    value,
                }) => self.give(&property, &name, value)?,
                Some(Named::Letters(letters)) => {
                    for (property, value) in letters {
                        let name = property.key;
                        self.give(&property, name, value)?;
                    }
                }
                // A negative number is a value like another.
                None => match flag_name(word).filter(|_| word.parse::<f64>().is_err()) {
                    Some(name) => return Err(unknown(self.tool, name)),
                    None => self.bare.push(word.clone()),
                },
            }
        }
        Ok(())
    }

    /// Gives a property what is attached, or what follows.
    fn give(
        &mut self,
        property: &Property<'_>,
        name: &str,
        attached: Option<String>,
    ) -> Result<(), WordsError> {
        self.note_place(property)?;
        let negated = property.flag.and_then(|flag| flag.negation.as_deref()) == Some(name)
            && property.key != name;
        if negated && attached.is_none() {
            return property.put(&mut self.input, "false");
        }
        if let Some(text) = attached {
            return property.put(&mut self.input, &text);
        }
        if property.is_count() {
            property.count(&mut self.input);
            return Ok(());
        }
        match property.follows(self.tool.syntax) {
            Follows::Nothing if property.kind() == "boolean" => {
                // A switch takes the next word only if that can mean nothing else.
                let next = self.words.as_slice().first().map(String::as_str);
                let said = next.filter(|next| matches!(*next, "true" | "false"));
                if said.is_some() {
                    self.words.next();
                }
                property.put(&mut self.input, said.unwrap_or("true"))
            }
            Follows::Nothing => property.put(&mut self.input, property.bare()),
            Follows::Words(count) => {
                let mut values = Vec::with_capacity(count.min(8));
                for _ in 0..count {
                    let next = self.words.next().cloned();
                    values.push(next.ok_or_else(|| needs_value(name))?);
                }
                self.give_values(property, &values)
            }
            Follows::UpTo(most) => {
                let values = self.words.as_slice().iter();
                let plain = |word: &&String| !word.starts_with('-') || word.as_str() == "-";
                let values: Vec<String> = values.take_while(plain).take(most).cloned().collect();
                self.words.by_ref().take(values.len()).for_each(drop);
                if values.is_empty() {
                    return property.put(&mut self.input, property.bare());
                }
                self.give_values(property, &values)
            }
        }
    }

    /// Refuses a flag that is given again behind another bare word where nobody knows what becomes of its values: each may
    /// be meant for the words behind it (`tar -C one a -C two b`), and they would be written together.
    fn note_place(&mut self, property: &Property<'_>) -> Result<(), WordsError> {
        let place = self.bare.len();
        let valued = |flag: &&Flag| flag.may_repeat && !flag.is_switch();
        let before = self.given.iter().find(|(key, _)| key == property.key);
        match (before, property.flag.filter(valued)) {
            (Some((_, before)), Some(flag)) if *before != place => {
                let between = &self.bare[*before];
                let name = flag.display_name();
                let told = format!("`{name}` is given again, and `{between}` stands between");
                Err(WordsError::new(told).hint("call it once for each, or put all of them first"))
            }
            _ => {
                self.given.push((property.key.to_owned(), place));
                Ok(())
            }
        }
    }

    fn give_values(
        &mut self,
        property: &Property<'_>,
        values: &[String],
    ) -> Result<(), WordsError> {
        let lists = matches!(
            property.flag.map(|flag| &flag.repetition),
            Some(Repetition::Fixed { repeat: true, .. })
        );
        if lists {
            let list = Value::from(vec![values.to_vec()]);
            return property.put(&mut self.input, &list.to_string());
        }
        let mut values = values.iter();
        values.try_for_each(|value| property.put(&mut self.input, value))
    }
}

fn needs_value(name: &str) -> WordsError {
    WordsError::new(format!("`--{name}` needs a value"))
        .hint(format!("write `--{name} VALUE` or `--{name}=VALUE`"))
}

fn unknown(tool: &Tool, name: &str) -> WordsError {
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let problem = WordsError::new(format!("the tool `{}` has no `--{name}`", tool.name));
    let all = properties(tool);
    let keys = || all.iter().map(|property| property.key);
    match nearest(name, keys()) {
        Some(near) => problem.hint(format!("did you mean `--{near}`?")),
        None if all.is_empty() => problem.hint("it takes no input at all"),
        None => {
            let keys: Vec<String> = keys().map(|key| format!("--{key}")).collect();
            problem.hint(format!("it takes {}", keys.join(", ")))
        }
    }
}

/// Gives bare words to the tool's positionals, in order; what takes several takes all but what those after it need.
/// Words behind `--` belong to what stands behind it in the usage, where the usage has one.
fn place_bare(
    tool: &Tool,
    input: &mut Map<String, Value>,
    mut bare: Vec<String>,
    behind: Option<Vec<String>>,
) -> Result<(), WordsError> {
    let own = tool.input_schema.get("properties");
    let schema = |key: &str| own.and_then(|own| own.get(key));
    let mut positionals = tool.input.positionals.iter();
    let last = positionals.find(|property| property.positional.last);
    let last = last.map(|property| property.key.as_str());
    match (behind, last) {
        (Some(behind), Some(last)) if !behind.is_empty() => {
            input.insert(last.to_owned(), Value::from(behind));
        }
        (Some(behind), _) => {
            if tool.input.pattern_has_dashes() {
                bare.push("--".to_owned());
            }
            bare.extend(behind);
        }
        (None, _) => {}
    }
    if bare.is_empty() {
        return Ok(());
    }
    let list = |words: &[String]| Value::from(words.to_vec());
    if tool.input.layout == Layout::Nested && schema(ARGS_KEY).is_some() {
        input.insert(ARGS_KEY.to_owned(), list(&bare));
        return Ok(());
    }
    if let Some((key, _)) = &tool.input.pattern {
        input.insert(key.clone(), list(&bare));
        return Ok(());
    }
    // What a flag stands for takes no word.
    let replaced = |ids: &[String]| {
        let flags = tool.input.flags.iter();
        let mut flags = flags.filter(|property| ids.contains(&property.flag.id));
        flags.any(|property| input.contains_key(&property.key))
    };
    let positionals = tool.input.positionals.iter();
    let positionals = positionals.filter(|property| !replaced(&property.positional.replaced_by));
    let positionals = positionals.map(|positional| positional.key.as_str());
    // A tool that is no command of a program has none; what it cannot do without goes without a name there.
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let required = required.filter(|_| tool.input.levels.is_empty());
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let keys: Vec<&str> = positionals
        .chain(required)
        .filter(|key| schema(key).is_some() && !input.contains_key(*key))
        .collect();
    let mut rest = &bare[..];
    for (at, key) in keys.iter().enumerate() {
        let Some(schema) = schema(key) else { continue };
        if rest.is_empty() {
            break;
        }
        // What may be left out is, where all that is left is needed behind it: `blame [<rev>] <file>`.
        let required = |key: &&&str| is_required(tool, key);
        let behind = keys[at + 1..].iter().filter(required).count();
        if !is_required(tool, key) && rest.len() <= behind {
            continue;
        }
        if kind(schema) == "array" {
            let needed = keys[at + 1..]
                .iter()
                .filter(|key| is_needed(tool, key))
                .count();
            let take = rest.len().saturating_sub(needed).max(1);
            let items = kind(&schema["items"]);
            let values = rest[..take].iter().map(|word| typed(items, word));
            input.insert((*key).to_owned(), values.collect());
            rest = &rest[take..];
        } else {
            input.insert((*key).to_owned(), typed(kind(schema), &rest[0]));
            rest = &rest[1..];
        }
    }
    match rest.first() {
        None => Ok(()),
        Some(word) => Err(WordsError::new(format!(
            "`{word}` has no place: the tool `{}` takes {} without a name",
            tool.name,
            match keys.len() {
                0 => "no arguments".to_owned(),
                1 => "one argument".to_owned(),
                count => format!("{count} arguments"),
            }
        ))
        .hint("flags are written as `--key value` or `--key=value`")),
    }
}

/// Returns true if a positional is required, wherever it stands.
fn is_required(tool: &Tool, key: &str) -> bool {
    let mut positionals = tool.input.positionals.iter();
    let property = positionals.find(|property| property.key == key);
    property.is_none_or(|property| property.positional.required)
}

/// Returns true if a word must be left for this key.
fn is_needed(tool: &Tool, key: &str) -> bool {
    let mut positionals = tool.input.positionals.iter();
    let property = positionals.find(|property| property.key == key);
    // What is no positional stands here because it is required.
    property.is_none_or(|property| property.positional.required && !property.positional.last)
}

#[cfg(test)]
mod tests;
