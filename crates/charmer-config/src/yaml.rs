//! YAML as a tree whose every node knows where it stands. The only module that knows `serde-saphyr`.
//!
//! A tree, and not types of ours, because a type stops at its first mistake; the tree is read to its end.

use std::{fmt, ops::Range};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_saphyr::{
    Error, Location, Options, Spanned,
    options::{AliasLimits, DuplicateKeyPolicy, NonFiniteFloatPolicy},
};

use crate::read::Problems;

/// The maximum number of bytes in a file: far more than anybody writes by hand, far less than what hurts.
pub const MOST_BYTES: usize = 1 << 20;
const MOST_NODES: usize = 50_000;
const MOST_DEPTH: usize = 32;

/// A node of the tree.
#[derive(Debug)]
#[non_exhaustive]
pub struct Node {
    /// Its content.
    pub kind: YamlKind,
    /// The range of bytes where it is used: for an alias, the alias.
    pub span: Range<usize>,
    /// A scalar as it stands in the file.
    pub raw: String,
}

/// The content of a node.
#[derive(Debug)]
pub enum YamlKind {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// Another number; its text is the node's `raw`.
    Float,
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Node, Node)>),
}

/// Reads text; says what is wrong with it if it is no YAML, or YAML that nobody should write.
pub(crate) fn read(problems: &mut Problems<'_>) -> Option<Node> {
    let text = problems.text();
    match load(text, DuplicateKeyPolicy::Error) {
        Ok(tree) => Some(tree),
        Err(error) => {
            explain(&error, problems);
            // What else is wrong can still be said, taking the first of the keys that stand there twice.
            matches!(error.without_snippet(), Error::DuplicateMappingKey { .. })
                .then(|| load(text, DuplicateKeyPolicy::FirstWins).ok())
                .flatten()
        }
    }
}

/// Reads text as JSON, with the same bounds; an error says what is wrong with it.
///
/// ```
/// let said = charmer_config::yaml_as_json("{name: ship, flags: [a, b]}").unwrap();
/// assert_eq!(said["flags"][1], "b");
/// assert!(charmer_config::yaml_as_json("a: 1\na: 2").is_err());
/// ```
pub fn yaml_as_json(text: &str) -> Result<serde_json::Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("it is longer than {MOST_BYTES} bytes"));
    }
    let options = options(DuplicateKeyPolicy::Error);
    serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
}

