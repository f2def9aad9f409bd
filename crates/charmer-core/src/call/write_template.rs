//! Writing a command line that an author wrote out: its words, what the caller adds, what asks for JSON, and the elements
//! filled in from the arguments.

use crate::{
    model::ValueType,
    output::chooses_look,
    tool::{CommandTemplate, Input, Part, PositionalProperty, Template},
};

use super::{
    argv::{Argv, ElementKind},
    bind::Bound,
    violation::Violation,
};

pub(super) fn write_template(
    input: &Input,
    template: &CommandTemplate,
    bound: &Bound,
) -> Result<Argv, Vec<Violation>> {
    let mut filled = Vec::new();
    let mut wrong = Vec::new();
    for element in &template.elements {
        match fill(input, element, bound) {
            Ok(element) => filled.extend(element),
            Err(mut violations) => wrong.append(&mut violations),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut argv = Argv::default();
    for word in &template.words {
        argv.push(word.as_str(), ElementKind::Word);
    }
    for element in &bound.added {
        argv.push(element.as_str(), ElementKind::Added);
    }
    let mut chosen = bound
        .added
        .iter()
        .chain(filled.iter().map(|(text, _)| text));
    if !chosen.any(|element| chooses(template, element)) {
        for word in &template.json {
            argv.push(word.as_str(), ElementKind::Word);
        }
    }
    for (element, authors) in &filled {
        argv.push_value(element, ElementKind::Filled, *authors);
    }
    Ok(argv)
}

/// The text that a template makes the program read from its standard input.
pub(super) fn stdin(input: &Input, template: &CommandTemplate, bound: &Bound) -> Option<String> {
    let text = template.stdin.as_ref()?;
    text.fill(|name| value_of(input, bound, name).map(|(_, value)| value))
}

/// Returns true if an element chooses how the output looks: with a flag that programs have for that, or with the one
/// that asks for JSON here.
fn chooses(template: &CommandTemplate, element: &str) -> bool {
    fn name(element: &str) -> Option<&str> {
        element.split('=').next()
    }
    let mut own = template.json.iter().filter(|word| word.starts_with('-'));
    chooses_look(element) || own.any(|own| name(own) == name(element))
}

/// The element that a template becomes, and whether its start is the author's even if an argument stands there; `None`
/// if an argument was not given. No value may make an option of it.
fn fill(
    input: &Input,
    template: &Template,
    bound: &Bound,
) -> Result<Option<(String, bool)>, Vec<Violation>> {
    let mut wrong = Vec::new();
    let mut authors = !template.start().is_empty();
    for name in template.names() {
        let Some((property, value)) = value_of(input, bound, name) else {
            continue;
        };
        let chosen = property.is_authors(value);
        authors |= chosen;
        // A number behind `--offset=` may be negative, and what the author lists is the author's.
        let is_number = matches!(
            property.positional.value_type,
            ValueType::Integer { .. } | ValueType::Number
        );
        let leads = matches!(template.parts.first(), Some(Part::Arg(_)))
            || matches!(template.start(), "-" | "--");
        if value.starts_with('-') && !chosen && (leads || !is_number) {
            wrong.push(
                Violation::new(name, "a value that does not begin with `-`")
                    .hint("the program would take it for an option"),
            );
        }
    }
    let value = |name: &str| value_of(input, bound, name).map(|(_, value)| value);
    let Some(element) = template.fill(value) else {
        return if wrong.is_empty() {
            Ok(None)
        } else {
            Err(wrong)
        };
    };
    // Values that are empty must not let the next one begin the element.
    if element.starts_with('-') && !authors && wrong.is_empty() {
        let name = template.names().next().unwrap_or_default();
        let expected = "an element that does not begin with `-`";
        wrong.push(Violation::new(name, expected));
    }
    match wrong.is_empty() {
        true => Ok(Some((element, authors))),
        false => Err(wrong),
    }
}

fn value_of<'b>(
    input: &'b Input,
    bound: &'b Bound,
    name: &str,
) -> Option<(&'b PositionalProperty, &'b str)> {
    let mut given = bound.positionals.iter();
    given.find_map(|(at, values)| {
        let property = input.positionals.get(*at)?;
        let value = values.first().filter(|_| property.key == name)?;
        Some((property, value.as_str()))
    })
}
