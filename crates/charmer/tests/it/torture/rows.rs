//! The table: a command, its input in the flat layout, and what the program sees or why the call is refused.

use serde_json::{Value, json};

use super::{
    Expected::{Refused, Sees},
    Row,
};

/// `COMMAND INPUT sees OUTPUT` or `COMMAND INPUT refused REASON`; both the input and the output are JSON.
macro_rules! rows {
    (@expected sees $seen:tt) => { Sees(json!($seen)) };
    (@expected refused $reason:literal) => { Refused($reason) };
    ($($command:literal $input:tt $verdict:ident $expected:tt,)*) => {
        vec![$(Row { command: $command, input: json!($input), expected: rows!(@expected $verdict $expected) }),*]
    };
}

pub(super) fn flags_and_values() -> Vec<Row> {
    rows![
        "flags" {} sees {},
        "flags" {"dry-run": true} sees {"dry_run": true},
        "flags" {"dry-run": false, "x": false, "no-cache": false, "verbose": 0, "j": null} sees {},
        "flags" {"dry_run": true} sees {"dry_run": true},
        "flags" {"dry_rnu": true} refused "did you mean `dry-run`?",
        "flags" {"dry-run": "true"} sees {"dry_run": true},
        "flags" {"dry-run": "yes"} refused "true or false",
        "flags" {"dry-run": 1} refused "true or false",
        "flags" {"__proto__": 1} refused "a known property",
        "flags" {"j": 4} sees {"jobs": 4},
        "flags" {"j": 4.0} sees {"jobs": 4},
        "flags" {"j": 4.5} refused "an integer from 0 to 4294967295",
        "flags" {"j": -4} refused "an integer from 0 to 4294967295",
        "flags" {"j": "4; id"} refused "an integer from 0 to 4294967295",
        "flags" {"jobs": 4} sees {"jobs": 4},
        "flags" {"x": true, "T": 3} sees {"extract": true, "trace": 3},
        "flags" {"new-name": "n"} sees {"original": "n"},
        "flags" {"original": "n"} sees {"original": "n"},
        "flags" {"colour": "red"} sees {"colour": "red"},
        "flags" {"color": "red"} sees {"colour": "red"},
        "flags" {"colur": "red"} refused "did you mean `colour`?",
        "flags" {"no-cache": true} sees {"cache": false},
        "flags" {"strict": true} sees {"strict": true},
        "flags" {"strict": false} sees {"strict": false},
        "flags" {"strict": "yes"} refused "true or false",
        "flags" {"verbose": 1} sees {"verbose": 1},
        "flags" {"verbose": 255} sees {"verbose": 255},
        "flags" {"verbose": 256} refused "an integer from 0 to 255",
        "flags" {"verbose": -1} refused "an integer from 0 to 255",
        "flags" {"verbose": true} sees {"verbose": 1},
        "flags" {"verbose": "much"} refused "an integer from 0 to 255",
        "flags" {"effort": 1} sees {"effort": 1},
        "flags" {"effort": 0} refused "at least 1, or nothing for the default",
        "flags" {"checks": true} sees {"checks": true},
        "flags" {"checks": false} refused "no way to turn it off",
        "flags" {"preset": true} sees {"preset": "standard"},
        "flags" {"preset": "other"} refused "true or false",
        "lists" {"tag": []} sees {},
        "lists" {"tag": "a"} sees {"tag": ["a"]},
        "lists" {"tag": {"a": 1}} refused "an array, each element a string",
        "lists" {"tag": ["a", 1]} sees {"tag": ["a", "1"]},
        "lists" {"tag": ["a", [1]]} refused "tag[1]",
        "lists" {"tag": ["a,b"], "label": ["a", "b"], "csv": ["c", "d"]}
            sees {"tag": ["a,b"], "label": ["a", "b"], "csv": ["c", "d"]},
        "lists" {"csv": [""]} sees {"csv": [""]},
        "lists" {"csv": ["", ""]} sees {"csv": ["", ""]},
        "lists" {"p": [1, 65535]} sees {"ports": [1, 65535]},
        "lists" {"p": [1, 65536]} refused "p[1]",
        "lists" {"span": ["a"]} refused "2 values",
        "lists" {"span": ["a", "b", "c"]} refused "2 values",
        "lists" {"span": ["a", "-"]} sees {"span": ["a", "-"]},
        "lists" {"point": [-1.5, 2]} sees {"point": [-1.5, 2.0]},
        "lists" {"point": [-1e21, -0.0]} sees {"point": [-1e21, -0.0]},
        "lists" {"pair": [["a", "b"]]} sees {"pair": [["a", "b"]]},
        "lists" {"pair": ["a", "b"]} sees {"pair": [["a", "b"]]},
        "lists" {"pair": ["a", "b", "c"]} refused "pair[0]",
        "lists" {"pair": [["a", "b"], ["c"]]} refused "pair[1]",
        "lists" {"cells": ["a", "b"]} sees {"cells": ["a", "b"]},
        "lists" {"cells": ["a,b", "c"]} refused "cells",
        "lists" {"some": ["a", "b"], "tag": ["c"]} sees {"some": ["a", "b"], "tag": ["c"]},
        "lists" {"some": ["a", "b", "c"]} sees {"some": ["a", "b", "c"]},
        "lists" {"some": ["a"]} refused "between 2 and 3 values",
        "lists" {"loose": ["a", "", "-x"]} sees {"loose": ["a", "", "-x"]},
        "optional" {"color": "always"} sees {"color": "always"},
        "optional" {"color": "never", "file": "f"} sees {"color": "never", "file": "f"},
        "optional" {"maybe": ""} sees {"maybe": null},
        "optional" {"maybe": "", "file": "f"} sees {"maybe": null, "file": "f"},
        "optional" {"maybe": "", "file": "-f"} sees {"maybe": null, "file": "-f"},
        "optional" {"maybe": "", "exact": "e", "file": "f"} sees {"maybe": null, "exact": "e", "file": "f"},
        "optional" {"maybe": "-x"} sees {"maybe": "-x"},
        "optional" {"level": 3} sees {"level": 3},
        "optional" {"level": "", "file": "3"} sees {"level": null, "file": "3"},
        "optional" {"exact-or-bare": "bare", "file": "f"} sees {"exact-or-bare": "bare", "file": "f"},
        "optional" {"exact-or-bare": ""} sees {"exact-or-bare": ""},
        "optional" {"z": "gzip"} sees {"zip": "gzip"},
        "optional" {"toggle": true, "file": "f"} sees {"toggle": true, "file": "f"},
        "optional" {"toggle": false} sees {"toggle": false},
        "optional" {"toggle": "true"} sees {"toggle": true},
        "optional" {"toggle": "on"} refused "true or false",
        "optional" {"z": "=", "file": "f"} sees {"zip": "=", "file": "f"},
        "greedy" {"many": ["a"], "source": "s"} sees {"many": ["a"], "source": "s"},
        "greedy" {"many": ["a", "b"], "plain": "p", "source": "s", "rest": ["r", "t"]}
            sees {"many": ["a", "b"], "plain": "p", "source": "s", "rest": ["r", "t"]},
        "greedy" {"many": ["a", "b"], "source": "-s"} sees {"many": ["a", "b"], "source": "-s"},
        "greedy" {"many": ["a"], "more": [-1, 2], "source": "s"}
            sees {"many": ["a"], "more": [-1, 2], "source": "s"},
        "greedy" {"many": []} refused "`source`: expected a string, found nothing",
        "greedy" {"raw": ["-x", "--plain=1", "--"], "source": "s"}
            sees {"raw": ["-x", "--plain=1", "--"], "source": "s"},
        // Only a `--` could protect the positional, and the greedy flag would take it for a value.
        "greedy" {"raw": ["x"], "source": "-s"} sees {"raw": ["x"], "source": "-s"},
        "greedy" {"raw": ["x", "y"], "source": "-s"} refused "<source>",
        "greedy-trailing" {"many": ["a"], "words": ["x", "--many", "y"]}
            sees {"many": ["a"], "words": ["x", "--many", "y"]},
        "hyphen" {"opt": "--known", "known": true, "value": "--known"}
            sees {"opt": "--known", "known": true, "value": "--known"},
    ]
}

