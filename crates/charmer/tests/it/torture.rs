//! The torture CLI over MCP: a program sees exactly what was meant, or the call is refused with a reason.
//!
//! The table is written for the flat layout; a second server takes the same rows in the nested one.

use std::{collections::HashMap, process::Command};

use charmer::Bridge;
use serde_json::{Map, Value, json};

use crate::client::{Client, example};

/// What must come of a call.
enum Expected {
    /// The program runs and prints this, beside its command.
    Sees(Value),
    /// It does not run, and the reason holds this text.
    Refused(&'static str),
}

use Expected::{Refused, Sees};

struct Row {
    command: &'static str,
    input: Value,
    expected: Expected,
    /// Whether the nested layout cannot say the same.
    flat_only: bool,
}

fn row(command: &'static str, input: Value, expected: Expected) -> Row {
    Row {
        command,
        input,
        expected,
        flat_only: false,
    }
}

fn flat_only(command: &'static str, input: Value, expected: Expected) -> Row {
    Row {
        flat_only: true,
        ..row(command, input, expected)
    }
}

/// Texts that someone, somewhere takes for something else.
const NASTY: [&str; 52] = [
    "",
    "-",
    "--",
    "---",
    "-x",
    "-a",
    "-ab",
    "-abc",
    "-t",
    "-tVALUE",
    "-t=VALUE",
    "--value",
    "--value=x",
    "--val",
    "--val=x",
    "--abc",
    "--nope",
    "--help",
    "-h",
    "--version",
    "help",
    "mcp",
    "=",
    "=x",
    "a=b",
    "a,b",
    ",",
    "a;b",
    ";",
    "\"quoted\"",
    "'single'",
    "it's",
    "$HOME",
    "$(id)",
    "`id`",
    "a b",
    " lead",
    "trail ",
    "\t",
    "line\nbreak",
    "\n",
    "carriage\r",
    "both\r\n",
    "@file",
    "—long",
    "–en",
    "−5",
    "-5",
    "-1.5e3",
    "a[$(id)]",
    "\\",
    "größe 大きさ ✓",
];

fn looks_like_flag(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

/// Every nasty text in every place where a text can stand.
fn nasty() -> Vec<Row> {
    let mut rows = Vec::new();
    for text in NASTY {
        let unless = |refused: bool, why: &'static str, seen: Value| {
            if refused { Refused(why) } else { Sees(seen) }
        };
        let comma = text.contains(',');
        let dashed = looks_like_flag(text);
        rows.extend([
            // Attached to a flag, long and short.
            row("text", json!({"value": text}), Sees(json!({"value": text}))),
            row(
                "text",
                json!({"t": text, "abc": true}),
                Sees(json!({"brief": text, "abc": true})),
            ),
            row(
                "lists",
                json!({"tag": [text, "b", text]}),
                Sees(json!({"tag": [text, "b", text]})),
            ),
            row(
                "lists",
                json!({"label": [text, "b"]}),
                unless(comma, "elements without `,`", json!({"label": [text, "b"]})),
            ),
            row(
                "lists",
                json!({"csv": ["a", text]}),
                unless(comma, "elements without `,`", json!({"csv": ["a", text]})),
            ),
            row(
                "optional",
                json!({"exact": text}),
                Sees(json!({"exact": text})),
            ),
            row(
                "optional",
                json!({"color": text, "file": text}),
                Sees(json!({"color": text, "file": text})),
            ),
            // A global flag of the root, whose name the bridge's own command uses too.
            row(
                "kinds",
                json!({"output": text}),
                Sees(json!({"output": text})),
            ),
            row("kinds", json!({"os": text}), Sees(json!({"os": text}))),
            row(
                "kinds",
                json!({"path": text, "file": text}),
                unless(
                    text.is_empty(),
                    "a value is required",
                    json!({"path": text, "file": text}),
                ),
            ),
            row(
                "text",
                json!({"text": "a", "more": ["b", text, "c"]}),
                Sees(json!({"text": "a", "more": ["b", text, "c"]})),
            ),
            row(
                "sandwich",
                json!({"sources": ["a", "b"], "target": text}),
                Sees(json!({"sources": ["a", "b"], "target": text})),
            ),
            // A flag of an ancestor.
            row(
                "deep mid leaf",
                json!({"project": text}),
                Sees(json!({"deep": {"project": text}})),
            ),
            // As elements of their own.
            row(
                "lists",
                json!({"span": [text, "b"]}),
                unless(
                    dashed,
                    "does not begin with `-`",
                    json!({"span": [text, "b"]}),
                ),
            ),
            row(
                "lists",
                json!({"pair": [["a", "b"], ["c", text]]}),
                unless(
                    dashed,
                    "does not begin with `-`",
                    json!({"pair": [["a", "b"], ["c", text]]}),
                ),
            ),
            row(
                "hyphen",
                json!({"two": [text, text]}),
                Sees(json!({"two": [text, text]})),
            ),
            row(
                "greedy",
                json!({"many": [text, "b"], "source": "s"}),
                unless(
                    dashed,
                    "does not begin with `-`",
                    json!({"many": [text, "b"], "source": "s"}),
                ),
            ),
            // Positionals.
            row("text", json!({"text": text}), Sees(json!({"text": text}))),
            row(
                "text",
                json!({"text": "a", "more": [text, "b"], "bcd": true}),
                Sees(json!({"text": "a", "more": [text, "b"], "bcd": true})),
            ),
            row(
                "hyphen",
                json!({"value": text}),
                Sees(json!({"value": text})),
            ),
            row(
                "trailing",
                json!({"program": text, "words": ["b", text]}),
                Sees(json!({"program": text, "words": ["b", text]})),
            ),
            row(
                "greedy-trailing",
                json!({"words": [text, "b"], "many": ["c"]}),
                Sees(json!({"words": [text, "b"], "many": ["c"]})),
            ),
            row(
                "last-only",
                json!({"words": [text, "b", text]}),
                Sees(json!({"words": [text, "b", text]})),
            ),
            row(
                "last-mixed",
                json!({"pod": "p", "words": [text]}),
                Sees(json!({"pod": "p", "words": [text]})),
            ),
            row(
                "last-mixed",
                json!({"pod": text, "words": ["w"]}),
                unless(
                    dashed,
                    "does not begin with `-`",
                    json!({"pod": text, "words": ["w"]}),
                ),
            ),
            row("choose", json!({"word": text}), Sees(json!({"word": text}))),
            row("infer", json!({"word": text}), Sees(json!({"word": text}))),
            row(
                "external",
                json!({"external_command": ["name", text]}),
                Sees(json!({"external": ["name", text]})),
            ),
            // A positional of an ancestor stands before the next word; nothing can protect it there.
            row(
                "place visit",
                json!({"area": text}),
                unless(
                    dashed || text == "help",
                    "a value that",
                    json!({"place": {"area": text}}),
                ),
            ),
        ]);
    }
    rows
}

fn flags_and_values() -> Vec<Row> {
    vec![
        row("flags", json!({}), Sees(json!({}))),
        row(
            "flags",
            json!({"dry-run": true}),
            Sees(json!({"dry_run": true})),
        ),
        row(
            "flags",
            json!({"dry-run": false, "x": false, "no-cache": false, "verbose": 0, "j": null}),
            Sees(json!({})),
        ),
        row(
            "flags",
            json!({"dry_run": true}),
            Refused("did you mean `dry-run`?"),
        ),
        row(
            "flags",
            json!({"dry-run": "true"}),
            Refused("true or false"),
        ),
        row("flags", json!({"dry-run": 1}), Refused("true or false")),
        row(
            "flags",
            json!({"__proto__": 1}),
            Refused("a known property"),
        ),
        row("flags", json!({"j": 4}), Sees(json!({"jobs": 4}))),
        row("flags", json!({"j": 4.0}), Sees(json!({"jobs": 4}))),
        row(
            "flags",
            json!({"j": 4.5}),
            Refused("an integer from 0 to 4294967295"),
        ),
        row(
            "flags",
            json!({"j": -4}),
            Refused("an integer from 0 to 4294967295"),
        ),
        row(
            "flags",
            json!({"j": "4; id"}),
            Refused("an integer from 0 to 4294967295"),
        ),
        row("flags", json!({"jobs": 4}), Refused("a known property")),
        row(
            "flags",
            json!({"x": true, "T": 3}),
            Sees(json!({"extract": true, "trace": 3})),
        ),
        row(
            "flags",
            json!({"new-name": "n"}),
            Sees(json!({"original": "n"})),
        ),
        row(
            "flags",
            json!({"original": "n"}),
            Refused("a known property"),
        ),
        row(
            "flags",
            json!({"colour": "red"}),
            Sees(json!({"colour": "red"})),
        ),
        row(
            "flags",
            json!({"color": "red"}),
            Refused("did you mean `colour`?"),
        ),
        row(
            "flags",
            json!({"no-cache": true}),
            Sees(json!({"cache": false})),
        ),
        row(
            "flags",
            json!({"strict": true}),
            Sees(json!({"strict": true})),
        ),
        row(
            "flags",
            json!({"strict": false}),
            Sees(json!({"strict": false})),
        ),
        row("flags", json!({"strict": "yes"}), Refused("true or false")),
        row("flags", json!({"verbose": 1}), Sees(json!({"verbose": 1}))),
        row(
            "flags",
            json!({"verbose": 255}),
            Sees(json!({"verbose": 255})),
        ),
        row(
            "flags",
            json!({"verbose": 256}),
            Refused("an integer from 0 to 255"),
        ),
        row(
            "flags",
            json!({"verbose": -1}),
            Refused("an integer from 0 to 255"),
        ),
        row(
            "flags",
            json!({"verbose": true}),
            Refused("an integer from 0 to 255"),
        ),
        row("flags", json!({"effort": 1}), Sees(json!({"effort": 1}))),
        row(
            "flags",
            json!({"effort": 0}),
            Refused("at least 1, or nothing for the default"),
        ),
        row(
            "flags",
            json!({"checks": true}),
            Sees(json!({"checks": true})),
        ),
        row(
            "flags",
            json!({"checks": false}),
            Refused("no way to turn it off"),
        ),
        row(
            "flags",
            json!({"preset": true}),
            Sees(json!({"preset": "standard"})),
        ),
        row(
            "flags",
            json!({"preset": "other"}),
            Refused("true or false"),
        ),
        row("lists", json!({"tag": []}), Sees(json!({}))),
        row(
            "lists",
            json!({"tag": "a"}),
            Refused("an array, each element a string"),
        ),
        row("lists", json!({"tag": ["a", 1]}), Refused("tag[1]")),
        row(
            "lists",
            json!({"tag": ["a,b"], "label": ["a", "b"], "csv": ["c", "d"]}),
            Sees(json!({"tag": ["a,b"], "label": ["a", "b"], "csv": ["c", "d"]})),
        ),
        row("lists", json!({"csv": [""]}), Sees(json!({"csv": [""]}))),
        row(
            "lists",
            json!({"csv": ["", ""]}),
            Sees(json!({"csv": ["", ""]})),
        ),
        row(
            "lists",
            json!({"p": [1, 65535]}),
            Sees(json!({"ports": [1, 65535]})),
        ),
        row("lists", json!({"p": [1, 65536]}), Refused("p[1]")),
        row("lists", json!({"span": ["a"]}), Refused("2 values")),
        row(
            "lists",
            json!({"span": ["a", "b", "c"]}),
            Refused("2 values"),
        ),
        row(
            "lists",
            json!({"span": ["a", "-"]}),
            Sees(json!({"span": ["a", "-"]})),
        ),
        row(
            "lists",
            json!({"point": [-1.5, 2]}),
            Sees(json!({"point": [-1.5, 2.0]})),
        ),
        row(
            "lists",
            json!({"point": [-1e21, -0.0]}),
            Sees(json!({"point": [-1e21, -0.0]})),
        ),
        row(
            "lists",
            json!({"pair": [["a", "b"]]}),
            Sees(json!({"pair": [["a", "b"]]})),
        ),
        row("lists", json!({"pair": ["a", "b"]}), Refused("pair[0]")),
        row(
            "lists",
            json!({"pair": [["a", "b"], ["c"]]}),
            Refused("pair[1]"),
        ),
        row(
            "lists",
            json!({"cells": ["a", "b"]}),
            Sees(json!({"cells": ["a", "b"]})),
        ),
        row("lists", json!({"cells": ["a,b", "c"]}), Refused("cells")),
        row(
            "lists",
            json!({"some": ["a", "b"], "tag": ["c"]}),
            Sees(json!({"some": ["a", "b"], "tag": ["c"]})),
        ),
        row(
            "lists",
            json!({"some": ["a", "b", "c"]}),
            Sees(json!({"some": ["a", "b", "c"]})),
        ),
        row(
            "lists",
            json!({"some": ["a"]}),
            Refused("between 2 and 3 values"),
        ),
        row(
            "lists",
            json!({"loose": ["a", "", "-x"]}),
            Sees(json!({"loose": ["a", "", "-x"]})),
        ),
        row(
            "optional",
            json!({"color": "always"}),
            Sees(json!({"color": "always"})),
        ),
        row(
            "optional",
            json!({"color": "never", "file": "f"}),
            Sees(json!({"color": "never", "file": "f"})),
        ),
        row(
            "optional",
            json!({"maybe": ""}),
            Sees(json!({"maybe": null})),
        ),
        row(
            "optional",
            json!({"maybe": "", "file": "f"}),
            Sees(json!({"maybe": null, "file": "f"})),
        ),
        row(
            "optional",
            json!({"maybe": "", "file": "-f"}),
            Sees(json!({"maybe": null, "file": "-f"})),
        ),
        row(
            "optional",
            json!({"maybe": "", "exact": "e", "file": "f"}),
            Sees(json!({"maybe": null, "exact": "e", "file": "f"})),
        ),
        row(
            "optional",
            json!({"maybe": "-x"}),
            Sees(json!({"maybe": "-x"})),
        ),
        row("optional", json!({"level": 3}), Sees(json!({"level": 3}))),
        row(
            "optional",
            json!({"level": "", "file": "3"}),
            Sees(json!({"level": null, "file": "3"})),
        ),
        row(
            "optional",
            json!({"exact-or-bare": "bare", "file": "f"}),
            Sees(json!({"exact-or-bare": "bare", "file": "f"})),
        ),
        row(
            "optional",
            json!({"exact-or-bare": ""}),
            Sees(json!({"exact-or-bare": ""})),
        ),
        row(
            "optional",
            json!({"z": "gzip"}),
            Sees(json!({"zip": "gzip"})),
        ),
        row(
            "optional",
            json!({"z": "=", "file": "f"}),
            Sees(json!({"zip": "=", "file": "f"})),
        ),
        row(
            "greedy",
            json!({"many": ["a"], "source": "s"}),
            Sees(json!({"many": ["a"], "source": "s"})),
        ),
        row(
            "greedy",
            json!({"many": ["a", "b"], "plain": "p", "source": "s", "rest": ["r", "t"]}),
            Sees(json!({"many": ["a", "b"], "plain": "p", "source": "s", "rest": ["r", "t"]})),
        ),
        row(
            "greedy",
            json!({"many": ["a", "b"], "source": "-s"}),
            Sees(json!({"many": ["a", "b"], "source": "-s"})),
        ),
        row(
            "greedy",
            json!({"many": ["a"], "more": [-1, 2], "source": "s"}),
            Sees(json!({"many": ["a"], "more": [-1, 2], "source": "s"})),
        ),
        row(
            "greedy",
            json!({"many": []}),
            Refused("`source`: expected a string, found nothing"),
        ),
        row(
            "greedy",
            json!({"raw": ["-x", "--plain=1", "--"], "source": "s"}),
            Sees(json!({"raw": ["-x", "--plain=1", "--"], "source": "s"})),
        ),
        // Only a `--` could protect the positional, and the greedy flag would take it for a value.
        row("greedy", json!({"raw": ["x"], "source": "-s"}), Refused("")),
        row(
            "greedy-trailing",
            json!({"many": ["a"], "words": ["x", "--many", "y"]}),
            Sees(json!({"many": ["a"], "words": ["x", "--many", "y"]})),
        ),
        row(
            "hyphen",
            json!({"opt": "--known", "known": true, "value": "--known"}),
            Sees(json!({"opt": "--known", "known": true, "value": "--known"})),
        ),
    ]
}

fn positionals() -> Vec<Row> {
    vec![
        row("last-only", json!({}), Sees(json!({}))),
        row(
            "last-only",
            json!({"words": ["--", "a", "--"]}),
            Sees(json!({"words": ["--", "a", "--"]})),
        ),
        row(
            "last-mixed",
            json!({"pod": "p", "container": "c", "stdin": true, "words": ["ls", "-la"]}),
            Sees(json!({"pod": "p", "container": "c", "stdin": true, "words": ["ls", "-la"]})),
        ),
        row(
            "last-mixed",
            json!({"many": ["a", "b"], "pod": "p", "words": ["-x"]}),
            Sees(json!({"many": ["a", "b"], "pod": "p", "words": ["-x"]})),
        ),
        row("last-mixed", json!({"words": ["ls"]}), Refused("`pod`")),
        row(
            "trailing",
            json!({"known": true, "program": "ls", "words": ["-la", "--known", "--", "x"]}),
            Sees(json!({"known": true, "program": "ls", "words": ["-la", "--known", "--", "x"]})),
        ),
        row(
            "terminated",
            json!({"words": ["a", "b"]}),
            Sees(json!({"words": ["a", "b"]})),
        ),
        row(
            "terminated",
            json!({"words": ["a", ";", "b"]}),
            Refused("would not read"),
        ),
        row(
            "terminated",
            json!({"exec": ["a", "b"], "words": ["c"]}),
            Sees(json!({"exec": ["a", "b"], "words": ["c"]})),
        ),
        row(
            "terminated",
            json!({"exec": ["a", ";", "b"]}),
            Refused("would not read"),
        ),
        // The bridge does not know the terminator that would end the first list.
        flat_only(
            "terminated",
            json!({"words": ["a"], "after": "b"}),
            Refused(""),
        ),
        flat_only(
            "delimited",
            json!({"pair": ["a", "b"]}),
            Sees(json!({"pair": ["a", "b"]})),
        ),
        flat_only(
            "delimited",
            json!({"pair": ["a", "-b"], "fields": ["-c", "d"]}),
            Sees(json!({"pair": ["a", "-b"], "fields": ["-c", "d"]})),
        ),
        flat_only(
            "delimited",
            json!({"pair": ["a=b"]}),
            Refused("elements without `=`"),
        ),
        flat_only(
            "delimited",
            json!({"pair": ["k"], "fields": ["a,b"]}),
            Refused("elements without `,`"),
        ),
        row(
            "missing",
            json!({"value": "v"}),
            Sees(json!({"value": "v"})),
        ),
        row(
            "missing",
            json!({"key": "k", "value": "v"}),
            Sees(json!({"key": "k", "value": "v"})),
        ),
        row(
            "missing",
            json!({"value": "-v"}),
            Sees(json!({"value": "-v"})),
        ),
        row(
            "missing",
            json!({"key": "-k", "value": "--v"}),
            Sees(json!({"key": "-k", "value": "--v"})),
        ),
        flat_only("missing", json!({"key": "k"}), Refused("`value`")),
        row(
            "two",
            json!({"corners": [1, 2]}),
            Sees(json!({"corners": [1, 2]})),
        ),
        row(
            "two",
            json!({"corners": [-1, -2]}),
            Sees(json!({"corners": [-1, -2]})),
        ),
        row("two", json!({"corners": [1]}), Refused("2 values")),
        row("two", json!({"corners": [1, 2, 3]}), Refused("2 values")),
        row("two", json!({"corners": []}), Refused("corners")),
        row(
            "ordered",
            json!({"first": "a", "second": "b", "third": ["c", "d"]}),
            Sees(json!({"first": "a", "second": "b", "third": ["c", "d"]})),
        ),
        flat_only(
            "ordered",
            json!({"second": "b"}),
            Refused("because `second` is given"),
        ),
        flat_only(
            "ordered",
            json!({"first": "a", "third": ["c"]}),
            Refused("because `third` is given"),
        ),
        row(
            "ordered",
            json!({"first": "", "second": ""}),
            Sees(json!({"first": "", "second": ""})),
        ),
        row(
            "sandwich",
            json!({"sources": ["a", "b"], "target": "t"}),
            Sees(json!({"sources": ["a", "b"], "target": "t"})),
        ),
        row(
            "sandwich",
            json!({"sources": ["a", "b"], "target": "-t"}),
            Sees(json!({"sources": ["a", "b"], "target": "-t"})),
        ),
        // Behind a `--` clap gives everything to the list, so the target cannot be told from it.
        row(
            "sandwich",
            json!({"sources": ["-a"], "target": "-t"}),
            Refused("unexpected argument"),
        ),
        row("sandwich", json!({"sources": ["a"]}), Refused("")),
        row(
            "names",
            json!({"args": "a", "flags": "f", "out": "o", "args_positional": ["p", "-q"]}),
            Sees(
                json!({"args": "a", "flags": "f", "out_flag": "o", "args_positional": ["p", "-q"]}),
            ),
        ),
        row(
            "names",
            json!({"out": "flag", "out_arg": "positional"}),
            Sees(json!({"out_flag": "flag", "out": "positional"})),
        ),
        row(
            "flattened",
            json!({"name": "n", "city": "Zürich", "number": 65535}),
            Sees(json!({"name": "n", "city": "Zürich", "number": 65535})),
        ),
        row(
            "flattened",
            json!({"name": "n"}),
            Sees(json!({"name": "n"})),
        ),
        row("flattened", json!({"city": "c"}), Refused("")),
    ]
}

fn relations() -> Vec<Row> {
    vec![
        row(
            "required",
            json!({"name": "n", "config": "c"}),
            Sees(json!({"name": "n", "config": "c"})),
        ),
        row("required", json!({"config": "c"}), Refused("`name`")),
        row(
            "required",
            json!({"name": "", "config": ""}),
            Sees(json!({"name": "", "config": ""})),
        ),
        row(
            "required",
            json!({"name": null, "config": "c"}),
            Refused("`name`"),
        ),
        row("required", json!({"name": "n"}), Refused("--config")),
        row(
            "required",
            json!({"name": "n", "inline": "i"}),
            Sees(json!({"name": "n", "inline": "i"})),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "kind": "file"}),
            Refused("--path"),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "kind": "url"}),
            Sees(json!({"name": "n", "config": "c", "kind": "url"})),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "kind": "file", "path": "p"}),
            Sees(json!({"name": "n", "config": "c", "kind": "file", "path": "p"})),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "user": "u"}),
            Refused("--password"),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "user": "u", "password": "p"}),
            Sees(json!({"name": "n", "config": "c", "user": "u", "password": "p"})),
        ),
        row(
            "required",
            json!({"name": "n", "config": "c", "kind": "gopher"}),
            Refused("one of \"file\", \"url\""),
        ),
        row(
            "conflicts",
            json!({"left": true}),
            Sees(json!({"left": true})),
        ),
        row(
            "conflicts",
            json!({"left": true, "right": false}),
            Sees(json!({"left": true})),
        ),
        row(
            "conflicts",
            json!({"left": true, "right": true}),
            Refused("at most one of `left`, `right`"),
        ),
        row(
            "conflicts",
            json!({"json": "j", "yaml": "y"}),
            Refused("at most one of `json`, `yaml`"),
        ),
        row(
            "conflicts",
            json!({"json": "j", "right": true}),
            Sees(json!({"json": "j", "right": true})),
        ),
        row(
            "global-conflict",
            json!({"red": "r"}),
            Sees(json!({"red": "r"})),
        ),
        row(
            "global-conflict",
            json!({"red": "r", "calm": "c"}),
            Refused("at most one of"),
        ),
        row(
            "one-of",
            json!({"green": true}),
            Sees(json!({"green": true})),
        ),
        row(
            "one-of",
            json!({"hex": "#fff"}),
            Sees(json!({"hex": "#fff"})),
        ),
        row(
            "one-of",
            json!({}),
            Refused("at least one of `red`, `green`, `hex`"),
        ),
        row("one-of", json!({"red": false}), Refused("at least one of")),
        row(
            "one-of",
            json!({"red": true, "hex": "#fff"}),
            Refused("at most one of `red`, `hex`"),
        ),
        row(
            "any-of",
            json!({"salt": true, "pepper": "p", "spice": "s"}),
            Sees(json!({"salt": true, "pepper": "p", "spice": "s"})),
        ),
        row("any-of", json!({"spice": "s"}), Sees(json!({"spice": "s"}))),
        row("any-of", json!({}), Refused("at least one of")),
        row(
            "any-of-env",
            json!({}),
            Sees(json!({"pepper": "from the environment"})),
        ),
        row(
            "any-of-env",
            json!({"salt": true}),
            Sees(json!({"pepper": "from the environment", "salt": true})),
        ),
        row(
            "exclusive",
            json!({"name": "n", "size": "s"}),
            Sees(json!({"name": "n", "size": "s"})),
        ),
        row(
            "exclusive",
            json!({"list": true}),
            Sees(json!({"list": true})),
        ),
        row(
            "exclusive",
            json!({"size": "s"}),
            Refused("at least one of `name`, `list`"),
        ),
        row(
            "exclusive",
            json!({"list": true, "size": "s"}),
            Refused("--list"),
        ),
        row(
            "exclusive",
            json!({"list": true, "name": "n"}),
            Refused("--list"),
        ),
        row("rivals", json!({"name": "n"}), Sees(json!({"name": "n"}))),
        row(
            "rivals",
            json!({"all": true, "depth": "1"}),
            Sees(json!({"all": true, "depth": "1"})),
        ),
        row(
            "rivals",
            json!({"depth": "1"}),
            Refused("at least one of `name`, `all`"),
        ),
        row(
            "rivals",
            json!({"name": "n", "all": true}),
            Refused("at most one of `name`, `all`"),
        ),
        row(
            "overrides",
            json!({"fast": "f"}),
            Sees(json!({"fast": "f"})),
        ),
        row(
            "overrides",
            json!({"fast": "f", "slow": "s"}),
            Refused("overridden by another argument"),
        ),
        row(
            "overrides",
            json!({"again": "a"}),
            Sees(json!({"again": "a"})),
        ),
        row("needs", json!({}), Refused("at least one argument")),
        row(
            "needs",
            json!({"two": false}),
            Refused("at least one argument"),
        ),
        row("needs", json!({"two": true}), Sees(json!({"two": true}))),
    ]
}

