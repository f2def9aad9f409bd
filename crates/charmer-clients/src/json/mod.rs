//! JSON with comments: servers in an object, edited as text at positions that the parser gives.
//!
//! `member` puts members into objects and takes them out; `text` writes them.

mod member;
pub(crate) mod text;

use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, ObjectProp, Value as Ast},
    common::Ranged,
    parse_to_ast,
};
use serde_json::{Map, Value};

use self::{
    member::{SOLE, Sole, Taken, clear, insert, is_one_line, line_rest, member_indent, take},
    text::{Member, whole, wrapped},
};
use crate::{
    layout::{FileLayout, indentation, leading_newline, trailing_newline},
    place::{Addition, Mistake, Remainder, ServersPlace, splice},
};

/// The servers of a text, by name.
pub(crate) fn entries(text: &str, place: &ServersPlace) -> Result<Vec<(String, Value)>, Mistake> {
    let Some(root) = root(text)? else {
        return Ok(Vec::new());
    };
    let Some(holder) = holder(text, &root, place)? else {
        return Ok(Vec::new());
    };
    Ok(holder
        .object
        .properties
        .iter()
        .map(|server| (server.name.as_str().to_owned(), value(&server.value)))
        .collect())
}

/// A text with one more server, or another one under its name.
pub(crate) fn add(
    text: Option<&str>,
    place: &ServersPlace,
    addition: &Addition<'_>,
) -> Result<String, Mistake> {
    let mut first = None;
    for sole in SOLE {
        let after = add_as(text, place, addition, sole)?;
        let before = text.map_or(Remainder::Nothing, |text| Remainder::Text(text.to_owned()));
        if remove(&after, place, addition.name).ok() == Some(before) {
            return Ok(after);
        }
        // The entry is there already and has its value replaced, which cannot be undone.
        first.get_or_insert(after);
    }
    Ok(first.expect("there are layouts"))
}

fn add_as(
    text: Option<&str>,
    place: &ServersPlace,
    addition: &Addition<'_>,
    sole: Sole,
) -> Result<String, Mistake> {
    let layout = FileLayout::of(text.unwrap_or_default());
    let entry = Member {
        name: addition.name,
        value: addition.fields,
    };
    let Some(text) = text else {
        let newline = layout.newline;
        return Ok(whole(place, &entry, &layout) + newline);
    };
    let Some(root) = root(text)? else {
        let whole = whole(place, &entry, &layout);
        // Space alone goes before it as it is; the text after a comment starts a line.
        return Ok(
            if text.trim().is_empty() || trailing_newline(text).is_some() {
                format!("{text}{whole}")
            } else {
                format!("{text}{0}{whole}{0}", layout.newline)
            },
        );
    };
    let inline =
        !text[root.range.start..root.range.end].contains('\n') && !root.properties.is_empty();
    let changes = match holder(text, &root, place)? {
        None => {
            let one_line = inline || is_one_line(text, &root);
            let indent = member_indent(text, &root, &layout);
            let member = wrapped(place.key, &entry, &indent, &layout, one_line);
            insert(text, &root, &member, &layout, sole)
        }
        Some(JsonServers { object, .. }) => {
            let one_line = inline || is_one_line(text, object);
            match last(object, addition.name) {
                Some(server) => {
                    let indent = indentation(text, server.range.start).to_owned();
                    let range = server.value.range();
                    let value = entry.value_text(&indent, &layout, one_line);
                    vec![(range.start..range.end, value)]
                }
                None => {
                    let indent = member_indent(text, object, &layout);
                    let member = entry.text(&indent, &layout, one_line);
                    // Braces in a text of one line stay there.
                    let sole = match sole {
                        Sole::Plain | Sole::LineAfter | Sole::LineBefore if inline => Sole::Tight,
                        sole => sole,
                    };
                    insert(text, object, &member, &layout, sole)
                }
            }
        }
    };
    Ok(splice(text, changes))
}

/// A text without a server.
pub(crate) fn remove(text: &str, place: &ServersPlace, name: &str) -> Result<Remainder, Mistake> {
    Remainder::of_all(text, |text| remove_last(text, place, name))
}