pub(super) fn positionals() -> Vec<Row> {
    rows![
        "last-only" {} sees {},
        "last-one" {} refused "`word`",
        "last-one" {"word": "--"} sees {"word": "--"},
        "last-only" {"words": ["--", "a", "--"]} sees {"words": ["--", "a", "--"]},
        "last-mixed" {"pod": "p", "container": "c", "stdin": true, "words": ["ls", "-la"]}
            sees {"pod": "p", "container": "c", "stdin": true, "words": ["ls", "-la"]},
        "last-mixed" {"many": ["a", "b"], "pod": "p", "words": ["-x"]}
            sees {"many": ["a", "b"], "pod": "p", "words": ["-x"]},
        "last-mixed" {"words": ["ls"]} refused "`pod`",
        "trailing" {"known": true, "program": "ls", "words": ["-la", "--known", "--", "x"]}
            sees {"known": true, "program": "ls", "words": ["-la", "--known", "--", "x"]},
        "terminated" {"words": ["a", "b"]} sees {"words": ["a", "b"]},
        "terminated" {"words": ["a", ";", "b"]} refused "would not read",
        "terminated" {"exec": ["a", "b"], "words": ["c"]} sees {"exec": ["a", "b"], "words": ["c"]},
        "terminated" {"exec": ["a", ";", "b"]} refused "would not read",
        "missing" {"value": "v"} sees {"value": "v"},
        "missing" {"key": "k", "value": "v"} sees {"key": "k", "value": "v"},
        "missing" {"value": "-v"} sees {"value": "-v"},
        "missing" {"key": "k", "value": "--v"} sees {"key": "k", "value": "--v"},
        // Behind a `--` clap reads the last positional first.
        "missing" {"key": "-k", "value": "v"} refused "<value>",
        "two" {"corners": [1, 2]} sees {"corners": [1, 2]},
        "two" {"corners": [-1, -2]} sees {"corners": [-1, -2]},
        "two" {"corners": [1]} refused "2 values",
        "two" {"corners": [1, 2, 3]} refused "2 values",
        "two" {"corners": []} refused "corners",
        "ordered" {"first": "a", "second": "b", "third": ["c", "d"]}
            sees {"first": "a", "second": "b", "third": ["c", "d"]},
        "ordered" {"first": "", "second": ""} sees {"first": "", "second": ""},
        "sandwich" {"sources": ["a", "b"], "target": "t"} sees {"sources": ["a", "b"], "target": "t"},
        "sandwich" {"sources": ["a", "b"], "target": "-t"} sees {"sources": ["a", "b"], "target": "-t"},
        // Behind a `--` clap gives everything to the list, so the target cannot be told from it.
        "sandwich" {"sources": ["-a"], "target": "-t"} refused "unexpected argument",
        "sandwich" {"sources": ["a"]} refused "`target`",
        "names" {"args": "a", "flags": "f", "out": "o", "args_positional": ["p", "-q"]}
            sees {"args": "a", "flags": "f", "out_flag": "o", "args_positional": ["p", "-q"]},
        "names" {"out": "flag", "out_arg": "positional"} sees {"out_flag": "flag", "out": "positional"},
        "flattened" {"name": "n", "city": "Zürich", "number": 65535}
            sees {"name": "n", "city": "Zürich", "number": 65535},
        "flattened" {"name": "n"} sees {"name": "n"},
        "flattened" {"city": "c"} refused "`name`",
    ]
}