fn types() -> Vec<Row> {
    let max = u64::MAX;
    vec![
        row(
            "choices",
            json!({"speed": "fast"}),
            Sees(json!({"speed": "fast"})),
        ),
        row(
            "choices",
            json!({"speed": "very-slow", "pace": "fast"}),
            Sees(json!({"speed": "very-slow", "pace": "fast"})),
        ),
        row(
            "choices",
            json!({"speed": "quick"}),
            Sees(json!({"speed": "fast"})),
        ),
        row(
            "choices",
            json!({"speed": "ludicrous"}),
            Sees(json!({"speed": "ludicrous"})),
        ),
        row(
            "choices",
            json!({"speed": "FAST"}),
            Refused("one of \"fast\", \"very-slow\""),
        ),
        row("choices", json!({"speed": ""}), Refused("one of")),
        row("choices", json!({"speed": "fas"}), Refused("one of")),
        row(
            "choices",
            json!({"any-case": "VERY-Slow"}),
            Sees(json!({"any-case": "very-slow"})),
        ),
        row(
            "choices",
            json!({"any-case": "QUICK"}),
            Sees(json!({"any-case": "fast"})),
        ),
        row(
            "choices",
            json!({"each": ["fast", "very-slow", "fast"]}),
            Sees(json!({"each": ["fast", "very-slow", "fast"]})),
        ),
        row(
            "choices",
            json!({"each": ["fast,very-slow"]}),
            Refused("each[0]"),
        ),
        row(
            "choices",
            json!({"pace": "--speed=fast"}),
            Refused("one of"),
        ),
        row(
            "numbers",
            json!({"signed": i64::MAX}),
            Sees(json!({"signed": i64::MAX})),
        ),
        row(
            "numbers",
            json!({"signed": i64::MIN}),
            Sees(json!({"signed": i64::MIN})),
        ),
        row("numbers", json!({"signed": max}), Refused("an integer")),
        row("numbers", json!({"signed": 1e300}), Refused("an integer")),
        row(
            "numbers",
            json!({"signed": 9_007_199_254_740_992.0}),
            Refused("an integer"),
        ),
        row(
            "numbers",
            json!({"signed": "a[$(id)]"}),
            Refused("an integer"),
        ),
        row(
            "numbers",
            json!({"negative": -1}),
            Sees(json!({"negative": -1})),
        ),
        row(
            "numbers",
            json!({"unsigned": max}),
            Sees(json!({"unsigned": max})),
        ),
        row(
            "numbers",
            json!({"unsigned": -1}),
            Refused("an integer of 0 or more"),
        ),
        row(
            "numbers",
            json!({"big": "340282366920938463463374607431768211455"}),
            Sees(json!({"big": "340282366920938463463374607431768211455"})),
        ),
        row(
            "numbers",
            json!({"big": "340282366920938463463374607431768211456"}),
            Refused("too large"),
        ),
        row(
            "numbers",
            json!({"big": "-1"}),
            Refused("a string of decimal digits"),
        ),
        row(
            "numbers",
            json!({"big": ""}),
            Refused("a string of decimal digits"),
        ),
        row(
            "numbers",
            json!({"big-signed": "-170141183460469231731687303715884105728"}),
            Sees(json!({"big-signed": "-170141183460469231731687303715884105728"})),
        ),
        row(
            "numbers",
            json!({"ratio": 0.1}),
            Sees(json!({"ratio": 0.1})),
        ),
        row(
            "numbers",
            json!({"ratio": -1.797e308}),
            Sees(json!({"ratio": -1.797e308})),
        ),
        row(
            "numbers",
            json!({"ratio": 5e-324}),
            Sees(json!({"ratio": 5e-324})),
        ),
        row("numbers", json!({"ratio": 3}), Sees(json!({"ratio": 3.0}))),
        row("numbers", json!({"ratio": "NaN"}), Refused("a number")),
        row(
            "numbers",
            json!({"small": -128}),
            Sees(json!({"small": -128})),
        ),
        row(
            "numbers",
            json!({"small": 128}),
            Refused("an integer from -128 to 127"),
        ),
        row(
            "numbers",
            json!({"whole": -5, "part": -0.5}),
            Sees(json!({"whole": -5, "part": -0.5})),
        ),
        row(
            "numbers",
            json!({"whole": i64::MIN, "part": -1e-7}),
            Sees(json!({"whole": i64::MIN, "part": -1e-7})),
        ),
        row(
            "plain-number",
            json!({"whole": -5}),
            Sees(json!({"whole": -5})),
        ),
        row(
            "plain-number",
            json!({"whole": 5}),
            Sees(json!({"whole": 5})),
        ),
        row("limits", json!({"port": 1}), Sees(json!({"port": 1}))),
        row("limits", json!({"port": 100}), Sees(json!({"port": 100}))),
        row("limits", json!({"port": 0}), Refused("1..=100")),
        row("limits", json!({"port": 101}), Refused("1..=100")),
        row(
            "limits",
            json!({"size": "12k"}),
            Sees(json!({"size": 12_000})),
        ),
        row(
            "limits",
            json!({"size": "12q"}),
            Refused("invalid value '12q'"),
        ),
        row(
            "limits",
            json!({"raw-size": 12}),
            Sees(json!({"raw-size": 12})),
        ),
        row("limits", json!({"even": 4}), Sees(json!({"even": 4}))),
        row("limits", json!({"even": 5}), Refused("it is odd")),
        row(
            "kinds",
            json!({"letter": "ß"}),
            Sees(json!({"letter": "ß"})),
        ),
        row(
            "kinds",
            json!({"letter": "-"}),
            Sees(json!({"letter": "-"})),
        ),
        row("kinds", json!({"letter": "ab"}), Refused("one character")),
        row("kinds", json!({"letter": ""}), Refused("one character")),
        row(
            "kinds",
            json!({"address": "::1"}),
            Sees(json!({"address": "::1"})),
        ),
        row(
            "kinds",
            json!({"address": "10.0.0.1"}),
            Sees(json!({"address": "10.0.0.1"})),
        ),
        row(
            "kinds",
            json!({"address": "10.0.0.256"}),
            Refused("an IPv4 or IPv6 address"),
        ),
        row(
            "kinds",
            json!({"path": "/tmp/a b", "file": "-"}),
            Sees(json!({"path": "/tmp/a b", "file": "-"})),
        ),
        row("defaults", json!({}), Sees(defaults(&json!({})))),
        row(
            "defaults",
            json!({"bool": false, "int": 0, "text": "", "many": ["c"], "place": "", "count": 2, "no-keep": true}),
            Sees(defaults(&json!({
                "bool": false, "int": 0, "text": "", "many": ["c"], "place": "", "count": 2, "keep": false,
            }))),
        ),
        row(
            "environment",
            json!({}),
            Sees(json!({"token": "t0ken", "region": "eu", "color": true, "plain": false})),
        ),
        row(
            "environment",
            json!({"token": "mine", "region": "", "unset": "u", "color": true}),
            Sees(
                json!({"token": "mine", "region": "", "unset": "u", "color": true, "plain": false}),
            ),
        ),
        row(
            "environment",
            json!({"color": false}),
            Refused("TORTURE_COLOR"),
        ),
        row(
            "environment",
            json!({"no-plain": false}),
            Refused("TORTURE_PLAIN"),
        ),
        row(
            "unicode",
            json!({"gr__e": "½", "__": "名"}),
            Sees(json!({"größe": "½", "名前": "名"})),
        ),
    ]
}