fn load(text: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Node, Error> {
    let options = options(duplicate_keys);
    let tree: Spanned<Raw> = serde_saphyr::from_str_with_options(text, options)?;
    Ok(Node::new(tree, text))
}

fn options(duplicate_keys: DuplicateKeyPolicy) -> Options {
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = MOST_NODES;
    // People write a few aliases within each other; what doubles with every step only fills memory.
    alias_limits.max_replay_stack_depth = 8;
    alias_limits.max_alias_expansions_per_anchor = 1_000;
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MOST_NODES,
            max_events: 4 * MOST_NODES,
            max_depth: MOST_DEPTH,
            flow_nesting_limit: MOST_DEPTH,
            max_recorded_anchor_events: MOST_NODES,
            max_recorded_anchor_bytes: 4 * MOST_BYTES,
            max_total_scalar_bytes: 4 * MOST_BYTES,
        },
        alias_limits: alias_limits,
        duplicate_keys: duplicate_keys,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

/// Says what a parser's error means to whoever wrote the file.
fn explain(error: &Error, problems: &mut Problems<'_>) {
    let error = match error.without_snippet() {
        Error::AliasError { error, .. } => error,
        error => error,
    };
    let text = problems.text();
    let span = error
        .location()
        .map_or(0..0, |location| place(location, text));
    let (message, hint) = match error {
        Error::MultipleDocuments { .. } => (
            "a second document begins here".into(),
            "a file holds one document: remove the line `---` or `...` above",
        ),
        Error::DuplicateMappingKey { key, .. } => (
            format!(
                "the key {} stands here a second time",
                Quoted(key.as_deref().unwrap_or("?"))
            ),
            "keep one of the two",
        ),
        Error::UnknownAnchor { .. } => (
            "this alias stands for nothing".into(),
            "define it above with `&name`, or put the value in quotes if it should begin with `*`",
        ),
        Error::RecursiveReferencesRequireWeakTypes { .. } => (
            "this alias stands for something that contains it".into(),
            "write the value out",
        ),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => (
            "the aliases of this file stand for too much".into(),
            "write the values out",
        ),
        Error::Budget { .. } => (
            "the file is too large or nested too deeply".into(),
            "it should hold settings only",
        ),
        other => parser_message(&other.to_string()),
    };
    let problem = problems.add(span, message);
    if !hint.is_empty() {
        problem.hint(hint);
    }
}

/// The parser's message, and advice where that is known.
fn parser_message(message: &str) -> (String, &'static str) {
    let message = message
        .rsplit_once(" at line ")
        .map_or(message, |(message, _)| message);
    let hint = if message.contains("tab") {
        "indent with spaces"
    } else if message.contains("tag") {
        "remove the word that begins with `!`, or put it in quotes"
    } else if message.contains("mapping values are not allowed") {
        "put a value that contains `: ` in quotes, and check the indentation"
    } else if message.contains("nexpected character") || message.contains("quoted scalar") {
        "put the whole value in quotes, and double a `'` inside of single ones"
    } else if message.contains("nesting")
        || message.contains("recursion")
        || message.contains("depth")
    {
        "it should hold settings only"
    } else {
        "check the indentation, the brackets and the quotes up to here"
    };
    (
        format!("this is no valid YAML: {}", Quoted::plain(message)),
        hint,
    )
}

/// The bytes that a location speaks of.
fn place(location: Location, text: &str) -> Range<usize> {
    let span = location.span();
    let byte = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let range = match (span.byte_offset(), span.byte_len()) {
        (Some(offset), Some(length)) => byte(offset)..byte(offset.saturating_add(length)),
        _ => {
            // Errors of the scanner count characters.
            let nth = |count: u64| {
                text.char_indices()
                    .nth(byte(count))
                    .map_or(text.len(), |(at, _)| at)
            };
            nth(span.offset())..nth(span.offset().saturating_add(span.len()))
        }
    };
    let fit = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    fit(range.start)..fit(range.end.max(range.start))
}

/// A node as the parser gives it.
enum Raw {
    Null,
    Bool(bool),
    Integer(i128),
    Float,
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl Node {
    fn new(raw: Spanned<Raw>, text: &str) -> Self {
        let scalar = !matches!(raw.value, Raw::List(_) | Raw::Map(_));
        let defined = place(raw.defined, text);
        Self {
            raw: if scalar {
                text[defined].to_owned()
            } else {
                String::new()
            },
            span: place(raw.referenced, text),
            kind: match raw.value {
                Raw::Null => YamlKind::Null,
                Raw::Bool(on) => YamlKind::Bool(on),
                Raw::Integer(number) => YamlKind::Integer(number),
                Raw::Float => YamlKind::Float,
                Raw::Text(value) => YamlKind::Text(value),
                Raw::List(list) => {
                    YamlKind::List(list.into_iter().map(|node| Self::new(node, text)).collect())
                }
                Raw::Map(entries) => YamlKind::Map(
                    entries
                        .into_iter()
                        .map(|(key, value)| (Self::new(key, text), Self::new(value, text)))
                        .collect(),
                ),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, on: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(on))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Raw, E> {
        Ok(Raw::Integer(number.into()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Float)
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Raw, E> {
        Err(E::custom(
            "binary data has no place here (its tag is `!!binary`)",
        ))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = access.next_element()? {
            list.push(element);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}

/// A text as somebody wrote it, short enough to be shown and without characters that a terminal would act on.
pub struct Quoted<'a>(pub &'a str);

impl Quoted<'_> {
    fn plain(text: &str) -> String {
        let shown: String = text
            .chars()
            .take(200)
            .flat_map(|c| {
                if c == '\'' || c == '"' {
                    vec![c]
                } else {
                    c.escape_debug().collect()
                }
            })
            .collect();
        shown
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 60;
        let cut = self.0.chars().nth(MOST).is_some();
        let text: String = self.0.chars().take(MOST).collect();
        write!(
            f,
            "`{}{}`",
            Self::plain(&text),
            if cut { "..." } else { "" }
        )
    }
}