pub(super) fn relations() -> Vec<Row> {
    rows![
        "required" {"name": "n", "config": "c"} sees {"name": "n", "config": "c"},
        "required" {"config": "c"} refused "`name`",
        "required" {"name": "", "config": ""} sees {"name": "", "config": ""},
        "required" {"name": null, "config": "c"} refused "`name`",
        "required" {"name": "n"} refused "--config",
        "required" {"name": "n", "inline": "i"} sees {"name": "n", "inline": "i"},
        "required" {"name": "n", "config": "c", "kind": "file"} refused "--path",
        "required" {"name": "n", "config": "c", "kind": "url"} sees {"name": "n", "config": "c", "kind": "url"},
        "required" {"name": "n", "config": "c", "kind": "file", "path": "p"}
            sees {"name": "n", "config": "c", "kind": "file", "path": "p"},
        "required" {"name": "n", "config": "c", "user": "u"} refused "--password",
        "required" {"name": "n", "config": "c", "user": "u", "password": "p"}
            sees {"name": "n", "config": "c", "user": "u", "password": "p"},
        "required" {"name": "n", "config": "c", "kind": "gopher"} refused "one of \"file\", \"url\"",
        "conflicts" {"left": true} sees {"left": true},
        "conflicts" {"left": true, "right": false} sees {"left": true},
        "conflicts" {"left": true, "right": true} refused "at most one of `left`, `right`",
        "conflicts" {"json": "j", "yaml": "y"} refused "at most one of `json`, `yaml`",
        "conflicts" {"json": "j", "right": true} sees {"json": "j", "right": true},
        "global-conflict" {"red": "r"} sees {"red": "r"},
        "global-conflict" {"red": "r", "calm": "c"} refused "at most one of",
        "one-of" {"green": true} sees {"green": true},
        "one-of" {"hex": "#fff"} sees {"hex": "#fff"},
        "one-of" {} refused "at least one of `red`, `green`, `hex`",
        "one-of" {"red": false} refused "at least one of",
        "one-of" {"red": true, "hex": "#fff"} refused "at most one of `red`, `hex`",
        "any-of" {"salt": true, "pepper": "p", "spice": "s"} sees {"salt": true, "pepper": "p", "spice": "s"},
        "any-of" {"spice": "s"} sees {"spice": "s"},
        "any-of" {} refused "at least one of",
        "any-of-env" {} sees {"pepper": "from the environment"},
        "any-of-env" {"salt": true} sees {"pepper": "from the environment", "salt": true},
        "exclusive" {"name": "n", "size": "s"} sees {"name": "n", "size": "s"},
        "exclusive" {"list": true} sees {"list": true},
        "exclusive" {"size": "s"} refused "at least one of `name`, `list`",
        "exclusive" {"list": true, "size": "s"} refused "--list",
        "exclusive" {"list": true, "name": "n"} refused "--list",
        "rivals" {"name": "n"} sees {"name": "n"},
        "rivals" {"all": true, "depth": "1"} sees {"all": true, "depth": "1"},
        "rivals" {"depth": "1"} refused "at least one of `name`, `all`",
        "rivals" {"name": "n", "all": true} refused "at most one of `name`, `all`",
        "overrides" {"fast": "f"} sees {"fast": "f"},
        "overrides" {"fast": "f", "slow": "s"} refused "overridden by another argument",
        "overrides" {"again": "a"} sees {"again": "a"},
        "needs" {} refused "at least one argument",
        "needs" {"two": false} refused "at least one argument",
        "needs" {"two": true} sees {"two": true},
    ]
}