/// What `defaults` sees when only some arguments are given.
fn defaults(given: &Value) -> Value {
    let mut seen = json!({
        "switch": false, "keep": true, "bool": true, "int": i64::MIN, "uint": u64::MAX,
        "big": u128::MAX.to_string(), "float": 0.1, "text": "a b", "empty": "", "letter": "ß", "address": "::1",
        "path": "/tmp", "speed": "fast", "secret-speed": "ludicrous", "many": ["a", "b"], "count": 0,
        "place": "here",
    });
    for (id, value) in given.as_object().expect("it is an object") {
        seen[id] = value.clone();
    }
    seen
}

fn trees() -> Vec<Row> {
    vec![
        row("deep mid leaf", json!({}), Refused("`project`")),
        row(
            "deep mid leaf",
            json!({"project": "p", "mid_zone": "m", "zone": "z", "all": true, "item": "i", "output": "o"}),
            Sees(json!({
                "deep": {"project": "p"}, "mid": {"zone": "m"}, "leaf-zone": "z", "zone-all": true, "item": "i",
                "output": "o",
            })),
        ),
        row(
            "place visit",
            json!({"area": "a", "visited": "-v"}),
            Sees(json!({"place": {"area": "a"}, "visited": "-v"})),
        ),
        row(
            "place visit",
            json!({"area": "visit"}),
            Refused("not the name of a subcommand"),
        ),
        row(
            "place visit",
            json!({"area": "leave"}),
            Refused("not the name of a subcommand"),
        ),
        row(
            "place visit",
            json!({"area": "a", "visited": "leave"}),
            Sees(json!({"place": {"area": "a"}, "visited": "leave"})),
        ),
        row("place leave", json!({}), Refused("area")),
        row(
            "place leave",
            json!({"area": "a"}),
            Sees(json!({"place": {"area": "a"}})),
        ),
        row(
            "wide go",
            json!({"plain": "p", "fast": "f"}),
            Sees(json!({"wide": {"plain": "p"}, "fast": "f"})),
        ),
        row(
            "wide go",
            json!({"many": ["a", "b"], "plain": "p"}),
            Sees(json!({"wide": {"many": ["a", "b"], "plain": "p"}})),
        ),
        row(
            "wide go",
            json!({"maybe": "", "plain": "p"}),
            Sees(json!({"wide": {"maybe": null, "plain": "p"}})),
        ),
        row(
            "wide go",
            json!({"maybe": "m"}),
            Sees(json!({"wide": {"maybe": "m"}})),
        ),
        // Without another flag between them the greedy one takes the subcommand for a value.
        row("wide go", json!({"many": ["a", "b"]}), Refused("")),
        row("wide go", json!({"maybe": ""}), Refused("")),
        row(
            "several go",
            json!({"areas": ["a", "b"], "plain": "p"}),
            Sees(json!({"several": {"areas": ["a", "b"], "plain": "p"}})),
        ),
        row("several go", json!({"areas": ["a", "b"]}), Refused("")),
        row("a b", json!({"from_a": "x"}), Sees(json!({"from_a": "x"}))),
        row(
            "a_b",
            json!({"from_a_b": "x"}),
            Sees(json!({"from_a_b": "x"})),
        ),
        row(
            "a.b",
            json!({"from_dot": "x"}),
            Sees(json!({"from_dot": "x"})),
        ),
        row("external", json!({}), Sees(json!({}))),
        row(
            "external",
            json!({"known": true, "external_command": ["name", "--known", "--", "-x", ""]}),
            Sees(json!({"known": true, "external": ["name", "--known", "--", "-x", ""]})),
        ),
        row(
            "external",
            json!({"external_command": ["--known"]}),
            Refused("the name of an external command"),
        ),
        row(
            "external",
            json!({"external_command": ["inner"]}),
            Refused("use its own tool"),
        ),
        row(
            "external",
            json!({"external_command": ["help"]}),
            Refused("use its own tool"),
        ),
        flat_only(
            "external",
            json!({"external_command": "name"}),
            Refused("an array"),
        ),
        row(
            "external inner",
            json!({"known": true}),
            Sees(json!({"external": {"known": true}})),
        ),
        flat_only(
            "external inner",
            json!({"external_command": ["x"]}),
            Refused("a known property"),
        ),
        row(
            "visible",
            json!({"shown": "s"}),
            Sees(json!({"shown": "s"})),
        ),
        row(
            "visible",
            json!({"unshown": "u"}),
            Refused("a known property"),
        ),
        row(
            "visible",
            json!({"shown": "--unshown=u"}),
            Sees(json!({"shown": "--unshown=u"})),
        ),
        row(
            "tools mcp",
            json!({"verb": "start"}),
            Sees(json!({"verb": "start"})),
        ),
        row("choose", json!({}), Sees(json!({}))),
        row(
            "choose",
            json!({"word": "test"}),
            Sees(json!({"word": "test"})),
        ),
        row(
            "choose",
            json!({"word": "check", "plain": "p"}),
            Sees(json!({"word": "check", "plain": "p"})),
        ),
        row("choose test", json!({}), Sees(json!({}))),
        row(
            "choose test",
            json!({"word": "w"}),
            Sees(json!({"choose": {"word": "w"}})),
        ),
        row(
            "choose test",
            json!({"word": "list"}),
            Refused("not the name of a subcommand"),
        ),
        row(
            "negates",
            json!({"name": "n", "red": true}),
            Sees(json!({"name": "n", "red": true})),
        ),
        row(
            "negates",
            json!({"name": "n"}),
            Refused("at least one of `red`, `green`"),
        ),
        row("negates now", json!({}), Sees(json!({}))),
        row(
            "negates now",
            json!({"name": "own", "negates_name": "n", "green": true}),
            Sees(json!({"negates": {"name": "n", "green": true}, "own-name": "own"})),
        ),
        row(
            "negates now",
            json!({"red": true, "green": true}),
            Refused("at most one of"),
        ),
        row(
            "either",
            json!({"flag": "f", "word": "w"}),
            Sees(json!({"flag": "f", "word": "w"})),
        ),
        row(
            "either",
            json!({"word": "sub"}),
            Sees(json!({"word": "sub"})),
        ),
        row(
            "either sub",
            json!({"flag": "f"}),
            Sees(json!({"sub-flag": "f"})),
        ),
        row(
            "either sub",
            json!({"flag": "f", "output": "o"}),
            Sees(json!({"sub-flag": "f", "output": "o"})),
        ),
        flat_only(
            "either sub",
            json!({"word": "w"}),
            Refused("a known property"),
        ),
        row("infer", json!({"word": "st"}), Sees(json!({"word": "st"}))),
        row(
            "infer",
            json!({"word": "--verb"}),
            Sees(json!({"word": "--verb"})),
        ),
        row(
            "infer",
            json!({"verbosity": "v", "version-of": "w"}),
            Sees(json!({"verbosity": "v", "version-of": "w"})),
        ),
        row("infer status", json!({}), Sees(json!({}))),
        row("infer status", json!({"word": "st"}), Refused("")),
        row(
            "flags",
            json!({"log-level": "debug", "output": "-"}),
            Sees(json!({"log-level": "debug", "output": "-"})),
        ),
    ]
}

