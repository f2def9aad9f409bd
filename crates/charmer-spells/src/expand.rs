//! `${NAME}` in values, after the file has been parsed: what a variable holds is never read as YAML or split.
//!
//! `$${NAME}` stands for the text `${NAME}`. A `$` in front of anything else is a `$`.

use charmer_config::reading::{Node, Problems};
use charmer_run::process::Environment;

/// A mistake in a reference, and the reference as it stands in the text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    pub(crate) reference: String,
    pub(crate) message: String,
}

/// Replaces every reference.
pub(crate) fn expand(text: &str, variables: Option<&Environment>) -> Result<String, Bad> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(kept) = before.strip_suffix('$') {
            expanded.push_str(kept);
            expanded.push_str("${");
            rest = &from[2..];
            continue;
        }
        expanded.push_str(before);
        let bad = |reference: &str, message: String| Bad {
            reference: reference.to_owned(),
            message,
        };
        let Some(end) = from.find('}') else {
            return Err(bad("${", "`${` has no `}`".into()));
        };
        let (reference, name) = (&from[..=end], &from[2..end]);
        if !is_variable(name) {
            let message = format!("`{}` is no name of a variable", name.escape_debug());
            return Err(bad(reference, message));
        }
        match variables.and_then(|variables| variables.get(name)) {
            Some(value) => match value.to_str() {
                Some(value) => expanded.push_str(value),
                None => return Err(bad(reference, format!("the variable `{name}` is no text"))),
            },
            None => return Err(bad(reference, format!("the variable `{name}` is not set"))),
        }
        rest = &from[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Replaces every reference in what a node says; `text` is that, or a part of it.
pub(crate) fn expand_node(
    text: &str,
    node: &Node,
    variables: Option<&Environment>,
    problems: &mut Problems<'_>,
) -> Option<String> {
    match expand(text, variables) {
        Ok(expanded) if expanded.contains('\0') => None,
        Ok(expanded) => Some(expanded),
        Err(bad) => {
            let source = &problems.text()[node.span.clone()];
            let span = source.find(&bad.reference).map_or(node.span.clone(), |at| {
                node.span.start + at..node.span.start + at + bad.reference.len()
            });
            problems.add(span, bad.message).hint(
                "set it before the server starts, or write `$${...}` if the program is to see `${...}`",
            );
            None
        }
    }
}

/// Returns true if a name is one that a shell would take for a variable.
pub(crate) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, String> {
        let mut variables = Environment::empty();
        variables.set("HOME", "/home/a b");
        variables.set("EMPTY", "");
        variables.set("NESTED", "${HOME}");
        expand(text, Some(&variables)).map_err(|bad| bad.message)
    }

    #[test]
    fn references_are_replaced_once() {
        assert_eq!(expanded("${HOME}/x").as_deref(), Ok("/home/a b/x"));
        assert_eq!(expanded("[${EMPTY}]").as_deref(), Ok("[]"));
        assert_eq!(expanded("${NESTED}").as_deref(), Ok("${HOME}"));
        assert_eq!(
            expanded("$HOME $ $$ %HOME%").as_deref(),
            Ok("$HOME $ $$ %HOME%")
        );
        assert_eq!(expanded("$${HOME}").as_deref(), Ok("${HOME}"));
    }

    #[test]
    fn what_cannot_be_replaced_is_said() {
        assert!(expanded("${MISSING}").is_err_and(|error| error.contains("not set")));
        assert!(expanded("${a-b}").is_err_and(|error| error.contains("no name")));
        assert!(expanded("${HOME").is_err_and(|error| error.contains("no `}`")));
    }
}
