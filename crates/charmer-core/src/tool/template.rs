//! A command line that its author wrote out, with places for arguments: how a spell's is written, where a program's is
//! written by its flags.

use std::fmt;

use crate::model::Choice;

/// The key of the elements that a caller adds.
pub const ADDED_KEY: &str = "flags";
/// The key of the folder that the program runs in.
pub const FOLDER_KEY: &str = "path";
/// The key that says that the user agreed.
pub const CONFIRM_KEY: &str = "confirm";
/// The key of arguments that nobody declared.
pub const ARGUMENTS_KEY: &str = "arguments";

/// A command line with places for arguments. The arguments themselves are the positionals of the
/// [`Input`](super::Input), of which each is one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandTemplate {
    /// The words that always follow the program.
    pub words: Vec<String>,
    /// The elements that a caller may add behind them, each as a whole.
    pub addable: Vec<Choice>,
    /// The words that ask for JSON; left out where another element chooses how the output looks.
    pub json: Vec<String>,
    /// The elements that come last, filled in. One with a place for an argument that was not given is left out.
    pub elements: Vec<Template>,
    /// The text that the program reads from its standard input.
    pub stdin: Option<Template>,
    /// The description of arguments of any name, if callers may give them. They are on no command line.
    pub open: Option<String>,
    /// The folders that it may run in, as callers are told of them: the first is the default.
    pub folders: Vec<String>,
    /// The user must have agreed.
    pub confirm: bool,
}

impl CommandTemplate {
    /// A command line of these words.
    pub fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self {
            words: words.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The keys of an input beside the declared arguments.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let open = self.open.is_some().then_some(ARGUMENTS_KEY);
        [ADDED_KEY, FOLDER_KEY, CONFIRM_KEY].into_iter().chain(open)
    }
}

/// Text with places for arguments. Only a name in double braces is one: `{{.Names}}` is text. One template becomes one
/// element, never two.
///
/// ```
/// use charmer_core::tool::Template;
/// let template = Template::new("--name={{ who }}");
/// assert_eq!(template.fill(|_| Some("Ada")).as_deref(), Some("--name=Ada"));
/// assert_eq!(template.fill(|_| None), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that is always there.
    Text(String),
    /// A place for the argument of this name.
    Arg(String),
}

impl Template {
    /// Reads a template.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let (mut rest, mut from) = (text, 0);
        while let Some(open) = rest[from..].find("{{").map(|at| at + from) {
            let inside = &rest[open + 2..];
            let name = inside.find("}}").map(|close| (&inside[..close], close));
            match name.filter(|(name, _)| is_argument(name.trim())) {
                Some((name, close)) => {
                    if open > 0 {
                        parts.push(Part::Text(rest[..open].to_owned()));
                    }
                    parts.push(Part::Arg(name.trim().to_owned()));
                    (rest, from) = (&inside[close + 2..], 0);
                }
                None => from = open + 1,
            }
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Self { parts }
    }

    /// The names of its arguments.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Arg(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text before its first argument; all of it if it has none.
    pub fn start(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns true if it is always the same.
    pub fn is_fixed(&self) -> bool {
        self.names().next().is_none()
    }

    /// The element that these values make of it; none if one of them is not there.
    pub fn fill<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
        let mut filled = String::new();
        for part in &self.parts {
            filled.push_str(match part {
                Part::Text(text) => text,
                Part::Arg(name) => value(name)?,
            });
        }
        Some(filled)
    }

    /// Returns true if some values make this element of it: its own texts stand in it in order, the first at the start
    /// and the last at the end.
    pub(crate) fn could_make(&self, element: &str) -> bool {
        let Some(mut rest) = element.strip_prefix(self.start()) else {
            return false;
        };
        let middle = self.parts.get(1..).unwrap_or_default();
        for (at, part) in middle.iter().enumerate() {
            let Part::Text(text) = part else { continue };
            if at + 1 == middle.len() {
                return rest.ends_with(text.as_str());
            }
            let Some(found) = rest.find(text.as_str()) else {
                return false;
            };
            rest = &rest[found + text.len()..];
        }
        rest.is_empty() || matches!(self.parts.last(), Some(Part::Arg(_)))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Arg(name) => write!(f, "{{{{{name}}}}}"),
        })
    }
}

/// Returns true if a name can be an argument's: it must make a variable.
pub fn is_argument(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_braces_are_places() {
        let template = Template::new("--x={{ a }}:{{b}}!");
        assert_eq!(template.names().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(template.to_string(), "--x={{a}}:{{b}}!");
        let fill = |name: &str| (name != "c").then_some("{{b}}");
        assert_eq!(template.fill(fill).as_deref(), Some("--x={{b}}:{{b}}!"));
        assert_eq!(Template::new("{{c}}").fill(fill), None);
    }

    #[test]
    fn a_template_knows_what_it_could_have_made() {
        let template = Template::new("--x={{a}}:{{b}}!");
        assert!(template.could_make("--x=1:2!") && template.could_make("--x=:!"));
        for other in ["--x=1:2", "-x=1:2!", "--x=12!", "--evil"] {
            assert!(!template.could_make(other), "{other}");
        }
        assert!(Template::new("{{a}}").could_make("anything"));
        assert!(Template::new("fixed").could_make("fixed"));
        assert!(!Template::new("fixed").could_make("fixed and more"));
    }

    #[test]
    fn other_braces_are_text() {
        for text in [
            "",
            "{{.Names}}",
            "{{",
            "}}",
            "{{a",
            "{ {a}}",
            "{{a b}}",
            "{{a-b}}",
        ] {
            let template = Template::new(text);
            assert!(template.is_fixed(), "{text}");
            assert_eq!(template.fill(|_| None).as_deref(), Some(text));
        }
        assert_eq!(Template::new("{{{a}}}").to_string(), "{{{a}}}");
        assert_eq!(
            Template::new("{{.A}} {{b}}").names().collect::<Vec<_>>(),
            ["b"]
        );
    }
}