/// The torture CLI, served.
struct Torture {
    client: Client,
    /// The tools by the command line that they stand for.
    tools: HashMap<String, Value>,
    failures: Vec<String>,
}

impl Torture {
    fn start(layout: &str) -> Self {
        let mut client = Client::start_with(
            Command::new(example("torture"))
                .args(["mcp", "start"])
                .env("TORTURE_LAYOUT", layout)
                .env("TORTURE_TOKEN", "t0ken")
                .env("TORTURE_REGION", "eu")
                .env("TORTURE_PEPPER", "from the environment")
                .env("TORTURE_COLOR", "true")
                .env("TORTURE_PLAIN", "false")
                .env_remove("TORTURE_UNSET"),
        );
        let listed = client.tools();
        let command_of = |tool: &Value| {
            tool["title"]
                .as_str()
                .unwrap_or_default()
                .replacen("torture ", "", 1)
        };
        let tools = listed
            .iter()
            .map(|tool| (command_of(tool), tool.clone()))
            .collect();
        Self {
            client,
            tools,
            failures: Vec::new(),
        }
    }

    fn name(&self, command: &str) -> String {
        let tool = self
            .tools
            .get(command)
            .unwrap_or_else(|| panic!("no tool for `{command}`"));
        tool["name"].as_str().expect("a tool has a name").to_owned()
    }

