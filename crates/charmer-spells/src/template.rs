//! Text with places for arguments: `--name={{name}}`. One template becomes one element, never two.

use std::fmt;

/// Text with places for arguments. Only a name in double braces is one: `{{.Names}}` is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub(crate) parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Arg(String),
}

impl Template {
    /// Reads a template.
    pub(crate) fn new(text: &str) -> Self {
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
    pub(crate) fn start(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether it is always the same.
    pub(crate) fn is_fixed(&self) -> bool {
        self.names().next().is_none()
    }

    /// The element that these values make of it; none if one of them is not there.
    pub(crate) fn fill<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
        let mut filled = String::new();
        for part in &self.parts {
            filled.push_str(match part {
                Part::Text(text) => text,
                Part::Arg(name) => value(name)?,
            });
        }
        Some(filled)
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

/// Whether a name can be an argument's: it must make a variable.
pub(crate) fn is_argument(name: &str) -> bool {
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
