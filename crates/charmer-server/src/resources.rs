//! Resources: a help page for each tool, the index of the tools, and outputs that were cut.

use charmer_core::{
    text::shorten,
    tool::{effect_words, help_page},
};
use charmer_run::{CallError, OutputQuery, SEARCHES_OUTPUT, Spool};
use serde_json::{Value, json};

use crate::{pages_and_prompts::PagesAndPrompts, protocol::RpcError, uri};

/// The templates that `completion/complete` knows.
pub(crate) const HELP_TEMPLATE: &str = "help://{program}/{+path}";
pub(crate) const SPOOL_TEMPLATE: &str = match SEARCHES_OUTPUT {
    true => "spool://{id}{?offset,length,grep}",
    false => "spool://{id}{?offset,length}",
};

const MARKDOWN: &str = "text/markdown";
const ABOUT: usize = 120;

/// The resources as `resources/list` shows them.
pub(crate) fn list(pages_and_prompts: &PagesAndPrompts) -> Vec<Value> {
    let index = json!({
        "uri": uri::INDEX,
        "name": "tools",
        "title": "All tools",
        "description": "The names of all tools, with a line on each and what it does to the world",
        "mimeType": MARKDOWN,
    });
    let pages = pages_and_prompts
        .pages()
        .iter()
        .zip(&pages_and_prompts.tools)
        .map(|(uri, tool)| {
            let about = tool.help.text.as_deref().unwrap_or(&tool.description);
            json!({
                "uri": uri,
                "name": tool.words(),
                "title": format!("Help of {}", tool.words()),
                "description": first_line(about, ABOUT),
                "mimeType": MARKDOWN,
            })
        });
    std::iter::once(index).chain(pages).collect()
}

/// The templates of resources.
pub(crate) fn templates(spool: Option<&Spool>) -> Vec<Value> {
    let help = json!({
        "uriTemplate": HELP_TEMPLATE,
        "name": "help",
        "title": "Help of a command",
        "description": "What a served command does, its arguments and examples; `path` is like `container/run`",
        "mimeType": MARKDOWN,
    });
    let searched = match SEARCHES_OUTPUT {
        true => ", or the lines that match the regular expression `grep`",
        false => "",
    };
    let output = json!({
        "uriTemplate": SPOOL_TEMPLATE,
        "name": "output",
        "title": "Output that was cut",
        "description": format!(
            "More of an output that was cut in a result, which names its id: `length` bytes from `offset`{searched}"
        ),
        "mimeType": "text/plain",
    });
    std::iter::once(help).chain(spool.map(|_| output)).collect()
}

/// The query for a part of an output, if the address is one of an output.
pub(crate) fn output_query(uri: &str) -> Option<Result<OutputQuery, RpcError>> {
    let (id, parameters) = uri::spool(uri)?;
    let mut query = OutputQuery::new(id);
    for (key, value) in parameters {
        let number = || {
            value.parse().map_err(|_| {
                let message = format!("`{key}` must be a number of bytes, not {value:?}");
                RpcError::invalid_params(message)
            })
        };
        query = match key.as_str() {
            "offset" | "length" => match (number(), key.as_str()) {
                (Ok(bytes), "offset") => query.offset(bytes),
                (Ok(bytes), _) => query.length(bytes),
                (Err(error), _) => return Some(Err(error)),
            },
            "grep" if SEARCHES_OUTPUT => query.search(value),
            _ => {
                let known = match SEARCHES_OUTPUT {
                    true => "`offset`, `length` and `grep`",
                    false => "`offset` and `length`",
                };
                let message = format!("unknown parameter `{key}`; there are {known}");
                return Some(Err(RpcError::invalid_params(message)));
            }
        };
    }
    Some(Ok(query))
}

/// An output, or why it cannot be read.
pub(crate) fn output(uri: &str, read: Result<String, CallError>) -> Result<Value, RpcError> {
    match read {
        Ok(text) => Ok(contents(uri, text, "text/plain")),
        Err(error) => {
            let hint = error
                .hint
                .map_or_else(String::new, |hint| format!("; {hint}"));
            let message = format!("{}{hint}", error.message);
            Err(RpcError::invalid_params(message).data(json!({ "uri": uri })))
        }
    }
}

/// A page or the index; only what is in the list can be read.
pub(crate) fn read(pages_and_prompts: &PagesAndPrompts, uri: &str) -> Result<Value, RpcError> {
    if uri == uri::INDEX {
        return Ok(contents(uri, index(pages_and_prompts), MARKDOWN));
    }
    match pages_and_prompts.page(uri) {
        Some(tool) => Ok(contents(uri, help_page(tool), MARKDOWN)),
        None => Err(not_found(uri)),
    }
}

/// There is no resource at this address, in either era.
pub(crate) fn not_found(uri: &str) -> RpcError {
    let message = format!(
        "there is no resource `{uri}`; `{}` lists the tools",
        uri::INDEX
    );
    RpcError::invalid_params(message).data(json!({ "uri": uri }))
}

fn contents(uri: &str, text: String, mime_type: &str) -> Value {
    json!({"uri": uri, "mimeType": mime_type, "text": text})
}

fn index(pages_and_prompts: &PagesAndPrompts) -> String {
    let mut index = format!("# {} tools\n\n", pages_and_prompts.tools.len());
    for tool in &pages_and_prompts.tools {
        let about = first_line(
            tool.help.text.as_deref().unwrap_or(&tool.description),
            ABOUT,
        );
        let line = format!(
            "- `{}` ({}): {about}\n",
            tool.name,
            effect_words(tool.help.effect)
        );
        index.push_str(&line);
    }
    index
}

/// The first line of a text.
pub(crate) fn first_line(text: &str, limit: usize) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    shorten(line.trim(), limit)
}