    /// Makes a call and notes down if something else came of it than was expected.
    fn check(&mut self, command: &str, input: Value, expected: &Expected) {
        let shown = format!("{command} {input}");
        let name = self.name(command);
        let result = self.client.call(&name, input);
        let content = &result["structuredContent"];
        let problem = match expected {
            Sees(expected) => {
                let printed = content["stdout"].as_str().unwrap_or_default();
                let seen: Value = serde_json::from_str(printed).unwrap_or_default();
                let mut wanted = expected.clone();
                wanted["command"] = command.into();
                (seen != wanted).then(|| format!("wanted {wanted}, got {content}"))
            }
            Refused(reason) => {
                let message = content["error"]["message"].as_str().unwrap_or_default();
                let code = content["error"]["code"].as_str().unwrap_or_default();
                let refused = result["isError"] == true
                    && ["invalid_arguments", "not_permitted"].contains(&code)
                    && message.len() > 10
                    && message.contains(reason);
                (!refused).then(|| format!("wanted a refusal with {reason:?}, got {content}"))
            }
        };
        self.failures
            .extend(problem.map(|problem| format!("{shown}: {problem}")));
    }

    fn done(self) {
        assert!(
            self.failures.is_empty(),
            "{} rows failed:\n{}",
            self.failures.len(),
            self.failures.join("\n")
        );
    }
}

