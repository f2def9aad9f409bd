//! Texts that are easily taken for something else, in every place where a text can stand.

use serde_json::{Value, json};

use super::{
    Expected::{Refused, Sees},
    Row,
};

#[rustfmt::skip]
const NASTY: [&str; 52] = [
    "", "-", "--", "---", "-x", "-a", "-ab", "-abc", "-t", "-tVALUE", "-t=VALUE", "--value", "--value=x", "--val",
    "--val=x", "--abc", "--nope", "--help", "-h", "--version", "help", "mcp", "=", "=x", "a=b", "a,b", ",", "a;b",
    ";", "\"quoted\"", "'single'", "it's", "$HOME", "$(id)", "`id`", "a b", " lead", "trail ", "\t", "line\nbreak",
    "\n", "carriage\r", "both\r\n", "@file", "—long", "–en", "−5", "-5", "-1.5e3", "a[$(id)]", "\\", "größe 大きさ ✓",
];

/// Every text in every place.
pub(super) fn rows() -> Vec<Row> {
    NASTY.into_iter().flat_map(rows_of).collect()
}

fn rows_of(text: &str) -> Vec<Row> {
    let always = |command: &'static str, input: Value, seen: Value| Row {
        command,
        input,
        expected: Sees(seen),
    };
    let unless = |impossible: bool, why: &'static str, row: Row| {
        let expected = if impossible {
            Refused(why)
        } else {
            row.expected
        };
        Row { expected, ..row }
    };
    // The names that the program gives these arguments are those of the properties.
    let same = |command: &'static str, input: Value| always(command, input.clone(), input);
    let list = |row: Row| unless(text.contains(','), "elements without `,`", row);
    let dashed = text.len() > 1 && text.starts_with('-');
    let bare = |row: Row| unless(dashed, "does not begin with `-`", row);
    vec![
        // Attached to a flag.
        same("text", json!({"value": text})),
        always(
            "text",
            json!({"t": text, "abc": true}),
            json!({"brief": text, "abc": true}),
        ),
        same("lists", json!({"tag": [text, "b", text]})),
        list(same("lists", json!({"label": [text, "b"]}))),
        list(same("lists", json!({"csv": ["a", text]}))),
        same("optional", json!({"exact": text})),
        same("optional", json!({"color": text, "file": text})),
        same("kinds", json!({"os": text})),
        unless(
            text.is_empty(),
            "a value is required",
            same("kinds", json!({"path": text, "file": text})),
        ),
        // To a global flag of the root, whose name the bridge's own command uses too, and to one of an ancestor.
        same("kinds", json!({"output": text})),
        always(
            "deep mid leaf",
            json!({"project": text}),
            json!({"deep": {"project": text}}),
        ),
        // As elements behind a flag.
        bare(same("lists", json!({"span": [text, "b"]}))),
        bare(same("lists", json!({"pair": [["a", "b"], ["c", text]]}))),
        bare(same("greedy", json!({"many": [text, "b"], "source": "s"}))),
        same("hyphen", json!({"two": [text, text]})),
        // As positionals.
        same("text", json!({"text": text})),
        same(
            "text",
            json!({"text": "a", "more": [text, "b"], "bcd": true}),
        ),
        same("text", json!({"text": "a", "more": ["b", text, "c"]})),
        same("sandwich", json!({"sources": ["a", "b"], "target": text})),
        same("hyphen", json!({"value": text})),
        same("trailing", json!({"program": text, "words": ["b", text]})),
        same(
            "greedy-trailing",
            json!({"words": [text, "b"], "many": ["c"]}),
        ),
        same("last-only", json!({"words": [text, "b", text]})),
        same("last-one", json!({"word": text})),
        same("last-mixed", json!({"pod": "p", "words": [text]})),
        bare(same("last-mixed", json!({"pod": text, "words": ["w"]}))),
        same("choose", json!({"word": text})),
        same("infer", json!({"word": text})),
        always(
            "external",
            json!({"external_command": ["name", text]}),
            json!({"external": ["name", text]}),
        ),
        // A positional of an ancestor stands before the next word; nothing can protect it there.
        unless(
            dashed || text == "help",
            "a value that",
            always(
                "place visit",
                json!({"area": text}),
                json!({"place": {"area": text}}),
            ),
        ),
    ]
}
