//! The keys that arguments are put into: the elements of `argv`, and `stdin`.

use std::ops::Range;

use charmer_config::reading::{Fields, Node, Problems};
use charmer_core::{
    text::nearest,
    tool::{Part, Template},
};

use crate::{
    expand::expand_node,
    parse::list,
    spell::{Arg, Context},
};

/// The elements of `argv`, and where each stands.
pub(crate) fn argv(
    fields: &Fields<'_>,
    known: &[Arg],
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> (Vec<Template>, Vec<Range<usize>>) {
    let read = list(fields, "argv", problems, |node, problems| {
        let template = template(node, "argv", known, context, problems)?;
        let start = template.start();
        let names_option = start == "-" || start.starts_with("--") && !start.contains('=');
        let free = |name: &&str| known.iter().any(|arg| arg.name == **name && arg.is_free());
        // `-{{x}}` lets a caller choose the option, and `--up{{x}}` its end; `--x={{y}}` and `-x{{y}}` only its value.
        if names_option && let Some(name) = template.names().find(free) {
            problems
                .add(
                    node.span.clone(),
                    format!("`{name}` would be the name of an option"),
                )
                .hint("give it an `enum`, or write the option out");
            return None;
        }
        Some((template, node.span.clone()))
    });
    read.into_iter().unzip()
}

/// Text with places for declared arguments.
pub(crate) fn template(
    node: &Node,
    what: &str,
    known: &[Arg],
    context: &Context<'_>,
    problems: &mut Problems<'_>,
) -> Option<Template> {
    let text = problems.text_of(node, what)?;
    let mut template = Template::new(&text);
    for name in template.names() {
        let arg = known.iter().find(|arg| arg.name == name);
        match arg {
            None => {
                let near = nearest(name, known.iter().map(|arg| arg.name.as_str()));
                let hint = near.map_or_else(
                    || format!("add `- name: {name}` to `args`"),
                    |near| format!("did you mean `{near}`?"),
                );
                problems
                    .add(
                        node.span.clone(),
                        format!("the argument `{name}` is not declared"),
                    )
                    .hint(hint);
                return None;
            }
            Some(arg) if !arg.kind.is_simple() => {
                problems
                    .add(node.span.clone(), format!("`{name}` is not one value"))
                    .hint(format!(
                        "a list or an object is in the variable `{}`",
                        arg.variable()
                    ));
                return None;
            }
            Some(_) => {}
        }
    }
    for part in &mut template.parts {
        if let Part::Text(text) = part {
            *text = expand_node(text, node, context.variables, problems)?;
        }
    }
    Some(template)
}