fn table() -> Vec<Row> {
    [
        flags_and_values(),
        positionals(),
        relations(),
        types(),
        trees(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[test]
fn the_program_sees_what_was_meant() {
    let mut torture = Torture::start("flat");
    for Row {
        command,
        input,
        expected,
        ..
    } in table()
    {
        torture.check(command, input, &expected);
    }
    torture.done();
}

#[test]
fn nasty_texts_arrive_everywhere() {
    let mut torture = Torture::start("flat");
    for Row {
        command,
        input,
        expected,
        ..
    } in nasty()
    {
        torture.check(command, input, &expected);
    }
    torture.done();
}

#[test]
fn the_nested_layout_means_the_same() {
    let flat = Torture::start("flat");
    let mut torture = Torture::start("nested");
    let rows = table()
        .into_iter()
        .chain(nasty())
        .filter(|row| !row.flat_only);
    for Row {
        command,
        input,
        expected,
        ..
    } in rows
    {
        let schema_of =
            |torture: &Torture| torture.tools[command]["inputSchema"]["properties"].clone();
        let input = to_nested(&input, &schema_of(&flat), &schema_of(&torture));
        // Paths and types are told differently: a refusal is enough.
        let expected = match expected {
            Refused(_) => Refused(""),
            sees => sees,
        };
        torture.check(command, input, &expected);
    }
    torture.done();
}

/// The same input in the other layout.
fn to_nested(input: &Value, flat: &Value, nested: &Value) -> Value {
    let input = input.as_object().expect("it is an object");
    let mut flags = Map::new();
    let mut out = Map::new();
    for (key, value) in input {
        if nested["flags"]["properties"].get(key).is_some() || flat.get(key).is_none() {
            flags.insert(key.clone(), value.clone());
        } else if nested.get(key).is_some() {
            out.insert(key.clone(), value.clone());
        }
    }
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let listed = flat
        .as_object()
        .expect("it is an object")
        .keys()
        .filter(|key| {
            nested["flags"]["properties"].get(key.as_str()).is_none()
                && nested.get(key.as_str()).is_none()
        });
    let mut args = Vec::new();
    for value in listed.filter_map(|key| input.get(key)) {
        match value {
            Value::Array(items) => args.extend(items.iter().map(text)),
            one => args.push(text(one)),
        }
    }
    if !flags.is_empty() {
        out.insert("flags".into(), flags.into());
    }
    if !args.is_empty() {
        out.insert("args".into(), args.into());
    }
    out.into()
}

#[test]
fn what_the_nested_layout_adds() {
    let mut torture = Torture::start("nested");
    for Row {
        command,
        input,
        expected,
        ..
    } in [
        row(
            "flags",
            json!({"flags": {"dry-run": true}, "args": []}),
            Sees(json!({"dry_run": true})),
        ),
        row(
            "flags",
            json!({"dry-run": true}),
            Refused("a known property"),
        ),
        row(
            "flags",
            json!({"flags": {"dry-run": true, "nope": 1}}),
            Refused("flags.nope"),
        ),
        row(
            "flags",
            json!({"flags": ["--dry-run"]}),
            Refused("an object of flags"),
        ),
        row(
            "flags",
            json!({"args": ["--dry-run"]}),
            Refused("no further argument"),
        ),
        row(
            "text",
            json!({"args": "a b"}),
            Refused("an array of strings"),
        ),
        row(
            "text",
            json!({"args": ["--value=x", "-a"]}),
            Sees(json!({"text": "--value=x", "more": ["-a"]})),
        ),
        row(
            "plain-number",
            json!({"args": ["-5"]}),
            Sees(json!({"whole": -5})),
        ),
        row(
            "plain-number",
            json!({"args": ["$(id)"]}),
            Refused("args[0]"),
        ),
        row(
            "delimited",
            json!({"args": ["k=v"]}),
            Sees(json!({"pair": ["k", "v"]})),
        ),
        row(
            "last-mixed",
            json!({"args": ["p", "c"], "words": ["-x"]}),
            Sees(json!({"pod": "p", "container": "c", "words": ["-x"]})),
        ),
        row(
            "names",
            json!({"flags": {"flags": "f", "args": "a"}, "args": ["o"]}),
            Sees(json!({"flags": "f", "args": "a", "out": "o"})),
        ),
        row(
            "external",
            json!({"args": ["name", "-x"]}),
            Sees(json!({"external": ["name", "-x"]})),
        ),
        row(
            "external inner",
            json!({"args": ["x"]}),
            Refused("no further argument"),
        ),
    ] {
        torture.check(command, input, &expected);
    }
    torture.done();
}

/// One argument may have 131,071 bytes on Linux, a flag's name included; NUL cannot be in any.
#[test]
fn the_longest_values() {
    const LONGEST: usize = 131_071;
    let mut torture = Torture::start("flat");
    let text = torture.name("text");
    let prefix = "--value=".len();
    for (key, id, most) in [
        ("value", "value", LONGEST - prefix),
        ("text", "text", LONGEST),
        ("t", "brief", LONGEST - 3),
    ] {
        let result = torture.client.call(&text, json!({key: "x".repeat(most)}));
        let printed = json!({"command": "text", id: "x".repeat(most)})
            .to_string()
            .len()
            + 1;
        assert_eq!(
            result["isError"], false,
            "{key}: {}",
            result["structuredContent"]["error"]
        );
        assert_eq!(
            result["structuredContent"]["truncated"]["stdout"], printed,
            "{key}"
        );
        torture.check(
            "text",
            json!({key: "x".repeat(most + 1)}),
            &Refused("131072 bytes"),
        );
        torture.check("text", json!({key: "a\0b"}), &Refused("NUL"));
        torture.check("text", json!({key: "\0"}), &Refused("NUL"));
    }
    torture.check("lists", json!({"tag": ["a", "\0"]}), &Refused("NUL"));
    torture.check("last-only", json!({"words": ["a\0"]}), &Refused("NUL"));
    torture.check(
        "external",
        json!({"external_command": ["name", "\0"]}),
        &Refused("NUL"),
    );
    torture.done();
}

#[test]
fn what_is_listed() {
    let mut torture = Torture::start("flat");
    let listed = torture.client.tools();
    let mut names: Vec<&str> = listed
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names.len(),
        torture.tools.len(),
        "every tool stands for a command of its own"
    );
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), listed.len(), "names are unique");
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    assert!(
        names
            .iter()
            .all(|name| name.len() <= 64 && name.chars().all(valid)),
        "{names:?}"
    );

    // The plain name belongs to the command whose words are joined; the others are told apart.
    assert_eq!(torture.name("a b"), "torture_a_b");
    for other in ["a_b", "a.b"] {
        assert!(
            torture.name(other).starts_with("torture_a_b_"),
            "{}",
            torture.name(other)
        );
    }
    // The user's own `mcp` is a tool, the bridge's is not.
    assert_eq!(torture.name("tools mcp"), "torture_tools_mcp");
    for absent in [
        "mcp",
        "mcp start",
        "mcp tools",
        "help",
        "secret",
        "secret open",
        "deep",
        "deep mid",
        "tools",
        "a",
        "",
    ] {
        assert!(!torture.tools.contains_key(absent), "{absent}");
    }
    for hidden in [
        "torture_secret",
        "torture_secret_open",
        "torture_mcp",
        "torture_mcp_start",
        "torture_help",
        "torture",
    ] {
        let answer = torture
            .client
            .request("tools/call", json!({"name": hidden, "arguments": {}}));
        assert!(answer["error"].is_object(), "{hidden}: {answer}");
    }
    let all = json!(listed).to_string();
    for hidden in ["unshown", "secret-open", "torture_secret"] {
        assert!(!all.contains(hidden), "{hidden} is listed");
    }
    let property =
        |command: &str, key: &str| torture.tools[command]["inputSchema"]["properties"][key].clone();
    assert_eq!(
        property("choices", "speed")["enum"],
        json!(["fast", "very-slow"]),
        "hidden and other names are not told"
    );
    assert_eq!(property("defaults", "uint")["default"], json!(u64::MAX));
    assert_eq!(property("defaults", "int")["default"], json!(i64::MIN));
    assert_eq!(property("flags", "effort")["default"], json!(2));
    assert_eq!(property("flags", "checks")["default"], json!(true));
    assert!(
        property("optional", "color")["description"]
            .to_string()
            .contains("always")
    );
    assert!(
        property("unicode", "gr__e")["description"]
            .to_string()
            .contains("Wie groß? ½ m")
    );
    assert!(
        torture.tools["unicode"]["description"]
            .to_string()
            .contains("大きさ")
    );
    let required = |command: &str| torture.tools[command]["inputSchema"]["required"].clone();
    assert_eq!(
        required("environment"),
        Value::Null,
        "the environment has the token"
    );
    assert_eq!(required("negates"), json!(["name"]));
    assert_eq!(required("negates now"), Value::Null);
    assert_eq!(required("rivals"), Value::Null);
    assert_eq!(required("deep mid leaf"), json!(["project"]));
}