fn remove_last(text: &str, place: &ServersPlace, name: &str) -> Result<Remainder, Mistake> {
    let Some(root) = root(text)? else {
        return Ok(Remainder::Same);
    };
    let Some(holder) = holder(text, &root, place)? else {
        return Ok(Remainder::Same);
    };
    let Some(server) = last(holder.object, name) else {
        return Ok(Remainder::Same);
    };
    let changes = match take(text, holder.object, server) {
        Taken::Changes(changes) => changes,
        Taken::AllOfIt => match holder.property {
            None => vec![clear(holder.object)],
            Some(property) => match take(text, &root, property) {
                Taken::Changes(changes) => changes,
                Taken::AllOfIt => return Ok(without_root(text, &root)),
            },
        },
    };
    Ok(Remainder::Text(splice(text, changes)))
}

/// Returns the rest of a text whose root came with the entry.
fn without_root(text: &str, root: &Object<'_>) -> Remainder {
    let before = &text[..root.range.start];
    let after = &text[root.range.end..];
    let is_newline = leading_newline(after) == Some(after.len());
    match trailing_newline(before) {
        _ if before.is_empty() && is_newline => Remainder::Nothing,
        _ if after.is_empty() => Remainder::Text(before.to_owned()),
        Some(length) if is_newline => Remainder::Text(before[..before.len() - length].to_owned()),
        _ => Remainder::Text(splice(text, vec![clear(root)])),
    }
}

/// The object that holds the servers, and the property at the top of the file that may have come with it.
struct JsonServers<'a, 'text> {
    object: &'a Object<'text>,
    property: Option<&'a ObjectProp<'text>>,
}

fn holder<'a, 'text>(
    text: &str,
    root: &'a Object<'text>,
    place: &ServersPlace,
) -> Result<Option<JsonServers<'a, 'text>>, Mistake> {
    let Some(property) = last(root, place.key) else {
        return Ok(None);
    };
    let object = as_object(text, property, place.key)?;
    let inner = place
        .inner
        .and_then(|key| last(object, key))
        .and_then(|inner| {
            // A server of this name has fields of its own; a list of servers has nothing but objects.
            let object = inner.value.as_object()?;
            let servers = |member: &ObjectProp<'_>| member.value.as_object().is_some();
            object.properties.iter().all(servers).then_some(object)
        });
    Ok(Some(match inner {
        Some(object) => JsonServers {
            object,
            property: None,
        },
        None => JsonServers {
            object,
            property: Some(property),
        },
    }))
}

fn as_object<'a, 'text>(
    text: &str,
    property: &'a ObjectProp<'text>,
    key: &str,
) -> Result<&'a Object<'text>, Mistake> {
    property.value.as_object().ok_or_else(|| {
        let range = property.value.range();
        let end = range.start + line_rest(&text[range.start..range.end]);
        Mistake::shape(
            format!(
                "`{key}` must be an object with a server under each name, and this is {}",
                kind(&property.value)
            ),
            range.start..end,
        )
    })
}

/// The last member of a name, which is the one that counts.
fn last<'a, 'text>(object: &'a Object<'text>, name: &str) -> Option<&'a ObjectProp<'text>> {
    let mut members = object.properties.iter().rev();
    members.find(|member| member.name.as_str() == name)
}

/// The object that a text is, if it is not empty.
fn root(text: &str) -> Result<Option<Object<'_>>, Mistake> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let range = error.range();
        let message = error.kind().to_string();
        Mistake::unreadable(lower(&message), range.start..range.end)
    })?;
    match parsed.value {
        None => Ok(None),
        Some(Ast::Object(object)) => Ok(Some(object)),
        Some(other) => {
            let range = other.range();
            let end = range.start + line_rest(&text[range.start..range.end]);
            Err(Mistake::shape(
                format!("the file must hold an object, and this is {}", kind(&other)),
                range.start..end,
            ))
        }
    }
}

/// A message as a fragment.
pub(crate) fn lower(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn kind(value: &Ast<'_>) -> &'static str {
    match value {
        Ast::StringLit(_) => "a text",
        Ast::NumberLit(_) => "a number",
        Ast::BooleanLit(_) => "true or false",
        Ast::Object(_) => "an object",
        Ast::Array(_) => "a list",
        Ast::NullKeyword(_) => "null",
    }
}

/// A value without its positions. Of several members of one name the last one counts.
fn value(ast: &Ast<'_>) -> Value {
    match ast {
        Ast::StringLit(text) => Value::from(text.value.as_ref()),
        Ast::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        Ast::BooleanLit(truth) => Value::from(truth.value),
        Ast::Object(object) => object
            .properties
            .iter()
            .map(|member| (member.name.as_str().to_owned(), value(&member.value)))
            .collect::<Map<_, _>>()
            .into(),
        Ast::Array(list) => list.elements.iter().map(value).collect(),
        Ast::NullKeyword(_) => Value::Null,
    }
}