pub(super) fn types() -> Vec<Row> {
    let max = u64::MAX;
    rows![
        "choices" {"speed": "fast"} sees {"speed": "fast"},
        "choices" {"speed": "very-slow", "pace": "fast"} sees {"speed": "very-slow", "pace": "fast"},
        "choices" {"speed": "quick"} sees {"speed": "fast"},
        "choices" {"speed": "ludicrous"} sees {"speed": "ludicrous"},
        "choices" {"speed": "FAST"} refused "one of \"fast\", \"very-slow\"",
        "choices" {"speed": ""} refused "one of",
        "choices" {"speed": "fas"} refused "one of",
        "choices" {"any-case": "VERY-Slow"} sees {"any-case": "very-slow"},
        "choices" {"any-case": "QUICK"} sees {"any-case": "fast"},
        "choices" {"each": ["fast", "very-slow", "fast"]} sees {"each": ["fast", "very-slow", "fast"]},
        "choices" {"each": ["fast,very-slow"]} refused "each[0]",
        "choices" {"pace": "--speed=fast"} refused "one of",
        "numbers" {"signed": i64::MAX} sees {"signed": i64::MAX},
        "numbers" {"signed": i64::MIN} sees {"signed": i64::MIN},
        "numbers" {"signed": max} refused "an integer",
        "numbers" {"signed": 1e300} refused "an integer",
        "numbers" {"signed": 9_007_199_254_740_992.0} refused "an integer",
        "numbers" {"signed": "a[$(id)]"} refused "an integer",
        "numbers" {"negative": -1} sees {"negative": -1},
        "numbers" {"unsigned": max} sees {"unsigned": max},
        "numbers" {"unsigned": -1} refused "an integer of 0 or more",
        "numbers" {"big": "340282366920938463463374607431768211455"}
            sees {"big": "340282366920938463463374607431768211455"},
        "numbers" {"big": "340282366920938463463374607431768211456"} refused "too large",
        "numbers" {"big": "-1"} refused "a string of decimal digits",
        "numbers" {"big": ""} refused "a string of decimal digits",
        "numbers" {"big-signed": "-170141183460469231731687303715884105728"}
            sees {"big-signed": "-170141183460469231731687303715884105728"},
        "numbers" {"ratio": 0.1} sees {"ratio": 0.1},
        "numbers" {"ratio": -1.797e308} sees {"ratio": -1.797e308},
        "numbers" {"ratio": 5e-324} sees {"ratio": 5e-324},
        "numbers" {"ratio": 3} sees {"ratio": 3.0},
        "numbers" {"ratio": "NaN"} refused "a number",
        "numbers" {"small": -128} sees {"small": -128},
        "numbers" {"small": 128} refused "an integer from -128 to 127",
        "numbers" {"whole": -5, "part": -0.5} sees {"whole": -5, "part": -0.5},
        "numbers" {"whole": i64::MIN, "part": -1e-7} sees {"whole": i64::MIN, "part": -1e-7},
        "plain-number" {"whole": -5} sees {"whole": -5},
        "plain-number" {"whole": 5} sees {"whole": 5},
        "limits" {"port": 1} sees {"port": 1},
        "limits" {"port": 100} sees {"port": 100},
        "limits" {"port": 0} refused "1..=100",
        "limits" {"port": 101} refused "1..=100",
        "limits" {"size": "12k"} sees {"size": 12_000},
        "limits" {"size": "12q"} refused "invalid value '12q'",
        "limits" {"raw-size": 12} sees {"raw-size": 12},
        "limits" {"even": 4} sees {"even": 4},
        "limits" {"even": 5} refused "it is odd",
        "kinds" {"letter": "ß"} sees {"letter": "ß"},
        "kinds" {"letter": "-"} sees {"letter": "-"},
        "kinds" {"letter": "ab"} refused "one character",
        "kinds" {"letter": ""} refused "one character",
        "kinds" {"address": "::1"} sees {"address": "::1"},
        "kinds" {"address": "10.0.0.1"} sees {"address": "10.0.0.1"},
        "kinds" {"address": "10.0.0.256"} refused "an IPv4 or IPv6 address",
        "kinds" {"path": "/tmp/a b", "file": "-"} sees {"path": "/tmp/a b", "file": "-"},
        "defaults" {} sees (defaults(&json!({}))),
        "defaults" {"bool": false, "int": 0, "text": "", "many": ["c"], "place": "", "count": 2, "no-keep": true}
            sees (defaults(&json!({"bool": false, "int": 0, "text": "", "many": ["c"], "place": "", "count": 2, "keep": false}))),
        "environment" {} sees {"token": "t0ken", "region": "eu", "color": true, "plain": false},
        "environment" {"token": "mine", "region": "", "unset": "u", "color": true}
            sees {"token": "mine", "region": "", "unset": "u", "color": true, "plain": false},
        "environment" {"color": false} refused "TORTURE_COLOR",
        "environment" {"no-plain": false} refused "TORTURE_PLAIN",
        "unicode" {"gr__e": "½", "__": "名"} sees {"größe": "½", "名前": "名"},
        "unicode" {"_": "ñ=ñ"} sees {"tilde": "ñ=ñ"},
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

pub(super) fn trees() -> Vec<Row> {
    rows![
        "deep mid leaf" {} refused "`project`",
        "deep mid leaf" {"project": "p", "mid_zone": "m", "zone": "z", "all": true, "item": "i", "output": "o"}
            sees {"deep": {"project": "p"}, "mid": {"zone": "m"}, "leaf-zone": "z", "zone-all": true, "item": "i", "output": "o"},
        "place visit" {"area": "a", "visited": "-v"} sees {"place": {"area": "a"}, "visited": "-v"},
        "place visit" {"area": "visit"} refused "not the name of a subcommand",
        "place visit" {"area": "leave"} refused "not the name of a subcommand",
        "place visit" {"area": "a", "visited": "leave"} sees {"place": {"area": "a"}, "visited": "leave"},
        "place leave" {} refused "area",
        "place leave" {"area": "a"} sees {"place": {"area": "a"}},
        "wide go" {"plain": "p", "fast": "f"} sees {"wide": {"plain": "p"}, "fast": "f"},
        "wide go" {"many": ["a", "b"], "plain": "p"} sees {"wide": {"many": ["a", "b"], "plain": "p"}},
        "wide go" {"maybe": "", "plain": "p"} sees {"wide": {"maybe": null, "plain": "p"}},
        "wide go" {"maybe": "m"} sees {"wide": {"maybe": "m"}},
        // Without another flag between them the greedy one takes the subcommand for a value.
        "wide go" {"many": ["a", "b"]} refused "the name of the subcommand",
        "wide go" {"maybe": ""} refused "the name of the subcommand",
        "several go" {"areas": ["a", "b"], "plain": "p"} sees {"several": {"areas": ["a", "b"], "plain": "p"}},
        "several go" {"areas": ["a", "b"]} refused "the name of the subcommand",
        "a b" {"from_a": "x"} sees {"from_a": "x"},
        "a_b" {"from_a_b": "x"} sees {"from_a_b": "x"},
        "a.b" {"from_dot": "x"} sees {"from_dot": "x"},
        "external" {} sees {},
        "external" {"known": true, "external_command": ["name", "--known", "--", "-x", ""]}
            sees {"known": true, "external": ["name", "--known", "--", "-x", ""]},
        "external" {"external_command": ["--known"]} refused "the name of an external command",
        "external" {"external_command": ["inner"]} refused "use its own tool",
        "external" {"external_command": ["help"]} refused "use its own tool",
        "external inner" {"known": true} sees {"external": {"known": true}},
        "visible" {"shown": "s"} sees {"shown": "s"},
        "visible" {"unshown": "u"} refused "it is hidden",
        "visible" {"--unshown": "u"} refused "it is hidden",
        "visible" {"shown": "--unshown=u"} sees {"shown": "--unshown=u"},
        "tools mcp" {"verb": "start"} sees {"verb": "start"},
        "choose" {} sees {},
        "choose" {"word": "test"} sees {"word": "test"},
        "choose" {"word": "check", "plain": "p"} sees {"word": "check", "plain": "p"},
        "choose test" {} sees {},
        "choose test" {"word": "w"} sees {"choose": {"word": "w"}},
        "choose test" {"word": "list"} refused "not the name of a subcommand",
        "negates" {"name": "n", "red": true} sees {"name": "n", "red": true},
        "negates" {"name": "n"} refused "at least one of `red`, `green`",
        "negates now" {} sees {},
        "negates now" {"name": "own", "negates_name": "n", "green": true}
            sees {"negates": {"name": "n", "green": true}, "own-name": "own"},
        "negates now" {"red": true, "green": true} refused "at most one of",
        "either" {"flag": "f", "word": "w"} sees {"flag": "f", "word": "w"},
        "either" {"word": "sub"} sees {"word": "sub"},
        "either sub" {"flag": "f"} sees {"sub-flag": "f"},
        "either sub" {"flag": "f", "output": "o"} sees {"sub-flag": "f", "output": "o"},
        "infer" {"word": "st"} sees {"word": "st"},
        "infer" {"word": "--verb"} sees {"word": "--verb"},
        "infer" {"verbosity": "v", "version-of": "w"} sees {"verbosity": "v", "version-of": "w"},
        "infer status" {} sees {},
        "infer status" {"word": "st"} refused "unexpected argument",
        "flags" {"log-level": "debug", "output": "-"} sees {"log-level": "debug", "output": "-"},
        // A command's own argument instead of the global one of its name.
        "shadow" {"output": -3, "yes": false} sees {"output": -3, "yes": false},
        "shadow" {"output": "o"} refused "an integer",
        // clap looks for subcommands even among the values of a flag.
        "precedence" {"many": ["a", "b"]} sees {"many": ["a", "b"]},
        "precedence" {"many": ["a", "stop"]} refused "would not read",
        "precedence" {"word": "stop"} sees {"word": "stop"},
    ]
}

/// What only the flat layout can say, or say wrongly.
pub(super) fn flat_only() -> Vec<Row> {
    rows![
        // The bridge does not know the terminator that would end the first list.
        "terminated" {"words": ["a"], "after": "b"} refused "would not read `words`",
        "delimited" {"pair": ["a", "b"]} sees {"pair": ["a", "b"]},
        "delimited" {"pair": ["a", "-b"], "fields": ["-c", "d"]} sees {"pair": ["a", "-b"], "fields": ["-c", "d"]},
        "delimited" {"pair": ["a=b"]} refused "elements without `=`",
        "delimited" {"pair": ["k"], "fields": ["a,b"]} refused "elements without `,`",
        "missing" {"key": "k"} refused "`value`",
        "ordered" {"second": "b"} refused "because `second` is given",
        "ordered" {"first": "a", "third": ["c"]} refused "because `third` is given",
        "external" {"external_command": "name"} sees {"external": ["name"]},
        "external" {"external_command": {}} sees {},
        "external inner" {"external_command": ["x"]} refused "a known property",
        "either sub" {"word": "w"} refused "a known property",
    ]
}

/// What only the nested layout can say, or say wrongly.
pub(super) fn nested_only() -> Vec<Row> {
    rows![
        "flags" {"flags": {"dry-run": true}, "args": []} sees {"dry_run": true},
        "flags" {"dry-run": true} sees {"dry_run": true},
        "flags" {"dry-rnu": true} refused "a known property",
        "flags" {"flags": {"dry-run": true, "nope": 1}} refused "flags.nope",
        "flags" {"flags": ["--dry-run"]} refused "an object of flags",
        "flags" {"args": ["--dry-run"]} refused "no further argument",
        "text" {"args": "a b"} refused "each word an element",
        "text" {"args": ["--value=x", "-a"]} sees {"text": "--value=x", "more": ["-a"]},
        "plain-number" {"args": ["-5"]} sees {"whole": -5},
        "plain-number" {"args": ["$(id)"]} refused "args[0]",
        "delimited" {"args": ["k=v"]} sees {"pair": ["k", "v"]},
        "last-mixed" {"args": ["p", "c"], "words": ["-x"]} sees {"pod": "p", "container": "c", "words": ["-x"]},
        "names" {"flags": {"flags": "f", "args": "a"}, "args": ["o"]} sees {"flags": "f", "args": "a", "out": "o"},
        "external" {"args": ["name", "-x"]} sees {"external": ["name", "-x"]},
        "external inner" {"args": ["x"]} refused "no further argument",
    ]
}