/// Without the variable, the argument that it would have set is required.
#[test]
fn a_variable_that_is_not_set() {
    let mut client = Client::start_with(
        Command::new(example("torture"))
            .args(["mcp", "start"])
            .env_remove("TORTURE_TOKEN"),
    );
    let result = client.call("torture_environment", json!({}));
    assert_eq!(
        result["structuredContent"]["error"]["code"],
        "invalid_arguments"
    );
    let result = client.call(
        "torture_environment",
        json!({"token": "mine", "color": false}),
    );
    assert_eq!(result["isError"], false, "{result}");
}

#[test]
fn a_cli_with_an_mcp_of_its_own() {
    let own = clap::Command::new("tool").subcommand(
        clap::Command::new("mcp")
            .about("Ours")
            .arg(clap::Arg::new("verb")),
    );
    let bridge = Bridge::new(own.clone()).command_name("assist");
    let names = |bridge: &Bridge| -> Vec<String> {
        bridge
            .catalogue()
            .tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect()
    };
    assert_eq!(names(&bridge), ["tool", "tool_mcp"]);
    let mounted = bridge.mount();
    mounted.clone().debug_assert();
    assert!(
        mounted.find_subcommand("assist").is_some() && mounted.find_subcommand("mcp").is_some()
    );
    // Handed over with the bridge's command already added, that one is left out and the other stays.
    assert_eq!(
        names(&Bridge::new(mounted).command_name("assist")),
        ["tool", "tool_mcp"]
    );
}
